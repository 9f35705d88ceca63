//! The pages over HTTP: who may see them, their headers, and what they say instead.

use countersign_http::{Authority, routes};
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{
    Answer, BASE, PASSWORD, PNG, REFUSED_BY_WORKERS, Server, committee, network, pdf, plain, start_body,
    token_of_writer, trusted, values_of,
};

testkit::on_both_databases!(
    every_link_route_refuses_who_has_no_link,
    the_original_is_taken_by_its_writer_and_the_chain_says_so,
    a_link_does_one_thing_only,
    a_writer_hands_the_document_over_where_the_template_allows_it,
    the_verify_page_takes_a_file_and_nothing_else,
    every_session_route_sends_a_stranger_to_sign_in,
    a_page_is_kept_to_itself_and_a_picture_only_by_its_reader,
    the_outbox_names_the_company_as_people_know_it,
    an_expired_document_and_a_link_past_its_time_are_gone,
    the_viewers_pictures_are_made_once_and_kept_by_browsers,
    what_is_looked_at_ahead_or_by_a_scanner_changes_nothing,
    the_access_code_stands_before_everything,
    a_one_time_code_is_sent_by_the_button_alone_and_opens_the_document,
    who_rejected_is_told_so_and_others_only_where_they_may_know,
    behind_a_proxy_with_tls_a_member_signs_in_and_links_lead_there,
    a_name_is_drawn_for_whoever_holds_a_link,
    a_seal_that_we_draw_goes_from_the_page_into_the_sealed_document,
    two_pages_of_one_link_show_what_each_other_has_filled_in,
);

const WRONG: [&str; 3] = [
    "",
    "abc",
    "UwAAAAAAAAABAAAAAQAAAAAAAAAANQzpAMUfkbJBYdrz6qkpRQAQQF_NZOhFPjqCKFnN90Q",
];

fn filled(path: &str) -> String {
    path.replace("{company}", "acme")
        .replace("{document}", "0")
        .replace("{page}", "1")
        .replace("{id}", "1")
        .replace("{ticket}", "abc")
        .replace("{name}", "a.pdf")
}

/// The path and query of an address that the service gave out.
fn local(address: &Value) -> String {
    let address = address.as_str().expect("an address");
    address
        .strip_prefix(BASE)
        .expect("an address of this service")
        .to_owned()
}

fn token_of(address: &str) -> &str {
    let rest = address.split_once("token=").expect("a token").1;
    rest.split('&').next().unwrap_or(rest)
}

/// The body as text; templates escape slashes too.
fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).replace("&#x2f;", "/")
}

fn look(server: &Server, path: &str) -> Answer {
    server.send(server.request("GET", path, None).header("accept-language", "en"))
}

/// What the browser code sends.
fn send(server: &Server, method: &str, path: &str, token: &str, body: &Value) -> Answer {
    let request = server
        .request(method, path, None)
        .header("accept-language", "en")
        .header("link-token", token);
    server.send(request.json(body))
}

fn every_link_route_refuses_who_has_no_link(database: &TestDatabase) {
    let server = Server::new(database);
    server.with_company("acme");
    let mut asked = 0;
    for route in routes()
        .into_iter()
        .filter(|route| route.authority == Authority::LinkToken)
    {
        asked += 1;
        for token in WRONG {
            let path = format!("{}?token={token}&name=x", filled(route.path));
            let body = json!({"values": [], "name": "x", "data": "", "comment": "x", "code": "1234"});
            let answer = server.send(server.request(route.method.as_str(), &path, None).json(&body));
            assert_eq!(answer.status, 404, "{} {path}: {}", route.method, text(&answer));
            let answer = send(&server, route.method.as_str(), &filled(route.path), token, &body);
            assert_eq!(answer.status, 404, "{} {path}: {}", route.method, text(&answer));
        }
    }
    assert!(asked >= 15, "{asked}");
}

fn a_link_does_one_thing_only(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    let sign = started["token"].as_str().expect("a token").to_owned();
    for values in [values_of(1), values_of(2)] {
        server.act(&token, &id, "approve", &json!({"field_list": values})).ok();
    }
    let complete = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let document = local(&complete["download_url"]);
    assert_eq!(look(&server, &document).status, 200);
    let file = token_of(&document).to_owned();
    for (path, token) in [
        ("/mail/view", &sign),
        ("/mail/file", &sign),
        ("/mail/preview", &sign),
        ("/mail/sign", &file),
    ] {
        assert_eq!(look(&server, &format!("{path}?token={token}")).status, 404, "{path}");
    }
    assert_eq!(
        send(&server, "POST", "/sign/approve", &file, &json!({})).problem(404)["code"],
        "not-found"
    );
    // A HEAD fetches nothing; a GET does, and the chain says so.
    let fetched = || {
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        seen["history"].to_string().matches("downloaded").count()
    };
    let before = fetched();
    let address = format!("/mail/file?token={file}");
    assert_eq!(server.send(server.request("HEAD", &address, None)).status, 200);
    assert_eq!(fetched(), before);
    assert_eq!(look(&server, &address).header("content-type"), "application/pdf");
    assert_eq!(fetched(), before + 1);
    // Once an hour for each address on the network, and not without end from however many.
    assert_eq!(look(&server, &address).status, 200);
    assert_eq!(fetched(), before + 1, "told already");
    server.clock.advance(3_600);
    assert_eq!(look(&server, &address).status, 200);
    assert_eq!(fetched(), before + 2, "an hour later");
    let key = app::SigningKey {
        token: file,
        ..app::SigningKey::default()
    };
    for number in 0..25 {
        let origin = app::Origin {
            address: Some(format!("192.0.2.{number}")),
            user_agent: None,
        };
        for _ in 0..2 {
            server
                .app
                .linked_file(&key, &origin)
                .expect("the file is given all the same");
        }
        let told = before + 2 + (number + 1).min(19);
        assert_eq!(fetched(), told, "from {number} more");
    }
    // The link of a company under another's address is unknown.
    assert_eq!(look(&server, &format!("/api/other/sign?token={sign}")).status, 404);
    assert_eq!(look(&server, &format!("/api/ACME/sign?token={sign}")).status, 409);
}

fn the_original_is_taken_by_its_writer_and_the_chain_says_so(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let noted = || {
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        seen["history"].to_string().matches("original_taken").count()
    };
    // What follows links takes nothing.
    for method in ["GET", "HEAD"] {
        let answer = server.send(server.request(method, &format!("/sign/document?token={sign}"), None));
        assert_eq!(answer.status, 405, "{method}");
    }
    assert_eq!(noted(), 0);
    let browser = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let take = |token: &str| {
        let request = browser
            .post(server.address_of("/sign/document"))
            .header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={token}")))
    };
    let answer = take(&sign);
    assert_eq!(answer.status, 303);
    assert_eq!(noted(), 1);
    // What fetches the file has neither the form nor the page's cookies, and may read no header but see the address.
    let address = answer.header("location").to_owned();
    assert!(!address.contains(&sign), "{address}");
    let name = "%EA%B7%BC%EB%A1%9C%EA%B3%84%EC%95%BD%EC%84%9C%201.pdf";
    assert_eq!(address.rsplit('/').next(), Some(name));
    for method in ["HEAD", "GET", "GET"] {
        let answer = server.send(server.request(method, &address, None));
        assert_eq!(answer.status, 200, "{method}");
        assert_eq!(answer.header("content-type"), "application/pdf");
        assert!(answer.header("content-disposition").starts_with("attachment"));
        assert_eq!(answer.header("cache-control"), "no-store");
        assert!(method == "HEAD" || answer.body.starts_with(b"%PDF"));
    }
    let changed = address.replacen("/sign/document/", "/sign/document/A", 1);
    assert_eq!(look(&server, &changed).status, 404, "another ticket");
    assert_eq!((take(&sign).status, noted()), (303, 1), "told already");
    server.clock.advance(299);
    assert_eq!(look(&server, &address).status, 200);
    server.clock.advance(1);
    assert_eq!(look(&server, &address).status, 404, "five minutes later");
    server.clock.advance(3_300);
    assert_eq!((take(&sign).status, noted()), (303, 2), "an hour later");
    // Who has written still knows the way to what came of it; before the end there is nothing to show.
    let used = |path: &str| text(&look(&server, path));
    let address = format!("/mail/sign?token={sign}&lang=en");
    server
        .act(&token, &id, "approve", &json!({"field_list": values_of(1)}))
        .ok();
    assert!(!used(&address).contains("/mail/view"));
    server
        .act(&token, &id, "approve", &json!({"field_list": values_of(2)}))
        .ok();
    assert!(used(&address).contains("Open the finished document"));
    // As long as such addresses live.
    server.clock.advance(60 * 24 * 3600);
    assert!(!used(&address).contains("Open the finished document"));
}

fn a_writer_hands_the_document_over_where_the_template_allows_it(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let start = |allowed: bool, is_embed: bool| {
        let mut fields = plain(1, "end");
        fields["hand_over"] = json!(allowed);
        let body = json!({
            "workflow_name": "Plain", "template_id": server.template(&company, &fields), "language": "en",
            "recipient_list": [{"order": 1, "name": "Kim", "email": "kim@example.com"}],
            "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": is_embed},
        });
        server.start(&token, &body).ok()["workflow_id"].clone()
    };
    let page = |sign: &str| look(&server, &format!("/mail/sign?token={sign}&lang=en"));
    let hand = |sign: &str, name: &str, email: &str| {
        send(
            &server,
            "POST",
            "/sign/hand-over",
            sign,
            &json!({"name": name, "email": email}),
        )
    };
    for (allowed, is_embed) in [(false, false), (true, true)] {
        let sign = token_of_writer(&server, &company, &start(allowed, is_embed));
        assert!(!text(&page(&sign)).contains("hand-over-dialog"));
        let problem = hand(&sign, "Lee", "lee@example.com").problem(409);
        assert_eq!(problem["code"], "no-handing-over", "{allowed} {is_embed}");
    }

    let id = start(true, false);
    server.drain();
    let old = token_of_writer(&server, &company, &id);
    assert!(text(&page(&old)).contains("hand-over-dialog"));
    let draft = json!({"values": [{"name": "text1", "value": "Kim's own words"}]});
    assert_eq!(send(&server, "PUT", "/sign/drafts", &old, &draft).status, 200);
    for (name, email, path) in [
        ("", "lee@example.com", "name"),
        ("evil.한국", "lee@example.com", "name"),
        ("Lee", "", "email"),
        ("Lee", "nobody", "email"),
    ] {
        let problem = hand(&old, name, email).problem(422);
        assert_eq!(problem["errors"][0]["path"], path);
    }
    assert_eq!(hand(&old, "Lee", "lee@example.com").status, 204);
    // The other person is told, and no program: nothing was approved or rejected.
    let (hooks, letters) = server.drain();
    assert_eq!((hooks.len(), letters), (0, 1));
    let gone = page(&old);
    assert_eq!(gone.status, 410);
    assert!(
        text(&gone).contains("You assigned this document to someone else"),
        "{}",
        text(&gone)
    );
    for (method, path) in [
        ("POST", "/sign/approve"),
        ("POST", "/sign/hand-over"),
        ("PUT", "/sign/drafts"),
    ] {
        assert_eq!(
            send(&server, method, path, &old, &draft).problem(409)["code"],
            "handed-over",
            "{path}"
        );
    }
    let new = token_of_writer(&server, &company, &id);
    let shown = text(&page(&new));
    assert!(shown.contains("Lee") && !shown.contains("own words"), "{shown}");
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(seen["history"].to_string().matches("handed_over").count(), 1);
    assert_eq!(send(&server, "POST", "/sign/approve", &new, &json!({})).status, 200);
    assert_eq!(
        server.get(&format!("/api/v3/workflows/{id}"), &token).ok()["status"],
        "Complete"
    );
}

fn the_verify_page_takes_a_file_and_nothing_else(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| settings.largest_document = 10_000);
    let parts = |files: &[&[u8]]| {
        let mut body = Vec::new();
        for file in files {
            body.extend_from_slice(b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n");
            body.extend_from_slice(file);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"--x--\r\n");
        let request = server
            .request("POST", "/verify?lang=en", None)
            .header("content-type", "multipart/form-data; boundary=x");
        server.send(request.body(body))
    };
    let part = |bytes: &[u8]| parts(&[bytes]);
    assert!(text(&part(&pdf())).contains("No seal"));
    // A document and its certificate are checked together.
    let both = text(&parts(&[&pdf(), b"no PDF at all"]));
    assert!(
        both.contains("No seal") && both.contains("This file cannot be read"),
        "{both}"
    );
    let many = parts(&[b"a", b"b", b"c"]);
    assert_eq!(many.status, 422);
    assert!(text(&many).contains("up to 2 files"));
    assert!(text(&part(b"no PDF at all")).contains("This file cannot be read"));
    // One that the workers refuse has the same verdict here and through the API.
    assert!(text(&part(REFUSED_BY_WORKERS)).contains("This file cannot be read"));
    let (_, token, _) = server.with_company("acme");
    let asked = server
        .request("POST", "/api/v3/verify", Some(&token))
        .header("content-type", "application/pdf")
        .header("accept-language", "en");
    let said = server.send(asked.body(REFUSED_BY_WORKERS)).ok();
    assert_eq!(
        (
            said["outcome"].as_str(),
            said["title"].as_str(),
            said["holds"].as_bool()
        ),
        (Some("unreadable"), Some("This file cannot be read"), Some(false)),
        "{said}"
    );
    assert_eq!(part(b"").status, 422);
    assert_eq!(
        server
            .send(server.request("POST", "/verify", None).body("file=x"))
            .status,
        422
    );
    // What sealing adds to an uploaded file is taken, too.
    let most = usize::try_from(server.app.settings.largest_sealed()).expect("a number");
    assert_eq!(part(&vec![0; most + 1]).status, 413);
    assert_eq!(parts(&[&vec![0; most], b"a"]).status, 413);
}

fn every_session_route_sends_a_stranger_to_sign_in(database: &TestDatabase) {
    let server = Server::new(database);
    for route in routes()
        .into_iter()
        .filter(|route| route.authority == Authority::Session)
    {
        for cookie in ["", "__Host-countersign_session=abc"] {
            let request = server.request(route.method.as_str(), &filled(route.path), None);
            let answer = server.send(request.header("cookie", cookie));
            // The client follows the redirect.
            assert_eq!(answer.status, 200, "{}", route.path);
            assert!(text(&answer).contains("name=\"password\""), "{}", route.path);
        }
    }
    // A form that does not come from our page signs nobody in.
    let form =
        "company=acme&email=owner%40example.com&password=plover+lantern+quay+47&csrf=0123456789abcdef0123456789abcdef";
    let request = server
        .request("POST", "/sign-in", None)
        .header("content-type", "application/x-www-form-urlencoded");
    let answer = server.send(request.body(form));
    assert_eq!(answer.status, 403);
    assert!(!answer.header("set-cookie").contains("countersign_session"));
    // Another site's form cannot choose where the member goes.
    let answer = look(&server, "/sign-in?next=https://evil.example/");
    assert!(text(&answer).contains("name=\"next\" value=\"/outbox\""));
    assert!(
        answer
            .header("set-cookie")
            .ends_with("; HttpOnly; SameSite=Lax; Secure"),
        "{:?}",
        answer.headers
    );
}

fn the_outbox_names_the_company_as_people_know_it(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let attempt = app::LoginAttempt {
        company: "acme".to_owned(),
        email: "owner@example.com".to_owned(),
        password: PASSWORD.to_owned(),
        address: std::net::Ipv4Addr::LOCALHOST.into(),
    };
    let cookie = server.app.sign_in(&attempt, None).expect("signed in").cookie;
    let request = server
        .request("GET", "/outbox?lang=en", None)
        .header("cookie", format!("__Host-countersign_session={}", cookie.expose()));
    let page = server.send(request);
    assert_eq!(page.status, 200);
    assert!(text(&page).contains("acme Ltd"), "{}", text(&page));
}

fn a_page_is_kept_to_itself_and_a_picture_only_by_its_reader(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let page = look(&server, &local(&started["sign_url"]));
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy");
    assert!(
        policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(
        page.header("cross-origin-opener-policy"),
        "",
        "it would cut window.opener"
    );
    let html = text(&page);
    let picture = html
        .split("src=\"")
        .find(|part| part.starts_with("/sign/pages/"))
        .expect("a page");
    let picture = picture.split('"').next().expect("an address").replace("&amp;", "&");
    let answer = look(&server, &picture);
    assert_eq!((answer.status, answer.header("content-type")), (200, "image/webp"));
    assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    assert_eq!(look(&server, &picture.replace("/1?", "/2?")).status, 404);
    is_kept_by_browsers(&server, &picture);
    // What the page says, for who cannot see it.
    let words = html
        .split("data-src=\"")
        .find(|part| part.starts_with("/sign/texts/"))
        .and_then(|part| part.split('"').next())
        .expect("a page's text")
        .replace("&amp;", "&");
    let answer = look(&server, &words);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "application/json")
    );
    assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    let said: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(said["lines"], json!([]), "the page has a line and no letter");
    assert_eq!(look(&server, &words.replace("/1?", "/2?")).status, 404);
    assert_eq!(
        look(&server, &format!("/sign/file?token={sign}&name=employer")).status,
        404
    );
    // In each language, by the address, whatever the browser prefers.
    for language in ["ko", "en", "ja"] {
        let page = look(&server, &format!("/mail/sign?token={sign}&lang={language}"));
        assert_eq!(page.header("content-language"), language);
    }
    // Nobody's look has left a trace.
    let history = server
        .get(&format!("/api/v3/workflows/{}", started["workflow_id"]), &token)
        .ok()["history"]
        .clone();
    assert!(!history.to_string().contains("viewed"), "{history}");
}

/// A picture's address names one content for ever; who has it is told so, and another document's hash is no address.
fn is_kept_by_browsers(server: &Server, address: &str) {
    let answer = look(server, address);
    assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    let tag = answer.header("etag").to_owned();
    assert_eq!(tag.len(), 66, "{tag}");
    let again = |known: &str| server.send(server.request("GET", address, None).header("if-none-match", known));
    for known in [
        tag.clone(),
        format!("W/{tag}"),
        format!("\"other\", {tag}"),
        "*".to_owned(),
    ] {
        let answer = again(&known);
        assert_eq!((answer.status, answer.body.len()), (304, 0), "{known}");
        assert_eq!(answer.header("etag"), tag);
        assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
    }
    assert_eq!(again("\"other\"").status, 200);
    let (before, after) = address.split_once("/pages/").expect("a picture");
    let (_, after) = after.split_once('/').expect("a hash");
    for hash in ["0".repeat(64), "0".to_owned(), "x".repeat(64)] {
        assert_eq!(
            look(server, &format!("{before}/pages/{hash}/{after}")).status,
            404,
            "{hash}"
        );
    }
}

/// The pages of a finished file are rendered once, however often and by how many they are asked for.
fn the_viewers_pictures_are_made_once_and_kept_by_browsers(database: &TestDatabase) {
    let server = Server::new(database);
    let complete = completed(&server);
    for file in ["download_url", "certificate_url"] {
        let picture = first_picture(&server, &complete[file]);
        let before = server.rendered();
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let answer = look(&server, &picture);
                    assert_eq!((answer.status, answer.header("content-type")), (200, "image/webp"));
                });
            }
        });
        is_kept_by_browsers(&server, &picture);
        assert_eq!(server.rendered() - before, 1, "{file}");
        assert_eq!(look(&server, &picture.replace("/1?", "/99?")).status, 404);
        let words = look(&server, &picture.replace("/pages/", "/texts/"));
        assert_eq!((words.status, words.header("content-type")), (200, "application/json"));
        if file == "certificate_url" {
            assert!(text(&words).contains("SHA-256"), "{}", text(&words));
        }
    }
}

/// A document that both writers have approved, as the API tells it.
fn completed(server: &Server) -> serde_json::Value {
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    for values in [values_of(1), values_of(2)] {
        server
            .act(
                &token,
                &started["workflow_id"],
                "approve",
                &json!({"field_list": values}),
            )
            .ok();
    }
    server
        .get(&format!("/api/v3/workflows/{}", started["workflow_id"]), &token)
        .ok()
}

/// Where the viewer at this address has the picture of its first page.
fn first_picture(server: &Server, viewer: &serde_json::Value) -> String {
    text(&look(server, &local(viewer)))
        .split("src=\"")
        .find(|part| part.starts_with("/mail/view/pages/"))
        .and_then(|part| part.split('"').next())
        .expect("a page")
        .replace("&amp;", "&")
}

/// A mail scanner follows links without cookies; a browser loads them ahead (`<link rel=prefetch>`, speculation rules), and
/// runs the scripts of a page that nobody sees yet.
fn what_is_looked_at_ahead_or_by_a_scanner_changes_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let complete = completed(&server);
    let token = server.token("acme", "owner@example.com");
    let template = complete["template_id"].as_i64().expect("a template");
    let started = server.start(&token, &start_body(template)).ok();
    let of_api = |id: &Value| server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let histories = || [&complete["workflow_id"], &started["workflow_id"]].map(|id| of_api(id)["history"].clone());
    let before = histories();
    let sign = started["token"].as_str().expect("a token");
    let addresses = [
        local(&started["sign_url"]),
        format!("/sign/file?token={sign}&name=employer"),
        local(&complete["download_url"]),
        local(&complete["certificate_url"]),
        first_picture(&server, &complete["download_url"]),
    ];
    let file = local(&complete["download_url"]).replace("/mail/view?", "/mail/file?");
    for header in [
        None,
        Some(("sec-purpose", "prefetch")),
        Some(("sec-purpose", "prefetch;prerender")),
        Some(("purpose", "prefetch")),
        Some(("x-purpose", "preview")),
        Some(("x-moz", "prefetch")),
    ] {
        let ask = |method: &str, address: &str| {
            let request = server.request(method, address, None);
            server.send(
                header
                    .into_iter()
                    .fold(request, |request, (name, value)| request.header(name, value)),
            )
        };
        for address in &addresses {
            for method in ["GET", "HEAD"] {
                let answer = ask(method, address);
                assert!(
                    [200, 404].contains(&answer.status),
                    "{method} {address}: {}",
                    answer.status
                );
            }
        }
        assert_eq!(ask("HEAD", &file).status, if header.is_some() { 503 } else { 200 });
        if let Some((name, value)) = header {
            // What would leave a trace waits until somebody is there.
            let answer = ask("GET", &file);
            assert_eq!(
                (answer.status, answer.header("retry-after")),
                (503, "1"),
                "{name}: {value}"
            );
            let viewed = server.request("POST", "/sign/viewed", None).header("link-token", sign);
            assert_eq!(server.send(viewed.header(name, value)).status, 503, "{name}: {value}");
        }
        assert_eq!(histories(), before, "{header:?}");
    }
    let viewed = server.request("POST", "/sign/viewed", None).header("link-token", sign);
    assert_eq!(server.send(viewed).status, 204);
    assert_eq!(look(&server, &file).status, 200);
    let after = histories();
    assert!(after[0] != before[0] && after[1] != before[1], "{after:?}");
}

/// Who scrolls through a long document lets go of most pages before they come.
#[test]
fn a_picture_that_nobody_waits_for_any_more_is_not_made() {
    use std::io::Read;
    let server = Server::with(&TestDatabase::sqlite(), |_, http| http.workers = 1);
    let complete = completed(&server);
    let [document, certificate] =
        ["download_url", "certificate_url"].map(|file| first_picture(&server, &complete[file]));
    let ask = |address: &str| server.sent(format!("GET {address} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes());
    let before = server.rendered();
    let pictures = server.hold_pictures();
    let mut first = ask(&document);
    while server.rendered() == before {
        std::thread::yield_now();
    }
    for _ in 0..3 {
        let mut gone = ask(&certificate);
        // An answer to somebody else, meanwhile: this request waits by then.
        assert_eq!(server.send(server.request("GET", "/healthz", None)).status, 200);
        gone.shutdown(std::net::Shutdown::Write).expect("a hang-up");
        assert_eq!(gone.read(&mut [0; 1]).expect("the server hangs up, too"), 0);
    }
    drop(pictures);
    let mut head = [0; 12];
    first.read_exact(&mut head).expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 200");
    assert_eq!(look(&server, &document).status, 200);
    assert_eq!(server.rendered() - before, 1, "none of those that hung up");
    assert_eq!(look(&server, &certificate).status, 200);
    assert_eq!(server.rendered() - before, 2);
}

fn an_expired_document_and_a_link_past_its_time_are_gone(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let other = server.start(&token, &start_body(template)).ok();
    for values in [values_of(1), values_of(2)] {
        server
            .act(&token, &other["workflow_id"], "approve", &json!({"field_list": values}))
            .ok();
    }
    let complete = server
        .get(&format!("/api/v3/workflows/{}", other["workflow_id"]), &token)
        .ok();
    server.clock.advance(60 * 24 * 3600);
    let page = look(&server, &local(&started["sign_url"]).replace("lang=ko", "lang=en"));
    assert_eq!(page.status, 410);
    assert!(text(&page).contains("This document has expired"), "{}", text(&page));
    let sign = started["token"].as_str().expect("a token");
    send(&server, "POST", "/sign/approve", sign, &json!({})).problem(409);
    for address in ["download_url", "certificate_url"] {
        let page = look(&server, &local(&complete[address]).replace("lang=ko", "lang=en"));
        assert_eq!(page.status, 410, "{address}");
        assert!(text(&page).contains("This link no longer works"), "{address}");
    }
}

fn the_access_code_stands_before_everything(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["recipient_list"][0]["password"] = json!("850101");
    body["recipient_list"][0]["password_hint"] = json!("birthday");
    let started = server.start(&token, &body).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let page = look(&server, &local(&started["sign_url"]));
    assert_eq!(page.status, 200);
    assert!(text(&page).contains("birthday") && !text(&page).contains("<document-page"));
    assert_eq!(
        look(&server, &format!("/sign/pages/{}/1?token={sign}", "0".repeat(64))).problem(403)["code"],
        "access-code"
    );
    assert_eq!(
        look(&server, &format!("/sign/texts/{}/1?token={sign}", "0".repeat(64))).problem(403)["code"],
        "access-code"
    );
    let values = json!({"values": [{"name": "employer", "value": "x"}], "way": "typed", "text": "x"});
    for (method, path) in [
        ("POST", "/sign/viewed"),
        ("POST", "/sign/consent"),
        ("PUT", "/sign/drafts"),
        ("POST", "/sign/approve"),
        ("POST", "/sign/drawings"),
    ] {
        assert_eq!(
            send(&server, method, path, &sign, &values).problem(403)["code"],
            "access-code",
            "{path}"
        );
    }
    let reason = json!({"comment": "no"});
    assert_eq!(
        send(&server, "POST", "/sign/reject", &sign, &reason).problem(403)["code"],
        "access-code"
    );
    let give = |code: &str| {
        let request = server
            .request("POST", "/sign/access-code", None)
            .header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={sign}&code={code}&lang=en")))
    };
    // A tab that is reloaded or restored asks for the form's address: it is led to the page.
    let again = look(&server, &format!("/sign/access-code?token={sign}"));
    assert!(again.status == 200 && text(&again).contains("birthday"));
    for left in ["4 tries left", "3 tries left", "2 tries left", "1 try left"] {
        let answer = give("000000");
        assert_eq!(answer.status, 422);
        assert!(text(&answer).contains(left), "{left}");
    }
    assert_eq!(give("000000").status, 409);
    // Locked: the right code opens nothing any more.
    let answer = give("850101");
    assert_eq!(answer.status, 409);
    assert!(text(&answer).contains("This link is locked"));
    // A member who could unlock it as often as they liked could guess the code.
    let links = format!("/api/v3/workflows/{}/links", started["workflow_id"]);
    let renew = server.request("POST", &links, Some(&token));
    server.send(renew.json(&json!({"action": "renew"}))).ok();
    assert_eq!(give("850101").status, 409);
}

/// The newest one-time code that was sent.
fn sent_code(server: &Server, company: &domain::CompanyId) -> String {
    let company = company.clone();
    let messages = server
        .app
        .store
        .read(move |tx| store::outbox::messages(tx, &company, store::outbox::DeliveryId(i64::MAX), 1))
        .expect("the outbox");
    let mail = app::mail::OutgoingMail::open(&messages[0].body, &server.app.vault).expect("a mail");
    assert!(mail.is_secret);
    let digits = mail.text.split(|character: char| !character.is_ascii_digit());
    digits
        .into_iter()
        .find(|digits| digits.len() == 6)
        .expect("a code")
        .to_owned()
}

fn who_rejected_is_told_so_and_others_only_where_they_may_know(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let mut body = start_body(server.template(&company, &committee()));
    body["recipient_list"] = json!([
        {"order": 1, "name": "Ann", "email": "ann@example.com"},
        {"order": 1, "name": "Bob", "email": "bob@example.com"},
    ]);
    for asks_for_code in [false, true] {
        // Who has yet to prove that a link is his learns no names by it.
        body["recipient_list"][0]["one_time_code"] = json!(asks_for_code);
        body["recipient_list"][1]["one_time_code"] = json!(asks_for_code);
        let started = server.start(&token, &body).ok();
        let told = |place: usize| {
            let address = local(&started["next_list"][place]["sign_url"]);
            let answer = look(&server, &format!("{address}&lang=en"));
            assert_eq!(answer.status, 410);
            text(&answer)
        };
        let no = json!({"order": 1, "email": "bob@example.com", "comment": "no"});
        server.act(&token, &started["workflow_id"], "reject", &no).ok();
        let (ann, bob) = (told(0), told(1));
        assert!(bob.contains("You declined this document"), "{bob}");
        assert!(!ann.contains("You declined"), "{ann}");
        assert_eq!(ann.contains("Bob"), !asks_for_code, "{ann}");
        assert_eq!(ann.contains("A signer declined it"), asks_for_code, "{ann}");
    }
}

fn a_one_time_code_is_sent_by_the_button_alone_and_opens_the_document(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["recipient_list"][0]["one_time_code"] = json!("yes");
    assert_eq!(
        server.start(&token, &body).problem(422)["errors"][0]["path"],
        "recipient_list[0].one_time_code"
    );
    body["recipient_list"][0]["one_time_code"] = json!(true);
    let started = server.start(&token, &body).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let address = format!("/mail/sign?token={sign}&lang=en&next_sign=false");
    let letters = || {
        let company = company.clone();
        server
            .app
            .store
            .read(move |tx| store::outbox::messages(tx, &company, store::outbox::DeliveryId(i64::MAX), 100))
            .expect("the outbox")
            .len()
    };
    // What follows links has nothing sent.
    for path in [address.as_str(), "/sign/one-time-code/send", "/sign/one-time-code"] {
        for method in ["GET", "HEAD"] {
            let mark = if path.contains('?') { "&" } else { "?" };
            let answer = server.send(server.request(method, &format!("{path}{mark}token={sign}"), None));
            assert_eq!(answer.status, 200, "{method} {path}");
        }
    }
    assert_eq!(letters(), 0);
    let page = look(&server, &address);
    let shown = text(&page);
    assert!(shown.contains("Send me the code") && !shown.contains("<document-page") && !shown.contains("id=\"code\""));
    for path in ["/sign/viewed", "/sign/consent", "/sign/approve"] {
        assert_eq!(
            send(&server, "POST", path, &sign, &json!({"values": []})).problem(403)["code"],
            "one-time-code",
            "{path}"
        );
    }
    // The answer itself, and not the page that it leads to.
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let post = |path: &str, more: &str| {
        let request = client
            .post(server.address_of(path))
            .header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={sign}&lang=en&next_sign=false{more}")))
    };
    let expired = post("/sign/one-time-code", "&code=123456");
    assert!(expired.status == 422 && text(&expired).contains("no longer works"));
    let sent = post("/sign/one-time-code/send", "");
    assert_eq!(sent.status, 303);
    assert!(sent.header("location").contains("next_sign=false") && letters() == 1);
    let asks = text(&look(&server, &address));
    assert!(asks.contains("autocomplete=\"one-time-code\"") && asks.contains("inputmode=\"numeric\""));
    let again = post("/sign/one-time-code/send", "");
    assert_eq!((again.status, again.header("retry-after")), (429, "60"));
    assert!(text(&again).contains("in 60 seconds") && letters() == 1);
    let code = sent_code(&server, &company);
    let wrong = if code == "000000" { "111111" } else { "000000" };
    let answer = post("/sign/one-time-code", &format!("&code={wrong}"));
    assert_eq!(answer.status, 422);
    assert!(text(&answer).contains("4 tries left") && !text(&answer).contains(wrong));
    let answer = post("/sign/one-time-code", &format!("&code={code}"));
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie").to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().expect("a pair").to_owned();
    let opened = server.send(server.request("GET", &address, None).header("cookie", pair));
    assert!(text(&opened).contains("<document-page"));
    // Members see that it was sent, and not what.
    let listed = server
        .app
        .outbox_messages(&server.app.authenticate(&token).expect("a caller"), None);
    assert!(listed.expect("the outbox").messages[0].text.is_empty());
}

fn behind_a_proxy_with_tls_a_member_signs_in_and_links_lead_there(database: &TestDatabase) {
    // The public address is not known to be https: what the proxy says decides.
    let server = Server::with(database, |settings, http| {
        "http://sign.example.com".clone_into(&mut settings.public_url);
        http.trusted_proxies = vec![network("127.0.0.1/32")];
    });
    server.company("acme");
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let ask = |method: &str, scheme: &str, cookie: &str, form: Option<String>| {
        let mut request = client
            .request(method.parse().expect("a method"), server.address_of("/sign-in"))
            .header("x-forwarded-for", "198.51.100.7")
            .header("x-forwarded-proto", scheme.to_owned())
            .header("host", "sign.example.com")
            .header("cookie", cookie.to_owned());
        if let Some(form) = form {
            request = request
                .header("content-type", "application/x-www-form-urlencoded")
                .header("origin", format!("{scheme}://sign.example.com"))
                .body(form);
        }
        server.send(request)
    };
    for (scheme, is_secure) in [("https", true), ("http", false)] {
        let page = ask("GET", scheme, "", None);
        let cookie = page.header("set-cookie").to_owned();
        assert_eq!(cookie.contains("; Secure"), is_secure, "{scheme}: {cookie}");
        let pair = cookie.split(';').next().expect("a cookie").to_owned();
        let html = text(&page);
        let csrf = html.split_once("name=\"csrf\" value=\"").expect("a form").1;
        let csrf = csrf.split('"').next().expect("a token");
        let form = format!("company=acme&email=owner%40example.com&password=plover+lantern+quay+47&csrf={csrf}");
        let answer = ask("POST", scheme, &pair, Some(form));
        assert_eq!(answer.status, 303, "{scheme}: {}", text(&answer));
        assert_eq!(
            answer.header("location"),
            "/outbox",
            "a path: the browser stays with the proxy's host and scheme"
        );
        let session = answer.header("set-cookie");
        let name = if is_secure {
            "__Host-countersign_session="
        } else {
            "countersign_session="
        };
        assert!(session.starts_with(name), "{session}");
        assert_eq!(session.contains("; Secure"), is_secure, "{session}");
    }
}

fn a_name_is_drawn_for_whoever_holds_a_link(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let ask = |wish: &Value| send(&server, "POST", "/sign/drawings", &sign, wish);
    let drawn = |wish: &Value| {
        let answer = ask(wish);
        assert_eq!(answer.header("cache-control"), "no-store");
        let choices = answer.ok()["choices"].as_array().expect("choices").clone();
        assert!(!choices.is_empty());
        choices
    };
    let members = |choices: &[Value], name: &str| -> Vec<String> {
        let member = |choice: &Value| choice["drawing"][name].as_str().unwrap_or_default().to_owned();
        choices.iter().map(member).collect()
    };
    // Only hands that know the letters are offered.
    let hands = drawn(&json!({"way": "typed", "text": " 김민준 "}));
    assert_eq!(members(&hands, "hand"), ["nanum-pen", "gaegu"]);
    assert_eq!(members(&hands, "text"), ["김민준", "김민준"]);
    assert_eq!(hands[0]["label"], "Felt pen");
    for choice in &hands {
        let svg = choice["svg"].as_str().expect("a picture");
        assert!(
            svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && !svg.contains("<script"),
            "{svg}"
        );
    }
    assert_ne!(hands[0]["svg"], hands[1]["svg"]);
    let seals = drawn(&json!({"way": "person_seal", "name": "김민준"}));
    assert_eq!(members(&seals, "shape"), ["round", "round", "oval", "square", "square"]);
    assert_eq!(seals[1]["label"], "Round: 김민준 인");
    let company = drawn(&json!({"way": "company_seal", "name": "株式会社青空", "title": "銀行之印"}));
    assert_eq!(company[0]["drawing"]["title"], "銀行之印");
    // What none of them has is said in words, for each.
    let missing = drawn(&json!({"way": "typed", "text": "김𓀀"}));
    for choice in &missing {
        assert_eq!(choice["svg"], "");
        assert!(
            choice["message"].as_str().expect("words").contains("𓀀 (U+13000)"),
            "{choice}"
        );
    }
    for (wish, path, code) in [
        (json!({}), "way", "required"),
        (json!({"way": "runes", "text": "x"}), "way", "invalid-option"),
        (json!({"way": "typed"}), "text", "required"),
        (json!({"way": "typed", "text": " "}), "text", "required"),
        (json!({"way": "typed", "text": "x".repeat(41)}), "text", "too-long"),
        (
            json!({"way": "typed", "text": "a\u{202e}b"}),
            "text",
            "direction-control",
        ),
        (
            json!({"way": "person_seal", "name": "가".repeat(31)}),
            "name",
            "too-long",
        ),
        (json!({"way": "person_seal", "name": 7}), "name", "wrong-type"),
        (
            json!({"way": "person_seal", "name": "김\n민준"}),
            "name",
            "control-character",
        ),
        (
            json!({"way": "company_seal", "name": "青空", "title": "銀行\n之印"}),
            "title",
            "control-character",
        ),
    ] {
        assert_eq!(ask(&wish).faults(), [(path.to_owned(), code.to_owned())], "{wish}");
    }
    ask(&json!({"way": "typed", "text": "x".repeat(5_000)})).problem(413);
}

/// A document that its first writer has approved, and the page of the second.
fn turn_of_second(server: &Server, token: &str, template: i64) -> (Value, String) {
    let started = server.start(token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    server
        .act(token, &id, "approve", &json!({"order": 1, "field_list": values_of(1)}))
        .ok();
    let turn = server.get(&format!("/api/v3/workflows/{id}"), token).ok();
    (id, local(&turn["playing_url"]))
}

fn a_seal_that_we_draw_goes_from_the_page_into_the_sealed_document(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (id, page) = turn_of_second(&server, &token, template);
    let sign = token_of(&page).to_owned();
    let put = |name: &str, drawing: Value| {
        let body = json!({"name": name, "drawing": drawing});
        send(&server, "POST", "/sign/files", &sign, &body)
    };
    let seal = json!({"way": "seal", "shape": "round", "name": "山田", "title": ""});
    for (drawing, path, code) in [
        (json!({}), "drawing.way", "required"),
        (
            json!({"way": "seal", "shape": "star", "name": "x"}),
            "drawing.shape",
            "invalid-option",
        ),
        (
            json!({"way": "typed", "hand": "mine", "text": "x"}),
            "drawing.hand",
            "invalid-option",
        ),
        (
            json!({"way": "typed", "hand": "caveat", "text": "𓀀"}),
            "sign",
            "missing-glyph",
        ),
        (
            json!({"way": "typed", "hand": "caveat", "text": "x".repeat(41)}),
            "sign",
            "too-long",
        ),
        (
            json!({"way": "typed", "hand": "caveat", "text": "\u{200b}"}),
            "sign",
            "required",
        ),
    ] {
        assert_eq!(
            put("sign", drawing.clone()).faults(),
            [(path.to_owned(), code.to_owned())],
            "{drawing}"
        );
    }
    for name in ["employee", "copy", "employer"] {
        let faults = put(name, seal.clone()).faults();
        assert_eq!(faults, [(name.to_owned(), "field-not-writable".to_owned())]);
    }
    let shown = || {
        let answer = look(&server, &format!("/sign/file?token={sign}&name=sign"));
        assert_eq!(answer.header("cache-control"), "no-store");
        (answer.header("content-type").to_owned(), answer.body)
    };
    // The last one stays: a drawing takes the place of a picture, and the other way round.
    assert_eq!(
        put(
            "sign",
            json!({"way": "typed", "hand": "yuji-syuku", "text": "山田太郎"})
        )
        .status,
        200
    );
    assert_eq!(shown().0, "image/svg+xml");
    let picture = json!({"name": "sign", "data": PNG});
    assert_eq!(send(&server, "POST", "/sign/files", &sign, &picture).status, 200);
    assert_eq!(shown().0, "image/png");
    assert_eq!(put("sign", seal.clone()).status, 200);
    let (media_type, outlines) = shown();
    assert_eq!(media_type, "image/svg+xml");
    let wish = json!({"way": "person_seal", "name": "山田 太郎"});
    let offered = send(&server, "POST", "/sign/drawings", &sign, &wish).ok()["choices"][0].clone();
    assert_eq!(offered["drawing"], seal);
    assert_eq!(
        offered["svg"].as_str().expect("a picture").as_bytes(),
        outlines,
        "what is offered is what is taken"
    );
    assert!(text(&look(&server, &page)).contains("/sign/file?token="));

    assert_eq!(send(&server, "POST", "/sign/consent", &sign, &json!({})).status, 204);
    let values = json!({"values": [{"name": "agree", "value": "Y"}, {"name": "employee", "value": "山田太郎"}]});
    let saved = send(&server, "PUT", "/sign/drafts", &sign, &values).ok();
    let shown = json!({"revision": saved["revision"]});
    let approved = send(&server, "POST", "/sign/approve", &sign, &shown).ok();
    assert_eq!(approved["status"], "Complete");

    // Programs get a name and, under it, a picture.
    let complete = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let fields = complete["field_list"].as_array().expect("fields").clone();
    let field = fields.iter().find(|field| field["name"] == "sign").expect("the field");
    assert_eq!(field["value"], "sign.png");
    let file = server.get(&format!("/api/v3/workflows/{id}/fields/sign/file"), &token);
    assert_eq!((file.status, file.header("content-type")), (200, "image/png"));
    assert!(file.header("content-disposition").contains("sign.png"));
    assert!(
        file.body.starts_with(b"\x89PNG") && file.body.len() > 2_000,
        "{} bytes",
        file.body.len()
    );
    // On the paper it is outlines: no picture is in the file.
    let document = server.get(&format!("/api/v3/workflows/{id}/document"), &token);
    assert!(trusted(&document.body, &server).holds_strictly());
    assert!(!String::from_utf8_lossy(&document.body).contains("/Subtype/Image"));
}

/// What a page is told when it is opened.
fn page_data(answer: &Answer) -> Value {
    let shown = String::from_utf8_lossy(&answer.body).into_owned();
    let data = shown.split_once(r#"id="sign-data">"#).expect("the page's data").1;
    serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON")
}

fn two_pages_of_one_link_show_what_each_other_has_filled_in(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (id, page) = turn_of_second(&server, &token, template);
    let sign = token_of(&page).to_owned();
    assert_eq!(send(&server, "POST", "/sign/consent", &sign, &json!({})).status, 204);
    let opened = page_data(&look(&server, &page))["draft"].clone();
    assert_eq!(opened, json!({"link": 1, "revision": 0, "changes": {}}));

    let save = |page: &str, revision: i64, values: Value| {
        let body = json!({"page": page, "revision": revision, "values": values});
        send(&server, "PUT", "/sign/drafts", &sign, &body).ok()
    };
    let desk = save(
        "desk",
        0,
        json!([{"name": "employee", "value": "백"}, {"name": "agree", "value": "Y"}]),
    );
    assert_eq!((&desk["revision"], &desk["newer"]), (&json!(1), &json!([])));
    let phone = save("phone", 1, json!([{"name": "employee", "value": "이백"}]));
    assert_eq!(phone["revision"], 2);
    let picture = json!({"name": "sign", "data": PNG, "file_name": "mine.png", "page": "phone", "revision": 2});
    let uploaded = send(&server, "POST", "/sign/files", &sign, &picture).ok();
    assert_eq!((&uploaded["revision"], &uploaded["newer"]), (&json!(3), &json!([])));

    // The desk shows the first value: its approval is refused in words, and nothing is lost.
    let approve = |body: Value| send(&server, "POST", "/sign/approve", &sign, &body);
    for revision in [json!({}), json!({"revision": 1}), json!({"revision": -3})] {
        let problem = approve(revision).problem(409);
        assert_eq!(problem["code"], "draft-changed");
        let detail = problem["detail"].as_str().expect("words");
        assert!(detail.contains("another page or device"), "{detail}");
    }
    assert_eq!(
        approve(json!({"revision": "1"})).faults(),
        [("revision".to_owned(), "wrong-type".to_owned())]
    );
    let newer = save("desk", 1, json!([]));
    let held: Vec<(&Value, &Value)> = newer["newer"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|held| (&held["name"], &held["value"]))
        .collect();
    assert_eq!(
        held,
        [
            (&json!("employee"), &json!("이백")),
            (&json!("sign"), &json!("mine.png"))
        ]
    );
    assert_eq!(newer["newer"][0]["boxes"][0]["shown"], "이백");
    let source = newer["newer"][1]["src"].as_str().expect("an address");
    assert!(source.ends_with("&revision=3"), "{source}");
    let shown = look(&server, source);
    assert_eq!((shown.status, shown.header("content-type")), (200, "image/png"));

    // A page that is opened now knows who has filled in what.
    let opened = page_data(&look(&server, &page))["draft"].clone();
    assert_eq!(opened["revision"], 3);
    assert_eq!(opened["changes"]["employee"], json!([2, "phone"]));
    assert_eq!(opened["changes"]["agree"], json!([1, "desk"]));
    let approved = approve(json!({"revision": newer["revision"]})).ok();
    assert_eq!(approved["status"], "Complete");
    let complete = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let fields = complete["field_list"].as_array().expect("fields").clone();
    let employee = fields.iter().find(|field| field["name"] == "employee");
    assert_eq!(employee.expect("the field")["value"], "이백");
}
