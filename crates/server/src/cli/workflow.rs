//! `workflow list`, `workflow show`.

use std::process::ExitCode;

use app::{ListRequest, WorkflowView};
use clap::{Args, Subcommand};
use domain::WorkflowId;
use serde_json::json;

use super::{Context, OfCompany};
use crate::output::{Failure, joined, print, remark, table};

/// List documents, and show one
#[derive(Debug, Subcommand)]
pub enum Workflow {
    /// List a company's documents, newest first
    List {
        #[command(flatten)]
        of: OfCompany,
        #[command(flatten)]
        filter: Filter,
    },
    /// Show one document: its signers, messages and audit trail
    Show {
        #[command(flatten)]
        of: OfCompany,
        /// The document's ID, as `workflow list` shows it
        id: i64,
    },
}

#[derive(Debug, Args)]
pub struct Filter {
    /// Only documents in this state: Playing, Complete, Rejected, Canceled or Expired
    #[arg(long)]
    status: Option<String>,
    /// Only documents of this template
    #[arg(long, value_name = "TEMPLATE_ID")]
    template: Option<String>,
    /// Only documents started at or after this time: YYYY-MM-DD or 'YYYY-MM-DD HH:MM:SS', in the company's time zone
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Only documents started before this time; a date without a time includes that day
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Only documents whose name contains this text
    #[arg(long)]
    text: Option<String>,
    /// How many documents to list, up to 100
    #[arg(long, default_value = "20")]
    limit: String,
    /// The cursor from the end of the previous list, to continue there
    #[arg(long)]
    cursor: Option<String>,
}

impl Workflow {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Workflow::List { of, filter } => list(context, &of, filter)?,
            Workflow::Show { of, id } => {
                let app = context.open()?.app;
                let view = app.workflow(&of.operator(&app)?, WorkflowId(id))?;
                print(context.json, &json!(view), &lines(&view));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(context: &Context, of: &OfCompany, filter: Filter) -> Result<(), Failure> {
    let app = context.open()?.app;
    let request = ListRequest {
        status: filter.status,
        template_id: filter.template,
        from: filter.from,
        to: filter.to,
        text: filter.text,
        limit: Some(filter.limit),
        cursor: filter.cursor,
        ..ListRequest::default()
    };
    let list = app.workflows(&of.operator(&app)?, &request)?;
    let rows: Vec<Vec<String>> = list
        .workflow_list
        .iter()
        .map(|workflow| {
            vec![
                workflow.workflow_id.to_string(),
                workflow.workflow_name.clone(),
                workflow.status.to_owned(),
                workflow.order.map(|order| order.to_string()).unwrap_or_default(),
                workflow.started_date.clone(),
                workflow.expiry_date.clone(),
            ]
        })
        .collect();
    print(
        context.json,
        &json!(list),
        &table(&["ID", "NAME", "STATUS", "STEP", "STARTED", "EXPIRES"], &rows),
    );
    if let Some(cursor) = &list.next_cursor {
        remark(context.json, &format!("There are more: add --cursor {cursor}"));
    }
    Ok(())
}

fn lines(view: &WorkflowView) -> String {
    let mut lines = vec![
        format!("document   {} ({})", view.workflow_id, view.workflow_name),
        format!("status     {}", view.status),
        format!("started    {}", view.started_date),
        format!("expires    {}", view.expiry_date),
    ];
    if !view.completed_date.is_empty() {
        lines.push(format!("ended      {}", view.completed_date));
    }
    let signers: Vec<Vec<String>> = view
        .steps
        .iter()
        .map(|step| {
            vec![
                step.order.to_string(),
                step.name.clone(),
                step.email.clone(),
                step.status.to_owned(),
                step.date.clone(),
            ]
        })
        .collect();
    let messages: Vec<Vec<String>> = view
        .message_list
        .iter()
        .map(|message| {
            vec![
                message.date.clone(),
                message.channel.to_owned(),
                message.email.clone(),
                message.status.to_owned(),
                message.failure.clone(),
            ]
        })
        .collect();
    let history: Vec<Vec<String>> = view
        .history
        .iter()
        .map(|entry| {
            let about = entry.recipient_name.clone().unwrap_or_default();
            vec![
                entry.date.clone(),
                entry.event.to_owned(),
                entry.actor_name.clone(),
                about,
            ]
        })
        .collect();
    [
        joined(&lines),
        table(&["STEP", "SIGNER", "CONTACT", "STATUS", "DATE"], &signers),
        table(&["DATE", "CHANNEL", "TO", "STATUS", "FAILURE"], &messages),
        table(&["DATE", "EVENT", "BY", "ABOUT"], &history),
    ]
    .join("\n\n")
}
