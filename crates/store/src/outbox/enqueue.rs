//! Adds messages to the outbox in a transaction.

use domain::public_address::CallbackUrl;
use domain::{ClientId, CompanyId, WorkflowId};
use jiff::Timestamp;

use super::{Kind, OF_CODES, OF_MESSAGES, State};
use crate::sql::delivery as sql;
use crate::{Error, Transaction, values};

/// How a new delivery is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewChannel {
    /// An HTTP POST to a customer's server.
    Webhook {
        /// The endpoint's URL as the workflow stores it: checked and normalised.
        url: String,
        /// The API client whose secret signs the delivery.
        client: ClientId,
        /// The customer's value of the Authorization header, encrypted.
        authorization: Option<Vec<u8>>,
    },
    /// A mail. Without a mail server, the outbox page shows it.
    Mail(NewMessage),
    /// A text message. If no gateway serves the number, the outbox page shows it.
    Message {
        /// The first gateway to try. `None` if no gateway serves the number.
        gateway: Option<String>,
        message: NewMessage,
    },
}

/// The kind of a message, which we must know without decrypting it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewMessage {
    /// Anything but a one-time code.
    Ordinary,
    /// It is never sent: only members read it, on the outbox page.
    Kept,
    Code {
        /// The time when the code is erased from the stored message.
        erase_at: Timestamp,
    },
}

impl NewChannel {
    /// Returns the receiver, to which the limit per receiver applies.
    fn receiver(&self) -> String {
        let (way, message) = match self {
            NewChannel::Webhook { url, .. } => {
                return CallbackUrl::stored(url).map_or_else(|| url.clone(), |url| url.host().to_owned());
            }
            NewChannel::Mail(message) => ("mail".to_owned(), message),
            NewChannel::Message { gateway, message } => {
                (format!("gateway/{}", gateway.as_deref().unwrap_or_default()), message)
            }
        };
        let end = if matches!(message, NewMessage::Code { .. }) {
            OF_CODES
        } else {
            ""
        };
        format!("{OF_MESSAGES}{way}{end}")
    }

    fn is_kept(&self) -> bool {
        let message = match self {
            NewChannel::Webhook { .. } => return false,
            NewChannel::Mail(message) | NewChannel::Message { message, .. } => message,
        };
        *message == NewMessage::Kept
    }

    fn erase_at(&self) -> Option<Timestamp> {
        match self {
            NewChannel::Mail(NewMessage::Code { erase_at })
            | NewChannel::Message {
                message: NewMessage::Code { erase_at },
                ..
            } => Some(*erase_at),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    pub company: CompanyId,
    pub workflow: Option<WorkflowId>,
    /// The event's ID, the same on every try: `webhook-id`, or the left part of a mail's Message-ID. Unique.
    pub event_id: String,
    pub channel: NewChannel,
    /// The content, encrypted.
    pub body: Vec<u8>,
    pub created_at: Timestamp,
}

/// Adds a delivery to the outbox, in the caller's transaction.
pub fn enqueue(tx: &mut dyn Transaction, new: &NewDelivery) -> Result<(), Error> {
    let (kind, url, client, authorization) = match &new.channel {
        NewChannel::Webhook {
            url,
            client,
            authorization,
        } => (Kind::Webhook, Some(url), Some(client.0), authorization.clone()),
        NewChannel::Mail(_) => (Kind::Mail, None, None, None),
        NewChannel::Message { .. } => (Kind::Message, None, None, None),
    };
    let state = if new.channel.is_kept() {
        State::Kept
    } else {
        State::Waiting
    };
    tx.execute_later(
        &sql::ENQUEUE,
        values![
            new.company.as_str(),
            new.workflow.map(WorkflowId::get),
            &new.event_id,
            kind.word(),
            new.channel.receiver(),
            url,
            client,
            authorization,
            new.body.as_slice(),
            state.word(),
            new.created_at,
            new.channel.erase_at(),
            (state == State::Kept).then_some(new.created_at),
        ],
    )
}
