//! Changes of the document's XMP metadata. A later revision may only write its time and its program.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};

use crate::pdf::{Stream, xmp};
use crate::verify::reading::Reading;

const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const XMP: &str = "http://ns.adobe.com/xap/1.0/";
const XMP_MEDIA: &str = "http://ns.adobe.com/xap/1.0/mm/";
const XML: &str = "http://www.w3.org/XML/1998/namespace";
const PDF: &str = "http://ns.adobe.com/pdf/1.3/";
/// Properties that a program writes about itself and the time when it adds a revision, including the instance ID of the
/// revision.
const OF_REVISION: [(&str, &str); 4] = [
    (XMP, "ModifyDate"),
    (XMP, "MetadataDate"),
    (PDF, "Producer"),
    (XMP_MEDIA, "InstanceID"),
];

/// Returns whether two XMP streams of a file describe the document identically. Unreadable streams cannot be compared,
/// and a missing one counts as empty.
pub(super) fn is_same(reading: &Reading<'_>, before: Option<&Stream>, after: &Stream) -> bool {
    let read = |stream| {
        let text = String::from_utf8(reading.plain(stream, xmp::MOST).ok()?).ok()?;
        xmp::parse(&text).map(|packet| statements(&packet))
    };
    let before = match before {
        Some(before) => read(before),
        None => Some(BTreeSet::new()),
    };
    before.is_some_and(|before| read(after) == Some(before))
}

/// Returns the statements of a packet, in one form for all notations of XMP (ISO 16684-1, 7.4 to 7.9).
fn statements(packet: &Document<'_>) -> BTreeSet<String> {
    packet
        .descendants()
        .filter(|node| node.has_tag_name((RDF, "RDF")))
        .flat_map(|node| node.children())
        .filter(|node| node.has_tag_name((RDF, "Description")))
        .flat_map(|node| properties(node, true))
        .collect()
}

/// Returns the properties of a description. In the outermost one, leaves out those of the revision.
fn properties(description: Node<'_, '_>, is_outermost: bool) -> Vec<String> {
    let is_said = |namespace: Option<&str>, name: &str| {
        let is_of_revision =
            is_outermost && namespace.is_some_and(|namespace| OF_REVISION.contains(&(namespace, name)));
        // A language attribute belongs to the value.
        !is_of_revision && namespace != Some(RDF) && namespace != Some(XML)
    };
    let attributes = description
        .attributes()
        .filter(|attribute| is_said(attribute.namespace(), attribute.name()) && attribute.namespace().is_some())
        .map(|attribute| said(attribute.namespace(), attribute.name(), attribute.value().trim()));
    let elements = description
        .children()
        .filter(roxmltree::Node::is_element)
        .filter(|node| is_said(node.tag_name().namespace(), node.tag_name().name()))
        .map(|node| said(node.tag_name().namespace(), node.tag_name().name(), &value(node)));
    let mut properties: Vec<String> = attributes.chain(elements).collect();
    properties.sort();
    properties
}

fn said(namespace: Option<&str>, name: &str, value: &str) -> String {
    format!("{{{}}}{name}={value:?}", namespace.unwrap_or_default())
}

/// Returns the value of a property or an item: a text, a list, or a structure of properties.
fn value(node: Node<'_, '_>) -> String {
    const LISTS: [&str; 3] = ["Alt", "Bag", "Seq"];
    let language = node.attribute((XML, "lang"));
    let inner = node.children().find(Node::is_element);
    let value = if node.attribute((RDF, "parseType")) == Some("Resource") {
        format!("{:?}", properties(node, false))
    } else if let Some(list) = inner.filter(|inner| LISTS.iter().any(|list| inner.has_tag_name((RDF, *list)))) {
        let items: Vec<String> = list.children().filter(Node::is_element).map(value).collect();
        format!("{}{items:?}", list.tag_name().name())
    } else if let Some(inner) = inner {
        format!("{:?}", properties(inner, false))
    } else if let Some(resource) = node.attribute((RDF, "resource")) {
        resource.to_owned()
    } else {
        let of_attributes = properties(node, false);
        match of_attributes.as_slice() {
            [] => node.text().unwrap_or_default().trim().to_owned(),
            properties => format!("{properties:?}"),
        }
    };
    match language {
        Some(language) => format!("{language}:{value}"),
        None => value,
    }
}
