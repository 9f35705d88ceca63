//! Reads the conformance claims in a file's XMP metadata: PDF/A, PDF/UA and similar standards.
//!
//! After an addition, these can no longer be guaranteed: a seal adds a widget and a font, a stamped value a
//! transparency group, and we have no validator that could check whether the file still conforms, or ever did. So the
//! claim is removed and reported.

use std::collections::BTreeMap;
use std::ops::Range;

use roxmltree::Node;

use super::xmp;

/// Namespaces with properties that are claims, and the names of their standards.
const STANDARDS: [(&str, &str); 5] = [
    ("http://www.aiim.org/pdfa/ns/id/", "PDF/A"),
    ("http://www.aiim.org/pdfua/ns/id/", "PDF/UA"),
    ("http://www.aiim.org/pdfe/ns/id/", "PDF/E"),
    ("http://www.npes.org/pdfx/ns/id/", "PDF/X"),
    ("http://www.npes.org/pdfvt/ns/id/", "PDF/VT"),
];

/// Metadata and its claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// Names of the standards, such as PDF/A-1B or PDF/UA-1.
    pub names: Vec<String>,
    /// The metadata without the claims.
    pub rest: String,
}

/// Returns the claims in the metadata. `None` if there are none, or if it is not XMP.
pub fn claims(packet: &str) -> Option<Claims> {
    let document = xmp::parse(packet)?;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut said: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for node in document.descendants().filter(Node::is_element) {
        let attributes = node.attributes().map(|attribute| {
            let value = attribute.value().to_owned();
            (attribute.namespace(), attribute.name(), value, attribute.range())
        });
        let own = node.tag_name();
        let text = node
            .descendants()
            .filter_map(|inner| inner.text().filter(|_| inner.is_text()));
        let element = (own.namespace(), own.name(), text.collect::<String>(), node.range());
        for (namespace, property, value, range) in attributes.chain([element]) {
            let standard = STANDARDS.iter().find(|(known, _)| Some(*known) == namespace);
            if let Some((_, standard)) = standard {
                let value = value.trim().to_owned();
                said.entry(standard).or_default().insert(property, value);
                ranges.push(range);
            }
        }
    }
    if ranges.is_empty() {
        return None;
    }
    let names = said.iter().map(|(standard, properties)| {
        let part = properties
            .get("part")
            .map(|part| format!("-{part}"))
            .unwrap_or_default();
        let level = properties.get("conformance").map_or("", String::as_str);
        format!("{standard}{part}{level}")
    });
    let names = names.collect();
    let mut rest = packet.to_owned();
    // Remove ranges from the end, so that earlier positions stay valid. Nested ranges are removed together.
    ranges.sort_by_key(|range| range.start);
    let mut outer: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        if outer.last().is_none_or(|last| last.end <= range.start) {
            outer.push(range);
        }
    }
    for range in outer.into_iter().rev() {
        rest.replace_range(range, "");
    }
    Some(Claims { names, rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(description: &str) -> String {
        format!(
            "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\
             <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\
             <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
             xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\" xmlns:u=\"http://www.aiim.org/pdfua/ns/id/\"{description}\
             </rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>"
        )
    }

    #[test]
    fn claims_are_found_and_removed_whether_they_are_elements_or_attributes() {
        let title = "<dc:title>계약 PDF/A</dc:title>";
        let as_elements = format!(
            "><pdfaid:part>1</pdfaid:part>{title}<pdfaid:conformance> B </pdfaid:conformance><u:part>1</u:part>"
        );
        let as_attributes = format!(" pdfaid:part=\"1\" pdfaid:conformance='B' u:part=\"1\">{title}");
        for (claiming, left) in [
            (as_elements, format!(">{title}")),
            (as_attributes, format!("   >{title}")),
        ] {
            let found = claims(&packet(&claiming)).expect("claims");
            assert_eq!(found.names, ["PDF/A-1B", "PDF/UA-1"]);
            assert_eq!(found.rest, packet(&left));
            assert_eq!(claims(&found.rest), None);
        }
    }

    #[test]
    fn other_descriptions_claim_nothing() {
        assert_eq!(claims(&packet("><dc:title>PDF/A-1B</dc:title>")), None);
        assert_eq!(claims("pdfaid:part"), None);
    }
}
