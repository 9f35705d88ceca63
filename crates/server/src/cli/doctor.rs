//! `doctor`: problems of this installation, and how to fix them.
//!
//! Only reads: it creates neither a database nor a key. Each check is independent, so that one problem does not hide
//! the next.

mod files;
mod installation;
mod seals;
mod surroundings;

use std::process::ExitCode;

use clap::Args;
use serde_json::json;

pub use self::files::missing_files;
pub use self::seals::unusable_keys;
use super::Context;
use crate::output::{Failure, exit_code, joined, print};

/// Find what is wrong with this installation, and how to fix it; exit code 0 if nothing is wrong
#[derive(Debug, Args)]
pub struct Doctor;

const TEMPLATES: &str = "mail templates";

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Works, but the operator should know about it.
    Note,
    Wrong,
}

struct Finding {
    check: &'static str,
    state: State,
    detail: String,
    remedy: String,
}

/// Whether this machine's clock is plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClockCheck {
    Plausible,
    /// The clock is behind a time that this installation has recorded.
    Behind,
}

/// Findings in the order of the checks.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn good(&mut self, check: &'static str, detail: impl Into<String>) {
        self.add(check, State::Good, detail, "");
    }

    fn note(&mut self, check: &'static str, detail: impl Into<String>, remedy: &str) {
        self.add(check, State::Note, detail, remedy);
    }

    fn wrong(&mut self, check: &'static str, detail: impl Into<String>, remedy: &str) {
        self.add(check, State::Wrong, detail, remedy);
    }

    fn add(&mut self, check: &'static str, state: State, detail: impl Into<String>, remedy: &str) {
        self.0.push(Finding {
            check,
            state,
            detail: detail.into(),
            remedy: remedy.to_owned(),
        });
    }
}

impl Doctor {
    pub fn run(context: &Context) -> Result<ExitCode, Failure> {
        let mut findings = Findings::default();
        let found = &mut findings;
        if installation::folder(&context.place.data, found) {
            installation::unfinished_restore(&context.place.data, found);
            installation::disk(context, found);
            let store = installation::database(context, found)?;
            let mut clock = ClockCheck::Plausible;
            if let Some(store) = &store {
                clock = installation::clock(store, found)?;
                installation::backups(store, found)?;
                installation::undelivered(store, found)?;
            }
            let vault = installation::master_key(context, store.as_ref(), found);
            if let (Some(store), Some(vault)) = (store, vault)
                && let Some(blobs) = files::files(context, &store, found)
            {
                seals::seal_keys(context, store, blobs, vault, clock, found)?;
            }
        }
        surroundings::workers(context, found);
        surroundings::fonts(context, found);
        surroundings::open_files(context, found);
        surroundings::mail(context, found)?;
        surroundings::mail_templates(context, found);
        surroundings::messenger(context, found);
        surroundings::address(context, found)?;

        let healthy = findings.0.iter().all(|finding| finding.state != State::Wrong);
        let word = |state| match state {
            State::Good => "good",
            State::Note => "note",
            State::Wrong => "wrong",
        };
        let values: Vec<_> = findings
            .0
            .iter()
            .map(|finding| {
                json!({
                    "check": finding.check,
                    "state": word(finding.state),
                    "detail": finding.detail,
                    "remedy": finding.remedy,
                })
            })
            .collect();
        let mut lines = Vec::new();
        for finding in &findings.0 {
            lines.push(format!(
                "{:<6}{:<14}{}",
                word(finding.state),
                finding.check,
                finding.detail
            ));
            if !finding.remedy.is_empty() {
                lines.push(format!("{:20}→ {}", "", finding.remedy));
            }
        }
        print(
            context.json,
            &json!({"healthy": healthy, "checks": values}),
            &joined(&lines),
        );
        Ok(exit_code(healthy))
    }
}
