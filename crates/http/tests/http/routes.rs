//! The ratchet: every route says who may call it, and is held to it.

use countersign_http::{Access, Authority, routes};
use domain::Role;
use serde_json::json;
use testkit::database::TestDatabase;

use crate::support::{PNG, Server, start_body};

testkit::on_both_databases!(
    every_route_with_a_token_refuses_who_has_none,
    what_belongs_to_another_company_is_not_found,
    a_member_changes_nothing_from_another_sites_page_or_without_the_forms_token,
    an_auditor_reads_and_changes_nothing,
    what_is_not_there_is_a_problem_too,
    a_failure_speaks_the_language_of_its_reader,
    every_call_takes_the_language_of_its_address_first,
    the_icon_is_where_browsers_look_and_every_page_names_it,
);

fn filled(path: &str, id: &str) -> String {
    path.replace("{id}", id)
        .replace("{order}", "1")
        .replace("{name}", "sign")
}

fn every_route_with_a_token_refuses_who_has_none(database: &TestDatabase) {
    let server = Server::new(database);
    let mut asked = 0;
    for route in routes() {
        if !matches!(route.authority, Authority::AccessToken(_)) {
            continue;
        }
        asked += 1;
        let path = filled(route.path, "1");
        for authorization in [
            None,
            Some("service wrong"),
            Some("Bearer "),
            Some("Basic b3duZXI6cGFzcw=="),
        ] {
            let mut request = server.request(route.method.as_str(), &path, None);
            if let Some(value) = authorization {
                request = request.header("authorization", value);
            }
            let answer = server.send(request.body("{"));
            let problem = answer.problem(401);
            assert_eq!(problem["code"], "unauthenticated", "{} {path}", route.method);
            assert_eq!(
                answer.header("www-authenticate"),
                "service realm=\"countersign\", Bearer realm=\"countersign\""
            );
        }
    }
    assert!(asked >= 15, "{asked}");
}

fn what_belongs_to_another_company_is_not_found(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].to_string();
    server.company("other");
    let stranger = server.token("other", "owner@example.com");
    let body =
        json!({"field_list": [{"name": "sign", "value": PNG}], "expiry_date": "2026-02-01 00:00:00", "name": "X"});
    let before = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    for route in routes()
        .into_iter()
        .filter(|route| matches!(route.authority, Authority::AccessToken(_)))
    {
        if !route.path.contains("{id}") {
            continue;
        }
        // Also ids that nothing has, or can have.
        for id in [id.as_str(), "999999999", "0", "-1", "x", "9223372036854775808", "1%00"] {
            let request = server
                .request(route.method.as_str(), &filled(route.path, id), Some(&stranger))
                .json(&body);
            let problem = server.send(request).problem(404);
            assert_eq!(problem["code"], "not-found", "{} {}", route.method, route.path);
        }
    }
    assert_eq!(
        server.get("/api/v3/workflows", &stranger).ok()["workflow_list"],
        json!([])
    );
    let search = format!("/api/v3/workflows/search-with-value?template_id={template}&field_name=salary&field_value=1");
    assert_eq!(
        server.get(&search, &stranger).faults(),
        [("template_id".to_owned(), "unknown-template".to_owned())]
    );
    // Nobody's visit has left a trace.
    assert_eq!(
        server.get(&format!("/api/v3/workflows/{id}"), &token).ok()["history"],
        before["history"]
    );
}

fn a_member_changes_nothing_from_another_sites_page_or_without_the_forms_token(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let changing = routes()
        .into_iter()
        .filter(|route| route.authority == Authority::Session && !route.method.is_safe());
    let mut asked = 0;
    for route in changing {
        asked += 1;
        let member = server.sign_in("acme", "owner@example.com");
        let from = |origin: &str, csrf: &str| {
            let request = server
                .request(route.method.as_str(), &filled(route.path, "1"), None)
                .header("cookie", member.cookie.clone())
                .header("content-type", "application/x-www-form-urlencoded")
                .header("origin", origin);
            server.send(request.body(format!("csrf={csrf}"))).status
        };
        let send = |site: Option<&str>, csrf: &str| {
            let request = server
                .request(route.method.as_str(), &filled(route.path, "1"), None)
                .header("cookie", member.cookie.clone())
                .header("content-type", "application/x-www-form-urlencoded");
            let request = match site {
                Some(site) => request.header("sec-fetch-site", site),
                None => request,
            };
            server.send(request.body(format!("csrf={csrf}"))).status
        };
        let path = route.path;
        for site in ["cross-site", "same-site", "anything"] {
            assert_eq!(send(Some(site), &member.csrf), 403, "{path} from {site}");
        }
        assert_eq!(from("https://attacker.example", &member.csrf), 403, "{path}");
        for (site, csrf) in [(None, ""), (None, "x"), (Some("same-origin"), "")] {
            assert_eq!(send(site, csrf), 403, "{path} from {site:?} with {csrf:?}");
        }
        assert_ne!(send(Some("same-origin"), &member.csrf), 403, "{path}");
    }
    assert!(asked > 0);
}

fn an_auditor_reads_and_changes_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].to_string();
    server.member(&company, "auditor@example.com", Role::Auditor);
    let auditor = server.token("acme", "auditor@example.com");
    for route in routes() {
        let Authority::AccessToken(access) = route.authority else {
            continue;
        };
        let request = server
            .request(route.method.as_str(), &filled(route.path, &id), Some(&auditor))
            .json(&json!({}));
        let answer = server.send(request);
        match access {
            Access::Send => assert_eq!(answer.problem(403)["code"], "role", "{}", route.path),
            Access::Read => assert!(!matches!(answer.status, 401 | 403), "{} {}", route.path, answer.status),
            other => panic!("{} requires {other:?}: say here what an auditor gets", route.path),
        }
    }
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &auditor).ok();
    assert_eq!((&seen["status"], &seen["order"]), (&json!("Playing"), &json!(1)));
}

fn what_is_not_there_is_a_problem_too(database: &TestDatabase) {
    let server = Server::new(database);
    for path in ["/api/", "/api/v3", "/api/v3/nothing", "/api/v3/workflows/1/nothing"] {
        assert_eq!(
            server.send(server.request("GET", path, None)).problem(404)["code"],
            "not-found",
            "{path}"
        );
    }
    let page = server.send(server.request("GET", "/nothing?lang=en", None));
    assert_eq!(
        (page.status, page.header("content-type")),
        (404, "text/html; charset=utf-8")
    );
    let answer = server.send(server.request("DELETE", "/api/v3/workflows/1", None));
    assert_eq!(answer.problem(405)["code"], "method-not-allowed");
    assert!(answer.header("allow").contains("GET"), "{:?}", answer.headers);
    let health = server.send(server.request("GET", "/healthz", None));
    assert_eq!(health.ok(), json!({"status": "ok"}));
}

fn a_failure_speaks_the_language_of_its_reader(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let said = |query: &str, accepted: Option<&str>| {
        let mut request = server.request("GET", &format!("/api/v3/workflows/1{query}"), Some(&token));
        if let Some(accepted) = accepted {
            request = request.header("accept-language", accepted);
        }
        let answer = server.send(request);
        let detail = answer.problem(404)["detail"].as_str().expect("a detail").to_owned();
        (answer.header("content-language").to_owned(), detail)
    };
    assert_eq!(
        said("?lang=ja", Some("en")),
        ("ja".to_owned(), "見つかりません: 文書".to_owned())
    );
    assert_eq!(
        said("", Some("fr, en;q=0.8")),
        ("en".to_owned(), "Not found: workflow.".to_owned())
    );
    // The company's own, where nothing is asked for.
    assert_eq!(said("", None), ("ko".to_owned(), "찾을 수 없습니다: 문서.".to_owned()));
}

fn every_call_takes_the_language_of_its_address_first(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let document = server.get("/api/openapi.json", &token).ok();
    for route in routes().into_iter().filter(|route| route.path.starts_with("/api/v3/")) {
        let path = filled(route.path, "1");
        let asked = |query: &str| {
            let request = server.request(route.method.as_str(), &format!("{path}{query}"), None);
            server.send(request.header("accept-language", "ko").body("{"))
        };
        let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
        let parameters = operation["parameters"].as_array().expect("parameters");
        let of_all = json!({"$ref": "#/components/parameters/lang"});
        assert!(parameters.contains(&of_all), "{} {path}", route.method);
        if matches!(route.authority, Authority::AccessToken(_)) {
            let answer = asked("?lang=ja");
            let problem = answer.problem(401);
            assert_eq!(answer.header("content-language"), "ja", "{} {path}", route.method);
            assert_ne!(
                problem["detail"],
                asked("").problem(401)["detail"],
                "{} {path}",
                route.method
            );
        }
    }
    assert_eq!(document["components"]["parameters"]["lang"]["name"], "lang");
}

fn the_icon_is_where_browsers_look_and_every_page_names_it(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let looked_for = server.send(server.request("GET", "/favicon.ico", None));
    assert_eq!(
        (looked_for.status, looked_for.header("content-type")),
        (200, "image/svg+xml")
    );
    assert_eq!(looked_for.header("cache-control"), "public, max-age=86400");
    assert!(looked_for.body.starts_with(b"<svg"));
    assert_eq!(server.send(server.request("HEAD", "/favicon.ico", None)).status, 200);

    let mut paths: Vec<String> = routes()
        .into_iter()
        .filter(|route| route.method == "GET")
        .map(|route| {
            let path = route.path.replace("{company}", "acme").replace("{document}", "0");
            filled(&path.replace("{page}", "1"), "1")
        })
        .collect();
    paths.push("/nothing".to_owned());
    let mut pages = 0;
    for path in paths {
        let page = server.send(server.request("GET", &path, None).header("accept", "text/html"));
        if !page.header("content-type").starts_with("text/html") {
            continue;
        }
        pages += 1;
        let html = page.html();
        let named = html
            .split_once("<link rel=\"icon\" href=\"")
            .and_then(|(_, rest)| rest.split_once('"'))
            .unwrap_or_else(|| panic!("{path} names no icon"))
            .0;
        let icon = server.send(server.request("GET", named, None));
        assert_eq!((icon.status, &icon.body), (200, &looked_for.body), "{path}: {named}");
    }
    assert!(pages >= 10, "{pages}");
}

/// Whatever is wrong with a request, the answer has one of our shapes: problem details, a page, or the login's.
#[test]
fn no_refusal_is_plain_text() {
    let server = Server::new(&TestDatabase::sqlite());
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let bodies: [(&str, &[u8]); 6] = [
        ("application/json", b"{"),
        ("application/json; charset=utf-16", b"{}"),
        ("text/plain", b"\xff\xfe"),
        ("application/x-www-form-urlencoded", b"%FF=%zz&\xff"),
        ("multipart/form-data", b"no boundary"),
        (
            "multipart/form-data; boundary=b",
            b"--b\r\nContent-Disposition: form-data; name=\"file\"",
        ),
    ];
    for route in routes() {
        let token = matches!(route.authority, Authority::AccessToken(_)).then_some(token.as_str());
        for parameter in ["%FF", "x", "-1", "99999999999999999999", "%00"] {
            let mut path = String::new();
            // A path begins with a slash, before which there is nothing.
            for part in route.path.split('/').skip(1) {
                path.push('/');
                path.push_str(if part.starts_with('{') { parameter } else { part });
            }
            for (media_type, body) in bodies {
                let request = server
                    .request(
                        route.method.as_str(),
                        &format!("{path}?lang=%FF&page=x&token=%FF&cursor=-"),
                        token,
                    )
                    .header("content-type", media_type)
                    .body(body.to_vec());
                let answer = server.send(request);
                if answer.status < 400 {
                    continue;
                }
                let shape = answer.header("content-type");
                let ours = shape == "application/problem+json"
                    || shape == "text/html; charset=utf-8"
                    || route.path == "/api/{company}/login" && shape == "application/json";
                assert!(ours, "{} {path} {media_type}: {} {shape}", route.method, answer.status);
            }
        }
    }
}
