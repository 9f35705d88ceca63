//! Forgeries of a sealed file, made here, each rejected with a fault that names what was done; and
//! bytes of which nobody knows what they are.
//!
//! Several of them are 'valid' to common viewers: the signature's mathematics is untouched, and what
//! was added after it shows on the page.

use document::authority::{SealSubject, create_root, issue_seal_certificate};
use document::keys::{KeyKind, Signer};
use document::revision::RevisionWriter;
use document::seal::seal;
use document::verify::{Change, Fault, Part, TrustedRoots, Verdict, verify};
use jiff::{SignedDuration, Timestamp};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use proptest::prelude::*;

use crate::samples::{
    HOUSE, House, References, details, file, now, sealed, sign_with, signed_by_others, unsigned, unsigned_document,
};

fn judge(pdf: &[u8]) -> Verdict {
    verify(pdf, &HOUSE.roots(), now())
}

/// All faults, and the assertion that there are some.
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

fn assert_names_change(pdf: &[u8], part: Part, words: &str) {
    assert_names(pdf, |fault| match fault {
        Fault::ChangedAfterSigning { changes } => changes
            .iter()
            .any(|change: &Change| change.part == part && change.detail.contains(words)),
        _ => false,
    });
}

/// Appends a revision after the seal.
fn append(pdf: &[u8], work: impl FnOnce(&Document, &mut RevisionWriter<'_>)) -> Vec<u8> {
    let document = Document::load_mem(pdf).expect("readable");
    let mut writer = RevisionWriter::new(pdf, &document).expect("a revision");
    work(&document, &mut writer);
    writer.finish().expect("written").bytes
}

fn first_page(document: &Document) -> ObjectId {
    document.page_iter().next().expect("a page")
}

fn find(haystack: &[u8], needle: &[u8]) -> usize {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
        .expect("found")
}

/// The gap of the seal: from its `<` to behind its `>`.
fn gap(pdf: &[u8]) -> std::ops::Range<usize> {
    let start = find(pdf, b"/Contents<") + b"/Contents".len();
    let length = pdf[start..].iter().position(|byte| *byte == b'>').expect("its end");
    start..start + length + 1
}

#[test]
fn the_untouched_file_passes() {
    for references in [References::Table, References::Stream] {
        let verdict = judge(&sealed(references));
        assert!(verdict.holds_strictly(), "{verdict:?}");
    }
}

#[test]
fn a_changed_byte_is_a_digest_that_does_not_fit() {
    let mut pdf = sealed(References::Table);
    let at = find(&pdf, b"Page 1");
    pdf[at + 5] = b'9';
    assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
}

#[test]
fn a_replaced_content_stream_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let page = document.get_dictionary(first_page(document)).expect("a page");
        let content = page.get(b"Contents").and_then(Object::as_reference).expect("a content");
        writer.replace(content, Stream::new(Dictionary::new(), b"q Q".to_vec()));
    });
    assert_names_change(&pdf, Part::Content, "content was changed");
    assert_names(&pdf, |fault| matches!(fault, Fault::NotCoveredToEnd { .. }));
}

#[test]
fn content_appended_to_a_page_is_named() {
    for references in [References::Table, References::Stream] {
        let pdf = append(&sealed(references), |document, writer| {
            let more = writer.add(Stream::new(Dictionary::new(), b"BT ET".to_vec()));
            let page = writer.edit_dictionary(first_page(document)).expect("a page");
            let content = page.get(b"Contents").expect("a content").clone();
            page.set("Contents", vec![content, more.into()]);
        });
        assert_names_change(&pdf, Part::Page, "/Contents");
    }
}

#[test]
fn an_added_annotation_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let note = writer.add(dictionary! {
            "Type" => "Annot", "Subtype" => "FreeText", "Contents" => Object::string_literal("1,000,000"),
            "Rect" => vec![72.into(), 600.into(), 300.into(), 650.into()],
        });
        let page = writer.edit_dictionary(first_page(document)).expect("a page");
        let mut annotations = page
            .get(b"Annots")
            .and_then(Object::as_array)
            .expect("the seal's widget")
            .clone();
        annotations.push(note.into());
        page.set("Annots", annotations);
    });
    assert_names_change(&pdf, Part::Page, "an annotation or field was added");
}

#[test]
fn an_added_page_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let pages = document
            .catalog()
            .and_then(|catalog| catalog.get(b"Pages"))
            .and_then(Object::as_reference);
        let pages = pages.expect("pages");
        let page = writer.add(dictionary! { "Type" => "Page", "Parent" => pages });
        let tree = writer.edit_dictionary(pages).expect("pages");
        let mut kids = tree.get(b"Kids").and_then(Object::as_array).expect("kids").clone();
        kids.push(page.into());
        tree.set("Kids", kids);
        tree.set("Count", 3);
    });
    assert_names_change(&pdf, Part::Pages, "/Kids");
}

#[test]
fn a_changed_font_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let font = document
            .objects
            .iter()
            .find(|(_, object)| object.as_dict().is_ok_and(|font| font.has_type(b"Font")))
            .map(|(id, _)| *id)
            .expect("a font");
        writer.edit_dictionary(font).expect("a font").set("BaseFont", "Symbol");
    });
    assert_names_change(&pdf, Part::Font, "/BaseFont");
}

#[test]
fn an_added_script_is_named() {
    let pdf = append(&sealed(References::Table), |_, writer| {
        let script = writer.add(dictionary! {
            "S" => "JavaScript", "JS" => Object::string_literal("app.alert('paid')"),
        });
        let root = writer.root();
        writer
            .edit_dictionary(root)
            .expect("a catalog")
            .set("OpenAction", script);
    });
    assert_names_change(&pdf, Part::Catalog, "/OpenAction");
}

#[test]
fn another_catalog_is_named() {
    let pdf = append(&sealed(References::Table), |document, writer| {
        let other = writer.add(dictionary! { "Type" => "Catalog" });
        let _ = (document, other);
    });
    // The trailer is the writer's last word, so the text is changed to lead to the new catalog.
    let text = format!("/Root {} 0 R", Document::load_mem(&pdf).expect("readable").max_id);
    let at = pdf.windows(6).rposition(|window| window == b"/Root ").expect("found");
    let mut forged = pdf[..at].to_vec();
    let rest = &pdf[at..];
    let end = rest.iter().position(|byte| *byte == b'R').expect("a reference") + 1;
    // Everything that is pointed to lies before the trailer, so its length may change.
    let end = end + rest[end..].iter().position(|byte| *byte == b'R').expect("a reference") + 1;
    forged.extend_from_slice(text.as_bytes());
    forged.extend_from_slice(&rest[end..]);
    assert_names_change(&forged, Part::Structure, "/Root");
}

#[test]
fn a_removed_signature_field_is_named() {
    let pdf = append(&sealed(References::Table), |_, writer| {
        let root = writer.root();
        writer.edit_dictionary(root).expect("a catalog").remove(b"AcroForm");
    });
    assert_names(&pdf, |fault| matches!(fault, Fault::FieldRemoved { .. }));
    assert_names_change(&pdf, Part::Form, "removed");
}

#[test]
fn a_removed_certification_is_named() {
    let pdf = append(&sealed(References::Table), |_, writer| {
        let root = writer.root();
        writer.edit_dictionary(root).expect("a catalog").remove(b"Perms");
    });
    assert_names_change(&pdf, Part::Catalog, "/Perms");
}

#[test]
fn a_filled_empty_place_is_named() {
    // The shadow attack: what was signed refers to an object that does not exist yet.
    let mut document = unsigned_document();
    let missing = (document.max_id + 50, 0);
    let page = first_page(&document);
    document
        .get_dictionary_mut(page)
        .expect("a page")
        .set("Contents", Object::Reference(missing));
    let sealed = seal(&file(document, References::Table), &HOUSE.key, &details(true)).expect("sealed");
    let pdf = append(&sealed, |_, writer| {
        writer.replace(missing, Stream::new(Dictionary::new(), b"BT ET".to_vec()));
    });
    assert_names_change(&pdf, Part::Other, "empty when signed");
}

#[test]
fn a_signature_after_a_certification_that_forbids_it_is_named() {
    let pdf = signed_by_others(&sealed(References::Table), &HOUSE.key);
    assert_names_change(&pdf, Part::Form, "this one forbids");
}

#[test]
fn a_visible_signature_is_named() {
    let first = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let rectangle = dictionary! { "Rect" => vec![0.into(), 0.into(), 200.into(), 100.into()] };
    let pdf = sign_with(&first, &dictionary! {}, &rectangle, |digest| {
        document::cms::sign(&HOUSE.key, digest).expect("a value")
    });
    assert_names_change(&pdf, Part::Page, "a visible signature field was added");
}

#[test]
fn a_certification_after_another_signature_is_named() {
    let first = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let reference = dictionary! {
        "Type" => "SigRef", "TransformMethod" => "DocMDP",
        "TransformParams" => dictionary! { "Type" => "TransformParams", "P" => 1, "V" => "1.2" },
    };
    let extra = dictionary! { "Reference" => vec![Object::Dictionary(reference)] };
    let pdf = sign_with(&first, &extra, &dictionary! {}, |digest| {
        document::cms::sign(&HOUSE.key, digest).expect("a value")
    });
    assert_names(&pdf, |fault| *fault == Fault::CertificationNotFirst);
}

#[test]
fn junk_after_the_end_is_named() {
    for junk in [&b"\n"[..], b"% a comment\n", b"<html></html>", &[0; 2000]] {
        let mut pdf = sealed(References::Table);
        pdf.extend_from_slice(junk);
        assert_names(&pdf, |fault| {
            matches!(fault, Fault::NotCoveredToEnd { .. } | Fault::Unreadable { .. })
        });
    }
}

#[test]
fn a_swapped_byte_range_is_named() {
    let mut pdf = sealed(References::Table);
    let at = find(&pdf, b"/ByteRange[") + b"/ByteRange[".len();
    let end = at + pdf[at..].iter().position(|byte| *byte == b']').expect("its end");
    let text = String::from_utf8_lossy(&pdf[at..end]).into_owned();
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let width = end - at;
    let swapped = format!("{} {} {} {}", numbers[2], numbers[3], numbers[0], numbers[1]);
    pdf[at..end].copy_from_slice(format!("{swapped:width$}").as_bytes());
    assert_names(&pdf, |fault| matches!(fault, Fault::ByteRange { .. }));
}

#[test]
fn a_wider_gap_is_named() {
    let mut pdf = sealed(References::Table);
    let at = find(&pdf, b"/ByteRange[") + b"/ByteRange[".len();
    let end = at + pdf[at..].iter().position(|byte| *byte == b']').expect("its end");
    let gap = gap(&pdf);
    let width = end - at;
    let wider = format!("0 {} {} {}", gap.start, gap.end + 10, pdf.len() - gap.end - 10);
    pdf[at..end].copy_from_slice(format!("{wider:width$}").as_bytes());
    assert_names(&pdf, |fault| *fault == Fault::GapIsNotValue);
}

#[test]
fn a_nulled_gap_is_named() {
    let mut pdf = sealed(References::Table);
    let gap = gap(&pdf);
    pdf[gap.start + 1..gap.end - 1].fill(b'0');
    assert_names(&pdf, |fault| matches!(fault, Fault::UnreadableValue { .. }));
}

#[test]
fn something_hidden_in_the_padding_is_named() {
    let mut pdf = sealed(References::Table);
    let gap = gap(&pdf);
    pdf[gap.end - 3..gap.end - 1].copy_from_slice(b"41");
    assert_names(&pdf, |fault| matches!(fault, Fault::UnreadableValue { .. }));
}

#[test]
fn a_value_from_another_file_is_named() {
    let other = seal(&unsigned(References::Stream), &HOUSE.key, &details(true)).expect("sealed");
    let mut pdf = sealed(References::Table);
    let (from, to) = (gap(&other), gap(&pdf));
    pdf[to].copy_from_slice(&other[from]);
    assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
}

#[test]
fn a_value_by_an_unknown_root_is_named() {
    let stranger = House::new(KeyKind::EcdsaP256);
    let pdf = seal(&unsigned(References::Table), &stranger.key, &details(true)).expect("sealed");
    assert_names(&pdf, |fault| matches!(fault, Fault::UntrustedSigner { .. }));
}

#[test]
fn a_root_of_the_same_name_but_another_key_is_no_root() {
    let twin = create_root("Countersign test root", KeyKind::EcdsaP256, now()).expect("a root");
    let verdict = verify(
        &sealed(References::Table),
        &TrustedRoots::new(twin.certificates().to_vec()),
        now(),
    );
    assert!(!verdict.holds());
    assert!(
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::UntrustedSigner { .. }))
    );
}

#[test]
fn a_certificate_issued_by_a_seal_certificate_is_named() {
    // A company uses its seal key as if it were an authority.
    let subject = SealSubject {
        company_name: "Impostor",
        company_id: "impostor",
        revocation_list: None,
    };
    let error = issue_seal_certificate(&HOUSE.key, &subject, KeyKind::EcdsaP256, now());
    assert!(
        error.is_err(),
        "our own code issued under a certificate that is no authority"
    );
}

#[test]
fn an_expired_certificate_is_named() {
    let later: Timestamp = now() + SignedDuration::from_hours(24 * 366 * 10);
    let verdict = verify(&sealed(References::Table), &HOUSE.roots(), later);
    assert!(!verdict.holds());
    assert!(
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::CertificateExpired { .. }))
    );
}

#[test]
fn a_certificate_before_its_time_is_named() {
    let earlier: Timestamp = now() - SignedDuration::from_hours(24);
    let verdict = verify(&sealed(References::Table), &HOUSE.roots(), earlier);
    assert!(!verdict.holds());
    assert!(
        verdict
            .all_faults()
            .any(|(_, fault)| matches!(fault, Fault::CertificateNotYetValid { .. }))
    );
}

#[test]
fn a_root_certificate_used_to_seal_is_named() {
    let pdf = seal(&unsigned(References::Table), &HOUSE.root, &details(true)).expect("sealed");
    assert_names(&pdf, |fault| matches!(fault, Fault::CertificateUnusable { .. }));
}

#[test]
fn an_unknown_format_is_named() {
    let extra = dictionary! { "SubFilter" => "adbe.x509.rsa_sha1" };
    let pdf = sign_with(&unsigned(References::Table), &extra, &dictionary! {}, |digest| {
        document::cms::sign(&HOUSE.key, digest).expect("a value")
    });
    assert_names(&pdf, |fault| matches!(fault, Fault::UnsupportedFormat { .. }));
}

#[test]
fn a_file_without_signature_is_no_sealed_file() {
    assert_names(&unsigned(References::Table), |fault| *fault == Fault::NoSignature);
}

#[test]
fn usage_rights_are_no_signature() {
    let mut document = unsigned_document();
    let rights = document.add_object(dictionary! {
        "Type" => "Sig", "ByteRange" => vec![0.into(), 1.into(), 2.into(), 3.into()],
        "Contents" => Object::string_literal("x"),
    });
    document
        .catalog_mut()
        .expect("a catalog")
        .set("Perms", dictionary! { "UR3" => rights });
    assert_eq!(faults(&file(document, References::Table)), [Fault::NoSignature]);
}

#[test]
fn the_file_cut_back_to_before_the_seal_is_no_sealed_file() {
    let before = unsigned(References::Table);
    let sealed = sealed(References::Table);
    assert_names(&sealed[..before.len()], |fault| *fault == Fault::NoSignature);
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
    fn a_changed_digit_of_the_value_is_rejected_or_says_the_same(place in any::<prop::sample::Index>(), digit in 0_u8..16) {
        let mut pdf = sealed_once().to_vec();
        let gap = gap(&pdf);
        // Most of the gap is padding; every other case looks at the message itself.
        let digits = if digit % 2 == 0 { 2000 } else { gap.len() - 2 };
        let at = gap.start + 1 + place.index(digits);
        let old = char::from(pdf[at]).to_digit(16).expect("a digit");
        prop_assume!(old != u32::from(digit));
        pdf[at] = b"0123456789abcdef"[usize::from(digit)];
        let (before, after) = (judge(sealed_once()), judge(&pdf));
        // A CMS message holds things that nobody signs, such as a copy of the root's certificate.
        prop_assert!(!after.holds() || after == before, "digit {at}");
    }

    #[test]
    fn a_cut_file_is_always_rejected(place in any::<prop::sample::Index>()) {
        let pdf = sealed_once();
        prop_assert!(!judge(&pdf[..place.index(pdf.len())]).holds());
    }

    #[test]
    fn random_bytes_are_rejected_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(!judge(&bytes).holds());
    }

    #[test]
    fn a_value_of_random_bytes_is_rejected_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300), place in any::<prop::sample::Index>(), insert in any::<bool>(),
    ) {
        // Either nothing but noise, or a real message with noise somewhere in it.
        let pdf = sign_with(&unsigned(References::Table), &dictionary! {}, &dictionary! {}, |digest| {
            let mut value = document::cms::sign(&HOUSE.key, digest).expect("a value");
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
