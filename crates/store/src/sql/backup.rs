//! Information about the database for a backup, and messages that are held after a restore.

crate::statements! {
    /// The last migration that was applied.
    pub static SCHEMA = "SELECT CAST(MAX(version) AS BIGINT) AS version FROM refinery_schema_history";

    /// The number of tables. Zero in an empty database.
    pub static TABLES =
        sqlite "SELECT count(*) AS tables FROM sqlite_schema WHERE type = 'table'",
        postgres "SELECT count(*) AS tables FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";

    /// PostgreSQL's own version, such as 150018. SQLite is part of the program.
    pub static SERVER_VERSION =
        sqlite "SELECT 0 AS version",
        postgres "SELECT CAST(current_setting('server_version_num') AS BIGINT) AS version";

    /// Lets another program read the state of the database that this transaction sees. Meanwhile the transaction may be
    /// idle for a long time.
    pub static EXPORT_SNAPSHOT =
        sqlite "SELECT '' AS snapshot, '' AS timeout",
        postgres "SELECT pg_export_snapshot() AS snapshot, \
            set_config('idle_in_transaction_session_timeout', '0', TRUE) AS timeout";

    /// Messages that wait to be sent, by kind.
    pub static WAITING = "SELECT kind, count(*) AS waiting, CAST(MIN(created_at) AS BIGINT) AS oldest FROM outbox \
         WHERE state IN ('waiting', 'held') GROUP BY kind ORDER BY kind";

    /// Messages that were decided before a time and still wait, in portions.
    pub static WAITING_SINCE = "SELECT id, tries_made FROM outbox WHERE state IN ('waiting', 'held') AND created_at < $1 \
         AND id > $2 ORDER BY id LIMIT $3";

    /// Drops a delivery that is not in progress.
    pub static DROP = "UPDATE outbox SET state = 'dead', finished_at = $2, tries_made = tries_made + 1, lease = NULL, \
             lease_owner = NULL \
         WHERE id = $1 AND state IN ('waiting', 'held')";

    /// Releases everything that is held.
    pub static RELEASE = "DELETE FROM setting WHERE name = 'outgoing-held'";
}
