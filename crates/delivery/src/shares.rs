//! Shares out the workers: how many deliveries of each lane (a receiver and a company) are claimed and started.
//!
//! **Webhooks** share all workers. There is a bound at each of three levels: overall, per company, and per receiver (a
//! host, on any port). Within each bound, lanes that occupy workers for long may use only a part:
//! - a quick lane, whose last answers all came quickly, good or bad, may use the whole bound;
//! - new lanes, about which we do not know this yet, may use at most three quarters of it together with
//! - slow lanes: those whose last try took long, as it does when nobody answers, and those that failed before this
//!   process knew them. They may use at most half.
//!
//! Of a company's share, new and slow lanes may use a half and slow ones a quarter, so that the new or dead hosts of a
//! few companies do not delay everyone else's. A lane that is not quick also has few places of its own: enough to
//! notice that the receiver is back. Every such lane gets its first place before any of them gets a second, and second
//! places count towards the slow lanes' part. So however many receivers are known to be dead, half of the workers and
//! of a receiver's places, and three quarters of a company's share, remain for lanes that are not slow.
//!
//! **Standing** rises in steps and falls at once. A call that has been running for over a second makes its lane slow
//! while it hangs, not only when it ends. Each step up takes several quick answers in a row; answers that overtake an
//! earlier call do not count, because that call may be hanging. A lane that loses the highest standing needs twice as
//! many from then on. So a receiver that hangs on every second or tenth call is soon recognised, however quick its
//! other answers.
//!
//! **Mails and text messages** have their own workers: each mail server or gateway has as many as one receiver, and as
//! many again for one-time codes, because people are waiting for those. No company may use more than a quarter: a mail
//! server that is slow with one company's recipients delays others only if four companies have such recipients.
//!
//! **Turns.** Among lanes that share a bound, the one with the fewest running calls comes first, and each gets one
//! before any gets a second. So a lane with much to do, quick or slow, never blocks another.
//!
//! We claim more than may begin only for quick lanes: while a lane works off one round, its next round waits here. This
//! happens only while nobody else waits for the places. Nothing else is claimed before it may begin, so the backlog of
//! a dead receiver waits in the database.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use domain::CompanyId;
use store::outbox::{DueLane, Lane};

/// A try that takes this long counts as slow, whatever its result.
const LONG: Duration = Duration::from_secs(1);
/// How many quick answers in a row raise a lane's standing by one step.
const STEP: u32 = 8;
/// The upper limit of that number for a lane that keeps losing the highest standing.
const LONGEST_STEP: u32 = 64;
/// After this many quick answers in a row, a lane's losses are forgotten.
const FORGIVEN: u32 = 1_000;
/// For how many lanes we remember how they answered.
const MOST_REMEMBERED: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) workers: usize,
    pub(crate) per_receiver: usize,
    pub(crate) per_company: usize,
}

/// How much we trust a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Slow,
    Unknown,
    Quick,
}

/// How a lane has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Conduct {
    standing: Standing,
    /// Quick answers in a row since the last step.
    row: u32,
    /// How many make a step.
    step: u32,
}

impl Conduct {
    fn new(standing: Standing) -> Conduct {
        Conduct {
            standing,
            row: 0,
            step: STEP,
        }
    }

    fn was_quick(&mut self) {
        self.row = self.row.saturating_add(1);
        let next = match self.standing {
            Standing::Slow => Standing::Unknown,
            Standing::Unknown => Standing::Quick,
            Standing::Quick => {
                if self.row >= FORGIVEN {
                    self.step = STEP;
                }
                return;
            }
        };
        if self.row >= self.step {
            (self.standing, self.row) = (next, 0);
        }
    }

    fn was_long(&mut self) {
        if self.standing == Standing::Quick {
            self.step = (self.step * 2).min(LONGEST_STEP);
        }
        (self.standing, self.row) = (Standing::Slow, 0);
    }
}

/// The size of something, and the parts of it that lanes which are not quick, or are slow, may use.
#[derive(Debug, Clone, Copy)]
struct Bound {
    all: usize,
    not_quick: usize,
    slow: usize,
}

impl Bound {
    /// For all workers, or for a receiver's places.
    fn of_many(all: usize) -> Bound {
        Bound {
            all,
            not_quick: all * 3 / 4,
            slow: all / 2,
        }
    }

    /// For a company's share.
    fn of_company(all: usize) -> Bound {
        Bound {
            all,
            not_quick: all / 2,
            slow: all / 4,
        }
    }
}

/// How much of one bound is in use, by standing.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    all: usize,
    not_quick: usize,
    slow: usize,
}

impl Used {
    fn add(&mut self, standing: Standing, count: usize) {
        self.all += count;
        if standing != Standing::Quick {
            self.not_quick += count;
        }
        if standing == Standing::Slow {
            self.slow += count;
        }
    }

    /// How many more deliveries a lane of this standing may have within a bound. `of_lane` is how many it has.
    fn room(&self, bound: Bound, standing: Standing, of_lane: usize) -> usize {
        let mut room = bound.all.saturating_sub(self.all);
        if standing != Standing::Quick {
            let first = usize::from(of_lane == 0).min(bound.not_quick.max(1).saturating_sub(self.not_quick));
            let others = bound.slow.max(1).saturating_sub(self.not_quick);
            room = room.min(first.max(others));
        }
        if standing == Standing::Slow {
            room = room.min(bound.slow.max(1).saturating_sub(self.slow));
        }
        room
    }
}

/// The number of a running call. Later calls have higher numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call(u64);

/// A lane's running calls with their start times, and how many claimed deliveries wait.
#[derive(Debug, Clone, Default)]
struct Load {
    calls: BTreeMap<Call, Duration>,
    waiting: usize,
}

impl Load {
    fn under_way(&self) -> usize {
        self.calls.len()
    }

    /// Whether a call is running longer than a quick receiver would take.
    fn is_hanging(&self, now: Duration) -> bool {
        self.calls.values().any(|began| now.saturating_sub(*began) >= LONG)
    }
}

/// All running and waiting deliveries. Times are durations since one fixed moment.
#[derive(Debug)]
pub(crate) struct Shares {
    bounds: Bounds,
    loads: HashMap<Lane, Load>,
    conducts: HashMap<Lane, Conduct>,
    calls: u64,
    /// Lanes with something due that could not be claimed because it waits for an earlier first try. They come last.
    blocked: HashSet<Lane>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Lanes, with how many deliveries to claim of each.
    pub(crate) lanes: Vec<(Lane, u32)>,
    /// Something due was left out because it has no room now.
    pub(crate) has_left_out: bool,
    /// Others occupy all places of what was left out: the next free place must wait for the next plan.
    pub(crate) must_yield: bool,
    /// Something due was left out because the batch is full.
    pub(crate) is_full: bool,
}

/// How many more deliveries a lane may have.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// Within all bounds.
    now: usize,
    /// There is no room, and only because other lanes fill a bound, whatever their standing.
    is_taken: bool,
}

/// The use of all bounds at one moment.
#[derive(Default)]
struct Tally<'a> {
    workers: Used,
    companies: HashMap<&'a CompanyId, Used>,
    receivers: HashMap<&'a str, Used>,
    lanes: HashMap<&'a Lane, usize>,
}

impl<'a> Tally<'a> {
    fn add(&mut self, lane: &'a Lane, standing: Standing, count: usize) {
        *self.lanes.entry(lane).or_default() += count;
        self.receivers.entry(&lane.receiver).or_default().add(standing, count);
        if !lane.is_of_letters() {
            self.workers.add(standing, count);
            self.companies.entry(&lane.company).or_default().add(standing, count);
        }
    }

    fn room(&self, bounds: &Bounds, lane: &Lane, standing: Standing) -> Room {
        let of_lane = self.lanes.get(lane).copied().unwrap_or_default();
        let of_receiver = self.receivers.get(lane.receiver.as_str()).copied().unwrap_or_default();
        if lane.is_of_letters() {
            let own = (bounds.per_receiver / 4).max(1).saturating_sub(of_lane);
            let free = bounds.per_receiver.saturating_sub(of_receiver.all);
            return Room {
                now: own.min(free),
                is_taken: own > 0 && free == 0,
            };
        }
        let of_company = self.companies.get(&lane.company).copied().unwrap_or_default();
        let few = match standing {
            Standing::Quick => bounds.per_receiver,
            Standing::Slow | Standing::Unknown => (bounds.per_receiver / 4).max(1),
        };
        let own = few.saturating_sub(of_lane);
        let levels = [
            (of_receiver, Bound::of_many(bounds.per_receiver)),
            (of_company, Bound::of_company(bounds.per_company)),
            (self.workers, Bound::of_many(bounds.workers)),
        ];
        let now = levels
            .iter()
            .map(|(used, bound)| used.room(*bound, standing, of_lane))
            .min()
            .unwrap_or_default();
        let is_taken = own > 0 && now == 0 && levels.iter().any(|(used, bound)| used.all >= bound.all);
        Room {
            now: own.min(now),
            is_taken,
        }
    }
}

impl Shares {
    pub(crate) fn new(bounds: Bounds) -> Shares {
        Shares {
            bounds,
            loads: HashMap::new(),
            conducts: HashMap::new(),
            calls: 0,
            blocked: HashSet::new(),
        }
    }

    /// The lane's standing, or `None` if we know nothing about it.
    fn known(&self, lane: &Lane, now: Duration) -> Option<Standing> {
        if self.loads.get(lane).is_some_and(|load| load.is_hanging(now)) {
            return Some(Standing::Slow);
        }
        self.conducts.get(lane).map(|conduct| conduct.standing)
    }

    fn standing(&self, lane: &Lane, now: Duration) -> Standing {
        self.known(lane, now).unwrap_or(Standing::Unknown)
    }

    fn tally(&self, now: Duration) -> Tally<'_> {
        let mut tally = Tally::default();
        for (lane, load) in &self.loads {
            tally.add(lane, self.standing(lane, now), load.under_way());
        }
        tally
    }

    /// Plans what to claim from lanes with something due, up to `most` deliveries: one-time codes first, then in turns.
    pub(crate) fn plan(&self, due: &[DueLane], most: usize, now: Duration) -> Plan {
        let mut tally = self.tally(now);
        let mut plan = Plan::default();
        let mut left = most;
        let mut turns: Vec<(&Lane, Standing, usize)> = due
            .iter()
            .map(|due| {
                let unheard = if due.has_failed {
                    Standing::Slow
                } else {
                    Standing::Unknown
                };
                (&due.lane, self.known(&due.lane, now).unwrap_or(unheard), 0)
            })
            .collect();
        // The sort is stable, so lanes that compare equal keep the order in which they have waited.
        turns.sort_by_key(|(lane, ..)| {
            let load = self.loads.get(lane);
            (
                self.blocked.contains(lane),
                !lane.is_of_codes(),
                load.map_or(0, |load| load.under_way() + load.waiting),
            )
        });
        for at_most in [1, usize::MAX] {
            for (lane, standing, count) in &mut turns {
                let room = tally.room(&self.bounds, lane, *standing);
                plan.must_yield |= *count == 0 && room.is_taken;
                // What waits here goes before what is in the database.
                let waits = self.loads.get(*lane).map_or(0, |load| load.waiting);
                let more = room.now.saturating_sub(waits).min(at_most);
                plan.is_full |= more > left;
                let more = more.min(left);
                left -= more;
                *count += more;
                tally.add(lane, *standing, more);
            }
        }
        plan.has_left_out = turns.iter().any(|(.., count)| *count == 0);
        if !plan.must_yield && !plan.is_full {
            let mut waiting: usize = self.loads.values().map(|load| load.waiting).sum();
            for (lane, standing, count) in &mut turns {
                if *standing != Standing::Quick || lane.is_of_letters() || self.blocked.contains(*lane) {
                    continue;
                }
                let waits = self.loads.get(*lane).map_or(0, |load| load.waiting);
                let next_round = self.bounds.per_receiver.saturating_sub(waits);
                let next_round = next_round.min(self.bounds.workers.saturating_sub(waiting)).min(left);
                left -= next_round;
                waiting += next_round;
                *count += next_round;
            }
        }
        plan.lanes = turns
            .into_iter()
            .filter(|(.., count)| *count > 0)
            .map(|(lane, _, count)| (lane.clone(), u32::try_from(count).unwrap_or(u32::MAX)))
            .collect();
        plan
    }

    /// Records that nothing could be claimed from these lanes. Returns whether that is new for any of them.
    pub(crate) fn gave_nothing(&mut self, lanes: impl Iterator<Item = Lane>) -> bool {
        let before = self.blocked.len();
        self.blocked.extend(lanes);
        self.blocked.len() > before
    }

    /// Deliveries that waited for an earlier first try may be claimable now.
    pub(crate) fn look_at_all(&mut self) {
        self.blocked.clear();
    }

    /// Records one more claimed delivery. `has_failed`: it failed before this process knew of it.
    pub(crate) fn claimed(&mut self, lane: &Lane, has_failed: bool) {
        self.loads.entry(lane.clone()).or_default().waiting += 1;
        if has_failed && !lane.is_of_letters() && !self.conducts.contains_key(lane) {
            self.remember(lane, Conduct::new(Standing::Slow));
        }
    }

    /// How many waiting deliveries of which lanes may begin, in turns.
    pub(crate) fn may_begin(&self, now: Duration) -> Vec<(Lane, usize)> {
        let mut tally = self.tally(now);
        let mut turns: Vec<(&Lane, &Load, usize)> = self
            .loads
            .iter()
            .filter(|(_, load)| load.waiting > 0)
            .map(|(lane, load)| (lane, load, 0))
            .collect();
        turns.sort_by_key(|(lane, load, _)| (!lane.is_of_codes(), load.under_way()));
        for at_most in [1, usize::MAX] {
            for (lane, load, count) in &mut turns {
                let standing = self.standing(lane, now);
                let room = tally.room(&self.bounds, lane, standing).now;
                let more = room.min(load.waiting - *count).min(at_most);
                *count += more;
                tally.add(lane, standing, more);
            }
        }
        turns
            .into_iter()
            .filter(|(.., count)| *count > 0)
            .map(|(lane, _, count)| (lane.clone(), count))
            .collect()
    }

    /// One of the lane's waiting deliveries is running now.
    pub(crate) fn began(&mut self, lane: &Lane, now: Duration) -> Call {
        self.calls += 1;
        let call = Call(self.calls);
        let load = self.loads.entry(lane.clone()).or_default();
        load.waiting = load.waiting.saturating_sub(1);
        load.calls.insert(call, now);
        call
    }

    /// We start to call the receiver now. Time before this does not count against it.
    pub(crate) fn asks(&mut self, lane: &Lane, call: Call, now: Duration) {
        let began = self.loads.get_mut(lane).and_then(|load| load.calls.get_mut(&call));
        if let Some(began) = began {
            *began = now;
        }
    }

    /// A call ended for reasons of ours, which says nothing about its receiver.
    pub(crate) fn withdrawn(&mut self, lane: &Lane, call: Call) {
        if let Some(load) = self.loads.get_mut(lane) {
            load.calls.remove(&call);
            if load.calls.is_empty() && load.waiting == 0 {
                self.loads.remove(lane);
            }
        }
    }

    /// A call ended, for whatever reason. `took` is how long we waited for the receiver, if we called it. Occupying a
    /// worker for long counts against the lane even without a call.
    pub(crate) fn ended(&mut self, lane: &Lane, call: Call, took: Option<Duration>, now: Duration) {
        let Some(load) = self.loads.get(lane) else {
            return;
        };
        let Some(began) = load.calls.get(&call).copied() else {
            return;
        };
        let is_first = load.calls.keys().next() == Some(&call);
        self.withdrawn(lane, call);
        if lane.is_of_letters() {
            return;
        }
        let mut conduct = match self.conducts.get(lane) {
            Some(conduct) => *conduct,
            None => Conduct::new(Standing::Unknown),
        };
        match took {
            Some(took) if took < LONG => {
                if is_first {
                    conduct.was_quick();
                }
            }
            None if now.saturating_sub(began) < LONG => return,
            _ => conduct.was_long(),
        }
        self.remember(lane, conduct);
    }

    fn remember(&mut self, lane: &Lane, conduct: Conduct) {
        if let Some(known) = self.conducts.get_mut(lane) {
            *known = conduct;
            return;
        }
        if self.conducts.len() >= MOST_REMEMBERED {
            let loads = &self.loads;
            self.conducts.retain(|lane, _| loads.contains_key(lane));
        }
        self.conducts.insert(lane.clone(), conduct);
    }
}

#[cfg(test)]
mod simulation;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Bounds = Bounds {
        workers: 160,
        per_receiver: 16,
        per_company: 40,
    };

    fn lane(receiver: &str, company: &str) -> Lane {
        Lane {
            receiver: receiver.to_owned(),
            company: CompanyId::parse(company).expect("an id"),
        }
    }

    fn due(receiver: &str, company: &str) -> DueLane {
        DueLane {
            lane: lane(receiver, company),
            has_failed: false,
        }
    }

    const START: Duration = Duration::ZERO;
    const QUICK: Duration = Duration::from_millis(3);

    /// Claims and starts what one plan allows.
    fn round(shares: &mut Shares, lanes: &[DueLane], now: Duration) -> Plan {
        let plan = shares.plan(lanes, 64, now);
        for (lane, count) in &plan.lanes {
            for _ in 0..*count {
                shares.claimed(lane, false);
            }
        }
        for (lane, count) in shares.may_begin(now) {
            for _ in 0..count {
                shares.began(&lane, now);
            }
        }
        plan
    }

    fn end(shares: &mut Shares, lane: &Lane, took: Duration) {
        let (call, began) = shares.loads[lane].calls.first_key_value().expect("a call");
        let (call, now) = (*call, *began + took);
        shares.ended(lane, call, Some(took), now);
    }

    /// Makes one call that takes this long.
    fn answer(shares: &mut Shares, lane: &Lane, took: Duration) {
        shares.claimed(lane, false);
        shares.began(lane, START);
        end(shares, lane, took);
    }

    /// Makes enough calls for an unknown lane to become quick.
    fn prove(shares: &mut Shares, lane: &Lane, took: Duration) {
        for _ in 0..STEP {
            answer(shares, lane, took);
        }
    }

    /// Claims and starts as much as there is room for, from an endless backlog in each lane.
    fn fill(shares: &mut Shares, lanes: &[DueLane]) {
        loop {
            if round(shares, lanes, START).lanes.is_empty() {
                break;
            }
        }
    }

    fn under_way(shares: &Shares, is_meant: impl Fn(&Lane) -> bool) -> usize {
        let loads = shares.loads.iter().filter(|(lane, _)| is_meant(lane));
        loads.map(|(_, load)| load.under_way()).sum()
    }

    #[test]
    fn what_we_were_waited_for_is_held_against_nobody() {
        let mut shares = Shares::new(BOUNDS);
        let lane = lane("a", "acme");
        prove(&mut shares, &lane, QUICK);
        let much_later = LONG * 5;
        for _ in 0..2 {
            shares.claimed(&lane, false);
        }
        let (asked_late, never_asked) = (shares.began(&lane, START), shares.began(&lane, START));
        shares.asks(&lane, asked_late, much_later);
        shares.ended(&lane, asked_late, Some(QUICK), much_later + QUICK);
        shares.withdrawn(&lane, never_asked);
        assert_eq!(shares.standing(&lane, much_later + LONG), Standing::Quick);
        assert_eq!(under_way(&shares, |_| true), 0);

        // The second of two calls hangs, whatever the first did.
        for _ in 0..2 {
            shares.claimed(&lane, false);
        }
        let first = shares.began(&lane, START);
        shares.began(&lane, START);
        shares.asks(&lane, first, much_later);
        assert_eq!(shares.standing(&lane, much_later), Standing::Slow);
    }

    #[test]
    fn however_many_receivers_are_dead_a_half_is_left_for_others_and_a_quarter_for_those_that_answer() {
        let mut shares = Shares::new(BOUNDS);
        let dead: Vec<DueLane> = (0..600)
            .map(|number| due(&format!("dead{}.example", number % 60), &format!("c{}", number / 6)))
            .collect();
        fill(&mut shares, &dead);
        assert_eq!(
            under_way(&shares, |_| true),
            120,
            "three quarters while nothing is known"
        );
        let begun: Vec<Lane> = shares.loads.keys().cloned().collect();
        for lane in &begun {
            while shares.loads.contains_key(lane) {
                end(&mut shares, lane, Duration::from_secs(15));
            }
        }
        let known: Vec<DueLane> = begun
            .iter()
            .map(|lane| due(&lane.receiver, lane.company.as_str()))
            .collect();
        fill(&mut shares, &known);
        assert_eq!(under_way(&shares, |_| true), 80, "half of all workers");
        let plan = shares.plan(&[due("new.example", "c1")], 64, START);
        assert_eq!(plan.lanes, [(lane("new.example", "c1"), 1)]);
    }

    #[test]
    fn a_quick_lane_has_its_receivers_tenth_and_the_next_round_waits() {
        let mut shares = Shares::new(BOUNDS);
        let quick = lane("quick.example", "acme");
        prove(&mut shares, &quick, QUICK);
        fill(&mut shares, &[due("quick.example", "acme")]);
        let load = &shares.loads[&quick];
        assert_eq!((load.under_way(), load.waiting), (16, 16));
    }

    #[test]
    fn a_receiver_that_failed_before_this_process_began_has_few_places_until_it_has_answered_quickly_for_a_while() {
        let mut shares = Shares::new(BOUNDS);
        let back = DueLane {
            has_failed: true,
            ..due("back.example", "acme")
        };
        let places = |shares: &Shares| shares.plan(std::slice::from_ref(&back), 64, START).lanes[0].1;
        for standing in [Standing::Slow, Standing::Unknown] {
            for _ in 0..STEP {
                assert_eq!(places(&shares), 4);
                shares.claimed(&back.lane, true);
                assert_eq!(shares.standing(&back.lane, START), standing);
                shares.began(&back.lane, START);
                end(&mut shares, &back.lane, QUICK);
            }
        }
        assert!(places(&shares) >= 16);
    }

    #[test]
    fn a_call_that_hangs_makes_its_lane_slow_while_it_hangs() {
        let mut shares = Shares::new(BOUNDS);
        let hanging: Vec<DueLane> = (0..5)
            .map(|number| due(&format!("r{number}"), &format!("c{number}")))
            .collect();
        for due in &hanging {
            prove(&mut shares, &due.lane, QUICK);
        }
        fill(&mut shares, &hanging);
        assert_eq!(under_way(&shares, |_| true), 80);
        let (slow, quick) = (due("slow", "c10"), due("quick", "c11"));
        shares.remember(&slow.lane, Conduct::new(Standing::Slow));
        prove(&mut shares, &quick.lane, QUICK);
        let just_before = LONG.saturating_sub(Duration::from_millis(1));
        let all = [hanging[0].clone(), slow.clone(), quick.clone()];
        let planned = |now: Duration| {
            let plan = shares.plan(&all, 64, now);
            plan.lanes.into_iter().map(|(lane, _)| lane).collect::<Vec<_>>()
        };
        assert_eq!(shares.standing(&hanging[0].lane, just_before), Standing::Quick);
        assert!(planned(just_before).contains(&slow.lane));
        assert_eq!(shares.standing(&hanging[0].lane, LONG), Standing::Slow);
        assert_eq!(
            planned(LONG),
            std::slice::from_ref(&quick.lane),
            "half of the workers are held by what hangs"
        );
        // It comes back late, and is recognised by that.
        end(&mut shares, &hanging[0].lane, LONG);
        assert_eq!(shares.conducts[&hanging[0].lane].standing, Standing::Slow);
    }

    #[test]
    fn what_overtakes_a_call_that_may_be_hanging_is_no_step() {
        let mut shares = Shares::new(BOUNDS);
        let lane = lane("r", "c");
        let first = shares.began(&lane, START);
        for _ in 0..100 {
            let next = shares.began(&lane, START);
            shares.ended(&lane, next, Some(QUICK), QUICK);
        }
        assert_eq!(shares.standing(&lane, QUICK), Standing::Unknown);
        shares.ended(&lane, first, Some(LONG), LONG);
        assert_eq!(shares.standing(&lane, LONG), Standing::Slow);
    }

    #[test]
    fn who_loses_the_highest_standing_must_answer_longer_to_have_it_again_but_not_for_ever() {
        let mut shares = Shares::new(BOUNDS);
        let lane = lane("r", "c");
        prove(&mut shares, &lane, QUICK);
        for step in [16, 32, 64, 64] {
            answer(&mut shares, &lane, LONG);
            for _ in 1..2 * step {
                answer(&mut shares, &lane, QUICK);
                assert_ne!(shares.standing(&lane, START), Standing::Quick);
            }
            answer(&mut shares, &lane, QUICK);
            assert_eq!(shares.standing(&lane, START), Standing::Quick);
        }
        for _ in 0..FORGIVEN {
            answer(&mut shares, &lane, QUICK);
        }
        answer(&mut shares, &lane, LONG);
        assert_eq!(shares.conducts[&lane].step, 2 * STEP);
    }

    #[test]
    fn what_was_never_sent_says_nothing_unless_it_held_its_worker_for_long() {
        let mut shares = Shares::new(BOUNDS);
        let lane = lane("r", "c");
        for (held, known) in [(QUICK, None), (LONG, Some(Standing::Slow))] {
            let call = shares.began(&lane, START);
            shares.ended(&lane, call, None, held);
            assert_eq!(shares.known(&lane, held), known);
        }
    }

    #[test]
    fn letters_have_places_of_their_own_codes_come_first_and_no_company_has_more_than_a_quarter() {
        let mut shares = Shares::new(BOUNDS);
        let webhooks: Vec<DueLane> = (0..40)
            .map(|number| due(&format!("r{number}"), &format!("c{number}")))
            .collect();
        fill(&mut shares, &webhooks);
        fill(&mut shares, &[due(":mail", "c1")]);
        assert_eq!(under_way(&shares, |lane| lane.receiver == ":mail"), 4);
        let all = [
            due(":mail", "c2"),
            due(":gateway/one", "c1"),
            due(":mail/code", "c1"),
            due(":gateway/other", "c1"),
        ];
        let plan = shares.plan(&all, 64, START);
        let found: Vec<(&str, u32)> = plan
            .lanes
            .iter()
            .map(|(lane, n)| (lane.receiver.as_str(), *n))
            .collect();
        let expected = [
            (":mail/code", 4),
            (":mail", 4),
            (":gateway/one", 4),
            (":gateway/other", 4),
        ];
        assert_eq!(found, expected);
    }

    /// Ends one call, then plans and starts whatever fits.
    fn turn(shares: &mut Shares, ended: &Lane, took: Duration, lanes: &[DueLane]) {
        end(shares, ended, took);
        round(shares, lanes, START);
    }

    #[test]
    fn a_quick_lane_with_much_to_do_gives_another_of_its_receiver_its_turn() {
        let mut shares = Shares::new(BOUNDS);
        let busy = due("shared.example", "a");
        prove(&mut shares, &busy.lane, Duration::from_millis(900));
        fill(&mut shares, std::slice::from_ref(&busy));
        assert_eq!(under_way(&shares, |_| true), 16);
        let both = [busy.clone(), due("shared.example", "b")];
        for _ in 0..2 {
            turn(&mut shares, &busy.lane, Duration::from_millis(900), &both);
        }
        assert!(under_way(&shares, |lane| lane.company.as_str() == "b") > 0);
    }

    #[test]
    fn a_slow_lane_has_its_turn_however_many_others_are_slow() {
        let mut shares = Shares::new(BOUNDS);
        let dead: Vec<DueLane> = (0..40)
            .map(|number| due(&format!("dead{number}"), &format!("c{number}")))
            .collect();
        for due in &dead {
            shares.remember(&due.lane, Conduct::new(Standing::Slow));
        }
        fill(&mut shares, &dead);
        assert_eq!(under_way(&shares, |_| true), 80);
        let back = due("back", "c50");
        shares.remember(&back.lane, Conduct::new(Standing::Slow));
        let mut all = dead.clone();
        all.push(back.clone());
        turn(&mut shares, &dead[0].lane, Duration::from_secs(15), &all);
        assert_eq!(shares.loads[&back.lane].under_way(), 1);
    }

    #[test]
    fn lanes_that_gave_nothing_come_last_until_all_are_looked_at_again() {
        let mut shares = Shares::new(BOUNDS);
        let lanes: Vec<DueLane> = (0..40)
            .map(|number| due(&format!("r{number}"), &format!("c{number}")))
            .collect();
        let first = shares.plan(&lanes, 8, START);
        assert!(first.is_full);
        assert!(shares.gave_nothing(first.lanes.iter().map(|(lane, _)| lane.clone())));
        let next = shares.plan(&lanes, 8, START);
        assert!(
            next.lanes
                .iter()
                .all(|(lane, _)| !first.lanes.iter().any(|(before, _)| before == lane))
        );
        assert!(!shares.gave_nothing(first.lanes.iter().map(|(lane, _)| lane.clone())));
        shares.look_at_all();
        assert_eq!(shares.plan(&lanes, 8, START), first);
    }

    proptest! {
        #[test]
        fn no_bound_is_passed_whatever_comes_and_ends(
            steps in proptest::collection::vec((0..12_usize, 0..6_usize, 0..3_usize, any::<bool>()), 1..300)
        ) {
            let bounds = Bounds { workers: 20, per_receiver: 6, per_company: 9 };
            let mut shares = Shares::new(bounds);
            for (receiver, company, action, is_long) in steps {
                let receiver = if receiver == 0 { ":mail".to_owned() } else { format!("r{receiver}") };
                let company = format!("c{company}");
                let one = lane(&receiver, &company);
                match action {
                    0 => fill(&mut shares, &[due(&receiver, &company)]),
                    _ if shares.loads.get(&one).is_some_and(|load| load.under_way() > 0) => {
                        end(&mut shares, &one, if is_long { LONG } else { Duration::ZERO });
                    }
                    _ => {}
                }
                prop_assert!(under_way(&shares, |lane| !lane.is_of_letters()) <= bounds.workers);
                prop_assert!(under_way(&shares, |lane| lane.receiver == receiver) <= bounds.per_receiver);
                let of_company = under_way(&shares, |lane| !lane.is_of_letters() && lane.company == one.company);
                prop_assert!(of_company <= bounds.per_company);
            }
        }

        #[test]
        fn nothing_is_held_when_all_has_ended_in_whatever_order_and_way(
            steps in proptest::collection::vec((0..8_usize, 0..4_usize, 0..6_usize, 0..3_000_u64), 1..300)
        ) {
            let mut shares = Shares::new(Bounds { workers: 20, per_receiver: 6, per_company: 9 });
            let mut calls: Vec<(Lane, Call)> = Vec::new();
            let mut begun = 0;
            let mut now = START;
            let mut begin = |shares: &mut Shares, calls: &mut Vec<(Lane, Call)>, now: Duration| {
                for (lane, count) in shares.may_begin(now) {
                    for _ in 0..count {
                        calls.push((lane.clone(), shares.began(&lane, now)));
                        begun += 1;
                    }
                }
            };
            let mut claimed = 0;
            for (receiver, company, action, pause) in steps {
                let receiver = if receiver == 0 { ":mail".to_owned() } else { format!("r{receiver}") };
                let one = lane(&receiver, &format!("c{company}"));
                now += Duration::from_millis(pause);
                match action {
                    // A claim of something that has or has not failed before, or a claim whose answer was lost.
                    0..=2 => {
                        let due = DueLane { lane: one.clone(), has_failed: action == 0 };
                        for (lane, count) in shares.plan(&[due], 8, now).lanes {
                            for _ in 0..if action == 2 { count / 2 } else { count } {
                                shares.claimed(&lane, action == 0);
                                claimed += 1;
                            }
                        }
                        shares.gave_nothing(std::iter::once(one));
                    }
                    // An end with or without an answer (as after a panic or a lost lease), or an end reported twice.
                    3..=5 if !calls.is_empty() => {
                        let (lane, call) = calls.swap_remove(usize::try_from(pause).unwrap() % calls.len());
                        let took = (action == 3).then(|| Duration::from_millis(pause));
                        shares.ended(&lane, call, took, now);
                        if action == 5 {
                            shares.ended(&lane, call, took, now);
                        }
                    }
                    _ => shares.look_at_all(),
                }
                begin(&mut shares, &mut calls, now);
                prop_assert_eq!(under_way(&shares, |_| true), calls.len());
            }
            // Everything that waits gets its turn as other calls end.
            while let Some((lane, call)) = calls.pop() {
                shares.ended(&lane, call, None, now);
                begin(&mut shares, &mut calls, now);
            }
            prop_assert_eq!(begun, claimed);
            prop_assert!(shares.loads.is_empty(), "{:?}", shares.loads);
            let tally = shares.tally(now);
            prop_assert_eq!((tally.workers.all, tally.workers.not_quick, tally.workers.slow), (0, 0, 0));
            prop_assert!(tally.companies.is_empty() && tally.receivers.is_empty() && tally.lanes.is_empty());
        }
    }
}
