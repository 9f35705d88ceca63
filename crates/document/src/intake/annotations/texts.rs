//! Texts of annotations, drawn with our fonts.
//!
//! Every text is a form of its own. Its object is reserved when its position is known. All texts are drawn together at
//! the end, so that they share their fonts.

use domain::field::{Alignment, Placement, TextPlace};
use domain::template::PageSize;
use domain::text::has_overlong_character;

use super::super::look::{Look, dict, name};
use super::super::{Refused, is_direction};
use super::canvas::{Border, Canvas, Colour, corners, shrunk};
use super::{lines, markup};
use crate::marks::stamp::{Mark, MarkContent, draw_boxes};
use crate::pdf::edit::Edits;
use crate::pdf::file::File;
use crate::pdf::geometry::{Matrix, Rectangle};
use crate::pdf::import::Import;
use crate::pdf::{Dict, Objects, PdfDefect, Ref, Stream};
use crate::text::fonts::Fonts;
use crate::text::layout::{self, TextStyle};

/// Font size if the file sets none.
const SIZE: f32 = 12.0;
/// Maximum font size.
const LARGEST: f32 = 1_000.0;
/// Maximum size of a box, which is also that of a page.
const LONGEST: f64 = 14_400.0;

/// The annotation that a text belongs to, for refusals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Whose {
    pub(super) page: u32,
    pub(super) kind: String,
}

impl Whose {
    /// Returns the refusal of an annotation that cannot be drawn.
    pub(super) fn refused(&self) -> Refused {
        Refused::AnnotationNotDrawn {
            page: self.page,
            kind: self.kind.clone(),
        }
    }
}

struct Job {
    form: Ref,
    size: PageSize,
    mark: Mark,
    whose: Whose,
}

/// The texts to draw.
#[derive(Default)]
pub(super) struct Texts {
    fonts: Option<Fonts>,
    jobs: Vec<Job>,
    /// The current annotation.
    pub(super) whose: Whose,
}

impl Texts {
    fn fonts(&mut self) -> Option<&Fonts> {
        if self.fonts.is_none() {
            self.fonts = Fonts::embedded().ok();
        }
        self.fonts.as_ref()
    }

    /// Returns the width of a text on one line.
    pub(super) fn width(&mut self, text: &str, size: f32) -> f64 {
        let lines = self
            .fonts()
            .map(|fonts| layout::in_column(fonts, text, &TextStyle::default(), size, None));
        lines.and_then(Result::ok).map_or(0.0, |lines| f64::from(lines.width()))
    }

    /// Reserves a form that will show a text in a box. The origin is the lower left corner of the box.
    pub(super) fn add(
        &mut self,
        edits: &mut Edits<'_>,
        text: &str,
        style: TextStyle,
        (width, height): (f64, f64),
    ) -> Ref {
        let form = edits.reserve();
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.jobs.push(Job {
            form,
            size: PageSize {
                width_points: width.clamp(1.0, LONGEST),
                height_points: height.clamp(1.0, LONGEST),
            },
            mark: Mark {
                page: 1,
                placement: Placement {
                    x: 0,
                    y: 0,
                    width: Placement::WHOLE,
                    height: Placement::WHOLE,
                },
                content: MarkContent::FormText { text, style },
            },
            whose: self.whose.clone(),
        });
        form
    }

    /// Reserves a form with a one-line text, centred in its box.
    pub(super) fn caption(&mut self, edits: &mut Edits<'_>, text: &str, size: f32, extent: (f64, f64)) -> Ref {
        let style = TextStyle {
            place: Some(TextPlace::OneLine),
            size: Some(size),
            alignment: Alignment::Center,
            ..TextStyle::default()
        };
        self.add(edits, text, style, extent)
    }

    /// Draws all texts. Refuses text that our fonts cannot show as other viewers do.
    pub(super) fn finish(mut self, edits: &mut Edits<'_>) -> Result<(), Refused> {
        if self.jobs.is_empty() {
            return Ok(());
        }
        let jobs = std::mem::take(&mut self.jobs);
        for job in &jobs {
            // Viewers ignore these characters and show the letters in stored order.
            if let MarkContent::FormText { text, .. } = &job.mark.content
                && (text.contains(is_direction) || has_overlong_character(text))
            {
                return Err(job.whose.refused());
            }
        }
        let fonts = self.fonts().ok_or(Refused::TooDemanding)?;
        let drawn = draw_boxes(fonts, jobs.iter().map(|job| (&job.size, &job.mark)));
        let drawn = drawn.map_err(|place| jobs.get(place).map_or(Refused::TooDemanding, |job| job.whose.refused()))?;
        import(&drawn, &jobs, edits).map_err(|_| Refused::TooDemanding)
    }
}

/// Imports each drawn page as the form reserved for it.
fn import(drawn: &[u8], jobs: &[Job], edits: &mut Edits<'_>) -> Result<(), PdfDefect> {
    let file = File::open(drawn.to_vec(), None)?;
    let view = file.latest();
    let mut import = Import::new(view);
    for (page, job) in view.pages()?.into_iter().zip(jobs) {
        let page = view.page(page)?;
        let resources = import.copy(view.inherited(page, b"Resources")?, edits)?;
        let area = Rectangle {
            left: 0.0,
            bottom: 0.0,
            right: job.size.width_points,
            top: job.size.height_points,
        };
        let mut form = dict([
            (b"Type", name(b"XObject")),
            (b"Subtype", name(b"Form")),
            (b"BBox", corners(&area)),
            (b"Resources", resources),
        ]);
        let Some(content) = view.stream(page, b"Contents")? else {
            continue;
        };
        for key in [&b"Filter"[..], b"DecodeParms"] {
            if let Some(value) = content.dict.get(key) {
                form.set(key, import.copy(value, edits)?);
            }
        }
        edits.put(job.form, Stream::new(form, view.raw(content)?.into_owned()));
    }
    Ok(())
}

/// Content of a default appearance (12.7.4.3): font size and colour.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DefaultAppearance {
    /// `None` if the size adapts to the box.
    pub(super) size: Option<f32>,
    pub(super) colour: Colour,
}

impl DefaultAppearance {
    pub(super) fn parse(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let before = |place: usize, count: usize| -> Option<Vec<f64>> {
            let operands = words.get(place.checked_sub(count)?..place)?;
            operands.iter().map(|word| word.parse().ok()).collect()
        };
        let mut found = Self {
            size: None,
            colour: Colour::grey(0.0),
        };
        for (place, word) in words.iter().enumerate() {
            let parts = match *word {
                "Tf" => {
                    #[expect(clippy::cast_possible_truncation, reason = "a size of letters")]
                    let size = before(place, 1).and_then(|size| size.first().map(|size| *size as f32));
                    found.size = size.filter(|size| *size > 0.0 && *size <= LARGEST);
                    continue;
                }
                "g" => before(place, 1),
                "rg" => before(place, 3),
                "k" => before(place, 4),
                _ => continue,
            };
            if let Some(colour) = parts.as_deref().and_then(Colour::of) {
                found.colour = colour;
            }
        }
        found
    }
}

/// Reads the alignment under `Q`.
pub(super) fn alignment(number: Option<i64>) -> Alignment {
    match number {
        Some(1) => Alignment::Center,
        Some(2) => Alignment::Right,
        _ => Alignment::Left,
    }
}

/// Draws a text box. If it has no appearance, both viewers draw a border in the colour of its text.
pub(super) fn free_text(
    edits: &mut Edits<'_>,
    annotation: &Dict,
    canvas: &mut Canvas,
    texts: &mut Texts,
) -> Result<(), ()> {
    let Some(area) = edits.rectangle_in(annotation, b"Rect").filter(Rectangle::has_area) else {
        return Ok(());
    };
    let text = said(edits, annotation)?;
    let appearance = default_appearance(edits, annotation);
    let border = Border::read(edits, annotation);
    let ground = Colour::read(edits, annotation, b"C");
    canvas.cover((area.left, area.bottom), 0.0);
    canvas.cover((area.right, area.top), 0.0);
    if let Some(colour) = &ground {
        canvas.fill_with(colour);
    }
    canvas.stroke_with(&appearance.colour, &border);
    let area = markup::inset(edits, annotation, &area);
    let inner = shrunk(&area, border.width / 2.0);
    if inner.has_area() && (ground.is_some() || border.width > 0.0) {
        canvas.rectangle(&inner, 0.0);
        canvas.paint(ground.is_some(), border.width > 0.0);
    }
    if border.width > 0.0 {
        // Without a line to a subject, it is an ordinary text box.
        let _ = lines::callout(edits, annotation, canvas);
    }
    if !text.trim().is_empty() && inner.has_area() {
        let style = TextStyle {
            place: Some(TextPlace::ManyLines),
            size: Some(appearance.size.unwrap_or(SIZE)),
            alignment: alignment(edits.integer(annotation, b"Q").ok().flatten()),
            colour: appearance.colour.ink(),
            ..TextStyle::default()
        };
        let left = area.left + border.width;
        let bottom = area.bottom + border.width;
        let extent = (area.width() - 2.0 * border.width, area.height() - 2.0 * border.width);
        let form = texts.add(edits, &text, style, extent);
        canvas.form(form, moved(left, bottom));
    }
    Ok(())
}

/// Returns the default appearance of an annotation, or else that of the form.
fn default_appearance(objects: &impl Look, annotation: &Dict) -> DefaultAppearance {
    let own = objects.text_in(annotation, b"DA");
    let of_form = || objects.text_in(objects.dict_of_catalog(b"AcroForm")?, b"DA");
    DefaultAppearance::parse(&own.or_else(of_form).unwrap_or_default())
}

pub(super) fn moved(x: f64, y: f64) -> Matrix {
    Matrix {
        a: 1.0,
        b: 0.0,
        c: 0.0,
        d: 1.0,
        e: x,
        f: y,
    }
}

/// Returns the content of a text box. Its plain and rich text must match, because programs show one or the other.
fn said(objects: &impl Look, annotation: &Dict) -> Result<String, ()> {
    let plain = objects.text_in(annotation, b"Contents").unwrap_or_default();
    let rich = rich_text(objects, annotation).unwrap_or_default();
    let letters = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    match (letters(&plain), letters(&rich)) {
        (plain, _) if plain.is_empty() => Ok(rich),
        (plain_letters, rich) if rich.is_empty() || rich == plain_letters => Ok(plain),
        _ => Err(()),
    }
}

/// Converts rich text (12.7.4.4) to plain text.
pub(super) fn rich_text(objects: &impl Look, annotation: &Dict) -> Option<String> {
    let rich = match objects.value_in(annotation, b"RC")? {
        crate::pdf::Object::Stream(stream) => {
            let decoded = objects.decode(stream, 1 << 20).ok()?;
            crate::pdf::Str::literal(&decoded.bytes).text()
        }
        other => other.as_str()?.text(),
    };
    Some(without_tags(&rich))
}

fn without_tags(rich: &str) -> String {
    let mut plain = String::new();
    let mut rest = rich;
    while let Some((before, behind)) = rest.split_once('<') {
        plain.push_str(before);
        let Some((tag, after)) = behind.split_once('>') else {
            rest = "";
            break;
        };
        let is_break = tag.starts_with("br") || tag.starts_with("/p") || tag.starts_with("/div");
        if is_break && !plain.is_empty() {
            plain.push('\n');
        }
        rest = after;
    }
    plain.push_str(rest);
    let decoded = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#160;", " "),
        ("&nbsp;", " "),
        ("&#13;", "\n"),
        ("&#xD;", "\n"),
        ("&amp;", "&"),
    ];
    for (entity, character) in decoded {
        plain = plain.replace(entity, character);
    }
    plain.trim().to_owned()
}

/// Names of the standard rubber stamps (Table 184).
const STAMPS: [(&[u8], &str); 14] = [
    (b"Approved", "APPROVED"),
    (b"Experimental", "EXPERIMENTAL"),
    (b"NotApproved", "NOT APPROVED"),
    (b"AsIs", "AS IS"),
    (b"Expired", "EXPIRED"),
    (b"NotForPublicRelease", "NOT FOR PUBLIC RELEASE"),
    (b"Confidential", "CONFIDENTIAL"),
    (b"Final", "FINAL"),
    (b"Sold", "SOLD"),
    (b"Departmental", "DEPARTMENTAL"),
    (b"ForComment", "FOR COMMENT"),
    (b"TopSecret", "TOP SECRET"),
    (b"Draft", "DRAFT"),
    (b"ForPublicRelease", "FOR PUBLIC RELEASE"),
];

/// Draws a rubber stamp with a standard name as the name in a frame. The images of other names are unknown.
pub(super) fn stamp(
    edits: &mut Edits<'_>,
    annotation: &Dict,
    canvas: &mut Canvas,
    texts: &mut Texts,
) -> Result<(), ()> {
    let name = edits.name_in(annotation, b"Name").unwrap_or_else(|| b"Draft".into());
    let known = STAMPS.iter().find(|(known, _)| **known == *name);
    let (_, text) = known.ok_or(())?;
    let Some(area) = edits.rectangle_in(annotation, b"Rect").filter(Rectangle::has_area) else {
        return Ok(());
    };
    let colour = Colour::read(edits, annotation, b"C").unwrap_or_else(|| Colour::grey(0.2));
    let border = Border {
        width: (area.width().min(area.height()) / 15.0).clamp(0.5, 4.0),
        dashes: Vec::new(),
        is_underline: false,
    };
    canvas.cover((area.left, area.bottom), 0.0);
    canvas.cover((area.right, area.top), 0.0);
    canvas.stroke_with(&colour, &border);
    let frame = shrunk(&area, border.width / 2.0);
    canvas.rectangle(&frame, 0.0);
    canvas.op(format_args!("S"));
    let inset = border.width * 2.0;
    let extent = (area.width() - 2.0 * inset, area.height() - 2.0 * inset);
    #[expect(clippy::cast_possible_truncation, reason = "a size of letters")]
    let size = (extent.1 * 0.7).clamp(1.0, f64::from(LARGEST)) as f32;
    let style = TextStyle {
        place: Some(TextPlace::OneLine),
        size: Some(size),
        alignment: Alignment::Center,
        bold: true,
        colour: colour.ink(),
        ..TextStyle::default()
    };
    let form = texts.add(edits, text, style, extent);
    canvas.form(form, moved(area.left + inset, area.bottom + inset));
    Ok(())
}
