//! The members' documents: the list, one document, and what its sender can do with it.

use app::{LinkToken, ListRequest};
use domain::Role;
use serde_json::{Value, json};
use store::outbox::Outcome;
use testkit::database::TestDatabase;
use url::form_urlencoded::Serializer;

use crate::support::{Answer, Member, Server, plain};

testkit::on_both_databases!(
    the_list_says_whose_turn_it_is_and_what_was_not_delivered,
    tabs_words_and_dates_narrow_the_list_and_pages_keep_them,
    a_sender_does_everything_on_the_documents_page_and_the_audit_trail_names_it,
    a_refused_form_says_why_and_changes_nothing,
    an_auditor_reads_and_is_offered_nothing_else,
    the_page_shows_no_link_that_signs,
    files_are_downloaded_from_the_page,
    what_is_unknown_or_another_companys_is_not_found,
    signing_in_leads_to_the_page_that_was_asked_for,
);

struct World {
    server: Server,
    token: String,
    template: i64,
    sender: Member,
    auditor: Member,
}

fn world(database: &TestDatabase, steps: u32) -> World {
    let server = Server::new(database);
    let company = server.company("acme");
    server.member(&company, "sender@example.com", Role::Sender);
    server.member(&company, "auditor@example.com", Role::Auditor);
    World {
        token: server.token("acme", "sender@example.com"),
        template: server.template(&company, &plain(steps, "end")),
        sender: server.sign_in("acme", "sender@example.com"),
        auditor: server.sign_in("acme", "auditor@example.com"),
        server,
    }
}

impl World {
    fn start(&self, name: &str) -> Value {
        let template = self
            .server
            .get(&format!("/api/v3/templates/{}", self.template), &self.token);
        let steps = template.ok()["steps"].as_array().expect("steps").len();
        let people = [
            ("Kim Minjun", "minjun@example.com"),
            ("Yamada Taro", "taro@example.com"),
        ];
        let recipients: Vec<Value> = (1..)
            .zip(people)
            .take(steps)
            .map(|(order, (name, email))| json!({"order": order, "name": name, "email": email}))
            .collect();
        let body = json!({
            "workflow_name": name, "template_id": self.template, "language": "en", "recipient_list": recipients,
        });
        self.server.start(&self.token, &body).ok()["workflow_id"].clone()
    }

    fn approve(&self, id: &Value, order: u32) {
        let body = json!({"order": order, "field_list": [{"name": format!("text{order}"), "value": "salary"}]});
        self.server.act(&self.token, id, "approve", &body).ok();
    }

    fn look_as(&self, member: &Member, path: &str) -> Answer {
        let mark = if path.contains('?') { '&' } else { '?' };
        let request = self.server.request("GET", &format!("{path}{mark}lang=en"), None);
        self.server.send(request.header("cookie", member.cookie.clone()))
    }

    fn look(&self, path: &str) -> Answer {
        let answer = self.look_as(&self.sender, path);
        assert_eq!(answer.status, 200, "{}", answer.html());
        answer
    }

    fn post(&self, member: &Member, id: &Value, entries: &[(&str, &str)]) -> Answer {
        let form = Serializer::new(String::new())
            .append_pair("csrf", &member.csrf)
            .extend_pairs(entries)
            .finish();
        let request = self
            .server
            .request("POST", &format!("/documents/{id}?lang=en"), None)
            .header("cookie", member.cookie.clone())
            .header("content-type", "application/x-www-form-urlencoded");
        self.server.send(request.body(form))
    }

    fn shown(&self, id: &Value) -> Value {
        self.server.get(&format!("/api/v3/workflows/{id}"), &self.token).ok()
    }

    fn events(&self, id: &Value) -> Vec<String> {
        let shown = self.shown(id);
        let history = shown["history"].as_array().expect("a history").iter();
        history
            .map(|entry| entry["event"].as_str().expect("an event").to_owned())
            .collect()
    }
}

/// The names of the listed documents, in the order of the list.
fn names(page: &Answer) -> Vec<String> {
    let html = page.html();
    html.split("class=\"subject\" dir=\"auto\">")
        .skip(1)
        .map(|rest| rest.split('<').next().expect("a name").to_owned())
        .collect()
}

/// The list's entry about a document.
fn entry(page: &Answer, name: &str) -> String {
    let html = page.html();
    let found = html.split("<li>").find(|entry| entry.contains(&format!(">{name}<")));
    found.unwrap_or_else(|| panic!("{name} is not in {html}")).to_owned()
}

fn the_list_says_whose_turn_it_is_and_what_was_not_delivered(database: &TestDatabase) {
    let world = world(database, 2);
    assert!(world.look("/documents").html().contains("No documents yet"));
    let first = world.start("First");
    let refused = world.server.tried(Some(550), Some("550 5.1.1 no such user"), "");
    assert_eq!(world.server.try_all(&refused, Outcome::Dead).len(), 1);
    let second = world.start("Second");
    world.server.drain();
    world.approve(&second, 1);
    let list = world.look("/documents");
    assert_eq!(names(&list), ["Second", "First"]);
    let (first_entry, second_entry) = (entry(&list, "First"), entry(&list, "Second"));
    assert!(
        first_entry.contains("waiting for Kim Minjun (step 1 of 2)"),
        "{first_entry}"
    );
    assert!(first_entry.contains("was not delivered"), "{first_entry}");
    assert!(
        second_entry.contains("waiting for Yamada Taro (step 2 of 2)"),
        "{second_entry}"
    );
    assert!(!second_entry.contains("was not delivered"), "{second_entry}");
    world.approve(&second, 2);
    let list = world.look("/documents");
    let done = entry(&list, "Second");
    assert!(done.contains("Complete") && !done.contains("waiting for"), "{done}");
    assert!(list.html().contains(&format!("/documents/{first}?lang=en")));
}

fn tabs_words_and_dates_narrow_the_list_and_pages_keep_them(database: &TestDatabase) {
    let world = world(database, 1);
    let running = world.start("Running lease");
    let complete = world.start("Complete lease");
    world.approve(&complete, 1);
    let cancelled = world.start("Cancelled contract");
    assert_eq!(
        world.post(&world.sender, &cancelled, &[("action", "cancel")]).status,
        200
    );
    while world.server.app.index_texts(100).expect("indexed") > 0 {}
    for (query, expected) in [
        ("", vec!["Cancelled contract", "Complete lease", "Running lease"]),
        ("?tab=in-progress", vec!["Running lease"]),
        ("?tab=complete", vec!["Complete lease"]),
        ("?tab=ended", vec!["Cancelled contract"]),
        ("?q=lease", vec!["Complete lease", "Running lease"]),
        ("?q=lease&tab=ended", vec![]),
        ("?q=salary", vec!["Complete lease"]),
        (
            "?q=minjun",
            vec!["Cancelled contract", "Complete lease", "Running lease"],
        ),
        ("?q=!", vec![]),
        ("?to=2025-12-31", vec![]),
        ("?from=2026-01-01&tab=complete", vec!["Complete lease"]),
    ] {
        let page = world.look(&format!("/documents{query}"));
        assert_eq!(names(&page), expected, "{query}");
    }
    assert!(world.look("/documents?q=nothing").html().contains("No documents found"));
    let filtered = world.look("/documents?q=lease&tab=complete").html();
    assert!(filtered.contains("tab=ended&q=lease"), "{filtered}");
    world.shown(&running);
    // More than a page: every document is on exactly one.
    for number in 0..60 {
        world.start(&format!("Lot {number}"));
    }
    let first = world.look("/documents?tab=in-progress");
    let html = first.html();
    let older = html.split("rel=\"next\" href=\"").nth(1).expect("a next page");
    let older = older.split('"').next().expect("an address");
    assert!(older.contains("tab=in-progress"), "{older}");
    let second = world.look(older);
    let mut all = names(&first);
    assert_eq!(all.len(), 50);
    all.extend(names(&second));
    let mut expected: Vec<String> = (0..60).rev().map(|number| format!("Lot {number}")).collect();
    expected.push("Running lease".to_owned());
    assert_eq!(all, expected);
}

fn a_sender_does_everything_on_the_documents_page_and_the_audit_trail_names_it(database: &TestDatabase) {
    let world = world(database, 2);
    let id = world.start("Contract");
    let done = |entries: &[(&str, &str)]| {
        let answer = world.post(&world.sender, &id, entries);
        assert_eq!(answer.status, 200, "{entries:?}: {}", answer.html());
        assert!(
            answer.html().contains("role=\"status\""),
            "{entries:?}: {}",
            answer.html()
        );
    };
    done(&[("action", "remind")]);
    done(&[("action", "extend"), ("expiry_date", "2026-03-01")]);
    let correction = [
        ("action", "correct"),
        ("order", "2"),
        ("current_contact", "taro@example.com"),
        ("name", "Sato Hanako"),
        ("contact", "hanako@example.com"),
    ];
    done(&correction);
    done(&[("action", "renew")]);
    done(&[("action", "revoke")]);
    done(&[("action", "cancel"), ("comment", "No longer needed")]);
    let events = world.events(&id);
    for event in [
        "reminded",
        "extended",
        "recipient_corrected",
        "links_renewed",
        "links_revoked",
        "canceled",
    ] {
        assert_eq!(
            events.iter().filter(|known| *known == event).count(),
            1,
            "{event}: {events:?}"
        );
    }
    let shown = world.shown(&id);
    assert!(
        shown["expiry_date"]
            .as_str()
            .expect("a date")
            .starts_with("2026-03-01 23:59:59")
    );
    let page = world.look(&format!("/documents/{id}")).html();
    for text in [
        "Cancelled",
        "No longer needed",
        "Sato Hanako",
        "Yamada Taro → Sato Hanako",
        "Recipient corrected",
        "Expiry changed",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    done(&[("action", "discard")]);
    assert_eq!(names(&world.look("/documents")), Vec::<String>::new());
}

fn a_refused_form_says_why_and_changes_nothing(database: &TestDatabase) {
    let world = world(database, 2);
    let id = world.start("Contract");
    world.approve(&id, 1);
    let before = world.shown(&id);
    for (status, entries) in [
        (422, vec![("action", "extend"), ("expiry_date", "2020-01-01")]),
        (422, vec![("action", "extend"), ("expiry_date", "soon")]),
        (409, vec![("action", "discard")]),
        (
            409,
            vec![
                ("action", "correct"),
                ("order", "1"),
                ("name", "Other"),
                ("contact", "minjun@example.com"),
            ],
        ),
        (
            422,
            vec![
                ("action", "correct"),
                ("order", "2"),
                ("name", "Other"),
                ("contact", "nobody"),
            ],
        ),
        (404, vec![("action", "correct"), ("order", "9"), ("name", "Other")]),
        (404, vec![("action", "correct"), ("name", "Other")]),
    ] {
        let answer = world.post(&world.sender, &id, &entries);
        assert_eq!(answer.status, status, "{entries:?}: {}", answer.html());
        if status != 404 {
            let html = answer.html();
            assert!(
                html.contains("class=\"notice bad\" role=\"alert\""),
                "{entries:?}: {html}"
            );
        }
    }
    // Nothing was asked for, or nothing that the page knows.
    for entries in [vec![], vec![("action", "approve")]] {
        assert_eq!(world.post(&world.sender, &id, &entries).status, 200);
    }
    assert_eq!(world.shown(&id), before);
}

fn an_auditor_reads_and_is_offered_nothing_else(database: &TestDatabase) {
    let world = world(database, 2);
    let id = world.start("Contract");
    let before = world.shown(&id);
    let page = world.look_as(&world.auditor, &format!("/documents/{id}"));
    assert_eq!(page.status, 200);
    let html = page.html();
    assert!(html.contains("Kim Minjun") && html.contains("Asked to sign"), "{html}");
    // The sign-out form alone.
    assert_eq!(html.matches("<form").count(), 1, "{html}");
    assert!(!html.contains("/outbox"), "{html}");
    for action in ["remind", "extend", "cancel", "correct", "renew", "revoke", "discard"] {
        assert_eq!(
            world.post(&world.auditor, &id, &[("action", action)]).status,
            403,
            "{action}"
        );
    }
    assert_eq!(world.shown(&id), before);
}

fn the_page_shows_no_link_that_signs(database: &TestDatabase) {
    let world = world(database, 1);
    let embedded = json!({
        "workflow_name": "Embedded", "template_id": world.template,
        "recipient_list": [{"order": 1, "name": "Kim Minjun", "email": "minjun@example.com"}],
        "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": true},
    });
    let embedded = world.server.start(&world.token, &embedded).ok()["workflow_id"].clone();
    for id in [&world.start("Sent"), &embedded] {
        for member in [&world.sender, &world.auditor] {
            let html = world.look_as(member, &format!("/documents/{id}")).html();
            let signing = html
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
                .filter_map(|word| LinkToken::decode(word, &world.server.app.vault))
                .filter(LinkToken::signs)
                .count();
            assert_eq!(signing, 0, "{html}");
        }
    }
}

fn files_are_downloaded_from_the_page(database: &TestDatabase) {
    let world = world(database, 1);
    let id = world.start("Contract");
    let file = |name: &str| world.look_as(&world.auditor, &format!("/documents/{id}/{name}"));
    assert_eq!(file("file").status, 409);
    world.approve(&id, 1);
    for name in ["file", "certificate"] {
        let answer = file(name);
        assert_eq!(answer.status, 200, "{name}");
        assert!(answer.body.starts_with(b"%PDF-"), "{name}");
        assert!(answer.header("content-disposition").starts_with("attachment"), "{name}");
    }
    let page = world.look(&format!("/documents/{id}")).html();
    assert!(page.contains(&format!("/documents/{id}/file?lang=en")), "{page}");
    assert!(page.contains(&format!("/documents/{id}/certificate?lang=en")), "{page}");
}

fn what_is_unknown_or_another_companys_is_not_found(database: &TestDatabase) {
    let world = world(database, 1);
    let id = world.start("Contract");
    world.server.company("other");
    let stranger = world.server.sign_in("other", "owner@example.com");
    for (member, id) in [
        (&stranger, &id),
        (&world.sender, &json!(999_999)),
        (&world.sender, &json!(0)),
    ] {
        for rest in ["", "/file", "/certificate"] {
            let answer = world.look_as(member, &format!("/documents/{id}{rest}"));
            assert_eq!(answer.status, 404, "{id}{rest}");
            assert!(!answer.html().contains("Contract"), "{id}{rest}");
        }
        assert_eq!(world.post(member, id, &[("action", "cancel")]).status, 404, "{id}");
    }
    assert_eq!(names(&world.look_as(&stranger, "/documents")), Vec::<String>::new());
    // An address that cannot be read is no error of the server.
    assert_eq!(world.look_as(&world.sender, "/documents?before=x").status, 404);
    assert_eq!(world.look_as(&world.sender, "/documents?from=yesterday").status, 404);
    let operator = world
        .server
        .app
        .operator(&domain::CompanyId::parse("acme").expect("an id"));
    let listed = world.server.app.documents(
        &operator.expect("an operator"),
        app::DocumentTab::All,
        &ListRequest::default(),
    );
    assert_eq!(listed.expect("a list").rows.len(), 1);
}

fn signing_in_leads_to_the_page_that_was_asked_for(database: &TestDatabase) {
    let world = world(database, 1);
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let client = client.no_proxy().build().expect("a client");
    let asked = |path: &str| {
        let answer = world.server.send(client.get(world.server.address_of(path)));
        assert_eq!(answer.status, 303, "{path}");
        answer.header("location").to_owned()
    };
    assert_eq!(asked("/"), "/documents");
    assert_eq!(
        asked("/documents?q=a+b&tab=all&lang=en"),
        "/sign-in?next=%2Fdocuments%3Fq%3Da%2Bb%26tab%3Dall&lang=en"
    );
    let form = world
        .server
        .send(world.server.request("GET", &asked("/documents/7?lang=ja"), None));
    assert!(
        form.html().contains("name=\"next\" value=\"/documents/7\""),
        "{}",
        form.html()
    );
}
