//! How the guarded client connects: only to checked addresses, directly or through the operator's proxy
//! (docs/adr/0017).
//!
//! Every connection is opened here, together with the address check. A literal address must pass the rules. A name is
//! resolved once, every address it resolves to must pass, and the connection goes to one of exactly those addresses. A
//! new lookup requires a new check.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use domain::public_address::AddressRules;
use hyper::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;

use crate::egress::{Egress, Proxy};
use crate::guarded_client::Lookup;

/// Maximum length of the header of a proxy's response, in bytes.
const LONGEST_HEAD: usize = 8 * 1024;

type Cause = Box<dyn std::error::Error + Send + Sync>;
type Connecting<S> = Pin<Box<dyn Future<Output = Result<S, Cause>> + Send>>;
type Plain = TokioIo<TcpStream>;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the address {0} is not public")]
    NotPublic(IpAddr),
    #[error("{0}")]
    NotResolved(String),
    #[error("it took too long")]
    TimedOut,
    #[error("the proxy {0}")]
    Proxy(String),
}

/// Connects within a time limit that covers name lookup, connection, proxy and TLS.
#[derive(Clone)]
pub(crate) struct Connector {
    secured: HttpsConnector<Checked>,
    within: Duration,
}

impl Connector {
    /// Fails with a readable reason if the system's trusted certificates cannot be loaded.
    pub(crate) fn new(
        egress: &Egress,
        rules: AddressRules,
        within: Duration,
        lookup: Arc<dyn Lookup>,
    ) -> Result<Connector, String> {
        let resolver = CheckedResolver { lookup, rules };
        // The operator runs the proxy, usually inside their own network.
        let mut anywhere = resolver.clone();
        anywhere.rules.allow_private = true;
        let checked = Checked {
            direct: tcp(resolver.clone()),
            to_proxy: tcp(anywhere),
            resolver,
            egress: egress.clone(),
        };
        let secured = HttpsConnectorBuilder::new()
            .with_tls_config(tls()?)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(checked);
        Ok(Connector { secured, within })
    }
}

fn tcp(resolver: CheckedResolver) -> HttpConnector<CheckedResolver> {
    let mut connector = HttpConnector::new_with_resolver(resolver);
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector
}

/// Returns the TLS settings, which all clients share so that the system's trusted certificates are loaded only once.
fn tls() -> Result<ClientConfig, String> {
    static CONFIG: OnceLock<Result<ClientConfig, String>> = OnceLock::new();
    let make = || {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(builder.with_platform_verifier()?.with_no_client_auth())
    };
    CONFIG
        .get_or_init(|| make().map_err(|error: rustls::Error| error.to_string()))
        .clone()
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Plain>;
    type Error = Cause;
    type Future = Connecting<MaybeHttpsStream<Plain>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Cause>> {
        self.secured.poll_ready(context)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let (connecting, within) = (self.secured.call(target), self.within);
        Box::pin(async move { timeout(within, connecting).await.map_err(|_| Refusal::TimedOut)? })
    }
}

/// Connects to an address that has passed the rules.
#[derive(Clone)]
struct Checked {
    direct: HttpConnector<CheckedResolver>,
    to_proxy: HttpConnector<CheckedResolver>,
    resolver: CheckedResolver,
    egress: Egress,
}

impl Service<Uri> for Checked {
    type Response = Plain;
    type Error = Cause;
    type Future = Connecting<Plain>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Cause>> {
        self.direct.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let host = target.host().unwrap_or_default().to_owned();
        let literal: Option<IpAddr> = host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        if let Some(address) = literal
            && !self.resolver.rules.allow_address(address)
        {
            return Box::pin(async move { Err(Refusal::NotPublic(address).into()) });
        }
        let Some(proxy) = self.egress.proxy_for(&host).cloned() else {
            let connecting = self.direct.call(target);
            return Box::pin(async move { Ok(connecting.await?) });
        };
        let port = target.port_u16().unwrap_or(match target.scheme_str() {
            Some("http") => 80,
            _ => 443,
        });
        let (resolver, to_proxy) = (self.resolver.clone(), self.to_proxy.clone());
        Box::pin(async move {
            let targets = match literal {
                Some(address) => vec![SocketAddr::new(address, port).to_string()],
                None if proxy.resolves_names => vec![format!("{host}:{port}")],
                None => {
                    let found = resolver.checked(host).await?;
                    found
                        .into_iter()
                        .map(|address| SocketAddr::new(address, port).to_string())
                        .collect()
                }
            };
            let mut refused = Refusal::Proxy("received no address to connect to".to_owned());
            for target in targets {
                match tunnel(to_proxy.clone(), &proxy, &target).await {
                    Ok(stream) => return Ok(TokioIo::new(stream)),
                    Err(refusal) => refused = refusal,
                }
            }
            Err(refused.into())
        })
    }
}

/// Requests a tunnel from the proxy (RFC 9110, 9.3.6).
async fn tunnel(
    mut to_proxy: HttpConnector<CheckedResolver>,
    proxy: &Proxy,
    target: &str,
) -> Result<TcpStream, Refusal> {
    let fault = |reason: String| Refusal::Proxy(reason);
    let broken = |error: std::io::Error| fault(format!("interrupted the connection: {error}"));
    let connecting = to_proxy.call(proxy.address.clone());
    let mut stream = connecting
        .await
        .map_err(|error| fault(format!("cannot be reached: {error}")))?
        .into_inner();
    let mut head = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n").into_bytes();
    if let Some(value) = &proxy.authorization {
        head.extend_from_slice(b"Proxy-Authorization: ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    stream.write_all(&head).await.map_err(broken)?;
    let mut answer = Vec::new();
    // No data can follow the header yet, because in both TLS and HTTP the other side waits for us.
    while !answer.ends_with(b"\r\n\r\n") {
        if answer.len() > LONGEST_HEAD {
            return Err(fault("returned a response head that is too long".to_owned()));
        }
        if stream.read_buf(&mut answer).await.map_err(broken)? == 0 {
            return Err(fault("closed the connection".to_owned()));
        }
    }
    let status = answer
        .strip_prefix(b"HTTP/1.")
        .and_then(|rest| rest.get(2..5))
        .and_then(|code| std::str::from_utf8(code).ok())
        .and_then(|code| code.parse::<u16>().ok());
    match status {
        Some(200..=299) => Ok(stream),
        Some(407) => Err(fault(
            "requires different credentials (407); correct network.proxy".to_owned(),
        )),
        Some(status) => Err(fault(format!("refused the connection with status {status}"))),
        None => Err(fault("did not respond with HTTP".to_owned())),
    }
}

/// Resolves names and applies the address rules to the result.
#[derive(Clone)]
struct CheckedResolver {
    lookup: Arc<dyn Lookup>,
    rules: AddressRules,
}

impl CheckedResolver {
    /// Returns all addresses of a name. If a single one is not public, the whole name is refused.
    async fn checked(&self, name: String) -> Result<Vec<IpAddr>, Refusal> {
        let addresses = self
            .lookup
            .lookup(name)
            .await
            .map_err(|error| Refusal::NotResolved(error.to_string()))?;
        if addresses.is_empty() {
            return Err(Refusal::NotResolved("the name resolves to no address".to_owned()));
        }
        match addresses.iter().find(|address| !self.rules.allow_address(**address)) {
            Some(address) => Err(Refusal::NotPublic(*address)),
            None => Ok(addresses),
        }
    }
}

impl Service<Name> for CheckedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = Refusal;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Refusal>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Refusal>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let (resolver, name) = (self.clone(), name.as_str().to_owned());
        Box::pin(async move {
            let found = resolver.checked(name).await?;
            let addresses: Vec<_> = found.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
            Ok(addresses.into_iter())
        })
    }
}
