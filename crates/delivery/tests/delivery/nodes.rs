//! Tests of takeover from dead nodes. Time is counted in beats, so no test waits.

use std::future::Future;
use std::sync::mpsc::{Receiver as Signals, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::nodes::{self, Nodes, SILENCE};
use domain::{MemberId, TemplateId};
use jiff::SignedDuration;
use store::bulk::{self, BulkId, NewBulk, NewRow};
use store::node;
use store::outbox::{self, Claimed, Finished, Outcome, Try};
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;
use testkit::receiver::{Answer, Receiver};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::house::{House, endless, settings};

testkit::on_both_databases!(
    what_a_dead_node_held_is_delivered_by_another_long_before_its_lease_ends,
    a_node_that_beats_keeps_what_it_holds_however_slow_it_is,
    a_node_that_was_taken_for_dead_records_no_result_over_anothers_claim,
    of_two_nodes_one_takes_over_from_a_third,
    bulk_sends_of_a_dead_node_are_given_back,
    a_node_that_is_stopping_keeps_what_it_is_delivering_and_nothing_is_sent_twice,
    what_a_node_still_has_when_its_work_is_done_is_the_others_at_once,
);

/// The time limit must hold on any machine.
#[test]
fn what_a_dead_node_held_is_due_again_within_ten_seconds() {
    assert!(nodes::BEAT * (SILENCE + 1) <= Duration::from_secs(10));
}

fn node_of(house: &House, name: &str) -> Nodes {
    Nodes::new(Arc::clone(&house.app), name.to_owned())
}

fn claim_as(house: &House, owner: &str) -> Vec<Claimed> {
    let (now, owner) = (house.app.now(), owner.to_owned());
    house.write(move |tx| claim_due(tx, &format!("{owner}#1"), &owner, now, 10))
}

/// Beats `count` times. Returns the total number of claims taken over.
fn beats(node: &mut Nodes, count: u32) -> u64 {
    (0..count).map(|_| node.beat().expect("the database answers")).sum()
}

fn what_a_dead_node_held_is_delivered_by_another_long_before_its_lease_ends(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let ids = [
        house.tell(&receiver.url("/hook"), 1),
        house.tell(&receiver.url("/hook"), 2),
    ];
    let (mut dying, mut other) = (node_of(&house, "elsewhere/1/1"), node_of(&house, "here/1/1"));
    beats(&mut dying, 1);
    assert_eq!(claim_as(&house, "elsewhere/1/1").len(), 2);
    assert_eq!(beats(&mut other, SILENCE), 0, "it is heard once, and silent two times");
    house.deliver();
    assert_eq!(receiver.received().len(), 0);
    assert_eq!(beats(&mut other, 1), 2);
    house.deliver();
    assert_eq!(ids.map(|id| house.state(id)), ["delivered"; 2]);
    assert_eq!(house.write(|tx| node::all(tx)).len(), 1, "the dead node is forgotten");
}

fn a_node_that_beats_keeps_what_it_holds_however_slow_it_is(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    house.tell(&receiver.url("/hook"), 1);
    let (mut slow, mut other) = (node_of(&house, "elsewhere/1/1"), node_of(&house, "here/1/1"));
    beats(&mut slow, 1);
    assert_eq!(claim_as(&house, "elsewhere/1/1").len(), 1);
    for _ in 0..20 {
        assert_eq!(beats(&mut other, SILENCE), 0);
        beats(&mut slow, 1);
        // Neither the node's own clock nor that of another node matters.
        house.clock.turn(SignedDuration::from_secs(4));
    }
}

fn a_node_that_was_taken_for_dead_records_no_result_over_anothers_claim(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let id = house.tell(&receiver.url("/hook"), 1);
    let (mut paused, mut other) = (node_of(&house, "elsewhere/1/1"), node_of(&house, "here/1/1"));
    beats(&mut paused, 1);
    let late = claim_as(&house, "elsewhere/1/1").remove(0);
    assert_eq!(beats(&mut other, SILENCE + 1), 1);
    let again = claim_as(&house, "here/1/1");
    assert_eq!(again.len(), 1);
    // The paused node wakes up and gets an answer.
    beats(&mut paused, 1);
    let now = house.app.now();
    let made = Try {
        at: now,
        duration: 1,
        code: Some(500),
        fault: None,
        answer: String::new(),
    };
    let finished = house.write(move |tx| outbox::finish(tx, &late, &made, Outcome::Dead, now));
    assert_eq!(finished, Finished::LeaseLost { stopped: None });
    assert_eq!((house.state(id), house.tries(id).len()), ("waiting", 0));
    assert_eq!(beats(&mut other, SILENCE), 0, "it lives again, under the same name");
}

fn of_two_nodes_one_takes_over_from_a_third(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    house.tell(&receiver.url("/hook"), 1);
    let mut dying = node_of(&house, "elsewhere/1/1");
    beats(&mut dying, 1);
    assert_eq!(claim_as(&house, "elsewhere/1/1").len(), 1);
    let (mut one, mut other) = (node_of(&house, "here/1/1"), node_of(&house, "there/1/1"));
    for _ in 0..SILENCE {
        assert_eq!(beats(&mut one, 1) + beats(&mut other, 1), 0);
    }
    let taken = std::thread::scope(|scope| {
        let both = [&mut one, &mut other].map(|node| scope.spawn(|| beats(node, 1)));
        both.map(|beating| beating.join().expect("no panic"))
    });
    assert_eq!(taken.iter().sum::<u64>(), 1, "{taken:?}");
}

fn bulk_sends_of_a_dead_node_are_given_back(database: &TestDatabase) {
    let house = House::on(database);
    let id = bulk_send(&house);
    let take = |owner: &'static str| take_bulk_send(&house, id, owner);
    let (mut dying, mut other) = (node_of(&house, "elsewhere/1/1"), node_of(&house, "here/1/1"));
    beats(&mut dying, 1);
    assert!(take("elsewhere/1/1") && !take("here/1/1"));
    assert_eq!(beats(&mut other, SILENCE + 1), 1);
    assert!(take("here/1/1"));
}

fn bulk_send(house: &House) -> BulkId {
    let now = house.app.now();
    let new = NewBulk {
        company: house.company.clone(),
        member: MemberId(1),
        template: TemplateId(1),
        origin: "{}".to_owned(),
        at: now,
        rows: vec![NewRow {
            number: 1,
            request: Ok(vec![1]),
        }],
    };
    house.write(move |tx| bulk::insert(tx, &new))
}

fn take_bulk_send(house: &House, id: BulkId, owner: &'static str) -> bool {
    let now = house.app.now();
    let until = now + SignedDuration::from_mins(1);
    house.write(move |tx| bulk::claim(tx, id, owner, now, until))
}

/// A working node. The test triggers each of its beats.
struct Working {
    ticks: Arc<Semaphore>,
    pauses: Signals<()>,
    ending: JoinHandle<()>,
}

impl Working {
    fn begin(house: &House, name: &str, work: impl Future<Output = ()> + Send + 'static) -> Working {
        let (ticks, (begun, pauses)) = (Arc::new(Semaphore::new(0)), channel());
        let (nodes, told) = (node_of(house, name), Arc::clone(&ticks));
        let begun = Mutex::new(begun);
        let pause = move || {
            let told = Arc::clone(&told);
            let _ = begun.lock().expect("no panic while locked").send(());
            async move { told.acquire().await.expect("it is never closed").forget() }
        };
        let working = Working {
            ticks,
            pauses,
            ending: house.runtime.spawn(nodes::alive_while(nodes, pause, work)),
        };
        // The node beats at once.
        working.pauses.recv().expect("it lives");
        working
    }

    fn beat(&self) {
        self.ticks.add_permits(1);
        self.pauses.recv().expect("it lives");
    }

    fn end(self, house: &House) {
        house.runtime.block_on(self.ending).expect("no panic");
    }
}

fn a_node_that_is_stopping_keeps_what_it_is_delivering_and_nothing_is_sent_twice(database: &TestDatabase) {
    let house = House::on(database).with_limits(endless());
    let (answer, answers) = channel::<()>();
    let (ask, asked) = channel::<()>();
    let talk = Mutex::new((ask, answers));
    let receiver = Receiver::answering(move |_| {
        let (ask, answers) = &*talk.lock().expect("no panic while locked");
        let _ = ask.send(());
        let _ = answers.recv();
        Answer::status(200)
    });
    let id = house.tell(&receiver.url("/hook"), 1);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (draining, drains) = channel();
    let runner = house.runner_with(settings("here/1/1")).run(async move {
        drop(stopped.await);
        let _ = draining.send(());
    });
    let working = Working::begin(&house, "here/1/1", runner);
    asked.recv().expect("it is delivered");
    stop.send(()).expect("it works");
    drains.recv().expect("it is told to stop");
    let mut other = node_of(&house, "there/1/1");
    for _ in 0..10 {
        working.beat();
        assert_eq!(beats(&mut other, SILENCE), 0, "it is still delivering");
        house.deliver();
    }
    answer.send(()).expect("the receiver waits");
    working.end(&house);
    house.deliver();
    assert_eq!((receiver.received().len(), house.state(id)), (1, "delivered"));
    let left: Vec<String> = house
        .write(|tx| node::all(tx))
        .into_iter()
        .map(|node| node.name)
        .collect();
    assert_eq!(left, ["there/1/1"], "it has left");
}

fn what_a_node_still_has_when_its_work_is_done_is_the_others_at_once(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    house.tell(&receiver.url("/hook"), 1);
    let id = bulk_send(&house);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let working = Working::begin(&house, "elsewhere/1/1", async { drop(stopped.await) });
    assert_eq!(claim_as(&house, "elsewhere/1/1").len(), 1);
    assert!(take_bulk_send(&house, id, "elsewhere/1/1"));
    assert_eq!(claim_as(&house, "here/1/1"), []);
    stop.send(()).expect("it works");
    working.end(&house);
    assert_eq!(claim_as(&house, "here/1/1").len(), 1);
    assert!(take_bulk_send(&house, id, "here/1/1"));
}
