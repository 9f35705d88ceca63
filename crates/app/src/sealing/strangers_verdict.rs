//! The verdict on a PDF from a stranger, which is the same on the page and in the API.

use document::verify::{Fault, Means, RevocationData, Verdict};
use domain::Requester;

use crate::App;
use crate::base::documents::DocumentFault;
use crate::base::error::Error;

impl App {
    /// Returns the data that this installation uses when it verifies: its own root, and the certificates that this root
    /// has revoked so far.
    pub fn verification_means(&self) -> Result<Means, Error> {
        Ok(Means {
            roots: self.trusted_roots()?,
            revocation: RevocationData {
                lists: vec![self.known_revocations()?],
                responses: Vec::new(),
            },
        })
    }

    /// Verifies a file with this installation's root and its revocations. If workers give up on a file because it is
    /// too slow to read or needs too much memory, the verdict says so. An error always means an internal failure.
    pub fn verdict(&self, requester: &Requester, pdf: &[u8]) -> Result<Verdict, Error> {
        let means = self.verification_means()?;
        match self.documents.verify(requester, pdf, &means, self.now()) {
            Ok(verdict) => Ok(verdict),
            Err(DocumentFault::Refused(refused)) => Ok(Verdict {
                length: pdf.len() as u64,
                signatures: Vec::new(),
                faults: vec![match refused {
                    refused if refused.is_too_demanding() => Fault::TooDemanding,
                    other => Fault::Unreadable {
                        reason: other.to_string(),
                    },
                }],
            }),
            Err(fault) => Err(fault.at("file")),
        }
    }
}
