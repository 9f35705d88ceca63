-- The terms by which documents are found, as `domain::search` cuts them: each at its place, without a parser of PostgreSQL. A job
-- fills them in (docs/adr/0044). The company is a term, too.
CREATE TABLE search_entry (
    workflow_id BIGINT PRIMARY KEY,
    company_id TEXT NOT NULL,
    terms TSVECTOR NOT NULL,
    FOREIGN KEY (company_id, workflow_id) REFERENCES workflow (company_id, id)
);

-- Without a list of pending rows, which every search would have to read.
CREATE INDEX search_entry_by_terms ON search_entry USING gin (terms) WITH (fastupdate = off);

-- The revision whose texts can be found. A new document, and each one of before, waits for the job.
ALTER TABLE workflow ADD COLUMN indexed_revision BIGINT NOT NULL DEFAULT -1;

CREATE INDEX workflow_to_index ON workflow (id) WHERE indexed_revision <> revision;
