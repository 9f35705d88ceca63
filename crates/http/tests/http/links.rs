//! Public links: made by programs, opened by anybody, counted exactly.

use serde_json::{Value, json};
use testkit::database::TestDatabase;
use url::form_urlencoded::Serializer;

use crate::support::{Answer, BASE, Server, committee, plain, token_of_writer, values_of};

testkit::on_both_databases!(
    a_link_is_made_listed_shown_and_closed,
    a_link_that_was_made_names_what_nobody_read,
    a_visitor_becomes_the_first_writer,
    a_visitor_signs_in_the_place_that_is_left_to_him,
    what_a_visitor_leaves_out_is_asked_for,
    who_has_to_wait_is_told_why_and_how_long_and_loses_nothing,
    each_address_uses_a_link_once_unless_it_may_often,
    the_limit_is_exact_whatever_comes_at_once,
    who_came_by_a_public_link_gets_the_promised_copy,
    with_confirm_the_signing_link_comes_by_message_alone,
    a_link_is_no_way_to_have_us_write_to_others,
    a_link_asked_for_twice_is_made_once,
);

fn new(server: &Server, token: &str, template: i64, more: &Value) -> Answer {
    let mut body = json!({
        "workflow_name": "가입 {name}, {date}", "template_id": template, "language": "en",
        "recipient_list": [{"order": 2, "name": "Clerk", "email": "clerk@example.com"}],
        "field_list": [{"name": "employer", "value": "한빛"}],
    });
    for (name, value) in more.as_object().expect("members") {
        body[name] = value.clone();
    }
    server.post("/api/v3/link/start", Some(token), &body)
}

/// The path and query of a link's address.
fn path_of(link: &Value) -> String {
    let address = link["link_url"].as_str().expect("an address");
    address.strip_prefix(BASE).expect("an address of ours").to_owned()
}

fn look(server: &Server, path: &str) -> Answer {
    server.send(server.request("GET", path, None))
}

/// What a visitor sends from the link's page.
fn visit(server: &Server, path: &str, name: &str, contact: &str, agrees: bool) -> Answer {
    let token = path.split_once("token=").expect("a token").1;
    let token = token.split('&').next().expect("a token");
    let mut form = Serializer::new(String::new());
    form.append_pair("token", token)
        .append_pair("name", name)
        .append_pair("contact", contact);
    if agrees {
        form.append_pair("agree", "1");
    }
    server.send(
        server
            .request("POST", "/link?lang=en", None)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.finish()),
    )
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body)
        .replace("&#x2f;", "/")
        .replace("&#x27;", "'")
}

fn documents(server: &Server, token: &str) -> Vec<Value> {
    let list = server.get("/api/v3/workflows?limit=100", token).ok();
    list["workflow_list"].as_array().expect("a list").clone()
}

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

/// The names of the fields that whoever opened the signing page fills in.
fn own_fields(page: &Answer) -> Vec<String> {
    let page = text(page);
    page.split("class=\"field mine")
        // What stands before the first field is none.
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
        .replace_template(&company, domain::TemplateId(template), "test", &import)
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
    // A program is told the same.
    let request = server.request("POST", &path, None).header("accept", "application/json");
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let answer = server.send(request.body("name=Ann&contact=ann%40example.com"));
    assert_eq!(answer.faults(), [("agree".to_owned(), "agreement-required".to_owned())]);
}

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
            "he can mend it: {}",
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

fn who_came_by_a_public_link_gets_the_promised_copy(database: &TestDatabase) {
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
    // An embedded document promises nothing, since its writers get no messages.
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

fn a_link_is_no_way_to_have_us_write_to_others(database: &TestDatabase) {
    let server = Server::with(database, |settings, http| {
        http.link_starts = 1_000;
        settings.public_links.of_link = 9;
    });
    let (_, token, template) = server.with_company("acme");
    let many = json!({"duplicates": "many", "confirm": true});
    let paths: Vec<String> = (0..2)
        .map(|_| path_of(&new(&server, &token, template, &many).ok()))
        .collect();
    // One addressee, however he is written, and by whichever link.
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
    // One link, whoever comes.
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
    // Words of a stranger's own choice make no link in our mails.
    for name in [
        "WIN 1,000,000 at http://evil.example/x",
        "evil.한국",
        "evil․com",
        "mailto:x",
    ] {
        let page = visit(&server, &paths[1], name, "bob@example.com", true);
        assert_eq!(page.status, 422, "{name}");
        assert!(
            text(&page).contains("without a web or e-mail address"),
            "{}",
            text(&page)
        );
    }
    // Messages go to mobile telephones of the company's country.
    for (contact, said) in [
        ("+1 900 555 0123", "Enter a mobile number"),
        ("+870 773 111 632", "Enter a mobile number"),
        ("+882 16 0012 3456", "Enter a mobile number"),
        ("02-312-3456", "Enter a mobile number"),
        ("+81 90 1234 5678", "numbers of these countries can be used here: KR"),
    ] {
        let page = visit(&server, &paths[1], "Bob", contact, true);
        assert_eq!(page.status, 422, "{contact}");
        let shown = text(&page);
        assert!(
            shown.contains(said) || shown.contains("neither an e-mail"),
            "{contact}: {shown}"
        );
    }
    assert_eq!(visit(&server, &paths[1], "Bob", "010-1234-5678", true).status, 200);
    let wider = json!({"duplicates": "many", "confirm": true, "phone_countries": ["kr", "JP"]});
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

fn who_has_to_wait_is_told_why_and_how_long_and_loses_nothing(database: &TestDatabase) {
    let server = Server::with(database, |settings, http| {
        http.link_starts = 4;
        settings.public_links.of_addressee = 1;
        settings.public_links.of_link = 2;
    });
    let (_, token, template) = server.with_company("acme");
    let link = || path_of(&new(&server, &token, template, &json!({"duplicates": "many"})).ok());
    let visited = |path: &str, contact: &str, lang: &str, accept: &str| {
        let key = path
            .split_once("token=")
            .expect("a token")
            .1
            .split('&')
            .next()
            .expect("a token");
        let mut form = Serializer::new(String::new());
        form.append_pair("token", key)
            .append_pair("name", "Ann Lee")
            .append_pair("contact", contact)
            .append_pair("agree", "1");
        server.send(
            server
                .request("POST", &format!("/link?lang={lang}"), None)
                .header("content-type", "application/x-www-form-urlencoded")
                .header("accept", accept)
                .body(form.finish()),
        )
    };
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let refused = |path: &str, contact: &str, code: &str, wait: &str, words: [&str; 3]| {
        for (lang, words) in ["ko", "en", "ja"].into_iter().zip(words) {
            let page = visited(path, contact, lang, browser);
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
        let answer = visited(path, contact, "en", "application/json");
        assert_eq!(answer.header("retry-after"), wait);
        let problem = answer.problem(429);
        assert_eq!(
            (&problem["code"], &problem["header"]["result_code"]),
            (&json!(code), &json!("429"))
        );
        assert!(
            problem["detail"]
                .as_str()
                .is_some_and(|detail| detail.contains(words[1])),
            "{problem}"
        );
    };
    let first = link();
    assert_eq!(visited(&first, "ann@example.com", "en", browser).status, 200);
    refused(
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
    assert_eq!(visited(&first, "bob@example.com", "en", browser).status, 200);
    refused(
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
        assert_eq!(visited(&second, contact, "en", browser).status, 200);
    }
    refused(
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
    // Other faults as well.
    let problem = visited(&link(), "fay@", "en", "application/json");
    assert_eq!(problem.status, 429, "not looked at while he has to wait");
    server.clock.advance(540);
    let problem = visited(&link(), "fay@", "en", "application/problem+json").problem(422);
    assert_eq!(
        (&problem["errors"][0]["path"], &problem["errors"][0]["code"]),
        (&json!("contact"), &json!("invalid-contact"))
    );
    assert_eq!(documents(&server, &token).len(), 4);
}

/// Nobody is written to: the bound for what is written has nothing to count.
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
    // But a code that the template asks for is sent, in embedded documents too.
    let mut fields = plain(1, "end");
    fields["steps"][0]["one_time_code"] = json!(true);
    let coded = server.template(&company, &fields);
    let coded = embedded(coded, &json!({"field_list": [], "recipient_list": []}));
    assert_eq!(visit(&server, &coded, "Bob", "bob@example.com", true).status, 200);
    assert_eq!(visit(&server, &coded, "Bob", "bob@example.com", true).status, 429);
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
    // Its end is another moment in another offset.
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

/// A template may let its writers hand documents over: a stranger would name whomever he likes.
#[test]
fn who_came_by_a_link_hands_the_document_over_to_nobody() {
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
    // Of several writers of the first step one place is left to the visitor.
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
        .disable_member(&company, "sender@example.com")
        .expect("disabled");
    // Page, form and API say the same of it.
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
    // A token of another kind opens nothing.
    let started = json!({
        "workflow_name": "x", "template_id": template, "recipient_list": [{"order": 1, "name": "A", "email": "a@example.com"}],
    });
    let other = server.start(&token, &started).ok()["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    assert_eq!(look(&server, &format!("/link?token={other}")).status, 404);
}

#[test]
fn one_address_starts_only_so_many_documents() {
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
