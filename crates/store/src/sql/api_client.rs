//! The table `api_client`.

crate::statements! {
    /// A new client.
    pub static INSERT = "INSERT INTO api_client (id, company_id, name, is_default, secret, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)";

    /// One client.
    pub static FIND = "SELECT id, name, is_default, secret, previous_secret, previous_until, retired_secrets, \
         created_at FROM api_client \
         WHERE company_id = $1 AND id = $2";

    /// The default client.
    pub static DEFAULT = "SELECT id FROM api_client WHERE company_id = $1 AND is_default";

    /// Whether there is such a client.
    pub static EXISTS = "SELECT id FROM api_client WHERE company_id = $1 AND id = $2";

    /// A company's clients.
    pub static LIST = "SELECT id, name, is_default, secret, previous_secret, previous_until, retired_secrets, \
         created_at FROM api_client \
         WHERE company_id = $1 ORDER BY created_at, id";

    /// A new secret over the one that was read; those before sign as well for a while.
    pub static ROTATE = "UPDATE api_client SET previous_secret = secret, previous_until = $4, secret = $3, retired_secrets = $5 \
         WHERE company_id = $1 AND id = $2 AND secret = $6";
}
