//! Compares how Poppler and `PDFium` show each accepted file: with the upload, and with what signers see.
//!
//! Two questions are asked about each of the first pages. Pages with a difference are printed, with their images:
//!
//! - Does a program show the sealed file as it showed the upload? Only the stamped tick may be new. A program is
//!   compared with itself, so every difference counts.
//! - Do signers see the same as the program shows of the upload? Two programs never draw the same pixels, so only a
//!   block with no similar block nearby counts as a difference: a missing letter, but not a letter of another font.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use document::intake::Intake;
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent, stamp};
use document::pages::render::each_page;
use domain::field::Placement;
use image::{Rgb, RgbImage};

use crate::{Run, Work, kind, pdf_files};

const PAGES: u32 = 5;
const DOTS_PER_INCH: f64 = 150.0;
const POINTS_PER_INCH: f64 = 72.0;
/// Maximum length of an image's side, in pixels.
const LONGEST_SIDE: f64 = 2500.0;
/// Side of the compared blocks, in pixels.
const BLOCK: u32 = 4;
/// Maximum difference of a block's colour: a tenth of full scale.
const NEAR: u32 = 25;
/// Maximum distance, in blocks, of a similar block when two programs are compared. Also the maximum number of differing
/// blocks that cannot be a letter.
const DISTANCE: u32 = 3;
const SPECKS: usize = 6;
/// Position of the stamped tick, in the lower right corner.
const TICK: Placement = Placement {
    x: 950_000,
    y: 960_000,
    width: 40_000,
    height: 30_000,
};

/// A program that shows PDF files.
#[derive(Debug, Clone, Copy)]
enum Viewer {
    Poppler,
    Pdfium,
}

/// Compares every file of a folder.
pub fn look(run: &Run, directory: &Path, pictures: &Path) -> Result<(), String> {
    println!("| file | page | question | blocks that differ | what intake said |\n|---|---|---|---|---|");
    let (mut files, mut taken, mut pages, mut different) = (0, 0, 0, 0);
    for file in pdf_files(directory)? {
        files += 1;
        let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
        let name = file.strip_prefix(directory).unwrap_or(&file).display().to_string();
        let intake = match run.pool.inspect(&bytes) {
            Ok(intake) => intake,
            Err(countersign_document_worker::PoolError::Refused(reason)) => {
                println!("| {name} | | refused: {} | | |", kind(&reason));
                continue;
            }
            Err(other) => return Err(other.to_string()),
        };
        taken += 1;
        let said = said(&intake);
        match differences(&run.work, &file, &intake) {
            Ok(looked) => {
                pages += looked.pages;
                for found in looked.found {
                    different += 1;
                    println!(
                        "| {name} | {} | {} | {} | {said} |",
                        found.page, found.question, found.blocks
                    );
                    let name = name.replace('/', "-");
                    let picture = pictures.join(format!(
                        "{name}-{}-{}.png",
                        found.page,
                        found.question.replace(' ', "-")
                    ));
                    found
                        .picture
                        .save(&picture)
                        .map_err(|error| format!("{}: {error}", picture.display()))?;
                }
            }
            Err(reason) => println!("| {name} | | FAILED: {reason} | | {said} |"),
        }
    }
    println!("\n{files} files, {taken} taken; {pages} pages looked at; {different} answers that differ");
    Ok(())
}

fn said(intake: &Intake) -> String {
    let mut said = String::new();
    for change in &intake.changes {
        let _ = write!(said, "{change}; ");
    }
    for warning in &intake.warnings {
        let _ = write!(said, "{warning}; ");
    }
    said.replace(['\n', '|'], " ")
}

struct Looked {
    pages: usize,
    found: Vec<Found>,
}

struct Found {
    page: usize,
    question: String,
    blocks: usize,
    /// Both images, and the differences between them.
    picture: RgbImage,
}

fn differences(work: &Work, upload: &Path, intake: &Intake) -> Result<Looked, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sealed = folder.path().join("sealed.pdf");
    std::fs::write(&sealed, ticked(work, intake)?).map_err(|error| error.to_string())?;
    let longest = intake
        .pages
        .iter()
        .map(|page| page.width_points.max(page.height_points));
    let longest = longest.take(PAGES as usize).fold(1.0, f64::max);
    let resolution = DOTS_PER_INCH.min(LONGEST_SIDE * POINTS_PER_INCH / longest);
    let mine = ours(intake, resolution)?;
    let mut found = Vec::new();
    for viewer in [Viewer::Poppler, Viewer::Pdfium] {
        let after = viewer.pictures(&sealed, resolution)?;
        if after.len() != mine.len() {
            return Err(format!(
                "{viewer:?} shows {} of {} pages of the sealed file",
                after.len(),
                mine.len()
            ));
        }
        let before = viewer.pictures(upload, resolution).unwrap_or_default();
        if before.len() != mine.len() {
            println!(
                "| {} | | {viewer:?} shows {} of {} pages of the upload | | |",
                upload.display(),
                before.len(),
                mine.len()
            );
        }
        for (place, (before, after)) in before.iter().zip(&after).enumerate() {
            let (one, other) = (Blocks::of(before), Blocks::of(after));
            let questions = [
                ("sealed", after, one.differ_from(&other)),
                ("seen", &mine[place], one.differ_in_words(&Blocks::of(&mine[place]))),
            ];
            for (name, picture, marks) in questions {
                let blocks = marks.count();
                if blocks > 0 {
                    found.push(Found {
                        page: place + 1,
                        question: format!("{name} {viewer:?}"),
                        blocks,
                        picture: marks.beside(before, picture),
                    });
                }
            }
        }
    }
    Ok(Looked {
        pages: mine.len(),
        found,
    })
}

/// Stamps a tick on each of the first pages of the file, and seals it.
fn ticked(work: &Work, intake: &Intake) -> Result<Vec<u8>, String> {
    let stamp = if intake.is_signed() { extend::stamp } else { stamp };
    let marks: Vec<Mark> = (1..=PAGES)
        .take(intake.pages.len())
        .map(|page| Mark {
            page,
            placement: TICK,
            content: MarkContent::Check,
        })
        .collect();
    let stamped = stamp(intake.pdf.as_slice(), &work.fonts, &marks).map_err(|error| format!("stamp: {error}"))?;
    work.sealed(intake, stamped)
}

/// Renders the first pages as signers see them.
fn ours(intake: &Intake, resolution: f64) -> Result<Vec<RgbImage>, String> {
    let pages: Vec<u32> = (1..=PAGES).take(intake.pages.len()).collect();
    #[expect(clippy::cast_possible_truncation, reason = "at most 150")]
    let pictures = each_page(intake.pdf.as_slice(), &pages, resolution as f32, |_, picture| {
        Ok(picture)
    });
    let pictures = pictures.map_err(|error| error.to_string())?;
    pictures
        .into_iter()
        .map(|picture| {
            let rgb = picture
                .rgba
                .chunks_exact(4)
                .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
            RgbImage::from_raw(picture.width, picture.height, rgb.collect()).ok_or_else(|| "no picture".to_owned())
        })
        .collect()
}

impl Viewer {
    /// Renders the first pages with this program.
    fn pictures(self, file: &Path, resolution: f64) -> Result<Vec<RgbImage>, String> {
        let resolution = format!("{resolution:.3}");
        let pages = PAGES.to_string();
        let mut command = Command::new("timeout");
        command.arg("60");
        match self {
            Self::Poppler => {
                command
                    .args(["pdftoppm", "-cropbox", "-f", "1", "-l", &pages, "-r", &resolution])
                    .arg(file);
            }
            Self::Pdfium => {
                let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
                command
                    .arg(repository.join(".tools/venv/bin/python"))
                    .arg(repository.join("script/picture_pdfium.py"))
                    .arg(file)
                    .args([&resolution, &pages]);
            }
        }
        let output = command
            .output()
            .map_err(|error| format!("{self:?} cannot be run: {error}"))?;
        pixmaps(&output.stdout).ok_or_else(|| format!("{self:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// Reads the images from concatenated PPM files.
fn pixmaps(mut bytes: &[u8]) -> Option<Vec<RgbImage>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let mut numbers = [0_u32; 3];
        let mut rest = bytes.strip_prefix(b"P6")?;
        for number in &mut numbers {
            let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            let length = rest.get(start..)?.iter().position(u8::is_ascii_whitespace)?;
            *number = std::str::from_utf8(rest.get(start..start + length)?)
                .ok()?
                .parse()
                .ok()?;
            rest = rest.get(start + length..)?;
        }
        let [width, height, _] = numbers;
        let length = usize::try_from(u64::from(width) * u64::from(height) * 3).ok()?;
        // One byte of white space ends the header.
        let pixels = rest.get(1..=length)?;
        found.push(RgbImage::from_raw(width, height, pixels.to_vec())?);
        bytes = rest.get(1 + length..)?;
    }
    Some(found)
}

/// The mean colour of each block of an image.
struct Blocks {
    columns: u32,
    rows: u32,
    means: Vec<[u32; 3]>,
}

impl Blocks {
    fn of(picture: &RgbImage) -> Self {
        let (columns, rows) = (picture.width().div_ceil(BLOCK), picture.height().div_ceil(BLOCK));
        let mut sums = vec![[0_u32; 4]; (columns * rows) as usize];
        let line = picture.width() as usize * 3;
        for (pixels, y) in picture.as_raw().chunks_exact(line.max(1)).zip(0_u32..) {
            let first = (y / BLOCK * columns) as usize;
            let blocks = sums.iter_mut().skip(first);
            for (pixels, sum) in pixels.chunks(BLOCK as usize * 3).zip(blocks) {
                for pixel in pixels.chunks_exact(3) {
                    for (sum, value) in sum.iter_mut().zip(pixel) {
                        *sum += u32::from(*value);
                    }
                    sum[3] += 1;
                }
            }
        }
        let mean = |[red, green, blue, count]: [u32; 4]| [red, green, blue].map(|sum| sum / count.max(1));
        Self {
            columns,
            rows,
            means: sums.into_iter().map(mean).collect(),
        }
    }

    fn at(&self, column: u32, row: u32) -> Option<[u32; 3]> {
        let is_inside = column < self.columns && row < self.rows;
        let place = (row * self.columns + column) as usize;
        is_inside.then(|| self.means.get(place).copied()).flatten()
    }

    /// Returns whether the tick may cover the block.
    fn is_ticked(&self, column: u32, row: u32) -> bool {
        let within = |block: u32, all: u32, from: u32, length: u32| {
            let block = u64::from(block) * u64::from(Placement::WHOLE);
            let all = u64::from(all);
            block + 2 * u64::from(Placement::WHOLE) >= u64::from(from) * all
                && block <= u64::from(from + length) * all + 2 * u64::from(Placement::WHOLE)
        };
        within(column, self.columns, TICK.x, TICK.width) && within(row, self.rows, TICK.y, TICK.height)
    }

    /// Returns the blocks that differ by more than a tenth of full scale between two images by the same program.
    fn differ_from(&self, other: &Self) -> Marks {
        self.marks(other, |column, row| {
            let (one, other) = (self.at(column, row), other.at(column, row));
            !self.is_ticked(column, row) && one.zip(other).is_none_or(|(one, other)| !near(one, other))
        })
    }

    /// Returns the blocks without a similar block nearby in the other program's image.
    fn differ_in_words(&self, other: &Self) -> Marks {
        // Programs round the size of a page differently.
        let (columns, rows) = (self.columns.min(other.columns), self.rows.min(other.rows));
        let marks = self.marks(other, |column, row| {
            let is_rim = column + 1 >= columns || row + 1 >= rows;
            let (Some(one), Some(two)) = (self.at(column, row), other.at(column, row)) else {
                return !is_rim;
            };
            !(is_rim || near(one, two) || other.has_near(one, column, row) && self.has_near(two, column, row))
        });
        marks.without_specks()
    }

    fn has_near(&self, block: [u32; 3], column: u32, row: u32) -> bool {
        let (mut least, mut most) = ([u32::MAX; 3], [0; 3]);
        for row in row.saturating_sub(DISTANCE)..=row + DISTANCE {
            for column in column.saturating_sub(DISTANCE)..=column + DISTANCE {
                for (channel, value) in self.at(column, row).into_iter().flatten().enumerate() {
                    least[channel] = value.min(least[channel]);
                    most[channel] = value.max(most[channel]);
                }
            }
        }
        let is_between = |channel: usize| {
            let value = block[channel];
            value + 2 * NEAR >= least[channel] && value <= most[channel].saturating_add(2 * NEAR)
        };
        (0..3).all(is_between)
    }

    fn marks(&self, other: &Self, differs: impl Fn(u32, u32) -> bool) -> Marks {
        let (columns, rows) = (self.columns.max(other.columns), self.rows.max(other.rows));
        let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Marks {
            columns,
            rows,
            is_marked: all.map(|(column, row)| differs(column, row)).collect(),
        }
    }
}

fn near(one: [u32; 3], other: [u32; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= NEAR)
}

/// The blocks that differ.
struct Marks {
    columns: u32,
    rows: u32,
    is_marked: Vec<bool>,
}

impl Marks {
    fn count(&self) -> usize {
        self.is_marked.iter().filter(|is_marked| **is_marked).count()
    }

    /// Removes all differences if there are too few for a letter.
    fn without_specks(mut self) -> Self {
        if self.count() <= SPECKS {
            self.is_marked.fill(false);
        }
        self
    }

    /// Puts both images and their differences side by side.
    fn beside(&self, one: &RgbImage, other: &RgbImage) -> RgbImage {
        let (width, height) = (one.width().max(other.width()), one.height().max(other.height()));
        let mut all = RgbImage::from_pixel(width * 3, height, Rgb([128; 3]));
        for (picture, left) in [(one, 0), (other, width)] {
            image::imageops::replace(&mut all, picture, i64::from(left), 0);
        }
        for row in 0..self.rows {
            for column in 0..self.columns {
                let is_marked = self.is_marked.get((row * self.columns + column) as usize) == Some(&true);
                let colour = if is_marked { [255, 0, 0] } else { [255; 3] };
                for y in (row * BLOCK..(row + 1) * BLOCK).take_while(|y| *y < height) {
                    for x in (column * BLOCK..(column + 1) * BLOCK).take_while(|x| *x < width) {
                        all.put_pixel(2 * width + x, y, Rgb(colour));
                    }
                }
            }
        }
        all
    }
}
