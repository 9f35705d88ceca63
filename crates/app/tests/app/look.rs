//! Tests a company's settings for its appearance and its mails, and their effects.

use app::{App, CompanyChange, Error, FaultCode, StartCopy};
use domain::{Colour, CompanyId, CompletedMails, EventKind, WorkflowId};
use store::company::Company;
use testkit::operator::operator;

use crate::support::{TestApp, on_both};
use crate::world::{World, act, fields_of_first, given, id_of, origin, pixel, two_steps};

const DAY: i64 = 24 * 60 * 60;

fn changed(app: &App, id: &CompanyId, change: &CompanyChange) -> Company {
    app.change_company(&operator(app, id), change).expect("changed")
}

fn refused(app: &App, id: &CompanyId, change: &CompanyChange) -> (String, FaultCode, String) {
    match app.change_company(&operator(app, id), change) {
        Err(Error::Unprocessable(faults)) => {
            let fault = &faults[0];
            (fault.path.clone(), fault.code, fault.message(domain::Language::En))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_colour_and_a_logo_are_kept_shown_replaced_and_taken_away() {
    on_both(|app| {
        let id = app.with_company("acme");
        assert_eq!(app.company_look(&id).expect("a look").stylesheet(), None);
        let given = CompanyChange {
            accent: Some(Colour::parse("#A5231C")),
            logo: Some(Some(pixel())),
            ..CompanyChange::default()
        };
        changed(app, &id, &given);
        let look = app.company_look(&id).expect("a look");
        assert!(look.stylesheet().is_some_and(|style| style.contains("#a5231c")));
        let logo = look.logo.expect("a logo");
        assert_eq!((logo.width, logo.height), (1, 1));
        let png = app.company_logo(&id, &logo.hash).expect("its file");
        assert_eq!(domain::BlobHash::of(&png), logo.hash);
        // Settings that are not mentioned stay unchanged. Another company has neither.
        changed(app, &id, &CompanyChange::default());
        assert_eq!(app.company_look(&id).expect("a look"), look);
        let other = app.with_company("other");
        assert!(app.company_logo(&other, &logo.hash).is_err());

        let away = CompanyChange {
            accent: Some(None),
            logo: Some(None),
            ..CompanyChange::default()
        };
        changed(app, &id, &away);
        let look = app.company_look(&id).expect("a look");
        assert_eq!((look.accent, look.logo), (None, None));
        // A pending mail can still load the logo, but after a month it is removed.
        assert!(app.company_logo(&id, &logo.hash).is_ok());
        app.clock.advance(31 * DAY);
        assert_eq!(app.clean_access().expect("cleaned").logos, 1);
        assert!(app.company_logo(&id, &logo.hash).is_err());
        // The same logo can be used again any number of times.
        changed(app, &id, &given);
        changed(app, &id, &given);
        app.clock.advance(31 * DAY);
        assert_eq!(app.clean_access().expect("cleaned").logos, 0);
        assert!(app.company_logo(&id, &logo.hash).is_ok());
    });
}

#[test]
fn what_cannot_be_a_logo_or_an_address_is_refused_with_limit_and_remedy() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let id = app.with_company("acme");
    let logo = |bytes: Vec<u8>| CompanyChange {
        logo: Some(Some(bytes)),
        ..CompanyChange::default()
    };
    for (bytes, words) in [
        (b"<svg/>".to_vec(), "neither PNG nor JPEG; save it as one of them"),
        (vec![0x89; 6 * 1024 * 1024], "up to 5 MiB, 20 million pixels"),
        (pixel()[..30].to_vec(), "save it again"),
    ] {
        let (path, code, message) = refused(&app, &id, &logo(bytes));
        assert_eq!((path.as_str(), code), ("logo", FaultCode::LogoRefused));
        assert!(message.contains(words), "{message}");
    }
    for address in ["nobody", "a@b\r\nBcc: c@example.com", ""] {
        let change = CompanyChange {
            mail_reply_to: Some(Some(address.to_owned())),
            ..CompanyChange::default()
        };
        assert_eq!(refused(&app, &id, &change).0, "mail_reply_to", "{address:?}");
    }
    let change = CompanyChange {
        mail_sender_name: Some(Some("A\r\nBcc: c@example.com".to_owned())),
        ..CompanyChange::default()
    };
    assert_eq!(refused(&app, &id, &change).1, FaultCode::ControlCharacter);
    for days in [0, 4_000] {
        let change = CompanyChange {
            remind_every_days: Some(Some(days)),
            ..CompanyChange::default()
        };
        assert_eq!(refused(&app, &id, &change).1, FaultCode::OutOfRange);
    }
}

#[test]
fn mails_come_in_the_companys_name_with_its_logo_and_answers_go_where_it_says() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let change = CompanyChange {
            accent: Some(Colour::parse("#ffd400")),
            logo: Some(Some(pixel())),
            mail_sender_name: Some(Some("에이스 전자계약".to_owned())),
            mail_reply_to: Some(Some("contracts@acme.example".to_owned())),
            ..CompanyChange::default()
        };
        let company = changed(app, &world.company, &change);
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let mail = world.mails(id).remove(0);
        assert_eq!(
            (mail.from_name.as_str(), mail.reply_to.as_deref()),
            ("에이스 전자계약", Some("contracts@acme.example"))
        );
        assert_eq!(mail.logo_hash(), company.style.logo.map(|logo| logo.hash));
        let html = mail.html.expect("HTML");
        let shown = domain::Palette::of(Colour::parse("#ffd400").expect("a colour"));
        assert!(
            html.contains("src=\"cid:logo@countersign\"") && html.contains("alt=\"acme 주식회사\""),
            "{html}"
        );
        assert!(
            html.contains(&format!("background-color:{}", shown.light.accent)),
            "{html}"
        );
        // White letters would be unreadable on this colour, so dark ones are used.
        let dark = format!(
            "background-color: {} !important; color: {}",
            shown.dark.accent, shown.dark.on_accent
        );
        assert!(html.contains(&dark), "{html}");
        assert!(!html.contains("background-color:#ffd400"), "{html}");
        // If the company has no reply address, replies go to the sender.
        let change = CompanyChange {
            mail_reply_to: Some(None),
            ..CompanyChange::default()
        };
        changed(app, &world.company, &change);
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let to_signer = world.mails(id).remove(0);
        assert_eq!(to_signer.reply_to.as_deref(), Some("owner@example.com"));
        // A member without a name is mentioned only by address.
        assert!(
            to_signer.text.contains("보낸 사람: owner@example.com\n"),
            "{}",
            to_signer.text
        );
        // The company is still named as the requester.
        assert!(mail.text.contains("acme 주식회사") && mail.subject.contains("acme 주식회사"));
    });
}

#[test]
fn the_company_chooses_who_is_sent_the_finished_document() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (choice, expected) in [
            ("writers,copies,sender", vec!["kim", "yamada", "owner", "cc"]),
            ("copies", vec!["cc"]),
            ("writers", vec!["kim", "yamada"]),
            ("sender", vec!["owner"]),
            ("none", vec![]),
        ] {
            let change = CompanyChange {
                completed_mails: CompletedMails::parse(choice),
                ..CompanyChange::default()
            };
            changed(app, &world.company, &change);
            let mut request = world.request();
            request.export = None;
            request.cc = vec![StartCopy {
                name: Some("참조".to_owned()),
                email: Some("cc@example.com".to_owned()),
            }];
            let id = id_of(&world.start(request));
            world.approve(id, act(fields_of_first())).expect("an approval");
            let before = world.mails(id).len();
            world
                .approve(id, act(vec![given("pay", "1000")]))
                .expect("the last approval");
            let told: Vec<String> = world.mails(id).drain(before..).map(|mail| mail.to).collect();
            let expected: Vec<String> = expected.iter().map(|name| format!("{name}@example.com")).collect();
            assert_eq!(told, expected, "{choice}");
        }
    });
}

fn reminded(world: &World<'_>, id: WorkflowId) -> usize {
    let view = world.app.workflow(&world.caller, id).expect("the workflow");
    let code = EventKind::Reminded {
        recipient: domain::RecipientId(0),
    }
    .code();
    view.history.iter().filter(|entry| entry.event == code).count()
}

/// Lets this many days pass, and runs the job every few hours.
fn days_pass(app: &TestApp, days: i64) {
    for _ in 0..days * 4 {
        app.clock.advance(DAY / 4);
        app.remind_due(10).expect("the job");
    }
}

#[test]
fn writers_are_reminded_every_few_days_and_before_the_end_and_never_twice_for_one_reason() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let start = || {
            let mut request = world.request();
            request.export = None;
            id_of(&world.start(request))
        };
        let choose = |every, before| {
            let change = CompanyChange {
                remind_every_days: Some(every),
                remind_before_days: Some(before),
                ..CompanyChange::default()
            };
            changed(app, &world.company, &change);
        };
        // There are no reminders by default, and workflows expire after 14 days.
        let id = start();
        days_pass(app, 4);
        assert_eq!(reminded(&world, id), 0);
        // A setting also applies to open workflows. The fourth day is after the third.
        choose(Some(3), None);
        app.remind_due(10).expect("the job");
        app.remind_due(10).expect("the job again");
        assert_eq!((reminded(&world, id), world.mails(id).len()), (1, 2));
        days_pass(app, 3);
        assert_eq!(reminded(&world, id), 2);
        // A manual reminder postpones the automatic one.
        app.clock.advance(DAY);
        app.remind(&world.caller, id, &origin()).expect("by hand");
        days_pass(app, 2);
        assert_eq!(reminded(&world, id), 3);
        days_pass(app, 1);
        assert_eq!(reminded(&world, id), 4);
        let mail = world.mails(id).pop().expect("a mail");
        assert!(
            mail.to == "kim@example.com" && mail.subject.contains("재요청"),
            "{}",
            mail.subject
        );
        // The days of the next signer start with their own request.
        world.approve(id, act(fields_of_first())).expect("an approval");
        days_pass(app, 2);
        assert_eq!(reminded(&world, id), 4);
        // There are no reminders after the end.
        days_pass(app, 10);
        let after = reminded(&world, id);
        days_pass(app, 10);
        assert_eq!(reminded(&world, id), after);

        choose(None, Some(2));
        let id = start();
        let mut embedded = world.request();
        embedded.expiry_date = None;
        let embedded = id_of(&world.start(embedded));
        days_pass(app, 11);
        assert_eq!(reminded(&world, id), 0);
        days_pass(app, 2);
        assert_eq!(reminded(&world, id), 1, "once, two days before the end");
        assert_eq!(
            reminded(&world, embedded),
            0,
            "the writers of an embedded workflow get no messages"
        );
        assert!(app.audit_verify().is_ok());
    });
}
