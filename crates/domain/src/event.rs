//! Events in a workflow: what happened, the actor and their network address.
//!
//! An event's canonical JSON is the payload of a [`crate::chain::Entry`]. It contains hashes of values, never the
//! values themselves. Text about a person or written by a person is a [`PersonalText`], which can be erased in a chain
//! of format 2.

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

/// The actor of an event, with the address and program they used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    pub who: Who,
    /// The network address, if the request came over the network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<PersonalText>,
    /// The browser or program, as stated in the request.
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

/// The method used to check a signer's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentityMethod {
    /// A code that the sender set when starting the workflow.
    AccessCode,
    /// A code sent to the signer's own address.
    OneTimeCode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// The sealed document.
    Document,
    /// The history certificate.
    Certificate,
}

/// A recipient, as recorded in the first entry of a chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRecipient {
    pub id: RecipientId,
    pub order: u32,
    pub name: PersonalText,
    /// E-mail address or telephone number.
    pub contact: PersonalText,
    /// The number in international form. Older entries do not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<PersonalText>,
    /// The company for which they sign. Older entries do not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company: Option<PersonalText>,
}

/// A member, as recorded in the entry about their action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedMember {
    pub id: MemberId,
    /// The name at that time.
    pub name: PersonalText,
    /// The e-mail address at that time.
    pub email: PersonalText,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum EventKind {
    Started {
        /// The template used.
        template: TemplateId,
        version: u32,
        /// SHA-256 of the document to sign.
        document: BlobHash,
        /// SHA-256 of the signed file, if the document is a copy of it without its signatures.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signed_original: Option<BlobHash>,
        recipients: Vec<NamedRecipient>,
        /// The other terms agreed at the start. Chains of format 1 do not contain them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<Box<Terms>>,
    },
    /// A signer was asked to sign. The request was written to the outbox, which tracks its state.
    RequestSent {
        recipient: RecipientId,
    },
    Reminded {
        recipient: RecipientId,
    },
    Viewed {
        recipient: RecipientId,
    },
    /// A signer downloaded the document before anyone signed it.
    OriginalTaken {
        recipient: RecipientId,
    },
    /// A one-time code was created at a signer's request and written to the outbox, which tracks its state.
    OneTimeCodeSent {
        recipient: RecipientId,
        /// The mobile number, as entered, if the code is not sent to the signer's `email`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<PersonalText>,
    },
    IdentityChecked {
        recipient: RecipientId,
        method: IdentityMethod,
    },
    /// An identity check failed.
    IdentityRefused {
        recipient: RecipientId,
        method: IdentityMethod,
        /// Whether the method is now locked.
        locked: bool,
    },
    /// A signer agreed to sign electronically.
    Consented {
        recipient: RecipientId,
        /// SHA-256 of the consent statement.
        statement: BlobHash,
    },
    ValueWritten {
        /// The signer who owns the field. `None` for the sender's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        recipient: Option<RecipientId>,
        field: String,
        /// Salted hash of the value.
        hash: BlobHash,
    },
    ValueRemoved {
        /// The signer who owns the field.
        recipient: RecipientId,
        field: String,
    },
    Approved {
        /// The signer who acted, or on whose behalf it was done.
        recipient: RecipientId,
        order: u32,
        /// The signer's comment. Entries of format 1 do not contain it, because it could not be erased.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<PersonalText>,
    },
    /// A signer declined, and the workflow ended.
    Rejected {
        /// The signer who acted, or on whose behalf it was done.
        recipient: RecipientId,
        order: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<PersonalText>,
    },
    /// A signer returned the document.
    Returned {
        /// The signer who acted, or on whose behalf it was done.
        recipient: RecipientId,
        /// The step that returned it.
        from_order: u32,
        to_order: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<PersonalText>,
    },
    /// The sender cancelled the workflow.
    Canceled {
        /// The current step at that time.
        order: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<PersonalText>,
    },
    /// The workflow expired.
    Expired {
        /// The current step at that time.
        order: u32,
    },
    /// The workflow's expiry date was extended.
    Extended {
        expires_at: Timestamp,
    },
    /// The sender corrected a recipient. The old link stops working.
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
        /// The version of the revoked link.
        link_version: u32,
    },
    /// All signers have approved, and the document is sealed.
    Completed {
        /// SHA-256 of the sealed document.
        document: BlobHash,
        /// Length of the file in bytes.
        length: u64,
    },
    /// The history certificate was created. It contains the entries before this one.
    Certified {
        /// SHA-256 of the certificate.
        certificate: BlobHash,
        /// Length of the file in bytes.
        length: u64,
    },
    /// A timestamp was appended to a finished file without changing its existing bytes.
    Timestamped {
        file: FileKind,
        /// SHA-256 of the file including the timestamp.
        hash: BlobHash,
        /// Length of the file in bytes.
        length: u64,
    },
    Downloaded {
        file: FileKind,
    },
    /// A webhook endpoint or a mail server accepted a delivery.
    Delivered {
        delivery: String,
        /// The delivery channel. Entries of older versions do not contain it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        channel: Option<DeliveryChannel>,
    },
    /// A mail bounced after a mail server had accepted it, so it did not reach the addressee.
    Undelivered {
        delivery: String,
    },
    /// A member copied the signing link of a message that could not be sent, to pass it on. From then on, someone other
    /// than the signer knows the link.
    LinkCopied {
        recipient: RecipientId,
        link_version: u32,
        member: NamedMember,
    },
    /// The holder of a replaced signing link asked for a new one, which was sent to the recipient's own contact. Every
    /// earlier signing link of the recipient stopped working.
    NewLinkRequested {
        recipient: RecipientId,
        /// The version of the link that they held.
        link_version: u32,
    },
    /// A finished workflow was hidden. Its evidence remains.
    Discarded,
    /// The links to the files and the sender's view were replaced by new ones.
    LinksRenewed,
    /// The links to the files and the sender's view were revoked.
    LinksRevoked,
    /// A person was erased from the finished workflow.
    PersonErased {
        /// Commitments of the erased texts.
        texts: Vec<BlobHash>,
        /// Fields whose values were erased.
        fields: Vec<String>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryChannel {
    /// A POST request to a customer's server.
    Webhook,
    Mail,
    /// A text message.
    Message,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub at: Timestamp,
    pub actor: Actor,
    pub event: EventKind,
}

impl Event {
    /// Returns the canonical JSON text: properties in the order of these types, without whitespace.
    pub fn to_payload(&self) -> String {
        // These types contain only text, numbers and lists, so serialising them cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses a payload. The texts of a format 2 payload are commitments ([`crate::chain::Entry::event`] fills them
    /// in).
    pub(crate) fn from_payload(payload: &str) -> Option<Self> {
        serde_json::from_str(payload).ok()
    }

    /// Returns every personal or free text in the event.
    pub(crate) fn texts_mut(&mut self) -> Vec<&mut PersonalText> {
        let mut texts: Vec<&mut PersonalText> = Vec::new();
        texts.extend(&mut self.actor.address);
        texts.extend(&mut self.actor.user_agent);
        self.event.add_texts(&mut texts);
        texts
    }

    /// Replaces commitments by their texts and ignores texts that match no commitment. Returns the number of texts
    /// used.
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

    /// Whether both have the same name and contact.
    pub fn is_same_person(&self, other: &Self) -> bool {
        (&self.name, &self.contact) == (&other.name, &other.contact)
    }
}

impl EventKind {
    /// Adds every personal or free text in the event. Every kind is matched explicitly, so that a new one cannot be
    /// forgotten.
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

    /// Returns the word used in history lists and locale keys (`event-<word>`).
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

    /// Adds the comment on an approval, or the reason for declining, returning or cancelling. No other event has one.
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

    /// Returns the stated reason, if there is one. A comment on an approval is not a reason.
    pub const fn reason(&self) -> Option<&PersonalText> {
        match self {
            Self::Rejected { reason, .. } | Self::Returned { reason, .. } | Self::Canceled { reason, .. } => {
                reason.as_ref()
            }
            _ => None,
        }
    }

    /// Returns the recipients at the start of the workflow.
    pub fn first_people(&self) -> &[NamedRecipient] {
        match self {
            Self::Started { recipients, .. } => recipients,
            _ => &[],
        }
    }

    /// Returns the person who replaces a recipient.
    pub const fn successor(&self) -> Option<&NamedRecipient> {
        match self {
            Self::RecipientCorrected { recipient, .. } | Self::HandedOver { recipient, .. } => Some(recipient),
            _ => None,
        }
    }

    /// Returns the recipient that the event is about, if any.
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
