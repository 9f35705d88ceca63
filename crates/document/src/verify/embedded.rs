//! The validation data in a file: its document security store (ISO 32000-2, 12.8.4.3).
//!
//! Validation data is never read only in part, because the rest might contain a revocation: a file with more data than
//! we read is a fault.

use jiff::Timestamp;

use super::TrustedRoots;
use super::path::Pool;
use super::reading::Reading;
use crate::pdf::{PdfDefect, Rule, View};
use crate::pki::certificates::Certified;
use crate::pki::revocation::{MAX_ITEMS, RevocationData, Status, status};

/// Maximum decoded size of all validation data, in bytes.
pub(crate) const MAX_STORE: usize = 64 * 1024 * 1024;

/// The validation data in a file.
#[derive(Debug, Default)]
pub(super) struct Embedded {
    pub(super) certificates: Vec<Vec<u8>>,
    pub(super) revocation: RevocationData,
    pub(super) is_present: bool,
    /// Whether there is more data than we read. In that case, none is included.
    pub(super) is_too_much: bool,
}

impl Embedded {
    /// Reads the document security store (ISO 32000-2, 12.8.4.3).
    pub(super) fn of(reading: &Reading<'_>) -> Self {
        let store = reading.catalog().and_then(|catalog| reading.dict(catalog, b"DSS"));
        let Some(store) = store else {
            return Self::default();
        };
        let mut left = MAX_STORE;
        let mut is_too_much = false;
        let mut items = |key: &[u8]| -> Vec<Vec<u8>> {
            let entries = reading.array(store, key).unwrap_or_default();
            is_too_much |= entries.len() > MAX_ITEMS;
            let mut items = Vec::new();
            for entry in entries {
                if is_too_much {
                    break;
                }
                let Some(stream) = reading.resolve(entry).as_stream() else {
                    continue;
                };
                match reading.plain(stream, left) {
                    Ok(item) => {
                        left = left.saturating_sub(item.len());
                        items.push(item);
                    }
                    Err(defect) if defect.rule == Rule::TooLarge => is_too_much = true,
                    // Ignore unreadable data.
                    Err(_) => {}
                }
            }
            items
        };
        let (certificates, lists, responses) = (items(b"Certs"), items(b"CRLs"), items(b"OCSPs"));
        if is_too_much {
            return Self {
                is_present: true,
                is_too_much,
                ..Self::default()
            };
        }
        Self {
            certificates,
            revocation: RevocationData { lists, responses },
            is_present: true,
            is_too_much,
        }
    }
}

/// A summary of a file's validation data, used before adding more.
pub(crate) struct Held {
    /// Size in bytes.
    pub(crate) bytes: usize,
    /// Whether the data contains the signer's certificate and its proof.
    pub(crate) proves_signer: bool,
}

/// Summarises a file's validation data. Checks whether it proves that the first of these certificates (DER), which are
/// sorted from the signer's to the root's, was good at `at`. A revocation after that time does not matter.
pub(crate) fn held(view: View<'_>, certificates: &[Vec<u8>], at: Option<Timestamp>) -> Result<Held, PdfDefect> {
    let embedded = Embedded::of(&Reading::of(view)?);
    let RevocationData { lists, responses } = &embedded.revocation;
    let all = [&embedded.certificates, lists, responses];
    let bytes = all.into_iter().flatten().map(Vec::len).sum();
    let proves_signer = || {
        let (signer, at) = (certificates.first()?, at?);
        let signer = Certified::parse(embedded.certificates.iter().find(|held| *held == signer)?)?;
        if signer.names_as_issuer(&signer) {
            return Some(true);
        }
        let roots = TrustedRoots::default();
        let pool = Pool::new(
            &roots,
            certificates.iter().chain(&embedded.certificates).map(Vec::as_slice),
        );
        let is_proved = pool
            .others()
            .iter()
            .filter(|issuer| signer.names_as_issuer(issuer) && signer.is_signed_by(issuer))
            .any(|issuer| {
                let when = (at, Timestamp::MAX);
                status(&signer, issuer, pool.others(), &embedded.revocation, when) == Status::Good
            });
        Some(is_proved)
    };
    Ok(Held {
        bytes,
        proves_signer: proves_signer().unwrap_or_default(),
    })
}
