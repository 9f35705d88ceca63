//! The exact bytes that an endpoint receives, for each way a workflow can go.

use std::fmt::Write as _;

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Hook, Server, committee, contract, plain, redacted, values_of};

testkit::on_both_databases!(
    every_approval_sends_a_webhook,
    the_first_and_the_last_step_send_a_webhook,
    an_early_end_sends_a_webhook,
    a_rejection_that_returns_the_document_sends_a_webhook,
    several_signers_of_a_step_send_a_webhook_each,
    fields_are_renamed,
);

struct Flow<'s> {
    server: &'s Server,
    token: String,
    id: Value,
}

impl Flow<'_> {
    fn act(&self, what: &str, body: &Value) -> &Self {
        self.server.act(&self.token, &self.id, what, body).ok();
        self
    }

    fn hooks(&self) -> Vec<Hook> {
        self.server.drain().0
    }
}

fn start<'s>(server: &'s Server, fields: &Value, writers: &[(u32, &str)], export: &Value) -> Flow<'s> {
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, fields);
    let writers: Vec<Value> = writers
        .iter()
        .map(|(order, name)| json!({"order": order, "name": name, "email": format!("{}@example.com", name.to_lowercase())}))
        .collect();
    let mut info = json!({"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": true});
    for (name, value) in export.as_object().expect("members") {
        info[name] = value.clone();
    }
    let body = json!({
        "workflow_name": "Contract", "template_id": template, "recipient_list": writers, "export_api_info": info,
        "expiry_date": "2026-01-10 00:00:00", "language": "en",
    });
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    Flow { server, token, id }
}

/// The bodies as sent, one per line, without the installation's secrets.
fn bodies(hooks: &[Hook]) -> String {
    hooks.iter().fold(String::new(), |mut all, hook| {
        let _ = writeln!(all, "{}", redacted(&hook.text));
        all
    })
}

macro_rules! assert_bodies {
    ($name:literal, $hooks:expr) => {
        insta::with_settings!({prepend_module_to_snapshot => false}, { insta::assert_snapshot!($name, bodies($hooks)) })
    };
}

fn every_approval_sends_a_webhook(database: &TestDatabase) {
    let server = Server::new(database);
    let flow = start(
        &server,
        &contract(),
        &[(1, "Ann"), (2, "Bob")],
        &json!({"authorization": "Bearer secret", "link_type": "download"}),
    );
    flow.act("approve", &json!({"field_list": values_of(1), "comment": "one"}));
    server.clock.advance(60);
    flow.act("approve", &json!({"field_list": values_of(2)}));
    let hooks = flow.hooks();
    assert_eq!(hooks.len(), 2);
    assert!(hooks.iter().all(|hook| hook.url == "https://hooks.example.com/sign"));
    assert!(
        hooks
            .iter()
            .all(|hook| hook.authorization.as_deref() == Some("Bearer secret"))
    );
    let sign_url = hooks[0].body["sign_url"].as_str().expect("an address");
    assert!(sign_url.contains('?') && sign_url.ends_with("lang=en"), "{sign_url}");
    assert_bodies!("webhooks_all_embedded", &hooks);
}

fn the_first_and_the_last_step_send_a_webhook(database: &TestDatabase) {
    let server = Server::new(database);
    let flow = start(
        &server,
        &plain(3, "end"),
        &[(1, "Ann"), (2, "Bob"), (3, "Cid")],
        &json!({"api_type": "StartAndEnd", "is_embed": false}),
    );
    for _ in 0..3 {
        flow.act("approve", &json!({}));
    }
    assert_bodies!("webhooks_start_and_end", &flow.hooks());
    // A workflow with one step sends one webhook.
    let template = plain(1, "end");
    let company = domain::CompanyId::parse("acme").expect("an id");
    let template = server.template(&company, &template);
    let body = json!({
        "workflow_name": "One", "template_id": template, "recipient_list": [{"order": 1, "name": "Ann", "email": "ann@example.com"}],
        "export_api_info": {"url": "https://hooks.example.com/", "api_type": "StartAndEnd", "is_embed": false},
    });
    let id = server.start(&flow.token, &body).ok()["workflow_id"].clone();
    server.act(&flow.token, &id, "approve", &json!({})).ok();
    let statuses: Vec<Value> = flow
        .hooks()
        .into_iter()
        .map(|hook| hook.body["status"].clone())
        .collect();
    assert_eq!(statuses, [json!("Complete")]);
}

fn an_early_end_sends_a_webhook(database: &TestDatabase) {
    let server = Server::new(database);
    let writers = [(1, "Ann"), (2, "Bob"), (3, "Cid")];
    let flow = start(&server, &plain(3, "end"), &writers, &json!({"api_type": "StartAndEnd"}));
    let again = |what: &str| {
        let seen = server.get(&format!("/api/v3/workflows/{}", flow.id), &flow.token).ok();
        let writers: Vec<Value> = writers
            .iter()
            .map(|(order, name)| json!({"order": order, "name": name, "email": format!("{}@example.com", name.to_lowercase())}))
            .collect();
        let body = json!({
            "workflow_name": what, "template_id": seen["template_id"], "recipient_list": writers,
            "expiry_date": "2026-01-01 10:00:00",
            "export_api_info": {"url": "https://hooks.example.com/", "api_type": "StartAndEnd", "is_embed": true},
        });
        server.start(&flow.token, &body).ok()["workflow_id"].clone()
    };
    // In the middle of a workflow, where an approval sends no webhook.
    let (rejected, canceled, expired) = (again("rejected"), again("canceled"), again("expired"));
    for id in [&rejected, &canceled, &expired] {
        server
            .act(
                &flow.token,
                id,
                "approve",
                &json!({"order": 1, "field_list": [{"name": "text1", "value": "x"}]}),
            )
            .ok();
    }
    server.drain();
    server
        .act(&flow.token, &rejected, "reject", &json!({"comment": "no"}))
        .ok();
    server
        .act(
            &flow.token,
            &canceled,
            "cancel",
            &json!({"comment": "changed our mind"}),
        )
        .ok();
    server.clock.advance(60 * 60 + 1);
    server.app.expire_due(100).expect("expired");
    let hooks = flow.hooks();
    let commands: Vec<&Value> = hooks.iter().map(|hook| &hook.body["command_type"]).collect();
    assert_eq!(commands, [&json!("RT"), &json!("CC"), &json!("EX")]);
    for hook in &hooks {
        for name in [
            "next_name",
            "next_email",
            "next_list",
            "sign_url",
            "download_url",
            "certificate_url",
        ] {
            assert!(hook.body.get(name).is_none(), "{name} in {}", hook.text);
        }
    }
    assert_bodies!("webhooks_ended_early", &hooks);
    // A second expiry run sends nothing.
    server.app.expire_due(100).expect("nothing more");
    assert!(flow.hooks().is_empty());
}

fn a_rejection_that_returns_the_document_sends_a_webhook(database: &TestDatabase) {
    let server = Server::new(database);
    let flow = start(&server, &plain(2, "return"), &[(1, "Ann"), (2, "Bob")], &json!({}));
    flow.act("approve", &json!({"field_list": [{"name": "text1", "value": "first"}]}));
    flow.act("reject", &json!({"comment": "again, please"}));
    flow.act("approve", &json!({}));
    flow.act("approve", &json!({}));
    let hooks = flow.hooks();
    assert_eq!(hooks[1].body["next_name"], "Ann");
    assert_ne!(
        hooks[0].body["sign_url"], hooks[2].body["sign_url"],
        "the earlier link died"
    );
    assert_bodies!("webhooks_returned", &hooks);
}

fn several_signers_of_a_step_send_a_webhook_each(database: &TestDatabase) {
    let server = Server::new(database);
    let flow = start(&server, &committee(), &[(1, "Ann"), (1, "Bob")], &json!({}));
    let seen = server.get(&format!("/api/v3/workflows/{}", flow.id), &flow.token).ok();
    let body = json!({
        "workflow_name": "Again", "template_id": seen["template_id"],
        "recipient_list": [
            {"order": 1, "name": "Ann", "email": "ann@example.com"}, {"order": 1, "name": "Bob", "email": "bob@example.com"},
        ],
        "export_api_info": {"url": "https://hooks.example.com/", "api_type": "StartAndEnd", "is_embed": true},
    });
    let second = server.start(&flow.token, &body).ok()["workflow_id"].clone();
    let approve_all = |id: &Value| {
        for email in ["bob@example.com", "ann@example.com", "auditor@example.com"] {
            server.act(&flow.token, id, "approve", &json!({"email": email})).ok();
        }
        server.drain().0
    };
    let all = approve_all(&flow.id);
    assert_eq!(all.len(), 3, "one for each approval");
    assert_bodies!("webhooks_several_writers", &all);
    let ends = approve_all(&second);
    let told: Vec<&Value> = ends.iter().map(|hook| &hook.body["name"]).collect();
    assert_eq!(
        told,
        ["Ann", "Auditor"],
        "when the first and when the last step is done"
    );
}

fn fields_are_renamed(database: &TestDatabase) {
    let server = Server::new(database);
    let names = json!([
        {"field_name": "employer", "new_name": "company"}, {"field_name": "salary", "new_name": "employer"},
    ]);
    let flow = start(
        &server,
        &contract(),
        &[(1, "Ann"), (2, "Bob")],
        &json!({"field_names": names}),
    );
    flow.act("approve", &json!({"field_list": values_of(1)}));
    let hooks = flow.hooks();
    let fields: Vec<(&str, &str)> = hooks[0].body["field_list"]
        .as_array()
        .expect("fields")
        .iter()
        .filter_map(|field| Some((field["name"].as_str()?, field["value"].as_str()?)))
        .collect();
    assert_eq!(
        fields,
        [
            ("company", "한빛"),
            ("employer", "3000000"),
            ("start_date", "2026-02-01"),
            ("grade", "B"),
            ("shift", "night")
        ]
    );
}
