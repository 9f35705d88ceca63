//! One-page files with every kind of box, rotation and unit that the standard allows, as rendered by third-party
//! programs.

use std::process::Command;

use domain::field::Placement;
use domain::template::PageSize;
use image::RgbImage;
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

/// The layout of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageForm {
    pub media: [i64; 4],
    pub crop: Option<[i64; 4]>,
    pub rotate: i64,
    pub user_unit: f32,
}

impl PageForm {
    /// An upright page cropped from a media box that does not start at the origin.
    pub const CROPPED: Self = Self {
        media: [-50, 20, 550, 820],
        crop: Some([10, 100, 470, 900]),
        rotate: 0,
        user_unit: 1.0,
    };

    pub const PLAIN: Self = Self {
        media: [0, 0, 400, 300],
        crop: None,
        rotate: 0,
        user_unit: 1.0,
    };
}

/// A file with one such page. Its content leaves the graphics state changed and is an array by reference. Its resources
/// are inherited.
pub fn page_file(form: PageForm) -> Vec<u8> {
    document_of(form, |_, _| {})
}

/// Like [`page_file`], with a change applied before writing.
pub fn document_of(form: PageForm, change: impl FnOnce(&mut Document, &mut Dictionary)) -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
    });
    // Leaves later drawing scaled, moved, clipped and transparent. The last token ends the stream.
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

/// Renders the first page with Poppler.
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

/// Renders the first page with our renderer.
pub fn ours(pdf: &[u8], dots_per_inch: f32) -> RgbImage {
    let webp = document::pages::render::page_image(pdf, 1, dots_per_inch).expect("the page is shown");
    image::load_from_memory(&webp).expect("a picture").into_rgb8()
}

/// Returns all text of a file as read by Poppler, with single spaces.
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

/// Returns left, top, right and bottom of the pixels near `colour`, in points of a page of `size`. `None` if there are
/// none.
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
    // In points of the displayed page, however the viewer interprets its unit.
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

/// Returns a placement given in percent of the page.
pub fn percent(x: u32, y: u32, width: u32, height: u32) -> Placement {
    Placement {
        x: x * 10_000,
        y: y * 10_000,
        width: width * 10_000,
        height: height * 10_000,
    }
}

/// The rendered page may be less than a pixel wide.
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
