-- Who may do what: companies, their members, programs and keys; what lets them in; and templates.
-- Every table of a tenant carries the company, and every foreign key is held to it, so that a row can never point into
-- another company.

CREATE TABLE company (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    language TEXT NOT NULL CHECK (language IN ('ko', 'en', 'ja')),
    utc_offset BIGINT NOT NULL,
    region TEXT NOT NULL CHECK (region IN ('KR', 'JP', 'US')),
    api_enabled BOOLEAN NOT NULL,
    token_lifetime_seconds BIGINT NOT NULL CHECK (token_lifetime_seconds BETWEEN 60 AND 2592000),
    expiry_days BIGINT NOT NULL CHECK (expiry_days BETWEEN 1 AND 3650),
    link_days BIGINT NOT NULL CHECK (link_days BETWEEN 1 AND 3650),
    created_at BIGINT NOT NULL
);

-- What a company seals with. The private key is encrypted by the vault; the certificates are PEM, its own first.
CREATE SEQUENCE seal_key_id;
CREATE TABLE seal_key (
    id BIGINT NOT NULL DEFAULT nextval('seal_key_id') PRIMARY KEY,
    company_id TEXT NOT NULL REFERENCES company (id),
    private_key BYTEA NOT NULL,
    certificates TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    retired_at BIGINT
);

CREATE UNIQUE INDEX seal_key_in_use ON seal_key (company_id) WHERE retired_at IS NULL;

CREATE SEQUENCE member_id;
CREATE TABLE member (
    id BIGINT NOT NULL DEFAULT nextval('member_id') PRIMARY KEY,
    company_id TEXT NOT NULL REFERENCES company (id),
    email TEXT NOT NULL,
    email_key TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'sender', 'auditor')),
    password_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT,
    UNIQUE (company_id, email_key),
    UNIQUE (company_id, id)
);

-- Programs. The secret that their webhooks are signed with is encrypted by the vault; after a rotation the one before
-- signs as well until previous_until.
CREATE TABLE api_client (
    id TEXT NOT NULL PRIMARY KEY,
    company_id TEXT NOT NULL REFERENCES company (id),
    name TEXT NOT NULL,
    is_default BOOLEAN NOT NULL,
    secret BYTEA NOT NULL,
    previous_secret BYTEA,
    previous_until BIGINT,
    created_at BIGINT NOT NULL,
    UNIQUE (company_id, id)
);

CREATE UNIQUE INDEX api_client_default ON api_client (company_id) WHERE is_default;

-- Only the SHA-256 of a token is kept.
CREATE SEQUENCE access_token_id;
CREATE TABLE access_token (
    id BIGINT NOT NULL DEFAULT nextval('access_token_id') PRIMARY KEY,
    token_hash BYTEA NOT NULL UNIQUE,
    company_id TEXT NOT NULL,
    member_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT,
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
);

CREATE INDEX access_token_member ON access_token (company_id, member_id);
CREATE INDEX access_token_expires ON access_token (expires_at);

CREATE TABLE member_session (
    session_hash BYTEA NOT NULL PRIMARY KEY,
    company_id TEXT NOT NULL,
    member_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    FOREIGN KEY (company_id, member_id) REFERENCES member (company_id, id)
);

CREATE INDEX member_session_member ON member_session (company_id, member_id);
CREATE INDEX member_session_expires ON member_session (expires_at);

-- Wrong credentials, for the throttle. The account is a hash: what strangers type is not kept.
CREATE SEQUENCE login_failure_id;
CREATE TABLE login_failure (
    id BIGINT NOT NULL DEFAULT nextval('login_failure_id') PRIMARY KEY,
    account BYTEA NOT NULL,
    address TEXT NOT NULL,
    failed_at BIGINT NOT NULL
);

CREATE INDEX login_failure_account ON login_failure (account, failed_at);
CREATE INDEX login_failure_address ON login_failure (address, failed_at);
CREATE INDEX login_failure_time ON login_failure (failed_at);

CREATE SEQUENCE template_id;
CREATE TABLE template (
    id BIGINT NOT NULL DEFAULT nextval('template_id') PRIMARY KEY,
    company_id TEXT NOT NULL REFERENCES company (id),
    name TEXT NOT NULL,
    current_version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    archived_at BIGINT,
    UNIQUE (company_id, id)
);

-- A version never changes: a running workflow keeps the one it started with. The definition is JSON (pages, steps,
-- fields); pdf and original are SHA-256 of files, page_images a JSON list of such.
CREATE TABLE template_version (
    company_id TEXT NOT NULL,
    template_id BIGINT NOT NULL,
    version BIGINT NOT NULL CHECK (version >= 1),
    name TEXT NOT NULL,
    definition TEXT NOT NULL,
    pdf BYTEA NOT NULL,
    original BYTEA NOT NULL,
    page_images TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    PRIMARY KEY (company_id, template_id, version),
    FOREIGN KEY (company_id, template_id) REFERENCES template (company_id, id)
);

-- The installation's own: its root's key and certificate, the proof that the master key belongs to this database.
CREATE TABLE setting (
    name TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
