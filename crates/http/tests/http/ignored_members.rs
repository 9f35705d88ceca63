//! Parts of a request that a call does not read are named in the response, or refused if the client requests that, on
//! every route.

use domain::CompanyId;
use reqwest::RequestBuilder;
use serde_json::{Map, Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, PASSWORD, Server, login_body, plain, start_body};

testkit::on_both_databases!(
    every_call_with_a_json_body_names_an_unknown_member_or_refuses_it,
    every_call_with_a_form_names_an_unknown_part_or_refuses_it,
    every_call_names_an_unknown_parameter_or_refuses_it,
    an_unknown_member_is_named_wherever_it_stands,
);

const UNKNOWN: &str = "nobody_knows";

/// Returns every described call except the login: method, path and description.
fn calls(world: &World) -> Vec<(String, String, Value)> {
    let document = world.document();
    let paths: Map<String, Value> = serde_json::from_value(document["paths"].clone()).expect("paths");
    let calls = paths.into_iter().flat_map(|(path, operations)| {
        let operations: Map<String, Value> = serde_json::from_value(operations).expect("operations");
        operations
            .into_iter()
            .map(move |(method, operation)| (method.to_uppercase(), path.clone(), operation))
    });
    calls.filter(|(_, path, _)| !path.ends_with("/login")).collect()
}

pub struct World {
    pub server: Server,
    company: CompanyId,
    token: String,
    pub template: i64,
}

impl World {
    pub fn new(database: &TestDatabase) -> World {
        let server = Server::new(database);
        let (company, token, template) = server.with_company("acme");
        World {
            server,
            company,
            token,
            template,
        }
    }

    pub fn document(&self) -> Value {
        self.server
            .send(self.server.request("GET", "/api/openapi.json", None))
            .ok()
    }

    /// Sends a request to a call for a new document or template.
    pub fn ask(&self, method: &str, path: &str, query: &str, body: Option<&Value>, strict: bool) -> Answer {
        self.ask_with(method, path, query, strict, |request| match body {
            Some(body) => request.json(body),
            None => request,
        })
    }

    fn ask_with(
        &self,
        method: &str,
        path: &str,
        query: &str,
        strict: bool,
        add_body: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Answer {
        let id = if path.contains("/templates/") {
            self.server.template(&self.company, &plain(1, "end")).to_string()
        } else {
            self.server.start(&self.token, &start_body(self.template)).ok()["workflow_id"].to_string()
        };
        let path = path
            .replace("{id}", &id)
            .replace("{order}", "1")
            .replace("{name}", "sign");
        let mut request = self
            .server
            .request(method, &format!("{path}{query}"), Some(&self.token));
        if strict {
            request = request.header("prefer", "handling=strict");
        }
        self.server.send(add_body(request))
    }
}

pub fn named(answer: &Answer) -> Vec<String> {
    let named = answer.header("ignored-members").split(", ");
    named.map(str::to_owned).filter(|name| !name.is_empty()).collect()
}

fn refused(answer: &Answer, call: &str) {
    assert_eq!(answer.status, 422, "{call}: {}", answer.html());
    let fault = (UNKNOWN.to_owned(), "unexpected-member".to_owned());
    assert!(answer.faults().contains(&fault), "{call}: {:?}", answer.faults());
    assert_eq!(answer.header("preference-applied"), "handling=strict", "{call}");
    assert!(named(answer).is_empty(), "{call}");
}

fn every_call_with_a_json_body_names_an_unknown_member_or_refuses_it(database: &TestDatabase) {
    let world = World::new(database);
    let mut asked = 0;
    for (method, path, operation) in calls(&world) {
        if operation["requestBody"]["content"].get("application/json").is_none() {
            continue;
        }
        asked += 1;
        let (call, body) = (format!("{method} {path}"), json!({UNKNOWN: {"deep": 1}}));
        let answer = world.ask(&method, &path, "", Some(&body), false);
        assert_eq!(named(&answer), [UNKNOWN], "{call}: {}", answer.status);
        refused(&world.ask(&method, &path, "", Some(&body), true), &call);
    }
    assert!(asked >= 13, "{asked}");

    let log_in = |strict: bool| {
        let mut body = login_body("owner@example.com", PASSWORD);
        body[UNKNOWN] = json!(1);
        body["header"]["session_id"] = json!("");
        let mut request = world.server.request("POST", "/api/acme/login", None).json(&body);
        if strict {
            request = request.header("prefer", "handling=strict");
        }
        let answer = world.server.send(request);
        (named(&answer), answer.ok()["header"]["result_code"].clone())
    };
    assert_eq!(log_in(false), (vec![UNKNOWN.to_owned()], json!("00")));
    assert_eq!(log_in(true), (Vec::new(), json!("12")), "in the login's own shape");
}

fn every_call_with_a_form_names_an_unknown_part_or_refuses_it(database: &TestDatabase) {
    let world = World::new(database);
    let part = |name: &str, file: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{{}}\r\n")
    };
    let form = |parts: &[String]| format!("{}--x--\r\n", parts.concat());
    let asked = |method: &str, path: &str, strict: bool, body: String| {
        world.ask_with(method, path, "", strict, |request| {
            let request = request.header("content-type", "multipart/form-data; boundary=x");
            request.body(body)
        })
    };
    let mut count = 0;
    for (method, path, operation) in calls(&world) {
        let is_verify = path.ends_with("/verify");
        if !is_verify && operation["requestBody"]["content"].get("multipart/form-data").is_none() {
            continue;
        }
        count += 1;
        let call = format!("{method} {path}");
        let file = part("file", "; filename=\"a.pdf\"");
        let known = [file, part(UNKNOWN, "")];
        let known = if is_verify {
            known.to_vec()
        } else {
            [known.as_slice(), &[part("start", "")]].concat()
        };
        let body = form(&known);
        let mut names = named(&asked(&method, &path, false, body.clone()));
        names.retain(|name| name != "start");
        assert_eq!(names, [UNKNOWN], "{call}");
        refused(&asked(&method, &path, true, body), &call);
    }
    assert_eq!(count, 5, "templates twice, send, bulk, verify");
    // Parts beyond the maximum are not read, and are reported as ignored.
    let many: Vec<String> = (0..101).map(|_| part("file", "")).collect();
    assert_eq!(named(&asked("POST", "/api/v3/templates", false, form(&many))), ["file"]);
}

fn every_call_names_an_unknown_parameter_or_refuses_it(database: &TestDatabase) {
    let world = World::new(database);
    let query = format!("?lang=en&{UNKNOWN}=1");
    for (method, path, operation) in calls(&world) {
        let call = format!("{method} {path}");
        let reads_json = operation["requestBody"]["content"].get("application/json").is_some();
        let body = reads_json.then(|| json!({}));
        let answer = world.ask(&method, &path, &query, body.as_ref(), false);
        assert_eq!(named(&answer), [UNKNOWN], "{call}: {}", answer.status);
        refused(&world.ask(&method, &path, &query, body.as_ref(), true), &call);
    }
    let known = world.ask(
        "GET",
        "/api/v3/workflows",
        "?limit=1&lang=ja&status=Playing",
        None,
        true,
    );
    assert_eq!((known.status, named(&known)), (200, Vec::new()));
}

fn an_unknown_member_is_named_wherever_it_stands(database: &TestDatabase) {
    let world = World::new(database);
    let (server, token) = (&world.server, world.token.as_str());
    let mut body = start_body(world.template);
    body["recipient_list"][1]["nmae"] = json!("B");
    body["export_api_info"]["urls"] = json!([]);
    body["이름, %"] = json!(1);
    let wrong = [
        "recipient_list[1].nmae",
        "export_api_info.urls",
        "%EC%9D%B4%EB%A6%84%2C%20%25",
    ];
    assert_eq!(named(&server.start(token, &body)), wrong);
    let strictly = |path: &str, body: &Value| {
        let request = server.request("POST", path, Some(token)).json(body);
        server.send(request.header("prefer", "respond-async, handling=\"strict\""))
    };
    let refusal = strictly("/api/v3/workflows/start", &body);
    let places: Vec<String> = refusal.faults().into_iter().map(|(place, _)| place).collect();
    assert_eq!(places, ["export_api_info.urls", "recipient_list[1].nmae", "이름, %"]);
    strictly("/api/v3/workflows/start", &start_body(world.template)).ok();

    // A step is approved by its current signer, so a name changes nothing.
    let id = server.start(token, &start_body(world.template)).ok()["workflow_id"].clone();
    let act = json!({"order": 1, "name": "김민준", "field_list": [{"name": "salary", "value": "1", "unit": "KRW"}]});
    let approve = format!("/api/v3/workflows/{id}/approve");
    assert_eq!(
        strictly(&approve, &act).faults(),
        [
            ("field_list[0].unit".to_owned(), "unexpected-member".to_owned()),
            ("name".to_owned(), "unexpected-member".to_owned())
        ]
    );
    let workflow = server.get(&format!("/api/v3/workflows/{id}"), token).ok();
    assert_eq!(workflow["order"], 1, "nothing was done");

    let template = server.template(&world.company, &plain(1, "end"));
    let row = |name: &str| json!({"workflow_name": "R", "recipient_list": [{"order": 1, name: "A", "email": "a@example.com"}]});
    let bulk = json!({"template_id": template, "dry_run": true, "workflow_list": [row("name"), row("nmae")]});
    let answer = server.post("/api/v3/workflows/bulk", Some(token), &bulk);
    assert_eq!(named(&answer), ["workflow_list[1].recipient_list[0].nmae"]);
    assert_eq!(answer.ok()["ignored_members"], json!(named(&answer)));
}
