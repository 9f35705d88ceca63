//! The level of a seal, and the behaviour while a time-stamp authority does not respond.

use serde::{Deserialize, Serialize};

/// The level of a PAdES signature (ETSI EN 319 142-1, 6). Each level includes the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SealLevel {
    /// The signature only. Its time is unproven.
    #[serde(rename = "B-B")]
    Basic,
    /// With a timestamp by a time-stamp authority, which proves when the signature existed.
    #[serde(rename = "B-T")]
    Timestamp,
    /// With the certificates and proof that they were valid at that time.
    #[serde(rename = "B-LT")]
    LongTerm,
    /// With a timestamp over everything. The file can be verified for as long as the timestamp is renewed in time.
    #[serde(rename = "B-LTA")]
    Archive,
}

impl SealLevel {
    /// All levels, from the weakest to the strongest.
    pub const ALL: [Self; 4] = [Self::Basic, Self::Timestamp, Self::LongTerm, Self::Archive];

    /// Returns the name used in the standard: `B-B`, `B-T`, `B-LT`, `B-LTA`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Basic => "B-B",
            Self::Timestamp => "B-T",
            Self::LongTerm => "B-LT",
            Self::Archive => "B-LTA",
        }
    }

    /// Parses a level, ignoring case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|level| level.code().eq_ignore_ascii_case(text))
    }
}

/// The behaviour at the last approval while the time-stamp authority does not respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenTsaIsDown {
    /// Seal the document without a timestamp and complete it. A job adds the timestamp as soon as possible.
    #[default]
    SealAndUpgrade,
    /// Refuse the last approval for now. The signer can repeat it when the authority responds.
    Wait,
}

impl WhenTsaIsDown {
    pub const ALL: [Self; 2] = [Self::SealAndUpgrade, Self::Wait];

    /// Returns `seal_and_upgrade` or `wait`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::SealAndUpgrade => "seal_and_upgrade",
            Self::Wait => "wait",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.code() == text)
    }
}

/// Whether the pages of finished documents show that they are sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SealMark {
    /// No mark. PDF readers show the seal outside the page.
    #[default]
    None,
    LastPage,
    EveryPage,
}

impl SealMark {
    pub const ALL: [Self; 3] = [Self::None, Self::LastPage, Self::EveryPage];

    /// Returns `none`, `last-page` or `every-page`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::LastPage => "last-page",
            Self::EveryPage => "every-page",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mark| mark.code() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_read_as_they_are_written() {
        assert!(SealLevel::ALL.is_sorted());
        for level in SealLevel::ALL {
            assert_eq!(SealLevel::parse(&level.code().to_lowercase()), Some(level));
            let json = serde_json::to_string(&level).expect("JSON");
            assert_eq!(json, format!("\"{}\"", level.code()));
        }
        assert_eq!(SealLevel::parse("B"), None);
        for choice in WhenTsaIsDown::ALL {
            assert_eq!(WhenTsaIsDown::parse(choice.code()), Some(choice));
            let json = serde_json::to_string(&choice).expect("JSON");
            assert_eq!(json, format!("\"{}\"", choice.code()));
        }
        for mark in SealMark::ALL {
            assert_eq!(SealMark::parse(mark.code()), Some(mark));
            let json = serde_json::to_string(&mark).expect("JSON");
            assert_eq!(json, format!("\"{}\"", mark.code()));
        }
    }
}
