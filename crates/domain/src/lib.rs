//! countersign-domain
#![deny(missing_docs)]
