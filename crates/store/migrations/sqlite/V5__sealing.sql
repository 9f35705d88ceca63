-- How strong documents are sealed, where a company chooses for itself; and when a sealed document needs its next timestamp.

ALTER TABLE company ADD COLUMN seal_level TEXT CHECK (seal_level IN ('B-B', 'B-T', 'B-LT', 'B-LTA'));
ALTER TABLE company ADD COLUMN tsa_url TEXT;
ALTER TABLE company ADD COLUMN when_tsa_is_down TEXT CHECK (when_tsa_is_down IN ('seal_and_upgrade', 'wait'));

-- A revoked key's certificate stands on the root's revocation list.
ALTER TABLE seal_key ADD COLUMN revoked_at INTEGER;
ALTER TABLE seal_key ADD COLUMN revocation_reason TEXT;

ALTER TABLE sealed_document ADD COLUMN timestamp_due INTEGER;
CREATE INDEX sealed_document_by_timestamp_due ON sealed_document (timestamp_due) WHERE timestamp_due IS NOT NULL;
