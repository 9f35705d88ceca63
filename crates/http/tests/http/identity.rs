//! Nobody signs for another person, because knowing an address does not make you its owner.
//!
//! In each of these tests, someone finishes a document under an address for which another document waits. That document
//! may be offered only to a person who has proved that they can read messages sent to the address.

use app::{LinkPurpose, LinkToken};
use domain::{CompanyId, Role};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use url::form_urlencoded::Serializer;

use crate::support::{Answer, BASE, Server, plain, token_of_writer};

testkit::on_both_databases!(
    a_stranger_who_enters_a_victims_address_in_a_public_link_is_led_to_none_of_their_documents,
    what_a_stranger_started_in_somebodys_name_is_offered_to_nobody,
    an_embedded_document_leads_to_no_other_and_none_leads_to_it,
    a_delivered_link_leads_to_the_next_document_unless_it_is_asked_not_to,
    a_link_that_a_program_or_member_was_given_proves_nothing,
    a_one_time_code_leads_on_in_the_session_in_which_it_was_entered,
    a_code_that_went_to_the_mobile_number_does_not_prove_the_address,
    a_link_from_before_a_correction_proves_nothing,
    a_correction_sends_no_code_to_the_mobile_number_of_the_person_before,
    a_colleague_who_opens_the_senders_view_does_not_sign_as_the_sender,
    a_document_that_ended_early_does_not_use_up_an_address,
    what_strangers_guess_in_somebodys_name_is_counted_together_and_locks_out_nobody_else,
);

const CONTACTS: [&str; 2] = ["victim@example.com", "010-1234-5678"];
const ACTS: [&str; 2] = ["approve", "reject"];

/// A company, its owner's token and a one-step template.
fn world(server: &Server) -> (CompanyId, String, i64) {
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    (company, token, template)
}

/// A document with one signer, who is asked by message.
fn document(server: &Server, token: &str, template: i64, contact: &str, more: &Value) -> Value {
    let mut body = json!({
        "workflow_name": "Contract", "template_id": template, "language": "en",
        "recipient_list": [{"order": 1, "name": "Victim", "email": contact}],
    });
    for (name, value) in more.as_object().expect("members") {
        body["recipient_list"][0][name] = value.clone();
    }
    server.start(token, &body).ok()
}

fn embedded(server: &Server, token: &str, template: i64, contact: &str) -> Value {
    let body = json!({
        "workflow_name": "Embedded", "template_id": template, "language": "en",
        "recipient_list": [{"order": 1, "name": "Placeholder", "email": contact}],
        "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": true},
    });
    server.start(token, &body).ok()
}

fn token_in(address: &str) -> String {
    let token = address.split_once("token=").expect("a token").1;
    token.split('&').next().expect("a token").to_owned()
}

/// Returns the token in the newest message about a document, as received by the recipient.
fn delivered(server: &Server, company: &CompanyId, document: &Value) -> String {
    let (company, id) = (company.clone(), document["workflow_id"].as_i64().expect("an id"));
    let letters = server
        .app
        .store
        .read(move |tx| store::outbox::messages_of_workflow(tx, &company, domain::WorkflowId(id), 100))
        .expect("the outbox");
    let newest = letters
        .iter()
        .rev()
        .map(|letter| app::mail::OutgoingMail::open(&letter.body, &server.app.vault).expect("a letter"))
        .find(|letter| !letter.is_secret)
        .expect("a letter");
    token_in(&newest.links[0].url)
}

fn purpose(server: &Server, token: &str) -> LinkPurpose {
    LinkToken::decode(token, &server.app.vault)
        .expect("one of ours")
        .purpose
}

/// Approves or declines as the page does.
fn finish(server: &Server, act: &str, token: &str, query: &str, cookie: &str) -> Answer {
    let body = match act {
        "approve" => json!({"values": [{"name": "text1", "value": "x"}]}),
        _ => json!({"comment": "no"}),
    };
    let request = server
        .request("POST", &format!("/sign/{act}{query}"), None)
        .header("accept-language", "en")
        .header("link-token", token)
        .header("cookie", cookie.to_owned());
    server.send(request.json(&body))
}

/// Returns the next document's URL. Checks that no next document is mentioned if there is none.
fn next(answer: &Answer) -> Option<String> {
    let finished = answer.ok();
    let next = finished
        .get("next_url")
        .map(|next| next.as_str().expect("an address").to_owned());
    if next.is_none() {
        assert_eq!(
            String::from_utf8_lossy(&answer.body).matches("/mail/sign").count(),
            0,
            "{finished}"
        );
    }
    next
}

fn public_link(server: &Server, token: &str, template: i64, more: &Value) -> String {
    let mut body = json!({"workflow_name": "Join", "template_id": template, "language": "en", "recipient_list": []});
    for (name, value) in more.as_object().expect("members") {
        body[name] = value.clone();
    }
    let made = server.post("/api/v3/link/start", Some(token), &body).ok();
    token_in(made["link_url"].as_str().expect("an address"))
}

/// Sends the form of a public link. Returns the status, and the signing page's URL if there is one.
fn visit(server: &Server, link: &str, contact: &str) -> (u16, Option<String>) {
    let form = Serializer::new(String::new())
        .append_pair("token", link)
        .append_pair("name", "Stranger")
        .append_pair("contact", contact)
        .append_pair("agree", "1")
        .finish();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let answer = server.send(
        client
            .post(server.address_of("/link?lang=en"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form),
    );
    let location = answer.header("location");
    (
        answer.status,
        location.contains("/mail/sign").then(|| token_in(location)),
    )
}

fn newest_document(server: &Server, token: &str) -> Value {
    server.get("/api/v3/workflows?limit=1", token).ok()["workflow_list"][0].clone()
}

fn a_stranger_who_enters_a_victims_address_in_a_public_link_is_led_to_none_of_their_documents(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.link_starts = 100);
    let (company, token, template) = world(&server);
    for contact in CONTACTS {
        document(&server, &token, template, contact, &json!({}));
        for act in ACTS {
            for export in [
                json!({}),
                json!({"export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true}}),
            ] {
                let mut more = export;
                more["duplicates"] = json!("many");
                let link = public_link(&server, &token, template, &more);
                let (_, led) = visit(&server, &link, contact);
                let led = led.expect("the signing page");
                assert_eq!(purpose(&server, &led), LinkPurpose::Sign);
                assert_eq!(next(&finish(&server, act, &led, "", "")), None, "{contact} {act}");
            }
        }
        // The victim, who opens the same kind of document from its message, is offered their own next document.
        let link = public_link(&server, &token, template, &json!({"duplicates": "many"}));
        visit(&server, &link, contact);
        let theirs = delivered(&server, &company, &newest_document(&server, &token));
        assert!(
            next(&finish(&server, "approve", &theirs, "", "")).is_some(),
            "{contact}"
        );
    }
}

fn what_a_stranger_started_in_somebodys_name_is_offered_to_nobody(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.link_starts = 100);
    let (company, token, template) = world(&server);
    let of_two = server.template(&company, &plain(2, "end"));
    for (contact, confirm) in CONTACTS.into_iter().zip([false, true]) {
        let link = public_link(&server, &token, template, &json!({"confirm": confirm}));
        visit(&server, &link, contact);
        let own = document(&server, &token, template, contact, &json!({}));
        let link = delivered(&server, &company, &own);
        assert_eq!(
            next(&finish(&server, "approve", &link, "", "")),
            None,
            "confirm: {confirm}"
        );
    }
    // The company named the signer after the visitor, who is offered one of these documents after another.
    let clerk = "clerk@example.com";
    let more = json!({"duplicates": "many", "recipient_list": [{"order": 2, "name": "Clerk", "email": clerk}]});
    let link = public_link(&server, &token, of_two, &more);
    for visitor in ["ann@example.com", "bob@example.com"] {
        let (_, led) = visit(&server, &link, visitor);
        assert_eq!(next(&finish(&server, "approve", &led.expect("the page"), "", "")), None);
    }
    let link = delivered(&server, &company, &newest_document(&server, &token));
    assert!(next(&finish(&server, "reject", &link, "", "")).is_some());
}

fn an_embedded_document_leads_to_no_other_and_none_leads_to_it(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = world(&server);
    let shared = "placeholder@example.com";
    for act in ACTS {
        let first = embedded(&server, &token, template, shared);
        embedded(&server, &token, template, shared);
        let own = document(&server, &token, template, shared, &json!({}));
        let key = first["token"].as_str().expect("a token");
        assert_eq!(next(&finish(&server, act, key, "", "")), None, "{act}");
        let link = delivered(&server, &company, &own);
        assert_eq!(next(&finish(&server, act, &link, "", "")), None, "{act}");
    }
    // Not even with a one-time code, the only message that embedded signers receive.
    let mut coded = json!({
        "workflow_name": "Embedded", "template_id": template, "language": "en",
        "recipient_list": [{"order": 1, "name": "Kim", "email": "kim@example.com", "one_time_code": true}],
    });
    coded["export_api_info"] = json!({"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true});
    let first = server.start(&token, &coded).ok();
    document(&server, &token, template, "kim@example.com", &json!({}));
    let key = first["token"].as_str().expect("a token");
    let cookie = enter_code(&server, &company, key);
    assert_eq!(next(&finish(&server, "approve", key, "", &cookie)), None);
}

fn a_delivered_link_leads_to_the_next_document_unless_it_is_asked_not_to(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = world(&server);
    for contact in CONTACTS {
        for act in ACTS {
            let documents: Vec<Value> = (0..4)
                .map(|_| document(&server, &token, template, contact, &json!({})))
                .collect();
            let link = |place: usize| delivered(&server, &company, &documents[place]);
            assert_eq!(purpose(&server, &link(0)), LinkPurpose::SignDelivered);
            assert_eq!(next(&finish(&server, act, &link(0), "?next_sign=false", "")), None);
            let led = next(&finish(&server, act, &link(1), "?callback_fn=true", "")).expect("the next");
            assert!(
                led.starts_with(BASE) && led.ends_with("&lang=en&callback_fn=true"),
                "{led}"
            );
            // The next page's link was not delivered by message, so no further document is offered.
            let key = token_in(&led);
            assert_eq!(purpose(&server, &key), LinkPurpose::Sign);
            assert_ne!(key, link(2));
            let page = server.send(server.request("GET", led.strip_prefix(BASE).expect("ours"), None));
            assert_eq!(page.status, 200);
            assert_eq!(next(&finish(&server, act, &key, "", "")), None);
            // Nothing waits for a different company or person.
            let rest = finish(&server, act, &link(3), "", "");
            assert_eq!(next(&rest), None);
        }
    }
}

fn a_link_that_a_program_or_member_was_given_proves_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = world(&server);
    for act in ACTS {
        let first = document(&server, &token, template, "victim@example.com", &json!({}));
        document(&server, &token, template, "victim@example.com", &json!({}));
        // The kind of token in responses, webhooks and pages.
        let given = token_of_writer(&server, &company, &first["workflow_id"]);
        assert_eq!(next(&finish(&server, act, &given, "", "")), None, "{act}");
        // The sender's own view allows signing, because the sender is the signer.
        let own = document(&server, &token, template, "owner@example.com", &json!({}));
        document(&server, &token, template, "owner@example.com", &json!({}));
        let view = own["token"].as_str().expect("a token");
        assert_eq!(purpose(&server, view), LinkPurpose::View);
        assert_eq!(next(&finish(&server, act, view, "", "")), None, "{act}");
    }
    // In an embedded document with two steps, the webhook contains the second signer's link.
    let of_two = server.template(&company, &plain(2, "end"));
    server.drain();
    let body = json!({
        "workflow_name": "Embedded", "template_id": of_two, "language": "en",
        "recipient_list": [
            {"order": 1, "name": "A", "email": "a@example.com"}, {"order": 2, "name": "V", "email": "victim@example.com"},
        ],
        "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": true},
    });
    let started = server.start(&token, &body).ok();
    finish(&server, "approve", started["token"].as_str().expect("a token"), "", "").ok();
    let (hooks, _) = server.drain();
    let told = token_in(hooks[0].body["sign_url"].as_str().expect("an address"));
    assert_eq!(purpose(&server, &told), LinkPurpose::Sign);
    assert_eq!(next(&finish(&server, "reject", &told, "", "")), None);
}

/// Sends a request as a browser does from the page that asks for a code.
fn post(server: &Server, key: &str, path: &str, more: &str) -> Answer {
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let request = client
        .post(server.address_of(path))
        .header("content-type", "application/x-www-form-urlencoded");
    server.send(request.body(format!("token={key}&lang=en{more}")))
}

/// Sends a one-time code to the holder of this link and enters it. Returns the browser's cookie.
fn enter_code(server: &Server, company: &CompanyId, key: &str) -> String {
    let post = |path: &str, more: &str| post(server, key, path, more);
    assert_eq!(post("/sign/one-time-code/send", "").status, 303);
    let company = company.clone();
    let newest = server
        .app
        .store
        .read(move |tx| store::outbox::messages(tx, &company, store::outbox::DeliveryId(i64::MAX), 1))
        .expect("the outbox");
    let letter = app::mail::OutgoingMail::open(&newest[0].body, &server.app.vault).expect("a letter");
    let mut digits = letter.text.split(|character: char| !character.is_ascii_digit());
    let code = digits.find(|digits| digits.len() == 6).expect("a code");
    let entered = post("/sign/one-time-code", &format!("&code={code}"));
    assert_eq!(entered.status, 303);
    entered
        .header("set-cookie")
        .split(';')
        .next()
        .expect("a cookie")
        .to_owned()
}

fn a_one_time_code_leads_on_in_the_session_in_which_it_was_entered(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = world(&server);
    for act in ACTS {
        let coded = document(
            &server,
            &token,
            template,
            "kim@example.com",
            &json!({"one_time_code": true}),
        );
        let waiting = document(&server, &token, template, "KIM@example.com", &json!({}));
        let key = token_of_writer(&server, &company, &coded["workflow_id"]);
        let cookie = enter_code(&server, &company, &key);
        assert_eq!(finish(&server, act, &key, "", "").problem(403)["code"], "one-time-code");
        assert_eq!(
            finish(&server, act, &key, "", "countersign_one_time_1=1.00").problem(403)["code"],
            "one-time-code"
        );
        let led = next(&finish(&server, act, &key, "", &cookie)).expect("the next document");
        let expected = token_of_writer(&server, &company, &waiting["workflow_id"]);
        assert_eq!(token_in(&led), expected);
        // The code was entered for the other document. This one is opened by a link that proves nothing.
        document(&server, &token, template, "kim@example.com", &json!({}));
        assert_eq!(next(&finish(&server, act, &expected, "", &cookie)), None);
        let rest = delivered(&server, &company, &newest_document(&server, &token));
        finish(&server, "reject", &rest, "", "").ok();
    }
}

fn a_code_that_went_to_the_mobile_number_does_not_prove_the_address(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| settings.codes_to = vec!["+82".to_owned()]);
    let (company, token, template) = world(&server);
    let more = json!({"one_time_code": true, "mobile": "010-1234-5678"});
    let coded = || document(&server, &token, template, "kim@example.com", &more);
    let (first, second) = (coded(), coded());
    document(&server, &token, template, "kim@example.com", &json!({}));
    let key = token_of_writer(&server, &company, &first["workflow_id"]);
    let cookie = enter_code(&server, &company, &key);
    assert_eq!(next(&finish(&server, "approve", &key, "", &cookie)), None);
    // A link delivered to the address proves it.
    server.clock.advance(120);
    let link = delivered(&server, &company, &second);
    let cookie = enter_code(&server, &company, &link);
    assert!(next(&finish(&server, "approve", &link, "", &cookie)).is_some());
    // If the number is the recipient's contact, a code sent to it proves it.
    let number = document(
        &server,
        &token,
        template,
        "010-9999-8888",
        &json!({"one_time_code": true}),
    );
    document(&server, &token, template, "+82 10 9999 8888", &json!({}));
    let key = token_of_writer(&server, &company, &number["workflow_id"]);
    let cookie = enter_code(&server, &company, &key);
    assert!(next(&finish(&server, "approve", &key, "", &cookie)).is_some());
}

fn a_link_from_before_a_correction_proves_nothing(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = world(&server);
    let first = document(&server, &token, template, "old@example.com", &json!({}));
    for contact in ["old@example.com", "new@example.com"] {
        document(&server, &token, template, contact, &json!({}));
    }
    let old = delivered(&server, &company, &first);
    let path = format!("/api/v3/workflows/{}/recipients/1", first["workflow_id"]);
    let corrected = server.request("PATCH", &path, Some(&token));
    server.send(corrected.json(&json!({"email": "new@example.com"}))).ok();
    for act in ACTS {
        assert_eq!(finish(&server, act, &old, "", "").problem(409)["code"], "link-replaced");
    }
    let page = server.send(server.request("GET", &format!("/mail/sign?token={old}&lang=en"), None));
    assert_eq!(page.status, 410);
    let new = delivered(&server, &company, &first);
    assert_ne!(new, old);
    let led = next(&finish(&server, "approve", &new, "", "")).expect("the new person's other document");
    let shown = server.send(server.request("GET", led.strip_prefix(BASE).expect("ours"), None));
    assert_eq!(shown.status, 200);
    let of_new = token_of_writer(&server, &company, &newest_document(&server, &token)["workflow_id"]);
    assert_eq!(token_in(&led), of_new);
}

fn a_correction_sends_no_code_to_the_mobile_number_of_the_person_before(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| settings.codes_to = vec!["+82".to_owned()]);
    let (company, token, template) = world(&server);
    let of_before = "010-1234-5678";
    let more = json!({"one_time_code": true, "mobile": of_before});
    // Returns where the next code is sent after a correction. The proof of the earlier code no longer counts.
    let goes_to = |corrections: &[Value]| {
        let first = document(&server, &token, template, "kim@example.com", &more);
        let old = delivered(&server, &company, &first);
        let proof = enter_code(&server, &company, &old);
        let path = format!("/api/v3/workflows/{}/recipients/1", first["workflow_id"]);
        for correction in corrections {
            server.clock.advance(700);
            let corrected = server.request("PATCH", &path, Some(&token)).json(correction);
            server.send(corrected).ok();
        }
        let link = delivered(&server, &company, &first);
        assert_ne!(link, old, "{corrections:?}");
        assert_eq!(
            finish(&server, "approve", &old, "", &proof).problem(409)["code"],
            "link-replaced"
        );
        assert_eq!(
            finish(&server, "approve", &link, "", &proof).problem(403)["code"],
            "one-time-code"
        );
        let cookie = enter_code(&server, &company, &link);
        let sent = server.mails().into_iter().find(|mail| mail.is_secret).expect("a code");
        finish(&server, "approve", &link, "", &cookie).ok();
        let seen = server
            .get(&format!("/api/v3/workflows/{}", first["workflow_id"]), &token)
            .ok();
        let history = seen["history"].as_array().expect("a history").iter();
        let changes: Vec<String> = history
            .filter(|entry| entry["event"] == "recipient_corrected")
            .map(|entry| entry["change"].as_str().expect("a change").to_owned())
            .collect();
        (sent.to, changes)
    };
    let name = json!({"name": "Lee"});
    let (to, changes) = goes_to(&[name]);
    assert_eq!(
        (to.as_str(), changes),
        ("kim@example.com", vec!["Victim → Lee (kim@example.com)".to_owned()])
    );
    let address = json!({"email": "lee@example.com"});
    assert_eq!(goes_to(&[address]).0, "lee@example.com");
    assert_eq!(goes_to(&[json!({"mobile": null})]).0, "kim@example.com");
    assert_eq!(goes_to(&[json!({"mobile": ""})]).0, "kim@example.com");
    let (to, changes) = goes_to(&[json!({"mobile": "010-9999-8888"})]);
    assert_eq!(
        (to.as_str(), changes),
        (
            "+821099998888",
            vec!["Victim (kim@example.com, 010-9999-8888)".to_owned()]
        )
    );
    // A misspelt name is corrected, and the sender confirms that the number is theirs.
    let said = json!({"name": "Viktor", "mobile": of_before});
    assert_eq!(goes_to(std::slice::from_ref(&said)).0, "+821012345678");
    assert_eq!(goes_to(&[said, json!({"name": "Lee"})]).0, "kim@example.com");

    let first = document(&server, &token, template, "kim@example.com", &more);
    let path = format!("/api/v3/workflows/{}/recipients/1", first["workflow_id"]);
    let correct = |body: &Value| server.send(server.request("PATCH", &path, Some(&token)).json(body));
    let fault = |path: &str, code: &str| [(path.to_owned(), code.to_owned())];
    assert_eq!(
        correct(&json!({"mobile": "kim@example.com"})).faults(),
        fault("mobile", "invalid-phone")
    );
    assert_eq!(correct(&json!({"mobile": 5})).faults(), fault("mobile", "wrong-type"));
    let before = delivered(&server, &company, &first);
    correct(&json!({"mobile": of_before})).ok();
    assert_eq!(delivered(&server, &company, &first), before, "nothing changed");
}

fn a_colleague_who_opens_the_senders_view_does_not_sign_as_the_sender(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = world(&server);
    server.member(&company, "colleague@example.com", Role::Admin);
    let colleague = server.token("acme", "colleague@example.com");
    let own = document(&server, &token, template, "owner@example.com", &json!({}));
    let path = format!("/api/v3/workflows/{}", own["workflow_id"]);
    let view = |token: &str| {
        let shown = server.get(&path, token).ok();
        token_in(shown["playing_url"].as_str().expect("an address"))
    };
    let (of_colleague, of_sender) = (view(&colleague), view(&token));
    assert_eq!(of_sender, own["token"].as_str().expect("a token"));
    assert_ne!(of_colleague, of_sender);
    let page = server.send(server.request("GET", &format!("/mail/sign?token={of_colleague}&lang=en"), None));
    assert_eq!(page.status, 200, "the document is shown");
    for act in ACTS {
        assert_eq!(
            finish(&server, act, &of_colleague, "", "").problem(409)["code"],
            "not-your-turn"
        );
    }
    finish(&server, "approve", &of_sender, "", "").ok();
}

fn a_document_that_ended_early_does_not_use_up_an_address(database: &TestDatabase) {
    let server = Server::with(database, |settings, http| {
        http.link_starts = 100;
        settings.public_links.of_addressee = 100;
    });
    let (_, token, template) = world(&server);
    let link = public_link(&server, &token, template, &json!({}));
    let (_, led) = visit(&server, &link, "victim@example.com");
    assert_eq!(
        visit(&server, &link, "victim@example.com").0,
        409,
        "while the first is open"
    );
    finish(&server, "reject", &led.expect("the page"), "", "").ok();
    let (_, led) = visit(&server, &link, "Victim@example.com");
    finish(&server, "approve", &led.expect("the page"), "", "").ok();
    assert_eq!(visit(&server, &link, "victim@example.com").0, 409, "it was signed");
    let links = server.get("/api/v3/link", &token).ok();
    assert_eq!(links["link_list"][0]["used"], 2);
}

fn what_strangers_guess_in_somebodys_name_is_counted_together_and_locks_out_nobody_else(database: &TestDatabase) {
    let server = Server::with(database, |_, http| http.link_starts = 100);
    let (company, token, _) = server.with_company("acme");
    let mut fields = plain(1, "end");
    fields["steps"][0]["one_time_code"] = json!(true);
    let template = server.template(&company, &fields);
    let link = public_link(&server, &token, template, &json!({"duplicates": "many"}));
    let own = document(&server, &token, template, "victim@example.com", &json!({}));
    // Two documents, both with remaining tries.
    for contact in ["victim@example.com", "Victim+a@example.com"] {
        let (_, led) = visit(&server, &link, contact);
        let led = led.expect("the signing page");
        assert_eq!(post(&server, &led, "/sign/one-time-code/send", "").status, 303);
        for _ in 0..5 {
            assert_eq!(post(&server, &led, "/sign/one-time-code", "&code=x").status, 422);
        }
    }
    let (_, led) = visit(&server, &link, "victim@example.com");
    let led = led.expect("the signing page");
    let refused = post(&server, &led, "/sign/one-time-code/send", "");
    assert_eq!((refused.status, refused.header("retry-after")), (429, "3600"));
    assert!(
        refused
            .html()
            .contains("Too many wrong codes were entered for this address")
            && refused.html().contains("60 minutes"),
        "{}",
        refused.html()
    );
    // The owner of the address opens the documents sent to them: this one, and the company's own.
    let theirs = delivered(&server, &company, &newest_document(&server, &token));
    assert_ne!(theirs, led);
    finish(&server, "approve", &theirs, "", &enter_code(&server, &company, &theirs)).ok();
    let key = token_of_writer(&server, &company, &own["workflow_id"]);
    enter_code(&server, &company, &key);
    // An hour later, a code can be entered on a visitor's page again. No other document is offered.
    server.clock.advance(3_600);
    let (_, led) = visit(&server, &link, "victim@example.com");
    let led = led.expect("the signing page");
    let cookie = enter_code(&server, &company, &led);
    assert_eq!(next(&finish(&server, "approve", &led, "", &cookie)), None);
}
