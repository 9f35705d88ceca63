//! What people call the fields of a form, and what a sender should know of their boxes.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{BASE, Server, pdf_of, start_body};
use crate::templates::send;

testkit::on_both_databases!(
    a_field_of_a_form_is_called_by_the_text_beside_it_and_never_by_its_path,
    two_required_boxes_on_one_spot_are_warned_about,
);

/// A form as XFA tools write it: two text fields without a tooltip, and only the first with a caption.
fn xfa_form() -> Vec<u8> {
    let content = "BT /F1 11 Tf 72 605 Td (Date of birth:) Tj ET";
    let field = |name: &str, bottom: u32| {
        format!(
            "<</Type/Annot/Subtype/Widget/FT/Tx/T(topmostSubform[0].Page1[0].{name}[0])/Rect[160 {bottom} 300 {}]\
             /F 4/P 3 0 R>>",
            bottom + 20
        )
    };
    pdf_of(&[
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R 7 0 R]/DR<</Font<</Helv 4 0 R>>>>/DA(/Helv 11 Tf 0 g)>>>>"
            .to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R\
         /Annots[6 0 R 7 0 R]>>"
            .to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        field("f1_01", 600),
        field("f1_02", 300),
    ])
}

fn labels(fields: &Value) -> Vec<&str> {
    let fields = fields.as_array().expect("fields");
    fields.iter().filter_map(|field| field["label"].as_str()).collect()
}

fn a_field_of_a_form_is_called_by_the_text_beside_it_and_never_by_its_path(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let members = [
        ("file", Some("form.pdf"), &*xfa_form()),
        ("form_fields", None, b"import".as_slice()),
    ];
    let made = send(&server, "POST", "/api/v3/templates", &token, &members).ok();
    // The report is in the reader's language, the template in the company's (Korean).
    assert_eq!(labels(&made["intake"]["fields"]), ["Date of birth", "Field 2"]);
    let id = made["template_id"].as_i64().expect("a number");
    let stored = server.get(&format!("/api/v3/templates/{id}"), &token).ok();
    assert_eq!(labels(&stored["fields"]), ["Date of birth", "입력란 2"]);
    assert_eq!(stored["fields"][0]["name"], "topmostSubform[0].Page1[0].f1_01[0]");

    // A template of FIELDS.json, or of an earlier version, has the names of the form and no labels.
    let mut fields = stored["fields"].clone();
    for field in fields.as_array_mut().expect("fields") {
        field.as_object_mut().expect("a field").remove("label");
    }
    let file = json!({"name": "Form", "steps": [{"order": 1}], "fields": fields}).to_string();
    let members = [("fields", None, file.as_bytes())];
    send(&server, "PUT", &format!("/api/v3/templates/{id}"), &token, &members).ok();
    let mut body = start_body(id);
    body["recipient_list"].as_array_mut().expect("recipients").truncate(1);
    let started = server.start(&token, &body).ok();
    let address = started["sign_url"].as_str().expect("embedded").to_owned();
    let path = address.strip_prefix(BASE).expect("an address of this service");
    let path = path.replace("lang=ko", "lang=en");
    let page = server.send(server.request("GET", &path, None)).html();
    for label in ["data-label=\"Field 1\"", "data-label=\"Field 2\""] {
        assert!(page.contains(label), "{label} is not in:\n{page}");
    }
    assert!(!page.contains("data-label=\"topmost"), "{page}");
}

fn two_required_boxes_on_one_spot_are_warned_about(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, id) = server.with_company("acme");
    let field = |name: &str, y: u32| {
        json!({"name": name, "kind": "text", "step": 1, "page": 1, "required": true,
            "x": 100_000, "y": y, "width": 300_000, "height": 40_000})
    };
    let put = |fields: Value| {
        let file = json!({"name": "Twice", "steps": [{"order": 1}], "fields": fields}).to_string();
        let members = [("fields", None, file.as_bytes())];
        send(&server, "PUT", &format!("/api/v3/templates/{id}"), &token, &members).ok()
    };
    let warned = put(json!([
        field("Name", 100_000),
        field("Address", 110_000),
        field("City", 200_000)
    ]));
    assert_eq!(
        (&warned["warnings"][0]["warning"], &warned["warnings"][0]["fields"]),
        (&json!("boxes_on_one_spot"), &json!(["Name", "Address"]))
    );
    let message = warned["warnings"][0]["message"].as_str().expect("a message");
    assert!(
        message.contains("Name") && message.contains("Address") && message.contains("page 1"),
        "{message}"
    );
    assert_eq!(warned["warnings"].as_array().map(Vec::len), Some(1));
    let sound = put(json!([field("Name", 100_000), field("Address", 150_000)]));
    assert_eq!(sound.get("warnings"), None);
}
