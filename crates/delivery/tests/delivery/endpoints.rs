//! An endpoint that is gone or always fails is stopped, and no delivery is lost.

use std::sync::{Arc, Barrier};

use domain::Clock;
use jiff::SignedDuration;
use store::outbox::{self, Claimed, Outcome, Stop, StopReason, Try};
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;
use testkit::receiver::{Answer, Receiver};

use crate::house::{House, enqueue};

testkit::on_both_databases!(
    gone_stops_the_endpoint_notifies_the_admins_and_holds_what_waits,
    five_days_of_nothing_but_failure_stop_it,
    a_paused_endpoint_gets_nothing_until_it_is_resumed_and_loses_no_try,
);

fn stop_reasons(house: &House) -> Vec<Option<Stop>> {
    let company = house.company.clone();
    let endpoints = house.write(move |tx| outbox::endpoints(tx, &company, "", 100));
    endpoints
        .into_iter()
        .map(|endpoint| endpoint.stopped.map(|(_, reason)| reason))
        .collect()
}

fn switch_on(house: &House, url: &str) -> Option<u64> {
    let (company, url, now) = (house.company.clone(), url.to_owned(), house.app.now());
    house.write(move |tx| outbox::start_endpoint(tx, &company, &url, now))
}

/// The mails to the company itself: recipient and subject.
fn letters(house: &House) -> Vec<(String, String)> {
    let page = house
        .app
        .outbox_messages(&house.caller(), None)
        .expect("the outbox can be read");
    let mut letters: Vec<_> = page
        .messages
        .into_iter()
        .map(|message| (message.to, message.subject))
        .collect();
    letters.sort();
    letters
}

fn gone_stops_the_endpoint_notifies_the_admins_and_holds_what_waits(database: &TestDatabase) {
    let house = House::on(database);
    let (receiver, other) = (Receiver::start(), Receiver::start());
    let url = receiver.url("/hook");
    receiver.answer_next([Answer::status(500), Answer::status(410)]);
    let waiting = house.tell(&url, 1);
    house.deliver();
    let gone = house.tell(&url, 2);
    house.deliver();
    assert_eq!((house.state(waiting), house.state(gone)), ("held", "held"));
    assert_eq!(stop_reasons(&house), [Some(Stop::Failures(StopReason::Gone))]);
    let subject = "[데모 회사] 웹훅 전송이 중지되었습니다".to_owned();
    assert_eq!(
        letters(&house),
        [
            ("admin@example.com".to_owned(), subject.clone()),
            ("owner@example.com".to_owned(), subject)
        ]
    );

    let later = house.tell(&url, 3);
    let elsewhere = house.tell(&other.url("/hook"), 3);
    house.clock.turn(SignedDuration::from_hours(24));
    house.deliver();
    assert_eq!((house.state(later), house.state(elsewhere)), ("held", "delivered"));
    assert_eq!(receiver.received().len(), 2, "nothing goes to a stopped endpoint");
    assert_eq!(letters(&house).len(), 2, "the admins are told once");

    assert_eq!(switch_on(&house, &url), Some(3));
    assert_eq!(switch_on(&house, &url), None, "it is on already");
    house.deliver();
    let mut events: Vec<_> = receiver.wait_for(5)[2..]
        .iter()
        .map(|request| request.header("webhook-id").to_owned())
        .collect();
    events.sort();
    assert_eq!(events, ["msg_0", "msg_1", "msg_2"], "nothing is lost");
    for id in [waiting, gone, later] {
        assert_eq!(house.state(id), "delivered");
    }
}

fn a_paused_endpoint_gets_nothing_until_it_is_resumed_and_loses_no_try(database: &TestDatabase) {
    let house = House::on(database);
    let (receiver, other) = (Receiver::start(), Receiver::start());
    let url = receiver.url("/hook");
    receiver.answer_next([Answer::status(500)]);
    let failed = house.tell(&url, 1);
    house.deliver();
    let pause = || {
        let (company, url, now) = (house.company.clone(), url.clone(), house.app.now());
        house.write(move |tx| outbox::pause_endpoint(tx, &company, &url, now))
    };
    assert_eq!((pause(), pause()), (Some(1), None));
    assert_eq!(stop_reasons(&house), [Some(Stop::Paused)]);
    let (later, elsewhere) = (house.tell(&url, 2), house.tell(&other.url("/hook"), 2));
    // Longer than all tries together, and longer than the time after which failures stop an endpoint.
    for _ in 0..10 {
        house.clock.turn(SignedDuration::from_hours(24));
        house.deliver();
    }
    let states = [failed, later, elsewhere].map(|id| house.state(id));
    assert_eq!(states, ["held", "held", "delivered"]);
    assert_eq!((receiver.received().len(), house.tries(later).len()), (1, 0));
    assert_eq!(letters(&house), [], "nobody is told of what a member did");

    assert_eq!(switch_on(&house, &url), Some(2));
    house.deliver();
    assert_eq!((house.state(failed), house.state(later)), ("delivered", "delivered"));
    assert_eq!(receiver.received().len(), 3);
    assert_eq!(stop_reasons(&house), []);
}

#[test]
fn the_admins_are_notified_of_a_stop_even_if_the_lease_was_lost_meanwhile() {
    let house = House::on(&TestDatabase::sqlite());
    let (clock, store) = (Arc::clone(&house.clock), house.app.store.clone());
    // While the receiver answers, the lease expires and another worker claims the delivery.
    let receiver = Receiver::answering(move |_| {
        clock.turn(SignedDuration::from_mins(10));
        let now = clock.now();
        let taken = store.write_relaxed(move |tx| claim_due(tx, "elsewhere#1", "elsewhere", now, 1));
        assert_eq!(taken.expect("a claim").len(), 1);
        Answer::status(410)
    });
    let id = house.tell(&receiver.url("/hook"), 1);
    house.deliver();
    assert_eq!(
        house.tries(id).len(),
        0,
        "nothing is recorded of a delivery that another has"
    );
    assert_eq!(stop_reasons(&house), [Some(Stop::Failures(StopReason::Gone))]);
    assert_eq!(letters(&house).len(), 2);
}

/// Makes one delivery that stops the endpoint, and returns another one that was claimed meanwhile.
fn stopped_with_one_under_way(house: &House, url: &str) -> Claimed {
    let (id, now) = (house.tell(url, 1), house.app.now());
    let claimed = house
        .write(move |tx| claim_due(tx, "elsewhere#1", "elsewhere", now, 1))
        .remove(0);
    assert_eq!(claimed.id, id);
    let gone = house.tell(url, 2);
    house.deliver();
    assert_eq!(house.state(gone), "held");
    claimed
}

fn failed(house: &House, claimed: &Claimed) {
    let (claimed, now) = (claimed.clone(), house.app.now());
    let made = Try {
        at: now,
        duration: 1,
        code: Some(500),
        fault: None,
        answer: String::new(),
    };
    house.write(move |tx| outbox::finish(tx, &claimed, &made, Outcome::Retry(now), now).map(drop));
}

#[test]
fn what_is_held_at_the_moment_of_switching_on_is_let_go() {
    for start_first in [true, false] {
        let database = TestDatabase::postgres();
        let house = House::on(&database);
        let receiver = Receiver::start();
        let url = receiver.url("/hook");
        receiver.answer_next([Answer::status(410)]);
        let claimed = stopped_with_one_under_way(&house, &url);
        let mut lock = database.lock("SELECT url FROM endpoint FOR UPDATE");
        std::thread::scope(|scope| {
            let start = || switch_on(&house, &url);
            let finish = || failed(&house, &claimed);
            if start_first {
                scope.spawn(start);
                lock.wait_for(1);
                scope.spawn(finish);
            } else {
                scope.spawn(finish);
                lock.wait_for(1);
                scope.spawn(start);
            }
            lock.wait_for(2);
            lock.release();
        });
        assert_eq!(stop_reasons(&house).into_iter().flatten().count(), 0, "it is on");
        house.deliver();
        assert_eq!(house.state(claimed.id), "delivered", "start first: {start_first}");
    }
}

/// The transaction that enqueues a delivery begins before the endpoint is switched on and ends after that.
#[test]
fn what_is_enqueued_at_the_moment_of_switching_on_is_sent() {
    let database = TestDatabase::postgres();
    let house = House::on(&database);
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    receiver.answer_next([Answer::status(410)]);
    house.tell(&url, 1);
    house.deliver();
    let (new, enqueued, switched) = (house.webhook(&url, 2), Barrier::new(2), Barrier::new(2));
    let (enqueued, switched) = (Arc::new(enqueued), Arc::new(switched));
    let id = std::thread::scope(|scope| {
        let (at_enqueued, at_switched) = (Arc::clone(&enqueued), Arc::clone(&switched));
        let late = scope.spawn(|| {
            house.write(move |tx| {
                let id = enqueue(tx, &new)?;
                at_enqueued.wait();
                at_switched.wait();
                Ok(id)
            })
        });
        enqueued.wait();
        assert_eq!(switch_on(&house, &url), Some(1));
        switched.wait();
        late.join().expect("no panic")
    });
    house.deliver();
    assert_eq!(house.state(id), "delivered");
}

fn five_days_of_nothing_but_failure_stop_it(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    receiver.answer_always(Answer::status(500));
    house.tell(&url, 1);
    house.deliver();
    house.clock.turn(SignedDuration::from_hours(24 * 4));

    // A single success resets the count of days.
    receiver.answer_always(Answer::status(200));
    house.tell(&url, 2);
    house.deliver();
    receiver.answer_always(Answer::status(500));
    house.clock.turn(SignedDuration::from_hours(24 * 2));
    house.tell(&url, 3);
    house.deliver();
    assert_eq!(stop_reasons(&house), [None]);

    house.clock.turn(SignedDuration::from_hours(24 * 5));
    let last = house.tell(&url, 4);
    house.deliver();
    assert_eq!(stop_reasons(&house), [Some(Stop::Failures(StopReason::Failing))]);
    assert_eq!(house.state(last), "held");
    assert_eq!(letters(&house).len(), 2);
}
