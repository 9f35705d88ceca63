//! The people in a workflow over time.
//!
//! An event names a recipient by number, and a correction or a reassignment puts another person behind that number. For
//! each entry of an audit trail, [`named_events`] returns the person who had that number when the entry was written.
//! All code that shows past events uses it, because a [`crate::Recipient`] is only the current person.

use std::collections::BTreeMap;

use crate::chain::Entry;
use crate::event::{Event, EventKind, NamedRecipient, Who};
use crate::ids::RecipientId;

/// An entry of an audit trail with the people it names, as they were when the entry was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEvent {
    /// The entry's number in the chain.
    pub sequence: u64,
    pub event: Event,
    /// The recipient who acted, if a recipient did.
    pub actor: Option<NamedRecipient>,
    /// The recipient it is about. For a correction or reassignment, the person who is replaced.
    pub recipient: Option<NamedRecipient>,
    /// The person who takes their place.
    pub successor: Option<NamedRecipient>,
}

/// Returns the events of a whole audit trail, in order, each with the people at that time. Unreadable entries are left
/// out.
pub fn named_events(entries: &[Entry]) -> Vec<NamedEvent> {
    let mut people: BTreeMap<RecipientId, NamedRecipient> = BTreeMap::new();
    let mut named = Vec::with_capacity(entries.len());
    for entry in entries {
        let Some(event) = entry.event() else {
            continue;
        };
        people.extend(
            event
                .event
                .first_people()
                .iter()
                .map(|person| (person.id, person.clone())),
        );
        let actor = match event.actor.who {
            Who::Recipient(id) => people.get(&id).cloned(),
            Who::Member(_) | Who::LinkHolder | Who::Service => None,
        };
        let recipient = event.event.recipient().and_then(|id| people.get(&id).cloned());
        let successor = event.event.successor().cloned();
        people.extend(successor.iter().map(|person| (person.id, person.clone())));
        named.push(NamedEvent {
            sequence: entry.sequence,
            event,
            actor,
            recipient,
            successor,
        });
    }
    named
}

impl NamedEvent {
    /// A change of person in one line: `박지훈 → 박서준 (jihun@example.com → seojun@example.com)`. What stays is named once;
    /// a company and a mobile number that were corrected come last. `erased` replaces erased texts.
    pub fn change(&self, erased: &str) -> Option<String> {
        let (before, after) = (self.recipient.as_ref()?, self.successor.as_ref()?);
        let texts =
            |person: &'_ NamedRecipient| (person.name.or(erased).to_owned(), person.contact.or(erased).to_owned());
        let ((name_before, contact_before), (name_after, contact_after)) = (texts(before), texts(after));
        let names = arrow(&name_before, &name_after);
        // A person without a name is shown by their contact.
        let says_contact = name_before == contact_before && name_after == contact_after;
        let contacts = (!says_contact).then(|| arrow(&contact_before, &contact_after));
        let mobile = match &self.event.event {
            EventKind::RecipientCorrected { mobile, .. } => mobile.as_ref().map(|mobile| mobile.or(erased).to_owned()),
            _ => None,
        };
        let company = |person: &NamedRecipient| {
            person
                .company
                .as_ref()
                .map_or("–", |company| company.or(erased))
                .to_owned()
        };
        let companies = (before.company != after.company).then(|| arrow(&company(before), &company(after)));
        let details: Vec<String> = contacts.into_iter().chain(companies).chain(mobile).collect();
        Some(if details.is_empty() {
            names
        } else {
            format!("{names} ({})", details.join(", "))
        })
    }
}

fn arrow(before: &str, after: &str) -> String {
    if before == after {
        before.to_owned()
    } else {
        format!("{before} → {after}")
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::chain::Head;
    use crate::event::Actor;
    use crate::ids::{CompanyId, MemberId, TemplateId, WorkflowId};
    use crate::personal_text::PersonalText;
    use crate::value::BlobHash;

    const PLACE: RecipientId = RecipientId(7);

    struct Zeros;

    impl crate::Random for Zeros {
        fn fill(&self, _: &mut [u8]) {}
    }

    fn person(name: &str, contact: &str) -> NamedRecipient {
        NamedRecipient {
            id: PLACE,
            order: 1,
            name: name.into(),
            contact: contact.into(),
            phone: None,
            company: None,
        }
    }

    fn chain(events: Vec<(Who, EventKind)>) -> Vec<Entry> {
        let company: CompanyId = CompanyId::parse("acme").expect("an id");
        let mut head = Head::genesis(&company, WorkflowId(1));
        let mut entries = Vec::new();
        for (who, event) in events {
            let actor = Actor { who, ..Actor::SERVICE };
            let event = Event {
                at: Timestamp::UNIX_EPOCH,
                actor,
                event,
            };
            let (entry, next) = head.append(&event, &Zeros);
            entries.push(entry);
            head = next;
        }
        entries
    }

    fn started() -> (Who, EventKind) {
        let event = EventKind::Started {
            template: TemplateId(1),
            version: 1,
            document: BlobHash::of(b""),
            signed_original: None,
            recipients: vec![person("박지훈", "jihun@example.com")],
            terms: None,
        };
        (Who::Member(MemberId(1)), event)
    }

    fn viewed() -> (Who, EventKind) {
        (Who::Recipient(PLACE), EventKind::Viewed { recipient: PLACE })
    }

    #[test]
    fn each_entry_names_the_person_of_its_time() {
        let corrected = EventKind::RecipientCorrected {
            recipient: person("박서준", "seojun@example.com"),
            mobile: None,
        };
        let handed_over = EventKind::HandedOver {
            recipient: person("최유나", "yuna@example.com"),
            link_version: 2,
        };
        let named = named_events(&chain(vec![
            started(),
            viewed(),
            (Who::Member(MemberId(1)), corrected),
            viewed(),
            (Who::Recipient(PLACE), handed_over),
            viewed(),
        ]));
        let name = |person: &Option<NamedRecipient>| person.as_ref()?.name.clear().map(str::to_owned);
        let people: Vec<_> = named
            .iter()
            .map(|event| (name(&event.actor), name(&event.recipient), event.change("erased")))
            .collect();
        let own = |name: &str| (Some(name.to_owned()), Some(name.to_owned()), None);
        let change = |text: &str| Some(text.to_owned());
        assert_eq!(
            people,
            [
                (None, None, None),
                own("박지훈"),
                (
                    None,
                    Some("박지훈".to_owned()),
                    change("박지훈 → 박서준 (jihun@example.com → seojun@example.com)")
                ),
                own("박서준"),
                (
                    Some("박서준".to_owned()),
                    Some("박서준".to_owned()),
                    change("박서준 → 최유나 (seojun@example.com → yuna@example.com)")
                ),
                own("최유나"),
            ]
        );
    }

    #[test]
    fn a_change_names_once_what_stays() {
        let change_with = |before: NamedRecipient, recipient: NamedRecipient, mobile: Option<&str>| {
            let mobile = mobile.map(PersonalText::from);
            let event = chain(vec![(
                Who::Service,
                EventKind::RecipientCorrected { recipient, mobile },
            )]);
            let mut named = named_events(&event).remove(0);
            assert_eq!(named.change("erased"), None, "nobody is known to have been there");
            named.recipient = Some(before);
            named.change("erased").expect("a change")
        };
        let change = |before, after| change_with(before, after, None);
        let kim = || person("Kim", "kim@example.com");
        assert_eq!(
            change(kim(), person("Lee", "kim@example.com")),
            "Kim → Lee (kim@example.com)"
        );
        assert_eq!(
            change(kim(), person("Kim", "010-1234-5678")),
            "Kim (kim@example.com → 010-1234-5678)"
        );
        assert_eq!(
            change_with(kim(), kim(), Some("010-1234-5678")),
            "Kim (kim@example.com, 010-1234-5678)"
        );
        let of = |company: &str| NamedRecipient {
            company: Some(company.into()),
            ..kim()
        };
        assert_eq!(change(kim(), of("Acme")), "Kim (kim@example.com, – → Acme)");
        assert_eq!(change(of("Acme"), of("Bcme")), "Kim (kim@example.com, Acme → Bcme)");
        let nameless = |contact: &str| person(contact, contact);
        assert_eq!(
            change(nameless("a@example.com"), nameless("b@example.com")),
            "a@example.com → b@example.com"
        );
    }
}
