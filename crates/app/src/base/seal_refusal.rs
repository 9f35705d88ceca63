//! Reasons why a company cannot seal, for the members and operators who can fix them.
//!
//! Signers can do nothing about a certificate or PIN, and should not learn about it. They see
//! [`crate::base::signer_error::SignerError`].

use std::fmt;

use domain::{Zone, time};
use jiff::Timestamp;

use crate::base::error::codes;

/// Seconds to wait before a retry if a token is missing. Longer than usual because a person has to connect it.
const AWAY_RETRY: u64 = 30;

codes! {
    /// Reason why a company cannot seal.
    SealCode {
        NoKey => "seal-key-missing",
        /// The certificate is not valid yet.
        NotYet => "seal-certificate-not-yet-valid",
        /// The certificate has expired.
        Expired => "seal-certificate-expired",
        /// The certificate was revoked by its issuer.
        Revoked => "seal-certificate-revoked",
        /// The token with the key refuses the PIN.
        Pin => "seal-key-pin-refused",
        /// The token with the key is unavailable (503).
        TokenAway => "seal-token-away",
        /// The key cannot be read, or its seals are invalid.
        Unusable => "seal-key-unusable",
    }
}

/// The refusal to seal for a company, with the reason.
#[derive(Debug)]
pub struct SealRefusal {
    pub code: SealCode,
    /// The start or end of the certificate, if that is the reason.
    at: Option<Timestamp>,
    /// The cause, for the log and for operators.
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

    /// Sets the start or end of the certificate.
    pub(crate) fn at(mut self, at: Option<Timestamp>) -> Self {
        self.at = at;
        self
    }

    /// Seconds to wait before a retry. `None` if somebody has to fix something first.
    pub fn retry_after(&self) -> Option<u64> {
        (self.code == SealCode::TokenAway).then_some(AWAY_RETRY)
    }

    /// The time shown in the message. Empty if there is none.
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
