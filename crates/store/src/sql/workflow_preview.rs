//! The table `preview`.

crate::statements! {
    /// What a start would send.
    pub static INSERT = "INSERT INTO preview (company_id, content, created_at, expires_at) VALUES ($1, $2, $3, $4) \
         RETURNING id";

    /// A preview by its link, which is the authority.
    pub static LOAD = "SELECT company_id, content FROM preview WHERE id = $1 AND expires_at > $2";

    /// What previews that have had their day hold, of all companies: the runner's.
    pub static OVER = "SELECT company_id, content FROM preview WHERE expires_at <= $1";

    /// Previews that have had their day, of all companies: the runner's.
    pub static SWEEP = "DELETE FROM preview WHERE expires_at <= $1";
}
