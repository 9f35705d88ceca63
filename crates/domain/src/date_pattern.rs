//! Date patterns such as `yyyy.MM.dd`, `yyyy년 M월 d일` or `dd/MM/yyyy`.
//!
//! `yyyy` is the year, `yy` its last two digits; `MM` and `M` are the month with and without a leading zero, `MMMM` and
//! `MMM` its English name and the first three letters of it; `dd` and `d` are the day. Everything else is literal, but
//! Latin letters must be in `'quotes'`, so that a mistake (`YYYY`, `mm`) is found when the template is created. The
//! pattern does not affect the value: programs send and receive a calendar day as `YYYY-MM-DD`.

use std::fmt::Write as _;

use jiff::civil::Date;

/// Maximum length of a pattern, in characters.
pub const LONGEST: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatePattern(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Year,
    ShortYear,
    Month { digits: usize },
    MonthName { short: bool },
    Day { digits: usize },
    Literal(String),
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

pub fn english_month(date: Date) -> &'static str {
    let index = usize::try_from(date.month()).unwrap_or(1).saturating_sub(1);
    MONTHS.get(index).copied().unwrap_or_default()
}

impl DatePattern {
    /// Parses a pattern. `None` if it contains no part of a date or an invalid part.
    pub fn parse(text: &str) -> Option<Self> {
        let characters: Vec<char> = text.chars().collect();
        if characters.len() > LONGEST || characters.iter().any(|c| c.is_control()) {
            return None;
        }
        let mut parts = Vec::new();
        let mut rest = characters.as_slice();
        while let Some(first) = rest.first().copied() {
            let length = if first == '\'' {
                let (_, behind) = rest.split_first()?;
                let closing = behind.iter().position(|c| *c == '\'')?;
                let quoted: String = behind.iter().take(closing).collect();
                // Two quotes in a row stand for one literal quote.
                parts.push(Part::Literal(if quoted.is_empty() { "'".to_owned() } else { quoted }));
                closing + 2
            } else {
                let run = rest.iter().take_while(|c| **c == first).count();
                parts.push(match (first, run) {
                    ('y', 4) => Part::Year,
                    ('y', 2) => Part::ShortYear,
                    ('M', digits @ (1 | 2)) => Part::Month { digits },
                    ('M', 3 | 4) => Part::MonthName { short: run == 3 },
                    ('d', digits @ (1 | 2)) => Part::Day { digits },
                    (letter, _) if letter.is_ascii_alphabetic() => return None,
                    (other, run) => Part::Literal(std::iter::repeat_n(other, run).collect()),
                });
                run
            };
            rest = rest.get(length..)?;
        }
        parts
            .iter()
            .any(|part| !matches!(part, Part::Literal(_)))
            .then_some(Self(parts))
    }

    /// Formats the date.
    pub fn format(&self, date: Date) -> String {
        let mut text = String::new();
        for part in &self.0 {
            // Writing into a string cannot fail.
            let _ = match part {
                Part::Year => write!(text, "{:04}", date.year()),
                Part::ShortYear => write!(text, "{:02}", date.year().rem_euclid(100)),
                Part::Month { digits } => write!(text, "{:0digits$}", date.month()),
                Part::MonthName { short } => {
                    let name = english_month(date);
                    text.write_str(if *short { name.get(..3).unwrap_or(name) } else { name })
                }
                Part::Day { digits } => write!(text, "{:0digits$}", date.day()),
                Part::Literal(literal) => text.write_str(literal),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn dates_are_shown_by_their_pattern() {
        let day = date(2026, 3, 7);
        for (pattern, expected) in [
            ("yyyy.MM.dd", "2026.03.07"),
            ("yyyy년 M월 d일", "2026년 3월 7일"),
            ("yyyy年M月d日", "2026年3月7日"),
            ("dd/MM/yyyy", "07/03/2026"),
            ("d MMMM yyyy", "7 March 2026"),
            ("MMM d, yy", "Mar 7, 26"),
            ("d 'de' MM", "7 de 03"),
            ("d'' M", "7' 3"),
            ("yyyy", "2026"),
            ("MM", "03"),
            ("d", "7"),
            ("yyyyMMdd", "20260307"),
        ] {
            let read = DatePattern::parse(pattern).unwrap_or_else(|| panic!("{pattern}"));
            assert_eq!(read.format(day), expected, "{pattern}");
        }
    }

    #[test]
    fn slips_are_found() {
        for pattern in [
            "",
            "YYYY-MM-DD",
            "yyyy-mm-dd",
            "yyy",
            "ddd",
            "--",
            "'yyyy'",
            "d 'de",
            "dd of MM",
            "d\n",
        ] {
            assert_eq!(DatePattern::parse(pattern), None, "{pattern}");
        }
        assert_eq!(DatePattern::parse(&"d".repeat(61)), None);
    }

    proptest! {
        /// The year, month and day can be read back from the result, with any separators.
        #[test]
        fn what_is_shown_tells_the_day(
            (year, month, day) in (1_i16..=9999, 1_i8..=12, 1_i8..=31),
            separator in "[-./ 년年]",
            order in Just(["yyyy", "MM", "dd"]).prop_shuffle(),
        ) {
            let Ok(date) = Date::new(year, month, day) else { return Ok(()) };
            let pattern = DatePattern::parse(&order.join(&separator)).unwrap();
            let shown = pattern.format(date);
            let mut numbers = shown.split(separator.as_str()).map(|part| part.parse::<i16>().unwrap());
            for part in order {
                let number = numbers.next().unwrap();
                prop_assert_eq!(number, match part {
                    "yyyy" => year,
                    "MM" => i16::from(month),
                    _ => i16::from(day),
                });
            }
        }

        #[test]
        fn no_pattern_panics(text in "\\PC{0,70}") {
            if let Some(pattern) = DatePattern::parse(&text) {
                prop_assert!(!pattern.format(date(2026, 12, 31)).is_empty());
            }
        }
    }
}
