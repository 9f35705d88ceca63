//! Environment variables with which PostgreSQL's own programs (`pg_dump` and others) connect to the configured
//! database.
//!
//! Everything is in environment variables, because other users of the machine can read a program's arguments.

use domain::Secret;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::address::{self, Tls};
use crate::{Error, Settings};

/// The path of the public roots on Linux.
const PUBLIC_ROOTS: &str = "/etc/ssl/certs/ca-certificates.crt";

impl Settings {
    /// Returns the variables for a PostgreSQL database, or none for SQLite.
    pub fn program_variables(&self) -> Result<Vec<(&'static str, String)>, Error> {
        let Settings::Postgres { url, .. } = self else {
            return Ok(Vec::new());
        };
        let (config, tls) = read(url)?;
        let (hosts, ports) = places(&config);
        let mut variables = vec![
            ("PGHOST", hosts),
            ("PGPORT", ports),
            ("PGAPPNAME", "countersign".to_owned()),
        ];
        let texts = [
            ("PGUSER", config.get_user()),
            ("PGDATABASE", config.get_dbname().or(config.get_user())),
            ("PGOPTIONS", config.get_options()),
        ];
        variables.extend(
            texts
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?.to_owned()))),
        );
        if let Some(password) = config.get_password() {
            variables.push(("PGPASSWORD", String::from_utf8_lossy(password).into_owned()));
        }
        match tls {
            Tls::Off => variables.push(("PGSSLMODE", "disable".to_owned())),
            Tls::On { roots } => {
                variables.push(("PGSSLMODE", "verify-full".to_owned()));
                variables.push(("PGSSLROOTCERT", roots.unwrap_or_else(|| PUBLIC_ROOTS.to_owned())));
            }
        }
        Ok(variables)
    }

    /// Returns the URL of another database on the same server.
    pub fn address_of(&self, database: &str) -> Result<Option<Secret>, Error> {
        let Settings::Postgres { url, .. } = self else {
            return Ok(None);
        };
        let (config, tls) = read(url)?;
        let (hosts, ports) = places(&config);
        let password = config
            .get_password()
            .map(|password| String::from_utf8_lossy(password).into_owned());
        let (mode, roots) = match tls {
            Tls::Off => ("disable", None),
            Tls::On { roots } => ("require", roots),
        };
        let words = [
            ("host", Some(hosts.as_str())),
            ("port", Some(ports.as_str())),
            ("user", config.get_user()),
            ("password", password.as_deref()),
            ("options", config.get_options()),
            ("dbname", Some(database)),
            ("sslmode", Some(mode)),
            ("sslrootcert", roots.as_deref()),
        ];
        let words: Vec<String> = words
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?.replace('\\', "\\\\").replace('\'', "\\'"))))
            .map(|(name, value)| format!("{name}='{value}'"))
            .collect();
        Ok(Some(Secret::new(words.join(" "))))
    }
}

fn read(url: &Secret) -> Result<(Config, Tls), Error> {
    address::read(url).map_err(|detail| Error::Open {
        name: "database.url".to_owned(),
        detail,
    })
}

/// Returns hosts and ports in the form that PostgreSQL's programs read.
fn places(config: &Config) -> (String, String) {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(folder) => folder.display().to_string(),
    };
    let hosts: Vec<String> = config.get_hosts().iter().map(host).collect();
    let ports: Vec<String> = config.get_ports().iter().map(ToString::to_string).collect();
    let ports = if ports.is_empty() {
        "5432".to_owned()
    } else {
        ports.join(",")
    };
    (hosts.join(","), ports)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(url: &str) -> Settings {
        Settings::Postgres {
            url: Secret::new(url),
            connections: 1,
            patience: Duration::from_secs(1),
        }
    }

    #[test]
    fn programs_find_the_same_database_and_others_beside_it() {
        let settings = settings("postgres://sign:p%40ss'w@db:5433/countersign?sslmode=require&sslrootcert=/etc/ca.pem");
        let variables = settings.program_variables().expect("variables");
        for (name, value) in [
            ("PGHOST", "db"),
            ("PGPORT", "5433"),
            ("PGUSER", "sign"),
            ("PGPASSWORD", "p@ss'w"),
            ("PGDATABASE", "countersign"),
            ("PGSSLMODE", "verify-full"),
            ("PGSSLROOTCERT", "/etc/ca.pem"),
        ] {
            assert!(variables.contains(&(name, value.to_owned())), "{name} in {variables:?}");
        }
        let other = settings
            .address_of("scratch")
            .expect("an address")
            .expect("of PostgreSQL");
        let (config, tls) = address::read(&other).expect("it can be read");
        assert_eq!(config.get_dbname(), Some("scratch"));
        assert_eq!(config.get_password(), Some(b"p@ss'w".as_slice()));
        assert!(matches!(tls, Tls::On { roots: Some(roots) } if roots == "/etc/ca.pem"));
    }
}
