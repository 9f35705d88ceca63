//! The tables `member` and `member_session`.

crate::statements! {
    /// Does nothing if the address already has an account.
    pub static INSERT = "INSERT INTO member (company_id, email, email_key, name, role, password_hash, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (company_id, email_key) DO NOTHING RETURNING id";

    pub static FIND_BY_EMAIL = "SELECT id, email, name, role, password_hash, credential_version, created_at, disabled_at FROM member \
         WHERE company_id = $1 AND email_key = $2";

    pub static FIND = "SELECT id, email, name, role, password_hash, credential_version, created_at, disabled_at FROM member \
         WHERE company_id = $1 AND id = $2";

    pub static LIST = "SELECT id, email, name, role, password_hash, credential_version, created_at, disabled_at FROM member \
         WHERE company_id = $1 ORDER BY id";

    /// The number of other owners who can sign in.
    pub static OTHER_OWNERS = "SELECT count(*) AS total FROM member \
         WHERE company_id = $1 AND id <> $2 AND role = 'owner' AND disabled_at IS NULL";

    pub static SET_PASSWORD = "UPDATE member SET password_hash = $3, credential_version = credential_version + 1 \
         WHERE company_id = $1 AND id = $2";

    pub static DISABLE = "UPDATE member SET disabled_at = $3, credential_version = credential_version + 1 \
         WHERE company_id = $1 AND id = $2 AND disabled_at IS NULL";

    /// Adds a session only if the member's credentials are still those that were verified.
    pub static INSERT_SESSION = "INSERT INTO member_session (session_hash, company_id, member_id, credential_version, \
             created_at, seen_at, expires_at) \
         SELECT $1, m.company_id, m.id, m.credential_version, $5, $5, $6 FROM member m \
         WHERE m.company_id = $2 AND m.id = $3 AND m.credential_version = $4 AND m.disabled_at IS NULL";

    /// The session's secret is the authorization and determines the company. A session counts as used from its start,
    /// because versions that do not support `seen_at` leave it at 0.
    pub static FIND_SESSION = "SELECT s.company_id, s.member_id, \
         CASE WHEN s.seen_at > s.created_at THEN s.seen_at ELSE s.created_at END AS seen_at, s.expires_at, m.email, m.name, m.role, \
         c.name AS company_name, c.language, c.time_zone FROM member_session s \
         JOIN member m ON m.company_id = s.company_id AND m.id = s.member_id \
         JOIN company c ON c.id = s.company_id \
         WHERE s.session_hash = $1 AND s.expires_at > $2 AND (s.seen_at > $3 OR s.created_at > $3) AND m.disabled_at IS NULL \
         AND s.credential_version = m.credential_version";

    pub static USE_SESSION = "UPDATE member_session SET seen_at = $2 WHERE session_hash = $1 AND seen_at < $2";

    pub static DELETE_SESSION = "DELETE FROM member_session WHERE session_hash = $1";

    /// Signs the member out everywhere.
    pub static DELETE_SESSIONS = "DELETE FROM member_session WHERE company_id = $1 AND member_id = $2";

    pub static DELETE_EXPIRED_SESSIONS = "DELETE FROM member_session \
         WHERE expires_at <= $1 OR (seen_at <= $2 AND created_at <= $2)";
}
