//! For large pictures, the verifier stores only a digest.
use super::*;

const SIDE: i64 = 300;

fn picture(content: Vec<u8>) -> Stream {
    let dictionary = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => SIDE, "Height" => SIDE,
        "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
    };
    Stream::new(dictionary, content).with_compression(false)
}

fn pixels() -> Vec<u8> {
    (0..SIDE * SIDE)
        .map(|place| u8::try_from(place % 251).expect("small"))
        .collect()
}

/// Returns a file with a picture, approved without locks, and the picture's object.
fn signed() -> (Vec<u8>, ObjectId) {
    let mut document = unsigned_document();
    let picture = document.add_object(picture(pixels()));
    let page = first_page(&document);
    let content = document.add_object(Stream::new(
        Dictionary::new(),
        b"q 200 0 0 200 99 99 cm /P Do Q".to_vec(),
    ));
    let page = document.get_dictionary_mut(page).expect("a page");
    page.set("Contents", content);
    page.set("Resources", dictionary! { "XObject" => dictionary! { "P" => picture } });
    let pdf = file(document, References::Table);
    (signed_by_others(&pdf, &HOUSE.key), picture)
}

#[test]
fn the_untouched_file_passes_and_so_does_one_that_is_sealed_further() {
    let (pdf, _) = signed();
    assert!(judge(&pdf).holds_strictly());
    let sealed = seal(&pdf, &HOUSE.key, &details(false)).expect("sealed");
    assert!(judge(&sealed).holds_strictly(), "{:?}", judge(&sealed));
    assert!(judges::structure_complaints(&sealed).is_empty());
}

#[test]
fn another_picture_in_its_place_is_named_even_one_that_is_the_digest_of_the_first() {
    let (pdf, picture_id) = signed();
    let mut other = pixels();
    other[70_000] ^= 1;
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &pixels())
        .as_ref()
        .to_vec();
    for content in [other, digest] {
        let forged = append(&pdf, |_, writer| writer.replace(picture_id, picture(content)));
        let sealed = seal(&forged, &HOUSE.key, &details(false)).expect("sealed");
        assert_names(&sealed, |fault| matches!(fault, Fault::ChangedAfterSigning { .. }));
    }
}
