//! What there is to say of a PDF that anybody sends: the same on the page and through the API.

use document::intake::Refused;
use document::verify::{Fault, Means, Verdict};

use crate::App;
use crate::documents::DocumentFault;
use crate::error::Error;

impl App {
    /// Verifies a file with this installation's root trusted. One that the workers give up, for it is too slow to read or too
    /// large in memory, has the verdict that it was not judged; an error is ours alone.
    pub fn verdict(&self, pdf: &[u8]) -> Result<Verdict, Error> {
        let means = Means::from(self.trusted_roots()?);
        match self.documents.verify(pdf, &means, self.now()) {
            Ok(verdict) => Ok(verdict),
            Err(DocumentFault::Refused(refused)) => Ok(Verdict {
                length: pdf.len() as u64,
                signatures: Vec::new(),
                faults: vec![match refused {
                    Refused::TooDemanding => Fault::TooDemanding,
                    other => Fault::Unreadable {
                        reason: other.to_string(),
                    },
                }],
            }),
            Err(fault) => Err(fault.at("file")),
        }
    }
}
