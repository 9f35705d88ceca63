//! 'Send me a new link': what the page of a replaced signing link offers, whom it reaches, and that its answer says nothing.

use app::{LinkPurpose, LinkToken};
use domain::CompanyId;
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, BASE, Server, plain, start_body, token_of_writer, token_of_writer_at};

testkit::on_both_databases!(
    a_signer_with_a_replaced_link_has_a_new_one_sent_to_the_known_address,
    the_answer_says_nothing_and_nothing_is_sent_where_nothing_should_be,
    a_link_a_step_and_an_address_are_throttled,
    wrong_codes_and_what_the_signer_did_outlive_a_new_link,
    of_requests_at_the_same_moment_one_sends,
);

const MINUTE: i64 = 60;
const ANSWER: &str = "If the document is still waiting for you";

struct World {
    server: Server,
    company: CompanyId,
    token: String,
    template: i64,
}

fn world(database: &TestDatabase) -> World {
    let server = Server::new(database);
    let company = server.company("acme");
    World {
        token: server.token("acme", "owner@example.com"),
        template: server.template(&company, &plain(2, "return")),
        server,
        company,
    }
}

impl World {
    /// A document by mail, of this signer and a second one.
    fn start(&self, contact: &str, more: &Value) -> Value {
        let mut first = json!({"order": 1, "name": "김민준", "email": contact});
        for (name, value) in more.as_object().expect("members") {
            first[name] = value.clone();
        }
        let body = json!({
            "workflow_name": "Contract", "template_id": self.template, "language": "en",
            "recipient_list": [first, {"order": 2, "name": "山田太郎", "email": "taro@example.com"}],
        });
        self.server.start(&self.token, &body).ok()["workflow_id"].clone()
    }

    /// The same after the second signer returned it: a link of the first signer that was replaced, and the document.
    fn returned(&self, contact: &str, more: &Value) -> (String, Value) {
        let id = self.start(contact, more);
        let old = token_of_writer(&self.server, &self.company, &id);
        self.give_back(&id);
        (old, id)
    }

    fn give_back(&self, id: &Value) {
        for act in ["approve", "reject"] {
            self.server.act(&self.token, id, act, &json!({"comment": "x"})).ok();
        }
    }

    fn look(&self, token: &str, language: &str) -> Answer {
        let path = format!("/mail/sign?token={token}&lang={language}");
        self.server.send(self.server.request("GET", &path, None))
    }

    /// What the form's button does. The client follows the redirect.
    fn ask(&self, token: &str) -> Answer {
        self.ask_with(token, "")
    }

    fn ask_with(&self, token: &str, form: &str) -> Answer {
        let path = format!("/sign/new-link?token={token}&lang=en");
        let request = self
            .server
            .request("POST", &path, None)
            .header("content-type", "application/x-www-form-urlencoded");
        self.server.send(request.body(form.to_owned()))
    }

    /// To whom the messages went that were written since there were so many.
    fn written_since(&self, count: usize) -> Vec<String> {
        let mails = self.server.mails();
        let new = mails.len() - count;
        mails.into_iter().take(new).map(|mail| mail.to).collect()
    }

    fn newest_link(&self) -> String {
        let mail = self.server.mails().into_iter().next().expect("a mail");
        let address = &mail.links.first().expect("a link").url;
        let rest = address.split_once("token=").expect("a token").1;
        rest.split('&').next().unwrap_or(rest).to_owned()
    }

    fn history(&self, id: &Value, event: &str) -> Vec<Value> {
        let seen = self.server.get(&format!("/api/v3/workflows/{id}"), &self.token).ok();
        let all = seen["history"].as_array().expect("history").clone();
        all.into_iter().filter(|entry| entry["event"] == event).collect()
    }

    fn is_sound(&self) {
        let report = self.server.app.audit_verify().expect("a report");
        assert!(report.faults.is_empty(), "{:?}", report.faults);
    }
}

fn a_signer_with_a_replaced_link_has_a_new_one_sent_to_the_known_address(database: &TestDatabase) {
    let world = world(database);
    let (old, id) = world.returned("minjun@example.com", &json!({}));
    let present = token_of_writer(&world.server, &world.company, &id);
    for (language, button) in [
        ("en", "Send me a new link"),
        ("ko", "새 링크 받기"),
        ("ja", "新しいリンクを受け取る"),
    ] {
        let page = world.look(&old, language);
        assert_eq!(page.status, 410);
        assert!(page.html().contains(button), "{}", page.html());
        let action = format!("action=\"/sign/new-link?token={old}&lang={language}\"");
        assert!(page.html().contains(&action), "{}", page.html());
        assert!(!page.html().contains("minjun"), "an old link names nobody");
    }
    let before = world.server.mails().len();
    // Nothing that somebody enters matters.
    let answer = world.ask_with(&old, "email=eve%40example.com&contact=eve%40example.com&name=Eve");
    assert_eq!(answer.status, 200);
    assert!(answer.html().contains(ANSWER), "{}", answer.html());
    assert_eq!(world.written_since(before), ["minjun@example.com"]);
    let new = world.newest_link();
    let read = |token: &str| LinkToken::decode(token, &world.server.app.vault).expect("a token");
    assert_eq!(read(&new).purpose, LinkPurpose::SignDelivered);
    assert_eq!(world.look(&new, "en").status, 200);
    for replaced in [&old, &present] {
        assert_eq!(world.look(replaced, "en").status, 410);
    }
    let asked = world.history(&id, "new_link_requested");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["recipient_email"], "minjun@example.com");
    assert_eq!(asked[0]["actor_email"], "minjun@example.com");
    assert_eq!(asked[0]["address"], "127.0.0.1");
    world.is_sound();
    // The step goes on with the new link, and the certificate names the request.
    let approve = world.server.request("POST", "/sign/approve", None);
    let approve = approve
        .header("link-token", new)
        .json(&json!({"revision": 0, "comment": ""}));
    assert_eq!(world.server.send(approve).status, 200);
    world.is_sound();
}

/// Nothing is sent, and the answer is the page that it always is.
#[track_caller]
fn says_nothing(world: &World, expected: &[u8], token: &str, what: &str) {
    let before = world.server.mails().len();
    let answer = world.ask(token);
    assert_eq!(answer.status, 200, "{what}");
    assert_eq!(
        String::from_utf8_lossy(&answer.body),
        String::from_utf8_lossy(expected),
        "{what}"
    );
    assert_eq!(world.written_since(before), [""; 0], "{what}");
}

fn the_answer_says_nothing_and_nothing_is_sent_where_nothing_should_be(database: &TestDatabase) {
    let world = world(database);
    let (server, none) = (&world.server, json!({}));
    let (old, id) = world.returned("minjun@example.com", &none);
    let expected = world.ask(&old).body;
    let nothing = |token: &str, what: &str| says_nothing(&world, &expected, token, what);
    for token in ["", "x", &"A".repeat(72), "%00"] {
        nothing(token, "an unknown link");
    }
    nothing(&old, "a throttled link");
    nothing(&world.newest_link(), "a link that works");
    // The first step is done, then the document ends, then it is discarded.
    server.clock.advance(60 * MINUTE);
    server.act(&world.token, &id, "approve", &none).ok();
    nothing(&old, "a finished step");
    server.act(&world.token, &id, "cancel", &json!({"comment": "x"})).ok();
    nothing(&old, "a document that has ended");
    server.act(&world.token, &id, "discard", &none).ok();
    nothing(&old, "a discarded document");
    // The second signer's link was replaced, but it is not their turn.
    let id = world.start("jihun@example.com", &none);
    let second = token_of_writer_at(server, &world.company, &id, 1);
    world.give_back(&id);
    nothing(&second, "a step whose turn has not come");
    // Another person has the place.
    let first = token_of_writer(server, &world.company, &id);
    server.clock.advance(60 * MINUTE);
    let path = format!("/api/v3/workflows/{id}/recipients/1");
    let corrected = json!({"name": "박서준", "email": "seojun@example.com"});
    let request = server.request("PATCH", &path, Some(&world.token)).json(&corrected);
    server.send(request).ok();
    server.clock.advance(60 * MINUTE);
    nothing(&first, "a link of the person before");
    // A document that has expired. The first request finds that out, so people are notified of it.
    let (late, _) = world.returned("late@example.com", &none);
    server.clock.advance(40 * 24 * 60 * MINUTE);
    assert_eq!(world.ask(&late).body, expected);
    nothing(&late, "an expired document");
    world.is_sound();
    offers_nothing(&world, &nothing);
}

/// Embedded documents and those of a public link's visitors: no button, and nothing is sent.
fn offers_nothing(world: &World, nothing: &dyn Fn(&str, &str)) {
    let server = &world.server;
    let token = server.token("acme", "owner@example.com");
    let mut body = start_body(world.template);
    body["language"] = json!("en");
    let embedded = server.start(&token, &body).ok()["workflow_id"].clone();
    let link = json!({
        "workflow_name": "Join", "template_id": world.template, "language": "en",
        "recipient_list": [{"order": 2, "name": "Clerk", "email": "clerk@example.com"}],
    });
    let link = server.post("/api/v3/link/start", Some(&token), &link).ok();
    let address = link["link_url"]
        .as_str()
        .and_then(|url| url.strip_prefix(BASE))
        .expect("an address");
    let visit = server
        .request("POST", address, None)
        .header("content-type", "application/x-www-form-urlencoded");
    let visit = visit.body("name=Victim&contact=victim%40example.com&agree=1");
    assert_eq!(server.send(visit).status, 200);
    let newest = server.get("/api/v3/workflows", &token).ok()["workflow_list"][0]["workflow_id"].clone();
    for (id, what) in [(embedded, "an embedded document"), (newest, "a visitor's document")] {
        let old = token_of_writer(server, &world.company, &id);
        for act in ["approve", "reject"] {
            server.act(&token, &id, act, &json!({"comment": "x"})).ok();
        }
        let page = world.look(&old, "en");
        assert_eq!(page.status, 410, "{what}");
        assert!(!page.html().contains("new-link"), "{what}: {}", page.html());
        nothing(&old, what);
    }
}

fn a_link_a_step_and_an_address_are_throttled(database: &TestDatabase) {
    let world = world(database);
    let (old, id) = world.returned("minjun@example.com", &json!({}));
    let sends = |token: &str| {
        let before = world.server.mails().len();
        world.ask(token);
        world.written_since(before).len()
    };
    assert_eq!(sends(&old), 1);
    let later = world.newest_link();
    // The same link, and another one of the same step.
    world.server.clock.advance(9 * MINUTE);
    assert_eq!(sends(&old), 0);
    // A member cannot write to this address either.
    world.server.act(&world.token, &id, "remind", &json!({})).problem(429);
    world.server.clock.advance(MINUTE);
    assert_eq!(sends(&old), 1);
    world.server.clock.advance(10 * MINUTE);
    assert_eq!(sends(&old), 1);
    world.server.clock.advance(10 * MINUTE);
    assert_eq!(sends(&old), 0, "a link asks three times a day");
    assert_eq!(sends(&later), 1);
    world.server.clock.advance(10 * MINUTE);
    assert_eq!(sends(&later), 1);
    world.server.clock.advance(10 * MINUTE);
    assert_eq!(sends(&later), 0, "a step has five links a day");
    // The address has had five in this hour, by whichever document, and however it is written.
    let (other, _) = world.returned("Minjun+contracts@example.com", &json!({}));
    assert_eq!(sends(&other), 0);
    let (somebody, _) = world.returned("jihun@example.com", &json!({}));
    assert_eq!(sends(&somebody), 1);
    world.server.clock.advance(10 * MINUTE);
    assert_eq!(sends(&other), 1, "an hour after the first");
    world.is_sound();
}

fn wrong_codes_and_what_the_signer_did_outlive_a_new_link(database: &TestDatabase) {
    let world = world(database);
    let (old, id) = world.returned("minjun@example.com", &json!({"password": "open sesame"}));
    let try_code = |token: &str, code: &str| {
        let request = world
            .server
            .request("POST", &format!("/sign/access-code?token={token}&lang=en"), None)
            .header("content-type", "application/x-www-form-urlencoded");
        world.server.send(request.body(format!("code={code}")))
    };
    let mut present = token_of_writer(&world.server, &world.company, &id);
    for left in [4, 3] {
        let answer = try_code(&present, "wrong");
        assert!(
            answer.html().contains(&format!("{left} tries left")),
            "{}",
            answer.html()
        );
    }
    world.ask(&old);
    present = world.newest_link();
    let answer = try_code(&present, "wrong");
    assert!(answer.html().contains("2 tries left"), "{}", answer.html());
    for _ in 0..2 {
        try_code(&present, "wrong");
    }
    world.server.clock.advance(10 * MINUTE);
    world.ask(&old);
    assert_eq!(world.look(&world.newest_link(), "en").status, 409, "it stays locked");
    world.is_sound();
}

fn of_requests_at_the_same_moment_one_sends(database: &TestDatabase) {
    let world = world(database);
    let (old, id) = world.returned("minjun@example.com", &json!({}));
    let before = world.server.mails().len();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(world.ask(&old).status, 200));
        }
    });
    assert_eq!(world.written_since(before), ["minjun@example.com"]);
    assert_eq!(world.history(&id, "new_link_requested").len(), 1);
    world.is_sound();
}
