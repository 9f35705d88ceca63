//! `root`: prints the certificate that a verifier without access to the server needs.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Context;
use crate::output::{Failure, print};

/// Print the installation's root certificate (PEM)
#[derive(Debug, Args)]
pub struct Root;

impl Root {
    pub fn run(context: &Context) -> Result<ExitCode, Failure> {
        let certificate = context.open()?.app.root_certificate()?;
        print(context.json, &json!({"root_certificate": certificate}), &certificate);
        Ok(ExitCode::SUCCESS)
    }
}
