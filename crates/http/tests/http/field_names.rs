//! Field names as people type them: in another case, in full-width letters, or with decomposed accents.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Server, plain, start_body, values_of};

testkit::on_both_databases!(
    a_field_is_meant_by_any_spelling_of_its_name,
    a_field_is_meant_by_its_exact_name_if_another_differs_only_in_case,
);

fn value_of(server: &Server, token: &str, id: &Value, name: &str) -> Value {
    let shown = server.get(&format!("/api/v3/workflows/{id}"), token).ok();
    let fields = shown["field_list"].as_array().expect("a list");
    let found = fields.iter().find(|field| field["name"] == name);
    found.map_or(Value::Null, |field| field["value"].clone())
}

fn a_field_is_meant_by_any_spelling_of_its_name(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["field_list"] = json!([{"name": "ＥＭＰＬＯＹＥＲ", "value": "Acme"}]);
    body["export_api_info"]["field_names"] = json!([{"field_name": "SALARY", "new_name": "pay"}]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    assert_eq!(value_of(&server, &token, &id, "employer"), "Acme");

    let mut values = values_of(1);
    values[1]["name"] = json!("Salary");
    server.act(&token, &id, "approve", &json!({"field_list": values})).ok();
    assert_eq!(value_of(&server, &token, &id, "salary"), "3000000");
    let query = format!("template_id={template}&field_name=Salary&field_value=3000000");
    let found = server
        .get(&format!("/api/v3/workflows/search-with-value?{query}"), &token)
        .ok();
    assert_eq!(found["workflow_list"][0]["workflow_id"], id);
    let hook = server.drain().0.pop().expect("a webhook");
    let names: Vec<&Value> = hook.body["field_list"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|field| &field["name"])
        .collect();
    assert!(names.contains(&&json!("pay")), "{names:?}");

    body["field_list"] = json!([{"name": "employer", "value": "A"}, {"name": "Employer", "value": "B"}]);
    body["export_api_info"]["field_names"] = json!([
        {"field_name": "salary", "new_name": "a"}, {"field_name": "SALARY", "new_name": "b"}]);
    let twice = |path: &str| (path.to_owned(), "duplicate".to_owned());
    assert_eq!(
        server.start(&token, &body).faults(),
        [
            twice("export_api_info.field_names[1].field_name"),
            twice("field_list[1].name")
        ]
    );
}

fn a_field_is_meant_by_its_exact_name_if_another_differs_only_in_case(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let mut fields = plain(2, "end");
    fields["fields"][0]["name"] = json!("Note");
    fields["fields"][1]["name"] = json!("note");
    let mut body = start_body(server.template(&company, &fields));
    body["field_list"] = json!([{"name": "note", "value": "small"}]);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    assert_eq!(value_of(&server, &token, &id, "note"), "small");
    assert_eq!(value_of(&server, &token, &id, "Note"), Value::Null);
    body["field_list"] = json!([{"name": "NOTE", "value": "which?"}]);
    assert_eq!(
        server.start(&token, &body).faults(),
        [("field_list[0].name".to_owned(), "unknown-field".to_owned())]
    );
}
