//! Tokens with seal keys, as the use-cases need them.
//!
//! The use-cases know this port; the program puts a PKCS#11 module behind it. The database keeps only the address of such a
//! key, a PKCS#11 URI (RFC 7512), encrypted like every private key.

use std::sync::Arc;

use document::pki::keys::{ExternalKey, KeyError};

/// The prefix of a key's address. No PKCS#8 key begins with it.
pub(crate) const SCHEME: &str = "pkcs11:";

/// Finds keys in tokens.
pub trait KeyTokens: Send + Sync {
    /// The key at an address.
    fn key(&self, uri: &str) -> Result<Arc<dyn ExternalKey>, KeyError>;
}

/// No token is configured.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTokens;

impl KeyTokens for NoTokens {
    fn key(&self, _uri: &str) -> Result<Arc<dyn ExternalKey>, KeyError> {
        Err(KeyError::Token(
            "no PKCS#11 module is configured; set pkcs11.module".to_owned(),
        ))
    }
}
