//! Collects all faults of a request for one response.

use app::{Error, Fault, FaultCode};

/// Maximum number of faults that we report.
pub(crate) const MOST_FAULTS: usize = 100;

/// The faults of a request, in order of discovery.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Vec<Fault>,
}

impl Faults {
    /// Adds a fault, unless there are too many already.
    pub fn add(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    /// Returns a text from a header, a path or a query, if we can store it.
    pub fn text(&mut self, path: &str, value: &str) -> Option<String> {
        if value.contains('\0') {
            self.add(Fault::new(path, FaultCode::ControlCharacter));
            return None;
        }
        Some(value.to_owned())
    }

    /// Returns the faults, for a use case that adds its own.
    pub fn into_inner(self) -> Vec<Fault> {
        self.faults
    }

    /// Fails with 422 if there are any faults.
    pub fn check(self) -> Result<(), Error> {
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(Error::Unprocessable(self.faults))
        }
    }
}
