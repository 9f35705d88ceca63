//! `GET /verify`, `POST /verify`: whoever holds a PDF learns whether it is unchanged.
//!
//! The certificate's QR code leads here. The file is read in a confined worker and forgotten; nothing
//! about a workflow is told, whatever the address names.

use app::{App, Error, Outcome, VerdictWords};
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::{BlobHash, Language, Requester, Zone};
use serde::Serialize;

use super::render::respond;
use super::request::PageRequest;
use crate::multipart::{self, Part};
use crate::router::Http;

#[derive(Debug, Serialize)]
struct VerdictView {
    tone: &'static str,
    symbol: &'static str,
    name: String,
    hash: String,
    words: VerdictWords,
}

#[derive(Serialize)]
struct VerifyPage {
    data: std::collections::BTreeMap<&'static str, String>,
    verdict: Option<VerdictView>,
    action: String,
    limit: u64,
    fault: String,
}

/// What the visitor sent.
struct Upload {
    name: String,
    bytes: Bytes,
}

/// `GET /verify`
pub async fn form(State(http): State<Http>, request: PageRequest) -> Response {
    page(&http, &request, StatusCode::OK, None, "")
}

/// `POST /verify`
pub async fn check(State(http): State<Http>, request: PageRequest, form: Request) -> Response {
    let limit = http.app().settings.largest_sealed();
    let upload = match receive(form, limit).await {
        Ok(Some(upload)) => upload,
        Ok(None) => {
            return page(
                &http,
                &request,
                StatusCode::UNPROCESSABLE_ENTITY,
                None,
                "verify-no-file",
            );
        }
        Err(Error::TooLarge { .. }) => {
            return page(&http, &request, StatusCode::PAYLOAD_TOO_LARGE, None, "verify-too-large");
        }
        Err(Error::BrokenBody) => return page(&http, &request, StatusCode::BAD_REQUEST, None, "verify-broken"),
        Err(error) => return request.fail(&error, request.language()),
    };
    let language = request.language();
    let judged = http.at_worker(move |app, requester| judge(app, requester, &upload, language));
    match judged.await {
        Ok(verdict) => page(&http, &request, StatusCode::OK, Some(verdict), ""),
        Err(error) => request.fail(&error, language),
    }
}

/// The file of the form; `None` where there is none, an error where it is too large or did not arrive as a whole.
async fn receive(form: Request, limit: u64) -> Result<Option<Upload>, Error> {
    let parts = match multipart::read(form, limit).await {
        Ok(parts) => parts,
        // A form of another kind holds no file.
        Err(Error::Unsupported { expected: Some(_) }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let file = parts.into_iter().find(|part| part.name == "file");
    let Some(Part { file_name, bytes, .. }) = file.filter(|file| !file.bytes.is_empty()) else {
        return Ok(None);
    };
    if bytes.len() as u64 > limit {
        return Err(Error::TooLarge { limit });
    }
    let name = file_name.unwrap_or_default();
    let name = name.chars().filter(|c| !c.is_control()).take(200).collect();
    Ok(Some(Upload { name, bytes }))
}

fn judge(app: &App, requester: &Requester, upload: &Upload, language: Language) -> Result<VerdictView, Error> {
    let verdict = app.verdict(requester, &upload.bytes)?;
    let words = app::verdict_words(language, Zone::default(), &verdict);
    let (tone, symbol) = match words.outcome {
        Outcome::Holds => ("good", "shield"),
        Outcome::SignerUnknown | Outcome::Unsigned | Outcome::TooDemanding => ("warn", "question"),
        Outcome::Revoked | Outcome::DoesNotHold | Outcome::Unreadable => ("bad", "alert"),
    };
    Ok(VerdictView {
        tone,
        symbol,
        name: upload.name.clone(),
        hash: BlobHash::of(&upload.bytes).to_string(),
        words,
    })
}

fn page(
    http: &Http,
    request: &PageRequest,
    status: StatusCode,
    verdict: Option<VerdictView>,
    fault: &'static str,
) -> Response {
    let language = request.language();
    let limit = http.app().settings.largest_sealed();
    let megabytes = (limit / (1024 * 1024)).to_string();
    let too_large = i18n::text(language, "verify-too-large", &[("megabytes", &megabytes)]);
    let fault = match fault {
        "" => String::new(),
        "verify-too-large" => too_large.clone(),
        key => i18n::text(language, key, &[]),
    };
    let content = VerifyPage {
        data: [
            ("verify-checking", i18n::text(language, "verify-checking", &[])),
            ("verify-no-file", i18n::text(language, "verify-no-file", &[])),
            ("verify-too-large", too_large),
        ]
        .into(),
        verdict,
        action: request.link(language, "/verify", &[]),
        limit,
        fault,
    };
    let frame = request.frame(language, i18n::text(language, "verify-title", &[]));
    respond(status, "verify.html", &frame, &content)
}
