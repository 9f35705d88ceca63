//! The fonts of a workflow, from its start to its seal.
//!
//! An operator can add fonts to the built-in ones (`documents.fonts_folder`), and can remove them again, but what a
//! signer entered and saw must still be stamped. So a start copies the added files into the file store, once for all
//! workflows, and the workflow refers to them. The workflow uses these fonts for checks, display, stamping and its
//! certificate, even if the folder has changed since then.

use std::sync::{Arc, Mutex, PoisonError};

use document::text::fonts::{FontFile, Fonts};
use domain::{BlobHash, CompanyId};
use store::workflow::StoredWorkflow;

use crate::App;
use crate::base::error::Error;
use crate::base::uploads::FileClaim;

/// Maximum number of older font sets kept in memory.
const MOST_KEPT: usize = 4;

type FontSet = (Vec<BlobHash>, Arc<Fonts>);

/// Cached font sets.
#[derive(Default)]
pub(crate) struct KeptFonts {
    present: std::sync::OnceLock<Vec<BlobHash>>,
    earlier: Mutex<Vec<FontSet>>,
}

impl App {
    /// Returns the added fonts for a new workflow, in their order. Those missing from the file store are added under
    /// the start's claim.
    pub(crate) fn fonts_for_start(&self, company: &CompanyId, claim: &mut FileClaim) -> Result<Vec<BlobHash>, Error> {
        let fonts = self.fonts()?;
        let hashes = self.present_fonts(&fonts).to_vec();
        if hashes.is_empty() {
            return Ok(hashes);
        }
        let (company, wanted) = (company.clone(), hashes.clone());
        let missing = self.store.read(move |tx| {
            let mut missing = Vec::new();
            for hash in &wanted {
                if !store::workflow::refers_to_blob(tx, &company, *hash)? {
                    missing.push(*hash);
                }
            }
            Ok::<_, Error>(missing)
        })?;
        let files = hashes.iter().zip(fonts.added_files());
        let files = files.filter(|(hash, _)| missing.contains(hash)).map(|(_, file)| file);
        self.keep_files(claim, files)?;
        Ok(hashes)
    }

    /// Returns the fonts that were current at the start of a workflow.
    pub(crate) fn fonts_of(&self, stored: &StoredWorkflow) -> Result<Arc<Fonts>, Error> {
        let present = self.fonts()?;
        // Workflows from earlier versions do not list their fonts.
        let Some(wanted) = &stored.added_fonts else {
            return Ok(present);
        };
        if *wanted == self.present_fonts(&present) {
            return Ok(present);
        }
        let earlier = || self.kept_fonts.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = earlier().iter().find(|(hashes, _)| hashes == wanted) {
            return Ok(Arc::clone(known));
        }
        let file = |hash: &BlobHash| {
            Ok::<_, Error>(FontFile {
                name: hash.to_string(),
                bytes: self.blobs.get(hash)?,
            })
        };
        let files = wanted.iter().map(file).collect::<Result<Vec<_>, _>>()?;
        let loaded =
            Fonts::with_added(files).map_err(|error| Error::internal("loading the fonts of a workflow", error))?;
        let loaded = Arc::new(loaded);
        let mut earlier = earlier();
        if earlier.len() >= MOST_KEPT {
            earlier.remove(0);
        }
        earlier.push((wanted.clone(), Arc::clone(&loaded)));
        Ok(loaded)
    }

    fn present_fonts(&self, fonts: &Fonts) -> &[BlobHash] {
        self.kept_fonts
            .present
            .get_or_init(|| fonts.added_files().map(BlobHash::of).collect())
    }
}
