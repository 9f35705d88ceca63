//! The table `idempotency_key`.

crate::statements! {
    pub static LOAD = "SELECT request_hash, answer FROM idempotency_key \
         WHERE company_id = $1 AND key = $2 AND created_at > $3";

    /// Stores the first answer under a key. Replaces an expired answer.
    pub static STORE = "INSERT INTO idempotency_key (company_id, key, request_hash, answer, created_at) \
         VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (company_id, key) DO UPDATE SET request_hash = excluded.request_hash, answer = excluded.answer, \
         created_at = excluded.created_at WHERE idempotency_key.created_at <= $6";

    /// Deletes expired keys of all companies, for the runner.
    pub static SWEEP = "DELETE FROM idempotency_key WHERE created_at <= $1";
}
