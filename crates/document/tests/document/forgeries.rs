//! Forgeries of a sealed file, and files of random bytes. Each forgery must be rejected with a fault that names the
//! change.
//!
//! Common viewers call several of them 'valid': the signature still verifies mathematically, but content added after it
//! shows on the page.

use crate::revision_writer::RevisionWriter;
use cms::cert::{CertificateChoices, IssuerAndSerialNumber};
use cms::content_info::ContentInfo;
use cms::signed_data::{CertificateSet, SignedData, SignerIdentifier, SignerInfo, SignerInfos};
use const_oid::db::rfc5911::{ID_AA_SIGNING_CERTIFICATE_V_2, ID_CONTENT_TYPE, ID_MESSAGE_DIGEST, ID_SIGNED_DATA};
use der::asn1::{Any, OctetString, SetOfVec};
use der::{Decode, Encode};
use document::pki::authority::create_root;
use document::pki::keys::{KeyKind, SealKey, Signer};
use document::sealing::seal;
use document::verify::{Change, Fault, How, Part, TrustedRoots, Verdict, verify};
use jiff::{SignedDuration, Timestamp};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use proptest::prelude::*;
use x509_cert::Certificate;

use crate::judges;
use crate::samples::{
    HOUSE, House, References, details, file, now, sealed, sign_with, signed_by_others, unsigned, unsigned_document,
};

mod bytes;
mod document_parts;
mod large_pictures;
mod later_revisions;
mod pages;
mod permissions;
mod signatures;
mod structure;
mod validation_data;
mod values;

fn judge(pdf: &[u8]) -> Verdict {
    verify(pdf, &HOUSE.roots(), now())
}

/// Returns all faults, and asserts that there is at least one.
fn faults(pdf: &[u8]) -> Vec<Fault> {
    let verdict = judge(pdf);
    assert!(!verdict.holds(), "a forgery passed");
    verdict.all_faults().map(|(_, fault)| fault.clone()).collect()
}

fn assert_names(pdf: &[u8], is_expected: impl Fn(&Fault) -> bool) {
    let faults = faults(pdf);
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(faults.iter().any(is_expected), "{}", texts.join("\n"));
}

fn forbidden(pdf: &[u8]) -> Vec<Change> {
    faults(pdf)
        .into_iter()
        .flat_map(|fault| match fault {
            Fault::ChangedAfterSigning { changes } => changes,
            _ => Vec::new(),
        })
        .collect()
}

/// Asserts that a forbidden change is reported, with its page or field if it has one.
fn assert_change(pdf: &[u8], part: Part, how: How, page: Option<u32>) {
    let changes = forbidden(pdf);
    let is_named =
        |change: &Change| change.part == part && change.how == how && (page.is_none() || change.page == page);
    assert!(
        changes.iter().any(is_named),
        "{part:?} {how:?} {page:?} of {changes:#?}"
    );
}

fn assert_field(pdf: &[u8], part: Part, how: How, field: &str) {
    let changes = forbidden(pdf);
    let is_named = |change: &Change| change.part == part && change.how == how && change.field.as_deref() == Some(field);
    assert!(changes.iter().any(is_named), "{part:?} {how:?} {field} of {changes:#?}");
}

/// Asserts that a change is permitted: it is listed, and no signature reports a fault.
fn assert_permitted(pdf: &[u8], part: Part, how: How) {
    let verdict = judge(pdf);
    let first = verdict.signatures.first().expect("a signature");
    assert!(first.faults.is_empty(), "{:#?}", first.faults);
    let is_listed = |change: &Change| change.part == part && change.how == how;
    assert!(
        first.later.iter().any(is_listed),
        "{part:?} {how:?} of {:#?}",
        first.later
    );
}

/// Appends a revision after the seal.
fn append(pdf: &[u8], work: impl FnOnce(&Document, &mut RevisionWriter<'_>)) -> Vec<u8> {
    let document = Document::load_mem(pdf).expect("readable");
    let mut writer = RevisionWriter::new(pdf, &document).expect("a revision");
    work(&document, &mut writer);
    writer.finish().expect("written").bytes
}

/// Appends a revision that changes the first page.
fn change_page(change: impl FnOnce(&mut Dictionary)) -> Vec<u8> {
    append(&sealed(References::Table), |document, writer| {
        change(writer.edit_dictionary(first_page(document)).expect("a page"));
    })
}

/// Appends a revision that changes the catalog.
fn change_catalog(pdf: &[u8], change: impl FnOnce(&mut Dictionary)) -> Vec<u8> {
    append(pdf, |_, writer| {
        let root = writer.root();
        change(writer.edit_dictionary(root).expect("a catalog"));
    })
}

fn first_page(document: &Document) -> ObjectId {
    document.page_iter().next().expect("a page")
}

fn page_tree(document: &Document) -> ObjectId {
    let pages = document.catalog().and_then(|catalog| catalog.get(b"Pages"));
    pages.and_then(Object::as_reference).expect("pages")
}

fn content_of_first_page(document: &Document) -> ObjectId {
    let page = document.get_dictionary(first_page(document)).expect("a page");
    page.get(b"Contents").and_then(Object::as_reference).expect("a content")
}

fn find(haystack: &[u8], needle: &[u8]) -> usize {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
        .expect("found")
}

fn find_last(haystack: &[u8], needle: &[u8]) -> usize {
    haystack
        .windows(needle.len())
        .rposition(|window| window == needle)
        .expect("found")
}

/// Returns the range of the seal's gap, including its `<` and `>`.
fn gap(pdf: &[u8]) -> std::ops::Range<usize> {
    let start = find(pdf, b"/Contents<") + b"/Contents".len();
    let length = pdf[start..].iter().position(|byte| *byte == b'>').expect("its end");
    start..start + length + 1
}

/// Replaces the seal's byte range.
fn with_byte_range(mut pdf: Vec<u8>, numbers: impl FnOnce(&[&str]) -> String) -> Vec<u8> {
    let at = find(&pdf, b"/ByteRange[") + b"/ByteRange[".len();
    let end = at + pdf[at..].iter().position(|byte| *byte == b']').expect("its end");
    let text = String::from_utf8_lossy(&pdf[at..end]).into_owned();
    let old: Vec<&str> = text.split_whitespace().collect();
    let width = end - at;
    let new = numbers(&old);
    pdf[at..end].copy_from_slice(format!("{new:width$}").as_bytes());
    pdf
}

#[test]
fn the_untouched_file_passes() {
    for references in [References::Table, References::Stream] {
        let verdict = judge(&sealed(references));
        assert!(verdict.holds_strictly(), "{verdict:?}");
    }
}

fn signature_of(document: &Document) -> ObjectId {
    document
        .objects
        .iter()
        .find(|(_, object)| object.as_dict().is_ok_and(|signature| signature.has(b"ByteRange")))
        .map(|(id, _)| *id)
        .expect("the signature")
}

fn field_of(document: &Document, name: &str) -> ObjectId {
    document
        .objects
        .iter()
        .find(|(_, object)| {
            object.as_dict().is_ok_and(|field| {
                field
                    .get(b"T")
                    .and_then(Object::as_str)
                    .is_ok_and(|own| own == name.as_bytes())
            })
        })
        .map(|(id, _)| *id)
        .expect("the field")
}

/// Certifies as another program might, with the permitted changes stated in the signature.
fn certify(pdf: &[u8], level: i64) -> Vec<u8> {
    let reference = dictionary! {
        "Type" => "SigRef", "TransformMethod" => "DocMDP",
        "TransformParams" => dictionary! { "Type" => "TransformParams", "P" => level, "V" => "1.2" },
    };
    let extra = dictionary! { "Reference" => vec![Object::Dictionary(reference)] };
    sign_with(pdf, &extra, &dictionary! {}, |digest| {
        document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
    })
}

/// Signs and locks fields (FieldMDP).
fn lock(pdf: &[u8], action: &str, fields: &[&str]) -> Vec<u8> {
    let fields: Vec<Object> = fields.iter().map(|name| Object::string_literal(*name)).collect();
    lock_as(
        pdf,
        &dictionary! { "Type" => "TransformParams", "Action" => action, "Fields" => fields, "V" => "1.2" },
    )
}

/// Signs, and locks fields with the given parameters.
fn lock_as(pdf: &[u8], parameters: &Dictionary) -> Vec<u8> {
    let reference = dictionary! {
        "Type" => "SigRef", "TransformMethod" => "FieldMDP", "TransformParams" => parameters.clone(),
    };
    sign_saying(
        pdf,
        &dictionary! { "Reference" => vec![Object::Dictionary(reference)] },
        &dictionary! {},
    )
}

/// Signs with more entries in the signature and its field.
fn sign_saying(pdf: &[u8], extra: &Dictionary, extra_of_field: &Dictionary) -> Vec<u8> {
    sign_with(pdf, extra, extra_of_field, |digest| {
        document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_flipped_bit_of_the_signed_bytes_is_always_rejected(place in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut pdf = sealed_once().to_vec();
        let gap = gap(&pdf);
        let at = place.index(pdf.len() - gap.len());
        let at = if at < gap.start { at } else { at + gap.len() };
        pdf[at] ^= 1 << bit;
        prop_assert!(!judge(&pdf).holds(), "byte {at}, bit {bit}");
    }

    #[test]
    fn several_changed_bytes_are_always_rejected(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut pdf = sealed_once().to_vec();
        let gap = gap(&pdf);
        for (place, byte) in &places {
            let at = place.index(pdf.len() - gap.len());
            pdf[if at < gap.start { at } else { at + gap.len() }] = *byte;
        }
        prop_assume!(pdf != sealed_once());
        prop_assert!(!judge(&pdf).holds(), "{places:?}");
    }

    #[test]
    fn a_changed_digit_of_the_value_is_rejected_or_says_the_same(place in any::<prop::sample::Index>(), digit in 0_u8..16) {
        let mut pdf = sealed_once().to_vec();
        let gap = gap(&pdf);
        // Most of the gap is padding, so every other case changes the message itself.
        let digits = if digit % 2 == 0 { 2000 } else { gap.len() - 2 };
        let at = gap.start + 1 + place.index(digits);
        let old = char::from(pdf[at]).to_digit(16).expect("a digit");
        prop_assume!(old != u32::from(digit));
        pdf[at] = b"0123456789abcdef"[usize::from(digit)];
        let (before, after) = (judge(sealed_once()), judge(&pdf));
        // A CMS message contains unsigned parts, such as a copy of the root's certificate.
        prop_assert!(!after.holds() || after == before, "digit {at}");
    }

    #[test]
    fn a_cut_file_is_always_rejected(place in any::<prop::sample::Index>()) {
        let pdf = sealed_once();
        prop_assert!(!judge(&pdf[..place.index(pdf.len())]).holds());
    }

    #[test]
    fn a_file_with_bytes_put_in_or_taken_out_is_always_rejected(
        place in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..40), gone in 0_usize..40,
    ) {
        let mut pdf = sealed_once().to_vec();
        let at = place.index(pdf.len());
        let end = (at + gone).min(pdf.len());
        pdf.splice(at..end, bytes);
        prop_assume!(pdf != sealed_once());
        let (before, after) = (judge(sealed_once()), judge(&pdf));
        prop_assert!(!after.holds() || after == before, "at {at}");
    }

    #[test]
    fn random_bytes_are_rejected_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(!judge(&bytes).holds());
    }

    #[test]
    fn a_value_of_random_bytes_is_rejected_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300), place in any::<prop::sample::Index>(), insert in any::<bool>(),
    ) {
        // Either random bytes only, or a real message with random bytes somewhere in it.
        let pdf = sign_with(&unsigned(References::Table), &dictionary! {}, &dictionary! {}, |digest| {
            let mut value = document::pki::cms::sign(&HOUSE.key, digest).expect("a value");
            if insert {
                let at = place.index(value.len());
                let end = (at + bytes.len().min(8)).min(value.len());
                value.splice(at..end, bytes.iter().copied());
                value
            } else {
                bytes.clone()
            }
        });
        let _ = judge(&pdf);
    }
}

/// Sealing takes a while without optimisation, so the property tests share one file.
fn sealed_once() -> &'static [u8] {
    static SEALED: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| sealed(References::Table));
    &SEALED
}
