//! Checks every signature of a PDF, and that nothing but what may follow them did.
//!
//! A valid signature is not an unchanged file: a PDF may be extended after it was signed, and most
//! viewers call the signature valid whatever was added. So a file holds here only where all of this
//! is true:
//! - each signature leaves out of its digest exactly the hexadecimal string that is its value;
//! - digest and signature are right, by an algorithm that is not broken;
//! - the signer's certificate leads to a trusted root, through certificates that are in their time
//!   and allowed to do what they do;
//! - the last signature covers the file to its last byte;
//! - what was appended after each signature is validation data (a DSS), document timestamps, or,
//!   where no certification or lock forbids it, further invisible signatures; nothing else
//!   (`changes`).
//!
//! The input is a stranger's: [`verify`] never panics on it, and its work is bounded by the file's
//! length times [`MAX_SIGNATURES`]. The parser below can still exhaust the stack on hostile nesting,
//! so strangers' files are verified in the worker process. The answer, [`Verdict`], is plain data that
//! travels out of it; each [`Fault`] has a name, and prints as an English sentence.
//!
//! Not looked at yet: revocation, timestamps (a document timestamp counts as
//! [`Fault::TimestampNotExamined`]), and CMS in BER.

mod attachments;
pub(crate) mod certificates;
mod changes;
mod signature;

pub use attachments::{Attachment, attachments};
pub use changes::{Change, Part};

use std::collections::BTreeSet;

use jiff::Timestamp;
use lopdf::{Document, LoadOptions, ObjectId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::form;
use crate::keys::{KeyError, certificates_from_pem};

/// More signatures than a document has; each costs one reading of the file.
pub const MAX_SIGNATURES: usize = 32;
/// The most that one stream of the file's own structure may decompress to.
const MAX_STRUCTURE_BYTES: usize = 64 * 1024 * 1024;

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
    /// Whether everything holds. Earlier signatures must be intact, but their signers may be unknown
    /// (they were there before the document came to us); the last one's signer must be trusted.
    pub fn holds(&self) -> bool {
        let Some((last, earlier)) = self.signatures.split_last() else {
            return false;
        };
        self.faults.is_empty() && last.faults.is_empty() && earlier.iter().all(SignatureReport::is_intact)
    }

    /// Whether everything holds, and the signer of every signature is trusted.
    pub fn holds_strictly(&self) -> bool {
        self.holds() && self.signatures.iter().all(|signature| signature.faults.is_empty())
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

/// Whom a certificate names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The name that is shown.
    pub common_name: Option<String>,
    /// The organisation.
    pub organization: Option<String>,
    /// The whole name of the subject.
    pub subject: String,
    /// The whole name of the issuer.
    pub issuer: String,
    /// The serial number, hexadecimal.
    pub serial: String,
    /// Valid from.
    pub not_before: Timestamp,
    /// Valid until.
    pub not_after: Timestamp,
    /// SHA-256 of the certificate, hexadecimal.
    pub fingerprint: String,
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
    /// Whom the signer's certificate names. Proved only where there are no faults.
    pub signer: Option<Identity>,
    /// The time that the signer claims (`/M`); nothing proves it.
    pub claimed_at: Option<Timestamp>,
    /// The reason that is given.
    pub reason: Option<String>,
    /// The signer's name as the signature dictionary gives it.
    pub name: Option<String>,
    /// The place that is given.
    pub location: Option<String>,
    /// How many bytes of the file, from its beginning, were there when it was signed.
    pub covered: u64,
    /// Everything that is wrong.
    pub faults: Vec<Fault>,
}

impl SignatureReport {
    /// Whether nothing is wrong but, possibly, that the signer is unknown.
    pub fn is_intact(&self) -> bool {
        self.faults.iter().all(Fault::concerns_trust)
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
    /// Readers would have to guess where objects are, and could guess differently.
    #[error("the file's cross-reference data is damaged, so that programs may read it differently")]
    DamagedStructure,
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
    /// A signature that no field of the form holds: the field was removed.
    #[error("object {object} is a signature, but no signature field holds it any more")]
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
    /// A format of signatures that is not known here.
    #[error("signatures of the format {name} cannot be verified")]
    UnsupportedFormat {
        /// The format (`/SubFilter`).
        name: String,
    },
    /// An algorithm that is not known here, or broken.
    #[error("the algorithm {name} is unknown or no longer secure")]
    UnsupportedAlgorithm {
        /// The algorithm.
        name: String,
    },
    /// The covered bytes are not those that were signed.
    #[error("the signed bytes were changed")]
    DigestMismatch,
    /// The signature does not fit the signer's key.
    #[error("the signature was not made by the key of the signer's certificate")]
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
    /// The file was changed after the signature.
    #[error("after this signature the file was changed: {}", changes::list(.changes))]
    ChangedAfterSigning {
        /// What was changed, as far as it is listed.
        changes: Vec<Change>,
    },
    /// A certification signature must be the first.
    #[error("a certification signature follows another signature")]
    CertificationNotFirst,
    /// Timestamps cannot be examined yet.
    #[error("the document timestamp was not examined")]
    TimestampNotExamined,
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
                | Self::TimestampNotExamined
        )
    }
}

/// Verifies all signatures of `pdf`, with certificates judged at the time `at`.
pub fn verify(pdf: &[u8], roots: &TrustedRoots, at: Timestamp) -> Verdict {
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
    if document.xref_recovery.is_some() {
        verdict.faults.push(Fault::DamagedStructure);
    }
    let found = find(&document, &mut verdict.faults);
    let mut dates: Vec<signature::Dated> = found
        .iter()
        .map(|signature| signature::examine(pdf, &document, signature, roots, at))
        .collect();
    dates.sort_by_key(|signature| signature.report.covered);
    for (index, dated) in dates.iter_mut().enumerate() {
        let certifies = matches!(dated.report.kind, SignatureKind::Certification { .. });
        if certifies && index > 0 {
            dated.report.faults.push(Fault::CertificationNotFirst);
        }
    }
    // What an unsound signature says it covers means nothing.
    let covered = dates
        .iter()
        .filter(|dated| dated.is_sound)
        .map(|dated| dated.report.covered)
        .max();
    if let Some(covered) = covered
        && covered < verdict.length
    {
        verdict.faults.push(Fault::NotCoveredToEnd {
            covered,
            length: verdict.length,
        });
    }
    verdict.signatures = dates.into_iter().map(|dated| dated.report).collect();
    verdict
}

/// A digest algorithm that is still secure, by its number.
pub(crate) fn secure_digest(oid: const_oid::ObjectIdentifier) -> Option<&'static aws_lc_rs::digest::Algorithm> {
    signature::digest_algorithm(oid).ok()
}

fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

fn load(pdf: &[u8]) -> Result<Document, Fault> {
    let options = LoadOptions::with_max_decompressed_size(MAX_STRUCTURE_BYTES);
    let document = Document::load_mem_with_options(pdf, options).map_err(|error| Fault::Unreadable {
        reason: error.to_string(),
    })?;
    if document.encryption_state.is_some() || document.trailer.has(b"Encrypt") {
        return Err(Fault::Encrypted);
    }
    Ok(document)
}

/// A signature dictionary in the file's newest state.
struct Found<'a> {
    name: String,
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
fn find<'a>(document: &'a Document, faults: &mut Vec<Fault>) -> Vec<Found<'a>> {
    let mut found: Vec<Found<'a>> = form::signatures(document)
        .into_iter()
        .map(|signature| Found {
            name: form::text(document, signature.field, b"T").unwrap_or_default(),
            id: signature.signature_id,
            dictionary: signature.signature,
        })
        .collect();
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
                id: Some(*id),
                dictionary,
            });
        }
    }
    if found.is_empty() {
        faults.push(Fault::NoSignature);
    }
    if found.len() > MAX_SIGNATURES {
        faults.push(Fault::TooManySignatures { count: found.len() });
        found.truncate(MAX_SIGNATURES);
    }
    found
}
