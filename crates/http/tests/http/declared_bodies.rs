//! The described members of a JSON body match those that are read, including types and required members. Every object
//! in the body of every described call is sent with each of its members valid, invalid and missing, and with the
//! members of other objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use testkit::database::TestDatabase;

use crate::ignored_members::{World, named};
use crate::support::{PASSWORD, login_body, start_body};

/// Members that are read but not described, because only programs that ignore the description send them.
const UNDESCRIBED: [&str; 1] = ["workflow_list[0].template_id"];
/// Members that are required only in some cases: in documents with several steps, for recipients that no row completes,
/// and for values that are used (declining uses none).
const SOMETIMES_REQUIRED: [&str; 5] = [
    "POST /api/v3/workflows/{id}/approve order",
    "POST /api/v3/workflows/{id}/reject order",
    "POST /api/v3/workflows/{id}/reject field_list[0].name",
    "POST /api/v3/workflows/bulk recipient_list[0].email",
    "POST /api/v3/workflows/bulk recipient_list[0].name",
];

struct Document(Value);

/// The position of an object in a described body.
struct Place<'a> {
    /// The members that lead to the object. `true` if it is an element of a list.
    steps: Vec<(&'a str, bool)>,
    members: &'a Map<String, Value>,
    required: BTreeSet<&'a str>,
}

impl Document {
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let mut alternatives = schema["oneOf"].as_array().into_iter().flatten();
        let schema = alternatives.find(|one| one["type"] != "null").unwrap_or(schema);
        match schema["$ref"].as_str() {
            Some(path) => &self.0["components"]["schemas"][path.rsplit('/').next().expect("a name")],
            None => schema,
        }
    }

    /// Returns the object that a schema describes, and the objects in it.
    fn places<'a>(&'a self, schema: &'a Value, steps: &[(&'a str, bool)]) -> Vec<Place<'a>> {
        let schema = self.resolved(schema);
        let members = schema["properties"].as_object().expect("members");
        let required = schema["required"].as_array().into_iter().flatten();
        let mut all = vec![Place {
            steps: steps.to_vec(),
            members,
            required: required.filter_map(Value::as_str).collect(),
        }];
        for (name, member) in members {
            let (inner, is_element) = match member.get("items") {
                Some(items) => (self.resolved(items), true),
                None => (self.resolved(member), false),
            };
            if inner.get("properties").is_some() {
                let steps = [steps, &[(name.as_str(), is_element)]].concat();
                all.extend(self.places(inner, &steps));
            }
        }
        all
    }

    /// Returns the type of a member.
    fn kind<'a>(&'a self, schema: &'a Value) -> &'a str {
        let kinds = &self.resolved(schema)["type"];
        let alternatives = kinds.as_array().into_iter().flatten();
        let mut kinds = alternatives.chain([kinds]).filter_map(Value::as_str);
        kinds.find(|kind| *kind != "null").expect("a type")
    }

    fn right(&self, schema: &Value) -> Value {
        match self.kind(schema) {
            "string" => json!("1"),
            "integer" => json!(1),
            "boolean" => json!(true),
            "array" => json!([]),
            "object" => json!({}),
            other => panic!("{other}"),
        }
    }

    fn wrong(&self, schema: &Value) -> Value {
        match self.kind(schema) {
            "string" => json!([]),
            _ => json!("x"),
        }
    }
}

impl Place<'_> {
    /// Returns the path of a member for faults.
    fn path(&self, member: &str) -> String {
        let mut path = String::new();
        for (name, is_element) in &self.steps {
            path += name;
            path += if *is_element { "[0]." } else { "." };
        }
        path + member
    }

    /// Returns the body with another object at this position.
    fn in_body(&self, mut body: Value, object: Value) -> Value {
        let mut here = &mut body;
        for (name, is_element) in &self.steps {
            here = &mut here[*name];
            if *is_element {
                if here[0].is_null() {
                    *here = json!([{}]);
                }
                here = &mut here[0];
            }
        }
        *here = object;
        body
    }

    fn found_in<'b>(&self, body: &'b Value) -> &'b Value {
        let mut here = body;
        for (name, is_element) in &self.steps {
            here = &here[*name];
            if *is_element {
                here = &here[0];
            }
        }
        here
    }

    fn object(&self, value: impl Fn(&Value) -> Value) -> Value {
        let members = self.members.iter();
        members.map(|(name, schema)| (name.clone(), value(schema))).collect()
    }
}

/// Returns a valid body.
fn whole(path: &str, template: i64, example: &Value) -> Value {
    let mut start = start_body(template);
    start["cc_list"] = json!([{"email": "copy@example.com"}]);
    start["field_list"] = json!([{"name": "salary", "value": "1"}]);
    start["export_api_info"]["field_names"] = json!([{"field_name": "salary", "new_name": "pay"}]);
    if path.ends_with("/start") && path.contains("/workflows/") {
        return start;
    }
    if path.ends_with("/bulk") {
        let row = start.clone();
        start["dry_run"] = json!(true);
        start["workflow_list"] = json!([row]);
        return start;
    }
    let mut body = example.clone();
    if path.ends_with("/link/start") {
        start["recipient_list"].as_array_mut().expect("a list").remove(0);
        start["export_api_info"]["is_embed"] = json!(false);
        body = start;
    }
    body
}

struct Call<'a> {
    world: &'a World,
    method: String,
    path: String,
    whole: Value,
}

impl Call<'_> {
    /// Returns the path and code of each fault of this object at this position, in the whole body or in its first row.
    fn faults(&self, place: &Place<'_>, object: Value, is_strict: bool) -> BTreeSet<(String, String)> {
        let body = place.in_body(self.whole.clone(), object);
        let answer = self.world.ask(&self.method, &self.path, "", Some(&body), is_strict);
        if answer.status == 422 {
            return answer.faults().into_iter().collect();
        }
        let text = |error: &Value, name: &str| error[name].as_str().expect("a text").to_owned();
        let rows = answer.json();
        let errors = rows["row_list"][0]["errors"].as_array().into_iter().flatten();
        errors
            .map(|error| (format!("workflow_list[0].{}", text(error, "path")), text(error, "code")))
            .collect()
    }

    /// Returns the members of this object that have a fault with this code.
    fn members(&self, place: &Place<'_>, code: &str, object: Value, is_strict: bool) -> BTreeSet<String> {
        let faults = self.faults(place, object, is_strict);
        let here = place.path("");
        let of_code = faults.into_iter().filter(|(_, found)| found == code);
        of_code
            .filter_map(|(path, _)| path.strip_prefix(&here).map(str::to_owned))
            .filter(|name| !name.contains(['.', '[']))
            .collect()
    }
}

fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    all.into_iter().map(str::to_owned).collect()
}

fn described_bodies(document: &Document) -> Vec<(String, String, &Value)> {
    let paths = document.0["paths"].as_object().expect("paths");
    let mut bodies = Vec::new();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().expect("operations") {
            if let Some(body) = operation["requestBody"]["content"].get("application/json") {
                bodies.push((method.to_uppercase(), path.clone(), &body["schema"]));
            }
        }
    }
    bodies
}

/// Returns the names of all members of all described bodies.
fn vocabulary(document: &Document) -> BTreeSet<String> {
    let bodies = described_bodies(document).into_iter();
    let places = bodies.flat_map(|(_, _, schema)| document.places(schema, &[]));
    places.flat_map(|place| place.members.keys().cloned()).collect()
}

#[test]
fn every_body_is_read_as_it_is_described() {
    let database = TestDatabase::sqlite();
    let world = World::new(&database);
    let document = Document(world.document());
    let vocabulary = vocabulary(&document);
    let mut asked = 0;
    for (method, path, schema) in described_bodies(&document) {
        if path.ends_with("/login") {
            continue;
        }
        let example = &document.resolved(schema)["example"];
        let call = Call {
            world: &world,
            whole: whole(&path, world.template, example),
            method,
            path,
        };
        for place in document.places(schema, &[]) {
            asked += 1;
            check(&document, &call, &place, &vocabulary);
        }
    }
    assert!(asked >= 35, "{asked}");
}

fn check(document: &Document, call: &Call<'_>, place: &Place<'_>, vocabulary: &BTreeSet<String>) {
    let here = format!("{} {} {}", call.method, call.path, place.path(""));
    let all = names(place.members.keys().map(String::as_str));

    let wrong = place.object(|schema| document.wrong(schema));
    assert_eq!(
        call.members(place, "wrong-type", wrong, false),
        all,
        "{here}: each is read"
    );
    let right = place.object(|schema| document.right(schema));
    assert_eq!(
        call.members(place, "wrong-type", right, false),
        names([]),
        "{here}: as this type"
    );

    let is_certain = |name: &str| !SOMETIMES_REQUIRED.contains(&format!("{here}{name}").as_str());
    let required = names(place.required.iter().copied().filter(|name| is_certain(name)));
    let mut missed = call.members(place, "required", json!({}), false);
    // Some members are reported as missing only if others are present.
    for name in required.difference(&missed.clone()) {
        let mut object = place.found_in(&call.whole).clone();
        object.as_object_mut().expect("an object").remove(name);
        missed.extend(call.members(place, "required", object, false));
    }
    missed.retain(|name| is_certain(name));
    assert_eq!(missed, required, "{here}: these are required");

    let others = vocabulary.iter().filter(|name| !all.contains(*name));
    let others: Map<String, Value> = others.map(|name| (name.clone(), json!(1))).collect();
    let mut unread = call.members(place, "unexpected-member", json!(others), true);
    for name in others
        .keys()
        .filter(|name| UNDESCRIBED.contains(&place.path(name).as_str()))
    {
        assert!(unread.insert(name.clone()), "{here}: {name} is no exception");
    }
    assert_eq!(
        unread,
        others.into_iter().map(|(name, _)| name).collect(),
        "{here}: no other is read"
    );
}

/// The login response has its own format, which does not name members.
#[test]
fn the_login_is_read_as_it_is_described() {
    let database = TestDatabase::sqlite();
    let world = World::new(&database);
    let document = Document(world.document());
    let schema = &document.0["paths"]["/api/{companyId}/login"]["post"]["requestBody"]["content"]["application/json"];
    let right = login_body("owner@example.com", PASSWORD);
    let log_in = |body: &Value| {
        let answer = world
            .server
            .send(world.server.request("POST", "/api/acme/login", None).json(body));
        (answer.ok()["header"]["result_code"].clone(), named(&answer))
    };
    assert_eq!(log_in(&right), (json!("00"), Vec::new()));
    let mut asked = 0;
    for place in document.places(&schema["schema"], &[]) {
        assert_eq!(place.required, place.members.keys().map(String::as_str).collect());
        let object = place.found_in(&right);
        for (name, member) in place.members {
            asked += 1;
            let mut wrong = object.clone();
            wrong[name] = document.wrong(member);
            let mut missing = object.clone();
            missing.as_object_mut().expect("an object").remove(name);
            for object in [wrong, missing] {
                assert_eq!(log_in(&place.in_body(right.clone(), object)).0, "12", "{name}");
            }
        }
        // Members sent by older clients are known, but cannot replace the two objects.
        let older = ["session_id", "version", "comp_id"];
        let others = vocabulary(&document)
            .into_iter()
            .filter(|name| !place.members.contains_key(name));
        let mut object = object.clone();
        let others: Vec<String> = others.collect();
        for name in others.iter().map(String::as_str).chain(older) {
            object[name] = json!(1);
        }
        let (code, ignored) = log_in(&place.in_body(right.clone(), object));
        let mut expected: BTreeSet<String> = others.iter().map(|name| place.path(name)).collect();
        if place.steps.is_empty() {
            expected.extend(names(older));
        }
        assert_eq!((code, ignored.into_iter().collect()), (json!("00"), expected));
    }
    assert_eq!(asked, 5);
}
