use super::*;

/// Adds an entry of a new table that points to the body of another object. Some programs then read that object.
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

/// The entry of the page's content points to new bytes, and an unused number points to the old ones. A reader that goes
/// by the number found at each offset still sees the signed content.
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

/// A file whose objects are in object streams, with one more object stream, as text.
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

/// An object stream of the signed file contains an object that no cross-reference entry names. A later section names
/// it.
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

/// Adds a section that names an object of an existing object stream.
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
