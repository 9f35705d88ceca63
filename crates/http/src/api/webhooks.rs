//! The endpoints about what was sent to other programs, and the body that it has.

pub mod body;
pub mod endpoints;
pub mod list;
pub mod resend;
pub mod resend_many;
pub mod test_delivery;
