//! `POST /api/v3/workflows/send`: sends a PDF without a template.

use app::{OneOff, Started, StartedWorkflow};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderMap;

use super::start::{StartBody, idempotency, telling};
use crate::api::templates::form::{Given, LARGEST_FIELDS, acceptances, content, file, is_import};
use crate::body::declared::{Declared as _, declare};
use crate::body::form::Form;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::state::Http;

declare! {
    /// A PDF with its fields, and its recipients.
    SendForm of Form -> Given {
        /// The PDF.
        #[schema(value_type = String, format = Binary, content_media_type = "application/pdf")]
        file: Vec<u8> => file = file,
        /// FIELDS.json (name, steps, fields, `on_reject`), as a text or a file. Required unless you send `form_fields`.
        #[schema(content_media_type = "application/json")]
        fields: Option<String> => fields = content,
        /// `import`: the fields of the PDF's own form become fields of the document.
        #[schema(pattern = "^import$")]
        form_fields: Option<String> => is_import = is_import,
        /// With `form_fields`: the name of the result, if `fields` does not set one. Default: the file's name.
        #[schema(max_length = 128)]
        name: Option<String> => name,
        /// The password that opens the PDF, if it has one.
        password: Option<String> => wishes.password,
        /// Changes to the PDF that you accept to prevent a refusal, as words separated by commas: `rebuilt` (review the
        /// pages first with `is_preview`), `without_signatures`.
        #[schema(example = "without_signatures")]
        accept: Option<String> => wishes.accepts = acceptances,
        /// The start as JSON. The template comes from this form, so a `template_id` is ignored.
        #[schema(
            content_media_type = "application/json",
            example = "{\"workflow_name\": \"Offer 7\", \"recipient_list\": [{\"order\": 1, \"name\": \"김민준\", \"email\": \"minjun@example.com\"}]}"
        )]
        start: String,
    }
}

/// Send a PDF without a template.
///
/// Like a start, but for a document that is sent once. Nothing is added to the list of templates. With an
/// `Idempotency-Key`, repeating the same form and `offset` within 24 hours returns the response of the first call.
#[utoipa::path(
    post, path = "/api/v3/workflows/send", operation_id = "workflows_send", tag = "Workflows",
    params(
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of `expiry_date` and of every date of this workflow. Default: the company's time zone.", example = "+09:00"),
        ("Idempotency-Key" = Option<String>, Header, description = "A key of your choice, up to 255 characters."),
    ),
    request_body(content = SendForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The document was started.", body = StartedWorkflow),
        (status = 422, description = "The PDF, its fields or the rest of the request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn send(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    query: Query,
    headers: HeaderMap,
    request: Request,
) -> Result<Json<Started>, Failure> {
    let settings = &http.app().settings;
    let limit = settings.largest_document.saturating_add(LARGEST_FIELDS);
    let form = Form::read(request, limit).await?;
    let mut faults = Faults::default();
    let body = form.json("start")?;
    let mut start = body.read(&mut faults, |members, faults| {
        members.leave("template_id");
        StartBody::read(members, faults)
    })?;
    start.offset = query.text("offset", &mut faults);
    start.idempotency = idempotency(
        &headers,
        &query,
        caller.zone().offset(http.app().now()),
        form.fingerprint(),
        &mut faults,
    );
    start.faults = faults.into_inner();
    let given = Given::of::<SendForm>(&form, true)?;
    let sent = http.blocking(move |app| {
        let one_off = OneOff {
            pdf: given.pdf().unwrap_or_default(),
            fields: given.fields(),
            wishes: given.wishes.clone(),
            start,
        };
        app.send_once(&caller, one_off, &origin)
            .map_err(|error| given.told(error))
    });
    Ok(Json(telling(sent.await?, body.ignored())))
}
