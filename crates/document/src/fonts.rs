//! The fonts that everything of ours is drawn with.
//!
//! Five families' files are part of the program: Pretendard (all 11,172 Hangul syllables, Latin,
//! Greek, Cyrillic, kana; no Han), in two weights, and Noto Sans for the Han characters of Japan,
//! Korea and China, which differ in shape for one code point. Which family is asked first depends
//! on the language of the text, so that a Japanese name looks Japanese in a Japanese document; a
//! character that the first lacks is taken from the next that has it. A character that none has is
//! never drawn as blank or box: [`Fonts::missing_characters`] names it, and layout refuses it.
//!
//! Loading costs tens of milliseconds, so [`Fonts`] is made once and shared.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use domain::language::Language;
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfo, FontInfoOverride};
use parley::style::{FontFamily, FontFamilyName};
use parley::{FontContext, LayoutContext};
use thiserror::Error;

use crate::text_layout;

/// A font file that is part of the program and cannot be read: the build is broken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the embedded font {0} cannot be read; build the program anew after script/bootstrap")]
pub struct FontUnreadable(pub &'static str);

/// The colour of a run of text: red, green, blue.
pub(crate) type Ink = [u8; 3];

macro_rules! embedded {
    ($path:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/node_modules/", $path))
    };
}

const PRETENDARD: &str = "Pretendard";
const NOTO_JP: &str = "Noto Sans JP";
const NOTO_KR: &str = "Noto Sans KR";
const NOTO_SC: &str = "Noto Sans SC";

const NOTO_JP_FILE: &[u8] = embedded!("@expo-google-fonts/noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf");
const NOTO_KR_FILE: &[u8] = embedded!("@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf");
const NOTO_SC_FILE: &[u8] = embedded!("@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf");

/// Family and file; a family may have several weights.
const FILES: [(&str, &[u8]); 5] = [
    (
        PRETENDARD,
        embedded!("pretendard/dist/public/static/Pretendard-Regular.otf"),
    ),
    (
        PRETENDARD,
        embedded!("pretendard/dist/public/static/Pretendard-Bold.otf"),
    ),
    (NOTO_JP, NOTO_JP_FILE),
    (NOTO_KR, NOTO_KR_FILE),
    (NOTO_SC, NOTO_SC_FILE),
];

/// What one layout works with; contexts hold caches, so they are kept and used again.
pub(crate) struct LayoutContexts {
    pub(crate) fonts: FontContext,
    pub(crate) layout: LayoutContext<Ink>,
}

/// Which characters are drawn whatever stands beside them: letters of scripts that are not joined, that some font has.
/// Most texts are made of nothing else, and need not be laid out to know that nothing is missing.
struct StandingAlone(Box<[u64]>);

impl StandingAlone {
    /// Printable ASCII, kana, Han and Hangul syllables: none combines with its neighbours.
    const RANGES: [std::ops::RangeInclusive<u32>; 5] = [
        0x20..=0x7e,
        0x3041..=0x3096,
        0x30a1..=0x30fa,
        0x4e00..=0x9fff,
        0xac00..=0xd7a3,
    ];

    fn new() -> Self {
        Self(vec![0; 0x1_0000 / 64].into_boxed_slice())
    }

    fn add(&mut self, font: &FontInfo, bytes: &[u8]) {
        let Some(map) = font.charmap_index().charmap(bytes) else {
            return;
        };
        for character in Self::RANGES.into_iter().flatten() {
            if map.map(character).is_some_and(|glyph| glyph != 0)
                && let Some(word) = self.0.get_mut(character as usize / 64)
            {
                *word |= 1 << (character % 64);
            }
        }
    }

    fn has(&self, character: char) -> bool {
        let number = u32::from(character);
        self.0
            .get(number as usize / 64)
            .is_some_and(|word| word & (1 << (number % 64)) != 0)
    }
}

/// All fonts, loaded. Share it; every method takes `&self`.
pub struct Fonts {
    collection: FontContext,
    /// For drawing: the same files by the id of their bytes in `collection`.
    faces: Vec<(u64, krilla::text::Font)>,
    standing_alone: StandingAlone,
    idle: Mutex<Vec<LayoutContexts>>,
}

impl std::fmt::Debug for Fonts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Fonts")
            .field("faces", &self.faces.len())
            .finish_non_exhaustive()
    }
}

impl Fonts {
    /// Loads the fonts that are part of the program.
    pub fn embedded() -> Result<Self, FontUnreadable> {
        Self::load(&FILES)
    }

    fn load(files: &[(&'static str, &'static [u8])]) -> Result<Self, FontUnreadable> {
        let mut collection = FontContext {
            collection: Collection::new(CollectionOptions {
                shared: false,
                system_fonts: false,
            }),
            source_cache: parley::fontique::SourceCache::default(),
        };
        let mut faces = Vec::with_capacity(files.len());
        let mut standing_alone = StandingAlone::new();
        for (family, bytes) in files {
            let blob = Blob::new(Arc::new(*bytes));
            let id = blob.id();
            let named = FontInfoOverride {
                family_name: Some(family),
                ..FontInfoOverride::default()
            };
            let registered = collection.collection.register_fonts(blob, Some(named));
            let font = registered.first().and_then(|(_, fonts)| fonts.first());
            standing_alone.add(font.ok_or(FontUnreadable(family))?, bytes);
            let face = krilla::text::Font::new((*bytes).into(), 0).ok_or(FontUnreadable(family))?;
            faces.push((id, face));
        }
        Ok(Self {
            collection,
            faces,
            standing_alone,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// The characters of `text` that no font has, each once, in the order in which they occur.
    ///
    /// Line breaks and tabs are no characters to draw. What would be drawn decides: a letter and
    /// its combining accent are there where their composed form is.
    #[must_use]
    pub fn missing_characters(&self, text: &str) -> Vec<char> {
        text_layout::missing_characters(self, text)
    }

    /// Is the character drawn whatever stands beside it?
    pub(crate) fn stands_alone(&self, character: char) -> bool {
        self.standing_alone.has(character)
    }

    /// Families in the order in which a text of `language` asks them.
    pub(crate) fn families(language: Language) -> FontFamily<'static> {
        const fn named(family: &'static str) -> FontFamilyName<'static> {
            FontFamilyName::Named(Cow::Borrowed(family))
        }
        static KOREAN: [FontFamilyName<'static>; 4] =
            [named(PRETENDARD), named(NOTO_KR), named(NOTO_JP), named(NOTO_SC)];
        static JAPANESE: [FontFamilyName<'static>; 4] =
            [named(NOTO_JP), named(PRETENDARD), named(NOTO_SC), named(NOTO_KR)];
        static ENGLISH: [FontFamilyName<'static>; 4] =
            [named(PRETENDARD), named(NOTO_JP), named(NOTO_KR), named(NOTO_SC)];
        FontFamily::List(Cow::Borrowed(match language {
            Language::Ko => &KOREAN,
            Language::Ja => &JAPANESE,
            Language::En => &ENGLISH,
        }))
    }

    pub(crate) fn with_contexts<T>(&self, work: impl FnOnce(&mut LayoutContexts) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut contexts = idle.unwrap_or_else(|| LayoutContexts {
            fonts: self.collection.clone(),
            layout: LayoutContext::new(),
        });
        let result = work(&mut contexts);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(contexts);
        result
    }

    pub(crate) fn face(&self, blob_id: u64) -> Option<&krilla::text::Font> {
        self.faces.iter().find(|(id, _)| *id == blob_id).map(|(_, face)| face)
    }

    /// Only the first family: what a fallback is tested against.
    #[cfg(test)]
    pub(crate) fn without_fallback() -> Result<Self, FontUnreadable> {
        Self::load(&FILES[..1])
    }
}

/// The file that stands in for a font of the Adobe character collections that a PDF names and
/// does not embed.
pub(crate) fn stand_in(family: &hayro::hayro_interpret::hayro_cmap::CidFamily) -> Option<&'static [u8]> {
    use hayro::hayro_interpret::hayro_cmap::CidFamily;
    match family {
        CidFamily::AdobeJapan1 => Some(NOTO_JP_FILE),
        CidFamily::AdobeKorea1 => Some(NOTO_KR_FILE),
        CidFamily::AdobeGB1 | CidFamily::AdobeCNS1 => Some(NOTO_SC_FILE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fonts() -> Fonts {
        Fonts::embedded().expect("the embedded fonts load")
    }

    #[test]
    fn shared_between_threads() {
        fn assert_shared<T: Send + Sync>() {}
        assert_shared::<Fonts>();
    }

    #[test]
    fn what_people_write_is_there() {
        let fonts = fonts();
        for text in [
            "김민준 대한민국 서울특별시 똠방각하 뷁 힣",
            "山田太郎 髙橋 﨑 やまだ タロウ ｶﾀｶﾅ",
            "张伟 張偉 李小龙",
            "José Müller Łukasz Çelik Ñandú Æsir Œuvre € £ ¥ ₩ № © ™ … — “” ‘’",
            "Ωμέγα Привет",
            "1,234,567.89 % + - / * = ( ) [ ] { } ① ② ③ ㈜ ㎡ ℃ ※ ○ ● □ ■ △ ▲ → ←",
            "line\nbreak\ttab\r\nend",
            "",
        ] {
            assert_eq!(fonts.missing_characters(text), Vec::<char>::new(), "{text}");
        }
    }

    #[test]
    fn composed_and_decomposed_are_one() {
        // Decomposed, as file names of one desktop system come.
        assert_eq!(
            fonts().missing_characters("e\u{301}\u{1112}\u{1161}\u{11ab}"),
            Vec::<char>::new()
        );
    }

    #[test]
    fn a_character_that_no_font_has_is_named_once() {
        let fonts = fonts();
        assert_eq!(fonts.missing_characters("a𓀀b𓀀c𓁐"), vec!['𓀀', '𓁐']);
        assert_eq!(fonts.missing_characters("bell\u{7}"), vec!['\u{7}']);
    }

    /// What is said without laying a text out is what layout would say.
    #[test]
    fn a_character_that_stands_alone_is_drawn() {
        let fonts = fonts();
        let alone: Vec<char> = (' '..='\u{ffff}')
            .filter(|character| fonts.stands_alone(*character))
            .collect();
        assert!(alone.len() > 11_172 + 6_000, "{}", alone.len());
        for text in alone.chunks(500) {
            let text: String = text.iter().collect();
            assert_eq!(
                text_layout::missing_when_laid_out(&fonts, text.clone()),
                Vec::<char>::new(),
                "{text}"
            );
        }
    }

    #[test]
    fn without_fallback_a_han_character_is_missing() {
        let fonts = Fonts::without_fallback().expect("one font");
        assert_eq!(fonts.missing_characters("김 山"), vec!['山']);
    }
}
