//! What documents are started from: templates and previews, bulk sends, public links, and requests that are repeated.
//!
//! May use `base`, `sql`, `chain` and `files`.

pub mod bulk;
pub mod idempotency;
pub mod preview;
pub mod public_link;
pub mod template;
