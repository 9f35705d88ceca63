//! Substitute fonts for Asian fonts that a PDF uses but does not contain.
//!
//! Three built-in fonts serve as substitutes. An operator can add others (`documents.fonts_folder`): the processes that
//! read uploads call [`add`] when they start, before they give up their access to files. Only the first font of each
//! added file counts. It replaces a font of the same name, and every font of an Adobe character collection for which it
//! has more letters than our own font.

use std::sync::{Arc, OnceLock};

use hayro::hayro_interpret::font::{FallbackFontQuery, FontData};
use hayro::hayro_interpret::hayro_cmap::{BfString, CMap, CidFamily, load_embedded};
use skrifa::charmap::Charmap;
use skrifa::raw::TableProvider as _;
use skrifa::string::StringId;
use skrifa::{FontRef, MetadataProvider as _};

use super::fonts::{NOTO_JP_FILE, NOTO_KR_FILE, NOTO_SC_FILE};

const OURS: [&[u8]; 3] = [NOTO_JP_FILE, NOTO_KR_FILE, NOTO_SC_FILE];
/// Maximum number of characters in a collection. None has more.
const MOST_CHARACTERS: u32 = 32_000;

static ADDED: OnceLock<Added> = OnceLock::new();

/// The added fonts.
#[derive(Default)]
struct Added {
    fonts: Vec<AddedFont>,
    /// For each of [`Collection::ALL`], the added font that has more of its letters than ours, if any.
    richer: [OnceLock<Option<usize>>; 4],
}

struct AddedFont {
    data: FontData,
    index: u32,
    /// Names as returned by [`plain`].
    names: Vec<String>,
    /// The code pages that the font claims to cover (OpenType, OS/2, `ulCodePageRange1`).
    code_pages: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Collection {
    Japan,
    China,
    Korea,
    Taiwan,
}

impl Collection {
    fn of(family: &CidFamily) -> Option<Self> {
        match family {
            CidFamily::AdobeJapan1 => Some(Self::Japan),
            CidFamily::AdobeGB1 => Some(Self::China),
            CidFamily::AdobeKorea1 => Some(Self::Korea),
            CidFamily::AdobeCNS1 => Some(Self::Taiwan),
            _ => None,
        }
    }

    fn ours(self) -> &'static [u8] {
        match self {
            Self::Japan => NOTO_JP_FILE,
            Self::Korea => NOTO_KR_FILE,
            Self::China | Self::Taiwan => NOTO_SC_FILE,
        }
    }

    fn code_page(self) -> u32 {
        match self {
            Self::Japan => 1 << 17,
            Self::China => 1 << 18,
            Self::Korea => 1 << 19,
            Self::Taiwan => 1 << 20,
        }
    }
}

/// Adds fonts for this process. Only the first call has an effect. Files that are not fonts, or have no Asian letters,
/// are left out. Returns the number of added fonts.
pub fn add(files: Vec<Vec<u8>>) -> usize {
    let added = ADDED.get_or_init(|| Added {
        fonts: files.into_iter().filter_map(AddedFont::read).collect(),
        ..Added::default()
    });
    added.fonts.len()
}

/// Returns the substitute for a missing Asian font, and its index within the file.
pub(crate) fn stand_in(wanted: &FallbackFontQuery) -> Option<(FontData, u32)> {
    let family = &wanted.character_collection.as_ref()?.family;
    let collection = Collection::of(family)?;
    let font = ADDED
        .get()
        .and_then(|added| added.named(wanted).or_else(|| added.richer(collection, family)));
    Some(match font {
        Some(font) => (Arc::clone(&font.data), font.index),
        None => (Arc::new(collection.ours()), 0),
    })
}

/// Returns the characters of a substitute font, which is identified by its bytes. `None` for other fonts.
pub(crate) fn characters(data: &[u8]) -> Option<Charmap<'static>> {
    if let Some(ours) = OURS.into_iter().find(|ours| std::ptr::eq(*ours, data)) {
        return Some(FontRef::new(ours).ok()?.charmap());
    }
    let mut added = ADDED.get()?.fonts.iter();
    added.find(|font| std::ptr::eq(font.bytes(), data))?.characters()
}

impl Added {
    fn named(&self, wanted: &FallbackFontQuery) -> Option<&AddedFont> {
        let names = [&wanted.post_script_name, &wanted.font_name, &wanted.font_family];
        let names: Vec<String> = names.into_iter().flatten().map(|name| plain(name)).collect();
        self.fonts
            .iter()
            .find(|font| font.names.iter().any(|name| names.contains(name)))
    }

    fn richer(&self, collection: Collection, family: &CidFamily) -> Option<&AddedFont> {
        let claims = |font: &&AddedFont| font.code_pages & collection.code_page() != 0;
        if !self.fonts.iter().any(|font| claims(&font)) {
            return None;
        }
        let found = self.richer.get(collection as usize)?.get_or_init(|| {
            let letters = letters(family)?;
            let count = |font: Charmap<'_>| letters.iter().filter(|letter| font.map(**letter).is_some()).count();
            let mut most = count(FontRef::new(collection.ours()).ok()?.charmap());
            let mut richest = None;
            for (place, font) in self.fonts.iter().enumerate().filter(|(_, font)| claims(font)) {
                let has = font.characters().map_or(0, count);
                if has > most {
                    (most, richest) = (has, Some(place));
                }
            }
            richest
        });
        self.fonts.get((*found)?)
    }
}

impl AddedFont {
    fn read(bytes: Vec<u8>) -> Option<Self> {
        let font = FontRef::from_index(&bytes, 0).ok()?;
        let code_pages = font.os2().ok()?.ul_code_page_range_1().unwrap_or(0);
        let collections = [
            Collection::Japan,
            Collection::China,
            Collection::Korea,
            Collection::Taiwan,
        ];
        if !collections.iter().any(|one| code_pages & one.code_page() != 0) {
            return None;
        }
        let ids = [StringId::POSTSCRIPT_NAME, StringId::FULL_NAME, StringId::FAMILY_NAME];
        let names = ids.into_iter().flat_map(|id| font.localized_strings(id));
        let names = names.map(|name| plain(&name.to_string())).collect();
        Some(Self {
            data: Arc::new(bytes),
            index: 0,
            names,
            code_pages,
        })
    }

    fn bytes(&self) -> &[u8] {
        (*self.data).as_ref()
    }

    fn characters(&self) -> Option<Charmap<'_>> {
        Some(FontRef::from_index(self.bytes(), self.index).ok()?.charmap())
    }
}

/// Returns a font's name for comparison: without case, spaces, hyphens and the style after a comma.
fn plain(name: &str) -> String {
    let name = name.split(',').next().unwrap_or_default();
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Returns the letters of a character collection.
fn letters(family: &CidFamily) -> Option<Vec<char>> {
    let map = CMap::parse(load_embedded(family.ucs2_cmap()?)?, load_embedded)?;
    let letter = |number| match map.lookup_bf_string(number)? {
        BfString::Char(letter) => Some(letter),
        BfString::String(_) => None,
    };
    Some((0..MOST_CHARACTERS).filter_map(letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_is_found_by_the_names_that_files_give_it() {
        let added = Added {
            fonts: vec![AddedFont {
                data: Arc::new(NOTO_KR_FILE),
                index: 0,
                names: vec![plain("MS Mincho"), plain("MS-Mincho Regular")],
                code_pages: 0,
            }],
            ..Added::default()
        };
        let is_found = |name: &str| {
            let wanted = FallbackFontQuery {
                post_script_name: Some(name.to_owned()),
                ..FallbackFontQuery::default()
            };
            added.named(&wanted).is_some()
        };
        assert!(is_found("MS-Mincho") && is_found("MSMincho,Bold") && is_found("ms mincho"));
        assert!(!is_found("MS-PMincho") && !is_found(""));
    }

    /// A test of the workers, which uses a system font, covers the opposite case.
    #[test]
    fn a_font_of_fewer_letters_does_not_stand_in() {
        let code_pages = Collection::Korea.code_page();
        let font = |bytes: &'static [u8]| AddedFont {
            data: Arc::new(bytes),
            index: 0,
            names: Vec::new(),
            code_pages,
        };
        // The added font has no more letters than ours, and the Japanese font has no Hangul syllables.
        let added = Added {
            fonts: vec![font(NOTO_KR_FILE), font(NOTO_JP_FILE)],
            ..Added::default()
        };
        assert!(added.richer(Collection::Korea, &CidFamily::AdobeKorea1).is_none());
    }
}
