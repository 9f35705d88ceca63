//! The one shape in which the API says no.
//!
//! A handler answers a [`Failure`]; it becomes a bare response that carries the failure with it,
//! and [`speak`], the outermost layer of the API, writes the body: RFC 9457 problem details with
//! `errors` naming every bad member, and the `header` object for clients of the older interface
//! that look there. Only there is the language known: `lang` of the query, else `Accept-Language`,
//! else the company's, which the authentication left on the response.
//!
//! What a client reads never holds the cause of an internal failure; that goes to the log.

use std::convert::Infallible;
use std::sync::Arc;

use app::{Error, ForbiddenCode, SignerError};
use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use domain::Language;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::caller::Authenticated;
use super::query::Query;
use super::state::Http;

/// Why a request is not answered with success.
#[derive(Debug)]
pub enum Failure {
    /// What a use-case, or the reading of its input, says.
    App(Error),
    /// The address is known, the method is not (405).
    MethodNotAllowed,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::App(error)
    }
}

/// The company's language, left on a response by the authentication.
#[derive(Debug, Clone, Copy)]
pub struct CompanyLanguage(pub Language);

/// Who reads a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A member, or their program: what they cannot do themselves, they ask the operator for.
    Member,
    /// Whoever holds a link: nothing that is meant for senders and operators.
    LinkHolder,
}

/// A failure on its way to [`speak`].
#[derive(Debug, Clone)]
struct Unspoken(Arc<Failure>);

/// Problem details of RFC 9457, with the extensions `errors`, `state` and `header`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// An address that names the kind of problem; it ends with the error id.
    #[serde(rename = "type")]
    #[schema(example = "https://sign.example.com/api/docs#unprocessable")]
    pub kind: String,
    /// The HTTP status in words.
    #[schema(example = "Unprocessable Content")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 422)]
    pub status: u16,
    /// The error id, which programs compare.
    #[schema(example = "unprocessable")]
    pub code: String,
    /// What is wrong and what helps, for people.
    pub detail: String,
    /// The state that was met, where the state does not allow what was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Canceled")]
    pub state: Option<String>,
    /// Every bad member of the request; empty where none is to blame.
    pub errors: Vec<ProblemError>,
    /// The same for clients that look into `header`, as at login.
    pub header: ProblemHeader,
}

/// One bad member of a request.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemError {
    /// Where it stands; empty for the body as a whole.
    #[schema(example = "recipient_list[0].email")]
    pub path: String,
    /// The error id, which programs compare.
    #[schema(example = "invalid-contact")]
    pub code: String,
    /// Of a PDF that was refused: intake's own id of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "needs_password")]
    pub reason: Option<String>,
    /// Of a PDF that was refused: the word that its upload can say in `accept` to have it taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "without_signatures")]
    pub accept: Option<String>,
    /// What is wrong with it, for people.
    pub message: String,
}

/// The result as the login answer carries it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemHeader {
    /// Never `00`. `10`, `12`, `95` and `99` where the login's codes mean the same; else the HTTP status.
    #[schema(example = "422")]
    pub result_code: String,
    /// The same as `detail`.
    pub result_msg: String,
}

impl Failure {
    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::App(error) => Self::status_of(error),
        }
    }

    /// The use-case's failure as those read it who hold a link, if it was theirs.
    fn for_signers(&self, reader: Reader) -> Option<SignerError<'_>> {
        match self {
            Self::App(error) if reader == Reader::LinkHolder => Some(SignerError::from(error)),
            _ => None,
        }
    }

    /// The HTTP status for this reader.
    fn status_for(&self, reader: Reader) -> StatusCode {
        match self.for_signers(reader) {
            Some(error) if error.cannot_complete() => StatusCode::SERVICE_UNAVAILABLE,
            _ => self.status(),
        }
    }

    /// The HTTP status of a use-case's failure.
    pub fn status_of(error: &Error) -> StatusCode {
        match error {
            Error::NotJson | Error::BrokenBody => StatusCode::BAD_REQUEST,
            Error::Unauthenticated => StatusCode::UNAUTHORIZED,
            Error::Forbidden(_) => StatusCode::FORBIDDEN,
            Error::NotFound(_) => StatusCode::NOT_FOUND,
            Error::Conflict { .. } => StatusCode::CONFLICT,
            Error::NotSealable(refusal) if refusal.retry_after().is_some() => StatusCode::SERVICE_UNAVAILABLE,
            Error::Unprocessable(_) | Error::NotSealable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Error::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Error::Unsupported { .. } => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Error::Throttled { .. } => StatusCode::TOO_MANY_REQUESTS,
            Error::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Error::OutcomeUnknown(_) | Error::FileLost(_) | Error::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn id(&self, reader: Reader) -> &'static str {
        match (self, self.for_signers(reader)) {
            (_, Some(error)) => error.id(),
            (Self::MethodNotAllowed, _) => "method-not-allowed",
            (Self::App(error), _) => error.id(),
        }
    }

    fn message(&self, reader: Reader, language: Language) -> String {
        match (self, self.for_signers(reader)) {
            (_, Some(error)) => error.message(language),
            (Self::MethodNotAllowed, _) => i18n::text(language, "error-method-not-allowed", &[]),
            (Self::App(error), _) => error.message(language),
        }
    }

    /// The result code of the older interface, where one of the login's means the same.
    fn result_code(&self, reader: Reader) -> String {
        match self {
            Self::App(Error::Unauthenticated) => "10".to_owned(),
            Self::App(Error::NotJson | Error::BrokenBody) => "12".to_owned(),
            Self::App(Error::Forbidden(ForbiddenCode::ApiOff)) => "95".to_owned(),
            Self::App(Error::OutcomeUnknown(_) | Error::FileLost(_) | Error::Internal { .. }) => "99".to_owned(),
            _ => self.status_for(reader).as_u16().to_string(),
        }
    }

    /// The problem details in one language. `base` is the public address of the service.
    fn problem(&self, reader: Reader, language: Language, base: &str) -> Problem {
        let status = self.status_for(reader);
        let detail = self.message(reader, language);
        let errors = match self {
            Self::App(Error::Unprocessable(faults)) => faults
                .iter()
                .map(|fault| ProblemError {
                    path: fault.path.clone(),
                    code: fault.code.id().to_owned(),
                    reason: fault.refusal_id(),
                    accept: fault.acceptance().map(str::to_owned),
                    message: fault.message(language),
                })
                .collect(),
            _ => Vec::new(),
        };
        let state = match self {
            Self::App(Error::Conflict { state, .. }) => state.clone(),
            _ => None,
        };
        Problem {
            kind: format!("{base}/api/docs#{}", self.id(reader)),
            title: title(status).to_owned(),
            status: status.as_u16(),
            code: self.id(reader).to_owned(),
            header: ProblemHeader {
                result_code: self.result_code(reader),
                result_msg: detail.clone(),
            },
            detail,
            state,
            errors,
        }
    }

    /// Seconds after which to try again.
    fn retry_after(&self, reader: Reader) -> Option<u64> {
        match (self, self.for_signers(reader)) {
            (_, Some(error)) => error.retry_after(),
            (Self::App(error), _) => error.retry_after(),
            (Self::MethodNotAllowed, _) => None,
        }
    }
}

/// The names of RFC 9110, of which two are newer than those that the `http` crate knows.
fn title(status: StatusCode) -> &'static str {
    match status.as_u16() {
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        _ => status.canonical_reason().unwrap_or("Error"),
    }
}

/// The same of a number.
pub fn title_of(status: u16) -> &'static str {
    StatusCode::from_u16(status).map_or("Error", title)
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(Unspoken(Arc::new(self)));
        response
    }
}

/// The language in which to answer a request.
pub fn language_of(query: &Query, headers: &HeaderMap, company: Option<Language>) -> Language {
    query
        .language()
        .or_else(|| {
            let accepted = headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?;
            Language::negotiate(accepted)
        })
        .or(company)
        .unwrap_or_default()
}

/// The language in which a call is answered where it succeeds; failures are spoken in the same by [`speak`].
#[derive(Debug, Clone, Copy)]
pub struct AnswerLanguage(pub Language);

impl<S: Sync> FromRequestParts<S> for AnswerLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let company = parts.extensions.get::<Authenticated>().map(|caller| caller.0.language);
        Ok(Self(language_of(&Query::of(&parts.uri), &parts.headers, company)))
    }
}

/// The outermost layer of the API: writes the body of every failure.
pub async fn speak(State(http): State<Http>, request: Request, next: Next) -> Response {
    let query = Query::of(request.uri());
    let headers = request.headers().clone();
    let path = request.extensions().get::<MatchedPath>();
    let reader = if path.is_some_and(|path| http.is_behind_links(path.as_str())) {
        Reader::LinkHolder
    } else {
        Reader::Member
    };
    let response = next.run(request).await;
    let Some(Unspoken(failure)) = response.extensions().get::<Unspoken>().cloned() else {
        return response;
    };
    if let Failure::App(error) = &*failure {
        error.log();
    }
    let company = response
        .extensions()
        .get::<CompanyLanguage>()
        .map(|language| language.0);
    let language = language_of(&query, &headers, company);
    let problem = failure.problem(reader, language, http.public_url());
    let (mut parts, _) = response.into_parts();
    parts.status = failure.status_for(reader);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    parts
        .headers
        .insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language.code()));
    parts
        .headers
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = failure.retry_after(reader) {
        parts.headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if parts.status == StatusCode::UNAUTHORIZED
        && let Ok(challenge) = HeaderValue::from_str(&http.challenge())
    {
        parts.headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    let (json, body) = Json(problem).into_response().into_parts();
    drop(json);
    Response::from_parts(parts, Body::new(body))
}
