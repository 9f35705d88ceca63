//! Checkpoints: what a company's chains had come to at a moment, kept outside the database.
//!
//! A checkpoint lists the head of every workflow, in segments by the workflows' numbers. A segment is a file named by its
//! hash, so checkpoints share those in which nothing changed. Each checkpoint contains the hash of the one before and is
//! keyed, so neither a list nor their order can be changed without the master key.
//!
//! A head in a checkpoint only ever moves on along its own chain. If a workflow is gone, or its chain is shorter than it was or
//! another one, the checkpoint keeps the head that it had, so what was lost stays visible.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{CompanyId, WorkflowId};
use crate::value::BlobHash;

/// The number of consecutive workflow numbers in a segment.
const SEGMENT: i64 = 1024;
const HEAD_BYTES: usize = 8 + 8 + 32;

/// The head that a workflow's chain had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownHead {
    pub workflow: WorkflowId,
    /// The number of its last entry.
    pub sequence: u64,
    /// The hash of its last entry.
    pub hash: BlobHash,
}

/// A part of a checkpoint's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The workflows' numbers divided by 1024.
    pub number: i64,
    /// SHA-256 of the segment's file: for each workflow its number, its head's number (8 bytes each, big end first) and its
    /// head's hash (32 bytes).
    pub hash: BlobHash,
}

/// The state of a company's chains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// `countersign-checkpoint/1`.
    pub format: String,
    pub company: CompanyId,
    /// From 1 without gaps.
    pub number: u64,
    /// When it was written, in microseconds since 1970.
    pub at: i64,
    /// How many workflows it lists.
    pub workflows: u64,
    /// SHA-256 of the hashes of all segments, one after the other.
    pub digest: BlobHash,
    /// The list, in the order of the workflows' numbers.
    pub segments: Vec<Segment>,
    /// SHA-256 of the file of the checkpoint before.
    pub previous: Option<BlobHash>,
    /// The operator accepted the database as it was, regardless of earlier checkpoints.
    pub is_restart: bool,
}

/// A checkpoint as its file contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyedCheckpoint {
    pub checkpoint: Checkpoint,
    /// An HMAC of [`Checkpoint::statement`], hexadecimal.
    pub code: String,
}

impl Checkpoint {
    const FORMAT: &str = "countersign-checkpoint/1";

    /// The checkpoint that follows another.
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

    /// The data that its code authenticates.
    pub fn statement(&self) -> Vec<u8> {
        // Texts, numbers and lists only: writing cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether it is complete, and belongs to the company.
    pub fn is_sound(&self, company: &CompanyId) -> bool {
        let is_ordered = self.segments.is_sorted_by(|one, next| one.number < next.number);
        self.format == Self::FORMAT && self.company == *company && is_ordered && self.digest == digest(&self.segments)
    }
}

impl KnownHead {
    /// The segment of a workflow.
    pub const fn segment_of(workflow: WorkflowId) -> i64 {
        workflow.get().div_euclid(SEGMENT)
    }

    /// A segment's file.
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
