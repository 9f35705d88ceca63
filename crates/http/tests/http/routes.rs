//! Every route declares its authority, and enforces it.

use countersign_http::{Access, Authority, routes};
use domain::Role;
use serde_json::json;
use testkit::database::TestDatabase;

use crate::support::{Answer, PNG, Server, start_body};

testkit::on_both_databases!(
    every_route_with_a_token_refuses_who_has_none,
    what_belongs_to_another_company_is_not_found,
    a_member_changes_nothing_from_another_sites_page_or_without_the_forms_token,
    every_route_is_for_those_whom_the_table_of_roles_names,
    an_auditor_changes_nothing,
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
    let body = act();
    let before = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    for route in routes()
        .into_iter()
        .filter(|route| matches!(route.authority, Authority::AccessToken(_)))
    {
        if !route.path.contains("{id}") {
            continue;
        }
        // Includes unknown and impossible ids.
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
    // None of these visits left a trace.
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
        .filter(|route| matches!(route.authority, Authority::Session(_)) && !route.method.is_safe());
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

/// The permissions of each role, copied from the table in the console's specification and not from the code.
const MAY: [(Role, &[Access]); 4] = [
    (
        Role::Owner,
        &[
            Access::Read,
            Access::Send,
            Access::Administer,
            Access::Own,
            Access::Audit,
        ],
    ),
    (
        Role::Admin,
        &[Access::Read, Access::Send, Access::Administer, Access::Audit],
    ),
    (Role::Sender, &[Access::Read, Access::Send]),
    (Role::Auditor, &[Access::Read, Access::Audit]),
];

fn every_route_is_for_those_whom_the_table_of_roles_names(database: &TestDatabase) {
    let server = Server::new(database);
    let (acme, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].to_string();
    let other = server.company("other");
    for (role, _) in MAY {
        let email = address_of(role);
        server.member(&acme, &email, role);
        server.member(&other, &email, role);
    }
    for (role, allowed) in MAY {
        for company in ["acme", "other"] {
            let bearer = server.token(company, &address_of(role));
            for route in routes() {
                let path = filled(route.path, &id);
                let name = format!("{} {} as {role} of {company}", route.method, route.path);
                let is_elsewhere = company == "other" && route.path.contains("{id}");
                match route.authority {
                    Authority::AccessToken(access) => {
                        let request = server.request(route.method.as_str(), &path, Some(&bearer)).json(&act());
                        let status = server.send(request).status;
                        expect(status, allowed.contains(&access), is_elsewhere, &name);
                    }
                    Authority::Session(access) => {
                        // An unknown message, or the first one, which belongs to the first company.
                        let path = filled(route.path, if company == "acme" { "999999" } else { "1" });
                        let is_missing = route.path.contains("{id}");
                        let status = as_member(&server, company, &address_of(role), route.method.as_str(), &path);
                        expect(status, allowed.contains(&access), is_missing, &name);
                        let request = server.request(route.method.as_str(), &path, Some(&bearer));
                        let with_token = server.send(request.header("sec-fetch-site", "same-origin"));
                        assert!(asks_to_sign_in(&with_token), "{name}: a token is no session");
                    }
                    Authority::Public | Authority::LinkToken => {}
                }
            }
        }
    }
    let none = server.token("acme", "owner@example.com");
    for route in routes() {
        let path = filled(route.path, &id);
        let asked = |token: Option<&str>| {
            let request = server.request(route.method.as_str(), &path, token);
            server.send(request.header("sec-fetch-site", "same-origin").body(""))
        };
        let nobody = asked(None);
        match route.authority {
            Authority::AccessToken(_) => assert_eq!(nobody.status, 401, "{} {path}", route.method),
            Authority::Session(_) => assert!(asks_to_sign_in(&nobody), "{} {path}", route.method),
            // Link and public routes do not depend on roles.
            Authority::Public | Authority::LinkToken => {
                assert_eq!(nobody.status, asked(Some(&none)).status, "{path}");
            }
        }
    }
}

/// Whether the response asks the member to sign in. The client follows redirects.
fn asks_to_sign_in(answer: &Answer) -> bool {
    answer.status == 200 && answer.html().contains("name=\"password\"")
}

fn address_of(role: Role) -> String {
    format!("{role}@roles.example.com")
}

/// A body that most calls accept.
fn act() -> serde_json::Value {
    json!({"field_list": [{"name": "sign", "value": PNG}], "expiry_date": "2026-02-01 00:00:00", "name": "X"})
}

fn expect(status: u16, is_allowed: bool, is_missing: bool, name: &str) {
    if !is_allowed {
        assert_eq!(status, 403, "{name}");
    } else if is_missing {
        assert_eq!(status, 404, "{name}");
    } else {
        assert!(!matches!(status, 401 | 403 | 500..), "{name}: {status}");
    }
}

/// Returns the response to a member who has just signed in.
fn as_member(server: &Server, company: &str, email: &str, method: &str, path: &str) -> u16 {
    let member = server.sign_in(company, email);
    let request = server
        .request(method, path, None)
        .header("cookie", member.cookie.clone())
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin");
    let body = if method == "GET" {
        String::new()
    } else {
        format!("csrf={}", member.csrf)
    };
    server.send(request.body(body)).status
}

fn an_auditor_changes_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].to_string();
    server.member(&company, "auditor@example.com", Role::Auditor);
    let auditor = server.token("acme", "auditor@example.com");
    for route in routes() {
        if matches!(route.authority, Authority::AccessToken(Access::Send)) {
            let request = server
                .request(route.method.as_str(), &filled(route.path, &id), Some(&auditor))
                .json(&json!({}));
            assert_eq!(server.send(request).problem(403)["code"], "role", "{}", route.path);
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
    // If no language is requested, the company's applies.
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

/// Every refusal has one of our formats: problem details, a page, or the login's.
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
            // A path starts with a slash, so skip the empty first part.
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
