//! The table `wrong_code`.

crate::statements! {
    /// When wrong codes were entered that were sent to a contact.
    pub static FIND = "SELECT times FROM wrong_code WHERE company_id = $1 AND contact = $2";

    /// The same with another one.
    pub static PUT = "INSERT INTO wrong_code (company_id, contact, times, last_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (company_id, contact) DO UPDATE SET times = excluded.times, last_at = excluded.last_at";

    /// Contacts for which no wrong code was entered since a time.
    pub static DELETE_OLD = "DELETE FROM wrong_code WHERE last_at <= $1";
}
