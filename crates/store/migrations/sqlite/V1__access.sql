-- Who may do what: companies, their members, programs and keys; what lets them in; and templates.
-- Every table of a tenant carries the company, and every foreign key is held to it, so that a row can never point into
-- another company.

CREATE TABLE company (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    language TEXT NOT NULL CHECK (language IN ('ko', 'en', 'ja')),
    utc_offset INTEGER NOT NULL,
    region TEXT NOT NULL CHECK (region IN ('KR', 'JP', 'US')),
    api_enabled INTEGER NOT NULL CHECK (api_enabled IN (0, 1)),
    token_lifetime_seconds INTEGER NOT NULL CHECK (token_lifetime_seconds BETWEEN 60 AND 2592000),
    expiry_days INTEGER NOT NULL CHECK (expiry_days BETWEEN 1 AND 3650),
    link_days INTEGER NOT NULL CHECK (link_days BETWEEN 1 AND 3650),
    created_at INTEGER NOT NULL
) STRICT;

-- What a company seals with. The private key is encrypted by the vault; the certificates are PEM, its own first.
CREATE TABLE seal_key (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    private_key BLOB NOT NULL,
    certificates TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    retired_at INTEGER
) STRICT;

CREATE UNIQUE INDEX seal_key_in_use ON seal_key (company_id) WHERE retired_at IS NULL;

CREATE TABLE member (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'sender', 'auditor')),
    password_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    UNIQUE (company_id, email_key),
    UNIQUE (company_id, id)
) STRICT;

-- Programs. The secret that their webhooks are signed with is encrypted by the vault; after a rotation the one before
-- signs as well until previous_until.
CREATE TABLE api_client (
    id TEXT NOT NULL PRIMARY KEY,
    company_id TEXT NOT NULL REFERENCES company (id),
    name TEXT NOT NULL,
    is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    secret BLOB NOT NULL,
    previous_secret BLOB,
    previous_until INTEGER,
    created_at INTEGER NOT NULL,
    UNIQUE (company_id, id)
) STRICT;

CREATE UNIQUE INDEX api_client_default ON api_client (company_id) WHERE is_default;

-- Only the SHA-256 of a token is kept.
CREATE TABLE access_token (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token_hash BLOB NOT NULL UNIQUE,
    company_id TEXT NOT NULL,
    member_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
) STRICT;

CREATE INDEX access_token_member ON access_token (company_id, member_id);
CREATE INDEX access_token_expires ON access_token (expires_at);

CREATE TABLE member_session (
    session_hash BLOB NOT NULL PRIMARY KEY,
    company_id TEXT NOT NULL,
    member_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
) STRICT;

CREATE INDEX member_session_member ON member_session (company_id, member_id);
CREATE INDEX member_session_expires ON member_session (expires_at);

-- Wrong credentials, for the throttle. The account is a hash: what strangers type is not kept.
CREATE TABLE login_failure (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account BLOB NOT NULL,
    address TEXT NOT NULL,
    failed_at INTEGER NOT NULL
) STRICT;

CREATE INDEX login_failure_account ON login_failure (account, failed_at);
CREATE INDEX login_failure_address ON login_failure (address, failed_at);
CREATE INDEX login_failure_time ON login_failure (failed_at);

CREATE TABLE template (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    name TEXT NOT NULL,
    current_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    archived_at INTEGER,
    UNIQUE (company_id, id)
) STRICT;

-- A version never changes: a running workflow keeps the one it started with. The definition is JSON (pages, steps,
-- fields); pdf and original are SHA-256 of files, page_images a JSON list of such.
CREATE TABLE template_version (
    company_id TEXT NOT NULL,
    template_id INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    pdf BLOB NOT NULL,
    original BLOB NOT NULL,
    page_images TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    PRIMARY KEY (company_id, template_id, version),
    FOREIGN KEY (company_id, template_id) REFERENCES template (company_id, id)
) STRICT;

-- The installation's own: its root's key and certificate, the proof that the master key belongs to this database.
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT;
