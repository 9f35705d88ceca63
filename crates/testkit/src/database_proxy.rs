//! A connection between a store and its PostgreSQL that breaks at a commit, either before or after the commit takes
//! effect.
//!
//! Every byte passes through unchanged until a [`Fault`] is armed. The next commit on any connection triggers it, once.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use domain::Secret;
use postgres::config::Host;
use store::Settings;

/// The fault at the next commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    /// The connection breaks before the commit reaches the server, so nothing is stored.
    BeforeTheCommit = 1,
    /// The server commits, and the connection breaks before it confirms.
    AfterTheCommit = 2,
    /// Like [`Fault::AfterTheCommit`], and the server can no longer be reached.
    AfterTheCommitForGood = 3,
}

/// The store's commit, as the protocol's simple query.
const COMMIT: &[u8] = b"COMMIT\0";
/// The beginning of a statement that is sent alone and is its own commit.
const BY_ITSELF: &[u8] = b"\0WITH relaxed AS ";
/// The server's message that no transaction is open: `ReadyForQuery`, idle.
const IDLE: &[u8] = b"Z\0\0\0\x05I";

struct State {
    armed: AtomicU8,
    met: AtomicU32,
    gone: AtomicU8,
}

/// The proxy. It exists as long as the test's process.
pub struct DatabaseProxy {
    settings: Settings,
    state: Arc<State>,
}

impl DatabaseProxy {
    /// Starts a proxy to the database of these settings.
    pub fn to(settings: &Settings) -> DatabaseProxy {
        let Settings::Postgres {
            url,
            connections,
            patience,
        } = settings
        else {
            panic!("there is no line to SQLite");
        };
        let config: postgres::Config = url.expose().parse().expect("the address of a test database");
        let target = Target {
            host: config.get_hosts()[0].clone(),
            port: config.get_ports().first().copied().unwrap_or(5432),
        };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound address").port();
        let state = Arc::new(State {
            armed: AtomicU8::new(0),
            met: AtomicU32::new(0),
            gone: AtomicU8::new(0),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.gone.load(Ordering::SeqCst) == 0 {
                    join(&client, &target, &shared);
                }
            }
        });
        let user = config.get_user().unwrap_or("postgres");
        let database = config.get_dbname().expect("a test database has a name");
        DatabaseProxy {
            settings: Settings::Postgres {
                url: Secret::new(format!("host=127.0.0.1 port={port} user={user} dbname={database}")),
                connections: *connections,
                patience: *patience,
            },
            state,
        }
    }

    /// Returns settings that make a store use the proxy.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Starts or stops accepting connections.
    pub fn set_reachable(&self, is_reachable: bool) {
        self.state.gone.store(u8::from(!is_reachable), Ordering::SeqCst);
    }

    /// Triggers a fault at the next commit.
    pub fn arm(&self, fault: Fault) {
        self.state.armed.store(fault as u8, Ordering::SeqCst);
    }

    /// Returns how many commits have triggered a fault.
    pub fn met(&self) -> u32 {
        self.state.met.load(Ordering::SeqCst)
    }
}

#[derive(Clone)]
struct Target {
    host: Host,
    port: u16,
}

enum Line {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Line {
    fn open(target: &Target) -> std::io::Result<Line> {
        match &target.host {
            Host::Tcp(name) => TcpStream::connect((name.as_str(), target.port)).map(Line::Tcp),
            Host::Unix(folder) => UnixStream::connect(folder.join(format!(".s.PGSQL.{}", target.port))).map(Line::Unix),
        }
    }

    fn twin(&self) -> Line {
        match self {
            Line::Tcp(stream) => Line::Tcp(stream.try_clone().expect("a second handle")),
            Line::Unix(stream) => Line::Unix(stream.try_clone().expect("a second handle")),
        }
    }

    fn close(&self) {
        let _ = match self {
            Line::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Line::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        match self {
            Line::Tcp(stream) => stream.read(buffer),
            Line::Unix(stream) => stream.read(buffer),
        }
        .unwrap_or(0)
    }

    fn write(&mut self, bytes: &[u8]) -> bool {
        match self {
            Line::Tcp(stream) => stream.write_all(bytes),
            Line::Unix(stream) => stream.write_all(bytes),
        }
        .is_ok()
    }
}

/// Forwards data in both directions, each in its own thread.
fn join(client: &TcpStream, target: &Target, state: &Arc<State>) {
    let Ok(server) = Line::open(target) else { return };
    let Ok(client) = client.try_clone().map(Line::Tcp) else {
        return;
    };
    // Set once the answer to a commit must not reach the client.
    let silent = Arc::new(AtomicU8::new(0));
    let (mut from, mut to, state, hushed) = (client.twin(), server.twin(), Arc::clone(state), Arc::clone(&silent));
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        let mut by_themselves = Vec::new();
        loop {
            let read = from.read(&mut buffer);
            let said = &buffer[..read];
            by_themselves.extend(prepared_by_itself(said));
            if said.ends_with(COMMIT) || by_themselves.iter().any(|name| runs(said, name)) {
                match state.armed.swap(0, Ordering::SeqCst) {
                    0 => {}
                    fault if fault == Fault::BeforeTheCommit as u8 => {
                        state.met.fetch_add(1, Ordering::SeqCst);
                        break;
                    }
                    fault => {
                        state.met.fetch_add(1, Ordering::SeqCst);
                        hushed.store(1, Ordering::SeqCst);
                        if fault == Fault::AfterTheCommitForGood as u8 {
                            state.gone.store(1, Ordering::SeqCst);
                        }
                    }
                }
            }
            if read == 0 || !to.write(said) {
                break;
            }
        }
        from.close();
        to.close();
    });
    let (mut from, mut to) = (server, client);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        // The responses withheld from the client. The commit's own comes after those of statements sent with it.
        let mut kept = Vec::new();
        loop {
            let read = from.read(&mut buffer);
            let is_silent = silent.load(Ordering::SeqCst) == 1;
            if is_silent {
                kept.extend_from_slice(&buffer[..read]);
            }
            if read == 0 || holds(&kept, IDLE) || (!is_silent && !to.write(&buffer[..read])) {
                break;
            }
        }
        from.close();
        to.close();
    });
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Returns the name (`s` and a number with its terminator) of a prepared statement that is sent alone.
fn prepared_by_itself(said: &[u8]) -> Option<Vec<u8>> {
    let end = said.windows(BY_ITSELF.len()).position(|window| window == BY_ITSELF)?;
    let digits = said[..end]
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    said.get(end - digits - 1..=end).map(<[u8]>::to_vec)
}

/// Whether these bytes begin with the protocol's `Bind` of that statement to the unnamed portal.
fn runs(said: &[u8], name: &[u8]) -> bool {
    said.first() == Some(&b'B') && said.get(5) == Some(&0) && said.get(6..).is_some_and(|rest| rest.starts_with(name))
}
