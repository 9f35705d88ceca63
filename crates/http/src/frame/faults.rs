//! What is wrong with a request: all of it, in one answer.

use app::{Error, Fault, FaultCode};

/// More faults than this are told to nobody.
pub(crate) const MOST_FAULTS: usize = 100;

/// What is wrong with a request, in the order in which it was found.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Vec<Fault>,
}

impl Faults {
    /// Adds one, unless there are so many that nobody reads another.
    pub fn add(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    /// A text that a header, a path or a query holds, if it may be stored.
    pub fn text(&mut self, path: &str, value: &str) -> Option<String> {
        if value.contains('\0') {
            self.add(Fault::new(path, FaultCode::ControlCharacter));
            return None;
        }
        Some(value.to_owned())
    }

    /// The faults, for a use-case that adds its own.
    pub fn into_inner(self) -> Vec<Fault> {
        self.faults
    }

    /// Ends here with 422 unless nothing is wrong.
    pub fn check(self) -> Result<(), Error> {
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Unprocessable(self.faults))
        }
    }
}
