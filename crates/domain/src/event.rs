//! Events: what happened to a workflow, who did it, and from where.
//!
//! An event's canonical JSON is the payload of a [`crate::chain::Entry`]. It holds hashes of
//! values, never the values themselves. A text that says something about a person, or that somebody wrote, is a
//! [`PersonalText`]: in a chain of format 2 it can be erased.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{MemberId, RecipientId, TemplateId};
use crate::personal_text::{ClearText, PersonalText};
use crate::terms::Terms;
use crate::value::BlobHash;

/// The actor of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Who {
    /// A signer, through the link sent to them.
    Recipient(RecipientId),
    /// A member, through the API or the console.
    Member(MemberId),
    /// A person with a link to a finished document.
    LinkHolder,
    /// The service itself.
    Service,
}

/// The actor of an event, and from where they acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub who: Who,
    /// The network address, if the request came over the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<PersonalText>,
    /// The browser or program, as it names itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<PersonalText>,
}

impl Actor {
    /// The service itself.
    pub const SERVICE: Self = Self {
        who: Who::Service,
        address: None,
        user_agent: None,
    };
}

/// How a signer's identity was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentityMethod {
    /// The code that the sender set at the start.
    AccessCode,
    /// A code that was sent to the signer's own address.
    OneTimeCode,
}

/// A file that was downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// The sealed document.
    Document,
    /// The history certificate.
    Certificate,
}

/// A recipient, as the first entry of a chain names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRecipient {
    pub id: RecipientId,
    pub order: u32,
    pub name: PersonalText,
    /// E-mail address or telephone number.
    pub contact: PersonalText,
    /// The number in its international form. Older entries do not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<PersonalText>,
    /// The company for which they sign. Older entries do not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<PersonalText>,
}

/// A member, as the entry about something that they did names them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedMember {
    /// The member's number.
    pub id: MemberId,
    /// The name at that time.
    pub name: PersonalText,
    /// The e-mail address at that time.
    pub email: PersonalText,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum EventKind {
    /// The workflow was started.
    Started {
        /// From this template.
        template: TemplateId,
        /// The version of the template.
        version: u32,
        /// SHA-256 of the document to sign.
        document: BlobHash,
        /// SHA-256 of the signed file, if the document is a copy of it without its signatures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signed_original: Option<BlobHash>,
        /// The recipients.
        recipients: Vec<NamedRecipient>,
        /// The other terms of its start. Chains of format 1 do not contain them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<Box<Terms>>,
    },
    /// A signer was asked to sign: a request was written to the outbox, which knows its state.
    RequestSent {
        /// The recipient who was asked.
        recipient: RecipientId,
    },
    /// A signer was reminded.
    Reminded { recipient: RecipientId },
    /// A signer has seen the document.
    Viewed { recipient: RecipientId },
    /// A signer downloaded the document before anyone signed it.
    OriginalTaken { recipient: RecipientId },
    /// A one-time code for a signer was created at their request, and written to the outbox, which knows its state.
    OneTimeCodeSent {
        recipient: RecipientId,
        /// The mobile number, as entered, if the code does not go to the signer's `email`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<PersonalText>,
    },
    /// A signer's identity was checked.
    IdentityChecked {
        recipient: RecipientId,
        method: IdentityMethod,
    },
    /// A check of identity failed.
    IdentityRefused {
        recipient: RecipientId,
        /// The method that was tried.
        method: IdentityMethod,
        /// Whether the method is locked now.
        locked: bool,
    },
    /// A signer agreed to sign electronically.
    Consented {
        recipient: RecipientId,
        /// SHA-256 of the statement that they agreed to.
        statement: BlobHash,
    },
    /// A value was written.
    ValueWritten {
        /// The signer whose field it is. `None` for the sender's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recipient: Option<RecipientId>,
        field: String,
        /// Salted hash of the value.
        hash: BlobHash,
    },
    /// A field's value was removed.
    ValueRemoved {
        /// The signer whose field it is.
        recipient: RecipientId,
        field: String,
    },
    /// A signer approved.
    Approved {
        /// Who, or on whose behalf.
        recipient: RecipientId,
        /// The step.
        order: u32,
        /// Their comment. Entries of format 1 do not contain it, because it could not be erased.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<PersonalText>,
    },
    /// A signer declined, and the workflow ended.
    Rejected {
        /// Who, or on whose behalf.
        recipient: RecipientId,
        /// The step.
        order: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<PersonalText>,
    },
    /// A signer returned the document.
    Returned {
        /// Who, or on whose behalf.
        recipient: RecipientId,
        /// From this step.
        from_order: u32,
        to_order: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<PersonalText>,
    },
    /// The sender withdrew it.
    Canceled {
        /// While this step's turn was.
        order: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<PersonalText>,
    },
    /// Its time ran out.
    Expired {
        /// While this step's turn was.
        order: u32,
    },
    /// Its time was lengthened.
    Extended { expires_at: Timestamp },
    /// A recipient was corrected; the old link is dead.
    RecipientCorrected {
        /// The recipient after the change.
        recipient: NamedRecipient,
        /// The additional mobile number, if there is one now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mobile: Option<PersonalText>,
    },
    /// A signer assigned the document to another person, who signs in their place. The old link stops working.
    HandedOver {
        /// The recipient after the change.
        recipient: NamedRecipient,
        /// The version of the link that died.
        link_version: u32,
    },
    /// All have approved, and the document is sealed.
    Completed {
        /// SHA-256 of the sealed document.
        document: BlobHash,
        /// Its length in bytes.
        length: u64,
    },
    /// The history certificate was created. It contains the entries before this one.
    Certified {
        /// SHA-256 of the certificate.
        certificate: BlobHash,
        /// Its length in bytes.
        length: u64,
    },
    /// A timestamp was appended to a finished file, without changing what was there.
    Timestamped {
        file: FileKind,
        /// SHA-256 of the file with it.
        hash: BlobHash,
        /// Its length in bytes.
        length: u64,
    },
    /// A file was downloaded.
    Downloaded { file: FileKind },
    /// A receiver took a webhook, or a mail server a mail.
    Delivered {
        /// The delivery's id.
        delivery: String,
        /// How it was delivered. Entries of older versions do not contain it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<DeliveryChannel>,
    },
    /// A mail came back after a mail server had accepted it: it did not reach the addressee.
    Undelivered {
        /// The delivery's id.
        delivery: String,
    },
    /// A member copied the signing link of a message that could not be sent, to pass it on. From then on, someone
    /// besides the signer knows it.
    LinkCopied {
        recipient: RecipientId,
        link_version: u32,
        /// The member who copied it.
        member: NamedMember,
    },
    /// The holder of a replaced signing link asked for a new one, which was sent to the recipient's own contact. Every
    /// earlier signing link of the recipient stopped working.
    NewLinkRequested {
        recipient: RecipientId,
        /// The version of the link that they held.
        link_version: u32,
    },
    /// A finished workflow was hidden; its proof stays.
    Discarded,
    /// The links to the files and the sender's view were replaced by new ones.
    LinksRenewed,
    /// The links to the files and the sender's view were revoked.
    LinksRevoked,
    /// A person was erased from the finished workflow.
    PersonErased {
        /// The commitments whose texts were erased.
        texts: Vec<BlobHash>,
        /// The fields whose values were erased.
        fields: Vec<String>,
    },
}

/// How a message was delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryChannel {
    /// A POST to a customer's server.
    Webhook,
    Mail,
    /// A message to a telephone.
    Message,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub at: Timestamp,
    pub actor: Actor,
    pub event: EventKind,
}

impl Event {
    /// The canonical JSON text: members in the order of these types, no blanks.
    pub fn to_payload(&self) -> String {
        // These types contain only text, numbers and lists, so writing them cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a payload. The texts of one of format 2 are commitments ([`crate::chain::Entry::event`] reads them with it).
    pub(crate) fn from_payload(payload: &str) -> Option<Self> {
        serde_json::from_str(payload).ok()
    }

    /// Every personal or free text in it.
    pub(crate) fn texts_mut(&mut self) -> Vec<&mut PersonalText> {
        let mut texts: Vec<&mut PersonalText> = Vec::new();
        texts.extend(&mut self.actor.address);
        texts.extend(&mut self.actor.user_agent);
        self.event.add_texts(&mut texts);
        texts
    }

    /// Puts these texts in the places of their commitments; one that fits no commitment is not used. Answers how many were.
    pub(crate) fn disclose(&mut self, clear: &[ClearText]) -> usize {
        let mut disclosed = 0;
        let mut left: Vec<&ClearText> = clear.iter().collect();
        for text in self.texts_mut() {
            let PersonalText::Committed(commitment) = text else {
                continue;
            };
            if let Some(found) = left.iter().position(|clear| clear.commitment() == *commitment) {
                *text = PersonalText::Clear(left.swap_remove(found).text.clone());
                disclosed += 1;
            }
        }
        disclosed
    }
}

impl NamedRecipient {
    fn add_texts<'t>(&'t mut self, texts: &mut Vec<&'t mut PersonalText>) {
        texts.extend([&mut self.name, &mut self.contact]);
        texts.extend(self.phone.iter_mut().chain(&mut self.company));
    }

    /// Whether this is the same name with the same contact.
    pub fn is_same_person(&self, other: &Self) -> bool {
        (&self.name, &self.contact) == (&other.name, &other.contact)
    }
}

impl EventKind {
    /// Every personal or free text in it. Each kind is named, so that new ones cannot be forgotten.
    fn add_texts<'t>(&'t mut self, texts: &mut Vec<&'t mut PersonalText>) {
        match self {
            Self::Started { recipients, terms, .. } => {
                for named in recipients {
                    named.add_texts(texts);
                }
                if let Some(terms) = terms {
                    terms.add_texts(texts);
                }
            }
            Self::Approved { comment, .. } => texts.extend(comment),
            Self::OneTimeCodeSent { to, .. } => texts.extend(to),
            Self::Rejected { reason, .. } | Self::Returned { reason, .. } | Self::Canceled { reason, .. } => {
                texts.extend(reason);
            }
            Self::RecipientCorrected { recipient, mobile } => {
                recipient.add_texts(texts);
                texts.extend(mobile);
            }
            Self::HandedOver { recipient, .. } => recipient.add_texts(texts),
            Self::LinkCopied { member, .. } => texts.extend([&mut member.name, &mut member.email]),
            Self::RequestSent { .. }
            | Self::Reminded { .. }
            | Self::Viewed { .. }
            | Self::OriginalTaken { .. }
            | Self::IdentityChecked { .. }
            | Self::IdentityRefused { .. }
            | Self::Consented { .. }
            | Self::ValueWritten { .. }
            | Self::ValueRemoved { .. }
            | Self::Expired { .. }
            | Self::Extended { .. }
            | Self::Completed { .. }
            | Self::Certified { .. }
            | Self::Timestamped { .. }
            | Self::Downloaded { .. }
            | Self::Delivered { .. }
            | Self::Undelivered { .. }
            | Self::NewLinkRequested { .. }
            | Self::Discarded
            | Self::LinksRenewed
            | Self::LinksRevoked
            | Self::PersonErased { .. } => {}
        }
    }

    /// The word that history lists and locale keys (`event-<word>`) use.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Started { .. } => "started",
            Self::RequestSent { .. } => "request_sent",
            Self::Reminded { .. } => "reminded",
            Self::Viewed { .. } => "viewed",
            Self::OriginalTaken { .. } => "original_taken",
            Self::OneTimeCodeSent { .. } => "one_time_code_sent",
            Self::IdentityChecked { .. } => "identity_checked",
            Self::IdentityRefused { .. } => "identity_refused",
            Self::Consented { .. } => "consented",
            Self::ValueWritten { .. } => "value_written",
            Self::ValueRemoved { .. } => "value_removed",
            Self::Approved { .. } => "approved",
            Self::Rejected { .. } => "rejected",
            Self::Returned { .. } => "returned",
            Self::Canceled { .. } => "canceled",
            Self::Expired { .. } => "expired",
            Self::Extended { .. } => "extended",
            Self::RecipientCorrected { .. } => "recipient_corrected",
            Self::HandedOver { .. } => "handed_over",
            Self::Completed { .. } => "completed",
            Self::Certified { .. } => "certified",
            Self::Timestamped { .. } => "timestamped",
            Self::Downloaded { .. } => "downloaded",
            Self::Delivered { .. } => "delivered",
            Self::Undelivered { .. } => "undelivered",
            Self::LinkCopied { .. } => "link_copied",
            Self::NewLinkRequested { .. } => "new_link_requested",
            Self::Discarded => "discarded",
            Self::LinksRenewed => "links_renewed",
            Self::LinksRevoked => "links_revoked",
            Self::PersonErased { .. } => "person_erased",
        }
    }

    /// Adds the comment on an approval, or the reason of a decline, return or cancellation. No other event has one.
    pub fn set_comment(&mut self, said: Option<&str>) {
        let said = said.map(str::trim).filter(|said| !said.is_empty());
        if let Self::Approved { comment: reason, .. }
        | Self::Rejected { reason, .. }
        | Self::Returned { reason, .. }
        | Self::Canceled { reason, .. } = self
        {
            *reason = said.map(PersonalText::from);
        }
    }

    /// The stated reason, if there is one. (A comment on an approval is not one.)
    pub const fn reason(&self) -> Option<&PersonalText> {
        match self {
            Self::Rejected { reason, .. } | Self::Returned { reason, .. } | Self::Canceled { reason, .. } => {
                reason.as_ref()
            }
            _ => None,
        }
    }

    /// The people in the places as the workflow starts.
    pub fn first_people(&self) -> &[NamedRecipient] {
        match self {
            Self::Started { recipients, .. } => recipients,
            _ => &[],
        }
    }

    /// The person who replaces a recipient.
    pub const fn successor(&self) -> Option<&NamedRecipient> {
        match self {
            Self::RecipientCorrected { recipient, .. } | Self::HandedOver { recipient, .. } => Some(recipient),
            _ => None,
        }
    }

    /// The recipient that the event is about, if any.
    pub const fn recipient(&self) -> Option<RecipientId> {
        match self {
            Self::RequestSent { recipient }
            | Self::Reminded { recipient }
            | Self::Viewed { recipient }
            | Self::OriginalTaken { recipient }
            | Self::OneTimeCodeSent { recipient, .. }
            | Self::IdentityChecked { recipient, .. }
            | Self::IdentityRefused { recipient, .. }
            | Self::Consented { recipient, .. }
            | Self::LinkCopied { recipient, .. }
            | Self::NewLinkRequested { recipient, .. }
            | Self::ValueRemoved { recipient, .. }
            | Self::Approved { recipient, .. }
            | Self::Rejected { recipient, .. }
            | Self::Returned { recipient, .. } => Some(*recipient),
            Self::ValueWritten { recipient, .. } => *recipient,
            Self::RecipientCorrected { recipient, .. } | Self::HandedOver { recipient, .. } => Some(recipient.id),
            _ => None,
        }
    }
}
