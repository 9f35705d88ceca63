//! What is proved in advance, so that nothing turns out unstampable after others have signed and every later signer can
//! finish.
//!
//! **The box of a field** must be large enough for its kind when a template is imported ([`Field::least_size`]): letters of
//! the smallest size to which text shrinks, marks and pictures that people can see.
//!
//! **What a template prescribes** is proved when it is imported, in every language, and again when a workflow starts, in its
//! own: each option of a choice, each month and digit of a date by its pattern, each default and fixed text, and that a
//! required field accepts any value at all.
//!
//! **What is calculated later** is proved at the start and at each approval, with the numbers that are fixed by then. A
//! number that a later signer still enters is open. The result must fit if all open ones are 0, which therefore stays a
//! way out for everybody who follows. It must also fit for 1, a hundredth or a hundred, because a field that only
//! accepts 0 is not a real solution. What fails is refused at the number that is about to be fixed.
//!
//! What fills itself in with a signer's details is proved by [`crate::values::value::prove_writer`] when they are named. A
//! document keeps the company's name that was proved when it was sent, so all its signers see the same one, and one that
//! fits, whatever the company calls itself meanwhile.

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

/// Values to try for a number that is not known yet, besides 0.
const PLAUSIBLE: [&str; 3] = ["1", "0.01", "100"];

/// The boxes of a template, in a language.
#[derive(Clone, Copy)]
pub(in crate::templates) struct Sheets<'t> {
    /// All of them, in the template's order.
    pub(crate) fields: &'t [Field],
    pub(crate) pages: &'t [PageSize],
    pub(crate) language: Language,
    pub(crate) fonts: &'t Fonts,
}

/// Something that a box must be able to show, and cannot.
pub(crate) struct Unstampable<'t> {
    /// Which of the boxes, from 0.
    pub(crate) index: usize,
    /// The member of FIELDS.json that prescribes it: `.options[1]`; empty if the box itself is too small.
    pub(crate) member: String,
    field: &'t Field,
    shown: String,
}

impl Unstampable<'_> {
    /// The refusal of the template.
    pub(crate) fn fault(&self, path: impl Into<String>) -> Fault {
        Fault::new(path, FaultCode::FieldNotStampable)
            .with("name", self.field.shown_name())
            .with("value", &self.shown)
    }
}

/// Which numbers are fixed, and which calculated fields are still to be filled.
struct Numbers<'n> {
    /// The value of a fixed number. `None` if it is not fixed yet.
    fixed: &'n dyn Fn(&str) -> Option<Option<Decimal>>,
    /// Whether this calculated field is still to be filled.
    awaited: &'n dyn Fn(&Field) -> bool,
}

impl<'t> Sheets<'t> {
    /// A version's boxes.
    pub(crate) fn of(template: &'t TemplateVersion, language: Language, fonts: &'t Fonts) -> Self {
        Self {
            fields: &template.fields,
            pages: &template.pages,
            language,
            fonts,
        }
    }

    /// Everything that the template prescribes and cannot show, one for each member of a box.
    pub(crate) fn unstampable(self) -> Vec<Unstampable<'t>> {
        let mut found: Vec<Unstampable<'t>> = Vec::new();
        // Many boxes look alike, and a date has many looks.
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

    /// The import refuses boxes on missing pages.
    fn prove(self, place: &Field, value: &FieldValue, path: &str) -> Result<(), Fault> {
        self.page_of(place).map_or(Ok(()), |size| {
            prove_in_box(size, place, value, self.language, self.fonts, path)
        })
    }

    /// The results that would not fit, with what would be there.
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
            // Refused only if all of them are.
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

/// The boxes that are too small for their fields' values, from 0. `place` returns where a field was defined.
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

/// Everything that affects how a box shows a text.
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

/// The texts that a box must be able to show, each with the member of FIELDS.json that requires it.
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
        // Signers can leave it empty, so it does not block them.
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

/// Days whose texts contain every month, and every digit at each possible place.
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

/// If months are numbers, testing each digit once in every other place and each month once is enough.
fn tells_digits(date: jiff::civil::Date) -> bool {
    date.month() == 10 || date.year() == 8888
}

/// The versions whose own texts were checked, each for a language.
#[derive(Debug, Default)]
pub(crate) struct ProvedTemplates(Mutex<HashSet<(CompanyId, TemplateId, u32, Language)>>);

/// How many results we remember. With more, all are discarded and checked again.
const MOST_REMEMBERED: usize = 10_000;

impl App {
    /// Texts of a version that cannot be shown in a language, which are faults of a start. Versions never change, nor
    /// do fonts while we run, so each is checked once.
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

/// The calculated fields of a workflow that begins, whose results would not fit with the numbers that its sender fixes:
/// each with the names of these.
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

/// The same of those that come after an approval, with all numbers known after it: those of who has approved, of the one who
/// approves now, and those that the sender has fixed.
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
    // Signers cannot correct what others have fixed before.
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
    /// The fixed numbers that go into it.
    pub(crate) numbers: Vec<String>,
    name: String,
    shown: String,
}

impl Stuck {
    /// The refusal of the number at a path.
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
