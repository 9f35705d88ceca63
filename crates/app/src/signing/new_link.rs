//! 'Send me a new link': what the holder of a replaced signing link can ask for.
//!
//! The link goes to the contact that the step has, never to one that somebody enters now, and every earlier one stops
//! working. Nothing is sent for an embedded document, whose signers get no messages, and for one that a visitor of a public
//! link started, whose address nobody has proved. When else nothing is sent: [`domain::new_link`].
//!
//! The holder of an old link may be a stranger, so they learn nothing: the answer is the same whether a link was sent,
//! somebody else has the step now, the document has ended, or others were sent lately.

use domain::new_link::{self, NoNewLink, OF_AN_ADDRESS};
use domain::{Entry, Recipient, RecipientId, Who};

use crate::App;
use crate::base::contact_count::ContactCount;
use crate::base::error::{ConflictCode, Error, Subject, ThrottleCode};
use crate::base::origin::Origin;
use crate::workflow::transition::{Snapshot, refused};

impl App {
    /// Sends the signer a new link, if the holder of this one may ask for it. The answer is the same either way; an error only
    /// means that we could not look.
    pub fn send_new_link(&self, token: &str, origin: &Origin) -> Result<(), Error> {
        match self.try_to_send_new_link(token, origin) {
            Ok(()) => Ok(()),
            Err(
                refusal @ (Error::NotFound(_)
                | Error::Forbidden(_)
                | Error::Conflict { .. }
                | Error::Throttled { .. }
                | Error::Unprocessable(_)),
            ) => {
                tracing::debug!(%refusal, "no new link was sent");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the page of a replaced link offers it. This depends only on how the document was started.
    pub fn offers_new_link(&self, token: &str) -> Result<bool, Error> {
        let Some(token) = self.outgoing.addresses.read(token).filter(crate::LinkToken::signs) else {
            return Ok(false);
        };
        let id = RecipientId(token.subject);
        let found = self
            .store
            .read(move |tx| store::workflow::of_recipient(tx, id).map_err(Error::from))?;
        match found {
            Some((company, workflow)) => self.may_have_new_links(&self.snapshot(&company, workflow)?),
            None => Ok(false),
        }
    }

    fn may_have_new_links(&self, snapshot: &Snapshot) -> Result<bool, Error> {
        Ok(!snapshot.stored.workflow.is_embedded() && !self.is_started_by_visitor(snapshot)?)
    }

    fn try_to_send_new_link(&self, token: &str, origin: &Origin) -> Result<(), Error> {
        let unknown = || Error::NotFound(Subject::Link);
        let token = self.outgoing.addresses.read(token).filter(crate::LinkToken::signs);
        let token = token.ok_or_else(unknown)?;
        let id = RecipientId(token.subject);
        let (company, workflow) = self
            .store
            .read(move |tx| store::workflow::of_recipient(tx, id).map_err(Error::from))?
            .ok_or_else(unknown)?;
        let actor = origin.actor(Who::Recipient(id));
        self.decide(&company, workflow, |snapshot| {
            if !self.may_have_new_links(snapshot)? {
                return Err(unknown());
            }
            let events = self.entries(snapshot)?;
            let events = events.iter().filter_map(Entry::event);
            new_link::may_be_sent(events, id, token.version, snapshot.at).map_err(not_sent)?;
            let before = &snapshot.stored.workflow;
            let change = before
                .clone()
                .send_new_link(id, token.version, snapshot.at)
                .map_err(refused)?;
            let counted = before
                .recipient(id)
                .map(|recipient| self.new_links_to(snapshot, recipient));
            let plan = self.plan_change(snapshot, change, &actor)?;
            Ok((plan.map(|plan| plan.counting(counted)), ()))
        })
    }

    /// The count of new links for a signer's address.
    fn new_links_to(&self, snapshot: &Snapshot, recipient: &Recipient) -> ContactCount {
        ContactCount::new(
            &self.vault,
            &snapshot.stored.workflow.company,
            ("new link", &recipient.contact.mailbox()),
            &OF_AN_ADDRESS,
            ThrottleCode::AskedLately,
        )
    }
}

fn not_sent(reason: NoNewLink) -> Error {
    match reason {
        NoNewLink::NotReplaced => Error::NotFound(Subject::Link),
        NoNewLink::NotTheirs => Error::conflict(ConflictCode::LinkReplaced),
        NoNewLink::Wait(wait) => Error::throttled(ThrottleCode::AskedLately, wait),
    }
}
