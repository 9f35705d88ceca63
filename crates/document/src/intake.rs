//! Taking a stranger's PDF in.
//!
//! An upload is rewritten once, so that everything after works on a file of our own making:
//! decrypted, with one plain cross-reference table, without objects that nothing refers to, and
//! without what could change or act after people have signed. Actors and steps:
//!
//! 1. [`inspect`] holds the file against [`Limits`], parses it (repairing a broken
//!    cross-reference table where it can, if nothing that the pages need is missing: `whole`) and refuses
//!    what cannot be kept honestly: a password that is not known, a form that exists only as XFA, a file
//!    without pages, one that programs read differently and that may be signed (`unsigned`).
//! 2. `settle` puts right what strict readers complain of and lenient ones look past; `layers` removes
//!    what is hidden, `clean` scripts, actions, attachments, multimedia, XFA and usage rights;
//!    `flatten` makes a form part of its pages, and hands its fields on; `rewrite` drops unreachable
//!    objects and numbers the rest anew.
//! 3. `compare` renders every page before and after. One pixel of difference at 50 dpi refuses the
//!    file: what the sender uploads is what people sign.
//!
//! A file that others have signed goes another way (`signed`): rewriting would break their
//! signatures, so it is kept byte for byte and only ever extended, if its signatures are intact and
//! allow that; what would have to be removed from it refuses it instead.
//!
//! What a sender reads of all this is the [`Report`]: taken, taken with changes, taken with warnings, or
//! refused, each with typed details that the use-cases put into words in three languages.
//!
//! What may fail: everything, for the file is a stranger's. Nothing here trusts it, but parser and
//! renderer can still be driven into endless work, memory exhaustion or stack overflow, so strangers'
//! bytes are inspected only in the limited child processes of `countersign-document-worker`.
//!
//! May use every other room, and none uses this one.

mod clean;
mod compare;
mod content;
mod flatten;
mod form_fields;
mod layers;
mod metadata;
mod rewrite;
mod settle;
mod signed;
mod unsigned;
mod whole;

use std::collections::BTreeSet;

use domain::field::Field;
use domain::template::PageSize;
use domain::text::has_overlong_character;
use lopdf::xref::XrefEntry;
use lopdf::{Document, LoadOptions, ObjectId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::flatten::Look;
use crate::marks::stamp::{self, Mark, MarkContent};
use crate::pages::render::{Opened, RenderFault};
use crate::pdf::geometry::PageGeometry;
use crate::pdf::shared_bytes::SharedBytes;
use crate::text::fonts::Fonts;
use crate::verify::{Fault, structure};

/// What a file may be at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Bytes of the file.
    pub largest_file: u64,
    /// Pages.
    pub most_pages: u32,
    /// A page's longer side, in points.
    pub longest_side: f64,
    /// A page's shorter side, in points.
    pub shortest_side: f64,
    /// Bytes to which one compressed stream may grow while parsing.
    pub largest_stream: u64,
    /// Pixels of one picture.
    pub most_pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            largest_file: 50 * 1024 * 1024,
            most_pages: 1_000,
            // 200 inches, the most that a page without UserUnit can have (Annex C.2).
            longest_side: 14_400.0,
            // One point: what is smaller is no page. Whether a value fits is told where it is placed.
            shortest_side: 1.0,
            largest_stream: 128 * 1024 * 1024,
            // A sheet of A2 scanned at 600 dots an inch has 140 million.
            most_pixels: 250_000_000,
        }
    }
}

/// What is asked of intake besides the limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wishes {
    /// The password that opens the file, where it needs one.
    pub password: Option<String>,
    /// What becomes of a form's values.
    pub form: FormValues,
}

/// What becomes of the values of a form. The form itself becomes part of the pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormValues {
    /// They stay on the pages as they look.
    #[default]
    Shown,
    /// They become the defaults of a template's fields; on the pages the boxes stay, empty.
    Taken,
}

/// A file that was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Intake {
    /// The file as it was rewritten; of a signed upload the upload itself.
    pub pdf: Vec<u8>,
    /// The displayed size of each page.
    pub pages: Vec<PageSize>,
    /// What the sender is told: how the file differs from the upload.
    pub changes: Vec<Change>,
    /// What the sender should know before sending it.
    pub warnings: Vec<Warning>,
    /// How many signatures others have made in it. With any, it may only be extended.
    pub signatures: u32,
    /// The fields of its form, as a template may have them.
    pub fields: Vec<Field>,
}

impl Intake {
    /// Did others sign it before? Then it is stamped and sealed by extending it.
    pub fn is_signed(&self) -> bool {
        self.signatures > 0
    }

    /// What the sender is told.
    pub fn report(&self) -> Report {
        let verdict = if !self.warnings.is_empty() {
            Verdict::TakenWithWarnings
        } else if !self.changes.is_empty() {
            Verdict::TakenWithChanges
        } else {
            Verdict::Taken
        };
        Report {
            verdict,
            pages: self.pages.clone(),
            changes: self.changes.clone(),
            warnings: self.warnings.clone(),
            signatures: self.signatures,
            fields: self.fields.clone(),
            refused: None,
        }
    }
}

/// The verdict in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Taken as it is.
    Taken,
    /// Taken, and something that does not show was changed.
    TakenWithChanges,
    /// Taken, with something that the sender should know.
    TakenWithWarnings,
    /// Not taken.
    Refused,
}

/// What intake says of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// In one word.
    pub verdict: Verdict,
    /// The displayed size of each page; empty where it was refused.
    pub pages: Vec<PageSize>,
    /// How what was taken differs from the upload.
    pub changes: Vec<Change>,
    /// What the sender should know.
    pub warnings: Vec<Warning>,
    /// How many signatures others have made in it.
    pub signatures: u32,
    /// The fields of its form.
    pub fields: Vec<Field>,
    /// Why it was refused.
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

/// Something that a sender should know of a file that was taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "warning", rename_all = "snake_case")]
pub enum Warning {
    /// Others signed it. Their signatures stay valid, and viewers show that something was added later.
    #[error(
        "the file already carries {count} signature(s); they are kept and stay valid, and what is filled in \
         here is added after them, which viewers show"
    )]
    AlreadySigned {
        /// How many.
        count: u32,
    },
    /// Some viewers still show what the file's own records call deleted; here it is gone.
    #[error("viewers differ on the file: some still show what it calls deleted; here it is gone, so look at the pages")]
    DeletedContentGone,
    /// Our renderer cannot read the upload, only what was written of it.
    #[error(
        "viewers may differ on the file: it could be compared only after it was put in order, so look at the pages"
    )]
    NotCompared,
    /// A signed file keeps its embedded files, for it is not rewritten.
    #[error("{count} embedded file(s) stay in the signed file; nobody is shown them while signing")]
    EmbeddedFilesKept {
        /// How many.
        count: u32,
    },
    /// Fields of the form whose boxes are too small for people; they do not become a template's.
    #[error("form fields too small to be seen were left out: {}", .fields.join(", "))]
    FormFieldsTooSmall {
        /// Their names.
        fields: Vec<String>,
    },
    /// Fields of the form whose values no field of a template could have; they stay on the pages as they look.
    #[error("form fields whose values no field here can have stay on the pages as they look: {}", .fields.join(", "))]
    FormValuesKept {
        /// Their names.
        fields: Vec<String>,
    },
    /// Fields of the form that hold a value while the file shows none; neither do the pages.
    #[error("form fields hold a value that the file does not show, and the pages do not either: {}", .fields.join(", "))]
    FormValuesNotShown {
        /// Their names.
        fields: Vec<String>,
    },
}

/// Something that intake changed. The look of the pages never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Error)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// It was encrypted, and could be opened.
    #[error("the encryption was removed")]
    Decrypted,
    /// Its cross-reference table was broken and has been rebuilt.
    #[error("the damaged structure of the file was repaired")]
    Repaired,
    /// Pages had no valid boxes; they have those now in which viewers show them.
    #[error("{count} page(s) without a valid size are now as large as viewers show them")]
    PageSizeAssumed {
        /// How many.
        count: u32,
    },
    /// Damaged parts that no viewer shows were dropped.
    #[error("{count} damaged part(s) that no viewer can show were dropped")]
    DamageDropped {
        /// How many.
        count: u32,
    },
    /// Layers that were switched off, and what they hid, were removed.
    #[error("{count} hidden layer(s) were removed with what they hid")]
    HiddenLayersRemoved {
        /// How many.
        count: u32,
    },
    /// Layers that are shown became part of their pages, so that nobody can switch them off.
    #[error("{count} visible layer(s) became part of the pages")]
    LayersMerged {
        /// How many.
        count: u32,
    },
    /// Form fields became part of their pages, so that nothing can be filled in past us.
    #[error("{count} form field(s) became part of the pages")]
    FormFlattened {
        /// How many.
        count: u32,
    },
    /// Values of form fields had no look of their own and were drawn.
    #[error("{count} form value(s) that the file did not show itself were drawn")]
    AppearancesMade {
        /// How many.
        count: u32,
    },
    /// Boxes of form fields were too small to be filled in; those of the template's fields are larger.
    #[error("{count} form field(s) too small to be filled in have larger boxes")]
    FormFieldsEnlarged {
        /// How many.
        count: u32,
    },
    /// The usage rights signature of a form (`/Perms /UR3`) was removed; it is no signature of a person.
    #[error("the usage rights that the form's maker granted to certain readers were removed")]
    UsageRightsRemoved,
    /// The XFA copy of a form was removed; the ordinary fields stay.
    #[error("the XFA copy of the form was removed; its ordinary fields stay")]
    XfaRemoved,
    /// The description of the document (XMP) is no well-formed XML and was removed: programs that judge signatures stumble
    /// over it.
    #[error("the description of the document (XMP metadata), which programs could not read, was removed")]
    DamagedMetadataRemoved,
    /// Scripts were removed.
    #[error("{count} script(s) were removed")]
    ScriptsRemoved {
        /// How many.
        count: u32,
    },
    /// Other actions were removed: opening files, sending forms, playing, hiding.
    #[error("{count} action(s) that open, send, play or hide something were removed")]
    ActionsRemoved {
        /// How many.
        count: u32,
    },
    /// Embedded files were removed.
    #[error("{count} embedded file(s) were removed")]
    EmbeddedFilesRemoved {
        /// How many.
        count: u32,
    },
    /// Sound, films and three-dimensional scenes were removed; their pictures on the page stay.
    #[error("{count} film(s), sound(s) or 3D scene(s) were removed; what shows on the page stays")]
    MultimediaRemoved {
        /// How many.
        count: u32,
    },
}

/// Why a file was not taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refused {
    /// Too many bytes.
    #[error("the file has {length} bytes; at most {limit} are taken")]
    TooLarge {
        /// Its bytes.
        length: u64,
        /// How many may be.
        limit: u64,
    },
    /// Not a PDF file, or one beyond repair.
    #[error("the file is not a PDF or is damaged beyond repair; print it to a new PDF")]
    NotPdf,
    /// It ends too early, or had to be repaired, and parts that its pages need are missing.
    #[error("parts of the file are missing, or it ends too early; get it anew, as a whole")]
    Incomplete,
    /// A password is needed to read it.
    #[error("the file needs a password to be opened; give it, or save the file without one")]
    NeedsPassword,
    /// The password that was given does not open it.
    #[error("the password does not open the file; give the right one, or save the file without one")]
    WrongPassword,
    /// Its encryption is one that cannot be removed.
    #[error("the file's encryption is not supported; save it without encryption")]
    UnsupportedEncryption,
    /// It is signed and encrypted: removing the encryption would break the signatures.
    #[error("the file is signed and encrypted, so nothing can be added to it; send it as it was before it was signed")]
    SignedAndEncrypted,
    /// It is signed, and its structure is damaged: repairing it would break the signatures.
    #[error("the file is signed and its structure is damaged; send it as it was before it was signed")]
    SignedAndDamaged,
    /// Programs read it differently, so that some of them may show a signature.
    #[error(
        "the file's structure is damaged, so programs may show different content, and some may show a signature; send \
         the file as it was before it was signed, or print it to a new PDF"
    )]
    DamagedAndMaybeSigned,
    /// One of its signatures does not hold.
    #[error("the signature {field:?} in the file is not valid ({detail}); send the file unsigned")]
    BrokenSignature {
        /// The signature field.
        field: String,
        /// What the verifier says.
        detail: String,
        /// The same, typed.
        fault: Box<Fault>,
    },
    /// A certification forbids what would be added.
    #[error(
        "the file is certified, and its certification (level {level}) forbids adding to its pages; \
         send it as it was before it was certified"
    )]
    CertificationForbids {
        /// DocMDP level.
        level: u8,
    },
    /// A signature locks the form.
    #[error(
        "the signature {field:?} locks the file's form, so no more signatures can be added; send the file unsigned"
    )]
    LockForbids {
        /// The signature field.
        field: String,
    },
    /// What is added would not be called allowed after one of its signatures.
    #[error(
        "nothing can be added to the file that its signature {field:?} allows ({detail}); \
         send it as it was before it was signed"
    )]
    CannotBeExtended {
        /// The signature field; empty where it is the file as a whole.
        field: String,
        /// What the verifier says, or what hindered the try.
        detail: String,
        /// What the verifier says, typed.
        fault: Option<Box<Fault>>,
    },
    /// The description of the signed file cannot be read, so that whatever is added to it is called a forgery.
    #[error(
        "the file is signed, and its description (XMP metadata) is no well-formed XML, so that programs would call \
         everything that is added to it a forgery; send it as it was before it was signed"
    )]
    SignedWithDamagedMetadata,
    /// The validation data of the signed file cannot be read, or are so many that ours would not be read.
    #[error(
        "the file is signed, and its validation data (DSS) cannot be read, or are too many for more to be added; \
         send it as it was before they were added"
    )]
    SignedWithUnusableValidationData,
    /// A signed file holds what would have to be removed.
    #[error(
        "the file is signed, and holds scripts, actions, films, layers or XFA that would have to be removed; \
         send it as it was before it was signed"
    )]
    SignedAndActive,
    /// A part of what the file shows lies in another file.
    #[error("a part of the file's content lies in another file, which is not here; print the file to a new PDF")]
    ExternalContent,
    /// A form that only XFA viewers show.
    #[error("the file is a dynamic XFA form, which shows only in one product; print it to a new PDF")]
    DynamicXfa,
    /// No pages.
    #[error("the file has no pages")]
    NoPages,
    /// Too many pages.
    #[error("the file has {pages} pages; at most {limit} are taken")]
    TooManyPages {
        /// Its pages.
        pages: u32,
        /// How many may be.
        limit: u32,
    },
    /// A picture with too many pixels.
    #[error("a picture has {pixels} pixels; at most {limit} are taken")]
    TooManyPixels {
        /// Its pixels.
        pixels: u64,
        /// How many may be.
        limit: u64,
    },
    /// A page whose boxes make no sense or that is too large or too small.
    #[error("page {page} has no valid size; at least {shortest} and at most {longest} points a side are taken")]
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
        "page {page} hides content that cannot be removed without changing what shows; print the file to a new PDF"
    )]
    HiddenContent {
        /// The first such page, from 1.
        page: u32,
    },
    /// The file leaves it to viewers to draw a field's value, and our letters cannot.
    #[error("the value of the form field {field:?} cannot be drawn as viewers draw it; print the file to a new PDF")]
    FormValueNotDrawn {
        /// The field.
        field: String,
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
}

/// Takes a file in, or says why not.
pub fn inspect(bytes: impl Into<SharedBytes>, limits: &Limits) -> Result<Intake, Refused> {
    inspect_as(bytes, limits, &Wishes::default())
}

/// Takes a file in by the sender's wishes, or says why not.
pub fn inspect_as(bytes: impl Into<SharedBytes>, limits: &Limits, wishes: &Wishes) -> Result<Intake, Refused> {
    inspect_counting(bytes, limits, wishes, |_| {})
}

/// The same; `counted` is told how many pages there are before the work begins that grows with them.
pub fn inspect_counting(
    bytes: impl Into<SharedBytes>,
    limits: &Limits,
    wishes: &Wishes,
    counted: impl FnOnce(u32),
) -> Result<Intake, Refused> {
    let bytes = bytes.into();
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > limits.largest_file {
        return Err(Refused::TooLarge {
            length,
            limit: limits.largest_file,
        });
    }
    let password = wishes.password.as_deref().filter(|password| !password.is_empty());
    let mut document = load(&bytes, limits, password)?;
    let pages = document
        .page_iter()
        .take(usize::try_from(limits.most_pages).unwrap_or(usize::MAX));
    counted(u32::try_from(pages.count()).unwrap_or(u32::MAX));
    refuse_large_pictures(&document, limits)?;
    if signed::is_signed(&document) {
        return signed::take(bytes, document, limits);
    }
    if !structure::is_read_alike(&bytes, &document) && !unsigned::is_certain(&bytes, document.was_encrypted()) {
        return Err(Refused::DamagedAndMaybeSigned);
    }
    if clean::is_dynamic_xfa(&document) {
        return Err(Refused::DynamicXfa);
    }
    let mut changes = Vec::new();
    if document.was_encrypted() {
        changes.push(Change::Decrypted);
    }
    if document.xref_recovery.is_some() {
        changes.push(Change::Repaired);
    }
    let mut settled = settle::settle(&mut document);
    // By our renderer alone; the parser has read it without having to repair anything.
    if document.xref_recovery.is_none()
        && matches!(
            Opened::with_password(bytes.clone(), password.unwrap_or_default()),
            Err(RenderFault::Unreadable)
        )
    {
        settled.warnings.push(Warning::NotCompared);
        settled.readers_differ = true;
    }
    changes.extend(settled.changes.iter().copied());
    let pages = page_sizes(&document, limits)?;
    // Where the upload itself is read differently by viewers, and by the rules of the format only one
    // of them is right, that reading is what the rest is held against.
    let reading = if settled.readers_differ {
        Some(SharedBytes::from(rewrite::rewrite(document.clone(), &bytes)?))
    } else {
        None
    };
    let most = usize::try_from(limits.largest_stream).unwrap_or(usize::MAX);
    let layers = layers::remove(&mut document, most);
    let counted = [
        (layers.hidden, Change::HiddenLayersRemoved { count: layers.hidden }),
        (layers.shown, Change::LayersMerged { count: layers.shown }),
    ];
    changes.extend(
        counted
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(_, change)| change),
    );
    settle::balance_pages(&mut document, most)?;
    changes.extend(clean::clean(&mut document));
    if settle::has_external_streams(&document) {
        return Err(Refused::ExternalContent);
    }
    if metadata::remove_damaged(&mut document) {
        changes.push(Change::DamagedMetadataRemoved);
    }
    let before = Before {
        password: password.filter(|_| reading.is_none()),
        bytes: reading.unwrap_or_else(|| bytes.clone()),
        upload: bytes,
        pages: &pages,
        has_hidden: layers.hidden > 0,
    };
    let written = if flatten::has_form(&document) {
        before.without_form(document, wishes.form)?
    } else {
        Written {
            pdf: before.proved(document)?,
            ..Written::default()
        }
    };
    changes.extend(written.changes);
    changes.sort_unstable();
    settled.warnings.extend(written.warnings);
    Ok(Intake {
        pdf: written.pdf,
        pages,
        changes,
        warnings: settled.warnings,
        signatures: 0,
        fields: written.fields,
    })
}

/// The upload, against which what is written is held.
struct Before<'a> {
    /// What the pages are compared with, and the password that opens it.
    bytes: SharedBytes,
    password: Option<&'a str>,
    upload: SharedBytes,
    pages: &'a [PageSize],
    /// Hidden content was removed.
    has_hidden: bool,
}

#[derive(Default)]
struct Written {
    pdf: Vec<u8>,
    changes: Vec<Change>,
    warnings: Vec<Warning>,
    fields: Vec<Field>,
}

impl Before<'_> {
    /// Writes the file and proves that no page looks different.
    fn proved(&self, document: Document) -> Result<Vec<u8>, Refused> {
        let pdf = SharedBytes::from(rewrite::rewrite(document, &self.upload)?);
        compare::same_pages(self.bytes.clone(), self.password, pdf.clone(), self.pages).map_err(
            |refused| match refused {
                Refused::PageWouldChange { page } if self.has_hidden => Refused::HiddenContent { page },
                other => other,
            },
        )?;
        Ok(pdf.into_vec())
    }

    /// Writes the file with its form made part of the pages, and what its sender is told of that. Where that would show, the form stays, and
    /// nobody can fill it unseen: the seal forbids it.
    fn without_form(&self, document: Document, values: FormValues) -> Result<Written, Refused> {
        let mut flat = document.clone();
        let fields = flatten::flatten(&mut flat, Look::OfTheFile).fields;
        let mut changes = Vec::new();
        let mut pdf = match self.proved(flat) {
            Ok(pdf) => pdf,
            Err(_) if values == FormValues::Shown => {
                return Ok(Written {
                    pdf: self.proved(document)?,
                    fields,
                    ..Written::default()
                });
            }
            Err(refused) => return Err(refused),
        };
        let mut filled = document;
        let flattened = flatten::flatten(&mut filled, Look::OfViewers(values));
        if values == FormValues::Taken || flattened.made > 0 {
            pdf = rewrite::rewrite(filled, &self.upload)?;
        }
        if flattened.widgets > 0 {
            changes.push(Change::FormFlattened {
                count: flattened.widgets,
            });
        }
        self.draw_values(&mut pdf, flattened.marks)?;
        if flattened.made > 0 {
            changes.push(Change::AppearancesMade { count: flattened.made });
        }
        let mut warnings = Vec::new();
        if values == FormValues::Taken {
            if flattened.enlarged > 0 {
                changes.push(Change::FormFieldsEnlarged {
                    count: flattened.enlarged,
                });
            }
            let (too_small, kept) = (each_once(flattened.too_small), each_once(flattened.values_kept));
            warnings.extend(too_small.map(|fields| Warning::FormFieldsTooSmall { fields }));
            warnings.extend(kept.map(|fields| Warning::FormValuesKept { fields }));
        }
        let unshown = each_once(flattened.unshown);
        warnings.extend(unshown.map(|fields| Warning::FormValuesNotShown { fields }));
        Ok(Written {
            pdf,
            changes,
            warnings,
            fields,
        })
    }

    /// Draws values that the file did not show by itself. None is left out unsaid.
    fn draw_values(&self, pdf: &mut Vec<u8>, marks: Vec<(String, Mark)>) -> Result<(), Refused> {
        if marks.is_empty() {
            return Ok(());
        }
        let fonts = Fonts::embedded().map_err(|_| Refused::TooDemanding)?;
        let mut proved = Vec::with_capacity(marks.len());
        for (field, mark) in marks {
            let size = usize::try_from(mark.page)
                .ok()
                .and_then(|page| self.pages.get(page.checked_sub(1)?));
            // Viewers pass over these, and show the letters in the order in which they are written.
            let is_odd = |text: &str| text.contains(is_direction) || has_overlong_character(text);
            let is_odd = matches!(&mark.content, MarkContent::FormText { text, .. } if is_odd(text));
            if is_odd || size.is_none_or(|size| stamp::prove(&fonts, size, &mark).is_err()) {
                return Err(Refused::FormValueNotDrawn { field });
            }
            proved.push(mark);
        }
        let stamped = stamp::stamp(pdf, &fonts, &proved).map_err(|_| Refused::NotPdf)?;
        let document = Document::load_mem(&stamped).map_err(|_| Refused::NotPdf)?;
        *pdf = rewrite::rewrite(document, &self.upload)?;
        Ok(())
    }
}

/// The names in their order, without repetitions; `None` where there are none.
fn each_once(names: Vec<String>) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let names: Vec<String> = names.into_iter().filter(|name| seen.insert(name.clone())).collect();
    (!names.is_empty()).then_some(names)
}

/// A character that turns the direction of those around it (UAX #9, 2.1 to 2.5).
fn is_direction(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn load(bytes: &SharedBytes, limits: &Limits, password: Option<&str>) -> Result<Document, Refused> {
    use lopdf::{DecompressError, Error};
    let closed = if password.is_some() {
        Refused::WrongPassword
    } else {
        Refused::NeedsPassword
    };
    let options = LoadOptions {
        max_decompressed_size: Some(usize::try_from(limits.largest_stream).unwrap_or(usize::MAX)),
        password: password.map(str::to_owned),
        ..LoadOptions::default()
    };
    // Cross-references that lead nowhere: what is in the file may still be found by looking for it.
    let looked_for = || {
        Document::load_mem_with_options(
            bytes,
            LoadOptions {
                force_reconstruct: true,
                ..options.clone()
            },
        )
    };
    let mut is_repaired = false;
    let loaded = match Document::load_mem_with_options(bytes, options.clone()) {
        Ok(document) => {
            is_repaired = document.xref_recovery.is_some();
            Ok(with_misplaced(document, looked_for))
        }
        Err(error @ (Error::InvalidPassword | Error::Decryption(_) | Error::Decompress(_))) => Err(error),
        Err(_) => {
            is_repaired = true;
            looked_for()
        }
    };
    let document = loaded.map_err(|error| match error {
        Error::InvalidPassword => closed.clone(),
        Error::Decryption(_) => Refused::UnsupportedEncryption,
        Error::Decompress(DecompressError::MemoryLimitExceeded { .. }) => Refused::TooDemanding,
        _ => unreadable(bytes),
    })?;
    // Left in place by the reader where the empty password did not open the file.
    if document.is_encrypted() {
        return Err(
            match Opened::with_password(bytes.clone(), password.unwrap_or_default()) {
                Err(RenderFault::NeedsPassword) => closed,
                _ => Refused::UnsupportedEncryption,
            },
        );
    }
    if document.catalog().is_err() {
        return Err(unreadable(bytes));
    }
    if whole::ends_early(bytes) || is_repaired && !whole::has_all_parts(&document) {
        return Err(Refused::Incomplete);
    }
    Ok(document)
}

/// What a file is that cannot be read: the beginning of a PDF, or none.
fn unreadable(bytes: &[u8]) -> Refused {
    if whole::is_beginning(bytes) {
        Refused::Incomplete
    } else {
        Refused::NotPdf
    }
}

/// The document as it is where it is complete, else as it is found by looking through the file: what it refers to may lie
/// elsewhere than its cross-references say, such as in another object stream or at another place of it (7.5.8.3). By the
/// letter that is nothing (7.3.10), but viewers look for it and show it.
fn with_misplaced(document: Document, looked_for: impl FnOnce() -> lopdf::Result<Document>) -> Document {
    let misplaced = misplaced(&document);
    if document.xref_recovery.is_some() || misplaced.is_empty() {
        return document;
    }
    match looked_for() {
        Ok(found) if found.catalog().is_ok() && misplaced.iter().any(|id| found.objects.contains_key(id)) => found,
        _ => document,
    }
}

/// The objects that the file refers to and that are not where its cross-references say they are.
fn misplaced(document: &Document) -> BTreeSet<ObjectId> {
    let mut misplaced: BTreeSet<ObjectId> = document
        .reference_table
        .entries
        .iter()
        .filter_map(|(number, entry)| match entry {
            XrefEntry::Normal { generation, .. } => Some((*number, *generation)),
            XrefEntry::Compressed { .. } => Some((*number, 0)),
            XrefEntry::Free | XrefEntry::UnusableFree => None,
        })
        .filter(|id| !document.objects.contains_key(id))
        .collect();
    if !misplaced.is_empty() {
        let used = clean::used_objects(document);
        misplaced.retain(|id| used.contains(id));
    }
    misplaced
}

fn refuse_large_pictures(document: &Document, limits: &Limits) -> Result<(), Refused> {
    let side = |dictionary: &lopdf::Dictionary, key: &[u8]| {
        let length = dictionary.get(key).ok()?;
        let length = crate::pdf::form::resolve(document, length).as_i64().ok()?;
        u64::try_from(length).ok()
    };
    for object in document.objects.values() {
        if let lopdf::Object::Stream(stream) = object
            && crate::pdf::form::name(document, &stream.dict, b"Subtype") == Some(b"Image")
        {
            let (width, height) = (side(&stream.dict, b"Width"), side(&stream.dict, b"Height"));
            let pixels = width.unwrap_or(0).saturating_mul(height.unwrap_or(0));
            if pixels > limits.most_pixels {
                return Err(Refused::TooManyPixels {
                    pixels,
                    limit: limits.most_pixels,
                });
            }
        }
    }
    Ok(())
}

fn page_sizes(document: &Document, limits: &Limits) -> Result<Vec<PageSize>, Refused> {
    let mut sizes = Vec::new();
    for (id, page) in document.page_iter().zip(1_u32..) {
        if page > limits.most_pages {
            let pages = u32::try_from(document.page_iter().count()).unwrap_or(u32::MAX);
            return Err(Refused::TooManyPages {
                pages,
                limit: limits.most_pages,
            });
        }
        let size = PageGeometry::read(document, id)
            .ok()
            .map(|geometry| geometry.displayed_size())
            .filter(|size| {
                size.width_points.max(size.height_points) <= limits.longest_side
                    && size.width_points.min(size.height_points) >= limits.shortest_side
            });
        sizes.push(size.ok_or(Refused::PageSize {
            page,
            shortest: limits.shortest_side,
            longest: limits.longest_side,
        })?);
    }
    if sizes.is_empty() {
        Err(Refused::NoPages)
    } else {
        Ok(sizes)
    }
}
