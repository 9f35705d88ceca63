//! Breaks each rule of the file's structure once.

use document::pdf::Objects as _;
use document::pdf::defect::DeviationKind;
use document::pdf::{File, Object, PdfDefect, Ref, Rule, Written};

use super::{PAGE, TRAILER, appended, file_of, start_of, with};

fn opened(file: Vec<u8>) -> Result<File, PdfDefect> {
    let file = File::open(file, None)?;
    file.read_all()?;
    Ok(file)
}

fn rule(file: Vec<u8>) -> Result<(), Rule> {
    opened(file).map(|_| ()).map_err(|defect| defect.rule)
}

fn deviations(file: Vec<u8>) -> Vec<DeviationKind> {
    let file = opened(file).expect("it is read");
    file.deviations().iter().map(|deviation| deviation.kind).collect()
}

fn sound() -> Vec<u8> {
    file_of(&PAGE, TRAILER)
}

/// A file with an object stream of these bytes, and a cross-reference stream with rows of 1, 2 and 1 bytes for objects
/// 1 to 9.
fn compressed(dict: &str, content: &str, rows: &[[u16; 3]]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let container = u16::try_from(file.len()).expect("a short file");
    file.extend(
        format!(
            "8 0 obj\n<</Type/ObjStm{dict}/Length {}>>stream\n{content}\nendstream\nendobj\n",
            content.len()
        )
        .bytes(),
    );
    let start = file.len();
    let own = [[1, container, 0], [1, u16::try_from(start).expect("a short file"), 0]];
    let rows: Vec<u8> = rows
        .iter()
        .chain(&own)
        .flat_map(|[kind, second, third]| {
            let [high, low] = second.to_be_bytes();
            [kind.to_le_bytes()[0], high, low, third.to_le_bytes()[0]]
        })
        .collect();
    let index = 8 - (rows.len() / 4 - 2);
    let head = format!(
        "9 0 obj\n<</Type/XRef/Size 10/W[1 2 1]/Index[{index} {}]/Root 1 0 R/Length {}>>stream\n",
        rows.len() / 4,
        rows.len()
    );
    file.extend(head.bytes());
    file.extend(rows);
    file.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

const FREE: [u16; 3] = [0, 0, 0];
const WITHIN: [[u16; 3]; 7] = [[2, 8, 0], [2, 8, 1], FREE, FREE, FREE, FREE, FREE];
const MEMBERS: &str = "1 0 2 30 <</Type/Catalog/Pages 2 0 R>> <</Type/Pages/Count 0/Kids[]>>";

#[test]
fn a_sound_file_is_read_as_it_is_spelled() {
    let file = opened(sound()).expect("it is sound");
    assert_eq!(file.deviations(), []);
    assert_eq!(file.revisions().len(), 1);
    assert_eq!(file.revisions()[0].end, Some(sound().len()));
    let view = file.latest();
    let pages = view.pages().expect("pages");
    let sizes = view.page(pages[0]).expect("a page");
    let sizes = sizes.get(b"MediaBox").and_then(Object::as_array).expect("an array");
    let spelled = sizes.iter().map(|size| match size {
        Object::Number(number) => number.spelling(),
        _ => panic!("no number"),
    });
    assert_eq!(spelled.collect::<Vec<_>>(), [&b"0"[..], b"0", b"595.275574", b"+.5"]);
    assert_eq!(view.content(pages[0], 100).as_deref(), Ok(&b"0 0 m 9 l"[..]));
    assert_eq!(view.object(Ref::new(99, 0)), Ok(&Object::Null));
    assert_eq!(view.object(Ref::new(1, 1)), Ok(&Object::Null), "another generation");
    let loose = file.loose(0..sound().len()).expect("all is read");
    assert_eq!((loose.len(), loose.first()), (1, Some(&(0..9))), "the header alone");
}

#[test]
fn every_rule_of_the_structure_is_enforced() {
    let sound = sound();
    let start = start_of(&sound);
    let entry = |offset: usize| format!("{offset:010} 00000 n");
    let first = entry(9);
    let stray = |offset| rule(with(&sound, &first, &entry(offset)));
    assert_eq!(stray(10), Err(Rule::StrayEntry));
    assert_eq!(stray(sound.len() + 5), Err(Rule::StrayEntry));
    let second = sound
        .windows(7)
        .position(|window| window == b"2 0 obj")
        .expect("an object");
    assert_eq!(stray(second), Err(Rule::StrayEntry), "the object of another number");
    for (part, other, expected) in [
        ("%PDF-", "%PDX-", Rule::NoHeader),
        ("startxref", "startxxxx", Rule::NoStart),
        (&format!("startxref\n{start}"), "startxref\n5", Rule::NoSection),
        (&format!("startxref\n{start}"), "startxref\n99999", Rule::NoSection),
        (&format!("startxref\n{start}"), "startxref\n9", Rule::NoSection),
        ("0000000009 00000 n", "0000000009 00001 n", Rule::StrayEntry),
        ("0000000009 00000 n", "0000000009 00000 x", Rule::Table),
        ("0 1\n0000000000 65535 f", "0 1\n0000000009 00000 n", Rule::ObjectZero),
        ("2 1\n", "1 1\n", Rule::ListedTwice),
        ("trailer\n<<", "trailer\n[<<>>]<<", Rule::NoTrailer),
        ("/Root 1 0 R", "/Boot 1 0 R", Rule::NoCatalog),
        ("/Root 1 0 R", "/Root 4 0 R", Rule::NoCatalog),
        ("/Root 1 0 R", "/Root 7 0 R", Rule::NoCatalog),
        ("/Size 5", "/Size 5/Prev(x)", Rule::Previous),
        ("/Size 5", "/Size 5/Prev 5", Rule::NoSection),
        ("/Size 5", &format!("/Size 5/Prev {start}"), Rule::SectionLoop),
        ("/Size 5", "/Size 5/XRefStm 9", Rule::Hybrid),
        ("/Count 1", "/Kids 01", Rule::DuplicateKey),
        ("/Length 9", "/Length 8", Rule::StreamEnd),
        ("/Length 9", "/Lengxx 9", Rule::StreamLength),
    ] {
        assert_eq!(rule(with(&sound, part, other)), Err(expected), "{part} as {other}");
    }
}

#[test]
fn an_object_ends_before_the_next_one_begins() {
    // The string in object 1 would contain object 2.
    let file = file_of(&["<</Type/Catalog/A(", "5", ")>>"], "<</Size 4/Root 1 0 R>>");
    assert_eq!(rule(file), Err(Rule::Overlap));
    // An object in the string of a trailer.
    let file = file_of(&["<</Type/Catalog>>"], "<</Size 3/Root 1 0 R/A(2 0 obj 5 endobj)>>");
    let place = file
        .windows(7)
        .position(|window| window == b"2 0 obj")
        .expect("it is there");
    let entry = format!("2 1\n{:010} 00000 n \ntrailer", place + 24);
    assert_eq!(rule(with(&file, "trailer", &entry)), Err(Rule::Overlap));
}

#[test]
fn lengths_may_be_objects_but_not_change() {
    let objects = ["<</Type/Catalog>>", "<</Length 3 0 R>>stream\nabc\nendstream", "3"];
    let file = file_of(&objects, "<</Size 4/Root 1 0 R>>");
    assert_eq!(rule(file.clone()), Ok(()));
    for (length, expected) in [
        ("2", Rule::StreamEnd),
        ("-3", Rule::StreamLength),
        ("2 0 R", Rule::StreamLength),
    ] {
        let objects = [objects[0], objects[1], length];
        assert_eq!(
            rule(file_of(&objects, "<</Size 4/Root 1 0 R>>")),
            Err(expected),
            "{length}"
        );
    }
    let itself = ["<</Type/Catalog>>", "<</Length 2 0 R>>stream\nabc\nendstream"];
    assert_eq!(
        rule(file_of(&itself, "<</Size 3/Root 1 0 R>>")),
        Err(Rule::StreamLength)
    );
    let trailer = format!("<</Size 4/Root 1 0 R/Prev {}>>", start_of(&file));
    let changed = appended(&file, &[(3, "3")], &trailer);
    assert_eq!(rule(changed), Err(Rule::LengthRedefined));
    let both = appended(
        &file,
        &[(2, "<</Length 3 0 R>>stream\nabcd\nendstream"), (3, "4")],
        &trailer,
    );
    assert_eq!(rule(both), Ok(()));
}

#[test]
fn every_revision_is_read_as_it_was() {
    let file = sound();
    let trailer = format!("<</Size 6/Root 1 0 R/Prev {}>>", start_of(&file));
    let later = appended(&file, &[(3, "<</Type/Page>>"), (5, "(new)")], &trailer);
    let read = opened(later.clone()).expect("it is sound");
    let ends: Vec<_> = read.revisions().iter().map(|revision| revision.end).collect();
    assert_eq!(ends, [Some(file.len()), Some(later.len())]);
    let page = Ref::new(3, 0);
    assert!(
        read.at(0)
            .object(page)
            .expect("a page")
            .as_dict()
            .expect("a page")
            .has(b"Contents")
    );
    assert!(
        !read
            .at(1)
            .object(page)
            .expect("a page")
            .as_dict()
            .expect("a page")
            .has(b"Contents")
    );
    assert_eq!(read.at(0).object(Ref::new(5, 0)), Ok(&Object::Null));
    let written: Vec<_> = read
        .written_in(1)
        .map(|(id, written)| (id.number, written.expect("it is read")))
        .collect();
    let [(3, Written::InFile(first)), (5, Written::InFile(second))] = written.as_slice() else {
        panic!("{written:?}")
    };
    assert_eq!(&later[first.clone()], b"3 0 obj\n<</Type/Page>>\nendobj");
    assert_eq!(&later[second.clone()], b"5 0 obj\n(new)\nendobj");
    assert_eq!(read.loose(file.len()..later.len()), Ok(vec![]));
    let forward = with(&later, "/Size 5", "/Size 5/Prev 999999");
    assert_eq!(rule(forward), Err(Rule::NoSection));
}

#[test]
fn something_between_the_objects_is_found() {
    let file = with(&sound(), "xref\n", "% here 6 0 obj\nxref\n");
    let start = start_of(&file);
    let moved = start.parse::<usize>().expect("an offset") + 15;
    let file = with(&file, &format!("startxref\n{start}"), &format!("startxref\n{moved}"));
    let read = opened(file.clone()).expect("it is sound");
    let loose = read.loose(9..file.len()).expect("all is read");
    assert_eq!(loose.len(), 1);
    assert!(file[loose[0].clone()].ends_with(b"% here 6 0 obj\n"));
}

#[test]
fn compressed_objects_are_at_their_own_places() {
    let file = compressed("/N 2/First 9", MEMBERS, &WITHIN);
    let read = opened(file).expect("it is sound");
    let written = read.latest().written(Ref::new(2, 0)).expect("it is read");
    let container = Ref::new(8, 0);
    let bytes = &b"<</Type/Pages/Count 0/Kids[]>>"[..];
    assert_eq!(written, Some(Written::InStream { container, bytes }));
    let broken = |dict: &str, content: &str| rule(compressed(dict, content, &WITHIN));
    for (dict, content, expected) in [
        (
            "/N 2/First 9",
            MEMBERS.replace("1 0 2", "3 0 2"),
            Rule::StrayCompressedEntry,
        ),
        ("/N 1/First 9", MEMBERS.to_owned(), Rule::StrayCompressedEntry),
        ("/N 3/First 9", MEMBERS.to_owned(), Rule::ObjectStream),
        ("/N 2/First 999", MEMBERS.to_owned(), Rule::ObjectStream),
        ("/First 9", MEMBERS.to_owned(), Rule::ObjectStream),
        (
            "/N 2/First 9",
            MEMBERS.replace("1 0 2 30", "1 0 2 00"),
            Rule::ObjectStream,
        ),
        ("/N 2/First 9", MEMBERS.replace("2 30", "2 31"), Rule::ObjectStream),
        (
            "/N 2/First 9",
            MEMBERS.replace("Kids[]>>", "Kids[]>> 7"),
            Rule::ObjectStream,
        ),
        (
            "/N 2/First 9",
            MEMBERS.replace("Kids[]>>", "Kids[]"),
            Rule::UnexpectedEnd,
        ),
        ("/N 2/First 9/Filter 2 0 R", MEMBERS.to_owned(), Rule::FilterParameters),
    ] {
        let read = broken(dict, &content);
        assert!(
            read == Err(expected) || (content.contains("2 31") && read.is_err()),
            "{dict} {content}: {read:?}"
        );
    }
    let in_itself = [[2, 8, 0], [2, 7, 1], FREE, FREE, FREE, FREE, [2, 8, 0]];
    assert_eq!(
        rule(compressed("/N 2/First 9", MEMBERS, &in_itself)),
        Err(Rule::StrayCompressedEntry)
    );
    let no_container = [[2, 8, 0], [2, 5, 0], FREE, FREE, FREE, FREE, FREE];
    assert_eq!(
        rule(compressed("/N 2/First 9", MEMBERS, &no_container)),
        Err(Rule::StrayCompressedEntry)
    );
    let no_stream = [[2, 8, 0], [2, 9, 0], FREE, FREE, FREE, FREE, FREE];
    assert_eq!(
        rule(compressed("/N 2/First 9", MEMBERS, &no_stream)),
        Err(Rule::ObjectStream)
    );
    // 7.5.8.3: some programs read objects without a separator as one.
    let joined = compressed("/N 2/First 9", "1 0 2 04 12345678", &WITHIN);
    assert_eq!(rule(joined), Err(Rule::ObjectStream));
}

#[test]
fn a_hybrid_shows_what_its_table_hides() {
    let mut file = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n".to_vec();
    let container = u8::try_from(file.len()).expect("a short file");
    file.extend(
        b"3 0 obj\n<</Type/ObjStm/N 1/First 4/Length 23>>stream\n2 0 <</Type/Pages/A(b)>>\nendstream\nendobj\n",
    );
    let beside = u8::try_from(file.len()).expect("a short file");
    file.extend(b"4 0 obj\n<</Type/XRef/Size 5/W[1 1 1]/Index[2 3]/Length 9>>stream\n");
    file.extend([2, 3, 0, 1, container, 0, 1, beside, 0]);
    file.extend(b"\nendstream\nendobj\n");
    let start = file.len();
    let rows =
        "0000000002 65535 f \n0000000009 00000 n \n0000000003 00000 f \n0000000004 00000 f \n0000000000 00000 f \n";
    file.extend(
        format!("xref\n0 5\n{rows}trailer\n<</Size 5/Root 1 0 R/XRefStm {beside}>>\nstartxref\n{start}\n%%EOF\n")
            .bytes(),
    );
    let file = with(&file, "/Length 23", "/Length 24");
    let read = opened(file).expect("it is sound");
    let pages = read.latest().object(Ref::new(2, 0)).expect("it is read");
    assert!(pages.as_dict().is_some_and(|dict| dict.is_type(b"Pages")), "{pages:?}");
    assert_eq!(read.deviations(), []);
}

#[test]
fn lax_spellings_are_read_and_reported() {
    use DeviationKind as Kind;
    let sound = sound();
    let start = start_of(&sound).parse::<usize>().expect("an offset");
    for (part, other, expected) in [
        ("%%EOF\n", "", Kind::NoEndMark),
        ("%%EOF\n", "%%EOF\nmore", Kind::BytesAfterEnd),
        ("0000000009 00000 n \n", "0000000009 00000 n\n", Kind::EntrySpelling),
        (
            "0 1\n0000000000 65535 f \n",
            "6 1\n0000000000 00000 n \n",
            Kind::EntryAtZero,
        ),
        ("/Size 5", "/Size 4", Kind::SizeTooSmall),
        ("0000000009 00000 n", "0000000008 00000 n", Kind::SpaceBeforeObject),
        (
            &format!("startxref\n{start}"),
            &format!("startxref\n{}", start - 1),
            Kind::SpaceBeforeSection,
        ),
        (
            "Length 9>>stream\n0 0 m 9 l\n",
            "Length 7>>stream\n0 0 m 9 \n\n",
            Kind::SpaceBeforeEndstream,
        ),
        ("/Count 1", "   %obj\n", Kind::WordInComment),
    ] {
        let file = with(&sound, part, other);
        let found = deviations(file);
        assert!(found.contains(&expected), "{other}: {found:?}");
    }
    assert_eq!(
        deviations([&sound[..], b"\n\n"].concat()),
        [],
        "white space behind the end is harmless"
    );
    let prefixed = [b"junk\n", &sound[..]].concat();
    assert_eq!(deviations(prefixed), [Kind::HeaderNotAtStart]);
}

#[test]
fn a_first_subsection_off_by_one_is_read() {
    let file = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n";
    let table = "xref\n1 2\n0000000000 65535 f \n0000000009 00000 n \ntrailer\n<</Size 2/Root 1 0 R>>\n";
    let file = [
        &file[..],
        table.as_bytes(),
        format!("startxref\n{}\n%%EOF\n", file.len()).as_bytes(),
    ]
    .concat();
    assert_eq!(deviations(file), [DeviationKind::FirstSubsectionOffByOne]);
}

#[test]
fn references_that_never_end_are_refused() {
    let file = file_of(
        &["<</Type/Catalog/A 2 0 R>>", "3 0 R", "2 0 R"],
        "<</Size 4/Root 1 0 R>>",
    );
    let file = opened(file).expect("it is sound");
    let view = file.latest();
    let catalog = view.catalog().expect("a catalog");
    assert_eq!(
        view.get(catalog, b"A").map_err(|defect| defect.rule),
        Err(Rule::ReferenceChain)
    );
}

#[test]
fn page_trees_that_never_end_or_are_unclear_are_refused() {
    for pages in [
        "<</Type/Pages/Kids[2 0 R]>>",
        "<</Type/Pages/Kids[5]>>",
        "<</Type/Pages/Kids[1 0 R 1 0 R]>>",
        "<</Type/Pages>>",
        "<</Type/Page>>",
        "<<>>",
        "<</Kids[<</Type/Page>>]>>",
    ] {
        let file = opened(file_of(&[PAGE[0], pages], "<</Size 3/Root 1 0 R>>")).expect("it is sound");
        assert_eq!(
            file.latest().pages().map_err(|defect| defect.rule),
            Err(Rule::PageTree),
            "{pages}"
        );
    }
}
