//! Who has a child next: the children are few, and whoever asks for much may not take them from the others.
//!
//! Whoever asks is a [`Party`]: a group (a company), or one of its members (the holder of a link). Of the children a group
//! has all but one at a time, its members together half of them, and one member has one. Of those who wait, the group that
//! has the fewest comes first, and within it who came first. Of a member only a few wait, and of a group a bounded number:
//! they hold a thread each.

/// Who asks for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// All of whom have their share together: a company.
    pub group: String,
    /// One of it with a small share of his own: the holder of a link. None: the group itself, such as its programs.
    pub member: Option<String>,
}

/// So many of one member wait behind the one that is at work.
const WAITING_OF_MEMBER: usize = 4;
/// So many of one group wait.
const WAITING_OF_GROUP: usize = 64;

/// Who is at work, and who waits.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    working: Vec<Party>,
    waiting: Vec<(u64, Party)>,
    next: u64,
}

impl Party {
    /// Nobody in particular.
    #[must_use]
    pub fn stranger() -> Party {
        Party {
            group: String::new(),
            member: None,
        }
    }

    fn is_of(&self, other: &Party) -> bool {
        self.group == other.group
    }
}

impl Turns {
    /// Has somebody wait; his ticket, or none where too many of them wait.
    pub(crate) fn wait(&mut self, party: &Party) -> Option<u64> {
        let of_group = self.waiting.iter().filter(|(_, other)| other.is_of(party)).count();
        let of_member = self.waiting.iter().filter(|(_, other)| other == party).count();
        if of_group >= WAITING_OF_GROUP || (party.member.is_some() && of_member >= WAITING_OF_MEMBER) {
            return None;
        }
        let ticket = self.next;
        self.next = self.next.wrapping_add(1);
        self.waiting.push((ticket, party.clone()));
        Some(ticket)
    }

    /// Whose turn it is where one of `children` is free; none where nobody may have one.
    pub(crate) fn next(&self, children: usize) -> Option<u64> {
        let may_work = self.waiting.iter().filter(|(_, party)| self.may_work(party, children));
        may_work
            .min_by_key(|(ticket, party)| (self.at_work(|other| other.is_of(party)), *ticket))
            .map(|(ticket, _)| *ticket)
    }

    /// His turn has come.
    pub(crate) fn begin(&mut self, ticket: u64) {
        if let Some(place) = self.waiting.iter().position(|(other, _)| *other == ticket) {
            let (_, party) = self.waiting.remove(place);
            self.working.push(party);
        }
    }

    /// He waits no more.
    pub(crate) fn leave(&mut self, ticket: u64) {
        self.waiting.retain(|(other, _)| *other != ticket);
    }

    /// One of his jobs is over.
    pub(crate) fn end(&mut self, party: &Party) {
        if let Some(place) = self.working.iter().position(|other| other == party) {
            self.working.swap_remove(place);
        }
    }

    fn may_work(&self, party: &Party, children: usize) -> bool {
        let of_group = self.at_work(|other| other.is_of(party));
        if of_group >= children.saturating_sub(1).max(1) {
            return false;
        }
        party.member.is_none()
            || self.at_work(|other| other == party) < 1
                && self.at_work(|other| other.is_of(party) && other.member.is_some()) < (children / 2).max(1)
    }

    fn at_work(&self, counts: impl Fn(&Party) -> bool) -> usize {
        self.working.iter().filter(|party| counts(party)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn company(name: &str) -> Party {
        Party {
            group: name.to_owned(),
            member: None,
        }
    }

    fn link(company: &str, name: &str) -> Party {
        Party {
            group: company.to_owned(),
            member: Some(name.to_owned()),
        }
    }

    /// Gives turns while there are children and somebody may have one; who got them.
    fn given(turns: &mut Turns, children: usize) -> Vec<Party> {
        let before = turns.working.len();
        while turns.working.len() < children
            && let Some(ticket) = turns.next(children)
        {
            turns.begin(ticket);
        }
        turns.working.get(before..).unwrap_or_default().to_vec()
    }

    #[test]
    fn one_company_never_has_all_children_and_one_link_has_one() {
        let mut turns = Turns::default();
        for _ in 0..3 {
            turns.wait(&company("acme")).expect("a ticket");
            turns.wait(&link("flood", "1")).expect("a ticket");
            turns.wait(&link("flood", "2")).expect("a ticket");
            turns.wait(&link("flood", "3")).expect("a ticket");
        }
        let first = given(&mut turns, 4);
        assert_eq!(
            first.iter().filter(|party| party.group == "acme").count(),
            2,
            "{first:?}"
        );
        let links = first.iter().filter(|party| party.group == "flood");
        assert_eq!(links.count(), 2, "half of them: {first:?}");
        assert!(
            first.contains(&link("flood", "1")) && first.contains(&link("flood", "2")),
            "{first:?}"
        );

        let mut alone = Turns::default();
        for _ in 0..9 {
            alone.wait(&company("acme")).expect("a ticket");
        }
        assert_eq!(given(&mut alone, 4).len(), 3, "one is left for whoever comes");
        alone.wait(&company("other")).expect("a ticket");
        assert_eq!(given(&mut alone, 4), [company("other")]);
        assert_eq!(given(&mut Turns::default(), 4), []);
    }

    #[test]
    fn with_one_child_everybody_has_a_turn_before_anybody_has_another() {
        let mut turns = Turns::default();
        for _ in 0..3 {
            turns.wait(&link("flood", "1")).expect("a ticket");
        }
        assert_eq!(given(&mut turns, 1), [link("flood", "1")]);
        assert_eq!(given(&mut turns, 1), []);
        turns.wait(&company("other")).expect("a ticket");
        turns.end(&link("flood", "1"));
        // Nobody of either is at work: who came first.
        assert_eq!(given(&mut turns, 1), [link("flood", "1")]);
        turns.end(&link("flood", "1"));
        turns.end(&link("flood", "1"));
        assert_eq!(turns.working.len(), 0);
    }

    #[test]
    fn of_the_waiting_a_group_with_fewer_at_work_comes_first() {
        let mut turns = Turns::default();
        for _ in 0..9 {
            turns.wait(&company("flood")).expect("a ticket");
        }
        assert_eq!(given(&mut turns, 4).len(), 3);
        turns.wait(&company("other")).expect("a ticket");
        turns.end(&company("flood"));
        assert_eq!(given(&mut turns, 3), [company("other")], "though it came last");
    }

    #[test]
    fn only_a_few_of_a_link_wait_and_one_who_leaves_makes_room() {
        let mut turns = Turns::default();
        let tickets: Vec<u64> = (0..4).map_while(|_| turns.wait(&link("flood", "1"))).collect();
        assert_eq!((tickets.len(), turns.wait(&link("flood", "1"))), (4, None));
        assert!(turns.wait(&link("flood", "2")).is_some() && turns.wait(&company("flood")).is_some());
        turns.leave(tickets[1]);
        assert!(turns.wait(&link("flood", "1")).is_some());
        let all = (0..100).map_while(|_| turns.wait(&company("flood"))).count();
        assert_eq!(all + 6, 64);
        assert!(turns.wait(&company("other")).is_some());
    }
}
