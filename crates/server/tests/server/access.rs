//! Companies, members, clients and tokens.

use serde_json::{Value, json};
use testkit::receiver::{Answer, Receiver};

use crate::support::{EMAIL, PASSWORD, Temporary};

#[test]
fn a_company_is_made_with_a_client_whose_secret_is_shown_and_can_be_replaced() {
    let here = Temporary::new();
    let added = here.json(&["company", "add", "ACME", "--name", "Acme"], "");
    assert_eq!(added["company"], "acme");
    let secret = added["webhook_secret"].as_str().expect("a secret");
    assert!(secret.starts_with("whsec_"), "{secret}");
    let shown = here.json(&["client", "secret", "--company", "Acme"], "");
    assert_eq!(
        shown,
        json!({"client_id": added["client_id"], "webhook_secret": secret})
    );
    // The output is only the secret, for scripts.
    let said = here.say(&["client", "secret", "--company", "acme"]);
    assert_eq!((said.code, said.output), (Some(0), format!("{secret}\n")));
    assert!(
        said.error.contains(added["client_id"].as_str().expect("an id")),
        "{}",
        said.error
    );
    let rotated = here.json(&["client", "rotate", "--company", "acme"], "");
    assert_ne!(rotated["webhook_secret"], added["webhook_secret"]);
    let second = here.json(&["client", "add", "--company", "acme", "--name", "warehouse"], "");
    let listed = here.json(&["client", "list", "--company", "acme"], "");
    let ids: Vec<&Value> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|client| &client["client_id"])
        .collect();
    assert_eq!(ids, [&added["client_id"], &second["client_id"]]);
}

#[test]
fn a_path_word_is_no_company_id_and_the_answer_says_why() {
    let here = Temporary::new();
    let said = here.say(&["company", "add", "v3", "--name", "Acme"]);
    assert_eq!(said.code, Some(1));
    assert!(said.error.contains("v3") && said.output.is_empty(), "{}", said.error);
    let said = here.say(&["--json", "company", "add", "docs", "--name", "Acme"]);
    let error: Value = serde_json::from_str(&said.error).expect("JSON");
    assert_eq!(error["error"]["errors"][0]["code"], "invalid-company-id");
    let said = here.say(&["member", "list", "--company", "v3"]);
    assert_eq!(said.code, Some(2), "{}", said.error);
}

#[test]
fn settings_of_a_company_are_changed_and_shown() {
    let here = Temporary::with_company();
    let set = here.json(
        &[
            "company",
            "set",
            "acme",
            "--api",
            "off",
            "--time-zone",
            "europe/berlin",
            "--token-lifetime",
            "30d",
            "--language",
            "ja",
        ],
        "",
    );
    assert_eq!(
        (
            &set["api"],
            &set["time_zone"],
            &set["token_lifetime_seconds"],
            &set["language"]
        ),
        (&json!(false), &json!("Europe/Berlin"), &json!(2_592_000), &json!("ja"))
    );
    assert_eq!(here.json(&["company", "list"], ""), json!([set]));
    // Scripts older than the time zone setting use this option.
    let set = here.json(&["company", "set", "acme", "--offset", "-03:30"], "");
    assert_eq!(set["time_zone"], json!("-03:30"));
    for wrong in ["Seoul", "Asia/Nowhere", "+9", ""] {
        let said = here.say(&["company", "set", "acme", "--time-zone", wrong]);
        assert_eq!(said.code, Some(2), "{}", said.error);
        assert!(said.error.contains("such as Asia/Seoul"), "{}", said.error);
    }
    let said = here.say(&["company", "set", "acme", "--token-lifetime", "31d"]);
    assert_eq!(said.code, Some(1), "{}", said.error);
    let said = here.say(&["company", "set", "other", "--api", "on"]);
    assert_eq!(said.code, Some(1), "{}", said.error);
}

#[test]
fn a_password_is_read_from_standard_input_or_made_and_shown_once() {
    let here = Temporary::with_company();
    let given = here.json(
        &[
            "member",
            "add",
            "--company",
            "acme",
            "--email",
            "a@example.com",
            "--role",
            "sender",
        ],
        "plover lantern quay 47\n",
    );
    assert_eq!(given.get("password"), None);
    let made = here.json(
        &[
            "member",
            "add",
            "--company",
            "acme",
            "--email",
            "b@example.com",
            "--role",
            "auditor",
        ],
        "",
    );
    assert!(
        made["password"].as_str().is_some_and(|password| password.len() >= 20),
        "{made}"
    );
    let again = here.say(&[
        "member",
        "add",
        "--company",
        "acme",
        "--email",
        "B@example.com",
        "--role",
        "sender",
    ]);
    assert_eq!(again.code, Some(1), "{}", again.error);
    let short = here.output(
        &[
            "member",
            "set-password",
            "--company",
            "acme",
            "--email",
            "a@example.com",
        ],
        "short",
    );
    assert_eq!(short.status.code(), Some(1));
    let last = here.say(&["member", "disable", "--company", "acme", "--email", EMAIL]);
    assert_eq!(last.code, Some(1), "{}", last.error);
    let disabled = here.json(
        &["member", "disable", "--company", "acme", "--email", "a@example.com"],
        "",
    );
    assert_eq!(disabled["disabled"], true);
    let roles: Vec<Value> = here
        .json(&["member", "list", "--company", "acme"], "")
        .as_array()
        .expect("a list")
        .iter()
        .map(|member| member["role"].clone())
        .collect();
    assert_eq!(roles, ["owner", "sender", "auditor"]);
}

#[test]
fn a_new_password_must_meet_the_rules_and_the_refusal_says_how() {
    let here = Temporary::with_company();
    for (password, told) in [
        ("short", "at least 12 characters"),
        (&*"k7#Qz!p2".repeat(200), "longer than 1024 bytes"),
        ("password1234\n", "easy to guess"),
        ("Owner@Example.com 47", "Choose one without them"),
        ("lantern 47 주식회사 에이스", "Choose one without them"),
    ] {
        for command in [&["set-password"][..], &["add", "--role", "sender"]] {
            let of = ["--company", "acme", "--email", EMAIL];
            let arguments = [&["member"], command, &of[..]].concat();
            let refused = here.output(&arguments, password);
            let error = String::from_utf8_lossy(&refused.stderr).replace(',', "");
            assert_eq!(refused.status.code(), Some(1), "{password}: {error}");
            assert!(error.contains(told), "{password}: {error}");
            assert!(!error.contains(password.trim()), "it is not repeated: {error}");
        }
    }
    let server = here.serve();
    crate::serving::login(&server.address, "acme", EMAIL, PASSWORD);
}

#[test]
fn a_token_is_listed_without_itself_and_revoked_at_once() {
    let here = Temporary::with_company();
    let server = here.serve();
    let token = crate::serving::login(&server.address, "acme", EMAIL, PASSWORD);
    let call = |token: &str| crate::serving::get(&format!("{}/api/v3/workflows", server.address), Some(token)).0;
    assert_eq!(call(&token), 200);
    let listed = here.json(&["token", "list", "--company", "acme"], "");
    assert_eq!(
        (&listed[0]["email"], &listed[0]["state"]),
        (&json!(EMAIL), &json!("live"))
    );
    assert!(!listed.to_string().contains(&token));
    let id = listed[0]["token"].to_string();
    assert_eq!(
        here.json(&["token", "revoke", "--company", "acme", &id], "")["revoked"],
        true
    );
    assert_eq!(call(&token), 401);
    let second = crate::serving::login(&server.address, "acme", EMAIL, PASSWORD);
    let set = here.json(
        &["member", "set-password", "--company", "acme", "--email", EMAIL],
        "another lantern quay 47",
    );
    assert_eq!(set["revoked_tokens"], 1);
    assert_eq!(call(&second), 401);
    let unknown = here.say(&["token", "revoke", "--company", "acme", "4711"]);
    assert_eq!(unknown.code, Some(1), "{}", unknown.error);
}

#[test]
fn an_address_is_tried_and_its_answer_shown() {
    let here = Temporary::with_company();
    let receiver = Receiver::start();
    receiver.answer_next([Answer::status(200), Answer::status(404)]);
    let url = receiver.url("/hook");
    let tested = here.json(&["webhook", "test", "--company", "acme", &url], "");
    assert_eq!((&tested["delivered"], &tested["code"]), (&json!(true), &json!(200)));
    let secret = here.json(&["client", "secret", "--company", "acme"], "");
    let request = &receiver.wait_for(1)[0];
    assert_eq!(request.json()["client_id"], secret["client_id"]);
    assert!(request.header("webhook-signature").starts_with("v1,"), "{request:?}");
    let said = here.say(&["webhook", "test", "--company", "acme", &url]);
    assert_eq!(said.code, Some(1));
    assert!(said.output.contains("404"), "{}", said.output);
    let said = here.say(&["webhook", "test", "--company", "acme", "ftp://x"]);
    assert!(said.code == Some(1) && said.error.contains("url"), "{}", said.error);
}
