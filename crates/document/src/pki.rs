//! Keys, certificates and signed messages: everything that a seal needs and that is independent of PDF.
//!
//! [`keys`] are the companies' keys for sealing, [`authority`] issues their certificates, [`cms`] writes and reads
//! signed messages (`ber` handles ones that are not strictly encoded), [`timestamp`] asks time-stamp authorities and
//! reads their answers, and [`revocation`] creates, requests and reads revocation data. `certificates` and
//! [`algorithms`] check whether a signature was made with a certificate's key. Whether that certificate is trusted is
//! decided in `verify`.
//!
//! May use the modules above it, but uses none of them: bytes in, bytes out, without a document.

pub mod algorithms;
pub mod authority;
pub(crate) mod ber;
pub(crate) mod certificates;
pub mod cms;
pub mod keys;
pub mod revocation;
pub mod timestamp;
