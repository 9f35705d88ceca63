//! Decodes and re-encodes untrusted pictures.
//!
//! [`refuse_by_header`] reads only the size in a file's header: it is safe anywhere, and cheap. [`check`] decodes,
//! which needs memory and time, and may trigger a bug in the decoder, so it must run in a document worker. The result
//! shows the same picture, upright, with no more pixels than its boxes can show, and contains no other data of the
//! original file (such as the location of a photo). It is stored instead of the original.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, GenericImageView, ImageFormat};
use serde::{Deserialize, Serialize};

use crate::marks::picture::{
    DECODING, FAINT, LARGEST_FILE, LONGEST_SIDE, MOST_PIXELS, PictureFault, decode, fault, format, useful_pixels,
};

/// JPEG quality for photos. The loss is not visible in print.
const JPEG_QUALITY: u8 = 92;

/// Parameters for re-encoding a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PictureWish {
    /// Width and height in points of each box that will show the picture. If empty, the picture keeps its size.
    pub boxes: Vec<(f64, f64)>,
}

/// A re-encoded picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedPicture {
    /// PNG data, or JPEG data if the original was a JPEG.
    pub bytes: Vec<u8>,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Whether it is invisible on white paper, so that it cannot be a signature.
    pub is_blank: bool,
}

/// Refuses a file that is not a picture or claims too many pixels, without decoding it.
pub fn refuse_by_header(bytes: &[u8]) -> Result<(), PictureFault> {
    format(bytes)?;
    let (width, height) = claimed_size(bytes).ok_or(PictureFault::Damaged)?;
    let pixels = u64::from(width) * u64::from(height);
    if width > LONGEST_SIDE || height > LONGEST_SIDE || pixels > MOST_PIXELS {
        return Err(PictureFault::TooLarge);
    }
    if pixels == 0 {
        return Err(PictureFault::Damaged);
    }
    Ok(())
}

/// Returns width and height from the header.
pub fn claimed_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match format(bytes).ok()? {
        ImageFormat::Png => {
            // The header is the first chunk after the signature (W3C PNG 5.6).
            let header = bytes.get(8..24)?;
            let number = |at: usize| Some(u32::from_be_bytes(header.get(at..at + 4)?.try_into().ok()?));
            (header.get(4..8)? == b"IHDR").then_some(())?;
            Some((number(8)?, number(12)?))
        }
        _ => size_of_jpeg(bytes),
    }
}

/// Returns the size in the frame header (ITU-T T.81, B.2.2). Skips earlier segments by their length.
fn size_of_jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Padding before a marker.
            0xFF => at += 1,
            // These markers have no length.
            0x01 | 0xD0..=0xD8 => at += 2,
            // The image data, or the end of the file, before any frame.
            0xD9 | 0xDA => return None,
            marker => {
                let number = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
                let length = usize::from(number(at + 2)?);
                if (0xC0..=0xCF).contains(&marker) && ![0xC4, 0xC8, 0xCC].contains(&marker) {
                    return Some((u32::from(number(at + 7)?), u32::from(number(at + 5)?)));
                }
                at += 2 + length.max(2);
            }
        }
    }
}

/// Decodes a picture and re-encodes it for the boxes that will show it.
pub fn check(bytes: &[u8], wish: &PictureWish) -> Result<CheckedPicture, PictureFault> {
    refuse_by_header(bytes)?;
    let (format, turn) = (format(bytes)?, DECODING.take());
    let picture = decode(bytes, &turn)?;
    let is_blank = !can_be_seen(&picture);
    let mut picture = of_depth_eight(reduced(picture, wish));
    loop {
        let bytes = file(&picture, format)?;
        if bytes.len() <= LARGEST_FILE {
            let (width, height) = picture.dimensions();
            return Ok(CheckedPicture {
                bytes,
                width,
                height,
                is_blank,
            });
        }
        // Keeps the original if it is smaller than ours.
        let (width, height) = ((picture.width() * 3 / 4).max(1), (picture.height() * 3 / 4).max(1));
        picture = picture.resize(width, height, image::imageops::FilterType::CatmullRom);
    }
}

/// Reduces the picture to the pixels that its largest box can show.
fn reduced(picture: DynamicImage, wish: &PictureWish) -> DynamicImage {
    let (width, height) = (f64::from(picture.width()), f64::from(picture.height()));
    let scales = wish.boxes.iter().map(|(across, down)| {
        let (columns, rows) = (f64::from(useful_pixels(*across)), f64::from(useful_pixels(*down)));
        (columns / width, rows / height)
    });
    // In each box, the tighter side limits the size.
    let largest = scales.max_by(|a, b| a.0.min(a.1).total_cmp(&b.0.min(b.1)));
    let (across, down) = largest.unwrap_or((1.0, 1.0));
    let scale = across.min(down);
    if scale >= 1.0 {
        return picture;
    }
    picture.resize(
        side(width * across.min(1.0)),
        side(height * down.min(1.0)),
        image::imageops::FilterType::CatmullRom,
    )
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of a picture's side"
)]
fn side(pixels: f64) -> u32 {
    pixels.round().clamp(1.0, f64::from(LONGEST_SIDE)) as u32
}

/// Returns whether the picture differs from white paper anywhere.
fn can_be_seen(picture: &DynamicImage) -> bool {
    picture.pixels().any(|(_, _, pixel)| {
        let [red, green, blue, alpha] = pixel.0;
        // Compare on white, because paper is visible through transparent parts.
        let darkest = u16::from(u8::MAX - red.min(green).min(blue));
        darkest * u16::from(alpha) / u16::from(u8::MAX) > u16::from(FAINT)
    })
}

/// Reduces the picture to 8 bits per channel, because printers and screens show no more.
fn of_depth_eight(picture: DynamicImage) -> DynamicImage {
    match picture {
        known @ (DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_) | DynamicImage::ImageRgba8(_)) => known,
        other if other.color().has_alpha() => other.into_rgba8().into(),
        other if !other.color().has_color() => other.into_luma8().into(),
        other => other.into_rgb8().into(),
    }
}

fn file(picture: &DynamicImage, format: ImageFormat) -> Result<Vec<u8>, PictureFault> {
    let mut bytes = Vec::new();
    let written = if format == ImageFormat::Jpeg {
        picture.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))
    } else {
        let (compression, filter) = (CompressionType::Default, FilterType::Adaptive);
        picture.write_with_encoder(PngEncoder::new_with_quality(&mut bytes, compression, filter))
    };
    written.map_err(|error| fault(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use image::{Rgba, RgbaImage};

    use super::*;

    fn file_of(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
        let picture = DynamicImage::from(RgbaImage::from_pixel(width, height, Rgba([200, 0, 0, 255])));
        let mut bytes = Cursor::new(Vec::new());
        picture
            .into_rgb8()
            .write_to(&mut bytes, format)
            .expect("a picture that encodes");
        bytes.into_inner()
    }

    fn wish(width: f64, height: f64) -> PictureWish {
        PictureWish {
            boxes: vec![(width, height)],
        }
    }

    #[test]
    fn a_picture_is_encoded_again_with_what_its_largest_box_can_show() {
        let boxes = vec![(36.0, 36.0), (72.0, 72.0)];
        let made = check(&file_of(ImageFormat::Png, 3000, 1000), &PictureWish { boxes }).expect("a picture");
        assert_eq!((made.width, made.height), (400, 133));
        assert_eq!(claimed_size(&made.bytes), Some((400, 133)));
        assert!(made.bytes.starts_with(b"\x89PNG") && !made.is_blank);
        let small = check(&file_of(ImageFormat::Jpeg, 30, 10), &wish(72.0, 72.0)).expect("a picture");
        assert_eq!((small.width, small.height), (30, 10));
        assert!(small.bytes.starts_with(b"\xff\xd8\xff"));
    }

    #[test]
    fn what_is_made_holds_nothing_else_of_the_file() {
        let mut jpeg = file_of(ImageFormat::Jpeg, 30, 10);
        // A comment (T.81 B.2.4.5) after the first marker.
        let comment = b"\xff\xfe\x00\x12taken in secrecy".to_vec();
        jpeg.splice(2..2, comment);
        let holds = |bytes: &[u8]| bytes.windows(7).any(|part| part == b"secrecy");
        assert!(holds(&jpeg));
        let made = check(&jpeg, &wish(72.0, 72.0)).expect("a picture");
        assert!(!holds(&made.bytes));
    }

    #[test]
    fn only_the_header_is_read_to_refuse_what_is_too_large() {
        let mut png = file_of(ImageFormat::Png, 3, 2);
        // The data does not match such a large picture, but it is never decoded.
        png.splice(16..24, [10_000_u32.to_be_bytes(), 2_001_u32.to_be_bytes()].concat());
        assert_eq!(refuse_by_header(&png), Err(PictureFault::TooLarge));
        png.splice(20..24, 2_000_u32.to_be_bytes());
        assert_eq!(refuse_by_header(&png), Ok(()));
        png.splice(16..24, [10_001_u32.to_be_bytes(), 1_u32.to_be_bytes()].concat());
        assert_eq!(refuse_by_header(&png), Err(PictureFault::TooLarge));
        let jpeg = file_of(ImageFormat::Jpeg, 300, 200);
        assert_eq!(claimed_size(&jpeg), Some((300, 200)));
        for end in 0..jpeg.len() {
            let _ = refuse_by_header(jpeg.get(..end).unwrap_or_default());
        }
        let frame = jpeg.windows(2).position(|pair| pair == [0xFF, 0xC0]).expect("a frame");
        let mut large = jpeg;
        large.splice(frame + 5..frame + 9, [0xFF; 4]);
        assert_eq!(refuse_by_header(&large), Err(PictureFault::TooLarge));
        assert_eq!(refuse_by_header(b"GIF89a"), Err(PictureFault::UnknownFormat));
    }

    #[test]
    fn white_and_clear_pictures_are_blank() {
        for (pixel, blank) in [
            ([255, 255, 255, 255], true),
            ([250, 250, 250, 255], true),
            ([0, 0, 0, 0], true),
            ([0, 0, 0, 255], false),
            ([200, 200, 255, 255], false),
        ] {
            let picture = DynamicImage::from(RgbaImage::from_pixel(20, 10, Rgba(pixel)));
            let mut bytes = Cursor::new(Vec::new());
            picture.write_to(&mut bytes, ImageFormat::Png).expect("encodes");
            let made = check(bytes.get_ref(), &wish(72.0, 72.0)).expect("a picture");
            assert_eq!(made.is_blank, blank, "{pixel:?}");
        }
    }
}
