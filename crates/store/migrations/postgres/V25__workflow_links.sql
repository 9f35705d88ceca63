-- Since when the links to a workflow's files and the sender's view are revoked, and when they were last renewed. Microseconds
-- since 1970; NULL: they are not, they never were.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS links_revoked_at BIGINT;
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS links_renewed_at BIGINT;

-- Discarding a workflow revokes its links. It did not do so before.
UPDATE workflow SET links_revoked_at = discarded_at WHERE discarded_at IS NOT NULL AND links_revoked_at IS NULL;
