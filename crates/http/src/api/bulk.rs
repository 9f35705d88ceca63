//! `POST /api/v3/workflows/bulk` and the bulk sends it creates: many starts of one template at once.
//!
//! A JSON body is a start whose members apply to all rows, with the rows in `workflow_list`. A form contains a
//! spreadsheet and the same start.

use app::{
    App, BulkAnswer, BulkProgress, BulkRequest, BulkRows, BulkRowsRequest, Error, Fault, FaultCode, StartRequest,
};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use domain::{TemplateId, UtcOffset};

use super::path::BulkPath;
use super::workflows::start::{CopyInput, ExportInput, FieldInput, RecipientInput, idempotency, template};
use super::{READ, SEND};
use crate::body::declared::{Declared as _, declare, is_set, parameters, unless_empty};
use crate::body::form::{Form, boolean};
use crate::body::json::{JsonBody, Members};
use crate::frame::blocking::requester;
use crate::frame::caller::Authenticated;
use crate::frame::client_address::CameFrom;
use crate::frame::faults::Faults;
use crate::frame::problem::{Failure, Problem, language_of};
use crate::frame::query::Query;
use crate::frame::route::{Route, route};
use crate::frame::state::Http;

pub fn routes() -> Vec<Route> {
    vec![
        route(Method::POST, "/api/v3/workflows/bulk", SEND, bulk_start),
        route(Method::GET, "/api/v3/workflows/bulk/sheet", READ, bulk_sheet),
        route(Method::GET, "/api/v3/workflows/bulk/{id}", READ, get_bulk),
        route(Method::POST, "/api/v3/workflows/bulk/{id}/cancel", SEND, cancel_bulk),
    ]
}

declare! {
    /// Many documents to send.
    #[schema(example = json!({
        "template_id": 1,
        "dry_run": true,
        "recipient_list": [{"order": 1, "name": "김사장", "email": "employer@example.com"}],
        "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "StartAndEnd", "is_embed": false},
        "workflow_list": [
            {"workflow_name": "Employment contract 1", "recipient_list": [{"order": 2, "name": "이서연", "email": "seoyeon@example.com"}]},
            {"workflow_name": "Employment contract 2", "recipient_list": [{"order": 2, "name": "山田太郎", "email": "taro@example.com"}]}
        ]
    }))]
    BulkStartRequest -> BulkRequest {
        /// The template of all rows.
        template_id: i64 => common.template_id = template,
        /// Start nothing. The response lists the errors in each row, and names ignored members in `ignored_members`.
        dry_run: Option<bool> => dry_run = is_set,
        /// The rows. Each row is a start. Members that a row omits are copied from the members next to this list:
        /// signers of other steps, values of other fields, and all other members as a whole.
        workflow_list: Vec<BulkRowInput>,
        /// The name for all rows.
        workflow_name: Option<String> => common.workflow_name,
        /// The signers for steps that a row does not name.
        recipient_list: Option<Vec<RecipientInput>> => common.recipients,
        /// The values of fields that a row does not name.
        field_list: Option<Vec<FieldInput>> => common.fields,
        /// The expiry date for all rows.
        expiry_date: Option<String> => common.expiry_date = unless_empty,
        /// The language for all rows: `ko`, `en` or `ja`.
        language: Option<String> => common.language = unless_empty,
        /// A message to the signers, for all rows.
        comment: Option<String> => common.comment,
        /// The people who receive a copy of the finished document, for all rows.
        cc_list: Option<Vec<CopyInput>> => common.cc,
        /// Webhooks and embedded mode, for all rows.
        export_api_info: Option<ExportInput> => common.export,
        /// For all rows: where the signing page leads a signer who has signed.
        #[schema(max_length = 2048)]
        redirect_url: Option<String> => common.redirect_url,
    }
}

declare! {
    /// A row: its part of a start. Other members are copied from the members next to the list.
    BulkRowInput -> StartRequest {
        /// The template's ID. A row is refused if it names a different template from its request.
        #[schema(ignore)]
        template_id: i64 => template_id = template,
        /// The document's name.
        #[schema(min_length = 1, max_length = 128)]
        workflow_name: Option<String> => workflow_name,
        /// The signers.
        recipient_list: Option<Vec<RecipientInput>> => recipients,
        /// Values to fill in at the start.
        field_list: Option<Vec<FieldInput>> => fields,
        /// When the document expires.
        expiry_date: Option<String> => expiry_date = unless_empty,
        /// `ko`, `en` or `ja`.
        language: Option<String> => language = unless_empty,
        /// A message to the signers.
        #[schema(max_length = 250)]
        comment: Option<String> => comment,
        /// The people who receive a copy of the finished document.
        cc_list: Option<Vec<CopyInput>> => cc,
        /// Webhooks and embedded mode.
        export_api_info: Option<ExportInput> => export,
        /// Where the signing page leads a signer who has signed.
        #[schema(max_length = 2048)]
        redirect_url: Option<String> => redirect_url,
    }
}

declare! {
    /// A bulk send from a spreadsheet.
    BulkStartForm of Form -> (Option<bool>,) {
        /// A CSV file in UTF-8, or an XLSX workbook, of which we read the first sheet. The first row names the columns:
        /// `workflow_name`, `language`, `expiry_date`, `comment`, `1.name`, `1.email`, `1.mobile`, `1.language`,
        /// `1.company`, `1.password`, `1.password_hint`, `1.one_time_code` (`Y` or `N`; `1.clerk.name` if a step has several roles),
        /// `cc.name`, `cc.email`, and the names of fields (with `field:` before a name that means something else). `GET
        /// /api/v3/workflows/bulk/sheet` returns one to fill in.
        #[schema(value_type = String, format = Binary)]
        file: Vec<u8>,
        /// The members that apply to all rows, as the JSON of a start. It must contain `template_id`.
        #[schema(example = "{\"template_id\": 1}")]
        start: String,
        /// Start nothing. The response lists the errors in each row.
        dry_run: Option<bool> => 0,
    }
}

/// Start a bulk send.
///
/// With `dry_run`, nothing is started: the response lists every row that would be refused, with the reasons. Without it, we
/// store the rows, return their `bulk_id`, and start them one by one in the background. Rows with errors are reported there and
/// do not hold up the others. Errors in members that apply to all rows return 422 at once. With an `Idempotency-Key`, the
/// same body and `offset` are accepted only once in 24 hours.
#[utoipa::path(
    post, path = "/api/v3/workflows/bulk", operation_id = "bulk_start", tag = "Bulk send",
    params(
        ("offset" = Option<String>, Query, description = "UTC offset `+HH:MM` of `expiry_date` and of every date of these workflows. Default: the company's time zone.", example = "+09:00"),
        ("dry_run" = Option<bool>, Query, description = "Same as `dry_run` in the body."),
        ("Idempotency-Key" = Option<String>, Header, description = "A key of your choice, up to 255 characters."),
    ),
    request_body(content(
        (BulkStartRequest = "application/json"),
        (BulkStartForm = "multipart/form-data"),
    )),
    responses(
        (status = 200, description = "The result of the dry run, or the accepted bulk send.", body = BulkAnswer, examples(
            ("dry run" = (value = json!({
                "total": 5000, "valid": 4980, "wrong": 20,
                "row_list": [{"row": 17, "errors": [{"path": "1.email", "code": "invalid-contact", "message": "Enter a valid e-mail address or phone number."}]}]
            }))),
            ("accepted" = (value = json!({
                "bulk_id": 3, "template_id": 1, "status": "running", "total": 5000, "waiting": 5000, "started": 0, "failed": 0,
                "cancelled": 0, "created_date": "2026-12-01 10:00:00 (UTC+09:00)", "finished_date": ""
            }))),
        )),
        (status = 409, description = "The template is archived, or too many rows are already waiting.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The request as a whole is invalid. Errors in rows are returned as above.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn bulk_start(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    CameFrom(origin): CameFrom,
    query: Query,
    headers: HeaderMap,
    request: Request,
) -> Result<Json<BulkAnswer>, Failure> {
    let limit = http.app().settings.bulk.bytes;
    let language = language_of(&query, &headers, Some(caller.language()));
    let given = if Form::is_said_by(&headers) {
        Given::Form(Form::read(request, limit).await?)
    } else {
        let (head, body) = request.into_parts();
        let received = JsonBody::receive(&head, body, limit).await;
        Given::List(received.map_err(|error| match error {
            Error::Unsupported { expected: Some(_) } => Error::Unsupported {
                expected: Some("application/json or multipart/form-data"),
            },
            other => other,
        })?)
    };
    // A large sheet needs many times as much memory as its text.
    let turn = if given.length() > LARGE {
        Some(http.bulks().turn(&requester()).await?)
    } else {
        None
    };
    let answer = http.blocking(move |app| {
        let _turn = turn;
        let (bulk, ignored) = given.request(app, &headers, &query, caller.zone().offset(app.now()))?;
        let mut answer = app.bulk_start(&caller, bulk, &origin, language)?;
        if let BulkAnswer::Checked(checked) = &mut answer {
            checked.ignored_members = ignored;
        }
        Ok(answer)
    });
    Ok(Json(answer.await?))
}

/// Larger bodies wait for their turn.
const LARGE: usize = 1024 * 1024;

/// The received body.
enum Given {
    Form(Form),
    List(JsonBody),
}

impl Given {
    fn length(&self) -> usize {
        match self {
            Given::Form(form) => form.parts().iter().map(|part| part.bytes.len()).sum(),
            Given::List(body) => body.length(),
        }
    }

    /// Returns the request and the paths of its ignored members.
    fn request(
        self,
        app: &App,
        headers: &HeaderMap,
        query: &Query,
        usual: UtcOffset,
    ) -> Result<(BulkRequest, Vec<String>), Error> {
        let mut faults = Faults::default();
        let ignored;
        let mut bulk = match self {
            Given::Form(mut form) => {
                let start = form.json("start")?;
                let idempotency = idempotency(headers, query, usual, form.fingerprint(), &mut faults);
                let file = form.take_part("file");
                let file = file.ok_or_else(|| Error::fault("file", FaultCode::Required))?;
                // In a JSON body, `dry_run` can be next to `template_id`.
                let (said,) = BulkStartForm::read(&form, &mut faults);
                let bulk = start.request::<BulkStartRequest>(&mut faults)?;
                ignored = start.ignored();
                BulkRequest {
                    rows: BulkRows::Sheet(file.into()),
                    dry_run: bulk.dry_run || said == Some(true),
                    idempotency,
                    ..bulk
                }
            }
            Given::List(body) => {
                let bulk = body.read(&mut faults, |members, faults| BulkRequest {
                    rows: rows(members, app.settings.bulk.rows, faults),
                    idempotency: idempotency(headers, query, usual, body.fingerprint(), faults),
                    ..BulkStartRequest::read(members, faults)
                })?;
                ignored = body.ignored();
                bulk
            }
        };
        let asked = query.get("dry_run");
        bulk.dry_run |= asked.and_then(|said| boolean("dry_run", said, &mut faults)) == Some(true);
        bulk.common.offset = query.text("offset", &mut faults);
        bulk.common.faults = faults.into_inner();
        Ok((bulk, ignored))
    }
}

/// Reads the rows of a list, each with its own faults.
fn rows(members: &Members<'_>, most: u32, faults: &mut Faults) -> BulkRows {
    let items = members.objects_up_to("workflow_list", most as usize, faults);
    let mut rows = Vec::new();
    for item in items.unwrap_or_default() {
        let mut wrong = Faults::default();
        let mut row = BulkRowInput::read(&item.rooted(), &mut wrong);
        row.faults = wrong.into_inner();
        rows.push(row);
    }
    BulkRows::List(rows)
}

declare! {
    /// Selects rows of a bulk send.
    RowsQuery of Query -> BulkRowsRequest {
        /// `waiting`, `started`, `failed` or `cancelled`.
        status: Option<String> => status,
        /// `next_cursor` of the previous response.
        cursor: Option<String> => cursor,
        /// How many rows to return: 1 to 100. Default: 20.
        limit: Option<u32> => limit,
    }
}

/// Get a bulk send.
///
/// Includes one page of its rows, in order. `status=failed` lists the rows that could not be started, with the reasons.
/// A bulk send is kept for 30 days after its end.
#[utoipa::path(
    get, path = "/api/v3/workflows/bulk/{id}", operation_id = "bulk_get", tag = "Bulk send",
    params(
        ("id" = i64, Path, description = "The `bulk_id`."),
        RowsQuery,
    ),
    responses(
        (status = 200, description = "The progress of the bulk send, and the result of each row.", body = BulkProgress, example = json!({
            "bulk_id": 3, "template_id": 1, "status": "running", "total": 5000, "waiting": 4000, "started": 999, "failed": 1,
            "cancelled": 0, "created_date": "2026-12-01 10:00:00 (UTC+09:00)", "finished_date": "",
            "row_list": [
                {"row": 2, "status": "started", "workflow_id": 42},
                {"row": 17, "status": "failed", "errors": [{"path": "1.email", "code": "invalid-contact", "message": "Enter a valid e-mail address or phone number."}]}
            ]
        })),
        (status = 422, description = "The request is invalid. `errors` lists every invalid member.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn get_bulk(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    BulkPath(id): BulkPath,
    query: Query,
    headers: HeaderMap,
) -> Result<Json<BulkProgress>, Failure> {
    let language = language_of(&query, &headers, Some(caller.language()));
    let request = parameters::<RowsQuery>(&query);
    let answer = http.blocking(move |app| app.bulk(&caller, id, &request, language));
    Ok(Json(answer.await?))
}

/// Cancel a bulk send.
///
/// Rows that have not started yet will not start. Documents that have started continue. Cancel them individually.
#[utoipa::path(
    post, path = "/api/v3/workflows/bulk/{id}/cancel", operation_id = "bulk_cancel", tag = "Bulk send",
    params(("id" = i64, Path, description = "The `bulk_id`.")),
    responses(
        (status = 200, description = "The bulk send after the change.", body = BulkProgress),
        (status = 409, description = "The bulk send has ended. `state` says how.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn cancel_bulk(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    BulkPath(id): BulkPath,
) -> Result<Json<BulkProgress>, Failure> {
    Ok(Json(http.blocking(move |app| app.cancel_bulk(&caller, id)).await?))
}

/// Download a sheet to fill in.
///
/// A CSV file with the usual columns of a template and one sample row. It opens in spreadsheet programs; save it as CSV UTF-8
/// or as XLSX. You can add columns: `1.mobile`, `1.language`, `1.company`, `1.password`, `1.password_hint`, `1.one_time_code`, the same
/// for other steps, `cc.name` and `cc.email`.
#[utoipa::path(
    get, path = "/api/v3/workflows/bulk/sheet", operation_id = "bulk_get_sheet", tag = "Bulk send",
    params(("template_id" = i64, Query, description = "The template.")),
    responses(
        (status = 200, description = "The sheet.", body = String, content_type = "text/csv"),
        (status = 409, description = "The template is archived.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "There is no such template.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn bulk_sheet(
    State(http): State<Http>,
    Authenticated(caller): Authenticated,
    query: Query,
) -> Result<([(HeaderName, HeaderValue); 2], String), Failure> {
    let template = match query.get("template_id").map(|text| text.trim().parse()) {
        Some(Ok(id)) => Some(TemplateId(id)),
        Some(Err(_)) => {
            let fault = Fault::new("template_id", FaultCode::WrongType).with("expected", "integer");
            return Err(Error::Unprocessable(vec![fault]).into());
        }
        None => None,
    };
    let sheet = http.blocking(move |app| app.bulk_sheet(&caller, template)).await?;
    let head = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/csv; charset=utf-8"),
        ),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment; filename=\"bulk.csv\""),
        ),
    ];
    Ok((head, sheet))
}
