//! The root's revocation list, which is issued every day, served to everybody, and embedded in seals.
//!
//! It is stored with the installation's settings. Code that needs the list issues a new one if it is a day old, so
//! nothing waits for the job. If several processes do so at once, any of the lists will do.

use document::pki::keys::{SealKey, Signer, certificates_from_pem};
use document::pki::revocation::{self, RevocationReason, Revoked};
use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::error::Error;
use crate::base::installation;

const NAME: &str = "revocation-list";
/// Age at which a list is replaced.
const RENEWED_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// Time for which a verifier may use a list.
const VALID_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Lists are slightly backdated, so that a verifier whose clock is slow accepts them.
const BACKDATED: SignedDuration = SignedDuration::from_mins(5);

impl App {
    /// Returns the root's revocation list (DER), at most a day old.
    pub fn revocation_list(&self) -> Result<Vec<u8>, Error> {
        let kept = self
            .store
            .read_one(|tx| store::setting::find(tx, NAME).map_err(Error::from))?;
        if let Some(kept) = kept
            && let Ok(list) = revocation::list_validity(&kept)
            && self.now().duration_since(list.this_update) < RENEWED_AFTER
        {
            return Ok(kept);
        }
        self.renew_revocation_list()
    }

    /// Returns the list for this installation's own verification. If it cannot be renewed, the last one is used. It
    /// contains every revocation, because each revocation issues a new list.
    pub(in crate::sealing) fn known_revocations(&self) -> Result<Vec<u8>, Error> {
        self.revocation_list().or_else(|fault| {
            let kept = self
                .store
                .read(|tx| store::setting::find(tx, NAME).map_err(Error::from))?;
            kept.ok_or(fault)
        })
    }

    /// Issues a new list, regardless of the age of the last one.
    pub fn renew_revocation_list(&self) -> Result<Vec<u8>, Error> {
        let root = installation::root(&self.store, &self.vault)?;
        let now = self.now();
        self.store.write(move |tx| issue(tx, &root, now))
    }
}

/// Issues and stores the list of all revocations, in the transaction that revokes, so that the list always contains
/// every revocation.
pub(crate) fn issue(tx: &mut dyn store::Transaction, root: &SealKey, now: Timestamp) -> Result<Vec<u8>, Error> {
    let failed = |error| Error::internal("issuing the root's revocation list", error);
    let rows = store::company::revoked_seal_keys(tx)?;
    let mut serials = Vec::with_capacity(rows.len());
    for row in &rows {
        let certificates = certificates_from_pem(&row.certificates)
            .map_err(|error| Error::internal("reading a revoked certificate", error))?;
        // We cannot revoke a certificate that another authority issued.
        let Some(own) = certificates.first() else { continue };
        if root
            .certificates()
            .first()
            .is_some_and(|root| revocation::names_issuer(own, root))
        {
            let serial = revocation::serial_number(own).map_err(failed)?;
            serials.push((serial, row.revoked_at, row.reason.as_deref()));
        }
    }
    let revoked: Vec<Revoked<'_>> = serials
        .iter()
        .map(|(serial, at, reason)| Revoked {
            serial_number: serial,
            at: *at,
            reason: reason.and_then(RevocationReason::parse).unwrap_or_default(),
        })
        .collect();
    // Microseconds since 1970 increase without coordination between processes.
    let number = u64::try_from(now.as_microsecond()).unwrap_or_default();
    let begins = now.saturating_sub(BACKDATED).unwrap_or(now);
    let ends = now.saturating_add(VALID_FOR).unwrap_or(now);
    let list = revocation::issue_list(root, &revoked, number, begins, ends).map_err(failed)?;
    store::setting::put(tx, NAME, &list)?;
    Ok(list)
}
