//! The table `search_entry`: the terms by which documents are found. On SQLite it is a virtual table of FTS5, whose row
//! IDs are the workflows'. Terms and queries are written for FTS5, and PostgreSQL's statements rewrite them.

crate::statements! {
    /// Whether the texts of any document have changed since they were indexed.
    pub static IS_DUE = "SELECT EXISTS (SELECT 1 FROM workflow WHERE indexed_revision <> revision) AS is_due";

    /// Documents of all companies whose texts have changed. Leaves out those that another transaction is changing or
    /// indexing.
    pub static HOLD_DUE =
        sqlite "SELECT id, company_id, revision, discarded_at, name, cc_list FROM workflow \
            WHERE indexed_revision <> revision ORDER BY id LIMIT $1",
        postgres "SELECT id, company_id, revision, discarded_at, name, cc_list FROM workflow \
            WHERE indexed_revision <> revision ORDER BY id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED";

    /// The recipients of documents whose texts have changed.
    pub static PEOPLE = "SELECT r.workflow_id, r.name, r.contact, r.phone, r.mobile, r.company FROM workflow w \
         JOIN recipient r ON r.workflow_id = w.id \
         WHERE w.indexed_revision <> w.revision AND w.id >= $1 AND w.id <= $2 ORDER BY r.workflow_id, r.step_order, r.place";

    /// The values of documents whose texts have changed.
    pub static VALUES = "SELECT v.workflow_id, v.value FROM workflow w JOIN field_value v ON v.workflow_id = w.id \
         WHERE w.indexed_revision <> w.revision AND w.id >= $1 AND w.id <= $2 ORDER BY v.workflow_id, v.field_name";

    /// Writes a document's terms, replacing the earlier ones.
    pub static WRITE =
        sqlite "DELETE FROM search_entry WHERE rowid = $2 AND terms <> $3 \
                AND EXISTS (SELECT 1 FROM workflow WHERE company_id = $1 AND id = $2)"
            then "INSERT INTO search_entry (rowid, terms) SELECT id, $3 FROM workflow WHERE company_id = $1 AND id = $2 \
                AND NOT EXISTS (SELECT 1 FROM search_entry WHERE rowid = $2)",
        postgres "INSERT INTO search_entry (company_id, workflow_id, terms) VALUES ($1, $2, \
                (SELECT CAST(string_agg(quote_literal(term) || ':' || place, ' ') AS tsvector) \
                FROM unnest(string_to_array(CAST($3 AS TEXT), ' ')) WITH ORDINALITY AS cut (term, place) WHERE term <> '·')) \
            ON CONFLICT (workflow_id) DO UPDATE SET terms = excluded.terms WHERE search_entry.terms <> excluded.terms";

    /// Records that this revision is indexed.
    pub static SET_INDEXED = "UPDATE workflow SET indexed_revision = $3 WHERE company_id = $1 AND id = $2";

    /// Removes a document from the index.
    pub static FORGET =
        sqlite "DELETE FROM search_entry WHERE rowid = $2 AND EXISTS (SELECT 1 FROM workflow WHERE company_id = $1 AND id = $2)",
        postgres "DELETE FROM search_entry WHERE company_id = $1 AND workflow_id = $2";

    /// Makes PostgreSQL plan the transaction's next statements for their parameters. Whether it should walk through the
    /// newest documents or look up a term depends on how common the term is.
    pub static PLAN_FOR_PARAMETERS =
        sqlite "SELECT '' AS mode",
        postgres "SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE) AS mode";

    /// A company's workflows that match a query, newest first.
    pub static FIND =
        sqlite "SELECT w.id, w.name, w.status, w.language, w.time_zone, w.template_id, w.sender_id, w.started_at, w.expires_at, w.ended_at, w.turn, w.is_test \
            FROM search_entry CROSS JOIN workflow w ON w.id = search_entry.rowid \
            WHERE search_entry MATCH $10 AND search_entry.rowid < $2 AND w.company_id = $1 AND w.discarded_at IS NULL \
            AND (CAST($3 AS TEXT) IS NULL OR w.status = $3) \
            AND (CAST($4 AS BIGINT) IS NULL OR w.template_id = $4) \
            AND w.started_at >= $5 AND w.started_at < $6 \
            AND (CAST($9 AS BOOLEAN) IS NULL OR w.is_test = $9) \
            ORDER BY search_entry.rowid DESC LIMIT $7 OFFSET $8",
        postgres "SELECT w.id, w.name, w.status, w.language, w.time_zone, w.template_id, w.sender_id, w.started_at, w.expires_at, w.ended_at, w.turn, w.is_test \
            FROM search_entry s JOIN workflow w ON w.company_id = s.company_id AND w.id = s.workflow_id \
            WHERE s.terms @@ CAST(replace(replace(replace(replace(replace(CAST($10 AS TEXT), \
                '\"', ''''), ' + ', ' <-> '), ' AND ', ' & '), ' OR ', ' | '), ' *', ':*') AS tsquery) \
            AND w.id < $2 AND s.company_id = $1 AND w.company_id = $1 AND w.discarded_at IS NULL \
            AND (CAST($3 AS TEXT) IS NULL OR w.status = $3) \
            AND (CAST($4 AS BIGINT) IS NULL OR w.template_id = $4) \
            AND w.started_at >= $5 AND w.started_at < $6 \
            AND (CAST($9 AS BOOLEAN) IS NULL OR w.is_test = $9) \
            ORDER BY w.id DESC LIMIT $7 OFFSET $8";
}
