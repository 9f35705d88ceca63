//! The history of deliveries is bounded, however many fail: a few here, as many as the environment says in `script/faults`
//! ([`testkit::scale`]).

use domain::{ClientId, CompanyId, WorkflowId};
use jiff::Timestamp;
use store::outbox::{
    self, DeliveryId, Finished, HistoryBound, HistoryFilter, NewChannel, NewDelivery, Outcome, State, Try,
};
use store::{Error, Store, Transaction};
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;
use testkit::scale::Scale;

testkit::on_both_databases!(
    a_flood_of_failures_stays_within_the_bound,
    what_is_to_be_delivered_or_told_is_no_history,
    of_a_delivery_that_is_resent_without_end_the_latest_tries_are_kept,
);

/// So many fail at once, between two looks at the bound.
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

/// Tries everything that is due, with this outcome.
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
        .write(move |tx| {
            enqueue(tx, &id, 0, at(0))?;
            finish_all(tx, "quiet", at(0), Outcome::Dead)
        })
        .expect("one of another company");
    let mut failed = 0;
    // Ten a second: a million fail within the days after which an endpoint is stopped, and what comes for it is held.
    let moment = |failed: u32| at(i64::from(failed / 10));
    while failed < failures {
        let (id, now) = (flooded.clone(), moment(failed));
        failed += store
            .write(move |tx| {
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

fn what_is_to_be_delivered_or_told_is_no_history(database: &TestDatabase) {
    let store = database.open();
    let id = company(&store, "acme");
    let of = id.clone();
    store
        .write(move |tx| {
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
        .write(move |tx| {
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
            .write(move |tx| {
                assert!(outbox::resend(tx, &of, delivery, now)?);
                finish_all(tx, &format!("round {round}"), now, Outcome::Dead)
            })
            .expect("a resend");
    }
    let tries = store.read(move |tx| outbox::tries(tx, &id, delivery)).expect("tries");
    assert_eq!(tries.len(), most);
    assert_eq!(tries[0].at, at(5));
}
