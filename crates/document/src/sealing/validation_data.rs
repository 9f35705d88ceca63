//! Data inside the file that a verifier needs years later: validation data and archive timestamps (EN 319 142-1, 5.4
//! and 5.5).
//!
//! [`add_validation_data`] appends a document security store (DSS; ISO 32000-2, 12.8.4.3) with the certificates,
//! revocation lists and OCSP responses that prove that the signers' certificates were good at the time of their
//! timestamps: level B-LT. [`add_archive_timestamp`] appends such data together with a document timestamp that covers
//! the whole file so far: level B-LTA. It is repeated before the last timestamp's own certificate expires, each time
//! with the data that prove that timestamp, for as long as the file must be valid.
//!
//! Both append one revision to the file and change nothing in it. A certification (P = 1) permits that (ISO 32000-2,
//! 12.8.2.2). Data that is already in the store is kept and not written again. There is no VRI dictionary: it would map
//! data to signatures, which verifiers do themselves (EN 319 142-1, 5.4.2.3 makes it optional).
//!
//! [`evidence`] reads the certificates that a file's signatures and timestamps rely on, to collect their data, and to
//! determine when the next archive timestamp is due.

use aws_lc_rs::digest;
use jiff::Timestamp;
use x509_cert::Certificate;

use const_oid::db::rfc3161::ID_AA_TIME_STAMP_TOKEN;
use der::Decode;

use crate::pdf::append::append;
use crate::pdf::edit::Edits;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Dict, File, Object, Objects, Stream, acro_form};
use crate::pki::certificates::Certified;
use crate::pki::cms::SignedMessage;
use crate::pki::keys::timestamp;
use crate::pki::timestamp::{TimestampError, TimestampSource, TimestampToken};
use crate::sealing::SealError;
use crate::sealing::signature_field::{self, Field};
use crate::verify::embedded::{self, MAX_STORE};

/// Maximum size of an authority's timestamp. None is larger.
const LARGEST_TIMESTAMP: usize = 256 * 1024;
/// Additional space, beyond the size of the timestamp that did not fit.
const SPARE: usize = 1024;

/// Certificates and their proofs, all as DER.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationData {
    /// Certificates of signers, authorities and time-stamp authorities.
    pub certificates: Vec<Vec<u8>>,
    /// Revocation lists.
    pub revocation_lists: Vec<Vec<u8>>,
    /// Complete OCSP responses.
    pub ocsp_responses: Vec<Vec<u8>>,
}

impl ValidationData {
    /// Adds other data.
    pub fn extend(&mut self, other: ValidationData) {
        for (own, more) in [
            (&mut self.certificates, other.certificates),
            (&mut self.revocation_lists, other.revocation_lists),
            (&mut self.ocsp_responses, other.ocsp_responses),
        ] {
            for bytes in more {
                if !own.contains(&bytes) {
                    own.push(bytes);
                }
            }
        }
    }

    /// Adds other data if the new part fits into `room`, and reduces `room` accordingly.
    pub fn extend_within(&mut self, other: ValidationData, room: &mut usize) -> bool {
        let new = [
            (&self.certificates, &other.certificates),
            (&self.revocation_lists, &other.revocation_lists),
            (&self.ocsp_responses, &other.ocsp_responses),
        ];
        let more = new
            .into_iter()
            .flat_map(|(own, more)| more.iter().filter(|bytes| !own.contains(bytes)))
            .map(Vec::len)
            .sum();
        let Some(left) = room.checked_sub(more) else {
            return false;
        };
        *room = left;
        self.extend(other);
        true
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        let all = [&self.certificates, &self.revocation_lists, &self.ocsp_responses];
        all.into_iter().flatten().map(Vec::len).sum()
    }
}

/// Appends the data: level B-LT.
pub fn add_validation_data(pdf: impl Into<SharedBytes>, data: &ValidationData) -> Result<Vec<u8>, SealError> {
    let file = File::open(pdf, None)?;
    let mut edits = Edits::new(file.latest());
    write_store(&mut edits, data)?;
    Ok(append(edits)?.bytes)
}

/// Appends the data and a document timestamp over the whole file: level B-LTA. If the timestamp is larger than its
/// reserved space, requests it again with enough space.
pub fn add_archive_timestamp(
    pdf: impl Into<SharedBytes>,
    data: &ValidationData,
    timestamps: &dyn TimestampSource,
) -> Result<Vec<u8>, SealError> {
    let file = File::open(pdf, None)?;
    match add_timestamp_in(signature_field::ROOM, &file, data, timestamps) {
        Err(SealError::TooLarge(size)) if size <= LARGEST_TIMESTAMP => {
            // The next timestamp may have a longer number or time.
            add_timestamp_in(size + SPARE, &file, data, timestamps)
        }
        outcome => outcome,
    }
}

fn add_timestamp_in(
    room: usize,
    file: &File,
    data: &ValidationData,
    timestamps: &dyn TimestampSource,
) -> Result<Vec<u8>, SealError> {
    let mut edits = Edits::new(file.latest());
    let page = *edits.pages()?.first().ok_or(SealError::NoPage)?;
    write_store(&mut edits, data)?;
    let mut dict = signature_field::placeholders(room);
    for (key, value) in [
        ("Type", Object::name("DocTimeStamp")),
        ("Filter", Object::name("Adobe.PPKLite")),
        ("SubFilter", Object::name("ETSI.RFC3161")),
        ("V", 0.into()),
    ] {
        dict.set(key.as_bytes(), value);
    }
    let signature = edits.add(dict);
    let field = Field {
        stem: "Timestamp",
        words: "Timestamp".to_owned(),
        locks: false,
        is_in_structure: false,
        look: None,
    };
    signature_field::add(&mut edits, page, signature, &field)?;
    signature_field::fill(append(edits)?, signature, room, &digest::SHA256, |digest| {
        // SHA-256 results in 32 bytes.
        let digest = digest.try_into().map_err(|_| SealError::PlaceholderLost)?;
        Ok(timestamps.timestamp(digest)?)
    })
}

/// Adds the data to the document security store.
fn write_store(edits: &mut Edits<'_>, data: &ValidationData) -> Result<(), SealError> {
    if *data == ValidationData::default() {
        return Ok(());
    }
    let entry = edits.catalog()?.get(b"DSS").cloned();
    let mut store = match edits.dict(edits.catalog()?, b"DSS")? {
        Some(store) => store.clone(),
        None => Dict::of([("Type", Object::name("DSS"))]),
    };
    // Data from other sources that decompresses to more than a verifier reads counts as missing.
    let mut left = MAX_STORE;
    for (key, values) in [
        ("Certs", &data.certificates),
        ("CRLs", &data.revocation_lists),
        ("OCSPs", &data.ocsp_responses),
    ] {
        if values.is_empty() {
            continue;
        }
        let mut array = edits.array(&store, key.as_bytes())?.unwrap_or_default().to_vec();
        let mut there = Vec::new();
        for held in &array {
            let Object::Stream(stream) = edits.resolve(held)? else {
                continue;
            };
            if let Ok(content) = edits.decode_whole(stream, left) {
                left = left.saturating_sub(content.len());
                there.push(content);
            }
        }
        for value in values {
            if !there.contains(value) {
                array.push(edits.add(Stream::new(Dict::new(), value.clone())).into());
                there.push(value.clone());
            }
        }
        store.set(key.as_bytes(), array);
    }
    match entry {
        Some(Object::Ref(id)) if matches!(edits.object(id)?, Object::Dict(_)) => edits.put(id, store),
        _ => {
            let store = edits.add(store);
            let root = edits.root()?;
            if let Some(catalog) = edits.edit_dict(root)? {
                catalog.set(b"DSS", store);
            }
        }
    }
    Ok(())
}

/// The certificates included with a signature or a timestamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The certificates as DER, the signer's first.
    pub certificates: Vec<Vec<u8>>,
    /// Whether the chain belongs to the seal or to later additions. Earlier content was proved by others.
    pub is_own: bool,
    /// Time at which the signed data is known to have existed: that of the first timestamp over it, if there is one (a
    /// proof of existence, ETSI EN 319 102-1, 5.6.2.3). A revocation after that time has no effect on it.
    pub existed_at: Option<Timestamp>,
}

/// The certificates and timestamps that a file's proof relies on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The certificates of each signature and timestamp, oldest first.
    pub chains: Vec<Chain>,
    /// Whether the seal has a timestamp.
    pub has_timestamp: bool,
    /// The time of the last document timestamp, and the end of its authority's certificate.
    pub archive: Option<(Timestamp, Timestamp)>,
    /// Whether the file's validation data contains the certificate of the seal's signer and its proof. Data added
    /// before the seal belongs to other signatures.
    pub has_validation_data: bool,
    /// Size of the validation data in the file, in bytes.
    pub held_bytes: usize,
}

impl Evidence {
    /// Returns whether anything besides the seal itself proves when the seal existed.
    pub fn is_timestamped(&self) -> bool {
        self.has_timestamp || self.archive.is_some()
    }

    /// Returns whether the file was signed before the seal.
    pub fn has_others(&self) -> bool {
        self.chains.iter().any(|chain| !chain.is_own)
    }
}

/// Reads the evidence of a file sealed by this product, so its last signature is the seal.
pub fn evidence(pdf: impl Into<SharedBytes>) -> Result<Evidence, SealError> {
    let file = File::open(pdf, None)?;
    let view = file.latest();
    let mut evidence = Evidence::default();
    let (mut signer, mut stamped_at) = (Vec::new(), None);
    for signature in acro_form::signatures(&view)? {
        let Some(Object::Str(value)) = signature.get(b"Contents") else {
            continue;
        };
        let value = value.bytes();
        if view.get(signature, b"SubFilter")?.is_name(b"ETSI.RFC3161") {
            // An unreadable timestamp by another party proves nothing for us.
            let Ok((at, certificates)) = token_chain(&value) else {
                continue;
            };
            let ends = ends(&certificates);
            // The timestamp covers all earlier content.
            for chain in &mut evidence.chains {
                chain.existed_at = chain.existed_at.or(Some(at));
            }
            evidence.archive = evidence.archive.max(ends.map(|ends| (at, ends)));
            stamped_at = stamped_at.or(Some(at));
            evidence.chains.push(Chain {
                certificates,
                is_own: true,
                existed_at: None,
            });
            continue;
        }
        // Another party's signature may use a form that we do not read.
        let Ok(message) = SignedMessage::parse(&value) else {
            continue;
        };
        for chain in &mut evidence.chains {
            chain.is_own = false;
        }
        // Only a timestamp after the last signature proves that signature and is renewed.
        evidence.archive = None;
        let tokens = message.unsigned_attribute(ID_AA_TIME_STAMP_TOKEN)?;
        evidence.has_timestamp = !tokens.is_empty();
        signer = signer_first(&message);
        stamped_at = None;
        let mut chains = vec![signer.clone()];
        for token in tokens {
            let Ok((at, certificates)) = token_chain(token) else {
                continue;
            };
            stamped_at = stamped_at.or(Some(at));
            chains.push(certificates);
        }
        evidence
            .chains
            .extend((0..).zip(chains).map(|(index, certificates)| Chain {
                certificates,
                is_own: true,
                // The signature's own timestamps cover only its value, and are not covered themselves yet.
                existed_at: stamped_at.filter(|_| index == 0),
            }));
    }
    let held = embedded::held(view, &signer, stamped_at)?;
    evidence.has_validation_data = held.proves_signer;
    evidence.held_bytes = held.bytes;
    Ok(evidence)
}

/// Returns the certificates in a timestamp token as DER, the signer's first. Returns none if the token cannot be read.
pub fn token_certificates(token: &[u8]) -> Vec<Vec<u8>> {
    token_chain(token)
        .map(|(_, certificates)| certificates)
        .unwrap_or_default()
}

fn token_chain(token: &[u8]) -> Result<(Timestamp, Vec<Vec<u8>>), SealError> {
    let token = TimestampToken::parse(token).map_err(|error| match error {
        TimestampError::Unreadable(error) => SealError::Cms(error),
        other => SealError::Timestamp(other),
    })?;
    Ok((token.at, signer_first(&token.message)))
}

fn signer_first(message: &SignedMessage<'_>) -> Vec<Vec<u8>> {
    let mut certificates: Vec<Vec<u8>> = message.certificates.iter().map(|der| der.to_vec()).collect();
    let signer = Certified::find(message.signer, message.certificates.iter().copied());
    if let Some(place) = signer.and_then(|signer| certificates.iter().position(|der| der == signer.der)) {
        certificates.swap(0, place);
    }
    certificates
}

/// Returns the end of the signer's certificate.
fn ends(chain: &[Vec<u8>]) -> Option<Timestamp> {
    let certificate = Certificate::from_der(chain.first()?).ok()?;
    timestamp(certificate.tbs_certificate().validity().not_after).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(bytes: &[u8]) -> ValidationData {
        ValidationData {
            revocation_lists: vec![bytes.to_vec()],
            ..ValidationData::default()
        }
    }

    #[test]
    fn what_has_no_room_is_not_taken_and_what_is_there_needs_none() {
        let mut data = ValidationData::default();
        let mut room = 5;
        assert!(data.extend_within(list(b"abc"), &mut room));
        assert!(!data.extend_within(list(b"defg"), &mut room));
        assert!(data.extend_within(list(b"abc"), &mut room));
        assert_eq!((room, data.size(), data.revocation_lists.len()), (2, 3, 1));
    }
}
