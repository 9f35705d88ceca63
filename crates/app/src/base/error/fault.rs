//! What is wrong with a value of a request.

use std::fmt;

use domain::Language;

use super::codes::FaultCode;

/// The argument under which a fault carries what intake refused.
const REFUSAL: &str = "refusal";

/// One thing that is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where: `recipient_list[0].email`; empty for the request as a whole.
    pub path: String,
    pub code: FaultCode,
    /// What the message names: `max`, `allowed`, …
    pub arguments: Vec<(&'static str, String)>,
}

impl Fault {
    /// A fault without arguments.
    pub fn new(path: impl Into<String>, code: FaultCode) -> Fault {
        Fault {
            path: path.into(),
            code,
            arguments: Vec::new(),
        }
    }

    /// Names something in the message.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Fault {
        self.arguments.push((name, value.to_string()));
        self
    }

    /// A document that intake refused. The refusal travels as data, and becomes words if the language is known.
    pub fn refused_document(path: impl Into<String>, refused: &document::intake::Refused) -> Fault {
        let refusal = serde_json::to_string(refused).unwrap_or_default();
        Fault::new(path, FaultCode::DocumentRefused).with(REFUSAL, refusal)
    }

    /// Intake's own id of the reason for which it refused the document (`needs_password`), if that is the fault.
    pub fn refusal_id(&self) -> Option<String> {
        let refused = serde_json::to_value(self.refusal()?).ok()?;
        refused.get("reason")?.as_str().map(str::to_owned)
    }

    /// What the sender can accept so that a refused document is accepted, if anything helps.
    pub fn acceptance(&self) -> Option<&'static str> {
        Some(self.refusal()?.acceptance()?.code())
    }

    /// Why intake refused the document, if that is the fault.
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
