//! Files whose end is missing are refused, or accepted with everything they show.

use std::process::Command;

use document::intake::{Change, Intake, Refused};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use crate::samples::{self, References};

/// Number of places at which each file is cut.
const CUTS: usize = 40;
const PAGES: i64 = 3;

/// Pages with a font, a picture, and a form that draws with its own resources. The first page has an annotation with
/// its appearance. The objects that lead to the pages come first, so the pages are found even if nearly everything else
/// is cut off. Resources are inherited.
fn document() -> Document {
    let mut document = Document::with_version("1.7");
    let catalog = document.new_object_id();
    let tree = document.new_object_id();
    let pages: Vec<ObjectId> = (0..PAGES).map(|_| document.new_object_id()).collect();
    let font = |document: &mut Document, name: &str| {
        document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => name })
    };
    let contents: Vec<ObjectId> = (1..)
        .take(pages.len())
        .map(|page| {
            let content = format!(
                "q 90 0 0 90 200 150 cm /Picture Do Q /Form Do BT /F1 20 Tf 20 250 Td (page {page} of {PAGES}) Tj ET \
                 0.8 0.2 0.2 rg {} 20 40 40 re f",
                page * 60
            );
            let mut stream = Stream::new(Dictionary::new(), content.into_bytes());
            stream.compress().expect("compressed");
            document.add_object(stream)
        })
        .collect();
    let pixels: Vec<u8> = (0..24_u32 * 24 * 3)
        .map(|index| u8::try_from(index.wrapping_mul(2_654_435_761) >> 24).expect("a byte"))
        .collect();
    let picture = document.add_object(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => 24, "Height" => 24, "BitsPerComponent" => 8,
            "ColorSpace" => "DeviceRGB",
        },
        pixels,
    ));
    let own = font(&mut document, "Courier");
    let form_dictionary = |resources: Dictionary| {
        dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 400.into(), 300.into()],
            "Resources" => resources,
        }
    };
    let resources = dictionary! { "Font" => dictionary! { "A" => own } };
    let form = document.add_object(Stream::new(
        form_dictionary(resources.clone()),
        b"BT /A 14 Tf 20 120 Td (drawn by a form) Tj ET".to_vec(),
    ));
    let appearance = document.add_object(Stream::new(
        form_dictionary(resources),
        b"0 0 1 rg 0 0 30 30 re f BT /A 9 Tf 2 2 Td (seen) Tj ET".to_vec(),
    ));
    let annotation = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Stamp", "F" => 4,
        "Rect" => vec![340.into(), 20.into(), 390.into(), 60.into()], "AP" => dictionary! { "N" => appearance },
    });
    let inherited = font(&mut document, "Helvetica");
    for (page, contents) in pages.iter().zip(contents) {
        let mut dictionary = dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => contents };
        if Some(page) == pages.first() {
            dictionary.set("Annots", vec![annotation.into()]);
        }
        document.objects.insert(*page, Object::Dictionary(dictionary));
    }
    let tree_node = dictionary! {
        "Type" => "Pages", "Count" => PAGES, "Kids" => pages.iter().map(|page| (*page).into()).collect::<Vec<Object>>(),
        "MediaBox" => vec![0.into(), 0.into(), 400.into(), 300.into()],
        "Resources" => dictionary! {
            "Font" => dictionary! { "F1" => inherited },
            "XObject" => dictionary! { "Picture" => picture, "Form" => form },
        },
    };
    document.objects.insert(tree, Object::Dictionary(tree_node));
    let root = dictionary! { "Type" => "Catalog", "Pages" => tree };
    document.objects.insert(catalog, Object::Dictionary(root));
    document.trailer.set("Root", catalog);
    document
}

/// Returns the file as rewritten by qpdf.
fn by_qpdf(pdf: &[u8], arguments: &[&str]) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (from, to) = (directory.path().join("from.pdf"), directory.path().join("to.pdf"));
    std::fs::write(&from, pdf).expect("written");
    let status = Command::new("qpdf")
        .args(arguments)
        .args([&from, &to])
        .status()
        .expect("qpdf can be run; script/bootstrap --tests installs it");
    assert!(status.success());
    std::fs::read(&to).expect("what qpdf wrote")
}

/// Returns the file with its first page overdrawn in a second revision.
fn in_two_revisions(pdf: &[u8]) -> Vec<u8> {
    let mut appended =
        lopdf::IncrementalDocument::create_from(pdf.to_vec(), Document::load_mem(pdf).expect("readable"));
    let first = appended.get_prev_documents().page_iter().next().expect("a page");
    let mut page = appended
        .get_prev_documents()
        .get_dictionary(first)
        .expect("a page")
        .clone();
    let over = Stream::new(Dictionary::new(), b"0 0.5 0 rg 100 100 200 100 re f".to_vec());
    let over = appended.new_document.add_object(over);
    let before = page.get(b"Contents").expect("content").clone();
    page.set("Contents", vec![before, over.into()]);
    appended.new_document.objects.insert(first, Object::Dictionary(page));
    let mut bytes = Vec::new();
    appended.save_to(&mut bytes).expect("written");
    bytes
}

/// Whether the first `cut` bytes of a file contain the complete earlier file and no further object.
fn is_first_revision(earlier: &[u8], pdf: &[u8], cut: usize) -> bool {
    let between = pdf.get(cut.min(earlier.len())..cut.max(earlier.len()));
    pdf.starts_with(earlier) && between.is_some_and(|bytes| !bytes.windows(3).any(|window| window == b"obj"))
}

fn take(pdf: &[u8]) -> Result<Intake, Refused> {
    samples::take_rebuilt(pdf)
}

fn pictures(taken: &Intake) -> Vec<Vec<u8>> {
    let pages = u32::try_from(taken.pages.len()).expect("few");
    (1..=pages)
        .map(|page| document::pages::render::page_image(taken.pdf.clone(), page, 50.0).expect("shown"))
        .collect()
}

/// Returns the last position of a word.
fn last(pdf: &[u8], word: &[u8]) -> Option<usize> {
    pdf.windows(word.len()).rposition(|window| window == word)
}

#[test]
fn a_file_that_is_cut_off_is_refused_or_shows_everything() {
    let plain = samples::file(document(), References::Table);
    let files = [
        ("as it is", plain.clone()),
        ("in object streams", samples::file(document(), References::Stream)),
        ("linearized", by_qpdf(&plain, &["--linearize"])),
        ("encrypted", by_qpdf(&plain, &["--encrypt", "", "owner", "256", "--"])),
        ("in two revisions", in_two_revisions(&plain)),
    ];
    let first = pictures(&take(&plain).expect("taken"));
    let (mut refused, mut taken_whole) = (0, 0);
    for (name, pdf) in files {
        let whole = take(&pdf).unwrap_or_else(|refused| panic!("{name}: {refused}"));
        assert!(
            !whole.changes.contains(&Change::Repaired),
            "{name}: {:?}",
            whole.changes
        );
        let whole = pictures(&whole);
        assert_eq!(whole.len(), usize::try_from(PAGES).expect("few"));
        for cut in (1..=CUTS)
            .map(|place| pdf.len() * place / (CUTS + 1))
            .chain([pdf.len() - 3])
        {
            let pdf_cut = pdf.get(..cut).expect("within the file");
            match take(pdf_cut) {
                // `PageWouldChange` occurs because the renderer may find a different one of the two revisions than we
                // do.
                Err(Refused::Incomplete | Refused::PageWouldChange { .. }) => refused += 1,
                // Either too little is left to recognise a PDF, or the cut is after the first of two end markers.
                Err(Refused::NotPdf) if last(pdf_cut, b" obj") <= last(pdf_cut, b"%%EOF") => refused += 1,
                Err(other) => panic!("{name}, {cut} of {} bytes: {other}", pdf.len()),
                // Nothing is left of the second revision, so the first is a complete file.
                Ok(taken) if is_first_revision(&plain, &pdf, cut) => {
                    assert!(pictures(&taken) == first, "{name}, {cut}");
                }
                Ok(taken) => {
                    assert!(
                        pictures(&taken) == whole,
                        "{name}, {cut} of {} bytes: shows something else",
                        pdf.len()
                    );
                    taken_whole += 1;
                }
            }
        }
    }
    assert!(refused > 150, "{refused} are refused");
    assert!(taken_whole >= 2, "{taken_whole} are taken");
}

/// Removes each part that a page needs from a file that also has to be repaired for another reason.
#[test]
fn a_repaired_file_lacks_nothing_that_shows() {
    let without_end = |document: Document| {
        let pdf = samples::file(document, References::Table);
        let end = pdf
            .windows(9)
            .rposition(|window| window == b"startxref")
            .expect("an end");
        pdf.get(..end).expect("within the file").to_vec()
    };
    let complete = take(&without_end(document())).expect("nothing is missing");
    assert_eq!(complete.changes, [Change::Repaired]);
    let catalog = document()
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a catalog");
    let parts: Vec<ObjectId> = document().objects.keys().copied().filter(|id| *id != catalog).collect();
    assert!(parts.len() > 10);
    for part in parts {
        let mut document = document();
        document.objects.remove(&part);
        assert_eq!(
            take(&without_end(document)).err(),
            Some(Refused::Incomplete),
            "{part:?}"
        );
    }
    // Objects that are not shown may be missing. If nothing had to be repaired, a reference to a missing object is null
    // (7.3.10).
    let nowhere = Object::Reference((900, 0));
    let mut unseen = document();
    let root = unseen.get_dictionary_mut(catalog).expect("a catalog");
    root.set("Metadata", nowhere.clone());
    root.set("Outlines", nowhere.clone());
    assert_eq!(take(&without_end(unseen)).err(), None);
    let mut null = document();
    let tree = null.get_dictionary_mut((2, 0)).expect("the pages");
    tree.set("Group", nowhere);
    assert_eq!(take(&samples::file(null.clone(), References::Table)).err(), None);
    assert_eq!(take(&without_end(null)).err(), Some(Refused::Incomplete));
}
