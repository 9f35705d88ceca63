//! `[documents]`: limits for uploaded files and the processes that read them.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// `[documents]`
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Documents {
    /// The maximum number of child processes. Default: depends on the number of processors.
    pub workers: Option<usize>,
    /// The largest accepted PDF, in bytes.
    pub largest_file: u64,
    /// The maximum number of pages of an accepted PDF.
    pub most_pages: u32,
    /// The maximum size of page images and texts kept in memory, in bytes.
    pub page_cache: u64,
    /// The minimum percentage of free disk space to accept new files and documents. 0 turns the check off.
    pub least_free_percent: u64,
    /// The longest side of a page, in points.
    pub longest_side: f64,
    /// The maximum number of pixels of one image in a PDF.
    pub most_pixels: u64,
    /// The maximum unpacked size of one stream in a PDF, in bytes.
    pub largest_stream: u64,
    /// The memory limit of a child process, in bytes.
    pub worker_memory: u64,
    /// Milliseconds of processor time for the intake of a PDF, regardless of its pages.
    pub intake_milliseconds: u64,
    /// Additional milliseconds for each page.
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
