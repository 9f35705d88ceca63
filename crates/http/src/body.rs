//! Bodies, from bytes on their way to typed members: JSON, and forms with files.
//!
//! [`arrival`] holds them to a deadline, [`json`] reads the members of objects and names every fault, [`declared`] says
//! once what a request contains, and [`ignored_members`] names what nobody has read.
//!
//! May use `frame`.

pub mod arrival;
pub mod declared;
pub mod form;
pub mod ignored_members;
pub mod json;
pub mod multipart;
