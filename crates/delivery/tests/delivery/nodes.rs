//! What a dead node held, and who takes it back. Time is counted in beats, so nobody waits here.

use std::sync::Arc;

use delivery::nodes::{Nodes, SILENCE};
use domain::{MemberId, TemplateId};
use jiff::SignedDuration;
use store::bulk::{self, NewBulk, NewRow};
use store::node;
use store::outbox::{self, Claimed, Finished, Outcome, Try};
use testkit::database::TestDatabase;
use testkit::deliveries::claim_due;
use testkit::receiver::Receiver;

use crate::house::House;

testkit::on_both_databases!(
    what_a_dead_node_held_is_delivered_by_another_long_before_its_lease_ends,
    a_node_that_beats_keeps_what_it_holds_however_slow_it_is,
    a_node_that_was_taken_for_dead_records_no_result_over_anothers_claim,
    of_two_nodes_one_takes_over_from_a_third,
    bulk_sends_of_a_dead_node_are_given_back,
);

fn node_of(house: &House, name: &str) -> Nodes {
    Nodes::new(Arc::clone(&house.app), name.to_owned())
}

fn claim_as(house: &House, owner: &str) -> Vec<Claimed> {
    let (now, owner) = (house.app.now(), owner.to_owned());
    house.write(move |tx| claim_due(tx, &format!("{owner}#1"), &owner, now, 10))
}

/// So many beats; how much was taken over in all.
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
        // Nor does its clock matter, or that of another.
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
    // It wakes up and has its answer.
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
    let id = house.write(move |tx| bulk::insert(tx, &new));
    let until = now + SignedDuration::from_mins(1);
    let take = |owner: &'static str| house.write(move |tx| bulk::claim(tx, id, owner, now, until));
    let (mut dying, mut other) = (node_of(&house, "elsewhere/1/1"), node_of(&house, "here/1/1"));
    beats(&mut dying, 1);
    assert!(take("elsewhere/1/1") && !take("here/1/1"));
    assert_eq!(beats(&mut other, SILENCE + 1), 1);
    assert!(take("here/1/1"));
}
