//! The tables `company` and `seal_key`.

crate::statements! {
    /// A new company; nothing happens where the id is taken.
    pub static INSERT = "INSERT INTO company (id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, \
         expiry_days, link_days, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING";

    /// One company.
    pub static FIND = "SELECT id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, expiry_days, \
         link_days, created_at FROM company WHERE id = $1";

    /// All companies, for the operator.
    pub static LIST = "SELECT id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, expiry_days, \
         link_days, created_at FROM company ORDER BY id";

    /// A company's settings.
    pub static UPDATE = "UPDATE company SET name = $2, language = $3, utc_offset = $4, region = $5, api_enabled = $6, \
         token_lifetime_seconds = $7, expiry_days = $8, link_days = $9 WHERE id = $1";

    /// Takes hold of who may sign in: of two that do so at once, one runs again.
    pub static HOLD_MEMBERS = "UPDATE company SET members_revision = members_revision + 1 WHERE id = $1";

    /// A new seal key.
    pub static INSERT_SEAL_KEY = "INSERT INTO seal_key (company_id, private_key, certificates, created_at) \
         VALUES ($1, $2, $3, $4) RETURNING id";

    /// Which seal key a company uses.
    pub static SEAL_KEY_ID = "SELECT id FROM seal_key WHERE company_id = $1 AND retired_at IS NULL";

    /// The seal key that a company uses.
    pub static SEAL_KEY = "SELECT id, private_key, certificates FROM seal_key \
         WHERE company_id = $1 AND retired_at IS NULL";
}
