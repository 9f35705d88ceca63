//! Tests of receivers that are silent for days, rows that cannot be sent, and one dead receiver among many good ones.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use delivery::guarded_client::Limits;
use delivery::runner::RunnerSettings;
use domain::ClientId;
use jiff::SignedDuration;
use store::outbox::{DeliveryId, NewChannel};
use testkit::database::TestDatabase;
use testkit::receiver::{Answer, Receiver};

use crate::house::{House, endless, patient, settings};

/// A tenth of the workers.
const PER_RECEIVER: usize = 16;

testkit::on_both_databases!(
    after_three_days_of_silence_everything_arrives_within_the_receivers_share,
    poison_rows_end_as_dead_letters_and_hold_up_nobody,
);

/// Number of quick answers in a row that the receiver needs after three days of silence.
const ONE_BY_ONE: usize = 64;

/// A receiver that is silent until it is back. Once it has answered quickly for a while, it delays its answers for a
/// moment to see how many calls arrive at once.
struct Absentee {
    receiver: Receiver,
    is_back: Arc<AtomicBool>,
    most_at_once: Arc<AtomicUsize>,
}

impl Absentee {
    fn start() -> Absentee {
        let (is_back, most_at_once) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (back, most) = (Arc::clone(&is_back), Arc::clone(&most_at_once));
        let (at_once, more_came) = (Mutex::new(0), Condvar::new());
        let answered = AtomicUsize::new(0);
        let receiver = Receiver::answering(move |_| {
            if !back.load(Ordering::SeqCst) {
                return Answer::Silence;
            }
            if answered.fetch_add(1, Ordering::SeqCst) < ONE_BY_ONE {
                return Answer::status(200);
            }
            let mut now = at_once.lock().expect("no panic");
            *now += 1;
            most.fetch_max(*now, Ordering::SeqCst);
            more_came.notify_all();
            // Wait until more calls have arrived than allowed, or for a moment. Wait longer until two calls have
            // overlapped.
            let have_met = most.load(Ordering::SeqCst) > 1;
            let moment = Duration::from_millis(if have_met { 20 } else { 500 });
            let is_over = |now: &usize| *now > PER_RECEIVER || (!have_met && *now > 1);
            let waited = more_came.wait_timeout_while(now, moment, |now| !is_over(now));
            *waited.expect("no panic").0 -= 1;
            Answer::status(200)
        });
        Absentee {
            receiver,
            is_back,
            most_at_once,
        }
    }
}

fn after_three_days_of_silence_everything_arrives_within_the_receivers_share(database: &TestDatabase) {
    let limits = Limits {
        total: Duration::from_millis(5),
        ..patient()
    };
    let house = House::on(database).with_limits(limits);
    let absentee = Absentee::start();
    let receiver = &absentee.receiver;
    let url = receiver.url("/hook");
    let mut told: Vec<DeliveryId> = (0..60).map(|number| house.tell(&url, number / 3)).collect();
    let mut hours = 0;
    while hours < 72 {
        house.deliver();
        house.clock.turn(SignedDuration::from_hours(4));
        hours += 4;
        if hours % 24 == 0 {
            // Meanwhile, deliveries are added for workflows that already have some and for new ones.
            told.extend((15..25).map(|number| house.tell(&url, number)));
        }
    }
    assert!(
        told.iter().all(|id| house.state(*id) == "waiting"),
        "nothing was given up"
    );

    receiver.wait_until_quiet();
    let silent = receiver.received().len();
    absentee.is_back.store(true, Ordering::SeqCst);
    let house = house.with_limits(patient());
    // All deliveries are due after the longest pause between two tries.
    house.clock.turn(SignedDuration::from_hours(29));
    house.deliver();
    assert!(told.iter().all(|id| house.state(*id) == "delivered"));
    let requests = receiver.received();
    assert_eq!(requests.len() - silent, told.len(), "each once");
    let most_at_once = absentee.most_at_once.load(Ordering::SeqCst);
    assert!((2..=PER_RECEIVER).contains(&most_at_once), "{most_at_once} at once");

    let mut bodies: BTreeMap<&str, &[u8]> = BTreeMap::new();
    for request in &requests {
        let first = bodies
            .entry(request.header("webhook-id"))
            .or_insert(request.body.as_slice());
        assert_eq!(*first, request.body.as_slice(), "the same bytes on every try");
    }
    assert_eq!(bodies.len(), told.len());
}

fn poison_rows_end_as_dead_letters_and_hold_up_nobody(database: &TestDatabase) {
    let house = House::on(database);
    let receiver = Receiver::start();
    let url = receiver.url("/hook");
    let mut poison = Vec::new();
    for workflow in 0..4 {
        let mut row = house.webhook(&url, workflow);
        if let NewChannel::Webhook { url, client, .. } = &mut row.channel {
            match workflow {
                0 => "no URL at all".clone_into(url),
                1 => *client = ClientId::parse("00000000-0000-4000-8000-000000000000").expect("a UUID"),
                2 => row.body = b"nothing that could be decrypted".to_vec(),
                _ => row.body = Vec::new(),
            }
        }
        poison.push(house.enqueue(row));
    }
    // The first event of these workflows is poison.
    let good: Vec<_> = (0..4).map(|workflow| house.tell(&url, workflow)).collect();
    house.deliver();
    assert!(good.iter().all(|id| house.state(*id) == "delivered"));
    for tries in 1..=10 {
        let states: Vec<_> = poison
            .iter()
            .map(|id| (house.tries(*id).len(), house.state(*id)))
            .collect();
        let state = if tries < 10 { "waiting" } else { "dead" };
        assert_eq!(states, [(tries, state); 4]);
        let next = poison.iter().map(|id| house.delivery(*id).due_at).max().expect("four");
        house
            .clock
            .turn(next.duration_since(house.app.now()).max(SignedDuration::ZERO));
        house.deliver();
    }
    assert_eq!(receiver.received().len(), good.len(), "nothing of the poison went out");
}

#[test]
fn one_black_hole_takes_a_tenth_of_the_workers_and_none_of_the_others_time() {
    let shipped = RunnerSettings::default();
    assert_eq!(shipped.per_receiver, PER_RECEIVER);
    assert!(shipped.per_receiver * 10 <= shipped.workers);
    let house = House::on(&TestDatabase::sqlite()).with_limits(endless());
    let hole = Receiver::start();
    hole.answer_always(Answer::Silence);
    // There are more deliveries than one claim can contain, all of one company, and all ahead of the other deliveries.
    let silent: Vec<_> = (0..300)
        .map(|workflow| house.tell(&hole.url("/hook"), workflow))
        .collect();
    let good: Vec<Receiver> = (1..=100).map(Receiver::start_apart).collect();
    for (receiver, workflow) in good.iter().zip(1_000..) {
        house.tell(&receiver.url("/hook"), workflow);
    }
    let patient = RunnerSettings {
        poll: Duration::from_hours(1),
        ..settings("this")
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = house
        .runtime
        .spawn(house.runner_with(patient).run(async { drop(stopped.await) }));
    for receiver in &good {
        receiver.wait_for(1);
    }
    assert!(
        silent.iter().all(|id| house.tries(*id).is_empty()),
        "the good ones came before the first silence was over"
    );
    assert!(
        hole.connections() <= shipped.per_receiver,
        "{} at once",
        hole.connections()
    );
    drop(hole);
    drop(stop);
    running.abort();
}
