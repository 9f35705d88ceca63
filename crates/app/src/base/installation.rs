//! Data that belongs to the installation as a whole: proof that database and master key match, and the root that
//! certifies the companies' seal keys.
//!
//! Both are created at the first run. If several processes start at once, one wins, and the others use what it created.
//! A database opened with the wrong master key is refused at once, not at the first sealing.

use document::pki::authority;
use document::pki::keys::{KeyKind, SealKey, Signer, certificates_from_pem, certificates_to_pem};
use domain::Clock;
use jiff::Timestamp;
use store::Store;

use crate::base::error::Error;
use crate::base::vault::{Purpose, Vault};

const PROOF: &str = "master-key-proof";
const PROOF_TEXT: &[u8] = b"this database belongs to this master key";
const ROOT_KEY: &str = "root-key";
const ROOT_CERTIFICATE: &str = "root-certificate";
const ROOT_NAME: &str = "Countersign installation root";

/// Whether this database was already set up, so that its master key must exist too.
pub fn is_set_up(store: &Store) -> Result<bool, Error> {
    store.read_one(|tx| Ok(store::setting::find(tx, PROOF)?.is_some()))
}

/// Sets up the installation at its first run. Later, checks that the master key matches the database.
pub fn set_up(store: &Store, vault: &Vault, clock: &dyn Clock) -> Result<(), Error> {
    let proof = store.read_one(|tx| store::setting::find(tx, PROOF).map_err(Error::from))?;
    if let Some(proof) = proof {
        return prove(vault, &proof);
    }
    let at = clock.now();
    let root = authority::create_root(ROOT_NAME, KeyKind::EcdsaP256, at)
        .map_err(|error| Error::internal("creating the installation's root certificate", error))?;
    let pkcs8 = root
        .to_pkcs8()
        .map_err(|error| Error::internal("encoding the installation's root key", error))?;
    let key = vault.encrypt(Purpose::RootKey, &pkcs8);
    let certificate = certificates_to_pem(root.certificates()).into_bytes();
    let proof = vault.encrypt(Purpose::Installation, PROOF_TEXT);
    store.write(move |tx| {
        // If another process was faster, all three values are from that process.
        if store::setting::insert(tx, PROOF, &proof)? {
            store::setting::insert(tx, ROOT_KEY, &key)?;
            store::setting::insert(tx, ROOT_CERTIFICATE, &certificate)?;
        }
        Ok::<_, Error>(())
    })?;
    let proof = store.read_one(|tx| store::setting::find(tx, PROOF).map_err(Error::from))?;
    prove(vault, &proof.unwrap_or_default())
}

fn prove(vault: &Vault, proof: &[u8]) -> Result<(), Error> {
    vault
        .decrypt(Purpose::Installation, proof)
        .map(|_| ())
        .map_err(|error| Error::internal("checking the master key against the database", error))
}

/// Returns the root key for certifying.
pub(crate) fn root(store: &Store, vault: &Vault) -> Result<SealKey, Error> {
    let key = store
        .read_one(|tx| store::setting::find(tx, ROOT_KEY).map_err(Error::from))?
        .unwrap_or_default();
    let pkcs8 = vault
        .decrypt(Purpose::RootKey, &key)
        .map_err(|error| Error::internal("reading the installation's root key", error))?;
    certificates_from_pem(&root_certificate(store)?)
        .and_then(|certificates| SealKey::new(&pkcs8, certificates))
        .map_err(|error| Error::internal("reading the installation's root key", error))
}

/// Issues a root certificate with a later end, for the same key and name. Returns its PEM.
pub(crate) fn renew_root(store: &Store, vault: &Vault, at: Timestamp) -> Result<String, Error> {
    let certificate = authority::renew_root(&root(store, vault)?, at)
        .map_err(|error| Error::internal("renewing the installation's root certificate", error))?;
    let pem = certificates_to_pem(&[certificate]);
    let bytes = pem.clone().into_bytes();
    store.write(move |tx| store::setting::put(tx, ROOT_CERTIFICATE, &bytes).map_err(Error::from))?;
    Ok(pem)
}

/// Returns the root certificate as PEM.
pub fn root_certificate(store: &Store) -> Result<String, Error> {
    let certificate = store.read_one(|tx| store::setting::find(tx, ROOT_CERTIFICATE).map_err(Error::from))?;
    String::from_utf8(certificate.unwrap_or_default())
        .map_err(|error| Error::internal("reading the installation's root certificate", error))
}
