//! The one HTTP client that calls addresses which strangers chose.
//!
//! **What it guards.** Every address that a host name resolves to is held to [`domain::public_address`], inside the
//! resolver that the connection itself uses: what was checked is what is connected to, so a name that changes its answer
//! between a check and the connection gains nothing. One address that is not public refuses the whole name. Literal
//! addresses, which never reach the resolver, are checked before the request. No redirect is followed, no proxy is taken
//! from the environment.
//!
//! **What it bounds.** Connecting, and the whole exchange with its body; of the body so many bytes are read, as they came
//! (nothing is decompressed). Once the status is there, it stands: a slow, endless or broken body changes nothing.
//!
//! **What may fail** is [`Fault`]; reasons are told apart by type, never by an error's text.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::public_address::{AddressRules, CallbackUrl};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use tokio::time::{Instant, timeout_at};

/// What a name resolves to, some time from now.
pub type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Asks DNS. The tests have their own.
pub trait Lookup: Send + Sync {
    /// The addresses of a host name.
    fn lookup(&self, host: String) -> Addresses;
}

/// Asks as the operating system does, each time on a thread of its own.
///
/// The system's resolver blocks, for half a minute where a name server is silent, and dropping the question does not stop
/// it. On the runtime's blocking threads a few such names would hold up every use-case, which run there, too. Threads are
/// bounded by the runner: a receiver has few workers, and each asks once a try.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, host: String) -> Addresses {
        let (answer, answered) = tokio::sync::oneshot::channel();
        let asked = std::thread::Builder::new()
            .name("lookup".to_owned())
            .stack_size(256 * 1024)
            .spawn(move || {
                let found = (host.as_str(), 0).to_socket_addrs();
                // Nobody waits any more where the try has ended meanwhile.
                let _ = answer.send(found.map(|found| found.map(|address| address.ip()).collect()));
            });
        Box::pin(async move {
            asked?;
            answered.await.map_err(io::Error::other)?
        })
    }
}

/// How long things may take, and how much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Name and connection.
    pub connect: Duration,
    /// The whole exchange, from the name to the end of what is read of the body.
    pub total: Duration,
    /// What is waited for the body once the status is there; only the history wants it.
    pub body_wait: Duration,
    /// So much of the body is read.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connect: Duration::from_secs(5),
            total: Duration::from_secs(15),
            body_wait: Duration::from_secs(2),
            body_bytes: 16 * 1024,
        }
    }
}

/// A receiver's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The value of Retry-After, if it is text.
    pub retry_after: Option<String>,
    /// The start of the body, as it came.
    pub start: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The name, or the URL itself, leads to an address that is not public.
    #[error("the address {0} is not public, so no connection was opened")]
    AddressRefused(IpAddr),
    /// DNS gave no address.
    #[error("the host name cannot be resolved: {0}")]
    NameNotResolved(String),
    /// No connection, or no TLS session.
    #[error("no connection: {0}")]
    NotConnected(String),
    /// Too slow.
    #[error("no answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The connection broke before a status came, or what came was no HTTP.
    #[error("the exchange broke: {0}")]
    Broken(String),
    /// The client itself cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

/// The guarded client. Cheap to clone; connections are kept alive and shared.
#[derive(Clone)]
pub struct GuardedClient {
    http: reqwest::Client,
    rules: AddressRules,
    limits: Limits,
}

impl GuardedClient {
    /// A client that resolves names as the operating system does.
    pub fn new(rules: AddressRules) -> Result<GuardedClient, Fault> {
        GuardedClient::with(rules, Limits::default(), Arc::new(SystemLookup))
    }

    /// A client with its own limits and its own way to resolve names.
    pub fn with(rules: AddressRules, limits: Limits, lookup: Arc<dyn Lookup>) -> Result<GuardedClient, Fault> {
        let resolver = CheckedResolver {
            lookup,
            rules: rules.clone(),
        };
        let http = reqwest::Client::builder()
            .dns_resolver(Arc::new(resolver))
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(limits.connect)
            .pool_idle_timeout(Duration::from_secs(30))
            .tcp_nodelay(true)
            .user_agent(concat!("Countersign/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| Fault::Client(described(&error)))?;
        Ok(GuardedClient { http, rules, limits })
    }

    /// Sends a POST and waits for the answer.
    pub async fn post(&self, url: &CallbackUrl, headers: HeaderMap, body: Vec<u8>) -> Result<Answer, Fault> {
        self.exchange(url, self.http.post(url.as_str()).headers(headers).body(body))
            .await
    }

    /// Sends a PUT and waits for the answer.
    pub async fn put(&self, url: &CallbackUrl, headers: HeaderMap, body: Vec<u8>) -> Result<Answer, Fault> {
        self.exchange(url, self.http.put(url.as_str()).headers(headers).body(body))
            .await
    }

    /// Sends a GET and waits for the answer.
    pub async fn get(&self, url: &CallbackUrl) -> Result<Answer, Fault> {
        self.exchange(url, self.http.get(url.as_str())).await
    }

    async fn exchange(&self, url: &CallbackUrl, request: reqwest::RequestBuilder) -> Result<Answer, Fault> {
        if let Some(address) = url.literal_address()
            && !self.rules.allow_address(address)
        {
            return Err(Fault::AddressRefused(address));
        }
        let deadline = Instant::now() + self.limits.total;
        let mut response = match timeout_at(deadline, request.send()).await {
            Err(_) => return Err(Fault::TimedOut(self.limits.total)),
            Ok(Err(error)) => return Err(self.fault(&error)),
            Ok(Ok(response)) => response,
        };
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let mut start = Vec::new();
        let enough = deadline.min(Instant::now() + self.limits.body_wait);
        // An error or the end of the time leaves what was read so far.
        while let Ok(Ok(Some(chunk))) = timeout_at(enough, response.chunk()).await {
            let room = self.limits.body_bytes - start.len();
            start.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if start.len() == self.limits.body_bytes {
                break;
            }
        }
        Ok(Answer {
            status,
            retry_after,
            start,
        })
    }

    fn fault(&self, error: &reqwest::Error) -> Fault {
        if let Some(refusal) = cause::<Refusal>(error) {
            return match refusal {
                Refusal::NotPublic(address) => Fault::AddressRefused(*address),
                Refusal::NotResolved(detail) => Fault::NameNotResolved(detail.clone()),
            };
        }
        if error.is_timeout() {
            return Fault::TimedOut(self.limits.connect);
        }
        if error.is_connect() {
            Fault::NotConnected(described(error))
        } else {
            Fault::Broken(described(error))
        }
    }
}

/// What the resolver refuses with.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("the address {0} is not public")]
    NotPublic(IpAddr),
    #[error("{0}")]
    NotResolved(String),
}

struct CheckedResolver {
    lookup: Arc<dyn Lookup>,
    rules: AddressRules,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lookup.lookup(name.as_str().to_owned());
        let rules = self.rules.clone();
        Box::pin(async move {
            let addresses = found.await.map_err(|error| Refusal::NotResolved(error.to_string()))?;
            if addresses.is_empty() {
                return Err(Refusal::NotResolved("the name has no address".to_owned()).into());
            }
            if let Some(address) = addresses.iter().find(|address| !rules.allow_address(**address)) {
                return Err(Refusal::NotPublic(*address).into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// The first error of a type in the chain of causes.
fn cause<'e, E: std::error::Error + 'static>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<E>() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The innermost reason: the outer ones only say that a request failed, and hold the URL.
fn described(error: &(dyn std::error::Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
