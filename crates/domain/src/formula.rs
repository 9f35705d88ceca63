//! Formulas of `calc` fields: `+ - * /`, parentheses, numbers, and names of number and calc fields.
//!
//! **Exact.** We calculate with fractions of integers. Only the result is rounded, by its field's rule and to its
//! field's decimals (six if it sets none). A formula that names another calculated field uses that field's rounded
//! result, because that is the number people see and add up.
//!
//! **Blank.** An empty field counts as 0, but there is no result if all fields in the formula are empty. There is also
//! no result if the formula divides by zero or the numbers grow too large.
//!
//! A name consisting only of letters, digits and `_` is written as it is. Any other name is written in `[brackets]`.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_rational::BigRational;

use crate::field::{Field, FieldKind};
use crate::number::Decimal;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula(Expression);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Expression {
    Number(Decimal),
    Name(String),
    Negative(Box<Expression>),
    Operation(char, Box<Expression>, Box<Expression>),
}

/// A syntax error in a formula: the position of the first invalid character.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the formula has an error at character {0}")]
pub struct FormulaFault(pub usize);

/// The number of decimals of a result if its field sets none.
const USUAL_DECIMALS: u32 = 6;
const DEEPEST: usize = 50;
/// Maximum size of an intermediate number, which may be much longer than a result.
const MOST_BITS: u64 = 8_192;

impl Formula {
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

    /// Returns the names of the fields it uses.
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

    /// Returns the exact result, if there is one. `value_of` returns `None` for an empty field.
    pub fn evaluate(&self, value_of: impl Fn(&str) -> Option<Decimal>) -> Option<BigRational> {
        let names = self.names();
        if !names.is_empty() && names.iter().all(|name| value_of(name).is_none()) {
            return None;
        }
        evaluate(&self.0, &value_of)
    }
}

fn evaluate(expression: &Expression, value_of: &impl Fn(&str) -> Option<Decimal>) -> Option<BigRational> {
    let result = match expression {
        Expression::Number(number) => number.exact(),
        Expression::Name(name) => {
            value_of(name).map_or_else(|| BigRational::from(BigInt::from(0)), |number| number.exact())
        }
        Expression::Negative(inner) => -evaluate(inner, value_of)?,
        Expression::Operation(operator, left, right) => {
            let (left, right) = (evaluate(left, value_of)?, evaluate(right, value_of)?);
            match operator {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ if right.numer().bits() == 0 => return None,
                _ => left / right,
            }
        }
    };
    (result.numer().bits() <= MOST_BITS && result.denom().bits() <= MOST_BITS).then_some(result)
}

/// Returns the results of the calculated fields among `fields`, each after the fields it uses. `value_of` returns the
/// value of every other field.
pub fn calculate<'f>(
    fields: &[&'f Field],
    value_of: impl Fn(&str) -> Option<Decimal>,
) -> BTreeMap<&'f str, Option<Decimal>> {
    let formulas = read_formulas(fields);
    let mut results = BTreeMap::new();
    for name in in_order(&formulas).into_iter().flatten() {
        let Some((field, formula)) = formulas.get(name) else {
            continue;
        };
        let exact = formula.evaluate(|named| match results.get(named) {
            Some(result) => Option::clone(result),
            None => value_of(named),
        });
        let decimals = field.decimals.unwrap_or(USUAL_DECIMALS);
        let result = exact.and_then(|exact| Decimal::rounded(&exact, decimals, field.rounding));
        results.insert(name, result);
    }
    results
}

/// Returns the names of all entered fields that a calculated field uses, directly or through other calculated fields.
pub fn inputs<'f>(fields: &'f [&'f Field], calculated: &'f str) -> BTreeSet<&'f str> {
    let mut inputs = BTreeSet::new();
    let mut met = BTreeSet::new();
    let mut open = vec![calculated];
    while let Some(name) = open.pop() {
        let of_name = fields
            .iter()
            .find(|field| field.name == name && field.kind == FieldKind::Calc);
        let Some(field) = of_name else {
            inputs.insert(name);
            continue;
        };
        let formula = field.formula.as_deref().and_then(|text| Formula::parse(text).ok());
        for needed in formula.iter().flat_map(Formula::names) {
            // Uses the field's own copy of the name, which outlives the parsed formula.
            let known = fields.iter().find(|field| field.name == needed);
            open.extend(known.map(|field| field.name.as_str()).filter(|name| met.insert(*name)));
        }
    }
    inputs
}

/// Returns the name of a calculated field that depends on its own result, if there is one.
pub(crate) fn circle<'f>(fields: &[&'f Field]) -> Option<&'f str> {
    in_order(&read_formulas(fields)).err()
}

type Formulas<'f> = BTreeMap<&'f str, (&'f Field, Formula)>;

fn read_formulas<'f>(fields: &[&'f Field]) -> Formulas<'f> {
    fields
        .iter()
        .filter(|field| field.kind == FieldKind::Calc)
        .filter_map(|field| {
            let formula = Formula::parse(field.formula.as_deref()?).ok()?;
            Some((field.name.as_str(), (*field, formula)))
        })
        .collect()
}

/// Returns the names, each after the names it needs, or a name that depends on itself.
fn in_order<'f>(formulas: &Formulas<'f>) -> Result<Vec<&'f str>, &'f str> {
    // For each name, the number of missing inputs and the names that wait for it (Kahn's algorithm).
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    let mut waiting: BTreeMap<&str, Vec<&'f str>> = BTreeMap::new();
    let mut ready = Vec::new();
    for (name, (_, formula)) in formulas {
        let needed: Vec<&str> = formula
            .names()
            .into_iter()
            .filter_map(|needed| formulas.get_key_value(needed).map(|(known, _)| *known))
            .collect();
        if needed.is_empty() {
            ready.push(*name);
        }
        open.insert(name, needed.len());
        for needed in needed {
            waiting.entry(needed).or_default().push(name);
        }
    }
    let mut order = Vec::new();
    while let Some(name) = ready.pop() {
        order.push(name);
        for next in waiting.remove(name).unwrap_or_default() {
            if let Some(count) = open.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    ready.push(next);
                }
            }
        }
    }
    match formulas
        .keys()
        .find(|name| open.get(*name).is_some_and(|count| *count > 0))
    {
        Some(name) => Err(name),
        None => Ok(order),
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
            return Decimal::parse(&word).map(Expression::Number).ok_or(FormulaFault(start));
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
    use proptest::prelude::*;

    use super::*;
    use crate::field::Placement;
    use crate::number::Rounding;

    fn calc(name: &str, formula: &str) -> Field {
        let placement = Placement {
            x: 0,
            y: 0,
            width: 1,
            height: 1,
        };
        Field {
            formula: Some(formula.to_owned()),
            ..Field::new(name, FieldKind::Calc, 1, 1, placement)
        }
    }

    fn value(name: &str) -> Option<Decimal> {
        Decimal::parse(match name {
            "단가" => "1,200.50",
            "quantity" => "3",
            "tax rate" => "0.1",
            _ => return None,
        })
    }

    fn result_of(field: &Field) -> Option<String> {
        calculate(&[field], value)[field.name.as_str()]
            .as_ref()
            .map(ToString::to_string)
    }

    fn result(formula: &str) -> Option<String> {
        result_of(&calc("result", formula))
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(result("0.1 + 0.2").as_deref(), Some("0.3"));
        assert_eq!(result("단가 * quantity").as_deref(), Some("3601.5"));
        assert_eq!(result("단가*quantity*(1+[tax rate])").as_deref(), Some("3961.65"));
        assert_eq!(result("-(2 - 5) / 2").as_deref(), Some("1.5"));
        assert_eq!(result("2 - 3 - 4").as_deref(), Some("-5"));
        // A third times three is one, because nothing is rounded in between.
        assert_eq!(result("1 / 3 * 3").as_deref(), Some("1"));
        assert_eq!(result("2 / 3").as_deref(), Some("0.666667"));
    }

    #[test]
    fn a_result_is_rounded_to_the_decimals_of_its_field() {
        let mut tax = calc("tax", "단가 * quantity / 11");
        tax.decimals = Some(0);
        assert_eq!(result_of(&tax).as_deref(), Some("327"));
        tax.rounding = Rounding::Up;
        assert_eq!(result_of(&tax).as_deref(), Some("328"));
    }

    #[test]
    fn an_empty_field_counts_as_nothing_unless_all_are_empty() {
        assert_eq!(result("missing + 1 + quantity").as_deref(), Some("4"));
        assert_eq!(result("missing + other"), None);
        assert_eq!(result("missing + 1"), None);
    }

    #[test]
    fn what_has_no_result_has_none() {
        assert_eq!(result("1 / 0"), None);
        assert_eq!(result("quantity / missing"), None);
        let long = "9".repeat(40);
        assert_eq!(result(&format!("{long} * {long}")), None);
        let longer = [long.as_str(); 12].join(" * ");
        assert_eq!(
            result(&format!(
                "({longer}) * ({longer}) * ({longer}) * ({longer}) * ({longer}) * ({longer})"
            )),
            None
        );
    }

    #[test]
    fn calculated_fields_name_each_other_in_any_order() {
        let fields = [
            calc("total", "net + tax"),
            calc("tax", "net * 0.1"),
            calc("net", "단가 * quantity"),
        ];
        let fields: Vec<&Field> = fields.iter().collect();
        let results = calculate(&fields, value);
        assert_eq!(results["total"], Decimal::parse("3961.65"));
        assert_eq!(circle(&fields), None);
    }

    #[test]
    fn a_field_that_needs_its_own_result_is_found() {
        let fields = [calc("a", "b + 1"), calc("b", "c"), calc("c", "a"), calc("d", "2")];
        let fields: Vec<&Field> = fields.iter().collect();
        assert!(circle(&fields).is_some());
        let own = calc("own", "own + 1");
        assert_eq!(circle(&[&own]), Some("own"));
        assert_eq!(calculate(&fields, value), BTreeMap::new());
    }

    #[test]
    fn wrong_formulas_name_the_place() {
        for text in ["", "1 +", "(1", "1 2", "a..b", "[", "[]", "1.2.3", "1.", "a ^ b"] {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
        assert!(Formula::parse(&"(".repeat(10_000)).is_err());
        assert!(Formula::parse(&"-".repeat(10_000)).is_err());
    }

    proptest! {
        /// Compares the results with integer arithmetic in hundredths.
        #[test]
        fn sums_and_products_are_what_they_are_on_paper(a in -1_000_000_000_i128..1_000_000_000, b in -1_000_000_000_i128..1_000_000_000) {
            let hundredths = |number: i128| {
                let sign = if number < 0 { "-" } else { "" };
                format!("{sign}{}.{:02}", number.unsigned_abs() / 100, number.unsigned_abs() % 100)
            };
            let value_of = |name: &str| Decimal::parse(&hundredths(if name == "a" { a } else { b }));
            let evaluate = |formula: &str| Formula::parse(formula).unwrap().evaluate(value_of).unwrap();
            let of = |number: i128, scale: i128| BigRational::new(BigInt::from(number), BigInt::from(scale));
            prop_assert_eq!(evaluate("a + b"), of(a + b, 100));
            prop_assert_eq!(evaluate("a - b"), of(a - b, 100));
            prop_assert_eq!(evaluate("a * b"), of(a * b, 10_000));
            prop_assert_eq!(evaluate("(a + b) * (a - b)"), of((a + b) * (a - b), 10_000));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,200}") {
            if let Ok(formula) = Formula::parse(&text) {
                formula.evaluate(|_| Decimal::parse("7"));
            }
        }
    }
}
