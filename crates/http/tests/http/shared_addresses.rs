//! Two people may share an address. An address alone then identifies neither, and each is notified under their own
//! name.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, committee};

testkit::on_both_databases!(
    writers_who_share_an_address_are_told_apart_by_role,
    a_recipient_who_shares_an_address_is_corrected_by_role,
    the_senders_view_signs_for_nobody_if_another_writer_of_the_step_has_the_senders_address,
    a_signer_who_shares_the_address_of_another_reads_that_the_other_declined,
    signers_who_share_an_address_are_each_notified_of_the_end,
    addresses_that_only_fold_onto_each_other_are_two,
);

/// Two people at one step, as chair and clerk, with the same address.
struct World {
    server: Server,
    company: domain::CompanyId,
    token: String,
    template: i64,
}

const SHARED: &str = "office@example.com";

fn world(database: &TestDatabase) -> World {
    let server = Server::new(database);
    let company = server.company("acme");
    World {
        token: server.token("acme", "owner@example.com"),
        template: server.template(&company, &committee()),
        server,
        company,
    }
}

impl World {
    fn start(&self, contact: &str) -> Value {
        self.start_with([contact, contact])
    }

    fn start_with(&self, [chair, clerk]: [&str; 2]) -> Value {
        let body = json!({
            "workflow_name": "Minutes", "template_id": self.template, "language": "en",
            "recipient_list": [
                {"order": 1, "role": "chair", "name": "Ann", "email": chair},
                {"order": 1, "role": "clerk", "name": "Bob", "email": clerk},
            ],
        });
        self.server.start(&self.token, &body).ok()
    }

    fn act(&self, id: &Value, what: &str, body: &Value) -> Answer {
        self.server.act_as_given(&self.token, id, what, body)
    }

    fn correct(&self, id: &Value, body: &Value) -> Answer {
        let path = format!("/api/v3/workflows/{id}/recipients/1");
        self.server
            .send(self.server.request("PATCH", &path, Some(&self.token)).json(body))
    }

    /// Returns the name and state of each signer of the first step.
    fn states(&self, id: &Value) -> Vec<(String, String)> {
        let seen = self.server.get(&format!("/api/v3/workflows/{id}"), &self.token).ok();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let steps = seen["steps"].as_array().expect("steps").clone();
        let first = steps.into_iter().filter(|step| step["order"] == 1);
        first.map(|step| (text(&step["name"]), text(&step["status"]))).collect()
    }

    /// Returns the people notified of an action, oldest first: name and address.
    fn told(&self, act: impl FnOnce()) -> Vec<(String, String)> {
        let before = self.server.mails().len();
        act();
        let mails = self.server.mails().into_iter().rev().skip(before);
        mails.map(|mail| (mail.to_name, mail.to)).collect()
    }
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

fn required(path: &str) -> Vec<(String, String)> {
    pairs(&[(path, "required")])
}

fn writers_who_share_an_address_are_told_apart_by_role(database: &TestDatabase) {
    let world = world(database);
    for what in ["approve", "reject"] {
        let id = world.start(SHARED)["workflow_id"].clone();
        let waiting = pairs(&[("Ann", "writing"), ("Bob", "writing")]);
        let nobody = world.act(&id, what, &json!({"order": 1}));
        assert_eq!(nobody.faults(), required("email"), "{what}");
        for email in [SHARED, "OFFICE@Example.com"] {
            let both = world.act(&id, what, &json!({"order": 1, "email": email}));
            assert_eq!(both.faults(), required("role"), "{what}");
        }
        let other = json!({"order": 1, "email": SHARED, "role": "auditor"});
        assert_eq!(world.act(&id, what, &other).problem(404)["code"], "not-found", "{what}");
        assert_eq!(world.states(&id), waiting, "{what}");
        // The role alone is enough.
        world.act(&id, what, &json!({"order": 1, "role": "clerk"})).ok();
        let acted = if what == "approve" { "approved" } else { "rejected" };
        assert_eq!(world.states(&id)[1], ("Bob".to_owned(), acted.to_owned()));
        assert_ne!(world.states(&id)[0].1, acted);
    }
    // After one of the two has signed, the address still does not identify the other, and a repeated request acts for
    // nobody else.
    let id = world.start(SHARED)["workflow_id"].clone();
    let clerk = json!({"order": 1, "email": SHARED, "role": "clerk"});
    world.act(&id, "approve", &clerk).ok();
    assert_eq!(
        world.act(&id, "approve", &clerk).problem(409)["code"],
        "already-approved"
    );
    let either = world.act(&id, "reject", &json!({"order": 1, "email": SHARED}));
    assert_eq!(either.faults(), required("role"));
    assert_eq!(world.states(&id), pairs(&[("Ann", "writing"), ("Bob", "approved")]));
    let chair = json!({"order": 1, "role": " chair "});
    assert_eq!(world.act(&id, "approve", &chair).ok()["next_name"], "Auditor");
}

fn a_recipient_who_shares_an_address_is_corrected_by_role(database: &TestDatabase) {
    let world = world(database);
    let id = world.start(SHARED)["workflow_id"].clone();
    let right = json!({"name": "Cem", "email": "cem@example.com"});
    assert_eq!(world.correct(&id, &right).faults(), required("current_email"));
    let mut named = right.clone();
    named["current_email"] = json!(SHARED);
    assert_eq!(world.correct(&id, &named).faults(), required("role"));
    named["role"] = json!("clerk");
    world.correct(&id, &named).ok();
    assert_eq!(world.states(&id), pairs(&[("Ann", "writing"), ("Cem", "writing")]));
}

fn the_senders_view_signs_for_nobody_if_another_writer_of_the_step_has_the_senders_address(database: &TestDatabase) {
    let world = world(database);
    let sender = "owner@example.com";
    let sign = |started: &Value, field: &str| {
        let token = started["token"].as_str().expect("a token");
        let request = world
            .server
            .request("POST", "/sign/approve", None)
            .header("link-token", token);
        world
            .server
            .send(request.json(&json!({"values": [{"name": field, "value": "x"}]})))
    };
    let shared = world.start(sender);
    assert_eq!(sign(&shared, "chair_text").problem(409)["code"], "not-your-turn");
    let chair = json!({"order": 1, "role": "chair"});
    world.act(&shared["workflow_id"], "approve", &chair).ok();
    // The remaining signer may be the other person.
    assert_eq!(sign(&shared, "clerk_text").problem(409)["code"], "not-your-turn");
    let own = world.start_with(["Owner@example.com", SHARED]);
    sign(&own, "chair_text").ok();
    assert_eq!(
        world.states(&own["workflow_id"]),
        pairs(&[("Ann", "approved"), ("Bob", "writing")])
    );
}

fn a_signer_who_shares_the_address_of_another_reads_that_the_other_declined(database: &TestDatabase) {
    let world = world(database);
    let id = world.start(SHARED)["workflow_id"].clone();
    let told = world.told(|| {
        world.act(&id, "reject", &json!({"order": 1, "role": "clerk"})).ok();
    });
    let sender = ("owner@example.com", "owner@example.com");
    assert_eq!(told, pairs(&[("Ann", SHARED), sender]));
}

fn signers_who_share_an_address_are_each_notified_of_the_end(database: &TestDatabase) {
    let world = world(database);
    let id = world.start(SHARED)["workflow_id"].clone();
    for role in ["chair", "clerk"] {
        world.act(&id, "approve", &json!({"order": 1, "role": role})).ok();
    }
    let told = world.told(|| {
        world.act(&id, "approve", &json!({"order": 2})).ok();
    });
    assert_eq!(told[..2], pairs(&[("Ann", SHARED), ("Bob", SHARED)]), "{told:?}");
}

fn addresses_that_only_fold_onto_each_other_are_two(database: &TestDatabase) {
    let world = world(database);
    // U+212A is the Kelvin sign, whose lower case is `k`.
    let (ascii, kelvin) = ("kim@example.com", "\u{212a}im@example.com");
    let id = world.start_with([ascii, kelvin])["workflow_id"].clone();
    world.act(&id, "approve", &json!({"order": 1, "email": kelvin})).ok();
    assert_eq!(world.states(&id), pairs(&[("Ann", "writing"), ("Bob", "approved")]));
    world
        .server
        .member(&world.company, "\u{212a}ate@example.com", domain::Role::Sender);
    let body = crate::support::login_body("kate@example.com", crate::support::PASSWORD);
    let answer = world.server.post("/api/acme/login", None, &body).ok();
    assert_eq!(answer["header"]["result_code"], "10");
    world.server.token("acme", "\u{212a}ATE@example.com");
}
