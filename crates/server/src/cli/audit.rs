//! `audit verify` recomputes every workflow's chain of events and compares it with rows and files. `audit log` shows
//! who changed what.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use store::audit_log::LogEntry;

use super::{Context, OfCompany};
use crate::output::{Failure, counted, exit_code, joined, print, table};

/// Verify the audit trails of all workflows, and show who changed what
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// Recompute every chain and compare it with database and files; exit code 0 only if everything matches
    Verify,
    /// Accept the database as it is, regardless of earlier checkpoints; use it after you restored a backup
    Restart {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Show what members and the operator changed, newest first
    Log {
        #[command(flatten)]
        of: OfCompany,
        /// How many entries to show
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Only entries before this one
        #[arg(long, value_name = "ENTRY")]
        before: Option<i64>,
    },
}

impl Audit {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Audit::Verify => verify(context),
            Audit::Restart { of } => restart(context, &of),
            Audit::Log { of, limit, before } => log(context, &of, limit, before),
        }
    }
}

fn verify(context: &Context) -> Result<ExitCode, Failure> {
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
            "a backup of {:.0} was restored at {:.0}: the database does not contain what happened in between",
            restored.backup_of, restored.at
        )
    }));
    if report.checkpoints.companies == 0 {
        lines.push(
            "there is no checkpoint yet, so deleted workflows and an older database cannot be detected".to_owned(),
        );
    }
    if report.without_code > 0 {
        lines.push(format!(
            "{} from an earlier version without a code: trusted when next used",
            counted(report.without_code, "workflow", "workflows")
        ));
    }
    lines.push(format!(
        "{}, {}, {}: {}",
        counted(report.workflows, "workflow", "workflows"),
        counted(report.entries, "entry", "entries"),
        counted(report.files, "file", "files"),
        if report.is_clean() {
            "every chain is unbroken, and rows and files match their chains"
        } else {
            "at least one check FAILED"
        }
    ));
    print(context.json, &value, &joined(&lines));
    Ok(exit_code(report.is_clean()))
}

fn restart(context: &Context, of: &OfCompany) -> Result<ExitCode, Failure> {
    let app = context.open()?.app;
    app.restart_checkpoints(&of.operator(&app)?)?;
    let line = format!(
        "The checkpoints of {} start again from the current database. `audit verify` will continue to show this.",
        of.company
    );
    print(context.json, &json!({"company": of.company, "restarted": true}), &line);
    Ok(ExitCode::SUCCESS)
}

fn log(context: &Context, of: &OfCompany, limit: u32, before: Option<i64>) -> Result<ExitCode, Failure> {
    let app = context.open()?.app;
    let operator = of.operator(&app)?;
    let entries = app.audit_log(&operator, before, limit)?;
    let who = |entry: &LogEntry| match &entry.member {
        Some((_, email)) => email.clone(),
        None => "operator".to_owned(),
    };
    let values: Vec<Value> = entries
        .iter()
        .map(|entry| {
            json!({
                "entry": entry.id,
                "at": entry.at,
                "member": entry.member.as_ref().map(|(id, _)| id),
                "email": entry.member.as_ref().map(|(_, email)| email),
                "channel": entry.channel,
                "address": entry.address,
                "action": entry.action,
                "subject": entry.subject,
                "before": object(entry.before.as_deref()),
                "after": object(entry.after.as_deref()),
            })
        })
        .collect();
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            vec![
                entry.id.to_string(),
                domain::time::format_with_zone(entry.at, operator.zone()),
                who(entry),
                entry.address.clone().unwrap_or_default(),
                entry.action.clone(),
                entry.subject.clone(),
                entry.before.clone().unwrap_or_default(),
                entry.after.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let headings = ["ENTRY", "AT", "BY", "FROM", "ACTION", "ON", "BEFORE", "AFTER"];
    print(context.json, &Value::from(values), &table(&headings, &rows));
    Ok(ExitCode::SUCCESS)
}

/// Parses a stored JSON object.
fn object(text: Option<&str>) -> Option<Value> {
    serde_json::from_str(text?).ok()
}
