//! Treats any bytes as data from authorities and signers: a signed message, a timestamp, a time-stamp response, a
//! revocation list, an OCSP response, a certificate. Parsed parts must lie within the input, and a response is accepted
//! only if its token matches the request.

use document::pki::cms::{SignedMessage, message_length};
use document::pki::keys::{Signer, certificates_from_pem, certificates_to_pem};
use document::pki::revocation::{
    Sources, check_answer, check_list, is_self_issued, list_validity, names_issuer, serial_number,
};
use document::pki::timestamp::{TimestampRequest, TimestampToken};
use document::verify::list_from_pem_or_der;

use crate::materials::{now, seal_key};

/// The digest that is signed and timestamped in the seeds.
pub(crate) const DIGEST: [u8; 32] = [7; 32];

/// Parses any bytes as data from authorities and signers. True if they are valid.
pub fn cms(data: &[u8]) -> bool {
    let mut reached = false;
    let within = |part: &[u8]| data.as_ptr_range().contains(&part.as_ptr()) || part.is_empty();
    if let Ok(message) = SignedMessage::parse(data) {
        reached = true;
        let length = message_length(data).expect("what is parsed has a length");
        assert!(length <= data.len());
        assert!(within(message.signature) && message.content.is_none_or(within));
        assert!(message.certificates.iter().all(|certificate| within(certificate)));
        // Zeros may follow: the placeholder is larger than the value.
        let padded = [data, &[0; 9]].concat();
        let again = SignedMessage::parse(&padded).expect("padding changes nothing");
        assert_eq!(
            (again.signature, again.signed_attributes),
            (message.signature, message.signed_attributes.clone())
        );
        let _ = (
            message.content_type_agrees(),
            message.message_digest(),
            message.signing_certificate(),
        );
        let _ = message.old_signing_certificate();
    }
    if let Ok(token) = TimestampToken::parse(data) {
        reached = true;
        assert!(within(token.imprint) && within(token.serial_number));
        if token.verify(&DIGEST, &[]).is_ok() {
            assert_eq!(token.imprint, DIGEST, "a timestamp is of what it stamps");
        }
    }
    let request = TimestampRequest::new(DIGEST, [1; 16], None);
    if let Ok(token) = request.accept(data) {
        reached = true;
        assert!(
            data.windows(token.len()).any(|part| part == token),
            "the token is the response's"
        );
        let token = TimestampToken::parse(&token).expect("what is accepted is a token");
        token.verify(&DIGEST, &[]).expect("and a valid one");
    }
    let own = seal_key().key.certificates().first().expect("a certificate");
    reached |= list_validity(data).is_ok();
    let _ = (check_list(data, own, own, now()), check_answer(data, own, own, now()));
    let _ = (Sources::of(data).is_ok(), is_self_issued(data), names_issuer(data, own));
    if let Some(list) = list_from_pem_or_der(data.to_vec()) {
        assert_eq!(
            list_from_pem_or_der(list.clone()).as_ref(),
            Some(&list),
            "DER stays DER"
        );
    }
    if serial_number(data).is_ok() {
        reached = true;
        let pem = certificates_to_pem(&[data.to_vec()]);
        if let Ok(certificates) = certificates_from_pem(&pem) {
            assert_eq!(
                certificates,
                [data.to_vec()],
                "a certificate that is read is written as it was"
            );
        }
    }
    reached
}
