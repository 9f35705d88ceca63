-- What failed for our own reasons is put off, so that it stands in nobody's way and is not tried every few seconds.
-- Microseconds since 1970, as everywhere; 0: at once.

-- When a row of a bulk start is tried again, and when its bulk start goes on.
ALTER TABLE bulk_row ADD COLUMN IF NOT EXISTS due_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE bulk_start ADD COLUMN IF NOT EXISTS due_at BIGINT NOT NULL DEFAULT 0;

-- When to look again at a workflow whose time has run out and which could not be ended.
ALTER TABLE workflow ADD COLUMN IF NOT EXISTS expiry_look BIGINT NOT NULL DEFAULT 0;
