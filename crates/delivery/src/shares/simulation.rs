//! Simulates receivers that sometimes hang, next to good ones, over several minutes of a simulated clock.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use domain::CompanyId;
use store::outbox::{DueLane, Lane};

use super::{Bounds, Call, Shares};

const BOUNDS: Bounds = Bounds {
    workers: 160,
    per_receiver: 16,
    per_company: 40,
};
const ANSWER: Duration = Duration::from_millis(200);
const SILENCE: Duration = Duration::from_secs(15);
const LENGTH: Duration = Duration::from_mins(1);
/// After this long, the hanging receivers are known.
const FIRST: Duration = Duration::from_secs(20);
/// How often good receivers get something.
const EVERY: Duration = Duration::from_millis(700);
const HANGING: usize = 100;
const GOOD: usize = 6;

/// Which calls of a receiver hang.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Never,
    /// Every n-th call.
    OneOf(u64),
    /// Each call by chance, one in n.
    ByChance(u64),
}

struct Host {
    lane: Lane,
    manner: Manner,
    asked: u64,
    under_way: usize,
    /// When each unclaimed delivery became due. Hanging receivers always have more.
    due: VecDeque<Duration>,
    claimed: VecDeque<Duration>,
}

impl Host {
    fn new(receiver: String, company: usize, manner: Manner) -> Host {
        Host {
            lane: Lane {
                receiver,
                company: CompanyId::parse(&format!("c{company}")).expect("an id"),
            },
            manner,
            asked: 0,
            under_way: 0,
            due: VecDeque::new(),
            claimed: VecDeque::new(),
        }
    }

    fn hangs(&mut self) -> bool {
        self.asked += 1;
        match self.manner {
            Manner::Never => false,
            Manner::OneOf(many) => self.asked.is_multiple_of(many),
            Manner::ByChance(many) => {
                let name = self
                    .lane
                    .receiver
                    .bytes()
                    .fold(7, |sum: u64, byte| sum * 31 + u64::from(byte));
                let mixed = (name ^ self.asked).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                ((mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33).is_multiple_of(many)
            }
        }
    }
}

enum Event {
    Due(usize),
    Ended(usize, Call, Duration),
}

/// The result, at first and once the hanging receivers are known.
#[derive(Debug, Default)]
struct Seen {
    /// The most workers that hanging receivers occupied.
    held: [usize; 2],
    /// How long deliveries to good receivers waited (99th percentile).
    waited: [Duration; 2],
}

struct World {
    shares: Shares,
    hosts: Vec<Host>,
    places: BTreeMap<Lane, usize>,
    events: BTreeMap<(Duration, u64), Event>,
    number: u64,
    /// How long each delivery to a good receiver waited, and since when.
    waits: Vec<(Duration, Duration)>,
}

impl World {
    fn at(&mut self, when: Duration, event: Event) {
        self.number += 1;
        self.events.insert((when, self.number), event);
    }

    /// Claims and starts what may begin, as the runner does.
    fn turn(&mut self, now: Duration) {
        let mut due: Vec<(Duration, DueLane)> = Vec::new();
        for host in &mut self.hosts {
            if !matches!(host.manner, Manner::Never) && host.due.is_empty() {
                host.due.extend([Duration::ZERO; 64]);
            }
            if let Some(since) = host.due.front() {
                let due_lane = DueLane {
                    lane: host.lane.clone(),
                    has_failed: false,
                };
                due.push((*since, due_lane));
            }
        }
        due.sort_by_key(|(since, _)| *since);
        let due: Vec<DueLane> = due.into_iter().map(|(_, due)| due).collect();
        let plan = self.shares.plan(&due, 64, now);
        for (lane, count) in plan.lanes {
            let host = &mut self.hosts[self.places[&lane]];
            for _ in 0..count {
                if let Some(since) = host.due.pop_front() {
                    host.claimed.push_back(since);
                    self.shares.claimed(&lane, false);
                }
            }
        }
        for (lane, count) in self.shares.may_begin(now) {
            let place = self.places[&lane];
            for _ in 0..count {
                let call = self.shares.began(&lane, now);
                let host = &mut self.hosts[place];
                host.under_way += 1;
                let since = host.claimed.pop_front().expect("it was claimed");
                if matches!(host.manner, Manner::Never) {
                    self.waits.push((since, now.saturating_sub(since)));
                }
                let took = if host.hangs() { SILENCE } else { ANSWER };
                self.at(now + took, Event::Ended(place, call, took));
            }
        }
    }
}

/// Lets a hundred receivers of 25 companies hang, next to six good receivers of six of these companies.
fn run(manner: Manner) -> Seen {
    let hanging = (0..HANGING).map(|number| Host::new(format!("hanging{number}"), number / 4, manner));
    let good = (0..GOOD).map(|number| Host::new(format!("good{number}"), number, Manner::Never));
    let hosts: Vec<Host> = hanging.chain(good).collect();
    let mut world = World {
        shares: Shares::new(BOUNDS),
        places: (0..)
            .zip(&hosts)
            .map(|(place, host)| (host.lane.clone(), place))
            .collect(),
        hosts,
        events: BTreeMap::new(),
        number: 0,
        waits: Vec::new(),
    };
    for place in HANGING..HANGING + GOOD {
        world.at(Duration::ZERO, Event::Due(place));
    }
    let mut seen = Seen::default();
    while let Some(((now, _), event)) = world.events.pop_first() {
        if now > LENGTH {
            break;
        }
        match event {
            Event::Due(place) => {
                world.hosts[place].due.push_back(now);
                world.at(now + EVERY, Event::Due(place));
            }
            Event::Ended(place, call, took) => {
                let host = &mut world.hosts[place];
                host.under_way -= 1;
                world.shares.ended(&host.lane, call, Some(took), now);
            }
        }
        // What happens at the same moment is one turn of the runner.
        if world
            .events
            .first_key_value()
            .is_some_and(|((next, _), _)| *next == now)
        {
            continue;
        }
        world.turn(now);
        let held: usize = world.hosts[..HANGING].iter().map(|host| host.under_way).sum();
        let most = &mut seen.held[usize::from(now >= FIRST)];
        *most = held.max(*most);
    }
    // Deliveries that are still waiting count too.
    for host in &world.hosts[HANGING..] {
        let left = host.due.iter().chain(&host.claimed);
        world
            .waits
            .extend(left.map(|since| (*since, LENGTH.saturating_sub(*since))));
    }
    for (place, waited) in seen.waited.iter_mut().enumerate() {
        let of_time = world
            .waits
            .iter()
            .filter(|(since, _)| usize::from(*since >= FIRST) == place);
        let mut waits: Vec<Duration> = of_time.map(|(_, wait)| *wait).collect();
        waits.sort();
        *waited = waits[waits.len() * 99 / 100];
    }
    seen
}

const HALF: usize = BOUNDS.workers / 2;
const MOST_UNKNOWN: usize = BOUNDS.workers * 3 / 4;
const PATIENCE: Duration = Duration::from_secs(2);

#[test]
fn a_hundred_receivers_that_hang_at_every_second_call_hold_half_of_the_workers_and_nobody_waits_for_them() {
    for manner in [Manner::OneOf(1), Manner::OneOf(2), Manner::OneOf(3)] {
        let seen = run(manner);
        assert!(
            seen.held[0] <= MOST_UNKNOWN && seen.held[1] <= HALF,
            "{manner:?} {seen:?}"
        );
        assert!(
            seen.waited.iter().all(|waited| *waited < PATIENCE),
            "{manner:?} {seen:?}"
        );
    }
}

#[test]
fn those_that_hang_by_chance_or_now_and_then_are_soon_known_too() {
    for manner in [Manner::ByChance(2), Manner::OneOf(10)] {
        let seen = run(manner);
        assert!(seen.held[1] <= MOST_UNKNOWN, "{manner:?} {seen:?}");
        assert!(seen.waited[1] < PATIENCE, "{manner:?} {seen:?}");
    }
}
