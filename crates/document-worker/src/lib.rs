//! countersign-document-worker
#![deny(missing_docs)]
