-- A code that is sent to the writer's own address, which he must give before he sees the document.
ALTER TABLE recipient ADD COLUMN asks_one_time_code INTEGER NOT NULL DEFAULT 0 CHECK (asks_one_time_code IN (0, 1));
-- The newest: an authentication code of it, bound to its salt; when it was sent and first right; wrong tries of it.
ALTER TABLE recipient ADD COLUMN one_time_salt BLOB;
ALTER TABLE recipient ADD COLUMN one_time_code BLOB;
ALTER TABLE recipient ADD COLUMN one_time_sent_at INTEGER;
ALTER TABLE recipient ADD COLUMN one_time_used_at INTEGER;
ALTER TABLE recipient ADD COLUMN one_time_failures INTEGER NOT NULL DEFAULT 0;
