//! After a correction or a reassignment, all views of past events name the person at that time.

use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, Server, plain, token_of_writer_at};

testkit::on_both_databases!(
    a_corrected_recipient_is_named_only_from_the_correction_on,
    a_reassigned_document_still_names_the_first_person,
    one_persons_words_never_stand_under_anothers_name,
    a_value_of_the_person_before_is_in_no_webhook_and_on_no_page,
    an_original_downloaded_by_two_people_of_one_place_is_recorded_for_both,
);

/// A two-step document in progress. Declining returns it, and signers may assign it to someone else.
struct Document {
    server: Server,
    company: domain::CompanyId,
    token: String,
    id: Value,
}

impl Document {
    fn new(database: &TestDatabase) -> Document {
        let server = Server::new(database);
        let company = server.company("acme");
        let token = server.token("acme", "owner@example.com");
        let mut fields = plain(2, "return");
        fields["hand_over"] = json!(true);
        let body = json!({
            "workflow_name": "근로계약서", "template_id": server.template(&company, &fields), "language": "ko",
            "recipient_list": [
                {"order": 1, "name": "김민준", "email": "minjun@example.com"},
                {"order": 2, "name": "박지훈", "email": "jihun@example.com"},
            ],
            "export_api_info": {"url": "https://hooks.example.com/", "api_type": "ALL", "is_embed": false},
        });
        let id = server.start(&token, &body).ok()["workflow_id"].clone();
        Document {
            server,
            company,
            token,
            id,
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v3/workflows/{}{rest}", self.id)
    }

    fn seen(&self) -> Value {
        self.server.get(&self.path(""), &self.token).ok()
    }

    /// Sends a request as the browser of the signer in this place does.
    fn page(&self, place: usize, method: &str, path: &str, body: &Value) -> Answer {
        let link = token_of_writer_at(&self.server, &self.company, &self.id, place);
        let request = self.server.request(method, path, None).header("link-token", link);
        self.server.send(request.header("accept-language", "en").json(body))
    }

    /// Returns a page as seen by its signer.
    fn shown(&self, place: usize) -> String {
        let link = token_of_writer_at(&self.server, &self.company, &self.id, place);
        let path = format!("/mail/sign?token={link}&lang=en");
        self.server.send(self.server.request("GET", &path, None)).html()
    }

    fn view(&self, place: usize) {
        assert_eq!(self.page(place, "POST", "/sign/viewed", &json!({})).status, 204);
    }

    fn act(&self, what: &str, body: &Value) {
        self.server.act(&self.token, &self.id, what, body).ok();
    }

    fn correct(&self, order: u32, body: &Value) {
        // Reminders are allowed every ten minutes.
        self.server.clock.advance(601);
        let path = self.path(&format!("/recipients/{order}"));
        let request = self.server.request("PATCH", &path, Some(&self.token));
        self.server.send(request.json(body)).ok();
    }

    /// Returns the certificate's text without white space, because lines may break anywhere.
    fn certificate(&self) -> String {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let answer = self.server.get(&self.path("/certificate"), &self.token);
        assert_eq!(answer.status, 200);
        std::fs::write(file.path(), &answer.body).expect("written");
        let read = std::process::Command::new("pdftotext")
            .args(["-enc", "UTF-8", "-layout"])
            .arg(file.path())
            .arg("-")
            .output()
            .expect("pdftotext can be run; script/bootstrap --tests installs it");
        String::from_utf8_lossy(&read.stdout).split_whitespace().collect()
    }
}

/// Returns `event: actor · recipient` for each entry that names a signer. A change of person has its own format.
fn named(seen: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entries = seen["history"].as_array().expect("a history").iter();
    entries
        .filter(|entry| entry["recipient_name"].is_string())
        .map(|entry| {
            let about = match &entry["change"] {
                Value::Null => format!(
                    "{} <{}>",
                    text(&entry["recipient_name"]),
                    text(&entry["recipient_email"])
                ),
                change => text(change),
            };
            format!("{}: {} · {about}", text(&entry["event"]), text(&entry["actor_name"]))
        })
        .collect()
}

fn a_corrected_recipient_is_named_only_from_the_correction_on(database: &TestDatabase) {
    let document = Document::new(database);
    document.act("approve", &json!({"field_list": [{"name": "text1", "value": "월급"}]}));
    document.view(1);
    let reason = json!({"comment": "금액을 고쳐 주세요"});
    assert_eq!(document.page(1, "POST", "/sign/reject", &reason).status, 200);
    document.correct(2, &json!({"name": "박서준", "email": "seojun@example.com"}));
    let page = document.shown(0);
    assert!(
        page.contains("박지훈") && page.contains("금액을 고쳐 주세요"),
        "who returned it is named"
    );
    document.act("approve", &json!({}));
    document.view(1);
    let approved = document.page(1, "POST", "/sign/approve", &json!({}));
    assert_eq!(approved.status, 200);

    let seen = document.seen();
    let (kim, jihun, seojun) = (
        "김민준 <minjun@example.com>",
        "박지훈 <jihun@example.com>",
        "박서준 <seojun@example.com>",
    );
    let owner = "owner@example.com";
    assert_eq!(
        named(&seen),
        [
            format!("request_sent:  · {kim}"),
            format!("value_written: {owner} · {kim}"),
            format!("approved: {owner} · {kim}"),
            format!("request_sent:  · {jihun}"),
            format!("viewed: 박지훈 · {jihun}"),
            format!("returned: 박지훈 · {jihun}"),
            format!("request_sent:  · {kim}"),
            format!("recipient_corrected: {owner} · 박지훈 → 박서준 (jihun@example.com → seojun@example.com)"),
            format!("approved: {owner} · {kim}"),
            format!("request_sent:  · {seojun}"),
            format!("viewed: 박서준 · {seojun}"),
            format!("approved: 박서준 · {seojun}"),
        ]
    );
    let (hooks, _) = document.server.drain();
    let names: Vec<&Value> = hooks.iter().map(|hook| &hook.body["name"]).collect();
    assert_eq!(names, ["김민준", "박지훈", "김민준", "박서준"]);

    let certificate = document.certificate();
    assert!(certificate.contains("박지훈→박서준"), "{certificate}");
    // First person: asked, viewed, returned, corrected, and listed as the earlier signer. Second person: corrected,
    // asked, viewed, approved, and listed as the signer.
    for (name, times) in [("박지훈", 5), ("박서준", 5)] {
        assert_eq!(certificate.matches(name).count(), times, "{name} in {certificate}");
    }
    assert!(
        certificate.contains("이전서명자박지훈<jihun@example.com>"),
        "{certificate}"
    );
}

fn a_reassigned_document_still_names_the_first_person(database: &TestDatabase) {
    let document = Document::new(database);
    document.view(0);
    let other = json!({"name": "최유나", "email": "yuna@example.com"});
    assert_eq!(document.page(0, "POST", "/sign/hand-over", &other).status, 204);
    document.view(0);
    document.act("approve", &json!({}));
    document.act("approve", &json!({}));
    let seen = document.seen();
    assert_eq!(
        named(&seen)[..4],
        [
            "request_sent:  · 김민준 <minjun@example.com>",
            "viewed: 김민준 · 김민준 <minjun@example.com>",
            "handed_over: 김민준 · 김민준 → 최유나 (minjun@example.com → yuna@example.com)",
            "request_sent:  · 최유나 <yuna@example.com>",
        ]
    );
    assert_eq!(seen["steps"][0]["name"], "최유나");
    let certificate = document.certificate();
    for expected in ["김민준→최유나", "이전서명자김민준<minjun@example.com>"] {
        assert!(certificate.contains(expected), "{expected} is not in {certificate}");
    }
    // Asked, viewed, reassigned, named in the reassignment, and listed as the earlier signer.
    assert_eq!(certificate.matches("김민준").count(), 5, "{certificate}");
}

fn one_persons_words_never_stand_under_anothers_name(database: &TestDatabase) {
    let document = Document::new(database);
    let words = json!({"comment": "제가 확인했습니다"});
    document.act("approve", &words);
    let reason = json!({"comment": "다시 보세요"});
    assert_eq!(document.page(1, "POST", "/sign/reject", &reason).status, 200);
    let comments = || {
        let seen = document.seen();
        [0, 1].map(|step| {
            let step = &seen["steps"][step];
            (step["name"].clone(), step["comment"].clone(), step["viewed"].clone())
        })
    };
    let expected = |name: &str, comment: &str| (json!(name), json!(comment), json!(false));
    assert_eq!(
        comments(),
        [
            expected("김민준", "제가 확인했습니다"),
            expected("박지훈", "다시 보세요")
        ]
    );
    // Correcting only the contact means a different mailbox, and possibly a different person.
    document.correct(1, &json!({"email": "kim@example.com"}));
    document.correct(2, &json!({"name": "박서준"}));
    assert_eq!(comments(), [expected("김민준", ""), expected("박서준", "")]);
    let seen = document.seen();
    let last: Vec<String> = named(&seen).split_off(5);
    assert_eq!(
        last,
        [
            "recipient_corrected: owner@example.com · 김민준 (minjun@example.com → kim@example.com)",
            "request_sent:  · 김민준 <kim@example.com>",
            "recipient_corrected: owner@example.com · 박지훈 → 박서준 (jihun@example.com)",
        ]
    );
    document.act("cancel", &json!({}));
    let certificate = document.certificate();
    assert!(!certificate.contains("제가확인했습니다"), "{certificate}");
    assert_eq!(
        certificate.matches("다시보세요").count(),
        1,
        "in its own entry alone: {certificate}"
    );
}

fn a_value_of_the_person_before_is_in_no_webhook_and_on_no_page(database: &TestDatabase) {
    let document = Document::new(database);
    document.act(
        "approve",
        &json!({"field_list": [{"name": "text1", "value": "900101-1234567"}]}),
    );
    document.act("reject", &json!({}));
    document.correct(1, &json!({"name": "최유나", "email": "yuna@example.com"}));
    assert!(!document.shown(0).contains("900101"));
    assert_eq!(document.seen()["field_list"], json!([]));
    let own = json!({"field_list": [{"name": "text1", "value": "yuna's"}]});
    document.act("approve", &own);
    let (hooks, _) = document.server.drain();
    let lists: Vec<&Value> = hooks.iter().map(|hook| &hook.body["field_list"]).collect();
    let of = |value: &str, email: &str| json!([{"name": "text1", "value": value, "email": email, "order": 1}]);
    let kim = of("900101-1234567", "minjun@example.com");
    assert_eq!(lists, [&kim, &kim, &of("yuna's", "yuna@example.com")]);
    // The written and removed values are still listed under the first person's name.
    let seen = document.seen();
    let removed = seen["history"].as_array().expect("a history").iter();
    let removed: Vec<&Value> = removed.filter(|entry| entry["event"] == "value_removed").collect();
    assert_eq!(removed.len(), 1);
    assert_eq!(
        (&removed[0]["recipient_name"], &removed[0]["field"]),
        (&json!("김민준"), &json!("text1"))
    );
}

fn an_original_downloaded_by_two_people_of_one_place_is_recorded_for_both(database: &TestDatabase) {
    let document = Document::new(database);
    let take = || {
        let link = token_of_writer_at(&document.server, &document.company, &document.id, 0);
        let request = document
            .server
            .request("POST", "/sign/document", None)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(format!("token={link}"));
        document.server.send(request).status
    };
    assert_eq!((take(), take()), (200, 200));
    document.correct(1, &json!({"name": "최유나", "email": "yuna@example.com"}));
    assert_eq!(take(), 200);
    let taken: Vec<String> = named(&document.seen())
        .into_iter()
        .filter(|entry| entry.starts_with("original_taken"))
        .collect();
    assert_eq!(
        taken,
        [
            "original_taken: 김민준 · 김민준 <minjun@example.com>",
            "original_taken: 최유나 · 최유나 <yuna@example.com>",
        ]
    );
}
