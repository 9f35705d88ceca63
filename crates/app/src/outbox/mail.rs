//! Messages to people: a mail, or a text message if the address is a telephone number.
//!
//! A message is written in the recipient's language, in the transaction of the event that it is about, and waits encrypted
//! in the outbox: it contains links that sign. One pair of templates (`templates/mail/letter.txt` and `.html`) serves every
//! occasion, unless the operator has replaced it ([`crate::outbox::mail_template`]). The sentences come from
//! `locales/<language>/mail.ftl`.
//!
//! No user text reaches a header unchanged: control characters become spaces here, and the mailer encodes the rest. In HTML
//! everything is escaped.

mod content;
mod draft;

use domain::one_time_code;
use domain::{BlobHash, CompanyId, Contact, Language, Random, WorkflowId, Zone};
use jiff::Timestamp;
use minijinja::value::Serde;
use serde::{Deserialize, Serialize};
use store::company::{Company, Style};
use store::outbox::{NewChannel, NewDelivery, NewMessage, StopReason};

use crate::base::error::Error;
use crate::base::vault::{Purpose, Vault};
use crate::outbox::mail_template::{MailTemplates, Part};
use crate::outbox::messages::new_event_id;
use crate::outbox::reach::GatewayReach;
use content::one_line;
use draft::{Draft, cut, draft};

/// What a mail's HTML calls its logo (RFC 2392).
pub const LOGO_ID: &str = "logo@countersign";

/// A message to one person.
#[derive(Debug, Clone, Copy)]
pub struct Notification<'l> {
    /// The company's name, as people know it.
    pub company_name: &'l str,
    /// The company's style.
    pub style: &'l Style,
    /// The workflow's name; empty if the message is about none.
    pub document: &'l str,
    /// The addressee's name.
    pub name: &'l str,
    pub contact: &'l Contact,
    /// The addressee's language.
    pub language: Language,
    /// The time zone for times.
    pub zone: Zone,
    /// The mail address of the member who sent the document. Replies go there unless the company has chosen another
    /// address. Empty if the message has no sender.
    pub sender_email: &'l str,
    pub occasion: Occasion<'l>,
}

impl<'l> Notification<'l> {
    /// A message about the company itself to one of its members.
    pub(crate) fn to_member(company: &'l Company, name: &'l str, contact: &'l Contact, occasion: Occasion<'l>) -> Self {
        Notification {
            company_name: &company.name,
            style: &company.style,
            document: "",
            name,
            contact,
            language: company.language,
            zone: company.zone,
            sender_email: "",
            occasion,
        }
    }

    /// Where replies go, if not to the installation's own address.
    fn reply_to(&self) -> Option<&'l str> {
        let is_to_sender = matches!(self.contact, Contact::Email(address) if address == self.sender_email);
        let sender = Some(self.sender_email).filter(|address| !address.is_empty() && !is_to_sender);
        self.style.mail_reply_to.as_deref().or(sender)
    }
}

/// A kind of mail, as the operator's templates are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MailKind {
    /// It is the signer's turn.
    Request,
    Reminder,
    /// The document was returned.
    Returned,
    /// Everybody has approved.
    Completed,
    /// A signer has declined.
    Rejected,
    /// The sender has withdrawn it.
    Canceled,
    /// Its time ran out.
    Expired,
    /// A one-time code.
    Code,
    /// A message of this document reached nobody.
    Undelivered,
    /// A webhook endpoint was stopped.
    Stopped,
    /// The certificate that the company seals with ends soon.
    Sealing,
}

impl MailKind {
    pub const ALL: [MailKind; 11] = [
        Self::Request,
        Self::Reminder,
        Self::Returned,
        Self::Completed,
        Self::Rejected,
        Self::Canceled,
        Self::Expired,
        Self::Code,
        Self::Undelivered,
        Self::Stopped,
        Self::Sealing,
    ];

    /// `request`, `reminder` …
    pub const fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Reminder => "reminder",
            Self::Returned => "returned",
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Canceled => "canceled",
            Self::Expired => "expired",
            Self::Code => "code",
            Self::Undelivered => "undelivered",
            Self::Stopped => "stopped",
            Self::Sealing => "sealing",
        }
    }

    /// True if only members get it, who have a mail address.
    pub const fn is_for_members(self) -> bool {
        matches!(self, Self::Undelivered | Self::Stopped | Self::Sealing)
    }

    /// Reads a word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == text)
    }
}

/// Why a message is written.
#[derive(Debug, Clone, Copy)]
pub enum Occasion<'o> {
    /// It is the signer's turn.
    Request(Request<'o>),
    Reminder(Request<'o>),
    /// The next step has returned the document; it is the signer's turn again.
    Returned {
        writer: &'o str,
        reason: &'o str,
        /// When the document expires.
        deadline: Timestamp,
        /// Where to write.
        sign_url: &'o str,
    },
    /// Everybody has approved.
    Completed {
        at: Timestamp,
        /// Where the sealed document is; empty if its links are revoked.
        document_url: &'o str,
        /// Where the history certificate is; likewise.
        certificate_url: &'o str,
        /// The links are the addressee's own: they ask for a code.
        asks_code: bool,
        /// Whether one that the sender set is among what they ask for.
        access_code: AccessCode<'o>,
    },
    /// A signer has declined, and it is over.
    Rejected {
        at: Timestamp,
        writer: &'o str,
        reason: &'o str,
    },
    /// The sender has withdrawn it.
    Canceled {
        at: Timestamp,
        sender: &'o str,
        reason: &'o str,
    },
    /// Its time ran out.
    Expired {
        at: Timestamp,
    },
    /// The signer asked for a code, to show that this address is theirs.
    OneTimeCode {
        /// Six digits.
        code: &'o str,
    },
    /// A mail or text message about the document was not delivered; this goes to its sender.
    Undelivered {
        at: Timestamp,
        /// Whom it was for.
        person: &'o str,
        /// A mail address or a telephone number.
        address: &'o str,
        /// What the server that refused it said; empty if that is secret.
        reason: &'o str,
        /// The page of failed messages.
        outbox_url: &'o str,
    },
    /// A webhook endpoint was stopped; this goes to the company's admins.
    EndpointStopped {
        at: Timestamp,
        url: &'o str,
        reason: StopReason,
    },
    /// The certificate that the company seals with ends soon; this goes to the company's owners.
    SealEnds {
        at: Timestamp,
        /// The number of whole days until then.
        days: i64,
    },
}

/// A request to sign.
#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// The sender: a member's name or the company's.
    pub sender: &'r str,
    /// The sender's message; may be empty.
    pub comment: &'r str,
    /// Whether an access code is needed.
    pub access_code: AccessCode<'r>,
    /// When the document expires.
    pub deadline: Timestamp,
    /// Where to write.
    pub sign_url: &'r str,
}

/// Whether a document opens only with an access code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessCode<'a> {
    /// No code is needed.
    None,
    /// A code is needed.
    Needed,
    /// A code is needed, and the sender added a hint.
    NeededWithHint(&'a str),
}

impl<'a> AccessCode<'a> {
    fn hint(self) -> &'a str {
        match self {
            AccessCode::NeededWithHint(hint) => hint,
            AccessCode::None | AccessCode::Needed => "",
        }
    }
}

/// A message as it waits in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// The name that the sender shows.
    pub from_name: String,
    /// Where answers go, if not to the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The SHA-256 of the company's logo, which the HTML shows as [`LOGO_ID`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// The addressee's name.
    pub to_name: String,
    /// A mail address, or a telephone number in its international form.
    pub to: String,
    /// The language it is written in.
    pub language: String,
    /// The subject; of a message, its first line.
    pub subject: String,
    pub text: String,
    /// The same as HTML; mails only.
    pub html: Option<String>,
    /// What members read in its place, if it has a link that is the addressee's alone: the same, written without that link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_members: Option<MailWords>,
    pub links: Vec<MailLink>,
    /// It contains a one-time code. Members of the company must not see it, or the code would prove nothing.
    #[serde(default)]
    pub is_secret: bool,
    /// The parts of a message; messages only.
    #[serde(default)]
    pub message: Option<MessageParts>,
}

/// The parts of a message, for gateways that fill approved templates of their own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MessageParts {
    /// Why it is sent: `request`, `reminder`, `returned`, `completed`, `rejected`, `canceled`, `expired` or `code`.
    pub kind: String,
    /// The workflow's name.
    pub document: String,
    /// The name of the person who sent or cancelled the document.
    pub sender: String,
    /// When the document expires.
    pub deadline: String,
    /// A one-time code.
    pub code: String,
    /// For how many minutes the code is valid.
    pub minutes: String,
}

/// The content of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailWords {
    /// The subject; of a message, its first line.
    pub subject: String,
    pub text: String,
}

/// A link in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailLink {
    pub label: String,
    pub url: String,
}

impl OutgoingMail {
    /// Reads the body of a [`MailRoom::delivery`].
    pub fn open(sealed: &[u8], vault: &Vault) -> Result<OutgoingMail, Error> {
        let plain = vault
            .decrypt(Purpose::OutboxBody, sealed)
            .map_err(|error| Error::internal("reading a mail", error))?;
        serde_json::from_slice(&plain).map_err(|error| Error::internal("reading a mail", error))
    }

    /// The body as it is kept.
    pub(crate) fn sealed(&self, vault: &Vault) -> Result<Vec<u8>, Error> {
        let plain = serde_json::to_vec(self).map_err(|error| Error::internal("keeping a mail", error))?;
        Ok(vault.encrypt(Purpose::OutboxBody, &plain))
    }

    /// The same message without its text: only recipient and subject.
    pub(crate) fn erased(mut self) -> OutgoingMail {
        self.text.clear();
        self.html = None;
        self.for_members = None;
        self.links.clear();
        if let Some(parts) = &mut self.message {
            parts.code.clear();
        }
        self
    }
}

/// What writing and storing messages needs.
#[derive(Clone, Copy)]
pub struct MailRoom<'m> {
    pub templates: &'m MailTemplates,
    /// The gateways that messages go through, in the order in which they are asked.
    pub gateways: &'m [GatewayReach],
    pub vault: &'m Vault,
    /// Gives them their ids.
    pub random: &'m dyn Random,
}

impl MailRoom<'_> {
    /// Writes a company's message, perhaps about a workflow, and encrypts it, ready to be enqueued.
    /// A message that is never sent: members read it on the outbox page.
    pub(in crate::outbox) fn kept(
        &self,
        company: &CompanyId,
        workflow: WorkflowId,
        notification: &Notification<'_>,
        at: Timestamp,
    ) -> Result<NewDelivery, Error> {
        let delivery = self.delivery(company, Some(workflow), notification, at)?;
        let channel = match delivery.channel {
            NewChannel::Message { gateway, .. } => NewChannel::Message {
                gateway,
                message: NewMessage::Kept,
            },
            _ => NewChannel::Mail(NewMessage::Kept),
        };
        Ok(NewDelivery { channel, ..delivery })
    }

    pub fn delivery(
        &self,
        company: &CompanyId,
        workflow: Option<WorkflowId>,
        notification: &Notification<'_>,
        at: Timestamp,
    ) -> Result<NewDelivery, Error> {
        let mail = write(self.templates, notification)?;
        let kind = if mail.is_secret {
            NewMessage::Code {
                erase_at: at.checked_add(one_time_code::LIFE).unwrap_or(at),
            }
        } else {
            NewMessage::Ordinary
        };
        let gateway = mail.message.as_ref().and_then(|parts| {
            let serves = |gateway: &&GatewayReach| gateway.serves(&parts.kind, &mail.to);
            self.gateways.iter().find(serves)
        });
        Ok(NewDelivery {
            company: company.clone(),
            workflow,
            event_id: new_event_id(self.random),
            channel: match notification.contact {
                Contact::Email(_) => NewChannel::Mail(kind),
                Contact::Phone { .. } => NewChannel::Message {
                    gateway: gateway.map(|gateway| gateway.name.clone()),
                    message: kind,
                },
            },
            body: mail.sealed(self.vault)?,
            created_at: at,
        })
    }
}

/// Writes a message: a mail in both forms, or a text message for a telephone number.
pub fn write(templates: &MailTemplates, notification: &Notification<'_>) -> Result<OutgoingMail, Error> {
    let hidden = i18n::text(notification.language, "mail-hidden-link", &[]);
    let for_members = match notification.occasion.without_addressees_links(&hidden) {
        Some(occasion) => {
            let notification = Notification {
                occasion,
                ..*notification
            };
            Some(words(templates, &notification, &draft(&notification))?)
        }
        None => None,
    };
    let draft = draft(notification);
    let MailWords { subject, text } = words(templates, notification, &draft)?;
    let is_mail = matches!(notification.contact, Contact::Email(_));
    let (to, html, message) = match notification.contact {
        Contact::Phone { number, .. } => (number.clone(), None, Some(draft.parts)),
        Contact::Email(address) => {
            let values = minijinja::Value::from(Serde(&draft.values));
            let html = templates.render(draft.kind, notification.language, Part::Html, &values)?;
            (address.clone(), html, None)
        }
    };
    Ok(OutgoingMail {
        from_name: draft.from_name,
        reply_to: notification.reply_to().filter(|_| is_mail).map(str::to_owned),
        logo: notification
            .style
            .logo
            .filter(|_| is_mail)
            .map(|logo| logo.hash.to_string()),
        to_name: draft.to_name,
        to,
        language: notification.language.code().to_owned(),
        subject,
        text,
        html,
        for_members,
        links: draft.links,
        is_secret: !draft.code.is_empty(),
        message,
    })
}

fn words(templates: &MailTemplates, notification: &Notification<'_>, draft: &Draft) -> Result<MailWords, Error> {
    let mut subject = draft.subject.clone();
    let text = if matches!(notification.contact, Contact::Phone { .. }) {
        let lines = std::iter::once(&draft.message).chain(draft.links.iter().map(|link| &link.url));
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    } else {
        let values = minijinja::Value::from(Serde(&draft.values));
        let part = |part| templates.render(draft.kind, notification.language, part, &values);
        if let Some(own) = part(Part::Subject)? {
            subject = cut(&one_line(&own));
        }
        part(Part::Text)?.unwrap_or_default()
    };
    Ok(MailWords { subject, text })
}

impl OutgoingMail {
    /// The logo that it shows.
    pub fn logo_hash(&self) -> Option<BlobHash> {
        BlobHash::parse(self.logo.as_deref()?)
    }
}

/// The values for the templates of a message.
pub(crate) fn values(notification: &Notification<'_>) -> serde_json::Value {
    draft(notification).values
}

#[cfg(test)]
mod tests;
