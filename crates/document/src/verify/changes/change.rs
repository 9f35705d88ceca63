//! A change in a verdict: which part of the file, how, and where.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The part of a file that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The file's own structure: trailer, cross-references.
    Structure,
    /// The document catalog.
    Catalog,
    /// The tree of pages.
    Pages,
    Page,
    /// The content of a page, or a stream of unknown kind.
    Content,
    /// The resources of a page: colours, patterns, states.
    Resources,
    Font,
    /// A picture or a form that pages show.
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
    /// A file within the file.
    EmbeddedFile,
    /// Layers that can be shown and hidden.
    OptionalContent,
    /// Bookmarks.
    Outline,
    /// Descriptions of the file: title, author, XMP.
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

/// How something was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Changed,
    Added,
    /// It is new and shows on a page.
    AddedVisibly,
    Removed,
    /// A field was filled in.
    FilledIn,
    /// It uses a free number that the signed file referred to.
    Revealed,
    /// The signed revision alone cannot be read.
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
            Self::Unreadable => "not readable as it was signed",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The changed part.
    pub part: Part,
    pub how: How,
    /// The page, from 1, if it concerns one.
    pub page: Option<u32>,
    /// The form field, if it concerns one.
    pub field: Option<String>,
    /// The object's number; 0 for the file's structure.
    pub object: u32,
    /// The entry of the object by its PDF name, if it concerns one.
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

/// Several changes in one line.
pub(in crate::verify) fn list(changes: &[Change]) -> String {
    let texts: Vec<String> = changes.iter().map(ToString::to_string).collect();
    texts.join("; ")
}
