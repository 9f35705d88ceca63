//! Erases a person from finished workflows.

crate::statements! {
    /// The next workflows whose chains contain a text that matches one of two patterns.
    pub static MENTIONING = "SELECT DISTINCT w.id, w.status, w.chain_format FROM workflow w \
         JOIN audit_entry e ON e.workflow_id = w.id \
         WHERE w.company_id = $1 AND e.company_id = $1 AND w.id > $2 \
         AND (lower(e.texts) LIKE lower($3) ESCAPE '!' OR lower(e.texts) LIKE lower($4) ESCAPE '!' \
             OR w.chain_format = 1 AND (lower(e.payload) LIKE lower($3) ESCAPE '!' OR lower(e.payload) LIKE lower($4) ESCAPE '!')) \
         ORDER BY w.id LIMIT $5";

    /// Replaces the texts next to an entry with the remaining ones.
    pub static SET_TEXTS = "UPDATE audit_entry SET texts = $4 WHERE company_id = $1 AND workflow_id = $2 AND sequence = $3";

    /// Updates a finished workflow after an erasure.
    pub static SET_WORKFLOW = "UPDATE workflow SET name = $3, comment = $4, end_comment = $5, cc_list = $6, \
         revision = revision + 1 WHERE company_id = $1 AND id = $2 AND status <> 'Playing'";

    /// Updates a recipient's row after an erasure.
    pub static SET_RECIPIENT = "UPDATE recipient SET name = $4, contact = $5, phone = $6, contact_key = $7, mobile = $8, \
         comment = $9, access_hint = $10, company = $11 WHERE company_id = $1 AND workflow_id = $2 AND id = $3";

    /// Deletes a workflow's finished messages and webhooks.
    pub static DELETE_MESSAGES = "DELETE FROM outbox WHERE company_id = $1 AND workflow_id = $2 AND lease IS NULL \
         AND finished_at IS NOT NULL AND (state <> 'delivered' OR noted)";

    pub static MESSAGES_LEFT = "SELECT count(*) AS messages FROM outbox WHERE company_id = $1 AND workflow_id = $2";
}
