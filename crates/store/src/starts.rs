//! The sources of new documents: templates and previews, bulk sends, public links, and repeated requests.
//!
//! May use `base`, `sql`, `chain` and `files`.

pub mod bulk;
pub mod idempotency;
pub mod preview;
pub mod public_link;
pub mod template;
