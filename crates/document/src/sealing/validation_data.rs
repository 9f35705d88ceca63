//! What a verifier needs years later, inside the file: validation data and archive timestamps (EN 319 142-1, 5.4 and 5.5).
//!
//! [`add_validation_data`] appends a document security store (DSS; ISO 32000-2, 12.8.4.3) with the certificates, revocation
//! lists and OCSP responses that prove the signers' certificates good at the time of their timestamps: level B-LT.
//! [`add_archive_timestamp`] appends the same together with a document timestamp that covers everything so far: level B-LTA.
//! It is done again before the last timestamp's own certificate expires, each time with the data that prove that
//! timestamp, and so on for as long as the file must count.
//!
//! Both append one revision to the file and change nothing in it; a certification (P = 1) permits that (ISO 32000-2,
//! 12.8.2.2). Data that is in the store already is kept and not written twice. There is no VRI dictionary: it says which data belong
//! to which signature, which verifiers find by themselves (EN 319 142-1, 5.4.2.3 leaves it optional).
//!
//! [`evidence`] reads back whose certificates the signatures and timestamps of a file rest on: for gathering those data, and
//! for knowing when the next archive timestamp is due.

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

/// No authority's timestamp is larger.
const LARGEST_TIMESTAMP: usize = 256 * 1024;
/// More room than the timestamp that did not fit needed.
const SPARE: usize = 1024;

/// Certificates and their proofs. All DER.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidationData {
    /// Certificates of signers, authorities, time-stamp authorities.
    pub certificates: Vec<Vec<u8>>,
    /// Revocation lists.
    pub revocation_lists: Vec<Vec<u8>>,
    /// OCSP responses, whole.
    pub ocsp_responses: Vec<Vec<u8>>,
}

impl ValidationData {
    /// Adds the data of another one.
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

    /// Adds the data of another one if the new part fits into `room`, and reduces `room` by it.
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

    /// How much it is, in bytes.
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

/// Appends the data and a document timestamp over everything: level B-LTA. A timestamp that is larger than the room that was
/// left for it is asked for once more, with room for its size.
pub fn add_archive_timestamp(
    pdf: impl Into<SharedBytes>,
    data: &ValidationData,
    timestamps: &dyn TimestampSource,
) -> Result<Vec<u8>, SealError> {
    let file = File::open(pdf, None)?;
    match add_timestamp_in(signature_field::ROOM, &file, data, timestamps) {
        Err(SealError::TooLarge(size)) if size <= LARGEST_TIMESTAMP => {
            // The next may have a longer number or time.
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
        // SHA-256 has 32 bytes.
        let digest = digest.try_into().map_err(|_| SealError::PlaceholderLost)?;
        Ok(timestamps.timestamp(digest)?)
    })
}

/// Puts the data into the document security store.
fn write_store(edits: &mut Edits<'_>, data: &ValidationData) -> Result<(), SealError> {
    if *data == ValidationData::default() {
        return Ok(());
    }
    let entry = edits.catalog()?.get(b"DSS").cloned();
    let mut store = match edits.dict(edits.catalog()?, b"DSS")? {
        Some(store) => store.clone(),
        None => Dict::of([("Type", Object::name("DSS"))]),
    };
    // Other people's data that unpacks to more than a verifier reads counts as missing.
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

/// The certificates that came with a signature or a timestamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The signer's first, DER.
    pub certificates: Vec<Vec<u8>>,
    /// Whether it belongs to the seal or to what followed it. Others had to prove what was there before.
    pub is_own: bool,
    /// When what it signed is known to have existed: the time of the first timestamp of it, if there is one (a proof of
    /// existence, ETSI EN 319 102-1, 5.6.2.3). A revocation after that does not harm it.
    pub existed_at: Option<Timestamp>,
}

/// The basis of a file's proof.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The certificates of each signature and timestamp, oldest first.
    pub chains: Vec<Chain>,
    /// Whether the seal has a timestamp.
    pub has_timestamp: bool,
    /// The time of the last document timestamp, and when the certificate of its authority ends.
    pub archive: Option<(Timestamp, Timestamp)>,
    /// Whether the file's validation data contains the certificate of the seal's signer and its proof. Data from before
    /// belongs to others' signatures.
    pub has_validation_data: bool,
    /// How many bytes of validation data the file contains.
    pub held_bytes: usize,
}

impl Evidence {
    /// Whether anything besides the seal itself proves when it existed.
    pub fn is_timestamped(&self) -> bool {
        self.has_timestamp || self.archive.is_some()
    }

    /// Whether others signed before the seal.
    pub fn has_others(&self) -> bool {
        self.chains.iter().any(|chain| !chain.is_own)
    }
}

/// Reads the evidence of a file that was sealed here, so its last signature is the seal.
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
            // An unreadable timestamp of others proves nothing for us.
            let Ok((at, certificates)) = token_chain(&value) else {
                continue;
            };
            let ends = ends(&certificates);
            // It covers everything that was there before.
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
        // Another's signature may be of a form that is not read here.
        let Ok(message) = SignedMessage::parse(&value) else {
            continue;
        };
        for chain in &mut evidence.chains {
            chain.is_own = false;
        }
        // Only a timestamp after the last signature proves it, and is renewed.
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
                // The signature's own timestamps stamp its value, and nothing stamps them yet.
                existed_at: stamped_at.filter(|_| index == 0),
            }));
    }
    let held = embedded::held(view, &signer, stamped_at)?;
    evidence.has_validation_data = held.proves_signer;
    evidence.held_bytes = held.bytes;
    Ok(evidence)
}

/// The certificates in a timestamp token, its signer's first (DER). `None` if it cannot be read.
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

/// When the certificate of the signer ends.
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
