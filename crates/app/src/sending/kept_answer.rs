//! Responses stored under an idempotency key, so that a repeated request gets the response to the first one.

use domain::{CompanyId, MemberId};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::Transaction;
use store::idempotency::KeptAnswer;

use crate::App;
use crate::base::caller::Caller;
use crate::base::error::{Error, FaultCode};
use crate::base::vault::{Purpose, Vault};
use crate::sending::start::Idempotency;

/// Hours for which a response is stored.
pub(in crate::sending) const KEPT_HOURS: i64 = 24;

/// The key under which the response to a request is stored.
#[derive(Debug, Clone)]
pub(in crate::sending) struct AnswerKey {
    key: String,
    request_hash: [u8; 32],
}

impl AnswerKey {
    /// Returns the key of a call if the request has one. Keys are separate for each kind of call and each member.
    pub(in crate::sending) fn of(call: &str, member: MemberId, given: Option<&Idempotency>) -> Option<AnswerKey> {
        given.map(|given| AnswerKey {
            key: format!("{call} {member} {}", given.key),
            request_hash: given.request_hash,
        })
    }

    pub(in crate::sending) fn find(
        &self,
        tx: &mut dyn Transaction,
        company: &CompanyId,
        now: Timestamp,
    ) -> Result<Option<KeptAnswer>, Error> {
        Ok(store::idempotency::find(tx, company, &self.key, kept_since(now))?)
    }

    pub(in crate::sending) fn keep(
        &self,
        tx: &mut dyn Transaction,
        company: &CompanyId,
        answer: &impl Serialize,
        vault: &Vault,
        now: Timestamp,
    ) -> Result<(), Error> {
        let text = serde_json::to_vec(answer).map_err(|error| Error::internal("keeping an answer", error))?;
        let kept = KeptAnswer {
            request_hash: self.request_hash,
            answer: vault.encrypt(Purpose::IdempotentAnswer, &text),
        };
        Ok(store::idempotency::keep(
            tx,
            company,
            &self.key,
            &kept,
            now,
            kept_since(now),
        )?)
    }

    /// Returns the stored response if this request equals the first one.
    pub(in crate::sending) fn answer<T: DeserializeOwned>(&self, kept: &KeptAnswer, vault: &Vault) -> Result<T, Error> {
        if self.request_hash != kept.request_hash {
            return Err(Error::fault("Idempotency-Key", FaultCode::IdempotencyKeyReused));
        }
        let answer = vault
            .decrypt(Purpose::IdempotentAnswer, &kept.answer)
            .map_err(|error| Error::internal("reading a stored response", error))?;
        serde_json::from_slice(&answer).map_err(|error| Error::internal("reading a stored response", error))
    }
}

impl App {
    /// Returns the response to the first request with this key, if there was one.
    pub(in crate::sending) fn answered_before<T: DeserializeOwned>(
        &self,
        caller: &Caller,
        key: Option<&AnswerKey>,
        now: Timestamp,
    ) -> Result<Option<T>, Error> {
        let Some(key) = key else {
            return Ok(None);
        };
        let (company, wanted) = (caller.company.clone(), key.clone());
        let kept = self.store.read(move |tx| wanted.find(tx, &company, now))?;
        kept.map(|kept| key.answer(&kept, &self.vault)).transpose()
    }
}

/// Responses from this time or earlier have expired.
fn kept_since(now: Timestamp) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(KEPT_HOURS))
        .unwrap_or(Timestamp::MIN)
}
