//! The table `setting`: what belongs to the installation as a whole.

crate::statements! {
    /// One value.
    pub static FIND = "SELECT value FROM setting WHERE name = $1";

    /// A value that may be replaced.
    pub static PUT = "INSERT INTO setting (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value";

    /// A value that is set once.
    pub static INSERT = "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";

    /// A value that is written again and again.
    pub static WRITE = "INSERT INTO setting (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
}
