//! Refuses text that we would draw with the wrong letters, or not at all.
//!
//! A file can refer to fonts that it does not contain, and every program then uses its own fonts. That is correct if
//! these have the right letters, which [`crate::pages::letters`] checks for each one. Three kinds of fonts are always
//! refused: fonts with an encoding that our renderer does not know, fonts with symbols instead of letters, and fonts
//! with two meanings for one code, because programs differ in which one they use.

use hayro::hayro_interpret::hayro_cmap::{BfString, CMap, CMapName, load_embedded};
use unicode_normalization::UnicodeNormalization as _;

use super::look::Look;
use super::{Refused, showing};
use crate::pages::letters;
use crate::pages::render::Opened;
use crate::pages::text_layer::codes::Collection;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Dict, Object, Stream};

/// Maximum size of a font that is read, in bytes.
const LARGEST_FONT: usize = 1 << 26;
/// Maximum size of a character map that is read, in bytes.
const LARGEST_MAP: usize = 1 << 22;
/// Maximum length of a font's name in a message.
const LONGEST_NAME: usize = 60;

/// What a font guarantees, before its text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The letters are in the file, or every program has them.
    Sound,
    /// Other fonts replace the letters, or may have to.
    StoodInFor {
        /// Whether its codes are glyph numbers.
        by_number: bool,
    },
    /// The text would be shown wrongly.
    NotShown,
}

/// Refuses a file with text that would be shown wrongly. `pdf` is the file that signers see.
pub(super) fn refuse_wrong(objects: &impl Look, pdf: SharedBytes) -> Result<(), Refused> {
    let mut stood_in_for = Vec::new();
    let mut codes_are_numbers = true;
    for (page, font) in showing::fonts(objects) {
        let not_shown = || Refused::TextNotShown {
            page,
            font: name(objects, font),
        };
        match standing(objects, font) {
            Standing::Sound => {}
            Standing::StoodInFor { by_number } => {
                codes_are_numbers &= by_number;
                stood_in_for.push(not_shown());
            }
            Standing::NotShown => return Err(not_shown()),
        }
    }
    let Some(first) = stood_in_for.first() else {
        return Ok(());
    };
    let shown = Opened::new(pdf).map_err(|_| Refused::NotPdf)?;
    let Some(wrong) = letters::first_wrong(&shown, codes_are_numbers).map_err(|_| Refused::NotPdf)? else {
        return Ok(());
    };
    let is_there = |refused: &&Refused| matches!(refused, Refused::TextNotShown { page, .. } if *page == wrong);
    let on_page = stood_in_for.iter().find(is_there).unwrap_or(first);
    Err(match on_page {
        Refused::TextNotShown { font, .. } => Refused::TextNotShown {
            page: wrong,
            font: font.clone(),
        },
        other => other.clone(),
    })
}

fn name(objects: &impl Look, font: &Dict) -> String {
    legible(&objects.name_in(font, b"BaseFont").unwrap_or_default())
}

/// Returns a font's name for a message.
pub(super) fn legible(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect()
}

fn standing(objects: &impl Look, font: &Dict) -> Standing {
    if objects.is_name_in(font, b"Subtype", b"Type0") {
        return standing_of_composite(objects, font);
    }
    if let Some(standing) = standing_in_file(objects, font) {
        return standing;
    }
    if is_of_symbols(&name(objects, font)) {
        return Standing::NotShown;
    }
    let is_plain = match objects.value_in(font, b"Encoding") {
        None | Some(Object::Null) => true,
        Some(encoding) => encoding.is_name(b"WinAnsiEncoding") || encoding.is_name(b"StandardEncoding"),
    };
    if is_plain {
        Standing::Sound
    } else {
        Standing::StoodInFor { by_number: true }
    }
}

/// Returns the standing of an embedded font. `None` if the font is not embedded.
fn standing_in_file(objects: &impl Look, font: &Dict) -> Option<Standing> {
    let descriptor = objects.dict_in(font, b"FontDescriptor")?;
    let file = |key: &[u8]| objects.value_in(descriptor, key)?.as_stream();
    if let Some(outlines) = file(b"FontFile2") {
        let has_all = objects
            .decode_whole(outlines, LARGEST_FONT)
            .is_ok_and(|data| letters::has_all_outlines(&data));
        return Some(if has_all {
            Standing::Sound
        } else {
            Standing::StoodInFor { by_number: true }
        });
    }
    file(b"FontFile")
        .or_else(|| file(b"FontFile3"))
        .map(|_| Standing::Sound)
}

/// Returns whether a font has symbols instead of letters, in every program that has the font.
fn is_of_symbols(name: &str) -> bool {
    let name = name.rsplit('+').next().unwrap_or_default().to_ascii_lowercase();
    let begins = |begin: &&str| name.starts_with(*begin);
    name != "symbol" && ["symbol", "wingdings", "webdings"].iter().any(begins)
}

fn standing_of_composite(objects: &impl Look, font: &Dict) -> Standing {
    let descendants = objects.array_in(font, b"DescendantFonts").unwrap_or_default();
    let Some(Object::Dict(descendant)) = descendants.first().map(|first| objects.follow(first)) else {
        return Standing::NotShown;
    };
    let encoding = match objects.value_in(font, b"Encoding") {
        Some(Object::Name(name)) if is_known(&name.bytes()) => Some(name.bytes()),
        Some(Object::Stream(stream)) if is_readable(objects, stream) => None,
        _ => return Standing::NotShown,
    };
    let by_number = matches!(encoding.as_deref(), Some(b"Identity-H" | b"Identity-V"));
    if let Some(standing) = standing_in_file(objects, descendant) {
        // The font contains its letters, but only the text shows whether its codes are interpreted correctly.
        let is_named = encoding.is_some() && !by_number;
        return if is_named {
            Standing::StoodInFor { by_number }
        } else {
            standing
        };
    }
    let collection = encoding.and_then(|encoding| {
        let system = objects.dict_in(descendant, b"CIDSystemInfo")?;
        let text = |key: &[u8]| objects.value_in(system, key)?.as_str().map(crate::pdf::Str::bytes);
        Collection::new(&text(b"Registry")?, &text(b"Ordering")?, &encoding)
    });
    let said = map(objects, font, b"ToUnicode");
    let says_two_things = collection
        .zip(said)
        .is_some_and(|(collection, said)| differ(&collection, &said));
    if says_two_things {
        Standing::NotShown
    } else {
        Standing::StoodInFor { by_number }
    }
}

/// Returns whether our renderer knows an encoding with this name.
fn is_known(name: &[u8]) -> bool {
    match CMapName::from_bytes(name) {
        CMapName::IdentityH | CMapName::IdentityV => true,
        name => load_embedded(name).is_some(),
    }
}

/// Returns whether our renderer understands an encoding in the file. It finds the base encoding only if the map itself
/// refers to it.
fn is_readable(objects: &impl Look, stream: &Stream) -> bool {
    let Ok(data) = objects.decode_whole(stream, LARGEST_MAP) else {
        return false;
    };
    let names_base = data.windows(b"usecmap".len()).any(|window| window == b"usecmap");
    let has_base = objects.value_in(&stream.dict, b"UseCMap").is_some();
    CMap::parse(&data, load_embedded).is_some() && (names_base || !has_base)
}

fn map(objects: &impl Look, font: &Dict, key: &[u8]) -> Option<CMap> {
    let stream = objects.value_in(font, key)?.as_stream()?;
    CMap::parse(&objects.decode_whole(stream, LARGEST_MAP).ok()?, load_embedded)
}

/// Returns whether a code means one letter or digit in the collection but another in the font. Signs and dashes may
/// differ, because they look alike.
fn differ(collection: &Collection, said: &CMap) -> bool {
    (0..=0xffff).any(|code| {
        let (Some(BfString::Char(said)), Some(BfString::Char(meant))) =
            (said.lookup_bf_string(code), collection.characters(code))
        else {
            return false;
        };
        said.is_alphanumeric() && meant.is_alphanumeric() && !is_alike(said, meant)
    })
}

/// Full-width and half-width letters look alike, and so do radicals and compatibility characters.
fn is_alike(one: char, other: char) -> bool {
    let plain = |character: char| std::iter::once(character).nfkc().collect::<String>();
    one == other || plain(one) == plain(other)
}
