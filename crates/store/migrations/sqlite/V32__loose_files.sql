-- Files in the file store that no row needs yet, or no longer needs. A file is written here before it is put into the file store,
-- under a claim; the transaction that writes the row that needs it removes it again. What stays here is removed from the file store.
CREATE TABLE loose_file (
    company_id TEXT NOT NULL REFERENCES company (id),
    -- Who may still come to need the file. 0: nobody.
    claim INTEGER NOT NULL,
    hash BLOB NOT NULL,
    -- Some time after this moment the file is removed, unless something else needs it.
    since INTEGER NOT NULL,
    PRIMARY KEY (company_id, claim, hash)
) STRICT;

CREATE INDEX loose_file_by_hash ON loose_file (hash);
CREATE INDEX loose_file_by_age ON loose_file (since);

-- Until now these were uploads of nobody's.
INSERT INTO loose_file (company_id, claim, hash, since)
SELECT company_id, 0, hash, MAX(COALESCE(loose_since, 0)) FROM upload WHERE recipient_id IS NULL
GROUP BY company_id, hash;

-- A preview needs its files until it expires.
INSERT INTO loose_file (company_id, claim, hash, since)
SELECT DISTINCT p.company_id, -p.id, unhex(json_extract(f.value, '$.value.hash')), p.expires_at
FROM preview p, json_each(p.content, '$.values') AS f WHERE json_extract(f.value, '$.type') = 'file';

-- Uploads are a recipient's, and each file of theirs is one row.
CREATE TABLE recipient_upload (
    recipient_id INTEGER NOT NULL REFERENCES recipient (id),
    hash BLOB NOT NULL,
    company_id TEXT NOT NULL REFERENCES company (id),
    length INTEGER NOT NULL,
    -- Since when no draft names it; none while one does.
    loose_since INTEGER,
    PRIMARY KEY (recipient_id, hash)
) STRICT;

INSERT INTO recipient_upload (recipient_id, hash, company_id, length, loose_since)
SELECT recipient_id, hash, company_id, length, loose_since FROM upload WHERE recipient_id IS NOT NULL;

DROP TABLE upload;
ALTER TABLE recipient_upload RENAME TO upload;

CREATE INDEX upload_by_hash ON upload (hash);
CREATE INDEX upload_by_age ON upload (loose_since) WHERE loose_since IS NOT NULL;

-- A template's file belongs to a version that exists.
CREATE TABLE file_of_version (
    hash BLOB NOT NULL,
    company_id TEXT NOT NULL,
    template_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (hash, company_id, template_id, version),
    FOREIGN KEY (company_id, template_id, version) REFERENCES template_version (company_id, template_id, version)
) STRICT;

INSERT INTO file_of_version (hash, company_id, template_id, version)
SELECT f.hash, f.company_id, f.template_id, f.version FROM template_file f
JOIN template_version v ON v.company_id = f.company_id AND v.template_id = f.template_id AND v.version = f.version;

DROP TABLE template_file;
ALTER TABLE file_of_version RENAME TO template_file;

CREATE INDEX template_file_by_template ON template_file (company_id, template_id, version);
