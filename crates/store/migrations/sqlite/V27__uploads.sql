-- What the file store holds for somebody's upload: counted against his link, and removed once nothing needs it.
CREATE TABLE upload (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    company_id TEXT NOT NULL,
    -- Whose link sent it. None: a file that was kept for what then was not written.
    recipient_id INTEGER REFERENCES recipient (id),
    hash BLOB NOT NULL,
    length INTEGER NOT NULL,
    -- Since when no draft names it; none while one does.
    loose_since INTEGER,
    UNIQUE (recipient_id, hash)
) STRICT;

CREATE INDEX upload_by_hash ON upload (hash);
CREATE INDEX upload_by_age ON upload (loose_since) WHERE loose_since IS NOT NULL;

-- Which files a template needs, to be found by the file.
CREATE TABLE template_file (
    hash BLOB NOT NULL,
    company_id TEXT NOT NULL,
    template_id INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (hash, company_id, template_id, version)
) STRICT;

CREATE INDEX template_file_by_template ON template_file (company_id, template_id);

INSERT OR IGNORE INTO template_file (hash, company_id, template_id, version)
SELECT pdf, company_id, template_id, version FROM template_version;

INSERT OR IGNORE INTO template_file (hash, company_id, template_id, version)
SELECT unhex(j.value), v.company_id, v.template_id, v.version FROM template_version v, json_each(v.page_images) AS j;

-- The files of drafts that are there already. Drafts of workflows that have ended go, and with them their files.
INSERT OR IGNORE INTO upload (company_id, recipient_id, hash, length, loose_since)
SELECT d.company_id, d.recipient_id, unhex(json_extract(f.value, '$.hash')), json_extract(f.value, '$.length'),
    CASE WHEN w.status = 'Playing' THEN NULL ELSE 0 END
FROM draft d JOIN recipient r ON r.id = d.recipient_id JOIN workflow w ON w.id = r.workflow_id,
    json_each(d.field_values, '$.files') AS f;

DELETE FROM draft WHERE recipient_id IN
    (SELECT r.id FROM recipient r JOIN workflow w ON w.id = r.workflow_id WHERE w.status <> 'Playing');
