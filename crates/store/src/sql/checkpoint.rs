//! The heads of chains, as checkpoints list them.

crate::statements! {
    /// The next heads of a company.
    pub static HEADS = "SELECT id, chain_format, chain_sequence, chain_hash, chain_code FROM workflow \
         WHERE company_id = $1 AND id > $2 ORDER BY id LIMIT $3";

    pub static HASH_AT = "SELECT hash FROM audit_entry WHERE company_id = $1 AND workflow_id = $2 AND sequence = $3";

    /// Workflows of earlier versions whose heads have no code.
    pub static UNCODED = "SELECT company_id, id FROM workflow WHERE chain_code IS NULL AND id > $1 ORDER BY id LIMIT $2";
}
