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
    // The trailer is the last thing the writer emits, so edit the text to point to the new catalog.
    let text = format!("/Root {} 0 R", Document::load_mem(&pdf).expect("readable").max_id);
    let at = find_last(&pdf, b"/Root ");
    let mut forged = pdf[..at].to_vec();
    let rest = &pdf[at..];
    let end = rest.iter().position(|byte| *byte == b'R').expect("a reference") + 1;
    // Every referenced object precedes the trailer, so its length may change.
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
