//! Sealed files satisfy qpdf, pdfsig, pyHanko and our own verifier.

use document::evidence::certificate::render;
use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pki::keys::KeyKind;
use document::sealing::{SealError, seal};
use document::text::layout::TextStyle;
use document::verify::{SignatureKind, attachments, verify};
use domain::field::Placement;
use domain::language::Language;
use lopdf::{Dictionary, Document, Object, dictionary};
use testkit::demo::employment_contract;

use crate::certificates::content;
use crate::judges;
use crate::samples::{
    HOUSE, House, References, details, file, now, sealed, signed_by_others, unsigned, unsigned_document,
};
use crate::stamping::FONTS;

fn assert_everybody_is_content(pdf: &[u8], house: &House) {
    let complaints = judges::complaints(pdf, &house.root.certificate_pem());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let verdict = verify(pdf, &house.roots(), now());
    let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
    assert!(verdict.holds_strictly(), "{}", faults.join("\n"));
}

#[test]
fn a_file_with_a_cross_reference_table_is_sealed() {
    assert_everybody_is_content(&sealed(References::Table), &HOUSE);
}

#[test]
fn a_file_with_cross_reference_streams_is_sealed() {
    let sealed = sealed(References::Stream);
    assert_everybody_is_content(&sealed, &HOUSE);
    let tail = String::from_utf8_lossy(&sealed[sealed.len() - 200..]).into_owned();
    assert!(
        !tail.contains("trailer"),
        "a table was appended to a file with streams: {tail}"
    );
}

#[test]
fn a_company_may_seal_with_rsa() {
    let house = House::new(KeyKind::Rsa3072);
    let sealed = seal(unsigned(References::Table), &house.key, &details(true)).expect("sealed");
    assert_everybody_is_content(&sealed, &house);
}

#[test]
fn the_file_before_the_seal_is_kept_byte_for_byte() {
    let before = unsigned(References::Table);
    assert!(sealed(References::Table).starts_with(&before));
}

#[test]
fn the_verdict_says_who_sealed_when_and_why() {
    let sealed = sealed(References::Table);
    let verdict = verify(&sealed, &HOUSE.roots(), now());
    let [signature] = verdict.signatures.as_slice() else {
        panic!("one signature, not {}", verdict.signatures.len());
    };
    assert_eq!(signature.kind, SignatureKind::Certification { level: 1 });
    assert_eq!(signature.sub_filter, "ETSI.CAdES.detached");
    assert_eq!(signature.field, "Seal1");
    assert_eq!(signature.claimed_at, Some(now()));
    assert_eq!(signature.name.as_deref(), Some("주식회사 보기"));
    assert_eq!(signature.reason.as_deref(), Some(details(true).reason.as_str()));
    assert_eq!(signature.location.as_deref(), Some("Seoul"));
    let signer = signature.signer.as_ref().expect("a signer");
    assert_eq!(signer.common_name.as_deref(), Some("주식회사 보기"));
    assert_eq!(usize::try_from(signature.covered), Ok(sealed.len()));
}

#[test]
fn a_file_that_others_signed_is_approved_and_all_signatures_hold() {
    for references in [References::Table, References::Stream] {
        let first = signed_by_others(&unsigned(references), &HOUSE.key);
        let second = signed_by_others(&first, &HOUSE.key);
        let sealed = seal(&second, &HOUSE.key, &details(false)).expect("sealed");
        assert!(sealed.starts_with(&second));
        assert_everybody_is_content(&sealed, &HOUSE);
        assert_eq!(verify(&sealed, &HOUSE.roots(), now()).signatures.len(), 3);
    }
}

/// ISO 32000-2, table 255: a FieldMDP reference must name the object it applies to, which is the catalog.
#[test]
fn an_approval_says_what_its_lock_is_about() {
    let first = signed_by_others(&unsigned(References::Table), &HOUSE.key);
    let sealed = seal(&first, &HOUSE.key, &details(false)).expect("sealed");
    let document = Document::load_mem(&sealed).expect("readable");
    let references: Vec<&Dictionary> = document
        .objects
        .values()
        .filter_map(|object| object.as_dict().ok()?.get(b"Reference").and_then(Object::as_array).ok())
        .flatten()
        .filter_map(|reference| reference.as_dict().ok())
        .collect();
    let [reference] = references.as_slice() else {
        panic!("{references:?}");
    };
    assert_eq!(reference.get(b"TransformMethod").ok(), Some(&Object::from("FieldMDP")));
    assert_eq!(reference.get(b"Data").ok(), document.trailer.get(b"Root").ok());
}

/// Earlier signers may be unknown, unless `--strict` is set.
#[test]
fn an_earlier_signature_of_an_unknown_signer_counts_only_when_strict() {
    let stranger = House::new(KeyKind::EcdsaP256);
    let first = signed_by_others(&unsigned(References::Table), &stranger.key);
    let sealed = seal(&first, &HOUSE.key, &details(false)).expect("sealed");
    let verdict = verify(&sealed, &HOUSE.roots(), now());
    assert!(verdict.holds());
    assert!(!verdict.holds_strictly());
    let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].starts_with("signer not verified: "), "{faults:?}");
}

#[test]
fn a_signed_file_is_not_certified() {
    let error = seal(sealed(References::Table), &HOUSE.key, &details(true)).expect_err("refused");
    assert!(matches!(error, SealError::AlreadySigned), "{error}");
}

#[test]
fn a_file_with_a_form_keeps_its_fields_and_gains_the_seal() {
    let mut document = unsigned_document();
    let field = document.add_object(dictionary! {
        "FT" => "Tx", "T" => Object::string_literal("Seal1"), "Type" => "Annot", "Subtype" => "Widget",
        "Rect" => vec![10.into(), 10.into(), 100.into(), 30.into()],
    });
    let fields = document.add_object(vec![Object::Reference(field)]);
    let form = document.add_object(dictionary! { "Fields" => fields });
    document.catalog_mut().expect("a catalog").set("AcroForm", form);
    let annotations = document.add_object(vec![Object::Reference(field)]);
    let page = document.page_iter().next().expect("a page");
    document
        .get_object_mut(page)
        .and_then(Object::as_dict_mut)
        .expect("a page")
        .set("Annots", annotations);
    let sealed = seal(file(document, References::Table), &HOUSE.key, &details(true)).expect("sealed");
    assert_everybody_is_content(&sealed, &HOUSE);
    let verdict = verify(&sealed, &HOUSE.roots(), now());
    // A text field already uses the name `Seal1`.
    assert_eq!(
        verdict.signatures.first().map(|signature| signature.field.as_str()),
        Some("Seal2")
    );
    let document = Document::load_mem(&sealed).expect("readable");
    let annotations = document
        .get_object(annotations)
        .and_then(Object::as_array)
        .expect("an array");
    assert_eq!(annotations.len(), 2);
}

#[test]
fn a_stamped_contract_and_its_certificate_are_sealed_and_the_chain_comes_out_again() {
    let contract = employment_contract(&FONTS).expect("the demo contract");
    let mark = Mark {
        page: 1,
        placement: Placement {
            x: 100_000,
            y: 50_000,
            width: 500_000,
            height: 40_000,
        },
        content: MarkContent::Text {
            text: "김민준 山田太郎 Zoë".to_owned(),
            style: TextStyle::default(),
        },
    };
    let stamped = stamp(&contract, &FONTS, &[mark]).expect("stamped");
    let sealed = seal(&stamped, &HOUSE.key, &details(true)).expect("sealed");
    assert_everybody_is_content(&sealed, &HOUSE);

    let content = content(Language::Ko, &["김민준", "山田太郎"], 12);
    let certificate = render(&content, &FONTS).expect("the certificate");
    let sealed = seal(&certificate, &HOUSE.key, &details(true)).expect("sealed");
    assert_everybody_is_content(&sealed, &HOUSE);
    let found = attachments(&sealed).expect("attachments");
    let [chain] = found.as_slice() else {
        panic!("one attachment, not {}", found.len());
    };
    assert_eq!(
        (chain.name.as_str(), chain.data.as_slice()),
        ("chain.json", content.attachments[0].bytes.as_slice())
    );
    assert_eq!(chain.media_type.as_deref(), Some("application/json"));
}

#[test]
fn a_file_without_pages_is_refused() {
    let mut document = unsigned_document();
    let pages = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Pages"))
        .and_then(Object::as_reference);
    let pages = document.get_dictionary_mut(pages.expect("pages")).expect("pages");
    pages.set("Kids", Vec::<Object>::new());
    pages.set("Count", 0);
    let error = seal(file(document, References::Table), &HOUSE.key, &details(true)).expect_err("refused");
    assert!(matches!(error, SealError::NoPage), "{error}");
}
