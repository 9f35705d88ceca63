-- Workflows: the document on its way, its writers, what they wrote, and the proof of it.

CREATE SEQUENCE workflow_id;

CREATE TABLE workflow (
    id BIGINT PRIMARY KEY DEFAULT nextval('workflow_id'),
    company_id TEXT NOT NULL,
    name TEXT NOT NULL,
    template_id BIGINT NOT NULL,
    template_version BIGINT NOT NULL,
    on_reject TEXT NOT NULL CHECK (on_reject IN ('end', 'return')),
    language TEXT NOT NULL CHECK (language IN ('ko', 'en', 'ja')),
    offset_seconds BIGINT NOT NULL,
    sender_id BIGINT NOT NULL,
    client_id TEXT NOT NULL,
    comment TEXT,
    -- [{name, email}]: who is told at the end besides the writers.
    cc_list TEXT NOT NULL,
    -- export_api_info without its authorization value, which is encrypted beside it.
    export_settings TEXT,
    export_authorization BYTEA,
    is_embedded BOOLEAN NOT NULL,
    started_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('Playing', 'Complete', 'Rejected', 'Canceled', 'Expired')),
    -- The step under way, or the one that was under way when it ended.
    turn BIGINT NOT NULL CHECK (turn >= 1),
    ended_at BIGINT CHECK ((ended_at IS NULL) = (status = 'Playing')),
    -- The writer who rejected.
    ended_by BIGINT,
    -- The last words: of the writer who rejected, or of whoever cancelled.
    end_comment TEXT,
    first_step_reported BOOLEAN NOT NULL,
    -- The chain's head, so that appending needs no search for it.
    chain_sequence BIGINT NOT NULL,
    chain_hash BYTEA NOT NULL,
    -- Raising it makes every link to the finished files dead.
    link_version BIGINT NOT NULL,
    discarded_at BIGINT,
    revision BIGINT NOT NULL,
    UNIQUE (company_id, id),
    FOREIGN KEY (company_id, template_id, template_version) REFERENCES template_version (company_id, template_id, version),
    FOREIGN KEY (company_id, sender_id) REFERENCES member (company_id, id),
    FOREIGN KEY (company_id, client_id) REFERENCES api_client (company_id, id)
);

CREATE INDEX workflow_by_status ON workflow (company_id, status, id);

CREATE INDEX workflow_by_template ON workflow (company_id, template_id, id);

CREATE INDEX workflow_under_way_by_expiry ON workflow (expires_at) WHERE status = 'Playing';

CREATE SEQUENCE recipient_id;

CREATE TABLE recipient (
    id BIGINT PRIMARY KEY DEFAULT nextval('recipient_id'),
    company_id TEXT NOT NULL,
    workflow_id BIGINT NOT NULL,
    step_order BIGINT NOT NULL CHECK (step_order >= 1),
    place BIGINT NOT NULL CHECK (place >= 1),
    role TEXT,
    name TEXT NOT NULL,
    -- E-mail address or telephone number as given; the number in its international form beside it.
    contact TEXT NOT NULL,
    phone TEXT,
    -- By which the same person is found in another spelling: the address in lower case, or the international number.
    contact_key TEXT NOT NULL,
    mobile TEXT,
    language TEXT CHECK (language IN ('ko', 'en', 'ja')),
    link_version BIGINT NOT NULL,
    progress TEXT NOT NULL CHECK (progress IN ('waiting', 'approved', 'rejected')),
    progressed_at BIGINT CHECK ((progressed_at IS NULL) = (progress = 'waiting')),
    -- The words that came with his approval or rejection.
    comment TEXT,
    -- An authentication code of the access code, bound to the recipient's salt.
    access_salt BYTEA,
    access_code BYTEA,
    access_hint TEXT,
    access_failures BIGINT NOT NULL,
    access_at BIGINT,
    viewed_at BIGINT,
    consented_at BIGINT,
    UNIQUE (workflow_id, step_order, place),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
);

-- The next document for the same writer.
CREATE INDEX recipient_by_contact ON recipient (company_id, contact_key) WHERE progress = 'waiting';

CREATE TABLE field_value (
    workflow_id BIGINT NOT NULL,
    company_id TEXT NOT NULL,
    field_name TEXT NOT NULL,
    -- The writer who wrote it; NULL where the sender gave it.
    recipient_id BIGINT REFERENCES recipient (id),
    -- The value, typed, as JSON.
    value TEXT NOT NULL,
    -- As it goes out, for searches; the number is a hash of it, short enough for every index.
    wire TEXT NOT NULL,
    wire_hash BIGINT NOT NULL,
    -- What the chain's hash of the value was made with.
    salt BYTEA NOT NULL,
    written_at BIGINT NOT NULL,
    PRIMARY KEY (workflow_id, field_name),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
);

CREATE INDEX field_value_by_value ON field_value (company_id, field_name, wire_hash);

-- What a writer has filled in and not approved yet: a lost connection loses nothing.
CREATE TABLE draft (
    recipient_id BIGINT PRIMARY KEY REFERENCES recipient (id),
    company_id TEXT NOT NULL,
    -- {field: value}, typed.
    field_values TEXT NOT NULL,
    written_at BIGINT NOT NULL
);

CREATE TABLE audit_entry (
    workflow_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL CHECK (sequence >= 1),
    company_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    payload TEXT NOT NULL,
    previous BYTEA NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (workflow_id, sequence),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
);

CREATE TABLE sealed_document (
    workflow_id BIGINT PRIMARY KEY,
    company_id TEXT NOT NULL,
    document_hash BYTEA NOT NULL,
    document_length BIGINT NOT NULL,
    certificate_hash BYTEA NOT NULL,
    certificate_length BIGINT NOT NULL,
    sealed_at BIGINT NOT NULL,
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
);

-- Which files a workflow needs; a file that nothing needs is swept.
CREATE TABLE blob_reference (
    hash BYTEA NOT NULL,
    workflow_id BIGINT NOT NULL,
    company_id TEXT NOT NULL,
    PRIMARY KEY (hash, workflow_id),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
);

CREATE TABLE idempotency_key (
    company_id TEXT NOT NULL,
    key TEXT NOT NULL,
    -- SHA-256 of the request.
    request_hash BYTEA NOT NULL,
    -- The first call's answer, encrypted: it holds links.
    answer BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (company_id, key)
);

CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);

-- What a start would send: for the page that shows it, until it has had its day.
CREATE SEQUENCE preview_id;

CREATE TABLE preview (
    id BIGINT PRIMARY KEY DEFAULT nextval('preview_id'),
    company_id TEXT NOT NULL REFERENCES company (id),
    content TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX preview_by_end ON preview (expires_at);
