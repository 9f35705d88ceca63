//! Why a company cannot seal, for the members and operators who can act on it.
//!
//! Signers cannot, and a certificate or PIN is none of their business: they read [`crate::base::signer_error::SignerError`].

use std::fmt;

use domain::{Zone, time};
use jiff::Timestamp;

use crate::base::error::codes;

/// Seconds after which to look for a missing token again, because a person has to connect it.
const AWAY_RETRY: u64 = 30;

codes! {
    /// Why a company cannot seal.
    SealCode {
        NoKey => "seal-key-missing",
        /// Its certificate is not valid yet.
        NotYet => "seal-certificate-not-yet-valid",
        /// Its certificate has expired.
        Expired => "seal-certificate-expired",
        /// Its certificate was revoked by its issuer.
        Revoked => "seal-certificate-revoked",
        /// The token with the key refuses the PIN.
        Pin => "seal-key-pin-refused",
        /// The token with the key is away (503).
        TokenAway => "seal-token-away",
        /// The key cannot be read, or its seals are not valid.
        Unusable => "seal-key-unusable",
    }
}

/// That a company cannot seal, and why.
#[derive(Debug)]
pub struct SealRefusal {
    pub code: SealCode,
    /// When its certificate begins or ended, if that is why.
    at: Option<Timestamp>,
    /// For the log and for operators.
    cause: Box<dyn std::error::Error + Send + Sync>,
}

impl SealRefusal {
    pub(crate) fn new(code: SealCode, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            code,
            at: None,
            cause: cause.into(),
        }
    }

    /// Names when the certificate begins or ended.
    pub(crate) fn at(mut self, at: Option<Timestamp>) -> Self {
        self.at = at;
        self
    }

    /// Seconds after which to try again, if nobody has to fix anything first.
    pub fn retry_after(&self) -> Option<u64> {
        (self.code == SealCode::TokenAway).then_some(AWAY_RETRY)
    }

    /// The time in its message. Empty if there is none.
    pub(crate) fn date(&self) -> String {
        self.at
            .map(|at| time::format_with_zone(at, Zone::UTC))
            .unwrap_or_default()
    }
}

impl fmt::Display for SealRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}
