//! What a closure does, and what begins its transaction.

/// What a closure does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// It writes, and waits for the server's disk.
    Write,
    /// It writes, and does not wait.
    WriteRelaxed,
    /// It writes with one statement, which says itself that it does not wait, in autocommit.
    WriteOneRelaxed,
    /// What several add is written, and waits.
    WriteTogether,
    /// What several add is written, and does not wait.
    WriteTogetherRelaxed,
    /// It reads.
    Read,
    /// It reads with one statement, with no transaction around it.
    ReadOne,
    /// It takes fresh numbers, with no transaction around it: they are taken for good.
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

    /// The same for several at once.
    pub(super) fn together(self) -> Access {
        match self {
            Access::WriteRelaxed => Access::WriteTogetherRelaxed,
            _ => Access::WriteTogether,
        }
    }

    /// What begins its transaction.
    pub(super) fn begin(self) -> Option<&'static str> {
        match self {
            Access::Write => Some("BEGIN ISOLATION LEVEL REPEATABLE READ"),
            // Whoever waits for a lock is to wait for it alone.
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
