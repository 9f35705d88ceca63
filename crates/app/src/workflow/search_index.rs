//! The job that indexes documents for the search by text.
//!
//! A new or changed document is queued by its revision, so no request waits for indexing. Several servers may run the
//! job at once: each takes documents that nobody else has locked, and writes terms and revision together. So a server
//! that stops in the middle leaves no partial result.

use domain::FieldValue;
use domain::contact::dialled;
use domain::search::DocumentTerms;
use store::search::DueDocument;

use crate::App;
use crate::base::error::Error;

impl App {
    /// Indexes up to `limit` documents whose texts have changed. Returns the number indexed. If it equals the limit,
    /// the job calls this again at once.
    pub fn index_texts(&self, limit: u32) -> Result<u32, Error> {
        let is_due = self
            .store
            .read_one(|tx| store::search::is_due(tx).map_err(Error::from))?;
        if !is_due {
            return Ok(0);
        }
        // If a crash of the machine undoes this, the work is due again.
        self.store.write_relaxed(move |tx| {
            let due = store::search::hold_due(tx, limit)?;
            for document in &due {
                let terms = (!document.is_hidden).then(|| terms_of(document));
                store::search::write(tx, document, terms.as_ref())?;
            }
            Ok(u32::try_from(due.len()).unwrap_or(u32::MAX))
        })
    }
}

/// Returns the texts by which a document is found: its title, people and values. Nothing secret is among them, because
/// access codes and one-time codes are not values.
fn terms_of(document: &DueDocument) -> DocumentTerms {
    let mut texts = vec![document.name.clone()];
    for person in &document.people {
        texts.extend([person.name.clone(), person.contact.clone()]);
        texts.extend(person.company.clone());
        let numbers = person.phone.iter().chain(&person.mobile);
        texts.extend(numbers.flat_map(|number| spellings(number)));
    }
    for copy in &document.copies {
        texts.extend([copy.name.clone(), copy.contact.as_given().to_owned()]);
        texts.extend(copy.contact.phone().into_iter().flat_map(spellings));
    }
    texts.extend(document.values.iter().filter_map(said));
    DocumentTerms::of(texts.iter().map(String::as_str))
}

/// Returns an international number, and its national form.
fn spellings(number: &str) -> impl Iterator<Item = String> {
    std::iter::once(number.to_owned()).chain(dialled(number).map(|dialled| dialled.written))
}

/// Returns the readable text of a value. A check mark has none, and file names are mostly generated.
fn said(value: &FieldValue) -> Option<String> {
    match value {
        FieldValue::Text(_) | FieldValue::Number(_) | FieldValue::Date(_) | FieldValue::Choice(_) => {
            Some(value.to_wire())
        }
        FieldValue::Check(_) | FieldValue::File(_) | FieldValue::Drawn(_) => None,
    }
}
