//! The frame of every request: its route, its caller and their address, the threads it may use, and the format of
//! refusals.
//!
//! All handlers share [`state::Http`]. Only [`problem`] converts failures to responses.
//!
//! Uses no other module.

pub mod blocking;
pub mod caller;
pub mod client_address;
pub mod download;
pub mod faults;
pub mod link_owners;
pub mod link_token;
pub mod observe;
pub mod path;
pub mod plain_name;
pub mod problem;
pub mod query;
pub mod rate;
pub mod rate_limit;
pub mod route;
pub mod security_headers;
pub mod shares;
pub mod state;
