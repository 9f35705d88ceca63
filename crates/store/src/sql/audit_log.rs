//! The table `audit_log`.

crate::statements! {
    pub static INSERT = "INSERT INTO audit_log (company_id, at, member_id, channel, address, action, subject, value_before, \
             value_after) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

    /// A page of a company's log, newest first.
    pub static LIST = "SELECT l.id, l.at, l.member_id, m.email, l.channel, l.address, l.action, l.subject, l.value_before, \
             l.value_after FROM audit_log l \
         LEFT JOIN member m ON m.company_id = l.company_id AND m.id = l.member_id \
         WHERE l.company_id = $1 AND l.id < $2 ORDER BY l.id DESC LIMIT $3";
}
