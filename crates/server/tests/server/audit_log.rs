//! Data of a company on the command line: its documents, and who changed what.

use serde_json::{Value, json};

use crate::seal_keys::{import_template, start};
use crate::serving::login;
use crate::support::{EMAIL, PASSWORD, Temporary};

/// Returns the actions of a log, oldest first.
fn actions(log: &Value) -> Vec<&str> {
    let entries = log.as_array().expect("a list").iter().rev();
    entries
        .map(|entry| entry["action"].as_str().expect("an action"))
        .collect()
}

#[test]
fn the_operator_lists_documents_and_sees_who_changed_what() {
    let here = Temporary::with_company();
    here.run(&["company", "add", "other", "--name", "Other"], "");
    let template = import_template(&here, "acme");
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, PASSWORD);
    let (status, started) = start(&server.address, &token, template);
    assert_eq!(status, 200, "{started}");
    let id = started["workflow_id"].to_string();

    let listed = here.json(&["workflow", "list", "--company", "acme", "--status", "Playing"], "");
    assert_eq!(listed["workflow_list"][0]["workflow_id"].to_string(), id);
    let none = here.json(&["workflow", "list", "--company", "acme", "--status", "Complete"], "");
    assert_eq!(none, json!({"workflow_list": [], "next_cursor": null}));
    let others = here.json(&["workflow", "list", "--company", "other"], "");
    assert_eq!(others["workflow_list"], json!([]));
    let shown = here.json(&["workflow", "show", "--company", "acme", &id], "");
    assert_eq!(
        (&shown["workflow_name"], &shown["steps"][0]["email"]),
        (&json!("W"), &json!("ann@example.com"))
    );
    // The sender's view link is only for members.
    assert_eq!(shown["playing_url"], "");
    let said = here.say(&["workflow", "show", "--company", "acme", &id]);
    assert!(
        said.output.contains("ann@example.com") && said.output.contains("started"),
        "{}",
        said.output
    );
    let said = here.say(&["workflow", "show", "--company", "other", &id]);
    assert_eq!((said.code, said.output.as_str()), (Some(1), ""));
    let said = here.say(&["workflow", "list", "--company", "acme", "--status", "Playng"]);
    assert!(said.code == Some(1) && said.error.contains("status"), "{}", said.error);

    let log = here.json(&["audit", "log", "--company", "acme"], "");
    assert_eq!(
        actions(&log),
        ["company.added", "member.added", "template.created", "workflow.started"]
    );
    let (of_member, of_operator) = (&log[0], &log[1]);
    assert_eq!(
        (&of_member["email"], &of_member["channel"], &of_member["address"]),
        (&json!(EMAIL), &json!("api"), &json!("127.0.0.1"))
    );
    assert_eq!(of_member["subject"], id);
    assert_eq!(
        (&of_operator["member"], &of_operator["channel"], &of_operator["address"]),
        (&Value::Null, &json!("command_line"), &Value::Null)
    );
    let page = here.json(&["audit", "log", "--company", "acme", "--limit", "1"], "");
    assert_eq!(page, json!([of_member]));
    let entry = of_member["entry"].to_string();
    let rest = here.json(&["audit", "log", "--company", "acme", "--before", &entry], "");
    assert_eq!(actions(&rest).len(), 3);
    let said = here.say(&["audit", "log", "--company", "acme"]);
    assert!(
        said.output.contains("operator") && said.output.contains(EMAIL),
        "{}",
        said.output
    );
}
