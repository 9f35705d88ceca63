//! The faults of `FIELDS.json`, with their positions.

use crate::field::FieldKind;
use crate::text::MOST_PARTS;
use crate::value::ValueFault;

/// One error and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {kind}")]
pub struct FieldsFault {
    /// A path such as `fields[3].kind`. Empty for the file itself.
    pub path: String,
    pub kind: FieldsFaultKind,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldsFaultKind {
    #[error("not JSON: line {line}, column {column}")]
    NotJson {
        /// The line where parsing stopped, from 1.
        line: usize,
        column: usize,
    },
    /// The property has the wrong JSON type. Contains the expected type.
    #[error("must have the JSON type {0}")]
    WrongType(&'static str),
    #[error("is missing")]
    Missing,
    #[error("must not be empty")]
    Empty,
    #[error("has more than {0} characters")]
    TooLong(usize),
    #[error("contains a control character")]
    ControlCharacter,
    /// A character consists of more code points than any script uses.
    #[error("contains a character with more than {MOST_PARTS} accents or other marks")]
    OverlongCharacter,
    /// A number is outside its range.
    #[error("must be from {least} to {most}")]
    OutOfRange { least: u64, most: u64 },
    /// The word is not one of the allowed words.
    #[error("is not one of: {0}")]
    UnknownWord(String),
    #[error("has more than {0} entries")]
    TooMany(usize),
    /// The step numbers have a gap.
    #[error("step {0} is missing; number the steps from 1 without gaps")]
    StepGap(u32),
    /// A step has several signers, and one of them has no role.
    #[error("the step has several signers, so each of them needs a role")]
    RoleNeeded,
    /// A step has the same role twice.
    #[error("the role appears twice in its step")]
    RoleTwice,
    /// A field in a step with several roles does not name a role.
    #[error("the step has several signers, so the field must name its role")]
    FieldRoleNeeded,
    #[error("step {0} does not exist")]
    UnknownStep(u32),
    /// A field's role does not exist in its step.
    #[error("the step has no such role")]
    UnknownRole,
    #[error("the page does not exist; the last page is {0}")]
    UnknownPage(u32),
    /// The box is empty or extends beyond the page.
    #[error("the box must have a size and lie within the page (in millionths, up to 1000000)")]
    OffPage,
    /// Another field has the same name.
    #[error("a field of another kind already has this name")]
    NameTwice,
    /// Boxes with the same name have different steps or roles.
    #[error("boxes with the same name must have the same kind, step and role")]
    BoxesDisagree,
    /// A text sets both cells and lines, which exclude each other.
    #[error("a text field can have cells or lines, but not both")]
    CellsOrLines,
    /// The property has no meaning for this kind. Contains the kinds that support it.
    #[error("is only allowed for fields of kind {0}")]
    OnlyFor(&'static str),
    /// Unknown property. Reported because a typo would otherwise only show after people have signed.
    #[error("is not a known member; use one of: {0}")]
    UnknownMember(String),
    #[error("must contain yyyy, yy, MMMM, MMM, MM, M, dd or d; put other Latin letters in 'quotes'")]
    DatePattern,
    #[error("must be a colour such as #1a2b3c")]
    Colour,
    #[error("the option appears twice")]
    OptionTwice,
    /// The default is not a valid value for the field's kind.
    #[error("{fault}")]
    Value { kind: FieldKind, fault: ValueFault },
    /// The formula is invalid from this character position.
    #[error("the formula has an error at character {0}")]
    Formula(usize),
    /// The formula names something other than a number or calc field.
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
    /// The text is neither an e-mail address nor a telephone number.
    #[error("not an e-mail address or phone number")]
    Contact,
}
