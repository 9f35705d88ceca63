//! Changes that certifications and locks permit or forbid.

use super::*;

/// A form with two text fields, an empty signature field and a note, all visible.
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
    // The filled-in values are still not signed.
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
    // The readable part applies as stated.
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

/// A shadow attack through a form: the page displays the same object that is a field's appearance.
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
fn what_a_signature_permits_is_reported() {
    let permits = |pdf: &[u8]| judge(pdf).signatures.first().expect("a signature").permits.clone();
    let certified = permits(&certify(&form(), 1));
    assert!(certified.stated && !certified.allow_field("Name") && !certified.allow_signature("Seal1"));
    // Level 7 is undefined.
    assert_eq!(permits(&certify(&form(), 7)).level, 1);

    let locked = permits(&lock(&form(), "Include", &["Price"]));
    assert!(!locked.stated && locked.allow_field("Name") && locked.allow_signature("Seal1"));
    assert!(!locked.allow_field("Price"));
    // The fields of an unknown action are undefined too.
    assert!(!permits(&lock(&form(), "Some", &["Price"])).allow_field("Name"));
}
