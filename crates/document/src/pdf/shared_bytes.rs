//! The bytes of a file, shared by several readers, so that a large file is in memory only once.

use std::ops::Deref;
use std::sync::Arc;

use hayro::hayro_syntax::PdfData;

/// The bytes of a file. Cloning shares them.
#[derive(Debug, Clone)]
pub struct SharedBytes(Arc<Vec<u8>>);

impl SharedBytes {
    /// Returns the bytes, without a copy if nothing else uses them.
    pub fn into_vec(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.0)
    }
}

impl Deref for SharedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl From<&SharedBytes> for SharedBytes {
    fn from(bytes: &SharedBytes) -> Self {
        bytes.clone()
    }
}

/// Copies the bytes.
impl From<&[u8]> for SharedBytes {
    fn from(bytes: &[u8]) -> Self {
        Self::from(bytes.to_vec())
    }
}

/// Copies the bytes.
impl From<&Vec<u8>> for SharedBytes {
    fn from(bytes: &Vec<u8>) -> Self {
        Self::from(bytes.as_slice())
    }
}

/// Copies the bytes.
impl<const LENGTH: usize> From<&[u8; LENGTH]> for SharedBytes {
    fn from(bytes: &[u8; LENGTH]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl From<SharedBytes> for PdfData {
    fn from(bytes: SharedBytes) -> Self {
        Self::from(bytes.0)
    }
}
