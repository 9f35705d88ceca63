//! Changes of the document's XMP: a later revision may renew it, but not what it says of the document.

use lopdf::Stream;
use roxmltree::{Document, Node};

use crate::xmp;

/// The namespace of Dublin Core.
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";
/// What a document is, in Dublin Core.
const PROPERTIES: [&str; 5] = ["title", "creator", "description", "subject", "rights"];

/// Whether two XMP streams say the same of what the document is. One that cannot be read says nothing that could be compared.
pub(super) fn is_same(before: &Stream, after: &Stream) -> bool {
    let (Some(before), Some(after)) = (xmp::read(before, xmp::MOST), xmp::read(after, xmp::MOST)) else {
        return false;
    };
    match (xmp::parse(&before), xmp::parse(&after)) {
        (Some(before), Some(after)) => PROPERTIES
            .iter()
            .all(|property| words(&before, property) == words(&after, property)),
        _ => false,
    }
}

/// The texts of a property, wherever they stand: in elements, or in an attribute (ISO 16684-1, 7.9.2.2).
fn words<'x>(packet: &'x Document<'_>, property: &str) -> Vec<&'x str> {
    let name = (DUBLIN_CORE, property);
    let texts = |node: Node<'x, '_>| {
        let texts = node
            .descendants()
            .filter_map(|inner| inner.text().filter(|_| inner.is_text()));
        texts.map(str::trim).filter(|text| !text.is_empty()).collect::<Vec<_>>()
    };
    packet
        .descendants()
        .flat_map(|node| {
            if node.has_tag_name(name) {
                texts(node)
            } else {
                node.attribute(name).into_iter().collect()
            }
        })
        .collect()
}
