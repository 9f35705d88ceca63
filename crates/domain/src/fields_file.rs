//! FIELDS.json: a person's or program's description of a PDF's fields and steps.
//!
//! Reading collects every error with its position (`fields[3].kind`), so that you can fix a file in one go. Unknown
//! members are ignored, as everywhere.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::contact::{Contact, Region};
use crate::date_pattern::DatePattern;
use crate::field::{Alignment, Colour, Field, FieldKind, FontSize, Lines, Placement, WriterDetail};
use crate::formula::{self, Formula, FormulaFault};
use crate::number::{MOST_DECIMALS, Rounding};
use crate::template::{NamedWriter, OnReject, TemplateStep};
use crate::text::{MOST_PARTS, has_overlong_character, is_direction_control, is_visible};
use crate::value::{FieldValue, ValueFault};

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldsFile {
    pub name: String,
    /// The signers' places, ordered.
    pub steps: Vec<TemplateStep>,
    /// In the order of the file.
    pub fields: Vec<Field>,
    pub on_reject: OnReject,
    /// Whether a signer may assign the document to someone else.
    pub hand_over: bool,
}

/// One error and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {kind}")]
pub struct FieldsFault {
    /// Such as `fields[3].kind`; empty for the file itself.
    pub path: String,
    pub kind: FieldsFaultKind,
}

/// What can be wrong in FIELDS.json.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldsFaultKind {
    #[error("not JSON: line {line}, column {column}")]
    NotJson {
        /// The line where reading stopped, from 1.
        line: usize,
        /// The column in it.
        column: usize,
    },
    /// The member has another JSON type. Contains the expected one.
    #[error("must be of the JSON type {0}")]
    WrongType(&'static str),
    #[error("is missing")]
    Missing,
    #[error("must not be empty")]
    Empty,
    #[error("has more than {0} characters")]
    TooLong(usize),
    #[error("contains a control character")]
    ControlCharacter,
    /// A character of a text has more parts than any script uses.
    #[error("contains a character with more than {MOST_PARTS} parts")]
    OverlongCharacter,
    /// A number is outside its range.
    #[error("must be from {least} to {most}")]
    OutOfRange { least: u64, most: u64 },
    /// A word is none of the known ones.
    #[error("is not one of: {0}")]
    UnknownWord(String),
    #[error("has more than {0} entries")]
    TooMany(usize),
    /// The steps leave out a number.
    #[error("step {0} is missing: steps count from 1 without gaps")]
    StepGap(u32),
    /// A step has several places, and one has no role.
    #[error("a step with several signers needs a role for each")]
    RoleNeeded,
    /// A step has the same role twice.
    #[error("the role appears twice in its step")]
    RoleTwice,
    /// A field of a step with several roles names none.
    #[error("the step has several signers; the field must name its role")]
    FieldRoleNeeded,
    #[error("there is no step {0}")]
    UnknownStep(u32),
    /// A field's role does not exist in its step.
    #[error("the step has no role with this name")]
    UnknownRole,
    #[error("there is no such page; the last page is {0}")]
    UnknownPage(u32),
    /// The box is empty or extends beyond the page.
    #[error("the box must have an area and be inside the page (millionths, up to 1000000)")]
    OffPage,
    /// Another field has the same name.
    #[error("a field of another kind has this name")]
    NameTwice,
    /// The boxes of one name disagree about step or role.
    #[error("boxes with the same name must have the same kind, step and role")]
    BoxesDisagree,
    /// A text has either a row of cells or lines.
    #[error("a text can have either cells or lines")]
    CellsOrLines,
    /// The member has no meaning for this kind. Contains the kinds for which it has.
    #[error("is only for fields of kind {0}")]
    OnlyFor(&'static str),
    /// No member has this name. A typo would otherwise show only after people have signed.
    #[error("is not a known member; known members are: {0}")]
    UnknownMember(String),
    #[error("must contain yyyy, yy, MMMM, MMM, MM, M, dd or d; put other Latin letters in 'quotes'")]
    DatePattern,
    #[error("must be a colour such as #1a2b3c")]
    Colour,
    #[error("the option appears twice")]
    OptionTwice,
    /// The field's kind refuses the default.
    #[error("{fault}")]
    Value { kind: FieldKind, fault: ValueFault },
    /// The formula cannot be read from this character on.
    #[error("the formula cannot be read at character {0}")]
    Formula(usize),
    /// The formula names something that is not a number or calc field.
    #[error("'{0}' is not a field of kind number or calc")]
    FormulaName(String),
    /// The formula names a field that is filled in at a later step.
    #[error("'{0}' is filled in at a later step")]
    FormulaLater(String),
    /// The formula names a field of another role in the same step.
    #[error("'{0}' is filled in by another role of the same step")]
    FormulaBeside(String),
    /// The formula depends on its own result.
    #[error("'{0}' depends on its own result")]
    FormulaCircle(String),
    /// Neither an e-mail address nor a telephone number.
    #[error("neither an e-mail address nor a telephone number")]
    Contact,
}

const MOST_FIELDS: usize = 2_000;
const MOST_STEPS: usize = 50;
const MOST_OPTIONS: usize = 200;
const MOST_CELLS: u64 = 100;
const NAME_LENGTH: usize = 128;
/// The most characters of the help text.
const HELP_LENGTH: usize = 250;

/// The members of the file itself; editors look for `$schema`.
const FILE_MEMBERS: [&str; 6] = ["$schema", "name", "on_reject", "hand_over", "steps", "fields"];
const STEP_MEMBERS: [&str; 5] = ["order", "role", "name", "email", "one_time_code"];
const FIELD_MEMBERS: [&str; 31] = [
    "name",
    "kind",
    "step",
    "role",
    "page",
    "x",
    "y",
    "width",
    "height",
    "required",
    "read_only",
    "label",
    "help",
    "options",
    "option",
    "default",
    "max_length",
    "font_size",
    "alignment",
    "lines",
    "cells",
    "thousands",
    "decimals",
    "rounding",
    "pattern",
    "font",
    "bold",
    "color",
    "embed",
    "detail",
    "formula",
];

/// The text without the byte order mark that some editors write before it (RFC 8259 8.1 lets a reader ignore it).
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Reads the file. `pages` is the PDF's number of pages, if known; `region` is the region for national telephone
/// numbers.
pub fn parse(bytes: &[u8], pages: Option<u32>, region: Region) -> Result<FieldsFile, Vec<FieldsFault>> {
    let value: Value = serde_json::from_slice(without_mark(bytes)).map_err(|error| {
        vec![FieldsFault {
            path: String::new(),
            kind: FieldsFaultKind::NotJson {
                line: error.line(),
                column: error.column(),
            },
        }]
    })?;
    parse_value(&value, pages, region)
}

/// Reads already parsed JSON.
pub fn parse_value(value: &Value, pages: Option<u32>, region: Region) -> Result<FieldsFile, Vec<FieldsFault>> {
    let mut reader = Reader {
        faults: Vec::new(),
        region,
    };
    let file = reader.file(value, pages);
    match file {
        Some(file) if reader.faults.is_empty() => Ok(file),
        _ => Err(reader.faults),
    }
}

struct Reader {
    faults: Vec<FieldsFault>,
    /// The region for national telephone numbers.
    region: Region,
}

impl Reader {
    fn fault(&mut self, path: impl Into<String>, kind: FieldsFaultKind) {
        self.faults.push(FieldsFault {
            path: path.into(),
            kind,
        });
    }

    fn file(&mut self, value: &Value, pages: Option<u32>) -> Option<FieldsFile> {
        let Some(file) = value.as_object() else {
            self.fault("", FieldsFaultKind::WrongType("object"));
            return None;
        };
        self.members(file, "", &FILE_MEMBERS);
        let name = self.text(file, "", "name", NAME_LENGTH, true);
        let on_reject = match self.text(file, "", "on_reject", NAME_LENGTH, false).as_deref() {
            None | Some("end") => OnReject::End,
            Some("return") => OnReject::Return,
            Some(_) => {
                self.fault("on_reject", FieldsFaultKind::UnknownWord("end, return".to_owned()));
                OnReject::End
            }
        };
        let hand_over = self.flag(file, "", "hand_over");
        let steps = self.steps(file);
        let fields = self.fields(file, &steps, pages);
        Some(FieldsFile {
            name: name.unwrap_or_default(),
            steps,
            fields,
            on_reject,
            hand_over,
        })
    }

    fn list<'v>(
        &mut self,
        file: &'v Map<String, Value>,
        name: &'static str,
        most: usize,
        required: bool,
    ) -> Vec<(String, &'v Map<String, Value>)> {
        let Some(value) = file.get(name).filter(|value| !value.is_null()) else {
            if required {
                self.fault(name, FieldsFaultKind::Missing);
            }
            return Vec::new();
        };
        let Some(entries) = value.as_array() else {
            self.fault(name, FieldsFaultKind::WrongType("array"));
            return Vec::new();
        };
        if required && entries.is_empty() {
            self.fault(name, FieldsFaultKind::Empty);
        }
        if entries.len() > most {
            self.fault(name, FieldsFaultKind::TooMany(most));
        }
        let mut objects = Vec::new();
        for (index, entry) in entries.iter().take(most).enumerate() {
            let path = format!("{name}[{index}]");
            match entry.as_object() {
                Some(object) => objects.push((path, object)),
                None => self.fault(path, FieldsFaultKind::WrongType("object")),
            }
        }
        objects
    }

    fn steps(&mut self, file: &Map<String, Value>) -> Vec<TemplateStep> {
        let mut steps: Vec<(String, TemplateStep)> = Vec::new();
        let entries = self.list(file, "steps", MOST_STEPS, true);
        let named = entries.len();
        for (path, entry) in entries {
            self.members(entry, &path, &STEP_MEMBERS);
            let order = self.number(entry, &path, "order", 1, MOST_STEPS as u64, true);
            let role = self.text(entry, &path, "role", NAME_LENGTH, false);
            let writer = self.named_writer(entry, &path);
            let one_time_code = self.flag(entry, &path, "one_time_code");
            if let Some(order) = order {
                let step = TemplateStep {
                    order,
                    role,
                    writer,
                    one_time_code,
                };
                steps.push((path, step));
            }
        }
        steps.sort_by_key(|(_, step)| step.order);
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for (_, step) in &steps {
            *counts.entry(step.order).or_default() += 1;
        }
        // A step whose order cannot be read must not count as a gap.
        if steps.len() == named {
            for (expected, order) in (1..).zip(counts.keys()) {
                if *order != expected {
                    self.fault("steps", FieldsFaultKind::StepGap(expected));
                    break;
                }
            }
        }
        for (index, (path, step)) in steps.iter().enumerate() {
            let several = counts.get(&step.order).is_some_and(|count| *count > 1);
            match &step.role {
                None if several => {
                    self.fault(format!("{path}.role"), FieldsFaultKind::RoleNeeded);
                }
                Some(role)
                    if steps
                        .iter()
                        .take(index)
                        .any(|(_, earlier)| earlier.order == step.order && earlier.role.as_ref() == Some(role)) =>
                {
                    self.fault(format!("{path}.role"), FieldsFaultKind::RoleTwice);
                }
                _ => {}
            }
        }
        steps.into_iter().map(|(_, step)| step).collect()
    }

    fn named_writer(&mut self, entry: &Map<String, Value>, path: &str) -> Option<NamedWriter> {
        let name = self.text(entry, path, "name", NAME_LENGTH, false);
        let email = self.text(entry, path, "email", 254, false);
        match (name, email) {
            (Some(name), Some(email)) => {
                if Contact::parse(&email, self.region).is_err() {
                    self.fault(format!("{path}.email"), FieldsFaultKind::Contact);
                }
                Some(NamedWriter { name, email })
            }
            (Some(_), None) => {
                self.fault(format!("{path}.email"), FieldsFaultKind::Missing);
                None
            }
            (None, Some(_)) => {
                self.fault(format!("{path}.name"), FieldsFaultKind::Missing);
                None
            }
            (None, None) => None,
        }
    }

    fn fields(&mut self, file: &Map<String, Value>, steps: &[TemplateStep], pages: Option<u32>) -> Vec<Field> {
        let mut fields: Vec<(String, Field)> = Vec::new();
        let entries = self.list(file, "fields", MOST_FIELDS, false);
        for (path, entry) in &entries {
            if let Some(field) = self.field(entry, path, steps, pages) {
                fields.push((path.clone(), field));
            }
        }
        self.names(&entries);
        self.choices(&fields);
        share_value_rules(&mut fields);
        for (path, field) in &fields {
            if let Some(text) = &field.default {
                let fault = if field.kind.is_file() {
                    Some(ValueFault::NotPicture)
                } else {
                    FieldValue::parse(field, text).err()
                };
                if let Some(fault) = fault {
                    self.fault(
                        format!("{path}.default"),
                        FieldsFaultKind::Value {
                            kind: field.kind,
                            fault,
                        },
                    );
                }
            }
        }
        self.formulas(&fields);
        self.circles(&fields);
        fields.into_iter().map(|(_, field)| field).collect()
    }

    fn field(
        &mut self,
        entry: &Map<String, Value>,
        path: &str,
        steps: &[TemplateStep],
        pages: Option<u32>,
    ) -> Option<Field> {
        self.members(entry, path, &FIELD_MEMBERS);
        let name = self.text(entry, path, "name", NAME_LENGTH, true);
        let kind = self.word(entry, path, "kind", true, FieldKind::parse, || {
            FieldKind::ALL.map(FieldKind::code).join(", ")
        });
        let step = self.number(entry, path, "step", 1, u64::from(u32::MAX), true);
        let role = self.text(entry, path, "role", NAME_LENGTH, false);
        if let Some(step) = step {
            self.step_and_role(path, step, role.as_deref(), steps);
        }
        let page = self.number(entry, path, "page", 1, u64::from(u32::MAX), true);
        if let (Some(page), Some(pages)) = (page, pages)
            && page > pages
        {
            self.fault(format!("{path}.page"), FieldsFaultKind::UnknownPage(pages));
        }
        let whole = u64::from(Placement::WHOLE);
        let x = self.number(entry, path, "x", 0, whole, true);
        let y = self.number(entry, path, "y", 0, whole, true);
        let width = self.number(entry, path, "width", 1, whole, true);
        let height = self.number(entry, path, "height", 1, whole, true);
        let required = self.flag(entry, path, "required");
        let read_only = self.flag(entry, path, "read_only");
        let label = self.text(entry, path, "label", NAME_LENGTH, false);
        let help = self.text(entry, path, "help", HELP_LENGTH, false);
        let options = self.options(entry, path);
        let option = self.text(entry, path, "option", NAME_LENGTH, false);
        let default = self.default_text(entry, path);
        let max_length = self.number(entry, path, "max_length", 1, u64::from(Field::TEXT_LIMIT), false);
        let font_size = match entry.get("font_size").filter(|value| !value.is_null()) {
            None => None,
            Some(value) => {
                let size = value.as_f64().and_then(FontSize::from_points);
                if size.is_none() {
                    self.fault(
                        format!("{path}.font_size"),
                        FieldsFaultKind::OutOfRange { least: 4, most: 72 },
                    );
                }
                size
            }
        };
        let alignment = self
            .word(
                entry,
                path,
                "alignment",
                false,
                |word| Alignment::ALL.into_iter().find(|alignment| alignment.code() == word),
                || Alignment::ALL.map(Alignment::code).join(", "),
            )
            .unwrap_or_default();
        let lines = self.word(
            entry,
            path,
            "lines",
            false,
            |word| match word {
                "one" => Some(Lines::One),
                "many" => Some(Lines::Many),
                _ => None,
            },
            || "one, many".to_owned(),
        );
        let cells = self.number(entry, path, "cells", 1, MOST_CELLS, false);
        if cells.is_some() && lines.is_some() {
            self.fault(format!("{path}.cells"), FieldsFaultKind::CellsOrLines);
        }
        let thousands = self.flag(entry, path, "thousands");
        let decimals = self.number(entry, path, "decimals", 0, u64::from(MOST_DECIMALS), false);
        let rounding = self.word(
            entry,
            path,
            "rounding",
            false,
            |word| match word {
                "half_up" => Some(Rounding::HalfUp),
                "down" => Some(Rounding::Down),
                "up" => Some(Rounding::Up),
                _ => None,
            },
            || "half_up, down, up".to_owned(),
        );
        let pattern = self.text(entry, path, "pattern", NAME_LENGTH, false);
        if let Some(pattern) = &pattern
            && DatePattern::parse(pattern).is_none()
        {
            self.fault(format!("{path}.pattern"), FieldsFaultKind::DatePattern);
        }
        let font = self.text(entry, path, "font", NAME_LENGTH, false);
        let bold = self.flag(entry, path, "bold");
        let colour = self.text(entry, path, "color", NAME_LENGTH, false);
        let colour = colour.map(|text| {
            Colour::parse(&text).unwrap_or_else(|| {
                self.fault(format!("{path}.color"), FieldsFaultKind::Colour);
                Colour::default()
            })
        });
        let embed = self.flag(entry, path, "embed");
        if let Some(kind) = kind {
            self.members_of_kind(entry, path, kind);
            if kind == FieldKind::Label && read_only && default.is_none() {
                self.fault(format!("{path}.default"), FieldsFaultKind::Missing);
            }
        }
        // A seal is a person's or a company's.
        let is_seal = kind == Some(FieldKind::Seal);
        let detail = self.word(
            entry,
            path,
            "detail",
            false,
            |word| match word {
                "name" => Some(WriterDetail::Name),
                // These had no meaning for a seal before: it is the signer's own.
                "email" | "phone" if is_seal => Some(WriterDetail::Name),
                "email" => Some(WriterDetail::Email),
                "phone" => Some(WriterDetail::Phone),
                "company" => Some(WriterDetail::Company),
                _ => None,
            },
            || {
                if is_seal {
                    "name, company"
                } else {
                    "name, email, phone, company"
                }
                .to_owned()
            },
        );
        let formula = self.text(entry, path, "formula", 500, false);
        if kind == Some(FieldKind::Calc) && formula.is_none() {
            self.fault(format!("{path}.formula"), FieldsFaultKind::Missing);
        }
        let placement = Placement {
            x: x?,
            y: y?,
            width: width?,
            height: height?,
        };
        if !placement.is_on_page() {
            self.fault(path, FieldsFaultKind::OffPage);
        }
        Some(Field {
            label,
            help,
            role,
            required,
            read_only,
            options,
            option,
            default,
            max_length,
            lines,
            cells,
            thousands,
            decimals,
            rounding: rounding.unwrap_or_default(),
            pattern,
            font,
            bold,
            colour: colour.unwrap_or_default(),
            font_size,
            alignment,
            detail,
            formula,
            embed,
            ..Field::new(name?, kind?, step?, page?, placement)
        })
    }

    fn members(&mut self, entry: &Map<String, Value>, path: &str, known: &[&str]) {
        for name in entry.keys().filter(|name| !known.contains(&name.as_str())) {
            self.fault(join(path, name), FieldsFaultKind::UnknownMember(known.join(", ")));
        }
    }

    /// A member that has no meaning for its field is a misunderstanding that would show only after people have signed.
    fn members_of_kind(&mut self, entry: &Map<String, Value>, path: &str, kind: FieldKind) {
        use FieldKind::{Attachment, Calc, Date, Label, Number, Select, Text, Writer};
        const LETTERS: [FieldKind; 7] = [Text, Number, Date, Select, Label, Writer, Calc];
        const LETTERS_NAMED: &str = "text, number, date, select, label, writer, calc";
        let members: [(&str, &[FieldKind], &'static str); 10] = [
            ("lines", &[Text, Select, Label, Writer], "text, select, label, writer"),
            (
                "cells",
                &[Text, Number, Date, Writer, Calc],
                "text, number, date, writer, calc",
            ),
            ("thousands", &[Number, Calc], "number, calc"),
            ("decimals", &[Number, Calc], "number, calc"),
            ("rounding", &[Calc], "calc"),
            ("pattern", &[Date], "date"),
            ("font", &LETTERS, LETTERS_NAMED),
            ("bold", &LETTERS, LETTERS_NAMED),
            ("color", &LETTERS, LETTERS_NAMED),
            ("embed", &[Attachment], "attachment"),
        ];
        for (member, kinds, named) in members {
            let given = !matches!(entry.get(member), None | Some(Value::Null | Value::Bool(false)));
            if given && !kinds.contains(&kind) {
                self.fault(join(path, member), FieldsFaultKind::OnlyFor(named));
            }
        }
    }

    fn step_and_role(&mut self, path: &str, step: u32, role: Option<&str>, steps: &[TemplateStep]) {
        let places: Vec<_> = steps.iter().filter(|place| place.order == step).collect();
        if places.is_empty() {
            self.fault(format!("{path}.step"), FieldsFaultKind::UnknownStep(step));
            return;
        }
        match role {
            None if places.len() > 1 => {
                self.fault(format!("{path}.role"), FieldsFaultKind::FieldRoleNeeded);
            }
            Some(role) if !places.iter().any(|place| place.role.as_deref() == Some(role)) => {
                self.fault(format!("{path}.role"), FieldsFaultKind::UnknownRole);
            }
            _ => {}
        }
    }

    /// Boxes with the same name are one field. Fields that have other errors are checked too.
    fn names(&mut self, entries: &[(String, &Map<String, Value>)]) {
        let text =
            |entry: &Map<String, Value>, name: &str| entry.get(name)?.as_str().map(|text| text.trim().to_owned());
        let writer = |entry: &Map<String, Value>| (entry.get("step").and_then(Value::as_u64), text(entry, "role"));
        let mut first: BTreeMap<String, &Map<String, Value>> = BTreeMap::new();
        for (path, entry) in entries {
            let Some(name) = text(entry, "name").filter(|name| !name.is_empty()) else {
                continue;
            };
            let Some(earlier) = first.get(&name) else {
                first.insert(name, entry);
                continue;
            };
            if text(entry, "kind") != text(earlier, "kind") {
                self.fault(format!("{path}.name"), FieldsFaultKind::NameTwice);
            } else if writer(entry) != writer(earlier) {
                self.fault(path.as_str(), FieldsFaultKind::BoxesDisagree);
            }
        }
    }

    /// Each box of a radio choice has its own option; a select has options.
    fn choices(&mut self, fields: &[(String, Field)]) {
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        for (path, field) in fields {
            match (field.kind, &field.option) {
                (FieldKind::Select, _) => {
                    let mut boxes = fields.iter().filter(|(_, other)| other.name == field.name);
                    if boxes.all(|(_, other)| other.options.is_empty()) {
                        self.fault(format!("{path}.options"), FieldsFaultKind::Missing);
                    }
                }
                (FieldKind::Radio, None) => self.fault(format!("{path}.option"), FieldsFaultKind::Missing),
                (FieldKind::Radio, Some(option)) if !seen.insert((&field.name, option)) => {
                    self.fault(format!("{path}.option"), FieldsFaultKind::OptionTwice);
                }
                _ => {}
            }
        }
    }

    /// A formula names only number and calc fields, and only fields filled in earlier or by the same signer, so that no
    /// result becomes outdated.
    fn formulas(&mut self, fields: &[(String, Field)]) {
        for (path, field) in fields {
            let Some(text) = field.formula.as_deref().filter(|_| field.kind == FieldKind::Calc) else {
                continue;
            };
            let path = format!("{path}.formula");
            match Formula::parse(text) {
                Err(FormulaFault(at)) => self.fault(path, FieldsFaultKind::Formula(at)),
                Ok(formula) => {
                    for name in formula.names() {
                        let named = fields.iter().map(|(_, other)| other).find(|other| {
                            other.name == name && matches!(other.kind, FieldKind::Number | FieldKind::Calc)
                        });
                        let kind = match named {
                            None => FieldsFaultKind::FormulaName(name.to_owned()),
                            Some(other) if other.step > field.step => FieldsFaultKind::FormulaLater(name.to_owned()),
                            Some(other) if other.step == field.step && other.role != field.role => {
                                FieldsFaultKind::FormulaBeside(name.to_owned())
                            }
                            Some(_) => continue,
                        };
                        self.fault(path.as_str(), kind);
                    }
                }
            }
        }
    }

    /// No result depends on itself.
    fn circles(&mut self, fields: &[(String, Field)]) {
        let all: Vec<&Field> = fields.iter().map(|(_, field)| field).collect();
        let Some(name) = formula::circle(&all) else { return };
        let path = fields
            .iter()
            .find(|(_, field)| field.name == name)
            .map(|(path, _)| path.as_str());
        self.fault(
            format!("{}.formula", path.unwrap_or_default()),
            FieldsFaultKind::FormulaCircle(name.to_owned()),
        );
    }

    fn options(&mut self, entry: &Map<String, Value>, path: &str) -> Vec<String> {
        let Some(value) = entry.get("options").filter(|value| !value.is_null()) else {
            return Vec::new();
        };
        let path = format!("{path}.options");
        let Some(values) = value.as_array() else {
            self.fault(path, FieldsFaultKind::WrongType("array"));
            return Vec::new();
        };
        if values.len() > MOST_OPTIONS {
            self.fault(path.as_str(), FieldsFaultKind::TooMany(MOST_OPTIONS));
        }
        let mut options: Vec<String> = Vec::new();
        for (index, value) in values.iter().take(MOST_OPTIONS).enumerate() {
            let path = format!("{path}[{index}]");
            if let Some(text) = self.checked_text(value, path.clone(), NAME_LENGTH) {
                if options.contains(&text) {
                    self.fault(path, FieldsFaultKind::OptionTwice);
                } else {
                    options.push(text);
                }
            }
        }
        options
    }

    /// A default may be written as text, number or boolean.
    fn default_text(&mut self, entry: &Map<String, Value>, path: &str) -> Option<String> {
        match entry.get("default")? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(yes) => Some(yes.to_string()),
            _ => {
                self.fault(
                    format!("{path}.default"),
                    FieldsFaultKind::WrongType("string, number, boolean"),
                );
                None
            }
        }
    }

    fn text(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        name: &str,
        most: usize,
        required: bool,
    ) -> Option<String> {
        let place = join(path, name);
        match object.get(name) {
            None | Some(Value::Null) => {
                if required {
                    self.fault(place, FieldsFaultKind::Missing);
                }
                None
            }
            Some(value) => self.checked_text(value, place, most),
        }
    }

    fn checked_text(&mut self, value: &Value, place: String, most: usize) -> Option<String> {
        let Some(text) = value.as_str() else {
            self.fault(place, FieldsFaultKind::WrongType("string"));
            return None;
        };
        let text = text.trim();
        if !is_visible(text) {
            self.fault(place, FieldsFaultKind::Empty);
        } else if text.chars().count() > most {
            self.fault(place, FieldsFaultKind::TooLong(most));
        } else if text.chars().any(|c| c.is_control() || is_direction_control(c)) {
            self.fault(place, FieldsFaultKind::ControlCharacter);
        } else if has_overlong_character(text) {
            self.fault(place, FieldsFaultKind::OverlongCharacter);
        } else {
            return Some(text.to_owned());
        }
        None
    }

    fn word<T>(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        name: &str,
        required: bool,
        read: impl Fn(&str) -> Option<T>,
        known: impl Fn() -> String,
    ) -> Option<T> {
        let text = self.text(object, path, name, NAME_LENGTH, required)?;
        let word = read(&text);
        if word.is_none() {
            self.fault(join(path, name), FieldsFaultKind::UnknownWord(known()));
        }
        word
    }

    fn number(
        &mut self,
        object: &Map<String, Value>,
        path: &str,
        name: &str,
        least: u64,
        most: u64,
        required: bool,
    ) -> Option<u32> {
        let place = join(path, name);
        match object.get(name) {
            None | Some(Value::Null) => {
                if required {
                    self.fault(place, FieldsFaultKind::Missing);
                }
                None
            }
            Some(Value::Number(number)) => {
                let number = number
                    .as_u64()
                    .filter(|number| (least..=most).contains(number))
                    .and_then(|number| u32::try_from(number).ok());
                if number.is_none() {
                    self.fault(place, FieldsFaultKind::OutOfRange { least, most });
                }
                number
            }
            Some(_) => {
                self.fault(place, FieldsFaultKind::WrongType("integer"));
                None
            }
        }
    }

    fn flag(&mut self, object: &Map<String, Value>, path: &str, name: &str) -> bool {
        match object.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                self.fault(join(path, name), FieldsFaultKind::WrongType("boolean"));
                false
            }
        }
    }
}

fn first<T: Clone>(known: &mut Option<T>, other: Option<&T>) {
    if known.is_none() {
        *known = other.cloned();
    }
}

/// Rules about the value are written once and apply to all boxes of the name.
fn share_value_rules(fields: &mut [(String, Field)]) {
    let mut shared: BTreeMap<String, Field> = BTreeMap::new();
    for (_, field) in fields.iter() {
        let Some(rules) = shared.get_mut(&field.name) else {
            let mut rules = field.clone();
            if rules.kind == FieldKind::Radio {
                rules.options = rules.option.iter().cloned().collect();
            }
            shared.insert(field.name.clone(), rules);
            continue;
        };
        rules.required |= field.required;
        rules.read_only |= field.read_only;
        rules.embed |= field.embed;
        match &field.option {
            Some(option) if rules.kind == FieldKind::Radio => rules.options.push(option.clone()),
            _ if rules.options.is_empty() => rules.options.clone_from(&field.options),
            _ => {}
        }
        first(&mut rules.label, field.label.as_ref());
        first(&mut rules.help, field.help.as_ref());
        first(&mut rules.default, field.default.as_ref());
        first(&mut rules.max_length, field.max_length.as_ref());
        first(&mut rules.decimals, field.decimals.as_ref());
        first(&mut rules.detail, field.detail.as_ref());
        first(&mut rules.formula, field.formula.as_ref());
    }
    for (_, field) in fields {
        let Some(rules) = shared.get(&field.name).filter(|rules| rules.kind == field.kind) else {
            continue;
        };
        field.required = rules.required;
        field.read_only = rules.read_only;
        field.embed = rules.embed;
        field.options.clone_from(&rules.options);
        field.label.clone_from(&rules.label);
        field.help.clone_from(&rules.help);
        field.default.clone_from(&rules.default);
        field.max_length = rules.max_length;
        field.decimals = rules.decimals;
        field.rounding = rules.rounding;
        field.detail = rules.detail;
        field.formula.clone_from(&rules.formula);
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn good() -> Value {
        json!({
            "name": "근로계약서",
            "steps": [{"order": 2, "role": "employer"}, {"order": 1, "role": "employee"}],
            "fields": [
                {"name": "성명", "kind": "text", "step": 1, "page": 1,
                 "x": 100_000, "y": 100_000, "width": 200_000, "height": 30_000, "required": true},
                {"name": "plan", "kind": "radio", "option": "A", "step": 1, "page": 1,
                 "x": 0, "y": 0, "width": 10_000, "height": 10_000},
                {"name": "plan", "kind": "radio", "option": "B", "step": 1, "page": 1,
                 "x": 20_000, "y": 0, "width": 10_000, "height": 10_000, "default": "A"},
                {"name": "sign", "kind": "signature", "step": 2, "page": 2, "font_size": 11,
                 "x": 0, "y": 0, "width": 10_000, "height": 10_000},
            ],
        })
    }

    fn paths(value: &Value) -> Vec<String> {
        parse_value(value, Some(2), Region::Kr)
            .unwrap_err()
            .into_iter()
            .map(|fault| fault.path)
            .collect()
    }

    #[test]
    fn a_good_file_is_read() {
        let file = parse(good().to_string().as_bytes(), Some(2), Region::Kr).unwrap();
        assert_eq!(file.name, "근로계약서");
        assert_eq!(file.on_reject, OnReject::End);
        let orders: Vec<u32> = file.steps.iter().map(|step| step.order).collect();
        assert_eq!(orders, [1, 2]);
        assert_eq!(file.fields[1].options, ["A", "B"]);
        assert!(file.fields[0].required);
    }

    #[test]
    fn every_fault_is_collected_with_its_place() {
        let file = json!({
            "name": " ",
            "on_reject": "never",
            "hand_over": "yes",
            "feilds": [],
            "steps": [{"order": 1, "one_time_code": 1, "mail": ""}, {"order": 3, "name": "Kim", "email": "nobody"}],
            "fields": [
                {"name": "a", "kind": "tekst", "step": 1, "page": 1, "requird": true,
                 "x": 0, "y": 0, "width": 1, "height": 1},
                {"name": "b", "kind": "text", "step": 9, "page": 7,
                 "x": 900_000, "y": 0, "width": 200_000, "height": 1},
                {"name": "c", "kind": "select", "step": 1, "page": 1,
                 "x": 0.5, "y": "0", "width": 0, "height": 1},
                "nonsense",
                {"name": "d", "kind": "number", "step": 1, "page": 1, "default": "ten",
                 "x": 0, "y": 0, "width": 1, "height": 1, "required": "yes"},
                {"name": "d", "kind": "text", "step": 1, "page": 1,
                 "x": 0, "y": 0, "width": 1, "height": 1, "font_size": 500},
                {"name": "e", "kind": "calc", "step": 1, "page": 1, "formula": "d + zzz",
                 "x": 0, "y": 0, "width": 1, "height": 1},
            ],
        });
        let mut found = paths(&file);
        found.sort();
        assert_eq!(
            found,
            [
                "feilds",
                "fields[0].kind",
                "fields[0].requird",
                "fields[1]",
                "fields[1].page",
                "fields[1].step",
                "fields[2].width",
                "fields[2].x",
                "fields[2].y",
                "fields[3]",
                "fields[4].default",
                "fields[4].required",
                "fields[5].font_size",
                "fields[5].name",
                "fields[6].formula",
                "hand_over",
                "name",
                "on_reject",
                "steps",
                "steps[0].mail",
                "steps[0].one_time_code",
                "steps[1].email",
            ]
        );
    }

    #[test]
    fn steps_have_no_gaps_and_roles_where_several_write() {
        assert_eq!(
            parse_value(
                &json!({"name": "x", "steps": [{"order": 1}, {"order": 3}]}),
                None,
                Region::Kr
            ),
            Err(vec![FieldsFault {
                path: "steps".to_owned(),
                kind: FieldsFaultKind::StepGap(2)
            }])
        );
        assert_eq!(
            paths(&json!({"name": "x", "steps": [{"order": 1}, {"order": 1}]})),
            ["steps[0].role", "steps[1].role"]
        );
        assert_eq!(
            paths(&json!({"name": "x",
                "steps": [{"order": 1, "role": "a"}, {"order": 1, "role": "a"}]})),
            ["steps[1].role"]
        );
        assert_eq!(paths(&json!({"name": "x", "steps": []})), ["steps"]);
        assert_eq!(paths(&json!([])), [""]);
    }

    #[test]
    fn fields_of_a_shared_step_name_their_role() {
        let field = |role: Value| {
            json!({"name": "x", "steps": [{"order": 1, "role": "a"}, {"order": 1, "role": "b"}],
            "fields": [{"name": "f", "kind": "text", "step": 1, "role": role, "page": 1,
                        "x": 0, "y": 0, "width": 1, "height": 1}]})
        };
        assert!(parse_value(&field(json!("b")), None, Region::Kr).is_ok());
        assert_eq!(paths(&field(json!("c"))), ["fields[0].role"]);
        assert_eq!(paths(&field(Value::Null)), ["fields[0].role"]);
    }

    fn one(changes: &Value) -> Value {
        let mut field =
            json!({"name": "f", "kind": "text", "step": 1, "page": 1, "x": 0, "y": 0, "width": 9, "height": 9});
        let members = field.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        json!({"name": "x", "steps": [{"order": 1}], "fields": [field]})
    }

    #[test]
    fn how_a_value_looks_is_read() {
        for good in [
            json!({"lines": "many", "font": "Noto Sans JP", "bold": true, "color": "#1a2b3c", "alignment": "start"}),
            json!({"cells": 13, "label": "주민등록번호"}),
            json!({"kind": "number", "thousands": true, "decimals": 2, "cells": 12, "alignment": "right"}),
            json!({"kind": "date", "pattern": "yyyy년 M월 d일"}),
            json!({"kind": "calc", "formula": "1 + 2", "thousands": true, "decimals": 0, "rounding": "down"}),
            json!({"kind": "label", "read_only": true, "default": "fixed"}),
            json!({"kind": "attachment", "embed": true}),
        ] {
            parse_value(&one(&good), None, Region::Kr).unwrap_or_else(|faults| panic!("{good}: {faults:?}"));
        }
        for (bad, path) in [
            (json!({"lines": "three"}), "lines"),
            (json!({"lines": "one", "cells": 3}), "cells"),
            (json!({"cells": 101}), "cells"),
            (json!({"kind": "check", "cells": 3}), "cells"),
            (json!({"thousands": true}), "thousands"),
            (json!({"kind": "number", "decimals": 11}), "decimals"),
            (json!({"kind": "number", "rounding": "up"}), "rounding"),
            (json!({"kind": "date", "pattern": "YYYY"}), "pattern"),
            (json!({"pattern": "yyyy"}), "pattern"),
            (json!({"kind": "signature", "font": "Pretendard"}), "font"),
            (json!({"color": "red"}), "color"),
            (json!({"embed": true}), "embed"),
            (json!({"label": "x\u{0}"}), "label"),
            (
                json!({"label": "a\u{301}".replace('\u{301}', &"\u{301}".repeat(40))}),
                "label",
            ),
            (json!({"help": "x".repeat(251)}), "help"),
            (json!({"kind": "label", "read_only": true}), "default"),
            (json!({"kind": "calc", "formula": "f * 2"}), "formula"),
        ] {
            assert_eq!(paths(&one(&bad)), [format!("fields[0].{path}")], "{bad}");
        }
    }

    #[test]
    fn a_seal_is_the_writers_or_a_companys() {
        let seal = |detail: &str| {
            let mut file = good();
            file["fields"][3]["kind"] = json!("seal");
            file["fields"][3]["detail"] = json!(detail);
            file
        };
        let read = parse_value(&seal("company"), Some(2), Region::Kr).unwrap();
        assert_eq!(read.fields[3].detail, Some(WriterDetail::Company));
        for own in ["name", "email", "phone"] {
            let read = parse_value(&seal(own), Some(2), Region::Kr).unwrap();
            assert_eq!(read.fields[3].detail, Some(WriterDetail::Name), "{own}");
        }
        assert_eq!(paths(&seal("nobody")), ["fields[3].detail"]);
    }

    #[test]
    fn boxes_of_one_name_are_one_field() {
        let date = |pattern: &str, more: Value| {
            let mut field = json!({"name": "day", "kind": "date", "step": 1, "page": 1, "pattern": pattern,
                "x": 0, "y": 0, "width": 9, "height": 9});
            field.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            field
        };
        let file = |fields: Value| json!({"name": "x", "steps": [{"order": 1}, {"order": 2}], "fields": fields});
        let good = file(json!([
            date("yyyy", json!({})),
            date("MM", json!({"required": true, "label": "Day"})),
            date("dd", json!({"default": "2026-03-07"})),
        ]));
        let read = parse_value(&good, None, Region::Kr).unwrap();
        for (field, pattern) in read.fields.iter().zip(["yyyy", "MM", "dd"]) {
            assert_eq!(field.pattern.as_deref(), Some(pattern));
            assert!(field.required && field.shown_name() == "Day");
            assert_eq!(field.default.as_deref(), Some("2026-03-07"));
        }
        assert_eq!(
            paths(&file(json!([date("yyyy", json!({})), date("MM", json!({"step": 2}))]))),
            ["fields[1]"]
        );
        let text =
            json!({"name": "day", "kind": "text", "step": 1, "page": 1, "x": 0, "y": 0, "width": 9, "height": 9});
        assert_eq!(paths(&file(json!([date("yyyy", json!({})), text]))), ["fields[1].name"]);
    }

    #[test]
    fn calculated_fields_may_name_each_other_but_not_in_a_circle() {
        let calc = |name: &str, formula: &str| {
            json!({"name": name, "kind": "calc", "formula": formula, "step": 1, "page": 1,
                "x": 0, "y": 0, "width": 9, "height": 9})
        };
        let file = |fields: Vec<Value>| json!({"name": "x", "steps": [{"order": 1}], "fields": fields});
        let good = file(vec![
            calc("total", "net + tax"),
            calc("tax", "net / 10"),
            calc("net", "100"),
        ]);
        assert!(parse_value(&good, None, Region::Kr).is_ok());
        let bad = file(vec![
            calc("total", "net + tax"),
            calc("tax", "total / 10"),
            calc("net", "100"),
        ]);
        let found = paths(&bad);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(["fields[0].formula", "fields[1].formula"].contains(&found[0].as_str()));
    }

    #[test]
    fn what_is_no_json_is_one_fault() {
        let faults = parse(b"{", None, Region::Kr).unwrap_err();
        assert!(matches!(
            faults.as_slice(),
            [FieldsFault {
                kind: FieldsFaultKind::NotJson { line: 1, column: 1 },
                ..
            }]
        ));
    }

    #[test]
    fn a_formula_names_only_what_is_written_before_it_or_by_its_own_writer() {
        let number = |name: &str, step: u32, role: &str| {
            json!({"name": name, "kind": "number", "step": step, "role": role, "page": 1,
                "x": 1, "y": 1, "width": 9, "height": 9})
        };
        let file = |named: &str| {
            json!({"name": "x",
                "steps": [{"order": 1, "role": "a"}, {"order": 2, "role": "b"}, {"order": 2, "role": "c"},
                    {"order": 3, "role": "d"}],
                "fields": [number("one", 1, "a"), number("own", 2, "b"), number("beside", 2, "c"), number("later", 3, "d"),
                    {"name": "sum", "kind": "calc", "step": 2, "role": "b", "page": 1, "formula": named,
                        "x": 1, "y": 1, "width": 9, "height": 9}]})
        };
        assert!(parse_value(&file("one + own"), None, Region::Kr).is_ok());
        for named in ["beside", "later"] {
            let faults = parse_value(&file(named), None, Region::Kr).unwrap_err();
            assert_eq!(faults.len(), 1, "{faults:?}");
            assert_eq!(faults[0].path, "fields[4].formula");
        }
    }
}
