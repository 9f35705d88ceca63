//! Tokens in addresses, and the addresses that they stand in.
//!
//! May use: base.

pub mod addresses;
pub mod link_token;
