//! Formulas of `calc` fields: `+ - * /`, parentheses, numbers, and names of number fields.
//!
//! Exact decimal arithmetic on `i128` with six places, because money that drifts is no evidence.
//! A name stands as it is where it has only letters, digits and `_`, else in `[brackets]`.

use std::collections::BTreeSet;

/// A formula, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula(Expression);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Number(i128),
    Name(String),
    Negative(Box<Expression>),
    Operation(char, Box<Expression>, Box<Expression>),
}

/// Why a formula cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the formula cannot be read at character {0}")]
pub struct FormulaFault(pub usize);

const PLACES: u32 = 6;
const SCALE: i128 = 1_000_000;
const DEEPEST: usize = 50;

impl Formula {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Self, FormulaFault> {
        let mut parser = Parser {
            characters: text.chars().collect(),
            at: 0,
            depth: 0,
        };
        let expression = parser.sum()?;
        parser.skip_blanks();
        if parser.at == parser.characters.len() {
            Ok(Self(expression))
        } else {
            Err(FormulaFault(parser.at))
        }
    }

    /// The names of the fields it needs.
    pub fn names(&self) -> BTreeSet<&str> {
        fn collect<'e>(expression: &'e Expression, names: &mut BTreeSet<&'e str>) {
            match expression {
                Expression::Number(_) => {}
                Expression::Name(name) => {
                    names.insert(name);
                }
                Expression::Negative(inner) => collect(inner, names),
                Expression::Operation(_, left, right) => {
                    collect(left, names);
                    collect(right, names);
                }
            }
        }
        let mut names = BTreeSet::new();
        collect(&self.0, &mut names);
        names
    }

    /// The result as decimal text; `None` where a value is missing, on division by zero, and where
    /// the numbers grow beyond reach.
    pub fn evaluate(&self, value_of: impl Fn(&str) -> Option<String>) -> Option<String> {
        evaluate(&self.0, &value_of).map(write_decimal)
    }
}

fn evaluate(expression: &Expression, value_of: &impl Fn(&str) -> Option<String>) -> Option<i128> {
    match expression {
        Expression::Number(number) => Some(*number),
        Expression::Name(name) => read_decimal(&value_of(name)?),
        Expression::Negative(inner) => evaluate(inner, value_of)?.checked_neg(),
        Expression::Operation(operator, left, right) => {
            let (left, right) = (evaluate(left, value_of)?, evaluate(right, value_of)?);
            match operator {
                '+' => left.checked_add(right),
                '-' => left.checked_sub(right),
                '*' => Some(left.checked_mul(right)? / SCALE),
                _ => left.checked_mul(SCALE)?.checked_div(right),
            }
        }
    }
}

fn read_decimal(text: &str) -> Option<i128> {
    let text: String = text.chars().filter(|c| *c != ',').collect();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut fraction = fraction.to_owned();
    fraction.truncate(PLACES as usize);
    while fraction.len() < PLACES as usize {
        fraction.push('0');
    }
    let number = whole
        .parse::<i128>()
        .ok()?
        .checked_mul(SCALE)?
        .checked_add(fraction.parse().ok()?)?;
    Some(if negative { -number } else { number })
}

fn write_decimal(number: i128) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let number = number.unsigned_abs();
    let scale = SCALE.unsigned_abs();
    let fraction = format!("{:06}", number % scale);
    let fraction = fraction.trim_end_matches('0');
    let whole = number / scale;
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

struct Parser {
    characters: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_blanks();
        let found = self.peek().filter(|c| wanted.contains(c))?;
        self.at += 1;
        Some(found)
    }

    fn sum(&mut self) -> Result<Expression, FormulaFault> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            let right = self.product()?;
            left = Expression::Operation(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, FormulaFault> {
        let mut left = self.factor()?;
        while let Some(operator) = self.take(&['*', '/']) {
            let right = self.factor()?;
            left = Expression::Operation(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expression, FormulaFault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(FormulaFault(self.at));
        }
        let result = self.bare_factor();
        self.depth -= 1;
        result
    }

    fn bare_factor(&mut self) -> Result<Expression, FormulaFault> {
        if self.take(&['-']).is_some() {
            return Ok(Expression::Negative(Box::new(self.factor()?)));
        }
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            return match self.take(&[')']) {
                Some(_) => Ok(inner),
                None => Err(FormulaFault(self.at)),
            };
        }
        if self.take(&['[']).is_some() {
            let start = self.at;
            let name = self.run(|c| c != ']');
            return match self.take(&[']']) {
                Some(_) if !name.is_empty() => Ok(Expression::Name(name)),
                _ => Err(FormulaFault(start)),
            };
        }
        let start = self.at;
        let word = self.run(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = word
                .bytes()
                .all(|b| b.is_ascii_digit() || b == b'.')
                .then(|| read_decimal(&word))
                .flatten();
            return number.map(Expression::Number).ok_or(FormulaFault(start));
        }
        if word.is_empty() || word.contains('.') {
            return Err(FormulaFault(start));
        }
        Ok(Expression::Name(word))
    }

    fn run(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek().filter(|c| wanted(*c)) {
            text.push(c);
            self.at += 1;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(formula: &str) -> Option<String> {
        Formula::parse(formula).unwrap().evaluate(|name| match name {
            "단가" => Some("1,200.50".to_owned()),
            "quantity" => Some("3".to_owned()),
            "tax rate" => Some("0.1".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(result("0.1 + 0.2").as_deref(), Some("0.3"));
        assert_eq!(result("단가 * quantity").as_deref(), Some("3601.5"));
        assert_eq!(result("단가*quantity*(1+[tax rate])").as_deref(), Some("3961.65"));
        assert_eq!(result("-(2 - 5) / 2").as_deref(), Some("1.5"));
        assert_eq!(result("2 - 3 - 4").as_deref(), Some("-5"));
    }

    #[test]
    fn what_has_no_result_has_none() {
        assert_eq!(result("missing + 1"), None);
        assert_eq!(result("1 / 0"), None);
    }

    #[test]
    fn wrong_formulas_name_the_place() {
        for text in ["", "1 +", "(1", "1 2", "a..b", "[", "[]", "1.2.3", "a ^ b"] {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
        assert!(Formula::parse(&"(".repeat(10_000)).is_err());
        assert!(Formula::parse(&"-".repeat(10_000)).is_err());
    }
}
