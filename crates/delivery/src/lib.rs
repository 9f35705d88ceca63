//! countersign-delivery
#![deny(missing_docs)]
