//! `GET /mail/view`, `GET /mail/view/pages/{document}/{page}`, `GET /mail/view/texts/{document}/{page}`, `GET
//! /mail/file`: the finished document and its certificate, to view and download.
//!
//! Viewing changes nothing. A download is recorded in the audit trail.

use app::{App, ConflictCode, Error, LinkedFile, Origin, SigningKey, asks_for_code};
use axum::extract::State;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use domain::{FileKind, Language, PageSize};
use serde::Serialize;

use super::sign::key;
use super::sign::page::code_asked;
use super::sign::pictures::AskedPart;
use super::sign::view::pixels;
use crate::frame::download::{Download, Wanted};
use crate::frame::problem::Failure;
use crate::frame::route::{Authority, Route, route};
use crate::frame::security_headers;
use crate::frame::state::Http;
use crate::html::ending::Ending;
use crate::html::render::respond;
use crate::html::request::PageRequest;

pub fn routes() -> Vec<Route> {
    use Authority::LinkToken;
    vec![
        route(Method::GET, "/mail/view", LinkToken, page),
        route(Method::GET, "/mail/view/pages/{document}/{page}", LinkToken, picture),
        route(Method::GET, "/mail/view/texts/{document}/{page}", LinkToken, text),
        route(Method::GET, "/mail/file", LinkToken, file),
    ]
}

#[derive(Serialize)]
struct Shown {
    src: String,
    text: String,
    width_points: f64,
    height_points: f64,
    width: u32,
    height: u32,
    number: u32,
}

#[derive(Serialize)]
struct ViewerPage<'a> {
    kind: String,
    document: &'a str,
    completed: String,
    download: String,
    verify: String,
    pages: Vec<Shown>,
}

/// `GET /mail/view`
pub async fn page(State(http): State<Http>, request: PageRequest) -> Response {
    let key = key(&http, &request);
    let found = {
        let key = key.clone();
        http.blocking(move |app| app.shown_pages(&key)).await
    };
    match found {
        Ok((linked, sizes)) => shown(&request, &key.token, &linked, &sizes),
        Err(error) if asks_for_code(&error) => ask(&http, &request, key).await,
        Err(error) => failed(&http, &request, &error).await,
    }
}

/// A signer's own link shows nothing before the code has been entered.
async fn ask(http: &Http, request: &PageRequest, key: SigningKey) -> Response {
    let question = {
        let key = key.clone();
        http.blocking(move |app| app.code_question(&key)).await
    };
    match question {
        Ok(question) => code_asked(http, request, &key, &question),
        Err(error) => failed(http, request, &error).await,
    }
}

/// Returns the page for an error. Links of this kind expire.
async fn failed(http: &Http, request: &PageRequest, error: &Error) -> Response {
    let language = request.language();
    match error {
        Error::Conflict {
            code: ConflictCode::LinkReplaced,
            ..
        } => {
            let about = request.about_link(http, request.get("token").unwrap_or_default()).await;
            request.end(Ending::LinkExpired, language, &about)
        }
        other => request.fail(other, language),
    }
}

fn shown(request: &PageRequest, token: &str, linked: &LinkedFile, sizes: &[PageSize]) -> Response {
    let language: Language = request.language_or(linked.language);
    let base = &request.base;
    let key = match linked.kind {
        FileKind::Document => "view-title-document",
        FileKind::Certificate => "view-title-certificate",
    };
    let kind = i18n::text(language, key, &[]);
    let file = linked.hash.to_string();
    let pages = (1_u32..)
        .zip(sizes)
        .map(|(number, size)| Shown {
            src: format!("{base}/mail/view/pages/{file}/{number}?token={token}"),
            text: format!("{base}/mail/view/texts/{file}/{number}?token={token}"),
            width_points: size.width_points,
            height_points: size.height_points,
            width: pixels(size.width_points),
            height: pixels(size.height_points),
            number,
        })
        .collect();
    let content = ViewerPage {
        kind: kind.clone(),
        document: &linked.workflow_name,
        completed: i18n::date_time(language, linked.completed_at, linked.zone),
        download: request.link(language, "/mail/file", &[("token", token)]),
        verify: request.link(language, "/verify", &[]),
        pages,
    };
    let title = format!("{} · {kind}", linked.workflow_name);
    let frame = request.company_frame(language, title, &linked.look);
    respond(StatusCode::OK, "viewer.html", &frame, &content)
}

/// `GET /mail/view/pages/{document}/{page}`
pub async fn picture(State(http): State<Http>, asked: AskedPart) -> Result<Response, Failure> {
    asked.answer_by_key(&http, App::shown_page).await
}

/// `GET /mail/view/texts/{document}/{page}`
pub async fn text(State(http): State<Http>, asked: AskedPart) -> Result<Response, Failure> {
    asked.answer_by_key(&http, App::shown_text).await
}

/// `GET /mail/file`. Adds an entry to the audit trail, so prefetching browsers get a 503 until someone requests the
/// file.
pub async fn file(State(http): State<Http>, wanted: Wanted, request: PageRequest) -> Response {
    let key = key(&http, &request);
    let token = key.token.clone();
    let origin = Origin {
        address: Some(request.client.address.to_string()),
        user_agent: request.user_agent(),
    };
    if request.is_ahead() {
        return failed(&http, &request, &Error::busy(1)).await;
    }
    // A HEAD request downloads nothing.
    let looks = wanted.is_head;
    let found = http
        .blocking(move |app| {
            if looks {
                app.shown_file(&key)
            } else {
                app.linked_file(&key, &origin)
            }
        })
        .await;
    match found {
        Ok(linked) => wanted.answer(Download {
            media_type: HeaderValue::from_static("application/pdf"),
            disposition: Some(security_headers::attachment(&linked.file.file_name)),
            bytes: linked.file.bytes,
        }),
        // The page asks for the code. A download program must not get a page in place of a PDF.
        Err(error) if asks_for_code(&error) => request.redirect(&request.onward("/mail/view", &[("token", &token)])),
        Err(error) => failed(&http, &request, &error).await,
    }
}
