//! Addresses from which members have logged in, each stored as a keyed hash of account and address.

use domain::{CompanyId, MemberId};
use jiff::Timestamp;

use crate::sql::known_address as sql;
use crate::{Error, Transaction, values};

/// Returns when the account last logged in from the address. The hash covers both.
pub fn last_seen(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    address: &[u8; 32],
) -> Result<Option<Timestamp>, Error> {
    tx.query_optional(&sql::FIND, values![company, address])?
        .map(|row| row.get("seen_at"))
        .transpose()
}

/// Records that a member logged in from this address, and forgets all but the `most` latest addresses.
pub fn remember(
    tx: &mut dyn Transaction,
    company: &CompanyId,
    member: MemberId,
    address: &[u8; 32],
    at: Timestamp,
    most: u32,
) -> Result<(), Error> {
    tx.execute_one(&sql::PUT, values![company, member, address, at])?;
    tx.execute(&sql::DELETE_OLDEST, values![company, member, most])?;
    Ok(())
}

/// Deletes addresses that have not been used since a time. Returns how many.
pub fn delete_unused(tx: &mut dyn Transaction, since: Timestamp) -> Result<u64, Error> {
    tx.execute(&sql::DELETE_UNUSED, values![since])
}
