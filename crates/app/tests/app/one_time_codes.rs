//! Tests one-time codes: sent on request, valid once, limited to five tries, and bound to the person who received them.

use std::collections::BTreeSet;

use app::{
    CompanyChange, ConflictCode, CorrectRequest, Error, FaultCode, ForbiddenCode, SigningKey, Stage, StartRequest,
    StartedWorkflow,
};
use domain::{Language, WorkflowId};
use serde_json::json;
use testkit::operator::operator;

mod sql {
    store::statements! {
        /// Restores messages to the state of versions before V19, for migration V22.
        pub static AS_OF_OLD = "UPDATE outbox SET receiver = ':mail', erase_at = created_at + 600000000 \
            WHERE workflow_id = $1 AND kind = 'mail'";
        pub static LETTERS = "SELECT body, state, erase_at FROM outbox \
            WHERE workflow_id = $1 AND kind = 'mail' ORDER BY id";
    }
}

use crate::certificates::{packed, sign, text};
use crate::support::{TestApp, on_both};
use crate::world::{World, act, faults, given, id_of, key_of, met, origin, two_steps, writer};

const EXPIRED: FaultCode = FaultCode::OneTimeCodeExpired;

/// Builds a start whose first signer must enter a one-time code.
pub fn guarded(world: &World<'_>) -> StartRequest {
    let mut request = world.request();
    request.recipients[0].one_time_code = Some(true);
    request
}

pub fn signing_key(started: &StartedWorkflow) -> SigningKey {
    key_of(started.sign_url.as_deref().expect("embedded"))
}

fn stage(app: &TestApp, key: &SigningKey) -> Stage {
    app.open_signing(key).expect("a page").stage
}

pub fn send(app: &TestApp, key: &SigningKey) -> Result<(), Error> {
    app.send_one_time_code(key, &origin())
}

pub fn give(app: &TestApp, key: &SigningKey, code: &str) -> Result<String, Error> {
    give_in(app, key, code, "")
}

/// Enters a code in a form with this random value.
pub fn give_in(app: &TestApp, key: &SigningKey, code: &str, form: &str) -> Result<String, Error> {
    app.give_one_time_code(key, code, form, &origin())
}

/// Returns the sent codes and their recipients.
fn codes(world: &World<'_>, id: WorkflowId) -> Vec<(String, String)> {
    world
        .mails(id)
        .into_iter()
        .filter(|mail| mail.is_secret)
        .map(|mail| {
            let code = mail
                .text
                .split(|character: char| !character.is_ascii_digit())
                .find(|digits| digits.len() == 6);
            (mail.to, code.expect("six digits").to_owned())
        })
        .collect()
}

pub fn last_code(world: &World<'_>, id: WorkflowId) -> String {
    codes(world, id).pop().expect("a code").1
}

/// Returns six digits that differ from this code.
pub fn another(code: &str) -> &'static str {
    if code == "000000" { "111111" } else { "000000" }
}

fn retry_after(result: Result<(), Error>) -> u64 {
    match result {
        Err(Error::Throttled { retry_after, .. }) => retry_after,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_code_opens_the_document_and_chain_and_certificate_say_so() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = guarded(&world);
        request.language = Some("en".to_owned());
        let started = world.start(request);
        let id = id_of(&started);
        let mut key = signing_key(&started);
        let to = || "k•••@example.com".to_owned();
        let view = app.open_signing(&key).expect("a page");
        assert_eq!(view.stage, Stage::OneTimeCode { to: to(), sent: false });
        assert!(view.fields.is_empty() && view.pages.is_empty());
        // Opening sends nothing and shows nothing. Embedded signers get no other message.
        assert!(world.mails(id).is_empty());
        assert!(matches!(
            app.page_image(&key, &view.pdf, 1),
            Err(Error::Forbidden(ForbiddenCode::OneTimeCode))
        ));
        assert!(matches!(
            app.record_viewed(&key, &origin()),
            Err(Error::Forbidden(ForbiddenCode::OneTimeCode))
        ));
        assert_eq!(faults(give(app, &key, "123456")), [("code".to_owned(), EXPIRED)]);

        send(app, &key).expect("sent");
        assert_eq!(stage(app, &key), Stage::OneTimeCode { to: to(), sent: true });
        let sent = codes(&world, id);
        assert_eq!((sent.len(), sent[0].0.as_str()), (1, "kim@example.com"));
        // Members cannot read the code.
        let outbox = app.outbox_messages(&world.caller, None).expect("the outbox");
        let shown = app.outbox_message(&world.caller, outbox.messages[0].id).expect("one");
        for message in [&outbox.messages[0], &shown] {
            assert!(message.is_secret && message.text.is_empty());
            assert!(!message.subject.contains(&sent[0].1));
        }
        assert_eq!(
            faults(give(app, &key, another(&sent[0].1))),
            [("code".to_owned(), FaultCode::WrongOneTimeCode)]
        );
        // Full-width digits, as a Japanese keyboard types them.
        let typed: String = sent[0]
            .1
            .chars()
            .map(|digit| char::from_u32(u32::from(digit) + 0xfee0).unwrap())
            .collect();
        let proof = give_in(app, &key, &format!(" {typed} "), "its form").expect("the right code");
        for forged in ["", "1.00", "x", &proof.replace('.', "")] {
            key.one_time_proof = Some(forged.to_owned());
            assert!(matches!(stage(app, &key), Stage::OneTimeCode { .. }), "{forged}");
        }
        key.one_time_proof = Some(proof);
        assert_eq!(stage(app, &key), Stage::Write);
        // A double click is still accepted, but another browser or a later minute is not.
        for other in ["", "another browser's form"] {
            assert_eq!(
                faults(give_in(app, &key, &sent[0].1, other)),
                [("code".to_owned(), EXPIRED)]
            );
        }
        give_in(app, &key, &sent[0].1, "its form").expect("the second click");
        app.clock.advance(31);
        assert_eq!(
            faults(give_in(app, &key, &sent[0].1, "its form")),
            [("code".to_owned(), EXPIRED)]
        );

        sign(&world, &key, Language::En, "김민준").expect("signed");
        assert_eq!(stage(app, &key), Stage::Done);
        world.approve(id, act(vec![given("pay", "1")])).expect("the second");
        check_history_and_certificate(&world, id);
    });
}

fn check_history_and_certificate(world: &World<'_>, id: WorkflowId) {
    let app = world.app;
    let history = serde_json::to_string(&app.workflow(&world.caller, id).expect("it").history).expect("JSON");
    for (event, times) in [
        ("one_time_code_sent", 1),
        ("identity_checked", 1),
        ("identity_refused", 1),
    ] {
        assert_eq!(history.matches(event).count(), times, "{event}");
    }
    let read = text(&world.sealed_files(id).1);
    for expected in [
        "One-time code sent to kim@example.com and entered 2026-01-01 09:00:00",
        "Wrong one-time codes: 1",
    ] {
        assert!(
            packed(&read).contains(&packed(expected)),
            "{expected} is not in:\n{read}"
        );
    }
}

#[test]
fn a_proof_ends_after_twelve_hours_and_a_code_after_ten_minutes() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(guarded(&world));
        let id = id_of(&started);
        let mut key = signing_key(&started);
        send(app, &key).expect("sent");
        app.clock.advance(10 * 60);
        assert!(matches!(stage(app, &key), Stage::OneTimeCode { sent: false, .. }));
        assert_eq!(
            faults(give(app, &key, &last_code(&world, id))),
            [("code".to_owned(), EXPIRED)]
        );
        send(app, &key).expect("sent again");
        key.one_time_proof = Some(give(app, &key, &last_code(&world, id)).expect("right"));
        app.clock.advance(12 * 60 * 60 - 1);
        assert_eq!(stage(app, &key), Stage::Write);
        app.clock.advance(1);
        assert!(matches!(stage(app, &key), Stage::OneTimeCode { .. }));
    });
}

#[test]
fn codes_are_sent_a_minute_apart_and_five_an_hour() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(guarded(&world));
        let id = id_of(&started);
        let key = signing_key(&started);
        send(app, &key).expect("the first");
        app.clock.advance(59);
        assert_eq!(retry_after(send(app, &key)), 1);
        let first = last_code(&world, id);
        for _ in 0..4 {
            app.clock.advance(60);
            send(app, &key).expect("another");
        }
        // Only the newest code works, unless two codes happen to be equal.
        let newest = last_code(&world, id);
        assert!(first == newest || give(app, &key, &first).is_err());
        app.clock.advance(60);
        assert_eq!(retry_after(send(app, &key)), 3600 - 59 - 5 * 60);
        assert_eq!(codes(&world, id).len(), 5);
        app.clock.advance(3600);
        send(app, &key).expect("an hour later");
    });
}

#[test]
fn five_wrong_tries_need_a_new_code_and_twenty_five_the_sender() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = guarded(&world);
        request.export = None;
        let id = id_of(&world.start(request));
        let key = world.letter_key(id);
        for _ in 0..5 {
            send(app, &key).expect("sent");
            let code = last_code(&world, id);
            for left in ["4", "3", "2", "1", "0"] {
                match give(app, &key, another(&code)) {
                    Err(Error::Unprocessable(faults)) => assert_eq!(faults[0].arguments[0].1, left),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(faults(give(app, &key, &code)), [("code".to_owned(), EXPIRED)]);
            assert!(matches!(stage(app, &key), Stage::OneTimeCode { sent: false, .. }));
            app.clock.advance(3600);
        }
        assert_eq!(met(send(app, &key)).0, ConflictCode::Locked);
        // Automatic reminders do not count as asking again.
        let daily = CompanyChange {
            remind_every_days: Some(Some(1)),
            ..CompanyChange::default()
        };
        app.change_company(&operator(app, &world.company), &daily)
            .expect("a choice");
        let before = world.mails(id).len();
        app.clock.advance(24 * 60 * 60);
        app.remind_due(10).expect("the job");
        assert_eq!(world.mails(id).len(), before + 1, "one reminder");
        assert_eq!(met(send(app, &key)).0, ConflictCode::Locked);
        app.clock.advance(10 * 60);
        app.remind(&world.caller, id, &origin()).expect("reminded");
        send(app, &key).expect("sent");
        give(app, &key, &last_code(&world, id)).expect("right");
    });
}

#[test]
fn parallel_tries_of_a_one_time_code_learn_no_more_than_five() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(guarded(&world));
        let key = signing_key(&started);
        send(app, &key).expect("sent");
        let code = last_code(&world, id_of(&started));
        let start = std::sync::Barrier::new(16);
        let learnt: Vec<String> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|_| {
                    let (start, key, code) = (&start, &key, &code);
                    scope.spawn(move || {
                        start.wait();
                        give(app, key, another(code))
                    })
                })
                .collect();
            tries
                .into_iter()
                .filter_map(|one| match one.join().expect("no panic") {
                    Err(Error::Unprocessable(faults)) if faults[0].code == FaultCode::WrongOneTimeCode => {
                        Some(faults[0].arguments[0].1.clone())
                    }
                    // The code was no longer valid, or other requests were faster too often.
                    Err(Error::Unprocessable(_) | Error::Conflict { .. }) => None,
                    other => panic!("{other:?}"),
                })
                .collect()
        });
        let counts: BTreeSet<&String> = learnt.iter().collect();
        assert!(counts.len() == learnt.len() && learnt.len() <= 5, "{learnt:?}");
        while matches!(stage(app, &key), Stage::OneTimeCode { sent: true, .. }) {
            assert!(give(app, &key, another(&code)).is_err());
        }
        assert_eq!(faults(give(app, &key, &code)), [("code".to_owned(), EXPIRED)]);
    });
}

#[test]
fn parallel_requests_send_one_code() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(guarded(&world));
        let key = signing_key(&started);
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    match send(app, &key) {
                        Ok(()) | Err(Error::Throttled { .. } | Error::Conflict { .. }) => {}
                        other => panic!("{other:?}"),
                    }
                });
            }
        });
        assert_eq!(codes(&world, id_of(&started)).len(), 1);
    });
}

#[test]
fn a_code_goes_to_the_telephone_where_a_messenger_reaches_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        // The signer's contacts, the destination of the code, and the part of it that the page shows.
        for (email, mobile, to, shown, named) in [
            (
                "kim@example.com",
                Some("010-1234-5678"),
                "+821012345678",
                "••• 5678",
                "010-1234-5678",
            ),
            ("010-9876-5432", None, "+821098765432", "••• 5432", "010-9876-5432"),
            (
                "010-9876-5432",
                Some("010-1234-5678"),
                "+821098765432",
                "••• 5432",
                "010-9876-5432",
            ),
            // No messenger reaches this number.
            (
                "kim@example.com",
                Some("+81 90 1234 5678"),
                "kim@example.com",
                "k•••@example.com",
                "kim@example.com",
            ),
            (
                "kim@example.com",
                None,
                "kim@example.com",
                "k•••@example.com",
                "kim@example.com",
            ),
        ] {
            let mut request = guarded(&world);
            request.language = Some("en".to_owned());
            request.recipients[0].email = Some(email.to_owned());
            request.recipients[0].mobile = mobile.map(str::to_owned);
            let started = world.start(request);
            let id = id_of(&started);
            let mut key = signing_key(&started);
            let stage_of = |sent| Stage::OneTimeCode {
                to: shown.to_owned(),
                sent,
            };
            assert_eq!(stage(app, &key), stage_of(false));
            send(app, &key).expect("sent");
            assert_eq!(stage(app, &key), stage_of(true));
            let sent = codes(&world, id);
            assert_eq!((sent.len(), sent[0].0.as_str()), (1, to));
            let mail = world.mails(id).pop().expect("the message");
            assert_eq!(mail.message.is_some(), to.starts_with('+'));
            key.one_time_proof = Some(give(app, &key, &sent[0].1).expect("the right code"));
            sign(&world, &key, Language::En, "김민준").expect("signed");
            world.approve(id, act(vec![given("pay", "1")])).expect("the second");
            let read = text(&world.sealed_files(id).1);
            let expected = format!("One-time code sent to {named} and entered");
            assert!(
                packed(&read).contains(&packed(&expected)),
                "{expected} is not in:\n{read}"
            );
        }
    });
}

#[test]
fn a_mobile_number_is_the_persons_and_not_their_successors() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = guarded(&world);
        request.recipients[0].mobile = Some("010-1234-5678".to_owned());
        let started = world.start(request);
        let id = id_of(&started);
        let mut correct = CorrectRequest {
            name: Some("김민준".to_owned()),
            mobile: Some("010-1234-5678".to_owned()),
            ..CorrectRequest::default()
        };
        // When correcting a misspelt name, the sender repeats the number because the person is the same.
        app.correct_recipient(&world.caller, id, 1, &correct, &origin())
            .expect("corrected");
        send(app, &world.playing_key(id)).expect("sent");
        correct.email = Some("lee@example.com".to_owned());
        correct.mobile = None;
        app.correct_recipient(&world.caller, id, 1, &correct, &origin())
            .expect("corrected");
        send(app, &world.playing_key(id)).expect("sent");
        let sent: Vec<String> = codes(&world, id).into_iter().map(|(to, _)| to).collect();
        assert_eq!(sent, ["+821012345678", "lee@example.com"]);
    });
}

#[test]
fn the_access_code_comes_first() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = guarded(&world);
        request.recipients[0].password = Some("4711".to_owned());
        let started = world.start(request);
        let mut key = signing_key(&started);
        assert!(matches!(stage(app, &key), Stage::AccessCode { .. }));
        for refused in [send(app, &key), give(app, &key, "123456").map(drop)] {
            assert!(matches!(refused, Err(Error::Forbidden(ForbiddenCode::AccessCode))));
        }
        key.proof = Some(app.give_access_code(&key, "4711", &origin()).expect("right"));
        assert!(matches!(stage(app, &key), Stage::OneTimeCode { sent: false, .. }));
        send(app, &key).expect("sent");
        key.one_time_proof = Some(give(app, &key, &last_code(&world, id_of(&started))).expect("right"));
        assert_eq!(stage(app, &key), Stage::Write);
    });
}

#[test]
fn a_corrected_recipient_begins_again() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(guarded(&world));
        let id = id_of(&started);
        let mut key = signing_key(&started);
        send(app, &key).expect("sent");
        let old_code = last_code(&world, id);
        let proof = give(app, &key, &old_code).expect("right");
        let correction = CorrectRequest {
            email: Some("010-1234-5678".to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 1, &correction, &origin())
            .expect("corrected");
        assert_eq!(met(give(app, &key, &old_code)).0, ConflictCode::LinkReplaced);
        key = world.playing_key(id);
        // Neither proof nor code is valid for the new person, who can request a code at once.
        key.one_time_proof = Some(proof);
        let to = "••• 5678".to_owned();
        assert_eq!(stage(app, &key), Stage::OneTimeCode { to, sent: false });
        assert_eq!(faults(give(app, &key, &old_code)), [("code".to_owned(), EXPIRED)]);
        send(app, &key).expect("sent");
        let sent = codes(&world, id);
        assert_eq!((sent.len(), sent[1].0.as_str()), (2, "+821012345678"));
        key.one_time_proof = Some(give(app, &key, &sent[1].1).expect("right"));
        assert_eq!(stage(app, &key), Stage::Write);
    });
}

#[test]
fn the_templates_step_asks_for_it_too_and_who_has_nothing_to_sign_is_sent_nothing() {
    on_both(|app| {
        let mut fields = two_steps();
        fields["steps"][1]["one_time_code"] = json!(true);
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.export = None;
        let mut second = writer(2, "山田太郎", "yamada@example.com");
        // A requirement of the template cannot be turned off.
        second.one_time_code = Some(false);
        request.recipients[1] = second;
        let id = id_of(&world.start(request));
        assert_eq!(stage(app, &world.letter_key(id)), Stage::Write);
        world
            .approve(id, act(crate::world::fields_of_first()))
            .expect("the first");
        let key = key_of(&world.mails(id)[1].links[0].url);
        assert!(matches!(stage(app, &key), Stage::OneTimeCode { .. }));
        app.cancel(&world.caller, id, &act(Vec::new()), &origin())
            .expect("cancelled");
        assert_eq!(stage(app, &key), Stage::Ended);
        send(app, &key).expect("nothing to do");
        assert!(codes(&world, id).is_empty());
        assert!(matches!(
            app.signing_file(&key, "sign"),
            Err(Error::Forbidden(ForbiddenCode::OneTimeCode))
        ));
    });
}

/// Returns the workflow's mails: whether each contains a code, whether it has a text, its state, and whether it is due
/// for erasure.
fn letters(app: &TestApp, id: WorkflowId) -> Vec<(bool, bool, String, bool)> {
    let rows = app
        .store
        .read(move |tx| tx.query(&sql::LETTERS, store::values![id.get()]))
        .expect("the outbox");
    rows.iter()
        .map(|row| {
            let body: Vec<u8> = row.get("body").expect("a body");
            let mail = app::mail::OutgoingMail::open(&body, &app.vault).expect("a mail");
            let erase_at: Option<i64> = row.get("erase_at").expect("a time");
            (
                mail.is_secret,
                !mail.text.is_empty(),
                row.get("state").expect("a state"),
                erase_at.is_some(),
            )
        })
        .collect()
}

#[test]
fn codes_of_before_they_were_marked_are_taken_out_and_other_letters_of_that_time_go_out() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = guarded(&world);
        request.export = None;
        let started = world.start(request);
        let id = id_of(&started);
        let key = key_of(&world.mails(id)[0].links[0].url);
        send(app, &key).expect("a code");
        let before = letters(app, id);
        let waiting = "waiting".to_owned();
        assert_eq!(
            before,
            [
                (false, true, waiting.clone(), false),
                (true, true, waiting.clone(), true)
            ]
        );
        app.store
            .write(move |tx| tx.execute(&sql::AS_OF_OLD, store::values![id.get()]))
            .expect("old letters");
        assert_eq!(app.erase_codes(10).expect("none is dead yet"), 0);
        app.clock.advance(10 * 60);
        assert_eq!(app.erase_codes(10).expect("looked at"), 2);
        let after = [(false, true, waiting, false), (true, false, "dead".to_owned(), false)];
        assert_eq!(letters(app, id), after);
        assert_eq!(app.erase_codes(10).expect("each is looked at once"), 0);
    });
}
