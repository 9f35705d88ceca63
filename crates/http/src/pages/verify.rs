//! `GET /verify`, `POST /verify`: shows anyone whether a PDF is unchanged, or a document together with its certificate.
//!
//! The certificate's QR code leads here. A confined worker reads the files, and we do not keep them. The page reveals
//! nothing about any workflow, whatever its address says.

use app::{App, Error, Outcome, VerdictWords};
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::{BlobHash, Language, Requester, Zone};
use serde::Serialize;

use crate::body::multipart::{self, Part};
use crate::frame::state::Http;
use crate::html::render::respond;
use crate::html::request::PageRequest;

/// A document and its certificate.
const MOST_FILES: usize = 2;

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
    verdicts: Vec<VerdictView>,
    action: String,
    limit: u64,
    most: usize,
    fault: String,
}

struct Upload {
    name: String,
    bytes: Bytes,
}

/// `GET /verify`
pub async fn form(State(http): State<Http>, request: PageRequest) -> Response {
    page(&http, &request, StatusCode::OK, Vec::new(), "")
}

/// `POST /verify`
pub async fn check(State(http): State<Http>, request: PageRequest, form: Request) -> Response {
    let limit = http.app().settings.largest_sealed();
    let refuse = |status, key| page(&http, &request, status, Vec::new(), key);
    let (uploads, zone) = match receive(form, limit).await {
        Ok((uploads, _)) if uploads.is_empty() => return refuse(StatusCode::UNPROCESSABLE_ENTITY, "verify-no-file"),
        Ok((uploads, _)) if uploads.len() > MOST_FILES => {
            return refuse(StatusCode::UNPROCESSABLE_ENTITY, "verify-too-many");
        }
        Ok(received) => received,
        Err(Error::TooLarge { .. }) => return refuse(StatusCode::PAYLOAD_TOO_LARGE, "verify-too-large"),
        Err(Error::BrokenBody) => return refuse(StatusCode::BAD_REQUEST, "verify-broken"),
        Err(error) => return request.fail(&error, request.language()),
    };
    let language = request.language();
    let judged = http.at_worker(move |app, requester| {
        let each = uploads
            .iter()
            .map(|upload| judge(app, requester, upload, language, zone));
        each.collect::<Result<Vec<_>, _>>()
    });
    match judged.await {
        Ok(verdicts) => page(&http, &request, StatusCode::OK, verdicts, ""),
        Err(error) => request.fail(&error, language),
    }
}

/// The files of the form, and the browser's time zone, which the page's script fills in (otherwise UTC). An error if the files
/// are too large together, or did not arrive completely.
async fn receive(form: Request, limit: u64) -> Result<(Vec<Upload>, Zone), Error> {
    let parts = match multipart::read(form, limit).await {
        Ok(parts) => parts,
        // A form of another type contains no file.
        Err(Error::Unsupported { expected: Some(_) }) => return Ok((Vec::new(), Zone::UTC)),
        Err(error) => return Err(error),
    };
    let zone = parts.iter().find(|part| part.name == "zone");
    let zone = zone.and_then(|part| Zone::parse(std::str::from_utf8(&part.bytes).ok()?));
    let files = parts
        .into_iter()
        .filter(|part| part.name == "file" && !part.bytes.is_empty());
    let uploads: Vec<Upload> = files
        .map(|Part { file_name, bytes, .. }| {
            let name = file_name.unwrap_or_default();
            let name = name.chars().filter(|c| !c.is_control()).take(200).collect();
            Upload { name, bytes }
        })
        .collect();
    // A form needs some additional space, so the body's own limit is higher.
    if uploads.iter().map(|upload| upload.bytes.len() as u64).sum::<u64>() > limit {
        return Err(Error::TooLarge { limit });
    }
    Ok((uploads, zone.unwrap_or(Zone::UTC)))
}

fn judge(
    app: &App,
    requester: &Requester,
    upload: &Upload,
    language: Language,
    zone: Zone,
) -> Result<VerdictView, Error> {
    let verdict = app.verdict(requester, &upload.bytes)?;
    let words = app::verdict_words(language, zone, &verdict);
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
    verdicts: Vec<VerdictView>,
    fault: &'static str,
) -> Response {
    let language = request.language();
    let limit = http.app().settings.largest_sealed();
    let megabytes = (limit / (1024 * 1024)).to_string();
    let too_large = i18n::text(language, "verify-too-large", &[("megabytes", &megabytes)]);
    let too_many = i18n::text(language, "verify-too-many", &[("count", &MOST_FILES.to_string())]);
    let fault = match fault {
        "" => String::new(),
        "verify-too-large" => too_large.clone(),
        "verify-too-many" => too_many.clone(),
        key => i18n::text(language, key, &[]),
    };
    let content = VerifyPage {
        data: [
            ("verify-checking", i18n::text(language, "verify-checking", &[])),
            ("verify-no-file", i18n::text(language, "verify-no-file", &[])),
            ("verify-too-large", too_large),
            ("verify-too-many", too_many),
        ]
        .into(),
        verdicts,
        action: request.link(language, "/verify", &[]),
        limit,
        most: MOST_FILES,
        fault,
    };
    let frame = request.frame(language, i18n::text(language, "verify-title", &[]));
    respond(status, "verify.html", &frame, &content)
}
