//! API clients: a company's programs, and the secrets that sign their webhooks.
//!
//! A secret has the form of the Standard Webhooks specification: `whsec_` and the key in base64. After a rotation the
//! previous secret also signs for a day, so that an endpoint can switch without losing a webhook. Each secret signs
//! until its own day has passed, even if there are more rotations. Their number is limited because each webhook has a
//! signature for each of them in its header.

use domain::{ClientId, CompanyId};
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use store::Transaction;
use store::api_client::ApiClient;

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{ConflictCode, Error, Subject};
use crate::base::text;
use crate::base::webhook_secret::WebhookSecret;
use crate::companies::company::LONGEST_NAME;

/// Time that the old secret still signs after a rotation.
const OVERLAP_HOURS: i64 = 24;

/// Maximum number of secrets that sign at the same time.
const MOST_SECRETS: usize = 5;

/// The secrets of a client, with the time until which each one signs.
#[derive(Debug, Clone)]
pub struct SigningSecrets {
    newest: WebhookSecret,
    /// Earlier secrets, and the time when each expires.
    retired: Vec<(WebhookSecret, Timestamp)>,
}

impl SigningSecrets {
    /// Returns the secrets that sign at this time, newest first.
    pub fn at(&self, now: Timestamp) -> Vec<WebhookSecret> {
        let retired = self.retired.iter().filter(|(_, until)| *until > now);
        let mut signing = vec![self.newest.clone()];
        signing.extend(retired.map(|(secret, _)| secret.clone()));
        signing
    }
}

/// A client as shown in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientRow {
    /// The ID that webhooks contain.
    pub id: ClientId,
    pub name: String,
    /// Whether this client is used for workflows that name no other.
    pub is_default: bool,
    /// Whether its documents are tests.
    pub is_test: bool,
    pub created_at: Timestamp,
    /// Time when the secret before the last rotation stops signing, if it still signs.
    pub previous_until: Option<Timestamp>,
}

/// A client that was added or got a new secret. The secret is shown once.
#[derive(Debug)]
pub struct NewClient {
    /// The ID that webhooks contain.
    pub id: ClientId,
    pub secret: WebhookSecret,
}

impl App {
    pub(in crate::companies) fn new_client_id(&self) -> ClientId {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes);
        ClientId(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }

    /// Adds a client. All documents of one for tests are tests, for life.
    pub fn add_client(&self, actor: &Actor, name: &str, is_test: bool) -> Result<NewClient, Error> {
        let by = actor.must_administer()?;
        let mut faults = Vec::new();
        let name = text::name(name, "name", LONGEST_NAME, &mut faults);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (id, secret, at) = (
            self.new_client_id(),
            WebhookSecret::generate(self.random.as_ref()),
            self.now(),
        );
        let (company, sealed) = (by.company().clone(), secret.seal(&self.vault));
        let logged = by
            .logs(Action::ClientAdded, at)
            .about(id)
            .setting(&json!({"name": name, "test": is_test}));
        self.store.write(move |tx| {
            store::api_client::insert(tx, &company, id, &name, false, &sealed, at)?;
            if is_test {
                store::api_client::set_test(tx, &company, id)?;
            }
            logged.write(tx)
        })?;
        tracing::info!(client = %id, "client added");
        Ok(NewClient { id, secret })
    }

    pub fn clients(&self, actor: &Actor) -> Result<Vec<ClientRow>, Error> {
        let by = actor.must_administer()?;
        let (company, now) = (by.company().clone(), self.now());
        let clients = self
            .store
            .read(move |tx| store::api_client::list(tx, &company).map_err(Error::from))?;
        Ok(clients
            .into_iter()
            .map(|client| ClientRow {
                id: client.id,
                name: client.name,
                is_default: client.is_default,
                is_test: client.is_test,
                created_at: client.created_at,
                previous_until: client
                    .retired
                    .first()
                    .map(|retired| retired.until)
                    .filter(|until| *until > now),
            })
            .collect())
    }

    /// Returns the secret that signs a client's webhooks. Without a client, returns that of the default client.
    pub fn client_secret(&self, actor: &Actor, client: Option<ClientId>) -> Result<NewClient, Error> {
        let by = actor.must_administer()?;
        let client = self.find_client(by.company(), client)?;
        Ok(NewClient {
            id: client.id,
            secret: WebhookSecret::open(&client.secret, &self.vault)?,
        })
    }

    /// Rotates a client's secret. The previous one also signs for a day. Refused if too many secrets already sign.
    pub fn rotate_client_secret(&self, actor: &Actor, client: Option<ClientId>) -> Result<NewClient, Error> {
        let by = actor.must_administer()?;
        let client = self.find_client(by.company(), client)?;
        let (id, now) = (client.id, self.now());
        let retired: Vec<_> = client
            .retired
            .iter()
            .filter(|retired| retired.until > now)
            .cloned()
            .collect();
        // The current secret is retired too, and a new one is added.
        if retired.len() + 2 > MOST_SECRETS {
            let oldest = retired.last().map(|retired| retired.until);
            return Err(Error::Conflict {
                code: ConflictCode::TooManySecrets,
                state: oldest.map(|until| until.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()),
            });
        }
        let secret = WebhookSecret::generate(self.random.as_ref());
        let until = now
            .checked_add(OVERLAP_HOURS.hours())
            .map_err(|error| Error::internal("computing when an old secret expires", error))?;
        let (company, sealed) = (by.company().clone(), secret.seal(&self.vault));
        let logged = by.logs(Action::ClientSecretRotated, now).about(id);
        let rotated = self.store.write(move |tx| {
            let rotated = store::api_client::rotate(tx, &company, &client, &sealed, until, &retired)?;
            if rotated {
                logged.write(tx)?;
            }
            Ok::<_, Error>(rotated)
        })?;
        if !rotated {
            return Err(Error::conflict(ConflictCode::Changed));
        }
        tracing::info!(client = %id, "client secret rotated");
        Ok(NewClient { id, secret })
    }

    /// Returns the secrets that sign a client's webhooks from this time on.
    pub fn webhook_secrets(
        &self,
        tx: &mut dyn Transaction,
        company: &CompanyId,
        client: ClientId,
        now: Timestamp,
    ) -> Result<SigningSecrets, Error> {
        let row = store::api_client::find(tx, company, client)?.ok_or(Error::NotFound(Subject::Client))?;
        self.secrets_of(&row, now)
    }

    pub(crate) fn secrets_of(&self, client: &ApiClient, now: Timestamp) -> Result<SigningSecrets, Error> {
        let alive = client.retired.iter().filter(|retired| retired.until > now);
        let retired = alive.map(|retired| {
            let secret = WebhookSecret::open(&retired.secret, &self.vault)?;
            Ok((secret, retired.until))
        });
        Ok(SigningSecrets {
            newest: WebhookSecret::open(&client.secret, &self.vault)?,
            retired: retired.collect::<Result<_, Error>>()?,
        })
    }

    fn find_client(&self, company: &CompanyId, client: Option<ClientId>) -> Result<ApiClient, Error> {
        let company = company.clone();
        self.store.read(move |tx| {
            let id = match client {
                Some(id) => id,
                None => store::api_client::default(tx, &company)?,
            };
            store::api_client::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Client))
        })
    }
}
