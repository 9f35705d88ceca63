//! Warns owners of seal certificates that end soon.

use std::sync::Arc;

use domain::{Contact, Role};
use jiff::Timestamp;
use store::company::SealKeyInUse;

use crate::App;
use crate::base::error::Error;
use crate::outbox::mail::{Notification, Occasion};
use crate::sealing::seal_ends::due;

/// Returns the whole days until the end. `None` if it has passed.
fn days_until(end: Timestamp, now: Timestamp) -> Option<i64> {
    (end > now).then(|| end.duration_since(now).as_hours() / 24)
}

impl App {
    /// Sends a mail to the owners of every company whose seal certificate ends soon, once for each of the defined days.
    /// Returns the number of companies warned.
    pub fn warn_of_seal_ends(&self) -> Result<u32, Error> {
        let now = self.now();
        let mut warned = 0;
        for (key, end) in self.ends_of_keys_in_use()? {
            let Some(days) = due(end, now).filter(|days| key.warned_days.is_none_or(|last| *days < last)) else {
                continue;
            };
            if self.warn_of_seal_end(&key, end, days, now)? {
                warned += 1;
            }
        }
        if warned > 0 {
            self.bell.ring();
        }
        Ok(warned)
    }

    /// Sends the mails of one warning. Returns `false` if another process was faster.
    fn warn_of_seal_end(&self, key: &SealKeyInUse, end: Timestamp, days: i64, now: Timestamp) -> Result<bool, Error> {
        let (id, company) = (key.id, key.company.clone());
        let days_left = days_until(end, now).unwrap_or_default();
        let outgoing = Arc::clone(&self.outgoing);
        self.store.write(move |tx| {
            if !store::company::set_seal_key_warned(tx, id, days)? {
                return Ok(false);
            }
            let Some(company) = store::company::find(tx, &company)? else {
                return Ok(false);
            };
            let members = store::member::list(tx, &company.id)?;
            for member in members
                .iter()
                .filter(|member| member.role == Role::Owner && member.disabled_at.is_none())
            {
                let contact = Contact::Email(member.email.clone());
                let occasion = Occasion::SealEnds {
                    at: end,
                    days: days_left,
                };
                let notification = Notification::to_member(&company, &member.name, &contact, occasion);
                let mail = outgoing.mail_room().delivery(&company.id, None, &notification, now)?;
                store::outbox::enqueue(tx, &mail)?;
            }
            Ok::<_, Error>(true)
        })
    }
}
