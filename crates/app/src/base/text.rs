//! Texts that people enter: names and addresses.

use domain::{Comment, Contact, Language, Region, TextFault, text};

use crate::base::error::{Error, Fault, FaultCode};

/// The longest address that mail can reach (RFC 5321, 4.5.3.1.3, less the brackets).
const LONGEST_EMAIL: usize = 254;

/// A name: trimmed, not blank, without control characters, of at most `longest` characters.
pub(crate) fn name(name: &str, path: &str, longest: usize, faults: &mut Vec<Fault>) -> String {
    match text::line(name, longest) {
        Ok(Some(name)) => return name.to_owned(),
        Ok(None) => faults.push(Fault::new(path, FaultCode::Required)),
        Err(refused) => faults.push(fault(path, refused)),
    }
    String::new()
}

/// A comment that comes with an act.
pub(crate) fn comment(given: Option<&str>, faults: &mut Vec<Fault>) -> Option<Comment> {
    Comment::parse(given?)
        .map_err(|refused| faults.push(fault("comment", refused)))
        .ok()
        .flatten()
}

/// A refused text as a caller sees it.
pub(crate) fn fault(path: &str, refused: TextFault) -> Fault {
    match refused {
        TextFault::ControlCharacter => Fault::new(path, FaultCode::ControlCharacter),
        TextFault::DirectionControl => Fault::new(path, FaultCode::DirectionControl),
        TextFault::OverlongCharacter => Fault::new(path, FaultCode::OverlongCharacter),
        TextFault::TooLong { longest } => Fault::new(path, FaultCode::TooLong).with("max", longest),
    }
}

/// An e-mail address.
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

/// What readers see in place of an erased text.
pub(crate) fn erased(language: Language) -> String {
    i18n::text(language, "erased-text", &[])
}
