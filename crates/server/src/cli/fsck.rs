//! `fsck`: compares files and database. An unreferenced file is removed and reported, but is not an error.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use super::Context;
use crate::output::{Failure, counted, exit_code, joined, print};

/// Compare the files with the database and delete files that nothing refers to; exit code 0 only if nothing is wrong
#[derive(Debug, Args)]
pub struct Fsck {
    /// Delete only files older than this many minutes; a running server writes a file before the row that refers to it
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    grace: u64,
}

impl Fsck {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let report = context
            .open()?
            .app
            .fsck(Duration::from_secs(self.grace.saturating_mul(60)))?;
        let mut faults: Vec<String> = report.audit.faults.iter().map(ToString::to_string).collect();
        faults.extend(report.audit.file_faults.iter().map(ToString::to_string));
        let swept: Vec<String> = report.swept.iter().map(ToString::to_string).collect();
        let value = json!({
            "clean": report.is_clean(),
            "workflows": report.audit.workflows,
            "files": report.audit.files,
            "faults": faults,
            "swept": swept,
            "unfinished": report.unfinished,
            "unreferenced": report.young.len(),
        });
        let mut lines: Vec<String> = faults;
        lines.extend(
            swept
                .iter()
                .map(|hash| format!("deleted {hash}, because nothing refers to it")),
        );
        if report.unfinished > 0 {
            lines.push(format!(
                "deleted {} that a killed process left behind",
                counted(report.unfinished, "half-written file", "half-written files")
            ));
        }
        if !report.young.is_empty() {
            lines.push(format!(
                "nothing refers to these yet, but they are too new to delete: {}",
                counted(report.young.len(), "file", "files")
            ));
        }
        lines.push(format!(
            "{}, {}: {}",
            counted(report.audit.workflows, "workflow", "workflows"),
            counted(report.audit.files, "file", "files"),
            if report.is_clean() {
                "every check passed"
            } else {
                "at least one check FAILED"
            }
        ));
        print(context.json, &value, &joined(&lines));
        Ok(exit_code(report.is_clean()))
    }
}
