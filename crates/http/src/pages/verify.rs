//! `GET /verify`, `POST /verify`: whoever holds a PDF learns whether it is unchanged.
//!
//! The certificate's QR code leads here. The file is read in a confined worker and forgotten; nothing
//! about a workflow is told, whatever the address names.
#![expect(clippy::disallowed_types, reason = "what axum refuses of a form is answered as ours")]

use app::{App, Error, Outcome, VerdictWords};
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::{BlobHash, Language, UtcOffset};
use serde::Serialize;

use super::render::respond;
use super::request::PageRequest;
use crate::bodies::not_arrived;
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
    bytes: Vec<u8>,
}

/// `GET /verify`
pub async fn form(State(http): State<Http>, request: PageRequest) -> Response {
    page(&http, &request, StatusCode::OK, None, "")
}

/// `POST /verify`
pub async fn check(
    State(http): State<Http>,
    request: PageRequest,
    multipart: Result<Multipart, MultipartRejection>,
) -> Response {
    let limit = http.app().settings.largest_document;
    // A form of another kind holds no file.
    let received = match multipart {
        Ok(multipart) => receive(multipart, limit).await,
        Err(_) => Ok(None),
    };
    let upload = match received {
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
    // Strangers queue among themselves, before anything that others need is taken.
    let turn = match http.checks().turn().await {
        Ok(turn) => turn,
        Err(error) => return request.fail(&error, language),
    };
    let judged = http.blocking(move |app| {
        let _turn = turn;
        judge(app, &upload, language)
    });
    match judged.await {
        Ok(verdict) => page(&http, &request, StatusCode::OK, Some(verdict), ""),
        Err(error) => request.fail(&error, language),
    }
}

/// The file of the form; `None` where there is none, an error where it is too large or did not arrive as a whole.
async fn receive(mut multipart: Multipart, limit: u64) -> Result<Option<Upload>, Error> {
    while let Some(mut field) = multipart.next_field().await.map_err(|error| not_arrived(&error))? {
        if field.name() != Some("file") {
            continue;
        }
        let name = field
            .file_name()
            .unwrap_or_default()
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect();
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|error| not_arrived(&error))? {
            if (bytes.len() + chunk.len()) as u64 > limit {
                return Err(Error::TooLarge { limit });
            }
            bytes.extend_from_slice(&chunk);
        }
        return Ok((!bytes.is_empty()).then_some(Upload { name, bytes }));
    }
    Ok(None)
}

fn judge(app: &App, upload: &Upload, language: Language) -> Result<VerdictView, Error> {
    let verdict = app.verdict(&upload.bytes)?;
    let words = app::verdict_words(language, UtcOffset::default(), &verdict);
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
    let limit = http.app().settings.largest_document;
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
