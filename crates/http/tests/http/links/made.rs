//! Creating, listing and closing links with programs.

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use super::{documents, look, new, path_of, text, visit};
use crate::support::{Server, committee, plain};

testkit::on_both_databases!(
    a_link_is_made_listed_shown_and_closed,
    a_link_that_was_made_names_what_nobody_read,
    a_link_asked_for_twice_is_made_once,
);

fn a_link_is_made_listed_shown_and_closed(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let made = new(
        &server,
        &token,
        template,
        &json!({"limit": 100, "end_date": "2026-02-01 18:00:00"}),
    )
    .ok();
    assert!(path_of(&made).starts_with("/link?token="), "{made}");
    assert_eq!(
        made,
        json!({
            "link_id": made["link_id"], "link_url": made["link_url"], "status": "open", "template_id": template,
            "workflow_name": "가입 {name}, {date}", "language": "en-US", "limit": 100, "used": 0,
            "end_date": "2026-02-01 18:00:00 (UTC+09:00)", "duplicates": "once", "is_embed": false,
            "created_date": "2026-01-01 09:00:00 (UTC+09:00)", "closed_date": "",
        })
    );
    let one = format!("/api/v3/link/{}", made["link_id"]);
    assert_eq!(server.get(&one, &token).ok(), made);
    let second = new(&server, &token, template, &json!({"duplicates": "many"})).ok();
    let page = server.get("/api/v3/link?limit=1", &token).ok();
    assert_eq!(page["link_list"], json!([second]));
    let cursor = page["next_cursor"].as_str().expect("more");
    assert_eq!(
        server.get(&format!("/api/v3/link?cursor={cursor}"), &token).ok(),
        json!({"link_list": [made], "next_cursor": null})
    );
    server.member(&company, "auditor@example.com", domain::Role::Auditor);
    let auditor = server.token("acme", "auditor@example.com");
    assert_eq!(
        server.get(&one, &auditor).ok()["link_url"],
        "",
        "who may only read starts nothing"
    );
    let closed = server.post(&format!("{one}/close"), Some(&token), &json!({})).ok();
    assert_eq!(closed["status"], "closed");
    let again = server
        .post(&format!("{one}/close"), Some(&token), &json!({}))
        .problem(409);
    assert_eq!(again["code"], "link-closed");
    for (language, words) in [
        ("ko", "사용이 중지된 링크입니다"),
        ("en", "This link was closed"),
        ("ja", "受付を終了しました"),
    ] {
        let path = path_of(&made).replace("lang=en", &format!("lang={language}"));
        let page = look(&server, &path);
        assert_eq!(page.status, 410);
        assert!(text(&page).contains(words), "{}", text(&page));
    }
    assert_eq!(
        visit(&server, &path_of(&made), "Ann", "ann@example.com", true).status,
        410
    );
    assert!(documents(&server, &token).is_empty());
    let (_, stranger, _) = server.with_company("other");
    assert_eq!(server.get("/api/v3/link", &stranger).ok()["link_list"], json!([]));
}

fn a_link_that_was_made_names_what_nobody_read(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mistyped = json!({
        "limt": 5, "is_preview": true,
        "recipient_list": [{"order": 2, "name": "Clerk", "email": "clerk@example.com", "phone": "1"}],
    });
    let made = new(&server, &token, template, &mistyped).ok();
    assert_eq!(
        (&made["limit"], &made["ignored_members"]),
        (&Value::Null, &json!(["recipient_list[0].phone", "is_preview", "limt"])),
    );
    let seen = server.get(&format!("/api/v3/link/{}", made["link_id"]), &token).ok();
    assert_eq!(seen.get("ignored_members"), None);
}

fn a_link_asked_for_twice_is_made_once(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let body = json!({
        "workflow_name": "{name}", "template_id": template, "end_date": "2026-02-01 10:00:00",
        "recipient_list": [{"order": 2, "name": "Clerk", "email": "clerk@example.com"}],
        "field_list": [{"name": "employer", "value": "한빛"}],
    });
    let ask = |key: &str, offset: &str| {
        let path = format!("/api/v3/link/start?offset={offset}");
        let request = server
            .request("POST", &path, Some(&token))
            .header("idempotency-key", key);
        server.send(request.json(&body))
    };
    let first = ask("a", "%2B09:00").ok();
    assert_eq!(ask("a", "").ok(), first);
    assert_eq!(ask("a", "%2B09:00").ok(), first);
    assert_ne!(ask("b", "%2B09:00").ok()["link_id"], first["link_id"]);
    // The end time depends on the offset.
    assert_eq!(
        ask("a", "%2B08:00").faults(),
        [("Idempotency-Key".to_owned(), "idempotency-key-reused".to_owned())]
    );
    assert_eq!(
        ask(&"k".repeat(256), "%2B09:00").faults(),
        [("Idempotency-Key".to_owned(), "too-long".to_owned())]
    );
    let links = server.get("/api/v3/link", &token).ok();
    assert_eq!(links["link_list"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_link_that_could_start_nothing_is_not_made() {
    let server = Server::new(&TestDatabase::sqlite());
    let (company, token, template) = server.with_company("acme");
    let faults = |more: Value| new(&server, &token, template, &more).faults();
    let one = |path: &str, code: &str| vec![(path.to_owned(), code.to_owned())];
    assert_eq!(
        faults(json!({"recipient_list": []})),
        one("recipient_list", "missing-recipient")
    );
    assert_eq!(
        faults(json!({"recipient_list": [
            {"order": 1, "name": "A", "email": "a@example.com"}, {"order": 2, "name": "B", "email": "b@example.com"}
        ]})),
        one("recipient_list[0]", "visitors-place"),
        "the first writer's place is the visitor's"
    );
    assert_eq!(
        faults(json!({"template_id": 9_999})),
        one("template_id", "unknown-template")
    );
    assert_eq!(faults(json!({"limit": 0})), one("limit", "out-of-range"));
    assert_eq!(
        faults(json!({"end_date": "2025-12-31 00:00:00"})),
        one("end_date", "past-date-time")
    );
    assert_eq!(
        faults(json!({"end_date": "soon"})),
        one("end_date", "invalid-date-time")
    );
    assert_eq!(faults(json!({"duplicates": "twice"})), one("duplicates", "not-allowed"));
    assert_eq!(
        faults(json!({"field_list": [{"name": "x", "value": "y"}]})),
        one("field_list[0].name", "unknown-field")
    );
    // If the first step has several signers, the visitor takes the remaining place.
    let committee = server.template(&company, &committee());
    let chair = json!({"template_id": committee, "field_list": [], "recipient_list": [
        {"order": 1, "role": "chair", "name": "Chair", "email": "chair@example.com"}
    ]});
    new(&server, &token, committee, &chair).ok();
    assert!(
        server.get("/api/v3/link", &token).ok()["link_list"]
            .as_array()
            .is_some_and(|list| list.len() == 1)
    );
}

#[test]
fn a_link_ends_with_its_time_its_template_and_its_maker() {
    let server = Server::new(&TestDatabase::sqlite());
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let bare = json!({"recipient_list": [], "field_list": []});
    let with = |more: Value| {
        let mut body = bare.clone();
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        body
    };
    let ending = path_of(
        &new(
            &server,
            &token,
            template,
            &with(json!({"end_date": "2026-01-01 10:00:00"})),
        )
        .ok(),
    );
    server.clock.advance(60 * 60);
    let page = look(&server, &ending);
    assert!(
        page.status == 410 && text(&page).contains("This link has expired"),
        "{}",
        text(&page)
    );
    assert_eq!(visit(&server, &ending, "Ann", "ann@example.com", true).status, 410);
    server.member(&company, "sender@example.com", domain::Role::Sender);
    let sender = server.token("acme", "sender@example.com");
    let made_by_sender = new(&server, &sender, template, &bare).ok();
    let of_sender = path_of(&made_by_sender);
    server
        .app
        .disable_member(&operator(&server.app, &company), "sender@example.com")
        .expect("disabled");
    // The page, the form and the API report the same error.
    let closed = |path: &str, id: &Value| {
        let page = look(&server, path);
        assert!(
            page.status == 410 && text(&page).contains("closed"),
            "{}: {}",
            page.status,
            text(&page)
        );
        assert_eq!(visit(&server, path, "Ann", "ann@example.com", true).status, 410);
        let link = server.get(&format!("/api/v3/link/{id}"), &token).ok();
        assert_eq!(link["status"], "closed");
        let links = server.get("/api/v3/link", &token).ok();
        let listed = links["link_list"]
            .as_array()
            .and_then(|list| list.iter().find(|link| link["link_id"] == *id));
        assert_eq!(listed.map(|link| link["status"].clone()), Some(json!("closed")));
    };
    closed(&of_sender, &made_by_sender["link_id"]);
    let archived = server.template(&company, &plain(1, "end"));
    let made = new(&server, &token, archived, &bare).ok();
    server
        .post(
            &format!("/api/v3/templates/{archived}/archive"),
            Some(&token),
            &json!({}),
        )
        .ok();
    closed(&path_of(&made), &made["link_id"]);
    // A token of another kind does not open the link.
    let started = json!({
        "workflow_name": "x", "template_id": template, "recipient_list": [{"order": 1, "name": "A", "email": "a@example.com"}],
    });
    let other = server.start(&token, &started).ok()["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    assert_eq!(look(&server, &format!("/link?token={other}")).status, 404);
}
