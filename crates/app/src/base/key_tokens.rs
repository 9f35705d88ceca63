//! The port through which use cases reach tokens with seal keys.
//!
//! Use cases know this port, and the program connects it to a PKCS#11 module. The database stores only the address of
//! such a key, a PKCS#11 URI (RFC 7512), encrypted like every private key.

use std::sync::Arc;

use document::pki::keys::{ExternalKey, KeyError};

/// The prefix of a key's address. PKCS#8 keys never begin with it.
pub(crate) const SCHEME: &str = "pkcs11:";

/// Finds keys in tokens.
pub trait KeyTokens: Send + Sync {
    /// Returns the key at an address.
    fn key(&self, uri: &str) -> Result<Arc<dyn ExternalKey>, KeyError>;
}

/// Used when no token is configured.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTokens;

impl KeyTokens for NoTokens {
    fn key(&self, _uri: &str) -> Result<Arc<dyn ExternalKey>, KeyError> {
        Err(KeyError::Token(
            "no PKCS#11 module is configured; set pkcs11.module".to_owned(),
        ))
    }
}
