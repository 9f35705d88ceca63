-- The terms by which documents are found, as `domain::search` cuts them, with blanks between them. The tokenizer cuts nothing
-- more: terms consist of letters and digits, and those beyond ASCII are never cut; '-' and '_' are in companies' ids. A job
-- fills them in (docs/adr/0044). The company is a term, too. The row's id is the workflow's.
CREATE VIRTUAL TABLE search_entry USING fts5 (terms, tokenize = "ascii tokenchars '-_'");

-- Deleted terms are overwritten.
INSERT INTO search_entry (search_entry, rank) VALUES ('secure-delete', 1);

-- The revision whose texts can be found. A new document, and each one of before, waits for the job.
ALTER TABLE workflow ADD COLUMN indexed_revision INTEGER NOT NULL DEFAULT -1;

CREATE INDEX workflow_to_index ON workflow (id) WHERE indexed_revision <> revision;
