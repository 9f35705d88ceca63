//! Companies with their members, sessions, tokens and API clients, what they changed, and the settings of the
//! installation.
//!
//! May use `base` and `sql`.

pub mod access_token;
pub mod api_client;
pub mod audit_log;
pub mod company;
pub mod known_address;
pub mod member;
pub mod setting;
