//! Changes the deadline of a workflow.

use domain::{UtcOffset, WorkflowId, Zone, time};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{Error, Fault, FaultCode};
use crate::base::origin::Origin;
use crate::workflow::transition::{Advanced, refused};

/// A request for a new deadline.
#[derive(Debug, Clone, Default)]
pub struct ExtendRequest {
    /// `YYYY-MM-DD HH:MM:SS` in the offset. A date alone means the end of that day.
    pub expiry_date: Option<String>,
    /// `+HH:MM`. Default: the workflow's own offset.
    pub offset: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

impl App {
    /// Sets a new deadline for an open workflow.
    pub fn extend(
        &self,
        actor: &Actor,
        id: WorkflowId,
        request: &ExtendRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::WorkflowExtended, self.now());
        let doer = App::member_actor(caller, origin);
        let seal_ends = self.current_seal_key_end(&caller.company)?;
        let expiry_days = self.company(&caller.company)?.expiry_days;
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let mut faults = request.faults.clone();
            let zone = match request.offset.as_deref() {
                None => snapshot.stored.workflow.zone,
                Some(text) => UtcOffset::parse(text).map_or_else(
                    || {
                        faults.push(Fault::new("offset", FaultCode::InvalidOffset));
                        snapshot.stored.workflow.zone
                    },
                    Zone::from,
                ),
            };
            let text = request
                .expiry_date
                .as_deref()
                .map(str::trim)
                .filter(|text| !text.is_empty());
            let expires_at = text.and_then(|text| time::parse_local_end(text, zone));
            if expires_at.is_none() && !faults.iter().any(|fault| fault.path == "expiry_date") {
                let code = if text.is_none() {
                    FaultCode::Required
                } else {
                    FaultCode::InvalidDateTime
                };
                faults.push(Fault::new("expiry_date", code));
            }
            // An earlier deadline is always possible.
            let later = expires_at.filter(|at| *at > snapshot.stored.workflow.expires_at);
            let usual_end = zone.days_later(snapshot.at, expiry_days);
            faults.extend(later.and_then(|at| crate::sealing::seal_ends::fault(at, usual_end, seal_ends?, zone)));
            let Some(expires_at) = expires_at.filter(|_| faults.is_empty()) else {
                return Err(Error::Unprocessable(faults));
            };
            let change = snapshot
                .stored
                .workflow
                .clone()
                .extend(expires_at, snapshot.at)
                .map_err(refused)?;
            let workflow = change.workflow.clone();
            let plan = self.plan_change(snapshot, change, &doer)?;
            Ok((plan.map(|plan| plan.logging(Some(&logged))), workflow))
        })?;
        Ok(self.advanced(&workflow))
    }
}
