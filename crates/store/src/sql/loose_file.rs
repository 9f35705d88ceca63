//! The table `loose_file` (files in the file store that no row needs), and whether anything needs a file.

crate::statements! {
    pub static ANNOUNCE = "INSERT INTO loose_file (company_id, claim, hash, since) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (company_id, claim, hash) DO UPDATE SET since = excluded.since";

    /// Postpones the removal of a claim's files.
    pub static HOLD = "UPDATE loose_file SET since = $3 WHERE company_id = $1 AND claim = $2";

    /// Removes a claim, because rows now need its files.
    pub static TAKE_OVER = "DELETE FROM loose_file WHERE company_id = $1 AND claim = $2";

    /// Adds a file that nothing needs any longer.
    pub static LEAVE = "INSERT INTO loose_file (company_id, claim, hash, since) VALUES ($1, 0, $2, $3) \
         ON CONFLICT (company_id, claim, hash) DO UPDATE SET since = excluded.since";

    /// Files of all companies that have been loose for a long time.
    pub static OLD = "SELECT company_id, claim, hash FROM loose_file WHERE since <= $1 ORDER BY since LIMIT $2";

    /// Removes a row, because its file is about to be removed, or needed after all.
    pub static TAKE = "DELETE FROM loose_file WHERE company_id = $1 AND claim = $2 AND hash = $3";

    /// Deletes the row of a removed file, unless the file has become loose again since.
    pub static FORGET = "DELETE FROM loose_file WHERE company_id = $1 AND claim = 0 AND hash = $2 AND since = $3";

    /// Checks all companies, because identical content is stored as one file.
    pub static IS_NEEDED = "SELECT (EXISTS (SELECT 1 FROM upload WHERE hash = $1) \
         OR EXISTS (SELECT 1 FROM loose_file WHERE hash = $1 AND claim <> 0) \
         OR EXISTS (SELECT 1 FROM blob_reference WHERE hash = $1) \
         OR EXISTS (SELECT 1 FROM template_file WHERE hash = $1)) AS is_needed";
}
