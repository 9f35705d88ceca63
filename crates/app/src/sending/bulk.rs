//! Bulk send: one template, many recipients.
//!
//! A list of starts, or a spreadsheet, is read row by row. A dry run checks each row as a start would and reports its
//! faults, but changes nothing. A real run stores the rows (encrypted, in one transaction) and responds. A job (`run`)
//! then starts them, each in its own transaction.

mod answer;
mod row;
mod run;

use domain::{CompanyId, Language, Requester, TemplateId, TemplateVersion};
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use sheets::SheetLimits;
use store::bulk::{self, BulkId, NewBulk, NewRow, RowState};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::caller::Caller;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject};
use crate::base::listing::ListReader;
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::sending::bulk_sheet::{self, Columns};
use crate::sending::kept_answer::AnswerKey;
use crate::sending::start::{Idempotency, StartRequest};
use answer::{progress, shown, status};
use row::{Names, ReadRow, merged};

pub use answer::{BulkAnswer, BulkChecked, BulkProgress, BulkRow, RowError, WrongRow};

/// Number of days for which a finished bulk send is stored.
const KEPT_DAYS: i64 = 30;

/// Maximum number of waiting rows per company, as a multiple of the largest bulk send.
const MOST_WAITING: u64 = 10;

/// Size limits of a bulk send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BulkSettings {
    pub rows: u32,
    /// Maximum size of the request in bytes.
    pub bytes: u64,
}

impl Default for BulkSettings {
    fn default() -> BulkSettings {
        BulkSettings {
            rows: 10_000,
            bytes: 32 * 1024 * 1024,
        }
    }
}

/// A request to start many workflows, before it is checked.
#[derive(Debug, Clone, Default)]
pub struct BulkRequest {
    /// The template, and everything that applies to a row unless the row overrides it. Its faults are those of the
    /// request.
    pub common: StartRequest,
    pub rows: BulkRows,
    /// Whether to start nothing and only report faults.
    pub dry_run: bool,
    pub idempotency: Option<Idempotency>,
}

#[derive(Clone)]
pub enum BulkRows {
    /// A list of starts, each with the faults found while reading it. Paths are relative to the start.
    List(Vec<StartRequest>),
    /// A CSV file or an XLSX workbook.
    Sheet(Vec<u8>),
}

impl Default for BulkRows {
    fn default() -> BulkRows {
        BulkRows::List(Vec::new())
    }
}

impl std::fmt::Debug for BulkRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BulkRows::List(rows) => write!(f, "List of {}", rows.len()),
            BulkRows::Sheet(file) => write!(f, "Sheet of {} bytes", file.len()),
        }
    }
}

/// Selects rows of a bulk send, from the query.
#[derive(Debug, Clone, Default)]
pub struct BulkRowsRequest {
    /// `waiting`, `started`, `failed` or `cancelled`.
    pub status: Option<String>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
    pub limit: Option<String>,
}

impl App {
    /// Accepts a request to start many workflows, or reports its faults.
    pub fn bulk_start(
        &self,
        actor: &Actor,
        request: BulkRequest,
        origin: &Origin,
        language: Language,
    ) -> Result<BulkAnswer, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let now = self.now();
        let (is_dry, given) = (request.dry_run, request.idempotency.as_ref());
        let key = AnswerKey::of("bulk", caller.member, given.filter(|_| !is_dry));
        if let Some(answer) = self.answered_before(caller, key.as_ref(), now)? {
            return Ok(answer);
        }
        let (template, rows) = self.bulk_rows(caller, request)?;
        if is_dry {
            return Ok(BulkAnswer::Checked(self.checked(caller, rows, language)?));
        }
        let new = self.new_bulk(caller, template, &rows, origin, now)?;
        let most = u64::from(self.settings.bulk.rows).saturating_mul(MOST_WAITING);
        let (vault, company, zone) = (self.vault.clone(), caller.company.clone(), caller.zone);
        let logged = by
            .logs(Action::BulkStarted, now)
            .setting(&json!({"template": template, "rows": new.rows.len()}));
        let wanted = key.clone();
        self.store
            .write(move |tx| {
                if let Some(key) = &wanted
                    && let Some(kept) = key.find(tx, &company, now)?
                {
                    return Ok(Err(kept));
                }
                let waiting = bulk::waiting_of(tx, &company)?;
                if waiting.saturating_add(u64::try_from(new.rows.len()).unwrap_or(u64::MAX)) > most {
                    return Err(Error::conflict(ConflictCode::BulkWaiting));
                }
                let id = bulk::insert(tx, &new)?;
                logged.clone().about(id.0).write(tx)?;
                bulk::finish(tx, id, now)?;
                let stored = bulk::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Bulk))?;
                let answer = BulkAnswer::Accepted(progress(&stored, zone));
                if let Some(key) = &wanted {
                    key.keep(tx, &company, &answer, &vault, now)?;
                }
                Ok::<_, Error>(Ok(answer))
            })?
            .or_else(|kept| match &key {
                Some(key) => key.answer(&kept, &self.vault),
                None => Err(Error::internal(
                    "starting many",
                    "a stored response was found, although the request has no idempotency key",
                )),
            })
    }

    /// Returns the template and the rows, or the faults of the request as a whole.
    fn bulk_rows(&self, caller: &Caller, request: BulkRequest) -> Result<(TemplateId, Vec<ReadRow>), Error> {
        let mut faults = request.common.faults.clone();
        faults.extend(request.idempotency.as_ref().and_then(Idempotency::fault));
        let mut template = None;
        if let Some(id) = request.common.template_id {
            template = self
                .current_template(&caller.company, id)?
                .map(|template| (id, template));
            if template.is_none() {
                faults.push(Fault::new("template_id", FaultCode::UnknownTemplate));
            }
        } else if !faults.iter().any(|fault| fault.path == "template_id") {
            faults.push(Fault::new("template_id", FaultCode::Required));
        }
        let Some((id, template)) = template.filter(|_| faults.is_empty()) else {
            return Err(Error::Unprocessable(faults));
        };
        let common = StartRequest {
            faults: Vec::new(),
            ..request.common
        };
        let faults = self.check_starts(caller)?.faults_of_shared(common.clone())?;
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let none = match &request.rows {
            BulkRows::List(_) => Error::fault("workflow_list", FaultCode::Required),
            BulkRows::Sheet(_) => Error::fault("file", FaultCode::SheetEmpty),
        };
        let rows = match request.rows {
            BulkRows::List(list) => list
                .into_iter()
                .zip(1..)
                .map(|(row, number)| ReadRow {
                    number,
                    request: merged(row, &common),
                    names: None,
                })
                .collect(),
            BulkRows::Sheet(file) => {
                self.sheet_rows(&Requester::Company(caller.company.clone()), &file, &common, &template)?
            }
        };
        let most = self.settings.bulk.rows;
        if rows.is_empty() {
            return Err(none);
        }
        if rows.len() > most as usize {
            return Err(Error::Unprocessable(vec![
                Fault::new("workflow_list", FaultCode::TooMany).with("max", most),
            ]));
        }
        Ok((id, rows))
    }

    fn sheet_rows(
        &self,
        requester: &Requester,
        file: &[u8],
        common: &StartRequest,
        template: &TemplateVersion,
    ) -> Result<Vec<ReadRow>, Error> {
        let limits = SheetLimits {
            rows: self.settings.bulk.rows,
            ..SheetLimits::default()
        };
        let sheet = self.documents.sheet(requester, file, &limits);
        let sheet = sheet.map_err(|fault| fault.at("file"))?;
        let columns = Columns::read(&sheet.header, template).map_err(Error::Unprocessable)?;
        let rows = sheet.rows.into_iter().map(|row| {
            let number = row.number;
            let start = columns.start(row);
            ReadRow {
                number,
                request: merged(start.request, common),
                names: Some(Names {
                    writers: start.writers,
                    fields: start.fields,
                }),
            }
        });
        Ok(rows.collect())
    }

    /// Returns the template version that a start would use now. `None` if the company has no such template.
    fn current_template(&self, company: &CompanyId, id: TemplateId) -> Result<Option<TemplateVersion>, Error> {
        let wanted = company.clone();
        let context = self
            .store
            .read(move |tx| store::workflow::start_context(tx, &wanted, id, None).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Company))?;
        let Some(version) = context.template_version else {
            return Ok(None);
        };
        if context.archived {
            return Err(Error::conflict(ConflictCode::Archived));
        }
        Ok(Some(self.kept_template(company, id, version)?.version.clone()))
    }

    fn checked(&self, caller: &Caller, rows: Vec<ReadRow>, language: Language) -> Result<BulkChecked, Error> {
        let mut row_list = Vec::new();
        let mut starts = self.check_starts(caller)?;
        let total = rows.len();
        for mut row in rows {
            let Err(error) = starts.check(std::mem::take(&mut row.request)) else {
                continue;
            };
            let Some(faults) = row.kept(&error) else {
                return Err(error);
            };
            row_list.push(WrongRow {
                row: row.number,
                errors: faults.iter().map(|fault| fault.words(language)).collect(),
            });
        }
        Ok(BulkChecked {
            total,
            valid: total - row_list.len(),
            wrong: row_list.len(),
            row_list,
            ignored_members: Vec::new(),
        })
    }

    fn new_bulk(
        &self,
        caller: &Caller,
        template: TemplateId,
        rows: &[ReadRow],
        origin: &Origin,
        at: Timestamp,
    ) -> Result<NewBulk, Error> {
        let failed = |error| Error::internal("storing a bulk send", error);
        let mut starts = self.check_starts(caller)?;
        let rows = rows.iter().map(|row| {
            let request = if row.request.faults.is_empty() {
                let text = serde_json::to_vec(row).map_err(failed)?;
                Ok(self.vault.encrypt(Purpose::BulkRow, &text))
            } else {
                // This row will not start. Its other faults are reported together with the unreadable values.
                let error = starts.check(row.request.clone()).err();
                let unread = || row.kept(&Error::Unprocessable(row.request.faults.clone()));
                let faults = error.and_then(|error| row.kept(&error)).or_else(unread);
                Err(serde_json::to_string(&faults).map_err(failed)?)
            };
            Ok(NewRow {
                number: row.number,
                request,
            })
        });
        Ok(NewBulk {
            company: caller.company.clone(),
            member: caller.member,
            template,
            origin: serde_json::to_string(origin).map_err(failed)?,
            at,
            rows: rows.collect::<Result<_, Error>>()?,
        })
    }

    /// Returns the state of a bulk send, with a page of its rows.
    pub fn bulk(
        &self,
        actor: &Actor,
        id: i64,
        request: &BulkRowsRequest,
        language: Language,
    ) -> Result<BulkProgress, Error> {
        let by = actor.must_read()?;
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let states = RowState::ALL.map(|state| (state.word(), state));
        let state = query.word("status", request.status.as_ref(), &states);
        let after = query.cursor(request.cursor.as_ref()).unwrap_or(0);
        let limit = query.limit(request.limit.as_ref());
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (company, id) = (by.company().clone(), BulkId(id));
        let (stored, mut rows) = self.store.read(move |tx| {
            let stored = bulk::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Bulk))?;
            let rows = bulk::rows(tx, &company, id, after, state, limit.saturating_add(1))?;
            Ok::<_, Error>((stored, rows))
        })?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let mut answer = progress(&stored, by.zone());
        answer.next_cursor = rows.last().filter(|_| more).map(|row| row.number.to_string());
        answer.row_list = Some(rows.iter().map(|row| shown(row, language)).collect());
        Ok(answer)
    }

    /// Cancels rows that have not started.
    pub fn cancel_bulk(&self, actor: &Actor, id: i64) -> Result<BulkProgress, Error> {
        let by = actor.must_send()?;
        let (company, id, now) = (by.company().clone(), BulkId(id), self.now());
        let logged = by.logs(Action::BulkCanceled, now).about(id.0);
        let stored = self.store.write(move |tx| {
            let cancelled = bulk::cancel(tx, &company, id, now)?;
            let stored = bulk::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Bulk))?;
            if !cancelled {
                return Err(Error::Conflict {
                    code: ConflictCode::BulkFinished,
                    state: Some(status(&stored).to_owned()),
                });
            }
            logged.write(tx)?;
            Ok(stored)
        })?;
        Ok(progress(&stored, by.zone()))
    }

    /// Returns an example sheet for the template as CSV, to be filled in.
    pub fn bulk_sheet(&self, actor: &Actor, template: Option<TemplateId>) -> Result<String, Error> {
        let by = actor.must_read()?;
        let template = template.ok_or_else(|| Error::fault("template_id", FaultCode::Required))?;
        let version = self.current_template(by.company(), template)?;
        let version = version.ok_or_else(|| Error::fault("template_id", FaultCode::UnknownTemplate))?;
        Ok(bulk_sheet::example(&version))
    }

    /// Removes bulk sends that ended long ago.
    pub fn sweep_bulk_starts(&self) -> Result<u64, Error> {
        let before = self
            .now()
            .checked_sub((KEPT_DAYS * 24).hours())
            .map_err(|error| Error::internal("computing how long bulk sends are kept", error))?;
        self.store.write(move |tx| bulk::sweep(tx, before).map_err(Error::from))
    }
}
