//! Forgeries of a sealed file, made here, each rejected with a fault that names what was done; and
//! bytes of which nobody knows what they are.
//!
//! Several of them are 'valid' to common viewers: the signature's mathematics is untouched, and what
//! was added after it shows on the page.

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

mod later_revisions;

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

fn forbidden(pdf: &[u8]) -> Vec<Change> {
    faults(pdf)
        .into_iter()
        .flat_map(|fault| match fault {
            Fault::ChangedAfterSigning { changes } => changes,
            _ => Vec::new(),
        })
        .collect()
}

/// A forbidden change, with its page or field where it has one.
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

/// What was changed is permitted: no signature complains of it, and it is listed.
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

/// The gap of the seal: from its `<` to behind its `>`.
fn gap(pdf: &[u8]) -> std::ops::Range<usize> {
    let start = find(pdf, b"/Contents<") + b"/Contents".len();
    let length = pdf[start..].iter().position(|byte| *byte == b'>').expect("its end");
    start..start + length + 1
}

/// Writes another byte range in the place of the seal's.
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

mod large_pictures {
    //! Of large pictures the verifier keeps a digest alone.
    use super::*;

    const SIDE: i64 = 300;

    fn picture(content: Vec<u8>) -> Stream {
        let dictionary = dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => SIDE, "Height" => SIDE,
            "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
        };
        Stream::new(dictionary, content).with_compression(false)
    }

    fn pixels() -> Vec<u8> {
        (0..SIDE * SIDE)
            .map(|place| u8::try_from(place % 251).expect("small"))
            .collect()
    }

    /// A file with a picture, approved with nothing locked; and the picture's object.
    fn signed() -> (Vec<u8>, ObjectId) {
        let mut document = unsigned_document();
        let picture = document.add_object(picture(pixels()));
        let page = first_page(&document);
        let content = document.add_object(Stream::new(
            Dictionary::new(),
            b"q 200 0 0 200 99 99 cm /P Do Q".to_vec(),
        ));
        let page = document.get_dictionary_mut(page).expect("a page");
        page.set("Contents", content);
        page.set("Resources", dictionary! { "XObject" => dictionary! { "P" => picture } });
        let pdf = file(document, References::Table);
        (signed_by_others(&pdf, &HOUSE.key), picture)
    }

    #[test]
    fn the_untouched_file_passes_and_so_does_one_that_is_sealed_further() {
        let (pdf, _) = signed();
        assert!(judge(&pdf).holds_strictly());
        let sealed = seal(&pdf, &HOUSE.key, &details(false)).expect("sealed");
        assert!(judge(&sealed).holds_strictly(), "{:?}", judge(&sealed));
        assert!(judges::structure_complaints(&sealed).is_empty());
    }

    #[test]
    fn another_picture_in_its_place_is_named_even_one_that_is_the_digest_of_the_first() {
        let (pdf, picture_id) = signed();
        let mut other = pixels();
        other[70_000] ^= 1;
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &pixels())
            .as_ref()
            .to_vec();
        for content in [other, digest] {
            let forged = append(&pdf, |_, writer| writer.replace(picture_id, picture(content)));
            let sealed = seal(&forged, &HOUSE.key, &details(false)).expect("sealed");
            assert_names(&sealed, |fault| matches!(fault, Fault::ChangedAfterSigning { .. }));
        }
    }
}

mod bytes {
    use super::*;

    #[test]
    fn a_changed_byte_is_a_digest_that_does_not_fit() {
        let mut pdf = sealed(References::Table);
        let at = find(&pdf, b"Page 1");
        pdf[at + 5] = b'9';
        assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
    }

    #[test]
    fn junk_after_the_end_is_named() {
        for junk in [&b"% a comment\n"[..], b"<html></html>", &[0; 2000]] {
            let mut pdf = sealed(References::Table);
            pdf.extend_from_slice(junk);
            assert_names(&pdf, |fault| {
                matches!(fault, Fault::NotCoveredToEnd { .. } | Fault::Unreadable { .. })
            });
        }
    }

    #[test]
    fn the_file_cut_back_to_before_the_seal_is_no_sealed_file() {
        let before = unsigned(References::Table);
        let sealed = sealed(References::Table);
        assert_names(&sealed[..before.len()], |fault| *fault == Fault::NoSignature);
    }

    #[test]
    fn a_file_without_signature_is_no_sealed_file() {
        assert_names(&unsigned(References::Table), |fault| *fault == Fault::NoSignature);
    }

    #[test]
    fn a_swapped_byte_range_is_named() {
        let pdf = with_byte_range(sealed(References::Table), |old| {
            format!("{} {} {} {}", old[2], old[3], old[0], old[1])
        });
        assert_names(&pdf, |fault| matches!(fault, Fault::ByteRange { .. }));
    }

    #[test]
    fn a_byte_range_that_does_not_begin_at_the_beginning_is_named() {
        let pdf = with_byte_range(sealed(References::Table), |old| {
            let first: usize = old[1].parse().expect("a number");
            format!("9 {} {} {}", first - 9, old[2], old[3])
        });
        assert_names(
            &pdf,
            |fault| matches!(fault, Fault::ByteRange { reason } if reason.contains("begin")),
        );
    }

    #[test]
    fn a_byte_range_of_six_numbers_is_named() {
        let pdf = with_byte_range(sealed(References::Table), |old| {
            format!("0 9 9 {} {} 9", old[1].len(), old[2])
        });
        assert_names(
            &pdf,
            |fault| matches!(fault, Fault::ByteRange { reason } if reason.contains("four")),
        );
    }

    #[test]
    fn a_nulled_byte_range_is_named() {
        let pdf = with_byte_range(sealed(References::Table), |_| "0 0 0 0".to_owned());
        assert_names(&pdf, |fault| matches!(fault, Fault::ByteRange { .. }));
    }

    #[test]
    fn a_byte_range_beyond_the_end_is_named() {
        let pdf = with_byte_range(sealed(References::Table), |old| {
            format!("{} {} {} 9999999999", old[0], old[1], old[2])
        });
        assert_names(
            &pdf,
            |fault| matches!(fault, Fault::ByteRange { reason } if reason.contains("end")),
        );
    }

    #[test]
    fn a_byte_range_that_ends_early_is_named() {
        let pdf = with_byte_range(sealed(References::Table), |old| {
            let last: usize = old[3].parse().expect("a number");
            format!("{} {} {} {}", old[0], old[1], old[2], last - 20)
        });
        assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
    }

    #[test]
    fn a_wider_gap_is_named() {
        let pdf = sealed(References::Table);
        let (gap, length) = (gap(&pdf), pdf.len());
        let pdf = with_byte_range(pdf, |_| {
            format!("0 {} {} {}", gap.start, gap.end + 10, length - gap.end - 10)
        });
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
        let other = seal(unsigned(References::Stream), &HOUSE.key, &details(true)).expect("sealed");
        let mut pdf = sealed(References::Table);
        let (from, to) = (gap(&other), gap(&pdf));
        pdf[to].copy_from_slice(&other[from]);
        assert_names(&pdf, |fault| *fault == Fault::DigestMismatch);
    }

    /// Signature wrapping: what was signed lies around something new, and a new dictionary leaves that out.
    #[test]
    fn wrapped_bytes_are_named() {
        let pdf = sealed(References::Table);
        let gap = gap(&pdf);
        let document = Document::load_mem(&pdf).expect("readable");
        let signature = document
            .objects
            .iter()
            .find(|(_, object)| object.as_dict().is_ok_and(|signature| signature.has(b"ByteRange")))
            .map(|(id, _)| *id)
            .expect("the signature");
        let evil = append(&pdf, |document, writer| {
            writer.replace(
                content_of_first_page(document),
                Stream::new(Dictionary::new(), b"q Q".to_vec()),
            );
            let wrapped = writer.edit_dictionary(signature).expect("the signature");
            let tail = i64::try_from(pdf.len() - gap.end).expect("a number");
            wrapped.set(
                "ByteRange",
                vec![
                    0.into(),
                    i64::try_from(gap.start).expect("a number").into(),
                    9_999_999_i64.into(),
                    tail.into(),
                ],
            );
        });
        // The signed end follows once more, and the new range leads to it.
        let mut forged = evil.clone();
        let start = forged.len();
        forged.extend_from_slice(&pdf[gap.end..]);
        let at = find_last(&forged, b"9999999 ");
        forged[at..at + 7].copy_from_slice(format!("{start:07}").as_bytes());
        assert_names(&forged, |fault| {
            matches!(fault, Fault::GapIsNotValue | Fault::NotCoveredToEnd { .. })
        });
    }

    #[test]
    fn encryption_added_later_is_named() {
        let pdf = sealed(References::Table);
        let mut forged = append(&pdf, |_, writer| {
            writer.add(dictionary! { "Filter" => "Standard", "V" => 1, "R" => 2, "P" => -4 });
        });
        let at = find_last(&forged, b"/Root");
        forged.splice(at..at, b"/Encrypt 1 0 R".iter().copied());
        assert_names(&forged, |fault| {
            matches!(fault, Fault::Encrypted | Fault::Unreadable { .. })
        });
    }
}

mod pages {
    use super::*;

    #[test]
    fn a_replaced_content_stream_is_named() {
        for references in [References::Table, References::Stream] {
            let pdf = append(&sealed(references), |document, writer| {
                writer.replace(
                    content_of_first_page(document),
                    Stream::new(Dictionary::new(), b"q Q".to_vec()),
                );
            });
            assert_change(&pdf, Part::Content, How::Changed, Some(1));
            assert_names(&pdf, |fault| matches!(fault, Fault::NotCoveredToEnd { .. }));
        }
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
            assert_change(&pdf, Part::Content, How::Changed, Some(1));
        }
    }

    #[test]
    fn other_resources_of_a_page_are_named() {
        let pdf = change_page(|page| {
            page.set(
                "Resources",
                dictionary! { "ExtGState" => dictionary! { "G" => dictionary! { "ca" => 0 } } },
            );
        });
        assert_change(&pdf, Part::Resources, How::Added, Some(1));
    }

    #[test]
    fn a_page_that_is_cut_or_turned_is_named() {
        for (key, value) in [
            (
                "CropBox",
                Object::Array(vec![0.into(), 0.into(), 612.into(), 400.into()]),
            ),
            ("Rotate", 180.into()),
            ("UserUnit", 2.into()),
        ] {
            let pdf = change_page(|page| page.set(key, value));
            assert_change(&pdf, Part::Page, How::Added, Some(1));
        }
    }

    #[test]
    fn an_added_page_is_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let pages = page_tree(document);
            let page = writer.add(dictionary! { "Type" => "Page", "Parent" => pages });
            let tree = writer.edit_dictionary(pages).expect("pages");
            let mut kids = tree.get(b"Kids").and_then(Object::as_array).expect("kids").clone();
            kids.push(page.into());
            tree.set("Kids", kids);
            tree.set("Count", 3);
        });
        assert_change(&pdf, Part::Page, How::Added, Some(3));
        assert_change(&pdf, Part::Pages, How::Changed, None);
    }

    #[test]
    fn a_removed_page_is_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let tree = writer.edit_dictionary(page_tree(document)).expect("pages");
            let kids = tree.get(b"Kids").and_then(Object::as_array).expect("kids").clone();
            tree.set("Kids", kids[1..].to_vec());
            tree.set("Count", 1);
        });
        assert_change(&pdf, Part::Page, How::Removed, Some(1));
    }

    #[test]
    fn exchanged_pages_are_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let tree = writer.edit_dictionary(page_tree(document)).expect("pages");
            let mut kids = tree.get(b"Kids").and_then(Object::as_array).expect("kids").clone();
            kids.reverse();
            tree.set("Kids", kids);
        });
        assert_change(&pdf, Part::Pages, How::Changed, None);
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
        assert_change(&pdf, Part::Font, How::Changed, None);
    }

    #[test]
    fn an_added_annotation_is_named() {
        for kind in ["FreeText", "Stamp", "Square", "Link"] {
            let pdf = append(&sealed(References::Table), |document, writer| {
                let shown = writer.add(Stream::new(
                    dictionary! { "Type" => "XObject", "Subtype" => "Form" },
                    b"1 1 1 rg 0 0 612 792 re f".to_vec(),
                ));
                let note = writer.add(dictionary! {
                    "Type" => "Annot", "Subtype" => kind, "Contents" => Object::string_literal("1,000,000"),
                    "Rect" => vec![72.into(), 600.into(), 300.into(), 650.into()],
                    "AP" => dictionary! { "N" => shown },
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
            assert_change(&pdf, Part::Annotation, How::Added, Some(1));
        }
    }

    /// The shadow attack that hides: a layer that was on when it was signed is switched off.
    #[test]
    fn a_layer_that_is_switched_is_named() {
        let mut document = unsigned_document();
        let layer = document.add_object(dictionary! { "Type" => "OCG", "Name" => Object::string_literal("Price") });
        document.catalog_mut().expect("a catalog").set(
            "OCProperties",
            dictionary! {
                "OCGs" => vec![layer.into()],
                "D" => dictionary! { "ON" => vec![layer.into()] },
            },
        );
        let sealed = seal(file(document, References::Table), &HOUSE.key, &details(true)).expect("sealed");
        let pdf = change_catalog(&sealed, |catalog| {
            catalog.set(
                "OCProperties",
                dictionary! {
                    "OCGs" => vec![layer.into()],
                    "D" => dictionary! { "OFF" => vec![layer.into()] },
                },
            );
        });
        assert_change(&pdf, Part::OptionalContent, How::Changed, None);
    }

    /// The shadow attack that replaces: what was signed refers to an object that does not exist yet.
    #[test]
    fn a_filled_empty_place_is_named() {
        let mut document = unsigned_document();
        let missing = (document.max_id + 50, 0);
        let page = first_page(&document);
        document
            .get_dictionary_mut(page)
            .expect("a page")
            .set("Contents", Object::Reference(missing));
        let sealed = seal(file(document, References::Table), &HOUSE.key, &details(true)).expect("sealed");
        let pdf = append(&sealed, |_, writer| {
            writer.replace(missing, Stream::new(Dictionary::new(), b"BT ET".to_vec()));
        });
        assert_change(&pdf, Part::Content, How::Revealed, Some(1));
    }
}

mod document_parts {
    use super::*;

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
        assert_change(&pdf, Part::Script, How::Added, None);
    }

    #[test]
    fn a_script_among_the_names_is_named() {
        let script = dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("app.alert('paid')") };
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            catalog.set(
                "Names",
                dictionary! {
                    "JavaScript" => dictionary! { "Names" => vec![Object::string_literal("x"), script.into()] },
                },
            );
        });
        assert_change(&pdf, Part::Script, How::Added, None);
    }

    #[test]
    fn a_script_of_a_page_is_named() {
        let script = dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("app.alert('paid')") };
        let pdf = change_page(|page| page.set("AA", dictionary! { "O" => script }));
        assert_change(&pdf, Part::Script, How::Added, Some(1));
    }

    #[test]
    fn an_embedded_file_is_named() {
        let pdf = append(&sealed(References::Table), |_, writer| {
            let data = writer.add(Stream::new(dictionary! { "Type" => "EmbeddedFile" }, b"x".to_vec()));
            let specification = dictionary! {
                "Type" => "Filespec", "F" => Object::string_literal("annex.txt"), "EF" => dictionary! { "F" => data },
            };
            let root = writer.root();
            writer.edit_dictionary(root).expect("a catalog").set(
                "Names",
                dictionary! {
                    "EmbeddedFiles" => dictionary! {
                        "Names" => vec![Object::string_literal("annex.txt"), specification.into()],
                    },
                },
            );
        });
        assert_change(&pdf, Part::EmbeddedFile, How::Added, None);
    }

    #[test]
    fn added_bookmarks_are_named() {
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            catalog.set("Outlines", dictionary! { "Type" => "Outlines" });
        });
        assert_change(&pdf, Part::Outline, How::Added, None);
    }

    #[test]
    fn another_title_is_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let info = document
                .trailer
                .get(b"Info")
                .and_then(Object::as_reference)
                .expect("info");
            writer
                .edit_dictionary(info)
                .expect("info")
                .set("Title", Object::string_literal("Another contract"));
        });
        assert_change(&pdf, Part::Metadata, How::Changed, None);
    }

    #[test]
    fn another_catalog_is_named() {
        let pdf = append(&sealed(References::Table), |_, writer| {
            writer.add(dictionary! { "Type" => "Catalog" });
        });
        // The trailer is the writer's last word, so the text is changed to lead to the new catalog.
        let text = format!("/Root {} 0 R", Document::load_mem(&pdf).expect("readable").max_id);
        let at = find_last(&pdf, b"/Root ");
        let mut forged = pdf[..at].to_vec();
        let rest = &pdf[at..];
        let end = rest.iter().position(|byte| *byte == b'R').expect("a reference") + 1;
        // Everything that is pointed to lies before the trailer, so its length may change.
        let end = end + rest[end..].iter().position(|byte| *byte == b'R').expect("a reference") + 1;
        forged.extend_from_slice(text.as_bytes());
        forged.extend_from_slice(&rest[end..]);
        assert_change(&forged, Part::Structure, How::Changed, None);
    }

    #[test]
    fn a_removed_signature_field_is_named() {
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            catalog.remove(b"AcroForm");
        });
        assert_names(&pdf, |fault| matches!(fault, Fault::FieldRemoved { .. }));
        assert_change(&pdf, Part::Form, How::Removed, None);
    }

    #[test]
    fn a_signature_field_taken_out_of_the_form_is_named() {
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            catalog.set(
                "AcroForm",
                dictionary! { "Fields" => Vec::<Object>::new(), "SigFlags" => 3 },
            );
        });
        assert_names(&pdf, |fault| matches!(fault, Fault::FieldRemoved { .. }));
        assert_change(&pdf, Part::Field, How::Removed, None);
    }

    #[test]
    fn a_removed_certification_is_named() {
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            catalog.remove(b"Perms");
        });
        assert_change(&pdf, Part::Signature, How::Removed, None);
    }

    #[test]
    fn an_xfa_form_is_named() {
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            let mut form = catalog
                .get(b"AcroForm")
                .and_then(Object::as_dict)
                .expect("a form")
                .clone();
            form.set("XFA", Object::string_literal("<xdp/>"));
            catalog.set("AcroForm", form);
        });
        assert_change(&pdf, Part::Form, How::Added, None);
    }

    #[test]
    fn an_added_text_field_is_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let field = writer.add(dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "FT" => "Tx", "T" => Object::string_literal("Price"),
                "V" => Object::string_literal("1,000,000"),
                "Rect" => vec![72.into(), 600.into(), 300.into(), 650.into()],
            });
            let page = writer.edit_dictionary(first_page(document)).expect("a page");
            let mut annotations = page
                .get(b"Annots")
                .and_then(Object::as_array)
                .expect("annotations")
                .clone();
            annotations.push(field.into());
            page.set("Annots", annotations);
        });
        assert_field(&pdf, Part::Field, How::Added, "Price");
    }
}

mod structure {
    use super::*;

    /// An entry of a new table that leads to the body of another object: some programs then take that one.
    fn with_entry(pdf: &[u8], number: u32, offset: usize) -> Vec<u8> {
        let mut forged = pdf.to_vec();
        let document = Document::load_mem(pdf).expect("readable");
        let previous = {
            let at = find_last(pdf, b"startxref") + b"startxref".len();
            String::from_utf8_lossy(&pdf[at..])
                .split_whitespace()
                .next()
                .expect("a number")
                .to_owned()
        };
        let root = document
            .trailer
            .get(b"Root")
            .and_then(Object::as_reference)
            .expect("a root")
            .0;
        let info = document
            .trailer
            .get(b"Info")
            .and_then(Object::as_reference)
            .expect("info")
            .0;
        forged.extend_from_slice(b"\n");
        let start = forged.len();
        let size = number.max(document.max_id) + 1;
        forged.extend_from_slice(
            format!(
                "xref\n{number} 1\n{offset:010} 00000 n\r\ntrailer\n<</Size {size}/Root {root} 0 R/Info {info} 0 R/Prev \
                 {previous}>>\nstartxref\n{start}\n%%EOF\n"
            )
            .as_bytes(),
        );
        forged
    }

    #[test]
    fn an_entry_that_leads_to_another_object_is_named() {
        let pdf = sealed(References::Table);
        let document = Document::load_mem(&pdf).expect("readable");
        let content = content_of_first_page(&document);
        let other = find(&pdf, format!("\n{} 0 obj", first_page(&document).0).as_bytes()) + 1;
        let forged = with_entry(&pdf, content.0, other);
        assert_names(&forged, |fault| matches!(fault, Fault::ForgedReferences { .. }));
    }

    /// The entry of the page's content leads to new bytes, and that of a number nobody uses to the old ones: a reader that
    /// goes by what stands at the place sees what was signed.
    #[test]
    fn an_object_under_two_numbers_is_named() {
        let pdf = sealed(References::Table);
        let document = Document::load_mem(&pdf).expect("readable");
        let content = content_of_first_page(&document);
        let old = find(&pdf, format!("\n{} 0 obj", content.0).as_bytes()) + 1;
        let changed = append(&pdf, |document, writer| {
            writer.replace(
                content_of_first_page(document),
                Stream::new(Dictionary::new(), b"q Q".to_vec()),
            );
        });
        let forged = with_entry(&changed, document.max_id + 9, old);
        assert_names(&forged, |fault| matches!(fault, Fault::ForgedReferences { .. }));
    }

    #[test]
    fn an_entry_that_leads_nowhere_is_named() {
        let pdf = sealed(References::Table);
        let document = Document::load_mem(&pdf).expect("readable");
        let content = content_of_first_page(&document).0;
        let forged = with_entry(&pdf, content, pdf.len() - 3);
        assert_names(&forged, |fault| *fault == Fault::ForgedReferences { object: content });
    }

    /// A file whose objects lie in object streams, with one object stream more, as a text.
    fn with_object_stream(pdf: &[u8], numbers: &str, objects: &[u8], entries: &[(u32, u16)]) -> Vec<u8> {
        let mut container = Stream::new(
            dictionary! {
                "Type" => "ObjStm", "N" => i64::try_from(numbers.split_whitespace().count() / 2).expect("a number"),
                "First" => i64::try_from(numbers.len()).expect("a number"),
            },
            [numbers.as_bytes(), objects].concat(),
        );
        container.allows_compression = false;
        let document = Document::load_mem(pdf).expect("readable");
        let mut forged = pdf.to_vec();
        let number = document.max_id + 1;
        let at = forged.len();
        let mut written = Vec::new();
        lopdf::Writer::write_object(&mut written, &Object::Stream(container)).expect("written");
        forged.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        forged.extend_from_slice(&written);
        forged.extend_from_slice(b"\nendobj\n");
        let start = forged.len();
        let previous = {
            let at = find_last(pdf, b"startxref") + b"startxref".len();
            let text = String::from_utf8_lossy(&pdf[at..]).into_owned();
            text.split_whitespace()
                .next()
                .expect("a number")
                .parse::<i64>()
                .expect("a number")
        };
        let mut index: Vec<Object> = Vec::new();
        let mut rows = Vec::new();
        for (object, place) in entries {
            index.extend([i64::from(*object).into(), 1.into()]);
            rows.extend([2]);
            rows.extend(number.to_be_bytes());
            rows.extend(place.to_be_bytes());
        }
        for (object, place) in [(number, at), (number + 1, start)] {
            index.extend([i64::from(object).into(), 1.into()]);
            rows.extend([1]);
            rows.extend(u32::try_from(place).expect("an offset").to_be_bytes());
            rows.extend(0_u16.to_be_bytes());
        }
        let mut section = Stream::new(
            dictionary! {
                "Type" => "XRef", "Size" => i64::from(number + 2), "Prev" => previous, "Index" => index,
                "W" => vec![1.into(), 4.into(), 2.into()],
                "Root" => document.trailer.get(b"Root").expect("a root").clone(),
                "Info" => document.trailer.get(b"Info").expect("info").clone(),
            },
            rows,
        );
        section.allows_compression = false;
        let mut written = Vec::new();
        lopdf::Writer::write_object(&mut written, &Object::Stream(section)).expect("written");
        forged.extend_from_slice(format!("{} 0 obj\n", number + 1).as_bytes());
        forged.extend_from_slice(&written);
        forged.extend_from_slice(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").as_bytes());
        forged
    }

    #[test]
    fn an_object_stream_that_overrides_an_object_is_named() {
        let pdf = sealed(References::Stream);
        let page = first_page(&Document::load_mem(&pdf).expect("readable")).0;
        let numbers = format!("{page} 0 ");
        let forged = with_object_stream(&pdf, &numbers, b"<</Type/Page>>", &[(page, 0)]);
        assert_change(&forged, Part::Page, How::Removed, Some(1));
    }

    #[test]
    fn an_object_stream_that_holds_an_object_twice_is_named() {
        let pdf = sealed(References::Stream);
        let document = Document::load_mem(&pdf).expect("readable");
        let page = first_page(&document);
        let mut old = Vec::new();
        lopdf::Writer::write_object(&mut old, document.objects.get(&page).expect("a page")).expect("written");
        let new = b"<</Type/Page>> ";
        for (first, second) in [(old.clone(), new.to_vec()), (new.to_vec(), old.clone())] {
            let numbers = format!("{0} 0 {0} {1} ", page.0, first.len());
            for place in [0, 1] {
                let forged = with_object_stream(
                    &pdf,
                    &numbers,
                    &[first.clone(), second.clone()].concat(),
                    &[(page.0, place)],
                );
                assert_names(&forged, |fault| matches!(fault, Fault::DamagedStructure { .. }));
            }
        }
    }

    /// The signed file holds an object in an object stream that its references do not name; a later section names it.
    #[test]
    fn an_object_hidden_in_an_object_stream_is_named() {
        let mut document = unsigned_document();
        let hidden = document.max_id + 40;
        let page = first_page(&document);
        document
            .get_dictionary_mut(page)
            .expect("a page")
            .set("Annots", vec![Object::Reference((hidden, 0))]);
        let plain = file(document, References::Stream);
        let numbers = format!("{hidden} 0 ");
        let note = b"<</Type/Annot/Subtype/FreeText/Rect[0 0 600 700]>>";
        let prepared = with_object_stream(&plain, &numbers, note, &[]);
        let sealed = seal(&prepared, &HOUSE.key, &details(true)).expect("sealed");
        assert!(judge(&sealed).holds(), "{:?}", judge(&sealed));
        let container = Document::load_mem(&plain).expect("readable").max_id + 1;
        let forged = reveal(&sealed, container, hidden);
        let verdict = judge(&forged);
        assert!(!verdict.holds(), "a hidden object was revealed unseen");
        assert_change(&forged, Part::Annotation, How::Revealed, Some(1));
    }

    /// A section that names an object of an object stream that lies in the file already.
    fn reveal(pdf: &[u8], container: u32, object: u32) -> Vec<u8> {
        let document = Document::load_mem(pdf).expect("readable");
        let mut forged = pdf.to_vec();
        let number = document.max_id.max(object) + 1;
        let start = forged.len();
        let at = find_last(pdf, b"startxref") + b"startxref".len();
        let text = String::from_utf8_lossy(&pdf[at..]).into_owned();
        let previous: i64 = text
            .split_whitespace()
            .next()
            .expect("a number")
            .parse()
            .expect("a number");
        let mut rows = vec![2];
        rows.extend(container.to_be_bytes());
        rows.extend(0_u16.to_be_bytes());
        rows.extend([1]);
        rows.extend(u32::try_from(start).expect("an offset").to_be_bytes());
        rows.extend(0_u16.to_be_bytes());
        let mut section = Stream::new(
            dictionary! {
                "Type" => "XRef", "Size" => i64::from(number + 1), "Prev" => previous,
                "Index" => vec![i64::from(object).into(), 1.into(), i64::from(number).into(), 1.into()],
                "W" => vec![1.into(), 4.into(), 2.into()],
                "Root" => document.trailer.get(b"Root").expect("a root").clone(),
                "Info" => document.trailer.get(b"Info").expect("info").clone(),
            },
            rows,
        );
        section.allows_compression = false;
        let mut written = Vec::new();
        lopdf::Writer::write_object(&mut written, &Object::Stream(section)).expect("written");
        forged.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        forged.extend_from_slice(&written);
        forged.extend_from_slice(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").as_bytes());
        forged
    }
}

mod validation_data {
    use super::*;

    pub(super) fn with_store(pdf: &[u8]) -> Vec<u8> {
        append(pdf, |_, writer| {
            let certificate = HOUSE.root.certificates().first().expect("a certificate").clone();
            let certificate = writer.add(Stream::new(Dictionary::new(), certificate));
            let list = writer.add(Stream::new(Dictionary::new(), b"0".to_vec()));
            let store = writer.add(dictionary! { "Certs" => vec![certificate.into()], "CRLs" => vec![list.into()] });
            let root = writer.root();
            writer.edit_dictionary(root).expect("a catalog").set("DSS", store);
        })
    }

    #[test]
    fn validation_data_may_follow() {
        for references in [References::Table, References::Stream] {
            let pdf = with_store(&sealed(references));
            let verdict = judge(&pdf);
            assert!(verdict.holds_strictly(), "{verdict:#?}");
            assert_permitted(&pdf, Part::ValidationData, How::Added);
        }
    }

    #[test]
    fn junk_behind_validation_data_is_named() {
        for junk in [&b"% a comment\n"[..], b"<html></html>", b"9 0 obj null endobj"] {
            let mut pdf = with_store(&sealed(References::Table));
            pdf.extend_from_slice(junk);
            assert_names(&pdf, |fault| matches!(fault, Fault::NotCoveredToEnd { .. }));
        }
    }

    #[test]
    fn removed_validation_data_are_named() {
        let signed = signed_by_others(
            &with_store(&signed_by_others(&unsigned(References::Table), &HOUSE.key)),
            &HOUSE.key,
        );
        assert!(judge(&signed).holds(), "{:#?}", judge(&signed));
        let removed = change_catalog(&signed, |catalog| {
            catalog.remove(b"DSS");
        });
        assert_change(&removed, Part::ValidationData, How::Removed, None);
        let emptied = change_catalog(&signed, |catalog| {
            catalog.set("DSS", dictionary! { "Certs" => Vec::<Object>::new() });
        });
        assert_change(&emptied, Part::ValidationData, How::Removed, None);
    }

    #[test]
    fn something_else_in_the_validation_data_is_named() {
        let pdf = change_catalog(&sealed(References::Table), |catalog| {
            catalog.set(
                "DSS",
                dictionary! { "JS" => Object::string_literal("app.alert('paid')") },
            );
        });
        assert_change(&pdf, Part::ValidationData, How::Added, None);
    }

    /// What nobody can read as validation data, signed by somebody, as an object of its own or in the catalog.
    fn with_unreadable_store(is_object: bool) -> (Vec<u8>, ObjectId) {
        let mut held = (0, 0);
        let pdf = append(&unsigned(References::Table), |_, writer| {
            held = writer.add(Stream::new(Dictionary::new(), b"100".to_vec()));
            let store = dictionary! { "Price" => held };
            let root = writer.root();
            let store = if is_object {
                writer.add(store).into()
            } else {
                Object::Dictionary(store)
            };
            writer.edit_dictionary(root).expect("a catalog").set("DSS", store);
        });
        (signed_by_others(&pdf, &HOUSE.key), held)
    }

    #[test]
    fn changed_validation_data_that_nobody_can_read_are_named() {
        for is_object in [true, false] {
            let (signed, held) = with_unreadable_store(is_object);
            assert!(judge(&signed).holds(), "{:#?}", judge(&signed));
            // Another signature changes nothing of it.
            assert!(judge(&signed_by_others(&signed, &HOUSE.key)).holds());
            let content = append(&signed, |_, writer| {
                writer.replace(held, Stream::new(Dictionary::new(), b"999".to_vec()));
            });
            assert_change(&content, Part::ValidationData, How::Changed, None);
            let replaced = change_catalog(&signed, |catalog| {
                catalog.set("DSS", dictionary! { "Price" => 999 });
            });
            assert_change(&replaced, Part::ValidationData, How::Changed, None);
            let readable = change_catalog(&signed, |catalog| catalog.set("DSS", dictionary! {}));
            assert_change(&readable, Part::ValidationData, How::Changed, None);
        }
        let (signed, _) = with_unreadable_store(true);
        let entry = append(&signed, |document, writer| {
            let store = document.catalog().and_then(|catalog| catalog.get(b"DSS"));
            let store = store.and_then(Object::as_reference).expect("the store");
            writer.replace(store, dictionary! { "Price" => 999 });
        });
        assert_change(&entry, Part::ValidationData, How::Changed, None);
    }

    #[test]
    fn more_validation_data_than_anybody_reads_are_named() {
        let too_large = append(&sealed(References::Table), |_, writer| {
            let mut list = Stream::new(Dictionary::new(), vec![0; 65 * 1024 * 1024]);
            list.compress().expect("compressed");
            let list = writer.add(list);
            let root = writer.root();
            let store = dictionary! { "CRLs" => vec![list.into()] };
            writer.edit_dictionary(root).expect("a catalog").set("DSS", store);
        });
        assert_names(&too_large, |fault| *fault == Fault::TooMuchValidationData);
        assert_change(&too_large, Part::ValidationData, How::Added, None);
    }

    #[test]
    fn a_change_beside_new_validation_data_is_named() {
        let pdf = append(&with_store(&sealed(References::Table)), |document, writer| {
            writer.replace(
                content_of_first_page(document),
                Stream::new(Dictionary::new(), b"q Q".to_vec()),
            );
        });
        assert_change(&pdf, Part::Content, How::Changed, Some(1));
    }
}

mod signatures {
    use super::*;

    #[test]
    fn a_signature_after_a_certification_that_forbids_it_is_named() {
        let pdf = signed_by_others(&sealed(References::Table), &HOUSE.key);
        assert_change(&pdf, Part::Signature, How::Added, None);
    }

    #[test]
    fn a_certification_after_another_signature_is_named() {
        let first = signed_by_others(&unsigned(References::Table), &HOUSE.key);
        let pdf = certify(&first, 1);
        assert_names(&pdf, |fault| *fault == Fault::CertificationNotFirst);
    }

    #[test]
    fn the_signature_with_another_reason_is_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let signature = signature_of(document);
            writer
                .edit_dictionary(signature)
                .expect("the signature")
                .set("Reason", Object::string_literal("Approved for 1,000,000"));
        });
        assert_names(&pdf, |fault| *fault == Fault::NotInItsRevision);
    }

    /// The field holds a copy of the signature that says something else of itself.
    #[test]
    fn a_copy_of_the_signature_is_named() {
        let pdf = append(&sealed(References::Table), |document, writer| {
            let signature = signature_of(document);
            let mut copy = document.get_dictionary(signature).expect("the signature").clone();
            copy.set("Reason", Object::string_literal("Approved for 1,000,000"));
            let copy = writer.add(copy);
            let field = field_of(document, "Seal1");
            writer.edit_dictionary(field).expect("the field").set("V", copy);
        });
        assert_names(&pdf, |fault| *fault == Fault::NotInItsRevision);
    }

    #[test]
    fn a_second_field_with_the_same_signature_is_named() {
        for first in [
            sealed(References::Table),
            signed_by_others(&unsigned(References::Table), &HOUSE.key),
        ] {
            let pdf = append(&first, |document, writer| {
                let signature = signature_of(document);
                let page = first_page(document);
                let twin = writer.add(dictionary! {
                    "Type" => "Annot", "Subtype" => "Widget", "FT" => "Sig", "F" => 132, "P" => page,
                    "V" => signature, "T" => Object::string_literal("Second"),
                    "Rect" => vec![0.into(), 0.into(), 0.into(), 0.into()],
                });
                let root = writer.root();
                let catalog = writer.edit_dictionary(root).expect("a catalog");
                let mut form = catalog
                    .get(b"AcroForm")
                    .and_then(Object::as_dict)
                    .expect("a form")
                    .clone();
                let mut fields = form.get(b"Fields").and_then(Object::as_array).expect("fields").clone();
                fields.push(twin.into());
                form.set("Fields", fields);
                catalog.set("AcroForm", form);
            });
            assert_field(&pdf, Part::Signature, How::Added, "Second");
        }
    }

    #[test]
    fn a_value_by_an_unknown_root_is_named() {
        let stranger = House::new(KeyKind::EcdsaP256);
        let pdf = seal(unsigned(References::Table), &stranger.key, &details(true)).expect("sealed");
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
        let earlier: Timestamp = now() - SignedDuration::from_hours(24 * 30);
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
        let pdf = seal(unsigned(References::Table), &HOUSE.root, &details(true)).expect("sealed");
        assert_names(&pdf, |fault| matches!(fault, Fault::CertificateUnusable { .. }));
    }

    #[test]
    fn an_unknown_or_obsolete_format_is_named() {
        for format in ["adbe.x509.rsa_sha1", "example.unknown"] {
            let extra = dictionary! { "SubFilter" => format };
            let pdf = sign_with(&unsigned(References::Table), &extra, &dictionary! {}, |digest| {
                document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
            });
            assert_names(
                &pdf,
                |fault| matches!(fault, Fault::UnsupportedFormat { name } if name == format),
            );
        }
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

/// Certifies as another program might: what may change is written in the signature.
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

/// Signs, and locks what is stated so.
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

/// What certifications and locks permit, and what they do not.
mod permissions {
    use super::*;

    /// Two text fields and an empty signature field, all visible; and a note.
    pub(super) fn form() -> Vec<u8> {
        let mut document = unsigned_document();
        let page = first_page(&document);
        let mut annotations: Vec<Object> = Vec::new();
        let mut fields: Vec<Object> = Vec::new();
        for (name, kind) in [("Name", "Tx"), ("Price", "Tx"), ("Signer", "Sig")] {
            let shown = document.add_object(Stream::new(
                dictionary! { "Type" => "XObject", "Subtype" => "Form" },
                b"q Q".to_vec(),
            ));
            let field = document.add_object(dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "FT" => kind, "T" => Object::string_literal(name), "F" => 4,
                "Rect" => vec![72.into(), 600.into(), 300.into(), 620.into()], "AP" => dictionary! { "N" => shown },
            });
            fields.push(field.into());
            annotations.push(field.into());
        }
        let note = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "Text", "Contents" => Object::string_literal("a note"),
            "Rect" => vec![72.into(), 500.into(), 90.into(), 520.into()],
        });
        annotations.push(note.into());
        document
            .get_dictionary_mut(page)
            .expect("a page")
            .set("Annots", annotations);
        let form = document.add_object(dictionary! { "Fields" => fields });
        document.catalog_mut().expect("a catalog").set("AcroForm", form);
        file(document, References::Table)
    }

    pub(super) fn fill(pdf: &[u8], name: &str) -> Vec<u8> {
        append(pdf, |document, writer| {
            let shown = writer.add(Stream::new(
                dictionary! { "Type" => "XObject", "Subtype" => "Form" },
                b"BT ET".to_vec(),
            ));
            let field = writer.edit_dictionary(field_of(document, name)).expect("the field");
            field.set("V", Object::string_literal("1,000,000"));
            field.set("AP", dictionary! { "N" => shown });
        })
    }

    fn annotate(pdf: &[u8], note: &Dictionary) -> Vec<u8> {
        append(pdf, |document, writer| {
            let note = writer.add(note.clone());
            let page = writer.edit_dictionary(first_page(document)).expect("a page");
            let mut annotations = page
                .get(b"Annots")
                .and_then(Object::as_array)
                .expect("annotations")
                .clone();
            annotations.push(note.into());
            page.set("Annots", annotations);
        })
    }

    fn note() -> Dictionary {
        dictionary! {
            "Type" => "Annot", "Subtype" => "Text", "Contents" => Object::string_literal("another note"),
            "Rect" => vec![72.into(), 400.into(), 90.into(), 420.into()],
        }
    }

    fn replace_content(pdf: &[u8]) -> Vec<u8> {
        append(pdf, |document, writer| {
            writer.replace(
                content_of_first_page(document),
                Stream::new(Dictionary::new(), b"q Q".to_vec()),
            );
        })
    }

    #[test]
    fn a_certification_of_level_1_forbids_filling_in() {
        assert_field(&fill(&certify(&form(), 1), "Name"), Part::Field, How::FilledIn, "Name");
    }

    #[test]
    fn a_certification_of_level_2_permits_filling_in_and_nothing_else() {
        let certified = certify(&form(), 2);
        let filled = fill(&certified, "Name");
        assert_permitted(&filled, Part::Field, How::FilledIn);
        // Still nobody has signed what was filled in.
        assert_names(&filled, |fault| matches!(fault, Fault::NotCoveredToEnd { .. }));
        let signed = signed_by_others(&filled, &HOUSE.key);
        assert!(judge(&signed).holds_strictly(), "{:#?}", judge(&signed));

        assert_change(&annotate(&certified, &note()), Part::Annotation, How::Added, Some(1));
        assert_change(&replace_content(&certified), Part::Content, How::Changed, Some(1));
    }

    #[test]
    fn a_certification_of_level_3_permits_annotations_and_no_other_content() {
        let certified = certify(&form(), 3);
        assert_permitted(&annotate(&certified, &note()), Part::Annotation, How::Added);
        assert_change(&replace_content(&certified), Part::Content, How::Changed, Some(1));
        let mut clicked = note();
        clicked.set(
            "A",
            dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("app.alert('paid')") },
        );
        assert_change(&annotate(&certified, &clicked), Part::Annotation, How::Added, Some(1));
        let removed = append(&certified, |document, writer| {
            let page = writer.edit_dictionary(first_page(document)).expect("a page");
            let mut annotations = page
                .get(b"Annots")
                .and_then(Object::as_array)
                .expect("annotations")
                .clone();
            annotations.retain(|annotation| {
                let annotation = annotation.as_reference().and_then(|id| document.get_dictionary(id));
                !annotation.is_ok_and(|annotation| annotation.has(b"Contents"))
            });
            page.set("Annots", annotations);
        });
        assert_permitted(&removed, Part::Annotation, How::Removed);
    }

    #[test]
    fn locked_fields_stay_as_they_are() {
        let locked = lock(&form(), "Include", &["Price"]);
        assert_field(&fill(&locked, "Price"), Part::Field, How::FilledIn, "Price");
        assert_permitted(&fill(&locked, "Name"), Part::Field, How::FilledIn);
        let locked = lock(&form(), "Exclude", &["Name"]);
        assert_field(&fill(&locked, "Price"), Part::Field, How::FilledIn, "Price");
        assert_permitted(&fill(&locked, "Name"), Part::Field, How::FilledIn);
        let locked = lock(&form(), "All", &[]);
        assert_field(&fill(&locked, "Name"), Part::Field, How::FilledIn, "Name");
        assert_change(
            &signed_by_others(&locked, &HOUSE.key),
            Part::Signature,
            How::Added,
            None,
        );
    }

    #[test]
    fn a_lock_that_cannot_be_read_whole_locks_all() {
        let other = || Object::string_literal("Other");
        let unreadable = Object::Array(vec![other(), 7.into()]);
        let too_many = Object::Array(std::iter::repeat_with(other).take(10_001).collect());
        let lock = |action: &str, fields: Option<&Object>| {
            let mut lock = dictionary! { "Action" => action };
            if let Some(fields) = fields {
                lock.set("Fields", fields.clone());
            }
            lock
        };
        let mut locked = Vec::new();
        for fields in [Some(&unreadable), Some(&too_many), None] {
            for action in ["Include", "Exclude"] {
                let stated = lock(action, fields);
                locked.push(lock_as(&form(), &stated));
                let of_field = dictionary! { "Lock" => stated };
                locked.push(sign_saying(&form(), &dictionary! {}, &of_field));
            }
        }
        locked.push(sign_saying(&form(), &dictionary! {}, &dictionary! { "Lock" => 7 }));
        for reference in [Object::Integer(7), Object::Array(vec![7.into()])] {
            let stated = dictionary! { "Reference" => reference };
            locked.push(sign_saying(&form(), &stated, &dictionary! {}));
        }
        for pdf in locked {
            assert!(judge(&pdf).holds(), "{:#?}", judge(&pdf));
            assert_field(&fill(&pdf, "Name"), Part::Field, How::FilledIn, "Name");
        }
        // What can be read counts as it is stated.
        let read = lock_as(&form(), &lock("Include", Some(&Object::Array(vec![other()]))));
        assert_permitted(&fill(&read, "Name"), Part::Field, How::FilledIn);
    }

    #[test]
    fn a_certification_whose_level_cannot_be_read_forbids_filling_in() {
        let reference = dictionary! { "Type" => "SigRef", "TransformMethod" => "DocMDP", "TransformParams" => 7 };
        let stated = dictionary! { "Reference" => vec![Object::Dictionary(reference)] };
        let certified = sign_saying(&form(), &stated, &dictionary! {});
        assert_field(&fill(&certified, "Name"), Part::Field, How::FilledIn, "Name");
    }

    #[test]
    fn a_moved_hidden_or_renamed_field_is_named() {
        for (key, value) in [
            ("Rect", Object::Array(vec![0.into(), 0.into(), 600.into(), 700.into()])),
            ("F", Object::Integer(6)),
            ("T", Object::string_literal("Total")),
            ("Ff", Object::Integer(1 << 13)),
            ("MaxLen", Object::Integer(3)),
        ] {
            let pdf = append(&certify(&form(), 2), |document, writer| {
                let field = writer.edit_dictionary(field_of(document, "Price")).expect("the field");
                field.set(key, value);
            });
            assert_field(&pdf, Part::Field, How::Changed, "Price");
        }
    }

    #[test]
    fn a_script_of_a_field_is_named() {
        let pdf = append(&certify(&form(), 2), |document, writer| {
            let field = writer.edit_dictionary(field_of(document, "Price")).expect("the field");
            field.set(
                "AA",
                dictionary! { "C" => dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("1") } },
            );
        });
        assert_field(&pdf, Part::Script, How::Changed, "Price");
    }

    /// The shadow attack by a form: the page shows the very object that is a field's appearance.
    #[test]
    fn a_page_changed_through_the_appearance_of_a_field_is_named() {
        let mut document = Document::load_mem(&form()).expect("readable");
        let content = content_of_first_page(&document);
        let field = field_of(&document, "Name");
        document
            .get_dictionary_mut(field)
            .expect("the field")
            .set("AP", dictionary! { "N" => content });
        let certified = certify(&file(document, References::Table), 2);
        assert_change(&replace_content(&certified), Part::Content, How::Changed, Some(1));
    }

    #[test]
    fn a_prepared_field_may_be_signed_and_shows() {
        for level in [2, 3] {
            let certified = certify(&form(), level);
            let signed = sign_field(&certified, "Signer");
            let verdict = judge(&signed);
            assert!(verdict.holds_strictly(), "{verdict:#?}");
            assert_permitted(&signed, Part::Signature, How::Added);
        }
        assert_field(
            &sign_field(&certify(&form(), 1), "Signer"),
            Part::Signature,
            How::Changed,
            "Signer",
        );
    }

    fn sign_field(pdf: &[u8], name: &str) -> Vec<u8> {
        crate::samples::sign_in(pdf, Some(name), &dictionary! {}, &dictionary! {}, |digest| {
            document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
        })
    }

    #[test]
    fn a_visible_signature_in_a_new_field_is_permitted_but_not_by_a_certification() {
        let visible = dictionary! { "Rect" => vec![0.into(), 0.into(), 200.into(), 100.into()] };
        let sign = |pdf: &[u8]| {
            sign_with(pdf, &dictionary! {}, &visible, |digest| {
                document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
            })
        };
        let approved = sign(&signed_by_others(&form(), &HOUSE.key));
        assert!(judge(&approved).holds_strictly(), "{:#?}", judge(&approved));
        assert_permitted(&approved, Part::Signature, How::AddedVisibly);
        assert_change(&sign(&certify(&form(), 2)), Part::Signature, How::AddedVisibly, Some(1));
        assert!(judge(&signed_by_others(&certify(&form(), 2), &HOUSE.key)).holds_strictly());
    }

    #[test]
    fn what_a_signature_permits_is_told() {
        let permits = |pdf: &[u8]| judge(pdf).signatures.first().expect("a signature").permits.clone();
        let certified = permits(&certify(&form(), 1));
        assert!(certified.stated && !certified.allow_field("Name") && !certified.allow_signature("Seal1"));
        // Nobody knows what level 7 permits.
        assert_eq!(permits(&certify(&form(), 7)).level, 1);

        let locked = permits(&lock(&form(), "Include", &["Price"]));
        assert!(!locked.stated && locked.allow_field("Name") && locked.allow_signature("Seal1"));
        assert!(!locked.allow_field("Price"));
        // Nor which fields this locks.
        assert!(!permits(&lock(&form(), "Some", &["Price"])).allow_field("Name"));
    }
}

/// What is wrong within the signature's value, in files that are sealed with it and otherwise right.
mod values {
    use super::*;

    fn value_of(message: &SignedData) -> Vec<u8> {
        let info = ContentInfo {
            content_type: ID_SIGNED_DATA,
            content: Any::encode_from(message).expect("encoded"),
        };
        info.to_der().expect("DER")
    }

    /// Signs with a message that was changed after it was made.
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

    /// Changes the signed attributes and signs them again, as a careless signer would have.
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
            (ID_AA_SIGNING_CERTIFICATE_V_2, "bind"),
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
        assert_names(&pdf, |fault| fault.to_string().contains("content of its own"));
    }

    /// The certificate of somebody else, who is trusted, takes the place of the signer's.
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
        // A plain PKCS #7 message over the content itself is right in the plain format, and no CAdES.
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
            fault.to_string().contains("only be data")
        });
    }
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
        // Either nothing but noise, or a real message with noise somewhere in it.
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
