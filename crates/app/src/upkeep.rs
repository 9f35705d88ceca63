//! The operator's settings, and the jobs that clean up, check and warn.
//!
//! May use every other module of this crate.

pub(crate) mod check;
pub(crate) mod health;
pub(crate) mod housekeeping;
pub(crate) mod leftovers;
pub(crate) mod seal_warnings;
pub(crate) mod settings;
pub(crate) mod waiting;
