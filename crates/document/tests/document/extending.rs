//! Tests files signed by others. Whatever their signatures state, an accepted file can be extended and sealed so that
//! our verifier, qpdf, pdfsig and pyHanko call every signature sound. Intake refuses all others.

use crate::revision_writer::RevisionWriter;
use document::intake::{Limits, Refused, inspect};
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent};
use document::sealing::seal;
use document::text::fonts::Fonts;
use document::text::layout::TextStyle;
use document::verify::verify;
use domain::field::Placement;
use lopdf::{Dictionary, Document, Object, dictionary};

use crate::judges;
use crate::samples::{HOUSE, References, details, file, now, sign_with, unsigned_document};

/// Contents of a signature reference dictionary or a lock: label, action, fields and level.
type Statement = (&'static str, Option<&'static str>, &'static [&'static str], Option<i64>);

/// The locked names include names that our fields may have.
const STATEMENTS: [Statement; 12] = [
    ("all", Some("All"), &[], None),
    ("some", Some("Include"), &["Name", "Price"], None),
    ("ours", Some("Include"), &["CountersignPage2Part1"], None),
    ("our seal", Some("Include"), &["Seal1"], None),
    ("all but some", Some("Exclude"), &["Name"], None),
    ("none", Some("Include"), &[], None),
    ("unknown action", Some("Several"), &["Name"], None),
    ("no action", None, &["Name"], None),
    ("some, level 1", Some("Include"), &["Name"], Some(1)),
    ("some, level 2", Some("Include"), &["Name"], Some(2)),
    ("some, level 3", Some("Include"), &["Name"], Some(3)),
    ("some, level 9", Some("Include"), &["Name"], Some(9)),
];

fn stated((_, action, fields, level): &Statement) -> Dictionary {
    let fields: Vec<Object> = fields.iter().map(|name| Object::string_literal(*name)).collect();
    let mut stated = dictionary! { "V" => "1.2" };
    if let Some(action) = action {
        stated.set("Action", *action);
        stated.set("Fields", fields);
    }
    if let Some(level) = level {
        stated.set("P", *level);
    }
    stated
}

fn reference(method: &str, parameters: Option<Dictionary>) -> Object {
    let mut reference = dictionary! { "Type" => "SigRef", "TransformMethod" => method };
    if let Some(parameters) = parameters {
        reference.set("TransformParams", parameters);
    }
    Object::Dictionary(reference)
}

fn sign(pdf: &[u8], references: Vec<Object>, of_field: &Dictionary) -> Vec<u8> {
    let extra = if references.is_empty() {
        dictionary! {}
    } else {
        dictionary! { "Reference" => references }
    };
    sign_with(pdf, &extra, of_field, |digest| {
        document::pki::cms::sign(&HOUSE.key, digest).expect("a value")
    })
}

fn plain(references: References) -> Vec<u8> {
    file(unsigned_document(), references)
}

/// A file in which only the catalog says that the signature to be added is its certification.
fn named_by_permissions(references: References) -> Vec<u8> {
    let with_permissions = |id| {
        let mut document = unsigned_document();
        let permissions = dictionary! { "DocMDP" => Object::Reference(id) };
        document.catalog_mut().expect("a catalog").set("Perms", permissions);
        file(document, references)
    };
    let draft = with_permissions((1, 0));
    let read = Document::load_mem(&draft).expect("readable");
    let next = RevisionWriter::new(&draft, &read)
        .expect("a revision")
        .add(dictionary! {});
    with_permissions(next)
}

/// Signed files with every valid statement of a signature, and some invalid ones.
fn samples() -> Vec<(String, Vec<u8>)> {
    let mut samples = Vec::new();
    for form in [References::Table, References::Stream] {
        let mut add = |name: &str, pdf: Vec<u8>| samples.push((format!("{name} ({form:?})"), pdf));
        let none = dictionary! {};
        let approved = sign(&plain(form), Vec::new(), &none);
        add("approved twice", sign(&approved, Vec::new(), &none));
        add("approved", approved);
        add(
            "certified by the catalog alone",
            sign(&named_by_permissions(form), Vec::new(), &none),
        );
        for level in [0, 1, 2, 3, 4] {
            let parameters = dictionary! { "P" => level, "V" => "1.2" };
            let certification = vec![reference("DocMDP", Some(parameters))];
            add(&format!("certified {level}"), sign(&plain(form), certification, &none));
        }
        add(
            "certified, no level",
            sign(&plain(form), vec![reference("DocMDP", None)], &none),
        );
        add("usage rights", sign(&plain(form), vec![reference("UR3", None)], &none));
        add(
            "unknown method",
            sign(&plain(form), vec![reference("DocMDP2", None)], &none),
        );
        add(
            "fields, not which",
            sign(&plain(form), vec![reference("FieldMDP", None)], &none),
        );
        for statement in &STATEMENTS {
            let name = statement.0;
            let transform = reference("FieldMDP", Some(stated(statement)));
            let harmless = reference("FieldMDP", Some(stated(&STATEMENTS[5])));
            add(
                &format!("transform: {name}"),
                sign(&plain(form), vec![transform.clone()], &none),
            );
            add(
                &format!("second transform: {name}"),
                sign(&plain(form), vec![harmless, transform], &none),
            );
            let lock = dictionary! { "Lock" => stated(statement) };
            add(&format!("lock: {name}"), sign(&plain(form), Vec::new(), &lock));
        }
    }
    samples
}

fn marks() -> Vec<Mark> {
    let mark = |page, content| Mark {
        page,
        placement: Placement {
            x: 100_000,
            y: 500_000,
            width: 300_000,
            height: 50_000,
        },
        content,
    };
    let text = MarkContent::Text {
        text: "김민준".to_owned(),
        style: TextStyle::default(),
    };
    vec![mark(1, text), mark(2, MarkContent::Check)]
}

#[test]
fn a_signed_file_that_is_taken_is_sound_when_it_is_sealed_whatever_its_signatures_state() {
    let fonts = Fonts::embedded().expect("fonts");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root.pem");
    std::fs::write(&root, HOUSE.root.certificate_pem()).expect("written");
    let mut taken = Vec::new();
    let mut refused = Vec::new();
    for (number, (name, pdf)) in samples().into_iter().enumerate() {
        let intake = match inspect(&pdf, &Limits::default()) {
            Ok(intake) => intake,
            Err(reason) => {
                refused.push((name, reason));
                continue;
            }
        };
        assert_eq!(intake.pdf, pdf, "{name}: kept byte for byte");
        let extended = extend::stamp(&intake.pdf, &fonts, &marks()).expect("extended");
        let sealed = seal(&extended, &HOUSE.key, &details(false)).expect("sealed");
        let verdict = verify(&sealed, &HOUSE.roots(), now());
        let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
        assert!(verdict.holds_strictly(), "{name}: {}", faults.join("\n"));
        let path = folder.path().join(format!("{number}.pdf"));
        std::fs::write(&path, sealed).expect("written");
        taken.push((name, path));
    }
    let paths: Vec<&std::path::Path> = taken.iter().map(|(_, path)| path.as_path()).collect();
    let judged = judges::pyhanko(&paths, &root);
    let mut complaints = Vec::new();
    for ((name, path), judged) in taken.iter().zip(judged) {
        let all = [judged, judges::qpdf(path), judges::pdfsig(path)].concat();
        complaints.extend(all.into_iter().map(|complaint| format!("{name}: {complaint}")));
    }
    assert_eq!(complaints, Vec::<String>::new());
    let names: Vec<&str> = taken.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "approved twice",
        "approved",
        "usage rights",
        "transform: some",
        "second transform: some",
        "lock: some",
        "transform: none",
        "second transform: none",
        "lock: none",
    ];
    let expected =
        [References::Table, References::Stream].map(|form| expected.map(|name| format!("{name} ({form:?})")));
    assert_eq!(names, expected.concat());
    for (name, reason) in refused {
        let is_named = match reason {
            Refused::CertificationForbids { .. } => name.starts_with("certified"),
            Refused::LockForbids { field } => field.starts_with("Other") && !name.starts_with("certified"),
            _ => false,
        };
        assert!(is_named, "{name}");
    }
}

/// A seal shown on many pages is one signature, no matter how many fields display it.
#[test]
fn a_signed_file_of_many_pages_is_sealed_with_something_on_each() {
    let mut document = unsigned_document();
    let first = document.page_iter().next().expect("a page");
    let (page, tree) = (
        document.get_dictionary(first).expect("a page").clone(),
        page_tree(&document),
    );
    let more: Vec<Object> = (0..60)
        .map(|_| Object::Reference(document.add_object(page.clone())))
        .collect();
    let tree = document.get_dictionary_mut(tree).expect("the tree");
    let mut kids = tree.get(b"Kids").and_then(Object::as_array).expect("kids").clone();
    kids.extend(more);
    tree.set("Count", 62);
    tree.set("Kids", kids);
    let pdf = sign(&file(document, References::Table), Vec::new(), &dictionary! {});
    let intake = inspect(&pdf, &Limits::default()).expect("taken");
    let fonts = Fonts::embedded().expect("fonts");
    let marks: Vec<Mark> = (1..=62)
        .map(|page| Mark {
            page,
            ..marks()[1].clone()
        })
        .collect();
    let extended = extend::stamp(&intake.pdf, &fonts, &marks).expect("extended");
    let sealed = seal(&extended, &HOUSE.key, &details(false)).expect("sealed");
    let verdict = verify(&sealed, &HOUSE.roots(), now());
    assert!(verdict.holds_strictly(), "{verdict:#?}");
    let fields: Vec<&str> = verdict
        .signatures
        .iter()
        .map(|signature| signature.field.as_str())
        .collect();
    assert_eq!(fields.len(), 2);
    assert_eq!(fields[1], "Seal1");
}

fn page_tree(document: &Document) -> lopdf::ObjectId {
    let catalog = document.catalog().expect("a catalog");
    catalog.get(b"Pages").and_then(Object::as_reference).expect("pages")
}
