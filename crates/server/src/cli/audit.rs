//! `audit verify`: every workflow's chain of events, recomputed and compared with rows and files.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Context, OfCompany};
use crate::output::{Failure, counted, joined, print};

/// Verify the audit trails of all workflows
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Recompute every chain and compare it with database and files; exit code 0 only if nothing is wrong
    Verify,
    /// After you restored a backup: accept the database as it is, whatever earlier checkpoints say
    Restart {
        #[command(flatten)]
        of: OfCompany,
    },
}

impl Audit {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        if let Audit::Restart { of } = self {
            return restart(context, &of);
        }
        let app = context.open()?.app;
        let report = app.audit_verify()?;
        let from_backup = app.store.read(store::held_outbox::restored)?;
        let mut faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        faults.extend(report.file_faults.iter().map(ToString::to_string));
        faults.extend(report.checkpoints.faults.iter().map(ToString::to_string));
        let restarted: Vec<String> = report
            .checkpoints
            .restarted
            .iter()
            .map(|(company, at)| format!("the checkpoints of company {company} were restarted at {at}"))
            .collect();
        let value = json!({
            "clean": report.is_clean(),
            "workflows": report.workflows,
            "entries": report.entries,
            "files": report.files,
            "heads_without_code": report.without_code,
            "companies_with_checkpoints": report.checkpoints.companies,
            "compared_since": report.checkpoints.since.map(|since| since.to_string()),
            "restarted": restarted,
            "restored": from_backup,
            "faults": faults,
        });
        let mut lines = faults;
        lines.extend(restarted.iter().cloned());
        lines.extend(from_backup.map(|restored| {
            format!(
                "a backup of {:.0} was restored at {:.0}: what happened between the two is not in the database",
                restored.backup_of, restored.at
            )
        }));
        if report.checkpoints.companies == 0 {
            lines.push("there is no checkpoint yet: deleted workflows and an older database are not found".to_owned());
        }
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

fn restart(context: &Context, of: &OfCompany) -> Result<ExitCode, Failure> {
    let app = context.open()?.app;
    app.restart_checkpoints(&of.operator(&app)?)?;
    let line = format!(
        "The checkpoints of {} start again from the database as it is now. `audit verify` goes on to say so.",
        of.company
    );
    print(context.json, &json!({"company": of.company, "restarted": true}), &line);
    Ok(ExitCode::SUCCESS)
}
