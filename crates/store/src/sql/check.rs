//! The data that `fsck` and `audit verify` read: all companies of the installation, a stretch of workflows at a time.

crate::statements! {
    /// A stretch of workflows, ordered by ID.
    pub static WORKFLOWS = "SELECT * FROM workflow WHERE id > $1 ORDER BY id LIMIT $2";

    /// The recipients of a stretch of workflows, with all columns.
    pub static RECIPIENT_ROWS = "SELECT * FROM recipient WHERE workflow_id > $1 AND workflow_id <= $2";

    /// The values of a stretch of workflows, with all columns.
    pub static VALUE_ROWS = "SELECT * FROM field_value WHERE workflow_id > $1 AND workflow_id <= $2";

    /// The finished files of a stretch of workflows, with all columns.
    pub static SEALED_ROWS = "SELECT * FROM sealed_document WHERE workflow_id > $1 AND workflow_id <= $2";

    /// The templates that a stretch of workflows was started with.
    pub static TEMPLATE_ROWS = "SELECT v.company_id, v.template_id, v.version, v.definition, v.page_images, v.pdf \
         FROM template_version v JOIN (SELECT DISTINCT company_id, template_id, template_version FROM workflow \
             WHERE id > $1 AND id <= $2) w \
         ON w.company_id = v.company_id AND w.template_id = v.template_id AND w.template_version = v.version";

    /// The files that a stretch of workflows refers to.
    pub static REFERENCES = "SELECT workflow_id, company_id, hash FROM blob_reference \
         WHERE workflow_id > $1 AND workflow_id <= $2";

    /// The sealed files of a stretch of workflows.
    pub static SEALED = "SELECT workflow_id, company_id, document_hash, document_length, certificate_hash, \
         certificate_length FROM sealed_document WHERE workflow_id > $1 AND workflow_id <= $2";

    /// The values that name a file, in a stretch of workflows.
    pub static VALUES = "SELECT workflow_id, company_id, value AS content FROM field_value \
         WHERE workflow_id > $1 AND workflow_id <= $2 AND value LIKE '%\"hash\"%'";

    /// The drafts that name a file, in a stretch of workflows.
    pub static DRAFTS = "SELECT r.workflow_id, r.company_id, d.field_values AS content FROM draft d \
         JOIN recipient r ON r.id = d.recipient_id \
         WHERE r.workflow_id > $1 AND r.workflow_id <= $2 AND d.field_values LIKE '%\"hash\"%'";

    /// The content of all previews.
    pub static PREVIEWS = "SELECT content FROM preview";

    /// The files of templates.
    pub static TEMPLATES = "SELECT company_id, template_id, version, pdf, page_images FROM template_version";

    /// Complete, although someone has not approved.
    pub static NOT_ALL_APPROVED = "SELECT DISTINCT w.id, w.company_id FROM workflow w \
         JOIN recipient r ON r.workflow_id = w.id WHERE w.status = 'Complete' AND r.progress <> 'approved' ORDER BY w.id";

    /// Running, although a signer of an earlier step has not approved, or one of a later step has.
    pub static OUT_OF_TURN = "SELECT DISTINCT w.id, w.company_id FROM workflow w \
         JOIN recipient r ON r.workflow_id = w.id WHERE w.status = 'Playing' AND \
         ((r.step_order < w.turn AND r.progress <> 'approved') OR (r.step_order > w.turn AND r.progress <> 'waiting')) \
         ORDER BY w.id";

    /// Running, although it is nobody's turn.
    pub static NOBODYS_TURN = "SELECT w.id, w.company_id FROM workflow w WHERE w.status = 'Playing' AND NOT EXISTS \
         (SELECT 1 FROM recipient r WHERE r.workflow_id = w.id AND r.step_order = w.turn AND r.progress = 'waiting') \
         ORDER BY w.id";
}
