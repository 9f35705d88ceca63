//! Describes marks for assistive technology.
//!
//! In a tagged file (ISO 32000-2, 14.8), each mark becomes an element after the existing structure: an entered value is
//! a field that can no longer be changed (14.8.5.6), and a picture or drawn signature is a figure with a description.
//! The elements refer to the marked content of the drawing, a form `XObject` that appears only once, on one page
//! (14.7.5.2), so that the page's own marked content is not changed.
//!
//! In a file with existing signatures, the structure stays unchanged, because a signature covers it. There, the
//! descriptions of all marks of a page become that of the field that shows them (12.7.4.1: `TU`).

use domain::drawing::Drawing;
use krilla::tagging::{Artifact, ArtifactType, ContentTag, SpanTag};

use super::stamp::{MarkContent, Sheet};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::DisplayedBox;
use crate::pdf::structure::{Structure, field_element, marked_content};
use crate::pdf::{Dict, Object, PdfDefect, Ref};

#[derive(Debug, Clone)]
pub(super) enum Meaning {
    /// A text that a person entered.
    Text { words: String, language: &'static str },
    /// A selected option, with its role as a field.
    Chosen { words: &'static str, role: &'static str },
    /// A picture with this description.
    Figure { words: String },
    /// A text that is not part of the document's content.
    Aside { words: String },
}

impl Meaning {
    pub(super) fn of(content: &MarkContent) -> Self {
        match content {
            MarkContent::Text { text, style } | MarkContent::FormText { text, style } => Self::Text {
                words: text.clone(),
                language: style.language.locale(),
            },
            MarkContent::Aside { text, .. } | MarkContent::Watermark { text, .. } => {
                Self::Aside { words: text.clone() }
            }
            MarkContent::Check => Self::Chosen {
                words: "\u{2713}",
                role: "cb",
            },
            MarkContent::Dot => Self::Chosen {
                words: "\u{25cf}",
                role: "rb",
            },
            MarkContent::Picture { words, .. } => Self::Figure { words: words.clone() },
            MarkContent::Drawing(drawing) => Self::Figure {
                words: match drawing {
                    Drawing::Typed { text, .. } => text.clone(),
                    Drawing::Seal(seal) => format!("{} {}", seal.name, seal.title).trim().to_owned(),
                },
            },
        }
    }

    pub(super) fn words(&self) -> &str {
        match self {
            Self::Text { words, .. } | Self::Figure { words } | Self::Aside { words } => words,
            Self::Chosen { words, .. } => words,
        }
    }

    /// Returns the tag of the mark's drawing.
    pub(super) fn tag(&self) -> ContentTag<'_> {
        match self {
            Self::Text { language, .. } => ContentTag::Span(SpanTag::empty().with_lang(Some(language))),
            Self::Chosen { words, .. } => ContentTag::Span(SpanTag::empty().with_actual_text(Some(words))),
            Self::Figure { .. } => ContentTag::Other,
            Self::Aside { .. } => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Other)),
        }
    }

    /// Returns the structure element, which refers to the content.
    fn element(&self, sheet: &Sheet, place: &DisplayedBox) -> Option<Dict> {
        Some(match self {
            Self::Text { .. } => field_element("tv", None, None),
            Self::Chosen { role, .. } => field_element(role, Some(true), None),
            Self::Figure { words } => {
                let place = sheet.geometry.user_rectangle(place).object();
                let attributes = Dict::of([("O", Object::name("Layout")), ("BBox", place)]);
                Dict::of([
                    ("S", Object::name("Figure")),
                    ("Alt", Object::text(words)),
                    ("A", attributes.into()),
                ])
            }
            Self::Aside { .. } => return None,
        })
    }
}

/// Adds the marks of a sheet to the structure. `drawing` shows these marks.
pub(super) fn tag(
    sheet: &Sheet,
    drawing: Ref,
    structure: &mut Structure,
    edits: &mut Edits<'_>,
) -> Result<(), PdfDefect> {
    let marks = sheet.meanings.iter().zip(&sheet.marks);
    let elements = marks.filter_map(|(meaning, (place, _))| meaning.element(sheet, place));
    let mut belongs_to: Vec<Object> = Vec::new();
    // The marked content of the drawing is numbered in the same order.
    for (mut element, mark) in elements.zip(0_i64..) {
        element.set(b"Pg", sheet.page);
        element.set(b"K", marked_content(sheet.page, drawing, mark));
        belongs_to.push(structure.add(element, edits).into());
    }
    if !belongs_to.is_empty()
        && let Some(drawing) = edits.edit_dict(drawing)?
    {
        drawing.set(b"StructParents", structure.key(belongs_to));
    }
    Ok(())
}
