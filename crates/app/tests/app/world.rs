//! A company with templates, workflows and signers, for tests of the use cases.

use std::collections::BTreeMap;

use app::mail::OutgoingMail;
use app::{
    ActRequest, Actor, ConflictCode, Error, FaultCode, GivenField, ImportTemplate, Origin, Purpose, SigningKey,
    StartExport, StartRecipient, StartRequest, Started, StartedWorkflow,
};
use base64::Engine as _;
use domain::{CompanyId, TemplateId, WorkflowId};
use serde_json::{Value, json};
use testkit::operator::operator;

use crate::support::{PASSWORD, TestApp, attempt};
use crate::templates::pdf;

pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

pub mod sql {
    store::statements! {
        pub static WEBHOOKS = "SELECT event_id, body FROM outbox WHERE workflow_id = $1 AND kind = 'webhook' ORDER BY id";
        pub static TAMPER = "UPDATE audit_entry SET at = at + 1 WHERE workflow_id = $1 AND sequence = 2";
        pub static BREAK = "UPDATE workflow SET cc_list = '{}' WHERE id = $1";
        pub static MEND = "UPDATE workflow SET cc_list = '[]' WHERE id = $1";
        pub static MOVE_HEAD = "UPDATE workflow SET chain_sequence = chain_sequence + $2 WHERE id = $1";
        pub static LETTERS = "SELECT body FROM outbox WHERE workflow_id = $1 AND kind <> 'webhook' ORDER BY id";
    }
}

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

/// A template with two signers: name, date, check, choice and signature for the first, and a number, its sum and a seal
/// for the second.
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

/// A company with a template, and its owner as the caller.
pub struct World<'a> {
    pub app: &'a TestApp,
    pub company: CompanyId,
    pub caller: Actor,
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

    /// Builds a start of [`one_step_of_two`]: A and B together, then C.
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

    /// Returns names and values as programs see them.
    pub fn values(&self, id: WorkflowId) -> Vec<(String, String)> {
        let view = self.app.workflow(&self.caller, id).expect("the workflow");
        view.field_list
            .into_iter()
            .map(|field| (field.name, field.value))
            .collect()
    }

    /// Returns the sealed document and its certificate.
    pub fn sealed_files(&self, id: WorkflowId) -> (Vec<u8>, Vec<u8>) {
        let document = self.app.document(&self.caller, id, &origin()).expect("the document");
        let certificate = self
            .app
            .certificate(&self.caller, id, &origin())
            .expect("the certificate");
        (document.bytes, certificate.bytes)
    }

    #[allow(clippy::needless_pass_by_value)] // reads better where it is called
    /// Approves, by default at the current step.
    pub fn approve(&self, id: WorkflowId, request: ActRequest) -> Result<app::Advanced, Error> {
        self.app
            .approve(&self.caller, id, &self.at_its_step(id, request), &origin())
    }

    /// Declines, by default at the current step.
    pub fn reject(&self, id: WorkflowId, request: ActRequest) -> Result<app::Advanced, Error> {
        self.app
            .reject(&self.caller, id, &self.at_its_step(id, request), &origin())
    }

    pub fn at_its_step(&self, id: WorkflowId, request: ActRequest) -> ActRequest {
        let under_way = || self.app.workflow(&self.caller, id).ok().and_then(|shown| shown.order);
        let order = request.order.or_else(under_way).or(Some(1));
        ActRequest { order, ..request }
    }

    pub fn playing_key(&self, id: WorkflowId) -> SigningKey {
        key_of(&self.app.workflow(&self.caller, id).expect("the workflow").playing_url)
    }

    /// Returns the key from the link in the first mail.
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

    /// Returns all messages to people.
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

pub fn import(app: &TestApp, company: &CompanyId, fields: &Value) -> TemplateId {
    let fields = fields.to_string();
    let import = ImportTemplate {
        pdf: &pdf(),
        fields: fields.as_bytes(),
    };
    app.import_template(&operator(app, company), &import)
        .expect("a template")
        .id
}

pub fn caller(app: &TestApp, company: &str, email: &str) -> Actor {
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

pub fn embedded(api_type: &str) -> StartExport {
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
        file_name: None,
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

/// Returns the keys of all signers of the first step, if it has several.
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
