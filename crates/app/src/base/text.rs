//! Texts that people enter: names and addresses.

use domain::{Comment, Contact, Language, Region, TextFault, text};

use crate::base::error::{Error, Fault, FaultCode};

/// Maximum length of an address that can receive mail (RFC 5321, 4.5.3.1.3, without the brackets).
const LONGEST_EMAIL: usize = 254;

/// Checks a name: trimmed, not blank, without control characters, and at most `longest` characters long.
pub(crate) fn name(name: &str, path: &str, longest: usize, faults: &mut Vec<Fault>) -> String {
    match text::line(name, longest) {
        Ok(Some(name)) => return name.to_owned(),
        Ok(None) => faults.push(Fault::new(path, FaultCode::Required)),
        Err(refused) => faults.push(fault(path, refused)),
    }
    String::new()
}

/// Checks the comment on an action.
pub(crate) fn comment(given: Option<&str>, faults: &mut Vec<Fault>) -> Option<Comment> {
    Comment::parse(given?)
        .map_err(|refused| faults.push(fault("comment", refused)))
        .ok()
        .flatten()
}

/// Returns the fault for a refused text.
pub(crate) fn fault(path: &str, refused: TextFault) -> Fault {
    match refused {
        TextFault::ControlCharacter => Fault::new(path, FaultCode::ControlCharacter),
        TextFault::DirectionControl => Fault::new(path, FaultCode::DirectionControl),
        TextFault::OverlongCharacter => Fault::new(path, FaultCode::OverlongCharacter),
        TextFault::TooLong { longest } => Fault::new(path, FaultCode::TooLong).with("max", longest),
    }
}

/// Checks an e-mail address.
pub(crate) fn email(text: &str, path: &str) -> Result<String, Error> {
    match Contact::parse(text, Region::default()) {
        Ok(Contact::Email(email)) if email.len() <= LONGEST_EMAIL => Ok(email),
        _ => Err(Error::fault(path, FaultCode::InvalidEmail)),
    }
}

/// The word across every page of a test.
pub(crate) fn test_mark(language: Language) -> String {
    i18n::text(language, "test-mark", &[])
}

/// The text that readers see in place of an erased one.
pub(crate) fn erased(language: Language) -> String {
    i18n::text(language, "erased-text", &[])
}
