//! `GET /verify`, `POST /verify`: shows anyone whether a PDF, or a document with its certificate, is unchanged.
//!
//! The certificate's QR code opens this page. A confined worker reads the files, and we do not store them. The page
//! reveals nothing about any workflow, whatever its URL contains.

use app::{App, AttachedChain, Error, Outcome, VerdictWords, belong_together};
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
    /// The state of the audit trail in a certificate.
    chain: Option<ChainView>,
}

#[derive(Debug, Serialize)]
struct ChainView {
    is_whole: bool,
    text: String,
}

/// Whether a document and a certificate belong together.
#[derive(Debug, Serialize)]
struct PairView {
    tone: &'static str,
    symbol: &'static str,
    text: String,
}

#[derive(Serialize)]
struct VerifyPage {
    data: std::collections::BTreeMap<&'static str, String>,
    verdicts: Vec<VerdictView>,
    pair: Option<PairView>,
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
    page(&http, &request, StatusCode::OK, Judged::default(), "")
}

/// `POST /verify`
pub async fn check(State(http): State<Http>, request: PageRequest, form: Request) -> Response {
    let limit = http.app().settings.largest_sealed();
    let refuse = |status, key| page(&http, &request, status, Judged::default(), key);
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
    let judged = http.at_worker(move |app, requester| judge(app, requester, &uploads, language, zone));
    match judged.await {
        Ok(judged) => page(&http, &request, StatusCode::OK, judged, ""),
        Err(error) => request.fail(&error, language),
    }
}

/// Returns the files of the form, and the browser's time zone, which the page's script fills in (otherwise UTC). Fails
/// if the files together are too large, or did not arrive completely.
async fn receive(form: Request, limit: u64) -> Result<(Vec<Upload>, Zone), Error> {
    let parts = match multipart::read(form, limit).await {
        Ok(parts) => parts,
        // A body with a different media type contains no file.
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
    // The form itself needs some additional space, so the body's limit is higher.
    if uploads.iter().map(|upload| upload.bytes.len() as u64).sum::<u64>() > limit {
        return Err(Error::TooLarge { limit });
    }
    Ok((uploads, zone.unwrap_or(Zone::UTC)))
}

/// What the page says of all files.
#[derive(Default)]
struct Judged {
    verdicts: Vec<VerdictView>,
    pair: Option<PairView>,
}

/// Judges the files. Times are in the document's zone if a certificate says it, otherwise in the reader's.
fn judge(
    app: &App,
    requester: &Requester,
    uploads: &[Upload],
    language: Language,
    readers: Zone,
) -> Result<Judged, Error> {
    let mut read = Vec::with_capacity(uploads.len());
    for upload in uploads {
        let verdict = app.verdict(requester, &upload.bytes)?;
        // Only what a signature proves is read outside a worker.
        let chain = if verdict.holds() {
            AttachedChain::of(&upload.bytes)
        } else {
            None
        };
        read.push((upload, verdict, chain));
    }
    let zone = read.iter().find_map(|(_, _, chain)| chain.as_ref()?.zone());
    let zone = zone.unwrap_or(readers);
    let pair = match read.as_slice() {
        [(first, _, first_chain), (second, _, second_chain)] => belong_together([
            (&first.bytes, first_chain.as_ref()),
            (&second.bytes, second_chain.as_ref()),
        ]),
        _ => None,
    };
    let verdicts = read
        .into_iter()
        .map(|(upload, verdict, chain)| view(upload, app::verdict_words(language, zone, &verdict), chain, language));
    Ok(Judged {
        verdicts: verdicts.collect(),
        pair: pair.map(|belongs| PairView::of(belongs, language)),
    })
}

fn view(upload: &Upload, words: VerdictWords, chain: Option<AttachedChain>, language: Language) -> VerdictView {
    let is_broken = chain.as_ref().is_some_and(|chain| chain.0.is_err());
    let (tone, symbol) = match words.outcome {
        _ if is_broken => ("bad", "alert"),
        Outcome::Holds => ("good", "shield"),
        Outcome::SignerUnknown | Outcome::Unsigned | Outcome::TooDemanding => ("warn", "question"),
        Outcome::Revoked | Outcome::DoesNotHold | Outcome::Unreadable => ("bad", "alert"),
    };
    VerdictView {
        tone,
        symbol,
        name: upload.name.clone(),
        hash: BlobHash::of(&upload.bytes).to_string(),
        words,
        chain: chain.map(|AttachedChain(chain)| match chain {
            Ok(chain) => ChainView {
                is_whole: true,
                text: i18n::text(
                    language,
                    "verify-chain-holds",
                    &[("count", &chain.entries.len().to_string())],
                ),
            },
            Err(fault) => ChainView {
                is_whole: false,
                text: i18n::text(
                    language,
                    "verify-chain-broken",
                    &[("fault", &app::chain_fault(language, fault))],
                ),
            },
        }),
    }
}

impl PairView {
    fn of(belongs: bool, language: Language) -> Self {
        let (tone, symbol, key) = if belongs {
            ("good", "shield", "verify-certificate-belongs")
        } else {
            ("bad", "alert", "verify-certificate-foreign")
        };
        Self {
            tone,
            symbol,
            text: i18n::text(language, key, &[]),
        }
    }
}

fn page(
    http: &Http,
    request: &PageRequest,
    status: StatusCode,
    Judged { verdicts, pair }: Judged,
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
        pair,
        action: request.link(language, "/verify", &[]),
        limit,
        most: MOST_FILES,
        fault,
    };
    let frame = request.frame(language, i18n::text(language, "verify-title", &[]));
    respond(status, "verify.html", &frame, &content)
}
