//! Limits on the uses of a link, an address and a contact.

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use url::form_urlencoded::Serializer;

use super::{documents, look, new, path_of, text, visit};
use crate::support::{Answer, Server, plain};

testkit::on_both_databases!(
    a_visitor_who_must_wait_reads_why_and_how_long_and_loses_nothing,
    each_address_uses_a_link_once_unless_it_may_often,
    the_limit_is_exact_whatever_comes_at_once,
    a_link_does_not_let_strangers_have_us_write_to_others_often,
);

fn each_address_uses_a_link_once_unless_it_may_often(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let once = path_of(&new(&server, &token, template, &json!({})).ok());
    assert_eq!(visit(&server, &once, "Ann", "ann@example.com", true).status, 200);
    assert_eq!(visit(&server, &once, "Kim", "010-1234-5678", true).status, 200);
    for contact in ["ann@example.com", " ANN@example.COM ", "+82 10 1234 5678"] {
        let page = visit(&server, &once, "Ann", contact, true);
        assert_eq!(page.status, 409, "{contact}");
        assert!(
            text(&page).contains("already started with this e-mail address"),
            "{}",
            text(&page)
        );
        assert!(
            text(&page).contains(&format!("value=\"{contact}\"")),
            "the message says how to fix it: {}",
            text(&page)
        );
    }
    assert_eq!(documents(&server, &token).len(), 2);
    let links = server.get("/api/v3/link", &token).ok();
    assert_eq!(links["link_list"][0]["used"], 2, "who was refused does not count");
    let many = path_of(&new(&server, &token, template, &json!({"duplicates": "many"})).ok());
    for _ in 0..2 {
        assert_eq!(visit(&server, &many, "Ann", "ann@example.com", true).status, 200);
    }
    assert_eq!(documents(&server, &token).len(), 4);
}

fn the_limit_is_exact_whatever_comes_at_once(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.link_starts = 1_000);
    let (_, token, template) = server.with_company("acme");
    let made = new(&server, &token, template, &json!({"limit": 4})).ok();
    let path = path_of(&made);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let visitors: Vec<_> = (0..10)
            .map(|number| {
                let (server, path) = (&server, &path);
                scope.spawn(move || visit(server, path, "Ann", &format!("ann{number}@example.com"), true).status)
            })
            .collect();
        visitors
            .into_iter()
            .map(|visitor| visitor.join().expect("a visitor"))
            .collect()
    });
    let count = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
    assert_eq!((count(200), count(410)), (4, 6), "{statuses:?}");
    assert_eq!(documents(&server, &token).len(), 4);
    let link = server.get(&format!("/api/v3/link/{}", made["link_id"]), &token).ok();
    assert_eq!((&link["used"], &link["status"]), (&json!(4), &json!("used_up")));
    assert!(text(&look(&server, &path)).contains("This link has reached its limit"));
}

fn a_link_does_not_let_strangers_have_us_write_to_others_often(database: &TestDatabase) {
    let server = Server::with(database, |settings, http| {
        http.link_starts = 1_000;
        settings.public_links.of_link = 9;
    });
    let (_, token, template) = server.with_company("acme");
    let many = json!({"duplicates": "many", "confirm": true});
    let paths: Vec<String> = (0..2)
        .map(|_| path_of(&new(&server, &token, template, &many).ok()))
        .collect();
    // Spellings of an address count as the same person, through any link.
    let spellings = [
        "u@bücher.example",
        "u@xn--bcher-kva.example",
        "\"u\"@bücher.example",
        "U@BÜCHER.example",
        "u+offers@bücher.example",
    ];
    for (contact, path) in spellings.iter().zip(paths.iter().cycle()) {
        assert_eq!(visit(&server, path, "Ann", contact, true).status, 200, "{contact}");
    }
    for (contact, path) in spellings.iter().zip(paths.iter().cycle()) {
        let page = visit(&server, path, "Ann", contact, true);
        assert_eq!((page.status, page.header("retry-after")), (429, "3600"), "{contact}");
    }
    assert_eq!(documents(&server, &token).len(), 5);
    // One link is limited for all visitors together.
    let statuses: Vec<u16> = (0..8)
        .map(|number| visit(&server, &paths[0], "Ann", &format!("ann{number}@example.com"), true).status)
        .collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 429, 429]);
    assert_eq!(visit(&server, &paths[1], "Ann", "ann7@example.com", true).status, 200);
    server.clock.advance(3_600);
    assert_eq!(
        visit(&server, &paths[0], "Ann", spellings[0], true).status,
        200,
        "an hour later"
    );
}

#[test]
fn a_visitors_name_makes_no_link_in_our_mails() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({"confirm": true})).ok());
    for name in [
        "WIN 1,000,000 at http://evil.example/x",
        "evil.한국",
        "evil․com",
        "mailto:x",
    ] {
        let page = visit(&server, &path, name, "bob@example.com", true);
        assert_eq!(page.status, 422, "{name}");
        assert!(
            text(&page).contains("without a web or e-mail address"),
            "{}",
            text(&page)
        );
    }
}

#[test]
fn text_messages_go_to_mobile_numbers_of_the_links_countries_only() {
    let server = Server::with(&TestDatabase::sqlite(), |_, http| http.link_starts = 1_000);
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({"confirm": true})).ok());
    for (contact, said) in [
        ("+1 900 555 0123", "Enter a mobile number"),
        ("+870 773 111 632", "Enter a mobile number"),
        ("+882 16 0012 3456", "Enter a mobile number"),
        ("02-312-3456", "Enter a mobile number"),
        ("+81 90 1234 5678", "numbers from these countries can be used here: KR"),
    ] {
        let page = visit(&server, &path, "Bob", contact, true);
        assert_eq!(page.status, 422, "{contact}");
        let shown = text(&page);
        assert!(
            shown.contains(said) || shown.contains("neither an e-mail"),
            "{contact}: {shown}"
        );
    }
    assert_eq!(visit(&server, &path, "Bob", "010-1234-5678", true).status, 200);
    let wider = json!({"confirm": true, "phone_countries": ["kr", "JP"]});
    let wider = path_of(&new(&server, &token, template, &wider).ok());
    for (contact, status) in [
        ("+81 90 1234 5678", 200),
        ("010-1234-5678", 200),
        ("+1 415 555 2671", 422),
    ] {
        assert_eq!(visit(&server, &wider, "Bob", contact, true).status, status, "{contact}");
    }
    let refused = new(&server, &token, template, &json!({"phone_countries": ["KR", "001", 5]}));
    assert_eq!(
        refused.faults(),
        [
            ("phone_countries[1]".to_owned(), "invalid-country".to_owned()),
            ("phone_countries[2]".to_owned(), "wrong-type".to_owned()),
        ]
    );
}

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Submits the form in this language, accepting these media types.
fn visit_in(server: &Server, path: &str, contact: &str, lang: &str, accept: &str) -> Answer {
    let key = path.split_once("token=").expect("a token").1;
    let key = key.split('&').next().expect("a token");
    let mut form = Serializer::new(String::new());
    form.append_pair("token", key)
        .append_pair("name", "Ann Lee")
        .append_pair("contact", contact)
        .append_pair("agree", "1");
    let request = server
        .request("POST", &format!("/link?lang={lang}"), None)
        .header("content-type", "application/x-www-form-urlencoded")
        .header("accept", accept);
    server.send(request.body(form.finish()))
}

/// Checks a temporary refusal: the page explains it in Korean, English and Japanese, and keeps the entries.
fn must_wait(server: &Server, path: &str, contact: &str, code: &str, wait: &str, words: [&str; 3]) {
    for (lang, words) in ["ko", "en", "ja"].into_iter().zip(words) {
        let page = visit_in(server, path, contact, lang, BROWSER);
        let said = text(&page);
        assert_eq!((page.status, page.header("retry-after")), (429, wait), "{said}");
        assert_eq!(page.header("cache-control"), "no-store");
        for kept in [
            words,
            "role=\"alert\"",
            "value=\"Ann Lee\"",
            &format!("value=\"{contact}\""),
            "required checked",
        ] {
            assert!(said.contains(kept), "{lang} {kept}: {said}");
        }
    }
    let answer = visit_in(server, path, contact, "en", "application/json");
    assert_eq!(answer.header("retry-after"), wait);
    let problem = answer.problem(429);
    assert_eq!(
        (&problem["code"], &problem["header"]["result_code"]),
        (&json!(code), &json!("429"))
    );
    let detail = problem["detail"].as_str();
    assert!(detail.is_some_and(|detail| detail.contains(words[1])), "{problem}");
}

fn a_visitor_who_must_wait_reads_why_and_how_long_and_loses_nothing(database: &TestDatabase) {
    let server = Server::with(database, |settings, http| {
        http.link_starts = 4;
        settings.public_links.of_addressee = 1;
        settings.public_links.of_link = 2;
    });
    let (_, token, template) = server.with_company("acme");
    let link = || path_of(&new(&server, &token, template, &json!({"duplicates": "many"})).ok());
    let first = link();
    assert_eq!(visit_in(&server, &first, "ann@example.com", "en", BROWSER).status, 200);
    must_wait(
        &server,
        &link(),
        "Ann+2@example.com",
        "link-addressee-throttled",
        "3600",
        [
            "이 이메일 주소나 전화번호로 시작된 문서가 너무 많습니다. 60분 뒤에",
            "for this e-mail address or phone number. Try again in 60 minutes.",
            "このメールアドレスまたは電話番号で始められた文書が多すぎます。60 分後に",
        ],
    );
    server.clock.advance(60);
    assert_eq!(visit_in(&server, &first, "bob@example.com", "en", BROWSER).status, 200);
    must_wait(
        &server,
        &first,
        "cid@example.com",
        "link-uses-throttled",
        "3540",
        [
            "이 링크로 시작된 문서가 너무 많습니다. 59분 뒤에",
            "Too many documents were started with this link. Try again in 59 minutes.",
            "このリンクで始められた文書が多すぎます。59 分後に",
        ],
    );
    let second = link();
    for contact in ["dan@example.com", "eve@example.com"] {
        assert_eq!(visit_in(&server, &second, contact, "en", BROWSER).status, 200);
    }
    must_wait(
        &server,
        &link(),
        "fay@example.com",
        "link-network-throttled",
        "540",
        [
            "지금 사용하는 네트워크에서 너무 많이 시도했습니다. 9분 뒤에",
            "from your network. Try again in 9 minutes.",
            "ご利用中のネットワークからの試行が多すぎます。9 分後に",
        ],
    );
    // Other faults are also reported.
    let problem = visit_in(&server, &link(), "fay@", "en", "application/json");
    assert_eq!(problem.status, 429, "not checked during the wait");
    server.clock.advance(540);
    let problem = visit_in(&server, &link(), "fay@", "en", "application/problem+json").problem(422);
    assert_eq!(
        (&problem["errors"][0]["path"], &problem["errors"][0]["code"]),
        (&json!("contact"), &json!("invalid-contact"))
    );
    assert_eq!(documents(&server, &token).len(), 4);
}

/// Visitors of embedded documents receive no messages, so the limit on messages does not count them.
#[test]
fn visitors_of_embedded_documents_do_not_count_among_those_who_are_written_to() {
    let server = Server::with(&TestDatabase::sqlite(), |settings, _| {
        settings.public_links.of_addressee = 1;
    });
    let (company, token, template) = server.with_company("acme");
    let embedded = |template: i64, more: &Value| {
        let mut body = json!({
            "duplicates": "many",
            "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true},
        });
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        path_of(&new(&server, &token, template, &body).ok())
    };
    let path = embedded(template, &json!({}));
    for _ in 0..3 {
        assert_eq!(visit(&server, &path, "Ann", "ann@example.com", true).status, 200);
    }
    let mailed = path_of(&new(&server, &token, template, &json!({})).ok());
    assert_eq!(visit(&server, &mailed, "Ann", "ann@example.com", true).status, 200);
    let mailed = path_of(&new(&server, &token, template, &json!({})).ok());
    assert_eq!(visit(&server, &mailed, "Ann", "ann@example.com", true).status, 429);
    // A code required by the template is sent, even in embedded documents.
    let mut fields = plain(1, "end");
    fields["steps"][0]["one_time_code"] = json!(true);
    let coded = server.template(&company, &fields);
    let coded = embedded(coded, &json!({"field_list": [], "recipient_list": []}));
    assert_eq!(visit(&server, &coded, "Bob", "bob@example.com", true).status, 200);
    assert_eq!(visit(&server, &coded, "Bob", "bob@example.com", true).status, 429);
}

#[test]
fn mistyping_locks_nobody_out() {
    let server = Server::with(&TestDatabase::sqlite(), |_, http| http.link_starts = 2);
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({})).ok());
    for _ in 0..19 {
        assert_eq!(visit(&server, &path, "Ann", "ann@", true).status, 422);
    }
    assert_eq!(visit(&server, &path, "Ann", "ann@example.com", true).status, 200);
    assert_eq!(
        visit(&server, &path, "Ann", "ann@example.com", true).status,
        409,
        "used before"
    );
    let page = visit(&server, &path, "Ann", "ann@", true);
    assert!(text(&page).contains("value=\"ann@\""), "{}", text(&page));
    assert_eq!(
        (page.status, page.header("retry-after")),
        (429, "600"),
        "and yet not for ever"
    );
    server.clock.advance(600);
    assert_eq!(visit(&server, &path, "Ann", "ann2@example.com", true).status, 200);
}

#[test]
fn one_network_starts_a_limited_number_of_documents() {
    let server = Server::with(&TestDatabase::sqlite(), |_, http| http.link_starts = 2);
    let (_, token, template) = server.with_company("acme");
    let path = path_of(&new(&server, &token, template, &json!({})).ok());
    for number in 0..2 {
        assert_eq!(
            visit(&server, &path, "Ann", &format!("ann{number}@example.com"), true).status,
            200
        );
    }
    let page = visit(&server, &path, "Ann", "ann2@example.com", true);
    assert_eq!((page.status, page.header("retry-after")), (429, "600"));
    assert_eq!(look(&server, &path).status, 200, "looking is free");
    server.clock.advance(600);
    assert_eq!(visit(&server, &path, "Ann", "ann2@example.com", true).status, 200);
    assert_eq!(documents(&server, &token).len(), 3);
}
