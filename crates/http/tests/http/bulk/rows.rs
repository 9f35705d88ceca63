//! Rows in progress: each is started once, whatever fails meanwhile.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use super::{PATH, common, counts, expected, form, names, sheet, work, wrong_rows};
use crate::support::{Server, plain};

testkit::on_both_databases!(
    the_right_rows_are_started_and_the_wrong_ones_hold_up_nobody,
    rows_are_started_once_by_any_number_of_workers,
    of_several_processes_one_prepares_the_rows,
    rows_that_cannot_be_opened_hold_up_nobody_and_are_given_up,
    rows_outlast_a_storage_that_is_away,
);

mod sql {
    store::statements! {
        pub static BREAK_ROW = "UPDATE bulk_row SET request = $3 WHERE bulk_id = $1 AND number = $2";
        pub static BREAK_ORIGIN = "UPDATE bulk_start SET origin = 'nowhere' WHERE id = $1";
    }
}

fn the_right_rows_are_started_and_the_wrong_ones_hold_up_nobody(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let accepted = form(&server, &token, "", &[("file", &sheet()), ("start", &common(template))]).ok();
    assert_eq!(accepted["status"], "running");
    assert_eq!(counts(&accepted), [7, 7, 0, 0, 0]);
    assert!(names(&server, &token).is_empty(), "not while the caller waits");
    assert_eq!(work(&server), 7);
    let path = format!("{PATH}/{}", accepted["bulk_id"]);
    let done = server.get(&path, &token).ok();
    assert_eq!((&done["status"], counts(&done)), (&json!("finished"), [7, 0, 3, 4, 0]));
    let failed = server.get(&format!("{path}?status=failed"), &token).ok();
    assert_eq!(wrong_rows(&failed["row_list"]), expected(), "as the dry run said");
    assert_eq!(names(&server, &token), ["계약 2", "계약 3", "계약 8"]);
    // Lists the rows page by page. Each started row links to its document.
    let first = server.get(&format!("{path}?limit=2"), &token).ok();
    assert_eq!(first["next_cursor"], "3");
    let id = &first["row_list"][1]["workflow_id"];
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(
        (&seen["workflow_name"], &seen["field_list"][0]["value"]),
        (&json!("계약 3"), &json!("1000"))
    );
    let last = server.get(&format!("{path}?cursor=3&limit=100"), &token).ok();
    assert_eq!(last["row_list"].as_array().map(Vec::len), Some(5));
    assert_eq!(work(&server), 0, "what is over is over");
    // Kept for a month, then deleted with its personal data.
    server.clock.advance(31 * 24 * 60 * 60);
    assert_eq!(server.app.sweep_bulk_starts().expect("swept"), 1);
    let token = server.token("acme", "owner@example.com");
    server.get(&path, &token).problem(404);
}

/// Covers several processes that start waiting rows at the same time, as after a restart or with two nodes.
fn of_several_processes_one_prepares_the_rows(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let start = common(template);
    let accept = |name: &str| {
        let csv = format!("workflow_name,1.name,1.email\n{name},Ann,ann@example.com\n");
        let accepted = form(&server, &token, "", &[("file", csv.as_bytes()), ("start", &start)]).ok();
        accepted["bulk_id"].as_i64().expect("a number")
    };
    let take_elsewhere = |id: i64| {
        let now = server.app.now();
        let until = now.checked_add(jiff::SignedDuration::from_secs(60)).expect("a time");
        let claim = server
            .app
            .store
            .write(move |tx| store::bulk::claim(tx, store::bulk::BulkId(id), "elsewhere", now, until));
        assert!(claim.expect("the database answers"), "nobody else has it");
    };
    let counted = |id: i64| counts(&server.get(&format!("{PATH}/{id}"), &token).ok());

    let first = accept("first");
    take_elsewhere(first);
    assert_eq!(work(&server), 0, "another process works on it");
    assert_eq!(counted(first), [1, 1, 0, 0, 0]);
    server.clock.advance(61);
    assert_eq!(work(&server), 1, "that one has not been heard of for a minute");
    assert_eq!(counted(first), [1, 0, 1, 0, 0]);

    let second = accept("second");
    take_elsewhere(second);
    server
        .app
        .recover_bulk_starts(|owner| owner == "somebody")
        .expect("the database answers");
    assert_eq!(work(&server), 0, "it is not that one which is dead");
    server
        .app
        .recover_bulk_starts(|owner| owner == "elsewhere")
        .expect("the database answers");
    assert_eq!(work(&server), 1);
    assert_eq!(counted(second), [1, 0, 1, 0, 0]);
}

fn rows_are_started_once_by_any_number_of_workers(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let mut csv = "workflow_name,1.name,1.email\n".to_owned();
    for number in 0..60 {
        writeln!(csv, "document {number:02},Ann,ann{number}@example.com").expect("a text grows");
    }
    let start = common(template);
    let accepted = form(&server, &token, "", &[("file", csv.as_bytes()), ("start", &start)]).ok();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| work(&server));
        }
    });
    work(&server);
    let done = server.get(&format!("{PATH}/{}", accepted["bulk_id"]), &token).ok();
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("finished"), [60, 0, 60, 0, 0])
    );
    let names = names(&server, &token);
    assert_eq!(names.len(), 60);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 60, "each once: {names:?}");
    let (_, letters) = server.drain();
    assert_eq!(letters, 60, "nobody is asked twice");
}

/// Starts a bulk send of `rows` accepted rows of a one-step template.
fn accepted_rows(server: &Server, token: &str, template: i64, rows: u32) -> Value {
    let mut csv = "workflow_name,1.name,1.email\n".to_owned();
    for number in 0..rows {
        writeln!(csv, "document {number:02},Ann,ann{number}@example.com").expect("a text grows");
    }
    let start = common(template);
    form(server, token, "", &[("file", csv.as_bytes()), ("start", &start)]).ok()["bulk_id"].clone()
}

/// Advances the clock past the pauses between the tries of a row, running the job after each.
fn all_tries_pass(server: &Server) {
    for seconds in [60, 10 * 60, 60 * 60, 6 * 60 * 60] {
        server.clock.advance(seconds);
        work(server);
    }
}

fn rows_that_cannot_be_opened_hold_up_nobody_and_are_given_up(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let first = accepted_rows(&server, &token, template, 5);
    // The sheet's first row is on its second line. One row was encrypted with another key, and one was written by
    // another version.
    let of_another_version = server.app.vault.encrypt(app::Purpose::BulkRow, b"{\"request\": 7}");
    for (number, request) in [(2_i64, b"sealed elsewhere".to_vec()), (3, of_another_version)] {
        let bulk = first.as_i64().expect("a number");
        server
            .app
            .store
            .write(move |tx| tx.execute_one(&sql::BREAK_ROW, store::values![bulk, number, request.clone()]))
            .expect("a row is broken");
    }
    let path = format!("{PATH}/{first}");
    let so_far = |path: &str| {
        let progress = server.get(path, &token).ok();
        (progress["status"].clone(), counts(&progress))
    };
    assert_eq!(work(&server), 5);
    assert_eq!(
        so_far(&path),
        (json!("running"), [5, 2, 3, 0, 0]),
        "the others are started"
    );
    assert_eq!(work(&server), 0, "those rest");
    all_tries_pass(&server);
    assert_eq!(so_far(&path), (json!("finished"), [5, 0, 3, 2, 0]));
    let failed = server.get(&format!("{path}?status=failed"), &token).ok();
    let of_ours = vec![(String::new(), "internal".to_owned())];
    assert_eq!(
        wrong_rows(&failed["row_list"]),
        [(2, of_ours.clone()), (3, of_ours.clone())]
    );
    // The bulk send itself cannot be read.
    let second = accepted_rows(&server, &token, template, 2);
    let bulk = second.as_i64().expect("a number");
    server
        .app
        .store
        .write(move |tx| tx.execute_one(&sql::BREAK_ORIGIN, store::values![bulk]))
        .expect("it is broken");
    work(&server);
    all_tries_pass(&server);
    assert_eq!(
        so_far(&format!("{PATH}/{second}")),
        (json!("finished"), [2, 0, 0, 2, 0])
    );
}

fn rows_outlast_a_storage_that_is_away(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let bulk = accepted_rows(&server, &token, template, 20);
    let file = {
        let details = server
            .app
            .template(&operator(&server.app, &company), domain::TemplateId(template));
        details.expect("the template").stored.version.pdf
    };
    let bytes = server.app.blobs.get(&file).expect("its file");
    server.app.blobs.delete(&file).expect("away");
    // Five minutes at the job's pace of two rounds per second. One row is tried per pause.
    let mut tried = 0;
    for _ in 0..5 * 60 {
        for _ in 0..2 {
            tried += server.app.run_bulk_starts("test").expect("a round");
        }
        server.clock.advance(1);
    }
    assert_eq!(tried, 5 * 60 / 10);
    #[expect(clippy::disallowed_methods, reason = "it is needed, and was away")]
    server.app.blobs.put(&bytes).expect("it is back");
    server.clock.advance(10 * 60);
    work(&server);
    let done = server.get(&format!("{PATH}/{bulk}"), &token).ok();
    assert_eq!(
        (&done["status"], counts(&done)),
        (&json!("finished"), [20, 0, 20, 0, 0])
    );
}
