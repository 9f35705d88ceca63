//! The size of tests that `script/faults` runs in full: small by default, or as large as the environment asks for.

#[derive(Debug, Clone, Copy)]
pub enum Scale {
    Kills,
    KillsAtEachPlace,
    NodeKills,
    /// Rows of a bulk send.
    BulkRows,
    /// Deliveries that fail.
    Failures,
    Forgeries,
    /// Uploads that others have signed.
    SignedUploads,
    /// Steps of the chains that other programs append to a signed file.
    ChainSteps,
    /// Random manual edits of rows.
    Edits,
    /// Random histories of corrections, reassignments and returns.
    Histories,
    /// Workflows of a person who is erased.
    Erased,
}

impl Scale {
    const fn setting(self) -> (&'static str, u32) {
        match self {
            Scale::Kills => ("COUNTERSIGN_KILL_ROUNDS", 3),
            Scale::KillsAtEachPlace => ("COUNTERSIGN_FAILPOINT_ROUNDS", 1),
            Scale::NodeKills => ("COUNTERSIGN_NODE_KILLS", 1),
            Scale::BulkRows => ("COUNTERSIGN_BULK_ROWS", 60),
            Scale::Failures => ("COUNTERSIGN_FAILURES", 2_000),
            Scale::Forgeries => ("COUNTERSIGN_FORGERIES", 2_000),
            Scale::SignedUploads => ("COUNTERSIGN_SIGNED_UPLOADS", 20),
            Scale::ChainSteps => ("COUNTERSIGN_CHAIN_STEPS", 2),
            Scale::Edits => ("COUNTERSIGN_EDITS", 200),
            Scale::Histories => ("COUNTERSIGN_HISTORIES", 30),
            // Enough that erasing needs more than one transaction.
            Scale::Erased => ("COUNTERSIGN_ERASED", 250),
        }
    }

    pub fn count(self) -> u32 {
        let (variable, few) = self.setting();
        std::env::var(variable).map_or(few, |text| {
            text.parse().unwrap_or_else(|_| panic!("{variable}: no number"))
        })
    }
}
