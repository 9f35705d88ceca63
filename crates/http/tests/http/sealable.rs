//! A document that could not be sealed at its end is refused at its start. The reason is shown only to people who can
//! fix it.

use document::pki::authority::{SealSubject, create_root, issue_seal_certificate};
use document::pki::keys::{KeyKind, Signer, certificates_to_pem};
use domain::{CompanyId, Language, Role, Zone, time};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::operator::operator;

use crate::support::{Answer, Server, TokenState, plain, redacted, start_body, token_of_writer, values_of};

testkit::on_both_databases!(
    a_start_that_would_outlive_its_seal_certificate_is_refused,
    a_document_that_never_expires_says_so_everywhere,
    more_time_than_the_seal_certificate_has_is_refused,
    a_company_whose_certificate_expired_starts_nothing_and_the_others_work,
    a_wrong_pin_stops_the_starts_of_its_company_alone,
    a_token_that_is_away_is_asked_again_when_it_returns,
    signers_read_nothing_of_keys_and_certificates,
    visitors_of_public_links_read_nothing_of_keys,
    owners_are_warned_once_for_each_of_the_days_before_the_end,
    no_answer_behind_a_link_names_an_operator,
);

/// Words from texts meant for senders and operators.
const OPERATORS_WORDS: [&str; 14] = [
    "operator",
    "certificate",
    "seal key",
    "token",
    "PIN",
    "countersign",
    "운영자",
    "인증서",
    "봉인",
    "토큰",
    "運用",
    "証明書",
    "封印",
    "トークン",
];

/// Sends the same request in every language. Returns status, `Retry-After`, code and detail of each response.
fn in_every_language(ask: impl Fn(&str) -> Answer) -> Vec<(u16, String, String, String)> {
    let read = |language: Language| {
        let answer = ask(language.code());
        let problem = answer.problem(answer.status);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let fault = &problem["errors"][0];
        let (code, said) = if fault.is_object() {
            (
                format!("{}: {}", text(&fault["path"]), text(&fault["code"])),
                text(&fault["message"]),
            )
        } else {
            (text(&problem["code"]), text(&problem["detail"]))
        };
        (answer.status, answer.header("retry-after").to_owned(), code, said)
    };
    [Language::En, Language::Ko, Language::Ja].map(read).into()
}

/// The expected result of [`in_every_language`].
fn answers(status: u16, retry_after: &str, code: &str, texts: [&str; 3]) -> Vec<(u16, String, String, String)> {
    texts
        .map(|text| (status, retry_after.to_owned(), code.to_owned(), text.to_owned()))
        .into()
}

fn start_in(server: &Server, token: &str, language: &str, body: &Value) -> Answer {
    server.post(&format!("/api/v3/workflows/start?lang={language}"), Some(token), body)
}

fn end_of(server: &Server, company: &CompanyId) -> Timestamp {
    server
        .app
        .seal_key_details(&operator(&server.app, company))
        .expect("a key")
        .not_after
}

fn date(at: Timestamp) -> String {
    time::format_local(at, Zone::SEOUL)
}

/// Makes the company seal with the key in the token.
fn with_token_key(server: &Server, company: &CompanyId) {
    let now = server.app.now();
    let root = create_root("Authority of others", KeyKind::EcdsaP256, now).expect("a root");
    let subject = SealSubject {
        company_name: "Token Ltd",
        company_id: company.as_str(),
        revocation_list: None,
    };
    let key = issue_seal_certificate(&root, &subject, KeyKind::EcdsaP256, now).expect("a certificate");
    let mut chain = key.certificates().to_vec();
    if chain.len() == 1 {
        chain.extend(root.certificates().to_vec());
    }
    server.token.hold(key);
    server
        .app
        .use_token_key(
            &operator(&server.app, company),
            "pkcs11:token=T;object=K",
            &certificates_to_pem(&chain),
        )
        .expect("a key to seal with");
}

fn a_start_that_would_outlive_its_seal_certificate_is_refused(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let template = server.template(&company, &plain(1, "end"));
    let end = end_of(&server, &company);
    let token = server.token("acme", "owner@example.com");
    let body = |expiry: &str| {
        let mut body = start_body(template);
        body["recipient_list"].as_array_mut().expect("a list").truncate(1);
        body["expiry_date"] = json!(expiry);
        body
    };
    let refused = |token: &str, body: &Value| in_every_language(|language| start_in(&server, token, language, body));
    let said = time::format_with_zone(end, Zone::SEOUL);
    let expected = answers(
        422,
        "",
        "expiry_date: seal-ends-before",
        [
            &format!(
                "The company’s seal certificate expires on {said}, before this document would. Choose an earlier expiry \
                 date, or ask the operator to renew the seal key."
            ),
            &format!(
                "회사의 봉인 인증서가 이 문서의 기한보다 먼저 만료됩니다({said}). 기한을 앞당기거나 운영자에게 봉인 키 갱신을 \
                 요청해 주세요."
            ),
            &format!(
                "会社の封印証明書の有効期限（{said}）は、この文書の期限より前です。期限を早めるか、運用担当者に封印鍵の更新を\
                 依頼してください。"
            ),
        ],
    );
    assert_eq!(refused(&token, &body(&date(end + 1.second()))), expected);
    // All other faults are named in the same response.
    let mut wrong = body(&date(end + 1.second()));
    wrong["workflow_name"] = json!("");
    assert_eq!(
        server.start(&token, &wrong).faults(),
        [
            ("expiry_date".to_owned(), "seal-ends-before".to_owned()),
            ("workflow_name".to_owned(), "required".to_owned())
        ]
    );
    server.start(&token, &body(&date(end))).ok();
    // The company's default number of days also counts.
    server.clock.set(end - (5 * 24).hours());
    let token = server.token("acme", "owner@example.com");
    let mut silent = body("");
    silent.as_object_mut().expect("members").remove("expiry_date");
    assert_eq!(refused(&token, &silent), expected);
    // A document that never expires must also meet this number of days.
    assert_eq!(refused(&token, &body("9999-12-31 23:59:59")), expected);
    server.start(&token, &body(&date(end - 1.hour()))).ok();
    // A new key has a new expiry date.
    server
        .app
        .renew_seal_key(&operator(&server.app, &company), KeyKind::EcdsaP256, None)
        .expect("renewed");
    server.start(&token, &silent).ok();
}

fn a_document_that_never_expires_says_so_everywhere(database: &TestDatabase) {
    let server = Server::new(database);
    let (_, token, template) = server.with_company("acme");
    let mut body = start_body(template);
    body["expiry_date"] = json!("9999-12-31 23:59:59");
    let started = server.start(&token, &body).ok();
    let id = &started["workflow_id"];
    let expiry = |answer: &Value| answer["expiry_date"].as_str().expect("a date").to_owned();
    let kept = server.get(&format!("/api/v3/workflows/{id}"), &token).ok();
    assert_eq!(expiry(&kept), "9999-12-31 23:59:59 (UTC+09:00)");
    let list = server.get("/api/v3/workflows", &token).ok();
    assert_eq!(expiry(&list["workflow_list"][0]), "9999-12-31 23:59:59 (UTC+09:00)");
    let address = started["sign_url"].as_str().expect("embedded");
    let page = server
        .get(&address[address.find("/mail/").expect("a path")..], &token)
        .html();
    assert!(!page.contains("기한:"), "{page}");
    // The document gets an expiry date, and loses it again.
    let extend = |to: &str| {
        let path = format!("/api/v3/workflows/{id}/extend");
        expiry(&server.post(&path, Some(&token), &json!({"expiry_date": to})).ok())
    };
    assert_eq!(extend("2027-01-31"), "2027-01-31 23:59:59 (UTC+09:00)");
    assert_eq!(extend("9999-12-31"), "9999-12-31 23:59:59 (UTC+09:00)");
    let report = server.app.audit_verify().expect("a report");
    assert!(report.is_clean(), "{report:?}");
}

fn more_time_than_the_seal_certificate_has_is_refused(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, _, template) = server.with_company("acme");
    let end = end_of(&server, &company);
    server.clock.set(end - (20 * 24).hours());
    let token = server.token("acme", "owner@example.com");
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    let extend = |language: &str, to: Timestamp| {
        let path = format!("/api/v3/workflows/{id}/extend?lang={language}");
        server.post(&path, Some(&token), &json!({"expiry_date": date(to)}))
    };
    let refused = in_every_language(|language| extend(language, end + 1.second()));
    for (status, _, code, said) in &refused {
        assert_eq!((*status, code.as_str()), (422, "expiry_date: seal-ends-before"));
        assert!(said.contains(&time::format_with_zone(end, Zone::SEOUL)), "{said}");
    }
    extend("en", end).ok();
    extend("en", end - 1.hour()).ok();
}

fn a_company_whose_certificate_expired_starts_nothing_and_the_others_work(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, _, template) = server.with_company("acme");
    let (other, _, other_template) = server.with_company("other");
    let end = end_of(&server, &company);
    server.clock.set(end + 1.second());
    server
        .app
        .renew_seal_key(&operator(&server.app, &other), KeyKind::EcdsaP256, None)
        .expect("renewed");
    // The server starts, and names the company that cannot seal.
    let unusable = server.app.prove_sealing().expect("the server starts");
    let unusable: Vec<_> = unusable
        .iter()
        .map(|(company, error)| (company.as_str(), error.id()))
        .collect();
    assert_eq!(unusable, [("acme", "seal-certificate-expired")]);

    let token = server.token("acme", "owner@example.com");
    let refused = in_every_language(|language| start_in(&server, &token, language, &start_body(template)));
    let said = time::format_with_zone(end, Zone::UTC);
    let expected = answers(
        422,
        "",
        "seal-certificate-expired",
        [
            &format!(
                "The company’s seal certificate expired on {said}, so its documents cannot be sealed. Ask the operator to renew \
                 the seal key or import a new one."
            ),
            &format!(
                "회사의 봉인 인증서가 {said}에 만료되어 문서를 봉인할 수 없습니다. 운영자에게 봉인 키를 갱신하거나 새 키를 \
                 가져오도록 요청해 주세요."
            ),
            &format!(
                "会社の封印証明書は {said} に有効期限が切れたため、文書を封印できません。運用担当者に封印鍵の更新または新しい鍵の\
                 インポートを依頼してください。"
            ),
        ],
    );
    assert_eq!(refused, expected);
    let token = server.token("other", "owner@example.com");
    server.start(&token, &start_body(other_template)).ok();
}

fn a_wrong_pin_stops_the_starts_of_its_company_alone(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    let (_, others_token, others_template) = server.with_company("other");
    with_token_key(&server, &company);
    server.start(&token, &start_body(template)).ok();
    server.token.is(TokenState::WrongPin);
    let refused = in_every_language(|language| start_in(&server, &token, language, &start_body(template)));
    let expected = answers(
        422,
        "",
        "seal-key-pin-refused",
        [
            "The token that contains the company’s seal key refused the PIN. Ask the operator to correct the PIN and restart \
             the service.",
            "회사의 봉인 키가 있는 토큰이 PIN을 거부했습니다. 운영자에게 PIN을 바로잡고 서비스를 다시 시작하도록 요청해 주세요.",
            "会社の封印鍵が入ったトークンが PIN を受け付けませんでした。運用担当者に PIN を修正してサービスを再起動するよう\
             依頼してください。",
        ],
    );
    assert_eq!(refused, expected);
    server.start(&others_token, &start_body(others_template)).ok();
    let unusable = server.app.prove_sealing().expect("the server starts");
    assert_eq!(unusable.len(), 1);
}

fn a_token_that_is_away_is_asked_again_when_it_returns(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, template) = server.with_company("acme");
    with_token_key(&server, &company);
    let id = server.start(&token, &start_body(template)).ok()["workflow_id"].clone();
    server
        .act(&token, &id, "approve", &json!({"field_list": values_of(1)}))
        .ok();
    server.token.is(TokenState::Away);
    let expected = answers(
        503,
        "30",
        "seal-token-away",
        [
            "The token that contains the company’s seal key is not connected. Ask the operator to connect it, and try again in \
             30 seconds.",
            "회사의 봉인 키가 있는 토큰이 연결되어 있지 않습니다. 운영자에게 토큰 연결을 요청하고 30초 후에 다시 시도해 주세요.",
            "会社の封印鍵が入ったトークンが接続されていません。運用担当者にトークンの接続を依頼し、30 秒後にもう一度お試し\
             ください。",
        ],
    );
    let start = |language: &str| start_in(&server, &token, language, &start_body(template));
    assert_eq!(in_every_language(start), expected);
    let last = |language: &str| {
        let path = format!("/api/v3/workflows/{id}/approve?lang={language}");
        server.post(&path, Some(&token), &json!({"order": 2, "field_list": values_of(2)}))
    };
    assert_eq!(in_every_language(last), expected);
    server.token.is(TokenState::There);
    start("en").ok();
    assert_eq!(last("en").ok()["status"], "Complete");
}

fn send(server: &Server, path: &str, token: &str, language: &str, body: &Value) -> Answer {
    let request = server.request("POST", path, None);
    let request = request.header("link-token", token).header("accept-language", language);
    server.send(request.json(body))
}

fn signers_read_nothing_of_keys_and_certificates(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &plain(1, "end"));
    with_token_key(&server, &company);
    let mut body = start_body(template);
    body["recipient_list"].as_array_mut().expect("a list").truncate(1);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let link = token_of_writer(&server, &company, &id);
    send(&server, "/sign/consent", &link, "en", &json!({}));
    let approve = |link: &str, language: &str| {
        let values = json!({"values": [{"name": "text1", "value": "yes"}]});
        send(&server, "/sign/approve", link, language, &values)
    };
    let texts = |wait: [&str; 3]| {
        [
            format!(
                "The document cannot be completed right now. Your entries are saved. Try again in {}, or contact the sender.",
                wait[0]
            ),
            format!(
                "지금은 문서를 완료할 수 없습니다. 입력하신 내용은 저장되어 있습니다. {} 후에 다시 시도하거나 보낸 사람에게 문의해 주세요.",
                wait[1]
            ),
            format!(
                "現在、文書を完了できません。入力内容は保存されています。{}後にもう一度試すか、送信者にお問い合わせください。",
                wait[2]
            ),
        ]
    };
    for (state, retry_after, wait) in [
        (TokenState::Away, "30", ["30 seconds", "30초", "30 秒"]),
        (TokenState::WrongPin, "300", ["5 minutes", "5분", "5 分"]),
    ] {
        server.token.is(state);
        let texts = texts(wait);
        assert_eq!(
            in_every_language(|language| approve(&link, language)),
            answers(
                503,
                retry_after,
                "cannot-complete",
                texts.each_ref().map(String::as_str)
            ),
            "{state:?}"
        );
    }
    server.token.is(TokenState::There);
    assert_eq!(approve(&link, "en").ok()["status"], "Complete");
}

fn visitors_of_public_links_read_nothing_of_keys(database: &TestDatabase) {
    let server = Server::new(database);
    let (company, token, _) = server.with_company("acme");
    let template = server.template(&company, &plain(1, "end"));
    with_token_key(&server, &company);
    let link = json!({"workflow_name": "Form", "template_id": template, "recipient_list": []});
    let made = server.post("/api/v3/link/start", Some(&token), &link).ok();
    let address = made["link_url"].as_str().expect("an address");
    let link_token = address.split_once("token=").expect("a token").1;
    let link_token = link_token.split('&').next().expect("a token");
    let visit = |language: &str| {
        let request = server.request("POST", &format!("/link?lang={language}"), None);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        server.send(request.body(format!("token={link_token}&name=Ann&contact=ann%40example.com&agree=1")))
    };
    for (state, status) in [(TokenState::Away, 503), (TokenState::WrongPin, 410)] {
        server.token.is(state);
        for language in Language::ALL {
            let answer = visit(language.code());
            assert_eq!(answer.status, status, "{state:?} {}", answer.html());
            let shown = redacted(&answer.html());
            let body = shown.split("<main").nth(1).expect("a page");
            for word in OPERATORS_WORDS
                .iter()
                .filter(|word| !["token", "countersign"].contains(*word))
            {
                assert!(!body.contains(word), "{word}: {body}");
            }
        }
    }
    server.token.is(TokenState::There);
    assert!(visit("en").status < 400);
}

fn owners_are_warned_once_for_each_of_the_days_before_the_end(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    server.member(&company, "second@example.com", Role::Owner);
    server.member(&company, "admin@example.com", Role::Admin);
    server.member(&company, "sender@example.com", Role::Sender);
    let end = end_of(&server, &company);
    let warn = || {
        server.app.warn_of_seal_ends().expect("a round");
        let mails = server.mails();
        server.drain();
        mails.len()
    };
    let warned = |days: i64| {
        server.clock.set(end - (days * 24).hours());
        let before = server.mails().len();
        let after = warn();
        assert_eq!(warn(), after, "once");
        after - before
    };
    let mails: Vec<usize> = [100, 61, 60, 59, 31, 30, 20, 8, 7, 6, 1].map(warned).into();
    assert_eq!(mails, [0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0]);
    let newest = server.mails().swap_remove(0);
    assert_eq!(newest.subject, "[acme Ltd] 봉인 인증서가 7일 후 만료됩니다");
    assert!(newest.text.contains("운영자"), "{}", newest.text);
    let mut to: Vec<_> = server.mails().into_iter().map(|mail| mail.to).collect();
    to.sort();
    to.dedup();
    assert_eq!(to, ["owner@example.com", "second@example.com"]);

    // Every member sees the warning next to the messages.
    let page = |language: &str| {
        let member = server.sign_in("acme", "sender@example.com");
        let request = server.request("GET", &format!("/outbox?lang={language}"), None);
        server.send(request.header("cookie", member.cookie)).html()
    };
    for (language, words) in [
        ("en", "The certificate that seals your documents expires on "),
        ("ko", "문서를 봉인하는 인증서가 "),
        ("ja", "文書を封印する証明書の有効期限は "),
    ] {
        assert!(page(language).contains(words), "{}", page(language));
    }
    let ends = server.app.seal_ends().expect("the ends");
    assert_eq!(ends.len(), 1);
    assert!(ends[0].is_renewable && ends[0].at == end);
    server.clock.set(end + 1.second());
    assert_eq!(warn(), 6, "no warning of what is over");
    assert!(page("en").contains("The certificate that seals your documents expired on "));
    server
        .app
        .renew_seal_key(&operator(&server.app, &company), KeyKind::EcdsaP256, None)
        .expect("renewed");
    assert!(!page("en").contains("certificate that seals"));
    assert_eq!(warn(), 6);
    // Warnings are sent for the new key, too. After missed warnings, only one is sent.
    let end = end_of(&server, &company);
    server.clock.set(end - (3 * 24).hours());
    assert_eq!(warn(), 8);
    assert_eq!(server.mails()[0].subject, "[acme Ltd] 봉인 인증서가 3일 후 만료됩니다");
}

/// A file of the document is missing, which only the operator can fix.
fn no_answer_behind_a_link_names_an_operator(database: &TestDatabase) {
    let server = Server::new(database);
    let company = server.company("acme");
    let token = server.token("acme", "owner@example.com");
    let template = server.template(&company, &plain(1, "end"));
    let mut body = start_body(template);
    body["recipient_list"].as_array_mut().expect("a list").truncate(1);
    let id = server.start(&token, &body).ok()["workflow_id"].clone();
    let link = token_of_writer(&server, &company, &id);
    send(&server, "/sign/consent", &link, "en", &json!({}));
    for file in server.app.blobs.list().expect("the files") {
        server.app.blobs.delete(&file.hash).expect("deleted");
    }
    let values = json!({"values": [{"name": "text1", "value": "yes"}]});
    let found = in_every_language(|language| send(&server, "/sign/approve", &link, language, &values));
    for (status, _, code, said) in found {
        assert_eq!((status, code.as_str()), (500, "file-lost"));
        for word in OPERATORS_WORDS {
            assert!(!said.contains(word), "{word}: {said}");
        }
    }
}
