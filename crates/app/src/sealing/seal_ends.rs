//! Handles seal certificates that are about to end: no document starts or is extended beyond the end, and the company's
//! owners are warned in time.

use document::pki::keys::{certificates_from_pem, end_of_certificates};
use document::pki::revocation::is_issued_by;
use domain::{CompanyId, Zone, time};
use jiff::{SignedDuration, Timestamp};
use store::company::SealKeyInUse;

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::{Error, Fault, FaultCode};

/// Days before the end of a company's certificate at which its owners are warned.
const WARNED_BEFORE: [i64; 3] = [60, 30, 7];

/// Time from which a company can no longer seal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealEnd {
    pub company: CompanyId,
    pub at: Timestamp,
    /// Whether this installation's root issued the certificate and has a later end, so that the operator can renew the
    /// certificate here.
    pub is_renewable: bool,
}

/// Returns the fault of a workflow that could remain open after its company can no longer seal. For a workflow without
/// an expiry date, `usual_end` is checked, the default deadline of a start.
pub(crate) fn fault(expires_at: Timestamp, usual_end: Timestamp, seal_ends: Timestamp, zone: Zone) -> Option<Fault> {
    let date = || time::format_with_zone(seal_ends, zone);
    let last_day = if expires_at == time::never() {
        usual_end
    } else {
        expires_at
    };
    (last_day > seal_ends).then(|| Fault::new("expiry_date", FaultCode::SealEndsBefore).with("date", date()))
}

/// Returns the warning that is due: the latest one whose time has come.
pub(crate) fn due(end: Timestamp, now: Timestamp) -> Option<i64> {
    let is_due = |days: &i64| end.duration_since(now) <= SignedDuration::from_hours(days * 24);
    WARNED_BEFORE.into_iter().filter(is_due).min().filter(|_| end > now)
}

impl App {
    /// Returns the time from which the company can no longer seal with its current key.
    pub(crate) fn current_seal_key_end(&self, company: &CompanyId) -> Result<Option<Timestamp>, Error> {
        let wanted = company.clone();
        let in_use = self
            .store
            .read_one(move |tx| store::company::seal_key_id(tx, &wanted).map_err(Error::from))?;
        self.seal_key_end(company, in_use)
    }

    /// Returns the time from which the member's company can no longer seal, if it is past or close enough for a
    /// warning.
    pub fn seal_end_to_warn_of(&self, actor: &Actor) -> Result<Option<Timestamp>, Error> {
        let by = actor.must_read()?;
        let (end, now) = (self.current_seal_key_end(by.company())?, self.now());
        Ok(end.filter(|end| *end <= now || due(*end, now).is_some()))
    }

    /// Returns the companies whose seal certificates end soon, for the operator.
    pub fn seal_ends(&self) -> Result<Vec<SealEnd>, Error> {
        let root = certificates_from_pem(&self.root_certificate()?)
            .map_err(|error| Error::internal("reading the installation's root certificate", error))?;
        let now = self.now();
        let root_ends = end_of_certificates(&self.root_certificate()?).unwrap_or(Timestamp::MIN);
        let is_ours = |key: &SealKeyInUse| {
            let own = certificates_from_pem(&key.certificates).ok()?.into_iter().next()?;
            Some(root.iter().any(|root| is_issued_by(&own, root)))
        };
        let ends = self.ends_of_keys_in_use()?.into_iter();
        Ok(ends
            .filter(|(_, at)| due(*at, now).is_some())
            .map(|(key, at)| SealEnd {
                is_renewable: root_ends > at && is_ours(&key).unwrap_or_default(),
                company: key.company,
                at,
            })
            .collect())
    }

    /// Returns the current keys of all companies, with the end of each. Skips unreadable keys, which `doctor` reports.
    pub(crate) fn ends_of_keys_in_use(&self) -> Result<Vec<(SealKeyInUse, Timestamp)>, Error> {
        let keys = self
            .store
            .read(|tx| store::company::seal_keys_in_use(tx).map_err(Error::from))?;
        let ends = |key: SealKeyInUse| {
            let end = end_of_certificates(&key.certificates).ok()?;
            Some((key, end))
        };
        Ok(keys.into_iter().filter_map(ends).collect())
    }
}
