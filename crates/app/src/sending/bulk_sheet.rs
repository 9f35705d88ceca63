//! The rows of a spreadsheet as starts: what each column means.
//!
//! | column | what it says |
//! |---|---|
//! | `workflow_name`, `language`, `expiry_date`, `comment` | as in a start |
//! | `1.name`, `1.email`, `1.language`, `1.mobile`, `1.company`, `1.password`, `1.password_hint`, `1.one_time_code` | the recipient of step 1; `1.clerk.name` if the step has several roles |
//! | `cc.name`, `cc.email` | who gets a copy |
//! | any other, or `field:` and a name | the value of the template's field of this name |
//!
//! Names are compared [folded]: case, width and composition do not matter, unless two fields differ only in them.
//! For an empty cell, the value for all rows applies, if there is one.

use std::collections::BTreeSet;

use domain::folding::{find_named, folded};
use domain::{FieldKind, TemplateVersion};
use sheets::safe_cell::{SafeCell, csv};
use sheets::{SheetCell, SheetLimits, SheetRow};

use crate::base::error::{Fault, FaultCode};
use crate::sending::start::{StartCopy, StartRecipient, StartRequest};
use crate::values::value::GivenField;

/// Optional prefix of a column with a field's name, before a colon.
const FIELD: &str = "field";

/// A detail of a signer in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Name,
    Email,
    Language,
    Mobile,
    Company,
    Password,
    PasswordHint,
    OneTimeCode,
}

const DETAILS: [(&str, Detail); 8] = [
    ("name", Detail::Name),
    ("email", Detail::Email),
    ("language", Detail::Language),
    ("mobile", Detail::Mobile),
    ("company", Detail::Company),
    ("password", Detail::Password),
    ("password_hint", Detail::PasswordHint),
    ("one_time_code", Detail::OneTimeCode),
];

/// The meaning of a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Column {
    WorkflowName,
    Language,
    ExpiryDate,
    Comment,
    CopyName,
    CopyEmail,
    /// A detail of the signer at this index of [`Columns::writers`].
    Writer(usize, Detail),
    Field(String),
    /// A column without a name or meaning.
    Nothing,
}

/// A recipient defined by columns.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Writer {
    order: u32,
    role: Option<String>,
}

impl Writer {
    /// Returns the name in the header.
    fn name(&self) -> String {
        match &self.role {
            Some(role) => format!("{}.{role}", self.order),
            None => self.order.to_string(),
        }
    }
}

pub(crate) struct Columns {
    kinds: Vec<Column>,
    /// The names in the header.
    names: Vec<String>,
    writers: Vec<Writer>,
}

/// A row as a start, with the names of its parts in the sheet.
pub(crate) struct SheetStart {
    pub(crate) request: StartRequest,
    /// The names of the signers, in the order of the recipients.
    pub(crate) writers: Vec<String>,
    /// The names of the fields, in the order of the values.
    pub(crate) fields: Vec<String>,
}

impl Columns {
    /// Reads a header for this template. Every unknown name is a fault at that name.
    pub(crate) fn read(header: &[String], template: &TemplateVersion) -> Result<Columns, Vec<Fault>> {
        let mut read = Columns {
            kinds: Vec::with_capacity(header.len()),
            names: header.iter().map(|name| name.trim().to_owned()).collect(),
            writers: Vec::new(),
        };
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for name in header {
            let name = name.trim();
            let column = read.column(name, template);
            match &column {
                None => faults.push(Fault::new(name, FaultCode::UnknownField).with("name", name)),
                Some(Column::Nothing) => {}
                Some(column) => {
                    if !seen.insert(column.clone()) {
                        faults.push(Fault::new(name, FaultCode::Duplicate).with("name", name));
                    }
                }
            }
            read.kinds.push(column.unwrap_or(Column::Nothing));
        }
        if faults.is_empty() { Ok(read) } else { Err(faults) }
    }

    fn column(&mut self, name: &str, template: &TemplateVersion) -> Option<Column> {
        let field = |name: &str| {
            template
                .field_called(name)
                .map(|field| Column::Field(field.name.clone()))
        };
        if let Some((_, called)) = name.split_once([':', '：']).filter(|(first, _)| folded(first) == FIELD) {
            return field(called);
        }
        match folded(name).as_str() {
            "" => return Some(Column::Nothing),
            "workflow_name" => return Some(Column::WorkflowName),
            "language" => return Some(Column::Language),
            "expiry_date" => return Some(Column::ExpiryDate),
            "comment" => return Some(Column::Comment),
            "cc.name" => return Some(Column::CopyName),
            "cc.email" => return Some(Column::CopyEmail),
            _ => {}
        }
        if let Some(column) = self.writer(name, template) {
            return Some(column);
        }
        field(name)
    }

    fn writer(&mut self, name: &str, template: &TemplateVersion) -> Option<Column> {
        let dots = ['.', '．'];
        let (order, rest) = name.split_once(dots)?;
        let order = folded(order).parse().ok()?;
        let (role, detail) = match rest.rsplit_once(dots) {
            Some((role, detail)) => (Some(role), detail),
            None => (None, rest),
        };
        let detail = folded(detail);
        let (_, detail) = DETAILS.into_iter().find(|(known, _)| *known == detail)?;
        let mut places = template.places(order);
        let role = match role {
            None => places.next().map(|_| None)?,
            Some(role) => {
                let roles: Vec<&String> = places.filter_map(|step| step.role.as_ref()).collect();
                Some((*find_named(roles.iter(), role, |role| role.as_str())?).clone())
            }
        };
        let writer = Writer { order, role };
        let place = self.writers.iter().position(|known| *known == writer);
        let place = place.unwrap_or_else(|| {
            self.writers.push(writer);
            self.writers.len() - 1
        });
        Some(Column::Writer(place, detail))
    }

    /// Converts a row into a start. A cell beyond the header is a fault.
    pub(crate) fn start(&self, row: SheetRow) -> SheetStart {
        let mut request = StartRequest::default();
        let mut writers = vec![StartRecipient::default(); self.writers.len()];
        let mut copy = StartCopy::default();
        let mut fields = Vec::new();
        for (index, cell) in row.cells.into_iter().enumerate() {
            if cell.is_empty() {
                continue;
            }
            let (column, text) = match self.said(index, cell) {
                Ok((column, text)) => (column, Some(text)),
                Err(fault) => {
                    request.faults.push(fault);
                    continue;
                }
            };
            match column {
                Column::Nothing => {}
                Column::WorkflowName => request.workflow_name = text,
                Column::Language => request.language = text,
                Column::ExpiryDate => request.expiry_date = text,
                Column::Comment => request.comment = text,
                Column::CopyName => copy.name = text,
                Column::CopyEmail => copy.email = text,
                Column::Field(name) => {
                    fields.push(name.clone());
                    request.fields.push(GivenField {
                        name: Some(name.clone()),
                        value: text,
                        file_name: None,
                    });
                }
                Column::Writer(place, detail) => {
                    if let Some(writer) = writers.get_mut(*place) {
                        request.faults.extend(self.say(writer, *place, *detail, text));
                    }
                }
            }
        }
        let mut names = Vec::new();
        for (writer, place) in writers.into_iter().zip(&self.writers) {
            // A recipient missing in the row may be defined for all rows, or by the template.
            if writer == StartRecipient::default() {
                continue;
            }
            names.push(place.name());
            request.recipients.push(StartRecipient {
                order: Some(place.order),
                role: place.role.clone(),
                ..writer
            });
        }
        if copy.name.is_some() || copy.email.is_some() {
            request.cc.push(copy);
        }
        SheetStart {
            request,
            writers: names,
            fields,
        }
    }

    /// Returns the content and meaning of a cell. An unreadable cell must not count as empty, because it may be an
    /// access code.
    fn said(&self, index: usize, cell: SheetCell) -> Result<(&Column, String), Fault> {
        let number = || format!("column {}", index + 1);
        let place = || {
            let name = self.names.get(index).filter(|name| !name.is_empty());
            name.map_or_else(number, Clone::clone)
        };
        let text = match cell {
            SheetCell::Text(text) => text,
            SheetCell::Unreadable => return Err(Fault::new(place(), FaultCode::SheetCell)),
            SheetCell::TooLong => {
                let fault = Fault::new(place(), FaultCode::TooLong);
                return Err(fault.with("max", SheetLimits::default().cell));
            }
        };
        match self.kinds.get(index) {
            None | Some(Column::Nothing) => Err(Fault::new(number(), FaultCode::UnknownField).with("name", text)),
            Some(column) => Ok((column, text)),
        }
    }

    /// Adds a detail to a recipient, or reports a fault.
    fn say(&self, writer: &mut StartRecipient, place: usize, detail: Detail, text: Option<String>) -> Option<Fault> {
        match detail {
            Detail::Name => writer.name = text,
            Detail::Email => writer.email = text,
            Detail::Language => writer.language = text,
            Detail::Mobile => writer.mobile = text,
            Detail::Company => writer.company = text,
            Detail::Password => writer.password = text,
            Detail::PasswordHint => writer.password_hint = text,
            Detail::OneTimeCode => {
                writer.one_time_code = text.as_deref().and_then(read_check);
                if writer.one_time_code.is_none() {
                    let name = self.writers.get(place).map(Writer::name).unwrap_or_default();
                    return Some(Fault::new(format!("{name}.one_time_code"), FaultCode::InvalidCheck));
                }
            }
        }
        None
    }
}

/// Parses a check field's cell.
fn read_check(cell: &str) -> Option<bool> {
    match cell.trim().to_ascii_lowercase().as_str() {
        "y" | "1" | "true" => Some(true),
        "n" | "0" | "false" => Some(false),
        _ => None,
    }
}

/// Fictional people for the signers, reused in order if there are more signers.
const PEOPLE: [(&str, &str); 6] = [
    ("김민준", "minjun@example.com"),
    ("이서연", "seoyeon@example.com"),
    ("박도윤", "doyun@example.com"),
    ("최하은", "haeun@example.com"),
    ("정시우", "siu@example.com"),
    ("강지아", "jia@example.com"),
];

/// Returns the header of a template's sheet and a sample row, as CSV that spreadsheet programs open correctly.
pub(crate) fn example(template: &TemplateVersion) -> String {
    let mut header = vec![
        "workflow_name".to_owned(),
        "language".to_owned(),
        "expiry_date".to_owned(),
        "comment".to_owned(),
    ];
    let mut row = vec!["Document 1".to_owned(), "ko".to_owned(), String::new(), String::new()];
    let open = template.steps.iter().filter(|step| step.writer.is_none());
    for (step, (name, email)) in open.zip(PEOPLE.into_iter().cycle()) {
        let writer = Writer {
            order: step.order,
            role: step.role.clone().filter(|_| template.places(step.order).count() > 1),
        };
        header.push(format!("{}.name", writer.name()));
        row.push(name.to_owned());
        header.push(format!("{}.email", writer.name()));
        row.push(email.to_owned());
    }
    let is_text = |kind| {
        matches!(
            kind,
            FieldKind::Text
                | FieldKind::Number
                | FieldKind::Date
                | FieldKind::Check
                | FieldKind::Radio
                | FieldKind::Select
                | FieldKind::Label
        )
    };
    for field in template
        .named_fields()
        .filter(|field| is_text(field.kind) && !field.is_fixed_text())
    {
        let means_a_field = Columns {
            kinds: Vec::new(),
            names: Vec::new(),
            writers: Vec::new(),
        }
        .column(&field.name, template)
            == Some(Column::Field(field.name.clone()));
        header.push(if means_a_field {
            field.name.clone()
        } else {
            format!("{FIELD}:{}", field.name)
        });
        row.push(String::new());
    }
    let rows = [header, row].map(|cells| cells.iter().map(|cell| SafeCell::text(cell)).collect());
    csv(&rows)
}
