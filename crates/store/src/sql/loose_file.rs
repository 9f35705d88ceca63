//! The table `loose_file`: what the file store holds and no row needs; and whether anything needs a file.

crate::statements! {
    /// A file that is about to be kept under a claim.
    pub static ANNOUNCE = "INSERT INTO loose_file (company_id, claim, hash, since) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (company_id, claim, hash) DO UPDATE SET since = excluded.since";

    /// The files of a claim stay longer.
    pub static HOLD = "UPDATE loose_file SET since = $3 WHERE company_id = $1 AND claim = $2";

    /// Rows need the files of a claim now.
    pub static TAKE_OVER = "DELETE FROM loose_file WHERE company_id = $1 AND claim = $2";

    /// A file that nobody can come to need.
    pub static LEAVE = "INSERT INTO loose_file (company_id, claim, hash, since) VALUES ($1, 0, $2, $3) \
         ON CONFLICT (company_id, claim, hash) DO UPDATE SET since = excluded.since";

    /// What has been loose for long, of all companies.
    pub static OLD = "SELECT company_id, claim, hash FROM loose_file WHERE since <= $1 ORDER BY since LIMIT $2";

    /// One of these is about to be removed, or needed after all.
    pub static TAKE = "DELETE FROM loose_file WHERE company_id = $1 AND claim = $2 AND hash = $3";

    /// A file is gone, and nobody has left it again since.
    pub static FORGET = "DELETE FROM loose_file WHERE company_id = $1 AND claim = 0 AND hash = $2 AND since = $3";

    /// Does anything need a file, or may anybody come to need it? Of all companies: the same bytes are one file.
    pub static IS_NEEDED = "SELECT (EXISTS (SELECT 1 FROM upload WHERE hash = $1) \
         OR EXISTS (SELECT 1 FROM loose_file WHERE hash = $1 AND claim <> 0) \
         OR EXISTS (SELECT 1 FROM blob_reference WHERE hash = $1) \
         OR EXISTS (SELECT 1 FROM template_file WHERE hash = $1)) AS is_needed";
}
