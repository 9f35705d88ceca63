//! The version for members of a message whose link only its recipient may use. It is the same message, created without
//! that link.
//!
//! Both versions are created together, so no link has to be found and removed. Whatever a template does with an
//! address, the version for members never receives it.

use crate::outbox::mail::{Occasion, Request};

impl<'o> Occasion<'o> {
    /// Returns the occasion with `hidden` in place of each personal link. `None` if it has no such link.
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
            // Members may use the links to completed files that everybody gets.
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
