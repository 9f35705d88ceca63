//! Moments and their notation.
//!
//! A moment is a [`jiff::Timestamp`] truncated to microseconds. It is written in a workflow's own [`Zone`], always with
//! the offset, because a time without an offset proves nothing.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

use crate::zone::Zone;

const LOCAL_FORM: &str = "%Y-%m-%d %H:%M:%S";

/// Returns the moment for microseconds since 1970, UTC. `None` outside the calendar. (`Timestamp::from_microsecond`
/// refuses values in the calendar's last second, which [`cut`] produces.)
pub fn in_calendar(microseconds: i64) -> Option<Timestamp> {
    let nanoseconds = i32::try_from(microseconds.rem_euclid(1_000_000)).ok()? * 1_000;
    Timestamp::new(microseconds.div_euclid(1_000_000), nanoseconds).ok()
}

/// Converts like [`in_calendar`], but clamps numbers outside the calendar to its limits.
pub fn from_microseconds(microseconds: i64) -> Timestamp {
    in_calendar(microseconds).unwrap_or(if microseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

/// Truncates the moment to microseconds.
pub fn cut(at: Timestamp) -> Timestamp {
    from_microseconds(at.as_microsecond())
}

/// The last possible moment, which means 'never'. It is parsed from and written as `9999-12-31 23:59:59` in every zone.
pub fn never() -> Timestamp {
    cut(Timestamp::MAX)
}

/// A distance from UTC, in seconds east.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtcOffset(i32);

impl UtcOffset {
    pub const UTC: Self = Self(0);
    /// The offset of Korea and Japan.
    pub const KOREA_AND_JAPAN: Self = Self(9 * 3600);
    /// The largest offset from UTC in use.
    const LIMIT: i32 = 14 * 3600;

    /// Converts from seconds east of UTC. `None` beyond 14 hours or with a fraction of a minute.
    pub const fn from_seconds(seconds: i32) -> Option<Self> {
        if seconds.abs() <= Self::LIMIT && seconds % 60 == 0 {
            Some(Self(seconds))
        } else {
            None
        }
    }

    pub const fn seconds(self) -> i32 {
        self.0
    }

    /// Parses `+09:00`. Accepts a space in place of the `+`, which URL decoders replace.
    pub fn parse(text: &str) -> Option<Self> {
        let mut characters = text.chars();
        let sign = match characters.next()? {
            '+' | ' ' => 1,
            '-' => -1,
            _ => return None,
        };
        let (hours, minutes) = characters.as_str().split_once(':')?;
        let two_digits = |part: &str| {
            (part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()))
                .then(|| part.parse::<i32>().ok())
                .flatten()
        };
        let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
        if minutes > 59 {
            return None;
        }
        Self::from_seconds(sign * (hours * 3600 + minutes * 60))
    }

    /// Returns a zone's offset truncated to minutes, because some offsets had seconds in the 19th century.
    pub(crate) const fn of(offset: Offset) -> Self {
        Self(offset.seconds() - offset.seconds() % 60)
    }

    pub(crate) fn to_jiff(self) -> Offset {
        Offset::from_seconds(self.0).unwrap_or(Offset::UTC)
    }
}

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let minutes = self.0.abs() / 60;
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// Formats as `YYYY-MM-DD HH:MM:SS` in the zone.
pub fn format_local(at: Timestamp, zone: Zone) -> String {
    let local = zone.to_local(at);
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        local.year(),
        local.month(),
        local.day(),
        local.hour(),
        local.minute(),
        local.second()
    )
}

/// Formats as `YYYY-MM-DD HH:MM:SS (UTC+HH:MM)`, with the offset in force at that time.
pub fn format_with_zone(at: Timestamp, zone: Zone) -> String {
    format!("{} (UTC{})", format_local(at, zone), zone.offset(at))
}

/// Parses `YYYY-MM-DD HH:MM:SS` as a time in the zone. A time after the last possible moment becomes that moment.
pub fn parse_local(text: &str, zone: Zone) -> Option<Timestamp> {
    // `strptime` would accept one digit where the format requires two.
    if text.len() != 19 {
        return None;
    }
    let local = DateTime::strptime(LOCAL_FORM, text).ok()?;
    // The last day of the calendar, often used for 'never', is later than the last possible moment.
    let is_last = local.date() >= jiff::civil::Date::MAX.yesterday().unwrap_or(jiff::civil::Date::MAX);
    zone.to_moment(local).or(is_last.then(never))
}

/// Parses an end time. A date alone (`YYYY-MM-DD`) means its last second.
pub fn parse_local_end(text: &str, zone: Zone) -> Option<Timestamp> {
    if text.len() == "YYYY-MM-DD".len() {
        parse_local(&format!("{text} 23:59:59"), zone)
    } else {
        parse_local(text, zone)
    }
}

/// Returns the calendar day of the moment in the zone.
pub fn local_date(at: Timestamp, zone: Zone) -> jiff::civil::Date {
    zone.to_local(at).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn offsets_read_and_write() {
        for (text, seconds) in [
            ("+09:00", 32_400),
            (" 09:00", 32_400),
            ("-03:30", -12_600),
            ("+00:00", 0),
            ("-00:00", 0),
            ("+14:00", 50_400),
        ] {
            assert_eq!(UtcOffset::parse(text).unwrap().seconds(), seconds, "{text}");
        }
        for text in [
            "", "+", "9", "+9:00", "+09", "+0900", "09:00", "+09:60", "+14:01", "+09:0", "+-9:00", "＋09:00",
        ] {
            assert_eq!(UtcOffset::parse(text), None, "{text}");
        }
        assert_eq!(UtcOffset::parse("-03:30").unwrap().to_string(), "-03:30");
    }

    #[test]
    fn a_moment_is_written_in_its_offset_with_the_zone_named() {
        let at = from_microseconds(1_735_689_599_000_000);
        assert_eq!(format_with_zone(at, Zone::SEOUL), "2025-01-01 08:59:59 (UTC+09:00)");
        assert_eq!(format_local(at, Zone::UTC), "2024-12-31 23:59:59");
    }

    #[test]
    fn wrong_dates_are_refused() {
        for text in [
            "2025-02-30 00:00:00",
            "2025-1-01 00:00:00",
            "2025-01-01",
            "2025-01-01T00:00:00",
            "2025-01-01 24:00:00",
            "2025-01-01 00:00:00Z",
            "",
        ] {
            assert_eq!(parse_local(text, Zone::UTC), None, "{text}");
        }
        // 'Never' in common notations: the last possible moment.
        for text in ["9999-12-31 23:59:59", "9999-12-31 00:00:00", "9999-12-30 23:00:00"] {
            assert_eq!(parse_local(text, Zone::UTC), Some(never()), "{text}");
        }
    }

    #[test]
    fn never_is_written_as_it_was_read_in_every_zone() {
        for zone in ["+00:00", "-14:00", "+14:00", "Asia/Seoul", "America/New_York"] {
            let zone = Zone::parse(zone).unwrap();
            let read = parse_local("9999-12-31 23:59:59", zone).unwrap();
            assert_eq!(read, never(), "{zone}");
            assert_eq!(format_local(read, zone), "9999-12-31 23:59:59", "{zone}");
            assert_eq!(local_date(read, zone), jiff::civil::Date::MAX, "{zone}");
        }
    }

    #[test]
    fn the_calendars_ends_are_moments() {
        for end in [Timestamp::MIN, Timestamp::MAX] {
            let microseconds = cut(end).as_microsecond();
            assert_eq!(in_calendar(microseconds), Some(cut(end)));
            assert_eq!(microseconds, end.as_microsecond());
        }
        assert_eq!(in_calendar(Timestamp::MAX.as_microsecond() + 1), None);
        assert_eq!(in_calendar(Timestamp::MIN.as_microsecond() - 1), None);
    }

    proptest! {
        #[test]
        fn every_moment_is_read_from_its_microseconds(
            seconds in Timestamp::MIN.as_second()..=Timestamp::MAX.as_second(), rest in 0i64..1_000_000,
        ) {
            let microseconds = seconds * 1_000_000 + rest;
            let at = in_calendar(microseconds);
            prop_assert_eq!(at.map(Timestamp::as_microsecond), Some(microseconds));
        }

        #[test]
        fn what_is_written_reads_back(seconds in 0i64..4_000_000_000, minutes in -840i32..=840) {
            let offset = UtcOffset::from_seconds(minutes * 60).unwrap();
            let at = from_microseconds(seconds * 1_000_000);
            prop_assert_eq!(parse_local(&format_local(at, offset.into()), offset.into()), Some(at));
            prop_assert_eq!(UtcOffset::parse(&offset.to_string()), Some(offset));
        }
    }
}
