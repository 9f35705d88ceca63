//! `webhook list`, `webhook pause`, `webhook start`, `webhook test`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{App, EndpointPaused, WebhookTestRequest, WebhookTested, callback_address};
use clap::Subcommand;
use serde_json::{Value, json};

use super::{Context, OfCompany};
use crate::output::{Failure, exit_code, joined, print, table};

/// List, pause, start and test webhook endpoints
#[derive(Debug, Subcommand)]
pub enum Webhook {
    /// List the endpoints that fail or were stopped
    List {
        #[command(flatten)]
        of: OfCompany,
    },
    /// Send nothing to an endpoint until it is started again; its webhooks are held until then
    Pause {
        #[command(flatten)]
        of: OfCompany,
        /// The endpoint's URL
        url: String,
    },
    /// Start a stopped endpoint again and send its held webhooks
    Start {
        #[command(flatten)]
        of: OfCompany,
        /// The endpoint's URL, as `webhook list` shows it
        url: String,
    },
    /// Send one signed test delivery to an endpoint and show its response; exit code 0 if it was received
    Test {
        #[command(flatten)]
        of: OfCompany,
        /// The endpoint's URL
        url: String,
        /// The API client whose secret signs the delivery; the company's default client if omitted
        #[arg(long, value_name = "CLIENT_ID")]
        client: Option<String>,
        /// A file whose first line is the value of the Authorization header
        #[arg(long, value_name = "FILE")]
        authorization_file: Option<PathBuf>,
    },
}

impl Webhook {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let app = context.open()?.app;
        match self {
            Webhook::List { of } => list(&app, &of, context.json)?,
            Webhook::Pause { of, url } => {
                let paused = app.pause_endpoint(&of.operator(&app)?, &callback_address(&url)?)?;
                let EndpointPaused { url, held, known } = &paused;
                let unknown = if *known {
                    ""
                } else {
                    "; no document uses it yet, so check its spelling"
                };
                print(
                    context.json,
                    &json!(paused),
                    &format!("{url} is paused; webhooks held now: {held}{unknown}"),
                );
            }
            Webhook::Start { of, url } => {
                let url = callback_address(&url)?;
                let held = app.start_endpoint(&of.operator(&app)?, &url)?;
                let url = url.as_str();
                let value = json!({"url": url, "held": held});
                print(
                    context.json,
                    &value,
                    &format!("{url} is started; webhooks that were held: {held}"),
                );
            }
            Webhook::Test {
                of,
                url,
                client,
                authorization_file,
            } => return test(&app, &of, &url, client, authorization_file.as_deref(), context.json),
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(app: &App, of: &OfCompany, as_json: bool) -> Result<(), Failure> {
    let operator = of.operator(app)?;
    let zone = operator.zone();
    let endpoints = app.failing_endpoints(&operator)?;
    let moment = |at| domain::time::format_with_zone(at, zone);
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
            let failing = endpoint.failing_since.map(moment).unwrap_or_default();
            vec![endpoint.url.clone(), failing, stopped]
        })
        .collect();
    print(
        as_json,
        &Value::from(values),
        &table(&["URL", "FAILING SINCE", "STOPPED"], &rows),
    );
    Ok(())
}

fn test(
    app: &App,
    of: &OfCompany,
    url: &str,
    client: Option<String>,
    authorization_file: Option<&Path>,
    as_json: bool,
) -> Result<ExitCode, Failure> {
    let authorization = match authorization_file {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(Failure::file(path))?;
            text.lines().next().map(str::to_owned)
        }
        None => None,
    };
    let tested = app.test_webhook(
        &of.operator(app)?,
        WebhookTestRequest {
            url: Some(url.to_owned()),
            authorization,
            client_id: client,
            faults: Vec::new(),
        },
    )?;
    print(as_json, &json!(tested), &told(url, &tested));
    Ok(exit_code(tested.delivered))
}

/// Describes the result of a test webhook.
fn told(url: &str, tested: &WebhookTested) -> String {
    let outcome = match (tested.code, &tested.fault) {
        (Some(code), _) if tested.delivered => format!("{url} received it: status {code}"),
        (Some(code), _) => format!("{url} did not accept it: status {code}"),
        (None, fault) => format!("{url} did not respond: {}", fault.as_deref().unwrap_or_default()),
    };
    let details = format!("{} ms, webhook-id {}", tested.duration_ms, tested.webhook_id);
    let mut lines = vec![outcome, details];
    // Indented, so that no line of the response looks like one of ours.
    lines.extend(tested.answer.lines().map(|line| format!("  {line}")));
    joined(&lines)
}
