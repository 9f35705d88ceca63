-- Many starts at once: what was accepted, and how far each row of it is.
CREATE TABLE bulk_start (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    member_id INTEGER NOT NULL,
    template_id INTEGER NOT NULL,
    -- Where the request came from, as JSON.
    origin TEXT NOT NULL,
    total INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    cancelled_at INTEGER,
    finished_at INTEGER
) STRICT;

CREATE INDEX bulk_start_running ON bulk_start (id) WHERE finished_at IS NULL;
CREATE INDEX bulk_start_company ON bulk_start (company_id, id);

CREATE TABLE bulk_row (
    bulk_id INTEGER NOT NULL REFERENCES bulk_start (id) ON DELETE CASCADE,
    -- As the sender counts them.
    number INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'started', 'failed', 'cancelled')),
    -- The start, encrypted; gone once it is decided what becomes of it.
    request BLOB,
    -- How often it could not be decided.
    tries INTEGER NOT NULL DEFAULT 0,
    workflow_id INTEGER,
    -- Why it failed, as JSON.
    faults TEXT,
    CHECK ((state = 'waiting') = (request IS NOT NULL)),
    CHECK ((state = 'started') = (workflow_id IS NOT NULL)),
    PRIMARY KEY (bulk_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX bulk_row_waiting ON bulk_row (bulk_id, number) WHERE state = 'waiting';
