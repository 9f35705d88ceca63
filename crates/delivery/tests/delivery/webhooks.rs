//! Tests of the request that a receiver gets.

use std::sync::{Mutex, mpsc};
use std::time::Duration;

use app::{LinkPurpose, LinkToken};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
use delivery::runner::RunnerSettings;
use hmac::{Hmac, KeyInit, Mac};
use jiff::{SignedDuration, ToSpan};
use sha2::Sha256;
use standardwebhooks::Webhook;
use store::outbox;
use testkit::database::TestDatabase;
use testkit::operator::operator;
use testkit::receiver::{Answer, Received, Receiver};

use crate::house::{AUTHORIZATION, House, SECRET, settings};

store::statements! {
    /// Deliveries that a runner has claimed.
    pub static CLAIMED = "SELECT id FROM outbox WHERE lease IS NOT NULL";
}

testkit::on_both_databases!(exact_bytes_headers_and_signature_arrive);

fn own_signature(key: &[u8], request: &Received) -> String {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("HMAC takes any key");
    mac.update(
        format!(
            "{}.{}.",
            request.header("webhook-id"),
            request.header("webhook-timestamp")
        )
        .as_bytes(),
    );
    mac.update(&request.body);
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

/// Returns the verdict of the public library.
fn judged(key: &[u8], request: &Received) -> Result<(), standardwebhooks::WebhookError> {
    let mut headers = reqwest::header::HeaderMap::new();
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        headers.insert(name, request.header(name).parse().expect("a header value"));
    }
    Webhook::from_bytes(key.to_vec())?.verify(&request.body, &headers)
}

fn exact_bytes_headers_and_signature_arrive(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let id = house.tell(&receiver.url("/hook?customer=7"), 1);
    house.deliver();

    let requests = receiver.wait_for(1);
    let [request] = requests.as_slice() else {
        panic!("one request, not {}", requests.len())
    };
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("POST", "/hook?customer=7")
    );
    assert_eq!(
        String::from_utf8_lossy(&request.body),
        r#"{"workflow_id":1,"event":0,"name":"홍길동"}"#
    );
    for (name, value) in [
        ("accept", "application/json"),
        ("content-type", "application/json"),
        ("authorization", AUTHORIZATION),
        ("webhook-id", "msg_0"),
    ] {
        assert_eq!(request.header(name), value, "{name}");
    }
    assert_eq!(
        request.header("accept-encoding"),
        "",
        "no compressed answer is asked for"
    );
    assert_eq!(request.header("webhook-signature"), own_signature(&SECRET, request));
    judged(&SECRET, request).expect("the public library finds the signature good");
    judged(&[1; 32], request).expect_err("it finds another secret's signature wrong");

    assert_eq!(house.state(id), "delivered");
    let tries = house.tries(id);
    assert_eq!(tries.len(), 1);
    assert_eq!(
        (tries[0].code, tries[0].fault.as_deref(), tries[0].answer.as_str()),
        (Some(200), None, "{}")
    );
    assert!(tries[0].duration > 0);
}

#[test]
fn what_a_receiver_quotes_of_a_link_is_not_kept_in_whatever_encoding() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let token = LinkToken {
        purpose: LinkPurpose::Sign,
        subject: 1,
        version: 1,
        expires: None,
    };
    let token = token.encode(&house.app.vault);
    let url = format!("https://sign.example.com/mail/sign?token={token}");
    let mut quotes = vec![token.clone()];
    for text in [&url, &token] {
        quotes.push(hex::encode(text));
        quotes.push(hex::encode_upper(text));
        for before in ["", "<", "<a"] {
            let text = format!("{before}{text}");
            quotes.push(BASE64_STANDARD.encode(&text));
            quotes.push(BASE64_STANDARD_NO_PAD.encode(&text));
            quotes.push(BASE64_URL_SAFE.encode(&text));
            quotes.push(BASE64_URL_SAFE_NO_PAD.encode(&text));
        }
    }
    for quote in quotes {
        for (body, kept) in [
            (format!("refused: {quote}"), "refused: …"),
            (
                format!("{{\"error\":\"unexpected\",\"request\":\"{quote}\"}}"),
                "{\"error\":\"unexpected\",\"request\":\"…\"}",
            ),
        ] {
            receiver.answer_next([Answer::Plain {
                status: 503,
                headers: Vec::new(),
                body: body.clone().into_bytes(),
            }]);
            let id = house.tell(&receiver.url("/"), 1);
            house.deliver();
            let tries = house.tries(id);
            assert_eq!(
                (tries[0].code, tries[0].answer.replace('=', "").as_str()),
                (Some(503), kept),
                "{body}"
            );
        }
    }
}

#[test]
fn while_a_secret_is_rotated_both_sign() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let rotated = house
        .app
        .rotate_client_secret(&operator(&house.app, &house.company), Some(house.client))
        .expect("rotated");
    house.tell(&receiver.url("/"), 1);
    house.deliver();
    let both = receiver.wait_for(1).remove(0);
    let signatures: Vec<&str> = both.header("webhook-signature").split(' ').collect();
    assert_eq!(
        signatures,
        [
            own_signature(rotated.secret.key(), &both),
            own_signature(&SECRET, &both)
        ]
    );
    judged(rotated.secret.key(), &both).expect("the new secret's signature is good");
    judged(&SECRET, &both).expect("the old secret's signature is good");

    house.clock.turn(jiff::SignedDuration::from_hours(25));
    house.tell(&receiver.url("/"), 2);
    house.deliver();
    let later = receiver.wait_for(2).remove(1);
    assert_eq!(
        later.header("webhook-signature"),
        own_signature(rotated.secret.key(), &later)
    );
    let at = house.app.now().checked_sub(1.second()).expect("a time").as_second();
    assert!(later.header("webhook-timestamp").parse::<i64>().expect("a number") >= at);
}

fn signatures(request: &Received) -> Vec<String> {
    request
        .header("webhook-signature")
        .split(' ')
        .map(str::to_owned)
        .collect()
}

fn rotate(house: &House) -> Vec<u8> {
    let rotated = house
        .app
        .rotate_client_secret(&operator(&house.app, &house.company), Some(house.client));
    rotated.expect("rotated").secret.key().to_vec()
}

#[test]
fn an_old_secret_signs_until_its_day_is_over_and_no_longer() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let runner = house.runner();
    let new = rotate(&house);
    house
        .clock
        .turn(SignedDuration::from_hours(24) - SignedDuration::from_millis(300));
    for (count, of_old) in [(1, true), (2, false)] {
        house.tell(&receiver.url("/"), 1);
        house.runtime.block_on(runner.run_until_idle());
        let request = receiver.wait_for(count).remove(count - 1);
        let mut expected = vec![own_signature(&new, &request)];
        if of_old {
            expected.push(own_signature(&SECRET, &request));
        }
        assert_eq!(signatures(&request), expected, "{count}");
        house.clock.turn(SignedDuration::from_millis(300));
    }
}

#[test]
fn a_new_secret_signs_a_second_after_its_rotation_what_was_claimed_before_it_too() {
    let house = House::on(&TestDatabase::sqlite());
    let (came, coming) = mpsc::channel();
    let (go, gone_on) = mpsc::channel::<()>();
    let gate = Mutex::new((came, gone_on));
    let receiver = Receiver::answering(move |request| {
        if request.path == "/gate" {
            let (came, gone_on) = &*gate.lock().expect("nobody panicked");
            came.send(()).expect("the test listens");
            gone_on.recv().expect("the test goes on");
        }
        Answer::status(200)
    });
    let one_by_one = RunnerSettings {
        per_receiver: 1,
        poll: Duration::from_hours(1),
        ..settings("this")
    };
    let new = house.while_running(one_by_one, || {
        // A quick receiver gets the next delivery while the previous one is still running.
        for count in 1..=8 {
            house.tell(&receiver.url("/"), 1);
            house.app.bell.ring();
            receiver.wait_for(count);
        }
        let both = [
            house.webhook(&receiver.url("/gate"), 2),
            house.webhook(&receiver.url("/after"), 3),
        ];
        house.write(move |tx| both.iter().try_for_each(|new| outbox::enqueue(tx, new)));
        house.app.bell.ring();
        coming.recv().expect("the first of the two is under way");
        // The runner claims the other as the next round, perhaps only after the eighth has ended.
        while house.write(|tx| tx.query(&CLAIMED, &[]).map(|rows| rows.len())) < 2 {
            std::thread::yield_now();
        }
        let new = rotate(&house);
        house.clock.turn(SignedDuration::from_secs(1));
        go.send(()).expect("the receiver waits");
        receiver.wait_for(10);
        new
    });
    let last = receiver.received().pop().expect("ten came");
    assert_eq!(last.path, "/after");
    assert_eq!(
        signatures(&last),
        [own_signature(&new, &last), own_signature(&SECRET, &last)]
    );
}

#[test]
fn a_delivery_that_cannot_be_made_is_a_failed_try_with_the_reason() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let mut of_no_client = house.webhook(&receiver.url("/"), 1);
    if let store::outbox::NewChannel::Webhook { client, .. } = &mut of_no_client.channel {
        *client = domain::ClientId::parse("00000000-0000-4000-8000-000000000000").expect("a UUID");
    }
    let mut undecipherable = house.webhook(&receiver.url("/"), 2);
    undecipherable.body = b"not encrypted".to_vec();
    let mut no_header = house.webhook(&receiver.url("/"), 3);
    if let store::outbox::NewChannel::Webhook { authorization, .. } = &mut no_header.channel {
        *authorization = Some(
            house
                .app
                .vault
                .encrypt(app::Purpose::WebhookAuthorization, b"a\r\nX-Evil: 1"),
        );
    }
    let good = house.webhook(&receiver.url("/good"), 4);
    let ids = [of_no_client, undecipherable, no_header].map(|new| house.enqueue(new));
    let good = house.enqueue(good);
    house.deliver();
    assert_eq!(receiver.received().len(), 1, "only the good one went out");
    assert_eq!(house.state(good), "delivered");
    for (id, reason) in ids.into_iter().zip(["secret", "decrypted", "header"]) {
        let tries = house.tries(id);
        assert_eq!((house.state(id), tries.len()), ("waiting", 1), "{reason}");
        let fault = tries[0].fault.as_deref().unwrap_or_default();
        assert!(fault.contains(reason), "{fault}");
    }
    let company = house.company.clone();
    let failing = house.write(move |tx| store::outbox::endpoints(tx, &company, "", 100));
    assert!(failing.is_empty(), "nobody has failed but ourselves: {failing:?}");
}
