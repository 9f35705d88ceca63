//! After a restore nothing is due until the outbox is released.

use domain::{ClientId, CompanyId};
use jiff::Timestamp;
use store::held_outbox::{self, Restored};
use store::outbox::{self, NewChannel, NewDelivery, NewMessage};
use store::{Store, values};
use testkit::database::TestDatabase;

testkit::on_both_databases!(
    nothing_is_due_while_the_outbox_is_held,
    what_waited_in_the_backup_is_given_up_and_what_came_later_is_not,
);

store::statements! {
    pub static STATES = "SELECT event_id, state, tries_made FROM outbox ORDER BY event_id";
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
}

/// Adds a webhook and a mail that were decided at these times.
fn filled(database: &TestDatabase, webhook: Timestamp, mail: Timestamp) -> Store {
    let store = database.open();
    let company = CompanyId::parse("acme").expect("an id");
    let row = testkit::rows::company(&company, at(0));
    let new = move |event_id: &str, channel, created_at| NewDelivery {
        company: company.clone(),
        workflow: None,
        event_id: event_id.to_owned(),
        channel,
        body: b"body".to_vec(),
        created_at,
    };
    let url = "https://receiver.example.com/hook".to_owned();
    let client = ClientId::parse("3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10").expect("a UUID");
    let webhook = new(
        "webhook",
        NewChannel::Webhook {
            url,
            client,
            authorization: None,
        },
        webhook,
    );
    let mail = new("mail", NewChannel::Mail(NewMessage::Ordinary), mail);
    store
        .write(move |tx| {
            store::company::insert(tx, &row)?;
            outbox::enqueue(tx, &webhook)?;
            outbox::enqueue(tx, &mail)?;
            held_outbox::hold(
                tx,
                Restored {
                    at: at(20),
                    backup_of: at(10),
                },
            )
        })
        .expect("a restored outbox");
    store
}

fn due(store: &Store) -> usize {
    let lanes = store.read_one(|tx| outbox::due_lanes(tx, at(1_000))).expect("lanes");
    lanes.len()
}

fn nothing_is_due_while_the_outbox_is_held(database: &TestDatabase) {
    let store = filled(database, at(1), at(2));
    assert_eq!(due(&store), 0);
    let held = store.read(held_outbox::held).expect("read");
    assert_eq!(held.map(|held| held.backup_of), Some(at(10)));
    let waiting = store.read(held_outbox::waiting).expect("read");
    let counts: Vec<(&str, u64)> = waiting
        .iter()
        .map(|waiting| (waiting.kind.as_str(), waiting.count))
        .collect();
    assert_eq!(counts, [("mail", 1), ("webhook", 1)]);
    assert!(store.write(held_outbox::release).expect("released"));
    assert_eq!(due(&store), 2);
    assert!(!store.write(held_outbox::release).expect("nothing is held"));
    let restored = store.read(held_outbox::restored).expect("read");
    assert_eq!(restored.map(|restored| restored.at), Some(at(20)), "that stays known");
}

fn what_waited_in_the_backup_is_given_up_and_what_came_later_is_not(database: &TestDatabase) {
    let store = filled(database, at(1), at(30));
    let dropped = store
        .write(|tx| held_outbox::drop_portion(tx, at(20), 0, 10, at(40)))
        .expect("dropped");
    assert_eq!(dropped.0, 1);
    store.write(held_outbox::release).expect("released");
    assert_eq!(due(&store), 1, "the mail goes out");
    let rows = store.read(|tx| tx.query(&STATES, values![])).expect("rows");
    let states: Vec<(String, String, i64)> = rows
        .iter()
        .map(|row| {
            let text = |column| row.get::<String>(column).expect(column);
            (
                text("event_id"),
                text("state"),
                row.get("tries_made").expect("a number"),
            )
        })
        .collect();
    let state = |id: &str, state: &str, tries| (id.to_owned(), state.to_owned(), tries);
    assert_eq!(states, [state("mail", "waiting", 0), state("webhook", "dead", 1)]);
}
