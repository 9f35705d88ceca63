//! countersign-http
#![deny(missing_docs)]
