//! Public links: created by programs, opened by anyone, and counted exactly.

use serde_json::{Value, json};
use url::form_urlencoded::Serializer;

use crate::support::{Answer, BASE, Server};

mod limits;
mod made;
mod visitors;

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

/// Returns the path and query of a link's URL.
fn path_of(link: &Value) -> String {
    let address = link["link_url"].as_str().expect("an address");
    address.strip_prefix(BASE).expect("an address of ours").to_owned()
}

fn look(server: &Server, path: &str) -> Answer {
    server.send(server.request("GET", path, None))
}

/// Submits the form of the link's page.
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
