//! The terms by which documents are found.
//!
//! A change to a document increments its revision, and a job writes its terms later, so indexing does not slow down any
//! transaction that somebody waits for. Both databases get the same text of terms, and the same text of a query. See
//! [`sql`].

use std::collections::HashMap;
use std::fmt::Write as _;

use domain::search::{DocumentTerms, Sought};
use domain::{CompanyId, CopyRecipient, FieldValue, WorkflowId};
use jiff::Timestamp;

use crate::sql::search as sql;
use crate::{Error, HeldWorkflow, Row, Transaction, values};

/// The prefix of a company's term. It is not a letter, so no term of a text begins with it.
const COMPANY: char = '§';
/// Fills a position without a term.
const NO_TERM: &str = "·";

/// A document whose texts have changed since they were indexed. It exists only in a transaction that has locked the workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct DueDocument {
    company: CompanyId,
    id: WorkflowId,
    revision: i64,
    /// Whether lists leave the document out.
    pub is_hidden: bool,
    pub name: String,
    pub copies: Vec<CopyRecipient>,
    pub people: Vec<FoundPerson>,
    pub values: Vec<FieldValue>,
}

/// A signer, in the form that people search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPerson {
    pub name: String,
    /// The address or number as entered.
    pub contact: String,
    /// The number in international format, if it is a phone number.
    pub phone: Option<String>,
    pub mobile: Option<String>,
    /// The company for which they sign.
    pub company: Option<String>,
}

/// Whether any document is due. Unlike [`hold_due`], this takes no locks.
pub fn is_due(tx: &mut dyn Transaction) -> Result<bool, Error> {
    tx.query_one(&sql::IS_DUE, &[])?.get("is_due")
}

/// Locks up to `most` due documents, except those that others have locked, and reads their texts. Unreadable documents
/// are left out, because one damaged row (which `fsck` reports) must not keep all others from being found.
pub fn hold_due(tx: &mut dyn Transaction, most: u32) -> Result<Vec<DueDocument>, Error> {
    let mut due = tx
        .query(&sql::HOLD_DUE, values![most])?
        .iter()
        .map(read_due)
        .collect::<Result<Vec<DueDocument>, Error>>()?;
    let (Some(first), Some(last)) = (due.first().map(|due| due.id), due.last().map(|due| due.id)) else {
        return Ok(due);
    };
    let mut people: HashMap<WorkflowId, Vec<FoundPerson>> = HashMap::new();
    for row in tx.query(&sql::PEOPLE, values![first, last])? {
        let person = FoundPerson {
            name: row.get("name")?,
            contact: row.get("contact")?,
            phone: row.get("phone")?,
            mobile: row.get("mobile")?,
            company: row.get("company")?,
        };
        people.entry(row.get("workflow_id")?).or_default().push(person);
    }
    let mut values: HashMap<WorkflowId, Vec<FieldValue>> = HashMap::new();
    for row in tx.query(&sql::VALUES, values![first, last])? {
        let value: String = row.get("value")?;
        if let Ok(value) = serde_json::from_str(&value) {
            values.entry(row.get("workflow_id")?).or_default().push(value);
        }
    }
    for document in &mut due {
        document.people = people.remove(&document.id).unwrap_or_default();
        document.values = values.remove(&document.id).unwrap_or_default();
    }
    Ok(due)
}

fn read_due(row: &Row) -> Result<DueDocument, Error> {
    let copies: String = row.get("cc_list")?;
    Ok(DueDocument {
        company: row.get("company_id")?,
        id: row.get("id")?,
        revision: row.get("revision")?,
        is_hidden: row.get::<Option<Timestamp>>("discarded_at")?.is_some(),
        name: row.get("name")?,
        copies: serde_json::from_str(&copies).unwrap_or_default(),
        people: Vec::new(),
        values: Vec::new(),
    })
}

/// Makes the document findable by exactly these terms, or by none.
pub fn write(tx: &mut dyn Transaction, document: &DueDocument, terms: Option<&DocumentTerms>) -> Result<(), Error> {
    let DueDocument {
        company, id, revision, ..
    } = document;
    match terms {
        Some(terms) => tx.execute_later(&sql::WRITE, values![company, *id, text_of(company, terms)])?,
        None => tx.execute_later(&sql::FORGET, values![company, *id])?,
    }
    tx.execute_later(&sql::SET_INDEXED, values![company, *id, *revision])
}

/// Removes the document from the index, without a trace of its texts.
pub(crate) fn forget(held: &mut HeldWorkflow<'_>, company: &CompanyId, id: WorkflowId) -> Result<(), Error> {
    held.execute(&sql::FORGET, values![company, id]).map(drop)
}

/// Returns the terms in their positions, separated by blanks.
fn text_of(company: &CompanyId, terms: &DocumentTerms) -> String {
    let mut text = format!("{COMPANY}{company}");
    for term in terms.places() {
        text.push(' ');
        text.push_str(term.unwrap_or(NO_TERM));
    }
    text
}

/// Returns the query in the syntax of FTS5. Terms consist of letters and digits, so nothing in them can be read as an
/// operator.
pub(crate) fn query_of(company: &CompanyId, sought: &Sought) -> String {
    let mut text = format!("\"{COMPANY}{company}\" AND ");
    write_query(&mut text, sought);
    text
}

fn write_query(text: &mut String, sought: &Sought) {
    let (parts, word) = match sought {
        Sought::Phrase { terms, is_begun } => {
            let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
            let _ = write!(text, "{}{}", quoted.join(" + "), if *is_begun { " *" } else { "" });
            return;
        }
        Sought::All(parts) => (parts, " AND "),
        Sought::Any(parts) => (parts, " OR "),
    };
    text.push('(');
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            text.push_str(word);
        }
        write_query(text, part);
    }
    text.push(')');
}

#[cfg(test)]
mod tests {
    use domain::CompanyId;
    use domain::search::{DocumentTerms, Sought};

    use super::{query_of, text_of};

    #[test]
    fn terms_and_queries_are_written_for_both_databases() {
        let company = CompanyId::parse("acme-kr").unwrap();
        let terms = DocumentTerms::of(["근로계약 2026", "Kim"]);
        assert_eq!(text_of(&company, &terms), "§acme-kr 근로 로계 계약 약 2026 · kim ·");
        let query = |text: &str| query_of(&company, &Sought::read(text).unwrap());
        assert_eq!(query("계약서"), r#""§acme-kr" AND "계약" + "약서""#);
        assert_eq!(query("Kim \"OR"), r#""§acme-kr" AND ("kim" * AND "or" *)"#);
        assert_eq!(query("010-1234"), r#""§acme-kr" AND ("010" + "1234" * OR "0101234" *)"#);
    }
}
