//! A stand-in for the operator's proxy that records the requests it gets.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::TimeStampAuthority;
use app::network::Network;
use delivery::guarded_client::{Addresses, Fault, GuardedClient, Limits, Lookup};
use delivery::{Egress, GuardedNetwork, SourceRules};
use domain::public_address::{AddressRules, CallbackUrl};
use testkit::receiver::Receiver;

use crate::guarded::post;
use crate::house::{FixedLookup, patient};

/// The head of a CONNECT request, and the first bytes sent through the tunnel.
#[derive(Debug, Clone)]
pub struct Asked {
    pub target: String,
    pub head: String,
    first: Vec<u8>,
}

/// A proxy that forwards every connection to one address, or refuses it.
pub struct StandIn {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    connections: Arc<AtomicUsize>,
}

impl StandIn {
    pub fn leading_to(receiver: SocketAddr) -> StandIn {
        StandIn::start(
            Some(receiver),
            "HTTP/1.1 200 Connection established\r\nVia: stand-in\r\n\r\n",
        )
    }

    /// Answers each CONNECT with `answer`, and connects to nothing.
    pub fn refusing(answer: &'static str) -> StandIn {
        StandIn::start(None, answer)
    }

    fn start(lead: Option<SocketAddr>, answer: &'static str) -> StandIn {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (asked, connections) = (Arc::new(Mutex::default()), Arc::new(AtomicUsize::new(0)));
        let (list, count) = (Arc::clone(&asked), Arc::clone(&connections));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let list = Arc::clone(&list);
                std::thread::spawn(move || serve(stream, lead, answer, &list));
            }
        });
        StandIn {
            address,
            asked,
            connections,
        }
    }

    pub fn egress(&self) -> Egress {
        self.egress_with("", Vec::new(), false)
    }

    fn egress_with(&self, credentials: &str, except: Vec<String>, resolves_names: bool) -> Egress {
        let address = format!("http://{credentials}{}", self.address);
        Egress::proxy(&address, except, resolves_names).expect("a proxy's address")
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no panic").clone()
    }

    fn targets(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.target).collect()
    }
}

fn serve(mut stream: TcpStream, lead: Option<SocketAddr>, answer: &str, list: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let target = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next());
    let target = target.expect("nothing but CONNECT").to_owned();
    let first = Vec::new();
    list.lock().expect("no panic").push(Asked { target, head, first });
    let number = list.lock().expect("no panic").len() - 1;
    if stream.write_all(answer.as_bytes()).is_err() {
        return;
    }
    let Some(lead) = lead else { return };
    let mut onward = TcpStream::connect(lead).expect("the receiver listens");
    let (mut back_from, mut back_to) = (
        onward.try_clone().expect("a second handle"),
        stream.try_clone().expect("a second handle"),
    );
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut back_from, &mut back_to);
        let _ = back_to.shutdown(std::net::Shutdown::Both);
    });
    let mut buffer = [0; 4096];
    loop {
        let read = reader.read(&mut buffer).unwrap_or(0);
        // Record the bytes before they can be answered.
        list.lock().expect("no panic")[number]
            .first
            .extend_from_slice(&buffer[..read]);
        if read == 0 || onward.write_all(&buffer[..read]).is_err() {
            let _ = onward.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

/// Accepts one connection, and closes it at the first byte.
fn hanging_up() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let _ = stream.read(&mut [0; 1]);
    });
    address
}

/// Answers each lookup with the next list of addresses, and counts lookups.
struct Rebinding {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Rebinding {
    fn of(answers: &[&[&str]]) -> Arc<Rebinding> {
        Arc::new(Rebinding {
            answers: Mutex::new(answers.iter().map(|answer| addresses(answer)).collect()),
            asked: AtomicUsize::new(0),
        })
    }
}

impl Lookup for Rebinding {
    fn lookup(&self, _: String) -> Addresses {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let answer = self.answers.lock().expect("no panic").pop_front().unwrap_or_default();
        Box::pin(async move { Ok(answer) })
    }
}

fn addresses(texts: &[&str]) -> Vec<IpAddr> {
    texts.iter().map(|text| text.parse().expect("an address")).collect()
}

fn plain_http() -> AddressRules {
    AddressRules {
        allow_http: true,
        ..AddressRules::default()
    }
}

fn client(egress: &Egress, lookup: Arc<dyn Lookup>) -> GuardedClient {
    GuardedClient::through(egress, plain_http(), patient(), lookup).expect("a client")
}

const PUBLIC: &str = "93.184.215.14";

#[test]
fn plain_http_goes_through_the_proxy_to_the_address_that_was_checked() {
    let receiver = Receiver::start();
    let proxy = StandIn::leading_to(receiver.address());
    let egress = proxy.egress_with("us%40er:s%3Acret@", Vec::new(), false);
    let client = client(&egress, Arc::new(FixedLookup(addresses(&[PUBLIC]))));
    let answer = post(&client, "http://hooks.example.com/a").expect("an answer");
    assert_eq!(answer.status, 200);
    let asked = proxy.asked().remove(0);
    assert_eq!(asked.target, "93.184.215.14:80");
    // `us@er:s:cret`
    assert!(
        asked.head.contains("Proxy-Authorization: Basic dXNAZXI6czpjcmV0\r\n"),
        "{}",
        asked.head
    );
    let request = receiver.received().remove(0);
    assert_eq!(
        (request.path.as_str(), request.header("host")),
        ("/a", "hooks.example.com")
    );
    assert_eq!(request.header("proxy-authorization"), "", "that is for the proxy alone");
    assert!(!format!("{egress:?}").contains("cret"), "{egress:?}");

    let literal = post(&client, &format!("http://{PUBLIC}:8080/")).expect("an answer");
    let six = post(&client, "http://[2606:4700::1111]:8080/").expect("an answer");
    assert_eq!((literal.status, six.status), (200, 200));
    assert_eq!(
        proxy.targets()[1..],
        ["93.184.215.14:8080".to_owned(), "[2606:4700::1111]:8080".to_owned()]
    );
}

#[test]
fn https_is_tunnelled_and_names_the_host_only_inside() {
    let proxy = StandIn::leading_to(hanging_up());
    let client = client(&proxy.egress(), Arc::new(FixedLookup(addresses(&[PUBLIC]))));
    // There is no TLS session. Only the request to the proxy matters.
    post(&client, "https://hooks.example.com/a").expect_err("no TLS");
    let asked = proxy.asked().remove(0);
    assert_eq!(asked.target, "93.184.215.14:443");
    assert!(!asked.head.contains("hooks"), "{}", asked.head);
    assert_eq!(asked.first[0], 22, "a TLS handshake (RFC 8446, 5.1)");
    let name = b"hooks.example.com";
    assert!(
        asked.first.windows(name.len()).any(|part| part == name),
        "its server name"
    );
}

#[test]
fn a_name_that_changes_its_answer_gains_nothing() {
    let proxy = StandIn::refusing("HTTP/1.1 502 Bad gateway\r\n\r\n");
    let lookup = Rebinding::of(&[
        &[PUBLIC],
        &["127.0.0.1"],
        &["169.254.169.254", PUBLIC],
        &[PUBLIC, "::1"],
    ]);
    let client = client(&proxy.egress(), Arc::<Rebinding>::clone(&lookup));
    let first = post(&client, "http://hooks.example.com/");
    assert!(matches!(first, Err(Fault::NotConnected(_))), "{first:?}");
    assert_eq!(
        lookup.asked.load(Ordering::SeqCst),
        1,
        "one question a connection: what is checked is what is called"
    );
    for _ in 0..3 {
        let refused = post(&client, "http://hooks.example.com/");
        assert!(matches!(refused, Err(Fault::AddressRefused)), "{refused:?}");
    }
    assert_eq!(proxy.targets(), ["93.184.215.14:80"]);
    assert_eq!(proxy.connections(), 1);
}

#[test]
fn without_a_proxy_a_name_is_asked_once_for_each_connection() {
    let receiver = Receiver::start();
    let lookup = Rebinding::of(&[&["127.0.0.1"], &["192.0.2.1"]]);
    let private = AddressRules {
        allow_private: true,
        ..AddressRules::default()
    };
    let answers = Arc::<Rebinding>::clone(&lookup);
    let client = GuardedClient::with(private, patient(), answers).expect("a client");
    let url = format!("http://hooks.example.com:{}/", receiver.address().port());
    assert_eq!(post(&client, &url).expect("an answer").status, 200);
    assert_eq!((lookup.asked.load(Ordering::SeqCst), receiver.connections()), (1, 1));
}

#[test]
fn where_only_the_proxy_resolves_it_is_asked_for_names_and_the_rest_is_still_checked_here() {
    let receiver = Receiver::start();
    let proxy = StandIn::leading_to(receiver.address());
    let nothing: Arc<dyn Lookup> = Arc::new(FixedLookup(Vec::new()));
    let client = client(&proxy.egress_with("", Vec::new(), true), nothing);
    assert_eq!(
        post(&client, "http://hooks.example.com/").expect("an answer").status,
        200
    );
    let refused = post(&client, "http://2130706433/");
    assert!(matches!(refused, Err(Fault::AddressRefused)), "{refused:?}");
    assert_eq!(proxy.targets(), ["hooks.example.com:80"]);
}

#[test]
fn an_excepted_host_is_called_without_it() {
    let receiver = Receiver::start();
    let proxy = StandIn::leading_to(receiver.address());
    let egress = proxy.egress_with("", vec!["127.0.0.1".to_owned()], false);
    let private = AddressRules {
        allow_private: true,
        ..AddressRules::default()
    };
    let client = GuardedClient::through(&egress, private, patient(), Arc::new(FixedLookup(Vec::new())));
    assert_eq!(
        post(&client.expect("a client"), &receiver.url("/"))
            .expect("an answer")
            .status,
        200
    );
    assert_eq!(proxy.connections(), 0);
}

#[test]
fn what_the_proxy_says_is_shown_without_its_credentials() {
    for (answer, words) in [
        (
            "HTTP/1.1 407 Proxy authentication required\r\n\r\n",
            "requires different credentials (407)",
        ),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", "status 403"),
        ("HTTP/1.0 500 Oh\r\n\r\n", "status 500"),
        ("SSH-2.0-other\r\n\r\n", "did not respond with HTTP"),
        ("", "closed the connection"),
    ] {
        let proxy = StandIn::refusing(answer);
        let egress = proxy.egress_with("user:s3cret@", Vec::new(), false);
        let client = client(&egress, Arc::new(FixedLookup(addresses(&[PUBLIC]))));
        let fault = post(&client, "http://hooks.example.com/").expect_err("refused");
        let said = format!("{fault} {fault:?}");
        assert!(
            matches!(fault, Fault::NotConnected(_)) && said.contains(words),
            "{said}"
        );
        assert!(!said.contains("s3cret") && !said.contains("dXNlcj"), "{said}");
    }
    // Nothing listens on the proxy's port.
    let gone = Egress::proxy("http://user:s3cret@127.0.0.1:9", Vec::new(), false).expect("an address");
    let client = client(&gone, Arc::new(FixedLookup(addresses(&[PUBLIC]))));
    let fault = post(&client, "http://hooks.example.com/")
        .expect_err("nobody")
        .to_string();
    assert!(
        fault.contains("the proxy cannot be reached") && !fault.contains("s3cret"),
        "{fault}"
    );
}

#[test]
fn a_silent_proxy_is_waited_for_no_longer_than_a_connection() {
    let silent = Receiver::start();
    silent.answer_always(testkit::receiver::Answer::Silence);
    let egress = Egress::proxy(&format!("http://{}", silent.address()), Vec::new(), false).expect("a proxy");
    let limits = Limits {
        connect: Duration::from_millis(200),
        ..patient()
    };
    let lookup = Arc::new(FixedLookup(addresses(&[PUBLIC])));
    let client = GuardedClient::through(&egress, plain_http(), limits, lookup).expect("a client");
    let fault = post(&client, "http://hooks.example.com/");
    assert!(
        matches!(&fault, Err(Fault::NotConnected(words)) if words.to_string().contains("within 200ms")),
        "{fault:?}"
    );
}

#[test]
fn authorities_and_what_certificates_name_go_the_same_way() {
    let receiver = Receiver::start();
    let proxy = StandIn::leading_to(receiver.address());
    let lookup: Arc<dyn Lookup> = Arc::new(FixedLookup(addresses(&[PUBLIC])));
    let public = AddressRules::default();
    let network = GuardedNetwork::through(&proxy.egress(), &public, &SourceRules::default(), &lookup);
    let network = network
        .and_then(|network| network.with_webhooks(&plain_http()))
        .expect("a network");
    let authority = TimeStampAuthority {
        url: "http://tsa.example.com/".to_owned(),
        policy: None,
        authorization: None,
    };
    network.ask_authority(&authority, vec![1]).expect("an answer");
    let list = crate::addresses::named("http://pki.example.com/root.crl");
    network.fetch(&list, patient().total).expect("an answer");
    let trial = app::network::WebhookTrial {
        url: CallbackUrl::parse("http://hooks.example.com:8443/", &plain_http()).expect("a URL"),
        event_id: "msg_1".to_owned(),
        authorization: None,
        secrets: Vec::new(),
        body: b"{}".to_vec(),
        at: jiff::Timestamp::UNIX_EPOCH,
    };
    network.try_webhook(&trial).expect("an answer");
    assert_eq!(
        proxy.targets(),
        ["93.184.215.14:80", "93.184.215.14:80", "93.184.215.14:8443"]
    );
}
