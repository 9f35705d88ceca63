//! `POST /api/v3/workflows/start`: sends a document to its recipients.
//!
//! This file reads members and their types. The use case checks values against the company and template and adds to the
//! same list of faults, so that one 422 names them all.

use app::{
    Fault, FaultCode, GivenField, Idempotency, StartCopy, StartExport, StartFieldName, StartRecipient, StartRequest,
    Started, StartedWorkflow,
};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::{TemplateId, UtcOffset};
use sha2::{Digest, Sha256};

use crate::body::declared::{declare, is_set, unless_empty};
use crate::body::json::{JsonBody, Members};
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

declare! {
    /// A document to send.
    #[schema(as = StartRequest, example = json!({
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
    StartBody -> StartRequest {
        /// The document's name.
        #[schema(min_length = 1, max_length = 128)]
        workflow_name: String => workflow_name,
        /// The template's ID: an integer, or a string that contains one.
        #[schema(example = 1)]
        template_id: i64 => template_id = template,
        /// One recipient for each place of the template. You can omit a recipient named in the template.
        recipient_list: Vec<RecipientInput> => recipients,
        /// Initial values. Signers can change them unless the field is read-only.
        field_list: Option<Vec<FieldInput>> => fields,
        /// When the document expires: `YYYY-MM-DD HH:MM:SS` in `offset`. A date without a time means the end of that day,
        /// and `9999-12-31 23:59:59` means never. Default: the company's setting.
        #[schema(example = "2026-12-31 18:00:00")]
        expiry_date: Option<String> => expiry_date = unless_empty,
        /// The language of the document, its pages, mails and certificate: `ko`, `en` or `ja`, also as `ko-KR`.
        /// Default: the company's language.
        #[schema(example = "ko")]
        language: Option<String> => language = unless_empty,
        /// A message to the recipients.
        #[schema(max_length = 250)]
        comment: Option<String> => comment,
        /// The people who receive a copy of the finished document.
        cc_list: Option<Vec<CopyInput>> => cc,
        /// Webhooks and embedded mode.
        export_api_info: Option<ExportInput> => export,
        /// Where the signing page leads a signer who has signed: an https address on a host that the company allows
        /// (`company set --redirect-hosts`). The page shows the link and follows it after a few seconds.
        #[schema(max_length = 2048, example = "https://app.example.com/contracts/17")]
        redirect_url: Option<String> => redirect_url,
        /// Starts nothing; the answer is that of the call for previews.
        #[schema(ignore)]
        is_preview: Option<bool> => is_preview = is_set,
    }
}

declare! {
    /// A recipient.
    RecipientInput -> StartRecipient {
        /// The step, from 1.
        #[schema(minimum = 1)]
        order: u32 => order = order,
        /// The recipient's name.
        #[schema(min_length = 1, max_length = 100)]
        name: String => name,
        /// An e-mail address or a telephone number. Messages that we cannot send (no mail server, no text message
        /// gateway) stay on the outbox page, where the sender can copy the link. `sign_url` is returned only in
        /// embedded mode.
        #[schema(example = "minjun@example.com")]
        email: String => email,
        /// The recipient's role, if the step has several. Default: in list order.
        role: Option<String> => role,
        /// The recipient's language, if it differs from the document's.
        language: Option<String> => language = unless_empty,
        /// An additional telephone number.
        mobile: Option<String> => mobile,
        /// The company for which the recipient signs. A `writer` field with the detail `company` shows it; without it, such a
        /// field shows the sender's company if the recipient is the sender, and otherwise stays empty.
        #[schema(max_length = 128)]
        company: Option<String> => company,
        /// An access code that the recipient must enter first.
        #[schema(min_length = 4, max_length = 15)]
        password: Option<String> => password,
        /// A hint for the access code.
        #[schema(max_length = 50)]
        password_hint: Option<String> => password_hint,
        /// The recipient must enter a code that we send on request to this `email`, or by text message to `mobile`.
        /// Also applies in embedded mode. Requires a mail server or a text message gateway, because the outbox page
        /// does not show codes. If the template's step requires a code, you cannot turn it off.
        one_time_code: Option<bool> => one_time_code,
    }
}

declare! {
    /// A value for a field.
    FieldInput -> GivenField {
        /// The field's name in the template.
        name: String => name,
        /// The value: text; the digits of a number; `Y` or `N` for a check; base64 of a PNG or JPEG for an image.
        value: String => value = Members::value_text,
        /// The name of a file or picture, as webhooks, lists and the certificate show it. Default: made from the field's
        /// name. Other kinds of fields ignore it.
        #[schema(max_length = 120, example = "passport.jpg")]
        file_name: Option<String> => file_name,
    }
}

declare! {
    /// A person who receives a copy.
    CopyInput -> StartCopy {
        /// The name.
        name: Option<String> => name,
        /// An e-mail address or a telephone number.
        email: String => email,
    }
}

declare! {
    /// Webhooks and embedded mode.
    ExportInput -> StartExport {
        /// The endpoint for webhooks: https, at a public address, unless the installation's `webhook.` settings allow more.
        #[schema(example = "https://hooks.example.com/sign")]
        url: String => url,
        /// `ALL`: at every step. `StartAndEnd`: at the first and last steps. An early end is always reported.
        #[schema(pattern = "^(ALL|StartAndEnd)$", example = "ALL")]
        api_type: String => api_type,
        /// Embedded mode: we send recipients no messages. The response and the webhooks contain `sign_url`.
        is_embed: bool => is_embed,
        /// `viewer` (default): links to the finished files open pages. `download`: they open the PDFs.
        #[schema(pattern = "^(viewer|download)$", example = "viewer")]
        link_type: Option<String> => link_type,
        /// The `Authorization` header of each webhook.
        authorization: Option<String> => authorization,
        /// The API client whose `client_id` and secret the webhooks use. Default: the company's first client.
        client_id: Option<String> => client_id,
        /// Names that replace field names in webhooks.
        field_names: Option<Vec<FieldNameInput>> => field_names,
    }
}

declare! {
    /// A replacement for a field's name.
    FieldNameInput -> StartFieldName {
        /// The field's name in the template.
        field_name: String => field_name,
        /// The field's name in webhooks.
        new_name: String => new_name,
    }
}

/// Start a workflow.
///
/// Refuses anything that could fail after people have signed. With an `Idempotency-Key`, repeating the same body and
/// `offset` within 24 hours returns the response of the first call.
#[utoipa::path(
    post, path = "/api/v3/workflows/start", operation_id = "workflows_start", tag = "Workflows",
    params(
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of `expiry_date` and of every date of this workflow. Default: the company's time zone.", example = "+09:00"),
        ("Idempotency-Key" = Option<String>, Header, description = "A key of your choice, up to 255 characters."),
    ),
    request_body = StartBody,
    responses(
        (status = 200, description = "The document was started.", body = StartedWorkflow,
         example = json!({
             "workflow_id": 42, "workflow_name": "Employment contract 2026-001", "language": "ko-KR",
             "next_name": "김민준", "next_email": "minjun@example.com",
             "token": "AQAAAAAAAAAqAAAAAQ", "sign_url": "https://sign.example.com/mail/sign?token=AQAAAAAAAAAqAAAAAQ&lang=ko"
         })),
        (status = 400, description = "The body is not JSON.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The template is archived.", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large.", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body has an unsupported media type.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
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
    let mut request = body.request::<StartBody>(&mut faults)?;
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

/// Adds the ignored members to a preview. A start returns only the members that the API defines.
pub(super) fn telling(mut started: Started, ignored: Vec<String>) -> Started {
    if let Started::Preview { ignored_members, .. } = &mut started {
        *ignored_members = ignored;
    }
    started
}

/// Returns the key that makes a repeated request happen only once. Two requests are the same if their contents are the
/// same and their dates use the same offset, whether it is set by the query or by the company. The rest of the query
/// affects only the response.
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
    // An invalid offset is refused when dates are parsed.
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

pub(in crate::api) fn template(members: &Members<'_>, name: &str, faults: &mut Faults) -> Option<TemplateId> {
    members.integer_or_text(name, faults).map(TemplateId)
}

/// Reads a step number, which counts from 1.
pub(super) fn order(members: &Members<'_>, name: &str, faults: &mut Faults) -> Option<u32> {
    let value = members.integer_or_text(name, faults)?;
    let order = u32::try_from(value).ok().filter(|order| (1..=1000).contains(order));
    if order.is_none() {
        faults.add(
            Fault::new(members.path_of(name), FaultCode::OutOfRange)
                .with("min", 1)
                .with("max", 1000),
        );
    }
    order
}
