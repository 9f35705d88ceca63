//! What a use-case answers when it does not do what it was asked.
//!
//! The list is closed: [`Error`] has one variant a way of failing that a caller can tell apart, and [`FaultCode`],
//! [`ConflictCode`], [`ThrottleCode`], [`ForbiddenCode`] and [`Subject`] name the reasons. Each code has an id that never
//! changes once released (programs compare it; `OpenAPI` lists it) and a message `error-<id>` in every language, which a test
//! demands.
//! Adding a code means adding a line to the list below and three lines under `locales/`.
//!
//! [`Error::Internal`] and [`Error::OutcomeUnknown`] are our own failures, [`Error::Unavailable`] may be. Their causes are for
//! the log, which a client never sees. Making an error logs nothing, since a transaction that fails may run again and
//! succeed: whoever answers calls [`Error::log`], once.

use std::fmt;

use domain::{Language, Zone};
use jiff::{SignedDuration, Timestamp};

use crate::base::seal_refusal::SealRefusal;

/// Declares a closed list of codes: the enum, its ids and `ALL`.
macro_rules! codes {
    ($(#[$outer:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident => $id:literal,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl $name {
            /// Every code, for the `OpenAPI` document and the test of the messages.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The id that programs compare.
            pub fn id(self) -> &'static str {
                match self {
                    $($name::$variant => $id,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.id())
            }
        }
    };
}

pub(crate) use codes;

codes! {
    /// Why a value in a request is refused (422).
    FaultCode {
        /// The value is missing or empty.
        Required => "required",
        /// None of the members in `allowed` is given, of which one must be.
        OneRequired => "one-required",
        /// Two members of which only one may be given; argument `name`: the other.
        NotTogether => "not-together",
        /// A range that begins after its end; argument `name`: the end.
        EmptyRange => "empty-range",
        /// A required field was left empty; argument `name`.
        FieldRequired => "field-required",
        /// The value has another JSON type; argument `expected`.
        WrongType => "wrong-type",
        /// A member or query parameter that the call does not have; told only if the client wants nothing to be ignored.
        UnexpectedMember => "unexpected-member",
        /// More than `max` characters.
        TooLong => "too-long",
        /// Fewer than `min` characters.
        TooShort => "too-short",
        /// A new password with fewer than `min` characters.
        PasswordTooShort => "password-too-short",
        /// A new password with more than `max` bytes.
        PasswordTooLong => "password-too-long",
        /// A new password that is easy to guess.
        PasswordTooWeak => "password-too-weak",
        /// A new password that contains its owner's e-mail address or company name.
        PasswordNamesOwner => "password-names-owner",
        /// More than `max` entries.
        TooMany => "too-many",
        /// A number outside `min` to `max`.
        OutOfRange => "out-of-range",
        /// U+0000 or another character that no text may hold.
        ControlCharacter => "control-character",
        /// A character that changes the direction in which others are read.
        DirectionControl => "direction-control",
        /// What people count as one character has more parts than any script writes: a letter under a heap of accents.
        OverlongCharacter => "overlong-character",
        /// None of the values in `allowed`.
        NotAllowed => "not-allowed",
        /// Said twice.
        Duplicate => "duplicate",
        /// No e-mail address.
        InvalidEmail => "invalid-email",
        /// Neither an e-mail address nor a telephone number.
        InvalidContact => "invalid-contact",
        /// The person who has the document already.
        SamePerson => "same-person",
        /// A telephone number at which no message can be received.
        NoMobileNumber => "no-mobile-number",
        /// A telephone number of a country that is not taken here; argument `allowed`.
        PhoneCountry => "phone-country",
        /// No two letters of a country.
        InvalidCountry => "invalid-country",
        /// Braces around a word that stands for nothing; argument `allowed`.
        UnknownPlace => "unknown-place",
        /// A web or e-mail address in place of a name.
        AddressInName => "address-in-name",
        /// No telephone number.
        InvalidPhone => "invalid-phone",
        /// No date and time of the form YYYY-MM-DD HH:MM:SS, nor a day.
        InvalidDateTime => "invalid-date-time",
        /// A time that lies in the past.
        PastDateTime => "past-date-time",
        /// No UTC offset of the form +HH:MM.
        InvalidOffset => "invalid-offset",
        /// No language that we speak.
        InvalidLanguage => "invalid-language",
        /// No such template, or another company's.
        UnknownTemplate => "unknown-template",
        /// No such API client, or another company's.
        UnknownClient => "unknown-client",
        /// The template has no field of this name.
        UnknownField => "unknown-field",
        /// The template has no such step or role.
        UnknownStep => "unknown-step",
        /// A writer of the template (argument `order`) is named by nobody.
        MissingRecipient => "missing-recipient",
        /// More recipients than the template's step has writers.
        TooManyRecipients => "too-many-recipients",
        /// Orders have a gap.
        OrderGap => "order-gap",
        /// The field belongs to another writer, or nobody may change it.
        FieldNotWritable => "field-not-writable",
        /// The value is no number.
        InvalidNumber => "invalid-number",
        /// The number has more decimals than its field shows; argument `max`.
        TooManyDecimals => "too-many-decimals",
        /// The value is no date of the form YYYY-MM-DD.
        InvalidDate => "invalid-date",
        /// The value is none of Y, N, 1, 0, true, false.
        InvalidCheck => "invalid-check",
        /// The value is none of the field's options.
        InvalidOption => "invalid-option",
        /// The value is a file, but no PNG or JPEG picture.
        InvalidPicture => "invalid-picture",
        /// The value is no base64, where a picture is to be.
        PictureNotBase64 => "picture-not-base64",
        /// The picture has too many bytes or pixels to be taken.
        PictureTooLarge => "picture-too-large",
        /// Nothing can be seen on the picture of a signature or seal.
        PictureBlank => "picture-blank",
        /// The picture is a PNG or JPEG that cannot be read.
        PictureDamaged => "picture-damaged",
        /// The link's uploads exceed `megabytes` or `files`. Replaced files still count for `minutes`.
        FilesTooLarge => "files-too-large",
        /// The files inside the document have more than `megabytes` together; this one may have at most `left`.
        EmbeddedTooLarge => "embedded-too-large",
        /// All that the writer has filled in has more than `limit` bytes.
        DraftTooLarge => "draft-too-large",
        /// The value is no file in base64, or is too large to take.
        InvalidFile => "invalid-file",
        /// The kind of the field takes no value.
        NoValueTaken => "no-value-taken",
        /// No font has these characters; argument `characters`.
        MissingGlyph => "missing-glyph",
        /// The text does not fit into its field.
        DoesNotFit => "does-not-fit",
        /// With this number the result `value` would stand in a later writer's field `name`, where it does not fit.
        CalculationDoesNotFit => "calculation-does-not-fit",
        /// The template's field `name` cannot show `value`, which it must be able to.
        FieldNotStampable => "field-not-stampable",
        /// Nothing is set up that could take a one-time code to this person.
        OneTimeCodeUnreachable => "one-time-code-unreachable",
        /// A field's box is smaller than its kind needs; arguments `name`, `width`, `height` (points), `least_width`,
        /// `least_height` (points), `width_millionths`, `height_millionths` (the least members of FIELDS.json).
        FieldTooSmall => "field-too-small",
        /// No address that can be called.
        CallbackMalformed => "callback-malformed",
        /// A scheme other than https (or http where the installation allows it).
        CallbackScheme => "callback-scheme",
        /// The address holds a user name or password.
        CallbackUserinfo => "callback-userinfo",
        /// The address holds a fragment.
        CallbackFragment => "callback-fragment",
        /// The port is not among those that the installation allows.
        CallbackPort => "callback-port",
        /// The host name is no valid DNS name.
        CallbackHost => "callback-host",
        /// The address is not a public one.
        CallbackNotPublic => "callback-not-public",
        /// A `new_name` that collides with another resulting name.
        NameCollision => "name-collision",
        /// The idempotency key was used with another request.
        IdempotencyKeyReused => "idempotency-key-reused",
        /// The file is no PDF that can be taken; argument `reason`.
        DocumentRefused => "document-refused",
        /// The PDF has no form fields, and no FIELDS.json was given.
        NoFormFields => "no-form-fields",
        /// The PDF's form has no field of this name, and the entry places none.
        UnknownFormField => "unknown-form-field",
        /// FIELDS.json is no JSON; arguments `line` and `column`, where reading ended.
        FieldsNotJson => "fields-not-json",
        /// No member of FIELDS.json has this name here; argument `allowed`.
        UnknownMember => "unknown-member",
        /// The steps of FIELDS.json leave out the step `order`.
        StepGap => "step-gap",
        /// A step of several writers has a writer without a role.
        RoleNeeded => "role-needed",
        /// A field of a step with several writers names no role.
        FieldRoleNeeded => "field-role-needed",
        /// The box has no area, or leaves its page.
        BoxOffPage => "box-off-page",
        /// A field of another kind has this name.
        NameOfOtherKind => "name-of-other-kind",
        /// The boxes of one name differ in step or role.
        BoxesDisagree => "boxes-disagree",
        /// The member means nothing for a field of this kind; argument `allowed`, the kinds.
        MemberNotForKind => "member-not-for-kind",
        /// Cells and lines at once.
        CellsOrLines => "cells-or-lines",
        /// No pattern of a date.
        InvalidDatePattern => "invalid-date-pattern",
        /// No colour.
        InvalidColor => "invalid-color",
        /// The installation has no such font; argument `allowed`.
        UnknownFont => "unknown-font",
        /// A file that others have signed takes no files inside it.
        EmbedInSigned => "embed-in-signed",
        /// The formula cannot be read from the character `position` on.
        FormulaUnreadable => "formula-unreadable",
        /// The formula names `name`, which is no field of kind number or calc.
        FormulaName => "formula-name",
        /// The formula names `name`, which is written at a later step.
        FormulaLater => "formula-later",
        /// The formula names `name`, which another role of the same step writes.
        FormulaBeside => "formula-beside",
        /// The field `name` needs its own result.
        FormulaCircle => "formula-circle",
        /// The field's page is not in the document; argument `pages`.
        PageOutOfRange => "page-out-of-range",
        /// What an operator gives to seal with cannot be used; argument `reason`, in English.
        NotSealable => "not-sealable",
        /// The value cannot be drawn in its field.
        NotDrawable => "not-drawable",
        /// The document would still be under way when the company can seal no longer; argument `date`, the end of its seal
        /// certificate.
        SealEndsBefore => "seal-ends-before",
        /// The picture cannot be a company's logo; argument `reason`.
        LogoRefused => "logo-refused",
        /// No company id, or a path word; argument `reason`.
        InvalidCompanyId => "invalid-company-id",
        /// The consent to sign electronically is missing.
        ConsentRequired => "consent-required",
        /// That name and address are passed on and kept was not agreed to.
        AgreementRequired => "agreement-required",
        /// The place of the visitor who opens the link.
        VisitorsPlace => "visitors-place",
        /// The access code is wrong; argument `left`.
        WrongAccessCode => "wrong-access-code",
        /// A CSV file in another encoding than UTF-8.
        SheetNotUtf8 => "sheet-not-utf8",
        /// Neither CSV nor a workbook that can be read; argument `kind`: what it is (`pdf`, `xls`, `open_document`, `picture`), or
        /// `other`.
        SheetUnreadable => "sheet-unreadable",
        /// A quote of a CSV file does not close; argument `row`.
        SheetQuote => "sheet-quote",
        /// A sheet without rows below its header.
        SheetEmpty => "sheet-empty",
        /// A cell holds an error, or a formula without its result.
        SheetCell => "sheet-cell",
        /// A part of a form that is no JSON.
        NotJsonText => "not-json-text",
        /// The one-time code is wrong; argument `left`.
        WrongOneTimeCode => "wrong-one-time-code",
        /// The one-time code was used, tried too often or not given in time, or none was sent.
        OneTimeCodeExpired => "one-time-code-expired",
        /// No value where the filter needs one, or a cursor that is none of ours.
        InvalidCursor => "invalid-cursor",
    }
}

codes! {
    /// Why the state of a thing does not allow what was asked (409).
    ConflictCode {
        /// The workflow is over.
        Finished => "finished",
        /// It is not this writer's turn.
        NotYourTurn => "not-your-turn",
        /// This writer has approved already.
        AlreadyApproved => "already-approved",
        /// The workflow is not complete yet.
        NotComplete => "not-complete",
        /// The workflow is still being written.
        StillPlaying => "still-playing",
        /// Writers of an embedded workflow get no messages.
        Embedded => "embedded",
        /// Something else changed it at the same moment.
        Changed => "changed",
        /// Another page of the same writer has changed what is filled in: this one does not show it.
        DraftChanged => "draft-changed",
        /// A company of this id exists already.
        CompanyExists => "company-exists",
        /// The company has a member of this address already.
        MemberExists => "member-exists",
        /// The template is archived.
        Archived => "archived",
        /// The access code, or the one-time codes, were tried too often; the sender must send anew.
        Locked => "locked",
        /// The link was replaced by a newer one.
        LinkReplaced => "link-replaced",
        /// The signer was sent the link, or it is still being tried.
        LinkWasSent => "link-was-sent",
        /// The holder of the link has handed the document over to another person.
        HandedOver => "handed-over",
        /// The template does not allow to hand the document over, or the workflow is embedded.
        NoHandingOver => "no-handing-over",
        /// The delivery is being tried at this moment, or is about to be for the first time.
        UnderWay => "under-way",
        /// The callback address was stopped.
        EndpointStopped => "endpoint-stopped",
        /// The bulk start is over.
        BulkFinished => "bulk-finished",
        /// Too many rows of bulk starts wait already.
        BulkWaiting => "bulk-waiting",
        /// A client's webhooks are signed with as many secrets as may be; the state is when the oldest of them ends.
        TooManySecrets => "too-many-secrets",
        /// The public link was closed.
        LinkClosed => "link-closed",
        /// The public link was used as often as it can be.
        LinkUsedUp => "link-used-up",
        /// The public link's time is over.
        LinkEnded => "link-ended",
        /// The same person has used the public link before.
        LinkTaken => "link-taken",
        /// The last owner of a company can be neither disabled nor lowered.
        LastOwner => "last-owner",
    }
}

codes! {
    /// What was done too often (429).
    ThrottleCode {
        /// What nobody needs to do so often, such as asking for codes.
        Attempts => "throttled",
        /// Reminders, and requests after a correction, to one address.
        AskedLately => "asked-lately",
        /// Starts by public links, from one address on the network.
        LinkNetwork => "link-network-throttled",
        /// Starts by public links, for one e-mail address or telephone number.
        LinkAddressee => "link-addressee-throttled",
        /// Starts by one public link.
        LinkUses => "link-uses-throttled",
        /// Wrong one-time codes for one contact.
        WrongCodes => "wrong-codes-throttled",
    }
}

codes! {
    /// Why the caller may not (403).
    ForbiddenCode {
        /// The company's API is off.
        ApiOff => "api-off",
        /// The member's role does not allow it.
        Role => "role",
        /// The request came from another page than ours.
        CrossSite => "cross-site",
        /// The access code was not given yet.
        AccessCode => "access-code",
        /// The one-time code was not given yet.
        OneTimeCode => "one-time-code",
        /// Only the document's sender and administrators may do this.
        NotTheSender => "not-the-sender",
    }
}

codes! {
    /// What was not found (404).
    Subject {
        /// A company.
        Company => "company",
        /// A member.
        Member => "member",
        /// An API client.
        Client => "client",
        /// An access token.
        Token => "token",
        /// A template.
        Template => "template",
        /// A workflow.
        Workflow => "workflow",
        /// A recipient.
        Recipient => "recipient",
        /// A field.
        Field => "field",
        /// A page of a document.
        Page => "page",
        /// A file.
        File => "file",
        /// A delivery.
        Delivery => "delivery",
        /// A callback address to which nothing was sent, nor is to be.
        CallbackAddress => "callback-address",
        /// A bulk start.
        Bulk => "bulk",
        /// A public link.
        PublicLink => "public-link",
        /// A link that means nothing (any more).
        Link => "link",
        /// An endpoint of the API.
        Endpoint => "endpoint",
    }
}

/// The argument under which a fault carries what intake refused.
const REFUSAL: &str = "refusal";

/// One thing that is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where: `recipient_list[0].email`; empty for the request as a whole.
    pub path: String,
    /// What.
    pub code: FaultCode,
    /// What the message names: `max`, `allowed`, …
    pub arguments: Vec<(&'static str, String)>,
}

impl Fault {
    /// A fault without arguments.
    pub fn new(path: impl Into<String>, code: FaultCode) -> Fault {
        Fault {
            path: path.into(),
            code,
            arguments: Vec::new(),
        }
    }

    /// Names something in the message.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Fault {
        self.arguments.push((name, value.to_string()));
        self
    }

    /// A document that intake refused. The refusal travels as data, and becomes words where the language is known.
    pub fn refused_document(path: impl Into<String>, refused: &document::intake::Refused) -> Fault {
        let refusal = serde_json::to_string(refused).unwrap_or_default();
        Fault::new(path, FaultCode::DocumentRefused).with(REFUSAL, refusal)
    }

    /// Intake's own id of the reason for which it refused the document (`needs_password`), where that is the fault.
    pub fn refusal_id(&self) -> Option<String> {
        let refused = serde_json::to_value(self.refusal()?).ok()?;
        refused.get("reason")?.as_str().map(str::to_owned)
    }

    /// What the sender can accept to have a refused document taken, where anything helps.
    pub fn acceptance(&self) -> Option<&'static str> {
        Some(self.refusal()?.acceptance()?.code())
    }

    /// Why intake refused the document, where that is the fault.
    fn refusal(&self) -> Option<document::intake::Refused> {
        let (_, refusal) = self.arguments.iter().find(|(name, _)| *name == REFUSAL)?;
        serde_json::from_str(refusal).ok()
    }

    /// The message for people.
    pub fn message(&self, language: Language) -> String {
        match self.refusal() {
            Some(refused) => {
                let reason = format!(
                    "{} {}",
                    crate::base::intake_text::reason(language, &refused),
                    crate::base::intake_text::remedy(language, &refused)
                );
                message(language, self.code.id(), &[("reason", reason)])
            }
            None => message(language, self.code.id(), &self.arguments),
        }
    }
}

/// Seconds after which to try again where a disk is full: room is made by a person.
const FULL_RETRY: u64 = 60;

/// A use-case's failure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The body is not JSON (400).
    #[error("the body is not JSON")]
    NotJson,
    /// The body ended early, or is not coded as it says (400).
    #[error("the body did not arrive as a whole")]
    BrokenBody,
    /// No, an unknown or an expired token (401).
    #[error("no valid access token")]
    Unauthenticated,
    /// The company or the role may not (403).
    #[error("not allowed: {0}")]
    Forbidden(ForbiddenCode),
    /// There is none, or it belongs to another company (404).
    #[error("no such {0}")]
    NotFound(Subject),
    /// The state does not allow it (409).
    #[error("the state does not allow it: {code}")]
    Conflict {
        /// Why.
        code: ConflictCode,
        /// The state that was met, as the API writes it, where there is one.
        state: Option<String>,
    },
    /// Rules are broken (422); every fault at once.
    #[error("refused: {}", list(.0))]
    Unprocessable(Vec<Fault>),
    /// The body is larger than `limit` bytes (413).
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// What would be taken.
        limit: u64,
    },
    /// The media type is none that is taken, or the body is coded (415).
    #[error("the media type is not supported")]
    Unsupported {
        /// The media types that are taken, if it is of another one.
        expected: Option<&'static str>,
    },
    /// Too often (429).
    #[error("{code}; try again in {retry_after} s")]
    Throttled {
        /// What.
        code: ThrottleCode,
        /// Seconds to wait.
        retry_after: u64,
        /// The time to try again, as people read it, if we know it.
        until: Option<String>,
    },
    /// The company cannot seal, so nothing that would have to be sealed starts or is completed (422; 503 while a token is
    /// away). Members read why; signers do not ([`crate::base::signer_error::SignerError`]).
    #[error("the company cannot seal: {0}")]
    NotSealable(SealRefusal),
    /// Not now (503). Nothing was done.
    #[error("busy; try again in {retry_after} s{}", cause.as_ref().map(|cause| format!(" ({cause})")).unwrap_or_default())]
    Unavailable {
        /// Seconds to wait.
        retry_after: u64,
        /// What is not there, where it is more than a queue that is full: for the log only.
        cause: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The database went away while it was told to keep what was done, and has not come back to say whether it did (500).
    /// Whoever asked must look before asking again, so there is no time after which to try.
    #[error("it is not known whether this was done: {0}")]
    OutcomeUnknown(Box<store::Error>),
    /// A file that was kept is not there, or is not what it was (500). The operator has to put it back.
    #[error(transparent)]
    FileLost(blobs::Error),
    /// Our own failure (500).
    #[error("{doing}: {source}")]
    Internal {
        /// What was being done.
        doing: &'static str,
        /// What went wrong: for the log only.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A wait as it is told, here and in `Retry-After`: whole seconds, and none too few.
pub(crate) fn whole_seconds(wait: SignedDuration) -> u64 {
    let seconds = wait.as_secs().saturating_add(i64::from(wait.subsec_nanos() > 0));
    u64::try_from(seconds).unwrap_or_default()
}

impl Error {
    /// Our own failure while `doing` something.
    pub fn internal(doing: &'static str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Internal {
            doing,
            source: source.into(),
        }
    }

    /// Too much to do: nothing was done, and in some seconds it may be.
    pub fn busy(retry_after: u64) -> Error {
        Error::Unavailable {
            retry_after,
            cause: None,
        }
    }

    /// Too often, until so much time has passed.
    pub fn throttled(code: ThrottleCode, wait: SignedDuration) -> Error {
        Error::Throttled {
            code,
            retry_after: whole_seconds(wait),
            until: None,
        }
    }

    /// The recipient was asked recently. `wait` counts from `at`; the time is written in `zone`.
    pub(crate) fn asked_lately(at: Timestamp, wait: SignedDuration, zone: Zone) -> Error {
        let seconds = i64::try_from(whole_seconds(wait)).unwrap_or_default();
        let until = at.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(at);
        Error::Throttled {
            code: ThrottleCode::AskedLately,
            retry_after: whole_seconds(wait),
            until: Some(domain::time::format_with_zone(until, zone)),
        }
    }

    /// Seconds after which to try again, where that may help; at least one.
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Error::Throttled { retry_after, .. } | Error::Unavailable { retry_after, .. } => {
                Some((*retry_after).max(1))
            }
            Error::NotSealable(refusal) => refusal.retry_after(),
            _ => None,
        }
    }

    /// Writes to the log what only the operator can mend. Called once, by whoever answers.
    pub fn log(&self) {
        match self {
            Error::Internal { doing, source } => tracing::error!(%doing, error = %chain(source.as_ref()), "failed"),
            Error::FileLost(cause) => tracing::error!(error = %cause, "a file is lost"),
            Error::NotSealable(refusal) => tracing::error!(error = %refusal, "a company cannot seal"),
            Error::OutcomeUnknown(cause) => {
                tracing::error!(error = %cause, "it is not known whether a commit happened");
            }
            Error::Unavailable { cause: Some(cause), .. } => {
                tracing::warn!(error = %chain(cause.as_ref()), "what the service needs is not available");
            }
            _ => {}
        }
    }

    /// One fault.
    pub fn fault(path: impl Into<String>, code: FaultCode) -> Error {
        Error::Unprocessable(vec![Fault::new(path, code)])
    }

    /// A conflict where no state needs naming.
    pub fn conflict(code: ConflictCode) -> Error {
        Error::Conflict { code, state: None }
    }

    /// The id of the failure, as programs compare it: the code of the reason where there is one.
    pub fn id(&self) -> &'static str {
        match self {
            Error::NotJson => "not-json",
            Error::BrokenBody => "broken-body",
            Error::Unauthenticated => "unauthenticated",
            Error::Forbidden(code) => code.id(),
            Error::NotFound(_) => "not-found",
            Error::Conflict { code, .. } => code.id(),
            Error::Unprocessable(_) => "unprocessable",
            Error::TooLarge { .. } => "too-large",
            Error::Unsupported { .. } => "unsupported",
            Error::Throttled { code, .. } => code.id(),
            Error::NotSealable(refusal) => refusal.code.id(),
            Error::Unavailable { .. } => "unavailable",
            Error::OutcomeUnknown(_) => "outcome-unknown",
            Error::FileLost(_) => "file-lost",
            Error::Internal { .. } => "internal",
        }
    }

    /// The message for people: what was refused and, where it can be said, the remedy.
    pub fn message(&self, language: Language) -> String {
        match self {
            Error::NotFound(subject) => {
                let named = message(language, &format!("subject-{subject}"), &[]);
                message(language, self.id(), &[("subject", named)])
            }
            Error::Conflict { code, state } => {
                message(language, code.id(), &[("state", state.clone().unwrap_or_default())])
            }
            Error::Unprocessable(faults) => {
                let mut all = message(language, self.id(), &[]);
                for fault in faults {
                    all.push(' ');
                    if !fault.path.is_empty() {
                        all.push_str(&fault.path);
                        all.push_str(": ");
                    }
                    all.push_str(&fault.message(language));
                }
                all
            }
            Error::TooLarge { limit } => message(language, self.id(), &[("limit", limit.to_string())]),
            Error::Unsupported { expected } => message(
                language,
                self.id(),
                &[("expected", expected.unwrap_or("none").to_owned())],
            ),
            Error::Throttled { until, .. } => {
                let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
                let time = until.clone().unwrap_or_default();
                message(language, self.id(), &[("wait", wait), ("time", time)])
            }
            Error::NotSealable(refusal) => {
                let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
                message(language, self.id(), &[("wait", wait), ("date", refusal.date())])
            }
            Error::Unavailable { .. } => {
                let wait = i18n::wait(language, self.retry_after().unwrap_or_default());
                message(language, self.id(), &[("wait", wait)])
            }
            _ => message(language, self.id(), &[]),
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        if error.is_temporary() {
            let is_full = matches!(error, store::Error::Full { .. });
            return Error::Unavailable {
                retry_after: if is_full { FULL_RETRY } else { 1 },
                cause: Some(Box::new(error)),
            };
        }
        if matches!(error, store::Error::CommitUnknown { .. }) {
            return Error::OutcomeUnknown(Box::new(error));
        }
        Error::internal("using the database", error)
    }
}

impl From<blobs::Error> for Error {
    fn from(error: blobs::Error) -> Error {
        match error {
            blobs::Error::Full(_) => Error::Unavailable {
                retry_after: FULL_RETRY,
                cause: Some(Box::new(error)),
            },
            blobs::Error::Missing(_) | blobs::Error::Damaged(_) => Error::FileLost(error),
            other => Error::internal("using the files", other),
        }
    }
}

/// The ids that name an [`Error`] itself rather than a reason.
pub const ERROR_IDS: &[&str] = &[
    "not-json",
    "broken-body",
    "unauthenticated",
    "not-found",
    "unprocessable",
    "too-large",
    "unsupported",
    "unavailable",
    "outcome-unknown",
    "file-lost",
    "internal",
];

pub(crate) fn message(language: Language, id: &str, arguments: &[(&'static str, String)]) -> String {
    let arguments: Vec<(&str, &str)> = arguments.iter().map(|(name, value)| (*name, value.as_str())).collect();
    i18n::text(language, &format!("error-{id}"), &arguments)
}

/// An error and its causes in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn list(faults: &[Fault]) -> String {
    let each: Vec<String> = faults
        .iter()
        .map(|fault| format!("{}: {}", fault.path, fault.code))
        .collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_whole_seconds_and_none_too_few() {
        for (milliseconds, told) in [
            (0, 0),
            (1, 1),
            (999, 1),
            (1_000, 1),
            (1_001, 2),
            (500_000, 500),
            (-1_500, 0),
        ] {
            assert_eq!(
                whole_seconds(SignedDuration::from_millis(milliseconds)),
                told,
                "{milliseconds}"
            );
        }
    }

    #[test]
    fn every_code_has_a_message_in_every_language() {
        let subjects = Subject::ALL.iter().map(|subject| format!("subject-{subject}"));
        let codes = FaultCode::ALL
            .iter()
            .map(|code| code.id())
            .chain(ConflictCode::ALL.iter().map(|code| code.id()))
            .chain(ThrottleCode::ALL.iter().map(|code| code.id()))
            .chain(ForbiddenCode::ALL.iter().map(|code| code.id()))
            .chain(crate::base::seal_refusal::SealCode::ALL.iter().map(|code| code.id()))
            .chain(ERROR_IDS.iter().copied());
        for key in codes.map(str::to_owned).chain(subjects) {
            for language in Language::ALL {
                assert!(
                    i18n::has(language, &format!("error-{key}")),
                    "{}: error-{key}",
                    language.code()
                );
            }
        }
    }

    /// Counts what is logged at all.
    #[derive(Default)]
    struct Counter(std::sync::Arc<std::sync::atomic::AtomicU32>);

    impl tracing::Subscriber for Counter {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, _: &tracing::Event<'_>) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }

    #[test]
    fn a_failure_that_another_run_may_mend_is_logged_by_who_answers_and_not_where_it_is_met() {
        let counter = Counter::default();
        let logged = std::sync::Arc::clone(&counter.0);
        tracing::subscriber::with_default(counter, || {
            let busy = || store::Error::Busy {
                detail: "could not serialize access".to_owned(),
            };
            let mut met = Vec::new();
            for _ in 0..3 {
                met.push(Error::from(busy()));
            }
            assert_eq!(
                logged.load(std::sync::atomic::Ordering::Relaxed),
                0,
                "a transaction that runs again"
            );
            met.pop().expect("the last one").log();
            assert_eq!(logged.load(std::sync::atomic::Ordering::Relaxed), 1);
            Error::busy(1).log();
            assert_eq!(
                logged.load(std::sync::atomic::Ordering::Relaxed),
                1,
                "a full queue is no news"
            );
        });
    }

    #[test]
    fn a_doubtful_commit_is_no_invitation_to_try_again() {
        let detail = "the connection broke".to_owned();
        let doubt = Error::from(store::Error::CommitUnknown { detail });
        assert_eq!(doubt.id(), "outcome-unknown");
    }

    #[test]
    fn no_two_codes_share_an_id() {
        let mut ids: Vec<&str> = FaultCode::ALL
            .iter()
            .map(|code| code.id())
            .chain(ConflictCode::ALL.iter().map(|code| code.id()))
            .chain(ThrottleCode::ALL.iter().map(|code| code.id()))
            .chain(ForbiddenCode::ALL.iter().map(|code| code.id()))
            .chain(crate::base::seal_refusal::SealCode::ALL.iter().map(|code| code.id()))
            .chain(ERROR_IDS.iter().copied())
            .collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn a_refusal_names_every_fault_with_its_place_and_an_internal_failure_hides_its_cause() {
        let refused = Error::Unprocessable(vec![
            Fault::new("name", FaultCode::TooLong).with("max", 128),
            Fault::new("fields[0].kind", FaultCode::Required),
        ]);
        let message = refused.message(Language::En);
        assert!(
            message.contains("name: At most 128") && message.contains("fields[0].kind: "),
            "{message}"
        );
        let hidden = Error::internal("counting", "a secret cause").message(Language::En);
        assert!(!hidden.contains("secret"), "{hidden}");
        let subject = Error::NotFound(Subject::Template).message(Language::En);
        assert!(!subject.contains('{') && !subject.contains("error-"), "{subject}");
    }
}
