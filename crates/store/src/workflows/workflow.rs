//! Workflows, their writers and their sealed documents.
//!
//! [`load`] brings a workflow as the domain knows it, with what surrounds it; [`update`] writes it back over the revision
//! that was read, so of two that decide at the same moment one wins and the other is told. Whoever writes, appends to the
//! chain in the same statement's row: a state without its proof cannot be.

use domain::{
    BlobHash, ClientId, CompanyId, Contact, Entry, ExportSettings, KeyedHead, Language, Links, MemberId, OnReject,
    Progress, ProvedContact, Recipient, RecipientId, Region, State, Status, TemplateId, Workflow, WorkflowId, Zone,
};
use jiff::Timestamp;

use crate::base::transaction::at_most_one;
use crate::chain::held_workflow::head_sequence;
use crate::companies::company::{Style, style};
use crate::sql::workflow as sql;
use crate::{Error, HeldWorkflow, Numbers, Row, Transaction, values};

/// A workflow with what surrounds it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredWorkflow {
    /// The workflow. The export's authorization value is not in it, but beside it.
    pub workflow: Workflow,
    /// The webhooks' Authorization value, encrypted by the vault.
    pub authorization: Option<Vec<u8>>,
    /// Where its chain ends.
    pub head: KeyedHead,
    /// The last words: of the writer who rejected, or of whoever cancelled.
    pub end_comment: Option<String>,
    /// The company's name as the writers' fields show it: the present one may not fit there.
    pub company_name: String,
    /// The links to its files and the sender's view.
    pub links: Links,
    /// Since when it is hidden.
    pub discarded_at: Option<Timestamp>,
    /// The fonts that it was started with, besides those of the program; none if an earlier version started it.
    pub added_fonts: Option<Vec<BlobHash>>,
    /// What surrounds each recipient, in the recipients' order.
    pub writers: Vec<Writer>,
}

/// What surrounds a recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// The recipient.
    pub id: RecipientId,
    /// The words that came with his approval or rejection.
    pub comment: Option<String>,
    /// His access code, where the sender gave one.
    pub access: Option<AccessCode>,
    /// Wrong codes since the last right one.
    pub access_failures: u32,
    /// When he gave the right code.
    pub access_at: Option<Timestamp>,
    /// When he first saw the document.
    pub viewed_at: Option<Timestamp>,
    /// When he agreed to sign electronically.
    pub consented_at: Option<Timestamp>,
    /// Must he give a code that is sent to his own address?
    pub asks_one_time_code: bool,
    /// The newest code that was sent to him.
    pub one_time_code: Option<OneTimeCode>,
    /// Wrong tries of it.
    pub one_time_failures: u32,
}

/// How it is made sure who opens the document, besides the link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// By a code that the sender gave.
    pub access: Option<AccessCode>,
    /// By a code that is sent to the writer's own address.
    pub one_time_code: bool,
}

/// A one-time code, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneTimeCode {
    /// Makes equal codes differ.
    pub salt: Vec<u8>,
    /// An authentication code of salt and code.
    pub code: Vec<u8>,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// When it was entered: once.
    pub used_at: Option<Timestamp>,
    /// The hash of what the form contained in which it was entered.
    pub used_by: Option<Vec<u8>>,
}

/// An access code, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessCode {
    /// Makes equal codes differ.
    pub salt: Vec<u8>,
    /// An authentication code of salt and code.
    pub code: Vec<u8>,
    /// The sender's hint.
    pub hint: Option<String>,
}

impl Writer {
    /// Whether the recipient has to enter a code, whichever it is, before they see anything.
    pub fn must_enter_code(&self) -> bool {
        self.access.is_some() || self.asks_one_time_code
    }
}

impl StoredWorkflow {
    /// What surrounds a recipient.
    pub fn writer(&self, id: RecipientId) -> Option<&Writer> {
        self.writers.iter().find(|writer| writer.id == id)
    }
}

/// What a start needs to know of its company, template and client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartContext {
    /// The company's name.
    pub company_name: String,
    /// Its language.
    pub language: Language,
    /// Its time zone.
    pub zone: Zone,
    /// Where its national telephone numbers are at home.
    pub region: Region,
    /// How many days a workflow may take.
    pub expiry_days: i64,
    /// How many days links to finished files live.
    pub link_days: i64,
    /// How the company shows itself.
    pub style: Style,
    /// The API client that webhooks name where the start names none.
    pub default_client: ClientId,
    /// Is the named client the company's?
    pub named_client_known: bool,
    /// The template's version for new workflows; none where the company has no such template.
    pub template_version: Option<u32>,
    /// Is the template archived?
    pub archived: bool,
    /// The row of the seal key that the company uses.
    pub seal_key: Option<i64>,
}

/// Reads what a start needs to know; `None` without such a company.
pub fn start_context(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    template: TemplateId,
    client: Option<ClientId>,
) -> Result<Option<StartContext>, Error> {
    let row = tx.query_optional(&sql::START_CONTEXT, values![company, template, client])?;
    row.as_ref().map(read_start_context).transpose()
}

/// The same, with [numbers](reserve) for a workflow of so many writers where they are to be had now.
pub fn start_context_with_numbers(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    template: TemplateId,
    client: Option<ClientId>,
    recipients: usize,
) -> Result<(Option<StartContext>, Option<Reserved>), Error> {
    let question = values![company, template, client];
    let (rows, numbers) = tx.query_with_numbers(&sql::START_CONTEXT, question, &sql::RESERVE, parts(recipients))?;
    let row = at_most_one(&sql::START_CONTEXT, rows)?;
    let context = row.as_ref().map(read_start_context).transpose()?;
    Ok((context, numbers.map(Reserved::from)))
}

fn read_start_context(row: &Row) -> Result<StartContext, Error> {
    Ok(StartContext {
        company_name: row.get("name")?,
        language: row.get("language")?,
        zone: row.get("time_zone")?,
        region: row.get("region")?,
        expiry_days: row.get("expiry_days")?,
        link_days: row.get("link_days")?,
        style: style(row)?,
        default_client: row.get("default_client")?,
        named_client_known: row.get::<Option<String>>("named_client")?.is_some(),
        template_version: row.get("current_version")?,
        archived: row.get::<Option<Timestamp>>("archived_at")?.is_some(),
        seal_key: row.get("seal_key")?,
    })
}

/// Who sends, as letters and certificates name him.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// The company's name.
    pub company_name: String,
    /// The company's language, and so the sender's.
    pub language: Language,
    /// Where its national telephone numbers are at home.
    pub region: Region,
    /// How many days links to finished files live.
    pub link_days: i64,
    /// How the company shows itself.
    pub style: Style,
    /// The sender's name.
    pub sender_name: String,
    /// The sender's e-mail address.
    pub sender_email: String,
    /// The sender's account was disabled.
    pub sender_disabled: bool,
}

/// Who sends the company's workflow.
pub fn party(tx: &mut dyn Transaction, company: &CompanyId, sender: MemberId) -> Result<Party, Error> {
    let row = tx.query_one(&sql::PARTY, values![company, sender])?;
    Ok(Party {
        company_name: row.get("name")?,
        language: row.get("language")?,
        region: row.get("region")?,
        link_days: row.get("link_days")?,
        style: style(&row)?,
        sender_name: row.get("sender_name")?,
        sender_email: row.get("sender_email")?,
        sender_disabled: row.get::<Option<Timestamp>>("sender_disabled_at")?.is_some(),
    })
}

/// Numbers that were given out for a workflow and its writers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// The workflow's.
    pub workflow: WorkflowId,
    /// The writers'.
    pub recipients: Vec<RecipientId>,
}

impl From<Numbers> for Reserved {
    fn from(numbers: Numbers) -> Self {
        Reserved {
            workflow: WorkflowId(numbers.whole),
            recipients: numbers.parts.into_iter().map(RecipientId).collect(),
        }
    }
}

/// Gives out numbers for a workflow that is about to be inserted and for so many writers of it, but for those that are
/// given out already.
pub fn reserve(tx: &mut dyn Transaction, recipients: usize, given: Option<&Reserved>) -> Result<Reserved, Error> {
    let Some(given) = given else {
        return Ok(tx.numbers(&sql::RESERVE, parts(recipients))?.into());
    };
    let mut reserved = given.clone();
    let missing = recipients.saturating_sub(reserved.recipients.len());
    if missing > 0 {
        let mut more: Vec<RecipientId> = tx
            .query(&sql::RESERVE, values![0, parts(missing)])?
            .iter()
            .map(|row| row.get("id"))
            .collect::<Result<_, _>>()?;
        more.sort_unstable();
        reserved.recipients.append(&mut more);
    }
    Ok(reserved)
}

fn parts(recipients: usize) -> i64 {
    i64::try_from(recipients).unwrap_or(i64::MAX)
}

/// Adds a workflow, whose numbers were [reserved](reserve), with the company's name that its writers' fields show, its
/// writers, how each of them is checked, and the first entries of its chain.
pub fn insert(
    tx: &mut dyn Transaction,
    workflow: &Workflow,
    company_name: &str,
    authorization: Option<&[u8]>,
    added_fonts: &[BlobHash],
    checks: &[Checks],
    (entries, head): (&[Entry], &KeyedHead),
) -> Result<(), Error> {
    let export = workflow
        .export
        .as_ref()
        .map(|export| json(&sql::INSERT, 12, export))
        .transpose()?;
    let copies = json(&sql::INSERT, 11, &workflow.copies)?;
    tx.execute_later(
        &sql::INSERT,
        values![
            &workflow.company,
            &workflow.name,
            workflow.template,
            workflow.template_version,
            on_reject_word(workflow.on_reject),
            workflow.language,
            workflow.zone,
            workflow.sender,
            workflow.client,
            workflow.comment.as_deref(),
            copies,
            export,
            authorization,
            workflow.is_embedded(),
            workflow.started_at,
            workflow.expires_at,
            head.head.hash,
            head_sequence(head.head),
            workflow.id,
            company_name,
            i64::from(head.head.format.number()),
            head.code.clone(),
            font_list(added_fonts),
        ],
    )?;
    for hash in added_fonts {
        refer_to_blob(tx, &workflow.company, workflow.id, *hash)?;
    }
    for (recipient, checks) in workflow.recipients.iter().zip(checks) {
        insert_recipient(tx, &workflow.company, workflow.id, recipient, checks)?;
    }
    crate::chain::audit::insert(tx, &workflow.company, workflow.id, entries)
}

fn font_list(hashes: &[BlobHash]) -> String {
    let each: Vec<String> = hashes.iter().map(BlobHash::to_string).collect();
    each.join(" ")
}

fn fonts_in(list: &str) -> Vec<BlobHash> {
    list.split_whitespace().filter_map(BlobHash::parse).collect()
}

fn insert_recipient(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    recipient: &Recipient,
    checks: &Checks,
) -> Result<(), Error> {
    let access = checks.access.as_ref();
    tx.execute_later(
        &sql::INSERT_RECIPIENT,
        values![
            company,
            workflow,
            recipient.order,
            recipient.place,
            recipient.role.as_deref(),
            &recipient.name,
            recipient.contact.as_given(),
            recipient.contact.phone(),
            recipient.mobile.as_deref(),
            recipient.language,
            recipient.link_version,
            access.map(|access| access.salt.clone()),
            access.map(|access| access.code.clone()),
            access.and_then(|access| access.hint.as_deref()),
            recipient.contact.key(),
            checks.one_time_code,
            recipient.id,
        ],
    )
}

/// Loads a workflow of the company.
pub fn load(tx: &mut dyn Transaction, company: &CompanyId, id: WorkflowId) -> Result<Option<StoredWorkflow>, Error> {
    let Some(row) = tx.query_optional(&sql::LOAD, values![company, id])? else {
        return Ok(None);
    };
    let rows = tx.query(&sql::LOAD_RECIPIENTS, values![company, id])?;
    let mut recipients = Vec::with_capacity(rows.len());
    let mut writers = Vec::with_capacity(rows.len());
    for row in &rows {
        recipients.push(recipient(row)?);
        writers.push(writer(row)?);
    }
    let workflow = Workflow {
        id: row.get("id")?,
        company: row.get("company_id")?,
        name: row.get("name")?,
        template: row.get("template_id")?,
        template_version: row.get("template_version")?,
        on_reject: row.parse("on_reject", read_on_reject)?,
        language: row.get("language")?,
        zone: row.get("time_zone")?,
        sender: row.get::<MemberId>("sender_id")?,
        client: row.get::<ClientId>("client_id")?,
        comment: row.get("comment")?,
        started_at: row.get("started_at")?,
        expires_at: row.get("expires_at")?,
        state: state(&row)?,
        recipients,
        copies: row.parse("cc_list", |text| serde_json::from_str(text))?,
        export: match row.get::<Option<String>>("export_settings")? {
            None => None,
            Some(_) => Some(row.parse("export_settings", |text| serde_json::from_str::<ExportSettings>(text))?),
        },
        first_step_reported: row.get("first_step_reported")?,
        revision: row.get("revision")?,
    };
    Ok(Some(StoredWorkflow {
        workflow,
        authorization: row.get("export_authorization")?,
        head: crate::chain::audit::head(&row)?,
        end_comment: row.get("end_comment")?,
        company_name: row.get("company_name")?,
        links: Links::new(
            row.get("link_version")?,
            row.get("links_revoked_at")?,
            row.get("links_renewed_at")?,
        ),
        discarded_at: row.get("discarded_at")?,
        added_fonts: row.get::<Option<String>>("added_fonts")?.as_deref().map(fonts_in),
        writers,
    }))
}

/// Whose workflow the recipient of a link belongs to. The link is the authority here.
pub fn of_recipient(tx: &mut dyn Transaction, id: RecipientId) -> Result<Option<(CompanyId, WorkflowId)>, Error> {
    tx.query_optional(&sql::OF_RECIPIENT, values![id])?
        .map(|row| Ok((row.get("company_id")?, row.get("workflow_id")?)))
        .transpose()
}

/// Whose the workflow of a link is. The link is the authority here.
pub fn company_of(tx: &mut dyn Transaction, id: WorkflowId) -> Result<Option<CompanyId>, Error> {
    tx.query_optional(&sql::COMPANY_OF, values![id])?
        .map(|row| row.get("company_id"))
        .transpose()
}

/// Writes the workflow after a transition or change, with the chain's new entries and their head, and the recipients that
/// differ, and answers the workflow, which is held from then on; none where another write came first. Somebody new in a recipient's place begins afresh: this is the only
/// statement that names anybody, so nothing that the earlier person did or wrote can be left to them.
pub fn update<'t>(
    tx: &'t mut dyn Transaction,
    before: &StoredWorkflow,
    after: &Workflow,
    (entries, head): (&[Entry], &KeyedHead),
    end_comment: Option<&str>,
    acting: Option<(RecipientId, Option<&str>)>,
    at: Timestamp,
) -> Result<Option<HeldWorkflow<'t>>, Error> {
    let (turn, ended_by) = match after.state {
        State::Playing { order } | State::Canceled { order, .. } | State::Expired { order, .. } => (order, None),
        State::Complete { .. } => (after.last_order(), None),
        State::Rejected { order, recipient, .. } => (order, Some(recipient)),
    };
    let written = tx.execute(
        &sql::UPDATE,
        values![
            &after.company,
            after.id,
            before.workflow.revision,
            after.expires_at,
            after.state.status().code(),
            turn,
            after.state.ended_at(),
            ended_by,
            end_comment.or(before.end_comment.as_deref()),
            after.first_step_reported,
            head_sequence(head.head),
            head.head.hash,
            after.revision,
            head_sequence(before.head.head),
            head.code.clone(),
        ],
    )?;
    if written != 1 {
        return Ok(None);
    }
    let mut locked = HeldWorkflow::changed(tx, head.clone());
    crate::chain::audit::insert(&mut locked, &after.company, after.id, entries)?;
    for recipient in &after.recipients {
        let old = before.workflow.recipient(recipient.id);
        let is_replaced = old.is_some_and(|old| recipient.replaces(old));
        let old_comment = before.writer(recipient.id).and_then(|writer| writer.comment.as_deref());
        let comment = match acting {
            Some((id, comment)) if id == recipient.id => comment,
            _ if is_replaced => None,
            _ => old_comment,
        };
        if old == Some(recipient) && comment == old_comment {
            continue;
        }
        let (progress, progressed_at) = match recipient.progress {
            Progress::Waiting => ("waiting", None),
            Progress::Approved { at } => ("approved", Some(at)),
            Progress::Rejected { at } => ("rejected", Some(at)),
        };
        locked.execute_one(
            &sql::UPDATE_RECIPIENT,
            values![
                &after.company,
                after.id,
                recipient.id,
                &recipient.name,
                recipient.contact.as_given(),
                recipient.contact.phone(),
                recipient.link_version,
                progress,
                progressed_at,
                comment,
                recipient.contact.key(),
                recipient.mobile.as_deref(),
            ],
        )?;
        if is_replaced || old.is_some_and(|old| old.link_version != recipient.link_version) {
            locked.execute_one(&sql::RESET_ACCESS, values![&after.company, after.id, recipient.id])?;
        }
        if is_replaced {
            crate::workflows::workflow_value::delete_draft(&mut locked, &after.company, recipient.id, at)?;
        }
    }
    Ok(Some(locked))
}

/// Counts a wrong access code.
pub fn count_access_failure(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: RecipientId) -> Result<(), Error> {
    held.execute_one(&sql::COUNT_ACCESS_FAILURE, values![company, id])
}

/// Keeps that the right access code was given.
pub fn set_access(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<(), Error> {
    held.execute_one(&sql::SET_ACCESS, values![company, id, at])
}

/// Keeps the code that is sent; the one before is dead.
pub fn set_one_time_code(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    code: &OneTimeCode,
) -> Result<(), Error> {
    held.execute_one(
        &sql::SET_ONE_TIME_CODE,
        values![company, id, code.salt.as_slice(), code.code.as_slice(), code.sent_at],
    )
}

/// Counts a wrong one-time code.
pub fn count_one_time_failure(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: RecipientId) -> Result<(), Error> {
    held.execute_one(&sql::COUNT_ONE_TIME_FAILURE, values![company, id])
}

/// Keeps that the right one-time code was given.
pub fn use_one_time_code(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
    by: Option<&[u8]>,
) -> Result<(), Error> {
    held.execute_one(&sql::USE_ONE_TIME_CODE, values![company, id, at, by])
}

/// Takes hold of a writer who has not acted, so that what is kept for him (a draft) and his approval cannot pass each
/// other. `false` where he has acted, or the link was replaced.
pub fn hold_writer(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    link_version: u32,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::HOLD_WRITER, values![company, id, link_version])? == 1)
}

/// The recipient proves himself anew: the sender has sent anew.
pub fn reset_access(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    id: RecipientId,
) -> Result<(), Error> {
    held.execute_one(&sql::RESET_ACCESS, values![company, workflow, id])
}

/// Keeps that the writer has seen the document; `false` where that was known.
pub fn set_viewed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::SET_VIEWED, values![company, id, at])? == 1)
}

/// Keeps that the writer agreed to sign electronically; `false` where that was known.
pub fn set_consented(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: RecipientId,
    at: Timestamp,
) -> Result<bool, Error> {
    Ok(held.execute(&sql::SET_CONSENTED, values![company, id, at])? == 1)
}

/// Hides a finished workflow; `false` where it is under way, or hidden already.
pub fn discard(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: WorkflowId, at: Timestamp) -> Result<bool, Error> {
    Ok(held.execute(&sql::DISCARD, values![company, id, at])? == 1)
}

/// Workflows of all companies whose time has run out, but for those that were put off until later.
pub fn overdue(tx: &mut dyn Transaction, at: Timestamp, limit: u32) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
    tx.query(&sql::OVERDUE, values![at, limit])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("id")?)))
        .collect()
}

/// Sets when to look again at a workflow that could not be expired.
pub fn set_expiry_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_EXPIRY_LOOK, values![company, workflow, at])
}

/// Workflows of all companies whose writers may have to be reminded by then: those that have settings for it, and whose
/// time to look again has come.
pub fn reminder_looks(
    tx: &mut dyn Transaction,
    at: Timestamp,
    limit: u32,
) -> Result<Vec<(CompanyId, WorkflowId)>, Error> {
    tx.query(&sql::REMINDER_LOOKS, values![at, limit])?
        .iter()
        .map(|row| Ok((row.get("company_id")?, row.get("id")?)))
        .collect()
}

/// Sets when to look again whether a workflow's writers are to be reminded.
pub fn set_reminder_look(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<(), Error> {
    tx.execute_one(&sql::SET_REMINDER_LOOK, values![company, workflow, at])
}

/// Has all of a company's workflows looked at again, after it has chosen anew when writers are reminded.
pub fn forget_reminder_looks(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.execute(&sql::FORGET_REMINDER_LOOKS, values![company])
}

/// What a list of workflows is limited to.
#[derive(Debug, Clone)]
pub struct ListFilter {
    /// Ids below this one.
    pub before: i64,
    /// In this state.
    pub status: Option<Status>,
    /// Of this template.
    pub template: Option<TemplateId>,
    /// Started at or after.
    pub from: Timestamp,
    /// Started before.
    pub to: Timestamp,
    /// The name holds this, without regard to the case of Latin letters.
    pub text: Option<String>,
    /// At most so many.
    pub limit: u32,
    /// Leave out so many.
    pub skip: u32,
}

/// One line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedWorkflow {
    /// The workflow.
    pub id: WorkflowId,
    /// Its name.
    pub name: String,
    /// Its state.
    pub status: Status,
    /// Its language.
    pub language: Language,
    /// The zone of its dates.
    pub zone: Zone,
    /// Its template.
    pub template: TemplateId,
    /// When it began.
    pub started_at: Timestamp,
    /// Until when it can be signed.
    pub expires_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// The step under way, or the one it ended at.
    pub turn: u32,
}

/// The pattern of what holds this text, for `LIKE … ESCAPE '!'`.
pub(crate) fn holding(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// A company's workflows, newest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId, filter: &ListFilter) -> Result<Vec<ListedWorkflow>, Error> {
    let pattern = filter.text.as_deref().map(|text| holding(&text.to_ascii_lowercase()));
    tx.query(
        &sql::LIST,
        values![
            company,
            filter.before,
            filter.status.map(Status::code),
            filter.template,
            filter.from,
            filter.to,
            pattern,
            filter.limit,
            filter.skip,
        ],
    )?
    .iter()
    .map(|row| {
        Ok(ListedWorkflow {
            id: row.get("id")?,
            name: row.get("name")?,
            status: row.parse("status", read_status)?,
            language: row.get("language")?,
            zone: row.get("time_zone")?,
            template: row.get("template_id")?,
            started_at: row.get("started_at")?,
            expires_at: row.get("expires_at")?,
            ended_at: row.get("ended_at")?,
            turn: row.get("turn")?,
        })
    })
    .collect()
}

/// Workflows of a template in which the field has the value, as it goes out.
pub fn with_value(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    template: TemplateId,
    field: &str,
    compared: &str,
    before: i64,
    limit: u32,
) -> Result<Vec<(WorkflowId, Status)>, Error> {
    tx.query(
        &sql::WITH_VALUE,
        values![
            company,
            template,
            field,
            crate::workflows::workflow_value::wire_hash(compared),
            compared,
            limit,
            before,
        ],
    )?
    .iter()
    .map(|row| Ok((row.get("id")?, row.parse("status", read_status)?)))
    .collect()
}

/// Another document that waits for a contact: neither an embedded one, whose addresses nobody has written to, nor one that a
/// visitor of a public link started in the name of whoever has that address.
pub fn next_for(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    contact: &ProvedContact,
    besides: RecipientId,
    at: Timestamp,
) -> Result<Option<(RecipientId, WorkflowId)>, Error> {
    tx.query_optional(&sql::NEXT_FOR, values![company, contact.key(), at, besides])?
        .map(|row| Ok((row.get("id")?, row.get("workflow_id")?)))
        .transpose()
}

/// A sealed document with its certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealedDocument {
    /// The sealed PDF.
    pub document: BlobHash,
    /// Its length.
    pub document_length: u64,
    /// The certificate.
    pub certificate: BlobHash,
    /// Its length.
    pub certificate_length: u64,
    /// When.
    pub sealed_at: Timestamp,
    /// When a timestamp is due: at once where it is still missing, before the last one's proof runs out where it is there;
    /// never, if none.
    pub timestamp_due: Option<Timestamp>,
}

/// A sealed document whose timestamp is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTimestamp {
    /// Whose.
    pub company: CompanyId,
    /// Of which workflow.
    pub workflow: WorkflowId,
    /// Its files, and when it was due.
    pub sealed: SealedDocument,
}

/// Keeps a sealed document. There is one a workflow; a second is refused by the database.
pub fn insert_sealed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    sealed: &SealedDocument,
) -> Result<(), Error> {
    held.execute_one(
        &sql::INSERT_SEALED,
        values![
            id,
            company,
            sealed.document,
            i64::try_from(sealed.document_length).unwrap_or(i64::MAX),
            sealed.certificate,
            i64::try_from(sealed.certificate_length).unwrap_or(i64::MAX),
            sealed.sealed_at,
            sealed.timestamp_due,
        ],
    )
}

/// A workflow's sealed document.
pub fn sealed(tx: &mut dyn Transaction, company: &CompanyId, id: WorkflowId) -> Result<Option<SealedDocument>, Error> {
    tx.query_optional(&sql::LOAD_SEALED, values![company, id])?
        .as_ref()
        .map(sealed_document)
        .transpose()
}

fn sealed_document(row: &Row) -> Result<SealedDocument, Error> {
    Ok(SealedDocument {
        document: row.get("document_hash")?,
        document_length: row.get("document_length")?,
        certificate: row.get("certificate_hash")?,
        certificate_length: row.get("certificate_length")?,
        sealed_at: row.get("sealed_at")?,
        timestamp_due: row.get("timestamp_due")?,
    })
}

/// The sealed documents whose timestamp is due, the longest due first.
pub fn due_timestamps(tx: &mut dyn Transaction, now: Timestamp, most: u32) -> Result<Vec<DueTimestamp>, Error> {
    tx.query(&sql::DUE_TIMESTAMPS, values![now, i64::from(most)])?
        .iter()
        .map(|row| {
            Ok(DueTimestamp {
                company: row.get("company_id")?,
                workflow: row.get("workflow_id")?,
                sealed: sealed_document(row)?,
            })
        })
        .collect()
}

/// Puts a due timestamp off; `false` where another one has taken it up meanwhile. Whoever puts it off may see to it until
/// then.
pub fn put_timestamp_off(
    tx: &mut dyn Transaction,
    due: &DueTimestamp,
    until: Option<Timestamp>,
) -> Result<bool, Error> {
    let changed = tx.execute(
        &sql::PUT_TIMESTAMP_OFF,
        values![&due.company, due.workflow, due.sealed.timestamp_due, until],
    )?;
    Ok(changed == 1)
}

/// Puts longer files in the place of sealed ones; `false` where they are no longer the ones that `before` says.
pub fn replace_sealed(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    before: &SealedDocument,
    after: &SealedDocument,
) -> Result<bool, Error> {
    let changed = held.execute(
        &sql::REPLACE_SEALED,
        values![
            company,
            id,
            before.document,
            before.certificate,
            after.document,
            i64::try_from(after.document_length).unwrap_or(i64::MAX),
            after.certificate,
            i64::try_from(after.certificate_length).unwrap_or(i64::MAX),
            after.timestamp_due,
        ],
    )?;
    Ok(changed == 1)
}

/// Says that a workflow needs a file no more.
pub fn forget_blob(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    id: WorkflowId,
    hash: BlobHash,
) -> Result<(), Error> {
    held.execute_later(&sql::FORGET_BLOB, values![hash, id, company])
}

/// Does a workflow of the company need the file?
pub fn refers_to_blob(tx: &mut dyn Transaction, company: &CompanyId, hash: BlobHash) -> Result<bool, Error> {
    tx.query_one(&sql::REFERS_TO_BLOB, values![company, hash])?
        .get("is_referred_to")
}

/// Keeps that a workflow needs a file.
pub fn refer_to_blob(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    id: WorkflowId,
    hash: BlobHash,
) -> Result<(), Error> {
    tx.execute_later(&sql::REFER_TO_BLOB, values![hash, id, company])
}

fn recipient(row: &Row) -> Result<Recipient, Error> {
    let given: String = row.get("contact")?;
    let progressed_at: Option<Timestamp> = row.get("progressed_at")?;
    let moment = || progressed_at.ok_or_else(|| row.fault("progressed_at", "is NULL".to_owned()));
    let progress = match row.get::<String>("progress")?.as_str() {
        "approved" => Progress::Approved { at: moment()? },
        "rejected" => Progress::Rejected { at: moment()? },
        _ => Progress::Waiting,
    };
    Ok(Recipient {
        id: row.get("id")?,
        order: row.get("step_order")?,
        place: row.get("place")?,
        role: row.get("role")?,
        name: row.get("name")?,
        contact: match row.get::<Option<String>>("phone")? {
            Some(number) => Contact::Phone { given, number },
            None => Contact::Email(given),
        },
        mobile: row.get("mobile")?,
        language: row.get("language")?,
        link_version: row.get("link_version")?,
        progress,
    })
}

fn writer(row: &Row) -> Result<Writer, Error> {
    let salt: Option<Vec<u8>> = row.get("access_salt")?;
    let code: Option<Vec<u8>> = row.get("access_code")?;
    let hint: Option<String> = row.get("access_hint")?;
    let one_time_salt: Option<Vec<u8>> = row.get("one_time_salt")?;
    let one_time_code: Option<Vec<u8>> = row.get("one_time_code")?;
    let sent_at: Option<Timestamp> = row.get("one_time_sent_at")?;
    let used_at: Option<Timestamp> = row.get("one_time_used_at")?;
    let used_by: Option<Vec<u8>> = row.get("one_time_used_by")?;
    Ok(Writer {
        asks_one_time_code: row.get("asks_one_time_code")?,
        one_time_code: one_time_salt
            .zip(one_time_code)
            .zip(sent_at)
            .map(|((salt, code), sent_at)| OneTimeCode {
                salt,
                code,
                sent_at,
                used_at,
                used_by,
            }),
        one_time_failures: row.get("one_time_failures")?,
        id: row.get("id")?,
        comment: row.get("comment")?,
        access: salt.zip(code).map(|(salt, code)| AccessCode { salt, code, hint }),
        access_failures: row.get("access_failures")?,
        access_at: row.get("access_at")?,
        viewed_at: row.get("viewed_at")?,
        consented_at: row.get("consented_at")?,
    })
}

fn state(row: &Row) -> Result<State, Error> {
    let order: u32 = row.get("turn")?;
    let status = row.parse("status", read_status)?;
    if status == Status::Playing {
        return Ok(State::Playing { order });
    }
    let at: Timestamp = row.get("ended_at")?;
    Ok(match status {
        Status::Playing => State::Playing { order },
        Status::Complete => State::Complete { at },
        Status::Rejected => State::Rejected {
            at,
            order,
            recipient: row.get("ended_by")?,
        },
        Status::Canceled => State::Canceled { at, order },
        Status::Expired => State::Expired { at, order },
    })
}

fn read_status(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| format!("{text} is no state"))
}

fn read_on_reject(text: &str) -> Result<OnReject, String> {
    match text {
        "end" => Ok(OnReject::End),
        "return" => Ok(OnReject::Return),
        other => Err(format!("{other} is unknown")),
    }
}

pub(crate) const fn on_reject_word(on_reject: OnReject) -> &'static str {
    match on_reject {
        OnReject::End => "end",
        OnReject::Return => "return",
    }
}

pub(crate) fn json<T: serde::Serialize>(
    statement: &'static crate::Statement,
    position: usize,
    value: &T,
) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| Error::Parameter {
        statement: statement.name(),
        position,
        detail: error.to_string(),
    })
}
