//! Mails through a server that accepts access tokens instead of passwords, as Microsoft 365 and Google do.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use delivery::egress::Egress;
use delivery::mailer::{OAuthSettings, RefreshToken};
use domain::{Clock, Contact, Secret};
use jiff::SignedDuration;
use testkit::database::TestDatabase;
use testkit::smtp_sink::{SmtpSink, TokenLogin};
use testkit::token_endpoint::{CLIENT, CLIENT_SECRET, Grants, TokenEndpoint};

use crate::house::House;

const USER: &str = "sign@contoso.example";
const HOUR: u32 = 3_600;

/// Microsoft's: one mechanism, and a refusal without a word.
const MICROSOFT: TokenLogin = TokenLogin {
    mechanisms: "LOGIN XOAUTH2",
    user: USER,
    explains: false,
};
/// Google's: several, and a refusal that is explained.
const GOOGLE: TokenLogin = TokenLogin {
    mechanisms: "PLAIN LOGIN XOAUTH2 PLAIN-CLIENTTOKEN OAUTHBEARER",
    user: USER,
    explains: true,
};

fn own_credentials() -> Grants {
    Grants {
        refresh_token: None,
        rotates: false,
        expires_in: HOUR,
    }
}

fn settings(endpoint: &TokenEndpoint, clock: Arc<dyn Clock>) -> OAuthSettings {
    OAuthSettings {
        token_url: endpoint.url(),
        client_id: CLIENT.to_owned(),
        client_secret: Some(Secret::new(CLIENT_SECRET)),
        refresh_token: None,
        scope: Some("https://outlook.office365.com/.default".to_owned()),
        egress: Egress::direct(),
        clock,
    }
}

/// A company whose mails go through this server, with tokens of this endpoint.
fn house(sink: &SmtpSink, endpoint: &TokenEndpoint, refresh_token: Option<RefreshToken>) -> House {
    let house = House::on(&TestDatabase::sqlite());
    let clock: Arc<dyn Clock> = house.clock.clone();
    let oauth = OAuthSettings {
        refresh_token,
        ..settings(endpoint, clock)
    };
    house.with_tokens(sink.address().port(), USER, oauth)
}

fn ask(house: &House) -> store::outbox::DeliveryId {
    house.ask(&Contact::Email("hong@example.com".to_owned()), "근로계약서")
}

/// The tokens of the logins, with how each was sent and whether it was accepted.
fn logins(sink: &SmtpSink) -> Vec<(String, String, bool)> {
    let logins = sink.logins().into_iter();
    logins
        .map(|login| (login.mechanism, login.token, login.accepted))
        .collect()
}

fn login(mechanism: &str, token: &str, accepted: bool) -> (String, String, bool) {
    (mechanism.to_owned(), token.to_owned(), accepted)
}

#[test]
fn a_mail_is_sent_with_a_token_for_the_clients_own_credentials() {
    let (sink, endpoint) = (
        SmtpSink::start_with_tokens(MICROSOFT),
        TokenEndpoint::start(own_credentials()),
    );
    let house = house(&sink, &endpoint, None);
    sink.accept(&["token-1"]);
    let id = ask(&house);
    house.deliver();
    assert_eq!((house.state(id), sink.mails().len()), ("delivered", 1));
    assert_eq!(logins(&sink), [login("XOAUTH2", "token-1", true)]);
    let asked: Vec<(String, String)> = endpoint.asked().remove(0).into_iter().collect();
    let expected = [
        ("client_id", CLIENT),
        ("client_secret", CLIENT_SECRET),
        ("grant_type", "client_credentials"),
        ("scope", "https://outlook.office365.com/.default"),
    ];
    assert_eq!(asked, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn a_refresh_token_gets_a_token_and_the_standard_mechanism_comes_first() {
    let grants = Grants {
        refresh_token: Some("1//refresh".to_owned()),
        ..own_credentials()
    };
    let (sink, endpoint) = (SmtpSink::start_with_tokens(GOOGLE), TokenEndpoint::start(grants));
    let house = house(&sink, &endpoint, Some(RefreshToken::Text(Secret::new("1//refresh"))));
    sink.accept(&["token-1"]);
    let id = ask(&house);
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    assert_eq!(logins(&sink), [login("OAUTHBEARER", "token-1", true)]);
    assert_eq!(endpoint.asked()[0]["grant_type"], "refresh_token");
}

#[test]
fn a_token_is_kept_until_shortly_before_its_end() {
    let (sink, endpoint) = (
        SmtpSink::start_with_tokens(MICROSOFT),
        TokenEndpoint::start(own_credentials()),
    );
    let house = house(&sink, &endpoint, None);
    sink.accept(&["token-1", "token-2"]);
    for _ in 0..3 {
        ask(&house);
    }
    house.deliver();
    assert_eq!(
        endpoint.count(),
        1,
        "mails that are sent at the same time fetch it once"
    );
    // The connections of before have been idle for too long.
    house.clock.turn(SignedDuration::from_mins(57));
    ask(&house);
    house.deliver();
    assert_eq!(endpoint.count(), 1);
    house.clock.turn(SignedDuration::from_mins(2));
    ask(&house);
    house.deliver();
    assert_eq!((endpoint.count(), sink.mails().len()), (2, 5));
    assert!(logins(&sink).iter().all(|(_, _, accepted)| *accepted));
}

#[test]
fn a_token_that_is_refused_is_renewed_once() {
    for kind in [MICROSOFT, GOOGLE] {
        let mechanism = if kind.explains { "OAUTHBEARER" } else { "XOAUTH2" };
        let (sink, endpoint) = (
            SmtpSink::start_with_tokens(kind),
            TokenEndpoint::start(own_credentials()),
        );
        let house = house(&sink, &endpoint, None);
        sink.accept(&["token-2"]);
        let id = ask(&house);
        house.deliver();
        assert_eq!(house.state(id), "delivered");
        let expected = [login(mechanism, "token-1", false), login(mechanism, "token-2", true)];
        assert_eq!(logins(&sink), expected);
        // None is accepted any more: the mail waits until the operator has mended it.
        sink.accept(&[]);
        house.clock.turn(SignedDuration::from_mins(2));
        let id = ask(&house);
        house.deliver();
        assert_eq!((house.state(id), endpoint.count()), ("waiting", 3));
        let fault = house.check_mail().expect_err("a fault");
        assert!(
            fault.contains("does not accept the access token for sign@contoso.example"),
            "{fault}"
        );
        assert_eq!(
            fault.contains("https://mail.example.com/"),
            sink.logins()[0].mechanism == "OAUTHBEARER"
        );
        assert!(!fault.contains("token-"), "{fault}");
        sink.accept(&["token-5"]);
        house.clock.turn(SignedDuration::from_hours(1));
        house.deliver();
        assert_eq!(house.state(id), "delivered");
    }
}

#[test]
fn what_the_endpoint_refuses_is_said_in_plain_words_without_secrets() {
    let (sink, endpoint) = (
        SmtpSink::start_with_tokens(MICROSOFT),
        TokenEndpoint::start(own_credentials()),
    );
    let house = house(&sink, &endpoint, None);
    sink.accept(&["token-1"]);
    let said = format!("AADSTS7000222: The provided client secret keys {CLIENT_SECRET} are expired.\r\nTrace ID: 1");
    endpoint.refuse_next("invalid_client", &said);
    let id = ask(&house);
    house.deliver();
    assert_eq!((house.state(id), sink.logins().len()), ("waiting", 0));
    endpoint.refuse_next("invalid_client", &said);
    let fault = house.check_mail().expect_err("a fault");
    assert!(fault.contains("client secrets expire, so create a new one"), "{fault}");
    assert!(
        fault.contains("AADSTS7000222: The provided client secret keys … are expired. Trace ID: 1"),
        "{fault}"
    );
    assert!(!fault.contains(CLIENT_SECRET), "{fault}");
    house.clock.turn(SignedDuration::from_hours(1));
    house.deliver();
    assert_eq!(house.state(id), "delivered");
}

#[test]
fn a_newer_refresh_token_replaces_the_one_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("refresh");
    fs::write(&file, "refresh-0\n").expect("a file");
    let grants = Grants {
        refresh_token: Some("refresh-0".to_owned()),
        rotates: true,
        expires_in: HOUR,
    };
    let (sink, endpoint) = (SmtpSink::start_with_tokens(GOOGLE), TokenEndpoint::start(grants));
    let house = house(&sink, &endpoint, Some(RefreshToken::File(file.clone())));
    sink.accept(&["token-1", "token-2", "token-3", "token-4"]);
    let send = |expected: &str| {
        let id = ask(&house);
        house.deliver();
        assert_eq!(house.state(id), "delivered");
        assert_eq!(fs::read_to_string(&file).expect("a file").trim(), expected);
        house.clock.turn(SignedDuration::from_hours(2));
    };
    send("refresh-1");
    send("refresh-2");
    is_private(&file);
    // Where it cannot be written, the newer one is used from memory.
    let held = folder.path().join("refresh.new");
    fs::create_dir(&held).expect("something in the way");
    send("refresh-2");
    fs::remove_dir(&held).expect("out of the way");
    send("refresh-4");
}

#[cfg(unix)]
fn is_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(file).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[cfg(not(unix))]
fn is_private(_: &Path) {}

#[test]
fn a_server_without_such_a_login_is_named() {
    let plain = TokenLogin {
        mechanisms: "PLAIN LOGIN",
        ..MICROSOFT
    };
    let (sink, endpoint) = (
        SmtpSink::start_with_tokens(plain),
        TokenEndpoint::start(own_credentials()),
    );
    let house = house(&sink, &endpoint, None);
    let id = ask(&house);
    house.deliver();
    let fault = house.check_mail().expect_err("a fault");
    assert!(fault.contains("offers neither OAUTHBEARER nor XOAUTH2"), "{fault}");
    assert_eq!(house.state(id), "waiting");
}
