//! A gateway for text messages, configured and tested by an operator.

use serde_json::{Value, json};
use testkit::receiver::{Answer, Receiver};

use crate::serving::{login, post};
use crate::support::{EMAIL, FIELDS, PASSWORD, Temporary, pdf};

const SECRET: &str = "0123456789";

/// Accepts requests with the described address and authorization, except for one number.
fn gateway() -> Receiver {
    Receiver::answering(|request| {
        let body = request.json();
        let (status, answer) = if request.header("authorization") != format!("Bearer {SECRET}") {
            (401, json!({"error": {"message": format!("who is {SECRET}?")}}))
        } else if body["to"] == "+821000000000" {
            (
                400,
                json!({"error": {"code": "E7", "message": "수신번호가 잘못되었습니다"}}),
            )
        } else {
            (200, json!({"state": "ok", "id": 4711}))
        };
        Answer::Plain {
            status,
            headers: Vec::new(),
            body: answer.to_string().into_bytes(),
        }
    })
}

fn with_gateway(here: Temporary, gateway: &Receiver) -> Temporary {
    let setting = |key: &str| format!("COUNTERSIGN_MESSENGER__HOUSE__{key}");
    [
        ("ADDRESS", gateway.url("").as_str()),
        ("PATH", "/v1/messages"),
        ("ALLOW_PRIVATE", "true"),
        ("SECRET", SECRET),
        ("COUNTRIES", "[\"+82\"]"),
        ("HEADERS__AUTHORIZATION", "Bearer {{ secret }}"),
        (
            "BODY",
            r#"{"to": "{{ to }}", "text": "{{ text }}", "kind": "{{ kind }}"}"#,
        ),
        ("ANSWER__SUCCESS_AT", "/state"),
        ("ANSWER__SUCCESS_IS", "[\"ok\"]"),
        ("ANSWER__ID_AT", "[\"/id\"]"),
        ("ANSWER__CODE_AT", "[\"/error/code\"]"),
        ("ANSWER__WORDS_AT", "[\"/error/message\"]"),
    ]
    .into_iter()
    .fold(here, |here, (key, value)| here.with(&setting(key), value))
}

#[test]
fn a_recipient_with_a_phone_number_is_asked_and_notified_through_the_configured_gateway() {
    let gateway = gateway();
    let here = with_gateway(Temporary::with_company(), &gateway);
    let (file, fields) = (here.file("a.pdf", &pdf()), here.file("fields.json", FIELDS.as_bytes()));
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    let imported = here.run(
        &["template", "import", "--company", "acme", file, "--fields", fields],
        "",
    );
    let template: i64 = imported.trim().parse().expect("the id alone");
    let server = here.serve();
    let address = &server.address;
    let token = login(address, "acme", EMAIL, PASSWORD);
    let start = json!({
        "workflow_name": "근로계약서", "template_id": template,
        "recipient_list": [{"order": 1, "name": "김민준", "email": "010-1234-5678"}],
    });
    let (status, started) = post(&format!("{address}/api/v3/workflows/start"), Some(&token), &start);
    assert_eq!(status, 200, "{started}");
    let asked = gateway.wait_for(1)[0].json();
    assert_eq!(
        (&asked["to"], &asked["kind"]),
        (&json!("+821012345678"), &json!("request"))
    );
    let text = asked["text"].as_str().expect("a text");
    assert!(
        text.contains("근로계약서") && text.contains(&format!("{address}/mail/sign?token=")),
        "{text}"
    );
    assert!(!text.contains("김민준"), "the telephone may lie on a table: {text}");
    let workflow = format!("{address}/api/v3/workflows/{}", started["workflow_id"]);
    let approval = json!({"order": 1, "field_list": [{"name": "name", "value": "김민준"}]});
    let (status, approved) = post(&format!("{workflow}/approve"), Some(&token), &approval);
    assert_eq!(status, 200, "{approved}");
    assert_eq!(gateway.wait_for(2)[1].json()["kind"], "completed");
}

#[test]
fn a_gateway_is_checked_listed_and_tried() {
    let bare = Temporary::with_company();
    let said = bare.say(&["messenger", "test", "--to", "010-1234-5678"]);
    assert!(
        said.code == Some(1) && said.error.contains("no gateway"),
        "{}",
        said.error
    );

    let gateway = gateway();
    let here = with_gateway(Temporary::with_company(), &gateway);
    let checks = here.json(&["doctor"], "");
    let of_messenger: Vec<&Value> = checks["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["check"] == "messenger")
        .collect();
    assert_eq!(
        (of_messenger.len(), &of_messenger[0]["state"]),
        (1, &json!("good")),
        "{checks}"
    );
    let listed = here.json(&["messenger", "list"], "");
    assert_eq!(
        (&listed[0]["name"], &listed[0]["numbers"]),
        (&json!("house"), &json!(["+82"]))
    );

    let test = |to: &str| here.say(&["messenger", "test", "--to", to, "--kind", "code", "--language", "en"]);
    let said = test("010-1234-5678");
    assert_eq!(
        (said.code, said.output.trim()),
        (Some(0), "taken, status 200: house: 4711"),
        "{}",
        said.error
    );
    let sent = gateway.received()[0].json();
    assert!(
        sent["kind"] == "code" && sent["text"].as_str().is_some_and(|text| text.contains("012345")),
        "{sent}"
    );
    let said = test("010-0000-0000");
    assert_eq!(said.code, Some(1));
    assert_eq!(
        said.output.trim(),
        "refused, status 400: house: E7 수신번호가 잘못되었습니다"
    );
    let said = test("+81 90 1234 5678");
    assert!(
        said.code == Some(1) && said.error.contains("no gateway"),
        "{}",
        said.error
    );
    let said = test("minjun@example.com");
    assert!(
        said.code == Some(1) && said.error.contains("is not a phone number"),
        "{}",
        said.error
    );

    let here = here.with("COUNTERSIGN_MESSENGER__HOUSE__SECRET", "9876543210");
    let said = here.say(&["messenger", "test", "--to", "010-1234-5678"]);
    assert_eq!(said.code, Some(1));
    assert_eq!(
        said.output.trim(),
        format!("not taken now, status 401: house: who is {SECRET}?")
    );
    let here = here.with("COUNTERSIGN_MESSENGER__HOUSE__BODY", "{\"to\": \"{{ too }}\"}");
    let said = here.say(&["doctor"]);
    assert!(said.code == Some(1) && (said.output + &said.error).contains("COUNTERSIGN_MESSENGER__HOUSE__BODY"));
}
