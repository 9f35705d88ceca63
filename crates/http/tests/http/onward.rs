//! Links and forms of pages keep the page's language, and language links open the same page in another language. This
//! includes pages shown after a wrong entry.

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use url::form_urlencoded::Serializer;

use crate::support::{Answer, BASE, PASSWORD, Server, plain, start_body, values_of};

testkit::on_both_databases!(
    every_link_and_form_leads_on_in_the_language_of_its_page,
    the_signing_page_leads_to_the_finished_document_in_its_language,
    a_wrong_entry_leaves_the_choice_of_languages_and_is_in_no_address,
);

/// A link or form on a page.
struct Way {
    tag: String,
    address: String,
}

/// Returns all links and forms on this page.
fn ways(html: &str) -> Vec<Way> {
    let tags = html.split('<').filter_map(|rest| rest.split('>').next());
    let found = tags.filter_map(|tag| {
        let name = if tag.starts_with("a ") {
            "href=\""
        } else if tag.starts_with("form ") {
            "action=\""
        } else {
            return None;
        };
        let address = tag.split_once(name)?.1.split('"').next()?.to_owned();
        (!address.starts_with('#')).then(|| Way {
            tag: tag.to_owned(),
            address,
        })
    });
    found.collect()
}

fn language_of(html: &str) -> &str {
    let rest = html.split_once("<html lang=\"").expect("a language").1;
    rest.split('"').next().expect("a language")
}

/// Returns the URLs of the page in other languages.
fn languages(html: &str) -> Vec<String> {
    let all = ways(html).into_iter().filter(|way| way.tag.contains("hreflang="));
    all.map(|way| way.address).collect()
}

fn local(address: &Value) -> String {
    let address = address.as_str().expect("an address");
    address.strip_prefix(BASE).expect("one of ours").to_owned()
}

/// Opens a page in a browser that is set to English.
fn look(server: &Server, path: &str, cookie: &str) -> Answer {
    let request = server.request("GET", path, None).header("accept-language", "en");
    server.send(request.header("cookie", cookie.to_owned()))
}

/// Submits the first form of a page as a browser does.
fn submit(server: &Server, html: &str, entries: &[(&str, &str)], cookie: &str) -> Answer {
    let form = ways(html).into_iter().find(|way| way.tag.starts_with("form "));
    let path = form.expect("a form").address;
    let mut body = Serializer::new(String::new());
    for (name, value) in entries {
        body.append_pair(name, value);
    }
    let request = server
        .request("POST", &path, None)
        .header("accept-language", "en")
        .header("cookie", cookie.to_owned())
        .header("content-type", "application/x-www-form-urlencoded");
    server.send(request.body(body.finish()))
}

fn session(server: &Server) -> String {
    let attempt = app::LoginAttempt {
        company: "acme".to_owned(),
        email: "owner@example.com".to_owned(),
        password: PASSWORD.to_owned(),
        address: std::net::Ipv4Addr::LOCALHOST.into(),
    };
    let cookie = server.app.sign_in(&attempt, None).expect("signed in").cookie;
    format!("__Host-countersign_session={}", cookie.expose())
}

/// Starts a document whose first signer has these additional members.
fn started_with(server: &Server, token: &str, template: i64, more: &Value) -> String {
    let mut body = start_body(template);
    for (name, value) in more.as_object().expect("members") {
        body["recipient_list"][0][name] = value.clone();
    }
    local(&server.start(token, &body).ok()["sign_url"])
}

fn public_link(server: &Server, token: &str, template: i64) -> String {
    let body = json!({
        "workflow_name": "가입", "template_id": template, "language": "ko",
        "recipient_list": [{"order": 2, "name": "Clerk", "email": "clerk@example.com"}],
    });
    local(&server.post("/api/v3/link/start", Some(token), &body).ok()["link_url"])
}

fn in_language(path: &str, language: &str) -> String {
    path.replace("lang=ko", &format!("lang={language}"))
}

/// Opens the page and checks that all its links and forms keep its language.
fn leads_on(server: &Server, asked: &str, cookie: &str) -> String {
    let html = look(server, asked, cookie).html();
    let language = language_of(&html).to_owned();
    assert!(
        !asked.contains("lang=") || asked.contains(&format!("lang={language}")),
        "{asked}"
    );
    let ways: Vec<Way> = ways(&html)
        .into_iter()
        // Except links to other languages and the text of mails.
        .filter(|way| !way.tag.contains("hreflang=") && !way.tag.contains("rel=\"noopener noreferrer\""))
        .collect();
    for way in &ways {
        assert!(
            way.address.contains(&format!("lang={language}")),
            "{asked}: <{}>",
            way.tag
        );
    }
    assert!(!ways.is_empty(), "{asked} leads nowhere: {html}");
    html
}

fn every_link_and_form_leads_on_in_the_language_of_its_page(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let plain_template = server.template(&company, &plain(2, "end"));
    // A message for the outbox.
    let mut by_mail = start_body(template);
    by_mail.as_object_mut().expect("members").remove("export_api_info");
    server.start(&token, &by_mail).ok();

    let open = started_with(&server, &token, template, &json!({}));
    let guarded = started_with(&server, &token, template, &json!({"password": "850101"}));
    let coded = started_with(&server, &token, template, &json!({"one_time_code": true}));
    let link = public_link(&server, &token, plain_template);
    let finished = server.start(&token, &start_body(template)).ok();
    let id = &finished["workflow_id"];
    server
        .act(&token, id, "approve", &json!({"order": 1, "field_list": values_of(1)}))
        .ok();
    server
        .act(&token, id, "approve", &json!({"order": 2, "field_list": values_of(2)}))
        .ok();
    let files = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let cookie = session(&server);
    let outbox = look(&server, "/outbox?lang=ko", &cookie).html();
    let letter = ways(&outbox)
        .into_iter()
        .find(|way| way.address.starts_with("/outbox/"))
        .expect("a letter")
        .address;

    let of_company = [
        guarded.clone(),
        coded,
        link.clone(),
        local(&finished["sign_url"]),
        local(&files["download_url"]).replace("/mail/file", "/mail/view"),
        local(&files["certificate_url"]).replace("/mail/file", "/mail/view"),
    ];
    let others = [
        open,
        letter,
        "/outbox?lang=ko".to_owned(),
        "/verify?lang=ko".to_owned(),
        "/sign-in?lang=ko".to_owned(),
    ];
    for path in of_company.iter().chain(&others) {
        assert!(path.contains("lang=ko"), "{path}");
        // Uses the language in the URL, or the page's choice if there is none.
        let silent = path.replace("&lang=ko", "").replace("?lang=ko", "");
        for asked in ["ko", "en", "ja"]
            .map(|language| in_language(path, language))
            .iter()
            .chain([&silent])
        {
            let html = leads_on(&server, asked, &cookie);
            if of_company.contains(path) {
                assert!(
                    html.contains("<span class=\"name\" dir=\"auto\">acme Ltd</span>"),
                    "{asked}: whose page is it?"
                );
            }
        }
    }
}

// Next documents are tested in `identity.rs`.
fn the_signing_page_leads_to_the_finished_document_in_its_language(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let alone = server.template(&company, &plain(1, "end"));
    let mut body = start_body(alone);
    body["recipient_list"].as_array_mut().expect("a list").truncate(1);
    let started = server.start(&token, &body).ok();
    let request = server
        .request("POST", "/sign/approve", None)
        .header("accept-language", "ja")
        .header("link-token", started["token"].as_str().expect("a token"));
    let done = server
        .send(request.json(&json!({"values": [{"name": "text1", "value": "x"}]})))
        .ok();
    assert!(local(&done["document_url"]).ends_with("&lang=ja"), "{done}");
}

fn a_wrong_entry_leaves_the_choice_of_languages_and_is_in_no_address(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let plain_template = server.template(&company, &plain(2, "end"));
    let guarded = started_with(&server, &token, template, &json!({"password": "850101"}));
    let coded = started_with(&server, &token, template, &json!({"one_time_code": true}));
    let link = public_link(&server, &token, plain_template);
    let choices = "&callback_fn=true&next_sign=false";
    let form = look(&server, "/sign-in?next=/outbox/1", "");
    let form_cookie = form
        .header("set-cookie")
        .split(';')
        .next()
        .expect("a cookie")
        .to_owned();
    let html = form.html();
    let csrf = html.split_once("name=\"csrf\" value=\"").expect("a form").1;
    let csrf = csrf.split('"').next().expect("a token");

    let mut answered = Vec::new();
    let page = look(&server, &format!("{}{choices}", in_language(&guarded, "ja")), "").html();
    for _ in 0..5 {
        // The last wrong code locks the page.
        answered.push((submit(&server, &page, &[("code", "t-y-p-e-d")], ""), true));
    }
    let page = look(&server, &format!("{}{choices}", in_language(&coded, "ja")), "").html();
    let sent = submit(&server, &page, &[], "").html();
    answered.push((submit(&server, &sent, &[("code", "t-y-p-e-d")], ""), true));
    // Immediately requests another code.
    answered.push((submit(&server, &page, &[], ""), true));
    let page = look(&server, &in_language(&link, "ja"), "").html();
    let entries = [("name", "t-y-p-e-d"), ("contact", "t-y-p-e-d")];
    answered.push((submit(&server, &page, &entries, ""), false));
    let page = look(&server, "/sign-in?next=/outbox/1&lang=ja", &form_cookie).html();
    let entries = [
        ("csrf", csrf),
        ("next", "/outbox/1"),
        ("company", "acme"),
        ("email", "t-y-p-e-d@example.com"),
        ("password", "t-y-p-e-d"),
    ];
    answered.push((submit(&server, &page, &entries, &form_cookie), false));

    for (answer, keeps_choices) in answered {
        let html = answer.html();
        assert!(
            [401, 409, 422, 429].contains(&answer.status),
            "{} {html}",
            answer.status
        );
        assert_eq!(language_of(&html), "ja", "{html}");
        let others = languages(&html);
        assert_eq!(others.len(), 3, "{html}");
        for (address, language) in others.iter().zip(["ko", "en", "ja"]) {
            assert!(!address.contains("t-y-p-e-d") && !address.contains("csrf"), "{address}");
            assert_eq!(address.contains(choices), keeps_choices, "{address}");
            let opened = look(&server, address, "");
            // Either the same page, or the page about the locked link.
            assert!([200, 409].contains(&opened.status), "{address}: {}", opened.status);
            assert_eq!(language_of(&opened.html()), language);
        }
        for way in ways(&html) {
            assert!(!way.address.contains("t-y-p-e-d"), "{}", way.tag);
        }
    }
}
