//! The expected database rows of a workflow, derived from its chain.
//!
//! [`Replay::of`] applies the events in order and keeps the resulting values, each with the number of its entry. `audit
//! verify` compares the rows with them. A chain of format 1 contains less: it has no [`Terms`], and earlier versions
//! changed rows without an entry, so fewer values can be compared.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::chain::Entry;
use crate::event::{EventKind, FileKind, IdentityMethod, NamedRecipient, Who};
use crate::ids::{MemberId, RecipientId, TemplateId};
use crate::personal_text::PersonalText;
use crate::terms::Terms;
use crate::value::BlobHash;
use crate::workflow::Status;

/// A value with the number of the entry that proves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved<T> {
    pub entry: u64,
    pub is: T,
}

/// The state derived from the events of a chain.
#[derive(Debug, Clone)]
pub struct Replay {
    pub started_at: Proved<Timestamp>,
    /// The member who started it, if a member did.
    pub started_by: Option<MemberId>,
    /// The template and its version.
    pub template: Proved<(TemplateId, u32)>,
    /// The document to sign.
    pub document: Proved<BlobHash>,
    /// The other terms agreed at the start.
    pub terms: Option<Proved<Terms>>,
    /// Expiry time. `None` if no entry states it.
    pub expires_at: Option<Proved<Timestamp>>,
    /// Its status, and the time it ended if it has.
    pub status: Proved<(Status, Option<Timestamp>)>,
    /// The current step, or the step at which it ended.
    pub turn: Proved<u32>,
    pub ended_by: Option<RecipientId>,
    /// The final comment.
    pub end_comment: Proved<Option<PersonalText>>,
    /// The version of the links to its files.
    pub link_version: Proved<u32>,
    /// Time at which these links were revoked.
    pub links_revoked_at: Proved<Option<Timestamp>>,
    /// Time at which they were last renewed.
    pub links_renewed_at: Proved<Option<Timestamp>>,
    /// Time at which the workflow was hidden.
    pub discarded_at: Proved<Option<Timestamp>>,
    pub recipients: Vec<ReplayedRecipient>,
    pub values: BTreeMap<String, Proved<ReplayedValue>>,
    /// The sealed document and the time of sealing.
    pub sealed: Option<Proved<ReplayedFile>>,
    /// The certificate, if an entry mentions one.
    pub certificate: Option<Proved<ReplayedFile>>,
    /// The texts that were erased.
    pub erased: BTreeSet<BlobHash>,
}

/// The state of a recipient after the events.
#[derive(Debug, Clone)]
pub struct ReplayedRecipient {
    pub person: Proved<NamedRecipient>,
    pub mobile: Proved<Option<PersonalText>>,
    pub link_version: Proved<u32>,
    /// Their progress and the time of the last change.
    pub progress: Proved<ReplayedProgress>,
    pub comment: Proved<Option<PersonalText>>,
    /// Time at which they entered the access code.
    pub access_at: Proved<Mark>,
    /// Time at which they viewed the document.
    pub viewed_at: Proved<Mark>,
    /// Time at which they consented to electronic signing.
    pub consented_at: Proved<Mark>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayedProgress {
    Waiting,
    Approved(Timestamp),
    /// Has declined.
    Rejected(Timestamp),
}

/// A time recorded for a recipient until they must prove their identity again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    pub at: Option<Timestamp>,
    /// Whether a member has reminded the recipient since. If a code was locked, which no entry records, the reminder
    /// cleared the time.
    pub may_be_forgotten: bool,
}

/// A value as recorded in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedValue {
    /// The recipient who owns the value. `None` for the sender's own.
    pub recipient: Option<RecipientId>,
    /// The salted hash.
    pub hash: BlobHash,
    pub written_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedFile {
    pub hash: BlobHash,
    /// Length in bytes.
    pub length: u64,
    /// Time at which it was first created.
    pub at: Timestamp,
}

impl<T> Proved<T> {
    fn set(&mut self, entry: u64, is: T) {
        *self = Self { entry, is };
    }
}

impl Replay {
    /// Replays a whole chain. `None` if it does not begin with a start event.
    pub fn of(entries: &[Entry]) -> Option<Self> {
        let (first, later) = entries.split_first()?;
        let mut replay = Self::started(first)?;
        for entry in later {
            let event = entry.event()?;
            replay.apply(entry.sequence, event.at, event.actor.who, event.event);
        }
        Some(replay)
    }

    fn started(entry: &Entry) -> Option<Self> {
        let number = entry.sequence;
        let event = entry.event()?;
        let EventKind::Started {
            template,
            version,
            document,
            recipients,
            terms,
            ..
        } = event.event
        else {
            return None;
        };
        let at = event.at;
        let places = terms.iter().flat_map(|terms| &terms.places);
        let mut mobiles = places.map(|place| place.mobile.clone());
        let recipients = recipients.into_iter().map(|person| ReplayedRecipient {
            person: proved(number, person),
            mobile: proved(number, mobiles.next().flatten()),
            link_version: proved(number, 1),
            progress: proved(number, ReplayedProgress::Waiting),
            comment: proved(number, None),
            access_at: proved(number, Mark::default()),
            viewed_at: proved(number, Mark::default()),
            consented_at: proved(number, Mark::default()),
        });
        Some(Self {
            started_at: proved(number, at),
            started_by: match event.actor.who {
                Who::Member(member) => Some(member),
                _ => None,
            },
            template: proved(number, (template, version)),
            document: proved(number, document),
            expires_at: terms.as_ref().map(|terms| proved(number, terms.expires_at)),
            status: proved(number, (Status::Playing, None)),
            turn: proved(number, 1),
            ended_by: None,
            end_comment: proved(number, None),
            link_version: proved(number, 1),
            links_revoked_at: proved(number, None),
            links_renewed_at: proved(number, None),
            discarded_at: proved(number, None),
            recipients: recipients.collect(),
            values: BTreeMap::new(),
            sealed: None,
            certificate: None,
            erased: BTreeSet::new(),
            terms: terms.map(|terms| proved(number, *terms)),
        })
    }

    fn apply(&mut self, entry: u64, at: Timestamp, who: Who, event: EventKind) {
        match event {
            EventKind::ValueWritten { recipient, field, hash } => {
                let value = ReplayedValue {
                    recipient,
                    hash,
                    written_at: at,
                };
                self.values.insert(field, proved(entry, value));
            }
            EventKind::ValueRemoved { field, .. } => drop(self.values.remove(&field)),
            EventKind::Approved { .. }
            | EventKind::Rejected { .. }
            | EventKind::Returned { .. }
            | EventKind::Canceled { .. }
            | EventKind::Expired { .. } => self.apply_transition(entry, at, event),
            EventKind::RecipientCorrected { recipient, mobile } => self.replace_person(entry, recipient, mobile),
            EventKind::HandedOver { recipient, .. } => self.replace_person(entry, recipient, None),
            EventKind::Extended { expires_at } => self.expires_at = Some(proved(entry, expires_at)),
            EventKind::Viewed { recipient } => self.mark(recipient, |found| found.viewed_at.set(entry, Mark::at(at))),
            EventKind::Consented { recipient, .. } => {
                self.mark(recipient, |found| found.consented_at.set(entry, Mark::at(at)));
            }
            EventKind::IdentityChecked {
                recipient,
                method: IdentityMethod::AccessCode,
            } => self.mark(recipient, |found| found.access_at.set(entry, Mark::at(at))),
            EventKind::Reminded { recipient } if matches!(who, Who::Member(_)) => {
                self.mark(recipient, ReplayedRecipient::may_forget);
            }
            EventKind::Completed { document, length } => {
                self.status.set(entry, (Status::Complete, Some(at)));
                self.sealed = Some(proved(entry, file(document, length, at)));
            }
            EventKind::Certified { certificate, length } => {
                self.certificate = Some(proved(entry, file(certificate, length, at)));
            }
            EventKind::Timestamped { file, hash, length } => self.lengthen(entry, file, hash, length),
            EventKind::LinksRenewed => {
                self.link_version.set(entry, self.link_version.is.saturating_add(1));
                self.links_revoked_at.set(entry, None);
                self.links_renewed_at.set(entry, Some(at));
            }
            EventKind::LinksRevoked => {
                self.link_version.set(entry, self.link_version.is.saturating_add(1));
                self.links_revoked_at.set(entry, Some(at));
            }
            EventKind::PersonErased { texts, fields } => {
                self.erased.extend(texts);
                self.values.retain(|field, _| !fields.contains(field));
            }
            EventKind::NewLinkRequested { recipient, .. } => self.mark(recipient, |found| {
                found.link_version.set(entry, found.link_version.is.saturating_add(1));
            }),
            EventKind::Discarded => self.discarded_at.set(entry, Some(at)),
            EventKind::Started { .. }
            | EventKind::RequestSent { .. }
            | EventKind::Reminded { .. }
            | EventKind::OriginalTaken { .. }
            | EventKind::OneTimeCodeSent { .. }
            | EventKind::IdentityChecked { .. }
            | EventKind::IdentityRefused { .. }
            | EventKind::Downloaded { .. }
            | EventKind::Delivered { .. }
            | EventKind::Undelivered { .. }
            | EventKind::LinkCopied { .. } => {}
        }
    }

    fn apply_transition(&mut self, entry: u64, at: Timestamp, event: EventKind) {
        match event {
            EventKind::Approved {
                recipient,
                order,
                comment,
            } => {
                self.mark(recipient, |found| {
                    found.progress.set(entry, ReplayedProgress::Approved(at));
                    found.comment.set(entry, comment);
                });
                let is_done = |found: &ReplayedRecipient| {
                    found.person.is.order != order || found.progress.is != ReplayedProgress::Waiting
                };
                let has_next = self.recipients.iter().any(|found| found.person.is.order > order);
                if has_next && self.recipients.iter().all(is_done) {
                    self.turn.set(entry, order.saturating_add(1));
                }
            }
            EventKind::Rejected {
                recipient,
                order,
                reason,
            } => {
                self.mark(recipient, |found| {
                    found.progress.set(entry, ReplayedProgress::Rejected(at));
                    found.comment.set(entry, reason.clone());
                });
                self.ended_by = Some(recipient);
                self.end(entry, Status::Rejected, at, order, reason);
            }
            EventKind::Returned {
                recipient,
                from_order,
                to_order,
                reason,
            } => {
                self.mark(recipient, |found| found.comment.set(entry, reason));
                for found in &mut self.recipients {
                    if [from_order, to_order].contains(&found.person.is.order) {
                        found.progress.set(entry, ReplayedProgress::Waiting);
                        found.ask_again(entry);
                    }
                }
                self.turn.set(entry, to_order);
            }
            EventKind::Canceled { order, reason } => self.end(entry, Status::Canceled, at, order, reason),
            EventKind::Expired { order } => self.end(entry, Status::Expired, at, order, None),
            _ => {}
        }
    }

    fn end(&mut self, entry: u64, status: Status, at: Timestamp, order: u32, reason: Option<PersonalText>) {
        self.status.set(entry, (status, Some(at)));
        self.turn.set(entry, order);
        self.end_comment.set(entry, reason);
    }

    fn replace_person(&mut self, entry: u64, person: NamedRecipient, mobile: Option<PersonalText>) {
        self.mark(person.id, |found| {
            found.person.set(entry, person);
            found.mobile.set(entry, mobile);
            found.comment.set(entry, None);
            found.ask_again(entry);
        });
    }

    fn lengthen(&mut self, entry: u64, kind: FileKind, hash: BlobHash, length: u64) {
        let longer = match kind {
            FileKind::Document => &mut self.sealed,
            FileKind::Certificate => &mut self.certificate,
        };
        // Earlier versions recorded no entry for certificates.
        let created_at = longer.as_ref().map_or(self.started_at.is, |before| before.is.at);
        *longer = Some(proved(entry, file(hash, length, created_at)));
    }

    fn mark(&mut self, id: RecipientId, change: impl FnOnce(&mut ReplayedRecipient)) {
        let mut recipients = self.recipients.iter_mut();
        if let Some(found) = recipients.find(|found| found.person.is.id == id) {
            change(found);
        }
    }
}

impl ReplayedRecipient {
    /// The recipients get a new link and must prove their identity again.
    fn ask_again(&mut self, entry: u64) {
        self.link_version.set(entry, self.link_version.is.saturating_add(1));
        for mark in [&mut self.access_at, &mut self.viewed_at, &mut self.consented_at] {
            mark.set(entry, Mark::default());
        }
    }

    fn may_forget(&mut self) {
        for mark in [&mut self.access_at, &mut self.viewed_at, &mut self.consented_at] {
            mark.is.may_be_forgotten = true;
        }
    }
}

impl Mark {
    fn at(at: Timestamp) -> Self {
        Self {
            at: Some(at),
            may_be_forgotten: false,
        }
    }

    /// Whether a row may have this value.
    pub fn allows(&self, at: Option<Timestamp>) -> bool {
        at == self.at || (at.is_none() && self.may_be_forgotten)
    }
}

fn proved<T>(entry: u64, is: T) -> Proved<T> {
    Proved { entry, is }
}

fn file(hash: BlobHash, length: u64, at: Timestamp) -> ReplayedFile {
    ReplayedFile { hash, length, at }
}
