//! `migrate`: brings the database's schema up to date.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::Context;
use crate::opened::Absent;
use crate::output::{Failure, print};

/// Update the database schema, or create the database if there is none
#[derive(Debug, Args)]
pub struct Migrate;

impl Migrate {
    pub fn run(context: &Context) -> Result<ExitCode, Failure> {
        let (_, applied) = context.place.open_store(Absent::Make)?;
        let lines = if applied.is_empty() {
            "up to date".to_owned()
        } else {
            applied.join("\n")
        };
        print(context.json, &json!({"applied": applied}), &lines);
        Ok(ExitCode::SUCCESS)
    }
}
