//! Rows from spreadsheets: reading and formatting them, and refused files.

use std::fmt::Write as _;

use proptest::prelude::*;
use sheets::{Sheet, SheetCell, SheetFault, SheetLimits, SheetRow, read};
use testkit::workbook::{Cell, of_sheet_data, workbook, zipped};

fn row(number: u32, cells: &[&str]) -> SheetRow {
    SheetRow {
        number,
        cells: cells.iter().map(|cell| SheetCell::Text((*cell).to_owned())).collect(),
    }
}

fn sheet(file: &[u8]) -> Sheet {
    read(file, &SheetLimits::default()).expect("it is read")
}

#[test]
fn a_csv_file_is_read_with_quotes_line_ends_and_rows_without_content() {
    let sheet = sheet(
        "\u{feff}name,1.email\r\n\"김, 민준\",a@example.com\r\n\r\n,,\r\n\"two\nlines\",b@example.com,,\r\nlast\r\n"
            .as_bytes(),
    );
    assert_eq!(sheet.header, ["name", "1.email"]);
    assert_eq!(
        sheet.rows,
        [
            row(2, &["김, 민준", "a@example.com"]),
            row(5, &["two\nlines", "b@example.com"]),
            row(7, &["last"])
        ]
    );
}

#[test]
fn a_workbook_is_read_as_a_person_would_type_it() {
    let file = workbook(&[
        vec![Cell::Text("name"), Cell::Text("salary"), Cell::Text("start")],
        vec![],
        vec![Cell::Text("김민준"), Cell::Number("3000000"), Cell::Date("45943")],
        vec![Cell::Nothing, Cell::Number("0.5"), Cell::Date("45943.75")],
        vec![Cell::Bool(true), Cell::Number("3.3000000000000003")],
    ]);
    let sheet = sheet(&file);
    assert_eq!(sheet.header, ["name", "salary", "start"]);
    assert_eq!(
        sheet.rows,
        [
            row(3, &["김민준", "3000000", "2025-10-13"]),
            row(4, &["", "0.5", "2025-10-13 18:00:00"]),
            row(5, &["Y", "3.3"])
        ]
    );
}

/// A fraction of a day on its own would otherwise be a date in 1899.
#[test]
fn a_time_has_no_date() {
    let file = workbook(&[
        vec![Cell::Text("time"), Cell::Text("duration"), Cell::Text("number")],
        vec![
            Cell::Time("0.3958333333333333"),
            Cell::Duration("1.086805555555556"),
            Cell::Number("-0.0"),
        ],
        vec![Cell::Time("0"), Cell::Duration("0.0004166666666667")],
        vec![Cell::Time("45943.75"), Cell::Duration("-1")],
    ]);
    let cells: Vec<Vec<SheetCell>> = sheet(&file).rows.into_iter().map(|row| row.cells).collect();
    let text = |text: &str| SheetCell::Text(text.to_owned());
    assert_eq!(
        cells,
        [
            vec![text("09:30"), text("26:05"), text("0")],
            vec![text("00:00"), text("00:00:36")],
            vec![text("2025-10-13 18:00:00"), SheetCell::Unreadable],
        ]
    );
}

#[test]
fn a_csv_file_is_read_in_the_encodings_of_spreadsheet_programs() {
    let text = "이름\t시작\r\n김민준\t\"2026\r\n11\"\r\n\r\n이서연\t12\r\n";
    let wide = |to: fn(u16) -> [u8; 2]| -> Vec<u8> { format!("\u{feff}{text}").encode_utf16().flat_map(to).collect() };
    let (korean, _, _) = encoding_rs::EUC_KR.encode(text);
    for file in [
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
        korean.into_owned(),
        text.into(),
    ] {
        let sheet = sheet(&file);
        assert_eq!(sheet.header, ["이름", "시작"]);
        assert_eq!(
            sheet.rows,
            [row(2, &["김민준", "2026\r\n11"]), row(5, &["이서연", "12"])]
        );
    }
    let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode("氏名,会社\n髙橋一郎,ﾔﾏﾀﾞ㈱\n");
    assert_eq!(sheet(&japanese).rows, [row(2, &["髙橋一郎", "ﾔﾏﾀﾞ㈱"])]);
}

/// A spreadsheet shows the content of merged cells for all of them, but stores it only in the first. An access code
/// next to three people must not belong only to the first.
#[test]
fn what_lies_under_a_merged_cell_is_no_empty_cell() {
    let cell = |place: &str, text: &str| format!("<c r=\"{place}\" t=\"inlineStr\"><is><t>{text}</t></is></c>");
    let rows = [
        cell("A1", "name") + &cell("B1", "password"),
        cell("A2", "a") + &cell("B2", "1234"),
        cell("A3", "b"),
        cell("A4", "c") + "<c r=\"B4\"/>",
        cell("A5", "d") + &cell("B5", "5678"),
    ];
    let rows = rows.iter().zip(1..).fold(String::new(), |mut xml, (cells, row)| {
        write!(xml, "<row r=\"{row}\">{cells}</row>").expect("a text grows");
        xml
    });
    let with = |areas: &str| {
        of_sheet_data(&format!(
            "<sheetData>{rows}</sheetData><mergeCells>{areas}</mergeCells>"
        ))
    };
    let text = |text: &str| SheetCell::Text(text.to_owned());
    let cells = |file: &[u8]| -> Vec<Vec<SheetCell>> { sheet(file).rows.into_iter().map(|row| row.cells).collect() };
    // The second one is next to the columns that have a name.
    assert_eq!(
        cells(&with("<mergeCell ref=\"B2:B4\"/><mergeCell ref=\"D2:XFD1048576\"/>")),
        [
            vec![text("a"), text("1234")],
            vec![text("b"), SheetCell::Unreadable],
            vec![text("c"), SheetCell::Unreadable],
            vec![text("d"), text("5678")],
        ]
    );
    // Thousands of overlapping areas are not a sheet.
    let many = "<mergeCell ref=\"A1:B1048576\"/>".repeat(1_000);
    assert_eq!(read(&with(&many), &SheetLimits::default()), Err(SheetFault::Unreadable));
}

#[test]
fn what_cannot_be_read_is_no_empty_cell() {
    let file = workbook(&[
        vec![Cell::Text("name"), Cell::Text("password"), Cell::Text("start")],
        vec![Cell::Text("a"), Cell::Error("#N/A"), Cell::Date("45943")],
        vec![
            Cell::Text("b"),
            Cell::Formula("VLOOKUP(A3,B1:C9,2)"),
            Cell::Date("1e300"),
        ],
        vec![Cell::Nothing, Cell::Formula("A1")],
        vec![Cell::Text("c"), Cell::Nothing, Cell::Date("-1")],
    ]);
    let cells: Vec<(u32, Vec<SheetCell>)> = sheet(&file)
        .rows
        .into_iter()
        .map(|row| (row.number, row.cells))
        .collect();
    let text = |text: &str| SheetCell::Text(text.to_owned());
    assert_eq!(
        cells,
        [
            (2, vec![text("a"), SheetCell::Unreadable, text("2025-10-13")]),
            (3, vec![text("b"), SheetCell::Unreadable, SheetCell::Unreadable]),
            (4, vec![text(""), SheetCell::Unreadable]),
            (5, vec![text("c"), text(""), SheetCell::Unreadable]),
        ]
    );
}

#[test]
fn a_quote_that_does_not_close_swallows_no_rows() {
    for (file, row) in [
        ("name,comment\na,b\nc,\"he said\nd,e\nf,g\n", 3),
        ("name,comment\n\"a\" b,c\n", 2),
        ("\"name\r\na\r\n", 1),
    ] {
        let fault = read(file.as_bytes(), &SheetLimits::default());
        assert_eq!(fault, Err(SheetFault::Quote { row }), "{file:?}");
    }
    // A quote inside a cell that does not begin with one is an ordinary character.
    assert_eq!(
        sheet(b"name\n5\" pipe\n\"\"\"x\"\"\"\n").rows,
        [row(2, &["5\" pipe"]), row(3, &["\"x\""])]
    );
}

#[test]
fn cells_stand_between_semicolons_or_tabs_where_the_header_has_no_comma() {
    for file in [
        "name;1.email\na,b;c@example.com\n",
        "name\t1.email\na,b\tc@example.com\n",
    ] {
        let sheet = sheet(file.as_bytes());
        assert_eq!(
            (sheet.header.len(), &sheet.rows[0]),
            (2, &row(2, &["a,b", "c@example.com"]))
        );
    }
}

#[test]
fn a_first_line_may_name_what_stands_between_cells() {
    for file in [
        "sep=;\r\nname, whole;1.email\r\na,b;c@example.com\r\n",
        "\u{feff}sep=\t\r\nname, whole\t1.email\r\na,b\tc@example.com\r\n",
        "SEP=|\nname, whole|1.email\na,b|c@example.com\n",
        "\"sep=,\"\n\"name, whole\",1.email\n\"a,b\",c@example.com\n",
        "sep=;\n\"name, whole\";1.email\na,b;c@example.com",
    ] {
        let sheet = sheet(file.as_bytes());
        assert_eq!(sheet.header, ["name, whole", "1.email"], "{file:?}");
        // The `sep=` line counts: a row's number is its line in the file.
        assert_eq!(sheet.rows, [row(3, &["a,b", "c@example.com"])], "{file:?}");
    }
    // A column may be named like this.
    for file in ["sep\na\n", "sep=\na\n", "sep=x\na\n", "sep=;;\na\n"] {
        let sheet = sheet(file.as_bytes());
        assert_eq!(
            (sheet.header[0].starts_with("sep"), &sheet.rows[0].number),
            (true, &2),
            "{file:?}"
        );
    }
    let refused = |file: &[u8]| read(file, &SheetLimits::default()).expect_err("it is refused");
    assert_eq!(refused(b"sep=;\n"), SheetFault::Empty);
    assert_eq!(refused(b"sep=;\nname\n\"a\n"), SheetFault::Quote { row: 3 });
}

#[test]
fn what_is_no_sheet_is_refused_with_its_reason() {
    let refused = |file: &[u8]| read(file, &SheetLimits::default()).expect_err("it is refused");
    assert_eq!(refused(b""), SheetFault::Empty);
    assert_eq!(refused(b"\n,,\n\n"), SheetFault::Empty);
    assert_eq!(refused(b"name\n\xff\xff\n"), SheetFault::NotUtf8);
    assert_eq!(refused(b"name\na\0b\n"), SheetFault::Unreadable);
    assert_eq!(refused(b"PK\x03\x04 and no more"), SheetFault::Unreadable);
    assert_eq!(refused(&zipped(&[("other.txt", b"x")])), SheetFault::Unreadable);
    let file = workbook(&[vec![Cell::Text("name")], vec![Cell::Text("a")]]);
    for end in [file.len() / 4, file.len() / 2, file.len() - 10] {
        assert_eq!(refused(&file[..end]), SheetFault::Unreadable, "{end}");
    }
}

#[test]
fn limits_hold_for_rows_columns_cells_and_all_together() {
    let limits = SheetLimits {
        rows: 2,
        columns: 3,
        cell: 5,
        bytes: 12,
    };
    let csv = |text: &str| read(text.as_bytes(), &limits).map(|sheet| sheet.rows.len());
    assert_eq!(csv("a,b,c\n1\n2\n"), Ok(2));
    assert_eq!(csv("a,b,c\n1\n2\n3\n"), Err(SheetFault::TooManyRows { limit: 2 }));
    assert_eq!(csv("a,b,c,d\n"), Err(SheetFault::TooManyColumns { limit: 3 }));
    assert_eq!(
        csv("a,b,c, \n1,,,,,\n"),
        Ok(1),
        "columns without content count for nothing"
    );
    // A cell that is too long only affects its own row, and we keep nothing of it.
    let long = read(b"a,b\n123456,1\n2,3\n", &limits).expect("a sheet");
    assert_eq!(
        long.rows[0].cells,
        [SheetCell::TooLong, SheetCell::Text("1".to_owned())]
    );
    assert_eq!(long.rows[1], row(3, &["2", "3"]));
    assert!(long.is_within(&limits));
    assert_eq!(
        csv("a\n김김,김김\n"),
        Err(SheetFault::TooLong { row: 2 }),
        "12 bytes are taken in all"
    );
}

/// One cell in the last corner of a sheet with a million rows costs no more than any other cell.
#[test]
fn a_cell_far_away_is_no_million_of_rows() {
    let far = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>name</t></is></c></row>\
               <row r=\"1048576\"><c r=\"B1048576\" t=\"inlineStr\"><is><t>far</t></is></c></row>";
    let file = testkit::workbook::of_rows(far);
    assert_eq!(sheet(&file).rows, [row(1_048_576, &["", "far"])]);
    let wide = "<row r=\"1\"><c r=\"XFD1\" t=\"inlineStr\"><is><t>wide</t></is></c></row>";
    assert_eq!(
        read(&testkit::workbook::of_rows(wide), &SheetLimits::default()),
        Err(SheetFault::TooManyColumns { limit: 500 })
    );
}

/// Reading stops at the limit if a workbook unpacks to far more than its size.
#[test]
fn a_workbook_that_unfolds_without_end_is_cut() {
    let text = "x".repeat(30_000);
    let mut rows = String::new();
    for number in 1..=3_000 {
        write!(
            rows,
            "<row r=\"{number}\"><c r=\"A{number}\" t=\"inlineStr\"><is><t>{text}</t></is></c></row>"
        )
        .expect("a text grows");
    }
    let file = testkit::workbook::of_rows(&rows);
    assert!(file.len() < 1_000_000, "{} bytes hold {}", file.len(), rows.len());
    assert!(matches!(
        read(&file, &SheetLimits::default()),
        Err(SheetFault::TooLong { .. })
    ));
}

proptest! {
    #[test]
    fn no_file_panics(bytes in proptest::collection::vec(any::<u8>(), 0..400), zip in any::<bool>()) {
        let mut file = if zip { b"PK\x03\x04".to_vec() } else { Vec::new() };
        file.extend(bytes);
        let _ = read(&file, &SheetLimits::default());
    }

    #[test]
    fn no_changed_workbook_panics(at in 0..2_000_usize, to in any::<u8>()) {
        let mut file = workbook(&[vec![Cell::Text("name"), Cell::Number("1")], vec![Cell::Date("45943.5")]]);
        let at = at % file.len();
        file[at] = to;
        let _ = read(&file, &SheetLimits::default());
    }
}
