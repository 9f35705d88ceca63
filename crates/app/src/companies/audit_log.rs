//! Reads the audit log ([`crate::base::audit_log`]).

use store::audit_log::LogEntry;

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::Error;

impl App {
    /// Lists the entries before this one, newest first.
    pub fn audit_log(&self, actor: &Actor, before: Option<i64>, limit: u32) -> Result<Vec<LogEntry>, Error> {
        let company = actor.must_audit()?.company().clone();
        let before = before.unwrap_or(i64::MAX);
        self.store
            .read(move |tx| store::audit_log::list(tx, &company, before, limit).map_err(Error::from))
    }
}
