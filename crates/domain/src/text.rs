//! Texts that people give: the rules are held once, by the type that a text becomes.
//!
//! A text is trimmed; one that is blank then was not given. No control characters, but line breaks and tabs in what may
//! have several lines. Length is counted in characters.

use std::ops::Deref;

/// Why a text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    /// U+0000 or another character that no text may hold.
    #[error("holds a control character")]
    ControlCharacter,
    /// More characters than there may be.
    #[error("has more than {longest} characters")]
    TooLong {
        /// How many there may be.
        longest: usize,
    },
}

/// A text of one line with at most `longest` characters, trimmed; `None` where it is blank.
pub fn line(text: &str, longest: usize) -> Result<Option<&str>, TextFault> {
    read(text, longest, |_| false)
}

fn read(text: &str, longest: usize, allowed: impl Fn(char) -> bool) -> Result<Option<&str>, TextFault> {
    let text = text.trim();
    if text.chars().any(|c| c.is_control() && !allowed(c)) {
        return Err(TextFault::ControlCharacter);
    }
    if text.chars().count() > longest {
        return Err(TextFault::TooLong { longest });
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// A person's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonName(String);

impl PersonName {
    /// So many characters at most.
    pub const LONGEST: usize = 100;

    /// Reads a name; `None` where it is blank.
    pub fn parse(text: &str) -> Result<Option<PersonName>, TextFault> {
        Ok(line(text, PersonName::LONGEST)?.map(|name| PersonName(name.to_owned())))
    }

    /// The name alone.
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

/// What somebody says to the others: the sender at the start, a writer with his approval or rejection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    /// So many characters at most.
    pub const LONGEST: usize = 250;

    /// Reads a comment; `None` where it is blank.
    pub fn parse(text: &str) -> Result<Option<Comment>, TextFault> {
        let allowed = |c| matches!(c, '\n' | '\r' | '\t');
        Ok(read(text, Comment::LONGEST, allowed)?.map(|comment| Comment(comment.to_owned())))
    }

    /// The words alone.
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

        let comment = |text: &str| Comment::parse(text).map(|comment| comment.map(Comment::into_string));
        assert_eq!(comment("one\r\n\ttwo\n"), Ok(Some("one\r\n\ttwo".to_owned())));
        assert_eq!(comment("a\0b"), Err(TextFault::ControlCharacter));
        assert_eq!(comment(""), Ok(None));
        assert_eq!(comment(&"x".repeat(251)), Err(TextFault::TooLong { longest: 250 }));
    }
}
