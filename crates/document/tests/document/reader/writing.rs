//! Written objects are read back unchanged, with the same spelling.

use document::pdf::Objects as _;
use document::pdf::append::{AppendError, append};
use document::pdf::edit::Edits;
use document::pdf::lex::Lexer;
use document::pdf::object::StreamData;
use document::pdf::write::{value, whole};
use document::pdf::{Dict, File, Name, Number, Object, Ref, Str, Stream, parse};
use proptest::prelude::*;

use super::{PAGE, TRAILER, file_of, with};

fn numbers() -> impl Strategy<Value = Object> {
    prop_oneof![
        any::<i64>().prop_map(Object::from),
        "[+-]?([0-9]{1,30}|[0-9]{1,9}\\.|[0-9]{0,9}\\.[0-9]{1,30})".prop_map(|text| parsed(text.as_bytes())),
        any::<f64>().prop_filter_map("finite", |value| Number::try_from(value).ok().map(Object::from)),
    ]
}

fn parsed(text: &[u8]) -> Object {
    parse::value(&mut Lexer::new(text, 0)).expect("an object")
}

fn leaves() -> impl Strategy<Value = Object> {
    prop_oneof![
        Just(Object::Null),
        any::<bool>().prop_map(Object::from),
        numbers(),
        any::<Vec<u8>>().prop_map(|bytes| Name::new(&bytes).into()),
        "(#2[0-9]|[A-Za-z]|#C3)*".prop_map(|name| parsed(format!("/{name}").as_bytes())),
        any::<Vec<u8>>().prop_map(|bytes| Str::literal(&bytes).into()),
        any::<Vec<u8>>().prop_map(|bytes| Str::hex(&bytes).into()),
        "<([0-9A-Fa-f]| |\n)*>".prop_map(|text| parsed(text.as_bytes())),
        (1..9_u32, 0..3_u16).prop_map(|(number, generation)| Ref::new(number, generation).into()),
    ]
}

fn dicts(values: impl Strategy<Value = Object>) -> impl Strategy<Value = Dict> {
    prop::collection::vec((any::<Vec<u8>>(), values), 0..40).prop_map(|entries| {
        let mut dict = Dict::new();
        for (key, value) in entries {
            dict.add(Name::new(&key), value);
        }
        dict
    })
}

fn objects() -> impl Strategy<Value = Object> {
    leaves().prop_recursive(4, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Object::from),
            dicts(inner).prop_map(Object::from),
        ]
    })
}

/// Whether both objects are equal, including the data of streams.
fn is_same(file: &File, read: &Object, expected: &Object) -> bool {
    match (read, expected) {
        (Object::Stream(read), Object::Stream(expected)) => {
            let mut dict = expected.dict.clone();
            let StreamData::New(data) = &expected.data else {
                return false;
            };
            dict.set(b"Length", i64::try_from(data.len()).expect("a length"));
            read.dict == dict && file.latest().raw(read).is_ok_and(|raw| *raw == **data)
        }
        _ => read == expected,
    }
}

proptest! {
    #[test]
    fn an_object_is_read_as_it_was_written(object in objects()) {
        let mut text = Vec::new();
        value(&mut text, &object, &mut Some);
        let mut lexer = Lexer::new(&text, 0);
        prop_assert_eq!(parse::value(&mut lexer), Ok(object));
        prop_assert_eq!(lexer.rest(), b"");
    }

    #[test]
    fn what_is_appended_is_read_and_the_rest_stays(
        changed in prop::collection::vec(objects(), 0..5),
        data in any::<Vec<u8>>(),
        as_stream in any::<bool>(),
    ) {
        let start = if as_stream { whole_with_stream() } else { file_of(&PAGE, TRAILER) };
        let file = File::open(start.clone(), None).expect("it is sound");
        let mut edits = Edits::new(file.latest());
        let mut expected = Vec::new();
        for object in changed {
            expected.push((edits.add(object.clone()), object));
        }
        let stream = Object::from(Stream::new(Dict::new(), data));
        expected.push((Ref::new(4, 0), stream.clone()));
        edits.put(Ref::new(4, 0), stream);
        edits.edit(Ref::new(3, 0)).expect("a page");
        let appended = append(edits).expect("it is written");
        prop_assert!(appended.bytes.starts_with(&start));
        prop_assert_eq!(appended.written.len(), expected.len(), "what is unchanged is not written");
        let read = File::open(appended.bytes, None).expect("it is sound");
        read.read_all().expect("it is sound");
        prop_assert_eq!(read.deviations(), []);
        for (id, object) in expected {
            prop_assert!(is_same(&read, read.latest().object(id).expect("it is read"), &object));
        }
        for number in [1, 2, 3] {
            let id = Ref::new(number, 0);
            prop_assert_eq!(read.latest().object(id), file.latest().object(id));
        }
        prop_assert_eq!(read.loose(start.len()..read.body().len()), Ok(vec![]));
    }

    #[test]
    fn a_file_is_written_whole(object in objects(), data in any::<Vec<u8>>()) {
        let file = File::open(file_of(&PAGE, TRAILER), None).expect("it is sound");
        let mut edits = Edits::new(file.latest());
        let added = edits.add(Stream::new(Dict::new(), data.clone()));
        let catalog = edits.edit_dict(Ref::new(1, 0)).expect("it is read").expect("a catalog");
        catalog.set(b"Added", added);
        catalog.set(b"Any", without_references(object.clone()));
        let written = whole(&edits, "1.7", file.latest().trailer().expect("a trailer")).expect("it is written");
        let read = File::open(written.bytes, None).expect("it is sound");
        read.read_all().expect("it is sound");
        prop_assert_eq!(read.deviations(), []);
        let view = read.latest();
        let catalog = view.catalog().expect("a catalog");
        prop_assert_eq!(catalog.get(b"Any"), Some(&without_references(object)));
        let added = view.get(catalog, b"Added").expect("it is read").as_stream().expect("a stream");
        prop_assert_eq!(&*view.raw(added).expect("its data"), &*data);
        prop_assert_eq!(view.objects().count(), 5);
        let page = view.pages().expect("pages")[0];
        prop_assert_eq!(view.content(page, 100), Ok(b"0 0 m 9 l".to_vec()));
    }
}

fn without_references(object: Object) -> Object {
    match object {
        Object::Ref(_) => Object::Null,
        Object::Array(items) => Object::Array(items.into_iter().map(without_references).collect()),
        Object::Dict(dict) => {
            let mut plain = Dict::new();
            for (key, value) in dict.iter() {
                plain.add(key.clone(), without_references(value.clone()));
            }
            Object::Dict(plain)
        }
        other => other,
    }
}

/// The same four objects with a cross-reference stream.
fn whole_with_stream() -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut rows = vec![0; 4];
    for (number, object) in (1..).zip(PAGE) {
        let [high, low] = u16::try_from(file.len()).expect("a short file").to_be_bytes();
        rows.extend([1, high, low, 0]);
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = file.len();
    let [high, low] = u16::try_from(start).expect("a short file").to_be_bytes();
    rows.extend([1, high, low, 0]);
    let head = format!(
        "5 0 obj\n<</Type/XRef/Size 6/W[1 2 1]/Root 1 0 R/Length {}>>stream\n",
        rows.len()
    );
    file.extend(head.bytes());
    file.extend(rows);
    file.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

#[test]
fn the_trailer_that_is_appended_carries_on() {
    let trailer = "<</Size 5/Root 1 0 R/ID[<01><02>]/Other 7>>";
    let file = File::open(file_of(&PAGE, trailer), None).expect("it is sound");
    let mut edits = Edits::new(file.latest());
    edits.add(5);
    let read = File::open(append(edits).expect("it is written").bytes, None).expect("it is sound");
    let trailer = read.latest().trailer().expect("a trailer");
    let keys: Vec<_> = trailer.iter().map(|(key, _)| key.bytes().into_owned()).collect();
    assert_eq!(keys, [&b"Root"[..], b"ID", b"Prev", b"Size"]);
    let halves = trailer.get(b"ID").and_then(Object::as_array).expect("two halves");
    assert_eq!(halves[0], Str::hex(&[1]).into());
    assert_ne!(halves[1], Str::hex(&[2]).into());
    assert_eq!(trailer.get(b"Size"), Some(&6.into()));
}

#[test]
fn nothing_is_appended_where_offsets_count_otherwise() {
    let file = [b"junk\n", &file_of(&PAGE, TRAILER)[..]].concat();
    let file = File::open(file, None).expect("it is read");
    assert!(matches!(
        append(Edits::new(file.latest())),
        Err(AppendError::HeaderNotAtStart)
    ));
}

#[test]
fn a_reference_to_nothing_is_written_as_null() {
    let file = with(&file_of(&PAGE, TRAILER), "/Count 1", "/C 9 0 R");
    let file = File::open(file, None).expect("it is sound");
    let edits = Edits::new(file.latest());
    let written = whole(&edits, "1.7", file.latest().trailer().expect("a trailer")).expect("it is written");
    let read = File::open(written.bytes, None).expect("it is sound");
    let pages = read
        .latest()
        .object(written.numbers[&Ref::new(2, 0)])
        .expect("it is read");
    assert_eq!(pages.as_dict().expect("pages").get(b"C"), Some(&Object::Null));
}
