//! Reads the parts of a document's XMP (ISO 16684-1) that intake and verifier need.

use roxmltree::{Document, ParsingOptions};

/// Maximum size of a packet that is read, in bytes. Typical packets have a few thousand.
pub(crate) const MOST: usize = 16 * 1024 * 1024;
/// Maximum number of elements, attributes and texts, which limits the memory of the parser. No real packet has more.
const MOST_NODES: u32 = 1_000_000;
/// The namespace and the name of the packet's root (7.3.3).
const ROOT: (&str, &str) = ("adobe:ns:meta/", "xmpmeta");

/// Parses the packet. `None` if it is not well-formed XML, has its own document type or entities, or is not XMP.
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
