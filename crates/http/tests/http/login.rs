//! `POST /api/{companyId}/login`: the responses always have the same format and reveal nothing to guessers.

use app::CompanyChange;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{PASSWORD, Server, login_body, network};

testkit::on_both_databases!(
    a_right_password_gives_a_token,
    every_wrong_guess_gets_the_same_answer,
    a_body_of_a_wrong_form_is_code_12,
    a_company_learns_that_its_api_is_off_only_after_a_right_password,
    only_wrong_credentials_are_throttled,
    the_message_is_in_the_language_asked_for,
);

fn code(answer: &Value) -> &str {
    answer["header"]["result_code"].as_str().expect("a code")
}

fn a_right_password_gives_a_token(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    // Older clients send more members than required. The company's case does not matter.
    let body = json!({
        "header": {"request_code": "1001Q", "session_id": "", "version": "1.0"},
        "body": {"memb_email": "Owner@Example.com", "memb_pwd": PASSWORD, "comp_id": "acme", "device_id": "x"},
    });
    let answer = server.post("/api/ACME/login", None, &body);
    assert_eq!(answer.header("cache-control"), "no-store");
    let answer = answer.ok();
    let token = answer["body"]["access_token"].as_str().expect("a token").to_owned();
    assert!(token.len() >= 32, "{token}");
    assert_eq!(
        answer,
        json!({
            "header": {"response_code": "1001A", "result_code": "00", "result_msg": "Logged in.", "session_id": ""},
            "body": {"access_token": token, "comp_id": "acme", "device_id": "", "expire_date": "2026-01-02 09:00:00",
                "memb_email": "owner@example.com"},
        })
    );
    for scheme in ["service", "SERVICE", "Bearer", "bearer"] {
        let request = server
            .request("GET", "/api/v3/workflows", None)
            .header("authorization", format!("{scheme} {token}"));
        assert_eq!(server.send(request).status, 200, "{scheme}");
    }
    server.clock.advance(24 * 60 * 60);
    server.get("/api/v3/workflows", &token).problem(401);
}

fn every_wrong_guess_gets_the_same_answer(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let wrong = json!({
        "header": {"response_code": "1001A", "result_code": "10", "result_msg": "The login information is incorrect.",
            "session_id": ""},
        "body": {},
    });
    for (path, email, password) in [
        ("/api/acme/login", "owner@example.com", "wrong"),
        ("/api/acme/login", "nobody@example.com", PASSWORD),
        ("/api/nowhere/login", "owner@example.com", PASSWORD),
        ("/api/v3/login", "owner@example.com", PASSWORD),
        ("/api/%FF/login", "owner@example.com", PASSWORD),
        ("/api/a%00b/login", "owner@example.com", PASSWORD),
        ("/api/acme/login", "", ""),
    ] {
        assert_eq!(
            server.post(path, None, &login_body(email, password)).ok(),
            wrong,
            "{path} {email}"
        );
    }
}

fn a_body_of_a_wrong_form_is_code_12(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let good = login_body("owner@example.com", PASSWORD);
    let mut bodies: Vec<String> = ["", "{", "[]", "null", "\u{0}", "{\"header\":1}"]
        .map(str::to_owned)
        .to_vec();
    for (pointer, value) in [
        ("/header/request_code", json!("1001A")),
        ("/header/request_code", json!(1001)),
        ("/header", json!(null)),
        ("/body", json!([])),
        ("/body/memb_email", json!(null)),
        ("/body/memb_pwd", json!(7)),
        ("/body/memb_email", json!("a\u{0}b")),
    ] {
        let mut body = good.clone();
        *body.pointer_mut(pointer).expect("a member") = value;
        bodies.push(body.to_string());
    }
    bodies.push(format!("{}{}", good, " ".repeat(70_000)));
    for body in bodies {
        let shown: String = body.chars().take(120).collect();
        let answer = server
            .send(server.request("POST", "/api/acme/login?lang=en", None).body(body))
            .ok();
        assert_eq!((code(&answer), &answer["body"]), ("12", &json!({})), "{shown}");
    }
}

fn a_company_learns_that_its_api_is_off_only_after_a_right_password(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let off = CompanyChange {
        api_enabled: Some(false),
        ..CompanyChange::default()
    };
    server
        .app
        .change_company(&operator(&server.app, &company), &off)
        .expect("the API is off");
    let answer = server
        .post("/api/acme/login", None, &login_body("owner@example.com", PASSWORD))
        .ok();
    assert_eq!(code(&answer), "95");
    let answer = server
        .post("/api/acme/login", None, &login_body("owner@example.com", "wrong"))
        .ok();
    assert_eq!(code(&answer), "10");
    let refused = server.get("/api/v3/workflows", &token).problem(403);
    assert_eq!(
        (&refused["code"], &refused["header"]["result_code"]),
        (&json!("api-off"), &json!("95"))
    );
}

fn only_wrong_credentials_are_throttled(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.trusted_proxies = vec![network("127.0.0.1")]);
    server.company("acme");
    let attempt = |password: &str, address: &str| {
        let request = server
            .request("POST", "/api/acme/login", None)
            .header("x-forwarded-for", address);
        server.send(request.json(&login_body("owner@example.com", password)))
    };
    for _ in 0..15 {
        assert_eq!(code(&attempt(PASSWORD, "192.0.2.1").ok()), "00");
    }
    for number in 10..20 {
        assert_eq!(code(&attempt("wrong", &format!("192.0.2.{number}")).ok()), "10");
    }
    let throttled = attempt(PASSWORD, "192.0.2.99");
    assert_eq!((throttled.status, throttled.header("retry-after")), (429, "600"));
    let body = throttled.json();
    assert_eq!((code(&body), &body["body"]), ("10", &json!({})));
    // An address that has logged in is not locked out by other people's guesses. Its own guesses count against it.
    assert_eq!(code(&attempt(PASSWORD, "192.0.2.1").ok()), "00");
    for _ in 0..10 {
        assert_eq!(code(&attempt("wrong", "192.0.2.1").ok()), "10");
    }
    let throttled = attempt(PASSWORD, "192.0.2.1");
    assert_eq!((throttled.status, throttled.header("retry-after")), (429, "600"));
    // The lockout ends after a while.
    server.clock.advance(601);
    assert_eq!(code(&attempt(PASSWORD, "192.0.2.1").ok()), "00");
}

fn the_message_is_in_the_language_asked_for(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let message = |query: &str, accepted: &str| {
        let request = server.request("POST", &format!("/api/acme/login{query}"), None);
        let request = request
            .header("accept-language", accepted)
            .json(&login_body("owner@example.com", PASSWORD));
        server.send(request).ok()["header"]["result_msg"]
            .as_str()
            .expect("a message")
            .to_owned()
    };
    assert_eq!(message("?lang=ja", "en"), "ログインしました。");
    assert_eq!(message("", "en-GB, ko;q=0.5"), "Logged in.");
    assert_eq!(message("?lang=xx", ""), "로그인되었습니다.");
}
