//! Tests of retries after a failed try.

use jiff::SignedDuration;
use testkit::database::TestDatabase;
use testkit::receiver::{Answer, Receiver};

use crate::house::{House, patient, short};

testkit::on_both_databases!(
    after_500_the_same_id_and_bytes_come_again,
    a_clock_that_is_set_back_makes_no_try_wait_for_longer,
    first_tries_of_a_workflow_go_out_in_the_order_of_the_events,
    ten_tries_then_a_dead_letter_which_resend_revives,
);

fn after_500_the_same_id_and_bytes_come_again(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    receiver.answer_next([Answer::status(500)]);
    let id = house.tell(&receiver.url("/hook"), 1);
    house.deliver();
    assert_eq!((receiver.received().len(), house.state(id)), (1, "waiting"));
    let pause = house.pause(id);
    assert!((4.0..=6.0).contains(&pause), "{pause} s");

    house.deliver();
    assert_eq!(receiver.received().len(), 1, "not before it is due");
    house.clock.turn(SignedDuration::from_secs(7));
    house.deliver();
    let requests = receiver.wait_for(2);
    assert_eq!((requests.len(), house.state(id)), (2, "delivered"));
    assert_eq!(requests[0].body, requests[1].body);
    assert_eq!(requests[0].header("webhook-id"), requests[1].header("webhook-id"));
    let seconds = |index: usize| {
        requests[index]
            .header("webhook-timestamp")
            .parse::<i64>()
            .expect("a number")
    };
    assert_eq!(seconds(1) - seconds(0), 7, "the timestamp is the try's own");
    let codes: Vec<_> = house.tries(id).into_iter().map(|made| made.code).collect();
    assert_eq!(codes, [Some(500), Some(200)]);
}

fn a_clock_that_is_set_back_makes_no_try_wait_for_longer(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    receiver.answer_next([Answer::status(500)]);
    let tried = house.tell(&receiver.url("/hook"), 1);
    let runner = house.runner();
    let deliver = || house.runtime.block_on(runner.run_until_idle());
    deliver();
    let untried = house.tell(&receiver.url("/hook"), 2);
    house.clock.turn(SignedDuration::from_hours(-1));
    deliver();
    assert_eq!(house.state(untried), "delivered", "what was never tried is due at once");
    let pause = house.pause(tried);
    assert!((4.0..=6.0).contains(&pause), "{pause} s");
    house.clock.turn(SignedDuration::from_secs(7));
    deliver();
    assert_eq!((house.state(tried), receiver.received().len()), ("delivered", 3));
    // A process started later also notices that the clock was set back.
    receiver.answer_next([Answer::status(500)]);
    let later = house.tell(&receiver.url("/hook"), 3);
    deliver();
    house.clock.turn(SignedDuration::from_hours(-1));
    house.deliver();
    let pause = house.pause(later);
    assert!((4.0..=6.0).contains(&pause), "{pause} s");
}

fn first_tries_of_a_workflow_go_out_in_the_order_of_the_events(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    receiver.answer_next([Answer::status(503)]);
    for _ in 0..5 {
        house.tell(&receiver.url("/hook"), 1);
    }
    house.deliver();
    let events: Vec<_> = receiver
        .wait_for(5)
        .iter()
        .map(|request| request.json()["event"].as_i64().expect("a number"))
        .collect();
    assert_eq!(events, [0, 1, 2, 3, 4]);
    house.clock.turn(SignedDuration::from_secs(7));
    house.deliver();
    assert_eq!(receiver.wait_for(6)[5].json()["event"], 0, "the failed one comes again");
}

fn ten_tries_then_a_dead_letter_which_resend_revives(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    receiver.answer_always(Answer::status(400));
    let id = house.tell(&receiver.url("/hook"), 1);
    let mut hours = 0.0;
    for tries in 1..=10 {
        house.deliver();
        assert_eq!(receiver.received().len(), tries);
        if tries < 10 {
            assert_eq!(house.state(id), "waiting");
            hours += house.pause(id) / 3600.0;
            house
                .clock
                .turn(house.delivery(id).due_at.duration_since(house.app.now()));
        }
    }
    assert_eq!(house.state(id), "dead");
    assert!((60.0..91.0).contains(&hours), "{hours} h");
    house.clock.turn(SignedDuration::from_hours(24 * 30));
    house.deliver();
    assert_eq!(receiver.received().len(), 10, "a dead letter stays where it is");

    let (company, now) = (house.company.clone(), house.app.now());
    assert!(house.write(move |tx| store::outbox::resend(tx, &company, id, now)));
    receiver.answer_always(Answer::status(204));
    house.deliver();
    let requests = receiver.wait_for(11);
    assert_eq!(house.state(id), "delivered");
    assert_eq!(requests[0].header("webhook-id"), requests[10].header("webhook-id"));
    assert_eq!(house.tries(id).len(), 11, "the history keeps every try");
}

#[test]
fn retry_after_is_honoured_in_both_forms() {
    let house = House::on(&TestDatabase::sqlite());
    let receiver = Receiver::start();
    let in_two_hours = house.app.now() + SignedDuration::from_hours(2);
    let date = jiff::fmt::rfc2822::DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&in_two_hours)
        .expect("a date");
    for (value, least, most) in [
        ("120", 120.0, 120.0),
        ("172800", 86_400.0, 86_400.0),
        ("1", 4.0, 6.0),
        (date.as_str(), 7_198.0, 7_200.0),
    ] {
        receiver.answer_next([Answer::status(429).with_header("retry-after", value)]);
        let id = house.tell(&receiver.url("/hook"), 1);
        house.deliver();
        let pause = house.pause(id);
        assert!((least..=most).contains(&pause), "Retry-After: {value}: {pause} s");
    }
}

#[test]
fn silence_and_a_reset_are_failed_tries_that_say_so() {
    let house = House::on(&TestDatabase::sqlite()).with_limits(short());
    let receiver = Receiver::start();
    receiver.answer_next([Answer::Silence]);
    let silent = house.tell(&receiver.url("/silent"), 1);
    house.deliver();
    let house = house.with_limits(patient());
    receiver.answer_next([Answer::Reset]);
    let reset = house.tell(&receiver.url("/reset"), 2);
    house.deliver();
    let nobody = house.tell("http://127.0.0.1:9/", 3);
    house.deliver();
    for (id, words) in [
        (silent, "no answer within"),
        (reset, "broke"),
        (nobody, "no connection"),
    ] {
        let tries = house.tries(id);
        assert_eq!((house.state(id), tries.len(), tries[0].code), ("waiting", 1, None));
        let fault = tries[0].fault.as_deref().unwrap_or_default();
        assert!(fault.contains(words), "{fault}");
    }
    house.clock.turn(SignedDuration::from_secs(7));
    house.deliver();
    assert_eq!((house.state(silent), house.state(reset)), ("delivered", "delivered"));
}
