//! Deletes data whose time is over.

use jiff::{SignedDuration, Timestamp};

use crate::App;
use crate::base::error::Error;
use crate::signing::preview::PreviewContent;

/// How long the answer under an idempotency key is kept.
const KEPT_HOURS: i64 = 24;

impl App {
    /// Removes expired answers and previews, and returns how many.
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
