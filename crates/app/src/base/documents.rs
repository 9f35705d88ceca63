//! The port through which PDFs, pictures and spreadsheets of strangers are read.
//!
//! No engine is safe on hostile input, so uploads are parsed and rendered only in child processes with limited memory
//! and time. Use cases know this port, and the program connects it to the pool of workers. Each call names its
//! [`Requester`], so heavy users cannot delay the others.

use document::intake::{Intake, Refused, Wishes};
use document::marks::checked_picture::{CheckedPicture, PictureWish};
use document::marks::picture::PictureFault;
use document::pages::render::RenderFault;
use document::pages::text_layer::PageText;
use document::verify::{Means, Verdict};
use domain::Requester;
use jiff::Timestamp;
use sheets::{Sheet, SheetFault, SheetLimits};

use crate::base::error::{Error, Fault, FaultCode};

/// Reads strangers' PDFs and pictures.
pub trait StrangersDocuments: Send + Sync {
    /// Checks whether documents can be read now.
    fn check(&self) -> Result<(), DocumentFault> {
        Ok(())
    }

    /// Imports an upload with its sender's options. It is rewritten once, kept unchanged if others have signed it, or
    /// refused.
    fn inspect_as(&self, requester: &Requester, pdf: &[u8], wishes: &Wishes) -> Result<Intake, DocumentFault>;

    /// Returns the pages as images (WebP or JPEG), in the requested order. Pages count from 1.
    fn page_images(
        &self,
        requester: &Requester,
        pdf: &[u8],
        pages: &[u32],
        dots_per_inch: f32,
    ) -> Result<Vec<Vec<u8>>, DocumentFault>;

    /// Returns the text of the pages, in the requested order. Pages count from 1.
    fn page_texts(&self, requester: &Requester, pdf: &[u8], pages: &[u32]) -> Result<Vec<PageText>, DocumentFault>;

    /// Verifies a signed PDF as of a given time.
    fn verify(&self, requester: &Requester, pdf: &[u8], means: &Means, at: Timestamp)
    -> Result<Verdict, DocumentFault>;

    /// Reads the rows of a spreadsheet: CSV, or the first sheet of a workbook.
    fn sheet(&self, requester: &Requester, file: &[u8], limits: &SheetLimits) -> Result<Sheet, DocumentFault>;

    /// Re-encodes a picture for the boxes that show it.
    fn picture(&self, requester: &Requester, file: &[u8], wish: &PictureWish) -> Result<CheckedPicture, DocumentFault>;
}

/// Reason why a stranger's file was not read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DocumentFault {
    /// Refused, for a reason that the sender can fix.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The pages cannot be shown.
    #[error(transparent)]
    NotRendered(#[from] RenderFault),
    /// Not a spreadsheet that we accept.
    #[error(transparent)]
    NotASheet(#[from] SheetFault),
    /// Not a picture that we accept.
    #[error(transparent)]
    NotAPicture(#[from] PictureFault),
    /// All workers are busy.
    #[error("all document workers are busy; try again later")]
    Busy,
    /// The worker could not be started, or did not respond.
    #[error("the document worker failed: {0}")]
    Failed(String),
}

impl DocumentFault {
    /// Converts the failure into a use-case error for the file at `path`.
    pub fn at(self, path: &str) -> Error {
        match self {
            DocumentFault::Refused(Refused::TooLarge { limit, .. }) => Error::TooLarge { limit },
            DocumentFault::Refused(refused) => Error::Unprocessable(vec![Fault::refused_document(path, &refused)]),
            // The operator has to fix this. The log says how.
            DocumentFault::NotRendered(missing @ RenderFault::FontMissing { .. }) => {
                Error::internal("showing a page", missing)
            }
            DocumentFault::NotRendered(reason) => Error::Unprocessable(vec![
                Fault::new(path, FaultCode::DocumentRefused).with("reason", reason),
            ]),
            DocumentFault::NotAPicture(fault) => Error::fault(path, picture_code(&fault)),
            DocumentFault::NotASheet(fault) => Error::Unprocessable(vec![sheet_fault(path, &fault)]),
            DocumentFault::Busy => Error::busy(2),
            failed @ DocumentFault::Failed(_) => Error::internal("reading a document", failed),
        }
    }
}

/// Describes a problem with a spreadsheet to its sender.
fn sheet_fault(path: &str, fault: &SheetFault) -> Fault {
    match fault {
        SheetFault::NotUtf8 => Fault::new(path, FaultCode::SheetNotUtf8),
        SheetFault::Unreadable => Fault::new(path, FaultCode::SheetUnreadable).with("kind", "other"),
        SheetFault::OtherFile { kind } => Fault::new(path, FaultCode::SheetUnreadable).with("kind", kind.word()),
        SheetFault::Quote { row } => Fault::new(path, FaultCode::SheetQuote).with("row", row),
        SheetFault::Empty => Fault::new(path, FaultCode::SheetEmpty),
        SheetFault::TooManyRows { limit } | SheetFault::TooManyColumns { limit } => {
            Fault::new(path, FaultCode::TooMany).with("max", limit)
        }
        SheetFault::TooLong { row } => {
            Fault::new(format!("{path} row {row}"), FaultCode::TooLong).with("max", SheetLimits::default().cell)
        }
    }
}

pub(crate) fn picture_code(fault: &PictureFault) -> FaultCode {
    match fault {
        PictureFault::UnknownFormat | PictureFault::Invisible => FaultCode::InvalidPicture,
        PictureFault::TooLarge => FaultCode::PictureTooLarge,
        PictureFault::Damaged => FaultCode::PictureDamaged,
    }
}
