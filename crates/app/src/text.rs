//! Texts that people give: names and addresses.

use domain::{Contact, Region};

use crate::error::{Error, Fault, FaultCode};

/// The longest address that mail can reach (RFC 5321, 4.5.3.1.3, less the brackets).
const LONGEST_EMAIL: usize = 254;

/// A name: trimmed, not empty, without control characters, of at most `longest` characters.
pub(crate) fn name(text: &str, path: &str, longest: usize, faults: &mut Vec<Fault>) -> String {
    let text = text.trim();
    if text.is_empty() {
        faults.push(Fault::new(path, FaultCode::Required));
    } else if text.chars().any(char::is_control) {
        faults.push(Fault::new(path, FaultCode::ControlCharacter));
    } else if text.chars().count() > longest {
        faults.push(Fault::new(path, FaultCode::TooLong).with("max", longest));
    }
    text.to_owned()
}

/// An e-mail address.
pub(crate) fn email(text: &str, path: &str) -> Result<String, Error> {
    match Contact::parse(text, Region::default()) {
        Ok(Contact::Email(email)) if email.len() <= LONGEST_EMAIL => Ok(email),
        _ => Err(Error::fault(path, FaultCode::InvalidEmail)),
    }
}
