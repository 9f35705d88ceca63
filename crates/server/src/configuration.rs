//! The operator's settings: a TOML file, overridden by environment variables, on top of defaults.
//!
//! A setting `key` of `[section]` is also the variable `COUNTERSIGN_SECTION__KEY`. Variables without `__` are not
//! settings. An unknown name is an error, because a misspelt setting would silently keep its default. An error names a
//! setting as it was written, with its file or variable ([`sources`]). Secrets can be in files instead (`url_file`,
//! `password_file`), and no `Debug` output shows them.

mod database;
mod documents;
mod fault;
mod files;
mod log;
mod login;
mod mail;
mod messenger;
mod metrics;
mod network;
mod sealing;
mod server;
mod sources;
mod starts;
#[cfg(test)]
mod tests;
mod webhook;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use app::{BulkSettings, HistorySettings, LoginSettings};
use domain::Secret;
use figment::Figment;
use figment::Provider as _;
use figment::providers::{Format as _, Serialized, Toml};
use serde::{Deserialize, Serialize};
use store::public_link::UseBounds;

use self::metrics::Metrics;
use database::{Database, Keys};
pub use documents::Documents;
pub use fault::ConfigurationFault;
use files::Files;
use log::Log;
pub use log::LogFormat;
use login::{Login, hashes};
use mail::Mail;
use messenger::Messenger;
use network::Network;
use sealing::{Sealing, Tokens};
use server::{Api, Server, public_url};
use sources::{Sources, Variables};
use starts::{Bulk, PublicLinks};
use webhook::Webhook;

/// All settings. Their names are public: `docs/` lists them, and they do not change.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Configuration {
    pub server: Server,
    pub api: Api,
    pub database: Database,
    pub keys: Keys,
    /// Where files are stored.
    pub files: Files,
    pub network: Network,
    /// Addresses that webhooks may be sent to.
    pub webhook: Webhook,
    pub bulk: Bulk,
    /// Links that start a document for anyone who opens them.
    pub public_links: PublicLinks,
    pub mail: Mail,
    /// Gateways for text messages, by name.
    pub messenger: BTreeMap<String, Messenger>,
    /// The limits on failed logins.
    pub login: Login,
    /// How documents are sealed.
    pub sealing: Sealing,
    /// PKCS#11 tokens that contain seal keys.
    pub pkcs11: Tokens,
    /// Limits for uploaded PDFs.
    pub documents: Documents,
    pub log: Log,
    /// Where the metrics are served.
    pub metrics: Metrics,
    #[serde(skip)]
    sources: Sources,
}

impl Configuration {
    pub fn load(file: Option<&Path>) -> Result<Configuration, ConfigurationFault> {
        Configuration::load_from(
            file,
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
        )
    }

    fn load_from(
        file: Option<&Path>,
        variables: impl Iterator<Item = (String, String)>,
    ) -> Result<Configuration, ConfigurationFault> {
        let mut figment = Figment::from(Serialized::defaults(Configuration::default()));
        let mut sources = Sources {
            file: file.map(Path::to_owned),
            ..Sources::default()
        };
        if let Some(path) = file {
            let text =
                std::fs::read_to_string(path).map_err(|error| ConfigurationFault::File(path.to_owned(), error))?;
            let toml = Toml::string(&text);
            let tables = toml.data().map_err(|_| {
                ConfigurationFault::Value(format!("{}: {}", path.display(), fault::syntax_fault(&text)))
            })?;
            for table in tables.values() {
                sources::keys(table, "", &mut sources.in_file);
            }
            figment = figment.merge(toml);
        }
        let variables = Variables::of(variables);
        sources.variables.clone_from(&variables.names);
        let mut configuration: Configuration = figment.merge(variables).extract().map_err(|error| {
            let faults: Vec<String> = error.into_iter().map(|error| sources.describe(&error)).collect();
            ConfigurationFault::Value(faults.join("\n"))
        })?;
        configuration.sources = sources;
        Ok(configuration)
    }

    /// Names a setting as the operator wrote it, for errors.
    fn named(&self, setting: &str) -> String {
        self.sources.named(setting)
    }

    /// Returns the error for a value that makes no sense.
    pub fn senseless(&self, setting: &str, reason: impl fmt::Display) -> ConfigurationFault {
        ConfigurationFault::Senseless {
            setting: self.named(setting),
            reason: reason.to_string(),
        }
    }

    /// Returns the settings of the use cases. Without a public URL, links use the address the server listens on.
    pub fn app(&self, bound: Option<std::net::SocketAddr>) -> Result<app::Settings, ConfigurationFault> {
        let public_url = match (&self.server.public_url, bound) {
            (Some(url), _) => public_url(url).map_err(|reason| self.senseless("server.public_url", reason))?,
            (None, Some(address)) => format!("http://{address}"),
            (None, None) => format!("http://{}", self.server.listen),
        };
        // The defaults are also the maximum.
        let sessions = app::Settings::default();
        Ok(app::Settings {
            public_url,
            auth_scheme: self.api.auth_scheme.clone(),
            webhook: self.webhook_rules(),
            history: HistorySettings {
                days: self.webhook.history_days.max(1),
                most: self.webhook.history_deliveries.max(1),
            },
            bulk: BulkSettings {
                rows: self.bulk.rows.max(1),
                bytes: self.bulk.largest_request,
            },
            public_links: UseBounds {
                of_addressee: self.public_links.hourly_per_addressee.max(1),
                of_link: self.public_links.hourly_per_link.max(1),
            },
            login: LoginSettings {
                per_account: self.login.per_account.max(1),
                per_address: self.login.per_address.max(1),
                window_seconds: self.login.window_seconds.max(1),
                concurrent_hashes: self.login.concurrent_hashes.unwrap_or_else(hashes),
            },
            session_seconds: self.login.session_seconds.clamp(60, sessions.session_seconds),
            session_idle_seconds: self.login.session_idle_seconds.clamp(60, sessions.session_idle_seconds),
            largest_document: self.documents.largest_file,
            page_cache: self.documents.page_cache,
            least_free_percent: self.documents.least_free_percent,
            fonts_folder: self.documents.fonts_folder.clone(),
            sealing: self.sealing()?,
            codes_to: self
                .messengers()?
                .map_or_else(Vec::new, |messengers| messengers.reaches("code")),
            gateways: Arc::new(
                self.messengers()?
                    .map_or_else(Vec::new, |messengers| messengers.roster()),
            ),
            codes_by_mail: self.mail()?.is_some(),
            mail_templates: Arc::new(self.mail_templates()),
        })
    }
}

/// Returns the number of processors that this process may use.
pub fn processors() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(processors).unwrap_or(1)
}

/// Returns a value that is set directly or in a file. Line ends at the end of the file are removed.
fn secret(setting: &str, value: Option<&Secret>, file: Option<&Path>) -> Result<Option<Secret>, ConfigurationFault> {
    let Some(path) = file else {
        return Ok(value.cloned());
    };
    let text = std::fs::read_to_string(path).map_err(|source| ConfigurationFault::SecretFile {
        setting: setting.to_owned(),
        path: path.to_owned(),
        source,
    })?;
    Ok(Some(Secret::new(text.trim_end_matches(['\r', '\n']))))
}
