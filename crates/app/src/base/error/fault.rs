//! Describes what is wrong with a value in a request.

use std::fmt;

use domain::Language;

use super::codes::FaultCode;

/// The argument in which a fault carries intake's reason for refusing a document.
const REFUSAL: &str = "refusal";

/// One problem with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Path of the value, such as `recipient_list[0].email`. Empty for the request as a whole.
    pub path: String,
    pub code: FaultCode,
    /// Arguments of the message: `max`, `allowed`, …
    pub arguments: Vec<(&'static str, String)>,
}

impl Fault {
    /// Creates a fault without arguments.
    pub fn new(path: impl Into<String>, code: FaultCode) -> Fault {
        Fault {
            path: path.into(),
            code,
            arguments: Vec::new(),
        }
    }

    /// Adds an argument of the message.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Fault {
        self.arguments.push((name, value.to_string()));
        self
    }

    /// A document that intake refused. The fault carries the reason as data, and the message is formatted later in the
    /// reader's language.
    pub fn refused_document(path: impl Into<String>, refused: &document::intake::Refused) -> Fault {
        let refusal = serde_json::to_string(refused).unwrap_or_default();
        Fault::new(path, FaultCode::DocumentRefused).with(REFUSAL, refusal)
    }

    /// Intake's own ID for its reason to refuse the document (such as `needs_password`), for this kind of fault.
    pub fn refusal_id(&self) -> Option<String> {
        let refused = serde_json::to_value(self.refusal()?).ok()?;
        refused.get("reason")?.as_str().map(str::to_owned)
    }

    /// The word that the sender can put in `accept` so that we accept a refused document, if there is one.
    pub fn acceptance(&self) -> Option<&'static str> {
        Some(self.refusal()?.acceptance()?.code())
    }

    /// Intake's reason for refusing the document, for this kind of fault.
    fn refusal(&self) -> Option<document::intake::Refused> {
        let (_, refusal) = self.arguments.iter().find(|(name, _)| *name == REFUSAL)?;
        serde_json::from_str(refusal).ok()
    }

    /// The message for people.
    pub fn message(&self, language: Language) -> String {
        match self.refusal() {
            Some(refused) => {
                let reason = format!(
                    "{} {}",
                    crate::base::intake_text::reason(language, &refused),
                    crate::base::intake_text::remedy(language, &refused)
                );
                message(language, self.code.id(), &[("reason", reason)])
            }
            None => message(language, self.code.id(), &self.arguments),
        }
    }
}

pub(crate) fn message(language: Language, id: &str, arguments: &[(&'static str, String)]) -> String {
    let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, value)| (*name, value.as_str())).collect();
    i18n::text(language, &format!("error-{id}"), &arguments)
}
