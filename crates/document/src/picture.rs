//! Pictures of signatures and seals.
//!
//! They come from strangers, so their bytes never enter a document: a picture is decoded within
//! limits, turned as its EXIF orientation says (a PDF reader would not), scaled down to what a
//! printer can show in its box, and embedded as plain pixels with their transparency.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use thiserror::Error;

use crate::geometry::DisplayedBox;

/// The largest file.
pub const LARGEST_FILE: usize = 10 * 1024 * 1024;
/// The longest side before decoding, in pixels.
pub const LONGEST_SIDE: u32 = 10_000;
/// What decoding may take: 100 megapixels of three bytes, and some.
const MEMORY: u64 = 320 * 1024 * 1024;
/// Resolution to which larger pictures are reduced.
const DOTS_PER_INCH: f64 = 400.0;
const POINTS_PER_INCH: f64 = 72.0;

/// Why a picture is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureFault {
    /// Neither PNG nor JPEG.
    #[error("the picture is neither PNG nor JPEG; save it as one of them")]
    UnknownFormat,
    /// Too many bytes or pixels.
    #[error("the picture is too large: at most 10 MiB and 10,000 pixels a side; reduce it")]
    TooLarge,
    /// The file is damaged.
    #[error("the picture is damaged and cannot be read; save it anew")]
    Damaged,
}

/// A picture ready to draw.
pub(crate) struct Decoded {
    pub(crate) image: krilla::image::Image,
    width: u32,
    height: u32,
}

/// Checks that a picture can be drawn, and says what media type it has.
pub fn media_type(bytes: &[u8]) -> Result<&'static str, PictureFault> {
    let media_type = match format(bytes)? {
        ImageFormat::Png => "image/png",
        _ => "image/jpeg",
    };
    decode(bytes)?;
    Ok(media_type)
}

fn format(bytes: &[u8]) -> Result<ImageFormat, PictureFault> {
    if bytes.len() > LARGEST_FILE {
        return Err(PictureFault::TooLarge);
    }
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => Ok(format),
        _ => Err(PictureFault::UnknownFormat),
    }
}

fn decode(bytes: &[u8]) -> Result<DynamicImage, PictureFault> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MEMORY);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format(bytes)?);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| fault(&error))?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| fault(&error))?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

fn fault(error: &image::ImageError) -> PictureFault {
    match error {
        image::ImageError::Limits(_) => PictureFault::TooLarge,
        _ => PictureFault::Damaged,
    }
}

impl Decoded {
    /// Reads a picture that will be shown in a box of `width` by `height` points.
    pub(crate) fn read(bytes: &[u8], width: f64, height: f64) -> Result<Self, PictureFault> {
        let picture = decode(bytes)?;
        let picture = match (useful_pixels(width), useful_pixels(height)) {
            (columns, rows) if picture.width() > columns || picture.height() > rows => {
                picture.resize(columns, rows, image::imageops::FilterType::CatmullRom)
            }
            _ => picture,
        };
        let pixels = picture.into_rgba8();
        let (width, height) = pixels.dimensions();
        if width == 0 || height == 0 {
            return Err(PictureFault::Damaged);
        }
        let image = krilla::image::Image::from_rgba8(pixels.into_raw(), width, height);
        Ok(Self { image, width, height })
    }

    /// The largest box of the picture's own proportions in the middle of `place`.
    pub(crate) fn fitted(&self, place: &DisplayedBox) -> DisplayedBox {
        let (columns, rows) = (f64::from(self.width), f64::from(self.height));
        let scale = (place.width / columns).min(place.height / rows);
        let (width, height) = (columns * scale, rows * scale);
        DisplayedBox {
            x: place.x + (place.width - width) / 2.0,
            y: place.y + (place.height - height) / 2.0,
            width,
            height,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of a picture's side"
)]
fn useful_pixels(points: f64) -> u32 {
    (points / POINTS_PER_INCH * DOTS_PER_INCH)
        .ceil()
        .clamp(1.0, f64::from(LONGEST_SIDE)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgba, RgbaImage};

    fn file(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
        let picture = RgbaImage::from_pixel(width, height, Rgba([200, 0, 0, 255]));
        let mut bytes = Cursor::new(Vec::new());
        DynamicImage::from(picture)
            .into_rgb8()
            .write_to(&mut bytes, format)
            .expect("encodes");
        bytes.into_inner()
    }

    #[test]
    fn png_and_jpeg_are_known_by_their_bytes() {
        assert_eq!(media_type(&file(ImageFormat::Png, 3, 2)), Ok("image/png"));
        assert_eq!(media_type(&file(ImageFormat::Jpeg, 3, 2)), Ok("image/jpeg"));
        assert_eq!(
            media_type(&file(ImageFormat::WebP, 3, 2)),
            Err(PictureFault::UnknownFormat)
        );
        assert_eq!(media_type(b""), Err(PictureFault::UnknownFormat));
    }

    #[test]
    fn a_damaged_or_huge_picture_is_refused() {
        let mut bytes = file(ImageFormat::Png, 300, 200);
        bytes.truncate(bytes.len() / 2);
        assert_eq!(media_type(&bytes), Err(PictureFault::Damaged));
        // 60,000 pixels wide according to its header (IHDR begins at byte 8).
        let mut bytes = file(ImageFormat::Png, 3, 2);
        bytes.splice(16..20, 60_000u32.to_be_bytes());
        assert!(matches!(
            media_type(&bytes),
            Err(PictureFault::TooLarge | PictureFault::Damaged)
        ));
        assert_eq!(media_type(&vec![0x89; LARGEST_FILE + 1]), Err(PictureFault::TooLarge));
    }

    #[test]
    fn a_picture_keeps_its_proportions_in_the_middle_of_its_box() {
        let picture = Decoded::read(&file(ImageFormat::Png, 300, 100), 90.0, 90.0).expect("reads");
        let fitted = picture.fitted(&DisplayedBox {
            x: 10.0,
            y: 20.0,
            width: 90.0,
            height: 90.0,
        });
        assert_eq!(
            fitted,
            DisplayedBox {
                x: 10.0,
                y: 50.0,
                width: 90.0,
                height: 30.0
            }
        );
    }

    #[test]
    fn a_large_picture_is_reduced_to_what_its_box_can_show() {
        let picture = Decoded::read(&file(ImageFormat::Png, 3000, 1000), 72.0, 72.0).expect("reads");
        assert_eq!((picture.width, picture.height), (400, 133));
    }
}
