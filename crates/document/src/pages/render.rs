//! Renders pages as images.
//!
//! hayro does the rendering. This module decides the size of an image and the fonts that replace missing ones.
//! [`crate::pages::packing`] compresses the images. hayro does not support `UserUnit` (ISO 32000-2, 7.7.3.3), so this
//! module multiplies the scale of a page by it.
//!
//! An untrusted file can make any renderer work endlessly or exhaust its memory. This module limits only the size of
//! images. Time and memory are limited by the process in which untrusted files are rendered
//! (`countersign-document-worker`).

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::template::PageSize;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::font::FontQuery;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::Affine;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::{PixmapMut, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::pages::letters;
use crate::pages::packing::pack;
use crate::pdf::shared_bytes::SharedBytes;
use crate::text::stand_ins;

/// Maximum side of an image in pixels. Larger pages are rendered at a lower resolution.
pub const LONGEST_SIDE: f32 = 4000.0;
const POINTS_PER_INCH: f32 = 72.0;

/// Reasons why a page cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum RenderFault {
    /// The file is not a PDF, or it is damaged beyond repair.
    #[error("the file cannot be read as a PDF")]
    Unreadable,
    /// The file is encrypted and needs a password.
    #[error("the file needs a password; save it without one")]
    NeedsPassword,
    /// The file has no such page.
    #[error("the file has {pages} pages, so there is no page {page}")]
    NoSuchPage {
        /// Number of the requested page, starting at 1.
        page: u32,
        pages: u32,
    },
    /// The page has no size, or one that an image cannot have.
    #[error("page {page} is too small or too large to show")]
    BadSize {
        /// Page number, starting at 1.
        page: u32,
    },
    /// The page uses a font that is not embedded, and we no longer have a substitute.
    #[error("page {page} uses a font that is not in the file; add the font to documents.fonts_folder")]
    FontMissing {
        /// Page number, starting at 1.
        page: u32,
    },
    /// The image could not be compressed.
    #[error("the image of page {page} could not be compressed")]
    Packing {
        /// Page number, starting at 1.
        page: u32,
    },
}

/// Renders one page for browsers (WebP or JPEG). `dots_per_inch` refers to the displayed page.
pub fn page_image(pdf: impl Into<SharedBytes>, page: u32, dots_per_inch: f32) -> Result<Vec<u8>, RenderFault> {
    let mut images = page_images(pdf, &[page], dots_per_inch)?;
    images.pop().ok_or(RenderFault::NoSuchPage { page, pages: 0 })
}

/// Renders several pages but opens the file only once. The images are in the order of `pages`.
pub fn page_images(
    pdf: impl Into<SharedBytes>,
    pages: &[u32],
    dots_per_inch: f32,
) -> Result<Vec<Vec<u8>>, RenderFault> {
    each_page(pdf, pages, dots_per_inch, |page, picture| {
        pack(&picture).ok_or(RenderFault::Packing { page })
    })
}

/// Renders several pages and calls `use_picture` with the number and image of each, one after the other.
pub fn each_page<T>(
    pdf: impl Into<SharedBytes>,
    pages: &[u32],
    dots_per_inch: f32,
    mut use_picture: impl FnMut(u32, Picture) -> Result<T, RenderFault>,
) -> Result<Vec<T>, RenderFault> {
    let file = Opened::new(pdf)?;
    let rendering = Rendering::new();
    let mut used = Vec::with_capacity(pages.len());
    for page in pages {
        let picture = file.picture(&rendering, *page, dots_per_inch)?;
        // A font that intake used may no longer exist, because operators can remove their own fonts.
        if rendering.has_stand_ins() && letters::are_missing(&file, *page)? {
            return Err(RenderFault::FontMissing { page: *page });
        }
        used.push(use_picture(*page, picture)?);
    }
    Ok(used)
}

/// Returns the displayed size of each page. Parses the file in this process, so we must have written the file
/// ourselves.
pub fn page_sizes(pdf: impl Into<SharedBytes>) -> Result<Vec<PageSize>, RenderFault> {
    let file = Opened::new(pdf)?;
    let sizes = file.pdf.pages().iter().map(|page| {
        let unit = user_unit(page);
        let (width, height) = page.render_dimensions();
        let points = |side: f32| f64::from(side) * f64::from(unit);
        PageSize {
            width_points: points(width),
            height_points: points(height),
        }
    });
    Ok(sizes.collect())
}

/// Returns the number of points in a unit of the page (ISO 32000-2, 7.7.3.3).
pub(crate) fn user_unit(page: &Page<'_>) -> f32 {
    page.raw()
        .get::<f32>(&b"UserUnit"[..])
        .filter(|unit| unit.is_finite() && *unit > 0.0)
        .unwrap_or(1.0)
}

/// An uncompressed image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Rows from the top, four bytes per pixel. Pages are opaque, so the fourth byte is ignored.
    pub rgba: Vec<u8>,
}

/// A file opened for rendering.
pub(crate) struct Opened {
    pub(crate) pdf: Pdf,
}

/// State shared by the pages of one file: decoded fonts, glyphs, colour spaces, and the canvas.
pub(crate) struct Rendering<'a> {
    cache: RenderCache<'a>,
    pub(crate) settings: InterpreterSettings,
    letters: RenderSettings,
    context: RefCell<Option<RenderContext>>,
    has_stand_ins: Arc<AtomicBool>,
}

impl Rendering<'_> {
    pub(crate) fn new() -> Self {
        let has_stand_ins = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&has_stand_ins);
        let settings = InterpreterSettings {
            font_resolver: Arc::new(move |query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(wanted) => match stand_ins::stand_in(wanted) {
                    Some(asian) => {
                        asked.store(true, Ordering::Relaxed);
                        Some(asian)
                    }
                    None => Some(wanted.pick_standard_font().get_font_data()),
                },
            }),
            ..InterpreterSettings::default()
        };
        Self {
            cache: RenderCache::new(),
            settings,
            letters: RenderSettings::default(),
            context: RefCell::new(None),
            has_stand_ins,
        }
    }

    /// Returns whether a drawn page uses an Asian font that is not embedded.
    fn has_stand_ins(&self) -> bool {
        self.has_stand_ins.load(Ordering::Relaxed)
    }

    /// Renders glyphs at their exact positions instead of aligning them to pixels, for comparisons of images.
    pub(crate) fn exact() -> Self {
        Self {
            letters: RenderSettings {
                hinting: false,
                glyph_caching: false,
                ..RenderSettings::default()
            },
            ..Self::new()
        }
    }
}

impl Opened {
    pub(crate) fn new(bytes: impl Into<SharedBytes>) -> Result<Self, RenderFault> {
        Self::with_password(bytes, "")
    }

    /// Opens a file that may need a password.
    pub(crate) fn with_password(bytes: impl Into<SharedBytes>, password: &str) -> Result<Self, RenderFault> {
        use hayro::hayro_syntax::{DecryptionError, LoadPdfError};
        match Pdf::new_with_password(bytes.into(), password) {
            Ok(pdf) => Ok(Self { pdf }),
            Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) => Err(RenderFault::NeedsPassword),
            Err(_) => Err(RenderFault::Unreadable),
        }
    }

    pub(crate) fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    pub(crate) fn page(&self, page: u32) -> Result<&Page<'_>, RenderFault> {
        let pages = self.pdf.pages();
        usize::try_from(page)
            .ok()
            .and_then(|page| page.checked_sub(1))
            .and_then(|index| pages.get(index))
            .ok_or_else(|| RenderFault::NoSuchPage {
                page,
                pages: u32::try_from(pages.len()).unwrap_or(u32::MAX),
            })
    }

    /// Returns the width and height of a page's image in pixels, without drawing it.
    pub(crate) fn picture_size(&self, page_number: u32, dots_per_inch: f32) -> Result<(u16, u16), RenderFault> {
        let page = self.page(page_number)?;
        let (width, height) = page.render_dimensions();
        let wanted = dots_per_inch / POINTS_PER_INCH * user_unit(page);
        let scale = wanted.min(LONGEST_SIDE / width.max(height));
        // hayro truncates. We round, so that a page is never one pixel short. A narrow page has at least one pixel.
        let whole = |side: f32| (side * scale).round().max(1.0);
        let (columns, rows) = (whole(width), whole(height));
        if !(width > 0.0 && height > 0.0 && columns <= LONGEST_SIDE && rows <= LONGEST_SIDE) {
            return Err(RenderFault::BadSize { page: page_number });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and between 1 and LONGEST_SIDE"
        )]
        let size = (columns as u16, rows as u16);
        Ok(size)
    }

    pub(crate) fn picture<'a>(
        &'a self,
        rendering: &Rendering<'a>,
        page_number: u32,
        dots_per_inch: f32,
    ) -> Result<Picture, RenderFault> {
        let page = self.page(page_number)?;
        let bad_size = RenderFault::BadSize { page: page_number };
        let (columns_u16, rows_u16) = self.picture_size(page_number, dots_per_inch)?;
        let (width, height) = page.render_dimensions();
        // Add a quarter of a pixel, so that rounding loses none.
        let (columns, rows) = (f32::from(columns_u16) + 0.25, f32::from(rows_u16) + 0.25);
        let scale = Affine::scale_non_uniform(f64::from(columns / width), f64::from(rows / height));
        let mut kept = rendering.context.borrow_mut();
        let context = kept.get_or_insert_with(|| RenderContext::new(columns_u16, rows_u16));
        context.reset_and_resize(columns_u16, rows_u16);
        hayro::render_into(
            page,
            &rendering.cache,
            &rendering.settings,
            &rendering.letters,
            context,
            scale * page.initial_transform(true).to_kurbo(),
        );
        context.flush();
        let mut rgba = vec![0; usize::from(columns_u16) * usize::from(rows_u16) * 4];
        let target = PixmapMut::new(columns_u16, rows_u16, &mut rgba).ok_or(bad_size)?;
        let settings = RasterizerSettings {
            target_init: TargetInit::Clear(WHITE),
            ..RasterizerSettings::default()
        };
        context.render_with(target, &mut Resources::default(), settings);
        Ok(Picture {
            width: u32::from(columns_u16),
            height: u32::from(rows_u16),
            rgba,
        })
    }
}
