//! Faults in the signature's value, in files that are otherwise correctly sealed.

use super::*;

fn value_of(message: &SignedData) -> Vec<u8> {
    let info = ContentInfo {
        content_type: ID_SIGNED_DATA,
        content: Any::encode_from(message).expect("encoded"),
    };
    info.to_der().expect("DER")
}

/// Signs with a message that is changed after it was created.
fn signed_with(change: impl FnOnce(&mut SignedData)) -> Vec<u8> {
    sign_with(
        &unsigned(References::Table),
        &dictionary! {},
        &dictionary! {},
        |digest| {
            let value = document::pki::cms::sign(&HOUSE.key, digest).expect("a value");
            let info = ContentInfo::from_der(&value).expect("a message");
            let mut message: SignedData = info.content.decode_as().expect("a message");
            change(&mut message);
            value_of(&message)
        },
    )
}

fn signer(message: &SignedData) -> SignerInfo {
    message.signer_infos.0.iter().next().expect("a signer").clone()
}

fn set_signer(message: &mut SignedData, signer: SignerInfo) {
    message.signer_infos = SignerInfos::try_from(vec![signer]).expect("a signer");
}

/// Changes the signed attributes and signs them again, as a careless signer might.
fn with_attributes(change: impl FnOnce(&mut Vec<x509_cert::attr::Attribute>), key: &SealKey) -> Vec<u8> {
    signed_with(|message| {
        let mut signer = signer(message);
        let mut attributes = signer.signed_attrs.take().expect("attributes").into_vec();
        change(&mut attributes);
        let attributes = SetOfVec::try_from(attributes).expect("attributes");
        let signature = key.sign(&attributes.to_der().expect("DER")).expect("signed");
        signer.signature = OctetString::new(signature).expect("a signature");
        signer.signed_attrs = Some(attributes);
        set_signer(message, signer);
    })
}

#[test]
fn the_message_unchanged_is_right() {
    assert!(judge(&signed_with(|_| {})).holds_strictly());
    assert!(judge(&with_attributes(|_| {}, &HOUSE.key)).holds_strictly());
}

#[test]
fn two_signers_are_named() {
    let pdf = signed_with(|message| {
        let first = signer(message);
        let mut second = first.clone();
        second.signature = OctetString::new(vec![1; 70]).expect("a signature");
        message.signer_infos = SignerInfos::try_from(vec![first, second]).expect("signers");
    });
    assert_names(
        &pdf,
        |fault| matches!(fault, Fault::UnreadableValue { reason } if reason.contains("more than one signer")),
    );
}

#[test]
fn no_signer_is_named() {
    let pdf = signed_with(|message| message.signer_infos = SignerInfos::try_from(Vec::new()).expect("none"));
    assert_names(&pdf, |fault| matches!(fault, Fault::UnreadableValue { .. }));
}

#[test]
fn exchanged_signed_attributes_are_named() {
    let mut taken = None;
    signed_with(|message| taken = signer(message).signed_attrs);
    let pdf = sign_with(
        &unsigned(References::Stream),
        &dictionary! {},
        &dictionary! {},
        |digest| {
            let value = document::pki::cms::sign(&HOUSE.key, digest).expect("a value");
            let info = ContentInfo::from_der(&value).expect("a message");
            let mut message: SignedData = info.content.decode_as().expect("a message");
            let mut signer = signer(&message);
            signer.signed_attrs = taken;
            set_signer(&mut message, signer);
            value_of(&message)
        },
    );
    assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
    assert_names(&pdf, |fault| *fault == Fault::SignatureMismatch);
}

#[test]
fn a_missing_attribute_is_named() {
    for (oid, expected) in [
        (ID_MESSAGE_DIGEST, "digest"),
        (ID_CONTENT_TYPE, "content type"),
        (ID_AA_SIGNING_CERTIFICATE_V_2, "bound"),
    ] {
        let pdf = with_attributes(
            |attributes| attributes.retain(|attribute| attribute.oid != oid),
            &HOUSE.key,
        );
        assert_names(&pdf, |fault| fault.to_string().contains(expected));
    }
}

#[test]
fn signed_attributes_that_are_missing_are_named() {
    let pdf = signed_with(|message| {
        let mut signer = signer(message);
        signer.signed_attrs = None;
        set_signer(message, signer);
    });
    assert_names(&pdf, |fault| fault.to_string().contains("attributes are missing"));
}

#[test]
fn another_content_type_is_named() {
    let pdf = with_attributes(
        |attributes| {
            for attribute in attributes {
                if attribute.oid == ID_CONTENT_TYPE {
                    attribute.values = SetOfVec::try_from(vec![Any::from(ID_SIGNED_DATA)]).expect("a type");
                }
            }
        },
        &HOUSE.key,
    );
    assert_names(&pdf, |fault| fault.to_string().contains("content type"));
}

#[test]
fn an_attribute_with_two_values_is_named() {
    let pdf = with_attributes(
        |attributes| {
            for attribute in attributes {
                if attribute.oid == ID_MESSAGE_DIGEST {
                    let other = Any::encode_from(&OctetString::new(vec![7; 32]).expect("a digest"));
                    attribute.values.insert(other.expect("a digest")).expect("inserted");
                }
            }
        },
        &HOUSE.key,
    );
    assert_names(&pdf, |fault| fault.to_string().contains("twice"));
}

#[test]
fn a_content_of_its_own_is_named() {
    let pdf = signed_with(|message| {
        let content = OctetString::new(b"another content".as_slice()).expect("a content");
        message.encap_content_info.econtent = Some(Any::encode_from(&content).expect("a content"));
    });
    assert_names(&pdf, |fault| fault.to_string().contains("unexpected content"));
}

/// Another trusted person's certificate replaces the signer's.
#[test]
fn an_exchanged_certificate_is_named() {
    let other = House::new(KeyKind::EcdsaP256);
    let pdf = signed_with(|message| {
        let der = other.key.certificates().first().expect("a certificate");
        let certificate = Certificate::from_der(der).expect("a certificate");
        let mut signer = signer(message);
        signer.sid = SignerIdentifier::IssuerAndSerialNumber(IssuerAndSerialNumber {
            issuer: certificate.tbs_certificate().issuer().clone(),
            serial_number: certificate.tbs_certificate().serial_number().clone(),
        });
        set_signer(message, signer);
        let choice = CertificateChoices::Certificate(certificate);
        message.certificates = Some(CertificateSet::try_from(vec![choice]).expect("a set"));
    });
    assert_names(&pdf, |fault| *fault == Fault::SignatureMismatch);
    assert_names(&pdf, |fault| *fault == Fault::SigningCertificateMismatch);
}

#[test]
fn a_missing_certificate_is_named() {
    let pdf = signed_with(|message| message.certificates = None);
    assert_names(&pdf, |fault| *fault == Fault::SignerCertificateMissing);
}

#[test]
fn a_weak_digest_is_named() {
    let pdf = signed_with(|message| {
        let mut signer = signer(message);
        signer.digest_alg.oid = const_oid::db::rfc5912::ID_SHA_1;
        set_signer(message, signer);
    });
    assert_names(
        &pdf,
        |fault| matches!(fault, Fault::WeakAlgorithm { name } if name == "SHA-1"),
    );
}

#[test]
fn a_signature_without_signed_attributes_is_judged_as_what_it_is() {
    // A plain PKCS #7 message over the content is valid in the plain format, but is not CAdES.
    let extra = dictionary! { "SubFilter" => "adbe.pkcs7.detached" };
    let sign = |format: &Dictionary, change: fn(&mut SignedData)| {
        crate::samples::sign_content_with(&unsigned(References::Table), format, |content| {
            let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, content);
            let value = document::pki::cms::sign(&HOUSE.key, digest.as_ref()).expect("a value");
            let info = ContentInfo::from_der(&value).expect("a message");
            let mut message: SignedData = info.content.decode_as().expect("a message");
            let mut signer = signer(&message);
            signer.signed_attrs = None;
            signer.signature = OctetString::new(HOUSE.key.sign(content).expect("signed")).expect("a signature");
            set_signer(&mut message, signer);
            change(&mut message);
            value_of(&message)
        })
    };
    assert!(judge(&sign(&extra, |_| {})).holds_strictly());
    assert_names(&sign(&dictionary! {}, |_| {}), |fault| {
        fault.to_string().contains("attributes are missing")
    });
    let signed_data = |message: &mut SignedData| message.encap_content_info.econtent_type = ID_SIGNED_DATA;
    assert_names(&sign(&extra, signed_data), |fault| {
        fault.to_string().contains("must be data")
    });
}
