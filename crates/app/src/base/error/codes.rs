//! The closed lists of codes. This file may be long because it contains only data.

use std::fmt;

/// Declares a closed list of codes: the enum, its IDs and `ALL`.
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

            /// The ID that programs compare.
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
    /// Reason why a value in a request is refused (422).
    FaultCode {
        /// The value is missing or empty.
        Required => "required",
        /// None of the members in `allowed` is set, but one is required.
        OneRequired => "one-required",
        /// Two members that exclude each other. Argument `name`: the other member.
        NotTogether => "not-together",
        /// The range begins after its end. Argument `name`: the end.
        EmptyRange => "empty-range",
        /// A required field was left empty. Argument `name`.
        FieldRequired => "field-required",
        /// The value has the wrong JSON type. Argument `expected`.
        WrongType => "wrong-type",
        /// A member or query parameter that the call does not define. Reported only if the client asks for strict
        /// checking.
        UnexpectedMember => "unexpected-member",
        /// The value has more than `max` characters.
        TooLong => "too-long",
        /// The value has fewer than `min` characters.
        TooShort => "too-short",
        /// The new password has fewer than `min` characters.
        PasswordTooShort => "password-too-short",
        /// The new password has more than `max` bytes.
        PasswordTooLong => "password-too-long",
        /// The new password is easy to guess.
        PasswordTooWeak => "password-too-weak",
        /// The new password contains its owner's e-mail address or company name.
        PasswordNamesOwner => "password-names-owner",
        /// The list has more than `max` entries.
        TooMany => "too-many",
        /// The number is outside `min` to `max`.
        OutOfRange => "out-of-range",
        /// The text contains U+0000 or another forbidden control character.
        ControlCharacter => "control-character",
        /// The text contains a character that changes the reading direction of others.
        DirectionControl => "direction-control",
        /// The text contains a character with more combining marks than any script uses, such as a letter with a stack
        /// of accents.
        OverlongCharacter => "overlong-character",
        /// The value is not in `allowed`.
        NotAllowed => "not-allowed",
        /// The value appears twice.
        Duplicate => "duplicate",
        /// The value is not an e-mail address.
        InvalidEmail => "invalid-email",
        /// The value is neither an e-mail address nor a telephone number.
        InvalidContact => "invalid-contact",
        /// The person already has the document.
        SamePerson => "same-person",
        /// The telephone number cannot receive messages.
        NoMobileNumber => "no-mobile-number",
        /// The country of the telephone number is not accepted here. Argument `allowed`.
        PhoneCountry => "phone-country",
        /// The value is not a two-letter country code.
        InvalidCountry => "invalid-country",
        /// The text contains an unknown placeholder in braces. Argument `allowed`.
        UnknownPlace => "unknown-place",
        /// The name contains a web or e-mail address.
        AddressInName => "address-in-name",
        /// The value is not a telephone number.
        InvalidPhone => "invalid-phone",
        /// The value is neither a date and time in the form YYYY-MM-DD HH:MM:SS nor a date.
        InvalidDateTime => "invalid-date-time",
        PastDateTime => "past-date-time",
        /// The value is not a UTC offset in the form +HH:MM.
        InvalidOffset => "invalid-offset",
        /// The language is not supported.
        InvalidLanguage => "invalid-language",
        /// The template does not exist, or belongs to another company.
        UnknownTemplate => "unknown-template",
        /// The API client does not exist, or belongs to another company.
        UnknownClient => "unknown-client",
        /// The template has no field of this name.
        UnknownField => "unknown-field",
        /// The template has no such step or role.
        UnknownStep => "unknown-step",
        /// A step of the template has no recipient. Argument `order`.
        MissingRecipient => "missing-recipient",
        /// The template's step has fewer signers than recipients were given.
        TooManyRecipients => "too-many-recipients",
        /// The step orders have a gap.
        OrderGap => "order-gap",
        /// The field belongs to another signer, or is read-only.
        FieldNotWritable => "field-not-writable",
        /// The value is not a number.
        InvalidNumber => "invalid-number",
        /// The number has more decimals than its field shows. Argument `max`.
        TooManyDecimals => "too-many-decimals",
        /// The value is not a date in the form YYYY-MM-DD.
        InvalidDate => "invalid-date",
        /// The value is not one of Y, N, 1, 0, true, false.
        InvalidCheck => "invalid-check",
        /// The value is not one of the field's options.
        InvalidOption => "invalid-option",
        /// The value is a file, but not a PNG or JPEG picture.
        InvalidPicture => "invalid-picture",
        /// The value of a picture field is not base64.
        PictureNotBase64 => "picture-not-base64",
        /// The picture has too many bytes or pixels.
        PictureTooLarge => "picture-too-large",
        /// The picture of a signature or seal is blank.
        PictureBlank => "picture-blank",
        /// The picture is a PNG or JPEG that cannot be read.
        PictureDamaged => "picture-damaged",
        /// The uploads of this link exceed `megabytes` or `files`. Replaced files still count for `minutes`.
        FilesTooLarge => "files-too-large",
        /// The files inside the document exceed `megabytes` in total. This one may have at most `left`.
        EmbeddedTooLarge => "embedded-too-large",
        /// The signer's entries exceed `limit` bytes in total.
        DraftTooLarge => "draft-too-large",
        /// The value is not a file in base64, or the file is too large.
        InvalidFile => "invalid-file",
        /// Fields of this kind accept no value.
        NoValueTaken => "no-value-taken",
        /// No font contains these characters. Argument `characters`.
        MissingGlyph => "missing-glyph",
        /// The text does not fit into its field.
        DoesNotFit => "does-not-fit",
        /// With this number, the later signer's field `name` would show `value`, which is too long for its box.
        CalculationDoesNotFit => "calculation-does-not-fit",
        /// The template's field `name` must be able to show `value`, but cannot.
        FieldNotStampable => "field-not-stampable",
        /// No channel for one-time codes to this person is set up.
        OneTimeCodeUnreachable => "one-time-code-unreachable",
        /// A field's box is smaller than its kind requires. Arguments `name`, `width`, `height` (points),
        /// `least_width`, `least_height` (points), `width_millionths`, `height_millionths` (the minimum values for
        /// FIELDS.json).
        FieldTooSmall => "field-too-small",
        /// The value is not an address that we can call.
        CallbackMalformed => "callback-malformed",
        /// The scheme is not https (or http if the installation allows it).
        CallbackScheme => "callback-scheme",
        /// The address contains a user name or password.
        CallbackUserinfo => "callback-userinfo",
        /// The address contains a fragment.
        CallbackFragment => "callback-fragment",
        /// The installation does not allow this port.
        CallbackPort => "callback-port",
        /// The host name is not a valid DNS name.
        CallbackHost => "callback-host",
        /// The address is not public.
        CallbackNotPublic => "callback-not-public",
        /// Not an address to which a page can lead.
        RedirectMalformed => "redirect-malformed",
        /// The company does not allow the host `name`.
        RedirectHost => "redirect-host",
        /// The `new_name` collides with another resulting name.
        NameCollision => "name-collision",
        /// The idempotency key was already used with a different request.
        IdempotencyKeyReused => "idempotency-key-reused",
        /// The file is not a PDF that we accept. Argument `reason`.
        DocumentRefused => "document-refused",
        /// The PDF has no form fields, and there is no FIELDS.json.
        NoFormFields => "no-form-fields",
        /// The PDF's form has no field with this name, and the entry defines no box.
        UnknownFormField => "unknown-form-field",
        /// FIELDS.json is not valid JSON. Arguments `line` and `column`: the position of the error.
        FieldsNotJson => "fields-not-json",
        /// FIELDS.json has no member with this name here. Argument `allowed`.
        UnknownMember => "unknown-member",
        /// The steps in FIELDS.json skip the step `order`.
        StepGap => "step-gap",
        /// A signer in a step of several signers has no role.
        RoleNeeded => "role-needed",
        /// A field of a step with several signers names no role.
        FieldRoleNeeded => "field-role-needed",
        /// The box has no area, or extends beyond its page.
        BoxOffPage => "box-off-page",
        /// A field of another kind has this name.
        NameOfOtherKind => "name-of-other-kind",
        /// The boxes of one name differ in step or role.
        BoxesDisagree => "boxes-disagree",
        /// The member does not apply to fields of this kind. Argument `allowed`: the kinds.
        MemberNotForKind => "member-not-for-kind",
        /// Cells and lines cannot be combined.
        CellsOrLines => "cells-or-lines",
        /// The value is not a date pattern.
        InvalidDatePattern => "invalid-date-pattern",
        /// The value is not a colour.
        InvalidColor => "invalid-color",
        /// The installation does not have this font. Argument `allowed`.
        UnknownFont => "unknown-font",
        /// Files cannot be added to a document that others have signed.
        EmbedInSigned => "embed-in-signed",
        /// The formula cannot be parsed from the character `position` on.
        FormulaUnreadable => "formula-unreadable",
        /// The formula refers to `name`, which is not a field of kind number or calc.
        FormulaName => "formula-name",
        /// The formula refers to `name`, which is filled in at a later step.
        FormulaLater => "formula-later",
        /// The formula refers to `name`, which another role of the same step fills in.
        FormulaBeside => "formula-beside",
        /// The field `name` depends on its own result.
        FormulaCircle => "formula-circle",
        /// The field's page does not exist in the document. Argument `pages`.
        PageOutOfRange => "page-out-of-range",
        /// The operator's key or certificate cannot be used. Argument `reason`, in English.
        NotSealable => "not-sealable",
        /// The value cannot be drawn in its field.
        NotDrawable => "not-drawable",
        /// The document could remain open after the company loses the ability to seal. Argument `date`: the end of its
        /// seal certificate.
        SealEndsBefore => "seal-ends-before",
        /// The picture cannot be used as the company's logo. Argument `reason`.
        LogoRefused => "logo-refused",
        /// The value is not a company ID, or is a reserved word. Argument `reason`.
        InvalidCompanyId => "invalid-company-id",
        /// The consent to sign electronically is missing.
        ConsentRequired => "consent-required",
        /// The visitor did not agree that their name and address are passed on and kept.
        AgreementRequired => "agreement-required",
        /// This role is reserved for the visitor who opens the link.
        VisitorsPlace => "visitors-place",
        /// The access code is wrong. Argument `left`: the remaining attempts.
        WrongAccessCode => "wrong-access-code",
        /// The CSV file is not encoded in UTF-8.
        SheetNotUtf8 => "sheet-not-utf8",
        /// The file is neither CSV nor a readable workbook. Argument `kind`: the detected type (`pdf`, `xls`,
        /// `open_document`, `picture`), or `other`.
        SheetUnreadable => "sheet-unreadable",
        /// A quote in the CSV file is never closed. Argument `row`.
        SheetQuote => "sheet-quote",
        /// The sheet has no rows below its header.
        SheetEmpty => "sheet-empty",
        /// A cell contains an error, or a formula without its result.
        SheetCell => "sheet-cell",
        /// A part of the form is not valid JSON.
        NotJsonText => "not-json-text",
        /// The one-time code is wrong. Argument `left`: the remaining attempts.
        WrongOneTimeCode => "wrong-one-time-code",
        /// The one-time code was already used, tried too often or not entered in time, or no code was sent.
        OneTimeCodeExpired => "one-time-code-expired",
        /// The filter requires a value that is missing, or the cursor was not issued by us.
        InvalidCursor => "invalid-cursor",
    }
}

codes! {
    /// Reason why the current state does not allow the request (409).
    ConflictCode {
        /// The workflow has ended.
        Finished => "finished",
        /// It is not this signer's turn.
        NotYourTurn => "not-your-turn",
        /// This signer has already approved.
        AlreadyApproved => "already-approved",
        /// The workflow is not complete yet.
        NotComplete => "not-complete",
        /// The workflow is still in progress.
        StillPlaying => "still-playing",
        /// Signers of an embedded workflow receive no messages.
        Embedded => "embedded",
        /// Another request changed the object at the same time.
        Changed => "changed",
        /// The same signer changed entries in another window, and this one does not show them.
        DraftChanged => "draft-changed",
        /// A company with this ID already exists.
        CompanyExists => "company-exists",
        /// The company already has a member with this address.
        MemberExists => "member-exists",
        /// The template is archived.
        Archived => "archived",
        /// There were too many attempts with the access code or the one-time codes. The sender must send the document
        /// again.
        Locked => "locked",
        /// The link was replaced by a newer one.
        LinkReplaced => "link-replaced",
        /// The link was already sent to the signer, or is still being sent.
        LinkWasSent => "link-was-sent",
        /// The holder of the link has assigned the document to someone else.
        HandedOver => "handed-over",
        /// The template does not allow reassigning, or the workflow is embedded.
        NoHandingOver => "no-handing-over",
        /// The delivery is in progress, or its first attempt is about to start.
        UnderWay => "under-way",
        /// The endpoint was stopped.
        EndpointStopped => "endpoint-stopped",
        /// The bulk send has ended.
        BulkFinished => "bulk-finished",
        /// Too many rows of bulk sends are already waiting.
        BulkWaiting => "bulk-waiting",
        /// The client already has the maximum number of webhook secrets. The state is the time when the oldest one
        /// expires.
        TooManySecrets => "too-many-secrets",
        /// The public link was closed.
        LinkClosed => "link-closed",
        /// The public link has reached its limit.
        LinkUsedUp => "link-used-up",
        /// The public link has expired.
        LinkEnded => "link-ended",
        /// The same person has already used the public link.
        LinkTaken => "link-taken",
        /// The last owner of a company can neither be disabled nor be given a lower role.
        LastOwner => "last-owner",
    }
}

codes! {
    /// The action that was repeated too often (429).
    ThrottleCode {
        /// Any other limited action, such as requesting codes.
        Attempts => "throttled",
        /// Reminders, and mails after a correction, to one address.
        AskedLately => "asked-lately",
        /// Starts through public links, from one network address.
        LinkNetwork => "link-network-throttled",
        /// Starts through public links, for one e-mail address or telephone number.
        LinkAddressee => "link-addressee-throttled",
        /// Starts through one public link.
        LinkUses => "link-uses-throttled",
        /// Wrong one-time codes for one contact.
        WrongCodes => "wrong-codes-throttled",
    }
}

codes! {
    /// Reason why the caller lacks permission (403).
    ForbiddenCode {
        /// The company's API is turned off.
        ApiOff => "api-off",
        /// The member's role does not allow it.
        Role => "role",
        /// Only owners and admins may do this.
        AdminsOnly => "admins-only",
        /// Only owners may do this.
        OwnersOnly => "owners-only",
        /// This requires a person's name, which the operator at the command line does not have.
        MembersOnly => "members-only",
        /// Only the operator may do this, at the command line.
        OperatorOnly => "operator-only",
        /// The request came from a page that is not ours.
        CrossSite => "cross-site",
        /// The access code has not been entered yet.
        AccessCode => "access-code",
        /// The one-time code has not been entered yet.
        OneTimeCode => "one-time-code",
        /// Only the document's sender and administrators may do this.
        NotTheSender => "not-the-sender",
    }
}

codes! {
    /// The object that was not found (404).
    Subject {
        Company => "company",
        Member => "member",
        Client => "client",
        Token => "token",
        Template => "template",
        Workflow => "workflow",
        Recipient => "recipient",
        Field => "field",
        Page => "page",
        File => "file",
        Delivery => "delivery",
        /// An endpoint with no past or pending webhooks.
        CallbackAddress => "callback-address",
        Bulk => "bulk",
        PublicLink => "public-link",
        /// A link that is invalid or no longer valid.
        Link => "link",
        /// An endpoint of the API.
        Endpoint => "endpoint",
    }
}
