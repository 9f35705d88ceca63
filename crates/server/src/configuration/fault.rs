//! Errors in a configuration. Their texts never repeat a value, because it may be a password, or a part of one that was
//! written without quotes or in the wrong place.

use std::path::PathBuf;

use figment::error::{Actual, Kind};

/// The reasons why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationFault {
    /// The named file does not exist.
    #[error("the configuration file {0} cannot be read: {1}")]
    File(PathBuf, std::io::Error),
    /// A value or a name is wrong. The text says where.
    #[error("{0}")]
    Value(String),
    /// A secret's file cannot be read.
    #[error("{setting} refers to {path}, which cannot be read: {source}")]
    SecretFile {
        /// The setting, as the operator wrote it.
        setting: String,
        path: PathBuf,
        source: std::io::Error,
    },
    /// A value has the right type but makes no sense.
    #[error("{setting}: {reason}")]
    Senseless {
        /// The setting, as the operator wrote it.
        setting: String,
        reason: String,
    },
}

/// Describes what is wrong with the value of a setting, without repeating it.
pub fn without_values(kind: &Kind) -> String {
    match kind {
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            format!("it is {}, but must be {expected}", kind_of(found))
        }
        Kind::Unsupported(found) => format!("it must not be {}", kind_of(found)),
        Kind::UnsupportedKey(_, expected) => format!("its name must be {expected}"),
        Kind::UnknownVariant(_, known) => format!("it must be one of {}", known.join(", ")),
        other => other.to_string(),
    }
}

fn kind_of(found: &Actual) -> &'static str {
    match found {
        Actual::Bool(_) => "true or false",
        Actual::Unsigned(_) | Actual::Signed(_) | Actual::Float(_) => "a number",
        Actual::Char(_) | Actual::Str(_) => "a text",
        Actual::Seq => "a list",
        Actual::Map => "a section",
        _ => "something else",
    }
}

/// Returns the position at which a text is not TOML. The library's own message would show the line.
pub fn syntax_fault(text: &str) -> String {
    let span = toml::from_str::<toml::Table>(text).err().and_then(|error| error.span());
    let Some(before) = span.and_then(|span| text.get(..span.start)) else {
        return "this is not valid TOML".to_owned();
    };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}: this is not valid TOML; put text in quotes, and use each name only once")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_of_syntax_says_where_and_repeats_nothing() {
        for (text, place) in [
            ("[database]\nurl = postgres://u:qxz@zjv/d", "line 2, column "),
            ("[mail.smtp]\nhost = 'h'\npassword = 'qxz", "line 3, column "),
            ("[mail.smtp]\npassword = 'qxz'zjv'", "line 2, column "),
            ("[a]\nb = 'qxz'\nb = 'zjv'", "line 3, column "),
            ("[webhook", "line 1, column "),
        ] {
            let fault = syntax_fault(text);
            assert!(fault.starts_with(place), "{text}: {fault}");
            assert!(!fault.contains("qxz") && !fault.contains("zjv"), "{fault}");
        }
    }
}
