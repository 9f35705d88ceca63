//! countersign-testkit
#![deny(missing_docs)]
