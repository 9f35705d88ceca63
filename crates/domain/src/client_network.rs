//! Defines which addresses count as one client, for throttles, queues and shares.

use std::fmt;
use std::net::IpAddr;

/// An IPv4 address, or the /64 network of an IPv6 address, because one client usually owns the whole /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientNetwork(IpAddr);

impl ClientNetwork {
    /// Returns the network of an address in any notation.
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & !u128::from(u64::MAX)).into()),
            address @ IpAddr::V4(_) => address,
        })
    }
}

/// The database stores this text, so it must not change.
impl fmt::Display for ClientNetwork {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(out),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                write!(out, "{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_addresses_of_one_household_are_one_network_and_read_as_they_always_did() {
        for (address, network) in [
            ("192.0.2.1", "192.0.2.1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8::1", "2001:db8:0:0::/64"),
            ("2001:db8::ffff:2", "2001:db8:0:0::/64"),
            ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
            ("::1", "0:0:0:0::/64"),
        ] {
            let address: IpAddr = address.parse().expect("an address");
            assert_eq!(ClientNetwork::of(address).to_string(), network, "{address}");
        }
    }
}
