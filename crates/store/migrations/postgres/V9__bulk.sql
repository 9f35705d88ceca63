-- Many starts at once: what was accepted, and how far each row of it is.
CREATE SEQUENCE IF NOT EXISTS bulk_start_id MAXVALUE 9007199254740991;
CREATE TABLE IF NOT EXISTS bulk_start (
    id BIGINT PRIMARY KEY DEFAULT nextval('bulk_start_id'),
    company_id TEXT NOT NULL REFERENCES company (id),
    member_id BIGINT NOT NULL,
    template_id BIGINT NOT NULL,
    -- Where the request came from, as JSON.
    origin TEXT NOT NULL,
    total BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    cancelled_at BIGINT,
    finished_at BIGINT
);

CREATE INDEX IF NOT EXISTS bulk_start_running ON bulk_start (id) WHERE finished_at IS NULL;
CREATE INDEX IF NOT EXISTS bulk_start_company ON bulk_start (company_id, id);

CREATE TABLE IF NOT EXISTS bulk_row (
    bulk_id BIGINT NOT NULL REFERENCES bulk_start (id) ON DELETE CASCADE,
    -- As the sender counts them.
    number BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'started', 'failed', 'cancelled')),
    -- The start, encrypted; gone once it is decided what becomes of it.
    request BYTEA,
    -- How often it could not be decided.
    tries BIGINT NOT NULL DEFAULT 0,
    workflow_id BIGINT,
    -- Why it failed, as JSON.
    faults TEXT,
    CHECK ((state = 'waiting') = (request IS NOT NULL)),
    CHECK ((state = 'started') = (workflow_id IS NOT NULL)),
    PRIMARY KEY (bulk_id, number)
);

CREATE INDEX IF NOT EXISTS bulk_row_waiting ON bulk_row (bulk_id, number) WHERE state = 'waiting';
