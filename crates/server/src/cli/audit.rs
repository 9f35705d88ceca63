//! `audit verify`: every workflow's chain of events, recomputed and compared with rows and files.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::Context;
use crate::output::{Failure, counted, joined, print};

/// Verify the audit trails of all workflows
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Recompute every chain and compare it with database and files; exit code 0 only if nothing is wrong
    Verify,
}

impl Audit {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let Audit::Verify = self;
        let report = context.open()?.app.audit_verify()?;
        let mut faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        faults.extend(report.file_faults.iter().map(ToString::to_string));
        let value = json!({
            "clean": report.is_clean(),
            "workflows": report.workflows,
            "entries": report.entries,
            "files": report.files,
            "heads_without_code": report.without_code,
            "faults": faults,
        });
        let mut lines = faults;
        if report.without_code > 0 {
            lines.push(format!(
                "{} of an earlier version with no code yet: trusted when they are used next",
                counted(report.without_code, "workflow", "workflows")
            ));
        }
        lines.push(format!(
            "{}, {}, {}: {}",
            counted(report.workflows, "workflow", "workflows"),
            counted(report.entries, "entry", "entries"),
            counted(report.files, "file", "files"),
            if report.is_clean() {
                "every chain is unbroken, and rows and files are as their chains say"
            } else {
                "NOT every check passed"
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
