//! Stamps any text, and any bytes as an image, on a page. Accepted values can be drawn, refused ones are refused both
//! times, and the drawing copied into the file has no dangling references.

use document::marks::stamp::{Mark, MarkContent, prove, stamp};
use document::pdf::geometry::PageGeometry;
use document::pdf::{File, Objects as _};
use document::text::layout::TextStyle;
use domain::field::Placement;
use domain::template::PageSize;
use lopdf::{Document, Object};

use crate::materials::{fonts, sample};

fn size_of_first_page(file: &[u8]) -> PageSize {
    let file = File::open(file, None).expect("the sample is read");
    let view = file.latest();
    let pages = view.pages().expect("pages");
    let page = view.page(*pages.first().expect("a page")).expect("a dictionary");
    PageGeometry::of(&view, page).expect("a size").displayed_size()
}

/// Stamps any text or image. True if something is stamped.
pub fn overlay(data: &[u8]) -> bool {
    let [kind, x, y, width, height, rest @ ..] = data else {
        return false;
    };
    let part = |number: &u8| u32::from(*number) * 4_000;
    let content = match kind % 4 {
        0 => MarkContent::Picture {
            bytes: rest.to_vec(),
            words: String::new(),
        },
        1 | 2 => MarkContent::Text {
            text: String::from_utf8_lossy(rest).into_owned(),
            style: TextStyle {
                bold: kind & 16 != 0,
                size: (kind & 32 != 0).then_some(f32::from(kind / 4)),
                ..TextStyle::default()
            },
        },
        _ => MarkContent::Check,
    };
    let mark = Mark {
        page: 1,
        placement: Placement {
            x: part(x),
            y: part(y),
            width: part(width),
            height: part(height),
        },
        content,
    };
    let file = sample(kind & 64 != 0, kind & 128 != 0);
    let size = size_of_first_page(&file);
    let proof = prove(fonts(), &size, &mark);
    let stamped = stamp(file.as_slice(), fonts(), std::slice::from_ref(&mark));
    match (proof, stamped) {
        (Ok(()), Ok(stamped)) => {
            assert!(stamped.starts_with(&file), "the earlier bytes stay");
            let read = Document::load_mem(&stamped).expect("what was stamped is read");
            assert!(read.xref_recovery.is_none(), "nothing had to be repaired");
            for (id, object) in &read.objects {
                refers_to_what_is_there(&read, object).unwrap_or_else(|lost| panic!("{id:?} refers to {lost:?}"));
            }
            true
        }
        (Err(_), Err(_)) => false,
        (proof, stamped) => panic!("proved: {proof:?}, stamped: {:?}", stamped.map(drop)),
    }
}

fn refers_to_what_is_there(document: &Document, object: &Object) -> Result<(), lopdf::ObjectId> {
    match object {
        Object::Reference(id) if !document.objects.contains_key(id) => Err(*id),
        Object::Array(items) => items
            .iter()
            .try_for_each(|item| refers_to_what_is_there(document, item)),
        Object::Dictionary(dictionary) => dictionary
            .iter()
            .try_for_each(|(_, value)| refers_to_what_is_there(document, value)),
        Object::Stream(stream) => stream
            .dict
            .iter()
            .try_for_each(|(_, value)| refers_to_what_is_there(document, value)),
        _ => Ok(()),
    }
}
