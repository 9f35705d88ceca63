//! Tests that erasing a person leaves no plain text about them, and that all evidence remains valid.

use document::verify;
use domain::{ChainFile, WorkflowId};
use store::{Value, values};
use testkit::database::TestDatabase;
use testkit::operator::operator;
use testkit::scale::Scale;

use crate::chain_formats::of_an_earlier_version;
use crate::edits::statement;
use crate::support::{TestApp, on_both, text_of};
use crate::uploads::{at_present, removed};
use crate::world::{World, act, fields_of_first, given, id_of, origin, two_steps, writer};

const NAME: &str = "Wanda Kanarienvogel";
const CONTACT: &str = "wanda.kanarienvogel@example.com";
/// The search text, in lower case.
const CANARY: &str = "kanarienvogel";

fn request(world: &World<'_>) -> app::StartRequest {
    app::StartRequest {
        workflow_name: Some(format!("Contract of {NAME}")),
        comment: Some(format!("Dear {NAME}")),
        recipients: vec![writer(1, NAME, CONTACT), writer(2, "山田太郎", "yamada@example.com")],
        cc: vec![app::StartCopy {
            name: Some(NAME.to_owned()),
            email: Some("Wanda.Kanarienvogel@example.com".to_owned()),
        }],
        ..world.request()
    }
}

fn completed(world: &World<'_>) -> WorkflowId {
    let id = id_of(&world.start(request(world)));
    let mut first = act(fields_of_first());
    first.fields[0].value = Some(NAME.to_owned());
    first.comment = Some(format!("{NAME} agrees"));
    world.approve(id, first).expect("the first approval");
    world
        .approve(id, act(vec![given("pay", "3000000")]))
        .expect("the last approval");
    id
}

fn has_canary(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    text.contains(CANARY)
}

/// Whether a backup of the database contains the canary, as text or in hexadecimal. `None` for SQLite, whose file is
/// searched by a separate test.
fn dump_has_canary(app: &TestApp) -> Option<bool> {
    // The first letter may be upper or lower case.
    let in_hexadecimal = hex::encode(&CANARY[1..]);
    let dump = app.database.dump()?;
    let dump_as_text = String::from_utf8_lossy(&dump);
    assert!(
        dump_as_text.contains("COPY public.workflow "),
        "every table is in the dump"
    );
    Some(has_canary(&dump) || dump_as_text.contains(&in_hexadecimal))
}

/// Returns the tables and columns with the canary in plain text.
fn tables_with_canary(app: &TestApp) -> Vec<String> {
    let names = match app.database.url() {
        None => "SELECT name FROM sqlite_master WHERE type = 'table'",
        Some(_) => {
            "SELECT CAST(table_name AS TEXT) AS name FROM information_schema.tables WHERE table_schema = 'public'"
        }
    };
    let names = statement(names.to_owned());
    let tables: Vec<String> = app
        .store
        .read(move |tx| tx.query(names, values![])?.iter().map(|row| row.get("name")).collect())
        .expect("tables");
    assert!(tables.len() > 20, "{tables:?}");
    let mut found = Vec::new();
    for table in tables {
        let select = statement(format!("SELECT * FROM \"{table}\""));
        let Ok(rows) = app.store.read(move |tx| tx.query(select, values![])) else {
            continue;
        };
        for row in rows {
            for column in row.columns() {
                let is_found = match row.value(column) {
                    Some(Value::Text(text)) => has_canary(text.as_bytes()),
                    Some(Value::Blob(bytes)) => has_canary(bytes),
                    _ => false,
                };
                if is_found {
                    found.push(format!("{table}.{column}"));
                }
            }
        }
    }
    found
}

/// Returns the files with the canary, except the sealed documents.
fn files_with_canary(app: &TestApp, documents: &[Vec<u8>]) -> Vec<String> {
    let mut found = Vec::new();
    for file in app.blobs.list().expect("a list") {
        let bytes = app.blobs.get(&file.hash).expect("a file");
        if documents.contains(&bytes) {
            continue;
        }
        let mut is_found = has_canary(&bytes);
        if bytes.starts_with(b"%PDF") {
            is_found |= has_canary(text_of(&bytes).as_bytes());
            let attachments = verify::attachments(&bytes).expect("attachments");
            is_found |= attachments.iter().any(|attachment| has_canary(&attachment.data));
        }
        if is_found {
            found.push(file.hash.to_string());
        }
    }
    found
}

fn chain_of(certificate: &[u8]) -> ChainFile {
    let attachments = verify::attachments(certificate).expect("attachments");
    let mut files = attachments.iter();
    files
        .find_map(|attachment| serde_json::from_slice(&attachment.data).ok())
        .expect("a chain")
}

#[test]
fn nothing_of_an_erased_person_is_left_in_the_clear_and_all_that_was_proved_stays_proved() {
    on_both(|app| {
        at_present(app);
        let world = World::new(app, &two_steps());
        let ids = [completed(&world), completed(&world)];
        let canceled = id_of(&world.start(request(&world)));
        let mut words = act(Vec::new());
        words.comment = Some(format!("{NAME} has left"));
        app.cancel(&world.caller, canceled, &words, &origin())
            .expect("cancelled");
        let documents: Vec<Vec<u8>> = ids.iter().map(|id| world.sealed_files(*id).0).collect();
        let before = world.sealed_files(ids[0]).1;
        assert!(has_canary(text_of(&before).as_bytes()));
        assert!(!tables_with_canary(app).is_empty());
        assert_ne!(dump_has_canary(app), Some(false));
        settle_messages(app);
        index(app);
        let is_found = || {
            let request = app::ListRequest {
                text: Some(CANARY.to_owned()),
                ..app::ListRequest::default()
            };
            !app.workflows(&world.caller, &request)
                .expect("a list")
                .workflow_list
                .is_empty()
        };
        assert!(is_found());

        let erased = app
            .erase_person(&operator(app, &world.company), CONTACT)
            .expect("erased");
        assert_eq!((erased.workflows, erased.messages_left), (3, 0), "{erased:?}");
        assert!(erased.under_way.is_empty() && erased.of_format_one.is_empty());
        assert!(!is_found());
        index(app);
        assert!(!is_found(), "what is left is found without the person");
        app.clock.advance(3_600);
        removed(app);
        assert_eq!(tables_with_canary(app), Vec::<String>::new());
        assert_ne!(dump_has_canary(app), Some(true));
        assert_eq!(files_with_canary(app, &documents), Vec::<String>::new());

        let report = app.audit_verify().expect("a report");
        assert!(report.is_clean(), "{report:?}");
        let (document, certificate) = world.sealed_files(ids[0]);
        assert_eq!(document, documents[0], "the contract stays as it is");
        assert!(verify::verify_soundness(&certificate).unsound().next().is_none());
        let chain = chain_of(&certificate);
        assert_eq!(chain.verify().map(|head| head.sequence), Ok(chain.entries.len() as u64));
        let view = app.workflow(&world.caller, ids[0]).expect("the workflow");
        assert_eq!(view.steps[0].name, "[삭제됨]");
        assert_eq!(view.steps[1].name, "山田太郎", "others stay");
        assert!(view.history.iter().any(|entry| entry.event == "person_erased"));
        assert!(text_of(&certificate).contains("[삭제됨]"));
        let again = app
            .erase_person(&operator(app, &world.company), CONTACT)
            .expect("erased");
        assert_eq!((again.workflows, again.texts), (0, 0));
    });
}

#[test]
fn a_person_is_recognised_in_any_spelling() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let contact = "Ünal.Kanarienvogel@example.com";
        let id = id_of(&world.start(app::StartRequest {
            // The accent is a separate character.
            workflow_name: Some("Vertrag mit ZOE\u{308} KANARIENVOGEL".to_owned()),
            recipients: vec![
                writer(1, "Zoë Kanarienvogel", contact),
                writer(2, "山田太郎", "yamada@example.com"),
            ],
            ..world.request()
        }));
        app.cancel(&world.caller, id, &act(Vec::new()), &origin())
            .expect("cancelled");
        settle_messages(app);
        let erased = app
            .erase_person(&operator(app, &world.company), contact)
            .expect("erased");
        assert_eq!(erased.workflows, 1);
        let view = app.workflow(&world.caller, id).expect("the workflow");
        assert_eq!(
            (view.workflow_name.as_str(), view.steps[0].name.as_str()),
            ("[삭제됨]", "[삭제됨]")
        );
    });
}

/// Indexes all texts, as the job does.
fn index(app: &TestApp) {
    while app.index_texts(100).expect("indexed") == 100 {}
}

/// Marks all messages as delivered, and records it in the chains.
fn settle_messages(app: &TestApp) {
    let settle = statement(
        "UPDATE outbox SET state = 'dead', finished_at = created_at, lease = NULL, lease_owner = NULL".to_owned(),
    );
    app.store
        .write(move |tx| tx.execute(settle, values![]))
        .expect("settled");
}

#[test]
fn a_sqlite_file_its_log_and_a_copy_contain_nothing_of_an_erased_person() {
    let app = TestApp::new(TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    for _ in 0..20 {
        completed(&world);
    }
    settle_messages(&app);
    index(&app);
    let store::Settings::Sqlite { path, .. } = app.database.settings() else {
        panic!("a SQLite database");
    };
    let folder = path.parent().expect("a folder");
    let files_with_canary = || -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|file| file.expect("a file").path());
        files
            .filter(|file| file.is_file() && has_canary(&std::fs::read(file).expect("bytes")))
            .collect()
    };
    assert!(!files_with_canary().is_empty());
    app.erase_person(&operator(&app, &world.company), CONTACT)
        .expect("erased");
    assert_eq!(files_with_canary(), Vec::<std::path::PathBuf>::new());
    let copy = tempfile::tempdir().expect("a folder");
    let backup = copy.path().join("backup.db");
    std::fs::copy(path, &backup).expect("a backup");
    assert!(!has_canary(&std::fs::read(&backup).expect("bytes")));
}

#[test]
fn a_person_is_erased_from_many_workflows_and_every_chain_and_certificate_still_holds() {
    let count = Scale::Erased.count();
    let app = TestApp::new(TestDatabase::sqlite());
    let world = World::new(&app, &two_steps());
    let finished: Vec<WorkflowId> = (0..10).map(|_| completed(&world)).collect();
    for _ in 10..count {
        let id = id_of(&world.start(request(&world)));
        app.cancel(&world.caller, id, &act(Vec::new()), &origin())
            .expect("cancelled");
    }
    let other = id_of(&world.start(world.request()));
    settle_messages(&app);
    let erased = app
        .erase_person(&operator(&app, &world.company), CONTACT)
        .expect("erased");
    assert_eq!(erased.workflows, u64::from(count));
    assert_eq!(tables_with_canary(&app), Vec::<String>::new());
    let report = app.audit_verify().expect("a report");
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(report.workflows, u64::from(count) + 1);
    for id in finished {
        let (document, certificate) = world.sealed_files(id);
        for pdf in [&document, &certificate] {
            assert!(verify::verify_soundness(pdf).unsound().next().is_none());
        }
        assert!(chain_of(&certificate).verify().is_ok());
    }
    let view = app.workflow(&world.caller, other).expect("the workflow");
    assert_eq!(view.steps[0].name, "김민준", "documents of others stay as they are");
}

#[test]
fn documents_under_way_and_of_earlier_versions_are_named_and_stay() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let open = id_of(&world.start(request(&world)));
        let old = completed(&world);
        of_an_earlier_version(app, &world.company, old);
        let erased = app
            .erase_person(&operator(app, &world.company), CONTACT)
            .expect("erased");
        assert_eq!(erased.workflows, 0);
        assert_eq!((erased.under_way, erased.of_format_one), (vec![open], vec![old]));
        assert_eq!(
            app.workflow(&world.caller, open).expect("the workflow").steps[0].name,
            NAME
        );
        assert!(app.audit_verify().expect("a report").is_clean());
    });
}

#[test]
fn a_text_that_somebody_removed_by_hand_is_no_erased_one() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = completed(&world);
        let remove =
            statement("UPDATE audit_entry SET texts = NULL WHERE workflow_id = $1 AND sequence = 1".to_owned());
        app.store
            .write(move |tx| tx.execute(remove, values![id]))
            .expect("removed");
        let report = app.audit_verify().expect("a report");
        let expected = store::check::FaultKind::TextMissing { entry: 1 };
        assert_eq!(
            report.faults.iter().map(|fault| &fault.kind).collect::<Vec<_>>(),
            [&expected]
        );
    });
}
