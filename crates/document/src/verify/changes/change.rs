//! A change in a verdict: the part of the file, the kind of change, and the location.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The part of a file that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The file's own structure: trailer and cross-references.
    Structure,
    /// The document catalog.
    Catalog,
    /// The page tree.
    Pages,
    Page,
    /// The content of a page, or a stream of unknown type.
    Content,
    /// The resources of a page: colours, patterns, graphics states.
    Resources,
    Font,
    /// An image or form shown on pages.
    Picture,
    Annotation,
    Form,
    /// A form field.
    Field,
    /// A signature, its field, or its entry in the catalog.
    Signature,
    /// A document timestamp.
    Timestamp,
    /// Certificates and revocation data (DSS).
    ValidationData,
    /// A script, or an action that opens with the document.
    Script,
    /// An attached file.
    EmbeddedFile,
    /// Layers that can be shown or hidden.
    OptionalContent,
    /// Bookmarks.
    Outline,
    /// Metadata of the file: title, author, XMP.
    Metadata,
    /// Anything else.
    Other,
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Structure => "file structure",
            Self::Catalog => "document catalog",
            Self::Pages => "page tree",
            Self::Page => "page",
            Self::Content => "content",
            Self::Resources => "resources",
            Self::Font => "font",
            Self::Picture => "picture",
            Self::Annotation => "annotation",
            Self::Form => "form",
            Self::Field => "form field",
            Self::Signature => "signature",
            Self::Timestamp => "document timestamp",
            Self::ValidationData => "validation data",
            Self::Script => "script or action",
            Self::EmbeddedFile => "embedded file",
            Self::OptionalContent => "optional content (layers)",
            Self::Outline => "bookmarks",
            Self::Metadata => "metadata",
            Self::Other => "object",
        })
    }
}

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Changed,
    Added,
    /// The part is new and visible on a page.
    AddedVisibly,
    Removed,
    /// A field was filled in.
    FilledIn,
    /// The part uses a free number that the signed file refers to.
    Revealed,
    /// The signed revision cannot be read on its own.
    Unreadable,
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Changed => "changed",
            Self::Added => "added",
            Self::AddedVisibly => "added, visible on the page",
            Self::Removed => "removed",
            Self::FilledIn => "filled in",
            Self::Revealed => "added in a place that was empty when signed",
            Self::Unreadable => "no longer readable as it was when signed",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The changed part.
    pub part: Part,
    pub how: How,
    /// Page number, starting at 1, if the change concerns a page.
    pub page: Option<u32>,
    /// Name of the form field, if the change concerns one.
    pub field: Option<String>,
    /// Number of the object, or 0 for the file's structure.
    pub object: u32,
    /// PDF name of the object's entry, if the change concerns one.
    pub entry: Option<String>,
}

impl Change {
    pub(in crate::verify) fn unreadable() -> Self {
        Self {
            part: Part::Structure,
            how: How::Unreadable,
            page: None,
            field: None,
            object: 0,
            entry: None,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.part)?;
        if let Some(field) = &self.field {
            write!(formatter, " “{field}”")?;
        }
        if let Some(page) = self.page {
            match self.part {
                Part::Page => write!(formatter, " {page}")?,
                _ => write!(formatter, " of page {page}")?,
            }
        }
        write!(formatter, " {}", self.how)?;
        match (&self.entry, self.object) {
            (Some(entry), 0) => write!(formatter, " (/{entry})"),
            (Some(entry), object) => write!(formatter, " (object {object}, /{entry})"),
            (None, 0) => Ok(()),
            (None, object) => write!(formatter, " (object {object})"),
        }
    }
}

/// Formats several changes on one line.
pub(in crate::verify) fn list(changes: &[Change]) -> String {
    let texts: Vec<String> = changes.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
