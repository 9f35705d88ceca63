//! One-page files whose boxes, rotation and unit are anything that the standard allows, and other
//! people's eyes on them.

use std::process::Command;

use domain::field::Placement;
use domain::template::PageSize;
use image::RgbImage;
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

/// How a page is laid out.
#[derive(Debug, Clone, Copy)]
pub struct PageForm {
    /// `MediaBox`.
    pub media: [i64; 4],
    /// `CropBox`, where there is one.
    pub crop: Option<[i64; 4]>,
    /// `Rotate`.
    pub rotate: i64,
    /// `UserUnit`.
    pub user_unit: f32,
}

impl PageForm {
    /// An upright page that is cropped off its media box, which begins elsewhere than at the origin.
    pub const CROPPED: Self = Self {
        media: [-50, 20, 550, 820],
        crop: Some([10, 100, 470, 900]),
        rotate: 0,
        user_unit: 1.0,
    };

    /// An ordinary page.
    pub const PLAIN: Self = Self {
        media: [0, 0, 400, 300],
        crop: None,
        rotate: 0,
        user_unit: 1.0,
    };
}

/// A file of one such page. Its content leaves the graphics state changed, is an array by reference,
/// and its resources are inherited.
pub fn page_file(form: PageForm) -> Vec<u8> {
    document_of(form, |_, _| {})
}

/// The same, changed before it is written.
pub fn document_of(form: PageForm, change: impl FnOnce(&mut Document, &mut Dictionary)) -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
    });
    // Left scaled, moved, clipped and transparent for what is drawn next; the last token ends the stream.
    let first = document.add_object(Stream::new(Dictionary::new(), b"q 0.5 0 0 0.5 33 44 cm".to_vec()));
    let second = document.add_object(Stream::new(
        Dictionary::new(),
        b"0.9 0.9 0.7 rg 0 0 300 300 re f BT /F1 20 Tf 20 400 Td (old content) Tj ET 0 0 5 5 re W n".to_vec(),
    ));
    let contents = document.add_object(Object::Array(vec![first.into(), second.into()]));
    let numbers = |numbers: [i64; 4]| Object::Array(numbers.map(Object::Integer).to_vec());
    let mut page = dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => contents };
    if (form.user_unit - 1.0).abs() > f32::EPSILON {
        page.set("UserUnit", form.user_unit);
    }
    change(&mut document, &mut page);
    let page = document.add_object(page);
    let mut node = dictionary! {
        "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()],
        "MediaBox" => numbers(form.media), "Rotate" => form.rotate,
        "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
    };
    if let Some(crop) = form.crop {
        node.set("CropBox", numbers(crop));
    }
    document.objects.insert(pages, Object::Dictionary(node));
    if !document.trailer.has(b"Root") {
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
    }
    let catalog = document
        .trailer
        .get(b"Root")
        .and_then(Object::as_reference)
        .expect("a catalog");
    document
        .get_dictionary_mut(catalog)
        .expect("a catalog")
        .set("Pages", pages);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("the file is written");
    bytes
}

/// The first page as poppler shows it.
pub fn poppler(pdf: &[u8], dots_per_inch: u32) -> RgbImage {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("file.pdf");
    std::fs::write(&file, pdf).expect("the file is written");
    let output = Command::new("pdftoppm")
        .args(["-cropbox", "-singlefile", "-png", "-r", &dots_per_inch.to_string()])
        .arg(&file)
        .output()
        .expect("pdftoppm can be run; script/bootstrap --tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    image::load_from_memory(&output.stdout).expect("a picture").into_rgb8()
}

/// The first page as we show it.
pub fn ours(pdf: &[u8], dots_per_inch: f32) -> RgbImage {
    let webp = document::pages::render::page_image(pdf, 1, dots_per_inch).expect("the page is shown");
    image::load_from_memory(&webp).expect("a picture").into_rgb8()
}

/// All text of a file, as poppler reads it, with single spaces.
pub fn text(pdf: &[u8]) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("file.pdf");
    std::fs::write(&file, pdf).expect("the file is written");
    let output = Command::new("pdftotext")
        .args(["-enc", "UTF-8"])
        .arg(&file)
        .arg("-")
        .output()
        .expect("pdftotext can be run; script/bootstrap --tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Left, top, right and bottom of the pixels near `colour`, in points of a page of `size`, or nothing.
pub fn bounds(picture: &RgbImage, size: &PageSize, colour: [u8; 3]) -> Option<[f64; 4]> {
    let near = |pixel: &image::Rgb<u8>| {
        pixel
            .0
            .iter()
            .zip(colour)
            .all(|(found, wanted)| found.abs_diff(wanted) < 60)
    };
    let mut bounds: Option<[u32; 4]> = None;
    for (x, y, _) in picture.enumerate_pixels().filter(|(_, _, pixel)| near(pixel)) {
        let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
        bounds = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
    }
    // In points of the displayed page, whatever the viewer thinks of its unit.
    let across = size.width_points / f64::from(picture.width());
    let down = size.height_points / f64::from(picture.height());
    bounds.map(|[left, top, right, bottom]| {
        [
            f64::from(left) * across,
            f64::from(top) * down,
            f64::from(right + 1) * across,
            f64::from(bottom + 1) * down,
        ]
    })
}

/// A placement from parts of the page in percent.
pub fn percent(x: u32, y: u32, width: u32, height: u32) -> Placement {
    Placement {
        x: x * 10_000,
        y: y * 10_000,
        width: width * 10_000,
        height: height * 10_000,
    }
}

/// Its picture may be less than a pixel wide.
#[test]
fn a_page_that_intake_takes_is_shown_however_narrow_it_is() {
    for media in [[0, 0, 1, 14_400], [0, 0, 14_400, 1], [0, 0, 1, 1]] {
        let pdf = page_file(PageForm {
            media,
            ..PageForm::PLAIN
        });
        let taken = document::intake::inspect(pdf, &document::intake::Limits::default()).expect("it is taken");
        for dots_per_inch in [20.0, 144.0] {
            let shown = document::pages::render::page_image(taken.pdf.clone(), 1, dots_per_inch);
            assert!(shown.is_ok(), "{media:?} at {dots_per_inch}: {shown:?}");
        }
    }
}
