//! Errors as signers see them.
//!
//! Signers can correct their entries and retry later, but they can neither renew a certificate nor restore a file. So
//! every error behind a signing link has this type, which has its own messages for everything that only the sender or
//! the operator can fix. Messages meant for them never reach a signer.

use domain::Language;

use crate::base::error::{Error, message};

/// Seconds to wait before a retry if the document cannot be sealed at the moment.
const RETRY_AFTER: u64 = 300;

/// An error as signers see it.
#[derive(Debug, Clone, Copy)]
pub struct SignerError<'e>(&'e Error);

impl<'e> From<&'e Error> for SignerError<'e> {
    fn from(error: &'e Error) -> Self {
        SignerError(error)
    }
}

impl SignerError<'_> {
    /// Whether the document cannot be completed at the moment, through no fault of the signer (503).
    pub fn cannot_complete(self) -> bool {
        matches!(self.0, Error::NotSealable(_))
    }

    /// The ID of the error, which programs compare.
    pub fn id(self) -> &'static str {
        if self.cannot_complete() {
            "cannot-complete"
        } else {
            self.0.id()
        }
    }

    /// Seconds to wait before a retry. `None` if a retry cannot help.
    pub fn retry_after(self) -> Option<u64> {
        let wait = self.0.retry_after();
        if self.cannot_complete() {
            wait.or(Some(RETRY_AFTER))
        } else {
            wait
        }
    }

    /// The message, which says what to do in the signer's language.
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
