//! Checks the limits of the machine and what the configuration names: document workers, fonts, mail, messengers, the
//! public URL.

use std::sync::Arc;

use delivery::guarded_client::{GuardedClient, Limits, SystemLookup};
use delivery::mailer::{MailSettings, Mailer};
use delivery::messenger::kinds;
use document_worker::confinement::Degree;
use domain::public_address::{AddressRules, CallbackUrl};

use super::{Findings, TEMPLATES};
use crate::cli::Context;
use crate::documents::Workers;
use crate::file_limit::FileLimit;
use crate::output::Failure;

/// Checks whether enough files may be open at once. A service may differ, because its unit has its own limits.
pub(super) fn open_files(context: &Context, findings: &mut Findings) {
    let check = "open files";
    let limit = FileLimit::attainable(context.place.configuration.files());
    let (files, connections) = (limit.files, limit.connections());
    let detail = format!("{files} files can be open at once, for up to {connections} connections");
    if limit.is_too_low() {
        let detail = format!("{detail}, but the rest of the server needs {} files", limit.reserved);
        findings.wrong(
            check,
            detail,
            "raise the limit: LimitNOFILE=65536 in the service's unit, or `ulimit -Hn 65536`",
        );
    } else {
        findings.good(check, detail);
    }
}

pub(super) fn workers(context: &Context, findings: &mut Findings) {
    let check = "workers";
    let workers = Workers::new(&context.place.configuration.documents);
    match workers.pool().and_then(document_worker::Pool::confinement) {
        Ok(confinement) => {
            let degree = |degree| match degree {
                Degree::Full => "full",
                Degree::Partial => "partial",
                Degree::None => "none",
            };
            let word = |limited| if limited { "limited" } else { "not limited" };
            let detail = format!(
                "a document worker started; memory and time {}, file system protection {}, system calls {}",
                word(confinement.resources),
                degree(confinement.file_system),
                word(confinement.system_calls)
            );
            if confinement.resources && confinement.system_calls && confinement.file_system == Degree::Full {
                findings.good(check, detail);
            } else {
                findings.note(
                    check,
                    detail,
                    "use a newer Linux kernel (with Landlock and seccomp) to confine workers better",
                );
            }
        }
        Err(error) => findings.wrong(
            check,
            error.to_string(),
            "let countersign start itself as a child process; check the limits on processes and memory",
        ),
    }
}

pub(super) fn mail_templates(context: &Context, findings: &mut Findings) {
    if context.place.configuration.mail.templates_folder.is_none() {
        return;
    }
    let templates = context.place.configuration.mail_templates();
    for fault in templates.faults() {
        findings.wrong(
            TEMPLATES,
            fault.to_string(),
            "fix the file or remove it from mail.templates_folder; the server does not start until then",
        );
    }
    let used = templates.overrides().count();
    if templates.faults().is_empty() {
        findings.good(TEMPLATES, format!("{used} built-in ones replaced"));
    }
}

pub(super) fn mail(context: &Context, findings: &mut Findings) -> Result<(), Failure> {
    let check = "mail";
    match context.place.configuration.mail()? {
        None => findings.note(
            check,
            "no SMTP server is configured, so mails stay in the outbox; see them on the outbox page",
            "set mail.smtp.host and mail.smtp.from to send them",
        ),
        Some(settings) => {
            let server = format!("{}:{}", settings.host, settings.port);
            match reach(&settings) {
                Ok(()) => findings.good(check, format!("{server} answers")),
                Err(reason) => findings.wrong(
                    check,
                    format!("{server} cannot be used: {reason}"),
                    "start the mail server, or fix [mail.smtp]; until then, mails wait and are retried",
                ),
            }
        }
    }
    Ok(())
}

/// Connects to the mail server and sends the greeting.
fn reach(settings: &MailSettings) -> Result<(), String> {
    in_runtime(async {
        let mailer = Mailer::new(settings).map_err(|fault| fault.to_string())?;
        mailer.check().await.map_err(|fault| fault.to_string())
    })
}

pub(super) fn messenger(context: &Context, findings: &mut Findings) {
    let check = "messenger";
    let messengers = match context.place.configuration.messengers() {
        Ok(messengers) => messengers,
        Err(fault) => {
            findings.wrong(
                check,
                fault.to_string(),
                "fix [messenger.NAME]; docs/messengers.md has examples",
            );
            return;
        }
    };
    let Some(messengers) = messengers else {
        findings.note(
            check,
            "no gateway is configured, so text messages stay in the outbox; see them on the outbox page",
            "pass them on from the outbox page, set [messenger.NAME], or use e-mail addresses for signers",
        );
        return;
    };
    for gateway in messengers.gateways() {
        let detail = format!(
            "{} at {}, numbers: {}",
            gateway.name(),
            gateway.address(),
            gateway.numbers()
        );
        let missing: Vec<&str> = kinds().filter(|kind| !gateway.carries(kind)).collect();
        if missing.is_empty() {
            findings.good(
                check,
                format!("{detail}; test it with `countersign messenger test --to NUMBER`"),
            );
        } else {
            findings.note(
                check,
                format!("{detail}; no template for {}", missing.join(", ")),
                "these messages use the next gateway, if there is one; set templates in messenger.NAME.templates",
            );
        }
    }
    // Messages without a gateway for their kind stay in the outbox.
    for kind in kinds() {
        if messengers.reaches(kind).is_empty() {
            findings.note(
                check,
                format!("no gateway accepts messages of the kind {kind}, so they stay in the outbox"),
                "add a template for it, or a gateway that needs none",
            );
        }
    }
}

/// Checks whether the operator's own fonts can be used.
pub(super) fn fonts(context: &Context, findings: &mut Findings) {
    let check = "fonts";
    let Some(folder) = &context.place.configuration.documents.fonts_folder else {
        return;
    };
    let detail = format!("documents.fonts_folder ({})", folder.display());
    match app::load_fonts(Some(folder)) {
        Ok(_) => findings.good(check, format!("{detail} can be used")),
        Err(error) => findings.wrong(
            check,
            format!("{detail} cannot be used: {error}"),
            "fix or remove the file, or correct the setting; the server does not start until then",
        ),
    }
}

/// Checks whether the URL in links uses HTTPS and reaches this server.
pub(super) fn address(context: &Context, findings: &mut Findings) -> Result<(), Failure> {
    let check = "public URL";
    let Some(url) = &context.place.configuration.server.public_url else {
        findings.note(
            check,
            "it is not set, so links begin with the address that the server listens on",
            "set server.public_url to the address that signers use, for example https://sign.example.com",
        );
        return Ok(());
    };
    if url.starts_with("https://") {
        findings.good(check, url);
    } else {
        let detail = format!("{url} is not encrypted");
        findings.note(check, detail, "put a TLS proxy in front of the service and use https");
    }
    match fetch(context, url)? {
        Ok(()) => findings.good(check, format!("this service responds at {url}")),
        // This machine may be unable to reach its own public URL although others can.
        Err(reason) => findings.note(
            check,
            format!("{url} could not be reached from this machine: {reason}"),
            "start the server, check the proxy and DNS, and open the address on another device",
        ),
    }
    Ok(())
}

/// Requests the service's health at its public URL.
fn fetch(context: &Context, url: &str) -> Result<Result<(), String>, Failure> {
    // The operator's own URL may be in a private network.
    let rules = AddressRules {
        allow_private: true,
        ..AddressRules::default()
    };
    let egress = context.place.configuration.egress()?;
    Ok(in_runtime(async {
        let address = CallbackUrl::parse(&format!("{}/healthz", url.trim_end_matches('/')), &rules)
            .map_err(|fault| fault.to_string())?;
        let client = GuardedClient::through(&egress, rules, Limits::default(), Arc::new(SystemLookup))
            .map_err(|fault| fault.to_string())?;
        let answer = client.get(&address).await.map_err(|fault| fault.to_string())?;
        match answer.status {
            200 if answer.start.starts_with(br#"{"status":"ok"}"#) => Ok(()),
            200 => Err("another service responds there".to_owned()),
            status => Err(format!("the response to GET /healthz has status {status}")),
        }
    }))
}

/// Runs network work and drops its connections inside their runtime.
fn in_runtime<T>(work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(work)
}
