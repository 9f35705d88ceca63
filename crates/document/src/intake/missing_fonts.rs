//! Gives text the fonts that its resources lack.
//!
//! Some programs draw such text in Helvetica, as our renderer does; others leave it out. With Helvetica among the resources,
//! everybody sees what signers see. The comparison of pages proves that this changes nothing for them.

use std::collections::BTreeSet;

use super::look::{Look, dict, name};
use super::{content, showing};
use crate::pdf::edit::Edits;
use crate::pdf::lex::is_regular;
use crate::pdf::{Dict, Name, Object, Objects as _, PdfDefect, Ref};

const SHOW: [&[u8]; 4] = [b"Tj", b"TJ", b"'", b"\""];

/// Resources, and the fonts that they lack.
struct Lacking {
    /// The page or form.
    owner: Ref,
    resources: Dict,
    fonts: BTreeSet<Vec<u8>>,
}

/// Adds the fonts that are missing; `most` bounds what one stream may decompress to. Returns how many there were.
pub(super) fn settle(edits: &mut Edits<'_>, most: usize) -> Result<u32, PdfDefect> {
    let found = find(edits, most)?;
    if found.is_empty() {
        return Ok(0);
    }
    let mut count = 0_u32;
    let helvetica = edits.add(dict([
        (b"Type", name(b"Font")),
        (b"Subtype", name(b"Type1")),
        (b"BaseFont", name(b"Helvetica")),
    ]));
    for mut lacking in found {
        let mut fonts = edits.dict_in(&lacking.resources, b"Font").cloned().unwrap_or_default();
        for font in lacking.fonts {
            fonts.set(&font, helvetica);
            count = count.saturating_add(1);
        }
        lacking.resources.set(b"Font", fonts);
        if let Some(owner) = edits.edit_dict(lacking.owner)? {
            owner.set(b"Resources", lacking.resources);
        }
    }
    Ok(count)
}

fn find(edits: &Edits<'_>, most: usize) -> Result<Vec<Lacking>, PdfDefect> {
    let pages = edits.pages()?;
    let of_page = |page: Ref| match edits.inherited_by(page, b"Resources") {
        Some(Object::Dict(resources)) => Some(resources),
        _ => None,
    };
    let mut found = Vec::new();
    let mut look = |owner: Ref, content: &[u8], own: Option<&Dict>, page: Option<&Dict>| {
        let fonts = lacking(edits, content, &[own, page]);
        if !fonts.is_empty() {
            // Names in a form without resources refer to those of its page.
            let resources = own.or(page).cloned().unwrap_or_default();
            found.push(Lacking {
                owner,
                resources,
                fonts,
            });
        }
    };
    for page in &pages {
        // Other steps refuse content that cannot be read.
        if let Ok(content) = edits.content(*page, most) {
            look(*page, &content, None, of_page(*page));
        }
    }
    for (number, form, stream) in showing::forms(edits) {
        let page = usize::try_from(number)
            .ok()
            .and_then(|number| pages.get(number.checked_sub(1)?));
        let page = page.and_then(|page| of_page(*page));
        if let Ok(content) = edits.decode_whole(stream, most) {
            look(form, &content, edits.dict_in(&stream.dict, b"Resources"), page);
        }
    }
    Ok(found)
}

/// The fonts that a content sets, shows text in, and does not find in any of the resources.
fn lacking(objects: &impl Look, content: &[u8], resources: &[Option<&Dict>]) -> BTreeSet<Vec<u8>> {
    let is_there = |font: &[u8]| {
        resources.iter().flatten().any(|resources| {
            let fonts = objects.dict_in(resources, b"Font");
            fonts.is_some_and(|fonts| matches!(objects.value_in(fonts, font), Some(Object::Dict(_))))
        })
    };
    let means = |spelling: &[u8]| Name::spelled(spelling).bytes().into_owned();
    if set_fonts(content).all(|spelling| is_there(&means(spelling))) {
        return BTreeSet::new();
    }
    let (mut fonts, mut current) = (BTreeSet::new(), None);
    for instruction in content::instructions(content) {
        let word = instruction.word(content);
        if word == b"Tf" {
            let spelling = instruction.names.first().and_then(|range| content.get(range.clone()));
            current = spelling.map(means).filter(|font| !is_there(font));
        } else if SHOW.contains(&word) {
            fonts.extend(current.take());
        }
    }
    fonts
}

/// Possible names before `Tf`: a quick check, because most content uses only fonts that exist.
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
