//! Where a signing page leads when its signer has signed: only to hosts that the company allows.
//!
//! Whoever can start a document chooses the address, and signers follow it from a page that they trust. So an address is checked
//! against the company's hosts when the document is sent, and again when the page leads there.

use std::fmt;

use url::{Host, Url};

use crate::public_address::LONGEST_URL;

/// The most hosts that a company can allow.
pub const MOST_HOSTS: usize = 50;

/// An address to which a signing page may lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUrl(Url);

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RedirectFault {
    #[error("not a valid absolute URL; write it as https://host/path")]
    Malformed,
    #[error("longer than {LONGEST_URL} bytes; use a shorter URL")]
    TooLong,
    #[error("the scheme must be https")]
    Scheme,
    #[error("contains a user name or password")]
    UserInfo,
    /// The company does not allow this host.
    #[error("the host {0} is not allowed")]
    Host(String),
}

impl RedirectUrl {
    /// Reads an address: https, or http on this computer, for tests.
    pub fn parse(text: &str) -> Result<Self, RedirectFault> {
        // The URL standard would drop tabs and turn backslashes into slashes: another address than the one written.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(RedirectFault::Malformed);
        }
        // It would also accept `https:host` and `https:////host`.
        let (scheme, rest) = text.split_once("://").ok_or(RedirectFault::Malformed)?;
        if !["https", "http"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Err(RedirectFault::Scheme);
        }
        if rest.starts_with('/') {
            return Err(RedirectFault::Malformed);
        }
        let url = Url::parse(text).map_err(|_| RedirectFault::Malformed)?;
        if url.as_str().len() > LONGEST_URL {
            return Err(RedirectFault::TooLong);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(RedirectFault::UserInfo);
        }
        let host = url.host().ok_or(RedirectFault::Malformed)?;
        if url.scheme() != "https" && !is_loopback(&host) {
            return Err(RedirectFault::Scheme);
        }
        Ok(Self(url))
    }

    /// The normalised address.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Its host, in small letters.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// The hosts to which a company lets its documents lead signers. Written with blanks between them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RedirectHosts(Vec<String>);

impl RedirectHosts {
    pub const NONE: Self = Self(Vec::new());

    /// Reads hosts, separated by commas or blanks. The refused one is returned as an error.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut hosts = Vec::new();
        for given in text.split([',', ' ']).filter(|host| !host.is_empty()) {
            let host = Host::parse(given).map(|host| host.to_string());
            let host = host
                .ok()
                .filter(|host| !host.contains('*'))
                .ok_or_else(|| given.to_owned())?;
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        match hosts.get(MOST_HOSTS) {
            Some(one_too_many) => Err(one_too_many.clone()),
            None => Ok(Self(hosts)),
        }
    }

    /// The address, if its host is one of these.
    pub fn allow(&self, url: RedirectUrl) -> Result<RedirectUrl, RedirectFault> {
        if self.0.iter().any(|host| host == url.host()) {
            Ok(url)
        } else {
            Err(RedirectFault::Host(url.host().to_owned()))
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for RedirectHosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(hosts: &str, text: &str) -> Result<String, RedirectFault> {
        let hosts = RedirectHosts::parse(hosts).expect("hosts");
        let url = RedirectUrl::parse(text).and_then(|url| hosts.allow(url))?;
        Ok(url.as_str().to_owned())
    }

    #[test]
    fn only_https_addresses_of_allowed_hosts_are_led_to() {
        let hosts = "App.example.com, 예시.한국 localhost [::1] 127.0.0.1";
        for (text, led) in [
            ("https://app.example.com", "https://app.example.com/"),
            (
                "HTTPS://APP.example.com:8443/a?b=c#d",
                "https://app.example.com:8443/a?b=c#d",
            ),
            ("https://예시.한국/끝", "https://xn--vv4b11d.xn--3e0b707e/%EB%81%9D"),
            ("http://localhost:3000/done", "http://localhost:3000/done"),
            ("http://127.0.0.1/done", "http://127.0.0.1/done"),
            ("http://[::1]:9/", "http://[::1]:9/"),
        ] {
            assert_eq!(lead(hosts, text).as_deref(), Ok(led), "{text}");
        }
        let host = |host: &str| RedirectFault::Host(host.to_owned());
        for (text, fault) in [
            ("https://evil.example", host("evil.example")),
            ("https://sub.app.example.com", host("sub.app.example.com")),
            (
                "https://app.example.com.evil.example/",
                host("app.example.com.evil.example"),
            ),
            ("https://evil.example#app.example.com", host("evil.example")),
            ("https://evil.example/?https://app.example.com", host("evil.example")),
            ("https://app.example.com@evil.example/", RedirectFault::UserInfo),
            ("https://@app.example.com/", RedirectFault::UserInfo),
            ("https://evil.example\\@app.example.com/", RedirectFault::Malformed),
            ("https://app.exam\tple.com/", RedirectFault::Malformed),
            (" https://app.example.com/", RedirectFault::Malformed),
            ("https:app.example.com", RedirectFault::Malformed),
            ("https:////app.example.com", RedirectFault::Malformed),
            ("//app.example.com/", RedirectFault::Malformed),
            ("/done", RedirectFault::Malformed),
            ("javascript://app.example.com/%0aalert(1)", RedirectFault::Scheme),
            ("data:text/html,x", RedirectFault::Malformed),
            ("http://app.example.com/", RedirectFault::Scheme),
        ] {
            assert_eq!(lead(hosts, text), Err(fault), "{text}");
        }
        let long = format!("https://app.example.com/{}", "a".repeat(LONGEST_URL));
        assert_eq!(lead(hosts, &long), Err(RedirectFault::TooLong));
        assert!(
            lead("", "https://app.example.com").is_err(),
            "a company allows none at first"
        );
    }

    #[test]
    fn what_is_no_host_is_not_allowed() {
        for text in [
            "https://a.example",
            "a.example/path",
            "*.example.com",
            "a.example:443",
            "a@b.example",
        ] {
            assert!(RedirectHosts::parse(text).is_err(), "{text}");
        }
        let many: Vec<String> = (0..=MOST_HOSTS).map(|number| format!("h{number}.example")).collect();
        assert!(RedirectHosts::parse(&many.join(" ")).is_err());
        let hosts = RedirectHosts::parse(" b.example,A.example b.example ").expect("hosts");
        assert_eq!(hosts.to_string(), "b.example a.example");
    }
}
