//! Compares every page of the written file with the same page of the upload.
//!
//! First it compares the drawing steps (`recording`): the same glyphs, shapes and images in the same order, each within
//! a tenth of a point. This paints nothing, so it is quick and ignores rounding. If the steps differ, or are too many,
//! the rendered images of both pages are compared (`pictures`).

mod image;
mod pictures;
mod recording;

use domain::template::PageSize;

use self::recording::Recorder;
use super::{Limits, Refused};
use crate::pages::render::{Opened, RenderFault, Rendering, user_unit};
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Objects, Rule};

/// Resolution for comparing page sizes.
const SIZE_DOTS_PER_INCH: f32 = 50.0;
/// At this resolution, the tail of a comma in 6-point text is more than one pixel.
const DOTS_PER_INCH: f32 = 200.0;
const POINTS_PER_INCH: f64 = 72.0;
/// An image with few pixels proves little, so small pages are enlarged.
const LEAST_PIXELS: f64 = 100.0;

/// Result of comparing a page with its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// Both pages draw the same steps.
    DrawnAlike,
    /// The steps differ or are too many to compare, but the pages look the same.
    LooksAlike,
    /// The pages look different.
    Differs,
}

/// Two files to compare page by page.
struct Pair<'a> {
    before: &'a Opened,
    after: &'a Opened,
    recorders: (Recorder<'a>, Recorder<'a>),
    rendering: (Rendering<'a>, Rendering<'a>),
}

impl<'a> Pair<'a> {
    fn new(before: &'a Opened, after: &'a Opened) -> Self {
        let rendering = (Rendering::exact(), Rendering::exact());
        let recorder = |rendering: &Rendering<'_>| Recorder::new(rendering.settings.clone());
        Self {
            before,
            after,
            recorders: (recorder(&rendering.0), recorder(&rendering.1)),
            rendering,
        }
    }

    fn likeness(&mut self, page: u32) -> Result<Likeness, RenderFault> {
        let drawn = self.recorders.0.record(self.before.page(page)?);
        let is_drawn_alike = drawn.is_like(&self.recorders.1.record(self.after.page(page)?));
        drop(drawn);
        if is_drawn_alike {
            return Ok(Likeness::DrawnAlike);
        }
        let shown = self.before.page(page)?;
        let (width, height) = shown.render_dimensions();
        let resolution = resolution(DOTS_PER_INCH, f64::from(width.min(height) * user_unit(shown)));
        let before = self.before.picture(&self.rendering.0, page, resolution)?;
        let after = self.after.picture(&self.rendering.1, page, resolution)?;
        Ok(if pictures::differ(&before, &after) {
            Likeness::Differs
        } else {
            Likeness::LooksAlike
        })
    }
}

/// Compares each page of a file with that of another. `password` opens the first file.
pub fn compare(
    before: impl Into<SharedBytes>,
    password: &str,
    after: impl Into<SharedBytes>,
) -> Result<Vec<Likeness>, RenderFault> {
    let (before, after) = (Opened::with_password(before, password)?, Opened::new(after)?);
    let pages = u32::try_from(before.page_count().max(after.page_count())).unwrap_or(u32::MAX);
    let mut pair = Pair::new(&before, &after);
    (1..=pages).map(|page| pair.likeness(page)).collect()
}

/// Refuses unless both files have the pages `sizes` and each page looks the same. Returns the number of pages with
/// different steps. `password` opens the file before the change.
pub(super) fn same_pages(
    before: impl Into<SharedBytes>,
    password: Option<&str>,
    after: impl Into<SharedBytes>,
    sizes: &[PageSize],
) -> Result<u32, Refused> {
    let before = Opened::with_password(before, password.unwrap_or_default()).map_err(|fault| match fault {
        RenderFault::NeedsPassword => Refused::NeedsPassword,
        _ => Refused::NotPdf,
    })?;
    let after = Opened::new(after).map_err(|_| Refused::PageWouldChange { page: 1 })?;
    if before.page_count() != sizes.len() || after.page_count() != sizes.len() {
        let first_difference = before
            .page_count()
            .min(after.page_count())
            .min(sizes.len())
            .saturating_add(1);
        return Err(Refused::PageWouldChange {
            page: u32::try_from(first_difference).unwrap_or(u32::MAX),
        });
    }
    let mut redrawn = 0_u32;
    let mut pair = Pair::new(&before, &after);
    for (size, page) in sizes.iter().zip(1_u32..) {
        if !shows_size(&after, page, size) {
            return Err(Refused::PageWouldChange { page });
        }
        match pair.likeness(page) {
            Ok(Likeness::DrawnAlike) => {}
            Ok(Likeness::LooksAlike) => redrawn = redrawn.saturating_add(1),
            Ok(Likeness::Differs) | Err(_) => return Err(Refused::PageWouldChange { page }),
        }
    }
    Ok(redrawn)
}

/// Refuses unless the renderer sees the pages of a signed file, which stays unchanged, in the sizes `sizes`, and reads
/// the same content as we do. Draws no page.
pub(super) fn has_content(
    pdf: SharedBytes,
    sizes: &[PageSize],
    file: &impl Objects,
    limits: &Limits,
) -> Result<(), Refused> {
    let opened = Opened::new(pdf).map_err(|_| Refused::NotPdf)?;
    if opened.page_count() != sizes.len() {
        return Err(Refused::NotPdf);
    }
    let most = usize::try_from(limits.largest_stream).unwrap_or(usize::MAX);
    for ((size, id), page) in sizes.iter().zip(file.pages()?).zip(1_u32..) {
        if !shows_size(&opened, page, size) {
            return Err(Refused::PageWouldChange { page });
        }
        let content = file.content(id, most).map_err(|defect| match defect.rule {
            Rule::TooLarge => Refused::TooDemanding,
            _ => Refused::ContentLost { page },
        })?;
        let shown = opened.page(page).ok().and_then(|page| page.page_stream());
        if shown.unwrap_or_default() != content {
            return Err(Refused::SignedAndReadDifferently { page });
        }
    }
    Ok(())
}

fn shows_size(file: &Opened, page: u32, size: &PageSize) -> bool {
    let resolution = resolution(SIZE_DOTS_PER_INCH, size.width_points.min(size.height_points));
    let shown = file.picture_size(page, resolution);
    shown.is_ok_and(|shown| has_size(shown, size, resolution))
}

#[expect(clippy::cast_possible_truncation, reason = "a resolution of at most some hundred")]
fn resolution(wanted: f32, shorter_side: f64) -> f32 {
    wanted.max((LEAST_PIXELS * POINTS_PER_INCH / shorter_side) as f32)
}

/// The renderer must compute the same page size as [`crate::pdf::geometry`], or marks would be displaced.
fn has_size((columns, rows): (u16, u16), size: &PageSize, resolution: f32) -> bool {
    // The renderer reduces very large pages, so only the proportion counts.
    let scale = f64::from(resolution) / POINTS_PER_INCH;
    let longer = size.width_points.max(size.height_points) * scale;
    let scale = scale * (f64::from(crate::pages::render::LONGEST_SIDE) / longer).min(1.0);
    let close = |pixels: u16, points: f64| (f64::from(pixels) - points * scale).abs() <= 1.0;
    close(columns, size.width_points) && close(rows, size.height_points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::File;

    /// Builds a file with one page per content.
    fn file(contents: &[&str]) -> Vec<u8> {
        let count = contents.len();
        let kids: Vec<String> = (0..count).map(|page| format!("{} 0 R", 3 + 2 * page)).collect();
        let kids = kids.join(" ");
        let mut bytes = b"%PDF-1.7\n".to_vec();
        let mut offsets = Vec::new();
        let mut object = |body: String| {
            offsets.push(bytes.len());
            bytes.extend(format!("{} 0 obj\n{body}\nendobj\n", offsets.len()).bytes());
        };
        object("<</Type/Catalog/Pages 2 0 R>>".to_owned());
        object(format!(
            "<</Type/Pages/Count {count}/Kids[{kids}]/MediaBox[0 0 200 100]>>"
        ));
        for (page, content) in contents.iter().enumerate() {
            object(format!("<</Type/Page/Parent 2 0 R/Contents {} 0 R>>", 4 + 2 * page));
            object(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
        }
        let (start, size) = (bytes.len(), offsets.len() + 1);
        bytes.extend(format!("xref\n0 {size}\n0000000000 65535 f\r\n").bytes());
        for offset in offsets {
            bytes.extend(format!("{offset:010} 00000 n\r\n").bytes());
        }
        bytes.extend(format!("trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
        bytes
    }

    const DRAWN: &str = "0 0 1 rg 10 10 20 20 re f";

    #[test]
    fn the_first_page_that_would_look_different_refuses_the_file() {
        let size = PageSize {
            width_points: 200.0,
            height_points: 100.0,
        };
        let before = file(&[DRAWN, DRAWN, DRAWN]);
        assert_eq!(same_pages(&before, None, &before, &[size; 3]), Ok(0));
        let moved = file(&[DRAWN, "0 0 1 rg 10 11 20 20 re f", ""]);
        assert_eq!(
            same_pages(&before, None, &moved, &[size; 3]),
            Err(Refused::PageWouldChange { page: 2 })
        );
        let shorter = file(&[DRAWN, DRAWN]);
        assert_eq!(
            same_pages(&before, None, &shorter, &[size; 3]),
            Err(Refused::PageWouldChange { page: 3 })
        );
    }

    #[test]
    fn a_page_that_the_renderer_sees_in_another_size_refuses_the_file() {
        let size = PageSize {
            width_points: 200.0,
            height_points: 110.0,
        };
        let before = file(&[DRAWN]);
        assert_eq!(
            same_pages(&before, None, &before, &[size]),
            Err(Refused::PageWouldChange { page: 1 })
        );
        let of = |sizes: &[PageSize]| kept(&before, &before, sizes);
        assert_eq!(of(&[size]), Err(Refused::PageWouldChange { page: 1 }));
        let right = PageSize {
            height_points: 100.0,
            ..size
        };
        assert_eq!(of(&[right]), Ok(()));
        assert_eq!(of(&[right, right]), Err(Refused::NotPdf));
    }

    fn kept(shown: &[u8], read: &[u8], sizes: &[PageSize]) -> Result<(), Refused> {
        let read = File::open(read, None).expect("it keeps the rules");
        has_content(shown.into(), sizes, &read.latest(), &Limits::default())
    }

    #[test]
    fn a_page_of_which_the_renderer_reads_another_content_refuses_the_file() {
        let size = PageSize {
            width_points: 200.0,
            height_points: 100.0,
        };
        let (one, other) = (file(&[DRAWN, DRAWN]), file(&[DRAWN, "0 0 1 rg 10 10 20 20 re  f"]));
        assert_eq!(kept(&one, &one, &[size; 2]), Ok(()));
        assert_eq!(
            kept(&one, &other, &[size; 2]),
            Err(Refused::SignedAndReadDifferently { page: 2 })
        );
    }
}
