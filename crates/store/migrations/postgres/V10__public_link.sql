-- Links that start a workflow for whoever opens them.
CREATE SEQUENCE IF NOT EXISTS public_link_id MAXVALUE 9007199254740991;
CREATE TABLE IF NOT EXISTS public_link (
    id BIGINT PRIMARY KEY DEFAULT nextval('public_link_id'),
    company_id TEXT NOT NULL REFERENCES company (id),
    member_id BIGINT NOT NULL,
    template_id BIGINT NOT NULL,
    workflow_name TEXT NOT NULL,
    language TEXT NOT NULL CHECK (language IN ('ko', 'en', 'ja')),
    -- The start without its first writer, encrypted.
    request BYTEA NOT NULL,
    most BIGINT,
    used BIGINT NOT NULL DEFAULT 0,
    until BIGINT,
    -- Whether one person may use it once only.
    once BOOLEAN NOT NULL,
    is_embed BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    closed_at BIGINT,
    CHECK (most IS NULL OR used <= most)
);

CREATE INDEX IF NOT EXISTS public_link_company ON public_link (company_id, id);

CREATE TABLE IF NOT EXISTS public_link_use (
    link_id BIGINT NOT NULL REFERENCES public_link (id),
    number BIGINT NOT NULL,
    -- What the address is known by, where each may use the link once.
    person TEXT,
    workflow_id BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (link_id, number),
    UNIQUE (link_id, person)
);
