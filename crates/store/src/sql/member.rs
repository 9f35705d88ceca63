//! The tables `member` and `member_session`.

crate::statements! {
    /// A new member; nothing happens where the address has an account already.
    pub static INSERT = "INSERT INTO member (company_id, email, email_key, name, role, password_hash, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (company_id, email_key) DO NOTHING RETURNING id";

    /// One member by his address.
    pub static FIND_BY_EMAIL = "SELECT id, email, name, role, password_hash, credential_version, created_at, disabled_at FROM member \
         WHERE company_id = $1 AND email_key = $2";

    /// One member.
    pub static FIND = "SELECT id, email, name, role, password_hash, credential_version, created_at, disabled_at FROM member \
         WHERE company_id = $1 AND id = $2";

    /// A company's members.
    pub static LIST = "SELECT id, email, name, role, password_hash, credential_version, created_at, disabled_at FROM member \
         WHERE company_id = $1 ORDER BY id";

    /// How many owners can sign in, besides one.
    pub static OTHER_OWNERS = "SELECT count(*) AS total FROM member \
         WHERE company_id = $1 AND id <> $2 AND role = 'owner' AND disabled_at IS NULL";

    /// A new password.
    pub static SET_PASSWORD = "UPDATE member SET password_hash = $3, credential_version = credential_version + 1 \
         WHERE company_id = $1 AND id = $2";

    /// No way in any more.
    pub static DISABLE = "UPDATE member SET disabled_at = $3, credential_version = credential_version + 1 \
         WHERE company_id = $1 AND id = $2 AND disabled_at IS NULL";

    /// A member signed in on the pages, where his credentials are still those that were proved.
    pub static INSERT_SESSION = "INSERT INTO member_session (session_hash, company_id, member_id, credential_version, \
             created_at, seen_at, expires_at) \
         SELECT $1, m.company_id, m.id, m.credential_version, $5, $5, $6 FROM member m \
         WHERE m.company_id = $2 AND m.id = $3 AND m.credential_version = $4 AND m.disabled_at IS NULL";

    /// Whose session it is. The session's secret is the authority; the company comes from it. A session was last used at its
    /// beginning at the earliest: programs of versions that do not know `seen_at` leave it at 0.
    pub static FIND_SESSION = "SELECT s.company_id, s.member_id, \
         CASE WHEN s.seen_at > s.created_at THEN s.seen_at ELSE s.created_at END AS seen_at, s.expires_at, m.email, m.name, m.role, \
         c.name AS company_name, c.language, c.utc_offset FROM member_session s \
         JOIN member m ON m.company_id = s.company_id AND m.id = s.member_id \
         JOIN company c ON c.id = s.company_id \
         WHERE s.session_hash = $1 AND s.expires_at > $2 AND (s.seen_at > $3 OR s.created_at > $3) AND m.disabled_at IS NULL \
         AND s.credential_version = m.credential_version";

    /// A session was used.
    pub static USE_SESSION = "UPDATE member_session SET seen_at = $2 WHERE session_hash = $1 AND seen_at < $2";

    /// Signed out.
    pub static DELETE_SESSION = "DELETE FROM member_session WHERE session_hash = $1";

    /// Signed out everywhere.
    pub static DELETE_SESSIONS = "DELETE FROM member_session WHERE company_id = $1 AND member_id = $2";

    /// Sessions that are over.
    pub static DELETE_EXPIRED_SESSIONS = "DELETE FROM member_session \
         WHERE expires_at <= $1 OR (seen_at <= $2 AND created_at <= $2)";
}
