//! Companies in time zones with daylight saving time.

use app::CompanyChange;
use domain::{CompanyId, Zone};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{PASSWORD, Server, login_body, plain, start_body};

testkit::on_both_databases!(
    a_document_keeps_the_zone_of_its_start_and_each_date_has_the_offset_in_force_then,
    a_token_ends_by_the_companys_clocks,
);

fn live_in(server: &Server, company: &CompanyId, zone: &str) {
    let change = CompanyChange {
        zone: Zone::parse(zone),
        ..CompanyChange::default()
    };
    server
        .app
        .change_company(&operator(&server.app, company), &change)
        .expect("changed");
}

/// Nine days before daylight saving time starts in Berlin.
fn in_march(server: &Server) {
    server.clock.set("2026-03-20T12:00:00Z".parse().expect("a time"));
}

fn a_document_keeps_the_zone_of_its_start_and_each_date_has_the_offset_in_force_then(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    live_in(&server, &company, "Europe/Berlin");
    in_march(&server);
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &plain(2, "end"));
    let started = |query: &str, expiry: &Value| {
        let mut body = start_body(template);
        if expiry.is_string() {
            body["expiry_date"] = expiry.clone();
        }
        let path = format!("/api/v3/workflows/start{query}");
        server.post(&path, Some(&token), &body).ok()["workflow_id"].clone()
    };
    let dates = |id: &Value| {
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        let date = |name: &str| seen[name].as_str().expect("a date").to_owned();
        (date("started_date"), date("expiry_date"))
    };
    let usual = started("", &Value::Null);
    for (query, expiry, written) in [
        // The first time does not exist, the second occurs twice.
        ("", "2026-03-29 02:30:00", "2026-03-29 03:30:00 (UTC+02:00)"),
        ("", "2026-10-25 02:30:00", "2026-10-25 02:30:00 (UTC+02:00)"),
        ("", "2026-10-25 03:00:00", "2026-10-25 03:00:00 (UTC+01:00)"),
        // An offset in the request stays fixed.
        (
            "?offset=%2B01:00",
            "2026-03-29 02:30:00",
            "2026-03-29 02:30:00 (UTC+01:00)",
        ),
        (
            "?offset=%2B01:00",
            "2026-07-01 12:00:00",
            "2026-07-01 12:00:00 (UTC+01:00)",
        ),
    ] {
        assert_eq!(dates(&started(query, &json!(expiry))).1, written, "{query} {expiry}");
    }
    // The default expiry is the same time of day, 14 days later.
    let expected = (
        "2026-03-20 13:00:00 (UTC+01:00)".to_owned(),
        "2026-04-03 13:00:00 (UTC+02:00)".to_owned(),
    );
    assert_eq!(dates(&usual), expected);
    live_in(&server, &company, "America/New_York");
    assert_eq!(dates(&usual), expected);
    assert_eq!(dates(&started("", &Value::Null)).0, "2026-03-20 08:00:00 (UTC-04:00)");
    let path = format!("/api/v3/workflows/{usual}/extend");
    let extended = server
        .post(&path, Some(&token), &json!({"expiry_date": "2026-12-24"}))
        .ok();
    assert_eq!(extended["expiry_date"], "2026-12-24 23:59:59 (UTC+01:00)");
    let report = server.app.audit_verify().expect("a report");
    assert!(report.is_clean(), "{report:?}");
}

fn a_token_ends_by_the_companys_clocks(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    live_in(&server, &company, "Europe/Berlin");
    // The day in between has 23 hours.
    server.clock.set("2026-03-28T12:00:00Z".parse().expect("a time"));
    let body = login_body("owner@example.com", PASSWORD);
    let answer = server.post("/api/acme/login", None, &body).ok();
    assert_eq!(answer["body"]["expire_date"], "2026-03-29 14:00:00");
}
