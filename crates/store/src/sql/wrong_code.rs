//! The table `wrong_code`, named after what was counted in it first.

crate::statements! {
    /// When it happened, of a contact.
    pub static FIND = "SELECT times FROM wrong_code WHERE company_id = $1 AND contact = $2";

    pub static PUT = "INSERT INTO wrong_code (company_id, contact, times, last_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (company_id, contact) DO UPDATE SET times = excluded.times, last_at = excluded.last_at";

    /// Contacts of which nothing was counted since a time.
    pub static DELETE_OLD = "DELETE FROM wrong_code WHERE last_at <= $1";
}
