//! The table `preview`.

crate::statements! {
    pub static INSERT = "INSERT INTO preview (company_id, content, created_at, expires_at) VALUES ($1, $2, $3, $4) \
         RETURNING id";

    /// The link itself is the authorization.
    pub static LOAD = "SELECT company_id, content FROM preview WHERE id = $1 AND expires_at > $2";

    /// The content of expired previews of all companies, for the runner.
    pub static OVER = "SELECT company_id, content FROM preview WHERE expires_at <= $1";

    /// Deletes expired previews of all companies, for the runner.
    pub static SWEEP = "DELETE FROM preview WHERE expires_at <= $1";
}
