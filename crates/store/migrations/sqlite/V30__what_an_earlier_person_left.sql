-- What somebody left beside a recipient whose place another person has had since. The audit trail keeps all of it under the
-- earlier person's name.

-- Values, which only an approval writes: those of a writer who is waiting again, and whose place has changed hands since the
-- last approval. Nobody who has the place now has seen or kept them.
DELETE FROM field_value WHERE recipient_id IN (
    SELECT recipient.id FROM recipient
    JOIN workflow ON workflow.company_id = recipient.company_id AND workflow.id = recipient.workflow_id
    WHERE workflow.status = 'Playing' AND recipient.progress = 'waiting' AND recipient.link_version > 1 AND
        (SELECT COALESCE(MAX(sequence), 0) FROM audit_entry WHERE audit_entry.workflow_id = recipient.workflow_id AND (
            payload LIKE '%"event":{"type":"recipient_corrected","recipient":{"id":' || CAST(recipient.id AS TEXT) || ',%' OR
            payload LIKE '%"event":{"type":"handed_over","recipient":{"id":' || CAST(recipient.id AS TEXT) || ',%')) >
        (SELECT COALESCE(MAX(sequence), 0) FROM audit_entry WHERE audit_entry.workflow_id = recipient.workflow_id AND
            payload LIKE '%"event":{"type":"approved","recipient":' || CAST(recipient.id AS TEXT) || ',%'));

-- A mobile number, which only the start could give: it is the first person's, and one-time codes go there.
UPDATE recipient SET mobile = NULL WHERE mobile IS NOT NULL AND progress = 'waiting' AND link_version > 1 AND EXISTS (
    SELECT 1 FROM audit_entry WHERE audit_entry.workflow_id = recipient.workflow_id AND (
        payload LIKE '%"event":{"type":"recipient_corrected","recipient":{"id":' || CAST(recipient.id AS TEXT) || ',%' OR
        payload LIKE '%"event":{"type":"handed_over","recipient":{"id":' || CAST(recipient.id AS TEXT) || ',%'));
