//! Tests starting a workflow, and the faults that a start refuses.

use std::sync::Arc;

use app::{
    ActRequest, CompanyChange, ConflictCode, CorrectRequest, Error, FaultCode, ForbiddenCode, Idempotency,
    ImportTemplate, ListRequest, SearchRequest, SigningKey, Stage, StartExport, StartFieldName, StartRecipient,
    StartRequest, Started, Subject,
};
use domain::{Role, Status, WorkflowId};
use serde_json::json;
use testkit::operator::operator;

use crate::support::{TestApp, on_both};
use crate::templates::pdf;
use crate::world::{
    PIXEL, World, act, caller, faults, field, fields_of_first, given, id_of, import, key_of, met, origin, texts,
    two_steps, writer,
};

/// A start with a fault in every part.
fn wrong_request(world: &World<'_>) -> StartRequest {
    let mut request = world.request();
    request.workflow_name = Some("\u{10ffff}".to_owned());
    request.expiry_date = Some("2025-12-31 23:59:59".to_owned());
    request.offset = Some("+9".to_owned());
    request.language = Some("fr".to_owned());
    request.comment = Some("가".repeat(251));
    request.recipients = vec![
        StartRecipient {
            password: Some("123".to_owned()),
            ..writer(1, "", "nobody")
        },
        StartRecipient {
            mobile: Some("12".to_owned()),
            ..writer(3, "Lee", "010-1234-5678")
        },
        writer(1, "Park", "park@example.com"),
    ];
    request.fields = vec![
        given("none", "x"),
        given("agree", "maybe"),
        given("성명", &"가".repeat(21)),
        given("sign", "R0lGODlh"),
        given("day", "2026-02-30"),
        given("plan", "C"),
        given("own", "x"),
        given("pay", "one"),
        given("pay", "1"),
    ];
    request.export = Some(StartExport {
        url: Some("https://10.0.0.1/in".to_owned()),
        api_type: Some("all".to_owned()),
        is_embed: None,
        link_type: Some("page".to_owned()),
        authorization: Some("a\nb".to_owned()),
        client_id: Some("3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10".to_owned()),
        field_names: vec![
            StartFieldName {
                field_name: Some("none".to_owned()),
                new_name: Some("x".to_owned()),
            },
            StartFieldName {
                field_name: Some("day".to_owned()),
                new_name: Some("agree".to_owned()),
            },
        ],
    });
    request
}

#[test]
fn every_fault_of_a_start_is_reported_at_once_and_nothing_is_stored() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let request = wrong_request(&world);
        let mut found = faults(app.start(&world.caller, request, &origin()));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let expected = [
            ("comment", FaultCode::TooLong),
            ("expiry_date", FaultCode::PastDateTime),
            ("export_api_info.api_type", FaultCode::NotAllowed),
            ("export_api_info.authorization", FaultCode::ControlCharacter),
            ("export_api_info.client_id", FaultCode::UnknownClient),
            ("export_api_info.field_names[0].field_name", FaultCode::UnknownField),
            ("export_api_info.field_names[1].new_name", FaultCode::NameCollision),
            ("export_api_info.is_embed", FaultCode::Required),
            ("export_api_info.link_type", FaultCode::NotAllowed),
            ("export_api_info.url", FaultCode::CallbackNotPublic),
            ("field_list[0].name", FaultCode::UnknownField),
            ("field_list[1].value", FaultCode::InvalidCheck),
            ("field_list[2].value", FaultCode::TooLong),
            ("field_list[3].value", FaultCode::InvalidPicture),
            ("field_list[4].value", FaultCode::InvalidDate),
            ("field_list[5].value", FaultCode::InvalidOption),
            ("field_list[6].value", FaultCode::NoValueTaken),
            ("field_list[7].value", FaultCode::InvalidNumber),
            ("field_list[8].name", FaultCode::Duplicate),
            ("language", FaultCode::InvalidLanguage),
            ("offset", FaultCode::InvalidOffset),
            ("recipient_list", FaultCode::OrderGap),
            ("recipient_list[0].email", FaultCode::InvalidContact),
            ("recipient_list[0].name", FaultCode::Required),
            ("recipient_list[0].password", FaultCode::TooShort),
            ("recipient_list[1].mobile", FaultCode::InvalidPhone),
            ("recipient_list[1].order", FaultCode::UnknownStep),
            ("recipient_list[2]", FaultCode::TooManyRecipients),
            ("workflow_name", FaultCode::MissingGlyph),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(path, code)| ((*path).to_owned(), *code))
            .collect();
        assert_eq!(found, expected);
        let list = app.workflows(&world.caller, &ListRequest::default()).expect("a list");
        assert!(list.workflow_list.is_empty());
    });
}

#[test]
fn a_start_needs_name_template_and_a_writer_for_each_step() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let empty = app.start(&world.caller, StartRequest::default(), &origin());
        assert_eq!(
            faults(empty),
            [
                ("recipient_list".to_owned(), FaultCode::Required),
                ("template_id".to_owned(), FaultCode::Required),
                ("workflow_name".to_owned(), FaultCode::Required)
            ]
        );
        let mut request = world.request();
        request.recipients.truncate(1);
        let missing = app.start(&world.caller, request, &origin());
        assert_eq!(
            faults(missing),
            [("recipient_list".to_owned(), FaultCode::MissingRecipient)]
        );
        let other = app.with_company("other");
        let mut request = world.request();
        request.template_id = Some(import(app, &other, &two_steps()));
        let foreign = app.start(&world.caller, request, &origin());
        assert_eq!(
            faults(foreign),
            [("template_id".to_owned(), FaultCode::UnknownTemplate)]
        );
        app.with_member(&world.company, "auditor@example.com", Role::Auditor);
        let auditor = caller(app, "acme", "auditor@example.com");
        let refused = app.start(&auditor, world.request(), &origin());
        assert!(matches!(refused, Err(Error::Forbidden(ForbiddenCode::Role))));
    });
}

#[test]
fn what_could_not_be_sealed_is_refused_at_the_start() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = vec![given("성명", "a\u{10fffe}")];
        assert_eq!(
            faults(app.start(&world.caller, request, &origin())),
            [("field_list[0].value".to_owned(), FaultCode::MissingGlyph)]
        );
    });
}

#[test]
fn not_embedded_the_signers_are_asked_and_the_caller_only_watches() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        request.offset = Some(" 00:00".to_owned());
        request.expiry_date = Some("2026-01-05 00:00:00".to_owned());
        request.recipients[1].email = Some("010-1234-5678".to_owned());
        let started = world.start(request);
        let id = id_of(&started);
        assert!(started.sign_url.is_none());
        let watching = SigningKey {
            token: started.token.clone(),
            ..SigningKey::default()
        };
        let view = app.open_signing(&watching).expect("the sender's view");
        assert_eq!((view.stage, view.recipient), (Stage::Watch, None));
        let refused = app.approve_shown(&watching, &texts(&[("성명", "x")]), None, &origin());
        assert_eq!(met(refused).0, ConflictCode::NotYourTurn);
        let letters = world.letters(id);
        assert_eq!(letters.len(), 1);
        assert_eq!(letters[0].0, "kim@example.com");
        assert_eq!(
            app.open_signing(&key_of(&letters[0].1))
                .expect("the writer's page")
                .stage,
            Stage::Write
        );
        world.approve(id, act(fields_of_first())).expect("an approval");
        assert_eq!(world.letters(id)[1].0, "+821012345678");
        assert!(world.webhooks(id).is_empty());
        let shown = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(shown.expiry_date, "2026-01-05 00:00:00 (UTC+00:00)");
        assert!(app.remind(&world.caller, id, &origin()).is_ok());
        let embedded = id_of(&world.start(world.request()));
        assert_eq!(
            met(app.remind(&world.caller, embedded, &origin())).0,
            ConflictCode::Embedded
        );
    });
}

#[test]
fn the_same_key_answers_the_same_for_a_day() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let keyed = |hash: u8| {
            let mut request = world.request();
            request.idempotency = Some(Idempotency {
                key: "k1".to_owned(),
                request_hash: [hash; 32],
            });
            request
        };
        let first = world.start(keyed(1));
        assert_eq!(world.start(keyed(1)), first);
        let other = app.start(&world.caller, keyed(2), &origin());
        assert_eq!(
            faults(other),
            [("Idempotency-Key".to_owned(), FaultCode::IdempotencyKeyReused)]
        );
        app.clock.advance(24 * 60 * 60 + 1);
        let caller = caller(app, "acme", "owner@example.com");
        let later = app.start(&caller, keyed(2), &origin()).expect("a new day");
        assert!(matches!(later, Started::Workflow(started) if started.workflow_id != first.workflow_id));
    });
}

#[test]
fn one_key_at_the_same_moment_starts_one_workflow() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.idempotency = Some(Idempotency {
            key: "k".to_owned(),
            request_hash: [1; 32],
        });
        let answers: Vec<Started> = std::thread::scope(|scope| {
            let handles: Vec<_> = (0..8)
                .map(|_| {
                    let (request, caller, app) = (request.clone(), world.caller.clone(), Arc::clone(&app.app));
                    scope.spawn(move || app.start(&caller, request, &origin()).expect("an answer"))
                })
                .collect();
            handles
                .into_iter()
                .map(|handle| handle.join().expect("no panic"))
                .collect()
        });
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
        assert_eq!(
            app.workflows(&world.caller, &ListRequest::default())
                .expect("a list")
                .workflow_list
                .len(),
            1
        );
    });
}

#[test]
fn names_that_turn_the_text_around_them_and_names_of_nothing_are_refused() {
    let app = TestApp::new(testkit::database::TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    let refused = |change: &dyn Fn(&mut StartRequest)| {
        let mut request = world.request();
        change(&mut request);
        faults(app.start(&world.caller, request, &origin()))
    };
    for (text, code) in [
        ("evil\u{202e}fdp.exe", FaultCode::DirectionControl),
        ("\u{2066}a\u{2069}", FaultCode::DirectionControl),
        ("\u{200b}\u{ad}", FaultCode::Required),
        ("\u{3164}", FaultCode::Required),
        ("\u{e000}", FaultCode::Required),
        ("a\u{e000}", FaultCode::MissingGlyph),
    ] {
        let name = refused(&|request| request.workflow_name = Some(text.to_owned()));
        assert_eq!(name, [("workflow_name".to_owned(), code)], "{text:?}");
        let person = refused(&|request| request.recipients[0].name = Some(text.to_owned()));
        assert_eq!(person[0], ("recipient_list[0].name".to_owned(), code), "{text:?}");
    }
    let turned = "\u{202e}olleh";
    let comment = refused(&|request| request.comment = Some(turned.to_owned()));
    assert_eq!(comment, [("comment".to_owned(), FaultCode::DirectionControl)]);
    // A text of invisible characters counts as empty.
    let id = id_of(&world.start(world.request()));
    let value = |text: &str| world.approve(id, act(vec![given("성명", text)]));
    assert_eq!(faults(value(turned))[0].1, FaultCode::DirectionControl);
    for invisible in ["\u{200b}", "\u{feff}", "\u{2060}", "\u{115f}", "\u{180e}", "\u{a0}"] {
        assert!(
            faults(value(invisible))
                .iter()
                .any(|(path, code)| path.ends_with("성명") && *code == FaultCode::FieldRequired),
            "{invisible:?}"
        );
    }
}

#[test]
fn no_more_than_a_hundred_faults_are_reported() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = (0..2_000)
            .map(|number| given(&format!("unknown{number}"), "x"))
            .collect();
        let refused = app.start(&world.caller, request, &origin());
        assert_eq!(faults(refused).len(), 100);
    });
}

#[test]
fn values_of_the_sender_stay_editable_unless_read_only() {
    on_both(|app| {
        let fields = json!({"name": "x", "steps": [{"order": 1}], "fields": [
            field("open", "text", 1, 1, 1, &json!({"default": "default"})),
            field("fixed", "text", 1, 1, 2, &json!({"read_only": true})),
            field("free", "text", 1, 1, 3, &json!({"read_only": true})),
        ]});
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.recipients.truncate(1);
        request.fields = vec![given("fixed", "given")];
        let started = world.start(request);
        let key = key_of(&started.sign_url.expect("embedded"));
        let view = app.open_signing(&key).expect("a page");
        let shown: Vec<_> = view
            .fields
            .iter()
            .map(|view| (view.value.as_deref().unwrap_or_default(), view.editable))
            .collect();
        assert_eq!(shown, [("default", true), ("given", false), ("", true)]);
        let refused = app.approve_shown(&key, &texts(&[("fixed", "other")]), None, &origin());
        assert_eq!(faults(refused), [("fixed".to_owned(), FaultCode::FieldNotWritable)]);
        let signed = app
            .approve_shown(&key, &texts(&[("open", "mine")]), None, &origin())
            .expect("done");
        assert_eq!(signed.status, Status::Complete);
        assert_eq!(world.webhooks(WorkflowId(started.workflow_id)).len(), 1);
    });
}

#[test]
fn a_signer_whom_the_template_names_may_be_left_out() {
    on_both(|app| {
        let fields = json!({"name": "x", "fields": [field("own", "writer", 2, 1, 1, &json!({"detail": "email"}))],
            "steps": [{"order": 1}, {"order": 2, "name": "대표", "email": "boss@example.com"}]});
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.recipients.truncate(1);
        let id = id_of(&world.start(request));
        let next = world.approve(id, ActRequest::default()).expect("an approval");
        assert_eq!(
            (next.next_name.as_deref(), next.next_email.as_deref()),
            (Some("대표"), Some("boss@example.com"))
        );
        let view = app.open_signing(&world.playing_key(id)).expect("a page");
        let shown = &view.fields[0];
        assert_eq!(
            (shown.value.as_deref(), shown.mine, shown.editable),
            (Some("boss@example.com"), true, false)
        );
    });
}

#[test]
fn a_preview_starts_nothing() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.is_preview = true;
        request.fields = vec![given("성명", "미리보기"), given("sign", PIXEL)];
        let Started::Preview { preview_url, .. } = app.start(&world.caller, request, &origin()).expect("a preview")
        else {
            panic!("it started");
        };
        let token = key_of(&preview_url).token;
        let view = app.preview(&token).expect("the preview");
        assert_eq!((view.workflow_name.as_str(), view.pages.len()), ("근로계약서", 2));
        assert_eq!(view.fields[0].value.as_deref(), Some("미리보기"));
        assert!(
            !app.preview_image(&token, &view.pdf, 2)
                .expect("a page")
                .bytes
                .is_empty()
        );
        assert!(!app.preview_file(&token, "sign").expect("a file").bytes.is_empty());
        assert!(app.fsck(std::time::Duration::ZERO).expect("a check").swept.is_empty());
        assert!(matches!(
            app.preview_image(&token, &view.pdf, 3),
            Err(Error::NotFound(Subject::Page))
        ));
        assert!(
            app.workflows(&world.caller, &ListRequest::default())
                .expect("a list")
                .workflow_list
                .is_empty()
        );
        app.clock.advance(24 * 60 * 60 + 1);
        assert!(matches!(app.preview(&token), Err(Error::NotFound(Subject::Link))));
        assert_eq!(app.sweep_workflow_leftovers().expect("a sweep"), 1);
    });
}

#[test]
fn a_signer_whose_name_fits_none_of_their_fields_is_refused_at_start_and_correction() {
    on_both(|app| {
        let mut fields = two_steps();
        fields["fields"][6]["width"] = json!(20_000);
        fields["fields"][6]["height"] = json!(9_000);
        let world = World::new(app, &fields);
        let long = "가나다라마바사아자차카타파하".repeat(4);
        let mut request = world.request();
        request.recipients[0].name = Some(long.clone());
        let refused = app.start(&world.caller, request, &origin());
        assert_eq!(
            faults(refused),
            [("recipient_list[0].name".to_owned(), FaultCode::DoesNotFit)]
        );
        let mut request = world.request();
        request.recipients[0].name = Some("김".to_owned());
        let id = id_of(&world.start(request));
        let correction = CorrectRequest {
            name: Some(long),
            ..CorrectRequest::default()
        };
        let refused = app.correct_recipient(&world.caller, id, 1, &correction, &origin());
        assert_eq!(faults(refused), [("name".to_owned(), FaultCode::DoesNotFit)]);
    });
}

#[test]
fn a_start_on_a_template_whose_file_is_gone_is_refused_as_our_own_failure() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let template = app
            .template(&operator(app, &world.company), world.template)
            .expect("the template");
        app.blobs.delete(&template.stored.version.pdf).expect("deleted");
        let refused = app.start(&world.caller, world.request(), &origin());
        assert!(matches!(refused, Err(Error::FileLost(_))), "{refused:?}");
    });
}

#[test]
fn a_blank_template_is_a_missing_one() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let search = SearchRequest {
            template_id: Some("  ".to_owned()),
            field_name: Some("day".to_owned()),
            field_value: Some("x".to_owned()),
            ..SearchRequest::default()
        };
        assert_eq!(
            faults(app.search_with_value(&world.caller, &search)),
            [("template_id".to_owned(), FaultCode::Required)]
        );
    });
}

#[test]
fn a_named_writers_number_is_read_in_the_companys_region() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut fields = two_steps();
        fields["steps"][1] = json!({"order": 2, "role": "employer", "name": "Ann", "email": "(415) 555-2671"});
        let text = fields.to_string();
        let national = ImportTemplate {
            pdf: &pdf(),
            fields: text.as_bytes(),
        };
        assert_eq!(
            faults(
                app.import_template(&operator(app, &world.company), &national)
                    .map(|made| made.id)
            ),
            [("steps[1].email".to_owned(), FaultCode::InvalidContact)]
        );
        let american = CompanyChange {
            region: Some(domain::Region::Us),
            ..CompanyChange::default()
        };
        app.change_company(&operator(app, &world.company), &american)
            .expect("a change");
        import(app, &world.company, &fields);
    });
}

/// The other side of a contract does not sign for the sender's company.
#[test]
fn a_signer_signs_for_their_own_company_and_only_the_sender_for_the_senders() {
    on_both(|app| {
        let from = |step: u32| {
            let name = format!("company {step}");
            field(&name, "writer", step, 1, step, &json!({"detail": "company"}))
        };
        let fields = json!({"name": "x", "fields": [from(1), from(2), from(3), from(4)], "steps": [
            {"order": 1}, {"order": 2}, {"order": 3},
            {"order": 4, "name": "Template", "email": "template@example.com", "company": "Named Ltd"},
        ]});
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.recipients.push(writer(3, "The sender", "OWNER@example.com"));
        request.recipients[0].company = Some("  주식회사 한빛 ".to_owned());
        request.recipients[1].company = Some("회".repeat(129));
        let too_long = [("recipient_list[1].company".to_owned(), FaultCode::TooLong)];
        assert_eq!(faults(world.try_start(request.clone())), too_long);
        request.recipients[1].company = Some("회사 ".repeat(40));
        let does_not_fit = [("recipient_list[1].company".to_owned(), FaultCode::DoesNotFit)];
        assert_eq!(faults(world.try_start(request.clone())), does_not_fit);
        request.recipients[1].company = None;
        let id = id_of(&world.start(request));
        let companies = || -> Vec<Option<String>> {
            let view = app.workflow(&world.caller, id).expect("the workflow");
            view.steps.into_iter().map(|step| step.company).collect()
        };
        let of = |names: [Option<&str>; 4]| names.map(|name| name.map(str::to_owned));
        assert_eq!(companies(), of([Some("주식회사 한빛"), None, None, Some("Named Ltd")]));
        for _ in 0..4 {
            world.approve(id, act(vec![])).expect("approved");
        }
        let expected = [
            ("company 1", "주식회사 한빛"),
            ("company 3", "acme 주식회사"),
            ("company 4", "Named Ltd"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(world.values(id), expected);
        let (_, certificate) = world.sealed_files(id);
        assert!(
            crate::support::text_of(&certificate).contains("소속회사"),
            "the certificate names it"
        );
    });
}

#[test]
fn a_correction_changes_a_signers_company_and_otherwise_keeps_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.recipients[0].company = Some("Acme".to_owned());
        let id = id_of(&world.start(request));
        let correct = |request: &app::CorrectRequest| app.correct_recipient(&world.caller, id, 1, request, &origin());
        let company = || {
            app.workflow(&world.caller, id)
                .expect("the workflow")
                .steps
                .remove(0)
                .company
        };
        let to = |company: &str| app::CorrectRequest {
            company: Some(company.to_owned()),
            ..app::CorrectRequest::default()
        };
        correct(&to("Bcme")).expect("corrected");
        assert_eq!(company().as_deref(), Some("Bcme"));
        app.clock.advance(601);
        let name = app::CorrectRequest {
            name: Some("박서준".to_owned()),
            ..app::CorrectRequest::default()
        };
        correct(&name).expect("corrected");
        assert_eq!(company().as_deref(), Some("Bcme"), "a colleague");
        app.clock.advance(601);
        correct(&to("")).expect("corrected");
        assert_eq!(company(), None);
        let faults = faults(correct(&to("𓀀")));
        assert_eq!(faults, [("company".to_owned(), FaultCode::MissingGlyph)]);
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn signers_are_led_only_to_hosts_that_the_company_allows() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let allow = |hosts: &str| {
            let change = CompanyChange {
                redirect_hosts: Some(domain::RedirectHosts::parse(hosts).expect("hosts")),
                ..CompanyChange::default()
            };
            app.change_company(&operator(app, &world.company), &change)
                .expect("a change");
        };
        let leading_to = |url: &str| StartRequest {
            redirect_url: Some(url.to_owned()),
            ..world.request()
        };
        let address = "https://app.example.com/done?contract=17";
        let refused = |code| [("redirect_url".to_owned(), code)];
        let host = refused(FaultCode::RedirectHost);
        assert_eq!(faults(world.try_start(leading_to(address))), host, "none at first");
        allow("app.example.com");
        for (url, code) in [
            ("https://evil.example/", FaultCode::RedirectHost),
            ("http://app.example.com/", FaultCode::CallbackScheme),
            ("https://a@app.example.com/", FaultCode::CallbackUserinfo),
            ("/done", FaultCode::RedirectMalformed),
        ] {
            assert_eq!(faults(world.try_start(leading_to(url))), refused(code), "{url}");
        }
        let started = world.start(leading_to(address));
        let id = id_of(&started);
        let shown = app.workflow(&world.caller, id).expect("the workflow").redirect_url;
        assert_eq!(shown.as_deref(), Some(address));
        let sign = |key: &SigningKey, values: &[(&str, &str)]| {
            app.give_consent(key, "동의합니다", &origin()).expect("consent");
            let signed = app
                .approve_shown(key, &texts(values), None, &origin())
                .expect("approved");
            signed.redirect_url.map(|url| url.as_str().to_owned())
        };
        let key = key_of(started.sign_url.as_deref().expect("embedded"));
        app.attach(&key, "sign", Some("sign.png"), crate::world::pixel())
            .expect("a signature");
        assert_eq!(sign(&key, &[("성명", "김민준")]).as_deref(), Some(address));
        // A host that is no longer allowed is no longer led to.
        allow("");
        assert_eq!(sign(&world.playing_key(id), &[("pay", "1")]), None);
        allow("app.example.com");
        let declined = world.start(leading_to(address));
        let key = key_of(declined.sign_url.as_deref().expect("embedded"));
        let left = app.reject_by_link(&key, Some("no"), &origin()).expect("declined");
        assert_eq!(left.redirect_url, None, "nobody is led on who declines");
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}
