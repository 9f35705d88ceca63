//! What the page calls a form's field: the text beside its box, for fields whose form does not say it (`TU`, 12.7.4.1).
//!
//! A person finds the caption left of a line to fill in, above a box, below a line to sign on, and to the right of a
//! check box. Text inside a box is a value and no caption, and text beyond another box belongs to that one.

use std::collections::BTreeMap;

use domain::field::{Field, FieldKind, Placement};
use domain::template::PageSize;

use crate::pages::text_layer::{self, PageText, TextLine, Word};
use crate::pdf::shared_bytes::SharedBytes;

/// A template has no more fields than these.
const MOST_FIELDS: usize = 2_000;
/// A longer text is a sentence of the document and not a caption.
const LONGEST_CAPTION: usize = 80;
/// A wider gap separates two captions on one line; a share of the letters' size.
const CAPTION_GAP: f32 = 0.9;

/// Distances in points within which a caption is looked for.
const NEAR_LEFT: f32 = 72.0;
const FAR_LEFT: f32 = 220.0;
const ABOVE: f32 = 14.0;
const BELOW: f32 = 10.0;
const BESIDE_BUTTON: f32 = 24.0;
/// How far a box may reach into its caption, and the other way round.
const SLACK: f32 = 2.0;

/// A rectangle on the displayed page, in points from its top left.
#[derive(Debug, Clone, Copy)]
struct Area {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

/// Words that belong together.
#[derive(Debug)]
struct Caption {
    text: String,
    area: Area,
}

/// Labels the fields that have no label with the text beside them.
pub(super) fn label(fields: &mut [Field], pdf: &SharedBytes, sizes: &[PageSize]) {
    if fields.len() > MOST_FIELDS || fields.iter().all(|field| field.label.is_some()) {
        return;
    }
    let mut pages: Vec<u32> = fields
        .iter()
        .filter(|field| field.label.is_none())
        .map(|field| field.page)
        .collect();
    pages.sort_unstable();
    pages.dedup();
    // A page whose text cannot be read has no captions.
    let Ok(texts) = text_layer::page_texts(pdf.clone(), &pages) else {
        return;
    };
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for (page, text) in pages.into_iter().zip(&texts) {
        let size = page
            .checked_sub(1)
            .and_then(|index| sizes.get(usize::try_from(index).ok()?));
        if let Some(size) = size {
            found.extend(captions_of(fields, page, size, text));
        }
    }
    // The buttons of a choice have one label.
    let mut of_choice: BTreeMap<String, String> = BTreeMap::new();
    for (index, field) in fields.iter_mut().enumerate() {
        let caption = found.remove(&index);
        if field.label.is_some() {
            continue;
        }
        field.label = match (field.kind, caption) {
            (FieldKind::Radio, Some(caption)) => Some(of_choice.entry(field.name.clone()).or_insert(caption).clone()),
            (FieldKind::Radio, None) => of_choice.get(&field.name).cloned(),
            (_, caption) => caption,
        };
    }
}

/// The captions of a page's fields, by the field's place in the list.
fn captions_of(fields: &[Field], page: u32, size: &PageSize, text: &PageText) -> Vec<(usize, String)> {
    let boxes: Vec<(usize, Area)> = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.page == page)
        .map(|(index, field)| (index, Area::of(&field.placement, size)))
        .collect();
    let areas: Vec<Area> = boxes.iter().map(|(_, area)| *area).collect();
    let captions: Vec<Caption> = text
        .lines
        .iter()
        .filter(|line| line.angle == 0.0)
        .flat_map(|line| captions_in(line, &areas))
        .collect();
    let mut found = Vec::new();
    for (index, area) in boxes {
        if let Some(field) = fields.get(index).filter(|field| field.label.is_none())
            && let Some(caption) = beside(field.kind, &area, &captions, &areas)
        {
            found.push((index, caption.text.clone()));
        }
    }
    found
}

impl Area {
    #[expect(clippy::cast_possible_truncation, reason = "a length in points")]
    fn of(placement: &Placement, size: &PageSize) -> Self {
        let at = |part: u32, side: f64| (f64::from(part) / f64::from(Placement::WHOLE) * side) as f32;
        let (left, top) = (at(placement.x, size.width_points), at(placement.y, size.height_points));
        Self {
            left,
            top,
            right: left + at(placement.width, size.width_points),
            bottom: top + at(placement.height, size.height_points),
        }
    }

    fn middle(&self) -> f32 {
        f32::midpoint(self.top, self.bottom)
    }

    /// Whether a line at this height runs through it.
    fn is_at_height_of(&self, y: f32) -> bool {
        (self.top - SLACK..=self.bottom + SLACK).contains(&y)
    }
}

/// The captions in a line: it ends where a gap is wide, and where a box is.
fn captions_in(line: &TextLine, boxes: &[Area]) -> Vec<Caption> {
    let mut captions = Vec::new();
    let mut open: Option<Caption> = None;
    let middle = line.y + line.size / 2.0;
    let on_line: Vec<&Area> = boxes.iter().filter(|area| area.is_at_height_of(middle)).collect();
    for Word(text, start, width) in &line.words {
        let (left, right) = (line.x + start, line.x + start + width);
        let is_in_box = boxes
            .iter()
            .any(|area| (area.left - SLACK..area.right).contains(&left) && (area.top..=area.bottom).contains(&middle));
        let is_leader = text.chars().all(is_leader);
        let follows = open.as_ref().is_some_and(|open| {
            let is_parted = on_line
                .iter()
                .any(|area| area.left >= open.area.right - SLACK && area.right <= left + SLACK);
            left - open.area.right <= line.size * CAPTION_GAP && !is_parted
        });
        if !follows || is_in_box || is_leader {
            captions.extend(open.take());
        }
        if is_in_box || is_leader {
            continue;
        }
        let caption = open.get_or_insert_with(|| Caption {
            text: String::new(),
            area: Area {
                left,
                top: line.y,
                right,
                bottom: line.y + line.size,
            },
        });
        caption.text.push_str(text);
        caption.area.right = right;
    }
    captions.extend(open);
    captions.retain_mut(|caption| {
        caption.text = cleaned(&caption.text);
        caption.text.chars().any(char::is_alphanumeric) && caption.text.chars().count() <= LONGEST_CAPTION
    });
    captions
}

/// Dots and lines that lead to a box.
fn is_leader(character: char) -> bool {
    matches!(character, '_' | '.' | '…' | '‥' | '·' | '-' | '–' | '—') || character.is_whitespace()
}

/// On one line, without the marks that lead from a caption to its box.
fn cleaned(text: &str) -> String {
    let is_mark = |character: char| is_leader(character) || matches!(character, ':' | '：' | '*' | '＊');
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    let text = words.trim_end_matches(is_mark).trim_start_matches(is_mark);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The caption of a box.
fn beside<'c>(kind: FieldKind, area: &Area, captions: &'c [Caption], boxes: &[Area]) -> Option<&'c Caption> {
    let left = |most| nearest(captions, |caption| left_gap(caption, area, boxes), most);
    let above = |most| nearest(captions, |caption| above_gap(caption, area), most);
    let below = || nearest(captions, |caption| below_gap(caption, area), BELOW);
    let right = || nearest(captions, |caption| right_gap(caption, area), BESIDE_BUTTON);
    match kind {
        FieldKind::Check => right().or_else(|| left(BESIDE_BUTTON)).or_else(|| above(ABOVE)),
        // The text at its right is one of the answers.
        FieldKind::Radio => left(FAR_LEFT).or_else(|| above(ABOVE)),
        _ => left(NEAR_LEFT)
            .or_else(|| above(ABOVE))
            .or_else(|| left(FAR_LEFT))
            .or_else(below),
    }
}

fn nearest(captions: &[Caption], gap: impl Fn(&Caption) -> Option<f32>, most: f32) -> Option<&Caption> {
    captions
        .iter()
        .filter_map(|caption| Some((gap(caption).filter(|gap| *gap <= most)?, caption)))
        .min_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, caption)| caption)
}

fn left_gap(caption: &Caption, area: &Area, boxes: &[Area]) -> Option<f32> {
    let middle = caption.area.middle();
    if caption.area.left >= area.left || !area.is_at_height_of(middle) {
        return None;
    }
    let belongs_to_other = boxes.iter().any(|other| {
        other.left > caption.area.left && other.right <= area.left + SLACK && other.is_at_height_of(middle)
    });
    (!belongs_to_other).then(|| (area.left - caption.area.right).max(0.0))
}

fn right_gap(caption: &Caption, area: &Area) -> Option<f32> {
    let is_right = caption.area.left >= area.right - SLACK && area.is_at_height_of(caption.area.middle());
    is_right.then_some(caption.area.left - area.right)
}

fn above_gap(caption: &Caption, area: &Area) -> Option<f32> {
    let gap = area.top - caption.area.bottom;
    (gap >= -SLACK * 2.0 && shares_width(caption, area)).then_some(gap)
}

fn below_gap(caption: &Caption, area: &Area) -> Option<f32> {
    let gap = caption.area.top - area.bottom;
    (gap >= -SLACK && shares_width(caption, area)).then_some(gap)
}

/// Whether the caption begins at the box, or is centred on it.
fn shares_width(caption: &Caption, area: &Area) -> bool {
    caption.area.left < area.right && caption.area.right > area.left && caption.area.left >= area.left - ABOVE
}
