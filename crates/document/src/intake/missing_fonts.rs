//! Adds missing resources, so that all viewers show what signers see.
//!
//! Some programs, like our renderer, draw text in Helvetica if its font is missing; others leave it out. So we add
//! Helvetica. If a form has resources, the names in it refer only to these (ISO 32000-2, 7.8.3), but some programs also
//! search the resources of the page. So we add a font from there, but replace an image with nothing. The comparison of
//! pages proves that this changes nothing for signers. A signed file cannot be changed and is refused.

use std::collections::{BTreeMap, BTreeSet};

use super::look::{Look, dict, empty_form, name};
use super::{Refused, content, letters, showing};
use crate::pdf::edit::Edits;
use crate::pdf::lex::is_regular;
use crate::pdf::{Dict, Name, Object, PdfDefect, Ref};

const SHOW: [&[u8]; 4] = [b"Tj", b"TJ", b"'", b"\""];

/// Resources, and the entries that their content uses but that are missing.
struct Lacking<'o> {
    /// Page number, starting at 1. For a form, the first page that shows the form.
    page: u32,
    /// The page or form.
    owner: Ref,
    resources: Dict,
    /// The missing fonts by name. For a form, with the font that its page has under this name, if any.
    fonts: BTreeMap<Vec<u8>, Option<&'o Object>>,
    /// Images and forms that only the page has. Some programs use these for the form.
    drawings: BTreeSet<Vec<u8>>,
}

/// Number of added resources.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Added {
    pub(super) fonts: u32,
    pub(super) drawings: u32,
}

/// Adds missing resources. `most` limits the decompressed size of one stream.
pub(super) fn settle(edits: &mut Edits<'_>, most: usize) -> Result<Added, PdfDefect> {
    let mut added = Added::default();
    let found = find(edits, most)?;
    if found.is_empty() {
        return Ok(added);
    }
    let mut settled = Vec::new();
    let mut copy = edits.clone();
    for mut lacking in found {
        let mut fonts = edits.dict_in(&lacking.resources, b"Font").cloned().unwrap_or_default();
        for (name, font) in &lacking.fonts {
            let font = font.cloned().unwrap_or_else(|| helvetica().into());
            fonts.set(name, font);
            added.fonts = added.fonts.saturating_add(1);
        }
        let mut drawings = edits
            .dict_in(&lacking.resources, b"XObject")
            .cloned()
            .unwrap_or_default();
        for name in &lacking.drawings {
            drawings.set(name, copy.add(empty_form()));
            added.drawings = added.drawings.saturating_add(1);
        }
        for (kind, entries) in [(&b"Font"[..], fonts), (b"XObject", drawings)] {
            if !entries.is_empty() {
                lacking.resources.set(kind, entries);
            }
        }
        settled.push((lacking.owner, lacking.resources));
    }
    for (owner, resources) in settled {
        if let Some(owner) = copy.edit_dict(owner)? {
            owner.set(b"Resources", resources);
        }
    }
    *edits = copy;
    Ok(added)
}

fn helvetica() -> Dict {
    dict([
        (b"Type", name(b"Font")),
        (b"Subtype", name(b"Type1")),
        (b"BaseFont", name(b"Helvetica")),
    ])
}

/// Refuses a signed file with missing resources.
pub(super) fn refuse_signed(objects: &impl Look, most: usize) -> Result<(), Refused> {
    let found = find(objects, most)?;
    let Some(first) = found.iter().min_by_key(|lacking| lacking.page) else {
        return Ok(());
    };
    let page = first.page;
    Err(match first.fonts.keys().next() {
        Some(font) => Refused::SignedWithMissingFont {
            page,
            font: letters::legible(font),
        },
        None => Refused::SignedWithUnseen {
            page,
            kind: "XObject".to_owned(),
        },
    })
}

fn find<O: Look>(objects: &O, most: usize) -> Result<Vec<Lacking<'_>>, PdfDefect> {
    let pages = objects.pages()?;
    let of_page = |page: Ref| match objects.inherited_by(page, b"Resources") {
        Some(Object::Dict(resources)) => Some(resources),
        _ => None,
    };
    let mut found = Vec::new();
    let mut look = |(page, owner): (u32, Ref), content: &[u8], own: Option<_>, of_page: Option<_>| {
        // Names in a form without resources refer to those of its page.
        let (resources, others) = match own {
            Some(own) => (Some(own), of_page),
            None => (of_page, None),
        };
        let fonts = missing_fonts(objects, content, resources);
        let drawings = missing_drawings(objects, content, (resources, others));
        if !fonts.is_empty() || !drawings.is_empty() {
            let elsewhere = |name: &Vec<u8>| entry(objects, others, b"Font", name);
            found.push(Lacking {
                page,
                owner,
                resources: resources.cloned().unwrap_or_default(),
                fonts: fonts.into_iter().map(|name| (name.clone(), elsewhere(&name))).collect(),
                drawings,
            });
        }
    };
    for (page, number) in pages.iter().zip(1_u32..) {
        // Other steps refuse unreadable content.
        if let Ok(content) = objects.content(*page, most) {
            look((number, *page), &content, None, of_page(*page));
        }
    }
    for (number, form, stream) in showing::forms(objects) {
        let page = usize::try_from(number)
            .ok()
            .and_then(|number| pages.get(number.checked_sub(1)?));
        let page = page.and_then(|page| of_page(*page));
        if let Ok(content) = objects.decode_whole(stream, most) {
            let own = objects.dict_in(&stream.dict, b"Resources");
            look((number, form), &content, own, page);
        }
    }
    Ok(found)
}

/// Returns an existing resource of this kind.
fn entry<'o>(objects: &'o impl Look, resources: Option<&'o Dict>, kind: &[u8], name: &[u8]) -> Option<&'o Object> {
    let entry = objects.dict_in(resources?, kind)?.get(name)?;
    (*objects.follow(entry) != Object::Null).then_some(entry)
}

fn meaning(spelling: &[u8]) -> Vec<u8> {
    Name::spelled(spelling).bytes().into_owned()
}

/// Returns the fonts that the content shows text in but that its resources lack.
fn missing_fonts(objects: &impl Look, content: &[u8], resources: Option<&Dict>) -> BTreeSet<Vec<u8>> {
    let is_there = |font: &[u8]| {
        let font = entry(objects, resources, b"Font", font);
        font.is_some_and(|font| matches!(objects.follow(font), Object::Dict(_)))
    };
    if set_fonts(content).all(|spelling| is_there(&meaning(spelling))) {
        return BTreeSet::new();
    }
    let (mut fonts, mut current) = (BTreeSet::new(), None);
    for instruction in content::instructions(content) {
        let word = instruction.word(content);
        if word == b"Tf" {
            let spelling = instruction.names.first().and_then(|range| content.get(range.clone()));
            current = spelling.map(meaning).filter(|font| !is_there(font));
        } else if SHOW.contains(&word) {
            fonts.extend(current.take());
        }
    }
    fonts
}

/// Returns drawings that the content uses and that are missing from its resources but exist in the others.
fn missing_drawings(
    objects: &impl Look,
    content: &[u8],
    (resources, others): (Option<&Dict>, Option<&Dict>),
) -> BTreeSet<Vec<u8>> {
    let has_drawings = others.is_some_and(|others| objects.dict_in(others, b"XObject").is_some());
    if !has_drawings || !content.windows(2).any(|pair| pair == b"Do") {
        return BTreeSet::new();
    }
    let all = content::instructions(content);
    let drawn = all.iter().filter(|instruction| instruction.word(content) == b"Do");
    let names = drawn.filter_map(|instruction| content.get(instruction.names.first()?.clone()));
    let is_there = |resources, name: &[u8]| entry(objects, resources, b"XObject", name).is_some();
    names
        .map(meaning)
        .filter(|name| !is_there(resources, name) && is_there(others, name))
        .collect()
}

/// Returns possible names before `Tf`. A quick check, because most content uses only existing fonts.
fn set_fonts(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    const FARTHEST: usize = 256;
    let places = content.windows(2).enumerate().filter(|(_, window)| *window == b"Tf");
    places.map(move |(place, _)| {
        let before = content.get(place.saturating_sub(FARTHEST)..place).unwrap_or_default();
        let slash = before.iter().rposition(|byte| *byte == b'/');
        let name = slash.and_then(|slash| before.get(slash + 1..)).unwrap_or_default();
        let end = name.iter().position(|byte| !is_regular(*byte)).unwrap_or(name.len());
        name.get(..end).unwrap_or_default()
    })
}
