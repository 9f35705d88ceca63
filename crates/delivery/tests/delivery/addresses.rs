//! Tests of the two kinds of addresses and their rules: the operator chooses time-stamp authorities, but strangers
//! choose the addresses in certificates.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use app::TimeStampAuthority;
use app::network::{Network, SourceAddress};
use delivery::guarded_client::Lookup;
use delivery::{GuardedNetwork, SourceRules};
use document::pki::authority::{CertificateRequest, create_root, distribution_points, extension, issue_certificate};
use document::pki::keys::{KeyKind, PrivateKey};
use document::pki::revocation::Sources;
use domain::public_address::AddressRules;
use jiff::{Timestamp, ToSpan};
use testkit::receiver::{Answer, Receiver};

use crate::house::{FixedLookup, private};

/// An address as it is read from a certificate.
pub fn named(url: &str) -> SourceAddress {
    let now = Timestamp::now();
    let root = create_root("Root", KeyKind::EcdsaP256, now).expect("a root");
    let key = PrivateKey::generate(KeyKind::EcdsaP256).expect("a key");
    let points = distribution_points(url).expect("an address");
    let request = CertificateRequest {
        common_name: "Somebody",
        extensions: vec![extension(false, &points).expect("an extension")],
        not_before: now - 1.hour(),
        not_after: now + 1.hour(),
    };
    let certificate = issue_certificate(Some(&root), &key, request).expect("a certificate");
    Sources::of(&certificate).expect("sources").lists.remove(0)
}

fn network(authorities: &AddressRules, sources: &SourceRules, addresses: &[&str]) -> GuardedNetwork {
    let addresses: Vec<IpAddr> = addresses
        .iter()
        .map(|address| address.parse().expect("an address"))
        .collect();
    let lookup: Arc<dyn Lookup> = Arc::new(FixedLookup(addresses));
    GuardedNetwork::with(authorities, sources, &lookup).expect("a network")
}

#[test]
fn what_a_certificate_names_is_never_connected_in_the_operators_network() {
    let receiver = Receiver::start();
    let port = receiver.address().port();
    let sources = SourceRules {
        ports: vec![port],
        private_hosts: Vec::new(),
    };
    let authority = |host: &str| TimeStampAuthority {
        url: format!("http://{host}:{port}/tsa"),
        policy: None,
        authorization: None,
    };
    let soon = Duration::from_mins(2);
    let network = network(&private(), &sources, &["127.0.0.1"]);
    for host in [
        "127.0.0.1",
        "10.0.0.1",
        "[::1]",
        "localhost",
        "pki.example.com",
        "2130706433",
    ] {
        let address = named(&format!("http://{host}:{port}/root.crl"));
        network.fetch(&address, soon).expect_err(host);
        let question = document::pki::revocation::OCSP_REQUEST_MEDIA_TYPE;
        network.ask(&address, question, vec![1], soon).expect_err(host);
    }
    assert_eq!(receiver.connections(), 0);
    // Only these addresses of the operator's own authority are allowed.
    for host in ["127.0.0.1", "tsa.example.com"] {
        network.ask_authority(&authority(host), vec![1]).expect(host);
    }
    assert_eq!(receiver.received().len(), 2);
    // They are refused if the operator has not allowed private addresses.
    let public = AddressRules::default();
    let closed = self::network(&public, &sources, &["127.0.0.1"]);
    closed
        .ask_authority(&authority("127.0.0.1"), vec![1])
        .expect_err("private");
    assert_eq!(receiver.received().len(), 2);
}

#[test]
fn a_host_that_the_operator_named_may_be_in_a_private_network_and_no_other() {
    let receiver = Receiver::start();
    let port = receiver.address().port();
    let sources = SourceRules {
        ports: vec![port],
        private_hosts: vec!["PKI.example.com".to_owned()],
    };
    let network = network(&AddressRules::default(), &sources, &["127.0.0.1"]);
    let soon = Duration::from_mins(2);
    let fetch = |host: &str| network.fetch(&named(&format!("http://{host}:{port}/root.crl")), soon);
    fetch("pki.example.com").expect("the operator's own");
    fetch("pki.example.com.evil.example").expect_err("another");
    fetch("127.0.0.1").expect_err("another");
    assert_eq!(receiver.received().len(), 1);
}

#[test]
fn nobody_is_waited_for_longer_than_was_said() {
    let receiver = Receiver::start();
    receiver.answer_always(Answer::Silence);
    let sources = SourceRules {
        ports: Vec::new(),
        private_hosts: vec!["127.0.0.1".to_owned()],
    };
    let network = network(&AddressRules::default(), &sources, &[]);
    let address = named(&receiver.url("/root.crl"));
    let silent = network.fetch(&address, Duration::from_millis(100));
    let fault = silent.expect_err("nobody answers");
    assert!(fault.reason.contains("within 0.1 s"), "{fault}");
}
