//! `messenger list`, `messenger test`.

use std::process::ExitCode;

use app::MailTemplates;
use app::mail::{self, MailKind};
use app::mail_sample::{self, Links};
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use delivery::Messengers;
use delivery::messenger::{Outgoing, Report, Verdict, kinds};
use domain::{Clock, Contact, Language, Region};
use serde_json::{Value, json};
use store::company::Style;

use super::Context;
use super::company::region;
use crate::environment::{SystemClock, SystemRandom};
use crate::output::{Failure, exit_code, joined, print, table};

/// List and test the gateways for text messages
#[derive(Debug, Subcommand)]
pub enum Messenger {
    /// List the gateways in the order in which they are tried
    List,
    /// Send a sample message to a number and show the gateway's response; exit code 0 if it was accepted
    Test {
        /// The phone number to send it to
        #[arg(long, value_name = "NUMBER")]
        to: String,
        /// The name of the gateway; if omitted, those that serve the number, in order
        #[arg(long, value_name = "NAME")]
        gateway: Option<String>,
        /// The kind of message, which selects the gateway's template
        #[arg(long, default_value = "request", value_parser = PossibleValuesParser::new(kinds()))]
        kind: String,
        /// The language: ko, en or ja
        #[arg(long, default_value = "ko", value_parser = super::language)]
        language: Language,
        /// The country of a number without a country code: KR, JP or US
        #[arg(long, default_value = "KR", value_parser = region)]
        region: Region,
    },
}

impl Messenger {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let Some(messengers) = context.place.configuration.messengers()? else {
            return Err(Failure::Other(
                "no gateway is configured; set [messenger.NAME] in the configuration file".to_owned(),
            ));
        };
        match self {
            Messenger::List => {
                list(context, &messengers);
                Ok(ExitCode::SUCCESS)
            }
            Messenger::Test {
                to,
                gateway,
                kind,
                language,
                region,
            } => {
                let contact = Contact::parse(&to, region).ok();
                let Some(contact) = contact.filter(|contact| contact.phone().is_some()) else {
                    return Err(Failure::Other(format!("{to} is not a phone number")));
                };
                let mail = sample(context, &contact, &kind, language)?;
                let at = SystemClock.now();
                let message = Outgoing {
                    mail: &mail,
                    event_id: &app::new_event_id(&SystemRandom),
                    at,
                };
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .map_err(|error| Failure::Other(error.to_string()))?;
                let reports = runtime.block_on(async {
                    match &gateway {
                        Some(name) => messengers.send_through(name, message).await,
                        None => messengers.send(message).await,
                    }
                });
                // Connections must be dropped inside their runtime.
                runtime.block_on(async move { drop(messengers) });
                let reports = reports.ok_or_else(|| {
                    Failure::Other(match &gateway {
                        Some(name) => format!(
                            "there is no [messenger.{name}]; run `countersign messenger list` to see the gateways"
                        ),
                        None => format!("no gateway accepts messages of the kind {kind} to {}", mail.to),
                    })
                })?;
                let is_taken = reports.iter().any(|report| report.verdict == Verdict::Taken);
                told(context, &mail.to, is_taken, &reports);
                Ok(exit_code(is_taken))
            }
        }
    }
}

fn list(context: &Context, messengers: &Messengers) {
    let gateways = messengers.gateways();
    let values: Vec<Value> = gateways
        .iter()
        .map(|gateway| {
            let kinds: Vec<&str> = kinds().filter(|kind| gateway.carries(kind)).collect();
            json!({
                "name": gateway.name(),
                "address": gateway.address(),
                "numbers": gateway.reaches(),
                "kinds": kinds,
            })
        })
        .collect();
    let rows: Vec<Vec<String>> = gateways
        .iter()
        .map(|gateway| {
            vec![
                gateway.name().to_owned(),
                gateway.address().to_owned(),
                gateway.numbers(),
            ]
        })
        .collect();
    print(
        context.json,
        &Value::from(values),
        &table(&["NAME", "ADDRESS", "NUMBERS"], &rows),
    );
}

/// Returns a message of this kind about an imaginary document.
fn sample(context: &Context, contact: &Contact, kind: &str, language: Language) -> Result<mail::OutgoingMail, Failure> {
    let configuration = &context.place.configuration;
    let links = Links::below(&configuration.app(None)?.public_url);
    let kind = MailKind::parse(kind).ok_or_else(|| Failure::Other(format!("{kind} is not a kind of message")))?;
    let style = Style::default();
    let occasion = mail_sample::rich(kind, language, &links, SystemClock.now());
    let mut notification = mail_sample::notification(&style, contact, language, occasion);
    notification.company_name = "Countersign";
    Ok(mail::write(&MailTemplates::built_in(), &notification)?)
}

fn told(context: &Context, to: &str, is_taken: bool, reports: &[Report]) {
    let word = |verdict| match verdict {
        Verdict::Taken => "taken",
        Verdict::Refused => "refused",
        Verdict::NotNow => "not taken now",
        Verdict::Unknown => "no clear answer",
    };
    let values: Vec<Value> = reports
        .iter()
        .map(|report| {
            json!({
                "gateway": report.gateway,
                "verdict": word(report.verdict),
                "status": report.status,
                "message_id": report.message_id,
                "words": report.words,
            })
        })
        .collect();
    let lines: Vec<String> = reports
        .iter()
        .map(|report| {
            let status = report.status.map(|status| format!(", status {status}"));
            let status = status.unwrap_or_default();
            format!("{}{status}: {}", word(report.verdict), report.line())
        })
        .collect();
    print(
        context.json,
        &json!({"to": to, "taken": is_taken, "gateways": values}),
        &joined(&lines),
    );
}
