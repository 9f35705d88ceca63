//! `[network]`: connections to other servers.

use std::path::PathBuf;

use delivery::Egress;
use delivery::egress::EgressFault;
use domain::Secret;
use serde::{Deserialize, Serialize};

use super::{Configuration, ConfigurationFault, secret};

/// `[network]`
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Network {
    /// The HTTP proxy for outgoing connections, `http://user:password@host:port`. Default: direct connections.
    pub proxy: Option<Secret>,
    /// A file that contains the proxy's URL.
    pub proxy_file: Option<PathBuf>,
    /// Hosts that are reached without the proxy.
    pub proxy_except: Vec<String>,
    /// Passes host names to the proxy instead of checked addresses, for networks in which only the proxy can resolve
    /// names.
    pub proxy_resolves_names: bool,
}

impl Configuration {
    /// Returns the route to other servers, shared by webhooks, time-stamp authorities and addresses in certificates.
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
}
