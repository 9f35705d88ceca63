//! The operator's numbers: waiting work, counted up to a limit and found by indexes.

use domain::{ClientId, CompanyId};
use jiff::{SignedDuration, Timestamp};
use store::outbox::{self, NewChannel, NewDelivery, NewMessage, OutboxQueue, Queues};
use store::{sql, values};
use testkit::database::TestDatabase;

testkit::on_both_databases!(what_waits_is_counted_by_kind_up_to_a_limit);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
}

fn what_waits_is_counted_by_kind_up_to_a_limit(database: &TestDatabase) {
    let store = database.open();
    let queues = |now, most| store.read(move |tx| outbox::queues(tx, now, most)).expect("the queues");
    assert_eq!(queues(at(0), 10), Queues::default());
    let company = CompanyId::parse("acme").expect("an id");
    let row = testkit::rows::company(&company, at(0));
    let webhook = || NewChannel::Webhook {
        url: "https://receiver.example.com/hook".to_owned(),
        client: ClientId::parse("3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10").expect("a UUID"),
        authorization: None,
    };
    let code = || NewMessage::Code { erase_at: at(900) };
    let message = NewChannel::Message {
        gateway: Some("mailbox".to_owned()),
        message: NewMessage::Ordinary,
    };
    let channels = [webhook(), webhook(), webhook(), NewChannel::Mail(code()), message];
    let new: Vec<NewDelivery> = channels
        .into_iter()
        .zip(1..)
        .map(|(channel, number)| NewDelivery {
            company: company.clone(),
            workflow: None,
            event_id: number.to_string(),
            channel,
            body: b"body".to_vec(),
            created_at: at(number),
        })
        .collect();
    store
        .write(move |tx| {
            store::company::insert(tx, &row)?;
            new.iter().try_for_each(|new| outbox::enqueue(tx, new))
        })
        .expect("the rows");
    let queue = |waiting, overdue| OutboxQueue {
        waiting,
        overdue: SignedDuration::from_secs(overdue),
    };
    let found = queues(at(11), 10);
    assert_eq!(
        (found.webhooks, found.mails, found.messages),
        (queue(3, 10), queue(1, 7), queue(1, 6))
    );
    let few = queues(at(11), 2);
    let counted = few.webhooks.waiting + few.mails.waiting + few.messages.waiting;
    assert_eq!((counted, few.webhooks.overdue), (2, SignedDuration::from_secs(10)));
    // Nothing is due yet, but three are waiting.
    assert_eq!(queues(at(0), 10).webhooks, queue(3, 0));
}

#[test]
fn no_number_walks_through_a_whole_table() {
    let database = TestDatabase::sqlite();
    let store = database.open();
    let now = at(0);
    for plan in [
        store.plan(&sql::queue::OUTBOX, values![10_u32]),
        store.plan(&sql::queue::BULK_ROWS, values![10_u32]),
        store.plan(&sql::queue::TIMESTAMPS, values![now, 10_u32]),
    ] {
        let plan = plan.expect("a plan");
        let walks = plan
            .iter()
            .filter(|line| line.starts_with("SCAN ") && !line.contains("INDEX") && *line != "SCAN few");
        assert_eq!(walks.count(), 0, "{plan:#?}");
        assert!(plan.iter().any(|line| line.contains("INDEX")), "{plan:#?}");
    }
}
