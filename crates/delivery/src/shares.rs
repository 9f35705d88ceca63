//! Distributes the workers: how many deliveries of each lane (a receiver and a company) are claimed and started.
//!
//! **Webhooks** share all workers. There is a limit at each of three levels: all workers, a company, and a receiver (a
//! host, on any port). A lane is *quick* (it has as many slots as its receiver), *unproved* or *slow* (it has one
//! slot).
//! - A lane is unproved at first, or slow if it failed before this process knew of it, and becomes quick after a few
//!   quick answers in a row.
//! - A call that takes over a second makes its lane slow. Then the lane needs many quick answers in a row.
//!
//! Slow lanes use at most half of every limit, and slow and unproved lanes together at most three quarters. So dead or
//! hanging receivers leave room for quick lanes and for new ones. Only the time that we waited counts, not the result.
//!
//! **Companies.** Within each of these parts, a company starts a call only while it has fewer running calls than there
//! are free slots. So a company with no running calls always finds a free slot, however many dead receivers a few
//! others have.
//!
//! **Mails and text messages** have their own workers: each mail server or gateway has as many as one receiver, and the
//! same number again for one-time codes, because people are waiting for those. No company may use more than a quarter:
//! a mail server that is slow with one company's recipients delays others only if four companies have such recipients.
//!
//! **Turns.** Among lanes that share a limit, the lane with the fewest running calls is first, then the lane whose last
//! call ended first, and each gets one slot before any gets a second. So a lane with a large backlog, quick or slow,
//! never blocks another.
//!
//! We claim more deliveries than can start only for quick lanes: while a lane works through one round, its next round
//! waits in this process. This happens only while no other lane waits for the slots. Nothing else is claimed before it
//! can start, so the backlog of a dead receiver stays in the database.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use domain::CompanyId;
use store::outbox::{DueLane, Lane};

/// A try that takes this long counts as slow, regardless of its result.
const LONG: Duration = Duration::from_secs(1);
/// Number of quick answers in a row that make a new lane quick.
const PROOF: u32 = 4;
/// Number of quick answers in a row that make a lane quick again after a slow answer.
const PROOF_AFTER_SLOW: u32 = 64;
/// Maximum number of lanes for which we remember how quickly they answered.
const MOST_REMEMBERED: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) workers: usize,
    pub(crate) per_receiver: usize,
    pub(crate) per_company: usize,
}

/// Class of a lane, which decides its number of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Quick,
    Unproved,
    Slow,
}

/// Number of running calls: of all lanes, of lanes that are not quick, and of slow lanes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Used([usize; 3]);

impl Used {
    fn add(&mut self, standing: Standing, count: usize) {
        for used in self.0.iter_mut().take(standing as usize + 1) {
            *used += count;
        }
    }

    /// Returns how many more calls of each kind fit within a limit.
    fn left(self, bound: usize) -> [usize; 3] {
        let [all, not_quick, slow] = self.0;
        [(bound, all), (bound * 3 / 4, not_quick), (bound / 2, slow)]
            .map(|(part, used)| part.max(1).saturating_sub(used))
    }
}

/// State that we remember about a lane.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Number of quick answers in a row still needed to make the lane quick.
    doubts: u32,
    /// Number of calls that had begun when the lane's last call ended.
    turn: u64,
}

/// Number of a running call. Later calls have higher numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Call(u64);

/// A lane's running calls with their start times, and its number of claimed, waiting deliveries.
#[derive(Debug, Clone, Default)]
struct Load {
    calls: BTreeMap<Call, Duration>,
    waiting: usize,
}

impl Load {
    fn under_way(&self) -> usize {
        self.calls.len()
    }

    /// Returns whether a call has been running for longer than a quick receiver would need.
    fn is_hanging(&self, now: Duration) -> bool {
        self.calls.values().any(|began| now.saturating_sub(*began) >= LONG)
    }
}

/// All running and waiting deliveries. Times are measured from one fixed point.
#[derive(Debug)]
pub(crate) struct Shares {
    bounds: Bounds,
    loads: HashMap<Lane, Load>,
    known: HashMap<Lane, Known>,
    calls: u64,
    /// Lanes with a due delivery that could not be claimed because it waits for an earlier first try. They are last in
    /// turn.
    blocked: HashSet<Lane>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Lanes, with the number of deliveries to claim for each.
    pub(crate) lanes: Vec<(Lane, u32)>,
    /// Some due deliveries were left out because there is no room for them now.
    pub(crate) has_left_out: bool,
    /// Other lanes occupy all slots of the deliveries that were left out, so the next free slot must wait for the next
    /// plan.
    pub(crate) must_yield: bool,
    /// Some due deliveries were left out because the batch is full.
    pub(crate) is_full: bool,
}

/// Number of further deliveries that a lane may have.
#[derive(Debug, Clone, Copy, Default)]
struct Room {
    /// Room within all limits.
    now: usize,
    /// There is no room, and only because other lanes fill a limit, regardless of their standing.
    is_taken: bool,
}

/// Current use of all limits.
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
        if !lane.is_of_messages() {
            self.workers.add(standing, count);
            self.companies.entry(&lane.company).or_default().add(standing, count);
        }
    }

    fn room(&self, bounds: &Bounds, lane: &Lane, standing: Standing, is_claimed: bool) -> Room {
        let of_lane = self.lanes.get(lane).copied().unwrap_or_default();
        let places = match standing {
            _ if lane.is_of_messages() => (bounds.per_receiver / 4).max(1),
            Standing::Quick => bounds.per_receiver,
            Standing::Unproved | Standing::Slow => 1,
        };
        let own = places.saturating_sub(of_lane);
        if own == 0 {
            return Room::default();
        }
        let of_receiver = self.receivers.get(lane.receiver.as_str()).copied().unwrap_or_default();
        if lane.is_of_messages() {
            let free = bounds.per_receiver.saturating_sub(of_receiver.0[0]);
            return Room {
                now: own.min(free),
                is_taken: free == 0,
            };
        }
        let of_company = self.companies.get(&lane.company).copied().unwrap_or_default();
        let left = self.workers.left(bounds.workers);
        let left_of_company = of_company.left(bounds.per_company);
        let left_of_receiver = of_receiver.left(bounds.per_receiver);
        let fits: [usize; 3] = std::array::from_fn(|part| {
            let fair = if is_claimed && standing != Standing::Quick {
                // The claim was fair when it was made.
                left[part]
            } else {
                // Each call that the company begins adds one running call and removes one free slot.
                left[part].saturating_sub(of_company.0[part]).div_ceil(2)
            };
            fair.min(left_of_company[part]).min(left_of_receiver[part])
        });
        let now = fits.into_iter().take(standing as usize + 1).min().unwrap_or_default();
        Room {
            now: own.min(now),
            is_taken: fits[0] == 0,
        }
    }
}

impl Shares {
    pub(crate) fn new(bounds: Bounds) -> Shares {
        Shares {
            bounds,
            loads: HashMap::new(),
            known: HashMap::new(),
            calls: 0,
            blocked: HashSet::new(),
        }
    }

    /// Returns the lane's standing, or `None` if we know nothing about the lane.
    fn known_standing(&self, lane: &Lane, now: Duration) -> Option<Standing> {
        if self.loads.get(lane).is_some_and(|load| load.is_hanging(now)) {
            return Some(Standing::Slow);
        }
        self.known.get(lane).map(|known| match known.doubts {
            0 => Standing::Quick,
            1..=PROOF => Standing::Unproved,
            _ => Standing::Slow,
        })
    }

    fn standing(&self, lane: &Lane, now: Duration) -> Standing {
        self.known_standing(lane, now).unwrap_or(Standing::Unproved)
    }

    fn tally(&self, now: Duration) -> Tally<'_> {
        let mut tally = Tally::default();
        for (lane, load) in &self.loads {
            tally.add(lane, self.standing(lane, now), load.under_way());
        }
        tally
    }

    /// Plans which deliveries to claim from lanes with due deliveries, up to `most`: one-time codes first, then in
    /// turn.
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
                    Standing::Unproved
                };
                (&due.lane, self.known_standing(&due.lane, now).unwrap_or(unheard), 0)
            })
            .collect();
        // Lanes take turns, however old the backlog of a dead receiver is. The sort is stable, so lanes that compare
        // equal stay in the order in which they have waited.
        turns.sort_by_cached_key(|(lane, ..)| {
            let load = self.loads.get(lane);
            (
                self.blocked.contains(lane),
                !lane.is_of_codes(),
                load.map_or(0, |load| load.under_way() + load.waiting),
                self.known.get(*lane).map(|known| known.turn),
            )
        });
        for at_most in [1, usize::MAX] {
            for (lane, standing, count) in &mut turns {
                let room = tally.room(&self.bounds, lane, *standing, false);
                plan.must_yield |= *count == 0 && room.is_taken;
                // Deliveries that are already claimed start before ones in the database.
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
                if *standing != Standing::Quick || lane.is_of_messages() || self.blocked.contains(*lane) {
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

    /// Records that no delivery could be claimed from these lanes. Returns whether that is new for any of them.
    pub(crate) fn gave_nothing(&mut self, lanes: impl Iterator<Item = Lane>) -> bool {
        let before = self.blocked.len();
        self.blocked.extend(lanes);
        self.blocked.len() > before
    }

    /// Forgets which lanes are blocked, because deliveries that waited for an earlier first try may be available to
    /// claim now.
    pub(crate) fn look_at_all(&mut self) {
        self.blocked.clear();
    }

    /// Records one more claimed delivery. `has_failed` means that the delivery failed before this process knew of it.
    pub(crate) fn claimed(&mut self, lane: &Lane, has_failed: bool) {
        self.loads.entry(lane.clone()).or_default().waiting += 1;
        if has_failed && !lane.is_of_messages() && !self.known.contains_key(lane) {
            self.remember(lane, PROOF_AFTER_SLOW);
        }
    }

    /// Returns how many waiting deliveries of each lane may start, in turn.
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
                let room = tally.room(&self.bounds, lane, standing, true).now;
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

    /// Records that one of the lane's waiting deliveries has started.
    pub(crate) fn began(&mut self, lane: &Lane, now: Duration) -> Call {
        self.calls += 1;
        let call = Call(self.calls);
        let load = self.loads.entry(lane.clone()).or_default();
        load.waiting = load.waiting.saturating_sub(1);
        load.calls.insert(call, now);
        call
    }

    /// Records that we start to call the receiver now. Time before this does not count against the receiver.
    pub(crate) fn asks(&mut self, lane: &Lane, call: Call, now: Duration) {
        let began = self.loads.get_mut(lane).and_then(|load| load.calls.get_mut(&call));
        if let Some(began) = began {
            *began = now;
        }
    }

    /// Records that a call ended for reasons on our side, which says nothing about its receiver.
    pub(crate) fn withdrawn(&mut self, lane: &Lane, call: Call) {
        if let Some(load) = self.loads.get_mut(lane) {
            load.calls.remove(&call);
            if load.calls.is_empty() && load.waiting == 0 {
                self.loads.remove(lane);
            }
        }
    }

    /// Records that a call ended, for any reason. `took` is the time that we waited for the receiver, if we called it.
    /// Occupying a worker for a long time counts against the lane even without a call.
    pub(crate) fn ended(&mut self, lane: &Lane, call: Call, took: Option<Duration>, now: Duration) {
        let Some(load) = self.loads.get(lane) else {
            return;
        };
        let Some(began) = load.calls.get(&call).copied() else {
            return;
        };
        self.withdrawn(lane, call);
        if lane.is_of_messages() {
            return;
        }
        let doubts = match took {
            Some(took) if took < LONG => self
                .known
                .get(lane)
                .map_or(PROOF, |known| known.doubts)
                .saturating_sub(1),
            None if now.saturating_sub(began) < LONG => return,
            _ => PROOF_AFTER_SLOW,
        };
        self.remember(lane, doubts);
    }

    fn remember(&mut self, lane: &Lane, doubts: u32) {
        if self.known.len() >= MOST_REMEMBERED && !self.known.contains_key(lane) {
            let loads = &self.loads;
            self.known.retain(|lane, _| loads.contains_key(lane));
        }
        let turn = self.calls;
        self.known.insert(lane.clone(), Known { doubts, turn });
    }
}

#[cfg(test)]
mod simulation;

#[cfg(test)]
mod tests;
