//! Texts entered by people. The type of each text enforces its rules.
//!
//! Texts are trimmed, and a text without visible characters counts as not entered. We refuse control characters, except
//! line breaks and tabs in multi-line texts; direction controls, which make a text read differently from how it is
//! written; and characters with more code points than any script uses. Length is counted in characters.

use std::ops::Deref;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    #[error("contains a control character")]
    ControlCharacter,
    /// A character that changes the reading direction of others.
    #[error("contains a control character that changes the text direction")]
    DirectionControl,
    /// A character with too many code points.
    #[error("contains a character with more than {MOST_PARTS} accents or other marks")]
    OverlongCharacter,
    /// More characters than allowed.
    #[error("has more than {longest} characters")]
    TooLong { longest: usize },
}

/// Maximum number of code points that people count as one character: a letter with its accents, an emoji with its
/// parts. Unicode's stream-safe format allows 30 marks after a letter (UAX 15, 13), and PDF readers support few more.
pub const MOST_PARTS: usize = 32;

/// Whether a text contains a character with more code points than any script uses.
pub fn has_overlong_character(text: &str) -> bool {
    // Most texts contain no character with several code points.
    !text.is_ascii() && crate::value::characters(text).any(|one| one.chars().count() > MOST_PARTS)
}

/// Whether a character is invisible and changes the order in which others are read (UAX 9, 2).
pub const fn is_direction_control(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Whether a character has a meaning only by private agreement.
pub const fn is_private_use(character: char) -> bool {
    matches!(character, '\u{e000}'..='\u{f8ff}' | '\u{f_0000}'..='\u{f_fffd}' | '\u{10_0000}'..='\u{10_fffd}')
}

/// Replaces placeholders in braces, such as `{name}`. Replacements are not scanned again, so braces in them have no
/// effect.
pub fn filled_in(text: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, place) = rest.split_at(at);
        filled.push_str(before);
        let found = values.iter().find_map(|(name, value)| {
            let behind = place.strip_prefix('{')?.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, behind))
        });
        if let Some((value, behind)) = found {
            filled.push_str(value);
            rest = behind;
        } else {
            filled.push('{');
            rest = place.get(1..).unwrap_or_default();
        }
    }
    filled.push_str(rest);
    filled
}

/// Whether a text contains anything visible: more than spaces, controls and invisible characters.
pub fn is_visible(text: &str) -> bool {
    text.chars().any(|character| {
        !(character.is_whitespace()
            || character.is_control()
            || is_private_use(character)
            || is_ignorable(character)
            // The blank Braille pattern.
            || character == '\u{2800}')
    })
}

/// `Default_Ignorable_Code_Point` (Unicode 16), and the interlinear annotation controls.
pub const fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Trims a one-line text of at most `longest` characters. `None` if it is blank.
pub fn line(text: &str, longest: usize) -> Result<Option<&str>, TextFault> {
    read(text, longest, |_| false)
}

fn read(text: &str, longest: usize, allowed: impl Fn(char) -> bool) -> Result<Option<&str>, TextFault> {
    let text = text.trim();
    if text.chars().any(|c| c.is_control() && !allowed(c)) {
        return Err(TextFault::ControlCharacter);
    }
    if text.chars().any(is_direction_control) {
        return Err(TextFault::DirectionControl);
    }
    if has_overlong_character(text) {
        return Err(TextFault::OverlongCharacter);
    }
    if text.chars().count() > longest {
        return Err(TextFault::TooLong { longest });
    }
    Ok(Some(text).filter(|text| is_visible(text)))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonName(String);

impl PersonName {
    pub const LONGEST: usize = 100;

    /// Parses a name. `None` if it is blank.
    pub fn parse(text: &str) -> Result<Option<PersonName>, TextFault> {
        Ok(line(text, PersonName::LONGEST)?.map(|name| PersonName(name.to_owned())))
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for PersonName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A person's message to the others: from the sender at the start, or from a signer who approves or declines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    pub const LONGEST: usize = 250;

    /// Parses a comment. `None` if it is blank.
    pub fn parse(text: &str) -> Result<Option<Comment>, TextFault> {
        let allowed = |c| matches!(c, '\n' | '\r' | '\t');
        Ok(read(text, Comment::LONGEST, allowed)?.map(|comment| Comment(comment.to_owned())))
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Comment {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_held_to_their_rules() {
        let name = |text: &str| PersonName::parse(text).map(|name| name.map(PersonName::into_string));
        assert_eq!(name(" 김민준 "), Ok(Some("김민준".to_owned())));
        assert_eq!(name(" \t\n"), Ok(None));
        assert_eq!(name("a\nb"), Err(TextFault::ControlCharacter));
        assert_eq!(name(&"가".repeat(100)), Ok(Some("가".repeat(100))));
        assert_eq!(name(&"가".repeat(101)), Err(TextFault::TooLong { longest: 100 }));

        for invisible in [
            "\u{200b}",
            "\u{ad}",
            "\u{feff}",
            "\u{2060}\u{2063}",
            "\u{3164}",
            "\u{115f}",
            "\u{180e}",
            "\u{2800}",
            "\u{e000}",
            "\u{a0} \u{3000}",
            "\u{e0041}",
            "\u{fe0f}",
        ] {
            assert_eq!(name(invisible), Ok(None), "{invisible:?}");
        }
        // Joiners are parts of words in some scripts.
        assert_eq!(name("ක්\u{200d}ෂ"), Ok(Some("ක්\u{200d}ෂ".to_owned())));
        for turned in [
            '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}',
        ] {
            let text = format!("evil{turned}gpj.exe");
            assert_eq!(name(&text), Err(TextFault::DirectionControl), "{turned:?}");
            assert_eq!(Comment::parse(&text), Err(TextFault::DirectionControl), "{turned:?}");
        }

        let marked = |marks: usize| format!("a{}b", "\u{301}".repeat(marks));
        assert_eq!(name(&marked(31)), Ok(Some(marked(31))));
        assert_eq!(name(&marked(32)), Err(TextFault::OverlongCharacter));
        assert_eq!(Comment::parse(&marked(200)), Err(TextFault::OverlongCharacter));

        let comment = |text: &str| Comment::parse(text).map(|comment| comment.map(Comment::into_string));
        assert_eq!(comment("one\r\n\ttwo\n"), Ok(Some("one\r\n\ttwo".to_owned())));
        assert_eq!(comment("a\0b"), Err(TextFault::ControlCharacter));
        assert_eq!(comment(""), Ok(None));
        assert_eq!(comment(&"x".repeat(251)), Err(TextFault::TooLong { longest: 250 }));
    }

    #[test]
    fn what_is_filled_in_is_not_filled_in_once_more() {
        let filled = |text| filled_in(text, &[("name", "{date} {name}"), ("date", "2026-01-02")]);
        assert_eq!(filled("For {name}, {date}"), "For {date} {name}, 2026-01-02");
        assert_eq!(filled("{nam} {{name} {"), "{nam} {{date} {name} {");
        assert_eq!(filled(""), "");
    }
}
