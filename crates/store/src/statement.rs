//! A registered SQL statement.

use std::sync::OnceLock;

/// A statement with its name, written once for both databases with `$1`-style parameters, or
/// twice where they must differ. Declared by [`statements!`](crate::statements).
#[derive(Debug)]
pub struct Statement {
    name: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
    sqlite_text: OnceLock<String>,
}

impl Statement {
    /// For [`statements!`](crate::statements) alone.
    #[doc(hidden)]
    pub const fn new(name: &'static str, sqlite: &'static str, postgres: &'static str) -> Self {
        Statement {
            name,
            sqlite,
            postgres,
            sqlite_text: OnceLock::new(),
        }
    }

    /// Module path and name, for errors and logs.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The text for PostgreSQL.
    pub fn postgres(&self) -> &'static str {
        self.postgres
    }

    /// The text for SQLite, whose numbered parameters are written `?1`; a `$1` would be taken for
    /// a name and numbered by its first appearance.
    pub(crate) fn sqlite(&self) -> &str {
        self.sqlite_text.get_or_init(|| numbered(self.sqlite))
    }
}

/// Turns `$1` into `?1`, outside of quoted text and comments.
fn numbered(text: &str) -> String {
    let mut numbered = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut quote = None;
    let mut comment = false;
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        if comment {
            comment = character != '\n';
        } else if let Some(open) = quote {
            quote = (character != open).then_some(open);
        } else if matches!(character, '\'' | '"') {
            quote = Some(character);
        } else if character == '-' && next == Some('-') {
            comment = true;
        } else if character == '$' && next.is_some_and(|next| next.is_ascii_digit()) {
            numbered.push('?');
            continue;
        }
        numbered.push(character);
    }
    numbered
}

/// Declares statements, and the list of them that the statement test reads.
///
/// ```
/// store::statements! {
///     /// Finds a company by its id.
///     pub static BY_ID = "SELECT name FROM company WHERE id = $1";
///     /// Takes one waiting row.
///     pub static CLAIM =
///         sqlite "SELECT id FROM job LIMIT 1",
///         postgres "SELECT id FROM job LIMIT 1 FOR UPDATE SKIP LOCKED";
/// }
/// ```
#[macro_export]
macro_rules! statements {
    ($($(#[$meta:meta])* $visibility:vis static $name:ident =
        $(sqlite $sqlite:literal, postgres)? $text:literal;)*) => {
        $(
            $(#[$meta])*
            $visibility static $name: $crate::Statement = $crate::Statement::new(
                concat!(module_path!(), "::", stringify!($name)),
                $crate::statements!(@sqlite $($sqlite,)? $text),
                $text,
            );
        )*
        /// Every statement of this file.
        pub static STATEMENTS: &[&$crate::Statement] = &[$(&$name),*];
    };
    (@sqlite $sqlite:literal, $postgres:literal) => { $sqlite };
    (@sqlite $both:literal) => { $both };
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn parameters_are_numbered_for_sqlite_and_quoted_text_is_left_alone() {
        assert_eq!(
            numbered("SELECT '$1', \"a$2\", $2 -- it's $3\n, $10 FROM t WHERE a = 'it''s $1'"),
            "SELECT '$1', \"a$2\", ?2 -- it's $3\n, ?10 FROM t WHERE a = 'it''s $1'"
        );
    }
}
