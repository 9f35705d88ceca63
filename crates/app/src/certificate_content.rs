//! What a history certificate says: who did what, when, from where and how, and what proves it.
//!
//! In the workflow's language, every time with its zone. It states hash and length of the sealed revision (later
//! timestamps only append to it) and the head of the chain, and carries the chain itself as JSON, so that it can be checked
//! without the server.

use std::fmt::Write as _;

use document::certificate::{Attachment, CertificateContent, Column, EventTable, QrAddress, Section};
use document::fonts::Fonts;
use domain::event::FileKind;
use domain::{
    Actor, BlobHash, ChainFile, Entry, Event, EventKind, Language, Progress, Recipient, RecipientId, Status, Who,
    Workflow, time,
};
use jiff::Timestamp;
use store::template::StoredVersion;
use store::workflow::{Party, StoredWorkflow};

/// What a certificate is made from.
pub(crate) struct Certified<'c> {
    /// As it was read.
    pub stored: &'c StoredWorkflow,
    /// As it is now.
    pub workflow: &'c Workflow,
    pub party: &'c Party,
    pub template: &'c StoredVersion,
    /// The whole chain.
    pub entries: &'c [Entry],
    /// Hash and length of the sealed document; none where the workflow ended early.
    pub sealed: Option<(BlobHash, u64)>,
    /// The words of the last act, which are not stored yet.
    pub last_comment: Option<&'c str>,
    pub at: Timestamp,
    pub verify_url: String,
}

/// Builds the certificate's content. Whatever a stranger wrote is made drawable: this cannot fail for a missing glyph.
pub(crate) fn certificate_content(certified: &Certified<'_>, fonts: &Fonts) -> CertificateContent {
    Writer {
        certified,
        fonts,
        language: certified.workflow.language,
    }
    .content()
}

struct Writer<'c> {
    certified: &'c Certified<'c>,
    fonts: &'c Fonts,
    language: Language,
}

impl Writer<'_> {
    fn say(&self, key: &str) -> String {
        i18n::text(self.language, key, &[])
    }

    fn say_with(&self, key: &str, arguments: &[(&str, &str)]) -> String {
        i18n::text(self.language, key, arguments)
    }

    fn moment(&self, at: Timestamp) -> String {
        time::format_with_zone(at, self.certified.workflow.offset)
    }

    /// The text on one line, with what no font has written as its number.
    fn drawable(&self, text: &str) -> String {
        let missing = self.fonts.missing_characters(text);
        let mut drawable = String::with_capacity(text.len());
        for character in text.chars() {
            if character.is_control() {
                drawable.push(' ');
            } else if missing.contains(&character) {
                // Writing into a text cannot fail.
                let _ = write!(drawable, "[U+{:04X}]", u32::from(character));
            } else {
                drawable.push(character);
            }
        }
        drawable
    }

    fn content(&self) -> CertificateContent {
        let workflow = self.certified.workflow;
        CertificateContent {
            language: self.language,
            title: self.say("certificate-title"),
            subtitle: self.drawable(&workflow.name),
            sections: vec![self.document(), self.writers(), self.proof()],
            events: self.events(),
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
            (self.say("certificate-status"), self.status(status)),
            (self.say("certificate-company"), self.drawable(&party.company_name)),
            (
                self.say("certificate-sender"),
                self.drawable(&person(&party.sender_name, &party.sender_email)),
            ),
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
        rows.push((self.say("certificate-pages"), template.version.page_count().to_string()));
        rows.push((
            self.say("certificate-template"),
            self.drawable(&format!(
                "{} ({}, v{})",
                template.version.name, workflow.template, workflow.template_version
            )),
        ));
        Section {
            heading: self.say("certificate-heading-document"),
            rows,
        }
    }

    fn writers(&self) -> Section {
        let workflow = self.certified.workflow;
        let mut rows = Vec::new();
        for recipient in &workflow.recipients {
            let order = recipient.order.to_string();
            let label = match &recipient.role {
                Some(role) => self.say_with("certificate-step-role", &[("order", &order), ("role", role)]),
                None => self.say_with("certificate-step", &[("order", &order)]),
            };
            let mut parts = vec![
                person(&recipient.name, recipient.contact.as_given()),
                self.progress(recipient),
            ];
            if self
                .certified
                .stored
                .writer(recipient.id)
                .is_some_and(|writer| writer.access.is_some())
            {
                parts.push(self.say("certificate-access-code"));
            }
            if let Some(comment) = self.comment_of(recipient) {
                parts.push(format!("“{comment}”"));
            }
            rows.push((self.drawable(&label), self.drawable(&parts.join(" · "))));
        }
        for copy in &workflow.copies {
            rows.push((
                self.say("certificate-copy"),
                self.drawable(&person(&copy.name, copy.contact.as_given())),
            ));
        }
        Section {
            heading: self.say("certificate-heading-writers"),
            rows,
        }
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

    /// How and when a writer did his part.
    fn progress(&self, recipient: &Recipient) -> String {
        let (key, at) = match recipient.progress {
            Progress::Waiting => return self.say("certificate-progress-waiting"),
            Progress::Approved { at } => ("certificate-progress-approved", at),
            Progress::Rejected { at } => ("certificate-progress-rejected", at),
        };
        let on_behalf = self.events_read().rev().find_map(|event| match event.event {
            EventKind::Approved { recipient: id, .. } | EventKind::Rejected { recipient: id, .. }
                if id == recipient.id =>
            {
                Some(!matches!(event.actor.who, Who::Recipient(_)))
            }
            _ => None,
        });
        let mut text = self.say_with(key, &[("at", &self.moment(at))]);
        if on_behalf == Some(true) {
            text.push_str(" · ");
            text.push_str(&self.say("certificate-on-behalf"));
        }
        text
    }

    fn proof(&self) -> Section {
        let Certified {
            template,
            entries,
            sealed,
            ..
        } = self.certified;
        let mut rows = vec![(self.say("certificate-original"), template.version.pdf.to_string())];
        if let Some((hash, length)) = sealed {
            rows.push((self.say("certificate-sealed"), hash.to_string()));
            rows.push((
                self.say("certificate-sealed-length"),
                self.say_with("certificate-bytes", &[("count", &length.to_string())]),
            ));
            rows.push((self.say("certificate-level"), self.say("certificate-level-b-b")));
        }
        if let Some(last) = entries.last() {
            rows.push((self.say("certificate-chain-head"), last.hash.to_string()));
            rows.push((self.say("certificate-chain-length"), last.sequence.to_string()));
        }
        Section {
            heading: self.say("certificate-heading-proof"),
            rows,
        }
    }

    fn events_read(&self) -> impl DoubleEndedIterator<Item = Event> + '_ {
        self.certified
            .entries
            .iter()
            .filter_map(|entry| Event::from_payload(&entry.payload))
    }

    fn events(&self) -> EventTable {
        let column = |key: &str, share| Column {
            title: self.say(key),
            share,
        };
        let rows = self
            .events_read()
            .map(|event| {
                vec![
                    self.moment(event.at),
                    self.drawable(&self.describe(&event.event)),
                    self.drawable(&self.who(&event.actor)),
                    self.drawable(&origin(&event.actor)),
                ]
            })
            .collect();
        EventTable {
            heading: self.say("certificate-heading-events"),
            columns: vec![
                column("certificate-column-time", 0.28),
                column("certificate-column-event", 0.22),
                column("certificate-column-who", 0.22),
                column("certificate-column-origin", 0.28),
            ],
            rows,
        }
    }

    fn describe(&self, event: &EventKind) -> String {
        let key = format!("event-{}", event.code().replace('_', "-"));
        let named = event.recipient().map(|id| self.name_of(id)).unwrap_or_default();
        let detail = match event {
            EventKind::ValueWritten { field, .. } | EventKind::ValueRemoved { field, .. } => field.clone(),
            EventKind::Extended { expires_at } => self.moment(*expires_at),
            // The step is in the sentence itself.
            EventKind::Returned { .. } => String::new(),
            EventKind::Downloaded { file } => self.say(match file {
                FileKind::Document => "certificate-file-document",
                FileKind::Certificate => "certificate-file-certificate",
            }),
            EventKind::RecipientCorrected { recipient } => person(&recipient.name, &recipient.contact),
            _ => named,
        };
        let order = match event {
            EventKind::Returned { to_order, .. } => to_order.to_string(),
            _ => String::new(),
        };
        let reason = event.reason().map(|reason| format!("“{reason}”"));
        let details: Vec<String> = [detail]
            .into_iter()
            .filter(|detail| !detail.is_empty())
            .chain(reason)
            .collect();
        let text = self.say_with(&key, &[("order", &order)]);
        if details.is_empty() {
            text
        } else {
            format!("{text}: {}", details.join(" · "))
        }
    }

    fn name_of(&self, id: RecipientId) -> String {
        self.certified
            .workflow
            .recipient(id)
            .map_or_else(String::new, |recipient| recipient.name.clone())
    }

    fn who(&self, actor: &Actor) -> String {
        match actor.who {
            Who::Recipient(id) => self
                .certified
                .workflow
                .recipient(id)
                .map_or_else(String::new, |recipient| {
                    person(&recipient.name, recipient.contact.as_given())
                }),
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
        let mut notes = vec![
            self.say_with(
                "certificate-note-zone",
                &[("zone", &format!("UTC{}", self.certified.workflow.offset))],
            ),
            self.say("certificate-note-chain"),
        ];
        notes.push(self.say(if self.certified.sealed.is_some() {
            "certificate-note-sealed"
        } else {
            "certificate-note-ended-early"
        }));
        notes
    }

    fn chain(&self) -> Attachment {
        let workflow = self.certified.workflow;
        let file = ChainFile {
            format: ChainFile::FORMAT.to_owned(),
            company: workflow.company.clone(),
            workflow_id: workflow.id,
            entries: self.certified.entries.to_vec(),
        };
        Attachment {
            file_name: "chain.json".to_owned(),
            media_type: "application/json".to_owned(),
            description: self.say("certificate-chain-file"),
            // Texts, numbers and lists only: writing cannot fail.
            bytes: serde_json::to_vec(&file).unwrap_or_default(),
        }
    }
}

/// Name and address; the address alone where it is the name.
fn person(name: &str, contact: &str) -> String {
    if name == contact {
        name.to_owned()
    } else {
        format!("{name} <{contact}>")
    }
}

fn origin(actor: &Actor) -> String {
    [actor.address.as_deref(), actor.user_agent.as_deref()]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}
