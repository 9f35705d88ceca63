//! Checks whether every company can seal, now and until its documents expire.

use std::sync::Arc;

use app::{App, AskedAuthority, Parts, ProofLack, SealEnd, SealKeyFault, Vault};
use blobs::Blobs;
use document::pki::keys::{KeyError, Signer};
use domain::Clock;
use store::Store;

use super::{ClockCheck, Findings, State, TEMPLATES};
use crate::cli::Context;
use crate::documents::Workers;
use crate::environment::{SystemClock, SystemRandom};
use crate::opened::{network, tokens};
use crate::output::Failure;

/// A seal certificate that expires sooner is an error.
const LAST_DAYS: i64 = 7;

pub(super) fn seal_keys(
    context: &Context,
    store: Store,
    blobs: Blobs,
    vault: Vault,
    clock: ClockCheck,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let check = "seal keys";
    let app = App::new(Parts {
        store,
        blobs,
        documents: Arc::new(Workers::new(&context.place.configuration.documents)),
        space: Arc::new(context.place.volumes()),
        clock: Arc::new(SystemClock) as Arc<dyn Clock>,
        random: Arc::new(SystemRandom),
        network: Arc::new(network(&context.place.configuration)?),
        tokens: tokens(&context.place.configuration)?,
        vault,
        settings: context.place.configuration.app(None)?,
    });
    let companies = app.companies()?;
    if companies.is_empty() {
        findings.note(
            check,
            "there is no company yet",
            "run countersign company add ID --name NAME",
        );
        return Ok(());
    }
    let unusable = unusable_keys(&app)?;
    for key in &unusable {
        let remedy = match clock {
            ClockCheck::Behind if key.is_about_time => "set the machine's clock first; the certificate may be valid",
            _ => &key.remedy,
        };
        findings.wrong(check, &key.detail, remedy);
    }
    if unusable.is_empty() {
        findings.good(check, format!("{} usable", companies.len()));
    }
    seal_ends(&app, findings)?;
    met_template_faults(&app, findings)?;
    time_stamps(&app, findings)
}

/// A seal key that cannot be used.
pub struct UnusableKey {
    pub detail: String,
    pub remedy: String,
    /// Whether the key is refused because of the current time.
    pub is_about_time: bool,
    /// Whether the key is in a token, which another machine may not have.
    pub is_of_token: bool,
}

/// Tries the seal key of every company.
pub fn unusable_keys(app: &App) -> Result<Vec<UnusableKey>, Failure> {
    let mut unusable = Vec::new();
    for company in app.companies()? {
        let signed = app
            .usable_seal_key(&company.id)
            .and_then(|key| Ok(key.sign(b"doctor")?));
        if let Err(fault) = signed {
            unusable.push(UnusableKey {
                detail: format!("company {} cannot seal: {fault}", company.id),
                remedy: key_remedy(&fault),
                is_about_time: matches!(fault, SealKeyFault::Key(KeyError::NotInItsTime { .. })),
                is_of_token: matches!(
                    fault,
                    SealKeyFault::Key(KeyError::PinRefused { .. } | KeyError::TokenAway(_) | KeyError::Token(_))
                ),
            });
        }
    }
    Ok(unusable)
}

/// Reports certificates that expire soon. In the last week this is an error, because documents may run longer.
fn seal_ends(app: &App, findings: &mut Findings) -> Result<(), Failure> {
    for SealEnd {
        company,
        at,
        is_renewable,
    } in app.seal_ends()?
    {
        let days = at.duration_since(app.now()).as_hours() / 24;
        let detail = format!(
            "the seal certificate of company {company} expires at {at}, in {days} days: documents with a later deadline are refused"
        );
        let remedy = if is_renewable {
            format!("run countersign company key renew --company {company}")
        } else {
            format!(
                "get a new certificate from its authority, then countersign company key import --company {company} \
                 (or use-token)"
            )
        };
        let state = if days < LAST_DAYS { State::Wrong } else { State::Note };
        findings.add("seal ends", state, detail, &remedy);
    }
    Ok(())
}

/// Reports errors that the operator's templates caused while mails were written.
fn met_template_faults(app: &App, findings: &mut Findings) -> Result<(), Failure> {
    for met in app.met_template_faults()? {
        findings.wrong(
            TEMPLATES,
            format!("{}; the built-in mail was sent instead at {}", met.fault, met.at),
            "fix the file and restart the server",
        );
    }
    Ok(())
}

fn key_remedy(fault: &SealKeyFault) -> String {
    match fault {
        SealKeyFault::Key(KeyError::PinRefused { .. }) => {
            "set pkcs11.pin_file to a file with the token's user PIN; we tried the current PIN only once"
        }
        SealKeyFault::Key(KeyError::TokenAway(_)) => {
            "connect the token, and check that pkcs11.module is its vendor's library; no restart is needed"
        }
        SealKeyFault::Key(KeyError::Token(_)) => {
            "check that the token contains the key, and that pkcs11.module is its vendor's library"
        }
        SealKeyFault::Missing => "run countersign company key renew --company ID",
        SealKeyFault::Key(KeyError::NotInItsTime { not_before, at, .. }) if at < not_before => {
            "check this machine's clock, because the certificate is not valid yet; if the clock is right, wait, or import another certificate"
        }
        SealKeyFault::Key(KeyError::NotInItsTime { .. }) => {
            "check this machine's clock; if it is right, run countersign company key renew --company ID"
        }
        SealKeyFault::Key(KeyError::NotForSealing(_) | KeyError::BrokenChain { .. }) => {
            "run countersign company key import with a certificate for signing documents, or countersign company key renew"
        }
        _ => "restore the database and master key from the same backup",
    }
    .to_owned()
}

fn time_stamps(app: &App, findings: &mut Findings) -> Result<(), Failure> {
    let check = "timestamps";
    let asked = app.ask_time_stamp_authorities()?;
    if asked.is_empty() {
        findings.note(
            check,
            "there is no time-stamp authority, so documents are sealed at level B-B, and nothing proves the time of a seal",
            "set sealing.tsa_url to the address of an authority (RFC 3161)",
        );
    }
    for AskedAuthority { url, fault, lack } in asked {
        if let Some(fault) = fault {
            findings.wrong(
                check,
                format!("{url}: {fault}"),
                "fix sealing.tsa_url, or wait; until then, sealing.when_tsa_is_down decides how documents are sealed",
            );
            continue;
        }
        findings.good(check, format!("{url} issues timestamps"));
        match lack {
            None => findings.good(
                "proofs",
                format!("the timestamps of {url} support long-term validation (B-LT, B-LTA)"),
            ),
            Some(lack) => lacking(findings, &format!("the timestamps of {url}"), &lack),
        }
    }
    for company in app.companies()? {
        // An unusable key is already reported.
        if let Ok(Some(lack)) = app.lack_of_seal_proofs(&company.id) {
            lacking(findings, &format!("the seals of company {}", company.id), &lack);
        }
    }
    match &app.settings.sealing.revocation_list_url {
        Some(url) => findings.good("revocation", format!("new seal certificates contain the address {url}")),
        None => findings.note(
            "revocation",
            "new seal certificates do not contain the address of the root's revocation list",
            "set server.public_url or sealing.revocation_list_url before you add companies",
        ),
    }
    Ok(())
}

/// Reports what is missing for long-term proof of certificates.
fn lacking(findings: &mut Findings, whose: &str, lack: &ProofLack) {
    let check = "proofs";
    match lack {
        ProofLack::NotNow(fault) => findings.wrong(
            check,
            format!("{whose} cannot get long-term validation data now: {fault}"),
            "let this machine reach that address; add hosts in your own network to sealing.private_hosts",
        ),
        ProofLack::Refused(fault) => findings.wrong(
            check,
            format!("{whose} cannot be validated: {fault}"),
            "ask the authority that issued the certificate; if it is revoked, use another key or time-stamp authority",
        ),
        ProofLack::Issuer => findings.note(
            check,
            format!(
                "{whose} do not support long-term validation, because an issuer's certificate is missing and no address for it is given"
            ),
            "provide the whole certificate chain, use another authority, or set sealing.level = \"B-T\"",
        ),
        ProofLack::NoSource => findings.note(
            check,
            format!(
                "{whose} do not support long-term validation: a certificate names neither a revocation list nor an OCSP responder"
            ),
            "use an authority whose certificates name one, or set sealing.level = \"B-T\"",
        ),
    }
}
