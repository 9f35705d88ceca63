//! A registered SQL statement.

use std::sync::OnceLock;

/// How a statement makes its commit asynchronous on PostgreSQL. The statement must refer to the CTE, because PostgreSQL
/// skips one that nothing refers to.
const RELAXES: &str = "WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', TRUE) AS setting)";
const HAS_RELAXED: &str = "(SELECT setting FROM relaxed) = 'off'";

/// A named statement, written once for both databases with `$1`-style parameters, or twice if they must differ.
/// Declared with [`statements!`](crate::statements).
///
/// If PostgreSQL changes several tables in one statement (changes in its WITH), SQLite runs several statements in
/// order, with the same parameters. The result is that of the last one.
#[derive(Debug)]
pub struct Statement {
    name: &'static str,
    sqlite: &'static [&'static str],
    postgres: &'static str,
    sqlite_texts: OnceLock<Vec<String>>,
    one_row: OnceLock<Option<OneRow>>,
    relaxes: OnceLock<bool>,
}

/// The parts of an INSERT of one row with `VALUES`.
#[derive(Debug, Clone, Copy)]
struct OneRow {
    /// Up to and including the word `VALUES`.
    head: &'static str,
    /// The row, in parentheses.
    row: &'static str,
    parameters: usize,
}

impl Statement {
    /// Only for [`statements!`](crate::statements).
    #[doc(hidden)]
    pub const fn new(name: &'static str, sqlite: &'static [&'static str], postgres: &'static str) -> Self {
        Statement {
            name,
            sqlite,
            postgres,
            sqlite_texts: OnceLock::new(),
            one_row: OnceLock::new(),
            relaxes: OnceLock::new(),
        }
    }

    /// Module path and name, for errors and logs.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub fn postgres(&self) -> &'static str {
        self.postgres
    }

    /// True if the statement adds one row of values and does nothing else: it resolves no conflict, returns nothing,
    /// looks nothing up. The order of such rows does not matter, except for references between them.
    pub fn adds_one_row(&self) -> bool {
        self.one_row().is_some()
    }

    /// True if the statement itself makes its commit on PostgreSQL asynchronous.
    pub(crate) fn relaxes(&self) -> bool {
        let says_so = || self.postgres.starts_with(RELAXES) && self.postgres.contains(HAS_RELAXED);
        *self.relaxes.get_or_init(says_so)
    }

    /// Returns the text for PostgreSQL that adds this many rows at once, with their parameters one after another.
    /// `None` if the statement does not [add one row](Statement::adds_one_row).
    pub(crate) fn adding(&self, rows: usize) -> Option<String> {
        let OneRow { head, row, parameters } = self.one_row()?;
        let rows: Vec<String> = (0..rows)
            .map(|before| with_parameters(row, |number| format!("${}", before * parameters + number)))
            .collect();
        Some(format!("{head} {}", rows.join(", ")))
    }

    fn one_row(&self) -> Option<OneRow> {
        *self.one_row.get_or_init(|| {
            let (before, row) = self.postgres.split_once(" VALUES (")?;
            let is_whole = self.postgres.starts_with("INSERT INTO ") && !before.contains('$') && row.ends_with(')');
            let inner = row
                .strip_suffix(')')
                .filter(|row| is_whole && !row.contains(['(', ')']))?;
            let start = before.len() + " VALUES ".len();
            let mut parameters = 0;
            with_parameters(inner, |number| {
                parameters = parameters.max(number);
                String::new()
            });
            Some(OneRow {
                head: self.postgres.get(..start)?.trim_end(),
                row: self.postgres.get(start..)?,
                parameters,
            })
        })
    }

    /// Returns the texts for SQLite, usually one. Numbered parameters are written `?1`, because SQLite reads `$1` as a
    /// name and numbers it by its first appearance.
    pub(crate) fn sqlite(&self) -> &[String] {
        self.sqlite_texts
            .get_or_init(|| self.sqlite.iter().map(|text| numbered(text)).collect())
    }
}

/// Turns `$1` into `?1`.
fn numbered(text: &str) -> String {
    with_parameters(text, |number| format!("?{number}"))
}

/// Rewrites each parameter, ignoring quoted text and comments.
fn with_parameters(text: &str, mut written: impl FnMut(usize) -> String) -> String {
    let mut all = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut quote = None;
    let mut comment = false;
    while let Some(character) = characters.next() {
        if comment {
            comment = character != '\n';
        } else if let Some(open) = quote {
            quote = (character != open).then_some(open);
        } else if matches!(character, '\'' | '"') {
            quote = Some(character);
        } else if character == '-' && characters.peek() == Some(&'-') {
            comment = true;
        } else if character == '$' {
            let mut digits = String::new();
            while let Some(digit) = characters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            if let Ok(number) = digits.parse() {
                all.push_str(&written(number));
            } else {
                all.push(character);
                all.push_str(&digits);
            }
            continue;
        }
        all.push(character);
    }
    all
}

/// Declares statements, and the list of them that the statement test reads.
///
/// ```
/// store::statements! {
///     /// Finds a company by its id.
///     pub static BY_ID = "SELECT name FROM company WHERE id = $1";
///     /// Claims one waiting row.
///     pub static CLAIM =
///         sqlite "SELECT id FROM job LIMIT 1",
///         postgres "SELECT id FROM job LIMIT 1 FOR UPDATE SKIP LOCKED";
///     /// Ends a job and what belongs to it.
///     pub static END =
///         sqlite "DELETE FROM part WHERE job_id = $1" then "DELETE FROM job WHERE id = $1 RETURNING id",
///         postgres "WITH parts AS (DELETE FROM part WHERE job_id = $1) DELETE FROM job WHERE id = $1 RETURNING id";
/// }
/// ```
#[macro_export]
macro_rules! statements {
    ($($(#[$meta:meta])* $visibility:vis static $name:ident =
        $(sqlite $first:literal $(then $next:literal)*, postgres)? $text:literal;)*) => {
        $(
            $(#[$meta])*
            $visibility static $name: $crate::Statement = $crate::Statement::new(
                concat!(module_path!(), "::", stringify!($name)),
                $crate::statements!(@sqlite $($first $($next)*,)? $text),
                $text,
            );
        )*
        pub static STATEMENTS: &[&$crate::Statement] = &[$(&$name),*];
    };
    (@sqlite $($sqlite:literal)+, $postgres:literal) => { &[$($sqlite),+] };
    (@sqlite $both:literal) => { &[$both] };
}

#[cfg(test)]
mod tests {
    use super::{HAS_RELAXED, RELAXES, Statement, numbered};

    #[test]
    fn parameters_are_numbered_for_sqlite_and_quoted_text_is_left_alone() {
        assert_eq!(
            numbered("SELECT '$1', \"a$2\", $2 -- it's $3\n, $10 FROM t WHERE a = 'it''s $1'"),
            "SELECT '$1', \"a$2\", ?2 -- it's $3\n, ?10 FROM t WHERE a = 'it''s $1'"
        );
    }

    #[test]
    fn a_statement_relaxes_its_transaction_where_it_says_so_and_looks_at_it() {
        let relaxes = |text: String| Statement::new("test", &[], text.leak()).relaxes();
        assert!(relaxes(format!("{RELAXES} UPDATE t SET a = 1 WHERE {HAS_RELAXED}")));
        assert!(!relaxes(format!("{RELAXES} UPDATE t SET a = 1")));
        assert!(!relaxes(format!("UPDATE t SET a = 1 WHERE {HAS_RELAXED}")));
    }

    #[test]
    fn an_insert_of_one_row_adds_several_and_no_other_statement_does() {
        let several = |text: &'static str| Statement::new("test", &[], text).adding(2);
        assert_eq!(
            several("INSERT INTO t (a, b, c) VALUES ($2, 'it''s $1', $1)").as_deref(),
            Some("INSERT INTO t (a, b, c) VALUES ($2, 'it''s $1', $1), ($4, 'it''s $1', $3)")
        );
        for other in [
            "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO NOTHING",
            "INSERT INTO t (a) VALUES ($1) RETURNING a",
            "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) WHERE (b)",
            "INSERT INTO t (a) SELECT b FROM u WHERE b IN (VALUES ($1))",
            "INSERT INTO t (a) VALUES ((SELECT max(a) FROM t))",
            "WITH x AS (SELECT 1) INSERT INTO t (a) VALUES ($1)",
            "UPDATE t SET a = $1",
        ] {
            assert_eq!(several(other), None, "{other}");
        }
    }
}
