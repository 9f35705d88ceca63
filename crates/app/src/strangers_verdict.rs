//! What there is to say of a PDF that anybody sends: the same on the page and through the API.

use document::verify::{Fault, Means, Verdict};

use crate::App;
use crate::documents::DocumentFault;
use crate::error::Error;

impl App {
    /// Verifies a file with this installation's root trusted. One that the workers refuse (too many pages, too slow to read)
    /// has the verdict that it cannot be read; an error is ours alone.
    pub fn verdict(&self, pdf: &[u8]) -> Result<Verdict, Error> {
        let means = Means::from(self.trusted_roots()?);
        match self.documents.verify(pdf, &means, self.now()) {
            Ok(verdict) => Ok(verdict),
            Err(DocumentFault::Refused(reason)) => Ok(Verdict {
                length: pdf.len() as u64,
                signatures: Vec::new(),
                faults: vec![Fault::Unreadable {
                    reason: reason.to_string(),
                }],
            }),
            Err(fault) => Err(fault.at("file")),
        }
    }
}
