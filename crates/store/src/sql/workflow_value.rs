//! The tables `field_value` and `draft`. `wire` is the value in the form used for searches.

crate::statements! {
    pub static INSERT = "INSERT INTO field_value (workflow_id, company_id, field_name, recipient_id, value, wire, wire_hash, \
         salt, written_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

    /// Writes a value, replacing the previous one.
    pub static WRITE = "INSERT INTO field_value (workflow_id, company_id, field_name, recipient_id, value, wire, wire_hash, \
         salt, written_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         ON CONFLICT (workflow_id, field_name) DO UPDATE SET recipient_id = excluded.recipient_id, value = excluded.value, \
         wire = excluded.wire, wire_hash = excluded.wire_hash, salt = excluded.salt, written_at = excluded.written_at";

    pub static LOAD = "SELECT field_name, recipient_id, value, salt, written_at FROM field_value \
         WHERE company_id = $1 AND workflow_id = $2";

    /// Deletes a value that its signer removed.
    pub static DELETE = "DELETE FROM field_value WHERE company_id = $1 AND workflow_id = $2 AND field_name = $3";

    /// Writes a draft, replacing the previous one.
    pub static SAVE_DRAFT = "INSERT INTO draft (recipient_id, company_id, field_values, written_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (recipient_id) DO UPDATE SET field_values = excluded.field_values, written_at = excluded.written_at";

    pub static LOAD_DRAFT = "SELECT field_values FROM draft WHERE company_id = $1 AND recipient_id = $2";

    /// Deletes a draft that was submitted or discarded.
    pub static DELETE_DRAFT = "DELETE FROM draft WHERE company_id = $1 AND recipient_id = $2";

    /// Deletes the drafts of a workflow that has ended.
    pub static DELETE_DRAFTS = "DELETE FROM draft WHERE company_id = $1 \
         AND recipient_id IN (SELECT id FROM recipient WHERE company_id = $1 AND workflow_id = $2)";
}
