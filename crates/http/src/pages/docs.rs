//! `GET /api/docs`: the API reference, generated from the `OpenAPI` document, with forms to try the calls.
//!
//! Descriptions of the API, of groups and calls, authorities and error messages are in the reader's language.
//! Descriptions of parameters, members and responses are in English and marked as English. The page's script only
//! filters and submits the forms. The token stays in the tab.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::Language;
use serde::Serialize;
use serde_json::{Map, Value};

use super::quick_start::QuickStart;
use crate::api::{self, openapi};
use crate::frame::route::{Access, Authority, Route};
use crate::frame::state::Http;
use crate::html::render::respond;
use crate::html::request::PageRequest;

/// Maximum length of an example shown on one line.
const LINE: usize = 88;
/// Maximum number of error ids listed at a call. If there are more, the page links to the list.
const FEW_IDS: usize = 5;
/// The value of path parameters without an example.
const ID: &str = "42";

/// Keys of texts for the script.
const SCRIPT_SENTENCES: [&str; 8] = [
    "docs-found",
    "docs-found-none",
    "docs-token-none",
    "docs-token-kept",
    "docs-token-of-login",
    "docs-sending",
    "docs-no-answer",
    "docs-copied",
];

#[derive(Debug, Serialize)]
struct Docs {
    data: BTreeMap<&'static str, String>,
    intro: Vec<String>,
    start: QuickStart,
    version: String,
    document: String,
    groups: Vec<Group>,
    hooks: Vec<Hook>,
    objects: Vec<Object>,
    errors: Vec<ErrorGroup>,
}

#[derive(Debug, Serialize)]
struct Group {
    id: String,
    name: String,
    description: String,
    calls: Vec<Call>,
}

#[derive(Debug, Serialize)]
struct Call {
    id: String,
    method: String,
    path: String,
    name: String,
    summary: String,
    description: Vec<String>,
    who: String,
    has_token: bool,
    parameters: Vec<Parameter>,
    bodies: Vec<Body>,
    answers: Vec<Answer>,
    refusals: Vec<Refusal>,
    /// The usual responses, which every call of its kind can return.
    usual: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Parameter {
    name: String,
    place: String,
    required: bool,
    kind: Kind,
    description: String,
    example: String,
}

#[derive(Debug, Serialize)]
struct Body {
    media_type: String,
    object: String,
    example: String,
    members: Vec<Member>,
}

#[derive(Debug, Serialize)]
struct Member {
    name: String,
    required: bool,
    is_file: bool,
    kind: Kind,
    description: String,
}

/// The type of a value in words. `object` names the object type of the value or its elements.
#[derive(Debug, Default, Serialize)]
struct Kind {
    text: String,
    object: String,
}

#[derive(Debug, Serialize)]
struct Answer {
    status: String,
    description: String,
    media_type: String,
    object: String,
    examples: Vec<Example>,
}

#[derive(Debug, Serialize)]
struct Example {
    name: String,
    text: String,
}

#[derive(Debug, Serialize)]
struct Refusal {
    status: String,
    description: String,
    ids: Vec<&'static str>,
    many: usize,
}

#[derive(Debug, Serialize)]
struct Hook {
    id: String,
    name: String,
    method: String,
    summary: String,
    description: Vec<String>,
    headers: Vec<Parameter>,
    bodies: Vec<Body>,
    examples: Vec<Example>,
    answers: Vec<Answer>,
}

#[derive(Debug, Serialize)]
struct Object {
    name: String,
    description: String,
    members: Vec<Member>,
    one_of: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ErrorGroup {
    status: u16,
    title: &'static str,
    ids: Vec<ErrorId>,
}

#[derive(Debug, Serialize)]
struct ErrorId {
    id: &'static str,
    /// Whether this is its first occurrence, which links with its name open.
    is_first: bool,
    message: String,
}

pub async fn page(State(http): State<Http>, request: PageRequest) -> Response {
    let language = request.language();
    let title = i18n::text(language, "docs-title", &[]);
    let frame = request.frame(language, title);
    let (public_url, base) = (http.public_url().to_owned(), request.base.clone());
    // Rendering is slow, so do not use the threads for responses.
    let written = http.blocking(move |_| {
        let docs = docs(language, &public_url, &base);
        Ok(respond(StatusCode::OK, "docs.html", &frame, &docs))
    });
    written.await.unwrap_or_else(|error| request.fail(&error, language))
}

/// Returns the content of the page for an installation with this public address.
pub(super) fn docs(language: Language, public_url: &str, base: &str) -> impl Serialize + use<> {
    let document = openapi::described(public_url);
    let reader = Reader {
        document: &document,
        language,
        ids: openapi::error_ids_by_status(),
        routes: api::routes(),
    };
    // Placeholders that the script fills in.
    let places = [
        ("count", "{count}"),
        ("milliseconds", "{milliseconds}"),
        ("bytes", "{bytes}"),
    ];
    let said = SCRIPT_SENTENCES.map(|key| (key, i18n::text(language, key, &places)));
    Docs {
        data: said.into_iter().collect(),
        intro: paragraphs(&i18n::text(language, "docs-intro", &[])),
        start: QuickStart::new(language, public_url),
        version: text(&document["openapi"]),
        document: format!("{base}/api/openapi.json"),
        groups: reader.groups(),
        hooks: reader.hooks(),
        objects: reader.objects(),
        errors: reader.errors(),
    }
}

struct Reader<'d> {
    document: &'d Value,
    language: Language,
    ids: BTreeMap<u16, Vec<&'static str>>,
    routes: Vec<Route>,
}

impl<'d> Reader<'d> {
    fn groups(&self) -> Vec<Group> {
        let mut calls: Vec<(&str, &str, &Value)> = members(&self.document["paths"])
            .flat_map(|(path, operations)| {
                members(operations).map(move |(method, operation)| (path, method, operation))
            })
            .collect();
        // In the order of the routes, which is the order of typical use.
        calls.sort_by_key(|(path, method, _)| self.routes.iter().position(|route| is_at(route, method, path)));
        let tags = self.document["tags"].as_array().into_iter().flatten();
        tags.map(|tag| {
            let own = |operation: &Value| {
                operation["tags"]
                    .as_array()
                    .is_some_and(|tags| tags.contains(&tag["name"]))
            };
            let id = text(&tag["name"]).to_lowercase().replace(' ', "-");
            Group {
                name: i18n::text(self.language, &format!("docs-tag-{id}"), &[]),
                description: i18n::text(self.language, &format!("docs-tag-text-{id}"), &[]),
                calls: calls
                    .iter()
                    .filter(|(_, _, operation)| own(operation))
                    .map(|(path, method, operation)| self.call(path, method, operation))
                    .collect(),
                id,
            }
        })
        .collect()
    }

    fn call(&self, path: &str, method: &str, operation: &'d Value) -> Call {
        let id = text(&operation["operationId"]);
        let method = method.to_uppercase();
        let (mut answers, mut refusals, mut usual) = (Vec::new(), Vec::new(), Vec::new());
        for (status, answer) in members(&operation["responses"]) {
            if status.starts_with('2') {
                answers.push(self.answer(status, answer));
            } else if openapi::is_usual(status, &answer["description"]) {
                usual.push(status.to_owned());
            } else {
                refusals.push(self.refusal(status, answer));
            }
        }
        Call {
            name: i18n::text(self.language, &format!("docs-call-{id}"), &[]),
            summary: text(&operation["summary"]).trim_end_matches('.').replace('`', ""),
            description: self.told(&id),
            who: i18n::text(self.language, self.who(&method, path), &[]),
            has_token: operation["security"]
                .as_array()
                .is_some_and(|needed| !needed.is_empty()),
            parameters: Self::parameters(operation),
            bodies: self.bodies(operation),
            answers,
            refusals,
            usual,
            path: path.to_owned(),
            method,
            id,
        }
    }

    /// Returns the description of a call, if its name does not say enough.
    fn told(&self, id: &str) -> Vec<String> {
        let key = format!("docs-text-{id}");
        if i18n::has(self.language, &key) {
            paragraphs(&i18n::text(self.language, &key, &[]))
        } else {
            Vec::new()
        }
    }

    /// Returns the authority of the call's route.
    fn who(&self, method: &str, path: &str) -> &'static str {
        let route = self.routes.iter().find(|route| is_at(route, method, path));
        match route.map(|route| route.authority) {
            Some(Authority::AccessToken(Access::Send)) => "docs-who-send",
            Some(Authority::AccessToken(Access::Read)) => "docs-who-read",
            _ => "docs-who-public",
        }
    }

    fn parameters(operation: &Value) -> Vec<Parameter> {
        let given = operation["parameters"].as_array().into_iter().flatten();
        // Parameters that every call accepts are described once, above all calls.
        given
            .filter(|parameter| parameter.get("$ref").is_none())
            .map(|parameter| {
                let place = text(&parameter["in"]);
                let mut example = text(&parameter["example"]);
                if example.is_empty() && place == "path" && parameter["schema"]["type"] == "integer" {
                    ID.clone_into(&mut example);
                }
                Parameter {
                    name: text(&parameter["name"]),
                    required: parameter["required"] == true,
                    kind: kind(&parameter["schema"]),
                    description: text(&parameter["description"]),
                    example,
                    place,
                }
            })
            .collect()
    }

    fn bodies(&self, operation: &'d Value) -> Vec<Body> {
        members(&operation["requestBody"]["content"])
            .map(|(media_type, content)| {
                let schema = self.resolved(&content["schema"]);
                let example = content.get("example").or_else(|| schema.get("example"));
                Body {
                    object: object_of(&content["schema"]),
                    members: self.members_of(schema),
                    example: example
                        .filter(|_| media_type == "application/json")
                        .map(pretty)
                        .unwrap_or_default(),
                    media_type: media_type.to_owned(),
                }
            })
            .collect()
    }

    fn answer(&self, status: &str, answer: &'d Value) -> Answer {
        let (media_type, content) = members(&answer["content"]).next().unwrap_or(("", &Value::Null));
        Answer {
            status: status.to_owned(),
            description: text(&answer["description"]),
            object: object_of(&content["schema"]),
            examples: self.examples(content),
            media_type: media_type.to_owned(),
        }
    }

    /// Returns its own examples, or those of its schema.
    fn examples(&self, content: &'d Value) -> Vec<Example> {
        let named: Vec<Example> = members(&content["examples"])
            .map(|(name, example)| Example {
                name: example["summary"].as_str().unwrap_or(name).to_owned(),
                text: pretty(&example["value"]),
            })
            .collect();
        if !named.is_empty() {
            return named;
        }
        let own = content
            .get("example")
            .or_else(|| self.resolved(&content["schema"]).get("example"));
        let example = own.map(|example| Example {
            name: String::new(),
            text: pretty(example),
        });
        example.into_iter().collect()
    }

    fn refusal(&self, status: &str, answer: &Value) -> Refusal {
        let ids = status.parse().ok().and_then(|status: u16| self.ids.get(&status));
        let ids = ids.map(Vec::as_slice).unwrap_or_default();
        Refusal {
            status: status.to_owned(),
            description: text(&answer["description"]),
            many: ids.len(),
            ids: if ids.len() > FEW_IDS { Vec::new() } else { ids.to_vec() },
        }
    }

    fn hooks(&self) -> Vec<Hook> {
        members(&self.document["webhooks"])
            .flat_map(|(name, operations)| {
                members(operations).map(move |(method, operation)| (name, method, operation))
            })
            .map(|(name, method, operation)| Hook {
                id: format!("webhook-{name}"),
                name: name.to_owned(),
                method: method.to_uppercase(),
                summary: text(&operation["summary"]),
                description: paragraphs(&text(&operation["description"])),
                headers: Self::parameters(operation),
                bodies: self.bodies(operation),
                examples: members(&operation["requestBody"]["content"])
                    .flat_map(|(_, content)| self.examples(content))
                    .collect(),
                answers: members(&operation["responses"])
                    .map(|(status, answer)| self.answer(status, answer))
                    .collect(),
            })
            .collect()
    }

    fn objects(&self) -> Vec<Object> {
        members(&self.document["components"]["schemas"])
            .map(|(name, schema)| Object {
                name: name.to_owned(),
                description: text(&schema["description"]),
                members: self.members_of(schema),
                one_of: alternatives(schema)
                    .map(object_of)
                    .filter(|name| !name.is_empty())
                    .collect(),
            })
            .collect()
    }

    /// Returns the members of an object, required ones first.
    fn members_of(&self, schema: &'d Value) -> Vec<Member> {
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let mut all: Vec<Member> = parts.flat_map(|part| self.members_of(self.resolved(part))).collect();
        let required = schema["required"].as_array();
        all.extend(members(&schema["properties"]).map(|(name, property)| Member {
            name: name.to_owned(),
            required: required.is_some_and(|names| names.iter().any(|required| required == name)),
            is_file: property["format"] == "binary",
            kind: kind(property),
            description: description(property),
        }));
        // If the object has several alternatives, include the members that only some of them have.
        let inline = alternatives(schema).filter(|alternative| alternative.get("$ref").is_none());
        all.extend(inline.flat_map(|alternative| self.members_of(alternative)));
        all.sort_by_key(|member| !member.required);
        all
    }

    fn resolved(&self, schema: &'d Value) -> &'d Value {
        let name = object_of(schema);
        if name.is_empty() {
            schema
        } else {
            &self.document["components"]["schemas"][name]
        }
    }

    fn errors(&self) -> Vec<ErrorGroup> {
        let mut seen = BTreeSet::new();
        let groups = self.ids.iter().map(|(status, ids)| ErrorGroup {
            status: *status,
            title: crate::frame::problem::title_of(*status),
            ids: ids
                .iter()
                .map(|id| ErrorId {
                    id,
                    is_first: seen.insert(*id),
                    message: openapi::message_of(self.language, id),
                })
                .collect(),
        });
        groups.collect()
    }
}

fn is_at(route: &Route, method: &str, path: &str) -> bool {
    route.method.as_str().eq_ignore_ascii_case(method) && route.path.replace("{company}", "{companyId}") == path
}

fn members(object: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let entries = object.as_object().into_iter().flat_map(Map::iter);
    entries.map(|(name, value)| (name.as_str(), value))
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    schema["oneOf"].as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    let parts = text.split("\n\n").filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// Returns the description of a member, or of its object type.
fn description(property: &Value) -> String {
    let own = text(&property["description"]);
    if own.is_empty() {
        alternatives(property)
            .map(|one| text(&one["description"]))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    } else {
        own
    }
}

/// Returns the name of the object type that a schema refers to.
fn object_of(schema: &Value) -> String {
    let name = schema["$ref"]
        .as_str()
        .and_then(|reference| reference.rsplit('/').next());
    name.unwrap_or_default().to_owned()
}

fn kind(schema: &Value) -> Kind {
    let object = object_of(schema);
    if !object.is_empty() {
        return Kind {
            text: String::new(),
            object,
        };
    }
    if let Some(one) = alternatives(schema).find(|one| one.get("$ref").is_some()) {
        return kind(one);
    }
    let names = match &schema["type"] {
        Value::Array(names) => names.iter().map(text).filter(|name| name != "null").collect(),
        name => vec![text(name)],
    };
    let mut name = names.join(" | ");
    if name == "array" {
        let items = kind(&schema["items"]);
        return Kind {
            text: format!("{}[]", items.text),
            object: items.object,
        };
    }
    if schema["format"] == "binary" {
        "file".clone_into(&mut name);
    }
    Kind { text: name, object }
}

/// Formats JSON for people: values that fit on a line are on one line, and an object's short members come first.
fn pretty(value: &Value) -> String {
    let mut written = String::new();
    write(&mut written, value, 0);
    written
}

fn write(written: &mut String, value: &Value, depth: usize) {
    let line = in_a_line(value);
    let is_simple = depth > 0 && line.len() + 2 * depth <= LINE;
    match value {
        Value::Object(members) if !members.is_empty() && !is_simple => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(_, value)| value.is_array() || value.is_object());
            block(written, ('{', '}'), depth, &members, |written, (name, value)| {
                written.extend([&Value::from(name.as_str()).to_string(), ": "]);
                write(written, value, depth + 1);
            });
        }
        Value::Array(items) if !items.is_empty() && !is_simple => {
            block(written, ('[', ']'), depth, items, |written, item| {
                write(written, item, depth + 1);
            });
        }
        _ => written.push_str(&line),
    }
}

fn block<T>(
    written: &mut String,
    (open, close): (char, char),
    depth: usize,
    items: &[T],
    each: impl Fn(&mut String, &T),
) {
    written.push(open);
    for (index, item) in items.iter().enumerate() {
        written.push_str(if index == 0 { "\n" } else { ",\n" });
        written.push_str(&"  ".repeat(depth + 1));
        each(written, item);
    }
    written.push('\n');
    written.push_str(&"  ".repeat(depth));
    written.push(close);
}

fn in_a_line(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Object(members) if !members.is_empty() => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(_, value)| value.is_array() || value.is_object());
            let one =
                |(name, value): (&String, &Value)| format!("{}: {}", Value::from(name.as_str()), in_a_line(value));
            format!("{{{}}}", joined(members.into_iter().map(one).collect()))
        }
        Value::Array(items) => format!("[{}]", joined(items.iter().map(in_a_line).collect())),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::html::language::frame;
    use crate::html::render::html;

    const PUBLIC: &str = "https://sign.example.com";

    fn page(language: Language) -> String {
        let frame = frame(language, "", "API".to_owned(), "/api/docs", &[]);
        // The template engine escapes slashes.
        html("docs.html", &frame, &docs(language, PUBLIC, ""))
            .expect("a page")
            .replace("&#x2f;", "/")
            .replace("<wbr>", "")
    }

    #[test]
    fn the_page_holds_every_call_and_every_error_id_and_nothing_of_others() {
        let document = openapi::described(PUBLIC);
        for language in Language::ALL {
            let page = page(language);
            for (path, operations) in members(&document["paths"]) {
                assert!(page.contains(path), "{path}");
                for (_, operation) in members(operations) {
                    assert!(
                        page.contains(&format!("id=\"{}\"", text(&operation["operationId"]))),
                        "{path}"
                    );
                }
            }
            for id in openapi::error_ids() {
                assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
            }
            for (name, _) in members(&document["webhooks"]) {
                assert!(page.contains(&format!("id=\"webhook-{name}\"")), "{name}");
            }
            for (name, _) in members(&document["components"]["schemas"]) {
                assert!(page.contains(&format!("id=\"schema-{name}\"")), "{name}");
            }
            assert!(!page.contains('`'), "backticks are marks of code, not text");
            for foreign in ["<script>", " style=", "src=\"http", " onclick"] {
                assert!(!page.contains(foreign), "{foreign}");
            }
        }
    }

    #[test]
    fn no_two_elements_have_one_id_and_every_link_within_the_page_leads_somewhere() {
        let page = page(Language::En);
        // Skip the text before the first mark.
        let named = |mark: &'static str| page.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
        let mut ids = BTreeSet::new();
        for id in named(" id=\"") {
            assert!(ids.insert(id), "{id} stands twice");
        }
        for target in named("href=\"#") {
            assert!(ids.contains(target), "nothing is at #{target}");
        }
    }

    #[test]
    fn every_call_and_group_has_a_name_in_every_language() {
        let document = openapi::described(PUBLIC);
        let reader = |language| Reader {
            document: &document,
            language,
            ids: BTreeMap::new(),
            routes: api::routes(),
        };
        for language in Language::ALL {
            for group in reader(language).groups() {
                assert!(i18n::has(language, &format!("docs-tag-{}", group.id)), "{}", group.id);
                for call in group.calls {
                    assert!(i18n::has(language, &format!("docs-call-{}", call.id)), "{}", call.id);
                }
            }
        }
        for group in reader(Language::En).groups() {
            for call in group.calls {
                assert_eq!(call.name, call.summary, "the page and the document call it the same");
            }
        }
    }

    /// Compares our English texts with those of the document, so that changes to one are also made in the translations.
    #[test]
    fn what_is_said_of_calls_in_english_is_what_the_document_says() {
        let document = openapi::described(PUBLIC);
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let operations = members(&document["paths"]).flat_map(|(_, operations)| members(operations));
        let calls =
            operations.map(|(_, operation)| (format!("docs-text-{}", text(&operation["operationId"])), operation));
        let tags = document["tags"].as_array().into_iter().flatten().map(|tag| {
            let id = text(&tag["name"]).to_lowercase().replace(' ', "-");
            (format!("docs-tag-text-{id}"), tag)
        });
        let whole = [("docs-intro".to_owned(), &document["info"])];
        let mut known = BTreeSet::new();
        for (key, described) in calls.chain(tags).chain(whole) {
            let said = text(&described["description"]);
            if said.is_empty() {
                continue;
            }
            assert_eq!(one_line(&i18n::text(Language::En, &key, &[])), one_line(&said), "{key}");
            known.insert(key);
        }
        for key in i18n::keys(Language::En) {
            let is_of_it = key.starts_with("docs-text-") || key.starts_with("docs-tag-text-");
            assert!(!is_of_it || known.contains(key), "{key} is said of nothing");
        }
    }

    #[test]
    fn what_is_said_of_calls_is_in_the_readers_language_and_the_rest_is_marked_as_english() {
        for (language, words) in [
            (Language::Ko, "로드 밸런서를 위한"),
            (Language::Ja, "ロードバランサーのため"),
        ] {
            let page = page(language);
            assert!(page.contains(words), "{words}");
            // English text is in an element with an English language attribute.
            let english = "For load balancers. It writes to the database";
            assert!(!page.contains(english));
            for member in ["The member&#x27;s e-mail address.", "The endpoint for webhooks: https"] {
                let before = page.split(member).next().filter(|before| before.len() < page.len());
                let before = before.unwrap_or_else(|| panic!("{member} is nowhere"));
                let list = before.rfind("<dl class=\"members\"").expect("a list");
                assert!(
                    before[list..].starts_with("<dl class=\"members\" lang=\"en\">"),
                    "{member}"
                );
            }
        }
    }

    #[test]
    fn every_name_of_a_call_is_that_of_one() {
        let document = openapi::described(PUBLIC);
        let operations = members(&document["paths"]).flat_map(|(_, operations)| members(operations));
        let known: BTreeSet<String> = operations
            .map(|(_, operation)| format!("docs-call-{}", text(&operation["operationId"])))
            .collect();
        for key in i18n::keys(Language::En) {
            assert!(!key.starts_with("docs-call-") || known.contains(key), "{key}");
        }
    }

    #[test]
    fn json_is_written_to_be_read() {
        let value = json!({
            "list": [{"order": 1, "name": "a"}, {"order": 2, "name": "b"}],
            "name": "x", "empty": {}, "long": ["y".repeat(60), "z".repeat(60)],
        });
        assert_eq!(
            pretty(&value),
            format!(
                "{{\n  \"name\": \"x\",\n  \"empty\": {{}},\n  \"list\": [{{\"name\": \"a\", \"order\": 1}}, {{\"name\": \"b\", \
                 \"order\": 2}}],\n  \"long\": [\n    \"{}\",\n    \"{}\"\n  ]\n}}",
                "y".repeat(60),
                "z".repeat(60)
            )
        );
        assert_eq!(serde_json::from_str::<Value>(&pretty(&value)).expect("JSON"), value);
    }
}
