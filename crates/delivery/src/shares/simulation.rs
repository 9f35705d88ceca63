//! Simulates dead and intermittently hanging receivers next to good ones, over minutes of a simulated clock.

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
/// Decides which calls of a receiver hang.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Never,
    /// Every nth call.
    OneOf(u64),
    /// Each call with a probability of 1 in n.
    ByChance(u64),
}

struct Host {
    lane: Lane,
    manner: Manner,
    /// Time of a good receiver's first delivery, and the interval between later ones.
    from: Duration,
    every: Duration,
    asked: u64,
    under_way: usize,
    /// Due time of each unclaimed delivery. Hanging receivers always have more.
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
            from: Duration::ZERO,
            every: Duration::ZERO,
            asked: 0,
            under_way: 0,
            due: VecDeque::new(),
            claimed: VecDeque::new(),
        }
    }

    fn hanging(number: usize, company: usize, manner: Manner) -> Host {
        Host::new(format!("hanging{number}"), company, manner)
    }

    fn good(company: usize, from: Duration, every: Duration) -> Host {
        Host {
            from,
            every,
            ..Host::new(format!("good{company}"), company, Manner::Never)
        }
    }

    fn is_good(&self) -> bool {
        matches!(self.manner, Manner::Never)
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

/// Measurements, before and after the hanging receivers are known.
#[derive(Debug, Default)]
struct Seen {
    /// The maximum number of workers that hanging receivers occupied.
    held: [usize; 2],
    /// Wait of deliveries (99th percentile) to the good receiver with the longest waits.
    waited: [Duration; 2],
}

struct World {
    shares: Shares,
    hosts: Vec<Host>,
    places: BTreeMap<Lane, usize>,
    events: BTreeMap<(Duration, u64), Event>,
    number: u64,
    /// For each delivery to a good receiver: the receiver, the time when it became due, and the wait.
    waits: Vec<(usize, Duration, Duration)>,
}

impl World {
    fn at(&mut self, when: Duration, event: Event) {
        self.number += 1;
        self.events.insert((when, self.number), event);
    }

    /// Claims and starts what fits, as the runner does: claims again as long as the batch is full.
    fn turn(&mut self, now: Duration) {
        while self.claim_and_begin(now) {}
    }

    fn claim_and_begin(&mut self, now: Duration) -> bool {
        let mut due: Vec<(Duration, DueLane)> = Vec::new();
        for host in &mut self.hosts {
            if !host.is_good() && host.due.is_empty() {
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
        let is_more = plan.is_full;
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
                if host.is_good() {
                    self.waits.push((place, since, now.saturating_sub(since)));
                }
                let took = if host.hangs() { SILENCE } else { ANSWER };
                self.at(now + took, Event::Ended(place, call, took));
            }
        }
        is_more
    }
}

/// Runs until `length`. Hanging receivers count as known after `known`.
fn run(hosts: Vec<Host>, known: Duration, length: Duration) -> Seen {
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
    for place in 0..world.hosts.len() {
        if world.hosts[place].is_good() {
            world.at(world.hosts[place].from, Event::Due(place));
        }
    }
    let mut seen = Seen::default();
    while let Some(((now, _), event)) = world.events.pop_first() {
        if now > length {
            break;
        }
        match event {
            Event::Due(place) => {
                world.hosts[place].due.push_back(now);
                world.at(now + world.hosts[place].every, Event::Due(place));
            }
            Event::Ended(place, call, took) => {
                let host = &mut world.hosts[place];
                host.under_way -= 1;
                world.shares.ended(&host.lane, call, Some(took), now);
            }
        }
        // Events at the same time are one turn of the runner.
        if world
            .events
            .first_key_value()
            .is_some_and(|((next, _), _)| *next == now)
        {
            continue;
        }
        world.turn(now);
        let hanging = world.hosts.iter().filter(|host| !host.is_good());
        let held: usize = hanging.map(|host| host.under_way).sum();
        let most = &mut seen.held[usize::from(now >= known)];
        *most = held.max(*most);
    }
    for (place, host) in world.hosts.iter().enumerate().filter(|(_, host)| host.is_good()) {
        // Deliveries that are still waiting count too.
        let left = host.due.iter().chain(&host.claimed);
        let left = left.map(|since| (place, *since, length.saturating_sub(*since)));
        for (phase, waited) in seen.waited.iter_mut().enumerate() {
            let of_host = world.waits.iter().copied().chain(left.clone());
            let of_phase = of_host.filter(|(of, since, _)| *of == place && usize::from(*since >= known) == phase);
            let mut waits: Vec<Duration> = of_phase.map(|(.., wait)| wait).collect();
            waits.sort();
            let p99 = waits.get(waits.len() * 99 / 100).copied().unwrap_or_default();
            *waited = p99.max(*waited);
        }
    }
    seen
}

/// 100 hanging receivers of 25 companies, next to six good receivers of six of these companies.
fn a_hundred(manner: Manner) -> Seen {
    let hanging = (0..100).map(|number| Host::hanging(number, number / 4, manner));
    let good = (0..6).map(|company| Host::good(company, Duration::ZERO, Duration::from_millis(700)));
    run(
        hanging.chain(good).collect(),
        Duration::from_secs(20),
        Duration::from_mins(1),
    )
}

/// 200 hanging receivers of some companies, next to a good receiver of another company and one more that is added
/// later.
fn two_hundred(companies: usize, manner: Manner) -> Seen {
    let hanging = (0..200).map(|number| Host::hanging(number, number % companies, manner));
    let every = Duration::from_millis(200);
    let good = [(0, 0), (1, 65)].map(|(more, from)| Host::good(companies + more, Duration::from_secs(from), every));
    run(
        hanging.chain(good).collect(),
        Duration::from_mins(1),
        Duration::from_secs(90),
    )
}

const HALF: usize = BOUNDS.workers / 2;
const MOST_NOT_QUICK: usize = BOUNDS.workers * 3 / 4;

#[test]
fn a_hundred_receivers_that_hang_at_every_second_call_hold_half_of_the_workers_and_nobody_waits_for_them() {
    for manner in [Manner::OneOf(1), Manner::OneOf(2), Manner::OneOf(3)] {
        let seen = a_hundred(manner);
        assert!(
            seen.held[0] <= MOST_NOT_QUICK && seen.held[1] <= HALF,
            "{manner:?} {seen:?}"
        );
        let patience = Duration::from_secs(2);
        assert!(
            seen.waited.iter().all(|waited| *waited < patience),
            "{manner:?} {seen:?}"
        );
    }
}

#[test]
fn those_that_hang_by_chance_or_now_and_then_are_soon_known_too() {
    for manner in [Manner::ByChance(2), Manner::OneOf(10)] {
        let seen = a_hundred(manner);
        assert!(seen.held[1] <= MOST_NOT_QUICK, "{manner:?} {seen:?}");
        assert!(seen.waited[1] < Duration::from_secs(2), "{manner:?} {seen:?}");
    }
}

#[test]
fn however_many_receivers_of_ten_companies_are_dead_or_hang_another_company_waits_less_than_a_second() {
    let manners = [
        Manner::OneOf(1),
        Manner::OneOf(2),
        Manner::OneOf(10),
        Manner::ByChance(2),
    ];
    for (companies, manner) in manners
        .map(|manner| (10, manner))
        .into_iter()
        .chain([(100, Manner::OneOf(1))])
    {
        let seen = two_hundred(companies, manner);
        let patience = Duration::from_secs(1);
        assert!(
            seen.waited.iter().all(|waited| *waited < patience),
            "{companies} {manner:?} {seen:?}"
        );
    }
}
