//! The table `node`: processes that claim work, for all companies.

crate::statements! {
    /// A node is alive.
    pub static BEAT = "INSERT INTO node (name, beat) VALUES ($1, 1) \
         ON CONFLICT (name) DO UPDATE SET beat = node.beat + 1 RETURNING beat";

    /// All nodes.
    pub static ALL = "SELECT name, beat FROM node";

    /// Removes a node that has not beaten since.
    pub static REMOVE = "DELETE FROM node WHERE name = $1 AND beat = $2";

    /// A node ends.
    pub static LEAVE = "DELETE FROM node WHERE name = $1";
}
