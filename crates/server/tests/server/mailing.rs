//! The operator's commands about mails.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::smtp_sink::{SmtpSink, TokenLogin, Trouble};
use testkit::token_endpoint::{CLIENT, CLIENT_SECRET, Grants, TokenEndpoint};

use crate::serving::{get, login, patch, post};
use crate::support::{EMAIL, PASSWORD, Temporary};

fn with_sink(sink: &SmtpSink) -> Temporary {
    Temporary::with_company()
        .with("COUNTERSIGN_MAIL__SMTP__HOST", "127.0.0.1")
        .with("COUNTERSIGN_MAIL__SMTP__PORT", &sink.address().port().to_string())
        .with("COUNTERSIGN_MAIL__SMTP__TLS", "none")
        .with("COUNTERSIGN_MAIL__SMTP__FROM", "sign@example.com")
}

/// A PNG of one pixel.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 13, 10, 26, 10, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0,
    0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T', 0x78, 0xda, 0x63, 0x64, 0xf8, 0xcf, 0x50, 0x0f, 0x00,
    0x03, 0x86, 0x01, 0x80, 0x5a, 0x34, 0x7d, 0x6b, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn a_test_mail_shows_the_servers_own_words_taken_or_refused() {
    let sink = SmtpSink::start();
    let here = with_sink(&sink);
    let said = here.say(&["mail", "test", "--to", "hong@example.com"]);
    assert_eq!(said.code, Some(0), "{}", said.error);
    assert!(
        said.output
            .contains("accepted the mail to hong@example.com: mail taken"),
        "{}",
        said.output
    );

    sink.trouble_next([Trouble::AtRecipient(
        "550 5.7.1 relaying denied, says the server".to_owned(),
    )]);
    let said = here.say(&["mail", "test", "--to", "hong@example.com"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.output.contains("did not accept") && said.output.contains("relaying denied, says the server"),
        "{}",
        said.output
    );
    let said = here.say(&["mail", "test", "--to", "nobody"]);
    assert!(said.error.contains("is not an e-mail address"), "{}", said.error);
    let said = Temporary::new().say(&["mail", "test", "--to", "hong@example.com"]);
    assert!(
        said.code == Some(1) && said.error.contains("mail.smtp.host"),
        "{}",
        said.error
    );
}

#[test]
fn test_mails_of_every_kind_have_the_companys_look() {
    let sink = SmtpSink::start();
    let here = with_sink(&sink);
    let logo = here.file("logo.png", PIXEL);
    let logo = logo.to_str().expect("a path");
    let set = [
        "company",
        "set",
        "acme",
        "--logo",
        logo,
        "--accent",
        "#ffd400",
        "--mail-sender-name",
        "Acme sign",
        "--mail-reply-to",
        "answers@acme.example",
    ];
    let said = here.say(&set);
    assert_eq!(said.code, Some(0), "{}", said.error);
    assert!(
        said.error
            .contains("#ffd400 is hard to read on a light page, so pages show #"),
        "{}",
        said.error
    );
    for kind in [
        "request",
        "reminder",
        "returned",
        "completed",
        "rejected",
        "canceled",
        "expired",
        "code",
        "undelivered",
        "stopped",
    ] {
        let test = [
            "mail",
            "test",
            "--to",
            "hong@example.com",
            "--kind",
            kind,
            "--lang",
            "ja",
            "--company",
            "acme",
        ];
        assert_eq!(here.json(&test, "")["taken"], true, "{kind}");
    }
    let mails = sink.mails();
    assert_eq!(mails.len(), 10);
    let last = mails.last().expect("a mail");
    assert_eq!(last.header("Reply-To").as_deref(), Some("answers@acme.example"));
    assert!(
        last.header("From").is_some_and(|from| from.contains("Acme sign")),
        "{:?}",
        last.header("From")
    );
    assert!(last.data.contains("Content-ID: <logo@countersign>"));
}

/// Returns the delivery report of a server that does not know the recipient.
fn bounce_of(mail: &str) -> String {
    format!(
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
         --b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.com\r\n\r\n\
         Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 nobody of this name\r\n\r\n\
         --b\r\nContent-Type: message/rfc822\r\n\r\n{mail}\r\n--b--\r\n"
    )
}

#[test]
fn a_mail_that_comes_back_later_is_shown_at_its_workflow_with_the_other_servers_words() {
    let sink = SmtpSink::start();
    let here = with_sink(&sink);
    let template = testkit::contract::import(&here, "acme");
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, PASSWORD);
    let start = json!({
        "workflow_name": "근로계약서", "template_id": template,
        "recipient_list": [
            {"order": 1, "name": "김사장", "email": "employer@example.com"},
            {"order": 2, "name": "이직원", "email": "employee@example.com"},
        ],
    });
    let (status, started) = post(
        &format!("{}/api/v3/workflows/start", server.address),
        Some(&token),
        &start,
    );
    assert_eq!(status, 200, "{started}");
    let workflow = format!("{}/api/v3/workflows/{}", server.address, started["workflow_id"]);
    let shown = || -> Value { serde_json::from_slice(&get(&workflow, Some(&token)).1).expect("JSON") };
    let began = Instant::now();
    while shown()["message_list"][0]["status"] != "delivered" {
        assert!(began.elapsed() < Duration::from_mins(1), "{}", shown());
    }
    let mail = sink.mails().pop().expect("a mail");
    let report = bounce_of(&mail.data);
    assert_eq!(here.json(&["mail", "bounced"], &report)["recorded"], true);
    let now = shown();
    let message = &now["message_list"][0];
    assert_eq!(
        (&message["status"], &message["code"], &message["failure"]),
        (&json!("dead"), &json!(550), &json!("550 5.1.1 nobody of this name"))
    );
    assert_eq!(now["history"].to_string().matches("undelivered").count(), 1, "{now}");
    // The same report again, and something that is not a report, notify nobody again. Nothing is returned to the mail
    // server.
    for other in [report.as_str(), "Subject: hello\r\n\r\nhello"] {
        assert_eq!(here.json(&["mail", "bounced"], other)["recorded"], false);
    }
    assert_eq!(shown()["history"], now["history"]);
    // Reminds the signer at the same address, then at others, of which the server accepts one.
    let asked = |states: &[&str]| {
        let began = Instant::now();
        loop {
            let list = shown()["message_list"].clone();
            let mut now: Vec<&str> = list
                .as_array()
                .into_iter()
                .flatten()
                // Leaves out the mails to the sender about the others.
                .filter(|message| message["email"] != EMAIL)
                .filter_map(|message| message["status"].as_str())
                .collect();
            now.sort_unstable();
            if now == states {
                return;
            }
            assert!(began.elapsed() < Duration::from_mins(1), "{states:?}: {list}");
        }
    };
    let (status, answer) = post(&format!("{workflow}/remind"), Some(&token), &json!({}));
    assert_eq!(status, 200, "{answer}");
    asked(&["dead", "delivered"]);
    let correct = |email: &str| {
        let address = format!("{workflow}/recipients/1");
        let (status, answer) = patch(&address, Some(&token), &json!({"email": email}));
        assert_eq!(status, 200, "{answer}");
    };
    // Waits for the request, the mail to the sender about its return, and the reminder, because the next mail is the
    // refused one.
    sink.wait_for(3);
    sink.trouble_next([Trouble::AtRecipient("550 5.1.1 nobody of this name".to_owned())]);
    correct("wrong@example.com");
    asked(&["dead", "dead", "delivered"]);
    correct("right@example.com");
    asked(&["dead", "dead", "delivered", "delivered"]);
    let mails = sink.mails();
    let receivers = mails.iter().filter_map(|mail| mail.header("To"));
    assert_eq!(receivers.filter(|to| to.contains("right@example.com")).count(), 1);
}

#[test]
fn the_sender_and_the_operator_learn_of_a_mail_that_reaches_nobody() {
    let sink = SmtpSink::start();
    let here = with_sink(&sink);
    here.run(&["company", "set", "acme", "--language", "en"], "");
    let template = testkit::contract::import(&here, "acme");
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, PASSWORD);
    let start = json!({
        "workflow_name": "Lease", "template_id": template, "lang": "ko",
        "recipient_list": [
            {"order": 1, "name": "Ann", "email": "ann@example.com"},
            {"order": 2, "name": "Bob", "email": "bob@example.com"},
        ],
    });
    sink.trouble_next([Trouble::AtRecipient("550 5.1.1 nobody of this name".to_owned())]);
    let url = format!("{}/api/v3/workflows/start", server.address);
    let (status, started) = post(&url, Some(&token), &start);
    assert_eq!(status, 200, "{started}");
    let mails = sink.wait_for(1);
    assert_eq!(mails[0].to, [EMAIL]);
    let subject = mails[0].header("Subject").expect("a subject");
    assert!(subject.contains("Not delivered: Lease"), "{subject}");
    let text = &mails[0].data;
    assert!(
        text.contains("ann@example.com") && text.contains("nobody of this name"),
        "{text}"
    );
    assert!(
        text.contains("/outbox?show=3Dfailed") || text.contains("/outbox?show=failed"),
        "{text}"
    );

    let report = here.json(&["doctor"], "");
    let found = report["checks"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|check| check["check"] == "messages");
    let detail = found.expect("a finding")["detail"].as_str().expect("a text").to_owned();
    assert!(
        detail.starts_with("1 mails or text messages of company acme"),
        "{report}"
    );
    // A notification about an undeliverable mail to the sender could not reach the sender either.
    assert_eq!(sink.mails().len(), 1);
}

#[test]
fn a_look_is_set_shown_and_taken_away_and_a_bad_one_is_refused_with_the_remedy() {
    let here = Temporary::with_company();
    let logo = here.file("logo.png", PIXEL);
    let set = here.json(
        &[
            "company",
            "set",
            "acme",
            "--logo",
            logo.to_str().expect("a path"),
            "--accent",
            "#2450A4",
            "--completed-mails",
            "sender,copies",
            "--remind-every",
            "3",
            "--remind-before",
            "2",
        ],
        "",
    );
    assert_eq!(
        (&set["accent"], &set["accent_shown"]["changed"]),
        (&"#2450a4".into(), &false.into()),
        "{set}"
    );
    assert_eq!(
        (&set["logo"]["width"], &set["completed_mails"]),
        (&1.into(), &"copies,sender".into()),
        "{set}"
    );
    assert_eq!(
        (&set["remind_every_days"], &set["remind_before_days"]),
        (&3.into(), &2.into())
    );
    let set = here.json(
        &[
            "company",
            "set",
            "acme",
            "--no-logo",
            "--no-accent",
            "--remind-every",
            "never",
        ],
        "",
    );
    assert!(
        set["logo"].is_null() && set["accent"].is_null() && set["remind_every_days"].is_null(),
        "{set}"
    );
    assert_eq!(set["remind_before_days"], 2);
    let drawing = here.file("logo.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>");
    let said = here.say(&["company", "set", "acme", "--logo", drawing.to_str().expect("a path")]);
    assert!(
        said.code == Some(1) && said.error.contains("neither PNG nor JPEG; save it as one of them"),
        "{}",
        said.error
    );
    for wrong in [
        ["--accent", "red"],
        ["--accent", "#12345"],
        ["--completed-mails", "all"],
        ["--remind-every", "soon"],
    ] {
        assert_eq!(
            here.say(&["company", "set", "acme", wrong[0], wrong[1]]).code,
            Some(2),
            "{wrong:?}"
        );
    }
}

#[test]
fn a_broken_mail_template_is_named_by_doctor_and_the_server_does_not_start_with_it() {
    let here = Temporary::with_company();
    let folder = here.path("templates");
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("request.ko.txt"), "안녕하세요\n{{ documnt }}").expect("a template");
    fs::write(folder.join("reqest.ko.html"), "x").expect("a template");
    let here = here.with("COUNTERSIGN_MAIL__TEMPLATES_FOLDER", folder.to_str().expect("a path"));
    for command in ["doctor", "serve"] {
        let said = here.say(&[command]);
        assert_eq!(said.code, Some(1), "{command}");
        let all = format!("{}{}", said.output, said.error);
        assert!(
            all.contains("request.ko.txt, line 2: there is no variable documnt; you can use accent, "),
            "{all}"
        );
        assert!(all.contains("reqest.ko.html: no mail has this name"), "{all}");
    }
    // Everything unrelated to mails still works.
    assert_eq!(here.say(&["company", "list"]).code, Some(0));
    fs::write(folder.join("request.ko.txt"), "안녕하세요\n{{ document }}").expect("a template");
    fs::remove_file(folder.join("reqest.ko.html")).expect("gone");
    let report = here.json(&["doctor"], "");
    assert_eq!(report["healthy"], true, "{report}");
    assert!(report.to_string().contains("1 built-in ones replaced"), "{report}");
}

#[test]
fn doctor_and_the_test_mail_say_what_is_wrong_with_access_tokens() {
    let sink = SmtpSink::start_with_tokens(TokenLogin {
        mechanisms: "LOGIN XOAUTH2",
        user: "sign@contoso.example",
        explains: false,
    });
    let endpoint = TokenEndpoint::start(Grants {
        refresh_token: None,
        rotates: false,
        expires_in: 3_600,
    });
    let here = with_sink(&sink);
    let secret = here.file("client-secret", format!("{CLIENT_SECRET}\n").as_bytes());
    let here = here
        .with("COUNTERSIGN_MAIL__SMTP__USER", "sign@contoso.example")
        .with("COUNTERSIGN_MAIL__SMTP__OAUTH__TOKEN_URL", &endpoint.url())
        .with("COUNTERSIGN_MAIL__SMTP__OAUTH__CLIENT_ID", CLIENT)
        .with(
            "COUNTERSIGN_MAIL__SMTP__OAUTH__CLIENT_SECRET_FILE",
            secret.to_str().expect("a path"),
        );
    let checked = || {
        let said = here.say(&["doctor", "--json"]);
        let report: Value = serde_json::from_str(&said.output).expect("JSON");
        let checks = report["checks"].as_array().cloned().unwrap_or_default();
        let mail = checks
            .into_iter()
            .find(|check| check["check"] == "mail")
            .expect("a finding");
        let text = |member: &str| mail[member].as_str().unwrap_or_default().to_owned();
        (text("state"), text("detail"))
    };
    endpoint.refuse_next("invalid_client", &format!("secret {CLIENT_SECRET} is expired"));
    let (state, detail) = checked();
    assert_ne!(state, "good");
    assert!(detail.contains("client secrets expire"), "{detail}");
    assert!(!detail.contains(CLIENT_SECRET), "{detail}");
    let (_, detail) = checked();
    assert!(
        detail.contains("does not accept the access token for sign@contoso.example"),
        "{detail}"
    );
    sink.accept(&["token-3", "token-4"]);
    assert!(checked().1.contains("answers"), "{:?}", checked());
    sink.accept(&["token-5", "token-6"]);
    let said = here.say(&["mail", "test", "--to", "hong@example.com"]);
    assert_eq!(said.code, Some(0), "{} {}", said.output, said.error);
    assert_eq!(sink.mails().len(), 1);
}
