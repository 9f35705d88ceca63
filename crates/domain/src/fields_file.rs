//! `FIELDS.json`: a description of a PDF's fields and steps, written by a person or program.
//!
//! Parsing collects every error with its position (`fields[3].kind`), so that you can fix all of them at once. Unknown
//! properties are errors too.

mod fault;
mod members;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

pub use self::fault::{FieldsFault, FieldsFaultKind};
use crate::contact::{Contact, Region};
use crate::date_pattern::DatePattern;
use crate::field::{Alignment, Colour, Field, FieldKind, FontSize, Lines, Placement, WriterDetail};
use crate::formula::{self, Formula, FormulaFault};
use crate::number::{MOST_DECIMALS, Rounding};
use crate::template::{NamedWriter, OnReject, TemplateStep};
use crate::value::{FieldValue, ValueFault};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldsFile {
    pub name: String,
    /// The signer roles of each step, in order.
    pub steps: Vec<TemplateStep>,
    /// The fields, in the order of the file.
    pub fields: Vec<Field>,
    pub on_reject: OnReject,
    /// Whether a signer may assign the document to someone else.
    pub hand_over: bool,
}

const MOST_FIELDS: usize = 2_000;
/// The placement of a field before its own has been parsed.
const NOWHERE: Placement = Placement {
    x: 0,
    y: 0,
    width: 1,
    height: 1,
};
const MOST_STEPS: usize = 50;
const MOST_OPTIONS: usize = 200;
const MOST_CELLS: u64 = 100;
const NAME_LENGTH: usize = 128;
/// Maximum length of the help text, in characters.
const HELP_LENGTH: usize = 250;

/// Top-level properties of the file. Editors read `$schema`.
const FILE_MEMBERS: [&str; 6] = ["$schema", "name", "on_reject", "hand_over", "steps", "fields"];
const STEP_MEMBERS: [&str; 6] = ["order", "role", "name", "email", "company", "one_time_code"];
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

/// Removes the byte order mark that some editors write at the start. RFC 8259, 8.1 allows readers to ignore it.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Parses the file. `pages` is the PDF's number of pages, if known. `region` is the region for national telephone
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

/// Parses a JSON value.
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
        let company = self.text(entry, path, "company", NAME_LENGTH, false);
        match (name, email) {
            (Some(name), Some(email)) => {
                if Contact::parse(&email, self.region).is_err() {
                    self.fault(format!("{path}.email"), FieldsFaultKind::Contact);
                }
                Some(NamedWriter { name, email, company })
            }
            (Some(_), None) => {
                self.fault(format!("{path}.email"), FieldsFaultKind::Missing);
                None
            }
            (None, Some(_)) => {
                self.fault(format!("{path}.name"), FieldsFaultKind::Missing);
                None
            }
            (None, None) => {
                if company.is_some() {
                    self.fault(format!("{path}.name"), FieldsFaultKind::Missing);
                }
                None
            }
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
        let placement = self.placement(entry, path);
        let mut field = Field {
            role,
            required: self.flag(entry, path, "required"),
            read_only: self.flag(entry, path, "read_only"),
            label: self.text(entry, path, "label", NAME_LENGTH, false),
            help: self.text(entry, path, "help", HELP_LENGTH, false),
            options: self.options(entry, path),
            option: self.text(entry, path, "option", NAME_LENGTH, false),
            default: self.default_text(entry, path),
            max_length: self.number(entry, path, "max_length", 1, u64::from(Field::TEXT_LIMIT), false),
            font_size: self.font_size(entry, path),
            alignment: self.alignment(entry, path),
            lines: self.lines(entry, path),
            cells: self.number(entry, path, "cells", 1, MOST_CELLS, false),
            thousands: self.flag(entry, path, "thousands"),
            decimals: self.number(entry, path, "decimals", 0, u64::from(MOST_DECIMALS), false),
            rounding: self.rounding(entry, path),
            pattern: self.pattern(entry, path),
            font: self.text(entry, path, "font", NAME_LENGTH, false),
            bold: self.flag(entry, path, "bold"),
            colour: self.colour(entry, path),
            embed: self.flag(entry, path, "embed"),
            ..Field::new("", FieldKind::Text, 1, 1, NOWHERE)
        };
        if field.cells.is_some() && field.lines.is_some() {
            self.fault(format!("{path}.cells"), FieldsFaultKind::CellsOrLines);
        }
        if let Some(kind) = kind {
            self.members_of_kind(entry, path, kind);
            if kind == FieldKind::Label && field.read_only && field.default.is_none() {
                self.fault(format!("{path}.default"), FieldsFaultKind::Missing);
            }
        }
        field.detail = self.detail(entry, path, kind);
        field.formula = self.text(entry, path, "formula", 500, false);
        if kind == Some(FieldKind::Calc) && field.formula.is_none() {
            self.fault(format!("{path}.formula"), FieldsFaultKind::Missing);
        }
        let placement = placement?;
        if !placement.is_on_page() {
            self.fault(path, FieldsFaultKind::OffPage);
        }
        Some(Field {
            name: name?,
            kind: kind?,
            step: step?,
            page: page?,
            placement,
            ..field
        })
    }

    fn placement(&mut self, entry: &Map<String, Value>, path: &str) -> Option<Placement> {
        let whole = u64::from(Placement::WHOLE);
        let x = self.number(entry, path, "x", 0, whole, true);
        let y = self.number(entry, path, "y", 0, whole, true);
        let width = self.number(entry, path, "width", 1, whole, true);
        let height = self.number(entry, path, "height", 1, whole, true);
        Some(Placement {
            x: x?,
            y: y?,
            width: width?,
            height: height?,
        })
    }

    fn font_size(&mut self, entry: &Map<String, Value>, path: &str) -> Option<FontSize> {
        let value = entry.get("font_size").filter(|value| !value.is_null())?;
        let size = value.as_f64().and_then(FontSize::from_points);
        if size.is_none() {
            self.fault(
                format!("{path}.font_size"),
                FieldsFaultKind::OutOfRange { least: 4, most: 72 },
            );
        }
        size
    }

    fn alignment(&mut self, entry: &Map<String, Value>, path: &str) -> Alignment {
        let read = |word: &str| Alignment::ALL.into_iter().find(|alignment| alignment.code() == word);
        let words = || Alignment::ALL.map(Alignment::code).join(", ");
        self.word(entry, path, "alignment", false, read, words)
            .unwrap_or_default()
    }

    fn lines(&mut self, entry: &Map<String, Value>, path: &str) -> Option<Lines> {
        let read = |word: &str| match word {
            "one" => Some(Lines::One),
            "many" => Some(Lines::Many),
            _ => None,
        };
        self.word(entry, path, "lines", false, read, || "one, many".to_owned())
    }

    fn rounding(&mut self, entry: &Map<String, Value>, path: &str) -> Rounding {
        let read = |word: &str| match word {
            "half_up" => Some(Rounding::HalfUp),
            "down" => Some(Rounding::Down),
            "up" => Some(Rounding::Up),
            _ => None,
        };
        self.word(entry, path, "rounding", false, read, || "half_up, down, up".to_owned())
            .unwrap_or_default()
    }

    fn pattern(&mut self, entry: &Map<String, Value>, path: &str) -> Option<String> {
        let pattern = self.text(entry, path, "pattern", NAME_LENGTH, false)?;
        if DatePattern::parse(&pattern).is_none() {
            self.fault(format!("{path}.pattern"), FieldsFaultKind::DatePattern);
        }
        Some(pattern)
    }

    fn colour(&mut self, entry: &Map<String, Value>, path: &str) -> Colour {
        let Some(text) = self.text(entry, path, "color", NAME_LENGTH, false) else {
            return Colour::default();
        };
        Colour::parse(&text).unwrap_or_else(|| {
            self.fault(format!("{path}.color"), FieldsFaultKind::Colour);
            Colour::default()
        })
    }

    /// A seal belongs to a person or a company.
    fn detail(&mut self, entry: &Map<String, Value>, path: &str, kind: Option<FieldKind>) -> Option<WriterDetail> {
        let is_seal = kind == Some(FieldKind::Seal);
        let read = |word: &str| match word {
            "name" => Some(WriterDetail::Name),
            // These values had no meaning for a seal before, so they mean the signer's own seal.
            "email" | "phone" if is_seal => Some(WriterDetail::Name),
            "email" => Some(WriterDetail::Email),
            "phone" => Some(WriterDetail::Phone),
            "company" => Some(WriterDetail::Company),
            _ => None,
        };
        let words = if is_seal {
            "name, company"
        } else {
            "name, email, phone, company"
        };
        self.word(entry, path, "detail", false, read, || words.to_owned())
    }

    /// Reports properties that have no meaning for the field's kind. Otherwise, the mistake would only show after
    /// people have signed.
    fn members_of_kind(&mut self, entry: &Map<String, Value>, path: &str, kind: FieldKind) {
        use FieldKind::{Attachment, Calc, Date, Label, Number, Select, SignedOn, Text, Writer};
        const LETTERS: [FieldKind; 8] = [Text, Number, Date, Select, Label, Writer, Calc, SignedOn];
        const LETTERS_NAMED: &str = "text, number, date, select, label, writer, calc, signed_on";
        let members: [(&str, &[FieldKind], &'static str); 10] = [
            ("lines", &[Text, Select, Label, Writer], "text, select, label, writer"),
            (
                "cells",
                &[Text, Number, Date, Writer, Calc, SignedOn],
                "text, number, date, writer, calc, signed_on",
            ),
            ("thousands", &[Number, Calc], "number, calc"),
            ("decimals", &[Number, Calc], "number, calc"),
            ("rounding", &[Calc], "calc"),
            ("pattern", &[Date, SignedOn], "date, signed_on"),
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

    /// Checks boxes with the same name, which are one field. Includes fields that have other errors.
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

    /// Checks that each box of a radio choice has its own option, and that a select has options.
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

    /// Checks that formulas name only number and calc fields that are filled in earlier or by the same signer, so that
    /// no result becomes outdated.
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

    /// Checks that no result depends on itself.
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

    /// Parses a default, which may be a text, number or boolean.
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
}

fn first<T: Clone>(known: &mut Option<T>, other: Option<&T>) {
    if known.is_none() {
        *known = other.cloned();
    }
}

/// Copies the rules about the value, which are written once, to all boxes with the same name.
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
mod tests;
