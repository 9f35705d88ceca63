//! The requests of the signing page: viewed, access code, one-time code, consent, drafts, files, approve, reject.
//!
//! Responses are JSON, and refusals are the API's problem details, both in the page's language. Only the two codes use
//! forms, so that they work without scripts.

use std::collections::BTreeMap;

use app::{
    App, CodeQuestion, ConflictCode, DraftSeen, Error, Fault, FaultCode, LinkToken, Origin, SavedDraft, Signed,
    SigningKey, ThrottleCode,
};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Drawing, Language};
use serde::Serialize;

use super::drawings::drawing;
use super::page::{OneTimeFault, code_page, field_file, locked, next_sign, one_time_code_page, to_page, with_choices};
use super::view::Look;
use super::{Proof, key, page_of, proof_cookie};
use crate::body::json::Members;
use crate::frame::faults::Faults;
use crate::frame::problem::Failure;
use crate::frame::state::Http;
use crate::html::ending::{About, Ending};
use crate::html::language::led_on;
use crate::html::link_json::LinkJson;
use crate::html::request::{PageForm, PageRequest};

/// Size limit for texts and a comment.
const TEXTS_LIMIT: u64 = 1024 * 1024;
/// Size of the largest attachment in base64, with some room.
const FILE_LIMIT: u64 = 15 * 1024 * 1024;
/// Maximum duration of a signer's session. The proofs of codes end with it.
const PROOF_SECONDS: i64 = 12 * 60 * 60;

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

/// `POST /sign/viewed`. A prefetched page runs its script before anyone sees it, and reports again when it becomes
/// visible.
pub async fn viewed(State(http): State<Http>, request: PageRequest) -> Result<Response, Failure> {
    if request.is_ahead() {
        return Err(Failure::App(Error::busy(1)));
    }
    let (key, origin) = (key(&http, &request), origin(&request));
    http.blocking(move |app| app.record_viewed(&key, &origin)).await?;
    Ok(done())
}

/// `GET` of a code form's URL, after a reload or in a restored tab: redirects to the page that asks for the code.
pub async fn back_to_page(State(http): State<Http>, request: PageRequest) -> Response {
    let token = key(&http, &request).token;
    if LinkToken::decode(&token, &http.app().vault).is_none() {
        return request.end(Ending::UnknownLink, request.language(), &About::default());
    }
    request.redirect(&request.onward(page_of(&http, &token), &[("token", &token)]))
}

/// `POST /sign/access-code`
pub async fn access_code(State(http): State<Http>, PageForm(mut request): PageForm) -> Response {
    let key = key(&http, &request);
    page_of(&http, &key.token).clone_into(&mut request.path);
    let code = request.get("code").unwrap_or_default().to_owned();
    let origin = origin(&request);
    let given = {
        let key = key.clone();
        http.blocking(move |app| match app.give_access_code(&key, &code, &origin) {
            Ok(proof) => Ok(Ok(proof)),
            Err(error) => Ok(Err((error, app.code_question(&key)?))),
        })
        .await
    };
    match given {
        Ok(Ok(proof)) => go_on(&http, &request, &key, Some((Proof::Access, &proof))),
        Ok(Err((Error::Unprocessable(faults), question))) => {
            code_page(&request, &key, &question, Some(tries_left(&faults)))
        }
        Ok(Err((error, question))) => no_code(&request, &error, &question),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// `POST /sign/one-time-code/send`
pub async fn send_one_time_code(State(http): State<Http>, PageForm(mut request): PageForm) -> Response {
    let key = key(&http, &request);
    page_of(&http, &key.token).clone_into(&mut request.path);
    let origin = origin(&request);
    let sent = {
        let key = key.clone();
        http.blocking(move |app| match app.send_one_time_code(&key, &origin) {
            Ok(()) => Ok(Ok(())),
            Err(error) => Ok(Err((error, app.code_question(&key)?))),
        })
        .await
    };
    match sent {
        Ok(Ok(())) => go_on(&http, &request, &key, None),
        Ok(Err((Error::Throttled { code, retry_after, .. }, question))) => {
            let fault = match code {
                ThrottleCode::WrongCodes => OneTimeFault::TooManyWrong(retry_after),
                _ => OneTimeFault::Wait(retry_after),
            };
            one_time_code_page(&http, &request, &key, &question, Some(fault))
        }
        Ok(Err((error, question))) => no_code(&request, &error, &question),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// `POST /sign/one-time-code`
pub async fn one_time_code(State(http): State<Http>, PageForm(mut request): PageForm) -> Response {
    let key = key(&http, &request);
    page_of(&http, &key.token).clone_into(&mut request.path);
    let [code, form] = ["code", "form"].map(|name| request.get(name).unwrap_or_default().to_owned());
    let origin = origin(&request);
    let given = {
        let key = key.clone();
        http.blocking(move |app| match app.give_one_time_code(&key, &code, &form, &origin) {
            Ok(proof) => Ok(Ok(proof)),
            Err(error) => Ok(Err((error, app.code_question(&key)?))),
        })
        .await
    };
    match given {
        Ok(Ok(proof)) => go_on(&http, &request, &key, Some((Proof::OneTime, &proof))),
        Ok(Err((Error::Unprocessable(faults), question))) => {
            let is_wrong = faults.iter().any(|fault| fault.code == FaultCode::WrongOneTimeCode);
            let fault = if is_wrong {
                OneTimeFault::Wrong(tries_left(&faults))
            } else {
                OneTimeFault::Expired
            };
            one_time_code_page(&http, &request, &key, &question, Some(fault))
        }
        Ok(Err((Error::Throttled { retry_after, .. }, question))) => {
            let fault = OneTimeFault::TooManyWrong(retry_after);
            one_time_code_page(&http, &request, &key, &question, Some(fault))
        }
        Ok(Err((error, question))) => no_code(&request, &error, &question),
        Err(error) => request.fail(&error, request.language()),
    }
}

/// Redirects to the link's page, with the proof of a code.
fn go_on(http: &Http, request: &PageRequest, key: &SigningKey, proven: Option<(Proof, &str)>) -> Response {
    let mut response = to_page(http, request, key);
    let cookie = proven.and_then(|(proof, value)| {
        let name = proof_cookie(http, &key.token, proof)?;
        request.set_cookie(&name, value, Some(PROOF_SECONDS))
    });
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

/// Explains why no code was accepted or sent, if another try is useless.
fn no_code(request: &PageRequest, error: &Error, question: &CodeQuestion) -> Response {
    if matches!(
        error,
        Error::Conflict {
            code: ConflictCode::Locked,
            ..
        }
    ) {
        return locked(request, question);
    }
    request.fail(error, request.language_or(question.language))
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

/// Returns the language of the page, as sent by the script.
pub(super) fn page_language(headers: &HeaderMap) -> Language {
    headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .and_then(Language::negotiate)
        .unwrap_or_default()
}

/// Reads the list `values` of a body: the name and value of each field.
fn values(members: &Members<'_>, faults: &mut Faults) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for member in members.objects("values", faults).unwrap_or_default() {
        let name = member.required_text("name", faults);
        let value = member.value_text("value", faults);
        if let (Some(name), Some(value)) = (name, value) {
            found.insert(name, value);
        }
    }
    found
}

/// The result of saving a draft.
#[derive(Debug, Serialize)]
struct Saved {
    /// The draft's new revision, for the next change and for the approval.
    revision: u64,
    /// The rendered saved values, and calculated results.
    fields: Vec<Look>,
    /// Values that other pages of the same signer have entered since this page's last request. We did not overwrite
    /// them.
    newer: Vec<Newer>,
}

/// A field that another page has filled in.
#[derive(Debug, Serialize)]
struct Newer {
    /// The value as sent by the form. For a file, its name.
    value: String,
    src: Option<String>,
    #[serde(flatten)]
    look: Look,
}

fn saved(request: &PageRequest, key: &SigningKey, language: Language, saved: SavedDraft) -> Response {
    let newer = saved.newer.into_iter().map(|held| Newer {
        src: held
            .picture
            .then(|| field_file(&request.base, &key.token, &held.look.name, Some(saved.revision))),
        look: Look::of(&held.look, language),
        value: held.value,
    });
    let mut response = Json(Saved {
        revision: saved.revision,
        fields: saved.looks.iter().map(|look| Look::of(look, language)).collect(),
        newer: newer.collect(),
    })
    .into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Returns the state of the draft that the page shows.
fn seen(members: &Members<'_>, faults: &mut Faults) -> DraftSeen {
    DraftSeen {
        revision: revision(members, faults),
        page: members.text("page", faults).unwrap_or_default(),
    }
}

fn revision(members: &Members<'_>, faults: &mut Faults) -> Option<u64> {
    // Valid revisions are never below 0.
    members
        .integer("revision", faults)
        .map(|revision| u64::try_from(revision).unwrap_or_default())
}

/// `PUT /sign/drafts`
pub async fn drafts(
    State(http): State<Http>,
    request: PageRequest,
    headers: HeaderMap,
    LinkJson(body): LinkJson<TEXTS_LIMIT>,
) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let mut faults = Faults::default();
    let (values, seen) = body.read(&mut faults, |members, faults| {
        (values(members, faults), seen(members, faults))
    })?;
    faults.check()?;
    let draft = {
        let key = key.clone();
        http.blocking(move |app| app.save_draft(&key, &seen, &values)).await?
    };
    Ok(saved(&request, &key, page_language(&headers), draft))
}

struct SentFile {
    name: String,
    data: String,
    file_name: Option<String>,
    drawing: Option<Result<Drawing, Error>>,
    seen: DraftSeen,
}

/// `POST /sign/files`
pub async fn files(
    State(http): State<Http>,
    request: PageRequest,
    headers: HeaderMap,
    LinkJson(body): LinkJson<FILE_LIMIT>,
) -> Result<Response, Failure> {
    let key = key(&http, &request);
    let mut faults = Faults::default();
    let given = body.read(&mut faults, |members, faults| SentFile {
        name: members.required_text("name", faults).unwrap_or_default(),
        data: members.text("data", faults).unwrap_or_default(),
        file_name: members.text("file_name", faults),
        drawing: members.object("drawing", faults).map(|drawn| drawing(&drawn)),
        seen: seen(members, faults),
    })?;
    faults.check()?;
    let SentFile {
        name,
        data,
        file_name,
        seen,
        ..
    } = given;
    let drawing = given.drawing.transpose()?;
    let bytes = if drawing.is_some() || data.is_empty() {
        Vec::new()
    } else {
        let encoded = data.split_once(',').map_or(data.as_str(), |(_, encoded)| encoded);
        BASE64_STANDARD
            .decode(encoded)
            .map_err(|_| Error::Unprocessable(vec![Fault::new(name.clone(), FaultCode::InvalidFile)]))?
    };
    let draft = {
        let key = key.clone();
        let change = move |app: &App| match drawing {
            Some(drawing) => app.take_drawing(&key, &seen, &name, drawing),
            None if data.is_empty() => app.save_draft(&key, &seen, &BTreeMap::from([(name, String::new())])),
            None => app.upload_file(&key, &seen, &name, file_name.as_deref(), bytes),
        };
        http.blocking(change).await?
    };
    Ok(saved(&request, &key, page_language(&headers), draft))
}

#[derive(Debug, Serialize)]
struct Finished {
    status: &'static str,
    /// Whether other signers of the same step have not approved yet.
    others_of_step: bool,
    /// The next document. Absent if the page was asked not to offer one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_url: Option<String>,
    document_url: Option<String>,
    /// The download URL of the signed document.
    download_url: Option<String>,
    copy_is_sent: bool,
    /// Where the page leads after a short while.
    #[serde(skip_serializing_if = "Option::is_none")]
    redirect_url: Option<String>,
    /// Its host, as people read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    redirect_host: Option<String>,
}

fn finished(request: &PageRequest, signed: Signed) -> Response {
    let next = signed.next_document.filter(|_| next_sign(request));
    let next_url = next.map(|next| with_choices(request, &next.sign_url));
    let document_url = signed.document_url.map(|address| led_on(&address, request.language()));
    let mut response = Json(Finished {
        status: signed.status.code(),
        others_of_step: signed.others_of_step,
        next_url,
        download_url: document_url
            .as_ref()
            .map(|address| address.replacen("/mail/view?", "/mail/file?", 1)),
        document_url,
        copy_is_sent: signed.copy_is_sent,
        redirect_host: signed.redirect_url.as_ref().map(|url| url.host().to_owned()),
        redirect_url: signed.redirect_url.map(|url| url.as_str().to_owned()),
    })
    .into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `POST /sign/approve`. A page that sends no revision shows no entered values.
pub async fn approve(
    State(http): State<Http>,
    request: PageRequest,
    LinkJson(body): LinkJson<TEXTS_LIMIT>,
) -> Result<Response, Failure> {
    let (key, origin) = (key(&http, &request), origin(&request));
    let mut faults = Faults::default();
    let (given, revision, comment) = body.read(&mut faults, |members, faults| {
        let revision = revision(members, faults).unwrap_or_default();
        (values(members, faults), revision, members.text("comment", faults))
    })?;
    faults.check()?;
    let signed = http
        .blocking(move |app| app.approve_by_link(&key, revision, &given, comment.as_deref(), &origin))
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
    let mut faults = Faults::default();
    let reason = body.read(&mut faults, |members, faults| members.text("comment", faults))?;
    faults.check()?;
    let Some(reason) = reason.filter(|reason| domain::text::is_visible(reason)) else {
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
    let (name, email) = body.read(&mut faults, |members, faults| {
        let mut text = |name| members.text(name, faults).unwrap_or_default();
        (text("name"), text("email"))
    })?;
    faults.check()?;
    http.blocking(move |app| app.reassign_by_link(&key, &name, &email, &origin))
        .await?;
    Ok(done())
}
