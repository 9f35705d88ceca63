//! The chain: one for each workflow, append-only, each entry holding the hash of the one before.
//!
//! Whoever has the entries can check them with SHA-256 alone. The first entry's predecessor is a
//! hash of company and workflow, so that a whole chain cannot be passed off as another's. What a
//! chain by itself cannot show is that its end was cut off: for that the certificate states the
//! head, and later a checkpoint outside does.
//!
//! `hash = SHA-256("countersign chain 1" ‖ previous ‖ sequence ‖ time ‖ length ‖ payload)`, numbers
//! as eight bytes, big end first, time in microseconds since 1970.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::event::Event;
use crate::ids::{CompanyId, WorkflowId};
use crate::value::BlobHash;

const ENTRY: &[u8] = b"countersign chain 1";
const GENESIS: &[u8] = b"countersign chain 1 genesis";

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// From 1 without gaps.
    pub sequence: u64,
    /// When.
    #[serde(with = "microseconds")]
    pub at: Timestamp,
    /// The event's canonical JSON.
    pub payload: String,
    /// The hash of the entry before.
    pub previous: BlobHash,
    /// This entry's hash.
    pub hash: BlobHash,
}

/// Where a chain ends: what the next entry is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Of the last entry; 0 while there is none.
    pub sequence: u64,
    /// Of the last entry.
    pub hash: BlobHash,
}

/// Where a chain breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    /// An entry is missing, doubled, or out of order.
    #[error("entry {expected} is missing; number {found} stands in its place")]
    Sequence {
        /// The number that is due.
        expected: u64,
        /// The number that is there.
        found: u64,
    },
    /// An entry does not name the one before.
    #[error("entry {0} does not follow the entry before it")]
    Previous(u64),
    /// An entry's hash is not that of its content.
    #[error("entry {0} was changed: its hash does not fit its content")]
    Hash(u64),
    /// A payload tells another time than its entry, or is no event.
    #[error("entry {0} holds no event of its own time")]
    Payload(u64),
}

impl Head {
    /// Before the first entry.
    pub fn genesis(company: &CompanyId, workflow: WorkflowId) -> Self {
        let mut hash = Sha256::new();
        hash.update(GENESIS);
        hash.update((company.as_str().len() as u64).to_be_bytes());
        hash.update(company.as_str());
        hash.update(workflow.get().to_be_bytes());
        Self {
            sequence: 0,
            hash: BlobHash(hash.finalize().into()),
        }
    }

    /// Appends an event: gives the entry and the new head.
    pub fn append(self, event: &Event) -> (Entry, Self) {
        let payload = event.to_payload();
        let sequence = self.sequence.saturating_add(1);
        let hash = entry_hash(&self.hash, sequence, event.at, &payload);
        let entry = Entry {
            sequence,
            at: event.at,
            payload,
            previous: self.hash,
            hash,
        };
        (entry, Self { sequence, hash })
    }
}

fn entry_hash(previous: &BlobHash, sequence: u64, at: Timestamp, payload: &str) -> BlobHash {
    let mut hash = Sha256::new();
    hash.update(ENTRY);
    hash.update(previous.0);
    hash.update(sequence.to_be_bytes());
    hash.update(at.as_microsecond().to_be_bytes());
    hash.update((payload.len() as u64).to_be_bytes());
    hash.update(payload);
    BlobHash(hash.finalize().into())
}

/// Checks a whole chain and gives its head.
pub fn verify(company: &CompanyId, workflow: WorkflowId, entries: &[Entry]) -> Result<Head, ChainFault> {
    let mut head = Head::genesis(company, workflow);
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
        if entry.hash != entry_hash(&entry.previous, expected, entry.at, &entry.payload) {
            return Err(ChainFault::Hash(expected));
        }
        if Event::from_payload(&entry.payload).is_none_or(|event| event.at != entry.at) {
            return Err(ChainFault::Payload(expected));
        }
        head = Head {
            sequence: expected,
            hash: entry.hash,
        };
    }
    Ok(head)
}

/// A chain as the certificate carries it, complete in itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainFile {
    /// `countersign-chain/1`.
    pub format: String,
    /// Whose workflow.
    pub company: CompanyId,
    /// Which.
    pub workflow_id: WorkflowId,
    /// All entries up to the moment of the certificate.
    pub entries: Vec<Entry>,
}

impl ChainFile {
    /// The one format there is.
    pub const FORMAT: &str = "countersign-chain/1";

    /// Checks the chain in the file.
    pub fn verify(&self) -> Result<Head, ChainFault> {
        verify(&self.company, self.workflow_id, &self.entries)
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
