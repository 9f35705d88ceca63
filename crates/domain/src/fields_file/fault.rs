//! The faults of FIELDS.json, with their places.

use crate::field::FieldKind;
use crate::text::MOST_PARTS;
use crate::value::ValueFault;

/// One error and its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {kind}")]
pub struct FieldsFault {
    /// Such as `fields[3].kind`; empty for the file itself.
    pub path: String,
    pub kind: FieldsFaultKind,
}

/// The faults of FIELDS.json.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldsFaultKind {
    #[error("not JSON: line {line}, column {column}")]
    NotJson {
        /// The line where reading stopped, from 1.
        line: usize,
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
    /// A word is not one of the known ones.
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
    /// A field of a step with several roles names no role.
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
    #[error("a text can have cells or lines, but not both")]
    CellsOrLines,
    /// The member has no meaning for this kind. Contains the kinds for which it has.
    #[error("is only for fields of kind {0}")]
    OnlyFor(&'static str),
    /// There is no member with this name. Otherwise, a typo would only show after people have signed.
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
