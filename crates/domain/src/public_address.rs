//! Defines the addresses to which a webhook may be sent.
//!
//! Anyone who may start a workflow can choose an endpoint, and the server then connects to it from inside the
//! operator's network. Without rules, this would give access to internal services: a cloud's metadata service, a
//! database, the router. Two checks prevent this, and both are in this module so that they cannot diverge:
//!
//! - [`CallbackUrl::parse`] checks the form and literal addresses when the workflow is started. It does not query DNS,
//!   because the answer could change, and a workflow must not be refused because its endpoint is not set up yet.
//! - [`is_public`] checks every address that the name resolves to when the connection is made. The guarded client of
//!   the delivery crate calls it.
//!
//! Literal addresses can be written in many ways (`2130706433`, `0x7f.1`, `0177.0.0.1`, `127。0。0。1`,
//! `[::ffff:7f00:1]`). The URL standard normalises them before we compare anything, so we do not have to handle each
//! form.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use url::{Host, Url};

/// Maximum length of an endpoint's URL, in bytes after normalisation.
pub const LONGEST_URL: usize = 2048;

/// The ports that are always allowed.
const STANDARD_PORTS: [u16; 2] = [80, 443];

/// The operator's rules for endpoints (`webhook.*` in the configuration).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRules {
    /// Also accept `http://` addresses.
    pub allow_http: bool,
    /// Lift the rules about scheme, port and address. Only for tests and demonstrations.
    pub allow_private: bool,
    /// Allowed ports other than 80 and 443.
    pub ports: Vec<u16>,
}

impl Default for AddressRules {
    fn default() -> Self {
        Self {
            allow_http: false,
            allow_private: false,
            ports: vec![8080, 8443],
        }
    }
}

impl AddressRules {
    /// Whether a connection to this address may be opened.
    pub fn allow_address(&self, address: IpAddr) -> bool {
        self.allow_private || is_public(address)
    }
}

/// Reasons why an endpoint's URL is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressFault {
    /// Not a URL, or a URL with an unreadable host.
    #[error("not a valid absolute URL; write it as https://host/path")]
    Malformed,
    #[error("longer than {LONGEST_URL} bytes; use a shorter URL")]
    TooLong,
    /// White space, a control character or a backslash.
    #[error("contains white space, a control character or a backslash; percent-encode it")]
    ForbiddenCharacter,
    /// A scheme other than https, or http if that is allowed.
    #[error("the scheme must be https; an operator can allow http with webhook.allow_http")]
    Scheme,
    /// A user name or a password before the host.
    #[error("contains a user name or password; use export_api_info.authorization instead")]
    UserInfo,
    /// A part after `#`.
    #[error("contains a fragment; remove # and everything after it")]
    Fragment,
    /// A port that is not allowed.
    #[error("port {0} is not allowed; an operator can add it to webhook.ports")]
    Port(u16),
    /// `localhost`, one of its subdomains, or a name without a dot.
    #[error("the host {0} is not publicly reachable; use a public domain")]
    LocalName(String),
    #[error("the host {0} is not a valid DNS name")]
    InvalidName(String),
    /// A literal address that is not public.
    #[error("the address {0} is not public; use a public domain")]
    PrivateAddress(IpAddr),
}

impl AddressFault {
    /// Returns a stable word for the fault, for messages and programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::TooLong => "too_long",
            Self::ForbiddenCharacter => "forbidden_character",
            Self::Scheme => "scheme",
            Self::UserInfo => "user_info",
            Self::Fragment => "fragment",
            Self::Port(_) => "port",
            Self::LocalName(_) => "local_name",
            Self::InvalidName(_) => "invalid_name",
            Self::PrivateAddress(_) => "private_address",
        }
    }
}

/// A URL that has passed the rules about form and literal addresses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CallbackUrl(Url);

impl CallbackUrl {
    /// Parses a URL and checks it against the rules. Does not query DNS.
    pub fn parse(text: &str, rules: &AddressRules) -> Result<Self, AddressFault> {
        // The URL standard would silently drop tabs and line ends and turn backslashes into slashes, so we would call a
        // different address from the one written.
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(AddressFault::ForbiddenCharacter);
        }
        if text.len() > LONGEST_URL {
            return Err(AddressFault::TooLong);
        }
        // It would also accept `https:host` and `https:////host`.
        let (scheme, rest) = text.split_once("://").ok_or(AddressFault::Malformed)?;
        let http = scheme.eq_ignore_ascii_case("http");
        if !http && !scheme.eq_ignore_ascii_case("https") || http && !rules.allow_http && !rules.allow_private {
            return Err(AddressFault::Scheme);
        }
        if rest.starts_with('/') {
            return Err(AddressFault::Malformed);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(AddressFault::UserInfo);
        }
        let url = Url::parse(text).map_err(|_| AddressFault::Malformed)?;
        if url.fragment().is_some() {
            return Err(AddressFault::Fragment);
        }
        if url.as_str().len() > LONGEST_URL {
            return Err(AddressFault::TooLong);
        }
        match url.host() {
            None => return Err(AddressFault::Malformed),
            Some(Host::Ipv4(address)) => check_literal(address.into(), rules)?,
            Some(Host::Ipv6(address)) => check_literal(address.into(), rules)?,
            Some(Host::Domain(name)) => check_name(name, rules)?,
        }
        let port = url.port_or_known_default().ok_or(AddressFault::Malformed)?;
        if !rules.allow_private && !STANDARD_PORTS.contains(&port) && !rules.ports.contains(&port) {
            return Err(AddressFault::Port(port));
        }
        Ok(Self(url))
    }

    /// Parses a URL that passed [`CallbackUrl::parse`] when its workflow was started. The operator's rules may have
    /// changed since, so this checks only the form. The address is checked when the connection is made.
    pub fn stored(text: &str) -> Option<Self> {
        let lifted = AddressRules {
            allow_private: true,
            ..AddressRules::default()
        };
        Self::parse(text, &lifted).ok()
    }

    /// Returns the normalised URL. Each endpoint has exactly one.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host: a name without the final dot, or a literal address (IPv6 in brackets).
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default().trim_end_matches('.')
    }

    /// Returns the literal address, if the host is one.
    pub fn literal_address(&self) -> Option<IpAddr> {
        match self.0.host()? {
            Host::Ipv4(address) => Some(address.into()),
            Host::Ipv6(address) => Some(address.into()),
            Host::Domain(_) => None,
        }
    }
}

fn check_literal(address: IpAddr, rules: &AddressRules) -> Result<(), AddressFault> {
    if rules.allow_address(address) {
        Ok(())
    } else {
        Err(AddressFault::PrivateAddress(address))
    }
}

fn check_name(name: &str, rules: &AddressRules) -> Result<(), AddressFault> {
    let rooted = name.strip_suffix('.').unwrap_or(name);
    if !is_host_name(rooted) {
        return Err(AddressFault::InvalidName(name.to_owned()));
    }
    let last = rooted.rsplit('.').next().unwrap_or_default();
    // The resolver looks up a name without a dot in its search domains, so the name is only meaningful internally.
    let local = last == "localhost" || !rooted.contains('.');
    if local && !rules.allow_private {
        Err(AddressFault::LocalName(name.to_owned()))
    } else {
        Ok(())
    }
}

/// Checks a host name by RFC 1123, section 2.1, in the ASCII form that the URL standard produces (IDNA, lower case).
fn is_host_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 253
        && name.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
}

/// A block of IPv4 addresses: its first address and the length of its prefix.
type Block4 = ([u8; 4], u32);

/// The complete IANA IPv4 Special-Purpose Address Registry, with multicast and known metadata addresses.
///
/// Entries that the registry calls globally reachable (AS112, AMT, anycast relays) are included, because customers do
/// not run endpoints there.
const NOT_PUBLIC_4: &[Block4] = &[
    ([0, 0, 0, 0], 8),        // this network, RFC 791
    ([10, 0, 0, 0], 8),       // private use, RFC 1918
    ([100, 64, 0, 0], 10),    // shared address space, RFC 6598
    ([127, 0, 0, 0], 8),      // loopback, RFC 1122
    ([168, 63, 129, 16], 32), // metadata and health service of a large cloud, in a public range
    ([169, 254, 0, 0], 16),   // link local, RFC 3927; metadata services
    ([172, 16, 0, 0], 12),    // private use, RFC 1918
    ([192, 0, 0, 0], 24),     // IETF protocol assignments, RFC 6890
    ([192, 0, 2, 0], 24),     // documentation, RFC 5737
    ([192, 31, 196, 0], 24),  // AS112, RFC 7535
    ([192, 52, 193, 0], 24),  // automatic multicast tunnelling, RFC 7450
    ([192, 88, 99, 0], 24),   // 6to4 relay anycast, deprecated, RFC 7526
    ([192, 168, 0, 0], 16),   // private use, RFC 1918
    ([192, 175, 48, 0], 24),  // direct delegation AS112, RFC 7534
    ([198, 18, 0, 0], 15),    // benchmarking, RFC 2544
    ([198, 51, 100, 0], 24),  // documentation, RFC 5737
    ([203, 0, 113, 0], 24),   // documentation, RFC 5737
    ([224, 0, 0, 0], 4),      // multicast, RFC 5771
    ([240, 0, 0, 0], 4),      // reserved, RFC 1112; limited broadcast, RFC 8190
];

/// A block of IPv6 addresses: its first address and the length of its prefix.
type Block6 = ([u16; 8], u32);

/// The addresses that IANA has assigned as global unicast. All others are special or unassigned.
const GLOBAL_UNICAST_6: Block6 = ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// The blocks of the IANA IPv6 Special-Purpose Address Registry inside `2000::/3`.
const NOT_PUBLIC_6: &[Block6] = &[
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // IETF protocol assignments (Teredo, ORCHID …), RFC 2928
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation, RFC 3849
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4, RFC 3056: contains any IPv4 address
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), // direct delegation AS112, RFC 7534
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation, RFC 9637
];

fn in_block_4(address: Ipv4Addr, (first, length): Block4) -> bool {
    let mask = u32::MAX << (32 - length);
    address.to_bits() & mask == Ipv4Addr::from(first).to_bits()
}

fn in_block_6(address: Ipv6Addr, (first, length): Block6) -> bool {
    let mask = u128::MAX << (128 - length);
    address.to_bits() & mask == Ipv6Addr::from(first).to_bits()
}

/// Whether an address belongs to the public Internet.
///
/// IPv6 addresses that only wrap an IPv4 address (mapped, NAT64, 6to4, Teredo) are never public here, whatever they
/// wrap. All of them are outside `2000::/3` or in its special blocks.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !NOT_PUBLIC_4.iter().any(|block| in_block_4(address, *block)),
        IpAddr::V6(address) => {
            in_block_6(address, GLOBAL_UNICAST_6) && !NOT_PUBLIC_6.iter().any(|block| in_block_6(address, *block))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<CallbackUrl, AddressFault> {
        CallbackUrl::parse(text, &AddressRules::default())
    }

    fn with_http(text: &str) -> Result<CallbackUrl, AddressFault> {
        CallbackUrl::parse(
            text,
            &AddressRules {
                allow_http: true,
                ..AddressRules::default()
            },
        )
    }

    #[test]
    fn public_addresses_are_taken_in_their_normal_spelling() {
        for (given, normal) in [
            (
                "https://hooks.example.com/countersign",
                "https://hooks.example.com/countersign",
            ),
            ("HTTPS://Hooks.Example.COM:443", "https://hooks.example.com/"),
            (
                "https://hooks.example.com:8443/a?b=c%20d",
                "https://hooks.example.com:8443/a?b=c%20d",
            ),
            (
                "https://예시.한국/받기",
                "https://xn--vv4b11d.xn--3e0b707e/%EB%B0%9B%EA%B8%B0",
            ),
            ("https://8.8.8.8/", "https://8.8.8.8/"),
            ("https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"),
            ("https://example.com./x", "https://example.com./x"),
        ] {
            assert_eq!(parse(given).as_ref().map(CallbackUrl::as_str), Ok(normal), "{given}");
        }
    }

    #[test]
    fn http_needs_the_setting() {
        assert_eq!(parse("http://example.com/"), Err(AddressFault::Scheme));
        assert!(with_http("http://example.com/").is_ok());
        for text in [
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "javascript://x.example/",
        ] {
            assert_eq!(with_http(text), Err(AddressFault::Scheme), "{text}");
        }
    }

    #[test]
    fn every_fault_of_form_has_its_own_answer() {
        let long = format!("https://example.com/{}", "a".repeat(LONGEST_URL));
        let grown = format!("https://example.com/{}", "é".repeat(LONGEST_URL / 4));
        for (text, code) in [
            ("", "malformed"),
            ("example.com/hook", "malformed"),
            ("https:example.com", "malformed"),
            ("https:///example.com", "malformed"),
            ("https://", "malformed"),
            ("https://:443/", "malformed"),
            ("https://1.2.3.4.5/", "malformed"),
            ("https://256.1.1.1/", "malformed"),
            ("https://[::1%25eth0]/", "malformed"),
            ("https://example.com:99999/", "malformed"),
            (long.as_str(), "too_long"),
            (grown.as_str(), "too_long"),
            ("https://exam\tple.com/", "forbidden_character"),
            ("https://example.com/\r\nX-Header: 1", "forbidden_character"),
            (" https://example.com/", "forbidden_character"),
            ("https://example.com\\@10.0.0.1/", "forbidden_character"),
            ("https://example.com/\u{0}", "forbidden_character"),
            ("https://user@example.com/", "user_info"),
            ("https://user:secret@example.com/", "user_info"),
            ("https://@example.com/", "user_info"),
            ("https://example.com/#part", "fragment"),
            ("https://example.com/#", "fragment"),
            ("https://example.com:22/", "port"),
            ("https://example.com:0/", "port"),
            ("https://localhost/", "local_name"),
            ("https://localhost./", "local_name"),
            ("https://LOCALHOST/", "local_name"),
            ("https://a.b.localhost/", "local_name"),
            ("https://intranet/", "local_name"),
            ("https://a..example.com/", "invalid_name"),
            ("https://-a.example.com/", "invalid_name"),
            ("https://a-.example.com/", "invalid_name"),
            ("https://a_b.example.com/", "invalid_name"),
            ("https://example.com../", "invalid_name"),
        ] {
            assert_eq!(parse(text).map_err(|fault| fault.code()), Err(code), "{text}");
        }
        let label = format!("https://{}.example.com/", "a".repeat(64));
        assert!(
            matches!(
                parse(&label),
                Err(AddressFault::InvalidName(_) | AddressFault::Malformed)
            ),
            "{label}"
        );
        let name = format!("https://{}com/", "abcdefg.".repeat(32));
        assert!(
            matches!(
                parse(&name),
                Err(AddressFault::InvalidName(_) | AddressFault::Malformed)
            ),
            "{name}"
        );
    }

    #[test]
    fn a_literal_address_is_recognised_in_every_spelling() {
        for text in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "127。0。0。1",
            "127．0｡0．1",
            "①②⑦.0.0.1",
            "１２７.0.0.1",
            "%31%32%37.0.0.1",
            "0",
            "10.1.2.3",
            "169.254.169.254",
            "0xa9fea9fe",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "255.255.255.255",
            "[::]",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::127.0.0.1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::ffff:8.8.8.8]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::8.8.8.8]",
            "[64:ff9b:1::a00:1]",
            "[2002:7f00:1::]",
            "[2002:808:808::1]",
            "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "[ff02::1]",
            "[2001:db8::1]",
            "[3fff::1]",
            "[5f00::1]",
        ] {
            let url = format!("https://{text}/");
            assert!(
                matches!(parse(&url), Err(AddressFault::PrivateAddress(_))),
                "{url}: {:?}",
                parse(&url)
            );
            assert!(
                matches!(
                    with_http(&format!("http://{text}:8080/a")),
                    Err(AddressFault::PrivateAddress(_))
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn allow_private_lifts_scheme_port_and_address_rules_but_not_the_form() {
        let rules = AddressRules {
            allow_private: true,
            ..AddressRules::default()
        };
        for text in [
            "http://127.0.0.1:54321/hook",
            "http://localhost:1/",
            "https://receiver:9000/",
            "http://[::1]:9/",
        ] {
            assert!(CallbackUrl::parse(text, &rules).is_ok(), "{text}");
        }
        for (text, code) in [
            ("ftp://127.0.0.1/", "scheme"),
            ("http://u:p@127.0.0.1/", "user_info"),
            ("http://127.0.0.1/#x", "fragment"),
            ("http://127.0.0.1/\n", "forbidden_character"),
            ("http://a_b/", "invalid_name"),
        ] {
            assert_eq!(
                CallbackUrl::parse(text, &rules).map_err(|fault| fault.code()),
                Err(code),
                "{text}"
            );
        }
    }

    #[test]
    fn extra_ports_come_from_the_settings() {
        let rules = AddressRules {
            ports: vec![9443],
            ..AddressRules::default()
        };
        assert!(CallbackUrl::parse("https://example.com:9443/", &rules).is_ok());
        assert!(CallbackUrl::parse("https://example.com:80/", &rules).is_ok());
        assert_eq!(
            CallbackUrl::parse("https://example.com:8443/", &rules),
            Err(AddressFault::Port(8443))
        );
    }

    #[test]
    fn the_host_is_the_same_at_every_port() {
        for text in ["https://Example.com./a", "https://example.com:8443/b?c"] {
            assert_eq!(
                parse(text).map(|url| url.host().to_owned()),
                Ok("example.com".to_owned())
            );
        }
        assert_eq!(
            parse("https://[2606:4700::1]/").map(|url| url.literal_address().is_some()),
            Ok(true)
        );
        assert_eq!(parse("https://example.com/").map(|url| url.literal_address()), Ok(None));
    }

    fn last_of_4((first, length): Block4) -> u32 {
        Ipv4Addr::from(first).to_bits() | u32::MAX.checked_shr(length).unwrap_or(0)
    }

    fn last_of_6((first, length): Block6) -> u128 {
        Ipv6Addr::from(first).to_bits() | (u128::MAX >> length)
    }

    #[test]
    fn both_ends_of_every_block_are_refused_and_its_neighbours_are_not() {
        for block in NOT_PUBLIC_4 {
            let (first, last) = (Ipv4Addr::from(block.0).to_bits(), last_of_4(*block));
            for address in [first, last] {
                assert!(
                    !is_public(Ipv4Addr::from_bits(address).into()),
                    "{}",
                    Ipv4Addr::from_bits(address)
                );
            }
            for neighbour in [first.checked_sub(1), last.checked_add(1)].into_iter().flatten() {
                let address = Ipv4Addr::from_bits(neighbour);
                let other = NOT_PUBLIC_4
                    .iter()
                    .any(|other| other != block && in_block_4(address, *other));
                assert_eq!(is_public(address.into()), !other, "{address}");
            }
        }
        for block in NOT_PUBLIC_6 {
            let (first, last) = (Ipv6Addr::from(block.0).to_bits(), last_of_6(*block));
            for address in [first, last] {
                assert!(
                    !is_public(Ipv6Addr::from_bits(address).into()),
                    "{}",
                    Ipv6Addr::from_bits(address)
                );
            }
        }
        // Neighbouring addresses that are assigned as ordinary addresses.
        for public in [
            "2001:200::",
            "2001:db7:ffff::",
            "2001:db9::",
            "2003::",
            "2620:4f:7fff::",
            "2620:4f:8001::",
        ] {
            assert!(is_public(public.parse().expect("an address")), "{public}");
        }
        for special in [
            "1fff:ffff::",
            "4000::",
            "3fff:0fff:ffff::",
            "2001:1ff:ffff::",
            "2002:ffff::",
        ] {
            assert!(!is_public(special.parse().expect("an address")), "{special}");
        }
    }

    proptest! {
        #[test]
        fn no_address_of_a_special_ipv4_block_is_public(index in 0..NOT_PUBLIC_4.len(), host in any::<u32>()) {
            let block = NOT_PUBLIC_4[index];
            let first = Ipv4Addr::from(block.0).to_bits();
            let address = Ipv4Addr::from_bits(first | (host & (last_of_4(block) ^ first)));
            prop_assert!(!is_public(address.into()));
            let url = format!("https://{}/", address.to_bits());
            prop_assert_eq!(parse(&url), Err(AddressFault::PrivateAddress(address.into())));
            let mapped = format!("https://[{}]/", address.to_ipv6_mapped());
            prop_assert!(matches!(parse(&mapped), Err(AddressFault::PrivateAddress(_))));
        }

        #[test]
        fn no_address_of_a_special_ipv6_block_is_public(index in 0..NOT_PUBLIC_6.len(), host in any::<u128>()) {
            let block = NOT_PUBLIC_6[index];
            let first = Ipv6Addr::from(block.0).to_bits();
            let address = Ipv6Addr::from_bits(first | (host & (last_of_6(block) ^ first)));
            prop_assert!(!is_public(address.into()));
            prop_assert_eq!(parse(&format!("https://[{address}]/")), Err(AddressFault::PrivateAddress(address.into())));
        }

        #[test]
        fn no_ipv6_address_outside_global_unicast_is_public(bits in any::<u128>()) {
            let address = Ipv6Addr::from_bits(bits);
            prop_assert!(bits >> 125 == 1 || !is_public(address.into()));
        }

        #[test]
        fn any_other_ipv4_address_is_public_in_every_spelling(bits in any::<u32>()) {
            let address = Ipv4Addr::from_bits(bits);
            let special = NOT_PUBLIC_4.iter().any(|block| bits >= Ipv4Addr::from(block.0).to_bits() && bits <= last_of_4(*block));
            prop_assert_eq!(is_public(address.into()), !special);
            for spelling in [address.to_string(), bits.to_string(), format!("{bits:#x}"), format!("0{bits:o}")] {
                prop_assert_eq!(parse(&format!("https://{spelling}/")).is_ok(), !special, "{}", spelling);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,80}") {
            let _ = parse(&text);
            let _ = parse(&format!("https://{text}"));
        }
    }
}
