//! The tables `bulk_start` and `bulk_row`.
//!
//! The job's statements work across companies, because it starts documents for all of them. Every other statement
//! contains the company.

crate::statements! {
    pub static INSERT = "INSERT INTO bulk_start (company_id, member_id, template_id, origin, total, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";

    pub static INSERT_ROW = "INSERT INTO bulk_row (bulk_id, number, state, request, faults) VALUES ($1, $2, $3, $4, $5)";

    /// One bulk send with its progress.
    pub static FIND = "SELECT b.id, b.template_id, b.total, b.created_at, b.cancelled_at, b.finished_at, \
             (SELECT count(*) FROM bulk_row AS r WHERE r.bulk_id = b.id AND r.state = 'started') AS started, \
             (SELECT count(*) FROM bulk_row AS r WHERE r.bulk_id = b.id AND r.state = 'failed') AS failed, \
             (SELECT count(*) FROM bulk_row AS r WHERE r.bulk_id = b.id AND r.state = 'cancelled') AS cancelled \
         FROM bulk_start AS b WHERE b.company_id = $1 AND b.id = $2";

    /// A page of a bulk send's rows.
    pub static ROWS = "SELECT r.number, r.state, r.workflow_id, r.faults \
         FROM bulk_row AS r JOIN bulk_start AS b ON b.id = r.bulk_id \
         WHERE b.company_id = $1 AND b.id = $2 AND r.number > $3 \
             AND (CAST($4 AS TEXT) IS NULL OR r.state = $4) \
         ORDER BY r.number LIMIT $5";

    pub static CANCEL = "UPDATE bulk_start SET cancelled_at = $3, finished_at = $3 \
         WHERE company_id = $1 AND id = $2 AND finished_at IS NULL";

    /// Cancels the rows that were not started.
    pub static CANCEL_ROWS = "UPDATE bulk_row SET state = 'cancelled', request = NULL \
         WHERE bulk_id = $1 AND state = 'waiting'";

    /// Bulk sends that are running and not postponed, oldest first.
    pub static RUNNING = "SELECT id, company_id, member_id, origin FROM bulk_start \
         WHERE finished_at IS NULL AND due_at <= $1 ORDER BY id";

    /// Leases a bulk send to a process, unless another holds it.
    pub static CLAIM = "UPDATE bulk_start SET lease_owner = $2, lease_until = $3 \
         WHERE id = $1 AND finished_at IS NULL AND (lease_owner IS NULL OR lease_owner = $2 OR lease_until <= $4)";

    pub static LEASE_OWNERS = "SELECT DISTINCT lease_owner FROM bulk_start \
         WHERE finished_at IS NULL AND lease_owner IS NOT NULL";

    pub static RELEASE_OWNER = "UPDATE bulk_start SET lease_owner = NULL WHERE lease_owner = $1 AND finished_at IS NULL";

    pub static WAITING = "SELECT number, request, tries FROM bulk_row WHERE bulk_id = $1 AND state = 'waiting' \
         AND due_at <= $2 ORDER BY number LIMIT $3";

    pub static PUT_OFF = "UPDATE bulk_start SET due_at = $2 WHERE id = $1 AND finished_at IS NULL";

    /// Runs in the transaction that starts the row's document.
    pub static STARTED = "UPDATE bulk_row SET state = 'started', workflow_id = $3, request = NULL \
         WHERE bulk_id = $1 AND number = $2 AND state = 'waiting'";

    pub static FAILED = "UPDATE bulk_row SET state = 'failed', faults = $3, request = NULL \
         WHERE bulk_id = $1 AND number = $2 AND state = 'waiting'";

    /// Records a try that ended without a result.
    pub static TRIED = "UPDATE bulk_row SET tries = tries + 1, due_at = $3 \
         WHERE bulk_id = $1 AND number = $2 AND state = 'waiting'";

    /// Ends a bulk send if no row is waiting any more.
    pub static FINISH = "UPDATE bulk_start SET finished_at = $2 WHERE id = $1 AND finished_at IS NULL \
             AND NOT EXISTS (SELECT 1 FROM bulk_row AS r WHERE r.bulk_id = bulk_start.id AND r.state = 'waiting')";

    pub static WAITING_OF_COMPANY = "SELECT count(*) AS total FROM bulk_row AS r JOIN bulk_start AS b ON b.id = r.bulk_id \
         WHERE b.company_id = $1 AND b.finished_at IS NULL AND r.state = 'waiting'";

    pub static SWEEP = "DELETE FROM bulk_start WHERE finished_at < $1";
}
