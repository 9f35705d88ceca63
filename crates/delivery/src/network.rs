//! Implements [`app::network::Network`] with guarded clients. One calls the time-stamp authorities that the operator
//! chose, under the operator's rules for them. The other calls addresses found in certificates, under [`SourceRules`],
//! which allow no private address except hosts that the operator named.
//!
//! Use cases are synchronous and the client is asynchronous, so this module waits on a small runtime of its own. That
//! works from a server's thread and from a command without a runtime. Never call it from async code.

use std::sync::Arc;
use std::time::Duration;

use app::TimeStampAuthority;
use app::network::{Network, NetworkFault, QUERY_MEDIA_TYPE, SourceAddress, WebhookAnswer, WebhookTrial};
use domain::public_address::{AddressRules, CallbackUrl};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::runtime::Runtime;

use crate::customer_words::CustomerWords;
use crate::egress::Egress;
use crate::guarded_client::{Answer, Fault, GuardedClient, Limits, Lookup, SystemLookup};
use crate::webhook::Webhook;

/// Time-stamp authorities answer within a second or two. The last signer should not have to wait longer than this.
const TOTAL: Duration = Duration::from_secs(10);
/// Revocation lists of large authorities can be several megabytes long.
const LARGEST_ANSWER: usize = 10 * 1024 * 1024;

/// Rules for the addresses of revocation lists, OCSP responders and issuer certificates named in certificates. Plain
/// http is always allowed because the data is signed, and most authorities serve it that way (RFC 5280, 8).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceRules {
    /// Ports besides 80 and 443.
    pub ports: Vec<u16>,
    /// Host names or literal addresses that may be private, for the operator's own authority.
    pub private_hosts: Vec<String>,
}

impl SourceRules {
    fn everywhere(&self) -> AddressRules {
        AddressRules {
            allow_http: true,
            allow_private: false,
            ports: self.ports.clone(),
        }
    }

    fn names(&self, url: &CallbackUrl) -> bool {
        self.private_hosts
            .iter()
            .any(|host| host.eq_ignore_ascii_case(url.host()))
    }
}

/// A client with the rules it follows.
struct Guard {
    client: GuardedClient,
    rules: AddressRules,
}

impl Guard {
    fn new(egress: &Egress, rules: AddressRules, lookup: Arc<dyn Lookup>) -> Result<Guard, Fault> {
        let limits = Limits {
            total: TOTAL,
            body_wait: TOTAL,
            // One byte over the limit, so a longer answer is noticed.
            body_bytes: LARGEST_ANSWER + 1,
            ..Limits::default()
        };
        let client = GuardedClient::through(egress, rules.clone(), limits, lookup)?;
        Ok(Guard { client, rules })
    }

    fn address(&self, url: &str) -> Result<CallbackUrl, NetworkFault> {
        CallbackUrl::parse(url, &self.rules).map_err(|error| NetworkFault {
            url: url.to_owned(),
            reason: error.to_string(),
        })
    }
}

pub struct GuardedNetwork {
    authorities: Guard,
    sources: Guard,
    /// For the hosts and the authority that the operator named.
    named: Guard,
    /// Only the operator's configuration has it, so it may be at a private address.
    own_authority: Option<String>,
    source_rules: SourceRules,
    /// Follows the same rules as webhook deliveries.
    webhooks: GuardedClient,
    egress: Egress,
    lookup: Arc<dyn Lookup>,
    /// An `Option`, so that dropping this does not drop the runtime in async code.
    runtime: Option<Runtime>,
}

impl GuardedNetwork {
    /// Resolves names as the operating system does. `authorities` contains the rules for time-stamp authorities, which
    /// may use plain http.
    pub fn new(authorities: &AddressRules, sources: &SourceRules) -> Result<GuardedNetwork, Fault> {
        GuardedNetwork::with(authorities, sources, &(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Resolves names with `lookup`.
    pub fn with(
        authorities: &AddressRules,
        sources: &SourceRules,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<GuardedNetwork, Fault> {
        GuardedNetwork::through(&Egress::direct(), authorities, sources, lookup)
    }

    /// Connects through the operator's egress and resolves names with `lookup`.
    pub fn through(
        egress: &Egress,
        authorities: &AddressRules,
        sources: &SourceRules,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<GuardedNetwork, Fault> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(|error| Fault::Client(CustomerWords::of(error)))?;
        let guard = |rules| Guard::new(egress, rules, Arc::clone(lookup));
        Ok(GuardedNetwork {
            authorities: guard(AddressRules {
                allow_http: true,
                ..authorities.clone()
            })?,
            sources: guard(sources.everywhere())?,
            named: guard(AddressRules {
                allow_private: true,
                ..sources.everywhere()
            })?,
            own_authority: None,
            source_rules: sources.clone(),
            webhooks: GuardedClient::through(egress, AddressRules::default(), Limits::default(), Arc::clone(lookup))?,
            egress: egress.clone(),
            lookup: Arc::clone(lookup),
            runtime: Some(runtime),
        })
    }

    /// Adds the address of the operator's own time-stamp authority, which may be private.
    #[must_use]
    pub fn with_own_authority(mut self, url: Option<String>) -> GuardedNetwork {
        self.own_authority = url;
        self
    }

    /// Adds the operator's rules for endpoints, which apply to test calls of webhooks.
    pub fn with_webhooks(mut self, rules: &AddressRules) -> Result<GuardedNetwork, Fault> {
        let lookup = Arc::clone(&self.lookup);
        self.webhooks = GuardedClient::through(&self.egress, rules.clone(), Limits::default(), lookup)?;
        Ok(self)
    }

    fn runtime(&self, url: &str) -> Result<&Runtime, NetworkFault> {
        self.runtime.as_ref().ok_or_else(|| NetworkFault {
            url: url.to_owned(),
            reason: "the network client has been shut down".to_owned(),
        })
    }

    /// Returns the client for an address found in a certificate, and the parsed address.
    fn source(&self, address: &SourceAddress) -> Result<(&Guard, CallbackUrl), NetworkFault> {
        let url = address.as_str();
        let guard = match CallbackUrl::stored(url) {
            Some(parsed) if self.source_rules.names(&parsed) => &self.named,
            _ => &self.sources,
        };
        Ok((guard, guard.address(url)?))
    }

    fn waited(
        &self,
        address: &CallbackUrl,
        within: Duration,
        exchange: impl Future<Output = Result<Answer, Fault>>,
    ) -> Result<Vec<u8>, NetworkFault> {
        let fault = |reason: String| NetworkFault {
            url: address.as_str().to_owned(),
            reason,
        };
        let answer = self
            .runtime(address.as_str())?
            .block_on(async { tokio::time::timeout(within, exchange).await })
            .map_err(|_| fault(Fault::TimedOut(within).to_string()))?
            .map_err(|error| fault(error.to_string()))?;
        if answer.status != 200 {
            return Err(fault(format!("it responded with status {}", answer.status)));
        }
        if answer.start.len() > LARGEST_ANSWER {
            return Err(fault(format!("its response has more than {LARGEST_ANSWER} bytes")));
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
    fn ask_authority(&self, authority: &TimeStampAuthority, request: Vec<u8>) -> Result<Vec<u8>, NetworkFault> {
        let guard = if self.own_authority.as_ref() == Some(&authority.url) {
            &self.named
        } else {
            &self.authorities
        };
        let address = guard.address(&authority.url)?;
        let mut headers = of_type(QUERY_MEDIA_TYPE);
        if let Some(value) = &authority.authorization {
            let mut value = HeaderValue::from_str(value).map_err(|_| NetworkFault {
                url: authority.url.clone(),
                reason: "the Authorization value contains characters that a header cannot contain".to_owned(),
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        self.waited(&address, TOTAL, guard.client.post(&address, headers, request))
    }

    fn fetch(&self, address: &SourceAddress, within: Duration) -> Result<Vec<u8>, NetworkFault> {
        let (guard, address) = self.source(address)?;
        self.waited(&address, within, guard.client.get(&address))
    }

    fn ask(
        &self,
        address: &SourceAddress,
        media_type: &'static str,
        question: Vec<u8>,
        within: Duration,
    ) -> Result<Vec<u8>, NetworkFault> {
        let (guard, address) = self.source(address)?;
        let exchange = guard.client.post(&address, of_type(media_type), question);
        self.waited(&address, within, exchange)
    }

    fn try_webhook(&self, trial: &WebhookTrial) -> Result<WebhookAnswer, NetworkFault> {
        let url = trial.url.as_str();
        let webhook = Webhook {
            url: &trial.url,
            event_id: &trial.event_id,
            authorization: trial.authorization.as_deref().map(str::as_bytes),
            secrets: &trial.secrets,
            body: trial.body.clone(),
        };
        let answer = self.runtime(url)?.block_on(webhook.send(&self.webhooks, trial.at));
        let answer = answer.map_err(|error| NetworkFault {
            url: url.to_owned(),
            reason: error.to_string(),
        })?;
        Ok(WebhookAnswer {
            status: answer.status,
            start: answer.start,
        })
    }
}

fn of_type(media_type: &'static str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers
}
