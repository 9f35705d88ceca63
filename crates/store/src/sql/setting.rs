//! The table `setting`: values of the whole installation.

crate::statements! {
    pub static FIND = "SELECT value FROM setting WHERE name = $1";

    pub static PUT = "INSERT INTO setting (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value";

    /// Sets a value that can only be set once.
    pub static INSERT = "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";

    /// Removes a value if it is still this one.
    pub static TAKE = "DELETE FROM setting WHERE name = $1 AND value = $2";
}
