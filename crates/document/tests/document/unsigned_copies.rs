//! Copies without signatures, made from signed uploads that are refused unchanged.

use document::intake::{
    Acceptance, Change, FormValues, Intake, Likeness, Limits, Refused, Warning, Wishes, compare, inspect, inspect_as,
};
use document::marks::extend;
use document::pages::render::page_image;
use document::sealing::seal;
use document::text::fonts::Fonts;
use document::verify::{Fault, verify_soundness};
use domain::field::FieldKind;
use lopdf::{Object, dictionary};

use crate::faults;
use crate::pages::text;
use crate::samples::{self, References};
use crate::taking::content::with_deleted_content;
use crate::taking::forms::{form_of, named};
use crate::taking::signed::{marks, signed_before};
use crate::taking::{misplaced, script, with_catalog};

fn copy_as(pdf: &[u8], form: FormValues) -> Result<Intake, Refused> {
    let wishes = Wishes {
        accepts: [Acceptance::WithoutSignatures].into(),
        form,
        ..Wishes::default()
    };
    inspect_as(pdf.to_vec(), &Limits::default(), &wishes)
}

/// Returns the copy of a file that is refused because of its signatures.
fn copy(pdf: &[u8]) -> Intake {
    let refused = inspect(pdf.to_vec(), &Limits::default()).expect_err("refused as it is");
    assert_eq!(refused.acceptance(), Some(Acceptance::WithoutSignatures), "{refused}");
    let taken = copy_as(pdf, FormValues::Shown).unwrap_or_else(|refused| panic!("{refused}"));
    assert!(taken.is_copy_without_signatures() && taken.signatures == 0);
    assert_nothing_is_signed(&taken.pdf);
    taken
}

fn assert_nothing_is_signed(pdf: &[u8]) {
    for word in [&b"ByteRange"[..], b"DocMDP", b"/Sig"] {
        assert!(!pdf.windows(word.len()).any(|window| window == word));
    }
    let faults = verify_soundness(pdf.to_vec()).faults;
    assert_eq!(faults, [Fault::NoSignature]);
}

/// Breaks a signature.
fn broken(mut signed: Vec<u8>) -> Vec<u8> {
    let place = signed.windows(7).position(|window| window == b"stream\n");
    signed[place.expect("a stream") + 9] ^= 1;
    signed
}

#[test]
fn the_copy_of_a_file_with_a_broken_signature_has_none_and_says_so() {
    for references in [References::Table, References::Stream] {
        let upload = broken(signed_before(references));
        let taken = copy(&upload);
        assert!(taken.warnings.contains(&Warning::SignaturesRemoved { count: 1 }));
        let likeness = compare(upload, "", taken.pdf).expect("compared");
        assert!(likeness.iter().all(|page| *page != Likeness::Differs));
    }
}

/// Accepting a copy is only an alternative to a refusal. Signatures that can be kept are kept.
#[test]
fn a_file_that_is_accepted_as_it_is_keeps_its_signatures_whatever_the_sender_accepts() {
    let signed = signed_before(References::Table);
    let taken = copy_as(&signed, FormValues::Shown).expect("taken");
    assert_eq!((taken.pdf, taken.signatures), (signed, 1));
    let unsigned = samples::unsigned(References::Table);
    let taken = copy_as(&unsigned, FormValues::Shown).expect("taken");
    assert!(!taken.is_copy_without_signatures());
}

#[test]
fn certified_locked_active_and_differently_read_files_can_be_sent_as_copies() {
    copy(&samples::sealed(References::Table));
    let approval = seal(
        samples::unsigned(References::Table),
        &samples::HOUSE.key,
        &samples::details(false),
    );
    copy(&approval.expect("approved"));
    let signed = |pdf: &[u8]| samples::signed_by_others(pdf, &samples::HOUSE.key);
    let active = copy(&signed(&with_catalog(|_, catalog| catalog.set("OpenAction", script()))));
    assert!(active.changes.contains(&Change::ScriptsRemoved { count: 1 }));
    let deleted = copy(&signed(&with_deleted_content()));
    assert!(deleted.warnings.contains(&Warning::DeletedContentGone));
    assert!(!text(&deleted.pdf).contains("old content"));
}

#[test]
fn what_signatures_showed_stays_as_a_picture_of_no_field() {
    let fonts = Fonts::embedded().expect("fonts");
    let extended = extend::stamp(signed_before(References::Table), &fonts, &[marks(1), marks(2)]).expect("stamped");
    let sealed = seal(&extended, &samples::HOUSE.key, &samples::details(false)).expect("sealed");
    let bare = samples::unsigned(References::Table);
    let taken = copy(&sealed);
    assert!(taken.warnings.contains(&Warning::SignaturesRemoved { count: 2 }));
    for page in [1, 2] {
        let picture = |pdf: &[u8]| page_image(pdf, page, 100.0).expect("a picture");
        assert!(picture(&sealed) == picture(&taken.pdf), "page {page}");
        assert_ne!(picture(&bare), picture(&taken.pdf), "page {page}");
    }
}

/// An unsigned signature field stays available for signing.
#[test]
fn only_signed_fields_are_taken_out_of_a_form() {
    let open = (named("Second", "Sig"), [50, 50, 250, 110]);
    let looked = dictionary! {
        "T" => Object::string_literal("Amount"), "FT" => "Tx", "V" => Object::string_literal("900"),
        "DA" => Object::string_literal("/Helv 10 Tf 0 g"),
    };
    let pdf = form_of(vec![open, (looked, [50, 150, 250, 190])]);
    let upload = broken(samples::signed_by_others(&pdf, &samples::HOUSE.key));
    let taken = copy_as(&upload, FormValues::Taken).expect("taken");
    let fields: Vec<(&str, FieldKind)> = taken
        .fields
        .iter()
        .map(|field| (field.name.as_str(), field.kind))
        .collect();
    assert_eq!(fields, [("Second", FieldKind::Signature), ("Amount", FieldKind::Text)]);
    assert_nothing_is_signed(&taken.pdf);
}

/// Only the sender knows which of its objects are intended, and nobody can tell whether it was signed.
#[test]
fn a_damaged_file_that_may_be_signed_can_be_sent_as_a_copy() {
    let unsigned = with_catalog(|_, catalog| catalog.set("Note", dictionary! { "ByteRange" => vec![0.into()] }));
    let pdf = misplaced(&unsigned, 3);
    assert_eq!(
        inspect(pdf.clone(), &Limits::default()).err(),
        Some(Refused::DamagedAndMaybeSigned)
    );
    let refused = copy_as(&pdf, FormValues::Shown).expect_err("it is damaged, too");
    assert_eq!(refused.acceptance(), Some(Acceptance::Rebuilt));
    let wishes = Wishes {
        accepts: Acceptance::ALL.into(),
        ..Wishes::default()
    };
    let taken = inspect_as(pdf, &Limits::default(), &wishes).expect("taken");
    assert!(taken.warnings.contains(&Warning::SignaturesRemoved { count: 0 }));
}

#[test]
fn signed_files_of_others_whose_values_only_viewers_show_can_be_sent_as_copies() {
    let Some(folder) = faults::folder() else { return };
    let taken = copy(&faults::read(&folder, "s_form_text_need.pdf"));
    let is_drawn = |change: &Change| matches!(change, Change::AppearancesMade { .. });
    assert!(taken.changes.iter().any(is_drawn), "{:?}", taken.changes);
}
