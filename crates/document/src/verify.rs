//! Checks every signature of a PDF, and that nothing but what may follow them did.
//!
//! A valid signature is not an unchanged file: a PDF may be extended after it was signed, and most
//! viewers call the signature valid whatever was added. So a file holds here only where all of this
//! is true:
//! - each signature leaves out of its digest exactly the hexadecimal string that is its value, and its dictionary was in
//!   the file that it signs;
//! - digest and signature are right, by an algorithm that is not broken;
//! - the signer's certificate leads to a trusted root, through certificates that are in their time,
//!   allowed to do what they do, and not revoked, at the moment for which a timestamp proves that the signature was there
//!   (`trust`);
//! - the last signature covers the file to its last byte, or nothing follows it but validation data and a little white space;
//! - what was appended after each signature is what it permits ([`Rules`], `changes`): validation data and document
//!   timestamps always; further signatures, fields that are filled in and annotations by certification and locks.
//!
//! A file is read strictly or not at all (`reading`): one whose cross-references do not say one thing is damaged, or forged if that
//! came after a signature, and nothing in it is proved.
//!
//! The input is a stranger's: [`verify`] never panics on it, and its work is bounded by the file's length times
//! [`MAX_SIGNATURES`]. The answer, [`Verdict`], is plain data; each [`Fault`] has a name, and prints as an English sentence. What
//! nothing proves, and is no fault, is a [`Note`].
//!
//! May use `pdf`, `text`, `pages`, `marks` and `pki`; it needs `pdf` and `pki` alone.

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

pub use attachments::{Attachment, attachments};
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

/// More signatures than a document has; each costs one reading of the file.
pub const MAX_SIGNATURES: usize = 32;

/// How the value of a signature is reached from its own object, and from a field in which it stands.
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
    /// Trusts these certificates (DER).
    pub fn new(certificates: Vec<Vec<u8>>) -> Self {
        Self { certificates }
    }

    /// Trusts the certificates of a PEM text.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        Ok(Self::new(certificates_from_pem(pem)?))
    }

    /// Trusts another certificate (DER) too.
    pub fn add(&mut self, certificate: Vec<u8>) {
        self.certificates.push(certificate);
    }

    /// The certificates (DER).
    pub fn certificates(&self) -> &[Vec<u8>] {
        &self.certificates
    }
}

/// What a verifier brings along.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Means {
    /// Whom he trusts: signers' and time-stamp authorities' roots.
    pub roots: TrustedRoots,
    /// What he knows of revoked certificates beside what the file holds.
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

/// What there is to say of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The file's length in bytes.
    pub length: u64,
    /// Its signatures, in the order in which they were made.
    pub signatures: Vec<SignatureReport>,
    /// What is wrong with the file as a whole.
    pub faults: Vec<Fault>,
}

impl Verdict {
    /// Whether everything holds. The signer of the last signature must be trusted; earlier signatures must be intact, but
    /// their signers may be unknown (they were there before the document came to us) but not revoked, and so may be the
    /// authorities of document timestamps, which then prove no time.
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

    /// Whether everything holds, and the signer of every signature is trusted.
    pub fn holds_strictly(&self) -> bool {
        self.holds() && self.signatures.iter().all(|signature| signature.faults.is_empty())
    }

    /// What is wrong but that signers are unknown, with the field of the signature that it concerns, if it concerns one.
    pub fn unsound(&self) -> impl Iterator<Item = (Option<&str>, &Fault)> {
        self.all_faults().filter(|(_, fault)| !fault.concerns_trust())
    }

    /// All faults with the field of the signature that they concern, if they concern one.
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

/// What kind of signature it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignatureKind {
    /// The author's: it states what may change after it.
    Certification {
        /// DocMDP level: 1 nothing, 2 filling in forms, 3 annotations too.
        level: u8,
    },
    /// Any other signature.
    Approval,
    /// A document timestamp.
    DocumentTimestamp,
}

/// A moment at which a signature was there, as somebody proves whom the verifier trusts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvedTime {
    /// When it was there at the latest.
    pub at: Timestamp,
    /// The name of the time-stamp authority.
    pub authority: String,
    /// Whether the proof is a timestamp of the document, which was added later, not one of the signature itself.
    pub by_document_timestamp: bool,
}

/// A timestamp within a signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimestampReport {
    /// Its time.
    pub at: Timestamp,
    /// Whom its signer's certificate names.
    pub authority: Option<Identity>,
    /// Why it proves nothing, if so.
    pub fault: Option<Fault>,
}

/// What is not proved, though nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// Nothing but the signer's word says when it was signed.
    TimeNotProved,
    /// The claimed time lies after the time at which the signature was there already.
    ClaimedTimeContradicted,
    /// The claimed time lies outside the time of the signer's certificate.
    ClaimedTimeOutsideCertificate,
    /// The certificate has expired; at the claimed time, which nothing proves, it was valid.
    ValidWhenClaimed {
        /// Whose certificate.
        subject: String,
    },
    /// The certificate was revoked, but after the time at which the signature is proved to have been there: it counts. Of a key
    /// that came into other hands ([`RevocationReason::KeyCompromise`]) nothing proves that it was not there before.
    RevokedLater {
        /// Whose certificate.
        subject: String,
        /// Since when.
        since: Timestamp,
        /// Why.
        reason: RevocationReason,
    },
    /// Nobody says whether the certificate was revoked.
    RevocationUnknown {
        /// Whose certificate.
        subject: String,
    },
}

/// What there is to say of one signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignatureReport {
    /// The name of the signature field; empty where there is none.
    pub field: String,
    /// Its kind.
    pub kind: SignatureKind,
    /// The format of its value (`/SubFilter`).
    pub sub_filter: String,
    /// Its level; none where the format is none of PAdES's, or the signature is not valid.
    pub level: Option<SealLevel>,
    /// Whom the signer's certificate names. Proved only where there are no faults.
    pub signer: Option<Identity>,
    /// The time that the signer claims (`/M`); nothing proves it.
    pub claimed_at: Option<Timestamp>,
    /// The time that is proved.
    pub proved_at: Option<ProvedTime>,
    /// The timestamps of the signature itself.
    pub timestamps: Vec<TimestampReport>,
    /// The reason that is given.
    pub reason: Option<String>,
    /// The signer's name as the signature dictionary gives it.
    pub name: Option<String>,
    /// The place that is given.
    pub location: Option<String>,
    /// How many bytes of the file, from its beginning, were there when it was signed.
    pub covered: u64,
    /// What it permits to follow it.
    pub permits: Rules,
    /// What followed it, as it permits.
    pub later: Vec<Change>,
    /// What is not proved.
    pub notes: Vec<Note>,
    /// Everything that is wrong.
    pub faults: Vec<Fault>,
}

impl SignatureReport {
    /// Whether nothing is wrong but, possibly, that the signer is unknown.
    pub fn is_intact(&self) -> bool {
        self.faults.iter().all(Fault::concerns_trust)
    }

    /// That a certificate of the signer's was revoked before the time at which the signature is proved to have been there.
    pub fn revocation(&self) -> Option<Revocation> {
        self.faults.iter().find_map(|fault| match fault {
            Fault::CertificateRevoked { since, reason, .. } => Some(Revocation {
                since: *since,
                reason: *reason,
            }),
            _ => None,
        })
    }

    /// That a certificate of the signer's was revoked after that time: the signature counts.
    pub fn later_revocation(&self) -> Option<Revocation> {
        self.notes.iter().find_map(|note| match note {
            Note::RevokedLater { since, reason, .. } => Some(Revocation {
                since: *since,
                reason: *reason,
            }),
            _ => None,
        })
    }

    /// Whether the signer leads to a trusted root.
    pub fn is_trusted(&self) -> bool {
        self.signer.is_some() && !self.faults.iter().any(Fault::concerns_trust)
    }
}

/// What can be wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The file is no readable PDF.
    #[error("the file cannot be read as a PDF: {reason}")]
    Unreadable {
        /// What the reader says.
        reason: String,
    },
    /// The file asks for more time or memory than it is given. That says nothing of its signatures.
    #[error("the file needs more time or memory than is allowed here, and was not judged")]
    TooDemanding,
    /// Readers would have to guess what is where, and could guess differently.
    #[error("the file is damaged, so that programs may read it differently: {reason}")]
    DamagedStructure {
        /// Where, and which rule of the format it breaks.
        reason: String,
        /// The same, typed.
        defect: PdfDefect,
    },
    /// Since the first signature somebody has added a cross-reference that does not lead to its object, or used one that does not:
    /// programs that follow it show one document, and those that do not show another.
    #[error(
        "the file was forged: since it was signed, its cross-references lead programs to different objects of the number {object}"
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
    /// There are more signatures than are examined.
    #[error("the file has {count} signatures; at most {MAX_SIGNATURES} are examined")]
    TooManySignatures {
        /// How many.
        count: usize,
    },
    /// There is more validation data than is read; what is not read might be what revokes a certificate.
    #[error("there is more validation data than anybody reads: more than {MAX_ITEMS} of a kind, or 64 MiB")]
    TooMuchValidationData,
    /// A signature dictionary that was not in the file that it says it signs, or was another.
    #[error("the signature was not in the file that it signs: it is a copy of another, or was changed")]
    NotInItsRevision,
    /// A signature that no field of the form holds: the field was removed, or the signature itself.
    #[error("object {object} is or was a signature, but no signature field holds it any more")]
    FieldRemoved {
        /// The signature dictionary's object number.
        object: u32,
    },
    /// The file goes on after the last signature.
    #[error("the last signature covers {covered} of {length} bytes; what follows is signed by nobody")]
    NotCoveredToEnd {
        /// The bytes that are covered.
        covered: u64,
        /// The file's length.
        length: u64,
    },
    /// The byte range is no byte range, or not that of a signature.
    #[error("the signature's byte range is not valid: {reason}")]
    ByteRange {
        /// What is wrong with it.
        reason: String,
    },
    /// The bytes left out of the digest are not exactly the signature's value.
    #[error("the bytes that the signature leaves out are not exactly its value")]
    GapIsNotValue,
    /// The signature's value cannot be read.
    #[error("{reason}")]
    UnreadableValue {
        /// What the reader says.
        reason: String,
    },
    /// A format of signatures that is not known here, or too old.
    #[error("signatures of the format “{name}” are not verified: it is unknown, or obsolete (adbe.x509.rsa_sha1)")]
    UnsupportedFormat {
        /// The format (`/SubFilter`).
        name: String,
    },
    /// An algorithm that is broken: what it signs could have been made by anybody.
    #[error("{}", SignatureFault::WeakAlgorithm(.name.clone()))]
    WeakAlgorithm {
        /// The algorithm.
        name: String,
    },
    /// An algorithm that is not known here.
    #[error("{}", SignatureFault::UnsupportedAlgorithm(.name.clone()))]
    UnsupportedAlgorithm {
        /// The algorithm.
        name: String,
    },
    /// The covered bytes are not those that were signed.
    #[error("{}", SignatureFault::DigestMismatch)]
    DigestMismatch,
    /// The signature does not fit the signer's key.
    #[error("{}", SignatureFault::SignatureMismatch)]
    SignatureMismatch,
    /// The message carries no certificate of its signer.
    #[error("the signer's certificate is missing")]
    SignerCertificateMissing,
    /// The certificate is another one than was signed for.
    #[error("the signature was made for another certificate of the signer")]
    SigningCertificateMismatch,
    /// A CAdES signature must name its certificate.
    #[error("the signature does not bind the signer's certificate")]
    SigningCertificateMissing,
    /// The certificate leads to no trusted root.
    #[error("signer not verified: {subject}, issued by {issuer}, leads to no trusted root")]
    UntrustedSigner {
        /// The certificate at which the path ends.
        subject: String,
        /// Its issuer.
        issuer: String,
    },
    /// A certificate is past its time. Nothing proves that the signature is older.
    #[error("the certificate of {subject} expired at {not_after}")]
    CertificateExpired {
        /// Whose certificate.
        subject: String,
        /// When it expired.
        not_after: Timestamp,
    },
    /// A certificate is not valid yet.
    #[error("the certificate of {subject} is valid only from {not_before}")]
    CertificateNotYetValid {
        /// Whose certificate.
        subject: String,
        /// When it begins.
        not_before: Timestamp,
    },
    /// A certificate may not be used as it was.
    #[error("the certificate of {subject} may not be used so: {reason}")]
    CertificateUnusable {
        /// Whose certificate.
        subject: String,
        /// What forbids it.
        reason: String,
    },
    /// A certificate had been revoked.
    #[error("the certificate of {subject} was revoked at {since} ({})", .reason.code())]
    CertificateRevoked {
        /// Whose certificate.
        subject: String,
        /// Since when.
        since: Timestamp,
        /// Why.
        reason: RevocationReason,
    },
    /// A timestamp is not one of this signature, or not valid.
    #[error("a timestamp is not valid: {reason}")]
    TimestampInvalid {
        /// What is wrong with it.
        reason: String,
    },
    /// The file was changed after the signature.
    #[error("after this signature the file was changed: {}", changes::list(.changes))]
    ChangedAfterSigning {
        /// What was changed, as far as it is listed.
        changes: Vec<Change>,
    },
    /// A certification signature must be the first.
    #[error("a certification signature follows another signature")]
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
    /// Whether it says only that the signer is not known to be who he says, with the signature
    /// itself intact.
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

    /// Whether it leaves open what the signature covers: digest or signature is not right.
    fn concerns_soundness(&self) -> bool {
        !self.concerns_trust() && !matches!(self, Self::ChangedAfterSigning { .. } | Self::CertificationNotFirst)
    }
}

/// Verifies all signatures of `pdf` at the time `at`, with nothing but trusted roots.
pub fn verify(pdf: &[u8], roots: &TrustedRoots, at: Timestamp) -> Verdict {
    verify_with(pdf, &Means::from(roots.clone()), at)
}

/// Whether the signatures of `pdf` are sound, whoever the signers are: what there is to say is in [`Verdict::unsound`].
pub fn verify_soundness(pdf: impl Into<SharedBytes>) -> Verdict {
    // The moment matters for trust alone; it only must lie behind every time that the file proves.
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

/// Reads a file by the rules of the format.
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

/// The signatures in the order in which they were made, each as far as it says it itself; and what is wrong with the file.
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
    // What an unsound signature says it covers means nothing. A document timestamp says when something was there, by an
    // authority that stamps whatever it is sent: it answers for nothing that was added before it.
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

/// What is wrong with the structure of a file that can be read, of which `signatures` are in the order of what they cover: what the
/// first of them signed as it is was damaged, and what came later somebody put there.
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
    // An entry that leads nowhere makes some programs search the file. Who then changed something that was signed shows one
    // document to these and another one to others.
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

/// A signature dictionary in the file's newest state.
struct Found<'f> {
    name: String,
    /// The fields whose value it is; several may share it, as those do that show what was filled in on a signed file.
    fields: Vec<&'f Dict>,
    id: Option<Ref>,
    dict: &'f Dict,
    /// Of which object its value is, and by which keys that is reached.
    place: Option<(Ref, &'static [&'static [u8]])>,
}

/// The signatures by which a maker of viewers grants rights in a file (ISO 32000-1, 12.8.2.3): they sign no document.
fn usage_rights(reading: &Reading<'_>) -> Vec<Ref> {
    let permissions = reading.catalog().and_then(|catalog| reading.dict(catalog, b"Perms"));
    [&b"UR3"[..], b"UR"]
        .into_iter()
        .filter_map(|key| permissions?.get(key)?.as_ref())
        .collect()
}

/// The signatures that fields hold, and those that a field held once.
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
            // The seal's own field comes behind those that it fills besides.
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
