//! The child process as a separate program, for tests of the pool and for programs that use this crate as a library.
//! `countersign document-worker` does the same work.

use std::process::ExitCode;

fn main() -> ExitCode {
    countersign_document_worker::child::main()
}
