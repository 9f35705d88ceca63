//! What a use-case answers if it does not do what it was asked.
//!
//! The list is closed: [`Error`] has one variant for each kind of failure that a caller can tell apart, and [`FaultCode`],
//! [`ConflictCode`], [`ThrottleCode`], [`ForbiddenCode`] and [`Subject`] name the reasons. Each code has an id that never
//! changes once released (programs compare it; `OpenAPI` lists it) and a message `error-<id>` in every language, which a
//! test demands. To add a code, add a line to the list in `codes` and three lines under `locales/`.
//!
//! [`Error::Internal`] and [`Error::OutcomeUnknown`] are failures of our own, [`Error::Unavailable`] may be. Their causes
//! are for the log, which a client never sees. Creating an error logs nothing, since a transaction that fails may run again
//! and succeed: the code that answers calls [`Error::log`], once.

mod codes;
mod fault;

use domain::{Language, Zone};
use jiff::{SignedDuration, Timestamp};

use crate::base::seal_refusal::SealRefusal;

pub(crate) use codes::codes;
pub use codes::{ConflictCode, FaultCode, ForbiddenCode, Subject, ThrottleCode};
pub use fault::Fault;
pub(crate) use fault::message;

/// Seconds after which to try again if a disk is full, because a person has to make room.
const FULL_RETRY: u64 = 60;
/// The same if the bucket with the files does not answer.
const AWAY_RETRY: u64 = 5;

/// A use-case's failure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body is not JSON (400).
    #[error("the body is not JSON")]
    NotJson,
    /// The body ended early, or its encoding differs from its headers (400).
    #[error("the body did not arrive completely")]
    BrokenBody,
    /// No, an unknown or an expired token (401).
    #[error("no valid access token")]
    Unauthenticated,
    /// The company or the role may not (403).
    #[error("not allowed: {0}")]
    Forbidden(ForbiddenCode),
    /// It does not exist, or belongs to another company (404).
    #[error("no such {0}")]
    NotFound(Subject),
    /// The state does not allow it (409).
    #[error("the state does not allow it: {code}")]
    Conflict {
        code: ConflictCode,
        /// The state that was found, as the API writes it.
        state: Option<String>,
    },
    /// Rules are broken (422); every fault at once.
    #[error("refused: {}", list(.0))]
    Unprocessable(Vec<Fault>),
    /// The body is larger than `limit` bytes (413).
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// What would be accepted.
        limit: u64,
    },
    /// The media type is not accepted, or the body is compressed (415).
    #[error("the media type is not supported")]
    Unsupported {
        /// The media types that are accepted, if it has another one.
        expected: Option<&'static str>,
    },
    /// Too often (429).
    #[error("{code}; try again in {retry_after} s")]
    Throttled {
        code: ThrottleCode,
        /// Seconds to wait.
        retry_after: u64,
        /// The time to try again, as people read it, if we know it.
        until: Option<String>,
    },
    /// The company cannot seal, so nothing that would have to be sealed starts or is completed (422; 503 while a token is
    /// away). Members read why; signers do not ([`crate::base::signer_error::SignerError`]).
    #[error("the company cannot seal: {0}")]
    NotSealable(SealRefusal),
    /// Not now (503). Nothing was done.
    #[error("busy; try again in {retry_after} s{}", cause.as_ref().map(|cause| format!(" ({cause})")).unwrap_or_default())]
    Unavailable {
        /// Seconds to wait.
        retry_after: u64,
        /// What is missing, if it is more than a full queue: for the log only.
        cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// We lost the database during a commit, and it has not come back to say whether the commit happened (500). The caller
    /// must check the state before they retry, so no time to retry is given.
    #[error("we could not confirm whether this was done: {0}")]
    OutcomeUnknown(Box<store::Error>),
    /// A stored file is missing or damaged (500). The operator has to restore it.
    #[error(transparent)]
    FileLost(blobs::Error),
    /// Our own failure (500).
    #[error("{doing}: {source}")]
    Internal {
        /// What was being done.
        doing: &'static str,
        /// What went wrong: for the log only.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A wait as we announce it, here and in `Retry-After`: whole seconds, rounded up.
pub(crate) fn whole_seconds(wait: SignedDuration) -> u64 {
    let seconds = wait.as_secs().saturating_add(i64::from(wait.subsec_nanos() > 0));
    u64::try_from(seconds).unwrap_or_default()
}

impl Error {
    /// Our own failure while `doing` something.
    pub fn internal(doing: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Internal {
            doing,
            source: source.into(),
        }
    }

    /// Too busy: nothing was done, and the caller can retry in some seconds.
    pub fn busy(retry_after: u64) -> Error {
        Error::Unavailable {
            retry_after,
            cause: None,
        }
    }

    /// Too often; try again after this time.
    pub fn throttled(code: ThrottleCode, wait: SignedDuration) -> Error {
        Error::Throttled {
            code,
            retry_after: whole_seconds(wait),
            until: None,
        }
    }

    /// The recipient was asked recently. `wait` counts from `at`; the time is written in `zone`.
    pub(crate) fn asked_lately(at: Timestamp, wait: SignedDuration, zone: Zone) -> Error {
        let seconds = i64::try_from(whole_seconds(wait)).unwrap_or_default();
        let until = at.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(at);
        Error::Throttled {
            code: ThrottleCode::AskedLately,
            retry_after: whole_seconds(wait),
            until: Some(domain::time::format_with_zone(until, zone)),
        }
    }

    /// Seconds after which to try again, if that may help; at least one.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Error::Throttled { retry_after, .. } | Error::Unavailable { retry_after, .. } => {
                Some((*retry_after).max(1))
            }
            Error::NotSealable(refusal) => refusal.retry_after(),
            _ => None,
        }
    }

    /// Logs what only the operator can fix. Called once, by the code that answers.
    pub fn log(&self) {
        match self {
            Error::Internal { doing, source } => tracing::error!(%doing, error = %chain(source.as_ref()), "failed"),
            Error::FileLost(cause) => tracing::error!(error = %cause, "a file is lost"),
            Error::NotSealable(refusal) => tracing::error!(error = %refusal, "a company cannot seal"),
            Error::OutcomeUnknown(cause) => {
                tracing::error!(error = %cause, "could not confirm whether a commit happened");
            }
            Error::Unavailable { cause: Some(cause), .. } => {
                tracing::warn!(error = %chain(cause.as_ref()), "what the service needs is not available");
            }
            _ => {}
        }
    }

    pub fn fault(path: impl Into<String>, code: FaultCode) -> Error {
        Error::Unprocessable(vec![Fault::new(path, code)])
    }

    /// A conflict that names no state.
    pub fn conflict(code: ConflictCode) -> Error {
        Error::Conflict { code, state: None }
    }

    /// The id of the failure, as programs compare it: the code of the reason, if it has one.
    pub fn id(&self) -> &'static str {
        match self {
            Error::NotJson => "not-json",
            Error::BrokenBody => "broken-body",
            Error::Unauthenticated => "unauthenticated",
            Error::Forbidden(code) => code.id(),
            Error::NotFound(_) => "not-found",
            Error::Conflict { code, .. } => code.id(),
            Error::Unprocessable(_) => "unprocessable",
            Error::TooLarge { .. } => "too-large",
            Error::Unsupported { .. } => "unsupported",
            Error::Throttled { code, .. } => code.id(),
            Error::NotSealable(refusal) => refusal.code.id(),
            Error::Unavailable { .. } => "unavailable",
            Error::OutcomeUnknown(_) => "outcome-unknown",
            Error::FileLost(_) => "file-lost",
            Error::Internal { .. } => "internal",
        }
    }

    /// The message for people: what was refused and, if possible, the remedy.
    pub fn message(&self, language: Language) -> String {
        match self {
            Error::NotFound(subject) => {
                let named = message(language, &format!("subject-{subject}"), &[]);
                message(language, self.id(), &[("subject", named)])
            }
            Error::Conflict { code, state } => {
                message(language, code.id(), &[("state", state.clone().unwrap_or_default())])
            }
            Error::Unprocessable(faults) => {
                let mut all = message(language, self.id(), &[]);
                for fault in faults {
                    all.push(' ');
                    if !fault.path.is_empty() {
                        all.push_str(&fault.path);
                        all.push_str(": ");
                    }
                    all.push_str(&fault.message(language));
                }
                all
            }
            Error::TooLarge { limit } => message(language, self.id(), &[("limit", limit.to_string())]),
            Error::Unsupported { expected } => message(
                language,
                self.id(),
                &[("expected", expected.unwrap_or("none").to_owned())],
            ),
            Error::Throttled { until, .. } => {
                let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
                let time = until.clone().unwrap_or_default();
                message(language, self.id(), &[("wait", wait), ("time", time)])
            }
            Error::NotSealable(refusal) => {
                let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
                message(language, self.id(), &[("wait", wait), ("date", refusal.date())])
            }
            Error::Unavailable { .. } => {
                let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
                message(language, self.id(), &[("wait", wait)])
            }
            _ => message(language, self.id(), &[]),
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        if error.is_temporary() {
            let is_full = matches!(error, store::Error::Full { .. });
            return Error::Unavailable {
                retry_after: if is_full { FULL_RETRY } else { 1 },
                cause: Some(Box::new(error)),
            };
        }
        if matches!(error, store::Error::CommitUnknown { .. }) {
            return Error::OutcomeUnknown(Box::new(error));
        }
        Error::internal("using the database", error)
    }
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Error {
        match error {
            blobs::Error::Full(_) => Error::Unavailable {
                retry_after: FULL_RETRY,
                cause: Some(Box::new(error)),
            },
            error if error.is_temporary() => Error::Unavailable {
                retry_after: AWAY_RETRY,
                cause: Some(Box::new(error)),
            },
            blobs::Error::Missing(_) | blobs::Error::Damaged(_) => Error::FileLost(error),
            other => Error::internal("using the files", other),
        }
    }
}

/// The ids that name an [`Error`] itself rather than a reason.
pub const ERROR_IDS: &[&str] = &[
    "not-json",
    "broken-body",
    "unauthenticated",
    "not-found",
    "unprocessable",
    "too-large",
    "unsupported",
    "unavailable",
    "outcome-unknown",
    "file-lost",
    "internal",
];

/// An error and its causes in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn list(faults: &[Fault]) -> String {
    let each: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.code))
        .collect();
    each.join(", ")
}

#[cfg(test)]
mod tests;
