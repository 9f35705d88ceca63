//! The kinds of access, and how their transactions begin.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// Writes, and waits for the server's disk.
    Write,
    /// Writes without waiting for the disk.
    WriteRelaxed,
    /// Writes with one statement in autocommit; the statement itself disables waiting for the disk.
    WriteOneRelaxed,
    /// Writes rows together with other callers, and waits for the disk.
    WriteTogether,
    /// Writes rows together with other callers, without waiting for the disk.
    WriteTogetherRelaxed,
    Read,
    /// Reads with one statement, without a transaction.
    ReadOne,
    /// Reserves new numbers without a transaction, so they stay reserved.
    Numbers,
}

impl Access {
    pub(super) fn writes(self) -> bool {
        !matches!(self, Access::Read | Access::ReadOne)
    }

    /// Whether the commit is asynchronous.
    pub(super) fn is_relaxed(self) -> bool {
        matches!(
            self,
            Access::WriteRelaxed | Access::WriteOneRelaxed | Access::WriteTogetherRelaxed
        )
    }

    /// Returns the variant for several callers at once.
    pub(super) fn together(self) -> Access {
        match self {
            Access::WriteRelaxed => Access::WriteTogetherRelaxed,
            _ => Access::WriteTogether,
        }
    }

    /// Returns the statement that begins the transaction.
    pub(super) fn begin(self) -> Option<&'static str> {
        match self {
            Access::Write => Some("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            // A caller that waits for a lock should not delay the others.
            Access::WriteTogether => Some("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '1s'"),
            Access::WriteTogetherRelaxed => Some(
                "BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL lock_timeout = '1s'; SET LOCAL synchronous_commit = off",
            ),
            Access::WriteRelaxed => Some("BEGIN ISOLATION LEVEL REPEATABLE READ; SET LOCAL synchronous_commit = off"),
            Access::Read => Some("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
            Access::WriteOneRelaxed | Access::ReadOne | Access::Numbers => None,
        }
    }
}
