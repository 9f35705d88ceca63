//! Companies, which the operator creates and changes.
//!
//! A new company has everything it needs to send a document: a seal key certified by the installation's root, and a
//! default API client. Its settings are the source of all later defaults.

use document::pki::authority::{self, SealSubject};
use document::pki::keys::{KeyKind, SealKey, Signer, certificates_from_pem, certificates_to_pem};
use document::pki::revocation::RevocationReason;
use document::verify::prove_foreign_key;
use domain::{
    BlobHash, ClientId, Colour, CompanyId, CompletedMails, Language, RedirectHosts, Region, SealLevel, SealMark,
    WhenTsaIsDown, WorkflowId, Zone,
};
use jiff::Timestamp;
use serde_json::json;
use store::Transaction;
use store::company::{Company, Logo, Style};

use crate::App;
use crate::base::actor::{Actor, Permit};
use crate::base::audit_log::{Action, Logged};
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::base::installation;
use crate::base::text;
use crate::base::vault::Purpose;
use crate::base::webhook_secret::WebhookSecret;
use crate::sealing::revocation_list;
use crate::sealing::seal_key::not_sealable;

/// Maximum length of the name of a company or member, in characters.
pub(crate) const LONGEST_NAME: usize = 128;
/// Maximum lifetime of an access token: thirty days.
const LONGEST_TOKEN_LIFETIME: i64 = 30 * 24 * 60 * 60;
const SHORTEST_TOKEN_LIFETIME: i64 = 60;
const MOST_DAYS: i64 = 3650;

#[derive(Debug, Clone)]
pub struct NewCompany {
    /// The company's ID, in any case.
    pub id: String,
    /// The name that certificates and mails show.
    pub name: String,
    /// The type of the seal key.
    pub key: KeyKind,
    /// Settings that differ from the defaults.
    pub settings: CompanyChange,
}

/// Changes to a company's settings. `None` leaves a setting unchanged.
#[derive(Debug, Clone, Default)]
pub struct CompanyChange {
    pub name: Option<String>,
    /// The language of messages, unless something else sets it.
    pub language: Option<Language>,
    /// The time zone for reading and showing times, unless a request specifies an offset.
    pub zone: Option<Zone>,
    /// The country for national telephone numbers.
    pub region: Option<Region>,
    /// Whether the company's programs may use the API.
    pub api_enabled: Option<bool>,
    /// Lifetime of an access token.
    pub token_lifetime_seconds: Option<i64>,
    /// Default number of days until a workflow expires.
    pub expiry_days: Option<i64>,
    /// Number of days for which links to completed documents work.
    pub link_days: Option<i64>,
    /// The seal level of the company's documents. An inner `None` uses the installation's.
    pub seal_level: Option<Option<SealLevel>>,
    /// The URL of the company's time-stamp authority. An inner `None` uses the installation's.
    pub tsa_url: Option<Option<String>>,
    /// What to do if that authority does not respond. An inner `None` uses the installation's choice.
    pub when_tsa_is_down: Option<Option<WhenTsaIsDown>>,
    /// Whether the pages of sealed documents show a seal mark.
    pub seal_mark: Option<SealMark>,
    /// The company's colour. An inner `None` removes it.
    pub accent: Option<Option<Colour>>,
    /// The logo, as the bytes of a PNG or JPEG. An inner `None` removes it.
    pub logo: Option<Option<Vec<u8>>>,
    /// The sender name of the company's mails. An inner `None` uses the company's name.
    pub mail_sender_name: Option<Option<String>>,
    /// The reply address of the company's mails. An inner `None` uses the installation's address.
    pub mail_reply_to: Option<Option<String>>,
    /// The people who receive completed documents.
    pub completed_mails: Option<CompletedMails>,
    /// Days between reminders to signers. An inner `None` turns them off.
    pub remind_every_days: Option<Option<i64>>,
    /// Days before the deadline when signers are reminded. An inner `None` turns it off.
    pub remind_before_days: Option<Option<i64>>,
    /// The hosts to which its documents may lead signers at the end.
    pub redirect_hosts: Option<RedirectHosts>,
}

/// A processed logo.
#[derive(Clone)]
struct MadeLogo {
    row: Logo,
    png: Vec<u8>,
}

/// A company that is ready to be written.
#[derive(Clone)]
pub(in crate::companies) struct PreparedCompany {
    row: Company,
    logo: Option<MadeLogo>,
    /// Encrypted.
    seal_key: Vec<u8>,
    /// As PEM.
    certificates: String,
    client: ClientId,
    secret: WebhookSecret,
    sealed_secret: Vec<u8>,
}

impl PreparedCompany {
    pub(in crate::companies) fn company(&self) -> &Company {
        &self.row
    }

    /// The settings for the audit log.
    pub(in crate::companies) fn settings(&self) -> serde_json::Value {
        settings_of(&self.row)
    }

    /// Writes the company with its seal key and its default API client.
    pub(in crate::companies) fn write(&self, tx: &mut dyn Transaction) -> Result<(), Error> {
        let (company, at) = (&self.row.id, self.row.created_at);
        if !store::company::insert(tx, &self.row)? {
            return Err(Error::conflict(ConflictCode::CompanyExists));
        }
        if let Some(logo) = &self.logo {
            store::company::put_logo(tx, company, Some((&logo.row.hash, &logo.png)), at)?;
        }
        store::company::insert_seal_key(tx, company, &self.seal_key, &self.certificates, at)?;
        store::api_client::insert(tx, company, self.client, "default", true, &self.sealed_secret, at)?;
        Ok(())
    }
}

/// A new company, with secrets that are shown once.
#[derive(Debug)]
pub struct AddedCompany {
    pub company: Company,
    /// The company's default API client.
    pub client: ClientId,
    /// The secret that signs this client's webhooks.
    pub secret: WebhookSecret,
}

/// The public part of a company's seal key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealKeyDetails {
    /// Subject of the certificate.
    pub subject: String,
    pub issuer: String,
    /// End of the certificate's validity.
    pub not_after: Timestamp,
    pub certificate: String,
    /// Open documents that may still be waiting for a signature when the certificate ends. At most the first hundred.
    pub outlasting: Vec<WorkflowId>,
}

impl SealKeyDetails {
    fn of(key: &SealKey) -> Result<Self, Error> {
        let (subject, issuer) = key
            .names()
            .map_err(|error| Error::internal("reading a company's certificate", error))?;
        Ok(Self {
            subject,
            issuer,
            not_after: key.not_after(),
            certificate: key.certificate_pem(),
            outlasting: Vec::new(),
        })
    }
}

impl App {
    pub fn add_company(&self, new: &NewCompany) -> Result<AddedCompany, Error> {
        let prepared = self.prepared_company(new)?;
        let (company, client, secret) = (prepared.row.clone(), prepared.client, prepared.secret.clone());
        let logged = Logged::of_operator(&company.id, Action::CompanyAdded, company.created_at);
        let logged = logged.setting(&prepared.settings());
        self.store.write(move |tx| {
            prepared.write(tx)?;
            logged.write(tx)
        })?;
        tracing::info!(company = %company.id, %client, "company added");
        Ok(AddedCompany {
            company,
            client,
            secret,
        })
    }

    /// A company that is ready to be written: its settings are checked, its seal key is certified.
    pub(in crate::companies) fn prepared_company(&self, new: &NewCompany) -> Result<PreparedCompany, Error> {
        let mut faults = Vec::new();
        let id = CompanyId::parse(&new.id)
            .map_err(|fault| faults.push(Fault::new("id", FaultCode::InvalidCompanyId).with("reason", fault)));
        let name = text::name(&new.name, "name", LONGEST_NAME, &mut faults);
        let logo = new.settings.check(&mut faults);
        let (Ok(id), true) = (id, faults.is_empty()) else {
            return Err(Error::Unprocessable(faults));
        };
        let at = self.now();
        let mut company = Company {
            id,
            name,
            language: Language::default(),
            zone: Zone::default(),
            region: Region::default(),
            api_enabled: true,
            token_lifetime_seconds: 24 * 60 * 60,
            expiry_days: 14,
            link_days: 30,
            seal_level: None,
            tsa_url: None,
            when_tsa_is_down: None,
            seal_mark: SealMark::default(),
            style: Style::default(),
            created_at: at,
        };
        new.settings.apply(&mut company);
        company.style.logo = logo.as_ref().map(|logo| logo.row);
        let faults = self.check_sealing(&company);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }

        let key = self.certified_key(&company, new.key, at)?;
        let pkcs8 = key
            .to_pkcs8()
            .map_err(|error| Error::internal("encoding the company's seal key", error))?;
        let seal_key = self.vault.encrypt(Purpose::SealKey, &pkcs8);
        let certificates = certificates_to_pem(key.certificates());
        let client = self.new_client_id();
        let secret = WebhookSecret::generate(self.random.as_ref());
        let sealed_secret = secret.seal(&self.vault);
        Ok(PreparedCompany {
            row: company,
            logo,
            seal_key,
            certificates,
            client,
            secret,
            sealed_secret,
        })
    }

    /// Changes a company's settings.
    pub fn change_company(&self, actor: &Actor, change: &CompanyChange) -> Result<Company, Error> {
        let by = actor.must_administer()?;
        let mut faults = Vec::new();
        let logo = change.check(&mut faults);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let mut wanted = self.company(by.company())?;
        change.apply(&mut wanted);
        let faults = self.check_sealing(&wanted);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (id, change, at) = (by.company().clone(), change.clone(), self.now());
        let logged = by.logs(Action::CompanyChanged, at);
        let company = self.store.write(move |tx| {
            let mut company = store::company::find(tx, &id)?.ok_or(Error::NotFound(Subject::Company))?;
            let (reminders, before) = (company.style.reminders, settings_of(&company));
            change.apply(&mut company);
            if change.logo.is_some() {
                company.style.logo = logo.as_ref().map(|logo| logo.row);
                let file = logo.as_ref().map(|logo| (&logo.row.hash, logo.png.as_slice()));
                store::company::put_logo(tx, &id, file, at)?;
            }
            if company.style.reminders != reminders {
                store::workflow::forget_reminder_looks(tx, &id)?;
            }
            store::company::update(tx, &company)?;
            let after = settings_of(&company);
            if after != before {
                logged.clone().changing(&before, &after).write(tx)?;
            }
            Ok::<_, Error>(company)
        })?;
        tracing::info!(company = %company.id, "company changed");
        Ok(company)
    }

    /// Imports a company's own key and certificate from a PKCS#12 file, and seals its documents with them from now on.
    /// A file whose key cannot seal is refused before anything changes.
    pub fn import_seal_key(&self, actor: &Actor, file: &[u8], password: &str) -> Result<SealKeyDetails, Error> {
        let by = actor.must_own()?;
        let at = self.now();
        let key = SealKey::from_pkcs12(file, password)
            .and_then(|key| prove_foreign_key(&key, at).map(|()| key))
            .map_err(not_sealable)?;
        self.use_seal_key(by, &key, &own_secret(&key)?, None)
    }

    /// Switches a company to a key in a token, at a PKCS#11 URI, with its certificates (PEM). A key that cannot seal is
    /// refused before anything changes.
    pub fn use_token_key(&self, actor: &Actor, uri: &str, certificates: &str) -> Result<SealKeyDetails, Error> {
        let by = actor.must_own()?;
        let at = self.now();
        let key = self
            .tokens
            .key(uri)
            .and_then(|key| SealKey::external(key, certificates_from_pem(certificates)?))
            .and_then(|key| prove_foreign_key(&key, at).map(|()| key))
            .map_err(not_sealable)?;
        self.use_seal_key(by, &key, uri.as_bytes(), None)
    }

    /// Creates a new key for a company, certified by the installation's root. The old key is no longer used. If a
    /// reason is specified, its certificate is also added to the revocation list.
    pub fn renew_seal_key(
        &self,
        actor: &Actor,
        kind: KeyKind,
        revoke: Option<RevocationReason>,
    ) -> Result<SealKeyDetails, Error> {
        let by = actor.must_own()?;
        let company = self.company(by.company())?;
        let key = self.certified_key(&company, kind, self.now())?;
        self.use_seal_key(by, &key, &own_secret(&key)?, revoke)
    }

    /// Returns the certificate that a company seals with.
    pub fn seal_key_details(&self, actor: &Actor) -> Result<SealKeyDetails, Error> {
        let by = actor.must_administer()?;
        let key = self.seal_key(by.company())?;
        let company = by.company().clone();
        let details = SealKeyDetails::of(&key)?;
        let outlasting = self.store.read(move |tx| {
            store::company::workflows_outlasting(tx, &company, details.not_after).map_err(Error::from)
        })?;
        Ok(SealKeyDetails { outlasting, ..details })
    }

    fn use_seal_key(
        &self,
        by: Permit<'_>,
        key: &SealKey,
        secret: &[u8],
        revoke: Option<RevocationReason>,
    ) -> Result<SealKeyDetails, Error> {
        let sealed_key = self.vault.encrypt(Purpose::SealKey, secret);
        let certificates = certificates_to_pem(key.certificates());
        let details = SealKeyDetails::of(key)?;
        let ends = details.not_after;
        let (company, at) = (by.company().clone(), self.now());
        let revoke = revoke
            .map(|reason| installation::root(&self.store, &self.vault).map(|root| (reason, root)))
            .transpose()?;
        let logged = by.logs(Action::SealKeyReplaced, at).setting(&json!({
            "subject": details.subject,
            "not_after": ends,
            "old_revoked": revoke.is_some(),
        }));
        let outlasting = self.store.write(move |tx| {
            store::company::find(tx, &company)?.ok_or(Error::NotFound(Subject::Company))?;
            if let Some((reason, root)) = &revoke {
                store::company::revoke_seal_key(tx, &company, at, reason.code())?;
                revocation_list::issue(tx, root, at)?;
            }
            store::company::retire_seal_key(tx, &company, at)?;
            store::company::insert_seal_key(tx, &company, &sealed_key, &certificates, at)?;
            logged.write(tx)?;
            Ok::<_, Error>(store::company::workflows_outlasting(tx, &company, ends)?)
        })?;
        tracing::info!(company = %by.company(), subject = details.subject, "seal key replaced");
        Ok(SealKeyDetails { outlasting, ..details })
    }

    fn certified_key(&self, company: &Company, kind: KeyKind, at: Timestamp) -> Result<SealKey, Error> {
        let root = installation::root(&self.store, &self.vault)?;
        let subject = SealSubject {
            company_name: &company.name,
            company_id: company.id.as_str(),
            revocation_list: self.settings.sealing.revocation_list_url.as_deref(),
        };
        authority::issue_seal_certificate(&root, &subject, kind, at)
            .map_err(|error| Error::internal("creating the company's seal key", error))
    }

    /// Returns a company's logo (PNG) by the hash of its file: the current one, or an older one that pending mails
    /// still show.
    pub fn company_logo(&self, company: &CompanyId, hash: &BlobHash) -> Result<Vec<u8>, Error> {
        let (company, hash) = (company.clone(), *hash);
        self.store
            .read(move |tx| store::company::logo(tx, &company, &hash)?.ok_or(Error::NotFound(Subject::File)))
    }
}

fn own_secret(key: &SealKey) -> Result<zeroize::Zeroizing<Vec<u8>>, Error> {
    key.to_pkcs8()
        .map_err(|error| Error::internal("encoding a company's seal key", error))
}

/// Returns the settings that an administrator can change, for the audit log.
fn settings_of(company: &Company) -> serde_json::Value {
    let style = &company.style;
    json!({
        "name": company.name,
        "language": company.language.code(),
        "time_zone": company.zone.to_string(),
        "region": company.region.code(),
        "api_enabled": company.api_enabled,
        "token_lifetime_seconds": company.token_lifetime_seconds,
        "expiry_days": company.expiry_days,
        "link_days": company.link_days,
        "seal_level": company.seal_level.map(SealLevel::code),
        "tsa_url": company.tsa_url,
        "when_tsa_is_down": company.when_tsa_is_down.map(WhenTsaIsDown::code),
        "seal_mark": company.seal_mark.code(),
        "accent": style.accent.map(|accent| accent.to_string()),
        "logo": style.logo.map(|logo| logo.hash.to_string()),
        "mail_sender_name": style.mail_sender_name,
        "mail_reply_to": style.mail_reply_to,
        "completed_mails": style.completed_mails.to_string(),
        "remind_every_days": style.reminders.every_days,
        "remind_before_days": style.reminders.before_days,
        "redirect_hosts": style.redirect_hosts.to_string(),
    })
}

impl CompanyChange {
    /// Checks the change and processes its logo.
    fn check(&self, faults: &mut Vec<Fault>) -> Option<MadeLogo> {
        if let Some(name) = &self.name {
            text::name(name, "name", LONGEST_NAME, faults);
        }
        if let Some(Some(name)) = &self.mail_sender_name {
            text::name(name, "mail_sender_name", LONGEST_NAME, faults);
        }
        if let Some(Some(address)) = &self.mail_reply_to
            && text::email(address, "mail_reply_to").is_err()
        {
            faults.push(Fault::new("mail_reply_to", FaultCode::InvalidEmail));
        }
        let ranges = [
            (
                "token_lifetime",
                self.token_lifetime_seconds,
                SHORTEST_TOKEN_LIFETIME,
                LONGEST_TOKEN_LIFETIME,
            ),
            ("expiry_days", self.expiry_days, 1, MOST_DAYS),
            ("link_days", self.link_days, 1, MOST_DAYS),
            ("remind_every_days", self.remind_every_days.flatten(), 1, MOST_DAYS),
            ("remind_before_days", self.remind_before_days.flatten(), 1, MOST_DAYS),
        ];
        for (path, value, min, max) in ranges {
            if value.is_some_and(|value| !(min..=max).contains(&value)) {
                faults.push(
                    Fault::new(path, FaultCode::OutOfRange)
                        .with("min", min)
                        .with("max", max),
                );
            }
        }
        let given = self.logo.as_ref()?.as_ref()?;
        match document::marks::picture::logo(given) {
            Ok(made) => Some(MadeLogo {
                row: Logo {
                    hash: BlobHash::of(&made.png),
                    width: made.width,
                    height: made.height,
                },
                png: made.png,
            }),
            Err(refused) => {
                faults.push(Fault::new("logo", FaultCode::LogoRefused).with("reason", refused));
                None
            }
        }
    }

    fn apply(&self, company: &mut Company) {
        fn put<T: Clone>(place: &mut T, value: Option<&T>) {
            if let Some(value) = value {
                place.clone_from(value);
            }
        }
        if let Some(name) = &self.name {
            name.trim().clone_into(&mut company.name);
        }
        put(&mut company.language, self.language.as_ref());
        put(&mut company.zone, self.zone.as_ref());
        put(&mut company.region, self.region.as_ref());
        put(&mut company.api_enabled, self.api_enabled.as_ref());
        put(
            &mut company.token_lifetime_seconds,
            self.token_lifetime_seconds.as_ref(),
        );
        put(&mut company.expiry_days, self.expiry_days.as_ref());
        put(&mut company.link_days, self.link_days.as_ref());
        put(&mut company.seal_level, self.seal_level.as_ref());
        put(&mut company.tsa_url, self.tsa_url.as_ref());
        put(&mut company.when_tsa_is_down, self.when_tsa_is_down.as_ref());
        put(&mut company.seal_mark, self.seal_mark.as_ref());
        let style = &mut company.style;
        let trimmed = |text: &Option<Option<String>>| {
            let text = text.as_ref()?;
            Some(text.as_deref().map(|text| text.trim().to_owned()))
        };
        put(&mut style.accent, self.accent.as_ref());
        put(&mut style.mail_sender_name, trimmed(&self.mail_sender_name).as_ref());
        put(&mut style.mail_reply_to, trimmed(&self.mail_reply_to).as_ref());
        put(&mut style.completed_mails, self.completed_mails.as_ref());
        put(&mut style.reminders.every_days, self.remind_every_days.as_ref());
        put(&mut style.reminders.before_days, self.remind_before_days.as_ref());
        put(&mut style.redirect_hosts, self.redirect_hosts.as_ref());
    }
}
