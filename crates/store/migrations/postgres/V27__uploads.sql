-- What the file store holds for somebody's upload: counted against his link, and removed once nothing needs it.
CREATE TABLE upload (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    company_id TEXT NOT NULL,
    -- Whose link sent it. None: a file that was kept for what then was not written.
    recipient_id BIGINT REFERENCES recipient (id),
    hash BYTEA NOT NULL,
    length BIGINT NOT NULL,
    -- Since when no draft names it; none while one does.
    loose_since BIGINT,
    UNIQUE (recipient_id, hash)
);

CREATE INDEX upload_by_hash ON upload (hash);
CREATE INDEX upload_by_age ON upload (loose_since) WHERE loose_since IS NOT NULL;

-- Which files a template needs, to be found by the file.
CREATE TABLE template_file (
    hash BYTEA NOT NULL,
    company_id TEXT NOT NULL,
    template_id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (hash, company_id, template_id, version)
);

CREATE INDEX template_file_by_template ON template_file (company_id, template_id);

INSERT INTO template_file (hash, company_id, template_id, version)
SELECT pdf, company_id, template_id, version FROM template_version ON CONFLICT DO NOTHING;

INSERT INTO template_file (hash, company_id, template_id, version)
SELECT DISTINCT decode(j.value, 'hex'), v.company_id, v.template_id, v.version
FROM template_version v CROSS JOIN LATERAL json_array_elements_text(CAST(v.page_images AS JSON)) AS j (value)
ON CONFLICT DO NOTHING;

-- The files of drafts that are there already. Drafts of workflows that have ended go, and with them their files.
INSERT INTO upload (company_id, recipient_id, hash, length, loose_since)
SELECT d.company_id, d.recipient_id, decode(f.value ->> 'hash', 'hex'), CAST(f.value ->> 'length' AS BIGINT),
    CASE WHEN w.status = 'Playing' THEN NULL ELSE 0 END
FROM draft d JOIN recipient r ON r.id = d.recipient_id JOIN workflow w ON w.id = r.workflow_id
CROSS JOIN LATERAL json_each(COALESCE(CAST(d.field_values AS JSON) -> 'files', '{}')) AS f (key, value)
ON CONFLICT DO NOTHING;

DELETE FROM draft WHERE recipient_id IN
    (SELECT r.id FROM recipient r JOIN workflow w ON w.id = r.workflow_id WHERE w.status <> 'Playing');
