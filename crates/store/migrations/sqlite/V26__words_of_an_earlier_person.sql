-- Words beside a recipient that somebody said who had the place before: one person's words under another's name. The audit
-- trail keeps the reason of a return under its own name.
UPDATE recipient SET comment = NULL WHERE comment IS NOT NULL AND link_version > 1 AND
    (SELECT COALESCE(MAX(sequence), 0) FROM audit_entry WHERE audit_entry.workflow_id = recipient.workflow_id AND (
        payload LIKE '%"event":{"type":"recipient_corrected","recipient":{"id":' || CAST(recipient.id AS TEXT) || ',%' OR
        payload LIKE '%"event":{"type":"handed_over","recipient":{"id":' || CAST(recipient.id AS TEXT) || ',%')) >
    (SELECT COALESCE(MAX(sequence), 0) FROM audit_entry WHERE audit_entry.workflow_id = recipient.workflow_id AND (
        payload LIKE '%"event":{"type":"approved","recipient":' || CAST(recipient.id AS TEXT) || ',%' OR
        payload LIKE '%"event":{"type":"rejected","recipient":' || CAST(recipient.id AS TEXT) || ',%' OR
        payload LIKE '%"event":{"type":"returned","recipient":' || CAST(recipient.id AS TEXT) || ',%'));
