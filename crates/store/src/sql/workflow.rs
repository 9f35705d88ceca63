//! The tables `workflow`, `recipient` and `sealed_document`.

crate::statements! {
    /// Reserves numbers for workflows and their signers.
    pub static RESERVE =
        sqlite "WITH RECURSIVE places (place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < $1 + $2) \
            SELECT place, CASE WHEN place <= $1 THEN place ELSE place - $1 END + COALESCE((SELECT seq FROM sqlite_sequence \
                WHERE name = CASE WHEN place <= $1 THEN 'workflow' ELSE 'recipient' END), 0) AS id FROM places",
        postgres "SELECT place, CASE WHEN place <= $1 THEN nextval('workflow_id') ELSE nextval('recipient_id') END AS id \
            FROM generate_series(CAST(1 AS BIGINT), CAST($1 AS BIGINT) + CAST($2 AS BIGINT)) AS place";

    pub static INSERT = "INSERT INTO workflow (company_id, name, template_id, template_version, on_reject, language, \
         time_zone, sender_id, client_id, comment, cc_list, export_settings, export_authorization, is_embedded, \
         started_at, expires_at, status, turn, first_step_reported, chain_sequence, chain_hash, link_version, revision, id, \
         company_name, chain_format, chain_code, added_fonts, redirect_url, is_test) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 'Playing', 1, FALSE, $18, $17, 1, 0, \
         $19, $20, $21, $22, $23, $24, $25)";

    /// Whether a workflow of a company needs a file.
    pub static REFERS_TO_BLOB = "SELECT EXISTS (SELECT 1 FROM blob_reference WHERE company_id = $1 AND hash = $2) \
         AS is_referred_to";

    /// Adds a workflow's signer.
    pub static INSERT_RECIPIENT = "INSERT INTO recipient (company_id, workflow_id, step_order, place, role, name, contact, \
         phone, mobile, language, link_version, progress, access_salt, access_code, access_hint, access_failures, contact_key, \
         asks_one_time_code, id, company) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'waiting', $12, $13, $14, 0, $15, $16, $17, $18)";

    /// The data that a start needs about its company, template and client.
    pub static START_CONTEXT = "SELECT c.name, c.language, c.time_zone, c.region, c.expiry_days, c.link_days, \
         c.accent, c.logo, c.logo_width, c.logo_height, c.mail_sender_name, c.mail_reply_to, c.completed_mails, \
         c.remind_every_days, c.remind_before_days, c.redirect_hosts, a.id AS default_client, n.id AS named_client, COALESCE(n.is_test, FALSE) AS is_test, t.current_version, t.archived_at, \
         k.id AS seal_key FROM company c \
         JOIN api_client a ON a.company_id = c.id AND a.is_default \
         LEFT JOIN seal_key k ON k.company_id = c.id AND k.retired_at IS NULL \
         LEFT JOIN api_client n ON n.company_id = c.id AND n.id = $3 \
         LEFT JOIN template t ON t.company_id = c.id AND t.id = $2 AND NOT t.one_off WHERE c.id = $1";

    /// The sender's data for mails.
    pub static PARTY = "SELECT c.name, c.language, c.region, c.link_days, \
         c.accent, c.logo, c.logo_width, c.logo_height, c.mail_sender_name, c.mail_reply_to, c.completed_mails, \
         c.remind_every_days, c.remind_before_days, c.redirect_hosts, m.name AS sender_name, m.email AS sender_email, \
         m.disabled_at AS sender_disabled_at \
         FROM company c JOIN member m ON m.company_id = c.id WHERE c.id = $1 AND m.id = $2";

    /// One workflow of a company.
    pub static LOAD = "SELECT id, company_id, name, template_id, template_version, on_reject, language, time_zone, \
         sender_id, client_id, comment, cc_list, export_settings, export_authorization, started_at, expires_at, status, turn, \
         ended_at, ended_by, end_comment, first_step_reported, chain_format, chain_sequence, chain_hash, chain_code, link_version, \
         links_revoked_at, links_renewed_at, discarded_at, revision, added_fonts, redirect_url, is_test, COALESCE(company_name, (SELECT c.name FROM company AS c WHERE c.id = company_id)) AS company_name \
         FROM workflow WHERE company_id = $1 AND id = $2";

    /// A workflow's recipients.
    pub static LOAD_RECIPIENTS = "SELECT id, step_order, place, role, name, contact, phone, mobile, company, language, link_version, \
         progress, progressed_at, comment, access_salt, access_code, access_hint, access_failures, access_at, viewed_at, \
         consented_at, asks_one_time_code, one_time_salt, one_time_code, one_time_sent_at, one_time_used_at, \
         one_time_used_by, one_time_failures FROM recipient WHERE company_id = $1 AND workflow_id = $2 ORDER BY step_order, place";

    /// The company and workflow of a link's recipient. The link itself is the authorization.
    pub static OF_RECIPIENT = "SELECT company_id, workflow_id FROM recipient WHERE id = $1";

    /// The company of a link's workflow. The link itself is the authorization.
    pub static COMPANY_OF = "SELECT company_id FROM workflow WHERE id = $1";

    /// Updates a workflow if its revision is still the one that was read.
    pub static UPDATE = "UPDATE workflow SET expires_at = $4, status = $5, turn = $6, ended_at = $7, ended_by = $8, \
         end_comment = $9, first_step_reported = $10, chain_sequence = $11, chain_hash = $12, revision = $13, \
         chain_code = $15 \
         WHERE company_id = $1 AND id = $2 AND revision = $3 AND chain_sequence = $14";

    /// Locks a workflow's row and returns its chain's head. (SQLite has a single writer and needs no lock.)
    pub static HOLD =
        sqlite "SELECT chain_format, chain_sequence, chain_hash, chain_code FROM workflow WHERE company_id = $1 AND id = $2",
        postgres "SELECT chain_format, chain_sequence, chain_hash, chain_code FROM workflow WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE";

    /// Replaces the chain's head.
    pub static UPDATE_HEAD = "UPDATE workflow SET chain_sequence = $4, chain_hash = $5, chain_code = $6 \
         WHERE company_id = $1 AND id = $2 AND chain_sequence = $3";

    /// Updates a signer after a transition or a correction.
    pub static UPDATE_RECIPIENT = "UPDATE recipient SET name = $4, contact = $5, phone = $6, link_version = $7, \
         progress = $8, progressed_at = $9, comment = $10, contact_key = $11, mobile = $12, company = $13 \
         WHERE company_id = $1 AND workflow_id = $2 AND id = $3";

    /// Locks a signer who has not acted and whose link has not been replaced.
    pub static HOLD_WRITER = "UPDATE recipient SET link_version = link_version \
         WHERE company_id = $1 AND id = $2 AND link_version = $3 AND progress <> 'approved'";

    /// Makes signers prove their identity again, after the document was returned to them or they were corrected.
    pub static RESET_ACCESS = "UPDATE recipient SET access_failures = 0, access_at = NULL, viewed_at = NULL, \
         consented_at = NULL, one_time_salt = NULL, one_time_code = NULL, one_time_sent_at = NULL, one_time_used_at = NULL, \
         one_time_used_by = NULL, one_time_failures = 0 WHERE company_id = $1 AND workflow_id = $2 AND id = $3";

    /// Counts a wrong access code.
    pub static COUNT_ACCESS_FAILURE = "UPDATE recipient SET access_failures = access_failures + 1 \
         WHERE company_id = $1 AND id = $2";

    /// Records the right access code.
    pub static SET_ACCESS = "UPDATE recipient SET access_failures = 0, access_at = $3 WHERE company_id = $1 AND id = $2";

    /// Stores a one-time code that was sent. The previous one stops working.
    pub static SET_ONE_TIME_CODE = "UPDATE recipient SET one_time_salt = $3, one_time_code = $4, one_time_sent_at = $5, \
         one_time_used_at = NULL, one_time_used_by = NULL, one_time_failures = 0 WHERE company_id = $1 AND id = $2";

    /// Counts a wrong one-time code.
    pub static COUNT_ONE_TIME_FAILURE = "UPDATE recipient SET one_time_failures = one_time_failures + 1 \
         WHERE company_id = $1 AND id = $2";

    /// Records the right one-time code.
    pub static USE_ONE_TIME_CODE = "UPDATE recipient SET one_time_used_at = $3, one_time_used_by = $4 \
         WHERE company_id = $1 AND id = $2";

    /// Records that the signer has viewed the document.
    pub static SET_VIEWED = "UPDATE recipient SET viewed_at = $3 WHERE company_id = $1 AND id = $2 AND viewed_at IS NULL";

    /// Records that the signer agreed to sign electronically.
    pub static SET_CONSENTED = "UPDATE recipient SET consented_at = $3 \
         WHERE company_id = $1 AND id = $2 AND consented_at IS NULL";

    /// Hides a finished workflow.
    pub static DISCARD = "UPDATE workflow SET discarded_at = $3 \
         WHERE company_id = $1 AND id = $2 AND discarded_at IS NULL AND status <> 'Playing'";

    /// Expired workflows of all companies, except those that were postponed.
    pub static OVERDUE = "SELECT company_id, id FROM workflow WHERE status = 'Playing' AND expires_at <= $1 \
         AND expiry_look <= $1 ORDER BY expires_at LIMIT $2";

    /// Sets when to check a workflow again that could not be expired.
    pub static SET_EXPIRY_LOOK = "UPDATE workflow SET expiry_look = $3 WHERE company_id = $1 AND id = $2";

    /// Workflows whose signers may need a reminder.
    pub static REMINDER_LOOKS = "SELECT w.company_id, w.id FROM company c JOIN workflow w ON w.company_id = c.id \
         WHERE (c.remind_every_days IS NOT NULL OR c.remind_before_days IS NOT NULL) \
         AND w.status = 'Playing' AND w.is_embedded = FALSE AND w.reminder_look <= $1 \
         ORDER BY w.reminder_look, w.id LIMIT $2";

    /// Sets when to check a workflow again for reminders.
    pub static SET_REMINDER_LOOK = "UPDATE workflow SET reminder_look = $3 WHERE company_id = $1 AND id = $2";

    /// Resets the next checks after the company has changed its reminder settings. Other transactions lock several
    /// workflows in the order of their IDs, and PostgreSQL locks them here in the order of the inner SELECT.
    pub static FORGET_REMINDER_LOOKS =
        sqlite "UPDATE workflow SET reminder_look = 0 \
            WHERE company_id = $1 AND status = 'Playing' AND reminder_look <> 0",
        postgres "UPDATE workflow SET reminder_look = 0 WHERE id IN (SELECT id FROM workflow \
            WHERE company_id = $1 AND status = 'Playing' AND reminder_look <> 0 ORDER BY id FOR NO KEY UPDATE)";

    /// A company's workflows, newest first.
    pub static LIST = "SELECT id, name, status, language, time_zone, template_id, sender_id, started_at, expires_at, ended_at, turn, is_test \
         FROM workflow WHERE company_id = $1 AND id < $2 AND discarded_at IS NULL \
         AND (CAST($3 AS TEXT) IS NULL OR status = $3) \
         AND (CAST($4 AS BIGINT) IS NULL OR template_id = $4) \
         AND started_at >= $5 AND started_at < $6 \
         AND (CAST($9 AS BOOLEAN) IS NULL OR is_test = $9) \
         ORDER BY id DESC LIMIT $7 OFFSET $8";

    /// The signers of some workflows, given as a JSON array of numbers.
    pub static SIGNERS_OF =
        sqlite "SELECT workflow_id, step_order, name, progressed_at FROM recipient WHERE company_id = $1 \
            AND workflow_id IN (SELECT value FROM json_each($2)) ORDER BY workflow_id, step_order, place",
        postgres "SELECT workflow_id, step_order, name, progressed_at FROM recipient WHERE company_id = $1 \
            AND workflow_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON))) \
            ORDER BY workflow_id, step_order, place";

    /// Which of some workflows, given as a JSON array of numbers, have messages or webhooks that were given up.
    pub static UNDELIVERED_OF =
        sqlite "SELECT DISTINCT workflow_id, kind = 'webhook' AS is_webhook FROM outbox WHERE company_id = $1 \
            AND workflow_id IN (SELECT value FROM json_each($2)) AND state = 'dead'",
        postgres "SELECT DISTINCT workflow_id, kind = 'webhook' AS is_webhook FROM outbox WHERE company_id = $1 \
            AND workflow_id IN (SELECT CAST(value AS BIGINT) FROM json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON))) \
            AND state = 'dead'";

    /// Workflows of a template in which a field has this value.
    pub static WITH_VALUE = "SELECT w.id, w.status FROM field_value v JOIN workflow w ON w.id = v.workflow_id \
         WHERE v.company_id = $1 AND w.company_id = $1 AND v.field_name = $3 AND v.wire_hash = $4 AND v.wire = $5 \
         AND v.workflow_id < $7 AND w.template_id = $2 AND w.discarded_at IS NULL ORDER BY v.workflow_id DESC LIMIT $6";

    /// Other documents that wait for this contact. A visitor of a public link takes a place in the first step.
    pub static NEXT_FOR = "SELECT r.id, r.workflow_id FROM recipient r JOIN workflow w ON w.id = r.workflow_id \
         WHERE r.company_id = $1 AND w.company_id = $1 AND r.contact_key = $2 AND r.progress = 'waiting' \
         AND w.status = 'Playing' AND w.turn = r.step_order AND w.expires_at > $3 AND r.id <> $4 \
         AND w.is_embedded = FALSE AND w.is_test = FALSE AND NOT (r.step_order = 1 \
             AND EXISTS (SELECT 1 FROM public_link_use u WHERE u.workflow_id = w.id)) \
         ORDER BY w.id LIMIT 1";

    /// Adds the sealed document and its certificate.
    pub static INSERT_SEALED = "INSERT INTO sealed_document (workflow_id, company_id, document_hash, document_length, \
         certificate_hash, certificate_length, sealed_at, timestamp_due) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

    /// The sealed document of a workflow.
    pub static LOAD_SEALED = "SELECT document_hash, document_length, certificate_hash, certificate_length, sealed_at, \
         timestamp_due FROM sealed_document WHERE company_id = $1 AND workflow_id = $2";

    /// Sealed documents whose timestamp is due.
    pub static DUE_TIMESTAMPS = "SELECT company_id, workflow_id, document_hash, document_length, certificate_hash, \
         certificate_length, sealed_at, timestamp_due FROM sealed_document WHERE timestamp_due <= $1 \
         ORDER BY timestamp_due LIMIT $2";

    /// Postpones a due timestamp.
    pub static PUT_TIMESTAMP_OFF = "UPDATE sealed_document SET timestamp_due = $4 \
         WHERE company_id = $1 AND workflow_id = $2 AND timestamp_due = $3";

    /// Replaces sealed files with longer ones.
    pub static REPLACE_SEALED = "UPDATE sealed_document SET document_hash = $5, document_length = $6, \
         certificate_hash = $7, certificate_length = $8, timestamp_due = $9 \
         WHERE company_id = $1 AND workflow_id = $2 AND document_hash = $3 AND certificate_hash = $4";

    /// Records that a workflow no longer needs a file.
    pub static FORGET_BLOB = "DELETE FROM blob_reference WHERE hash = $1 AND workflow_id = $2 AND company_id = $3";

    /// Records that a workflow needs a file.
    pub static REFER_TO_BLOB = "INSERT INTO blob_reference (hash, workflow_id, company_id) VALUES ($1, $2, $3) \
         ON CONFLICT (hash, workflow_id) DO NOTHING";

    /// Workflows whose state and proof contradict each other. There must be none.
    pub static UNSOUND = "SELECT w.id, w.company_id FROM workflow w \
         LEFT JOIN sealed_document s ON s.workflow_id = w.id \
         WHERE (w.status = 'Complete') <> (s.workflow_id IS NOT NULL) ORDER BY w.id";
}
