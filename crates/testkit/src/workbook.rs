//! XLSX workbooks for tests, with the few parts that every spreadsheet program writes.

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

#[derive(Debug, Clone, Copy)]
pub enum Cell<'c> {
    Nothing,
    Text(&'c str),
    /// A number, written in digits.
    Number(&'c str),
    /// A date, stored as days since 1900.
    Date(&'c str),
    /// A time of day, stored as a fraction of a day.
    Time(&'c str),
    /// A duration in days.
    Duration(&'c str),
    Bool(bool),
    /// An error such as `#N/A`.
    Error(&'c str),
    /// A formula without a stored result, as written by programs that do not calculate.
    Formula(&'c str),
}

/// Returns a workbook with one sheet of these rows.
pub fn workbook(rows: &[Vec<Cell<'_>>]) -> Vec<u8> {
    let mut xml = String::new();
    for (row, cells) in (1..).zip(rows) {
        if cells.is_empty() {
            continue;
        }
        write!(xml, "<row r=\"{row}\">").expect("a text grows");
        for (column, cell) in cells.iter().enumerate() {
            let place = format!("{}{row}", column_name(column));
            match cell {
                Cell::Nothing => Ok(()),
                Cell::Text(text) => write!(
                    xml,
                    "<c r=\"{place}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
                    escaped(text)
                ),
                Cell::Number(digits) => write!(xml, "<c r=\"{place}\"><v>{digits}</v></c>"),
                Cell::Date(days) => write!(xml, "<c r=\"{place}\" s=\"1\"><v>{days}</v></c>"),
                Cell::Time(days) => write!(xml, "<c r=\"{place}\" s=\"2\"><v>{days}</v></c>"),
                Cell::Duration(days) => write!(xml, "<c r=\"{place}\" s=\"3\"><v>{days}</v></c>"),
                Cell::Error(error) => write!(xml, "<c r=\"{place}\" t=\"e\"><v>{error}</v></c>"),
                Cell::Formula(formula) => write!(xml, "<c r=\"{place}\"><f>{}</f><v></v></c>", escaped(formula)),
                Cell::Bool(yes) => write!(xml, "<c r=\"{place}\" t=\"b\"><v>{}</v></c>", u8::from(*yes)),
            }
            .expect("a text grows");
        }
        xml.push_str("</row>");
    }
    of_rows(&xml)
}

/// Returns a workbook whose sheet contains these rows, as XML.
pub fn of_rows(rows: &str) -> Vec<u8> {
    of_sheet_data(&format!("<sheetData>{rows}</sheetData>"))
}

/// Returns a workbook whose sheet contains this XML: the `sheetData` element with its rows, and anything that follows
/// it.
pub fn of_sheet_data(data: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
    let types = format!(
        "<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
    );
    let relations = |kind: &str, target: &str, id: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>")
    };
    let list = |items: &str| format!("<Relationships xmlns=\"{PACKAGE}/relationships\">{items}</Relationships>");
    let book = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/>\
         </sheets></workbook>"
    );
    // Numbers, dates, `h:mm` and `[h]:mm:ss` (ISO/IEC 29500-1 18.8.30).
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><cellXfs count=\"4\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"20\"/>\
         <xf numFmtId=\"46\"/></cellXfs></styleSheet>"
    );
    let sheet = format!("<worksheet xmlns=\"{MAIN}\">{data}</worksheet>");
    let inner = relations("worksheet", "worksheets/sheet1.xml", "rId1") + &relations("styles", "styles.xml", "rId2");
    zipped(&[
        ("[Content_Types].xml", types.as_bytes()),
        (
            "_rels/.rels",
            list(&relations("officeDocument", "xl/workbook.xml", "rId1")).as_bytes(),
        ),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", list(&inner).as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

/// Returns a ZIP archive of these files.
pub fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .expect("a file in the archive");
        archive.write_all(content).expect("its content");
    }
    archive.finish().expect("the archive").into_inner()
}

fn column_name(column: usize) -> String {
    let mut name = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).expect("a letter");
        name.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    name
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
