//! `root`: prints the certificate that a verifier without access to the server needs. `root renew` extends its
//! validity.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Context;
use crate::output::{Failure, print};

/// Print the installation's root certificate (PEM)
#[derive(Debug, Args)]
pub struct Root {
    #[command(subcommand)]
    command: Option<RootCommand>,
}

#[derive(Debug, Subcommand)]
enum RootCommand {
    /// Issue a new root certificate, valid for 30 years, and print it; the old one can still be used until it expires
    Renew,
}

impl Root {
    pub fn run(&self, context: &Context) -> Result<ExitCode, Failure> {
        let app = context.open()?.app;
        let certificate = match self.command {
            None => app.root_certificate()?,
            Some(RootCommand::Renew) => app.renew_root()?,
        };
        print(context.json, &json!({"root_certificate": certificate}), &certificate);
        Ok(ExitCode::SUCCESS)
    }
}
