//! Checks that a font file added by an operator draws all its letters. A letter with a glyph is accepted in a text, and
//! would be missing on the page if the glyph cannot be drawn.

use skrifa::MetadataProvider as _;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::raw::FileRef;

use crate::text::fonts::{FontFile, FontUnreadable};

/// Draws every letter of a font file once.
pub fn prove_font(file: &FontFile) -> Result<(), FontUnreadable> {
    let unsound = |why: &str| FontUnreadable(format!("{} ({why})", file.name));
    let fonts = FileRef::new(&file.bytes).map_err(|error| unsound(&error.to_string()))?;
    for font in fonts.fonts() {
        let font = font.map_err(|error| unsound(&error.to_string()))?;
        let outlines = font.outline_glyphs();
        if outlines.format().is_none() {
            // A font with bitmap or colour glyphs.
            continue;
        }
        for (character, glyph) in font.charmap().mappings() {
            let settings = DrawSettings::unhinted(Size::new(16.0), LocationRef::default());
            let mut ink = Ink(false);
            let is_drawn = outlines
                .get(glyph)
                .is_some_and(|outline| outline.draw(settings, &mut ink).is_ok());
            // Damaged outlines may be read as empty ones.
            if !is_drawn || (!ink.0 && needs_ink(character)) {
                return Err(unsound(&format!("its character U+{character:04X} cannot be drawn")));
            }
        }
    }
    Ok(())
}

/// Returns whether a character must be visible: all letters and digits, except the Hangul fillers.
fn needs_ink(character: u32) -> bool {
    let is_filler = matches!(character, 0x115f | 0x1160 | 0x3164 | 0xffa0);
    char::from_u32(character).is_some_and(char::is_alphanumeric) && !is_filler
}

/// Records whether anything was drawn.
struct Ink(bool);

impl OutlinePen for Ink {
    fn move_to(&mut self, _: f32, _: f32) {}

    fn line_to(&mut self, _: f32, _: f32) {
        self.0 = true;
    }

    fn quad_to(&mut self, _: f32, _: f32, _: f32, _: f32) {
        self.0 = true;
    }

    fn curve_to(&mut self, _: f32, _: f32, _: f32, _: f32, _: f32, _: f32) {
        self.0 = true;
    }

    fn close(&mut self) {}
}
