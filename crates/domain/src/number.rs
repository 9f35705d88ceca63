//! Exact decimal numbers: parsing, calculating and formatting.
//!
//! A number is stored with the digits that were entered ([`crate::FieldValue::Number`]). Formatting adds separators and
//! zeros but never changes the number, because a number with more decimals than its field shows is refused on entry.
//! Calculation is exact, with fractions of integers of any length. Only the result is rounded, once, to the decimals of
//! its field, so amounts do not drift.

use std::fmt;

use num_bigint::{BigInt, Sign};
use num_rational::BigRational;
use serde::{Deserialize, Serialize};

/// Maximum length of a number, in characters.
pub const LONGEST: usize = 40;
/// Maximum number of decimals that a field may show.
pub const MOST_DECIMALS: u32 = 10;

/// Replaces full-width digits, signs and spaces, which Japanese and Korean keyboards produce, by their ASCII forms.
pub fn of_usual_width(text: &str) -> String {
    let usual = |character| match character {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character),
        // Hyphens, dashes, the minus sign, and the long vowel mark, which shares a key with them.
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{30fc}' => '-',
        '\u{3000}' | '\u{a0}' => ' ',
        other => other,
    };
    text.chars().map(usual).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NumberFormat {
    /// Whether to show thousands separators (commas) before the decimal point.
    pub thousands: bool,
    /// Number of decimals to show, padded with zeros. `None`: as entered.
    pub decimals: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// To the nearest, with halves away from zero (사사오입, 四捨五入).
    #[default]
    HalfUp,
    /// Towards zero (절사, 切り捨て).
    Down,
    /// Away from zero (절상, 切り上げ).
    Up,
}

/// A decimal number: sign and digits. `+007.50` becomes `7.50`: leading zeros have no meaning, but trailing zeros show
/// the precision that was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    whole: String,
    fraction: String,
}

impl Decimal {
    /// Parses an optional sign, digits with or without thousands separators, and an optional fraction.
    pub fn parse(text: &str) -> Option<Self> {
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        if text.len() > LONGEST {
            return None;
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((_, "")) => return None,
            Some((whole, fraction)) => (whole, fraction),
            None => (digits, ""),
        };
        let grouped = || {
            let mut groups = whole.split(',');
            groups.next().is_some_and(|first| all_digits(first) && first.len() <= 3)
                && groups.all(|group| group.len() == 3 && all_digits(group))
        };
        if !(all_digits(whole) || grouped()) || !(fraction.is_empty() || all_digits(fraction)) {
            return None;
        }
        Some(Self::from_digits(negative, &whole.replace(',', ""), fraction))
    }

    fn from_digits(negative: bool, whole: &str, fraction: &str) -> Self {
        let whole = whole.trim_start_matches('0');
        let is_zero = whole.is_empty() && fraction.bytes().all(|digit| digit == b'0');
        Self {
            negative: negative && !is_zero,
            whole: if whole.is_empty() { "0" } else { whole }.to_owned(),
            fraction: fraction.to_owned(),
        }
    }

    /// Returns the number of decimals it needs.
    pub fn decimals(&self) -> usize {
        self.fraction.trim_end_matches('0').len()
    }

    /// Formats the number. If it needs more decimals than the format has, it keeps them, because we never show a
    /// different number.
    pub fn format(&self, format: NumberFormat) -> String {
        let mut text = String::new();
        if self.negative {
            text.push('-');
        }
        for (index, digit) in self.whole.chars().enumerate() {
            let left = self.whole.len() - index;
            if format.thousands && index > 0 && left.is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        let fraction = match format.decimals {
            None => self.fraction.clone(),
            Some(decimals) => {
                let needed = self.fraction.trim_end_matches('0');
                format!("{needed:0<width$}", width = decimals as usize)
            }
        };
        if !fraction.is_empty() {
            text.push('.');
            text.push_str(&fraction);
        }
        text
    }

    /// Returns the number as an exact fraction for calculations.
    pub fn exact(&self) -> BigRational {
        let digits = format!("{}{}", self.whole, self.fraction);
        let number = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
        let number = if self.negative { -number } else { number };
        let places = u32::try_from(self.fraction.len()).unwrap_or(0);
        BigRational::new(number, BigInt::from(10).pow(places))
    }

    /// Rounds to the nearest number with at most `places` decimals by the given rule, without trailing zeros. `None` if
    /// the result would exceed the maximum length.
    pub fn rounded(exact: &BigRational, places: u32, rounding: Rounding) -> Option<Self> {
        let scaled = exact * BigRational::from(BigInt::from(10).pow(places));
        let whole = match rounding {
            // `round` rounds a half away from zero.
            Rounding::HalfUp => scaled.round(),
            Rounding::Down => scaled.trunc(),
            Rounding::Up if scaled.numer().sign() == Sign::Minus => scaled.floor(),
            Rounding::Up => scaled.ceil(),
        };
        let (sign, digits) = (whole.numer().sign(), whole.numer().magnitude().to_str_radix(10));
        let digits = format!("{digits:0>width$}", width = places as usize + 1);
        let (whole, fraction) = digits.split_at_checked(digits.len() - places as usize)?;
        let number = Self::from_digits(sign == Sign::Minus, whole, fraction.trim_end_matches('0'));
        (number.to_string().len() <= LONGEST).then_some(number)
    }
}

/// Writes plain digits, the form that programs receive.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format(NumberFormat::default()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str, thousands: bool, decimals: Option<u32>) -> String {
        Decimal::parse(text)
            .unwrap()
            .format(NumberFormat { thousands, decimals })
    }

    #[test]
    fn numbers_are_shown_with_separators_and_zeros() {
        for (text, thousands, decimals, expected) in [
            ("1234567", true, None, "1,234,567"),
            ("1,234,567.5", false, None, "1234567.5"),
            ("-1234.5", true, Some(2), "-1,234.50"),
            ("999", true, Some(0), "999"),
            ("1000", true, Some(0), "1,000"),
            ("007", true, None, "7"),
            ("-0.00", true, Some(2), "0.00"),
            ("+12.500", false, Some(1), "12.5"),
            // The number must never change.
            ("0.125", false, Some(2), "0.125"),
        ] {
            assert_eq!(shown(text, thousands, decimals), expected, "{text}");
        }
    }

    #[test]
    fn results_are_rounded_once_by_the_rule_of_the_field() {
        let exact = |text: &str| Decimal::parse(text).unwrap().exact();
        let rounded =
            |text: &str, places, rounding| Decimal::rounded(&exact(text), places, rounding).unwrap().to_string();
        for (text, places, half_up, down, up) in [
            ("2.5", 0, "3", "2", "3"),
            ("-2.5", 0, "-3", "-2", "-3"),
            ("1.004", 2, "1", "1", "1.01"),
            ("-0.4", 0, "0", "0", "-1"),
            ("12345.678", 1, "12345.7", "12345.6", "12345.7"),
            ("7", 6, "7", "7", "7"),
        ] {
            assert_eq!(rounded(text, places, Rounding::HalfUp), half_up, "{text}");
            assert_eq!(rounded(text, places, Rounding::Down), down, "{text}");
            assert_eq!(rounded(text, places, Rounding::Up), up, "{text}");
        }
        let long = exact(&"9".repeat(40)) * exact(&"9".repeat(40));
        assert_eq!(Decimal::rounded(&long, 0, Rounding::HalfUp), None);
    }

    fn any_number() -> impl Strategy<Value = String> {
        "[+-]?[0-9]{1,18}(\\.[0-9]{1,15})?"
    }

    proptest! {
        #[test]
        fn showing_a_number_never_changes_it(text in any_number(), thousands: bool, decimals in proptest::option::of(0_u32..=10)) {
            let number = Decimal::parse(&text).unwrap();
            let shown = number.format(NumberFormat { thousands, decimals });
            let read = Decimal::parse(&shown).expect("what is shown can be read");
            prop_assert_eq!(read.exact(), number.exact());
            if let Some(decimals) = decimals {
                let after_point = shown.split_once('.').map_or(0, |(_, fraction)| fraction.len());
                prop_assert_eq!(after_point, number.decimals().max(decimals as usize));
            }
            prop_assert!(thousands || !shown.contains(','));
            // Removing the commas gives the number without separators.
            let plain = number.format(NumberFormat { thousands: false, decimals });
            prop_assert_eq!(shown.replace(',', ""), plain);
        }

        #[test]
        fn what_is_no_number_is_refused_without_a_panic(text in "\\PC*") {
            if let Some(number) = Decimal::parse(&text) {
                prop_assert!(Decimal::parse(&number.to_string()).is_some());
            }
        }

        #[test]
        fn rounding_moves_by_less_than_one_of_the_last_place(text in any_number(), places in 0_u32..=10) {
            let exact = Decimal::parse(&text).unwrap().exact();
            let unit = BigRational::new(1.into(), BigInt::from(10).pow(places));
            let round = |rounding| Decimal::rounded(&exact, places, rounding).unwrap().exact();
            let (nearest, down, up) = (round(Rounding::HalfUp), round(Rounding::Down), round(Rounding::Up));
            let distance = |other: &BigRational| {
                let difference = &exact - other;
                if difference.numer().sign() == Sign::Minus { -difference } else { difference }
            };
            let two = BigRational::from(BigInt::from(2));
            prop_assert!(distance(&nearest) * two <= unit);
            prop_assert!(distance(&down) < unit && distance(&up) < unit);
            prop_assert!(nearest == down || nearest == up);
        }
    }
}
