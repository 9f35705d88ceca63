//! Decides who gets the next of a limited number of places. Threads, places for large bodies and document workers are
//! shared by this rule.
//!
//! The requesters form circles. The widest contains everyone; inside it are each company and all strangers; inside a
//! company its programs and its links; among the links each holder; among the strangers each network. The same rules
//! apply in every circle:
//!
//! - A requester that already has places in a circle gets another only while at least a third as many as it would then
//!   have stay free in the circle, and never one of the last eighth. A requester without places may use any free place.
//!   So a single company gets up to three quarters of all places, others get most of the rest, and the last places are
//!   for requesters with nothing in progress yet.
//! - All strangers together get half, the links of one company get half, and one link gets at most [`Bounds::of_link`].
//! - Among waiting requests, those with the fewest places in the widest circle come first, then those with the fewest
//!   in the next circle, then the oldest.
//!
//! This module does not block. The server makes a task wait for its ticket, and the worker pool makes a thread wait.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use crate::requester::{Circle, Requester};

/// Number of places, and limits on waiting requests.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    pub places: usize,
    /// Maximum number of places that the holder of a link may have at the same time.
    pub of_link: usize,
    /// Maximum number of waiting requests from the holder of a link, or from a network that logs in to one company.
    pub waiting_of_one: usize,
    /// Maximum number of waiting requests from a company with all its links, or from a network.
    pub waiting_of_group: usize,
}

/// Identifies a request that is waiting or has its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(u64);

/// The requests that have places, and the waiting ones.
#[derive(Debug)]
pub struct Turns {
    bounds: Bounds,
    begun: HashMap<Ticket, Vec<Circle>>,
    at_work: Counts,
    queues: HashMap<Requester, Queue>,
    waiting: Counts,
    next: u64,
}

/// The requests of one requester, in order of arrival.
#[derive(Debug)]
struct Queue {
    circles: Vec<Circle>,
    tickets: VecDeque<Ticket>,
}

impl Turns {
    /// Starts with all places free.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            begun: HashMap::new(),
            at_work: Counts::default(),
            queues: HashMap::new(),
            waiting: Counts::default(),
            next: 0,
        }
    }

    /// Adds a waiting request and returns its ticket. `None` if too many requests of the same requester already wait.
    pub fn wait(&mut self, requester: &Requester) -> Option<Ticket> {
        let circles = requester.circles();
        if !self.may_wait(&circles) && !self.may_begin(&circles) {
            return None;
        }
        let ticket = Ticket(self.next);
        self.next = self.next.wrapping_add(1);
        self.waiting.add(&circles);
        let tickets = VecDeque::new();
        let queue = self.queues.entry(requester.clone());
        let queue = queue.or_insert(Queue { circles, tickets });
        queue.tickets.push_back(ticket);
        Some(ticket)
    }

    /// Starts the next turn. `None` if no waiting request may start now.
    pub fn begin_next(&mut self) -> Option<Ticket> {
        if self.begun.len() >= self.places() {
            return None;
        }
        let may_begin = self.queues.iter().filter(|(_, queue)| self.may_begin(&queue.circles));
        let (requester, queue) = may_begin.min_by_key(|(_, queue)| {
            let at_work = queue.circles.iter().map(|circle| self.at_work.of(circle));
            (at_work.collect::<Vec<_>>(), queue.tickets.front().copied())
        })?;
        let (ticket, circles) = (*queue.tickets.front()?, queue.circles.clone());
        let requester = requester.clone();
        self.end(&requester, ticket);
        self.at_work.add(&circles);
        self.begun.insert(ticket, circles);
        Some(ticket)
    }

    /// Whether no request has a place or waits for one.
    pub fn is_idle(&self) -> bool {
        self.begun.is_empty() && self.queues.is_empty()
    }

    /// Returns the number of waiting requests.
    pub fn waiting(&self) -> usize {
        self.queues.values().map(|queue| queue.tickets.len()).sum()
    }

    /// Whether the turn of a ticket has started and not ended.
    pub fn has_begun(&self, ticket: Ticket) -> bool {
        self.begun.contains_key(&ticket)
    }

    /// Ends a turn, or the wait for it, and removes the ticket.
    pub fn end(&mut self, requester: &Requester, ticket: Ticket) {
        if let Some(circles) = self.begun.remove(&ticket) {
            self.at_work.subtract(&circles);
        } else if let Some(queue) = self.queues.get_mut(requester)
            && let Some(place) = queue.tickets.iter().position(|other| *other == ticket)
        {
            queue.tickets.remove(place);
            self.waiting.subtract(&queue.circles);
            if queue.tickets.is_empty() {
                self.queues.remove(requester);
            }
        }
    }

    fn places(&self) -> usize {
        self.bounds.places.max(1)
    }

    fn may_wait(&self, circles: &[Circle]) -> bool {
        circles.iter().all(|circle| {
            let most = match circle {
                Circle::Link(_) | Circle::SignIn(..) => self.bounds.waiting_of_one,
                Circle::Company(_) | Circle::Network(_) => self.bounds.waiting_of_group,
                Circle::Programs(_) | Circle::Links(_) | Circle::Strangers => return true,
            };
            self.waiting.of(circle) < most
        })
    }

    fn may_begin(&self, circles: &[Circle]) -> bool {
        // A company's programs and its links count as separate newcomers, and so does each network.
        let is_newcomer = circles.get(1).is_some_and(|circle| self.at_work.of(circle) == 0);
        let (mut room, mut taken) = (self.places(), self.begun.len());
        for circle in circles {
            let Some(would_stay) = room.saturating_sub(taken).checked_sub(1) else {
                return false;
            };
            let has = self.at_work.of(circle);
            if has > 0 && !is_newcomer && (has >= 3 * would_stay || would_stay < room / 8) {
                return false;
            }
            (room, taken) = (self.room_of(circle, room), has);
        }
        taken < room
    }

    /// Returns the maximum number of places that a circle may have within a wider one.
    fn room_of(&self, circle: &Circle, wider: usize) -> usize {
        let room = match circle {
            Circle::Company(_) => self.places() * 3 / 4,
            Circle::Links(_) | Circle::Strangers => self.places() / 2,
            Circle::Link(_) => self.bounds.of_link,
            Circle::Network(_) => wider * 3 / 4,
            Circle::Programs(_) | Circle::SignIn(..) => wider,
        };
        room.max(1)
    }
}

#[derive(Debug, Default)]
struct Counts(HashMap<Circle, usize>);

impl Counts {
    fn of(&self, circle: &Circle) -> usize {
        self.0.get(circle).copied().unwrap_or_default()
    }

    fn add(&mut self, circles: &[Circle]) {
        for circle in circles {
            *self.0.entry(circle.clone()).or_default() += 1;
        }
    }

    fn subtract(&mut self, circles: &[Circle]) {
        for circle in circles {
            if let Entry::Occupied(mut count) = self.0.entry(circle.clone()) {
                *count.get_mut() -= 1;
                if *count.get() == 0 {
                    count.remove();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use proptest::prelude::*;

    use super::*;
    use crate::requester::LinkHolder;
    use crate::{ClientNetwork, CompanyId, RecipientId};

    const MANY: usize = 10_000;

    fn turns(places: usize) -> Turns {
        Turns::new(Bounds {
            places,
            of_link: (places / 16).max(1),
            waiting_of_one: MANY,
            waiting_of_group: MANY,
        })
    }

    fn id(name: &str) -> CompanyId {
        CompanyId::parse(name).expect("a company id")
    }

    fn company(name: &str) -> Requester {
        Requester::Company(id(name))
    }

    fn link(name: &str, recipient: i64) -> Requester {
        let holder = LinkHolder::Signer(RecipientId(recipient));
        Requester::Link {
            company: id(name),
            holder,
        }
    }

    fn network(number: u8) -> ClientNetwork {
        ClientNetwork::of(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)))
    }

    fn stranger(number: u8) -> Requester {
        Requester::Stranger(network(number))
    }

    /// Queues as many requests as there are places for each of these requesters, and starts all possible turns.
    fn flood(turns: &mut Turns, by: &[Requester]) -> Vec<(Requester, Ticket)> {
        let mut tickets = HashMap::new();
        for requester in by {
            for _ in 0..turns.places() {
                tickets.insert(turns.wait(requester).expect("there is room to wait"), requester);
            }
        }
        given(turns)
            .into_iter()
            .map(|ticket| (tickets[&ticket].clone(), ticket))
            .collect()
    }

    fn given(turns: &mut Turns) -> Vec<Ticket> {
        std::iter::from_fn(|| turns.begin_next()).collect()
    }

    fn number_of(requester: &Requester, given: &[(Requester, Ticket)]) -> usize {
        given.iter().filter(|(other, _)| other == requester).count()
    }

    /// Whether a new request would get a place immediately. Leaves the state unchanged.
    fn has_a_place_at_once(turns: &mut Turns, requester: &Requester) -> bool {
        let ticket = turns.wait(requester).expect("there is room to wait");
        turns.begin_next();
        let has_begun = turns.has_begun(ticket);
        turns.end(requester, ticket);
        has_begun
    }

    fn greedy() -> impl Strategy<Value = Requester> {
        prop_oneof![
            (0..2_u8).prop_map(|number| company(&format!("greedy{number}"))),
            (0..2_u8, 0..40_i64)
                .prop_map(|(number, signer)| link(&format!("greedy{number}"), i64::from(number) * 100 + signer)),
            (0..2_u8).prop_map(stranger),
        ]
    }

    proptest! {
        /// The requesters may have arrived in any order, each when it could get the most places.
        #[test]
        fn beside_any_mix_of_greedy_requesters_everybody_else_has_a_place_at_once(
            places in 64..200_usize,
            mix in prop::collection::vec(greedy(), 1..40),
        ) {
            let mut turns = turns(places);
            for requester in &mix {
                flood(&mut turns, std::slice::from_ref(requester));
            }
            for other in [company("other"), link("other", 999), stranger(99)] {
                prop_assert!(has_a_place_at_once(&mut turns, &other), "{other:?}");
            }
            let is_greedy = |kind: fn(&Requester) -> bool| mix.iter().any(kind);
            // In a greedy company, its links compete with its programs, and vice versa.
            if !is_greedy(|one| matches!(one, Requester::Link { .. })) {
                prop_assert!(has_a_place_at_once(&mut turns, &link("greedy0", 99)));
            }
            if !is_greedy(|one| matches!(one, Requester::Company(_))) {
                prop_assert!(has_a_place_at_once(&mut turns, &company("greedy0")));
            }
        }

        #[test]
        fn nobody_has_more_than_their_share_and_nothing_is_remembered(
            places in 1..100_usize,
            mix in prop::collection::vec(greedy(), 1..20),
        ) {
            let mut turns = turns(places);
            let mut held = Vec::new();
            for requester in &mix {
                let tickets: Vec<_> = (0..places).filter_map(|_| turns.wait(requester)).collect();
                held.extend(tickets.into_iter().map(|ticket| (requester.clone(), ticket)));
                given(&mut turns);
            }
            let most = |circle: &Circle| turns.at_work.of(circle);
            prop_assert!(turns.begun.len() <= places);
            prop_assert!(most(&Circle::Strangers) <= (places / 2).max(1));
            for greedy in ["greedy0", "greedy1"].map(id) {
                prop_assert!(most(&Circle::Links(greedy.clone())) <= (places / 2).max(1));
                prop_assert!(most(&Circle::Company(greedy)) <= (places * 3 / 4).max(1));
            }
            for (requester, ticket) in held {
                turns.end(&requester, ticket);
            }
            prop_assert!(turns.is_idle());
            prop_assert!(turns.at_work.0.is_empty() && turns.waiting.0.is_empty());
        }
    }

    #[test]
    fn one_company_leaves_a_quarter_to_others_and_its_programs_and_links_leave_some_to_each_other() {
        let mut alone = turns(64);
        let programs = flood(&mut alone, &[company("acme")]);
        assert_eq!(programs.len(), 36);
        let links: Vec<Requester> = (0..20).map(|signer| link("acme", signer)).collect();
        let links = flood(&mut alone, &links);
        assert_eq!(programs.len() + links.len(), 42);
        assert!(has_a_place_at_once(&mut alone, &company("other")));

        let mut signers = turns(64);
        let links: Vec<Requester> = (0..20).map(|signer| link("acme", signer)).collect();
        let begun = flood(&mut signers, &links);
        assert_eq!(
            begun.len(),
            28,
            "the last eighth of their half is for links that have none"
        );
        assert!(links.iter().all(|link| number_of(link, &begun) <= 4));
        assert!(has_a_place_at_once(&mut signers, &link("acme", 99)), "another signer");
    }

    #[test]
    fn with_few_places_one_companys_programs_leave_one_to_others() {
        for (places, of_company) in [(1, 1), (2, 1), (3, 1), (4, 2)] {
            let mut turns = turns(places);
            assert_eq!(flood(&mut turns, &[company("acme")]).len(), of_company, "of {places}");
            if places > 1 {
                assert!(has_a_place_at_once(&mut turns, &stranger(1)), "of {places}");
            }
        }
    }

    #[test]
    fn of_those_who_wait_the_one_with_the_least_at_work_comes_first() {
        let mut turns = turns(16);
        let acme = flood(&mut turns, &[company("acme")]);
        let late = flood(&mut turns, &[company("late")]);
        assert_eq!((acme.len(), late.len()), (9, 5));
        for (requester, ticket) in acme.iter().take(3) {
            turns.end(requester, *ticket);
        }
        // Both may have another place, and acme has waited longer.
        turns.begin_next().expect("places are free");
        assert_eq!(turns.at_work.of(&Circle::Company(id("late"))), 6);
    }

    #[test]
    fn only_a_few_of_a_link_wait_and_one_who_leaves_makes_room() {
        let mut turns = Turns::new(Bounds {
            places: 1,
            of_link: 1,
            waiting_of_one: 4,
            waiting_of_group: 64,
        });
        let other = turns.wait(&company("other")).expect("a ticket");
        assert_eq!(turns.begin_next(), Some(other));
        let flood = link("flood", 1);
        let tickets: Vec<_> = std::iter::from_fn(|| turns.wait(&flood)).collect();
        assert_eq!(tickets.len(), 4);
        assert!(turns.wait(&link("flood", 2)).is_some());
        turns.end(&flood, tickets[1]);
        assert!(turns.wait(&flood).is_some());
        let of_company = std::iter::from_fn(|| turns.wait(&company("flood"))).count();
        assert_eq!(of_company + 5, 64);
        assert!(turns.wait(&stranger(1)).is_some());
    }

    #[test]
    fn names_that_a_caller_makes_up_give_them_no_more_turns() {
        let sign_in = |number, company: Option<&str>| Requester::SignIn {
            network: network(number),
            company: company.map(id),
        };
        // The server's configuration for two hashes at a time.
        let mut turns = turns(8);
        let unknown = flood(&mut turns, &[sign_in(1, None)]);
        assert_eq!(unknown.len(), 2, "however many names they are");
        let known: Vec<Requester> = ["a", "b", "c"].map(|name| sign_in(1, Some(name))).into();
        assert_eq!(unknown.len() + flood(&mut turns, &known).len(), 3, "one network");
        assert!(
            has_a_place_at_once(&mut turns, &sign_in(2, Some("a"))),
            "another network"
        );
    }
}
