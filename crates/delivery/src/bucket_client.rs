//! How files get to a bucket ([`blobs`](../blobs/index.html) knows what is in it): the HTTP client for `object_store`.
//!
//! The operator names the service, so it may be at a private address. Requests leave through the operator's egress, but
//! for those to the machine's own services that issue credentials, which are at link-local addresses.
//!
//! Each request has a deadline, for the answer's head and again for its body, longer for large ones. The whole answer is
//! read here, so that a broken body is a failed request, which `object_store` repeats.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::public_address::AddressRules;
use http_body_util::BodyExt;
use hyper::Uri;
use hyper::body::Body as _;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpService,
};
use tokio::time::timeout;

use crate::connector::Connector;
use crate::egress::Egress;
use crate::guarded_client::{SystemLookup, described};

const CONNECT: Duration = Duration::from_secs(5);
/// How long we keep an idle connection. Services keep theirs for longer.
const KEPT: Duration = Duration::from_secs(15);
/// The slowest transfer that is not a fault, in bytes a second.
const SLOWEST: u64 = 256 * 1024;

/// Makes the clients for one bucket.
#[derive(Debug, Clone)]
pub struct BucketConnector {
    egress: Egress,
    /// How long a small request may take.
    within: Duration,
}

impl BucketConnector {
    pub fn new(egress: Egress, within: Duration) -> BucketConnector {
        BucketConnector { egress, within }
    }

    fn client(&self, egress: &Egress) -> object_store::Result<Client<Connector, HttpRequestBody>> {
        let anywhere = AddressRules {
            allow_http: true,
            allow_private: true,
            ports: Vec::new(),
        };
        let connector = Connector::new(egress, anywhere, CONNECT.min(self.within), Arc::new(SystemLookup));
        let connector = connector.map_err(|reason| object_store::Error::Generic {
            store: "S3",
            source: reason.into(),
        })?;
        Ok(Client::builder(TokioExecutor::new())
            .pool_idle_timeout(KEPT)
            .pool_timer(TokioTimer::new())
            .build(connector))
    }
}

impl HttpConnector for BucketConnector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let allow_http = options.get_config_value(&ClientConfigKey::AllowHttp);
        Ok(HttpClient::new(BucketClient {
            direct: self.client(&Egress::direct())?,
            through_egress: self.client(&self.egress)?,
            allow_http: allow_http.is_some_and(|value| value == "true"),
            within: self.within,
        }))
    }
}

#[derive(Debug)]
struct BucketClient {
    direct: Client<Connector, HttpRequestBody>,
    through_egress: Client<Connector, HttpRequestBody>,
    allow_http: bool,
    within: Duration,
}

/// Why there is no complete answer.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(
        "plain http is not allowed; use an https address, or set files.allow_http for a service in your own network"
    )]
    PlainHttp,
    #[error("no complete answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    #[error("{0}")]
    Broken(String),
}

#[async_trait]
impl HttpService for BucketClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if request.uri().scheme_str() == Some("http") && !self.allow_http {
            return Err(HttpError::new(HttpErrorKind::Unknown, Fault::PlainHttp));
        }
        let client = if is_own_machine(request.uri()) {
            &self.direct
        } else {
            &self.through_egress
        };
        let for_head = self.within + transfer(request.body().size_hint().lower());
        let response = match timeout(for_head, client.request(request)).await {
            Err(_) => return Err(HttpError::new(HttpErrorKind::Timeout, Fault::TimedOut(for_head))),
            Ok(Err(error)) => return Err(broken(&error)),
            Ok(Ok(response)) => response,
        };
        let (head, body) = response.into_parts();
        let for_body = self.within + transfer(body.size_hint().lower());
        match timeout(for_body, body.collect()).await {
            Err(_) => Err(HttpError::new(HttpErrorKind::Timeout, Fault::TimedOut(for_body))),
            Ok(Err(error)) => Err(HttpError::new(
                HttpErrorKind::Interrupted,
                Fault::Broken(described(&error).to_string()),
            )),
            Ok(Ok(body)) => Ok(HttpResponse::from_parts(head, body.to_bytes().into())),
        }
    }
}

fn broken(error: &legacy::Error) -> HttpError {
    let kind = if error.is_connect() {
        HttpErrorKind::Connect
    } else {
        HttpErrorKind::Interrupted
    };
    HttpError::new(kind, Fault::Broken(described(error).to_string()))
}

fn transfer(bytes: u64) -> Duration {
    Duration::from_secs(bytes / SLOWEST)
}

/// Whether this is a service of the machine itself, such as the one that issues its credentials.
fn is_own_machine(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    match host.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(IpAddr::V4(address)) => address.is_link_local() || address.is_loopback(),
        // The address of AWS's own services on an instance without IPv4.
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.segments() == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254],
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_the_machine_are_asked_for_without_a_proxy() {
        for (address, is_own) in [
            ("http://169.254.169.254/latest/api/token", true),
            ("http://169.254.170.2/v2/credentials", true),
            ("http://[fd00:ec2::254]/latest", true),
            ("http://127.0.0.1:9000/", true),
            ("http://10.0.0.7:9000/", false),
            ("https://s3.eu-central-1.amazonaws.com/bucket", false),
        ] {
            assert_eq!(
                is_own_machine(&address.parse().expect("an address")),
                is_own,
                "{address}"
            );
        }
    }
}
