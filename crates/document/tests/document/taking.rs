//! Tests of what intake accepts, changes and refuses.

use std::process::Command;

use document::intake::{Change, FormValues, Limits, Refused, Warning, Wishes, inspect};
use domain::{Alignment, FontSize, Lines};
use lopdf::{Dictionary, Document, Object, Stream, StringFormat, dictionary};

use crate::judges::structure_complaints;
use crate::pages::{PageForm, document_of, page_file, text};
use crate::samples::{self, References};

mod captions;
pub mod content;
pub mod forms;
pub mod signed;

fn take(pdf: &[u8]) -> Result<document::intake::Intake, Refused> {
    samples::take_rebuilt(pdf)
}

fn changed(pdf: &[u8]) -> Vec<Change> {
    let taken = take(pdf).expect("the file is taken");
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
    taken.changes
}

/// Adds entries to the catalog.
pub fn with_catalog(change: impl FnOnce(&mut Document, &mut Dictionary)) -> Vec<u8> {
    document_of(PageForm::PLAIN, |document, _| {
        let mut catalog = dictionary! { "Type" => "Catalog" };
        change(document, &mut catalog);
        let catalog = document.add_object(catalog);
        document.trailer.set("Root", catalog);
    })
}

pub fn script() -> Dictionary {
    dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("app.alert(1)") }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

pub fn encrypted(user_password: &str, bits: &str) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (plain, locked) = (directory.path().join("plain.pdf"), directory.path().join("locked.pdf"));
    std::fs::write(&plain, page_file(PageForm::PLAIN)).expect("the file is written");
    let mut command = Command::new("qpdf");
    if bits != "256" {
        command.arg("--allow-weak-crypto");
    }
    let status = command
        .args(["--encrypt", user_password, "owner", bits, "--"])
        .args([&plain, &locked])
        .status()
        .expect("qpdf can be run; script/bootstrap --tests installs it");
    assert!(status.success());
    std::fs::read(&locked).expect("the locked file")
}

#[test]
fn a_plain_file_is_taken_unchanged_in_look_and_text() {
    for references in [References::Table, References::Stream] {
        let pdf = samples::unsigned(references);
        let taken = take(&pdf).expect("taken");
        assert_eq!(taken.changes, []);
        assert_eq!(taken.pages.len(), 2);
        assert_eq!(text(&taken.pdf), text(&pdf));
        let again = take(&taken.pdf).expect("what intake wrote is taken again");
        assert_eq!(again.changes, []);
    }
}

#[test]
fn the_rewritten_file_is_plain() {
    let taken = take(&samples::unsigned(References::Stream)).expect("taken");
    let document = Document::load_mem(&taken.pdf).expect("readable");
    assert!(
        !contains(&taken.pdf, b"/XRef") && !contains(&taken.pdf, b"/ObjStm"),
        "no streams of references"
    );
    assert!(contains(&taken.pdf, b"\nxref\n"));
    let keys: Vec<_> = document
        .trailer
        .iter()
        .map(|(key, _)| String::from_utf8_lossy(key).into_owned())
        .collect();
    for key in &keys {
        assert!(
            ["Root", "Info", "ID", "Size"].contains(&key.as_str()),
            "{key} is in the trailer: {keys:?}"
        );
    }
    assert!(document.objects.keys().all(|(_, generation)| *generation == 0));
}

#[test]
fn encrypted_with_an_empty_password_is_decrypted() {
    for bits in ["40", "128", "256"] {
        let locked = encrypted("", bits);
        assert!(contains(&locked, b"/Encrypt"));
        let taken = take(&locked).unwrap_or_else(|refused| panic!("{bits} bits: {refused}"));
        assert_eq!(taken.changes, [Change::Decrypted]);
        assert!(!contains(&taken.pdf, b"/Encrypt"), "{bits} bits");
        assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
        assert!(text(&taken.pdf).contains("old content"));
    }
}

#[test]
fn encrypted_with_a_real_password_is_refused_at_upload() {
    for bits in ["128", "256"] {
        assert_eq!(
            take(&encrypted("secret", bits)).err(),
            Some(Refused::NeedsPassword),
            "{bits} bits"
        );
    }
}

#[test]
fn usage_rights_are_removed_and_said() {
    let pdf = with_catalog(|document, catalog| {
        let rights = document.add_object(dictionary! {
            "Type" => "Sig", "Filter" => "Adobe.PPKLite", "SubFilter" => "adbe.pkcs7.detached",
            "Contents" => Object::String(vec![0; 20], StringFormat::Hexadecimal),
            "ByteRange" => vec![0.into(), 10.into(), 20.into(), 30.into()],
            "Reference" => vec![Object::Dictionary(dictionary! {
                "TransformMethod" => "UR3",
                "TransformParams" => dictionary! { "EF" => vec!["Create".into(), "Delete".into()] },
            })],
        });
        catalog.set("Perms", dictionary! { "UR3" => rights });
    });
    assert_eq!(changed(&pdf), [Change::UsageRightsRemoved]);
    assert!(!contains(&take(&pdf).expect("taken").pdf, b"/Perms"));
}

#[test]
fn scripts_are_removed_wherever_they_are() {
    let pdf = with_catalog(|document, catalog| {
        let opening = document.add_object(script());
        let names =
            document.add_object(dictionary! { "Names" => vec![Object::string_literal("init"), opening.into()] });
        catalog.set("Names", dictionary! { "JavaScript" => names });
        catalog.set("OpenAction", script());
        let closing = document.add_object(script());
        let additional = document.add_object(dictionary! { "WC" => closing, "WS" => script() });
        catalog.set("AA", additional);
        let chain = dictionary! { "S" => "GoTo", "D" => vec![0.into(), "Fit".into()], "Next" => vec![script().into()] };
        catalog.set("Outlines", dictionary! { "A" => chain });
    });
    assert_eq!(changed(&pdf), [Change::ScriptsRemoved { count: 5 }]);
    let taken = take(&pdf).expect("taken").pdf;
    assert!(!contains(&taken, b"JavaScript") && !contains(&taken, b"app.alert"));
    assert!(contains(&taken, b"GoTo"), "the harmless first link of the chain stays");
}

#[test]
fn actions_are_removed_and_links_stay() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let mut link = |action: Dictionary| {
            Object::from(document.add_object(dictionary! {
                "Type" => "Annot", "Subtype" => "Link", "A" => action,
                "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()], "Border" => vec![0.into(), 0.into(), 0.into()],
            }))
        };
        let address = |address: &str| dictionary! { "S" => "URI", "URI" => Object::string_literal(address) };
        let links = vec![
            link(dictionary! { "S" => "Launch", "F" => Object::string_literal("calc.exe") }),
            link(dictionary! { "S" => "SubmitForm", "F" => Object::string_literal("http://example.com/") }),
            link(address("javascript:alert(1)")),
            link(address("https://example.com/terms")),
            link(dictionary! { "S" => "Named", "N" => "NextPage" }),
        ];
        page.set("Annots", links);
        page.set(
            "AA",
            dictionary! { "O" => dictionary! { "S" => "Hide", "T" => Object::string_literal("field") } },
        );
    });
    assert_eq!(changed(&pdf), [Change::ActionsRemoved { count: 4 }]);
    let taken = take(&pdf).expect("taken").pdf;
    assert!(contains(&taken, b"https://example.com/terms") && contains(&taken, b"NextPage"));
    assert!(!contains(&taken, b"calc.exe") && !contains(&taken, b"javascript:"));
}

#[test]
fn embedded_files_are_removed() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let mut specification = |name: &str| {
            let file = document.add_object(Stream::new(
                dictionary! { "Type" => "EmbeddedFile" },
                b"payload".to_vec(),
            ));
            document.add_object(dictionary! {
                "Type" => "Filespec", "F" => Object::string_literal(name), "EF" => dictionary! { "F" => file },
            })
        };
        let (first, second) = (specification("a.exe"), specification("b.exe"));
        let names = dictionary! { "Names" => vec![Object::string_literal("a"), first.into()] };
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "Names" => dictionary! { "EmbeddedFiles" => names }, "AF" => vec![first.into()],
        });
        document.trailer.set("Root", catalog);
        let annotation = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "FileAttachment", "FS" => second,
            "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()],
        });
        page.set("Annots", vec![annotation.into()]);
    });
    // The other file had an icon on the page, which is removed with it.
    assert_eq!(changed(&pdf), [Change::EmbeddedFilesRemoved { count: 1 }]);
    assert_eq!(
        take(&pdf).expect("taken").warnings,
        [Warning::AttachmentsRemoved {
            count: 1,
            files: vec!["“b.exe”".to_owned()]
        }]
    );
    assert!(!contains(&take(&pdf).expect("taken").pdf, b"payload"));
}

#[test]
fn films_are_removed_and_their_picture_stays() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let picture = document.add_object(Stream::new(
            dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 50.into(), 50.into()] },
            b"1 0 0 rg 0 0 50 50 re f".to_vec(),
        ));
        let film = document.add_object(Stream::new(Dictionary::new(), b"moving pictures".to_vec()));
        let annotation = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "RichMedia", "RichMediaContent" => dictionary! { "Assets" => film },
            "Rect" => vec![200.into(), 100.into(), 250.into(), 150.into()], "F" => 4,
            "AP" => dictionary! { "N" => picture },
        });
        page.set("Annots", vec![annotation.into()]);
    });
    assert_eq!(changed(&pdf), [Change::MultimediaRemoved { count: 1 }]);
    let taken = take(&pdf).expect("taken").pdf;
    assert!(!contains(&taken, b"moving pictures"));
    let size = take(&pdf).expect("taken").pages[0];
    let shown = crate::pages::bounds(&crate::pages::poppler(&taken, 72), &size, [255, 0, 0]);
    assert!(shown.is_some(), "the film's picture is gone");
}

#[test]
fn objects_that_nothing_refers_to_are_dropped_without_a_word() {
    let pdf = document_of(PageForm::PLAIN, |document, _| {
        document.add_object(script());
        document.add_object(Stream::new(Dictionary::new(), b"left over".to_vec()));
    });
    assert_eq!(changed(&pdf), []);
    assert!(!contains(&take(&pdf).expect("taken").pdf, b"left over"));
}

#[test]
fn a_broken_cross_reference_table_is_repaired_and_said() {
    let mut pdf = page_file(PageForm::PLAIN);
    let position = pdf
        .windows(9)
        .rposition(|window| window == b"startxref")
        .expect("startxref");
    pdf.splice(position.., b"startxref\n7\n%%EOF".to_vec());
    assert_eq!(changed(&pdf), [Change::Repaired]);
}

/// A revision whose cross-references name an object as the first in an object stream, which contains a different one.
pub fn misplaced(pdf: &[u8], object: u32) -> Vec<u8> {
    const STREAM: u32 = 900;
    let document = Document::load_mem(pdf).expect("readable");
    let root = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a root");
    let source = String::from_utf8_lossy(pdf).into_owned();
    let previous = source[source.rfind("startxref").expect("startxref")..]
        .lines()
        .nth(1)
        .expect("an offset")
        .to_owned();
    let mut pdf = [pdf, b"\n"].concat();
    let mut offsets = Vec::new();
    let members = format!("{} 0 << /Other true >>", STREAM + 2);
    let first = members.find("<<").expect("the member");
    offsets.push(pdf.len());
    pdf.extend_from_slice(
        format!(
            "{STREAM} 0 obj\n<< /Type /ObjStm /N 1 /First {first} /Length {} >>\nstream\n{members}\nendstream\nendobj\n",
            members.len()
        )
        .as_bytes(),
    );
    offsets.push(pdf.len());
    let entry =
        |kind: u8, place: usize| [&[kind][..], &u32::try_from(place).expect("small").to_be_bytes(), &[0]].concat();
    let entries = [entry(2, 900), entry(1, offsets[0]), entry(1, offsets[1]), entry(2, 900)].concat();
    pdf.extend_from_slice(
        format!(
            "{} 0 obj\n<< /Type /XRef /Size {} /Root {} 0 R /Prev {previous} /W [1 4 1] /Index [{object} 1 {STREAM} 3] \
             /Length {} >>\nstream\n",
            STREAM + 1,
            STREAM + 3,
            root.0,
            entries.len()
        )
        .as_bytes(),
    );
    pdf.extend_from_slice(&entries);
    pdf.extend_from_slice(format!("\nendstream\nendobj\nstartxref\n{}\n%%EOF\n", offsets[1]).as_bytes());
    pdf
}

/// Viewers search the file for an object that is not at its stated position, and show it.
#[test]
fn what_lies_elsewhere_than_its_cross_references_say_is_found_and_said() {
    let pdf = page_file(PageForm::PLAIN);
    let document = Document::load_mem(&pdf).expect("readable");
    let content = document
        .objects
        .iter()
        .find(|(_, object)| {
            object
                .as_stream()
                .is_ok_and(|stream| contains(&stream.content, b"old content"))
        })
        .map(|(id, _)| *id)
        .expect("its content");
    let misplaced = misplaced(&pdf, content.0);
    // Strictly by the standard, nothing is there.
    assert!(
        Document::load_mem(&misplaced)
            .expect("readable")
            .get_object(content)
            .is_err()
    );
    assert_eq!(changed(&misplaced), [Change::Repaired]);
    assert!(text(&take(&misplaced).expect("taken").pdf).contains("old content"));
}

#[test]
fn what_a_page_refers_to_and_lies_nowhere_although_it_is_listed_refuses_the_file() {
    let pdf = document_of(PageForm::PLAIN, |_, page| page.set("Note", Object::Reference((800, 0))));
    assert_eq!(changed(&pdf), [], "what is not listed is nothing");
    assert_eq!(take(&misplaced(&pdf, 800)).err(), Some(Refused::Incomplete));
}

#[test]
fn what_is_no_pdf_is_refused() {
    for bytes in [
        &b""[..],
        b"hello",
        b"%PDF-1.7",
        b"%PDF-1.7\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF",
    ] {
        assert_eq!(
            take(bytes).err(),
            Some(Refused::NotPdf),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
}

#[test]
fn limits_are_settings() {
    let pdf = samples::unsigned(References::Table);
    let length = u64::try_from(pdf.len()).expect("small");
    let limits = Limits::default();
    let refused = |limits: Limits| inspect(&pdf, &limits).err();
    assert_eq!(
        refused(Limits {
            largest_file: length,
            ..limits
        }),
        None
    );
    assert_eq!(
        refused(Limits {
            largest_file: length - 1,
            ..limits
        }),
        Some(Refused::TooLarge {
            length,
            limit: length - 1
        })
    );
    assert_eq!(
        refused(Limits {
            most_pages: 2,
            ..limits
        }),
        None
    );
    assert_eq!(
        refused(Limits {
            most_pages: 1,
            ..limits
        }),
        Some(Refused::TooManyPages { pages: 2, limit: 1 })
    );
    assert_eq!(
        refused(Limits {
            longest_side: 792.0,
            ..limits
        }),
        None
    );
    assert_eq!(
        refused(Limits {
            longest_side: 791.0,
            ..limits
        }),
        Some(Refused::PageSize {
            page: 1,
            shortest: limits.shortest_side,
            longest: 791.0
        })
    );
    assert_eq!(
        refused(Limits {
            shortest_side: 613.0,
            ..limits
        }),
        Some(Refused::PageSize {
            page: 1,
            shortest: 613.0,
            longest: limits.longest_side
        })
    );
}

#[test]
fn a_file_without_pages_is_refused() {
    let mut document = Document::with_version("1.7");
    let pages = document.add_object(dictionary! { "Type" => "Pages", "Count" => 0, "Kids" => Vec::<Object>::new() });
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("the file is written");
    assert_eq!(take(&bytes).err(), Some(Refused::NoPages));
}

#[test]
fn a_file_of_our_own_is_taken_whatever_its_rotation() {
    for rotate in [0, 90, 180, 270] {
        let form = PageForm {
            rotate,
            user_unit: 2.0,
            ..PageForm::CROPPED
        };
        let taken = take(&page_file(form)).expect("taken");
        let size = taken.pages[0];
        let expected = if rotate % 180 == 0 {
            (920.0, 1440.0)
        } else {
            (1440.0, 920.0)
        };
        assert_eq!((size.width_points, size.height_points), expected, "{rotate}");
    }
}

#[test]
fn an_encrypted_file_is_taken_with_its_password() {
    for bits in ["128", "256"] {
        let locked = encrypted("secret", bits);
        let with = |password: &str| {
            let wishes = Wishes {
                password: Some(password.to_owned()),
                ..Wishes::default()
            };
            document::intake::inspect_as(&locked, &Limits::default(), &wishes)
        };
        assert_eq!(with("wrong").err(), Some(Refused::WrongPassword), "{bits} bits");
        let taken = with("secret").unwrap_or_else(|refused| panic!("{bits} bits: {refused}"));
        assert_eq!(taken.changes, [Change::Decrypted]);
        assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
    }
}

#[test]
fn a_file_with_cross_reference_streams_gets_a_valid_seal() {
    let taken = take(&samples::unsigned(References::Stream)).expect("taken");
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let stamped = document::marks::stamp::stamp(&taken.pdf, &fonts, &[signed::marks(1)]).expect("stamped");
    let sealed = document::sealing::seal(&stamped, &samples::HOUSE.key, &samples::details(true)).expect("sealed");
    let root = samples::HOUSE.root.certificate_pem();
    assert_eq!(crate::judges::complaints(&sealed, &root), Vec::<String>::new());
}
