//! Public links: each visitor starts a workflow of a template, as its first signer.
//!
//! **Actors.** A member creates the link, with everything that applies to all its workflows: the recipients of the
//! other steps, values and webhooks. A visitor enters a name and an e-mail address or telephone number on the link's
//! page. The workflow is sent in the name of the member who created the link, and its audit trail says that the holder
//! of the link started it.
//!
//! **Guarantees.** The limit is exact, and with the rule `once` one address starts one workflow, even if several
//! requests arrive at the same time: both are decided in the transaction that starts the workflow. The same applies to
//! the limits per hour, for each of the company's recipients and each link ([`store::public_link::UseBounds`]). Links
//! used at the same time can each exceed the recipient's limit by one. That limit counts mailboxes, regardless of an
//! address's tag, and only if something is sent: the visitor of an embedded document gets no message, except a required
//! code. A link whose workflows could not be sent is refused when it is created, by a check with a fictional visitor as
//! the first signer. Page, form and API use one function to check whether a link is open ([`refusal`]).
//!
//! **No relay.** Strangers must not be able to make us write to other people. So a visitor's name that contains an
//! address is refused, and messages go only to mobile telephones of the company's country, unless the link names other
//! countries.
//!
//! **No proof of identity.** A link does not prove who the visitor is, because nothing has been sent to the address
//! yet. With `confirm` the visitor is not redirected to the signing page, but gets its link by message.

use std::sync::Arc;

use domain::address_in_text::holds_an_address;
use domain::contact::{PhoneRefusal, is_country, takes_strangers_message};
use domain::{Access, Contact, Language, Region, TemplateId, UtcOffset, Zone, text, time};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::public_link::{self, Bound, LinkUse, PublicLink, PublicLinkId, Taken};
use store::template::StoredVersion;
use store::workflow::StartContext;

use crate::App;
use crate::base::actor::{Actor, Permit};
use crate::base::audit_log::Action;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject, ThrottleCode};
use crate::base::listing::ListReader;
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::companies::company_look::CompanyLook;
use crate::links::addresses::Addresses;
use crate::links::link_token::LinkPurpose;
use crate::sending::kept_answer::AnswerKey;
use crate::sending::start::{Idempotency, StartRecipient, StartRequest, Together};

const LONGEST_NAME: usize = 128;
const MOST_USES: i64 = 1_000_000;
/// The placeholders in a workflow's name, in braces.
const PLACE_OF_NAME: &str = "name";
const PLACE_OF_DATE: &str = "date";
const MOST_COUNTRIES: usize = 50;

/// A public link to create.
#[derive(Debug, Clone, Default)]
pub struct NewPublicLink {
    /// The values for all workflows of the link: template, name (with `{name}` and `{date}`), other recipients, field
    /// values. Its faults are those of the request.
    pub start: StartRequest,
    /// Maximum number of uses.
    pub limit: Option<i64>,
    /// Time when the link expires: `YYYY-MM-DD HH:MM:SS` in the request's UTC offset. A date without a time means the
    /// end of that day.
    pub end_date: Option<String>,
    /// `once` (each address once) or `many`.
    pub duplicates: Option<String>,
    /// Whether visitors get the signing link only by message.
    pub confirm: bool,
    /// The countries whose mobile numbers are accepted (ISO 3166-1, two letters). `None` means the company's country.
    pub phone_countries: Option<Vec<String>>,
}

/// A public link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PublicLinkView {
    /// The ID of the link.
    pub link_id: i64,
    /// The URL to share.
    #[schema(example = "https://sign.example.com/link?token=TAAAAAAAAAAB&lang=ko")]
    pub link_url: String,
    /// `open`, `closed`, `used_up` or `ended`. A link is also closed if its template is archived, or if the member who
    /// created it can no longer send.
    #[schema(pattern = "^(open|closed|used_up|ended)$")]
    pub status: String,
    /// The template's ID.
    pub template_id: i64,
    /// The name of the link's documents, with placeholders.
    pub workflow_name: String,
    /// The language of the link's documents.
    pub language: String,
    /// Maximum number of uses. Absent if there is no limit.
    pub limit: Option<u32>,
    /// Number of uses so far.
    pub used: u32,
    /// Time when the link expires, with its UTC offset. Empty if it does not expire.
    pub end_date: String,
    /// `once`: once for each address. `many`: any number of times.
    #[schema(pattern = "^(once|many)$")]
    pub duplicates: String,
    /// Whether the documents are embedded: signers get no messages.
    pub is_embed: bool,
    /// Time when the link was created, with its UTC offset.
    pub created_date: String,
    /// Time when the link was closed, with its UTC offset. Empty if it is open.
    pub closed_date: String,
}

/// Links, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PublicLinkList {
    /// The links.
    pub link_list: Vec<PublicLinkView>,
    /// Pass this value as `cursor` to get the next page. Absent at the end of the list.
    pub next_cursor: Option<String>,
}

/// The information that visitors see before they enter their name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkInvitation {
    /// The company that requests the signature.
    pub company_name: String,
    /// The company's appearance.
    pub look: CompanyLook,
    /// The name of the link's documents, with a placeholder for the visitor's name.
    pub document: String,
    /// The language of the link's documents.
    pub language: Language,
    /// Whether the visitor is promised a copy of the completed document.
    pub promises_copy: bool,
    /// Whether visitors get the signing link by message.
    pub confirm: bool,
}

/// The person who opened the link.
#[derive(Debug, Clone, Default)]
pub struct LinkVisitor {
    pub name: String,
    /// The e-mail address or telephone number.
    pub contact: String,
    /// The language of the page on which they entered their data.
    pub language: Option<Language>,
    /// Whether they agreed that their name and address are passed on and kept.
    pub agreed: bool,
}

/// The visitor's next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkLeads {
    /// Go to the signing page.
    To(String),
    /// Check their mailbox or telephone.
    ToMessage,
}

/// The stored part of a link's start request.
#[derive(Serialize, Deserialize)]
struct KeptStart {
    request: StartRequest,
    confirm: bool,
    /// The countries whose telephone numbers are accepted, in addition to the company's.
    #[serde(default)]
    phone_countries: Option<Vec<String>>,
}

/// Limits on a link: number of uses, end, and who may use it.
struct LinkTerms {
    most: Option<u32>,
    until: Option<Timestamp>,
    once: bool,
    is_embed: bool,
    /// The language of documents if the visitor's page does not set one.
    language: Option<Language>,
}

impl LinkTerms {
    fn read(new: &NewPublicLink, zone: Zone, now: Timestamp, faults: &mut Vec<Fault>) -> LinkTerms {
        let start = &new.start;
        let zone = start
            .offset
            .as_deref()
            .and_then(UtcOffset::parse)
            .map_or(zone, Zone::from);
        let until = new.end_date.as_deref().and_then(|text| {
            let at = time::parse_local_end(text.trim(), zone);
            match at {
                None => faults.push(Fault::new("end_date", FaultCode::InvalidDateTime)),
                Some(at) if at <= now => faults.push(Fault::new("end_date", FaultCode::PastDateTime)),
                Some(_) => {}
            }
            at
        });
        let most = new.limit.and_then(|limit| {
            let most = u32::try_from(limit).ok().filter(|_| (1..=MOST_USES).contains(&limit));
            if most.is_none() {
                let fault = Fault::new("limit", FaultCode::OutOfRange);
                faults.push(fault.with("min", 1).with("max", MOST_USES));
            }
            most
        });
        let once = match new.duplicates.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            None | Some("once") => true,
            Some("many") => false,
            Some(_) => {
                faults.push(Fault::new("duplicates", FaultCode::NotAllowed).with("allowed", "once, many"));
                true
            }
        };
        let is_embed = start.export.as_ref().and_then(|export| export.is_embed) == Some(true);
        if new.confirm && is_embed {
            faults.push(Fault::new("confirm", FaultCode::NotAllowed).with("allowed", "false"));
        }
        LinkTerms {
            most,
            until,
            once,
            is_embed,
            language: start.language.as_deref().and_then(Language::parse),
        }
    }
}

impl App {
    /// Creates a link.
    pub fn new_public_link(&self, actor: &Actor, new: NewPublicLink) -> Result<PublicLinkView, Error> {
        let by = actor.must_send()?;
        let caller = by.member()?;
        let now = self.now();
        let key = AnswerKey::of("link", caller.member, new.start.idempotency.as_ref());
        if let Some(answer) = self.answered_before(caller, key.as_ref(), now)? {
            return Ok(answer);
        }
        let (kept, terms) = self.read_new_link(caller, new, now)?;
        let link = self.link_of(caller, &kept, &terms, now)?;
        let logged = by
            .logs(Action::PublicLinkCreated, now)
            .setting(&json!({"template": link.template}));
        let (outgoing, zone, wanted) = (Arc::clone(&self.outgoing), caller.zone, key.clone());
        let made = self.store.write(move |tx| {
            if let Some(key) = &wanted
                && let Some(kept) = key.find(tx, &link.company, now)?
            {
                return Ok(Err(kept));
            }
            let id = public_link::insert(tx, &link)?;
            logged.clone().about(id.0).write(tx)?;
            let made = PublicLink { id, ..link.clone() };
            let url = link_url(&made, &outgoing.addresses);
            let view = shown_link(&made, zone, url, now);
            if let Some(key) = &wanted {
                key.keep(tx, &link.company, &view, &outgoing.vault, now)?;
            }
            Ok::<_, Error>(Ok(view))
        })?;
        made.or_else(|kept| match &key {
            Some(key) => key.answer(&kept, &self.vault),
            None => Err(Error::internal(
                "making a link",
                "a stored response was found, although the request has no idempotency key",
            )),
        })
    }

    /// Reads a new link, and checks that visitors could start documents with it, so that faults are reported when it is
    /// created.
    fn read_new_link(
        &self,
        caller: &Caller,
        new: NewPublicLink,
        now: Timestamp,
    ) -> Result<(KeptStart, LinkTerms), Error> {
        let mut faults = new.start.faults.clone();
        faults.extend(new.start.idempotency.as_ref().and_then(Idempotency::fault));
        let terms = LinkTerms::read(&new, caller.zone, now, &mut faults);
        let name = new.start.workflow_name.as_deref().unwrap_or_default();
        if text::filled_in(name, &[(PLACE_OF_NAME, ""), (PLACE_OF_DATE, "")]).contains(['{', '}']) {
            faults.push(Fault::new("workflow_name", FaultCode::UnknownPlace).with("allowed", "{name}, {date}"));
        }
        let phone_countries = new
            .phone_countries
            .map(|countries| read_countries(&countries, &mut faults));
        let request = StartRequest {
            faults: Vec::new(),
            idempotency: None,
            is_preview: false,
            ..new.start
        };
        let sample = LinkVisitor {
            name: "Visitor".to_owned(),
            contact: "visitor@example.com".to_owned(),
            language: terms.language,
            agreed: true,
        };
        let tried = StartRequest {
            faults,
            ..self.visited(request.clone(), &sample, caller)
        };
        self.check_start(caller, tried)
            .map_err(|error| as_of_maker(error, &request.recipients))?;
        let kept = KeptStart {
            request,
            confirm: new.confirm,
            phone_countries,
        };
        Ok((kept, terms))
    }

    fn link_of(
        &self,
        caller: &Caller,
        kept: &KeptStart,
        terms: &LinkTerms,
        now: Timestamp,
    ) -> Result<PublicLink, Error> {
        let name = kept.request.workflow_name.as_deref().unwrap_or_default();
        let request = serde_json::to_vec(kept).map_err(|error| Error::internal("keeping a link", error))?;
        Ok(PublicLink {
            id: PublicLinkId(0),
            company: caller.company.clone(),
            member: caller.member,
            template: kept.request.template_id.unwrap_or(TemplateId(0)),
            workflow_name: name.trim().chars().take(LONGEST_NAME).collect(),
            language: match terms.language {
                Some(language) => language,
                None => self.company(&caller.company)?.language,
            },
            request: self.vault.encrypt(Purpose::PublicLink, &request),
            most: terms.most,
            used: 0,
            until: terms.until,
            once: terms.once,
            is_embed: terms.is_embed,
            created_at: now,
            closed_at: None,
            can_start: true,
        })
    }

    /// Lists the company's links, newest first.
    pub fn public_links(
        &self,
        actor: &Actor,
        cursor: Option<&String>,
        limit: Option<&String>,
    ) -> Result<PublicLinkList, Error> {
        let by = actor.must_read()?;
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: by.zone(),
            faults: &mut faults,
        };
        let before = query.cursor(cursor).unwrap_or(i64::MAX);
        let limit = query.limit(limit);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let company = by.company().clone();
        let mut links = self
            .store
            .read(move |tx| public_link::list(tx, &company, before, limit.saturating_add(1)).map_err(Error::from))?;
        let more = links.len() > limit as usize;
        links.truncate(limit as usize);
        Ok(PublicLinkList {
            next_cursor: links.last().filter(|_| more).map(|last| last.id.0.to_string()),
            link_list: links.iter().map(|link| self.shown_link(link, by)).collect(),
        })
    }

    /// Returns one of the company's links.
    pub fn public_link(&self, actor: &Actor, id: i64) -> Result<PublicLinkView, Error> {
        let by = actor.must_read()?;
        let company = by.company().clone();
        let link = self
            .store
            .read(move |tx| public_link::find(tx, &company, PublicLinkId(id)).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::PublicLink))?;
        Ok(self.shown_link(&link, by))
    }

    /// Closes a link permanently. Its documents continue.
    pub fn close_public_link(&self, actor: &Actor, id: i64) -> Result<PublicLinkView, Error> {
        let by = actor.must_send()?;
        let (company, id, now) = (by.company().clone(), PublicLinkId(id), self.now());
        let logged = by.logs(Action::PublicLinkClosed, now).about(id.0);
        let link = self.store.write(move |tx| {
            let closed = public_link::close(tx, &company, id, now)?;
            let link = public_link::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::PublicLink))?;
            if !closed {
                return Err(Error::conflict(ConflictCode::LinkClosed));
            }
            logged.write(tx)?;
            Ok(link)
        })?;
        Ok(self.shown_link(&link, by))
    }

    /// Returns the content of a link's first page. A conflict says why the link is not open.
    pub fn open_public_link(&self, token: &str) -> Result<LinkInvitation, Error> {
        let link = self.opened_link(token)?;
        let (context, template) = self.template_of(&link)?;
        Ok(LinkInvitation {
            look: CompanyLook::of(&link.company, &context.company_name, &context.style),
            promises_copy: !link.is_embed && context.style.completed_mails.writers,
            company_name: context.company_name,
            document: document_before(
                &link.workflow_name,
                &template.version.name,
                &self.date_of_start(context.zone),
            ),
            language: link.language,
            confirm: self.kept_start(&link)?.confirm,
        })
    }

    /// Starts a workflow for a visitor.
    pub fn use_public_link(&self, token: &str, visitor: &LinkVisitor, origin: &Origin) -> Result<LinkLeads, Error> {
        let link = self.opened_link(token)?;
        let sender = self.member_caller(&link.company, link.member, Channel::Pages)?;
        let sender = sender.ok_or(Error::conflict(ConflictCode::LinkClosed))?;
        let region = self.company(&link.company)?.region;
        let kept = self.kept_start(&link)?;
        let contact = Contact::parse(&visitor.contact, region).ok();
        let mut faults = Vec::new();
        match &contact {
            None if visitor.contact.trim().is_empty() => faults.push(Fault::new("contact", FaultCode::Required)),
            None => faults.push(Fault::new("contact", FaultCode::InvalidContact)),
            Some(contact) => faults.extend(phone_fault(contact, region, kept.phone_countries.as_deref())),
        }
        if holds_an_address(&visitor.name) {
            faults.push(Fault::new("name", FaultCode::AddressInName));
        }
        if !visitor.agreed {
            faults.push(Fault::new("agree", FaultCode::AgreementRequired));
        }
        // The visitor is added after the recipients whom the link names.
        let place = kept.request.recipients.len();
        let request = StartRequest {
            faults,
            ..self.visited(kept.request, visitor, &sender)
        };
        let writes_to_visitor = !link.is_embed || self.asks_for_code(&link)?;
        let link_use = LinkUse {
            link: link.id,
            person: contact
                .as_ref()
                .filter(|_| link.once)
                .map(|contact| self.known_by(&contact.key())),
            addressee: contact
                .as_ref()
                .filter(|_| writes_to_visitor)
                .map(|contact| self.known_by(&contact.mailbox())),
            bounds: self.settings.public_links,
        };
        let company = link.company.clone();
        let together = Together {
            visitor: Some(place),
            record: Some(Box::new(move |tx, workflow, now| {
                let outcome = public_link::take(tx, &company, &link_use, workflow, now)?;
                not_taken(outcome, now).map_or(Ok(()), Err)
            })),
            ..Together::default()
        };
        let started = self
            .start_with(&sender, request, origin, together)
            .map_err(|error| as_of_visitor(error, &link, place))?;
        if kept.confirm {
            return Ok(LinkLeads::ToMessage);
        }
        let lacking = || {
            Error::internal(
                "starting a document from a public link",
                "the visitor is not one of the signers",
            )
        };
        started.visitor_sign_url.map(LinkLeads::To).ok_or_else(lacking)
    }

    /// Adds the visitor to a start as the last recipient. The visitor gets the remaining place in the first step, and
    /// signs in the language of their page.
    fn visited(&self, request: StartRequest, visitor: &LinkVisitor, sender: &Caller) -> StartRequest {
        let date = self.date_of_start(sender.zone);
        let name = request.workflow_name.as_deref().map(|name| {
            text::filled_in(name, &[(PLACE_OF_NAME, visitor.name.trim()), (PLACE_OF_DATE, &date)])
                .trim()
                .chars()
                .take(LONGEST_NAME)
                .collect()
        });
        let mut recipients = request.recipients;
        recipients.push(StartRecipient {
            order: Some(1),
            name: Some(visitor.name.clone()),
            email: Some(visitor.contact.clone()),
            language: visitor.language.map(|language| language.code().to_owned()),
            ..StartRecipient::default()
        });
        StartRequest {
            workflow_name: name,
            recipients,
            ..request
        }
    }

    /// Returns the date for the name of a document.
    fn date_of_start(&self, zone: Zone) -> String {
        let date = time::format_with_zone(self.now(), zone);
        date.split(' ').next().unwrap_or_default().to_owned()
    }

    /// Returns the key of an address in the table of uses, which does not reveal the address.
    fn known_by(&self, key: &str) -> String {
        hex::encode(self.vault.tag(Purpose::PublicLink, key.as_bytes()))
    }

    /// Whether the first signer has to enter a code. Codes are also sent for embedded documents.
    fn asks_for_code(&self, link: &PublicLink) -> Result<bool, Error> {
        let (_, template) = self.template_of(link)?;
        let mut steps = template.version.steps.iter();
        Ok(steps.any(|step| step.order == 1 && step.one_time_code))
    }

    /// Returns the current template of a link, and its company's name and appearance.
    fn template_of(&self, link: &PublicLink) -> Result<(StartContext, Arc<StoredVersion>), Error> {
        let (company, template) = (link.company.clone(), link.template);
        let context = self
            .store
            .read(move |tx| store::workflow::start_context(tx, &company, template, None).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Link))?;
        let version = context
            .template_version
            .ok_or(Error::conflict(ConflictCode::LinkClosed))?;
        let template = self.kept_template(&link.company, template, version)?;
        Ok((context, template))
    }

    /// Returns the link of a token, if it is open.
    fn opened_link(&self, token: &str) -> Result<PublicLink, Error> {
        let token = self.outgoing.addresses.read(token);
        let token = token
            .filter(|token| token.purpose == LinkPurpose::Start)
            .ok_or(Error::NotFound(Subject::Link))?;
        let id = PublicLinkId(token.subject);
        let link = self
            .store
            .read(move |tx| public_link::open(tx, id).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::Link))?;
        let now = self.now();
        match refusal(&link, now) {
            Some(code) => Err(Error::conflict(code)),
            None => Ok(link),
        }
    }

    fn kept_start(&self, link: &PublicLink) -> Result<KeptStart, Error> {
        let text = self
            .vault
            .decrypt(Purpose::PublicLink, &link.request)
            .map_err(|error| Error::internal("reading a link", error))?;
        serde_json::from_slice(&text).map_err(|error| Error::internal("reading a link", error))
    }

    /// Returns a link for display. Members with read-only access do not get its URL because it can start documents.
    fn shown_link(&self, link: &PublicLink, by: Permit<'_>) -> PublicLinkView {
        let url = if by.may(Access::Send) {
            link_url(link, &self.outgoing.addresses)
        } else {
            String::new()
        };
        shown_link(link, by.zone(), url, self.now())
    }
}

fn link_url(link: &PublicLink, addresses: &Addresses) -> String {
    addresses.public_link_url(link.id.0, link.language)
}

fn shown_link(link: &PublicLink, zone: Zone, link_url: String, now: Timestamp) -> PublicLinkView {
    let with_zone = |at| time::format_with_zone(at, zone);
    PublicLinkView {
        link_id: link.id.0,
        link_url,
        status: match refusal(link, now) {
            None => "open",
            Some(ConflictCode::LinkUsedUp) => "used_up",
            Some(ConflictCode::LinkEnded) => "ended",
            Some(_) => "closed",
        }
        .to_owned(),
        template_id: link.template.get(),
        workflow_name: link.workflow_name.clone(),
        language: link.language.locale().to_owned(),
        limit: link.most,
        used: link.used,
        end_date: link.until.map(with_zone).unwrap_or_default(),
        duplicates: if link.once { "once" } else { "many" }.to_owned(),
        is_embed: link.is_embed,
        created_date: with_zone(link.created_at),
        closed_date: link.closed_at.map(with_zone).unwrap_or_default(),
    }
}

/// Returns the fault of a visitor's telephone number.
fn phone_fault(contact: &Contact, region: Region, countries: Option<&[String]>) -> Option<Fault> {
    let own = [region.code().to_owned()];
    let countries = countries.unwrap_or(&own);
    match takes_strangers_message(contact.phone()?, countries) {
        Ok(()) => None,
        Err(PhoneRefusal::NotMobile) => Some(Fault::new("contact", FaultCode::NoMobileNumber)),
        Err(PhoneRefusal::Elsewhere) => {
            Some(Fault::new("contact", FaultCode::PhoneCountry).with("allowed", countries.join(", ")))
        }
    }
}

fn read_countries(given: &[String], faults: &mut Vec<Fault>) -> Vec<String> {
    if given.len() > MOST_COUNTRIES {
        faults.push(Fault::new("phone_countries", FaultCode::TooMany).with("max", MOST_COUNTRIES));
        return Vec::new();
    }
    let mut countries = Vec::new();
    for (index, code) in given.iter().enumerate() {
        let code = code.trim().to_ascii_uppercase();
        if is_country(&code) {
            countries.push(code);
        } else {
            faults.push(Fault::new(
                format!("phone_countries[{index}]"),
                FaultCode::InvalidCountry,
            ));
        }
    }
    countries
}

/// Returns the name of the documents before a visitor has entered their own, with dots in its place. If nothing else is
/// left, returns the template's name.
fn document_before(name: &str, template: &str, date: &str) -> String {
    let known = |person, date| text::filled_in(name, &[(PLACE_OF_NAME, person), (PLACE_OF_DATE, date)]);
    if known("", "").contains(char::is_alphanumeric) {
        known("…", date)
    } else {
        template.to_owned()
    }
}

/// Returns the reason why a link is not open.
fn refusal(link: &PublicLink, now: Timestamp) -> Option<ConflictCode> {
    if link.closed_at.is_some() || !link.can_start {
        Some(ConflictCode::LinkClosed)
    } else if link.until.is_some_and(|until| until <= now) {
        Some(ConflictCode::LinkEnded)
    } else if link.most.is_some_and(|most| link.used >= most) {
        Some(ConflictCode::LinkUsedUp)
    } else {
        None
    }
}

/// Converts a refusal to the paths of the request that creates the link, which does not contain the visitor (the last
/// recipient). If there is no place left for the visitor, reports the recipient who takes it.
fn as_of_maker(error: Error, named: &[StartRecipient]) -> Error {
    let Error::Unprocessable(mut faults) = error else {
        return error;
    };
    let visitor = format!("recipient_list[{}]", named.len());
    let instead = named.iter().rposition(|recipient| recipient.order == Some(1));
    for fault in &mut faults {
        if (fault.path.as_str(), fault.code) == (&visitor, FaultCode::TooManyRecipients)
            && let Some(instead) = instead
        {
            *fault = Fault::new(format!("recipient_list[{instead}]"), FaultCode::VisitorsPlace);
        }
    }
    Error::Unprocessable(faults)
}

/// Converts a refusal to the fields of the visitor's form. `visitor` is the visitor's index in the list. Faults in the
/// sender's part, including other recipients, are not shown to the visitor.
fn as_of_visitor(error: Error, link: &PublicLink, visitor: usize) -> Error {
    let Error::Unprocessable(faults) = error else {
        return match error {
            Error::Conflict {
                code: ConflictCode::Archived,
                ..
            } => Error::conflict(ConflictCode::LinkClosed),
            Error::NotSealable(refusal) => {
                tracing::warn!(link = link.id.0, %refusal, "a public link could not start its document, because the company cannot seal");
                match refusal.retry_after() {
                    Some(seconds) => Error::busy(seconds),
                    None => Error::conflict(ConflictCode::LinkClosed),
                }
            }
            other => other,
        };
    };
    let (name, contact) = (
        format!("recipient_list[{visitor}].name"),
        format!("recipient_list[{visitor}].email"),
    );
    let mut told = Vec::new();
    for mut fault in faults {
        let place = match fault.path.as_str() {
            "name" | "contact" | "agree" => Some(fault.path.clone()),
            path if path == name || path == "workflow_name" => Some("name".to_owned()),
            path if path == contact => Some("contact".to_owned()),
            _ => None,
        };
        match place {
            Some(place) if told.iter().any(|known: &Fault| known.path == place) => {}
            Some(place) => {
                fault.path = place;
                told.push(fault);
            }
            None => {
                tracing::warn!(link = link.id.0, path = fault.path, code = %fault.code, "a public link could not start its document; check its template and recipients");
                return Error::conflict(ConflictCode::LinkClosed);
            }
        }
    }
    Error::Unprocessable(told)
}

/// Returns the error for a use that was not counted.
fn not_taken(taken: Taken, now: Timestamp) -> Option<Error> {
    match taken {
        Taken::Full { bound, until } => {
            let code = match bound {
                Bound::Addressee => ThrottleCode::LinkAddressee,
                Bound::Link => ThrottleCode::LinkUses,
            };
            Some(Error::throttled(code, until.duration_since(now)))
        }
        Taken::Counted => None,
        Taken::Before => Some(Error::conflict(ConflictCode::LinkTaken)),
        Taken::NotOpen => Some(Error::conflict(ConflictCode::LinkUsedUp)),
    }
}
