//! Runs another program that does the same work, for comparison. It does one piece of work for every line it receives,
//! so both programs take turns, and other activity on the machine affects both.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::de::DeserializeOwned;

use crate::machine::Took;

/// A program in the peers' environment, which `script/bootstrap --tests` creates.
pub struct Peer {
    name: &'static str,
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `script` from the folder `script/` with these arguments.
    pub fn start(name: &'static str, script: &str, arguments: &[PathBuf]) -> Self {
        let repository = repository();
        let mut child = Command::new(repository.join(".tools/venv/bin/python"))
            .arg(repository.join("script").join(script))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the peer runs (script/bootstrap --tests makes its environment)");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("the peer's output"));
        Self {
            name,
            child,
            input,
            output,
        }
    }

    /// Sends a line and reads the answer.
    fn ask<A: DeserializeOwned>(&mut self, line: &str) -> A {
        let name = self.name;
        let input = self.input.as_mut().expect("open until it is dropped");
        writeln!(input, "{line}").unwrap_or_else(|error| panic!("{name} takes no more work: {error}"));
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("the peer's answer");
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{name} answers “{answer}”: {error}"))
    }

    pub fn work(&mut self, line: &str) -> Took {
        let (wall, processor) = self.ask(line);
        Took { wall, processor }
    }

    pub fn several(&mut self, line: &str) -> Vec<Took> {
        let times: Vec<(f64, f64)> = self.ask(line);
        times
            .into_iter()
            .map(|(wall, processor)| Took { wall, processor })
            .collect()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The program ends when its input ends.
        self.input = None;
        let _ = self.child.wait();
    }
}

pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
