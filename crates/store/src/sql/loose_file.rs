//! The table `loose_file` (files in the file store that no row needs), and whether anything needs a file.

crate::statements! {
    pub static ANNOUNCE = "INSERT INTO loose_file (company_id, claim, hash, since) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (company_id, claim, hash) DO UPDATE SET since = excluded.since";

    /// Extends the stay of a claim's files.
    pub static HOLD = "UPDATE loose_file SET since = $3 WHERE company_id = $1 AND claim = $2";

    /// Rows now need the files of a claim.
    pub static TAKE_OVER = "DELETE FROM loose_file WHERE company_id = $1 AND claim = $2";

    /// A file that nothing can need any longer.
    pub static LEAVE = "INSERT INTO loose_file (company_id, claim, hash, since) VALUES ($1, 0, $2, $3) \
         ON CONFLICT (company_id, claim, hash) DO UPDATE SET since = excluded.since";

    /// What has been loose for long, of all companies.
    pub static OLD = "SELECT company_id, claim, hash FROM loose_file WHERE since <= $1 ORDER BY since LIMIT $2";

    /// One of these is about to be removed, or needed after all.
    pub static TAKE = "DELETE FROM loose_file WHERE company_id = $1 AND claim = $2 AND hash = $3";

    /// A file was removed, and has not become loose again since.
    pub static FORGET = "DELETE FROM loose_file WHERE company_id = $1 AND claim = 0 AND hash = $2 AND since = $3";

    /// Looks at all companies, because the same bytes are one file.
    pub static IS_NEEDED = "SELECT (EXISTS (SELECT 1 FROM upload WHERE hash = $1) \
         OR EXISTS (SELECT 1 FROM loose_file WHERE hash = $1 AND claim <> 0) \
         OR EXISTS (SELECT 1 FROM blob_reference WHERE hash = $1) \
         OR EXISTS (SELECT 1 FROM template_file WHERE hash = $1)) AS is_needed";
}
