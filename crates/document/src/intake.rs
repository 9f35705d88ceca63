//! Accepts or refuses a stranger's PDF.
//!
//! An upload is read and then written once in canonical form, and everybody sees only that: decrypted, with one plain
//! cross-reference table, without objects that nothing refers to, and without anything that could change or act after people have
//! signed. Actors and steps:
//!
//! 1. [`inspect`] checks the file against [`Limits`], reads it (`upload`) and refuses it if necessary. A file that breaks the
//!    rules of the format is rebuilt if everything the pages need is there (`whole`), and taken if the sender accepts what was
//!    rebuilt ([`Acceptance`]). It refuses what it cannot keep honestly: a password that is not known, a form that exists only as
//!    XFA, a file without pages, one that had to be rebuilt and that may be signed (`unsigned`).
//!    `showing` and `partial` refuse content that we cannot read, or only in part.
//! 2. All changes are kept separate from the file (`crate::pdf::edit`; `look` has what all of them need). `settle`
//!    corrects what strict readers complain about and lenient ones ignore; `annotations` draws, removes or refuses what
//!    the file leaves to viewers; `groups` removes groups that our renderer would draw over what lies beneath; `layers`
//!    removes what is hidden; `missing_fonts` adds fonts that text lacks; `clean` removes scripts, actions,
//!    attachments, multimedia, XFA and usage rights; `flatten` makes a form part of its pages, and returns its fields, which
//!    `field_labels` calls by the text beside them;
//!    `rewrite` writes what is left.
//! 3. `compare` compares every page with the same page of the upload: the steps by which it is drawn and, if
//!    those differ, the picture. If a page differs, the file is refused: people sign what the sender uploads. `letters`
//!    refuses text that is drawn with other letters than the file means, because its font is not there.
//!
//! A file that others have signed goes another way (`signed`): rewriting would break their
//! signatures, so it is kept byte for byte and only ever extended, if its signatures are intact and
//! allow that; what would have to be removed from it refuses it instead. The sender can accept a copy without the signatures
//! (`unsigned_copy`), which then goes the way of a file that nobody has signed.
//!
//! What a sender reads of all this is the [`Report`]: taken, taken with changes, taken with warnings, or
//! refused, each with typed details that the use-cases put into words in three languages.
//!
//! Everything may fail, because the file is a stranger's. Nothing here trusts it, but it can still drive parser and
//! renderer into endless work, memory exhaustion or stack overflow, so strangers' bytes are inspected only in the
//! limited child processes of `countersign-document-worker`.
//!
//! May use every other room, and none uses this one.

mod actors;
mod annotations;
mod clean;
mod compare;
mod content;
mod field_labels;
mod flatten;
mod form_fields;
mod groups;
mod layers;
mod letters;
mod look;
mod metadata;
mod missing_fonts;
mod partial;
mod report;
mod rewrite;
mod settle;
mod showing;
mod signed;
mod unsigned;
mod unsigned_copy;
mod upload;
mod whole;

pub use annotations::RemovedKind;
pub use compare::{Likeness, compare};
pub use report::{Acceptance, BrokenRule, Change, Rebuilding, RebuiltPart, Refused, Report, Verdict, Warning};

use std::collections::BTreeSet;

use domain::field::Field;
use domain::template::PageSize;
use domain::text::has_overlong_character;
use serde::{Deserialize, Serialize};

use self::flatten::Shows;
use self::look::Look;
use self::upload::Upload;
use crate::marks::stamp::{self, Mark, MarkContent};
use crate::pages::render::Opened;
use crate::pdf::edit::Edits;
use crate::pdf::geometry::PageGeometry;
use crate::pdf::rebuild::Repair;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{File, Object, Objects};
use crate::text::fonts::Fonts;

/// The limits for a file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Maximum size of the file in bytes.
    pub largest_file: u64,
    /// Maximum number of pages.
    pub most_pages: u32,
    /// Maximum length of a page's longer side, in points.
    pub longest_side: f64,
    /// Minimum length of a page's shorter side, in points.
    pub shortest_side: f64,
    /// Maximum size in bytes of one decompressed stream while parsing.
    pub largest_stream: u64,
    /// Maximum number of pixels in one image.
    pub most_pixels: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            largest_file: 50 * 1024 * 1024,
            most_pages: 1_000,
            // 200 inches, the maximum for a page without `UserUnit` (Annex C.2).
            longest_side: 14_400.0,
            // One point. Whether a value fits is checked when its field is placed.
            shortest_side: 1.0,
            largest_stream: 128 * 1024 * 1024,
            // An A2 sheet scanned at 600 dots per inch has 140 million pixels.
            most_pixels: 250_000_000,
        }
    }
}

/// The sender's options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wishes {
    /// The password of the file, if it needs one.
    pub password: Option<String>,
    /// How to handle a form's values.
    pub form: FormValues,
    /// Changes that the sender accepts. Without them, the file would be refused.
    pub accepts: BTreeSet<Acceptance>,
}

impl Wishes {
    fn password(&self) -> Option<&str> {
        self.password.as_deref().filter(|password| !password.is_empty())
    }
}

/// Handling of a form's values. The form itself becomes part of the pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FormValues {
    /// The pages still show them.
    #[default]
    Shown,
    /// They become the default values of a template's fields, and the boxes on the pages become empty.
    Taken,
}

/// An accepted file.
#[derive(Debug, Clone, PartialEq)]
pub struct Intake {
    /// The rewritten file, or the upload itself if it is signed.
    pub pdf: Vec<u8>,
    /// The displayed size of each page.
    pub pages: Vec<PageSize>,
    /// Differences between the file and the upload.
    pub changes: Vec<Change>,
    /// Warnings for the sender before they send the file.
    pub warnings: Vec<Warning>,
    /// The number of existing signatures. If there are any, the file can only be extended.
    pub signatures: u32,
    /// The form's fields that a template can use.
    pub fields: Vec<Field>,
}

impl Intake {
    /// Returns whether the upload has signatures. If so, it is stamped and sealed by extending the file.
    pub fn is_signed(&self) -> bool {
        self.signatures > 0
    }

    /// Returns whether this is a copy without the signatures of the upload.
    pub fn is_copy_without_signatures(&self) -> bool {
        let is_said = |warning: &Warning| matches!(warning, Warning::SignaturesRemoved { .. });
        self.warnings.iter().any(is_said)
    }

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

/// Accepts a file, or returns the reason for refusal.
pub fn inspect(bytes: impl Into<SharedBytes>, limits: &Limits) -> Result<Intake, Refused> {
    inspect_as(bytes, limits, &Wishes::default())
}

/// Accepts a file with the sender's options, or returns the reason for refusal.
pub fn inspect_as(bytes: impl Into<SharedBytes>, limits: &Limits, wishes: &Wishes) -> Result<Intake, Refused> {
    inspect_counting(bytes, limits, wishes, |_| {})
}

/// Like [`inspect_as`], and calls `counted` with the number of pages before any work that grows with that number.
pub fn inspect_counting(
    bytes: impl Into<SharedBytes>,
    limits: &Limits,
    wishes: &Wishes,
    counted: impl FnOnce(u32),
) -> Result<Intake, Refused> {
    let bytes = bytes.into();
    refuse_large_file(&bytes, limits)?;
    let upload = Upload::read(&bytes, wishes.password())?;
    refuse_large_pictures(&upload.view(), limits)?;
    let mut counted = Some(counted);
    let mut count = |pages: usize| {
        if let Some(counted) = counted.take() {
            counted(u32::try_from(pages).unwrap_or(u32::MAX).min(limits.most_pages));
        }
    };
    let refused = if signed::is_signed(&upload.view())? {
        count(upload.view().pages().map_or(0, |pages| pages.len()));
        match signed::take(bytes.clone(), &upload, limits) {
            Err(refused) => Some(refused),
            taken => return taken,
        }
    } else if !upload.is_read_alike() && !unsigned::is_certain(&bytes, upload.was_encrypted()) {
        Some(Refused::DamagedAndMaybeSigned)
    } else {
        None
    };
    let is_copy = match refused {
        None => false,
        Some(refused) if refused.is_helped_by(Acceptance::WithoutSignatures, wishes) => true,
        Some(refused) => return Err(refused),
    };
    take_unsigned(&upload, bytes, (limits, wishes), is_copy, count)
}

/// Accepts a file without signatures, or a copy of a signed one without its signatures.
fn take_unsigned(
    upload: &Upload,
    bytes: SharedBytes,
    (limits, wishes): (&Limits, &Wishes),
    is_copy: bool,
    mut count: impl FnMut(usize),
) -> Result<Intake, Refused> {
    if clean::is_dynamic_xfa(&upload.view()) {
        return Err(Refused::DynamicXfa);
    }
    let mut edits = upload.edits();
    let dropped = settle::settle_page_tree(&mut edits, upload)?;
    count(edits.pages()?.len());
    refuse_many_pages(&edits, limits)?;
    let (mut changes, mut warnings) = read_as(upload);
    if dropped > 0 {
        changes.push(Change::DamageDropped { count: dropped });
    }
    if is_copy {
        let count = unsigned_copy::remove_signatures(&mut edits)?;
        warnings.push(Warning::SignaturesRemoved { count });
    }
    showing::refuse_unreadable(&edits)?;
    let most = usize::try_from(limits.largest_stream).unwrap_or(usize::MAX);
    partial::refuse(&edits, most)?;
    let settled = settle::settle(&mut edits, upload)?;
    changes.extend(settled.changes);
    warnings.extend(settled.warnings);
    let pages = page_sizes(&edits, limits)?;
    let unsettled = edits.clone();
    let seen = annotations::settle(&mut edits)?;
    let is_changed = groups::settle(&mut edits)? || seen.is_changed;
    let settled = is_changed.then_some(&unsettled);
    let mut before = Before::new(&edits, bytes, wishes.password(), &pages, (settled, &mut warnings))?;
    drop(unsettled);
    changes.extend(seen.changes);
    warnings.extend(seen.warnings);
    before.has_hidden = remove_layers(&mut edits, most, &mut changes)?;
    let added = missing_fonts::settle(&mut edits, most)?;
    changes.extend((added.fonts > 0).then_some(Change::AnnotationsDrawn { count: added.fonts }));
    changes.extend((added.drawings > 0).then_some(Change::DamageDropped { count: added.drawings }));
    settle::balance_pages(&mut edits, most)?;
    changes.extend(clean::clean(&mut edits)?);
    if settle::has_external_streams(&edits)? {
        return Err(Refused::ExternalContent);
    }
    if metadata::remove_damaged(&mut edits) {
        changes.push(Change::DamagedMetadataRemoved);
    }
    let claims = metadata::remove_claims(&mut edits)?;
    if !claims.is_empty() {
        warnings.push(Warning::ClaimsRemoved { claims });
    }
    let mut written = if flatten::has_form(&edits)? {
        before.without_form(&edits, wishes.form)?
    } else {
        before.proved(&edits)?
    };
    let pdf = SharedBytes::from(written.pdf);
    letters::refuse_wrong(&edits, pdf.clone())?;
    refuse_rebuilt(upload, wishes)?;
    field_labels::label(&mut written.fields, &pdf, &pages);
    changes.extend(written.changes);
    let changes = each_kind_once(changes);
    warnings.extend(written.warnings);
    Ok(Intake {
        pdf: pdf.into_vec(),
        pages,
        changes,
        warnings,
        signatures: 0,
        fields: written.fields,
    })
}

/// Returns the changes in order. Changes of the same kind from several steps are added up.
fn each_kind_once(mut changes: Vec<Change>) -> Vec<Change> {
    let (mut made, mut drawn, mut dropped) = (0_u32, 0_u32, 0_u32);
    changes.retain(|change| match change {
        Change::AppearancesMade { count } => {
            made = made.saturating_add(*count);
            false
        }
        Change::AnnotationsDrawn { count } => {
            drawn = drawn.saturating_add(*count);
            false
        }
        Change::DamageDropped { count } => {
            dropped = dropped.saturating_add(*count);
            false
        }
        _ => true,
    });
    if made > 0 {
        changes.push(Change::AppearancesMade { count: made });
    }
    if drawn > 0 {
        changes.push(Change::AnnotationsDrawn { count: drawn });
    }
    if dropped > 0 {
        changes.push(Change::DamageDropped { count: dropped });
    }
    changes.sort_unstable();
    changes
}

/// Returns the changes and warnings that result from how we read the upload.
fn read_as(upload: &Upload) -> (Vec<Change>, Vec<Warning>) {
    let (mut changes, mut warnings) = (Vec::new(), Vec::new());
    if upload.was_encrypted() {
        changes.push(Change::Decrypted);
    }
    if let Some((_, repairs)) = upload.repairs() {
        let (guessed, lost, parts) = summed_up(repairs);
        changes.push(Change::Repaired);
        warnings.push(Warning::Rebuilt { guessed, lost, parts });
    }
    (changes, warnings)
}

/// Returns the number of guessed and of lost parts in a damaged file, and the first of each.
fn summed_up(repairs: &[Repair]) -> (u32, u32, Vec<RebuiltPart>) {
    const MOST_LISTED: usize = 50;
    let is_lost = |repair: &&Repair| matches!(repair, Repair::Lost(_) | Repair::Missing(_));
    let lost = repairs.iter().filter(is_lost).count();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let parts = repairs.iter().take(MOST_LISTED).map(RebuiltPart::from);
    (count(repairs.len() - lost), count(lost), parts.collect())
}

/// Refuses a damaged file that could be rebuilt, unless the sender accepts that.
fn refuse_rebuilt(upload: &Upload, wishes: &Wishes) -> Result<(), Refused> {
    let Some((defect, repairs)) = upload.repairs() else {
        return Ok(());
    };
    let (guessed, lost, parts) = summed_up(repairs);
    let refused = Refused::Rebuilt {
        detail: defect.to_string(),
        broken: defect.into(),
        guessed,
        lost,
        parts,
    };
    if refused.is_helped_by(Acceptance::Rebuilt, wishes) {
        Ok(())
    } else {
        Err(refused)
    }
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

/// Removes the layers and the content that they hide. Returns whether there was such content.
fn remove_layers(edits: &mut Edits<'_>, most: usize, changes: &mut Vec<Change>) -> Result<bool, Refused> {
    let layers = layers::remove(edits, most)?;
    if layers.hidden > 0 {
        changes.push(Change::HiddenLayersRemoved { count: layers.hidden });
    }
    if layers.shown > 0 {
        changes.push(Change::LayersMerged { count: layers.shown });
    }
    Ok(layers.hidden > 0)
}

/// The version of the upload that the written file is compared with.
struct Before<'a> {
    /// The bytes that the pages are compared with, and the password that opens them.
    bytes: SharedBytes,
    password: Option<&'a str>,
    upload: SharedBytes,
    pages: &'a [PageSize],
    /// Whether hidden content was removed.
    has_hidden: bool,
}

#[derive(Default)]
struct Written {
    pdf: Vec<u8>,
    changes: Vec<Change>,
    warnings: Vec<Warning>,
    fields: Vec<Field>,
}

impl<'a> Before<'a> {
    /// Usually uses the upload unchanged. If viewers read it differently and the format allows only one reading, or if
    /// our renderer cannot read it, uses our reading of the upload and warns the sender. If annotations were changed so
    /// that all viewers show the same, uses the upload with the changed annotations, after comparing it with the
    /// version before that change (`unsettled`).
    fn new(
        edits: &Edits<'_>,
        upload: SharedBytes,
        password: Option<&'a str>,
        pages: &'a [PageSize],
        (unsettled, warnings): (Option<&Edits<'_>>, &mut Vec<Warning>),
    ) -> Result<Self, Refused> {
        let is_shown = Opened::with_password(upload.clone(), password.unwrap_or_default()).is_ok();
        if !is_shown && !warnings.contains(&Warning::NotCompared) {
            warnings.push(Warning::NotCompared);
        }
        let is_read_differently = warnings
            .iter()
            .any(|warning| matches!(warning, Warning::NotCompared | Warning::DeletedContentGone));
        let mut hiding = edits.clone();
        let is_hiding = layers::hide_annotations(&mut hiding)? > 0;
        let unhidden = unsettled.or(is_hiding.then_some(edits));
        if let Some(unhidden) = unhidden.filter(|_| !is_read_differently) {
            let written = rewrite::rewrite(unhidden, &upload)?;
            compare::same_pages(upload.clone(), password, written, pages)?;
        }
        let reading = if unhidden.is_some() || is_read_differently {
            Some(SharedBytes::from(rewrite::rewrite(&hiding, &upload)?))
        } else {
            None
        };
        Ok(Self {
            password: password.filter(|_| reading.is_none()),
            bytes: reading.unwrap_or_else(|| upload.clone()),
            upload,
            pages,
            has_hidden: false,
        })
    }

    /// Writes the file and checks that all pages look the same as before.
    fn proved(&self, edits: &Edits<'_>) -> Result<Written, Refused> {
        let pdf = SharedBytes::from(rewrite::rewrite(edits, &self.upload)?);
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
    fn without_form(&self, edits: &Edits<'_>, values: FormValues) -> Result<Written, Refused> {
        let mut flat = edits.clone();
        let fields = flatten::flatten(&mut flat, Shows::OfTheFile)?.fields;
        let proved = match self.proved(&flat) {
            Err(Refused::PageWouldChange { page }) if values == FormValues::Shown => {
                return self.with_form(edits, fields, page);
            }
            proved => proved?,
        };
        drop(flat);
        let (mut pdf, mut changes) = (proved.pdf, proved.changes);
        let mut filled = edits.clone();
        let flattened = flatten::flatten(&mut filled, Shows::OfViewers(values))?;
        if values == FormValues::Taken || flattened.made > 0 || flattened.has_boxes {
            pdf = rewrite::rewrite(&filled, &self.upload)?;
        }
        drop(filled);
        if flattened.widgets > 0 {
            changes.push(Change::FormFlattened {
                count: flattened.widgets,
            });
        }
        if flattened.beneath > 0 {
            changes.push(Change::AnnotationsMerged {
                count: flattened.beneath,
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

    /// Writes the file and keeps its form, because flattening would change the appearance of `page`. The seal forbids
    /// filling in the form. Values that the form leaves to viewers would be visible in some programs only.
    fn with_form(&self, edits: &Edits<'_>, fields: Vec<Field>, page: u32) -> Result<Written, Refused> {
        let left = flatten::flatten(&mut edits.clone(), Shows::OfViewers(FormValues::Shown))?;
        if left.made > 0 {
            return Err(Refused::PageWouldChange { page });
        }
        let mut written = self.proved(edits)?;
        written.warnings.push(Warning::FormKept { page });
        let unshown = each_once(left.unshown);
        written
            .warnings
            .extend(unshown.map(|fields| Warning::FormValuesNotShown { fields }));
        Ok(Written { fields, ..written })
    }

    /// Draws values that the file itself did not show, or refuses the file.
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
            // Viewers ignore these characters and show the letters in stored order.
            let is_odd = |text: &str| text.contains(is_direction) || has_overlong_character(text);
            let is_odd = matches!(&mark.content, MarkContent::FormText { text, .. } if is_odd(text));
            if is_odd || size.is_none_or(|size| stamp::prove(&fonts, size, &mark).is_err()) {
                return Err(Refused::FormValueNotDrawn { field });
            }
            proved.push(mark);
        }
        let stamped = stamp::stamp(std::mem::take(pdf), &fonts, &proved).map_err(|_| Refused::NotPdf)?;
        let stamped = File::open(stamped, None)?;
        *pdf = rewrite::rewrite(&Edits::new(stamped.latest()), &self.upload)?;
        Ok(())
    }
}

/// Returns the names sorted and without duplicates. `None` if there are none.
fn each_once(names: Vec<String>) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let names: Vec<String> = names.into_iter().filter(|name| seen.insert(name.clone())).collect();
    (!names.is_empty()).then_some(names)
}

/// Returns whether a character changes the direction of its neighbours (UAX #9, 2.1 to 2.5).
fn is_direction(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn refuse_large_pictures(objects: &impl Objects, limits: &Limits) -> Result<(), Refused> {
    for id in look::used(objects).unwrap_or_default() {
        let Object::Stream(stream) = objects.at(id) else {
            continue;
        };
        if !objects.is_name_in(&stream.dict, b"Subtype", b"Image") {
            continue;
        }
        let side = |key: &[u8]| {
            let length = objects.value_in(&stream.dict, key).and_then(Object::as_i64);
            length.and_then(|length| u64::try_from(length).ok()).unwrap_or(0)
        };
        let pixels = side(b"Width").saturating_mul(side(b"Height"));
        if pixels > limits.most_pixels {
            return Err(Refused::TooManyPixels {
                pixels,
                limit: limits.most_pixels,
            });
        }
    }
    Ok(())
}

fn refuse_many_pages(objects: &impl Objects, limits: &Limits) -> Result<(), Refused> {
    let pages = u32::try_from(objects.pages()?.len()).unwrap_or(u32::MAX);
    match pages {
        0 => Err(Refused::NoPages),
        _ if pages > limits.most_pages => Err(Refused::TooManyPages {
            pages,
            limit: limits.most_pages,
        }),
        _ => Ok(()),
    }
}

fn page_sizes(objects: &impl Objects, limits: &Limits) -> Result<Vec<PageSize>, Refused> {
    let size_of = |(id, page)| {
        PageGeometry::of(objects, objects.page(id)?)
            .ok()
            .map(|geometry| geometry.displayed_size())
            .filter(|size| {
                size.width_points.max(size.height_points) <= limits.longest_side
                    && size.width_points.min(size.height_points) >= limits.shortest_side
            })
            .ok_or(Refused::PageSize {
                page,
                shortest: limits.shortest_side,
                longest: limits.longest_side,
            })
    };
    objects.pages()?.into_iter().zip(1_u32..).map(size_of).collect()
}
