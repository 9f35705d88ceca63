//! `POST /api/v3/workflows/start`: sends a document to its recipients.
//!
//! This file reads members and their types. The use-case checks values against company and template, and adds to the
//! same list of faults, so that one 422 names them all.

use app::{Fault, FaultCode, GivenField, Idempotency, StartCopy, StartExport, StartFieldName, StartRecipient, Started};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::{TemplateId, UtcOffset};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::body::json::{JsonBody, Members};
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// A document to send.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(example = json!({
    "workflow_name": "Employment contract 2026-001",
    "template_id": 1,
    "recipient_list": [
        {"order": 1, "name": "김민준", "email": "minjun@example.com"},
        {"order": 2, "name": "이서연", "email": "seoyeon@example.com"}
    ],
    "field_list": [{"name": "salary", "value": "3,000,000"}],
    "expiry_date": "2026-12-31 18:00:00",
    "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": true, "link_type": "download"}
}))]
pub struct StartRequest {
    /// The document's name.
    #[schema(min_length = 1, max_length = 128)]
    pub workflow_name: String,
    /// The template's ID: an integer, or a string that contains one.
    #[schema(example = 1)]
    pub template_id: i64,
    /// One recipient for each place of the template. You can omit one that the template names itself.
    pub recipient_list: Vec<RecipientInput>,
    /// Initial values. Signers can change them unless the field is read-only.
    pub field_list: Option<Vec<FieldInput>>,
    /// When the document expires: `YYYY-MM-DD HH:MM:SS` in `offset`. A date without a time means the end of that day,
    /// and `9999-12-31 23:59:59` means never. Default: the company's setting.
    #[schema(example = "2026-12-31 18:00:00")]
    pub expiry_date: Option<String>,
    /// Of the document, its pages, mails and certificate: `ko`, `en` or `ja`, also as `ko-KR`. Default: the company's
    /// language.
    #[schema(example = "ko")]
    pub language: Option<String>,
    /// A message to the recipients.
    #[schema(max_length = 250)]
    pub comment: Option<String>,
    /// The people who get a copy of the finished document.
    pub cc_list: Option<Vec<CopyInput>>,
    /// Webhooks and embedded mode.
    pub export_api_info: Option<ExportInput>,
    /// Start nothing; return `preview_url` and, in `ignored_members`, what we did not understand of this body.
    pub is_preview: Option<bool>,
}

/// A recipient.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RecipientInput {
    /// The step, from 1.
    #[schema(minimum = 1)]
    pub order: u32,
    /// The recipient's name.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// An e-mail address or a telephone number. What we cannot send (no mail server, no text message gateway) stays on
    /// the outbox page, where the sender can copy its link. `sign_url` is returned only in embedded mode.
    #[schema(example = "minjun@example.com")]
    pub email: String,
    /// Which of the step's roles, if it has several. Default: in list order.
    pub role: Option<String>,
    /// The recipient's language, if it differs from the document's.
    pub language: Option<String>,
    /// An additional telephone number.
    pub mobile: Option<String>,
    /// An access code that the recipient must enter first.
    #[schema(min_length = 4, max_length = 15)]
    pub password: Option<String>,
    /// A hint for the access code.
    #[schema(max_length = 50)]
    pub password_hint: Option<String>,
    /// The recipient must enter a code that we send when they ask for it, to this `email` or by text message to
    /// `mobile`; also in embedded mode. Requires a mail server or a text message gateway, because the outbox page does
    /// not show codes. If the template's step requires a code, you cannot turn it off.
    pub one_time_code: Option<bool>,
}

/// A value for a field.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FieldInput {
    /// The field's name in the template.
    pub name: String,
    /// The value: text; the digits of a number; `Y` or `N` for a check; base64 of a PNG or JPEG for a picture.
    pub value: String,
}

/// Someone who gets a copy.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CopyInput {
    /// The name.
    pub name: Option<String>,
    /// An e-mail address or a telephone number.
    pub email: String,
}

/// Webhooks and embedded mode.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ExportInput {
    /// The endpoint for webhooks: https, at a public address, unless the installation's `webhook.` settings allow more.
    #[schema(example = "https://hooks.example.com/sign")]
    pub url: String,
    /// `ALL`: at every step. `StartAndEnd`: at the first and the last. An early end is always reported.
    #[schema(pattern = "^(ALL|StartAndEnd)$", example = "ALL")]
    pub api_type: String,
    /// Embedded: we send recipients no messages; the response and the webhooks contain `sign_url`.
    pub is_embed: bool,
    /// `viewer` (default): addresses of the finished files lead to pages. `download`: they lead to the PDFs.
    #[schema(pattern = "^(viewer|download)$", example = "viewer")]
    pub link_type: Option<String>,
    /// The `Authorization` header of each webhook.
    pub authorization: Option<String>,
    /// The API client whose `client_id` and secret the webhooks use. Default: the company's first.
    pub client_id: Option<String>,
    /// Other names for fields in webhooks.
    pub field_names: Option<Vec<FieldNameInput>>,
}

/// Another name for a field.
#[derive(Debug, Deserialize, ToSchema)]
pub struct FieldNameInput {
    /// The field's name in the template.
    pub field_name: String,
    /// The field's name in webhooks.
    pub new_name: String,
}

/// Start a workflow.
///
/// Anything that could fail after people have signed is refused here. With an `Idempotency-Key`, repeating the same body and
/// `offset` within 24 hours returns the response of the first call.
#[utoipa::path(
    post, path = "/api/v3/workflows/start", tag = "Workflows",
    params(
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of `expiry_date` and of every date of this workflow. Default: the company's time zone.", example = "+09:00"),
        ("Idempotency-Key" = Option<String>, Header, description = "A key of your choice, up to 255 characters."),
    ),
    request_body = StartRequest,
    responses(
        (status = 200, description = "The document was started, or its preview was created.", body = Started,
         example = json!({
             "workflow_id": 42, "workflow_name": "Employment contract 2026-001", "language": "ko-KR",
             "next_name": "김민준", "next_email": "minjun@example.com",
             "token": "AQAAAAAAAAAqAAAAAQ", "sign_url": "https://sign.example.com/mail/sign?token=AQAAAAAAAAAqAAAAAQ&lang=ko"
         })),
        (status = 400, description = "The body is not JSON.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The template is archived.", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large.", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is of another media type.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request breaks a rule; `errors` names every wrong member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn start(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    query: Query,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Json<Started>, Failure> {
    let mut faults = Faults::default();
    let mut request = body.read(&mut faults, read_one)?;
    request.offset = query.text("offset", &mut faults);
    request.idempotency = idempotency(
        &headers,
        &query,
        caller.zone().offset(http.app().now()),
        body.fingerprint(),
        &mut faults,
    );
    request.faults = faults.into_inner();
    let started = http.blocking(move |app| app.start(&caller, request, &origin)).await?;
    Ok(Json(telling(started, body.ignored())))
}

/// A preview also names what was ignored; a start returns only what the interface defines.
pub(super) fn telling(mut started: Started, ignored: Vec<String>) -> Started {
    if let Started::Preview { ignored_members, .. } = &mut started {
        *ignored_members = ignored;
    }
    started
}

/// The members of a start of one document, or of its preview.
pub(super) fn read_one(root: &Members<'_>, faults: &mut Faults) -> app::StartRequest {
    let is_preview = root.boolean("is_preview", faults).unwrap_or(false);
    let request = read(root, faults);
    app::StartRequest { is_preview, ..request }
}

/// The same for a start that brings its template.
pub(super) fn read_one_off(root: &Members<'_>, faults: &mut Faults) -> app::StartRequest {
    let is_preview = root.boolean("is_preview", faults).unwrap_or(false);
    let request = read_content(root, faults);
    app::StartRequest { is_preview, ..request }
}

/// The key that makes a repeated request happen only once. A request is the same if its content is the same and its
/// dates are read and written in the same offset, whether the query sets it or the company. The rest of the query
/// concerns only the answer.
pub(in crate::api) fn idempotency(
    headers: &HeaderMap,
    query: &Query,
    usual: UtcOffset,
    content: [u8; 32],
    faults: &mut Faults,
) -> Option<Idempotency> {
    let value = headers.get(IDEMPOTENCY_KEY)?;
    let Ok(key) = value.to_str() else {
        faults.add(Fault::new(IDEMPOTENCY_KEY, FaultCode::ControlCharacter));
        return None;
    };
    let usual = usual.to_string();
    // An offset that is none is refused where dates are read.
    let said = query
        .get("offset")
        .map(|offset| UtcOffset::parse(offset).map_or_else(|| offset.to_owned(), |offset| offset.to_string()));
    let request_hash = match said.filter(|offset| *offset != usual) {
        None => content,
        Some(offset) => Sha256::new()
            .chain_update(content)
            .chain_update(offset)
            .finalize()
            .into(),
    };
    Some(Idempotency {
        key: key.to_owned(),
        request_hash,
    })
}

/// The members of every kind of start, with faults about their types.
pub(in crate::api) fn read(root: &Members<'_>, faults: &mut Faults) -> app::StartRequest {
    app::StartRequest {
        template_id: root.integer_or_text("template_id", faults).map(TemplateId),
        ..read_content(root, faults)
    }
}

fn read_content(root: &Members<'_>, faults: &mut Faults) -> app::StartRequest {
    app::StartRequest {
        workflow_name: root.text("workflow_name", faults),
        recipients: list(root, "recipient_list", faults, recipient),
        fields: given_fields(root, faults),
        expiry_date: unless_empty(root.text("expiry_date", faults)),
        language: unless_empty(root.text("language", faults)),
        comment: root.text("comment", faults),
        cc: list(root, "cc_list", faults, |copy, faults| StartCopy {
            name: copy.text("name", faults),
            email: copy.text("email", faults),
        }),
        export: root
            .object("export_api_info", faults)
            .map(|given| export(&given, faults)),
        ..app::StartRequest::default()
    }
}

/// `field_list`, of a start and of an approval on behalf of a signer.
pub(super) fn given_fields(root: &Members<'_>, faults: &mut Faults) -> Vec<GivenField> {
    list(root, "field_list", faults, |field, faults| GivenField {
        name: field.text("name", faults),
        value: field.value_text("value", faults),
    })
}

fn list<T>(
    root: &Members<'_>,
    name: &str,
    faults: &mut Faults,
    read: impl Fn(&Members<'_>, &mut Faults) -> T,
) -> Vec<T> {
    let items = root.objects(name, faults).unwrap_or_default();
    items.iter().map(|item| read(item, faults)).collect()
}

fn recipient(given: &Members<'_>, faults: &mut Faults) -> StartRecipient {
    StartRecipient {
        order: order(given, faults),
        role: given.text("role", faults),
        name: given.text("name", faults),
        email: given.text("email", faults),
        language: unless_empty(given.text("language", faults)),
        mobile: given.text("mobile", faults),
        password: given.text("password", faults),
        password_hint: given.text("password_hint", faults),
        one_time_code: given.boolean("one_time_code", faults),
    }
}

/// Programs that fill in every member send an empty text if they have nothing to say.
fn unless_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// `order`: steps count from 1.
pub(super) fn order(given: &Members<'_>, faults: &mut Faults) -> Option<u32> {
    let value = given.integer_or_text("order", faults)?;
    let order = u32::try_from(value).ok().filter(|order| (1..=1000).contains(order));
    if order.is_none() {
        faults.add(
            Fault::new(given.path_of("order"), FaultCode::OutOfRange)
                .with("min", 1)
                .with("max", 1000),
        );
    }
    order
}

fn export(given: &Members<'_>, faults: &mut Faults) -> StartExport {
    StartExport {
        url: given.text("url", faults),
        api_type: given.text("api_type", faults),
        is_embed: given.boolean("is_embed", faults),
        link_type: given.text("link_type", faults),
        authorization: given.text("authorization", faults),
        client_id: given.text("client_id", faults),
        field_names: list(given, "field_names", faults, |name, faults| StartFieldName {
            field_name: name.text("field_name", faults),
            new_name: name.text("new_name", faults),
        }),
    }
}
