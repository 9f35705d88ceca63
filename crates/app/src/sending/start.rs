//! Starts a workflow.
//!
//! **Steps.** The request is checked against company and template, and all faults are collected. Then the document is
//! tested for sealing: each value can be drawn in its field, a font has every character of each name, and the company's
//! seal key is usable. Only then is anything stored: one transaction writes the workflow, its recipients, the values,
//! the first entries of its audit trail, the requests to the signers, and the idempotency key with the response.
//!
//! **Failures.** Everything that could fail after people have signed is refused here. A second call with the same
//! idempotency key gets the first one's response.

mod checked;
mod export;
mod plan;
mod read;
mod recipients;
mod request;
mod values;

use std::sync::Arc;

use domain::{BlobHash, ClientId, TemplateId, WorkflowId};
use jiff::{SignedDuration, Timestamp};
use store::Transaction;
use store::idempotency::KeptAnswer;
use store::template::StoredVersion;
use store::workflow::{Reserved, StartContext};

use crate::App;
use crate::base::actor::Actor;
use crate::base::caller::Caller;
use crate::base::error::{Error, Subject};
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::sending::kept_answer::{AnswerKey, KEPT_HOURS};
use crate::sending::start_log::logging_start;
use crate::signing::preview::PreviewContent;
use plan::{StartPlan, Stored};
use read::{ReadStart, StartReader};

pub use request::{
    Idempotency, StartCopy, StartExport, StartFieldName, StartRecipient, StartRequest, Started, StartedWorkflow,
};

/// Maximum number of recipients whose IDs are reserved in the same query. Larger starts use a separate query.
const NUMBERS_WITH_A_QUESTION: usize = 32;

/// Additional work and data of a start.
#[derive(Default)]
pub(in crate::sending) struct Together {
    /// The template, if it is created only for this document.
    pub(in crate::sending) template: Option<OwnTemplate>,
    /// Index of a public link's visitor among the request's recipients. The visitor then starts the workflow.
    pub(in crate::sending) visitor: Option<usize>,
    /// Runs in the start's transaction. If it fails, nothing is started.
    pub(in crate::sending) record: Option<Record>,
}

/// A template that is stored together with its only document.
pub(in crate::sending) struct OwnTemplate {
    pub(in crate::sending) version: Arc<StoredVersion>,
    pub(in crate::sending) claim: FileClaim,
}

/// Additional work in the start's transaction, which receives the workflow's ID and the start time.
pub(in crate::sending) type Record =
    Box<dyn Fn(&mut dyn Transaction, WorkflowId, Timestamp) -> Result<(), Error> + Send>;

/// The response to a start, and the signing link of a public link's visitor.
pub(in crate::sending) struct StartedWith {
    pub(in crate::sending) started: Started,
    /// The visitor's signing link, even if the response does not contain it. `None` if no link was used in this call.
    pub(in crate::sending) visitor_sign_url: Option<String>,
}

/// Data that a start reads before it decides.
struct Asked {
    context: StartContext,
    /// The response to the first request with the same key.
    kept: Option<KeptAnswer>,
    /// IDs for the workflow, if the same query reserved them.
    reserved: Option<Reserved>,
}

impl App {
    /// Starts a workflow, or previews it.
    pub fn start(&self, actor: &Actor, request: StartRequest, origin: &Origin) -> Result<Started, Error> {
        let by = actor.must_send()?;
        let together = Together {
            record: Some(logging_start(by, request.template_id, self.now())),
            ..Together::default()
        };
        Ok(self.start_with(by.member()?, request, origin, together)?.started)
    }

    /// Starts a workflow with additional work in its transaction.
    pub(in crate::sending) fn start_with(
        &self,
        caller: &Caller,
        request: StartRequest,
        origin: &Origin,
        together: Together,
    ) -> Result<StartedWith, Error> {
        let only = |started| StartedWith {
            started,
            visitor_sign_url: None,
        };
        caller.must_send()?;
        self.check_room()?;
        let now = self.now();
        // A request that will be refused reserves no IDs.
        let takes_numbers =
            !request.is_preview && request.faults.is_empty() && request.recipients.len() <= NUMBERS_WITH_A_QUESTION;
        let Asked {
            context,
            kept,
            reserved,
        } = self.start_context(caller, &request, now, takes_numbers)?;
        let key = AnswerKey::of("start", caller.member, request.idempotency.as_ref());
        if let (Some(kept), Some(key)) = (&kept, &key) {
            return key.answer(kept, &self.vault).map(only);
        }
        let own_template = together.template.as_ref().map(|own| Arc::clone(&own.version));
        let reader = StartReader::new(self, caller, &context, own_template, now, request)?;
        let ReadStart {
            mut plan,
            files,
            is_preview,
        } = reader.read_all(origin)?;
        self.prove_usable(caller, &context, &plan.document)?;
        plan.together = together;
        plan.reserved = reserved;
        self.keep_files(&mut plan.claim, files.iter().map(Vec::as_slice))?;
        drop(files);
        if is_preview {
            return self.keep_preview(plan, now).map(only);
        }
        plan.new.fonts = self.fonts_for_start(&caller.company, &mut plan.claim)?;
        let outgoing = Arc::clone(&self.outgoing);
        let outcome = self.store.write(move |tx| plan.store(tx, &outgoing, now))?;
        match (outcome, key) {
            (Stored::Before(kept), Some(key)) => key.answer(&kept, &self.vault).map(only),
            (Stored::Before(_), None) => Err(Error::internal(
                "starting",
                "a stored response was found, although the request has no idempotency key",
            )),
            (
                Stored::Now {
                    started,
                    visitor_sign_url,
                },
                _,
            ) => {
                tracing::info!(company = %caller.company, workflow = started.workflow_id, "a document started");
                if started.sign_url.is_none() {
                    self.bell.ring();
                }
                Ok(StartedWith {
                    started: Started::Workflow(started),
                    visitor_sign_url,
                })
            }
        }
    }

    /// Checks the preconditions of a start outside its request: the template's file, and a seal at the end.
    fn prove_usable(&self, caller: &Caller, context: &StartContext, document: &BlobHash) -> Result<(), Error> {
        if !self.blobs.exists(document)? {
            // Not a fault of the request: the storage may be temporarily unavailable, and a retry may succeed.
            return Err(Error::FileLost(blobs::Error::Missing(*document)));
        }
        // If the key is usable now, our side of it will also be usable at the end: the key stays in the database, the
        // master key is available, and the certificate outlives the workflow (`read`). An imported certificate may be
        // revoked later.
        let usable = self.seal_key_in_use(&caller.company, context.seal_key)?;
        self.prove_sealable(&usable, &self.proof_patience())
    }

    fn start_context(
        &self,
        caller: &Caller,
        request: &StartRequest,
        now: Timestamp,
        takes_numbers: bool,
    ) -> Result<Asked, Error> {
        let company = caller.company.clone();
        let template = request.template_id.unwrap_or(TemplateId(0));
        let client = request
            .export
            .as_ref()
            .and_then(|export| export.client_id.as_deref())
            .and_then(ClientId::parse);
        let key = AnswerKey::of("start", caller.member, request.idempotency.as_ref());
        let (context, kept, reserved) = match key {
            None if !takes_numbers => {
                let context = self.store.read_one(move |tx| {
                    store::workflow::start_context(tx, &company, template, client).map_err(Error::from)
                })?;
                (context, None, None)
            }
            None => {
                let recipients = request.recipients.len();
                let (context, reserved) = self.store.read_one(move |tx| {
                    store::workflow::start_context_with_numbers(tx, &company, template, client, recipients)
                        .map_err(Error::from)
                })?;
                (context, None, reserved)
            }
            Some(key) => self.store.read(move |tx| {
                let context = store::workflow::start_context(tx, &company, template, client)?;
                let kept = key.find(tx, &company, now)?;
                Ok::<_, Error>((context, kept, None))
            })?,
        };
        Ok(Asked {
            context: context.ok_or(Error::NotFound(Subject::Company))?,
            kept,
            reserved,
        })
    }

    /// Returns the response to the first start with the request's key, if there was one.
    pub(in crate::sending) fn sent_before(
        &self,
        caller: &Caller,
        request: &StartRequest,
    ) -> Result<Option<Started>, Error> {
        let key = AnswerKey::of("start", caller.member, request.idempotency.as_ref());
        self.answered_before(caller, key.as_ref(), self.now())
    }

    fn keep_preview(&self, plan: StartPlan, now: Timestamp) -> Result<Started, Error> {
        let mut content = PreviewContent {
            workflow_name: plan.workflow.name.clone(),
            language: plan.workflow.language,
            template: plan.workflow.template,
            version: plan.workflow.template_version,
            values: plan
                .values
                .iter()
                .map(|(name, stored)| (name.clone(), stored.value.clone()))
                .collect(),
        };
        let until = now
            .checked_add(SignedDuration::from_hours(KEPT_HOURS))
            .unwrap_or(Timestamp::MAX);
        let (company, language) = (plan.workflow.company.clone(), plan.workflow.language);
        let id = self.store.write(move |tx| {
            content.template = plan.template(tx)?.0;
            plan.claim.hold_until(tx, until)?;
            let text = serde_json::to_string(&content).map_err(|error| Error::internal("keeping a preview", error))?;
            store::preview::insert(tx, &company, &text, now, until).map_err(Error::from)
        })?;
        let preview_url = self.outgoing.addresses.preview_url(id, language, until);
        Ok(Started::Preview {
            preview_url,
            ignored_members: Vec::new(),
        })
    }
}
