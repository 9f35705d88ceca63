-- Links that start a workflow for whoever opens them.
CREATE TABLE public_link (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL REFERENCES company (id),
    member_id INTEGER NOT NULL,
    template_id INTEGER NOT NULL,
    workflow_name TEXT NOT NULL,
    language TEXT NOT NULL CHECK (language IN ('ko', 'en', 'ja')),
    -- The start without its first writer, encrypted.
    request BLOB NOT NULL,
    most INTEGER,
    used INTEGER NOT NULL DEFAULT 0,
    until INTEGER,
    -- Whether one person may use it once only.
    once INTEGER NOT NULL CHECK (once IN (0, 1)),
    is_embed INTEGER NOT NULL CHECK (is_embed IN (0, 1)),
    created_at INTEGER NOT NULL,
    closed_at INTEGER,
    CHECK (most IS NULL OR used <= most)
) STRICT;

CREATE INDEX public_link_company ON public_link (company_id, id);

CREATE TABLE public_link_use (
    link_id INTEGER NOT NULL REFERENCES public_link (id),
    number INTEGER NOT NULL,
    -- What the address is known by, where each may use the link once.
    person TEXT,
    workflow_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (link_id, number),
    UNIQUE (link_id, person)
) STRICT;
