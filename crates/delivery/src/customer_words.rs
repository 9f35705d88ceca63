//! Texts that are safe to show to a customer.
//!
//! We explain a failed delivery to the customer who chose its address: in API responses, in the delivery history and on
//! the outbox page. They must not learn the resolved address of a host name or how a server identifies itself to us,
//! because that would reveal the operator's network. So these explanations are [`CustomerWords`], which never contain a
//! host's address, regardless of their source. The operator's log has the addresses.
//!
//! We find addresses anywhere, even in the middle of a word, because an error message may attach them to any text.
//! `std::io` and `a::b` also parse as IPv6 addresses, but no host can have those, so they are kept.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Replaces an address.
const HIDDEN: &str = "(address)";

/// A text from which all host addresses were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomerWords(String);

impl CustomerWords {
    pub fn of(words: impl fmt::Display) -> CustomerWords {
        let words = words.to_string();
        let mut told = String::with_capacity(words.len());
        let mut rest = words.as_str();
        while let Some(start) = rest.find(is_of_address) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|c| !is_of_address(c)).unwrap_or(from.len());
            let (candidate, after) = from.split_at(end);
            told.push_str(before);
            told.push_str(&without_address(candidate));
            rest = after;
        }
        told.push_str(rest);
        CustomerWords(told)
    }
}

impl fmt::Display for CustomerWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether the character can be part of an address. Brackets and a zone are handled separately.
fn is_of_address(character: char) -> bool {
    character.is_ascii_hexdigit() || matches!(character, '.' | ':')
}

/// Removes the address from a run of such characters, if it contains one. Letters and punctuation may surround the
/// address.
fn without_address(run: &str) -> String {
    let longest = |start: usize| {
        (start + 1..=run.len().min(start + 51))
            .rev()
            .find(|end| run.get(start..*end).is_some_and(is_address))
    };
    for start in 0..run.len() {
        if let Some(end) = longest(start) {
            let (before, after) = (run.get(..start).unwrap_or_default(), run.get(end..).unwrap_or_default());
            return format!("{before}{HIDDEN}{}", without_address(after));
        }
    }
    run.to_owned()
}

fn is_address(text: &str) -> bool {
    let address = text.parse::<IpAddr>();
    let address = address.or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.is_ok_and(can_be_a_hosts)
}

/// Whether a host can have this address. No host has an IPv6 address that begins with eight zero bits, except the
/// loopback address and addresses that embed an IPv4 address (RFC 4291, 2.4 and 2.5; RFC 6052, 2.1).
fn can_be_a_hosts(address: IpAddr) -> bool {
    let IpAddr::V6(address) = address else {
        return true;
    };
    match address.segments() {
        [first, ..] if first >= 0x0100 => true,
        [0, 0, 0, 0, 0, 0, high, _] if high > 0 => true,
        [0x64, 0xFF9B, ..] | [0, 0, 0, 0, 0, 0xFFFF, _, _] | [0, 0, 0, 0, 0xFFFF, 0, _, _] => true,
        _ => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_stay_and_addresses_do_not() {
        for (words, told) in [
            ("connection refused (os error 111)", "connection refused (os error 111)"),
            ("no answer within 0.8 s", "no answer within 0.8 s"),
            ("550 5.1.1 no such user", "550 5.1.1 no such user"),
            (
                "it answered with status 503: later",
                "it answered with status 503: later",
            ),
            ("10.0.0.7", "(address)"),
            ("connect to 10.0.0.7:3128 failed", "connect to (address) failed"),
            (
                "host [10.0.0.7] or [fd00::7]:25.",
                "host [(address)] or [(address)]:25.",
            ),
            (
                "IpAddress(10.0.0.7), IpAddress(::1)",
                "IpAddress((address)), IpAddress((address))",
            ),
            (
                "at::ffff:10.0.0.7%eth0, abc.10.0.0.7.",
                "at(address)%eth0, abc.(address).",
            ),
            ("address:169.254.169.254:80", "address:(address)"),
            (
                "std::io::Error, a::b, ::, dead:beef",
                "std::io::Error, a::b, ::, dead:beef",
            ),
            ("fe80::1%eth0 and 64:ff9b::a00:7", "(address)%eth0 and (address)"),
            ("::10.0.0.7, [::1]:80", "(address), [(address)]:80"),
        ] {
            assert_eq!(CustomerWords::of(words).to_string(), told, "{words}");
        }
    }

    proptest! {
        #[test]
        fn no_address_is_shown_whatever_surrounds_it(
            address in any::<IpAddr>().prop_filter("no host can have it", |address| can_be_a_hosts(*address)),
            before in "[a-z:. (\\[=\"]{0,6}",
            after in "[a-z:. )\\]=\"]{0,6}",
        ) {
            let told = CustomerWords::of(format!("{before}{address}{after}"));
            prop_assert!(!told.to_string().contains(&address.to_string()), "{told}");
        }
    }
}
