//! Public links: links that start a workflow for anyone who opens them.
//!
//! A use is counted in the transaction that starts its workflow, by an update that only applies while the link is open.
//! If many people arrive at the same moment, exactly as many get through as the link has uses left.

use domain::{CompanyId, Language, MemberId, Role, TemplateId, WorkflowId};
use jiff::{SignedDuration, Timestamp};

use crate::sql::public_link as sql;
use crate::{Error, Row, Transaction, values};

/// The period over which uses are limited.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicLinkId(pub i64);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicLink {
    /// A new link has no ID yet.
    pub id: PublicLinkId,
    pub company: CompanyId,
    pub member: MemberId,
    pub template: TemplateId,
    /// The name of its workflows, with placeholders.
    pub workflow_name: String,
    pub language: Language,
    /// The start without its first signer, encrypted.
    pub request: Vec<u8>,
    /// The maximum number of uses.
    pub most: Option<u32>,
    pub used: u32,
    pub until: Option<Timestamp>,
    /// Whether each person may use the link only once.
    pub once: bool,
    /// Whether its signers get no messages.
    pub is_embed: bool,
    pub created_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    /// Whether the link can start documents: the member who created it, in whose name everything is sent, may send, and
    /// its template is not archived.
    pub can_start: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkUse {
    pub link: PublicLinkId,
    /// Identifies the person, if each may use the link only once.
    pub person: Option<String>,
    /// Identifies the mailbox or phone number that gets a message, if any.
    pub addressee: Option<String>,
    pub bounds: UseBounds,
}

/// The limits on uses of links within an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseBounds {
    /// For one recipient's address, over all links.
    pub of_addressee: u32,
    /// For one link, over all people.
    pub of_link: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    Counted,
    /// The link is closed, used up or expired.
    NotOpen,
    /// The same person has used the link before.
    Before,
    /// The limit of uses within the last hour is reached.
    Full {
        bound: Bound,
        /// When another use is allowed.
        until: Timestamp,
    },
}

/// The limits within an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Uses for one recipient's address.
    Addressee,
    /// Uses of one link.
    Link,
}

fn read(row: &Row) -> Result<PublicLink, Error> {
    let is_none = |column: &str| Ok::<_, Error>(row.get::<Option<Timestamp>>(column)?.is_none());
    let can_start = is_none("disabled_at")? && is_none("archived_at")? && row.get::<Role>("role")?.may_send();
    Ok(PublicLink {
        id: PublicLinkId(row.get("id")?),
        company: row.parse("company_id", CompanyId::parse)?,
        member: MemberId(row.get("member_id")?),
        template: TemplateId(row.get("template_id")?),
        workflow_name: row.get("workflow_name")?,
        language: row.get("language")?,
        request: row.get("request")?,
        most: row.get("most")?,
        used: row.get("used")?,
        until: row.get("until")?,
        once: row.get("once")?,
        is_embed: row.get("is_embed")?,
        created_at: row.get("created_at")?,
        closed_at: row.get("closed_at")?,
        can_start,
    })
}

pub fn insert(tx: &mut dyn Transaction, new: &PublicLink) -> Result<PublicLinkId, Error> {
    let row = tx.query_one(
        &sql::INSERT,
        values![
            new.company.as_str(),
            new.member.get(),
            new.template.get(),
            new.workflow_name.as_str(),
            new.language.code(),
            new.request.as_slice(),
            new.most,
            new.until,
            new.once,
            new.is_embed,
            new.created_at
        ],
    )?;
    Ok(PublicLinkId(row.get("id")?))
}

pub fn find(tx: &mut dyn Transaction, company: &CompanyId, id: PublicLinkId) -> Result<Option<PublicLink>, Error> {
    tx.query_optional(&sql::FIND, values![company.as_str(), id.0])?
        .as_ref()
        .map(read)
        .transpose()
}

/// Returns the link for a token.
pub fn open(tx: &mut dyn Transaction, id: PublicLinkId) -> Result<Option<PublicLink>, Error> {
    tx.query_optional(&sql::OPEN, values![id.0])?
        .as_ref()
        .map(read)
        .transpose()
}

/// Returns the company's links with IDs below `before`, newest first.
pub fn list(tx: &mut dyn Transaction, company: &CompanyId, before: i64, limit: u32) -> Result<Vec<PublicLink>, Error> {
    tx.query(&sql::LIST, values![company.as_str(), before, limit])?
        .iter()
        .map(read)
        .collect()
}

/// Counts a use in the transaction that starts its workflow.
pub fn take(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    taking: &LinkUse,
    workflow: WorkflowId,
    at: Timestamp,
) -> Result<Taken, Error> {
    let Some(row) = tx.query_optional(&sql::TAKE, values![company.as_str(), taking.link.0, at])? else {
        return Ok(Taken::NotOpen);
    };
    let number: i64 = row.get("used")?;
    let used = values![
        taking.link.0,
        number,
        taking.person.as_deref(),
        workflow.get(),
        at,
        taking.addressee.as_deref()
    ];
    let is_kept = tx.execute(&sql::USED, used)? == 1
        || tx.execute(&sql::RELEASE, values![taking.link.0, taking.person.as_deref()])? == 1
            && tx.execute(&sql::USED, used)? == 1;
    if !is_kept {
        return Ok(Taken::Before);
    }
    let full = full_until(tx, company, taking, number, at)?;
    Ok(full.map_or(Taken::Counted, |(bound, until)| Taken::Full { bound, until }))
}

/// Returns the limit that this use exceeds, and until when. If it exceeds both, returns the one that lasts longer.
///
/// Simultaneous uses of one link wait for each other at the link's row. There is no such row for a recipient's address,
/// so it may get one extra document from each of several links. That limit slows abuse down, but is no guarantee.
fn full_until(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    taking: &LinkUse,
    number: i64,
    at: Timestamp,
) -> Result<Option<(Bound, Timestamp)>, Error> {
    let since = at.checked_sub(WINDOW).unwrap_or(Timestamp::MIN);
    // Uses are numbered, so the use exactly one limit before this one must be more than an hour old.
    let of_link = tx.query_optional(
        &sql::USED_AT,
        values![taking.link.0, number.saturating_sub(i64::from(taking.bounds.of_link))],
    )?;
    let of_link: Option<Timestamp> = of_link.map(|row| row.get("at")).transpose()?;
    let of_addressee = match taking.addressee.as_deref() {
        Some(addressee) => {
            // This use is already counted.
            let most = taking.bounds.of_addressee;
            let uses = tx.query(
                &sql::ADDRESSEE_AT,
                values![addressee, since, most.saturating_add(1), company],
            )?;
            uses.get(most as usize).map(|row| row.get("at")).transpose()?
        }
        None => None,
    };
    let full = [(Bound::Link, of_link), (Bound::Addressee, of_addressee)]
        .into_iter()
        .filter_map(|(bound, full)| Some((bound, full.filter(|full| *full > since)?)))
        .max_by_key(|(_, full)| *full);
    Ok(full.map(|(bound, full)| (bound, full.checked_add(WINDOW).unwrap_or(Timestamp::MAX))))
}

/// Closes a link. Returns whether it was open.
pub fn close(tx: &mut dyn Transaction, company: &CompanyId, id: PublicLinkId, at: Timestamp) -> Result<bool, Error> {
    Ok(tx.execute(&sql::CLOSE, values![company.as_str(), id.0, at])? == 1)
}
