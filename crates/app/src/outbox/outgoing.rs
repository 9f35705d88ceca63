//! What a transition sends: the webhook, and messages to people.
//!
//! Everything is written before the transaction that enqueues it (except for a start, whose numbers are not known before),
//! and kept encrypted, since it contains links that sign. Who is notified:
//!
//! - signers whose turn has come are asked, unless the workflow is embedded;
//! - a one-time code goes to the signer who asked for it, embedded or not;
//! - at the end everybody gets the result, as the company chooses: the sender, the copies, and the signers unless it is
//!   embedded;
//! - of a test, the messages are written, but stay on the outbox page;
//! - if the workflow ends early, the sender and those who had been asked are notified; of a cancellation, not the sender.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{Contact, FileKind, Language, Outcome, Random, Recipient, RecipientId, TemplateVersion, Workflow};
use jiff::Timestamp;
use store::outbox::{NewChannel, NewDelivery};
use store::workflow::{Party, StoredWorkflow};
use store::workflow_value::StoredValue;

use crate::base::error::Error;
use crate::base::vault::{Purpose, Vault};
use crate::links::addresses::Addresses;
use crate::outbox::mail::{AccessCode, MailRoom, Notification, Occasion, OutgoingMail, Request};
use crate::outbox::mail_template::MailTemplates;
use crate::outbox::messages::new_event_id;
use crate::outbox::reach::GatewayReach;
use crate::outbox::webhook::{self, Happening};

/// The recipients who need an access code, with its hint.
pub(crate) type Codes = BTreeMap<RecipientId, Option<String>>;

pub(crate) struct Outgoing {
    pub(crate) addresses: Addresses,
    pub(crate) vault: Vault,
    random: Arc<dyn Random>,
    templates: Arc<MailTemplates>,
    gateways: Arc<Vec<GatewayReach>>,
}

/// A transition, with everything needed to create its messages.
#[derive(Clone, Copy)]
pub(crate) struct Transitioned<'t> {
    pub(crate) before: &'t StoredWorkflow,
    pub(crate) workflow: &'t Workflow,
    pub(crate) outcome: &'t Outcome,
    /// The recipients whose turn has started.
    pub(crate) asked: &'t [RecipientId],
    pub(crate) comment: &'t str,
    pub(crate) template: &'t TemplateVersion,
    pub(crate) values: &'t BTreeMap<String, StoredValue>,
    pub(crate) party: &'t Party,
    pub(crate) at: Timestamp,
}

/// The reason for asking signers to sign.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asking<'a> {
    /// Their turn has started.
    Request,
    Reminder,
    /// The next step has returned the document.
    Returned {
        writer: &'a str,
        reason: &'a str,
    },
}

/// A person to notify.
struct Addressee<'a> {
    /// The recipient's ID. `None` for other people.
    recipient: Option<RecipientId>,
    name: &'a str,
    contact: Contact,
    language: Language,
}

impl Outgoing {
    pub(crate) fn new(
        vault: Vault,
        random: Arc<dyn Random>,
        public_url: String,
        templates: Arc<MailTemplates>,
        gateways: Arc<Vec<GatewayReach>>,
    ) -> Outgoing {
        Outgoing {
            addresses: Addresses::new(vault.clone(), public_url),
            vault,
            random,
            templates,
            gateways,
        }
    }

    /// Returns everything that is needed to create messages.
    pub(crate) fn mail_room(&self) -> MailRoom<'_> {
        MailRoom {
            templates: &self.templates,
            gateways: &self.gateways,
            vault: &self.vault,
            random: self.random.as_ref(),
        }
    }

    /// Creates the requests to the signers whose turn it is. None for an embedded workflow.
    pub(crate) fn requests(
        &self,
        workflow: &Workflow,
        asked: &[RecipientId],
        codes: &Codes,
        party: &Party,
        at: Timestamp,
    ) -> Result<Vec<NewDelivery>, Error> {
        self.asked(workflow, asked, codes, Asking::Request, party, at)
    }

    /// Creates messages that ask signers to sign. None for an embedded workflow.
    pub(crate) fn asked(
        &self,
        workflow: &Workflow,
        asked: &[RecipientId],
        codes: &Codes,
        asking: Asking<'_>,
        party: &Party,
        at: Timestamp,
    ) -> Result<Vec<NewDelivery>, Error> {
        if workflow.is_embedded() {
            return Ok(Vec::new());
        }
        let mut notifications = Vec::new();
        for recipient in workflow
            .recipients
            .iter()
            .filter(|recipient| asked.contains(&recipient.id))
        {
            let sign_url = self.addresses.delivered_sign_url(workflow, recipient);
            let addressee = addressee(workflow, recipient);
            let request = Request {
                sender: &party.sender_name,
                comment: workflow.comment.as_deref().unwrap_or_default(),
                access_code: match codes.get(&recipient.id) {
                    None => AccessCode::None,
                    Some(None) => AccessCode::Needed,
                    Some(Some(hint)) => AccessCode::NeededWithHint(hint),
                },
                deadline: workflow.expires_at,
                sign_url: &sign_url,
            };
            let occasion = match asking {
                Asking::Request => Occasion::Request(request),
                Asking::Reminder => Occasion::Reminder(request),
                Asking::Returned { writer, reason } => Occasion::Returned {
                    writer,
                    reason,
                    deadline: workflow.expires_at,
                    sign_url: &sign_url,
                },
            };
            notifications.push(self.notification(workflow, party, &addressee, occasion, at)?);
        }
        Ok(notifications)
    }

    /// Creates the message with a one-time code that a signer requested. It is the only message that signers of an
    /// embedded workflow also get.
    pub(crate) fn one_time_code(
        &self,
        workflow: &Workflow,
        recipient: &Recipient,
        contact: Contact,
        code: &str,
        party: &Party,
        at: Timestamp,
    ) -> Result<NewDelivery, Error> {
        let occasion = Occasion::OneTimeCode { code };
        let addressee = Addressee {
            contact,
            ..addressee(workflow, recipient)
        };
        self.notification(workflow, party, &addressee, occasion, at)
    }

    /// Creates a message to the sender about an undelivered message. `None` if the sender cannot be reached either.
    pub(crate) fn undelivered(
        &self,
        workflow: &Workflow,
        party: &Party,
        failed: &OutgoingMail,
        reason: &str,
        at: Timestamp,
    ) -> Result<Option<NewDelivery>, Error> {
        if party.sender_disabled || failed.to == party.sender_email {
            return Ok(None);
        }
        let sender = Addressee {
            recipient: None,
            name: &party.sender_name,
            contact: Contact::Email(party.sender_email.clone()),
            language: party.language,
        };
        let occasion = Occasion::Undelivered {
            at,
            person: &failed.to_name,
            address: &failed.to,
            // The server may have quoted the code.
            reason: if failed.is_secret { "" } else { reason },
            outbox_url: &self.addresses.failed_messages_url(party.language),
        };
        self.notification(workflow, party, &sender, occasion, at).map(Some)
    }

    /// Creates everything that a transition sends.
    pub(crate) fn of_transition(&self, change: &Transitioned<'_>) -> Result<Vec<NewDelivery>, Error> {
        let mut all: Vec<NewDelivery> = self.webhook(change).into_iter().collect();
        all.extend(self.messages(change)?);
        Ok(all)
    }

    fn webhook(&self, change: &Transitioned<'_>) -> Option<NewDelivery> {
        let workflow = change.workflow;
        let settings = workflow.export.as_ref()?;
        if !settings.wants(change.outcome) {
            return None;
        }
        let body = webhook::payload(
            &Happening {
                workflow,
                settings,
                template: change.template,
                values: change.values,
                outcome: change.outcome,
                comment: change.comment,
                at: change.at,
                links: change.before.links,
                link_days: change.party.link_days,
            },
            &self.addresses,
        );
        Some(NewDelivery {
            company: workflow.company.clone(),
            workflow: Some(workflow.id),
            event_id: new_event_id(self.random.as_ref()),
            channel: NewChannel::Webhook {
                url: settings.url.clone(),
                client: workflow.client,
                authorization: change.before.authorization.clone(),
            },
            body: self.vault.encrypt(Purpose::OutboxBody, &body),
            created_at: change.at,
        })
    }

    /// Creates the messages to people.
    fn messages(&self, change: &Transitioned<'_>) -> Result<Vec<NewDelivery>, Error> {
        let Transitioned {
            before,
            workflow,
            outcome,
            asked,
            comment,
            party,
            at,
            ..
        } = *change;
        let actor = before.workflow.recipient(outcome.recipient());
        let actor_name = actor.map_or("", |actor| actor.name.as_str());
        match outcome {
            Outcome::Approved { complete: false, .. } => self.requests(workflow, asked, &codes(before), party, at),
            Outcome::Returned { .. } => {
                let asking = Asking::Returned {
                    writer: actor_name,
                    reason: comment,
                };
                self.asked(workflow, asked, &codes(before), asking, party, at)
            }
            Outcome::Approved { complete: true, .. } => {
                let chosen = party.style.completed_mails;
                let besides = Besides {
                    sender: chosen.sender,
                    copies: chosen.copies,
                };
                told(workflow, party, |_| chosen.writers, besides)
                    .iter()
                    .map(|addressee| self.completed(before, workflow, party, addressee, at))
                    .collect()
            }
            Outcome::Rejected { order, .. } => {
                let occasion = Occasion::Rejected {
                    at,
                    writer: actor_name,
                    reason: comment,
                };
                // Includes the other signers of the step, because their links no longer work. Someone else may share
                // the address of the person who declined.
                let decliner = outcome.recipient();
                let were_asked = |writer: &Recipient| writer.order <= *order && writer.id != decliner;
                let addressees = told(workflow, party, were_asked, Besides::SENDER);
                self.notifications(workflow, party, &addressees, occasion, at)
            }
            Outcome::Canceled { order, .. } => {
                let occasion = Occasion::Canceled {
                    at,
                    sender: &party.sender_name,
                    reason: comment,
                };
                let addressees = told(workflow, party, |writer| writer.order <= *order, Besides::NOBODY);
                self.notifications(workflow, party, &addressees, occasion, at)
            }
            Outcome::Expired { order, .. } => {
                let occasion = Occasion::Expired { at };
                let addressees = told(workflow, party, |writer| writer.order <= *order, Besides::SENDER);
                self.notifications(workflow, party, &addressees, occasion, at)
            }
        }
    }

    /// Creates the message that everybody has signed, with links to the completed files. A signer who had to enter a
    /// code gets personal links that ask for it. The same applies to others who are notified at that signer's address,
    /// because that mailbox must not open the files without the code.
    fn completed(
        &self,
        before: &StoredWorkflow,
        workflow: &Workflow,
        party: &Party,
        to: &Addressee<'_>,
        at: Timestamp,
    ) -> Result<NewDelivery, Error> {
        let own = workflow
            .recipients
            .iter()
            .filter(|recipient| to.recipient == Some(recipient.id));
        let at_address = workflow
            .recipients
            .iter()
            .filter(|recipient| recipient.contact.is_same(&to.contact));
        let signer = own.chain(at_address).find_map(|recipient| {
            let writer = before.writer(recipient.id).filter(|writer| writer.must_enter_code())?;
            Some((recipient, writer))
        });
        let url = |kind| {
            let Some(links) = before.links.live() else {
                return String::new();
            };
            let until = links.until(at, party.link_days);
            match signer {
                Some((signer, _)) => self.addresses.signers_file_url(kind, signer, to.language, links, until),
                None => self.addresses.file_page_url(kind, workflow, to.language, links, until),
            }
        };
        let occasion = Occasion::Completed {
            at,
            document_url: &url(FileKind::Document),
            certificate_url: &url(FileKind::Certificate),
            asks_code: signer.is_some(),
            access_code: match signer.and_then(|(_, writer)| writer.access.as_ref()) {
                None => AccessCode::None,
                Some(access) => access
                    .hint
                    .as_deref()
                    .map_or(AccessCode::Needed, AccessCode::NeededWithHint),
            },
        };
        self.notification(workflow, party, to, occasion, at)
    }

    fn notifications(
        &self,
        workflow: &Workflow,
        party: &Party,
        to: &[Addressee<'_>],
        occasion: Occasion<'_>,
        at: Timestamp,
    ) -> Result<Vec<NewDelivery>, Error> {
        to.iter()
            .map(|addressee| self.notification(workflow, party, addressee, occasion, at))
            .collect()
    }

    fn notification(
        &self,
        workflow: &Workflow,
        party: &Party,
        to: &Addressee<'_>,
        occasion: Occasion<'_>,
        at: Timestamp,
    ) -> Result<NewDelivery, Error> {
        let notification = Notification {
            company_name: &party.company_name,
            style: &party.style,
            document: &workflow.name,
            name: to.name,
            contact: &to.contact,
            language: to.language,
            zone: workflow.zone,
            // Nobody reads the mail of a former member.
            sender_email: if party.sender_disabled { "" } else { &party.sender_email },
            occasion,
        };
        let room = self.mail_room();
        if workflow.is_test {
            return room.kept(&workflow.company, workflow.id, &notification, at);
        }
        room.delivery(&workflow.company, Some(workflow.id), &notification, at)
    }
}

/// Returns the recipients of a stored workflow who need an access code.
pub(crate) fn codes(stored: &StoredWorkflow) -> Codes {
    stored
        .writers
        .iter()
        .filter_map(|writer| Some((writer.id, writer.access.as_ref()?.hint.clone())))
        .collect()
}

/// The people other than signers who are notified.
#[derive(Clone, Copy)]
struct Besides {
    sender: bool,
    copies: bool,
}

impl Besides {
    const NOBODY: Besides = Besides {
        sender: false,
        copies: false,
    };
    const SENDER: Besides = Besides {
        sender: true,
        copies: false,
    };
}

/// Returns the people to notify, each once: these signers (none if the workflow is embedded) and the others. Signers
/// who share an address each get a message in their own name. Anyone else with a signer's address gets no second
/// message.
fn told<'a>(
    workflow: &'a Workflow,
    party: &'a Party,
    writers: impl Fn(&Recipient) -> bool,
    besides: Besides,
) -> Vec<Addressee<'a>> {
    let mut all: Vec<Addressee<'a>> = Vec::new();
    let mut add = |addressee: Addressee<'a>| {
        let is_told = |known: &Addressee<'_>| {
            let are_two_writers = known.recipient.is_some() && addressee.recipient.is_some();
            known.contact.is_same(&addressee.contact) && (!are_two_writers || known.name == addressee.name)
        };
        if !all.iter().any(is_told) {
            all.push(addressee);
        }
    };
    if !workflow.is_embedded() {
        for writer in workflow.recipients.iter().filter(|writer| writers(writer)) {
            add(addressee(workflow, writer));
        }
    }
    if besides.sender {
        add(Addressee {
            recipient: None,
            name: &party.sender_name,
            contact: Contact::Email(party.sender_email.clone()),
            language: party.language,
        });
    }
    if besides.copies {
        for copy in &workflow.copies {
            add(Addressee {
                recipient: None,
                name: &copy.name,
                contact: copy.contact.clone(),
                language: workflow.language,
            });
        }
    }
    all
}

fn addressee<'a>(workflow: &Workflow, recipient: &'a Recipient) -> Addressee<'a> {
    Addressee {
        recipient: Some(recipient.id),
        name: &recipient.name,
        contact: recipient.contact.clone(),
        language: workflow.language_of(recipient),
    }
}
