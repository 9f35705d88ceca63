//! The messages between pool and child.

use std::path::PathBuf;

use document::intake::{Change, Limits, Refused, Warning, Wishes};
use document::marks::checked_picture::PictureWish;
use document::marks::picture::PictureFault;
use document::pages::render::RenderFault;
use document::verify::{Means, Verdict};
use domain::field::Field;
use domain::template::PageSize;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sheets::{SheetFault, SheetLimits};

use crate::confinement::Confinement;

/// The first frame sent to a child. The child confines itself accordingly and answers [`Ready`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    /// Memory limit in bytes.
    pub(crate) memory: u64,
    /// Font files that replace missing fonts in uploads.
    pub(crate) fonts: Vec<PathBuf>,
}

/// Answer that the child is confined and waits for jobs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ready {
    pub(crate) confinement: Confinement,
}

/// A job. The file is in the frame's payload.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Processor time in milliseconds, rounded up to seconds, after which the kernel stops the child.
    pub(crate) milliseconds: u64,
    /// Additional time for each page of an inspected file.
    pub(crate) milliseconds_of_page: u64,
    pub(crate) task: Task,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    Inspect { limits: Limits, wishes: Wishes },
    PageImages { pages: Vec<u32>, dots_per_inch: f32 },
    PageTexts { pages: Vec<u32> },
    Verify { means: Means, at: Timestamp },
    Sheet { limits: SheetLimits },
    Picture { wish: PictureWish },
}

/// The result of a job, or an intermediate message: [`Answer::Counted`] is followed by another answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// The payload is the rewritten file.
    Taken {
        pages: Vec<PageSize>,
        changes: Vec<Change>,
        warnings: Vec<Warning>,
        signatures: u32,
        fields: Vec<Field>,
    },
    /// The number of pages in the file, which may need more time accordingly.
    Counted {
        pages: u32,
    },
    Refused {
        reason: Refused,
    },
    /// The payload contains the images, one after the other.
    Images {
        lengths: Vec<u64>,
    },
    /// The payload contains the texts as JSON, one after the other.
    Texts {
        lengths: Vec<u64>,
    },
    NotRendered {
        fault: RenderFault,
    },
    Verified {
        verdict: Verdict,
    },
    /// The payload is the sheet as JSON.
    Sheet,
    /// The file is not an acceptable sheet.
    NoSheet {
        fault: SheetFault,
    },
    /// The payload is the re-encoded picture.
    Picture {
        width: u32,
        height: u32,
        is_blank: bool,
    },
    /// The file is not an acceptable picture.
    NoPicture {
        fault: PictureFault,
    },
    /// The engine panicked.
    Panicked,
}
