//! The languages of the service.

use serde::{Deserialize, Serialize};

/// A language of pages, mails, messages and certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Korean, the default language of a workflow.
    #[default]
    Ko,
    En,
    Ja,
}

impl Language {
    /// All languages, in the order in which menus list them.
    pub const ALL: [Self; 3] = [Self::Ko, Self::En, Self::Ja];

    /// Returns the two-letter code: `ko`, `en`, `ja`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Ko => "ko",
            Self::En => "en",
            Self::Ja => "ja",
        }
    }

    /// Returns the code with its region, as used in the API: `ko-KR`, `en-US`, `ja-JP`.
    pub const fn locale(self) -> &'static str {
        match self {
            Self::Ko => "ko-KR",
            Self::En => "en-US",
            Self::Ja => "ja-JP",
        }
    }

    /// Parses `ko` or `ko-KR` (any region, also with `_`), ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (language, region) = match text.split_once(['-', '_']) {
            Some((language, region)) => (language, Some(region)),
            None => (text.as_str(), None),
        };
        if let Some(region) = region
            && (region.len() != 2 || !region.bytes().all(|b| b.is_ascii_lowercase()))
        {
            return None;
        }
        Self::ALL.into_iter().find(|known| known.code() == language)
    }

    /// Returns the best language for an `Accept-Language` header, by its weights.
    pub fn negotiate(header: &str) -> Option<Self> {
        let mut best: Option<(Self, f32)> = None;
        for part in header.split(',') {
            let mut pieces = part.split(';');
            let Some(language) = pieces.next().and_then(Self::parse) else {
                continue;
            };
            let weight = pieces
                .find_map(|piece| piece.trim().strip_prefix("q="))
                .map_or(1.0, |q| q.trim().parse().unwrap_or(0.0));
            if weight > 0.0 && best.is_none_or(|(_, held)| weight > held) {
                best = Some((language, weight));
            }
        }
        best.map(|(language, _)| language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_without_regard_to_case() {
        for text in ["ja", "JA", "ja-JP", "ja_jp", " Ja-jp "] {
            assert_eq!(Language::parse(text), Some(Language::Ja), "{text}");
        }
        for text in ["", "fr", "japanese", "ja-", "ja-J1", "ja-JPN", "-JP"] {
            assert_eq!(Language::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_heaviest_known_language_wins() {
        assert_eq!(Language::negotiate("fr, ko;q=0.2, en-GB;q=0.7"), Some(Language::En));
        assert_eq!(Language::negotiate("de, *;q=0.5"), None);
        assert_eq!(Language::negotiate("ja;q=0"), None);
    }
}
