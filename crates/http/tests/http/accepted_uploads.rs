//! PDFs that are accepted only with the sender's explicit consent.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, pdf, plain, start_body, values_of};
use crate::templates::send;

testkit::on_both_databases!(
    a_signed_pdf_can_be_sent_as_a_copy_without_its_signatures,
    a_damaged_pdf_is_accepted_only_by_somebody_who_knows_that_it_is,
);

fn upload(server: &Server, token: &str, pdf: &[u8], accept: Option<&str>) -> Answer {
    let fields = plain(1, "end").to_string();
    let mut members = vec![("file", Some("a.pdf"), pdf), ("fields", None, fields.as_bytes())];
    members.extend(accept.map(|words| ("accept", None, words.as_bytes())));
    send(server, "POST", "/api/v3/templates", token, &members)
}

/// Returns the error about a refused PDF.
fn refused(answer: &Answer) -> Value {
    answer.problem(422)["errors"][0].clone()
}

/// A document that everyone has signed. It is certified, so nothing can be added.
fn sealed(server: &Server, token: &str, template: i64) -> Vec<u8> {
    let id = server.start(token, &start_body(template)).ok()["workflow_id"].clone();
    for order in 1..=2 {
        let act = json!({"field_list": values_of(order)});
        server.act(token, &id, "approve", &act).ok();
    }
    server.get(&format!("/api/v3/workflows/{id}/document"), token).body
}

fn a_signed_pdf_can_be_sent_as_a_copy_without_its_signatures(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let signed = sealed(&server, &token, template);
    let error = refused(&upload(&server, &token, &signed, None));
    assert_eq!(
        (&error["reason"], &error["accept"]),
        (&json!("certification_forbids"), &json!("without_signatures"))
    );
    let message = error["message"].as_str().expect("words");
    assert!(message.contains("send a copy without the signatures"), "{message}");
    // The other word does not help, and an unknown word is named.
    assert_eq!(
        refused(&upload(&server, &token, &signed, Some("rebuilt")))["accept"],
        "without_signatures"
    );
    let unknown = upload(&server, &token, &signed, Some("without_signatures, everything")).faults();
    assert!(
        unknown.contains(&("accept".to_owned(), "not-allowed".to_owned())),
        "{unknown:?}"
    );

    let made = upload(&server, &token, &signed, Some("without_signatures")).ok();
    let warning = &made["intake"]["warnings"][0];
    assert_eq!(
        (&warning["warning"], &warning["count"]),
        (&json!("signatures_removed"), &json!(1))
    );
    let path = format!("/api/v3/templates/{}", made["template_id"]);
    let original = domain::BlobHash::of(&signed).to_string();
    let seen = server.get(&path, &token).ok();
    assert_eq!(
        (&seen["is_signed"], &seen["signed_original"]),
        (&json!(false), &json!(original))
    );
    // The record is kept when only the fields change, and in a copy of the template.
    let fields = plain(1, "end").to_string();
    send(&server, "PUT", &path, &token, &[("fields", None, fields.as_bytes())]).ok();
    assert_eq!(server.get(&path, &token).ok()["signed_original"], original);
    let copied = server.post(&format!("{path}/copy"), Some(&token), &json!({})).ok()["template_id"].clone();
    let copy = server.get(&format!("/api/v3/templates/{copied}"), &token).ok();
    assert_eq!(copy["signed_original"], original);
}

fn a_damaged_pdf_is_accepted_only_by_somebody_who_knows_that_it_is(database: &TestDatabase) {
    let server = Server::new(database);
    server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let mut damaged = pdf();
    let end = damaged.windows(9).rposition(|window| window == b"startxref");
    damaged.splice(end.expect("an end").., b"startxref\n7\n%%EOF".to_vec());
    let error = refused(&upload(&server, &token, &damaged, None));
    assert_eq!(
        (&error["reason"], &error["accept"]),
        (&json!("rebuilt"), &json!("rebuilt"))
    );
    let made = upload(&server, &token, &damaged, Some("rebuilt")).ok();
    assert_eq!(made["intake"]["warnings"][0]["warning"], "rebuilt");
}
