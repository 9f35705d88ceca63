//! Visitors to public links: their documents, fields and messages.

use serde_json::json;
use testkit::database::TestDatabase;
use testkit::operator::operator;

use super::{documents, look, new, path_of, text, visit};
use crate::support::{Answer, BASE, Server, committee, plain, token_of_writer, values_of};

testkit::on_both_databases!(
    a_visitor_becomes_the_first_writer,
    a_visitor_signs_in_the_place_that_is_left_to_him,
    what_a_visitor_leaves_out_is_asked_for,
    a_visitor_of_a_public_link_gets_the_promised_copy,
    with_confirm_the_signing_link_comes_by_message_alone,
);

fn a_visitor_becomes_the_first_writer(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let made = new(&server, &token, template, &json!({})).ok();
    let path = path_of(&made);
    for (language, words) in [
        ("ko", "먼저 이름과 연락처를"),
        ("en", "please enter your name"),
        ("ja", "お名前と連絡先"),
    ] {
        let page = look(&server, &path.replace("lang=en", &format!("lang={language}")));
        assert_eq!(page.status, 200);
        assert!(
            text(&page).contains(words) && text(&page).contains("acme Ltd"),
            "{}",
            text(&page)
        );
        assert!(
            page.header("content-security-policy")
                .contains("frame-ancestors 'none'")
        );
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "no-referrer");
    }
    assert!(documents(&server, &token).is_empty(), "looking starts nothing");
    let page = visit(&server, &path, " Ann ", "ann@example.com", true);
    assert_eq!(page.status, 200, "{}", text(&page));
    assert!(
        text(&page).contains("/assets/sign"),
        "the signing page: {}",
        text(&page)
    );
    let started = &documents(&server, &token)[0];
    assert_eq!(started["workflow_name"], "가입 Ann, 2026-01-01");
    let seen = server
        .get(&format!("/api/v3/workflows/{}", started["workflow_id"]), &token)
        .ok();
    assert_eq!(
        (&seen["next_name"], &seen["next_email"], &seen["steps"][1]["name"]),
        (&json!("Ann"), &json!("ann@example.com"), &json!("Clerk"))
    );
    assert_eq!(seen["field_list"][0]["value"], "한빛");
    let begun = &seen["history"][0];
    assert_eq!(
        (&begun["event"], &begun["actor_email"]),
        (&json!("started"), &json!(""))
    );
    assert!(
        begun["address"].as_str().is_some_and(|address| !address.is_empty()),
        "{begun}"
    );
    assert_eq!(
        server.get(&format!("/api/v3/link/{}", made["link_id"]), &token).ok()["used"],
        1
    );
}

/// Returns the names of the fields that the visitor fills in on the signing page.
fn own_fields(page: &Answer) -> Vec<String> {
    let page = text(page);
    page.split("class=\"field mine")
        // Skip the text before the first field.
        .skip(1)
        .filter_map(|field| field.split_once("data-name=\"")?.1.split_once('"'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn a_visitor_signs_in_the_place_that_is_left_to_him(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let committee = server.template(&company, &committee());
    for (named, left) in [("chair", "clerk"), ("clerk", "chair")] {
        let person = json!({"order": 1, "role": named, "name": "Named", "email": "named@example.com"});
        let more = json!({"template_id": committee, "field_list": [], "recipient_list": [person]});
        let path = path_of(&new(&server, &token, committee, &more).ok());
        let page = visit(&server, &path, "Ann", "ann@example.com", true);
        assert_eq!(page.status, 200, "{}", text(&page));
        assert_eq!(own_fields(&page), [format!("{left}_text")], "{named} is another person");
    }
}

#[test]
fn what_is_wrong_with_other_writers_is_no_fault_of_the_visitors() {
    let server = Server::new(&TestDatabase::sqlite());
    let (company, token, _) = server.with_company("acme");
    let fields = |width: u32| {
        json!({"name": "Two", "steps": [{"order": 1}, {"order": 2}], "fields": [
            {"name": "clerk", "kind": "writer", "detail": "name", "step": 2, "page": 1, "x": 100_000, "y": 60_000,
                "width": width, "height": 40_000},
        ]})
    };
    let template = server.template(&company, &fields(800_000));
    let clerk = json!({"order": 2, "name": "Clerk of the court ".repeat(3).trim(), "email": "clerk@example.com"});
    let more = json!({"field_list": [], "recipient_list": [clerk]});
    let path = path_of(&new(&server, &token, template, &more).ok());
    let narrow = fields(100_000).to_string();
    let import = app::ImportTemplate {
        pdf: &crate::support::pdf(),
        fields: narrow.as_bytes(),
    };
    server
        .app
        .replace_template(&operator(&server.app, &company), domain::TemplateId(template), &import)
        .expect("a version into which the clerk's name does not fit");
    let page = visit(&server, &path, "Ann", "ann@example.com", true);
    assert_eq!(page.status, 410, "{}", text(&page));
}

fn what_a_visitor_leaves_out_is_asked_for(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({})).ok());
    for (name, contact, agrees, words) in [
        ("", "ann@example.com", true, "Please fill this in"),
        ("Ann", "", true, "Please fill this in"),
        ("Ann", "ann@", true, "e-mail address"),
        ("Ann", "ann@example.com", false, "Please agree"),
        ("\u{202e}Ann", "ann@example.com", true, "direction"),
        ("Ann \u{10ffff}", "ann@example.com", true, "font"),
    ] {
        let page = visit(&server, &path, name, contact, agrees);
        assert_eq!(page.status, 422, "{name:?} {contact:?}");
        let said = text(&page);
        assert!(
            said.contains(words) && said.contains("aria-invalid=\"true\""),
            "{name:?} {contact:?}: {said}"
        );
        assert!(
            said.contains(&format!("value=\"{contact}\"")),
            "what was typed stays: {said}"
        );
    }
    assert!(documents(&server, &token).is_empty());
    let link = &server.get("/api/v3/link", &token).ok()["link_list"][0];
    assert_eq!(link["used"], 0);
    // The API returns the same error.
    let request = server.request("POST", &path, None).header("accept", "application/json");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = server.send(request.body("name=Ann&contact=ann%40example.com"));
    assert_eq!(answer.faults(), [("agree".to_owned(), "agreement-required".to_owned())]);
}

fn a_visitor_of_a_public_link_gets_the_promised_copy(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({})).ok());
    assert!(text(&look(&server, &path)).contains("send a copy to the address"));
    visit(&server, &path, "Ann", "ann@example.com", true);
    let id = documents(&server, &token)[0]["workflow_id"].clone();
    for order in 1..=2 {
        let body = json!({"order": order, "field_list": values_of(order)});
        server.act(&token, &id, "approve", &body).ok();
    }
    let caller = server.app.authenticate(&token).expect("the owner");
    let letters = server.app.outbox_messages(&caller, None).expect("letters").messages;
    let copy = letters.iter().find(|letter| {
        letter.to == "ann@example.com" && letter.links.iter().any(|link| link.url.contains("/mail/view"))
    });
    let copy = copy.unwrap_or_else(|| {
        panic!(
            "no copy for her: {:?}",
            letters.iter().map(|l| (&l.to, &l.subject)).collect::<Vec<_>>()
        )
    });
    let address = copy
        .links
        .iter()
        .find(|link| link.url.contains("/mail/view"))
        .expect("a link");
    let page = look(&server, address.url.strip_prefix(BASE).expect("ours"));
    assert_eq!(page.status, 200, "the document is there: {}", text(&page));
    // An embedded document announces no mails, because its signers receive none.
    let embedded = new(
        &server,
        &token,
        template,
        &json!({"export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true}}),
    );
    let page = look(&server, &path_of(&embedded.ok()));
    assert!(
        page.status == 200 && !text(&page).contains("you get a copy"),
        "{}",
        text(&page)
    );
}

fn with_confirm_the_signing_link_comes_by_message_alone(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({"confirm": true})).ok());
    let page = visit(&server, &path, "Ann", "ann@example.com", true);
    assert_eq!(page.status, 200);
    assert!(text(&page).contains("Check your messages"), "{}", text(&page));
    assert!(!text(&page).contains("mail/sign"), "{}", text(&page));
    let caller = server.app.authenticate(&token).expect("the owner");
    let letters = server.app.outbox_messages(&caller, None).expect("letters").messages;
    assert_eq!((letters.len(), letters[0].to.as_str()), (1, "ann@example.com"));
    assert!(letters[0].hides_link, "the link is the visitor's alone");
    let refused = new(
        &server,
        &token,
        template,
        &json!({"confirm": true, "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true}}),
    );
    assert_eq!(refused.faults(), [("confirm".to_owned(), "not-allowed".to_owned())]);
}

/// A template may let its signers reassign documents, but with a public link a stranger could then name anyone.
#[test]
fn a_visitor_of_a_link_assigns_the_document_to_nobody() {
    let server = Server::new(&TestDatabase::sqlite());
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let mut fields = plain(1, "end");
    fields["hand_over"] = json!(true);
    let template = server.template(&company, &fields);
    let link = json!({"workflow_name": "W", "template_id": template, "language": "en"});
    let path = path_of(&server.post("/api/v3/link/start", Some(&token), &link).ok());
    let page = visit(&server, &path, "Ann", "ann@example.com", true);
    assert_eq!(page.status, 200, "{}", text(&page));
    assert!(!text(&page).contains("hand-over-dialog"));
    let sign = token_of_writer(&server, &company, &documents(&server, &token)[0]["workflow_id"]);
    let handing = server
        .request("POST", "/sign/hand-over", None)
        .header("link-token", &sign);
    let handed = server.send(handing.json(&json!({"name": "Victim", "email": "victim@example.com"})));
    assert_eq!(handed.problem(409)["code"], "no-handing-over");
}

#[test]
fn a_visitors_name_is_no_template() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({})).ok());
    assert_eq!(visit(&server, &path, "{date}", "ann@example.com", true).status, 200);
    let name = documents(&server, &token)[0]["workflow_name"].clone();
    assert!(
        name.as_str().is_some_and(|name| name.starts_with("가입 {date}, 20")),
        "{name}"
    );
    for bad in ["가입 {nam}", "{name", "}", "{name} {date} {}"] {
        assert_eq!(
            new(&server, &token, template, &json!({"workflow_name": bad})).faults(),
            [("workflow_name".to_owned(), "unknown-place".to_owned())],
            "{bad}"
        );
    }
}
