//! Finds data that can be read only in part, of which each program shows another part.
//!
//! In an unsigned file, `settle` replaces damaged stream data with the part that our renderer reads, so all programs
//! show the same. Damaged inline images remain, and are refused in this module. A signed file cannot be changed and is
//! refused for both.

use super::content::{self, InlineImage};
use super::look::Look;
use super::{Refused, showing};
use crate::pdf::lex::Lexer;
use crate::pdf::{Object, PdfDefect, Rule, filter, parse};

/// Entries that specify the encoding of an inline image, in full and abbreviated (Table 91).
const PACKING: [(&[u8], &[u8]); 2] = [(b"Filter", b"F"), (b"DecodeParms", b"DP")];

/// Refuses a file with damaged inline images. `most` limits the decompressed size of one stream.
pub(super) fn refuse(objects: &impl Look, most: usize) -> Result<(), Refused> {
    // Other steps handle unreadable content.
    for (id, page) in objects.pages()?.into_iter().zip(1_u32..) {
        if let Ok(content) = objects.content(id, most)
            && has_damaged_image(&content, most)
        {
            return Err(Refused::ContentLost { page });
        }
    }
    for (page, _, stream) in showing::contents(objects) {
        if let Ok(content) = objects.decode_whole(stream, most)
            && has_damaged_image(&content, most)
        {
            return Err(Refused::ContentLost { page });
        }
    }
    Ok(())
}

/// Returns the first damaged stream that is visible.
pub(super) fn damage(objects: &impl Look, most: usize) -> Option<PdfDefect> {
    showing::streams(objects).into_iter().find_map(|(_, id, stream)| {
        let defect = objects.decode(stream, most).err()?;
        // Many programs omit an empty value.
        let is_empty = || objects.view().raw(stream).is_ok_and(|raw| raw.is_empty());
        (defect.rule == Rule::FilterData && !is_empty()).then(|| defect.within(id))
    })
}

fn has_damaged_image(content: &[u8], most: usize) -> bool {
    content::inline_images(content)
        .iter()
        .any(|image| is_damaged(image, most))
}

fn is_damaged(image: &InlineImage<'_>, most: usize) -> bool {
    let entries = [b"<<", image.entries, b">>"].concat();
    let Ok(Object::Dict(mut entries)) = parse::value(&mut Lexer::new(&entries, 0)) else {
        return false;
    };
    for (full, short) in PACKING {
        if let Some(value) = entries.remove(short) {
            entries.set(full, value);
        }
    }
    let Ok(steps) = filter::steps(&entries, Ok) else {
        return true;
    };
    let decodes = |data: &[u8]| match filter::decode(steps.clone(), data, most) {
        Ok(_) | Err(Rule::TooLarge) => true,
        Err(_) => false,
    };
    // Encoded data may contain bytes that look like its end. Deflated data marks its own end.
    let is_deflated = || {
        steps
            .first()
            .is_some_and(|step| matches!(step.name.as_slice(), b"FlateDecode" | b"Fl"))
    };
    !(decodes(image.data) || is_deflated() && decodes(image.rest))
}
