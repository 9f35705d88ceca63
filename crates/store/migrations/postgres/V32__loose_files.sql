-- Files in the file store that no row needs yet, or no longer needs. A file is written here before it is put into the file store,
-- under a claim; the transaction that writes the row that needs it removes it again. What stays here is removed from the file store.
CREATE TABLE loose_file (
    company_id TEXT NOT NULL REFERENCES company (id),
    -- Who may still come to need the file. 0: nobody.
    claim BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    -- Some time after this moment the file is removed, unless something else needs it.
    since BIGINT NOT NULL,
    PRIMARY KEY (company_id, claim, hash)
);

CREATE INDEX loose_file_by_hash ON loose_file (hash);
CREATE INDEX loose_file_by_age ON loose_file (since);

-- Until now these were uploads of nobody's.
INSERT INTO loose_file (company_id, claim, hash, since)
SELECT company_id, 0, hash, MAX(COALESCE(loose_since, 0)) FROM upload WHERE recipient_id IS NULL
GROUP BY company_id, hash;

-- A preview needs its files until it expires.
INSERT INTO loose_file (company_id, claim, hash, since)
SELECT DISTINCT p.company_id, -p.id, decode(f.value -> 'value' ->> 'hash', 'hex'), p.expires_at
FROM preview p
CROSS JOIN LATERAL json_each(COALESCE(CAST(p.content AS JSON) -> 'values', '{}')) AS f (key, value)
WHERE f.value ->> 'type' = 'file';

-- Uploads are a recipient's, and each file of theirs is one row.
DELETE FROM upload WHERE recipient_id IS NULL;
ALTER TABLE upload DROP CONSTRAINT upload_recipient_id_hash_key;
ALTER TABLE upload DROP COLUMN id;
ALTER TABLE upload ADD PRIMARY KEY (recipient_id, hash);
ALTER TABLE upload ADD FOREIGN KEY (company_id) REFERENCES company (id);

-- A template's file belongs to a version that exists.
DELETE FROM template_file f WHERE NOT EXISTS (SELECT 1 FROM template_version v
    WHERE v.company_id = f.company_id AND v.template_id = f.template_id AND v.version = f.version);
ALTER TABLE template_file ADD FOREIGN KEY (company_id, template_id, version)
    REFERENCES template_version (company_id, template_id, version);

DROP INDEX template_file_by_template;
CREATE INDEX template_file_by_template ON template_file (company_id, template_id, version);
