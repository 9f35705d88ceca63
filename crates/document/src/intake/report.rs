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

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Accepted as it is.
    Taken,
    /// Accepted. Hidden parts of the file were changed.
    TakenWithChanges,
    /// Accepted, with something that the sender should know.
    TakenWithWarnings,
    /// Refused.
    Refused,
}

/// The report of intake on a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The verdict in one word.
    pub verdict: Verdict,
    /// The displayed size of each page. Empty if the file was refused.
    pub pages: Vec<PageSize>,
    /// How the accepted file differs from the upload.
    pub changes: Vec<Change>,
    /// What the sender should know.
    pub warnings: Vec<Warning>,
    /// The number of existing signatures.
    pub signatures: u32,
    /// The fields of its form.
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

/// What we did about a part of a damaged file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rebuilding {
    /// The file does not begin as a PDF.
    NoHeader,
    /// Nothing refers to the document catalog; we used an object that says it is one.
    CatalogGuessed,
    /// The length of a stream was wrong or missing.
    LengthGuessed,
    /// An object has no end.
    EndGuessed,
    /// An object cannot be read, and is lost. No page shows it.
    Lost,
    /// An object is not in the file. No page shows it.
    Missing,
}

/// A part of a damaged file that was guessed, or is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RebuiltPart {
    pub part: Rebuilding,
    /// The number of the object, if it is known.
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

/// Something that a sender should know about an accepted file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "warning", rename_all = "snake_case")]
pub enum Warning {
    /// Others signed it. Their signatures stay valid, and viewers show that something was added later.
    #[error(
        "the file already has {count} signature(s); they stay valid, entries made here are added after them, and \
        viewers show that"
    )]
    AlreadySigned { count: u32 },
    /// The sender chose a copy without the signatures, which looks the same.
    #[error("this is a copy of the file without its {count} signature(s)")]
    SignaturesRemoved {
        /// The number, or 0 if unknown.
        count: u32,
    },
    /// The file was damaged, and we rebuilt what we could find.
    #[error(
        "the file was damaged and has been rebuilt: we had to guess {guessed} part(s), and lost {lost} that no \
        page shows; check every page"
    )]
    Rebuilt {
        /// How many parts had no end or no correct length.
        guessed: u32,
        /// How many parts that appear on no page are missing or unreadable.
        lost: u32,
        /// The first of these parts.
        parts: Vec<RebuiltPart>,
    },
    /// Some viewers still show what the file's own records call deleted; here it is gone.
    #[error(
        "viewers show this file differently: some still show content that was deleted; we removed it, so \
            check the pages"
    )]
    DeletedContentGone,
    /// Our renderer cannot read the upload, only the file that we wrote from it.
    #[error(
        "viewers may show this file differently: we could compare it only after we repaired it, so check the \
        pages"
    )]
    NotCompared,
    /// Making the form part of the pages would change their look, so it stays as it is.
    #[error(
        "the form stays in the file, because page {page} would look different without it; nobody can fill it in \
        here"
    )]
    FormKept {
        /// The first such page, from 1.
        page: u32,
    },
    /// A signed file keeps its embedded files, because it is not rewritten.
    #[error("{count} embedded file(s) stay in the signed file; signers do not see them")]
    EmbeddedFilesKept { count: u32 },
    /// Fields of the form whose boxes are too small for people; they do not become a template's.
    #[error("form fields too small to be seen were left out: {}", .fields.join(", "))]
    FormFieldsTooSmall {
        /// Their names.
        fields: Vec<String>,
    },
    /// Fields of the form whose values no field of a template could have; they stay on the pages as they look.
    #[error("form fields with values that cannot be entered here stay on the pages as they look: {}", .fields.join(", "))]
    FormValuesKept {
        /// Their names.
        fields: Vec<String>,
    },
    /// Form fields have a value that neither the file nor the pages show.
    #[error("form fields have a value that neither the file nor the pages show: {}", .fields.join(", "))]
    FormValuesNotShown {
        /// Their names.
        fields: Vec<String>,
    },
    /// Notes and remarks next to the page were removed, because signers would not see them.
    #[error("{count} note(s) next to the page's content were removed: {}", .notes.join(", "))]
    NotesRemoved {
        count: u32,
        /// The text of the first notes.
        notes: Vec<String>,
    },
    /// The file claimed to conform to standards, which additions may break, so the claims were removed.
    #[error("the file no longer claims to be {}", .claims.join(", "))]
    ClaimsRemoved {
        /// The standards, as people write them: PDF/A-1B.
        claims: Vec<String>,
    },
    /// Attachments with an icon on the page were removed.
    #[error("{count} attached file(s) with an icon on the page were removed: {}", .files.join(", "))]
    AttachmentsRemoved {
        count: u32,
        /// The names of the first of them.
        files: Vec<String>,
    },
}

/// Something that intake changed. The look of the pages never does, but for what viewers would have drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// It was encrypted, and we could open it.
    #[error("the encryption was removed")]
    Decrypted,
    /// Its cross-reference table was broken and has been rebuilt.
    #[error("the damaged structure of the file was repaired")]
    Repaired,
    /// Pages had no valid boxes, and now have those that viewers use.
    #[error("{count} page(s) without a valid size now have the size that viewers show")]
    PageSizeAssumed { count: u32 },
    /// Damaged parts that no viewer shows were dropped.
    #[error("{count} damaged part(s) that no viewer can show were removed")]
    DamageDropped { count: u32 },
    /// Hidden layers and their content were removed.
    #[error("{count} hidden layer(s) were removed with their content")]
    HiddenLayersRemoved { count: u32 },
    /// Visible layers became part of their pages, so that nobody can turn them off.
    #[error("{count} visible layer(s) became part of the pages")]
    LayersMerged { count: u32 },
    /// Pages are drawn in a different way than before. Comparing their pictures proves that they look the same.
    #[error("{count} page(s) are drawn in a different way than in the upload, and look the same")]
    PagesRedrawn { count: u32 },
    /// Form fields became part of their pages, so that nothing can be filled in outside of our pages.
    #[error("{count} form field(s) became part of the pages")]
    FormFlattened { count: u32 },
    /// Annotations that lay beneath form fields became part of their pages with them.
    #[error("{count} annotation(s) that lay beneath form fields became part of the pages")]
    AnnotationsMerged { count: u32 },
    /// Values of form fields had no look of their own and were drawn.
    #[error("{count} form value(s) that the file left to viewers to draw were drawn")]
    AppearancesMade { count: u32 },
    /// Marks that the file left to viewers, such as lines through words, were drawn.
    #[error("{count} annotation(s) that the file left to viewers to draw were drawn")]
    AnnotationsDrawn { count: u32 },
    /// Annotations that show nothing on paper were removed.
    #[error("{count} annotation(s) of the kind {kind:?} that show nothing were removed")]
    AnnotationsRemoved { kind: RemovedKind, count: u32 },
    /// Marks that were not printed are printed now.
    #[error("{count} annotation(s) that showed only on the screen are now printed too")]
    ScreenOnlyPrinted { count: u32 },
    /// Pictures had others that were printed in their stead.
    #[error("{count} picture(s) that would have looked different in print are now printed as they are shown")]
    PrintAlternatesRemoved { count: u32 },
    /// Form fields were too small to fill in, so the template's fields have larger boxes.
    #[error("{count} form field(s) were too small to fill in and now have larger boxes")]
    FormFieldsEnlarged { count: u32 },
    /// The usage rights signature of a form (`/Perms /UR3`) was removed. It is not a person's signature.
    #[error("the usage rights that the form's author granted to certain viewers were removed")]
    UsageRightsRemoved,
    /// The XFA copy of a form was removed; the ordinary fields stay.
    #[error("the XFA copy of the form was removed; its ordinary fields stay")]
    XfaRemoved,
    /// The description of the document (XMP) is not well-formed XML and was removed: programs that judge signatures
    /// stumble over it.
    #[error("the document's description (XMP metadata) could not be read and was removed")]
    DamagedMetadataRemoved,
    /// Scripts were removed.
    #[error("{count} script(s) were removed")]
    ScriptsRemoved { count: u32 },
    /// Other actions were removed: opening files, sending forms, playing, hiding.
    #[error("{count} action(s) that open, send, play or hide something were removed")]
    ActionsRemoved { count: u32 },
    /// Embedded files were removed.
    #[error("{count} embedded file(s) were removed")]
    EmbeddedFilesRemoved { count: u32 },
    /// Sound, films and three-dimensional scenes were removed; their pictures on the page stay.
    #[error("{count} video(s), sound(s) or 3D scene(s) were removed; the page looks the same")]
    MultimediaRemoved { count: u32 },
}

/// A format rule that a file breaks, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRule {
    pub rule: Rule,
    /// The byte, counted from the file's header.
    pub offset: usize,
    /// The number of the object, when it is known.
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

/// Why a file was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refused {
    /// Too many bytes.
    #[error("the file has {length} bytes; the limit is {limit}")]
    TooLarge {
        /// Its bytes.
        length: u64,
        limit: u64,
    },
    /// Not a PDF file, or damaged beyond repair.
    #[error("the file is not a PDF or is damaged beyond repair; print it to a new PDF")]
    NotPdf,
    /// It ends too early, or had to be repaired, and its pages need missing parts.
    #[error("parts of the file are missing, or it ends too early; get the complete file again")]
    Incomplete,
    /// It is damaged, and the sender must check the rebuilt file before it can be used.
    #[error(
        "the file is damaged ({detail}) and can be used only as we rebuilt it: we had to guess {guessed} \
        part(s), and lost {lost} that no page shows; get the file again, or check every page and accept the \
        rebuilt file"
    )]
    Rebuilt {
        /// The broken rule, and where.
        detail: String,
        #[serde(flatten)]
        broken: BrokenRule,
        /// How many parts had no end or no correct length.
        guessed: u32,
        /// How many parts that appear on no page are missing or unreadable.
        lost: u32,
        /// The first of these parts.
        parts: Vec<RebuiltPart>,
    },
    /// A password is needed to read it.
    #[error("the file needs a password; enter it, or save the file without one")]
    NeedsPassword,
    /// The password does not open it.
    #[error("the password does not open the file; enter the right one, or save the file without one")]
    WrongPassword,
    /// Its encryption is one that cannot be removed.
    #[error("the file's encryption is not supported; save it without encryption")]
    UnsupportedEncryption,
    /// It is signed and encrypted. Removing the encryption would break the signatures.
    #[error("the file is signed and encrypted, so nothing can be added to it; send the unsigned version")]
    SignedAndEncrypted,
    /// It is signed, and its structure is damaged. A repair would break the signatures.
    #[error("the file is signed and its structure is damaged ({detail}); send the unsigned version")]
    SignedAndDamaged {
        /// The broken rule, and where.
        detail: String,
        #[serde(flatten)]
        broken: BrokenRule,
    },
    /// A later addition to the signed file does not follow the standard exactly. Programs can read it, but may read it
    /// differently.
    #[error(
        "the file is signed, and later additions to it break the PDF standard ({detail}); send the unsigned \
        version"
    )]
    SignedLaxly {
        /// The rule that it breaks.
        detail: String,
        deviation: DeviationKind,
        /// The byte.
        offset: usize,
    },
    /// One of its signatures matches but proves nothing, because anyone could have made it.
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
    /// It is signed, and our renderer reads it differently than the format specifies.
    #[error("the file is signed, and programs show different content on page {page}; send the unsigned version")]
    SignedAndReadDifferently {
        /// The first such page, from 1.
        page: u32,
    },
    /// Programs read it differently, so some may show a signature.
    #[error(
        "the file's structure is damaged, so programs may show different content, and some may show a signature; \
        send the unsigned version, or print it to a new PDF"
    )]
    DamagedAndMaybeSigned,
    /// One of its signatures is not valid.
    #[error("the signature {field:?} in the file is not valid ({detail}); send the unsigned version")]
    BrokenSignature {
        /// The signature field.
        field: String,
        /// The verifier's reason.
        detail: String,
        fault: Box<Fault>,
    },
    /// A certification forbids what would be added.
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
    /// One of its signatures does not allow our additions.
    #[error("the signature {field:?} in the file does not allow any additions ({detail}); send the unsigned version")]
    CannotBeExtended {
        /// The signature field. Empty if the whole file is meant.
        field: String,
        /// The verifier's reason, or what prevented the attempt.
        detail: String,
        /// The verifier's fault, typed.
        fault: Option<Box<Fault>>,
    },
    /// The signed file's description cannot be read, so viewers would report any addition as forgery.
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
        /// The first such page, from 1.
        page: u32,
    },
    /// Part of the visible content is in another file.
    #[error("part of the file's content is in another file, which we do not have; print the file to a new PDF")]
    ExternalContent,
    /// A form that only XFA viewers show.
    #[error("the file is a dynamic XFA form, which only one product can show; print it to a new PDF")]
    DynamicXfa,
    /// No pages.
    #[error("the file has no pages")]
    NoPages,
    /// Too many pages.
    #[error("the file has {pages} pages; the limit is {limit}")]
    TooManyPages { pages: u32, limit: u32 },
    /// A picture with too many pixels.
    #[error("a picture has {pixels} pixels; the limit is {limit}")]
    TooManyPixels { pixels: u64, limit: u64 },
    /// A page whose boxes make no sense or that is too large or too small.
    #[error("page {page} has no valid size; each side must have {shortest} to {longest} points")]
    PageSize {
        /// The page, from 1.
        page: u32,
        /// Least length of its shorter side.
        shortest: f64,
        /// Greatest length of its longer side.
        longest: f64,
    },
    /// Something is hidden that cannot be removed without changing a page.
    #[error(
        "page {page} hides content that cannot be removed without changing how the page looks; print the file to \
        a new PDF"
    )]
    HiddenContent {
        /// The first such page, from 1.
        page: u32,
    },
    /// The file leaves it to viewers to draw a field's value, and our letters cannot.
    #[error("the value of the form field {field:?} cannot be drawn as viewers draw it; print the file to a new PDF")]
    FormValueNotDrawn { field: String },
    /// The file leaves an annotation to viewers that we cannot draw as they do.
    #[error(
        "page {page} has an annotation ({kind}) that cannot be drawn as viewers draw it; print the file to a new PDF"
    )]
    AnnotationNotDrawn {
        /// The page, from 1.
        page: u32,
        /// The format's name for it.
        kind: String,
    },
    /// Something is printed that does not show on the screen.
    #[error(
        "page {page} has something ({kind}) that is printed but not shown on the screen; remove it, or print the \
        file to a new PDF"
    )]
    AnnotationPrintsUnseen {
        /// The page, from 1.
        page: u32,
        /// The format's name for it.
        kind: String,
    },
    /// Part of a page is compressed in a way that we cannot read.
    #[error(
        "part of page {page} is compressed in a way ({filter}) that we cannot read; print the file to a new \
            PDF"
    )]
    UnreadableContent {
        /// The page, from 1.
        page: u32,
        filter: String,
    },
    /// Text in a font that is not in the file, which we would show wrongly or not at all.
    #[error(
        "page {page} has text in a font that is not in the file ({font}) and cannot be shown as it is meant; save the file \
         with its fonts, or print it to a new PDF"
    )]
    TextNotShown {
        /// The page, from 1.
        page: u32,
        /// The font, as the file names it.
        font: String,
    },
    /// Something blends with the content below its group, which we would show as covered.
    #[error(
        "page {page} has a transparent part that blends with what lies beneath it in a way that cannot be shown; print the \
         file to a new PDF"
    )]
    BlendingNotShown {
        /// The first such page, from 1.
        page: u32,
    },
    /// A signed file leaves a drawing to viewers, so some people would see it and others not.
    #[error(
        "the file is signed, and page {page} has something ({kind}) that other programs show and people who sign here \
         would not see; send it as it was before it was signed"
    )]
    SignedWithUnseen {
        /// The page, from 1.
        page: u32,
        /// The format's name for it.
        kind: String,
    },
    /// Text of a signed file names a font that does not exist, so some programs show it and others do not.
    #[error(
        "the file is signed, and page {page} has text whose font ({font}) is missing, so some programs leave the text out; \
         send it as it was before it was signed"
    )]
    SignedWithMissingFont {
        /// The page, from 1.
        page: u32,
        /// The name that the page's content uses for it.
        font: String,
    },
    /// Rewriting would change how a page looks.
    #[error("page {page} cannot be kept exactly as it looks; print the file to a new PDF")]
    PageWouldChange {
        /// The first such page, from 1.
        page: u32,
    },
    /// The file asks for more work or memory than is allowed.
    #[error("the file needs too much time or memory to be read; print it to a new PDF")]
    TooDemanding,
    /// It needs more time than a worker has.
    #[error("the file needs more than {seconds} s of a processor to be read and shown; print it to a new PDF")]
    TooMuchTime { seconds: u64 },
    /// It needs more memory than a worker has.
    #[error("the file needs more than {megabytes} MB of memory to be read and shown; print it to a new PDF")]
    TooMuchMemory { megabytes: u64 },
}

/// What a sender can accept so that we accept the file. We never do this unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acceptance {
    /// A damaged file, as it was rebuilt.
    Rebuilt,
    /// A copy without the signatures.
    WithoutSignatures,
}

impl Acceptance {
    pub const ALL: [Self; 2] = [Self::Rebuilt, Self::WithoutSignatures];

    /// The word for it in requests.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Rebuilt => "rebuilt",
            Self::WithoutSignatures => "without_signatures",
        }
    }
}

impl Refused {
    /// The change that the sender can accept instead, if one helps.
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

    /// Whether accepting this would help, and whether the sender accepts it.
    pub(super) fn is_helped_by(&self, acceptance: Acceptance, wishes: &Wishes) -> bool {
        self.acceptance() == Some(acceptance) && wishes.accepts.contains(&acceptance)
    }

    /// Whether it needs more work or memory than is allowed.
    pub fn is_too_demanding(&self) -> bool {
        matches!(
            self,
            Self::TooDemanding | Self::TooMuchTime { .. } | Self::TooMuchMemory { .. }
        )
    }
}
