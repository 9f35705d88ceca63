//! The schema's own bookkeeping.

crate::statements! {
    /// Answers one row where the database answers at all.
    pub static PING = "SELECT 1 AS one";
}
