-- What is to be told to the world outside: one row a webhook, mail or message.
--
-- `due_at` is the moment from which the row may be claimed. A claim moves it to the end of the lease, so a row whose
-- worker died becomes due again by itself, and leased rows are outside the range that a claim looks at.
CREATE SEQUENCE outbox_id MAXVALUE 9007199254740991;
CREATE TABLE outbox (
    id BIGINT PRIMARY KEY DEFAULT nextval('outbox_id'),
    company_id TEXT NOT NULL REFERENCES company (id),
    -- No reference: what was sent is history, and outlives a workflow that is removed some day.
    workflow_id BIGINT,
    event_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('webhook', 'mail', 'message')),
    -- Host and port, or the name of a channel: what the limit per receiver counts.
    receiver TEXT NOT NULL,
    url TEXT,
    client_id TEXT,
    authorization_header BYTEA,
    body BYTEA NOT NULL,
    -- 'held': the endpoint was stopped. 'kept': nowhere to send it to, the outbox page shows it.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'held', 'delivered', 'dead', 'kept')),
    -- In this round; a resend begins a new one.
    tries BIGINT NOT NULL DEFAULT 0,
    -- In all rounds.
    tries_made BIGINT NOT NULL DEFAULT 0,
    first_try_done BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    lease TEXT,
    lease_owner TEXT,
    finished_at BIGINT,
    -- Whether the workflow's chain tells of the delivery.
    noted BOOLEAN NOT NULL DEFAULT FALSE,
    CHECK (kind <> 'webhook' OR (url IS NOT NULL AND client_id IS NOT NULL)),
    CHECK ((lease IS NULL) = (lease_owner IS NULL)),
    CHECK (state = 'waiting' OR lease IS NULL)
);

CREATE INDEX outbox_due ON outbox (due_at, id) WHERE state = 'waiting';
CREATE INDEX outbox_to_note ON outbox (finished_at)
    WHERE state = 'delivered' AND NOT noted AND workflow_id IS NOT NULL;
CREATE INDEX outbox_endpoint ON outbox (company_id, url) WHERE finished_at IS NULL;
CREATE INDEX outbox_lease_owner ON outbox (lease_owner) WHERE lease_owner IS NOT NULL;
CREATE INDEX outbox_company ON outbox (company_id, id);
CREATE INDEX outbox_workflow ON outbox (workflow_id, id) WHERE workflow_id IS NOT NULL;

-- One row for each time that a delivery was tried.
CREATE TABLE delivery_try (
    delivery_id BIGINT NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    duration BIGINT NOT NULL,
    -- The HTTP status, or the code of the mail server; NULL where no answer came.
    code BIGINT,
    -- What went wrong where it was not the answer; NULL on success.
    fault TEXT,
    answer TEXT NOT NULL,
    PRIMARY KEY (delivery_id, number)
);

-- A company and a URL. There is a row where something has failed since the last success.
CREATE TABLE endpoint (
    company_id TEXT NOT NULL REFERENCES company (id),
    url TEXT NOT NULL,
    failing_since BIGINT NOT NULL,
    stopped_at BIGINT,
    stopped_reason TEXT CHECK (stopped_reason IN ('gone', 'failing')),
    CHECK ((stopped_at IS NULL) = (stopped_reason IS NULL)),
    PRIMARY KEY (company_id, url)
);
