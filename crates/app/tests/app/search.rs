//! Tests the job that indexes documents, and how it handles changes.

use std::sync::Barrier;

use app::{CorrectRequest, ListRequest};
use domain::WorkflowId;
use store::values;
use testkit::database::TestDatabase;

use crate::edits::statement;
use crate::support::{TestApp, on_both};
use crate::world::{World, act, fields_of_first, given, id_of, origin, two_steps, writer};

fn found(world: &World<'_>, text: &str) -> Vec<i64> {
    let request = ListRequest {
        text: Some(text.to_owned()),
        ..ListRequest::default()
    };
    let list = world.app.workflows(&world.caller, &request).expect("a list");
    list.workflow_list.iter().map(|row| row.workflow_id).collect()
}

fn titled(world: &World<'_>, title: &str) -> WorkflowId {
    let request = app::StartRequest {
        workflow_name: Some(title.to_owned()),
        ..world.request()
    };
    id_of(&world.start(request))
}

#[test]
fn what_a_document_says_now_is_found_and_what_it_said_before_is_not() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = id_of(&world.start(app::StartRequest {
            recipients: vec![
                writer(1, "김민준", "kim@example.com"),
                writer(2, "Mary Smith", "mary@example.com"),
            ],
            ..world.request()
        }));
        assert_eq!(found(&world, "smith"), [0; 0]);
        assert_eq!(app.index_texts(10).expect("indexed"), 1);
        assert_eq!(app.index_texts(10).expect("indexed"), 0, "nothing has changed");
        assert_eq!(found(&world, "smith"), [id.get()]);

        let corrected = CorrectRequest {
            name: Some("Grace Hopper".to_owned()),
            email: Some("grace@example.org".to_owned()),
            ..CorrectRequest::default()
        };
        app.correct_recipient(&world.caller, id, 2, &corrected, &origin())
            .expect("corrected");
        assert_eq!(app.index_texts(10).expect("indexed"), 1);
        assert_eq!(found(&world, "smith"), [0; 0]);
        assert_eq!(found(&world, "hopper"), [id.get()]);

        let mut first = act(fields_of_first());
        first.fields[0].value = Some("Ada Lovelace".to_owned());
        world.approve(id, first).expect("approved");
        assert_eq!(app.index_texts(10).expect("indexed"), 1);
        assert_eq!(found(&world, "lovelace"), [id.get()]);
        world
            .approve(id, act(vec![given("pay", "3000000")]))
            .expect("the last approval");
        assert_eq!(app.index_texts(10).expect("indexed"), 1);
        assert_eq!(found(&world, "6000000"), [id.get()], "calculated values are found");

        app.discard(&world.caller, id, &origin()).expect("hidden");
        assert_eq!(count_of_entries(app), 0, "it is hidden, and so are its terms");
        app.index_texts(10).expect("indexed");
        assert_eq!(count_of_entries(app), 0);
    });
}

fn count_of_entries(app: &TestApp) -> i64 {
    let count = statement("SELECT count(*) AS entries FROM search_entry".to_owned());
    app.store
        .read(move |tx| tx.query_one(count, values![])?.get("entries"))
        .expect("a count")
}

#[test]
fn a_document_that_ends_and_is_hidden_before_the_job_comes_is_never_indexed() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let id = titled(&world, "Contract");
        app.cancel(&world.caller, id, &act(Vec::new()), &origin())
            .expect("cancelled");
        app.discard(&world.caller, id, &origin()).expect("hidden");
        assert_eq!(app.index_texts(10).expect("indexed"), 1);
        assert_eq!(count_of_entries(app), 0);
    });
}

#[test]
fn a_damaged_value_keeps_no_document_from_being_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut request = world.request();
        request.fields = vec![given("성명", "Ada Lovelace")];
        let damaged = id_of(&world.start(request));
        let sound = titled(&world, "Sound");
        let damage = statement("UPDATE field_value SET value = '{'".to_owned());
        app.store
            .write(move |tx| tx.execute(damage, values![]))
            .expect("damaged");
        assert_eq!(app.index_texts(10).expect("indexed"), 2);
        assert_eq!(found(&world, "lovelace"), [0; 0]);
        assert_eq!(found(&world, "근로"), [damaged.get()]);
        assert_eq!(found(&world, "sound"), [sound.get()]);
    });
}

#[test]
fn several_servers_index_at_once_and_each_document_is_found() {
    on_both(|app| {
        let world = World::new(app, &two_steps());
        let mut ids: Vec<i64> = (0..40)
            .map(|number| titled(&world, &format!("Batch {number}")).get())
            .collect();
        ids.reverse();
        let together = Barrier::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    together.wait();
                    while app.index_texts(5).expect("indexed") > 0 {}
                });
            }
        });
        // One of the jobs may have skipped documents that another had locked.
        while app.index_texts(5).expect("indexed") > 0 {}
        let request = ListRequest {
            text: Some("batch".to_owned()),
            limit: Some("100".to_owned()),
            ..ListRequest::default()
        };
        let list = app.workflows(&world.caller, &request).expect("a list");
        assert_eq!(
            list.workflow_list.iter().map(|row| row.workflow_id).collect::<Vec<_>>(),
            ids
        );
    });
}

/// Neither the job nor a transaction waits for the other: a document that is being changed is left for later.
#[test]
fn a_document_that_is_being_changed_is_indexed_afterwards() {
    let app = TestApp::new(TestDatabase::postgres());
    let world = World::new(&app, &two_steps());
    let (busy, idle) = (titled(&world, "Contract A"), titled(&world, "Contract B"));
    let lock = app
        .database
        .lock(&format!("SELECT 1 FROM workflow WHERE id = {busy} FOR NO KEY UPDATE"));
    assert_eq!(app.index_texts(10).expect("indexed"), 1);
    assert_eq!(found(&world, "contract"), [idle.get()]);
    lock.release();
    assert_eq!(app.index_texts(10).expect("indexed"), 1);
    assert_eq!(found(&world, "contract"), [idle.get(), busy.get()]);
}

#[test]
fn what_both_databases_hold_are_the_same_terms() {
    let texts = [
        "근로계약서 ﾀﾅｶ Über",
        "O'Brien & Söhne 010-1234-5678",
        "it''s \\ \"quoted\" $1 {x}: 'a':1",
        "林 · § ·",
    ];
    let terms = [TestDatabase::sqlite(), TestDatabase::postgres()].map(|database| {
        let app = TestApp::new(database);
        let world = World::new(&app, &two_steps());
        for text in texts {
            titled(&world, text);
        }
        app.index_texts(10).expect("indexed");
        terms_of(&app)
    });
    assert_eq!(terms[0], terms[1]);
    assert!(terms[0].len() > 40, "{:?}", terms[0]);
}

/// Returns the terms of every document with their positions: `document term position`.
fn terms_of(app: &TestApp) -> Vec<String> {
    let terms = match app.database.url() {
        // FTS5 uses the positions of the words in the text.
        None => "SELECT CAST(rowid AS TEXT) AS id, terms FROM search_entry",
        Some(_) => {
            "SELECT CAST(workflow_id AS TEXT) AS id, (SELECT string_agg(t.lexeme || ' ' || p.place, '|') \
             FROM unnest(terms) AS t CROSS JOIN LATERAL unnest(t.positions) AS p (place)) AS terms FROM search_entry"
        }
    };
    let terms = statement(terms.to_owned());
    let rows: Vec<(String, String)> = app
        .store
        .read(move |tx| {
            tx.query(terms, values![])?
                .iter()
                .map(|row| Ok((row.get("id")?, row.get("terms")?)))
                .collect::<Result<_, store::Error>>()
        })
        .expect("the terms");
    let is_sqlite = app.database.url().is_none();
    let mut all: Vec<String> = rows
        .iter()
        .flat_map(|(id, terms)| {
            let each: Vec<String> = if is_sqlite {
                let places = (1..).zip(terms.split(' ')).filter(|(_, term)| *term != "·");
                places.map(|(place, term)| format!("{term} {place}")).collect()
            } else {
                terms.split('|').map(str::to_owned).collect()
            };
            each.into_iter().map(move |term| format!("{id} {term}"))
        })
        .collect();
    all.sort();
    all
}
