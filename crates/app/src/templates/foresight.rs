//! Checks in advance that values can be stamped, so that no problem appears after others have signed, and every later
//! signer can finish.
//!
//! **The box of a field** must be large enough for its kind when a template is imported ([`Field::least_size`]): text
//! at the smallest size to which it shrinks must fit, and check marks and pictures must be visible.
//!
//! **Content defined by the template** is checked in every language when the template is imported, and again in the
//! workflow's language at a start: each option of a choice, each month and digit of a date in its pattern, each default
//! and fixed text, and that a required field accepts any value at all.
//!
//! **Later calculations** are checked at the start and at each approval, with the numbers that are fixed by then. A
//! number that a later signer will enter is open. The result must fit if all open numbers are 0, so every later signer
//! has at least that option. It must also fit for 1, a hundredth or a hundred, because a field that only accepts 0 is
//! not useful. A failure is reported at the number that is about to be fixed.
//!
//! Fields filled automatically with a signer's details are checked by [`crate::values::value::prove_writer`] when the
//! signer is named. A document keeps the company's name that was checked when it was sent, so all signers see the same
//! name, and one that fits, even if the company changes its name in the meantime.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use document::text::fonts::Fonts;
use domain::drawing::{Drawing, DrawnValue, Hand};
use domain::number::Decimal;
use domain::{
    CompanyId, Field, FieldKind, FieldValue, Language, PageSize, Placement, Progress, Recipient, TemplateId,
    TemplateVersion, Workflow, formula,
};
use store::workflow_value::StoredValue;

use crate::App;
use crate::base::error::{Fault, FaultCode};
use crate::values::value::prove_in_box;

/// Values to try for an open number, besides 0.
const PLAUSIBLE: [&str; 3] = ["1", "0.01", "100"];

/// The boxes of a template, in one language.
#[derive(Clone, Copy)]
pub(in crate::templates) struct Sheets<'t> {
    /// All fields, in the template's order.
    pub(crate) fields: &'t [Field],
    pub(crate) pages: &'t [PageSize],
    pub(crate) language: Language,
    pub(crate) fonts: &'t Fonts,
}

/// A value that a box must be able to show, but cannot.
pub(crate) struct Unstampable<'t> {
    /// Index of the box, from 0.
    pub(crate) index: usize,
    /// The member of FIELDS.json that requires the value, such as `.options[1]`. Empty if the box itself is too small.
    pub(crate) member: String,
    field: &'t Field,
    shown: String,
}

impl Unstampable<'_> {
    /// Returns the fault of the template.
    pub(crate) fn fault(&self, path: impl Into<String>) -> Fault {
        Fault::new(path, FaultCode::FieldNotStampable)
            .with("name", self.field.shown_name())
            .with("value", &self.shown)
    }
}

/// The numbers that are fixed, and the calculated fields that are still to be filled.
struct Numbers<'n> {
    /// The value of a fixed number. `None` if it is not fixed yet.
    fixed: &'n dyn Fn(&str) -> Option<Option<Decimal>>,
    /// Whether this calculated field is still to be filled.
    awaited: &'n dyn Fn(&Field) -> bool,
}

impl<'t> Sheets<'t> {
    /// Returns the boxes of a version.
    pub(crate) fn of(template: &'t TemplateVersion, language: Language, fonts: &'t Fonts) -> Self {
        Self {
            fields: &template.fields,
            pages: &template.pages,
            language,
            fonts,
        }
    }

    /// Returns everything that the template requires but cannot show, at most one value for each member of a box.
    pub(crate) fn unstampable(self) -> Vec<Unstampable<'t>> {
        let mut found: Vec<Unstampable<'t>> = Vec::new();
        // Many boxes are equal, and a date has many possible texts, so results are reused.
        let mut proved = HashSet::new();
        for (index, field) in self.fields.iter().enumerate() {
            let Some(size) = self.page_of(field) else { continue };
            for (member, value) in prescribed(field) {
                let shown = value.shown(field);
                let key = (look(size, field), shown.clone());
                let is_known = found.iter().any(|known| known.index == index && known.member == member);
                if is_known || proved.contains(&key) {
                    continue;
                }
                if self.fits(field, &value) {
                    proved.insert(key);
                } else {
                    found.push(Unstampable {
                        index,
                        member,
                        field,
                        shown,
                    });
                }
            }
        }
        let numbers = Numbers {
            fixed: &|_| None,
            awaited: &|_| true,
        };
        for (field, shown) in self.stuck(&numbers) {
            if let Some(index) = self.fields.iter().position(|other| other.name == field.name) {
                let member = ".formula".to_owned();
                found.push(Unstampable {
                    index,
                    member,
                    field,
                    shown,
                });
            }
        }
        found
    }

    fn page_of(self, field: &Field) -> Option<&'t PageSize> {
        self.pages.get((field.page as usize).checked_sub(1)?)
    }

    fn fits(self, place: &Field, value: &FieldValue) -> bool {
        self.prove(place, value, &place.name).is_ok()
    }

    /// Checks that a box can show a value. The import refuses boxes on missing pages.
    fn prove(self, place: &Field, value: &FieldValue, path: &str) -> Result<(), Fault> {
        self.page_of(place).map_or(Ok(()), |size| {
            prove_in_box(size, place, value, self.language, self.fonts, path)
        })
    }

    /// Returns the calculated fields whose results would not fit, with these results.
    fn stuck(self, numbers: &Numbers<'_>) -> Vec<(&'t Field, String)> {
        let mut seen = BTreeSet::new();
        let named: Vec<&'t Field> = self.fields.iter().filter(|field| seen.insert(&field.name)).collect();
        let calculated: Vec<&'t Field> = named
            .iter()
            .copied()
            .filter(|field| field.kind == FieldKind::Calc)
            .collect();
        if !calculated.iter().any(|field| (numbers.awaited)(field)) {
            return Vec::new();
        }
        let results = |open: &str| {
            let number = |name: &str| {
                (numbers.fixed)(name).unwrap_or_else(|| {
                    let field = named.iter().find(|field| field.name == name);
                    let takes = field.is_some_and(|field| FieldValue::parse(field, open).is_ok());
                    Decimal::parse(if takes { open } else { "1" })
                })
            };
            formula::calculate(&calculated, number)
        };
        let at_nothing = results("0");
        let plausible = PLAUSIBLE.map(results);
        let refused = |results: &BTreeMap<&str, Option<Decimal>>, field: &Field| {
            let value = FieldValue::Number(results.get(field.name.as_str())?.as_ref()?.to_string());
            let mut boxes = self.fields.iter().filter(|other| other.name == field.name);
            boxes
                .find(|place| !self.fits(place, &value))
                .map(|place| value.shown(place))
        };
        let stuck = |field: &'t Field| {
            let nothing = refused(&at_nothing, field);
            // Refused only if none of the values fits.
            let all = || {
                let each = plausible.iter().map(|results| refused(results, field));
                each.reduce(|first, next| next.and(first)).flatten()
            };
            Some((field, nothing.or_else(all)?))
        };
        let awaited = calculated.iter().copied().filter(|field| (numbers.awaited)(field));
        awaited.filter_map(stuck).collect()
    }
}

/// Returns the boxes that are too small for their fields' values, by index from 0. `place` returns where a field was
/// defined.
pub(in crate::templates) fn too_small(
    fields: &[Field],
    pages: &[PageSize],
    place: impl Fn(String) -> String,
) -> impl Iterator<Item = (usize, Fault)> {
    fields.iter().enumerate().filter_map(move |(index, field)| {
        let page = pages.get((field.page as usize).checked_sub(1)?)?;
        if !field.is_too_small(page) {
            return None;
        }
        let points = |length: f64| format!("{:.1}", (length * 10.0).round() / 10.0);
        let millionths = |least: f64, side: f64| format!("{:.0}", (least / side * f64::from(Placement::WHOLE)).ceil());
        let (width, height) = field.placement.size_on(page);
        let (least_width, least_height) = field.least_size();
        let fault = Fault::new(place(format!("fields[{index}]")), FaultCode::FieldTooSmall)
            .with("name", field.shown_name())
            .with("width", points(width))
            .with("height", points(height))
            .with("least_width", points(least_width))
            .with("least_height", points(least_height))
            .with("width_millionths", millionths(least_width, page.width_points))
            .with("height_millionths", millionths(least_height, page.height_points));
        Some((index, fault))
    })
}

/// Returns a key for everything that affects how a box shows a text.
fn look(size: &PageSize, field: &Field) -> String {
    format!(
        "{} {} {} {} {:?} {:?} {:?} {} {:?} {:?}",
        size.width_points,
        size.height_points,
        field.placement.width,
        field.placement.height,
        field.kind,
        field.option,
        field.font,
        field.bold,
        field.font_size,
        (field.lines, field.cells)
    )
}

/// Returns the texts that a box must be able to show, each with the member of FIELDS.json that requires it.
fn prescribed(field: &Field) -> Vec<(String, FieldValue)> {
    let own = |value| vec![(String::new(), value)];
    let mut all = match field.kind {
        FieldKind::Select => field
            .options
            .iter()
            .enumerate()
            .map(|(index, option)| (format!(".options[{index}]"), FieldValue::Choice(option.clone())))
            .collect(),
        FieldKind::Date | FieldKind::SignedOn => {
            let member = if field.pattern.is_some() { ".pattern" } else { "" };
            let names_months = names_months(field);
            let dates = telling_dates().filter(|date| names_months || tells_digits(*date));
            dates.map(|date| (member.to_owned(), FieldValue::Date(date))).collect()
        }
        // Signers can leave the field empty, so it does not block them.
        _ if !field.required => Vec::new(),
        FieldKind::Radio => own(FieldValue::Choice(field.option.clone().unwrap_or_default())),
        FieldKind::Check => own(FieldValue::Check(true)),
        FieldKind::Text => own(FieldValue::Text("1".to_owned())),
        FieldKind::Number => own(FieldValue::Number("0".to_owned())),
        FieldKind::Signature | FieldKind::Initials | FieldKind::Seal | FieldKind::Image => {
            own(FieldValue::Drawn(DrawnValue {
                file_name: String::new(),
                drawing: Drawing::Typed {
                    text: "A".to_owned(),
                    hand: Hand::Caveat,
                },
            }))
        }
        FieldKind::Attachment | FieldKind::Label | FieldKind::Writer | FieldKind::Calc => Vec::new(),
    };
    // Other checks report a default of the wrong kind.
    let default = field.default.as_deref().filter(|_| !field.kind.is_file());
    if let Some(Ok(value)) = default.map(|text| FieldValue::parse(field, text)) {
        all.push((".default".to_owned(), value));
    }
    all
}

/// Returns days whose texts contain every month, and every digit at each possible position.
fn telling_dates() -> impl Iterator<Item = jiff::civil::Date> {
    const DAYS: [i8; 10] = [20, 11, 22, 30, 24, 25, 26, 27, 28, 29];
    let of_digit = |(digit, day): (i16, i8)| {
        let year = if digit == 0 { 2000 } else { digit * 1111 };
        (1..=12).filter_map(move |month| jiff::civil::Date::new(year, month, day).ok())
    };
    (0..).zip(DAYS).flat_map(of_digit)
}

/// Whether the texts of two months differ in more than digits.
fn names_months(field: &Field) -> bool {
    let without_digits = |month| {
        let date = jiff::civil::Date::new(2000, month, 20).map(FieldValue::Date);
        let text = date.map(|date| date.shown(field)).unwrap_or_default();
        text.replace(|c: char| c.is_ascii_digit(), "")
    };
    (2..=12).any(|month| without_digits(month) != without_digits(1))
}

/// Whether a date belongs to the smaller set that suffices if months are numbers: each digit once in every other
/// position, and each month once.
fn tells_digits(date: jiff::civil::Date) -> bool {
    date.month() == 10 || date.year() == 8888
}

/// The versions whose own texts were checked, per language.
#[derive(Debug, Default)]
pub(crate) struct ProvedTemplates(Mutex<HashSet<(CompanyId, TemplateId, u32, Language)>>);

/// Maximum number of cached results. Beyond that, all are discarded and checked again.
const MOST_REMEMBERED: usize = 10_000;

impl App {
    /// Returns the texts of a version that cannot be shown in a language, which are faults of a start. Neither versions
    /// nor fonts change while we run, so each version is checked once.
    pub(crate) fn unstampable(&self, template: &TemplateVersion, language: Language, fonts: &Fonts) -> Vec<Fault> {
        let key = (template.company.clone(), template.template, template.version, language);
        let remembered = || self.proved_templates.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered().contains(&key) {
            return Vec::new();
        }
        let found = Sheets::of(template, language, fonts).unstampable();
        if found.is_empty() {
            let mut all = remembered();
            if all.len() >= MOST_REMEMBERED {
                all.clear();
            }
            all.insert(key);
        }
        found.iter().map(|found| found.fault("template_id")).collect()
    }
}

/// Returns the calculated fields of a new workflow whose results would not fit with the numbers fixed by its sender,
/// each with the names of these numbers.
pub(crate) fn stuck_from_start(
    template: &TemplateVersion,
    values: &[(String, StoredValue)],
    language: Language,
    fonts: &Fonts,
) -> Vec<Stuck> {
    let fixed = |name: &str| {
        let field = template.field(name)?;
        let (_, stored) = values.iter().find(|(given, _)| given == name)?;
        field.read_only.then(|| Decimal::parse(&stored.value.to_wire()))
    };
    stuck(template, language, fonts, &fixed, &|_| true)
}

/// Returns the calculated fields whose results would not fit after an approval, with all numbers known by then: those
/// of earlier signers, of the current one, and those fixed by the sender.
pub(crate) fn stuck_after(
    template: &TemplateVersion,
    workflow: &Workflow,
    approving: &Recipient,
    is_fixed_by_sender: &dyn Fn(&Field) -> bool,
    values: &BTreeMap<String, FieldValue>,
    fonts: &Fonts,
) -> Vec<Stuck> {
    let is_done =
        |recipient: &Recipient| recipient.id == approving.id || matches!(recipient.progress, Progress::Approved { .. });
    let done: Vec<&Recipient> = workflow
        .recipients
        .iter()
        .filter(|recipient| is_done(recipient))
        .collect();
    let is_written = |field: &Field| {
        done.iter()
            .any(|recipient| field.belongs_to(recipient.order, recipient.role.as_deref()))
    };
    let fixed = |name: &str| {
        let field = template.field(name)?;
        let is_fixed = is_written(field) || is_fixed_by_sender(field);
        is_fixed.then(|| Decimal::parse(&values.get(name)?.to_wire()))
    };
    let mut stuck = stuck(template, workflow.language, fonts, &fixed, &|field| !is_written(field));
    // Signers cannot correct numbers that others have fixed before.
    for one in &mut stuck {
        one.numbers.retain(|name| {
            let own = |field: &Field| field.belongs_to(approving.order, approving.role.as_deref());
            template.field(name).is_some_and(own)
        });
    }
    stuck.retain(|one| !one.numbers.is_empty());
    stuck
}

/// A result that would not fit.
pub(crate) struct Stuck {
    /// The fixed numbers in the calculation.
    pub(crate) numbers: Vec<String>,
    name: String,
    shown: String,
}

impl Stuck {
    /// Returns the fault of the number at a path.
    pub(crate) fn fault(&self, path: impl Into<String>) -> Fault {
        Fault::new(path, FaultCode::CalculationDoesNotFit)
            .with("name", &self.name)
            .with("value", &self.shown)
    }
}

fn stuck(
    template: &TemplateVersion,
    language: Language,
    fonts: &Fonts,
    fixed: &dyn Fn(&str) -> Option<Option<Decimal>>,
    awaited: &dyn Fn(&Field) -> bool,
) -> Vec<Stuck> {
    let named: Vec<&Field> = template.named_fields().collect();
    let found = Sheets::of(template, language, fonts).stuck(&Numbers { fixed, awaited });
    let stuck = |(field, shown): (&Field, String)| {
        let inputs = formula::inputs(&named, &field.name);
        let numbers = inputs.into_iter().filter(|name| fixed(name).flatten().is_some());
        Stuck {
            numbers: numbers.map(str::to_owned).collect(),
            name: field.shown_name().to_owned(),
            shown,
        }
    };
    found.into_iter().map(stuck).collect()
}
