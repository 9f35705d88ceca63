//! Reads a workflow as the domain defines it.

use domain::{
    BlobHash, ClientId, CompanyId, Contact, ExportSettings, Links, MemberId, OnReject, Progress, Recipient,
    RecipientId, RedirectUrl, State, Status, Workflow, WorkflowId,
};
use jiff::Timestamp;

use super::{AccessCode, OneTimeCode, StoredWorkflow, Writer};
use crate::sql::workflow as sql;
use crate::{Error, Row, Transaction, values};

fn fonts_in(list: &str) -> Vec<BlobHash> {
    list.split_whitespace().filter_map(BlobHash::parse).collect()
}

/// Returns a workflow of the company.
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
        is_test: row.get("is_test")?,
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
        redirect_url: match row.get::<Option<String>>("redirect_url")? {
            None => None,
            Some(_) => Some(row.parse("redirect_url", RedirectUrl::parse)?),
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

/// Returns the company and workflow of a link's recipient. The link itself is the authorization.
pub fn of_recipient(tx: &mut dyn Transaction, id: RecipientId) -> Result<Option<(CompanyId, WorkflowId)>, Error> {
    tx.query_optional(&sql::OF_RECIPIENT, values![id])?
        .map(|row| Ok((row.get("company_id")?, row.get("workflow_id")?)))
        .transpose()
}

/// Returns the company of a link's workflow. The link itself is the authorization.
pub fn company_of(tx: &mut dyn Transaction, id: WorkflowId) -> Result<Option<CompanyId>, Error> {
    tx.query_optional(&sql::COMPANY_OF, values![id])?
        .map(|row| row.get("company_id"))
        .transpose()
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
        company: row.get("company")?,
        language: row.get("language")?,
        link_version: row.get("link_version")?,
        progress,
    })
}

pub(super) fn writer(row: &Row) -> Result<Writer, Error> {
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

pub(super) fn read_status(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| format!("{text} is not a workflow state"))
}

fn read_on_reject(text: &str) -> Result<OnReject, String> {
    match text {
        "end" => Ok(OnReject::End),
        "return" => Ok(OnReject::Return),
        other => Err(format!("{other} is unknown")),
    }
}
