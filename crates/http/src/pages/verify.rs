//! `GET /verify`, `POST /verify`: whoever holds a PDF learns whether it is unchanged.
//!
//! The certificate's QR code leads here. The file is read in a confined worker and forgotten; nothing
//! about a workflow is told, whatever the address names.
#![expect(clippy::disallowed_types, reason = "what axum refuses of a form is answered as ours")]

use app::{App, DocumentFault, Error};
use axum::extract::multipart::MultipartRejection;
use axum::extract::{Multipart, State};
use axum::http::StatusCode;
use axum::response::Response;
use document::verify::{Fault, SignatureReport, Verdict};
use domain::{BlobHash, Language, UtcOffset};
use serde::Serialize;

use super::render::respond;
use super::request::PageRequest;
use crate::bodies::not_arrived;
use crate::router::Http;

#[derive(Debug, Serialize)]
struct SignatureView {
    signer: Option<String>,
    at: Option<String>,
    intact: bool,
    trusted: bool,
    covers: bool,
}

#[derive(Debug, Serialize)]
struct VerdictView {
    tone: &'static str,
    symbol: &'static str,
    title: String,
    text: String,
    name: String,
    hash: String,
    signatures: Vec<SignatureView>,
    problems: Vec<String>,
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
    let roots = app.trusted_roots()?;
    let hash = BlobHash::of(&upload.bytes).to_string();
    let name = upload.name.clone();
    match app.documents.verify(&upload.bytes, &roots, app.now()) {
        Ok(verdict) => Ok(view(language, &verdict, name, hash)),
        Err(DocumentFault::Refused(_)) => Ok(said(language, Said::Unreadable, name, hash)),
        Err(fault) => Err(fault.at("file")),
    }
}

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Good,
    Unknown,
    Bad,
    Unsigned,
    Unreadable,
}

fn verdict_of(verdict: &Verdict) -> Said {
    if verdict.holds() {
        Said::Good
    } else if verdict
        .faults
        .iter()
        .any(|fault| matches!(fault, Fault::Unreadable { .. } | Fault::Encrypted))
    {
        Said::Unreadable
    } else if verdict.signatures.is_empty() && verdict.faults.iter().all(|fault| matches!(fault, Fault::NoSignature)) {
        Said::Unsigned
    } else if verdict.faults.is_empty() && verdict.signatures.iter().all(SignatureReport::is_intact) {
        Said::Unknown
    } else {
        Said::Bad
    }
}

fn said(language: Language, said: Said, name: String, hash: String) -> VerdictView {
    let (tone, symbol, title, text) = match said {
        Said::Good => ("good", "shield", "verify-result-good", "verify-result-good-text"),
        Said::Unknown => (
            "warn",
            "question",
            "verify-result-unknown",
            "verify-result-unknown-text",
        ),
        Said::Bad => ("bad", "alert", "verify-result-bad", "verify-result-bad-text"),
        Said::Unsigned => (
            "warn",
            "question",
            "verify-result-unsigned",
            "verify-result-unsigned-text",
        ),
        Said::Unreadable => (
            "bad",
            "alert",
            "verify-result-unreadable",
            "verify-result-unreadable-text",
        ),
    };
    VerdictView {
        tone,
        symbol,
        title: i18n::text(language, title, &[]),
        text: i18n::text(language, text, &[]),
        name,
        hash,
        signatures: Vec::new(),
        problems: Vec::new(),
    }
}

fn view(language: Language, verdict: &Verdict, name: String, hash: String) -> VerdictView {
    let mut view = said(language, verdict_of(verdict), name, hash);
    view.signatures = verdict
        .signatures
        .iter()
        .map(|signature| SignatureView {
            signer: signature
                .signer
                .as_ref()
                .map(|signer| signer.common_name.clone().unwrap_or_else(|| signer.subject.clone())),
            at: signature
                .claimed_at
                .map(|at| i18n::date_time(language, at, UtcOffset::default())),
            intact: signature.is_intact(),
            trusted: signature.is_trusted(),
            covers: signature.covered == verdict.length,
        })
        .collect();
    for (_, fault) in verdict.all_faults() {
        let problem = problem(language, fault);
        if !view.problems.contains(&problem) {
            view.problems.push(problem);
        }
    }
    view
}

/// What is wrong, in the reader's language.
fn problem(language: Language, fault: &Fault) -> String {
    let plain = |key: &str| i18n::text(language, key, &[]);
    let of = |key: &str, subject: &str| i18n::text(language, key, &[("subject", subject)]);
    match fault {
        Fault::Unreadable { .. } => plain("verify-fault-unreadable"),
        Fault::DamagedStructure => plain("verify-fault-damaged"),
        Fault::Encrypted => plain("verify-fault-encrypted"),
        Fault::NoSignature => plain("verify-fault-unsigned"),
        Fault::TooManySignatures { .. } => plain("verify-fault-too-many"),
        Fault::FieldRemoved { .. } => plain("verify-fault-field-removed"),
        Fault::NotCoveredToEnd { .. } => plain("verify-fault-not-covered"),
        Fault::ByteRange { .. } | Fault::GapIsNotValue | Fault::UnreadableValue { .. } => {
            plain("verify-fault-malformed")
        }
        Fault::UnsupportedFormat { .. } | Fault::UnsupportedAlgorithm { .. } => plain("verify-fault-unsupported"),
        Fault::DigestMismatch => plain("verify-fault-digest"),
        Fault::SignatureMismatch => plain("verify-fault-signature"),
        Fault::SignerCertificateMissing | Fault::SigningCertificateMismatch | Fault::SigningCertificateMissing => {
            plain("verify-fault-certificate")
        }
        Fault::UntrustedSigner { subject, .. } => of("verify-fault-untrusted", subject),
        Fault::CertificateExpired { subject, .. } => of("verify-fault-expired", subject),
        Fault::CertificateNotYetValid { subject, .. } => of("verify-fault-not-yet", subject),
        Fault::CertificateUnusable { subject, .. } => of("verify-fault-unusable", subject),
        Fault::ChangedAfterSigning { .. } => plain("verify-fault-changed"),
        Fault::CertificationNotFirst => plain("verify-fault-order"),
        Fault::TimestampNotExamined => plain("verify-fault-timestamp"),
    }
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
        action: request.link("/verify", &[]),
        limit,
        fault,
    };
    let frame = request.frame(language, i18n::text(language, "verify-title", &[]));
    respond(status, "verify.html", &frame, &content)
}
