//! Signatures and seals that we draw: a name in a handwriting font, and seals made from a name.
//!
//! A [`Drawing`] describes how it is made, not how it looks. `document::marks::drawing` renders it the same way in the
//! preview, on the page and in the sealed file. It is stored as JSON, so every kind, handwriting or shape that was ever
//! offered must stay here as long as documents are kept ([decision 13](../../../docs/adr/0013-drawn-signatures.md)).
//!
//! [`Seal::proposals`] follows each country's customs for seals: a three-syllable name gets 인 as its fourth character
//! to fill a square, a company's square seal ends in 직인 or 之印, and a Japanese 認印 needs only the family name.

use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::text::{self, TextFault};
use crate::value::{ValueFault, characters};

/// A signature or seal that is drawn from its description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "way", rename_all = "snake_case", deny_unknown_fields)]
pub enum Drawing {
    Typed {
        text: String,
        hand: Hand,
    },
    /// A seal drawn from a name.
    Seal(Seal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hand {
    /// A quick felt-tip pen: Hangul and Latin.
    NanumPen,
    /// Round, careful letters: Hangul and Latin.
    Gaegu,
    /// A brush: Han, kana and Latin.
    YujiSyuku,
    /// A fine pen: Han, kana and Latin.
    ZenKurenaido,
    /// A quick pen: Latin.
    Caveat,
    /// Joined letters: Latin.
    DancingScript,
}

impl Hand {
    pub const ALL: [Self; 6] = [
        Self::NanumPen,
        Self::Gaegu,
        Self::YujiSyuku,
        Self::ZenKurenaido,
        Self::Caveat,
        Self::DancingScript,
    ];

    /// Returns all handwritings, ordered by how well they cover the letters of a text.
    pub fn in_order_for(text: &str) -> [Self; 6] {
        match Writing::of(text) {
            Writing::Hangul | Writing::Han => Self::ALL,
            Writing::Lines => [
                Self::DancingScript,
                Self::Caveat,
                Self::NanumPen,
                Self::ZenKurenaido,
                Self::YujiSyuku,
                Self::Gaegu,
            ],
        }
    }

    /// Returns the code for storage and the API.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NanumPen => "nanum-pen",
            Self::Gaegu => "gaegu",
            Self::YujiSyuku => "yuji-syuku",
            Self::ZenKurenaido => "zen-kurenaido",
            Self::Caveat => "caveat",
            Self::DancingScript => "dancing-script",
        }
    }
}

/// A seal drawn from a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    pub shape: SealShape,
    /// The name of the person or company.
    pub name: String,
    /// The text after the name (인, 印, 직인, 之印), or in the middle of a double ring (대표이사). May be empty.
    pub title: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SealShape {
    /// A circle: 도장, 認印.
    Round,
    /// An upright oval with one column.
    Oval,
    /// A square, in columns from the right: 직인, 角印.
    Square,
    /// The name between two rings, the title inside: 인감, 代表者印.
    DoubleRing,
}

impl SealShape {
    pub const ALL: [Self; 4] = [Self::Round, Self::Oval, Self::Square, Self::DoubleRing];

    /// Returns the code for storage and the API.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Oval => "oval",
            Self::Square => "square",
            Self::DoubleRing => "double-ring",
        }
    }
}

/// A drawing with a file name, like [`crate::FileValue`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawnValue {
    /// The name of the image file made from the drawing.
    pub file_name: String,
    pub drawing: Drawing,
}

impl Drawing {
    /// The most characters of a typed name: as many as a person's name may have ([`text::PersonName::LONGEST`]).
    pub const LONGEST_TEXT: u32 = 100;
    /// Maximum length of the name in a seal, in characters.
    pub const LONGEST_NAME: u32 = 30;
    /// Maximum length of a seal's title, in characters.
    pub const LONGEST_TITLE: u32 = 10;

    /// Returns the drawing with trimmed texts, if they can be drawn.
    pub fn checked(self) -> Result<Self, ValueFault> {
        match self {
            Self::Typed { text, hand } => Ok(Self::Typed {
                text: line(&text, Self::LONGEST_TEXT)?.ok_or(ValueFault::NothingToDraw)?,
                hand,
            }),
            Self::Seal(seal) => Ok(Self::Seal(Seal {
                shape: seal.shape,
                name: line(&seal.name, Self::LONGEST_NAME)?.ok_or(ValueFault::NothingToDraw)?,
                title: line(&seal.title, Self::LONGEST_TITLE)?.unwrap_or_default(),
            })),
        }
    }
}

fn line(text: &str, limit: u32) -> Result<Option<String>, ValueFault> {
    // People count a letter with its accents as one character, so allow more code points.
    match text::line(text, limit as usize * 4) {
        Ok(Some(text)) => match characters(text).count() {
            length if length > limit as usize => Err(ValueFault::TooLong { length, limit }),
            _ => Ok(Some(text.to_owned())),
        },
        Ok(None) => Ok(None),
        Err(TextFault::ControlCharacter) => Err(ValueFault::ControlCharacter),
        Err(TextFault::DirectionControl) => Err(ValueFault::DirectionControl),
        Err(TextFault::OverlongCharacter) => Err(ValueFault::OverlongCharacter),
        Err(TextFault::TooLong { .. }) => Err(ValueFault::TooLong {
            length: characters(text).count(),
            limit,
        }),
    }
}

/// The writing system of a name, which determines the customs that apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Hangul syllables.
    Hangul,
    /// Han characters or kana.
    Han,
    /// Everything else, written in lines.
    Lines,
}

impl Writing {
    /// Returns the writing system of the first letter that belongs to one.
    pub fn of(text: &str) -> Self {
        text.chars()
            .find_map(|character| match character {
                '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => Some(Self::Hangul),
                '\u{3005}'..='\u{30ff}'
                | '\u{3400}'..='\u{4dbf}'
                | '\u{4e00}'..='\u{9fff}'
                | '\u{f900}'..='\u{faff}'
                | '\u{ff66}'..='\u{ff9d}'
                | '\u{2_0000}'..='\u{3_ffff}' => Some(Self::Han),
                _ => None,
            })
            .unwrap_or(Self::Lines)
    }
}

impl Seal {
    /// Returns the seals that suit a person's name, the most common first.
    pub fn of_person(name: &str) -> Vec<Self> {
        let whole: String = name.split_whitespace().collect();
        let length = characters(&whole).count();
        let seal = |shape, name: &str, title: &str| Self {
            shape,
            name: name.to_owned(),
            title: title.to_owned(),
        };
        let mut seals = match Writing::of(name) {
            Writing::Hangul => {
                // With 인 or 의인, a name of two or three syllables fills the four cells.
                let ending = match length {
                    1 | 3 => "인",
                    2 => "의인",
                    _ => "",
                };
                vec![
                    seal(SealShape::Round, &whole, ""),
                    seal(SealShape::Round, &whole, ending),
                    seal(SealShape::Oval, &whole, ""),
                    seal(SealShape::Square, &whole, ending),
                    seal(SealShape::Square, &whole, if length == 4 { "인" } else { "" }),
                ]
            }
            Writing::Han => {
                let family = name.split_whitespace().next().unwrap_or(name);
                let ending = if length == 3 { "印" } else { "之印" };
                vec![
                    seal(SealShape::Round, family, ""),
                    seal(SealShape::Round, &whole, ""),
                    seal(SealShape::Oval, family, ""),
                    seal(SealShape::Square, &whole, ending),
                    seal(SealShape::Square, &whole, ""),
                ]
            }
            Writing::Lines => {
                let initials: String = name
                    .split_whitespace()
                    .filter_map(|word| characters(word).next())
                    .take(3)
                    .collect();
                vec![
                    seal(SealShape::Round, name, ""),
                    seal(SealShape::DoubleRing, name, &initials),
                    seal(SealShape::Square, name, ""),
                ]
            }
        };
        // An oval's single column has room for few characters.
        seals.retain(|seal| seal.shape != SealShape::Oval || characters(&seal.name).count() <= 4);
        without_repeats(seals)
    }

    /// Returns the seals that suit a company's name, the most common first. `title` is the text in the middle of the
    /// double ring. If it is blank, the usual title is chosen: Han characters may be Japanese or, on a Korean page,
    /// Korean.
    pub fn of_company(name: &str, title: &str, language: Language) -> Vec<Self> {
        let whole: String = name.split_whitespace().collect();
        let length = characters(&whole).count();
        let seal = |shape, name: &str, title: &str| Self {
            shape,
            name: name.to_owned(),
            title: title.to_owned(),
        };
        let title = title.trim();
        let or = |usual| if title.is_empty() { usual } else { title };
        let seals = match Writing::of(name) {
            Writing::Hangul => vec![
                seal(SealShape::DoubleRing, &whole, or("대표이사")),
                seal(SealShape::DoubleRing, &whole, "직인"),
                seal(SealShape::Square, &whole, filling(length, &["의인", "인", "의직인"])),
                seal(SealShape::Square, &whole, "직인"),
            ],
            Writing::Han => {
                let usual = if language == Language::Ko {
                    "代表理事"
                } else {
                    "代表取締役印"
                };
                vec![
                    seal(SealShape::DoubleRing, &whole, or(usual)),
                    seal(SealShape::Square, &whole, filling(length, &["之印", "印"])),
                    seal(SealShape::Square, &whole, "印"),
                ]
            }
            Writing::Lines => vec![
                seal(SealShape::DoubleRing, name, or("SEAL")),
                seal(SealShape::Square, name, ""),
            ],
        };
        without_repeats(seals)
    }
}

/// Returns the ending with which a name of `length` best fills a square. The first one wins a tie.
fn filling(length: usize, endings: &[&'static str]) -> &'static str {
    let empty_places = |ending: &&&str| {
        let all = length + characters(ending).count();
        let side = (1..=all).find(|side| side * side >= all).unwrap_or(all);
        side * side - all
    };
    endings.iter().min_by_key(empty_places).copied().unwrap_or_default()
}

fn without_repeats(seals: Vec<Seal>) -> Vec<Seal> {
    let mut once: Vec<Seal> = Vec::with_capacity(seals.len());
    for seal in seals {
        if !once.contains(&seal) {
            once.push(seal);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(seals: &[Seal]) -> Vec<String> {
        let words = |seal: &Seal| format!("{} {} {}", seal.shape.code(), seal.name, seal.title);
        seals.iter().map(words).map(|words| words.trim().to_owned()).collect()
    }

    #[test]
    fn a_name_gets_the_seals_of_its_country() {
        assert_eq!(
            said(&Seal::of_person("김민준")),
            [
                "round 김민준",
                "round 김민준 인",
                "oval 김민준",
                "square 김민준 인",
                "square 김민준"
            ]
        );
        assert_eq!(
            said(&Seal::of_person("남궁민수")),
            [
                "round 남궁민수",
                "oval 남궁민수",
                "square 남궁민수",
                "square 남궁민수 인"
            ]
        );
        assert_eq!(said(&Seal::of_person("김준"))[1], "round 김준 의인");
        assert_eq!(
            said(&Seal::of_person("山田 太郎")),
            [
                "round 山田",
                "round 山田太郎",
                "oval 山田",
                "square 山田太郎 之印",
                "square 山田太郎"
            ]
        );
        assert_eq!(
            said(&Seal::of_person("Jane Doe")),
            ["round Jane Doe", "double-ring Jane Doe JD", "square Jane Doe"]
        );
    }

    #[test]
    fn a_company_gets_an_ending_that_fills_the_square() {
        let seals = said(&Seal::of_company("주식회사 한빛", "", Language::Ko));
        assert_eq!(seals[0], "double-ring 주식회사한빛 대표이사");
        assert!(seals.contains(&"square 주식회사한빛 의직인".to_owned()), "{seals:?}");
        assert!(said(&Seal::of_company("한빛", "", Language::Ko)).contains(&"square 한빛 의인".to_owned()));
        let seals = said(&Seal::of_company("株式会社青空", "", Language::Ja));
        assert_eq!(seals[0], "double-ring 株式会社青空 代表取締役印");
        assert!(seals.contains(&"square 株式会社青空 之印".to_owned()), "{seals:?}");
        assert_eq!(
            said(&Seal::of_company("株式会社青空", " 銀行之印 ", Language::Ja))[0],
            "double-ring 株式会社青空 銀行之印"
        );
    }

    #[test]
    fn it_is_kept_as_plain_json() {
        let typed = Drawing::Typed {
            text: "Jane".to_owned(),
            hand: Hand::DancingScript,
        };
        let kept = r#"{"way":"typed","text":"Jane","hand":"dancing-script"}"#;
        assert_eq!(serde_json::to_string(&typed).unwrap(), kept);
        let seal = Drawing::Seal(Seal {
            shape: SealShape::DoubleRing,
            name: "한빛".to_owned(),
            title: "직인".to_owned(),
        });
        let kept = r#"{"way":"seal","shape":"double-ring","name":"한빛","title":"직인"}"#;
        assert_eq!(serde_json::to_string(&seal).unwrap(), kept);
        assert_eq!(serde_json::from_str::<Drawing>(kept).unwrap(), seal);
        for hand in Hand::ALL {
            assert_eq!(serde_json::to_value(hand).unwrap(), hand.code());
        }
        for shape in SealShape::ALL {
            assert_eq!(serde_json::to_value(shape).unwrap(), shape.code());
        }
    }

    #[test]
    fn texts_are_trimmed_and_have_limits() {
        let typed = |text: &str| {
            let hand = Hand::Caveat;
            let text = text.to_owned();
            Drawing::Typed { text, hand }.checked()
        };
        assert!(matches!(typed("  김민준 "), Ok(Drawing::Typed { text, .. }) if text == "김민준"));
        assert_eq!(typed(" \u{200b} "), Err(ValueFault::NothingToDraw));
        assert_eq!(typed("a\nb"), Err(ValueFault::ControlCharacter));
        assert_eq!(typed("a\u{202e}b"), Err(ValueFault::DirectionControl));
        let long = "가".repeat(101);
        assert_eq!(
            typed(&long),
            Err(ValueFault::TooLong {
                length: 101,
                limit: 100
            })
        );
        assert!(typed(&"e\u{301}".repeat(100)).is_ok());
    }
}
