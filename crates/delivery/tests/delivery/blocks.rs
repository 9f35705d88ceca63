//! We never connect to a special-purpose address, regardless of its notation and of the route to it.
//!
//! The blocks are listed here a second time, from the registries themselves (IANA IPv4 and IPv6 Special-Purpose Address
//! Registries, IANA IPv4 and IPv6 address space), not from the code under test. A proxy for all traffic, and listeners
//! on every address of this machine, count the connections.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use delivery::Egress;
use delivery::guarded_client::{Fault, GuardedClient};
use domain::public_address::{AddressRules, CallbackUrl};
use proptest::prelude::*;
use reqwest::header::HeaderMap;

use crate::house::{FixedLookup, patient};
use crate::proxy::StandIn;

/// First address, prefix length, and whether the addresses directly before and after the block are ordinary ones.
const BLOCKS_4: &[(&str, u32, bool, bool)] = &[
    ("0.0.0.0", 8, false, true),
    ("10.0.0.0", 8, true, true),
    ("100.64.0.0", 10, true, true),
    ("127.0.0.0", 8, true, true),
    ("168.63.129.16", 32, true, true),
    ("169.254.0.0", 16, true, true),
    ("172.16.0.0", 12, true, true),
    ("192.0.0.0", 24, true, true),
    ("192.0.2.0", 24, true, true),
    ("192.31.196.0", 24, true, true),
    ("192.52.193.0", 24, true, true),
    ("192.88.99.0", 24, true, true),
    ("192.168.0.0", 16, true, true),
    ("192.175.48.0", 24, true, true),
    ("198.18.0.0", 15, true, true),
    ("198.51.100.0", 24, true, true),
    ("203.0.113.0", 24, true, true),
    ("224.0.0.0", 4, true, false),
    ("240.0.0.0", 4, false, false),
];

const BLOCKS_6: &[(&str, u32, bool, bool)] = &[
    ("::", 128, false, false),
    ("::1", 128, false, false),
    ("::", 96, false, false),
    ("::ffff:0:0", 96, false, false),
    ("64:ff9b::", 96, false, false),
    ("64:ff9b:1::", 48, false, false),
    ("100::", 64, false, false),
    ("100:0:0:1::", 64, false, false),
    ("::", 3, false, true),
    ("2001::", 23, true, true),
    ("2001::", 32, true, false),
    ("2001:1::1", 128, false, false),
    ("2001:1::2", 128, false, false),
    ("2001:1::3", 128, false, false),
    ("2001:2::", 48, false, false),
    ("2001:3::", 32, false, false),
    ("2001:4:112::", 48, false, false),
    ("2001:10::", 28, false, false),
    ("2001:20::", 28, false, false),
    ("2001:30::", 28, false, false),
    ("2001:db8::", 32, true, true),
    ("2002::", 16, true, true),
    ("2620:4f:8000::", 48, true, true),
    ("3fff::", 20, true, true),
    ("4000::", 2, true, false),
    ("5f00::", 16, false, false),
    ("8000::", 1, false, false),
    ("fc00::", 7, false, false),
    ("fe80::", 10, false, false),
    ("fec0::", 10, false, false),
    ("ff00::", 8, false, false),
];

fn four((first, length, ..): (&str, u32, bool, bool)) -> (u32, u32) {
    let first = first.parse::<Ipv4Addr>().expect("an address").to_bits();
    (first, first | u32::MAX.checked_shr(length).unwrap_or(0))
}

fn six((first, length, ..): (&str, u32, bool, bool)) -> (u128, u128) {
    let first = first.parse::<Ipv6Addr>().expect("an address").to_bits();
    (first, first | u128::MAX.checked_shr(length).unwrap_or(0))
}

struct World {
    proxy: StandIn,
    /// Listens on one port of every IPv4 and, if available, IPv6 address of this machine.
    port: u16,
    connections: Arc<AtomicUsize>,
    runtime: tokio::runtime::Runtime,
}

impl World {
    fn new() -> World {
        let any_four = TcpListener::bind("0.0.0.0:0").expect("a port");
        let port = any_four.local_addr().expect("an address").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let listeners = [Some(any_four), TcpListener::bind(format!("[::1]:{port}")).ok()];
        for listener in listeners.into_iter().flatten() {
            let connections = Arc::clone(&connections);
            std::thread::spawn(move || {
                for _ in listener.incoming() {
                    connections.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        World {
            proxy: StandIn::refusing("HTTP/1.1 502 Bad gateway\r\n\r\n"),
            port,
            connections,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime"),
        }
    }

    fn rules(&self) -> AddressRules {
        AddressRules {
            allow_http: true,
            allow_private: false,
            ports: vec![self.port],
        }
    }

    /// Calls a URL. If it contains a host name, the name resolves to these addresses.
    fn post(&self, egress: &Egress, url: &str, leads_to: &[IpAddr]) -> Result<u16, Fault> {
        let lookup = Arc::new(FixedLookup(leads_to.to_vec()));
        let client = GuardedClient::through(egress, self.rules(), patient(), lookup).expect("a client");
        let url = CallbackUrl::stored(url).expect("a URL");
        let answer = self
            .runtime
            .block_on(client.post(&url, HeaderMap::new(), b"{}".to_vec()));
        answer.map(|answer| answer.status)
    }

    /// Tries an address as a literal and behind a name, directly and through the proxy. No connection may be made.
    fn must_refuse(&self, address: IpAddr) {
        assert!(
            CallbackUrl::parse(&self.url(address), &self.rules()).is_err(),
            "{address} is taken at the start"
        );
        let name = format!("http://hooks.example.com:{}/", self.port);
        let public: IpAddr = "93.184.215.14".parse().expect("an address");
        for egress in [Egress::direct(), self.proxy.egress()] {
            for (url, leads_to) in [
                (self.url(address), vec![]),
                (name.clone(), vec![address]),
                (name.clone(), vec![public, address]),
            ] {
                let refused = self.post(&egress, &url, &leads_to);
                assert!(
                    matches!(refused, Err(Fault::AddressRefused)),
                    "{address}: {url} {leads_to:?} {egress:?}: {refused:?}"
                );
                let said = refused.map_or_else(|fault| format!("{fault} {fault:?}"), |_| String::new());
                assert!(!said.contains(&address.to_string()), "{said}");
            }
        }
        assert_eq!(
            (self.proxy.connections(), self.connections.load(Ordering::SeqCst)),
            (0, 0)
        );
    }

    fn url(&self, address: IpAddr) -> String {
        format!("http://{}/", SocketAddr::new(address, self.port))
    }
}

#[test]
fn both_ends_of_every_block_are_refused() {
    let world = World::new();
    for block in BLOCKS_4 {
        let (first, last) = four(*block);
        for address in [first, last] {
            world.must_refuse(Ipv4Addr::from_bits(address).into());
        }
    }
    for block in BLOCKS_6 {
        let (first, last) = six(*block);
        for address in [first, last] {
            world.must_refuse(Ipv6Addr::from_bits(address).into());
        }
    }
}

#[test]
fn the_neighbours_of_the_blocks_are_connected_to() {
    let world = World::new();
    let mut neighbours: Vec<IpAddr> = Vec::new();
    for block in BLOCKS_4 {
        let (first, last) = four(*block);
        let before = block.2.then(|| Ipv4Addr::from_bits(first - 1));
        let after = block.3.then(|| Ipv4Addr::from_bits(last + 1));
        neighbours.extend(before.into_iter().chain(after).map(IpAddr::from));
    }
    for block in BLOCKS_6 {
        let (first, last) = six(*block);
        let before = block.2.then(|| Ipv6Addr::from_bits(first - 1));
        let after = block.3.then(|| Ipv6Addr::from_bits(last + 1));
        neighbours.extend(before.into_iter().chain(after).map(IpAddr::from));
    }
    for (number, address) in neighbours.into_iter().enumerate() {
        let asked = world.post(&world.proxy.egress(), &world.url(address), &[]);
        assert!(matches!(asked, Err(Fault::NotConnected(_))), "{address}: {asked:?}");
        let target = SocketAddr::new(address, world.port).to_string();
        assert_eq!(world.proxy.asked()[number].target, target);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_address_of_a_special_block_is_connected_to(
        block_4 in 0..BLOCKS_4.len(), block_6 in 0..BLOCKS_6.len(), host_4 in any::<u32>(), host_6 in any::<u128>(),
    ) {
        let world = World::new();
        let (first, last) = four(BLOCKS_4[block_4]);
        let address = Ipv4Addr::from_bits(first | host_4 & (first ^ last));
        world.must_refuse(address.into());
        // The same address embedded in an IPv6 one: mapped, compatible, NAT64, 6to4.
        let bits = u128::from(address.to_bits());
        let sixes = [0xffff << 32 | bits, bits, 0x64_ff9b << 96 | bits, 0x2002 << 112 | bits << 80];
        for wrapped in sixes {
            world.must_refuse(Ipv6Addr::from_bits(wrapped).into());
        }
        let (first, last) = six(BLOCKS_6[block_6]);
        world.must_refuse(Ipv6Addr::from_bits(first | host_6 & (first ^ last)).into());
    }
}

/// Notations of 127.0.0.1, the clouds' metadata service and a private network that have been used to bypass filters.
const SPELLINGS: &[&str] = &[
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.000.000.001",
    "2130706433",
    "2130706433.",
    "0x7f000001",
    "0x7F.0x0.0x0.0x1",
    "0x7f.1",
    "0177.0.0.1",
    "0177.1",
    "017700000001",
    "00000177.0.0.1",
    "0",
    "0.0.0.0",
    "0x0",
    "127.0.0.1%2e",
    "127%2e0%2e0%2e1",
    "%31%32%37.0.0.1",
    "%3127.0.0.1",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "１２７.0.0.1",
    "①②⑦.⓪.⓪.①",
    "𝟏𝟐𝟕.0.0.1",
    "0𝐱7f000001",
    "2852039166",
    "0xa9fea9fe",
    "169.254.43518",
    "0251.0376.0251.0376",
    "169.254.169.254",
    "10.1",
    "0xa.0.0.1",
    "3232235521",
    "168.63.129.16",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::FFFF:7F00:1]",
    "[::ffff:0:127.0.0.1]",
    "[0:0:0:0:0:ffff:a9fe:a9fe]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "[fec0::1]",
    "[ff02::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "a.b.localhost",
    "a.localhost.",
    "ip6-localhost",
    "intranet",
];

/// URLs that are not valid as endpoints at all.
const UNREADABLE: &[&str] = &[
    "http://hooks.example.com@127.0.0.1/",
    "http://hooks.example.com:80@127.0.0.1/",
    "http://@127.0.0.1/",
    "http://127.0.0.1#@hooks.example.com/",
    "http://127.0.0.1\\@hooks.example.com/",
    "http://hooks.example.com\\.127.0.0.1/",
    "http:\\\\127.0.0.1/",
    "http:127.0.0.1/",
    "http:/127.0.0.1/",
    "http:///127.0.0.1/",
    "http://127.0.0.1\t/",
    "http://127.0.0.1\r\nHost:x/",
    "http://127.0.0.1\0.example.com/",
    "http://127.0.0.1%00.example.com/",
    "http://[::1%25lo]/",
    "http://[fe80::1%25eth0]/",
    "http://[v1.127.0.0.1]/",
    "http://[127.0.0.1]/",
    "http://0x100000000/",
    "http://256.0.0.1/",
    "http://127.0.0.1.1/",
    "http://..127.0.0.1/",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1/",
    "file:///etc/passwd",
    "//127.0.0.1/",
    "127.0.0.1",
];

#[test]
fn no_spelling_of_a_private_address_opens_a_connection() {
    let world = World::new();
    let loopback: IpAddr = "127.0.0.1".parse().expect("an address");
    for spelling in SPELLINGS {
        let url = format!("http://{spelling}:{}/", world.port);
        assert!(
            CallbackUrl::parse(&url, &world.rules()).is_err(),
            "{url} is taken at the start"
        );
        if CallbackUrl::stored(&url).is_none() {
            continue;
        }
        // Stored endpoints may date from a time when the operator had different rules. Their names resolve to loopback.
        for egress in [Egress::direct(), world.proxy.egress()] {
            let refused = world.post(&egress, &url, &[loopback]);
            assert!(matches!(refused, Err(Fault::AddressRefused)), "{url}: {refused:?}");
        }
    }
    for url in UNREADABLE {
        assert!(
            CallbackUrl::parse(url, &world.rules()).is_err(),
            "{url:?} is taken at the start"
        );
        assert!(CallbackUrl::stored(url).is_none(), "{url:?} can be called");
    }
    assert_eq!(
        (world.proxy.connections(), world.connections.load(Ordering::SeqCst)),
        (0, 0)
    );
}
