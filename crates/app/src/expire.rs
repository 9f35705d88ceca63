//! Workflows whose time runs out. A job looks for them every few seconds, and whoever touches one that is overdue expires
//! it first, so that nobody ever writes after the end.

use domain::{Actor, CompanyId, Refusal, WorkflowId};

use crate::App;
use crate::error::Error;
use crate::transition::{MOST_TRIES, refused};

impl App {
    /// Expires up to `limit` workflows whose time has run out, and says how many. The runner calls it again at once where
    /// the answer is the limit.
    pub fn expire_due(&self, limit: u32) -> Result<u32, Error> {
        let now = self.now();
        let due = self
            .store
            .read(move |tx| store::workflow::overdue(tx, now, limit).map_err(Error::from))?;
        let mut expired = 0;
        for (company, id) in due {
            // One that cannot be expired must not keep the others from it.
            match self.expire(&company, id) {
                Ok(happened) => expired += u32::from(happened),
                Err(error) => tracing::error!(%error, workflow = %id, "a workflow could not be expired"),
            }
        }
        Ok(expired)
    }

    /// Expires one workflow; `false` where it has ended otherwise, or was extended, in the meantime.
    pub(crate) fn expire(&self, company: &CompanyId, id: WorkflowId) -> Result<bool, Error> {
        for _ in 0..MOST_TRIES {
            let snapshot = self.snapshot(company, id)?;
            let transition = match snapshot.stored.workflow.clone().expire(snapshot.at) {
                Ok(transition) => transition,
                Err(Refusal::Ended(_) | Refusal::NotOverdue) => return Ok(false),
                Err(refusal) => return Err(refused(refusal)),
            };
            let plan = self.plan_transition(&snapshot, transition, &Actor::SERVICE, None)?;
            if self.commit(plan)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
