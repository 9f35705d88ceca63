//! Detects documents started by the visitor of a public link, whose address is not proved.

use domain::{Recipient, Who};

use crate::App;
use crate::base::error::Error;
use crate::workflow::transition::Snapshot;

impl App {
    /// Whether the visitor of a public link started this document, so that their address is not proved.
    pub(in crate::signing) fn is_started_by_visitor(&self, snapshot: &Snapshot) -> Result<bool, Error> {
        let entries = self.entries(snapshot)?;
        let start = entries.first().and_then(domain::Entry::event);
        Ok(start.is_some_and(|start| start.actor.who == Who::LinkHolder))
    }

    /// Whether the recipient may be this visitor, who has a place in the first step.
    pub(in crate::signing) fn is_visitors_own(
        &self,
        snapshot: &Snapshot,
        recipient: &Recipient,
    ) -> Result<bool, Error> {
        Ok(recipient.order == 1 && self.is_started_by_visitor(snapshot)?)
    }
}
