//! The reading order of a certificate for screen readers: headings, lists, a table (ISO 32000-2, 14.8).

use domain::language::Language;
use krilla::tagging::{Identifier, Node, TagGroup, TagKind, TagTree};

/// A child of an element.
enum Child {
    Element(usize),
    /// Content, by its number.
    Content(usize),
}

struct Element {
    kind: TagKind,
    children: Vec<Child>,
}

/// The elements of a certificate, in the order in which they are composed.
#[derive(Default)]
pub(super) struct ReadingOrder {
    elements: Vec<Element>,
    outermost: Vec<Child>,
    /// The open elements, innermost last.
    open: Vec<usize>,
    contents: usize,
}

impl ReadingOrder {
    /// Adds an element to the innermost one.
    pub(super) fn element(&mut self, kind: impl Into<TagKind>) -> usize {
        let element = self.elements.len();
        self.elements.push(Element {
            kind: kind.into(),
            children: Vec::new(),
        });
        let innermost = self.open.last().and_then(|open| self.elements.get_mut(*open));
        let children = innermost.map_or(&mut self.outermost, |open| &mut open.children);
        children.push(Child::Element(element));
        element
    }

    /// Opens an element. Later elements are added to it until it is closed.
    pub(super) fn open(&mut self, kind: impl Into<TagKind>) {
        let element = self.element(kind);
        self.open.push(element);
    }

    /// Closes the innermost element.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Returns a new number for drawn content that belongs to an element.
    pub(super) fn content(&mut self, element: usize) -> usize {
        let content = self.contents;
        self.contents += 1;
        if let Some(element) = self.elements.get_mut(element) {
            element.children.push(Child::Content(content));
        }
        content
    }

    /// Builds the tag tree. `drawn` contains the identifiers of the drawn content, by number.
    pub(super) fn tree(&self, drawn: &[(usize, Identifier)], language: Language) -> TagTree {
        let mut identifiers: Vec<Option<Identifier>> = vec![None; self.contents];
        for (content, identifier) in drawn {
            if let Some(place) = identifiers.get_mut(*content) {
                *place = Some(*identifier);
            }
        }
        TagTree::from(self.nodes(&self.outermost, &identifiers)).with_lang(Some(language.locale().to_owned()))
    }

    fn nodes(&self, children: &[Child], drawn: &[Option<Identifier>]) -> Vec<Node> {
        let node = |child: &Child| match child {
            Child::Content(content) => drawn.get(*content).copied().flatten().map(Node::Leaf),
            Child::Element(element) => self.elements.get(*element).map(|element| {
                let children = self.nodes(&element.children, drawn);
                TagGroup::with_children(element.kind.clone(), children).into()
            }),
        };
        children.iter().filter_map(node).collect()
    }
}
