//! How requests leave the operator's network: directly, or through an HTTP proxy.
//!
//! With a proxy we tunnel everything by CONNECT (RFC 9110, 9.3.6), even plain http, so the proxy learns only the
//! destination. We resolve and check names before we contact the proxy, and request a tunnel to the checked address. If
//! only the proxy can resolve names, we send it the name. The proxy alone then chooses the address, and must refuse
//! private networks itself.

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hyper::Uri;
use hyper::header::HeaderValue;

/// How the guarded client leaves the operator's network. Cheap to clone.
#[derive(Clone, Default)]
pub struct Egress(Option<Arc<Proxy>>);

pub(crate) struct Proxy {
    pub(crate) address: Uri,
    pub(crate) authorization: Option<HeaderValue>,
    /// Whether we send names to the proxy instead of checked addresses.
    pub(crate) resolves_names: bool,
    /// Hosts we call without the proxy.
    except: Vec<String>,
}

/// Reason why a proxy's address cannot be used. The messages never contain the address, because it may contain a
/// password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EgressFault {
    #[error("use the form http://host:port or http://user:password@host:port")]
    Malformed,
    /// We connect to the proxy itself without TLS, so it must be http.
    #[error(
        "use http://, because we connect to the proxy over plain HTTP (connections through the proxy have their own TLS)"
    )]
    Scheme,
    /// The address has more than a host and a port.
    #[error("remove everything after the port; in the user and password, write / as %2F, ? as %3F and # as %23")]
    Path,
}

impl Egress {
    pub fn direct() -> Egress {
        Egress::default()
    }

    /// A proxy at `http://host:port`, optionally with a percent-encoded user and password before the host. `except`
    /// lists hosts and literal addresses that we call directly. With `resolves_names` we send names to the proxy
    /// instead of checked addresses.
    pub fn proxy(address: &str, except: Vec<String>, resolves_names: bool) -> Result<Egress, EgressFault> {
        let rest = address.strip_prefix("http://").ok_or(if address.contains("://") {
            EgressFault::Scheme
        } else {
            EgressFault::Malformed
        })?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        if rest.contains(['/', '?', '#']) {
            return Err(EgressFault::Path);
        }
        let (credentials, host) = match rest.rsplit_once('@') {
            Some((credentials, host)) => (Some(credentials), host),
            None => (None, rest),
        };
        let address: Uri = format!("http://{host}/").parse().map_err(|_| EgressFault::Malformed)?;
        if address.host().is_none_or(str::is_empty) || address.port_u16().is_none() {
            return Err(EgressFault::Malformed);
        }
        let authorization = credentials.map(basic).transpose()?;
        Ok(Egress(Some(Arc::new(Proxy {
            address,
            authorization,
            resolves_names,
            except,
        }))))
    }

    /// The proxy to use for a host, if any.
    pub(crate) fn proxy_for(&self, host: &str) -> Option<&Arc<Proxy>> {
        let host = host.trim_end_matches('.');
        self.0
            .as_ref()
            .filter(|proxy| !proxy.except.iter().any(|one| one.eq_ignore_ascii_case(host)))
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str("Egress(direct)"),
            Some(proxy) => write!(f, "Egress({})", proxy.address),
        }
    }
}

/// The value of Proxy-Authorization for `user:password`, each percent-encoded (RFC 7617).
fn basic(credentials: &str) -> Result<HeaderValue, EgressFault> {
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
    let mut plain = unescaped(user)?;
    plain.push(b':');
    plain.extend(unescaped(password)?);
    let value = format!("Basic {}", BASE64_STANDARD.encode(plain));
    let mut value = HeaderValue::try_from(value).map_err(|_| EgressFault::Malformed)?;
    value.set_sensitive(true);
    Ok(value)
}

fn unescaped(text: &str) -> Result<Vec<u8>, EgressFault> {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            plain.push(byte);
            continue;
        }
        let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(), digit()) else {
            return Err(EgressFault::Malformed);
        };
        plain.push(u8::try_from(high * 16 + low).map_err(|_| EgressFault::Malformed)?);
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_password_become_a_header_and_show_nowhere() {
        let egress = Egress::proxy("http://us%40er:p%C3%A4ss%3A@proxy.example.com:3128/", Vec::new(), false);
        let egress = egress.expect("a proxy");
        let proxy = egress.proxy_for("example.com").expect("it is used");
        assert_eq!(proxy.address, "http://proxy.example.com:3128/");
        let value = proxy.authorization.as_ref().expect("credentials");
        assert_eq!(value, &format!("Basic {}", BASE64_STANDARD.encode("us@er:päss:")));
        let shown = format!("{egress:?} {value:?}");
        assert!(!shown.contains("er") || !shown.contains("ss%3A"), "{shown}");
        assert_eq!(format!("{egress:?}"), "Egress(http://proxy.example.com:3128/)");
    }

    #[test]
    fn what_is_no_proxys_address_is_refused() {
        for (address, fault) in [
            ("proxy.example.com:3128", EgressFault::Malformed),
            ("https://proxy.example.com:3128", EgressFault::Scheme),
            ("socks5://proxy.example.com:1080", EgressFault::Scheme),
            ("http://proxy.example.com", EgressFault::Malformed),
            ("http://:3128", EgressFault::Malformed),
            ("http://", EgressFault::Malformed),
            ("http://proxy.example.com:port", EgressFault::Malformed),
            ("http://u%4:p@proxy.example.com:3128", EgressFault::Malformed),
            ("http://proxy.example.com:3128/path", EgressFault::Path),
            ("http://proxy.example.com:3128?x", EgressFault::Path),
        ] {
            let found = Egress::proxy(address, Vec::new(), false).map(drop);
            assert_eq!(found, Err(fault), "{address}");
        }
    }

    #[test]
    fn hosts_that_are_excepted_are_called_without_it() {
        let except = vec!["tsa.example.com".to_owned(), "10.0.0.7".to_owned()];
        let egress = Egress::proxy("http://proxy:3128", except, false).expect("a proxy");
        for (host, used) in [
            ("tsa.example.com", false),
            ("TSA.example.com.", false),
            ("10.0.0.7", false),
            ("x.tsa.example.com", true),
            ("10.0.0.70", true),
        ] {
            assert_eq!(egress.proxy_for(host).is_some(), used, "{host}");
        }
        assert!(Egress::direct().proxy_for("example.com").is_none());
    }
}
