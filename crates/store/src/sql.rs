//! Every SQL statement of the product, one file per table or purpose.
//!
//! To add a file, name it in the list below. To add a statement, declare it in its file with
//! [`statements!`](crate::statements). Rules that make one text work on both databases:
//! - Use `$1`-style parameters. If PostgreSQL cannot infer a parameter's type (`$1 IS NULL`, a bare `SELECT $1`), write
//!   it: `CAST($1 AS BIGINT)`, `CAST($1 AS TEXT)`.
//! - Aggregates over BIGINT are NUMERIC on PostgreSQL: `CAST(SUM(x) AS BIGINT)`.
//! - Name every column of a result (`count(*) AS total`), because the two databases invent different names.
//! - `RETURNING`, `ON CONFLICT`, CTEs, partial indexes, `TRUE` and `FALSE` work on both. Do not use `AUTOINCREMENT`,
//!   `DEFAULT` ids, `LIKE` without a stated case, or date functions.
//! - Every query of a tenant's data contains the company.

use crate::Statement;

macro_rules! files {
    ($($(#[$meta:meta])* $file:ident),* $(,)?) => {
        $($(#[$meta])* pub mod $file;)*

        /// Every statement, by file.
        pub static ALL: &[&[&Statement]] = &[$($file::STATEMENTS),*];
    };
}

files! {
    access_token,
    api_client,
    audit_log,
    backup,
    bulk,
    check,
    checkpoint,
    company,
    delivery,
    erasure,
    known_address,
    loose_file,
    member,
    node,
    public_link,
    queue,
    schema,
    search,
    setting,
    template,
    upload,
    workflow,
    workflow_audit,
    workflow_idempotency,
    workflow_links,
    workflow_preview,
    workflow_value,
    wrong_code,
}
