//! Creates the addresses for responses, webhooks, mails and certificates.
//!
//! Every address begins with `server.public_url`, never with a Host header. Page addresses always have a query string,
//! so a client may append `&callback_fn=true`.

use domain::{FileKind, Language, LinkType, LiveLinks, MemberId, Recipient, Workflow, WorkflowId};
use jiff::Timestamp;

use crate::base::vault::Vault;
use crate::links::link_token::{LinkPurpose, LinkToken};

/// Creates addresses and their tokens.
#[derive(Debug, Clone)]
pub struct Addresses {
    vault: Vault,
    public_url: String,
}

impl Addresses {
    pub(crate) fn new(vault: Vault, public_url: String) -> Addresses {
        Addresses { vault, public_url }
    }

    /// Returns a recipient's signing token, for everything but messages to that recipient.
    pub fn sign_token(&self, recipient: &Recipient) -> String {
        self.recipient_token(LinkPurpose::Sign, recipient)
    }

    /// Returns a recipient's signing address, for everything but messages to that recipient.
    pub fn sign_url(&self, workflow: &Workflow, recipient: &Recipient) -> String {
        self.signing_page(&self.sign_token(recipient), workflow.language_of(recipient))
    }

    /// Returns a signing address only for messages to the recipient's own contact. Using it proves that the holder has
    /// read that message.
    pub(crate) fn delivered_sign_url(&self, workflow: &Workflow, recipient: &Recipient) -> String {
        let token = self.recipient_token(LinkPurpose::SignDelivered, recipient);
        self.signing_page(&token, workflow.language_of(recipient))
    }

    /// Returns the token of the sender's view for this member. It can sign only for the sender. Colleagues can only
    /// watch.
    pub fn view_token(&self, workflow: &Workflow, links: LiveLinks, member: MemberId) -> String {
        let purpose = if member == workflow.sender {
            LinkPurpose::View
        } else {
            LinkPurpose::Watch
        };
        self.workflow_token(purpose, workflow.id, links, None)
    }

    /// The address of the page that lists undelivered messages, for members.
    pub(crate) fn failed_messages_url(&self, language: Language) -> String {
        format!("{}/outbox?show=failed&lang={}", self.public_url, language.code())
    }

    /// The address of the sender's view for this member.
    pub fn view_url(&self, workflow: &Workflow, links: LiveLinks, member: MemberId) -> String {
        self.signing_page(&self.view_token(workflow, links, member), workflow.language)
    }

    /// The address of a completed file: a page that shows it, or the PDF itself.
    pub fn file_url(
        &self,
        kind: FileKind,
        link_type: LinkType,
        workflow: &Workflow,
        links: LiveLinks,
        until: Timestamp,
    ) -> String {
        match link_type {
            LinkType::Viewer => self.file_page_url(kind, workflow, workflow.language, links, until),
            LinkType::Download => {
                let token = self.file_token(kind, workflow, links, until);
                format!("{}/mail/file?token={token}", self.public_url)
            }
        }
    }

    /// The address of the page that shows a completed file, in the reader's language.
    pub fn file_page_url(
        &self,
        kind: FileKind,
        workflow: &Workflow,
        reader: Language,
        links: LiveLinks,
        until: Timestamp,
    ) -> String {
        self.viewer(&self.file_token(kind, workflow, links, until), reader)
    }

    fn file_token(&self, kind: FileKind, workflow: &Workflow, links: LiveLinks, until: Timestamp) -> String {
        let purpose = match kind {
            FileKind::Document => LinkPurpose::Document,
            FileKind::Certificate => LinkPurpose::Certificate,
        };
        self.workflow_token(purpose, workflow.id, links, Some(until))
    }

    /// The address of a completed file for a signer who must enter a code first.
    pub fn signers_file_url(
        &self,
        kind: FileKind,
        signer: &Recipient,
        reader: Language,
        links: LiveLinks,
        until: Timestamp,
    ) -> String {
        let token = LinkToken {
            purpose: match kind {
                FileKind::Document => LinkPurpose::SignersDocument,
                FileKind::Certificate => LinkPurpose::SignersCertificate,
            },
            subject: signer.id.get(),
            version: links.version(),
            expires: Some(until),
        };
        self.viewer(&token.encode(&self.vault), reader)
    }

    pub fn public_link_url(&self, link: i64, language: Language) -> String {
        let token = LinkToken {
            purpose: LinkPurpose::Start,
            subject: link,
            version: 1,
            expires: None,
        };
        format!(
            "{}/link?token={}&lang={}",
            self.public_url,
            token.encode(&self.vault),
            language.code()
        )
    }

    pub fn preview_url(&self, preview: i64, language: Language, until: Timestamp) -> String {
        let token = LinkToken {
            purpose: LinkPurpose::Preview,
            subject: preview,
            version: 1,
            expires: Some(until),
        };
        format!(
            "{}/mail/preview?token={}&lang={}",
            self.public_url,
            token.encode(&self.vault),
            language.code()
        )
    }

    /// The address of the verify page, as in the certificate's QR code.
    pub fn verify_url(&self, workflow: WorkflowId) -> String {
        format!("{}/verify?workflow={workflow}", self.public_url)
    }

    /// Reads a token. `None` if this installation did not create it.
    pub fn read(&self, token: &str) -> Option<LinkToken> {
        LinkToken::decode(token, &self.vault)
    }

    fn signing_page(&self, token: &str, language: Language) -> String {
        format!("{}/mail/sign?token={token}&lang={}", self.public_url, language.code())
    }

    fn viewer(&self, token: &str, language: Language) -> String {
        format!("{}/mail/view?token={token}&lang={}", self.public_url, language.code())
    }

    fn recipient_token(&self, purpose: LinkPurpose, recipient: &Recipient) -> String {
        LinkToken {
            purpose,
            subject: recipient.id.get(),
            version: recipient.link_version,
            expires: None,
        }
        .encode(&self.vault)
    }

    fn workflow_token(
        &self,
        purpose: LinkPurpose,
        workflow: WorkflowId,
        links: LiveLinks,
        expires: Option<Timestamp>,
    ) -> String {
        LinkToken {
            purpose,
            subject: workflow.get(),
            version: links.version(),
            expires,
        }
        .encode(&self.vault)
    }
}
