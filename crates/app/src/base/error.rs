//! Errors of use cases.
//!
//! The list is closed: [`Error`] has one variant for each kind of failure that a caller can distinguish, and
//! [`FaultCode`], [`ConflictCode`], [`ThrottleCode`], [`ForbiddenCode`] and [`Subject`] name the reasons. Each code has
//! an ID that never changes once released (programs compare it and `OpenAPI` lists it), and a message `error-<id>` in
//! every language, which a test enforces. To add a code, add a line to the list in `codes` and three lines under
//! `locales/`.
//!
//! [`Error::Internal`] and [`Error::OutcomeUnknown`] are always internal failures, and [`Error::Unavailable`] may be
//! one. Their causes go to the log and never to a client. Creating an error logs nothing, because a failed transaction
//! may be retried and succeed. The code that sends the response calls [`Error::log`] once.

mod codes;
mod fault;

use domain::{Language, Zone};
use jiff::{SignedDuration, Timestamp};

use crate::base::seal_refusal::SealRefusal;

pub(crate) use codes::codes;
pub use codes::{ConflictCode, FaultCode, ForbiddenCode, Subject, ThrottleCode};
pub use fault::Fault;
pub(crate) use fault::message;

/// Seconds to wait before a retry if a disk is full. Longer than usual because a person has to free space.
const FULL_RETRY: u64 = 60;
/// The same if the bucket with the files does not answer.
const AWAY_RETRY: u64 = 5;

/// An error of a use case.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body is not JSON (400).
    #[error("the body is not JSON")]
    NotJson,
    /// The body ended early, or its encoding differs from its headers (400).
    #[error("the request body was cut off")]
    BrokenBody,
    /// The token is missing, unknown or expired (401).
    #[error("the access token is missing, unknown or expired")]
    Unauthenticated,
    /// The company or the role lacks this permission (403).
    #[error("not allowed: {0}")]
    Forbidden(ForbiddenCode),
    /// The object does not exist, or belongs to another company (404).
    #[error("no such {0}")]
    NotFound(Subject),
    /// The current state does not allow the request (409).
    #[error("the current state does not allow this: {code}")]
    Conflict {
        code: ConflictCode,
        /// The current state, as the API writes it.
        state: Option<String>,
    },
    /// The request breaks rules (422). Lists every fault at once.
    #[error("refused: {}", list(.0))]
    Unprocessable(Vec<Fault>),
    /// The body is larger than `limit` bytes (413).
    #[error("the body is larger than {limit} bytes")]
    TooLarge {
        /// The maximum size.
        limit: u64,
    },
    /// The media type is not accepted, or the body is compressed (415).
    #[error("the media type is not supported")]
    Unsupported {
        /// The accepted media types, if the request has another one.
        expected: Option<&'static str>,
    },
    /// Too many requests (429).
    #[error("{code}; try again in {retry_after} s")]
    Throttled {
        code: ThrottleCode,
        /// Seconds to wait.
        retry_after: u64,
        /// Time of the next possible retry, in readable form, if known.
        until: Option<String>,
    },
    /// The company cannot seal, so no workflow that needs a seal can start or complete (422, or 503 while a token is
    /// unavailable). Members see the reason, but signers do not ([`crate::base::signer_error::SignerError`]).
    #[error("the company cannot seal: {0}")]
    NotSealable(SealRefusal),
    /// Temporarily unavailable (503). Nothing was done.
    #[error("the service is busy; try again in {retry_after} s{}", cause.as_ref().map(|cause| format!(" ({cause})")).unwrap_or_default())]
    Unavailable {
        /// Seconds to wait.
        retry_after: u64,
        /// The cause, unless it is only a full queue. For the log only.
        cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// We lost the database connection during a commit, and could not confirm whether the commit succeeded (500).
    /// Callers must check the current state before they retry, so the response suggests no wait.
    #[error("we could not confirm whether this was done: {0}")]
    OutcomeUnknown(Box<store::Error>),
    /// A stored file is missing or damaged (500). The operator has to restore it.
    #[error(transparent)]
    FileLost(blobs::Error),
    /// An internal error (500).
    #[error("{doing}: {source}")]
    Internal {
        /// The task that failed.
        doing: &'static str,
        /// The cause, for the log only.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Rounds a wait up to whole seconds, for messages and `Retry-After`.
pub(crate) fn whole_seconds(wait: SignedDuration) -> u64 {
    let seconds = wait.as_secs().saturating_add(i64::from(wait.subsec_nanos() > 0));
    u64::try_from(seconds).unwrap_or_default()
}

impl Error {
    /// An internal error that occurred while `doing` something.
    pub fn internal(doing: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Internal {
            doing,
            source: source.into(),
        }
    }

    /// The server is busy. Nothing was done, and the caller can retry after these seconds.
    pub fn busy(retry_after: u64) -> Error {
        Error::Unavailable {
            retry_after,
            cause: None,
        }
    }

    /// Too many requests. The caller can retry after this time.
    pub fn throttled(code: ThrottleCode, wait: SignedDuration) -> Error {
        Error::Throttled {
            code,
            retry_after: whole_seconds(wait),
            until: None,
        }
    }

    /// The recipient was reminded recently. `wait` counts from `at`, and the time is shown in `zone`.
    pub(crate) fn asked_lately(at: Timestamp, wait: SignedDuration, zone: Zone) -> Error {
        let seconds = i64::try_from(whole_seconds(wait)).unwrap_or_default();
        let until = at.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(at);
        Error::Throttled {
            code: ThrottleCode::AskedLately,
            retry_after: whole_seconds(wait),
            until: Some(domain::time::format_with_zone(until, zone)),
        }
    }

    /// Seconds to wait before a retry, at least one. `None` if a retry cannot help.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Error::Throttled { retry_after, .. } | Error::Unavailable { retry_after, .. } => {
                Some((*retry_after).max(1))
            }
            Error::NotSealable(refusal) => refusal.retry_after(),
            _ => None,
        }
    }

    /// Logs the failures that only the operator can fix. The code that sends the response calls this once.
    pub fn log(&self) {
        match self {
            Error::Internal { doing, source } => tracing::error!(%doing, error = %chain(source.as_ref()), "failed"),
            Error::FileLost(cause) => tracing::error!(error = %cause, "a file is lost"),
            Error::NotSealable(refusal) => tracing::error!(error = %refusal, "a company could not seal"),
            Error::OutcomeUnknown(cause) => {
                tracing::error!(error = %cause, "we could not confirm whether a commit happened");
            }
            Error::Unavailable { cause: Some(cause), .. } => {
                tracing::warn!(error = %chain(cause.as_ref()), "the service was unavailable");
            }
            _ => {}
        }
    }

    pub fn fault(path: impl Into<String>, code: FaultCode) -> Error {
        Error::Unprocessable(vec![Fault::new(path, code)])
    }

    /// A conflict that does not include the state.
    pub fn conflict(code: ConflictCode) -> Error {
        Error::Conflict { code, state: None }
    }

    /// The ID of the failure, which programs compare: the code of the reason, if there is one.
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

    /// The message for people, which says what was refused and, if possible, how to fix it.
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

/// The IDs of the [`Error`] variants themselves, not of the reasons.
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

/// Joins an error and its causes in one line.
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
