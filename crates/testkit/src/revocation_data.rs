//! Valid and invalid OCSP responses and revocation lists for tests.

use const_oid::ObjectIdentifier;
use const_oid::db::rfc5912::ECDSA_WITH_SHA_256;
use const_oid::db::rfc6960::ID_PKIX_OCSP_ARCHIVE_CUTOFF;
use der::asn1::{BitString, Null, OctetString};
use der::{Decode, Encode};
use document::pki::keys::{SealKey, Signer};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use x509_cert::Certificate;

/// The status of a certificate in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Good,
    /// Revoked since this time.
    Revoked(Timestamp),
    /// The responder does not know the certificate.
    Unknown,
}

/// An OCSP response about one certificate (RFC 6960, 4.2).
#[derive(Debug, Clone)]
pub struct OcspAnswer<'a> {
    /// The certificate, DER.
    pub certificate: &'a [u8],
    /// Its issuer's certificate, DER.
    pub issuer: &'a [u8],
    pub status: Status,
    /// The time since which the status is known to be correct.
    pub this_update: Timestamp,
    /// When newer information will be available.
    pub next_update: Option<Timestamp>,
    pub produced_at: Timestamp,
    /// The time since which the responder keeps expired certificates (`archiveCutoff`).
    pub kept_since: Option<Timestamp>,
    /// Certificates to include, DER.
    pub certificates: Vec<Vec<u8>>,
}

impl<'a> OcspAnswer<'a> {
    /// Creates a response that says the certificate is good, now and for a day.
    pub fn good(certificate: &'a [u8], issuer: &'a [u8], now: Timestamp) -> Self {
        Self {
            certificate,
            issuer,
            status: Status::Good,
            this_update: now - 1.minute(),
            next_update: Some(now + 24.hours()),
            produced_at: now,
            kept_since: None,
            certificates: Vec::new(),
        }
    }

    /// Returns the response (DER), signed by `signer`, which identifies itself correctly.
    ///
    /// # Panics If a certificate cannot be read, or the key is not on P-256.
    pub fn signed_by(&self, signer: &SealKey) -> Vec<u8> {
        let certificate = Certificate::from_der(self.certificate).expect("a certificate");
        let issuer = Certificate::from_der(self.issuer).expect("a certificate");
        let sha1 = |bytes: &[u8]| {
            let digest = document::pki::revocation::sha1(bytes);
            OctetString::new(digest).expect("octets").to_der().expect("DER")
        };
        let issuer_name = issuer.tbs_certificate().subject().to_der().expect("DER");
        let issuer_key = issuer.tbs_certificate().subject_public_key_info();
        let algorithm = sequence(&[
            &const_oid::db::rfc5912::ID_SHA_1.to_der().expect("DER"),
            &Null.to_der().expect("DER"),
        ]);
        let serial = certificate.tbs_certificate().serial_number().to_der().expect("DER");
        let id = sequence(&[
            &algorithm,
            &sha1(&issuer_name),
            &sha1(issuer_key.subject_public_key.raw_bytes()),
            &serial,
        ]);
        let status = match self.status {
            Status::Good => vec![0x80, 0],
            // With its reason: keyCompromise (1).
            Status::Revoked(at) => tlv(0xa1, &[moment(at), tlv(0xa0, &[0x0a, 1, 1])].concat()),
            Status::Unknown => vec![0x82, 0],
        };
        let next = self.next_update.map(|at| tlv(0xa0, &moment(at))).unwrap_or_default();
        let kept_since = self.kept_since.map(|at| {
            let id = ID_PKIX_OCSP_ARCHIVE_CUTOFF.to_der().expect("DER");
            let extension = sequence(&[&id, &tlv(0x04, &moment(at))]);
            tlv(0xa1, &sequence(&[&extension]))
        });
        let single = sequence(&[
            &id,
            &status,
            &moment(self.this_update),
            &next,
            &kept_since.unwrap_or_default(),
        ]);
        let own = Certificate::from_der(signer.certificates().first().expect("a certificate")).expect("a certificate");
        let responder = own.tbs_certificate().subject().to_der().expect("DER");
        let data = sequence(&[&tlv(0xa1, &responder), &moment(self.produced_at), &sequence(&[&single])]);
        let certificates = if self.certificates.is_empty() {
            Vec::new()
        } else {
            tlv(0xa0, &sequence(&[&self.certificates.concat()]))
        };
        let basic = sequence(&[&data, &ecdsa(), &signature(signer, &data), &certificates]);
        let basic_type = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.1")
            .to_der()
            .expect("DER");
        let bytes = sequence(&[&basic_type, &tlv(0x04, &basic)]);
        sequence(&[&[0x0a, 1, 0], &tlv(0xa0, &bytes)])
    }
}

/// A revocation list (RFC 5280, 5) with any extensions.
#[derive(Debug, Clone)]
pub struct List {
    pub this_update: Timestamp,
    pub next_update: Option<Timestamp>,
    /// Identifier, criticality and value of each extension.
    pub extensions: Vec<(&'static str, bool, Vec<u8>)>,
}

impl List {
    /// Returns the list (DER) without entries, in the name and with the key of `issuer`.
    ///
    /// # Panics If the key is not on P-256.
    pub fn signed_by(&self, issuer: &SealKey) -> Vec<u8> {
        let own = Certificate::from_der(issuer.certificates().first().expect("a certificate")).expect("a certificate");
        let name = own.tbs_certificate().subject().to_der().expect("DER");
        let extensions: Vec<u8> = self
            .extensions
            .iter()
            .flat_map(|(id, is_critical, value)| {
                let id = ObjectIdentifier::new_unwrap(id).to_der().expect("DER");
                let critical: &[u8] = if *is_critical { &[1, 1, 0xff] } else { &[] };
                sequence(&[&id, critical, &tlv(0x04, value)])
            })
            .collect();
        let extensions = if extensions.is_empty() {
            Vec::new()
        } else {
            tlv(0xa0, &sequence(&[&extensions]))
        };
        // RFC 5280, 5.1.2.4: UTCTime up to 2049.
        let time = |at: Timestamp| tlv(0x17, written(at, "%y%m%d%H%M%SZ").as_bytes());
        let next = self.next_update.map(time).unwrap_or_default();
        let body = sequence(&[&[2, 1, 1], &ecdsa(), &name, &time(self.this_update), &next, &extensions]);
        sequence(&[&body, &ecdsa(), &signature(issuer, &body)])
    }
}

/// Returns a CMS message that contains only certificates (DER), as in `.p7c` files (RFC 5280, 4.2.2.1).
pub fn certificates_only(certificates: &[Vec<u8>]) -> Vec<u8> {
    let id = |id: &str| ObjectIdentifier::new_unwrap(id).to_der().expect("DER");
    let (data, signed_data) = (id("1.2.840.113549.1.7.1"), id("1.2.840.113549.1.7.2"));
    let none = tlv(0x31, &[]);
    let body = sequence(&[
        &[2, 1, 1],
        &none,
        &sequence(&[&data]),
        &tlv(0xa0, &certificates.concat()),
        &none,
    ]);
    sequence(&[&signed_data, &tlv(0xa0, &body)])
}

fn ecdsa() -> Vec<u8> {
    sequence(&[&ECDSA_WITH_SHA_256.to_der().expect("DER")])
}

fn signature(signer: &SealKey, bytes: &[u8]) -> Vec<u8> {
    let signature = signer.sign(bytes).expect("a signature");
    BitString::from_bytes(&signature).expect("bits").to_der().expect("DER")
}

/// A `GeneralizedTime`, DER.
pub fn moment(at: Timestamp) -> Vec<u8> {
    tlv(0x18, written(at, "%Y%m%d%H%M%SZ").as_bytes())
}

fn written(at: Timestamp, form: &str) -> String {
    at.to_zoned_datetime(TimeZone::UTC).strftime(form).to_string()
}

/// Encodes a tag and content in DER.
///
/// # Panics If the content is longer than any test's.
pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut der = vec![tag];
    if let Ok(short @ 0..0x80) = u8::try_from(length) {
        der.push(short);
    } else {
        let octets = length.to_be_bytes();
        let octets = &octets[octets.iter().position(|octet| *octet != 0).expect("a length")..];
        der.push(0x80 | u8::try_from(octets.len()).expect("a short length"));
        der.extend_from_slice(octets);
    }
    der.extend_from_slice(content);
    der
}

/// Encodes a SEQUENCE of elements that are already DER.
pub fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    tlv(0x30, &parts.concat())
}
