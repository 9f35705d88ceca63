//! The table `known_address`.

crate::statements! {
    /// The hash covers both account and address.
    pub static FIND = "SELECT seen_at FROM known_address WHERE company_id = $1 AND address = $2";

    pub static PUT = "INSERT INTO known_address (company_id, member_id, address, seen_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (company_id, address) DO UPDATE SET seen_at = excluded.seen_at";

    /// Deletes all but a member's latest addresses.
    pub static DELETE_OLDEST = "DELETE FROM known_address WHERE company_id = $1 AND member_id = $2 AND address NOT IN ( \
         SELECT address FROM known_address WHERE company_id = $1 AND member_id = $2 \
         ORDER BY seen_at DESC, address LIMIT $3)";

    pub static DELETE_UNUSED = "DELETE FROM known_address WHERE seen_at <= $1";
}
