//! The signature value of a seal: a detached CMS message conforming to CAdES (ETSI EN 319 122-1).
//!
//! [`sign`] creates a message. The signed attributes are content-type, message-digest and signing-certificate-v2, which
//! binds the signer's certificate, so that no other certificate for the same key can replace it. There is no
//! signing-time, because PAdES (EN 319 142-1, 6.3) requires the claimed time to be only in the signature dictionary.
//! Everything is DER. `UnfinishedMessage` stops between the signature and the message, so that a timestamp of the
//! signature can be added to the message.
//!
//! [`SignedMessage`] reads messages by any signer. It borrows from the message and keeps the exact bytes that were
//! signed, because encoding them again could produce different bytes. It reads DER, as PDF requires. It never panics,
//! and its work is limited by the message's length.

use cms::cert::{CertificateChoices, IssuerAndSerialNumber};
use cms::content_info::{CmsVersion, ContentInfo};
use cms::signed_data::{
    CertificateSet, EncapsulatedContentInfo, SignedData, SignerIdentifier, SignerInfo, SignerInfos,
};
use const_oid::ObjectIdentifier;
use const_oid::db::rfc3161::ID_AA_TIME_STAMP_TOKEN;
use const_oid::db::rfc5911::{
    ID_AA_SIGNING_CERTIFICATE, ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_DATA, ID_MESSAGE_DIGEST,
    ID_SIGNED_DATA,
};
use const_oid::db::rfc5912::ID_SHA_256;
use der::asn1::{Any, AnyRef, OctetString, OctetStringRef, SetOfVec};
use der::{Decode, Encode, Reader, Sequence, SliceReader, Tag, TagNumber};
use spki::AlgorithmIdentifierOwned;
use thiserror::Error;
use x509_cert::Certificate;
use x509_cert::attr::Attribute;

use crate::pki::keys::{KeyError, Signer};

/// Reasons why a message could not be created or read.
#[derive(Debug, Error)]
pub enum CmsError {
    /// The key cannot sign.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The bytes are not DER, or a value has the wrong type.
    #[error("the signature value is not a well-formed CMS message: {0}")]
    Malformed(#[from] der::Error),
    /// The message is DER but not valid CMS.
    #[error("the signature value is not a usable CMS message: {0}")]
    Unusable(&'static str),
}

/// `SignedData` of RFC 5652, 5.1, up to its signers.
struct SignedBody<'a> {
    content_type: ObjectIdentifier,
    content: Option<&'a [u8]>,
    certificates: Vec<&'a [u8]>,
    signers: Element<'a>,
}

impl<'a> SignedBody<'a> {
    fn read(padded: &'a [u8]) -> Result<Self, CmsError> {
        message_length(padded)?;
        let mut content_info = top(padded)?.children()?;
        let content_type = content_info.expect(Tag::ObjectIdentifier)?;
        if content_type.any()?.decode_as::<ObjectIdentifier>()? != ID_SIGNED_DATA {
            return Err(CmsError::Unusable("its content type is not signed-data"));
        }
        let content = content_info.expect(context(0))?;
        let mut message = content.children()?.expect(Tag::Sequence)?.children()?;
        message.expect(Tag::Integer)?;
        message.expect(Tag::Set)?;
        let (content_type, content) = encapsulated(message.expect(Tag::Sequence)?)?;

        let mut certificates = Vec::new();
        let mut element = message.next()?;
        if element.tag == context(0) {
            let mut set = element.children()?;
            while let Some(certificate) = set.optional()? {
                // Other choices (such as attribute certificates) have other tags and are ignored.
                if certificate.tag == Tag::Sequence {
                    certificates.push(certificate.raw);
                }
            }
            element = message.next()?;
        }
        if element.tag == context(1) {
            element = message.next()?;
        }
        if element.tag != Tag::Set {
            return Err(CmsError::Unusable("it has no signer"));
        }
        Ok(Self {
            content_type,
            content,
            certificates,
            signers: element,
        })
    }
}

/// Returns the certificates of a message without content and signers: "certs-only" (RFC 5280, 4.2.2.1; RFC 5652, 5.1).
pub(super) fn bundled_certificates(message: &[u8]) -> Result<Vec<&[u8]>, CmsError> {
    Ok(SignedBody::read(message)?.certificates)
}

/// `ESSCertIDv2` of RFC 5035 with its default hash, SHA-256.
#[derive(Sequence)]
struct EssCertIdV2 {
    certificate_hash: OctetString,
}

/// `SigningCertificateV2` of RFC 5035.
#[derive(Sequence)]
struct SigningCertificateV2 {
    certificates: Vec<EssCertIdV2>,
}

/// Signs the `digest` of detached content, using the digest algorithm that belongs to the signer's algorithm.
pub fn sign(signer: &dyn Signer, digest: &[u8]) -> Result<Vec<u8>, CmsError> {
    UnfinishedMessage::sign(signer, digest)?.finish(None)
}

/// Signs content that is included in the message.
pub fn sign_content(signer: &dyn Signer, content_type: ObjectIdentifier, content: &[u8]) -> Result<Vec<u8>, CmsError> {
    let content_info = EncapsulatedContentInfo {
        econtent_type: content_type,
        econtent: Some(Any::encode_from(&OctetString::new(content)?)?),
    };
    let (_, algorithm) = signer.algorithm().digest();
    let digest = aws_lc_rs::digest::digest(algorithm, content);
    UnfinishedMessage::new(signer, content_info, digest.as_ref())?.finish(None)
}

/// A signed message to which a timestamp of the signature can still be added.
pub(crate) struct UnfinishedMessage {
    content_info: EncapsulatedContentInfo,
    certificates: Vec<CertificateChoices>,
    signer_info: SignerInfo,
}

impl UnfinishedMessage {
    /// Signs the `digest` of detached content, using the digest algorithm that belongs to the signer's
    /// ([`crate::pki::keys::SignatureAlgorithm::digest`]).
    pub fn sign(signer: &dyn Signer, digest: &[u8]) -> Result<Self, CmsError> {
        let content_info = EncapsulatedContentInfo {
            econtent_type: ID_DATA,
            econtent: None,
        };
        Self::new(signer, content_info, digest)
    }

    fn new(signer: &dyn Signer, content_info: EncapsulatedContentInfo, digest: &[u8]) -> Result<Self, CmsError> {
        let own = signer.certificates().first().ok_or(KeyError::NoCertificate)?;
        let certificates = signer
            .certificates()
            .iter()
            .map(|der| Certificate::from_der(der))
            .collect::<Result<Vec<_>, _>>()?;
        let certified = certificates.first().ok_or(KeyError::NoCertificate)?.tbs_certificate();
        let certificate_hash = OctetString::new(sha256(own))?;
        let attributes = SetOfVec::try_from(vec![
            attribute(ID_CONTENT_TYPE, Any::from(content_info.econtent_type))?,
            attribute(ID_MESSAGE_DIGEST, Any::encode_from(&OctetString::new(digest)?)?)?,
            attribute(
                ID_AA_SIGNING_CERTIFICATE_V_2,
                Any::encode_from(&SigningCertificateV2 {
                    certificates: vec![EssCertIdV2 { certificate_hash }],
                })?,
            )?,
        ])?;
        let signature = signer.sign(&attributes.to_der()?)?;
        let signer_info = SignerInfo {
            version: CmsVersion::V1,
            sid: SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
                issuer: certified.issuer().clone(),
                serial_number: certified.serial_number().clone(),
            }),
            digest_alg: AlgorithmIdentifierOwned {
                oid: signer.algorithm().digest().0,
                parameters: None,
            },
            signed_attrs: Some(attributes),
            signature_algorithm: signer.algorithm().identifier(),
            signature: OctetString::new(signature)?,
            unsigned_attrs: None,
        };
        Ok(Self {
            content_info,
            certificates: certificates.into_iter().map(CertificateChoices::Certificate).collect(),
            signer_info,
        })
    }

    /// Returns the SHA-256 of the signature's value, which a signature timestamp covers.
    pub(crate) fn signature_digest(&self) -> [u8; 32] {
        let mut digest = [0; 32];
        digest.copy_from_slice(&sha256(self.signer_info.signature.as_bytes()));
        digest
    }

    /// Builds the message, with a timestamp token (DER) of the signature if there is one (EN 319 122-1, 5.3).
    pub fn finish(self, timestamp: Option<&[u8]>) -> Result<Vec<u8>, CmsError> {
        let mut signer_info = self.signer_info;
        if let Some(token) = timestamp {
            let attribute = attribute(ID_AA_TIME_STAMP_TOKEN, Any::from_der(token)?)?;
            signer_info.unsigned_attrs = Some(SetOfVec::try_from(vec![attribute])?);
        }
        // Version 3 if the content is not plain data (RFC 5652, 5.1).
        let version = if self.content_info.econtent_type == ID_DATA {
            CmsVersion::V1
        } else {
            CmsVersion::V3
        };
        let message = SignedData {
            version,
            digest_algorithms: SetOfVec::try_from(vec![signer_info.digest_alg.clone()])?,
            encap_content_info: self.content_info,
            certificates: Some(CertificateSet::try_from(self.certificates)?),
            crls: None,
            signer_infos: SignerInfos::try_from(vec![signer_info])?,
        };
        let message = ContentInfo {
            content_type: ID_SIGNED_DATA,
            content: Any::encode_from(&message)?,
        };
        Ok(message.to_der()?)
    }
}

fn attribute(oid: ObjectIdentifier, value: Any) -> Result<Attribute, der::Error> {
    Ok(Attribute {
        oid,
        values: SetOfVec::try_from(vec![value])?,
    })
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, bytes)
        .as_ref()
        .to_vec()
}

/// An algorithm identifier as it appears in a message.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm<'a> {
    pub oid: ObjectIdentifier,
    pub parameters: Option<AnyRef<'a>>,
}

/// Identification of the signer in a message.
#[derive(Debug, Clone, Copy)]
pub enum SignerId<'a> {
    /// By the DER of the issuer's name and the serial number.
    IssuerAndSerial {
        /// The issuer's name as DER.
        issuer: &'a [u8],
        /// The serial number's octets.
        serial: &'a [u8],
    },
    /// By the key identifier.
    KeyIdentifier(&'a [u8]),
}

/// A CMS `SignedData` message with exactly one signer, as required by PDF (ISO 32000-2, 12.8.3.3) and for timestamps
/// (RFC 3161, 2.4.2).
#[derive(Debug)]
pub struct SignedMessage<'a> {
    pub content_type: ObjectIdentifier,
    /// The content, if it is not detached.
    pub content: Option<&'a [u8]>,
    /// The certificates in the message, as DER.
    pub certificates: Vec<&'a [u8]>,
    pub signer: SignerId<'a>,
    /// The algorithm of the message digest.
    pub digest_algorithm: Algorithm<'a>,
    pub signature_algorithm: Algorithm<'a>,
    pub signature: &'a [u8],
    /// The signed attributes as the `SET OF` that was signed. Empty if the content was signed directly (RFC 5652, 5.4).
    pub signed_attributes: Vec<u8>,
    attributes: Vec<(ObjectIdentifier, &'a [u8])>,
    unsigned_attributes: Vec<(ObjectIdentifier, &'a [u8])>,
}

/// One DER value, with its position.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) tag: Tag,
    /// The content of the value.
    pub(super) value: &'a [u8],
    /// The whole value: tag, length and content.
    pub(super) raw: &'a [u8],
}

impl<'a> Element<'a> {
    /// Decodes a primitive value.
    pub(super) fn decode<T>(&self) -> Result<T, CmsError>
    where
        T: der::Choice<'a> + der::DecodeValue<'a, Error = der::Error>,
    {
        Ok(self.any()?.decode_as()?)
    }

    fn any(&self) -> Result<AnyRef<'a>, der::Error> {
        AnyRef::new(self.tag, self.value)
    }

    /// Returns the values inside a constructed value.
    pub(super) fn children(&self) -> Result<Elements<'a>, CmsError> {
        Ok(Elements(SliceReader::new(self.value)?))
    }
}

/// DER values, one after the other.
pub(super) struct Elements<'a>(SliceReader<'a>);

impl<'a> Elements<'a> {
    /// Reads the next value. `None` at the end.
    pub(super) fn optional(&mut self) -> Result<Option<Element<'a>>, CmsError> {
        if self.0.is_finished() {
            return Ok(None);
        }
        let raw = self.0.tlv_bytes()?;
        let any = AnyRef::from_der(raw)?;
        Ok(Some(Element {
            tag: der::Tagged::tag(&any),
            value: any.value(),
            raw,
        }))
    }

    /// Reads the next value, which must exist.
    pub(super) fn next(&mut self) -> Result<Element<'a>, CmsError> {
        self.optional()?.ok_or(CmsError::Unusable("an element is missing"))
    }

    /// Reads the next value, which must have this tag.
    pub(super) fn expect(&mut self, tag: Tag) -> Result<Element<'a>, CmsError> {
        let element = self.next()?;
        if element.tag == tag {
            Ok(element)
        } else {
            Err(CmsError::Unusable("an element has the wrong type"))
        }
    }
}

/// Returns the tag `[number]` of a constructed value.
pub(super) const fn context(number: u32) -> Tag {
    Tag::ContextSpecific {
        constructed: true,
        number: TagNumber(number),
    }
}

fn top(der: &[u8]) -> Result<Element<'_>, CmsError> {
    let mut reader = SliceReader::new(der)?;
    let raw = reader.tlv_bytes()?;
    // The rest is padding of the placeholder. The caller checks that.
    let any = AnyRef::from_der(raw)?;
    Ok(Element {
        tag: der::Tagged::tag(&any),
        value: any.value(),
        raw,
    })
}

/// Returns the values of a sequence that is the whole of `der`.
pub(super) fn sequence(der: &[u8]) -> Result<Elements<'_>, CmsError> {
    let mut outer = Elements(SliceReader::new(der)?);
    let sequence = outer.expect(Tag::Sequence)?;
    if outer.optional()?.is_some() {
        return Err(CmsError::Unusable("extra data follows a sequence"));
    }
    sequence.children()
}

/// Returns the length of the message at the beginning of `padded`. The rest must be zeros.
pub fn message_length(padded: &[u8]) -> Result<usize, CmsError> {
    let element = top(padded)?;
    let length = element.raw.len();
    let padding = padded.get(length..).unwrap_or_default();
    if padding.iter().any(|byte| *byte != 0) {
        return Err(CmsError::Unusable("something other than zeros follows the message"));
    }
    Ok(length)
}

impl<'a> SignedMessage<'a> {
    /// Reads a message, which may be followed by zeros.
    pub fn parse(padded: &'a [u8]) -> Result<Self, CmsError> {
        let body = SignedBody::read(padded)?;
        let mut signers = body.signers.children()?;
        let Some(signer_info) = signers.optional()? else {
            return Err(CmsError::Unusable("it has no signer"));
        };
        if signer_info.tag != Tag::Sequence {
            return Err(CmsError::Unusable("it has no signer"));
        }
        if signers.optional()?.is_some() {
            return Err(CmsError::Unusable("it has more than one signer"));
        }
        Self::with_signer(body.content_type, body.content, body.certificates, signer_info)
    }

    fn with_signer(
        content_type: ObjectIdentifier,
        content: Option<&'a [u8]>,
        certificates: Vec<&'a [u8]>,
        signer_info: Element<'a>,
    ) -> Result<Self, CmsError> {
        let mut fields = signer_info.children()?;
        fields.expect(Tag::Integer)?;
        let signer = fields.next()?;
        let signer = match signer.tag {
            Tag::Sequence => {
                let mut parts = signer.children()?;
                let issuer = parts.expect(Tag::Sequence)?.raw;
                let serial = parts.expect(Tag::Integer)?.value;
                SignerId::IssuerAndSerial { issuer, serial }
            }
            Tag::ContextSpecific {
                number: TagNumber(0), ..
            } => SignerId::KeyIdentifier(signer.value),
            _ => return Err(CmsError::Unusable("it does not identify its signer")),
        };
        let digest_algorithm = algorithm(fields.expect(Tag::Sequence)?)?;
        let mut element = fields.next()?;
        let (mut signed_attributes, mut attributes) = (Vec::new(), Vec::new());
        if element.tag == context(0) {
            // The signature covers the attributes with the tag of a SET OF (RFC 5652, 5.4).
            signed_attributes = element.raw.to_vec();
            if let Some(tag) = signed_attributes.first_mut() {
                *tag = 0x31;
            }
            attributes = self::attributes(element)?;
            element = fields.next()?;
        }
        if element.tag != Tag::Sequence {
            return Err(CmsError::Unusable("its signature algorithm is missing"));
        }
        let signature_algorithm = algorithm(element)?;
        let signature = fields.expect(Tag::OctetString)?.value;
        let unsigned_attributes = match fields.optional()? {
            Some(set) if set.tag == context(1) => self::attributes(set)?,
            _ => Vec::new(),
        };
        Ok(Self {
            content_type,
            content,
            certificates,
            signer,
            digest_algorithm,
            signature_algorithm,
            signature,
            signed_attributes,
            attributes,
            unsigned_attributes,
        })
    }

    /// Returns the values of all unsigned attributes of this type as DER. Each may occur several times.
    pub(crate) fn unsigned_attribute(&self, oid: ObjectIdentifier) -> Result<Vec<&'a [u8]>, CmsError> {
        let mut found = Vec::new();
        for (_, values) in self.unsigned_attributes.iter().filter(|(name, _)| *name == oid) {
            let mut values = Elements(SliceReader::new(values)?);
            while let Some(value) = values.optional()? {
                found.push(value.raw);
            }
        }
        Ok(found)
    }

    /// Returns the only value of the only attribute of this type. RFC 5652, 11 forbids more than one of either.
    pub fn attribute(&self, oid: ObjectIdentifier) -> Result<Option<AnyRef<'a>>, CmsError> {
        let mut matching = self.attributes.iter().filter(|(name, _)| *name == oid);
        let Some((_, values)) = matching.next() else {
            return Ok(None);
        };
        let mut values = Elements(SliceReader::new(values)?);
        let value = values.next()?;
        if matching.next().is_some() || values.optional()?.is_some() {
            return Err(CmsError::Unusable("a signed attribute appears twice"));
        }
        Ok(Some(value.any()?))
    }

    /// Returns the digest of the signed content.
    pub fn message_digest(&self) -> Result<&'a [u8], CmsError> {
        let value = self.attribute(ID_MESSAGE_DIGEST)?.ok_or(CmsError::Unusable(
            "the message digest is not among the signed attributes",
        ))?;
        Ok(value.decode_as::<&OctetStringRef>()?.as_bytes())
    }

    /// Returns whether the signed content type matches that of the content.
    pub fn content_type_agrees(&self) -> Result<bool, CmsError> {
        let Some(value) = self.attribute(ID_CONTENT_TYPE)? else {
            return Ok(false);
        };
        Ok(value.decode_as::<ObjectIdentifier>()? == self.content_type)
    }

    /// Returns the first entry of signing-certificate-v2, which identifies the signer's certificate: the hash algorithm
    /// and the hash.
    pub fn signing_certificate(&self) -> Result<Option<(ObjectIdentifier, &'a [u8])>, CmsError> {
        let Some(value) = self.attribute(ID_AA_SIGNING_CERTIFICATE_V_2)? else {
            return Ok(None);
        };
        let mut list = Elements(SliceReader::new(value.value())?)
            .expect(Tag::Sequence)?
            .children()?;
        let mut id = list.expect(Tag::Sequence)?.children()?;
        let first = id.next()?;
        if first.tag == Tag::Sequence {
            return Ok(Some((algorithm(first)?.oid, id.expect(Tag::OctetString)?.value)));
        }
        if first.tag == Tag::OctetString {
            return Ok(Some((ID_SHA_256, first.value)));
        }
        Err(CmsError::Unusable("signing-certificate-v2 contains no hash"))
    }

    /// Returns the first entry of the older signing-certificate attribute (RFC 2634): the SHA-1 of the signer's
    /// certificate.
    pub fn old_signing_certificate(&self) -> Result<Option<&'a [u8]>, CmsError> {
        let Some(value) = self.attribute(ID_AA_SIGNING_CERTIFICATE)? else {
            return Ok(None);
        };
        let mut list = Elements(SliceReader::new(value.value())?)
            .expect(Tag::Sequence)?
            .children()?;
        let mut id = list.expect(Tag::Sequence)?.children()?;
        Ok(Some(id.expect(Tag::OctetString)?.value))
    }
}

fn attributes(set: Element<'_>) -> Result<Vec<(ObjectIdentifier, &[u8])>, CmsError> {
    let mut attributes = Vec::new();
    let mut set = set.children()?;
    while let Some(attribute) = set.optional()? {
        let mut parts = attribute.children()?;
        let oid = parts.expect(Tag::ObjectIdentifier)?;
        let values = parts.expect(Tag::Set)?;
        attributes.push((oid.decode()?, values.value));
    }
    Ok(attributes)
}

pub(super) fn algorithm(element: Element<'_>) -> Result<Algorithm<'_>, CmsError> {
    let mut parts = element.children()?;
    let oid = parts.expect(Tag::ObjectIdentifier)?;
    let parameters = parts.optional()?.map(|element| element.any()).transpose()?;
    Ok(Algorithm {
        oid: oid.any()?.decode_as()?,
        parameters,
    })
}

fn encapsulated(element: Element<'_>) -> Result<(ObjectIdentifier, Option<&[u8]>), CmsError> {
    let mut parts = element.children()?;
    let content_type = parts.expect(Tag::ObjectIdentifier)?.any()?.decode_as()?;
    let content = match parts.optional()? {
        Some(content) => Some(content.children()?.expect(Tag::OctetString)?.value),
        None => None,
    };
    Ok((content_type, content))
}
