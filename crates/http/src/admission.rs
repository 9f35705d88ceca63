//! Admission: callers with a valid token, members on our own pages, and large bodies once there is a place for them.
//!
//! [`requester`] determines who a request counts for. [`callers`] and [`places`] are layers around the routes.
//!
//! May use `frame`, `body` and `html`.

pub mod callers;
pub mod places;
pub mod requester;
