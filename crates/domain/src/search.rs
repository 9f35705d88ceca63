//! The terms used to index texts and to search for them.
//!
//! Both databases store and look up exactly these terms, so both return the same results. A text is [folded] and split:
//!
//! - *Letters of scripts without spaces between words, or whose words have endings* (Hangul, Kana, Han, Bopomofo)
//!   become overlapping pairs: 근로계약 becomes 근로, 로계, 계약 and the single last letter 약. So any two adjacent letters are
//!   found, and a single letter is found as the beginning of a term.
//! - *All other text* becomes words: runs of letters, digits and marks.
//!
//! Every term has a position, so a query can require adjacent terms: 김민수 does not find 김민지 and 박민수, and
//! `kim@example.com` is found as a whole and by its parts. A number with signs between its digits is also indexed as
//! one word without them, because people write the same telephone number in several ways.

use std::collections::{BTreeSet, HashMap};

use unicode_normalization::char::is_combining_mark;

use crate::folding::folded;

/// Maximum length of a term, in characters. Longer words are truncated.
const LONGEST_TERM: usize = 64;
/// Highest position of a term. PostgreSQL's `tsvector` supports 16,383 positions.
const LAST_PLACE: usize = 16_000;
/// Maximum number of positions of a term in a document. PostgreSQL's `tsvector` keeps 256.
const MOST_PLACES_OF_TERM: usize = 255;
/// Maximum total length of all terms, in bytes. A `tsvector` may have one megabyte.
const MOST_BYTES: usize = 500_000;
/// Maximum number of terms in a query. Further terms are ignored.
const MOST_SOUGHT: usize = 64;
/// Number of digits in a number that is also indexed without the signs between its digits.
const DIGITS_OF_JOINED: std::ops::RangeInclusive<usize> = 5..=20;

/// A part of a text: a word, or letters that are split into pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Run {
    Word(String),
    /// Letters, each with its marks.
    Letters(Vec<String>),
}

/// Whether the character is Hangul, Kana, Han or Bopomofo. Folded text has no half-width forms and no compatibility
/// ideographs.
const fn is_paired(character: char) -> bool {
    matches!(
        character,
        '\u{1100}'..='\u{11ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3031}'..='\u{3035}'
            | '\u{3038}'..='\u{303c}'
            | '\u{3041}'..='\u{3096}'
            | '\u{309d}'..='\u{309f}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{30fc}'..='\u{30ff}'
            | '\u{3105}'..='\u{318f}'
            | '\u{31a0}'..='\u{31bf}'
            | '\u{31f0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{1aff0}'..='\u{1b16f}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Splits a folded text into runs.
fn runs(text: &str) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut goes_on = false;
    for character in text.chars() {
        let open = runs.last_mut().filter(|_| goes_on);
        goes_on = true;
        match open {
            Some(Run::Letters(letters)) if is_paired(character) => letters.push(character.into()),
            Some(Run::Letters(letters)) if is_combining_mark(character) => {
                if let Some(letter) = letters.last_mut() {
                    letter.push(character);
                }
            }
            _ if is_paired(character) => runs.push(Run::Letters(vec![character.into()])),
            Some(Run::Word(word)) if is_in_word(character) => word.push(character),
            _ if is_in_word(character) => runs.push(Run::Word(character.into())),
            _ => goes_on = false,
        }
    }
    runs
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

fn term(text: &str) -> String {
    text.chars().take(LONGEST_TERM).collect()
}

/// Returns the pairs of letters, without the single last letter.
fn pairs(letters: &[String]) -> impl Iterator<Item = String> + '_ {
    letters.windows(2).map(|pair| term(&pair.concat()))
}

/// Returns the digits of a number written with signs or spaces between them: a telephone number, an amount, a date.
fn joined_digits(text: &str) -> Option<String> {
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '+' | '-' | '.' | ',' | '/' | '(' | ')' | '·' | '‐'..='―');
    if !text.chars().all(|c| c.is_ascii_digit() || is_sign(c)) {
        return None;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_divided = text.split(is_sign).filter(|group| !group.is_empty()).count() > 1;
    (is_divided && DIGITS_OF_JOINED.contains(&digits.len())).then_some(digits)
}

/// The terms of a document with their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentTerms {
    /// The term at each position. `None` separates the terms of different texts.
    places: Vec<Option<String>>,
    uses: HashMap<String, usize>,
    bytes: usize,
}

impl DocumentTerms {
    /// Extracts the terms of these texts, the most important text first. The end of extremely long texts cannot be
    /// found.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut terms = DocumentTerms::default();
        let mut seen = BTreeSet::new();
        for text in texts {
            let text = folded(text);
            if !seen.contains(&text) {
                terms.add(&text);
                seen.insert(text);
            }
        }
        terms
    }

    /// Iterates over the term at each position. `None` is a position without a term.
    pub fn places(&self) -> impl Iterator<Item = Option<&str>> {
        self.places.iter().map(Option::as_deref)
    }

    fn add(&mut self, text: &str) {
        for run in runs(text) {
            match run {
                Run::Word(word) => self.push(term(&word)),
                Run::Letters(letters) => {
                    for pair in pairs(&letters) {
                        self.push(pair);
                    }
                    if let Some(last) = letters.last() {
                        self.push(term(last));
                    }
                }
            }
        }
        let joined: BTreeSet<String> = std::iter::once(text)
            .chain(text.split_whitespace())
            .filter_map(joined_digits)
            .collect();
        for digits in joined {
            self.place(None);
            self.push(digits);
        }
        self.place(None);
    }

    fn push(&mut self, term: String) {
        let uses = self.uses.get(&term).copied().unwrap_or_default();
        if uses == 0 {
            self.bytes += term.len();
        }
        if uses >= MOST_PLACES_OF_TERM || self.bytes > MOST_BYTES {
            self.place(None);
            return;
        }
        self.uses.insert(term.clone(), uses + 1);
        self.place(Some(term));
    }

    fn place(&mut self, term: Option<String>) {
        if self.places.len() < LAST_PLACE {
            self.places.push(term);
        }
    }
}

/// A query for the terms of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// Adjacent terms.
    Phrase {
        terms: Vec<String>,
        /// Whether the last term is a prefix.
        is_begun: bool,
    },
    All(Vec<Sought>),
    Any(Vec<Sought>),
}

impl Sought {
    /// Parses a query. Each of its words must occur in the document, the last part of each as a prefix. `None` if it
    /// contains neither letters nor digits.
    pub fn read(text: &str) -> Option<Self> {
        let text = folded(text);
        let mut left = MOST_SOUGHT;
        let words: Vec<Sought> = text
            .split_whitespace()
            .filter_map(|word| {
                let phrase = phrase(word, &mut left)?;
                Some(with_joined(phrase, word))
            })
            .collect();
        let all = match <[Sought; 1]>::try_from(words) {
            Ok([only]) => return Some(only),
            Err(words) if words.is_empty() => return None,
            Err(words) => Sought::All(words),
        };
        Some(with_joined(all, &text))
    }
}

/// Extends the query to also match a number without the signs between its digits.
fn with_joined(sought: Sought, text: &str) -> Sought {
    let Some(digits) = joined_digits(text) else {
        return sought;
    };
    let joined = Sought::Phrase {
        terms: vec![digits],
        is_begun: true,
    };
    Sought::Any(vec![sought, joined])
}

fn phrase(word: &str, left: &mut usize) -> Option<Sought> {
    let runs = runs(word);
    let mut terms = Vec::new();
    let mut is_begun = false;
    for (place, run) in runs.iter().enumerate() {
        match run {
            Run::Word(word) => {
                terms.push(term(word));
                is_begun = true;
            }
            Run::Letters(letters) => {
                terms.extend(pairs(letters));
                let is_last = place + 1 == runs.len();
                let is_single = letters.len() == 1;
                // After pairs at the end of the query, the document may continue with any letter.
                if is_single || !is_last {
                    terms.extend(letters.last().map(|last| term(last)));
                }
                is_begun = is_single && is_last;
            }
        }
    }
    if terms.len() > *left {
        terms.truncate(*left);
        is_begun = false;
    }
    *left -= terms.len();
    (!terms.is_empty()).then_some(Sought::Phrase { terms, is_begun })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DocumentTerms, LAST_PLACE, MOST_PLACES_OF_TERM, Sought};
    use crate::folding::folded;

    /// Evaluates the query as a database does.
    fn finds(sought: &Sought, terms: &DocumentTerms) -> bool {
        let places: Vec<Option<&str>> = terms.places().collect();
        match sought {
            Sought::All(all) => all.iter().all(|each| finds(each, terms)),
            Sought::Any(any) => any.iter().any(|each| finds(each, terms)),
            Sought::Phrase { terms, is_begun } => places.windows(terms.len()).any(|window| {
                let last = terms.len() - 1;
                window.iter().zip(terms).enumerate().all(|(place, (found, sought))| {
                    found.is_some_and(|found| {
                        found == sought || *is_begun && place == last && found.starts_with(sought.as_str())
                    })
                })
            }),
        }
    }

    fn found(query: &str, texts: &[&str]) -> bool {
        Sought::read(query).is_some_and(|sought| finds(&sought, &DocumentTerms::of(texts.iter().copied())))
    }

    #[test]
    fn people_find_what_they_know_of_a_text() {
        for (query, text) in [
            ("über", "Über uns"),
            ("u\u{308}ber", "ÜBER UNS"),
            ("계약", "근로계약서 2026"),
            ("약", "근로계약"),
            ("근", "근로계약"),
            ("계약서2026", "근로계약서2026년"),
            ("서 2026", "근로계약서 2026"),
            ("契約書", "業務委託契約書"),
            ("ﾀﾅｶ", "タナカ太郎"),
            ("タナカ太", "タナカ太郎"),
            ("辻", "辻\u{e0100}さん"),
            ("3자", "제3자간"),
            ("kim@example.com", "minsu.kim@example.com"),
            ("minsu.kim@example.com", "Minsu.Kim@Example.com"),
            ("example", "kim@example.com"),
            ("@exam", "kim@example.com"),
            ("010-1234-5678", "01012345678"),
            ("01012345678", "010-1234-5678"),
            ("010 1234 5678", "010-1234-5678"),
            ("+82 10-1234-5678", "+821012345678"),
            ("5678", "010-1234-5678"),
            ("1,000,000", "1000000"),
            ("2026-11-30", "2026/11/30"),
            ("100%", "100% special"),
            ("special_name", "100% Special_name"),
            ("agreement lease", "Lease Agreement"),
            ("STRASSE", "Hauptstraße, Straße 5"),
        ] {
            assert!(found(query, &[text]), "{query} in {text}");
        }
        for (query, text) in [
            ("uber", "Über uns"),
            ("계약", "계 약"),
            ("김민수", "김민지 박민수"),
            ("greement", "Agreement"),
            ("kim@example.org", "kim@example.com"),
            ("010-1234-5679", "010-1234-5678"),
            ("lease draft", "Lease Agreement"),
            ("%", "100%"),
            ("", "100%"),
        ] {
            assert!(!found(query, &[text]), "{query} in {text}");
        }
        assert!(!found("kim lee@example.com x", &["kim", "lee@example.com"]));
        assert!(!found("수박", &["김민수", "박민지"]), "two texts are not one");
        assert!(!found("lee-kim", &["lee", "kim"]), "two texts are not one");
    }

    #[test]
    fn endless_texts_have_an_end() {
        let same = "word ".repeat(20_000);
        let terms = DocumentTerms::of([same.as_str()]);
        assert_eq!(terms.places().flatten().count(), MOST_PLACES_OF_TERM);
        let many = (0..10_000)
            .map(|number| format!("{number:0>64}"))
            .collect::<Vec<_>>()
            .join(" ");
        let terms = DocumentTerms::of([many.as_str()]);
        assert!(terms.places().count() <= LAST_PLACE);
        assert!(terms.places().flatten().map(str::len).sum::<usize>() <= super::MOST_BYTES);
        assert!(
            terms
                .places()
                .flatten()
                .all(|term| term.chars().count() <= super::LONGEST_TERM)
        );
        assert!(Sought::read(&many).is_some());
    }

    /// Two or more letters of the paired scripts, in several spellings.
    fn letters() -> impl Strategy<Value = String> {
        let letter = proptest::sample::select(vec![
            "가",
            "각",
            "김",
            "민",
            "수",
            "계",
            "약",
            "\u{1100}\u{1161}",
            "あ",
            "が",
            "か\u{3099}",
            "ア",
            "ー",
            "ｱ",
            "ﾀﾞ",
            "ダ",
            "契",
            "約",
            "書",
            "田",
        ]);
        proptest::collection::vec(letter, 2..8).prop_map(|all| all.concat())
    }

    fn words() -> impl Strategy<Value = String> {
        "[a-cA-CäÄßé0-2]{1,6}"
    }

    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![letters(), words(), "[ ,.・-]{1,2}"];
        proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
    }

    /// Returns the words of a folded text: letters and digits not separated by any other sign or by a letter of a
    /// paired script.
    fn words_of(text: &str) -> Vec<String> {
        let is_latin = |c: char| c.is_ascii_alphanumeric() || ('\u{c0}'..'\u{250}').contains(&c);
        folded(text)
            .split(|c| !is_latin(c))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    }

    proptest! {
        #[test]
        fn letters_of_paired_scripts_are_found_wherever_they_stand(query in letters(), texts in proptest::collection::vec(text(), 0..4)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let simply = texts.iter().any(|text| folded(text).contains(&folded(&query)));
            prop_assert_eq!(found(&query, &texts), simply);
        }

        #[test]
        fn every_part_of_such_a_text_is_found(text in letters(), from in 0_usize..8, length in 1_usize..8) {
            let part: String = folded(&text).chars().skip(from).take(length).collect();
            prop_assume!(!part.is_empty());
            prop_assert!(found(&part, &[&text]));
        }

        #[test]
        fn words_are_found_whole_and_by_their_beginning(query in words(), texts in proptest::collection::vec(text(), 0..4)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let sought = folded(&query);
            let simply = texts.iter().flat_map(|text| words_of(text)).any(|word| word.starts_with(&sought));
            // Numbers with signs between their digits are also one word.
            let is_number = sought.chars().all(|c| c.is_ascii_digit());
            prop_assert!(found(&query, &texts) == simply || is_number && found(&query, &texts));
        }

        #[test]
        fn every_text_is_found_by_itself(text in any::<String>()) {
            let has_terms = Sought::read(&text).is_some();
            prop_assert!(found(&text, &[&text]) || !has_terms);
        }
    }
}
