//! Companies: made and changed by the operator.
//!
//! A company begins with all it needs to send a document: a seal key certified by the installation's root, and a default
//! API client. Its own settings are what every later default comes from.

use document::authority::{self, SealSubject};
use document::keys::{KeyKind, Signer, certificates_to_pem};
use domain::{ClientId, CompanyId, Language, Region, UtcOffset};
use store::company::Company;

use crate::client::WebhookSecret;
use crate::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::text;
use crate::vault::Purpose;
use crate::{App, installation};

/// The longest name of a company or member, in characters.
pub(crate) const LONGEST_NAME: usize = 128;
/// Thirty days: no access token lives longer.
const LONGEST_TOKEN_LIFETIME: i64 = 30 * 24 * 60 * 60;
const SHORTEST_TOKEN_LIFETIME: i64 = 60;
const MOST_DAYS: i64 = 3650;

/// A company to be made.
#[derive(Debug, Clone)]
pub struct NewCompany {
    /// Its id, in any case.
    pub id: String,
    /// Its name, as certificates and mails show it.
    pub name: String,
    /// The kind of its seal key.
    pub key: KeyKind,
    /// What differs from the defaults.
    pub settings: CompanyChange,
}

/// What a company's settings are changed to; `None` stays as it is.
#[derive(Debug, Clone, Default)]
pub struct CompanyChange {
    /// Its name.
    pub name: Option<String>,
    /// The language of messages where nothing else says one.
    pub language: Option<Language>,
    /// The offset that times are read and written in where nothing else says one.
    pub offset: Option<UtcOffset>,
    /// Where national telephone numbers are read.
    pub region: Option<Region>,
    /// Whether its programs may use the API.
    pub api_enabled: Option<bool>,
    /// How long an access token lives.
    pub token_lifetime_seconds: Option<i64>,
    /// How many days a workflow may take where its start does not say.
    pub expiry_days: Option<i64>,
    /// How many days the links to finished files live.
    pub link_days: Option<i64>,
}

/// A company that was made, with what is shown once.
#[derive(Debug)]
pub struct AddedCompany {
    /// The company.
    pub company: Company,
    /// Its default API client.
    pub client: ClientId,
    /// The secret that this client's webhooks are signed with.
    pub secret: WebhookSecret,
}

impl App {
    /// Makes a company.
    pub fn add_company(&self, new: &NewCompany) -> Result<AddedCompany, Error> {
        let mut faults = Vec::new();
        let id = CompanyId::parse(&new.id)
            .map_err(|fault| faults.push(Fault::new("id", FaultCode::InvalidCompanyId).with("reason", fault)));
        let name = text::name(&new.name, "name", LONGEST_NAME, &mut faults);
        new.settings.check(&mut faults);
        let (Ok(id), true) = (id, faults.is_empty()) else {
            return Err(Error::Unprocessable(faults));
        };
        let at = self.now();
        let mut company = Company {
            id,
            name,
            language: Language::default(),
            offset: UtcOffset::default(),
            region: Region::default(),
            api_enabled: true,
            token_lifetime_seconds: 24 * 60 * 60,
            expiry_days: 14,
            link_days: 30,
            created_at: at,
        };
        new.settings.apply(&mut company);

        let root = installation::root(&self.store, &self.vault)?;
        let subject = SealSubject {
            company_name: &company.name,
            company_id: company.id.as_str(),
        };
        let key = authority::issue_seal_certificate(&root, &subject, new.key, at)
            .map_err(|error| Error::internal("making the company's seal key", error))?;
        let pkcs8 = key
            .to_pkcs8()
            .map_err(|error| Error::internal("writing the company's seal key", error))?;
        let sealed_key = self.vault.encrypt(Purpose::SealKey, &pkcs8);
        let certificates = certificates_to_pem(key.certificates());
        let client = self.new_client_id();
        let secret = WebhookSecret::generate(self.random.as_ref());
        let sealed_secret = secret.seal(&self.vault);

        let row = company.clone();
        self.store.write(move |tx| {
            if !store::company::insert(tx, &row)? {
                return Err(Error::conflict(ConflictCode::CompanyExists));
            }
            store::company::insert_seal_key(tx, &row.id, &sealed_key, &certificates, at)?;
            store::api_client::insert(tx, &row.id, client, "default", true, &sealed_secret, at)?;
            Ok(())
        })?;
        tracing::info!(company = %company.id, %client, "company added");
        Ok(AddedCompany {
            company,
            client,
            secret,
        })
    }

    /// Changes a company's settings.
    pub fn change_company(&self, id: &CompanyId, change: &CompanyChange) -> Result<Company, Error> {
        let mut faults = Vec::new();
        change.check(&mut faults);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (id, change) = (id.clone(), change.clone());
        let company = self.store.write(move |tx| {
            let mut company = store::company::find(tx, &id)?.ok_or(Error::NotFound(Subject::Company))?;
            change.apply(&mut company);
            store::company::update(tx, &company)?;
            Ok::<_, Error>(company)
        })?;
        tracing::info!(company = %company.id, "company changed");
        Ok(company)
    }

    /// One company.
    pub fn company(&self, id: &CompanyId) -> Result<Company, Error> {
        let id = id.clone();
        self.store
            .read(move |tx| store::company::find(tx, &id)?.ok_or(Error::NotFound(Subject::Company)))
    }

    /// All companies, for the operator.
    pub fn companies(&self) -> Result<Vec<Company>, Error> {
        self.store.read(|tx| store::company::list(tx).map_err(Error::from))
    }
}

impl CompanyChange {
    fn check(&self, faults: &mut Vec<Fault>) {
        if let Some(name) = &self.name {
            text::name(name, "name", LONGEST_NAME, faults);
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
        put(&mut company.offset, self.offset.as_ref());
        put(&mut company.region, self.region.as_ref());
        put(&mut company.api_enabled, self.api_enabled.as_ref());
        put(
            &mut company.token_lifetime_seconds,
            self.token_lifetime_seconds.as_ref(),
        );
        put(&mut company.expiry_days, self.expiry_days.as_ref());
        put(&mut company.link_days, self.link_days.as_ref());
    }
}
