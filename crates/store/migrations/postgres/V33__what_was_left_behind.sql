-- Files of values that were taken away, or replaced: workflows no longer need them.
INSERT INTO loose_file (company_id, claim, hash, since)
SELECT DISTINCT b.company_id, 0, b.hash, 0 FROM blob_reference b
WHERE NOT EXISTS (SELECT 1 FROM field_value v
        WHERE v.workflow_id = b.workflow_id AND v.value LIKE '%"' || encode(b.hash, 'hex') || '"%')
    AND NOT EXISTS (SELECT 1 FROM sealed_document s
        WHERE s.workflow_id = b.workflow_id AND b.hash IN (s.document_hash, s.certificate_hash))
ON CONFLICT (company_id, claim, hash) DO NOTHING;

DELETE FROM blob_reference b
WHERE NOT EXISTS (SELECT 1 FROM field_value v
        WHERE v.workflow_id = b.workflow_id AND v.value LIKE '%"' || encode(b.hash, 'hex') || '"%')
    AND NOT EXISTS (SELECT 1 FROM sealed_document s
        WHERE s.workflow_id = b.workflow_id AND b.hash IN (s.document_hash, s.certificate_hash));

-- Documents that were discarded while V25 was there, by a program that did not know it: their links are revoked as well.
UPDATE workflow SET links_revoked_at = discarded_at
WHERE discarded_at IS NOT NULL AND links_revoked_at IS NULL AND (links_renewed_at IS NULL OR links_renewed_at < discarded_at);
