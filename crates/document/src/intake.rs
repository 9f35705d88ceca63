//! Taking a stranger's PDF in.
//!
//! An upload is rewritten once, so that everything after works on a file of our own making:
//! decrypted, with one plain cross-reference table, without objects that nothing refers to, and
//! without what could change or act after people have signed. Actors and steps:
//!
//! 1. [`inspect`] holds the file against [`Limits`], parses it (repairing a broken
//!    cross-reference table where it can) and refuses what cannot be kept honestly: a password, a
//!    signature that the rewriting would break, a form that exists only as XFA.
//! 2. `clean` removes scripts, actions, attachments, multimedia, XFA and usage rights, and counts
//!    what it removed; `rewrite` drops unreachable objects and numbers the rest anew.
//! 3. `compare` renders every page before and after. One pixel of difference at 50 dpi refuses the
//!    file: what the sender uploads is what people sign.
//!
//! What may fail: everything, for the file is a stranger's. Nothing here trusts it, but parser and
//! renderer can still be driven into endless work, memory exhaustion or stack overflow, so strangers'
//! bytes are inspected only in the limited child processes of `countersign-document-worker`.

mod clean;
mod compare;
mod rewrite;

use domain::template::PageSize;
use lopdf::{Document, LoadOptions};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::form;
use crate::geometry::PageGeometry;
use crate::render::{Opened, RenderFault};

/// What a file may be at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of the file.
    pub largest_file: u64,
    /// Pages.
    pub most_pages: u32,
    /// A page's longer side, in points.
    pub longest_side: f64,
    /// A page's shorter side, in points.
    pub shortest_side: f64,
    /// Bytes to which one compressed stream may grow while parsing.
    pub largest_stream: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            largest_file: 50 * 1024 * 1024,
            most_pages: 1_000,
            // 200 inches, the most that a page without UserUnit can have (Annex C.2).
            longest_side: 14_400.0,
            shortest_side: 18.0,
            largest_stream: 128 * 1024 * 1024,
        }
    }
}

/// A file that was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Intake {
    /// The file as it was rewritten.
    pub pdf: Vec<u8>,
    /// The displayed size of each page.
    pub pages: Vec<PageSize>,
    /// What the sender is told: how the file differs from the upload.
    pub changes: Vec<Change>,
}

/// Something that intake changed. The look of the pages never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// It was encrypted with an empty user password.
    #[error("the encryption was removed (it needed no password)")]
    Decrypted,
    /// Its cross-reference table was broken and has been rebuilt.
    #[error("the damaged structure of the file was repaired")]
    Repaired,
    /// The usage rights signature of a form (`/Perms /UR3`) was removed; it is no signature of a person.
    #[error("the usage rights that the form's maker granted to certain readers were removed")]
    UsageRightsRemoved,
    /// The XFA copy of a form was removed; the ordinary fields stay.
    #[error("the XFA copy of the form was removed; its ordinary fields stay")]
    XfaRemoved,
    /// Scripts were removed.
    #[error("{count} script(s) were removed")]
    ScriptsRemoved {
        /// How many.
        count: u32,
    },
    /// Other actions were removed: opening files, sending forms, playing, hiding.
    #[error("{count} action(s) that open, send, play or hide something were removed")]
    ActionsRemoved {
        /// How many.
        count: u32,
    },
    /// Embedded files were removed.
    #[error("{count} embedded file(s) were removed")]
    EmbeddedFilesRemoved {
        /// How many.
        count: u32,
    },
    /// Sound, films and three-dimensional scenes were removed; their pictures on the page stay.
    #[error("{count} film(s), sound(s) or 3D scene(s) were removed; what shows on the page stays")]
    MultimediaRemoved {
        /// How many.
        count: u32,
    },
}

/// Why a file was not taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refused {
    /// Too many bytes.
    #[error("the file has {length} bytes; at most {limit} are taken")]
    TooLarge {
        /// Its bytes.
        length: u64,
        /// How many may be.
        limit: u64,
    },
    /// Not a PDF file, or one beyond repair.
    #[error("the file is not a PDF or is damaged beyond repair; print it to a new PDF")]
    NotPdf,
    /// A password is needed to read it.
    #[error("the file needs a password to be opened; save it without one")]
    NeedsPassword,
    /// Its encryption is one that cannot be removed.
    #[error("the file's encryption is not supported; save it without encryption")]
    UnsupportedEncryption,
    /// People have signed it already.
    #[error("the file already carries {count} signature(s), which taking it would break; send it unsigned")]
    AlreadySigned {
        /// How many.
        count: u32,
    },
    /// A form that only XFA viewers show.
    #[error("the file is a dynamic XFA form, which shows only in one product; print it to a new PDF")]
    DynamicXfa,
    /// No pages.
    #[error("the file has no pages")]
    NoPages,
    /// Too many pages.
    #[error("the file has {pages} pages; at most {limit} are taken")]
    TooManyPages {
        /// Its pages.
        pages: u32,
        /// How many may be.
        limit: u32,
    },
    /// A page whose boxes make no sense or that is too large or too small.
    #[error("page {page} has no valid size; at least {shortest} and at most {longest} points a side are taken")]
    PageSize {
        /// The page, from 1.
        page: u32,
        /// Least length of its shorter side.
        shortest: f64,
        /// Greatest length of its longer side.
        longest: f64,
    },
    /// Rewriting would change how a page looks.
    #[error("page {page} cannot be kept exactly as it looks; print the file to a new PDF")]
    PageWouldChange {
        /// The first such page, from 1.
        page: u32,
    },
    /// The file asks for more work or memory than is allowed.
    #[error("the file needs too much time or memory to be read; print it to a new PDF")]
    TooDemanding,
}

/// Takes a file in, or says why not.
pub fn inspect(bytes: &[u8], limits: &Limits) -> Result<Intake, Refused> {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > limits.largest_file {
        return Err(Refused::TooLarge {
            length,
            limit: limits.largest_file,
        });
    }
    let mut document = load(bytes, limits)?;
    let mut changes = Vec::new();
    if document.was_encrypted() {
        changes.push(Change::Decrypted);
    }
    if document.xref_recovery.is_some() {
        changes.push(Change::Repaired);
    }
    refuse_signed(&document)?;
    if clean::is_dynamic_xfa(&document) {
        return Err(Refused::DynamicXfa);
    }
    let pages = page_sizes(&document, limits)?;
    changes.extend(clean::clean(&mut document));
    changes.sort_unstable();
    let pdf = rewrite::rewrite(document, bytes)?;
    compare::same_pages(bytes, &pdf, &pages)?;
    Ok(Intake { pdf, pages, changes })
}

fn load(bytes: &[u8], limits: &Limits) -> Result<Document, Refused> {
    use lopdf::{DecompressError, Error};
    let options = LoadOptions {
        max_decompressed_size: Some(usize::try_from(limits.largest_stream).unwrap_or(usize::MAX)),
        ..LoadOptions::default()
    };
    let document = Document::load_mem_with_options(bytes, options).map_err(|error| match error {
        Error::InvalidPassword => Refused::NeedsPassword,
        Error::Decryption(_) => Refused::UnsupportedEncryption,
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => Refused::TooDemanding,
        _ => Refused::NotPdf,
    })?;
    // Left in place by the reader where the empty password did not open the file.
    if document.is_encrypted() {
        return Err(match Opened::new(bytes.to_vec()) {
            Err(RenderFault::NeedsPassword) => Refused::NeedsPassword,
            _ => Refused::UnsupportedEncryption,
        });
    }
    if document.catalog().is_err() {
        return Err(Refused::NotPdf);
    }
    Ok(document)
}

fn refuse_signed(document: &Document) -> Result<(), Refused> {
    let signatures = form::signatures(document).len();
    let certified = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"Perms"))
        .is_some_and(|permissions| permissions.has(b"DocMDP"));
    let count = u32::try_from(signatures).unwrap_or(u32::MAX).max(u32::from(certified));
    if count == 0 {
        Ok(())
    } else {
        Err(Refused::AlreadySigned { count })
    }
}

fn page_sizes(document: &Document, limits: &Limits) -> Result<Vec<PageSize>, Refused> {
    let mut sizes = Vec::new();
    for (id, page) in document.page_iter().zip(1_u32..) {
        if page > limits.most_pages {
            let pages = u32::try_from(document.page_iter().count()).unwrap_or(u32::MAX);
            return Err(Refused::TooManyPages {
                pages,
                limit: limits.most_pages,
            });
        }
        let size = PageGeometry::read(document, id)
            .ok()
            .map(|geometry| geometry.displayed_size())
            .filter(|size| {
                size.width_points.max(size.height_points) <= limits.longest_side
                    && size.width_points.min(size.height_points) >= limits.shortest_side
            });
        sizes.push(size.ok_or(Refused::PageSize {
            page,
            shortest: limits.shortest_side,
            longest: limits.longest_side,
        })?);
    }
    if sizes.is_empty() {
        Err(Refused::NoPages)
    } else {
        Ok(sizes)
    }
}
