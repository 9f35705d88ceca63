//! Mails through a real SMTP conversation, and messages that have nowhere to go.

use std::net::TcpListener;

use base64::Engine as _;
use domain::Contact;
use jiff::SignedDuration;
use testkit::database::TestDatabase;
use testkit::receiver::Receiver;
use testkit::smtp_sink::{SmtpSink, Trouble};

use crate::house::House;

fn address() -> Contact {
    Contact::Email("hong+test@example.com".to_owned())
}

fn house(sink: &SmtpSink) -> House {
    House::on(&TestDatabase::sqlite()).with_smtp(sink.address().port())
}

#[test]
fn a_mail_arrives_in_both_forms_with_sender_subject_and_link() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    let id = house.ask(&address(), "근로계약서");
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    let mails = sink.mails();
    let [mail] = mails.as_slice() else {
        panic!("one mail, not {}", mails.len())
    };
    assert_eq!(
        (mail.from.as_str(), mail.to.as_slice()),
        (
            "no-reply@sign.example.com",
            ["hong+test@example.com".to_owned()].as_slice()
        )
    );
    assert_eq!(mail.header("Auto-Submitted").as_deref(), Some("auto-generated"));
    assert!(
        mail.header("Message-ID")
            .is_some_and(|id| id.starts_with("<msg_") && id.ends_with("@sign.example.com>"))
    );
    assert!(
        mail.header("Content-Type")
            .is_some_and(|kind| kind.starts_with("multipart/alternative"))
    );
    assert!(mail.data.contains("text/plain; charset=utf-8") && mail.data.contains("text/html; charset=utf-8"));
    assert!(
        mail.header("From")
            .is_some_and(|from| from.ends_with("<no-reply@sign.example.com>"))
    );
    assert!(mail.header("Date").is_some());
}

#[test]
fn the_message_id_is_the_same_on_every_try() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    sink.trouble_next([
        Trouble::AtRecipient("451 4.7.1 greylisted, try later".to_owned()),
        Trouble::AfterData("452 4.3.1 disk full".to_owned()),
        Trouble::DropAfterData,
    ]);
    let id = house.ask(&address(), "근로계약서");
    for tries in 1..=3 {
        house.deliver();
        assert_eq!((house.state(id), house.tries(id).len()), ("waiting", tries));
        house.clock.turn(SignedDuration::from_hours(1));
    }
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    let mails = sink.mails();
    assert_eq!(mails.len(), 2, "the third try was taken, but its answer was lost");
    assert_eq!(mails[0].data, mails[1].data);
    assert!(mails[0].header("Message-ID").is_some());
    let codes: Vec<_> = house.tries(id).into_iter().map(|made| made.code).collect();
    assert_eq!(codes, [Some(451), Some(452), None, Some(250)]);
}

#[test]
fn a_refusal_for_good_is_shown_in_the_servers_words_and_not_repeated() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    sink.trouble_next([Trouble::AtRecipient("550 5.1.1 no such user here".to_owned())]);
    let id = house.ask(&address(), "근로계약서");
    house.deliver();
    assert_eq!(house.state(id), "dead");
    let message = house.app.outbox_message(&house.caller(), id.0).expect("the message");
    assert!(
        message
            .failure
            .as_deref()
            .is_some_and(|words| words.contains("no such user here")),
        "{:?}",
        message.failure
    );
}

#[test]
fn nothing_that_a_person_wrote_begins_a_header() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    house.ask(&address(), "계약\r\nBcc: victim@example.com\r\n\r\nbody");
    let bad = house.ask(
        &Contact::Email("a@example.com>\r\nRCPT TO:<victim@example.com".to_owned()),
        "계약",
    );
    house.deliver();
    let mails = sink.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to, ["hong+test@example.com"]);
    let names: Vec<String> = mails[0]
        .headers()
        .iter()
        .map(|line| line.split(':').next().unwrap_or_default().to_ascii_lowercase())
        .collect();
    assert!(names.iter().all(|name| name != "bcc"), "{names:?}");
    assert_eq!(names.iter().filter(|name| *name == "subject").count(), 1);
    assert_eq!(house.state(bad), "dead", "an address that is none is never tried again");
}

#[test]
fn a_subject_arrives_as_it_was_typed() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    house.ask(&address(), "=?utf-8?q?X?=");
    house.deliver();
    let mails = sink.mails();
    let subject = mails[0].header("Subject").expect("a subject");
    let decoded: Vec<u8> = subject
        .split_ascii_whitespace()
        .flat_map(|word| {
            let encoded = word
                .strip_prefix("=?utf-8?b?")
                .and_then(|rest| rest.strip_suffix("?="))
                .unwrap_or_else(|| panic!("{subject}"));
            base64::prelude::BASE64_STANDARD.decode(encoded).expect("base64")
        })
        .collect();
    let decoded = String::from_utf8(decoded).expect("UTF-8");
    assert!(decoded.contains("=?utf-8?q?X?="), "{decoded}");
    assert!(
        mails[0].data.lines().take(12).all(|line| line.len() <= 76),
        "{}",
        mails[0].data
    );
}

#[test]
fn a_domain_of_any_letters_is_reached_by_any_server() {
    let sink = SmtpSink::start_without_utf8();
    let house = house(&sink);
    let id = house.ask(&Contact::Email("hong@예시.한국".to_owned()), "계약");
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    assert_eq!(sink.mails()[0].to, ["hong@xn--vv4b11d.xn--3e0b707e"]);
}

#[test]
fn a_local_part_that_the_server_cannot_carry_is_told_at_once() {
    let sink = SmtpSink::start_without_utf8();
    let house = house(&sink);
    let to = Contact::Email("홍길동@example.com".to_owned());
    let id = house.ask(&to, "계약");
    house.deliver();
    assert_eq!((house.state(id), house.tries(id).len()), ("dead", 1));
    let message = house.app.outbox_message(&house.caller(), id.0).expect("the message");
    assert!(
        message
            .failure
            .as_deref()
            .is_some_and(|words| words.contains("SMTPUTF8")),
        "{:?}",
        message.failure
    );
    // Where the server can, it goes.
    let able = SmtpSink::start();
    let house = house.with_smtp(able.address().port());
    let id = house.ask(&to, "계약");
    house.deliver();
    assert_eq!((house.state(id), able.mails().len()), ("delivered", 1));
}

#[test]
fn with_the_mail_server_down_webhooks_still_go_out_and_the_mail_arrives_later() {
    // A port that was free a moment ago: nobody listens there.
    let closed = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let house = House::on(&TestDatabase::sqlite()).with_smtp(closed.port());
    let receiver = Receiver::start();
    let mail = house.ask(&address(), "근로계약서");
    let webhook = house.tell(&receiver.url("/hook"), 1);
    house.deliver();
    assert_eq!((house.state(webhook), house.state(mail)), ("delivered", "waiting"));
    let message = house.app.outbox_message(&house.caller(), mail.0).expect("the message");
    assert!(message.failure.is_some(), "the page says what is wrong");

    let sink = SmtpSink::start();
    let house = house.with_smtp(sink.address().port());
    house.clock.turn(SignedDuration::from_hours(6));
    house.deliver();
    assert_eq!((house.state(mail), sink.mails().len()), ("delivered", 1));
}

#[test]
fn without_a_mail_server_and_for_telephones_the_outbox_page_has_the_links() {
    let house = House::on(&TestDatabase::sqlite());
    let phone = Contact::Phone {
        given: "010-1234-5678".to_owned(),
        number: "+821012345678".to_owned(),
    };
    let mail = house.ask(&address(), "근로계약서");
    let message = house.ask(&phone, "근로계약서");
    house.deliver();
    assert_eq!((house.state(mail), house.state(message)), ("kept", "kept"));
    let page = house.app.outbox_messages(&house.caller(), 1).expect("the outbox");
    let found: Vec<_> = page
        .messages
        .iter()
        .map(|message| (message.channel, message.to.as_str(), message.state))
        .collect();
    assert_eq!(
        found,
        [
            ("message", "+821012345678", "kept"),
            ("mail", "hong+test@example.com", "kept")
        ]
    );
    assert!(!page.has_older);
    for message in &page.messages {
        assert_eq!(
            message.links[0].url,
            "https://sign.example.com/mail/sign?token=abc&lang=ko"
        );
        assert!(message.text.contains(&message.links[0].url));
        assert_eq!(message.failure, None);
    }

    let mut stranger = house.caller();
    stranger.company = domain::CompanyId::parse("other").expect("a company id");
    assert!(
        house
            .app
            .outbox_messages(&stranger, 1)
            .expect("an empty outbox")
            .messages
            .is_empty()
    );
    assert!(house.app.outbox_message(&stranger, mail.0).is_err());
    let mut auditor = house.caller();
    auditor.role = domain::Role::Auditor;
    assert!(
        house.app.outbox_messages(&auditor, 1).is_err(),
        "who may only read must not get links that sign"
    );
}

#[test]
fn the_outbox_page_has_twenty_and_the_next_page_the_older_ones() {
    let house = House::on(&TestDatabase::sqlite());
    for number in 0..45 {
        house.ask(&address(), &format!("문서 {number}"));
    }
    let subjects = |page| -> (Vec<String>, bool) {
        let page = house.app.outbox_messages(&house.caller(), page).expect("the outbox");
        (
            page.messages.into_iter().map(|message| message.subject).collect(),
            page.has_older,
        )
    };
    let (first, has_older) = subjects(1);
    assert!(first[0].ends_with("문서 44") && first.len() == 20 && has_older);
    let (last, has_older) = subjects(3);
    assert!(last[4].ends_with("문서 0") && last.len() == 5 && !has_older);
}
