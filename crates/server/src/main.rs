//! The program `countersign`: the operator's command line, and the server itself.
//!
//! Deliberately thin: a command parses its arguments, opens the installation ([`opened`]), calls a use case of `app`,
//! and prints the result. The clock, the randomness and the database are chosen here and nowhere else.

// All output goes through `output`, so that no stranger's text can control the operator's terminal.
#![deny(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

mod background;
mod backup;
mod bucket_owner;
mod cli;
mod configuration;
mod connections;
mod database_url;
mod documents;
mod environment;
mod file_limit;
mod logging;
mod moved_files;
mod one_server;
mod opened;
mod output;
mod pkcs11;
mod restored;
mod volumes;
mod watch;

fn main() -> ExitCode {
    cli::main()
}
