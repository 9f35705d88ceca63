//! Finds the characters of glyphs by their codes if their fonts do not specify them.

use hayro::hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, CidFamily, load_embedded};
use hayro::hayro_syntax::object::{Array, Dict, Name, Stream, String as PdfString};
use hayro::hayro_syntax::page::Page;

/// The meaning of the character codes in a composite font that does not specify it (ISO 32000-2, 9.10.2). hayro reports
/// a glyph's code but not its font, so all fonts of the page are tried. There is rarely more than one kind.
#[derive(Debug)]
pub(super) enum Codes {
    /// UTF-16, by the name of the encoding, or by an identity map.
    Unicode,
    /// A character collection by Adobe.
    Collection(Box<Collection>),
}

/// Maps codes to the collection's numbers, and these to characters.
#[derive(Debug)]
pub(crate) struct Collection {
    encoding: CMap,
    meanings: CMap,
}

impl Collection {
    /// Returns `None` if the collection is not one of Adobe's, or the encoding has no name.
    pub(crate) fn new(registry: &[u8], ordering: &[u8], encoding: &[u8]) -> Option<Self> {
        let family = CidFamily::from_registry_ordering(registry, ordering);
        let parsed = |name: CMapName<'_>| CMap::parse(load_embedded(name)?, load_embedded);
        Some(Self {
            meanings: parsed(family.ucs2_cmap()?)?,
            encoding: match encoding {
                b"Identity-H" | b"Identity-V" => CMap::identity_h(),
                name => parsed(CMapName::from_bytes(name))?,
            },
        })
    }

    pub(crate) fn characters(&self, code: u32) -> Option<BfString> {
        let numbers = &self.encoding;
        let number = numbers
            .lookup_cid_code(code, 2)
            .or_else(|| numbers.lookup_cid_code(code, 1))?;
        self.meanings.lookup_bf_string(number)
    }
}

impl Codes {
    pub(super) fn characters(&self, code: u32) -> Option<BfString> {
        match self {
            Self::Unicode => char::from_u32(code)
                .filter(|character| !character.is_control())
                .map(BfString::Char),
            Self::Collection(collection) => collection.characters(code),
        }
    }
}

pub(super) fn codes_of(page: &Page<'_>) -> Vec<Codes> {
    let fonts = &page.resources().fonts;
    fonts
        .keys()
        .filter_map(|name| fonts.get::<Dict<'_>>(&*name))
        .filter_map(|font| codes_of_font(&font))
        .collect()
}

fn codes_of_font(font: &Dict<'_>) -> Option<Codes> {
    let name = |key: &[u8]| font.get::<Name<'_>>(key);
    if name(b"Subtype")?.as_ref() != b"Type0" || font.get::<Stream<'_>>(&b"ToUnicode"[..]).is_some() {
        return None;
    }
    let encoding = name(b"Encoding")?;
    let encoding: &[u8] = encoding.as_ref();
    let is_unicode = |part: &[u8]| encoding.windows(part.len()).any(|window| window == part);
    if name(b"ToUnicode").is_some_and(|name| name.starts_with(b"Identity"))
        || encoding.starts_with(b"Uni") && (is_unicode(b"UCS2") || is_unicode(b"UTF16"))
    {
        return Some(Codes::Unicode);
    }
    let descendant = font
        .get::<Array<'_>>(&b"DescendantFonts"[..])?
        .iter::<Dict<'_>>()
        .next()?;
    let system = descendant.get::<Dict<'_>>(&b"CIDSystemInfo"[..])?;
    let text = |key: &[u8]| system.get::<PdfString<'_>>(key);
    let collection = Collection::new(text(b"Registry")?.as_bytes(), text(b"Ordering")?.as_bytes(), encoding)?;
    Some(Codes::Collection(Box::new(collection)))
}
