//! Checks appended sections with other programs.

use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pdf::append::{AppendError, Appended, append};
use document::pdf::edit::Edits;
use document::pdf::{Dict, File, Object, Objects as _, Str};
use document::sealing::seal;
use domain::field::Placement;
use lopdf::{Document, Stream, dictionary};

use crate::judges;
use crate::samples::{HOUSE, References, details, file, unsigned, unsigned_document};
use crate::stamping::FONTS;

fn load(pdf: &[u8]) -> Document {
    Document::load_mem(pdf).expect("readable")
}

/// Appends a section with the edits made by `change`.
fn appended(pdf: &[u8], change: impl FnOnce(&mut Edits<'_>)) -> Appended {
    let file = File::open(pdf, None).expect("sound");
    let mut edits = Edits::new(file.latest());
    change(&mut edits);
    append(edits).expect("written")
}

fn touch(pdf: &[u8]) -> Vec<u8> {
    let change = |edits: &mut Edits<'_>| {
        let mut note = Dict::new();
        note.set(b"Note", Str::literal(b"new"));
        let note = edits.add(note);
        let root = edits.root().expect("a catalog");
        let catalog = edits.edit_dict(root).expect("readable").expect("a dictionary");
        catalog.set(b"Note", note);
    };
    appended(pdf, change).bytes
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

/// Returns the last section of a file as text.
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
    let file = File::open(pdf.as_slice(), None).expect("sound");
    let mut edits = Edits::new(file.latest());
    for (id, _) in file.latest().objects() {
        edits.edit(id).expect("the object");
    }
    let added = edits.add(Object::Bool(true));
    let appended = append(edits).expect("written");
    assert_eq!(appended.written.keys().copied().collect::<Vec<_>>(), vec![added]);
}

#[test]
fn an_empty_revision_is_a_revision() {
    for references in [References::Table, References::Stream] {
        let pdf = unsigned(references);
        let complaints = judges::structure_complaints(&appended(&pdf, |_| {}).bytes);
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// The appended section would not be encrypted.
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
    let file = File::open(pdf, None).expect("it opens without password");
    let error = append(Edits::new(file.latest())).expect_err("refused");
    assert!(matches!(error, AppendError::Encrypted), "{error}");
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
    let Ok(lopdf::Object::Stream(kept)) = read.get_object(picture) else {
        panic!("the picture is there");
    };
    assert!(kept.content == noise, "it is what it was");
    let complaints = judges::complaints(&sealed, &HOUSE.root.certificate_pem());
    assert!(complaints.is_empty(), "{complaints:?}");
}
