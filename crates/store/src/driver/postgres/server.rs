//! The location of the server, and how to connect to it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::Secret;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{self, Tls};
use super::connection::{ConnectError, Connection};
use super::pause;
use super::session::Mark;
use crate::Error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A server that does not answer for this long is considered gone, even if nothing reported it.
const SILENCE: Duration = Duration::from_secs(30);

/// A hanging client must not lock rows forever, and a hanging statement must not block a thread forever.
const SESSION: &str = "SET TIME ZONE 'UTC'; SET default_transaction_isolation = 'read committed'; \
                       SET statement_timeout = '30s'; \
                       SET idle_in_transaction_session_timeout = '60s'";

const SESSION_NUMBER: &str = "SELECT transaction_number FROM store_session WHERE id = $1 FOR UPDATE";

/// Returns the database's name and location, without user and password.
pub(crate) fn name_of(url: &Secret) -> String {
    match address::read(url) {
        Ok((config, _)) => place(&config),
        Err(_) => "that database.url names".to_owned(),
    }
}

/// Returns database, hosts and ports.
fn place(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
        // One port may apply to all hosts.
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(folder) => format!("{}:{port}", folder.display()),
        }
    });
    let hosts: Vec<String> = hosts.collect();
    // Without a name, the database has the user's name.
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("{database} at {}", hosts.join(", "))
}

/// The location of the server, and how to connect to it.
pub(super) struct Server {
    pub(super) config: Config,
    pub(super) tls: Option<MakeRustlsConnect>,
    /// The time limit for a server to return that went away during a commit, and for a connection to become free.
    pub(super) patience: Duration,
}

impl Server {
    pub(super) fn parse(url: &Secret, patience: Duration) -> Result<Server, Error> {
        let fault = |detail: String| Error::Open {
            name: "database.url".to_owned(),
            detail,
        };
        let (mut config, tls) = address::read(url).map_err(fault)?;
        config.connect_timeout(CONNECT_TIMEOUT);
        config.keepalives_idle(SILENCE);
        config.tcp_user_timeout(SILENCE);
        config.application_name("countersign");
        let tls = match tls {
            Tls::Off => {
                config.ssl_mode(SslMode::Disable);
                None
            }
            Tls::On { roots } => {
                config.ssl_mode(SslMode::Require);
                Some(rustls_connector(roots.as_deref()).map_err(fault)?)
            }
        };
        Ok(Server { config, tls, patience })
    }

    pub(super) fn connect(&self) -> Result<Connection, ConnectError> {
        Connection::open(&self.config, self.tls.as_ref(), SESSION)
    }

    /// Opens a connection of the type that refinery needs.
    pub(super) fn connect_to_migrate(&self) -> Result<postgres::Client, tokio_postgres::Error> {
        let mut config = postgres::Config::from(self.config.clone());
        config
            .notice_callback(|notice| tracing::debug!(notice = notice.message(), "the database server sent a notice"));
        let mut client = match &self.tls {
            None => config.connect(NoTls)?,
            Some(tls) => config.connect(tls.clone())?,
        };
        client.batch_execute(SESSION)?;
        Ok(client)
    }

    /// Whether a transaction was committed whose commit was not answered. Waits until the transaction has ended.
    pub(super) fn was_committed(&self, mark: &Mark) -> Result<bool, ConnectError> {
        let give_up = Instant::now() + self.patience;
        for attempt in 1.. {
            let found = self.connect().and_then(|connection| {
                let row = async { connection.client().query_opt(SESSION_NUMBER, &[&&*mark.session]).await };
                Ok(connection.wait(row)?)
            });
            match found {
                Ok(row) => return Ok(row.is_some_and(|row| row.get::<_, i64>(0) == mark.number)),
                Err(error) if Instant::now() >= give_up => return Err(error),
                Err(_) => std::thread::sleep(pause(attempt)),
            }
        }
        Ok(false)
    }

    /// Returns the error for a caller that waited too long for a connection.
    pub(super) fn lends_none(&self) -> Error {
        Error::Busy {
            detail: format!("all its connections were in use for {} s", self.patience.as_secs()),
        }
    }

    /// The server's name for messages, without the password.
    pub(super) fn name(&self) -> String {
        place(&self.config)
    }
}

fn rustls_connector(roots: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let mut store = rustls::RootCertStore::empty();
    match roots {
        None => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let certificates = CertificateDer::pem_file_iter(path)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| format!("sslrootcert {path} cannot be read: {error}"))?;
            if certificates.is_empty() {
                return Err(format!("sslrootcert {path} contains no certificate"));
            }
            for certificate in certificates {
                store
                    .add(certificate)
                    .map_err(|error| format!("sslrootcert {path}: {error}"))?;
            }
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}
