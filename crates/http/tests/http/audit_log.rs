//! The audit log: each change by a member or the operator adds one entry, written together with the change.

use std::collections::BTreeSet;

use app::{Action, Actor, CompanyChange};
use countersign_http::{Access, Authority, routes};
use document::pki::keys::KeyKind;
use document::sealing::SealDetails;
use domain::public_address::CallbackUrl;
use domain::{CompanyId, Role, TemplateId};
use serde_json::{Value, json};
use store::audit_log::LogEntry;
use store::outbox::Outcome;
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{Server, pdf, plain};
use crate::templates;

testkit::on_both_databases!(each_change_is_one_entry_and_nothing_else_is,);

const URL: &str = "https://hooks.example.com/sign";
const SIGNER: &str = "signer@example.com";

/// Calls that change nothing.
const NO_CHANGE: [&str; 2] = ["/api/v3/exports/test", "/api/v3/workflows/preview"];

struct World {
    server: Server,
    company: CompanyId,
    token: String,
    template: i64,
    called: BTreeSet<(String, &'static str)>,
}

impl World {
    fn new(database: &TestDatabase) -> World {
        let server = Server::new(database);
        let company = server.company("acme");
        server.member(&company, "sender@example.com", Role::Sender);
        World {
            token: server.token("acme", "owner@example.com"),
            template: server.template(&company, &plain(1, "end")),
            server,
            company,
            called: BTreeSet::new(),
        }
    }

    fn log(&self) -> Vec<LogEntry> {
        let by = operator(&self.server.app, &self.company);
        self.server.app.audit_log(&by, None, 1_000).expect("the log")
    }

    /// Returns the single entry that a change adds.
    fn entry_of<T>(&self, change: impl FnOnce(&World) -> T) -> (T, LogEntry) {
        let before = self.log().len();
        let answer = change(self);
        let mut log = self.log();
        assert_eq!(log.len(), before + 1, "{log:#?}");
        (answer, log.swap_remove(0))
    }

    /// Makes an API call that adds an entry.
    fn calls(&mut self, method: &str, route: &'static str, id: &Value, body: &Value, action: Action) -> Value {
        let path = route.replace("{id}", &id.to_string()).replace("{order}", "1");
        self.called.insert((method.to_owned(), route));
        let (answer, entry) = self.entry_of(|world| {
            let request = world.server.request(method, &path, Some(&world.token));
            world.server.send(request.json(body)).ok()
        });
        self.is_of_owner(&entry, "api", action);
        answer
    }

    /// Sends a form that adds an entry.
    fn sends(&mut self, method: &str, route: &'static str, id: i64, parts: &[(&str, &[u8])], action: Action) -> Value {
        let path = route.replace("{id}", &id.to_string());
        self.called.insert((method.to_owned(), route));
        let members: Vec<_> = parts
            .iter()
            .map(|(name, bytes)| (*name, (*name == "file").then_some("a.pdf"), *bytes))
            .collect();
        let (answer, entry) =
            self.entry_of(|world| templates::send(&world.server, method, &path, &world.token, &members).ok());
        self.is_of_owner(&entry, "api", action);
        answer
    }

    fn is_of_owner(&self, entry: &LogEntry, channel: &str, action: Action) {
        assert_eq!(entry.action, action.id());
        assert_eq!(
            entry.member.as_ref().expect("a member").1,
            "owner@example.com",
            "{entry:?}"
        );
        assert_eq!(
            (entry.channel.as_str(), entry.address.as_deref()),
            (channel, Some("127.0.0.1"))
        );
        assert_eq!(entry.at, self.server.app.now());
    }

    /// Makes a change as the operator.
    fn operates<T>(&self, action: Action, change: impl FnOnce(&app::App, &Actor) -> T) {
        let by = operator(&self.server.app, &self.company);
        let (_, entry) = self.entry_of(|world| change(&world.server.app, &by));
        assert_eq!(entry.action, action.id());
        assert_eq!(
            (entry.member, entry.channel.as_str(), entry.address),
            (None, "command_line", None)
        );
    }

    fn start_body(&self) -> Value {
        json!({
            "workflow_name": "Contract", "template_id": self.template, "language": "en",
            "recipient_list": [{"order": 1, "name": "Signer", "email": SIGNER}],
            "export_api_info": {"url": URL, "api_type": "ALL", "is_embed": false},
        })
    }

    fn starts(&mut self) -> Value {
        let (route, body) = ("/api/v3/workflows/start", self.start_body());
        self.calls("POST", route, &Value::Null, &body, Action::WorkflowStarted)["workflow_id"].clone()
    }
}

fn each_change_is_one_entry_and_nothing_else_is(database: &TestDatabase) {
    let mut world = World::new(database);
    of_templates(&mut world);
    of_workflows(&mut world);
    of_many(&mut world);
    of_webhooks(&mut world);
    of_a_copied_link(&mut world);
    of_the_operator(&world);

    let log = world.log();
    let seen: BTreeSet<&str> = log.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(seen, Action::ALL.iter().map(|action| action.id()).collect());
    for entry in &log {
        let said = format!("{:?} {:?} {}", entry.before, entry.after, entry.subject);
        for word in ["signer@", "Signer", "new@", "whsec_", "Pdf", "plover"] {
            assert!(!said.contains(word), "{entry:?}");
        }
    }
    let other = world.server.company("other");
    let of_other = world
        .server
        .app
        .audit_log(&operator(&world.server.app, &other), None, 1_000);
    assert_eq!(
        of_other.expect("its log").len(),
        2,
        "its own, of the company and its owner"
    );

    // Every route that changes something is called above, or listed as changing nothing.
    for route in routes() {
        let changes = match route.authority {
            Authority::AccessToken(access) | Authority::Session(access) => {
                !route.method.is_safe() && access != Access::Read
            }
            Authority::Public | Authority::LinkToken => false,
        };
        let is_called = world.called.contains(&(route.method.to_string(), route.path));
        assert!(
            !changes || is_called || NO_CHANGE.contains(&route.path),
            "{} {}: call it here, so that its entry is checked",
            route.method,
            route.path
        );
    }
}

impl World {
    /// Sends a form of the console as the owner, which must leave this entry.
    fn submits(&mut self, path: &str, route: &'static str, form: &str, action: Action) {
        let member = self.server.sign_in("acme", "owner@example.com");
        let (status, entry) = self.entry_of(|world| {
            let request = world
                .server
                .request("POST", path, None)
                .header("cookie", member.cookie.clone())
                .header("content-type", "application/x-www-form-urlencoded")
                .header("sec-fetch-site", "same-origin");
            let answer = world.server.send(request.body(format!("csrf={}&{form}", member.csrf)));
            answer.status
        });
        assert_eq!(status, 200, "{form}");
        self.is_of_owner(&entry, "pages", action);
        self.called.insert(("POST".to_owned(), route));
    }
}

fn of_templates(world: &mut World) {
    let (file, fields) = (pdf(), plain(1, "end").to_string());
    let parts: [(&str, &[u8]); 2] = [("file", &file), ("fields", fields.as_bytes())];
    let made = world.sends("POST", "/api/v3/templates", 0, &parts, Action::TemplateCreated);
    let id = made["template_id"].as_i64().expect("a number");
    world.sends(
        "PUT",
        "/api/v3/templates/{id}",
        id,
        &parts[1..],
        Action::TemplateChanged,
    );
    let (id, none) = (json!(id), json!({}));
    world.calls(
        "POST",
        "/api/v3/templates/{id}/copy",
        &id,
        &none,
        Action::TemplateCopied,
    );
    world.calls(
        "POST",
        "/api/v3/templates/{id}/archive",
        &id,
        &none,
        Action::TemplateArchived,
    );
    let template = TemplateId(made["template_id"].as_i64().expect("a number"));
    world.operates(Action::TemplateUnarchived, |app, by| {
        app.unarchive_template(by, template).expect("done");
    });
}

fn of_workflows(world: &mut World) {
    let id = world.starts();
    let none = json!({});
    world.calls(
        "POST",
        "/api/v3/workflows/{id}/remind",
        &id,
        &none,
        Action::WorkflowReminded,
    );
    let sooner = json!({"expiry_date": "2026-01-10 00:00:00"});
    world.calls(
        "POST",
        "/api/v3/workflows/{id}/extend",
        &id,
        &sooner,
        Action::WorkflowExtended,
    );
    let extended = &world.log()[0];
    assert_eq!(extended.subject, id.to_string());
    assert!(
        extended
            .before
            .as_deref()
            .is_some_and(|before| before.starts_with("{\"expires_at\":\"2026-01-1"))
    );
    let new = json!({"name": "New", "email": "new@example.com"});
    let recipients = "/api/v3/workflows/{id}/recipients/{order}";
    world.calls("PATCH", recipients, &id, &new, Action::RecipientCorrected);
    let links = "/api/v3/workflows/{id}/links";
    world.calls("POST", links, &id, &json!({"action": "renew"}), Action::LinksRenewed);
    world.calls("POST", links, &id, &json!({"action": "revoke"}), Action::LinksRevoked);
    world.calls(
        "POST",
        "/api/v3/workflows/{id}/cancel",
        &id,
        &none,
        Action::WorkflowCanceled,
    );
    let canceled = &world.log()[0];
    assert_eq!(canceled.before.as_deref(), Some(r#"{"order":1,"status":"Playing"}"#));
    assert_eq!(canceled.after.as_deref(), Some(r#"{"status":"Canceled"}"#));
    // Refused calls and calls without effect leave no entry.
    let before = world.log();
    world.server.act(&world.token, &id, "cancel", &none).problem(409);
    world
        .server
        .act(&world.token, &id, "links", &json!({"action": "revoke"}))
        .ok();
    assert_eq!(world.log(), before);
    world.calls(
        "POST",
        "/api/v3/workflows/{id}/discard",
        &id,
        &none,
        Action::WorkflowDiscarded,
    );

    let id = world.starts();
    let values = json!({"order": 1, "field_list": [{"name": "text1", "value": "x"}]});
    world.calls(
        "POST",
        "/api/v3/workflows/{id}/approve",
        &id,
        &values,
        Action::WorkflowApproved,
    );
    let id = world.starts();
    world.calls(
        "POST",
        "/api/v3/workflows/{id}/reject",
        &id,
        &json!({"order": 1}),
        Action::WorkflowRejected,
    );

    let (file, fields) = (pdf(), plain(1, "end").to_string());
    let mut start = world.start_body();
    start["template_id"] = Value::Null;
    let start = start.to_string();
    let parts: [(&str, &[u8]); 3] = [
        ("file", &file),
        ("fields", fields.as_bytes()),
        ("start", start.as_bytes()),
    ];
    world.sends("POST", "/api/v3/workflows/send", 0, &parts, Action::WorkflowStarted);
}

fn of_many(world: &mut World) {
    let none = json!({});
    let mut bulk = world.start_body();
    bulk["workflow_list"] = json!([{}, {}]);
    let made = world.calls(
        "POST",
        "/api/v3/workflows/bulk",
        &Value::Null,
        &bulk,
        Action::BulkStarted,
    );
    world.calls(
        "POST",
        "/api/v3/workflows/bulk/{id}/cancel",
        &made["bulk_id"],
        &none,
        Action::BulkCanceled,
    );
    let link = json!({"workflow_name": "{name}", "template_id": world.template, "language": "en"});
    let made = world.calls(
        "POST",
        "/api/v3/link/start",
        &Value::Null,
        &link,
        Action::PublicLinkCreated,
    );
    world.calls(
        "POST",
        "/api/v3/link/{id}/close",
        &made["link_id"],
        &none,
        Action::PublicLinkClosed,
    );
}

fn of_webhooks(world: &mut World) {
    let (none, url) = (Value::Null, json!({"url": format!("{URL}?key=secret")}));
    world.calls(
        "POST",
        "/api/v3/exports/endpoints/pause",
        &none,
        &url,
        Action::EndpointPaused,
    );
    assert_eq!(world.log()[0].subject, URL, "the query may be a secret");
    world.calls(
        "POST",
        "/api/v3/exports/endpoints/start",
        &none,
        &url,
        Action::EndpointStarted,
    );
    let fail = |world: &World| {
        world
            .server
            .try_all(&world.server.tried(Some(400), None, ""), Outcome::Dead)
    };
    assert!(!fail(world).is_empty());
    let list = world.server.get("/api/v3/exports?status=dead", &world.token).ok();
    let id = &list["export_list"][0]["export_id"];
    world.calls(
        "POST",
        "/api/v3/exports/{id}/resend",
        id,
        &json!({}),
        Action::WebhookResent,
    );
    let dead = json!({"status": "dead"});
    fail(world);
    world.calls("POST", "/api/v3/exports/resend", &none, &dead, Action::WebhooksResent);
}

fn of_a_copied_link(world: &mut World) {
    world.server.drain();
    let id = world.starts();
    world.server.keep_all();
    let shown = world.server.get(&format!("/api/v3/workflows/{id}"), &world.token).ok();
    let path = format!("/outbox/{}/link", shown["message_list"][0]["message_id"]);
    world.submits(&path, "/outbox/{id}/link", "", Action::SigningLinkCopied);
    let path = format!("/documents/{id}");
    let correction = format!("action=correct&order=1&current_contact={SIGNER}&name=Other&contact=other@example.com");
    for (form, action) in [
        ("action=remind", Action::WorkflowReminded),
        ("action=extend&expiry_date=2026-03-01", Action::WorkflowExtended),
        ("action=renew", Action::LinksRenewed),
        ("action=revoke", Action::LinksRevoked),
        ("action=cancel", Action::WorkflowCanceled),
        ("action=discard", Action::WorkflowDiscarded),
    ] {
        world.submits(&path, "/documents/{id}", form, action);
    }
    let path = format!("/documents/{}", world.starts());
    world.submits(&path, "/documents/{id}", &correction, Action::RecipientCorrected);
}

fn of_the_operator(world: &World) {
    let change = CompanyChange {
        expiry_days: Some(7),
        ..CompanyChange::default()
    };
    world.operates(Action::CompanyChanged, |app, by| {
        app.change_company(by, &change).expect("changed")
    });
    let changed = &world.log()[0];
    assert_eq!(changed.before.as_deref(), Some(r#"{"expiry_days":14}"#));
    assert_eq!(changed.after.as_deref(), Some(r#"{"expiry_days":7}"#));
    world.operates(Action::ClientAdded, |app, by| {
        app.add_client(by, "warehouse", false).expect("a client")
    });
    world.operates(Action::ClientSecretRotated, |app, by| {
        app.rotate_client_secret(by, None).expect("rotated")
    });
    world.operates(Action::PasswordSet, |app, by| {
        app.set_member_password(by, "sender@example.com", None).expect("set")
    });
    world.operates(Action::MemberDisabled, |app, by| {
        assert!(app.disable_member(by, "sender@example.com").expect("disabled"));
    });
    world.operates(Action::TokenRevoked, |app, by| {
        let tokens = app.tokens(by).expect("tokens");
        assert!(app.revoke_token(by, tokens[0].id).expect("revoked"));
    });
    world.operates(Action::SealKeyReplaced, |app, by| {
        app.renew_seal_key(by, KeyKind::EcdsaP256, None).expect("renewed")
    });
    world.operates(Action::FileSealed, |app, by| {
        let details = SealDetails {
            reason: "Sealed".to_owned(),
            name: "Acme".to_owned(),
            location: None,
            at: app.now(),
            certify: true,
            is_test: false,
            mark: None,
        };
        app.seal_file(by, pdf(), &details, &app.proof_patience())
            .expect("sealed")
            .bytes
    });
    let url = CallbackUrl::stored(URL).expect("an address");
    world.operates(Action::EndpointPaused, |app, by| {
        app.pause_endpoint(by, &url).expect("paused")
    });
    world.operates(Action::PersonErased, |app, by| {
        app.erase_person(by, "nobody@example.com").expect("erased")
    });
    world.operates(Action::CheckpointsRestarted, |app, by| {
        app.restart_checkpoints(by).expect("restarted");
    });
}
