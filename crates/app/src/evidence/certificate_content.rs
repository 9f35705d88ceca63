//! What a history certificate says: who did what, when, from where and how, and what proves it.
//!
//! In the workflow's language, every time in its zone, which it names once. It states hash and length of the sealed revision (later
//! timestamps only append to it) and the head of the chain, and carries the chain itself as JSON, so that it can be checked
//! without the server.

mod events;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use document::evidence::certificate::{
    Attachment, Card, CardPicture, CertificateContent, Look, QrAddress, Section, State, Tone,
};
use document::text::fonts::Fonts;
use domain::event::IdentityMethod;
use domain::text::is_direction_control;
use domain::{
    Actor, BlobHash, ChainFile, Entry, Event, EventKind, Language, NamedEvent, NamedRecipient, PersonalText, Progress,
    Recipient, RecipientId, SealLevel, Status, Who, Workflow, named_events, time,
};
use jiff::Timestamp;
use store::template::StoredVersion;
use store::workflow::{Party, StoredWorkflow};
use store::workflow_value::StoredValue;

use crate::base::text::erased;
use crate::evidence::attached_chain::CHAIN_FILE;
use crate::values::value::attached;

use crate::base::browser::browser;
use crate::base::consent;

/// How a signer received their link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::evidence) enum HandedOn {
    /// No message with the link was delivered. The sender or an administrator copied it to pass it on.
    BySender,
    /// A mail server or a messenger accepted the message.
    Sent,
}

/// The content of a certificate.
pub(in crate::evidence) struct Certified<'c> {
    /// The workflow as stored.
    pub stored: &'c StoredWorkflow,
    /// The workflow after the change.
    pub workflow: &'c Workflow,
    pub party: &'c Party,
    pub template: &'c StoredVersion,
    pub values: &'c BTreeMap<String, StoredValue>,
    pub entries: &'c [Entry],
    /// How signers received their links. A missing entry means unknown: the message is waiting, or could not be
    /// delivered.
    pub handed_on: &'c BTreeMap<RecipientId, HandedOn>,
    /// Hash and length of the sealed document. `None` if the workflow ended early.
    pub sealed: Option<(BlobHash, u64, SealLevel)>,
    /// The comment on the last action, which is not stored yet.
    pub last_comment: Option<&'c str>,
    pub at: Timestamp,
    pub verify_url: String,
    /// How the company's papers look.
    pub look: Look,
    /// The signatures and seals of those who signed.
    pub pictures: BTreeMap<RecipientId, Vec<CardPicture>>,
}

/// Builds the certificate's content. Text from strangers is made drawable, so that missing glyphs cannot cause a
/// failure.
pub(in crate::evidence) fn certificate_content(certified: &Certified<'_>, fonts: &Fonts) -> CertificateContent {
    Writer {
        certified,
        fonts,
        language: certified.workflow.language,
        events: named_events(certified.entries),
        erased: erased(certified.workflow.language),
    }
    .content()
}

struct Writer<'c> {
    certified: &'c Certified<'c>,
    fonts: &'c Fonts,
    language: Language,
    /// The whole chain, with the names of the people at the time of each entry.
    events: Vec<NamedEvent>,
    /// The text that replaces an erased one.
    erased: String,
}

impl Writer<'_> {
    fn say(&self, key: &str) -> String {
        i18n::text(self.language, key, &[])
    }

    fn say_with(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        i18n::text(self.language, key, arguments)
    }

    /// A time in the zone that the certificate names; with its offset if that is another than the named one.
    fn moment(&self, at: Timestamp) -> String {
        let zone = self.certified.workflow.zone;
        if zone.offset(at) == zone.offset(self.certified.at) {
            time::format_local(at, zone)
        } else {
            time::format_with_zone(at, zone)
        }
    }

    fn text<'t>(&'t self, text: &'t PersonalText) -> &'t str {
        text.or(&self.erased)
    }

    fn person(&self, named: &NamedRecipient) -> String {
        person(self.text(&named.name), self.text(&named.contact))
    }

    fn drawable(&self, text: &str) -> String {
        drawable(self.fonts, text)
    }

    fn content(&self) -> CertificateContent {
        let workflow = self.certified.workflow;
        CertificateContent {
            language: self.language,
            issuer: self.drawable(&self.certified.party.company_name),
            look: self.certified.look.clone(),
            title: self.say("certificate-title"),
            subtitle: self.drawable(&workflow.name),
            state: self.state(),
            sections: [
                Some(self.document()),
                Some(self.writers()),
                self.copies(),
                self.attached(),
                Some(self.proof()),
            ]
            .into_iter()
            .flatten()
            .collect(),
            events: self.event_table(),
            notes: self.notes(),
            qr: Some(QrAddress {
                address: self.certified.verify_url.clone(),
                caption: self.say("certificate-qr"),
            }),
            footer: self.drawable(&self.say_with(
                "certificate-footer",
                &[
                    ("company", &self.certified.party.company_name),
                    ("id", &workflow.id.to_string()),
                ],
            )),
            attachments: vec![self.chain()],
            created: self.certified.at,
        }
    }

    fn document(&self) -> Section {
        let Certified {
            workflow,
            party,
            template,
            ..
        } = self.certified;
        let status = workflow.state.status();
        let mut rows = vec![
            (self.say("certificate-document-name"), self.drawable(&workflow.name)),
            (self.say("certificate-document-id"), workflow.id.to_string()),
            (
                self.say("certificate-company"),
                self.drawable(&format!("{} ({})", party.company_name, workflow.company)),
            ),
            (
                self.say("certificate-sender"),
                self.drawable(&person(&party.sender_name, &party.sender_email)),
            ),
            (
                self.say("certificate-template"),
                self.drawable(&format!(
                    "{} ({}, v{})",
                    template.version.name, workflow.template, workflow.template_version
                )),
            ),
            (self.say("certificate-pages"), template.version.page_count().to_string()),
            (self.say("certificate-started"), self.moment(workflow.started_at)),
        ];
        if let Some(ended) = workflow.state.ended_at() {
            rows.push((self.say("certificate-ended"), self.moment(ended)));
        }
        let end_comment = self
            .certified
            .stored
            .end_comment
            .as_deref()
            .or(self.certified.last_comment);
        if let Some(comment) = end_comment.filter(|_| status != Status::Complete) {
            rows.push((self.say("certificate-reason"), self.drawable(comment)));
        }
        rows.push((self.say("certificate-issued"), self.moment(self.certified.at)));
        let zone = workflow.zone.label(self.certified.at);
        rows.push((self.say("certificate-zone"), zone));
        Section {
            heading: self.say("certificate-heading-document"),
            rows,
            ..Section::default()
        }
    }

    fn writers(&self) -> Section {
        let workflow = self.certified.workflow;
        Section {
            heading: self.say("certificate-heading-writers"),
            cards: workflow
                .recipients
                .iter()
                .map(|recipient| self.card(recipient))
                .collect(),
            rows: Vec::new(),
        }
    }

    /// Lists the people who receive the completed document without signing it.
    fn copies(&self) -> Option<Section> {
        let copies = &self.certified.workflow.copies;
        let rows = copies
            .iter()
            .map(|copy| {
                (
                    self.say("certificate-copy"),
                    self.drawable(&person(&copy.name, copy.contact.as_given())),
                )
            })
            .collect();
        (!copies.is_empty()).then(|| Section {
            heading: self.say("certificate-heading-copies"),
            rows,
            ..Section::default()
        })
    }

    /// Describes a signer: what they did, when and where, and how they were identified.
    fn card(&self, recipient: &Recipient) -> Card {
        let order = recipient.order.to_string();
        let step = match &recipient.role {
            Some(role) => self.say_with("certificate-step-role", &[("order", &order), ("role", role)]),
            None => self.say_with("certificate-step", &[("order", &order)]),
        };
        let mut rows = vec![(self.say("certificate-step-label"), self.drawable(&step))];
        if let Some(company) = &recipient.company {
            rows.push((self.say("certificate-signs-for"), self.drawable(company)));
        }
        // Events before a correction or reassignment belong to another person.
        let mut events: Vec<&Event> = Vec::new();
        for named in &self.events {
            if named.event.event.recipient() != Some(recipient.id) {
                continue;
            }
            if named.successor.is_some() {
                events.clear();
                rows.extend(self.earlier_person(named));
            }
            events.push(&named.event);
        }
        let first = |is: &dyn Fn(&EventKind) -> bool| events.iter().copied().find(|event| is(&event.event));
        // After a return a signer acts again, so the last action counts.
        let last = |is: &dyn Fn(&EventKind) -> bool| events.iter().rev().copied().find(|event| is(&event.event));
        let requested = first(&|event| matches!(event, EventKind::RequestSent { .. }));
        let viewed = first(&|event| matches!(event, EventKind::Viewed { .. }));
        let handed_on = self.certified.handed_on.get(&recipient.id);
        let asked = match handed_on {
            Some(HandedOn::Sent) => "certificate-requested",
            Some(HandedOn::BySender) | None => "certificate-asked",
        };
        for (key, event) in [(asked, requested), ("certificate-viewed", viewed)] {
            if let Some(event) = event {
                rows.push((self.say(key), self.moment(event.at)));
            }
        }
        let act = last(&|event| {
            matches!(
                event,
                EventKind::Approved { .. } | EventKind::Rejected { .. } | EventKind::Returned { .. }
            )
        });
        rows.push((
            self.say("certificate-identity"),
            self.drawable(&self.identity(recipient, &events, act)),
        ));
        if let Some(Event {
            at,
            event: EventKind::Consented { statement, .. },
            ..
        }) = last(&|event| matches!(event, EventKind::Consented { .. }))
        {
            rows.push((self.say("certificate-consent"), self.consent(*at, statement)));
        }
        // Uses the origin of the action, or of the first view if there was no action yet.
        let from = act.or(viewed);
        if let Some(address) = from.and_then(|event| event.actor.address.as_ref()) {
            rows.push((self.say("certificate-address"), self.drawable(self.text(address))));
        }
        if let Some(browser) = from.and_then(|event| self.browser(&event.actor)) {
            rows.push((self.say("certificate-browser"), self.drawable(&browser)));
        }
        if let Some(comment) = self.comment_of(recipient) {
            rows.push((self.say("certificate-comment"), self.drawable(&format!("“{comment}”"))));
        }
        Card {
            mark: recipient.order.to_string(),
            name: self.drawable(&recipient.name),
            contact: self.drawable(recipient.contact.as_given()),
            state: self.progress(recipient),
            rows,
            pictures: self.certified.pictures.get(&recipient.id).cloned().unwrap_or_default(),
        }
    }

    /// Describes the previous person in this place: until when the document was assigned to them, and why that ended.
    fn earlier_person(&self, change: &NamedEvent) -> Option<(String, String)> {
        let before = change.recipient.as_ref();
        // A person of whom only the mobile number or the company was corrected is still in place.
        let is_still_there = |before: &NamedRecipient| {
            let after = change.successor.as_ref();
            after.is_some_and(|after| before.is_same_person(after))
        };
        let before = before.filter(|before| !is_still_there(before))?;
        let key = match change.event.event {
            EventKind::HandedOver { .. } => "certificate-earlier-handed-over",
            _ => "certificate-earlier-corrected",
        };
        let person = self.person(before);
        let until = self.say_with(key, &[("person", &person), ("at", &self.moment(change.event.at))]);
        Some((self.say("certificate-earlier"), self.drawable(&until)))
    }

    /// Describes how the person's identity was checked.
    fn identity(&self, recipient: &Recipient, events: &[&Event], act: Option<&Event>) -> String {
        if act.is_some_and(|event| !matches!(event.actor.who, Who::Recipient(_))) {
            return self.say("certificate-identity-on-behalf");
        }
        let mut parts = Vec::new();
        let is_asked = events
            .iter()
            .any(|event| matches!(event.event, EventKind::RequestSent { .. }));
        let link = match self.certified.handed_on.get(&recipient.id) {
            _ if !is_asked => "certificate-identity-embedded",
            Some(HandedOn::Sent) => "certificate-identity-link",
            Some(HandedOn::BySender) => "certificate-identity-link-by-sender",
            None => "certificate-identity-link-made",
        };
        parts.push(self.say_with(link, &[("contact", recipient.contact.as_given())]));
        let copied = events.iter().rev().find_map(|event| match &event.event {
            EventKind::LinkCopied { member, .. } => Some((member, event.at)),
            _ => None,
        });
        if let Some((member, at)) = copied {
            let copied = [("member", self.text(&member.name)), ("at", &self.moment(at))];
            parts.push(self.say_with("certificate-identity-copied", &copied));
        }
        let writer = self.certified.stored.writer(recipient.id);
        for (way, asked, word) in [
            (
                IdentityMethod::AccessCode,
                writer.is_some_and(|writer| writer.access.is_some()),
                "certificate-identity-code",
            ),
            (
                IdentityMethod::OneTimeCode,
                writer.is_some_and(|writer| writer.asks_one_time_code),
                "certificate-identity-one-time",
            ),
        ] {
            let checked = events.iter().rev().find_map(|event| match event.event {
                EventKind::IdentityChecked { method, .. } if method == way => Some(event.at),
                _ => None,
            });
            let sent_to = events.iter().rev().find_map(|event| match &event.event {
                EventKind::OneTimeCodeSent { to, .. } => to.as_ref(),
                _ => None,
            });
            let contact = sent_to.map_or(recipient.contact.as_given(), |to| self.text(to));
            match checked {
                Some(at) => parts.push(self.say_with(word, &[("at", &self.moment(at)), ("contact", contact)])),
                None if asked => parts.push(self.say(&format!("{word}-open"))),
                None => {}
            }
            let refused = events
                .iter()
                .filter(|event| matches!(event.event, EventKind::IdentityRefused { method, .. } if method == way))
                .count();
            if refused > 0 {
                parts.push(self.say_with(&format!("{word}-refused"), &[("count", &refused.to_string())]));
            }
        }
        parts.join(" · ")
    }

    /// States when the signer agreed, and to which statement.
    fn consent(&self, at: Timestamp, statement: &BlobHash) -> String {
        let words = match consent::version_of(statement) {
            Some((version, language)) => self.say_with(
                "certificate-consent-version",
                &[("version", version), ("language", language.code())],
            ),
            None => self.say("certificate-consent-unknown"),
        };
        format!("{} · {words} · SHA-256 {statement}", self.moment(at))
    }

    /// Returns the readable name of the browser.
    fn browser(&self, actor: &Actor) -> Option<String> {
        let found = browser(actor.user_agent.as_ref()?.clear()?)?;
        Some(match found.system {
            Some(system) => self.say_with(
                "certificate-browser-on",
                &[("browser", &found.name), ("system", system)],
            ),
            None => found.name,
        })
    }

    fn comment_of(&self, recipient: &Recipient) -> Option<String> {
        let stored = self.certified.stored;
        let acted_now = stored
            .workflow
            .recipient(recipient.id)
            .is_some_and(|old| old.progress != recipient.progress);
        if acted_now {
            return self.certified.last_comment.map(str::to_owned);
        }
        stored.writer(recipient.id).and_then(|writer| writer.comment.clone())
    }

    /// Describes what a signer did, and when.
    fn progress(&self, recipient: &Recipient) -> State {
        let (key, at, tone) = match recipient.progress {
            Progress::Waiting => {
                return State {
                    text: self.say("certificate-progress-waiting"),
                    tone: Tone::Neutral,
                };
            }
            Progress::Approved { at } => ("certificate-progress-approved", at, Tone::Good),
            Progress::Rejected { at } => ("certificate-progress-rejected", at, Tone::Bad),
        };
        State {
            text: self.say_with(key, &[("at", &self.moment(at))]),
            tone,
        }
    }

    /// Describes the state of the document.
    fn state(&self) -> State {
        let status = self.certified.workflow.state.status();
        State {
            text: self.status(status),
            tone: match status {
                Status::Playing => Tone::Neutral,
                Status::Complete => Tone::Good,
                Status::Rejected | Status::Canceled | Status::Expired => Tone::Bad,
            },
        }
    }

    /// Lists the files embedded in the document, with their hashes. Like its pages, they are part of what was signed.
    fn attached(&self) -> Option<Section> {
        let Certified { template, values, .. } = self.certified;
        let rows: Vec<(String, String)> = attached(&template.version, values)
            .map(|(field, file)| {
                let length = self.say_with("certificate-bytes", &[("count", &file.length.to_string())]);
                let mut parts = vec![file.file_name.clone(), length];
                if field.embed && self.certified.sealed.is_some() {
                    parts.push(self.say("certificate-attachment-embedded"));
                }
                parts.push(format!("SHA-256 {}", file.hash));
                (self.drawable(field.shown_name()), self.drawable(&parts.join(" · ")))
            })
            .collect();
        (!rows.is_empty()).then(|| Section {
            heading: self.say("certificate-heading-attachments"),
            rows,
            ..Section::default()
        })
    }

    fn proof(&self) -> Section {
        let Certified {
            template,
            entries,
            sealed,
            ..
        } = self.certified;
        let original = match template.version.signed_original {
            Some(_) => "certificate-signed-original",
            None => "certificate-original",
        };
        let mut rows = vec![(self.say(original), template.original.to_string())];
        if template.original != template.version.pdf {
            rows.push((self.say("certificate-taken-in"), template.version.pdf.to_string()));
        }
        rows.extend(self.steps());
        if let Some((hash, length, level)) = sealed {
            rows.push((self.say("certificate-sealed"), hash.to_string()));
            rows.push((
                self.say("certificate-sealed-length"),
                self.say_with("certificate-bytes", &[("count", &length.to_string())]),
            ));
            rows.push((
                self.say("certificate-level"),
                self.say(match level {
                    SealLevel::Basic => "certificate-level-b-b",
                    SealLevel::Timestamp => "certificate-level-b-t",
                    SealLevel::LongTerm => "certificate-level-b-lt",
                    SealLevel::Archive => "certificate-level-b-lta",
                }),
            ));
        }
        if let Some(last) = entries.last() {
            rows.push((self.say("certificate-chain-head"), last.hash.to_string()));
            rows.push((self.say("certificate-chain-length"), last.sequence.to_string()));
        }
        Section {
            heading: self.say("certificate-heading-proof"),
            rows,
            ..Section::default()
        }
    }

    /// Returns the chain's hash after each completed step, which covers every value entered until then.
    fn steps(&self) -> Vec<(String, String)> {
        let approvals = self
            .certified
            .entries
            .iter()
            .filter_map(|entry| match entry.event()?.event {
                EventKind::Approved { order, .. } => Some((order, entry)),
                _ => None,
            });
        // The last approval of a step counts, because a step can have several signers or be returned.
        let last_of_each: BTreeMap<u32, &Entry> = approvals.collect();
        last_of_each
            .into_iter()
            .map(|(order, entry)| {
                let label = self.say_with("certificate-step-hash", &[("order", &order.to_string())]);
                (label, entry.hash.to_string())
            })
            .collect()
    }

    fn status(&self, status: Status) -> String {
        self.say(match status {
            Status::Playing => "certificate-status-playing",
            Status::Complete => "certificate-status-complete",
            Status::Rejected => "certificate-status-rejected",
            Status::Canceled => "certificate-status-canceled",
            Status::Expired => "certificate-status-expired",
        })
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = vec![self.say("certificate-note-chain")];
        notes.push(self.say(if self.certified.sealed.is_some() {
            "certificate-note-sealed"
        } else {
            "certificate-note-ended-early"
        }));
        notes
    }

    fn chain(&self) -> Attachment {
        let workflow = self.certified.workflow;
        let format = self.certified.stored.head.head.format;
        let entries = self.certified.entries.to_vec();
        let file = ChainFile::new(format, workflow.company.clone(), workflow.id, entries);
        Attachment {
            file_name: CHAIN_FILE.to_owned(),
            media_type: "application/json".to_owned(),
            description: self.say("certificate-chain-file"),
            // Serialising texts, numbers and lists cannot fail.
            bytes: serde_json::to_vec(&file).unwrap_or_default(),
        }
    }
}

/// Formats name and address, or only the address if they are equal.
fn person(name: &str, contact: &str) -> String {
    if name == contact {
        name.to_owned()
    } else {
        format!("{name} <{contact}>")
    }
}
/// Returns the text on one line. Characters that no font contains, or that change the writing direction, are replaced
/// by their code points.
pub(crate) fn drawable(fonts: &Fonts, text: &str) -> String {
    let missing = fonts.missing_characters(text);
    let mut drawable = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\u{2068}' | '\u{2069}') {
            // Marks around right-to-left text have no glyph in any font.
        } else if character.is_control() {
            drawable.push(' ');
        } else if missing.contains(&character) || is_direction_control(character) {
            // A direction control would reverse the text next to it. Writing to a string cannot fail.
            let _ = write!(drawable, "[U+{:04X}]", u32::from(character));
        } else {
            drawable.push(character);
        }
    }
    drawable
}
