//! countersign-app
#![deny(missing_docs)]
