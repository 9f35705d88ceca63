//! Tests that neither a receiver nor a person who registers one can reach forbidden addresses.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use delivery::guarded_client::{Fault, GuardedClient, Limits};
use domain::public_address::{AddressRules, CallbackUrl};
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::header::HeaderMap;
use testkit::database::TestDatabase;
use testkit::receiver::{Answer, Receiver};

use crate::house::{FixedLookup, House, patient, private, short};

pub fn post(client: &GuardedClient, url: &str) -> Result<delivery::guarded_client::Answer, Fault> {
    let url = CallbackUrl::stored(url).expect("a URL");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(client.post(&url, HeaderMap::new(), b"{}".to_vec()))
}

fn resolving_to(rules: AddressRules, addresses: &[&str]) -> GuardedClient {
    let addresses = addresses
        .iter()
        .map(|address| address.parse().expect("an address"))
        .collect();
    GuardedClient::with(rules, patient(), Arc::new(FixedLookup(addresses))).expect("a client")
}

#[test]
fn a_name_that_leads_to_a_private_address_opens_no_connection() {
    let receiver = Receiver::start();
    let url = format!("http://hooks.example.com:{}/", receiver.address().port());
    for addresses in [
        ["127.0.0.1"].as_slice(),
        &["93.184.215.14", "127.0.0.1"],
        &["127.0.0.1", "93.184.215.14"],
        &["2606:4700::1111", "::1"],
        &["::ffff:127.0.0.1"],
        &["169.254.169.254"],
        &["10.0.0.1"],
    ] {
        let refused = post(&resolving_to(AddressRules::default(), addresses), &url);
        assert!(
            matches!(refused, Err(Fault::AddressRefused)),
            "{addresses:?}: {refused:?}"
        );
    }
    assert_eq!(receiver.connections(), 0);
    // If the operator allows the address, the same request arrives, and our resolver resolved the name.
    let answer = post(&resolving_to(private(), &["127.0.0.1"]), &url).expect("an answer");
    assert_eq!((answer.status, receiver.connections()), (200, 1));
    assert_eq!(
        receiver.received()[0].header("host"),
        format!("hooks.example.com:{}", receiver.address().port())
    );
}

#[test]
fn a_literal_private_address_opens_no_connection_in_any_spelling() {
    let receiver = Receiver::start();
    let port = receiver.address().port();
    let client = resolving_to(AddressRules::default(), &["93.184.215.14"]);
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
        "[::1]",
    ] {
        let refused = post(&client, &format!("http://{host}:{port}/"));
        assert!(matches!(refused, Err(Fault::AddressRefused)), "{host}: {refused:?}");
    }
    assert_eq!(receiver.connections(), 0);
}

#[test]
fn a_name_without_an_address_is_a_failed_try() {
    let refused = post(
        &resolving_to(AddressRules::default(), &[]),
        "https://hooks.example.com/",
    );
    assert!(matches!(refused, Err(Fault::NameNotResolved(_))), "{refused:?}");
}

#[test]
fn a_redirect_is_a_failure_and_its_target_is_never_called() {
    let house = House::on(&TestDatabase::sqlite());
    let (receiver, trap) = (Receiver::start(), Receiver::start());
    for status in [301, 302, 303, 307, 308] {
        receiver.answer_next([Answer::status(status).with_header("location", &trap.url("/trap"))]);
        let id = house.tell(&receiver.url("/hook"), i64::from(status));
        house.deliver();
        assert_eq!((house.state(id), house.tries(id)[0].code), ("waiting", Some(status)));
    }
    assert_eq!(trap.connections(), 0);
}

#[test]
fn a_head_that_drips_is_a_failed_try_when_the_time_is_over() {
    assert_eq!(
        Limits::default(),
        Limits {
            connect: Duration::from_secs(5),
            total: Duration::from_secs(15),
            body_wait: Duration::from_secs(2),
            body_bytes: 16 * 1024,
        }
    );
    let house = House::on(&TestDatabase::sqlite()).with_limits(short());
    let receiver = Receiver::start();
    receiver.answer_next([Answer::DripHead]);
    let id = house.tell(&receiver.url("/hook"), 1);
    house.deliver();
    let made = &house.tries(id)[0];
    assert_eq!((house.state(id), made.code), ("waiting", None));
    let fault = made.fault.as_deref().unwrap_or_default();
    assert!(fault.contains("no answer within"), "{fault}");
}

#[test]
fn a_body_that_drips_never_ends_or_breaks_changes_nothing_once_the_status_is_there() {
    let limits = Limits {
        body_wait: Duration::from_millis(200),
        ..patient()
    };
    let house = House::on(&TestDatabase::sqlite()).with_limits(limits);
    let receiver = Receiver::start();
    for (workflow, answer, state) in [
        (1, Answer::Drip(200), "delivered"),
        (2, Answer::Endless(201), "delivered"),
        (3, Answer::Drip(500), "waiting"),
        (4, Answer::Endless(500), "waiting"),
    ] {
        receiver.answer_next([answer]);
        let id = house.tell(&receiver.url("/hook"), workflow);
        house.deliver();
        assert_eq!(house.state(id), state, "workflow {workflow}");
        let made = &house.tries(id)[0];
        assert!(made.answer.len() <= 1_000, "{}", made.answer.len());
    }
}

#[test]
fn a_compressed_bomb_is_not_unpacked_and_no_more_than_16_kib_are_read() {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    let nothing = vec![0; 0x1_0000];
    for _ in 0..400 {
        bomb.write_all(&nothing).expect("memory takes it");
    }
    let bomb = bomb.finish().expect("a gzip file");
    assert!(bomb.len() > 20_000, "{}", bomb.len());
    let receiver = Receiver::start();
    receiver.answer_always(Answer::Plain {
        status: 200,
        headers: vec![("content-encoding".to_owned(), "gzip".to_owned())],
        body: bomb.clone(),
    });
    let client = resolving_to(private(), &[]);
    let answer = post(&client, &receiver.url("/")).expect("an answer");
    assert_eq!((answer.status, answer.start.as_slice()), (200, &bomb[..16 * 1024]));
}

#[test]
fn a_proxy_of_the_environment_is_not_asked() {
    // The variables are set in the environment of a child process that runs this same test.
    let proxy = Receiver::start();
    let receiver = Receiver::start();
    if std::env::var_os("DELIVERY_TEST_URL").is_some() {
        let url = std::env::var("DELIVERY_TEST_URL").expect("a URL");
        assert_eq!(
            post(&resolving_to(private(), &[]), &url).expect("an answer").status,
            200
        );
        return;
    }
    let status = std::process::Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "guarded::a_proxy_of_the_environment_is_not_asked"])
        .env("DELIVERY_TEST_URL", receiver.url("/direct"))
        .env("http_proxy", proxy.url(""))
        .env("HTTP_PROXY", proxy.url(""))
        .env("ALL_PROXY", proxy.url(""))
        .stdout(std::process::Stdio::null())
        .status()
        .expect("this program runs again");
    assert!(status.success());
    assert_eq!((receiver.received().len(), proxy.connections()), (1, 0));
}
