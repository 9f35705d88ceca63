//! `audit verify`: every workflow's chain of events, recomputed.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::Context;
use crate::output::{Failure, counted, joined, print};

/// The evidence: hash chains of all workflows
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Recompute every chain and hold it against the database: exit code 0 only where nothing is wrong
    Verify,
}

impl Audit {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let Audit::Verify = self;
        let report = context.open()?.app.audit_verify()?;
        let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        let value = json!({
            "clean": report.is_clean(),
            "workflows": report.workflows,
            "entries": report.entries,
            "faults": faults,
        });
        let mut lines = faults;
        lines.push(format!(
            "{}, {}: {}",
            counted(report.workflows, "workflow", "workflows"),
            counted(report.entries, "entry", "entries"),
            if report.is_clean() {
                "every chain is unbroken"
            } else {
                "NOT everything is as it must be"
            }
        ));
        print(context.json, &value, &joined(&lines));
        Ok(if report.is_clean() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
