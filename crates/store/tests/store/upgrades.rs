//! Upgrading installations of earlier versions, with an old schema and old rows.

use std::path::Path;

use domain::BlobHash;
use domain::search::DocumentTerms;
use jiff::Timestamp;
use refinery::{Runner, Target};
use store::outbox::{self, DueLane};
use store::{Settings, Store};
use testkit::database::TestDatabase;

testkit::on_both_databases!(
    deliveries_of_before_lanes_are_claimed_by_them_and_old_codes_are_to_be_erased,
    messages_from_before_codes_were_told_apart_are_each_looked_at_once,
    words_of_an_earlier_person_are_taken_off_the_next_one,
    values_and_mobile_numbers_of_an_earlier_person_are_taken_off_the_next_one,
    a_document_that_has_ended_keeps_its_values,
    keys_of_addresses_fold_ascii_letters_only,
    what_was_discarded_before_has_its_links_revoked,
    a_session_from_before_the_idle_limit_lives_on_and_is_idle_since_it_began,
    files_of_drafts_and_templates_of_before_are_known_by_their_hash,
    files_that_nothing_needs_are_left_by_their_company_and_previews_keep_theirs_until_they_expire,
    a_session_that_an_older_program_begins_beside_this_one_counts_from_its_beginning,
    nothing_is_left_of_what_servers_said_before_excerpts,
    companies_get_a_time_zone_and_workflows_keep_their_offset,
    documents_of_before_the_search_wait_to_be_indexed,
);

store::statements! {
    /// The columns that migrations may have changed.
    pub static ROWS = "SELECT event_id, kind, receiver, state, due_at, finished_at, tries, lease, noted, erase_at FROM outbox \
        ORDER BY id";
    pub static LINKS = "SELECT id, links_revoked_at FROM workflow ORDER BY id";
    pub static ENDPOINTS = "SELECT url, stopped_at, letting_go FROM endpoint ORDER BY url";
    pub static LEFT = "SELECT r.id, v.field_name, r.mobile FROM recipient r \
        LEFT JOIN field_value v ON v.recipient_id = r.id ORDER BY r.id";
    pub static UNOWNED = "SELECT field_name FROM field_value WHERE recipient_id IS NULL";
    pub static KEYS = "SELECT contact_key FROM recipient ORDER BY id";
    pub static COMMENTS = "SELECT comment FROM recipient ORDER BY id";
    pub static UPLOADS = "SELECT recipient_id, hash, length, loose_since FROM upload ORDER BY recipient_id";
    pub static LOOSE_FILES = "SELECT claim, hash, since FROM loose_file ORDER BY claim, hash";
    pub static OLD_SESSION = "INSERT INTO member_session (session_hash, company_id, member_id, created_at, expires_at) \
        SELECT $1, company_id, id, $2, $3 FROM member";
    pub static TRIES = "SELECT t.code, t.fault, t.answer FROM delivery_try t JOIN outbox o ON o.id = t.delivery_id ORDER BY o.id";
    pub static ZONES = "SELECT time_zone FROM company ORDER BY id";
    pub static ZONES_OF_WORKFLOWS = "SELECT time_zone FROM workflow ORDER BY id";
    pub static DRAFTS = "SELECT recipient_id FROM draft ORDER BY recipient_id";
}

/// Creates the schema of a version, and runs statements there.
fn as_of(database: &TestDatabase, version: i32, statements: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let runner = |name: &str| {
        let migrations = refinery::load_sql_migrations(folder.join(name)).expect("the migrations");
        Runner::new(&migrations).set_target(Target::Version(version))
    };
    match database.settings() {
        Settings::Sqlite { path } => {
            let mut connection = rusqlite::Connection::open(path).expect("the file");
            runner("sqlite").run(&mut connection).expect("the schema of then");
            connection.execute_batch(statements).expect("rows of then");
        }
        Settings::Postgres { url, .. } => {
            let mut client = ::postgres::Client::connect(url.expose(), ::postgres::NoTls).expect("the server");
            runner("postgres").run(&mut client).expect("the schema of then");
            client.batch_execute(statements).expect("rows of then");
        }
    }
}

const COMPANY: &str = "INSERT INTO company (id, name, language, utc_offset, region, api_enabled, token_lifetime_seconds, \
    expiry_days, link_days, created_at) VALUES ('acme', 'Acme', 'ko', 32400, 'KR', TRUE, 86400, 14, 30, 0);";

/// A row of the outbox from before V19 that was decided at the given second.
fn row(number: i64, kind: &str, receiver: &str, state: &str, dialect: &str) -> String {
    let webhook = match kind {
        "webhook" => "'https://hooks.example.com:8443/', '3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10'",
        _ => "NULL, NULL",
    };
    let (tries, finished, lease) = match state {
        "delivered" | "dead" | "kept" => (10, "5000000", "NULL, NULL"),
        "leased" => (0, "NULL", "'lease', 'owner'"),
        _ => (0, "NULL", "NULL, NULL"),
    };
    let state = if state == "leased" { "waiting" } else { state };
    let body = if dialect == "postgres" { "'\\x07'" } else { "x'07'" };
    format!(
        "INSERT INTO outbox (company_id, workflow_id, event_id, kind, receiver, url, client_id, body, state, tries, tries_made, \
         created_at, due_at, finished_at, lease, lease_owner) VALUES ('acme', {number}, 'e{number}', '{kind}', '{receiver}', \
         {webhook}, {body}, '{state}', {tries}, {tries}, {number}000000, {number}000000, {finished}, {lease});\n\
         INSERT INTO delivery_try (delivery_id, number, at, duration, answer) SELECT id, tries, 0, 1, '' FROM outbox \
         WHERE event_id = 'e{number}' AND tries > 0;\n"
    )
}

/// Returns the database's own syntax for bytes.
fn dialect(database: &TestDatabase) -> &'static str {
    if database.url().is_some() { "postgres" } else { "sqlite" }
}

/// Returns the current rows of the outbox: event, receiver, state, and when to check for a code, in seconds.
fn rows(store: &Store) -> Vec<(String, String, String, Option<i64>)> {
    let rows = store.read(|tx| tx.query(&ROWS, &[])).expect("the rows");
    rows.iter()
        .map(|row| {
            let erase_at: Option<Timestamp> = row.get("erase_at").expect("a time");
            (
                row.get("event_id").expect("an id"),
                row.get("receiver").expect("a receiver"),
                row.get("state").expect("a state"),
                erase_at.map(Timestamp::as_second),
            )
        })
        .collect()
}

fn expected(rows: &[(&str, &str, &str, Option<i64>)]) -> Vec<(String, String, String, Option<i64>)> {
    rows.iter()
        .map(|(event, receiver, state, erase_at)| {
            (
                (*event).to_owned(),
                (*receiver).to_owned(),
                (*state).to_owned(),
                *erase_at,
            )
        })
        .collect()
}

fn deliveries_of_before_lanes_are_claimed_by_them_and_old_codes_are_to_be_erased(database: &TestDatabase) {
    let of = dialect(database);
    let old = [
        row(1, "webhook", "hooks.example.com:8443", "waiting", of),
        row(2, "webhook", "hooks.example.com:443", "dead", of),
        row(3, "webhook", "[2001:db8::1]:443", "delivered", of),
        row(4, "webhook", "192.0.2.7:80", "held", of),
        row(5, "webhook", "hooks.example.com:8443", "leased", of),
        row(6, "mail", "mail", "waiting", of),
        row(7, "mail", "mail", "dead", of),
        row(8, "mail", "mail", "delivered", of),
        row(9, "message", "message", "waiting", of),
        row(10, "message", "message", "kept", of),
    ];
    let stopped = "INSERT INTO endpoint (company_id, url, failing_since, stopped_at, stopped_reason) \
        VALUES ('acme', 'https://hooks.example.com:8443/', 0, 1000000, 'failing');";
    as_of(database, 18, &format!("{COMPANY}\n{}{stopped}", old.concat()));
    let store = Store::open(database.settings()).expect("the store opens");
    let applied = store.migrate().expect("it is brought up to date");
    assert!(applied.iter().any(|name| name.contains("lanes")), "{applied:?}");
    assert!(store.migrate().expect("nothing is left").is_empty());
    assert_eq!(
        rows(&store),
        expected(&[
            ("e1", "hooks.example.com", "waiting", None),
            ("e2", "hooks.example.com", "dead", None),
            ("e3", "[2001:db8::1]", "delivered", None),
            ("e4", "192.0.2.7", "held", None),
            ("e5", "hooks.example.com", "waiting", None),
            ("e6", ":mail", "waiting", Some(606)),
            ("e7", ":mail", "dead", Some(607)),
            ("e8", ":mail", "delivered", Some(608)),
            ("e9", ":gateway/", "waiting", Some(609)),
            ("e10", ":gateway/", "kept", Some(610)),
        ])
    );
    let endpoints = store.read(|tx| tx.query(&ENDPOINTS, &[])).expect("endpoints");
    assert_eq!(endpoints.len(), 1);
    assert!(!endpoints[0].get::<bool>("letting_go").expect("a flag"));

    let now = Timestamp::from_second(100).expect("a time");
    let lanes = store.read_one(move |tx| outbox::due_lanes(tx, now)).expect("lanes");
    let found: Vec<(&str, bool)> = lanes
        .iter()
        .map(|DueLane { lane, has_failed }| (lane.receiver.as_str(), *has_failed))
        .collect();
    assert_eq!(
        found,
        [("hooks.example.com", false), (":mail", false), (":gateway/", false)]
    );
    let dead = store
        .write(|tx| {
            let company = domain::CompanyId::parse("acme").expect("an id");
            let revived = outbox::resend(tx, &company, outbox::DeliveryId(2), Timestamp::UNIX_EPOCH)?;
            let tries = outbox::tries(tx, &company, outbox::DeliveryId(2))?;
            Ok::<_, store::Error>((revived, tries.len()))
        })
        .expect("a dead letter");
    assert_eq!(
        dead,
        (true, 1),
        "a dead letter of then can be sent again, and shows its try"
    );
}

fn messages_from_before_codes_were_told_apart_are_each_looked_at_once(database: &TestDatabase) {
    let of = dialect(database);
    let letters = [
        row(1, "mail", ":mail", "delivered", of),
        row(2, "mail", ":mail/code", "delivered", of),
        row(3, "message", ":gateway/", "dead", of),
        row(4, "message", ":gateway/solapi", "waiting", of),
        row(5, "webhook", "hooks.example.com", "waiting", of),
    ];
    as_of(database, 21, &format!("{COMPANY}\n{}", letters.concat()));
    let store = database.open();
    let look = |store: &Store, second: i64| {
        let now = Timestamp::from_second(second).expect("a time");
        store
            .write(move |tx| {
                let found = outbox::to_erase(tx, now, 10)?;
                for letter in &found {
                    outbox::holds_no_code(tx, letter.id)?;
                }
                Ok::<_, store::Error>(
                    found
                        .iter()
                        .map(|letter| (letter.id.0, letter.is_code))
                        .collect::<Vec<_>>(),
                )
            })
            .expect("looked at")
    };
    assert_eq!(look(&store, 600), []);
    assert_eq!(
        look(&store, 1_000),
        [(1, false), (3, false)],
        "what says by itself that it holds none, or held one, is left"
    );
    assert_eq!(look(&store, 1_000), []);
    let states: Vec<String> = rows(&store).into_iter().map(|(_, _, state, _)| state).collect();
    assert_eq!(states, ["delivered", "delivered", "dead", "waiting", "waiting"]);
}

fn zero(database: &TestDatabase) -> &'static str {
    if dialect(database) == "postgres" {
        "'\\x00'"
    } else {
        "x'00'"
    }
}

/// A workflow with everything it needs except its company.
fn workflow_of_then(bytes: &str, status: &str) -> String {
    let ended = if status == "Playing" { "NULL" } else { "1" };
    format!(
        "INSERT INTO member (id, company_id, email, email_key, name, role, password_hash, created_at) \
         VALUES (1, 'acme', 'a@example.com', 'a@example.com', 'A', 'owner', '', 0);\n\
         INSERT INTO api_client (id, company_id, name, is_default, secret, created_at) \
         VALUES ('3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', 'acme', 'default', TRUE, {bytes}, 0);\n\
         INSERT INTO template (id, company_id, name, current_version, created_at) VALUES (1, 'acme', 'T', 1, 0);\n\
         INSERT INTO template_version (company_id, template_id, version, name, definition, pdf, original, page_images, \
         created_at, created_by) VALUES ('acme', 1, 1, 'T', '{{}}', {bytes}, {bytes}, '[]', 0, 'A');\n\
         INSERT INTO workflow (id, company_id, name, template_id, template_version, on_reject, language, offset_seconds, \
         sender_id, client_id, cc_list, is_embedded, started_at, expires_at, status, turn, ended_at, first_step_reported, \
         chain_sequence, chain_hash, link_version, revision) VALUES (1, 'acme', 'W', 1, 1, 'return', 'ko', 0, 1, \
         '3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', '[]', FALSE, 0, 1, '{status}', 1, {ended}, FALSE, 0, {bytes}, 1, 0);\n"
    )
}

/// An entry of that workflow's audit trail about a recipient.
fn entry_of_then(sequence: i64, event: &str, recipient: i64, bytes: &str) -> String {
    let recipient = match event {
        "recipient_corrected" | "handed_over" => {
            format!(r#"{{"id":{recipient},"order":1,"name":"B","contact":"b@example.com"}}"#)
        }
        _ => recipient.to_string(),
    };
    let payload = format!(
        r#"{{"at":"1970-01-01T00:00:00Z","actor":{{"who":{{"kind":"service"}}}},"event":{{"type":"{event}","recipient":{recipient},"order":1}}}}"#
    );
    format!(
        "INSERT INTO audit_entry (workflow_id, sequence, company_id, at, payload, previous, hash) \
         VALUES (1, {sequence}, 'acme', 0, '{payload}', {bytes}, {bytes});\n"
    )
}

/// For each recipient: the types of their events, in order, and whether their comment stays.
const WORDS: [(&[&str], bool); 6] = [
    (&["approved"], true),
    (&["returned", "recipient_corrected"], false),
    (&["approved", "handed_over"], false),
    (&["recipient_corrected", "approved"], true),
    (&["returned", "handed_over", "rejected"], true),
    (&["returned", "viewed"], true),
];

fn words_of_an_earlier_person_are_taken_off_the_next_one(database: &TestDatabase) {
    let bytes = zero(database);
    let mut rows = workflow_of_then(bytes, "Playing");
    let mut sequence = 0;
    // The second number begins with the digits of the first.
    for (id, (events, _)) in [1, 12, 123, 4, 5, 6].into_iter().zip(WORDS) {
        rows = format!(
            "{rows}INSERT INTO recipient (id, company_id, workflow_id, step_order, place, name, contact, contact_key, \
             link_version, progress, comment, access_failures) VALUES ({id}, 'acme', 1, {id}, 1, 'B', 'b@example.com', \
             'b@example.com', 2, 'waiting', 'said', 0);\n"
        );
        for event in events {
            sequence += 1;
            rows.push_str(&entry_of_then(sequence, event, id, bytes));
        }
    }
    as_of(database, 23, &format!("{COMPANY}\n{rows}"));
    let store = database.open();
    let found: Vec<bool> = store
        .read(|tx| tx.query(&COMMENTS, &[]))
        .expect("the recipients")
        .iter()
        .map(|row| row.get::<Option<String>>("comment").expect("a text").is_some())
        .collect();
    let mut expected: Vec<(i64, bool)> = [1, 12, 123, 4, 5, 6]
        .into_iter()
        .zip(WORDS)
        .map(|(id, (_, stay))| (id, stay))
        .collect();
    expected.sort_unstable();
    assert_eq!(found, expected.into_iter().map(|(_, stay)| stay).collect::<Vec<_>>());
}

/// For each recipient: their state, the types of their events, in order, and whether their value and their mobile
/// number stay.
const LEFT_BEHIND: [(&str, &[&str], bool, bool); 8] = [
    (
        "waiting",
        &["approved", "returned", "recipient_corrected"],
        false,
        false,
    ),
    ("waiting", &["approved", "handed_over", "viewed"], false, false),
    // The current person has approved with the value, so it is kept.
    (
        "waiting",
        &["approved", "returned", "recipient_corrected", "approved", "returned"],
        true,
        false,
    ),
    (
        "approved",
        &["approved", "returned", "recipient_corrected", "approved"],
        true,
        true,
    ),
    ("waiting", &["approved", "returned", "viewed"], true, true),
    ("waiting", &["recipient_corrected"], false, false),
    ("waiting", &["viewed"], true, true),
    ("rejected", &["recipient_corrected", "rejected"], true, true),
];

/// Upgrades a document with such recipients. Returns the remaining data of each, and the expected data.
fn left_behind(database: &TestDatabase, status: &str) -> [Vec<(i64, bool, bool)>; 2] {
    let bytes = zero(database);
    let mut rows = workflow_of_then(bytes, status);
    let mut sequence = 0;
    // The second number begins with the digits of the first.
    let numbers = [1, 12, 123, 4, 5, 6, 7, 8];
    for (id, (progress, events, ..)) in numbers.into_iter().zip(LEFT_BEHIND) {
        let (version, at) = (events.len() + 1, if progress == "waiting" { "NULL" } else { "1" });
        rows = format!(
            "{rows}INSERT INTO recipient (id, company_id, workflow_id, step_order, place, name, contact, contact_key, \
             mobile, link_version, progress, progressed_at, access_failures) VALUES ({id}, 'acme', 1, {id}, 1, 'B', \
             'b@example.com', 'b@example.com', '010', {version}, '{progress}', {at}, 0);\n\
             INSERT INTO field_value (workflow_id, company_id, field_name, recipient_id, value, wire, wire_hash, salt, \
             written_at) VALUES (1, 'acme', 'f{id}', {id}, '', '', 0, {bytes}, 0);\n"
        );
        for event in events {
            sequence += 1;
            rows.push_str(&entry_of_then(sequence, event, id, bytes));
        }
    }
    // A value that the sender entered belongs to no recipient.
    rows = format!(
        "{rows}INSERT INTO field_value (workflow_id, company_id, field_name, recipient_id, value, wire, wire_hash, salt, \
         written_at) VALUES (1, 'acme', 'given', NULL, '', '', 0, {bytes}, 0);\n"
    );
    as_of(database, 29, &format!("{COMPANY}\n{rows}"));
    let store = database.open();
    let given = store.read(|tx| tx.query(&UNOWNED, &[])).expect("the sender's");
    assert_eq!(given.len(), 1);
    let found = store.read(|tx| tx.query(&LEFT, &[])).expect("what is left");
    let found = found.iter().map(|row| {
        let is_there = |column: &str| row.get::<Option<String>>(column).expect("a text").is_some();
        (
            row.get("id").expect("an id"),
            is_there("field_name"),
            is_there("mobile"),
        )
    });
    let mut expected: Vec<(i64, bool, bool)> = numbers
        .into_iter()
        .zip(LEFT_BEHIND)
        .map(|(id, (_, _, value, mobile))| (id, value, mobile))
        .collect();
    expected.sort_unstable();
    [found.collect(), expected]
}

fn values_and_mobile_numbers_of_an_earlier_person_are_taken_off_the_next_one(database: &TestDatabase) {
    let [found, expected] = left_behind(database, "Playing");
    assert_eq!(found, expected);
}

fn a_document_that_has_ended_keeps_its_values(database: &TestDatabase) {
    let [found, _] = left_behind(database, "Rejected");
    assert!(found.iter().all(|(_, has_value, _)| *has_value), "{found:?}");
}

fn keys_of_addresses_fold_ascii_letters_only(database: &TestDatabase) {
    let bytes = zero(database);
    let mut rows = workflow_of_then(bytes, "Playing");
    let addresses = [
        ("\u{212a}IM@Example.com", "kim@example.com"),
        ("Kim@Example.com", "kim@example.com"),
        ("É@예시.한국", "é@xn--vv4b11d.xn--3e0b707e"),
        ("\"Two Words\"@예시.한국", "two words@xn--vv4b11d.xn--3e0b707e"),
        ("\"A@b\"@example.com", "a@b@example.com"),
    ];
    for (place, (contact, key)) in addresses.iter().enumerate() {
        let id = place + 1;
        rows = format!(
            "{rows}INSERT INTO recipient (id, company_id, workflow_id, step_order, place, name, contact, contact_key, \
             link_version, progress, access_failures) VALUES ({id}, 'acme', 1, {id}, 1, 'B', '{contact}', '{key}', 1, \
             'waiting', 0);\n"
        );
    }
    rows = format!(
        "{rows}INSERT INTO recipient (id, company_id, workflow_id, step_order, place, name, contact, phone, contact_key, \
         link_version, progress, access_failures) VALUES (9, 'acme', 1, 9, 1, 'B', '０10-1234-5678', '+821012345678', \
         '+821012345678', 1, 'waiting', 0);\n\
         INSERT INTO member (id, company_id, email, email_key, name, role, password_hash, created_at) \
         VALUES (2, 'acme', '\u{212a}ATE@example.com', 'kate@example.com', 'K', 'owner', '', 0);\n"
    );
    as_of(database, 29, &format!("{COMPANY}\n{rows}"));
    let store = database.open();
    let keys = store.read(|tx| tx.query(&KEYS, &[])).expect("the keys");
    let keys: Vec<String> = keys.iter().map(|row| row.get("contact_key").expect("a key")).collect();
    // In the current format.
    let mut expected: Vec<String> = addresses
        .iter()
        .map(|(contact, _)| domain::Contact::Email((*contact).to_owned()).key())
        .collect();
    expected.push("+821012345678".to_owned());
    assert_eq!(keys, expected);
    let company = domain::CompanyId::parse("acme").expect("an id");
    let member = |email: &'static str| {
        let company = company.clone();
        let found = store.read(move |tx| store::member::find_by_email(tx, &company, email));
        found.expect("it is looked for").is_some()
    };
    assert!(member("\u{212a}ate@example.com") && !member("kate@example.com"));
}

fn what_was_discarded_before_has_its_links_revoked(database: &TestDatabase) {
    let zeros = bytes(database);
    let of_company = format!(
        "{COMPANY}\n\
         INSERT INTO member (id, company_id, email, email_key, name, role, password_hash, created_at) \
         VALUES (1, 'acme', 'a@example.com', 'a@example.com', '', 'owner', '', 0);\n\
         INSERT INTO api_client (id, company_id, name, secret, is_default, created_at) \
         VALUES ('3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', 'acme', '', {zeros}, TRUE, 0);\n\
         INSERT INTO template (id, company_id, name, current_version, created_at) VALUES (1, 'acme', '', 1, 0);\n\
         INSERT INTO template_version (company_id, template_id, version, name, definition, pdf, original, page_images, \
         created_at, created_by) VALUES ('acme', 1, 1, '', '', {zeros}, {zeros}, '[]', 0, '');\n"
    );
    let workflow = |id: i64, discarded: &str| {
        format!(
            "INSERT INTO workflow (id, company_id, name, template_id, template_version, on_reject, language, offset_seconds, \
             sender_id, client_id, cc_list, is_embedded, started_at, expires_at, status, turn, ended_at, first_step_reported, \
             chain_sequence, chain_hash, link_version, revision, discarded_at) VALUES ({id}, 'acme', 'x', 1, 1, 'end', 'ko', 0, \
             1, '3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', '[]', FALSE, 0, 1, 'Canceled', 1, 1, FALSE, 1, {zeros}, 1, 0, {discarded});\n"
        )
    };
    let rows = format!("{of_company}{}{}", workflow(1, "7000000"), workflow(2, "NULL"));
    as_of(database, 23, &rows);
    let store = database.open();
    let found = store.read(|tx| tx.query(&LINKS, &[])).expect("the workflows");
    let revoked: Vec<Option<Timestamp>> = found
        .iter()
        .map(|row| row.get("links_revoked_at").expect("a time"))
        .collect();
    assert_eq!(revoked, [Timestamp::from_second(7).ok(), None]);
}

fn bytes(database: &TestDatabase) -> String {
    hash_text(database, 0)
}

/// Returns the name of a file, made from one number, in the database's syntax.
fn hash_text(database: &TestDatabase, number: u8) -> String {
    let hash = BlobHash([number; 32]);
    if dialect(database) == "postgres" {
        format!("'\\x{hash}'")
    } else {
        format!("x'{hash}'")
    }
}

/// Allows rows to refer to others that do not exist.
fn unchecked(database: &TestDatabase) -> &'static str {
    if dialect(database) == "postgres" {
        "SET session_replication_role = replica;"
    } else {
        "PRAGMA foreign_keys = OFF;"
    }
}

/// A workflow with a recipient. Only the data that the migrations of files read is meaningful, so the rows it refers to
/// do not exist.
fn workflow(database: &TestDatabase, id: i64, status: &str) -> String {
    let ended = if status == "Playing" { "NULL" } else { "1" };
    let zero = bytes(database);
    format!(
        "INSERT INTO workflow (id, company_id, name, template_id, template_version, on_reject, language, offset_seconds, \
         sender_id, client_id, cc_list, is_embedded, started_at, expires_at, status, turn, ended_at, \
         first_step_reported, chain_sequence, chain_hash, link_version, revision, company_name) VALUES ({id}, 'acme', 'x', 1, 1, \
         'end', 'ko', 0, 1, '3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10', '[]', FALSE, 0, 0, '{status}', 1, {ended}, FALSE, 1, \
         {zero}, 1, 1, 'Acme');\n\
         INSERT INTO recipient (id, company_id, workflow_id, step_order, place, name, contact, contact_key, link_version, \
         progress, access_failures) VALUES ({id}, 'acme', {id}, 1, 1, 'x', 'x', 'x', 1, 'waiting', 0);\n"
    )
}

fn files_that_nothing_needs_are_left_by_their_company_and_previews_keep_theirs_until_they_expire(
    database: &TestDatabase,
) {
    let name = |number: u8| hash_text(database, number);
    let value = format!(
        r#"{{"type":"file","value":{{"file_name":"a","hash":"{}","length":7}}}}"#,
        BlobHash([40; 32])
    );
    let preview = format!(
        r#"{{"workflow_name":"x","values":{{"sign":{{"type":"file","value":{{"hash":"{}"}}}},"name":{{"type":"text","value":"x"}}}}}}"#,
        BlobHash([50; 32])
    );
    let mut then = format!(
        "{}\n{COMPANY}\n{}\
         INSERT INTO field_value (workflow_id, company_id, field_name, value, wire, wire_hash, salt, written_at) \
         VALUES (1, 'acme', 'sign', '{value}', 'a', 0, {}, 0);\n\
         INSERT INTO sealed_document (workflow_id, company_id, document_hash, document_length, certificate_hash, \
         certificate_length, sealed_at) VALUES (1, 'acme', {}, 1, {}, 1, 0);\n\
         INSERT INTO preview (id, company_id, content, created_at, expires_at) VALUES (3, 'acme', '{preview}', 0, 900);\n\
         INSERT INTO template_file (hash, company_id, template_id, version) VALUES ({}, 'acme', 5, 1);\n",
        unchecked(database),
        workflow(database, 1, "Complete"),
        bytes(database),
        name(42),
        name(43),
        name(60),
    );
    for number in 40..=43 {
        then = format!(
            "{then}INSERT INTO blob_reference (hash, workflow_id, company_id) VALUES ({}, 1, 'acme');\n",
            name(number)
        );
    }
    for (recipient, number, since) in [("NULL", 1, "5"), ("NULL", 1, "7"), ("1", 2, "NULL")] {
        then = format!(
            "{then}INSERT INTO upload (company_id, recipient_id, hash, length, loose_since) \
             VALUES ('acme', {recipient}, {}, 1, {since});\n",
            name(number)
        );
    }
    as_of(database, 29, &then);
    let store = database.open();
    let rows = store.read(|tx| tx.query(&LOOSE_FILES, &[])).expect("the loose files");
    let found: Vec<(i64, BlobHash, i64)> = rows
        .iter()
        .map(|row| {
            (
                row.get("claim").expect("a number"),
                row.get("hash").expect("a hash"),
                row.get("since").expect("a time"),
            )
        })
        .collect();
    let loose = |claim, number, since| (claim, BlobHash([number; 32]), since);
    assert_eq!(found, [loose(-3, 50, 900), loose(0, 1, 7), loose(0, 41, 0)]);
    for (number, is_needed) in [
        (1, false),
        (2, true),
        (40, true),
        (41, false),
        (42, true),
        (43, true),
        (50, true),
        (60, false),
    ] {
        let needed = store.read(move |tx| store::loose_file::is_needed(tx, BlobHash([number; 32])));
        assert_eq!(needed.expect("an answer"), is_needed, "{number}");
    }
}

/// A version without the idle limit starts a session on another node.
fn a_session_that_an_older_program_begins_beside_this_one_counts_from_its_beginning(database: &TestDatabase) {
    let store = database.open();
    let at = |second| Timestamp::from_second(second).expect("a time");
    store
        .write(move |tx| {
            let company = domain::CompanyId::parse("acme").expect("an id");
            store::company::insert(tx, &testkit::rows::company(&company, at(0)))?;
            store::member::insert(tx, &company, "a@example.com", "A", domain::Role::Owner, "x", at(0))?;
            tx.execute_one(&OLD_SESSION, store::values![[7_u8; 32].as_slice(), at(100), at(900)])
        })
        .expect("as it does");
    let found = |idle_since: i64| {
        store
            .read_one(move |tx| store::member::find_session(tx, &[7; 32], at(200), at(idle_since)))
            .expect("it is looked for")
            .map(|session| session.seen_at)
    };
    let cleaned = |idle_since: i64| {
        store
            .write(move |tx| store::member::delete_expired_sessions(tx, at(200), at(idle_since)))
            .expect("cleaned")
    };
    assert_eq!((found(99), cleaned(99)), (Some(at(100)), 0));
    assert_eq!(found(100), None, "idle for too long");
    store
        .write(move |tx| store::member::use_session(tx, &[7; 32], at(150)))
        .expect("it is used here");
    assert_eq!((found(149), cleaned(149)), (Some(at(150)), 0));
    assert_eq!((found(150), cleaned(150)), (None, 1));
}

fn a_session_from_before_the_idle_limit_lives_on_and_is_idle_since_it_began(database: &TestDatabase) {
    let hash = if database.url().is_some() {
        format!("'\\x{}'", "07".repeat(32))
    } else {
        format!("x'{}'", "07".repeat(32))
    };
    let rows = format!(
        "{COMPANY}\nINSERT INTO member (company_id, email, email_key, name, role, password_hash, created_at) \
         VALUES ('acme', 'a@example.com', 'a@example.com', 'A', 'owner', 'x', 0);\n\
         INSERT INTO member_session (session_hash, company_id, member_id, created_at, expires_at) \
         SELECT {hash}, company_id, id, 100000000, 900000000 FROM member;"
    );
    as_of(database, 23, &rows);
    let store = database.open();
    let found = |now: i64, idle_since: i64| {
        let at = |second| Timestamp::from_second(second).expect("a time");
        store
            .read_one(move |tx| store::member::find_session(tx, &[7; 32], at(now), at(idle_since)))
            .expect("it is looked for")
            .map(|session| session.seen_at.as_second())
    };
    assert_eq!(found(200, 99), Some(100));
    assert_eq!(found(200, 100), None, "idle for too long");
    assert_eq!(found(900, 99), None, "over");
}

fn files_of_drafts_and_templates_of_before_are_known_by_their_hash(database: &TestDatabase) {
    let hash = |number: u8| BlobHash([number; 32]);
    let bytes = |number: u8| hash_text(database, number);
    let draft = |id: i64| {
        let hash = hash(u8::try_from(id).expect("a small number"));
        format!(
            "INSERT INTO draft (recipient_id, company_id, field_values, written_at) VALUES ({id}, 'acme', \
             '{{\"texts\":{{}},\"files\":{{\"a\":{{\"file_name\":\"a\",\"media_type\":\"b\",\"hash\":\"{hash}\",\"length\":7}}}}}}', 0);\n"
        )
    };
    let workflow = |id: i64, status: &str| format!("{}{}", workflow(database, id, status), draft(id));
    let template = format!(
        "INSERT INTO template_version (company_id, template_id, version, name, definition, pdf, original, page_images, \
         created_at, created_by) VALUES ('acme', 1, 1, 'x', '{{}}', {}, {}, '[\"{}\",\"{}\",\"{}\"]', 0, 'x');",
        bytes(30),
        bytes(31),
        hash(32),
        hash(33),
        hash(32)
    );
    let without_files =
        "INSERT INTO draft (recipient_id, company_id, field_values, written_at) VALUES (9, 'acme', '{}', 0);";
    let then = format!(
        "{}\n{COMPANY}\n{template}\n{}{}{without_files}",
        unchecked(database),
        workflow(1, "Playing"),
        workflow(2, "Rejected")
    );
    as_of(database, 23, &then);
    let store = Store::open(database.settings()).expect("the store opens");
    let applied = store.migrate().expect("it is brought up to date");
    assert!(applied.iter().any(|name| name.contains("uploads")), "{applied:?}");
    let rows = store.read(|tx| tx.query(&UPLOADS, &[])).expect("the uploads");
    let found: Vec<(i64, BlobHash, u64, Option<i64>)> = rows
        .iter()
        .map(|row| {
            (
                row.get("recipient_id").expect("an id"),
                row.get("hash").expect("a hash"),
                row.get("length").expect("a length"),
                row.get("loose_since").expect("a time"),
            )
        })
        .collect();
    assert_eq!(found, [(1, hash(1), 7, None), (2, hash(2), 7, Some(0))]);
    let drafts = store.read(|tx| tx.query(&DRAFTS, &[])).expect("the drafts");
    let left: Vec<i64> = drafts
        .iter()
        .map(|row| row.get("recipient_id").expect("an id"))
        .collect();
    assert_eq!(left, [1, 9], "of a document that has ended nothing is left to fill in");
    for (number, is_needed) in [(1, true), (30, true), (31, false), (32, true), (33, true), (34, false)] {
        let needed = store.read(move |tx| store::loose_file::is_needed(tx, hash(number)));
        assert_eq!(needed.expect("an answer"), is_needed, "{number}");
    }
}

fn nothing_is_left_of_what_servers_said_before_excerpts(database: &TestDatabase) {
    let of = dialect(database);
    let rows = [
        row(1, "webhook", "hooks.example.com", "dead", of),
        row(2, "mail", ":mail", "dead", of),
        row(3, "mail", ":mail", "delivered", of),
        row(4, "message", ":gateway/", "dead", of),
    ];
    let said = "UPDATE delivery_try SET code = 550, answer = 'your code is 012345';
        UPDATE delivery_try SET fault = 'no answer' WHERE delivery_id IN (SELECT id FROM outbox WHERE state = 'dead');";
    as_of(database, 33, &format!("{COMPANY}\n{}{said}", rows.concat()));
    let store = Store::open(database.settings()).expect("the store opens");
    store.migrate().expect("it is brought up to date");
    let left = store.read(|tx| tx.query(&TRIES, &[])).expect("the tries");
    let left: Vec<(u16, Option<String>, String)> = left
        .iter()
        .map(|row| {
            let text = |name| row.get(name).expect("a text");
            (
                row.get("code").expect("a code"),
                row.get("fault").expect("a fault"),
                text("answer"),
            )
        })
        .collect();
    let expected = [Some("no answer"), Some("not kept"), None, Some("not kept")];
    let expected = expected.map(|fault| (550, fault.map(str::to_owned), String::new()));
    assert_eq!(left, expected);
}

fn companies_get_a_time_zone_and_workflows_keep_their_offset(database: &TestDatabase) {
    let company = |id: &str, language: &str, offset: i64| {
        let of_another = COMPANY.replace("'acme'", &format!("'{id}'"));
        of_another.replace("'ko', 32400", &format!("'{language}', {offset}"))
    };
    let offsets = [32_400, 0, -12_600, 20_700, -36_000, 50_400];
    let mut then = unchecked(database).to_owned();
    for (id, language, offset) in [
        ("a", "ko", 32_400),
        ("b", "ja", 32_400),
        ("c", "en", 32_400),
        ("d", "ja", 0),
        ("e", "ko", -12_600),
        ("f", "en", 20_700),
    ] {
        then += &company(id, language, offset);
    }
    for (id, offset) in (1..).zip(offsets) {
        then += &workflow(database, id, "Playing").replace("'ko', 0", &format!("'ko', {offset}"));
    }
    as_of(database, 42, &then);
    let store = database.open();
    let zones = |statement| {
        let rows = store.read(move |tx| tx.query(statement, &[])).expect("the rows");
        let zone = |row: &store::Row| row.get::<domain::Zone>("time_zone").expect("a zone").to_string();
        rows.iter().map(zone).collect::<Vec<String>>()
    };
    assert_eq!(
        zones(&ZONES),
        ["Asia/Seoul", "Asia/Tokyo", "Asia/Seoul", "+00:00", "-03:30", "+05:45"]
    );
    assert_eq!(
        zones(&ZONES_OF_WORKFLOWS),
        ["+09:00", "+00:00", "-03:30", "+05:45", "-10:00", "+14:00"]
    );
}

fn documents_of_before_the_search_wait_to_be_indexed(database: &TestDatabase) {
    let then = unchecked(database).to_owned() + &workflow(database, 1, "Playing") + &workflow(database, 2, "Complete");
    as_of(database, 42, &then);
    let index = |tx: &mut dyn store::Transaction| {
        let due = store::search::hold_due(tx, 10)?;
        for document in &due {
            let terms = DocumentTerms::of([document.name.as_str()]);
            store::search::write(tx, document, Some(&terms))?;
        }
        Ok::<_, store::Error>((due.len(), store::search::is_due(tx)?))
    };
    assert_eq!(database.open().write(index).expect("indexed"), (2, false));
}
