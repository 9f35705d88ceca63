-- Rows that two transactions both write where each decides from what the other changes: one of them runs again then.

-- Raised by whoever takes away a member's way in, so that the last owner is counted by one at a time.
ALTER TABLE company ADD COLUMN members_revision BIGINT NOT NULL DEFAULT 0;

-- Raised with every new password and when the member is disabled. A token or session lets in only while it holds the
-- member's present version, so one that was issued past a change is dead from the start.
ALTER TABLE member ADD COLUMN credential_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE access_token ADD COLUMN credential_version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE member_session ADD COLUMN credential_version BIGINT NOT NULL DEFAULT 1;

-- Raised by whoever holds deliveries to a stopped endpoint back; switching it on removes the row.
ALTER TABLE endpoint ADD COLUMN holds BIGINT NOT NULL DEFAULT 0;

-- With the state: a stopped endpoint's few new deliveries are found among the many that are held.
DROP INDEX outbox_endpoint;
CREATE INDEX outbox_endpoint ON outbox (company_id, url, state) WHERE finished_at IS NULL;

-- One row a connection that writes: the number of its latest transaction, written with the transaction itself. Where a
-- connection breaks during a commit, the row tells whether it happened.
CREATE TABLE store_session (
    id TEXT NOT NULL PRIMARY KEY,
    transaction_number BIGINT NOT NULL,
    touched_at TIMESTAMPTZ NOT NULL
);
