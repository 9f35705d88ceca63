//! Who comes in: the bearer of a good token, a member on our own pages, and a large body once there is a place for it.
//!
//! [`requester`] says as whose a request counts; [`callers`] and [`places`] are layers around the routes.
//!
//! May use `frame`, `body` and `html`.

pub mod callers;
pub mod places;
pub mod requester;
