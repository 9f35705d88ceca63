//! The history of deliveries stays within its limits, even if many fail. The test uses a few, and `script/faults` as
//! many as the environment asks for ([`testkit::scale`]).

use domain::{ClientId, CompanyId, WorkflowId};
use jiff::Timestamp;
use store::outbox::{
    self, DeliveryId, Finished, HistoryBound, HistoryFilter, NewChannel, NewDelivery, NewMessage, Outcome, State, Try,
};
use store::{Error, Store, Transaction};
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;
use testkit::scale::Scale;

store::statements! {
    /// A company's remaining mails and text messages, in order.
    pub static LEFT = "SELECT event_id, body, state, finished_at FROM outbox \
        WHERE company_id = $1 AND kind <> 'webhook' ORDER BY id";
}

testkit::on_both_databases!(
    a_flood_of_failures_stays_within_the_bound,
    what_is_still_to_be_delivered_or_noted_is_no_history,
    of_a_delivery_that_is_resent_without_end_the_latest_tries_are_kept,
    messages_are_forgotten_by_age_and_number_a_portion_at_a_time,
    a_code_is_removed_from_its_message_when_its_day_is_over,
);

/// The number of failures between two checks of the limits.
const FLOOD: u32 = 500;
const MOST: u32 = 300;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).expect("a time")
}

fn company(store: &Store, id: &str) -> CompanyId {
    let id = CompanyId::parse(id).expect("an id");
    let row = testkit::rows::company(&id, at(0));
    store
        .write(move |tx| store::company::insert(tx, &row))
        .expect("a company");
    id
}

fn enqueue(tx: &mut dyn Transaction, company: &CompanyId, number: u32, now: Timestamp) -> Result<(), Error> {
    let new = NewDelivery {
        company: company.clone(),
        workflow: Some(WorkflowId(i64::from(number) + 1)),
        event_id: format!("{company} {number}"),
        channel: NewChannel::Webhook {
            url: "https://hooks.example.com/".to_owned(),
            client: ClientId::parse("3f2b8a54-6a0e-4b0e-9d53-1f4c2a7d9e10").expect("a UUID"),
            authorization: None,
        },
        body: vec![7; 500],
        created_at: now,
    };
    outbox::enqueue(tx, &new)
}

fn attempt(now: Timestamp) -> Try {
    Try {
        at: now,
        duration: 1,
        code: Some(400),
        fault: None,
        answer: "x".repeat(1_000),
    }
}

/// Finishes everything that is due, with this outcome.
fn finish_all(tx: &mut dyn Transaction, lease: &str, now: Timestamp, outcome: Outcome) -> Result<u32, Error> {
    let claimed = claim_due(tx, lease, "test", now, FLOOD)?;
    for delivery in &claimed {
        let finished = outbox::finish(tx, delivery, &attempt(now), outcome, now)?;
        assert!(matches!(finished, Finished::Recorded { .. }), "{finished:?}");
    }
    Ok(u32::try_from(claimed.len()).expect("few"))
}

fn kept(store: &Store, company: &CompanyId, state: Option<State>) -> Vec<String> {
    let company = company.clone();
    let filter = HistoryFilter {
        workflow: None,
        state,
        url: None,
        from: Timestamp::MIN,
        to: Timestamp::MAX,
    };
    let kept = store
        .read(move |tx| outbox::history(tx, &company, &filter, i64::MAX, 1_000_000))
        .expect("a history");
    kept.into_iter().map(|delivery| delivery.event_id).collect()
}

fn forget(store: &Store, company: &CompanyId, bound: HistoryBound) -> u64 {
    let mut forgotten = 0;
    loop {
        let company = company.clone();
        let now = store
            .write(move |tx| outbox::forget(tx, &company, &bound))
            .expect("forgotten");
        forgotten += now;
        if now < u64::from(bound.at_once) {
            return forgotten;
        }
    }
}

fn bound(until: Timestamp) -> HistoryBound {
    HistoryBound {
        until,
        most: MOST,
        at_once: 100,
        untold_until: at(-1_000_000),
    }
}

fn a_flood_of_failures_stays_within_the_bound(database: &TestDatabase) {
    let failures = Scale::Failures.count();
    let store = database.open();
    let (flooded, quiet) = (company(&store, "flooded"), company(&store, "quiet"));
    let id = quiet.clone();
    store
        .write_relaxed(move |tx| {
            enqueue(tx, &id, 0, at(0))?;
            finish_all(tx, "quiet", at(0), Outcome::Dead)
        })
        .expect("one of another company");
    let mut failed = 0;
    // Ten a second, so that a million fail within the days after which an endpoint is stopped and its deliveries are
    // held.
    let moment = |failed: u32| at(i64::from(failed / 10));
    while failed < failures {
        let (id, now) = (flooded.clone(), moment(failed));
        failed += store
            .write_relaxed(move |tx| {
                for number in failed..failed + FLOOD {
                    enqueue(tx, &id, number, now)?;
                }
                finish_all(tx, &format!("flood {failed}"), now, Outcome::Dead)
            })
            .expect("a flood");
        forget(&store, &flooded, bound(at(-1)));
        let dead = kept(&store, &flooded, Some(State::Dead));
        assert_eq!(dead.len(), MOST as usize, "after {failed}");
        assert_eq!(dead[0], format!("flooded {}", failed - 1), "the newest are kept");
    }
    assert_eq!(
        kept(&store, &quiet, None).len(),
        1,
        "one company's flood costs no other anything"
    );
    assert_eq!(forget(&store, &quiet, bound(at(0))), 1, "its day has come");
    assert_eq!(forget(&store, &flooded, bound(moment(failed))), u64::from(MOST));
    assert!(kept(&store, &flooded, None).is_empty());
}

fn what_is_still_to_be_delivered_or_noted_is_no_history(database: &TestDatabase) {
    let store = database.open();
    let id = company(&store, "acme");
    let of = id.clone();
    store
        .write_relaxed(move |tx| {
            enqueue(tx, &of, 1, at(0))?;
            finish_all(tx, "one", at(0), Outcome::Delivered)?;
            enqueue(tx, &of, 2, at(0))?;
            finish_all(tx, "two", at(0), Outcome::Gone)?;
            enqueue(tx, &of, 3, at(0))
        })
        .expect("three deliveries");
    let nothing = HistoryBound {
        until: at(1_000),
        most: 0,
        at_once: 10,
        untold_until: at(-1),
    };
    assert_eq!(forget(&store, &id, nothing), 0);
    assert_eq!(
        kept(&store, &id, None),
        ["acme 3", "acme 2", "acme 1"],
        "to be delivered, held, and not yet in its workflow's chain"
    );
    store
        .write(|tx| {
            let untold = outbox::to_note(tx, at(1_000), (Timestamp::MIN, DeliveryId(0)), 10)?;
            outbox::set_noted(tx, untold.iter().map(|delivery| delivery.id))
        })
        .expect("the chain is told");
    assert_eq!(forget(&store, &id, nothing), 1);
    assert_eq!(kept(&store, &id, None), ["acme 3", "acme 2"]);
}

fn of_a_delivery_that_is_resent_without_end_the_latest_tries_are_kept(database: &TestDatabase) {
    let store = database.open();
    let id = company(&store, "acme");
    let of = id.clone();
    let delivery = store
        .write_relaxed(move |tx| {
            enqueue(tx, &of, 1, at(0))?;
            finish_all(tx, "first", at(0), Outcome::Dead)?;
            let filter = HistoryFilter {
                workflow: None,
                state: None,
                url: None,
                from: Timestamp::MIN,
                to: Timestamp::MAX,
            };
            let found = outbox::range(tx, &of, &filter, 0, 1)?;
            Ok::<_, Error>(found[0])
        })
        .expect("a dead letter");
    let most = usize::try_from(outbox::MOST_TRIES_KEPT).expect("few");
    for round in 1..most + 5 {
        let (of, now) = (id.clone(), at(i64::try_from(round).expect("few")));
        store
            .write_relaxed(move |tx| {
                assert!(outbox::resend(tx, &of, delivery, now)?);
                finish_all(tx, &format!("round {round}"), now, Outcome::Dead)
            })
            .expect("a resend");
    }
    let tries = store.read(move |tx| outbox::tries(tx, &id, delivery)).expect("tries");
    assert_eq!(tries.len(), most);
    assert_eq!(tries[0].at, at(5));
}

/// Adds a message of a finished document, or of no document.
fn message(tx: &mut dyn Transaction, company: &CompanyId, number: i64, kind: NewMessage) -> Result<(), Error> {
    let new = NewDelivery {
        company: company.clone(),
        workflow: (number % 2 == 0).then_some(WorkflowId(number)),
        event_id: format!("{company} message {number}"),
        channel: NewChannel::Mail(kind),
        body: b"a code".to_vec(),
        created_at: at(number),
    };
    outbox::enqueue(tx, &new)
}

/// Returns each remaining message: number, body, state, and whether it is finished.
fn messages(store: &Store, company: &CompanyId) -> Vec<(i64, String, String, bool)> {
    let of = company.clone();
    let rows = store
        .read(move |tx| tx.query(&LEFT, store::values![of.as_str()]))
        .expect("messages");
    rows.iter()
        .map(|row| {
            let event: String = row.get("event_id").expect("an id");
            let number = event.rsplit(' ').next().and_then(|number| number.parse().ok());
            let body: Vec<u8> = row.get("body").expect("a body");
            let finished: Option<Timestamp> = row.get("finished_at").expect("a time");
            (
                number.expect("a number"),
                String::from_utf8_lossy(&body).into_owned(),
                row.get("state").expect("a state"),
                finished.is_some(),
            )
        })
        .collect()
}

fn forget_messages(store: &Store, company: &CompanyId, bound: HistoryBound) -> u64 {
    let company = company.clone();
    store
        .write(move |tx| outbox::forget_messages(tx, &company, &bound))
        .expect("forgotten")
}

fn messages_are_forgotten_by_age_and_number_a_portion_at_a_time(database: &TestDatabase) {
    let store = database.open();
    let (acme, other) = (company(&store, "acme"), company(&store, "other"));
    for id in [&acme, &other] {
        let id = id.clone();
        store
            .write_relaxed(move |tx| {
                for number in 0..10 {
                    message(tx, &id, number, NewMessage::Ordinary)?;
                    let outcome = if number == 3 { Outcome::Dead } else { Outcome::Delivered };
                    finish_all(tx, &format!("{id} {number}"), at(number), outcome)?;
                }
                message(tx, &id, 10, NewMessage::Ordinary)?;
                enqueue(tx, &id, 0, at(0))?;
                finish_all(tx, &format!("{id} webhook"), at(-1), Outcome::Dead).map(drop)
            })
            .expect("messages");
    }
    let left = |id: &CompanyId| {
        messages(&store, id)
            .into_iter()
            .map(|(number, ..)| number)
            .collect::<Vec<_>>()
    };
    let all = left(&acme);
    // Deliveries that are not yet recorded in their document's audit trail stay.
    let by_age = HistoryBound {
        until: at(5),
        most: 100,
        at_once: 2,
        untold_until: at(-1),
    };
    for forgotten in [2, 1, 0] {
        assert_eq!(forget_messages(&store, &acme, by_age), forgotten);
    }
    assert_eq!(left(&acme), [0, 2, 4, 6, 7, 8, 9, 10]);
    let told = HistoryBound {
        untold_until: at(1_000),
        at_once: 100,
        ..by_age
    };
    assert_eq!(forget_messages(&store, &acme, told), 3);
    assert_eq!(left(&acme), [6, 7, 8, 9, 10]);
    // The newest two finished ones are kept. Waiting ones are not part of the history.
    let by_number = HistoryBound {
        until: at(0),
        most: 2,
        ..told
    };
    assert_eq!(forget_messages(&store, &acme, by_number), 2);
    assert_eq!(left(&acme), [8, 9, 10]);
    assert_eq!(left(&other), all, "one company's messages are forgotten for no other");
}

fn erase(store: &Store, now: Timestamp) -> Vec<bool> {
    store
        .write(move |tx| {
            let found = outbox::to_erase(tx, now, 10)?;
            for message in &found {
                outbox::erase(tx, message.id, b"nothing", now)?;
            }
            Ok::<_, Error>(found.iter().map(|message| message.is_code).collect())
        })
        .expect("erased")
}

fn a_code_is_removed_from_its_message_when_its_day_is_over(database: &TestDatabase) {
    let store = database.open();
    let id = company(&store, "acme");
    let of = id.clone();
    let code = |number: i64| NewMessage::Code {
        erase_at: at(number + 600),
    };
    store
        .write_relaxed(move |tx| {
            message(tx, &of, 1, code(1))?;
            finish_all(tx, "taken", at(1), Outcome::Delivered)?;
            message(tx, &of, 2, code(2))?;
            finish_all(tx, "dead", at(2), Outcome::Dead)?;
            message(tx, &of, 3, NewMessage::Ordinary)?;
            message(tx, &of, 4, code(4))?;
            // A worker has claimed the waiting delivery and the other message.
            claim_due(tx, "lease", "worker", at(600), 10).map(drop)
        })
        .expect("messages");
    assert_eq!(erase(&store, at(600)), [] as [bool; 0], "each has its day");
    assert_eq!(erase(&store, at(604)), [true, true], "what is being sent is left alone");
    let said = |number: i64, body: &str, state: &str, over: bool| (number, body.to_owned(), state.to_owned(), over);
    let held = [
        said(1, "nothing", "delivered", true),
        said(2, "nothing", "dead", true),
        said(3, "a code", "waiting", false),
        said(4, "a code", "waiting", false),
    ];
    assert_eq!(messages(&store, &id), held);
    store
        .write(|tx| outbox::release_owner(tx, "worker", at(604)))
        .expect("released");
    assert_eq!(erase(&store, at(604)), [true]);
    assert_eq!(
        messages(&store, &id)[3],
        said(4, "nothing", "dead", true),
        "it is not sent any more"
    );
    assert_eq!(messages(&store, &id)[2], held[2], "the other message is");
    assert_eq!(erase(&store, at(10_000)), [] as [bool; 0], "each is erased once");
}
