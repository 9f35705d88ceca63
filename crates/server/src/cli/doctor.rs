//! `doctor`: what is wrong with this installation, and the remedy.
//!
//! Looks and changes nothing: it makes neither database nor key. Each check is independent, so that one fault does not
//! hide the next.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use app::{App, AskedAuthority, FreeSpace, Parts, ProofLack, SealEnd, SealKeyFault, Vault};
use blobs::Blobs;
use clap::Args;
use delivery::mailer::{MailSettings, Mailer};
use delivery::messenger::kinds;
use document::pki::keys::{KeyError, Signer};
use document_worker::confinement::Degree;
use domain::Clock;
use serde_json::json;
use store::Store;

use super::Context;
use crate::documents::Workers;
use crate::environment::{SystemClock, SystemRandom};
use crate::file_limit::FileLimit;
use crate::opened::{UNFINISHED_RESTORE, network, tokens};
use crate::output::{Failure, joined, print};

/// Find what is wrong with this installation, and how to fix it; exit code 0 if nothing is wrong
#[derive(Debug, Args)]
pub struct Doctor;

const TEMPLATES: &str = "mail templates";
/// A seal certificate that ends sooner is an error.
const LAST_DAYS: i64 = 7;
/// A backup that is older is worth a note.
const BACKUP_DAYS: i64 = 7;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// It works, but the operator should know.
    Note,
    Wrong,
}

struct Finding {
    check: &'static str,
    state: State,
    detail: String,
    remedy: String,
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
        if folder(&context.place.data, &mut findings) {
            unfinished_restore(&context.place.data, &mut findings);
            disk(context, &mut findings);
            let store = database(context, &mut findings)?;
            if let Some(store) = &store {
                backups(store, &mut findings)?;
            }
            let vault = master_key(context, store.as_ref(), &mut findings);
            if let (Some(store), Some(vault)) = (store, vault) {
                seal_keys(context, store, vault, &mut findings)?;
            }
        }
        workers(context, &mut findings);
        open_files(context, &mut findings);
        mail(context, &mut findings)?;
        mail_templates(context, &mut findings);
        messenger(context, &mut findings);
        address(context, &mut findings);

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
        Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// Whether enough files may be open at once. A service may differ, because its unit has its own limits.
fn open_files(context: &Context, findings: &mut Findings) {
    let check = "open files";
    let limit = FileLimit::attainable(context.place.configuration.files());
    let (files, connections) = (limit.files, limit.connections());
    let detail = format!("{files} files can be open at once, for up to {connections} connections");
    if limit.is_too_low() {
        let detail = format!("{detail}; the rest of the server needs {}", limit.reserved);
        findings.wrong(
            check,
            detail,
            "raise the limit: LimitNOFILE=65536 in the service's unit, or `ulimit -Hn 65536`",
        );
    } else {
        findings.good(check, detail);
    }
}

/// Whether the data folder can be used or created. Otherwise, there is no need to check its content.
fn folder(data: &Path, findings: &mut Findings) -> bool {
    let check = "data folder";
    let owner = "make the user that runs countersign its owner, or choose another folder with --data";
    let (probed, exists) = match data.try_exists() {
        Ok(true) => (data, true),
        Ok(false) => (nearest_above(data), false),
        Err(error) => {
            findings.wrong(check, format!("{} cannot be read: {error}", data.display()), owner);
            return false;
        }
    };
    if let Err(error) = probed.read_dir() {
        findings.wrong(check, format!("{} cannot be read: {error}", probed.display()), owner);
        return false;
    }
    let probe = probed.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&probe, b"probe").and_then(|()| std::fs::remove_file(&probe)) {
        Ok(()) if exists => findings.good(check, format!("{} is writable", data.display())),
        Ok(()) => findings.note(
            check,
            format!("{} does not exist yet", data.display()),
            "`countersign serve` creates it; use --data for another folder",
        ),
        Err(error) if exists => {
            findings.wrong(
                check,
                format!("{} is not writable: {error}", data.display()),
                "make the user that runs countersign its owner, or free space on its disk",
            );
            return false;
        }
        Err(error) => {
            findings.wrong(
                check,
                format!("{} does not exist and cannot be created: {error}", data.display()),
                "choose another folder with --data",
            );
            return false;
        }
    }
    true
}

/// Whether a restore was interrupted. Until it is done, nothing else opens the installation.
fn unfinished_restore(data: &Path, findings: &mut Findings) {
    if data.join(UNFINISHED_RESTORE).exists() {
        findings.wrong(
            "restore",
            format!("{} contains an unfinished restore of a backup", data.display()),
            "run the same `countersign restore` again, or remove the folder's content",
        );
    }
}

/// Whether there is room for new files and documents.
fn disk(context: &Context, findings: &mut Findings) {
    let check = "disk space";
    let percent = context.place.configuration.documents.least_free_percent;
    for space in context.place.volumes().spaces() {
        let gigabytes = |bytes: u64| format!("{}.{}", bytes / 1_000_000_000, bytes / 100_000_000 % 10);
        let detail = format!(
            "{} of {} GB free on the disk of {}",
            gigabytes(space.free),
            gigabytes(space.total),
            space.place
        );
        if space.is_short(percent) {
            let detail = format!("{detail}, less than {percent} %: new files and documents are refused");
            findings.wrong(
                check,
                detail,
                "free space on the disk, or move the data folder to a larger one",
            );
        } else {
            findings.good(check, detail);
        }
    }
}

/// The nearest existing parent folder, in which a folder would be created.
fn nearest_above(folder: &Path) -> &Path {
    folder
        .ancestors()
        // The first is the folder itself.
        .skip(1)
        .map(|above| {
            if above.as_os_str().is_empty() {
                Path::new(".")
            } else {
                above
            }
        })
        .find(|above| above.exists())
        .unwrap_or(Path::new("."))
}

fn database(context: &Context, findings: &mut Findings) -> Result<Option<Store>, Failure> {
    let check = "database";
    if !context.place.has_database()? {
        findings.note(
            check,
            "does not exist yet",
            "`countersign serve` or `countersign migrate` creates it",
        );
        return Ok(None);
    }
    let settings = context.place.configuration.store(&context.place.data)?;
    let (place, remedy) = match &settings {
        store::Settings::Sqlite { path } => (
            path.display().to_string(),
            "make the user that runs countersign its owner, or restore the file from your backup",
        ),
        store::Settings::Postgres { .. } => (
            "PostgreSQL".to_owned(),
            "check database.url, and that the database runs and accepts connections from countersign",
        ),
    };
    let store = match Store::open(&settings) {
        Ok(store) => store,
        Err(error) => {
            findings.wrong(check, format!("{place}: {error}"), remedy);
            return Ok(None);
        }
    };
    // A schema is current if it knows every statement of this program.
    let unknown = store::sql::ALL
        .iter()
        .flat_map(|file| file.iter())
        .find_map(|statement| store.shape(statement).err());
    if let Some(error) = unknown {
        findings.wrong(
            check,
            format!("{place}: its schema does not match this version: {error}"),
            "run `countersign migrate`",
        );
        return Ok(None);
    }
    findings.good(check, format!("{place} is reachable, and its schema is current"));
    Ok(Some(store))
}

/// When the last backup was made, and whether messages are held since a restore.
fn backups(store: &Store, findings: &mut Findings) -> Result<(), Failure> {
    if let Some(held) = store.read(store::held_outbox::held)? {
        findings.note("outbox", crate::restored::said(held), crate::restored::REMEDY);
    }
    let check = "backup";
    let remedy = "countersign backup DIR; the timer countersign-backup.timer does it every night";
    match crate::restored::last_backup(store)? {
        None => findings.note(check, "no backup was made with `countersign backup`", remedy),
        Some((at, folder)) => {
            let days = SystemClock.now().duration_since(at).as_hours() / 24;
            let detail = format!("the last one was made at {at:.0} in {folder}");
            if days < BACKUP_DAYS {
                findings.good(check, detail);
            } else {
                findings.note(check, format!("{detail}, {days} days ago"), remedy);
            }
        }
    }
    Ok(())
}

fn master_key(context: &Context, store: Option<&Store>, findings: &mut Findings) -> Option<Vault> {
    let check = "master key";
    let path = context.place.configuration.master_key_file(&context.place.data);
    let is_set_up = store.is_some_and(|store| app::installation::is_set_up(store).unwrap_or(false));
    let exists = match path.try_exists() {
        Ok(exists) => exists,
        Err(error) => {
            findings.wrong(
                check,
                format!("{} cannot be read: {error}", path.display()),
                "make the user that runs countersign the owner of the file and its folder",
            );
            return None;
        }
    };
    if !exists {
        if is_set_up {
            let detail = format!("{} is missing, but the database was set up with it", path.display());
            findings.wrong(
                check,
                detail,
                "restore the file from your backup; no document can be sealed without it",
            );
        } else {
            findings.note(
                check,
                format!("{} does not exist yet", path.display()),
                "the first start creates it",
            );
        }
        return None;
    }
    let vault = match Vault::open(&path, Arc::new(SystemRandom)) {
        Ok(vault) => vault,
        Err(error) => {
            findings.wrong(check, error.to_string(), "restore the file from your backup");
            return None;
        }
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).map_or(0, |metadata| metadata.permissions().mode());
        if mode & 0o077 != 0 {
            let detail = format!("{} can be read by users other than its owner", path.display());
            findings.wrong(check, detail, &format!("chmod 600 {}", path.display()));
        }
    }
    if is_set_up
        && let Some(store) = store
        && let Err(error) = app::installation::set_up(store, &vault, &SystemClock)
    {
        findings.wrong(
            check,
            error.to_string(),
            "use the master key that the database was set up with",
        );
        return None;
    }
    findings.good(check, path.display().to_string());
    is_set_up.then_some(vault)
}

fn seal_keys(context: &Context, store: Store, vault: Vault, findings: &mut Findings) -> Result<(), Failure> {
    let check = "seal keys";
    let files = context.place.files();
    let blobs = match Blobs::local(&files) {
        Ok(blobs) => blobs,
        Err(error) => {
            findings.wrong(
                "files",
                error.to_string(),
                "make the user that runs countersign the owner of the folder",
            );
            return Ok(());
        }
    };
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
            "countersign company add ID --name NAME",
        );
        return Ok(());
    }
    let unusable = unusable_keys(&app)?;
    for key in &unusable {
        findings.wrong(check, &key.detail, &key.remedy);
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
    /// Whether it is in a token, which another machine may not have.
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
                is_of_token: matches!(
                    fault,
                    SealKeyFault::Key(KeyError::PinRefused { .. } | KeyError::TokenAway(_) | KeyError::Token(_))
                ),
            });
        }
    }
    Ok(unusable)
}

/// Certificates that end soon: a week before, it is an error, because deadlines of documents are longer.
fn seal_ends(app: &App, findings: &mut Findings) -> Result<(), Failure> {
    for SealEnd {
        company,
        at,
        is_renewable,
    } in app.seal_ends()?
    {
        let days = at.duration_since(app.now()).as_hours() / 24;
        let detail = format!(
            "the seal certificate of company {company} ends at {at}, in {days} days: documents whose deadline is later are refused"
        );
        let remedy = if is_renewable {
            format!("countersign company key renew --company {company}")
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
/// What went wrong with the operator's templates while mails were written.
fn met_template_faults(app: &App, findings: &mut Findings) -> Result<(), Failure> {
    for met in app.met_template_faults()? {
        findings.wrong(
            TEMPLATES,
            format!("{}; at {} the built-in mail was sent instead", met.fault, met.at),
            "fix the file and restart the server",
        );
    }
    Ok(())
}

fn key_remedy(fault: &SealKeyFault) -> String {
    match fault {
        SealKeyFault::Key(KeyError::PinRefused { .. }) => {
            "set pkcs11.pin_file to a file with the token's user PIN; we tried the PIN only once"
        }
        SealKeyFault::Key(KeyError::TokenAway(_)) => {
            "plug in the token, and check that pkcs11.module is its vendor's library; the server finds it without a restart"
        }
        SealKeyFault::Key(KeyError::Token(_)) => {
            "check that the token contains the key, and that pkcs11.module is its vendor's library"
        }
        SealKeyFault::Missing | SealKeyFault::Key(KeyError::NotInItsTime { .. }) => {
            "countersign company key renew --company ID"
        }
        SealKeyFault::Key(KeyError::NotForSealing(_) | KeyError::BrokenChain { .. }) => {
            "countersign company key import with a certificate for signing documents, or countersign company key renew"
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
            "no time-stamp authority: documents are sealed at level B-B, and nothing proves the time of a seal",
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
        Some(url) => findings.good("revocation", format!("new seal certificates name {url}")),
        None => findings.note(
            "revocation",
            "new seal certificates do not name the address of the root's revocation list",
            "set server.public_url or sealing.revocation_list_url before you add companies",
        ),
    }
    Ok(())
}

/// What is missing for long-term proof of certificates.
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
                "{whose} do not support long-term validation: the certificate of an issuer is missing, and its address is not given"
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

fn workers(context: &Context, findings: &mut Findings) {
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
                "a document worker starts; memory and time {}, file system protection {}, system calls {}",
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
                    "a newer Linux kernel (with Landlock and seccomp) confines workers better",
                );
            }
        }
        Err(error) => findings.wrong(
            check,
            error.to_string(),
            "countersign must be able to start itself as a child process; check the limits on processes and memory",
        ),
    }
}

fn mail_templates(context: &Context, findings: &mut Findings) {
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

fn mail(context: &Context, findings: &mut Findings) -> Result<(), Failure> {
    let check = "mail";
    match context.place.configuration.mail()? {
        None => findings.note(
            check,
            "no SMTP server is configured: mails are kept in the outbox, and its page shows them",
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

/// Connects to the mail server and greets it.
fn reach(settings: &MailSettings) -> Result<(), String> {
    let mailer = Mailer::new(settings).map_err(|fault| fault.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let reached = runtime.block_on(mailer.check()).map_err(|fault| fault.to_string());
    // The connections are let go within their runtime.
    runtime.block_on(async move { drop(mailer) });
    reached
}

fn messenger(context: &Context, findings: &mut Findings) {
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
            "no gateway is configured: text messages are kept in the outbox, and its page shows them",
            "pass them on from there, set [messenger.NAME], or use e-mail addresses for signers",
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
                "these messages go through the next gateway, if there is one; set templates in messenger.NAME.templates",
            );
        }
    }
    // Messages of a kind without a gateway stay in the outbox.
    for kind in kinds() {
        if messengers.reaches(kind).is_empty() {
            findings.note(
                check,
                format!("no gateway accepts messages of the kind {kind}; they are kept in the outbox"),
                "add a template for it, or a gateway that needs none",
            );
        }
    }
}

fn address(context: &Context, findings: &mut Findings) {
    let check = "public URL";
    match &context.place.configuration.server.public_url {
        Some(url) if url.starts_with("https://") => findings.good(check, url),
        Some(url) => findings.note(
            check,
            format!("{url} is not encrypted"),
            "put a TLS proxy in front of it and use https",
        ),
        None => findings.note(
            check,
            "not set: links begin with the address that the server listens on",
            "set server.public_url to the address that signers use, for example https://sign.example.com",
        ),
    }
}
