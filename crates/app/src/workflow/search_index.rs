//! The job that makes documents findable by their texts.
//!
//! A document that is new or was changed waits here by its revision, so nobody waits for its terms. Several servers may run the
//! job at once, and one that ends amid its work has done nothing: each takes what nobody else has locked, and writes terms
//! and revision together.

use domain::FieldValue;
use domain::contact::dialled;
use domain::search::DocumentTerms;
use store::search::DueDocument;

use crate::App;
use crate::base::error::Error;

impl App {
    /// Indexes up to `limit` documents whose texts have changed, and returns how many it did. The job calls it again at once if
    /// the answer is the limit.
    pub fn index_texts(&self, limit: u32) -> Result<u32, Error> {
        let is_due = self
            .store
            .read_one(|tx| store::search::is_due(tx).map_err(Error::from))?;
        if !is_due {
            return Ok(0);
        }
        // What a crash of the machine undoes is due again.
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

/// The texts by which a document is found: its title, its people, its values. Nothing secret is among them: access codes and
/// one-time codes are no values.
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

/// An international number, and the same as people in its country write it.
fn spellings(number: &str) -> impl Iterator<Item = String> {
    std::iter::once(number.to_owned()).chain(dialled(number).map(|dialled| dialled.written))
}

/// What people read of a value. A check mark says nothing by itself, and the names of files are mostly ours.
fn said(value: &FieldValue) -> Option<String> {
    match value {
        FieldValue::Text(_) | FieldValue::Number(_) | FieldValue::Date(_) | FieldValue::Choice(_) => {
            Some(value.to_wire())
        }
        FieldValue::Check(_) | FieldValue::File(_) | FieldValue::Drawn(_) => None,
    }
}
