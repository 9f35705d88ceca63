//! `[log]`: the content and format of the log.

use serde::{Deserialize, Serialize};

/// `[log]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// A level, or directives such as `info,delivery=debug`.
    pub filter: String,
    pub format: LogFormat,
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Default for Log {
    fn default() -> Log {
        Log {
            filter: "info,refinery_core=warn,postgres::config=warn".to_owned(),
            format: LogFormat::Text,
        }
    }
}
