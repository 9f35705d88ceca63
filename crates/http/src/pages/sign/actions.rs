//! What the signing page sends while it is filled in: seen, access code, one-time code, consent, drafts, files,
//! approve, reject.
//!
//! Answers are JSON, and refusals the API's problem details, in the page's language. The access code
//! and the one-time code alone are forms, so that they work before any script runs.

use std::collections::BTreeMap;

use app::{ConflictCode, Error, Fault, FaultCode, Origin, Signed, SigningKey, SigningView, Stage};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::Language;
use serde::Serialize;

use super::drawings::drawing;
use super::page::{OneTimeFault, asked_for, code_page, one_time_code_page, with_choices};
use super::view::Look;
use super::{Proof, key, proof_cookie};
use crate::bodies::LinkJson;
use crate::json_body::{Faults, JsonBody};
use crate::pages::ending::{About, Ending};
use crate::pages::language::led_on;
use crate::pages::request::{PageForm, PageRequest};
use crate::problem::Failure;
use crate::router::Http;

/// Texts and a comment.
const TEXTS_LIMIT: u64 = 1024 * 1024;
/// The largest attachment as base64, and some.
const FILE_LIMIT: u64 = 15 * 1024 * 1024;
/// A writer's session of filling in; the proofs of codes end with it.
const PROOF_SECONDS: i64 = 12 * 60 * 60;

/// From where a request comes.
pub(super) fn origin(request: &PageRequest) -> Origin {
    Origin {
        address: Some(request.client.address.to_string()),
        user_agent: request.user_agent(),
    }
}

fn done() -> Response {
    (
        StatusCode::NO_CONTENT,
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
    )
        .into_response()
}

/// `POST /sign/viewed`. A page that a browser prepares runs its script before anybody sees it: it says so again later.
pub async fn viewed(State(http): State<Http>, request: PageRequest) -> Result<Response, Failure> {
    if request.is_ahead() {
        return Err(Failure::App(Error::busy(1)));
    }
    let (key, origin) = (key(&http, &request), origin(&request));
    http.blocking(move |app| app.record_viewed(&key, &origin)).await?;
    Ok(done())
}

/// `POST /sign/access-code`
pub async fn access_code(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let key = key(&http, &request);
    let code = request.get("code").unwrap_or_default().to_owned();
    let origin = origin(&request);
    let given = {
        let key = key.clone();
        http.blocking(move |app| match app.give_access_code(&key, &code, &origin) {
            Ok(proof) => Ok(Ok(proof)),
            Err(error) => Ok(Err((error, app.open_signing(&key)?))),
        })
        .await
    };
    match given {
        Ok(Ok(proof)) => go_on(&http, &request, &key, Some((Proof::Access, &proof))),
        Ok(Err((Error::Unprocessable(faults), view))) => {
            let hint = match &view.stage {
                Stage::AccessCode { hint, .. } => hint.clone(),
                _ => None,
            };
            let language = request.language_or(view.language);
            code_page(
                &request,
                &key,
                &view,
                language,
                hint.as_deref(),
                Some(tries_left(&faults)),
            )
        }
        Ok(Err((error, view))) => no_code(&request, &error, &view),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// `POST /sign/one-time-code/send`
pub async fn send_one_time_code(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let key = key(&http, &request);
    let origin = origin(&request);
    let sent = {
        let key = key.clone();
        http.blocking(move |app| match app.send_one_time_code(&key, &origin) {
            Ok(()) => Ok(Ok(())),
            Err(error) => Ok(Err((error, app.open_signing(&key)?))),
        })
        .await
    };
    match sent {
        Ok(Ok(())) => go_on(&http, &request, &key, None),
        Ok(Err((Error::Throttled { retry_after }, view))) => {
            one_time_code_page(&request, &key, &view, Some(OneTimeFault::Wait(retry_after)))
        }
        Ok(Err((error, view))) => no_code(&request, &error, &view),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// `POST /sign/one-time-code`
pub async fn one_time_code(State(http): State<Http>, PageForm(request): PageForm) -> Response {
    let key = key(&http, &request);
    let code = request.get("code").unwrap_or_default().to_owned();
    let origin = origin(&request);
    let given = {
        let key = key.clone();
        http.blocking(move |app| match app.give_one_time_code(&key, &code, &origin) {
            Ok(proof) => Ok(Ok(proof)),
            Err(error) => Ok(Err((error, app.open_signing(&key)?))),
        })
        .await
    };
    match given {
        Ok(Ok(proof)) => go_on(&http, &request, &key, Some((Proof::OneTime, &proof))),
        Ok(Err((Error::Unprocessable(faults), view))) => {
            let is_wrong = faults.iter().any(|fault| fault.code == FaultCode::WrongOneTimeCode);
            let fault = if is_wrong {
                OneTimeFault::Wrong(tries_left(&faults))
            } else {
                OneTimeFault::Expired
            };
            one_time_code_page(&request, &key, &view, Some(fault))
        }
        Ok(Err((error, view))) => no_code(&request, &error, &view),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// Back to the signing page, with the proof of a code.
fn go_on(http: &Http, request: &PageRequest, key: &SigningKey, proven: Option<(Proof, &str)>) -> Response {
    let mut response = request.redirect(&request.onward("/mail/sign", &asked_for(request, key)));
    let cookie = proven.and_then(|(proof, value)| {
        let name = proof_cookie(http, &key.token, proof)?;
        request.set_cookie(&name, value, Some(PROOF_SECONDS))
    });
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Why no code was taken, or sent, where another try is of no use.
fn no_code(request: &PageRequest, error: &Error, view: &SigningView) -> Response {
    let language = request.language_or(view.language);
    if !matches!(
        error,
        Error::Conflict {
            code: ConflictCode::Locked,
            ..
        }
    ) {
        return request.fail(error, language);
    }
    let about = About {
        document: Some(view.workflow_name.clone()),
        look: Some(view.look.clone()),
        ..About::default()
    };
    request.end(Ending::Locked, language, &about)
}

fn tries_left(faults: &[Fault]) -> u32 {
    faults
        .iter()
        .flat_map(|fault| &fault.arguments)
        .find_map(|(name, value)| (*name == "left").then(|| value.parse().ok())?)
        .unwrap_or_default()
}

/// `POST /sign/consent`
pub async fn consent(State(http): State<Http>, request: PageRequest, headers: HeaderMap) -> Result<Response, Failure> {
    let (key, origin) = (key(&http, &request), origin(&request));
    let statement = app::consent::statement(page_language(&headers));
    http.blocking(move |app| app.give_consent(&key, &statement, &origin))
        .await?;
    Ok(done())
}

/// The browser code says in which language its page is.
pub(super) fn page_language(headers: &HeaderMap) -> Language {
    headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .and_then(Language::negotiate)
        .unwrap_or_default()
}

/// The list `values` of a body: name and value of each field.
fn values(body: &JsonBody) -> Result<BTreeMap<String, String>, Error> {
    let mut faults = Faults::default();
    let mut found = BTreeMap::new();
    for member in body.members()?.objects("values", &mut faults).unwrap_or_default() {
        let name = member.required_text("name", &mut faults);
        let value = member.value_text("value", &mut faults);
        if let (Some(name), Some(value)) = (name, value) {
            found.insert(name, value);
        }
    }
    faults.check()?;
    Ok(found)
}

/// How the saved values look.
#[derive(Debug, Serialize)]
struct Saved {
    fields: Vec<Look>,
}

/// `PUT /sign/drafts`
pub async fn drafts(
    State(http): State<Http>,
    request: PageRequest,
    headers: HeaderMap,
    LinkJson(body): LinkJson<TEXTS_LIMIT>,
) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let values = values(&body)?;
    let language = page_language(&headers);
    let looks = http.blocking(move |app| app.save_draft(&key, &values)).await?;
    let fields = looks.iter().map(|look| Look::of(look, language)).collect();
    let mut response = Json(Saved { fields }).into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// `POST /sign/files`
pub async fn files(
    State(http): State<Http>,
    request: PageRequest,
    LinkJson(body): LinkJson<FILE_LIMIT>,
) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let mut faults = Faults::default();
    let members = body.members()?;
    let name = members.required_text("name", &mut faults).unwrap_or_default();
    let data = members.text("data", &mut faults).unwrap_or_default();
    let file_name = members.text("file_name", &mut faults);
    let drawn = members.object("drawing", &mut faults);
    faults.check()?;
    if let Some(drawn) = drawn {
        let drawing = drawing(&drawn)?;
        http.blocking(move |app| app.take_drawing(&key, &name, drawing)).await?;
        return Ok(done());
    }
    if data.is_empty() {
        let removed = BTreeMap::from([(name, String::new())]);
        http.blocking(move |app| app.save_draft(&key, &removed)).await?;
        return Ok(done());
    }
    let encoded = data.split_once(',').map_or(data.as_str(), |(_, encoded)| encoded);
    let bytes = BASE64_STANDARD
        .decode(encoded)
        .map_err(|_| Error::Unprocessable(vec![Fault::new(name.clone(), FaultCode::InvalidFile)]))?;
    let uploaded = http
        .blocking(move |app| app.upload_file(&key, &name, file_name.as_deref(), bytes))
        .await?;
    Ok(Json(uploaded).into_response())
}

/// What became of the document.
#[derive(Debug, Serialize)]
struct Finished {
    status: &'static str,
    /// Others of the same step have not approved yet.
    others_of_step: bool,
    next_url: Option<String>,
    document_url: Option<String>,
    copy_is_sent: bool,
}

fn finished(request: &PageRequest, signed: Signed) -> Response {
    let next_url = signed.next_document.map(|next| with_choices(request, &next.sign_url));
    let mut response = Json(Finished {
        status: signed.status.code(),
        others_of_step: signed.others_of_step,
        next_url,
        document_url: signed.document_url.map(|address| led_on(&address, request.language())),
        copy_is_sent: signed.copy_is_sent,
    })
    .into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `POST /sign/approve`
pub async fn approve(
    State(http): State<Http>,
    request: PageRequest,
    LinkJson(body): LinkJson<TEXTS_LIMIT>,
) -> Result<Response, Failure> {
    let (key, origin) = (key(&http, &request), origin(&request));
    let given = values(&body)?;
    let comment = comment(&body)?;
    let signed = http
        .blocking(move |app| app.approve_by_link(&key, &given, comment.as_deref(), &origin))
        .await?;
    Ok(finished(&request, signed))
}

/// `POST /sign/reject`
pub async fn reject(
    State(http): State<Http>,
    request: PageRequest,
    LinkJson(body): LinkJson<TEXTS_LIMIT>,
) -> Result<Response, Failure> {
    let (key, origin) = (key(&http, &request), origin(&request));
    let Some(reason) = comment(&body)?.filter(|reason| domain::text::is_visible(reason)) else {
        return Err(Error::Unprocessable(vec![Fault::new("comment", FaultCode::Required)]).into());
    };
    let signed = http
        .blocking(move |app| app.reject_by_link(&key, Some(&reason), &origin))
        .await?;
    Ok(finished(&request, signed))
}

/// `POST /sign/hand-over`
pub async fn hand_over(
    State(http): State<Http>,
    request: PageRequest,
    LinkJson(body): LinkJson<TEXTS_LIMIT>,
) -> Result<Response, Failure> {
    let (key, origin) = (key(&http, &request), origin(&request));
    let mut faults = Faults::default();
    let members = body.members()?;
    let name = members.text("name", &mut faults).unwrap_or_default();
    let email = members.text("email", &mut faults).unwrap_or_default();
    faults.check()?;
    http.blocking(move |app| app.hand_over_by_link(&key, &name, &email, &origin))
        .await?;
    Ok(done())
}

fn comment(body: &JsonBody) -> Result<Option<String>, Error> {
    let mut faults = Faults::default();
    let comment = body.members()?.text("comment", &mut faults);
    faults.check()?;
    Ok(comment)
}
