//! `POST /api/v3/link/start`, `GET /api/v3/link`: public links, which start a document for anyone who opens them.

use app::{NewPublicLink, PublicLinkList, PublicLinkView};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::ToSchema;

use super::path::PublicLinkPath;
use super::workflows::start::{CopyInput, ExportInput, FieldInput, RecipientInput, idempotency, template};
use super::{READ, SEND};
use crate::body::declared::{declare, is_set, parameters, unless_empty};
use crate::body::json::JsonBody;
use crate::frame::caller::Authenticated;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem};
use crate::frame::query::Query;
use crate::frame::route::{Route, route};
use crate::frame::state::Http;

pub fn routes() -> Vec<Route> {
    vec![
        route(Method::POST, "/api/v3/link/start", SEND, start_link),
        route(Method::GET, "/api/v3/link", READ, list_links),
        route(Method::GET, "/api/v3/link/{id}", READ, get_link),
        route(Method::POST, "/api/v3/link/{id}/close", SEND, close_link),
    ]
}

declare! {
    /// A new link: a start without its first recipient, with limits on the link's uses and lifetime.
    #[schema(example = json!({
        "workflow_name": "Membership of {name}, {date}",
        "template_id": 1,
        "recipient_list": [{"order": 2, "name": "이서연", "email": "seoyeon@example.com"}],
        "field_list": [{"name": "fee", "value": "30000"}],
        "limit": 100,
        "end_date": "2026-12-31 18:00:00",
        "duplicates": "once",
        "language": "ko"
    }))]
    LinkStartRequest -> NewPublicLink {
        /// The name of its documents. `{name}` is replaced by the visitor's name and `{date}` by the day. No other
        /// braces are allowed.
        #[schema(min_length = 1, max_length = 128)]
        workflow_name: String => start.workflow_name,
        /// The template's ID: an integer, or a string that contains one.
        template_id: i64 => start.template_id = template,
        /// The recipients, except the recipient at step 1, who is the visitor.
        recipient_list: Option<Vec<RecipientInput>> => start.recipients,
        /// Maximum number of uses, 1 to 1,000,000. Default: no limit.
        #[schema(minimum = 1, maximum = 1_000_000)]
        limit: Option<i64> => limit,
        /// When the link expires: `YYYY-MM-DD HH:MM:SS` in `offset`. A date alone means the end of that day. Default:
        /// never.
        end_date: Option<String> => end_date,
        /// `once` (default): each e-mail address or telephone number can use the link once. `many`: no limit per
        /// address.
        #[schema(pattern = "^(once|many)$")]
        duplicates: Option<String> => duplicates,
        /// Sends the visitor a message with the signing link instead of opening the signing page, which proves that the
        /// address is theirs. Not with `is_embed`.
        confirm: Option<bool> => confirm = is_set,
        /// The countries whose mobile numbers are accepted, as two-letter codes (ISO 3166-1). An empty list accepts
        /// none. Default: the company's country.
        #[schema(example = json!(["KR", "JP"]))]
        phone_countries: Option<Vec<String>> => phone_countries,
        /// Initial values. Signers can change them unless the field is read-only.
        field_list: Option<Vec<FieldInput>> => start.fields,
        /// When each document expires. Default: the company's setting, counted from its start.
        expiry_date: Option<String> => start.expiry_date = unless_empty,
        /// `ko`, `en` or `ja`. Default: the company's language. Visitors can choose another language for their page.
        language: Option<String> => start.language = unless_empty,
        /// A message to the recipients.
        #[schema(max_length = 250)]
        comment: Option<String> => start.comment,
        /// The people who receive a copy of each finished document.
        cc_list: Option<Vec<CopyInput>> => start.cc,
        /// Webhooks and embedded mode.
        export_api_info: Option<ExportInput> => start.export,
        /// Where the signing page leads a signer who has signed: an https address on a host that the company allows
        /// (`company set --redirect-hosts`). The page shows the link and follows it after a few seconds.
        #[schema(max_length = 2048, example = "https://app.example.com/contracts/17")]
        redirect_url: Option<String> => start.redirect_url,
    }
}

/// A new link.
#[derive(Debug, Serialize, ToSchema)]
pub struct LinkStarted {
    /// The link.
    #[serde(flatten)]
    pub link: PublicLinkView,
    /// Paths of ignored members of the request, such as a misspelt `limt`, at most 100. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["limt", "recipient_list[0].nmae"]))]
    pub ignored_members: Vec<String>,
}

/// Create a public link.
///
/// Anyone who opens the link enters a name and an e-mail address or phone number, consents to sharing both, and
/// continues to the signing page as the first signer of a new document. If its documents could not be sent, the link is
/// refused. With an `Idempotency-Key`, repeating the same request within 24 hours returns the response of the first
/// call.
#[utoipa::path(
    post, path = "/api/v3/link/start", operation_id = "links_create", tag = "Public links",
    params(
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of the dates in this request and of every date of its documents. Default: the company's time zone.", example = "+09:00"),
        ("Idempotency-Key" = Option<String>, Header, description = "A key of your choice, up to 255 characters."),
    ),
    request_body = LinkStartRequest,
    responses(
        (status = 200, description = "The link.", body = LinkStarted, example = json!({
            "link_id": 5, "link_url": "https://sign.example.com/link?token=TAAAAAAAAAAFAAAAAQ&lang=ko", "status": "open", "template_id": 1,
            "workflow_name": "Membership of {name}, {date}", "language": "ko-KR", "limit": 100, "used": 0,
            "end_date": "2026-12-31 18:00:00 (UTC+09:00)", "duplicates": "once", "is_embed": false,
            "created_date": "2026-12-01 10:00:00 (UTC+09:00)", "closed_date": ""
        })),
        (status = 409, description = "The template is archived.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn start_link(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Json<LinkStarted>, Failure> {
    let mut faults = Faults::default();
    let mut new = body.request::<LinkStartRequest>(&mut faults)?;
    new.start.idempotency = idempotency(
        &headers,
        &query,
        caller.zone().offset(http.app().now()),
        body.fingerprint(),
        &mut faults,
    );
    new.start.offset = query.text("offset", &mut faults);
    new.start.faults = faults.into_inner();
    let link = http.blocking(move |app| app.new_public_link(&caller, new)).await?;
    let ignored_members = body.ignored();
    Ok(Json(LinkStarted { link, ignored_members }))
}

declare! {
    /// Selects public links.
    ListQuery of Query -> (Option<String>, Option<String>) {
        /// `next_cursor` of the previous response.
        cursor: Option<String> => 0,
        /// How many links to return: 1 to 100. Default: 20.
        limit: Option<u32> => 1,
    }
}

/// List public links.
///
/// Newest first. To get more, pass `next_cursor` as `cursor`. Members who can only read do not see `link_url`.
#[utoipa::path(
    get, path = "/api/v3/link", operation_id = "links_list", tag = "Public links",
    params(ListQuery),
    responses(
        (status = 200, description = "The links, newest first.", body = PublicLinkList),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn list_links(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<Json<PublicLinkList>, Failure> {
    let (cursor, limit) = parameters::<ListQuery>(&query);
    let list = http.blocking(move |app| app.public_links(&caller, cursor.as_ref(), limit.as_ref()));
    Ok(Json(list.await?))
}

/// Get a public link.
#[utoipa::path(
    get, path = "/api/v3/link/{id}", operation_id = "links_get", tag = "Public links",
    params(("id" = i64, Path, description = "The `link_id`.")),
    responses((status = 200, description = "The link.", body = PublicLinkView)),
    security(("access_token" = [])),
)]
pub async fn get_link(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    PublicLinkPath(id): PublicLinkPath,
) -> Result<Json<PublicLinkView>, Failure> {
    Ok(Json(http.blocking(move |app| app.public_link(&caller, id)).await?))
}

/// Close a public link.
///
/// A closed link cannot be reopened. Documents that it started continue.
#[utoipa::path(
    post, path = "/api/v3/link/{id}/close", operation_id = "links_close", tag = "Public links",
    params(("id" = i64, Path, description = "The `link_id`.")),
    responses(
        (status = 200, description = "The link after the change.", body = PublicLinkView),
        (status = 409, description = "The link is already closed.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn close_link(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    PublicLinkPath(id): PublicLinkPath,
) -> Result<Json<PublicLinkView>, Failure> {
    Ok(Json(
        http.blocking(move |app| app.close_public_link(&caller, id)).await?,
    ))
}
