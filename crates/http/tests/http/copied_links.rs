//! Members cannot see signing links. The link of a message that could not be sent can be copied, and the action is
//! recorded.

use app::{LinkPurpose, LinkToken};
use domain::{CompanyId, Role};
use serde_json::{Value, json};
use store::outbox::Outcome;
use testkit::database::TestDatabase;

use crate::support::{Answer, BASE, Member, Server, plain};

testkit::on_both_databases!(
    no_member_is_shown_a_link_that_signs_whatever_became_of_its_message,
    only_the_sender_and_administrators_copy_a_link,
    a_link_that_was_sent_is_not_copied,
    a_link_that_another_message_took_to_its_signer_is_not_copied,
    a_copied_link_is_named_in_the_history_and_signs_without_proving_anything,
    a_link_that_leads_nowhere_any_more_is_not_copied,
    a_form_of_another_page_copies_no_link,
);

fn sign_in(server: &Server, email: &str) -> Member {
    server.sign_in("acme", email)
}

fn look(server: &Server, path: &str, member: &Member) -> Answer {
    let request = server.request("GET", &format!("{path}?lang=en"), None);
    server.send(request.header("cookie", member.cookie.clone()))
}

fn copy(server: &Server, message: i64, member: &Member) -> Answer {
    post(server, message, &member.cookie, &format!("csrf={}", member.csrf))
}

fn post(server: &Server, message: i64, cookie: &str, form: &str) -> Answer {
    let request = server
        .request("POST", &format!("/outbox/{message}/link?lang=en"), None)
        .header("cookie", cookie.to_owned())
        .header("content-type", "application/x-www-form-urlencoded");
    server.send(request.body(form.to_owned()))
}

/// A company with an owner, two senders and an auditor.
struct World {
    server: Server,
    company: CompanyId,
    token: String,
    template: i64,
}

/// A document sent by one of the two senders, and the message to its signer.
struct Sent<'w> {
    world: &'w World,
    id: Value,
    message: i64,
}

fn world(database: &TestDatabase) -> World {
    let server = Server::new(database);
    let company = server.company("acme");
    for (email, role) in [
        ("sender@example.com", Role::Sender),
        ("other@example.com", Role::Sender),
        ("admin@example.com", Role::Admin),
        ("auditor@example.com", Role::Auditor),
    ] {
        server.member(&company, email, role);
    }
    World {
        token: server.token("acme", "sender@example.com"),
        template: server.template(&company, &plain(1, "end")),
        server,
        company,
    }
}

fn keep(server: &Server) {
    server.keep_all();
}

fn dead(server: &Server) {
    let refused = server.tried(Some(550), Some("550 5.1.1 no such user"), "");
    assert_eq!(server.try_all(&refused, Outcome::Dead).len(), 1);
}

fn delivered(server: &Server) {
    assert_eq!(server.drain().1, 1);
}

fn waiting(_: &Server) {}

impl World {
    fn send(&self, settle: impl FnOnce(&Server)) -> Sent<'_> {
        let body = json!({
            "workflow_name": "Contract", "template_id": self.template, "language": "en",
            "recipient_list": [{"order": 1, "name": "Signer", "email": "signer@example.com"}],
        });
        let id = self.server.start(&self.token, &body).ok()["workflow_id"].clone();
        settle(&self.server);
        let path = format!("/api/v3/workflows/{id}");
        let shown = self.server.get(&path, &self.token).ok();
        let message = shown["message_list"][0]["message_id"].as_i64().expect("a message");
        Sent {
            world: self,
            id,
            message,
        }
    }

    /// Returns all signing tokens in a text.
    fn signing_tokens(&self, text: &str) -> Vec<LinkToken> {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .filter_map(|word| LinkToken::decode(word, &self.server.app.vault))
            .filter(LinkToken::signs)
            .collect()
    }

    fn approve(&self, key: &str) -> Answer {
        let request = self
            .server
            .request("POST", "/sign/approve", None)
            .header("link-token", key);
        self.server
            .send(request.json(&json!({"values": [{"name": "text1", "value": "x"}]})))
    }
}

impl Sent<'_> {
    fn page(&self, member: &Member) -> Answer {
        look(&self.world.server, &format!("/outbox/{}", self.message), member)
    }

    fn copy(&self, member: &Member) -> Answer {
        copy(&self.world.server, self.message, member)
    }

    fn copied_events(&self) -> Vec<Value> {
        let path = format!("/api/v3/workflows/{}", self.id);
        let shown = self.world.server.get(&path, &self.world.token).ok();
        let history = shown["history"].as_array().expect("a history").clone();
        history
            .into_iter()
            .filter(|entry| entry["event"] == "link_copied")
            .collect()
    }

    /// Returns the text of the message that the signer receives.
    fn given_to_signer(&self) -> String {
        let (company, id) = (self.world.company.clone(), store::outbox::DeliveryId(self.message));
        let app = &self.world.server.app;
        let letter = app.store.read(move |tx| store::outbox::message(tx, &company, id));
        let letter = letter.expect("the outbox").expect("the letter");
        let letter = app::mail::OutgoingMail::open(&letter.body, &app.vault).expect("a letter");
        token_in(&letter.links[0].url)
    }
}

/// Returns the link shown on the page.
fn copied(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{}", answer.html());
    let html = answer.html();
    let rest = html.split_once("class=\"copied\"").expect("a link").1;
    let rest = rest.split_once('>').expect("a link").1;
    rest.split('<').next().expect("a link").to_owned()
}

fn token_in(address: &str) -> String {
    let token = address.split_once("token=").expect("a token").1;
    token.split('&').next().expect("a token").to_owned()
}

fn no_member_is_shown_a_link_that_signs_whatever_became_of_its_message(database: &TestDatabase) {
    let world = world(database);
    let caller = world.server.app.authenticate(&world.token).expect("a caller");
    let everybody =
        ["sender", "other", "admin", "owner"].map(|who| sign_in(&world.server, &format!("{who}@example.com")));
    for settle in [keep, dead, delivered, waiting] {
        let sent = world.send(settle);
        for member in &everybody {
            for path in ["/outbox".to_owned(), format!("/outbox/{}", sent.message)] {
                let page = look(&world.server, &path, member);
                let html = page.html();
                assert_eq!(page.status, 200);
                assert!(html.contains("Contract"), "{html}");
                assert!(
                    world.signing_tokens(&html).is_empty() && !html.contains("/mail/sign"),
                    "{html}"
                );
            }
            let shown = sent.page(member).html();
            assert!(shown.contains("[signing link]"), "{shown}");
        }
        let auditor = sign_in(&world.server, "auditor@example.com");
        assert_eq!(sent.page(&auditor).status, 403);
        let list = world.server.app.outbox_messages(&caller, None).expect("the outbox");
        assert!(world.signing_tokens(&format!("{list:?}")).is_empty());
        // A message without signing links is shown unchanged.
        world.approve(&sent.given_to_signer()).ok();
        let list = world.server.app.outbox_messages(&caller, None).expect("the outbox");
        let finished = &list.messages[0];
        assert!(!finished.hides_link && finished.links.len() == 2, "{finished:?}");
        assert!(finished.text.contains(&finished.links[0].url));
        world.server.drain();
    }
}

fn only_the_sender_and_administrators_copy_a_link(database: &TestDatabase) {
    let world = world(database);
    for settle in [keep, dead] {
        let sent = world.send(settle);
        for email in ["auditor@example.com", "other@example.com"] {
            let member = sign_in(&world.server, email);
            let page = sent.page(&member).html();
            assert!(!page.contains("Copy link"), "{email}: {page}");
            let answer = sent.copy(&member);
            assert_eq!(answer.status, 403, "{email}");
            assert!(world.signing_tokens(&answer.html()).is_empty(), "{email}");
        }
        assert_eq!(sent.copied_events(), Vec::<Value>::new());
        let may = ["sender@example.com", "admin@example.com", "owner@example.com"];
        for email in may {
            let member = sign_in(&world.server, email);
            let page = sent.page(&member).html();
            assert!(page.contains("Copy link"), "{email}: {page}");
            let answer = sent.copy(&member);
            let link = copied(&answer);
            assert!(link.starts_with(&format!("{BASE}/mail/sign?token=")), "{link}");
            // The link can be copied but not clicked.
            assert!(!answer.html().contains(&format!("href=\"{BASE}/mail/sign")));
            assert_eq!(answer.header("cache-control"), "no-store");
        }
        let events = sent.copied_events();
        let by: Vec<&str> = events
            .iter()
            .filter_map(|event| event["actor_email"].as_str())
            .collect();
        assert_eq!(by, may);
        assert!(events.iter().all(|event| event["order"] == 1));
    }
}

fn a_link_that_was_sent_is_not_copied(database: &TestDatabase) {
    let world = world(database);
    for settle in [delivered, waiting] {
        let sent = world.send(settle);
        for email in ["sender@example.com", "owner@example.com"] {
            let member = sign_in(&world.server, email);
            let page = sent.page(&member).html();
            assert!(
                !page.contains("Copy link") && page.contains("so it is not shown here"),
                "{page}"
            );
            let answer = sent.copy(&member);
            assert_eq!(answer.status, 409);
            let html = answer.html();
            assert!(html.contains("only if it could not be sent"), "{html}");
            assert!(world.signing_tokens(&html).is_empty());
        }
        assert_eq!(sent.copied_events(), Vec::<Value>::new());
    }
    // Messages of another company, or that do not exist, cannot be opened.
    let sent = world.send(keep);
    world.server.company("other");
    let stranger = world.server.sign_in("other", "owner@example.com");
    assert_eq!(sent.copy(&stranger).status, 404);
    let owner = sign_in(&world.server, "owner@example.com");
    assert_eq!(copy(&world.server, sent.message + 1_000, &owner).status, 404);
}

fn a_link_that_another_message_took_to_its_signer_is_not_copied(database: &TestDatabase) {
    let world = world(database);
    let sender = sign_in(&world.server, "sender@example.com");
    let is_offered = |sent: &Sent<'_>| {
        let is_shown = sent.page(&sender).html().contains("Copy link");
        assert_eq!(sent.copy(&sender).status, if is_shown { 200 } else { 409 });
        is_shown
    };
    let remind = |sent: &Sent<'_>| {
        let reminded = world.server.act_as_given(&world.token, &sent.id, "remind", &json!({}));
        reminded.ok();
    };
    // The reminder is in progress first, and then delivered.
    let sent = world.send(dead);
    remind(&sent);
    assert!(!is_offered(&sent));
    delivered(&world.server);
    assert!(!is_offered(&sent));
    assert_eq!(sent.copied_events(), Vec::<Value>::new());
    // The request was delivered, but the reminder was not.
    let sent = world.send(delivered);
    remind(&sent);
    dead(&world.server);
    let reminder = Sent {
        message: sent.message + 1,
        ..sent
    };
    assert!(!is_offered(&reminder));
    // Neither was delivered.
    let sent = world.send(dead);
    remind(&sent);
    keep(&world.server);
    assert!(is_offered(&sent));
}

fn a_copied_link_is_named_in_the_history_and_signs_without_proving_anything(database: &TestDatabase) {
    let world = world(database);
    let sent = world.send(keep);
    world.send(keep);
    let admin = sign_in(&world.server, "admin@example.com");
    let key = token_in(&copied(&sent.copy(&admin)));
    let read = LinkToken::decode(&key, &world.server.app.vault).expect("one of ours");
    assert_eq!(read.purpose, LinkPurpose::Sign);
    assert_ne!(key, sent.given_to_signer());
    let events = sent.copied_events();
    assert_eq!(
        (&events[0]["actor_email"], &events[0]["order"], events.len()),
        (&json!("admin@example.com"), &json!(1), 1)
    );
    // Another document for the same address is not offered.
    let signed = world.approve(&key).ok();
    assert_eq!((&signed["status"], signed.get("next_url")), (&json!("Complete"), None));
}

fn a_link_that_leads_nowhere_any_more_is_not_copied(database: &TestDatabase) {
    let world = world(database);
    let sent = world.send(keep);
    let sender = sign_in(&world.server, "sender@example.com");
    let path = format!("/api/v3/workflows/{}/recipients/1", sent.id);
    let request = world.server.request("PATCH", &path, Some(&world.token));
    world
        .server
        .send(request.json(&json!({"email": "right@example.com"})))
        .ok();
    world.server.keep_all();
    assert!(!sent.page(&sender).html().contains("Copy link"));
    assert_eq!(sent.copy(&sender).status, 409);
    // The corrected recipient's message is a separate one.
    let newer = copy(&world.server, sent.message + 1, &sender);
    world.approve(&token_in(&copied(&newer))).ok();
    assert_eq!(
        copy(&world.server, sent.message + 1, &sender).status,
        409,
        "it is signed"
    );
    assert_eq!(sent.copied_events().len(), 1);
}

fn a_form_of_another_page_copies_no_link(database: &TestDatabase) {
    let world = world(database);
    let sent = world.send(keep);
    let owner = sign_in(&world.server, "owner@example.com");
    for form in ["", "csrf=", "csrf=x"] {
        let answer = post(&world.server, sent.message, &owner.cookie, form);
        assert_eq!(answer.status, 403, "{form}");
        assert!(world.signing_tokens(&answer.html()).is_empty());
    }
    let answer = post(&world.server, sent.message, "", &format!("csrf={}", owner.csrf));
    assert!(
        answer.html().contains("name=\"password\""),
        "who is not signed in is asked to"
    );
    assert_eq!(sent.copied_events(), Vec::<Value>::new());
}
