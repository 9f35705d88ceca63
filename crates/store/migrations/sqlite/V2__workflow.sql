-- Workflows: the document on its way, its writers, what they wrote, and the proof of it.

CREATE TABLE workflow (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL,
    name TEXT NOT NULL,
    template_id INTEGER NOT NULL,
    template_version INTEGER NOT NULL,
    on_reject TEXT NOT NULL CHECK (on_reject IN ('end', 'return')),
    language TEXT NOT NULL CHECK (language IN ('ko', 'en', 'ja')),
    offset_seconds INTEGER NOT NULL,
    sender_id INTEGER NOT NULL,
    client_id TEXT NOT NULL,
    comment TEXT,
    -- [{name, email}]: who is told at the end besides the writers.
    cc_list TEXT NOT NULL,
    -- export_api_info without its authorization value, which is encrypted beside it.
    export_settings TEXT,
    export_authorization BLOB,
    is_embedded INTEGER NOT NULL CHECK (is_embedded IN (0, 1)),
    started_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('Playing', 'Complete', 'Rejected', 'Canceled', 'Expired')),
    -- The step under way, or the one that was under way when it ended.
    turn INTEGER NOT NULL CHECK (turn >= 1),
    ended_at INTEGER CHECK ((ended_at IS NULL) = (status = 'Playing')),
    -- The writer who rejected.
    ended_by INTEGER,
    -- The last words: of the writer who rejected, or of whoever cancelled.
    end_comment TEXT,
    first_step_reported INTEGER NOT NULL CHECK (first_step_reported IN (0, 1)),
    -- The chain's head, so that appending needs no search for it.
    chain_sequence INTEGER NOT NULL,
    chain_hash BLOB NOT NULL,
    -- Raising it makes every link to the finished files dead.
    link_version INTEGER NOT NULL,
    discarded_at INTEGER,
    revision INTEGER NOT NULL,
    UNIQUE (company_id, id),
    FOREIGN KEY (company_id, template_id, template_version) REFERENCES template_version (company_id, template_id, version),
    FOREIGN KEY (company_id, sender_id) REFERENCES member (company_id, id),
    FOREIGN KEY (company_id, client_id) REFERENCES api_client (company_id, id)
) STRICT;

CREATE INDEX workflow_by_status ON workflow (company_id, status, id);

CREATE INDEX workflow_by_template ON workflow (company_id, template_id, id);

CREATE INDEX workflow_under_way_by_expiry ON workflow (expires_at) WHERE status = 'Playing';

CREATE TABLE recipient (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL,
    workflow_id INTEGER NOT NULL,
    step_order INTEGER NOT NULL CHECK (step_order >= 1),
    place INTEGER NOT NULL CHECK (place >= 1),
    role TEXT,
    name TEXT NOT NULL,
    -- E-mail address or telephone number as given; the number in its international form beside it.
    contact TEXT NOT NULL,
    phone TEXT,
    -- By which the same person is found in another spelling: the address in lower case, or the international number.
    contact_key TEXT NOT NULL,
    mobile TEXT,
    language TEXT CHECK (language IN ('ko', 'en', 'ja')),
    link_version INTEGER NOT NULL,
    progress TEXT NOT NULL CHECK (progress IN ('waiting', 'approved', 'rejected')),
    progressed_at INTEGER CHECK ((progressed_at IS NULL) = (progress = 'waiting')),
    -- The words that came with his approval or rejection.
    comment TEXT,
    -- An authentication code of the access code, bound to the recipient's salt.
    access_salt BLOB,
    access_code BLOB,
    access_hint TEXT,
    access_failures INTEGER NOT NULL,
    access_at INTEGER,
    viewed_at INTEGER,
    consented_at INTEGER,
    UNIQUE (workflow_id, step_order, place),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
) STRICT;

-- The next document for the same writer.
CREATE INDEX recipient_by_contact ON recipient (company_id, contact_key) WHERE progress = 'waiting';

CREATE TABLE field_value (
    workflow_id INTEGER NOT NULL,
    company_id TEXT NOT NULL,
    field_name TEXT NOT NULL,
    -- The writer who wrote it; NULL where the sender gave it.
    recipient_id INTEGER REFERENCES recipient (id),
    -- The value, typed, as JSON.
    value TEXT NOT NULL,
    -- As it goes out, for searches; the number is a hash of it, short enough for every index.
    wire TEXT NOT NULL,
    wire_hash INTEGER NOT NULL,
    -- What the chain's hash of the value was made with.
    salt BLOB NOT NULL,
    written_at INTEGER NOT NULL,
    PRIMARY KEY (workflow_id, field_name),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
) STRICT;

CREATE INDEX field_value_by_value ON field_value (company_id, field_name, wire_hash);

-- What a writer has filled in and not approved yet: a lost connection loses nothing.
CREATE TABLE draft (
    recipient_id INTEGER PRIMARY KEY REFERENCES recipient (id),
    company_id TEXT NOT NULL,
    -- {field: value}, typed.
    field_values TEXT NOT NULL,
    written_at INTEGER NOT NULL
) STRICT;

CREATE TABLE audit_entry (
    workflow_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence >= 1),
    company_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    payload TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (workflow_id, sequence),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
) STRICT;

CREATE TABLE sealed_document (
    workflow_id INTEGER PRIMARY KEY,
    company_id TEXT NOT NULL,
    document_hash BLOB NOT NULL,
    document_length INTEGER NOT NULL,
    certificate_hash BLOB NOT NULL,
    certificate_length INTEGER NOT NULL,
    sealed_at INTEGER NOT NULL,
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
) STRICT;

-- Which files a workflow needs; a file that nothing needs is swept.
CREATE TABLE blob_reference (
    hash BLOB NOT NULL,
    workflow_id INTEGER NOT NULL,
    company_id TEXT NOT NULL,
    PRIMARY KEY (hash, workflow_id),
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
) STRICT;

CREATE TABLE idempotency_key (
    company_id TEXT NOT NULL,
    key TEXT NOT NULL,
    -- SHA-256 of the request.
    request_hash BLOB NOT NULL,
    -- The first call's answer, encrypted: it holds links.
    answer BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (company_id, key)
) STRICT;

CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);

-- What a start would send: for the page that shows it, until it has had its day.
CREATE TABLE preview (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX preview_by_end ON preview (expires_at);
