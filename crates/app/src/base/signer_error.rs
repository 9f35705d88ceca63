//! Errors as signers read them.
//!
//! A signer can correct their entries and try again later; they can neither renew a certificate nor put a file back. So what is
//! answered behind a signing link is this type, which has words of its own for everything that only the sender or the operator
//! can act on: no text that is meant for them reaches a signer.

use domain::Language;

use crate::base::error::{Error, message};

/// Seconds after which a signer can retry, if the document cannot be sealed now.
const RETRY_AFTER: u64 = 300;

/// A failure as signers read it.
#[derive(Debug, Clone, Copy)]
pub struct SignerError<'e>(&'e Error);

impl<'e> From<&'e Error> for SignerError<'e> {
    fn from(error: &'e Error) -> Self {
        SignerError(error)
    }
}

impl SignerError<'_> {
    /// True if the document cannot be completed now, through no fault of the signer (503).
    pub fn cannot_complete(self) -> bool {
        matches!(self.0, Error::NotSealable(_))
    }

    /// The id of the failure, as programs compare it.
    pub fn id(self) -> &'static str {
        if self.cannot_complete() {
            "cannot-complete"
        } else {
            self.0.id()
        }
    }

    /// Seconds after which to try again, if that may help.
    pub fn retry_after(self) -> Option<u64> {
        let wait = self.0.retry_after();
        if self.cannot_complete() {
            wait.or(Some(RETRY_AFTER))
        } else {
            wait
        }
    }

    /// What to do, in the signer's language.
    pub fn message(self, language: Language) -> String {
        let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
        match self.0 {
            Error::NotSealable(_) => message(language, "signer-cannot-complete", &[("wait", wait)]),
            Error::FileLost(_) => message(language, "signer-file-lost", &[]),
            Error::Internal { .. } => message(language, "signer-internal", &[]),
            Error::OutcomeUnknown(_) => message(language, "signer-outcome-unknown", &[]),
            error => error.message(language),
        }
    }
}
