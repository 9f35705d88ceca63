//! The pages over HTTP: access, headers, and the pages shown in their place.

use serde_json::{Value, json};

use crate::support::{Answer, BASE, Server, start_body, values_of};

mod access;
mod codes;
mod members;
mod signing;
mod viewer;

fn filled(path: &str) -> String {
    path.replace("{company}", "acme")
        .replace("{document}", "0")
        .replace("{page}", "1")
        .replace("{id}", "1")
        .replace("{ticket}", "abc")
        .replace("{name}", "a.pdf")
}

/// Returns the path and query of a URL created by the service.
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

/// Returns the body as text. Templates also escape slashes.
fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).replace("&#x2f;", "/")
}

fn look(server: &Server, path: &str) -> Answer {
    server.send(server.request("GET", path, None).header("accept-language", "en"))
}

/// Sends a request as the browser code does.
fn send(server: &Server, method: &str, path: &str, token: &str, body: &Value) -> Answer {
    let request = server
        .request(method, path, None)
        .header("accept-language", "en")
        .header("link-token", token);
    server.send(request.json(body))
}

/// Checks that an image's URL always refers to the same content, so a browser that has it gets a 304, and that another
/// document's hash is not found.
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

/// Returns a document that both signers have approved, as returned by the API.
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

/// Returns the URL of the first page's image in the viewer.
fn first_picture(server: &Server, viewer: &serde_json::Value) -> String {
    text(&look(server, &local(viewer)))
        .split("src=\"")
        .find(|part| part.starts_with("/mail/view/pages/"))
        .and_then(|part| part.split('"').next())
        .expect("a page")
        .replace("&amp;", "&")
}
