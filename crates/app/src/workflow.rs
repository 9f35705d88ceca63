//! Running workflows, and the actions of members on them. Every change is one transition, written in one transaction.
//!
//! May use: base, links, values, templates, sealing, companies, outbox.

pub(crate) mod act;
pub(crate) mod cancel;
pub(crate) mod copied_link;
pub(crate) mod correct_recipient;
pub(crate) mod discard;
pub(crate) mod document_detail;
pub(crate) mod document_list;
pub(crate) mod expire;
pub(crate) mod extend;
pub(crate) mod remind;
pub(crate) mod search_index;
pub(crate) mod transition;
pub(crate) mod workflow_links;
pub(crate) mod workflow_view;
pub(crate) mod writer_meant;
