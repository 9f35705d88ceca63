//! The life of documents whose files are in a bucket, through faults of the service: nothing acknowledged is lost, nothing is
//! half done, and who must wait gets 503.

use std::time::Duration;

use blobs::{Blobs, BucketSettings, Patience};
use delivery::{BucketConnector, Egress};
use domain::Secret;
use serde_json::{Value, json};
use testkit::bucket::{BucketServer, FAULTS, Fault, KEY, SECRET};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, start_body, trusted, values_of};

testkit::on_both_databases!(
    a_document_is_signed_to_its_end_with_its_files_in_a_bucket,
    a_fault_of_the_bucket_makes_every_step_wait_and_undoes_none,
    files_that_nothing_needs_leave_the_bucket,
);

/// Longer than a request to this machine takes.
const WITHIN: Duration = Duration::from_millis(700);

fn server(database: &TestDatabase, bucket: &BucketServer) -> Server {
    let settings = BucketSettings {
        url: bucket.url("installation"),
        endpoint: Some(bucket.endpoint().to_owned()),
        allow_http: true,
        region: None,
        access_key: Some((KEY.to_owned(), Secret::new(SECRET))),
        encryption: None,
        cache: 0,
        patience: Patience {
            retries: 1,
            total: Duration::from_secs(5),
        },
    };
    let blobs = Blobs::in_bucket(&settings, BucketConnector::new(Egress::direct(), WITHIN)).expect("a bucket");
    Server::on(database, blobs, |_, _| {})
}

fn approve(server: &Server, token: &str, id: &Value, step: u32) -> Answer {
    let body = json!({"order": step, "field_list": values_of(step)});
    server.act_as_given(token, id, "approve", &body)
}

fn shown(server: &Server, token: &str, id: &Value) -> Value {
    server.get(&format!("/api/v3/workflows/{id}"), token).ok()
}

fn is_whole(server: &Server, token: &str, id: &Value) {
    for file in ["document", "certificate"] {
        let answer = server.get(&format!("/api/v3/workflows/{id}/{file}"), token);
        assert_eq!(answer.status, 200, "{file}");
        assert!(trusted(&answer.body, server).holds_strictly(), "{file}");
    }
    let report = server.app.fsck(Duration::ZERO).expect("a report");
    assert!(report.is_clean(), "{report:?}");
}

fn a_document_is_signed_to_its_end_with_its_files_in_a_bucket(database: &TestDatabase) {
    let bucket = BucketServer::start();
    let server = server(database, &bucket);
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    approve(&server, &token, &id, 1).ok();
    assert_eq!(approve(&server, &token, &id, 2).ok()["status"], "Complete");
    is_whole(&server, &token, &id);
    assert!(server.app.write_checkpoints().expect("checkpoints") > 0);
    let audit = server.app.audit_verify().expect("a report");
    assert!(audit.is_clean() && audit.files > 0, "{audit:?}");
}

/// A start needs the template's file, the first approval stores a picture, and the last one reads and stores everything.
fn a_fault_of_the_bucket_makes_every_step_wait_and_undoes_none(database: &TestDatabase) {
    let bucket = BucketServer::start();
    let server = server(database, &bucket);
    let (_, token, template) = server.with_company("acme");
    for fault in FAULTS {
        // A fault that changes only bodies lets a start through, which looks only whether the file is there.
        let changes_bodies = matches!(fault, Fault::Cut | Fault::WrongBytes);
        if !changes_bodies {
            bucket.break_all(fault);
            let waits = server.start(&token, &start_body(template));
            assert!(waits.header("retry-after").parse::<u64>().is_ok(), "{fault:?}");
            waits.problem(503);
            assert_eq!(server.get("/readyz", &token).status, 503, "{fault:?}");
            bucket.heal();
        }
        let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
        approve(&server, &token, &id, 1).ok();
        let before = shown(&server, &token, &id);
        bucket.break_all(fault);
        approve(&server, &token, &id, 2).problem(503);
        bucket.heal();
        assert_eq!(shown(&server, &token, &id), before, "{fault:?}: nothing was done");
        // From here on the service fails only when files are stored: everything was read, sealed and is not committed.
        bucket.break_some(fault, u32::MAX, |method, _| method == "PUT");
        approve(&server, &token, &id, 2).problem(503);
        bucket.heal();
        assert_eq!(shown(&server, &token, &id), before, "{fault:?}: nothing was done");
        assert_eq!(approve(&server, &token, &id, 2).ok()["status"], "Complete", "{fault:?}");
        bucket.break_all(fault);
        // Bytes that stay wrong cannot be told from a damaged file, which the operator must see.
        let status = if fault == Fault::WrongBytes { 500 } else { 503 };
        server
            .get(&format!("/api/v3/workflows/{id}/document"), &token)
            .problem(status);
        bucket.heal();
        is_whole(&server, &token, &id);
    }
}

/// Files of an approval that failed.
fn files_that_nothing_needs_leave_the_bucket(database: &TestDatabase) {
    let bucket = BucketServer::start();
    let server = server(database, &bucket);
    server.clock.set(jiff::Timestamp::now());
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    approve(&server, &token, &id, 1).ok();
    let before = server.app.blobs.list().expect("a list").len();
    // The second of its files cannot be stored.
    let stored = std::sync::atomic::AtomicU32::new(0);
    bucket.break_some(Fault::Failed, u32::MAX, move |method, _| {
        method == "PUT" && stored.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 0
    });
    approve(&server, &token, &id, 2).problem(503);
    bucket.heal();
    assert!(server.app.blobs.list().expect("a list").len() > before);
    server.clock.advance(16 * 60);
    bucket.break_some(Fault::Failed, u32::MAX, |method, _| method == "DELETE");
    server.app.remove_loose_files().expect_err("the bucket refuses");
    bucket.heal();
    server.clock.advance(60 * 60);
    let marks = bucket.file("installation/removing");
    for mark in std::fs::read_dir(&marks).expect("marks of removals in doubt") {
        std::fs::remove_file(mark.expect("a mark").path()).expect("as if it were old");
    }
    assert!(server.app.remove_loose_files().expect("removed") > 0);
    assert_eq!(server.app.blobs.list().expect("a list").len(), before);
    assert_eq!(approve(&server, &token, &id, 2).ok()["status"], "Complete");
    is_whole(&server, &token, &id);
}
