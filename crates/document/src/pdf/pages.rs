//! The pages of a file and what they draw (ISO 32000-2, 7.7.3 and 7.8.2).

use std::collections::BTreeSet;

use super::defect::{PdfDefect, Rule, defect};
use super::object::{Dict, Object};
use super::view::View;

impl<'f> View<'f> {
    /// The pages in their order.
    pub fn pages(self) -> Result<Vec<&'f Dict>, PdfDefect> {
        let mut pages = Vec::new();
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&Object> = self.catalog()?.get(b"Pages").into_iter().collect();
        let mut is_root = true;
        while let Some(node) = waiting.pop() {
            // Each node has one parent, so that no branch comes twice.
            if let Object::Ref(reference) = node
                && !seen.insert(*reference)
            {
                return Err(PdfDefect::new(0, Rule::PageTree).within(*reference));
            }
            let Object::Dict(dict) = self.resolve(node)? else {
                return defect(0, Rule::PageTree);
            };
            // Programs differ on a node that is neither clearly a page nor clearly a branch.
            let kind = self.get(dict, b"Type")?;
            match self.get(dict, b"Kids")? {
                Object::Array(kids) if kind.is_name(b"Pages") => waiting.extend(kids.iter().rev()),
                Object::Null if !is_root && !kind.is_name(b"Pages") => pages.push(dict),
                _ if !is_root && kind.is_name(b"Page") => pages.push(dict),
                _ => return defect(0, Rule::PageTree),
            }
            is_root = false;
        }
        Ok(pages)
    }

    /// The content of a page, decoded: its streams, with a space behind each if there are several.
    pub fn content(self, page: &Dict, limit: usize) -> Result<Vec<u8>, PdfDefect> {
        let streams = match self.get(page, b"Contents")? {
            Object::Null => return Ok(Vec::new()),
            Object::Array(items) => items,
            one => return self.content_of(one, limit),
        };
        let mut content = Vec::new();
        for stream in streams {
            let left = limit.saturating_sub(content.len());
            content.extend(self.content_of(self.resolve(stream)?, left)?);
            content.push(b' ');
        }
        Ok(content)
    }

    fn content_of(self, object: &Object, limit: usize) -> Result<Vec<u8>, PdfDefect> {
        let Object::Stream(stream) = object else {
            return defect(0, Rule::Content);
        };
        let decoded = self.decode(stream, limit)?;
        if decoded.left.is_empty() {
            Ok(decoded.bytes)
        } else {
            defect(0, Rule::Content)
        }
    }
}
