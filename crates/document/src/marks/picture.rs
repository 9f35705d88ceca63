//! Pictures of signatures and signature stamps.
//!
//! They are untrusted, so their bytes are never copied into a document: a picture is decoded within limits, rotated
//! according to its EXIF orientation (which PDF readers ignore), scaled down to the resolution that a printer can show
//! in its box, and embedded as plain pixels with their transparency.
//!
//! A few kilobytes can decompress into gigabytes. So a picture with too many pixels is refused by its header, before
//! anything is decoded. Only a document worker decodes untrusted pictures, once, and re-encodes them
//! ([`crate::marks::checked_picture`]). The server itself decodes only pictures written by a worker, with no more
//! pixels than their box can show, and only [`MOST_AT_ONCE`] at the same time.

use std::io::Cursor;
use std::sync::{Condvar, Mutex, PoisonError};

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::pdf::geometry::DisplayedBox;

pub const LARGEST_FILE: usize = domain::Picture::LIMIT;
/// Maximum length of a side, in pixels.
pub const LONGEST_SIDE: u32 = 10_000;
/// Maximum number of pixels. A phone's photo has 12 million.
pub const MOST_PIXELS: u64 = 20_000_000;
/// Memory limit for decoding a picture: four bytes per pixel, and some reserve.
const MEMORY: u64 = 96 * 1024 * 1024;
/// Maximum number of pictures decoded at the same time.
pub const MOST_AT_ONCE: usize = 2;
/// Resolution to which larger pictures are scaled down.
const DOTS_PER_INCH: f64 = 400.0;
const POINTS_PER_INCH: f64 = 72.0;

/// Reasons for refusing a picture.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureFault {
    /// The file is neither PNG nor JPEG.
    #[error("the picture is neither PNG nor JPEG; save it as one of them")]
    UnknownFormat,
    /// The file is too large or has too many pixels.
    #[error(
        "the picture is too large; make it smaller: up to 5 MiB, 20 million pixels, and 10,000 pixels on \
            each side"
    )]
    TooLarge,
    /// The file is damaged.
    #[error("the picture is damaged and cannot be read; save it again, or choose another")]
    Damaged,
    /// The logo would be invisible.
    #[error("the logo is invisible on white; use the version made for light backgrounds")]
    Invisible,
}

/// A picture that is ready to draw.
pub(super) struct Decoded {
    pub(super) image: krilla::image::Image,
    width: u32,
    height: u32,
}

/// Checks that a picture can be drawn, and returns its media type.
pub fn media_type(bytes: &[u8]) -> Result<&'static str, PictureFault> {
    let media_type = match format(bytes)? {
        ImageFormat::Png => "image/png",
        _ => "image/jpeg",
    };
    decode(bytes, &DECODING.take())?;
    Ok(media_type)
}

/// Maximum width of a stored logo, in pixels: its width on pages and in mails, on a screen with double density.
pub const LOGO_WIDTH: u32 = 480;
/// Maximum height of a stored logo, in pixels.
pub const LOGO_HEIGHT: u32 = 96;
/// Maximum size of a stored logo, in bytes, because it is on the first page that a signer opens.
pub const LOGO_BYTES: usize = 40 * 1024;
/// A pixel that differs from white by less than this is invisible on white.
pub(super) const FAINT: u8 = 12;

/// A company's logo, re-encoded: it contains only the pixels of the uploaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    /// The PNG data.
    pub png: Vec<u8>,
    /// Width in pixels, at most [`LOGO_WIDTH`].
    pub width: u32,
    /// Height in pixels, at most [`LOGO_HEIGHT`].
    pub height: u32,
}

/// Creates a logo from a picture (PNG or JPEG): rotates it upright, puts it on white (mails and both colour schemes
/// show it), crops white edges, scales it down to screen resolution, and re-encodes it without any other data from the
/// file. Never enlarges it. The result has at most [`LOGO_BYTES`].
pub fn logo(bytes: &[u8]) -> Result<Logo, PictureFault> {
    let turn = DECODING.take();
    let pixels = on_white(&decode(bytes, &turn)?.into_rgba8());
    let (x, y, width, height) = seen(&pixels).ok_or(PictureFault::Invisible)?;
    let pixels = image::imageops::crop_imm(&pixels, x, y, width, height).to_image();
    let mut picture = DynamicImage::from(pixels);
    drop(turn);
    let (mut widest, mut highest) = (LOGO_WIDTH, LOGO_HEIGHT);
    loop {
        if picture.width() > widest || picture.height() > highest {
            picture = picture.resize(widest, highest, image::imageops::FilterType::CatmullRom);
        }
        let png = png(&picture)?;
        // A photo is a poor logo. It is shown as well as the size limit allows.
        if png.len() <= LOGO_BYTES {
            return Ok(Logo {
                png,
                width: picture.width(),
                height: picture.height(),
            });
        }
        (widest, highest) = ((widest * 3 / 4).max(1), (highest * 3 / 4).max(1));
    }
}

/// Returns the picture on white paper.
fn on_white(picture: &image::RgbaImage) -> image::RgbImage {
    let mut pixels = image::RgbImage::new(picture.width(), picture.height());
    for (to, from) in pixels.pixels_mut().zip(picture.pixels()) {
        let [red, green, blue, alpha] = from.0;
        let mix = |part: u8| {
            let sum = u16::from(part) * u16::from(alpha) + 255 * (255 - u16::from(alpha));
            u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)
        };
        to.0 = [mix(red), mix(green), mix(blue)];
    }
    pixels
}

/// Returns the part that is visible on white: left, top, width and height. `None` if the picture is blank.
fn seen(picture: &image::RgbImage) -> Option<(u32, u32, u32, u32)> {
    let dark = picture
        .enumerate_pixels()
        .filter(|(_, _, pixel)| pixel.0.iter().any(|part| *part < u8::MAX - FAINT));
    let mut found: Option<(u32, u32, u32, u32)> = None;
    for (x, y, _) in dark {
        let (left, top, right, bottom) = found.unwrap_or((x, y, x, y));
        found = Some((left.min(x), top.min(y), right.max(x), bottom.max(y)));
    }
    let (left, top, right, bottom) = found?;
    Some((left, top, right - left + 1, bottom - top + 1))
}

pub(super) fn png(picture: &DynamicImage) -> Result<Vec<u8>, PictureFault> {
    use image::codecs::png::{CompressionType, FilterType, PngEncoder};
    let mut png = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Best, FilterType::Adaptive);
    picture.write_with_encoder(encoder).map_err(|error| fault(&error))?;
    Ok(png)
}

pub(super) fn format(bytes: &[u8]) -> Result<ImageFormat, PictureFault> {
    if bytes.len() > LARGEST_FILE {
        return Err(PictureFault::TooLarge);
    }
    match image::guess_format(bytes) {
        Ok(format @ (ImageFormat::Png | ImageFormat::Jpeg)) => Ok(format),
        _ => Err(PictureFault::UnknownFormat),
    }
}

/// Turns for decoding.
pub(super) struct Turns {
    free: Mutex<usize>,
    freed: Condvar,
}

pub(super) static DECODING: Turns = Turns::new(MOST_AT_ONCE);

impl Turns {
    const fn new(free: usize) -> Self {
        Self {
            free: Mutex::new(free),
            freed: Condvar::new(),
        }
    }

    /// Waits for a turn. The turn ends when the returned value is dropped.
    pub(super) fn take(&self) -> Turn<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self
            .freed
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Turn(self)
    }
}

pub(super) struct Turn<'t>(&'t Turns);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// Decodes a picture. The caller has a turn, and keeps it until the picture is scaled down.
pub(super) fn decode(bytes: &[u8], _turn: &Turn<'_>) -> Result<DynamicImage, PictureFault> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MEMORY);
    let image = format(bytes)?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), image);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| fault(&error))?;
    // The size comes from the header. Nothing is decoded yet.
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_PIXELS || decoder.total_bytes() > MEMORY {
        return Err(PictureFault::TooLarge);
    }
    if image == ImageFormat::Jpeg && !is_whole_jpeg(bytes) {
        return Err(PictureFault::Damaged);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|error| fault(&error))?;
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Returns whether a JPEG of known size decodes completely. `image` decodes a damaged JPEG as far as possible and
/// leaves the rest grey.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    let options = zune_core::options::DecoderOptions::default().set_strict_mode(true);
    let bytes = zune_core::bytestream::ZCursor::new(bytes);
    zune_jpeg::JpegDecoder::new_with_options(bytes, options)
        .decode()
        .is_ok()
}

pub(super) fn fault(error: &image::ImageError) -> PictureFault {
    match error {
        image::ImageError::Limits(_) => PictureFault::TooLarge,
        _ => PictureFault::Damaged,
    }
}

impl Decoded {
    /// Reads a picture that will be shown in a box of `width` by `height` points.
    pub(super) fn read(bytes: &[u8], width: f64, height: f64) -> Result<Self, PictureFault> {
        let turn = DECODING.take();
        let picture = decode(bytes, &turn)?;
        let picture = match (useful_pixels(width), useful_pixels(height)) {
            (columns, rows) if picture.width() > columns || picture.height() > rows => {
                picture.resize(columns, rows, image::imageops::FilterType::CatmullRom)
            }
            _ => picture,
        };
        let pixels = picture.into_rgba8();
        drop(turn);
        let (width, height) = pixels.dimensions();
        if width == 0 || height == 0 {
            return Err(PictureFault::Damaged);
        }
        let image = krilla::image::Image::from_rgba8(pixels.into_raw(), width, height);
        Ok(Self { image, width, height })
    }

    /// Returns the largest box with the picture's proportions, centred in `place`.
    pub(super) fn fitted(&self, place: &DisplayedBox) -> DisplayedBox {
        let (columns, rows) = (f64::from(self.width), f64::from(self.height));
        let scale = (place.width / columns).min(place.height / rows);
        place.centred(columns * scale, rows * scale)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the range of a picture's side"
)]
pub(super) fn useful_pixels(points: f64) -> u32 {
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
        let whole = file(ImageFormat::Jpeg, 300, 200);
        let progressive = whole.windows(2).position(|pair| pair == [0xFF, 0xC0]).expect("a frame");
        for damaged in [
            whole.get(..whole.len() / 2).expect("half of it").to_vec(),
            // Baseline data with a header that declares it progressive.
            [&whole[..=progressive], &[0xC2], &whole[progressive + 2..]].concat(),
        ] {
            assert_eq!(media_type(&damaged), Err(PictureFault::Damaged));
            assert_eq!(logo(&damaged), Err(PictureFault::Damaged));
            assert!(matches!(
                Decoded::read(&damaged, 90.0, 30.0),
                Err(PictureFault::Damaged)
            ));
        }
        // Phones append data after the picture.
        assert_eq!(media_type(&[whole.as_slice(), &[0; 999]].concat()), Ok("image/jpeg"));
        // 60,000 pixels wide according to its header (IHDR begins at byte 8).
        let mut bytes = file(ImageFormat::Png, 3, 2);
        bytes.splice(16..20, 60_000u32.to_be_bytes());
        assert!(matches!(
            media_type(&bytes),
            Err(PictureFault::TooLarge | PictureFault::Damaged)
        ));
        assert_eq!(media_type(&vec![0x89; LARGEST_FILE + 1]), Err(PictureFault::TooLarge));
    }

    /// A chunk of a PNG (W3C PNG 5.3).
    fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        let mut check = flate2::Crc::new();
        check.update(&kind);
        check.update(data);
        let length = u32::try_from(data.len()).expect("a short chunk");
        [length.to_be_bytes().as_slice(), &kind, data, &check.sum().to_be_bytes()].concat()
    }

    /// Returns a valid PNG of one colour, one bit per pixel.
    fn bomb(width: u32, height: u32) -> Vec<u8> {
        let rows = vec![0; (width as usize).div_ceil(8).saturating_add(1) * height as usize];
        let mut pixels = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut pixels, &rows).expect("compresses");
        // One bit per pixel, greyscale, and the only defined methods.
        let header = [width.to_be_bytes().as_slice(), &height.to_be_bytes(), &[1, 0, 0, 0, 0]].concat();
        [
            b"\x89PNG\r\n\x1a\n".as_slice(),
            &chunk(*b"IHDR", &header),
            &chunk(*b"IDAT", &pixels.finish().expect("compresses")),
            &chunk(*b"IEND", b""),
        ]
        .concat()
    }

    #[test]
    fn a_small_file_of_very_many_pixels_is_refused_by_its_header() {
        let bytes = bomb(10_000, 10_000);
        assert!(bytes.len() < 200_000, "{}", bytes.len());
        assert_eq!(media_type(&bytes), Err(PictureFault::TooLarge));
        assert!(matches!(Decoded::read(&bytes, 90.0, 30.0), Err(PictureFault::TooLarge)));
        // The file is truncated within its pixels. It is not decoded, so this is not noticed.
        let cut = bytes.get(..bytes.len() / 2).expect("half of it");
        assert_eq!(media_type(cut), Err(PictureFault::TooLarge));
        assert_eq!(media_type(&bomb(4_000, 3_000)), Ok("image/png"));
    }

    #[test]
    fn a_logo_is_laid_on_white_cut_reduced_and_encoded_again() {
        // A blue bar of 3000 by 300 with semi-transparent red at its side, within wide transparent edges.
        let mut picture = RgbaImage::new(4000, 900);
        for x in 500..3500 {
            for y in 300..600 {
                let pixel = if x < 2000 { [0, 0, 255, 255] } else { [255, 0, 0, 128] };
                picture.put_pixel(x, y, Rgba(pixel));
            }
        }
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).expect("encodes");
        // Text that a drawing program left in the file.
        let mut bytes = bytes.into_inner();
        let header = 8 + 25;
        bytes.splice(header..header, chunk(*b"tEXt", b"Author\0a person"));
        let made = logo(&bytes).expect("a logo");
        assert_eq!((made.width, made.height), (480, 48));
        assert!(made.png.len() < LOGO_BYTES && !made.png.windows(8).any(|part| part == b"a person"));
        let read = image::load_from_memory(&made.png).expect("a PNG").into_rgb8();
        assert_eq!(read.get_pixel(10, 20).0, [0, 0, 255]);
        assert_eq!(read.get_pixel(400, 20).0, [255, 127, 127]);
        // Small logos keep their size.
        let small = logo(&file(ImageFormat::Png, 120, 30)).expect("a logo");
        assert_eq!((small.width, small.height), (120, 30));
        assert_eq!(logo(&file(ImageFormat::Jpeg, 120, 30)).map(|made| made.width), Ok(120));
    }

    #[test]
    fn a_very_wide_and_a_very_tall_logo_stay_within_their_box() {
        for (width, height) in [(9000, 30), (20, 2000), (1, 1), (1, 9000)] {
            let made = logo(&file(ImageFormat::Png, width, height)).expect("a logo");
            assert!(made.width <= LOGO_WIDTH && made.height <= LOGO_HEIGHT && made.width > 0 && made.height > 0);
        }
    }

    #[test]
    fn a_photograph_as_a_logo_is_reduced_until_it_weighs_little() {
        let mut noise = 1_u32;
        let picture = image::RgbImage::from_fn(1600, 320, |_, _| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [_, red, green, blue] = noise.to_be_bytes();
            image::Rgb([red, green, blue])
        });
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).expect("encodes");
        let made = logo(&bytes.into_inner()).expect("a logo");
        assert!(
            made.png.len() <= LOGO_BYTES && made.width > 100,
            "{} {}",
            made.png.len(),
            made.width
        );
    }

    #[test]
    fn a_logo_that_nobody_could_see_is_refused_with_the_remedy() {
        let white = RgbaImage::from_pixel(60, 20, Rgba([250, 250, 250, 255]));
        let clear = RgbaImage::new(60, 20);
        for picture in [white, clear] {
            let mut bytes = Cursor::new(Vec::new());
            picture.write_to(&mut bytes, ImageFormat::Png).expect("encodes");
            assert_eq!(logo(&bytes.into_inner()), Err(PictureFault::Invisible));
        }
        assert!(PictureFault::Invisible.to_string().contains("light background"));
        assert_eq!(logo(&bomb(10_000, 10_000)), Err(PictureFault::TooLarge));
        assert_eq!(
            logo(b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
            Err(PictureFault::UnknownFormat)
        );
    }

    #[test]
    fn only_a_few_are_decoded_at_the_same_time() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (turns, inside, most) = (Turns::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _turn = turns.take();
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        let most = most.into_inner();
        assert!((1..=2).contains(&most), "{most}");
        assert_eq!(*turns.free.lock().expect("sound"), 2);
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
