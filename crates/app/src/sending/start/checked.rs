//! Checks several starts without starting them: the rows of a bulk send, or the sample of a public link.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use domain::{BlobHash, TemplateId};
use jiff::Timestamp;
use store::workflow::StartContext;

use super::read::StartReader;
use super::request::StartRequest;
use crate::App;
use crate::base::caller::Caller;
use crate::base::error::{Error, Fault, FaultCode};
use crate::base::origin::Origin;

/// Checks starts one after another. Shared data is looked up once, because a list has thousands of rows, and remote
/// storage takes many milliseconds to respond.
pub(in crate::sending) struct CheckedStarts<'a> {
    app: &'a App,
    caller: &'a Caller,
    now: Timestamp,
    contexts: HashMap<(Option<TemplateId>, Option<String>), Arc<StartContext>>,
    /// The files that starts can use.
    usable: HashSet<BlobHash>,
}

impl App {
    /// Checks that a start would be accepted now, and starts nothing.
    pub(in crate::sending) fn check_start(&self, caller: &Caller, request: StartRequest) -> Result<(), Error> {
        self.check_starts(caller)?.check(request)
    }

    /// Prepares to check starts one after another, without starting anything.
    pub(in crate::sending) fn check_starts<'a>(&'a self, caller: &'a Caller) -> Result<CheckedStarts<'a>, Error> {
        caller.must_send()?;
        Ok(CheckedStarts {
            app: self,
            caller,
            now: self.now(),
            contexts: HashMap::new(),
            usable: HashSet::new(),
        })
    }
}

impl CheckedStarts<'_> {
    /// Checks that a start would be accepted now.
    pub(in crate::sending) fn check(&mut self, request: StartRequest) -> Result<(), Error> {
        let context = self.context(&request)?;
        let reader = StartReader::new(self.app, self.caller, &context, None, self.now, request)?;
        let document = reader.read_all(&Origin::default())?.plan.document;
        if !self.usable.contains(&document) {
            self.app.prove_usable(self.caller, &context, &document)?;
            self.usable.insert(document);
        }
        Ok(())
    }

    /// Returns the faults of a start that others will complete. Missing parts are not faults, and values that depend on
    /// them are checked when the start is complete.
    pub(in crate::sending) fn faults_of_shared(&mut self, request: StartRequest) -> Result<Vec<Fault>, Error> {
        let context = self.context(&request)?;
        let mut reader = StartReader::new(self.app, self.caller, &context, None, self.now, request)?;
        reader.read(&Origin::default());
        if let Some(failure) = reader.failure {
            return Err(failure);
        }
        let mut faults = reader.faults;
        faults.retain(is_said);
        faults.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(faults)
    }

    fn context(&mut self, request: &StartRequest) -> Result<Arc<StartContext>, Error> {
        let client = request.export.as_ref().and_then(|export| export.client_id.clone());
        Ok(match self.contexts.entry((request.template_id, client)) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => {
                let context = self.app.start_context(self.caller, request, self.now, false)?.context;
                Arc::clone(new.insert(Arc::new(context)))
            }
        })
    }
}

/// Whether a fault is in the start itself, not in missing parts or in its template.
fn is_said(fault: &Fault) -> bool {
    let of_writer = |member: &str| fault.path.starts_with("recipient_list[") && fault.path.ends_with(member);
    match fault.code {
        FaultCode::Required => {
            let is_left = ["workflow_name", "recipient_list"].contains(&fault.path.as_str());
            !is_left && !of_writer("].name") && !of_writer("].email")
        }
        FaultCode::FieldRequired
        | FaultCode::MissingRecipient
        | FaultCode::OrderGap
        | FaultCode::CalculationDoesNotFit
        | FaultCode::FieldNotStampable => false,
        _ => fault.path != "template_id",
    }
}
