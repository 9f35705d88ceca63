//! Looks at every page before and after rewriting.

use domain::template::PageSize;

use super::Refused;
use crate::pages::render::{Opened, RenderFault, Rendering};
use crate::pdf::shared_bytes::SharedBytes;

/// Coarse enough to be fast, fine enough that a missing letter shows.
const DOTS_PER_INCH: f32 = 50.0;
const POINTS_PER_INCH: f64 = 72.0;
/// A picture of few pixels proves little, so small pages are looked at more closely.
const LEAST_PIXELS: f64 = 100.0;

/// Refuses unless both files have the pages `sizes` and show the same on each.
/// `password` opens the file before.
pub(super) fn same_pages(
    before: impl Into<SharedBytes>,
    password: Option<&str>,
    after: impl Into<SharedBytes>,
    sizes: &[PageSize],
) -> Result<(), Refused> {
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
    let (cache_before, cache_after) = (Rendering::new(), Rendering::new());
    for (size, page) in sizes.iter().zip(1_u32..) {
        let resolution = resolution(size);
        let would_change = Refused::PageWouldChange { page };
        if !after
            .picture_size(page, resolution)
            .is_ok_and(|shown| has_size(shown, size, resolution))
        {
            return Err(would_change);
        }
        let pictures = (
            before.picture(&cache_before, page, resolution),
            after.picture(&cache_after, page, resolution),
        );
        match pictures {
            (Ok(old), Ok(new)) if old == new => {}
            _ => return Err(would_change),
        }
    }
    Ok(())
}

/// Refuses unless the renderer sees the pages of a file that stays as it is in the sizes `sizes`. No page is drawn for that.
pub(super) fn has_sizes(pdf: SharedBytes, sizes: &[PageSize]) -> Result<(), Refused> {
    let opened = Opened::new(pdf).map_err(|_| Refused::NotPdf)?;
    if opened.page_count() != sizes.len() {
        return Err(Refused::NotPdf);
    }
    for (size, page) in sizes.iter().zip(1_u32..) {
        let resolution = resolution(size);
        let shown = opened.picture_size(page, resolution);
        if !shown.is_ok_and(|shown| has_size(shown, size, resolution)) {
            return Err(Refused::PageWouldChange { page });
        }
    }
    Ok(())
}

#[expect(clippy::cast_possible_truncation, reason = "a resolution of at most some hundred")]
fn resolution(size: &PageSize) -> f32 {
    let shorter = size.width_points.min(size.height_points);
    DOTS_PER_INCH.max((LEAST_PIXELS * POINTS_PER_INCH / shorter) as f32)
}

/// The renderer must see the page as large as [`crate::pdf::geometry`] does, or marks would be displaced.
fn has_size((columns, rows): (u16, u16), size: &PageSize, resolution: f32) -> bool {
    // The renderer reduces very large pages, so it is the proportion that is held against it.
    let scale = f64::from(resolution) / POINTS_PER_INCH;
    let longer = size.width_points.max(size.height_points) * scale;
    let scale = scale * (f64::from(crate::pages::render::LONGEST_SIDE) / longer).min(1.0);
    let close = |pixels: u16, points: f64| (f64::from(pixels) - points * scale).abs() <= 1.0;
    close(columns, size.width_points) && close(rows, size.height_points)
}

#[cfg(test)]
mod tests {
    use lopdf::{Dictionary, Document, Object, Stream, dictionary};

    use super::*;

    fn file(contents: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.7");
        let pages = document.new_object_id();
        let kids: Vec<Object> = contents
            .iter()
            .map(|content| {
                let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
                let page = dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => content };
                document.add_object(page).into()
            })
            .collect();
        let node = dictionary! {
            "Type" => "Pages", "Count" => i64::try_from(kids.len()).unwrap_or(0), "Kids" => kids,
            "MediaBox" => vec![0.into(), 0.into(), 200.into(), 100.into()],
        };
        document.objects.insert(pages, Object::Dictionary(node));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).expect("the file is written");
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
        assert_eq!(same_pages(&before, None, &before, &[size; 3]), Ok(()));
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
        assert_eq!(
            has_sizes(before.clone().into(), &[size]),
            Err(Refused::PageWouldChange { page: 1 })
        );
        let right = PageSize {
            height_points: 100.0,
            ..size
        };
        assert_eq!(has_sizes(before.clone().into(), &[right]), Ok(()));
        assert_eq!(has_sizes(before.into(), &[right, right]), Err(Refused::NotPdf));
    }
}
