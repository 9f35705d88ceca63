//! The tables `template` and `template_version`.
//!
//! A template created for one document (`one_off`) exists only for that document. Neither lists nor queries by ID
//! return it.

crate::statements! {
    pub static INSERT = "INSERT INTO template (company_id, name, current_version, created_at) VALUES ($1, $2, 1, $3) \
         RETURNING id";

    pub static INSERT_VERSION = "INSERT INTO template_version (company_id, template_id, version, name, definition, pdf, \
         original, page_images, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

    pub static INSERT_FILE = "INSERT INTO template_file (hash, company_id, template_id, version) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (hash, company_id, template_id, version) DO NOTHING";

    /// Makes the next version the current one. Returns its number.
    pub static ADVANCE = "UPDATE template SET current_version = current_version + 1, name = $3 \
         WHERE company_id = $1 AND id = $2 AND NOT one_off RETURNING current_version";

    /// Like [`ADVANCE`], if the current version is still the one on which the next is based.
    pub static ADVANCE_FROM = "UPDATE template SET current_version = current_version + 1, name = $3 \
         WHERE company_id = $1 AND id = $2 AND current_version = $4 AND NOT one_off RETURNING current_version";

    /// Archives a template. Returns the time since which it accepts no new workflows.
    pub static ARCHIVE = "UPDATE template SET archived_at = COALESCE(archived_at, $3) \
         WHERE company_id = $1 AND id = $2 AND NOT one_off RETURNING archived_at";

    pub static UNARCHIVE = "UPDATE template SET archived_at = NULL WHERE company_id = $1 AND id = $2 \
         AND NOT one_off";

    /// Adds a template for one document.
    pub static INSERT_ONE_OFF = "INSERT INTO template (company_id, name, current_version, created_at, one_off) \
         VALUES ($1, $2, 1, $3, TRUE) RETURNING id";

    /// Deletes the file rows of a one-off template whose document was not started.
    pub static FORGET_FILES = "DELETE FROM template_file WHERE company_id = $1 AND template_id = $2 \
         AND EXISTS (SELECT 1 FROM template AS t WHERE t.company_id = $1 AND t.id = $2 AND t.one_off) \
         AND NOT EXISTS (SELECT 1 FROM workflow AS w WHERE w.company_id = $1 AND w.template_id = $2) RETURNING hash";

    pub static DELETE_ONE_OFF_VERSIONS = "DELETE FROM template_version WHERE company_id = $1 AND template_id = $2 \
         AND EXISTS (SELECT 1 FROM template AS t WHERE t.company_id = $1 AND t.id = $2 AND t.one_off) \
         AND NOT EXISTS (SELECT 1 FROM workflow AS w WHERE w.company_id = $1 AND w.template_id = $2)";

    pub static DELETE_ONE_OFF = "DELETE FROM template WHERE company_id = $1 AND id = $2 AND one_off \
         AND NOT EXISTS (SELECT 1 FROM template_version AS v WHERE v.company_id = $1 AND v.template_id = $2)";

    /// The version for new workflows.
    pub static CURRENT = "SELECT v.template_id, v.version, v.name, v.definition, v.pdf, v.original, v.page_images, \
         v.created_at, v.created_by, t.archived_at FROM template t \
         JOIN template_version v ON v.company_id = t.company_id AND v.template_id = t.id AND v.version = t.current_version \
         WHERE t.company_id = $1 AND t.id = $2 AND NOT t.one_off";

    /// The definitions of fields with this name in all versions, without duplicates, newest first.
    pub static FIELDS_NAMED =
        sqlite "SELECT f.value AS field FROM template_version v \
         JOIN template t ON t.company_id = v.company_id AND t.id = v.template_id \
         JOIN json_each(v.definition, '$.fields') AS f \
         WHERE v.company_id = $1 AND v.template_id = $2 AND NOT t.one_off AND json_extract(f.value, '$.name') = $3 \
         GROUP BY f.value ORDER BY MAX(v.version) DESC",
        postgres "SELECT CAST(f.field AS TEXT) AS field FROM template_version v \
         JOIN template t ON t.company_id = v.company_id AND t.id = v.template_id \
         CROSS JOIN LATERAL json_array_elements(CAST(v.definition AS JSON) -> 'fields') AS f (field) \
         WHERE v.company_id = $1 AND v.template_id = $2 AND NOT t.one_off AND f.field ->> 'name' = $3 \
         GROUP BY CAST(f.field AS TEXT) ORDER BY MAX(v.version) DESC";

    /// The version that a workflow uses.
    pub static VERSION = "SELECT v.template_id, v.version, v.name, v.definition, v.pdf, v.original, v.page_images, \
         v.created_at, v.created_by, t.archived_at FROM template_version v \
         JOIN template t ON t.company_id = v.company_id AND t.id = v.template_id \
         WHERE v.company_id = $1 AND v.template_id = $2 AND v.version = $3";

    /// A company's templates, newest first, from an ID downwards.
    pub static LIST = "SELECT id, name, current_version, created_at, archived_at FROM template \
         WHERE company_id = $1 AND id < $2 AND ($3 OR archived_at IS NULL) AND NOT one_off ORDER BY id DESC LIMIT $4";
}
