//! Files in parts, and without their bytes; what is said when requests come too often; and previews.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, BASE, Server, login_body, plain, start_body};

testkit::on_both_databases!(
    a_file_is_downloaded_in_parts_and_as_a_whole_if_it_has_changed,
    a_head_request_names_the_size_and_is_no_download,
    a_request_that_comes_too_often_learns_when_to_try_again,
    a_preview_has_a_call_and_a_type_of_its_own,
);

struct World {
    server: Server,
    token: String,
    id: Value,
    /// Every address of the sealed document and the certificate.
    files: Vec<String>,
}

fn world(database: &TestDatabase) -> World {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &plain(1, "end"));
    let mut body = start_body(template);
    body["recipient_list"].as_array_mut().expect("a list").truncate(1);
    body["export_api_info"]["link_type"] = json!("download");
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    server.act(&token, &id, "approve", &json!({})).ok();
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let mut files = vec![
        format!("/api/v3/workflows/{id}/document"),
        format!("/api/v3/workflows/{id}/certificate"),
    ];
    for url in ["download_url", "certificate_url"] {
        let url = seen[url].as_str().expect("an address");
        files.push(url.strip_prefix(BASE).expect("our address").to_owned());
    }
    World {
        server,
        token,
        id,
        files,
    }
}

impl World {
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = self.server.request(method, path, Some(&self.token));
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        self.server.send(request)
    }

    fn downloads(&self) -> usize {
        let seen = self
            .server
            .get(&format!("/api/v3/workflows/{}", self.id), &self.token)
            .ok();
        let history = seen["history"].as_array().expect("history").clone();
        history.iter().filter(|entry| entry["event"] == "downloaded").count()
    }
}

fn a_file_is_downloaded_in_parts_and_as_a_whole_if_it_has_changed(database: &TestDatabase) {
    let world = world(database);
    for path in &world.files {
        let whole = world.ask("GET", path, &[]);
        assert_eq!((whole.status, whole.header("accept-ranges")), (200, "bytes"), "{path}");
        let (length, tag) = (whole.body.len(), whole.header("etag").to_owned());
        assert!(tag.len() > 20, "{path}: {tag}");
        let first = world.ask("GET", path, &[("range", "bytes=0-99")]);
        let rest = world.ask("GET", path, &[("range", "bytes=100-"), ("if-range", &tag)]);
        assert_eq!((first.status, rest.status), (206, 206), "{path}");
        assert_eq!(first.header("content-range"), format!("bytes 0-99/{length}"));
        assert_eq!(
            rest.header("content-range"),
            format!("bytes 100-{}/{length}", length - 1)
        );
        assert_eq!(rest.header("content-length"), (length - 100).to_string());
        assert_eq!(rest.header("content-disposition"), whole.header("content-disposition"));
        assert_eq!([first.body, rest.body].concat(), whole.body, "{path}");
        let last = world.ask("GET", path, &[("range", "bytes=-5")]);
        assert_eq!(last.body, &whole.body[length - 5..]);
        // Another file than before, a date, and ranges that we do not serve: all of it.
        for headers in [
            &[("range", "bytes=100-"), ("if-range", "\"other\"")][..],
            &[("range", "bytes=100-"), ("if-range", "Thu, 01 Jan 2026 00:00:00 GMT")],
            &[("range", "bytes=0-1,5-6")],
            &[("range", "pages=1-2")],
        ] {
            let answer = world.ask("GET", path, headers);
            assert_eq!((answer.status, answer.body.len()), (200, length), "{path} {headers:?}");
        }
        let beyond = format!("bytes={length}-");
        let refused = world.ask("GET", path, &[("range", &beyond)]);
        assert_eq!(refused.problem(416)["code"], "range-not-satisfiable", "{path}");
        assert_eq!(refused.header("content-range"), format!("bytes */{length}"));
    }
}

fn a_head_request_names_the_size_and_is_no_download(database: &TestDatabase) {
    let world = world(database);
    for path in &world.files {
        let before = world.downloads();
        // A part of nothing is nothing: HEAD describes the whole file.
        let head = world.ask("HEAD", path, &[("range", "bytes=0-9")]);
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        assert_eq!(world.downloads(), before, "{path}");
        let whole = world.ask("GET", path, &[]);
        assert_eq!(head.header("content-length"), whole.body.len().to_string(), "{path}");
        assert_eq!(head.header("etag"), whole.header("etag"), "{path}");
        assert_eq!(world.downloads(), before + 1, "{path}");
    }
    let early = format!("/api/v3/workflows/{}/document", 999_999);
    assert_eq!(world.ask("HEAD", &early, &[]).status, 404);
}

fn a_request_that_comes_too_often_learns_when_to_try_again(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let mut body = start_body(server.template(&company, &plain(2, "end")));
    body.as_object_mut().expect("members").remove("export_api_info");
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    server.act(&token, &id, "remind", &json!({})).ok();
    server.clock.advance(60);
    let refused = server.act(&token, &id, "remind", &json!({}));
    assert_eq!(refused.problem(429)["code"], "asked-lately");
    assert_eq!(refused.header("retry-after"), "540");
    assert_eq!(refused.header("ratelimit"), "\"asked-lately\";r=0;t=540");
    assert_eq!(refused.header("ratelimit-policy"), "\"asked-lately\";q=1;w=600");
    let login = || server.post("/api/acme/login", None, &login_body("owner@example.com", "wrong"));
    let refused = std::iter::repeat_with(login)
        .take(100)
        .find(|answer| answer.status == 429);
    let refused = refused.expect("it is throttled");
    let seconds = refused.header("retry-after");
    assert_eq!(refused.header("ratelimit"), format!("\"login\";r=0;t={seconds}"));
    assert_eq!(login().header("ratelimit-policy"), "", "it depends on the settings");
}

fn a_preview_has_a_call_and_a_type_of_its_own(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["nmae"] = json!(1);
    let preview = server.post("/api/v3/workflows/preview", Some(&token), &body).ok();
    assert_eq!(preview["ignored_members"], json!(["nmae"]));
    let url = preview["preview_url"]
        .as_str()
        .and_then(|url| url.strip_prefix(BASE))
        .expect("an address");
    assert_eq!(server.send(server.request("GET", url, None)).status, 200);
    // The member of a start still does the same.
    body["is_preview"] = json!(true);
    let same = server.start(&token, &body).ok();
    assert!(
        same["preview_url"].is_string() && same.get("workflow_id").is_none(),
        "{same}"
    );
    assert_eq!(server.get("/api/v3/workflows", &token).ok()["workflow_list"], json!([]));
    body["recipient_list"] = json!([]);
    let refused = server.post("/api/v3/workflows/preview", Some(&token), &body);
    assert_eq!(refused.faults(), server.start(&token, &body).faults());
}
