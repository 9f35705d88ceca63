//! Tests of mails through a real SMTP conversation, and of messages that cannot be sent at all.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::time::Duration;

use app::mail::{AccessCode, Occasion, Request};
use app::{CompanyChange, LinkPurpose, LinkToken};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Clock, Contact, Language};
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use testkit::database::TestDatabase;
use testkit::operator::operator;
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
fn a_refusal_that_is_the_operators_to_mend_is_tried_again_and_one_about_the_mail_is_not() {
    let to_mend = [
        Trouble::AtGreeting("554 5.3.2 no service here".to_owned()),
        Trouble::AtSender("535 5.7.8 authentication failed".to_owned()),
        Trouble::AtSender("550 5.1.8 the sender's domain is none".to_owned()),
        Trouble::AtRecipient("554 5.7.1 relay access denied".to_owned()),
        Trouble::AtRecipient("530 authentication required".to_owned()),
        Trouble::AfterData("554 transaction failed".to_owned()),
    ];
    for trouble in to_mend {
        let sink = SmtpSink::start();
        let house = house(&sink);
        sink.trouble_next([trouble.clone()]);
        let id = house.ask(&address(), "근로계약서");
        house.deliver();
        assert_eq!(house.state(id), "waiting", "{trouble:?}");
        house.clock.turn(SignedDuration::from_hours(1));
        house.deliver();
        assert_eq!((house.state(id), sink.mails().len()), ("delivered", 1), "{trouble:?}");
    }
    for refusal in [
        Trouble::AtRecipient("550 no such user".to_owned()),
        Trouble::AtRecipient("550 5.2.1 the mailbox is shut".to_owned()),
        Trouble::AtRecipient("553-5.1.3 bad\r\n553 5.1.3 address".to_owned()),
        Trouble::AfterData("552 5.6.0 not a mail".to_owned()),
    ] {
        let sink = SmtpSink::start();
        let house = house(&sink);
        sink.trouble_next([refusal.clone()]);
        let id = house.ask(&address(), "근로계약서");
        house.deliver();
        assert_eq!(house.state(id), "dead", "{refusal:?}");
    }
}

#[test]
fn a_code_that_nobody_can_give_any_more_is_not_sent() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    sink.set_down(true);
    let code = Occasion::OneTimeCode { code: "012345" };
    let id = house.write_letter(&address(), "홍길동", "근로계약서", Language::Ko, code);
    for _ in 0..10 {
        house.deliver();
        house.clock.turn(SignedDuration::from_mins(2));
    }
    assert_eq!(house.state(id), "dead");
    sink.set_down(false);
    house.clock.turn(SignedDuration::from_hours(3));
    house.deliver();
    assert_eq!(sink.mails().len(), 0);
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
            BASE64_STANDARD.decode(encoded).expect("base64")
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
fn a_local_part_that_the_server_cannot_carry_is_refused_at_once() {
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
    // If the server supports it, the mail is sent.
    let able = SmtpSink::start();
    let house = house.with_smtp(able.address().port());
    let id = house.ask(&to, "계약");
    house.deliver();
    assert_eq!((house.state(id), able.mails().len()), ("delivered", 1));
}

#[test]
fn with_the_mail_server_down_webhooks_still_go_out_and_the_mail_arrives_later() {
    // This port was free a moment ago, so nothing listens on it.
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
fn what_a_mail_server_quotes_is_kept_without_the_tokens_of_links() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    let token = LinkToken {
        purpose: LinkPurpose::SignDelivered,
        subject: 1,
        version: 1,
        expires: None,
    };
    let token = token.encode(&house.app.vault);
    let url = format!("https://sign.example.com/mail/sign?token={token}&lang=ko");
    let request = Occasion::Request(Request {
        sender: "김민준",
        comment: "",
        access_code: AccessCode::None,
        deadline: house.clock.now(),
        sign_url: &url,
    });
    for (refusal, words) in [
        (
            format!("550 5.7.1 {url} is on a block list"),
            "token=…&lang=ko is on a block list",
        ),
        (
            format!("451 4.7.1 not now: <{url}>"),
            "not now: <https://sign.…/mail/sign?token=…&lang=ko>",
        ),
    ] {
        sink.trouble_next([Trouble::AtRecipient(refusal)]);
        let id = house.write_letter(&address(), "홍길동", "계약", Language::Ko, request);
        house.deliver();
        let fault = house.tries(id)[0].fault.clone().expect("a fault");
        assert!(fault.contains(words) && !fault.contains(&token), "{fault}");
        let message = house.app.outbox_message(&house.caller(), id.0).expect("the message");
        assert!(!format!("{message:?}").contains(&token), "{message:?}");
        house.clock.turn(SignedDuration::from_hours(1));
        house.deliver();
    }
    // The same for a bounce report that quotes the whole mail.
    let id = house.write_letter(&address(), "홍길동", "계약", Language::Ko, request);
    house.deliver();
    let report = format!("550 5.1.1 no such user\n\n{url}");
    let event = house.delivery(id).event_id;
    assert!(house.app.mail_came_back(&event, Some(550), &report).expect("recorded"));
    assert!(house.tries(id).iter().all(|made| !made.answer.contains(&token)));
    let message = house.app.outbox_message(&house.caller(), id.0).expect("the message");
    assert_eq!(
        message.failure.as_deref(),
        Some("550 5.1.1 no such user\n\nhttps://sign.…/mail/sign?token=…&lang=ko")
    );
}

#[test]
fn what_a_mail_server_says_of_a_one_time_code_is_shown_to_no_member() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    let occasion = Occasion::OneTimeCode { code: "012345" };
    sink.trouble_next([Trouble::AtRecipient(
        "550 5.7.1 012345 is your code: refused".to_owned(),
    )]);
    let refused = house.write_letter(&address(), "홍길동", "계약", Language::Ko, occasion);
    house.deliver();
    let fault = house.tries(refused)[0].fault.clone().expect("a fault");
    assert!(!fault.contains("012345"), "{fault}");
    let sent = house.write_letter(&address(), "홍길동", "계약", Language::Ko, occasion);
    house.deliver();
    let event = house.delivery(sent).event_id;
    let report = "550 5.1.1 no such user\n\n012345";
    assert!(house.app.mail_came_back(&event, Some(550), report).expect("recorded"));
    // Only the status of the report is stored.
    let last = house.tries(sent).pop().expect("the report");
    assert_eq!(
        (last.code, last.fault.as_deref(), last.answer.as_str()),
        (Some(550), Some("the mail bounced"), "")
    );
    for id in [refused, sent] {
        let message = house.app.outbox_message(&house.caller(), id.0).expect("the message");
        assert!(message.failure.is_some(), "{message:?}");
        assert!(!format!("{message:?}").contains("012345"), "{message:?}");
    }
}

#[test]
fn without_a_mail_server_and_for_telephones_messages_stay_on_the_outbox_page() {
    let house = House::on(&TestDatabase::sqlite());
    let phone = Contact::Phone {
        given: "010-1234-5678".to_owned(),
        number: "+821012345678".to_owned(),
    };
    let mail = house.ask(&address(), "근로계약서");
    let message = house.ask(&phone, "근로계약서");
    house.deliver();
    assert_eq!((house.state(mail), house.state(message)), ("kept", "kept"));
    let page = house.app.outbox_messages(&house.caller(), None).expect("the outbox");
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
    assert_eq!(page.older, None);
    for message in &page.messages {
        assert_eq!(message.failure, None);
    }

    let other = domain::CompanyId::parse("other").expect("a company id");
    let stranger = House::member(other, domain::Role::Owner);
    assert!(
        house
            .app
            .outbox_messages(&stranger, None)
            .expect("an empty outbox")
            .messages
            .is_empty()
    );
    assert!(house.app.outbox_message(&stranger, mail.0).is_err());
    let auditor = House::member(house.company.clone(), domain::Role::Auditor);
    assert!(
        house.app.outbox_messages(&auditor, None).is_err(),
        "who may only read does not see what was written to people"
    );
}

#[test]
fn the_outbox_page_has_twenty_and_the_next_page_the_older_ones() {
    let house = House::on(&TestDatabase::sqlite());
    for number in 0..45 {
        house.ask(&address(), &format!("문서 {number}"));
    }
    let mut pages = Vec::new();
    let mut before = None;
    loop {
        let page = house.app.outbox_messages(&house.caller(), before).expect("the outbox");
        pages.push(
            page.messages
                .into_iter()
                .map(|message| message.subject)
                .collect::<Vec<_>>(),
        );
        // Messages enqueued meanwhile change nothing.
        house.ask(&address(), "새 문서");
        before = page.older;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [20, 20, 5]);
    let all: Vec<&String> = pages.iter().flatten().collect();
    for (number, subject) in (0..45).rev().zip(all) {
        assert!(subject.ends_with(&format!("문서 {number}")), "{subject}");
    }
}

/// An image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Returns a house whose company has a logo and a reply address.
fn dressed(sink: &SmtpSink) -> House {
    let mut house = house(sink);
    let change = CompanyChange {
        logo: Some(Some(BASE64_STANDARD.decode(PIXEL).expect("base64"))),
        mail_sender_name: Some(Some("에이스 \"전자\" 계약, 팀".to_owned())),
        mail_reply_to: Some(Some("answers+sign@에이스.한국".to_owned())),
        ..CompanyChange::default()
    };
    house.style = house
        .app
        .change_company(&operator(&house.app, &house.company), &change)
        .expect("dressed")
        .style;
    house
}

#[test]
fn a_logo_comes_within_the_mail_and_the_same_bytes_at_every_try() {
    let sink = SmtpSink::start_without_utf8();
    let house = dressed(&sink);
    sink.trouble_next([Trouble::DropAfterData]);
    let id = house.ask(&address(), "근로계약서");
    house.deliver();
    // The company's logo changes before the second try.
    let change = CompanyChange {
        logo: Some(None),
        ..CompanyChange::default()
    };
    house
        .app
        .change_company(&operator(&house.app, &house.company), &change)
        .expect("changed");
    house.clock.turn(SignedDuration::from_hours(1));
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    let mails = sink.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].data, mails[1].data);
    let data = &mails[0].data;
    // RFC 2046 5.1.4 and RFC 2387: the text first, then the HTML with its images.
    let order = [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ];
    let places: Vec<usize> = order.iter().map(|kind| data.find(kind).expect(kind)).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        data.contains("Content-ID: <logo@countersign>") && data.contains("Content-Disposition: inline"),
        "{data}"
    );
    let image = &data[places[4]..];
    let (_, body) = image.split_once("\r\n\r\n").expect("a body");
    let encoded: String = body
        .split("\r\n--")
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let png = BASE64_STANDARD.decode(encoded).expect("base64");
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(
        mails[0].header("Reply-To").as_deref(),
        Some("answers+sign@xn--9t4b11d99a.xn--3e0b707e")
    );
    let from = mails[0].header("From").expect("a sender");
    assert!(
        from.starts_with("=?utf-8?b?") && from.ends_with("<no-reply@sign.example.com>"),
        "{from}"
    );
}

#[test]
fn addresses_go_out_as_the_standards_have_them() {
    let sink = SmtpSink::start_without_utf8();
    let house = house(&sink);
    for (given, sent) in [
        ("a.b+sign@example.com", "a.b+sign@example.com"),
        ("O'Neil_x=y&z@example.co.kr", "O'Neil_x=y&z@example.co.kr"),
        ("\"two words\"@example.com", "\"two words\"@example.com"),
        ("hong@예시.한국", "hong@xn--vv4b11d.xn--3e0b707e"),
        ("taro@例え.jp", "taro@xn--r8jz45g.jp"),
        ("A@EXAMPLE.com", "A@EXAMPLE.com"),
    ] {
        let before = sink.mails().len();
        let id = house.ask(&Contact::Email(given.to_owned()), "계약");
        house.deliver();
        let reason = house.tries(id).last().and_then(|made| made.fault.clone());
        assert_eq!(house.state(id), "delivered", "{given}: {reason:?}");
        assert_eq!(sink.mails()[before].to, [sent], "{given}");
    }
}

/// Any text that people and operators may enter: letters, line ends, control characters, text that looks like a header
/// or an encoded word.
fn written() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\r\nBcc: victim@example.com\r\n".to_owned()),
        Just("\r\n\r\n<b>body</b>".to_owned()),
        Just("\u{2028}X-Evil: 1".to_owned()),
        Just("=?utf-8?q?=0D=0ABcc:_victim=40example.com?=".to_owned()),
        Just("\\\"<>,;:@()".to_owned()),
        Just("\0\t\u{b}\u{c}\u{85}".to_owned()),
        "[a-z ]{0,12}",
        "\\PC{0,20}",
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

#[test]
fn no_header_is_injected_whatever_anybody_wrote() {
    let sink = SmtpSink::start_without_utf8();
    let database = TestDatabase::sqlite();
    let mut house = House::on(&database).with_smtp(sink.address().port());
    let expected: BTreeSet<&str> = [
        "message-id",
        "date",
        "from",
        "to",
        "subject",
        "auto-submitted",
        "content-type",
        "mime-version",
        "reply-to",
    ]
    .into();
    let mut runner = TestRunner::new(Config::with_cases(150));
    let strategy = (written(), written(), written(), written(), written());
    let mut cases = Vec::new();
    // Generate all cases first, so that they are delivered in one run.
    for _ in 0..150 {
        cases.push(strategy.new_tree(&mut runner).expect("a case").current());
    }
    for (document, name, company, sender, reply_to) in &cases {
        house.style.mail_sender_name = Some(sender.clone());
        // The reply address is invalid half of the time, and is then left out.
        house.style.mail_reply_to = (reply_to.len() % 2 == 0).then(|| format!("a{}@example.com", reply_to.len()));
        house.ask_as(&address(), document, name, company);
    }
    house.style.mail_reply_to = None;
    for (bad, ..) in cases.iter().take(40) {
        house.ask(&Contact::Email(format!("a@example.com{bad}")), "계약");
    }
    house.deliver();
    let mails = sink.mails();
    assert!(mails.len() >= cases.len(), "{}", mails.len());
    for mail in &mails {
        assert_eq!(mail.to.len(), 1, "{:?}", mail.to);
        // Text appended to the domain may turn it into another domain, but never into anything else.
        let domain = mail.to[0]
            .rsplit_once('@')
            .map(|(_, domain)| domain)
            .unwrap_or_default();
        let is_of_a_domain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        assert!(
            domain.starts_with("example.") && domain.chars().all(is_of_a_domain),
            "{:?}",
            mail.to
        );
        let mut seen = BTreeSet::new();
        for line in mail.headers() {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            assert!(expected.contains(name.as_str()), "{line:?} in {}", mail.data);
            assert!(seen.insert(name), "{line:?} twice in {}", mail.data);
            assert!(line.is_ascii() && !line.contains(['\r', '\n', '\0']), "{line:?}");
        }
        assert!(
            expected.iter().all(|name| *name == "reply-to" || seen.contains(*name)),
            "{seen:?}"
        );
        // RFC 5322, 2.1.1.
        let head = mail.data.split("\r\n\r\n").next().unwrap_or_default();
        assert!(head.split("\r\n").all(|line| line.len() <= 998), "{head}");
        assert!(
            !head.replace("\r\n", "").contains(['\r', '\n']),
            "a bare line end: {head:?}"
        );
    }
}

#[test]
fn a_server_that_does_not_go_on_is_waited_for_no_longer_than_a_mail_may_take() {
    let sink = SmtpSink::start();
    let house = House::on(&TestDatabase::sqlite()).with_patience(sink.address().port(), Duration::from_millis(200));
    sink.trouble_next([Trouble::Stall]);
    let mail = house.ask(&address(), "근로계약서");
    house.deliver();
    let tries = house.tries(mail);
    let fault = tries[0].fault.as_deref().unwrap_or_default();
    assert!(fault.contains("did not finish within 0.2 s"), "{fault}");
    assert_eq!((tries.len(), house.state(mail)), (1, "waiting"));
}

#[test]
fn through_six_hours_of_every_trouble_each_mail_arrives_under_one_id_and_webhooks_go_on() {
    let sink = SmtpSink::start();
    let house = House::on(&TestDatabase::sqlite()).with_smtp(sink.address().port());
    let receiver = Receiver::start();
    let mails: Vec<_> = (0..6)
        .map(|number| house.ask(&address(), &format!("계약 {number}")))
        .collect();
    // The mail server is down for an hour. Webhooks are delivered meanwhile.
    sink.set_down(true);
    let told = house.tell(&receiver.url("/hook"), 1);
    house.deliver();
    assert_eq!(house.state(told), "delivered");
    house.clock.turn(SignedDuration::from_hours(1));
    house.deliver();
    sink.set_down(false);
    sink.trouble_next([
        Trouble::AtSender("421 4.3.2 closing for maintenance".to_owned()),
        Trouble::AtRecipient("450 4.2.0 greylisted".to_owned()),
        Trouble::HangUp,
        Trouble::DropAfterData,
        Trouble::AfterData("451 4.3.0 try again".to_owned()),
        Trouble::DropAfterData,
        Trouble::HangUp,
    ]);
    for hour in 1..=5 {
        house.clock.turn(SignedDuration::from_hours(1));
        let told = house.tell(&receiver.url("/hook"), 1);
        house.deliver();
        assert_eq!(house.state(told), "delivered", "hour {hour}");
    }
    // The pause between late tries is longer than an hour.
    for _ in 0..6 {
        house.clock.turn(SignedDuration::from_hours(4));
        house.deliver();
    }
    let mut taken: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for mail in sink.mails() {
        let id = mail.header("Message-ID").expect("an id");
        taken.entry(id).or_default().insert(mail.data);
    }
    assert_eq!(taken.len(), mails.len(), "one id a mail, and no mail without");
    assert!(
        taken.values().all(|contents| contents.len() == 1),
        "the same bytes at every try"
    );
    assert!(
        sink.mails().len() > mails.len(),
        "some arrived twice: their answer was lost"
    );
    for id in mails {
        assert_eq!(house.state(id), "delivered", "{:?}", house.tries(id));
        assert!(house.tries(id).len() >= 3);
    }
}
