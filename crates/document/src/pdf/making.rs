//! Constructors for new objects.

use super::object::{Dict, Name, Number, Object, Str};

impl Dict {
    /// Builds a dictionary from these keys and values.
    pub fn of<const COUNT: usize>(entries: [(&str, Object); COUNT]) -> Self {
        let mut dict = Self::new();
        for (key, value) in entries {
            dict.set(key.as_bytes(), value);
        }
        dict
    }
}

impl Object {
    pub fn name(name: &str) -> Self {
        Name::new(name.as_bytes()).into()
    }

    /// Builds a text string.
    pub fn text(text: &str) -> Self {
        Str::of_text(text).into()
    }

    /// Builds an array of our own lengths or factors, each rounded to a millionth.
    pub fn numbers<const COUNT: usize>(numbers: [f64; COUNT]) -> Self {
        const MILLION: f64 = 1_000_000.0;
        // Infinite values never occur on a page. Adding 0 turns -0 into 0.
        let number =
            |number: f64| Number::try_from((number * MILLION).round() / MILLION + 0.0).unwrap_or(Number::from(0));
        Self::Array(numbers.into_iter().map(|given| number(given).into()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::write;

    #[test]
    fn numbers_of_our_own_are_short_and_have_no_exponent() {
        let mut written = Vec::new();
        let numbers = [595.275_574, 0.1 + 0.2, -0.000_000_1, 12.0, 1e9, f64::NAN];
        write::value(&mut written, &Object::numbers(numbers), &mut Some);
        assert_eq!(written.escape_ascii().to_string(), "[595.275574 0.3 0 12 1000000000 0]");
    }
}
