//! What a workflow's rows must say, by its chain.
//!
//! [`Replay::of`] goes through the events in their order and keeps what each of them leaves behind, with the number of the
//! entry that says it. `audit verify` compares the rows with it. A chain of format 1 says less: it has no [`Terms`], and
//! earlier versions changed rows without an entry, so less of such workflows is compared.

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

/// The state that the events of a chain lead to.
#[derive(Debug, Clone)]
pub struct Replay {
    /// When the workflow was started.
    pub started_at: Proved<Timestamp>,
    /// The member who started it, if it was one.
    pub started_by: Option<MemberId>,
    /// Its template, in this version.
    pub template: Proved<(TemplateId, u32)>,
    /// The document that is signed.
    pub document: Proved<BlobHash>,
    /// The other terms of its start.
    pub terms: Option<Proved<Terms>>,
    /// When the workflow expires. `None` if no entry says.
    pub expires_at: Option<Proved<Timestamp>>,
    /// Its state, and since when if it has ended.
    pub status: Proved<(Status, Option<Timestamp>)>,
    /// The step under way, or the one at which it ended.
    pub turn: Proved<u32>,
    pub ended_by: Option<RecipientId>,
    /// The last words.
    pub end_comment: Proved<Option<PersonalText>>,
    /// The version of the links to its files.
    pub link_version: Proved<u32>,
    /// Since when these links are revoked.
    pub links_revoked_at: Proved<Option<Timestamp>>,
    /// When they were replaced last.
    pub links_renewed_at: Proved<Option<Timestamp>>,
    /// Since when it is hidden.
    pub discarded_at: Proved<Option<Timestamp>>,
    pub recipients: Vec<ReplayedRecipient>,
    pub values: BTreeMap<String, Proved<ReplayedValue>>,
    /// Its sealed document, and when it was sealed.
    pub sealed: Option<Proved<ReplayedFile>>,
    /// Its certificate, if an entry mentions one.
    pub certificate: Option<Proved<ReplayedFile>>,
    /// The texts that were erased.
    pub erased: BTreeSet<BlobHash>,
}

/// The state of a recipient after the events.
#[derive(Debug, Clone)]
pub struct ReplayedRecipient {
    pub person: Proved<NamedRecipient>,
    /// Their mobile number.
    pub mobile: Proved<Option<PersonalText>>,
    pub link_version: Proved<u32>,
    /// Their progress, and since when.
    pub progress: Proved<ReplayedProgress>,
    pub comment: Proved<Option<PersonalText>>,
    /// When they entered the access code.
    pub access_at: Proved<Mark>,
    /// When they saw the document.
    pub viewed_at: Proved<Mark>,
    /// When they agreed to sign electronically.
    pub consented_at: Proved<Mark>,
}

/// The progress of a recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayedProgress {
    /// Has not signed.
    Waiting,
    /// Has approved.
    Approved(Timestamp),
    /// Has rejected.
    Rejected(Timestamp),
}

/// A time that is kept for a recipient until they have to prove their identity again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mark {
    /// The moment.
    pub at: Option<Timestamp>,
    /// A member has reminded the recipient since. If a code was locked, which no entry records, that cleared the time.
    pub may_be_forgotten: bool,
}

/// A value, as the chain knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedValue {
    /// The recipient whose value it is. `None` for the sender's own.
    pub recipient: Option<RecipientId>,
    /// Its salted hash.
    pub hash: BlobHash,
    pub written_at: Timestamp,
}

/// A finished file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplayedFile {
    pub hash: BlobHash,
    /// Its length in bytes.
    pub length: u64,
    /// When it was created first.
    pub at: Timestamp,
}

impl<T> Proved<T> {
    fn set(&mut self, entry: u64, is: T) {
        *self = Self { entry, is };
    }
}

impl Replay {
    /// Replays a whole chain. `None` if it does not begin with a start.
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
        // Certificates of earlier versions have no entry of their own.
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
    /// They get a new link and must prove their identity again.
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
