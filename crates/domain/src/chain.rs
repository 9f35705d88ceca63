//! The chain: one append-only chain per workflow, in which each entry contains the hash of the entry before it.
//!
//! Anyone who has the entries can check them with SHA-256. The hash before the first entry is derived from the company
//! and workflow, so one chain cannot be passed off as another. A chain alone cannot show that its last entries were
//! removed. For that, the certificate states the head, the head in the workflow's row is keyed ([`KeyedHead`]), and
//! checkpoints list the heads.
//!
//! Format 2: `hash = SHA-256("countersign chain 2" ‖ previous ‖ sequence ‖ time ‖ SHA-256(payload))`. The payload
//! contains commitments instead of personal texts. The texts and their salts are stored next to it and can be erased.
//!
//! Format 1: `hash = SHA-256("countersign chain 1" ‖ previous ‖ sequence ‖ time ‖ length ‖ payload)`, with the texts in
//! the payload. A chain that started in format 1 stays in it.
//!
//! Numbers are eight bytes, big-endian. Times are in microseconds since 1970.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::environment::Random;
use crate::event::{Event, EventKind};
use crate::ids::{CompanyId, WorkflowId};
use crate::personal_text::{ClearText, PersonalText};
use crate::value::BlobHash;

/// The hash format of a chain. A chain keeps its format from the first entry to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChainFormat {
    /// Personal texts are in the payload.
    One,
    /// The payload contains commitments to the personal texts.
    Two,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Counts from 1 without gaps.
    pub sequence: u64,
    #[serde(with = "microseconds")]
    pub at: Timestamp,
    /// The event's canonical JSON, which is hashed.
    pub payload: String,
    /// The texts that the payload commits to, except erased ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<ClearText>,
    /// The hash of the previous entry.
    pub previous: BlobHash,
    pub hash: BlobHash,
}

/// The end of a chain, to which the next entry is linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The hash format of its entries.
    pub format: ChainFormat,
    /// Sequence number of the last entry, or 0 if there is none.
    pub sequence: u64,
    /// Hash of the last entry.
    pub hash: BlobHash,
}

/// A head with a code that requires the installation's master key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedHead {
    pub head: Head,
    /// An HMAC of [`Head::statement`]. Workflows from earlier versions have none at first.
    pub code: Option<Vec<u8>>,
}

/// The kind and position of a break in a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    /// An entry is missing, duplicated, or out of order.
    #[error("entry {expected} is missing; entry {found} is in its place")]
    Sequence { expected: u64, found: u64 },
    /// An entry does not contain the hash of the entry before it.
    #[error("entry {0} does not follow the entry before it")]
    Previous(u64),
    /// An entry's hash does not match its content.
    #[error("entry {0} was changed: its hash does not match its content")]
    Hash(u64),
    /// The times of a payload and its entry differ, or the payload is not an event of the chain's format.
    #[error("entry {0} does not contain a valid event for its time")]
    Payload(u64),
    /// A text next to an entry does not match any of the entry's commitments.
    #[error("entry {0} does not match its texts, because one of them was changed")]
    Text(u64),
    /// The file has an unknown format.
    #[error("the chain has an unknown format; use a newer version of countersign")]
    Format,
}

impl ChainFormat {
    /// Returns the number stored for this format.
    pub const fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// Parses the stored number.
    pub const fn parse(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }

    const fn genesis(self) -> &'static [u8] {
        match self {
            Self::One => b"countersign chain 1 genesis",
            Self::Two => b"countersign chain 2 genesis",
        }
    }

    fn entry_hash(self, previous: &BlobHash, sequence: u64, at: Timestamp, payload: &str) -> BlobHash {
        let mut hash = Sha256::new();
        hash.update(match self {
            Self::One => b"countersign chain 1",
            Self::Two => b"countersign chain 2",
        });
        hash.update(previous.0);
        hash.update(sequence.to_be_bytes());
        hash.update(at.as_microsecond().to_be_bytes());
        match self {
            Self::One => {
                hash.update((payload.len() as u64).to_be_bytes());
                hash.update(payload);
            }
            Self::Two => hash.update(BlobHash::of(payload.as_bytes()).0),
        }
        BlobHash(hash.finalize().into())
    }
}

impl Entry {
    /// Returns the event with the texts that were not erased. `None` if the payload cannot be read.
    pub fn event(&self) -> Option<Event> {
        let mut event = Event::from_payload(&self.payload)?;
        event.disclose(&self.texts);
        Some(event)
    }

    /// Returns the commitments of the payload whose texts are missing.
    pub fn erased_texts(&self) -> Vec<BlobHash> {
        let Some(mut event) = self.event() else {
            return Vec::new();
        };
        let texts = event.texts_mut().into_iter();
        texts
            .filter_map(|text| match text {
                PersonalText::Clear(_) => None,
                PersonalText::Committed(commitment) => Some(commitment.hash),
            })
            .collect()
    }

    /// Checks that the payload and texts belong to an event with the entry's time, in this format.
    fn check_content(&self, format: ChainFormat) -> Result<(), ChainFault> {
        let payload = ChainFault::Payload(self.sequence);
        let mut event = Event::from_payload(&self.payload).ok_or(payload)?;
        if event.at != self.at {
            return Err(payload);
        }
        let is_clear = |text: &mut PersonalText| text.clear().is_some();
        let mut texts = event.texts_mut().into_iter();
        let is_of_format = match format {
            ChainFormat::One => texts.all(is_clear),
            ChainFormat::Two => !texts.any(is_clear),
        };
        if !is_of_format {
            return Err(payload);
        }
        if event.disclose(&self.texts) != self.texts.len() {
            return Err(ChainFault::Text(self.sequence));
        }
        Ok(())
    }
}

impl Head {
    /// Returns the head before the first entry of a new workflow's chain.
    pub fn genesis(company: &CompanyId, workflow: WorkflowId) -> Self {
        Self::genesis_of(ChainFormat::Two, company, workflow)
    }

    /// Returns the head before the first entry of a chain in the given format.
    pub fn genesis_of(format: ChainFormat, company: &CompanyId, workflow: WorkflowId) -> Self {
        let mut hash = Sha256::new();
        hash.update(format.genesis());
        hash.update((company.as_str().len() as u64).to_be_bytes());
        hash.update(company.as_str());
        hash.update(workflow.get().to_be_bytes());
        Self {
            format,
            sequence: 0,
            hash: BlobHash(hash.finalize().into()),
        }
    }

    /// Appends an event. Returns the entry and the new head. `random` provides the salts of its texts.
    pub fn append(self, event: &Event, random: &dyn Random) -> (Entry, Self) {
        let mut event = event.clone();
        let texts = match self.format {
            ChainFormat::One => {
                if let EventKind::Approved { comment, .. } = &mut event.event {
                    *comment = None;
                }
                Vec::new()
            }
            ChainFormat::Two => {
                let texts = event.texts_mut().into_iter();
                texts.filter_map(|text| text.commit(random)).collect()
            }
        };
        let payload = event.to_payload();
        let sequence = self.sequence.saturating_add(1);
        let hash = self.format.entry_hash(&self.hash, sequence, event.at, &payload);
        let entry = Entry {
            sequence,
            at: event.at,
            payload,
            texts,
            previous: self.hash,
            hash,
        };
        (entry, Self { sequence, hash, ..self })
    }

    /// Returns the data that the code of a [`KeyedHead`] authenticates.
    pub fn statement(&self, company: &CompanyId, workflow: WorkflowId) -> Vec<u8> {
        let mut statement = b"countersign head".to_vec();
        statement.extend((company.as_str().len() as u64).to_be_bytes());
        statement.extend(company.as_str().bytes());
        statement.extend(workflow.get().to_be_bytes());
        statement.push(self.format.number());
        statement.extend(self.sequence.to_be_bytes());
        statement.extend(self.hash.0);
        statement
    }
}

/// Checks a whole chain and returns its head. `genesis` is the head before its first entry.
pub fn verify(genesis: Head, entries: &[Entry]) -> Result<Head, ChainFault> {
    let mut head = genesis;
    for entry in entries {
        let expected = head.sequence.saturating_add(1);
        if entry.sequence != expected {
            return Err(ChainFault::Sequence {
                expected,
                found: entry.sequence,
            });
        }
        if entry.previous != head.hash {
            return Err(ChainFault::Previous(expected));
        }
        if entry.hash
            != head
                .format
                .entry_hash(&entry.previous, expected, entry.at, &entry.payload)
        {
            return Err(ChainFault::Hash(expected));
        }
        entry.check_content(head.format)?;
        head = Head {
            sequence: expected,
            hash: entry.hash,
            ..head
        };
    }
    Ok(head)
}

/// A self-contained chain, as included in the certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainFile {
    /// `countersign-chain/1` or `countersign-chain/2`.
    pub format: String,
    pub company: CompanyId,
    pub workflow_id: WorkflowId,
    /// All entries up to the time of the certificate.
    pub entries: Vec<Entry>,
}

impl ChainFile {
    const FORMATS: [(ChainFormat, &str); 2] = [
        (ChainFormat::One, "countersign-chain/1"),
        (ChainFormat::Two, "countersign-chain/2"),
    ];

    pub fn new(format: ChainFormat, company: CompanyId, workflow_id: WorkflowId, entries: Vec<Entry>) -> Self {
        let words = Self::FORMATS.into_iter().filter(|(known, _)| *known == format);
        Self {
            format: words.map(|(_, word)| word).collect(),
            company,
            workflow_id,
            entries,
        }
    }

    /// Checks the chain in the file.
    pub fn verify(&self) -> Result<Head, ChainFault> {
        let mut known = Self::FORMATS.into_iter();
        let (format, _) = known.find(|(_, word)| *word == self.format).ok_or(ChainFault::Format)?;
        verify(Head::genesis_of(format, &self.company, self.workflow_id), &self.entries)
    }
}

mod microseconds {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(at.as_microsecond())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let microseconds = i64::deserialize(deserializer)?;
        crate::time::in_calendar(microseconds).ok_or_else(|| serde::de::Error::custom("beyond the calendar"))
    }
}
