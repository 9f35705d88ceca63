//! Checks whether this verifier accepts the seals of a company's own key.
//!
//! It uses the verifier's rules (`path`), so we accept no key whose seals we would later call invalid.

use jiff::Timestamp;

use super::TrustedRoots;
use super::path::{Pool, may_sign_documents};
use crate::pki::certificates::Certified;
use crate::pki::keys::{KeyError, SealKey, Signer as _};

/// Proves that an externally issued key can seal at the time `at`. It checks that the key signs, that each certificate
/// of its chain was issued by the next, and that [`verify`](super::verify) can follow the chain from a document's
/// signer to a root.
pub fn prove_foreign_key(key: &SealKey, at: Timestamp) -> Result<(), KeyError> {
    key.prove(at)?;
    key.prove_chain()?;
    let chain = key.certificates();
    // The last certificate may be an authority below a root. Trusting it means trusting the key.
    let roots = TrustedRoots::new(chain.last().cloned().into_iter().collect());
    let signer = chain.first().ok_or(KeyError::NoCertificate)?;
    let signer = Certified::parse(signer).ok_or_else(|| KeyError::UnreadableCertificate {
        position: 1,
        reason: "it is not a certificate".to_owned(),
    })?;
    let pool = Pool::new(&roots, chain.iter().map(Vec::as_slice));
    pool.path(&signer, at)
        .and_then(|_| may_sign_documents(&signer))
        .map_err(|fault| KeyError::NotForSealing(fault.to_string()))
}
