//! Tests of leases, lanes, the bell, and several runners at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use delivery::node;
use delivery::runner::RunnerSettings;
use domain::Contact;
use jiff::SignedDuration;
use store::Store;
use store::outbox::{self, Finished, Outcome, Try};
use testkit::database::TestDatabase;
use testkit::database_proxy::{DatabaseProxy, Fault};
use testkit::deliveries::claim_due;
use testkit::receiver::{Answer, Receiver};
use testkit::smtp_sink::{SmtpSink, Trouble};

use crate::house::{House, endless, settings};

testkit::on_both_databases!(
    a_dead_workers_delivery_is_made_when_its_lease_ends_and_its_late_result_counts_no_more,
    two_runners_share_the_work_and_nothing_is_sent_twice,
    a_transaction_that_is_undone_tells_nobody,
    what_was_tried_very_often_is_recorded_when_it_is_taken_and_its_oldest_try_forgotten,
);

store::statements! {
    /// Sets the number of tries made.
    pub static TRIED_OFTEN = "UPDATE outbox SET tries_made = $2 WHERE id = $1";
}

fn claim_as(house: &House, owner: &str) -> Vec<outbox::Claimed> {
    let now = house.app.now();
    let owner = owner.to_owned();
    house.write(move |tx| claim_due(tx, &format!("{owner}#1"), &owner, now, 10))
}

fn a_dead_workers_delivery_is_made_when_its_lease_ends_and_its_late_result_counts_no_more(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let id = house.tell(&receiver.url("/hook"), 1);
    let mut claimed = claim_as(&house, "elsewhere/1/1");
    assert_eq!(claimed.len(), 1);
    assert_eq!(claim_as(&house, "other"), [], "one lease at a time");

    house.clock.turn(SignedDuration::from_secs(89));
    house.deliver();
    assert_eq!(receiver.received().len(), 0, "the lease holds");
    house.clock.turn(SignedDuration::from_secs(2));
    house.deliver();
    assert_eq!((receiver.received().len(), house.state(id)), (1, "delivered"));

    let (late, now) = (claimed.remove(0), house.app.now());
    let made = Try {
        at: now,
        duration: 1,
        code: Some(500),
        fault: None,
        answer: String::new(),
    };
    let finished = house.write(move |tx| outbox::finish(tx, &late, &made, Outcome::Dead, now));
    assert_eq!(finished, Finished::LeaseLost { stopped: None });
    assert_eq!((house.state(id), house.tries(id).len()), ("delivered", 1));
}

#[test]
fn what_a_killed_process_of_this_machine_held_is_taken_back_at_once() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let id = house.tell(&receiver.url("/hook"), 1);
    // This process's number with another start time stands for a process that has ended.
    let this = node::this_process();
    let (machine_and_number, _) = this.rsplit_once('/').expect("three parts");
    assert_eq!(claim_as(&house, &format!("{machine_and_number}/0")).len(), 1);
    let elsewhere = house.tell(&receiver.url("/hook"), 2);
    assert_eq!(claim_as(&house, "elsewhere/1/1").len(), 1);

    let runner = house.runner();
    house.runtime.block_on(async {
        runner.recover().await;
        runner.run_until_idle().await;
    });
    assert_eq!((house.state(id), house.state(elsewhere)), ("delivered", "waiting"));
    assert_eq!(receiver.received().len(), 1);
}

/// The claim may have locked deliveries that no process knows of. They must not wait for its lease to expire.
#[test]
fn what_a_claim_took_whose_answer_was_lost_is_delivered_at_the_next_look() {
    let database = TestDatabase::postgres();
    drop(database.open());
    let proxy = DatabaseProxy::to(database.settings());
    let house = House::with_store(Store::open(proxy.settings()).expect("the store"));
    let receiver = Receiver::start();
    let runner = house.runner();
    let look = || house.runtime.block_on(runner.run_until_idle());
    look();
    let id = house.tell(&receiver.url("/hook"), 1);
    proxy.arm(Fault::AfterTheCommit);
    look();
    assert_eq!(proxy.met(), 1, "the claim's commit met the fault");
    assert_eq!((receiver.received().len(), house.state(id)), (0, "waiting"));
    look();
    assert_eq!((receiver.received().len(), house.state(id)), (1, "delivered"));
}

/// A result is written again if its first write may have failed. If the first write succeeded, the second changes
/// nothing, and nothing is delivered twice.
#[test]
fn a_result_whose_answer_was_lost_is_written_again_and_the_delivery_made_once() {
    for fault in [Fault::AfterTheCommit, Fault::BeforeTheCommit] {
        let database = TestDatabase::postgres();
        drop(database.open());
        let proxy = Arc::new(DatabaseProxy::to(database.settings()));
        let house = House::with_store(Store::open(proxy.settings()).expect("the store"));
        let line = Arc::clone(&proxy);
        let receiver = Receiver::answering(move |_| {
            line.arm(fault);
            Answer::status(200)
        });
        let id = house.tell(&receiver.url("/hook"), 1);
        house.deliver();
        assert_eq!(proxy.met(), 1, "the result met the fault");
        house.clock.turn(SignedDuration::from_secs(91));
        house.deliver();
        assert_eq!(
            (receiver.received().len(), house.state(id), house.tries(id).len()),
            (1, "delivered", 1),
            "{fault:?}"
        );
    }
}

fn what_was_tried_very_often_is_recorded_when_it_is_taken_and_its_oldest_try_forgotten(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    receiver.answer_next([Answer::status(500)]);
    let id = house.tell(&receiver.url("/hook"), 1);
    house.deliver();
    house.write(move |tx| tx.execute_one(&TRIED_OFTEN, store::values![id.0, outbox::MOST_TRIES_KEPT]));
    house.clock.turn(SignedDuration::from_mins(10));
    house.deliver();
    let codes: Vec<_> = house.tries(id).iter().map(|made| made.code).collect();
    assert_eq!((house.state(id), codes), ("delivered", vec![Some(200)]));
}

fn two_runners_share_the_work_and_nothing_is_sent_twice(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    for workflow in 0..120 {
        house.tell(&url, workflow / 3);
    }
    let (one, other) = (house.runner_with(settings("one")), house.runner_with(settings("other")));
    house
        .runtime
        .block_on(async { tokio::join!(one.run_until_idle(), other.run_until_idle()) });
    // One runner may have been idle while the other held the last first tries.
    house.deliver();

    let requests = receiver.wait_for(120);
    assert_eq!(requests.len(), 120);
    let mut ids: Vec<_> = requests
        .iter()
        .map(|request| request.header("webhook-id").to_owned())
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 120);
    let mut order: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for request in &requests {
        let body = request.json();
        let number = |name: &str| body[name].as_i64().expect("a number");
        order.entry(number("workflow_id")).or_default().push(number("event"));
    }
    for (workflow, events) in order {
        assert!(
            events.is_sorted() && events.len() == 3,
            "workflow {workflow}: {events:?}"
        );
    }
}

fn a_transaction_that_is_undone_tells_nobody(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let new = house.webhook(&receiver.url("/hook"), 1);
    let undone: Result<(), store::Error> = house.app.store.write(move |tx| {
        outbox::enqueue(tx, &new)?;
        Err(store::Error::Closed)
    });
    assert!(undone.is_err());
    house.deliver();
    assert_eq!(receiver.connections(), 0);
}

/// Settings for a runner that polls only once an hour.
fn patient() -> RunnerSettings {
    RunnerSettings {
        poll: Duration::from_hours(1),
        ..settings("this")
    }
}

#[test]
fn the_bell_wakes_the_runner_and_connections_are_kept() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let runner = house.runner_with(patient());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = house.runtime.spawn(runner.run(async { drop(stopped.await) }));
    for count in 1..=20 {
        house.tell(&receiver.url("/hook"), 1);
        house.app.bell.ring();
        receiver.wait_for(count);
    }
    assert!(
        receiver.connections() <= 2,
        "{} connections for 20 deliveries",
        receiver.connections()
    );
    drop(stop);
    house.runtime.block_on(running).expect("the runner ends");
}

#[test]
fn many_dead_receivers_of_one_company_never_slow_another_company() {
    let house = House::on(&TestDatabase::sqlite()).with_limits(endless());
    let mut silent = Vec::new();
    let dead: Vec<_> = (1..=30).map(Receiver::start_apart).collect();
    for (receiver, workflow) in dead.iter().zip(0..) {
        receiver.answer_always(Answer::Silence);
        silent.push(house.tell(&receiver.url("/hook"), workflow));
    }
    let good = Receiver::start();
    for workflow in 100..110 {
        house.tell_for_other(&good.url("/hook"), workflow);
    }
    let few_workers = RunnerSettings {
        workers: 20,
        per_company: 5,
        batch: 10,
        ..patient()
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = house
        .runtime
        .spawn(house.runner_with(few_workers).run(async { drop(stopped.await) }));
    good.wait_for(10);
    assert!(
        silent.iter().all(|id| house.tries(*id).is_empty()),
        "the other company's came before the first silence was over"
    );
    let asked: usize = dead.iter().map(Receiver::connections).sum();
    assert!(asked <= 5, "{asked} at once");
    drop((stop, dead));
    house.runtime.block_on(running).expect("the runner ends");
}

#[test]
fn one_dead_receiver_never_slows_the_others() {
    let house = House::on(&TestDatabase::sqlite()).with_limits(endless());
    let (dead, good) = (Receiver::start_apart(1), Receiver::start());
    dead.answer_always(Answer::Silence);
    let mut silent = Vec::new();
    for workflow in 0..100 {
        silent.push(house.tell(&dead.url("/hook"), workflow));
    }
    for workflow in 100..150 {
        house.tell(&good.url("/hook"), workflow);
    }
    let few_workers = RunnerSettings {
        workers: 20,
        per_receiver: 2,
        batch: 20,
        ..patient()
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = house
        .runtime
        .spawn(house.runner_with(few_workers).run(async { drop(stopped.await) }));
    good.wait_for(50);
    assert!(dead.connections() <= 2, "{} at once", dead.connections());
    assert!(
        silent.iter().all(|id| house.tries(*id).is_empty()),
        "the good ones came before the first silence was over"
    );
    drop((stop, dead));
    house.runtime.block_on(running).expect("the runner ends");

    // The runner released its claimed deliveries that had not started, so another runner can claim them at once.
    assert_eq!(claim_as(&house, "next").len(), 10);
}

#[test]
fn no_try_outlasts_its_lease() {
    let sink = SmtpSink::start();
    sink.trouble_next(vec![Trouble::Stall]);
    let house = House::on(&TestDatabase::sqlite()).with_smtp(sink.address().port());
    let id = house.ask(&Contact::Email("hong@example.com".to_owned()), "근로계약서");
    let hurried = RunnerSettings {
        margin: SignedDuration::from_millis(500),
        ..settings("this")
    };
    let runner = house.runner_with(hurried);
    house.runtime.block_on(runner.run_until_idle());
    let tries = house.tries(id);
    assert_eq!(tries.len(), 1);
    assert_eq!(tries[0].fault.as_deref(), Some("it did not end within 0.5 s"));
    assert_eq!(house.state(id), "waiting", "it is tried again");
}
