//! The real program, as an operator runs it: a data folder, the command line, a server process.
//!
//! Nothing here accesses the program's internals: tests only see standard output and HTTP. A dropped server is killed,
//! but its data stays until the folder is removed, so a test can start it again on the same data.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A data folder and the binary that uses it.
#[derive(Clone, Debug)]
pub struct Installation {
    binary: PathBuf,
    data: PathBuf,
    variables: Vec<(String, String)>,
}

#[derive(Debug)]
pub struct Server {
    process: Child,
    /// The address the server printed, such as `http://127.0.0.1:41234`.
    pub address: String,
}

/// Returns the path of the `countersign` binary built together with the running test: `COUNTERSIGN_BINARY`, or the file
/// two folders above the test's own.
///
/// # Panics If neither exists.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("COUNTERSIGN_BINARY") {
        return PathBuf::from(path);
    }
    let own = std::env::current_exe().expect("the path of this test");
    let found = own
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("countersign"))
        .find(|path| path.exists());
    found.expect("the binary `countersign`: build it with `cargo build --bin countersign`, or set COUNTERSIGN_BINARY")
}

impl Installation {
    /// Creates an installation whose files are in `data`. Private endpoints are allowed, because tests have no other
    /// receivers.
    pub fn new(binary: &Path, data: &Path) -> Self {
        Self {
            binary: binary.to_owned(),
            data: data.to_owned(),
            variables: Vec::new(),
        }
        .with("COUNTERSIGN_WEBHOOK__ALLOW_PRIVATE", "true")
        // The machine's free space is not under test.
        .with("COUNTERSIGN_DOCUMENTS__LEAST_FREE_PERCENT", "0")
        // Tests run at the same time, but the default is a single address.
        .with("COUNTERSIGN_METRICS__LISTEN", "")
    }

    /// Adds a setting as an environment variable (`COUNTERSIGN_SECTION__KEY`).
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Removes a setting.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Returns a command of the program, ready to run.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).env("COUNTERSIGN_DATA", &self.data);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to completion with `input` on standard input.
    ///
    /// # Panics If the program cannot be started.
    pub fn output(&self, arguments: &[&str], input: &str) -> Output {
        let mut process = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // A command that does not read its input closes the pipe, which is fine.
        let _ = process.stdin.take().expect("a pipe").write_all(input.as_bytes());
        process.wait_with_output().expect("the program ends")
    }

    /// Runs a command that must succeed. Returns its standard output without the last line end.
    ///
    /// # Panics If the command fails, with its output.
    pub fn run(&self, arguments: &[&str], input: &str) -> String {
        let output = self.output(arguments, input);
        assert!(
            output.status.success(),
            "`countersign {}` ended with {}: {}",
            arguments.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Starts the server on a free loopback port and waits for the line with its address.
    ///
    /// # Panics
    /// If the server ends before it listens.
    pub fn serve(&self) -> Server {
        self.try_serve().expect("the server ended before it named its address")
    }

    /// Like [`Self::serve`], but returns `None` if the server ends before it listens.
    pub fn try_serve(&self) -> Option<Server> {
        self.begin(&["serve", "--listen", "127.0.0.1:0"])
    }

    /// Starts a process for a part of the work: `web` or `worker`. The address of a worker is empty.
    ///
    /// # Panics If the process ends before it is ready.
    pub fn serve_as(&self, role: &str) -> Server {
        self.begin(&["serve", "--listen", "127.0.0.1:0", "--role", role])
            .expect("the process ended before it worked")
    }

    fn begin(&self, arguments: &[&str]) -> Option<Server> {
        let is_worker = arguments.ends_with(&["worker"]);
        begin(self.command(arguments), is_worker)
    }
}

/// Starts a process that prints its address first, unless it is a worker.
fn begin(mut command: Command, is_worker: bool) -> Option<Server> {
    let mut process = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
    let mut line = String::new();
    if output.read_line(&mut line).unwrap_or_default() == 0 {
        let _ = process.kill();
        let _ = process.wait();
        return None;
    }
    let address = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"))
        .or_else(|| is_worker.then_some(""))
        .unwrap_or_else(|| panic!("the server's first line names no address: {line:?}"))
        .trim_end_matches('/')
        .to_owned();
    // Reads and drops the later lines, so that a full pipe never blocks the process.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    Some(Server { process, address })
}

impl Server {
    /// Starts a modified command of an installation, such as one with limits. `None` if it ends before it listens.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn begin(command: Command) -> Option<Server> {
        begin(command, false)
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Kills the server with SIGKILL, as a power cut would, and waits until it is gone.
    pub fn kill(mut self) {
        self.end();
    }

    /// Waits until the server ends by itself. Returns `false` after this time, and kills the server on drop.
    pub fn ends_within(mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}
