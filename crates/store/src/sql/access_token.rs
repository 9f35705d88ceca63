//! The tables `access_token` and `login_failure`.

crate::statements! {
    /// Adds a token only if the member's credentials are still those that were verified.
    pub static INSERT = "INSERT INTO access_token (token_hash, company_id, member_id, credential_version, created_at, \
             expires_at) \
         SELECT $1, m.company_id, m.id, m.credential_version, $5, $6 FROM member m \
         WHERE m.company_id = $2 AND m.id = $3 AND m.credential_version = $4 AND m.disabled_at IS NULL RETURNING id";

    /// Runs at every API call. The token itself is the authorization and determines the company.
    pub static FIND = "SELECT t.company_id, t.member_id, t.expires_at, m.email, m.name, m.role, c.language, c.time_zone, \
         c.api_enabled FROM access_token t \
         JOIN member m ON m.company_id = t.company_id AND m.id = t.member_id \
         JOIN company c ON c.id = t.company_id \
         WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND m.disabled_at IS NULL \
         AND t.credential_version = m.credential_version";

    /// Leaves out tokens issued before a change of credentials.
    pub static LIST = "SELECT t.id, t.member_id, m.email, t.created_at, t.expires_at, \
             CASE WHEN t.revoked_at IS NULL AND t.credential_version <> m.credential_version THEN t.created_at \
             ELSE t.revoked_at END AS revoked_at \
         FROM access_token t JOIN member m ON m.company_id = t.company_id AND m.id = t.member_id \
         WHERE t.company_id = $1 ORDER BY t.id";

    pub static REVOKE = "UPDATE access_token SET revoked_at = $3 WHERE company_id = $1 AND id = $2 AND revoked_at IS NULL";

    pub static EXISTS = "SELECT id FROM access_token WHERE company_id = $1 AND id = $2";

    pub static REVOKE_ALL = "UPDATE access_token SET revoked_at = $3 \
         WHERE company_id = $1 AND member_id = $2 AND revoked_at IS NULL AND expires_at > $3";

    pub static DELETE_EXPIRED = "DELETE FROM access_token WHERE expires_at <= $1";

    pub static INSERT_FAILURE = "INSERT INTO login_failure (account, address, failed_at) VALUES ($1, $2, $3)";

    /// Newest first.
    pub static FAILURES_OF_ACCOUNT = "SELECT failed_at FROM login_failure WHERE account = $1 AND failed_at > $2 \
         ORDER BY failed_at DESC LIMIT $3";

    /// Newest first.
    pub static FAILURES_OF_ADDRESS = "SELECT failed_at FROM login_failure WHERE address = $1 AND failed_at > $2 \
         ORDER BY failed_at DESC LIMIT $3";

    pub static DELETE_FAILURES = "DELETE FROM login_failure WHERE failed_at <= $1";
}
