//! Many starts at once of one template.
//!
//! **What happens.** A list of starts, or a spreadsheet, is read row by row. A dry run proves each row as a start would and
//! says what is wrong; it changes nothing. The real run keeps the rows (encrypted, in one transaction) and answers; a job
//! starts them, each in a transaction of its own.
//!
//! **Guarantees.** A row's document is started in the very transaction that marks the row as started, and only while the row
//! waits. So a server that is killed goes on where it was, and whoever works on the same row at the same moment, or cancels,
//! changes nothing twice. Rows that are wrong are reported and hold nobody up. Of several processes one works on a bulk start
//! at a time, by a lease that it renews; what a dead one had is taken over within seconds (docs/adr/0022), or at once by the
//! next process of the same machine at its start.
//!
//! **What may fail.** A row that cannot be decided for our own reasons is tried again after growing [`PAUSES`], some seven
//! hours long, and then given up. Such a failure ends the round, and its bulk start rests for some seconds: what keeps one
//! row from starting, a storage that is away, keeps most likely all of them from it, and they are not to use up their tries
//! meanwhile. A row that cannot even be opened keeps nobody else from anything.

use domain::{Language, Requester, TemplateId, TemplateVersion, time};
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use sheets::SheetLimits;
use store::bulk::{self, Bulk, BulkId, NewBulk, NewRow, RowState, Running, Waiting};
use store::idempotency::KeptAnswer;

use crate::App;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, ForbiddenCode, Subject};
use crate::base::listing::ListReader;
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::sending::bulk_sheet::{self, Columns};
use crate::sending::start::{Also, Idempotency, StartRecipient, StartRequest, kept_since};

/// So many rows of one bulk start are started in one round, so that others have their turn.
const ROWS_OF_A_ROUND: u32 = 100;
/// A process that has taken a bulk start has it for so long, unless it renews that; longer than any row takes.
const LEASE: SignedDuration = SignedDuration::from_mins(1);
/// It renews it so long before its end.
const RENEWAL: SignedDuration = SignedDuration::from_secs(45);
/// How long a row that could not be decided waits for its next try; after the last one it is given up.
const PAUSES: [SignedDuration; 4] = [
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(10),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(6),
];
/// How long a bulk start rests after a failure of our own.
const REST: SignedDuration = SignedDuration::from_secs(10);
/// A bulk start that is over is kept for so many days.
const KEPT_DAYS: i64 = 30;
/// So many faults of one row are told.
const MOST_FAULTS: usize = 20;
/// A company may have so many times the rows of one bulk start waiting.
const MOST_WAITING: u64 = 10;

/// How much one bulk start may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BulkSettings {
    /// Rows.
    pub rows: u32,
    /// Bytes of the request.
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

/// Many starts at once, as they came.
#[derive(Debug, Clone, Default)]
pub struct BulkRequest {
    /// What holds for every row that does not say otherwise, with the template. Its faults are the request's.
    pub common: StartRequest,
    /// The rows.
    pub rows: BulkRows,
    /// Start nothing, and say what is wrong.
    pub dry_run: bool,
    /// The idempotency key.
    pub idempotency: Option<Idempotency>,
}

/// Where the rows come from.
#[derive(Clone)]
pub enum BulkRows {
    /// A list of starts, each with what reading it found amiss, at places within itself.
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

/// The answer to a bulk start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(untagged)]
pub enum BulkAnswer {
    /// A dry run: what is wrong.
    Checked(BulkChecked),
    /// The rows were accepted.
    Accepted(BulkProgress),
}

/// What a dry run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BulkChecked {
    /// How many rows there are.
    pub total: usize,
    /// How many of them would be started.
    pub valid: usize,
    /// How many would not.
    pub wrong: usize,
    /// The rows that would not.
    pub row_list: Vec<WrongRow>,
    /// The members of the request that nobody read, such as `workflow_list[3].recipient_list[0].nmae`: each by its path, at
    /// most 100. Left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["workflow_list[3].recipient_list[0].nmae"]))]
    pub ignored_members: Vec<String>,
}

/// A row that would not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct WrongRow {
    /// Its number: of a list from 1, of a sheet as the spreadsheet program shows it.
    pub row: u32,
    /// Everything that is wrong with it.
    pub errors: Vec<RowError>,
}

/// One thing that is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RowError {
    /// Where: of a sheet the column, of a list the member.
    #[schema(example = "1.email")]
    pub path: String,
    /// The error id, which programs compare.
    #[schema(example = "invalid-contact")]
    pub code: String,
    /// What is wrong, for people.
    pub message: String,
}

/// How far a bulk start is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BulkProgress {
    /// Its number.
    pub bulk_id: i64,
    /// The template.
    pub template_id: i64,
    /// `running`, `finished` or `cancelled`.
    #[schema(pattern = "^(running|finished|cancelled)$")]
    pub status: String,
    /// How many rows there are.
    pub total: u32,
    /// How many wait to be started.
    pub waiting: u32,
    /// How many were started.
    pub started: u32,
    /// How many cannot be started.
    pub failed: u32,
    /// How many will not be, because it was cancelled.
    pub cancelled: u32,
    /// When it was accepted, with the zone.
    pub created_date: String,
    /// When it ended, with the zone; empty before.
    pub finished_date: String,
    /// A page of the rows; only where one bulk start is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_list: Option<Vec<BulkRow>>,
    /// Give it as `cursor` to go on; none at the end.
    #[serde(default)]
    pub next_cursor: Option<String>,
}

/// A row and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BulkRow {
    /// Its number: of a list from 1, of a sheet as the spreadsheet program shows it.
    pub row: u32,
    /// `waiting`, `started`, `failed` or `cancelled`.
    #[schema(pattern = "^(waiting|started|failed|cancelled)$")]
    pub status: String,
    /// The document, where it was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow_id: Option<i64>,
    /// Why it cannot be started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<RowError>,
}

/// Which rows of a bulk start, as the query says it.
#[derive(Debug, Clone, Default)]
pub struct BulkRowsRequest {
    /// `waiting`, `started`, `failed` or `cancelled`.
    pub status: Option<String>,
    /// Where the page before this one ended.
    pub cursor: Option<String>,
    /// How many.
    pub limit: Option<String>,
}

/// What is wrong with a row, as it is kept: words are made when somebody reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KeptFault {
    path: String,
    code: String,
    arguments: Vec<(String, String)>,
}

impl KeptFault {
    fn words(&self, language: Language) -> RowError {
        let arguments: Vec<(&str, &str)> = self
            .arguments
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        RowError {
            path: self.path.clone(),
            code: self.code.clone(),
            message: i18n::text(language, &format!("error-{}", self.code), &arguments),
        }
    }
}

/// A row that was read, ready to be proved and started.
#[derive(Serialize, Deserialize)]
struct ReadRow {
    #[serde(skip)]
    number: u32,
    request: StartRequest,
    /// Of a sheet: how its writers and fields are called there.
    names: Option<Names>,
}

/// How parts of a start are called in a sheet, in the start's order.
#[derive(Serialize, Deserialize)]
struct Names {
    writers: Vec<String>,
    fields: Vec<String>,
}

impl ReadRow {
    /// What is wrong, with places as the sender knows them.
    fn kept(&self, error: &Error) -> Option<Vec<KeptFault>> {
        let one = |code: &str, arguments| {
            vec![KeptFault {
                path: String::new(),
                code: code.to_owned(),
                arguments,
            }]
        };
        Some(match error {
            Error::Unprocessable(faults) => faults
                .iter()
                .take(MOST_FAULTS)
                .map(|fault| self.kept_fault(fault))
                .collect(),
            Error::Conflict { code, state } => {
                let state = ("state".to_owned(), state.clone().unwrap_or_default());
                one(code.id(), vec![state])
            }
            Error::NotFound(subject) => one("not-found", vec![("subject".to_owned(), subject.to_string())]),
            Error::Forbidden(code) => one(code.id(), Vec::new()),
            Error::NotSealable(refusal) if refusal.retry_after().is_none() => {
                one(refusal.code.id(), vec![("date".to_owned(), refusal.date())])
            }
            Error::TooLarge { limit } => one("too-large", vec![("limit".to_owned(), limit.to_string())]),
            // Ours, or not now: nothing that is wrong with the row.
            _ => return None,
        })
    }

    fn kept_fault(&self, fault: &Fault) -> KeptFault {
        KeptFault {
            path: self.place(&fault.path),
            code: fault.code.id().to_owned(),
            arguments: fault
                .arguments
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        }
    }

    /// `recipient_list[0].email` of a sheet is its column `1.email`, `field_list[0].value` the field's.
    fn place(&self, path: &str) -> String {
        let Some(names) = &self.names else {
            return path.to_owned();
        };
        let entry = |list: &str| {
            let (index, rest) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
            Some((index.parse::<usize>().ok()?, rest))
        };
        if let Some((index, rest)) = entry("recipient_list")
            && let Some(writer) = names.writers.get(index)
        {
            return format!("{writer}{rest}");
        }
        if let Some((index, _)) = entry("field_list")
            && let Some(field) = names.fields.get(index)
        {
            return field.clone();
        }
        if let Some((0, rest)) = entry("cc_list") {
            return format!("cc{rest}");
        }
        path.to_owned()
    }
}

impl App {
    /// Accepts many starts at once, or says what is wrong with them.
    pub fn bulk_start(
        &self,
        caller: &Caller,
        request: BulkRequest,
        origin: &Origin,
        language: Language,
    ) -> Result<BulkAnswer, Error> {
        caller.must_send()?;
        let now = self.now();
        let key = request
            .idempotency
            .as_ref()
            .map(|given| format!("bulk {} {}", caller.member, given.key));
        if let (Some(key), Some(given), false) = (&key, &request.idempotency, request.dry_run)
            && let Some(kept) = self.kept_under(caller, key, now)?
        {
            return self.answered_before(&kept, given);
        }
        let (is_dry, idempotency) = (request.dry_run, request.idempotency.clone());
        let (template, rows) = self.bulk_rows(caller, request)?;
        if is_dry {
            return Ok(BulkAnswer::Checked(self.checked(caller, rows, language)?));
        }
        let new = self.new_bulk(caller, template, &rows, origin, now)?;
        let most = u64::from(self.settings.bulk.rows).saturating_mul(MOST_WAITING);
        let (vault, company, zone) = (self.vault.clone(), caller.company.clone(), caller.zone);
        let given = idempotency.clone();
        self.store
            .write(move |tx| {
                if let Some(key) = &key
                    && let Some(kept) = store::idempotency::find(tx, &company, key, kept_since(now))?
                {
                    return Ok(Err(kept));
                }
                let waiting = bulk::waiting_of(tx, &company)?;
                if waiting.saturating_add(u64::try_from(new.rows.len()).unwrap_or(u64::MAX)) > most {
                    return Err(Error::conflict(ConflictCode::BulkWaiting));
                }
                let id = bulk::insert(tx, &new)?;
                bulk::finish(tx, id, now)?;
                let stored = bulk::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Bulk))?;
                let answer = BulkAnswer::Accepted(progress(&stored, zone));
                if let (Some(key), Some(given)) = (&key, &given) {
                    let text = serde_json::to_vec(&answer).unwrap_or_default();
                    let kept = KeptAnswer {
                        request_hash: given.request_hash,
                        answer: vault.encrypt(Purpose::IdempotentAnswer, &text),
                    };
                    store::idempotency::keep(tx, &company, key, &kept, now, kept_since(now))?;
                }
                Ok::<_, Error>(Ok(answer))
            })?
            .or_else(|kept| match &idempotency {
                Some(given) => self.answered_before(&kept, given),
                None => Err(Error::internal("starting many", "an answer without a key")),
            })
    }

    /// The template and the rows, or what is wrong with the request as a whole.
    fn bulk_rows(&self, caller: &Caller, request: BulkRequest) -> Result<(TemplateId, Vec<ReadRow>), Error> {
        let mut faults = request.common.faults.clone();
        faults.extend(request.idempotency.as_ref().and_then(Idempotency::fault));
        let mut template = None;
        if let Some(id) = request.common.template_id {
            template = self.current_template(caller, id)?.map(|template| (id, template));
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

    /// The template as a start now would take it; none where the company has no such template.
    fn current_template(&self, caller: &Caller, id: TemplateId) -> Result<Option<TemplateVersion>, Error> {
        let company = caller.company.clone();
        let context = self
            .store
            .read(move |tx| store::workflow::start_context(tx, &company, id, None).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Company))?;
        let Some(version) = context.template_version else {
            return Ok(None);
        };
        if context.archived {
            return Err(Error::conflict(ConflictCode::Archived));
        }
        Ok(Some(self.kept_template(&caller.company, id, version)?.version.clone()))
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
        let failed = |error| Error::internal("keeping a bulk start", error);
        let mut starts = self.check_starts(caller)?;
        let rows = rows.iter().map(|row| {
            let request = if row.request.faults.is_empty() {
                let text = serde_json::to_vec(row).map_err(failed)?;
                Ok(self.vault.encrypt(Purpose::BulkRow, &text))
            } else {
                // It is never started; what else is wrong with it is told with what could not even be read.
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

    /// How far a bulk start is, with a page of its rows.
    pub fn bulk(
        &self,
        caller: &Caller,
        id: i64,
        request: &BulkRowsRequest,
        language: Language,
    ) -> Result<BulkProgress, Error> {
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: caller.zone,
            faults: &mut faults,
        };
        let states = RowState::ALL.map(|state| (state.word(), state));
        let state = query.word("status", request.status.as_ref(), &states);
        let after = query.cursor(request.cursor.as_ref()).unwrap_or(0);
        let limit = query.limit(request.limit.as_ref());
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let (company, id) = (caller.company.clone(), BulkId(id));
        let (stored, mut rows) = self.store.read(move |tx| {
            let stored = bulk::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Bulk))?;
            let rows = bulk::rows(tx, &company, id, after, state, limit.saturating_add(1))?;
            Ok::<_, Error>((stored, rows))
        })?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        let mut answer = progress(&stored, caller.zone);
        answer.next_cursor = rows.last().filter(|_| more).map(|row| row.number.to_string());
        answer.row_list = Some(rows.iter().map(|row| shown(row, language)).collect());
        Ok(answer)
    }

    /// Stops what was not started yet.
    pub fn cancel_bulk(&self, caller: &Caller, id: i64) -> Result<BulkProgress, Error> {
        caller.must_send()?;
        let (company, id, now) = (caller.company.clone(), BulkId(id), self.now());
        let stored = self.store.write(move |tx| {
            let cancelled = bulk::cancel(tx, &company, id, now)?;
            let stored = bulk::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::Bulk))?;
            if !cancelled {
                return Err(Error::Conflict {
                    code: ConflictCode::BulkFinished,
                    state: Some(status(&stored).to_owned()),
                });
            }
            Ok(stored)
        })?;
        Ok(progress(&stored, caller.zone))
    }

    /// A sheet of the template to fill in, as CSV.
    pub fn bulk_sheet(&self, caller: &Caller, template: Option<TemplateId>) -> Result<String, Error> {
        let template = template.ok_or_else(|| Error::fault("template_id", FaultCode::Required))?;
        let version = self.current_template(caller, template)?;
        let version = version.ok_or_else(|| Error::fault("template_id", FaultCode::UnknownTemplate))?;
        Ok(bulk_sheet::example(&version))
    }

    /// Starts some rows of each bulk start that is under way and that no process but `owner`, this one, works on. How many
    /// rows were tried; none: there is nothing to do now.
    pub fn run_bulk_starts(&self, owner: &str) -> Result<usize, Error> {
        let now = self.now();
        let running = self.store.read(move |tx| bulk::running(tx, now).map_err(Error::from))?;
        let mut tried = 0;
        for bulk in running {
            // Its rows wait; the others have their turn.
            if let Err(error) = self.run_bulk_start(&bulk, owner, &mut tried) {
                error.log();
                tracing::warn!(bulk = bulk.id.0, "a bulk start goes on later");
                let (id, until) = (bulk.id, self.after(REST));
                self.store
                    .write(move |tx| bulk::put_off(tx, id, until).map_err(Error::from))
                    .unwrap_or_else(|error| error.log());
            }
        }
        Ok(tried)
    }

    /// Gives back what processes had taken that are no more.
    pub fn recover_bulk_starts(&self, is_dead: fn(&str) -> bool) -> Result<(), Error> {
        self.store.write_relaxed(move |tx| {
            for owner in bulk::lease_owners(tx)?.iter().filter(|owner| is_dead(owner)) {
                bulk::release_owner(tx, owner)?;
            }
            Ok(())
        })
    }

    /// Takes a bulk start, or has it for longer; until when. None where another process has it.
    fn claim_bulk_start(&self, id: BulkId, owner: &str) -> Result<Option<Timestamp>, Error> {
        let (now, owner) = (self.now(), owner.to_owned());
        let until = now.checked_add(LEASE).unwrap_or(Timestamp::MAX);
        let is_ours = self
            .store
            .write_relaxed(move |tx| bulk::claim(tx, id, &owner, now, until).map_err(Error::from))?;
        Ok(is_ours.then_some(until))
    }

    fn run_bulk_start(&self, running: &Running, owner: &str, tried: &mut usize) -> Result<(), Error> {
        let (id, now) = (running.id, self.now());
        let Some(mut until) = self.claim_bulk_start(id, owner)? else {
            return Ok(());
        };
        let rows = self
            .store
            .read(move |tx| bulk::waiting(tx, id, now, ROWS_OF_A_ROUND).map_err(Error::from))?;
        if !rows.is_empty() {
            let sender = self.bulk_sender(running)?;
            for row in &rows {
                if until.duration_since(self.now()) < RENEWAL {
                    match self.claim_bulk_start(id, owner)? {
                        Some(later) => until = later,
                        None => return Ok(()),
                    }
                }
                *tried += 1;
                self.decide_row(running, row, sender.as_ref())?;
            }
        }
        if rows.len() < ROWS_OF_A_ROUND as usize {
            let now = self.now();
            self.store
                .write(move |tx| bulk::finish(tx, id, now).map_err(Error::from))?;
        }
        Ok(())
    }

    /// Starts a row, or says why it cannot be. An error is our own, and not this row's alone: the row waits.
    fn decide_row(&self, running: &Running, waiting: &Waiting, sender: Option<&Caller>) -> Result<(), Error> {
        let (id, number) = (running.id, waiting.number);
        let (row, origin) = match self.opened_row(running, waiting) {
            Ok(opened) => opened,
            Err(error) => {
                error.log();
                return self.put_row_off(id, waiting, &error);
            }
        };
        let outcome = match sender {
            Some(sender) => {
                let also = Also::BulkRow { bulk: id, number };
                self.start_with(sender, row.request.clone(), &origin, Some(also))
                    .map(drop)
            }
            None => Err(Error::Forbidden(ForbiddenCode::Role)),
        };
        let error = match outcome {
            // Started, by us or by somebody else; or somebody else has cancelled all.
            Ok(())
            | Err(Error::Conflict {
                code: ConflictCode::Changed,
                ..
            }) => return Ok(()),
            Err(error) => error,
        };
        let Some(faults) = row.kept(&error) else {
            if matches!(error, Error::Internal { .. } | Error::FileLost(_)) {
                self.put_row_off(id, waiting, &error)?;
            }
            return Err(error);
        };
        self.give_row_up(id, number, &faults)
    }

    /// A row that could not be decided is tried again later, or given up after its last try.
    fn put_row_off(&self, id: BulkId, waiting: &Waiting, error: &Error) -> Result<(), Error> {
        let number = waiting.number;
        let pause = usize::try_from(waiting.tries).ok().and_then(|tries| PAUSES.get(tries));
        let Some(pause) = pause else {
            let fault = KeptFault {
                path: String::new(),
                code: error.id().to_owned(),
                arguments: Vec::new(),
            };
            return self.give_row_up(id, number, &[fault]);
        };
        let again = self.after(*pause);
        self.store
            .write(move |tx| bulk::set_tried(tx, id, number, again).map_err(Error::from))
    }

    fn give_row_up(&self, id: BulkId, number: u32, faults: &[KeptFault]) -> Result<(), Error> {
        let faults = serde_json::to_string(faults).map_err(|error| Error::internal("keeping a fault", error))?;
        self.store
            .write(move |tx| bulk::set_failed(tx, id, number, &faults).map_err(Error::from))?;
        Ok(())
    }

    fn after(&self, pause: SignedDuration) -> Timestamp {
        self.now().checked_add(pause).unwrap_or(Timestamp::MAX)
    }

    /// A row as it was kept, and where its request came from.
    fn opened_row(&self, running: &Running, waiting: &Waiting) -> Result<(ReadRow, Origin), Error> {
        let origin =
            serde_json::from_str(&running.origin).map_err(|error| Error::internal("reading a bulk start", error))?;
        let text = self
            .vault
            .decrypt(Purpose::BulkRow, &waiting.request)
            .map_err(|error| Error::internal("reading a row", error))?;
        let row: ReadRow = serde_json::from_slice(&text).map_err(|error| Error::internal("reading a row", error))?;
        let row = ReadRow {
            number: waiting.number,
            ..row
        };
        Ok((row, origin))
    }

    /// Who sends, as he is now; none where he may not any more.
    fn bulk_sender(&self, running: &Running) -> Result<Option<Caller>, Error> {
        let (company, member) = (running.company.clone(), running.member);
        self.member_caller(&company, member, Channel::Api)
    }

    /// Removes bulk starts that have been over for long.
    pub fn sweep_bulk_starts(&self) -> Result<u64, Error> {
        let before = self
            .now()
            .checked_sub((KEPT_DAYS * 24).hours())
            .map_err(|error| Error::internal("counting back from now", error))?;
        self.store.write(move |tx| bulk::sweep(tx, before).map_err(Error::from))
    }
}

/// A row with what holds for all where it says nothing: writers of steps that it does not name, values of other fields.
fn merged(mut row: StartRequest, common: &StartRequest) -> StartRequest {
    if let (Some(given), Some(template)) = (row.template_id, common.template_id)
        && given != template
    {
        row.faults
            .push(Fault::new("template_id", FaultCode::NotAllowed).with("allowed", template));
    }
    // Of a step with several roles a row may name some, and the others hold for all.
    let named = row.recipients.clone();
    for own in &mut row.recipients {
        let same_role = common
            .recipients
            .iter()
            .find(|one| one.order == own.order && one.role == own.role);
        if let Some(one) = same_role.or_else(|| common.recipients.iter().find(|one| is_same_place(own, one))) {
            complete(own, one);
        }
    }
    let is_named = |common: &StartRecipient| named.iter().any(|own| is_same_place(own, common));
    let others = common.recipients.iter().filter(|recipient| !is_named(recipient));
    row.recipients.extend(others.cloned());
    let named: Vec<Option<String>> = row.fields.iter().map(|field| field.name.clone()).collect();
    let others = common.fields.iter().filter(|field| !named.contains(&field.name));
    row.fields.extend(others.cloned());
    StartRequest {
        workflow_name: row.workflow_name.or_else(|| common.workflow_name.clone()),
        template_id: common.template_id,
        expiry_date: row.expiry_date.or_else(|| common.expiry_date.clone()),
        language: row.language.or_else(|| common.language.clone()),
        comment: row.comment.or_else(|| common.comment.clone()),
        cc: if row.cc.is_empty() { common.cc.clone() } else { row.cc },
        export: row.export.or_else(|| common.export.clone()),
        is_preview: false,
        offset: common.offset.clone(),
        idempotency: None,
        ..row
    }
}

fn is_same_place(own: &StartRecipient, common: &StartRecipient) -> bool {
    own.order == common.order && (own.role.is_none() || common.role.is_none() || own.role == common.role)
}

/// Takes what a row leaves out of a writer from the one who holds for all. How a writer shows who he is holds whoever he is;
/// one with a name or an address of his own is somebody else, with another telephone and another language.
fn complete(own: &mut StartRecipient, common: &StartRecipient) {
    if own.password.is_none() {
        own.password.clone_from(&common.password);
        own.password_hint = own.password_hint.take().or_else(|| common.password_hint.clone());
    }
    own.one_time_code = own.one_time_code.or(common.one_time_code);
    if own.name.is_none() && own.email.is_none() {
        own.name.clone_from(&common.name);
        own.email.clone_from(&common.email);
        own.mobile = own.mobile.take().or_else(|| common.mobile.clone());
        own.language = own.language.take().or_else(|| common.language.clone());
    }
}

fn status(stored: &Bulk) -> &'static str {
    match (stored.cancelled_at, stored.finished_at) {
        (Some(_), _) => "cancelled",
        (None, Some(_)) => "finished",
        (None, None) => "running",
    }
}

fn progress(stored: &Bulk, zone: domain::Zone) -> BulkProgress {
    let with_zone = |at| time::format_with_zone(at, zone);
    let decided = stored.started + stored.failed + stored.cancelled;
    BulkProgress {
        bulk_id: stored.id.0,
        template_id: stored.template.get(),
        status: status(stored).to_owned(),
        total: stored.total,
        waiting: stored.total.saturating_sub(decided),
        started: stored.started,
        failed: stored.failed,
        cancelled: stored.cancelled,
        created_date: with_zone(stored.created_at),
        finished_date: stored.finished_at.map(with_zone).unwrap_or_default(),
        row_list: None,
        next_cursor: None,
    }
}

fn shown(row: &bulk::Row, language: Language) -> BulkRow {
    let faults: Vec<KeptFault> = row
        .faults
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    BulkRow {
        row: row.number,
        status: row.state.word().to_owned(),
        workflow_id: row.workflow.map(domain::WorkflowId::get),
        errors: faults.iter().map(|fault| fault.words(language)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(email: Option<&str>) -> StartRecipient {
        StartRecipient {
            order: Some(2),
            email: email.map(str::to_owned),
            ..StartRecipient::default()
        }
    }

    #[test]
    fn an_access_code_for_all_rows_holds_for_whomever_a_row_names() {
        let common = StartRequest {
            recipients: vec![StartRecipient {
                name: Some("Employer".to_owned()),
                mobile: Some("01012345678".to_owned()),
                password: Some("98765".to_owned()),
                password_hint: Some("staff number".to_owned()),
                one_time_code: Some(true),
                ..writer(Some("employer@example.com"))
            }],
            ..StartRequest::default()
        };
        let of_row = |own: StartRecipient| {
            let row = StartRequest {
                recipients: vec![own],
                ..StartRequest::default()
            };
            merged(row, &common).recipients
        };
        let other = of_row(writer(Some("b@example.com")));
        let expected = StartRecipient {
            name: None,
            mobile: None,
            email: Some("b@example.com".to_owned()),
            ..common.recipients[0].clone()
        };
        assert!(other == [expected], "another person has another telephone");
        assert!(of_row(writer(None)) == common.recipients, "the same person");
        let own_code = of_row(StartRecipient {
            password: Some("1111".to_owned()),
            one_time_code: Some(false),
            ..writer(None)
        });
        let expected = StartRecipient {
            password: Some("1111".to_owned()),
            password_hint: None,
            one_time_code: Some(false),
            ..common.recipients[0].clone()
        };
        assert!(own_code == [expected], "a hint at another code is none");
    }
}
