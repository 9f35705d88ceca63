//! Seal keys that expire, that are for another purpose, or whose token is missing, in the real program.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::key_bench::{Bench, use_token};
use crate::serving::{login, post};
use crate::support::{EMAIL, FIELDS, PASSWORD, Said, Temporary, pdf};

fn import(here: &Temporary, bench: &Bench, name: &str) -> Said {
    fs::write(bench.path("password"), "geheim").expect("written");
    let (p12, password) = (bench.text(&format!("{name}.p12")), bench.text("password"));
    let arguments = ["--p12", &p12, "--password-file", &password];
    here.say(&[&["company", "key", "import", "--company", "acme"][..], &arguments].concat())
}

#[test]
fn a_key_for_other_things_is_not_imported_and_doctor_says_when_one_ends() {
    let here = Temporary::with_company();
    let bench = Bench::new();
    for (name, days, extensions) in [
        ("tls", 900, "extendedKeyUsage=serverAuth"),
        ("mail", 900, "extendedKeyUsage=emailProtection"),
        ("soon", 20, "keyUsage=digitalSignature"),
        ("now", 3, "keyUsage=digitalSignature"),
    ] {
        bench.certify(name, days, extensions);
    }
    let said = import(&here, &bench, "tls");
    assert_eq!(said.code, Some(1), "{}", said.output);
    assert!(
        said.error
            .contains("extended key usage does not include signing documents"),
        "{}",
        said.error
    );
    for (name, code, state) in [("mail", 0, ""), ("soon", 0, "note"), ("now", 1, "wrong")] {
        let said = import(&here, &bench, name);
        assert_eq!(said.code, Some(0), "{name}: {}", said.error);
        let doctor = here.say(&["doctor"]);
        assert_eq!(doctor.code, Some(code), "{name}: {}", doctor.output);
        let line = doctor.output.lines().find(|line| line.contains("seal ends"));
        assert_eq!(
            line.map_or("", |line| line.split(' ').next().unwrap_or_default()),
            state,
            "{}",
            doctor.output
        );
        if line.is_some() {
            assert!(
                doctor.output.contains("countersign company key import --company acme"),
                "{}",
                doctor.output
            );
        }
    }
}

pub fn import_template(here: &Temporary, company: &str) -> i64 {
    let (file, fields) = (here.file("in.pdf", &pdf()), here.file("fields.json", FIELDS.as_bytes()));
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    let printed = here.run(
        &["template", "import", "--company", company, file, "--fields", fields],
        "",
    );
    printed.trim().parse().expect("an id")
}

pub fn start(address: &str, token: &str, template: i64) -> (u16, Value) {
    let body = json!({
        "workflow_name": "W", "template_id": template,
        "recipient_list": [{"order": 1, "name": "Ann", "email": "ann@example.com"}],
    });
    post(&format!("{address}/api/v3/workflows/start?lang=en"), Some(token), &body)
}

fn moved(from: &Path, to: &Path) {
    fs::rename(from, to).expect("moved");
    if !from.exists() {
        fs::create_dir(from).expect("an empty folder");
    }
}

/// Creates the company `acme`, which seals with a key in a token.
fn with_a_key_in_a_token() -> (Bench, Temporary) {
    let bench = Bench::new();
    bench.certify("seal", 900, "keyUsage=digitalSignature");
    bench.token_with("seal");
    let here = bench.installation();
    let said = use_token(&here, "acme", "seal", &bench.text("seal.pem"));
    assert_eq!(said.code, Some(0), "{}", said.error);
    (bench, here)
}

#[test]
fn a_token_that_is_away_stops_no_server_and_is_found_when_it_returns() {
    let (bench, here) = with_a_key_in_a_token();
    here.run(&["company", "add", "other", "--name", "Other"], "");
    here.run(
        &[
            "member",
            "add",
            "--company",
            "other",
            "--email",
            EMAIL,
            "--role",
            "owner",
        ],
        PASSWORD,
    );
    let (template, others) = (import_template(&here, "acme"), import_template(&here, "other"));
    // The server starts while the token is away.
    moved(&bench.path("tokens"), &bench.path("away"));
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, PASSWORD);
    let others_token = login(&server.address, "other", EMAIL, PASSWORD);
    for _ in 0..2 {
        let (status, refused) = start(&server.address, &token, template);
        assert_eq!(
            (status, &refused["code"]),
            (503, &json!("seal-token-away")),
            "{refused}"
        );
        let (status, started) = start(&server.address, &others_token, others);
        assert_eq!(status, 200, "{started}");
        // The token returns and disappears again, each time without a restart.
        fs::remove_dir_all(bench.path("tokens")).expect("an empty folder");
        moved(&bench.path("away"), &bench.path("tokens"));
        fs::remove_dir_all(bench.path("away")).expect("an empty folder");
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            let (status, answer) = start(&server.address, &token, template);
            if status == 200 {
                break;
            }
            assert_eq!(status, 503, "{answer}");
            assert!(Instant::now() < until, "{answer}");
        }
        moved(&bench.path("tokens"), &bench.path("away"));
    }
}

#[test]
fn a_wrong_pin_stops_no_server_and_no_other_company() {
    let (_bench, here) = with_a_key_in_a_token();
    let template = import_template(&here, "acme");
    let here = here.with("COUNTERSIGN_PKCS11__PIN", "4321");
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, PASSWORD);
    for _ in 0..5 {
        let (status, refused) = start(&server.address, &token, template);
        assert_eq!(
            (status, &refused["code"]),
            (422, &json!("seal-key-pin-refused")),
            "{refused}"
        );
    }
    // The wrong PIN was tried only once, so the token still accepts the right one.
    drop(server);
    let here = here.with("COUNTERSIGN_PKCS11__PIN", "1234");
    let said = here.say(&["doctor"]);
    assert!(said.output.contains("1 usable"), "{}", said.output);
}

#[test]
fn a_renewed_root_vouches_for_what_the_old_one_certified_and_the_other_way_round() {
    let here = Temporary::with_company();
    let seal = |name: &str| {
        let (file, sealed) = (here.file("plain.pdf", &pdf()), here.path(name));
        let (file, sealed) = (file.display().to_string(), sealed.display().to_string());
        here.run(&["document", "seal", "--company", "acme", &file, &sealed], "");
        sealed
    };
    let old_seal = seal("old.pdf");
    let old = here.run(&["root"], "");
    let new = here.run(&["root", "renew"], "");
    assert_ne!(old, new);
    assert_eq!(here.run(&["root"], ""), new);
    here.run(&["company", "key", "renew", "--company", "acme"], "");
    let new_seal = seal("new.pdf");
    let elsewhere = Temporary::with_company();
    for (root, name) in [(&old, "old.pem"), (&new, "new.pem")] {
        let root = elsewhere.file(name, root.as_bytes()).display().to_string();
        for sealed in [&old_seal, &new_seal] {
            let said = elsewhere.say(&["verify", sealed, "--trust", &root]);
            assert_eq!(said.code, Some(0), "{name} {sealed}: {}{}", said.output, said.error);
        }
    }
    for sealed in [&old_seal, &new_seal] {
        assert_eq!(here.say(&["verify", sealed]).code, Some(0), "{sealed}");
        assert_ne!(elsewhere.say(&["verify", sealed]).code, Some(0), "{sealed}");
    }
}

#[test]
fn an_imported_key_names_the_documents_that_outlast_its_certificate() {
    let here = Temporary::with_company();
    let bench = Bench::new();
    bench.certify("long", 900, "keyUsage=digitalSignature");
    bench.certify("short", 3, "keyUsage=digitalSignature");
    let template = import_template(&here, "acme");
    let server = here.serve();
    let token = login(&server.address, "acme", EMAIL, PASSWORD);
    let (status, started) = start(&server.address, &token, template);
    assert_eq!(status, 200, "{started}");
    let id = &started["workflow_id"];
    // A document that never expires does not wait for any date.
    let (_, other) = start(&server.address, &token, template);
    let path = format!("{}/api/v3/workflows/{}/extend", server.address, other["workflow_id"]);
    let (status, extended) = post(&path, Some(&token), &json!({"expiry_date": "9999-12-31 23:59:59"}));
    assert_eq!(status, 200, "{extended}");
    let said = import(&here, &bench, "long");
    assert_eq!((said.code, said.error.as_str()), (Some(0), ""));
    let said = import(&here, &bench, "short");
    assert_eq!(said.code, Some(0), "{}", said.error);
    let list = format!(": {id}. ");
    assert!(
        said.error.starts_with("warning: documents under way expire after") && said.error.contains(&list),
        "{}",
        said.error
    );
    let shown = here.json(&["company", "key", "show", "--company", "acme"], "");
    assert_eq!(shown["outlasting_documents"], json!([id]));
}
