-- A code that is sent to the writer's own address, which he must give before he sees the document.
ALTER TABLE recipient ADD COLUMN asks_one_time_code BOOLEAN NOT NULL DEFAULT FALSE;
-- The newest: an authentication code of it, bound to its salt; when it was sent and first right; wrong tries of it.
ALTER TABLE recipient ADD COLUMN one_time_salt BYTEA;
ALTER TABLE recipient ADD COLUMN one_time_code BYTEA;
ALTER TABLE recipient ADD COLUMN one_time_sent_at BIGINT;
ALTER TABLE recipient ADD COLUMN one_time_used_at BIGINT;
ALTER TABLE recipient ADD COLUMN one_time_failures BIGINT NOT NULL DEFAULT 0;
