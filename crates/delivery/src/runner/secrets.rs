//! Reads and caches the clients' secrets, which sign each try when it is made.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use app::SigningSecrets;
use domain::{ClientId, CompanyId};
use jiff::{SignedDuration, Timestamp};
use store::outbox::{Claimed, ClaimedChannel};
use tokio::task::spawn_blocking;

use super::Shared;

/// How long we reuse a client's secrets after reading them. After a rotation, the new secret is used at the latest
/// after this time.
const SECRETS_KEPT: SignedDuration = SignedDuration::from_secs(1);

/// A client's secrets, with the time when they were read.
pub(super) type KeptSecrets = (Timestamp, Arc<SigningSecrets>);

pub(super) enum SecretsFault {
    /// The database does not answer.
    Unavailable,
    /// The secrets do not exist, or cannot be decrypted.
    Unreadable(String),
}

impl Shared {
    /// Reads the secrets for these webhooks, except cached ones. Returns the clients whose secrets could not be read.
    pub(super) fn read_secrets(&self, claimed: &[Claimed], now: Timestamp) -> HashMap<ClientId, SecretsFault> {
        let mut asked = HashSet::new();
        let mut faults = HashMap::new();
        for delivery in claimed {
            let ClaimedChannel::Webhook { client, .. } = delivery.channel else {
                continue;
            };
            if asked.insert(client)
                && self.kept_secrets(client, now).is_none()
                && let Err(fault) = self.secrets(&delivery.company, client, now)
            {
                faults.insert(client, fault);
            }
        }
        faults
    }

    /// Returns a client's secrets if we read them recently.
    fn kept_secrets(&self, client: ClientId, now: Timestamp) -> Option<Arc<SigningSecrets>> {
        let kept = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, secrets) = kept.get(&client).filter(|(at, _)| are_fresh(*at, now))?;
        Some(Arc::clone(secrets))
    }

    /// Reads a client's secrets and caches them briefly.
    fn secrets(
        &self,
        company: &CompanyId,
        client: ClientId,
        now: Timestamp,
    ) -> Result<Arc<SigningSecrets>, SecretsFault> {
        let (app, company) = (Arc::clone(&self.app), company.clone());
        let read = self
            .app
            .store
            .read_one(move |tx| app.webhook_secrets(tx, &company, client, now));
        match read {
            Ok(secrets) => {
                let secrets = Arc::new(secrets);
                let mut kept = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
                kept.retain(|_, (at, _)| are_fresh(*at, now));
                kept.insert(client, (now, Arc::clone(&secrets)));
                Ok(secrets)
            }
            Err(error @ app::Error::Unavailable { .. }) => {
                tracing::warn!(%error, "a client's webhook secrets could not be read; we will try again soon");
                Err(SecretsFault::Unavailable)
            }
            Err(error) => Err(SecretsFault::Unreadable(format!(
                "the webhook secret cannot be read: {error}"
            ))),
        }
    }

    pub(super) async fn signing_secrets(
        self: &Arc<Self>,
        company: &CompanyId,
        client: ClientId,
    ) -> Result<Arc<SigningSecrets>, SecretsFault> {
        if let Some(secrets) = self.kept_secrets(client, self.app.now()) {
            return Ok(secrets);
        }
        let _reading = self.reading.lock().await;
        let now = self.app.now();
        // The previous holder of the lock may have read these.
        if let Some(secrets) = self.kept_secrets(client, now) {
            return Ok(secrets);
        }
        let (shared, company) = (Arc::clone(self), company.clone());
        let read = spawn_blocking(move || shared.secrets(&company, client, now)).await;
        read.unwrap_or_else(|error| {
            tracing::error!(%error, "reading a client's webhook secrets panicked");
            Err(SecretsFault::Unavailable)
        })
    }
}

/// Whether secrets read at `read_at` may still be used.
fn are_fresh(read_at: Timestamp, now: Timestamp) -> bool {
    now >= read_at && now.duration_since(read_at) < SECRETS_KEPT
}
