//! Caches template versions. They never change, so each is read and parsed only once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::{CompanyId, TemplateId};
use store::template::StoredVersion;

use crate::App;
use crate::base::error::{Error, Subject};

type Key = (CompanyId, TemplateId, u32);

/// Maximum number of cached versions. Beyond that, all are dropped and read again.
const MOST: usize = 1_000;

/// The cached versions.
#[derive(Debug, Default)]
pub(crate) struct KeptTemplates(Mutex<HashMap<Key, Arc<StoredVersion>>>);

impl App {
    /// Returns a version of a company's template from the cache, or reads it.
    pub(crate) fn kept_template(
        &self,
        company: &CompanyId,
        template: TemplateId,
        version: u32,
    ) -> Result<Arc<StoredVersion>, Error> {
        let key = (company.clone(), template, version);
        let kept = |kept: &KeptTemplates| {
            kept.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(&key)
                .map(Arc::clone)
        };
        if let Some(found) = kept(&self.kept_templates) {
            return Ok(found);
        }
        let asked = key.clone();
        let found = self
            .store
            .read(move |tx| store::template::version(tx, &asked.0, asked.1, asked.2).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Template))?;
        let found = Arc::new(found);
        let mut all = self.kept_templates.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(key, Arc::clone(&found));
        Ok(found)
    }
}
