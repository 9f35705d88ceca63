//! Access codes and one-time codes required before a page.

use serde_json::json;
use testkit::database::TestDatabase;

use super::{local, look, send, text};
use crate::support::{Server, start_body};

testkit::on_both_databases!(
    the_access_code_stands_before_everything,
    a_one_time_code_is_sent_by_the_button_alone_and_opens_the_document,
);

fn the_access_code_stands_before_everything(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["recipient_list"][0]["password"] = json!("850101");
    body["recipient_list"][0]["password_hint"] = json!("birthday");
    let started = server.start(&token, &body).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let page = look(&server, &local(&started["sign_url"]));
    assert_eq!(page.status, 200);
    assert!(text(&page).contains("birthday") && !text(&page).contains("<document-page"));
    assert_eq!(
        look(&server, &format!("/sign/pages/{}/1?token={sign}", "0".repeat(64))).problem(403)["code"],
        "access-code"
    );
    assert_eq!(
        look(&server, &format!("/sign/texts/{}/1?token={sign}", "0".repeat(64))).problem(403)["code"],
        "access-code"
    );
    let values = json!({"values": [{"name": "employer", "value": "x"}], "way": "typed", "text": "x"});
    for (method, path) in [
        ("POST", "/sign/viewed"),
        ("POST", "/sign/consent"),
        ("PUT", "/sign/drafts"),
        ("POST", "/sign/approve"),
        ("POST", "/sign/drawings"),
    ] {
        assert_eq!(
            send(&server, method, path, &sign, &values).problem(403)["code"],
            "access-code",
            "{path}"
        );
    }
    let reason = json!({"comment": "no"});
    assert_eq!(
        send(&server, "POST", "/sign/reject", &sign, &reason).problem(403)["code"],
        "access-code"
    );
    let give = |code: &str| {
        let request = server
            .request("POST", "/sign/access-code", None)
            .header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={sign}&code={code}&lang=en")))
    };
    // A reloaded or restored tab requests the form's URL, and is redirected to the page.
    let again = look(&server, &format!("/sign/access-code?token={sign}"));
    assert!(again.status == 200 && text(&again).contains("birthday"));
    for left in ["4 tries left", "3 tries left", "2 tries left", "1 try left"] {
        let answer = give("000000");
        assert_eq!(answer.status, 422);
        assert!(text(&answer).contains(left), "{left}");
    }
    assert_eq!(give("000000").status, 409);
    // The page is locked, so the correct code no longer works.
    let answer = give("850101");
    assert_eq!(answer.status, 409);
    assert!(text(&answer).contains("This link is locked"));
    // A member who could unlock it without limit could guess the code.
    let links = format!("/api/v3/workflows/{}/links", started["workflow_id"]);
    let renew = server.request("POST", &links, Some(&token));
    server.send(renew.json(&json!({"action": "renew"}))).ok();
    assert_eq!(give("850101").status, 409);
}

/// Returns the newest one-time code that was sent.
fn sent_code(server: &Server, company: &domain::CompanyId) -> String {
    let company = company.clone();
    let messages = server
        .app
        .store
        .read(move |tx| store::outbox::messages(tx, &company, store::outbox::DeliveryId(i64::MAX), 1))
        .expect("the outbox");
    let mail = app::mail::OutgoingMail::open(&messages[0].body, &server.app.vault).expect("a mail");
    assert!(mail.is_secret);
    let digits = mail.text.split(|character: char| !character.is_ascii_digit());
    digits
        .into_iter()
        .find(|digits| digits.len() == 6)
        .expect("a code")
        .to_owned()
}

fn sent_messages(server: &Server, company: &domain::CompanyId) -> usize {
    let company = company.clone();
    let messages = server
        .app
        .store
        .read(move |tx| store::outbox::messages(tx, &company, store::outbox::DeliveryId(i64::MAX), 100));
    messages.expect("the outbox").len()
}

#[test]
fn whether_a_signer_needs_a_one_time_code_is_true_or_false() {
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["recipient_list"][0]["one_time_code"] = json!("yes");
    assert_eq!(
        server.start(&token, &body).problem(422)["errors"][0]["path"],
        "recipient_list[0].one_time_code"
    );
}

fn a_one_time_code_is_sent_by_the_button_alone_and_opens_the_document(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["recipient_list"][0]["one_time_code"] = json!(true);
    let started = server.start(&token, &body).ok();
    let sign = started["token"].as_str().expect("a token").to_owned();
    let address = format!("/mail/sign?token={sign}&lang=en&next_sign=false");
    let sent_messages = || sent_messages(&server, &company);
    // Programs that follow links must not trigger a code.
    for path in [address.as_str(), "/sign/one-time-code/send", "/sign/one-time-code"] {
        for method in ["GET", "HEAD"] {
            let mark = if path.contains('?') { "&" } else { "?" };
            let answer = server.send(server.request(method, &format!("{path}{mark}token={sign}"), None));
            assert_eq!(answer.status, 200, "{method} {path}");
        }
    }
    assert_eq!(sent_messages(), 0);
    let page = look(&server, &address);
    let shown = text(&page);
    assert!(shown.contains("Send me the code") && !shown.contains("<document-page") && !shown.contains("id=\"code\""));
    for path in ["/sign/viewed", "/sign/consent", "/sign/approve"] {
        assert_eq!(
            send(&server, "POST", path, &sign, &json!({"values": []})).problem(403)["code"],
            "one-time-code",
            "{path}"
        );
    }
    // Check the response itself, without following its redirect.
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let post = |path: &str, more: &str| {
        let request = client
            .post(server.address_of(path))
            .header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={sign}&lang=en&next_sign=false{more}")))
    };
    let expired = post("/sign/one-time-code", "&code=123456");
    assert!(expired.status == 422 && text(&expired).contains("no longer works"));
    let sent = post("/sign/one-time-code/send", "");
    assert_eq!(sent.status, 303);
    assert!(sent.header("location").contains("next_sign=false") && sent_messages() == 1);
    let asks = text(&look(&server, &address));
    assert!(asks.contains("autocomplete=\"one-time-code\"") && asks.contains("inputmode=\"numeric\""));
    let again = post("/sign/one-time-code/send", "");
    assert_eq!((again.status, again.header("retry-after")), (429, "60"));
    assert!(text(&again).contains("in 60 seconds") && sent_messages() == 1);
    let code = sent_code(&server, &company);
    let wrong = if code == "000000" { "111111" } else { "000000" };
    let answer = post("/sign/one-time-code", &format!("&code={wrong}"));
    assert_eq!(answer.status, 422);
    assert!(text(&answer).contains("4 tries left") && !text(&answer).contains(wrong));
    let answer = post("/sign/one-time-code", &format!("&code={code}"));
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie").to_owned();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().expect("a pair").to_owned();
    let opened = server.send(server.request("GET", &address, None).header("cookie", pair));
    assert!(text(&opened).contains("<document-page"));
    // Members see that a code was sent, but not the code.
    let listed = server
        .app
        .outbox_messages(&server.app.authenticate(&token).expect("a caller"), None);
    assert!(listed.expect("the outbox").messages[0].text.is_empty());
}
