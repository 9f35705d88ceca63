//! A customer never learns which address a name resolves to, whether from a test call, the history or a mail's error.

use std::sync::Arc;

use app::TimeStampAuthority;
use app::network::{Network, WebhookTrial};
use delivery::guarded_client::{GuardedClient, Lookup};
use delivery::{GuardedNetwork, Runner, SourceRules};
use domain::Contact;
use domain::public_address::{AddressRules, CallbackUrl};
use testkit::database::TestDatabase;
use testkit::receiver::Receiver;
use testkit::smtp_sink::{SmtpSink, Trouble};

use crate::house::{FixedLookup, House, settings, short};

const URL: &str = "https://hooks.example.com/";
const PRIVATE: [&str; 5] = [
    "10.9.8.7",
    "127.0.0.1",
    "169.254.169.254",
    "fd00:9::8:7",
    "::ffff:10.9.8.7",
];

fn leading_to(address: &str) -> Arc<dyn Lookup> {
    Arc::new(FixedLookup(vec![address.parse().expect("an address")]))
}

fn hides(words: &str, address: &str) {
    assert!(!words.contains(address) && !words.contains("10.9.8.7"), "{words}");
}

#[test]
fn a_trial_does_not_tell_which_private_address_a_name_led_to() {
    for address in PRIVATE {
        let public = AddressRules::default();
        let network = GuardedNetwork::with(&public, &SourceRules::default(), &leading_to(address))
            .and_then(|network| network.with_webhooks(&public))
            .expect("a network");
        let trial = WebhookTrial {
            url: CallbackUrl::parse(URL, &public).expect("a URL"),
            event_id: "msg_1".to_owned(),
            authorization: None,
            secrets: Vec::new(),
            body: b"{}".to_vec(),
            at: jiff::Timestamp::UNIX_EPOCH,
        };
        let fault = network.try_webhook(&trial).expect_err("it is refused");
        assert!(fault.reason.contains("not public"), "{fault}");
        hides(&format!("{fault} {fault:?}"), address);
    }
}

/// A company may choose another one.
#[test]
fn only_the_operators_own_time_stamp_authority_may_be_at_a_private_address() {
    let receiver = Receiver::start();
    let network = GuardedNetwork::new(&AddressRules::default(), &SourceRules::default())
        .expect("a network")
        .with_own_authority(Some(receiver.url("/own")));
    let ask = |path: &str| {
        let authority = TimeStampAuthority {
            url: receiver.url(path),
            policy: None,
            authorization: None,
        };
        network.ask_authority(&authority, b"query".to_vec())
    };
    ask("/company").expect_err("it is refused");
    assert_eq!(receiver.connections(), 0);
    ask("/own").expect("an answer");
}

#[test]
fn the_history_does_not_tell_which_private_address_a_name_led_to() {
    for address in PRIVATE {
        let house = House::on(&TestDatabase::sqlite());
        let client = GuardedClient::with(AddressRules::default(), short(), leading_to(address)).expect("a client");
        let runner = Runner::new(Arc::clone(&house.app), client, None, None, settings("this"));
        let id = house.tell(URL, 1);
        house.runtime.block_on(runner.run_until_idle());
        let tries = house.tries(id);
        let fault = tries.first().and_then(|made| made.fault.clone()).expect("a failed try");
        assert!(fault.contains("not public"), "{fault}");
        hides(&format!("{tries:?}"), address);
    }
}

#[test]
fn what_a_mail_server_says_is_shown_without_network_addresses() {
    let sink = SmtpSink::start();
    sink.trouble_next(vec![Trouble::AtRecipient(
        "550 5.7.1 Client host [10.9.8.7] rejected by 10.9.8.7:25".to_owned(),
    )]);
    let house = House::on(&TestDatabase::sqlite()).with_smtp(sink.address().port());
    let id = house.ask(&Contact::Email("hong@example.com".to_owned()), "근로계약서");
    house.deliver();
    let fault = house.tries(id)[0].fault.clone().expect("a failed try");
    assert!(fault.contains("5.7.1 Client host [(address)] rejected"), "{fault}");
    hides(&fault, "10.9.8.7");
}
