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

/// A hiding shadow attack: a layer visible at signing time is switched off.
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

/// A replacing shadow attack: a signed object refers to an object that does not exist yet.
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
