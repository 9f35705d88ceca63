//! The table of events: the audit trail in order of time, a row for each act with the values it wrote.
//!
//! The chain has an entry for each value. Entries that one act wrote at one moment are one row here, which names the fields.

use document::evidence::certificate::{Column, EventTable};
use domain::event::FileKind;
use domain::{Actor, Event, EventKind, NamedEvent, Who};

use super::{Writer, person};
use crate::base::event_text::event_text_key;

/// An act, and the values that were written and removed with it.
struct Act<'e> {
    event: &'e NamedEvent,
    values: Vec<&'e NamedEvent>,
}

impl Writer<'_> {
    pub(super) fn event_table(&self) -> EventTable {
        let column = |key: &str, share| Column {
            title: self.say(key),
            share,
        };
        let mut acts = acts(&self.events);
        // Servers' clocks may differ a little; acts of one moment stay in the order of the chain.
        acts.sort_by_key(|act| act.event.event.at);
        EventTable {
            heading: self.say("certificate-heading-events"),
            columns: vec![
                column("certificate-column-time", 0.19),
                column("certificate-column-event", 0.37),
                column("certificate-column-who", 0.24),
                column("certificate-column-origin", 0.20),
            ],
            rows: acts.iter().map(|act| self.row(act)).collect(),
        }
    }

    fn row(&self, act: &Act<'_>) -> Vec<String> {
        let named = act.event;
        let mut lines = Vec::new();
        if !is_value(named) {
            lines.push(self.drawable(&self.describe(named)));
        }
        for (key, is_kind) in [
            ("certificate-values-written", is_written as fn(&NamedEvent) -> bool),
            ("certificate-values-removed", |named| {
                is_value(named) && !is_written(named)
            }),
        ] {
            let mut fields: Vec<&str> = Vec::new();
            for value in act.values.iter().filter(|value| is_kind(value)) {
                if let EventKind::ValueWritten { field, .. } | EventKind::ValueRemoved { field, .. } =
                    &value.event.event
                {
                    fields.push(self.field(field));
                }
            }
            if !fields.is_empty() {
                lines.push(self.drawable(&self.say_with(key, &[("fields", &fields.join(", "))])));
            }
        }
        vec![
            self.moment(named.event.at),
            lines.join("\n"),
            self.drawable(&self.who(named)),
            self.drawable(&self.origin(&named.event.actor)),
        ]
    }

    /// Where a person acted from, and with which program.
    fn origin(&self, actor: &Actor) -> String {
        let address = actor.address.as_ref().map(|address| self.text(address).to_owned());
        [address, self.browser(actor)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" · ")
    }

    fn describe(&self, named: &NamedEvent) -> String {
        let Event { event, actor, .. } = &named.event;
        let key = event_text_key(event);
        // The person is named next to it anyway.
        let about = named
            .recipient
            .as_ref()
            .filter(|person| actor.who != Who::Recipient(person.id))
            .map(|about| self.person(about))
            .unwrap_or_default();
        let detail = match event {
            EventKind::ValueWritten { field, .. } | EventKind::ValueRemoved { field, .. } => {
                self.field(field).to_owned()
            }
            EventKind::Extended { expires_at } => self.moment(*expires_at),
            EventKind::Started {
                signed_original: Some(hash),
                ..
            } => self.say_with("certificate-started-without-signatures", &[("hash", &hash.to_string())]),
            EventKind::Downloaded { file } | EventKind::Timestamped { file, .. } => self.say(match file {
                FileKind::Document => "certificate-file-document",
                FileKind::Certificate => "certificate-file-certificate",
            }),
            EventKind::RecipientCorrected { recipient, .. } | EventKind::HandedOver { recipient, .. } => {
                named.change(&self.erased).unwrap_or_else(|| self.person(recipient))
            }
            _ => about,
        };
        let order = match event {
            EventKind::Returned { to_order, .. } => to_order.to_string(),
            _ => String::new(),
        };
        let member = match event {
            EventKind::LinkCopied { member, .. } => person(self.text(&member.name), self.text(&member.email)),
            _ => String::new(),
        };
        let reason = event.reason().map(|reason| format!("“{}”", self.text(reason)));
        let details: Vec<String> = [detail]
            .into_iter()
            .filter(|detail| !detail.is_empty())
            .chain(reason)
            .collect();
        let text = self.say_with(&key, &[("order", &order), ("member", &member)]);
        if details.is_empty() {
            text
        } else {
            format!("{text}: {}", details.join(" · "))
        }
    }

    /// A field as its signer read it.
    fn field<'n>(&'n self, name: &'n str) -> &'n str {
        let fields = &self.certified.template.version.fields;
        let known = fields.iter().find(|field| field.name == name);
        known.map_or(name, domain::Field::shown_name)
    }

    fn who(&self, named: &NamedEvent) -> String {
        match named.event.actor.who {
            Who::Recipient(_) => named
                .actor
                .as_ref()
                .map_or_else(String::new, |actor| self.person(actor)),
            Who::Member(id) if id == self.certified.workflow.sender => {
                format!(
                    "{} ({})",
                    self.certified.party.sender_name,
                    self.say("certificate-who-sender")
                )
            }
            Who::Member(id) => self.say_with("certificate-who-member", &[("id", &id.to_string())]),
            Who::LinkHolder => self.say("certificate-who-link"),
            Who::Service => self.say("certificate-who-service"),
        }
    }
}

fn is_written(named: &NamedEvent) -> bool {
    matches!(named.event.event, EventKind::ValueWritten { .. })
}

fn is_value(named: &NamedEvent) -> bool {
    is_written(named) || matches!(named.event.event, EventKind::ValueRemoved { .. })
}

/// The events with their values: a start is followed by its values, an approval comes after them. Values that belong to
/// neither are a row of their own.
fn acts(events: &[NamedEvent]) -> Vec<Act<'_>> {
    let mut acts: Vec<Act<'_>> = Vec::new();
    for named in events {
        let together = acts.last_mut().filter(|last| is_together(last.event, named));
        match (together, is_value(named)) {
            (Some(last), true) => last.values.push(named),
            (Some(last), false) if is_value(last.event) && is_approval(named) => last.event = named,
            (_, is_value) => acts.push(Act {
                event: named,
                values: if is_value { vec![named] } else { Vec::new() },
            }),
        }
    }
    acts
}

/// Whether a value belongs to the act before it, or an approval to the values before it: by the same actor, at the same
/// moment.
fn is_together(last: &NamedEvent, named: &NamedEvent) -> bool {
    let is_same_act = last.event.at == named.event.at && last.event.actor == named.event.actor;
    let belongs = is_value(last) || matches!(last.event.event, EventKind::Started { .. });
    is_same_act && belongs
}

fn is_approval(named: &NamedEvent) -> bool {
    matches!(named.event.event, EventKind::Approved { .. })
}

#[cfg(test)]
mod tests {
    use domain::{BlobHash, RecipientId};
    use jiff::Timestamp;

    use super::*;

    fn named(second: i64, who: Who, event: EventKind) -> NamedEvent {
        NamedEvent {
            sequence: 1,
            event: Event {
                at: Timestamp::from_second(second).expect("a moment"),
                actor: Actor { who, ..Actor::SERVICE },
                event,
            },
            actor: None,
            recipient: None,
            successor: None,
        }
    }

    #[test]
    fn values_join_the_approval_of_their_own_moment_and_actor_alone() {
        const SIGNER: RecipientId = RecipientId(1);
        let signer = Who::Recipient(SIGNER);
        let written = || EventKind::ValueWritten {
            recipient: Some(SIGNER),
            field: "name".to_owned(),
            hash: BlobHash::of(b""),
        };
        let removed = || EventKind::ValueRemoved {
            recipient: SIGNER,
            field: "day".to_owned(),
        };
        let approved = || EventKind::Approved {
            recipient: SIGNER,
            order: 1,
            comment: None,
        };
        let events = [
            named(1, signer, EventKind::Viewed { recipient: SIGNER }),
            named(1, signer, written()),
            named(1, signer, removed()),
            named(1, signer, approved()),
            // Another person's, and another moment's.
            named(1, Who::Service, removed()),
            named(2, signer, written()),
            named(3, signer, approved()),
        ];
        let acts = acts(&events);
        let shown: Vec<(&str, usize)> = acts
            .iter()
            .map(|act| (act.event.event.event.code(), act.values.len()))
            .collect();
        assert_eq!(
            shown,
            [
                ("viewed", 0),
                ("approved", 2),
                ("value_removed", 1),
                ("value_written", 1),
                ("approved", 0)
            ]
        );
    }
}
