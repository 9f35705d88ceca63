//! Files attached to a PDF can be extracted again, and hostile trees of attachments do not cause endless loops.

use document::evidence::certificate::Attachment;
use document::evidence::embed::embed as embed_files;
use document::verify::{Fault, attachments};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use proptest::prelude::*;

use crate::samples::{References, file, sealed, unsigned, unsigned_document};

fn carried(document: &mut Document, name: &str, data: &[u8]) -> Object {
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
        let first = carried(&mut document, "기록.json", br#"{"entries":[]}"#);
        let second = carried(&mut document, "second.json", b"[]");
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
fn files_are_added_to_those_that_are_there_and_a_taken_name_gets_a_number() {
    let added = |name: &str, bytes: &[u8]| Attachment {
        file_name: name.to_owned(),
        media_type: "application/octet-stream".to_owned(),
        description: "신분증 사본".to_owned(),
        bytes: bytes.to_vec(),
    };
    for references in [References::Table, References::Stream] {
        let mut document = unsigned_document();
        let first = carried(&mut document, "기록.json", b"{}");
        with_tree(
            &mut document,
            dictionary! { "Names" => vec![lopdf::text_string("기록.json"), first] },
        );
        let before = file(document, references);
        let files = [
            added("신분증.pdf", b"%PDF-1"),
            added("기록.json", b"other"),
            added("a", b""),
        ];
        let after = embed_files(before.clone(), &files).expect("embedded");
        assert!(after.starts_with(&before));
        assert_eq!(crate::judges::structure_complaints(&after), Vec::<String>::new());
        let mut found: Vec<(String, Vec<u8>)> = attachments(&after)
            .expect("attachments")
            .into_iter()
            .map(|file| (file.name, file.data))
            .collect();
        found.sort();
        let expected = [
            ("a", &b""[..]),
            ("기록 (2).json", b"other"),
            ("기록.json", b"{}"),
            ("신분증.pdf", b"%PDF-1"),
        ];
        assert_eq!(found, expected.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())));
        assert_eq!(embed_files(before.clone(), &[]).expect("nothing to do"), before);
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
