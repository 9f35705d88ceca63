//! Draws values on the pages of a file, as one appended revision.
//!
//! The marks of each page are drawn upright by krilla on a sheet of the size of the displayed page, with fonts subset
//! and mapped back to text (`ToUnicode`). Each sheet becomes a form `XObject`, which the page draws with the matrix
//! from displayed page to user space, so that drawing code can ignore rotation, cropping and `UserUnit`. The page's old
//! content is wrapped in `q` … `Q`, because it may leave the graphics state changed (ISO 32000-2, 8.4.2). The page's
//! resources are copied before ours are added, because other pages may share them.
//!
//! In a tagged file, the marks become part of its structure (`super::tagging`).
//!
//! The file must have passed intake, because it is parsed in the main process.

use std::collections::BTreeMap;

use domain::drawing::Drawing;
use domain::field::Placement;
use domain::template::PageSize;
use krilla::SerializeSettings;
use krilla::color::rgb;
use krilla::geom::{PathBuilder, Rect, Size, Transform};
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule, LineCap, LineJoin, Stroke};
use krilla::surface::Surface;
use thiserror::Error;

use crate::marks::drawing::{DrawingFault, Figure, Segment, figure};
use crate::marks::extend;
use crate::marks::picture::{Decoded, PictureFault};
use crate::marks::tagging::{self, Meaning};
use crate::pdf::append::{AppendError, append};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::{DisplayedBox, GeometryFault, Matrix, PageGeometry, displayed_box};
use crate::pdf::import::Import;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::structure::Structure;
use crate::pdf::{Dict, File, Object, Objects, PdfDefect, Ref, Stream};
use crate::text::fonts::Fonts;
use crate::text::layout::{self, BoxText, Outline, TextFault, TextStyle};

/// The slant of a watermark, in degrees.
const SLANT: f32 = -30.0;
/// How much of a watermark covers what is below it.
const FAINT: f32 = 0.2;

/// A value to draw on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Page number, starting at 1.
    pub page: u32,
    /// Box on the page.
    pub placement: Placement,
    pub content: MarkContent,
}

#[derive(Debug, Clone, PartialEq)]
pub enum MarkContent {
    /// A text, laid out by [`crate::text::layout`].
    Text { text: String, style: TextStyle },
    /// A text outside the content, for example in the margin of each page. Assistive technology skips it.
    Aside { text: String, style: TextStyle },
    /// A text across a page, slanted and faint. Assistive technology skips it.
    Watermark { text: String, style: TextStyle },
    /// The value of a form field: like a text, but clipped if it does not fit.
    FormText { text: String, style: TextStyle },
    /// A tick.
    Check,
    /// A filled circle, for the selected radio button.
    Dot,
    /// A PNG or JPEG picture, centred in its box and as large as possible without distortion.
    Picture {
        /// PNG or JPEG data.
        bytes: Vec<u8>,
        /// Description for assistive technology.
        words: String,
    },
    /// A signature or signature stamp drawn from its description, centred in its box and as large as possible without
    /// distortion.
    Drawing(Drawing),
}

/// Reasons why a mark cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MarkFault {
    /// The page does not exist.
    #[error("the page does not exist")]
    NoSuchPage,
    /// The placement is empty or extends beyond the page.
    #[error("the placement is empty or extends beyond the page")]
    OffPage,
    /// The text cannot be drawn.
    #[error(transparent)]
    Text(#[from] TextFault),
    /// The picture cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureFault),
    /// The signature or signature stamp cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] DrawingFault),
}

/// Reasons why a file was not stamped.
#[derive(Debug, Error)]
pub enum StampError {
    /// A mark cannot be drawn, so none was drawn.
    #[error("mark {index} cannot be drawn: {fault}")]
    Mark {
        /// Index of the mark, starting at 0.
        index: usize,
        fault: MarkFault,
    },
    /// The file cannot be read. Intake would have refused it.
    #[error("the file cannot be read as a PDF; upload it again: {0}")]
    Unreadable(#[from] PdfDefect),
    /// A page has invalid boxes. Intake would have refused the file.
    #[error("page {page}: {fault}")]
    Geometry {
        /// Page number, starting at 1.
        page: u32,
        fault: GeometryFault,
    },
    /// The marks could not be drawn as PDF.
    #[error("the marks could not be drawn: {0}")]
    Drawing(String),
    /// Nothing can be appended to the file.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// Checks that `mark` can be drawn on a page of `size`. Refuses the same marks as [`stamp`], while the value can still
/// be corrected.
pub fn prove(fonts: &Fonts, size: &PageSize, mark: &Mark) -> Result<(), MarkFault> {
    prepare(fonts, size, mark).map(drop)
}

/// Returns the outlines of a text on a page of `size`, relative to the top left of its box. `None` for other marks,
/// which the browser draws itself. Refuses the same marks as [`stamp`].
pub fn outline(fonts: &Fonts, size: &PageSize, mark: &Mark) -> Result<Option<Outline>, MarkFault> {
    match prepare(fonts, size, mark)? {
        (_, Prepared::Text(text)) => Ok(Some(text.outline())),
        _ => Ok(None),
    }
}

/// Draws all `marks` and returns the file with its new revision, or unchanged if there are no marks.
pub fn stamp(pdf: impl Into<SharedBytes>, fonts: &Fonts, marks: &[Mark]) -> Result<Vec<u8>, StampError> {
    stamp_onto(pdf.into(), fonts, marks, Where::InPages)
}

/// Selects where marks are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// In the content of pages and in the structure of a tagged file.
    InPages,
    /// In new signature fields, because other changes are not allowed.
    InFields,
}

pub(super) fn stamp_onto(pdf: SharedBytes, fonts: &Fonts, marks: &[Mark], place: Where) -> Result<Vec<u8>, StampError> {
    if marks.is_empty() {
        return Ok(pdf.into_vec());
    }
    let file = File::open(pdf, None)?;
    let mut edits = Edits::new(file.latest());
    let sheets = sheets(&edits, fonts, marks)?;
    let mut structure = match place {
        Where::InPages => Structure::of(&edits)?,
        Where::InFields => None,
    };
    let overlay = draw_pages(
        structure.is_some(),
        sheets.iter().map(|sheet| (&sheet.size, sheet)),
        |sheet, surface| draw_sheet(fonts, sheet, surface),
    )?;
    let overlay = File::open(overlay, None)?;
    let mut import = Import::new(overlay.latest());
    for (sheet, page) in sheets.iter().zip(overlay.latest().pages()?) {
        let form = import_form(&mut import, page, &sheet.size, &mut edits)?;
        match place {
            Where::InPages => invoke(sheet, form, &mut edits)?,
            Where::InFields => extend::add_field(sheet, form, &mut edits)?,
        }
        if let Some(structure) = &mut structure {
            tagging::tag(sheet, form, structure, &mut edits)?;
        }
    }
    if let Some(structure) = structure {
        structure.write(&mut edits)?;
    }
    Ok(append(edits)?.bytes)
}

/// The checked marks of one page.
pub(super) struct Sheet {
    /// Page number, starting at 1.
    pub(super) number: u32,
    pub(super) page: Ref,
    pub(super) geometry: PageGeometry,
    size: PageSize,
    pub(super) marks: Vec<(DisplayedBox, Prepared)>,
    /// The meaning of each mark.
    pub(super) meanings: Vec<Meaning>,
}

pub(super) enum Prepared {
    Text(BoxText),
    /// Slanted and faint.
    Watermark(BoxText),
    /// A text clipped to its box.
    Cut(BoxText),
    Check,
    Dot,
    Picture(Decoded),
    Figure(Figure),
}

fn prepare(fonts: &Fonts, size: &PageSize, mark: &Mark) -> Result<(DisplayedBox, Prepared), MarkFault> {
    if !mark.placement.is_on_page() {
        return Err(MarkFault::OffPage);
    }
    let place = displayed_box(size, &mark.placement);
    let prepared = prepared(fonts, &mark.content, &place)?;
    Ok((place, prepared))
}

/// What is drawn for a mark at its place.
pub(super) fn prepared(fonts: &Fonts, content: &MarkContent, place: &DisplayedBox) -> Result<Prepared, MarkFault> {
    Ok(match content {
        MarkContent::Text { text, style } | MarkContent::Aside { text, style } => Prepared::Text(layout::in_box(
            fonts,
            text,
            style,
            single(place.width),
            single(place.height),
        )?),
        MarkContent::Watermark { text, style } => Prepared::Watermark(layout::in_box(
            fonts,
            text,
            style,
            single(place.width),
            single(place.height),
        )?),
        MarkContent::FormText { text, style } => Prepared::Cut(layout::cut_to_box(
            fonts,
            text,
            style,
            single(place.width),
            single(place.height),
        )?),
        MarkContent::Check => Prepared::Check,
        MarkContent::Dot => Prepared::Dot,
        MarkContent::Picture { bytes, .. } => Prepared::Picture(Decoded::read(bytes, place.width, place.height)?),
        MarkContent::Drawing(drawing) => Prepared::Figure(figure(drawing)?),
    })
}

fn sheets(objects: &impl Objects, fonts: &Fonts, marks: &[Mark]) -> Result<Vec<Sheet>, StampError> {
    let pages = objects.pages()?;
    let mut sheets: BTreeMap<u32, Sheet> = BTreeMap::new();
    for (index, mark) in marks.iter().enumerate() {
        let refuse = |fault| StampError::Mark { index, fault };
        let sheet = match sheets.entry(mark.page) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let page = usize::try_from(mark.page)
                    .ok()
                    .and_then(|page| pages.get(page.checked_sub(1)?))
                    .ok_or_else(|| refuse(MarkFault::NoSuchPage))?;
                let geometry = PageGeometry::of(objects, objects.page(*page)?)
                    .map_err(|fault| StampError::Geometry { page: mark.page, fault })?;
                let size = geometry.displayed_size();
                entry.insert(Sheet {
                    number: mark.page,
                    page: *page,
                    geometry,
                    size,
                    marks: Vec::new(),
                    meanings: Vec::new(),
                })
            }
        };
        let prepared = prepare(fonts, &sheet.size, mark).map_err(refuse)?;
        sheet.marks.push(prepared);
        sheet.meanings.push(Meaning::of(&mark.content));
    }
    Ok(sheets.into_values().collect())
}

/// Draws one mark alone on a page of `size`. Returns its position and a one-page PDF that shows it.
pub(crate) fn draw_alone(fonts: &Fonts, size: &PageSize, mark: &Mark) -> Result<(DisplayedBox, Vec<u8>), StampError> {
    let prepared = prepare(fonts, size, mark).map_err(|fault| StampError::Mark { index: 0, fault })?;
    let (place, mark) = prepared;
    let drawing = draw_pages(false, std::iter::once((size, ())), |(), surface| {
        draw_mark(fonts, surface, &place, &mark)
    })?;
    Ok((place, drawing))
}

/// Draws a PDF with one page per box, which shows the mark of that box. Fails with the index of a mark that cannot be
/// drawn.
pub(crate) fn draw_boxes<'b>(
    fonts: &Fonts,
    boxes: impl Iterator<Item = (&'b PageSize, &'b Mark)>,
) -> Result<Vec<u8>, usize> {
    let mut prepared = Vec::new();
    for (place, (size, mark)) in boxes.enumerate() {
        prepared.push((size, prepare(fonts, size, mark).map_err(|_| place)?));
    }
    let pages = prepared.iter().map(|(size, mark)| (*size, mark));
    draw_pages(false, pages, |(place, mark), surface| {
        draw_mark(fonts, surface, place, mark)
    })
    .map_err(|_| prepared.len())
}

/// Imports a drawing of [`draw_alone`] into a revision as an appearance (12.5.5) within `place` of the displayed page.
pub(crate) fn import_alone(
    drawing: &[u8],
    geometry: &PageGeometry,
    place: &DisplayedBox,
    edits: &mut Edits<'_>,
) -> Result<Ref, StampError> {
    let overlay = File::open(drawing, None)?;
    let page = *overlay
        .latest()
        .pages()?
        .first()
        .ok_or_else(|| StampError::Drawing("it has no page".to_owned()))?;
    let size = geometry.displayed_size();
    let form = import_form(&mut Import::new(overlay.latest()), page, &size, edits)?;
    as_appearance(form, geometry, place, edits)?;
    Ok(form)
}

/// Makes a drawing of a displayed page the appearance of an annotation that covers `place`. The origin of the drawing
/// is at the bottom left. Its matrix maps it to user space, where its box equals the annotation's rectangle, so the
/// algorithm of 12.5.5 moves nothing.
pub(super) fn as_appearance(
    form: Ref,
    geometry: &PageGeometry,
    place: &DisplayedBox,
    edits: &mut Edits<'_>,
) -> Result<(), PdfDefect> {
    let bottom = geometry.displayed_size().height_points - place.y - place.height;
    let matrix = geometry.overlay_matrix();
    if let Some(form) = edits.edit_dict(form)? {
        let corners = [place.x, bottom, place.x + place.width, bottom + place.height];
        form.set(b"BBox", Object::numbers(corners));
        let Matrix { a, b, c, d, e, f } = matrix;
        form.set(b"Matrix", Object::numbers([a, b, c, d, e, f]));
    }
    Ok(())
}

fn draw_sheet(fonts: &Fonts, sheet: &Sheet, surface: &mut Surface<'_>) -> Option<()> {
    for ((place, mark), meaning) in sheet.marks.iter().zip(&sheet.meanings) {
        // Has no effect without tags.
        surface.start_tagged(meaning.tag());
        draw_mark(fonts, surface, place, mark)?;
        surface.end_tagged();
    }
    Some(())
}

/// Draws a PDF with pages of these sizes, each drawn by `draw_page`. `None` if a size is not valid.
fn draw_pages<'s, T>(
    is_tagged: bool,
    pages: impl Iterator<Item = (&'s PageSize, T)>,
    draw_page: impl Fn(T, &mut Surface<'_>) -> Option<()>,
) -> Result<Vec<u8>, StampError> {
    let failed = |reason: &str| StampError::Drawing(reason.to_owned());
    let mut document = krilla::Document::new_with(SerializeSettings {
        xmp_metadata: false,
        enable_tagging: is_tagged,
        ..SerializeSettings::default()
    });
    for (size, content) in pages {
        let (width, height) = (single(size.width_points), single(size.height_points));
        let settings = PageSettings::from_wh(width, height).ok_or_else(|| failed("the page has no size"))?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        draw_page(content, &mut surface).ok_or_else(|| failed("a mark has no size"))?;
        surface.finish();
        page.finish();
    }
    document
        .finish()
        .map_err(|error| StampError::Drawing(format!("{error:?}")))
}

pub(super) fn draw_mark(fonts: &Fonts, surface: &mut Surface<'_>, place: &DisplayedBox, mark: &Prepared) -> Option<()> {
    let (x, y) = (single(place.x), single(place.y));
    let (width, height) = (single(place.width), single(place.height));
    match mark {
        Prepared::Text(text) => text.draw(fonts, surface, x, y),
        Prepared::Watermark(text) => {
            let centre = (x + width / 2.0, y + height / 2.0);
            surface.push_transform(&Transform::from_rotate_at(SLANT, centre.0, centre.1));
            surface.push_opacity(NormalizedF32::new(FAINT)?);
            text.draw(fonts, surface, x, y);
            surface.pop();
            surface.pop();
        }
        Prepared::Cut(text) => {
            let mut path = PathBuilder::new();
            path.push_rect(Rect::from_xywh(x, y, width, height)?);
            surface.push_clip_path(&path.finish()?, &FillRule::default());
            text.draw(fonts, surface, x, y);
            surface.pop();
        }
        Prepared::Check => {
            // The tick fills the largest square in the box.
            let side = width.min(height);
            let (left, top) = (x + (width - side) / 2.0, y + (height - side) / 2.0);
            let at = |right: f32, down: f32| (left + right * side, top + down * side);
            let mut path = PathBuilder::new();
            let (start, turn, end) = (at(0.18, 0.54), at(0.41, 0.78), at(0.84, 0.22));
            path.move_to(start.0, start.1);
            path.line_to(turn.0, turn.1);
            path.line_to(end.0, end.1);
            surface.set_fill(None);
            surface.set_stroke(Some(Stroke {
                width: side * 0.12,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            }));
            surface.draw_path(&path.finish()?);
            surface.set_stroke(None);
        }
        Prepared::Dot => {
            let radius = width.min(height) * 0.28;
            surface.set_fill(Some(black()));
            surface.draw_path(&circle(x + width / 2.0, y + height / 2.0, radius)?);
        }
        Prepared::Picture(picture) => {
            let fitted = picture.fitted(place);
            surface.push_transform(&Transform::from_translate(single(fitted.x), single(fitted.y)));
            surface.draw_image(
                picture.image.clone(),
                Size::from_wh(single(fitted.width), single(fitted.height))?,
            );
            surface.pop();
        }
        Prepared::Figure(figure) => draw_figure(surface, place, figure)?,
    }
    Some(())
}

/// Fills a drawing's outline, scaled to its box.
fn draw_figure(surface: &mut Surface<'_>, place: &DisplayedBox, figure: &Figure) -> Option<()> {
    let (fitted, scale) = figure.fitted(place);
    let (left, top, scale) = (single(fitted.x), single(fitted.y), single(scale));
    let at = |(x, y): (f32, f32)| (left + x * scale, top + y * scale);
    let mut path = PathBuilder::new();
    for segment in &figure.outline {
        match segment.map(&at) {
            Segment::Move((x, y)) => path.move_to(x, y),
            Segment::Line((x, y)) => path.line_to(x, y),
            Segment::Quad((cx, cy), (x, y)) => path.quad_to(cx, cy, x, y),
            Segment::Cubic((ax, ay), (bx, by), (x, y)) => path.cubic_to(ax, ay, bx, by, x, y),
            Segment::Close => path.close(),
        }
    }
    let [red, green, blue] = figure.colour;
    surface.set_stroke(None);
    surface.set_fill(Some(Fill {
        paint: rgb::Color::new(red, green, blue).into(),
        ..black()
    }));
    surface.draw_path(&path.finish()?);
    Some(())
}

/// Draws a PDF page of the drawing's own size with nothing else on it.
pub(super) fn figure_page(figure: &Figure) -> Result<Vec<u8>, StampError> {
    let size = PageSize {
        width_points: f64::from(figure.width),
        height_points: f64::from(figure.height),
    };
    let place = DisplayedBox {
        x: 0.0,
        y: 0.0,
        width: size.width_points,
        height: size.height_points,
    };
    draw_pages(false, [(&size, figure)].into_iter(), |figure, surface| {
        draw_figure(surface, &place, figure)
    })
}

fn black() -> Fill {
    Fill {
        paint: rgb::Color::new(0, 0, 0).into(),
        opacity: NormalizedF32::ONE,
        rule: FillRule::default(),
    }
}

fn circle(x: f32, y: f32, radius: f32) -> Option<krilla::geom::Path> {
    // With the usual four cubic curves, a circle is accurate to 0.03 % of the radius.
    let handle = radius * 0.552_284_8;
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    path.cubic_to(x + radius, y + handle, x + handle, y + radius, x, y + radius);
    path.cubic_to(x - handle, y + radius, x - radius, y + handle, x - radius, y);
    path.cubic_to(x - radius, y - handle, x - handle, y - radius, x, y - radius);
    path.cubic_to(x + handle, y - radius, x + radius, y - handle, x + radius, y);
    path.close();
    path.finish()
}

/// Copies the drawing of one sheet into the file as a form `XObject` (8.10).
fn import_form(import: &mut Import<'_>, page: Ref, size: &PageSize, edits: &mut Edits<'_>) -> Result<Ref, StampError> {
    let overlay = import.source();
    let page = overlay.page(page)?;
    let Object::Stream(mut form) = import.copy(overlay.get(page, b"Contents")?, edits)? else {
        return Err(StampError::Drawing("a page has no content".to_owned()));
    };
    let resources = import.copy(overlay.get(page, b"Resources")?, edits)?;
    // The group is isolated, so the marks are painted unchanged, regardless of the page's blending (11.4.7).
    let group = Dict::of([
        ("Type", Object::name("Group")),
        ("S", Object::name("Transparency")),
        ("I", true.into()),
    ]);
    for (key, value) in [
        ("Type", Object::name("XObject")),
        ("Subtype", Object::name("Form")),
        (
            "BBox",
            Object::numbers([0.0, 0.0, size.width_points, size.height_points]),
        ),
        ("Resources", resources),
        ("Group", group.into()),
    ] {
        form.dict.set(key.as_bytes(), value);
    }
    Ok(edits.add(form))
}

/// Makes the page draw `form` after everything else.
fn invoke(sheet: &Sheet, form: Ref, edits: &mut Edits<'_>) -> Result<(), PdfDefect> {
    let page = edits.page(sheet.page)?;
    let mut resources = match edits.inherited(page, b"Resources")? {
        Object::Dict(resources) => resources.clone(),
        _ => Dict::new(),
    };
    let mut forms = edits.dict(&resources, b"XObject")?.cloned().unwrap_or_default();
    let mut name = format!("CsMarks{}", form.number);
    while forms.has(name.as_bytes()) {
        name.push('x');
    }
    forms.set(name.as_bytes(), form);
    resources.set(b"XObject", forms);
    // A stream, or an array of streams (Table 31).
    let old = match (page.get(b"Contents"), edits.get(page, b"Contents")?) {
        (_, Object::Array(parts)) => parts.clone(),
        (Some(one), Object::Stream(_)) => vec![one.clone()],
        _ => Vec::new(),
    };
    let before = edits.add(Stream::new(Dict::new(), b"q\n".to_vec()));
    // Start with a line break, because the old content may end in an unfinished token.
    let matrix = sheet.geometry.overlay_matrix();
    let after = format!("\nQ q {matrix} cm /{name} Do Q\n").into_bytes();
    let after = edits.add(Stream::new(Dict::new(), after));
    let mut contents = vec![before.into()];
    contents.extend(old);
    contents.push(after.into());
    if let Some(page) = edits.edit_dict(sheet.page)? {
        page.set(b"Resources", resources);
        page.set(b"Contents", contents);
    }
    Ok(())
}

/// krilla and parley use single precision, which is a thousandth of a point on any page.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a length in points, far from the limits of f32"
)]
fn single(length: f64) -> f32 {
    length as f32
}
