//! The one HTTP client that calls addresses which strangers chose.
//!
//! **What it guards.** Every address that a host name resolves to is held to [`domain::public_address`] by the connector that
//! then connects to the very addresses that it checked ([`crate::connector`]): a name that changes its answer between a check
//! and the connection gains nothing. One address that is not public refuses the whole name. Literal addresses are held to the
//! same. No redirect is followed, no proxy is taken from the environment; the operator's own proxy ([`crate::egress`]) gets
//! checked addresses.
//!
//! **What it bounds.** Connecting (name, connection, proxy, TLS), and the whole exchange with its body; of the body so many
//! bytes are read, as they came (nothing is decompressed). Once the status is there, it stands: a slow, endless or broken body
//! changes nothing.
//!
//! **What may fail** is [`Fault`]; reasons are told apart by type, never by an error's text.

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

/// A connection that nobody uses is kept so long: less than many receivers keep theirs (Node 5 s), since a request on one that
/// the other side is just closing is a try that failed.
const KEPT: Duration = Duration::from_secs(4);
const ANYTHING: HeaderValue = HeaderValue::from_static("*/*");
const OURSELVES: HeaderValue = HeaderValue::from_static(concat!("Countersign/", env!("CARGO_PKG_VERSION")));

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

/// Why there is no answer, in words that a customer may read: which address a name led to, only the log says.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The name, or the URL itself, leads to an address that is not public.
    #[error("the host leads to an address that is not public, so no connection was opened")]
    AddressRefused,
    /// DNS gave no address.
    #[error("the host name cannot be resolved: {0}")]
    NameNotResolved(CustomerWords),
    /// No connection, or no TLS session.
    #[error("no connection: {0}")]
    NotConnected(CustomerWords),
    /// Too slow.
    #[error("no answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    /// The connection broke before a status came, or what came was no HTTP.
    #[error("the exchange broke: {0}")]
    Broken(CustomerWords),
    /// The client itself cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(CustomerWords),
}

/// The guarded client. Cheap to clone; connections are kept alive and shared.
#[derive(Clone)]
pub struct GuardedClient {
    http: Client<Connector, Full<Bytes>>,
    limits: Limits,
}

impl GuardedClient {
    /// A client that resolves names as the operating system does.
    pub fn new(rules: AddressRules) -> Result<GuardedClient, Fault> {
        GuardedClient::with(rules, Limits::default(), Arc::new(SystemLookup))
    }

    /// A client with its own limits and its own way to resolve names.
    pub fn with(rules: AddressRules, limits: Limits, lookup: Arc<dyn Lookup>) -> Result<GuardedClient, Fault> {
        GuardedClient::through(&Egress::direct(), rules, limits, lookup)
    }

    /// The same by the operator's way out.
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

    /// Sends a POST and waits for the answer.
    pub async fn post(&self, url: &CallbackUrl, headers: HeaderMap, body: Vec<u8>) -> Result<Answer, Fault> {
        self.exchange(Method::POST, url, headers, body).await
    }

    /// Sends a PUT and waits for the answer.
    pub async fn put(&self, url: &CallbackUrl, headers: HeaderMap, body: Vec<u8>) -> Result<Answer, Fault> {
        self.exchange(Method::PUT, url, headers, body).await
    }

    /// Sends a GET and waits for the answer.
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
                "{} cannot be called: {error}",
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
        // An error or the end of the time leaves what was read so far.
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
                tracing::info!(host = url.host(), %address, "no connection was opened: the address is not public");
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

/// The innermost reason: the outer ones only say that a request failed.
fn described(error: &(dyn std::error::Error + 'static)) -> CustomerWords {
    if let Some(certificate) = cause::<io::Error>(error).and_then(certificate_fault) {
        return CustomerWords::of(certificate);
    }
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    CustomerWords::of(innermost)
}

/// What is wrong with a server's certificate. The library's own words list all that it names.
fn certificate_fault(error: &io::Error) -> Option<&'static str> {
    use rustls::{CertificateError, Error};
    let Error::InvalidCertificate(fault) = error.get_ref()?.downcast_ref::<Error>()? else {
        return None;
    };
    Some(match fault {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the server's certificate has expired",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "the server's certificate names another host"
        }
        CertificateError::UnknownIssuer => "the server's certificate comes from an authority that is not trusted",
        CertificateError::Revoked => "the server's certificate is revoked",
        _ => "the server's certificate is not valid",
    })
}
