//! The terms agreed when a workflow is started, as stated in the first entry of a chain of format 2.
//!
//! They contain all data that people read about a workflow in pages, mails, webhooks and the certificate and that no
//! later event states. So a comparison of the rows with the chain reveals any edit in the database.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::contact::Contact;
use crate::event::NamedMember;
use crate::ids::ClientId;
use crate::language::Language;
use crate::personal_text::PersonalText;
use crate::template::OnReject;
use crate::value::BlobHash;
use crate::workflow::{CopyRecipient, Recipient, Workflow};
use crate::zone::Zone;

/// The terms agreed at a workflow's start, except its template and its recipients' names and contacts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    pub title: PersonalText,
    /// The company's name, as shown in its recipients' fields.
    pub company_name: PersonalText,
    pub sender: NamedMember,
    /// The API client named in webhooks.
    pub client: ClientId,
    /// Whether it is a test.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_test: bool,
    /// The language of the workflow and its certificate.
    pub language: Language,
    /// The time zone of its dates. The JSON key dates from when this was always an offset.
    #[serde(rename = "offset")]
    pub zone: Zone,
    pub on_reject: OnReject,
    /// The sender's message to the recipients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<PersonalText>,
    /// Expiry time, unless it is extended.
    pub expires_at: Timestamp,
    /// Its recipients, in the order of the entry's list.
    pub places: Vec<PlaceTerms>,
    /// The people who receive the finished document without signing it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<NamedCopy>,
    /// The webhook settings, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<PersonalText>,
    /// Where the signing page leads a signer who has signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_url: Option<PersonalText>,
    /// A digest of its template version's content. Entries of earlier versions do not contain it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateContent>,
}

/// The content of a template version besides its PDF: labels, boxes, rules and page images. SHA-256 of both texts as
/// stored in the database. A version never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateContent {
    pub definition: BlobHash,
    pub page_images: BlobHash,
}

impl TemplateContent {
    pub fn of(definition: &str, page_images: &str) -> Self {
        Self {
            definition: BlobHash::of(definition.as_bytes()),
            page_images: BlobHash::of(page_images.as_bytes()),
        }
    }
}

/// The terms for a recipient, except name and contact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceTerms {
    /// Position within the step.
    pub place: u32,
    /// The recipient's role in the template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// An additional mobile number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mobile: Option<PersonalText>,
    /// The language of messages to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Whether the recipient must enter the sender's access code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub access_code: bool,
    /// The sender's hint for the access code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<PersonalText>,
    /// Whether the recipient must enter a code sent to them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_time_code: bool,
}

/// A person who receives the finished document without signing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCopy {
    pub name: PersonalText,
    /// The e-mail address or telephone number, as entered.
    pub contact: PersonalText,
    /// The number in international form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone: Option<PersonalText>,
}

impl Terms {
    /// Collects the terms of a workflow.
    pub fn of(
        workflow: &Workflow,
        company_name: &str,
        sender: NamedMember,
        places: Vec<PlaceTerms>,
        template: Option<TemplateContent>,
    ) -> Self {
        let export = workflow.export.as_ref();
        Self {
            title: workflow.name.as_str().into(),
            company_name: company_name.into(),
            sender,
            client: workflow.client,
            is_test: workflow.is_test,
            language: workflow.language,
            zone: workflow.zone,
            on_reject: workflow.on_reject,
            message: workflow.comment.as_deref().map(PersonalText::from),
            expires_at: workflow.expires_at,
            places,
            copies: workflow.copies.iter().map(NamedCopy::of).collect(),
            // The value contains only texts and lists, so serialising it cannot fail.
            export: export.map(|export| serde_json::to_string(export).unwrap_or_default().into()),
            redirect_url: workflow.redirect_url.as_ref().map(|url| url.as_str().into()),
            template,
        }
    }

    pub(crate) fn add_texts<'t>(&'t mut self, texts: &mut Vec<&'t mut PersonalText>) {
        let Self {
            title,
            company_name,
            sender,
            message,
            places,
            copies,
            export,
            redirect_url,
            client: _,
            is_test: _,
            language: _,
            zone: _,
            on_reject: _,
            expires_at: _,
            template: _,
        } = self;
        texts.extend([title, company_name, &mut sender.name, &mut sender.email]);
        texts.extend(message.iter_mut().chain(export).chain(redirect_url));
        for place in places {
            texts.extend(place.mobile.iter_mut().chain(&mut place.hint));
        }
        for copy in copies {
            texts.extend([&mut copy.name, &mut copy.contact]);
            texts.extend(&mut copy.phone);
        }
    }
}

impl PlaceTerms {
    /// Returns the terms of a recipient who does not have to enter a code.
    pub fn of(recipient: &Recipient) -> Self {
        Self {
            place: recipient.place,
            role: recipient.role.clone(),
            mobile: recipient.mobile.as_deref().map(PersonalText::from),
            language: recipient.language,
            ..Self::default()
        }
    }
}

impl NamedCopy {
    /// Creates the entry for a person in the list of copies.
    pub fn of(copy: &CopyRecipient) -> Self {
        Self {
            name: copy.name.as_str().into(),
            contact: copy.contact.as_given().into(),
            phone: phone(&copy.contact),
        }
    }
}

/// Returns the international number, if the contact is a telephone number.
pub(crate) fn phone(contact: &Contact) -> Option<PersonalText> {
    contact.phone().map(PersonalText::from)
}
