//! The table `node`: processes that claim work, for all companies.

crate::statements! {
    pub static BEAT = "INSERT INTO node (name, beat) VALUES ($1, 1) \
         ON CONFLICT (name) DO UPDATE SET beat = node.beat + 1 RETURNING beat";

    pub static ALL = "SELECT name, beat FROM node";

    /// Removes a node that has not reported since.
    pub static REMOVE = "DELETE FROM node WHERE name = $1 AND beat = $2";

    /// Removes a node that shuts down.
    pub static LEAVE = "DELETE FROM node WHERE name = $1";
}
