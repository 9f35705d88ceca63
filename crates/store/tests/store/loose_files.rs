//! The queries that remove loose files.

use domain::{BlobHash, CompanyId};
use jiff::Timestamp;
use store::{Statement, Value, sql, values};
use testkit::database::TestDatabase;

testkit::on_both_databases!(whether_anything_needs_a_file_is_found_by_indexes_and_so_is_what_is_loose);

/// The companies, workflows and templates in these rows do not exist.
const MANY: &str = "SET session_replication_role = replica;
    INSERT INTO upload (recipient_id, hash, company_id, length, loose_since)
    SELECT n, sha256(n::text::bytea), 'c' || n % 50, 1, n FROM generate_series(1, 5000) AS n;
    INSERT INTO loose_file (company_id, claim, hash, since)
    SELECT 'c' || n % 50, n, sha256(n::text::bytea), n FROM generate_series(1, 5000) AS n;
    INSERT INTO blob_reference (hash, workflow_id, company_id)
    SELECT sha256(n::text::bytea), n, 'c' || n % 50 FROM generate_series(1, 5000) AS n;
    INSERT INTO template_file (hash, company_id, template_id, version)
    SELECT sha256(n::text::bytea), 'c' || n % 50, n, 1 FROM generate_series(1, 5000) AS n;
    ANALYZE;";

/// The job checks every loose file of all companies, so the cost must not grow with the stored data.
fn whether_anything_needs_a_file_is_found_by_indexes_and_so_is_what_is_loose(database: &TestDatabase) {
    let store = database.open();
    let company = CompanyId::parse("acme").expect("an id");
    let (hash, at) = (BlobHash([7; 32]), Timestamp::UNIX_EPOCH);
    if let Some(url) = database.url() {
        // Enough rows to need an index. With few rows, PostgreSQL rightly reads them all.
        let mut client = ::postgres::Client::connect(url, ::postgres::NoTls).expect("the server");
        client.batch_execute(MANY).expect("many rows");
    }
    let asked: [(&'static Statement, &[Value]); 10] = [
        (&sql::loose_file::IS_NEEDED, values![hash]),
        (&sql::loose_file::OLD, values![at, 200_i64]),
        (&sql::loose_file::TAKE, values![&company, 5_i64, hash]),
        (&sql::loose_file::HOLD, values![&company, 5_i64, at]),
        (&sql::loose_file::TAKE_OVER, values![&company, 5_i64]),
        (&sql::loose_file::FORGET, values![&company, hash, at]),
        (&sql::upload::OLD, values![at, 200_i64]),
        (&sql::upload::TAKE, values![&company, 5_i64, hash]),
        (&sql::upload::COUNTED, values![&company, 5_i64]),
        (&sql::upload::END_DRAFT, values![&company, 5_i64, at]),
    ];
    for (statement, parameters) in asked {
        let plan = store.plan(statement, parameters).expect("a plan");
        // Each table is read through an index. `SCAN CONSTANT ROW` is not a table.
        let reads_whole = |line: &String| {
            line.contains("Seq Scan") || line.trim().starts_with("SCAN ") && line.trim() != "SCAN CONSTANT ROW"
        };
        let by_index = plan
            .iter()
            .filter(|line| line.contains(if database.url().is_some() { "Index" } else { "INDEX" }));
        assert!(
            by_index.count() > 0 && !plan.iter().any(reads_whole),
            "{}: {plan:#?}",
            statement.name()
        );
    }
}
