//! The only HTTP client that calls addresses chosen by strangers.
//!
//! **Checks.** The connector ([`crate::connector`]) checks every address of a host name against
//! [`domain::public_address`] and connects only to the addresses it checked, so a name that resolves differently
//! between check and connection gains nothing. A single address that is not public refuses the whole name. Literal
//! addresses follow the same rules. The client follows no redirects and ignores proxies from the environment. The
//! operator's own proxy ([`crate::egress`]) receives checked addresses.
//!
//! **Limits.** The time to connect (name, connection, proxy, TLS), the time of the whole exchange including the body,
//! and the number of body bytes it reads (it decompresses nothing). Once the status has arrived it is final: a slow,
//! endless or broken body does not change the result.
//!
//! **Failures.** See [`Fault`]. Callers distinguish reasons by type, never by an error's text.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::public_address::{AddressRules, CallbackUrl};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, timeout_at};

use crate::connector::{Connector, Refusal};
use crate::customer_words::CustomerWords;
use crate::egress::Egress;
use crate::tls_fault::tls_fault;

/// Time for which we keep an idle connection. Shorter than many endpoints keep theirs (Node: 5 s), because a request on
/// a connection that the other side is closing is a failed try.
const KEPT: Duration = Duration::from_secs(4);
const ANYTHING: HeaderValue = HeaderValue::from_static("*/*");
const OURSELVES: HeaderValue = HeaderValue::from_static(concat!("Countersign/", env!("CARGO_PKG_VERSION")));

/// The future result of a name lookup.
pub type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Resolves names. Tests use their own implementation.
pub trait Lookup: Send + Sync {
    fn lookup(&self, host: String) -> Addresses;
}

/// Resolves names as the operating system does, each time on a new thread.
///
/// The system's resolver blocks for up to half a minute if a name server does not respond, and dropping the future does
/// not stop it. A few such names would block the runtime's blocking threads, which all use cases need. The runner
/// limits the number of threads: an endpoint has few workers, and each resolves a name once per try.
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
                // If the try has ended in the meantime, nobody waits for the result.
                let _ = answer.send(found.map(|found| found.map(|address| address.ip()).collect()));
            });
        Box::pin(async move {
            asked?;
            answered.await.map_err(io::Error::other)?
        })
    }
}

/// Limits on time and on the size of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time for name lookup and connection.
    pub connect: Duration,
    /// Time for the whole exchange, from the name lookup to the last body byte we read.
    pub total: Duration,
    /// Time to wait for the body after the status has arrived. Only the history needs the body.
    pub body_wait: Duration,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// The value of Retry-After, if it is text.
    pub retry_after: Option<String>,
    /// The start of the body, unchanged.
    pub start: Vec<u8>,
}

/// Reason why there is no response, in words a customer may read. Only the log says which address a name resolved to.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The name or the URL resolves to an address that is not public.
    #[error("the host resolves to an address that is not public, so we did not connect")]
    AddressRefused,
    #[error("the host name cannot be resolved: {0}")]
    NameNotResolved(CustomerWords),
    /// The connection or the TLS session could not be established.
    #[error("no connection: {0}")]
    NotConnected(CustomerWords),
    #[error("no answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The connection broke before a status arrived, or the response was not HTTP.
    #[error("the connection broke: {0}")]
    Broken(CustomerWords),
    /// We could not create the client itself.
    #[error("the HTTP client cannot be created: {0}")]
    Client(CustomerWords),
}

/// The guarded client. Cheap to clone. Clones share their open connections.
#[derive(Clone)]
pub struct GuardedClient {
    http: Client<Connector, Full<Bytes>>,
    limits: Limits,
}

impl GuardedClient {
    /// Resolves names as the operating system does.
    pub fn new(rules: AddressRules) -> Result<GuardedClient, Fault> {
        GuardedClient::with(rules, Limits::default(), Arc::new(SystemLookup))
    }

    /// Creates a client with its own limits and name lookup.
    pub fn with(rules: AddressRules, limits: Limits, lookup: Arc<dyn Lookup>) -> Result<GuardedClient, Fault> {
        GuardedClient::through(&Egress::direct(), rules, limits, lookup)
    }

    /// Like [`GuardedClient::with`], through the operator's egress.
    pub fn through(
        egress: &Egress,
        rules: AddressRules,
        limits: Limits,
        lookup: Arc<dyn Lookup>,
    ) -> Result<GuardedClient, Fault> {
        let connector = Connector::new(egress, rules, limits.connect, lookup)
            .map_err(|reason| Fault::Client(CustomerWords::of(reason)))?;
        let http = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(KEPT)
            .pool_timer(TokioTimer::new())
            .build(connector);
        Ok(GuardedClient { http, limits })
    }

    pub async fn post(&self, url: &CallbackUrl, headers: HeaderMap, body: Vec<u8>) -> Result<Answer, Fault> {
        self.exchange(Method::POST, url, headers, body).await
    }

    pub async fn put(&self, url: &CallbackUrl, headers: HeaderMap, body: Vec<u8>) -> Result<Answer, Fault> {
        self.exchange(Method::PUT, url, headers, body).await
    }

    pub async fn get(&self, url: &CallbackUrl) -> Result<Answer, Fault> {
        self.exchange(Method::GET, url, HeaderMap::new(), Vec::new()).await
    }

    async fn exchange(
        &self,
        method: Method,
        url: &CallbackUrl,
        headers: HeaderMap,
        body: Vec<u8>,
    ) -> Result<Answer, Fault> {
        let uri: Uri = url.as_str().parse().map_err(|error| {
            Fault::Client(CustomerWords::of(format_args!(
                "{} is not a usable URL: {error}",
                url.as_str()
            )))
        })?;
        let mut request = Request::new(Full::from(body));
        (*request.method_mut(), *request.uri_mut(), *request.headers_mut()) = (method, uri, headers);
        request.headers_mut().entry(ACCEPT).or_insert(ANYTHING);
        request.headers_mut().entry(USER_AGENT).or_insert(OURSELVES);
        let deadline = Instant::now() + self.limits.total;
        let response = match timeout_at(deadline, self.http.request(request)).await {
            Err(_) => return Err(Fault::TimedOut(self.limits.total)),
            Ok(Err(error)) => return Err(self.fault(url, &error)),
            Ok(Ok(response)) => response,
        };
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let mut body = response.into_body();
        let mut start = Vec::new();
        let enough = deadline.min(Instant::now() + self.limits.body_wait);
        // On an error or a timeout we use the part that was read so far.
        while let Ok(Some(Ok(frame))) = timeout_at(enough, body.frame()).await {
            let Some(chunk) = frame.data_ref() else { continue };
            let room = self.limits.body_bytes - start.len();
            start.extend_from_slice(chunk.get(..room).unwrap_or(chunk));
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

    fn fault(&self, url: &CallbackUrl, error: &legacy::Error) -> Fault {
        match cause::<Refusal>(error) {
            Some(Refusal::NotPublic(address)) => {
                tracing::info!(host = url.host(), %address, "no connection was opened, because the address is not public");
                Fault::AddressRefused
            }
            Some(Refusal::NotResolved(detail)) => Fault::NameNotResolved(CustomerWords::of(detail)),
            Some(Refusal::TimedOut) => Fault::NotConnected(CustomerWords::of(format_args!(
                "no connection within {:?}",
                self.limits.connect
            ))),
            Some(refusal @ Refusal::Proxy(_)) => {
                tracing::info!(host = url.host(), %refusal, "no connection was opened");
                Fault::NotConnected(CustomerWords::of(refusal))
            }
            None if error.is_connect() => Fault::NotConnected(described(error)),
            None => Fault::Broken(described(error)),
        }
    }
}

/// Returns the first error of type `E` in the chain of causes.
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

/// Returns the innermost cause, because the outer ones only say that a request failed.
pub(crate) fn described(error: &(dyn std::error::Error + 'static)) -> CustomerWords {
    if let Some(fault) = tls_fault(error) {
        return CustomerWords::of(fault);
    }
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    CustomerWords::of(innermost)
}
