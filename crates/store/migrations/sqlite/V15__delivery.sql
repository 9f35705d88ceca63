-- A member can pause an endpoint, which need not have failed: SQLite cannot change a check, so the table is made anew.
CREATE TABLE endpoint_new (
    company_id TEXT NOT NULL REFERENCES company (id),
    url TEXT NOT NULL,
    -- NULL: it was paused while it did not fail.
    failing_since INTEGER,
    stopped_at INTEGER,
    stopped_reason TEXT CHECK (stopped_reason IN ('gone', 'failing', 'paused')),
    holds INTEGER NOT NULL DEFAULT 0,
    CHECK ((stopped_at IS NULL) = (stopped_reason IS NULL)),
    CHECK (failing_since IS NOT NULL OR stopped_reason = 'paused'),
    PRIMARY KEY (company_id, url)
) STRICT, WITHOUT ROWID;
INSERT INTO endpoint_new (company_id, url, failing_since, stopped_at, stopped_reason, holds)
    SELECT company_id, url, failing_since, stopped_at, stopped_reason, holds FROM endpoint;
DROP TABLE endpoint;
ALTER TABLE endpoint_new RENAME TO endpoint;
