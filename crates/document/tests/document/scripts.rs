//! Names in many scripts, read in the right order when stamped, on the certificate and as typed signatures.

use document::evidence::certificate::render;
use document::marks::drawing::figure;
use document::marks::stamp::{Mark, MarkContent, stamp};
use document::text::layout::TextStyle;
use domain::drawing::{Drawing, Hand};
use domain::language::Language;

use crate::certificates::content;
use crate::judges::structure_complaints;
use crate::pages::{PageForm, page_file, percent, text};
use crate::stamping::FONTS;

/// A name in each script with its difficult features: marks above and below, conjuncts, joining letters, and
/// right-to-left letters next to Latin ones.
pub const NAMES: [(&str, &str); 22] = [
    ("Thai", "ณัฐพล ศรีสุวรรณ์ ปิ่นปินัทธ์"),
    ("Lao", "ສົມສັກ ພົມມະຈັນ"),
    ("Khmer", "សុខា ព្រះស្រីស្វាយ"),
    ("Burmese", "အောင်ဆန်းကျော်စွာ"),
    ("Devanagari", "श्रीकृष्ण क्षत्रिय द्विवेदी"),
    ("Bengali", "শ্রীমতী চট্টোপাধ্যায়"),
    ("Gurmukhi", "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ"),
    ("Gujarati", "જ્યોતિ ક્ષત્રિય"),
    ("Tamil", "ஸ்ரீகிருஷ்ணன் கோபால்"),
    ("Telugu", "శ్రీనివాస్ కృష్ణ"),
    ("Kannada", "ಶ್ರೀನಿವಾಸ ಕೃಷ್ಣ"),
    ("Malayalam", "ശ്രീകുമാർ കൃഷ്ണൻ"),
    ("Sinhala", "ශ්‍රීමත් ක්‍රිෂ්ණ"),
    ("Georgian", "ნინო ბერიძე"),
    ("Armenian", "Արամ Խաչատրյան"),
    ("Ethiopic", "አበበ ቢቂላ"),
    ("Hebrew", "דָּוִד כֹּהֵן"),
    ("Arabic", "محمد عبد الله"),
    ("Hebrew and Latin", "דוד כהן 123 (Dr. Levi)"),
    ("Arabic and Latin", "محمد Smith 42 علي"),
    ("Latin and Hebrew", "Dr. Levi, דוד כהן 7"),
    ("Korean and Thai", "김민준 (ณัฐพล)"),
];

/// Returns the visible text, without spaces, direction marks and Hebrew points, whose position readers guess. Joiners
/// leave no trace in text that is read back.
fn seen(text: &str) -> String {
    let is_mark = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{591}'..='\u{5c7}');
    text.chars().filter(|c| !c.is_whitespace() && !is_mark(*c)).collect()
}

/// Returns the letters in sorted order, because Poppler guesses the order of bidirectional lines.
fn letters(text: &str) -> Vec<char> {
    let mut letters: Vec<char> = seen(text).chars().collect();
    letters.sort_unstable();
    letters
}

fn typed(name: &str, hand: Hand) -> Drawing {
    Drawing::Typed {
        text: name.to_owned(),
        hand,
    }
}

#[test]
fn a_name_in_each_script_is_stamped_and_read_back() {
    for (script, name) in NAMES {
        let content = MarkContent::Text {
            text: name.to_owned(),
            style: TextStyle::default(),
        };
        let mark = Mark {
            page: 1,
            placement: percent(10, 10, 80, 10),
            content,
        };
        let stamped = stamp(page_file(PageForm::PLAIN), &FONTS, &[mark]).expect(script);
        assert_eq!(structure_complaints(&stamped), Vec::<String>::new(), "{script}");
        // Ignore the page's own text.
        let read = text(&stamped).replace("old content", "");
        assert_eq!(letters(&read), letters(name), "{script}: {read}");
        for word in name.split_whitespace().filter(|_| !script.contains("and")) {
            assert!(seen(&read).contains(&seen(word)), "{script}: {word} is not in {read}");
        }
    }
}

#[test]
fn a_name_in_each_script_stands_on_the_certificate() {
    let names = NAMES.map(|(_, name)| name);
    for language in Language::ALL {
        let pdf = render(&content(language, &names, 30), &FONTS).expect("rendered");
        assert_eq!(structure_complaints(&pdf), Vec::<String>::new());
        let read = seen(&text(&pdf));
        for (script, name) in NAMES {
            for word in name.split_whitespace().filter(|_| !script.contains("and")) {
                assert!(
                    read.contains(&seen(word)),
                    "{language:?}, {script}: {word} is not in {read}"
                );
            }
        }
    }
}

#[test]
fn a_name_in_each_script_is_a_typed_signature() {
    for (script, name) in NAMES {
        for hand in Hand::ALL {
            let drawn = figure(&typed(name, hand)).unwrap_or_else(|fault| panic!("{script}, {hand:?}: {fault}"));
            let contours = drawn.svg().matches('m').count();
            assert!(
                contours >= seen(name).chars().count() / 2,
                "{script}, {hand:?}: {contours}"
            );
        }
    }
}

/// A virama followed by a non-joiner is drawn as a separate mark. Without the non-joiner, the two letters combine.
#[test]
fn letters_that_combine_show_no_virama() {
    for pair in ["শ্র", "প্র", "ট্ট", "ধ্য", "र्क", "श्र", "ક્ષ", "ਪ੍ਰ", "శ్ర", "ಶ್ರ", "ശ്ര"]
    {
        let split: String = pair
            .chars()
            .flat_map(|c| [Some(c), is_virama(c).then_some('\u{200c}')])
            .flatten()
            .collect();
        assert_ne!(pair, split);
        let drawn = |text: &str| figure(&typed(text, Hand::ALL[0])).expect("drawn").svg();
        assert!(drawn(pair) != drawn(&split), "{pair} is drawn as {split}");
    }
}

fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94d}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}'
    )
}

/// A letter missing from one handwriting font is drawn in another handwriting font, not in print.
#[test]
fn a_hand_is_asked_before_print() {
    // Caveat has no Hangul, and the fonts of other scripts contain their own Latin letters.
    let mixed = figure(&typed("é김", Hand::NanumPen)).expect("drawn").svg();
    let alone = figure(&typed("김", Hand::NanumPen)).expect("drawn").svg();
    assert_ne!(mixed, alone);
    for text in ["김민준", "山田", "Jane"] {
        let hands: std::collections::BTreeSet<String> = Hand::ALL
            .into_iter()
            .map(|hand| figure(&typed(text, hand)).expect("drawn").svg())
            .collect();
        assert!(hands.len() > 1, "{text}");
    }
}
