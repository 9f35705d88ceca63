//! The address of the client.
//!
//! Throttles, the audit trail and the history certificate use it. Behind a reverse proxy, the peer of the connection is
//! the proxy, and the client's address is in `X-Forwarded-For`, which anyone can send. So we trust the header only if
//! the peer is one of `server.trusted_proxies`, and read it from right to left. Each entry was written by the proxy to
//! its right, and the first entry that is not a trusted proxy is the client. The same rule applies to
//! `X-Forwarded-Proto`.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

use app::Origin;
use axum::extract::{ConnectInfo, FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use ipnet::IpNet;

use super::state::Http;

/// The client's address, and the protocol it used to reach the outermost trusted proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress {
    /// The address to throttle and to record as evidence.
    pub address: IpAddr,
    /// Whether a trusted proxy states that the client used TLS.
    pub https: bool,
}

/// A block of addresses such as `10.0.0.0/8`, `::1` or `127.0.0.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

/// The error for a text that is not a block of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an IP address or network; use the form 10.0.0.0/8 or ::1")]
pub struct NotANetwork(String);

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        text.parse()
            .or_else(|_| text.parse::<IpAddr>().map(IpNet::from))
            .map(Network)
            .map_err(|_| NotANetwork(text.to_owned()))
    }
}

impl Network {
    /// Whether the block contains the address.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl ClientAddress {
    /// Determines the address from the connection's peer and its headers.
    pub fn of(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let peer = peer.to_canonical();
        let is_trusted = |address: IpAddr| trusted.iter().any(|block| block.contains(address));
        if !is_trusted(peer) {
            return Self {
                address: peer,
                https: false,
            };
        }
        let mut address = peer;
        for entry in list(headers, "x-forwarded-for").into_iter().rev() {
            let Some(claimed) = parse_entry(entry) else { break };
            address = claimed;
            if !is_trusted(claimed) {
                break;
            }
        }
        let https = list(headers, "x-forwarded-proto")
            .last()
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
        Self { address, https }
    }
}

/// Returns the elements of a list header over all its lines.
fn list<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    headers
        .get_all(name)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .collect()
}

/// Parses an address as written by proxies: alone, in brackets, or with a port.
fn parse_entry(entry: &str) -> Option<IpAddr> {
    let bare = entry.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>()
        .or_else(|_| entry.parse::<SocketAddr>().map(|socket| socket.ip()))
        .ok()
        .map(|address| address.to_canonical())
}

impl<S> FromRequestParts<S> for ClientAddress
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let http = Http::from_ref(state);
        // Requests made in-process have no socket, so no peer.
        let peer = parts
            .extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
        Ok(Self::of(peer, &parts.headers, &http.settings().trusted_proxies))
    }
}

/// The origin of a request, as recorded in the audit trail.
#[derive(Debug, Clone)]
pub struct CameFrom(pub Origin);

impl<S> FromRequestParts<S> for CameFrom
where
    S: Send + Sync,
    Http: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let ClientAddress { address, .. } = ClientAddress::from_request_parts(parts, state).await?;
        let user_agent = parts
            .headers
            .get(header::USER_AGENT)
            .and_then(|value| value.to_str().ok());
        Ok(Self(Origin {
            address: Some(address.to_string()),
            user_agent: user_agent.map(str::to_owned),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in lines {
            map.append(*name, value.parse().expect("a header value"));
        }
        map
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn trusted() -> Vec<Network> {
        ["10.0.0.0/8", "127.0.0.1", "fd00::/8"]
            .iter()
            .map(|text| text.parse().expect("a network"))
            .collect()
    }

    #[test]
    fn a_stranger_cannot_forge_their_address() {
        let sent = headers(&[("x-forwarded-for", "198.51.100.7"), ("x-forwarded-proto", "https")]);
        let seen = ClientAddress::of(address("203.0.113.9"), &sent, &trusted());
        assert_eq!(
            seen,
            ClientAddress {
                address: address("203.0.113.9"),
                https: false
            }
        );
    }

    #[test]
    fn a_trusted_proxy_is_believed_from_the_right() {
        // The client sent the first entry, and the outer proxy added the second.
        let sent = headers(&[
            ("x-forwarded-for", "1.1.1.1, 198.51.100.7"),
            ("x-forwarded-for", "10.2.0.4"),
            ("x-forwarded-proto", "https"),
        ]);
        let seen = ClientAddress::of(address("::ffff:10.0.0.1"), &sent, &trusted());
        assert_eq!(
            seen,
            ClientAddress {
                address: address("198.51.100.7"),
                https: true
            }
        );
    }

    #[test]
    fn ports_brackets_and_nonsense_are_understood_or_end_the_walk() {
        for (entry, expected) in [
            ("198.51.100.7:4711", "198.51.100.7"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("unknown", "127.0.0.1"),
            ("198.51.100.7, unknown", "127.0.0.1"),
        ] {
            let sent = headers(&[("x-forwarded-for", entry)]);
            let seen = ClientAddress::of(address("127.0.0.1"), &sent, &trusted());
            assert_eq!(seen.address, address(expected), "{entry}");
        }
    }

    #[test]
    fn blocks_are_parsed_and_compared_by_their_prefix() {
        let block: Network = "0.0.0.0/0".parse().expect("a network");
        assert!(block.contains(address("203.0.113.9")));
        assert!(!block.contains(address("::1")));
        let block: Network = "2001:db8::/33".parse().expect("a network");
        assert!(block.contains(address("2001:db8:7fff::1")));
        assert!(!block.contains(address("2001:db8:8000::1")));
        for wrong in ["", "10.0.0.0/33", "::/129", "10.0.0.0/x", "host"] {
            assert_eq!(wrong.parse::<Network>(), Err(NotANetwork(wrong.to_owned())));
        }
    }
}
