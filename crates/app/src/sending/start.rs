//! Starting a workflow.
//!
//! **What happens.** The request is read against company and template, and every fault is collected. The document is then
//! proved to be sealable: each given value can be drawn where its field is, every name has its characters in a font, and
//! the company's seal key is usable. Only then is anything stored: one transaction holds the workflow, its writers, the
//! given values, the first entries of its chain, the requests to the writers, and the idempotency key with the answer.
//!
//! **What may fail.** Whatever could fail after people have signed is refused here. A second call under the same
//! idempotency key answers what the first one answered.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use domain::public_address::CallbackUrl;
use domain::{
    ApiType, BlobHash, ClientId, Comment, CompanyId, Contact, CopyRecipient, EventKind, ExportSettings, Field,
    FieldKind, FieldName, FileValue, Language, LinkType, LiveLinks, MemberId, PersonName, Progress, Recipient,
    RecipientId, Requester, State, TemplateContent, TemplateId, TemplateVersion, TextFault, UtcOffset, Who, Workflow,
    WorkflowId, WriterDetail, Zone, text, time,
};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::Transaction;
use store::bulk::BulkId;
use store::idempotency::KeptAnswer;
use store::public_link::LinkUse;
use store::template::StoredVersion;
use store::workflow::{Checks, Party, Reserved, StartContext};
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::callback::{authorization_fault, callback_fault};
use crate::base::caller::Caller;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::base::keyed_chain;
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::base::vault::Purpose;
use crate::links::addresses::Addresses;
use crate::outbox::outgoing::Outgoing;
use crate::outbox::webhook;
use crate::outbox::webhook::NextWriter;
use crate::sending::public_link::not_taken;
use crate::sending::start_terms::terms;
use crate::signing::preview::PreviewContent;
use crate::templates::foresight::stuck_from_start;
use crate::values::embedded_files::EmbeddedFiles;
use crate::values::value::{GivenField, NewValue, prove, prove_text, prove_writer, value_fault};

/// How long the answer under an idempotency key is kept, and a preview.
const KEPT_HOURS: i64 = 24;
const LONGEST_NAME: usize = 128;
const LONGEST_HINT: usize = 50;
const LONGEST_KEY: usize = 255;
/// More faults than this are told to nobody.
const MOST_FAULTS: usize = 100;

const MOST_COPIES: usize = 50;
/// For more writers than this, numbers are taken by a question of their own.
const NUMBERS_WITH_A_QUESTION: usize = 32;
const SHORTEST_CODE: usize = 4;
const LONGEST_CODE: usize = 15;

/// A request to start a workflow. Members are as they came; what reading them found amiss is in `faults`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StartRequest {
    /// The document's name.
    pub workflow_name: Option<String>,
    /// The template.
    pub template_id: Option<TemplateId>,
    /// The writers (`recipient_list`).
    pub recipients: Vec<StartRecipient>,
    /// Values given by the sender (`field_list`).
    pub fields: Vec<GivenField>,
    /// `YYYY-MM-DD HH:MM:SS` in the offset; a day alone means its end.
    pub expiry_date: Option<String>,
    /// `ko` or `ko-KR`.
    pub language: Option<String>,
    /// The sender's words to the writers.
    pub comment: Option<String>,
    /// Who is told at the end (`cc_list`).
    pub cc: Vec<StartCopy>,
    /// `export_api_info`.
    pub export: Option<StartExport>,
    /// Start nothing, answer an address that shows what would be sent.
    pub is_preview: bool,
    /// The query's `offset`.
    pub offset: Option<String>,
    /// The idempotency key.
    #[serde(skip)]
    pub idempotency: Option<Idempotency>,
    /// What reading the request found amiss.
    #[serde(skip)]
    pub faults: Vec<Fault>,
}

/// A writer in a start.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartRecipient {
    /// The step.
    pub order: Option<u32>,
    /// The role, where the step has several.
    pub role: Option<String>,
    /// The writer's name.
    pub name: Option<String>,
    /// E-mail address or telephone number.
    pub email: Option<String>,
    /// The writer's language, where it is another than the workflow's.
    pub language: Option<String>,
    /// A telephone number besides.
    pub mobile: Option<String>,
    /// The access code.
    pub password: Option<String>,
    /// A hint at the access code.
    pub password_hint: Option<String>,
    /// Must he give a code that is sent to his own address? Where the template says so, it cannot be dropped here.
    pub one_time_code: Option<bool>,
}

impl std::fmt::Debug for StartRecipient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartRecipient")
            .field("order", &self.order)
            .field("role", &self.role)
            .field("name", &self.name)
            .field("email", &self.email)
            .finish_non_exhaustive()
    }
}

/// Somebody who is told at the end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StartCopy {
    /// The name.
    pub name: Option<String>,
    /// E-mail address or telephone number.
    pub email: Option<String>,
}

/// `export_api_info`, as it came.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct StartExport {
    /// The callback URL.
    pub url: Option<String>,
    /// `ALL` or `StartAndEnd`.
    pub api_type: Option<String>,
    /// Embedded mode.
    pub is_embed: Option<bool>,
    /// `viewer` or `download`.
    pub link_type: Option<String>,
    /// The webhooks' Authorization header.
    pub authorization: Option<String>,
    /// Another API client than the default one.
    pub client_id: Option<String>,
    /// Other names of fields.
    pub field_names: Vec<StartFieldName>,
}

impl std::fmt::Debug for StartExport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartExport")
            .field("url", &self.url)
            .field("api_type", &self.api_type)
            .finish_non_exhaustive()
    }
}

/// A field's other name, as it came.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StartFieldName {
    /// The field's own name.
    pub field_name: Option<String>,
    /// The name in payloads.
    pub new_name: Option<String>,
}

/// The key under which a request happens once.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// The key that the caller chose.
    pub key: String,
    /// SHA-256 of what makes the same request: its body, and the offset in which its dates are read and written.
    pub request_hash: [u8; 32],
}

impl Idempotency {
    /// What is wrong with the key.
    pub(crate) fn fault(&self) -> Option<Fault> {
        if self.key.is_empty() {
            Some(Fault::new("Idempotency-Key", FaultCode::Required))
        } else if self.key.chars().count() > LONGEST_KEY {
            Some(Fault::new("Idempotency-Key", FaultCode::TooLong).with("max", LONGEST_KEY))
        } else {
            None
        }
    }
}

/// The answer to a start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum Started {
    /// The workflow is under way.
    Workflow(StartedWorkflow),
    /// Nothing was started.
    Preview {
        /// Shows what would be sent.
        preview_url: String,
        /// The members of the request that nobody read, such as `is_embed` beside `export_api_info` instead of in it: each by
        /// its path, at most 100. Left out where there are none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(example = json!(["is_embed", "recipient_list[0].nmae"]))]
        ignored_members: Vec<String>,
    },
}

/// A workflow that was started.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StartedWorkflow {
    /// Its number.
    pub workflow_id: i64,
    /// Its name.
    pub workflow_name: String,
    /// `ko-KR`, `en-US` or `ja-JP`.
    pub language: String,
    /// The name of the writer whose turn it is.
    pub next_name: String,
    /// His e-mail address or telephone number.
    pub next_email: String,
    /// Embedded: the first writer's; else it opens the sender's view.
    pub token: String,
    /// Where the first writer signs; embedded only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_url: Option<String>,
    /// All writers of the first step, where it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_list: Option<Vec<NextWriter>>,
}

impl std::fmt::Debug for StartedWorkflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StartedWorkflow")
            .field("workflow_id", &self.workflow_id)
            .finish_non_exhaustive()
    }
}

/// A request that was found good.
struct Plan {
    workflow: Workflow,
    checks: Vec<Checks>,
    /// Where each writer of the request stands among the workflow's.
    places: Vec<Option<usize>>,
    authorization: Option<Vec<u8>>,
    values: Vec<(String, StoredValue)>,
    document: BlobHash,
    signed_original: Option<BlobHash>,
    /// What the template's version contains; of one that is made for this document, it is known when it is stored.
    template_content: Option<TemplateContent>,
    origin: Origin,
    idempotency: Option<Idempotency>,
    party: Party,
    also: Option<Also>,
    /// On the files in its values, and on its fonts.
    claim: FileClaim,
    /// The added fonts that it is drawn with.
    fonts: Vec<BlobHash>,
    /// Numbers that are given out already.
    reserved: Option<Reserved>,
}

/// What else a start decides, in its transaction: where it does not hold any more, nothing is started.
#[derive(Debug, Clone)]
pub(crate) enum Also {
    /// The row of a bulk start is started.
    BulkRow {
        /// Which bulk start.
        bulk: BulkId,
        /// Which row.
        number: u32,
    },
    /// A template is made for this document alone; its id is known only now.
    OneOff(Arc<StoredVersion>, FileClaim),
    /// A public link is used.
    LinkUse {
        /// By whom.
        taking: LinkUse,
        /// Where he stands in the start's list of writers.
        visitor: usize,
    },
}

impl Also {
    fn record(
        &self,
        tx: &mut dyn Transaction,
        company: &CompanyId,
        workflow: WorkflowId,
        now: Timestamp,
    ) -> Result<(), Error> {
        match self {
            Also::BulkRow { bulk, number } => {
                if store::bulk::set_started(tx, *bulk, *number, workflow)? {
                    Ok(())
                } else {
                    Err(Error::conflict(ConflictCode::Changed))
                }
            }
            Also::OneOff(..) => Ok(()),
            Also::LinkUse { taking, .. } => {
                let taken = store::public_link::take(tx, company, taking, workflow, now)?;
                not_taken(taken, now).map_or(Ok(()), Err)
            }
        }
    }
}

/// A start's answer, and where the visitor of a public link signs.
pub(crate) struct StartedWith {
    /// The answer.
    pub(crate) started: Started,
    /// Where the link's visitor signs, whether he is told or not; none where no link was used now.
    pub(crate) visitor_sign_url: Option<String>,
}

impl App {
    /// Starts a workflow, or shows what would be started.
    pub fn start(&self, caller: &Caller, request: StartRequest, origin: &Origin) -> Result<Started, Error> {
        Ok(self.start_with(caller, request, origin, None)?.started)
    }

    /// Starts a workflow together with something else.
    pub(crate) fn start_with(
        &self,
        caller: &Caller,
        request: StartRequest,
        origin: &Origin,
        also: Option<Also>,
    ) -> Result<StartedWith, Error> {
        let only = |started| StartedWith {
            started,
            visitor_sign_url: None,
        };
        caller.must_send()?;
        self.check_room()?;
        let now = self.now();
        // A request that is refused, as far as that is known, takes none.
        let takes_numbers =
            !request.is_preview && request.faults.is_empty() && request.recipients.len() <= NUMBERS_WITH_A_QUESTION;
        let Asked {
            context,
            kept,
            reserved,
        } = self.start_context(caller, &request, now, takes_numbers)?;
        if let (Some(kept), Some(idempotency)) = (&kept, &request.idempotency) {
            return self.answered_before(kept, idempotency).map(only);
        }
        let one_off = match &also {
            Some(Also::OneOff(version, _)) => Some(Arc::clone(version)),
            _ => None,
        };
        let (mut plan, files, preview) = self.planned(caller, &context, one_off, now, request, origin)?;
        plan.also = also;
        plan.reserved = reserved;
        self.keep_files(&mut plan.claim, files.iter().map(Vec::as_slice))?;
        drop(files);
        if preview {
            return self.keep_preview(plan, now).map(only);
        }
        plan.fonts = self.fonts_for_start(&caller.company, &mut plan.claim)?;
        let outgoing = Arc::clone(&self.outgoing);
        let idempotency = plan.idempotency.clone();
        let outcome = self.store.write(move |tx| plan.store(tx, &outgoing, now))?;
        match (outcome, idempotency) {
            (Stored::Before(kept), Some(idempotency)) => self.answered_before(&kept, &idempotency).map(only),
            (Stored::Before(_), None) => Err(Error::internal("starting", "an answer without a key")),
            (
                Stored::Now {
                    started,
                    visitor_sign_url,
                },
                _,
            ) => {
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

    /// Proves that a start would be taken now, and starts nothing.
    pub(crate) fn check_start(&self, caller: &Caller, request: StartRequest) -> Result<(), Error> {
        self.check_starts(caller)?.check(request)
    }

    /// Proves starts one after another, and starts nothing.
    pub(crate) fn check_starts<'a>(&'a self, caller: &'a Caller) -> Result<CheckedStarts<'a>, Error> {
        caller.must_send()?;
        Ok(CheckedStarts {
            app: self,
            caller,
            now: self.now(),
            contexts: HashMap::new(),
            usable: HashSet::new(),
        })
    }

    /// What a request comes to, or everything that is wrong with it.
    fn planned(
        &self,
        caller: &Caller,
        context: &StartContext,
        one_off: Option<Arc<StoredVersion>>,
        now: Timestamp,
        request: StartRequest,
        origin: &Origin,
    ) -> Result<Read, Error> {
        let read = StartReader::new(self, caller, context, one_off, now, request)?.read_all(origin)?;
        self.prove_usable(caller, context, &read.0.document)?;
        Ok(read)
    }

    /// Proves what a start needs beside its request: the template's file, and a seal for the end.
    fn prove_usable(&self, caller: &Caller, context: &StartContext, document: &BlobHash) -> Result<(), Error> {
        if !self.blobs.exists(document)? {
            // No fault of the request's: the storage may be away, and is hopefully back for the next try.
            return Err(Error::FileLost(blobs::Error::Missing(*document)));
        }
        // Usable now means usable at the end, as far as it is ours: the key stays in the database, the master key is at hand,
        // and the certificate lives longer than the workflow (`StartReader::expiry`). A brought one may be revoked later.
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
        let key = request
            .idempotency
            .as_ref()
            .map(|idempotency| start_key(caller.member, &idempotency.key));
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
                let kept = store::idempotency::find(tx, &company, &key, kept_since(now))?;
                Ok::<_, Error>((context, kept, None))
            })?,
        };
        Ok(Asked {
            context: context.ok_or(Error::NotFound(Subject::Company))?,
            kept,
            reserved,
        })
    }

    /// What is kept under a key.
    pub(crate) fn kept_under(&self, caller: &Caller, key: &str, now: Timestamp) -> Result<Option<KeptAnswer>, Error> {
        let (company, key) = (caller.company.clone(), key.to_owned());
        self.store
            .read(move |tx| store::idempotency::find(tx, &company, &key, kept_since(now)).map_err(Error::from))
    }

    /// What the first call under the request's key answered, where there was one.
    pub(crate) fn sent_before(&self, caller: &Caller, request: &StartRequest) -> Result<Option<Started>, Error> {
        let Some(idempotency) = &request.idempotency else {
            return Ok(None);
        };
        let kept = self.start_context(caller, request, self.now(), false)?.kept;
        kept.map(|kept| self.answered_before(&kept, idempotency)).transpose()
    }

    /// That answer, to the same request.
    pub(crate) fn answered_before<T: DeserializeOwned>(
        &self,
        kept: &KeptAnswer,
        idempotency: &Idempotency,
    ) -> Result<T, Error> {
        if idempotency.request_hash != kept.request_hash {
            return Err(Error::fault("Idempotency-Key", FaultCode::IdempotencyKeyReused));
        }
        let answer = self
            .vault
            .decrypt(Purpose::IdempotentAnswer, &kept.answer)
            .map_err(|error| Error::internal("reading a kept answer", error))?;
        serde_json::from_slice(&answer).map_err(|error| Error::internal("reading a kept answer", error))
    }

    fn keep_preview(&self, plan: Plan, now: Timestamp) -> Result<Started, Error> {
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

/// What a start asks before it decides.
struct Asked {
    context: StartContext,
    /// What the first call under the request's key answered.
    kept: Option<KeptAnswer>,
    /// Numbers for the workflow, where they were to be had with it.
    reserved: Option<Reserved>,
}

/// Starts that are proved one after another. What they share is looked up once: a list has thousands of rows, and a storage
/// far away answers each question after many milliseconds.
pub(crate) struct CheckedStarts<'a> {
    app: &'a App,
    caller: &'a Caller,
    now: Timestamp,
    contexts: HashMap<(Option<TemplateId>, Option<String>), Arc<StartContext>>,
    /// The files that starts can use.
    usable: HashSet<BlobHash>,
}

impl CheckedStarts<'_> {
    /// Proves that a start would be taken now.
    pub(crate) fn check(&mut self, request: StartRequest) -> Result<(), Error> {
        let context = self.context(&request)?;
        let reader = StartReader::new(self.app, self.caller, &context, None, self.now, request)?;
        let (plan, ..) = reader.read_all(&Origin::default())?;
        if !self.usable.contains(&plan.document) {
            self.app.prove_usable(self.caller, &context, &plan.document)?;
            self.usable.insert(plan.document);
        }
        Ok(())
    }

    /// What is wrong with what a start says that others complete. What it leaves to them is not missed, and what depends on what
    /// they say is judged with them.
    pub(crate) fn faults_of_shared(&mut self, request: StartRequest) -> Result<Vec<Fault>, Error> {
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

/// Whether a fault is one of what a start says, rather than of what it does not say, or of what its template prescribes.
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

/// Each member's keys are his own.
fn start_key(member: MemberId, key: &str) -> String {
    format!("start {member} {key}")
}

/// Answers that were given at or before then are not kept any more.
pub(crate) fn kept_since(now: Timestamp) -> Timestamp {
    now.checked_sub(SignedDuration::from_hours(KEPT_HOURS))
        .unwrap_or(Timestamp::MIN)
}

enum Stored {
    Now {
        started: StartedWorkflow,
        visitor_sign_url: Option<String>,
    },
    Before(KeptAnswer),
}

impl Plan {
    /// The one transaction. It may run again, so it changes nothing but rows.
    fn store(&self, tx: &mut dyn Transaction, outgoing: &Outgoing, now: Timestamp) -> Result<Stored, Error> {
        let company = &self.workflow.company;
        let key = self
            .idempotency
            .as_ref()
            .map(|idempotency| start_key(self.workflow.sender, &idempotency.key));
        if let Some(key) = &key
            && let Some(kept) = store::idempotency::find(tx, company, key, kept_since(now))?
        {
            return Ok(Stored::Before(kept));
        }
        let mut workflow = self.workflow.clone();
        let (template, template_content) = self.template(tx)?;
        workflow.template = template;
        // A step whose writer the template itself names is not among the request's, and has no number yet.
        let reserved = store::workflow::reserve(tx, workflow.recipients.len(), self.reserved.as_ref())?;
        workflow.id = reserved.workflow;
        for (recipient, id) in workflow.recipients.iter_mut().zip(reserved.recipients) {
            recipient.id = id;
        }
        if let Some(also) = &self.also {
            also.record(tx, company, workflow.id, now)?;
        }
        let genesis = keyed_chain::genesis(company, workflow.id);
        let mut events = vec![EventKind::Started {
            template: workflow.template,
            version: workflow.template_version,
            document: self.document,
            signed_original: self.signed_original,
            recipients: workflow.recipients.iter().map(Recipient::named).collect(),
            terms: Some(Box::new(terms(&workflow, &self.party, &self.checks, template_content))),
        }];
        events.extend(self.values.iter().map(|(field, stored)| EventKind::ValueWritten {
            recipient: None,
            field: field.clone(),
            hash: stored.value.salted_hash(&stored.salt, genesis.head.format),
        }));
        let asked = workflow.opening();
        if !workflow.is_embedded() {
            events.extend(
                asked
                    .iter()
                    .map(|recipient| EventKind::RequestSent { recipient: *recipient }),
            );
        }
        let who = match self.also {
            Some(Also::LinkUse { .. }) => Who::LinkHolder,
            _ => Who::Member(workflow.sender),
        };
        let actor = self.origin.actor(who);
        let events = crate::workflow::transition::events_at(&actor, now, events);
        let (entries, head) = keyed_chain::append(&outgoing.vault, company, workflow.id, &genesis, events);
        let authorization = self.authorization.as_deref();
        let company_name = &self.party.company_name;
        store::workflow::insert(
            tx,
            &workflow,
            company_name,
            authorization,
            &self.fonts,
            &self.checks,
            (&entries, &head),
        )?;
        self.claim.take_over(tx)?;
        for (field, stored) in &self.values {
            store::workflow_value::insert(tx, company, workflow.id, field, stored)?;
            if let Some(file) = stored.value.file() {
                store::workflow::refer_to_blob(tx, company, workflow.id, file.hash)?;
            }
        }
        let codes = workflow
            .recipients
            .iter()
            .zip(&self.checks)
            .filter_map(|(recipient, checks)| Some((recipient.id, checks.access.as_ref()?.hint.clone())))
            .collect();
        for delivery in outgoing.requests(&workflow, &asked, &codes, &self.party, now)? {
            store::outbox::enqueue(tx, &delivery)?;
        }
        let started = answer(&workflow, &outgoing.addresses);
        if let (Some(key), Some(idempotency)) = (&key, &self.idempotency) {
            let text = serde_json::to_vec(&Started::Workflow(started.clone())).unwrap_or_default();
            let kept = KeptAnswer {
                request_hash: idempotency.request_hash,
                answer: outgoing.vault.encrypt(Purpose::IdempotentAnswer, &text),
            };
            store::idempotency::keep(tx, company, key, &kept, now, kept_since(now))?;
        }
        let visitor_sign_url = self
            .visitor()
            .and_then(|place| workflow.recipients.get(place))
            .map(|visitor| outgoing.addresses.sign_url(&workflow, visitor));
        Ok(Stored::Now {
            started,
            visitor_sign_url,
        })
    }

    /// The template; one that is made for this document alone is stored now.
    fn template(&self, tx: &mut dyn Transaction) -> Result<(TemplateId, Option<TemplateContent>), Error> {
        match &self.also {
            Some(Also::OneOff(version, claim)) => {
                let (id, content) = store::template::insert_one_off(tx, version)?;
                claim.take_over(tx)?;
                Ok((id, Some(content)))
            }
            _ => Ok((self.workflow.template, self.template_content)),
        }
    }

    /// The place of a public link's visitor among the writers: of a step with several roles it need not be the first.
    fn visitor(&self) -> Option<usize> {
        match &self.also {
            Some(Also::LinkUse { visitor, .. }) => self.places.get(*visitor).copied().flatten(),
            _ => None,
        }
    }
}

fn answer(workflow: &Workflow, addresses: &Addresses) -> StartedWorkflow {
    let first = workflow.writers_at_turn().next();
    let embedded = workflow.is_embedded();
    let token = match first {
        Some(first) if embedded => addresses.sign_token(first),
        _ => addresses.view_token(workflow, LiveLinks::FIRST, workflow.sender),
    };
    StartedWorkflow {
        workflow_id: workflow.id.get(),
        workflow_name: workflow.name.clone(),
        language: workflow.language.locale().to_owned(),
        next_name: first.map(|first| first.name.clone()).unwrap_or_default(),
        next_email: first
            .map(|first| first.contact.as_given().to_owned())
            .unwrap_or_default(),
        token,
        sign_url: first
            .filter(|_| embedded)
            .map(|first| addresses.sign_url(workflow, first)),
        next_list: webhook::next_list(workflow, addresses),
    }
}

/// Reads a request against company and template, collecting every fault.
struct StartReader<'a> {
    app: &'a App,
    caller: &'a Caller,
    context: &'a StartContext,
    now: Timestamp,
    request: StartRequest,
    template: Option<Arc<StoredVersion>>,
    is_one_off: bool,
    fonts: Arc<document::text::fonts::Fonts>,
    language: Language,
    zone: Zone,
    /// When the company can seal no longer, by the key that it has now.
    seal_ends: Option<Timestamp>,
    faults: Vec<Fault>,
    /// What is no fault of the request's: no worker was free.
    failure: Option<Error>,
}

type Read = (Plan, Vec<Vec<u8>>, bool);

impl<'a> StartReader<'a> {
    fn new(
        app: &'a App,
        caller: &'a Caller,
        context: &'a StartContext,
        one_off: Option<Arc<StoredVersion>>,
        now: Timestamp,
        mut request: StartRequest,
    ) -> Result<StartReader<'a>, Error> {
        let is_one_off = one_off.is_some();
        let template = match (request.template_id, context.template_version) {
            (Some(id), Some(version)) => Some(app.kept_template(&caller.company, id, version)?),
            _ => one_off,
        };
        let faults = std::mem::take(&mut request.faults);
        Ok(StartReader {
            app,
            caller,
            context,
            now,
            request,
            template,
            is_one_off,
            fonts: app.fonts()?,
            language: context.language,
            zone: context.zone,
            seal_ends: app.seal_key_end(&caller.company, context.seal_key)?,
            faults,
            failure: None,
        })
    }

    /// A fault, unless reading found one at the same place already, or so many that nobody reads another.
    fn fault(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(|known| known.path == fault.path) {
            self.faults.push(fault);
        }
    }

    fn refusal(&mut self) -> Error {
        if let Some(failure) = self.failure.take() {
            return failure;
        }
        let mut faults = std::mem::take(&mut self.faults);
        faults.sort_by(|a, b| a.path.cmp(&b.path));
        if faults.is_empty() {
            // The one refusal that is no fault of the request's form.
            return Error::conflict(ConflictCode::Archived);
        }
        Error::Unprocessable(faults)
    }

    fn read_all(mut self, origin: &Origin) -> Result<Read, Error> {
        self.read(origin).ok_or_else(|| self.refusal())
    }

    fn read(&mut self, origin: &Origin) -> Option<Read> {
        let request = self.request.clone();
        if let Some(text) = &request.offset {
            match UtcOffset::parse(text) {
                Some(offset) => self.zone = offset.into(),
                None => self.fault(Fault::new("offset", FaultCode::InvalidOffset)),
            }
        }
        if let Some(language) = self.language_at("language", request.language.as_deref()) {
            self.language = language;
        }
        let name = self.required_line("workflow_name", request.workflow_name.as_deref(), LONGEST_NAME);
        let comment = self.comment(request.comment.as_deref());
        let expires_at = self.expiry(request.expiry_date.as_deref());
        if let Some(fault) = request.idempotency.as_ref().and_then(Idempotency::fault) {
            self.fault(fault);
        }
        let copies = self.copies(&request.cc);
        let template = self.template.clone();
        match (request.template_id, &template) {
            (None, None) => self.fault(Fault::new("template_id", FaultCode::Required)),
            (Some(_), None) => self.fault(Fault::new("template_id", FaultCode::UnknownTemplate)),
            _ => {}
        }
        let template_content = template.as_ref().and_then(|stored| stored.content);
        let template = template.map(|stored| stored.version.clone());
        if let Some(template) = &template {
            self.prove_texts_of_others(template);
        }
        let (recipients, checks, places) = self.recipients(&request.recipients, template.as_ref());
        let (values, files) = self.values(&request.fields, template.as_ref());
        if let Some(template) = &template {
            self.foresee(template, &request.fields, &values);
        }
        let (export, client) = self.export(request.export.as_ref(), template.as_ref());
        let (template, name) = (template?, name?);
        if !self.faults.is_empty() || self.failure.is_some() || self.context.archived {
            return None;
        }
        let authorization = export
            .as_ref()
            .and_then(|export| export.authorization.as_deref())
            .map(|value| self.app.vault.encrypt(Purpose::WebhookAuthorization, value.as_bytes()));
        let workflow = Workflow {
            id: WorkflowId(0),
            company: self.caller.company.clone(),
            name,
            template: template.template,
            template_version: template.version,
            on_reject: template.on_reject,
            language: self.language,
            zone: self.zone,
            sender: self.caller.member,
            client,
            comment,
            started_at: self.now,
            expires_at,
            state: State::Playing { order: 1 },
            recipients,
            copies,
            export,
            first_step_reported: false,
            revision: 0,
        };
        let plan = Plan {
            workflow,
            checks,
            places,
            authorization,
            values,
            document: template.pdf,
            signed_original: template.signed_original,
            template_content,
            origin: origin.clone(),
            idempotency: request.idempotency.clone(),
            party: Party {
                company_name: self.context.company_name.clone(),
                sender_name: self.caller.name.clone(),
                sender_email: self.caller.email.clone(),
                language: self.context.language,
                region: self.context.region,
                link_days: self.context.link_days,
                style: self.context.style.clone(),
                sender_disabled: false,
            },
            also: None,
            claim: FileClaim::of(&self.caller.company),
            fonts: Vec::new(),
            reserved: None,
        };
        Some((plan, files, request.is_preview))
    }

    fn required_line(&mut self, path: &str, text: Option<&str>, longest: usize) -> Option<String> {
        if !text.is_some_and(text::is_visible) {
            self.fault(Fault::new(path, FaultCode::Required));
        }
        self.line(path, text, longest)
    }

    fn line(&mut self, path: &str, text: Option<&str>, longest: usize) -> Option<String> {
        let read = text::line(text?, longest).map(|line| line.map(str::to_owned));
        self.drawable(path, read)
    }

    fn name(&mut self, path: &str, text: Option<&str>) -> Option<String> {
        let read = PersonName::parse(text?).map(|name| name.map(PersonName::into_string));
        self.drawable(path, read)
    }

    fn comment(&mut self, text: Option<&str>) -> Option<String> {
        let read = Comment::parse(text?).map(|comment| comment.map(Comment::into_string));
        self.drawable("comment", read)
    }

    /// A text that was read, where every character of it is in a font.
    fn drawable(&mut self, path: &str, read: Result<Option<String>, TextFault>) -> Option<String> {
        let text = match read {
            Ok(text) => text?,
            Err(refused) => {
                self.fault(crate::base::text::fault(path, refused));
                return None;
            }
        };
        match prove_text(&text, &self.fonts, path) {
            Ok(()) => Some(text),
            Err(fault) => {
                self.fault(fault);
                None
            }
        }
    }

    fn language_at(&mut self, path: &str, text: Option<&str>) -> Option<Language> {
        let text = text?;
        let language = Language::parse(text);
        if language.is_none() {
            self.fault(Fault::new(path, FaultCode::InvalidLanguage));
        }
        language
    }

    fn expiry(&mut self, text: Option<&str>) -> Timestamp {
        let usual_end = self.zone.days_later(self.now, self.context.expiry_days);
        let expires_at = match text {
            None => Some(usual_end),
            Some(text) => match time::parse_local_end(text.trim(), self.zone) {
                None => {
                    self.fault(Fault::new("expiry_date", FaultCode::InvalidDateTime));
                    None
                }
                Some(at) if at <= self.now => {
                    self.fault(Fault::new("expiry_date", FaultCode::PastDateTime));
                    None
                }
                at => at,
            },
        };
        // One that has ended already is no matter of this date: the start is refused as a whole.
        let seal_ends = self.seal_ends.filter(|end| *end >= self.now);
        if let Some(fault) =
            expires_at.and_then(|at| crate::sealing::seal_ends::fault(at, usual_end, seal_ends?, self.zone))
        {
            self.fault(fault);
        }
        expires_at.unwrap_or(self.now)
    }

    fn contact(&mut self, path: &str, text: Option<&str>) -> Option<Contact> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
            self.fault(Fault::new(path, FaultCode::Required));
            return None;
        };
        let contact = Contact::parse(text, self.context.region).ok();
        match &contact {
            None => self.fault(Fault::new(path, FaultCode::InvalidContact)),
            Some(contact) => self.prove_text(contact.as_given(), path),
        }
        contact
    }

    /// Every text that comes on the document or its certificate is one that a font has.
    fn prove_text(&mut self, text: &str, path: &str) {
        if let Err(fault) = prove_text(text, &self.fonts, path) {
            self.fault(fault);
        }
    }

    /// What the company, its member and the template bring along to the certificate: earlier versions took every text.
    fn prove_texts_of_others(&mut self, template: &TemplateVersion) {
        let (company, sender) = (self.context.company_name.clone(), self.caller.name.clone());
        let roles = template.steps.iter().filter_map(|step| step.role.as_deref());
        let attached = template
            .named_fields()
            .filter(|field| field.kind == FieldKind::Attachment);
        let own = roles
            .chain(attached.map(Field::shown_name))
            .chain([template.name.as_str()]);
        for text in own {
            self.prove_text(text, "template_id");
        }
        for text in [company, sender] {
            self.prove_text(&text, "");
        }
    }

    fn copies(&mut self, copies: &[StartCopy]) -> Vec<CopyRecipient> {
        if copies.len() > MOST_COPIES {
            self.fault(Fault::new("cc_list", FaultCode::TooMany).with("max", MOST_COPIES));
        }
        let mut read = Vec::new();
        for (index, copy) in copies.iter().take(MOST_COPIES).enumerate() {
            let path = format!("cc_list[{index}]");
            let name = self.name(&format!("{path}.name"), copy.name.as_deref());
            let contact = self.contact(&format!("{path}.email"), copy.email.as_deref());
            if let Some(contact) = contact {
                let name = name.unwrap_or_else(|| contact.as_given().to_owned());
                read.push(CopyRecipient { name, contact });
            }
        }
        read
    }

    /// Puts each recipient into the place of the template that is his, and says which it is.
    fn recipients(
        &mut self,
        given: &[StartRecipient],
        template: Option<&TemplateVersion>,
    ) -> (Vec<Recipient>, Vec<Checks>, Vec<Option<usize>>) {
        let mut read = Vec::new();
        for (index, recipient) in given.iter().enumerate() {
            read.push(self.recipient(index, recipient));
        }
        let Some(template) = template else {
            if given.is_empty() {
                self.fault(Fault::new("recipient_list", FaultCode::Required));
            }
            return (Vec::new(), Vec::new(), Vec::new());
        };
        if given.is_empty() && template.steps.iter().any(|step| step.writer.is_none()) {
            self.fault(Fault::new("recipient_list", FaultCode::Required));
            return (Vec::new(), Vec::new(), Vec::new());
        }
        // Those who name their role first, then the others in list order.
        let mut place_of: Vec<Option<usize>> = vec![None; given.len()];
        let mut taken = BTreeSet::new();
        for named in [true, false] {
            for (index, recipient) in given.iter().enumerate() {
                let role = recipient.role.as_deref().map(str::trim).filter(|role| !role.is_empty());
                let Some(order) = recipient.order.filter(|_| role.is_some() == named) else {
                    continue;
                };
                let path = format!("recipient_list[{index}]");
                if !template.steps.iter().any(|step| step.order == order) {
                    self.fault(Fault::new(format!("{path}.order"), FaultCode::UnknownStep).with("order", order));
                    continue;
                }
                let place = template.steps.iter().enumerate().find(|(place, step)| {
                    step.order == order
                        && !taken.contains(place)
                        && role.is_none_or(|role| step.role.as_deref() == Some(role))
                });
                match place {
                    Some((place, _)) => {
                        taken.insert(place);
                        if let Some(slot) = place_of.get_mut(index) {
                            *slot = Some(place);
                        }
                    }
                    None if role
                        .is_some_and(|role| !template.places(order).any(|step| step.role.as_deref() == Some(role))) =>
                    {
                        self.fault(Fault::new(format!("{path}.role"), FaultCode::UnknownStep).with("order", order));
                    }
                    None => self.fault(Fault::new(path, FaultCode::TooManyRecipients).with("order", order)),
                }
            }
        }
        let mut recipients = Vec::new();
        let mut checks = Vec::new();
        let highest = given.iter().filter_map(|recipient| recipient.order).max().unwrap_or(0);
        let mut place_in_step: BTreeMap<u32, u32> = BTreeMap::new();
        for (place, step) in template.steps.iter().enumerate() {
            let number = place_in_step.entry(step.order).or_default();
            *number += 1;
            let number = *number;
            let found = place_of.iter().position(|taken| *taken == Some(place));
            let person = match (found, &step.writer) {
                (Some(index), _) => read.get_mut(index).and_then(Option::take),
                (None, Some(writer)) => {
                    let contact = Contact::parse(&writer.email, self.context.region).ok();
                    if contact.is_none() {
                        self.fault(Fault::new("template_id", FaultCode::InvalidContact));
                    }
                    contact.map(|contact| Person {
                        name: writer.name.clone(),
                        contact,
                        language: None,
                        mobile: None,
                        checks: Checks::default(),
                    })
                }
                (None, None) => {
                    // Somebody whose place could not be read may be the one that is missed.
                    let unplaced = self.faults.iter().any(|fault| match fault.path.rsplit_once("].") {
                        Some((_, "role")) => fault.path.starts_with("recipient_list["),
                        Some((_, "order")) => fault.code != FaultCode::UnknownStep,
                        _ => false,
                    });
                    let code = if step.order < highest {
                        FaultCode::OrderGap
                    } else {
                        FaultCode::MissingRecipient
                    };
                    if !unplaced {
                        // One fault a step: the list as a whole is what lacks something.
                        self.fault(Fault::new("recipient_list", code).with("order", step.order));
                    }
                    None
                }
            };
            if let Some(person) = person {
                let recipient = Recipient {
                    id: RecipientId(0),
                    order: step.order,
                    place: number,
                    role: step.role.clone(),
                    name: person.name,
                    contact: person.contact,
                    mobile: person.mobile,
                    language: person.language,
                    link_version: 1,
                    progress: Progress::Waiting,
                };
                self.prove_writer(template, &recipient, found);
                let one_time_code = person.checks.one_time_code || step.one_time_code;
                if one_time_code && !self.app.code_reaches(&recipient, self.context.region) {
                    let path = found.map_or("template_id".to_owned(), |index| {
                        format!("recipient_list[{index}].one_time_code")
                    });
                    self.fault(Fault::new(path, FaultCode::OneTimeCodeUnreachable));
                }
                recipients.push(recipient);
                checks.push(Checks {
                    one_time_code,
                    ..person.checks
                });
            }
        }
        (recipients, checks, place_of)
    }

    /// Proves that what the template prescribes, and what will be calculated from the numbers given here, can be stamped.
    fn foresee(&mut self, template: &TemplateVersion, given: &[GivenField], values: &[(String, StoredValue)]) {
        // A version that was made just now has just been proved, in every language, and has no id yet by which to remember it.
        if !self.is_one_off {
            for fault in self.app.unstampable(template, self.language, &self.fonts) {
                self.fault(fault);
            }
        }
        for stuck in stuck_from_start(template, values, self.language, &self.fonts) {
            let is_input = |entry: &GivenField| entry.name.as_ref().is_some_and(|name| stuck.numbers.contains(name));
            let path = given.iter().position(is_input).map_or_else(
                || "template_id".to_owned(),
                |index| format!("field_list[{index}].value"),
            );
            self.fault(stuck.fault(path));
        }
    }

    /// Proves that the writer's own fields can take what is known of him.
    fn prove_writer(&mut self, template: &TemplateVersion, recipient: &Recipient, index: Option<usize>) {
        let path_of = |detail| match (index, detail) {
            (None, _) | (_, WriterDetail::Company) => "template_id".to_owned(),
            (Some(index), WriterDetail::Name) => format!("recipient_list[{index}].name"),
            (Some(index), WriterDetail::Phone) if recipient.contact.phone().is_none() => {
                format!("recipient_list[{index}].mobile")
            }
            (Some(index), WriterDetail::Email | WriterDetail::Phone) => format!("recipient_list[{index}].email"),
        };
        let company_name = &self.context.company_name;
        for fault in prove_writer(template, recipient, company_name, self.language, &self.fonts, path_of) {
            self.fault(fault);
        }
    }

    fn recipient(&mut self, index: usize, given: &StartRecipient) -> Option<Person> {
        let path = format!("recipient_list[{index}]");
        if given.order.is_none_or(|order| order == 0) {
            self.fault(Fault::new(format!("{path}.order"), FaultCode::Required));
        }
        if !given.name.as_deref().is_some_and(text::is_visible) {
            self.fault(Fault::new(format!("{path}.name"), FaultCode::Required));
        }
        let name = self.name(&format!("{path}.name"), given.name.as_deref());
        let contact = self.contact(&format!("{path}.email"), given.email.as_deref());
        let language = self.language_at(&format!("{path}.language"), given.language.as_deref());
        let mobile = given
            .mobile
            .as_deref()
            .map(str::trim)
            .filter(|mobile| !mobile.is_empty());
        if let Some(mobile) = mobile
            && !matches!(Contact::parse(mobile, self.context.region), Ok(Contact::Phone { .. }))
        {
            self.fault(Fault::new(format!("{path}.mobile"), FaultCode::InvalidPhone));
        }
        let hint = self.line(
            &format!("{path}.password_hint"),
            given.password_hint.as_deref(),
            LONGEST_HINT,
        );
        let mut access = None;
        if let Some(code) = given.password.as_deref().filter(|code| !code.is_empty()) {
            let length = code.chars().count();
            let path = format!("{path}.password");
            if length < SHORTEST_CODE {
                self.fault(Fault::new(path, FaultCode::TooShort).with("min", SHORTEST_CODE));
            } else if length > LONGEST_CODE {
                self.fault(Fault::new(path, FaultCode::TooLong).with("max", LONGEST_CODE));
            } else if code.chars().any(char::is_control) {
                self.fault(Fault::new(path, FaultCode::ControlCharacter));
            } else {
                access = Some(self.app.new_access_code(code, hint));
            }
        }
        Some(Person {
            name: name?,
            contact: contact?,
            language,
            mobile: mobile.map(str::to_owned),
            checks: Checks {
                access,
                one_time_code: given.one_time_code == Some(true),
            },
        })
    }

    /// The given values and the template's defaults.
    fn values(
        &mut self,
        given: &[GivenField],
        template: Option<&TemplateVersion>,
    ) -> (Vec<(String, StoredValue)>, Vec<Vec<u8>>) {
        let mut values: BTreeMap<String, NewValue> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let Some(template) = template else {
            return (Vec::new(), Vec::new());
        };
        for (index, entry) in given.iter().enumerate() {
            let path = format!("field_list[{index}]");
            let Some(name) = entry.name.as_deref() else {
                self.fault(Fault::new(format!("{path}.name"), FaultCode::Required));
                continue;
            };
            let Some(field) = template.field(name) else {
                self.fault(Fault::new(format!("{path}.name"), FaultCode::UnknownField).with("name", name));
                continue;
            };
            if !seen.insert(name.to_owned()) {
                self.fault(Fault::new(format!("{path}.name"), FaultCode::Duplicate).with("name", name));
                continue;
            }
            if field.is_fixed_text() {
                self.fault(Fault::new(format!("{path}.name"), FaultCode::FieldNotWritable).with("name", name));
                continue;
            }
            let path = format!("{path}.value");
            let text = entry.value.as_deref().unwrap_or_default();
            match NewValue::read(field, text) {
                Err(fault) => self.fault(value_fault(path, field, &fault)),
                Ok(NewValue::Nothing) => {}
                Ok(value) => match self.proved(template, field, value, &path) {
                    Ok(Ok(value)) => {
                        values.insert(name.to_owned(), value);
                    }
                    Ok(Err(fault)) => self.fault(fault),
                    // One that failed is enough: the others are not tried.
                    Err(failure) => {
                        self.failure = Some(failure);
                        return (Vec::new(), Vec::new());
                    }
                },
            }
        }
        for field in template.named_fields() {
            let default = template
                .fields
                .iter()
                .filter(|other| other.name == field.name)
                .find_map(|other| other.default.as_deref());
            let Some(default) = default.filter(|_| !seen.contains(&field.name)) else {
                continue;
            };
            // The template's import has read it once already; what it refuses now would be our own fault.
            if let Ok(value @ NewValue::Plain(_)) = NewValue::read(field, default) {
                if let Err(fault) = prove(template, field, &value, self.language, &self.fonts, "template_id") {
                    self.fault(fault);
                }
                values.insert(field.name.clone(), value);
            }
        }
        let given_files: BTreeMap<&str, FileValue> = values
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.value()?.file()?.clone())))
            .collect();
        let embedded = EmbeddedFiles::of(template, |name| given_files.get(name));
        let path_of = |name: &str| {
            let index = given.iter().position(|entry| entry.name.as_deref() == Some(name));
            format!("field_list[{}].value", index.unwrap_or_default())
        };
        if let Some(fault) = embedded.fault(given_files.keys().copied(), path_of) {
            self.fault(fault);
        }
        let mut stored = Vec::new();
        let mut files = Vec::new();
        for field in template.named_fields() {
            let Some(new) = values.remove(&field.name) else {
                if field.kind == FieldKind::Label && field.required {
                    let fault = Fault::new(format!("field_list.{}", field.name), FaultCode::FieldRequired);
                    self.fault(fault.with("name", &field.name));
                }
                continue;
            };
            let Some(value) = new.value() else { continue };
            let mut salt = vec![0; 16];
            self.app.random.fill(&mut salt);
            stored.push((
                field.name.clone(),
                StoredValue {
                    recipient: None,
                    value,
                    salt,
                    written_at: self.now,
                },
            ));
            if let NewValue::File { bytes, .. } = new {
                files.push(bytes);
            }
        }
        (stored, files)
    }

    /// A value as it is kept, or what is wrong with it.
    fn proved(
        &self,
        template: &TemplateVersion,
        field: &Field,
        value: NewValue,
        path: &str,
    ) -> Result<Result<NewValue, Fault>, Error> {
        let requester = Requester::Company(self.caller.company.clone());
        let judged = self.app.judged(&requester, template, field, value, path)?;
        Ok(judged.and_then(|value| prove(template, field, &value, self.language, &self.fonts, path).map(|()| value)))
    }

    fn export(
        &mut self,
        given: Option<&StartExport>,
        template: Option<&TemplateVersion>,
    ) -> (Option<ExportSettings>, ClientId) {
        let default = self.context.default_client;
        let Some(given) = given else {
            return (None, default);
        };
        let mut client = default;
        if let Some(text) = given.client_id.as_deref().filter(|text| !text.trim().is_empty()) {
            match ClientId::parse(text).filter(|_| self.context.named_client_known) {
                Some(named) => client = named,
                None => self.fault(Fault::new("export_api_info.client_id", FaultCode::UnknownClient)),
            }
        }
        let url = match given.url.as_deref().filter(|url| !url.is_empty()) {
            None => {
                self.fault(Fault::new("export_api_info.url", FaultCode::Required));
                None
            }
            Some(text) => match CallbackUrl::parse(text, &self.app.settings.webhook) {
                Ok(url) => Some(url),
                Err(fault) => {
                    self.fault(callback_fault("export_api_info.url", &fault));
                    None
                }
            },
        };
        let api_type = match given.api_type.as_deref() {
            None => {
                self.fault(Fault::new("export_api_info.api_type", FaultCode::Required));
                None
            }
            Some(text) => {
                let api_type = ApiType::parse(text);
                if api_type.is_none() {
                    self.fault(
                        Fault::new("export_api_info.api_type", FaultCode::NotAllowed)
                            .with("allowed", "ALL, StartAndEnd"),
                    );
                }
                api_type
            }
        };
        if given.is_embed.is_none() {
            self.fault(Fault::new("export_api_info.is_embed", FaultCode::Required));
        }
        let link_type = match given.link_type.as_deref().filter(|text| !text.is_empty()) {
            None => LinkType::default(),
            Some(text) => LinkType::parse(text).unwrap_or_else(|| {
                self.fault(
                    Fault::new("export_api_info.link_type", FaultCode::NotAllowed).with("allowed", "viewer, download"),
                );
                LinkType::default()
            }),
        };
        let authorization = given.authorization.as_deref().filter(|value| !value.is_empty());
        if let Some(fault) = authorization.and_then(|value| authorization_fault("export_api_info.authorization", value))
        {
            self.fault(fault);
        }
        let field_names = self.field_names(&given.field_names, template);
        let settings = match (url, api_type, given.is_embed) {
            (Some(url), Some(api_type), Some(is_embed)) => Some(ExportSettings {
                url: url.as_str().to_owned(),
                api_type,
                is_embed,
                link_type,
                authorization: authorization.map(str::to_owned),
                field_names,
            }),
            _ => None,
        };
        (settings, client)
    }

    fn field_names(&mut self, given: &[StartFieldName], template: Option<&TemplateVersion>) -> Vec<FieldName> {
        let Some(template) = template else {
            return Vec::new();
        };
        let mut read: Vec<(usize, FieldName)> = Vec::new();
        for (index, entry) in given.iter().enumerate() {
            let path = format!("export_api_info.field_names[{index}]");
            let old = entry.field_name.as_deref().filter(|name| !name.is_empty());
            let new = entry.new_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
            match old {
                None => self.fault(Fault::new(format!("{path}.field_name"), FaultCode::Required)),
                Some(name) if template.field(name).is_none() => {
                    self.fault(Fault::new(format!("{path}.field_name"), FaultCode::UnknownField).with("name", name));
                }
                Some(name) if read.iter().any(|(_, known)| known.field_name == name) => {
                    self.fault(Fault::new(format!("{path}.field_name"), FaultCode::Duplicate).with("name", name));
                }
                Some(_) => {}
            }
            match new {
                None => self.fault(Fault::new(format!("{path}.new_name"), FaultCode::Required)),
                Some(name) if name.chars().count() > LONGEST_NAME => {
                    self.fault(Fault::new(format!("{path}.new_name"), FaultCode::TooLong).with("max", LONGEST_NAME));
                }
                Some(name) if name.chars().any(char::is_control) => {
                    self.fault(Fault::new(format!("{path}.new_name"), FaultCode::ControlCharacter));
                }
                Some(_) => {}
            }
            if let (Some(old), Some(new)) = (old, new) {
                read.push((
                    index,
                    FieldName {
                        field_name: old.to_owned(),
                        new_name: new.to_owned(),
                    },
                ));
            }
        }
        for (index, entry) in &read {
            let collides = read
                .iter()
                .any(|(other, known)| other != index && known.new_name == entry.new_name)
                || template.named_fields().any(|field| {
                    field.name == entry.new_name && !read.iter().any(|(_, known)| known.field_name == field.name)
                });
            if collides {
                let path = format!("export_api_info.field_names[{index}].new_name");
                self.fault(Fault::new(path, FaultCode::NameCollision).with("name", &entry.new_name));
            }
        }
        read.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// A writer whose person was found good.
struct Person {
    name: String,
    contact: Contact,
    language: Option<Language>,
    mobile: Option<String>,
    checks: Checks,
}
