//! The child process as a program of its own: for tests of the pool, and for programs that use it as
//! a library. `countersign document-worker` is the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_document_worker::child::main()
}
