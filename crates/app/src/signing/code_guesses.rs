//! Wrong one-time codes, counted for each contact to which the codes were sent, over all documents and links of a company.
//!
//! A code allows few tries, but a stranger can start many documents in somebody's name with a public link. Their wrong tries
//! must not lock out the person whose address it is. So wrong tries on a visitor's own page are counted apart from those in
//! documents that the company sent, and behind links that were delivered to the contact, which a stranger does not have.

use domain::one_time_code::WrongCodes;
use domain::{CompanyId, Recipient};
use jiff::Timestamp;
use store::Transaction;

use crate::App;
use crate::base::error::{Error, ThrottleCode};
use crate::base::vault::Purpose;
use crate::signing::session::{Session, SigningKey};

/// Where wrong codes for a contact are counted.
#[derive(Clone)]
pub(crate) struct CodeGuesses {
    company: CompanyId,
    contact: [u8; 32],
}

impl App {
    /// Where entries under this key are counted.
    pub(in crate::signing) fn code_guesses(
        &self,
        session: &Session,
        key: &SigningKey,
        recipient: &Recipient,
    ) -> Result<CodeGuesses, Error> {
        let token = self.outgoing.addresses.read(&key.token);
        // Links to a signer's finished files count as delivered too, because no response contains them.
        let is_delivered = token.is_some_and(|token| token.delivered().is_some() || token.purpose.is_signers_file());
        let is_strangers = !is_delivered && self.is_visitors_own(&session.snapshot, recipient)?;
        let contact = self.code_contact(recipient, session.snapshot.party.region);
        let whose = if is_strangers { "visitor" } else { "company" };
        let message = format!("{whose} {}", contact.mailbox());
        Ok(CodeGuesses {
            company: session.snapshot.stored.workflow.company.clone(),
            contact: self.vault.tag(Purpose::CodeGuesses, message.as_bytes()),
        })
    }
}

impl CodeGuesses {
    /// The wrong codes so far; 429 if there were too many lately.
    pub(crate) fn check(&self, tx: &mut dyn Transaction, at: Timestamp) -> Result<WrongCodes, Error> {
        let codes = store::wrong_code::of_contact(tx, &self.company, &self.contact)?;
        match codes.may_try(at) {
            Ok(()) => Ok(codes),
            Err(wait) => Err(Error::throttled(ThrottleCode::WrongCodes, wait)),
        }
    }

    pub(crate) fn count(&self, tx: &mut dyn Transaction, mut codes: WrongCodes, at: Timestamp) -> Result<(), Error> {
        codes.add(at);
        Ok(store::wrong_code::put(tx, &self.company, &self.contact, &codes, at)?)
    }
}
