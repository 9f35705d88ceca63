//! The job that adds timestamps: missing ones, because an authority did not respond, and renewals.

use std::sync::Arc;
use std::time::Duration;

use document::pdf::shared_bytes::SharedBytes;
use document::sealing::validation_data::{self, ValidationData};
use domain::{Actor, EventKind, FileKind, SealLevel};
use store::workflow::{DueTimestamp, SealedDocument};

use crate::App;
use crate::base::error::Error;
use crate::base::network::Patience;
use crate::base::uploads::FileClaim;
use crate::sealing::deep_stack::{on_deep_stack, prove_sound};
use crate::sealing::proofs::{Needed, Proofs};
use crate::sealing::seal::{Asking, Failed, RETRY_TIMESTAMP, evidence, later, renewal, timestamped};

/// How long the job waits for the proofs of one file's certificates. Nobody waits for the job.
const JOB_WAITS: Duration = Duration::from_mins(1);

impl App {
    /// Adds the timestamps that are due: those that are missing, because an authority did not answer, and those whose
    /// authority's certificate ends soon. At most `most` files are looked at; how many got one is the answer.
    pub fn add_due_timestamps(&self, most: u32) -> Result<u32, Error> {
        let now = self.now();
        let due = self
            .store
            .read(move |tx| store::workflow::due_timestamps(tx, now, most).map_err(Error::from))?;
        let mut added = 0;
        for mut due in due {
            // Who puts it off sees to it; another process finds it put off.
            let claimed = due.clone();
            let until = Some(later(now, RETRY_TIMESTAMP));
            if !self
                .store
                .write(move |tx| store::workflow::put_timestamp_off(tx, &claimed, until).map_err(Error::from))?
            {
                continue;
            }
            due.sealed.timestamp_due = until;
            let (company, workflow) = (due.company.clone(), due.workflow);
            match self.add_timestamps(&due) {
                Ok(true) => added += 1,
                Ok(false) => {}
                Err(Failed::Now(fault)) => {
                    tracing::warn!(%company, %workflow, %fault, "no timestamp yet; it is tried again");
                }
                Err(Failed::Always(error)) => {
                    tracing::error!(%company, %workflow, %error, "a timestamp could not be added; it is tried again");
                }
            }
        }
        Ok(added)
    }

    /// Adds timestamps to a workflow's document and certificate. `false` if none is wanted any longer.
    fn add_timestamps(&self, due: &DueTimestamp) -> Result<bool, Failed> {
        let wanted = self.wanted(&due.company)?;
        let Some(tsa) = wanted.tsa.as_ref().filter(|_| wanted.level != SealLevel::Basic) else {
            // The company wants no timestamp now. Archived documents stay so while their last timestamp is valid.
            let put_off = due.clone();
            self.store
                .write(move |tx| store::workflow::put_timestamp_off(tx, &put_off, None).map_err(Error::from))?;
            return Ok(false);
        };
        let asking = Asking { app: self, tsa };
        let mut after = due.sealed;
        let mut events = Vec::new();
        let mut dues = Vec::new();
        let mut claim = FileClaim::of(&due.company);
        for (file, hash, length) in [
            (FileKind::Document, &mut after.document, &mut after.document_length),
            (
                FileKind::Certificate,
                &mut after.certificate,
                &mut after.certificate_length,
            ),
        ] {
            let pdf = SharedBytes::from(self.blobs.get(hash).map_err(Error::from)?);
            // The bytes below the seal may be someone else's.
            let (longer, next) = on_deep_stack("adding a timestamp", || {
                let longer = self.upgraded(&pdf, wanted.level, &asking)?.map(SharedBytes::from);
                if let Some(longer) = &longer {
                    // Should anything make this file one that does not verify, the one that is there stays.
                    prove_sound("proving a file with a new timestamp", longer)?;
                }
                let next = evidence(longer.as_ref().unwrap_or(&pdf))?.archive.map(renewal);
                Ok::<_, Failed>((longer, next))
            })??;
            dues.extend(next);
            let Some(longer) = longer else { continue };
            *hash = self.keep_file(&mut claim, &longer)?;
            *length = longer.len() as u64;
            events.push(EventKind::Timestamped {
                file,
                hash: *hash,
                length: *length,
            });
        }
        after.timestamp_due = dues.into_iter().min().filter(|_| wanted.level == SealLevel::Archive);
        if events.is_empty() {
            let put_off = due.clone();
            self.store.write(move |tx| {
                store::workflow::put_timestamp_off(tx, &put_off, after.timestamp_due).map_err(Error::from)
            })?;
            return Ok(false);
        }
        self.replace_sealed(due, after, &events, claim)?;
        Ok(true)
    }

    /// A file with everything that its level still lacks, or with a renewed archive timestamp. `None` if there is
    /// nothing to add.
    fn upgraded(&self, pdf: &SharedBytes, level: SealLevel, asking: &Asking<'_>) -> Result<Option<Vec<u8>>, Failed> {
        let present = evidence(pdf)?;
        // A document timestamp replaces a signature timestamp that was not available (EN 319 142-1, 6.3).
        let is_stamped = present.is_timestamped();
        match level {
            SealLevel::Basic => Ok(None),
            SealLevel::Timestamp if is_stamped => Ok(None),
            SealLevel::Timestamp => timestamped(pdf, &ValidationData::default(), asking).map(Some),
            SealLevel::LongTerm | SealLevel::Archive => {
                let is_renewed = present.archive.is_some_and(|archive| renewal(archive) <= self.now());
                let lacks_time = match level {
                    SealLevel::Archive => present.archive.is_none() || is_renewed,
                    _ => !is_stamped,
                };
                let lacks_data = !present.has_validation_data;
                // It only lacks responses of others' responders. They are asked again now, and if they are silent, at
                // the next renewal.
                if !lacks_time && !lacks_data && !present.has_others() {
                    return Ok(None);
                }
                let needed = if lacks_data && !is_renewed {
                    Needed::All
                } else {
                    Needed::Newest
                };
                let patience = Patience::of(JOB_WAITS, Arc::clone(&self.clock));
                let Proofs {
                    data,
                    lacks_own,
                    lacks_others,
                    ..
                } = self.proofs(&present, needed, &patience)?;
                let gains_data = lacks_data && !lacks_own || present.has_others() && !lacks_others;
                if !lacks_time && !gains_data {
                    return Ok(None);
                }
                if level == SealLevel::Archive {
                    return timestamped(pdf, &data, asking).map(Some);
                }
                // The proofs cover the timestamp too, so it must come first.
                let (stamped, data) = if is_stamped {
                    (pdf.clone(), data)
                } else {
                    let stamped = SharedBytes::from(timestamped(pdf, &ValidationData::default(), asking)?);
                    let proofs = self.proofs(&evidence(&stamped)?, Needed::All, &patience)?;
                    (stamped, proofs.data)
                };
                Ok(Some(validation_data::add_validation_data(&stamped, &data)?))
            }
        }
    }

    fn replace_sealed(
        &self,
        due: &DueTimestamp,
        after: SealedDocument,
        events: &[EventKind],
        claim: FileClaim,
    ) -> Result<(), Error> {
        let (company, id, before, at) = (due.company.clone(), due.workflow, due.sealed, self.now());
        self.note(&due.company, due.workflow, (&Actor::SERVICE, at), events, move |tx| {
            if !store::workflow::replace_sealed(tx, &company, id, &before, &after)? {
                // Another process was first. The files stored here stay loose.
                return Ok(false);
            }
            claim.take_over(tx)?;
            for (before, after) in [
                (before.document, after.document),
                (before.certificate, after.certificate),
            ] {
                if before != after {
                    store::workflow::refer_to_blob(tx, &company, id, after)?;
                    store::workflow::forget_blob(tx, &company, id, before)?;
                    store::loose_file::leave(tx, &company, before, at)?;
                }
            }
            Ok(true)
        })
    }
}
