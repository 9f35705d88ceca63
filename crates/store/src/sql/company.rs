//! The tables `company` and `seal_key`.

crate::statements! {
    /// Does nothing if the id is already used.
    pub static INSERT = "INSERT INTO company (id, name, language, time_zone, region, api_enabled, token_lifetime_seconds, \
         expiry_days, link_days, seal_level, tsa_url, when_tsa_is_down, seal_mark, accent, logo, logo_width, logo_height, \
         mail_sender_name, mail_reply_to, completed_mails, remind_every_days, remind_before_days, redirect_hosts, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24) \
         ON CONFLICT (id) DO NOTHING";

    pub static FIND = "SELECT id, name, language, time_zone, region, api_enabled, token_lifetime_seconds, expiry_days, \
         link_days, created_at, seal_level, tsa_url, when_tsa_is_down, seal_mark, accent, logo, logo_width, logo_height, \
         mail_sender_name, mail_reply_to, completed_mails, remind_every_days, remind_before_days, redirect_hosts FROM company WHERE id = $1";

    /// All companies, for the operator.
    pub static LIST = "SELECT id, name, language, time_zone, region, api_enabled, token_lifetime_seconds, expiry_days, \
         link_days, created_at, seal_level, tsa_url, when_tsa_is_down, seal_mark, accent, logo, logo_width, logo_height, \
         mail_sender_name, mail_reply_to, completed_mails, remind_every_days, remind_before_days, redirect_hosts FROM company ORDER BY id";

    pub static UPDATE = "UPDATE company SET name = $2, language = $3, time_zone = $4, region = $5, api_enabled = $6, \
         token_lifetime_seconds = $7, expiry_days = $8, link_days = $9, seal_level = $10, tsa_url = $11, \
         when_tsa_is_down = $12, seal_mark = $13, accent = $14, logo = $15, logo_width = $16, logo_height = $17, \
         mail_sender_name = $18, mail_reply_to = $19, completed_mails = $20, remind_every_days = $21, \
         remind_before_days = $22, redirect_hosts = $23 WHERE id = $1";

    /// Locks the list of members. Of two simultaneous transactions, one runs again.
    pub static HOLD_MEMBERS = "UPDATE company SET members_revision = members_revision + 1 WHERE id = $1";

    pub static INSERT_SEAL_KEY = "INSERT INTO seal_key (company_id, private_key, certificates, created_at) \
         VALUES ($1, $2, $3, $4) RETURNING id";

    pub static REVOKED_SEAL_KEYS = "SELECT certificates, revoked_at, revocation_reason FROM seal_key \
         WHERE revoked_at IS NOT NULL ORDER BY id";

    pub static REVOKE_SEAL_KEY = "UPDATE seal_key SET revoked_at = $2, revocation_reason = $3 \
         WHERE company_id = $1 AND retired_at IS NULL AND revoked_at IS NULL";

    pub static RETIRE_SEAL_KEY = "UPDATE seal_key SET retired_at = $2 WHERE company_id = $1 AND retired_at IS NULL";

    pub static SEAL_KEY_ID = "SELECT id FROM seal_key WHERE company_id = $1 AND retired_at IS NULL";

    pub static SEAL_KEY = "SELECT id, private_key, certificates FROM seal_key \
         WHERE company_id = $1 AND retired_at IS NULL";

    /// The seal keys in use by companies.
    pub static SEAL_KEYS_IN_USE = "SELECT id, company_id, certificates, warned_days FROM seal_key \
         WHERE retired_at IS NULL ORDER BY id";

    pub static WORKFLOWS_OUTLASTING = "SELECT id FROM workflow WHERE company_id = $1 AND status = 'Playing' \
         AND expires_at > $2 AND expires_at < $3 ORDER BY id LIMIT 100";

    /// Records that owners were warned this many days before a seal key expires. Changes nothing if they already were.
    pub static SET_SEAL_KEY_WARNED = "UPDATE seal_key SET warned_days = $2 \
         WHERE id = $1 AND (warned_days IS NULL OR warned_days > $2)";

    /// Adds a logo. An earlier one that is added again is in use again.
    pub static PUT_LOGO = "INSERT INTO company_logo (company_id, hash, png) VALUES ($1, $2, $3) \
         ON CONFLICT (company_id, hash) DO UPDATE SET replaced_at = NULL";

    /// Marks the previous logo as replaced.
    pub static REPLACE_LOGO = "UPDATE company_logo SET replaced_at = $2 WHERE company_id = $1 AND replaced_at IS NULL";

    pub static LOGO = "SELECT png FROM company_logo WHERE company_id = $1 AND hash = $2";

    pub static DELETE_LOGOS = "DELETE FROM company_logo WHERE replaced_at < $1";
}
