//! Queue sizes of all companies, for the operator. Each count stops at a limit.

crate::statements! {
    /// Waiting messages by kind, up to $1 in all.
    pub static OUTBOX =
        sqlite "SELECT kind, count(*) AS waiting FROM (SELECT kind FROM outbox INDEXED BY outbox_lane \
                WHERE state = 'waiting' LIMIT $1) AS few GROUP BY kind",
        postgres "SELECT kind, count(*) AS waiting FROM (SELECT kind FROM outbox \
                WHERE state = 'waiting' LIMIT $1) AS few GROUP BY kind";

    /// Rows of bulk sends that are running, up to $1.
    pub static BULK_ROWS = "SELECT count(*) AS waiting FROM (SELECT r.number FROM bulk_start AS b \
             JOIN bulk_row AS r ON r.bulk_id = b.id AND r.state = 'waiting' WHERE b.finished_at IS NULL LIMIT $1) AS few";

    /// The number of due timestamps, up to $2, and since when the first is due.
    pub static TIMESTAMPS = "SELECT count(*) AS waiting, MIN(timestamp_due) AS oldest FROM (SELECT timestamp_due \
             FROM sealed_document WHERE timestamp_due <= $1 ORDER BY timestamp_due LIMIT $2) AS few";
}
