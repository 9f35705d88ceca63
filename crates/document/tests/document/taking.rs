//! What intake takes, changes and refuses.

use std::process::Command;

use document::intake::{Change, FormValues, Limits, Refused, Warning, Wishes, inspect};
use domain::{Alignment, FontSize, Lines};
use lopdf::{Dictionary, Document, Object, Stream, StringFormat, dictionary};

use crate::judges::structure_complaints;
use crate::pages::{PageForm, document_of, page_file, text};
use crate::samples::{self, References};

fn take(pdf: &[u8]) -> Result<document::intake::Intake, Refused> {
    samples::take_rebuilt(pdf)
}

fn changed(pdf: &[u8]) -> Vec<Change> {
    let taken = take(pdf).expect("the file is taken");
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
    taken.changes
}

/// Puts entries into the catalog.
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

/// Known trouble 11.
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
    // The other one had an icon on the page, which is removed with it.
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
fn xfa_is_removed_and_its_fields_stay() {
    let pdf = with_catalog(|document, catalog| {
        let xfa = document.add_object(Stream::new(Dictionary::new(), b"<xdp:xdp/>".to_vec()));
        let field = document.add_object(dictionary! { "FT" => "Tx", "T" => Object::string_literal("name") });
        let form = document.add_object(dictionary! { "Fields" => vec![field.into()], "XFA" => xfa });
        catalog.set("AcroForm", form);
    });
    assert_eq!(changed(&pdf), [Change::XfaRemoved]);
    let taken = take(&pdf).expect("taken").pdf;
    assert!(!contains(&taken, b"XFA"));
}

#[test]
fn a_dynamic_xfa_form_is_refused() {
    let pdf = with_catalog(|_, catalog| catalog.set("NeedsRendering", true));
    assert_eq!(take(&pdf).err(), Some(Refused::DynamicXfa));
}

/// Strict readers complain about what lenient ones look past.
#[test]
fn pages_without_type_and_contents_that_are_none_are_put_right() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        page.remove(b"Type");
        let stream = document.add_object(Stream::new(Dictionary::new(), b"0 0 20 20 re f".to_vec()));
        let other = document.add_object(Object::Integer(7));
        page.set("Contents", vec![Object::Null, stream.into(), other.into()]);
    });
    assert_ne!(structure_complaints(&pdf), Vec::<String>::new());
    assert_eq!(changed(&pdf), [Change::DamageDropped { count: 1 }]);
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

/// A revision whose cross-references say that an object is the first of an object stream, which holds another one.
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

/// Viewers look through the file for an object that is not where its cross-references say, and show it.
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
    // By the letter there is nothing.
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
fn a_page_without_a_valid_box_is_refused() {
    let form = PageForm {
        user_unit: -1.0,
        ..PageForm::PLAIN
    };
    assert!(matches!(
        take(&page_file(form)).err(),
        Some(Refused::PageSize { page: 1, .. })
    ));
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

/// Signs a sample as somebody else does, before it comes to us.
pub fn signed_before(references: References) -> Vec<u8> {
    let stranger = crate::samples::House::new(document::pki::keys::KeyKind::EcdsaP256);
    samples::signed_by_others(&samples::unsigned(references), &stranger.key)
}

pub fn marks(page: u32) -> document::marks::stamp::Mark {
    document::marks::stamp::Mark {
        page,
        placement: domain::field::Placement {
            x: 100_000,
            y: 500_000,
            width: 300_000,
            height: 50_000,
        },
        content: document::marks::stamp::MarkContent::Check,
    }
}

/// Known trouble 10.
#[test]
fn a_file_that_somebody_signed_before_is_kept_extended_and_its_signature_stays_valid() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    for references in [References::Table, References::Stream] {
        let upload = signed_before(references);
        let taken = take(&upload).expect("taken");
        assert_eq!(taken.pdf, upload, "kept byte for byte");
        assert_eq!(taken.changes, []);
        assert_eq!(taken.warnings, [Warning::AlreadySigned { count: 1 }]);
        let stamped = document::marks::extend::stamp(&taken.pdf, &fonts, &[marks(1), marks(2)]).expect("stamped");
        let sealed = document::sealing::seal(&stamped, &samples::HOUSE.key, &samples::details(false)).expect("sealed");
        assert!(sealed.starts_with(&upload), "extended, never rewritten");
        let root = samples::HOUSE.root.certificate_pem();
        assert_eq!(
            crate::judges::complaints(&sealed, &root),
            Vec::<String>::new(),
            "{references:?}"
        );
        for page in [1, 2] {
            let before = document::pages::render::page_image(&upload, page, 72.0).expect("a picture");
            let after = document::pages::render::page_image(&sealed, page, 72.0).expect("a picture");
            assert_ne!(before, after, "what was filled in shows on page {page}");
        }
    }
}

#[test]
fn marks_on_a_signed_file_are_where_they_are_on_an_unsigned_one() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    for rotate in [0, 90, 180, 270] {
        let form = PageForm {
            rotate,
            user_unit: 2.0,
            ..PageForm::CROPPED
        };
        let plain = take(&page_file(form)).expect("taken").pdf;
        let stranger = &samples::HOUSE.key;
        let signed = samples::signed_by_others(&plain, stranger);
        let on_page = document::marks::stamp::stamp(&plain, &fonts, &[marks(1)]).expect("stamped");
        let beside = document::marks::extend::stamp(&signed, &fonts, &[marks(1)]).expect("stamped");
        let sealed = document::sealing::seal(&beside, stranger, &samples::details(false)).expect("sealed");
        let picture = |pdf: &[u8]| document::pages::render::page_image(pdf, 1, 100.0).expect("a picture");
        assert!(picture(&on_page) == picture(&sealed), "turned by {rotate}");
        assert!(
            crate::pages::poppler(&on_page, 100) == crate::pages::poppler(&sealed, 100),
            "poppler, turned by {rotate}"
        );
    }
}

#[test]
fn a_signed_file_whose_signature_is_broken_or_forbids_more_is_refused_by_name() {
    let mut broken = signed_before(References::Table);
    let position = broken
        .windows(7)
        .position(|window| window == b"stream\n")
        .expect("a stream");
    broken[position + 9] ^= 1;
    assert!(matches!(take(&broken).err(), Some(Refused::BrokenSignature { field, .. }) if field.starts_with("Other")));

    let mut longer = signed_before(References::Table);
    longer.extend_from_slice(b"% and more\n");
    assert_eq!(
        take(&longer).map(|taken| taken.signatures),
        Ok(1),
        "nothing that is shown was added"
    );

    let certified = samples::sealed(References::Table);
    assert_eq!(take(&certified).err(), Some(Refused::CertificationForbids { level: 1 }));

    let approved = document::sealing::seal(
        samples::unsigned(References::Table),
        &samples::HOUSE.key,
        &samples::details(false),
    );
    assert!(matches!(
        take(&approved.expect("approved")).err(),
        Some(Refused::LockForbids { .. })
    ));
}

/// A file whose catalog names this as its XMP.
fn described(packet: &[u8]) -> Vec<u8> {
    let mut document = samples::unsigned_document();
    let metadata = dictionary! { "Type" => "Metadata", "Subtype" => "XML" };
    let metadata = document.add_object(Stream::new(metadata, packet.to_vec()));
    document.catalog_mut().expect("a catalog").set("Metadata", metadata);
    samples::file(document, References::Table)
}

const PACKET: &str = concat!(
    r#"<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>"#,
    r#"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>"#,
    r#"</x:xmpmeta><?xpacket end="w"?>"#,
);

/// Metadata that judges cannot read make them object to whatever follows a signature.
#[test]
fn metadata_that_programs_cannot_read_are_removed_and_never_taken_signed() {
    let stranger = &samples::HOUSE.key;
    let fine = described(PACKET.as_bytes());
    assert_eq!(take(&fine).expect("taken").changes, []);
    assert!(take(&samples::signed_by_others(&fine, stranger)).is_ok());
    let broken = [
        PACKET.replace("</rdf:RDF>", "").replace("/>", ">").into_bytes(),
        PACKET.replace("</x:xmpmeta>", "").into_bytes(),
        PACKET
            .replace("<x:xmpmeta", "<!DOCTYPE x [<!ENTITY a 'a'>]><x:xmpmeta")
            .into_bytes(),
        PACKET.replace("xmpmeta", "other").into_bytes(),
        PACKET.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Vec::new(),
    ];
    for packet in broken {
        let pdf = described(&packet);
        let taken = take(&pdf).expect("taken");
        assert_eq!(taken.changes, [Change::DamagedMetadataRemoved]);
        let document = Document::load_mem(&taken.pdf).expect("readable");
        assert!(!document.catalog().expect("a catalog").has(b"Metadata"));
        let signed = samples::signed_by_others(&pdf, stranger);
        assert_eq!(take(&signed).err(), Some(Refused::SignedWithDamagedMetadata));
    }
}

/// Ours are added to it later, in a process that serves everybody.
#[test]
fn a_signed_file_is_taken_only_where_validation_data_can_be_added() {
    let stranger = &samples::HOUSE.key;
    let signed = |make: &dyn Fn(&mut Document) -> Dictionary| {
        let pdf = with_catalog(|document, catalog| {
            let store = make(document);
            catalog.set("DSS", document.add_object(store));
        });
        samples::signed_by_others(&pdf, stranger)
    };
    let certificates = |count: usize, length: usize| {
        signed(&move |document| {
            let certificates: Vec<Object> = (0..count)
                .map(|number| {
                    let mut content = vec![0; length];
                    content.extend(number.to_be_bytes());
                    let mut stream = Stream::new(dictionary! {}, content);
                    stream.compress().expect("compressed");
                    document.add_object(stream).into()
                })
                .collect();
            dictionary! { "Type" => "DSS", "Certs" => certificates }
        })
    };
    assert_eq!(take(&certificates(128, 10)).map(|taken| taken.signatures), Ok(1));
    for refused in [
        certificates(129, 10),
        certificates(1, 33 * 1024 * 1024),
        certificates(33, 1024 * 1024),
        signed(&|_| dictionary! { "Certs" => 7 }),
        signed(&|_| dictionary! { "Certs" => vec![7.into()] }),
        signed(&|_| dictionary! { "Price" => 7 }),
    ] {
        assert_eq!(take(&refused).err(), Some(Refused::SignedWithUnusableValidationData));
    }
}

#[test]
fn a_signed_file_with_scripts_is_refused() {
    let scripted = with_catalog(|_, catalog| catalog.set("OpenAction", script()));
    let signed = samples::signed_by_others(&scripted, &samples::HOUSE.key);
    assert_eq!(take(&signed).err(), Some(Refused::SignedAndActive));
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
fn a_page_without_a_size_is_taken_in_the_size_that_viewers_show() {
    let pdf = page_file(PageForm {
        media: [0, 0, 0, 0],
        ..PageForm::PLAIN
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.changes, [Change::PageSizeAssumed { count: 1 }]);
    let size = taken.pages[0];
    assert_eq!((size.width_points, size.height_points), (612.0, 792.0));
    let pdf = page_file(PageForm {
        crop: Some([1000, 1000, 1100, 1100]),
        ..PageForm::PLAIN
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.changes, [Change::PageSizeAssumed { count: 1 }]);
    let size = taken.pages[0];
    assert_eq!((size.width_points, size.height_points), (400.0, 300.0));
}

#[test]
fn damaged_streams_that_no_viewer_shows_are_dropped_and_judges_are_content() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let form = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "Filter" => "FlateDecode",
            "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
        };
        let damaged = document.add_object(Stream::new(form, b"no zlib".to_vec()).with_compression(false));
        let picture = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 1, "Height" => 1, "BitsPerComponent" => 8,
                "ColorSpace" => "DeviceGray", "Filter" => "DCTDecode",
            },
            b"no JPEG".to_vec(),
        ));
        let shown = b"/Im0 Do /Fm0 Do 0 0 20 20 re f".to_vec();
        page.set("Contents", document.add_object(Stream::new(Dictionary::new(), shown)));
        page.set(
            "Resources",
            dictionary! { "XObject" => dictionary! { "Im0" => picture, "Fm0" => damaged } },
        );
    });
    assert_ne!(structure_complaints(&pdf), Vec::<String>::new());
    assert_eq!(
        changed(&pdf),
        [Change::DamageDropped { count: 2 }, Change::PagesRedrawn { count: 1 }]
    );
}

/// A file of which a later revision deleted what its page draws. Some viewers still show that.
pub fn with_deleted_content() -> Vec<u8> {
    let mut pdf = page_file(PageForm::PLAIN);
    let document = Document::load_mem(&pdf).expect("readable");
    let page = document.page_iter().next().expect("a page");
    let content = document
        .get_dictionary(page)
        .and_then(|page| page.get(b"Contents"))
        .and_then(Object::as_reference)
        .expect("its content");
    let root = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a root");
    let source = String::from_utf8_lossy(&pdf).into_owned();
    let previous: usize = source[source.rfind("startxref").expect("startxref") + 9..]
        .split_whitespace()
        .next()
        .and_then(|number| number.parse().ok())
        .expect("an offset");
    let start = pdf.len() + 1;
    let update = format!(
        "\nxref\n0 1\n{:010} 65535 f \n{} 1\n0000000000 00001 f \ntrailer\n<< /Size {} /Root {} 0 R /Prev {previous} >>\n\
         startxref\n{start}\n%%EOF\n",
        content.0,
        content.0,
        document.max_id + 1,
        root.0
    );
    pdf.extend_from_slice(update.as_bytes());
    pdf
}

#[test]
fn what_was_deleted_in_the_file_stays_deleted_and_the_sender_is_warned() {
    let pdf = with_deleted_content();
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.warnings, [Warning::DeletedContentGone]);
    assert!(text(&pdf).contains("old content") && !text(&taken.pdf).contains("old content"));
}

/// It stays as it is, so that viewers would go on to differ.
#[test]
fn a_signed_file_in_which_our_renderer_shows_what_was_deleted_is_refused() {
    let signed = samples::signed_by_others(&with_deleted_content(), &samples::HOUSE.key);
    assert_eq!(take(&signed).err(), Some(Refused::SignedAndReadDifferently { page: 1 }));
}

#[test]
fn a_page_whose_content_is_not_in_the_file_or_cannot_be_decoded_refuses_the_file() {
    let of = |contents: &dyn Fn(&mut Document) -> Object| {
        document_of(PageForm::PLAIN, |document, page| {
            let contents = contents(document);
            page.set("Contents", contents);
        })
    };
    let drawn = |document: &mut Document| {
        let drawn = Stream::new(Dictionary::new(), b"0 0 20 20 re f".to_vec());
        Object::from(document.add_object(drawn))
    };
    let filtered = |filter: &'static str| {
        of(&move |document| {
            let stream = Stream::new(dictionary! { "Filter" => filter }, b"0 0 20 20 re f".to_vec());
            document.add_object(stream).into()
        })
    };
    for pdf in [
        of(&|_| Object::Reference((800, 0))),
        of(&|document| vec![drawn(document), Object::Reference((800, 0))].into()),
        filtered("FlateDecode"),
    ] {
        assert_eq!(take(&pdf).err(), Some(Refused::ContentLost { page: 1 }));
    }
    for filter in ["DCTDecode", "Unheard"] {
        assert!(take(&filtered(filter)).is_err(), "{filter}");
    }
    // By the letter nothing, and nothing was lost.
    assert!(take(&of(&|document| vec![drawn(document), Object::Null].into())).is_ok());
}

/// Whoever draws after content that restores once too often, or leaves a save open, draws elsewhere.
#[test]
fn marks_are_where_they_belong_on_pages_whose_content_is_unbalanced() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let stamped = |content: &[u8]| {
        let pdf = document_of(PageForm::PLAIN, |document, page| {
            let content = document.add_object(Stream::new(Dictionary::new(), content.to_vec()));
            page.set("Contents", content);
        });
        let taken = take(&pdf).unwrap_or_else(|refused| panic!("{}: {refused}", String::from_utf8_lossy(content)));
        assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
        let stamped = document::marks::stamp::stamp(&taken.pdf, &fonts, &[marks(1)]).expect("stamped");
        assert_eq!(taken.changes, []);
        (
            crate::pages::poppler(&stamped, 72),
            document::pages::render::page_image(&stamped, 1, 72.0).expect("a picture"),
        )
    };
    let (poppler, ours) = stamped(b"0.9 g 0 0 30 30 re f");
    for content in [
        &b"0.9 g 0 0 30 30 re f Q 0.5 0 0 0.5 90 90 cm"[..],
        b"q 0.9 g 0 0 30 30 re f Q Q Q 3 0 0 3 0 0 cm",
        b"0.9 g 0 0 30 30 re f q 0 1 -1 0 0 0 cm q 2 0 0 2 9 9 cm",
        b"0.9 g 0 0 30 30 re f q 0 0 5 5 re W n",
        b"0.9 g 0 0 30 30 re f BT /F1 1 Tf 3 0 0 3 50 50 Tm",
        b"0.9 g 0 0 30 30 re f 0 0 m 500 500 l",
        b"0.9 g 0 0 30 30 re f /Name#00 << not closed",
        // What would swallow everything behind it, of every kind of token.
        b"0.9 g 0 0 30 30 re f (",
        b"0.9 g 0 0 30 30 re f (open (and closed) \\",
        b"0.9 g 0 0 30 30 re f <41",
        b"0.9 g 0 0 30 30 re f [",
        b"0.9 g 0 0 30 30 re f [ (a) <<",
        b"0.9 g 0 0 30 30 re f %",
        b"0.9 g 0 0 30 30 re f BI /W 9 /H 9",
        b"0.9 g 0 0 30 30 re f q 0 0 0 0 0 0 cm BI /W 9 /H 9 /BPC 8 /CS /G ID abc",
        // What readers tell apart in different ways.
        b"0.9 g 0 0 30 30 re f [ >>",
        b"0.9 g 0 0 30 30 re f << ] ",
        b"0.9 g 0 0 30 30 re f q 0 0 0 0 0 0 cm BI /W 9000 /H 9000 /BPC 8 /CS /RGB ID abc EI Q",
        b"0.9 g 0 0 30 30 re f 0Q 3 0 0 3 0 0 cm",
        b"0.9 g 0 0 30 30 re f /A\x80Q 3 0 0 3 0 0 cm",
    ] {
        let text = String::from_utf8_lossy(content);
        let (by_poppler, by_us) = stamped(content);
        assert!(by_us == ours, "{text}");
        assert!(by_poppler == poppler, "{text}");
    }
}

/// Some readers put a space between the streams of a page, others nothing.
#[test]
fn a_comment_or_half_a_word_at_the_end_of_a_stream_reaches_nothing_of_ours() {
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let stamped = |parts: &[&str]| {
        let pdf = document_of(PageForm::PLAIN, |document, page| {
            let mut contents = Vec::new();
            for part in parts {
                let part = Stream::new(Dictionary::new(), part.as_bytes().to_vec());
                contents.push(Object::from(document.add_object(part)));
            }
            page.set("Contents", contents);
        });
        let taken = take(&pdf)?;
        let stamped = document::marks::stamp::stamp(&taken.pdf, &fonts, &[marks(1)]).expect("stamped");
        Ok(crate::pages::poppler(&stamped, 72))
    };
    let plain = stamped(&["0.9 g\n", "0 0 30 30 re f"]).expect("taken");
    // Whether anything is drawn is told in different ways.
    assert_eq!(
        stamped(&["0.9 g %", "0 0 30 30 re f"]).map(drop),
        Err(Refused::PageWouldChange { page: 1 })
    );
    for parts in [["0.9 g 0 0 30 30 re f q", "Q"], ["0.9 g 0 0 30 30 re f (", "Q"]] {
        assert!(stamped(&parts).expect("taken") == plain, "{parts:?}");
    }
}

/// A page with two layers, of which one is off: in marked content, as a form and as an annotation.
fn layered(configuration: impl FnOnce(Object, Object) -> Dictionary) -> Vec<u8> {
    document_of(PageForm::PLAIN, |document, page| {
        let mut group = |name: &str| {
            Object::from(document.add_object(dictionary! { "Type" => "OCG", "Name" => Object::string_literal(name) }))
        };
        let (on, off) = (group("on"), group("off"));
        let hidden_form = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "OC" => off.clone(),
                "BBox" => vec![0.into(), 0.into(), 90.into(), 90.into()],
            },
            b"0 1 0 rg 0 0 90 90 re f".to_vec(),
        ));
        let content = b"/OC /On BDC 1 0 0 rg 10 10 20 20 re f EMC \
            /OC /Off BDC q 0 0 1 rg 50 50 20 20 re f BT /F1 9 Tf (secret clause) Tj ET Q EMC /Fm Do";
        let content = document.add_object(Stream::new(Dictionary::new(), content.to_vec()));
        page.set("Contents", content);
        page.set(
            "Resources",
            dictionary! {
                "Properties" => dictionary! { "On" => on.clone(), "Off" => off.clone() },
                "XObject" => dictionary! { "Fm" => hidden_form },
            },
        );
        let properties = dictionary! {
            "OCGs" => vec![on.clone(), off.clone()], "D" => configuration(on, off),
        };
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "OCProperties" => properties });
        document.trailer.set("Root", catalog);
    })
}

#[test]
fn hidden_layers_are_removed_and_visible_ones_become_part_of_the_page() {
    for pdf in [
        layered(|_, off| dictionary! { "OFF" => vec![off] }),
        layered(|on, _| dictionary! { "BaseState" => "OFF", "ON" => vec![on] }),
    ] {
        let taken = take(&pdf).expect("taken");
        assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
        assert_eq!(
            taken.changes,
            [
                Change::HiddenLayersRemoved { count: 1 },
                Change::LayersMerged { count: 1 }
            ]
        );
        assert!(!contains(&taken.pdf, b"OCProperties"));
        let mut document = Document::load_mem(&taken.pdf).expect("readable");
        document.decompress();
        let mut plain = Vec::new();
        document.save_to(&mut plain).expect("written");
        assert!(
            !contains(&plain, b"secret") && !contains(&plain, b"0 1 0 rg"),
            "what was hidden is gone"
        );
        assert!(contains(&plain, b"10 10 20 20 re f"), "what shows stays");
        assert!(crate::pages::poppler(&taken.pdf, 72) == crate::pages::poppler(&pdf, 72));
    }
}

/// A form as an office suite writes it: `(name, field, rectangle)`, some with an appearance.
pub fn form_of(fields: Vec<(Dictionary, [i64; 4])>) -> Vec<u8> {
    document_of(PageForm::PLAIN, |document, page| {
        let mut widgets = Vec::new();
        for (mut field, rectangle) in fields {
            field.set("Type", "Annot");
            field.set("Subtype", "Widget");
            field.set("F", 4);
            field.set("Rect", rectangle.map(Object::from).to_vec());
            widgets.push(Object::from(document.add_object(field)));
        }
        page.set("Annots", widgets.clone());
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => widgets },
        });
        document.trailer.set("Root", catalog);
    })
}

pub fn named(name: &str, kind: &str) -> Dictionary {
    dictionary! { "T" => Object::string_literal(name), "FT" => kind }
}

fn with(mut field: Dictionary, entries: &Dictionary) -> Dictionary {
    field.extend(entries);
    field
}

fn text_field(name: &str, value: &str) -> Dictionary {
    with(named(name, "Tx"), &dictionary! { "V" => Object::string_literal(value) })
}

fn square(document: &mut Document, colour: &str) -> Object {
    document
        .add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 10.into(), 10.into()],
            },
            format!("{colour} rg 0 0 10 10 re f").into_bytes(),
        ))
        .into()
}

/// A page is not lost without a word.
#[test]
fn a_page_that_is_not_in_the_file_refuses_it() {
    let mut document = samples::unsigned_document();
    let missing = (document.max_id + 50, 0);
    let tree = document.catalog().and_then(|catalog| catalog.get(b"Pages"));
    let tree = tree.and_then(Object::as_reference).expect("a tree");
    let tree = document.get_dictionary_mut(tree).expect("a tree");
    let kids = tree.get_mut(b"Kids").and_then(Object::as_array_mut).expect("kids");
    kids.push(missing.into());
    let pdf = samples::file(document, References::Table);
    assert!(matches!(take(&pdf).err(), Some(Refused::ContentLost { page }) if page > 1));
}

/// Known trouble 8.
#[test]
fn all_fields_of_a_form_are_found_with_kind_options_limits_and_defaults() {
    let states = |on: &str| dictionary! { "N" => dictionary! { on => Dictionary::new() } };
    let options = vec![
        Object::Array(vec![Object::string_literal("kr"), Object::string_literal("Korea")]),
        Object::string_literal("Japan"),
    ];
    let pdf = form_of(vec![
        (
            with(
                text_field("name", "Kim"),
                &dictionary! { "Ff" => 2, "MaxLen" => 40, "DA" => Object::string_literal("/Helv 11 Tf 0 g"), "Q" => 1 },
            ),
            [50, 250, 200, 270],
        ),
        (
            with(named("notes", "Tx"), &dictionary! { "Ff" => 1 << 12 }),
            [50, 200, 200, 240],
        ),
        (
            with(named("code", "Tx"), &dictionary! { "Ff" => 1 << 24, "MaxLen" => 6 }),
            [50, 170, 200, 190],
        ),
        (
            with(
                named("agree", "Btn"),
                &dictionary! { "AP" => states("Yes"), "AS" => "Yes", "V" => "Yes" },
            ),
            [50, 150, 60, 160],
        ),
        (
            with(
                named("plan", "Btn"),
                &dictionary! { "Ff" => 1 << 15, "AP" => states("A"), "AS" => "Off" },
            ),
            [50, 130, 60, 140],
        ),
        (
            with(
                named("plan", "Btn"),
                &dictionary! { "Ff" => 1 << 15, "AP" => states("B"), "AS" => "B" },
            ),
            [70, 130, 80, 140],
        ),
        (
            with(
                named("land", "Ch"),
                &dictionary! { "Opt" => options, "V" => Object::string_literal("kr") },
            ),
            [50, 100, 200, 120],
        ),
        (named("sign", "Sig"), [50, 60, 200, 90]),
        (
            with(named("reset", "Btn"), &dictionary! { "Ff" => 1 << 16 }),
            [50, 30, 90, 40],
        ),
    ]);
    let taken = take(&pdf).expect("taken");
    let found: Vec<(&str, &str, Option<&str>)> = taken
        .fields
        .iter()
        .map(|field| (field.name.as_str(), field.kind.code(), field.default.as_deref()))
        .collect();
    assert_eq!(
        found,
        [
            ("name", "text", Some("Kim")),
            ("notes", "text", None),
            ("code", "text", None),
            ("agree", "check", Some("Y")),
            ("plan", "radio", None),
            ("plan", "radio", Some("B")),
            ("land", "select", Some("Korea")),
            ("sign", "signature", None),
        ]
    );
    let field = |index: usize| &taken.fields[index];
    assert_eq!(
        (
            field(0).required,
            field(0).max_length,
            field(0).font_size,
            field(0).alignment
        ),
        (true, Some(40), FontSize::from_points(11.0), Alignment::Center)
    );
    assert_eq!((field(1).lines, field(0).lines), (Some(Lines::Many), Some(Lines::One)));
    assert_eq!((field(2).cells, field(2).lines), (Some(6), None));
    assert_eq!(
        (field(4).option.as_deref(), field(5).option.as_deref()),
        (Some("A"), Some("B"))
    );
    assert_eq!(field(6).options, ["Korea", "Japan"]);
}

#[test]
fn a_form_becomes_part_of_its_pages_as_it_looks_and_nothing_can_be_filled_in_any_more() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let shown = square(document, "1 0 0");
        let field = document.add_object(with(
            text_field("name", "Kim"),
            &dictionary! {
                "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "AP" => dictionary! { "N" => shown },
                "Rect" => vec![100.into(), 100.into(), 150.into(), 120.into()],
            },
        ));
        page.set("Annots", vec![field.into()]);
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![field.into()] },
        });
        document.trailer.set("Root", catalog);
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(taken.changes, [Change::FormFlattened { count: 1 }]);
    assert!(!contains(&taken.pdf, b"/AcroForm") && !contains(&taken.pdf, b"/Widget"));
    assert!(crate::pages::poppler(&taken.pdf, 100) == crate::pages::poppler(&pdf, 100));
    let template = into_template(&pdf);
    let red = crate::pages::bounds(
        &crate::pages::poppler(&template.pdf, 72),
        &template.pages[0],
        [255, 0, 0],
    );
    assert!(red.is_none(), "the value is a default now, and not on the page");
    assert_eq!(template.fields[0].default.as_deref(), Some("Kim"));
}

/// Trap: one form in eight leaves the look of its values to the viewer.
#[test]
fn values_without_an_appearance_are_drawn() {
    let pdf = form_of(vec![(text_field("name", "Kim Minjun"), [50, 250, 200, 270])]);
    assert!(!text(&take(&samples::unsigned(References::Table)).expect("taken").pdf).contains("Minjun"));
    let taken = take(&pdf).expect("taken");
    assert_eq!(
        taken.changes,
        [Change::FormFlattened { count: 1 }, Change::AppearancesMade { count: 1 }]
    );
    assert!(text(&taken.pdf).contains("Kim Minjun"), "{}", text(&taken.pdf));
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
}

/// Whatever a field is and however its value stands in its box: something of it is on the page, or its name is told.
#[test]
fn no_value_of_a_form_is_lost_in_silence() {
    let string = |text: &str| Object::string_literal(text);
    let place = [50, 200, 200, 220];
    let ink = |pdf: &[u8]| {
        let picture = crate::pages::ours(pdf, 72.0);
        let dark = |(x, y, pixel): &(u32, u32, &image::Rgb<u8>)| {
            (45..205).contains(x) && (75..105).contains(y) && pixel.0.iter().all(|part| *part < 128)
        };
        picture.enumerate_pixels().filter(dark).count()
    };
    let on = || dictionary! { "V" => "Yes", "AS" => "Yes" };
    let options = || dictionary! { "Opt" => vec![string("Apples"), string("Plums"), string("Pears")] };
    for field in [
        with(named("check", "Btn"), &on()),
        with(with(named("radio", "Btn"), &on()), &dictionary! { "Ff" => 1 << 15 }),
        with(
            named("push", "Btn"),
            &dictionary! { "Ff" => 1 << 16, "MK" => dictionary! { "CA" => string("Press") } },
        ),
        text_field("long", &"very long value ".repeat(40)),
        with(
            text_field("many", &"line\r".repeat(40)),
            &dictionary! { "Ff" => 1 << 12 },
        ),
        with(
            text_field("cells", "abcdef"),
            &dictionary! { "Ff" => 1 << 24, "MaxLen" => 3 },
        ),
        with(named("list", "Ch"), &options()),
        with(
            with(text_field("combo", "Plums"), &options()),
            &dictionary! { "FT" => "Ch", "Ff" => 1 << 17 },
        ),
    ] {
        let taken =
            take(&form_of(vec![(field.clone(), place)])).unwrap_or_else(|refused| panic!("{field:?}: {refused}"));
        assert!(
            taken.changes.contains(&Change::AppearancesMade { count: 1 }),
            "{field:?}"
        );
        assert!(ink(&taken.pdf) > 10, "{field:?}");
    }
    assert_eq!(
        ink(&take(&form_of(vec![(named("empty", "Tx"), place)])).expect("taken").pdf),
        0
    );
    let list = with(named("list", "Ch"), &options());
    let list = with(list, &dictionary! { "V" => vec![string("Pears")] });
    let words = text(&take(&form_of(vec![(list, [50, 100, 200, 220])])).expect("taken").pdf);
    assert!(words.contains("Apples Plums Pears"), "{words}");
    let secret = with(text_field("secret", "hunter"), &dictionary! { "Ff" => 1 << 13 });
    assert!(text(&take(&form_of(vec![(secret, place)])).expect("taken").pdf).contains("******"));
    // Tibetan, for which there is no font, and letters that another sign turns around.
    for value in [
        &[0xFE, 0xFF, 0x0F, 0x40][..],
        &[0xFE, 0xFF, 0x20, 0x2E, 0, 0x61, 0, 0x62],
    ] {
        let value = Object::String(value.to_vec(), StringFormat::Hexadecimal);
        let field = with(named("odd", "Tx"), &dictionary! { "V" => value });
        assert_eq!(
            take(&form_of(vec![(field, place)])),
            Err(Refused::FormValueNotDrawn {
                field: "odd".to_owned()
            })
        );
    }
}

fn into_template(pdf: &[u8]) -> document::intake::Intake {
    let wishes = Wishes {
        form: FormValues::Taken,
        ..Wishes::default()
    };
    document::intake::inspect_as(pdf, &Limits::default(), &wishes).expect("taken")
}

/// Strangers' forms have boxes of all sizes. None refuses the form.
#[test]
fn fields_of_a_form_that_are_too_small_are_enlarged_or_left_out_by_name() {
    let box_of = |width: i64, height: i64| [50, 200, 50 + width, 200 + height];
    let cells = dictionary! { "Ff" => 1 << 24, "MaxLen" => 40 };
    let taken = into_template(&form_of(vec![
        (named("low", "Tx"), box_of(100, 5)),
        (named("narrow", "Tx"), box_of(4, 20)),
        (with(named("cells", "Tx"), &cells), box_of(100, 20)),
        (named("mark", "Btn"), box_of(3, 3)),
        (named("sign", "Sig"), box_of(60, 8)),
        (text_field("technical", "state"), box_of(100, 1)),
        (named("dot", "Sig"), box_of(1, 1)),
        (named("good", "Tx"), box_of(100, 20)),
    ]));
    let names: Vec<&str> = taken.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["low", "narrow", "cells", "mark", "sign", "good"]);
    for field in &taken.fields {
        assert!(!field.is_too_small(&taken.pages[0]), "{field:?}");
        assert!(field.placement.is_on_page(), "{field:?}");
    }
    assert_eq!(
        taken.fields[2].cells, None,
        "cells stay where the page shows them, or are none"
    );
    assert!(
        taken.changes.contains(&Change::FormFieldsEnlarged { count: 5 }),
        "{:?}",
        taken.changes
    );
    let fields = vec!["technical".to_owned(), "dot".to_owned()];
    assert_eq!(taken.warnings, [Warning::FormFieldsTooSmall { fields }]);
}

/// A value that is no default here stays on the page as it looks.
#[test]
fn a_value_that_no_field_can_have_stays_on_the_page_by_name() {
    let string = |text: &str| Object::string_literal(text);
    let several = dictionary! {
        "Opt" => vec![string("Apples"), string("Plums"), string("Pears")], "V" => vec![string("Plums"), string("Pears")],
    };
    let other = dictionary! { "Ff" => 1 << 17, "Opt" => vec![string("Apples")], "V" => string("Quinces") };
    for (field, shown) in [
        (with(named("several", "Ch"), &several), "Plums Pears"),
        (with(named("other", "Ch"), &other), "Quinces"),
        (
            with(text_field("long", "abcdef"), &dictionary! { "MaxLen" => 3 }),
            "abcdef",
        ),
        (
            with(text_field("secret", "hunter"), &dictionary! { "Ff" => 1 << 13 }),
            "******",
        ),
        (
            with(text_field("file", "contract.doc"), &dictionary! { "Ff" => 1 << 20 }),
            "contract.doc",
        ),
    ] {
        let taken = into_template(&form_of(vec![
            (field.clone(), [50, 100, 200, 200]),
            (text_field("name", "Kim"), [50, 40, 200, 60]),
        ]));
        let name = taken.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>();
        assert_eq!(name, ["name"], "{field:?}");
        let words = text(&taken.pdf);
        assert!(words.contains(shown) && !words.contains("Kim"), "{field:?}: {words}");
        let kept = field.get(b"T").and_then(Object::as_str).expect("a name");
        let fields = vec![String::from_utf8_lossy(kept).into_owned()];
        assert_eq!(taken.warnings, [Warning::FormValuesKept { fields }], "{field:?}");
    }
    // An option with a blank at its end is the same option.
    let blank = dictionary! { "Ff" => 1 << 17, "Opt" => vec![string("Apples ")], "V" => string("Apples ") };
    let taken = into_template(&form_of(vec![(
        with(named("blank", "Ch"), &blank),
        [50, 100, 200, 120],
    )]));
    assert_eq!(taken.fields[0].default.as_deref(), Some("Apples"));
}

/// Viewers show the look, and it is empty.
#[test]
fn a_value_beside_an_empty_look_is_told_by_name() {
    let looking = |field: Dictionary, content: &'static str| {
        document_of(PageForm::PLAIN, |document, page| {
            let look = document.add_object(Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Form",
                    "BBox" => vec![0.into(), 0.into(), 100.into(), 20.into()],
                },
                content.as_bytes().to_vec(),
            ));
            let field = document.add_object(with(
                field,
                &dictionary! {
                    "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "AP" => dictionary! { "N" => look },
                    "Rect" => vec![50.into(), 100.into(), 150.into(), 120.into()],
                },
            ));
            page.set("Annots", vec![field.into()]);
            let catalog = document.add_object(dictionary! {
                "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![field.into()] },
            });
            document.trailer.set("Root", catalog);
        })
    };
    let ticked = || with(named("tick", "Btn"), &dictionary! { "V" => "Yes", "AS" => "Yes" });
    let warned = |pdf: &[u8]| take(pdf).expect("taken").warnings;
    let told = |name: &str| {
        let fields = vec![name.to_owned()];
        vec![Warning::FormValuesNotShown { fields }]
    };
    for empty in ["", "/Tx BMC EMC", "0.9 g 0 0 100 20 re f 0 G 0 0 100 20 re S"] {
        assert_eq!(
            warned(&looking(text_field("name", "Kim"), empty)),
            told("name"),
            "{empty}"
        );
        assert_eq!(warned(&looking(named("name", "Tx"), empty)), [], "{empty}");
    }
    assert_eq!(warned(&looking(ticked(), "q Q")), told("tick"));
    assert_eq!(warned(&looking(ticked(), "20 5 10 10 re f")), []);
    assert_eq!(warned(&looking(text_field("name", "Kim"), "0 0 m 9 9 l S")), []);
}

/// `NeedAppearances`: viewers draw the value, whatever the file has for its look.
#[test]
fn the_value_wins_over_a_look_that_the_form_calls_stale() {
    let taken = |needs: bool| {
        let pdf = document_of(PageForm::PLAIN, |document, page| {
            let shown = square(document, "1 0 0");
            let field = document.add_object(with(
                text_field("name", "Minjun"),
                &dictionary! {
                    "Type" => "Annot", "Subtype" => "Widget", "F" => 4, "AP" => dictionary! { "N" => shown },
                    "Rect" => vec![100.into(), 100.into(), 180.into(), 120.into()],
                },
            ));
            page.set("Annots", vec![field.into()]);
            let catalog = document.add_object(dictionary! {
                "Type" => "Catalog",
                "AcroForm" => dictionary! { "Fields" => vec![field.into()], "NeedAppearances" => needs },
            });
            document.trailer.set("Root", catalog);
        });
        take(&pdf).expect("taken")
    };
    let red = |taken: &document::intake::Intake| {
        crate::pages::bounds(&crate::pages::ours(&taken.pdf, 72.0), &taken.pages[0], [255, 0, 0]).is_some()
    };
    let (stale, own) = (taken(true), taken(false));
    assert!(!red(&stale) && text(&stale.pdf).contains("Minjun"));
    assert!(stale.changes.contains(&Change::AppearancesMade { count: 1 }));
    assert!(red(&own) && !text(&own.pdf).contains("Minjun"));
}

/// Viewers draw annotations one after the other, fields among them.
#[test]
fn what_lies_beneath_a_field_stays_beneath_it_and_what_lies_above_stays_above() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let mut annotation = |kind: &str, colour: &str, left: i64| {
            let shown = square(document, colour);
            let field = with(text_field("name", "Kim"), &dictionary! { "Subtype" => kind });
            let annotation = with(
                field,
                &dictionary! {
                    "Type" => "Annot", "F" => 4, "AP" => dictionary! { "N" => shown },
                    "Rect" => vec![left.into(), 100.into(), (left + 40).into(), 140.into()],
                },
            );
            Object::from(document.add_object(annotation))
        };
        let annotations = vec![
            annotation("Stamp", "1 0 0", 10),
            annotation("Stamp", "1 1 0", 100),
            annotation("Stamp", "1 0 1", 120),
            annotation("Widget", "0 0 1", 140),
            annotation("Stamp", "0 1 0", 160),
        ];
        page.set("Annots", annotations.clone());
        let catalog = document.add_object(dictionary! {
            "Type" => "Catalog", "AcroForm" => dictionary! { "Fields" => vec![annotations[3].clone()] },
        });
        document.trailer.set("Root", catalog);
    });
    let taken = take(&pdf).expect("taken");
    assert_eq!(
        taken.changes,
        [
            Change::PagesRedrawn { count: 1 },
            Change::FormFlattened { count: 1 },
            Change::AnnotationsMerged { count: 2 }
        ]
    );
    assert!(crate::pages::poppler(&taken.pdf, 72) == crate::pages::poppler(&pdf, 72));
    assert!(crate::pages::ours(&taken.pdf, 72.0) == crate::pages::ours(&pdf, 72.0));
    let document = Document::load_mem(&taken.pdf).expect("readable");
    let page = document.page_iter().next().expect("a page");
    let left = document.get_dictionary(page).and_then(|page| page.get(b"Annots"));
    assert_eq!(left.and_then(Object::as_array).expect("annotations").len(), 2);
}

/// Known trouble 9.
#[test]
fn a_file_with_cross_reference_streams_gets_a_valid_seal() {
    let taken = take(&samples::unsigned(References::Stream)).expect("taken");
    let fonts = document::text::fonts::Fonts::embedded().expect("fonts");
    let stamped = document::marks::stamp::stamp(&taken.pdf, &fonts, &[marks(1)]).expect("stamped");
    let sealed = document::sealing::seal(&stamped, &samples::HOUSE.key, &samples::details(true)).expect("sealed");
    let root = samples::HOUSE.root.certificate_pem();
    assert_eq!(crate::judges::complaints(&sealed, &root), Vec::<String>::new());
}

/// What lies in another file is not here: each reader finds something else there, or nothing (7.3.8.2).
#[test]
fn a_stream_whose_data_lie_in_another_file_refuses_the_file() {
    let external = |file: Object| {
        document_of(PageForm::PLAIN, |document, page| {
            let stream = Stream::new(dictionary! { "F" => file }, Vec::new());
            page.set("Contents", Object::from(document.add_object(stream)));
        })
    };
    for file in [
        Object::string_literal("/etc/passwd"),
        dictionary! { "Type" => "Filespec", "F" => Object::string_literal("page.txt") }.into(),
    ] {
        assert_eq!(take(&external(file)), Err(Refused::ExternalContent));
    }
    let form = document_of(PageForm::PLAIN, |document, page| {
        let file = Object::string_literal("picture.bin");
        let picture = document.add_object(Stream::new(
            dictionary! { "Type" => "XObject", "Subtype" => "Form", "F" => file },
            Vec::new(),
        ));
        page.set("Resources", dictionary! { "XObject" => dictionary! { "X" => picture } });
    });
    assert_eq!(take(&form), Err(Refused::ExternalContent));
    // A name is no file.
    assert!(take(&external("Fl".into())).is_ok());
}

/// Other programs complain of what leads in a circle, before the seal and after it.
#[test]
fn what_leads_in_a_circle_is_cut_and_judges_are_content() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let action = |document: &mut Document, address: &str| {
            document.add_object(dictionary! { "S" => "URI", "URI" => Object::string_literal(address) })
        };
        let [alone, first, second, third] =
            ["http://a/", "http://b/", "http://c/", "http://d/"].map(|address| action(document, address));
        let mut follow = |from: lopdf::ObjectId, next: Object| {
            let action = document.get_dictionary_mut(from).expect("an action");
            action.set("Next", next);
        };
        follow(alone, alone.into());
        follow(first, vec![second.into(), third.into()].into());
        follow(second, third.into());
        follow(third, first.into());
        let links: Vec<Object> = [alone, first]
            .into_iter()
            .map(|action| {
                Object::from(document.add_object(dictionary! {
                    "Type" => "Annot", "Subtype" => "Link", "A" => action,
                    "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()],
                }))
            })
            .collect();
        page.set("Annots", links);
        let catalog = document.add_object(dictionary! { "Type" => "Catalog" });
        document.trailer.set("Root", catalog);
    });
    // The root of all pages is no page of the catalog's.
    let mut document = Document::load_mem(&pdf).expect("readable");
    let catalog = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a root");
    let root = document
        .catalog()
        .and_then(|catalog| catalog.get(b"Pages"))
        .and_then(Object::as_reference)
        .expect("pages");
    document.get_dictionary_mut(root).expect("pages").set("Parent", catalog);
    let mut pdf = Vec::new();
    document.save_to(&mut pdf).expect("written");

    let taken = take(&pdf).expect("taken");
    assert!(
        taken.changes.contains(&Change::DamageDropped { count: 3 }),
        "{:?}",
        taken.changes
    );
    let document = Document::load_mem(&taken.pdf).expect("readable");
    let pages = document.catalog().and_then(|catalog| catalog.get(b"Pages"));
    let pages = document.get_dictionary(pages.and_then(Object::as_reference).expect("pages"));
    assert!(!pages.expect("pages").has(b"Parent"));
    assert!(contains(&taken.pdf, b"http://d/"), "what is no circle stays");
    assert_eq!(structure_complaints(&taken.pdf), Vec::<String>::new());
    let said = |pdf: &[u8]| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file.pdf");
        std::fs::write(&file, pdf).expect("written");
        let said = Command::new("pdfsig").arg(&file).output().expect("pdfsig runs");
        String::from_utf8_lossy(&said.stderr).into_owned()
    };
    assert!(said(&pdf).contains("Circular"), "{}", said(&pdf));
    assert!(!said(&taken.pdf).contains("Circular"), "{}", said(&taken.pdf));
}

#[test]
fn a_picture_with_too_many_pixels_is_refused() {
    let pdf = document_of(PageForm::PLAIN, |document, page| {
        let picture = document.add_object(Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 100_000, "Height" => 100_000,
                "BitsPerComponent" => 1, "ColorSpace" => "DeviceGray",
            },
            Vec::new(),
        ));
        page.set(
            "Resources",
            dictionary! { "XObject" => dictionary! { "Im0" => picture } },
        );
    });
    assert!(matches!(
        take(&pdf).err(),
        Some(Refused::TooManyPixels {
            pixels: 10_000_000_000,
            ..
        })
    ));
}
