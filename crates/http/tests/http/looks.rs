//! A company's look appears on the pages of its links, and on no other pages.

use app::CompanyChange;
use domain::{Colour, CompanyId};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{Answer, BASE, PNG, Server, plain, start_body, values_of};

testkit::on_both_databases!(
    every_page_behind_a_companys_links_looks_like_it,
    pages_of_finished_and_ended_documents_look_like_their_company,
    style_and_logo_are_kept_for_ever_and_are_nobody_elses,
);

fn dress(server: &Server, company: &CompanyId) {
    use base64::Engine as _;
    let change = CompanyChange {
        accent: Some(Colour::parse("#17663a")),
        logo: Some(Some(base64::prelude::BASE64_STANDARD.decode(PNG).expect("base64"))),
        ..CompanyChange::default()
    };
    server
        .app
        .change_company(&operator(&server.app, company), &change)
        .expect("dressed");
}

fn look(server: &Server, address: &Value) -> Answer {
    let path = address.as_str().expect("an address").strip_prefix(BASE).expect("ours");
    server.send(server.request("GET", path, None).header("accept-language", "en"))
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).replace("&#x2f;", "/")
}

/// Returns the URLs of the page's style and logo.
#[track_caller]
fn addresses(answer: &Answer) -> (String, String) {
    let html = text(answer);
    assert!(html.contains("alt=\"acme Ltd\""), "{} {html}", answer.status);
    let between = |start: &str, end: &str| {
        let at = html.find(start).unwrap_or_else(|| panic!("no {start} in {html}")) + start.len();
        let rest = &html[at..];
        rest[..rest.find(end).expect("an end")].to_owned()
    };
    (
        format!("/api/acme/look/{}.css", between("/api/acme/look/", ".css\"")),
        format!(
            "/api/acme/look/{}.png",
            between("class=\"logo\" src=\"/api/acme/look/", ".png\"")
        ),
    )
}

fn every_page_behind_a_companys_links_looks_like_it(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let plain_page = look(&server, &started["sign_url"]);
    assert!(
        !text(&plain_page).contains("/look/"),
        "a company without a look asks for nothing more"
    );

    dress(&server, &company);
    let open = look(&server, &started["sign_url"]);
    assert_eq!(open.status, 200);
    let expected = addresses(&open);
    // Another language, under the company's own URL, has the same look.
    let own = started["sign_url"]
        .as_str()
        .expect("an address")
        .replace("/mail/sign", "/api/acme/sign");
    assert_eq!(
        addresses(&look(&server, &json!(own.replace("lang=ko", "lang=ja")))),
        expected
    );

    let mut guarded = start_body(template);
    guarded["recipient_list"][0]["password"] = json!("850101");
    let guarded = server.start(&token, &guarded).ok();
    assert_eq!(
        addresses(&look(&server, &guarded["sign_url"])),
        expected,
        "the access code"
    );
    let mut coded = start_body(template);
    coded["recipient_list"][0]["one_time_code"] = json!(true);
    let coded = server.start(&token, &coded).ok();
    assert_eq!(
        addresses(&look(&server, &coded["sign_url"])),
        expected,
        "the one-time code"
    );

    let mut preview = start_body(template);
    preview["is_preview"] = json!(true);
    let preview = server.start(&token, &preview).ok();
    assert_eq!(
        addresses(&look(&server, &preview["preview_url"])),
        expected,
        "the preview"
    );

    // A public link, when open and when closed.
    let single = server.template(&company, &plain(1, "end"));
    let link = json!({"workflow_name": "가입 {name}", "template_id": single, "language": "en"});
    let link = server.post("/api/v3/link/start", Some(&token), &link).ok();
    assert_eq!(
        addresses(&look(&server, &link["link_url"])),
        expected,
        "the public link"
    );
    let close = format!("/api/v3/link/{}/close", link["link_id"]);
    server.post(&close, Some(&token), &json!({})).ok();
    let closed = look(&server, &link["link_url"]);
    assert_eq!((closed.status, addresses(&closed)), (410, expected));
    // Pages without a company have the default look.
    for path in ["/verify", "/sign-in", "/mail/sign?token=abc"] {
        let page = server.send(server.request("GET", path, None));
        assert!(!text(&page).contains("/look/"), "{path}");
    }
}

/// Signed, complete, cancelled, reassigned.
fn pages_of_finished_and_ended_documents_look_like_their_company(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    dress(&server, &company);
    let started = server.start(&token, &start_body(template)).ok();
    let id = &started["workflow_id"];
    let expected = addresses(&look(&server, &started["sign_url"]));
    server
        .act(&token, id, "approve", &json!({"order": 1, "field_list": values_of(1)}))
        .ok();
    let signed = look(&server, &started["sign_url"]);
    assert_eq!((signed.status, addresses(&signed)), (409, expected.clone()));
    server
        .act(&token, id, "approve", &json!({"order": 2, "field_list": values_of(2)}))
        .ok();
    let done = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    for file in ["download_url", "certificate_url"] {
        assert_eq!(addresses(&look(&server, &done[file])), expected, "{file}");
    }
    server.clock.advance(40 * 24 * 60 * 60);
    let over = look(&server, &done["download_url"]);
    assert_eq!((over.status, addresses(&over)), (410, expected.clone()));
    let again = server.start(&token, &start_body(template));
    // The token has expired in the meantime.
    assert_eq!(again.status, 401);
    let token = server.token("acme", "owner@example.com");
    let again = server.start(&token, &start_body(template)).ok();
    server
        .act(&token, &again["workflow_id"], "cancel", &json!({"comment": "-"}))
        .ok();
    let ended = look(&server, &again["sign_url"]);
    assert_eq!((ended.status, addresses(&ended)), (410, expected.clone()));
    let corrected = server.start(&token, &start_body(template)).ok();
    let path = format!("/api/v3/workflows/{}/recipients/1", corrected["workflow_id"]);
    let body = json!({"name": "김민준", "email": "new@example.com"});
    server
        .send(server.request("PATCH", &path, Some(&token)).json(&body))
        .ok();
    let old = look(&server, &corrected["sign_url"]);
    assert_eq!((old.status, addresses(&old)), (410, expected));
}

fn style_and_logo_are_kept_for_ever_and_are_nobody_elses(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    server.company("other");
    dress(&server, &company);
    let started = server.start(&token, &start_body(template)).ok();
    let (style, logo) = addresses(&look(&server, &started["sign_url"]));
    let get = |path: &str| server.send(server.request("GET", path, None));
    for (path, media_type) in [(&style, "text/css; charset=utf-8"), (&logo, "image/png")] {
        let answer = get(path);
        assert_eq!((answer.status, answer.header("content-type")), (200, media_type));
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert!(!answer.body.is_empty());
        for wrong in [
            path.replace("acme", "other"),
            path.replace("acme", "nobody"),
            path.replace("look/", "look/0"),
            path.replace(".css", ".js").replace(".png", ".svg"),
        ] {
            get(&wrong).problem(404);
        }
    }
    assert!(String::from_utf8_lossy(&get(&style).body).contains("--accent:#17663a"));
    // A new colour has a new URL, and the old URL is unknown.
    let other = CompanyChange {
        accent: Some(Colour::parse("#a5231c")),
        ..CompanyChange::default()
    };
    server
        .app
        .change_company(&operator(&server.app, &company), &other)
        .expect("changed");
    get(&style).problem(404);
    let (new, same) = addresses(&look(&server, &started["sign_url"]));
    assert_ne!(new, style);
    assert_eq!(same, logo);
    assert_eq!(get(&new).status, 200);
}
