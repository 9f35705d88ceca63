//! The tables `company` and `seal_key`.

crate::statements! {
    /// A new company; nothing happens where the id is taken.
    pub static INSERT = "INSERT INTO company (id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, \
         expiry_days, link_days, created_at, seal_level, tsa_url, when_tsa_is_down, seal_mark) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING";

    /// One company.
    pub static FIND = "SELECT id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, expiry_days, \
         link_days, created_at, seal_level, tsa_url, when_tsa_is_down, seal_mark FROM company WHERE id = $1";

    /// All companies, for the operator.
    pub static LIST = "SELECT id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, expiry_days, \
         link_days, created_at, seal_level, tsa_url, when_tsa_is_down, seal_mark FROM company ORDER BY id";

    /// A company's settings.
    pub static UPDATE = "UPDATE company SET name = $2, language = $3, utc_offset = $4, region = $5, api_enabled = $6, \
         token_lifetime_seconds = $7, expiry_days = $8, link_days = $9, seal_level = $10, tsa_url = $11, \
         when_tsa_is_down = $12, seal_mark = $13 WHERE id = $1";

    /// Takes hold of who may sign in: of two that do so at once, one runs again.
    pub static HOLD_MEMBERS = "UPDATE company SET members_revision = members_revision + 1 WHERE id = $1";

    /// A new seal key.
    pub static INSERT_SEAL_KEY = "INSERT INTO seal_key (company_id, private_key, certificates, created_at) \
         VALUES ($1, $2, $3, $4) RETURNING id";

    /// Seal keys whose certificates are revoked.
    pub static REVOKED_SEAL_KEYS = "SELECT certificates, revoked_at, revocation_reason FROM seal_key \
         WHERE revoked_at IS NOT NULL ORDER BY id";

    /// The certificate of the seal key that a company uses is revoked.
    pub static REVOKE_SEAL_KEY = "UPDATE seal_key SET revoked_at = $2, revocation_reason = $3 \
         WHERE company_id = $1 AND retired_at IS NULL AND revoked_at IS NULL";

    /// The seal key that a company uses is used no more.
    pub static RETIRE_SEAL_KEY = "UPDATE seal_key SET retired_at = $2 WHERE company_id = $1 AND retired_at IS NULL";

    /// Which seal key a company uses.
    pub static SEAL_KEY_ID = "SELECT id FROM seal_key WHERE company_id = $1 AND retired_at IS NULL";

    /// The seal key that a company uses.
    pub static SEAL_KEY = "SELECT id, private_key, certificates FROM seal_key \
         WHERE company_id = $1 AND retired_at IS NULL";
}
