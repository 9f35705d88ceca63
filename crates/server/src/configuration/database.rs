//! `[database]` and `[keys]`: where rows are stored, and the key that encrypts their secrets.

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::Secret;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault, secret};
use crate::database_url::with_password;

/// How long a caller waits for a connection to PostgreSQL. If a connection breaks during a commit, also the time to
/// find out whether the commit happened.
const DATABASE_PATIENCE: Duration = Duration::from_secs(20);

/// `[database]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `postgres://…`. Default: an SQLite file in the data folder.
    pub url: Option<Secret>,
    pub url_file: Option<PathBuf>,
    /// A file that contains the password, which is then not in the URL.
    pub password_file: Option<PathBuf>,
    /// The number of connections to PostgreSQL.
    pub connections: usize,
    /// How many seconds `serve` waits if PostgreSQL cannot be reached at the start.
    pub wait_seconds: u64,
}

/// `[keys]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keys {
    /// The path of the master key. Default: `master.key` in the data folder.
    pub master_key_file: Option<PathBuf>,
}

impl Default for Database {
    fn default() -> Database {
        Database {
            url: None,
            url_file: None,
            password_file: None,
            connections: 8,
            wait_seconds: 60,
        }
    }
}

impl Configuration {
    /// Returns the configured PostgreSQL database, or an SQLite file in the data folder.
    pub fn store(&self, data: &Path) -> Result<store::Settings, ConfigurationFault> {
        let url = secret(
            &self.named("database.url_file"),
            self.database.url.as_ref(),
            self.database.url_file.as_deref(),
        )?;
        let password = secret(
            &self.named("database.password_file"),
            None,
            self.database.password_file.as_deref(),
        )?;
        let of_password = |reason| self.senseless("database.password_file", reason);
        let url = match (url, password) {
            (Some(url), Some(password)) => Some(with_password(&url, &password).map_err(of_password)?),
            (None, Some(_)) => {
                return Err(of_password(
                    "set database.url too, for example postgres://user@host/name",
                ));
            }
            (url, None) => url,
        };
        Ok(match url {
            Some(url) => store::Settings::Postgres {
                url,
                connections: self.database.connections.max(1),
                patience: DATABASE_PATIENCE,
            },
            None => store::Settings::Sqlite {
                path: data.join("countersign.db"),
            },
        })
    }

    pub fn master_key_file(&self, data: &Path) -> PathBuf {
        self.keys
            .master_key_file
            .clone()
            .unwrap_or_else(|| data.join("master.key"))
    }
}
