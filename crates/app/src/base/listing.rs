//! The limits of a list query, which all lists share.

use domain::{Zone, time};
use jiff::{SignedDuration, Timestamp};

use crate::base::error::{Fault, FaultCode};

/// Maximum number of entries on a page.
const MOST_LISTED: u32 = 100;
/// Number of entries on a page if the request specifies none.
const USUALLY_LISTED: u32 = 20;

/// Reads members of a query and collects the faults.
pub(crate) struct ListReader<'f> {
    /// The time zone for reading dates.
    pub zone: Zone,
    pub faults: &'f mut Vec<Fault>,
}

/// Returns the text unless it is blank.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Whether the text is not blank.
pub(crate) fn is_given(text: Option<&String>) -> bool {
    given(text).is_some()
}

impl ListReader<'_> {
    /// Reads an ID.
    pub fn id(&mut self, path: &str, text: Option<&String>) -> Option<i64> {
        let id = given(text)?.parse::<i64>().ok();
        if id.is_none() {
            self.faults
                .push(Fault::new(path, FaultCode::WrongType).with("expected", "integer"));
        }
        id
    }

    /// Reads one of the allowed words, ignoring case.
    pub fn word<T: Copy>(&mut self, path: &str, text: Option<&String>, allowed: &[(&str, T)]) -> Option<T> {
        let text = given(text)?;
        let found = allowed
            .iter()
            .find(|(word, _)| word.eq_ignore_ascii_case(text))
            .map(|(_, meaning)| *meaning);
        if found.is_none() {
            let words: Vec<&str> = allowed.iter().map(|(word, _)| *word).collect();
            self.faults
                .push(Fault::new(path, FaultCode::NotAllowed).with("allowed", words.join(", ")));
        }
        found
    }

    /// Reads a text that can be passed to the database.
    pub fn text(&mut self, path: &str, text: Option<&String>) -> Option<String> {
        let text = given(text)?;
        if text.contains('\0') {
            self.faults.push(Fault::new(path, FaultCode::ControlCharacter));
        }
        Some(text.to_owned())
    }

    /// Reads a range: the start (`from`: `YYYY-MM-DD`, optionally with ` HH:MM:SS`) and the exclusive end (`to`: a date
    /// alone includes the whole day).
    pub fn range(&mut self, from: Option<&String>, to: Option<&String>) -> (Timestamp, Timestamp) {
        let from = self.date("from", from, "00:00:00");
        let to = self
            .date("to", to, "23:59:59")
            .map(|at| at.checked_add(SignedDuration::from_secs(1)).unwrap_or(Timestamp::MAX));
        if from.zip(to).is_some_and(|(from, to)| from >= to) {
            self.faults
                .push(Fault::new("from", FaultCode::EmptyRange).with("name", "to"));
        }
        (from.unwrap_or(Timestamp::MIN), to.unwrap_or(Timestamp::MAX))
    }

    fn date(&mut self, path: &str, text: Option<&String>, time_of_day: &str) -> Option<Timestamp> {
        let text = given(text)?;
        let at = if text.len() == "YYYY-MM-DD".len() {
            time::parse_local(&format!("{text} {time_of_day}"), self.zone)
        } else {
            time::parse_local(text, self.zone)
        };
        if at.is_none() {
            self.faults.push(Fault::new(path, FaultCode::InvalidDateTime));
        }
        at
    }

    pub fn limit(&mut self, text: Option<&String>) -> u32 {
        self.number("limit", text, MOST_LISTED).unwrap_or(USUALLY_LISTED)
    }

    /// Reads a number from 1 to `most`.
    pub fn number(&mut self, path: &str, text: Option<&String>, most: u32) -> Option<u32> {
        let text = given(text)?;
        let number = text.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
        if number.is_none() {
            self.faults
                .push(Fault::new(path, FaultCode::OutOfRange).with("min", 1).with("max", most));
        }
        number
    }

    /// Reads the position where the previous page ended.
    pub fn cursor(&mut self, text: Option<&String>) -> Option<i64> {
        let id = given(text)?.parse::<i64>().ok().filter(|id| *id > 0);
        if id.is_none() {
            self.faults.push(Fault::new("cursor", FaultCode::InvalidCursor));
        }
        id
    }
}
