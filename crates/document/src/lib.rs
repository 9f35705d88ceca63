//! countersign-document
#![deny(missing_docs)]
