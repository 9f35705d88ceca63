//! What the operator chose: a TOML file, environment variables over it, defaults under it.
//!
//! A setting `key` of `[section]` is also the variable `COUNTERSIGN_SECTION__KEY`; variables without `__` are not settings.
//! A name that is not known is an error, never a shrug: a misspelt setting would silently be the default. A fault names a
//! setting as it was written, with the file or as the variable ([`Sources`]). Secrets can be given as a file instead
//! (`url_file`, `password_file`), and none of them shows in a `Debug`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use app::{BulkSettings, HistorySettings, LoginSettings, MailTemplates, SealingSettings, TimeStampAuthority};
use delivery::egress::EgressFault;
use delivery::mailer::{LONGEST_SENDING, MailSettings, MailSettingsFault, MailTls, Mailer};
use delivery::messenger::{Format as BodyFormat, GatewayFault, GatewaySettings, Method, SignatureText, profiles};
use delivery::{Egress, Messengers, RunnerSettings, SourceRules};
use domain::public_address::{AddressRules, CallbackUrl};
use domain::{SealLevel, Secret, WhenTsaIsDown};
use figment::error::Kind;
use figment::providers::{Format, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use serde::{Deserialize, Serialize};
use store::public_link::UseBounds;

use crate::configuration_fault::{syntax_fault, without_values};
use crate::database_url::with_password;
use crate::environment::SystemRandom;
use crate::file_limit::Needs;

/// How long a caller waits for a connection to PostgreSQL, and for one that went away during his commit, to learn whether it
/// happened.
const DATABASE_PATIENCE: Duration = Duration::from_secs(20);

/// All settings. Their names are public: `docs/` lists them, and they stay.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Configuration {
    /// Where people and programs reach the service.
    pub server: Server,
    /// The API.
    pub api: Api,
    /// The database.
    pub database: Database,
    /// The master key.
    pub keys: Keys,
    /// The way out to other people's servers.
    pub network: Network,
    /// Where webhooks may go.
    pub webhook: Webhook,
    /// Many starts at once.
    pub bulk: Bulk,
    /// Links that start a document for whoever opens them.
    pub public_links: PublicLinks,
    /// Mail.
    pub mail: Mail,
    /// Messages to telephone numbers: gateways by their names.
    pub messenger: BTreeMap<String, Messenger>,
    /// The throttle of wrong credentials.
    pub login: Login,
    /// How documents are sealed.
    pub sealing: Sealing,
    /// Tokens that hold seal keys.
    pub pkcs11: Tokens,
    /// Strangers' PDFs.
    pub documents: Documents,
    /// The log.
    pub log: Log,
    /// Where the settings came from.
    #[serde(skip)]
    sources: Sources,
}

/// Which settings the operator wrote, and where.
#[derive(Debug, Clone, Default)]
struct Sources {
    file: Option<PathBuf>,
    /// Settings of the file: `webhook.ports`.
    in_file: BTreeSet<String>,
    /// Settings of the environment, with the names of their variables.
    variables: BTreeMap<String, String>,
}

/// `[server]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// The address to listen on; port 0 picks a free one.
    pub listen: String,
    /// What addresses in answers and mails begin with; the address that is listened on, if not given.
    pub public_url: Option<String>,
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed: addresses or blocks.
    pub trusted_proxies: Vec<String>,
    /// How many requests are worked on at the same time.
    pub concurrent_requests: usize,
}

/// `[api]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Api {
    /// The scheme word of the Authorization header, besides `Bearer`.
    pub auth_scheme: String,
}

/// `[database]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Database {
    /// `postgres://…`; without it, an SQLite file in the data folder.
    pub url: Option<Secret>,
    /// A file that holds the URL.
    pub url_file: Option<PathBuf>,
    /// A file that holds the password, which the URL then does not.
    pub password_file: Option<PathBuf>,
    /// Connections to PostgreSQL.
    pub connections: usize,
}

/// `[keys]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keys {
    /// The master key's file; `master.key` in the data folder, if not given.
    pub master_key_file: Option<PathBuf>,
}

/// `[network]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Network {
    /// The HTTP proxy that leads out, `http://user:password@host:port`; connections are made directly, if not given.
    pub proxy: Option<Secret>,
    /// A file that holds it.
    pub proxy_file: Option<PathBuf>,
    /// Hosts that are called without it.
    pub proxy_except: Vec<String>,
    /// It is asked for names instead of addresses that were checked here: for networks where it alone can resolve them.
    pub proxy_resolves_names: bool,
}

/// `[webhook]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhook {
    /// Plain http too.
    pub allow_http: bool,
    /// Any scheme, port and address: for tests and demonstrations.
    pub allow_private: bool,
    /// Ports besides 80 and 443.
    pub ports: Vec<u16>,
    /// How many days the history of deliveries is kept.
    pub history_days: u32,
    /// How many deliveries that are over each company keeps at most.
    pub history_deliveries: u32,
}

/// `[bulk]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bulk {
    /// Rows of one bulk start.
    pub rows: u32,
    /// Bytes of its request.
    pub largest_request: u64,
}

/// `[public_links]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PublicLinks {
    /// Documents that are started within an hour for one e-mail address or telephone number, by whichever of a company's links.
    pub hourly_per_addressee: u32,
    /// Documents that one link starts within an hour.
    pub hourly_per_link: u32,
    /// Documents that are started from one address on the network within ten minutes.
    pub per_network_address: u32,
}

/// `[mail]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mail {
    /// A folder with templates that stand in the place of the built-in ones.
    pub templates_folder: Option<PathBuf>,
    /// The SMTP server; without one, mails are kept in the outbox and shown on a page.
    pub smtp: Option<Smtp>,
}

/// `[mail.smtp]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Smtp {
    /// Its name.
    pub host: String,
    /// Its port; 587, 465 or 25 by `tls`, if not given.
    pub port: Option<u16>,
    /// How the connection is protected.
    #[serde(default)]
    pub tls: SmtpTls,
    /// The address that mails come from.
    pub from: String,
    /// Who logs in.
    pub user: Option<String>,
    /// With which password.
    pub password: Option<Secret>,
    /// A file that holds the password.
    pub password_file: Option<PathBuf>,
    /// How long connecting may take.
    #[serde(default = "thirty")]
    pub timeout_seconds: u64,
}

/// How the connection to the SMTP server is protected.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpTls {
    /// Not at all.
    None,
    /// STARTTLS, which must succeed.
    #[default]
    Starttls,
    /// TLS from the first byte.
    Tls,
}

/// `[messenger.NAME]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Messenger {
    /// A ready description; the settings below `allow_private` replace its parts.
    pub profile: Option<String>,
    /// Lower ones are asked first.
    pub order: u32,
    /// Beginnings of the numbers that it serves; the profile's, or all, if not given.
    pub countries: Option<Vec<String>>,
    /// The account, project or service.
    pub account: String,
    /// The key that says who asks.
    pub key: Option<Secret>,
    /// The secret that proves it.
    pub secret: Option<Secret>,
    /// A file that holds the secret.
    pub secret_file: Option<PathBuf>,
    /// Who sends.
    pub from: String,
    /// The channel that sends: of `KakaoTalk`.
    pub channel: String,
    /// The gateway's templates by kind of message.
    pub templates: BTreeMap<String, String>,
    /// The variables of those templates.
    pub variables: BTreeMap<String, String>,
    /// Other words by kind of message than ours.
    pub texts: BTreeMap<String, String>,
    /// The gateway's ids of people by their numbers.
    pub ids: BTreeMap<String, String>,
    /// It may have an address that is not public, and speak plain http.
    pub allow_private: bool,
    /// Scheme, host and port.
    pub address: Option<String>,
    /// What follows.
    pub path: Option<String>,
    /// The method.
    pub method: Option<Method>,
    /// Headers, added to the profile's.
    pub headers: BTreeMap<String, String>,
    /// How the body is written.
    pub format: Option<BodyFormat>,
    /// The body.
    pub body: Option<String>,
    /// What is signed.
    pub signed: Option<String>,
    /// How the signature is written.
    pub signature: Option<SignatureText>,
    /// It carries only kinds of messages that it has a template for.
    pub needs_template: Option<bool>,
    /// It carries only to people whose id is listed.
    pub needs_id: Option<bool>,
    /// How its answer is read.
    pub answer: MessengerAnswer,
}

/// `[messenger.NAME.answer]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MessengerAnswer {
    /// Where the word of success is.
    pub success_at: Option<String>,
    /// The words that mean success.
    pub success_is: Option<Vec<String>>,
    /// Statuses that say that it was taken before.
    pub taken: Option<Vec<u16>>,
    /// Statuses that say that it will never be taken.
    pub refused: Option<Vec<u16>>,
    /// Where the message's id is.
    pub id_at: Option<Vec<String>>,
    /// Where the gateway's words are.
    pub words_at: Option<Vec<String>>,
    /// Where its code of an error is.
    pub code_at: Option<Vec<String>>,
    /// Codes of errors that pass.
    pub temporary: Option<Vec<String>>,
}

/// `[login]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Login {
    /// Wrong credentials for one account within the window.
    pub per_account: u32,
    /// Wrong credentials from one address within the window.
    pub per_address: u32,
    /// The window.
    pub window_seconds: i64,
    /// Passwords hashed at the same time; half as many as there are processors, at most two, if not given.
    pub concurrent_hashes: Option<u32>,
    /// How long a member stays signed in on the pages; at most 30 days.
    pub session_seconds: i64,
    /// How long a session may be idle; at most 12 hours.
    pub session_idle_seconds: i64,
}

/// `[sealing]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sealing {
    /// `B-B`, `B-T`, `B-LT` or `B-LTA`; `B-LTA` with a time-stamp authority and `B-B` without, if not given.
    pub level: Option<SealLevel>,
    /// The time-stamp authority (RFC 3161 over HTTP).
    pub tsa_url: Option<String>,
    /// The policy to ask it for; its own, if not given.
    pub tsa_policy: Option<String>,
    /// The value of the Authorization header, where it wants one.
    pub tsa_authorization: Option<Secret>,
    /// A file that holds that value.
    pub tsa_authorization_file: Option<PathBuf>,
    /// `seal_and_upgrade` or `wait`.
    pub when_tsa_is_down: WhenTsaIsDown,
    /// The time-stamp authority may have an address that is not public.
    pub allow_private: bool,
    /// Hosts whose revocation lists, OCSP responders and certificates are fetched though their addresses are not public.
    pub private_hosts: Vec<String>,
    /// How long an approval waits at most for all of what proves certificates good, in seconds.
    pub proof_seconds: u64,
    /// The place that seals name (`/Location`), if they are to name one.
    pub location: Option<String>,
    /// What new seal certificates name as the address of the root's revocation list; `/ca/root.crl` below
    /// `server.public_url`, if not given; none, if that is not given either.
    pub revocation_list_url: Option<String>,
}

/// `[pkcs11]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tokens {
    /// The module: a shared library that the maker of the token provides.
    pub module: Option<PathBuf>,
    /// The user's PIN of the tokens.
    pub pin: Option<Secret>,
    /// A file that holds the PIN.
    pub pin_file: Option<PathBuf>,
}

/// `[documents]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Documents {
    /// Child processes at most; by the number of processors, if not given.
    pub workers: Option<usize>,
    /// The largest PDF that is taken, in bytes.
    pub largest_file: u64,
    /// The most pages of a PDF that is taken.
    pub most_pages: u32,
    /// Bytes of pictures and texts of pages that are kept in memory at most.
    pub page_cache: u64,
    /// Below so many percent of free disk no new files and documents are taken; 0: they always are.
    pub least_free_percent: u64,
    /// The longest side of a page, in points.
    pub longest_side: f64,
    /// The most pixels of one picture in a PDF.
    pub most_pixels: u64,
    /// The most bytes to which one stream of a PDF may grow.
    pub largest_stream: u64,
    /// The bytes of memory that a child process may use.
    pub worker_memory: u64,
    /// Milliseconds in the processor that taking a PDF in may need, whatever its pages.
    pub intake_milliseconds: u64,
    /// And for each of its pages.
    pub intake_milliseconds_page: u64,
    /// A folder with more fonts (TTF, OTF, TTC).
    pub fonts_folder: Option<PathBuf>,
}

/// `[log]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Log {
    /// What is logged: a level, or directives such as `info,delivery=debug`.
    pub filter: String,
    /// How.
    pub format: LogFormat,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for Server {
    fn default() -> Server {
        Server {
            listen: "127.0.0.1:8080".to_owned(),
            public_url: None,
            trusted_proxies: Vec::new(),
            concurrent_requests: 64,
        }
    }
}

impl Default for Api {
    fn default() -> Api {
        Api {
            auth_scheme: "service".to_owned(),
        }
    }
}

impl Default for Database {
    fn default() -> Database {
        Database {
            url: None,
            url_file: None,
            password_file: None,
            connections: 8,
        }
    }
}

impl Default for Webhook {
    fn default() -> Webhook {
        let AddressRules {
            allow_http,
            allow_private,
            ports,
        } = AddressRules::default();
        let HistorySettings { days, most } = HistorySettings::default();
        Webhook {
            allow_http,
            allow_private,
            ports,
            history_days: days,
            history_deliveries: most,
        }
    }
}

impl Default for Bulk {
    fn default() -> Bulk {
        let BulkSettings { rows, bytes } = BulkSettings::default();
        Bulk {
            rows,
            largest_request: bytes,
        }
    }
}

impl Default for PublicLinks {
    fn default() -> PublicLinks {
        let UseBounds { of_addressee, of_link } = app::Settings::default().public_links;
        PublicLinks {
            hourly_per_addressee: of_addressee,
            hourly_per_link: of_link,
            per_network_address: countersign_http::HttpSettings::default().link_starts,
        }
    }
}

impl Default for Messenger {
    fn default() -> Messenger {
        Messenger {
            profile: None,
            order: 10,
            countries: None,
            account: String::new(),
            key: None,
            secret: None,
            secret_file: None,
            from: String::new(),
            channel: String::new(),
            templates: BTreeMap::new(),
            variables: BTreeMap::new(),
            texts: BTreeMap::new(),
            ids: BTreeMap::new(),
            allow_private: false,
            address: None,
            path: None,
            method: None,
            headers: BTreeMap::new(),
            format: None,
            body: None,
            signed: None,
            signature: None,
            needs_template: None,
            needs_id: None,
            answer: MessengerAnswer::default(),
        }
    }
}

impl Default for Sealing {
    fn default() -> Sealing {
        let SealingSettings {
            level,
            when_tsa_is_down,
            location,
            proof_wait,
            ..
        } = SealingSettings::default();
        Sealing {
            level,
            tsa_url: None,
            tsa_policy: None,
            tsa_authorization: None,
            tsa_authorization_file: None,
            when_tsa_is_down,
            allow_private: false,
            private_hosts: Vec::new(),
            proof_seconds: proof_wait.as_secs(),
            location,
            revocation_list_url: None,
        }
    }
}

impl Default for Login {
    fn default() -> Login {
        let LoginSettings {
            per_account,
            per_address,
            window_seconds,
            ..
        } = LoginSettings::default();
        let app::Settings {
            session_seconds,
            session_idle_seconds,
            ..
        } = app::Settings::default();
        Login {
            per_account,
            per_address,
            window_seconds,
            concurrent_hashes: None,
            session_seconds,
            session_idle_seconds,
        }
    }
}

impl Default for Documents {
    fn default() -> Documents {
        let pool = document_worker::PoolSettings::default();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Documents {
            workers: None,
            largest_file: pool.limits.largest_file,
            most_pages: pool.limits.most_pages,
            page_cache: app::Settings::default().page_cache,
            least_free_percent: app::Settings::default().least_free_percent,
            longest_side: pool.limits.longest_side,
            most_pixels: pool.limits.most_pixels,
            largest_stream: pool.limits.largest_stream,
            worker_memory: pool.memory,
            intake_milliseconds: milliseconds(pool.time),
            intake_milliseconds_page: milliseconds(pool.time_of_page),
            fonts_folder: None,
        }
    }
}

impl Default for Log {
    fn default() -> Log {
        Log {
            filter: "info,refinery_core=warn,postgres::config=warn".to_owned(),
            format: LogFormat::Text,
        }
    }
}

fn thirty() -> u64 {
    30
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationFault {
    /// The file was named, and is not there.
    #[error("the configuration file {0} cannot be read: {1}")]
    File(PathBuf, std::io::Error),
    /// A value or a name is wrong; says where.
    #[error("{0}")]
    Value(String),
    /// A secret's file cannot be read.
    #[error("{setting} names {path}, which cannot be read: {source}")]
    SecretFile {
        /// The setting, as it was written.
        setting: String,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A value that has the right type makes no sense.
    #[error("{setting}: {reason}")]
    Senseless {
        /// The setting, as it was written.
        setting: String,
        /// Why.
        reason: String,
    },
}

impl Sources {
    /// A setting as the operator wrote it: the variable, or the key with its file; a default by its key alone.
    fn named(&self, setting: &str) -> String {
        if let Some(variable) = self.variables.get(setting) {
            return variable.clone();
        }
        match &self.file {
            Some(file) if self.in_file.contains(setting) => format!("{}: {setting}", file.display()),
            _ => setting.to_owned(),
        }
    }

    /// The same for a name that is no setting, which may be a section: whatever was written under it.
    fn named_under(&self, name: &str) -> String {
        let under = |written: &str| written == name || written.starts_with(&format!("{name}."));
        let variables: Vec<&str> = self
            .variables
            .iter()
            .filter(|(written, _)| under(written))
            .map(|(_, variable)| variable.as_str())
            .collect();
        match &self.file {
            Some(file) if variables.is_empty() => format!("{}: {name}", file.display()),
            _ => variables.join(", "),
        }
    }

    /// What is wrong with one setting, in words.
    fn describe(&self, error: &figment::Error) -> String {
        let path = error.path.join(".");
        let within = |key: &str| match error.path.last() {
            Some(last) if last == key => path.clone(),
            Some(_) => format!("{path}.{key}"),
            None => key.to_owned(),
        };
        match &error.kind {
            Kind::UnknownField(key, known) => {
                let known = known.join(", ");
                let key = within(key);
                let named = self.named_under(&key);
                match key.rsplit_once('.') {
                    Some((section, _)) => format!("{named} is no setting; [{section}] has {known}"),
                    None => format!("{named} is no section; there are {known}"),
                }
            }
            Kind::MissingField(key) => {
                let key = within(key);
                let variable = format!("COUNTERSIGN_{}", key.replace('.', "__").to_ascii_uppercase());
                match &self.file {
                    Some(file) => format!("{key} is missing: set it in {} or as {variable}", file.display()),
                    None => format!("{key} is missing: set it in the configuration file or as {variable}"),
                }
            }
            // An entry of a list is named by its list, and by what it is.
            kind => {
                let mut setting = path.as_str();
                while let Some((list, last)) = setting.rsplit_once('.')
                    && last.bytes().all(|byte| byte.is_ascii_digit())
                {
                    setting = list;
                }
                format!("{}: {}", self.named(setting), without_values(kind))
            }
        }
    }
}

/// The keys of a table and of the tables in it, with dots.
fn keys(table: &Dict, above: &str, found: &mut BTreeSet<String>) {
    for (key, value) in table {
        let key = if above.is_empty() {
            key.clone()
        } else {
            format!("{above}.{key}")
        };
        match value {
            Value::Dict(_, inner) => keys(inner, &key, found),
            _ => {
                found.insert(key);
            }
        }
    }
}

impl Configuration {
    /// Reads file and environment.
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
            let tables = toml
                .data()
                .map_err(|_| ConfigurationFault::Value(format!("{}: {}", path.display(), syntax_fault(&text))))?;
            for table in tables.values() {
                keys(table, "", &mut sources.in_file);
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

    /// A setting as the operator wrote it, for faults.
    fn named(&self, setting: &str) -> String {
        self.sources.named(setting)
    }

    /// A value that makes no sense.
    pub fn senseless(&self, setting: &str, reason: impl fmt::Display) -> ConfigurationFault {
        ConfigurationFault::Senseless {
            setting: self.named(setting),
            reason: reason.to_string(),
        }
    }

    /// Which database: the configured PostgreSQL, or an SQLite file in the data folder.
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
            (None, Some(_)) => return Err(of_password("it needs database.url, as in postgres://user@host/name")),
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

    /// Where the master key is.
    pub fn master_key_file(&self, data: &Path) -> PathBuf {
        self.keys
            .master_key_file
            .clone()
            .unwrap_or_else(|| data.join("master.key"))
    }

    /// The settings of the use-cases, with the address that is listened on where none was given.
    pub fn app(&self, bound: Option<std::net::SocketAddr>) -> Result<app::Settings, ConfigurationFault> {
        let public_url = match (&self.server.public_url, bound) {
            (Some(url), _) => public_url(url).map_err(|reason| self.senseless("server.public_url", reason))?,
            (None, Some(address)) => format!("http://{address}"),
            (None, None) => format!("http://{}", self.server.listen),
        };
        // The defaults are also the longest that can be configured.
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

    /// Where webhooks may go.
    pub fn webhook_rules(&self) -> AddressRules {
        AddressRules {
            allow_http: self.webhook.allow_http,
            allow_private: self.webhook.allow_private,
            ports: self.webhook.ports.clone(),
        }
    }

    /// The way out to other people's servers, the same for webhooks, time-stamp authorities and what certificates name.
    pub fn egress(&self) -> Result<Egress, ConfigurationFault> {
        let network = &self.network;
        let file = self.named("network.proxy_file");
        let proxy = secret(&file, network.proxy.as_ref(), network.proxy_file.as_deref())?;
        let Some(proxy) = proxy else {
            return Ok(Egress::direct());
        };
        let setting = match network.proxy_file {
            Some(_) => "network.proxy_file",
            None => "network.proxy",
        };
        Egress::proxy(
            proxy.expose(),
            network.proxy_except.clone(),
            network.proxy_resolves_names,
        )
        .map_err(|fault: EgressFault| self.senseless(setting, fault))
    }

    /// Where time-stamp authorities may be, which the operator chooses. Most serve over plain http, and what they serve is
    /// signed.
    pub fn authority_rules(&self) -> AddressRules {
        AddressRules {
            allow_http: true,
            allow_private: self.sealing.allow_private || self.webhook.allow_private,
            ports: self.webhook.ports.clone(),
        }
    }

    /// Where revocation lists, OCSP responders and certificates may be that strangers' certificates name: nothing but a
    /// host's own name opens the way to a private address.
    pub fn source_rules(&self) -> SourceRules {
        SourceRules {
            ports: self.webhook.ports.clone(),
            private_hosts: self.sealing.private_hosts.clone(),
        }
    }

    /// The PKCS#11 module and the PIN of its tokens, if there is one.
    pub fn pkcs11(&self) -> Result<Option<(PathBuf, String)>, ConfigurationFault> {
        let Some(module) = &self.pkcs11.module else {
            return Ok(None);
        };
        let pin = secret(
            &self.named("pkcs11.pin_file"),
            self.pkcs11.pin.as_ref(),
            self.pkcs11.pin_file.as_deref(),
        )?;
        let pin = pin.ok_or_else(|| {
            self.senseless(
                "pkcs11.module",
                "a module needs the PIN of its tokens: set pkcs11.pin_file",
            )
        })?;
        Ok(Some((module.clone(), pin.expose().to_owned())))
    }

    fn sealing(&self) -> Result<SealingSettings, ConfigurationFault> {
        let sealing = &self.sealing;
        let authorization = secret(
            &self.named("sealing.tsa_authorization_file"),
            sealing.tsa_authorization.as_ref(),
            sealing.tsa_authorization_file.as_deref(),
        )?;
        let policy = sealing
            .tsa_policy
            .as_ref()
            .map(|policy| policy.parse())
            .transpose()
            .map_err(|error| self.senseless("sealing.tsa_policy", error))?;
        let tsa = match &sealing.tsa_url {
            // What follows could be cut anywhere within a password, and be shown.
            Some(url) if url.contains('@') => {
                let reason = "it must not hold a user or password: set sealing.tsa_authorization_file";
                return Err(self.senseless("sealing.tsa_url", reason));
            }
            Some(url) => {
                CallbackUrl::parse(url, &self.authority_rules())
                    .map_err(|error| self.senseless("sealing.tsa_url", error))?;
                Some(TimeStampAuthority {
                    url: url.clone(),
                    policy,
                    authorization: authorization.map(|value| value.expose().to_owned()),
                })
            }
            None if sealing.level.is_some_and(|level| level > SealLevel::Basic) => {
                return Err(self.senseless(
                    "sealing.level",
                    "a level above B-B needs a time-stamp authority: set sealing.tsa_url",
                ));
            }
            None => None,
        };
        let own = match &self.server.public_url {
            Some(url) => {
                let url = public_url(url).map_err(|reason| self.senseless("server.public_url", reason))?;
                Some(format!("{url}/ca/root.crl"))
            }
            None => None,
        };
        Ok(SealingSettings {
            level: sealing.level,
            tsa,
            when_tsa_is_down: sealing.when_tsa_is_down,
            location: sealing.location.clone(),
            revocation_list_url: sealing.revocation_list_url.clone().or(own),
            addresses: self.authority_rules(),
            proof_wait: Duration::from_secs(sealing.proof_seconds),
        })
    }

    /// What mails are written with; what is wrong with the operator's templates is in it.
    pub fn mail_templates(&self) -> MailTemplates {
        match &self.mail.templates_folder {
            Some(folder) => MailTemplates::with_folder(folder),
            None => MailTemplates::built_in(),
        }
    }

    /// The SMTP server, if there is one.
    pub fn mail(&self) -> Result<Option<MailSettings>, ConfigurationFault> {
        let Some(smtp) = &self.mail.smtp else { return Ok(None) };
        if smtp.host.contains(['@', '/', ' ']) {
            let reason = "write the server's name alone; port, user and password have settings of their own";
            return Err(self.senseless("mail.smtp.host", reason));
        }
        let password = secret(
            &self.named("mail.smtp.password_file"),
            smtp.password.as_ref(),
            smtp.password_file.as_deref(),
        )?;
        let (tls, port) = match smtp.tls {
            SmtpTls::None => (MailTls::None, 25),
            SmtpTls::Starttls => (MailTls::StartTls, 587),
            SmtpTls::Tls => (MailTls::Tls, 465),
        };
        let login = match (&smtp.user, password) {
            (Some(user), Some(password)) => Some((user.clone(), password.expose().to_owned())),
            (None, None) => None,
            (Some(_), None) => return Err(self.senseless("mail.smtp.user", "a user needs mail.smtp.password")),
            (None, Some(_)) => return Err(self.senseless("mail.smtp.password", "a password needs mail.smtp.user")),
        };
        let settings = MailSettings {
            host: smtp.host.clone(),
            port: smtp.port.unwrap_or(port),
            tls,
            login,
            from: smtp.from.clone(),
            timeout: Duration::from_secs(smtp.timeout_seconds.max(1)),
            longest: LONGEST_SENDING,
        };
        match Mailer::new(&settings) {
            Ok(_) => Ok(Some(settings)),
            Err(fault @ MailSettingsFault::From(_)) => Err(self.senseless("mail.smtp.from", fault)),
            Err(fault @ MailSettingsFault::Tls(_)) => Err(self.senseless("mail.smtp.host", fault)),
        }
    }

    /// The gateways for messages to telephone numbers, if there are any.
    pub fn messengers(&self) -> Result<Option<Messengers>, ConfigurationFault> {
        if self.messenger.is_empty() {
            return Ok(None);
        }
        let gateways = self
            .messenger
            .iter()
            .map(|(name, messenger)| self.gateway(name, messenger))
            .collect::<Result<Vec<_>, _>>()?;
        Messengers::through(&self.egress()?, gateways, Arc::new(SystemRandom))
            .map(Some)
            .map_err(
                |GatewayFault {
                     gateway,
                     setting,
                     reason,
                 }| self.senseless(&format!("messenger.{gateway}.{setting}"), reason),
            )
    }

    fn gateway(&self, name: &str, given: &Messenger) -> Result<GatewaySettings, ConfigurationFault> {
        let setting = |key: &str| format!("messenger.{name}.{key}");
        // What follows could be cut anywhere within a password, and be shown.
        if given.address.as_ref().is_some_and(|address| address.contains('@')) {
            let reason = "it must not hold a user or password: account, key and secret have settings of their own";
            return Err(self.senseless(&setting("address"), reason));
        }
        let (mut description, countries) = match &given.profile {
            None => {
                for (key, missing) in [("address", given.address.is_none()), ("body", given.body.is_none())] {
                    if missing {
                        let reason = "it is missing; a gateway has a profile or a description of its own";
                        return Err(self.senseless(&setting(key), reason));
                    }
                }
                // What the message's own fault is, by custom.
                let mut description = delivery::messenger::Description::default();
                description.answer.refused = vec![400, 422];
                (description, &[] as &[&str])
            }
            Some(profile) => profiles::profile(profile).ok_or_else(|| {
                let known = profiles::NAMES.join(", ");
                self.senseless(
                    &setting("profile"),
                    format!("{profile} is no profile; there are {known}"),
                )
            })?,
        };
        replace(&mut description.address, given.address.as_ref());
        replace(&mut description.path, given.path.as_ref());
        replace(&mut description.method, given.method.as_ref());
        replace(&mut description.format, given.format.as_ref());
        replace(&mut description.body, given.body.as_ref());
        replace(&mut description.signed, given.signed.as_ref());
        replace(&mut description.signature, given.signature.as_ref());
        replace(&mut description.needs_template, given.needs_template.as_ref());
        replace(&mut description.needs_id, given.needs_id.as_ref());
        description.headers.extend(given.headers.clone());
        let (reading, answer) = (&mut description.answer, &given.answer);
        if answer.success_at.is_some() {
            reading.success_at.clone_from(&answer.success_at);
        }
        replace(&mut reading.success_is, answer.success_is.as_ref());
        replace(&mut reading.taken, answer.taken.as_ref());
        replace(&mut reading.refused, answer.refused.as_ref());
        replace(&mut reading.id_at, answer.id_at.as_ref());
        replace(&mut reading.words_at, answer.words_at.as_ref());
        replace(&mut reading.code_at, answer.code_at.as_ref());
        replace(&mut reading.temporary, answer.temporary.as_ref());
        let credential = secret(
            &self.named(&setting("secret_file")),
            given.secret.as_ref(),
            given.secret_file.as_deref(),
        )?;
        let countries = match &given.countries {
            Some(countries) => countries.clone(),
            None => countries.iter().map(|&country| country.to_owned()).collect(),
        };
        Ok(GatewaySettings {
            name: name.to_owned(),
            description,
            account: given.account.clone(),
            key: given
                .key
                .as_ref()
                .map_or_else(String::new, |key| key.expose().to_owned()),
            secret: credential.map_or_else(String::new, |secret| secret.expose().to_owned()),
            from: given.from.clone(),
            channel: given.channel.clone(),
            templates: given.templates.clone(),
            variables: given.variables.clone(),
            texts: given.texts.clone(),
            ids: given.ids.clone(),
            countries,
            order: given.order,
            allow_private: given.allow_private,
        })
    }

    /// What a server has open beside connections.
    pub fn files(&self) -> Needs {
        Needs {
            database_connections: self.database.connections,
            document_workers: crate::documents::settings(&self.documents).workers,
            concurrent_requests: self.server.concurrent_requests,
            deliveries: RunnerSettings::default().workers,
        }
    }

    /// The settings of the web side.
    pub fn http(&self) -> Result<countersign_http::HttpSettings, ConfigurationFault> {
        let mut trusted_proxies = Vec::new();
        for text in &self.server.trusted_proxies {
            let network = text
                .parse()
                .map_err(|fault: countersign_http::client_address::NotANetwork| {
                    self.senseless("server.trusted_proxies", fault)
                })?;
            trusted_proxies.push(network);
        }
        Ok(countersign_http::HttpSettings {
            trusted_proxies,
            concurrent_requests: self.server.concurrent_requests,
            workers: crate::documents::settings(&self.documents).workers,
            link_starts: self.public_links.per_network_address.max(1),
            ..countersign_http::HttpSettings::default()
        })
    }
}

/// How many processors this process may use.
pub fn processors() -> u32 {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    u32::try_from(processors).unwrap_or(1)
}

/// How many passwords are hashed at the same time: guesses leave half the processors to other requests, and the memory that
/// they keep (19 MiB each) does not grow with the machine.
fn hashes() -> u32 {
    (processors() / 2).clamp(1, 2)
}

/// Puts a given value in place of a profile's.
fn replace<T: Clone>(of_profile: &mut T, given: Option<&T>) {
    if let Some(given) = given {
        of_profile.clone_from(given);
    }
}

/// A value given as such or as a file; trailing line ends of a file are none of it.
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

fn public_url(text: &str) -> Result<String, &'static str> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(['?', '#', '@', ' ']) => Ok(url.to_owned()),
        _ => Err("give scheme and host, for example https://sign.example.com"),
    }
}

/// `COUNTERSIGN_SECTION__KEY` as a source of settings.
struct Variables {
    settings: Dict,
    /// Settings with the names of their variables.
    names: BTreeMap<String, String>,
}

impl Variables {
    fn of(variables: impl Iterator<Item = (String, String)>) -> Variables {
        let (mut settings, mut names) = (Dict::new(), BTreeMap::new());
        for (variable, value) in variables {
            let Some(name) = variable.strip_prefix("COUNTERSIGN_") else {
                continue;
            };
            if name.contains("__") {
                let path: Vec<String> = name.to_ascii_lowercase().split("__").map(str::to_owned).collect();
                let parsed = if is_text(&path) {
                    Value::from(value)
                } else {
                    parse(&value)
                };
                put(&mut settings, &path, parsed);
                names.insert(path.join("."), variable);
            }
        }
        Variables { settings, names }
    }
}

fn put(settings: &mut Dict, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => {
            settings.insert(key.clone(), value);
        }
        [section, rest @ ..] => {
            let entry = settings
                .entry(section.clone())
                .or_insert_with(|| Value::from(Dict::new()));
            if let Value::Dict(_, inner) = entry {
                put(inner, rest, value);
            }
        }
    }
}

/// Whether a setting is a text whatever it looks like: a password of digits is no number.
fn is_text(path: &[String]) -> bool {
    match path {
        [section, _, rest @ ..] if section == "messenger" => match rest {
            [key] => !matches!(
                key.as_str(),
                "order" | "countries" | "allow_private" | "needs_template" | "needs_id"
            ),
            [table, key] => table != "answer" || key == "success_at",
            _ => false,
        },
        [.., key] => [
            "url",
            "proxy",
            "password",
            "user",
            "host",
            "from",
            "filter",
            "pin",
            "policy",
            "authorization",
            "location",
        ]
        .iter()
        .any(|word| key.ends_with(word)),
        [] => false,
    }
}

/// A value as TOML would have it: `true`, `7`, `[8080, 8443]`, else a text.
fn parse(value: &str) -> Value {
    value
        .parse()
        .unwrap_or_else(|_: std::convert::Infallible| Value::from(value))
}

impl Provider for Variables {
    fn metadata(&self) -> Metadata {
        Metadata::named("environment variables")
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        Ok(Map::from([(Profile::Default, self.settings.clone())]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, variables: &[(&str, &str)]) -> Result<Configuration, ConfigurationFault> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.toml");
        std::fs::write(&path, text).expect("a file");
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Configuration::load_from(Some(&path), variables)
    }

    #[test]
    fn variables_win_over_the_file_and_the_file_over_defaults() {
        let file = "[server]\nlisten = '0.0.0.0:80'\n[webhook]\nports = [9000]\nallow_http = true";
        let variables = [
            ("COUNTERSIGN_WEBHOOK__PORTS", "[9443, 9444]"),
            ("COUNTERSIGN_WEBHOOK__ALLOW_PRIVATE", "true"),
            ("COUNTERSIGN_MAIL__SMTP__HOST", "mail.example.com"),
            ("COUNTERSIGN_MAIL__SMTP__FROM", "sign@example.com"),
            ("COUNTERSIGN_MAIL__SMTP__USER", "007"),
            ("COUNTERSIGN_MAIL__SMTP__PASSWORD", "12345"),
            ("COUNTERSIGN_DATA", "not a setting"),
            ("OTHER__VARIABLE", "none of ours"),
        ];
        let configuration = load(file, &variables).expect("a configuration");
        assert_eq!(configuration.server.listen, "0.0.0.0:80");
        assert_eq!(configuration.webhook.ports, [9443, 9444]);
        assert!(configuration.webhook.allow_http && configuration.webhook.allow_private);
        assert_eq!(configuration.api.auth_scheme, "service");
        let mail = configuration.mail().expect("mail").expect("a server");
        assert_eq!(
            (mail.port, mail.login),
            (587, Some(("007".to_owned(), "12345".to_owned())))
        );
    }

    #[test]
    fn each_bound_of_public_links_reaches_what_it_bounds() {
        let file = "[public_links]\nhourly_per_addressee = 2\nhourly_per_link = 3\nper_network_address = 4";
        let configuration = load(file, &[]).expect("a configuration");
        let bounds = configuration.app(None).expect("settings").public_links;
        let of_network = configuration.http().expect("settings").link_starts;
        assert_eq!((bounds.of_addressee, bounds.of_link, of_network), (2, 3, 4));
    }

    #[test]
    fn a_messengers_credentials_come_from_variables_and_files_and_do_not_show() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("secret");
        std::fs::write(&path, "of-the-file\n").expect("a file");
        let file = format!(
            "[messenger.kr]\nprofile = 'solapi'\nfrom = '0212345678'\nkey = 'of-the-key'\nsecret_file = {:?}",
            path.display().to_string()
        );
        let configuration = load(&file, &[("COUNTERSIGN_MESSENGER__KR__FROM", "0311234567")]).expect("a configuration");
        let gateway = configuration
            .gateway("kr", &configuration.messenger["kr"])
            .expect("a gateway");
        assert_eq!(
            (gateway.from.as_str(), gateway.secret.as_str()),
            ("0311234567", "of-the-file")
        );
        assert_eq!(gateway.countries, ["+82"]);
        let variables = [
            ("COUNTERSIGN_MESSENGER__KR__PROFILE", "solapi"),
            ("COUNTERSIGN_MESSENGER__KR__KEY", "00990011"),
            ("COUNTERSIGN_MESSENGER__KR__SECRET", "99887766"),
            ("COUNTERSIGN_MESSENGER__KR__FROM", "0212345678"),
            ("COUNTERSIGN_MESSENGER__KR__ORDER", "3"),
            ("COUNTERSIGN_MESSENGER__KR__COUNTRIES", "[\"+82\", \"+1\"]"),
            ("COUNTERSIGN_MESSENGER__KR__TEMPLATES__REQUEST", "0815"),
        ];
        let alone = load("", &variables).expect("a configuration");
        let of_variables = alone.gateway("kr", &alone.messenger["kr"]).expect("a gateway");
        assert_eq!(
            (of_variables.key.as_str(), of_variables.secret.as_str()),
            ("00990011", "99887766")
        );
        assert_eq!(
            (of_variables.order, of_variables.templates["request"].as_str()),
            (3, "0815")
        );
        assert_eq!(of_variables.countries, ["+82", "+1"]);
        for shown in [
            format!("{configuration:?} {gateway:?}"),
            format!("{alone:?} {of_variables:?}"),
        ] {
            for secret in ["of-the-file", "of-the-key", "00990011", "99887766"] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_names_it() {
        let in_file = load("[webhook]\nallow_htp = true", &[])
            .expect_err("misspelt")
            .to_string();
        assert!(in_file.contains("allow_htp"), "{in_file}");
        let variable = load("", &[("COUNTERSIGN_WEBHOK__ALLOW_HTTP", "true")])
            .expect_err("misspelt")
            .to_string();
        assert!(variable.contains("COUNTERSIGN_WEBHOK__ALLOW_HTTP"), "{variable}");
        let wrong_type = load("", &[("COUNTERSIGN_WEBHOOK__ALLOW_HTTP", "perhaps")])
            .expect_err("no boolean")
            .to_string();
        assert!(wrong_type.contains("COUNTERSIGN_WEBHOOK__ALLOW_HTTP"), "{wrong_type}");
    }

    #[test]
    fn secrets_come_from_files_and_do_not_show() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("url");
        std::fs::write(&path, "postgres://u:secret@db/x\n").expect("a file");
        let file = format!("[database]\nurl_file = {:?}", path.display().to_string());
        let configuration = load(&file, &[]).expect("a configuration");
        match configuration.store(folder.path()).expect("a database") {
            store::Settings::Postgres { url, .. } => assert_eq!(url.expose(), "postgres://u:secret@db/x"),
            other @ store::Settings::Sqlite { .. } => panic!("{other:?}"),
        }
        let given = load("[database]\nurl = 'postgres://u:secret@db/x'", &[]).expect("a configuration");
        assert!(!format!("{given:?}").contains("secret@"), "{given:?}");
        std::fs::remove_file(&path).expect("gone");
        let missing = configuration.store(folder.path()).expect_err("missing").to_string();
        assert!(missing.contains("database.url_file"), "{missing}");
    }

    #[test]
    fn the_public_url_is_scheme_and_host_without_a_slash() {
        let url = |text: &str| {
            load(&format!("[server]\npublic_url = '{text}'"), &[])
                .and_then(|configuration| configuration.app(None).map(|settings| settings.public_url))
        };
        assert_eq!(
            url("https://sign.example.com/").expect("a URL"),
            "https://sign.example.com"
        );
        assert_eq!(
            url("https://example.com/sign/").expect("a URL"),
            "https://example.com/sign"
        );
        for wrong in [
            "sign.example.com",
            "https://",
            "ftp://example.com",
            "https://a@example.com",
            "https://e.com/?q",
        ] {
            assert!(url(wrong).is_err(), "{wrong}");
        }
        let bound = "127.0.0.1:4711".parse().ok();
        let default = Configuration::default().app(bound).expect("settings");
        assert_eq!(default.public_url, "http://127.0.0.1:4711");
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error() {
        let fault = Configuration::load(Some(Path::new("no-such-file.toml")))
            .expect_err("missing")
            .to_string();
        assert!(fault.contains("no-such-file.toml"), "{fault}");
    }

    /// The sample of the documentation.
    fn documented() -> String {
        let text = include_str!("../../../docs/configuration.md");
        let (_, rest) = text.split_once("```toml\n").expect("a sample");
        rest.split_once("```").expect("its end").0.to_owned()
    }

    /// The sample with everything that is a comment in it switched on, but for the files of secrets, which are not there.
    fn documented_in_full() -> String {
        documented()
            .lines()
            .filter(|line| !line.contains("_file = "))
            .map(|line| match line.strip_prefix("# ") {
                Some(setting) if setting.starts_with('[') || setting.contains(" = ") => setting,
                _ => line,
            })
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn the_documented_sample_can_be_used_as_it_is_and_changes_nothing() {
        let sample = load(&documented(), &[]).expect("a configuration");
        let json = |configuration: &Configuration| serde_json::to_value(configuration).expect("JSON");
        assert_eq!(json(&sample), json(&Configuration::default()));
    }

    #[test]
    fn what_the_sample_has_as_comments_is_understood_too() {
        let configuration = load(&documented_in_full(), &[]).expect("a configuration");
        assert_eq!(
            configuration.server.public_url.as_deref(),
            Some("https://sign.example.com")
        );
        assert!(configuration.mail().expect("a mail server").is_some());
        assert!(configuration.messengers().expect("gateways").is_some());
        configuration.egress().expect("the way out");
        configuration.http().expect("the web side's settings");
        configuration.app(None).expect("the use-cases' settings");
    }

    #[test]
    fn every_setting_is_documented() {
        let documented = documented();
        let everything = load(&documented_in_full(), &[]).expect("a configuration");
        let mut undocumented = Vec::new();
        let mut seek = |section: &str, settings: &serde_json::Value| {
            for key in settings.as_object().expect("settings").keys() {
                let written = [
                    format!("\n{key} = "),
                    format!("\n# {key} = "),
                    format!("[{section}.{key}]"),
                ];
                if !written.iter().any(|form| documented.contains(form)) {
                    undocumented.push(format!("{section}.{key}"));
                }
            }
        };
        let value = serde_json::to_value(everything).expect("JSON");
        for (section, settings) in value.as_object().expect("sections") {
            seek(section, settings);
        }
        seek("mail.smtp", &value["mail"]["smtp"]);
        seek("messenger.house", &value["messenger"]["house"]);
        seek("messenger.house.answer", &value["messenger"]["house"]["answer"]);
        assert_eq!(undocumented, Vec::<String>::new());
    }

    #[test]
    fn a_fault_names_the_setting_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.toml");
        let said = |text: &str, variables: &[(&str, &str)]| {
            std::fs::write(&path, text).expect("a file");
            let variables: Vec<_> = variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            Configuration::load_from(Some(&path), variables.into_iter())
                .and_then(|configuration| {
                    configuration.mail()?;
                    configuration.messengers()?;
                    configuration.egress()?;
                    configuration.http()?;
                    configuration.app(None).map(drop)
                })
                .expect_err(text)
                .to_string()
        };
        let file = path.display().to_string();
        let smtp = "[mail.smtp]\nhost = 'smtp.example.com'\n";
        for (text, variables, named) in [
            ("foo = 1", &[] as &[_], format!("{file}: foo is no section")),
            ("[foo]\nbar = 1", &[], format!("{file}: foo is no section")),
            (
                "[webhook]\nallow_htp = true",
                &[],
                format!("{file}: webhook.allow_htp is no setting; [webhook] has"),
            ),
            ("[webhook]\nports = ['a']", &[], format!("{file}: webhook.ports: ")),
            (
                "[webhook]\nallow_http = 'yes'",
                &[],
                format!("{file}: webhook.allow_http: "),
            ),
            ("[webhook", &[], format!("{file}: ")),
            (
                "[server]\npublic_url = 'example.com'",
                &[],
                format!("{file}: server.public_url: "),
            ),
            (
                "[server]\ntrusted_proxies = ['x']",
                &[],
                format!("{file}: server.trusted_proxies: "),
            ),
            (
                "[network]\nproxy = 'https://us:pass@proxy:3128'",
                &[],
                format!("{file}: network.proxy: "),
            ),
            (
                "",
                &[("COUNTERSIGN_NETWORK__PROXY", "proxy:3128")],
                "COUNTERSIGN_NETWORK__PROXY: ".to_owned(),
            ),
            (smtp, &[], "mail.smtp.from is missing: set it in ".to_owned()),
            (
                "",
                &[("COUNTERSIGN_MAIL__SMTP__HOST", "h")],
                "mail.smtp.from is missing: set it in ".to_owned(),
            ),
            (
                &format!("{smtp}from = 'nobody'"),
                &[],
                format!("{file}: mail.smtp.from: "),
            ),
            (
                &format!("{smtp}from = 'a@b.c'\nuser = 'x'"),
                &[],
                format!("{file}: mail.smtp.user: "),
            ),
            (
                smtp,
                &[("COUNTERSIGN_MAIL__SMTP__FROM", "nobody")],
                "COUNTERSIGN_MAIL__SMTP__FROM: ".to_owned(),
            ),
            (
                "[messenger.a]\nprofile = 'smoke'",
                &[],
                format!("{file}: messenger.a.profile: smoke is no profile; there are solapi, "),
            ),
            ("[messenger.a]", &[], "messenger.a.address: it is missing".to_owned()),
            (
                "[messenger.a]\nprofile = 'twilio'\naccount = 'AC1'\nsecret = 'x'",
                &[],
                "messenger.a.from: it is missing".to_owned(),
            ),
            (
                "[messenger.a]\naddress = 'http://example.com'\nbody = '{}'",
                &[],
                format!("{file}: messenger.a.address: "),
            ),
            (
                "[messenger.a]\naddress = 'https://example.com'\nbody = '{\"to\": \"{{ too }}\"}'",
                &[],
                format!("{file}: messenger.a.body: undefined value"),
            ),
            (
                "[messenger.a]\naddress = 'https://example.com'\nbody = '{'",
                &[],
                format!("{file}: messenger.a.body: "),
            ),
            (
                "[messenger.a]\naddress = 'https://example.com'\nbody = '{}'\ncountries = ['KR']",
                &[],
                format!("{file}: messenger.a.countries: "),
            ),
            (
                "[messenger.a]\nadress = 'https://example.com'",
                &[],
                format!("{file}: messenger.a.adress is no setting; [messenger.a] has "),
            ),
            (
                "",
                &[("COUNTERSIGN_WEBHOOK__PORTS", "[x]")],
                "COUNTERSIGN_WEBHOOK__PORTS: ".to_owned(),
            ),
            (
                "",
                &[("COUNTERSIGN_WEBHOOK__PORT", "1")],
                "COUNTERSIGN_WEBHOOK__PORT is no setting; [webhook] has".to_owned(),
            ),
            (
                "",
                &[("COUNTERSIGN_WEBHOK__PORTS", "1")],
                "COUNTERSIGN_WEBHOK__PORTS is no section".to_owned(),
            ),
            (
                "",
                &[("COUNTERSIGN_SERVER__PUBLIC_URL", "x")],
                "COUNTERSIGN_SERVER__PUBLIC_URL: ".to_owned(),
            ),
        ] {
            let fault = said(text, variables);
            assert!(fault.starts_with(&named), "{text} {variables:?}: {fault}");
            for ours in ["default.", "TOML source", "environment variables", "us:pass"] {
                assert!(!fault.contains(ours), "{fault}");
            }
        }
    }
}
