//! Damaged files are read, and anything guessed or lost is reported.

use document::pdf::Objects as _;
use document::pdf::append::{AppendError, append};
use document::pdf::edit::Edits;
use document::pdf::rebuild::{Rebuilt, Repair};
use document::pdf::{PdfDefect, Ref, Rule};

use super::{PAGE, TRAILER, appended, file_of, with};

fn content(rebuilt: &Rebuilt) -> Vec<u8> {
    let view = rebuilt.view();
    let page = view.pages().expect("pages")[0];
    view.content(page, 1000).expect("its content")
}

#[test]
fn a_file_without_its_sections_is_read_from_its_objects() {
    let whole = file_of(&PAGE, TRAILER);
    let place = whole
        .windows(4)
        .position(|window| window == b"xref")
        .expect("a section");
    let rebuilt = Rebuilt::read(&whole[..place], None).expect("it is read");
    assert_eq!(rebuilt.repairs(), [Repair::CatalogGuessed(Ref::new(1, 0))]);
    assert_eq!(content(&rebuilt), b"0 0 m 9 l");
    let rebuilt = Rebuilt::read(with(&whole, "startxref", "startxxxx"), None).expect("it is read");
    assert_eq!(rebuilt.repairs(), []);
    let edits = Edits::new(rebuilt.view());
    assert!(matches!(append(edits), Err(AppendError::Damaged)));
}

#[test]
fn what_was_guessed_is_reported() {
    let whole = file_of(&PAGE, TRAILER);
    for (part, other, repair) in [
        ("/Length 9", "/Length 5", Repair::LengthGuessed(Ref::new(4, 0))),
        ("/Length 9", "/Length 99999", Repair::LengthGuessed(Ref::new(4, 0))),
        ("/Length 9", "", Repair::LengthGuessed(Ref::new(4, 0))),
        ("endstream\nendobj", "endstream", Repair::EndGuessed(Ref::new(4, 0))),
        ("%PDF", "%PDX", Repair::NoHeader),
    ] {
        let rebuilt = Rebuilt::read(with(&whole, part, other), None).expect("it is read");
        assert_eq!(rebuilt.repairs(), [repair], "{part} as {other}");
        assert_eq!(content(&rebuilt), b"0 0 m 9 l", "{part} as {other}");
    }
}

#[test]
fn what_is_lost_is_reported() {
    let whole = file_of(&PAGE, TRAILER);
    let rebuilt = Rebuilt::read(with(&whole, "endstream", "endxxxxxx"), None).expect("it is read");
    let [Repair::Lost(PdfDefect { object, rule, .. }), Repair::Missing(missing)] = rebuilt.repairs() else {
        panic!("{:?}", rebuilt.repairs())
    };
    assert_eq!(
        (*object, *rule, *missing),
        (Some(Ref::new(4, 0)), Rule::StreamEnd, Ref::new(4, 0))
    );
    let rebuilt = Rebuilt::read(with(&whole, "/Kids[3 0 R]", "/Kids[9 0 R]"), None).expect("it is read");
    assert_eq!(rebuilt.repairs(), [Repair::Missing(Ref::new(9, 0))]);
    let no_catalog = Rebuilt::read(b"%PDF-1.7\n5 0 obj 7 endobj", None);
    assert_eq!(
        no_catalog.map(|_| ()).map_err(|defect| defect.rule),
        Err(Rule::NoCatalog)
    );
}

#[test]
fn of_several_objects_of_a_number_the_last_counts() {
    let whole = file_of(&PAGE, TRAILER);
    let later = appended(
        &whole,
        &[(4, "<</Length 3>>stream\n9 w\nendstream")],
        "<</Size 5/Root 1 0 R/Prev 7>>",
    );
    let rebuilt = Rebuilt::read(later, None).expect("it is read");
    assert_eq!(content(&rebuilt), b"9 w");
}

#[test]
fn objects_of_object_streams_are_found() {
    let stream = "<</Type/ObjStm/N 1/First 5/Length 27>>stream\n2 0  <</Type/Pages/Kids[3 0 R]>>\nendstream";
    let stream = stream.replace("/Length 27", &format!("/Length {}", stream.len() - 55));
    let file = appended(
        b"%PDF-1.7\n",
        &[(1, PAGE[0]), (3, PAGE[2]), (4, PAGE[3]), (7, &stream)],
        "<</Root 1 0 R>>",
    );
    let rebuilt = Rebuilt::read(with(&file, "startxref", "startxxxx"), None).expect("it is read");
    assert_eq!(content(&rebuilt), b"0 0 m 9 l", "{:?}", rebuilt.repairs());
}

/// A stream may contain bytes that look like an object.
#[test]
fn objects_within_streams_are_not_objects() {
    let data = "4 0 obj 5 endobj";
    let stream = format!("<</Length {}>>stream\n{data}\nendstream", data.len());
    let file = file_of(&[PAGE[0], PAGE[1], PAGE[2], PAGE[3], &stream], "<</Size 6/Root 1 0 R>>");
    let rebuilt = Rebuilt::read(with(&file, "startxref", "startxxxx"), None).expect("it is read");
    assert_eq!(content(&rebuilt), b"0 0 m 9 l");
}

/// Programs disagree on where such objects end.
#[test]
fn where_objects_of_a_stream_end_is_guessed_if_they_touch_or_overlap() {
    let pages = "<</Type/Pages/Count 1/Kids[3 0 R]>>";
    let (touching, same) = (format!("{pages}12345678"), format!("{pages} "));
    for (head, content) in [("2 0 8 35 9 39 ", touching), ("2 0 8 0        ", same)] {
        let stream = format!(
            "<</Type/ObjStm/N {}/First {}/Length {}>>stream\n{head}{content}\nendstream",
            head.split_whitespace().count() / 2,
            head.len(),
            head.len() + content.len()
        );
        let file = appended(
            b"%PDF-1.7\n",
            &[(1, PAGE[0]), (3, PAGE[2]), (4, PAGE[3]), (7, &stream)],
            "<</Root 1 0 R>>",
        );
        let rebuilt = Rebuilt::read(with(&file, "startxref", "startxxxx"), None).expect("it is read");
        assert_eq!(rebuilt.repairs(), [Repair::EndGuessed(Ref::new(7, 0))], "{head}");
        assert_eq!(self::content(&rebuilt), b"0 0 m 9 l", "{head}");
    }
}
