//! Checks that text in a font that is not embedded is shown with the right letters.
//!
//! hayro draws such text with one of its own fonts or, if the letters are Asian, with a substitute font
//! ([`crate::text::stand_ins`]), and selects the glyph by its character. If the font lacks it, hayro draws the glyph
//! with the same number: another letter, or nothing. Other programs have other fonts and show the text, so such a page
//! must not be signed. The same applies to a page with an embedded font whose outlines other programs can read but
//! hayro cannot.
//!
//! hayro does not report the font of a glyph, only a key of font and glyph. We determine the keys of its own fonts
//! once, by drawing them ([`Known`]).

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::OnceLock;

use hayro::hayro_interpret::font::{Glyph, GlyphRun, OutlineGlyph, StandardFont};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::pattern::Pattern;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, CacheKey, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    Paint, SoftMask, interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::kurbo::{Affine, BezPath, Rect};
use skrifa::raw::TableProvider as _;

use crate::pages::render::{Opened, RenderFault, Rendering};
use crate::text::stand_ins;

/// Maximum nesting of patterns, masks and drawn glyphs.
const DEEPEST: u32 = 12;
/// Glyphs of hayro's fonts that are not in the encodings.
const MORE: &str = "/minus/twosuperior/threesuperior/onesuperior/Idot/IJ/ij/Scedilla/scedilla/Gcaron/gcaron/lira/prescription\
                    /arrowleft/arrowup/arrowright/arrowdown/arrowboth";
/// Fonts that every program has (ISO 32000-1, 9.6.2.2). For other names, hayro uses one of these.
const STANDARD: [(&str, StandardFont); 14] = [
    ("Helvetica", StandardFont::Helvetica),
    ("Helvetica-Bold", StandardFont::HelveticaBold),
    ("Helvetica-Oblique", StandardFont::HelveticaOblique),
    ("Helvetica-BoldOblique", StandardFont::HelveticaBoldOblique),
    ("Courier", StandardFont::Courier),
    ("Courier-Bold", StandardFont::CourierBold),
    ("Courier-Oblique", StandardFont::CourierOblique),
    ("Courier-BoldOblique", StandardFont::CourierBoldOblique),
    ("Times-Roman", StandardFont::TimesRoman),
    ("Times-Bold", StandardFont::TimesBold),
    ("Times-Italic", StandardFont::TimesItalic),
    ("Times-BoldItalic", StandardFont::TimesBoldItalic),
    ("Symbol", StandardFont::Symbol),
    ("ZapfDingbats", StandardFont::ZapfDingBats),
];

/// Returns the first page with wrong or missing letters. `codes_are_numbers` means that all composite fonts to check
/// refer to glyphs by number, without an encoding (`Identity-H`).
pub(crate) fn first_wrong(file: &Opened, codes_are_numbers: bool) -> Result<Option<u32>, RenderFault> {
    let rendering = Rendering::new();
    let cache = InterpreterCache::new();
    let known = Known::of_hayro()?;
    for page in (1..).take(file.page_count()) {
        let mut look = Look::new(|drawn: &Drawn<'_>| !known.is_right(drawn, codes_are_numbers));
        look.at(file.page(page)?, &rendering, &cache);
        if look.has_found {
            return Ok(Some(page));
        }
    }
    Ok(None)
}

/// Returns whether a page shows letters of a missing Asian font that its substitute lacks.
pub(crate) fn are_missing(file: &Opened, page: u32) -> Result<bool, RenderFault> {
    let rendering = Rendering::new();
    let cache = InterpreterCache::new();
    let mut look = Look::new(|drawn: &Drawn<'_>| {
        let data = drawn.glyph.font_data();
        let font = data.and_then(|data| stand_ins::characters(data.data.as_ref().as_ref()));
        let (Some(font), Some(letter)) = (font, drawn.character().filter(|letter| is_visible(*letter))) else {
            return false;
        };
        font.map(letter) != Some(drawn.glyph.glyph_id().to_u32().into())
    });
    look.at(file.page(page)?, &rendering, &cache);
    Ok(look.has_found)
}

/// A drawn glyph.
struct Drawn<'g> {
    glyph: &'g OutlineGlyph,
    key: u128,
}

impl Drawn<'_> {
    /// Returns the character that the glyph represents, if there is exactly one.
    fn character(&self) -> Option<char> {
        match self.glyph.as_unicode() {
            Some(BfString::Char(character)) => Some(character),
            _ => None,
        }
    }

    /// Returns whether the glyph represents a visible character.
    fn shows(&self) -> bool {
        let text = match self.glyph.as_unicode() {
            Some(BfString::Char(character)) => character.to_string(),
            Some(BfString::String(text)) => text,
            None => return false,
        };
        text.chars().any(is_visible)
    }
}

fn is_visible(character: char) -> bool {
    // Soft hyphens, joiners, direction marks and variation selectors.
    const UNSEEN: [std::ops::RangeInclusive<char>; 5] = [
        '\u{ad}'..='\u{ad}',
        '\u{200b}'..='\u{200f}',
        '\u{202a}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{fe00}'..='\u{feff}',
    ];
    !character.is_whitespace() && !character.is_control() && !UNSEEN.iter().any(|range| range.contains(&character))
}

/// The glyphs of hayro's own fonts.
struct Known {
    /// Characters of the glyphs in hayro's fonts, by key.
    of_hayro: HashMap<u128, Vec<char>>,
    /// Keys that hayro draws, as nothing, for letters that its fonts lack.
    nothing: HashSet<u128>,
}

impl Known {
    fn of_hayro() -> Result<&'static Self, RenderFault> {
        static KNOWN: OnceLock<Option<Known>> = OnceLock::new();
        KNOWN
            .get_or_init(|| Self::drawn().ok())
            .as_ref()
            .ok_or(RenderFault::Unreadable)
    }

    /// Determines the keys of hayro's glyphs by drawing a file that shows them.
    fn drawn() -> Result<Self, RenderFault> {
        let file = Opened::new(specimen())?;
        let rendering = Rendering::new();
        let cache = InterpreterCache::new();
        let mut of_hayro: HashMap<u128, Vec<char>> = HashMap::new();
        let mut nothing = HashSet::new();
        for (part, page) in Part::ALL.into_iter().cycle().zip(1..=file.page_count()) {
            let page = u32::try_from(page).unwrap_or(u32::MAX);
            Look::new(|drawn: &Drawn<'_>| {
                if matches!(part, Part::Nothing) {
                    nothing.insert(drawn.key);
                } else {
                    of_hayro.entry(drawn.key).or_default().extend(drawn.character());
                }
                false
            })
            .at(file.page(page)?, &rendering, &cache);
        }
        of_hayro.retain(|key, _| !nothing.contains(key));
        Ok(Self { of_hayro, nothing })
    }

    fn is_right(&self, drawn: &Drawn<'_>, codes_are_numbers: bool) -> bool {
        if self.nothing.contains(&drawn.key) {
            return !drawn.shows();
        }
        // Letters of simple fonts are found only by their names.
        let Some(data) = drawn.glyph.font_data() else {
            return true;
        };
        // If no code of an encoding begins with a byte, hayro reads code 0, and continues in the middle of the next
        // letter.
        if drawn.glyph.char_code() == 0 && !codes_are_numbers {
            return false;
        }
        let data = data.data.as_ref().as_ref();
        let number = drawn.glyph.glyph_id().to_u32();
        let ours = stand_ins::characters(data);
        if ours.is_none() && !is_hayros(data) {
            return is_readable(data, number);
        }
        let is_right = match (drawn.character(), ours) {
            // hayro reads code maps without characters for these codes, and then ignores the number.
            (None, _) => codes_are_numbers && number != 0 && number != drawn.glyph.char_code(),
            (Some(character), Some(ours)) => {
                ours.map(character).map(skrifa::GlyphId::to_u32) == Some(number) && number != 0
            }
            (Some(character), None) => {
                let characters = self.of_hayro.get(&drawn.key);
                characters.is_some_and(|known| known.contains(&character))
            }
        };
        is_right || (drawn.glyph.outline().elements().is_empty() && !drawn.shows())
    }
}

/// Returns whether the outline of an embedded glyph is readable. If not, hayro draws nothing.
fn is_readable(data: &[u8], glyph: u32) -> bool {
    let outlines = skrifa::FontRef::from_index(data, 0).and_then(|font| Ok((font.loca(None)?, font.glyf()?)));
    // Other kinds of fonts do not have these tables.
    !outlines.is_ok_and(|(places, outlines)| {
        let is_there = usize::try_from(glyph).is_ok_and(|glyph| glyph < places.len());
        is_there && places.get_glyf(skrifa::GlyphId::new(glyph), &outlines).is_err()
    })
}

/// Returns whether all outlines are readable.
pub(crate) fn has_all_outlines(data: &[u8]) -> bool {
    skrifa::FontRef::from_index(data, 0)
        .and_then(|font| font.loca(None))
        .is_ok_and(|places| places.all_offsets_are_ascending())
}

fn is_hayros(data: &[u8]) -> bool {
    STANDARD
        .iter()
        .any(|(_, font)| std::ptr::eq(font.get_font_data().0.as_ref().as_ref(), data))
}

/// Visits each glyph that is painted on a page.
struct Look<S> {
    /// Returns whether a glyph matches the search.
    sees: S,
    has_found: bool,
    seen: HashSet<u128>,
    depth: u32,
}

impl<S: FnMut(&Drawn<'_>) -> bool> Look<S> {
    fn new(sees: S) -> Self {
        Self {
            sees,
            has_found: false,
            seen: HashSet::new(),
            depth: 0,
        }
    }

    fn at<'a>(&mut self, page: &Page<'a>, rendering: &Rendering<'a>, cache: &InterpreterCache<'a>) {
        let (width, height) = page.render_dimensions();
        let shown = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let transform = page.initial_transform(true).to_kurbo();
        let mut context = Context::new(transform, shown, cache, page.xref(), rendering.settings.clone());
        interpret_page(page, &mut context, self);
    }

    fn deeper(&mut self, look: impl FnOnce(&mut Self)) {
        if self.depth < DEEPEST && !self.has_found {
            self.depth += 1;
            look(self);
            self.depth -= 1;
        }
    }

    /// Visits a part that is drawn repeatedly only once.
    fn once(&mut self, key: u128, look: impl FnOnce(&mut Self)) {
        if self.seen.insert(key) {
            self.deeper(look);
        }
    }

    fn mask(&mut self, mask: Option<&SoftMask<'_>>) {
        if let Some(mask) = mask {
            self.once(mask.cache_key(), |look| mask.interpret(look));
        }
    }

    fn paint(&mut self, paint: &Paint<'_>, is_stroke: bool) {
        if let Paint::Pattern(pattern) = paint
            && let Pattern::Tiling(tiling) = &**pattern
        {
            self.once(tiling.cache_key(), |look| {
                // Unreadable content draws nothing.
                _ = tiling.interpret(look, tiling.matrix, is_stroke);
            });
        }
    }
}

impl<'a, S: FnMut(&Drawn<'_>) -> bool> Device<'a> for Look<S> {
    fn draw_path(&mut self, _path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.mask(props.soft_mask.as_ref());
        self.paint(&props.paint, matches!(mode, DrawMode::Stroke(_)));
    }

    fn push_clip_path(&mut self, _clip: &ClipPath) {}

    fn pop_clip(&mut self) {}

    fn push_transparency_group(&mut self, _opacity: f32, mask: Option<SoftMask<'a>>, _blend: BlendMode) {
        self.mask(mask.as_ref());
    }

    fn pop_transparency_group(&mut self) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        // Text recognised by a scanner is invisible beneath the scanned image.
        if self.has_found || matches!(mode, DrawMode::Invisible) {
            return;
        }
        self.mask(props.soft_mask.as_ref());
        self.paint(&props.paint, matches!(mode, DrawMode::Stroke(_)));
        for positioned in run.glyphs() {
            match &**positioned {
                Glyph::Outline(glyph) => {
                    let key = glyph.identifier().cache_key();
                    self.has_found |= (self.sees)(&Drawn { glyph, key });
                }
                Glyph::Type3(glyph) => self.once(glyph.cache_key(), |look| {
                    glyph.interpret(look, Affine::IDENTITY, positioned.transform(), &props.paint);
                }),
            }
        }
    }

    fn draw_image(&mut self, _image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.mask(props.soft_mask.as_ref());
    }
}

/// The parts of a font, in the order of the specimen's pages.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The letters of the standard encoding, or of the font's own encoding.
    Standard,
    /// The codes of `WinAnsiEncoding`.
    Windows,
    /// [`MORE`].
    More,
    /// A name that the font does not contain.
    Nothing,
}

impl Part {
    const ALL: [Self; 4] = [Self::Standard, Self::Windows, Self::More, Self::Nothing];

    fn encoding(self) -> String {
        match self {
            Self::Standard => String::new(),
            Self::Windows => "/Encoding/WinAnsiEncoding".to_owned(),
            Self::More => format!("/Encoding<</Differences[32{MORE}]>>"),
            Self::Nothing => "/Encoding<</Differences[32/nosuchletter]>>".to_owned(),
        }
    }

    fn codes(self) -> std::ops::Range<usize> {
        let last = match self {
            Self::Standard | Self::Windows => 0x100,
            Self::More => 32 + MORE.split('/').skip(1).count(),
            Self::Nothing => 33,
        };
        32..last
    }
}

/// Builds a file with one page for each part of each font.
fn specimen() -> Vec<u8> {
    let parts = || STANDARD.iter().flat_map(|(name, _)| Part::ALL.map(|part| (name, part)));
    let mut objects = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned(), String::new()];
    let mut kids = String::new();
    for (name, part) in parts() {
        let (page, content) = (objects.len() + 1, objects.len() + 2);
        _ = write!(kids, "{page} 0 R ");
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents {content} 0 R/Resources<</Font<</F<</Type/Font\
             /Subtype/Type1/BaseFont/{name}{}>>>>>>>>",
            part.encoding()
        ));
        let codes: Vec<u8> = part.codes().filter_map(|code| code.try_into().ok()).collect();
        let text = hex::encode(codes);
        let text = format!("BT /F 1 Tf <{text}> Tj ET");
        objects.push(format!("<</Length {}>>\nstream\n{text}\nendstream", text.len()));
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", parts().count());
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = String::new();
    for (object, number) in objects.iter().zip(1..) {
        _ = writeln!(table, "{:010} 00000 n ", file.len());
        _ = writeln!(file, "{number} 0 obj\n{object}\nendobj");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    _ = write!(
        file,
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Root 1 0 R/Size {size}>>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}
