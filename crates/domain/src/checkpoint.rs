//! Checkpoints: the state of a company's chains at a moment, stored outside the database.
//!
//! A checkpoint lists the head of every workflow, in segments by workflow number. A segment is a file named by its
//! hash, so checkpoints share unchanged segments. Each checkpoint is keyed and contains the hash of the one before it,
//! so neither a list nor the order of the lists can be changed without the master key.
//!
//! A head in a checkpoint only moves forward along its own chain. If a workflow is missing, or its chain was shortened
//! or replaced, the checkpoint keeps the earlier head, so the loss stays visible.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{CompanyId, WorkflowId};
use crate::value::BlobHash;

/// The number of consecutive workflow numbers in a segment.
const SEGMENT: i64 = 1024;
const HEAD_BYTES: usize = 8 + 8 + 32;

/// The recorded head of a workflow's chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownHead {
    pub workflow: WorkflowId,
    /// The sequence number of the last entry.
    pub sequence: u64,
    /// The hash of the last entry.
    pub hash: BlobHash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The workflows' numbers divided by 1024.
    pub number: i64,
    /// SHA-256 of the segment's file. For each workflow, the file contains its number and the head's sequence number (8
    /// bytes each, big-endian) and the head's hash (32 bytes).
    pub hash: BlobHash,
}

/// The state of a company's chains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// `countersign-checkpoint/1`.
    pub format: String,
    pub company: CompanyId,
    /// Counts from 1 without gaps.
    pub number: u64,
    /// Time of writing, in microseconds since 1970.
    pub at: i64,
    /// Number of workflows in the list.
    pub workflows: u64,
    /// SHA-256 of the concatenated hashes of all segments.
    pub digest: BlobHash,
    /// The segments, in order of their numbers.
    pub segments: Vec<Segment>,
    /// SHA-256 of the previous checkpoint's file.
    pub previous: Option<BlobHash>,
    /// The operator accepted the state of the database, regardless of earlier checkpoints.
    pub is_restart: bool,
}

/// A checkpoint with its code, as stored in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyedCheckpoint {
    pub checkpoint: Checkpoint,
    /// An HMAC of [`Checkpoint::statement`], hexadecimal.
    pub code: String,
}

impl Checkpoint {
    const FORMAT: &str = "countersign-checkpoint/1";

    /// Creates the checkpoint that follows another.
    pub fn after(
        before: Option<(&Checkpoint, BlobHash)>,
        company: CompanyId,
        at: Timestamp,
        workflows: u64,
        segments: Vec<Segment>,
    ) -> Self {
        Self {
            format: Self::FORMAT.to_owned(),
            company,
            number: before.map_or(1, |(before, _)| before.number.saturating_add(1)),
            at: at.as_microsecond(),
            workflows,
            digest: digest(&segments),
            segments,
            previous: before.map(|(_, file)| file),
            is_restart: false,
        }
    }

    /// Returns the data that the code authenticates.
    pub fn statement(&self) -> Vec<u8> {
        // The value contains only texts, numbers and lists, so serialising it cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether the checkpoint is complete and belongs to the company.
    pub fn is_sound(&self, company: &CompanyId) -> bool {
        let is_ordered = self.segments.is_sorted_by(|one, next| one.number < next.number);
        self.format == Self::FORMAT && self.company == *company && is_ordered && self.digest == digest(&self.segments)
    }
}

impl KnownHead {
    /// Returns the segment number of a workflow.
    pub const fn segment_of(workflow: WorkflowId) -> i64 {
        workflow.get().div_euclid(SEGMENT)
    }

    /// Serialises a segment's file.
    pub fn write(heads: &[KnownHead]) -> Vec<u8> {
        let mut file = Vec::with_capacity(heads.len() * HEAD_BYTES);
        for head in heads {
            file.extend(head.workflow.get().to_be_bytes());
            file.extend(head.sequence.to_be_bytes());
            file.extend(head.hash.0);
        }
        file
    }

    /// Reads a segment's file.
    pub fn read(file: &[u8]) -> Option<Vec<KnownHead>> {
        let (heads, rest) = file.as_chunks::<HEAD_BYTES>();
        rest.is_empty().then_some(())?;
        heads
            .iter()
            .map(|bytes| {
                let (workflow, bytes) = bytes.split_first_chunk::<8>()?;
                let (sequence, hash) = bytes.split_first_chunk::<8>()?;
                Some(KnownHead {
                    workflow: WorkflowId(i64::from_be_bytes(*workflow)),
                    sequence: u64::from_be_bytes(*sequence),
                    hash: BlobHash(hash.try_into().ok()?),
                })
            })
            .collect()
    }
}

fn digest(segments: &[Segment]) -> BlobHash {
    let hashes: Vec<u8> = segments.iter().flat_map(|segment| segment.hash.0).collect();
    BlobHash::of(&hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_read_as_it_was_written() {
        let heads: Vec<KnownHead> = (1..4)
            .map(|number| KnownHead {
                workflow: WorkflowId(number),
                sequence: 7,
                hash: BlobHash::of(b"head"),
            })
            .collect();
        let mut file = KnownHead::write(&heads);
        assert_eq!(KnownHead::read(&file), Some(heads));
        file.pop();
        assert_eq!(KnownHead::read(&file), None);
    }
}
