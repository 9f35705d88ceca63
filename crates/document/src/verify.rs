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
//! The input is a stranger's: [`verify`] never panics on it, and its work is bounded by the file's
//! length times [`MAX_SIGNATURES`]. The parser below can still exhaust the stack on hostile nesting,
//! so strangers' files are verified in the worker process. The answer, [`Verdict`], is plain data that
//! travels out of it; each [`Fault`] has a name, and prints as an English sentence. What nothing proves, and is no fault, is
//! a [`Note`].
//!
//! May use `pdf`, `text`, `pages`, `marks` and `pki`; it needs `pdf` and `pki` alone.

mod attachments;
pub(crate) mod changes;
pub(crate) mod embedded;
mod path;
mod places;
mod rules;
mod signature;
pub(crate) mod structure;
mod trust;

pub use attachments::{Attachment, attachments};
pub use changes::{Change, How, Part};
pub use rules::{FieldLock, Rules};

pub use crate::pki::certificates::Identity;
pub use crate::pki::revocation::{RevocationData, list_from_pem_or_der};

use std::collections::{BTreeMap, BTreeSet};

use domain::SealLevel;
use jiff::Timestamp;
use lopdf::{Document, ObjectId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::pdf::form;
use crate::pki::algorithms::SignatureFault;
use crate::pki::keys::{KeyError, certificates_from_pem};
use crate::pki::revocation::{MAX_ITEMS, Revocation, RevocationReason};
use embedded::Embedded;
use signature::{Examined, FollowedBy, Reading};
use structure::load;

/// More signatures than a document has; each costs one reading of the file.
pub const MAX_SIGNATURES: usize = 32;

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
    /// Readers would have to guess where objects are, and could guess differently.
    #[error("the file's cross-reference data is damaged, so that programs may read it differently")]
    DamagedStructure,
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
pub fn verify_soundness(pdf: &[u8]) -> Verdict {
    // The moment matters for trust alone; it only must lie behind every time that the file proves.
    let moment = Timestamp::from_second(FAR_FUTURE).unwrap_or(Timestamp::MAX);
    verify(pdf, &TrustedRoots::default(), moment)
}

/// Verifies all signatures of `pdf` at the time `at`.
pub fn verify_with(pdf: &[u8], means: &Means, at: Timestamp) -> Verdict {
    let mut verdict = Verdict {
        length: length_of(pdf),
        signatures: Vec::new(),
        faults: Vec::new(),
    };
    let document = match load(pdf) {
        Ok(document) => document,
        Err(fault) => {
            verdict.faults.push(fault);
            return verdict;
        }
    };
    let mut signatures = examine(pdf, &document, &mut verdict.faults);
    let embedded = Embedded::of(&document);
    if embedded.is_too_much {
        verdict.faults.push(Fault::TooMuchValidationData);
    }
    let judge = trust::Judge {
        roots: &means.roots,
        embedded: &embedded,
        given: &means.revocation,
        now: at,
    };
    judge.all(&mut signatures);
    verdict.signatures = signatures.into_iter().map(|signature| signature.report).collect();
    verdict
}

/// The signatures in the order in which they were made, each as far as it says it itself; and what is wrong with the file.
fn examine(pdf: &[u8], document: &Document, faults: &mut Vec<Fault>) -> Vec<Examined> {
    let mut signatures: Vec<Examined> = find(pdf, document, faults)
        .iter()
        .map(|signature| signature::examine(pdf, document, signature))
        .collect();
    signatures.sort_by_key(|signature| signature.report.covered);
    faults.splice(0..0, structure_faults(pdf, document, &signatures));
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
        && !matches!(last.followed_by, FollowedBy::Nothing | FollowedBy::ValidationData)
    {
        faults.push(Fault::NotCoveredToEnd {
            covered: last.report.covered,
            length: length_of(pdf),
        });
    }
    signatures
}

/// What is wrong with the structure of the file, of which `signatures` are in the order of what they cover: what the first of
/// them signed as it is was damaged, and what came later somebody put there.
fn structure_faults(pdf: &[u8], document: &Document, signatures: &[Examined]) -> Vec<Fault> {
    let whole = Reading::of(pdf, document);
    let first = signatures.iter().find(|signature| signature.is_sound);
    let signed = first.and_then(|first| first.reading.as_ref()).unwrap_or(&whole);
    let readings = || signatures.iter().filter_map(|signature| signature.reading.as_ref());
    let is_damaged = !signed.strays.is_empty()
        || whole.is_mended
        || readings().any(|reading| reading.is_mended)
        || signatures
            .iter()
            .any(|signature| signature.followed_by == FollowedBy::OddForm);
    let appended = signatures.iter().find_map(|signature| match signature.followed_by {
        FollowedBy::Misleading(object) => Some(object),
        _ => None,
    });
    let added = readings()
        .chain([&whole])
        .flat_map(|reading| &reading.strays)
        .find(|stray| !signed.strays.contains(stray))
        .map(|(object, _)| *object);
    let forged = appended.or(added).map(|object| Fault::ForgedReferences { object });
    forged
        .into_iter()
        .chain(is_damaged.then_some(Fault::DamagedStructure))
        .collect()
}

fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// A signature dictionary in the file's newest state.
struct Found<'a> {
    name: String,
    /// The fields whose value it is; several may share it, as those do that show what was filled in on a signed file.
    fields: Vec<&'a lopdf::Dictionary>,
    id: Option<ObjectId>,
    dictionary: &'a lopdf::Dictionary,
}

/// The signatures by which a maker of viewers grants rights in a file (ISO 32000-1, 12.8.2.3): they sign no document.
fn usage_rights(document: &Document) -> Vec<ObjectId> {
    let permissions = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"Perms"));
    [&b"UR3"[..], b"UR"]
        .into_iter()
        .filter_map(|key| permissions?.get(key).and_then(lopdf::Object::as_reference).ok())
        .collect()
}

/// The signatures that fields hold, and those that a field held once.
fn find<'a>(pdf: &[u8], document: &'a Document, faults: &mut Vec<Fault>) -> Vec<Found<'a>> {
    let mut found: Vec<Found<'a>> = Vec::new();
    let mut known: BTreeMap<ObjectId, usize> = BTreeMap::new();
    for field in places::named_fields(document)
        .into_iter()
        .filter(|field| field.is_signature)
    {
        let Ok(value) = field.dictionary.get(b"V") else {
            continue;
        };
        let Ok(dictionary) = form::resolve(document, value).as_dict() else {
            continue;
        };
        let id = value.as_reference().ok();
        let shared = id.and_then(|id| known.get(&id)).and_then(|index| found.get_mut(*index));
        if let Some(shared) = shared {
            shared.fields.push(field.dictionary);
            // The seal's own field comes behind those that it fills besides.
            shared.name = field.name;
            continue;
        }
        if let Some(id) = id {
            known.insert(id, found.len());
        }
        found.push(Found {
            name: field.name,
            fields: vec![field.dictionary],
            id,
            dictionary,
        });
    }
    let mut held: BTreeSet<ObjectId> = found.iter().filter_map(|signature| signature.id).collect();
    held.extend(usage_rights(document));
    for (id, object) in &document.objects {
        if let lopdf::Object::Dictionary(dictionary) = object
            && dictionary.has(b"ByteRange")
            && dictionary.has(b"Contents")
            && !held.contains(id)
        {
            faults.push(Fault::FieldRemoved { object: id.0 });
            found.push(Found {
                name: String::new(),
                fields: Vec::new(),
                id: Some(*id),
                dictionary,
            });
        }
    }
    if found.is_empty() {
        let rights = usage_rights(document);
        faults.push(match signature::removed(pdf, |id| rights.contains(&id)) {
            Some((object, _)) => Fault::FieldRemoved { object },
            None => Fault::NoSignature,
        });
    }
    if found.len() > MAX_SIGNATURES {
        faults.push(Fault::TooManySignatures { count: found.len() });
        found.truncate(MAX_SIGNATURES);
    }
    found
}
