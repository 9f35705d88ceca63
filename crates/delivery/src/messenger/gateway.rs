//! A single gateway: the numbers it serves, how one try works, and how to interpret its response.

use std::sync::Arc;
use std::time::Duration;

use app::mail::{MessageParts, OutgoingMail};
use domain::Language;
use domain::contact::Dialled;
use domain::public_address::{AddressRules, CallbackUrl};
use jiff::Timestamp;
use minijinja::value::Value as Named;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::compose::{Composer, Unusable, Values};
use super::description::{Gateway as Settings, Method};
use super::{Outgoing, Report, Verdict, kinds};
use crate::egress::Egress;
use crate::guarded_client::{Answer, Fault, GuardedClient, Limits, Lookup};

/// Maximum number of characters shown of a response in an unknown format.
const LONGEST_QUOTE: usize = 300;

/// Reason why a gateway's settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("messenger.{gateway}.{setting}: {reason}")]
pub struct GatewayFault {
    pub gateway: String,
    pub setting: String,
    pub reason: String,
}

/// A gateway that is ready to use.
pub struct Gateway {
    settings: Settings,
    composer: Composer,
    client: GuardedClient,
    rules: AddressRules,
}

impl Gateway {
    /// Creates a gateway. Composes one message of every kind to find errors in the settings.
    pub(super) fn new(egress: &Egress, settings: Settings, lookup: &Arc<dyn Lookup>) -> Result<Gateway, GatewayFault> {
        let fault = |setting: &str, reason: String| GatewayFault {
            gateway: settings.name.clone(),
            setting: setting.to_owned(),
            reason,
        };
        let port = url::Url::parse(&settings.description.address)
            .map_err(|error| fault("address", error.to_string()))?
            .port();
        let rules = AddressRules {
            allow_http: settings.allow_private,
            allow_private: settings.allow_private,
            ports: port.into_iter().collect(),
        };
        let limits = Limits {
            // Unlike for a webhook, the body of this response says what happened to the message.
            body_wait: Duration::from_secs(10),
            body_bytes: 64 * 1024,
            ..Limits::default()
        };
        let client = GuardedClient::through(egress, rules.clone(), limits, Arc::clone(lookup))
            .map_err(|error| fault("address", error.to_string()))?;
        for need in &settings.description.needs {
            let is_given = match *need {
                "account" => !settings.account.is_empty(),
                "key" => !settings.key.is_empty(),
                "secret" => !settings.secret.is_empty(),
                "from" => !settings.from.is_empty(),
                "channel" => !settings.channel.is_empty(),
                "templates" => !settings.templates.is_empty(),
                "ids" => !settings.ids.is_empty(),
                _ => true,
            };
            if !is_given {
                return Err(fault(need, "it is missing".to_owned()));
            }
        }
        for (setting, given) in [("templates", &settings.templates), ("texts", &settings.texts)] {
            if let Some(kind) = given.keys().find(|given| kinds().all(|kind| kind != given.as_str())) {
                let known = kinds().collect::<Vec<_>>().join(", ");
                return Err(fault(
                    setting,
                    format!("{kind} is not a kind of message; use one of {known}"),
                ));
            }
        }
        if let Some(country) = settings.countries.iter().find(|country| !is_beginning(country)) {
            let reason = format!("{country:?} is not the beginning of a phone number; write it like \"+82\"");
            return Err(fault("countries", reason));
        }
        if let Some(number) = settings.ids.keys().find(|number| !is_beginning(number)) {
            return Err(fault(
                "ids",
                format!("{number:?} is not a phone number; write it like \"+821012345678\""),
            ));
        }
        let gateway = Gateway {
            composer: Composer::new(),
            client,
            rules,
            settings,
        };
        gateway.prove()?;
        Ok(gateway)
    }

    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// The address, for display.
    pub fn address(&self) -> &str {
        &self.settings.description.address
    }

    /// Returns prefixes of the numbers that the gateway reaches with every kind of message. `+` alone means every
    /// number.
    pub fn reaches(&self) -> Vec<String> {
        if self.settings.description.needs_id {
            return self.settings.ids.keys().cloned().collect();
        }
        if self.settings.countries.is_empty() {
            return vec!["+".to_owned()];
        }
        self.settings.countries.clone()
    }

    /// Returns these prefixes as text for people.
    pub fn numbers(&self) -> String {
        if self.settings.description.needs_id {
            return format!("{} listed", self.settings.ids.len());
        }
        match self.settings.countries.as_slice() {
            [] => "all".to_owned(),
            countries => countries.join(", "),
        }
    }

    pub fn carries(&self, kind: &str) -> bool {
        !self.settings.description.needs_template || self.settings.templates.contains_key(kind)
    }

    pub(super) fn place(&self) -> (u32, &str) {
        (self.settings.order, &self.settings.name)
    }

    pub(super) fn serves(&self, to: &str, mail: &OutgoingMail) -> bool {
        let kind = mail.message.as_ref().map_or("", |parts| parts.kind.as_str());
        self.carries(kind)
            && self
                .reaches()
                .iter()
                .any(|beginning| to.starts_with(beginning.as_str()))
    }

    pub(super) async fn send(&self, number: &Dialled, message: Outgoing<'_>, salt: &[u8]) -> Report {
        let description = &self.settings.description;
        let composed = self.values(number, message, salt).and_then(|values| {
            // Without a template of the gateway, there is nothing to insert variables into.
            let none = std::collections::BTreeMap::new();
            let has_template = self.template(message.mail).is_some();
            let variables = if has_template { &self.settings.variables } else { &none };
            self.composer
                .compose(description, &self.settings.secret, variables, values)
        });
        let composed = match composed {
            Ok(composed) => composed,
            Err(Unusable { setting, reason }) => {
                let name = &self.settings.name;
                return self.unanswered(format!("messenger.{name}.{setting}: {reason}"), Verdict::NotNow);
            }
        };
        let url = match CallbackUrl::parse(&composed.url, &self.rules) {
            Ok(url) => url,
            Err(fault) => return self.unanswered(fault.to_string(), Verdict::NotNow),
        };
        let exchange = match description.method {
            Method::Post => self.client.post(&url, composed.headers, composed.body).await,
            Method::Put => self.client.put(&url, composed.headers, composed.body).await,
        };
        match exchange {
            Ok(answer) => self.read(&answer),
            Err(fault) => {
                let verdict = match fault {
                    // No part of the message has been sent.
                    Fault::AddressRefused | Fault::NameNotResolved(_) | Fault::NotConnected(_) | Fault::Client(_) => {
                        Verdict::NotNow
                    }
                    Fault::TimedOut(_) | Fault::Broken(_) => Verdict::Unknown,
                };
                self.unanswered(fault.to_string(), verdict)
            }
        }
    }

    pub(super) fn unanswered(&self, words: String, verdict: Verdict) -> Report {
        Report {
            gateway: self.settings.name.clone(),
            status: None,
            verdict,
            message_id: None,
            words: self.without_credentials(words),
            retry_after: None,
        }
    }

    fn read(&self, answer: &Answer) -> Report {
        let reading = &self.settings.description.answer;
        let json: Option<Value> = serde_json::from_slice(&answer.start).ok();
        let at = |places: &[String]| {
            let json = json.as_ref()?;
            places.iter().find_map(|place| shown(json.pointer(place)?))
        };
        let code = at(&reading.code_at);
        let is_temporary = code.as_ref().is_some_and(|code| reading.temporary.contains(code));
        let unless_temporary = if is_temporary {
            Verdict::NotNow
        } else {
            Verdict::Refused
        };
        let verdict = match answer.status {
            status if reading.taken.contains(&status) => Verdict::Taken,
            200..=299 => match &reading.success_at {
                None => Verdict::Taken,
                // Without a readable response we do not know what happened.
                Some(_) if json.is_none() => Verdict::Unknown,
                Some(place) => match at(std::slice::from_ref(place)) {
                    Some(word) if reading.success_is.contains(&word) => Verdict::Taken,
                    _ => unless_temporary,
                },
            },
            status if reading.refused.contains(&status) => unless_temporary,
            // The gateway is overloaded or paused.
            429 | 503 => Verdict::NotNow,
            500..=599 => Verdict::Unknown,
            // The problem is with credentials, permissions or addresses. Once the operator fixes it, the message can be
            // sent.
            _ => Verdict::NotNow,
        };
        let words: Vec<String> = [code, at(&reading.words_at)].into_iter().flatten().collect();
        let words = if words.is_empty() && verdict != Verdict::Taken {
            let start: String = String::from_utf8_lossy(&answer.start)
                .chars()
                .filter(|character| !character.is_control())
                .take(LONGEST_QUOTE)
                .collect();
            format!("status {} {start}", answer.status).trim_end().to_owned()
        } else {
            words.join(" ")
        };
        Report {
            gateway: self.settings.name.clone(),
            status: Some(answer.status),
            verdict,
            message_id: at(&reading.id_at),
            words: self.without_credentials(words),
            retry_after: answer.retry_after.clone(),
        }
    }

    /// Removes credentials, because some gateways repeat them in their responses.
    fn without_credentials(&self, words: String) -> String {
        [&self.settings.secret, &self.settings.key]
            .into_iter()
            .filter(|credential| credential.len() >= 4)
            .fold(words, |words, credential| words.replace(credential.as_str(), "…"))
    }

    fn template(&self, mail: &OutgoingMail) -> Option<&str> {
        let kind = &mail.message.as_ref()?.kind;
        self.settings.templates.get(kind).map(String::as_str)
    }

    fn values(&self, number: &Dialled, message: Outgoing<'_>, salt: &[u8]) -> Result<Values, Unusable> {
        let Outgoing { mail, event_id, at } = message;
        let settings = &self.settings;
        let parts = mail.message.clone().unwrap_or_default();
        let link = mail.links.first().map_or("", |link| link.url.as_str());
        let id = settings.ids.get(&mail.to).map_or("", String::as_str);
        let mut values: Values = [
            ("to", mail.to.as_str()),
            ("digits", mail.to.trim_start_matches('+')),
            ("country", &number.calling_code),
            ("national", &number.national),
            ("id", id),
            ("own_text", &mail.text),
            ("subject", &mail.subject),
            ("kind", &parts.kind),
            ("language", &mail.language),
            ("company", &mail.from_name),
            ("name", &mail.to_name),
            ("document", &parts.document),
            ("sender", &parts.sender),
            ("deadline", &parts.deadline),
            ("link", link),
            ("code", &parts.code),
            ("minutes", &parts.minutes),
            ("from", &settings.from),
            ("channel", &settings.channel),
            ("account", &settings.account),
            ("key", &settings.key),
            ("secret", &settings.secret),
            ("template", self.template(mail).unwrap_or_default()),
            ("event", event_id),
        ]
        .into_iter()
        .map(|(name, text)| (name, Named::from(text)))
        .collect();
        let salt = hex::encode(salt);
        values.extend([
            ("method", Named::from(settings.description.method.word())),
            ("uuid", Named::from(uuid_of(event_id))),
            ("date", Named::from(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())),
            ("seconds", Named::from(at.as_second())),
            ("milliseconds", Named::from(at.as_millisecond())),
            ("salt", Named::from(salt)),
        ]);
        let text = match settings.texts.get(&parts.kind) {
            Some(template) => {
                let setting = format!("texts.{}", parts.kind);
                self.composer.fill(&setting, template, &values)?
            }
            None => mail.text.clone(),
        };
        values.insert("text", Named::from(text));
        Ok(values)
    }

    /// Composes one message of each kind to find errors in the settings.
    fn prove(&self) -> Result<(), GatewayFault> {
        let number = Dialled {
            calling_code: "82".to_owned(),
            national: "01012345678".to_owned(),
            written: "010-1234-5678".to_owned(),
        };
        for kind in kinds() {
            let message = Outgoing {
                mail: &sample(kind),
                event_id: "msg_0",
                at: Timestamp::UNIX_EPOCH,
            };
            let composed = self.values(&number, message, &[0; 16]).and_then(|values| {
                let settings = &self.settings;
                self.composer
                    .compose(&settings.description, &settings.secret, &settings.variables, values)
            });
            let fault = |setting: &str, reason: String| GatewayFault {
                gateway: self.settings.name.clone(),
                setting: setting.to_owned(),
                reason,
            };
            let composed = composed.map_err(|Unusable { setting, reason }| fault(&setting, reason))?;
            CallbackUrl::parse(&composed.url, &self.rules).map_err(|error| fault("address", error.to_string()))?;
        }
        Ok(())
    }
}

impl Method {
    const fn word(self) -> &'static str {
        match self {
            Method::Post => "POST",
            Method::Put => "PUT",
        }
    }
}

/// Returns a message of this kind with every value filled in.
fn sample(kind: &str) -> OutgoingMail {
    let word = || "…".to_owned();
    OutgoingMail {
        from_name: word(),
        reply_to: None,
        logo: None,
        to_name: word(),
        to: "+821012345678".to_owned(),
        language: Language::Ko.code().to_owned(),
        subject: word(),
        text: word(),
        html: None,
        for_members: None,
        links: Vec::new(),
        is_secret: false,
        message: Some(MessageParts {
            kind: kind.to_owned(),
            document: word(),
            sender: word(),
            deadline: word(),
            code: word(),
            minutes: word(),
        }),
    }
}

fn is_beginning(text: &str) -> bool {
    text.strip_prefix('+')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns a text, number or boolean as written.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns a UUID that is always the same for the same event.
fn uuid_of(event_id: &str) -> String {
    let digest = Sha256::digest(event_id.as_bytes());
    let mut bytes = [0; 16];
    bytes
        .iter_mut()
        .zip(digest)
        .for_each(|(byte, digested)| *byte = digested);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}
