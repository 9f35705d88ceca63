//! Whether this verifier accepts the seals of a company's own key.
//!
//! It uses the verifier's rules (`path`), so we accept no key whose seals we would later call invalid.

use jiff::Timestamp;

use super::TrustedRoots;
use super::path::{Pool, may_sign_documents};
use crate::pki::certificates::Certified;
use crate::pki::keys::{KeyError, SealKey, Signer as _};

/// Proves that a key whose certificate others issued can seal at the time `at`: it signs, each certificate of its chain was
/// issued by the next, and the chain is one that [`verify`](super::verify) follows from a document's signer to a root.
pub fn prove_foreign_key(key: &SealKey, at: Timestamp) -> Result<(), KeyError> {
    key.prove(at)?;
    key.prove_chain()?;
    let chain = key.certificates();
    // Trust in the last one, which may be an authority below a root, is trust in the key.
    let roots = TrustedRoots::new(chain.last().cloned().into_iter().collect());
    let signer = chain.first().ok_or(KeyError::NoCertificate)?;
    let signer = Certified::parse(signer).ok_or_else(|| KeyError::UnreadableCertificate {
        position: 1,
        reason: "it is no certificate".to_owned(),
    })?;
    let pool = Pool::new(&roots, chain.iter().map(Vec::as_slice));
    pool.path(&signer, at)
        .and_then(|_| may_sign_documents(&signer))
        .map_err(|fault| KeyError::NotForSealing(fault.to_string()))
}
