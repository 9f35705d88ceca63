//! Sends a PDF once, without keeping a template in the list.
//!
//! Internally, a template version is still created, so that a one-off document is checked, shown, signed and sealed
//! like any other. The template is marked as made for one document, and lists leave it out. It is stored in the
//! transaction that starts the document (or stores its preview, with which it is deleted), so no such template exists
//! without a document.

use std::sync::Arc;

use document::intake::Wishes;
use domain::TemplateId;

use crate::App;
use crate::base::actor::Actor;
use crate::base::error::Error;
use crate::base::origin::Origin;
use crate::sending::start::{OwnTemplate, StartRequest, Started, Together};
use crate::sending::start_log::logging_start;
use crate::templates::template::TemplateFields;

/// A PDF with its fields, and its recipients.
pub struct OneOff<'a> {
    pub pdf: &'a [u8],
    /// Its fields and steps.
    pub fields: TemplateFields<'a>,
    /// The sender's options for intake.
    pub wishes: Wishes,
    /// The start, whose template is created here.
    pub start: StartRequest,
}

impl App {
    /// Sends a PDF without keeping a template.
    pub fn send_once(&self, actor: &Actor, one_off: OneOff<'_>, origin: &Origin) -> Result<Started, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        if let Some(before) = self.sent_before(caller, &one_off.start)? {
            return Ok(before);
        }
        // Reports faults of the start and of the files together.
        let made = self.made_of_upload(&caller.company, one_off.pdf, &one_off.wishes, one_off.fields);
        let made = match made {
            Ok(made) => made,
            Err(Error::Unprocessable(faults)) => {
                return Err(Error::Unprocessable([one_off.start.faults, faults].concat()));
            }
            Err(error) => return Err(error),
        };
        let version = made.stored(&caller.company, TemplateId(0), 1, &caller.email, self.now());
        let start = StartRequest {
            template_id: None,
            ..one_off.start
        };
        let together = Together {
            template: Some(OwnTemplate {
                version: Arc::new(version),
                claim: made.claim,
            }),
            record: Some(logging_start(by, None, self.now())),
            ..Together::default()
        };
        Ok(self.start_with(caller, start, origin, together)?.started)
    }
}
