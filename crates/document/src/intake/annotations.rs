//! Leaves no part of an annotation's appearance to viewers (ISO 32000-2, 12.5).
//!
//! Our renderer draws only the appearances in the file. Other programs draw more: a line through words, a text box, a
//! tick for which the file contains only the state. We draw these as appearances, so that signers see them and all
//! viewers later show the same. We remove annotations that can only be opened or played, and show their text to the
//! sender. We refuse unknown kinds by name ([decision 30]).
//!
//! [decision 30]: ../../../../docs/adr/0030-nothing-is-left-to-the-viewer.md

mod appearance;
mod canvas;
mod lines;
mod markup;
mod texts;
mod widgets;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use self::appearance::{Appearance, paints, with_box};
use self::canvas::{Canvas, corners};
use self::markup::Shape;
use self::texts::{Texts, Whose};
use super::look::{Look, dict, edit_dict};
use super::{Change, Refused, Warning};
use crate::pdf::edit::Edits;
use crate::pdf::geometry::Rectangle;
use crate::pdf::{Dict, Object, Objects as _, Ref};

/// Annotation flags (12.5.3), as bits.
const INVISIBLE: i64 = 1;
const HIDDEN: i64 = 1 << 1;
const PRINT: i64 = 1 << 2;
const NO_ZOOM: i64 = 1 << 3;
const NO_ROTATE: i64 = 1 << 4;
const NO_VIEW: i64 = 1 << 5;
const TOGGLE_NO_VIEW: i64 = 1 << 8;
/// Maximum number of notes quoted in a warning.
const MOST_NOTES: usize = 50;
const LONGEST_NOTE: usize = 200;
const LONGEST_KIND: usize = 32;

/// Kinds of annotations that are removed if they have no appearance. Programs show their content on screen only, not in
/// print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemovedKind {
    /// The window of a note.
    Popup,
    Sound,
    /// A movie.
    Movie,
    /// An area that plays media.
    Screen,
    /// A three-dimensional scene.
    ThreeD,
    /// Flash and similar content.
    RichMedia,
    /// A mark that printers add outside the page.
    PrinterMark,
    /// Colours for printing presses.
    TrapNet,
    /// A watermark without an appearance.
    Watermark,
    /// Hidden on screen and in print.
    Hidden,
    /// An annotation that no viewer draws.
    Empty,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Settled {
    pub(super) changes: Vec<Change>,
    pub(super) warnings: Vec<Warning>,
    /// Whether an annotation or image differs from the upload.
    pub(super) is_changed: bool,
}

/// Content that other programs show but our signers would not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unseen {
    /// Page number, starting at 1.
    pub(super) page: u32,
    /// The kind of annotation by its name in the format. `Alternates` for images.
    pub(super) kind: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Highlight,
    Underline,
    Squiggly,
    StrikeOut,
    Square,
    Circle,
    Line,
    Ink,
    Polygon,
    PolyLine,
    FreeText,
    Stamp,
    Caret,
    Link,
    Widget,
    Note,
    Attachment,
    Redact,
    Played(RemovedKind),
    Unknown,
}

impl Kind {
    fn of(objects: &impl Look, annotation: &Dict) -> Self {
        let Some(name) = objects.name_in(annotation, b"Subtype") else {
            return Self::Unknown;
        };
        match &*name {
            b"Highlight" => Self::Highlight,
            b"Underline" => Self::Underline,
            b"Squiggly" => Self::Squiggly,
            b"StrikeOut" => Self::StrikeOut,
            b"Square" => Self::Square,
            b"Circle" => Self::Circle,
            b"Line" => Self::Line,
            b"Ink" => Self::Ink,
            b"Polygon" => Self::Polygon,
            b"PolyLine" => Self::PolyLine,
            b"FreeText" => Self::FreeText,
            b"Stamp" => Self::Stamp,
            b"Caret" => Self::Caret,
            b"Link" => Self::Link,
            b"Widget" => Self::Widget,
            b"Text" => Self::Note,
            b"FileAttachment" => Self::Attachment,
            b"Redact" => Self::Redact,
            b"Popup" => Self::Played(RemovedKind::Popup),
            b"Sound" => Self::Played(RemovedKind::Sound),
            b"Movie" => Self::Played(RemovedKind::Movie),
            b"Screen" => Self::Played(RemovedKind::Screen),
            b"3D" => Self::Played(RemovedKind::ThreeD),
            b"RichMedia" => Self::Played(RemovedKind::RichMedia),
            b"PrinterMark" => Self::Played(RemovedKind::PrinterMark),
            b"TrapNet" => Self::Played(RemovedKind::TrapNet),
            b"Watermark" => Self::Played(RemovedKind::Watermark),
            _ => Self::Unknown,
        }
    }

    /// Returns whether `Contents` is a remark that viewers show next to the page, rather than the annotation's own
    /// text.
    fn has_remark(self) -> bool {
        matches!(
            self,
            Self::Highlight
                | Self::Underline
                | Self::Squiggly
                | Self::StrikeOut
                | Self::Square
                | Self::Circle
                | Self::Line
                | Self::Ink
                | Self::Polygon
                | Self::PolyLine
                | Self::Stamp
                | Self::Caret
        )
    }

    /// Returns whether viewers draw this kind without an appearance.
    fn is_drawn(self) -> bool {
        self.has_remark() || self == Self::FreeText
    }
}

/// Returns the kind by its name in the format, for messages.
fn kind_name(objects: &impl Look, annotation: &Dict) -> String {
    let name = objects.name_in(annotation, b"Subtype").unwrap_or_default();
    let name = String::from_utf8_lossy(&name).into_owned();
    name.chars().filter(|c| !c.is_control()).take(LONGEST_KIND).collect()
}

fn flags(objects: &impl Look, annotation: &Dict) -> i64 {
    let flags = objects.value_in(annotation, b"F").and_then(Object::as_i64);
    flags.unwrap_or(0)
}

/// Returns the text on one line, truncated to a readable length.
fn short(text: &str) -> String {
    let mut text: String = text
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST_NOTE + 1)
        .collect();
    if text.chars().count() > LONGEST_NOTE {
        text.pop();
        text.push('…');
    }
    text
}

/// Decision about an annotation.
enum Fate {
    Kept,
    Changed(Dict),
    Removed,
}

#[derive(Default)]
struct Done {
    texts: Texts,
    drawn: u32,
    looks: u32,
    removed: BTreeMap<RemovedKind, u32>,
    printed: u32,
    notes: (u32, Vec<String>),
    files: (u32, Vec<String>),
    is_stale: bool,
    is_changed: bool,
}

fn count(number: &mut u32) {
    *number = number.saturating_add(1);
}

fn tell((number, texts): &mut (u32, Vec<String>), text: &str) {
    count(number);
    let text = short(text);
    if texts.len() < MOST_NOTES && !text.is_empty() {
        texts.push(format!("“{text}”"));
    }
}

/// Settles all annotations, so that every viewer shows and prints what our renderer draws.
pub(super) fn settle(edits: &mut Edits<'_>) -> Result<Settled, Refused> {
    let form = edits.dict_of_catalog(b"AcroForm");
    let needs = form.and_then(|form| edits.value_in(form, b"NeedAppearances"));
    let mut done = Done {
        is_stale: needs.and_then(Object::as_bool) == Some(true),
        ..Done::default()
    };
    // An annotation can be on several pages.
    let mut known: BTreeMap<Ref, bool> = BTreeMap::new();
    for (page, number) in edits.pages().unwrap_or_default().into_iter().zip(1_u32..) {
        let Some(items) = edits.dict_at(page).and_then(|page| edits.array_in(page, b"Annots")) else {
            continue;
        };
        let items = items.to_vec();
        let mut kept = Vec::with_capacity(items.len());
        for item in &items {
            if let Object::Ref(id) = item
                && let Some(is_kept) = known.get(id)
            {
                kept.extend(is_kept.then(|| item.clone()));
                continue;
            }
            let Object::Dict(annotation) = edits.follow(item).clone() else {
                continue;
            };
            let fate = done.settle_one(edits, number, &annotation)?;
            done.is_changed |= !matches!(fate, Fate::Kept);
            if let Object::Ref(id) = item {
                known.insert(*id, !matches!(fate, Fate::Removed));
            }
            match (fate, item) {
                (Fate::Kept, _) => kept.push(item.clone()),
                (Fate::Changed(changed), Object::Ref(id)) => {
                    edits.put(*id, changed);
                    kept.push(item.clone());
                }
                (Fate::Changed(changed), _) => kept.push(changed.into()),
                // The annotation is removed, even if other objects refer to it.
                (Fate::Removed, Object::Ref(id)) => edits.put(*id, Object::Null),
                (Fate::Removed, _) => {}
            }
        }
        if kept != items
            && let Some(page) = edit_dict(edits, page)
        {
            if kept.is_empty() {
                page.remove(b"Annots");
            } else {
                page.set(b"Annots", kept);
            }
        }
    }
    let mut settled = done.finish(edits)?;
    let alternates = remove_alternates(edits);
    if alternates > 0 {
        settled
            .changes
            .push(Change::PrintAlternatesRemoved { count: alternates });
    }
    Ok(settled)
}

/// Removes alternate images, which are used for printing. Returns the number of images that had some.
fn remove_alternates(edits: &mut Edits<'_>) -> u32 {
    let found = super::showing::alternates(edits);
    for (_, picture) in &found {
        if let Ok(Some(dict)) = edits.edit_dict(*picture) {
            dict.remove(b"Alternates");
        }
    }
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

impl Done {
    fn finish(self, edits: &mut Edits<'_>) -> Result<Settled, Refused> {
        self.texts.finish(edits)?;
        let mut settled = Settled {
            is_changed: self.is_changed,
            ..Settled::default()
        };
        let counted = [
            (self.drawn, Change::AnnotationsDrawn { count: self.drawn }),
            (self.looks, Change::AppearancesMade { count: self.looks }),
            (self.printed, Change::ScreenOnlyPrinted { count: self.printed }),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        settled.changes.extend(counted.map(|(_, change)| change));
        let removed = self.removed.into_iter();
        settled
            .changes
            .extend(removed.map(|(kind, count)| Change::AnnotationsRemoved { kind, count }));
        if self.notes.0 > 0 {
            settled.warnings.push(Warning::NotesRemoved {
                count: self.notes.0,
                notes: self.notes.1,
            });
        }
        if self.files.0 > 0 {
            settled.warnings.push(Warning::AttachmentsRemoved {
                count: self.files.0,
                files: self.files.1,
            });
        }
        Ok(settled)
    }

    fn remove(&mut self, kind: RemovedKind) -> Fate {
        count(self.removed.entry(kind).or_default());
        Fate::Removed
    }

    fn settle_one(&mut self, edits: &mut Edits<'_>, page: u32, annotation: &Dict) -> Result<Fate, Refused> {
        let whose = Whose {
            page,
            kind: kind_name(edits, annotation),
        };
        self.texts.whose = whose.clone();
        let flags = flags(edits, annotation);
        let kind = Kind::of(edits, annotation);
        if kind == Kind::Played(RemovedKind::Popup) {
            return Ok(self.remove(RemovedKind::Popup));
        }
        let prints_unseen = flags & (HIDDEN | NO_VIEW | PRINT) == (NO_VIEW | PRINT);
        if prints_unseen && shows(edits, annotation, kind) {
            return Err(Refused::AnnotationPrintsUnseen { page, kind: whose.kind });
        }
        if kind == Kind::Widget {
            return self.widget(edits, annotation, flags);
        }
        if flags & (HIDDEN | NO_VIEW) != 0 {
            return Ok(self.remove(RemovedKind::Hidden));
        }
        let appearance = Appearance::of(edits, annotation);
        match kind {
            Kind::Note => {
                tell(&mut self.notes, &remark(edits, annotation).unwrap_or_default());
                Ok(Fate::Removed)
            }
            Kind::Attachment => {
                tell(&mut self.files, &file_name(edits, annotation));
                Ok(Fate::Removed)
            }
            Kind::Redact => Err(whose.refused()),
            Kind::Played(removed) if appearance.stream().is_none() => Ok(self.remove(removed)),
            Kind::Unknown if appearance.stream().is_none() && whose.kind.is_empty() => {
                Ok(self.remove(RemovedKind::Empty))
            }
            Kind::Unknown if appearance.stream().is_none() => Err(whose.refused()),
            _ => self.seen(edits, annotation, kind, (appearance, whose)),
        }
    }

    /// Handles a visible annotation: keeps its appearance or draws a new one.
    fn seen(
        &mut self,
        edits: &mut Edits<'_>,
        annotation: &Dict,
        kind: Kind,
        (appearance, whose): (Appearance, Whose),
    ) -> Result<Fate, Refused> {
        let mut changed = annotation.clone();
        let look = match appearance {
            Appearance::Sound(look) => Some(look),
            Appearance::WithoutBox(look) => with_box(edits, look, annotation).map(|stream| edits.add(stream)),
            Appearance::NoneForState | Appearance::None => {
                let mut canvas = Canvas::new(edits, annotation);
                self.draw(edits, annotation, kind, &mut canvas)
                    .map_err(|()| whose.refused())?;
                let drawn = canvas.finish(edits);
                if let Some((_, area)) = &drawn {
                    changed.set(b"Rect", corners(area));
                    count(&mut self.drawn);
                }
                drawn.map(|(look, _)| look)
            }
        };
        match (look, kind) {
            (Some(look), _) => changed.set(b"AP", dict([(b"N", look.into())])),
            // A link's action does not affect its appearance.
            (None, Kind::Link) => {
                changed.remove(b"AP");
            }
            (None, _) => return Ok(self.remove(RemovedKind::Empty)),
        }
        if kind == Kind::Link && look.is_some() {
            changed.remove(b"BS");
            changed.set(b"Border", vec![0.into(), 0.into(), 0.into()]);
        }
        if kind.has_remark() {
            let is_caption = kind == Kind::Line && lines::caption(edits, annotation).is_some();
            if let Some(text) = remark(edits, annotation).filter(|_| !is_caption) {
                tell(&mut self.notes, &text);
            }
            changed.remove(b"Contents");
            changed.remove(b"RC");
        }
        // Pop-ups, replies and rollover appearances are removed, and `AS` too, because no states are left.
        for key in [&b"Popup"[..], b"IRT", b"AS", b"FixedPrint"] {
            changed.remove(key);
        }
        if look.is_some() {
            self.print(edits, &mut changed);
        }
        Ok(if changed == *annotation {
            Fate::Kept
        } else {
            Fate::Changed(changed)
        })
    }

    /// Makes the annotation print as it appears on screen, in the same size and rotation.
    fn print(&mut self, objects: &impl Look, annotation: &mut Dict) {
        let before = flags(objects, annotation);
        let after = before & !(INVISIBLE | NO_ZOOM | NO_ROTATE | TOGGLE_NO_VIEW) | PRINT;
        if before & PRINT == 0 {
            count(&mut self.printed);
        }
        if after != before {
            annotation.set(b"F", after);
        }
    }

    fn draw(&mut self, edits: &mut Edits<'_>, annotation: &Dict, kind: Kind, canvas: &mut Canvas) -> Result<(), ()> {
        match kind {
            Kind::Highlight => markup::highlight(edits, annotation, canvas),
            Kind::Underline => markup::line_on_text(edits, annotation, canvas, false),
            Kind::StrikeOut => markup::line_on_text(edits, annotation, canvas, true),
            Kind::Squiggly => markup::squiggly(edits, annotation, canvas),
            Kind::Square => markup::shape(edits, annotation, canvas, Shape::Square),
            Kind::Circle => markup::shape(edits, annotation, canvas, Shape::Circle),
            Kind::Ink => markup::ink(edits, annotation, canvas),
            Kind::Polygon => markup::polygon(edits, annotation, canvas),
            Kind::Caret => markup::caret(edits, annotation, canvas),
            Kind::Link => markup::link(edits, annotation, canvas),
            // Without points, nothing is drawn.
            Kind::PolyLine => lines::polyline(edits, annotation, canvas).unwrap_or_default(),
            Kind::Line => lines::line(edits, annotation, canvas, &mut self.texts).unwrap_or_default(),
            Kind::FreeText => texts::free_text(edits, annotation, canvas, &mut self.texts)?,
            Kind::Stamp => texts::stamp(edits, annotation, canvas, &mut self.texts)?,
            Kind::Widget | Kind::Note | Kind::Attachment | Kind::Redact | Kind::Played(_) | Kind::Unknown => {}
        }
        Ok(())
    }

    /// Handles a widget. Flattening later makes its appearance part of the page. Hidden widgets are removed then.
    fn widget(&mut self, edits: &mut Edits<'_>, annotation: &Dict, flags: i64) -> Result<Fate, Refused> {
        if flags & (HIDDEN | NO_VIEW) != 0 {
            return Ok(Fate::Kept);
        }
        let made = widgets::drawn(edits, annotation, &mut self.texts, self.is_stale)?;
        if made
            .as_ref()
            .is_some_and(|made| made.get(b"AP") != annotation.get(b"AP"))
        {
            count(&mut self.looks);
        }
        let mut changed = made.unwrap_or_else(|| annotation.clone());
        let look = Appearance::of(edits, &changed).stream();
        if look.is_some_and(|look| paints(edits, look)) {
            self.print(edits, &mut changed);
        }
        Ok(if changed == *annotation {
            Fate::Kept
        } else {
            Fate::Changed(changed)
        })
    }
}

/// Returns whether an annotation shows anything when it is visible.
fn shows(objects: &impl Look, annotation: &Dict, kind: Kind) -> bool {
    let has_area = || {
        objects
            .rectangle_in(annotation, b"Rect")
            .is_some_and(|area: Rectangle| area.has_area())
    };
    match Appearance::of(objects, annotation).stream() {
        Some(look) => has_area() && paints(objects, look),
        None if kind == Kind::Widget => widgets::is_left_to_viewers(objects, annotation),
        None => kind.is_drawn() || matches!(kind, Kind::Note | Kind::Attachment | Kind::Redact | Kind::Unknown),
    }
}

/// Returns whether an annotation has its own appearance.
pub(super) fn has_look(objects: &impl Look, annotation: &Dict) -> bool {
    Appearance::of(objects, annotation).stream().is_some()
}

/// Returns the remark of an annotation, which viewers show next to the page.
fn remark(objects: &impl Look, annotation: &Dict) -> Option<String> {
    let plain = objects.text_in(annotation, b"Contents");
    plain
        .filter(|text| !text.trim().is_empty())
        .or_else(|| texts::rich_text(objects, annotation))
        .filter(|text| !text.trim().is_empty())
}

/// Returns the name of an attached file, with its description.
fn file_name(objects: &impl Look, annotation: &Dict) -> String {
    let name = match objects.value_in(annotation, b"FS") {
        Some(Object::Dict(file)) => objects
            .text_in(file, b"UF")
            .or_else(|| objects.text_in(file, b"F"))
            .unwrap_or_default(),
        Some(Object::Str(name)) => name.text(),
        _ => String::new(),
    };
    match remark(objects, annotation) {
        Some(remark) if remark.trim() != name.trim() => format!("{name}: {remark}"),
        _ => name,
    }
}

/// Returns the first annotation in a signed file that other programs show but our signers would not see. It cannot be
/// drawn or removed without breaking the signatures. Link borders carry no meaning and are skipped.
pub(super) fn unseen(objects: &impl Look) -> Option<Unseen> {
    for (page, number) in objects.pages().unwrap_or_default().into_iter().zip(1_u32..) {
        let page = objects.dict_at(page);
        let items = page.and_then(|page| objects.array_in(page, b"Annots"));
        for item in items.unwrap_or_default() {
            let Object::Dict(annotation) = objects.follow(item) else {
                continue;
            };
            if is_unseen(objects, annotation) {
                return Some(Unseen {
                    page: number,
                    kind: kind_name(objects, annotation),
                });
            }
        }
    }
    super::showing::alternates(objects).first().map(|(page, _)| Unseen {
        page: *page,
        kind: "Alternates".to_owned(),
    })
}

fn is_unseen(objects: &impl Look, annotation: &Dict) -> bool {
    let flags = flags(objects, annotation);
    let kind = Kind::of(objects, annotation);
    if flags & HIDDEN != 0 {
        return false;
    }
    if flags & NO_VIEW != 0 {
        return flags & PRINT != 0 && shows(objects, annotation, kind);
    }
    let appearance = Appearance::of(objects, annotation);
    match kind {
        Kind::Widget => widgets::is_left_to_viewers(objects, annotation),
        Kind::Note => appearance.stream().is_none() || remark(objects, annotation).is_some(),
        Kind::Redact => true,
        Kind::Link | Kind::Played(_) => false,
        Kind::Unknown => appearance.stream().is_none() && annotation.has(b"Subtype"),
        _ => !matches!(appearance, Appearance::Sound(_)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_note_is_cut() {
        let text = short(&"word ".repeat(100));
        assert_eq!(text.chars().count(), LONGEST_NOTE + 1);
        assert!(text.ends_with('…'));
        assert_eq!(short(" a\nb "), "a b");
    }
}
