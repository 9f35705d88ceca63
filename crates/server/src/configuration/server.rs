//! `[server]` and `[api]`: the addresses at which people and programs reach the service.

use delivery::RunnerSettings;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault};
use crate::file_limit::Needs;

/// `[server]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// The address to listen on; port 0 picks a free one.
    pub listen: String,
    /// The base of URLs in responses and mails. Default: the address the server listens on.
    pub public_url: Option<String>,
    /// Proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` we trust, as addresses or CIDR blocks.
    pub trusted_proxies: Vec<String>,
    /// The number of requests processed at the same time.
    pub concurrent_requests: usize,
}

/// `[api]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Api {
    /// The scheme name accepted in the Authorization header, in addition to `Bearer`.
    pub auth_scheme: String,
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

impl Configuration {
    /// Returns the number of files that a server opens in addition to connections.
    pub fn files(&self) -> Needs {
        Needs {
            database_connections: self.database.connections,
            document_workers: crate::documents::settings(&self.documents).workers,
            concurrent_requests: self.server.concurrent_requests,
            deliveries: RunnerSettings::default().workers,
        }
    }

    /// Returns the settings of the web side.
    pub fn http(&self) -> Result<countersign_http::HttpSettings, ConfigurationFault> {
        let mut trusted_proxies = Vec::new();
        for text in &self.server.trusted_proxies {
            let network = text
                .parse()
                .map_err(|fault: countersign_http::NotANetwork| self.senseless("server.trusted_proxies", fault))?;
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

pub(super) fn public_url(text: &str) -> Result<String, &'static str> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match rest {
        Some(rest) if !rest.is_empty() && !rest.contains(['?', '#', '@', ' ']) => Ok(url.to_owned()),
        _ => Err("use a scheme and host, for example https://sign.example.com"),
    }
}
