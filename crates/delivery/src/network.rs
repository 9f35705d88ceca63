//! The network of the use-cases ([`app::network::Network`]) through the guarded client.
//!
//! Use-cases are blocking, the client is not: this waits on a small runtime of its own, so that a question may be asked from
//! a server's thread and from a command without one. Never call it from async code.

use std::sync::Arc;
use std::time::Duration;

use app::network::{Network, NetworkFault};
use domain::public_address::{AddressRules, CallbackUrl};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::runtime::Runtime;

use crate::guarded_client::{Answer, Fault, GuardedClient, Limits, Lookup, SystemLookup};

/// Time-stamp authorities answer within a second or two; nobody waits longer at his last approval.
const TOTAL: Duration = Duration::from_secs(10);
/// Revocation lists of large authorities have some megabytes.
const LARGEST_ANSWER: usize = 10 * 1024 * 1024;

/// The guarded network.
pub struct GuardedNetwork {
    client: GuardedClient,
    rules: AddressRules,
    /// Taken out when dropped: a runtime must not be dropped where async code runs, and may be left to itself.
    runtime: Option<Runtime>,
}

impl GuardedNetwork {
    /// A network that resolves names as the operating system does. Plain http is always allowed: revocation lists and OCSP
    /// answers are signed, and most authorities serve them so (RFC 5280, 8).
    pub fn new(rules: &AddressRules) -> Result<GuardedNetwork, Fault> {
        GuardedNetwork::with(rules, Arc::new(SystemLookup))
    }

    /// A network with its own way to resolve names.
    pub fn with(rules: &AddressRules, lookup: Arc<dyn Lookup>) -> Result<GuardedNetwork, Fault> {
        let rules = AddressRules {
            allow_http: true,
            ..rules.clone()
        };
        let limits = Limits {
            total: TOTAL,
            body_wait: TOTAL,
            // One more than is taken, so that a longer answer shows.
            body_bytes: LARGEST_ANSWER + 1,
            ..Limits::default()
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(|error| Fault::Client(error.to_string()))?;
        Ok(GuardedNetwork {
            client: GuardedClient::with(rules.clone(), limits, lookup)?,
            rules,
            runtime: Some(runtime),
        })
    }

    fn ask(
        &self,
        url: &str,
        exchange: impl AsyncFnOnce(&GuardedClient, &CallbackUrl) -> Result<Answer, Fault>,
    ) -> Result<Vec<u8>, NetworkFault> {
        let fault = |reason: String| NetworkFault {
            url: url.to_owned(),
            reason,
        };
        let address = CallbackUrl::parse(url, &self.rules).map_err(|error| fault(error.to_string()))?;
        let runtime = self
            .runtime
            .as_ref()
            .ok_or_else(|| fault("the network has ended".to_owned()))?;
        let answer = runtime
            .block_on(exchange(&self.client, &address))
            .map_err(|error| fault(error.to_string()))?;
        if answer.status != 200 {
            return Err(fault(format!("it answered with status {}", answer.status)));
        }
        if answer.start.len() > LARGEST_ANSWER {
            return Err(fault(format!("its answer has more than {LARGEST_ANSWER} bytes")));
        }
        Ok(answer.start)
    }
}

impl Drop for GuardedNetwork {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Network for GuardedNetwork {
    fn get(&self, url: &str) -> Result<Vec<u8>, NetworkFault> {
        self.ask(url, async |client, address| client.get(address).await)
    }

    fn post(
        &self,
        url: &str,
        media_type: &'static str,
        authorization: Option<&str>,
        body: Vec<u8>,
    ) -> Result<Vec<u8>, NetworkFault> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        if let Some(value) = authorization {
            let mut value = HeaderValue::from_str(value).map_err(|_| NetworkFault {
                url: url.to_owned(),
                reason: "the Authorization value holds what a header cannot".to_owned(),
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        self.ask(url, async move |client, address| {
            client.post(address, headers, body).await
        })
    }
}
