-- A member can pause an endpoint, which need not have failed.
ALTER TABLE endpoint ALTER COLUMN failing_since DROP NOT NULL;
ALTER TABLE endpoint DROP CONSTRAINT endpoint_stopped_reason_check;
ALTER TABLE endpoint ADD CONSTRAINT endpoint_stopped_reason_check CHECK (stopped_reason IN ('gone', 'failing', 'paused'));
ALTER TABLE endpoint ADD CONSTRAINT endpoint_failing_check CHECK (failing_since IS NOT NULL OR stopped_reason = 'paused');

-- A first try waits for the earlier ones of its workflow: these few are found among all that wait for another try.
CREATE INDEX IF NOT EXISTS outbox_first_try ON outbox (workflow_id, id)
    WHERE state = 'waiting' AND kind = 'webhook' AND NOT first_try_done;
