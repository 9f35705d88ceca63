//! Messages through gateways. Tests each profile against a stand-in that follows the gateway's documentation, and the
//! handling of messages that are not accepted.

use std::net::TcpListener;
use std::sync::Arc;

use app::mail::{AccessCode, Occasion, Request};
use delivery::Egress;
use delivery::guarded_client::Lookup;
use delivery::messenger::{Description, GatewaySettings, Messengers, Reading, profiles};
use domain::{Contact, Language};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use store::outbox::DeliveryId;
use testkit::database::TestDatabase;
use testkit::receiver::{Answer, Receiver};

use crate::gateways::{APPROVED, BAD_NUMBER, KEY, SECRET, answer, at, stand_in};
use crate::house::{FixedLookup, House};

const LINK: &str = "https://sign.example.com/mail/sign?token=abc&lang=ko";

fn phone(number: &str) -> Contact {
    Contact::Phone {
        given: number.to_owned(),
        number: number.to_owned(),
    }
}

fn hong() -> Contact {
    phone("+821012345678")
}

fn house(gateways: Vec<GatewaySettings>) -> House {
    House::on(&TestDatabase::sqlite()).with_messengers(gateways)
}

/// One occasion of each kind.
fn occasions(at: Timestamp) -> Vec<Occasion<'static>> {
    let request = Request {
        sender: "김민준",
        comment: "잘 부탁드립니다.",
        access_code: AccessCode::None,
        deadline: at,
        sign_url: LINK,
    };
    vec![
        Occasion::Request(request),
        Occasion::Reminder(request),
        Occasion::Returned {
            writer: "山田太郎",
            reason: "日付が違います",
            deadline: at,
            sign_url: LINK,
        },
        Occasion::Completed {
            at,
            document_url: LINK,
            certificate_url: LINK,
            asks_code: false,
            access_code: AccessCode::None,
        },
        Occasion::Rejected {
            at,
            writer: "김민준",
            reason: "비밀 사유",
        },
        Occasion::Canceled {
            at,
            sender: "김민준",
            reason: "비밀 사유",
        },
        Occasion::Expired { at },
        Occasion::OneTimeCode { code: "012345" },
    ]
}

/// Returns the outbox page's text about a failed message.
fn failure(house: &House, id: DeliveryId) -> String {
    let message = house.app.outbox_message(&house.caller(), id.0).expect("the message");
    message.failure.unwrap_or_default()
}

/// Returns the gateway's messages in the history, one per try.
fn words(house: &House, id: DeliveryId) -> Vec<String> {
    let tries = house.tries(id);
    tries
        .into_iter()
        .map(|made| made.fault.unwrap_or(made.answer))
        .collect()
}

#[test]
fn each_profile_carries_every_kind_in_every_language_in_the_documented_shape() {
    let document = "근로계약서 \"2026\" \\ </b>\n#{이름}";
    for profile in profiles::NAMES {
        let gateway = stand_in(profile);
        let mut all = vec![at(profile, &gateway)];
        // If a gateway carries only approved templates, another one carries the other messages.
        let rest = stand_in("sens");
        if profile == "sens-alimtalk" {
            let mut sms = at("sens", &rest);
            sms.order = 20;
            all.push(sms);
        }
        let house = house(all);
        let mut sent = 0;
        for language in Language::ALL {
            for occasion in occasions(domain::Clock::now(house.clock.as_ref())) {
                let id = house.write_letter(&hong(), "홍 \"길동\"\r\nX: y", document, language, occasion);
                house.deliver();
                sent += 1;
                assert_eq!(house.state(id), "delivered", "{profile}: {:?}", words(&house, id));
                assert_eq!(house.tries(id).len(), 1);
                assert!(words(&house, id)[0].starts_with(if profile == "sens-alimtalk" { "sens" } else { profile }));
            }
        }
        let received = gateway.received().len() + rest.received().len();
        assert_eq!(received, sent, "{profile}: each message once");
        for request in gateway.received() {
            let body = String::from_utf8(request.body).expect("UTF-8");
            assert!(!body.contains("비밀") && !body.contains("日付が違います"), "{body}");
        }
    }
}

#[test]
fn the_stand_ins_refuse_what_is_not_signed_with_the_right_secret() {
    for profile in profiles::NAMES {
        let gateway = stand_in(profile);
        let mut settings = at(profile, &gateway);
        "not-the-secret-not-the-secret".clone_into(&mut settings.secret);
        let house = house(vec![settings]);
        let id = house.ask(&hong(), "근로계약서");
        house.deliver();
        // The operator can fix this, so we retry, and the message is sent.
        assert_eq!((house.state(id), gateway.received().len()), ("waiting", 1), "{profile}");
        assert!(!failure(&house, id).is_empty(), "{profile}");
        let house = house.with_messengers(vec![at(profile, &gateway)]);
        house.clock.turn(SignedDuration::from_secs(30));
        house.deliver();
        assert_eq!(house.state(id), "delivered", "{profile}: {:?}", words(&house, id));
    }
}

#[test]
fn a_message_that_is_refused_for_good_is_shown_in_the_gateways_words_and_not_repeated() {
    for (profile, said) in [
        ("solapi", "1021 수신번호가 잘못되었습니다"),
        ("sens", "수신번호가 잘못되었습니다"),
        ("twilio", "21211 The 'To' number is not a valid phone number."),
        ("line-notification", "Failed to send messages"),
    ] {
        let gateway = stand_in(profile);
        let mut settings = at(profile, &gateway);
        settings.templates.clear();
        let house = house(vec![settings]);
        let id = house.ask(&phone(BAD_NUMBER), "근로계약서");
        house.deliver();
        house.clock.turn(SignedDuration::from_hours(80));
        house.deliver();
        assert_eq!((house.state(id), house.tries(id).len()), ("dead", 1), "{profile}");
        assert!(failure(&house, id).contains(said), "{profile}: {}", failure(&house, id));
        assert_eq!(gateway.received().len(), 1);
    }
}

#[test]
fn a_refused_alimtalk_goes_as_text_by_the_next_gateway_once() {
    let (kakao, sms) = (stand_in("sens-alimtalk"), stand_in("sens"));
    let mut first = at("sens-alimtalk", &kakao);
    first.templates.insert("request".to_owned(), "NOT-APPROVED".to_owned());
    let mut second = at("sens", &sms);
    second.order = 20;
    let house = house(vec![second, first]);
    let id = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!((house.state(id), house.tries(id).len()), ("delivered", 1));
    assert_eq!(
        words(&house, id),
        ["sens-alimtalk: alim-42 3015 템플릿을 찾을 수 없음\nsens: VORSSA-42 202 success"]
    );
    assert_eq!((kakao.received().len(), sms.received().len()), (1, 1));
    // The gateway carries only the approved templates.
    let code = house.write_letter(
        &hong(),
        "홍길동",
        "근로계약서",
        Language::Ko,
        Occasion::OneTimeCode { code: "012345" },
    );
    house.deliver();
    assert_eq!(house.state(code), "delivered");
    assert_eq!((kakao.received().len(), sms.received().len()), (2, 1));
    let body = kakao.received()[1].json();
    assert_eq!(body["templateCode"], APPROVED[1]);
    assert_eq!(body["messages"][0]["content"], "인증번호 012345");
}

#[test]
fn a_gateway_that_is_down_is_passed_over_and_one_that_may_have_taken_it_is_asked_again() {
    // This port was free a moment ago, so nothing listens on it.
    let closed = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let (working, breaking) = (stand_in("twilio"), stand_in("solapi"));
    let mut down = at("solapi", &breaking);
    down.description.address = format!("http://{closed}");
    let mut other = at("twilio", &working);
    other.order = 20;
    let house = house(vec![down, other.clone()]);
    let id = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!((house.state(id), working.received().len()), ("delivered", 1));

    let house = house.with_messengers(vec![at("solapi", &breaking), other]);
    breaking.answer_next([
        Answer::Reset,
        Answer::status(500),
        answer(429, &json!({"errorCode": "TooManyRequests"})),
    ]);
    let id = house.ask(&hong(), "근로계약서");
    for tries in 1..=2 {
        house.deliver();
        assert_eq!(
            (house.state(id), house.tries(id).len()),
            ("waiting", tries),
            "{:?}",
            words(&house, id)
        );
        house.clock.turn(SignedDuration::from_hours(1));
    }
    assert_eq!(working.received().len(), 1, "nobody gets it twice");
    house.deliver();
    assert_eq!(
        (house.state(id), working.received().len()),
        ("delivered", 2),
        "{:?}",
        words(&house, id)
    );
}

#[test]
fn a_repeated_try_is_the_same_but_for_its_time_and_a_gateways_own_key_makes_it_happen_once() {
    let gateway = stand_in("line");
    gateway.answer_next([
        Answer::status(500),
        answer(409, &json!({"message": "The retry key is already accepted"})),
    ]);
    let house = house(vec![at("line", &gateway)]);
    let id = house.ask(&hong(), "근로계약서");
    house.deliver();
    house.clock.turn(SignedDuration::from_hours(1));
    house.deliver();
    assert_eq!((house.state(id), house.tries(id).len()), ("delivered", 2));
    let received = gateway.received();
    assert_eq!(received[0].body, received[1].body);
    assert_eq!(
        received[0].header("x-line-retry-key"),
        received[1].header("x-line-retry-key")
    );
    let next = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!(house.state(next), "delivered");
    let received = gateway.received();
    assert_ne!(
        received[0].header("x-line-retry-key"),
        received[2].header("x-line-retry-key")
    );
}

#[test]
fn numbers_that_no_gateway_serves_wait_on_the_outbox_page() {
    let gateway = stand_in("solapi");
    let house = house(vec![at("solapi", &gateway)]);
    let abroad = house.ask(&phone("+819012345678"), "근로계약서");
    let at_home = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!((house.state(abroad), house.state(at_home)), ("kept", "delivered"));
    assert_eq!(gateway.received().len(), 1);
}

#[test]
fn a_one_time_code_is_not_repeated_after_its_life() {
    let gateway = Receiver::start();
    gateway.answer_always(Answer::status(500));
    let house = house(vec![at("solapi", &gateway)]);
    let occasion = Occasion::OneTimeCode { code: "012345" };
    let id = house.write_letter(&hong(), "홍길동", "근로계약서", Language::Ko, occasion);
    house.deliver();
    assert_eq!(house.state(id), "waiting");
    house.clock.turn(SignedDuration::from_secs(30));
    house.deliver();
    // The next pause is five minutes, the one after that half an hour.
    assert_eq!(house.state(id), "waiting");
    house.clock.turn(SignedDuration::from_mins(6));
    house.deliver();
    assert_eq!((house.state(id), house.tries(id).len()), ("dead", 3));
}

#[test]
fn a_gateway_of_ones_own_is_described_and_its_secrets_are_in_no_words() {
    let gateway = Receiver::answering(|request| {
        let echoed = request.header("x-key").to_owned();
        let is_good = request.method == "PUT" && request.path == "/v1/send/%2B821012345678" && echoed == SECRET;
        if is_good && request.json()["body"] == "데모 회사: 근로계약서" {
            answer(
                200,
                &json!({"result": {"state": 0, "number": 77}, "note": format!("{echoed} {KEY}")}),
            )
        } else {
            answer(400, &json!({"note": format!("{echoed} is wrong")}))
        }
    });
    let own = |secret: &str| GatewaySettings {
        name: "own".to_owned(),
        description: Description {
            method: delivery::messenger::Method::Put,
            address: gateway.url("/v1"),
            path: "/send/{{ to }}".to_owned(),
            headers: [("X-Key".to_owned(), "{{ secret }}".to_owned())].into(),
            body: r#"{"body": "{{ text }}"}"#.to_owned(),
            answer: Reading {
                success_at: Some("/result/state".to_owned()),
                success_is: vec!["0".to_owned()],
                refused: vec![400],
                id_at: vec!["/result/number".to_owned()],
                words_at: vec!["/note".to_owned()],
                ..Reading::default()
            },
            ..Description::default()
        },
        key: KEY.to_owned(),
        secret: secret.to_owned(),
        texts: [("request".to_owned(), "{{ company }}: {{ document }}".to_owned())].into(),
        allow_private: true,
        ..GatewaySettings::default()
    };
    let house = house(vec![own(SECRET)]);
    let id = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    assert_eq!(words(&house, id), ["own: 77 … …"]);
    let house = house.with_messengers(vec![own("another secret")]);
    let id = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!(
        (house.state(id), failure(&house, id).as_str()),
        ("dead", "own: … is wrong")
    );
    let shown = format!("{:?}", own(SECRET));
    assert!(!shown.contains(SECRET) && !shown.contains(KEY), "{shown}");
}

#[test]
fn a_private_address_is_refused_unless_it_is_allowed() {
    let gateway = stand_in("twilio");
    let mut settings = at("twilio", &gateway);
    settings.allow_private = false;
    let literal = Messengers::through(
        &Egress::direct(),
        vec![settings.clone()],
        Arc::clone(&house(Vec::new()).app.random),
    );
    let fault = literal.err().expect("a private address in plain http");
    assert_eq!((fault.gateway.as_str(), fault.setting.as_str()), ("twilio", "address"));

    settings.description.address = format!("https://gateway.example.com:{}", gateway.address().port());
    let lookup: Arc<dyn Lookup> = Arc::new(FixedLookup(vec![gateway.address().ip()]));
    let house = House::on(&TestDatabase::sqlite()).with_messengers_at(vec![settings], &lookup);
    let id = house.ask(&hong(), "근로계약서");
    house.deliver();
    assert_eq!(house.state(id), "waiting");
    assert!(failure(&house, id).contains("not public"), "{}", failure(&house, id));
    assert_eq!(gateway.connections(), 0);
}
