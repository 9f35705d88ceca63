//! Checks a start's request against company and template, and collects all faults.
//!
//! Sibling modules read the recipients, values and export settings.

use std::sync::Arc;

use document::text::fonts::Fonts;
use domain::{
    Comment, Contact, CopyRecipient, Field, FieldKind, Language, PersonName, State, TemplateVersion, TextFault,
    UtcOffset, Workflow, WorkflowId, Zone, text, time,
};
use jiff::Timestamp;
use store::template::StoredVersion;
use store::workflow::{NewWorkflow, Party, StartContext};

use super::Together;
use super::plan::StartPlan;
use super::recipients::ReadRecipients;
use super::request::{Idempotency, StartCopy, StartRequest};
use crate::App;
use crate::base::caller::Caller;
use crate::base::error::{ConflictCode, Error, Fault, FaultCode};
use crate::base::origin::Origin;
use crate::base::uploads::FileClaim;
use crate::base::vault::Purpose;
use crate::sealing::seal_ends;
use crate::sending::kept_answer::AnswerKey;
use crate::values::value::prove_text;

pub(super) const LONGEST_NAME: usize = 128;

/// Maximum number of faults in a response.
const MOST_FAULTS: usize = 100;

const MOST_COPIES: usize = 50;

/// Checks a request against company and template, collecting all faults.
pub(super) struct StartReader<'a> {
    pub(super) app: &'a App,
    pub(super) caller: &'a Caller,
    pub(super) context: &'a StartContext,
    pub(super) now: Timestamp,
    pub(super) request: StartRequest,
    pub(super) template: Option<Arc<StoredVersion>>,
    pub(super) is_one_off: bool,
    pub(super) fonts: Arc<Fonts>,
    pub(super) language: Language,
    pub(super) zone: Zone,
    /// Time from which the company can no longer seal with its current key.
    pub(super) seal_ends: Option<Timestamp>,
    pub(super) faults: Vec<Fault>,
    /// An internal error: no worker was free.
    pub(super) failure: Option<Error>,
}

/// A request that was read without faults.
pub(super) struct ReadStart {
    pub(super) plan: StartPlan,
    /// The files of the values.
    pub(super) files: Vec<Vec<u8>>,
    pub(super) is_preview: bool,
}

impl<'a> StartReader<'a> {
    pub(super) fn new(
        app: &'a App,
        caller: &'a Caller,
        context: &'a StartContext,
        one_off: Option<Arc<StoredVersion>>,
        now: Timestamp,
        mut request: StartRequest,
    ) -> Result<StartReader<'a>, Error> {
        let is_one_off = one_off.is_some();
        let template = match (request.template_id, context.template_version) {
            (Some(id), Some(version)) => Some(app.kept_template(&caller.company, id, version)?),
            _ => one_off,
        };
        let faults = std::mem::take(&mut request.faults);
        Ok(StartReader {
            app,
            caller,
            context,
            now,
            request,
            template,
            is_one_off,
            fonts: app.fonts()?,
            language: context.language,
            zone: context.zone,
            seal_ends: app.seal_key_end(&caller.company, context.seal_key)?,
            faults,
            failure: None,
        })
    }

    /// Adds a fault, unless there already is one at the same path, or the maximum is reached.
    pub(super) fn fault(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS && !self.faults.iter().any(|known| known.path == fault.path) {
            self.faults.push(fault);
        }
    }

    fn refusal(&mut self) -> Error {
        if let Some(failure) = self.failure.take() {
            return failure;
        }
        let mut faults = std::mem::take(&mut self.faults);
        faults.sort_by(|a, b| a.path.cmp(&b.path));
        if faults.is_empty() {
            // This is the only refusal that is not about the request.
            return Error::conflict(ConflictCode::Archived);
        }
        Error::Unprocessable(faults)
    }

    pub(super) fn read_all(mut self, origin: &Origin) -> Result<ReadStart, Error> {
        self.read(origin).ok_or_else(|| self.refusal())
    }

    pub(super) fn read(&mut self, origin: &Origin) -> Option<ReadStart> {
        let request = self.request.clone();
        self.settle_offset_and_language(&request);
        let name = self.required_line("workflow_name", request.workflow_name.as_deref(), LONGEST_NAME);
        let comment = self.comment(request.comment.as_deref());
        let expires_at = self.expiry(request.expiry_date.as_deref());
        if let Some(fault) = request.idempotency.as_ref().and_then(Idempotency::fault) {
            self.fault(fault);
        }
        let copies = self.copies(&request.cc);
        let template = self.given_template(&request);
        let template_content = self.template.as_ref().and_then(|stored| stored.content);
        let ReadRecipients {
            recipients,
            checks,
            places,
        } = self.recipients(&request.recipients, template.as_ref());
        let (values, files) = self.values(&request.fields, template.as_ref());
        if let Some(template) = &template {
            self.foresee(template, &request.fields, &values);
        }
        let (export, client) = self.export(request.export.as_ref(), template.as_ref());
        let redirect_url = self.redirect_url(request.redirect_url.as_deref());
        let (template, name) = (template?, name?);
        if !self.faults.is_empty() || self.failure.is_some() || self.context.archived {
            return None;
        }
        let authorization = export
            .as_ref()
            .and_then(|export| export.authorization.as_deref())
            .map(|value| self.app.vault.encrypt(Purpose::WebhookAuthorization, value.as_bytes()));
        let workflow = Workflow {
            id: WorkflowId(0),
            company: self.caller.company.clone(),
            name,
            template: template.template,
            template_version: template.version,
            on_reject: template.on_reject,
            language: self.language,
            zone: self.zone,
            sender: self.caller.member,
            client,
            is_test: self.context.is_test,
            comment,
            started_at: self.now,
            expires_at,
            state: State::Playing { order: 1 },
            recipients,
            copies,
            export,
            redirect_url,
            first_step_reported: false,
            revision: 0,
        };
        let plan = StartPlan {
            workflow,
            new: NewWorkflow {
                company_name: self.context.company_name.clone(),
                checks,
                authorization,
                fonts: Vec::new(),
            },
            places,
            values,
            document: template.pdf,
            signed_original: template.signed_original,
            template_content,
            origin: origin.clone(),
            key: AnswerKey::of("start", self.caller.member, request.idempotency.as_ref()),
            party: self.party(),
            together: Together::default(),
            claim: FileClaim::of(&self.caller.company),
            reserved: None,
        };
        Some(ReadStart {
            plan,
            files,
            is_preview: request.is_preview,
        })
    }

    /// Reads the request's offset and language, which the remaining checks use.
    fn settle_offset_and_language(&mut self, request: &StartRequest) {
        if let Some(text) = &request.offset {
            match UtcOffset::parse(text) {
                Some(offset) => self.zone = offset.into(),
                None => self.fault(Fault::new("offset", FaultCode::InvalidOffset)),
            }
        }
        if let Some(language) = self.language_at("language", request.language.as_deref()) {
            self.language = language;
        }
    }

    fn given_template(&mut self, request: &StartRequest) -> Option<TemplateVersion> {
        let template = self.template.as_ref().map(|stored| stored.version.clone());
        match (request.template_id, &template) {
            (None, None) => self.fault(Fault::new("template_id", FaultCode::Required)),
            (Some(_), None) => self.fault(Fault::new("template_id", FaultCode::UnknownTemplate)),
            (_, Some(template)) => self.prove_texts_of_others(template),
        }
        template
    }

    fn party(&self) -> Party {
        Party {
            company_name: self.context.company_name.clone(),
            sender_name: self.caller.name.clone(),
            sender_email: self.caller.email.clone(),
            language: self.context.language,
            region: self.context.region,
            link_days: self.context.link_days,
            style: self.context.style.clone(),
            sender_disabled: false,
        }
    }

    fn required_line(&mut self, path: &str, text: Option<&str>, longest: usize) -> Option<String> {
        if !text.is_some_and(text::is_visible) {
            self.fault(Fault::new(path, FaultCode::Required));
        }
        self.line(path, text, longest)
    }

    pub(super) fn line(&mut self, path: &str, text: Option<&str>, longest: usize) -> Option<String> {
        let read = text::line(text?, longest).map(|line| line.map(str::to_owned));
        self.drawable(path, read)
    }

    pub(super) fn name(&mut self, path: &str, text: Option<&str>) -> Option<String> {
        let read = PersonName::parse(text?).map(|name| name.map(PersonName::into_string));
        self.drawable(path, read)
    }

    fn comment(&mut self, text: Option<&str>) -> Option<String> {
        let read = Comment::parse(text?).map(|comment| comment.map(Comment::into_string));
        self.drawable("comment", read)
    }

    /// Returns a text that was read, if a font has every character of it.
    fn drawable(&mut self, path: &str, read: Result<Option<String>, TextFault>) -> Option<String> {
        let text = match read {
            Ok(text) => text?,
            Err(refused) => {
                self.fault(crate::base::text::fault(path, refused));
                return None;
            }
        };
        match prove_text(&text, &self.fonts, path) {
            Ok(()) => Some(text),
            Err(fault) => {
                self.fault(fault);
                None
            }
        }
    }

    pub(super) fn language_at(&mut self, path: &str, text: Option<&str>) -> Option<Language> {
        let text = text?;
        let language = Language::parse(text);
        if language.is_none() {
            self.fault(Fault::new(path, FaultCode::InvalidLanguage));
        }
        language
    }

    fn expiry(&mut self, text: Option<&str>) -> Timestamp {
        let usual_end = self.zone.days_later(self.now, self.context.expiry_days);
        let expires_at = match text {
            None => Some(usual_end),
            Some(text) => match time::parse_local_end(text.trim(), self.zone) {
                None => {
                    self.fault(Fault::new("expiry_date", FaultCode::InvalidDateTime));
                    None
                }
                Some(at) if at <= self.now => {
                    self.fault(Fault::new("expiry_date", FaultCode::PastDateTime));
                    None
                }
                at => at,
            },
        };
        // If the certificate has already ended, the start as a whole is refused, not its date.
        let seal_ends = self.seal_ends.filter(|end| *end >= self.now);
        if let Some(fault) = expires_at.and_then(|at| seal_ends::fault(at, usual_end, seal_ends?, self.zone)) {
            self.fault(fault);
        }
        expires_at.unwrap_or(self.now)
    }

    pub(super) fn contact(&mut self, path: &str, text: Option<&str>) -> Option<Contact> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
            self.fault(Fault::new(path, FaultCode::Required));
            return None;
        };
        let contact = Contact::parse(text, self.context.region).ok();
        match &contact {
            None => self.fault(Fault::new(path, FaultCode::InvalidContact)),
            Some(contact) => self.prove_text(contact.as_given(), path),
        }
        contact
    }

    /// Checks that a font has every character that the document or its certificate shows.
    fn prove_text(&mut self, text: &str, path: &str) {
        if let Err(fault) = prove_text(text, &self.fonts, path) {
            self.fault(fault);
        }
    }

    /// Checks the texts about the company, its member and the template that the certificate shows, because earlier
    /// versions accepted any text.
    fn prove_texts_of_others(&mut self, template: &TemplateVersion) {
        let (company, sender) = (self.context.company_name.clone(), self.caller.name.clone());
        let roles = template.steps.iter().filter_map(|step| step.role.as_deref());
        let attached = template
            .named_fields()
            .filter(|field| field.kind == FieldKind::Attachment);
        let own = roles
            .chain(attached.map(Field::shown_name))
            .chain([template.name.as_str()]);
        for text in own {
            self.prove_text(text, "template_id");
        }
        for text in [company, sender] {
            self.prove_text(&text, "");
        }
    }

    fn copies(&mut self, copies: &[StartCopy]) -> Vec<CopyRecipient> {
        if copies.len() > MOST_COPIES {
            self.fault(Fault::new("cc_list", FaultCode::TooMany).with("max", MOST_COPIES));
        }
        let mut read = Vec::new();
        for (index, copy) in copies.iter().take(MOST_COPIES).enumerate() {
            let path = format!("cc_list[{index}]");
            let name = self.name(&format!("{path}.name"), copy.name.as_deref());
            let contact = self.contact(&format!("{path}.email"), copy.email.as_deref());
            if let Some(contact) = contact {
                let name = name.unwrap_or_else(|| contact.as_given().to_owned());
                read.push(CopyRecipient { name, contact });
            }
        }
        read
    }
}
