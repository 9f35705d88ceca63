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

    /// A call ended, for any reason. `took` is how long we waited for the receiver, if we called it. Occupying a worker
    /// for long counts against the lane even without a call.
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
mod tests;
