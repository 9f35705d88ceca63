//! Backups of a running server, and restoring them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::installation::Server;
use testkit::receiver::Receiver;

use crate::serving::{get, login, post};
use crate::support::{EMAIL, PASSWORD, Said, Temporary};

/// Creates the company `acme`, its owner and a template.
pub fn filled(here: &Temporary) -> i64 {
    here.add_company();
    testkit::contract::import(here, "acme")
}

/// A member of a running server who sends and signs.
#[derive(Clone)]
pub struct Sender {
    address: String,
    token: String,
    template: i64,
}

impl Sender {
    pub fn new(server: &Server, template: i64) -> Sender {
        Sender {
            address: server.address.clone(),
            token: login(&server.address, "acme", EMAIL, PASSWORD),
            template,
        }
    }

    pub fn start(&self, name: &str, callback: Option<&str>) -> i64 {
        let mut body = json!({
            "workflow_name": name,
            "template_id": self.template,
            "recipient_list": [
                {"order": 1, "name": "김사장", "email": "employer@example.com"},
                {"order": 2, "name": "이직원", "email": "employee@example.com"},
            ],
        });
        if let Some(url) = callback {
            body["export_api_info"] = json!({"url": url, "api_type": "ALL", "is_embed": true});
        }
        let (status, answer) = post(
            &format!("{}/api/v3/workflows/start", self.address),
            Some(&self.token),
            &body,
        );
        assert_eq!(status, 200, "{answer}");
        answer["workflow_id"].as_i64().expect("an id")
    }

    pub fn approve(&self, workflow: i64, order: u32, comment: &str) {
        let url = format!("{}/api/v3/workflows/{workflow}/approve", self.address);
        let values = testkit::contract::values_of_step(order);
        let body = json!({"order": order, "field_list": values, "comment": comment});
        let (status, answer) = post(&url, Some(&self.token), &body);
        assert_eq!(status, 200, "{answer}");
    }

    /// Returns the number of approved steps of a workflow.
    pub fn approved(&self, workflow: i64) -> usize {
        let url = format!("{}/api/v3/workflows/{workflow}", self.address);
        let (status, answer) = get(&url, Some(&self.token));
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(status, 200, "{workflow}: {answer}");
        let steps = answer["steps"].as_array().expect("steps").iter();
        steps.filter(|step| step["status"] == "approved").count()
    }
}

/// Everything that a server acknowledged, with the time.
#[derive(Default)]
struct Ledger {
    answers: Mutex<Vec<(Timestamp, i64, u32)>>,
    more: Condvar,
}

impl Ledger {
    fn add(&self, workflow: i64, approved: u32) {
        self.answers
            .lock()
            .expect("a ledger")
            .push((Timestamp::now(), workflow, approved));
        self.more.notify_all();
    }

    fn wait_for(&self, count: usize) {
        let answers = self.answers.lock().expect("a ledger");
        let waited = self
            .more
            .wait_timeout_while(answers, Duration::from_mins(5), |answers| answers.len() < count);
        assert!(
            !waited.expect("a ledger").1.timed_out(),
            "the server answers too little"
        );
    }

    fn count(&self) -> usize {
        self.answers.lock().expect("a ledger").len()
    }

    /// Returns the minimum progress of each workflow at a moment.
    fn until(&self, moment: Timestamp) -> BTreeMap<i64, u32> {
        let mut known = BTreeMap::new();
        for (at, workflow, approved) in self.answers.lock().expect("a ledger").iter() {
            let entry = known.entry(*workflow).or_insert(0);
            if *at < moment {
                *entry = (*entry).max(*approved + 1);
            }
        }
        known.retain(|_, steps| *steps > 0);
        known
    }
}

/// Stops the load when dropped, even if the test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Starts documents, approves one step of each and two of some, until the load is stopped.
fn load(sender: &Sender, ledger: &Ledger, next: &AtomicU32, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let workflow = sender.start(&format!("document {number}"), None);
        ledger.add(workflow, 0);
        sender.approve(workflow, 1, "");
        ledger.add(workflow, 1);
        if number.is_multiple_of(3) {
            sender.approve(workflow, 2, "");
            ledger.add(workflow, 2);
        }
    }
}

fn under_load(here: &Temporary, there: &Temporary) {
    let template = filled(here);
    let server = here.serve();
    let sender = Sender::new(&server, template);
    let (ledger, next, is_over) = (Ledger::default(), AtomicU32::new(0), AtomicBool::new(false));
    let folder = here.path("backup");
    let folder = folder.to_str().expect("a path");
    let made = std::thread::scope(|scope| {
        let end = End(&is_over);
        for _ in 0..3 {
            scope.spawn(|| load(&sender, &ledger, &next, &is_over));
        }
        ledger.wait_for(12);
        // The second backup already contains most files.
        here.json(&["backup", folder], "");
        let before = ledger.count();
        let made = here.json(&["backup", folder], "");
        let meanwhile = ledger.count() - before;
        drop(end);
        assert!(meanwhile > 0, "the server answers during a backup");
        made
    });
    drop(server);
    let taken_at: Timestamp = made["taken_at"].as_str().expect("a time").parse().expect("a time");
    let known = ledger.until(taken_at);
    assert!(known.len() > 2 && ledger.count() > known.len(), "{known:?}");
    assert!(made["new_files"].as_u64() < made["files"].as_u64(), "{made}");

    let checked = here.json(&["backup", "check", folder], "");
    assert_eq!(checked["clean"], true, "{checked}");
    let left: Vec<_> = fs::read_dir(folder)
        .expect("the backup")
        .filter_map(Result::ok)
        .collect();
    assert!(
        left.iter()
            .all(|entry| !entry.file_name().to_string_lossy().starts_with("check-"))
    );

    there.run(&["restore", folder], "");
    let verified = there.json(&["audit", "verify"], "");
    assert_eq!(verified["clean"], true, "{verified}");
    assert_eq!(verified["restored"]["backup_of"], made["taken_at"]);
    let swept = there.json(&["fsck", "--grace", "0"], "");
    assert_eq!(
        (&swept["clean"], &swept["swept"]),
        (&json!(true), &json!([])),
        "{swept}"
    );
    let report = there.json(&["doctor"], "");
    assert_eq!(report["healthy"], true, "{report}");
    assert!(report.to_string().contains("countersign outbox release"), "{report}");

    let restored = there.serve();
    let reader = Sender::new(&restored, template);
    for (workflow, steps) in known {
        let (found, expected) = (reader.approved(workflow), steps as usize - 1);
        assert!(found >= expected, "workflow {workflow}: {found} of {expected} approved");
    }
    // Documents in progress continue.
    let workflow = reader.start("after the restore", None);
    reader.approve(workflow, 1, "");
}

#[test]
fn what_was_answered_before_a_backup_under_load_is_in_it_on_sqlite() {
    under_load(&Temporary::new(), &Temporary::new());
}

#[test]
fn what_was_answered_before_a_backup_under_load_is_in_it_on_postgresql() {
    let (one, other) = (TestDatabase::postgres(), TestDatabase::postgres());
    under_load(&Temporary::new().on(&one), &Temporary::new().on(&other));
}

#[test]
fn a_restored_installation_sends_nothing_until_it_is_released_or_dropped() {
    let databases = [
        TestDatabase::postgres(),
        TestDatabase::postgres(),
        TestDatabase::postgres(),
    ];
    let [here, released, dropped] = databases.each_ref().map(|database| Temporary::new().on(database));
    let template = filled(&here);
    let receiver = Receiver::start();
    let hook = receiver.url("/hook");
    // This process delivers nothing.
    let web = here.serve_as("web");
    let sender = Sender::new(&web, template);
    sender.approve(sender.start("before", Some(&hook)), 1, "before");
    let folder = here.path("backup");
    let folder = folder.to_str().expect("a path");
    here.run(&["backup", folder], "");
    drop(web);

    released.run(&["restore", folder], "");
    let server = released.serve();
    let sender = Sender::new(&server, template);
    sender.approve(sender.start("after", Some(&hook)), 1, "after");
    let status = released.json(&["outbox", "status"], "");
    let waiting = status["waiting"].as_array().expect("kinds");
    let webhooks = waiting.iter().find(|waiting| waiting["kind"] == "webhook");
    assert_eq!(webhooks.map(|webhooks| &webhooks["count"]), Some(&json!(2)), "{status}");
    assert_eq!(receiver.connections(), 0, "nothing goes out");
    released.run(&["outbox", "release"], "");
    let comments: Vec<Value> = receiver
        .wait_for(2)
        .iter()
        .map(|hook| hook.json()["comment"].clone())
        .collect();
    assert!(
        comments.contains(&json!("before")) && comments.contains(&json!("after")),
        "{comments:?}"
    );
    assert_eq!(
        released.say(&["outbox", "release"]).code,
        Some(1),
        "nothing is held any more"
    );
    drop(server);

    dropped.run(&["restore", folder], "");
    let server = dropped.serve();
    let sender = Sender::new(&server, template);
    sender.approve(sender.start("later", Some(&hook)), 1, "later");
    assert!(dropped.json(&["outbox", "drop"], "")["dropped"].as_u64() >= Some(1));
    let webhooks = receiver.wait_for(3);
    assert_eq!((webhooks.len(), &webhooks[2].json()["comment"]), (3, &json!("later")));
    let status = dropped.json(&["outbox", "status"], "");
    assert_eq!(status["held"], Value::Null, "{status}");
}

/// An installation with a document and a backup of it.
fn backed_up() -> (Temporary, PathBuf) {
    let here = Temporary::new();
    let template = filled(&here);
    let server = here.serve();
    let sender = Sender::new(&server, template);
    let workflow = sender.start("one", None);
    sender.approve(workflow, 1, "");
    let folder = here.path("backup");
    here.run(&["backup", folder.to_str().expect("a path")], "");
    (here, folder)
}

pub fn says(said: &Said, words: &[&str]) {
    let all = format!("{}{}", said.output, said.error);
    assert_eq!(said.code, Some(1), "{all}");
    for word in words {
        assert!(all.contains(word), "{word}: {all}");
    }
}

pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn named<'p>(files: &'p [PathBuf], end: &str) -> &'p PathBuf {
    files.iter().find(|path| path.ends_with(end)).expect(end)
}

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_check_names_a_flipped_bit_a_missing_file_and_a_cut_database() {
    let (here, folder) = backed_up();
    let backup = folder.to_str().expect("a path");
    let files = files_below(&folder.join("files"));
    let (flipped, missing) = (&files[0], &files[1]);
    flip(flipped);
    fs::remove_file(missing).expect("gone");
    let said = here.say(&["backup", "check", backup]);
    let name = |path: &Path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .expect("a name")
            .to_owned()
    };
    says(
        &said,
        &[
            &format!("{} is damaged", name(flipped)),
            &format!("{} is missing", name(missing)),
        ],
    );
    // A damaged file is not restored either. Once the file is fixed, the same restore continues.
    let there = Temporary::new();
    says(&there.say(&["restore", backup]), &["files"]);
    for command in [["company", "list"].as_slice(), &["doctor"]] {
        says(&there.say(command), &["unfinished restore"]);
    }
    here.run(&["backup", backup, "--read-all"], "");
    let first = here.json(&["backup", "list", backup], "")[0]["backup"]
        .as_str()
        .expect("a name")
        .to_owned();
    let said = there.say(&["restore", backup]);
    says(&said, &["unfinished restore of another backup"]);
    there.run(&["restore", backup, "--snapshot", &first], "");
    assert_eq!(there.json(&["fsck"], "")["clean"], true);
    here.run(&["backup", "check", backup], "");

    let all = files_below(&folder.join("snapshots"));
    let last = here.json(&["backup", "list", backup], "")[1]["backup"]
        .as_str()
        .expect("a name")
        .to_owned();
    let database = named(&all, &format!("{last}/database.sqlite"));
    let whole = fs::read(database).expect("the database");
    fs::write(database, &whole[..whole.len() / 2]).expect("cut");
    says(
        &here.say(&["backup", "check", backup]),
        &["database.sqlite is cut short"],
    );
    fs::write(database, whole).expect("whole");
    flip(database);
    says(&here.say(&["backup", "check", backup]), &["database.sqlite is damaged"]);
    let sums = named(&all, &format!("{last}/SHA256SUMS"));
    let text = fs::read_to_string(sums).expect("hashes");
    let (_, cut) = text.split_once('\n').expect("lines");
    fs::write(sums, cut).expect("cut");
    says(&here.say(&["backup", "check", backup]), &["SHA256SUMS is cut short"]);
    flip(named(&all, &format!("{last}/manifest.json")));
    says(&here.say(&["backup", "check", backup]), &["manifest.json is damaged"]);
    fs::remove_dir_all(folder.join("keys")).expect("gone");
    says(
        &here.say(&["backup", "check", backup, "--snapshot", &first]),
        &["master key", "is missing", "--keys"],
    );
}

#[test]
fn a_file_that_the_installation_has_lost_is_named_and_the_rest_is_backed_up() {
    let (here, folder) = backed_up();
    let backup = here.path("another");
    let lost = files_below(&here.data().join("files")).swap_remove(0);
    fs::remove_file(&lost).expect("gone");
    let name = lost.file_name().and_then(|name| name.to_str()).expect("a name");
    says(
        &here.say(&["backup", backup.to_str().expect("a path")]),
        &[name, "countersign fsck", "backup "],
    );
    says(
        &here.say(&["backup", "check", backup.to_str().expect("a path")]),
        &[name, "had lost it"],
    );
    // An earlier backup contains the file, so a later one in the same folder is complete.
    here.run(&["backup", folder.to_str().expect("a path")], "");
}

#[test]
fn a_folder_that_is_wrong_is_refused_with_the_reason() {
    let (here, folder) = backed_up();
    let backup = folder.to_str().expect("a path");
    let inside = here.data().join("backup");
    says(&here.say(&["backup", inside.to_str().expect("a path")]), &["overlap"]);
    let above = here.path("");
    says(&here.say(&["backup", above.to_str().expect("a path")]), &["overlap"]);
    let foreign = here.path("foreign");
    fs::create_dir(&foreign).expect("a folder");
    fs::write(foreign.join("letter.txt"), b"hello").expect("a file");
    says(
        &here.say(&["backup", foreign.to_str().expect("a path")]),
        &["contains no backup"],
    );
    says(
        &here.say(&["backup", "check", foreign.to_str().expect("a path")]),
        &["there is no backup in"],
    );
    assert_eq!(files_below(&foreign).len(), 1, "nothing was written");

    let another = Temporary::new();
    filled(&another);
    says(&another.say(&["backup", backup]), &["another installation"]);
    says(&another.say(&["restore", backup]), &["contains data already", "--data"]);
    says(&Temporary::new().say(&["backup", backup]), &["no installation"]);

    let lock = File::open(folder.join("backup.lock")).expect("the lock");
    lock.try_lock().expect("nobody works on it");
    says(
        &here.say(&["backup", backup]),
        &["another `countersign backup` is working"],
    );
    drop(lock);
    here.run(&["backup", backup], "");
    let keys = here.path("keys");
    let keys = keys.to_str().expect("a path");
    let elsewhere = here.path("third");
    let elsewhere = elsewhere.to_str().expect("a path");
    here.run(&["backup", elsewhere, "--keys", keys], "");
    assert!(!Path::new(elsewhere).join("keys").exists());
    says(&here.say(&["backup", "check", elsewhere]), &["--keys"]);
    here.run(&["backup", "check", elsewhere, "--keys", keys], "");
    // Other users can read nothing in a backup.
    for path in files_below(&folder) {
        let mode = fs::metadata(&path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", path.display());
    }
}

#[test]
fn pruning_keeps_what_the_kept_backups_need() {
    let (here, folder) = backed_up();
    let backup = folder.to_str().expect("a path");
    let before = files_below(&folder.join("files")).len();
    let template = testkit::contract::import(&here, "acme");
    let server = here.serve();
    let sender = Sender::new(&server, template);
    let workflow = sender.start("two", None);
    sender.approve(workflow, 1, "");
    drop(server);
    here.run(&["backup", backup], "");
    // Two more backups, so that the middle one needs a file that no other does.
    let extra = folder.join("files/00").join(format!("00{}", "1".repeat(62)));
    fs::write(&extra, b"left behind").expect("a file");
    assert_eq!(here.say(&["backup", "prune", backup]).code, Some(2), "it needs a rule");
    let dry = here.json(&["backup", "prune", backup, "--keep", "1", "--dry-run"], "");
    assert_eq!(dry["removed"].as_array().map(Vec::len), Some(1), "{dry}");
    assert!(extra.exists());
    let pruned = here.json(&["backup", "prune", backup, "--keep", "1"], "");
    assert_eq!(
        (&pruned["files"], pruned["kept"].as_array().map(Vec::len)),
        (&json!(1), Some(1)),
        "{pruned}"
    );
    assert!(!extra.exists() && files_below(&folder.join("files")).len() >= before);
    let checked = here.json(&["backup", "check", backup], "");
    assert_eq!(
        (&checked["clean"], &checked["workflows"]),
        (&json!(true), &json!(2)),
        "{checked}"
    );
}

#[test]
fn postgresql_programs_that_are_missing_or_too_old_are_named_with_the_remedy() {
    let database = TestDatabase::postgres();
    let here = Temporary::new().on(&database);
    here.run(&["company", "add", "acme", "--name", "Acme"], "");
    let programs = here.path("programs");
    fs::create_dir(&programs).expect("a folder");
    let here = here.with("PATH", programs.to_str().expect("a path"));
    let backup = here.path("backup");
    let backup = backup.to_str().expect("a path");
    says(
        &here.say(&["backup", backup]),
        &["pg_dump is not installed", "apt install postgresql-client-"],
    );
    let old = programs.join("pg_dump");
    fs::write(&old, "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n").expect("a program");
    fs::set_permissions(&old, fs::Permissions::from_mode(0o755)).expect("permissions");
    says(
        &here.say(&["backup", backup]),
        &["pg_dump 9 is too old", "apt install postgresql-client-"],
    );
    assert!(!Path::new(backup).exists(), "nothing was begun");
}
