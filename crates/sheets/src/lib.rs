//! Reads rows of text from a spreadsheet: a CSV file or the first sheet of an XLSX workbook.
//!
//! The file's first bytes show which of the two it is. Cells become text as a person would type it: a number without a
//! fraction becomes its digits, a date becomes `YYYY-MM-DD` followed by the time if there is one, and a time or
//! duration becomes `HH:MM` with the seconds if there are any. The apostrophe that keeps a text from being a formula
//! ([`safe_cell`]) is removed. Empty rows are skipped but counted, so row numbers match those in the spreadsheet
//! program. A CSV file is UTF-8, UTF-16, or in an encoding that Korean and Japanese spreadsheet programs save
//! ([`encoding`]).
//!
//! **Unreadable content never counts as empty.** A cell with an error (`#N/A`), a formula whose result is not in the
//! file, and a date outside the calendar are [`SheetCell::Unreadable`]. A cell with too much text is
//! [`SheetCell::TooLong`]. A CSV file with an unclosed quote is refused, because all rows after the quote would become
//! the text of one cell.
//!
//! A workbook is a ZIP archive of XML: a small file can unpack to a very large one, and one cell can claim to be in the
//! last of a million rows. So we read cell by cell against [`SheetLimits`], and read a stranger's file in a sandboxed
//! process (`document-worker`), so that running out of memory ends only that process.

mod encoding;
pub mod safe_cell;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Cursor;

use calamine::{DataRef, Dimensions, ExcelDateTime, Reader, Xlsx};
use serde::{Deserialize, Serialize};

use safe_cell::original;

/// The first bytes of a ZIP archive.
const ZIP: &[u8] = b"PK\x03\x04";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetLimits {
    /// The number of rows below the header.
    pub rows: u32,
    pub columns: u32,
    /// The number of characters in one cell.
    pub cell: u32,
    /// The number of bytes in all cells together.
    pub bytes: u64,
}

impl Default for SheetLimits {
    fn default() -> SheetLimits {
        SheetLimits {
            rows: 10_000,
            columns: 500,
            // The limit of spreadsheet programs.
            cell: 32_767,
            bytes: 64 * 1024 * 1024,
        }
    }
}

/// A sheet whose first row with content names the columns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sheet {
    pub header: Vec<String>,
    /// The other rows with content.
    pub rows: Vec<SheetRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetRow {
    /// The row number as the spreadsheet program shows it, from 1. In a CSV file, the line on which the row begins.
    pub number: u32,
    /// Trailing empty cells are left out.
    pub cells: Vec<SheetCell>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SheetCell {
    /// Text as a person would type it. Empty if the cell is empty.
    Text(String),
    /// The cell has content, but no value we can read.
    Unreadable,
    /// The cell contains more text than the limit allows.
    TooLong,
}

impl SheetCell {
    pub fn is_empty(&self) -> bool {
        matches!(self, SheetCell::Text(text) if text.trim().is_empty())
    }

    fn text(&self) -> &str {
        match self {
            SheetCell::Text(text) => text,
            SheetCell::Unreadable | SheetCell::TooLong => "",
        }
    }

    /// Returns the cell as a column name. An unreadable cell becomes an empty name.
    fn name(self) -> String {
        match self {
            SheetCell::Text(text) => text,
            SheetCell::Unreadable | SheetCell::TooLong => "#".to_owned(),
        }
    }
}

impl Sheet {
    /// Whether [`read`] may return this sheet under these limits.
    pub fn is_within(&self, limits: &SheetLimits) -> bool {
        let (columns, longest) = (limits.columns as usize, limits.cell as usize);
        let fits = |text: &str| text.chars().count() <= longest;
        !self.header.is_empty()
            && self.header.len() <= columns
            && self.header.iter().all(|name| fits(name))
            && self.rows.len() <= limits.rows as usize
            && self
                .rows
                .iter()
                .all(|row| row.cells.len() <= columns && row.cells.iter().all(|cell| fits(cell.text())))
    }
}

/// The reasons why we cannot read a sheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SheetFault {
    /// A CSV file in an unknown encoding.
    #[error("the file's encoding is unknown; save it as 'CSV UTF-8'")]
    NotUtf8,
    /// Neither a readable workbook nor CSV.
    #[error("the file is not a readable CSV file or XLSX workbook")]
    Unreadable,
    /// Another kind of file, recognised by its first bytes.
    #[error("the file is of the kind {}, not a CSV file or XLSX workbook", kind.word())]
    OtherFile { kind: OtherFile },
    /// A quote in a CSV file does not close, or text follows a closing quote.
    #[error("line {row}: a quotation mark is not closed, or text follows its closing mark")]
    Quote {
        /// The line on which the quote opens.
        row: u32,
    },
    /// No row contains column names.
    #[error("the sheet has no rows")]
    Empty,
    #[error("the sheet has more than {limit} rows")]
    TooManyRows { limit: u32 },
    #[error("the sheet has more than {limit} columns")]
    TooManyColumns { limit: u32 },
    /// All cells together are too long.
    #[error("the sheet contains too much text (the limit is exceeded in row {row})")]
    TooLong {
        /// The row that exceeds the limit.
        row: u32,
    },
}

/// Kinds of files that people upload instead of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OtherFile {
    Pdf,
    /// A workbook in the format before XLSX, or another file of those programs. A password-protected workbook uses the
    /// same container (MS-OFFCRYPTO 2.3.4).
    Xls,
    /// A workbook in `OpenDocument` format.
    OpenDocument,
    Picture,
}

impl OtherFile {
    /// Returns the name of the kind of file, for messages.
    pub const fn word(self) -> &'static str {
        match self {
            OtherFile::Pdf => "pdf",
            OtherFile::Xls => "xls",
            OtherFile::OpenDocument => "open_document",
            OtherFile::Picture => "picture",
        }
    }

    fn of(file: &[u8]) -> Option<OtherFile> {
        let begins = |with: &[&[u8]]| with.iter().any(|start| file.starts_with(start));
        // The first entry of the ZIP archive contains the type, uncompressed (OpenDocument 1.2, part 3, 3.3).
        let says = file.get(30..).unwrap_or_default();
        if begins(&[b"%PDF-"]) {
            Some(OtherFile::Pdf)
        } else if begins(&[b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]) {
            Some(OtherFile::Xls)
        } else if begins(&[b"\x89PNG", b"\xff\xd8\xff", b"GIF8"]) {
            Some(OtherFile::Picture)
        } else if begins(&[ZIP]) && says.starts_with(b"mimetypeapplication/vnd.oasis.opendocument") {
            Some(OtherFile::OpenDocument)
        } else {
            None
        }
    }
}

/// Reads a CSV file or the first sheet of a workbook.
pub fn read(file: &[u8], limits: &SheetLimits) -> Result<Sheet, SheetFault> {
    let mut reading = Reading {
        limits: *limits,
        bytes: 0,
        sheet: Sheet::default(),
    };
    if let Some(kind) = OtherFile::of(file) {
        return Err(SheetFault::OtherFile { kind });
    }
    if file.starts_with(ZIP) {
        read_workbook(file, &mut reading)?;
    } else {
        read_csv(file, &mut reading)?;
    }
    if reading.sheet.header.is_empty() {
        return Err(SheetFault::Empty);
    }
    Ok(reading.sheet)
}

/// Collects rows within the limits.
struct Reading {
    limits: SheetLimits,
    bytes: u64,
    sheet: Sheet,
}

impl Reading {
    fn row(&mut self, number: u32, mut cells: Vec<SheetCell>) -> Result<(), SheetFault> {
        while cells.last().is_some_and(SheetCell::is_empty) {
            cells.pop();
        }
        if cells.is_empty() {
            return Ok(());
        }
        if self.sheet.header.is_empty() {
            self.sheet.header = cells.into_iter().map(SheetCell::name).collect();
            return Ok(());
        }
        if self.sheet.rows.len() >= self.limits.rows as usize {
            return Err(SheetFault::TooManyRows {
                limit: self.limits.rows,
            });
        }
        self.sheet.rows.push(SheetRow { number, cells });
        Ok(())
    }

    /// Marks the cells of a workbook whose formulas have no result.
    fn without_result(&mut self, cells: &BTreeMap<u32, Vec<usize>>) -> Result<(), SheetFault> {
        for (number, columns) in cells {
            let rows = &mut self.sheet.rows;
            let index = match rows.binary_search_by_key(number, |row| row.number) {
                Ok(index) => index,
                // The row had no other content and was skipped.
                Err(index) => {
                    if rows.len() >= self.limits.rows as usize {
                        return Err(SheetFault::TooManyRows {
                            limit: self.limits.rows,
                        });
                    }
                    let row = SheetRow {
                        number: *number,
                        cells: Vec::new(),
                    };
                    rows.insert(index, row);
                    index
                }
            };
            let Some(row) = rows.get_mut(index) else { continue };
            for column in columns {
                if row.cells.len() <= *column {
                    row.cells.resize(*column + 1, SheetCell::Text(String::new()));
                }
                if let Some(cell) = row.cells.get_mut(*column) {
                    *cell = SheetCell::Unreadable;
                }
            }
        }
        Ok(())
    }

    /// Marks the covered cells of merged areas: the spreadsheet shows the content for all of them, but stores it only
    /// in the first.
    fn merged(&mut self, areas: &[Dimensions]) -> Result<(), SheetFault> {
        let columns = self.sheet.header.len();
        let mut covered: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        let mut count = 0;
        for area in areas {
            let (first, last) = (place(area.start.1), place(area.end.1).min(columns.saturating_sub(1)));
            let rows = &self.sheet.rows;
            if first > last {
                continue;
            }
            let begin = rows.partition_point(|row| row.number <= area.start.0);
            for row in rows
                .iter()
                // Skips to the area's first row.
                .skip(begin)
                .take_while(|row| row.number <= area.end.0.saturating_add(1))
            {
                let is_first = row.number == area.start.0.saturating_add(1);
                let under = first + usize::from(is_first)..=last;
                count += under.clone().count().max(1);
                // Merged areas do not overlap.
                if count > rows.len().saturating_mul(columns) {
                    return Err(SheetFault::Unreadable);
                }
                covered.entry(row.number).or_default().extend(under);
            }
        }
        let covered = covered
            .into_iter()
            .map(|(row, columns)| (row, columns.into_iter().collect()));
        self.without_result(&covered.collect())
    }

    /// Puts a cell in its column and fills the columns before it with empty cells.
    fn cell(&mut self, row: u32, cells: &mut Vec<SheetCell>, column: usize, cell: SheetCell) -> Result<(), SheetFault> {
        if column >= self.limits.columns as usize {
            if cell.is_empty() {
                return Ok(());
            }
            return Err(SheetFault::TooManyColumns {
                limit: self.limits.columns,
            });
        }
        // The error only affects this row, and we keep nothing of the text.
        let is_long = cell.text().chars().count() > self.limits.cell as usize;
        let cell = if is_long { SheetCell::TooLong } else { cell };
        self.bytes = self
            .bytes
            .saturating_add(u64::try_from(cell.text().len()).unwrap_or(u64::MAX));
        if self.bytes > self.limits.bytes {
            return Err(SheetFault::TooLong { row });
        }
        cells.resize(column, SheetCell::Text(String::new()));
        cells.push(cell);
        Ok(())
    }
}

fn read_csv(file: &[u8], reading: &mut Reading) -> Result<(), SheetFault> {
    // A file that contains this byte is not text, unless it is UTF-16.
    if file.contains(&0) && !encoding::is_utf16(file) {
        return Err(SheetFault::Unreadable);
    }
    let text = encoding::decoded(file).ok_or(SheetFault::NotUtf8)?;
    let named = named_separator(&text);
    let separator = named.unwrap_or_else(|| separator(&text));
    check_quotes(text.as_bytes(), separator)?;
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let (mut counted, mut number) = (0, 1_u32);
    let mut is_heading = named.is_some();
    while reader.read_record(&mut record).map_err(|_| SheetFault::Unreadable)? {
        // This is not a row of the sheet, but it counts as a line of the file.
        if std::mem::take(&mut is_heading) {
            continue;
        }
        // The reader's own line count is one short after a CR LF, because a record begins after the line ends before
        // it.
        let ends = record.position().and_then(|at| usize::try_from(at.byte()).ok());
        let rest = ends.and_then(|at| text.as_bytes().get(at..)).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let begins = ends.unwrap_or_default() + blank;
        let passed = text.as_bytes().get(counted..begins).unwrap_or_default();
        let lines = passed.split(|byte| *byte == b'\n').count() - 1;
        number = number.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        counted = begins;
        let mut cells = Vec::with_capacity(record.len());
        for (column, cell) in record.iter().enumerate() {
            reading.cell(number, &mut cells, column, SheetCell::Text(original(cell).into_owned()))?;
        }
        reading.row(number, cells)?;
    }
    Ok(())
}

/// Returns the separator named in a first line such as `sep=;`, which spreadsheet programs write and read.
fn named_separator(text: &str) -> Option<u8> {
    let first = text.lines().next()?.trim_matches('"');
    let (word, named) = first.split_once('=')?;
    match named.as_bytes() {
        [separator @ (b',' | b';' | b'\t' | b'|')] if word.eq_ignore_ascii_case("sep") => Some(*separator),
        _ => None,
    }
}

/// Guesses the separator between cells: a comma, or the one that spreadsheet programs use where the comma is the
/// decimal sign.
fn separator(text: &str) -> u8 {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if first.contains(',') {
        b','
    } else {
        [b';', b'\t']
            .into_iter()
            .find(|other| first.as_bytes().contains(other))
            .unwrap_or(b',')
    }
}

/// Accepts only quotes as in RFC 4180 (2.5 to 2.7). The reader also accepts others, and misreads them.
fn check_quotes(text: &[u8], separator: u8) -> Result<(), SheetFault> {
    #[derive(PartialEq)]
    enum Place {
        Begin,
        Plain,
        Quoted,
        Behind,
    }
    let (mut place, mut row, mut opened) = (Place::Begin, 1_u32, 1);
    for byte in text {
        place = match (place, *byte) {
            (Place::Begin, b'"') => {
                opened = row;
                Place::Quoted
            }
            (Place::Quoted, b'"') => Place::Behind,
            (Place::Quoted, _) | (Place::Behind, b'"') => Place::Quoted,
            (_, b'\r' | b'\n') => Place::Begin,
            (_, byte) if byte == separator => Place::Begin,
            (Place::Behind, _) => return Err(SheetFault::Quote { row: opened }),
            (Place::Begin | Place::Plain, _) => Place::Plain,
        };
        if *byte == b'\n' {
            row = row.saturating_add(1);
        }
    }
    if place == Place::Quoted {
        Err(SheetFault::Quote { row: opened })
    } else {
        Ok(())
    }
}

fn read_workbook(file: &[u8], reading: &mut Reading) -> Result<(), SheetFault> {
    let unreadable = |_| SheetFault::Unreadable;
    let mut workbook = Xlsx::new(Cursor::new(file)).map_err(unreadable)?;
    let first = workbook.sheet_names().first().cloned().ok_or(SheetFault::Empty)?;
    let mut cells = workbook.worksheet_cells_reader(&first).map_err(unreadable)?;
    let mut row = 0;
    let mut current = Vec::new();
    let mut empty = HashSet::new();
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (at, column) = cell.get_position();
        if at < row {
            return Err(SheetFault::Unreadable);
        }
        if at > row {
            reading.row(row.saturating_add(1), std::mem::take(&mut current))?;
            row = at;
        }
        let column = place(column);
        if column < current.len() {
            return Err(SheetFault::Unreadable);
        }
        let number = row.saturating_add(1);
        if matches!(cell.get_value(), DataRef::Empty) && column < reading.limits.columns as usize {
            // The cell has only a colour, or a formula without a result. The formulas show which.
            empty.insert((at, column));
        }
        reading.cell(number, &mut current, column, shown(cell.get_value()))?;
    }
    reading.row(row.saturating_add(1), current)?;
    drop(cells);
    reading.merged(&workbook.merge_cells_by_sheet_name(&first).map_err(unreadable)?)?;
    if empty.is_empty() {
        return Ok(());
    }
    let mut formulas = workbook.worksheet_cells_reader(&first).map_err(unreadable)?;
    let mut without_result: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    while let Some(formula) = formulas.next_formula().map_err(unreadable)? {
        let (at, column) = formula.get_position();
        let column = place(column);
        if !formula.get_value().is_empty() && empty.contains(&(at, column)) {
            without_result.entry(at.saturating_add(1)).or_default().push(column);
        }
    }
    reading.without_result(&without_result)
}

/// Returns a cell as a person would type it.
fn shown(value: &DataRef<'_>) -> SheetCell {
    let text = match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) if number.is_finite() => as_calculated(*number),
        DataRef::DateTimeIso(text) => iso_date(text),
        DataRef::DurationIso(text) => text.clone(),
        DataRef::String(text) => original(text).into_owned(),
        DataRef::SharedString(text) => original(text).into_owned(),
        DataRef::Bool(yes) => if *yes { "Y" } else { "N" }.to_owned(),
        DataRef::DateTime(at) => match date(at) {
            Some(text) => text,
            None => return SheetCell::Unreadable,
        },
        DataRef::Empty => String::new(),
        DataRef::Error(_) | DataRef::Float(_) => return SheetCell::Unreadable,
    };
    SheetCell::Text(text)
}

fn place(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Rounds a number to the fifteen digits that spreadsheet programs calculate with: 3.3, not 3.3000000000000003.
fn as_calculated(number: f64) -> String {
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    // Adding 0 turns -0 into 0.
    (rounded + 0.0).to_string()
}

/// The last day that spreadsheet programs support, 9999-12-31, in their day count.
const LAST_DAY: f64 = 2_958_465.0;

/// Formats a date, a time or a duration. `None` for a number outside the calendar.
fn date(at: &ExcelDateTime) -> Option<String> {
    let days = at.as_f64();
    if !(0.0..LAST_DAY + 1.0).contains(&days) {
        return None;
    }
    // A time without a date is a fraction of day 0.
    if at.is_duration() || days < 1.0 {
        return Some(time(days));
    }
    let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
    Some(with_time(
        &format!("{year:04}-{month:02}-{day:02}"),
        &format!("{hour:02}:{minute:02}:{second:02}"),
    ))
}

/// Formats a number of days, with its fraction, in hours and minutes: `09:30`, `26:05`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "days are counted from 0 to the end of the calendar"
)]
fn time(days: f64) -> String {
    let seconds = (days * 86_400.0).round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if seconds == 0 {
        format!("{hours:02}:{minutes:02}")
    } else {
        format!("{hours:02}:{minutes:02}:{seconds:02}")
    }
}

/// Formats an ISO 8601 date like the other dates.
fn iso_date(text: &str) -> String {
    match text.split_once('T') {
        Some((date, time)) => with_time(date, time.split(['.', 'Z', '+']).next().unwrap_or(time)),
        None => text.to_owned(),
    }
}

fn with_time(date: &str, time: &str) -> String {
    if time == "00:00:00" {
        date.to_owned()
    } else {
        format!("{date} {time}")
    }
}
