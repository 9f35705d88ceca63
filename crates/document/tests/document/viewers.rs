//! Renders pages with third-party programs: Poppler and `PDFium`. A missing program fails the test, so the tests cannot
//! pass without it.

use std::path::Path;
use std::process::Command;

use document::pages::render::each_page;
use image::RgbImage;

use crate::pages;

const DOTS_PER_INCH: u32 = 72;
/// A larger difference in a channel is a different colour. A smaller one is the edge of a letter.
const OTHER_COLOUR: u8 = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    Ours,
    Poppler,
    Pdfium,
}

impl Viewer {
    /// Renders the first page with this program.
    pub fn show(self, pdf: &[u8]) -> RgbImage {
        match self {
            Self::Ours => ours(pdf),
            Self::Poppler => pages::poppler(pdf, DOTS_PER_INCH),
            Self::Pdfium => pdfium(pdf),
        }
    }
}

fn ours(pdf: &[u8]) -> RgbImage {
    let pictures = each_page(pdf.to_vec(), &[1], 72.0, |_, picture| Ok(picture)).expect("the page is rendered");
    let picture = &pictures[0];
    let rgb = picture
        .rgba
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
    RgbImage::from_raw(picture.width, picture.height, rgb.collect()).expect("as many pixels as it says")
}

fn pdfium(pdf: &[u8]) -> RgbImage {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("page.pdf");
    std::fs::write(&file, pdf).expect("the file is written");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(repository.join(".tools/venv/bin/python"))
        .arg(repository.join("script/picture_pdfium.py"))
        .args([file.as_path(), Path::new(&DOTS_PER_INCH.to_string())])
        .output()
        .expect("Python can be run; script/bootstrap --tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // A line with the size, then the pixels.
    let end = output.stdout.iter().position(|byte| *byte == b'\n').expect("a size") + 1;
    let (header, pixels) = output.stdout.split_at(end);
    let header = String::from_utf8_lossy(header);
    let sizes: Vec<u32> = header.split(' ').filter_map(|word| word.trim().parse().ok()).collect();
    RgbImage::from_raw(sizes[0], sizes[1], pixels.to_vec()).expect("as many pixels as it says")
}

/// The pixels that differ between two pictures of a page.
pub struct Marks {
    width: u32,
    height: u32,
    is_marked: Vec<bool>,
}

impl Marks {
    /// Finds the pixels of one page that are missing on the other.
    pub fn between(page: &RgbImage, other: &RgbImage) -> Self {
        assert_eq!(page.dimensions(), other.dimensions());
        let differ = |(one, other): (&image::Rgb<u8>, &image::Rgb<u8>)| {
            let channels = one.0.iter().zip(other.0);
            channels
                .into_iter()
                .any(|(one, other)| one.abs_diff(other) > OTHER_COLOUR)
        };
        Self {
            width: page.width(),
            height: page.height(),
            is_marked: page.pixels().zip(other.pixels()).map(differ).collect(),
        }
    }

    pub fn count(&self) -> usize {
        self.is_marked.iter().filter(|is_marked| **is_marked).count()
    }

    /// Returns the share of these marks that are within `distance` pixels of the other marks.
    pub fn near(&self, others: &Self, distance: u32) -> f64 {
        let at = |x: u32, y: u32| others.is_marked[(y * others.width + x) as usize];
        let mut near = 0_u32;
        let mut all = 0_u32;
        for y in 0..self.height {
            for x in 0..self.width {
                if !self.is_marked[(y * self.width + x) as usize] {
                    continue;
                }
                all += 1;
                let rows = y.saturating_sub(distance)..=(y + distance).min(self.height - 1);
                let is_near = rows.into_iter().any(|row| {
                    let mut columns = x.saturating_sub(distance)..=(x + distance).min(self.width - 1);
                    columns.any(|column| at(column, row))
                });
                near += u32::from(is_near);
            }
        }
        f64::from(near) / f64::from(all.max(1))
    }
}
