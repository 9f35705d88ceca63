//! What pool and child say to each other.

use document::intake::{Change, Limits, Refused};
use document::render::RenderFault;
use document::verify::{Means, Verdict};
use domain::template::PageSize;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::confinement::Confinement;

/// The first frame that a child gets; it confines itself by it and answers [`Ready`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Welcome {
    /// Bytes of memory.
    pub(crate) memory: u64,
}

/// The child is confined and waits for jobs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ready {
    pub(crate) confinement: Confinement,
}

/// A job; the file is the frame's payload.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Seconds in the processor after which the child is stopped by the kernel.
    pub(crate) processor_seconds: u64,
    pub(crate) task: Task,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    Inspect { limits: Limits },
    PageImages { pages: Vec<u32>, dots_per_inch: f32 },
    PageTexts { pages: Vec<u32> },
    Verify { means: Means, at: Timestamp },
}

/// What came of a job.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    /// The payload is the rewritten file.
    Taken {
        pages: Vec<PageSize>,
        changes: Vec<Change>,
    },
    Refused {
        reason: Refused,
    },
    /// The payload is the images one after the other.
    Images {
        lengths: Vec<u64>,
    },
    /// The payload is the texts as JSON, one after the other.
    Texts {
        lengths: Vec<u64>,
    },
    NotRendered {
        fault: RenderFault,
    },
    Verified {
        verdict: Verdict,
    },
    /// The engine met a case that it does not handle.
    Panicked,
}
