//! Decodes pictures from strangers once, and re-encodes them, in a document worker.
//!
//! From then on, only the worker's output is stored, shown and stamped. A file whose header states an excessive size is
//! refused before a worker is used.

use document::marks::checked_picture::{PictureWish, refuse_by_header};
use document::pdf::geometry::displayed_box;
use domain::{BlobHash, Field, FileValue, PageSize, Requester, TemplateVersion};

use crate::App;
use crate::base::documents::picture_code;
use crate::base::error::{Error, Fault, FaultCode};
use crate::values::value::{GivenPicture, NewValue, PictureBox, page_size};

impl App {
    /// Checks a value completely. A worker re-encodes pictures. The inner error is a fault of the value, at `path`.
    pub(crate) fn judged(
        &self,
        requester: &Requester,
        template: &TemplateVersion,
        field: &Field,
        value: NewValue,
        path: &str,
    ) -> Result<Result<NewValue, Fault>, Error> {
        match value {
            NewValue::Picture(given) => match self.redrawn(requester, template, field, given, path) {
                Ok(value) => Ok(Ok(value)),
                Err(Error::Unprocessable(faults)) => Ok(Err(faults
                    .into_iter()
                    .next()
                    .unwrap_or_else(|| Fault::new(path, FaultCode::InvalidPicture)))),
                Err(error) => Err(error),
            },
            other => Ok(Ok(other)),
        }
    }

    fn redrawn(
        &self,
        requester: &Requester,
        template: &TemplateVersion,
        field: &Field,
        given: GivenPicture,
        path: &str,
    ) -> Result<NewValue, Error> {
        refuse_by_header(&given.bytes).map_err(|fault| Error::fault(path, picture_code(&fault)))?;
        let boxes = template.boxes(&field.name);
        let wish = PictureWish {
            boxes: boxes
                .filter_map(|place| Some(points(page_size(template, place)?, place)))
                .collect(),
        };
        let made = self
            .documents
            .picture(requester, &given.bytes, &wish)
            .map_err(|fault| fault.at(path))?;
        if made.is_blank && field.kind.is_signature() {
            return Err(Error::fault(path, FaultCode::PictureBlank));
        }
        let media_type = match made.bytes.first() {
            Some(0xFF) => "image/jpeg",
            _ => "image/png",
        };
        let value = FileValue {
            file_name: given.file_name,
            media_type: media_type.to_owned(),
            hash: BlobHash::of(&made.bytes),
            length: made.bytes.len() as u64,
            pixels: Some((made.width, made.height)),
        };
        let bytes = made.bytes;
        Ok(NewValue::File { value, bytes })
    }

    /// Returns the picture to stamp into a box. A picture that an earlier version stored unchanged is converted.
    pub(crate) fn stamped_picture(
        &self,
        requester: &Requester,
        place: &PictureBox<'_>,
        file: &FileValue,
    ) -> Result<Vec<u8>, Error> {
        let bytes = self.blobs.get(&file.hash)?;
        if file.pixels.is_some() {
            return Ok(bytes);
        }
        let wish = PictureWish {
            boxes: vec![points(place.page, place.field)],
        };
        let made = self.documents.picture(requester, &bytes, &wish);
        Ok(made.map_err(|fault| fault.at(&place.field.name))?.bytes)
    }
}

/// Returns width and height of a box in points.
fn points(page: &PageSize, place: &Field) -> (f64, f64) {
    let shown = displayed_box(page, &place.placement);
    (shown.width, shown.height)
}
