//! What commands print: lines for people, or one JSON value for programs; failures on standard error in the same manner.

use std::io::{self, Write};

use app::FaultCode;
use domain::Language;
use serde_json::{Value, json};

use crate::configuration::ConfigurationFault;
use crate::opened::OpenFault;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The use-case says why.
    #[error("{}", describe(.0))]
    App(#[from] app::Error),
    /// The installation cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenFault),
    /// The configuration makes no sense.
    #[error(transparent)]
    Configuration(#[from] ConfigurationFault),
    /// The database.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// A file that cannot be read or written.
    pub fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> Failure {
        let path = path.display().to_string();
        move |source| Failure::File { path, source }
    }

    /// Prints the failure.
    pub fn print(&self, json: bool) {
        if json {
            let errors = match self {
                Failure::App(app::Error::Unprocessable(faults)) => faults
                    .iter()
                    .map(|fault| json!({"path": fault.path, "code": fault.code.id(), "message": fault.message(Language::En)}))
                    .collect(),
                _ => Vec::new(),
            };
            let code = match self {
                Failure::App(error) => error.id(),
                _ => "failed",
            };
            let value = json!({"error": {"code": code, "message": self.to_string(), "errors": errors}});
            line(&mut io::stderr(), &value.to_string());
        } else {
            line(&mut io::stderr(), &format!("countersign: {self}"));
        }
    }
}

/// An operator sees the cause of our own failure, which a client of the API never does, and each fault on its own line.
fn describe(error: &app::Error) -> String {
    match error {
        app::Error::Internal { .. }
        | app::Error::OutcomeUnknown(_)
        | app::Error::FileLost(_)
        | app::Error::Unavailable { cause: Some(_), .. } => error.to_string(),
        app::Error::Unprocessable(faults) => {
            let lines: Vec<String> = faults.iter().map(describe_fault).collect();
            match lines.as_slice() {
                [one] => one.clone(),
                several => format!("{} faults:\n  {}", several.len(), several.join("\n  ")),
            }
        }
        other => other.message(Language::En),
    }
}

fn describe_fault(fault: &app::Fault) -> String {
    // What intake and the fields file say stands for itself beside the file's name.
    let reason = matches!(fault.code, FaultCode::DocumentRefused | FaultCode::FieldsFileRefused)
        .then(|| fault.arguments.iter().find(|(name, _)| *name == "reason"))
        .flatten();
    let message = reason.map_or_else(|| fault.message(Language::En), |(_, reason)| reason.clone());
    if fault.path.is_empty() {
        message
    } else {
        format!("{}: {message}", fault.path)
    }
}

/// Prints a result: `value` for programs, `lines` for people.
pub fn print(json: bool, value: &Value, lines: &str) {
    let text = if json {
        value.to_string()
    } else {
        lines.trim_end_matches('\n').to_owned()
    };
    if !text.is_empty() {
        line(&mut io::stdout(), &text);
    }
}

/// A remark for people, on standard error: it never mixes with the result.
pub fn remark(json: bool, text: &str) {
    if !json {
        line(&mut io::stderr(), text);
    }
}

/// A reader who has gone away is no reason to fail.
fn line(to: &mut dyn Write, text: &str) {
    let _ = writeln!(to, "{text}").and_then(|()| to.flush());
}

/// A number with its noun: `1 file`, `2 files`, `2 entries`.
pub fn counted(count: impl TryInto<u64>, one: &str, several: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    }
}

/// Columns for people: each as wide as its longest cell.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells
            .chain(headings.get(column).map(|heading| heading.chars().count()))
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let mut text = String::new();
    for row in std::iter::once(&headings).chain(rows) {
        let mut written = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let padding = width.saturating_sub(cell.chars().count()) + 2;
            written.push_str(cell);
            written.push_str(&" ".repeat(padding));
        }
        text.push_str(written.trim_end());
        text.push('\n');
    }
    text
}
