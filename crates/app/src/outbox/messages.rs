//! The outbox as used by use cases: event IDs, waking the runner, and the list of messages to people.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use domain::excerpt::excerpt_of;
use domain::public_address::CallbackUrl;
use domain::{CompanyId, Contact, DeliveryChannel, Event, EventKind, Language, Random, WorkflowId};
use jiff::Timestamp;
use store::Transaction;
pub use store::outbox::Endpoint;
use store::outbox::{self, DeliveryId, Kind, Message, StopReason, ToNote, Try};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::Error;
use crate::base::error::Subject;
use crate::base::error::{Fault, FaultCode};
use crate::base::keyed_chain;
use crate::base::vault::Vault;
use crate::outbox::mail::{MailLink, MailWords, Notification, Occasion, OutgoingMail};
use crate::outbox::outgoing::Outgoing;
use crate::outbox::webhook_history::EndpointPaused;

/// Number of messages on a page of the outbox.
pub const MESSAGES_PER_PAGE: u32 = 20;

/// Maximum count of failed messages. There may be more.
pub const MOST_COUNTED: u32 = 100;

/// Maximum number of endpoints that a company can pause at the same time.
const MOST_PAUSED: u64 = 1_000;

/// Creates an event ID: 128 random bits. Every try uses the same ID, so an endpoint can drop duplicates.
pub fn new_event_id(random: &dyn Random) -> String {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    format!("msg_{}", hex::encode(bytes))
}

/// Wakes the runner of this process because the outbox may contain something new.
///
/// Call it after the commit. It is harmless if no runner listens (or not yet), because runners also check the outbox
/// regularly. Cheap to clone: all clones wake the same runner.
#[derive(Clone, Default)]
pub struct OutboxBell(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl OutboxBell {
    /// Wakes the runner. Never blocks.
    pub fn ring(&self) {
        if let Some(listener) = self.0.get() {
            listener();
        }
    }

    /// Sets the listener. Returns `false` and keeps the existing one if there already is one.
    pub fn listen(&self, listener: impl Fn() + Send + Sync + 'static) -> bool {
        self.0.set(Box::new(listener)).is_ok()
    }
}

impl fmt::Debug for OutboxBell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboxBell")
            .field("listened", &self.0.get().is_some())
            .finish()
    }
}

/// Adds the results of deliveries to the audit trail of their workflow, if it still exists.
fn tell_chain(
    tx: &mut dyn Transaction,
    vault: &Vault,
    company: &CompanyId,
    workflow: WorkflowId,
    events: impl IntoIterator<Item = (Timestamp, EventKind)>,
) -> Result<(), Error> {
    let Some(mut held) = store::hold(tx, company, workflow)? else {
        return Ok(());
    };
    let events = events.into_iter().map(|(at, event)| Event {
        at,
        actor: domain::Actor::SERVICE,
        event,
    });
    let (entries, after) = keyed_chain::append(vault, company, workflow, held.head(), events);
    Ok(store::audit::append(&mut held, company, workflow, &entries, &after)?)
}

/// A mail or text message that was not delivered and is not retried.
#[derive(Debug, Clone, Copy)]
pub struct Undelivered<'m> {
    pub company: &'m CompanyId,
    pub workflow: Option<WorkflowId>,
    /// The encrypted content.
    pub body: &'m [u8],
    /// The response of the server that refused it, or the reason why no server could be reached.
    pub words: &'m str,
    pub at: Timestamp,
}

/// Enqueues a mail to the sender about an undelivered message. Messages without a workflow are meant only for members.
fn tell_sender(tx: &mut dyn Transaction, outgoing: &Outgoing, message: &Undelivered<'_>) -> Result<(), Error> {
    // A body that cannot be read contained a code that was erased, and its signer has requested a new one.
    let (Some(workflow), Ok(failed)) = (message.workflow, OutgoingMail::open(message.body, &outgoing.vault)) else {
        return Ok(());
    };
    let Some(stored) = store::workflow::load(tx, message.company, workflow)? else {
        return Ok(());
    };
    let party = store::workflow::party(tx, message.company, stored.workflow.sender)?;
    let reason = excerpt_of(message.words);
    if let Some(mail) = outgoing.undelivered(&stored.workflow, &party, &failed, &reason, message.at)? {
        outbox::enqueue(tx, &mail)?;
    }
    Ok(())
}

/// Deliveries that are not yet recorded in the audit trail of a workflow.
type Untold = ((CompanyId, WorkflowId), Vec<ToNote>);

/// Records deliveries in the chains.
fn note(tx: &mut dyn Transaction, vault: &Vault, untold: &[Untold]) -> Result<(), Error> {
    // Workflows first, then deliveries: the order in which every transaction locks them.
    for ((company, workflow), _) in untold {
        store::hold(tx, company, *workflow)?;
    }
    let ids = untold.iter().flat_map(|(_, taken)| taken).map(|delivery| delivery.id);
    // Another process may have added some in the meantime.
    let noted = outbox::set_noted(tx, ids)?;
    for ((company, workflow), taken) in untold {
        let events: Vec<_> = taken
            .iter()
            .filter(|delivery| noted.contains(&delivery.id))
            .map(|delivery| (delivery.at, delivered(delivery)))
            .collect();
        if !events.is_empty() {
            tell_chain(tx, vault, company, *workflow, events)?;
        }
    }
    Ok(())
}

fn delivered(delivery: &ToNote) -> EventKind {
    EventKind::Delivered {
        delivery: delivery.event_id.clone(),
        channel: Some(match delivery.kind {
            Kind::Webhook => DeliveryChannel::Webhook,
            Kind::Mail => DeliveryChannel::Mail,
            Kind::Message => DeliveryChannel::Message,
        }),
    }
}

/// Returns an endpoint without its query, which may contain a secret.
fn without_query(url: &CallbackUrl) -> &str {
    let url = url.as_str();
    url.split_once('?').map_or(url, |(before, _)| before)
}

/// A page of messages to people, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxPage {
    pub messages: Vec<OutboxMessage>,
    /// Position of the next page. `None` if there are no older messages.
    pub older: Option<i64>,
    /// Number of undelivered messages of the company, up to [`MOST_COUNTED`].
    pub failed: u64,
}

/// Reads a page of messages, newest first.
type ReadMessages = fn(&mut dyn Transaction, &CompanyId, DeliveryId, u32) -> Result<Vec<Message>, store::Error>;

/// A delivery that was added to its audit trail, and its creation time, which marks the progress of a round.
pub type Told = (Timestamp, DeliveryId);

/// A decrypted mail or text message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    pub id: i64,
    pub workflow: Option<WorkflowId>,
    /// `mail` or `message`.
    pub channel: &'static str,
    /// The state: `waiting`, `delivered`, `dead`, or `kept` if there is no channel to send it.
    pub state: &'static str,
    /// The recipient's name.
    pub to_name: String,
    /// An e-mail address or a telephone number.
    pub to: String,
    pub subject: String,
    /// The text without signing links. Empty if it is secret.
    pub text: String,
    /// The links in the message, except signing links.
    pub links: Vec<MailLink>,
    /// Whether the message contains a signing link, which is not shown.
    pub hides_link: bool,
    /// Whether the caller can copy that link at the moment ([`App::copy_signing_link`]). Not set in lists.
    pub can_copy_link: bool,
    /// Whether the message contains a one-time code, so that nobody may see its text.
    pub is_secret: bool,
    pub at: Timestamp,
    /// The mail server's response if the last try failed, or the reason why the server was not reached.
    pub failure: Option<String>,
}

impl App {
    /// Returns a page of messages to people: the newest, or those before a given one. Never shows signing links or
    /// one-time codes.
    pub fn outbox_messages(&self, actor: &Actor, before: Option<i64>) -> Result<OutboxPage, Error> {
        let by = actor.must_send()?;
        self.page_of_messages(by.company().clone(), outbox::messages, before)
    }

    /// Returns a page of messages that were not delivered and are not retried.
    pub fn failed_messages(&self, actor: &Actor, before: Option<i64>) -> Result<OutboxPage, Error> {
        let by = actor.must_send()?;
        self.page_of_messages(by.company().clone(), outbox::failed_messages, before)
    }

    fn page_of_messages(
        &self,
        company: CompanyId,
        messages: ReadMessages,
        before: Option<i64>,
    ) -> Result<OutboxPage, Error> {
        let before = DeliveryId(before.unwrap_or(i64::MAX));
        // One more than shown, to find out whether there are more.
        let (mut rows, failed) = self.store.read(move |tx| {
            let rows = messages(tx, &company, before, MESSAGES_PER_PAGE + 1)?;
            Ok::<_, Error>((rows, outbox::count_failed_messages(tx, &company, MOST_COUNTED)?))
        })?;
        let has_older = rows.len() > MESSAGES_PER_PAGE as usize;
        rows.truncate(MESSAGES_PER_PAGE as usize);
        let older = rows.last().filter(|_| has_older).map(|last| last.id.0);
        let messages = rows
            .into_iter()
            .map(|row| self.opened_message(row))
            .collect::<Result<_, _>>()?;
        Ok(OutboxPage {
            messages,
            older,
            failed,
        })
    }

    /// Adds the next deliveries, up to this time, to their audit trails. Returns the last one added, or `None` if there
    /// are no more.
    ///
    /// This runs with a delay of some seconds, because an entry that appears while the next signer's approval is being
    /// sealed would force that work to be repeated. A trail that cannot be extended now is skipped and retried in the
    /// next round.
    pub fn note_deliveries(&self, until: Timestamp, after: Option<Told>, limit: u32) -> Result<Option<Told>, Error> {
        let after = after.unwrap_or((Timestamp::MIN, DeliveryId(0)));
        let taken = self
            .store
            .read_one(move |tx| outbox::to_note(tx, until, after, limit).map_err(Error::from))?;
        let next = taken
            .last()
            .filter(|_| taken.len() >= limit as usize)
            .map(|last| (last.at, last.id));
        let mut of_workflows: BTreeMap<(CompanyId, WorkflowId), Vec<ToNote>> = BTreeMap::new();
        for delivery in taken {
            let workflow = (delivery.company.clone(), delivery.workflow);
            of_workflows.entry(workflow).or_default().push(delivery);
        }
        if of_workflows.is_empty() {
            return Ok(None);
        }
        let all: Arc<Vec<Untold>> = Arc::new(of_workflows.into_iter().collect());
        let untold = Arc::clone(&all);
        let vault = self.vault.clone();
        match self.store.write(move |tx| note(tx, &vault, &untold)) {
            Ok(()) => return Ok(next),
            Err(error @ Error::Unavailable { .. }) => return Err(error),
            Err(error) => {
                tracing::debug!(%error, "results of deliveries could not be written to the audit trails together; writing them one by one");
            }
        }
        for place in 0..all.len() {
            let (untold, vault) = (Arc::clone(&all), self.vault.clone());
            let one = move |tx: &mut dyn Transaction| note(tx, &vault, untold.get(place..=place).unwrap_or_default());
            if let Err(error) = self.store.write(one) {
                tracing::debug!(%error, "the result of a delivery could not be written to the audit trail; we will try again");
            }
        }
        Ok(next)
    }

    /// Removes expired one-time codes from their messages, so that not even a backup contains them. Returns the number
    /// of messages checked.
    pub fn erase_codes(&self, limit: u32) -> Result<usize, Error> {
        let now = self.now();
        let found = self
            .store
            .read_one(move |tx| outbox::to_erase(tx, now, limit).map_err(Error::from))?;
        let mut looked_at = Vec::with_capacity(found.len());
        for message in found {
            let body = match OutgoingMail::open(&message.body, &self.vault) {
                Ok(mail) if message.is_code || mail.is_secret => Some(mail.erased().sealed(&self.vault)?),
                // A message that cannot be read is kept, but a code is erased in any case.
                Err(_) if message.is_code => Some(Vec::new()),
                Ok(_) | Err(_) => None,
            };
            looked_at.push((message.id, body));
        }
        // The order in which deliveries are added to the audit trail, so that two transactions lock rows in the same
        // order.
        looked_at.sort_by_key(|(id, _)| *id);
        let count = looked_at.len();
        if count > 0 {
            self.store.write(move |tx| {
                for (id, body) in &looked_at {
                    match body {
                        Some(body) => outbox::erase(tx, *id, body, now)?,
                        None => outbox::holds_no_code(tx, *id)?,
                    }
                }
                Ok::<_, Error>(())
            })?;
        }
        Ok(count)
    }

    /// Records that a mail bounced after a mail server had accepted it, also in its workflow. Stores an excerpt of the
    /// report, but nothing about a one-time code. Returns `false` if we sent no such mail, or if it had already
    /// bounced.
    pub fn mail_came_back(&self, event_id: &str, code: Option<u16>, words: &str) -> Result<bool, Error> {
        let now = self.now();
        let (delivery, excerpt) = (event_id.to_owned(), excerpt_of(words));
        let (vault, outgoing) = (self.vault.clone(), Arc::clone(&self.outgoing));
        self.store.write(move |tx| {
            let Some(accepted) = outbox::accepted_mail(tx, &delivery)? else {
                return Ok(false);
            };
            // The workflow first, then the delivery: the order in which every transaction locks them.
            if let (company, Some(workflow)) = &accepted {
                store::hold(tx, company, *workflow)?;
            }
            let Some(mail) = outbox::mail_came_back(tx, &delivery)? else {
                return Ok(false);
            };
            // A mail that cannot be read contained a code that was erased.
            let is_secret = OutgoingMail::open(&mail.body, &vault).map_or(true, |mail| mail.is_secret);
            let report = Try {
                at: now,
                duration: 0,
                code,
                fault: Some("the mail bounced".to_owned()),
                answer: if is_secret { String::new() } else { excerpt.clone() },
            };
            outbox::note_return(tx, &mail, &report)?;
            let undelivered = Undelivered {
                company: &mail.company,
                workflow: mail.workflow,
                body: &mail.body,
                words: &excerpt,
                at: now,
            };
            tell_sender(tx, &outgoing, &undelivered)?;
            if let Some(workflow) = mail.workflow {
                let delivery = delivery.clone();
                tell_chain(
                    tx,
                    &vault,
                    &mail.company,
                    workflow,
                    [(now, EventKind::Undelivered { delivery })],
                )?;
            }
            Ok(true)
        })
    }

    /// Lists a company's webhook endpoints that fail or were stopped.
    pub fn failing_endpoints(&self, actor: &Actor) -> Result<Vec<Endpoint>, Error> {
        let id = actor.must_read()?.company().clone();
        self.store
            .read(move |tx| outbox::endpoints(tx, &id, "", u32::MAX).map_err(Error::from))
    }

    /// Restarts a stopped endpoint and sends the webhooks held for it. Returns their number. Fails if the endpoint was
    /// not stopped.
    pub fn start_endpoint(&self, actor: &Actor, url: &CallbackUrl) -> Result<u64, Error> {
        let by = actor.must_send()?;
        let (id, now) = (by.company().clone(), self.now());
        let (of, address) = (id.clone(), url.as_str().to_owned());
        let logged = by.logs(Action::EndpointStarted, now).about(without_query(url));
        let released = self.store.write(move |tx| {
            let released = outbox::start_endpoint(tx, &of, &address, now)?;
            if released.is_some() {
                logged.write(tx)?;
            }
            Ok::<_, Error>(released)
        })?;
        let Some(released) = released else {
            return if self.knows_endpoint(id, url)? {
                Ok(0)
            } else {
                Err(Error::NotFound(Subject::CallbackAddress))
            };
        };
        self.bell.ring();
        Ok(released)
    }

    /// Pauses an endpoint: webhooks to it are held until it is restarted. A stopped endpoint stays stopped. An endpoint
    /// that no document uses yet can also be paused, because later documents may use it (those of a public link, or
    /// waiting rows of a bulk send).
    pub fn pause_endpoint(&self, actor: &Actor, url: &CallbackUrl) -> Result<EndpointPaused, Error> {
        let by = actor.must_send()?;
        let (id, now) = (by.company().clone(), self.now());
        let logged = by.logs(Action::EndpointPaused, now).about(without_query(url));
        let known = self.knows_endpoint(id.clone(), url)?;
        let address = url.as_str().to_owned();
        let held = self.store.write(move |tx| {
            let Some(held) = outbox::pause_endpoint(tx, &id, &address, now)? else {
                return Ok(outbox::held_of(tx, &id, &address)?);
            };
            if outbox::paused(tx, &id)? > MOST_PAUSED {
                let fault = Fault::new("url", FaultCode::TooMany).with("max", MOST_PAUSED);
                return Err(Error::Unprocessable(vec![fault]));
            }
            logged.write(tx)?;
            Ok(held)
        })?;
        let url = url.as_str().to_owned();
        Ok(EndpointPaused { url, held, known })
    }

    fn knows_endpoint(&self, company: CompanyId, url: &CallbackUrl) -> Result<bool, Error> {
        let url = url.as_str().to_owned();
        self.store
            .read_one(move |tx| outbox::knows_endpoint(tx, &company, &url).map_err(Error::from))
    }

    /// Notifies a company's owners and admins that an endpoint was stopped, in the caller's transaction.
    pub fn endpoint_stopped(
        &self,
        tx: &mut dyn Transaction,
        company: &CompanyId,
        url: &str,
        reason: StopReason,
        at: Timestamp,
    ) -> Result<(), Error> {
        let company = store::company::find(tx, company)?.ok_or(Error::NotFound(Subject::Company))?;
        let members = store::member::list(tx, &company.id)?;
        for member in members
            .iter()
            .filter(|member| member.role.may_administer() && member.disabled_at.is_none())
        {
            let contact = Contact::Email(member.email.clone());
            let occasion = Occasion::EndpointStopped { at, url, reason };
            let notification = Notification::to_member(&company, &member.name, &contact, occasion);
            let room = self.outgoing.mail_room();
            outbox::enqueue(tx, &room.delivery(&company.id, None, &notification, at)?)?;
        }
        Ok(())
    }

    /// Notifies the sender that a mail or text message was not delivered, in the caller's transaction.
    pub fn undelivered(&self, tx: &mut dyn Transaction, message: &Undelivered<'_>) -> Result<(), Error> {
        tell_sender(tx, &self.outgoing, message)
    }

    pub(crate) fn opened_message(&self, row: Message) -> Result<OutboxMessage, Error> {
        let mut mail = OutgoingMail::open(&row.body, &self.vault)?;
        let language = Language::parse(&mail.language).unwrap_or_default();
        let mut failure = match row.state {
            outbox::State::Delivered => None,
            _ => row.answer.filter(|answer| !answer.is_empty()).or(row.fault),
        };
        let all_links = mail.links.len();
        mail.links
            .retain(|link| !self.outgoing.addresses.has_signers_link(&link.url));
        let hides_link = mail.links.len() < all_links;
        let mut words = MailWords {
            subject: mail.subject,
            text: mail.text,
        };
        if mail.is_secret {
            // A company's own template may put the code into the subject, and a server may quote it, so no member may
            // read either.
            words = MailWords {
                subject: i18n::text(language, "mail-code-title", &[]),
                text: String::new(),
            };
            failure = failure.map(|_| i18n::text(language, "mail-code-failure", &[]));
        } else if hides_link {
            // Messages of earlier versions have no version for members.
            words = mail.for_members.unwrap_or_else(|| MailWords {
                subject: i18n::text(language, "mail-hidden-link", &[]),
                text: String::new(),
            });
        }
        Ok(OutboxMessage {
            id: row.id.0,
            workflow: row.workflow,
            channel: row.kind.word(),
            state: row.state.word(),
            to_name: mail.to_name,
            to: mail.to,
            subject: words.subject,
            text: words.text,
            hides_link,
            can_copy_link: false,
            links: mail.links,
            is_secret: mail.is_secret,
            at: row.created_at,
            failure,
        })
    }
}
