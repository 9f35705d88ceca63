//! `GET /api/openapi.json`: the `OpenAPI` 3.1 description of the API.
//!
//! Each handler contains the description of its endpoint. This module combines them, and adds shared parts once: the
//! responses that every call with a token may return, and the closed list of error ids. Tests compare the whole
//! document with a snapshot, so that no change goes unnoticed, and check that every route is described and every
//! described path is a route.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use app::{ConflictCode, FaultCode, ForbiddenCode, SealCode, ThrottleCode};
use axum::Json;
use axum::extract::State;
use axum::http::Method;
use domain::Language;
use serde_json::{Map, Value, json};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::body::ignored_members::Takes;
use crate::frame::problem::{Problem, ProblemError, ProblemHeader};
use crate::frame::state::Http;

use super::{authority, bulk, health, links, login, templates, verify, webhooks, workflows};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "Electronic signing. Log in, start a workflow from a template, let its signers sign, then download the sealed document and the history certificate.\n\nSuccessful calls return flat JSON. Failed calls return RFC 9457 problem details that list every invalid member at once. Each `code` is from a fixed list. Unknown members and query parameters are ignored and listed in the response header `Ignored-Members` (comma-separated paths, percent-encoded if they are not plain ASCII, up to 2,000 bytes). With `Prefer: handling=strict` they are refused (422, `unexpected-member`). Previews, dry runs and new public links also list them in `ignored_members`. Send bodies in UTF-8, without compression. A request that is not valid HTTP (400) or whose head is too long (431) is refused in plain text before it reaches the service. Messages for people are in the language of the query parameter `lang` (`ko`, `en`, `ja`), which every call accepts. Without it, they are in the language of `Accept-Language`, or else in the company's language.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    paths(
        login::login,
        workflows::start::start,
        workflows::preview::preview,
        workflows::send::send,
        workflows::list::list_workflows,
        workflows::search::search_with_value,
        workflows::get::get_workflow,
        workflows::approve::approve,
        workflows::reject::reject,
        workflows::cancel::cancel,
        workflows::extend::extend,
        workflows::remind::remind,
        workflows::discard::discard,
        workflows::links::change_links,
        workflows::correct_recipient::correct_recipient,
        workflows::document::document,
        workflows::certificate::certificate,
        workflows::field_file::field_file,
        templates::list::list_templates,
        templates::create::create_template,
        templates::get::get_template,
        templates::replace::replace_template,
        templates::copy::copy_template,
        templates::archive::archive_template,
        bulk::bulk_start,
        bulk::bulk_sheet,
        bulk::get_bulk,
        bulk::cancel_bulk,
        links::start_link,
        links::list_links,
        links::get_link,
        links::close_link,
        webhooks::list::list_exports,
        webhooks::resend::resend_export,
        webhooks::resend_many::resend_exports,
        webhooks::test_delivery::test_export,
        webhooks::endpoints::list_endpoints,
        webhooks::endpoints::pause_endpoint,
        webhooks::endpoints::start_endpoint,
        verify::verify,
        health::health,
        health::live,
        health::ready,
        authority::root_certificate,
        authority::revocation_list,
        openapi,
    ),
    components(schemas(
        Problem,
        ProblemError,
        ProblemHeader,
        app::Advanced,
        app::WebhookBody,
        app::WrittenField,
        app::NextWriter
    )),
    modifiers(&Security),
    tags(
        (name = "Login", description = "Get an access token for the other calls."),
        (name = "Workflows", description = "Documents in progress, and the sealed results."),
        (name = "Templates", description = "PDFs with fields and ordered steps. You start documents from them."),
        (name = "Bulk send", description = "Send many documents at once, from a list or a spreadsheet."),
        (name = "Public links", description = "Links that start a document for anyone who opens them."),
        (name = "Export API", description = "See what was sent to endpoints and how each try went, and send webhooks again."),
        (name = "Verification", description = "Check that a sealed file is unchanged."),
        (name = "Service", description = "Health checks, certificates and the description of the API."),
    ),
)]
struct Document;

struct Security;

impl Modify for Security {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "The access token of a login: `Authorization: service <token>` (the word is the installation's setting \
                 `api.auth_scheme`) or `Authorization: Bearer <token>`. Keep it on a server.",
            ))
            .build();
        openapi
            .components
            .get_or_insert_default()
            .add_security_scheme("access_token", SecurityScheme::Http(scheme));
    }
}

/// Returns every error id by HTTP status. The 422 ids name a member in `errors`, except `unprocessable` itself and the
/// reasons why a company cannot seal (`seal-…`).
pub fn error_ids_by_status() -> BTreeMap<u16, Vec<&'static str>> {
    let mut of_members: Vec<&str> = FaultCode::ALL.iter().map(|code| code.id()).collect();
    of_members.insert(0, "unprocessable");
    let seal_codes = |is_away: bool| {
        let codes = SealCode::ALL.iter().copied();
        codes
            .filter(move |code| (*code == SealCode::TokenAway) == is_away)
            .map(SealCode::id)
    };
    of_members.extend(seal_codes(false));
    [
        (400, vec!["not-json", "broken-body"]),
        (401, vec!["unauthenticated"]),
        (403, ForbiddenCode::ALL.iter().map(|code| code.id()).collect()),
        (404, vec!["not-found"]),
        (405, vec!["method-not-allowed"]),
        (409, ConflictCode::ALL.iter().map(|code| code.id()).collect()),
        (413, vec!["too-large"]),
        (415, vec!["unsupported"]),
        (416, vec!["range-not-satisfiable"]),
        (422, of_members),
        (429, ThrottleCode::ALL.iter().map(|code| code.id()).collect()),
        (500, vec!["internal", "outcome-unknown", "file-lost"]),
        (503, std::iter::once("unavailable").chain(seal_codes(true)).collect()),
    ]
    .into()
}

pub fn error_ids() -> Vec<&'static str> {
    let mut ids: Vec<&'static str> = error_ids_by_status().into_values().flatten().collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the message with its arguments as `{name}`.
pub fn message_of(language: Language, id: &str) -> String {
    let names = [
        "expected",
        "max",
        "min",
        "allowed",
        "state",
        "subject",
        "limit",
        "date",
        "wait",
        "order",
        "characters",
        "reason",
        "pages",
        "left",
        "name",
        "value",
        "row",
        "line",
        "column",
        "position",
        "kind",
        "width",
        "height",
        "least_width",
        "least_height",
        "width_millionths",
        "height_millionths",
        "megabytes",
        "files",
        "minutes",
        "time",
    ];
    let marks: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    let arguments: Vec<(&str, &str)> = names
        .iter()
        .zip(&marks)
        .map(|(name, mark)| (*name, mark.as_str()))
        .collect();
    i18n::text(language, &format!("error-{id}"), &arguments)
}

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = serde_json::to_value(Document::openapi()).unwrap_or_default();
    document["webhooks"] = webhooks::body::described();
    list_error_ids(&mut document);
    add_examples(&mut document);
    add_common_answers(&mut document);
    add_rate_limits(&mut document);
    add_language(&mut document);
    document
});

/// Returns the parameters that a call accepts. `None` if the call is not described here.
pub fn takes(method: &Method, path: &str) -> Option<Takes> {
    let operation = DOCUMENT["paths"].get(path)?.get(method.as_str().to_ascii_lowercase())?;
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let query = parameters
        .filter(|parameter| parameter["in"] == "query")
        .filter_map(|parameter| parameter["name"].as_str());
    let content = &operation["requestBody"]["content"];
    Some(Takes {
        query: query.chain(["lang"]).collect(),
        json: content.get("application/json").is_some(),
        parts: members_of(&content["multipart/form-data"]["schema"]),
    })
}

/// Returns the names of a described schema's members.
fn members_of(schema: &'static Value) -> BTreeSet<&'static str> {
    let named = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next());
    let schema = named.map_or(schema, |name| &DOCUMENT["components"]["schemas"][name]);
    let members = schema["properties"].as_object().into_iter().flatten();
    members.map(|(name, _)| name.as_str()).collect()
}

/// Returns the document for an installation with the base URL `base`.
pub fn described(base: &str) -> Value {
    let mut document = DOCUMENT.clone();
    document["servers"] = json!([{ "url": base }]);
    document
}

fn list_error_ids(document: &mut Value) {
    let ids = error_ids();
    for schema in ["Problem", "ProblemError"] {
        document["components"]["schemas"][schema]["properties"]["code"]["enum"] = json!(ids);
    }
}

/// Example responses by schema name.
const EXAMPLES: &str = include_str!("examples.json");

fn add_examples(document: &mut Value) {
    let examples: Map<String, Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    for (name, example) in examples {
        if let Some(schema) = document["components"]["schemas"].get_mut(name) {
            schema["example"] = example;
        }
    }
}

/// The common responses of every call with a token, then of every call with a body, then of every call for a single
/// resource.
const USUAL: [(&str, &str); 4] = [
    ("401", "The access token is missing, unknown or expired."),
    (
        "403",
        "The company is not allowed to call the API, or the member's role does not allow this call.",
    ),
    ("500", "Something went wrong on our side, and we logged it."),
    ("503", "The service is busy. `Retry-After` says when to try again."),
];
const USUAL_OF_BODIES: [(&str, &str); 3] = [
    ("400", "The body is not JSON, or was cut off."),
    ("413", "The body is too large."),
    (
        "415",
        "The body has an unsupported media type or charset, or is compressed.",
    ),
];
const USUAL_OF_ONE: (&str, &str) = ("404", "The company has nothing with this ID.");

/// Whether this response is one that every call of its kind may return.
pub fn is_usual(status: &str, description: &Value) -> bool {
    let mut all = USUAL.iter().chain(&USUAL_OF_BODIES).chain([&USUAL_OF_ONE]);
    all.any(|(usual, said)| *usual == status && description == said)
}

/// Adds the parameter that every call accepts, described once and referenced by each call.
fn add_language(document: &mut Value) {
    document["components"]["parameters"]["lang"] = json!({
        "name": "lang", "in": "query", "required": false,
        "description": "Language of messages and other texts for people, in errors too. Default: that of \
            `Accept-Language`, otherwise the company's. Other values are ignored.",
        "schema": {"type": "string", "enum": Language::ALL.map(Language::code)},
    });
    let operations = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        if let Some(parameters) = operation
            .as_object_mut()
            .map(|all| all.entry("parameters").or_insert(json!([])))
        {
            parameters
                .as_array_mut()
                .into_iter()
                .for_each(|all| all.push(json!({"$ref": "#/components/parameters/lang"})));
        }
    }
}

/// Adds the responses of every call with a token, so that handlers need not repeat them.
fn add_common_answers(document: &mut Value) {
    let Some(paths) = document["paths"].as_object_mut() else {
        return;
    };
    for (path, operations) in paths {
        for operation in operations.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if operation.get("security").is_none() {
                // An explicit empty list tells readers that no token is needed.
                operation["security"] = json!([]);
                continue;
            }
            let has_body = operation.get("requestBody").is_some();
            let Some(responses) = operation["responses"].as_object_mut() else {
                continue;
            };
            let mut common = USUAL.to_vec();
            if has_body {
                common.extend(USUAL_OF_BODIES);
            }
            if path.contains("{id}") {
                common.push(USUAL_OF_ONE);
            }
            for (status, description) in common {
                let mut answer = json!({
                    "description": description,
                    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
                });
                if status == "401" {
                    answer["headers"] = json!({"WWW-Authenticate": {"schema": {"type": "string"}}});
                }
                if status == "503" {
                    answer["headers"] = json!({"Retry-After": {"schema": {"type": "integer"}}});
                }
                responses.entry(status).or_insert(answer);
            }
        }
    }
}

/// What every refusal of a request that came too often says about when to try again.
fn add_rate_limits(document: &mut Value) {
    let headers = json!({
        "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
        "RateLimit": {
            "description": "The policy, what is left of it, and for how many seconds: `\"asked-lately\";r=0;t=540`.",
            "schema": {"type": "string"},
        },
        "RateLimit-Policy": {
            "description": "The policy's quota and window in seconds, if they are always the same: `\"asked-lately\";q=1;w=600`.",
            "schema": {"type": "string"},
        },
    });
    let operations = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in operations.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        if let Some(answer) = operation["responses"].get_mut("429") {
            answer["headers"] = headers.clone();
        }
    }
}

/// Download the `OpenAPI` document.
#[utoipa::path(get, path = "/api/openapi.json", operation_id = "service_openapi", tag = "Service", responses((status = 200, description = "The OpenAPI document, in version 3.1.", content_type = "application/json")))]
pub async fn openapi(State(http): State<Http>) -> Json<Value> {
    Json(described(http.public_url()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_document_and_the_table_of_routes_do_not_part() {
        let document = described("https://sign.example.com");
        let described: BTreeSet<String> = document["paths"]
            .as_object()
            .expect("paths")
            .iter()
            .flat_map(|(path, operations)| {
                operations
                    .as_object()
                    .expect("operations")
                    .keys()
                    .map(move |method| format!("{} {path}", method.to_uppercase()))
            })
            .collect();
        let routed: BTreeSet<String> = crate::api::routes()
            .iter()
            .map(|route| format!("{} {}", route.method, route.path.replace("{company}", "{companyId}")))
            .collect();
        assert_eq!(described, routed);
    }

    #[test]
    fn a_call_with_a_token_says_so() {
        let document = described("https://sign.example.com");
        for route in crate::api::routes() {
            if let crate::Authority::AccessToken(_) = route.authority {
                let operation = &document["paths"][route.path][route.method.as_str().to_lowercase()];
                assert_eq!(operation["security"], json!([{"access_token": []}]), "{}", route.path);
                assert!(operation["responses"]["401"].is_object(), "{}", route.path);
            }
        }
    }

    #[test]
    fn every_error_id_has_a_message_in_every_language() {
        for id in error_ids() {
            for language in Language::ALL {
                assert!(i18n::has(language, &format!("error-{id}")), "{id} {}", language.code());
            }
        }
        for subject in app::Subject::ALL {
            for language in Language::ALL {
                assert!(
                    i18n::has(language, &format!("error-subject-{subject}")),
                    "{subject} {}",
                    language.code()
                );
            }
        }
    }

    #[test]
    fn every_argument_of_a_message_is_known() {
        for id in error_ids() {
            let message = message_of(Language::En, id);
            assert!(!message.contains("{ $") && !message.contains("{$"), "{id}: {message}");
        }
    }

    #[test]
    fn every_error_has_its_status() {
        let ids = error_ids();
        for id in app::ERROR_IDS {
            assert!(ids.contains(id), "{id}");
        }
    }

    /// Fails if an example has members that its schema does not describe, or lacks required ones.
    fn check(document: &Value, schema: &Value, example: &Value, place: &str) {
        let schema = match schema["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            Some(name) => &document["components"]["schemas"][name],
            None => schema,
        };
        if let Some(parts) = schema["allOf"].as_array() {
            let known = |name: &str| {
                parts.iter().any(|part| {
                    let name_of = part["$ref"].as_str().and_then(|name| name.rsplit('/').next());
                    let part = name_of.map_or(part, |name| &document["components"]["schemas"][name]);
                    part["properties"].get(name).is_some()
                })
            };
            for name in example.as_object().expect("members").keys() {
                assert!(known(name), "{place}.{name}");
            }
        }
        if let Some(all) = schema["oneOf"].as_array() {
            let of_one = |one: &Value| {
                let name = one["$ref"].as_str().and_then(|name| name.rsplit('/').next());
                let one = name.map_or(one, |name| &document["components"]["schemas"][name]);
                example
                    .as_object()
                    .is_some_and(|example| example.keys().all(|name| one["properties"].get(name).is_some()))
            };
            assert!(example.is_null() || all.iter().any(of_one), "{place}");
        }
        let Some(described) = schema["properties"].as_object() else {
            return;
        };
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(
                example.get(name.as_str().expect("a name")).is_some(),
                "{place} lacks {name}"
            );
        }
        for (name, value) in example.as_object().into_iter().flatten() {
            let place = format!("{place}.{name}");
            let schema = described
                .get(name)
                .unwrap_or_else(|| panic!("{place} is not described"));
            for item in value.as_array().into_iter().flatten() {
                check(document, &schema["items"], item, &place);
            }
            if value.is_object() {
                check(document, schema, value, &place);
            }
        }
    }

    #[test]
    fn every_answer_has_an_example_that_its_schema_describes() {
        let document = described("https://sign.example.com");
        for (path, operations) in document["paths"].as_object().expect("paths") {
            for (method, operation) in operations.as_object().expect("operations") {
                let place = format!("{method} {path}");
                let content = &operation["responses"]["200"]["content"]["application/json"];
                let Some(name) = content["schema"]["$ref"].as_str() else {
                    continue;
                };
                let schema = &document["components"]["schemas"][name.rsplit('/').next().expect("a name")];
                let mut examples: Vec<&Value> = content.get("example").into_iter().collect();
                examples.extend(
                    content["examples"]
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(_, one)| &one["value"]),
                );
                examples.extend(schema.get("example"));
                if schema["properties"]
                    .as_object()
                    .is_some_and(|members| members.values().all(|one| one.get("example").is_some()))
                {
                    continue;
                }
                assert!(!examples.is_empty(), "{place}");
                for example in examples {
                    check(&document, &content["schema"], example, &place);
                }
            }
        }
    }
}
