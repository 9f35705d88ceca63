//! Records the drawing steps of a page without painting.
//!
//! The renderer's interpreter gets a device that only records. The content of each step (glyph and font, image, colour,
//! mask) is added to a digest, and its position to a list of numbers. Two pages with the same digest draw the same
//! content in the same order, and their positions are compared number by number.
//!
//! Positions are in points of the displayed page from its top left corner. Clips are recorded with the content drawn in
//! them, not as separate steps, because the same clip can be set in many ways. Tiles and masks are recorded on first
//! use.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hash, Hasher};

use hayro::hayro_interpret::font::{Glyph, GlyphRun};
use hayro::hayro_interpret::pattern::{Pattern, ShadingPattern, TilingPattern};
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, LumaData, Paint, SoftMask, StrokeProps, interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, PathEl, Point, Rect, Shape as _};

use super::image::Images;
use crate::pages::render::user_unit;

/// Positions closer than this count as equal, in points.
const NEAR: f32 = 0.1;
/// Maximum deviation of a rectangle's side that still counts as straight, in points.
const STRAIGHT: f64 = 0.01;
/// Maximum size of the records for a page, in units of four bytes. A page of text has about ten thousand.
const MOST_NOTES: usize = 4_000_000;
/// Maximum nesting of tiles, masks and drawn glyphs.
const DEEPEST: u32 = 12;
/// Length, in a step's own coordinate space, that records its transform on the page. For a glyph, that is the space of
/// its font.
const REACH: f64 = 1000.0;

/// The drawing steps of a page, with their positions.
#[derive(Debug)]
pub(super) struct Recording {
    what: u64,
    places: Vec<f32>,
    is_whole: bool,
}

impl Recording {
    /// Returns whether both pages draw the same at the same positions. False if one was not recorded completely.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let near = |(one, other): (&f32, &f32)| (one - other).abs() <= NEAR;
        self.is_whole
            && other.is_whole
            && self.what == other.what
            && self.places.len() == other.places.len()
            && self.places.iter().zip(&other.places).all(near)
    }
}

/// State shared by the pages of one file.
pub(super) struct Recorder<'a> {
    cache: InterpreterCache<'a>,
    images: Images,
    settings: InterpreterSettings,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(settings: InterpreterSettings) -> Self {
        Self {
            cache: InterpreterCache::new(),
            images: Images::default(),
            settings,
        }
    }

    /// Records the drawing steps of a page.
    pub(super) fn record(&mut self, page: &Page<'a>) -> Recording {
        let unit = f64::from(user_unit(page));
        let (width, height) = page.render_dimensions();
        let (width, height) = (f64::from(width) * unit, f64::from(height) * unit);
        let shown = Rect::new(0.0, 0.0, width, height);
        let transform = Affine::scale(unit) * page.initial_transform(true).to_kurbo();
        let mut notes = Notes::new(&mut self.images, shown);
        notes.point(Point::new(width, height));
        let mut context = Context::new(transform, shown, &self.cache, page.xref(), self.settings.clone());
        interpret_page(page, &mut context, &mut notes);
        Recording {
            what: notes.what.finish(),
            places: notes.places,
            is_whole: notes.is_whole,
        }
    }
}

/// The clip of a step.
#[derive(Clone, Copy)]
struct Clip {
    /// The intersection of all clip rectangles.
    rectangle: Rect,
    /// Number of the other clip shape.
    shape: u32,
}

struct Notes<'r> {
    what: DefaultHasher,
    places: Vec<f32>,
    count: usize,
    is_whole: bool,
    clips: Vec<Clip>,
    shapes: u32,
    /// Numbers of the tiles and masks recorded so far.
    parts: HashMap<(u128, bool), usize>,
    depth: u32,
    images: &'r mut Images,
}

impl<'r> Notes<'r> {
    fn new(images: &'r mut Images, shown: Rect) -> Self {
        Self {
            what: DefaultHasher::new(),
            places: Vec::new(),
            count: 0,
            is_whole: true,
            clips: vec![Clip {
                rectangle: shown,
                shape: 0,
            }],
            shapes: 0,
            parts: HashMap::new(),
            depth: 0,
            images,
        }
    }

    /// Counts records. False if the maximum is reached.
    fn counts(&mut self, notes: usize) -> bool {
        self.count = self.count.saturating_add(notes);
        if self.count > MOST_NOTES {
            self.is_whole = false;
            // No longer needed.
            self.places = Vec::new();
        }
        self.is_whole
    }

    fn what(&mut self, what: impl Hash) {
        if self.counts(1) {
            what.hash(&mut self.what);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "places on a page")]
    fn number(&mut self, number: f64) {
        if self.counts(1) {
            self.places.push(number as f32);
        }
    }

    fn point(&mut self, point: Point) {
        self.number(point.x);
        self.number(point.y);
    }

    fn rectangle(&mut self, rectangle: Rect) {
        self.point(rectangle.origin());
        self.point(Point::new(rectangle.x1, rectangle.y1));
    }

    /// Records the positions of the corners of a box at the origin after a transform.
    fn place(&mut self, transform: Affine, width: f64, height: f64) {
        for corner in [(0.0, 0.0), (width, 0.0), (0.0, height)] {
            self.point(transform * Point::from(corner));
        }
    }

    /// Records content by its debug description.
    fn described(&mut self, what: &dyn fmt::Debug) {
        // Stops early at the maximum.
        let _ = write!(Described(self), "{what:?}");
    }

    fn path(&mut self, path: &BezPath, transform: Affine) {
        if let Some(rectangle) = upright(path, transform) {
            self.what("rectangle");
            self.rectangle(rectangle);
            return;
        }
        for element in path.elements() {
            match transform * *element {
                PathEl::MoveTo(to) => {
                    self.what("move");
                    self.point(to);
                }
                PathEl::LineTo(to) => {
                    self.what("line");
                    self.point(to);
                }
                PathEl::QuadTo(over, to) => {
                    self.what("quadratic");
                    self.point(over);
                    self.point(to);
                }
                PathEl::CurveTo(from, over, to) => {
                    self.what("cubic");
                    self.point(from);
                    self.point(over);
                    self.point(to);
                }
                PathEl::ClosePath => self.what("close"),
            }
        }
        self.what("end");
    }

    /// Begins a step, with its clips.
    fn step(&mut self, name: &str) {
        self.what(name);
        let clip = self.clip();
        self.what(clip.shape);
        self.rectangle(clip.rectangle);
    }

    fn clip(&self) -> Clip {
        const EVERYWHERE: f64 = 1e6;
        self.clips.last().copied().unwrap_or(Clip {
            rectangle: Rect::new(-EVERYWHERE, -EVERYWHERE, EVERYWHERE, EVERYWHERE),
            shape: 0,
        })
    }

    fn clip_to(&mut self, path: &BezPath, rule: impl Hash) {
        let mut clip = self.clip();
        if let Some(rectangle) = upright(path, Affine::IDENTITY) {
            let left = clip.rectangle.intersect(rectangle);
            clip.rectangle = if left.is_zero_area() { Rect::ZERO } else { left };
        } else {
            self.step("clip");
            self.what(rule);
            self.path(path, Affine::IDENTITY);
            self.shapes = self.shapes.saturating_add(1);
            clip.shape = self.shapes;
        }
        self.clips.push(clip);
    }

    /// Records a part by its number, and its content if it is new.
    fn part(&mut self, key: (u128, bool), draw: impl FnOnce(&mut Self)) {
        let next = self.parts.len();
        if let Some(number) = self.parts.get(&key).copied() {
            self.what(number);
            return;
        }
        self.parts.insert(key, next);
        self.deeper(draw);
    }

    fn deeper(&mut self, draw: impl FnOnce(&mut Self)) {
        if self.depth >= DEEPEST {
            self.is_whole = false;
        }
        if !self.is_whole {
            return;
        }
        self.what("part");
        let clips = std::mem::take(&mut self.clips);
        self.depth += 1;
        draw(self);
        self.depth -= 1;
        self.clips = clips;
        self.what("end of part");
    }

    fn properties(&mut self, paint: &Paint<'_>, mask: Option<&SoftMask<'_>>, blend: BlendMode, is_stroke: bool) {
        self.what(blend);
        self.mask(mask);
        self.paint(paint, is_stroke);
    }

    fn mask(&mut self, mask: Option<&SoftMask<'_>>) {
        let Some(mask) = mask else {
            self.what("no mask");
            return;
        };
        self.described(&mask.mask_type());
        self.what(mask.background_color().to_rgba().to_rgba8());
        self.described(&mask.transfer_function());
        self.part((mask.cache_key(), false), |notes| mask.interpret(notes));
    }

    fn paint(&mut self, paint: &Paint<'_>, is_stroke: bool) {
        match paint {
            Paint::Color(color) => self.what(color.to_rgba().to_rgba8()),
            Paint::Pattern(pattern) => match &**pattern {
                Pattern::Shading(shading) => self.shading(shading),
                Pattern::Tiling(tiling) => self.tiling(tiling, is_stroke),
            },
        }
    }

    fn shading(&mut self, pattern: &ShadingPattern) {
        let shading = &pattern.shading;
        self.opacity(pattern.opacity);
        self.described(&shading.shading_type);
        self.described(&shading.color_space);
        self.described(&shading.background);
        self.described(&pattern.transfer_function);
        self.place(pattern.matrix, REACH, REACH);
        if let Some(clip) = &shading.clip_path {
            self.path(clip, Affine::IDENTITY);
        }
    }

    fn tiling(&mut self, tiling: &TilingPattern<'_>, is_stroke: bool) {
        self.opacity(tiling.opacity);
        self.place(tiling.matrix, f64::from(tiling.x_step), f64::from(tiling.y_step));
        self.path(&tiling.bbox.to_path(0.1), tiling.matrix);
        self.part((tiling.cache_key(), is_stroke), |notes| {
            // Unreadable content draws nothing.
            let _ = tiling.interpret(notes, tiling.matrix, is_stroke);
        });
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share, in steps that can be seen"
    )]
    fn opacity(&mut self, opacity: f32) {
        self.what((opacity * 255.0).round() as u8);
    }

    fn mode(&mut self, mode: &DrawMode, transform: Affine) {
        match mode {
            DrawMode::Fill(rule) => self.what(("fill", rule)),
            DrawMode::Stroke(stroke) => {
                self.what("stroke");
                self.stroke(stroke, transform);
            }
            DrawMode::FillAndStroke(rule, stroke) => {
                self.what(("both", rule));
                self.stroke(stroke, transform);
            }
            DrawMode::Invisible => self.what("invisible"),
        }
    }

    fn stroke(&mut self, stroke: &StrokeProps, transform: Affine) {
        self.described(&(stroke.line_cap, stroke.line_join));
        self.number(f64::from(stroke.miter_limit));
        let [a, b, c, d, _, _] = transform.as_coeffs();
        let (across, down) = (a.hypot(b), c.hypot(d));
        let width = f64::from(stroke.line_width);
        self.number(width * across);
        self.number(width * down);
        self.what(stroke.dash_array.len());
        self.number(f64::from(stroke.dash_offset) * across);
        for dash in &stroke.dash_array {
            self.number(f64::from(*dash) * across);
        }
    }

    fn samples(&mut self, samples: &LumaData) {
        self.what((samples.width, samples.height, samples.interpolate));
        self.what(&samples.data);
    }
}

impl<'a> Device<'a> for Notes<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        if !self.is_whole {
            return;
        }
        self.step("path");
        let is_stroke = matches!(mode, DrawMode::Stroke(_));
        self.properties(&props.paint, props.soft_mask.as_ref(), props.blend_mode, is_stroke);
        self.mode(mode, props.transform);
        self.path(path, props.transform);
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.clip_to(&clip.path, clip.fill);
    }

    fn pop_clip(&mut self) {
        self.clips.pop();
    }

    fn push_transparency_group(&mut self, opacity: f32, mask: Option<SoftMask<'a>>, blend: BlendMode) {
        self.what(("group", blend));
        self.opacity(opacity);
        self.mask(mask.as_ref());
    }

    fn pop_transparency_group(&mut self) {
        self.what("end of group");
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        if !self.is_whole {
            return;
        }
        self.step("text");
        let is_stroke = matches!(mode, DrawMode::Stroke(_));
        self.properties(&props.paint, props.soft_mask.as_ref(), props.blend_mode, is_stroke);
        self.mode(mode, props.transform);
        for positioned in run.glyphs() {
            self.what(positioned.char_code());
            match &**positioned {
                Glyph::Outline(glyph) => {
                    self.what(glyph.identifier().cache_key());
                    self.place(props.transform * positioned.transform(), REACH, REACH);
                }
                Glyph::Type3(glyph) => self.deeper(|notes| {
                    glyph.interpret(notes, props.transform, positioned.transform(), &props.paint);
                }),
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        if !self.is_whole {
            return;
        }
        self.step("image");
        self.what(props.blend_mode);
        self.mask(props.soft_mask.as_ref());
        self.place(props.transform, f64::from(image.width()), f64::from(image.height()));
        match image {
            Image::Raster(image) => {
                let identity = self.images.identity(image.stream());
                self.what(identity);
            }
            // hayro provides the paint only together with the decoded samples.
            Image::Stencil(stencil) => stencil.with_stencil(
                |samples, paint| {
                    self.paint(paint, false);
                    self.samples(&samples);
                },
                None,
            ),
        }
    }
}

/// Records a description while it is written.
struct Described<'n, 'r>(&'n mut Notes<'r>);

impl fmt::Write for Described<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.what.write(text.as_bytes());
        if self.0.counts(text.len() / 4) {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// Returns the rectangle that a path forms on the page, if its sides are parallel to the axes.
fn upright(path: &BezPath, transform: Affine) -> Option<Rect> {
    let (corners, last) = match path.elements() {
        [
            PathEl::MoveTo(first),
            PathEl::LineTo(second),
            PathEl::LineTo(third),
            PathEl::LineTo(fourth),
            PathEl::ClosePath,
        ] => ([*first, *second, *third, *fourth], *first),
        [
            PathEl::MoveTo(first),
            PathEl::LineTo(second),
            PathEl::LineTo(third),
            PathEl::LineTo(fourth),
            PathEl::LineTo(last),
            ..,
        ] if path.elements().len() <= 6 => ([*first, *second, *third, *fourth], *last),
        _ => return None,
    };
    let [first, second, third, fourth] = corners.map(|corner| transform * corner);
    let last = transform * last;
    let near = |one: f64, other: f64| (one - other).abs() <= STRAIGHT;
    let level = |from: Point, to: Point| near(from.y, to.y);
    let plumb = |from: Point, to: Point| near(from.x, to.x);
    let is_upright = near(first.x, last.x)
        && near(first.y, last.y)
        && (level(first, second) && plumb(second, third) && level(third, fourth) && plumb(fourth, first)
            || plumb(first, second) && level(second, third) && plumb(third, fourth) && level(fourth, first));
    is_upright.then(|| Rect::from_points(first, third))
}
