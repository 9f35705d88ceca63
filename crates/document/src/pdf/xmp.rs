//! Reads the document's XMP (ISO 16684-1), as far as intake and verifier look at it.

use roxmltree::{Document, ParsingOptions};

/// How many bytes of a packet are read; descriptions have some thousand.
pub(crate) const MOST: usize = 16 * 1024 * 1024;
/// More elements, attributes and texts than descriptions have; bounds the memory of the parser.
const MOST_NODES: u32 = 1_000_000;
/// The namespace and the name of the packet's root (7.3.3).
const ROOT: (&str, &str) = ("adobe:ns:meta/", "xmpmeta");

/// The packet. `None` if it is not well-formed XML, has its own document type or entities, or is not XMP.
pub(crate) fn parse(text: &str) -> Option<Document<'_>> {
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: MOST_NODES,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options)
        .ok()
        .filter(|packet| packet.root_element().has_tag_name(ROOT))
}
