-- A member can pause an endpoint, which need not have failed.
ALTER TABLE endpoint ALTER COLUMN failing_since DROP NOT NULL;
ALTER TABLE endpoint DROP CONSTRAINT endpoint_stopped_reason_check;
ALTER TABLE endpoint ADD CONSTRAINT endpoint_stopped_reason_check CHECK (stopped_reason IN ('gone', 'failing', 'paused'));
ALTER TABLE endpoint ADD CONSTRAINT endpoint_failing_check CHECK (failing_since IS NOT NULL OR stopped_reason = 'paused');
