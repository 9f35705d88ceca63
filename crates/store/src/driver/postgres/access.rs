//! The kinds of closures, and how their transactions begin.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// Writes, and waits for the server's disk.
    Write,
    /// Writes without waiting for the disk.
    WriteRelaxed,
    /// Writes with one statement in autocommit; the statement itself disables waiting for the disk.
    WriteOneRelaxed,
    /// Writes rows that several callers add, and waits.
    WriteTogether,
    /// Writes rows that several callers add, without waiting.
    WriteTogetherRelaxed,
    Read,
    /// Reads with one statement, without a transaction.
    ReadOne,
    /// Takes new numbers without a transaction, so they stay taken.
    Numbers,
}

impl Access {
    pub(super) fn writes(self) -> bool {
        !matches!(self, Access::Read | Access::ReadOne)
    }

    /// Whether its commit is asynchronous.
    pub(super) fn is_relaxed(self) -> bool {
        matches!(
            self,
            Access::WriteRelaxed | Access::WriteOneRelaxed | Access::WriteTogetherRelaxed
        )
    }

    /// The same for several callers at once.
    pub(super) fn together(self) -> Access {
        match self {
            Access::WriteRelaxed => Access::WriteTogetherRelaxed,
            _ => Access::WriteTogether,
        }
    }

    /// The statement that begins its transaction.
    pub(super) fn begin(self) -> Option<&'static str> {
        match self {
            Access::Write => Some("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            // A caller that waits for a lock should not make the others wait.
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
