//! The job that adds timestamps: those that are missing because an authority did not respond, and renewals.

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

/// Maximum time that the job waits for the proofs of one file's certificates. Longer than usual because no person waits
/// for it.
const JOB_WAITS: Duration = Duration::from_mins(1);

impl App {
    /// Adds the timestamps that are due: those that are missing because an authority did not respond, and those whose
    /// authority's certificate ends soon. Checks at most `most` files. Returns how many of them got a timestamp.
    pub fn add_due_timestamps(&self, most: u32) -> Result<u32, Error> {
        let now = self.now();
        let due = self
            .store
            .read(move |tx| store::workflow::due_timestamps(tx, now, most).map_err(Error::from))?;
        let mut added = 0;
        for mut due in due {
            // The process that postpones the due time does the work. Others then find it postponed.
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
                    tracing::warn!(%company, %workflow, %fault, "no timestamp was available; we will try again");
                }
                Err(Failed::Always(error)) => {
                    tracing::error!(%company, %workflow, %error, "a timestamp could not be added; we will try again");
                }
            }
        }
        Ok(added)
    }

    /// Adds timestamps to a workflow's document and certificate. Returns `false` if none are needed any longer.
    fn add_timestamps(&self, due: &DueTimestamp) -> Result<bool, Failed> {
        let wanted = self.wanted(&due.company)?;
        let Some(tsa) = wanted.tsa.as_ref().filter(|_| wanted.level != SealLevel::Basic) else {
            // The company currently wants no timestamps. Archived documents remain archived as long as their last
            // timestamp is valid.
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
            // Strangers may have written the bytes below the seal.
            let (longer, next) = on_deep_stack("adding a timestamp", || {
                let longer = self.upgraded(&pdf, wanted.level, &asking)?.map(SharedBytes::from);
                if let Some(longer) = &longer {
                    // Keeps the existing file if the new one does not verify.
                    prove_sound("verifying a file with a new timestamp", longer)?;
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

    /// Returns a file with everything that its level still requires, or with a renewed archive timestamp. `None` if
    /// there is nothing to add.
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
                // Only responses of third-party responders are missing. They are requested now, and if there is no
                // response, again at the next renewal.
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
                // The proofs also cover the timestamp, so it must be added first.
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
                // Another process was faster. The files stored here stay loose.
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
