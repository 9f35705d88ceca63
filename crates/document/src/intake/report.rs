//! The report to the sender about an upload: accepted, accepted with changes or warnings, or refused, and why.

use domain::field::Field;
use domain::template::PageSize;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Wishes;
use super::annotations::RemovedKind;
use crate::pdf::defect::DeviationKind;
use crate::pdf::rebuild::Repair;
use crate::pdf::{PdfDefect, Rule};
use crate::verify::Fault;

/// The result in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Accepted unchanged.
    Taken,
    /// Accepted. Hidden parts of the file were changed.
    TakenWithChanges,
    /// Accepted, with warnings for the sender.
    TakenWithWarnings,
    /// Refused.
    Refused,
}

/// The report of intake on a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The result in one word.
    pub verdict: Verdict,
    /// The displayed size of each page. Empty if the file was refused.
    pub pages: Vec<PageSize>,
    /// Differences between the accepted file and the upload.
    pub changes: Vec<Change>,
    /// Warnings for the sender.
    pub warnings: Vec<Warning>,
    /// Number of existing signatures.
    pub signatures: u32,
    /// Fields of the file's form.
    pub fields: Vec<Field>,
    pub refused: Option<Refused>,
}

impl From<Refused> for Report {
    fn from(reason: Refused) -> Self {
        Self {
            verdict: Verdict::Refused,
            pages: Vec::new(),
            changes: Vec::new(),
            warnings: Vec::new(),
            signatures: 0,
            fields: Vec::new(),
            refused: Some(reason),
        }
    }
}

/// How we repaired a part of a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rebuilding {
    /// The file does not begin with a PDF header.
    NoHeader,
    /// Nothing refers to the document catalog. We used an object that is marked as one.
    CatalogGuessed,
    /// The length of a stream was wrong or missing.
    LengthGuessed,
    /// An object has no end.
    EndGuessed,
    /// An object cannot be read and was dropped. No page shows it.
    Lost,
    /// An object is missing from the file. No page shows it.
    Missing,
}

/// A part of a damaged file that was guessed or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RebuiltPart {
    pub part: Rebuilding,
    /// Number of the object, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
}

impl From<&Repair> for RebuiltPart {
    fn from(repair: &Repair) -> Self {
        let (part, object) = match repair {
            Repair::NoHeader => (Rebuilding::NoHeader, None),
            Repair::CatalogGuessed(object) => (Rebuilding::CatalogGuessed, Some(*object)),
            Repair::LengthGuessed(object) => (Rebuilding::LengthGuessed, Some(*object)),
            Repair::EndGuessed(object) => (Rebuilding::EndGuessed, Some(*object)),
            Repair::Lost(defect) => (Rebuilding::Lost, defect.object),
            Repair::Missing(object) => (Rebuilding::Missing, Some(*object)),
        };
        Self {
            part,
            object: object.map(|object| object.number),
        }
    }
}

/// A warning for the sender about an accepted file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "warning", rename_all = "snake_case")]
pub enum Warning {
    /// The file is already signed. The signatures stay valid, and viewers show that content was added later.
    #[error(
        "the file already has {count} signature(s); they stay valid, entries made here are added after them, and \
        viewers show that"
    )]
    AlreadySigned { count: u32 },
    /// The sender chose a copy without the signatures, which looks the same.
    #[error("this is a copy of the file without its {count} signature(s)")]
    SignaturesRemoved {
        /// Number of signatures, or 0 if unknown.
        count: u32,
    },
    /// The file was damaged, and we rebuilt the parts that we could find.
    #[error(
        "the file was damaged and has been rebuilt: we had to guess {guessed} part(s), and lost {lost} that no \
        page shows; check every page"
    )]
    Rebuilt {
        /// Number of parts without an end or a correct length.
        guessed: u32,
        /// Number of missing or unreadable parts. No page shows them.
        lost: u32,
        /// The first of these parts.
        parts: Vec<RebuiltPart>,
    },
    /// Some viewers still show content that is marked as deleted in the file. We removed it.
    #[error(
        "viewers show this file differently: some still show content that was deleted; we removed it, so \
            check the pages"
    )]
    DeletedContentGone,
    /// Our renderer cannot read the upload, only the file that we wrote from the upload.
    #[error(
        "viewers may show this file differently: we could compare it only after we repaired it, so check the \
        pages"
    )]
    NotCompared,
    /// The form stays in the file, because making it part of the pages would change how they look.
    #[error(
        "the form stays in the file, because page {page} would look different without it; nobody can fill it in \
        here"
    )]
    FormKept {
        /// The first such page, starting at 1.
        page: u32,
    },
    /// A signed file keeps its embedded files, because we do not rewrite it.
    #[error("{count} embedded file(s) stay in the signed file; signers do not see them")]
    EmbeddedFilesKept { count: u32 },
    /// Form fields with boxes that are too small for people. They do not become fields of a template.
    #[error("form fields that are too small to see were left out: {}", .fields.join(", "))]
    FormFieldsTooSmall {
        /// Names of these fields.
        fields: Vec<String>,
    },
    /// Form fields with values that no template field can have. They stay on the pages unchanged.
    #[error("form fields whose values cannot be changed here stay on the pages as they look: {}", .fields.join(", "))]
    FormValuesKept {
        /// Names of these fields.
        fields: Vec<String>,
    },
    /// Form fields have values that neither the file nor the pages show.
    #[error("form fields have values that the file and the pages do not show: {}", .fields.join(", "))]
    FormValuesNotShown {
        /// Names of these fields.
        fields: Vec<String>,
    },
    /// Notes and remarks next to the page were removed, because signers would not see them.
    #[error("{count} comment(s) that signers would not see were removed: {}", .notes.join(", "))]
    NotesRemoved {
        count: u32,
        /// The text of the first notes.
        notes: Vec<String>,
    },
    /// The file claimed to conform to standards, which additions may violate, so the claims were removed.
    #[error("the file no longer claims to conform to {}", .claims.join(", "))]
    ClaimsRemoved {
        /// Names of the standards, such as PDF/A-1B.
        claims: Vec<String>,
    },
    /// Attachments with an icon on the page were removed.
    #[error("{count} file(s) attached with an icon on the page were removed: {}", .files.join(", "))]
    AttachmentsRemoved {
        count: u32,
        /// Names of the first attachments.
        files: Vec<String>,
    },
}

/// A change made by intake. The appearance of the pages never changes, except that we draw what viewers would have
/// drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// The file was encrypted, and we could open it.
    #[error("the encryption was removed")]
    Decrypted,
    /// The file's cross-reference table was broken and has been rebuilt.
    #[error("the damaged structure of the file was repaired")]
    Repaired,
    /// Pages had no valid boxes, and now have the ones that viewers assume.
    #[error("{count} page(s) without a valid size now have the size that viewers use")]
    PageSizeAssumed { count: u32 },
    /// Damaged parts that no viewer shows were removed.
    #[error("{count} damaged part(s) that no viewer can show were removed")]
    DamageDropped { count: u32 },
    /// Hidden layers and their content were removed.
    #[error("{count} hidden layer(s) were removed with their content")]
    HiddenLayersRemoved { count: u32 },
    /// Visible layers became part of their pages, so that they cannot be turned off.
    #[error("{count} visible layer(s) became part of the pages")]
    LayersMerged { count: u32 },
    /// Pages are drawn in a different way than before. A comparison of the rendered images proves that they look the
    /// same.
    #[error("{count} page(s) are drawn differently than in the upload, but look the same")]
    PagesRedrawn { count: u32 },
    /// Form fields became part of their pages, so that they cannot be filled in outside our product.
    #[error("{count} form field(s) became part of the pages")]
    FormFlattened { count: u32 },
    /// Annotations beneath form fields became part of their pages together with the fields.
    #[error("{count} annotation(s) beneath form fields became part of the pages")]
    AnnotationsMerged { count: u32 },
    /// Values of form fields had no appearance, and we drew them.
    #[error("{count} form value(s) that the file left to viewers to draw are now drawn on the pages")]
    AppearancesMade { count: u32 },
    /// Marks that the file left to viewers, such as lines through words, were drawn.
    #[error("{count} annotation(s) that the file left to viewers to draw are now drawn on the pages")]
    AnnotationsDrawn { count: u32 },
    /// Annotations that show nothing in print were removed.
    #[error("{count} annotation(s) of the kind {kind:?} that show nothing were removed")]
    AnnotationsRemoved { kind: RemovedKind, count: u32 },
    /// Marks that were not printed before are now printed.
    #[error("{count} annotation(s) that appeared only on screen are now printed too")]
    ScreenOnlyPrinted { count: u32 },
    /// Alternate images for printing were removed.
    #[error("{count} picture(s) that would have printed differently now print as they look on screen")]
    PrintAlternatesRemoved { count: u32 },
    /// Form fields were too small to be filled in, so the template's fields have larger boxes.
    #[error("{count} form field(s) were too small to fill in and now have larger boxes")]
    FormFieldsEnlarged { count: u32 },
    /// The usage rights signature of a form (`/Perms /UR3`) was removed. It is not a person's signature.
    #[error("the usage rights that the form's author granted to certain viewers were removed")]
    UsageRightsRemoved,
    /// The XFA copy of a form was removed. The ordinary fields stay.
    #[error("the XFA copy of the form was removed; its ordinary fields remain")]
    XfaRemoved,
    /// The document's XMP metadata is not well-formed XML and was removed, because programs that validate signatures
    /// may fail on it.
    #[error("the document's description (XMP metadata) could not be read and was removed")]
    DamagedMetadataRemoved,
    /// Scripts were removed.
    #[error("{count} script(s) were removed")]
    ScriptsRemoved { count: u32 },
    /// Other actions were removed, such as opening files, submitting forms, playing media or hiding.
    #[error("{count} action(s) that open, send, play or hide something were removed")]
    ActionsRemoved { count: u32 },
    /// Embedded files were removed.
    #[error("{count} embedded file(s) were removed")]
    EmbeddedFilesRemoved { count: u32 },
    /// Sound, video and 3D scenes were removed. Their images on the page stay.
    #[error("{count} video(s), sound(s) or 3D scene(s) were removed; the pages look the same")]
    MultimediaRemoved { count: u32 },
}

/// A violated rule of the format, with its location.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRule {
    pub rule: Rule,
    /// Position in bytes from the file's header.
    pub offset: usize,
    /// Number of the object, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
}

impl From<&PdfDefect> for BrokenRule {
    fn from(defect: &PdfDefect) -> Self {
        Self {
            rule: defect.rule,
            offset: defect.offset,
            object: defect.object.map(|object| object.number),
        }
    }
}

/// Reasons for refusing a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refused {
    /// The file is too large.
    #[error("the file has {length} bytes; the limit is {limit} bytes")]
    TooLarge {
        /// Size of the file in bytes.
        length: u64,
        limit: u64,
    },
    /// The file is not a PDF, or it is damaged beyond repair.
    #[error("the file is not a PDF or is damaged beyond repair; print it to a new PDF")]
    NotPdf,
    /// The file is truncated or had to be repaired, and parts that its pages need are missing.
    #[error("parts of the file are missing, or it ends too early; get the complete file again")]
    Incomplete,
    /// The file is damaged, and the sender must check the rebuilt file before using it.
    #[error(
        "the file is damaged ({detail}) and can be used only as we rebuilt it: we had to guess {guessed} \
        part(s), and lost {lost} that no page shows; get the file again, or check every page and accept the \
        rebuilt file"
    )]
    Rebuilt {
        /// The violated rule, with its location.
        detail: String,
        #[serde(flatten)]
        broken: BrokenRule,
        /// Number of parts without an end or a correct length.
        guessed: u32,
        /// Number of missing or unreadable parts. No page shows them.
        lost: u32,
        /// The first of these parts.
        parts: Vec<RebuiltPart>,
    },
    /// The file needs a password.
    #[error("the file needs a password; enter it, or save the file without one")]
    NeedsPassword,
    /// The password is wrong.
    #[error("the password does not open the file; enter the correct one, or save the file without one")]
    WrongPassword,
    /// The file uses an encryption that we cannot remove.
    #[error("the file's encryption is not supported; save it without encryption")]
    UnsupportedEncryption,
    /// The file is signed and encrypted. Removing the encryption would break the signatures.
    #[error("the file is signed and encrypted, so nothing can be added to it; send the unsigned version")]
    SignedAndEncrypted,
    /// The file is signed, and its structure is damaged. A repair would break the signatures.
    #[error("the file is signed and its structure is damaged ({detail}); send the unsigned version")]
    SignedAndDamaged {
        /// The violated rule, with its location.
        detail: String,
        #[serde(flatten)]
        broken: BrokenRule,
    },
    /// A later addition to the signed file violates the standard. Programs can read the file, but may read it
    /// differently.
    #[error(
        "the file is signed, and later additions to it break the PDF standard ({detail}); send the unsigned \
        version"
    )]
    SignedLaxly {
        /// The violated rule.
        detail: String,
        deviation: DeviationKind,
        /// Position in bytes.
        offset: usize,
    },
    /// One of the file's signatures matches but proves nothing, because anyone could have created it.
    #[error(
        "the signature {field:?} in the file uses an algorithm that is no longer secure ({algorithm}), so it \
        proves nothing; have the file signed again with SHA-256 and, for RSA, a key of at least 2,048 bits, or \
        send the unsigned version"
    )]
    WeakSignature {
        /// The signature field.
        field: String,
        algorithm: String,
    },
    /// The file is signed, and our renderer does not read it as the format specifies.
    #[error("the file is signed, and programs show different content on page {page}; send the unsigned version")]
    SignedAndReadDifferently {
        /// The first such page, starting at 1.
        page: u32,
    },
    /// Programs read the file differently, so some may show a signature.
    #[error(
        "the file's structure is damaged, so programs may show different content, and some may show a signature; \
        send the unsigned version, or print it to a new PDF"
    )]
    DamagedAndMaybeSigned,
    /// One of the file's signatures is not valid.
    #[error("the signature {field:?} in the file is not valid ({detail}); send the unsigned version")]
    BrokenSignature {
        /// The signature field.
        field: String,
        /// The verifier's reason.
        detail: String,
        fault: Box<Fault>,
    },
    /// A certification forbids our additions.
    #[error(
        "the file is certified, and its certification (level {level}) forbids adding to its pages; send the \
        version from before it was certified"
    )]
    CertificationForbids {
        /// DocMDP level.
        level: u8,
    },
    /// A signature locks the form.
    #[error(
        "the signature {field:?} locks the file's form, so no more signatures can be added; send the unsigned \
        version"
    )]
    LockForbids {
        /// The signature field.
        field: String,
    },
    /// One of the file's signatures does not allow our additions.
    #[error("nothing can be added without breaking the signature {field:?} ({detail}); send the unsigned version")]
    CannotBeExtended {
        /// The signature field. Empty if the reason applies to the whole file.
        field: String,
        /// The verifier's reason, or the error that prevented the attempt.
        detail: String,
        /// The verifier's fault as a value.
        fault: Option<Box<Fault>>,
    },
    /// The signed file's metadata cannot be read, so viewers would report any addition as a forgery.
    #[error(
        "the file is signed, and its description (XMP metadata) cannot be read, so programs would report its \
        signature as broken after any addition; send the unsigned version"
    )]
    SignedWithDamagedMetadata,
    /// The signed file's validation data cannot be read, or leaves no room for ours.
    #[error(
        "the file is signed, and its validation data (DSS) cannot be read or is too large to extend; send the \
        version from before the data was added"
    )]
    SignedWithUnusableValidationData,
    /// A signed file contains parts that we would have to remove.
    #[error(
        "the file is signed and contains scripts, actions, videos, layers or XFA that we would have to remove; \
        send the unsigned version"
    )]
    SignedAndActive,
    /// Content of a page is missing or cannot be decoded.
    #[error("the content of page {page} is missing or cannot be read; get the file again, or print it to a new PDF")]
    ContentLost {
        /// The first such page, starting at 1.
        page: u32,
    },
    /// Part of the visible content is in another file.
    #[error("part of the file's content is in another file, which was not sent with it; print the file to a new PDF")]
    ExternalContent,
    /// The file is a form that only XFA viewers show.
    #[error("the file is a dynamic XFA form, which most PDF viewers cannot show; print it to a new PDF")]
    DynamicXfa,
    /// The file has no pages.
    #[error("the file has no pages")]
    NoPages,
    /// The file has too many pages.
    #[error("the file has {pages} pages; the limit is {limit}")]
    TooManyPages { pages: u32, limit: u32 },
    /// An image has too many pixels.
    #[error("a picture has {pixels} pixels; the limit is {limit}")]
    TooManyPixels { pixels: u64, limit: u64 },
    /// A page has invalid boxes, or is too large or too small.
    #[error("page {page} has no valid size; each side must have {shortest} to {longest} points")]
    PageSize {
        /// Page number, starting at 1.
        page: u32,
        /// Minimum length of the shorter side.
        shortest: f64,
        /// Maximum length of the longer side.
        longest: f64,
    },
    /// A page hides content that cannot be removed without changing how the page looks.
    #[error(
        "page {page} hides content that cannot be removed without changing how the page looks; print the file to \
        a new PDF"
    )]
    HiddenContent {
        /// The first such page, starting at 1.
        page: u32,
    },
    /// The file leaves it to viewers to draw a field's value, and our fonts cannot show it.
    #[error(
        "the value of the form field {field:?} cannot be drawn the way viewers draw it; print the file to a new PDF"
    )]
    FormValueNotDrawn { field: String },
    /// The file leaves an annotation to viewers, and we cannot draw it as they do.
    #[error(
        "page {page} has an annotation ({kind}) that cannot be drawn the way viewers draw it; print the file to a new PDF"
    )]
    AnnotationNotDrawn {
        /// Page number, starting at 1.
        page: u32,
        /// Name of the annotation kind in the format.
        kind: String,
    },
    /// A page has content that is printed but not shown on the screen.
    #[error(
        "page {page} has something ({kind}) that is printed but not shown on the screen; remove it, or print the \
        file to a new PDF"
    )]
    AnnotationPrintsUnseen {
        /// Page number, starting at 1.
        page: u32,
        /// Name of the annotation kind in the format.
        kind: String,
    },
    /// Part of a page uses a compression that we cannot read.
    #[error(
        "part of page {page} is compressed in a way ({filter}) that we cannot read; print the file to a new \
            PDF"
    )]
    UnreadableContent {
        /// Page number, starting at 1.
        page: u32,
        filter: String,
    },
    /// A page has text in a font that is not embedded, and we would show the text wrongly or not at all.
    #[error(
        "page {page} has text in a font that is not in the file ({font}) and cannot be shown as it is meant; save the file \
         with its fonts, or print it to a new PDF"
    )]
    TextNotShown {
        /// Page number, starting at 1.
        page: u32,
        /// Name of the font in the file.
        font: String,
    },
    /// Content blends with the content below its group, which we would show as covered.
    #[error(
        "page {page} has a transparent part that blends with what lies beneath it in a way that cannot be shown; print the \
         file to a new PDF"
    )]
    BlendingNotShown {
        /// The first such page, starting at 1.
        page: u32,
    },
    /// A signed file leaves a drawing to viewers, so only some programs would show it.
    #[error(
        "the file is signed, and page {page} has something ({kind}) that other programs show and people who sign here \
         would not see; send it as it was before it was signed"
    )]
    SignedWithUnseen {
        /// Page number, starting at 1.
        page: u32,
        /// Name of the annotation kind in the format.
        kind: String,
    },
    /// Text in a signed file uses a missing font, so only some programs show it.
    #[error(
        "the file is signed, and page {page} has text whose font ({font}) is missing, so some programs leave the text out; \
         send it as it was before it was signed"
    )]
    SignedWithMissingFont {
        /// Page number, starting at 1.
        page: u32,
        /// Name of the font in the page's content.
        font: String,
    },
    /// Rewriting would change how a page looks.
    #[error("page {page} cannot be kept exactly as it looks; print the file to a new PDF")]
    PageWouldChange {
        /// The first such page, starting at 1.
        page: u32,
    },
    /// The file needs more work or memory than allowed.
    #[error("reading the file takes too much time or memory; print it to a new PDF")]
    TooDemanding,
    /// The file needs more time than a worker has.
    #[error("reading and showing the file takes more than {seconds} s of processor time; print it to a new PDF")]
    TooMuchTime { seconds: u64 },
    /// The file needs more memory than a worker has.
    #[error("reading and showing the file takes more than {megabytes} MB of memory; print it to a new PDF")]
    TooMuchMemory { megabytes: u64 },
}

/// Changes that a sender can accept so that we accept the file. We never make them unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// The rebuilt version of a damaged file.
    Rebuilt,
    /// A copy of the file without the signatures.
    WithoutSignatures,
}

impl Acceptance {
    pub const ALL: [Self; 2] = [Self::Rebuilt, Self::WithoutSignatures];

    /// Returns the name used in requests.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Rebuilt => "rebuilt",
            Self::WithoutSignatures => "without_signatures",
        }
    }
}

impl Refused {
    /// Returns the change that the sender can accept instead, if there is one.
    pub fn acceptance(&self) -> Option<Acceptance> {
        match self {
            Self::Rebuilt { .. } => Some(Acceptance::Rebuilt),
            Self::SignedAndEncrypted
            | Self::SignedAndDamaged { .. }
            | Self::SignedLaxly { .. }
            | Self::WeakSignature { .. }
            | Self::SignedAndReadDifferently { .. }
            | Self::DamagedAndMaybeSigned
            | Self::BrokenSignature { .. }
            | Self::CertificationForbids { .. }
            | Self::LockForbids { .. }
            | Self::CannotBeExtended { .. }
            | Self::SignedWithDamagedMetadata
            | Self::SignedWithUnusableValidationData
            | Self::SignedAndActive
            | Self::SignedWithUnseen { .. }
            | Self::SignedWithMissingFont { .. } => Some(Acceptance::WithoutSignatures),
            _ => None,
        }
    }

    /// Returns whether accepting this change would help and the sender accepts it.
    pub(super) fn is_helped_by(&self, acceptance: Acceptance, wishes: &Wishes) -> bool {
        self.acceptance() == Some(acceptance) && wishes.accepts.contains(&acceptance)
    }

    /// Returns whether the file needs more work or memory than allowed.
    pub fn is_too_demanding(&self) -> bool {
        matches!(
            self,
            Self::TooDemanding | Self::TooMuchTime { .. } | Self::TooMuchMemory { .. }
        )
    }
}
