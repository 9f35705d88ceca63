//! `POST /api/v3/verify`: any PDF in, a verdict out.
//!
//! The file is a stranger's, so the workers read it. It is kept nowhere.
#![expect(clippy::disallowed_types, reason = "what axum refuses of a form is answered as ours")]

use app::{Error, FaultCode};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::http::header;
use document::verify::{SignatureKind, SignatureReport, Verdict};
use serde::Serialize;
use utoipa::ToSchema;

use crate::json_body;
use crate::problem::{Failure, Problem};
use crate::router::Http;

/// What there is to say of a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifyResponse {
    /// Everything holds: every signature is intact, the last one is by a trusted signer and covers
    /// the file to its end, and nothing was changed after it.
    pub holds: bool,
    /// The same, and the signer of every signature is trusted.
    pub holds_strictly: bool,
    /// The file's length in bytes.
    pub length: u64,
    /// Its signatures, in the order in which they were made.
    pub signatures: Vec<VerifiedSignature>,
    /// What is wrong with the file as a whole.
    pub faults: Vec<String>,
}

/// What there is to say of one signature.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifiedSignature {
    /// The name of its field.
    pub field: String,
    /// `certification`, `approval` or `document_timestamp`.
    #[schema(example = "certification")]
    pub kind: &'static str,
    /// Nothing is wrong with it but, possibly, that its signer is unknown.
    pub intact: bool,
    /// Its signer leads to a root that this installation trusts.
    pub trusted: bool,
    /// The signer's name, from the certificate.
    pub signer: Option<String>,
    /// SHA-256 of the signer's certificate, hexadecimal.
    pub fingerprint: Option<String>,
    /// The time that the signer claims.
    #[schema(example = "2026-11-28T01:02:03Z")]
    pub claimed_at: Option<String>,
    /// The reason that is given.
    pub reason: Option<String>,
    /// How many bytes of the file were there when it was signed.
    pub covered: u64,
    /// Everything that is wrong with it.
    pub faults: Vec<String>,
}

impl From<Verdict> for VerifyResponse {
    fn from(verdict: Verdict) -> Self {
        Self {
            holds: verdict.holds(),
            holds_strictly: verdict.holds_strictly(),
            length: verdict.length,
            faults: verdict.faults.iter().map(ToString::to_string).collect(),
            signatures: verdict.signatures.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<SignatureReport> for VerifiedSignature {
    fn from(report: SignatureReport) -> Self {
        let (intact, trusted) = (report.is_intact(), report.is_trusted());
        let (signer, fingerprint) = match report.signer {
            Some(signer) => (
                Some(signer.common_name.unwrap_or(signer.subject)),
                Some(signer.fingerprint),
            ),
            None => (None, None),
        };
        Self {
            field: report.field,
            kind: match report.kind {
                SignatureKind::Certification { .. } => "certification",
                SignatureKind::Approval => "approval",
                SignatureKind::DocumentTimestamp => "document_timestamp",
            },
            intact,
            trusted,
            signer,
            fingerprint,
            claimed_at: report.claimed_at.map(|at| at.to_string()),
            reason: report.reason,
            covered: report.covered,
            faults: report.faults.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Verify a PDF.
///
/// The body is the file itself, or a form (`multipart/form-data`) whose first file counts. The roots
/// trusted are this installation's.
#[utoipa::path(
    post, path = "/api/v3/verify", tag = "Verification",
    request_body(content = Vec<u8>, content_type = "application/pdf"),
    responses(
        (status = 200, body = VerifyResponse),
        (status = 400, description = "The body did not arrive as a whole.", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The file is too large.", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is neither a PDF nor a form.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "There is no file.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn verify(State(http): State<Http>, request: Request) -> Result<Json<VerifyResponse>, Failure> {
    let pdf = file(request, http.app().settings.largest_document).await?;
    if pdf.is_empty() {
        return Err(Error::fault("file", FaultCode::Required).into());
    }
    let verdict = http
        .blocking(move |app| {
            let roots = app.trusted_roots()?;
            app.documents
                .verify(&pdf, &roots, app.now())
                .map_err(|fault| fault.at("file"))
        })
        .await?;
    Ok(Json(verdict.into()))
}

/// The file of a request: its body, or the first file of its form.
async fn file(request: Request, limit: u64) -> Result<Bytes, Error> {
    let media_type = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let essence = media_type
        .unwrap_or("application/pdf")
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    match essence.to_ascii_lowercase().as_str() {
        "application/pdf" | "application/octet-stream" => {
            let (parts, body) = request.into_parts();
            json_body::read(&parts.headers, body, limit).await
        }
        "multipart/form-data" => {
            // A form is a little longer than its file.
            let (parts, body) = request.into_parts();
            let whole = json_body::read(&parts.headers, body, limit.saturating_add(64 * 1024)).await?;
            let request = Request::from_parts(parts, Body::from(whole));
            let broken = || Error::BrokenBody;
            let mut form = Multipart::from_request(request, &()).await.map_err(|_| broken())?;
            while let Some(field) = form.next_field().await.map_err(|_| broken())? {
                if field.file_name().is_some() {
                    return field.bytes().await.map_err(|_| broken());
                }
            }
            Ok(Bytes::new())
        }
        _ => Err(Error::Unsupported),
    }
}
