//! Templates and the pages of their documents, and the proof that whatever fits a template can be stamped later.
//!
//! May use: base, links, values.

pub(crate) mod foresight;
pub(crate) mod form_import;
pub(crate) mod kept_template;
pub(crate) mod page_cache;
pub(crate) mod page_part;
pub mod template;
pub(crate) mod template_view;
