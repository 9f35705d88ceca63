//! `[network]`: the way out to other servers.

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
    /// The HTTP proxy that leads out, `http://user:password@host:port`; connections are made directly, if not given.
    pub proxy: Option<Secret>,
    /// A file that holds it.
    pub proxy_file: Option<PathBuf>,
    /// Hosts that are called without it.
    pub proxy_except: Vec<String>,
    /// It is asked for names instead of addresses that were checked here: for networks where it alone can resolve them.
    pub proxy_resolves_names: bool,
}

impl Configuration {
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
}
