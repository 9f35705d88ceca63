//! The verdict on a PDF from anyone, which is the same on the page and in the API.

use document::verify::{Fault, Means, RevocationData, Verdict};
use domain::Requester;

use crate::App;
use crate::base::documents::DocumentFault;
use crate::base::error::Error;

impl App {
    /// What this installation brings along when it verifies: its own root, and which certificates that has revoked until now.
    pub fn verification_means(&self) -> Result<Means, Error> {
        Ok(Means {
            roots: self.trusted_roots()?,
            revocation: RevocationData {
                lists: vec![self.known_revocations()?],
                responses: Vec::new(),
            },
        })
    }

    /// Verifies a file with this installation's root trusted, and its revocations known. One that the workers give up, for it
    /// is too slow to read or too large in memory, has the verdict that it was not judged; an error is ours alone.
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
