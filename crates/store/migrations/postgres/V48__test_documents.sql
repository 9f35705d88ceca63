-- Whether a client is for tests: its documents are, for life.
ALTER TABLE api_client ADD COLUMN is_test BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE workflow ADD COLUMN is_test BOOLEAN NOT NULL DEFAULT FALSE;
