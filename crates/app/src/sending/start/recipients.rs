//! Reads the recipients of a start, and assigns them to places of the template.

use std::collections::{BTreeMap, BTreeSet};

use domain::template::{NamedWriter, TemplateStep};
use domain::{Contact, Language, Progress, Recipient, RecipientId, TemplateVersion, WriterDetail, text};
use store::workflow::Checks;

use super::read::StartReader;
use super::request::StartRecipient;
use crate::base::error::{Fault, FaultCode};
use crate::values::value::{LONGEST_COMPANY, prove_writer};

const LONGEST_HINT: usize = 50;
const SHORTEST_CODE: usize = 4;
const LONGEST_CODE: usize = 15;

/// The recipients of a workflow.
#[derive(Default)]
pub(super) struct ReadRecipients {
    pub(super) recipients: Vec<Recipient>,
    /// The codes that each recipient has to enter.
    pub(super) checks: Vec<Checks>,
    /// The index of each recipient of the request in this list.
    pub(super) places: Vec<Option<usize>>,
}

/// A recipient that was read without faults.
struct Person {
    name: String,
    contact: Contact,
    language: Option<Language>,
    mobile: Option<String>,
    company: Option<String>,
    checks: Checks,
}

impl StartReader<'_> {
    /// Assigns each recipient to a place of the template.
    pub(super) fn recipients(
        &mut self,
        given: &[StartRecipient],
        template: Option<&TemplateVersion>,
    ) -> ReadRecipients {
        let mut read: Vec<Option<Person>> = given
            .iter()
            .enumerate()
            .map(|(index, recipient)| self.person(index, recipient))
            .collect();
        let is_lacking = match template {
            Some(template) => template.steps.iter().any(|step| step.writer.is_none()),
            None => true,
        };
        if given.is_empty() && is_lacking {
            self.fault(Fault::new("recipient_list", FaultCode::Required));
            return ReadRecipients::default();
        }
        let Some(template) = template else {
            return ReadRecipients::default();
        };
        let places = self.places(given, template);
        let highest = given.iter().filter_map(|recipient| recipient.order).max().unwrap_or(0);
        let (mut recipients, mut checks) = (Vec::new(), Vec::new());
        let mut place_in_step: BTreeMap<u32, u32> = BTreeMap::new();
        for (place, step) in template.steps.iter().enumerate() {
            let number = place_in_step.entry(step.order).or_default();
            *number += 1;
            let index = places.iter().position(|taken| *taken == Some(place));
            let person = match (index, &step.writer) {
                (Some(index), _) => read.get_mut(index).and_then(Option::take),
                (None, Some(writer)) => self.person_of_template(writer),
                (None, None) => {
                    self.miss(step.order, highest);
                    None
                }
            };
            if let Some(person) = person {
                let (recipient, own) = self.placed(template, step, *number, person, index);
                recipients.push(recipient);
                checks.push(own);
            }
        }
        ReadRecipients {
            recipients,
            checks,
            places,
        }
    }

    /// Returns the place of each recipient in the template. Recipients with a role are assigned first, then the others
    /// in list order.
    fn places(&mut self, given: &[StartRecipient], template: &TemplateVersion) -> Vec<Option<usize>> {
        let mut place_of: Vec<Option<usize>> = vec![None; given.len()];
        let mut taken = BTreeSet::new();
        for named in [true, false] {
            for (index, recipient) in given.iter().enumerate() {
                let role = recipient.role.as_deref().map(str::trim).filter(|role| !role.is_empty());
                let Some(order) = recipient.order.filter(|_| role.is_some() == named) else {
                    continue;
                };
                let has_role = |step: &TemplateStep| role.is_none_or(|role| step.role.as_deref() == Some(role));
                let place = template
                    .steps
                    .iter()
                    .enumerate()
                    .find(|(place, step)| step.order == order && !taken.contains(place) && has_role(step));
                if let Some((place, _)) = place {
                    taken.insert(place);
                    if let Some(slot) = place_of.get_mut(index) {
                        *slot = Some(place);
                    }
                    continue;
                }
                let path = format!("recipient_list[{index}]");
                let (path, code) = if template.places(order).next().is_none() {
                    (format!("{path}.order"), FaultCode::UnknownStep)
                } else if !template.places(order).any(has_role) {
                    (format!("{path}.role"), FaultCode::UnknownStep)
                } else {
                    (path, FaultCode::TooManyRecipients)
                };
                self.fault(Fault::new(path, code).with("order", order));
            }
        }
        place_of
    }

    fn person_of_template(&mut self, writer: &NamedWriter) -> Option<Person> {
        let contact = Contact::parse(&writer.email, self.context.region).ok();
        if contact.is_none() {
            self.fault(Fault::new("template_id", FaultCode::InvalidContact));
        }
        Some(Person {
            name: writer.name.clone(),
            contact: contact?,
            language: None,
            mobile: None,
            company: self.line("template_id", writer.company.as_deref(), LONGEST_COMPANY),
            checks: Checks::default(),
        })
    }

    /// Adds the fault of a step without a recipient.
    fn miss(&mut self, order: u32, highest: u32) {
        // A recipient whose place could not be read may be the missing one.
        let unplaced = self.faults.iter().any(|fault| match fault.path.rsplit_once("].") {
            Some((_, "role")) => fault.path.starts_with("recipient_list["),
            Some((_, "order")) => fault.code != FaultCode::UnknownStep,
            _ => false,
        });
        let code = if order < highest {
            FaultCode::OrderGap
        } else {
            FaultCode::MissingRecipient
        };
        if !unplaced {
            self.fault(Fault::new("recipient_list", code).with("order", order));
        }
    }

    /// Builds the recipient for a place of the template. `index` is the index in the request.
    fn placed(
        &mut self,
        template: &TemplateVersion,
        step: &TemplateStep,
        number: u32,
        person: Person,
        index: Option<usize>,
    ) -> (Recipient, Checks) {
        let recipient = Recipient {
            id: RecipientId(0),
            order: step.order,
            place: number,
            role: step.role.clone(),
            name: person.name,
            contact: person.contact,
            mobile: person.mobile,
            company: person.company,
            language: person.language,
            link_version: 1,
            progress: Progress::Waiting,
        };
        self.prove_writer(template, &recipient, index);
        let one_time_code = person.checks.one_time_code || step.one_time_code;
        // No message of a test leaves.
        let reaches = !self.context.is_test && self.app.code_reaches(&recipient, self.context.region);
        if one_time_code && !reaches {
            let path = index.map_or("template_id".to_owned(), |index| {
                format!("recipient_list[{index}].one_time_code")
            });
            self.fault(Fault::new(path, FaultCode::OneTimeCodeUnreachable));
        }
        let checks = Checks {
            one_time_code,
            ..person.checks
        };
        (recipient, checks)
    }

    /// Checks that the recipient's details fit into the fields that show them.
    fn prove_writer(&mut self, template: &TemplateVersion, recipient: &Recipient, index: Option<usize>) {
        let path_of = |detail| match (index, detail) {
            (Some(index), WriterDetail::Company) if recipient.company.is_some() => {
                format!("recipient_list[{index}].company")
            }
            (None, _) | (_, WriterDetail::Company) => "template_id".to_owned(),
            (Some(index), WriterDetail::Name) => format!("recipient_list[{index}].name"),
            (Some(index), WriterDetail::Phone) if recipient.contact.phone().is_none() => {
                format!("recipient_list[{index}].mobile")
            }
            (Some(index), WriterDetail::Email | WriterDetail::Phone) => format!("recipient_list[{index}].email"),
        };
        let company = recipient.signs_for(&self.caller.email, &self.context.company_name);
        for fault in prove_writer(template, recipient, company, self.language, &self.fonts, path_of) {
            self.fault(fault);
        }
    }

    fn person(&mut self, index: usize, given: &StartRecipient) -> Option<Person> {
        let path = format!("recipient_list[{index}]");
        if given.order.is_none_or(|order| order == 0) {
            self.fault(Fault::new(format!("{path}.order"), FaultCode::Required));
        }
        if !given.name.as_deref().is_some_and(text::is_visible) {
            self.fault(Fault::new(format!("{path}.name"), FaultCode::Required));
        }
        let name = self.name(&format!("{path}.name"), given.name.as_deref());
        let contact = self.contact(&format!("{path}.email"), given.email.as_deref());
        let language = self.language_at(&format!("{path}.language"), given.language.as_deref());
        let mobile = given
            .mobile
            .as_deref()
            .map(str::trim)
            .filter(|mobile| !mobile.is_empty());
        if let Some(mobile) = mobile
            && !matches!(Contact::parse(mobile, self.context.region), Ok(Contact::Phone { .. }))
        {
            self.fault(Fault::new(format!("{path}.mobile"), FaultCode::InvalidPhone));
        }
        let company = self.line(&format!("{path}.company"), given.company.as_deref(), LONGEST_COMPANY);
        let hint = self.line(
            &format!("{path}.password_hint"),
            given.password_hint.as_deref(),
            LONGEST_HINT,
        );
        let mut access = None;
        if let Some(code) = given.password.as_deref().filter(|code| !code.is_empty()) {
            let length = code.chars().count();
            let path = format!("{path}.password");
            if length < SHORTEST_CODE {
                self.fault(Fault::new(path, FaultCode::TooShort).with("min", SHORTEST_CODE));
            } else if length > LONGEST_CODE {
                self.fault(Fault::new(path, FaultCode::TooLong).with("max", LONGEST_CODE));
            } else if code.chars().any(char::is_control) {
                self.fault(Fault::new(path, FaultCode::ControlCharacter));
            } else {
                access = Some(self.app.new_access_code(code, hint));
            }
        }
        Some(Person {
            name: name?,
            contact: contact?,
            language,
            mobile: mobile.map(str::to_owned),
            company,
            checks: Checks {
                access,
                one_time_code: given.one_time_code == Some(true),
            },
        })
    }
}
