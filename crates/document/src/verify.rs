//! Checks every signature of a PDF, and that only permitted changes followed it.
//!
//! A valid signature does not mean an unchanged file: a PDF can be extended after it was signed, and most viewers
//! report the signature as valid regardless of the addition. So a file is valid only if all of this is true:
//! - The digest of each signature excludes only the hexadecimal string of its value, and its dictionary is in the file
//!   that it signs.
//! - Digest and signature are correct, with an algorithm that is not broken.
//! - The signer's certificate chains to a trusted root, through certificates that were current, permitted for their use
//!   and not revoked at the time for which a timestamp proves that the signature existed (`trust`).
//! - The last signature covers the file to its last byte, or only validation data and a little white space follow it.
//! - Each signature permits the data appended after it ([`Rules`], `changes`): validation data and document timestamps
//!   always; more signatures, filled-in fields and annotations as certification and locks allow.
//!
//! A file is read strictly or not at all (`reading`). If its cross-references contradict each other, the file is
//! damaged, or forged if that happened after a signature, and nothing in it is proved.
//!
//! The input is untrusted: [`verify`] never panics on it, and its work is limited by the file's length times
//! [`MAX_SIGNATURES`]. The result, [`Verdict`], is plain data. Each [`Fault`] has a name and prints as an English
//! sentence. A [`Note`] is about something that is unproved but not wrong.
//!
//! May use `pdf`, `text`, `pages`, `marks` and `pki`. It needs only `pdf` and `pki`.

mod attachments;
pub(crate) mod changes;
mod damaged;
pub(crate) mod embedded;
mod path;
mod places;
mod reading;
mod rules;
mod seal_chain;
mod signature;
mod trust;

pub use attachments::{Attachment, attachment, attachments};
pub use changes::{Change, How, Part};
pub use rules::{FieldLock, Rules};
pub use seal_chain::prove_foreign_key;

pub use crate::pki::certificates::Identity;
pub use crate::pki::revocation::{RevocationData, list_from_pem_or_der};

use std::collections::BTreeMap;

use domain::SealLevel;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::pdf::defect::DeviationKind;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Deviation, Dict, File, Object, PdfDefect, Ref, Rule};
use crate::pki::algorithms::SignatureFault;
use crate::pki::keys::{KeyError, certificates_from_pem};
use crate::pki::revocation::{MAX_ITEMS, Revocation, RevocationReason};
use embedded::Embedded;
use reading::Reading;
use signature::Examined;

/// Maximum number of signatures. No document has more, and each costs a pass over the file.
pub const MAX_SIGNATURES: usize = 32;

/// Paths of keys to the value of a signature, from its own object and from a field that contains it.
const OWN_VALUE: &[&[u8]] = &[b"Contents"];
const VALUE_IN_FIELD: &[&[u8]] = &[b"V", b"Contents"];
/// The end of the year 2999, in seconds since 1970.
const FAR_FUTURE: i64 = 32_503_679_999;

/// The certificates that a verifier trusts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedRoots {
    certificates: Vec<Vec<u8>>,
}

impl TrustedRoots {
    pub fn new(certificates: Vec<Vec<u8>>) -> Self {
        Self { certificates }
    }

    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        Ok(Self::new(certificates_from_pem(pem)?))
    }

    /// Also trusts another certificate (DER).
    pub fn add(&mut self, certificate: Vec<u8>) {
        self.certificates.push(certificate);
    }

    /// Returns the certificates as DER.
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }
}

/// Additional data for a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Means {
    /// Trusted roots of signers and of time-stamp authorities.
    pub roots: TrustedRoots,
    /// Revocation data in addition to that in the file.
    pub revocation: RevocationData,
}

impl From<TrustedRoots> for Means {
    fn from(roots: TrustedRoots) -> Self {
        Self {
            roots,
            revocation: RevocationData::default(),
        }
    }
}

/// The verdict on a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The file's length in bytes.
    pub length: u64,
    /// The signatures, in the order in which they were made.
    pub signatures: Vec<SignatureReport>,
    /// Faults of the file as a whole.
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Returns whether the file is valid. The signer of the last signature must be trusted. Earlier signatures must be
    /// intact and not revoked, but their signers may be unknown, because they signed before the document was uploaded.
    /// The authorities of document timestamps may also be unknown, but then their timestamps prove no time.
    pub fn holds(&self) -> bool {
        let is_by_somebody = |signature: &SignatureReport| signature.kind != SignatureKind::DocumentTimestamp;
        let last = self
            .signatures
            .iter()
            .rposition(is_by_somebody)
            .or(self.signatures.len().checked_sub(1));
        let do_hold = |(index, signature): (usize, &SignatureReport)| {
            if Some(index) == last {
                signature.faults.is_empty()
            } else {
                signature.is_intact() && !(is_by_somebody(signature) && signature.revocation().is_some())
            }
        };
        last.is_some() && self.faults.is_empty() && self.signatures.iter().enumerate().all(do_hold)
    }

    /// Returns whether the file is valid and the signer of every signature is trusted.
    pub fn holds_strictly(&self) -> bool {
        self.holds() && self.signatures.iter().all(|signature| signature.faults.is_empty())
    }

    /// Returns all faults except unknown signers, each with the field of the signature that it concerns, if any.
    pub fn unsound(&self) -> impl Iterator<Item = (Option<&str>, &Fault)> {
        self.all_faults().filter(|(_, fault)| !fault.concerns_trust())
    }

    /// Returns all faults, each with the field of the signature that it concerns, if any.
    pub fn all_faults(&self) -> impl Iterator<Item = (Option<&str>, &Fault)> {
        let of_file = self.faults.iter().map(|fault| (None, fault));
        let of_signatures = self.signatures.iter().flat_map(|signature| {
            signature
                .faults
                .iter()
                .map(|fault| (Some(signature.field.as_str()), fault))
        });
        of_file.chain(of_signatures)
    }
}

/// The kind of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureKind {
    /// The author's signature, which states the changes that may follow it.
    Certification {
        /// DocMDP level: 1 permits no changes, 2 filling in forms, 3 also annotations.
        level: u8,
    },
    /// Any other signature.
    Approval,
    DocumentTimestamp,
}

/// A time at which a signature existed, proved by a party that the verifier trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvedTime {
    /// Time at which the signature existed.
    pub at: Timestamp,
    /// Name of the time-stamp authority.
    pub authority: String,
    /// Whether the proof is a later timestamp of the document, not a timestamp of the signature itself.
    pub by_document_timestamp: bool,
}

/// A timestamp inside a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimestampReport {
    pub at: Timestamp,
    /// Name in the certificate of the timestamp's signer.
    pub authority: Option<Identity>,
    /// Reason why the timestamp proves nothing, if so.
    pub fault: Option<Fault>,
}

/// A statement that is unproved but not wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// The signer says that the document is a test.
    IsTest,
    /// The time of signing is only claimed by the signer.
    TimeNotProved,
    /// The claimed time is later than the time at which the signature provably existed.
    ClaimedTimeContradicted,
    /// The signer's certificate was not valid at the claimed time.
    ClaimedTimeOutsideCertificate,
    /// The certificate has expired. It was valid at the claimed time, but nothing proves that time.
    ValidWhenClaimed { subject: String },
    /// The certificate was revoked after the time at which the signature provably existed, so the signature counts. If
    /// the key was stolen ([`RevocationReason::KeyCompromise`]), nothing proves that the theft did not happen earlier.
    RevokedLater {
        subject: String,
        since: Timestamp,
        reason: RevocationReason,
    },
    /// It is unknown whether the certificate was revoked.
    RevocationUnknown { subject: String },
}

/// In the signature dictionary of a test. Other programs ignore it.
pub(crate) const OF_TEST: &[u8] = b"CountersignTest";

/// The verdict on one signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureReport {
    /// Name of the signature field. Empty if there is none.
    pub field: String,
    pub kind: SignatureKind,
    /// Format of the signature value (`/SubFilter`).
    pub sub_filter: String,
    /// PAdES level. `None` if the format is not PAdES, or the signature is not valid.
    pub level: Option<SealLevel>,
    /// Name in the signer's certificate. Proved only if there are no faults.
    pub signer: Option<Identity>,
    /// Time claimed by the signer (`/M`), without proof.
    pub claimed_at: Option<Timestamp>,
    /// The proved time.
    pub proved_at: Option<ProvedTime>,
    /// The timestamps of the signature itself.
    pub timestamps: Vec<TimestampReport>,
    /// Stated reason.
    pub reason: Option<String>,
    /// The signer's name in the signature dictionary.
    pub name: Option<String>,
    /// Stated place.
    pub location: Option<String>,
    /// Length of the file when it was signed.
    pub covered: u64,
    /// Later changes that the signature permits.
    pub permits: Rules,
    /// Later changes that were made and are permitted.
    pub later: Vec<Change>,
    /// Statements that are not proved.
    pub notes: Vec<Note>,
    pub faults: Vec<Fault>,
}

impl SignatureReport {
    /// Returns whether there are no faults, except perhaps an unknown signer.
    pub fn is_intact(&self) -> bool {
        self.faults.iter().all(Fault::concerns_trust)
    }

    /// Returns the revocation of one of the signer's certificates before the time at which the signature provably
    /// existed.
    pub fn revocation(&self) -> Option<Revocation> {
        self.faults.iter().find_map(|fault| match fault {
            Fault::CertificateRevoked { since, reason, .. } => Some(Revocation {
                since: *since,
                reason: *reason,
            }),
            _ => None,
        })
    }

    /// Returns the revocation of one of the signer's certificates after that time. The signature still counts.
    pub fn later_revocation(&self) -> Option<Revocation> {
        self.notes.iter().find_map(|note| match note {
            Note::RevokedLater { since, reason, .. } => Some(Revocation {
                since: *since,
                reason: *reason,
            }),
            _ => None,
        })
    }

    /// Returns whether the signer's certificate chains to a trusted root.
    pub fn is_trusted(&self) -> bool {
        self.signer.is_some() && !self.faults.iter().any(Fault::concerns_trust)
    }
}

/// Faults of a file or a signature.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The file cannot be read as a PDF.
    #[error("the file cannot be read as a PDF: {reason}")]
    Unreadable {
        /// The reader's reason.
        reason: String,
    },
    /// The file needs more time or memory than allowed. That says nothing about its signatures.
    #[error("the file was not verified, because it needs more time or memory than is allowed here")]
    TooDemanding,
    /// Readers would have to guess the positions of objects, and may guess differently.
    #[error("the file is damaged, so programs may read it differently: {reason}")]
    DamagedStructure {
        /// The violated rule, with its location.
        reason: String,
        defect: PdfDefect,
    },
    /// After the first signature, a wrong cross-reference was added or used, so programs may show different documents.
    #[error(
        "the file was forged: since it was signed, its cross-references lead programs to different objects with \
        the number {object}"
    )]
    ForgedReferences {
        /// The object's number.
        object: u32,
    },
    /// The file is encrypted.
    #[error("the file is encrypted")]
    Encrypted,
    /// There is no signature.
    #[error("the file has no signature")]
    NoSignature,
    /// There are more signatures than we examine.
    #[error("the file has {count} signatures, but at most {MAX_SIGNATURES} are checked")]
    TooManySignatures { count: usize },
    /// There is more validation data than we read. The rest might revoke a certificate.
    #[error("the file contains too much validation data: more than {MAX_ITEMS} items of a kind, or more than 64 MiB")]
    TooMuchValidationData,
    /// A signature dictionary was missing from the file that it claims to sign, or differs.
    #[error("the signature does not belong to this file: it was copied from elsewhere, or changed")]
    NotInItsRevision,
    /// A signature is in no field of the form: either the field or the signature was removed from it.
    #[error("object {object} is or was a signature, but it is no longer in a signature field")]
    FieldRemoved {
        /// The signature dictionary's object number.
        object: u32,
    },
    /// The file continues after the end of the last signature.
    #[error("the last signature covers {covered} of {length} bytes; the rest is not signed")]
    NotCoveredToEnd {
        /// Number of covered bytes.
        covered: u64,
        /// Length of the file.
        length: u64,
    },
    /// The byte range is malformed, or does not match a signature.
    #[error("the signature's byte range is not valid: {reason}")]
    ByteRange {
        /// Description of the problem.
        reason: String,
    },
    /// The bytes excluded from the digest are not exactly the signature's value.
    #[error("the bytes that the signature leaves out are not exactly its own value")]
    GapIsNotValue,
    /// The signature's value cannot be read.
    #[error("{reason}")]
    UnreadableValue {
        /// The reader's reason.
        reason: String,
    },
    /// The signature format is unknown or too old.
    #[error(
        "signatures of the format “{name}” are not verified, because the format is unknown or obsolete (adbe.x509.rsa_sha1)"
    )]
    UnsupportedFormat {
        /// The format (`/SubFilter`).
        name: String,
    },
    /// The algorithm is broken, so anyone could have made the signature.
    #[error("{}", SignatureFault::WeakAlgorithm(.name.clone()))]
    WeakAlgorithm {
        /// Name of the algorithm.
        name: String,
    },
    /// The algorithm is unknown.
    #[error("{}", SignatureFault::UnsupportedAlgorithm(.name.clone()))]
    UnsupportedAlgorithm {
        /// Name of the algorithm.
        name: String,
    },
    /// The covered bytes differ from those that were signed.
    #[error("{}", SignatureFault::DigestMismatch)]
    DigestMismatch,
    /// The signature was not made with the signer's key.
    #[error("{}", SignatureFault::SignatureMismatch)]
    SignatureMismatch,
    /// The message does not contain its signer's certificate.
    #[error("the signer's certificate is missing")]
    SignerCertificateMissing,
    /// The signed attributes identify another certificate.
    #[error("the signature was made for another of the signer's certificates")]
    SigningCertificateMismatch,
    /// A CAdES signature must identify its certificate.
    #[error("the signature is not bound to the signer's certificate")]
    SigningCertificateMissing,
    /// The certificate does not chain to a trusted root.
    #[error("signer not verified: {subject}, issued by {issuer}, has no trusted root")]
    UntrustedSigner {
        /// Name of the last certificate in the chain.
        subject: String,
        issuer: String,
    },
    /// A certificate has expired, and nothing proves that the signature is older.
    #[error("the certificate of {subject} expired at {not_after}")]
    CertificateExpired { subject: String, not_after: Timestamp },
    /// A certificate is not valid yet.
    #[error("the certificate of {subject} is valid only from {not_before}")]
    CertificateNotYetValid { subject: String, not_before: Timestamp },
    /// A certificate may not be used for this purpose.
    #[error("the certificate of {subject} is not allowed for this use: {reason}")]
    CertificateUnusable {
        subject: String,
        /// The rule that forbids the use.
        reason: String,
    },
    /// A certificate was revoked.
    #[error("the certificate of {subject} was revoked at {since} ({})", .reason.code())]
    CertificateRevoked {
        subject: String,
        since: Timestamp,
        reason: RevocationReason,
    },
    /// A timestamp covers other data, or is not valid.
    #[error("a timestamp is not valid: {reason}")]
    TimestampInvalid {
        /// Description of the problem.
        reason: String,
    },
    /// The file was changed after the signature.
    #[error("the file was changed after this signature: {}", changes::list(.changes))]
    ChangedAfterSigning {
        /// The changes, up to a limit.
        changes: Vec<Change>,
    },
    /// A certification signature must be the first.
    #[error("a certifying signature must come first, but this one follows another signature")]
    CertificationNotFirst,
}

impl From<SignatureFault> for Fault {
    fn from(fault: SignatureFault) -> Self {
        match fault {
            SignatureFault::DigestMismatch => Self::DigestMismatch,
            SignatureFault::SignatureMismatch => Self::SignatureMismatch,
            SignatureFault::WeakAlgorithm(name) => Self::WeakAlgorithm { name },
            SignatureFault::UnsupportedAlgorithm(name) => Self::UnsupportedAlgorithm { name },
        }
    }
}

impl Fault {
    /// Returns whether the signature is intact and only the signer's identity is unconfirmed.
    pub fn concerns_trust(&self) -> bool {
        matches!(
            self,
            Self::UntrustedSigner { .. }
                | Self::CertificateExpired { .. }
                | Self::CertificateNotYetValid { .. }
                | Self::CertificateUnusable { .. }
                | Self::CertificateRevoked { .. }
        )
    }

    /// Returns whether the digest or the signature is wrong, so that it is unclear what the signature covers.
    fn concerns_soundness(&self) -> bool {
        !self.concerns_trust() && !matches!(self, Self::ChangedAfterSigning { .. } | Self::CertificationNotFirst)
    }
}

/// Verifies all signatures of `pdf` at the time `at`, with only trusted roots.
pub fn verify(pdf: &[u8], roots: &TrustedRoots, at: Timestamp) -> Verdict {
    verify_with(pdf, &Means::from(roots.clone()), at)
}

/// Verifies the signatures of `pdf`, regardless of the signers. [`Verdict::unsound`] returns the faults.
pub fn verify_soundness(pdf: impl Into<SharedBytes>) -> Verdict {
    // The time matters only for trust, but must be later than every time in the file.
    let moment = Timestamp::from_second(FAR_FUTURE).unwrap_or(Timestamp::MAX);
    verify_with(pdf, &Means::default(), moment)
}

/// Verifies all signatures of `pdf` at the time `at`.
pub fn verify_with(pdf: impl Into<SharedBytes>, means: &Means, at: Timestamp) -> Verdict {
    let pdf = pdf.into();
    match judge(pdf.clone(), means, at) {
        Ok(verdict) => verdict,
        Err(defect) => damaged::judge(&pdf, &defect, |part| judge(part, means, at).ok()),
    }
}

/// Reads a file strictly.
fn open(pdf: SharedBytes) -> Result<File, PdfDefect> {
    let file = File::open(pdf, None)?;
    match file.access() {
        None => Ok(file),
        Some(_) => Err(PdfDefect::new(0, Rule::PasswordNeeded)),
    }
}

fn judge(pdf: SharedBytes, means: &Means, at: Timestamp) -> Result<Verdict, PdfDefect> {
    let file = open(pdf)?;
    let current = reading::read(&file)?;
    let mut faults = Vec::new();
    let mut signatures = examine(&file, &current, &mut faults);
    let embedded = Embedded::of(&current);
    if embedded.is_too_much {
        faults.push(Fault::TooMuchValidationData);
    }
    let judge = trust::Judge {
        roots: &means.roots,
        embedded: &embedded,
        given: &means.revocation,
        now: at,
    };
    judge.all(&mut signatures);
    Ok(Verdict {
        length: length_of(file.bytes()),
        signatures: signatures.into_iter().map(|signature| signature.report).collect(),
        faults,
    })
}

/// Returns the signatures, oldest first, each judged independently, and the faults of the file.
fn examine(file: &File, current: &Reading<'_>, faults: &mut Vec<Fault>) -> Vec<Examined> {
    let mut signatures: Vec<Examined> = find(file, current, faults)
        .iter()
        .map(|signature| signature::examine(file, current, signature))
        .collect();
    signatures.sort_by_key(|signature| signature.report.covered);
    faults.splice(0..0, structure_fault(file, &signatures));
    for (index, signature) in signatures.iter_mut().enumerate() {
        let certifies = matches!(signature.report.kind, SignatureKind::Certification { .. });
        if certifies && index > 0 {
            signature.report.faults.push(Fault::CertificationNotFirst);
        }
    }
    // An invalid signature proves nothing about the content it claims to cover. A document timestamp only proves when
    // content existed: its authority stamps everything that it gets, and does not vouch for earlier additions.
    let is_by_somebody = |signature: &&Examined| signature.report.kind != SignatureKind::DocumentTimestamp;
    let mut sound = signatures.iter().filter(|signature| signature.is_sound);
    let last = sound.clone().rfind(is_by_somebody).or_else(|| sound.next_back());
    if let Some(last) = last
        && !last.is_last_word
    {
        faults.push(Fault::NotCoveredToEnd {
            covered: last.report.covered,
            length: length_of(file.bytes()),
        });
    }
    signatures
}

/// Returns a structural fault of a readable file. `signatures` are sorted by the content they cover. A fault covered by
/// the first signature is damage; a later one was added.
fn structure_fault(file: &File, signatures: &[Examined]) -> Option<Fault> {
    let header = file.bytes().len() - file.body().len();
    let first = signatures
        .iter()
        .filter(|signature| signature.is_sound)
        .find_map(|first| {
            let covered = usize::try_from(first.report.covered).ok()?;
            Some((first.revision? + 1, covered.checked_sub(header)?))
        });
    if let Some((revision, from)) = first
        && let Err(defect) = file.is_appended_strictly(revision, from)
    {
        return Some(damaged::fault_of_appended(&defect));
    }
    // An entry that points to no object makes some programs search the file. If signed content was changed later, these
    // programs show another document than the others.
    let is_stray = |deviation: &Deviation| deviation.kind == DeviationKind::EntryAtZero;
    let stray = file.deviations().into_iter().find(is_stray)?;
    let mut faults = signatures.iter().flat_map(|signature| &signature.report.faults);
    let changed = faults.find_map(|fault| match fault {
        Fault::ChangedAfterSigning { changes } => changes.iter().find(|change| change.object > 0),
        _ => None,
    });
    Some(match changed {
        Some(Change { object, .. }) => Fault::ForgedReferences { object: *object },
        None => damaged::fault_of(&PdfDefect::new(stray.offset, Rule::StrayEntry)),
    })
}

fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// A signature dictionary in the file's newest revision.
struct Found<'f> {
    name: String,
    /// The fields with this value. Several can share it, such as those that show values in a signed file.
    fields: Vec<&'f Dict>,
    id: Option<Ref>,
    dict: &'f Dict,
    /// The object that contains the value, and the path of keys to it.
    place: Option<(Ref, &'static [&'static [u8]])>,
}

/// Returns the signatures with which the maker of a viewer grants rights (ISO 32000-1, 12.8.2.3). They sign no
/// document.
fn usage_rights(reading: &Reading<'_>) -> Vec<Ref> {
    let permissions = reading.catalog().and_then(|catalog| reading.dict(catalog, b"Perms"));
    [&b"UR3"[..], b"UR"]
        .into_iter()
        .filter_map(|key| permissions?.get(key)?.as_ref())
        .collect()
}

/// Returns all signatures that are or once were in a field.
fn find<'f>(file: &'f File, reading: &Reading<'f>, faults: &mut Vec<Fault>) -> Vec<Found<'f>> {
    let mut found: Vec<Found<'f>> = Vec::new();
    let mut known: BTreeMap<Ref, usize> = BTreeMap::new();
    for field in places::named_fields(reading) {
        let value = field.dict.get(b"V").filter(|_| field.is_signature);
        let Some((value, dict)) = value.and_then(|value| Some((value, reading.as_dict(value)?))) else {
            continue;
        };
        let id = value.as_ref();
        let shared = id.and_then(|id| known.get(&id)).and_then(|index| found.get_mut(*index));
        if let Some(shared) = shared {
            shared.fields.push(field.dict);
            // The seal's own field follows the others that have the same value.
            shared.name = field.name;
            continue;
        }
        if let Some(id) = id {
            known.insert(id, found.len());
        }
        let path: &[&[u8]] = if id.is_some() { OWN_VALUE } else { VALUE_IN_FIELD };
        found.push(Found {
            name: field.name,
            fields: vec![field.dict],
            id,
            dict,
            place: id.or(field.id).map(|object| (object, path)),
        });
    }
    let rights = usage_rights(reading);
    let is_loose = |(id, object): (Ref, &'f Object)| match object {
        Object::Dict(dict) if dict.has(b"ByteRange") && dict.has(b"Contents") && !rights.contains(&id) => {
            Some((id, dict))
        }
        _ => None,
    };
    for (id, dict) in reading.objects().filter_map(is_loose) {
        if !known.contains_key(&id) {
            faults.push(Fault::FieldRemoved { object: id.number });
            found.push(Found {
                name: String::new(),
                fields: Vec::new(),
                id: Some(id),
                dict,
                place: Some((id, OWN_VALUE)),
            });
        }
    }
    if found.is_empty() {
        let mut ever = file
            .objects_ever()
            .filter_map(|(id, object)| is_loose((id, object.ok()?)));
        faults.push(match ever.next() {
            Some((id, _)) => Fault::FieldRemoved { object: id.number },
            None => Fault::NoSignature,
        });
    }
    if found.len() > MAX_SIGNATURES {
        faults.push(Fault::TooManySignatures { count: found.len() });
        found.truncate(MAX_SIGNATURES);
    }
    found
}
