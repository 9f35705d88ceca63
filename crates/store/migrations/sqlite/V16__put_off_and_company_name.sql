-- What failed for our own reasons is put off, so that it stands in nobody's way and is not tried every few seconds.
-- Microseconds since 1970, as everywhere; 0: at once.

-- When a row of a bulk start is tried again, and when its bulk start goes on.
ALTER TABLE bulk_row ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE bulk_start ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;

-- When to look again at a workflow whose time has run out and which could not be ended.
ALTER TABLE workflow ADD COLUMN expiry_look INTEGER NOT NULL DEFAULT 0;

-- The company's name as the fields of a document's writers show it: the one that was proved to fit when it was sent.
-- NULL: none was kept; the present one.
ALTER TABLE workflow ADD COLUMN company_name TEXT;
UPDATE workflow SET company_name = (SELECT c.name FROM company AS c WHERE c.id = workflow.company_id)
    WHERE status = 'Playing' AND company_name IS NULL;
