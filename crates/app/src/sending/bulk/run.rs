//! The job that starts the rows of bulk sends.
//!
//! **Guarantees.** A row's document is started in the transaction that marks the row as started, and only while the row
//! is waiting. So a server that was killed continues where it stopped, and no row starts twice, even if two processes
//! work on it or it is cancelled at the same time. Rows with errors are reported and do not delay others. Only one
//! process at a time works on a bulk send, under a lease that it renews. Others take over the work of a dead process
//! within seconds (docs/adr/0022), or at once if they start on the same machine.
//!
//! **Failures.** If an internal error prevents a decision about a row, the row is retried after growing [`PAUSES`] over
//! about seven hours, and then given up. Such a failure ends the round, and its bulk send rests for some seconds. The
//! cause, such as unavailable storage, probably affects all rows, and they must not use up their tries meanwhile. A row
//! that cannot be decrypted does not delay others.

use jiff::{SignedDuration, Timestamp};
use store::bulk::{self, BulkId, Running, Waiting};

use super::row::{KeptFault, ReadRow};
use crate::App;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{ConflictCode, Error, ForbiddenCode};
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::sending::start::Together;

/// Maximum number of rows of one bulk send per round, so that others get their turn.
const ROWS_OF_A_ROUND: u32 = 100;
/// Duration of the lease on a bulk send, which must be longer than any row takes.
const LEASE: SignedDuration = SignedDuration::from_mins(1);
/// The lease is renewed if less than this is left.
const RENEWAL: SignedDuration = SignedDuration::from_secs(45);
/// Waits before each further try of an undecided row. After the last try we give up.
const PAUSES: [SignedDuration; 4] = [
    SignedDuration::from_mins(1),
    SignedDuration::from_mins(10),
    SignedDuration::from_hours(1),
    SignedDuration::from_hours(6),
];
/// Time that a bulk send rests after an internal error.
const REST: SignedDuration = SignedDuration::from_secs(10);

impl App {
    /// Starts some rows of each running bulk send that no other process than `owner` (this one) works on. Returns the
    /// number of rows tried. 0 means that there is nothing to do at the moment.
    pub fn run_bulk_starts(&self, owner: &str) -> Result<usize, Error> {
        let now = self.now();
        let running = self.store.read(move |tx| bulk::running(tx, now).map_err(Error::from))?;
        let mut tried = 0;
        for bulk in running {
            // The rows of this bulk send wait, while others get their turn.
            if let Err(error) = self.run_bulk_start(&bulk, owner, &mut tried) {
                error.log();
                tracing::warn!(
                    bulk = bulk.id.0,
                    "a bulk send was interrupted by an error; it will continue later"
                );
                let (id, until) = (bulk.id, self.after(REST));
                self.store
                    .write(move |tx| bulk::put_off(tx, id, until).map_err(Error::from))
                    .unwrap_or_else(|error| error.log());
            }
        }
        Ok(tried)
    }

    /// Releases the bulk sends claimed by processes that no longer run.
    pub fn recover_bulk_starts(&self, is_dead: fn(&str) -> bool) -> Result<(), Error> {
        self.store.write_relaxed(move |tx| {
            for owner in bulk::lease_owners(tx)?.iter().filter(|owner| is_dead(owner)) {
                bulk::release_owner(tx, owner)?;
            }
            Ok(())
        })
    }

    /// Claims a bulk send, or renews the lease. Returns the end of the lease, or `None` if another process holds it.
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

    /// Starts a row, or records why it cannot start. An error is internal and not specific to this row, which keeps
    /// waiting.
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
                let together = Together {
                    record: Some(Box::new(move |tx, workflow, _| {
                        if bulk::set_started(tx, id, number, workflow)? {
                            Ok(())
                        } else {
                            Err(Error::conflict(ConflictCode::Changed))
                        }
                    })),
                    ..Together::default()
                };
                self.start_with(sender, row.request.clone(), &origin, together)
                    .map(drop)
            }
            None => Err(Error::Forbidden(ForbiddenCode::Role)),
        };
        let error = match outcome {
            // This or another process has started the row, or the bulk send was cancelled.
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

    /// Schedules another try of an undecided row, or gives it up after the last one.
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

    /// Decrypts a stored row and the origin of its request.
    fn opened_row(&self, running: &Running, waiting: &Waiting) -> Result<(ReadRow, Origin), Error> {
        let origin =
            serde_json::from_str(&running.origin).map_err(|error| Error::internal("reading a bulk send", error))?;
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

    /// Returns the sender's current state. `None` if they may no longer send.
    fn bulk_sender(&self, running: &Running) -> Result<Option<Caller>, Error> {
        let (company, member) = (running.company.clone(), running.member);
        self.member_caller(&company, member, Channel::Api)
    }
}
