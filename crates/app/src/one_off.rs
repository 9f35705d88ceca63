//! A PDF that is sent once: no template is kept in the list.
//!
//! What is sent is a version of a template all the same, so that a one-off document is proved, shown, signed and sealed like
//! any other; the template is marked as one that was made for one document, lists leave it out, and where the start is
//! refused it goes again.

use document::intake::Wishes;
use domain::{CompanyId, TemplateId};

use crate::App;
use crate::caller::Caller;
use crate::error::{Error, Fault};
use crate::origin::Origin;
use crate::start::{StartRequest, Started};
use crate::template::TemplateFields;

/// A PDF with its fields, and to whom it goes.
pub struct OneOff<'a> {
    /// The PDF.
    pub pdf: &'a [u8],
    /// Its fields and steps.
    pub fields: TemplateFields<'a>,
    /// The sender's wishes for intake.
    pub wishes: Wishes,
    /// The start; its template is made here.
    pub start: StartRequest,
}

impl App {
    /// Sends a PDF without keeping a template.
    pub fn send_once(&self, caller: &Caller, one_off: OneOff<'_>, origin: &Origin) -> Result<Started, Error> {
        caller.must_send()?;
        if let Some(before) = self.sent_before(caller, &one_off.start)? {
            return Ok(before);
        }
        // What is wrong with the start's form is told together with what is wrong with the files.
        let imported = self.import_template_as(
            &caller.company,
            &caller.email,
            None,
            one_off.pdf,
            one_off.fields,
            &one_off.wishes,
        );
        let template = match imported {
            Ok(imported) => imported.id,
            Err(Error::Unprocessable(faults)) => {
                return Err(Error::Unprocessable(together(one_off.start.faults, faults)));
            }
            Err(error) => return Err(error),
        };
        self.hide_template(&caller.company, template)?;
        let start = StartRequest {
            template_id: Some(template),
            ..one_off.start
        };
        self.start(caller, start, origin).inspect_err(|_| {
            if let Err(error) = self.forget_one_off(&caller.company, template) {
                error.log();
            }
        })
    }

    fn hide_template(&self, company: &CompanyId, template: TemplateId) -> Result<(), Error> {
        let company = company.clone();
        self.store
            .write(move |tx| store::template::set_one_off(tx, &company, template).map_err(Error::from))
    }

    /// Removes the template of a document that was not started.
    fn forget_one_off(&self, company: &CompanyId, template: TemplateId) -> Result<(), Error> {
        let company = company.clone();
        self.store
            .write(move |tx| store::template::delete_one_off(tx, &company, template).map_err(Error::from))
    }
}

/// The faults of both, each place once.
fn together(mut faults: Vec<Fault>, more: Vec<Fault>) -> Vec<Fault> {
    faults.extend(more);
    faults
}
