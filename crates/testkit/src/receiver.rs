//! A real HTTP server on its own port that records requests and answers as configured, including badly.
//!
//! It is written by hand on plain sockets, because a library would prevent the required misbehaviour (drip, never end,
//! reset). Connections are kept alive. Each has its own thread, and all end when the receiver is dropped.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for something that should take a moment. Only a hang takes this long.
const PATIENCE: Duration = Duration::from_mins(2);
/// How often an idle connection checks whether the receiver still exists.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// GET, POST, …
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Names in lower case, in the order they arrived.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// When the request's last byte arrived.
    pub at: Instant,
}

impl Received {
    /// Returns a header's value, or an empty string.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Plain {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// This status immediately, then one byte of the body every 50 ms while the client listens.
    Drip(u16),
    /// A head that never ends, one byte every 50 ms while the client listens.
    DripHead,
    /// This status immediately, then a body as fast as possible while the client listens.
    Endless(u16),
    /// Nothing, while the client waits and the receiver exists.
    Silence,
    Reset,
}

impl Answer {
    /// An ordinary answer with a small body.
    pub fn status(status: u16) -> Answer {
        Answer::Plain {
            status,
            headers: Vec::new(),
            body: b"{}".to_vec(),
        }
    }

    #[must_use]
    pub fn with_header(self, name: &str, value: &str) -> Answer {
        match self {
            Answer::Plain {
                status,
                mut headers,
                body,
            } => {
                headers.push((name.to_owned(), value.to_owned()));
                Answer::Plain { status, headers, body }
            }
            other => other,
        }
    }
}

struct Shared {
    received: Mutex<Vec<Received>>,
    came: Condvar,
    answers: Mutex<VecDeque<Answer>>,
    otherwise: Mutex<Answer>,
    connections: AtomicUsize,
    /// The client's end of the most recently accepted connection, and the number of open connections.
    open: Mutex<(Option<SocketAddr>, usize)>,
    ended: Condvar,
    closed: AtomicBool,
    told: Box<dyn Fn(&Received) + Send + Sync>,
    computed: Option<Compute>,
}

/// Computes the answer to a complete request.
type Compute = Box<dyn Fn(&Received) -> Answer + Send + Sync>;

pub struct Receiver {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Receiver {
    /// Listens on a free loopback port and answers 200.
    pub fn start() -> Receiver {
        Receiver::listen("127.0.0.1:0", |_| {})
    }

    /// Like [`Self::start`], but on a loopback address of its own, which counts as a separate host.
    pub fn start_apart(number: u8) -> Receiver {
        Receiver::listen(&format!("127.0.1.{number}:0"), |_| {})
    }

    /// Listens on an address, and passes each request to the callback.
    pub fn listen(address: &str, told: impl Fn(&Received) + Send + Sync + 'static) -> Receiver {
        Receiver::serve(address, Box::new(told), None)
    }

    /// Listens on a free loopback port and computes its answers, except those set with `answer_next`.
    pub fn answering(answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) -> Receiver {
        Receiver::serve("127.0.0.1:0", Box::new(|_| {}), Some(Box::new(answer)))
    }

    fn serve(address: &str, told: Box<dyn Fn(&Received) + Send + Sync>, computed: Option<Compute>) -> Receiver {
        let listener = TcpListener::bind(address).expect("the receiver's port is free");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            received: Mutex::default(),
            came: Condvar::new(),
            answers: Mutex::default(),
            otherwise: Mutex::new(Answer::status(200)),
            connections: AtomicUsize::new(0),
            open: Mutex::default(),
            ended: Condvar::new(),
            closed: AtomicBool::new(false),
            told,
            computed,
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.closed.load(Ordering::SeqCst) {
                    break;
                }
                let Ok(stream) = stream else { continue };
                accepting.connections.fetch_add(1, Ordering::SeqCst);
                {
                    let mut open = accepting.open.lock().expect("no panic while locked");
                    *open = (stream.peer_addr().ok(), open.1 + 1);
                }
                let shared = Arc::clone(&accepting);
                thread::spawn(move || {
                    serve(&shared, &stream);
                    shared.open.lock().expect("no panic while locked").1 -= 1;
                    shared.ended.notify_all();
                });
            }
        });
        Receiver { address, shared }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the receiver's URL with a path, which begins with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets the answers to the next requests, one each. They take precedence over `answer_always`.
    pub fn answer_next(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared
            .answers
            .lock()
            .expect("no panic while locked")
            .extend(answers);
    }

    pub fn answer_always(&self, answer: Answer) {
        *self.shared.otherwise.lock().expect("no panic while locked") = answer;
    }

    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().expect("no panic while locked").clone()
    }

    /// Returns how many connections have been opened so far.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits until everything sent to the receiver has been read and every connection has ended, including those whose
    /// client gave up before they were accepted.
    pub fn wait_until_quiet(&self) {
        let last = TcpStream::connect(self.address).and_then(|stream| stream.local_addr());
        let last = last.expect("the receiver listens");
        let open = self.shared.open.lock().expect("no panic while locked");
        let (open, _) = self
            .shared
            .ended
            .wait_timeout_while(open, PATIENCE, |(accepted, open)| *accepted != Some(last) || *open > 0)
            .expect("no panic while locked");
        assert_eq!(open.1, 0, "connections are open still");
    }

    /// Waits for `count` requests and returns them.
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let received = self.shared.received.lock().expect("no panic while locked");
        let (received, _) = self
            .shared
            .came
            .wait_timeout_while(received, PATIENCE, |received| received.len() < count)
            .expect("no panic while locked");
        assert!(
            received.len() >= count,
            "{} of {count} requests came: {received:#?}",
            received.len()
        );
        received.clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        // Wakes the accepting thread, so that it notices the end.
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(shared: &Shared, stream: &TcpStream) {
    // A thread must not outlive its test for long.
    let _ = stream.set_read_timeout(Some(Duration::from_mins(1)));
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream);
    while let Some((request, length)) = read_head(&mut reader) {
        let answer = shared.answers.lock().expect("no panic while locked").pop_front();
        if answer.is_none() && shared.computed.is_some() {
            let mut body = vec![0; length];
            if reader.read_exact(&mut body).is_err() {
                return;
            }
            let request = Received {
                body,
                at: Instant::now(),
                ..request
            };
            let answer = shared.computed.as_ref().map(|compute| compute(&request));
            record(shared, request);
            if !answer.is_some_and(|answer| send(shared, stream, &answer)) {
                return;
            }
            continue;
        }
        let answer = answer.unwrap_or_else(|| shared.otherwise.lock().expect("no panic while locked").clone());
        if answer == Answer::Reset {
            record(shared, request);
            // The body is unread, so closing makes the system send a reset.
            return;
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        record(
            shared,
            Received {
                body,
                at: Instant::now(),
                ..request
            },
        );
        if !send(shared, stream, &answer) {
            return;
        }
    }
}

fn record(shared: &Shared, request: Received) {
    (shared.told)(&request);
    shared.received.lock().expect("no panic while locked").push(request);
    shared.came.notify_all();
}

/// Reads the head of the next request. Returns it with the length of the body, or `None` at the end of the connection.
fn read_head(reader: &mut BufReader<&TcpStream>) -> Option<(Received, usize)> {
    let mut line = String::new();
    if reader.read_line(&mut line).ok()? == 0 {
        return None;
    }
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).ok()?;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':')?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let request = Received {
        method,
        path,
        headers,
        body: Vec::new(),
        at: Instant::now(),
    };
    let length = request.header("content-length").parse().unwrap_or(0);
    Some((request, length))
}

/// Sends the beginning of an answer, and then a byte every 50 ms until the client closes the connection.
fn drip(mut stream: &TcpStream, beginning: &[u8]) {
    let mut sent = stream.write_all(beginning);
    while sent.is_ok() {
        let _ = stream.set_read_timeout(Some(LOOK));
        if matches!(stream.peek(&mut [0]), Ok(0)) {
            break;
        }
        sent = stream.write_all(b".");
    }
}

/// Sends an answer. Returns whether the connection stays open.
fn send(shared: &Shared, mut stream: &TcpStream, answer: &Answer) -> bool {
    match answer {
        Answer::Plain { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                let _ = write!(head, "{name}: {value}\r\n");
            }
            head.push_str("\r\n");
            let bytes = [head.as_bytes(), body].concat();
            stream.write_all(&bytes).is_ok()
        }
        Answer::Drip(status) => {
            let head = format!("HTTP/1.1 {status} Scripted\r\ncontent-length: 1000000\r\n\r\n");
            drip(stream, head.as_bytes());
            false
        }
        Answer::DripHead => {
            drip(stream, b"HTTP/1.1 200 Scripted\r\nx-slow: ");
            false
        }
        Answer::Endless(status) => {
            let head = format!("HTTP/1.1 {status} Scripted\r\ntransfer-encoding: chunked\r\n\r\n");
            let chunk = [b"2000\r\n".as_slice(), &[b'.'; 0x2000], b"\r\n"].concat();
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(&chunk);
            }
            false
        }
        Answer::Silence => {
            let _ = stream.set_read_timeout(Some(LOOK));
            // The client sends nothing more, so reading returns only when it closes the connection.
            while !shared.closed.load(Ordering::SeqCst) {
                match stream.read(&mut [0]) {
                    Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                    _ => break,
                }
            }
            false
        }
        Answer::Reset => false,
    }
}
