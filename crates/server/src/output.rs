//! The output of commands: lines for people, or one JSON value for programs. Errors go to standard error in the same
//! form.
//!
//! Much of the output is text from outside: the response of an endpoint, the message of a mail server, names in a PDF.
//! Some characters are commands to a terminal (ECMA-48: C0, DEL and C1), others reverse the text around them. So all
//! output goes through [`line`], which writes such characters as `\\u001b`. Inside JSON that means the same, and to a
//! terminal it means nothing. Line ends are ours, because [`strangers`] keeps text from outside on one line.

use std::io::{self, Write};
use std::process::ExitCode;

use app::FaultCode;
use domain::Language;
use serde_json::{Value, json};

use crate::backup::BackupFault;
use crate::configuration::ConfigurationFault;
use crate::opened::{ELSEWHERE, OpenFault, Place};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{}", describe(.0))]
    App(#[from] app::Error),
    /// Missing in this installation, but perhaps it is in another one.
    #[error("{}\n  Looked for in {place}; {ELSEWHERE}.", .error.message(Language::En))]
    NotFound {
        error: app::Error,
        /// The installation that was searched.
        place: String,
    },
    #[error(transparent)]
    Open(#[from] OpenFault),
    #[error(transparent)]
    Configuration(#[from] ConfigurationFault),
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    #[error("{0}")]
    Other(String),
}

impl From<BackupFault> for Failure {
    fn from(fault: BackupFault) -> Failure {
        match fault {
            BackupFault::App(error) => Failure::App(error),
            BackupFault::Open(fault) => Failure::Open(fault),
            other => Failure::Other(other.to_string()),
        }
    }
}

impl Failure {
    /// Returns the error for a file that cannot be read or written.
    pub fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> Failure {
        let path = path.display().to_string();
        move |source| Failure::File { path, source }
    }

    /// Adds the installation that the command used, because a missing thing may be in another one.
    pub fn within(self, place: &Place) -> Failure {
        match self {
            Failure::App(error @ app::Error::NotFound(_)) => Failure::NotFound {
                error,
                place: place.named(),
            },
            other => other,
        }
    }

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
                Failure::App(error) | Failure::NotFound { error, .. } => error.id(),
                _ => "failed",
            };
            let value = json!({"error": {"code": code, "message": self.to_string(), "errors": errors}});
            line(&mut io::stderr(), &value.to_string());
        } else {
            line(&mut io::stderr(), &format!("countersign: {self}"));
        }
    }
}

/// Describes an error for an operator, with the cause of an internal error, which API clients never see, and each
/// validation error on its own line.
fn describe(error: &app::Error) -> String {
    match error {
        app::Error::Internal { .. }
        | app::Error::OutcomeUnknown(_)
        | app::Error::FileLost(_)
        | app::Error::NotSealable(_)
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
    // The intake's message is complete next to the file's name.
    let reason = (fault.code == FaultCode::DocumentRefused)
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

/// Prints a remark for people on standard error, so that it never mixes with the result.
pub fn remark(json: bool, text: &str) {
    if !json {
        line(&mut io::stderr(), text);
    }
}

/// Prints a line on standard output, for commands without any other output.
pub fn announce(text: &str) {
    line(&mut io::stdout(), text);
}

/// Writes text without terminal commands. It is not an error if the reader has gone away.
fn line(to: &mut dyn Write, text: &str) {
    let _ = writeln!(to, "{}", harmless(text, &['\n'])).and_then(|()| to.flush());
}

/// Returns text from a stranger for use on its own line or within one of ours.
pub fn strangers(text: &str) -> String {
    harmless(text, &[])
}

/// Joins lines. Each of them stays one line.
pub fn joined(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| strangers(line)).collect();
    lines.join("\n")
}

/// Escapes the terminal commands in a text, except the characters in `but`.
fn harmless(text: &str, but: &[char]) -> String {
    let mut written = String::with_capacity(text.len());
    for character in text.chars() {
        let is_harmful = character.is_control() || domain::text::is_direction_control(character);
        if is_harmful && !but.contains(&character) {
            // All of these characters have four hex digits.
            let _ = std::fmt::Write::write_fmt(&mut written, format_args!("\\u{:04x}", u32::from(character)));
        } else {
            written.push(character);
        }
    }
    written
}

/// Returns a number with its noun: `1 file`, `2 files`, `2 entries`.
pub fn counted(count: impl TryInto<u64>, one: &str, several: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {one}"),
        count => format!("{count} {several}"),
    }
}

/// Returns columns for people, each as wide as its longest cell.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    // A cell that contains line ends could forge rows.
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| strangers(cell)).collect())
        .collect();
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
    for row in std::iter::once(&headings).chain(&rows) {
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

/// Returns the exit code of a check.
pub fn exit_code(is_good: bool) -> ExitCode {
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_printed_commands_a_terminal() {
        let said = "a\u{1b}]0;title\u{7}b\u{9b}2Jc\rd\u{7f}e\u{202e}f\tg 김민준\n";
        let mut printed = Vec::new();
        line(&mut printed, said);
        let printed = String::from_utf8(printed).expect("text");
        assert_eq!(
            printed,
            "a\\u001b]0;title\\u0007b\\u009b2Jc\\u000dd\\u007fe\\u202ef\\u0009g 김민준\n\n"
        );
        assert!(!strangers(said).contains('\n'), "a stranger begins no line");
        // Escaping does not change the meaning of JSON.
        let mut json = Vec::new();
        line(&mut json, &json!({ "said": said }).to_string());
        assert!(
            !json
                .iter()
                .any(|byte| (*byte < 0x20 && *byte != b'\n') || *byte == 0x7f)
        );
        let read: Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(read["said"], said);
    }

    #[test]
    fn a_cell_of_a_table_stays_in_its_row() {
        let rows = vec![vec!["a\nb".to_owned(), "\u{1b}[2J".to_owned()]];
        assert_eq!(table(&["ONE", "TWO"], &rows).lines().count(), 2);
    }
}
