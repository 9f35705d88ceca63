//! What every request meets: its route, who calls and from where, the threads it may use, and how a refusal is written.
//!
//! [`state::Http`] is what all handlers share. A failure becomes an answer in [`problem`] alone.
//!
//! Uses no other room.

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
