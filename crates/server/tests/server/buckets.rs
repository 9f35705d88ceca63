//! An installation whose files are in a bucket, as its operator sees it.

use std::path::Path;

use serde_json::{Value, json};
use testkit::bucket::{BucketServer, Fault, KEY, SECRET};
use testkit::receiver::{Answer, Receiver};

use crate::backups::{Sender, files_below, filled, says};
use crate::serving::get;
use crate::support::Temporary;

/// The settings for everything but the bucket's name.
fn with_service(here: Temporary, bucket: &BucketServer) -> Temporary {
    here.with("COUNTERSIGN_FILES__ENDPOINT", bucket.endpoint())
        .with("COUNTERSIGN_FILES__ALLOW_HTTP", "true")
        .with("COUNTERSIGN_FILES__ACCESS_KEY", KEY)
        .with("COUNTERSIGN_FILES__SECRET_KEY", SECRET)
        .with("COUNTERSIGN_FILES__TIMEOUT_SECONDS", "2")
}

fn in_bucket(here: Temporary, bucket: &BucketServer, prefix: &str) -> Temporary {
    with_service(here, bucket).with("COUNTERSIGN_FILES__URL", &bucket.url(prefix))
}

/// A complete document and one under way.
fn signed(sender: &Sender) -> [i64; 2] {
    let complete = sender.start("complete", None);
    sender.approve(complete, 1, "");
    sender.approve(complete, 2, "");
    let open = sender.start("under way", None);
    sender.approve(open, 1, "");
    [complete, open]
}

fn is_sound(here: &Temporary) {
    let checked = here.json(&["fsck", "--grace", "0"], "");
    assert_eq!(
        (&checked["clean"], &checked["faults"]),
        (&json!(true), &json!([])),
        "{checked}"
    );
    let verified = here.json(&["audit", "verify"], "");
    assert_eq!(verified["clean"], true, "{verified}");
    let report = here.json(&["doctor"], "");
    assert_eq!(report["healthy"], true, "{report}");
}

fn check<'r>(report: &'r Value, name: &str) -> &'r Value {
    let checks = report["checks"].as_array().expect("checks");
    checks.iter().find(|check| check["check"] == name).expect(name)
}

fn has_no_files(data: &Path) -> bool {
    !data.join("files").exists() || files_below(&data.join("files")).is_empty()
}

#[test]
fn an_installation_works_with_its_files_in_a_bucket_from_the_first_start() {
    let bucket = BucketServer::start();
    let here = in_bucket(Temporary::new(), &bucket, "one");
    let template = filled(&here);
    let server = here.serve();
    let sender = Sender::new(&server, template);
    let [complete, open] = signed(&sender);
    assert_eq!((sender.approved(complete), sender.approved(open)), (2, 1));
    let (status, _) = get(&format!("{}/readyz", server.address), None);
    assert_eq!(status, 200);
    drop(server);
    is_sound(&here);
    assert!(has_no_files(here.data()));
    assert!(!files_below(&bucket.file("one")).is_empty());
    let report = here.json(&["doctor"], "");
    let files = check(&report, "files");
    assert!(
        files["detail"]
            .as_str()
            .is_some_and(|text| text.contains("s3://contracts/one")),
        "{files}"
    );
}

#[test]
fn doctor_and_readiness_say_what_is_wrong_with_a_bucket() {
    let bucket = BucketServer::start();
    let here = in_bucket(Temporary::new(), &bucket, "one");
    filled(&here);
    let server = here.serve();
    bucket.break_all(Fault::Refused);
    let said = here.say(&["doctor"]);
    says(&said, &["wrong files", "s3://contracts/one", "403", "access key"]);
    assert!(!format!("{}{}", said.output, said.error).contains(SECRET));
    drop(server);
    // It starts all the same, and waits for the bucket.
    let server = here.serve();
    assert_eq!(get(&format!("{}/readyz", server.address), None).0, 503);
    bucket.heal();
    drop(server);
    let server = here.serve();
    assert_eq!(get(&format!("{}/readyz", server.address), None).0, 200);
    drop(server);
    let elsewhere = here.with("COUNTERSIGN_FILES__URL", &bucket.url("another"));
    says(
        &elsewhere.say(&["doctor"]),
        &["wrong files", "are not in s3://contracts/another", "blobs move"],
    );
}

/// Without an access key in the settings.
fn without_key(bucket: &BucketServer, prefix: &str) -> Temporary {
    let here = in_bucket(Temporary::new(), bucket, prefix);
    here.without("COUNTERSIGN_FILES__ACCESS_KEY")
        .without("COUNTERSIGN_FILES__SECRET_KEY")
}

#[test]
fn the_access_key_comes_from_a_file_or_the_usual_variables_or_the_instance() {
    let bucket = BucketServer::start();
    let here = without_key(&bucket, "one").with("COUNTERSIGN_FILES__ACCESS_KEY", KEY);
    let secret = here.file("s3-secret", format!("{SECRET}\n").as_bytes());
    let of_file = here.with("COUNTERSIGN_FILES__SECRET_KEY_FILE", secret.to_str().expect("a path"));
    let of_variables = without_key(&bucket, "two")
        .with("AWS_ACCESS_KEY_ID", KEY)
        .with("AWS_SECRET_ACCESS_KEY", SECRET);
    let instance = Receiver::answering(|request| {
        let body = match request.path.as_str() {
            "/latest/api/token" => "a session".to_owned(),
            "/latest/meta-data/iam/security-credentials/" => "signing".to_owned(),
            "/latest/meta-data/iam/security-credentials/signing" => json!({
                "AccessKeyId": KEY,
                "SecretAccessKey": SECRET,
                "Token": "of-the-instance",
                "Expiration": "2099-01-01T00:00:00Z",
            })
            .to_string(),
            other => panic!("{other}"),
        };
        Answer::Plain {
            status: 200,
            headers: Vec::new(),
            body: body.into_bytes(),
        }
    });
    let of_instance =
        without_key(&bucket, "three").with("AWS_METADATA_ENDPOINT", instance.url("").trim_end_matches('/'));
    for here in [of_file, of_variables, of_instance] {
        filled(&here);
        is_sound(&here);
    }
    assert!(instance.connections() > 0);
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let bucket = BucketServer::start();
    let here = Temporary::with_company();
    for (name, value, word) in [
        ("COUNTERSIGN_FILES__URL", "https://contracts", "files.url"),
        ("COUNTERSIGN_FILES__ALLOW_HTTP", "false", "COUNTERSIGN_FILES__ENDPOINT"),
        (
            "COUNTERSIGN_FILES__SECRET_KEY_FILE",
            "/nowhere",
            "COUNTERSIGN_FILES__SECRET_KEY_FILE",
        ),
        ("COUNTERSIGN_FILES__KMS_KEY", "7", "COUNTERSIGN_FILES__KMS_KEY"),
    ] {
        let wrong = in_bucket(Temporary::new(), &bucket, "one").with(name, value);
        let said = wrong.say(&["company", "add", "acme", "--name", "Acme"]);
        says(&said, &[word]);
        assert!(!said.error.contains(SECRET), "{}", said.error);
    }
    let here = with_service(here, &bucket);
    says(&here.say(&["blobs", "move", "--to", "/srv/files"]), &["--to", "s3://"]);
    says(&here.say(&["blobs", "move", "--to", "folder"]), &["already"]);
}

/// Its `fsck` would remove the other's files.
#[test]
fn an_installation_stays_out_of_the_prefix_of_another() {
    let bucket = BucketServer::start();
    let here = in_bucket(Temporary::new(), &bucket, "one");
    filled(&here);
    let other = with_service(Temporary::with_company(), &bucket);
    let to = bucket.url("one");
    says(&other.say(&["blobs", "move", "--to", &to]), &["another installation"]);
    let other = other.with("COUNTERSIGN_FILES__URL", &to);
    for command in [&["fsck", "--grace", "0"][..], &["doctor"], &["company", "list"]] {
        says(&other.say(command), &["s3://contracts/one", "another installation"]);
    }
    is_sound(&here);
}

#[test]
fn files_move_to_a_bucket_and_back_while_the_server_runs() {
    let bucket = BucketServer::start();
    let here = with_service(Temporary::new(), &bucket);
    let template = filled(&here);
    let server = here.serve();
    let sender = Sender::new(&server, template);
    let [complete, open] = signed(&sender);
    let to = bucket.url("moved");
    let moving = ["blobs", "move", "--to", to.as_str()];

    // The service fails in the middle.
    let stored = std::sync::atomic::AtomicU32::new(0);
    bucket.break_some(Fault::Failed, u32::MAX, move |method, _| {
        method == "PUT" && stored.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 2
    });
    says(&here.say(&moving), &["the same command again"]);
    bucket.heal();
    let moved = here.json(&moving, "");
    assert_eq!(moved["clean"], true, "{moved}");
    assert!(
        moved["present"].as_u64() >= Some(1) && moved["copied"].as_u64() >= Some(1),
        "{moved}"
    );

    // What comes meanwhile is copied by the last run.
    sender.approve(open, 2, "");
    drop(server);
    let said = here.run(&moving, "");
    for words in [
        "read each back",
        "stop every server",
        "files.url = \"s3://contracts/moved\"",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let moved = here.json(&moving, "");
    assert_eq!(moved["copied"], 0, "{moved}");

    // Damage in the bucket is found and repaired.
    let victim = files_below(&bucket.file("moved"))
        .into_iter()
        .find(|path| path.file_name().is_some_and(|name| name.len() == 64))
        .expect("a file");
    let mut bytes = std::fs::read(&victim).expect("its content");
    bytes[0] ^= 1;
    std::fs::write(&victim, bytes).expect("damaged");
    let read = here.json(&[&moving[..], &["--read-all"]].concat(), "");
    assert_eq!((&read["clean"], &read["copied"]), (&json!(true), &json!(1)), "{read}");

    std::fs::rename(here.data().join("files"), here.path("old files")).expect("set aside");
    let here = here.with("COUNTERSIGN_FILES__URL", &to);
    is_sound(&here);
    let server = here.serve();
    let sender = Sender::new(&server, template);
    assert_eq!((sender.approved(complete), sender.approved(open)), (2, 2));
    signed(&sender);
    drop(server);

    let back = here.json(&["blobs", "move", "--to", "folder"], "");
    assert_eq!(back["clean"], true, "{back}");
    std::fs::remove_dir_all(bucket.file("moved")).expect("removed");
    let here = here.without("COUNTERSIGN_FILES__URL");
    is_sound(&here);
}

#[test]
fn a_backup_of_a_bucket_is_checked_and_restored_into_another_one() {
    let bucket = BucketServer::start();
    let here = in_bucket(Temporary::new(), &bucket, "one");
    let template = filled(&here);
    let server = here.serve();
    let [complete, open] = signed(&Sender::new(&server, template));
    let folder = here.path("backup");
    let folder = folder.to_str().expect("a path");

    // A file that cannot be read now is not one that is lost.
    bucket.break_all(Fault::Failed);
    says(&here.say(&["backup", folder]), &["s3://contracts/one"]);
    bucket.heal();
    let made = here.json(&["backup", folder], "");
    assert_eq!(made["lost"], json!([]), "{made}");
    drop(server);
    let before = files_below(&bucket.file("one"));
    let checked = here.json(&["backup", "check", folder], "");
    assert_eq!(checked["clean"], true, "{checked}");
    assert_eq!(
        files_below(&bucket.file("one")),
        before,
        "a check leaves the bucket alone"
    );

    let full = in_bucket(Temporary::new(), &bucket, "one");
    says(
        &full.say(&["restore", folder]),
        &["s3://contracts/one", "contains data already"],
    );
    let there = in_bucket(Temporary::new(), &bucket, "two");
    // Interrupted, and taken up again.
    let stored = std::sync::atomic::AtomicU32::new(0);
    bucket.break_some(Fault::Failed, u32::MAX, move |method, _| {
        method == "PUT" && stored.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 2
    });
    says(&there.say(&["restore", folder]), &["s3://contracts/two"]);
    bucket.heal();
    there.run(&["restore", folder], "");
    is_sound(&there);
    let server = there.serve();
    let sender = Sender::new(&server, template);
    assert_eq!((sender.approved(complete), sender.approved(open)), (2, 1));
    assert!(has_no_files(there.data()));
}
