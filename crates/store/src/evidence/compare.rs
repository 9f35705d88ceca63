//! Compares a workflow's rows with its chain.
//!
//! Every column of the compared tables is either compared here or listed in [`UNPROVED`] with the reason. A test edits
//! each column of a finished workflow at random, and reads the columns from the database, so a new one cannot be
//! forgotten.

use std::collections::BTreeMap;

use domain::replay::{Proved, Replay, ReplayedProgress, ReplayedRecipient};
use domain::{
    BlobHash, ChainFormat, CompanyId, Contact, CopyRecipient, ExportSettings, FieldValue, NamedCopy, PersonalText,
    RecipientId, TemplateContent, TemplateId, Terms, WorkflowId,
};

use crate::evidence::check::FaultKind;
use crate::sql::check as sql;
use crate::{Error, Row, Statement, Transaction, Value, values};

/// Columns of compared tables that the chain does not prove, as table, column and reason.
pub const UNPROVED: &[(&str, &str, &str)] = &[
    (
        "workflow",
        "export_authorization",
        "encrypted; no page or answer shows it",
    ),
    (
        "workflow",
        "first_step_reported",
        "whether a webhook was due; the outbox has it",
    ),
    (
        "workflow",
        "added_fonts",
        "what draws values; the chain has the hash of what they drew",
    ),
    ("workflow", "revision", "counts writes; nothing shows it"),
    (
        "workflow",
        "indexed_revision",
        "up to where a job has indexed; nothing shows it",
    ),
    ("workflow", "reminder_look", "when a job looks again; nothing shows it"),
    ("workflow", "expiry_look", "when a job looks again; nothing shows it"),
    (
        "recipient",
        "access_salt",
        "of the access code: an edit means that no code fits",
    ),
    (
        "recipient",
        "access_code",
        "made with the master key: an edit means that no code fits",
    ),
    (
        "recipient",
        "access_failures",
        "counts wrong codes; the chain has each of them",
    ),
    ("recipient", "one_time_salt", "of a one-time code that is over"),
    ("recipient", "one_time_code", "of a one-time code that is over"),
    (
        "recipient",
        "one_time_sent_at",
        "of a one-time code that is over; the chain says when it was sent",
    ),
    (
        "recipient",
        "one_time_used_at",
        "of a one-time code that is over; the chain says when it was entered",
    ),
    ("recipient", "one_time_used_by", "of a one-time code that is over"),
    (
        "recipient",
        "one_time_failures",
        "counts wrong codes; the chain has each of them",
    ),
    (
        "template_version",
        "name",
        "the template's own; documents have titles of theirs",
    ),
    ("template_version", "original", "of the upload; nobody signs it"),
    ("template_version", "created_at", "of the template, not of the document"),
    ("template_version", "created_by", "of the template, not of the document"),
    (
        "sealed_document",
        "timestamp_due",
        "when a job looks again; nothing shows it",
    ),
];

/// The rows of a stretch of workflows.
pub(crate) struct Rows {
    recipients: BTreeMap<WorkflowId, Vec<Row>>,
    values: BTreeMap<WorkflowId, Vec<Row>>,
    sealed: BTreeMap<WorkflowId, Vec<Row>>,
    templates: BTreeMap<(CompanyId, TemplateId, u32), Row>,
}

impl Rows {
    /// Loads the rows of the workflows after `after`, up to `last`.
    pub(crate) fn load(tx: &mut dyn Transaction, after: WorkflowId, last: WorkflowId) -> Result<Rows, Error> {
        let of_workflows = |tx: &mut dyn Transaction, statement: &'static Statement| {
            let mut rows: BTreeMap<WorkflowId, Vec<Row>> = BTreeMap::new();
            for row in tx.query(statement, values![after, last])? {
                rows.entry(row.get("workflow_id")?).or_default().push(row);
            }
            Ok::<_, Error>(rows)
        };
        let mut templates = BTreeMap::new();
        for row in tx.query(&sql::TEMPLATE_ROWS, values![after, last])? {
            let key = (row.get("company_id")?, row.get("template_id")?, row.get("version")?);
            templates.insert(key, row);
        }
        Ok(Rows {
            templates,
            recipients: of_workflows(tx, &sql::RECIPIENT_ROWS)?,
            values: of_workflows(tx, &sql::VALUE_ROWS)?,
            sealed: of_workflows(tx, &sql::SEALED_ROWS)?,
        })
    }

    /// Returns all differences between the rows of a workflow and its chain.
    pub(crate) fn differences(
        &self,
        workflow: &Row,
        (company, id): (&CompanyId, WorkflowId),
        replay: &Replay,
        format: ChainFormat,
        erased: &[String],
    ) -> Vec<FaultKind> {
        let rows = |rows: &'_ BTreeMap<WorkflowId, Vec<Row>>| rows.get(&id).cloned().unwrap_or_default();
        let mut found = Differences {
            erased,
            faults: Vec::new(),
        };
        found.workflow(workflow, (company, id), replay);
        found.recipients(&rows(&self.recipients), replay, format);
        found.values(&rows(&self.values), replay, format);
        found.sealed(&rows(&self.sealed), replay);
        let (template, version) = replay.template.is;
        found.template(self.templates.get(&(company.clone(), template, version)), replay);
        found.faults
    }
}

struct Differences<'e> {
    /// The words that replace an erased text in rows, in each language.
    erased: &'e [String],
    faults: Vec<FaultKind>,
}

/// One row and its key.
struct Place<'r> {
    table: &'static str,
    row: &'r Row,
    key: String,
}

impl Differences<'_> {
    fn add(&mut self, place: &Place<'_>, column: &str, entry: u64) {
        self.faults.push(FaultKind::Differs {
            table: place.table,
            row: place.key.clone(),
            column: column.to_owned(),
            entry,
        });
    }

    fn holds(&mut self, place: &Place<'_>, column: &str, entry: u64, holds: bool) {
        if !holds {
            self.add(place, column, entry);
        }
    }

    fn is(&mut self, place: &Place<'_>, column: &str, entry: u64, expected: impl Into<Value>) {
        let found = place.row.value(column);
        let holds = found.is_some_and(|found| alike(found, &expected.into()));
        self.holds(place, column, entry, holds);
    }

    fn text(&mut self, place: &Place<'_>, column: &str, entry: u64, expected: Option<&PersonalText>) {
        let found = place.row.get::<Option<String>>(column);
        let holds = found.is_ok_and(|found| self.says(found.as_deref(), expected));
        self.holds(place, column, entry, holds);
    }

    /// Whether a row's text matches the chain's. Surrounding blanks are ignored, and a blank text counts as none.
    fn says(&self, found: Option<&str>, expected: Option<&PersonalText>) -> bool {
        let found = found.map(str::trim).filter(|found| !found.is_empty());
        match (found, expected) {
            (found, None) => found.is_none(),
            (found, Some(PersonalText::Clear(text))) => found.unwrap_or_default() == text.trim(),
            (Some(found), Some(PersonalText::Committed(_))) => self.erased.iter().any(|erased| erased == found),
            (None, Some(PersonalText::Committed(_))) => true,
        }
    }

    fn workflow(&mut self, row: &Row, (company, id): (&CompanyId, WorkflowId), replay: &Replay) {
        let place = &Place {
            table: "workflow",
            row,
            key: id.to_string(),
        };
        self.is(place, "company_id", 1, company);
        let (template, version) = replay.template.is;
        self.is(place, "template_id", 1, template);
        self.is(place, "template_version", 1, version);
        let (_, ended_at) = replay.status.is;
        self.is(place, "ended_at", replay.status.entry, ended_at);
        self.is(place, "ended_by", replay.status.entry, replay.ended_by);
        let Some(terms) = &replay.terms else {
            return;
        };
        self.is(place, "started_at", replay.started_at.entry, replay.started_at.is);
        self.is(place, "turn", replay.turn.entry, replay.turn.is);
        self.text(
            place,
            "end_comment",
            replay.end_comment.entry,
            replay.end_comment.is.as_ref(),
        );
        self.is(place, "link_version", replay.link_version.entry, replay.link_version.is);
        for (column, proved) in [
            ("links_revoked_at", &replay.links_revoked_at),
            ("links_renewed_at", &replay.links_renewed_at),
            ("discarded_at", &replay.discarded_at),
        ] {
            self.is(place, column, proved.entry, proved.is);
        }
        if let Some(expires_at) = &replay.expires_at {
            self.is(place, "expires_at", expires_at.entry, expires_at.is);
        }
        self.terms(place, terms);
    }

    fn terms(&mut self, place: &Place<'_>, Proved { entry, is: terms }: &Proved<Terms>) {
        let entry = *entry;
        self.text(place, "name", entry, Some(&terms.title));
        self.text(place, "company_name", entry, Some(&terms.company_name));
        self.text(place, "comment", entry, terms.message.as_ref());
        self.text(place, "export_settings", entry, terms.export.as_ref());
        self.text(place, "redirect_url", entry, terms.redirect_url.as_ref());
        self.is(place, "sender_id", entry, terms.sender.id);
        self.is(place, "client_id", entry, terms.client);
        self.is(place, "is_test", entry, terms.is_test);
        self.is(place, "language", entry, terms.language);
        self.is(place, "time_zone", entry, terms.zone);
        self.is(
            place,
            "on_reject",
            entry,
            crate::workflows::workflow::on_reject_word(terms.on_reject),
        );
        let export = terms.export.as_ref().and_then(PersonalText::clear);
        let is_embedded = export
            .and_then(|export| serde_json::from_str::<ExportSettings>(export).ok())
            .is_some_and(|export| export.is_embed);
        self.is(place, "is_embedded", entry, is_embedded);
        let copies = place
            .row
            .parse("cc_list", |text| serde_json::from_str::<Vec<CopyRecipient>>(text));
        let holds = copies.is_ok_and(|copies| {
            copies.len() == terms.copies.len()
                && copies
                    .iter()
                    .zip(&terms.copies)
                    .all(|(copy, named)| self.is_copy(copy, named))
        });
        self.holds(place, "cc_list", entry, holds);
    }

    fn template(&mut self, row: Option<&Row>, replay: &Replay) {
        let Some((entry, expected)) = replay
            .terms
            .as_ref()
            .and_then(|terms| Some((terms.entry, terms.is.template?)))
        else {
            return;
        };
        let (template, version) = replay.template.is;
        let key = format!("{template} version {version}");
        let Some(row) = row else {
            self.missing("template_version", &key, entry);
            return;
        };
        let place = &Place {
            table: "template_version",
            row,
            key,
        };
        self.is(place, "pdf", replay.document.entry, replay.document.is);
        let found = crate::starts::template::content(row).ok();
        let holds = |part: fn(&TemplateContent) -> BlobHash| found.as_ref().map(part) == Some(part(&expected));
        self.holds(place, "definition", entry, holds(|content| content.definition));
        self.holds(place, "page_images", entry, holds(|content| content.page_images));
    }

    fn is_copy(&self, copy: &CopyRecipient, named: &NamedCopy) -> bool {
        self.says(Some(&copy.name), Some(&named.name))
            && self.says(Some(copy.contact.as_given()), Some(&named.contact))
            && self.says(copy.contact.phone(), named.phone.as_ref())
    }

    fn recipients(&mut self, rows: &[Row], replay: &Replay, format: ChainFormat) {
        let places = replay.terms.iter().flat_map(|terms| &terms.is.places);
        let mut places = places.map(Some).chain(std::iter::repeat(None));
        let mut known = Vec::new();
        for recipient in &replay.recipients {
            let id = recipient.person.is.id;
            known.push(id);
            let terms = places.next().flatten();
            let row = rows
                .iter()
                .find(|row| row.get::<RecipientId>("id").is_ok_and(|found| found == id));
            let Some(row) = row else {
                self.missing("recipient", &id, recipient.person.entry);
                continue;
            };
            let place = &Place {
                table: "recipient",
                row,
                key: id.to_string(),
            };
            self.recipient(place, recipient, format);
            if let Some(terms) = terms {
                self.is(place, "place", 1, terms.place);
                self.is(place, "role", 1, terms.role.as_deref());
                self.is(place, "language", 1, terms.language);
                self.is(place, "asks_one_time_code", 1, terms.one_time_code);
                self.text(place, "access_hint", 1, terms.hint.as_ref());
                for column in ["access_salt", "access_code"] {
                    let is_there = row.value(column).is_some_and(|code| *code != Value::Null);
                    self.holds(place, column, 1, is_there == terms.access_code);
                }
            }
        }
        for row in rows {
            if let Ok(id) = row.get::<RecipientId>("id")
                && !known.contains(&id)
            {
                self.unknown("recipient", &id);
            }
        }
    }

    fn recipient(&mut self, place: &Place<'_>, recipient: &ReplayedRecipient, format: ChainFormat) {
        let Proved { entry, is: person } = &recipient.person;
        let entry = *entry;
        self.text(place, "name", entry, Some(&person.name));
        self.text(place, "contact", entry, Some(&person.contact));
        self.is(place, "step_order", 1, person.order);
        let (progress, at) = match recipient.progress.is {
            ReplayedProgress::Waiting => ("waiting", None),
            ReplayedProgress::Approved(at) => ("approved", Some(at)),
            ReplayedProgress::Rejected(at) => ("rejected", Some(at)),
        };
        self.is(place, "progress", recipient.progress.entry, progress);
        if format == ChainFormat::One {
            return;
        }
        self.is(place, "progressed_at", recipient.progress.entry, at);
        self.text(place, "phone", entry, person.phone.as_ref());
        self.text(place, "company", entry, person.company.as_ref());
        self.is(
            place,
            "contact_key",
            entry,
            contact_key(&person.contact, person.phone.as_ref()),
        );
        self.text(place, "mobile", recipient.mobile.entry, recipient.mobile.is.as_ref());
        self.text(place, "comment", recipient.comment.entry, recipient.comment.is.as_ref());
        self.is(
            place,
            "link_version",
            recipient.link_version.entry,
            recipient.link_version.is,
        );
        for (column, mark) in [
            ("access_at", &recipient.access_at),
            ("viewed_at", &recipient.viewed_at),
            ("consented_at", &recipient.consented_at),
        ] {
            let holds = place.row.get(column).is_ok_and(|at| mark.is.allows(at));
            self.holds(place, column, mark.entry, holds);
        }
    }

    fn values(&mut self, rows: &[Row], replay: &Replay, format: ChainFormat) {
        let mut found = Vec::new();
        for row in rows {
            let Ok(field) = row.get::<String>("field_name") else {
                continue;
            };
            found.push(field.clone());
            let Some(Proved { entry, is: value }) = replay.values.get(&field) else {
                self.unknown("field_value", &field);
                continue;
            };
            let (place, entry) = (
                &Place {
                    table: "field_value",
                    row,
                    key: field,
                },
                *entry,
            );
            self.is(place, "recipient_id", entry, value.recipient);
            let salt: Vec<u8> = row.get("salt").unwrap_or_default();
            let stored = row.parse("value", |text| serde_json::from_str::<FieldValue>(text));
            let holds = stored
                .as_ref()
                .is_ok_and(|stored| stored.salted_hash(&salt, format) == value.hash);
            self.holds(place, "value", entry, holds);
            let compared = stored.map(|stored| stored.compared()).unwrap_or_default();
            self.is(place, "wire", entry, compared.as_str());
            self.is(
                place,
                "wire_hash",
                entry,
                crate::workflows::workflow_value::wire_hash(&compared),
            );
            if format == ChainFormat::Two {
                self.is(place, "written_at", entry, value.written_at);
            }
        }
        // Earlier versions removed values without an entry.
        for (field, proved) in &replay.values {
            if format == ChainFormat::Two && !found.contains(field) {
                self.missing("field_value", field, proved.entry);
            }
        }
    }

    fn sealed(&mut self, rows: &[Row], replay: &Replay) {
        let Some(Proved { entry, is: sealed }) = &replay.sealed else {
            return;
        };
        let Some(row) = rows.first() else {
            return self.missing("sealed_document", &"", *entry);
        };
        let place = &Place {
            table: "sealed_document",
            row,
            key: String::new(),
        };
        self.is(place, "document_hash", *entry, sealed.hash);
        self.is(place, "document_length", *entry, length(sealed.length));
        self.is(place, "sealed_at", *entry, sealed.at);
        if let Some(Proved { entry, is: certificate }) = &replay.certificate {
            self.is(place, "certificate_hash", *entry, certificate.hash);
            self.is(place, "certificate_length", *entry, length(certificate.length));
        }
    }

    fn missing(&mut self, table: &'static str, row: &dyn std::fmt::Display, entry: u64) {
        self.faults.push(FaultKind::RowMissing {
            table,
            row: row.to_string(),
            entry,
        });
    }

    fn unknown(&mut self, table: &'static str, row: &dyn std::fmt::Display) {
        self.faults.push(FaultKind::RowUnknown {
            table,
            row: row.to_string(),
        });
    }
}

/// Whether two values are equal. SQLite has no booleans.
fn alike(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Integer(found), Value::Bool(expected)) => *found == i64::from(*expected),
        (found, expected) => found == expected,
    }
}

/// Returns the key by which a contact is found. Erased contacts cannot be found.
fn contact_key(contact: &PersonalText, phone: Option<&PersonalText>) -> String {
    let Some(given) = contact.clear() else {
        return String::new();
    };
    let given = given.to_owned();
    match phone.and_then(PersonalText::clear) {
        Some(number) => Contact::Phone {
            given,
            number: number.to_owned(),
        },
        None => Contact::Email(given),
    }
    .key()
}

fn length(length: u64) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
