//! `webhook list`, `webhook start`.

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Context, OfCompany};
use crate::output::{Failure, print, table};

/// Callback addresses that fail or were stopped
#[derive(Debug, Subcommand)]
pub enum Webhook {
    /// List the callback addresses that fail, and those that were stopped
    List {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Send to a stopped address again; what was held meanwhile goes out
    Start {
        #[command(flatten)]
        of: OfCompany,
        /// The address, as `webhook list` shows it
        url: String,
    },
}

impl Webhook {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let app = context.open()?.app;
        match self {
            Webhook::List { of } => {
                let offset = app.company(&of.company)?.offset;
                let endpoints = app.failing_endpoints(&of.company)?;
                let moment = |at| domain::time::format_with_zone(at, offset);
                let values: Vec<Value> = endpoints
                    .iter()
                    .map(|endpoint| {
                        json!({
                            "url": endpoint.url,
                            "failing_since": endpoint.failing_since,
                            "stopped_at": endpoint.stopped.map(|(at, _)| at),
                            "stopped_because": endpoint.stopped.map(|(_, reason)| reason.word()),
                        })
                    })
                    .collect();
                let rows: Vec<Vec<String>> = endpoints
                    .iter()
                    .map(|endpoint| {
                        let stopped = endpoint.stopped.map_or_else(String::new, |(at, reason)| {
                            format!("{} ({})", moment(at), reason.word())
                        });
                        vec![endpoint.url.clone(), moment(endpoint.failing_since), stopped]
                    })
                    .collect();
                print(
                    context.json,
                    &Value::from(values),
                    &table(&["URL", "FAILING SINCE", "STOPPED"], &rows),
                );
            }
            Webhook::Start { of, url } => {
                let Some(held) = app.start_endpoint(&of.company, &url)? else {
                    return Err(Failure::Other(format!(
                        "{url} is not stopped; `webhook list` shows the addresses that are"
                    )));
                };
                let value = json!({"url": url, "held": held});
                print(
                    context.json,
                    &value,
                    &format!("{url} is sent to again; held until now: {held}"),
                );
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
