//! A workflow's life through the use-cases, and everything that must not happen to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use app::mail::OutgoingMail;
use app::{
    ActRequest, Caller, CompanyChange, ConflictCode, CorrectRequest, Error, ExtendRequest, FaultCode, ForbiddenCode,
    GivenField, Idempotency, ImportTemplate, ListRequest, Origin, Purpose, SearchRequest, SigningKey, Stage, StartCopy,
    StartExport, StartFieldName, StartRecipient, StartRequest, Started, StartedWorkflow, Subject,
};
use base64::Engine as _;
use document::verify;
use domain::{CompanyId, Role, Status, TemplateId, WorkflowId};
use jiff::SignedDuration;
use serde_json::{Value, json};
use store::outbox::{self, Outcome, Try};
use testkit::deliveries::claim_due;

use crate::support::{PASSWORD, TestApp, attempt, on_both};
use crate::templates::pdf;

pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

mod sql {
    store::statements! {
        pub static WEBHOOKS = "SELECT event_id, body FROM outbox WHERE workflow_id = $1 AND kind = 'webhook' ORDER BY id";
        pub static TAMPER = "UPDATE audit_entry SET at = at + 1 WHERE workflow_id = $1 AND sequence = 2";
        pub static BREAK = "UPDATE workflow SET cc_list = '{}' WHERE id = $1";
        pub static MEND = "UPDATE workflow SET cc_list = '[]' WHERE id = $1";
        pub static MOVE_HEAD = "UPDATE workflow SET chain_sequence = chain_sequence + $2 WHERE id = $1";
        pub static LETTERS = "SELECT body FROM outbox WHERE workflow_id = $1 AND kind <> 'webhook' ORDER BY id";
    }
}

/// The bytes of a picture.
pub fn pixel() -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(PIXEL).expect("base64")
}

pub fn field(name: &str, kind: &str, step: u32, page: u32, row: u32, more: &Value) -> Value {
    let mut field = json!({"name": name, "kind": kind, "step": step, "page": page,
        "x": 100_000, "y": 50_000 * row, "width": 300_000, "height": 40_000});
    for (member, value) in more.as_object().expect("an object") {
        field[member] = value.clone();
    }
    field
}

/// Two writers: name, date, check, choice and a signature for the first; a number, its sum and a seal for the second.
pub fn two_steps() -> Value {
    json!({"name": "계약", "steps": [{"order": 1, "role": "employee"}, {"order": 2, "role": "employer"}], "fields": [
        field("성명", "text", 1, 1, 1, &json!({"required": true, "max_length": 20})),
        field("day", "date", 1, 1, 2, &json!({})),
        field("agree", "check", 1, 1, 3, &json!({})),
        field("plan", "radio", 1, 1, 4, &json!({"option": "A"})),
        field("plan", "radio", 1, 1, 5, &json!({"option": "B"})),
        field("sign", "signature", 1, 1, 6, &json!({"required": true})),
        field("own", "writer", 1, 1, 7, &json!({"detail": "name"})),
        field("title", "label", 1, 1, 8, &json!({})),
        field("pay", "number", 2, 2, 1, &json!({"required": true})),
        field("double", "calc", 2, 2, 2, &json!({"formula": "pay * 2"})),
        field("stamp", "seal", 2, 2, 3, &json!({})),
    ]})
}

pub fn one_step_of_two() -> Value {
    json!({"name": "both", "steps": [{"order": 1, "role": "a"}, {"order": 1, "role": "b"}, {"order": 2}],
        "on_reject": "return", "fields": [
        field("a", "text", 1, 1, 1, &json!({"role": "a"})),
        field("b", "text", 1, 1, 2, &json!({"role": "b"})),
        field("c", "text", 2, 1, 3, &json!({})),
    ]})
}

/// A company with an owner who calls, and a template.
pub struct World<'a> {
    pub app: &'a TestApp,
    pub company: CompanyId,
    pub caller: Caller,
    pub template: TemplateId,
}

impl<'a> World<'a> {
    pub fn new(app: &'a TestApp, fields: &Value) -> World<'a> {
        let company = app.with_company("acme");
        let caller = caller(app, "acme", "owner@example.com");
        let template = import(app, &company, fields);
        World {
            app,
            company,
            caller,
            template,
        }
    }

    pub fn request(&self) -> StartRequest {
        StartRequest {
            workflow_name: Some("근로계약서".to_owned()),
            template_id: Some(self.template),
            recipients: vec![
                writer(1, "김민준", "kim@example.com"),
                writer(2, "山田太郎", "yamada@example.com"),
            ],
            export: Some(embedded("ALL")),
            ..StartRequest::default()
        }
    }

    /// A start of [`one_step_of_two`]: A and B together, then C.
    pub fn request_of_three(&self) -> StartRequest {
        StartRequest {
            recipients: vec![
                writer(1, "A", "a@example.com"),
                writer(1, "B", "b@example.com"),
                writer(2, "C", "c@example.com"),
            ],
            ..self.request()
        }
    }

    pub fn start(&self, request: StartRequest) -> StartedWorkflow {
        match self.app.start(&self.caller, request, &origin()).expect("a start") {
            Started::Workflow(started) => started,
            other @ Started::Preview { .. } => panic!("{other:?}"),
        }
    }

    pub fn try_start(&self, request: StartRequest) -> Result<Started, Error> {
        self.app.start(&self.caller, request, &origin())
    }

    /// Names and values, as programs get them.
    pub fn values(&self, id: WorkflowId) -> Vec<(String, String)> {
        let view = self.app.workflow(&self.caller, id).expect("the workflow");
        view.field_list
            .into_iter()
            .map(|field| (field.name, field.value))
            .collect()
    }

    /// The sealed document and its certificate.
    pub fn sealed_files(&self, id: WorkflowId) -> (Vec<u8>, Vec<u8>) {
        let document = self.app.document(&self.caller, id, &origin()).expect("the document");
        let certificate = self
            .app
            .certificate(&self.caller, id, &origin())
            .expect("the certificate");
        (document.bytes, certificate.bytes)
    }

    #[allow(clippy::needless_pass_by_value)] // reads better where it is called
    /// Approves at the step under way, where the request names no other.
    pub fn approve(&self, id: WorkflowId, request: ActRequest) -> Result<app::Advanced, Error> {
        self.app
            .approve(&self.caller, id, &self.at_its_step(id, request), &origin())
    }

    /// Rejects at the step under way, where the request names no other.
    pub fn reject(&self, id: WorkflowId, request: ActRequest) -> Result<app::Advanced, Error> {
        self.app
            .reject(&self.caller, id, &self.at_its_step(id, request), &origin())
    }

    fn at_its_step(&self, id: WorkflowId, request: ActRequest) -> ActRequest {
        let under_way = || self.app.workflow(&self.caller, id).ok().and_then(|shown| shown.order);
        let order = request.order.or_else(under_way).or(Some(1));
        ActRequest { order, ..request }
    }

    pub fn playing_key(&self, id: WorkflowId) -> SigningKey {
        key_of(&self.app.workflow(&self.caller, id).expect("the workflow").playing_url)
    }

    /// What the first letter's link opens.
    pub fn letter_key(&self, id: WorkflowId) -> SigningKey {
        key_of(&self.letters(id)[0].1)
    }

    pub fn webhooks(&self, id: WorkflowId) -> Vec<Value> {
        let rows = self
            .app
            .store
            .read(move |tx| tx.query(&sql::WEBHOOKS, store::values![id.get()]))
            .expect("the outbox");
        rows.iter()
            .map(|row| {
                let body: Vec<u8> = row.get("body").expect("a body");
                let plain = self.app.vault.decrypt(Purpose::OutboxBody, &body).expect("readable");
                serde_json::from_slice(&plain).expect("JSON")
            })
            .collect()
    }

    pub fn letters(&self, id: WorkflowId) -> Vec<(String, String)> {
        let url = |mail: &OutgoingMail| mail.links.first().map(|link| link.url.clone()).unwrap_or_default();
        self.mails(id)
            .into_iter()
            .map(|mail| (mail.to.clone(), url(&mail)))
            .collect()
    }

    /// Everything that was written to people.
    pub fn mails(&self, id: WorkflowId) -> Vec<OutgoingMail> {
        let rows = self
            .app
            .store
            .read(move |tx| tx.query(&sql::LETTERS, store::values![id.get()]))
            .expect("the outbox");
        rows.iter()
            .map(|row| {
                let body: Vec<u8> = row.get("body").expect("a body");
                OutgoingMail::open(&body, &self.app.vault).expect("readable")
            })
            .collect()
    }
}

fn import(app: &TestApp, company: &CompanyId, fields: &Value) -> TemplateId {
    let fields = fields.to_string();
    let import = ImportTemplate {
        pdf: &pdf(),
        fields: fields.as_bytes(),
    };
    app.import_template(company, "test", &import).expect("a template").id
}

fn caller(app: &TestApp, company: &str, email: &str) -> Caller {
    let login = app.login(&attempt(company, email, PASSWORD)).expect("a login");
    app.authenticate(login.access_token.expose()).expect("a caller")
}

pub fn writer(order: u32, name: &str, email: &str) -> StartRecipient {
    StartRecipient {
        order: Some(order),
        name: Some(name.to_owned()),
        email: Some(email.to_owned()),
        ..StartRecipient::default()
    }
}

fn embedded(api_type: &str) -> StartExport {
    StartExport {
        url: Some("https://hooks.example.com/in".to_owned()),
        api_type: Some(api_type.to_owned()),
        is_embed: Some(true),
        authorization: Some("Bearer secret".to_owned()),
        ..StartExport::default()
    }
}

pub fn given(name: &str, value: &str) -> GivenField {
    GivenField {
        name: Some(name.to_owned()),
        value: Some(value.to_owned()),
    }
}

pub fn origin() -> Origin {
    Origin {
        address: Some("192.0.2.7".to_owned()),
        user_agent: Some("브라우저/1.0 \u{10ffff}".to_owned()),
    }
}

pub fn key_of(url: &str) -> SigningKey {
    let token = url
        .split("token=")
        .nth(1)
        .and_then(|rest| rest.split('&').next())
        .unwrap_or_default();
    SigningKey {
        token: token.to_owned(),
        ..SigningKey::default()
    }
}

/// The keys of all writers of the first step, where it has several.
pub fn keys_of(started: &StartedWorkflow) -> Vec<SigningKey> {
    let listed = started.next_list.as_deref().unwrap_or_default();
    listed
        .iter()
        .map(|next| key_of(next.sign_url.as_deref().expect("embedded")))
        .collect()
}

pub fn texts(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

pub fn id_of(started: &StartedWorkflow) -> WorkflowId {
    WorkflowId(started.workflow_id)
}

pub fn fields_of_first() -> Vec<GivenField> {
    vec![given("성명", "김민준"), given("sign", PIXEL)]
}

pub fn act(fields: Vec<GivenField>) -> ActRequest {
    ActRequest {
        fields,
        ..ActRequest::default()
    }
}

pub fn faults(result: Result<impl std::fmt::Debug, Error>) -> Vec<(String, FaultCode)> {
    match result {
        Err(Error::Unprocessable(faults)) => faults.into_iter().map(|fault| (fault.path, fault.code)).collect(),
        other => panic!("{other:?}"),
    }
}

pub fn met(result: Result<impl std::fmt::Debug, Error>) -> (ConflictCode, Option<String>) {
    match result {
        Err(Error::Conflict { code, state }) => (code, state),
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_writers_complete_and_everything_is_proved() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = vec![given("title", "2026년 계약"), given("stamp", "")];
        request.cc = vec![StartCopy {
            name: Some("법무".to_owned()),
            email: Some("legal@example.com".to_owned()),
        }];
        if let Some(export) = &mut request.export {
            export.field_names = vec![StartFieldName {
                field_name: Some("성명".to_owned()),
                new_name: Some("name".to_owned()),
            }];
        }
        let started = world.start(request);
        let id = id_of(&started);
        assert_eq!(started.language, "ko-KR");
        assert_eq!(
            (started.next_name.as_str(), started.next_email.as_str()),
            ("김민준", "kim@example.com")
        );
        let sign_url = started.sign_url.clone().expect("embedded");
        assert_eq!(
            sign_url,
            format!("http://127.0.0.1:8080/mail/sign?token={}&lang=ko", started.token)
        );
        assert!(started.next_list.is_none());

        // The page: seen, consent, a draft that survives, approval.
        let key = key_of(&sign_url);
        let view = app.open_signing(&key).expect("a page");
        assert_eq!(
            (view.stage.clone(), view.must_consent, view.pages.len()),
            (Stage::Write, true, 2)
        );
        assert!(
            view.fields
                .iter()
                .filter(|field| field.editable)
                .all(|field| field.mine)
        );
        app.record_viewed(&key, &origin()).expect("seen");
        app.record_viewed(&key, &origin()).expect("seen again");
        let without = app.approve_shown(&key, &texts(&[("성명", "김민준"), ("sign", PIXEL)]), None, &origin());
        assert_eq!(faults(without), [("consent".to_owned(), FaultCode::ConsentRequired)]);
        app.give_consent(&key, "전자서명에 동의합니다", &origin())
            .expect("consent");
        app.fill_in(&key, &texts(&[("성명", "김민"), ("day", "2026-13")]))
            .expect("a half-finished draft");
        let bytes = base64::engine::general_purpose::STANDARD.decode(PIXEL).expect("base64");
        app.attach(&key, "sign", Some("../서명.png"), bytes.clone())
            .expect("a file");
        let drafted = app.open_signing(&key).expect("a page");
        let value = |name: &str| {
            let found = drafted
                .fields
                .iter()
                .find(|view| view.field.name == name)
                .expect("the field");
            (found.value.clone().unwrap_or_default(), found.file)
        };
        assert_eq!(value("성명"), ("김민".to_owned(), false));
        assert_eq!(value("sign"), ("서명.png".to_owned(), true));
        // Made anew: the same picture in a file of ours.
        let shown = app.signing_file(&key, "sign").expect("the file").bytes;
        assert!(shown.starts_with(b"\x89PNG") && shown != bytes);
        let wrong = app.approve_shown(&key, &texts(&[("성명", "")]), None, &origin());
        assert_eq!(
            faults(wrong),
            [
                ("day".to_owned(), FaultCode::InvalidDate),
                ("성명".to_owned(), FaultCode::FieldRequired)
            ]
        );
        let signed = app
            .approve_shown(
                &key,
                &texts(&[("성명", "김민준"), ("day", "2026-01-02"), ("plan", "B")]),
                Some("네, 확인했습니다 😀"),
                &origin(),
            )
            .expect("an approval");
        assert_eq!(signed.status, Status::Playing);
        assert_eq!(app.open_signing(&key).expect("a used link").stage, Stage::Done);
        let again = app.approve_shown(&key, &BTreeMap::new(), None, &origin());
        assert_eq!(met(again), (ConflictCode::AlreadyApproved, Some("Playing".to_owned())));
        assert_eq!(
            met(app.document(&world.caller, id, &origin())).0,
            ConflictCode::NotComplete
        );

        // The program, on behalf of the second writer.
        let done = world
            .approve(
                id,
                act(vec![
                    given("pay", "1,200.5"),
                    given("stamp", &format!("data:image/png;base64,{PIXEL}")),
                ]),
            )
            .expect("the last approval");
        assert_eq!(done.status, "Complete");

        let hooks = world.webhooks(id);
        assert_eq!(hooks.len(), 2);
        let first = &hooks[0];
        assert_eq!(first["command_type"], "CF");
        assert_eq!(
            (first["status"].as_str(), first["order"].as_u64()),
            (Some("Playing"), Some(1))
        );
        assert_eq!(first["completed_date"], "2026-01-01 09:00:00 (UTC+09:00)");
        assert_eq!((&first["is_embed"], &first["version"]), (&json!(true), &json!("v3")));
        assert_eq!(first["comment"], "네, 확인했습니다 😀");
        assert_eq!(first["next_email"], "yamada@example.com");
        assert!(
            first["sign_url"]
                .as_str()
                .is_some_and(|url| url.contains("/mail/sign?token=") && url.contains("&lang="))
        );
        assert!(first.get("download_url").is_none() && first.get("next_list").is_none());
        assert_eq!(
            first["field_list"],
            json!([
                {"name": "name", "value": "김민준", "email": "kim@example.com", "order": 1},
                {"name": "day", "value": "2026-01-02", "email": "kim@example.com", "order": 1},
                {"name": "agree", "value": "N", "email": "kim@example.com", "order": 1},
                {"name": "plan", "value": "B", "email": "kim@example.com", "order": 1},
                {"name": "sign", "value": "서명.png", "email": "kim@example.com", "order": 1},
                {"name": "own", "value": "김민준", "email": "kim@example.com", "order": 1},
                {"name": "title", "value": "2026년 계약", "email": "kim@example.com", "order": 1},
            ])
        );
        let last = &hooks[1];
        assert_eq!(
            (last["status"].as_str(), last["order"].as_u64()),
            (Some("Complete"), Some(2))
        );
        assert!(last.get("next_email").is_none() && last.get("sign_url").is_none());
        let field_list = last["field_list"].as_array().expect("a list");
        assert!(
            field_list.contains(&json!({"name": "double", "value": "2401", "email": "yamada@example.com", "order": 2}))
        );
        let members: Vec<&str> = last
            .as_object()
            .expect("an object")
            .keys()
            .map(String::as_str)
            .collect();
        assert!(
            members.contains(&"download_url") && members.contains(&"certificate_url"),
            "{members:?}"
        );

        // Embedded: the writers are told nothing; sender and copies are.
        let told: Vec<String> = world.letters(id).into_iter().map(|(to, _)| to).collect();
        assert_eq!(told, ["owner@example.com", "legal@example.com"]);

        let roots = app.trusted_roots().expect("roots");
        let document = app.document(&world.caller, id, &origin()).expect("the document");
        assert_eq!(document.file_name, "근로계약서.pdf");
        let certificate = app.certificate(&world.caller, id, &origin()).expect("the certificate");
        for file in [&document, &certificate] {
            let verdict = verify::verify(&file.bytes, &roots, app.now());
            assert!(
                verdict.holds_strictly(),
                "{:?}",
                verdict.all_faults().collect::<Vec<_>>()
            );
        }
        let linked = app.linked_file(&key_of(last["download_url"].as_str().expect("a URL")), &origin());
        assert_eq!(linked.expect("by its link").file.bytes, document.bytes);
        let signature = app.field_file(&world.caller, id, "sign").expect("the file").bytes;
        assert_eq!(signature, shown, "what the page showed");
        assert!(matches!(
            app.field_file(&world.caller, id, "pay"),
            Err(Error::NotFound(Subject::File))
        ));
        assert!(matches!(
            app.field_file(&world.caller, id, "none"),
            Err(Error::NotFound(Subject::Field))
        ));

        let shown = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(shown.status, "Complete");
        assert!(!shown.download_url.is_empty() && !shown.certificate_url.is_empty() && shown.playing_url.is_empty());
        let events: Vec<&str> = shown.history.iter().map(|entry| entry.event).collect();
        assert_eq!(events.iter().filter(|event| **event == "viewed").count(), 1);
        for event in [
            "started",
            "consented",
            "value_written",
            "approved",
            "completed",
            "downloaded",
        ] {
            assert!(events.contains(&event), "{event} in {events:?}");
        }
        let approved = shown
            .history
            .iter()
            .find(|entry| entry.event == "approved")
            .expect("approved");
        assert_eq!(
            (approved.actor_email.as_str(), approved.address.as_deref()),
            ("kim@example.com", Some("192.0.2.7"))
        );
        let report = app.audit_verify().expect("a report");
        assert_eq!((report.workflows, report.faults.len()), (1, 0));
        let files = app.fsck(std::time::Duration::ZERO).expect("a check");
        assert!(files.is_clean() && files.swept.is_empty(), "{:?}", files.swept);

        let over = world.approve(id, act(Vec::new()));
        assert_eq!(met(over), (ConflictCode::Finished, Some("Complete".to_owned())));
        app.clock.advance(31 * 24 * 60 * 60);
        let late = app.linked_file(&key_of(last["download_url"].as_str().expect("a URL")), &origin());
        assert_eq!(met(late).0, ConflictCode::LinkReplaced);
    });
}

#[test]
fn every_fault_of_a_start_is_told_at_once_and_nothing_is_stored() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
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
fn not_embedded_the_writers_are_told_and_the_caller_only_watches() {
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
fn the_sender_signs_with_his_view_where_he_is_the_writer() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        request.recipients[0].email = Some("Owner@example.com".to_owned());
        let started = world.start(request);
        let key = SigningKey {
            token: started.token,
            ..SigningKey::default()
        };
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Write);
    });
}

#[test]
fn at_the_same_moment_one_wins_and_the_other_sees_why() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        for (fields, after) in [(fields_of_first(), "Playing"), (vec![given("pay", "1")], "Complete")] {
            let order = if after == "Playing" { 1 } else { 2 };
            let results: Vec<_> = std::thread::scope(|scope| {
                let handles: Vec<_> = (0..6)
                    .map(|_| {
                        let (fields, caller, app) = (fields.clone(), world.caller.clone(), Arc::clone(&app.app));
                        scope.spawn(move || {
                            let request = ActRequest {
                                order: Some(order),
                                fields,
                                ..ActRequest::default()
                            };
                            app.approve(&caller, id, &request, &origin())
                        })
                    })
                    .collect();
                handles
                    .into_iter()
                    .map(|handle| handle.join().expect("no panic"))
                    .collect()
            });
            let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
            assert_eq!(won.len(), 1);
            for result in lost {
                let (code, state) = met(result);
                assert_eq!(state.as_deref(), Some(after));
                assert!(
                    matches!(code, ConflictCode::AlreadyApproved | ConflictCode::Finished),
                    "{code}"
                );
            }
        }
        assert_eq!(world.webhooks(id).len(), 2);
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn after_cancellation_or_expiry_nothing_is_written() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let canceled = id_of(&world.start(world.request()));
        let request = ActRequest {
            comment: Some("잘못 보냄".to_owned()),
            ..ActRequest::default()
        };
        assert_eq!(
            app.cancel(&world.caller, canceled, &request, &origin())
                .expect("cancelled")
                .status,
            "Canceled"
        );
        let late = world.approve(canceled, act(fields_of_first()));
        assert_eq!(met(late), (ConflictCode::Finished, Some("Canceled".to_owned())));
        let twice = app.cancel(&world.caller, canceled, &ActRequest::default(), &origin());
        assert_eq!(met(twice), (ConflictCode::Finished, Some("Canceled".to_owned())));
        let hooks = world.webhooks(canceled);
        assert_eq!(hooks.len(), 1);
        assert_eq!(
            (&hooks[0]["command_type"], &hooks[0]["status"]),
            (&json!("CC"), &json!("Canceled"))
        );
        assert_eq!(
            (&hooks[0]["email"], &hooks[0]["order"]),
            (&json!("kim@example.com"), &json!(1))
        );
        assert!(hooks[0].get("sign_url").is_none() && hooks[0].get("next_email").is_none());
        assert_eq!(
            met(app.document(&world.caller, canceled, &origin())).0,
            ConflictCode::NotComplete
        );
        let certificate = app
            .certificate(&world.caller, canceled, &origin())
            .expect("made on request");
        let roots = app.trusted_roots().expect("roots");
        assert!(verify::verify(&certificate.bytes, &roots, app.now()).holds_strictly());

        let overdue = world.start(world.request());
        let (id, key) = (id_of(&overdue), key_of(&overdue.sign_url.expect("embedded")));
        app.clock.advance(14 * 24 * 60 * 60 - 1);
        assert_eq!(app.expire_due(10).expect("a look"), 0);
        app.clock.advance(1);
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Ended);
        let late = app.approve_shown(&key, &BTreeMap::new(), None, &origin());
        assert_eq!(met(late), (ConflictCode::Finished, Some("Expired".to_owned())));
        assert_eq!(app.expire_due(10).expect("a look"), 1);
        assert_eq!(app.expire_due(10).expect("a look"), 0);
        assert_eq!(world.webhooks(id)[0]["command_type"], "EX");
    });
}

#[test]
fn whoever_touches_an_overdue_workflow_finds_it_expired() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        app.clock.advance(14 * 24 * 60 * 60);
        assert_eq!(
            met(world.approve(id, act(fields_of_first()))),
            (ConflictCode::Finished, Some("Expired".to_owned()))
        );
        assert_eq!(app.workflow(&world.caller, id).expect("the workflow").status, "Expired");
        assert_eq!(app.expire_due(10).expect("a look"), 0);
        assert_eq!(world.webhooks(id).len(), 1);
    });
}

#[test]
fn workflows_that_cannot_expire_keep_no_others_from_it() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let start = || id_of(&world.start(world.request()));
        let write = |statement: &'static store::Statement, id: WorkflowId| {
            app.store
                .write(move |tx| tx.execute_one(statement, store::values![id.get()]))
                .expect("a row is changed");
        };
        let broken = [start(), start(), start()];
        app.clock.advance(1);
        let sound = start();
        for id in broken {
            write(&sql::BREAK, id);
        }
        app.clock.advance(14 * 24 * 60 * 60);
        let looked: Vec<u32> = (0..3).map(|_| app.expire_due(2).expect("a look")).collect();
        assert_eq!(looked, [2, 2, 0], "nobody is looked at again at once");
        let status = |id| app.workflow(&world.caller, id).expect("the workflow").status;
        assert_eq!(status(sound), "Expired");
        for id in broken {
            write(&sql::MEND, id);
        }
        app.clock.advance(60 * 60);
        assert_eq!(app.expire_due(10).expect("an hour later"), 3);
        assert_eq!(broken.map(status), ["Expired"; 3]);
    });
}

#[test]
fn another_company_finds_nothing() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        app.with_company("other");
        let other = caller(app, "other", "owner@example.com");
        assert!(matches!(
            app.workflow(&other, id),
            Err(Error::NotFound(Subject::Workflow))
        ));
        let approved = app.approve(&other, id, &act(fields_of_first()), &origin());
        assert!(matches!(approved, Err(Error::NotFound(Subject::Workflow))));
        let canceled = app.cancel(&other, id, &ActRequest::default(), &origin());
        assert!(matches!(canceled, Err(Error::NotFound(Subject::Workflow))));
        assert!(matches!(
            app.document(&other, id, &origin()),
            Err(Error::NotFound(Subject::Workflow))
        ));
        assert!(matches!(
            app.discard(&other, id, &origin()),
            Err(Error::NotFound(Subject::Workflow))
        ));
        assert!(
            app.workflows(&other, &ListRequest::default())
                .expect("a list")
                .workflow_list
                .is_empty()
        );
        assert_eq!(app.workflow(&world.caller, id).expect("untouched").status, "Playing");
    });
}

#[test]
fn a_program_names_step_and_writer_rightly_or_is_refused() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let started = world.start(world.request_of_three());
        let id = id_of(&started);
        let names: Vec<_> = started
            .next_list
            .as_deref()
            .expect("several")
            .iter()
            .map(|next| next.name.as_str())
            .collect();
        assert_eq!(names, ["A", "B"]);
        let by = |order: Option<u32>, email: Option<&str>| ActRequest {
            order,
            email: email.map(str::to_owned),
            ..ActRequest::default()
        };
        assert_eq!(
            faults(world.approve(id, by(None, None))),
            [("email".to_owned(), FaultCode::Required)]
        );
        assert_eq!(met(world.approve(id, by(Some(2), None))).0, ConflictCode::NotYourTurn);
        let unknown = world.approve(id, by(Some(9), None));
        assert!(matches!(unknown, Err(Error::NotFound(Subject::Recipient))));
        let foreign = world.approve(
            id,
            ActRequest {
                fields: vec![given("a", "x")],
                ..by(None, Some("b@example.com"))
            },
        );
        assert_eq!(
            faults(foreign),
            [("field_list[0].name".to_owned(), FaultCode::FieldNotWritable)]
        );
        world.approve(id, by(None, Some("B@Example.com"))).expect("B first");
        assert_eq!(
            met(world.approve(id, by(None, Some("b@example.com")))).0,
            ConflictCode::AlreadyApproved
        );
        world.approve(id, by(Some(1), None)).expect("A alone is left");
        assert_eq!(
            met(world.approve(id, by(Some(1), None))).0,
            ConflictCode::AlreadyApproved
        );
        let hooks = world.webhooks(id);
        assert_eq!(hooks.len(), 2);
        assert_eq!(hooks[0]["next_email"], "a@example.com");
        assert_eq!(hooks[0]["next_list"].as_array().map(Vec::len), Some(1));
        assert!(hooks[1].get("next_list").is_none());
    });
}

#[test]
fn given_back_the_old_links_die_and_step_one_is_reported_once() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let mut request = world.request();
        request.recipients = vec![
            StartRecipient {
                role: Some("b".to_owned()),
                ..writer(1, "B", "b@example.com")
            },
            writer(1, "A", "a@example.com"),
            writer(2, "C", "c@example.com"),
        ];
        request.export = Some(embedded("StartAndEnd"));
        let started = world.start(request);
        let id = id_of(&started);
        let shown = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!((shown.steps[0].name.as_str(), shown.steps[1].name.as_str()), ("A", "B"));
        let old = world.playing_key(id);
        let of = |email: &str, fields: Vec<GivenField>| ActRequest {
            email: Some(email.to_owned()),
            fields,
            ..ActRequest::default()
        };
        world
            .approve(id, of("a@example.com", vec![given("a", "first")]))
            .expect("A");
        world.approve(id, of("b@example.com", Vec::new())).expect("B");
        let key_of_c = world.playing_key(id);
        app.reject_by_link(&key_of_c, Some("고쳐 주세요"), &origin())
            .expect("given back");
        assert_eq!(met(app.open_signing(&key_of_c)).0, ConflictCode::LinkReplaced);
        assert_eq!(met(app.open_signing(&old)).0, ConflictCode::LinkReplaced);
        let new = world.playing_key(id);
        let view = app.open_signing(&new).expect("a new link");
        assert_eq!(view.stage, Stage::Write);
        let field = view
            .fields
            .iter()
            .find(|view| view.field.name == "a")
            .expect("the field");
        assert_eq!((field.value.as_deref(), field.editable), (Some("first"), true));
        world
            .approve(id, of("a@example.com", vec![given("a", "second")]))
            .expect("A");
        world.approve(id, of("b@example.com", Vec::new())).expect("B");
        world.approve(id, act(vec![given("c", "done")])).expect("C");
        let hooks = world.webhooks(id);
        let seen: Vec<_> = hooks
            .iter()
            .map(|hook| (hook["order"].as_u64(), hook["status"].as_str()))
            .collect();
        assert_eq!(seen, [(Some(1), Some("Playing")), (Some(2), Some("Complete"))]);
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

/// Two roles sign in the second step; one has signed when the other gives the document back.
#[test]
fn a_signature_given_before_a_return_is_taken_off_and_everybody_is_told_why() {
    let template = json!({"name": "back", "steps": [{"order": 1}, {"order": 2, "role": "left"}, {"order": 2, "role": "right"}],
        "on_reject": "return", "fields": [
        field("amount", "text", 1, 1, 1, &json!({})),
        field("ink", "signature", 2, 1, 2, &json!({"role": "left", "required": true})),
        field("words", "text", 2, 1, 3, &json!({"role": "left"})),
        field("other", "text", 2, 1, 4, &json!({"role": "right"})),
    ]});
    on_both(|app| {
        let world = World::new(app, &template);
        let mut request = world.request();
        request.recipients = vec![
            writer(1, "A", "a@example.com"),
            writer(2, "L", "l@example.com"),
            writer(2, "R", "r@example.com"),
        ];
        let id = id_of(&world.start(request));
        let of = |email: &str, fields: Vec<GivenField>| ActRequest {
            email: Some(email.to_owned()),
            fields,
            ..ActRequest::default()
        };
        world.approve(id, act(vec![given("amount", "1,000")])).expect("A");
        let signed = vec![given("ink", PIXEL), given("words", "as agreed")];
        world.approve(id, of("l@example.com", signed)).expect("L");
        app.reject_by_link(&world.playing_key(id), Some("금액이 다릅니다"), &origin())
            .expect("given back");

        let first = app.open_signing(&world.playing_key(id)).expect("A's new link");
        let returned = first.returned.expect("told");
        assert_eq!(
            (returned.by.as_str(), returned.from_order, returned.reason.as_deref()),
            ("R", 2, Some("금액이 다릅니다"))
        );
        let value = |name: &str| {
            let found = first.fields.iter().find(|view| view.field.name == name);
            found.expect("the field").value.clone()
        };
        assert_eq!(
            value("ink"),
            None,
            "a signature stands under a document that is being changed"
        );
        assert_eq!(value("words").as_deref(), Some("as agreed"));
        world
            .approve(id, act(vec![given("amount", "99,000")]))
            .expect("A again");
        let second = app.open_signing(&world.playing_key(id)).expect("L's new link");
        assert_eq!(second.returned.map(|returned| returned.from_order), Some(2));
        assert_eq!(
            faults(world.approve(id, of("l@example.com", Vec::new()))),
            [("field_list.ink".to_owned(), FaultCode::FieldRequired)]
        );
        world
            .approve(id, of("l@example.com", vec![given("ink", PIXEL)]))
            .expect("L again");
        world.approve(id, of("r@example.com", Vec::new())).expect("R");
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn an_approval_says_whether_others_of_the_step_are_still_to_sign() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let started = world.start(world.request_of_three());
        let approvals: Vec<bool> = keys_of(&started)
            .iter()
            .map(|key| {
                let signed = app.approve_shown(key, &BTreeMap::new(), None, &origin());
                signed.expect("an approval").others_of_step
            })
            .collect();
        assert_eq!(approvals, [true, false]);
        let last = world.playing_key(WorkflowId(started.workflow_id));
        let signed = app.approve_shown(&last, &BTreeMap::new(), None, &origin());
        assert!(!signed.expect("the last approval").others_of_step);
    });
}

#[test]
fn a_return_is_told_with_the_next_writers_and_at_step_one_it_ends() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let id = id_of(&world.start(world.request_of_three()));
        let of = |email: &str| ActRequest {
            email: Some(email.to_owned()),
            ..ActRequest::default()
        };
        world.approve(id, of("a@example.com")).expect("A");
        world.approve(id, of("b@example.com")).expect("B");
        world.reject(id, of("c@example.com")).expect("given back");
        let hooks = world.webhooks(id);
        let back = hooks.last().expect("a webhook");
        assert_eq!(
            (&back["command_type"], &back["status"], &back["order"]),
            (&json!("RT"), &json!("Playing"), &json!(2))
        );
        assert_eq!(
            (&back["name"], &back["next_email"]),
            (&json!("C"), &json!("a@example.com"))
        );
        assert_eq!(back["next_list"].as_array().map(Vec::len), Some(2));
        let ended = world.reject(id, of("b@example.com")).expect("declined");
        assert_eq!(ended.status, "Rejected");
        let hooks = world.webhooks(id);
        let end = hooks.last().expect("a webhook");
        assert_eq!(
            (&end["command_type"], &end["status"]),
            (&json!("RT"), &json!("Rejected"))
        );
        assert!(end.get("next_email").is_none() && end.get("next_list").is_none());
    });
}

#[test]
fn who_declines_is_told_to_the_others_of_his_step_and_to_nobody_who_was_not_asked() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let declined_by_b = |contact_of_a: &str| {
            let mut request = world.request_of_three();
            request.export = None;
            request.recipients[0].email = Some(contact_of_a.to_owned());
            let id = id_of(&world.start(request));
            let asked = world.letters(id);
            let key = key_of(&asked[1].1);
            app.reject_by_link(&key, None, &origin()).expect("declined");
            let told = world.mails(id).split_off(asked.len());
            told.into_iter().map(|mail| mail.to).collect::<Vec<_>>()
        };
        assert_eq!(declined_by_b("a@example.com"), ["a@example.com", "owner@example.com"]);
        // Another writer with the same address is another person.
        assert_eq!(declined_by_b("b@example.com"), ["b@example.com", "owner@example.com"]);
        // The sender has the writer's address, so one message is enough.
        assert_eq!(declined_by_b("owner@example.com"), ["owner@example.com"]);
    });
}

#[test]
fn who_declines_after_others_signed_is_told_to_sender_and_earlier_writers() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        world.approve(id, act(fields_of_first())).expect("an approval");
        let at_step_two = ActRequest {
            order: Some(2),
            ..ActRequest::default()
        };
        app.reject(&world.caller, id, &at_step_two, &origin())
            .expect("declined");
        let told: Vec<String> = world.letters(id).into_iter().map(|(to, _)| to).collect();
        assert_eq!(
            told,
            [
                "kim@example.com",
                "yamada@example.com",
                "kim@example.com",
                "owner@example.com"
            ]
        );
    });
}

#[test]
fn at_the_end_cc_recipients_sender_and_writers_each_get_the_promised_copy_embedded_ones_not_the_writers() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        for (is_embedded, expected) in [
            (
                false,
                vec![
                    "kim@example.com",
                    "yamada@example.com",
                    "kim@example.com",
                    "yamada@example.com",
                    "owner@example.com",
                    "cc@example.com",
                ],
            ),
            (true, vec!["owner@example.com", "cc@example.com"]),
        ] {
            let mut request = world.request();
            request.export = is_embedded.then(|| embedded("ALL"));
            request.cc = vec![StartCopy {
                name: Some("참조".to_owned()),
                email: Some("cc@example.com".to_owned()),
            }];
            let id = id_of(&world.start(request));
            world.approve(id, act(fields_of_first())).expect("an approval");
            world
                .approve(id, act(vec![given("pay", "1000")]))
                .expect("the last approval");
            let letters = world.letters(id);
            let told: Vec<&str> = letters.iter().map(|(to, _)| to.as_str()).collect();
            assert_eq!(told, expected);
            let link = &letters.last().expect("the copy").1;
            let copy = app
                .linked_file(&key_of(link), &origin())
                .expect("the copy's link opens");
            assert!(copy.file.bytes.starts_with(b"%PDF-"));
        }
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
fn five_wrong_access_codes_lock_until_the_sender_sends_anew() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        request.recipients[0].password = Some("비밀번호1".to_owned());
        request.recipients[0].password_hint = Some("생일".to_owned());
        let id = id_of(&world.start(request));
        let mut key = key_of(&world.letters(id)[0].1);
        let view = app.open_signing(&key).expect("a page");
        assert_eq!(
            view.stage,
            Stage::AccessCode {
                hint: Some("생일".to_owned()),
                locked: false
            }
        );
        assert!(view.fields.is_empty() && view.pages.is_empty());
        assert!(matches!(
            app.page_image(&key, &view.pdf, 1),
            Err(Error::Forbidden(ForbiddenCode::AccessCode))
        ));
        let early = app.approve_shown(&key, &BTreeMap::new(), None, &origin());
        assert!(matches!(early, Err(Error::Forbidden(ForbiddenCode::AccessCode))));
        key.proof = Some(hex::encode([0; 32]));
        assert!(matches!(
            app.record_viewed(&key, &origin()),
            Err(Error::Forbidden(ForbiddenCode::AccessCode))
        ));
        for _ in 0..4 {
            assert_eq!(
                faults(app.give_access_code(&key, "falsch", &origin())),
                [("code".to_owned(), FaultCode::WrongAccessCode)]
            );
        }
        let proof = app
            .give_access_code(&key, "비밀번호1", &origin())
            .expect("the right code");
        key.proof = Some(proof);
        assert_eq!(app.open_signing(&key).expect("a page").stage, Stage::Write);
        assert!(!app.page_image(&key, &view.pdf, 1).expect("a page").bytes.is_empty());
        for page in [0, 3, u32::MAX] {
            assert!(matches!(
                app.page_image(&key, &view.pdf, page),
                Err(Error::NotFound(Subject::Page))
            ));
        }
        for _ in 0..4 {
            assert!(app.give_access_code(&key, "wrong", &origin()).is_err());
        }
        assert_eq!(
            met(app.give_access_code(&key, "wrong", &origin())).0,
            ConflictCode::Locked
        );
        assert_eq!(
            met(app.give_access_code(&key, "비밀번호1", &origin())).0,
            ConflictCode::Locked
        );
        assert!(matches!(
            app.open_signing(&key).expect("a page").stage,
            Stage::AccessCode { locked: true, .. }
        ));
        app.remind(&world.caller, id, &origin()).expect("sent anew");
        assert!(app.give_access_code(&key, "비밀번호1", &origin()).is_ok());
    });
}

#[test]
fn a_writer_is_reminded_once_in_ten_minutes() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let remind = || app.remind(&world.caller, id, &origin());
        remind().expect("a first time");
        app.clock.advance(100);
        for _ in 0..30 {
            let again = remind();
            assert!(
                matches!(again, Err(Error::Throttled { retry_after: 500, .. })),
                "{again:?}"
            );
        }
        let letters = world.letters(id).len();
        app.clock.advance(500);
        remind().expect("a second time");
        assert_eq!(world.letters(id).len(), letters + 1);
        // Another writer has not been reminded.
        world.approve(id, act(fields_of_first())).expect("an approval");
        remind().expect("the next writer's first time");
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
    // A hint that nobody sees is none.
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
fn parallel_tries_of_an_access_code_learn_no_more_than_five() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.recipients[0].password = Some("4711".to_owned());
        let key = key_of(&world.start(request).sign_url.expect("embedded"));
        let start = std::sync::Barrier::new(16);
        let mut left: Vec<String> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|number| {
                    let (start, key) = (&start, &key);
                    scope.spawn(move || {
                        start.wait();
                        app.give_access_code(key, &format!("wrong{number}"), &origin())
                    })
                })
                .collect();
            tries
                .into_iter()
                .filter_map(|one| match one.join().expect("no panic") {
                    Err(Error::Unprocessable(faults)) => Some(faults[0].arguments[0].1.clone()),
                    Err(Error::Conflict { .. }) => None,
                    other => panic!("{other:?}"),
                })
                .collect()
        });
        left.sort();
        // Each count was told once: who was told nothing met the lock, or another's write.
        let before = left.len();
        left.dedup();
        assert!(before == left.len() && before <= 4, "{left:?}");
        while !matches!(
            app.open_signing(&key).expect("a page").stage,
            Stage::AccessCode { locked: true, .. }
        ) {
            assert!(app.give_access_code(&key, "wrong", &origin()).is_err());
        }
        assert_eq!(
            met(app.give_access_code(&key, "4711", &origin())).0,
            ConflictCode::Locked
        );
    });
}

#[test]
fn no_more_than_a_hundred_faults_are_told() {
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
fn a_corrected_recipient_gets_a_new_link_and_the_old_one_is_dead() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let old = key_of(&world.letters(id)[0].1);
        let correct = |order, request| app.correct_recipient(&world.caller, id, order, &request, &origin());
        let empty = correct(1, CorrectRequest::default());
        assert_eq!(faults(empty), [(String::new(), FaultCode::OneRequired)]);
        let wrong = correct(
            1,
            CorrectRequest {
                email: Some("x".to_owned()),
                ..CorrectRequest::default()
            },
        );
        assert_eq!(faults(wrong), [("email".to_owned(), FaultCode::InvalidContact)]);
        assert!(matches!(
            correct(9, CorrectRequest::default()),
            Err(Error::NotFound(Subject::Recipient))
        ));
        let right = CorrectRequest {
            email: Some("kim2@example.com".to_owned()),
            ..CorrectRequest::default()
        };
        correct(1, right.clone()).expect("corrected");
        assert_eq!(met(app.open_signing(&old)).0, ConflictCode::LinkReplaced);
        let letters = world.letters(id);
        assert_eq!(letters[1].0, "kim2@example.com");
        assert_eq!(
            app.open_signing(&key_of(&letters[1].1)).expect("a page").stage,
            Stage::Write
        );
        world.approve(id, act(fields_of_first())).expect("an approval");
        assert_eq!(met(correct(1, right)).0, ConflictCode::AlreadyApproved);
    });
}

#[test]
fn what_is_already_so_is_written_nowhere() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let link = key_of(&world.letters(id)[0].1);
        let state = || {
            let view = app.workflow(&world.caller, id).expect("a workflow");
            (view.history.len(), world.letters(id).len(), view.expiry_date)
        };
        let before = state();
        let writer = app.workflow(&world.caller, id).expect("a workflow").steps[0].clone();
        for _ in 0..30 {
            let same = CorrectRequest {
                name: Some(writer.name.clone()),
                email: Some(writer.email.clone()),
                ..CorrectRequest::default()
            };
            let answer = app
                .correct_recipient(&world.caller, id, 1, &same, &origin())
                .expect("nothing to do");
            assert_eq!(answer.next_email.as_deref(), Some(writer.email.as_str()));
            let end = ExtendRequest {
                expiry_date: before.2.split(" (").next().map(str::to_owned),
                ..ExtendRequest::default()
            };
            let answer = app.extend(&world.caller, id, &end, &origin()).expect("nothing to do");
            assert_eq!(answer.expiry_date, before.2, "answers name the zone");
        }
        assert_eq!(state(), before);
        assert_eq!(app.open_signing(&link).expect("the link stays").stage, Stage::Write);
    });
}

#[test]
fn correcting_asks_nobody_more_often_than_reminding() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let id = id_of(&world.start(request));
        let correct = |name: &str, email: &str| {
            let request = CorrectRequest {
                name: Some(name.to_owned()),
                email: Some(email.to_owned()),
                ..CorrectRequest::default()
            };
            app.correct_recipient(&world.caller, id, 1, &request, &origin())
        };
        let throttled = |answer: Result<app::Advanced, Error>, wait: u64| {
            assert!(
                matches!(answer, Err(Error::Throttled { retry_after, .. }) if retry_after == wait),
                "{answer:?}"
            );
        };
        correct("Kim A", "kim2@example.com").expect("a first time");
        let letters = world.letters(id).len();
        for number in 0..30 {
            throttled(correct(&format!("Kim {number}"), "KIM2@example.com"), 600);
        }
        throttled(app.remind(&world.caller, id, &origin()), 600);
        assert_eq!(world.letters(id).len(), letters);
        // Another addressee is another; and going back and forth is no way round.
        correct("Kim B", "kim3@example.com").expect("somebody else");
        throttled(correct("Kim C", "\"kim2\"@example.com"), 600);
        app.clock.advance(600);
        correct("Kim C", "kim2@example.com").expect("after the pause");
        throttled(app.remind(&world.caller, id, &origin()), 600);
        app.clock.advance(600);
        app.remind(&world.caller, id, &origin()).expect("after the pause");
        throttled(correct("Kim D", "kim2@example.com"), 600);
        // Of a later step nobody is asked yet, so nobody is asked too often.
        for number in 0..3 {
            let request = CorrectRequest {
                name: Some(format!("Lee {number}")),
                ..CorrectRequest::default()
            };
            app.correct_recipient(&world.caller, id, 2, &request, &origin())
                .expect("a later step");
        }
        world.approve(id, act(fields_of_first())).expect("an approval");
        app.remind(&world.caller, id, &origin())
            .expect("the first request of a step does not count");
    });
}

#[test]
fn more_time_is_given_in_the_workflows_offset() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        let extend = |date: &str| {
            let request = ExtendRequest {
                expiry_date: Some(date.to_owned()),
                ..ExtendRequest::default()
            };
            app.extend(&world.caller, id, &request, &origin())
        };
        assert_eq!(
            faults(extend("2025-12-31 00:00:00")),
            [("expiry_date".to_owned(), FaultCode::PastDateTime)]
        );
        assert_eq!(
            faults(extend("soon")),
            [("expiry_date".to_owned(), FaultCode::InvalidDateTime)]
        );
        assert_eq!(
            extend("2026-03-01 12:00:00").expect("extended").expiry_date,
            "2026-03-01 12:00:00 (UTC+09:00)"
        );
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
fn a_writer_whom_the_template_names_may_be_left_out() {
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
fn what_broke_the_chain_is_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        world.approve(id, act(fields_of_first())).expect("an approval");
        app.store
            .write(move |tx| tx.execute(&sql::TAMPER, store::values![id.get()]))
            .expect("an edit behind the program's back");
        let report = app.audit_verify().expect("a report");
        assert_eq!(report.faults.len(), 1);
        assert_eq!(report.faults[0].workflow, id);
    });
}

#[test]
fn lists_go_on_where_they_ended_and_searches_find_values() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let ids: Vec<i64> = (0..5)
            .map(|number| {
                let mut request = world.request();
                request.workflow_name = Some(format!("Contract_{number}"));
                request.fields = vec![given("성명", &format!("이름 {}", number % 2))];
                world.start(request).workflow_id
            })
            .collect();
        let list = |request: &ListRequest| app.workflows(&world.caller, request).expect("a list");
        let first = list(&ListRequest {
            limit: Some("2".to_owned()),
            ..ListRequest::default()
        });
        let second = list(&ListRequest {
            limit: Some("2".to_owned()),
            cursor: first.next_cursor.clone(),
            ..ListRequest::default()
        });
        let third = list(&ListRequest {
            limit: Some("2".to_owned()),
            page: Some("3".to_owned()),
            ..ListRequest::default()
        });
        let all: Vec<i64> = [&first, &second, &third]
            .iter()
            .flat_map(|list| list.workflow_list.iter().map(|row| row.workflow_id))
            .collect();
        assert_eq!(all, ids.iter().rev().copied().collect::<Vec<_>>());
        assert_eq!(third.next_cursor, None);
        let by_text = list(&ListRequest {
            text: Some("contract_3".to_owned()),
            ..ListRequest::default()
        });
        assert_eq!(by_text.workflow_list.len(), 1);
        let none = list(&ListRequest {
            text: Some("contract%".to_owned()),
            ..ListRequest::default()
        });
        assert!(none.workflow_list.is_empty());
        app.cancel(&world.caller, WorkflowId(ids[0]), &ActRequest::default(), &origin())
            .expect("cancelled");
        let canceled = list(&ListRequest {
            status: Some("canceled".to_owned()),
            ..ListRequest::default()
        });
        assert_eq!(
            canceled
                .workflow_list
                .iter()
                .map(|row| row.workflow_id)
                .collect::<Vec<_>>(),
            [ids[0]]
        );
        let dated = list(&ListRequest {
            from: Some("2026-01-02".to_owned()),
            ..ListRequest::default()
        });
        assert!(dated.workflow_list.is_empty());
        let dated = list(&ListRequest {
            to: Some("2026-01-01".to_owned()),
            ..ListRequest::default()
        });
        assert_eq!(dated.workflow_list.len(), 5);
        let wrong = ListRequest {
            status: Some("x".to_owned()),
            template_id: Some("x".to_owned()),
            from: Some("x".to_owned()),
            cursor: Some("x".to_owned()),
            limit: Some("0".to_owned()),
            ..ListRequest::default()
        };
        assert_eq!(faults(app.workflows(&world.caller, &wrong)).len(), 5);
        let search = |value: &str| {
            let request = SearchRequest {
                template_id: Some(world.template.to_string()),
                field_name: Some("성명".to_owned()),
                field_value: Some(value.to_owned()),
                ..SearchRequest::default()
            };
            app.search_with_value(&world.caller, &request)
                .expect("a search")
                .workflow_list
        };
        assert_eq!(
            search("이름 1")
                .iter()
                .map(|found| found.workflow_id)
                .collect::<Vec<_>>(),
            [ids[3], ids[1]]
        );
        assert!(search("이름").is_empty());
        app.discard(&world.caller, WorkflowId(ids[0]), &origin())
            .expect("hidden");
        app.discard(&world.caller, WorkflowId(ids[0]), &origin())
            .expect("hidden already");
        assert_eq!(
            met(app.discard(&world.caller, WorkflowId(ids[1]), &origin())).0,
            ConflictCode::StillPlaying
        );
        assert_eq!(list(&ListRequest::default()).workflow_list.len(), 4);
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
fn the_next_document_for_the_same_writer_is_offered() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let first = id_of(&world.start(request.clone()));
        request.workflow_name = Some("다음 문서".to_owned());
        let second = id_of(&world.start(request));
        let key = world.letter_key(first);
        app.give_consent(&key, "동의", &origin()).expect("consent");
        let signed = app
            .approve_shown(&key, &texts(&[("성명", "김"), ("sign", PIXEL)]), None, &origin())
            .expect("an approval");
        let next = signed.next_document.expect("another document");
        assert_eq!(next.workflow_name, "다음 문서");
        let opened = app.open_signing(&key_of(&next.sign_url)).expect("its page");
        assert_eq!(opened.workflow_id, second);
    });
}

#[test]
fn a_link_that_nobody_made_opens_nothing() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let started = world.start(world.request());
        for token in ["", "abc", &started.token[1..], &format!("{}A", started.token)] {
            let key = SigningKey {
                token: token.to_owned(),
                ..SigningKey::default()
            };
            assert!(
                matches!(app.open_signing(&key), Err(Error::NotFound(Subject::Link))),
                "{token}"
            );
            assert!(
                matches!(app.linked_file(&key, &origin()), Err(Error::NotFound(Subject::Link))),
                "{token}"
            );
        }
        let started_key = SigningKey {
            token: started.token,
            ..SigningKey::default()
        };
        assert!(matches!(
            app.linked_file(&started_key, &origin()),
            Err(Error::NotFound(Subject::Link))
        ));
    });
}

#[test]
fn a_delivery_that_was_taken_is_told_in_the_chain_once() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        world.approve(id, act(fields_of_first())).expect("approved");
        let now = app.now();
        let event_id = app
            .store
            .write_relaxed(move |tx| {
                let claimed = claim_due(tx, "lease", "owner", now, 10)?;
                let mut webhooks = claimed.into_iter().filter(|delivery| !delivery.lane().is_of_letters());
                let webhook = webhooks.next().expect("a webhook");
                let made = Try {
                    at: now,
                    duration: 1,
                    code: Some(200),
                    fault: None,
                    answer: String::new(),
                };
                outbox::finish(tx, &webhook, &made, Outcome::Delivered, now)?;
                Ok::<_, store::Error>(webhook.event_id)
            })
            .expect("delivered");
        let a_second_before = now - SignedDuration::from_secs(1);
        app.note_deliveries(a_second_before, None, 10).expect("nothing yet");
        let told = || {
            let shown = app.workflow(&world.caller, id).expect("the workflow");
            shown.history.iter().filter(|entry| entry.event == "delivered").count()
        };
        assert_eq!(told(), 0);
        let next = app.note_deliveries(now, None, 1).expect("told");
        assert_eq!(
            (told(), next.map(|(at, _)| at)),
            (1, Some(now)),
            "it was as many as may be"
        );
        assert_eq!(app.note_deliveries(now, None, 1).expect("told before"), None);
        let shown = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(
            shown.history.iter().filter(|entry| entry.event == "delivered").count(),
            1
        );
        assert!(app.audit_verify().expect("a report").is_clean());
        let rows = app
            .store
            .read(move |tx| tx.query(&sql::WEBHOOKS, store::values![id.get()]))
            .expect("the outbox");
        let ids: Vec<String> = rows.iter().map(|row| row.get("event_id").expect("an id")).collect();
        assert_eq!(ids, [event_id]);
    });
}

#[test]
fn a_chain_that_cannot_be_told_keeps_no_other_from_being_told() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let ids: Vec<WorkflowId> = (0..3)
            .map(|_| {
                let id = id_of(&world.start(world.request()));
                world.approve(id, act(fields_of_first())).expect("approved");
                id
            })
            .collect();
        let now = app.now();
        app.store
            .write_relaxed(move |tx| {
                for claimed in claim_due(tx, "lease", "owner", now, 10)? {
                    if claimed.lane().is_of_letters() {
                        continue;
                    }
                    let made = Try {
                        at: now,
                        duration: 1,
                        code: Some(200),
                        fault: None,
                        answer: String::new(),
                    };
                    outbox::finish(tx, &claimed, &made, Outcome::Delivered, now)?;
                }
                Ok::<_, store::Error>(())
            })
            .expect("delivered");
        let told = || {
            let of = |id: &WorkflowId| {
                let shown = app.workflow(&world.caller, *id).expect("the workflow");
                shown.history.iter().filter(|entry| entry.event == "delivered").count()
            };
            ids.iter().map(of).collect::<Vec<_>>()
        };
        let broken = ids[1].get();
        // The next entry of this chain would be one that there is already.
        let move_head = move |by: i64| {
            app.store
                .write(move |tx| tx.execute(&sql::MOVE_HEAD, store::values![broken, by]))
                .expect("moved");
        };
        move_head(-1);
        assert_eq!(app.note_deliveries(now, None, 10).expect("the others are told"), None);
        move_head(1);
        assert_eq!(told(), [1, 0, 1]);
        for _ in 0..2 {
            app.note_deliveries(now, None, 10).expect("the rest");
            assert_eq!(told(), [1, 1, 1], "each once");
        }
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn a_writer_whose_name_fits_no_field_of_his_is_refused_at_start_and_correction() {
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
fn who_only_reads_gets_no_address_that_signs() {
    on_both(|app| {
        let world = World::new(app, &one_step_of_two());
        let id = id_of(&world.start(world.request_of_three()));
        app.with_member(&world.company, "auditor@example.com", Role::Auditor);
        let seen = app
            .workflow(&caller(app, "acme", "auditor@example.com"), id)
            .expect("the workflow");
        assert_eq!(seen.playing_url, "");
        assert!(seen.next_list.expect("two").iter().all(|next| next.sign_url.is_none()));
        let seen = app.workflow(&world.caller, id).expect("the workflow");
        assert!(seen.playing_url.contains("token="));
        assert!(seen.next_list.expect("two").iter().all(|next| next.sign_url.is_some()));
    });
}

#[test]
fn a_start_on_a_template_whose_file_is_gone_is_refused_as_our_own_failure() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let template = app.template(&world.company, world.template).expect("the template");
        app.blobs.delete(&template.stored.version.pdf).expect("deleted");
        let refused = app.start(&world.caller, world.request(), &origin());
        assert!(matches!(refused, Err(Error::FileLost(_))), "{refused:?}");
    });
}

#[test]
fn an_approval_names_what_is_missing_and_what_was_given_twice() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(world.request()));
        let Err(Error::Unprocessable(missing)) = world.approve(id, act(vec![given("sign", PIXEL)])) else {
            panic!("a required field is missing");
        };
        assert_eq!(missing.len(), 1);
        assert_eq!(
            (missing[0].path.as_str(), missing[0].code),
            ("field_list.성명", FaultCode::FieldRequired)
        );
        for language in domain::Language::ALL {
            assert!(missing[0].message(language).contains("성명"), "{language:?}");
        }
        let mut twice = fields_of_first();
        twice.push(given("성명", "다른 사람"));
        let refused = world.approve(id, act(twice));
        assert_eq!(
            faults(refused),
            [("field_list[2].name".to_owned(), FaultCode::Duplicate)]
        );
    });
}

#[test]
fn what_is_taken_away_is_told_in_the_chain() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = vec![given("day", "2026-01-02")];
        let id = id_of(&world.start(request));
        let mut fields = fields_of_first();
        fields.push(given("day", ""));
        world.approve(id, act(fields)).expect("an approval");
        let seen = app.workflow(&world.caller, id).expect("the workflow");
        assert!(seen.field_list.iter().all(|field| field.name != "day"));
        let told = seen
            .history
            .iter()
            .filter(|entry| entry.event == "value_removed" && entry.field.as_deref() == Some("day"));
        assert_eq!(told.count(), 1);
    });
}

#[test]
fn a_used_link_leads_to_no_other_document_and_another_spelling_is_the_same_writer() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let first = id_of(&world.start(request.clone()));
        request.recipients[0].email = Some("Kim@Example.COM".to_owned());
        world.start(request);
        let key = world.letter_key(first);
        app.give_consent(&key, "동의", &origin()).expect("consent");
        let values = texts(&[("성명", "김민준"), ("sign", PIXEL)]);
        let signed = app.approve_shown(&key, &values, None, &origin()).expect("signed");
        let next = signed.next_document.expect("the other document");
        let shown = app.open_signing(&key).expect("a used link");
        assert_eq!(shown.stage, Stage::Done);
        assert!(!format!("{shown:?}").contains(&key_of(&next.sign_url).token));
    });
}

#[test]
fn the_senders_view_ends_after_the_workflow() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.export = None;
        let key = SigningKey {
            token: world.start(request).token,
            ..SigningKey::default()
        };
        app.clock.advance(43 * 86_400);
        app.open_signing(&key).expect("14 days and 30 more");
        app.clock.advance(2 * 86_400);
        assert_eq!(met(app.open_signing(&key)).0, ConflictCode::LinkReplaced);
    });
}

#[test]
fn the_senders_view_is_closed_with_his_account() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        app.with_member(&world.company, "sender@example.com", Role::Sender);
        let sender = caller(app, "acme", "sender@example.com");
        let mut request = world.request();
        request.export = None;
        let Started::Workflow(started) = app.start(&sender, request, &origin()).expect("a start") else {
            panic!("no preview was asked for");
        };
        let key = SigningKey {
            token: started.token,
            ..SigningKey::default()
        };
        assert_eq!(app.open_signing(&key).expect("his view").stage, Stage::Watch);
        app.disable_member(&world.company, "sender@example.com")
            .expect("disabled");
        assert_eq!(met(app.open_signing(&key)).0, ConflictCode::LinkReplaced);
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
fn a_result_without_its_value_goes_away() {
    on_both(|app| {
        let mut fields = two_steps();
        fields["fields"][8]["required"] = json!(false);
        fields["fields"][9]["formula"] = json!("100 / pay");
        fields["on_reject"] = json!("return");
        fields["steps"] = json!([{"order": 1}, {"order": 2}, {"order": 3}]);
        for field in fields["fields"].as_array_mut().expect("fields") {
            field.as_object_mut().expect("a field").remove("role");
        }
        let world = World::new(app, &fields);
        let mut request = world.request();
        request.recipients.push(writer(3, "C", "c@example.com"));
        let id = id_of(&world.start(request));
        world.approve(id, act(fields_of_first())).expect("step 1");
        world.approve(id, act(vec![given("pay", "50")])).expect("step 2");
        let value = |id| {
            let seen = app.workflow(&world.caller, id).expect("the workflow");
            seen.field_list
                .into_iter()
                .find(|field| field.name == "double")
                .map(|field| field.value)
        };
        assert_eq!(value(id).as_deref(), Some("2"));
        world.reject(id, act(Vec::new())).expect("given back");
        world.approve(id, act(vec![given("pay", "0")])).expect("step 2 again");
        assert_eq!(value(id), None);
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
                app.import_template(&world.company, "test", &national)
                    .map(|made| made.id)
            ),
            [("steps[1].email".to_owned(), FaultCode::InvalidContact)]
        );
        let american = CompanyChange {
            region: Some(domain::Region::Us),
            ..CompanyChange::default()
        };
        app.change_company(&world.company, &american).expect("a change");
        import(app, &world.company, &fields);
    });
}
