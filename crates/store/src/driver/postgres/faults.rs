//! Turns errors of the server and the connection into errors of the store.

use tokio_postgres::error::SqlState;

use super::connection::ConnectError;
use crate::{Error, Statement};

/// Returns the driver's message followed by its causes, which include the server's message.
pub(super) fn described(error: &tokio_postgres::Error) -> String {
    if let Some(told) = error.as_db_error() {
        return format!("{} ({})", told.message(), told.code().code());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

impl ConnectError {
    pub(super) fn described(&self) -> String {
        match self {
            ConnectError::Postgres(error) => described(error),
            ConnectError::Runtime(_) => self.to_string(),
        }
    }

    pub(super) fn unreachable(&self) -> Error {
        Error::Unreachable {
            detail: self.described(),
        }
    }

    /// Returns the error for the first connection to this database. A missing server may only start later than we do,
    /// but one that refuses a password will keep refusing it.
    pub(super) fn at_start(&self, name: String) -> Error {
        let detail = self.described();
        match self {
            ConnectError::Postgres(error) if lost(error) => Error::Unreachable {
                detail: format!("{name}: {detail}"),
            },
            _ => Error::Open { name, detail },
        }
    }
}

pub(super) fn unreachable(error: &tokio_postgres::Error) -> Error {
    Error::Unreachable {
        detail: described(error),
    }
}

/// True if the server has no room for the write.
pub(super) fn is_full(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::DISK_FULL))
}

/// Returns the error for contention on the same rows, or `None` for any other error.
pub(super) fn contention(error: &tokio_postgres::Error) -> Option<Error> {
    let detail = described(error);
    match *error.code()? {
        SqlState::T_R_SERIALIZATION_FAILURE => Some(Error::Busy { detail }),
        SqlState::T_R_DEADLOCK_DETECTED => Some(Error::Deadlock { detail }),
        _ => None,
    }
}

/// True if the connection is gone, or the server announced that it will close it.
pub(super) fn lost(error: &tokio_postgres::Error) -> bool {
    match error.code() {
        Some(code) => {
            code.code().starts_with("08")
                || [
                    SqlState::ADMIN_SHUTDOWN,
                    SqlState::CRASH_SHUTDOWN,
                    SqlState::CANNOT_CONNECT_NOW,
                    SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
                ]
                .contains(code)
        }
        None => {
            error.is_closed()
                || std::error::Error::source(error)
                    .is_some_and(|cause| cause.downcast_ref::<std::io::Error>().is_some())
        }
    }
}

/// True if the answer to a commit does not say whether it happened.
pub(super) fn unclear(error: &tokio_postgres::Error) -> bool {
    error.code().is_none() || lost(error)
}

pub(super) fn statement_error(statement: &'static Statement, error: &tokio_postgres::Error) -> Error {
    let detail = described(error);
    let statement = statement.name();
    let Some(told) = error.as_db_error() else {
        return Error::Statement { statement, detail };
    };
    if *told.code() == SqlState::UNIQUE_VIOLATION {
        return Error::Conflict {
            constraint: unique_key(
                told.table().unwrap_or_default(),
                told.constraint().unwrap_or_default(),
                told.detail().unwrap_or_default(),
            ),
        };
    }
    if told.code().code().starts_with("23") {
        return Error::Constraint { statement, detail };
    }
    if is_full(error) {
        return Error::Full { detail };
    }
    Error::Statement { statement, detail }
}

/// Returns the key as `member(company, email)`, as on SQLite. The detail `Key (company, email)=(…) already exists.`
/// contains the columns, in whatever language the server uses. An index over an expression is reported by its name.
fn unique_key(table: &str, constraint: &str, detail: &str) -> String {
    let columns = detail
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(")=("))
        .map(|(columns, _)| columns);
    let plain = |columns: &&str| {
        !columns.is_empty()
            && columns
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || "_, ".contains(character))
    };
    match columns.filter(plain) {
        Some(columns) => format!("{table}({columns})"),
        None => constraint.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::unique_key;

    #[test]
    fn a_unique_key_is_named_as_on_sqlite() {
        assert_eq!(
            unique_key("member", "m", "Key (company, email)=(acme, a@b) already exists."),
            "member(company, email)"
        );
        assert_eq!(
            unique_key("member", "lower_email", "Key (lower(email))=(a@b) already exists."),
            "lower_email"
        );
    }
}
