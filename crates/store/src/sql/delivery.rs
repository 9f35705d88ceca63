//! The tables `outbox`, `delivery_try` and `endpoint`.
//!
//! The runner's statements (claim, finish, release) work across companies, because it delivers for all of them. Every
//! other statement contains the company.

crate::statements! {
    /// Does not check whether the endpoint is stopped. In that case the delivery is held as soon as a claim finds it.
    pub static ENQUEUE = "INSERT INTO outbox (company_id, workflow_id, event_id, kind, receiver, url, client_id, \
             authorization_header, body, state, created_at, due_at, erase_at, finished_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, $13)";

    /// Locks an endpoint if it is stopped.
    pub static HOLD_BACK_ONE = "UPDATE endpoint SET holds = holds + 1 \
         WHERE company_id = $1 AND url = $2 AND stopped_at IS NOT NULL";

    /// The lanes (a receiver and a company) with due deliveries, by a loose index scan that looks at each lane once,
    /// however much waits in it. Returns none while the outbox is held after a restore ([`crate::held_outbox`]).
    pub static DUE_LANES =
        sqlite "SELECT receiver, company_id, due_at, tries FROM ( \
                WITH RECURSIVE lane (receiver, company_id, due_at, tries) AS ( \
                    SELECT o.receiver, o.company_id, o.due_at, o.tries FROM outbox AS o WHERE o.id = \
                        (SELECT n.id FROM outbox AS n INDEXED BY outbox_lane WHERE n.state = 'waiting' \
                            ORDER BY n.receiver, n.company_id, n.due_at, n.id LIMIT 1) \
                    UNION ALL \
                    SELECT o.receiver, o.company_id, o.due_at, o.tries FROM lane CROSS JOIN outbox AS o ON o.id = COALESCE( \
                        (SELECT n.id FROM outbox AS n INDEXED BY outbox_lane WHERE n.state = 'waiting' \
                            AND n.receiver = lane.receiver \
                            AND n.company_id > lane.company_id ORDER BY n.company_id, n.due_at, n.id LIMIT 1), \
                        (SELECT n.id FROM outbox AS n INDEXED BY outbox_lane WHERE n.state = 'waiting' \
                            AND n.receiver > lane.receiver \
                            ORDER BY n.receiver, n.company_id, n.due_at, n.id LIMIT 1))) \
                SELECT receiver, company_id, due_at, tries FROM lane) AS found \
            WHERE due_at <= $1 AND NOT EXISTS (SELECT 1 FROM setting WHERE name = 'outgoing-held') ORDER BY due_at",
        postgres "SELECT receiver, company_id, due_at, tries FROM ( \
                WITH RECURSIVE lane AS ( \
                    (SELECT receiver, company_id, due_at, tries FROM outbox WHERE state = 'waiting' \
                        ORDER BY receiver, company_id, due_at, id LIMIT 1) \
                    UNION ALL \
                    SELECT n.receiver, n.company_id, n.due_at, n.tries FROM lane CROSS JOIN LATERAL ( \
                        SELECT o.receiver, o.company_id, o.due_at, o.tries FROM outbox AS o WHERE o.state = 'waiting' \
                            AND (o.receiver, o.company_id) > (lane.receiver, lane.company_id) \
                        ORDER BY o.receiver, o.company_id, o.due_at, o.id LIMIT 1) AS n) \
                SELECT receiver, company_id, due_at, tries FROM lane) AS found \
            WHERE due_at <= $1 AND NOT EXISTS (SELECT 1 FROM setting WHERE name = 'outgoing-held') ORDER BY due_at";

    /// Claims the first due deliveries of these lanes, each up to its room ($6: the largest room of any lane), under a
    /// lease. When the lease expires, they are due again. A first try waits for the first tries of the same workflow's
    /// earlier webhooks. The condition on the kind `lane` and the limit of 64 show PostgreSQL that there are few rows,
    /// so it looks up each by its key.
    pub static CLAIM =
        sqlite "UPDATE outbox SET lease = $1, lease_owner = $2, due_at = $3 WHERE id IN (SELECT id FROM ( \
                SELECT o.id AS id, given.room AS room, \
                    row_number() OVER (PARTITION BY given.lane ORDER BY o.due_at, o.id) AS place \
                FROM (SELECT key AS lane, json_extract(value, '$.receiver') AS receiver, \
                        json_extract(value, '$.company') AS company_id, json_extract(value, '$.room') AS room \
                    FROM json_each($5)) AS given \
                CROSS JOIN outbox AS o ON o.id IN (SELECT w.id FROM outbox AS w INDEXED BY outbox_lane \
                    WHERE w.state = 'waiting' AND w.receiver = given.receiver AND w.company_id = given.company_id \
                    AND w.due_at <= $4 AND (w.first_try_done OR w.kind <> 'webhook' OR w.workflow_id IS NULL \
                        OR NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.workflow_id = w.workflow_id AND e.id < w.id \
                            AND e.state = 'waiting' AND e.kind = 'webhook' AND NOT e.first_try_done)) \
                    ORDER BY w.due_at, w.id LIMIT $6)) WHERE place <= room) \
            RETURNING id, company_id, workflow_id, event_id, kind, receiver, url, client_id, authorization_header, \
                body, tries, tries_made, first_try_done, created_at, (SELECT e.stopped_at FROM endpoint AS e \
                    WHERE e.company_id = outbox.company_id AND e.url = outbox.url) AS stopped_at",
        postgres "WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', TRUE) AS setting) \
            UPDATE outbox SET lease = $1, lease_owner = $2, due_at = $3 \
            WHERE (SELECT setting FROM relaxed) = 'off' AND id IN ( \
                SELECT taken.id \
                FROM json_to_recordset(CAST(CAST($5 AS TEXT) AS JSON)) AS given \
                    (kind TEXT, receiver TEXT, company TEXT, room BIGINT) \
                CROSS JOIN LATERAL (SELECT few.id FROM (SELECT w.id FROM outbox AS w \
                    WHERE w.state = 'waiting' AND w.receiver = given.receiver AND w.company_id = given.company \
                    AND w.due_at <= $4 AND (w.first_try_done OR w.kind <> 'webhook' OR w.workflow_id IS NULL \
                        OR NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.workflow_id = w.workflow_id AND e.id < w.id \
                            AND e.state = 'waiting' AND e.kind = 'webhook' AND NOT e.first_try_done)) \
                    ORDER BY w.due_at, w.id LIMIT LEAST(given.room, CAST($6 AS BIGINT)) FOR UPDATE OF w SKIP LOCKED) \
                    AS few LIMIT 64) AS taken \
                WHERE given.kind = 'lane') \
            RETURNING id, company_id, workflow_id, event_id, kind, receiver, url, client_id, authorization_header, \
                body, tries, tries_made, first_try_done, created_at, (SELECT e.stopped_at FROM endpoint AS e \
                    WHERE e.company_id = outbox.company_id AND e.url = outbox.url) AS stopped_at";

    /// Holds a claimed delivery of a stopped endpoint.
    pub static HOLD_CLAIMED = "UPDATE outbox SET state = 'held', lease = NULL, lease_owner = NULL, due_at = $3 \
         WHERE id = $1 AND lease = $2";

    /// If a row was last tried or decided later than now, the clock was set back. The intended pause then begins now.
    pub static COUNT_ANEW = "UPDATE outbox SET due_at = due_at - ( \
             COALESCE((SELECT MAX(t.at) FROM delivery_try AS t WHERE t.delivery_id = outbox.id), created_at) - $1) \
         WHERE state = 'waiting' AND lease IS NULL AND due_at > $1 \
             AND COALESCE((SELECT MAX(t.at) FROM delivery_try AS t WHERE t.delivery_id = outbox.id), created_at) > $1";

    /// Releases a claimed delivery untried.
    pub static RELEASE = "UPDATE outbox SET lease = NULL, lease_owner = NULL, due_at = $3 WHERE id = $1 AND lease = $2";

    /// Releases all deliveries of one claim.
    pub static RELEASE_CLAIM = "UPDATE outbox SET lease = NULL, lease_owner = NULL, due_at = $3 \
         WHERE lease_owner = $1 AND lease = $2";

    /// The workers that hold leases.
    pub static LEASE_OWNERS = "SELECT DISTINCT lease_owner FROM outbox WHERE lease_owner IS NOT NULL";

    /// Releases all deliveries that a dead worker had claimed.
    pub static RELEASE_OWNER = "UPDATE outbox SET lease = NULL, lease_owner = NULL, due_at = $2 WHERE lease_owner = $1";

    /// Records a try of a claimed delivery and its outcome. Returns no row if the lease was lost.
    pub static FINISH = "UPDATE outbox SET state = $3, due_at = $4, finished_at = $5, tries = tries + 1, \
             tries_made = tries_made + 1, first_try_done = TRUE, lease = NULL, lease_owner = NULL \
         WHERE id = $1 AND lease = $2 RETURNING tries_made";

    /// Records accepted deliveries and their tries. Their endpoints become like ones that never failed, but a stopped
    /// endpoint stays stopped until it is switched on. Deliveries without a returned row had lost their lease.
    ///
    /// The condition on the kind shows PostgreSQL's planner that the list is short, as in a claim. CASE keeps the
    /// planner from assuming that almost no endpoint is on.
    pub static FINISH_TAKEN =
        sqlite "DELETE FROM endpoint WHERE stopped_at IS NULL AND NOT letting_go AND (company_id, url) IN \
            (SELECT json_extract(value, '$.company'), json_extract(value, '$.url') FROM json_each($1) \
                WHERE json_extract(value, '$.kind') = 'endpoint')"
        then "INSERT INTO delivery_try (delivery_id, number, at, duration, code, fault, answer) \
            SELECT o.id, json_extract(value, '$.number'), json_extract(value, '$.at'), \
                json_extract(value, '$.duration'), json_extract(value, '$.code'), json_extract(value, '$.fault'), \
                json_extract(value, '$.answer') FROM json_each($1) \
            JOIN outbox AS o ON o.id = json_extract(value, '$.given_id') AND o.lease = json_extract(value, '$.given_lease')"
        then "UPDATE outbox SET state = 'delivered', due_at = $2, finished_at = $2, tries = tries + 1, \
                tries_made = tries_made + 1, first_try_done = TRUE, lease = NULL, lease_owner = NULL \
            FROM (SELECT json_extract(value, '$.given_id') AS given_id, json_extract(value, '$.given_lease') AS given_lease \
                FROM json_each($1)) AS given \
            WHERE id = given_id AND lease = given_lease RETURNING id",
        postgres "WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', TRUE) AS setting), \
            given AS MATERIALIZED (SELECT * FROM json_to_recordset(CAST(CAST($1 AS TEXT) AS JSON)) AS given \
                (kind TEXT, company TEXT, url TEXT, given_id BIGINT, given_lease TEXT, number BIGINT, at BIGINT, \
                    duration BIGINT, code BIGINT, fault TEXT, answer TEXT)), \
            recovered AS (DELETE FROM endpoint USING given \
                WHERE given.kind = 'endpoint' AND endpoint.company_id = given.company AND endpoint.url = given.url \
                    AND CASE WHEN endpoint.stopped_at IS NULL THEN NOT endpoint.letting_go ELSE FALSE END), \
            finished AS (UPDATE outbox SET state = 'delivered', due_at = $2, finished_at = $2, tries = tries + 1, \
                    tries_made = tries_made + 1, first_try_done = TRUE, lease = NULL, lease_owner = NULL \
                FROM given \
                WHERE (SELECT setting FROM relaxed) = 'off' \
                    AND given.kind = 'taken' AND id = given.given_id AND lease = given.given_lease \
                RETURNING id, given.number, given.at, given.duration, given.code, given.fault, given.answer), \
            tried AS (INSERT INTO delivery_try (delivery_id, number, at, duration, code, fault, answer) \
                SELECT id, number, at, duration, code, fault, answer FROM finished) \
            SELECT id FROM finished";

    /// Keeps a claimed mail or text message for the outbox page, because nothing is set up that could send it.
    pub static KEEP = "UPDATE outbox SET state = 'kept', lease = NULL, lease_owner = NULL, finished_at = $3 \
         WHERE id = $1 AND lease = $2";

    pub static INSERT_TRY = "INSERT INTO delivery_try (delivery_id, number, at, duration, code, fault, answer) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)";

    /// Deliveries accepted before a time that are missing from their workflows' audit trails.
    pub static TO_NOTE = "SELECT id, company_id, workflow_id, event_id, kind, finished_at FROM outbox \
         WHERE state = 'delivered' AND NOT noted AND workflow_id IS NOT NULL AND finished_at <= $1 \
             AND (finished_at, id) > ($2, $3) \
         ORDER BY finished_at, id LIMIT $4";

    /// Marks deliveries as recorded in the audit trails.
    pub static NOTED =
        sqlite "UPDATE outbox SET noted = TRUE \
            WHERE id IN (SELECT json_extract(value, '$.id') FROM json_each($1)) AND NOT noted RETURNING id",
        postgres "UPDATE outbox SET noted = TRUE \
            FROM (SELECT given.id AS given_id \
                FROM json_to_recordset(CAST(CAST($1 AS TEXT) AS JSON)) AS given (kind TEXT, id BIGINT) \
                WHERE given.kind = 'noted') AS given \
            WHERE id = given_id AND NOT noted RETURNING id";

    pub static ACCEPTED_MAIL = "SELECT company_id, workflow_id FROM outbox \
         WHERE event_id = $1 AND kind = 'mail' AND state = 'delivered'";

    /// Records that a mail was returned after its server had accepted it. A report identifies the mail only by its
    /// event's ID, which nobody can guess.
    pub static MAIL_CAME_BACK = "UPDATE outbox SET state = 'dead', tries_made = tries_made + 1 \
         WHERE event_id = $1 AND kind = 'mail' AND state = 'delivered' RETURNING id, company_id, workflow_id, tries_made, body";

    pub static TRIES = "SELECT t.number, t.at, t.duration, t.code, t.fault, t.answer FROM delivery_try AS t \
         JOIN outbox AS o ON o.id = t.delivery_id \
         WHERE o.company_id = $1 AND o.id = $2 ORDER BY t.number";

    /// The time since which an endpoint fails that is not stopped.
    pub static ENDPOINT = "SELECT failing_since FROM endpoint WHERE company_id = $1 AND url = $2";

    /// Whether a company uses a URL: it failed or was stopped, something was sent to it, or a running document will
    /// call it (its settings then contain $3).
    pub static ENDPOINT_KNOWN =
        sqlite "SELECT EXISTS (SELECT 1 FROM endpoint WHERE company_id = $1 AND url = $2 \
             AND (failing_since IS NOT NULL OR stopped_reason <> 'paused')) \
         OR EXISTS (SELECT 1 FROM outbox WHERE company_id = $1 AND url = $2 AND kind = 'webhook') \
         OR EXISTS (SELECT 1 FROM workflow WHERE company_id = $1 AND status = 'Playing' \
             AND instr(export_settings, $3) > 0) AS known",
        postgres "SELECT EXISTS (SELECT 1 FROM endpoint WHERE company_id = $1 AND url = $2 \
             AND (failing_since IS NOT NULL OR stopped_reason <> 'paused')) \
         OR EXISTS (SELECT 1 FROM outbox WHERE company_id = $1 AND url = $2 AND kind = 'webhook') \
         OR EXISTS (SELECT 1 FROM workflow WHERE company_id = $1 AND status = 'Playing' \
             AND strpos(export_settings, $3) > 0) AS known";

    /// A company's endpoints that fail or are stopped, after a given one.
    pub static ENDPOINTS = "SELECT url, failing_since, stopped_at, stopped_reason FROM endpoint \
         WHERE company_id = $1 AND url > $2 ORDER BY url LIMIT $3";

    /// The number of endpoints a company has paused.
    pub static PAUSED = "SELECT count(*) AS paused FROM endpoint WHERE company_id = $1 AND stopped_reason = 'paused'";

    /// Records the first failure after a success.
    pub static ENDPOINT_FAILED = "INSERT INTO endpoint (company_id, url, failing_since) VALUES ($1, $2, $3) \
         ON CONFLICT (company_id, url) DO NOTHING";

    /// Records a success. A stopped endpoint stays until it is switched on, and one that is still being released stays
    /// until that is done.
    pub static ENDPOINT_RECOVERED = "DELETE FROM endpoint \
         WHERE company_id = $1 AND url = $2 AND stopped_at IS NULL AND NOT letting_go";

    pub static ENDPOINT_STOP = "UPDATE endpoint SET stopped_at = $3, stopped_reason = $4, letting_go = FALSE \
         WHERE company_id = $1 AND url = $2 AND stopped_at IS NULL";

    /// Stops an endpoint for a member, unless it is already stopped.
    pub static ENDPOINT_PAUSE = "INSERT INTO endpoint (company_id, url, stopped_at, stopped_reason) \
         VALUES ($1, $2, $3, 'paused') \
         ON CONFLICT (company_id, url) DO UPDATE SET stopped_at = $3, stopped_reason = 'paused', letting_go = FALSE \
         WHERE endpoint.stopped_at IS NULL";

    /// Holds a portion of the deliveries that wait for a stopped endpoint. Running deliveries are held when they
    /// finish, and the rest as soon as a claim finds them. The state is a parameter, so that PostgreSQL does not use a
    /// partial index of waiting rows to find this endpoint's rows.
    pub static HOLD =
        sqlite "UPDATE outbox SET state = 'held' WHERE id IN (SELECT id FROM outbox \
            WHERE company_id = $1 AND url = $2 AND kind = 'webhook' AND state = $3 AND lease IS NULL \
                AND finished_at IS NULL LIMIT $4)",
        postgres "UPDATE outbox SET state = 'held' WHERE id IN (SELECT id FROM outbox \
            WHERE company_id = $1 AND url = $2 AND kind = 'webhook' AND state = $3 AND lease IS NULL \
                AND finished_at IS NULL LIMIT $4 FOR UPDATE SKIP LOCKED)";

    /// Switches an endpoint on and resets its failures.
    pub static ENDPOINT_START = "UPDATE endpoint SET stopped_at = NULL, stopped_reason = NULL, failing_since = $3, \
             letting_go = TRUE \
         WHERE company_id = $1 AND url = $2 AND stopped_at IS NOT NULL";

    /// Releases a portion of the held deliveries, with a new round of tries.
    pub static LET_GO = "UPDATE outbox SET state = 'waiting', due_at = $3, tries = 0 WHERE id IN (SELECT id FROM outbox \
         WHERE company_id = $1 AND url = $2 AND kind = 'webhook' AND state = 'held' AND finished_at IS NULL LIMIT $4)";

    /// An endpoint that was started again while deliveries are still held for it.
    pub static LETTING_GO = "SELECT company_id, url FROM endpoint WHERE letting_go LIMIT 1";

    /// Locks an endpoint that is being released. If it is stopped at the same moment, one of the two transactions runs
    /// again.
    pub static LETS_GO = "UPDATE endpoint SET holds = holds + 1 WHERE company_id = $1 AND url = $2 AND letting_go";

    /// Everything is released, so the endpoint becomes like one that never failed.
    pub static HAS_LET_GO = "DELETE FROM endpoint WHERE company_id = $1 AND url = $2 AND letting_go";

    /// Sends a webhook again in a new round of tries, if it is finished or waits for its next try. If its endpoint is
    /// stopped, it is held as soon as a claim finds it.
    pub static RESEND = "UPDATE outbox SET state = 'waiting', due_at = $3, tries = 0, finished_at = NULL, noted = FALSE \
         WHERE company_id = $1 AND id = $2 AND kind = 'webhook' \
             AND (state IN ('delivered', 'dead') OR (state = 'waiting' AND lease IS NULL AND first_try_done))";

    /// The oldest finished webhooks of a range, after a known one.
    pub static RANGE = "SELECT id FROM outbox WHERE company_id = $1 AND kind = 'webhook' AND id > $2 \
             AND state IN ('delivered', 'dead') \
             AND (CAST($3 AS BIGINT) IS NULL OR workflow_id = $3) \
             AND (CAST($4 AS TEXT) IS NULL OR state = $4) \
             AND (CAST($5 AS TEXT) IS NULL OR url = $5) \
             AND created_at >= $6 AND created_at < $7 \
         ORDER BY id LIMIT $8";

    /// A page of the company's webhooks, newest first.
    pub static HISTORY = "SELECT id, workflow_id, event_id, kind, url, state, tries, tries_made, created_at, due_at, \
             finished_at FROM outbox WHERE company_id = $1 AND kind = 'webhook' AND id < $2 \
             AND (CAST($3 AS BIGINT) IS NULL OR workflow_id = $3) \
             AND (CAST($4 AS TEXT) IS NULL OR state = $4) \
             AND (CAST($5 AS TEXT) IS NULL OR url = $5) \
             AND created_at >= $6 AND created_at < $7 \
         ORDER BY id DESC LIMIT $8";

    /// Keeps only the latest tries of a delivery that is tried very often.
    pub static FORGET_TRIES = "DELETE FROM delivery_try WHERE delivery_id = $1 AND number <= $2";

    /// The end of a company's history of webhooks: the newest one beyond the number to keep.
    pub static HISTORY_END = "SELECT finished_at, id FROM outbox \
         WHERE company_id = $1 AND kind = 'webhook' AND finished_at IS NOT NULL \
         ORDER BY finished_at DESC, id DESC LIMIT 1 OFFSET $2";

    /// Deletes a company's oldest webhooks, up to an end. Those missing from the workflow's audit trail stay, but not
    /// forever.
    pub static FORGET = "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox \
         WHERE company_id = $1 AND kind = 'webhook' AND finished_at IS NOT NULL AND (finished_at, id) <= ($2, $3) \
             AND (state = 'dead' OR noted OR workflow_id IS NULL OR finished_at <= $5) \
         ORDER BY finished_at, id LIMIT $4)";

    /// Like [`HISTORY_END`], for mails and text messages.
    pub static MESSAGES_END = "SELECT finished_at, id FROM outbox \
         WHERE company_id = $1 AND kind <> 'webhook' AND finished_at IS NOT NULL \
         ORDER BY finished_at DESC, id DESC LIMIT 1 OFFSET $2";

    /// Deletes a company's oldest finished mails and text messages, up to an end. Unless $6 is set, those of running
    /// documents stay, because their links still work.
    pub static FORGET_MESSAGES = "DELETE FROM outbox WHERE id IN (SELECT o.id FROM outbox AS o \
         WHERE o.company_id = $1 AND o.kind <> 'webhook' AND o.finished_at IS NOT NULL \
             AND (o.finished_at, o.id) <= ($2, $3) \
             AND (o.state <> 'delivered' OR o.noted OR o.workflow_id IS NULL OR o.finished_at <= $5) \
             AND (CAST($6 AS BIGINT) = 1 OR NOT EXISTS (SELECT 1 FROM workflow AS w \
                 WHERE w.company_id = o.company_id AND w.id = o.workflow_id AND w.status = 'Playing')) \
         ORDER BY o.finished_at, o.id LIMIT $4)";

    /// Expired one-time codes, and old messages that may contain one.
    pub static TO_ERASE = "SELECT id, receiver, company_id, body FROM outbox WHERE erase_at <= $1 AND lease IS NULL ORDER BY erase_at LIMIT $2";

    /// Erases a code from its message. A message that has not been sent by now is no longer sent.
    pub static ERASE = "UPDATE outbox SET body = $2, erase_at = NULL, finished_at = COALESCE(finished_at, $3), \
             state = CASE state WHEN 'waiting' THEN 'dead' ELSE state END \
         WHERE id = $1 AND lease IS NULL AND erase_at IS NOT NULL";

    /// Records that the message contains no code.
    pub static HOLDS_NO_CODE = "UPDATE outbox SET erase_at = NULL WHERE id = $1";

    /// The number of deliveries that wait for each of a company's stopped endpoints: already held, or to be held as
    /// soon as a claim finds them.
    pub static HELD = "SELECT o.url, count(*) AS held FROM endpoint AS e \
         JOIN outbox AS o ON o.company_id = e.company_id AND o.url = e.url \
         WHERE e.company_id = $1 AND e.url > $2 AND e.url <= $3 \
             AND (e.stopped_at IS NOT NULL OR e.letting_go) AND o.kind = 'webhook' AND o.finished_at IS NULL AND (o.state = 'held' OR (o.state = 'waiting' AND o.lease IS NULL AND NOT e.letting_go)) \
         GROUP BY o.url";

    /// Like [`HELD`], for one endpoint.
    pub static HELD_OF = "SELECT count(*) AS held FROM outbox WHERE company_id = $1 AND url = $2 AND kind = 'webhook' \
             AND finished_at IS NULL AND (state = 'held' OR (state = 'waiting' AND lease IS NULL))";

    pub static DELIVERY = "SELECT id, workflow_id, event_id, kind, url, state, tries, tries_made, created_at, due_at, \
             finished_at FROM outbox WHERE company_id = $1 AND id = $2";


    /// A page of the company's mails and text messages, newest first, each with its last try.
    pub static MESSAGES = "SELECT o.id, o.workflow_id, o.kind, o.body, o.state, o.created_at, o.finished_at, \
             t.code, t.fault, t.answer \
         FROM outbox AS o LEFT JOIN delivery_try AS t ON t.delivery_id = o.id AND t.number = o.tries_made \
         WHERE o.company_id = $1 AND o.kind <> 'webhook' AND o.id < $2 \
         ORDER BY o.id DESC LIMIT $3";

    /// Like [`MESSAGES`], but only messages that were given up.
    pub static FAILED_MESSAGES = "SELECT o.id, o.workflow_id, o.kind, o.body, o.state, o.created_at, o.finished_at, \
             t.code, t.fault, t.answer \
         FROM outbox AS o LEFT JOIN delivery_try AS t ON t.delivery_id = o.id AND t.number = o.tries_made \
         WHERE o.company_id = $1 AND o.state = 'dead' AND o.kind <> 'webhook' AND o.id < $2 \
         ORDER BY o.id DESC LIMIT $3";

    /// The number of messages that were given up, counted up to a limit.
    pub static COUNT_FAILED_MESSAGES = "SELECT COUNT(*) AS messages FROM (SELECT 1 FROM outbox \
         WHERE company_id = $1 AND state = 'dead' AND kind <> 'webhook' LIMIT $2) AS failed";

    /// The number of mails and text messages given up recently, by company.
    pub static UNDELIVERED_SINCE = "SELECT company_id, COUNT(*) AS messages FROM outbox \
         WHERE state = 'dead' AND kind <> 'webhook' AND finished_at >= $1 GROUP BY company_id ORDER BY company_id";

    /// The mails and text messages of one workflow, oldest first, each with its last try.
    pub static MESSAGES_OF_WORKFLOW = "SELECT o.id, o.workflow_id, o.kind, o.body, o.state, o.created_at, o.finished_at, \
             t.code, t.fault, t.answer \
         FROM outbox AS o LEFT JOIN delivery_try AS t ON t.delivery_id = o.id AND t.number = o.tries_made \
         WHERE o.company_id = $1 AND o.kind IN ('mail', 'message') AND o.workflow_id = $2 ORDER BY o.id LIMIT $3";

    /// One mail or text message of the company with its last try.
    pub static MESSAGE = "SELECT o.id, o.workflow_id, o.kind, o.body, o.state, o.created_at, o.finished_at, \
             t.code, t.fault, t.answer \
         FROM outbox AS o LEFT JOIN delivery_try AS t ON t.delivery_id = o.id AND t.number = o.tries_made \
         WHERE o.company_id = $1 AND o.kind IN ('mail', 'message') AND o.id = $2";
}
