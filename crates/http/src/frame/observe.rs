//! Observability of requests for operators: ids, grouped log lines, and durations.
//!
//! Every response carries `x-request-id`, every problem repeats it, and every log line of the request contains it. We
//! generate the id unless a trusted proxy sent one, which may also be in that proxy's log. Clients cannot choose it,
//! because it is written to the log.
//!
//! Durations are counted by route pattern and status class, never by address.

use std::net::SocketAddr;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use metrics::metrics;
use tracing::Instrument as _;
use uuid::Uuid;

use super::client_address::Network;
use super::state::Http;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");
const LONGEST: usize = 64;

/// The id of a request, stored in its extensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// Generates a new id.
    pub fn fresh() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    /// Returns the id from a trusted proxy, if it is valid, or else a new one.
    fn of(peer: Option<SocketAddr>, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let is_trusted = |peer: SocketAddr| trusted.iter().any(|proxy| proxy.contains(peer.ip().to_canonical()));
        let sent = headers.get(&HEADER).and_then(|value| value.to_str().ok());
        match sent {
            Some(sent) if is_id(sent) && peer.is_some_and(is_trusted) => Self(sent.to_owned()),
            _ => Self::fresh(),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Adds the id to a response.
    pub fn write(&self, headers: &mut HeaderMap) {
        // An id consists only of characters that a header may contain.
        if let Ok(value) = HeaderValue::from_str(&self.0) {
            headers.insert(HEADER, value);
        }
    }
}

fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(is_allowed)
}

/// The outermost layer, which handles every request of the router.
pub async fn every(State(http): State<Http>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0);
    let id = RequestId::of(peer, request.headers(), &http.settings().trusted_proxies);
    let path = request.extensions().get::<MatchedPath>();
    let route = path.map_or("none", |path| http.route_of(path.as_str()));
    let method = method_of(request.method());
    request.extensions_mut().insert(id.clone());
    // Use the error level, so that no filter hides the id.
    let span = tracing::error_span!("request", id = id.as_str());
    let begun = Instant::now();
    let mut response = next.run(request).instrument(span).await;
    let labels = metrics::Request {
        method,
        route,
        status: class_of(response.status()),
    };
    metrics::took(&metrics().requests, &labels, begun.elapsed());
    id.write(response.headers_mut());
    response
}

/// Returns the name of a method that our routes use. Clients may send any other word.
fn method_of(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

fn class_of(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200..=299 => "2xx",
        300..=399 => "3xx",
        400..=499 => "4xx",
        500..=599 => "5xx",
        _ => "1xx",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(peer: &str, sent: Option<&str>) -> String {
        let mut headers = HeaderMap::new();
        if let Some(sent) = sent {
            headers.insert(HEADER, HeaderValue::from_str(sent).expect("a header"));
        }
        let trusted: Vec<Network> = vec!["10.0.0.0/8".parse().expect("a network")];
        let peer = format!("{peer}:4711").parse().ok();
        RequestId::of(peer, &headers, &trusted).0
    }

    #[test]
    fn only_a_trusted_proxy_chooses_the_id_and_only_a_plain_one() {
        assert_eq!(id_of("10.1.2.3", Some("Root-1.67_ab")), "Root-1.67_ab");
        let long = "a".repeat(LONGEST + 1);
        for (peer, sent) in [
            ("192.0.2.1", Some("chosen")),
            ("10.1.2.3", None),
            ("10.1.2.3", Some("")),
            ("10.1.2.3", Some("two words")),
            ("10.1.2.3", Some("id=1\"")),
            ("10.1.2.3", Some(long.as_str())),
        ] {
            let id = id_of(peer, sent);
            assert!(Uuid::parse_str(&id).is_ok(), "{peer} {sent:?}: {id}");
            assert_ne!(id, id_of(peer, sent));
        }
    }
}
