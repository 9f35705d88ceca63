//! The table `api_client`.

crate::statements! {
    pub static INSERT = "INSERT INTO api_client (id, company_id, name, is_default, secret, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)";

    /// The documents of a client are tests.
    pub static SET_TEST = "UPDATE api_client SET is_test = TRUE WHERE company_id = $1 AND id = $2";

    pub static FIND = "SELECT id, name, is_default, is_test, secret, previous_secret, previous_until, retired_secrets, \
         created_at FROM api_client \
         WHERE company_id = $1 AND id = $2";

    pub static DEFAULT = "SELECT id FROM api_client WHERE company_id = $1 AND is_default";

    pub static EXISTS = "SELECT id FROM api_client WHERE company_id = $1 AND id = $2";

    pub static LIST = "SELECT id, name, is_default, is_test, secret, previous_secret, previous_until, retired_secrets, \
         created_at FROM api_client \
         WHERE company_id = $1 ORDER BY created_at, id";

    /// Replaces the secret that was read. The previous ones also sign for a while.
    pub static ROTATE = "UPDATE api_client SET previous_secret = secret, previous_until = $4, secret = $3, retired_secrets = $5 \
         WHERE company_id = $1 AND id = $2 AND secret = $6";
}
