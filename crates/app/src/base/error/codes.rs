//! The closed lists of codes. A list is data, so this file may be long.

use std::fmt;

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
        /// None of the members in `allowed` is set, but one is required.
        OneRequired => "one-required",
        /// Two members that exclude each other; argument `name`: the other one.
        NotTogether => "not-together",
        /// A range that begins after its end; argument `name`: the end.
        EmptyRange => "empty-range",
        /// A required field was left empty; argument `name`.
        FieldRequired => "field-required",
        /// The value has another JSON type; argument `expected`.
        WrongType => "wrong-type",
        /// A member or query parameter that the call does not have. Reported only if the client asks that nothing is
        /// ignored.
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
        /// U+0000 or another character that no text may contain.
        ControlCharacter => "control-character",
        /// A character that changes the direction in which others are read.
        DirectionControl => "direction-control",
        /// A character with more parts than any script uses: a letter under a pile of accents.
        OverlongCharacter => "overlong-character",
        /// The value is none of those in `allowed`.
        NotAllowed => "not-allowed",
        /// Said twice.
        Duplicate => "duplicate",
        /// Not an e-mail address.
        InvalidEmail => "invalid-email",
        /// Neither an e-mail address nor a telephone number.
        InvalidContact => "invalid-contact",
        /// The person already has the document.
        SamePerson => "same-person",
        /// A telephone number at which no message can be received.
        NoMobileNumber => "no-mobile-number",
        /// A telephone number of a country that is not accepted here; argument `allowed`.
        PhoneCountry => "phone-country",
        /// Not a two-letter country code.
        InvalidCountry => "invalid-country",
        /// Braces around an unknown word; argument `allowed`.
        UnknownPlace => "unknown-place",
        /// A web or e-mail address in place of a name.
        AddressInName => "address-in-name",
        /// Not a telephone number.
        InvalidPhone => "invalid-phone",
        /// Neither a date and time in the form YYYY-MM-DD HH:MM:SS nor a date.
        InvalidDateTime => "invalid-date-time",
        PastDateTime => "past-date-time",
        /// Not a UTC offset in the form +HH:MM.
        InvalidOffset => "invalid-offset",
        /// Not a supported language.
        InvalidLanguage => "invalid-language",
        /// No such template, or another company's.
        UnknownTemplate => "unknown-template",
        /// No such API client, or another company's.
        UnknownClient => "unknown-client",
        /// The template has no field of this name.
        UnknownField => "unknown-field",
        /// The template has no such step or role.
        UnknownStep => "unknown-step",
        /// No recipient for a step of the template (argument `order`).
        MissingRecipient => "missing-recipient",
        /// More recipients than the template's step has signers.
        TooManyRecipients => "too-many-recipients",
        /// Orders have a gap.
        OrderGap => "order-gap",
        /// The field belongs to another signer, or is read-only.
        FieldNotWritable => "field-not-writable",
        /// The value is not a number.
        InvalidNumber => "invalid-number",
        /// The number has more decimals than its field shows; argument `max`.
        TooManyDecimals => "too-many-decimals",
        /// The value is not a date in the form YYYY-MM-DD.
        InvalidDate => "invalid-date",
        /// The value is not one of Y, N, 1, 0, true, false.
        InvalidCheck => "invalid-check",
        /// The value is not one of the field's options.
        InvalidOption => "invalid-option",
        /// The value is a file, but no PNG or JPEG picture.
        InvalidPicture => "invalid-picture",
        /// The value of a picture field is not base64.
        PictureNotBase64 => "picture-not-base64",
        /// The picture has too many bytes or pixels.
        PictureTooLarge => "picture-too-large",
        /// The picture of a signature or seal is blank.
        PictureBlank => "picture-blank",
        /// The picture is a PNG or JPEG that cannot be read.
        PictureDamaged => "picture-damaged",
        /// The link's uploads exceed `megabytes` or `files`. Replaced files still count for `minutes`.
        FilesTooLarge => "files-too-large",
        /// The files inside the document have more than `megabytes` together; this one may have at most `left`.
        EmbeddedTooLarge => "embedded-too-large",
        /// All that the signer has filled in has more than `limit` bytes.
        DraftTooLarge => "draft-too-large",
        /// The value is not a file in base64, or the file is too large.
        InvalidFile => "invalid-file",
        /// Fields of this kind have no value to enter.
        NoValueTaken => "no-value-taken",
        /// No font has these characters; argument `characters`.
        MissingGlyph => "missing-glyph",
        /// The text does not fit into its field.
        DoesNotFit => "does-not-fit",
        /// With this number, the later signer's field `name` would show `value`, which is too long for its box.
        CalculationDoesNotFit => "calculation-does-not-fit",
        /// The template's field `name` cannot show `value`, which it must be able to.
        FieldNotStampable => "field-not-stampable",
        /// Nothing is set up to send a one-time code to this person.
        OneTimeCodeUnreachable => "one-time-code-unreachable",
        /// A field's box is smaller than its kind needs; arguments `name`, `width`, `height` (points), `least_width`,
        /// `least_height` (points), `width_millionths`, `height_millionths` (the least members of FIELDS.json).
        FieldTooSmall => "field-too-small",
        /// Not an address that we can call.
        CallbackMalformed => "callback-malformed",
        /// A scheme other than https (or http if the installation allows it).
        CallbackScheme => "callback-scheme",
        /// The address contains a user name or password.
        CallbackUserinfo => "callback-userinfo",
        /// The address contains a fragment.
        CallbackFragment => "callback-fragment",
        /// The port is not among those that the installation allows.
        CallbackPort => "callback-port",
        /// The host name is not a valid DNS name.
        CallbackHost => "callback-host",
        /// The address is not a public one.
        CallbackNotPublic => "callback-not-public",
        /// Not an address to which a page can lead.
        RedirectMalformed => "redirect-malformed",
        /// The company does not allow the host `name`.
        RedirectHost => "redirect-host",
        /// A `new_name` that collides with another resulting name.
        NameCollision => "name-collision",
        /// The idempotency key was used with another request.
        IdempotencyKeyReused => "idempotency-key-reused",
        /// The file is not a PDF that we accept; argument `reason`.
        DocumentRefused => "document-refused",
        /// The PDF has no form fields, and there is no FIELDS.json.
        NoFormFields => "no-form-fields",
        /// The PDF's form has no field with this name, and the entry has no box.
        UnknownFormField => "unknown-form-field",
        /// FIELDS.json is not JSON; arguments `line` and `column`: where reading stopped.
        FieldsNotJson => "fields-not-json",
        /// No member of FIELDS.json has this name here; argument `allowed`.
        UnknownMember => "unknown-member",
        /// The steps of FIELDS.json leave out the step `order`.
        StepGap => "step-gap",
        /// A step of several signers has a signer without a role.
        RoleNeeded => "role-needed",
        /// A field of a step with several signers names no role.
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
        /// Not a date pattern.
        InvalidDatePattern => "invalid-date-pattern",
        /// Not a colour.
        InvalidColor => "invalid-color",
        /// The installation has no such font; argument `allowed`.
        UnknownFont => "unknown-font",
        /// Files cannot be added to a document that others have signed.
        EmbedInSigned => "embed-in-signed",
        /// The formula cannot be read from the character `position` on.
        FormulaUnreadable => "formula-unreadable",
        /// The formula names `name`, which is not a field of kind number or calc.
        FormulaName => "formula-name",
        /// The formula names `name`, which is written at a later step.
        FormulaLater => "formula-later",
        /// The formula names `name`, which another role of the same step writes.
        FormulaBeside => "formula-beside",
        /// The field `name` needs its own result.
        FormulaCircle => "formula-circle",
        /// The field's page is not in the document; argument `pages`.
        PageOutOfRange => "page-out-of-range",
        /// The operator's key or certificate cannot be used; argument `reason`, in English.
        NotSealable => "not-sealable",
        /// The value cannot be drawn in its field.
        NotDrawable => "not-drawable",
        /// The document would still be under way when the company can seal no longer; argument `date`, the end of its seal
        /// certificate.
        SealEndsBefore => "seal-ends-before",
        /// The picture cannot be a company's logo; argument `reason`.
        LogoRefused => "logo-refused",
        /// Not a company ID, or a reserved word; argument `reason`.
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
        /// Neither a CSV file nor a readable workbook; argument `kind`: what it is (`pdf`, `xls`, `open_document`,
        /// `picture`), or `other`.
        SheetUnreadable => "sheet-unreadable",
        /// A quote of a CSV file does not close; argument `row`.
        SheetQuote => "sheet-quote",
        /// A sheet without rows below its header.
        SheetEmpty => "sheet-empty",
        /// A cell contains an error, or a formula without its result.
        SheetCell => "sheet-cell",
        /// A part of a form that is not JSON.
        NotJsonText => "not-json-text",
        /// The one-time code is wrong; argument `left`.
        WrongOneTimeCode => "wrong-one-time-code",
        /// The one-time code was used, tried too often or not entered in time, or no code was sent.
        OneTimeCodeExpired => "one-time-code-expired",
        /// The filter needs a value that is missing, or the cursor is not one of ours.
        InvalidCursor => "invalid-cursor",
    }
}

codes! {
    /// Why the current state does not allow the request (409).
    ConflictCode {
        /// The workflow is over.
        Finished => "finished",
        /// It is not this signer's turn.
        NotYourTurn => "not-your-turn",
        /// This signer has approved already.
        AlreadyApproved => "already-approved",
        /// The workflow is not complete yet.
        NotComplete => "not-complete",
        /// The workflow is still being written.
        StillPlaying => "still-playing",
        /// Signers of an embedded workflow get no messages.
        Embedded => "embedded",
        /// Something else changed it at the same moment.
        Changed => "changed",
        /// Another page of the same signer has changed entries that this one does not show.
        DraftChanged => "draft-changed",
        /// A company of this id exists already.
        CompanyExists => "company-exists",
        /// The company has a member of this address already.
        MemberExists => "member-exists",
        /// The template is archived.
        Archived => "archived",
        /// The access code, or the one-time codes, were tried too often. The sender must send again.
        Locked => "locked",
        /// The link was replaced by a newer one.
        LinkReplaced => "link-replaced",
        /// The signer was sent the link, or it is still being tried.
        LinkWasSent => "link-was-sent",
        /// The holder of the link has assigned the document to someone else.
        HandedOver => "handed-over",
        /// The template does not allow reassigning, or the workflow is embedded.
        NoHandingOver => "no-handing-over",
        /// The delivery is being tried at this moment, or is about to be for the first time.
        UnderWay => "under-way",
        /// The callback address was stopped.
        EndpointStopped => "endpoint-stopped",
        /// The bulk send is over.
        BulkFinished => "bulk-finished",
        /// Too many rows of bulk sends wait already.
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
        /// An action that nobody needs this often, such as requesting codes.
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
        /// Only owners and admins may do this.
        AdminsOnly => "admins-only",
        /// Only owners may do this.
        OwnersOnly => "owners-only",
        /// This needs the name of a person, which the operator at the command line does not have.
        MembersOnly => "members-only",
        /// Only the operator may do this, at the command line.
        OperatorOnly => "operator-only",
        /// The request came from another page than ours.
        CrossSite => "cross-site",
        /// The access code was not entered yet.
        AccessCode => "access-code",
        /// The one-time code was not entered yet.
        OneTimeCode => "one-time-code",
        /// Only the document's sender and administrators may do this.
        NotTheSender => "not-the-sender",
    }
}

codes! {
    /// What was not found (404).
    Subject {
        Company => "company",
        Member => "member",
        /// An API client.
        Client => "client",
        /// An access token.
        Token => "token",
        Template => "template",
        Workflow => "workflow",
        Recipient => "recipient",
        Field => "field",
        /// A page of a document.
        Page => "page",
        File => "file",
        Delivery => "delivery",
        /// A callback address that nothing was or will be sent to.
        CallbackAddress => "callback-address",
        /// A bulk send.
        Bulk => "bulk",
        PublicLink => "public-link",
        /// A link that is not valid (any longer).
        Link => "link",
        /// An endpoint of the API.
        Endpoint => "endpoint",
    }
}
