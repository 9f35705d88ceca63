//! Tests of reports about bounced mails.

use delivery::bounce::{self, Bounce, NoBounce};
use domain::Contact;
use proptest::prelude::*;
use testkit::database::TestDatabase;
use testkit::smtp_sink::SmtpSink;

use crate::house::House;

/// Builds a report about `returned`, in a part of this kind.
fn report(action: &str, diagnostic: &str, kind: &str, returned: &str) -> Vec<u8> {
    let text = format!(
        "From: MAILER-DAEMON@mx.example.com\n\
         Subject: Undelivered Mail Returned to Sender\n\
         MIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"=b=\"\n\
         \n\
         --=b=\nContent-Type: text/plain; charset=utf-8\n\n배달하지 못했습니다.\n\n\
         --=b=\nContent-Type: message/delivery-status\n\n\
         Reporting-MTA: dns; mx.example.com\n\n\
         Final-Recipient: rfc822; hong@example.com\nAction: {action}\nStatus: 5.1.1\n{diagnostic}\n\
         --=b=\nContent-Type: {kind}\n\n{returned}\n\
         --=b=--\n"
    );
    text.replace('\n', "\r\n").into_bytes()
}

const RETURNED: &str =
    "From: no-reply@sign.example.com\nMessage-ID: <msg_00ff@sign.example.com>\nSubject: 서명 요청\n\nbody";
const UNKNOWN: &str = "Diagnostic-Code: smtp; 550 5.1.1 <hong@example.com>:\n    User unknown\n";

#[test]
fn a_report_tells_which_mail_failed_with_the_servers_code_and_words_however_the_mail_is_returned() {
    let bounce = Bounce {
        event_id: "msg_00ff".to_owned(),
        code: Some(550),
        words: "550 5.1.1 <hong@example.com>: User unknown".to_owned(),
    };
    for kind in ["message/rfc822", "text/rfc822-headers", "MESSAGE/RFC822"] {
        assert_eq!(
            bounce::read(&report("failed", UNKNOWN, kind, RETURNED)),
            Ok(bounce.clone()),
            "{kind}"
        );
    }
    let without_words = Bounce {
        code: None,
        words: "5.1.1".to_owned(),
        ..bounce
    };
    assert_eq!(
        bounce::read(&report("Failed", "", "message/rfc822", RETURNED)),
        Ok(without_words)
    );
}

#[test]
fn what_is_no_failure_or_not_ours_is_left_alone_and_why_is_said() {
    let read = |action, returned| bounce::read(&report(action, UNKNOWN, "message/rfc822", returned));
    assert_eq!(read("delayed", RETURNED), Err(NoBounce::NothingFailed));
    assert_eq!(read("delivered", RETURNED), Err(NoBounce::NothingFailed));
    let of_others = RETURNED.replace("msg_00ff", "CAF.1");
    assert_eq!(read("failed", &of_others), Err(NoBounce::NotOurs));
    assert_eq!(read("failed", "Subject: no id\n\nbody"), Err(NoBounce::NotOurs));
    let answer = format!("From: hong@example.com\r\nIn-Reply-To: <msg_00ff@sign.example.com>\r\n\r\n{RETURNED}");
    assert_eq!(bounce::read(answer.as_bytes()), Err(NoBounce::NoReport));
    assert_eq!(bounce::read(b""), Err(NoBounce::NoReport));
}

#[test]
fn a_mail_that_was_taken_and_came_back_is_a_dead_letter_with_the_words_once() {
    let sink = SmtpSink::start();
    let house = House::on(&TestDatabase::sqlite()).with_smtp(sink.address().port());
    let id = house.ask(&Contact::Email("hong@example.com".to_owned()), "근로계약서");
    let event = house.delivery(id).event_id;
    let came_back = || house.app.mail_came_back(&event, Some(550), "550 5.1.1 User unknown");
    assert!(!came_back().expect("an answer"), "nothing was sent yet");
    house.deliver();
    assert_eq!(house.state(id), "delivered");
    assert!(came_back().expect("an answer"));
    assert_eq!(house.state(id), "dead");
    let last = house.tries(id).pop().expect("a try");
    assert_eq!((last.code, last.answer.as_str()), (Some(550), "550 5.1.1 User unknown"));
    assert!(!came_back().expect("an answer"), "it comes back once");
    house.deliver();
    assert_eq!(sink.mails().len(), 1, "and is not sent again");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        cut in 0_usize..700,
        at in 0_usize..700,
    ) {
        let _ = bounce::read(&bytes);
        let mut mangled = report("failed", UNKNOWN, "message/rfc822", RETURNED);
        let at = at.min(mangled.len());
        let until = (at + cut).min(mangled.len());
        mangled.splice(at..until, bytes);
        if let Ok(bounce) = bounce::read(&mangled) {
            prop_assert!(bounce.event_id.starts_with("msg_"));
            prop_assert!(bounce.code.is_none_or(|code| (400..600).contains(&code)));
        }
    }
}
