//! Every SQL statement of the product, one file a table or purpose.
//!
//! To add a file, name it in the list below; to add a statement, declare it in its file with
//! [`statements!`](crate::statements). Rules that keep one text good for both databases:
//! - `$1`-style parameters. Where PostgreSQL cannot tell a parameter's type (`$1 IS NULL`, a bare
//!   `SELECT $1`), say it: `CAST($1 AS BIGINT)`, `CAST($1 AS TEXT)`.
//! - Aggregates over BIGINT are NUMERIC on PostgreSQL: `CAST(SUM(x) AS BIGINT)`.
//! - Name every column of an answer (`count(*) AS total`); the two databases invent other names.
//! - `RETURNING`, `ON CONFLICT`, CTEs and partial indexes are good on both. `TRUE` and `FALSE`
//!   too. No `AUTOINCREMENT`, `DEFAULT` ids, `LIKE` without a stated case, or date functions.
//! - Every query of a tenant's data carries the company.

use crate::Statement;

macro_rules! files {
    ($($(#[$meta:meta])* $file:ident),* $(,)?) => {
        $($(#[$meta])* pub mod $file;)*

        /// Every statement, by file.
        pub static ALL: &[&[&Statement]] = &[$($file::STATEMENTS),*];
    };
}

files! {
    /// Access tokens and wrong credentials.
    access_token,
    /// Programs of companies.
    api_client,
    /// Many starts at once.
    bulk,
    /// Checks of the whole installation.
    check,
    /// Companies and their seal keys.
    company,
    /// The outbox, the tries of what it holds, and the health of endpoints.
    delivery,
    /// Addresses from which members have logged in.
    known_address,
    /// Files that no row needs, and whether anything needs a file.
    loose_file,
    /// Members and their sessions.
    member,
    /// Processes that claim work.
    node,
    /// Links that start a workflow for whoever opens them.
    public_link,
    /// The schema's own bookkeeping.
    schema,
    /// What belongs to the installation as a whole.
    setting,
    /// Templates and their versions.
    template,
    /// What the file store holds for drafts.
    upload,
    /// Workflows, their writers and their sealed documents.
    workflow,
    /// The chains.
    workflow_audit,
    /// Answers kept under a caller's key.
    workflow_idempotency,
    /// Links to finished files and the sender's view.
    workflow_links,
    /// Previews.
    workflow_preview,
    /// Values and drafts.
    workflow_value,
    /// Wrong one-time codes for each contact.
    wrong_code,
}
