//! countersign-i18n
#![deny(missing_docs)]
