//! Failure responses of the API.
//!
//! A handler returns a [`Failure`], which becomes an empty response that carries the failure. [`speak`], the outermost
//! layer, writes the body: RFC 9457 problem details whose `errors` name every bad member, with a `header` object for
//! clients of the older interface. Only `speak` knows the language: `lang` in the query, otherwise `Accept-Language`,
//! otherwise the company's language, which the authentication layer added to the response.
//!
//! Clients never see the cause of an internal failure, which is only logged.

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
use super::observe::RequestId;
use super::query::Query;
use super::rate_limit;
use super::state::Http;

/// The reason why a request failed.
#[derive(Debug)]
pub enum Failure {
    /// From a use case, or from reading its input.
    App(Error),
    /// The path exists, but not with this method (405).
    MethodNotAllowed,
    /// No byte of the file is in the range that was asked for (416).
    RangeNotSatisfiable,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::App(error)
    }
}

/// The company's language, added to the response by the authentication layer.
#[derive(Debug, Clone, Copy)]
pub struct CompanyLanguage(pub Language);

/// The audience of a failure response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    /// A member or their program. Messages may advise them to contact the operator.
    Member,
    /// The holder of a link. They see no information intended for senders or operators.
    LinkHolder,
}

/// A failure that [`speak`] has not written yet.
#[derive(Debug, Clone)]
struct Unspoken(Arc<Failure>);

/// Problem details of RFC 9457, with the extensions `errors`, `state`, `request_id` and `header`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A URL that identifies the kind of problem and ends with the error id.
    #[serde(rename = "type")]
    #[schema(example = "https://sign.example.com/api/docs#unprocessable")]
    pub kind: String,
    /// The HTTP status as text.
    #[schema(example = "Unprocessable Content")]
    pub title: String,
    /// The HTTP status.
    #[schema(example = 422)]
    pub status: u16,
    /// The error id, for programs.
    #[schema(example = "unprocessable")]
    pub code: String,
    /// The problem and how to fix it, for people.
    pub detail: String,
    /// The workflow's state, if it is the reason for the refusal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Canceled")]
    pub state: Option<String>,
    /// The id of this request, also in `x-request-id` and in the service's log. Include it when you ask for help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "0d9a7c1e-5f0b-4c5e-9a53-1f4c2a7d9e10")]
    pub request_id: Option<String>,
    /// Every bad member of the request. Empty if no member is to blame.
    pub errors: Vec<ProblemError>,
    /// The same result for clients that read `header`, as in the response to a login.
    pub header: ProblemHeader,
}

/// A wrong member of a request.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemError {
    /// The member's path. Empty for the body as a whole.
    #[schema(example = "recipient_list[0].email")]
    pub path: String,
    /// The error id, for programs.
    #[schema(example = "invalid-contact")]
    pub code: String,
    /// The id of the reason, if a PDF was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "needs_password")]
    pub reason: Option<String>,
    /// The word to send in `accept` to have the PDF accepted, if one was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "without_signatures")]
    pub accept: Option<String>,
    /// The problem and how to fix it, for people.
    pub message: String,
}

/// The result in the format of the login response.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ProblemHeader {
    /// Never `00`. `10`, `12`, `95` and `99` have the same meanings as in a login response. Any other value is the HTTP
    /// status.
    #[schema(example = "422")]
    pub result_code: String,
    /// The same text as `detail`.
    pub result_msg: String,
}

impl Failure {
    pub fn status(&self) -> StatusCode {
        match self {
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RangeNotSatisfiable => StatusCode::RANGE_NOT_SATISFIABLE,
            Self::App(error) => Self::status_of(error),
        }
    }

    /// Returns the error as shown to link holders, if the reader is one.
    fn for_signers(&self, reader: Reader) -> Option<SignerError<'_>> {
        match self {
            Self::App(error) if reader == Reader::LinkHolder => Some(SignerError::from(error)),
            _ => None,
        }
    }

    fn status_for(&self, reader: Reader) -> StatusCode {
        match self.for_signers(reader) {
            Some(error) if error.cannot_complete() => StatusCode::SERVICE_UNAVAILABLE,
            _ => self.status(),
        }
    }

    /// Returns the HTTP status for a use case's error.
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
            (Self::RangeNotSatisfiable, _) => "range-not-satisfiable",
            (Self::App(error), _) => error.id(),
        }
    }

    fn message(&self, reader: Reader, language: Language) -> String {
        match (self, self.for_signers(reader)) {
            (_, Some(error)) => error.message(language),
            (Self::MethodNotAllowed | Self::RangeNotSatisfiable, _) => {
                i18n::text(language, &format!("error-{}", self.id(reader)), &[])
            }
            (Self::App(error), _) => error.message(language),
        }
    }

    /// Returns the older interface's result code, if a login code has the same meaning.
    fn result_code(&self, reader: Reader) -> String {
        match self {
            Self::App(Error::Unauthenticated) => "10".to_owned(),
            Self::App(Error::NotJson | Error::BrokenBody) => "12".to_owned(),
            Self::App(Error::Forbidden(ForbiddenCode::ApiOff)) => "95".to_owned(),
            Self::App(Error::OutcomeUnknown(_) | Error::FileLost(_) | Error::Internal { .. }) => "99".to_owned(),
            _ => self.status_for(reader).as_u16().to_string(),
        }
    }

    /// Returns the problem details in one language. `base` is the service's public address.
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
            request_id: None,
            errors,
        }
    }

    /// Returns the number of seconds after which to retry.
    fn retry_after(&self, reader: Reader) -> Option<u64> {
        match (self, self.for_signers(reader)) {
            (_, Some(error)) => error.retry_after(),
            (Self::App(error), _) => error.retry_after(),
            (Self::MethodNotAllowed | Self::RangeNotSatisfiable, _) => None,
        }
    }
}

/// Returns the name from RFC 9110. Two names are newer than the `http` crate's.
fn title(status: StatusCode) -> &'static str {
    match status.as_u16() {
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        _ => status.canonical_reason().unwrap_or("Error"),
    }
}

/// Returns the name of a numeric status.
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

/// Returns the language in which to answer a request.
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

/// The language of a successful response. [`speak`] uses the same language for failures.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLanguage(pub Language);

impl<S: Sync> FromRequestParts<S> for AnswerLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let company = parts
            .extensions
            .get::<Authenticated>()
            .map(|caller| caller.0.language());
        Ok(Self(language_of(&Query::of(&parts.uri), &parts.headers, company)))
    }
}

/// The outermost layer: writes the body of every failure.
pub async fn speak(State(http): State<Http>, request: Request, next: Next) -> Response {
    let query = Query::of(request.uri());
    let headers = request.headers().clone();
    let id = request.extensions().get::<RequestId>().cloned();
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
    let problem = Problem {
        request_id: id.map(|id| id.as_str().to_owned()),
        ..failure.problem(reader, language, http.public_url())
    };
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
    if let Failure::App(error) = &*failure {
        rate_limit::describe(&mut parts.headers, error);
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
