//! Provides the pool of document workers to the use cases.
//!
//! Most commands never read a stranger's PDF, so the pool is created on first use.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use app::{DocumentFault, StrangersDocuments};
use document::intake::{Intake, Wishes};
use document::marks::checked_picture::{CheckedPicture, PictureWish};
use document::pages::text_layer::PageText;
use document::verify::{Means, Verdict};
use document_worker::{Pool, PoolError, PoolLoad, PoolSettings};
use domain::Requester;
use jiff::Timestamp;
use sheets::{Sheet, SheetLimits};

use crate::configuration::Documents;

/// The document workers, created on first use.
#[derive(Debug)]
pub struct Workers {
    settings: PoolSettings,
    pool: OnceLock<Pool>,
}

impl Workers {
    /// Prepares workers as configured, but starts none yet.
    pub fn new(documents: &Documents) -> Workers {
        Workers {
            settings: settings(documents),
            pool: OnceLock::new(),
        }
    }

    pub fn pool(&self) -> Result<&Pool, PoolError> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let pool = Pool::new(own_program()?, self.settings.clone())?;
        Ok(self.pool.get_or_init(|| pool))
    }

    /// Returns how busy the workers are, or `None` before the first use.
    pub fn load(&self) -> Option<PoolLoad> {
        self.pool.get().map(Pool::load)
    }
}

/// Returns the pool's settings from the configuration.
pub fn settings(documents: &Documents) -> PoolSettings {
    let mut settings = PoolSettings::default();
    if let Some(workers) = documents.workers {
        settings.workers = workers.max(1);
    }
    settings.limits.largest_file = documents.largest_file;
    settings.limits.most_pages = documents.most_pages;
    settings.limits.longest_side = documents.longest_side;
    settings.limits.most_pixels = documents.most_pixels;
    settings.limits.largest_stream = documents.largest_stream;
    settings.memory = documents.worker_memory;
    settings.time = Duration::from_millis(documents.intake_milliseconds);
    settings.time_of_page = Duration::from_millis(documents.intake_milliseconds_page);
    if let Some(folder) = &documents.fonts_folder {
        settings.fonts = app::font_paths(folder).unwrap_or_else(|error| {
            tracing::error!(%error, folder = %folder.display(), "the fonts folder could not be read");
            Vec::new()
        });
    }
    settings
}

/// Returns the path of this same program, even if its file has been replaced meanwhile.
fn own_program() -> Result<PathBuf, PoolError> {
    #[cfg(target_os = "linux")]
    {
        let link = PathBuf::from("/proc/self/exe");
        if link.exists() {
            return Ok(link);
        }
    }
    std::env::current_exe()
        .map_err(|error| PoolError::Failed(format!("the program's own file cannot be found: {error}")))
}

impl StrangersDocuments for Workers {
    fn check(&self) -> Result<(), DocumentFault> {
        self.pool().and_then(Pool::check).map_err(fault)
    }

    fn inspect_as(&self, requester: &Requester, pdf: &[u8], wishes: &Wishes) -> Result<Intake, DocumentFault> {
        let taken = self.pool().and_then(|pool| pool.inspect_as(requester, pdf, wishes));
        taken.map_err(fault)
    }

    fn page_images(
        &self,
        requester: &Requester,
        pdf: &[u8],
        pages: &[u32],
        dots_per_inch: f32,
    ) -> Result<Vec<Vec<u8>>, DocumentFault> {
        self.pool()
            .and_then(|pool| pool.page_images(requester, pdf, pages, dots_per_inch))
            .map_err(fault)
    }

    fn page_texts(&self, requester: &Requester, pdf: &[u8], pages: &[u32]) -> Result<Vec<PageText>, DocumentFault> {
        let texts = self.pool().and_then(|pool| pool.page_texts(requester, pdf, pages));
        texts.map_err(fault)
    }

    fn verify(
        &self,
        requester: &Requester,
        pdf: &[u8],
        means: &Means,
        at: Timestamp,
    ) -> Result<Verdict, DocumentFault> {
        let verdict = self.pool().and_then(|pool| pool.verify(requester, pdf, means, at));
        verdict.map_err(fault)
    }

    fn sheet(&self, requester: &Requester, file: &[u8], limits: &SheetLimits) -> Result<Sheet, DocumentFault> {
        let sheet = self.pool().and_then(|pool| pool.sheet(requester, file, limits));
        sheet.map_err(fault)
    }

    fn picture(&self, requester: &Requester, file: &[u8], wish: &PictureWish) -> Result<CheckedPicture, DocumentFault> {
        let made = self.pool().and_then(|pool| pool.picture(requester, file, wish));
        made.map_err(fault)
    }
}

fn fault(error: PoolError) -> DocumentFault {
    match error {
        PoolError::Refused(reason) => DocumentFault::Refused(reason),
        PoolError::NotRendered(reason) => DocumentFault::NotRendered(reason),
        PoolError::NotAPicture(reason) => DocumentFault::NotAPicture(reason),
        PoolError::NotASheet(reason) => DocumentFault::NotASheet(reason),
        PoolError::Busy => DocumentFault::Busy,
        PoolError::Failed(reason) => DocumentFault::Failed(reason),
    }
}
