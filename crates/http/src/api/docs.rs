//! `GET /api/docs`: the `OpenAPI` document as a page to read, with a form at each call to try it.
//!
//! The page is written here from the document itself. Its script only sends what the forms hold; the
//! token is typed by the reader, or taken from a login tried here, and kept nowhere. Nothing comes from elsewhere, and the policy of
//! [`crate::security_headers`] forbids that anything could.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, context};
use serde_json::Value;

use super::openapi;
use crate::assets;
use crate::problem::Failure;
use crate::router::Http;
use crate::security_headers;

const TEMPLATE: &str = include_str!("docs.html");
const SCRIPT: &str = include_str!("docs.js");
const STYLE: &str = include_str!("docs.css");

/// The page.
pub async fn docs(State(http): State<Http>) -> Result<Response, Failure> {
    let page = render(http.public_url()).map_err(|error| app::Error::internal("writing the page of the API", error))?;
    let mut response = Html(page).into_response();
    security_headers::page(response.headers_mut());
    Ok(response)
}

/// The page's script.
pub async fn script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT)
}

/// The page's style.
pub async fn style() -> Response {
    asset("text/css; charset=utf-8", STYLE)
}

fn asset(media_type: &'static str, text: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    (headers, text).into_response()
}

fn render(base: &str) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_filter("schema_name", |reference: &str| {
        reference.rsplit('/').next().unwrap_or("").to_owned()
    });
    environment.add_filter("pretty", |value: minijinja::Value| {
        serde_json::to_string_pretty(&value).unwrap_or_default()
    });
    environment.add_filter("prose", |text: minijinja::Value| {
        minijinja::Value::from_safe_string(prose(text.as_str().unwrap_or_default()))
    });
    environment.add_filter("breakable", |path: &str| {
        minijinja::Value::from_safe_string(escaped(path).replace('/', "<wbr>/"))
    });
    let document = openapi::described(base);
    let calls: Vec<Value> = calls(&document);
    environment.template_from_str(TEMPLATE)?.render(context! {
        icon => assets::path("icon.svg"),
        document => minijinja::Value::from(Serde(&document)),
        calls => minijinja::Value::from(Serde(&calls)),
        webhooks => minijinja::Value::from(Serde(&webhooks(&document))),
        errors => minijinja::Value::from(Serde(&openapi::error_ids())),
    })
}

/// A description as HTML: what stands between backticks is code.
fn prose(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        let part = escaped(part);
        // A backtick without its second one is a backtick.
        match (index % 2 == 1, index + 1 < parts.len()) {
            (true, true) => html.extend(["<code>", &part, "</code>"]),
            (true, false) => html.extend(["`", &part]),
            (false, _) => html.push_str(&part),
        }
    }
    html
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// What the server sends, each with its name.
fn webhooks(document: &Value) -> Vec<Value> {
    let mut webhooks = Vec::new();
    for (name, operations) in document["webhooks"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let mut webhook = operation.clone();
            webhook["name"] = Value::from(name.as_str());
            webhook["method"] = Value::from(method.to_uppercase());
            webhooks.push(webhook);
        }
    }
    webhooks
}

/// The calls in the order of the tags, each with path and method beside what is said of it.
fn calls(document: &Value) -> Vec<Value> {
    let mut calls: Vec<Value> = Vec::new();
    for (path, operations) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in operations.as_object().into_iter().flatten() {
            let mut call = operation.clone();
            call["path"] = Value::from(path.as_str());
            call["method"] = Value::from(method.to_uppercase());
            call["body_example"] = example(document, operation);
            let form = schema(document, operation, "multipart/form-data");
            call["form_members"] = form.map_or(Value::Null, |schema| schema["properties"].clone());
            calls.push(call);
        }
    }
    calls
}

/// An example of a call's body: its own, or that of its schema.
fn example(document: &Value, operation: &Value) -> Value {
    let content = &operation["requestBody"]["content"]["application/json"];
    if let Some(example) = content.get("example") {
        return example.clone();
    }
    schema(document, operation, "application/json").map_or(Value::Null, |schema| schema["example"].clone())
}

/// The schema of a call's body of this media type.
fn schema<'d>(document: &'d Value, operation: &Value, media_type: &str) -> Option<&'d Value> {
    let reference = operation["requestBody"]["content"][media_type]["schema"]["$ref"].as_str()?;
    Some(&document["components"]["schemas"][reference.rsplit('/').next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_holds_every_call_and_every_error_id_and_nothing_of_others() {
        // The template engine writes a slash as its entity.
        let page = render("https://sign.example.com")
            .expect("a page")
            .replace("&#x2f;", "/")
            .replace("<wbr>", "");
        let document = openapi::described("https://sign.example.com");
        for (path, _) in document["paths"].as_object().expect("paths") {
            assert!(page.contains(path.as_str()), "{path}");
        }
        for (id, _) in openapi::error_ids() {
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        }
        for (name, _) in document["webhooks"].as_object().expect("webhooks") {
            assert!(page.contains(&format!("id=\"webhook-{name}\"")), "{name}");
        }
        assert!(!page.contains('`'), "backticks are marks of code, not text");
        for foreign in ["<script>", " style=", "src=\"http", " onclick"] {
            assert!(!page.contains(foreign), "{foreign}");
        }
    }
}
