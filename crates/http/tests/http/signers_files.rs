//! A signer's own link to the finished files: a signer who had to enter a code to sign must enter one to see the
//! result.

use std::sync::OnceLock;

use app::mail::OutgoingMail;
use domain::CompanyId;
use serde_json::{Value, json};
use testkit::database::TestDatabase;

use crate::support::{Answer, BASE, PNG, Server, plain, start_body, token_of_writer, values_of};

testkit::on_both_databases!(
    the_completed_mails_link_of_a_signer_with_an_access_code_asks_for_it,
    wrong_codes_lock_the_files_as_they_lock_the_signing_page,
    a_signer_with_a_one_time_code_is_sent_one_for_the_files,
    the_end_of_the_signing_page_leads_to_the_files_with_the_sessions_proof_alone,
    a_signers_own_link_ends_with_the_other_links_to_the_files,
    a_signers_own_link_opens_no_signing_page,
);

const DAY: i64 = 24 * 60 * 60;
const CODE: &str = "850101";

/// A client that returns the response itself, without following its redirect.
fn client() -> &'static reqwest::Client {
    static CLIENT: OnceLock<reqwest::Client> = OnceLock::new();
    CLIENT.get_or_init(|| {
        reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client")
    })
}

fn look(server: &Server, path: &str, cookie: &str) -> Answer {
    let request = client().get(server.address_of(path)).header("accept-language", "en");
    server.send(request.header("cookie", cookie.to_owned()))
}

fn post(server: &Server, path: &str, form: &str) -> Answer {
    let request = client()
        .post(server.address_of(path))
        .header("accept-language", "en")
        .header("content-type", "application/x-www-form-urlencoded");
    server.send(request.body(form.to_owned()))
}

/// Returns the cookie set by the response, in the form a browser sends back.
fn cookie_of(answer: &Answer) -> String {
    let set = answer.header("set-cookie");
    assert!(set.contains("HttpOnly"), "{set}");
    set.split(';').next().expect("a cookie").to_owned()
}

fn token_in(path: &str) -> &str {
    let rest = path.split_once("token=").expect("a token").1;
    rest.split('&').next().unwrap_or(rest)
}

/// Sends the usual document by mail to two signers and a reader. `of_first` is added to the first signer.
fn started(server: &Server, token: &str, template: i64, of_first: &Value) -> Value {
    let mut body = start_body(template);
    body.as_object_mut().expect("members").remove("export_api_info");
    body["cc_list"] = json!([{"name": "Reader", "email": "reader@example.com"}]);
    for (name, value) in of_first.as_object().expect("members") {
        body["recipient_list"][0][name] = value.clone();
    }
    server.start(token, &body).ok()["workflow_id"].clone()
}

fn completed(server: &Server, token: &str, template: i64, of_first: &Value) -> Value {
    let id = started(server, token, template, of_first);
    for order in [1, 2] {
        server
            .act(token, &id, "approve", &json!({"field_list": values_of(order)}))
            .ok();
    }
    id
}

/// Returns the mail to this address that says the document is complete.
fn completed_mail(server: &Server, to: &str) -> OutgoingMail {
    let mut mails = server.mails();
    mails.retain(|mail| mail.to == to && mail.subject.contains("완료"));
    assert_eq!(mails.len(), 1, "{to}");
    mails.remove(0)
}

/// The paths of the document and the certificate in a mail, in English.
fn paths(mail: &OutgoingMail) -> [String; 2] {
    let path = |place: usize| {
        let url = &mail.links[place].url;
        url.strip_prefix(BASE).expect("ours").replace("lang=ko", "lang=en")
    };
    [path(0), path(1)]
}

fn entered(server: &Server, path: &str, code: &str) -> Answer {
    post(
        server,
        "/sign/access-code?lang=en",
        &format!("token={}&code={code}", token_in(path)),
    )
}

fn renew(server: &Server, token: &str, id: &Value, action: &str) {
    let body = json!({"action": action});
    server
        .post(&format!("/api/v3/workflows/{id}/links"), Some(token), &body)
        .ok();
}

fn the_completed_mails_link_of_a_signer_with_an_access_code_asks_for_it(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let checks = json!({"password": CODE, "password_hint": "birthday"});
    let id = completed(&server, &token, template, &checks);
    let downloads = || {
        let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
        let all = seen["history"].as_array().expect("history").clone();
        let of_kind = all.into_iter().filter(|entry| entry["event"] == "downloaded");
        of_kind.map(|entry| entry["actor_email"].clone()).collect::<Vec<_>>()
    };
    // Links in everyone else's mail open the files directly.
    for to in ["taro@example.com", "owner@example.com", "reader@example.com"] {
        for path in paths(&completed_mail(&server, to)) {
            assert!(look(&server, &path, "").html().contains("/mail/view/pages/"), "{to}");
        }
    }
    let mail = completed_mail(&server, "minjun@example.com");
    assert!(
        mail.text.contains("접근 암호") && mail.text.contains("birthday"),
        "{}",
        mail.text
    );
    assert!(mail.text.contains("받는 분만 사용할 수 있습니다"), "{}", mail.text);
    for path in paths(&mail) {
        let page = look(&server, &path, "");
        let html = page.html();
        assert_eq!(page.status, 200);
        assert!(html.contains("birthday") && html.contains("name=\"code\""), "{html}");
        assert!(
            !html.contains("/mail/view/pages/") && !html.contains("/mail/file"),
            "{html}"
        );
        // A request for the file redirects to the code prompt and returns no PDF.
        let file = format!("/mail/file?token={}&lang=en", token_in(&path));
        let answer = look(&server, &file, "");
        assert_eq!((answer.status, answer.header("location")), (303, path.as_str()));
        assert!(answer.body.is_empty());

        let answer = entered(&server, &path, CODE);
        assert_eq!((answer.status, answer.header("location")), (303, path.as_str()));
        let proof = cookie_of(&answer);
        let html = look(&server, &path, &proof).html();
        let picture = html
            .split('"')
            .find(|part| part.starts_with("/mail/view/pages/"))
            .unwrap_or_else(|| panic!("{html}"));
        for part in [picture.to_owned(), picture.replace("pages", "texts")] {
            assert_eq!(look(&server, &part, &proof).status, 200, "{part}");
            assert_eq!(look(&server, &part, "").problem(403)["code"], "access-code", "{part}");
        }
        let answer = look(&server, &file, &proof);
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/pdf"));
    }
    // The chain names the signer, because they have proved their identity.
    assert_eq!(downloads(), [json!("minjun@example.com"), json!("minjun@example.com")]);
}

fn wrong_codes_lock_the_files_as_they_lock_the_signing_page(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let id = completed(&server, &token, template, &json!({"password": CODE}));
    let [path, certificate] = paths(&completed_mail(&server, "minjun@example.com"));
    for left in ["4 tries left", "3 tries left", "2 tries left", "1 try left"] {
        let answer = entered(&server, &path, "000000");
        let html = answer.html();
        assert!(answer.status == 422 && html.contains(left), "{html}");
        // The language links stay on the file's page.
        assert!(
            html.contains(&format!("/mail/view?token={}", token_in(&path))),
            "{html}"
        );
        assert!(!html.contains("/mail/sign"), "{html}");
    }
    let sign = token_of_writer(&server, &company, &id);
    let signing = format!("/mail/sign?token={sign}&lang=en");
    for answer in [
        entered(&server, &path, "000000"),
        entered(&server, &path, CODE),
        look(&server, &path, ""),
        entered(&server, &certificate, CODE),
        look(&server, &signing, ""),
    ] {
        let html = answer.html();
        assert!(answer.status == 409 && html.contains("renew the links"), "{html}");
        assert_eq!(answer.header("set-cookie"), "");
    }
    let seen = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(seen["history"].to_string().matches("identity_refused").count(), 5);

    // After the sender renews the links, the code can be tried again on the signing page.
    renew(&server, &token, &id, "renew");
    assert_eq!(look(&server, &path, "").status, 410);
    let question = look(&server, &signing, "");
    assert!(question.html().contains("name=\"code\""), "{}", question.html());
    let proof = cookie_of(&entered(&server, &signing, CODE));
    let html = look(&server, &signing, &proof).html();
    let file = html
        .split('"')
        .find(|part| part.contains("/mail/view?"))
        .expect("a way on");
    let file = file.strip_prefix(BASE).expect("ours").to_owned();
    assert!(look(&server, &file, &proof).html().contains("/mail/view/pages/"));
    assert!(look(&server, &file, "").html().contains("name=\"code\""));
}

fn sent_code(server: &Server) -> String {
    let mail = server.mails().into_iter().find(|mail| mail.is_secret).expect("a code");
    let digits = mail.text.split(|character: char| !character.is_ascii_digit());
    let code = digits.into_iter().find(|digits| digits.len() == 6);
    code.expect("a code").to_owned()
}

fn a_signer_with_a_one_time_code_is_sent_one_for_the_files(database: &TestDatabase) {
    let server = Server::with(database, |settings, _| settings.codes_by_mail = true);
    let (_, token, template) = server.with_company("acme");
    completed(&server, &token, template, &json!({"one_time_code": true}));
    let [path, _] = paths(&completed_mail(&server, "minjun@example.com"));
    let form = format!("token={}", token_in(&path));
    let question = look(&server, &path, "").html();
    assert!(question.contains("Send me the code") && !question.contains("/mail/view/pages/"));
    let sent = post(&server, "/sign/one-time-code/send?lang=en", &form);
    assert_eq!((sent.status, sent.header("location")), (303, path.as_str()));
    let code = sent_code(&server);
    let wrong = if code == "000000" { "111111" } else { "000000" };
    let enter = |code: &str| post(&server, "/sign/one-time-code?lang=en", &format!("{form}&code={code}"));
    let answer = enter(wrong);
    assert!(
        answer.status == 422 && answer.html().contains("/mail/view?token="),
        "{}",
        answer.html()
    );
    let answer = enter(&code);
    assert_eq!((answer.status, answer.header("location")), (303, path.as_str()));
    let proof = cookie_of(&answer);
    assert!(look(&server, &path, &proof).html().contains("/mail/view/pages/"));
    let forwarded = look(&server, &path, "").html();
    assert!(forwarded.contains("Send me the code") && !forwarded.contains("/mail/view/pages/"));
    // The proof is valid for twelve hours, as on the signing page.
    server.clock.advance(12 * 60 * 60);
    assert!(look(&server, &path, &proof).html().contains("Send me the code"));
}

fn the_end_of_the_signing_page_leads_to_the_files_with_the_sessions_proof_alone(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    for code in [Some(CODE), None] {
        let mut body = start_body(template);
        body["recipient_list"].as_array_mut().expect("a list").truncate(1);
        if let Some(code) = code {
            body["recipient_list"][0]["password"] = json!(code);
        }
        let sign = server.start(&token, &body).ok()["token"]
            .as_str()
            .expect("a token")
            .to_owned();
        let proof = match code {
            Some(code) => cookie_of(&post(
                &server,
                "/sign/access-code",
                &format!("token={sign}&code={code}"),
            )),
            None => String::new(),
        };
        let request = server
            .request("POST", "/sign/approve", None)
            .header("link-token", sign)
            .header("cookie", proof.clone());
        let done = server.send(request.json(&json!({"values": []}))).ok();
        let file = done["document_url"].as_str().expect("an address");
        let file = file.strip_prefix(BASE).expect("ours");
        assert!(look(&server, file, &proof).html().contains("/mail/view/pages/"));
        let forwarded = look(&server, file, "").html();
        assert_eq!(forwarded.contains("name=\"code\""), code.is_some(), "{forwarded}");
        assert_eq!(forwarded.contains("/mail/view/pages/"), code.is_none(), "{forwarded}");
    }
}

fn a_signers_own_link_ends_with_the_other_links_to_the_files(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let checks = json!({"password": CODE});
    let id = completed(&server, &token, template, &checks);
    let both = paths(&completed_mail(&server, "minjun@example.com"));
    let proof = cookie_of(&entered(&server, &both[0], CODE));
    renew(&server, &token, &id, "revoke");
    let is_gone = |path: &str| {
        for cookie in ["", proof.as_str()] {
            for path in [path.to_owned(), path.replace("/view", "/file")] {
                let answer = look(&server, &path, cookie);
                assert!(
                    answer.status == 410 && answer.html().contains("This link no longer works"),
                    "{path}"
                );
            }
        }
        let answer = entered(&server, path, CODE);
        assert_eq!((answer.status, answer.header("set-cookie")), (410, ""));
    };
    for path in &both {
        is_gone(path);
    }
    let server = Server::new(&TestDatabase::sqlite());
    let (_, token, template) = server.with_company("acme");
    completed(&server, &token, template, &checks);
    let [path, _] = paths(&completed_mail(&server, "minjun@example.com"));
    server.clock.advance(30 * DAY - 1);
    assert_eq!(look(&server, &path, "").status, 200);
    server.clock.advance(1);
    assert_eq!(look(&server, &path, "").status, 410);
    assert_eq!(entered(&server, &path, CODE).status, 410);
}

fn a_signers_own_link_opens_no_signing_page(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template): (CompanyId, String, i64) = server.with_company("acme");
    completed(&server, &token, template, &json!({"password": CODE}));
    for path in paths(&completed_mail(&server, "minjun@example.com")) {
        let link = token_in(&path);
        let proof = cookie_of(&entered(&server, &path, CODE));
        for page in ["/mail/sign", "/mail/preview", "/link", "/api/acme/sign"] {
            assert_eq!(
                look(&server, &format!("{page}?token={link}"), &proof).status,
                404,
                "{page}"
            );
        }
        for act in ["/sign/approve", "/sign/reject", "/sign/files", "/sign/viewed"] {
            let request = server.request("POST", act, None).header("link-token", link.to_owned());
            let body = json!({"values": [], "comment": "x", "name": "sign", "data": PNG});
            let answer = server.send(request.header("cookie", proof.clone()).json(&body));
            assert_eq!(answer.problem(404)["code"], "not-found", "{act}");
        }
    }
}
