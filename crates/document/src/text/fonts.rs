//! The fonts for everything that we draw.
//!
//! These families are part of the program: Pretendard in two weights (all 11,172 Hangul syllables, Latin, Greek,
//! Cyrillic, kana; no Han); Noto Sans for the Han characters of Japan, Korea and China, whose shapes differ for the
//! same code point, and for each script of [`SCRIPTS`], in which people write their names; and Noto Emoji in one
//! colour. The language of the text decides which family is tried first, so that a Japanese name looks Japanese in a
//! Japanese document. A field may also specify a family. If the first family lacks a character, the next one that has
//! it is used. An operator can add font files, which are tried last. A character that no font contains is never drawn
//! as a blank or a box: [`Fonts::missing_characters`] lists it, and layout refuses it.
//!
//! Drawn signatures and signature stamps ([`crate::marks::drawing`]) have their own fonts: handwriting fonts, and one
//! for stamps. They are a separate collection, so the text of a document never falls back to a handwriting font. A name
//! in a script without a handwriting font is drawn in the family of [`SCRIPTS`].
//!
//! Loading takes tens of milliseconds, so [`Fonts`] is created once and shared.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use domain::language::Language;
use parley::fontique::{Blob, Collection, CollectionOptions, FontInfo, FontInfoOverride};
use parley::style::{FontFamily, FontFamilyName};
use parley::{FontContext, LayoutContext};
use thiserror::Error;

use crate::text::layout;

/// A font file that cannot be read. If the font is part of the program, the build is broken.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the font {0} cannot be read; replace it with an intact TTF, OTF or TTC file (if it is a built-in font, build the program again)"
)]
pub struct FontUnreadable(pub String);

/// A font file added by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FontFile {
    /// Name for messages.
    pub name: String,
    /// TTF or OTF data, or a font collection.
    pub bytes: Vec<u8>,
}

/// The colour of a run of text: red, green, blue.
pub(super) type Ink = [u8; 3];

macro_rules! embedded {
    ($path:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/node_modules/", $path))
    };
}

const PRETENDARD: &str = "Pretendard";
const NOTO_JP: &str = "Noto Sans JP";
const NOTO_KR: &str = "Noto Sans KR";
const NOTO_SC: &str = "Noto Sans SC";
const NOTO_EMOJI: &str = "Noto Emoji";

pub(super) const NOTO_JP_FILE: &[u8] =
    embedded!("@expo-google-fonts/noto-sans-jp/400Regular/NotoSansJP_400Regular.ttf");
pub(super) const NOTO_KR_FILE: &[u8] =
    embedded!("@expo-google-fonts/noto-sans-kr/400Regular/NotoSansKR_400Regular.ttf");
pub(super) const NOTO_SC_FILE: &[u8] =
    embedded!("@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf");

/// Family and file. A family may have several weights.
const FILES: [(&str, &[u8]); 6] = [
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
    (
        NOTO_EMOJI,
        embedded!("@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf"),
    ),
];

/// The families of further scripts in which people write their names and that [`FILES`] does not cover. No two have a
/// letter in common.
const SCRIPTS: [(&str, &[u8]); 18] = [
    (
        "Noto Sans Arabic",
        embedded!("@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf"),
    ),
    (
        "Noto Sans Hebrew",
        embedded!("@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf"),
    ),
    (
        "Noto Sans Thai",
        embedded!("@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf"),
    ),
    (
        "Noto Sans Lao",
        embedded!("@expo-google-fonts/noto-sans-lao/400Regular/NotoSansLao_400Regular.ttf"),
    ),
    (
        "Noto Sans Khmer",
        embedded!("@expo-google-fonts/noto-sans-khmer/400Regular/NotoSansKhmer_400Regular.ttf"),
    ),
    (
        "Noto Sans Myanmar",
        embedded!("@expo-google-fonts/noto-sans-myanmar/400Regular/NotoSansMyanmar_400Regular.ttf"),
    ),
    (
        "Noto Sans Devanagari",
        embedded!("@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf"),
    ),
    // Noto Sans Bengali is not used, because harfrust 0.12 does not join a following ra in it (a contextual 'blwf').
    (
        "Noto Serif Bengali",
        embedded!("@expo-google-fonts/noto-serif-bengali/400Regular/NotoSerifBengali_400Regular.ttf"),
    ),
    (
        "Noto Sans Gurmukhi",
        embedded!("@expo-google-fonts/noto-sans-gurmukhi/400Regular/NotoSansGurmukhi_400Regular.ttf"),
    ),
    (
        "Noto Sans Gujarati",
        embedded!("@expo-google-fonts/noto-sans-gujarati/400Regular/NotoSansGujarati_400Regular.ttf"),
    ),
    (
        "Noto Sans Tamil",
        embedded!("@expo-google-fonts/noto-sans-tamil/400Regular/NotoSansTamil_400Regular.ttf"),
    ),
    (
        "Noto Sans Telugu",
        embedded!("@expo-google-fonts/noto-sans-telugu/400Regular/NotoSansTelugu_400Regular.ttf"),
    ),
    (
        "Noto Sans Kannada",
        embedded!("@expo-google-fonts/noto-sans-kannada/400Regular/NotoSansKannada_400Regular.ttf"),
    ),
    (
        "Noto Sans Malayalam",
        embedded!("@expo-google-fonts/noto-sans-malayalam/400Regular/NotoSansMalayalam_400Regular.ttf"),
    ),
    (
        "Noto Sans Sinhala",
        embedded!("@expo-google-fonts/noto-sans-sinhala/400Regular/NotoSansSinhala_400Regular.ttf"),
    ),
    (
        "Noto Sans Georgian",
        embedded!("@expo-google-fonts/noto-sans-georgian/400Regular/NotoSansGeorgian_400Regular.ttf"),
    ),
    (
        "Noto Sans Armenian",
        embedded!("@expo-google-fonts/noto-sans-armenian/400Regular/NotoSansArmenian_400Regular.ttf"),
    ),
    (
        "Noto Sans Ethiopic",
        embedded!("@expo-google-fonts/noto-sans-ethiopic/400Regular/NotoSansEthiopic_400Regular.ttf"),
    ),
];

pub(crate) const NANUM_PEN: &str = "Nanum Pen Script";
pub(crate) const GAEGU: &str = "Gaegu";
pub(crate) const YUJI_SYUKU: &str = "Yuji Syuku";
pub(crate) const ZEN_KURENAIDO: &str = "Zen Kurenaido";
pub(crate) const CAVEAT: &str = "Caveat";
pub(crate) const DANCING_SCRIPT: &str = "Dancing Script";
pub(crate) const SONG_MYUNG: &str = "Song Myung";

/// Fonts of signatures and signature stamps, in the order in which they are tried for characters that the chosen one
/// lacks.
const DRAWING_FILES: [(&str, &[u8]); 7] = [
    (
        NANUM_PEN,
        embedded!("@expo-google-fonts/nanum-pen-script/400Regular/NanumPenScript_400Regular.ttf"),
    ),
    (
        YUJI_SYUKU,
        embedded!("@expo-google-fonts/yuji-syuku/400Regular/YujiSyuku_400Regular.ttf"),
    ),
    (
        ZEN_KURENAIDO,
        embedded!("@expo-google-fonts/zen-kurenaido/400Regular/ZenKurenaido_400Regular.ttf"),
    ),
    (
        GAEGU,
        embedded!("@expo-google-fonts/gaegu/400Regular/Gaegu_400Regular.ttf"),
    ),
    (
        CAVEAT,
        embedded!("@expo-google-fonts/caveat/400Regular/Caveat_400Regular.ttf"),
    ),
    (
        DANCING_SCRIPT,
        embedded!("@expo-google-fonts/dancing-script/400Regular/DancingScript_400Regular.ttf"),
    ),
    (
        SONG_MYUNG,
        embedded!("@expo-google-fonts/song-myung/400Regular/SongMyung_400Regular.ttf"),
    ),
];

/// Returns the file of a family in [`DRAWING_FILES`].
pub(crate) fn drawing_file(family: &str) -> Option<&'static [u8]> {
    DRAWING_FILES
        .iter()
        .find(|(known, _)| *known == family)
        .map(|(_, file)| *file)
}

/// Parley's contexts for one layout. They contain caches, so they are kept and reused.
pub(super) struct LayoutContexts {
    pub(super) fonts: FontContext,
    pub(super) layout: LayoutContext<Ink>,
}

/// Characters that look the same next to any other: letters of scripts that do not join, if a font contains them. Most
/// texts contain no others, so no layout is needed to know that nothing is missing.
struct StandingAlone(Box<[u64]>);

impl StandingAlone {
    /// Printable ASCII, kana, Han and Hangul syllables. None of these combines with its neighbours.
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

/// All loaded fonts. Can be shared, because every method takes `&self`.
pub struct Fonts {
    collection: FontContext,
    /// The same files for drawing, by the ID of their bytes in `collection` and the font's index.
    faces: Vec<(u64, u32, krilla::text::Font)>,
    /// The built-in families that are tried last for every language.
    last: Vec<&'static str>,
    /// Families of the added files, in order.
    added: Vec<String>,
    /// The added files.
    added_files: Vec<Arc<dyn AsRef<[u8]> + Send + Sync>>,
    standing_alone: StandingAlone,
    idle: Mutex<Vec<LayoutContexts>>,
}

impl std::fmt::Debug for Fonts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Fonts")
            .field("faces", &self.faces.len())
            .field("added", &self.added)
            .finish_non_exhaustive()
    }
}

impl Fonts {
    /// Loads the built-in fonts.
    pub fn embedded() -> Result<Self, FontUnreadable> {
        let files: Vec<_> = FILES.into_iter().chain(SCRIPTS).collect();
        Self::load(&files)
    }

    /// Loads no fonts, for marks without text. Loading all fonts takes a hundred times as long.
    pub(crate) fn none() -> Result<Self, FontUnreadable> {
        Self::load(&[])
    }

    /// Loads the built-in fonts and the operator's.
    pub fn with_added(files: Vec<FontFile>) -> Result<Self, FontUnreadable> {
        let mut fonts = Self::embedded()?;
        for file in files {
            fonts.add(file)?;
        }
        Ok(fonts)
    }

    /// Loads only the fonts of signatures and signature stamps. Each text specifies its preferred one.
    pub(crate) fn of_drawings() -> Result<Self, FontUnreadable> {
        let files: Vec<_> = DRAWING_FILES.into_iter().chain(SCRIPTS).collect();
        let mut fonts = Self::load(&files)?;
        // Other handwriting fonts before print fonts, so that a replaced letter still looks handwritten.
        fonts.last = files.into_iter().map(|(family, _)| family).collect();
        Ok(fonts)
    }

    fn load(files: &[(&'static str, &'static [u8])]) -> Result<Self, FontUnreadable> {
        let mut fonts = Self {
            collection: FontContext {
                collection: Collection::new(CollectionOptions {
                    shared: false,
                    system_fonts: false,
                }),
                source_cache: parley::fontique::SourceCache::default(),
            },
            faces: Vec::with_capacity(files.len()),
            last: SCRIPTS.iter().map(|(family, _)| *family).chain([NOTO_EMOJI]).collect(),
            added: Vec::new(),
            added_files: Vec::new(),
            standing_alone: StandingAlone::new(),
            idle: Mutex::new(Vec::new()),
        };
        for (family, bytes) in files {
            let named = FontInfoOverride {
                family_name: Some(family),
                ..FontInfoOverride::default()
            };
            fonts
                .register(Blob::new(Arc::new(*bytes)), &(*bytes).into(), Some(named))
                .ok_or_else(|| FontUnreadable((*family).to_owned()))?;
        }
        Ok(fonts)
    }

    fn add(&mut self, file: FontFile) -> Result<(), FontUnreadable> {
        let bytes: Arc<dyn AsRef<[u8]> + Send + Sync> = Arc::new(file.bytes);
        let families = self
            .register(Blob::new(Arc::clone(&bytes)), &Arc::clone(&bytes).into(), None)
            .ok_or(FontUnreadable(file.name))?;
        self.added_files.push(bytes);
        let is_ours = |family: &String| embedded_families().any(|known| known == family);
        for family in families {
            if !self.added.contains(&family) && !is_ours(&family) {
                self.added.push(family);
            }
        }
        Ok(())
    }

    /// Returns the families in the file. `None` if it is not a font.
    fn register(
        &mut self,
        blob: Blob<u8>,
        data: &krilla::Data,
        named: Option<FontInfoOverride<'_>>,
    ) -> Option<Vec<String>> {
        let id = blob.id();
        let registered = self.collection.collection.register_fonts(blob, named);
        let mut families = Vec::new();
        for (family, faces) in &registered {
            for face in faces {
                self.standing_alone.add(face, data.as_ref());
                let font = krilla::text::Font::new(data.clone(), face.index())?;
                self.faces.push((id, face.index(), font));
            }
            families.extend(self.collection.collection.family_name(*family).map(str::to_owned));
        }
        (!families.is_empty()).then_some(families)
    }

    /// Returns the names of all families, which a field may specify.
    pub fn family_names(&self) -> impl Iterator<Item = &str> {
        let ours: Vec<&str> = embedded_families().collect();
        ours.into_iter().chain(self.added.iter().map(String::as_str))
    }

    /// Returns the bytes of the added files, in order.
    pub fn added_files(&self) -> impl Iterator<Item = &[u8]> {
        self.added_files.iter().map(|file| (**file).as_ref())
    }

    /// Returns whether there is a family with this name, ignoring case.
    pub fn has_family(&self, name: &str) -> bool {
        self.family_names().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the characters of `text` that no font contains, each once, in the order in which they occur.
    ///
    /// Line breaks and tabs are not drawn. A letter with a combining accent counts as present if a font contains the
    /// composed form.
    #[must_use]
    pub fn missing_characters(&self, text: &str) -> Vec<char> {
        layout::missing_characters(self, text)
    }

    /// Returns whether the character is drawn independently of its neighbours.
    pub(super) fn stands_alone(&self, character: char) -> bool {
        self.standing_alone.has(character)
    }

    /// Returns the families in the order in which a text of `language` tries them, with `first` before all others.
    pub(super) fn families(&self, language: Language, first: Option<&str>) -> FontFamily<'static> {
        let usual = match language {
            Language::Ko => [PRETENDARD, NOTO_KR, NOTO_JP, NOTO_SC],
            Language::Ja => [NOTO_JP, PRETENDARD, NOTO_SC, NOTO_KR],
            Language::En => [PRETENDARD, NOTO_JP, NOTO_KR, NOTO_SC],
        };
        let owned = |family: &str| FontFamilyName::Named(Cow::Owned(family.to_owned()));
        let families = first
            .map(owned)
            .into_iter()
            .chain(
                usual
                    .into_iter()
                    .chain(self.last.iter().copied())
                    .map(|family| FontFamilyName::Named(Cow::Borrowed(family))),
            )
            .chain(self.added.iter().map(|family| owned(family)));
        FontFamily::List(families.collect())
    }

    pub(super) fn with_contexts<T>(&self, work: impl FnOnce(&mut LayoutContexts) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut contexts = idle.unwrap_or_else(|| LayoutContexts {
            fonts: self.collection.clone(),
            layout: LayoutContext::new(),
        });
        let result = work(&mut contexts);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(contexts);
        result
    }

    pub(super) fn face(&self, font: &parley::FontData) -> Option<&krilla::text::Font> {
        self.faces
            .iter()
            .find(|(id, index, _)| *id == font.data.id() && *index == font.index)
            .map(|(_, _, face)| face)
    }

    /// Loads only the first family, to test fallback against it.
    #[cfg(test)]
    pub(crate) fn without_fallback() -> Result<Self, FontUnreadable> {
        Self::load(&FILES[..1])
    }
}

/// Returns the built-in families, each once.
fn embedded_families() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&str> = FILES.iter().chain(&SCRIPTS).map(|(family, _)| *family).collect();
    names.dedup();
    names.into_iter()
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
            "عقد العمل، ١٢٣٤٫٥٦ ريال – محمد عبد الله",
            "חוזה עבודה: שָׁלוֹם ״כהן״ ₪",
            "ณัฐพล ศรีสุวรรณ ปัญญา ๑๒๓",
            "ສົມສັກ ພົມມະຈັນ ໑໒໓",
            "សុខា ជា ព្រះសីហនុ ១២៣",
            "အောင်ဆန်း ကျော်စွာ ၁၂၃",
            "राजेश क्षत्रिय श्रीकृष्ण द्विवेदी १२३ ।",
            "শ্রীমতী চট্টোপাধ্যায় ক্ষিতি ১২৩",
            "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ ਸ਼੍ਰੀ ੧੨੩",
            "જ્યોતિ ક્ષત્રિય શ્રી ૧૨૩",
            "கிருஷ்ணன் ஸ்ரீ ௧௨௩",
            "శ్రీనివాస్ కృష్ణ ౧౨౩",
            "ಶ್ರೀನಿವಾಸ ಕೃಷ್ಣ ೧೨೩",
            "ശ്രീകുമാർ കൃഷ്ണൻ ൧൨൩",
            "ශ්‍රීමත් ක්‍රිෂ්ණ",
            "ნინო ბერიძე ᲜᲘᲜᲝ",
            "Արամ Խաչատրյան",
            "አበበ ቢቂላ ፩፪፫",
            "👍 🎉 ❤️ 👨‍👩‍👧‍👦 🇰🇷 👩🏽‍💻 ☎ ✅ 1️⃣",
            "1,234,567.89 % + - / * = ( ) [ ] { } ① ② ③ ㈜ ㎡ ℃ ※ ○ ● □ ■ △ ▲ → ←",
            "line\nbreak\ttab\r\nend",
            "",
        ] {
            assert_eq!(fonts.missing_characters(text), Vec::<char>::new(), "{text}");
        }
    }

    #[test]
    fn composed_and_decomposed_are_one() {
        // Decomposed, like file names on some desktop systems.
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

    /// The result without a layout must match that of the layout.
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
                layout::missing_when_laid_out(&fonts, text.clone(), &layout::TextStyle::default()),
                Vec::<char>::new(),
                "{text}"
            );
        }
    }

    #[test]
    fn an_added_font_is_asked_by_its_own_name_and_one_that_is_none_is_refused() {
        let file = |name: &str, bytes: &[u8]| FontFile {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
        };
        let weight = embedded!("pretendard/dist/public/static/Pretendard-SemiBold.otf");
        let fonts = Fonts::with_added(vec![file("more.otf", weight)]).expect("a font");
        assert_eq!(fonts.faces.len(), FILES.len() + SCRIPTS.len() + 1);
        assert_eq!(fonts.added_files().collect::<Vec<_>>(), [weight.as_slice()]);
        let named: Vec<&str> = fonts.family_names().collect();
        assert!(
            named.contains(&"Noto Emoji") && fonts.has_family("pretendard"),
            "{named:?}"
        );
        assert_eq!(
            Fonts::with_added(vec![file("none.otf", b"%PDF-1.7")]).err(),
            Some(FontUnreadable("none.otf".to_owned()))
        );
    }

    #[test]
    fn without_fallback_a_han_character_is_missing() {
        let fonts = Fonts::without_fallback().expect("one font");
        assert_eq!(fonts.missing_characters("김 山"), vec!['山']);
    }
}
