//! Reads certificates, and checks signatures with their keys.

use aws_lc_rs::digest::Digest;
use const_oid::ObjectIdentifier;
use der::asn1::AnyRef;
use der::{Decode, Encode, Reader, SliceReader};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use x509_cert::Certificate;
use x509_cert::ext::pkix::{BasicConstraints, KeyUsage, SubjectKeyIdentifier};
use x509_cert::time::Time;

use crate::pki::algorithms::{self, Named, Over, SignatureFault};
use crate::pki::cms::{Algorithm, SignedMessage, SignerId};

/// Maximum number of certificates that are read from a message.
pub(crate) const MAX_POOL: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The displayed name.
    pub common_name: Option<String>,
    pub organization: Option<String>,
    /// The full name of the subject.
    pub subject: String,
    /// The full name of the issuer.
    pub issuer: String,
    /// The serial number, hexadecimal.
    pub serial: String,
    /// Start of the validity.
    pub not_before: Timestamp,
    /// End of the validity.
    pub not_after: Timestamp,
    /// SHA-256 of the certificate, hexadecimal.
    pub fingerprint: String,
}

/// A certificate with its bytes.
pub(crate) struct Certified<'a> {
    pub(crate) der: &'a [u8],
    /// The part that the issuer signed.
    to_be_signed: &'a [u8],
    pub(crate) certificate: Certificate,
}

impl<'a> Certified<'a> {
    pub(crate) fn parse(der: &'a [u8]) -> Option<Self> {
        let certificate = Certificate::from_der(der).ok()?;
        let whole = AnyRef::from_der(der).ok()?;
        let to_be_signed = SliceReader::new(whole.value()).ok()?.tlv_bytes().ok()?;
        Some(Self {
            der,
            to_be_signed,
            certificate,
        })
    }

    /// Returns the certificate in `pool` that a message identifies as its signer's.
    pub(crate) fn find(signer: SignerId<'_>, pool: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        pool.take(MAX_POOL)
            .filter_map(Self::parse)
            .find(|candidate| candidate.is(signer))
    }

    /// Returns an extension, and whether it is critical. `None` if it is missing or unreadable.
    pub(crate) fn extension<T: der::oid::AssociatedOid + for<'d> Decode<'d, Error = der::Error>>(
        &self,
    ) -> Option<(bool, T)> {
        let found = self.certificate.tbs_certificate().get_extension::<T>();
        found.ok().flatten()
    }

    fn is(&self, signer: SignerId<'_>) -> bool {
        let body = self.certificate.tbs_certificate();
        match signer {
            SignerId::IssuerAndSerial { issuer, serial } => {
                body.issuer().to_der().is_ok_and(|der| der == issuer) && body.serial_number().as_bytes() == serial
            }
            SignerId::KeyIdentifier(identifier) => body
                .get_extension::<SubjectKeyIdentifier>()
                .ok()
                .flatten()
                .is_some_and(|(_, own)| own.0.as_bytes() == identifier),
        }
    }

    pub(crate) fn subject(&self) -> String {
        self.certificate.tbs_certificate().subject().to_string()
    }

    pub(crate) fn issuer(&self) -> String {
        self.certificate.tbs_certificate().issuer().to_string()
    }

    pub(crate) fn identity(&self) -> Option<Identity> {
        let body = self.certificate.tbs_certificate();
        let (not_before, not_after) = self.validity()?;
        Some(Identity {
            common_name: name_part(body.subject(), const_oid::db::rfc4519::CN),
            organization: name_part(body.subject(), const_oid::db::rfc4519::O),
            subject: self.subject(),
            issuer: self.issuer(),
            serial: hex::encode(body.serial_number().as_bytes()),
            not_before,
            not_after,
            fingerprint: hex::encode(aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, self.der).as_ref()),
        })
    }

    /// Checks that the message's signature was made with this certificate's key, over its signed attributes or, without
    /// any, over `content`.
    pub(crate) fn verify_message_over(
        &self,
        message: &SignedMessage<'_>,
        content: &Digest,
    ) -> Result<(), SignatureFault> {
        if message.signed_attributes.is_empty() {
            self.verify(named(message), Over::Digest(content), message.signature)
        } else {
            self.verify_message(message)
        }
    }

    /// Checks that the message's signature over its signed attributes was made with this certificate's key.
    pub(super) fn verify_message(&self, message: &SignedMessage<'_>) -> Result<(), SignatureFault> {
        self.verify(
            named(message),
            Over::Message(&message.signed_attributes),
            message.signature,
        )
    }

    /// Checks that this certificate's key signed `message`, which is a revocation list or an OCSP response.
    pub(super) fn has_signed(&self, algorithm: Algorithm<'_>, message: &[u8], signature: &[u8]) -> bool {
        let named = Named {
            algorithm: algorithm.oid,
            parameters: algorithm.parameters,
            digest: None,
        };
        self.verify(named, Over::Message(message), signature).is_ok()
    }

    /// Returns whether `issuer`'s key signed this certificate.
    pub(crate) fn is_signed_by(&self, issuer: &Self) -> bool {
        let algorithm = self.certificate.signature_algorithm();
        let Some(signature) = self.certificate.signature().as_bytes() else {
            return false;
        };
        let named = Algorithm {
            oid: algorithm.oid,
            parameters: algorithm.parameters.as_ref().map(AnyRef::from),
        };
        // The outer algorithm must equal the signed one (RFC 5280, 4.1.1.2).
        self.certificate.tbs_certificate().signature() == algorithm
            && issuer.has_signed(named, self.to_be_signed, signature)
    }

    pub(super) fn serial_number(&self) -> &[u8] {
        self.certificate.tbs_certificate().serial_number().as_bytes()
    }

    /// Returns the subject's name as DER.
    pub(super) fn subject_der(&self) -> Option<Vec<u8>> {
        self.certificate.tbs_certificate().subject().to_der().ok()
    }

    /// Returns the key without its algorithm.
    pub(super) fn key(&self) -> &[u8] {
        self.certificate
            .tbs_certificate()
            .subject_public_key_info()
            .subject_public_key
            .raw_bytes()
    }

    /// Returns the start and end of the certificate's validity.
    pub(crate) fn validity(&self) -> Option<(Timestamp, Timestamp)> {
        let validity = self.certificate.tbs_certificate().validity();
        Some((timestamp(validity.not_before)?, timestamp(validity.not_after)?))
    }

    /// Returns the end of the certificate's validity.
    pub(crate) fn not_after(&self) -> Option<Timestamp> {
        timestamp(self.certificate.tbs_certificate().validity().not_after)
    }

    /// Returns whether the certificate is valid at `at`.
    pub(super) fn is_in_its_time(&self, at: Timestamp) -> bool {
        self.validity()
            .is_some_and(|(first, last)| (first..=last).contains(&at))
    }

    /// Returns the permitted uses of the key. `None` if the certificate does not restrict them.
    pub(crate) fn key_usage(&self) -> Result<Option<KeyUsage>, der::Error> {
        let found = self.certificate.tbs_certificate().get_extension::<KeyUsage>()?;
        Ok(found.map(|(_, usage)| usage))
    }

    /// Returns whether the certificate belongs to an authority that issues certificates.
    pub(super) fn is_authority(&self) -> bool {
        self.extension::<BasicConstraints>()
            .is_some_and(|(_, constraints)| constraints.ca)
    }

    /// Returns whether the certificate refers to `issuer` as its issuer.
    pub(crate) fn names_as_issuer(&self, issuer: &Self) -> bool {
        self.certificate.tbs_certificate().issuer() == issuer.certificate.tbs_certificate().subject()
    }

    /// Returns whether the key may sign revocation lists. Certificates without key usage may be used for anything.
    pub(super) fn may_sign_lists(&self) -> bool {
        self.key_usage()
            .is_ok_and(|usage| usage.is_none_or(|usage| usage.crl_sign()))
    }

    fn verify(&self, named: Named<'_>, over: Over<'_>, signature: &[u8]) -> Result<(), SignatureFault> {
        let key = self.certificate.tbs_certificate().subject_public_key_info();
        algorithms::verify(key, named, over, signature)
    }
}

/// Returns whether the key of `issuer` signed `certificate` (both DER) and the issuer's name matches.
pub(super) fn is_issued_by(certificate: &[u8], issuer: &[u8]) -> bool {
    match (Certified::parse(certificate), Certified::parse(issuer)) {
        (Some(certificate), Some(issuer)) => certificate.names_as_issuer(&issuer) && certificate.is_signed_by(&issuer),
        _ => false,
    }
}

/// Checks that the key of `certificate` (DER) signed `message`.
pub(super) fn is_signed_by_key_of(
    certificate: &[u8],
    algorithm: &spki::AlgorithmIdentifierOwned,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let named = Algorithm {
        oid: algorithm.oid,
        parameters: algorithm.parameters.as_ref().map(AnyRef::from),
    };
    Certified::parse(certificate).is_some_and(|certificate| certificate.has_signed(named, message, signature))
}

/// Returns the algorithms stated in a message for its signature.
fn named<'m>(message: &SignedMessage<'m>) -> Named<'m> {
    Named {
        algorithm: message.signature_algorithm.oid,
        parameters: message.signature_algorithm.parameters,
        digest: Some(message.digest_algorithm.oid),
    }
}

pub(crate) fn timestamp(time: Time) -> Option<Timestamp> {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).ok()?;
    Timestamp::from_second(seconds).ok()
}

fn name_part(name: &x509_cert::name::Name, oid: ObjectIdentifier) -> Option<String> {
    let part = name.iter().find(|part| part.oid == oid)?;
    String::from_utf8(part.value.value().to_vec()).ok()
}
