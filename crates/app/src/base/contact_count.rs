//! How often something happened lately for one contact, over all documents of a company: wrong one-time codes, and requests for
//! new links. The contact is stored only as a keyed hash.

use domain::CompanyId;
use domain::recent_times::{Limit, RecentTimes};
use jiff::Timestamp;
use store::Transaction;

use crate::base::error::{Error, ThrottleCode};
use crate::base::vault::{Purpose, Vault};

/// Where something is counted for a contact.
#[derive(Clone)]
pub(crate) struct ContactCount {
    company: CompanyId,
    contact: [u8; 32],
    limits: &'static [Limit],
    refusal: ThrottleCode,
}

impl ContactCount {
    /// By what is counted, and for which mailbox.
    pub(crate) fn new(
        vault: &Vault,
        company: &CompanyId,
        (what, mailbox): (&str, &str),
        limits: &'static [Limit],
        refusal: ThrottleCode,
    ) -> ContactCount {
        ContactCount {
            company: company.clone(),
            contact: vault.tag(Purpose::CodeGuesses, format!("{what} {mailbox}").as_bytes()),
            limits,
            refusal,
        }
    }

    /// What was counted so far; 429 if that is too much.
    pub(crate) fn check(&self, tx: &mut dyn Transaction, at: Timestamp) -> Result<RecentTimes, Error> {
        let times = store::wrong_code::of_contact(tx, &self.company, &self.contact)?;
        match times.allows(self.limits, at) {
            Ok(()) => Ok(times),
            Err(wait) => Err(Error::throttled(self.refusal, wait)),
        }
    }

    pub(crate) fn count(&self, tx: &mut dyn Transaction, mut times: RecentTimes, at: Timestamp) -> Result<(), Error> {
        times.add(self.limits, at);
        Ok(store::wrong_code::put(tx, &self.company, &self.contact, &times, at)?)
    }
}
