//! Rows of text from a spreadsheet: a CSV file or the first sheet of an XLSX workbook.
//!
//! Which of the two it is, the file's first bytes tell. Cells become text as a person would type it: a number without a
//! fraction as its digits, a date as `YYYY-MM-DD` with the time behind it where there is one. Rows without content are
//! skipped and still counted, so that a row's number is the one that the spreadsheet program shows.
//!
//! A workbook is a ZIP archive of XML: a small file can unfold into a very large one, and one cell can claim to stand in the
//! last of a million rows. So cells are read one by one, against [`SheetLimits`], and a stranger's file is read in a limited
//! process (`document-worker`), where what unfolds beyond the memory ends that process alone.

use std::io::Cursor;

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};
use serde::{Deserialize, Serialize};

/// How a ZIP archive begins.
const ZIP: &[u8] = b"PK\x03\x04";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is read at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetLimits {
    /// Rows below the header.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// Characters of one cell.
    pub cell: u32,
    /// Bytes of all cells together.
    pub bytes: u64,
}

impl Default for SheetLimits {
    fn default() -> SheetLimits {
        SheetLimits {
            rows: 10_000,
            columns: 500,
            // As many as spreadsheet programs take.
            cell: 32_767,
            bytes: 64 * 1024 * 1024,
        }
    }
}

/// A sheet: its first row with content names the columns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sheet {
    /// The columns' names.
    pub header: Vec<String>,
    /// The other rows with content.
    pub rows: Vec<SheetRow>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetRow {
    /// Its number, from 1, as the spreadsheet program shows it; of a CSV file the line at which it begins.
    pub number: u32,
    /// Its cells; those after the last one with content are left out.
    pub cells: Vec<String>,
}

impl Sheet {
    /// Whether it is what [`read`] may answer under these limits.
    pub fn is_within(&self, limits: &SheetLimits) -> bool {
        let rows = std::iter::once(&self.header).chain(self.rows.iter().map(|row| &row.cells));
        let fits = |cells: &Vec<String>| {
            cells.len() <= limits.columns as usize
                && cells.iter().all(|cell| cell.chars().count() <= limits.cell as usize)
        };
        !self.header.is_empty() && self.rows.len() <= limits.rows as usize && rows.into_iter().all(fits)
    }
}

/// Why a sheet is not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SheetFault {
    /// A CSV file in another encoding than UTF-8.
    #[error("the file is not UTF-8 text; save it as 'CSV UTF-8'")]
    NotUtf8,
    /// Neither a workbook that can be read nor CSV.
    #[error("the file is neither a CSV file nor an XLSX workbook that can be read")]
    Unreadable,
    /// No row names the columns.
    #[error("the sheet has no rows")]
    Empty,
    /// Too many rows.
    #[error("more than {limit} rows")]
    TooManyRows {
        /// How many may be.
        limit: u32,
    },
    /// Too many columns.
    #[error("more than {limit} columns")]
    TooManyColumns {
        /// How many may be.
        limit: u32,
    },
    /// A cell is too long, or all cells together are.
    #[error("row {row}: more text than is taken")]
    TooLong {
        /// Where.
        row: u32,
    },
}

/// Reads a CSV file or the first sheet of a workbook.
pub fn read(file: &[u8], limits: &SheetLimits) -> Result<Sheet, SheetFault> {
    let mut reading = Reading {
        limits: *limits,
        bytes: 0,
        sheet: Sheet::default(),
    };
    if file.starts_with(ZIP) {
        read_workbook(file, &mut reading)?;
    } else {
        read_csv(file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(file), &mut reading)?;
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
    fn row(&mut self, number: u32, mut cells: Vec<String>) -> Result<(), SheetFault> {
        while cells.last().is_some_and(|cell| cell.trim().is_empty()) {
            cells.pop();
        }
        if cells.is_empty() {
            return Ok(());
        }
        if self.sheet.header.is_empty() {
            self.sheet.header = cells;
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

    /// Puts a cell at its column, with empty ones before it.
    fn cell(&mut self, row: u32, cells: &mut Vec<String>, column: usize, text: String) -> Result<(), SheetFault> {
        if column >= self.limits.columns as usize {
            if text.trim().is_empty() {
                return Ok(());
            }
            return Err(SheetFault::TooManyColumns {
                limit: self.limits.columns,
            });
        }
        self.bytes = self.bytes.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        if self.bytes > self.limits.bytes || text.chars().count() > self.limits.cell as usize {
            return Err(SheetFault::TooLong { row });
        }
        cells.resize(column, String::new());
        cells.push(text);
        Ok(())
    }
}

fn read_csv(file: &[u8], reading: &mut Reading) -> Result<(), SheetFault> {
    let text = std::str::from_utf8(file).map_err(|_| SheetFault::NotUtf8)?;
    // Text with this character is some other kind of file.
    if text.contains('\0') {
        return Err(SheetFault::Unreadable);
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let (mut counted, mut number) = (0, 1_u32);
    while reader.read_record(&mut record).map_err(|_| SheetFault::Unreadable)? {
        // The reader's own count of lines is one short after a CR LF: a record begins behind the line ends before it.
        let ends = record.position().and_then(|at| usize::try_from(at.byte()).ok());
        let rest = ends.and_then(|at| file.get(at..)).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let begins = ends.unwrap_or_default() + blank;
        let passed = file.get(counted..begins).unwrap_or_default();
        let lines = passed.split(|byte| *byte == b'\n').count() - 1;
        number = number.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        counted = begins;
        let mut cells = Vec::with_capacity(record.len());
        for (column, cell) in record.iter().enumerate() {
            reading.cell(number, &mut cells, column, cell.to_owned())?;
        }
        reading.row(number, cells)?;
    }
    Ok(())
}

fn read_workbook(file: &[u8], reading: &mut Reading) -> Result<(), SheetFault> {
    let unreadable = |_| SheetFault::Unreadable;
    let mut workbook = Xlsx::new(Cursor::new(file)).map_err(unreadable)?;
    let first = workbook.sheet_names().first().cloned().ok_or(SheetFault::Empty)?;
    let mut cells = workbook.worksheet_cells_reader(&first).map_err(unreadable)?;
    let mut row = 0;
    let mut current = Vec::new();
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (at, column) = cell.get_position();
        if at < row {
            return Err(SheetFault::Unreadable);
        }
        if at > row {
            reading.row(row.saturating_add(1), std::mem::take(&mut current))?;
            row = at;
        }
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if column < current.len() {
            return Err(SheetFault::Unreadable);
        }
        let text = shown(cell.get_value());
        reading.cell(row.saturating_add(1), &mut current, column, text)?;
    }
    reading.row(row.saturating_add(1), current)
}

/// A cell as a person would type it.
fn shown(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(yes) => if *yes { "Y" } else { "N" }.to_owned(),
        DataRef::DateTime(at) => date(at),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

fn date(at: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = at.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) {
        date
    } else {
        format!("{date} {hour:02}:{minute:02}:{second:02}")
    }
}
