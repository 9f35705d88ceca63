//! `POST /api/v3/verify`: verifies any PDF.
//!
//! The files are untrusted, so the document workers read them. We do not store them.

use app::{Error, FaultCode, Outcome, SignatureWords};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Request, State};
use document::verify::{Change, Fault, How, Part, SignatureKind, SignatureReport, Verdict};
use domain::{Language, SealLevel, Zone};
use serde::Serialize;
use utoipa::ToSchema;

use super::answers::FileBytes;
use crate::body::ignored_members::Unread;
use crate::body::json;
use crate::body::multipart;
use crate::frame::caller::Authenticated;
use crate::frame::problem::{AnswerLanguage, Failure, Problem};
use crate::frame::state::Http;

/// The verdict on a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifyResponse {
    /// Whether the file is valid: every signature is intact, the last one is from a trusted signer and is followed only
    /// by validation data, and there are no changes that a signature does not permit.
    pub holds: bool,
    /// Whether the file is valid and every signature is from a trusted signer.
    pub holds_strictly: bool,
    /// `holds`, `signer_unknown`, `revoked`, `does_not_hold`, `unsigned`, `unreadable` or `too_demanding` (not
    /// verified, because it needs more time or memory than this installation allows).
    #[schema(example = "holds")]
    pub outcome: &'static str,
    /// The outcome as a title, in the requested language.
    pub title: String,
    /// The outcome as a sentence, in the requested language.
    pub text: String,
    /// The file's length in bytes.
    pub length: u64,
    /// The signatures, oldest first.
    pub signatures: Vec<VerifiedSignature>,
    /// Faults of the file as a whole.
    pub faults: Vec<String>,
    /// The faults as text, in the requested language.
    pub problems: Vec<String>,
    /// The time zone of all times in sentences, as a sentence. Absent if no signature says when it was made; then each time
    /// names its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<String>,
}

/// The verdict on one signature.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifiedSignature {
    /// The name of its field.
    pub field: String,
    /// `certification`, `approval` or `document_timestamp`.
    #[schema(example = "certification")]
    pub kind: &'static str,
    /// Whether the signature has no faults. Its signer may still be unknown.
    pub intact: bool,
    /// Whether the signer's certificate leads to a root that this installation trusts.
    pub trusted: bool,
    /// The PAdES level `B-B`, `B-T`, `B-LT` or `B-LTA`. Absent for other formats and for signatures that are not valid.
    #[schema(example = "B-LTA")]
    pub level: Option<&'static str>,
    /// The signer's name, from the certificate.
    pub signer: Option<String>,
    /// SHA-256 of the signer's certificate, hexadecimal.
    pub fingerprint: Option<String>,
    /// The time that the signer claims, without proof.
    #[schema(example = "2026-11-28T01:02:03Z")]
    pub claimed_at: Option<String>,
    /// The latest time at which the signature must have existed, proved by a trusted timestamp.
    #[schema(example = "2026-11-28T01:02:04Z")]
    pub proved_at: Option<String>,
    /// The issuer of that timestamp.
    pub proved_by: Option<String>,
    /// When the signer's certificate was revoked, if we know. A signature proved to be older remains valid.
    #[schema(example = "2026-11-28T01:02:03Z")]
    pub revoked_at: Option<String>,
    /// The revocation reason: `keyCompromise`, `superseded`, `cessationOfOperation` or `unspecified`.
    #[schema(example = "keyCompromise")]
    pub revocation_reason: Option<&'static str>,
    /// The reason for signing, as stated by the signer.
    pub reason: Option<String>,
    /// The size of the file in bytes when it was signed.
    pub covered: u64,
    /// Later additions that the signature permits.
    pub later: Vec<VerifiedChange>,
    /// Later changes that the signature does not permit.
    pub forbidden: Vec<VerifiedChange>,
    /// All faults of the signature.
    pub faults: Vec<String>,
    /// A description of the signature in the requested language.
    pub words: SignatureInWords,
}

/// A change after a signature.
#[derive(Debug, Serialize, ToSchema)]
pub struct VerifiedChange {
    /// The part that changed: `content`, `font`, `annotation`, `page`, `script`, `field`, `validation_data` …
    #[schema(value_type = String, example = "content")]
    pub part: Part,
    /// The kind of change: `changed`, `added`, `added_visibly`, `removed`, `filled_in`, `revealed` or `unreadable`.
    #[schema(value_type = String, example = "changed")]
    pub how: How,
    /// The page, counted from 1.
    pub page: Option<u32>,
    /// The form field.
    pub field: Option<String>,
    /// The object's number in the file. 0 for the file's structure.
    pub object: u32,
    /// The changed entry of the object.
    pub entry: Option<String>,
}

impl From<&Change> for VerifiedChange {
    fn from(change: &Change) -> Self {
        Self {
            part: change.part,
            how: change.how,
            page: change.page,
            field: change.field.clone(),
            object: change.object,
            entry: change.entry.clone(),
        }
    }
}

/// A signature, described for people.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignatureInWords {
    /// The signature's kind and field.
    pub title: String,
    /// Whether the signature is valid, in words.
    pub state: String,
    /// The signer, time, certificate and format.
    pub facts: Vec<FactInWords>,
    /// The faults, in words.
    pub problems: Vec<String>,
    /// Facts that are not proved, although the signature has no faults.
    pub not_proved: Vec<String>,
    /// Later additions that the signature permits.
    pub later: Vec<String>,
}

/// A row of a table.
#[derive(Debug, Serialize, ToSchema)]
pub struct FactInWords {
    /// The label.
    pub label: String,
    /// The value.
    pub value: String,
}

impl From<SignatureWords> for SignatureInWords {
    fn from(words: SignatureWords) -> Self {
        let facts = words.facts.into_iter().map(|fact| FactInWords {
            label: fact.label,
            value: fact.value,
        });
        Self {
            title: words.title,
            state: words.state,
            facts: facts.collect(),
            problems: words.problems,
            not_proved: words.not_proved,
            later: words.later,
        }
    }
}

impl VerifyResponse {
    fn new(verdict: &Verdict, language: Language, zone: Zone) -> Self {
        let words = app::verdict_words(language, zone, verdict);
        let signatures = verdict.signatures.iter().zip(words.signatures);
        Self {
            holds: verdict.holds(),
            holds_strictly: verdict.holds_strictly(),
            outcome: match words.outcome {
                Outcome::Holds => "holds",
                Outcome::SignerUnknown => "signer_unknown",
                Outcome::Revoked => "revoked",
                Outcome::DoesNotHold => "does_not_hold",
                Outcome::Unsigned => "unsigned",
                Outcome::Unreadable => "unreadable",
                Outcome::TooDemanding => "too_demanding",
            },
            title: words.title,
            text: words.text,
            length: verdict.length,
            faults: verdict.faults.iter().map(ToString::to_string).collect(),
            problems: words.problems,
            times: words.times,
            signatures: signatures
                .map(|(report, words)| VerifiedSignature::new(report.clone(), words))
                .collect(),
        }
    }
}

impl VerifiedSignature {
    fn new(report: SignatureReport, words: SignatureWords) -> Self {
        let (intact, trusted) = (report.is_intact(), report.is_trusted());
        let revocation = report.revocation().or_else(|| report.later_revocation());
        let (signer, fingerprint) = match report.signer {
            Some(signer) => (
                Some(signer.common_name.unwrap_or(signer.subject)),
                Some(signer.fingerprint),
            ),
            None => (None, None),
        };
        let forbidden = report.faults.iter().flat_map(|fault| match fault {
            Fault::ChangedAfterSigning { changes } => changes.as_slice(),
            _ => &[],
        });
        Self {
            field: report.field,
            kind: match report.kind {
                SignatureKind::Certification { .. } => "certification",
                SignatureKind::Approval => "approval",
                SignatureKind::DocumentTimestamp => "document_timestamp",
            },
            intact,
            trusted,
            level: report.level.map(SealLevel::code),
            signer,
            fingerprint,
            claimed_at: report.claimed_at.map(|at| at.to_string()),
            proved_at: report.proved_at.as_ref().map(|proved| proved.at.to_string()),
            proved_by: report.proved_at.map(|proved| proved.authority),
            revoked_at: revocation.map(|revocation| revocation.since.to_string()),
            revocation_reason: revocation.map(|revocation| revocation.reason.code()),
            reason: report.reason,
            covered: report.covered,
            later: report.later.iter().map(Into::into).collect(),
            forbidden: forbidden.map(Into::into).collect(),
            faults: report.faults.iter().map(ToString::to_string).collect(),
            words: words.into(),
        }
    }
}

/// Verify a PDF.
///
/// The body is the file itself, or a form (`multipart/form-data`) whose first file is verified. We trust this
/// installation's root, and know which of its certificates have been revoked.
#[utoipa::path(
    post, path = "/api/v3/verify", operation_id = "verification_verify", tag = "Verification",
    request_body(content = FileBytes, content_type = "application/pdf"),
    responses(
        (status = 200, description = "The verdict, even if the file is not valid.", body = VerifyResponse),
        (status = 400, description = "The body was cut off.", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The file is too large.", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is neither a PDF nor a form.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "There is no file.", body = Problem, content_type = "application/problem+json"),
    ),
    security(("access_token" = [])),
)]
pub async fn verify(
    State(http): State<Http>,
    Authenticated(actor): Authenticated,
    AnswerLanguage(language): AnswerLanguage,
    request: Request,
) -> Result<Json<VerifyResponse>, Failure> {
    let pdf = file(request, http.app().settings.largest_sealed()).await?;
    if pdf.is_empty() {
        return Err(Error::fault("file", FaultCode::Required).into());
    }
    let verdict = http
        .at_worker(move |app, requester| app.verdict(requester, &pdf))
        .await?;
    Ok(Json(VerifyResponse::new(&verdict, language, actor.zone())))
}

/// Returns the file of a request: its body, or the first file of its form.
async fn file(request: Request, limit: u64) -> Result<Bytes, Error> {
    let unread = Unread::of(request.extensions());
    match multipart::media_type(request.headers()).as_str() {
        "" | "application/pdf" | "application/octet-stream" => {
            let (parts, body) = request.into_parts();
            json::read(&parts.headers, body, limit).await
        }
        _ => {
            let parts = multipart::read(request, limit).await.map_err(|error| match error {
                Error::Unsupported { expected: Some(_) } => Error::Unsupported {
                    expected: Some("application/pdf or multipart/form-data"),
                },
                other => other,
            })?;
            let place = parts.iter().position(|part| part.file_name.is_some());
            let mut file = Bytes::new();
            for (index, part) in parts.into_iter().enumerate() {
                if Some(index) == place {
                    file = part.bytes;
                } else {
                    unread.add("", &part.name);
                }
            }
            match unread.faults() {
                faults if faults.is_empty() => Ok(file),
                faults => Err(Error::Unprocessable(faults)),
            }
        }
    }
}
