//! Counts wrong one-time codes for each contact to which the codes were sent, over all documents and links of a
//! company.
//!
//! A code allows few tries, but a stranger can start many documents in somebody's name with a public link. Their wrong
//! tries must not lock out the person with this address. So wrong tries on a visitor's own page are counted separately
//! from those in documents that the company sent, and from those behind links that were delivered to the contact, which
//! a stranger does not have.

use domain::Recipient;
use domain::one_time_code::MOST_WRONG;

use crate::App;
use crate::base::contact_count::ContactCount;
use crate::base::error::{Error, ThrottleCode};
use crate::signing::session::{Session, SigningKey};

impl App {
    /// Returns the counter for entries under this key.
    pub(in crate::signing) fn code_guesses(
        &self,
        session: &Session,
        key: &SigningKey,
        recipient: &Recipient,
    ) -> Result<ContactCount, Error> {
        let token = self.outgoing.addresses.read(&key.token);
        // Links to a signer's completed files also count as delivered, because no response contains them.
        let is_delivered = token.is_some_and(|token| token.delivered().is_some() || token.purpose.is_signers_file());
        let is_strangers = !is_delivered && self.is_visitors_own(&session.snapshot, recipient)?;
        let contact = self.code_contact(recipient, session.snapshot.party.region);
        let whose = if is_strangers { "visitor" } else { "company" };
        Ok(ContactCount::new(
            &self.vault,
            &session.snapshot.stored.workflow.company,
            (whose, &contact.mailbox()),
            &MOST_WRONG,
            ThrottleCode::WrongCodes,
        ))
    }
}
