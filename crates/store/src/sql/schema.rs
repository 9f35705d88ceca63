//! Statements about the database itself.

crate::statements! {
    /// Returns one row if the database responds at all.
    pub static PING = "SELECT 1 AS one";
}
