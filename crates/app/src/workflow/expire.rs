//! Expires workflows. A job searches for them every few seconds, and any use case that finds an overdue one expires it
//! first, so nobody can sign after the deadline.

use domain::{Actor, CompanyId, Refusal, WorkflowId};
use jiff::SignedDuration;

use crate::App;
use crate::base::error::Error;
use crate::workflow::transition::{MOST_TRIES, refused};

/// Time before the job retries a workflow that could not be expired.
const LOOK_AFTER_FAILURE: SignedDuration = SignedDuration::from_hours(1);

impl App {
    /// Expires up to `limit` overdue workflows. Returns the number checked. If it equals the limit, the job calls this
    /// again at once. A workflow that cannot be expired is postponed, but use cases still see it as expired.
    pub fn expire_due(&self, limit: u32) -> Result<u32, Error> {
        let now = self.now();
        let due = self
            .store
            .read(move |tx| store::workflow::overdue(tx, now, limit).map_err(Error::from))?;
        let mut looked = 0;
        for (company, id) in due {
            looked += 1;
            // A failure must not prevent the others from expiring.
            if let Err(error) = self.expire(&company, id) {
                tracing::error!(%error, workflow = %id, "a workflow could not be expired; we will try again");
                let again = now.checked_add(LOOK_AFTER_FAILURE).unwrap_or(now);
                self.store
                    .write(move |tx| store::workflow::set_expiry_look(tx, &company, id, again).map_err(Error::from))?;
            }
        }
        Ok(looked)
    }

    /// Expires one workflow. Returns `false` if it has ended in another way, or was extended, in the meantime.
    pub(in crate::workflow) fn expire(&self, company: &CompanyId, id: WorkflowId) -> Result<bool, Error> {
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
