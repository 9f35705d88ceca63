//! `doctor`, `migrate`, `audit`, `fsck`, and the configuration.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use testkit::database::TestDatabase;

use crate::support::{EMAIL, PASSWORD, Temporary};

fn check<'a>(report: &'a Value, name: &str) -> Vec<&'a Value> {
    report["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .filter(|check| check["check"] == name)
        .collect()
}

#[test]
fn doctor_finds_a_healthy_installation_healthy_and_makes_none_of_its_own() {
    let here = Temporary::new();
    let fresh = here.json(&["doctor"], "");
    assert_eq!(fresh["healthy"], true, "{fresh}");
    assert!(!here.data().exists());
    let here = Temporary::with_company();
    let report = here.json(&["doctor"], "");
    assert_eq!(report["healthy"], true, "{report}");
    assert_eq!(check(&report, "seal keys")[0]["state"], "good", "{report}");
    assert_eq!(check(&report, "workers")[0]["state"], "good", "{report}");
}

#[test]
fn doctor_names_a_master_key_that_others_can_read_is_missing_or_is_another() {
    let here = Temporary::with_company();
    let key = here.data().join("master.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("permissions");
    let said = here.say(&["doctor"]);
    assert_eq!(said.code, Some(1));
    assert!(said.output.contains("chmod 600"), "{}", said.output);

    let bytes = fs::read(&key).expect("the key");
    fs::remove_file(&key).expect("gone");
    let said = here.say(&["doctor"]);
    assert_eq!(said.code, Some(1));
    assert!(said.output.contains("backup"), "{}", said.output);
    let said = here.say(&["company", "list"]);
    assert_eq!(said.code, Some(1), "no command goes on without it");
    assert!(said.error.contains("master.key") && !key.exists(), "{}", said.error);

    fs::write(&key, [9; 32]).expect("another key");
    assert_eq!(here.say(&["doctor"]).code, Some(1));
    assert_eq!(here.say(&["company", "list"]).code, Some(1));
    fs::write(&key, bytes).expect("the right key");
    assert_eq!(here.say(&["company", "list"]).code, Some(0));
}

#[test]
fn doctor_tells_the_room_on_the_disk_and_below_the_reserve_nothing_new_is_taken() {
    let here = Temporary::with_company();
    let report = here.json(&["doctor"], "");
    let found = check(&report, "disk space");
    assert_eq!((found.len(), &found[0]["state"]), (2, &Value::from("good")), "{report}");
    // A nearly full disk gets a note, when less than twice the reserve is free.
    let detail = found[0]["detail"].as_str().expect("a text");
    let mut figures = detail.split(' ').filter_map(|word| word.parse::<f64>().ok());
    let (free, total) = (figures.next().expect("free"), figures.next().expect("of"));
    let percent = format!("{:.0}", (free / total * 100.0 - 1.0).floor().max(1.0));
    let nearly = Temporary::with_company().with("COUNTERSIGN_DOCUMENTS__LEAST_FREE_PERCENT", &percent);
    let report = nearly.json(&["doctor"], "");
    assert_eq!(check(&report, "disk space")[0]["state"], "note", "{report}");
    // No disk can be this empty.
    let here = here.with("COUNTERSIGN_DOCUMENTS__LEAST_FREE_PERCENT", "101");
    let said = here.say(&["doctor"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.output.contains("new files and documents are refused") && said.output.contains("free space on the disk"),
        "{}",
        said.output
    );
    testkit::contract::write(&here.path("")).expect("a contract");
    let (pdf, fields) = (here.path("contract.pdf"), here.path("contract.json"));
    let (pdf, fields) = (pdf.to_string_lossy(), fields.to_string_lossy());
    let said = here.say(&["template", "import", "--company", "acme", &pdf, "--fields", &fields]);
    assert_eq!(said.code, Some(1));
    assert!(said.error.contains("bytes are free on the disk of"), "{}", said.error);
}

#[test]
fn doctor_says_that_a_schema_must_be_brought_up_to_date() {
    let here = Temporary::new();
    fs::create_dir_all(here.data()).expect("a folder");
    fs::write(here.data().join("countersign.db"), b"").expect("an empty database");
    let said = here.say(&["doctor"]);
    assert_eq!(said.code, Some(1));
    assert!(said.output.contains("countersign migrate"), "{}", said.output);
    here.run(&["migrate"], "");
    assert_eq!(here.say(&["doctor"]).code, Some(0));
}

#[test]
fn an_installation_on_postgresql_is_made_checked_and_served() {
    let database = TestDatabase::postgres();
    let here = Temporary::new().on(&database);
    here.add_company();
    assert_eq!(here.json(&["doctor"], "")["healthy"], true);
    assert_eq!(here.json(&["fsck"], "")["clean"], true);
    assert!(!here.data().join("countersign.db").exists());
    let server = here.serve();
    crate::serving::login(&server.address, "acme", EMAIL, PASSWORD);
    assert_eq!(
        here.json(&["token", "list", "--company", "acme"], "")[0]["email"],
        EMAIL
    );
}

#[test]
fn only_what_makes_an_installation_makes_one() {
    let here = Temporary::new();
    let folder = here.data().display().to_string();
    for line in [
        &["company", "list"][..],
        &["company", "set", "acme", "--name", "Acme"],
        &[
            "member",
            "add",
            "--company",
            "acme",
            "--email",
            EMAIL,
            "--role",
            "owner",
        ],
        &["token", "list", "--company", "acme"],
        &["client", "list", "--company", "acme"],
        &["webhook", "list", "--company", "acme"],
        &["template", "list", "--company", "acme"],
        &["audit", "verify"],
        &["fsck"],
        &["root"],
    ] {
        let said = here.say(line);
        assert_eq!((said.code, said.output.as_str()), (Some(1), ""), "{line:?}");
        assert_eq!(
            said.error.trim_end(),
            format!(
                "countersign: there is no installation in the data folder {folder}; use --data DIR (or COUNTERSIGN_DATA) for \
                 another folder, and --config FILE (or COUNTERSIGN_CONFIG) for the settings of the server"
            ),
            "{line:?}"
        );
    }
    assert!(!here.data().exists(), "a wrong folder stays what it is");
}

#[test]
fn in_a_database_of_postgresql_there_is_an_installation_or_none_too() {
    let database = TestDatabase::postgres();
    let here = Temporary::new().on(&database);
    let said = here.say(&["company", "list"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.error
            .contains("there is no installation in the PostgreSQL database ")
            && said.error.contains("--config"),
        "{}",
        said.error
    );
    here.run(&["migrate"], "");
    assert_eq!(here.say(&["company", "list"]).code, Some(0));
    // The database is named by its host, without user and password.
    let said = here.say(&["client", "secret", "--company", "acme"]);
    let (url, folder) = (database.url().expect("an address"), here.data().display());
    let (host, name) = url
        .rsplit_once('@')
        .and_then(|(_, place)| place.split_once('/'))
        .expect("a host and a name");
    let name = name.split('?').next().unwrap_or_default();
    let named = format!(
        "Looked for in the PostgreSQL database {name} at {host}, with the data folder {folder}; use --data DIR"
    );
    assert!(said.error.contains(&named), "{}", said.error);
}

#[test]
fn what_is_not_found_is_named_with_where_we_looked_and_how_to_name_another_place() {
    let here = Temporary::with_company();
    let folder = here.data().display();
    for (line, what) in [
        (&["client", "secret", "--company", "other"][..], "company"),
        (&["template", "list", "--company", "other"], "company"),
        (&["template", "archive", "--company", "acme", "9"], "template"),
        (&["token", "list", "--company", "other"], "company"),
    ] {
        let said = here.say(line);
        assert_eq!((said.code, said.output.as_str()), (Some(1), ""), "{line:?}");
        assert_eq!(
            said.error.trim_end(),
            format!(
                "countersign: Not found: {what}.\n  Looked for in the data folder {folder}; use --data DIR (or COUNTERSIGN_DATA) \
                 for another folder, and --config FILE (or COUNTERSIGN_CONFIG) for the settings of the server."
            ),
            "{line:?}"
        );
    }
    let said = here.say(&["client", "list", "--company", "other", "--json"]);
    let error: Value = serde_json::from_str(&said.error).expect("JSON");
    assert_eq!(error["error"]["code"], "not-found");
}

#[test]
fn doctor_calls_an_empty_database_empty_and_names_host_and_port_of_one_it_cannot_reach() {
    let database = TestDatabase::postgres();
    let here = Temporary::new().on(&database);
    let report = here.json(&["doctor"], "");
    let found = check(&report, "database")[0];
    assert_eq!(
        (&report["healthy"], &found["state"]),
        (&Value::from(true), &Value::from("note")),
        "{report}"
    );
    assert!(
        found["detail"].as_str().is_some_and(|text| text.contains("empty")),
        "{report}"
    );

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = nobody.expect("a port").port();
    let here = Temporary::new().with(
        "COUNTERSIGN_DATABASE__URL",
        &format!("postgres://me@127.0.0.1:{port}/sign"),
    );
    let said = here.say(&["doctor"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.output.contains(&format!("sign at 127.0.0.1:{port}")),
        "{}",
        said.output
    );
    assert!(!said.output.contains("Tcp("), "{}", said.output);
}

#[test]
fn doctor_names_a_folder_of_fonts_or_a_font_that_cannot_be_used() {
    let here = Temporary::with_company();
    let good = here.path("fonts");
    fs::create_dir(&good).expect("a folder");
    let with = |folder: &std::path::Path| {
        Temporary::with_company().with("COUNTERSIGN_DOCUMENTS__FONTS_FOLDER", &folder.display().to_string())
    };
    let report = with(&good).json(&["doctor"], "");
    assert_eq!(check(&report, "fonts")[0]["state"], "good", "{report}");
    fs::write(good.join("broken.ttf"), b"no font").expect("a file");
    for (folder, named) in [(good.clone(), "broken.ttf"), (here.path("missing"), "missing")] {
        let said = with(&folder).say(&["doctor"]);
        assert_eq!(said.code, Some(1), "{}", said.output);
        let line = said.output.lines().find(|line| line.contains("documents.fonts_folder"));
        assert!(
            line.is_some_and(|line| line.contains("wrong") && line.contains(named)),
            "{}",
            said.output
        );
    }
}

#[test]
fn doctor_opens_the_public_address() {
    let here = Temporary::with_company();
    let server = here.serve();
    let with = |url: &str| -> Value {
        let said = (*here)
            .clone()
            .with("COUNTERSIGN_SERVER__PUBLIC_URL", url)
            .output(&["doctor", "--json"], "");
        serde_json::from_slice(&said.stdout).expect("JSON")
    };
    let last = |report: &Value| check(report, "public URL").last().expect("a finding").to_string();
    let report = with(&server.address);
    assert!(last(&report).contains("this service responds"), "{report}");
    // The URL points to a port without TLS, and then to another service.
    let report = with(&server.address.replace("http:", "https:"));
    assert!(last(&report).contains("this port does not use TLS"), "{report}");
    let other = testkit::receiver::Receiver::start();
    let report = with(&format!("http://{}", other.address()));
    assert!(last(&report).contains("another service"), "{report}");
}

#[test]
fn doctor_says_where_no_folder_can_be_made_and_serve_fails() {
    let here = Temporary::new();
    let file = here.file("file", b"no folder");
    let within = file.join("data").display().to_string();
    for place in [within.as_str(), "/proc/countersign"] {
        let said = here.say(&["doctor", "--data", place]);
        assert_eq!(said.code, Some(1), "{place}: {}", said.output);
        assert!(said.output.contains("wrong data folder"), "{place}: {}", said.output);
        assert_eq!(
            here.say(&["serve", "--listen", "127.0.0.1:0", "--data", place]).code,
            Some(1)
        );
    }
}

#[test]
fn doctor_greets_the_mail_server() {
    let with_port = |port: u16| {
        Temporary::with_company()
            .with("COUNTERSIGN_MAIL__SMTP__HOST", "127.0.0.1")
            .with("COUNTERSIGN_MAIL__SMTP__FROM", "sign@example.com")
            .with("COUNTERSIGN_MAIL__SMTP__TLS", "none")
            .with("COUNTERSIGN_MAIL__SMTP__PORT", &port.to_string())
    };
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let report = with_port(nobody.expect("a port").port()).output(&["doctor", "--json"], "");
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(
        (&report["healthy"], &check(&report, "mail")[0]["state"]),
        (&Value::from(false), &Value::from("wrong"))
    );
    let sink = testkit::smtp_sink::SmtpSink::start();
    let tls = with_port(sink.address().port()).with("COUNTERSIGN_MAIL__SMTP__TLS", "tls");
    let said = tls.say(&["doctor"]);
    assert!(said.output.contains("this port does not use TLS"), "{}", said.output);
    let report = with_port(sink.address().port()).json(&["doctor"], "");
    assert_eq!(check(&report, "mail")[0]["state"], "good", "{report}");
}

#[test]
fn migrate_says_what_it_did_and_then_that_nothing_is_to_do() {
    let here = Temporary::new();
    let first = here.json(&["migrate"], "");
    assert!(
        first["applied"].as_array().is_some_and(|applied| !applied.is_empty()),
        "{first}"
    );
    assert_eq!(here.run(&["migrate"], ""), "up to date");
}

#[test]
fn audit_and_fsck_are_clean_on_a_sound_installation_and_a_stray_file_is_swept() {
    let here = Temporary::with_company();
    assert_eq!(here.json(&["audit", "verify"], "")["clean"], true);
    // SHA-256 of the empty file.
    let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let folder = here.data().join("files").join("e3");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(hash), b"").expect("a stray file");
    let young = here.json(&["fsck"], "");
    assert_eq!(
        (&young["clean"], &young["unreferenced"]),
        (&Value::Bool(true), &Value::from(1)),
        "{young}"
    );
    let swept = here.json(&["fsck", "--grace", "0"], "");
    assert_eq!(
        (&swept["clean"], &swept["swept"][0]),
        (&Value::Bool(true), &Value::from(hash)),
        "{swept}"
    );
    assert!(!folder.join(hash).exists());
}

#[test]
fn checkpoints_start_again_and_a_person_who_is_nowhere_is_erased_from_nothing() {
    let here = Temporary::with_company();
    let audit = here.json(&["audit", "verify"], "");
    assert_eq!(
        (&audit["restarted"], &audit["heads_without_code"]),
        (&Value::from(Vec::<Value>::new()), &Value::from(0))
    );
    here.run(&["audit", "restart", "--company", "acme"], "");
    let audit = here.json(&["audit", "verify"], "");
    assert_eq!(
        (&audit["clean"], &audit["companies_with_checkpoints"]),
        (&Value::Bool(true), &Value::from(1))
    );
    let restarted = audit["restarted"][0].as_str().expect("a text");
    assert!(
        restarted.starts_with("the checkpoints of company acme were restarted at "),
        "{restarted}"
    );

    let erased = here.json(&["company", "erase-person", "acme", "kim@example.com"], "");
    assert_eq!(
        (&erased["workflows"], &erased["texts"]),
        (&Value::from(0), &Value::from(0)),
        "{erased}"
    );
    let said = here.say(&["company", "erase-person", "acme", "no contact"]);
    assert_eq!(said.code, Some(1));
}

#[test]
fn a_template_file_that_is_gone_or_damaged_is_found() {
    let here = Temporary::with_company();
    let (file, fields) = (
        here.file("contract.pdf", &crate::support::pdf()),
        here.file("fields.json", crate::support::FIELDS.as_bytes()),
    );
    let (file, fields) = (file.to_str().expect("a path"), fields.to_str().expect("a path"));
    here.run(
        &["template", "import", "--company", "acme", file, "--fields", fields],
        "",
    );
    assert_eq!(
        here.json(&["fsck", "--grace", "0"], "")["swept"],
        Value::Array(Vec::new())
    );
    let mut files: Vec<_> = fs::read_dir(here.data().join("files"))
        .expect("files")
        .flat_map(|folder| fs::read_dir(folder.expect("a folder").path()).expect("a folder"))
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 2, "the PDF and its page's image");
    fs::write(&files[0], b"damaged").expect("damage");
    fs::remove_file(&files[1]).expect("gone");
    let said = here.say(&["fsck"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.output.contains("damaged") && said.output.contains("missing"),
        "{}",
        said.output
    );
}

#[test]
fn a_misspelt_setting_is_refused_and_named() {
    let here = Temporary::new();
    let said = (*here)
        .clone()
        .with("COUNTERSIGN_WEBHOK__ALLOW_HTTP", "true")
        .output(&["company", "list"], "");
    assert_eq!(said.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&said.stderr).contains("COUNTERSIGN_WEBHOK__ALLOW_HTTP"));
    let file = here.file("countersign.toml", b"[server]\nlisen = '127.0.0.1:0'\n");
    let said = here.say(&["company", "list", "--config", file.to_str().expect("a path")]);
    assert!(said.error.contains("lisen"), "{}", said.error);
    assert_eq!(
        here.say(&["--config", "no-such-file.toml", "company", "list"]).code,
        Some(1)
    );
}

#[test]
fn every_command_has_help() {
    let here = Temporary::new();
    for command in [
        "",
        "serve",
        "company",
        "company add",
        "company set",
        "company list",
        "member",
        "member add",
        "member set-password",
        "member disable",
        "member list",
        "mail",
        "mail test",
        "mail bounced",
        "token list",
        "token revoke",
        "client list",
        "client add",
        "client secret",
        "client rotate",
        "template import",
        "template list",
        "verify",
        "document inspect",
        "document seal",
        "audit verify",
        "audit restart",
        "company erase-person",
        "fsck",
        "doctor",
        "migrate",
        "root",
    ] {
        let arguments: Vec<&str> = command
            .split(' ')
            .filter(|word| !word.is_empty())
            .chain(["--help"])
            .collect();
        let help = here.run(&arguments, "");
        assert!(
            help.contains("Usage: countersign") && help.contains("--data"),
            "{command}: {help}"
        );
    }
}
