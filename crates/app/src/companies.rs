//! Companies, their members and API clients, and signing in.
//!
//! May use: base, links, values, templates, sealing.

pub(crate) mod access_token;
pub(crate) mod audit_log;
pub(crate) mod client;
pub(crate) mod company;
pub(crate) mod company_look;
pub(crate) mod first_run;
pub(crate) mod login;
pub(crate) mod member;
pub(crate) mod new_password;
pub mod password;
pub(crate) mod session;
pub(crate) mod token;
