//! Lookups that nearly every use case needs: a company, a stored file.

use domain::{BlobHash, CompanyId};
use store::company::Company;

use crate::App;
use crate::base::documents::DocumentFault;
use crate::base::error::{Error, Subject};

impl App {
    pub fn company(&self, id: &CompanyId) -> Result<Company, Error> {
        let id = id.clone();
        self.store
            .read(move |tx| store::company::find(tx, &id)?.ok_or(Error::NotFound(Subject::Company)))
    }

    /// All companies, for the operator.
    pub fn companies(&self) -> Result<Vec<Company>, Error> {
        self.store.read(|tx| store::company::list(tx).map_err(Error::from))
    }

    /// Reads a stored file for processing.
    pub(crate) fn read_file(&self, file: &BlobHash) -> Result<Vec<u8>, DocumentFault> {
        self.blobs.get(file).map_err(|error| {
            if error.is_temporary() {
                tracing::warn!(%error, "a file cannot be read now");
                return DocumentFault::Busy;
            }
            DocumentFault::Failed(error.to_string())
        })
    }
}
