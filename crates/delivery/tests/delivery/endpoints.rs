//! An endpoint that is gone, or does nothing but fail, is stopped; nothing is lost.

use jiff::SignedDuration;
use store::outbox::{self, StopReason};
use testkit::database::TestDatabase;
use testkit::receiver::{Answer, Receiver};

use crate::house::House;

testkit::on_both_databases!(
    gone_stops_the_endpoint_tells_the_admins_and_holds_what_waits,
    five_days_of_nothing_but_failure_stop_it,
);

fn stop_reasons(house: &House) -> Vec<Option<StopReason>> {
    let company = house.company.clone();
    let endpoints = house.write(move |tx| outbox::endpoints(tx, &company));
    endpoints
        .into_iter()
        .map(|endpoint| endpoint.stopped.map(|(_, reason)| reason))
        .collect()
}

fn switch_on(house: &House, url: &str) -> Option<u64> {
    let (company, url, now) = (house.company.clone(), url.to_owned(), house.app.now());
    house.write(move |tx| outbox::start_endpoint(tx, &company, &url, now))
}

/// The company's own mails: who gets one, and what it is about.
fn letters(house: &House) -> Vec<(String, String)> {
    let page = house
        .app
        .outbox_messages(&house.caller(), 1)
        .expect("the outbox can be read");
    let mut letters: Vec<_> = page
        .messages
        .into_iter()
        .map(|message| (message.to, message.subject))
        .collect();
    letters.sort();
    letters
}

fn gone_stops_the_endpoint_tells_the_admins_and_holds_what_waits(database: &TestDatabase) {
    let house = House::on(database);
    let (receiver, other) = (Receiver::start(), Receiver::start());
    let url = receiver.url("/hook");
    receiver.answer_next([Answer::status(500), Answer::status(410)]);
    let waiting = house.tell(&url, 1);
    house.deliver();
    let gone = house.tell(&url, 2);
    house.deliver();
    assert_eq!((house.state(waiting), house.state(gone)), ("held", "held"));
    assert_eq!(stop_reasons(&house), [Some(StopReason::Gone)]);
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

fn five_days_of_nothing_but_failure_stop_it(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    receiver.answer_always(Answer::status(500));
    house.tell(&url, 1);
    house.deliver();
    house.clock.turn(SignedDuration::from_hours(24 * 4));

    // One success in between, and the days are counted anew.
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
    assert_eq!(stop_reasons(&house), [Some(StopReason::Failing)]);
    assert_eq!(house.state(last), "held");
    assert_eq!(letters(&house).len(), 2);
}
