//! countersign-blobs
#![deny(missing_docs)]
