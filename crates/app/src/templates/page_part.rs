//! The picture or the text of a page, which either is available or still has to be created.
//!
//! The lookup is quick and determines whether the page may be seen at all, while creating a part takes a worker's time.
//! So these are separate steps. In between, the caller can queue a request, and drop it when nobody waits for the
//! response any more (somebody who scrolls through a long document requests many pages and views few).

use std::sync::Arc;

use document::pages::render::RenderFault;
use domain::{BlobHash, Requester};
use metrics::metrics;

use crate::App;
use crate::base::documents::DocumentFault;
use crate::base::error::{Error, Subject};
use crate::templates::page_cache::{Part, PartKind};
use crate::templates::template::PAGE_IMAGE_DPI;

/// A part of a page for display.
#[derive(Debug, Clone)]
pub struct PagePart {
    /// The image (WebP or JPEG), or the text (`document::pages::text_layer::PageText` as JSON).
    pub bytes: Arc<[u8]>,
    pub hash: BlobHash,
}

impl PagePart {
    pub(crate) fn of(bytes: Arc<[u8]>) -> PagePart {
        PagePart {
            hash: BlobHash::of(&bytes),
            bytes,
        }
    }
}

/// The response to an allowed request for a page.
#[derive(Debug)]
pub enum PageAnswer {
    Kept(PagePart),
    /// The part still has to be created, by [`App::make_page_part`].
    ToMake(PartToMake),
}

/// A visible part of a page that has not been created yet.
#[derive(Debug)]
pub struct PartToMake(Part);

impl App {
    /// Creates a part of a page. If another caller is already creating it, waits for the result.
    pub fn make_page_part(&self, requester: &Requester, wanted: &PartToMake) -> Result<PagePart, Error> {
        let part = wanted.0;
        self.pages
            .get_or_make(part, || match part.kind {
                PartKind::Picture => {
                    let pdf = self.read_file(&part.file)?;
                    let images = self
                        .documents
                        .page_images(requester, &pdf, &[part.page], PAGE_IMAGE_DPI)?;
                    images.into_iter().next().ok_or_else(|| left_out("the picture"))
                }
                PartKind::Text => {
                    let pdf = self.read_file(&part.file)?;
                    let texts = self.documents.page_texts(requester, &pdf, &[part.page])?;
                    let text = texts.first().ok_or_else(|| left_out("the text"))?;
                    serde_json::to_vec(text).map_err(|error| DocumentFault::Failed(error.to_string()))
                }
            })
            .map(PagePart::of)
            .map_err(|fault| match fault {
                DocumentFault::NotRendered(reason) if !matches!(reason, RenderFault::FontMissing { .. }) => {
                    Error::NotFound(Subject::Page)
                }
                other => other.at("page"),
            })
    }

    /// Returns a part of the file that a link opens, if the address contains the hash of that file. If the link now
    /// opens a newer file (because a timestamp was added), the page does not exist.
    pub(crate) fn page_of(
        &self,
        linked: &BlobHash,
        file: &BlobHash,
        kind: PartKind,
        page: u32,
    ) -> Result<PageAnswer, Error> {
        if linked != file {
            return Err(Error::NotFound(Subject::Page));
        }
        let part = Part {
            file: *file,
            kind,
            page,
        };
        let kept = self.pages.get(part);
        let labels = metrics::Cache::of("pages", kept.is_some());
        metrics().cache.get_or_create(&labels).inc();
        Ok(match kept {
            Some(bytes) => PageAnswer::Kept(PagePart::of(bytes)),
            None => PageAnswer::ToMake(PartToMake(part)),
        })
    }
}

fn left_out(what: &str) -> DocumentFault {
    DocumentFault::Failed(format!("the worker left out {what}"))
}
