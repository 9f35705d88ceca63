//! countersign-store
#![deny(missing_docs)]
