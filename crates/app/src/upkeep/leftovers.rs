//! Deletes expired data.

use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::error::Error;
use crate::signing::preview::PreviewContent;

/// Number of hours for which the response under an idempotency key is stored.
const KEPT_HOURS: i64 = 24;

impl App {
    /// Removes expired responses and previews. Returns their number.
    pub fn sweep_workflow_leftovers(&self) -> Result<u64, Error> {
        let now = self.now();
        let since = now
            .checked_sub(SignedDuration::from_hours(KEPT_HOURS))
            .unwrap_or(Timestamp::MIN);
        self.store.write(move |tx| {
            let answers = store::idempotency::sweep(tx, since)?;
            // A preview of a one-off document includes its template.
            for (company, content) in store::preview::over(tx, now)? {
                if let Ok(content) = serde_json::from_str::<PreviewContent>(&content) {
                    store::template::delete_one_off(tx, &company, content.template, now)?;
                }
            }
            let previews = store::preview::sweep(tx, now)?;
            Ok::<_, Error>(answers + previews)
        })
    }
}
