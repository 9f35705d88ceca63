-- Since when the links to a workflow's files and the sender's view are revoked, and when they were last renewed. Microseconds
-- since 1970; NULL: they are not, they never were.
ALTER TABLE workflow ADD COLUMN links_revoked_at INTEGER;
ALTER TABLE workflow ADD COLUMN links_renewed_at INTEGER;

-- Discarding a workflow revokes its links. It did not do so before.
UPDATE workflow SET links_revoked_at = discarded_at WHERE discarded_at IS NOT NULL;
