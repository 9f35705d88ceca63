//! For arbitrary bytes, the reader must not panic, and its time must grow linearly with their length. Quadratic time
//! would exceed the test's time limit.

use document::pdf::Objects as _;
use document::pdf::rebuild::Rebuilt;
use document::pdf::{File, Object, View};
use proptest::prelude::*;

use super::{PAGE, TRAILER, appended, file_of, start_of};

/// Exercises the main functions of the reader.
fn exercise(bytes: &[u8]) {
    if let Ok(file) = File::open(bytes, None) {
        let _ = file.read_all();
        let _ = file.loose(0..bytes.len());
        for revision in 0..file.revisions().len().min(4) {
            walk(file.at(revision));
        }
    }
    if let Ok(rebuilt) = Rebuilt::read(bytes, None) {
        walk(rebuilt.view());
    }
}

fn walk(view: View<'_>) {
    for (_, object) in view.objects() {
        if let Ok(Object::Stream(stream)) = object {
            let _ = view.decode(stream, 1 << 20);
        }
    }
    for page in view.pages().unwrap_or_default() {
        let _ = view.content(page, 1 << 20);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
        exercise(&bytes);
        exercise(&[b"%PDF-1.7\n", &bytes[..]].concat());
    }

    #[test]
    fn changed_files_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..9_usize), 1..5),
    ) {
        let mut file = file_of(&PAGE, TRAILER);
        let trailer = format!("<</Size 6/Root 1 0 R/Prev {}>>", start_of(&file));
        file = appended(&file, &[(3, PAGE[2]), (5, "[(a)<41>/N#41 1 0 R -5.5]")], &trailer);
        for (place, byte, length) in changes {
            let place = place.index(file.len());
            let end = (place + length).min(file.len());
            file.splice(place..end, [byte]);
        }
        exercise(&file);
    }

    #[test]
    fn words_of_the_format_in_any_order_are_read_or_refused(words in prop::collection::vec(
        prop::sample::select(vec![
            "1 0 obj ", "2 0 obj ", "endobj ", "<<", ">>", "[", "]", "/Length 3", "/Type/ObjStm", "/Type/XRef", "/N 1",
            "/First 4", "stream\n", "endstream ", "1 0 R ", "2 0 R ", "5 ", "(a)", "xref\n0 1\n0000000000 65535 f \n",
            "trailer", "/Root 1 0 R", "/Prev 0", "/Size 3", "startxref\n9\n%%EOF\n", "/Type/Catalog", "/W[1 1 1]", "%", "\n",
        ]),
        0..60,
    )) {
        exercise(format!("%PDF-1.7\n{}", words.concat()).as_bytes());
    }
}

/// Number of bytes in each kind of test file.
const LENGTH: usize = 500_000;

#[test]
fn repeated_beginnings_take_no_longer_than_they_are_long() {
    for part in [
        "(",
        "<<",
        "[",
        "<</A",
        "1 0 obj ",
        "1 0 obj (",
        "1 0 obj <</A(",
        "1 0 obj<<>>stream\n",
        "trailer<</A(",
        "trailer ",
        "xref\n0 0\n",
        "startxref\n",
        "0 ",
        "%obj ",
        "1 0 R ",
        "/A ",
        "\n",
        "0",
        "endstream ",
        "1 0 obj 5 endobj ",
        "1 0 obj<</Length 2 0 R>>stream\nendstream endobj ",
    ] {
        let count = LENGTH / part.len();
        exercise(format!("%PDF-1.7\n{}", part.repeat(count)).as_bytes());
        let file = file_of(&["<</Type/Catalog>>", &part.repeat(count)], "<</Size 3/Root 1 0 R>>");
        exercise(&file);
    }
}

#[test]
fn large_tables_of_nested_objects_take_no_longer_than_they_are_long() {
    // Without a limit, each object would extend to the end of the file.
    for body in [
        "(",
        "[",
        "<</A(",
        "%",
        "<</Length 1 0 R>>stream\n",
        "<</Length 99999>>stream\n",
    ] {
        let objects: Vec<&str> = std::iter::once("<</Type/Catalog>>")
            .chain(std::iter::repeat_n(body, 10_000))
            .collect();
        exercise(&file_of(&objects, "<</Size 10002/Root 1 0 R>>"));
    }
    // Many streams share a length that is itself long.
    let length = format!("{}5", " ".repeat(LENGTH));
    let streams = std::iter::repeat_n("<</Length 2 0 R>>stream\n12345\nendstream", 5_000);
    let objects: Vec<&str> = ["<</Type/Catalog>>", &length].into_iter().chain(streams).collect();
    let file = file_of(&objects, "<</Size 5003/Root 1 0 R>>");
    File::open(&file, None)
        .and_then(|file| file.read_all())
        .expect("it is sound");
    exercise(&file);
}

#[test]
fn many_keys_and_many_revisions_take_no_longer_than_they_are_long() {
    let keys: Vec<String> = (0..50_000).map(|number| format!("/K{number} {number}")).collect();
    let keys = keys.concat();
    let file = file_of(&[&format!("<</Type/Catalog{keys}>>")], "<</Size 2/Root 1 0 R>>");
    let file = File::open(file, None).expect("it is sound");
    let catalog = file.latest().catalog().expect("a catalog");
    for number in 0..50_000_i64 {
        assert_eq!(catalog.get(format!("K{number}").as_bytes()), Some(&number.into()));
    }
    let mut file = file_of(&PAGE, TRAILER);
    for _ in 0..1_000 {
        let trailer = format!("<</Size 6/Root 1 0 R/Prev {}>>", start_of(&file[file.len() - 40..]));
        let part = appended(b"", &[(5, "7")], &trailer);
        // Offsets within a part count from the start of the file.
        let start = file.len();
        let text = String::from_utf8(part).expect("text");
        let section: usize = start_of(text.as_bytes()).parse().expect("an offset");
        let text = text.replace("5 1\n0000000000", &format!("5 1\n{start:010}")).replace(
            &format!("startxref\n{section}"),
            &format!("startxref\n{}", start + section),
        );
        file.extend(text.bytes());
    }
    let read = File::open(&file, None).expect("it is sound");
    assert_eq!(read.revisions().len(), 1_001);
    exercise(&file);
}
