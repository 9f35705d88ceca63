//! Public links: whoever opens one names himself, and a workflow of a template starts with him as its first writer.
//!
//! **Actors.** A member makes the link, with what holds for all its workflows: the writers of the other steps, values,
//! webhooks. A visitor gives a name and an e-mail address or telephone number on the link's page. The workflow is sent in the
//! name of the member who made the link, and its chain says that it was started by whoever held the link.
//!
//! **Guarantees.** The limit is exact, and with the rule `once` one address starts one workflow, whatever arrives at the same
//! moment: both are decided in the transaction that starts the workflow, and so are the bounds of an hour, for each of the
//! company's addressees and each link ([`store::public_link::UseBounds`]); the addressee's is a brake that links used at the
//! same moment can pass by one each. It counts mailboxes, whatever tag an address bears, and only where something is sent: the
//! visitor of an embedded document is written nothing, but for a code that he is asked for. What could not be sent is refused
//! when the link is made, with an invented visitor in the first writer's place. Whether a link is open is one question with one answer, for the page, its form and
//! the API alike ([`refusal`]).
//!
//! **What a link is not.** A way for strangers to have us write to other people: a visitor's name that holds an address is
//! refused, and messages go to mobile telephones of the company's country alone, unless the link names others.
//!
//! **What a link does not prove.** That the visitor is who he says: nothing was sent to the address yet. With `confirm` he is
//! not led on to the signing page, but gets the link to it by message.

use std::sync::Arc;

use domain::address_in_text::holds_an_address;
use domain::contact::{PhoneRefusal, is_country, takes_strangers_message};
use domain::{Contact, Language, Region, TemplateId, UtcOffset, Zone, text, time};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use store::idempotency::KeptAnswer;
use store::public_link::{self, Bound, LinkUse, PublicLink, PublicLinkId, Taken};
use store::template::StoredVersion;
use store::workflow::StartContext;

use crate::App;
use crate::base::caller::{Caller, Channel};
use crate::base::error::{ConflictCode, Error, Fault, FaultCode, Subject, ThrottleCode};
use crate::base::listing::ListReader;
use crate::base::origin::Origin;
use crate::base::vault::Purpose;
use crate::companies::company_look::CompanyLook;
use crate::links::addresses::Addresses;
use crate::links::link_token::LinkPurpose;
use crate::sending::start::{Also, Idempotency, StartRecipient, StartRequest, kept_since};

const LONGEST_NAME: usize = 128;
const MOST_USES: i64 = 1_000_000;
/// The placeholders of a workflow's name, which stand in braces.
const PLACE_OF_NAME: &str = "name";
const PLACE_OF_DATE: &str = "date";
const MOST_COUNTRIES: usize = 50;

/// A link to be made.
#[derive(Debug, Clone, Default)]
pub struct NewPublicLink {
    /// What holds for all workflows: template, name (with `{name}` and `{date}`), other writers, values. Its faults are the
    /// request's.
    pub start: StartRequest,
    /// How often it can be used.
    pub limit: Option<i64>,
    /// When it ends: `YYYY-MM-DD HH:MM:SS` in the offset; a day alone means its end.
    pub end_date: Option<String>,
    /// `once` (each address once) or `many`.
    pub duplicates: Option<String>,
    /// Whether the visitor gets the signing link by message alone.
    pub confirm: bool,
    /// The countries whose mobile numbers are taken: ISO 3166-1, two letters. None: the company's.
    pub phone_countries: Option<Vec<String>>,
}

/// A link, as programs see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PublicLinkView {
    /// Its number.
    pub link_id: i64,
    /// The address to give to people.
    #[schema(example = "https://sign.example.com/link?token=TAAAAAAAAAAB&lang=ko")]
    pub link_url: String,
    /// `open`, `closed`, `used_up` or `ended`. Closed is one as well whose template is archived, or whose maker may not send.
    #[schema(pattern = "^(open|closed|used_up|ended)$")]
    pub status: String,
    /// The template.
    pub template_id: i64,
    /// The name of its documents, with placeholders.
    pub workflow_name: String,
    /// The language of its documents.
    pub language: String,
    /// How often it can be used; none: without a limit.
    pub limit: Option<u32>,
    /// How often it was used.
    pub used: u32,
    /// When it ends, with the zone; empty: not by itself.
    pub end_date: String,
    /// `once`: each address once. `many`: as often as anybody likes.
    #[schema(pattern = "^(once|many)$")]
    pub duplicates: String,
    /// Whether the documents are embedded: writers get no messages.
    pub is_embed: bool,
    /// When it was made, with the zone.
    pub created_date: String,
    /// When it was closed, with the zone; empty while it is not.
    pub closed_date: String,
}

/// Links, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct PublicLinkList {
    /// The links.
    pub link_list: Vec<PublicLinkView>,
    /// Give it as `cursor` to go on; none at the end.
    pub next_cursor: Option<String>,
}

/// What a visitor sees before he gives his name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkInvitation {
    /// Who asks.
    pub company_name: String,
    /// How the company looks.
    pub look: CompanyLook,
    /// What there is to sign: the name of its documents, as far as it is known before the visitor has named himself.
    pub document: String,
    /// The language of its documents.
    pub language: Language,
    /// Whether a copy of the finished document is promised.
    pub promises_copy: bool,
    /// Whether the signing link comes by message.
    pub confirm: bool,
}

/// Who came by the link.
#[derive(Debug, Clone, Default)]
pub struct LinkVisitor {
    /// His name.
    pub name: String,
    /// E-mail address or telephone number.
    pub contact: String,
    /// The language of the page that he saw.
    pub language: Option<Language>,
    /// Whether he agreed that his name and address are passed on and kept.
    pub agreed: bool,
}

/// Where a visitor goes from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkLeads {
    /// To the signing page.
    To(String),
    /// To his mailbox or telephone.
    ToMessage,
}

/// What is kept of a link's start.
#[derive(Serialize, Deserialize)]
struct KeptStart {
    request: StartRequest,
    confirm: bool,
    /// Where other telephone numbers than those of the company's country are taken.
    #[serde(default)]
    phone_countries: Option<Vec<String>>,
}

impl App {
    /// Makes a link.
    pub fn new_public_link(&self, caller: &Caller, new: NewPublicLink) -> Result<PublicLinkView, Error> {
        caller.must_send()?;
        let now = self.now();
        let idempotency = new.start.idempotency.clone();
        let key = idempotency
            .as_ref()
            .map(|given| format!("link {} {}", caller.member, given.key));
        if let (Some(key), Some(given)) = (&key, &idempotency)
            && let Some(kept) = self.kept_under(caller, key, now)?
        {
            return self.answered_before(&kept, given);
        }
        let mut faults = new.start.faults.clone();
        faults.extend(idempotency.as_ref().and_then(Idempotency::fault));
        let zone = new
            .start
            .offset
            .as_deref()
            .and_then(UtcOffset::parse)
            .map_or(caller.zone, Zone::from);
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
        let is_embed = new.start.export.as_ref().and_then(|export| export.is_embed) == Some(true);
        if new.confirm && is_embed {
            faults.push(Fault::new("confirm", FaultCode::NotAllowed).with("allowed", "false"));
        }
        let name = new.start.workflow_name.clone().unwrap_or_default();
        if text::filled_in(&name, &[(PLACE_OF_NAME, ""), (PLACE_OF_DATE, "")]).contains(['{', '}']) {
            faults.push(Fault::new("workflow_name", FaultCode::UnknownPlace).with("allowed", "{name}, {date}"));
        }
        let phone_countries = new
            .phone_countries
            .map(|countries| read_countries(&countries, &mut faults));
        // The language that its documents have where the visitor's page has none of its own.
        let language = new.start.language.as_deref().and_then(Language::parse);
        let request = StartRequest {
            faults: Vec::new(),
            idempotency: None,
            is_preview: false,
            ..new.start
        };
        // What anybody would be refused is refused now.
        let sample = LinkVisitor {
            name: "Visitor".to_owned(),
            contact: "visitor@example.com".to_owned(),
            language,
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
        let failed = |error| Error::internal("keeping a link", error);
        let link = PublicLink {
            id: PublicLinkId(0),
            company: caller.company.clone(),
            member: caller.member,
            template: kept.request.template_id.unwrap_or(TemplateId(0)),
            workflow_name: name.trim().chars().take(LONGEST_NAME).collect(),
            language: match language {
                Some(language) => language,
                None => self.company(&caller.company)?.language,
            },
            request: self
                .vault
                .encrypt(Purpose::PublicLink, &serde_json::to_vec(&kept).map_err(failed)?),
            most,
            used: 0,
            until,
            once,
            is_embed,
            created_at: now,
            closed_at: None,
            can_start: true,
        };
        let (outgoing, asking, given) = (Arc::clone(&self.outgoing), caller.clone(), idempotency.clone());
        let made = self.store.write(move |tx| {
            if let Some(key) = &key
                && let Some(kept) = store::idempotency::find(tx, &link.company, key, kept_since(now))?
            {
                return Ok(Err(kept));
            }
            let id = public_link::insert(tx, &link)?;
            let view = shown_link(&PublicLink { id, ..link.clone() }, &asking, &outgoing.addresses, now);
            if let (Some(key), Some(given)) = (&key, &given) {
                let answer = serde_json::to_vec(&view).unwrap_or_default();
                let kept = KeptAnswer {
                    request_hash: given.request_hash,
                    answer: outgoing.vault.encrypt(Purpose::IdempotentAnswer, &answer),
                };
                store::idempotency::keep(tx, &link.company, key, &kept, now, kept_since(now))?;
            }
            Ok::<_, Error>(Ok(view))
        })?;
        made.or_else(|kept| match &idempotency {
            Some(given) => self.answered_before(&kept, given),
            None => Err(Error::internal("making a link", "an answer without a key")),
        })
    }

    /// The company's links, newest first.
    pub fn public_links(
        &self,
        caller: &Caller,
        cursor: Option<&String>,
        limit: Option<&String>,
    ) -> Result<PublicLinkList, Error> {
        let mut faults = Vec::new();
        let mut query = ListReader {
            zone: caller.zone,
            faults: &mut faults,
        };
        let before = query.cursor(cursor).unwrap_or(i64::MAX);
        let limit = query.limit(limit);
        if !faults.is_empty() {
            return Err(Error::Unprocessable(faults));
        }
        let company = caller.company.clone();
        let mut links = self
            .store
            .read(move |tx| public_link::list(tx, &company, before, limit.saturating_add(1)).map_err(Error::from))?;
        let more = links.len() > limit as usize;
        links.truncate(limit as usize);
        Ok(PublicLinkList {
            next_cursor: links.last().filter(|_| more).map(|last| last.id.0.to_string()),
            link_list: links.iter().map(|link| self.shown_link(link, caller)).collect(),
        })
    }

    /// One of them.
    pub fn public_link(&self, caller: &Caller, id: i64) -> Result<PublicLinkView, Error> {
        let company = caller.company.clone();
        let link = self
            .store
            .read(move |tx| public_link::find(tx, &company, PublicLinkId(id)).map_err(Error::from))?
            .ok_or(Error::NotFound(Subject::PublicLink))?;
        Ok(self.shown_link(&link, caller))
    }

    /// Closes a link for good. What it started goes on.
    pub fn close_public_link(&self, caller: &Caller, id: i64) -> Result<PublicLinkView, Error> {
        caller.must_send()?;
        let (company, id, now) = (caller.company.clone(), PublicLinkId(id), self.now());
        let link = self.store.write(move |tx| {
            let closed = public_link::close(tx, &company, id, now)?;
            let link = public_link::find(tx, &company, id)?.ok_or(Error::NotFound(Subject::PublicLink))?;
            if !closed {
                return Err(Error::conflict(ConflictCode::LinkClosed));
            }
            Ok(link)
        })?;
        Ok(self.shown_link(&link, caller))
    }

    /// What the holder of a link sees first; a conflict that says why where it is not open.
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
        // He is added behind those whom the link names.
        let place = kept.request.recipients.len();
        let request = StartRequest {
            faults,
            ..self.visited(kept.request, visitor, &sender)
        };
        let writes_to_visitor = !link.is_embed || self.asks_for_code(&link)?;
        let also = Also::LinkUse {
            taking: LinkUse {
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
            },
            visitor: place,
        };
        let started = self
            .start_with(&sender, request, origin, Some(also))
            .map_err(|error| as_of_visitor(error, &link, place))?;
        if kept.confirm {
            return Ok(LinkLeads::ToMessage);
        }
        let lacking = || Error::internal("starting by a link", "the visitor is none of the writers");
        started.visitor_sign_url.map(LinkLeads::To).ok_or_else(lacking)
    }

    /// The start of a visitor: he is the last of the list, takes what place of the first step is left, and writes in the
    /// language of his page.
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

    /// The day that stands in the name of a document.
    fn date_of_start(&self, zone: Zone) -> String {
        let date = time::format_with_zone(self.now(), zone);
        date.split(' ').next().unwrap_or_default().to_owned()
    }

    /// What stands in the table of uses for an address: no address does.
    fn known_by(&self, key: &str) -> String {
        hex::encode(self.vault.tag(Purpose::PublicLink, key.as_bytes()))
    }

    /// Whether the first writer is to prove himself by a code, which is sent to him in embedded documents too.
    fn asks_for_code(&self, link: &PublicLink) -> Result<bool, Error> {
        let (_, template) = self.template_of(link)?;
        let mut steps = template.version.steps.iter();
        Ok(steps.any(|step| step.order == 1 && step.one_time_code))
    }

    /// The template of a link as it is now, and its company's name and look.
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

    /// The link of a token, where it is open.
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

    fn shown_link(&self, link: &PublicLink, caller: &Caller) -> PublicLinkView {
        shown_link(link, caller, &self.outgoing.addresses, self.now())
    }
}

fn shown_link(link: &PublicLink, caller: &Caller, addresses: &Addresses, now: Timestamp) -> PublicLinkView {
    let with_zone = |at| time::format_with_zone(at, caller.zone);
    PublicLinkView {
        link_id: link.id.0,
        // Who may only read gets no address at which documents are started.
        link_url: if caller.role.may_send() {
            addresses.public_link_url(link.id.0, link.language)
        } else {
            String::new()
        },
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

/// What is wrong with a visitor's telephone number.
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

/// The name of the documents before a visitor has named himself: dots stand for his name. Where the name says nothing else,
/// it is the template's.
fn document_before(name: &str, template: &str, date: &str) -> String {
    let known = |person, date| text::filled_in(name, &[(PLACE_OF_NAME, person), (PLACE_OF_DATE, date)]);
    if known("", "").contains(char::is_alphanumeric) {
        known("…", date)
    } else {
        template.to_owned()
    }
}

/// Why a link is not open.
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

/// A refusal in the places of who makes the link: he has not named the visitor, who comes after all others. Where there is no
/// place left for the visitor, who was named in his stead is the fault.
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

/// A refusal in the words of the visitor's form, where he is the writer at this place of the list: what is wrong with the
/// sender's part, other writers among it, is no fault of his.
fn as_of_visitor(error: Error, link: &PublicLink, visitor: usize) -> Error {
    let Error::Unprocessable(faults) = error else {
        return match error {
            Error::Conflict {
                code: ConflictCode::Archived,
                ..
            } => Error::conflict(ConflictCode::LinkClosed),
            Error::NotSealable(refusal) => {
                tracing::warn!(link = link.id.0, %refusal, "a public link cannot start its document now");
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
                tracing::warn!(link = link.id.0, path = fault.path, code = %fault.code, "a public link cannot start its document any more");
                return Error::conflict(ConflictCode::LinkClosed);
            }
        }
    }
    Error::Unprocessable(told)
}

/// What a use that was not counted means.
pub(crate) fn not_taken(taken: Taken, now: Timestamp) -> Option<Error> {
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
