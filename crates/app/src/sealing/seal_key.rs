//! The keys that companies seal with, and the installation's root that certifies them.
//!
//! At rest the vault encrypts a private key, or its address in a token. This process caches decrypted keys by the ID of
//! their row. The current row of a company is looked up each time, so that a replaced key is never used again. A cached
//! key that has signed once can sign again, but a key in a token is tested with a signature each time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use document::pki::keys::{KeyError, SealKey, Signer, certificates_from_pem, end_of_certificates};
use document::pki::revocation::is_issued_by;
use document::verify::{TrustedRoots, prove_foreign_key};
use domain::CompanyId;
use jiff::Timestamp;

use crate::App;
use crate::base::error::{Error, Fault, FaultCode};
use crate::base::installation;
use crate::base::key_tokens::SCHEME;
use crate::base::seal_refusal::{SealCode, SealRefusal};
use crate::base::vault::Purpose;
use crate::base::vault::VaultError;

/// Maximum number of keys kept decrypted. With more companies, they are read again.
const MOST_KEPT: usize = 256;

/// Cached keys.
#[derive(Default)]
pub(crate) struct SealKeys(Mutex<HashMap<CompanyId, UsableKey>>);

/// A seal key that was tested with a signature.
#[derive(Clone)]
pub(crate) struct UsableKey {
    id: i64,
    pub(crate) key: Arc<SealKey>,
    /// Whether this installation's root issued the certificate. If so, nobody else can have revoked it.
    pub(crate) is_of_our_root: bool,
}

/// Reason why a company cannot seal.
#[derive(Debug, thiserror::Error)]
pub enum SealKeyFault {
    #[error("the company has no seal key")]
    Missing,
    /// The stored key cannot be decrypted.
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key could not be looked up.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<SealKeyFault> for Error {
    fn from(fault: SealKeyFault) -> Error {
        let fault = match fault {
            SealKeyFault::Other(error) => return error,
            fault => fault,
        };
        let (code, at) = match &fault {
            SealKeyFault::Missing => (SealCode::NoKey, None),
            SealKeyFault::Key(KeyError::NotInItsTime { not_before, at, .. }) if at < not_before => {
                (SealCode::NotYet, Some(*not_before))
            }
            SealKeyFault::Key(KeyError::NotInItsTime { not_after, .. }) => (SealCode::Expired, Some(*not_after)),
            SealKeyFault::Key(KeyError::PinRefused { .. }) => (SealCode::Pin, None),
            SealKeyFault::Key(KeyError::TokenAway(_)) => (SealCode::TokenAway, None),
            SealKeyFault::Vault(_) | SealKeyFault::Key(_) | SealKeyFault::Other(_) => (SealCode::Unusable, None),
        };
        Error::NotSealable(SealRefusal::new(code, fault).at(at))
    }
}

impl App {
    /// Returns the company's seal key. If there is none, or it cannot be used, nothing that needs a seal can start
    /// ([`Error::NotSealable`]).
    pub fn seal_key(&self, company: &CompanyId) -> Result<Arc<SealKey>, Error> {
        Ok(self.usable_seal_key(company)?)
    }

    /// Like [`App::seal_key`], for callers that distinguish the reasons.
    pub fn usable_seal_key(&self, company: &CompanyId) -> Result<Arc<SealKey>, SealKeyFault> {
        Ok(self.current_seal_key(company)?.key)
    }

    /// Returns the company's current seal key.
    pub(in crate::sealing) fn current_seal_key(&self, company: &CompanyId) -> Result<UsableKey, SealKeyFault> {
        let wanted = company.clone();
        let in_use = self
            .store
            .read_one(move |tx| store::company::seal_key_id(tx, &wanted).map_err(Error::from))?;
        self.seal_key_in_use(company, in_use)
    }

    /// Returns the company's seal key if the ID of its row is already known.
    pub(crate) fn seal_key_in_use(&self, company: &CompanyId, in_use: Option<i64>) -> Result<UsableKey, SealKeyFault> {
        let in_use = in_use.ok_or(SealKeyFault::Missing)?;
        let kept = self.kept().get(company).filter(|kept| kept.id == in_use).cloned();
        if let Some(kept) = kept {
            kept.key.prove_again(self.clock.now())?;
            return Ok(kept);
        }
        let wanted = company.clone();
        let row = self
            .store
            .read_one(move |tx| store::company::seal_key(tx, &wanted).map_err(Error::from))?;
        let row = row.ok_or(SealKeyFault::Missing)?;
        let pkcs8 = self.vault.decrypt(Purpose::SealKey, &row.private_key)?;
        let certificates = certificates_from_pem(&row.certificates)?;
        let key = match std::str::from_utf8(&pkcs8) {
            Ok(uri) if uri.starts_with(SCHEME) => SealKey::external(self.tokens.key(uri)?, certificates)?,
            _ => SealKey::new(&pkcs8, certificates)?,
        };
        let root = certificates_from_pem(&self.root_certificate()?)?;
        let is_of_our_root = key
            .certificates()
            .first()
            .is_some_and(|own| root.iter().any(|root| is_issued_by(own, root)));
        // Keys certified by others are checked by the verifier's rules, because earlier versions did not check them.
        if is_of_our_root {
            key.prove(self.clock.now())?;
        } else {
            prove_foreign_key(&key, self.clock.now())?;
        }
        let usable = UsableKey {
            id: row.id,
            key: Arc::new(key),
            is_of_our_root,
        };
        let mut kept = self.kept();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(company.clone(), usable.clone());
        Ok(usable)
    }

    /// Returns the time from which the seal key of the row `in_use` can no longer seal. Does not use the key itself, so
    /// its token may be unavailable.
    pub(crate) fn seal_key_end(&self, company: &CompanyId, in_use: Option<i64>) -> Result<Option<Timestamp>, Error> {
        let Some(in_use) = in_use else { return Ok(None) };
        let kept = self.kept().get(company).filter(|kept| kept.id == in_use).cloned();
        if let Some(kept) = kept {
            return Ok(Some(kept.key.not_after()));
        }
        let wanted = company.clone();
        let row = self
            .store
            .read_one(move |tx| store::company::seal_key(tx, &wanted).map_err(Error::from))?;
        // A key that cannot be read is refused when it is used.
        Ok(row.and_then(|row| end_of_certificates(&row.certificates).ok()))
    }

    /// Returns the installation's root certificate as PEM, so that other verifiers can trust it.
    pub fn root_certificate(&self) -> Result<String, Error> {
        installation::root_certificate(&self.store)
    }

    /// Issues a root certificate with a later end. Existing certificates stay valid, and chain to both the old and the
    /// new one.
    pub fn renew_root(&self) -> Result<String, Error> {
        let certificate = installation::renew_root(&self.store, &self.vault, self.now())?;
        tracing::info!("root certificate renewed");
        Ok(certificate)
    }

    /// Returns the roots that this installation trusts when it verifies: its own root.
    pub fn trusted_roots(&self) -> Result<TrustedRoots, Error> {
        TrustedRoots::from_pem(&self.root_certificate()?)
            .map_err(|error| Error::internal("reading the installation's root certificate", error))
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<CompanyId, UsableKey>> {
        self.seal_keys.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The operator's key or certificate cannot be used.
pub(crate) fn not_sealable(reason: impl std::fmt::Display) -> Error {
    Error::Unprocessable(vec![Fault::new("", FaultCode::NotSealable).with("reason", reason)])
}
