//! Wrong one-time codes, counted per contact, which is stored only as a keyed hash.
//!
//! Of two transactions that count for the same contact at the same moment, the later one runs again, because both write
//! the same row.

use domain::CompanyId;
use domain::one_time_code::WrongCodes;
use jiff::Timestamp;

use crate::sql::wrong_code as sql;
use crate::{Error, Transaction, values};

/// The wrong codes of a contact.
pub fn of_contact(tx: &mut dyn Transaction, company: &CompanyId, contact: &[u8; 32]) -> Result<WrongCodes, Error> {
    let Some(row) = tx.query_optional(&sql::FIND, values![company, contact])? else {
        return Ok(WrongCodes::default());
    };
    row.parse("times", read)
}

fn read(times: &str) -> Result<WrongCodes, String> {
    let seconds: Vec<i64> = serde_json::from_str(times).map_err(|error| error.to_string())?;
    let times = seconds
        .into_iter()
        .map(Timestamp::from_second)
        .collect::<Result<_, _>>();
    times.map(WrongCodes::at).map_err(|error| error.to_string())
}

/// Stores them, with one more that was entered at `last`.
pub fn put(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    contact: &[u8; 32],
    codes: &WrongCodes,
    last: Timestamp,
) -> Result<(), Error> {
    let seconds: Vec<i64> = codes.times().iter().map(|time| time.as_second()).collect();
    let times = serde_json::Value::from(seconds).to_string();
    tx.execute_one(&sql::PUT, values![company, contact, times.as_str(), last])
}

/// Forgets contacts without a wrong code since a time. Returns how many.
pub fn delete_old(tx: &mut dyn Transaction, since: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_OLD, values![since])
}
