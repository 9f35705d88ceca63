//! Starting a workflow: the data a start reads, the numbers it reserves, and the rows it adds.

use domain::{
    BlobHash, ClientId, CompanyId, Entry, KeyedHead, Language, MemberId, Recipient, RecipientId, RedirectUrl, Region,
    TemplateId, Workflow, WorkflowId, Zone,
};
use jiff::Timestamp;

use super::{Checks, json, on_reject_word};
use crate::base::transaction::at_most_one;
use crate::chain::held_workflow::head_sequence;
use crate::companies::company::{Style, style};
use crate::sql::workflow as sql;
use crate::{Error, HeldWorkflow, Numbers, Row, Transaction, values};

/// The data that a start needs about its company, template and client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartContext {
    pub company_name: String,
    pub language: Language,
    /// The company's time zone.
    pub zone: Zone,
    /// The region of the company's national phone numbers.
    pub region: Region,
    /// The number of days that a workflow may take.
    pub expiry_days: i64,
    /// The number of days for which links to finished files work.
    pub link_days: i64,
    pub style: Style,
    /// The API client for webhooks if the start names none.
    pub default_client: ClientId,
    /// Whether the named client belongs to the company.
    pub named_client_known: bool,
    /// Whether its client is for tests.
    pub is_test: bool,
    /// The template's version for new workflows. `None` if the company has no such template.
    pub template_version: Option<u32>,
    pub archived: bool,
    /// The row of the company's current seal key.
    pub seal_key: Option<i64>,
}

/// Returns `None` if there is no such company.
pub fn start_context(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    template: TemplateId,
    client: Option<ClientId>,
) -> Result<Option<StartContext>, Error> {
    let row = tx.query_optional(&sql::START_CONTEXT, values![company, template, client])?;
    row.as_ref().map(read_start_context).transpose()
}

/// Like [`start_context`], with [numbers](reserve) for a workflow with this many recipients, if the database can return
/// them now.
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
        is_test: row.get("is_test")?,
        template_version: row.get("current_version")?,
        archived: row.get::<Option<Timestamp>>("archived_at")?.is_some(),
        seal_key: row.get("seal_key")?,
    })
}

/// The sender as named in mails and certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    pub company_name: String,
    /// The company's language, which is also the sender's.
    pub language: Language,
    /// The region of the company's national phone numbers.
    pub region: Region,
    /// The number of days for which links to finished files work.
    pub link_days: i64,
    pub style: Style,
    pub sender_name: String,
    pub sender_email: String,
    /// Whether the sender's account is disabled.
    pub sender_disabled: bool,
}

/// Returns the sender of a company's workflow.
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

/// Numbers reserved for a workflow and its recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    pub workflow: WorkflowId,
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

/// Reserves numbers for a workflow and its recipients before they are inserted, except those in `given`.
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

/// The data stored for a new workflow in addition to the workflow itself.
#[derive(Clone)]
pub struct NewWorkflow {
    /// The company's name, which appears in fields.
    pub company_name: String,
    /// The identity checks of each recipient, in their order.
    pub checks: Vec<Checks>,
    /// The value of the webhooks' Authorization header, encrypted.
    pub authorization: Option<Vec<u8>>,
    /// The added fonts for the workflow's texts.
    pub fonts: Vec<BlobHash>,
}

/// Adds a workflow with [reserved](reserve) numbers, its recipients, and the first entries of its chain. Returns the
/// workflow, which this transaction holds. Nobody else sees it yet.
pub fn insert<'t>(
    tx: &'t mut dyn Transaction,
    workflow: &Workflow,
    new: &NewWorkflow,
    (entries, head): (&[Entry], &KeyedHead),
) -> Result<HeldWorkflow<'t>, Error> {
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
            new.authorization.as_deref(),
            workflow.is_embedded(),
            workflow.started_at,
            workflow.expires_at,
            head.head.hash,
            head_sequence(head.head),
            workflow.id,
            &new.company_name,
            i64::from(head.head.format.number()),
            head.code.clone(),
            font_list(&new.fonts),
            workflow.redirect_url.as_ref().map(RedirectUrl::as_str),
            workflow.is_test,
        ],
    )?;
    let mut added = HeldWorkflow::written(tx, head.clone());
    for (recipient, checks) in workflow.recipients.iter().zip(&new.checks) {
        insert_recipient(&mut added, &workflow.company, workflow.id, recipient, checks)?;
    }
    crate::chain::audit::insert(&mut added, &workflow.company, workflow.id, entries)?;
    Ok(added)
}

fn font_list(hashes: &[BlobHash]) -> String {
    let each: Vec<String> = hashes.iter().map(BlobHash::to_string).collect();
    each.join(" ")
}

fn insert_recipient(
    held: &mut HeldWorkflow<'_>,
    company: &CompanyId,
    workflow: WorkflowId,
    recipient: &Recipient,
    checks: &Checks,
) -> Result<(), Error> {
    let access = checks.access.as_ref();
    held.execute_later(
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
            recipient.company.as_deref(),
        ],
    )
}
