//! The outbox: everything we must send, from the transaction that decided it to the last try.
//!
//! **Actors.** A use case enqueues in its own transaction, so a change and its messages are kept or lost together. The
//! runner (delivery crate) claims due deliveries under a lease, makes the call with no transaction open, and finishes
//! with an update that only applies while it still holds the lease.
//!
//! **Guarantees.**
//! - At least once: a delivery is finished only when an answer was recorded. A worker that dies loses its lease, and
//!   the delivery is due again when the lease expires. The event's ID is the same on every try, so an endpoint can drop
//!   duplicates.
//! - First tries of one workflow's webhooks go out in the order of the events: a later one is not claimed while an
//!   earlier one has not been tried.
//! - A stopped endpoint's deliveries are held, and continue when it is switched on. Deliveries enqueued meanwhile are
//!   held as soon as a claim finds them. Both holding and switching on write the endpoint's row. If they happen at the
//!   same moment, one of them runs again, so nothing stays held for an endpoint that is on.
//! - No transaction is long, however much waits: a claim looks at each [`Lane`] once and takes its first few, and a
//!   backlog is held and released in portions ([`PORTION`]). The endpoint's row says whether there is more to release.
//!
//! May use every other room but `driver` and `evidence`.
//!
//! Bodies and authorization values arrive encrypted (the app's vault) and are never read here.

use domain::CompanyId;

mod claim;
mod endpoint;
mod enqueue;
mod finish;
mod history;
mod message;
mod queues;

pub use claim::{
    Claim, Claimed, ClaimedChannel, DueLane, MOST_OF_LANE, Taken, claim, count_anew, due_lanes, hold_claimed,
    lease_owners, release, release_claim, release_owner,
};
pub use endpoint::{
    Endpoint, Stop, endpoints, held, held_of, knows_endpoint, let_go, letting_go, pause_endpoint, paused,
    start_endpoint,
};
pub use enqueue::{NewChannel, NewDelivery, NewMessage, enqueue};
pub use finish::{
    CameBack, Finished, LONGEST_FAILURE, MOST_TRIES_KEPT, Outcome, Try, accepted_mail, finish, finish_taken, keep,
    mail_came_back, note_return,
};
pub use history::{
    Delivery, HistoryBound, HistoryFilter, ToNote, delivery, forget, forget_messages, history, range, resend,
    resend_range, set_noted, to_note, tries,
};
pub use message::{
    Message, ToErase, count_failed_messages, erase, failed_messages, holds_no_code, message, messages,
    messages_of_workflow, to_erase, undelivered_since,
};
pub use queues::{OutboxQueue, Queues, queues};

pub mod held_outbox;
pub mod node;

/// The number of deliveries that one transaction holds or releases.
pub const PORTION: u32 = 1_000;
/// The prefix of receivers of mails and text messages. No host name begins with it.
const OF_MESSAGES: &str = ":";
/// The suffix of receivers of one-time codes. Codes have their own places and do not wait for other messages.
const OF_CODES: &str = "/code";

/// The queue from one company to one receiver. Claims are made by lane.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    /// A host, the mail server, or a gateway.
    pub receiver: String,
    pub company: CompanyId,
}

impl Lane {
    /// Whether the lane contains mails or text messages rather than webhooks.
    pub fn is_of_messages(&self) -> bool {
        self.receiver.starts_with(OF_MESSAGES)
    }

    /// Whether the lane contains one-time codes, for which a person is waiting.
    pub fn is_of_codes(&self) -> bool {
        self.is_of_messages() && self.receiver.ends_with(OF_CODES)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId(pub i64);

impl std::fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! words {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident => $word:literal,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl $name {
            /// Returns the name used in the database and in API answers.
            pub const fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            pub fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($name::$variant),)*
                    other => Err(format!("{other:?} is unknown")),
                }
            }
        }
    };
}

words! {
    Kind {
        /// A POST to a customer's server.
        Webhook => "webhook",
        Mail => "mail",
        /// A text message.
        Message => "message",
    }
}

words! {
    State {
        /// Waiting for its first or next try.
        Waiting => "waiting",
        /// Held, because its endpoint is stopped.
        Held => "held",
        /// Accepted by its receiver.
        Delivered => "delivered",
        /// Given up after the last try. A resend revives it.
        Dead => "dead",
        /// Cannot be sent, because nothing is set up for it. The outbox page shows it.
        Kept => "kept",
    }
}

words! {
    StopReason {
        /// The endpoint answered 410.
        Gone => "gone",
        /// The endpoint has only failed for days.
        Failing => "failing",
    }
}

/// Returns a list as a parameter.
fn text(list: Vec<serde_json::Value>) -> String {
    serde_json::Value::Array(list).to_string()
}
