//! What is counted per contact, which is stored only as a keyed hash: wrong one-time codes, and requests for new links.
//! The hashes of both differ, so neither counts for the other.
//!
//! Of two transactions that count for the same contact at the same moment, the later one runs again, because both write
//! the same row.

use domain::CompanyId;
use domain::recent_times::RecentTimes;
use jiff::Timestamp;

use crate::sql::wrong_code as sql;
use crate::{Error, Transaction, values};

/// When it happened lately, of a contact.
pub fn of_contact(tx: &mut dyn Transaction, company: &CompanyId, contact: &[u8; 32]) -> Result<RecentTimes, Error> {
    let Some(row) = tx.query_optional(&sql::FIND, values![company, contact])? else {
        return Ok(RecentTimes::default());
    };
    row.parse("times", read)
}

fn read(times: &str) -> Result<RecentTimes, String> {
    let seconds: Vec<i64> = serde_json::from_str(times).map_err(|error| error.to_string())?;
    let times = seconds
        .into_iter()
        .map(Timestamp::from_second)
        .collect::<Result<_, _>>();
    times.map(RecentTimes::at).map_err(|error| error.to_string())
}

/// Stores them, with one more at `last`.
pub fn put(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    contact: &[u8; 32],
    times: &RecentTimes,
    last: Timestamp,
) -> Result<(), Error> {
    let seconds: Vec<i64> = times.times().iter().map(|time| time.as_second()).collect();
    let times = serde_json::Value::from(seconds).to_string();
    tx.execute_one(&sql::PUT, values![company, contact, times.as_str(), last])
}

/// Forgets contacts of which nothing was counted since a time. Returns how many.
pub fn delete_old(tx: &mut dyn Transaction, since: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_OLD, values![since])
}
