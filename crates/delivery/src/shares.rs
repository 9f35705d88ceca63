//! Who may have how much of the workers: how many deliveries of each lane (a receiver and a company) are claimed and begun.
//!
//! **Webhooks** share all workers. At three levels, all together, for each company, and for each receiver (a host, whatever
//! its ports), there is a bound, and within each bound lanes that hold workers long have no more than a part:
//! - a lane that answered quickly when it was asked last, well or badly, may use the whole bound;
//! - lanes of which nothing is known yet have at most three quarters of it together with
//! - the slow ones: those whose last try took long, as it does where nobody answers, and those that failed before this
//!   process knew of them. These have at most half of it.
//!
//! Of its company's share the two have a half and a quarter, so that the new or dead hosts of few companies keep nobody
//! else's waiting. A lane that is not known to be quick has few places of its own, too: enough to see whether the receiver is
//! back. So whatever number of receivers is known to be dead, half of the workers and of a receiver's places, and three
//! quarters of a company's share, remain for those that are not slow.
//!
//! **Letters** have workers of their own: so many as one receiver has for each mail server or gateway, and as many again for
//! the one-time codes that it carries, for which people wait. No company has more than a quarter of them: a mail server that
//! is slow with its addressees keeps others' waiting only where four companies have such.
//!
//! **Turns.** Of lanes that share a bound the one with the fewest under way comes first, and each has one before any has a
//! second: a lane with much to do, quick or slow, keeps no other out.
//!
//! What is claimed beyond what may begin is what a quick lane does next: while it works off one round, the next waits here.
//! That is so only while nobody else waits for the places. Nothing else is claimed before it may begin, so that what waits
//! for a dead receiver waits in the database.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use domain::CompanyId;
use store::outbox::{DueLane, Lane};

/// A try that took so long has held its worker for long, whatever came of it.
const LONG: Duration = Duration::from_secs(1);
/// Of so many lanes it is remembered how they answered.
const MOST_REMEMBERED: usize = 10_000;

/// The bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Webhooks under way at once.
    pub(crate) workers: usize,
    /// Deliveries under way to one receiver.
    pub(crate) per_receiver: usize,
    /// Webhooks under way of one company.
    pub(crate) per_company: usize,
}

/// How a lane has answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Slow,
    Unknown,
    Quick,
}

/// How much there is of something, and how much of it may be held by lanes that are not known to be quick, or slow.
#[derive(Debug, Clone, Copy)]
struct Bound {
    all: usize,
    not_quick: usize,
    slow: usize,
}

impl Bound {
    /// Of all workers, or of a receiver's places.
    fn of_many(all: usize) -> Bound {
        Bound {
            all,
            not_quick: all * 3 / 4,
            slow: all / 2,
        }
    }

    /// Of a company's share.
    fn of_company(all: usize) -> Bound {
        Bound {
            all,
            not_quick: all / 2,
            slow: all / 4,
        }
    }
}

/// How much of one bound is used, and by whom.
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

    /// How many more a lane of this standing may have of a bound.
    fn room(&self, bound: Bound, standing: Standing) -> usize {
        let mut room = bound.all.saturating_sub(self.all);
        if standing != Standing::Quick {
            room = room.min(bound.not_quick.max(1).saturating_sub(self.not_quick));
        }
        if standing == Standing::Slow {
            room = room.min(bound.slow.max(1).saturating_sub(self.slow));
        }
        room
    }
}

/// What is under way of one lane, and what was claimed of it and waits.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    under_way: usize,
    waiting: usize,
}

/// What is under way at all.
#[derive(Debug)]
pub(crate) struct Shares {
    bounds: Bounds,
    loads: HashMap<Lane, Load>,
    standings: HashMap<Lane, Standing>,
    /// Lanes in which something was due and nothing could be claimed: it waits for an earlier first try. They come last.
    blocked: HashSet<Lane>,
}

/// What is to be claimed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Of which lanes, and how many of each.
    pub(crate) lanes: Vec<(Lane, u32)>,
    /// Something due was left out since there is no room for it now.
    pub(crate) has_left_out: bool,
    /// Others have all places of what was left out: the next that is free is not theirs before the next plan.
    pub(crate) must_yield: bool,
    /// Something due was left out since it would have been too much at once.
    pub(crate) is_full: bool,
}

/// How many more a lane may have.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// By all bounds.
    now: usize,
    /// None, and only since lanes of whatever standing have all places of a bound.
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
            .map(|(used, bound)| used.room(*bound, standing))
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
            standings: HashMap::new(),
            blocked: HashSet::new(),
        }
    }

    fn standing(&self, lane: &Lane) -> Standing {
        self.standings.get(lane).copied().unwrap_or(Standing::Unknown)
    }

    fn tally(&self) -> Tally<'_> {
        let mut tally = Tally::default();
        for (lane, load) in &self.loads {
            tally.add(lane, self.standing(lane), load.under_way);
        }
        tally
    }

    /// What is to be claimed of the lanes in which something is due, at most `most` deliveries: one-time codes first, then by
    /// turns.
    pub(crate) fn plan(&self, due: &[DueLane], most: usize) -> Plan {
        let mut tally = self.tally();
        let mut plan = Plan::default();
        let mut left = most;
        let mut turns: Vec<(&Lane, Standing, usize)> = due
            .iter()
            .map(|due| {
                let standing = match self.standing(&due.lane) {
                    Standing::Unknown if due.has_failed => Standing::Slow,
                    standing => standing,
                };
                (&due.lane, standing, 0)
            })
            .collect();
        // The sort keeps the order in which equals have waited.
        turns.sort_by_key(|(lane, ..)| {
            let load = self.loads.get(lane).copied().unwrap_or_default();
            (
                self.blocked.contains(lane),
                !lane.is_of_codes(),
                load.under_way + load.waiting,
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

    /// Nothing could be claimed of these lanes. Whether that is new of one of them.
    pub(crate) fn gave_nothing(&mut self, lanes: impl Iterator<Item = Lane>) -> bool {
        let before = self.blocked.len();
        self.blocked.extend(lanes);
        self.blocked.len() > before
    }

    /// What waited for an earlier first try may be claimed now.
    pub(crate) fn look_at_all(&mut self) {
        self.blocked.clear();
    }

    /// One more was claimed of the lane; `has_failed`: before this process knew of it.
    pub(crate) fn claimed(&mut self, lane: &Lane, has_failed: bool) {
        self.loads.entry(lane.clone()).or_default().waiting += 1;
        if has_failed && !lane.is_of_letters() && !self.standings.contains_key(lane) {
            self.remember(lane, Standing::Slow);
        }
    }

    /// How many of the waiting ones of which lanes may begin, by turns.
    pub(crate) fn may_begin(&self) -> Vec<(Lane, usize)> {
        let mut tally = self.tally();
        let mut turns: Vec<(&Lane, Load, usize)> = self
            .loads
            .iter()
            .filter(|(_, load)| load.waiting > 0)
            .map(|(lane, load)| (lane, *load, 0))
            .collect();
        turns.sort_by_key(|(lane, load, _)| (!lane.is_of_codes(), load.under_way));
        for at_most in [1, usize::MAX] {
            for (lane, load, count) in &mut turns {
                let standing = self.standing(lane);
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

    /// One of the lane's waiting ones is under way now.
    pub(crate) fn began(&mut self, lane: &Lane) {
        let load = self.loads.entry(lane.clone()).or_default();
        load.waiting = load.waiting.saturating_sub(1);
        load.under_way += 1;
    }

    /// One has ended; after how long, where its receiver was asked.
    pub(crate) fn ended(&mut self, lane: &Lane, took: Option<Duration>) {
        if let Some(load) = self.loads.get_mut(lane) {
            load.under_way = load.under_way.saturating_sub(1);
            if load.under_way == 0 && load.waiting == 0 {
                self.loads.remove(lane);
            }
        }
        if let Some(took) = took
            && !lane.is_of_letters()
        {
            let standing = if took >= LONG { Standing::Slow } else { Standing::Quick };
            self.remember(lane, standing);
        }
    }

    fn remember(&mut self, lane: &Lane, standing: Standing) {
        if let Some(known) = self.standings.get_mut(lane) {
            *known = standing;
            return;
        }
        if self.standings.len() >= MOST_REMEMBERED {
            let loads = &self.loads;
            self.standings.retain(|lane, _| loads.contains_key(lane));
        }
        self.standings.insert(lane.clone(), standing);
    }
}

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

    /// Claims and begins what one plan says.
    fn round(shares: &mut Shares, lanes: &[DueLane]) -> Plan {
        let plan = shares.plan(lanes, 64);
        for (lane, count) in &plan.lanes {
            for _ in 0..*count {
                shares.claimed(lane, false);
            }
        }
        for (lane, count) in shares.may_begin() {
            for _ in 0..count {
                shares.began(&lane);
            }
        }
        plan
    }

    /// Claims and begins as much as there is room for, of a backlog without end in each of these lanes.
    fn fill(shares: &mut Shares, lanes: &[DueLane]) {
        loop {
            if round(shares, lanes).lanes.is_empty() {
                break;
            }
        }
    }

    fn under_way(shares: &Shares, is_meant: impl Fn(&Lane) -> bool) -> usize {
        let loads = shares.loads.iter().filter(|(lane, _)| is_meant(lane));
        loads.map(|(_, load)| load.under_way).sum()
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
                shares.ended(lane, Some(Duration::from_secs(15)));
            }
        }
        let known: Vec<DueLane> = begun
            .iter()
            .map(|lane| due(&lane.receiver, lane.company.as_str()))
            .collect();
        fill(&mut shares, &known);
        assert_eq!(under_way(&shares, |_| true), 80, "half of all workers");
        let plan = shares.plan(&[due("new.example", "c1")], 64);
        assert_eq!(plan.lanes, [(lane("new.example", "c1"), 4)]);
    }

    #[test]
    fn a_quick_lane_has_its_receivers_tenth_and_the_next_round_waits() {
        let mut shares = Shares::new(BOUNDS);
        let quick = lane("quick.example", "acme");
        shares.claimed(&quick, false);
        shares.began(&quick);
        shares.ended(&quick, Some(Duration::from_millis(3)));
        fill(&mut shares, &[due("quick.example", "acme")]);
        let load = shares.loads[&quick];
        assert_eq!((load.under_way, load.waiting), (16, 16));
    }

    #[test]
    fn a_receiver_that_failed_before_this_process_began_has_few_places_until_it_answers_quickly() {
        let mut shares = Shares::new(BOUNDS);
        let back = DueLane {
            has_failed: true,
            ..due("back.example", "acme")
        };
        let plan = shares.plan(std::slice::from_ref(&back), 64);
        assert_eq!(plan.lanes, [(back.lane.clone(), 4)]);
        shares.claimed(&back.lane, true);
        shares.began(&back.lane);
        shares.ended(&back.lane, Some(Duration::from_millis(3)));
        assert!(shares.plan(&[back], 64).lanes[0].1 >= 16);
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
        let plan = shares.plan(&all, 64);
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

    /// One ends, and what is free then is planned and begun.
    fn turn(shares: &mut Shares, ended: &Lane, took: Duration, lanes: &[DueLane]) {
        shares.ended(ended, Some(took));
        round(shares, lanes);
    }

    #[test]
    fn a_quick_lane_with_much_to_do_gives_another_of_its_receiver_its_turn() {
        let mut shares = Shares::new(BOUNDS);
        let busy = due("shared.example", "a");
        shares.claimed(&busy.lane, false);
        shares.began(&busy.lane);
        shares.ended(&busy.lane, Some(Duration::from_millis(900)));
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
            shares.remember(&due.lane, Standing::Slow);
        }
        fill(&mut shares, &dead);
        assert_eq!(under_way(&shares, |_| true), 80);
        let back = due("back", "c50");
        shares.remember(&back.lane, Standing::Slow);
        let mut all = dead.clone();
        all.push(back.clone());
        turn(&mut shares, &dead[0].lane, Duration::from_secs(15), &all);
        assert_eq!(shares.loads[&back.lane].under_way, 1);
    }

    #[test]
    fn lanes_that_gave_nothing_come_last_until_all_are_looked_at_again() {
        let mut shares = Shares::new(BOUNDS);
        let lanes: Vec<DueLane> = (0..40)
            .map(|number| due(&format!("r{number}"), &format!("c{number}")))
            .collect();
        let first = shares.plan(&lanes, 8);
        assert!(first.is_full);
        assert!(shares.gave_nothing(first.lanes.iter().map(|(lane, _)| lane.clone())));
        let next = shares.plan(&lanes, 8);
        assert!(
            next.lanes
                .iter()
                .all(|(lane, _)| !first.lanes.iter().any(|(before, _)| before == lane))
        );
        assert!(!shares.gave_nothing(first.lanes.iter().map(|(lane, _)| lane.clone())));
        shares.look_at_all();
        assert_eq!(shares.plan(&lanes, 8), first);
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
                    _ if shares.loads.get(&one).is_some_and(|load| load.under_way > 0) => {
                        shares.ended(&one, Some(if is_long { LONG } else { Duration::ZERO }));
                    }
                    _ => {}
                }
                prop_assert!(under_way(&shares, |lane| !lane.is_of_letters()) <= bounds.workers);
                prop_assert!(under_way(&shares, |lane| lane.receiver == receiver) <= bounds.per_receiver);
                let of_company = under_way(&shares, |lane| !lane.is_of_letters() && lane.company == one.company);
                prop_assert!(of_company <= bounds.per_company);
            }
        }
    }
}
