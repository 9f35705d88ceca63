//! Treats any bytes as a PDF for our own reader. It reads everything, a rewritten file has the same content, and if the
//! renderer's reader sees the same pages, it sees the same content.

use document::pdf::Objects as _;
use document::pdf::append::append;
use document::pdf::edit::Edits;
use document::pdf::rebuild::Rebuilt;
use document::pdf::write::whole;
use document::pdf::{Dict, File, Object, Ref, View};
use hayro_syntax::Pdf;

use crate::as_in_the_worker;

/// Maximum length of a decoded stream.
const LIMIT: usize = 1 << 20;

/// Reads any bytes as a PDF file. True if the file has no deviations, and a page was compared with the renderer's
/// reading.
pub fn reader(data: &[u8]) -> bool {
    if let Ok(rebuilt) = Rebuilt::read(data, None) {
        walk(rebuilt.view());
    }
    let Ok(file) = File::open(data, None) else {
        return false;
    };
    for revision in 0..file.revisions().len().min(4) {
        walk(file.at(revision));
    }
    let loose = file.loose(0..file.body().len());
    if file.read_all().is_err() {
        return false;
    }
    assert!(loose.is_ok(), "what can be read has its place");
    let is_compared = agrees_with_the_renderer(data, &file);
    is_appended_to(data, &file);
    is_written_again(&file);
    is_compared
}

fn walk(view: View<'_>) {
    for (_, object) in view.objects() {
        if let Ok(Object::Stream(stream)) = object {
            let _ = view.decode(stream, LIMIT);
        }
    }
    for page in view.pages().unwrap_or_default() {
        let _ = view.content(page, LIMIT);
    }
}

/// Returns the content of every page. `None` if a part cannot be read.
fn contents(view: View<'_>) -> Option<Vec<Vec<u8>>> {
    let pages = view.pages().ok()?;
    pages.into_iter().map(|page| view.content(page, LIMIT).ok()).collect()
}

/// Compares our reading with the renderer's, which repairs files. If the number of pages matches, their content must
/// match too. True if a page was compared.
fn agrees_with_the_renderer(data: &[u8], file: &File) -> bool {
    // Programs interpret deviations differently, which is why we report them.
    if !file.deviations().is_empty() {
        return false;
    }
    let view = file.latest();
    // The renderer shows deleted content.
    if view
        .pages()
        .unwrap_or_default()
        .into_iter()
        .any(|page| draws_what_is_missing(view, page))
    {
        return false;
    }
    let Some(ours) = contents(view) else { return false };
    let theirs = as_in_the_worker(|| {
        let pdf = Pdf::new(data.to_vec()).ok()?;
        let pages = pdf.pages().iter();
        Some(
            pages
                .map(|page| page.page_stream().map(<[u8]>::to_vec))
                .collect::<Vec<_>>(),
        )
    });
    let Some(Some(theirs)) = theirs else { return false };
    if theirs.len() != ours.len() {
        return false;
    }
    let mut is_compared = false;
    for (ours, theirs) in ours.iter().zip(&theirs) {
        if let Some(theirs) = theirs {
            assert_eq!(ours, theirs, "a page is not what the renderer reads");
            is_compared = true;
        }
    }
    is_compared
}

/// Whether the content of a page refers to an object that is missing or deleted.
fn draws_what_is_missing(view: View<'_>, page: Ref) -> bool {
    let is_missing = |object: &Object| object.as_ref().is_some_and(|reference| !view.has(reference));
    let Some(content) = view.page(page).ok().and_then(|page| page.get(b"Contents")) else {
        return false;
    };
    is_missing(content)
        || view
            .resolve(content)
            .is_ok_and(|content| content.as_array().unwrap_or_default().iter().any(is_missing))
}

/// Checks that appending a section to a file changes nothing else.
fn is_appended_to(data: &[u8], file: &File) {
    let mut edits = Edits::new(file.latest());
    let added = edits.add(5);
    let Ok(appended) = append(edits) else { return };
    assert!(appended.bytes.starts_with(data), "the earlier bytes stay");
    let read = File::open(appended.bytes, None).expect("what was appended is read");
    assert_eq!(read.latest().object(added), Ok(&Object::from(5)));
    for (id, object) in file.latest().objects() {
        assert_eq!(read.latest().object(id), object, "{id} was not touched");
    }
}

/// Checks that a rewritten file is sound and has the same pages.
fn is_written_again(file: &File) {
    let view = file.latest();
    let mut trailer = Dict::new();
    let root: Ref = view
        .trailer()
        .expect("a trailer")
        .get(b"Root")
        .and_then(Object::as_ref)
        .expect("a catalog");
    trailer.set(b"Root", root);
    let Ok(written) = whole(&Edits::new(view), "1.7", &trailer) else {
        return;
    };
    let read = File::open(written.bytes, None).expect("what was written is read");
    read.read_all().expect("what was written is sound");
    // Comments and white space of the old file are not copied to the new one.
    assert!(read.deviations().is_empty(), "{:?}", read.deviations());
    if let Some(contents_before) = contents(view) {
        assert_eq!(contents(read.latest()), Some(contents_before), "the pages stay");
    }
}
