//! What members read of a message that has a link of its addressee alone: the same message, written without that link.
//!
//! It is written together with the message, so there is nothing to search for and take out: whatever a template does with an
//! address, the one that members read was never given it.

use crate::outbox::mail::{Occasion, Request};

impl<'o> Occasion<'o> {
    /// The same with `hidden` in place of each personal link. `None` if there is no such link.
    pub(in crate::outbox) fn without_addressees_links(self, hidden: &'o str) -> Option<Occasion<'o>> {
        let in_place = |url: &'o str| if url.is_empty() { url } else { hidden };
        match self {
            Occasion::Request(request) => Some(Occasion::Request(Request {
                sign_url: hidden,
                ..request
            })),
            Occasion::Reminder(request) => Some(Occasion::Reminder(Request {
                sign_url: hidden,
                ..request
            })),
            Occasion::Returned {
                writer,
                reason,
                deadline,
                ..
            } => Some(Occasion::Returned {
                writer,
                reason,
                deadline,
                sign_url: hidden,
            }),
            Occasion::Completed {
                at,
                document_url,
                certificate_url,
                asks_code: true,
                access_code,
            } => Some(Occasion::Completed {
                at,
                document_url: in_place(document_url),
                certificate_url: in_place(certificate_url),
                asks_code: true,
                access_code,
            }),
            // The links to finished files that everybody gets are the members', too.
            Occasion::Completed { asks_code: false, .. }
            | Occasion::Rejected { .. }
            | Occasion::Canceled { .. }
            | Occasion::Expired { .. }
            | Occasion::OneTimeCode { .. }
            | Occasion::Undelivered { .. }
            | Occasion::EndpointStopped { .. }
            | Occasion::SealEnds { .. } => None,
        }
    }
}
