//! Appended revisions: what they hold, what they must not hold, and what refuses them.

use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pdf::revision::{RevisionError, RevisionWriter};
use document::sealing::seal;
use domain::field::Placement;
use lopdf::xref::XrefType;
use lopdf::{Document, Object, Stream, dictionary};
use proptest::prelude::*;

use crate::judges;
use crate::samples::{HOUSE, References, details, file, unsigned, unsigned_document};
use crate::stamping::FONTS;

fn load(pdf: &[u8]) -> Document {
    Document::load_mem(pdf).expect("readable")
}

fn touch(pdf: &[u8]) -> Vec<u8> {
    let document = load(pdf);
    let mut writer = RevisionWriter::new(pdf, &document).expect("a revision");
    let note = writer.add(dictionary! { "Note" => Object::string_literal("new") });
    let root = writer.root();
    writer.edit_dictionary(root).expect("a catalog").set("Note", note);
    writer.finish().expect("written").bytes
}

fn last_startxref(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    let at = text.rfind("startxref").expect("startxref");
    text[at..]
        .lines()
        .nth(1)
        .and_then(|line| line.trim().parse().ok())
        .expect("an offset")
}

/// The last section of a file as text.
fn last_section(pdf: &[u8]) -> String {
    String::from_utf8_lossy(&pdf[last_startxref(pdf)..]).into_owned()
}

#[test]
fn a_table_follows_a_table_and_a_stream_a_stream() {
    let table = touch(&unsigned(References::Table));
    assert!(last_section(&table).starts_with("xref\n"));
    let stream = touch(&unsigned(References::Stream));
    assert!(last_section(&stream).contains("/XRef"));
    for pdf in [table, stream] {
        let complaints = judges::structure_complaints(&pdf);
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

#[test]
fn many_revisions_form_one_chain() {
    for references in [References::Table, References::Stream] {
        let mut pdf = unsigned(references);
        for _ in 0..5 {
            let before = last_startxref(&pdf);
            pdf = touch(&pdf);
            assert!(last_section(&pdf).contains(&format!("/Prev {before}")));
        }
        let complaints = judges::structure_complaints(&pdf);
        assert!(complaints.is_empty(), "{complaints:?}");
        assert_eq!(load(&pdf).xref_section_count, 6);
    }
}

#[test]
fn only_what_changed_is_written() {
    let pdf = unsigned(References::Table);
    let document = load(&pdf);
    let mut writer = RevisionWriter::new(&pdf, &document).expect("a revision");
    let ids: Vec<_> = document.objects.keys().copied().collect();
    for id in &ids {
        writer.edit(*id).expect("the object");
    }
    let added = writer.add(Object::Boolean(true));
    let revision = writer.finish().expect("written");
    assert_eq!(revision.written.keys().copied().collect::<Vec<_>>(), vec![added]);
}

#[test]
fn an_empty_revision_is_a_revision() {
    for references in [References::Table, References::Stream] {
        let pdf = unsigned(references);
        let document = load(&pdf);
        let revision = RevisionWriter::new(&pdf, &document)
            .and_then(RevisionWriter::finish)
            .expect("written");
        let complaints = judges::structure_complaints(&revision.bytes);
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

#[test]
fn the_trailer_holds_nothing_of_the_old_section() {
    let mut document = unsigned_document();
    for key in ["XRefStm", "W", "Index", "Filter", "DecodeParms"] {
        document.trailer.set(key, Object::Integer(1));
    }
    let pdf = unsigned(References::Table);
    document.xref_start = last_startxref(&pdf);
    let mut writer = RevisionWriter::new(&pdf, &document).expect("a revision");
    writer.add(Object::Null);
    let section = last_section(&writer.finish().expect("written").bytes);
    for key in ["/XRefStm", "/W", "/Index", "/Filter", "/DecodeParms"] {
        assert!(!section.contains(key), "{key} in {section}");
    }
}

#[test]
fn the_first_half_of_the_id_stays_and_the_second_changes() {
    let pdf = unsigned(References::Table);
    let id = |pdf: &[u8]| {
        load(pdf)
            .trailer
            .get(b"ID")
            .and_then(Object::as_array)
            .cloned()
            .expect("an ID")
    };
    let (before, after) = (id(&pdf), id(&touch(&pdf)));
    assert_eq!(before[0], after[0]);
    assert_ne!(before[1], after[1]);
}

#[test]
fn new_numbers_lie_above_size_and_every_object() {
    let pdf = unsigned(References::Table);
    let mut document = load(&pdf);
    document.trailer.set("Size", 500);
    let mut writer = RevisionWriter::new(&pdf, &document).expect("a revision");
    assert_eq!(writer.add(Object::Null), (500, 0));

    let mut document = load(&pdf);
    document.trailer.set("Size", 1);
    document.objects.insert((700, 0), Object::Null);
    let mut writer = RevisionWriter::new(&pdf, &document).expect("a revision");
    assert_eq!(writer.add(Object::Null), (701, 0));
}

/// The trap: `/Prev` from the reader can be stale; the file's own last word counts.
#[test]
fn prev_is_what_the_files_last_startxref_says() {
    let pdf = unsigned(References::Table);
    let mut document = load(&pdf);
    document.xref_start = 3;
    let mut writer = RevisionWriter::new(&pdf, &document).expect("a revision");
    writer.add(Object::Null);
    let section = last_section(&writer.finish().expect("written").bytes);
    assert!(
        section.contains(&format!("/Prev {}", last_startxref(&pdf))),
        "{section}"
    );
}

/// The trap: the reader decrypts silently, and an appended revision would be in the clear.
#[test]
fn an_encrypted_file_is_refused_even_when_it_opens_without_password() {
    let directory = tempfile::tempdir().expect("a directory");
    let (plain, locked) = (directory.path().join("plain.pdf"), directory.path().join("locked.pdf"));
    std::fs::write(&plain, unsigned(References::Table)).expect("written");
    let status = std::process::Command::new("qpdf")
        .args(["--encrypt", "", "owner", "256", "--"])
        .args([&plain, &locked])
        .status()
        .expect("qpdf runs (script/bootstrap --tests installs it)");
    assert!(status.success());
    let pdf = std::fs::read(&locked).expect("read");
    let document = load(&pdf);
    assert!(
        document.page_iter().next().is_some(),
        "the reader did not open it silently"
    );
    let error = RevisionWriter::new(&pdf, &document).map(|_| ()).expect_err("refused");
    assert!(matches!(error, RevisionError::Encrypted), "{error}");
}

#[test]
fn a_startxref_that_leads_nowhere_is_refused() {
    let pdf = unsigned(References::Table);
    let document = load(&pdf);
    let at = String::from_utf8_lossy(&pdf).rfind("startxref").expect("startxref");
    for tail in [
        "startxref\n99999999\n%%EOF",
        "startxref\n1\n%%EOF",
        "startxref\n\n%%EOF",
        "",
    ] {
        let mut broken = pdf[..at].to_vec();
        broken.extend_from_slice(tail.as_bytes());
        let error = RevisionWriter::new(&broken, &document)
            .map(|_| ())
            .expect_err("refused");
        assert!(matches!(error, RevisionError::BrokenCrossReference), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever is put in comes out of the reader again, in either kind of file.
    #[test]
    fn what_was_written_is_read_again(
        strings in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..8),
        gaps in prop::collection::vec(0_u32..4, 8),
        is_stream in any::<bool>(),
    ) {
        let references = if is_stream { References::Stream } else { References::Table };
        let mut document = unsigned_document();
        document.reference_table.cross_reference_type = XrefType::CrossReferenceTable;
        let pdf = file(document, references);
        let document = load(&pdf);
        let mut writer = RevisionWriter::new(&pdf, &document).expect("a revision");
        let mut put = Vec::new();
        for (string, gap) in strings.into_iter().zip(gaps) {
            // Numbers that are reserved and never used leave holes between the subsections.
            for _ in 0..gap {
                writer.reserve();
            }
            let object = Object::String(string, lopdf::StringFormat::Literal);
            put.push((writer.add(object.clone()), object));
        }
        let read = load(&writer.finish().expect("written").bytes);
        for (id, object) in put {
            prop_assert_eq!(read.get_object(id).and_then(Object::as_str).ok(), object.as_str().ok());
        }
        prop_assert!(read.xref_recovery.is_none());
    }
}

#[test]
fn a_file_with_a_large_picture_is_stamped_and_sealed_around_it() {
    let noise: Vec<u8> = (0..300_u32 * 300)
        .map(|place| place.wrapping_mul(2_654_435_761).to_be_bytes()[0])
        .collect();
    let mut document = unsigned_document();
    let picture = document.add_object(
        Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Image", "Width" => 300, "Height" => 300,
                "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
            },
            noise.clone(),
        )
        .with_compression(false),
    );
    let page = document.page_iter().next().expect("a page");
    document
        .get_dictionary_mut(page)
        .expect("a page")
        .set("Resources", dictionary! { "XObject" => dictionary! { "P" => picture } });
    let before = file(document, References::Table);
    let mark = Mark {
        page: 1,
        placement: Placement {
            x: 100_000,
            y: 100_000,
            width: 300_000,
            height: 50_000,
        },
        content: MarkContent::Check,
    };
    let stamped = stamp(&before, &FONTS, &[mark]).expect("stamped");
    let sealed = seal(&stamped, &HOUSE.key, &details(true)).expect("sealed");
    assert!(sealed.starts_with(&before));
    let read = load(&sealed);
    let Ok(Object::Stream(kept)) = read.get_object(picture) else {
        panic!("the picture is there");
    };
    assert!(kept.content == noise, "it is what it was");
    let complaints = judges::complaints(&sealed, &HOUSE.root.certificate_pem());
    assert!(complaints.is_empty(), "{complaints:?}");
}
