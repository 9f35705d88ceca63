//! The table `audit_entry`: the chain of each workflow. Hashed content is never changed or removed.

crate::statements! {
    /// Appends an entry.
    pub static APPEND = "INSERT INTO audit_entry (workflow_id, sequence, company_id, at, payload, previous, hash, texts) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

    /// The latest entries, newest first.
    pub static LATEST = "SELECT sequence, at, payload, previous, hash, texts FROM audit_entry \
         WHERE company_id = $1 AND workflow_id = $2 ORDER BY sequence DESC LIMIT $3";

    /// A workflow's whole chain.
    pub static LOAD = "SELECT sequence, at, payload, previous, hash, texts FROM audit_entry \
         WHERE company_id = $1 AND workflow_id = $2 ORDER BY sequence";

    /// The time of the newest entry among the most recently started workflows of all companies.
    pub static NEWEST = "SELECT MAX(at) AS at FROM audit_entry \
         WHERE workflow_id > (SELECT COALESCE(MAX(id), 0) - 100 FROM workflow)";
}
