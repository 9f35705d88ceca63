//! Metrics for the operator: queue lengths, and ends of certificates. They name no company.

use document::pki::keys::end_of_certificates;
use jiff::Timestamp;
use store::outbox::Queues;

use crate::App;
use crate::base::error::Error;

/// The end of a certificate used for sealing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CertificateEnd {
    /// The ID of the key, or 0 for the installation's root.
    pub key: i64,
    pub at: Timestamp,
}

impl App {
    /// Returns the number of waiting items in all companies. Each count stops at `most`.
    pub fn queues(&self, most: u32) -> Result<Queues, Error> {
        let now = self.now();
        self.store
            .read(move |tx| store::outbox::queues(tx, now, most).map_err(Error::from))
    }

    /// Returns the certificates in use that end first, at most this many, and the installation's root.
    pub fn certificate_ends(&self, most: usize) -> Result<Vec<CertificateEnd>, Error> {
        let mut ends: Vec<CertificateEnd> = self
            .ends_of_keys_in_use()?
            .into_iter()
            .map(|(key, at)| CertificateEnd { key: key.id, at })
            .collect();
        ends.sort_by_key(|end| (end.at, end.key));
        ends.truncate(most);
        if let Ok(at) = end_of_certificates(&self.root_certificate()?) {
            ends.push(CertificateEnd { key: 0, at });
        }
        Ok(ends)
    }
}
