//! The outbox for the use-cases: IDs of events, the bell that wakes the runner, and the page of messages to people.

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

/// How many messages a page of the outbox has.
pub const MESSAGES_PER_PAGE: u32 = 20;

/// Failed messages are counted up to this number.
pub const MOST_COUNTED: u32 = 100;

/// How many addresses a company can pause at the same time.
const MOST_PAUSED: u64 = 1_000;

/// An id for an event: 128 random bits. Every try has the same, so a receiver can drop duplicates.
pub fn new_event_id(random: &dyn Random) -> String {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    format!("msg_{}", hex::encode(bytes))
}

/// Tells the runner of this process that something may wait in the outbox.
///
/// Rung after the commit. A ring that nobody hears (no runner here, or not yet) does no harm, since the runner also checks
/// by itself from time to time. Cheap to clone: all clones are one bell.
#[derive(Clone, Default)]
pub struct OutboxBell(Arc<OnceLock<Box<dyn Fn() + Send + Sync>>>);

impl OutboxBell {
    /// Rings. Never blocks.
    pub fn ring(&self) {
        if let Some(listener) = self.0.get() {
            listener();
        }
    }

    /// Sets the listener. The first one stays; `false` if there is one already.
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

/// Adds what became of deliveries to their workflow's audit trail, if the workflow still exists.
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

/// A mail or text message that reached nobody, and is not tried again.
#[derive(Debug, Clone, Copy)]
pub struct Undelivered<'m> {
    pub company: &'m CompanyId,
    pub workflow: Option<WorkflowId>,
    /// Its content, encrypted.
    pub body: &'m [u8],
    /// What the server that refused it said, or why no server was reached.
    pub words: &'m str,
    pub at: Timestamp,
}

/// Writes the sender a mail about an undelivered message. Messages about no workflow are for members only.
fn tell_sender(tx: &mut dyn Transaction, outgoing: &Outgoing, message: &Undelivered<'_>) -> Result<(), Error> {
    // A body that cannot be read was a code, which was erased: its signer has asked for another one.
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

/// Deliveries that a workflow's audit trail does not mention yet.
type Untold = ((CompanyId, WorkflowId), Vec<ToNote>);

/// Records deliveries in the chains.
fn note(tx: &mut dyn Transaction, vault: &Vault, untold: &[Untold]) -> Result<(), Error> {
    // The workflows first, then the deliveries: the order of every transaction that locks both.
    for ((company, workflow), _) in untold {
        store::hold(tx, company, *workflow)?;
    }
    let ids = untold.iter().flat_map(|(_, taken)| taken).map(|delivery| delivery.id);
    // Another process may have added some meanwhile.
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

/// An endpoint without its query, which may contain a secret.
fn without_query(url: &CallbackUrl) -> &str {
    let url = url.as_str();
    url.split_once('?').map_or(url, |(before, _)| before)
}

/// A page of messages to people, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxPage {
    pub messages: Vec<OutboxMessage>,
    /// Where the next page begins. `None` if there are no older ones.
    pub older: Option<i64>,
    /// How many messages of the company were not delivered, up to [`MOST_COUNTED`].
    pub failed: u64,
}

/// Reads a page of messages, newest first.
type ReadMessages = fn(&mut dyn Transaction, &CompanyId, DeliveryId, u32) -> Result<Vec<Message>, store::Error>;

/// A delivery that its audit trail contains, and when it was created, which is how far a round has come.
pub type Told = (Timestamp, DeliveryId);

/// A mail or message, decrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxMessage {
    /// Its number.
    pub id: i64,
    pub workflow: Option<WorkflowId>,
    /// `mail` or `message`.
    pub channel: &'static str,
    /// Its state: `waiting`, `delivered`, `dead`, or `kept` if there is nowhere to send it.
    pub state: &'static str,
    /// The addressee's name.
    pub to_name: String,
    /// A mail address or a telephone number.
    pub to: String,
    pub subject: String,
    /// The text without links that sign; empty if it is secret.
    pub text: String,
    /// The links in it, except signing links.
    pub links: Vec<MailLink>,
    /// A link that signs is in it, which is not shown.
    pub hides_link: bool,
    /// Whether the caller can copy that link now ([`App::copy_signing_link`]). Lists do not say.
    pub can_copy_link: bool,
    /// It contains a one-time code, so nobody sees its text.
    pub is_secret: bool,
    pub at: Timestamp,
    /// What the mail server said if the last try failed, or what went wrong on the way to it.
    pub failure: Option<String>,
}

impl App {
    /// A page of messages to people: the newest, or those before a given one. Never shows signing links or one-time
    /// codes.
    pub fn outbox_messages(&self, actor: &Actor, before: Option<i64>) -> Result<OutboxPage, Error> {
        let by = actor.must_send()?;
        self.page_of_messages(by.company().clone(), outbox::messages, before)
    }

    /// The same of messages that were not delivered and are not tried again.
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
        // One more than shown, to know whether there are more.
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

    /// Adds the next deliveries, up to this moment, to their audit trails. Returns how far it came; none if there are no
    /// more.
    ///
    /// This follows some seconds behind: an entry that appears while the next signer's approval is being sealed would force
    /// that work to be repeated. A trail that cannot be extended now is skipped; the next round tries it again.
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
            Err(error) => tracing::debug!(%error, "deliveries are written to their chains one by one"),
        }
        for place in 0..all.len() {
            let (untold, vault) = (Arc::clone(&all), self.vault.clone());
            let one = move |tx: &mut dyn Transaction| note(tx, &vault, untold.get(place..=place).unwrap_or_default());
            if let Err(error) = self.store.write(one) {
                tracing::debug!(%error, "deliveries are written to their chain later");
            }
        }
        Ok(next)
    }

    /// Removes expired one-time codes from their messages, so that not even a backup contains them. Returns how many
    /// messages were checked.
    pub fn erase_codes(&self, limit: u32) -> Result<usize, Error> {
        let now = self.now();
        let found = self
            .store
            .read_one(move |tx| outbox::to_erase(tx, now, limit).map_err(Error::from))?;
        let mut looked_at = Vec::with_capacity(found.len());
        for message in found {
            let body = match OutgoingMail::open(&message.body, &self.vault) {
                Ok(mail) if message.is_code || mail.is_secret => Some(mail.erased().sealed(&self.vault)?),
                // A message that cannot be read is kept; a code is erased all the same.
                Err(_) if message.is_code => Some(Vec::new()),
                Ok(_) | Err(_) => None,
            };
            looked_at.push((message.id, body));
        }
        // In the order in which deliveries enter the audit trail, so that two transactions lock rows in the same order.
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

    /// Records that a mail bounced after a mail server had accepted it, also at its workflow. An excerpt of the report is
    /// kept, but nothing about a one-time code. `false` if we sent no such mail, or if it bounced before.
    pub fn mail_came_back(&self, event_id: &str, code: Option<u16>, words: &str) -> Result<bool, Error> {
        let now = self.now();
        let (delivery, excerpt) = (event_id.to_owned(), excerpt_of(words));
        let (vault, outgoing) = (self.vault.clone(), Arc::clone(&self.outgoing));
        self.store.write(move |tx| {
            let Some(accepted) = outbox::accepted_mail(tx, &delivery)? else {
                return Ok(false);
            };
            // The workflow first, then the delivery: the order of every transaction that locks both.
            if let (company, Some(workflow)) = &accepted {
                store::hold(tx, company, *workflow)?;
            }
            let Some(mail) = outbox::mail_came_back(tx, &delivery)? else {
                return Ok(false);
            };
            // A mail that cannot be read was a code, which was erased.
            let is_secret = OutgoingMail::open(&mail.body, &vault).map_or(true, |mail| mail.is_secret);
            let report = Try {
                at: now,
                duration: 0,
                code,
                fault: Some("the mail came back".to_owned()),
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

    /// A company's webhook endpoints that fail or were stopped.
    pub fn failing_endpoints(&self, actor: &Actor) -> Result<Vec<Endpoint>, Error> {
        let id = actor.must_read()?.company().clone();
        self.store
            .read(move |tx| outbox::endpoints(tx, &id, "", u32::MAX).map_err(Error::from))
    }

    /// Starts a stopped endpoint and sends what was held for it. Returns how many deliveries. `None` if it was not
    /// stopped.
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

    /// Pauses an endpoint: webhooks to it are held until it is switched on. A stopped one stays stopped. One that no
    /// document uses yet is paused, too, since later documents may (those of a public link, or waiting rows of a bulk send).
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

    /// Lets the sender know that a mail or text message was not delivered, in the caller's transaction.
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
            // A company's own template may put the code into the subject, and a server may quote it: no member reads it.
            words = MailWords {
                subject: i18n::text(language, "mail-code-title", &[]),
                text: String::new(),
            };
            failure = failure.map(|_| i18n::text(language, "mail-code-failure", &[]));
        } else if hides_link {
            // Messages of earlier versions have no words for members.
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
