//! Messages to people: a mail, or a text message if the address is a telephone number.
//!
//! A message is in the recipient's language. It is created in the transaction of its event, and waits encrypted in the
//! outbox because it contains signing links. One pair of templates (`templates/mail/letter.txt` and `.html`) serves
//! every occasion, unless the operator has replaced it ([`crate::outbox::mail_template`]). The sentences come from
//! `locales/<language>/mail.ftl`.
//!
//! No user text reaches a header unchanged. Control characters are replaced with spaces here, and the mailer encodes
//! the rest. In HTML everything is escaped.

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

/// The content ID of the logo in a mail's HTML (RFC 2392).
pub const LOGO_ID: &str = "logo@countersign";

#[derive(Debug, Clone, Copy)]
pub struct Notification<'l> {
    /// The company's name, as people know it.
    pub company_name: &'l str,
    pub style: &'l Style,
    /// The workflow's name. Empty if the message is not about a workflow.
    pub document: &'l str,
    /// The recipient's name.
    pub name: &'l str,
    pub contact: &'l Contact,
    /// The recipient's language.
    pub language: Language,
    /// The time zone for displayed times.
    pub zone: Zone,
    /// The e-mail address of the member who sent the document. It receives replies unless the company has chosen
    /// another address. Empty if the message has no sender.
    pub sender_email: &'l str,
    pub occasion: Occasion<'l>,
}

impl<'l> Notification<'l> {
    /// Creates a message about the company itself to one of its members.
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

    /// The reply address, if it is not the installation's own address.
    fn reply_to(&self) -> Option<&'l str> {
        let is_to_sender = matches!(self.contact, Contact::Email(address) if address == self.sender_email);
        let sender = Some(self.sender_email).filter(|address| !address.is_empty() && !is_to_sender);
        self.style.mail_reply_to.as_deref().or(sender)
    }
}

/// A kind of mail. Its name is used for the operator's templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MailKind {
    /// The signer's turn has started.
    Request,
    Reminder,
    Returned,
    /// All signers have signed.
    Completed,
    Rejected,
    /// The sender has cancelled the workflow.
    Canceled,
    /// The workflow has expired.
    Expired,
    Code,
    /// A message about the document reached nobody.
    Undelivered,
    Stopped,
    /// The company's seal certificate ends soon.
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

    /// Returns the name: `request`, `reminder` …
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

    /// Whether only members receive it. They always have an e-mail address.
    pub const fn is_for_members(self) -> bool {
        matches!(self, Self::Undelivered | Self::Stopped | Self::Sealing)
    }

    /// Parses a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == text)
    }
}

/// The reason for a message.
#[derive(Debug, Clone, Copy)]
pub enum Occasion<'o> {
    /// The signer's turn has started.
    Request(Request<'o>),
    Reminder(Request<'o>),
    /// The next step has returned the document, and it is the signer's turn again.
    Returned {
        writer: &'o str,
        reason: &'o str,
        deadline: Timestamp,
        /// The signing address.
        sign_url: &'o str,
    },
    /// All signers have signed.
    Completed {
        at: Timestamp,
        /// The address of the sealed document. Empty if its links were revoked.
        document_url: &'o str,
        /// The address of the history certificate. Empty if its links were revoked.
        certificate_url: &'o str,
        /// Whether the links are the recipient's own and ask for a code.
        asks_code: bool,
        /// Whether these links also ask for an access code set by the sender.
        access_code: AccessCode<'o>,
    },
    /// A signer has declined, so the workflow has ended.
    Rejected {
        at: Timestamp,
        writer: &'o str,
        reason: &'o str,
    },
    /// The sender has cancelled the workflow.
    Canceled {
        at: Timestamp,
        sender: &'o str,
        reason: &'o str,
    },
    /// The workflow has expired.
    Expired {
        at: Timestamp,
    },
    /// The signer requested a code to prove that this address is theirs.
    OneTimeCode {
        /// Six digits.
        code: &'o str,
    },
    /// A mail or text message about the document was not delivered. Sent to its sender.
    Undelivered {
        at: Timestamp,
        /// The name of the intended recipient.
        person: &'o str,
        /// An e-mail address or a telephone number.
        address: &'o str,
        /// The reason stated by the server that refused the message. Empty if it is secret.
        reason: &'o str,
        /// The page of failed messages.
        outbox_url: &'o str,
    },
    /// A webhook endpoint was stopped. Sent to the company's admins.
    EndpointStopped {
        at: Timestamp,
        url: &'o str,
        reason: StopReason,
    },
    /// The company's seal certificate ends soon. Sent to the company's owners.
    SealEnds {
        at: Timestamp,
        /// Number of whole days until the certificate ends.
        days: i64,
    },
}

#[derive(Debug, Clone, Copy)]
pub struct Request<'r> {
    /// The sender: the name of a member or of the company.
    pub sender: &'r str,
    /// The sender's message, which may be empty.
    pub comment: &'r str,
    /// Whether the signer must enter an access code.
    pub access_code: AccessCode<'r>,
    pub deadline: Timestamp,
    /// The signing address.
    pub sign_url: &'r str,
}

/// Whether a document opens only with an access code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessCode<'a> {
    None,
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

/// A message in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// The displayed name of the sender.
    pub from_name: String,
    /// The reply address, if it is not the sender's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The SHA-256 of the company's logo, which the HTML shows as [`LOGO_ID`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// The recipient's name.
    pub to_name: String,
    /// An e-mail address, or a telephone number in international form.
    pub to: String,
    /// The language of the message.
    pub language: String,
    /// The subject, or the first line of a text message.
    pub subject: String,
    pub text: String,
    /// The body as HTML, for mails only.
    pub html: Option<String>,
    /// The version for members, if the message contains a link that only its recipient may use. It is the same message
    /// created without that link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_members: Option<MailWords>,
    pub links: Vec<MailLink>,
    /// The message contains a one-time code. Members of the company must not see it, because then the code would prove
    /// nothing.
    #[serde(default)]
    pub is_secret: bool,
    /// The parts of a text message. `None` for mails.
    #[serde(default)]
    pub message: Option<MessageParts>,
}

/// The parts of a text message, for gateways that fill in their own approved templates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MessageParts {
    /// The occasion: `request`, `reminder`, `returned`, `completed`, `rejected`, `canceled`, `expired` or `code`.
    pub kind: String,
    pub document: String,
    /// The name of the person who sent or cancelled the document.
    pub sender: String,
    pub deadline: String,
    pub code: String,
    /// Number of minutes for which the code is valid.
    pub minutes: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailWords {
    /// The subject, or the first line of a text message.
    pub subject: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailLink {
    pub label: String,
    pub url: String,
}

impl OutgoingMail {
    /// Decrypts the body of a [`MailRoom::delivery`].
    pub fn open(sealed: &[u8], vault: &Vault) -> Result<OutgoingMail, Error> {
        let plain = vault
            .decrypt(Purpose::OutboxBody, sealed)
            .map_err(|error| Error::internal("reading a mail", error))?;
        serde_json::from_slice(&plain).map_err(|error| Error::internal("reading a mail", error))
    }

    /// Encrypts the body for the outbox.
    pub(crate) fn sealed(&self, vault: &Vault) -> Result<Vec<u8>, Error> {
        let plain = serde_json::to_vec(self).map_err(|error| Error::internal("keeping a mail", error))?;
        Ok(vault.encrypt(Purpose::OutboxBody, &plain))
    }

    /// Removes the text, and keeps only recipient and subject.
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

/// Everything that is needed to create and store messages.
#[derive(Clone, Copy)]
pub struct MailRoom<'m> {
    pub templates: &'m MailTemplates,
    /// The gateways for text messages, in the order in which we try them.
    pub gateways: &'m [GatewayReach],
    pub vault: &'m Vault,
    /// The source of message IDs.
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

/// Creates a message: a mail as text and HTML, or a text message for a telephone number.
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
    /// The hash of the logo that the message shows.
    pub fn logo_hash(&self) -> Option<BlobHash> {
        BlobHash::parse(self.logo.as_deref()?)
    }
}

/// Returns the template values for a message.
pub(crate) fn values(notification: &Notification<'_>) -> serde_json::Value {
    draft(notification).values
}

#[cfg(test)]
mod tests;
