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

/// Unreadable validation data in a signed file, either as an object of its own or in the catalog.
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
        // Another signature does not change this.
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
