//! Bodies, from received bytes to typed members: JSON, and forms with files.
//!
//! [`arrival`] enforces deadlines, [`json`] reads the members of objects and names every fault, [`declared`] declares
//! the contents of a request in one place, and [`ignored_members`] names unread members.
//!
//! May use `frame`.

pub mod arrival;
pub mod declared;
pub mod form;
pub mod ignored_members;
pub mod json;
pub mod multipart;
