//! Corrects a recipient who has not signed. Their old link stops working, and if it is their turn, the new person is
//! asked to sign. A correction that changes nothing has no effect, and nobody is asked more often than reminders allow
//! ([`crate::workflow::remind`]).
//!
//! Actions and entries of the previous person do not belong to the new one. So the draft, comment, views, consent and
//! checks are removed, and so are values that were entered before the document was returned. The audit trail keeps all
//! of it under the previous person's name ([`domain::people_over_time`]).
//!
//! A mobile number also belongs to the person, because it receives one-time codes. A correction of name or address that
//! does not mention the number removes it ([`NewMobile`]). If the person stays the same, the sender must repeat the
//! number.

use document::text::fonts::Fonts;
use domain::{Contact, NewMobile, NewPerson, PersonName, RecipientId, Region, Workflow, WorkflowId, WriterDetail};

use crate::App;
use crate::base::actor::Actor;
use crate::base::audit_log::Action;
use crate::base::error::{Error, Fault, FaultCode, Subject};
use crate::base::origin::Origin;
use crate::base::text;
use crate::values::value::{LONGEST_COMPANY, prove_text, prove_writer};
use crate::workflow::transition::{Advanced, Snapshot, refused};
use crate::workflow::writer_meant::SaidOfWriter;

/// A request to correct a recipient. Details that are omitted stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct CorrectRequest {
    pub name: Option<String>,
    /// The new e-mail address or telephone number.
    pub email: Option<String>,
    /// The new mobile number. An empty text removes the current one.
    pub mobile: Option<String>,
    /// The right name of the company for which they sign; an empty text removes the present one.
    pub company: Option<String>,
    /// The current e-mail address of the recipient, if the step has several.
    pub current_email: Option<String>,
    /// The role of the recipient, if the step has several.
    pub role: Option<String>,
    /// Faults found while reading the request.
    pub faults: Vec<Fault>,
}

impl App {
    /// Corrects the recipient of a step.
    pub fn correct_recipient(
        &self,
        actor: &Actor,
        id: WorkflowId,
        order: u32,
        request: &CorrectRequest,
        origin: &Origin,
    ) -> Result<Advanced, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let logged = by.logs(Action::RecipientCorrected, self.now());
        let doer = App::member_actor(caller, origin);
        let workflow = self.decide(&caller.company, id, |snapshot| {
            let fonts = self.fonts_of(&snapshot.stored)?;
            let recipient = meant(snapshot, order, request)?;
            let workflow = &snapshot.stored.workflow;
            let old = workflow
                .recipient(recipient)
                .ok_or(Error::NotFound(Subject::Recipient))?;
            let mut faults = request.faults.clone();
            let person = Person::read(
                snapshot,
                request.name.as_deref(),
                request.email.as_deref(),
                &fonts,
                &mut faults,
            );
            let mobile = request.new_mobile(snapshot.party.region, &mut faults);
            let company = request.new_company(old.company.as_deref(), &fonts, &mut faults);
            if request.says_nothing(&person) && faults.is_empty() {
                faults.push(Fault::new("", FaultCode::OneRequired).with("allowed", "name, email, mobile, company"));
            }
            if !faults.is_empty() {
                return Err(Error::Unprocessable(faults));
            }
            let person = NewPerson {
                name: person.name.unwrap_or_else(|| old.name.clone()),
                contact: person.contact.unwrap_or_else(|| old.contact.clone()),
                mobile,
                company,
            };
            let change = workflow
                .clone()
                .correct_recipient(recipient, person, snapshot.at)
                .map_err(refused)?;
            let workflow = change.workflow.clone();
            prove_person(self, snapshot, &workflow, recipient, &fonts)?;
            let plan = self.plan_change(snapshot, change, &doer)?;
            Ok((plan.map(|plan| plan.logging(Some(&logged))), workflow))
        })?;
        Ok(self.advanced(&workflow))
    }
}

impl CorrectRequest {
    fn says_nothing(&self, person: &Person) -> bool {
        *person == Person::default() && self.mobile.is_none() && self.company.is_none()
    }

    /// The company for which they sign from now on: who signs may change, for whom they sign only if the request says so.
    fn new_company(&self, before: Option<&str>, fonts: &Fonts, faults: &mut Vec<Fault>) -> Option<String> {
        let Some(given) = self.company.as_deref() else {
            return before.map(str::to_owned);
        };
        let company = domain::text::line(given, LONGEST_COMPANY).unwrap_or_else(|refused| {
            faults.push(text::fault("company", refused));
            None
        })?;
        faults.extend(prove_text(company, fonts, "company").err());
        Some(company.to_owned())
    }

    fn new_mobile(&self, region: Region, faults: &mut Vec<Fault>) -> NewMobile {
        match self.mobile.as_deref().map(str::trim) {
            None => NewMobile::NotSaid,
            Some("") => NewMobile::Said(None),
            Some(mobile) => {
                if !matches!(Contact::parse(mobile, region), Ok(Contact::Phone { .. })) {
                    faults.push(Fault::new("mobile", FaultCode::InvalidPhone));
                }
                NewMobile::Said(Some(mobile.to_owned()))
            }
        }
    }
}

/// The person who replaces a recipient. Details that are omitted are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) name: Option<String>,
    pub(crate) contact: Option<Contact>,
}

impl Person {
    /// Reads the details as typed. Adds faults to `faults`, under `name` and `email`.
    pub(crate) fn read(
        snapshot: &Snapshot,
        name: Option<&str>,
        email: Option<&str>,
        fonts: &Fonts,
        faults: &mut Vec<Fault>,
    ) -> Person {
        let name = PersonName::parse(name.unwrap_or_default()).unwrap_or_else(|refused| {
            faults.push(text::fault("name", refused));
            None
        });
        if let Some(name) = &name
            && let Err(fault) = prove_text(name, fonts, "name")
        {
            faults.push(fault);
        }
        let email = email.map(str::trim).filter(|email| !email.is_empty());
        let contact = email.and_then(|email| {
            Contact::parse(email, snapshot.party.region)
                .map_err(|_| faults.push(Fault::new("email", FaultCode::InvalidContact)))
                .ok()
        });
        Person {
            name: name.map(PersonName::into_string),
            contact,
        }
    }
}

/// Checks that a new person's details can be stamped, and that they can receive a one-time code if they must enter one.
pub(crate) fn prove_person(
    app: &App,
    snapshot: &Snapshot,
    workflow: &Workflow,
    recipient: RecipientId,
    fonts: &Fonts,
) -> Result<(), Error> {
    let Some(recipient) = workflow.recipient(recipient) else {
        return Ok(());
    };
    let asks_code = snapshot
        .stored
        .writer(recipient.id)
        .is_some_and(|writer| writer.asks_one_time_code);
    if asks_code && !app.code_reaches(recipient, snapshot.party.region) {
        return Err(Error::fault("email", FaultCode::OneTimeCodeUnreachable));
    }
    let path = |detail| match detail {
        WriterDetail::Phone if recipient.contact.phone().is_none() => "mobile".to_owned(),
        WriterDetail::Email | WriterDetail::Phone => "email".to_owned(),
        WriterDetail::Company => "company".to_owned(),
        WriterDetail::Name => "name".to_owned(),
    };
    let (template, company) = (&snapshot.template.version, snapshot.company_of(recipient));
    let faults = prove_writer(template, recipient, company, workflow.language, fonts, path);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Error::Unprocessable(faults))
    }
}

fn meant(snapshot: &Snapshot, order: u32, request: &CorrectRequest) -> Result<RecipientId, Error> {
    let region = snapshot.party.region;
    let said = SaidOfWriter::new(request.role.as_deref(), request.current_email.as_deref(), region);
    let mut of_step = snapshot
        .stored
        .workflow
        .recipients
        .iter()
        .filter(|recipient| recipient.order == order && said.fits(recipient));
    let first = of_step.next().ok_or(Error::NotFound(Subject::Recipient))?;
    if of_step.next().is_some() {
        return Err(said.too_little("current_email"));
    }
    Ok(first.id)
}
