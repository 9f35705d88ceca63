//! The limits of a list in a query, which every list reads in the same way.

use domain::{Zone, time};
use jiff::{SignedDuration, Timestamp};

use crate::base::error::{Fault, FaultCode};

/// The most entries of a page.
const MOST_LISTED: u32 = 100;
/// The length of a page if the request names none.
const USUALLY_LISTED: u32 = 20;

/// Reads members of a query and collects what is wrong with them.
pub(crate) struct ListReader<'f> {
    /// Dates are read in it.
    pub zone: Zone,
    pub faults: &'f mut Vec<Fault>,
}

/// A text that is not blank.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// Whether a text is not blank.
pub(crate) fn is_given(text: Option<&String>) -> bool {
    given(text).is_some()
}

impl ListReader<'_> {
    /// A number of a thing.
    pub fn id(&mut self, path: &str, text: Option<&String>) -> Option<i64> {
        let id = given(text)?.parse::<i64>().ok();
        if id.is_none() {
            self.faults
                .push(Fault::new(path, FaultCode::WrongType).with("expected", "integer"));
        }
        id
    }

    /// One of some words, in any case.
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

    /// A text that the database can compare with.
    pub fn text(&mut self, path: &str, text: Option<&String>) -> Option<String> {
        let text = given(text)?;
        if text.contains('\0') {
            self.faults.push(Fault::new(path, FaultCode::ControlCharacter));
        }
        Some(text.to_owned())
    }

    /// The first moment that counts (`from`: `YYYY-MM-DD`, or with ` HH:MM:SS`), and the first that counts no more (`to`; a day
    /// alone means its end).
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

    /// A number from 1 to the most.
    pub fn number(&mut self, path: &str, text: Option<&String>, most: u32) -> Option<u32> {
        let text = given(text)?;
        let number = text.parse::<u32>().ok().filter(|number| (1..=most).contains(number));
        if number.is_none() {
            self.faults
                .push(Fault::new(path, FaultCode::OutOfRange).with("min", 1).with("max", most));
        }
        number
    }

    /// Where the list before this one ended.
    pub fn cursor(&mut self, text: Option<&String>) -> Option<i64> {
        let id = given(text)?.parse::<i64>().ok().filter(|id| *id > 0);
        if id.is_none() {
            self.faults.push(Fault::new("cursor", FaultCode::InvalidCursor));
        }
        id
    }
}
