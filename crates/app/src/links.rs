//! Tokens in link addresses, and the addresses that contain them.
//!
//! May use: base.

pub mod addresses;
pub mod link_token;
