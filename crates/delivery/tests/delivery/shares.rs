//! Tests that no other delivery waits for dead receivers, however many there are.

use std::time::Duration;

use app::mail::Occasion;
use delivery::runner::RunnerSettings;
use domain::{Contact, Language};
use store::outbox::DeliveryId;
use testkit::database::TestDatabase;
use testkit::receiver::{Answer, Receiver};
use testkit::smtp_sink::{SmtpSink, Trouble};

use crate::gateways::{at, stand_in};
use crate::house::{House, endless, settings};

const CODE: Occasion<'static> = Occasion::OneTimeCode { code: "012345" };

/// Returns a house whose receivers may stay silent longer than any test takes, and whose runner wakes only when the
/// bell rings.
fn house(sink: &SmtpSink) -> House {
    House::on(&TestDatabase::sqlite())
        .with_smtp(sink.address().port())
        .with_limits(endless())
}

fn woken() -> RunnerSettings {
    RunnerSettings {
        poll: Duration::from_hours(1),
        ..settings("this")
    }
}

fn silent(numbers: std::ops::RangeInclusive<u8>) -> Vec<Receiver> {
    numbers
        .map(|number| {
            let receiver = Receiver::start_apart(number);
            receiver.answer_always(Answer::Silence);
            receiver
        })
        .collect()
}

fn number(count: usize) -> i64 {
    i64::try_from(count).expect("few")
}

fn address() -> Contact {
    Contact::Email("hong@example.com".to_owned())
}

/// Checks that the company's webhook, mail and one-time code are sent while all silent calls are still hanging.
fn all_goes_out(house: &House, sink: &SmtpSink, company: &str, waiting: &[DeliveryId]) {
    let good = Receiver::start();
    let before = sink.mails().len();
    house.tell_for(company, &good.url("/hook"), 10_000);
    house.write_for(company, &address(), CODE);
    house.write_for(company, &address(), Occasion::Expired { at: house.app.now() });
    house.app.bell.ring();
    good.wait_for(1);
    sink.wait_for(before + 2);
    assert!(
        waiting.iter().all(|id| house.tries(*id).is_empty()),
        "a silence was waited for"
    );
}

#[test]
fn three_dead_receivers_of_a_company_never_hold_up_its_webhooks_mails_and_codes() {
    for events in [40, 100] {
        let sink = SmtpSink::start();
        let house = house(&sink);
        let dead = silent(1..=3);
        let mut waiting = Vec::new();
        for workflow in 0..events * 3 {
            let receiver = &dead[workflow % 3];
            waiting.push(house.tell_for("acme", &receiver.url("/hook"), number(workflow)));
        }
        house.while_running(woken(), || {
            for receiver in &dead {
                receiver.wait_for(1);
            }
            all_goes_out(&house, &sink, "acme", &waiting);
            all_goes_out(&house, &sink, "other", &waiting);
        });
    }
}

#[test]
fn four_companies_with_dead_receivers_never_hold_up_a_fifth() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    let dead = silent(1..=12);
    let mut waiting = Vec::new();
    for workflow in 0..12 * 40 {
        let (company, receiver) = (format!("company-{}", workflow % 12 / 3), &dead[workflow % 12]);
        waiting.push(house.tell_for(&company, &receiver.url("/hook"), number(workflow)));
    }
    house.while_running(woken(), || {
        for receiver in &dead {
            receiver.wait_for(1);
        }
        all_goes_out(&house, &sink, "fifth", &waiting);
        all_goes_out(&house, &sink, "company-0", &waiting);
    });
}

#[test]
fn the_ports_of_one_dead_host_are_one_receiver() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    let ports: Vec<Receiver> = (0..3).flat_map(|_| silent(1..=1)).collect();
    let companies = ["acme", "other", "third", "fourth", "fifth", "sixth"];
    for workflow in 0..360 {
        let (company, port) = (companies[workflow % 6], &ports[workflow / 6 % 3]);
        house.tell_for(company, &port.url("/hook"), number(workflow));
    }
    let others = Receiver::start();
    house.while_running(woken(), || {
        house.tell_for("acme", &others.url("/hook"), 10_000);
        house.app.bell.ring();
        others.wait_for(1);
        let connections: usize = ports.iter().map(Receiver::connections).sum();
        assert!(
            connections <= RunnerSettings::default().per_receiver,
            "{connections} at once"
        );
    });
}

#[test]
fn a_flood_of_one_companys_mails_at_a_slow_server_leaves_room_for_others_and_for_codes() {
    let sink = SmtpSink::start();
    let house = house(&sink);
    // One company sends its maximum number of mails to a server that stalls.
    sink.trouble_next(vec![Trouble::Stall; 4]);
    for _ in 0..100 {
        house.write_for("acme", &address(), Occasion::Expired { at: house.app.now() });
    }
    house.while_running(woken(), || {
        sink.wait_for_stalled(4);
        all_goes_out(&house, &sink, "other", &[]);
        house.write_for("acme", &address(), CODE);
        house.app.bell.ring();
        sink.wait_for(3);
    });
}

#[test]
fn a_gateway_that_hangs_holds_up_no_other_gateway_and_no_code() {
    let (hanging, good) = (Receiver::start_apart(1), stand_in("twilio"));
    hanging.answer_always(Answer::Silence);
    let mut korean = at("solapi", &hanging);
    korean.countries = vec!["+82".to_owned()];
    let mut rest = at("twilio", &good);
    rest.order = 20;
    let house = house(&SmtpSink::start()).with_messengers(vec![korean, rest]);
    let to = |number: &str| Contact::Phone {
        given: number.to_owned(),
        number: number.to_owned(),
    };
    for _ in 0..60 {
        house.ask(&to("+821012345678"), "근로계약서");
    }
    house.while_running(woken(), || {
        hanging.wait_for(1);
        house.ask(&to("+14155550123"), "근로계약서");
        house.write_letter(&to("+14155550123"), "홍길동", "근로계약서", Language::Ko, CODE);
        house.app.bell.ring();
        good.wait_for(2);
        assert!(
            hanging.connections() <= 4,
            "{} at once of one company",
            hanging.connections()
        );
    });
}
