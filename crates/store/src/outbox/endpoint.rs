//! Endpoints: stopping them after failures or for a member, switching them on, and the deliveries held for them.

use std::collections::BTreeMap;

use domain::CompanyId;
use jiff::Timestamp;
use serde_json::json;

use super::{PORTION, State, StopReason};
use crate::sql::delivery as sql;
use crate::{Error, Transaction, values};

/// An endpoint that fails or is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub url: String,
    /// The time since which it has only failed. `None` if it was paused while it did not fail.
    pub failing_since: Option<Timestamp>,
    /// The time and reason of the stop.
    pub stopped: Option<(Timestamp, Stop)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its own failures. The company's admins were notified.
    Failures(StopReason),
    /// A member of the company paused it.
    Paused,
}

impl Stop {
    /// Returns the name used in the database and in API answers.
    pub const fn word(self) -> &'static str {
        match self {
            Stop::Failures(reason) => reason.word(),
            Stop::Paused => "paused",
        }
    }

    fn parse(text: &str) -> Result<Stop, String> {
        if text == Stop::Paused.word() {
            Ok(Stop::Paused)
        } else {
            StopReason::parse(text).map(Stop::Failures)
        }
    }
}

/// Stops an endpoint for a member. Its deliveries are held until it is switched on. Returns how many are held now, or
/// `None` if it was already stopped.
pub fn pause_endpoint(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    url: &str,
    now: Timestamp,
) -> Result<Option<u64>, Error> {
    if tx.execute(&sql::ENDPOINT_PAUSE, values![company.as_str(), url, now])? == 0 {
        return Ok(None);
    }
    let held = tx.execute(
        &sql::HOLD,
        values![company.as_str(), url, State::Waiting.word(), PORTION],
    )?;
    if held < u64::from(PORTION) {
        return Ok(Some(held));
    }
    held_of(tx, company, url).map(Some)
}

/// Returns how many deliveries are held for a stopped endpoint.
pub fn held_of(tx: &mut dyn Transaction, company: &CompanyId, url: &str) -> Result<u64, Error> {
    tx.query_one(&sql::HELD_OF, values![company.as_str(), url])?.get("held")
}

/// Returns how many endpoints a company has paused.
pub fn paused(tx: &mut dyn Transaction, company: &CompanyId) -> Result<u64, Error> {
    tx.query_one(&sql::PAUSED, values![company.as_str()])?.get("paused")
}

/// Whether a company uses an endpoint: it failed or was stopped, something was sent to it, or a running workflow will
/// call it. No index supports this, so do not call it in a writing transaction.
pub fn knows_endpoint(tx: &mut dyn Transaction, company: &CompanyId, url: &str) -> Result<bool, Error> {
    let in_settings = format!("\"url\":{}", json!(url));
    tx.query_one(&sql::ENDPOINT_KNOWN, values![company.as_str(), url, in_settings])?
        .get("known")
}

/// Returns the company's endpoints that fail or are stopped, ordered by URL, after a given one.
pub fn endpoints(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    after: &str,
    limit: u32,
) -> Result<Vec<Endpoint>, Error> {
    let rows = tx.query(&sql::ENDPOINTS, values![company.as_str(), after, limit])?;
    rows.iter()
        .map(|row| {
            let stopped = match row.get::<Option<Timestamp>>("stopped_at")? {
                Some(at) => Some((at, row.parse("stopped_reason", Stop::parse)?)),
                None => None,
            };
            Ok(Endpoint {
                url: row.get("url")?,
                failing_since: row.get("failing_since")?,
                stopped,
            })
        })
        .collect()
}

/// Switches a stopped endpoint on. A first portion of the held deliveries is due now, and the rest follows with
/// [`let_go`]. Returns how many there are in all, or `None` if it was not stopped.
pub fn start_endpoint(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    url: &str,
    now: Timestamp,
) -> Result<Option<u64>, Error> {
    if tx.execute(&sql::ENDPOINT_START, values![company.as_str(), url, now])? == 0 {
        return Ok(None);
    }
    let released = let_go_portion(tx, company, url, now)?;
    if released < u64::from(PORTION) {
        return Ok(Some(released));
    }
    held_of(tx, company, url).map(Some)
}

/// Returns an endpoint that is on again while deliveries are still held for it.
pub fn letting_go(tx: &mut dyn Transaction) -> Result<Option<(CompanyId, String)>, Error> {
    let row = tx.query_optional(&sql::LETTING_GO, &[])?;
    row.map(|row| Ok((row.get("company_id")?, row.get("url")?))).transpose()
}

/// Releases the next portion of the deliveries held for an endpoint. Returns how many.
pub fn let_go(tx: &mut dyn Transaction, company: &CompanyId, url: &str, now: Timestamp) -> Result<u64, Error> {
    // If it was stopped again meanwhile, everything stays held.
    if tx.execute(&sql::LETS_GO, values![company.as_str(), url])? == 0 {
        return Ok(0);
    }
    let_go_portion(tx, company, url, now)
}

fn let_go_portion(tx: &mut dyn Transaction, company: &CompanyId, url: &str, now: Timestamp) -> Result<u64, Error> {
    let released = tx.execute(&sql::LET_GO, values![company.as_str(), url, now, PORTION])?;
    if released < u64::from(PORTION) {
        tx.execute_one(&sql::HAS_LET_GO, values![company.as_str(), url])?;
    }
    Ok(released)
}

/// Returns how many deliveries wait for each of the company's stopped endpoints.
pub fn held(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    after: &str,
    last: &str,
) -> Result<BTreeMap<String, u64>, Error> {
    tx.query(&sql::HELD, values![company.as_str(), after, last])?
        .iter()
        .map(|row| Ok((row.get("url")?, row.get("held")?)))
        .collect()
}
