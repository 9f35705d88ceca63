//! `[documents]`: bounds for uploaded files and the processes that read them.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// `[documents]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Documents {
    /// Child processes at most; by the number of processors, if not given.
    pub workers: Option<usize>,
    /// The largest PDF that is taken, in bytes.
    pub largest_file: u64,
    /// The most pages of a PDF that is taken.
    pub most_pages: u32,
    /// Bytes of pictures and texts of pages that are kept in memory at most.
    pub page_cache: u64,
    /// Below so many percent of free disk no new files and documents are taken; 0: they always are.
    pub least_free_percent: u64,
    /// The longest side of a page, in points.
    pub longest_side: f64,
    /// The most pixels of one picture in a PDF.
    pub most_pixels: u64,
    /// The most bytes to which one stream of a PDF may grow.
    pub largest_stream: u64,
    /// The bytes of memory that a child process may use.
    pub worker_memory: u64,
    /// Milliseconds in the processor that taking a PDF in may need, whatever its pages.
    pub intake_milliseconds: u64,
    /// And for each of its pages.
    pub intake_milliseconds_page: u64,
    /// A folder with more fonts (TTF, OTF, TTC).
    pub fonts_folder: Option<PathBuf>,
}

impl Default for Documents {
    fn default() -> Documents {
        let pool = document_worker::PoolSettings::default();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Documents {
            workers: None,
            largest_file: pool.limits.largest_file,
            most_pages: pool.limits.most_pages,
            page_cache: app::Settings::default().page_cache,
            least_free_percent: app::Settings::default().least_free_percent,
            longest_side: pool.limits.longest_side,
            most_pixels: pool.limits.most_pixels,
            largest_stream: pool.limits.largest_stream,
            worker_memory: pool.memory,
            intake_milliseconds: milliseconds(pool.time),
            intake_milliseconds_page: milliseconds(pool.time_of_page),
            fonts_folder: None,
        }
    }
}
