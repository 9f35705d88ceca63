//! The table `upload`: files in the file store for a recipient's draft.

crate::statements! {
    /// Adds a file that is about to be stored for a signer's draft, which does not name it yet.
    pub static ANNOUNCE = "INSERT INTO upload (company_id, recipient_id, hash, length, loose_since) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (recipient_id, hash) DO UPDATE SET loose_since = \
         CASE WHEN upload.loose_since IS NULL THEN NULL ELSE excluded.loose_since END";

    /// The number and total size of a signer's stored files.
    pub static COUNTED = "SELECT COUNT(*) AS files, CAST(COALESCE(SUM(length), 0) AS BIGINT) AS bytes FROM upload \
         WHERE company_id = $1 AND recipient_id = $2";

    /// Records that the draft names the file.
    pub static NAME = "UPDATE upload SET loose_since = NULL WHERE company_id = $1 AND recipient_id = $2 AND hash = $3";

    /// Records that the draft no longer names the file.
    pub static LOOSEN = "UPDATE upload SET loose_since = $4 \
         WHERE company_id = $1 AND recipient_id = $2 AND hash = $3 AND loose_since IS NULL";

    /// Records that a signer's draft no longer names any file.
    pub static END_DRAFT = "UPDATE upload SET loose_since = $3 \
         WHERE company_id = $1 AND recipient_id = $2 AND loose_since IS NULL";

    /// Records that the drafts of a workflow no longer name any files.
    pub static END_WORKFLOW = "UPDATE upload SET loose_since = $3 WHERE company_id = $1 AND loose_since IS NULL \
         AND recipient_id IN (SELECT id FROM recipient WHERE company_id = $1 AND workflow_id = $2)";

    /// Files of all companies that have been loose for a long time.
    pub static OLD = "SELECT company_id, recipient_id, hash FROM upload WHERE loose_since <= $1 \
         ORDER BY loose_since LIMIT $2";

    /// Removes a row, because its file is about to be removed, or needed after all.
    pub static TAKE = "DELETE FROM upload WHERE company_id = $1 AND recipient_id = $2 AND hash = $3";
}
