//! `company erase-person`.

use std::process::ExitCode;

use app::{App, ErasedPerson};
use clap::Args;
use domain::{CompanyId, WorkflowId};
use serde_json::json;

use super::company_id;
use crate::output::{Failure, counted, joined, print};

/// Erase a person from a company's finished documents
#[derive(Debug, Args)]
pub struct ErasePerson {
    /// The company's ID
    #[arg(value_parser = company_id)]
    id: CompanyId,
    /// The person's e-mail address or phone number
    contact: String,
}

impl ErasePerson {
    pub fn run(&self, app: &App, is_json: bool) -> Result<ExitCode, Failure> {
        let erased = app.erase_person(&app.operator(&self.id)?, &self.contact)?;
        let numbers = |ids: &[WorkflowId]| ids.iter().map(|id| id.get()).collect::<Vec<_>>();
        let value = json!({
            "workflows": erased.workflows,
            "texts": erased.texts,
            "under_way": numbers(&erased.under_way),
            "of_format_1": numbers(&erased.of_format_one),
            "messages_left": erased.messages_left,
        });
        print(is_json, &value, &joined(&lines(&erased)));
        Ok(ExitCode::SUCCESS)
    }
}

fn lines(erased: &ErasedPerson) -> Vec<String> {
    let listed = |ids: &[WorkflowId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let mut lines = vec![format!(
        "{} erased from {}; history certificates were created again without this person",
        counted(erased.texts, "text", "texts"),
        counted(erased.workflows, "document", "documents"),
    )];
    if erased.workflows > 0 {
        lines.push("The sealed documents were not changed, because they are what the signers agreed to".to_owned());
    }
    if !erased.under_way.is_empty() {
        lines.push(format!(
            "Not erased, because they are still in progress: {}",
            listed(&erased.under_way)
        ));
    }
    if !erased.of_format_one.is_empty() {
        lines.push(format!(
            "Cannot be erased, because an earlier version started them: {}",
            listed(&erased.of_format_one)
        ));
    }
    if erased.messages_left > 0 {
        lines.push(format!(
            "{} still being delivered: run the command again later",
            counted(erased.messages_left, "message is", "messages are")
        ));
    }
    lines
}
