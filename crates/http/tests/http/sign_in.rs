//! The sign-in page and its sessions in a browser: over https, where the cookie prefix prevents other hosts from
//! planting cookies, and over plain http.

use countersign_http::HttpSettings;
use reqwest::redirect::Policy;
use testkit::database::TestDatabase;
use testkit::operator::operator;
use url::form_urlencoded::Serializer;

use crate::support::{Answer, BASE, PASSWORD, Server, start_body};

testkit::on_both_databases!(
    over_https_every_cookie_has_the_host_prefix_and_over_plain_http_none,
    over_https_a_cookie_without_the_prefix_is_not_read,
    a_planted_pair_of_cookie_and_token_signs_nobody_in,
    a_form_that_another_site_sends_signs_nobody_in_or_out,
    a_new_sign_in_ends_the_session_that_the_browser_had,
    a_session_ends_by_the_servers_own_clock,
    a_long_password_is_read_as_a_whole,
);

const PLAIN: &str = "http://sign.example.com";

fn plain_http(database: &TestDatabase) -> Server {
    Server::with(database, |settings, _: &mut HttpSettings| {
        PLAIN.clone_into(&mut settings.public_url);
    })
}

/// Returns the cookies set by a response: name, value, attributes. A deleted cookie has an empty value.
fn cookies(answer: &Answer) -> Vec<(String, String, String)> {
    answer
        .headers
        .get_all("set-cookie")
        .iter()
        .map(|line| {
            let line = line.to_str().expect("a cookie");
            let (pair, attributes) = line.split_once("; ").expect("attributes");
            let (name, value) = pair.split_once('=').expect("a value");
            (name.to_owned(), value.to_owned(), attributes.to_owned())
        })
        .collect()
}

fn cookie(answer: &Answer, name: &str) -> String {
    let all = cookies(answer);
    let found = all.iter().find(|(known, ..)| known == name);
    found.unwrap_or_else(|| panic!("{name} is not among {all:?}")).1.clone()
}

/// Returns the token in the sign-in form.
fn token_of(page: &Answer) -> String {
    let html = page.html();
    let rest = html.split_once("name=\"csrf\" value=\"").expect("a form").1;
    rest.split('"').next().expect("a token").to_owned()
}

/// A browser that does not follow redirects.
struct Browser<'a> {
    server: &'a Server,
    client: reqwest::Client,
}

impl Browser<'_> {
    fn of(server: &Server) -> Browser<'_> {
        let client = reqwest::Client::builder().no_proxy().redirect(Policy::none());
        Browser {
            server,
            client: client.build().expect("a client"),
        }
    }

    fn get(&self, path: &str, cookie: &str) -> Answer {
        let request = self
            .client
            .get(self.server.address_of(path))
            .header("cookie", cookie.to_owned());
        self.server.send(request)
    }

    fn post(&self, path: &str, cookie: &str, headers: &[(&str, &str)], entries: &[(&str, &str)]) -> Answer {
        let mut request = self
            .client
            .post(self.server.address_of(path))
            .header("cookie", cookie.to_owned())
            .header("content-type", "application/x-www-form-urlencoded");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.server
            .send(request.body(Serializer::new(String::new()).extend_pairs(entries).finish()))
    }

    fn sign_in(&self, cookie: &str, headers: &[(&str, &str)], token: &str, password: &str) -> Answer {
        let entries = [
            ("csrf", token),
            ("company", "acme"),
            ("email", "owner@example.com"),
            ("password", password),
        ];
        self.post("/sign-in", cookie, headers, &entries)
    }
}

fn over_https_every_cookie_has_the_host_prefix_and_over_plain_http_none(database: &TestDatabase) {
    for (server, prefix, attributes) in [
        (
            Server::new(database),
            "__Host-",
            "Path=/; HttpOnly; SameSite=Lax; Secure",
        ),
        (
            plain_http(&TestDatabase::sqlite()),
            "",
            "Path=/; HttpOnly; SameSite=Lax",
        ),
    ] {
        let (_, api_token, template) = server.with_company("acme");
        let browser = Browser::of(&server);
        let mut set = Vec::new();
        let page = browser.get("/sign-in", "");
        set.extend(cookies(&page));
        let form = cookie(&page, &format!("{prefix}countersign_form"));
        let pair = format!("{prefix}countersign_form={form}");
        let signed_in = browser.sign_in(&pair, &[], &token_of(&page), PASSWORD);
        assert_eq!(signed_in.status, 303);
        set.extend(cookies(&signed_in));
        let session = cookie(&signed_in, &format!("{prefix}countersign_session"));
        let session = format!("{prefix}countersign_session={session}");
        let outbox = browser.get("/outbox", &session);
        assert_eq!(outbox.status, 200);
        let signed_out = browser.post("/sign-out", &session, &[], &[("csrf", &token_of(&outbox))]);
        assert_eq!(signed_out.status, 303);
        set.extend(cookies(&signed_out));
        // The proof of an access code is also a cookie.
        let mut body = start_body(template);
        body["recipient_list"][0]["password"] = "850101".into();
        let token = server.start(&api_token, &body).ok()["token"]
            .as_str()
            .expect("a token")
            .to_owned();
        let given = browser.post("/sign/access-code", "", &[], &[("token", &token), ("code", "850101")]);
        assert_eq!(given.status, 303);
        set.extend(cookies(&given));
        let (name, value, _) = set.last().expect("a proof").clone();
        let opened = browser.get(&format!("/mail/sign?token={token}"), &format!("{name}={value}"));
        assert!(opened.html().contains("<document-page"));
        assert_eq!(set.len(), 5, "{set:?}");
        for (name, value, its) in &set {
            assert!(name.starts_with(&format!("{prefix}countersign_")), "{name}");
            let lasting: Vec<&str> = its
                .split("; ")
                .filter(|attribute| !attribute.starts_with("Max-Age="))
                .collect();
            assert_eq!(lasting.join("; "), attributes, "{name}={value}");
            assert!(!its.contains("Domain"), "{its}");
        }
    }
}

fn over_https_a_cookie_without_the_prefix_is_not_read(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let browser = Browser::of(&server);
    let page = browser.get("/sign-in", "");
    let form = cookie(&page, "__Host-countersign_form");
    let planted = browser.sign_in(&format!("countersign_form={form}"), &[], &token_of(&page), PASSWORD);
    assert_eq!(planted.status, 403);
    let right = browser.sign_in(
        &format!("__Host-countersign_form={form}"),
        &[],
        &token_of(&page),
        PASSWORD,
    );
    let session = cookie(&right, "__Host-countersign_session");
    assert_eq!(
        browser.get("/outbox", &format!("countersign_session={session}")).status,
        303
    );
    assert_eq!(
        browser
            .get("/outbox", &format!("__Host-countersign_session={session}"))
            .status,
        200
    );
}

fn a_planted_pair_of_cookie_and_token_signs_nobody_in(database: &TestDatabase) {
    for (server, name) in [
        (Server::new(database), "__Host-countersign_form"),
        (plain_http(&TestDatabase::sqlite()), "countersign_form"),
    ] {
        server.company("acme");
        let browser = Browser::of(&server);
        let own = browser.get("/sign-in", "");
        let other = browser.get("/sign-in", "");
        let chosen = "0123456789abcdef0123456789abcdef";
        for (cookie, token) in [
            (chosen.to_owned(), chosen.to_owned()),
            (token_of(&own), token_of(&own)),
            (cookie(&own, name), cookie(&own, name)),
            (cookie(&own, name), token_of(&other)),
            (cookie(&own, name), String::new()),
            (String::new(), token_of(&own)),
        ] {
            let answer = browser.sign_in(&format!("{name}={cookie}"), &[], &token, PASSWORD);
            assert_eq!(answer.status, 403, "{cookie} {token}");
            assert!(cookies(&answer).iter().all(|(name, ..)| !name.ends_with("session")));
        }
        // A form does not adopt a cookie that we did not set.
        let page = browser.get("/sign-in", &format!("{name}={chosen}"));
        assert_ne!(cookie(&page, name), chosen);
        // The cookie and token created for this browser allow sign-in for two hours.
        let pair = format!("{name}={}", cookie(&own, name));
        assert_eq!(browser.sign_in(&pair, &[], &token_of(&own), PASSWORD).status, 303);
        server.clock.advance(2 * 60 * 60);
        let stale = browser.sign_in(&pair, &[], &token_of(&own), PASSWORD);
        assert_eq!(stale.status, 403);
        let pair = format!("{name}={}", cookie(&stale, name));
        let again = browser.sign_in(&pair, &[], &token_of(&stale), PASSWORD);
        assert_eq!(again.status, 303, "the answer holds a new form");
    }
}

fn a_form_that_another_site_sends_signs_nobody_in_or_out(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let browser = Browser::of(&server);
    let page = browser.get("/sign-in", "");
    // The attacker's own valid cookie and token, planted in another person's browser.
    let pair = format!("__Host-countersign_form={}", cookie(&page, "__Host-countersign_form"));
    for site in ["cross-site", "same-site"] {
        let answer = browser.sign_in(&pair, &[("sec-fetch-site", site)], &token_of(&page), PASSWORD);
        assert_eq!(answer.status, 403, "{site}");
    }
    // Browsers without that header send the page's origin.
    for origin in [
        "https://attacker.example",
        "http://sign.example.com",
        "https://sign.example.com:8443",
        "x",
    ] {
        let answer = browser.sign_in(&pair, &[("origin", origin)], &token_of(&page), PASSWORD);
        assert_eq!(answer.status, 403, "{origin}");
    }
    let mut session = String::new();
    for headers in [
        &[("sec-fetch-site", "same-origin")][..],
        &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        &[("sec-fetch-site", "none")],
        &[("origin", "null")],
        &[("origin", BASE)],
        &[],
    ] {
        let answer = browser.sign_in(&pair, headers, &token_of(&page), PASSWORD);
        assert_eq!(answer.status, 303, "{headers:?}");
        session = format!(
            "__Host-countersign_session={}",
            cookie(&answer, "__Host-countersign_session")
        );
    }
    let token = token_of(&browser.get("/outbox", &session));
    let sign_out = |header| browser.post("/sign-out", &session, &[header], &[("csrf", &token)]);
    assert_eq!(sign_out(("sec-fetch-site", "cross-site")).status, 403);
    assert_eq!(sign_out(("origin", "https://attacker.example")).status, 403);
    assert_eq!(browser.get("/outbox", &session).status, 200);
    assert_eq!(sign_out(("sec-fetch-site", "same-origin")).status, 303);
    assert_eq!(browser.get("/outbox", &session).status, 303);
}

fn a_new_sign_in_ends_the_session_that_the_browser_had(database: &TestDatabase) {
    let server = plain_http(database);
    server.company("acme");
    let browser = Browser::of(&server);
    let sign_in = |before: &str, password: &str| {
        let page = browser.get("/sign-in", before);
        let pairs = format!("countersign_form={}; {before}", cookie(&page, "countersign_form"));
        browser.sign_in(&pairs, &[], &token_of(&page), password)
    };
    let session = |answer: &Answer| format!("countersign_session={}", cookie(answer, "countersign_session"));
    let elsewhere = session(&sign_in("", PASSWORD));
    let first = session(&sign_in("", PASSWORD));
    assert_eq!(sign_in(&first, "a wrong one").status, 401);
    assert_eq!(
        browser.get("/outbox", &first).status,
        200,
        "a wrong password ends nothing"
    );
    let answer = sign_in(&first, PASSWORD);
    assert_eq!(cookie(&answer, "countersign_form"), "", "a form is sent once");
    let second = session(&answer);
    assert_ne!(second, first);
    assert_eq!(browser.get("/outbox", &first).status, 303);
    assert_eq!(browser.get("/outbox", &second).status, 200);
    assert_eq!(
        browser.get("/outbox", &elsewhere).status,
        200,
        "another browser's stays"
    );
}

fn a_session_ends_by_the_servers_own_clock(database: &TestDatabase) {
    let server = plain_http(database);
    server.company("acme");
    let browser = Browser::of(&server);
    let sign_in = || {
        let page = browser.get("/sign-in", "");
        let pair = format!("countersign_form={}", cookie(&page, "countersign_form"));
        let answer = browser.sign_in(&pair, &[], &token_of(&page), PASSWORD);
        let (_, value, attributes) = cookies(&answer).swap_remove(0);
        assert!(attributes.contains("Max-Age=2592000"), "{attributes}");
        format!("countersign_session={value}")
    };
    let idle = sign_in();
    server.clock.advance(12 * 60 * 60 - 1);
    assert_eq!(browser.get("/outbox", &idle).status, 200);
    server.clock.advance(12 * 60 * 60);
    assert_eq!(browser.get("/outbox", &idle).status, 303, "idle for twelve hours");
    let busy = sign_in();
    for _ in 0..59 {
        server.clock.advance(12 * 60 * 60 - 1);
        assert_eq!(browser.get("/outbox", &busy).status, 200);
    }
    server.clock.advance(12 * 60 * 60 - 1);
    assert_eq!(browser.get("/outbox", &busy).status, 200);
    server.clock.advance(60);
    assert_eq!(browser.get("/outbox", &busy).status, 303, "thirty days old");
}

fn a_long_password_is_read_as_a_whole(database: &TestDatabase) {
    let server = plain_http(database);
    let company = server.company("acme");
    let long = "plover lantern quay 47 ".repeat(44);
    server
        .app
        .set_member_password(
            &operator(&server.app, &company),
            "owner@example.com",
            Some(long.clone()),
        )
        .expect("as long as it may be");
    let browser = Browser::of(&server);
    let sign_in = |password: &str| {
        let page = browser.get("/sign-in", "");
        let pair = format!("countersign_form={}", cookie(&page, "countersign_form"));
        browser.sign_in(&pair, &[], &token_of(&page), password).status
    };
    let log_in = |password: &str| {
        let body = crate::support::login_body("owner@example.com", password);
        server.post("/api/acme/login", None, &body).ok()["header"]["result_code"].clone()
    };
    assert_eq!((sign_in(&long), log_in(&long)), (303, "00".into()));
    for wrong in [
        format!("{long}{}", "x".repeat(10_000)),
        long[..512].to_owned(),
        format!("{long}x"),
    ] {
        assert_eq!(
            (sign_in(&wrong), log_in(&wrong)),
            (401, "10".into()),
            "{} bytes",
            wrong.len()
        );
    }
}

#[test]
fn strangers_who_drip_leave_members_who_are_signed_in_their_places() {
    let server = Server::new(&TestDatabase::sqlite());
    server.company("acme");
    let browser = Browser::of(&server);
    let page = browser.get("/sign-in", "");
    let form = format!("__Host-countersign_form={}", cookie(&page, "__Host-countersign_form"));
    let signed_in = browser.sign_in(&form, &[], &token_of(&page), PASSWORD);
    let session = format!(
        "__Host-countersign_session={}",
        cookie(&signed_in, "__Host-countersign_session")
    );
    // A body without a stated length needs a place.
    let post = |path: &str, cookie: &str, chunks: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncookie: {cookie}\r\n\
             content-type: application/x-www-form-urlencoded\r\ntransfer-encoding: chunked\r\n\r\n{chunks}"
        )
    };
    // The sign-in form is read from anybody.
    let drips = post("/sign-in", "countersign_session=nobodys", "1\r\na\r\n");
    let held: Vec<_> = (0..30).map(|_| server.sent(drips.as_bytes())).collect();
    // Three have a place and sixteen wait. The others are refused. By then, all places are taken.
    let (answered, first_answer) = std::sync::mpsc::channel();
    for connection in &held {
        let (mut connection, answered) = (connection.try_clone().expect("a connection"), answered.clone());
        std::thread::spawn(move || {
            let mut status = [0; 12];
            if std::io::Read::read_exact(&mut connection, &mut status).is_ok() {
                let _ = answered.send(status);
            }
        });
    }
    assert_eq!(&first_answer.recv().expect("an answer"), b"HTTP/1.1 503");
    let answer = server.raw(post("/sign-out", &session, "6\r\ncsrf=x\r\n0\r\n\r\n").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    for connection in held {
        let _ = connection.shutdown(std::net::Shutdown::Both);
    }
}
