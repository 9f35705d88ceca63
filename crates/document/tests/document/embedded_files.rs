//! The files that a PDF carries come out again, and hostile trees of them end.

use document::verify::{Fault, attachments};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use proptest::prelude::*;

use crate::samples::{References, file, sealed, unsigned, unsigned_document};

fn embed(document: &mut Document, name: &str, data: &[u8]) -> Object {
    let stream = document.add_object(Stream::new(
        dictionary! { "Subtype" => "application/json" },
        data.to_vec(),
    ));
    let specification = dictionary! {
        "Type" => "Filespec", "F" => Object::string_literal("ascii.json"), "UF" => lopdf::text_string(name),
        "EF" => dictionary! { "F" => stream, "UF" => stream },
    };
    Object::Reference(document.add_object(specification))
}

fn with_tree(document: &mut Document, tree: impl Into<Object>) {
    let tree = tree.into();
    document
        .catalog_mut()
        .expect("a catalog")
        .set("Names", dictionary! { "EmbeddedFiles" => tree });
}

#[test]
fn embedded_files_are_read_with_name_and_type() {
    for references in [References::Table, References::Stream] {
        let mut document = unsigned_document();
        let first = embed(&mut document, "기록.json", br#"{"entries":[]}"#);
        let second = embed(&mut document, "second.json", b"[]");
        let leaf = document.add_object(dictionary! { "Names" => vec![Object::string_literal("b"), second] });
        let leaves: Vec<Object> = vec![
            dictionary! { "Names" => vec![Object::string_literal("a"), first] }.into(),
            leaf.into(),
        ];
        let kids: Vec<Object> = leaves
            .into_iter()
            .map(|leaf| match leaf {
                Object::Reference(id) => Object::Reference(id),
                other => Object::Reference(document.add_object(other)),
            })
            .collect();
        with_tree(&mut document, dictionary! { "Kids" => kids });
        let found = attachments(&file(document, references)).expect("attachments");
        let found: Vec<(&str, Option<&str>, &[u8])> = found
            .iter()
            .map(|file| (file.name.as_str(), file.media_type.as_deref(), file.data.as_slice()))
            .collect();
        let json = Some("application/json");
        assert_eq!(
            found,
            [
                ("기록.json", json, &br#"{"entries":[]}"#[..]),
                ("second.json", json, &b"[]"[..])
            ]
        );
    }
}

#[test]
fn a_file_without_attachments_has_none() {
    assert_eq!(attachments(&unsigned(References::Table)), Ok(Vec::new()));
    assert_eq!(attachments(&sealed(References::Stream)), Ok(Vec::new()));
}

#[test]
fn a_tree_that_bites_its_tail_ends() {
    let mut document = unsigned_document();
    let node = document.new_object_id();
    document.objects.insert(
        node,
        Object::Dictionary(dictionary! { "Kids" => vec![Object::Reference(node); 1000] }),
    );
    with_tree(&mut document, node);
    assert_eq!(attachments(&file(document, References::Table)), Ok(Vec::new()));
}

#[test]
fn a_bomb_is_left_out() {
    let mut document = unsigned_document();
    let mut stream = Stream::new(Dictionary::new(), vec![0; 65 * 1024 * 1024]);
    stream.compress().expect("compressed");
    let stream = document.add_object(stream);
    let specification = dictionary! { "F" => Object::string_literal("bomb"), "EF" => dictionary! { "F" => stream } };
    let specification = document.add_object(specification);
    with_tree(
        &mut document,
        dictionary! { "Names" => vec![Object::string_literal("bomb"), specification.into()] },
    );
    assert_eq!(attachments(&file(document, References::Table)), Ok(Vec::new()));
}

proptest! {
    #[test]
    fn random_bytes_have_no_attachments(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let is_refused = matches!(attachments(&bytes), Err(Fault::Unreadable { .. }));
        prop_assert!(is_refused);
    }
}
