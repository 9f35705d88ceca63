//! Some programs show as many pages as the page tree's `/Count`, others as many as exist. Both must agree.

use document::intake::{Limits, Refused, inspect};
use lopdf::{Dictionary, Document, Object, Stream};

use crate::pages::text;
use crate::samples::{HOUSE, References, file, signed_by_others, unsigned_document};

/// A file with two pages whose page tree states another count.
fn counting(count: impl FnOnce(&mut Document) -> Option<Object>) -> Vec<u8> {
    let mut document = unsigned_document();
    let count = count(&mut document);
    let root = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Pages")?.as_reference());
    let tree = document.get_dictionary_mut(root.expect("a tree")).expect("a tree");
    match count {
        Some(count) => tree.set("Count", count),
        None => _ = tree.remove(b"Count"),
    }
    file(document, References::Table)
}

#[test]
fn an_upload_has_as_many_pages_in_every_program_as_there_are() {
    let wrong = [
        counting(|_| Some(1.into())),
        counting(|_| Some(7.into())),
        counting(|_| None),
        counting(|document| Some(document.add_object(2).into())),
        counting(|document| {
            let stream = Stream::new(Dictionary::new(), b"2".to_vec());
            Some(document.add_object(stream).into())
        }),
    ];
    for pdf in wrong {
        let taken = inspect(pdf, &Limits::default()).expect("taken");
        assert_eq!((taken.pages.len(), text(&taken.pdf).as_str()), (2, "Page 1 Page 2"));
    }
}

#[test]
fn a_signed_file_of_which_programs_show_different_pages_is_refused() {
    let signed = |count: i64| signed_by_others(&counting(|_| Some(count.into())), &HOUSE.key);
    assert!(inspect(signed(2), &Limits::default()).is_ok());
    for count in [1, 7] {
        let refused = inspect(signed(count), &Limits::default()).err();
        assert!(
            matches!(refused, Some(Refused::SignedAndDamaged { .. })),
            "{count}: {refused:?}"
        );
    }
}
