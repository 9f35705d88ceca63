//! Passwords with the most awkward characters, in valid and invalid settings. No command shows any three consecutive
//! characters of one.

use std::process::{Command, Stdio};

use testkit::database::TestDatabase;

use crate::support::Temporary;

/// No part of these appears in our own messages.
const HOSTILE: [&str; 12] = [
    "qx@zj/wvk",
    "qx#zjwvk",
    "qx%zzjwvk",
    "qx zj wvk",
    "qx[zj]wvk",
    "qx:zj@wvk",
    "qx?zj=wvk&jqz=xkw",
    "qx'zj\"wvk",
    "qx\\zjwvk",
    "qx@zjwvk",
    "@zjq/wvk:qxz",
    "qxz/wvkzj?jqk=xqw",
];

/// Returns the output of a process after checking that it contains no part of the password.
fn silent(here: &Temporary, command: &mut Command, password: &str) -> String {
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    let said = [output.stdout, output.stderr].concat();
    // The folder's name is random and may contain any three characters.
    let said = String::from_utf8_lossy(&said).replace(&here.path("").display().to_string(), "/");
    let characters: Vec<char> = password.chars().collect();
    for part in characters.windows(3).map(String::from_iter) {
        assert!(!said.contains(&part), "{password}: {part} in {said} of {command:?}");
    }
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// Runs all commands that may report a wrong setting.
fn nothing_is_said_of(here: &Temporary, password: &str) {
    for arguments in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["migrate"],
        &["company", "list", "--json"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["--help"],
        &["serve", "--help"],
    ] {
        silent(here, here.command(arguments).env("RUST_BACKTRACE", "1"), password);
    }
}

#[test]
fn no_part_of_a_password_in_a_database_url_is_shown() {
    for password in HOSTILE {
        // Nothing listens on this port, so the commands need not wait.
        let url = format!("postgres://sign:{password}@127.0.0.1:1/countersign");
        let here = Temporary::new()
            .with("COUNTERSIGN_DATABASE__URL", &url)
            .with("COUNTERSIGN_DATABASE__WAIT_SECONDS", "0")
            .with("COUNTERSIGN_LOG__FILTER", "trace");
        nothing_is_said_of(&here, password);
        let words = format!("host=127.0.0.1 port=1 user=sign dbname=x password={password}");
        let here = Temporary::new()
            .with("COUNTERSIGN_DATABASE__URL", &words)
            .with("COUNTERSIGN_DATABASE__WAIT_SECONDS", "0");
        nothing_is_said_of(&here, password);
    }
}

#[test]
fn no_part_of_a_password_is_shown_by_a_file_that_is_not_as_it_should_be() {
    for password in HOSTILE {
        for wrong in [
            format!("[database]\nurl = postgres://sign:{password}@db/x"),
            format!("[database]\nurl = 'postgres://sign:{password}"),
            format!("database = '''postgres://sign:{password}@db/x'''"),
            format!("[database]\nurl = ['''{password}''']"),
            format!("[database]\nconnections = '''{password}'''"),
            format!("[mail.smtp]\nhost = 'h'\nfrom = 'a@b.example'\nuser = 'u'\npassword = {password}"),
            format!("[mail.smtp]\nhost = '''smtp://u:{password}@h'''\nfrom = 'a@b.example'"),
            format!("[mail.smtp]\nhost = 'h'\nfrom = 'a@b.example'\ntls = '''{password}'''"),
            format!("mail = '''smtp://u:{password}@h'''"),
            format!("[network]\nproxy = '''http://u:{password}@127.0.0.1:1'''"),
            format!("[network]\nproxy = '''https://u:{password}@127.0.0.1:1'''"),
            format!("[sealing]\ntsa_url = '''https://u:{password}@127.0.0.1:1'''"),
            format!("[pkcs11]\npin = '''{password}'''"),
            format!("[messenger.a]\naddress = '''https://u:{password}@h.example'''\nbody = '{{}}'"),
        ] {
            let here = Temporary::new();
            let file = here.file("countersign.toml", wrong.as_bytes());
            let here = here.with("COUNTERSIGN_CONFIG", &file.display().to_string());
            let said = silent(&here, &mut here.command(&["doctor"]), password);
            assert!(!said.is_empty());
            silent(&here, &mut here.command(&["company", "list"]), password);
        }
    }
    // TOML reads a PIN without quotes as a number.
    let here = Temporary::new();
    let file = here.file("countersign.toml", b"[pkcs11]\nmodule = '/x.so'\npin = 7391826");
    let here = here.with("COUNTERSIGN_CONFIG", &file.display().to_string());
    let said = silent(&here, &mut here.command(&["doctor"]), "7391826");
    assert!(
        said.contains("pkcs11.pin: it must be a text: write it in quotes"),
        "{said}"
    );
}

#[test]
fn an_error_says_how_such_a_password_is_written_and_so_written_it_works() {
    let url = "postgres://sign:qx@zj/wvk@127.0.0.1:1/countersign";
    let said = Temporary::new()
        .with("COUNTERSIGN_DATABASE__URL", url)
        .say(&["company", "list"]);
    assert!(
        said.error.contains("@ as %40") && said.error.contains("database.password_file"),
        "{}",
        said.error
    );

    // The test database's own password, or an unused one.
    let database = TestDatabase::postgres();
    let (credentials, place) = database
        .url()
        .and_then(|url| url.strip_prefix("postgres://"))
        .and_then(|url| url.split_once('@'))
        .expect("a user");
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, "p@ss/wörd '%zz\\"));
    let here = Temporary::new().with("COUNTERSIGN_DATABASE__URL", &format!("postgres://{user}@{place}"));
    let file = here.file("password", format!("{password}\n").as_bytes());
    let here = here.with("COUNTERSIGN_DATABASE__PASSWORD_FILE", &file.display().to_string());
    here.run(&["migrate"], "");
    let doctor = here.say(&["doctor"]);
    assert!(doctor.output.contains("its schema is current"), "{}", doctor.output);
}
