//! Dates and times as people write them. A time always names its zone, because without it a time proves nothing.

use domain::Zone;
use domain::date_pattern::english_month;
use domain::language::Language;
use domain::time::{UtcOffset, format_local, local_date, never};
use jiff::Timestamp;
use jiff::civil::Date;

/// A day: `2025년 3월 1일`, `1 March 2025`, `2025年3月1日`.
pub fn date(language: Language, day: Date) -> String {
    let (year, month) = (day.year(), day.month());
    match language {
        Language::Ko => format!("{year}년 {month}월 {}일", day.day()),
        Language::Ja => format!("{year}年{month}月{}日", day.day()),
        Language::En => format!("{} {} {year}", day.day(), english_month(day)),
    }
}

/// A moment to the minute, with its zone: `2025년 3월 1일 18:05 (한국 시간)`.
///
/// The zone is named if readers of this language usually live in it. Otherwise the offset is shown.
pub fn date_time(language: Language, at: Timestamp, zone: Zone) -> String {
    let time = local_date_time(language, at, zone);
    let zone = match (language, zone.offset(at)) {
        (Language::Ko, UtcOffset::KOREA_AND_JAPAN) => "한국 시간".to_owned(),
        (Language::Ja, UtcOffset::KOREA_AND_JAPAN) => "日本時間".to_owned(),
        (_, UtcOffset::UTC) => "UTC".to_owned(),
        (_, offset) => format!("UTC{offset}"),
    };
    format!("{time} ({zone})")
}

/// The same without the zone, for a text that names it once.
pub fn local_date_time(language: Language, at: Timestamp, zone: Zone) -> String {
    let day = date(language, local_date(at, zone));
    let clock = format_local(at, zone);
    let minutes = clock.get(11..16).unwrap_or_default();
    let comma = if language == Language::En { "," } else { "" };
    format!("{day}{comma} {minutes}")
}

/// The deadline in words: a time, or the phrase for [never](domain::time::never).
pub fn deadline(language: Language, at: Timestamp, zone: Zone) -> String {
    if at == never() {
        return crate::text(language, "deadline-never", &[]);
    }
    date_time(language, at, zone)
}

/// A waiting time for use in a sentence, in seconds below a minute, then in minutes, then in hours. It is rounded up,
/// so nobody comes back too early.
pub fn wait(language: Language, seconds: u64) -> String {
    let (key, count) = match seconds {
        0..60 => ("wait-seconds", seconds),
        60..=5400 => ("wait-minutes", seconds.div_ceil(60)),
        _ => ("wait-hours", seconds.div_ceil(3600)),
    };
    crate::text(language, key, &[("count", &count.to_string())])
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::from_microseconds;

    #[test]
    fn a_wait_is_given_in_units_that_people_count_in() {
        for (seconds, korean, english, japanese) in [
            (1, "1초", "1 second", "1 秒"),
            (59, "59초", "59 seconds", "59 秒"),
            (60, "1분", "1 minute", "1 分"),
            (61, "2분", "2 minutes", "2 分"),
            (3600, "60분", "60 minutes", "60 分"),
            (5401, "2시간", "2 hours", "2 時間"),
        ] {
            for (language, words) in [
                (Language::Ko, korean),
                (Language::En, english),
                (Language::Ja, japanese),
            ] {
                assert_eq!(wait(language, seconds), words);
            }
        }
    }

    #[test]
    fn a_moment_in_three_languages_names_its_zone() {
        let at = from_microseconds(1_735_689_599_000_000);
        assert_eq!(
            date_time(Language::Ko, at, Zone::SEOUL),
            "2025년 1월 1일 08:59 (한국 시간)"
        );
        assert_eq!(
            date_time(Language::Ja, at, Zone::SEOUL),
            "2025年1月1日 08:59 (日本時間)"
        );
        assert_eq!(date_time(Language::En, at, Zone::UTC), "31 December 2024, 23:59 (UTC)");
        assert_eq!(
            date_time(Language::En, at, Zone::SEOUL),
            "1 January 2025, 08:59 (UTC+09:00)"
        );
        let elsewhere = Zone::parse("-05:00").expect("an offset");
        assert_eq!(
            date_time(Language::Ko, at, elsewhere),
            "2024년 12월 31일 18:59 (UTC-05:00)"
        );
    }
}
