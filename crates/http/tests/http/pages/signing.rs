//! Signers' actions on the signing page.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use super::{local, look, send, text, token_of};
use crate::support::{Answer, PNG, Server, committee, plain, start_body, token_of_writer, trusted, values_of};

testkit::on_both_databases!(
    a_writer_hands_the_document_over_where_the_template_allows_it,
    a_signer_who_declined_reads_so_and_others_only_if_they_may_know,
    a_name_is_drawn_for_the_holder_of_a_link,
    a_seal_that_we_draw_goes_from_the_page_into_the_sealed_document,
    two_pages_of_one_link_show_what_each_other_has_filled_in,
);

fn a_writer_hands_the_document_over_where_the_template_allows_it(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let start = |allowed: bool, is_embed: bool| {
        let mut fields = plain(1, "end");
        fields["hand_over"] = json!(allowed);
        let body = json!({
            "workflow_name": "Plain", "template_id": server.template(&company, &fields), "language": "en",
            "recipient_list": [{"order": 1, "name": "Kim", "email": "kim@example.com"}],
            "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": is_embed},
        });
        server.start(&token, &body).ok()["workflow_id"].clone()
    };
    let page = |sign: &str| look(&server, &format!("/mail/sign?token={sign}&lang=en"));
    let hand = |sign: &str, name: &str, email: &str| {
        send(
            &server,
            "POST",
            "/sign/hand-over",
            sign,
            &json!({"name": name, "email": email}),
        )
    };
    for (allowed, is_embed) in [(false, false), (true, true)] {
        let sign = token_of_writer(&server, &company, &start(allowed, is_embed));
        assert!(!text(&page(&sign)).contains("hand-over-dialog"));
        let problem = hand(&sign, "Lee", "lee@example.com").problem(409);
        assert_eq!(problem["code"], "no-handing-over", "{allowed} {is_embed}");
    }

    let id = start(true, false);
    server.drain();
    let old = token_of_writer(&server, &company, &id);
    assert!(text(&page(&old)).contains("hand-over-dialog"));
    let draft = json!({"values": [{"name": "text1", "value": "Kim's own words"}]});
    assert_eq!(send(&server, "PUT", "/sign/drafts", &old, &draft).status, 200);
    for (name, email, path) in [
        ("", "lee@example.com", "name"),
        ("evil.한국", "lee@example.com", "name"),
        ("Lee", "", "email"),
        ("Lee", "nobody", "email"),
    ] {
        let problem = hand(&old, name, email).problem(422);
        assert_eq!(problem["errors"][0]["path"], path);
    }
    assert_eq!(hand(&old, "Lee", "lee@example.com").status, 204);
    // The other person gets a mail. No webhook is sent, because nobody approved or declined.
    let (hooks, letters) = server.drain();
    assert_eq!((hooks.len(), letters), (0, 1));
    let gone = page(&old);
    assert_eq!(gone.status, 410);
    assert!(
        text(&gone).contains("You assigned this document to someone else"),
        "{}",
        text(&gone)
    );
    for (method, path) in [
        ("POST", "/sign/approve"),
        ("POST", "/sign/hand-over"),
        ("PUT", "/sign/drafts"),
    ] {
        assert_eq!(
            send(&server, method, path, &old, &draft).problem(409)["code"],
            "handed-over",
            "{path}"
        );
    }
    let new = token_of_writer(&server, &company, &id);
    let shown = text(&page(&new));
    assert!(shown.contains("Lee") && !shown.contains("own words"), "{shown}");
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(seen["history"].to_string().matches("handed_over").count(), 1);
    assert_eq!(send(&server, "POST", "/sign/approve", &new, &json!({})).status, 200);
    assert_eq!(
        server.get(&format!("/api/v3/workflows/{id}"), &token).ok()["status"],
        "Complete"
    );
}

fn a_signer_who_declined_reads_so_and_others_only_if_they_may_know(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let mut body = start_body(server.template(&company, &committee()));
    body["recipient_list"] = json!([
        {"order": 1, "name": "Ann", "email": "ann@example.com"},
        {"order": 1, "name": "Bob", "email": "bob@example.com"},
    ]);
    for asks_for_code in [false, true] {
        // A person who has not proved their identity yet must not see any names.
        body["recipient_list"][0]["one_time_code"] = json!(asks_for_code);
        body["recipient_list"][1]["one_time_code"] = json!(asks_for_code);
        let started = server.start(&token, &body).ok();
        let told = |place: usize| {
            let address = local(&started["next_list"][place]["sign_url"]);
            let answer = look(&server, &format!("{address}&lang=en"));
            assert_eq!(answer.status, 410);
            text(&answer)
        };
        let no = json!({"order": 1, "email": "bob@example.com", "comment": "no"});
        server.act(&token, &started["workflow_id"], "reject", &no).ok();
        let (ann, bob) = (told(0), told(1));
        assert!(bob.contains("You declined this document"), "{bob}");
        assert!(!ann.contains("You declined"), "{ann}");
        assert_eq!(ann.contains("Bob"), !asks_for_code, "{ann}");
        assert_eq!(ann.contains("A signer declined it"), asks_for_code, "{ann}");
    }
}

fn a_name_is_drawn_for_the_holder_of_a_link(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let ask = |wish: &Value| send(&server, "POST", "/sign/drawings", &sign, wish);
    let drawn = |wish: &Value| {
        let answer = ask(wish);
        assert_eq!(answer.header("cache-control"), "no-store");
        let choices = answer.ok()["choices"].as_array().expect("choices").clone();
        assert!(!choices.is_empty());
        choices
    };
    let members = |choices: &[Value], name: &str| -> Vec<String> {
        let member = |choice: &Value| choice["drawing"][name].as_str().unwrap_or_default().to_owned();
        choices.iter().map(member).collect()
    };
    // Only handwriting fonts that cover the letters are offered.
    let hands = drawn(&json!({"way": "typed", "text": " 김민준 "}));
    assert_eq!(members(&hands, "hand"), ["nanum-pen", "gaegu"]);
    assert_eq!(members(&hands, "text"), ["김민준", "김민준"]);
    assert_eq!(hands[0]["label"], "Felt pen");
    for choice in &hands {
        let svg = choice["svg"].as_str().expect("a picture");
        assert!(
            svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && !svg.contains("<script"),
            "{svg}"
        );
    }
    assert_ne!(hands[0]["svg"], hands[1]["svg"]);
    let seals = drawn(&json!({"way": "person_seal", "name": "김민준"}));
    assert_eq!(members(&seals, "shape"), ["round", "round", "oval", "square", "square"]);
    assert_eq!(seals[1]["label"], "Round: 김민준 인");
    let company = drawn(&json!({"way": "company_seal", "name": "株式会社青空", "title": "銀行之印"}));
    assert_eq!(company[0]["drawing"]["title"], "銀行之印");
    // If no font covers a character, each choice says so.
    let missing = drawn(&json!({"way": "typed", "text": "김𓀀"}));
    for choice in &missing {
        assert_eq!(choice["svg"], "");
        assert!(
            choice["message"].as_str().expect("words").contains("𓀀 (U+13000)"),
            "{choice}"
        );
    }
    for (wish, path, code) in [
        (json!({}), "way", "required"),
        (json!({"way": "runes", "text": "x"}), "way", "invalid-option"),
        (json!({"way": "typed"}), "text", "required"),
        (json!({"way": "typed", "text": " "}), "text", "required"),
        (json!({"way": "typed", "text": "x".repeat(101)}), "text", "too-long"),
        (
            json!({"way": "typed", "text": "a\u{202e}b"}),
            "text",
            "direction-control",
        ),
        (
            json!({"way": "person_seal", "name": "가".repeat(31)}),
            "name",
            "too-long",
        ),
        (json!({"way": "person_seal", "name": 7}), "name", "wrong-type"),
        (
            json!({"way": "person_seal", "name": "김\n민준"}),
            "name",
            "control-character",
        ),
        (
            json!({"way": "company_seal", "name": "青空", "title": "銀行\n之印"}),
            "title",
            "control-character",
        ),
    ] {
        assert_eq!(ask(&wish).faults(), [(path.to_owned(), code.to_owned())], "{wish}");
    }
    ask(&json!({"way": "typed", "text": "x".repeat(5_000)})).problem(413);
}

/// Returns a document that its first signer has approved, and the second signer's page.
fn turn_of_second(server: &Server, token: &str, template: i64) -> (Value, String) {
    let started = server.start(token, &start_body(template)).ok();
    let id = started["workflow_id"].clone();
    server
        .act(token, &id, "approve", &json!({"order": 1, "field_list": values_of(1)}))
        .ok();
    let turn = server.get(&format!("/api/v3/workflows/{id}"), token).ok();
    (id, local(&turn["playing_url"]))
}

#[test]
fn a_signer_with_something_to_sign_signs_and_another_approves() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let started = server.start(&token, &start_body(template)).ok();
    let first = local(&started["sign_url"]);
    let (_, second) = turn_of_second(&server, &token, template);
    for (page, act, other) in [(first, "Approve", "Sign"), (second, "Sign", "Approve")] {
        let shown = text(&look(&server, &page.replace("lang=ko", "lang=en")));
        assert!(shown.contains(&format!("{act} this document")), "{shown}");
        assert!(shown.contains(&format!(">{act}</button>")), "{shown}");
        assert!(!shown.contains(&format!(">{other}</button>")), "{shown}");
    }
}

fn put_drawing(server: &Server, sign: &str, name: &str, drawing: &Value) -> Answer {
    let body = json!({"name": name, "drawing": drawing});
    send(server, "POST", "/sign/files", sign, &body)
}

fn drawn_seal() -> Value {
    json!({"way": "seal", "shape": "round", "name": "山田", "title": ""})
}

#[test]
fn drawings_that_nobody_can_draw_or_that_are_in_another_field_are_refused() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let (_, page) = turn_of_second(&server, &token, template);
    let sign = token_of(&page);
    for (drawing, path, code) in [
        (json!({}), "drawing.way", "required"),
        (
            json!({"way": "seal", "shape": "star", "name": "x"}),
            "drawing.shape",
            "invalid-option",
        ),
        (
            json!({"way": "typed", "hand": "mine", "text": "x"}),
            "drawing.hand",
            "invalid-option",
        ),
        (
            json!({"way": "typed", "hand": "caveat", "text": "𓀀"}),
            "sign",
            "missing-glyph",
        ),
        (
            json!({"way": "typed", "hand": "caveat", "text": "x".repeat(101)}),
            "sign",
            "too-long",
        ),
        (
            json!({"way": "typed", "hand": "caveat", "text": "\u{200b}"}),
            "sign",
            "required",
        ),
    ] {
        let faults = put_drawing(&server, sign, "sign", &drawing).faults();
        assert_eq!(faults, [(path.to_owned(), code.to_owned())], "{drawing}");
    }
    for name in ["employee", "copy", "employer"] {
        let faults = put_drawing(&server, sign, name, &drawn_seal()).faults();
        assert_eq!(faults, [(name.to_owned(), "field-not-writable".to_owned())]);
    }
}

fn a_seal_that_we_draw_goes_from_the_page_into_the_sealed_document(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (id, page) = turn_of_second(&server, &token, template);
    let sign = token_of(&page).to_owned();
    let put = |drawing: &Value| assert_eq!(put_drawing(&server, &sign, "sign", drawing).status, 200);
    let shown = || {
        let answer = look(&server, &format!("/sign/file?token={sign}&name=sign"));
        assert_eq!(answer.header("cache-control"), "no-store");
        (answer.header("content-type").to_owned(), answer.body)
    };
    // The last entry counts: a drawing replaces an image, and vice versa.
    put(&json!({"way": "typed", "hand": "yuji-syuku", "text": "山田太郎"}));
    assert_eq!(shown().0, "image/svg+xml");
    let picture = json!({"name": "sign", "data": PNG});
    assert_eq!(send(&server, "POST", "/sign/files", &sign, &picture).status, 200);
    assert_eq!(shown().0, "image/png");
    put(&drawn_seal());
    let (media_type, outlines) = shown();
    assert_eq!(media_type, "image/svg+xml");
    let wish = json!({"way": "person_seal", "name": "山田 太郎"});
    let offered = send(&server, "POST", "/sign/drawings", &sign, &wish).ok()["choices"][0].clone();
    assert_eq!(offered["drawing"], drawn_seal());
    assert_eq!(
        offered["svg"].as_str().expect("a picture").as_bytes(),
        outlines,
        "what is offered is what is kept"
    );
    assert!(text(&look(&server, &page)).contains("/sign/file?token="));

    assert_eq!(send(&server, "POST", "/sign/consent", &sign, &json!({})).status, 204);
    let values = json!({"values": [{"name": "agree", "value": "Y"}, {"name": "employee", "value": "山田太郎"}]});
    let saved = send(&server, "PUT", "/sign/drafts", &sign, &values).ok();
    let shown = json!({"revision": saved["revision"]});
    let approved = send(&server, "POST", "/sign/approve", &sign, &shown).ok();
    assert_eq!(approved["status"], "Complete");

    // Programs receive a file name that refers to an image.
    let complete = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let fields = complete["field_list"].as_array().expect("fields").clone();
    let field = fields.iter().find(|field| field["name"] == "sign").expect("the field");
    assert_eq!(field["value"], "sign.png");
    let file = server.get(&format!("/api/v3/workflows/{id}/fields/sign/file"), &token);
    assert_eq!((file.status, file.header("content-type")), (200, "image/png"));
    assert!(file.header("content-disposition").contains("sign.png"));
    assert!(
        file.body.starts_with(b"\x89PNG") && file.body.len() > 2_000,
        "{} bytes",
        file.body.len()
    );
    // The sealed file contains outlines and no image.
    let document = server.get(&format!("/api/v3/workflows/{id}/document"), &token);
    assert!(trusted(&document.body, &server).holds_strictly());
    assert!(!String::from_utf8_lossy(&document.body).contains("/Subtype/Image"));
}

/// Returns the data included in the page.
fn page_data(answer: &Answer) -> Value {
    let shown = String::from_utf8_lossy(&answer.body).into_owned();
    let data = shown.split_once(r#"id="sign-data">"#).expect("the page's data").1;
    serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON")
}

fn two_pages_of_one_link_show_what_each_other_has_filled_in(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let (id, page) = turn_of_second(&server, &token, template);
    let sign = token_of(&page).to_owned();
    assert_eq!(send(&server, "POST", "/sign/consent", &sign, &json!({})).status, 204);
    let opened = page_data(&look(&server, &page))["draft"].clone();
    assert_eq!(opened, json!({"link": 1, "revision": 0, "changes": {}}));

    let save = |page: &str, revision: i64, values: Value| {
        let body = json!({"page": page, "revision": revision, "values": values});
        send(&server, "PUT", "/sign/drafts", &sign, &body).ok()
    };
    let desk = save(
        "desk",
        0,
        json!([{"name": "employee", "value": "백"}, {"name": "agree", "value": "Y"}]),
    );
    assert_eq!((&desk["revision"], &desk["newer"]), (&json!(1), &json!([])));
    let phone = save("phone", 1, json!([{"name": "employee", "value": "이백"}]));
    assert_eq!(phone["revision"], 2);
    let picture = json!({"name": "sign", "data": PNG, "file_name": "mine.png", "page": "phone", "revision": 2});
    let uploaded = send(&server, "POST", "/sign/files", &sign, &picture).ok();
    assert_eq!((&uploaded["revision"], &uploaded["newer"]), (&json!(3), &json!([])));

    // The first device still shows the old value. Its approval is refused with an explanation, and nothing is lost.
    let approve = |body: Value| send(&server, "POST", "/sign/approve", &sign, &body);
    for revision in [json!({}), json!({"revision": 1}), json!({"revision": -3})] {
        let problem = approve(revision).problem(409);
        assert_eq!(problem["code"], "draft-changed");
        let detail = problem["detail"].as_str().expect("words");
        assert!(detail.contains("another page or device"), "{detail}");
    }
    assert_eq!(
        approve(json!({"revision": "1"})).faults(),
        [("revision".to_owned(), "wrong-type".to_owned())]
    );
    let newer = save("desk", 1, json!([]));
    let held: Vec<(&Value, &Value)> = newer["newer"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|held| (&held["name"], &held["value"]))
        .collect();
    assert_eq!(
        held,
        [
            (&json!("employee"), &json!("이백")),
            (&json!("sign"), &json!("mine.png"))
        ]
    );
    assert_eq!(newer["newer"][0]["boxes"][0]["shown"], "이백");
    let source = newer["newer"][1]["src"].as_str().expect("an address");
    assert!(source.ends_with("&revision=3"), "{source}");
    let shown = look(&server, source);
    assert_eq!((shown.status, shown.header("content-type")), (200, "image/png"));

    // A newly opened page knows who has filled in each field.
    let opened = page_data(&look(&server, &page))["draft"].clone();
    assert_eq!(opened["revision"], 3);
    assert_eq!(opened["changes"]["employee"], json!([2, "phone"]));
    assert_eq!(opened["changes"]["agree"], json!([1, "desk"]));
    let approved = approve(json!({"revision": newer["revision"]})).ok();
    assert_eq!(approved["status"], "Complete");
    let complete = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    let fields = complete["field_list"].as_array().expect("fields").clone();
    let employee = fields.iter().find(|field| field["name"] == "employee");
    assert_eq!(employee.expect("the field")["value"], "이백");
}
