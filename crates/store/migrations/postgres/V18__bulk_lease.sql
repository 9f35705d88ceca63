-- Which process starts the rows at present, and until when it may, so that no two prepare the same row.
ALTER TABLE bulk_start ADD COLUMN IF NOT EXISTS lease_owner TEXT;
ALTER TABLE bulk_start ADD COLUMN IF NOT EXISTS lease_until BIGINT NOT NULL DEFAULT 0;
