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
//! 3. `compare` holds every page against the same page of the upload: the steps by which it is drawn, and where
//!    those differ the picture. A page that differs refuses the file: what the sender uploads is what people sign.
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
mod report;
mod rewrite;
mod settle;
mod signed;
mod unsigned;
mod whole;

pub use compare::{Likeness, compare};
pub use report::{Change, Refused, Report, Verdict, Warning};

use std::collections::BTreeSet;

use domain::field::Field;
use domain::template::PageSize;
use domain::text::has_overlong_character;
use lopdf::xref::XrefEntry;
use lopdf::{Document, LoadOptions, ObjectId};
use serde::{Deserialize, Serialize};

use self::flatten::Look;
use crate::marks::stamp::{self, Mark, MarkContent};
use crate::pages::render::{Opened, RenderFault};
use crate::pdf::geometry::PageGeometry;
use crate::pdf::shared_bytes::SharedBytes;
use crate::text::fonts::Fonts;
use crate::verify::structure;

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
    refuse_large_file(&bytes, limits)?;
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
    let mut settled = settled(&mut document, &bytes, password);
    changes.extend(settled.changes.iter().copied());
    let pages = page_sizes(&document, limits)?;
    // Where the upload itself is read differently by viewers, and by the rules of the format only one
    // of them is right, that reading is what the rest is held against, and the sender is warned.
    let reading = if settled.warnings.is_empty() {
        None
    } else {
        Some(SharedBytes::from(rewrite::rewrite(document.clone(), &bytes)?))
    };
    let most = usize::try_from(limits.largest_stream).unwrap_or(usize::MAX);
    let has_hidden = remove_layers(&mut document, most, &mut changes);
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
        has_hidden,
    };
    let written = if flatten::has_form(&document) {
        before.without_form(document, wishes.form)?
    } else {
        before.proved(document)?
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

fn refuse_large_file(bytes: &[u8], limits: &Limits) -> Result<(), Refused> {
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > limits.largest_file {
        return Err(Refused::TooLarge {
            length,
            limit: limits.largest_file,
        });
    }
    Ok(())
}

/// Puts the upload right, and says where our renderer cannot read it as it came.
fn settled(document: &mut Document, bytes: &SharedBytes, password: Option<&str>) -> settle::Settled {
    let mut settled = settle::settle(document);
    // By our renderer alone; the parser has read it without having to repair anything.
    if document.xref_recovery.is_none()
        && !settled.warnings.contains(&Warning::NotCompared)
        && matches!(
            Opened::with_password(bytes.clone(), password.unwrap_or_default()),
            Err(RenderFault::Unreadable)
        )
    {
        settled.warnings.push(Warning::NotCompared);
    }
    settled
}

/// Removes the layers, and tells whether something that they hid is gone with them.
fn remove_layers(document: &mut Document, most: usize, changes: &mut Vec<Change>) -> bool {
    let layers = layers::remove(document, most);
    if layers.hidden > 0 {
        changes.push(Change::HiddenLayersRemoved { count: layers.hidden });
    }
    if layers.shown > 0 {
        changes.push(Change::LayersMerged { count: layers.shown });
    }
    layers.hidden > 0
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
    fn proved(&self, document: Document) -> Result<Written, Refused> {
        let pdf = SharedBytes::from(rewrite::rewrite(document, &self.upload)?);
        let compared = compare::same_pages(self.bytes.clone(), self.password, pdf.clone(), self.pages);
        let redrawn = compared.map_err(|refused| match refused {
            Refused::PageWouldChange { page } if self.has_hidden => Refused::HiddenContent { page },
            other => other,
        })?;
        Ok(Written {
            pdf: pdf.into_vec(),
            changes: Vec::from_iter((redrawn > 0).then_some(Change::PagesRedrawn { count: redrawn })),
            ..Written::default()
        })
    }

    /// Writes the file with its form flattened into the pages, and reports that to the sender.
    fn without_form(&self, document: Document, values: FormValues) -> Result<Written, Refused> {
        let mut flat = document.clone();
        let fields = flatten::flatten(&mut flat, Look::OfTheFile).fields;
        let proved = match self.proved(flat) {
            Err(Refused::PageWouldChange { page }) if values == FormValues::Shown => {
                return self.with_form(document, fields, page);
            }
            proved => proved?,
        };
        let (mut pdf, mut changes) = (proved.pdf, proved.changes);
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

    /// Writes the file with its form, which would change `page` as a part of it. The seal forbids to fill it in; values that it
    /// leaves to viewers would be seen by some people alone.
    fn with_form(&self, document: Document, fields: Vec<Field>, page: u32) -> Result<Written, Refused> {
        let left = flatten::flatten(&mut document.clone(), Look::OfViewers(FormValues::Shown));
        if left.made > 0 {
            return Err(Refused::PageWouldChange { page });
        }
        let mut written = self.proved(document)?;
        written.warnings.push(Warning::FormKept { page });
        let unshown = each_once(left.unshown);
        written
            .warnings
            .extend(unshown.map(|fields| Warning::FormValuesNotShown { fields }));
        Ok(Written { fields, ..written })
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
        let stamped = stamp::stamp(std::mem::take(pdf), &fonts, &proved).map_err(|_| Refused::NotPdf)?;
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
