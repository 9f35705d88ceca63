//! Templates and the pages of their documents, and the check that accepted values can be stamped later.
//!
//! May use: base, links, values.

pub(crate) mod foresight;
pub(crate) mod form_import;
pub(crate) mod kept_template;
pub(crate) mod page_cache;
pub(crate) mod page_part;
pub mod template;
pub(crate) mod template_view;
