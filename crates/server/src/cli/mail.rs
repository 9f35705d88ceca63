//! `mail test` and `mail bounced`.

use std::io::{self, Read};
use std::process::ExitCode;

use app::mail::{self, MailKind, OutgoingMail};
use app::mail_sample::{self, Links};
use clap::Subcommand;
use delivery::mailer::MailFault;
use delivery::{Mailer, bounce};
use domain::{Clock, CompanyId, Contact, Language, Region};
use serde_json::json;
use store::company::Style;

use super::{Context, company_id, language};
use crate::environment::{SystemClock, SystemRandom};
use crate::output::{Failure, exit_code, print, strangers};

/// Send test mails, and record mails that were returned
#[derive(Debug, Subcommand)]
pub enum Mail {
    /// Send a test mail and show the mail server's response; exit code 0 if the server accepted the mail
    Test {
        /// The address to send it to
        #[arg(long, value_name = "ADDRESS")]
        to: String,
        /// The kind of mail: request, reminder, returned, completed, rejected, canceled, expired, code, stopped
        #[arg(long, default_value = "request", value_parser = kind)]
        kind: MailKind,
        /// The language: ko, en, ja; the company's if omitted
        #[arg(long, value_parser = language)]
        lang: Option<Language>,
        /// Send it on behalf of this company: with its name, logo, colour, sender name and reply address
        #[arg(long, value_name = "ID", value_parser = company_id)]
        company: Option<CompanyId>,
    },
    /// Read a delivery report (RFC 3464) from standard input and record on its workflow that the mail was returned
    ///
    /// For the mailbox of mail.smtp.from: the mail server pipes incoming mail into this command. The exit code is 0
    /// even if the mail is not a delivery report, so that the mail server does not return it.
    Bounced,
}

fn kind(text: &str) -> Result<MailKind, String> {
    MailKind::parse(text).ok_or_else(|| format!("use one of {}", MailKind::ALL.map(MailKind::word).join(", ")))
}

impl Mail {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let Mail::Test {
            to,
            kind,
            lang,
            company,
        } = self
        else {
            return bounced(context);
        };
        let configuration = &context.place.configuration;
        let Some(settings) = configuration.mail()? else {
            return Err(Failure::Other(
                "no SMTP server is configured; set mail.smtp.host and mail.smtp.from".to_owned(),
            ));
        };
        let templates = configuration.mail_templates();
        if let Some(fault) = templates.faults().first() {
            return Err(Failure::Other(format!(
                "a mail template cannot be used: {fault}; `countersign doctor` lists all of them"
            )));
        }
        let contact = Contact::parse(&to, Region::default())
            .ok()
            .filter(|contact| matches!(contact, Contact::Email(_)));
        let contact = contact.ok_or_else(|| Failure::Other(format!("{to:?} is not an e-mail address")))?;
        let (company, app) = match company {
            Some(id) => {
                let app = context.open()?.app;
                (Some(app.company(&id)?), Some(app))
            }
            None => (None, None),
        };
        let style = company
            .as_ref()
            .map_or_else(Style::default, |company| company.style.clone());
        let chosen = lang
            .or(company.as_ref().map(|company| company.language))
            .unwrap_or_default();
        let now = SystemClock.now();
        let links = Links::below(&configuration.app(None)?.public_url);
        let mut notification =
            mail_sample::notification(&style, &contact, chosen, mail_sample::rich(kind, chosen, &links, now));
        if let Some(company) = &company {
            notification.company_name = &company.name;
            notification.zone = company.zone;
        }
        let mail = mail::write(&templates, &notification)?;
        let logo = match (&app, &company, mail.logo_hash()) {
            (Some(app), Some(company), Some(hash)) => Some(app.company_logo(&company.id, &hash)?),
            _ => None,
        };
        let server = format!("{}:{}", settings.host, settings.port);
        let mailer = Mailer::new(&settings).map_err(|fault| Failure::Other(fault.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::Other(error.to_string()))?;
        let id = app::new_event_id(&SystemRandom);
        let sent: Result<String, MailFault> = runtime.block_on(mailer.send(&mail, logo, &id, now));
        // Connections must be dropped inside their runtime.
        runtime.block_on(async move { drop(mailer) });
        Ok(outcome(context, &server, &mail, &sent))
    }
}

/// Prints the mail server's response. The exit code says whether the server accepted the mail.
fn outcome(context: &Context, server: &str, mail: &OutgoingMail, sent: &Result<String, MailFault>) -> ExitCode {
    let (taken, code, words) = match sent {
        Ok(words) => (true, None, words.clone()),
        Err(fault) => (false, fault.code, fault.words.clone()),
    };
    let value = json!({
        "taken": taken,
        "server": server,
        "to": mail.to,
        "subject": mail.subject,
        "code": code,
        "answer": words,
    });
    let verb = if taken { "accepted" } else { "did not accept" };
    print(
        context.json,
        &value,
        &strangers(&format!("{server} {verb} the mail to {}: {words}", mail.to)),
    );
    exit_code(taken)
}

fn bounced(context: &Context) -> Result<ExitCode, Failure> {
    let mut report = Vec::new();
    io::stdin()
        .lock()
        .take(bounce::LONGEST_REPORT as u64)
        .read_to_end(&mut report)
        .map_err(|error| Failure::Other(format!("the report cannot be read from standard input: {error}")))?;
    let tell = |recorded, text: String| {
        let value = json!({"recorded": recorded, "reason": if recorded { "" } else { text.as_str() }});
        print(context.json, &value, &strangers(&text));
        Ok(ExitCode::SUCCESS)
    };
    let bounce = match bounce::read(&report) {
        Ok(bounce) => bounce,
        Err(reason) => return tell(false, format!("nothing was recorded: {reason}")),
    };
    let app = context.open()?.app;
    if app.mail_came_back(&bounce.event_id, bounce.code, &bounce.words)? {
        let code = bounce.code.map(|code| format!(" with code {code}")).unwrap_or_default();
        tell(true, format!("recorded: {} bounced{code}", bounce.event_id))
    } else {
        let id = &bounce.event_id;
        tell(
            false,
            format!("nothing was recorded: no mail with the ID {id} was sent, or its bounce was already recorded"),
        )
    }
}
