//! Compresses page images for browsers.
//!
//! Most pages are text on paper: a few plain colours, and the steps of smoothed edges between them. We keep sixteen of
//! those steps for each channel, which looks the same (no pixel changes by more than 8 of 255, and plain colours do not
//! change at all) and makes lossless WebP a third as large. A page with a photo or a scan keeps every step, and becomes
//! a JPEG if that is much smaller. `docs/adr/` contains the measurements, and the reasons against SVG and lossy WebP.

use std::collections::HashMap;

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};
use image_webp::{ColorType, EncoderParams, WebPEncoder};

use super::render::Picture;

type Colour = [u8; 3];

/// A colour is plain if it covers more than 1/400 of the pixels.
const PLAIN_SHARE: usize = 400;
/// Maximum number of plain colours.
const MOST_PLAIN: usize = 64;
/// A page contains a photo if more than 1/250 of the examined pixels change in small steps.
const SOFT_SHARE: usize = 250;
/// Maximum size of a small step. Smoothed edges have one or two small steps, and larger ones.
const SOFT_STEP: u8 = 12;
/// Number of consecutive small steps that cannot be an edge.
const SOFT_STEPS: usize = 6;
/// Distance between the examined rows, and between the examined columns.
const LOOKED_AT: usize = 5;
const JPEG_QUALITY: u8 = 88;

/// Encodes an image. `None` if it is too large for the format.
pub fn pack(picture: &Picture) -> Option<Vec<u8>> {
    let pixels: Vec<Colour> = picture
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .map(|[red, green, blue, _]| [*red, *green, *blue])
        .collect();
    let width = usize::try_from(picture.width).ok()?;
    if !is_soft(&pixels, width) {
        let plain = plain_colours(&pixels);
        return webp(picture, &stepped(&pixels, &plain), false);
    }
    let exact = webp(picture, &pixels, true)?;
    let small = jpeg(picture, &pixels)?;
    Some(if small.len() * 2 < exact.len() { small } else { exact })
}

/// Returns whether the page contains more than text and lines: a photo, a scan or a gradient.
fn is_soft(pixels: &[Colour], width: usize) -> bool {
    let rows = pixels.chunks_exact(width.max(1)).step_by(LOOKED_AT);
    let across: usize = rows.map(|row| soft_steps(row.iter())).sum();
    let down: usize = (0..width)
        .step_by(LOOKED_AT)
        // A column begins at this pixel of the first row.
        .map(|column| soft_steps(pixels.iter().skip(column).step_by(width)))
        .sum();
    (across + down) * SOFT_SHARE > 2 * pixels.len() / LOOKED_AT
}

fn soft_steps<'p>(line: impl Iterator<Item = &'p Colour>) -> usize {
    let (mut soft, mut streak) = (0, 0);
    let mut last: Option<&Colour> = None;
    for colour in line {
        if let Some(last) = last.filter(|last| *last != colour) {
            streak = if is_soft_step(*last, *colour) { streak + 1 } else { 0 };
            soft += usize::from(streak >= SOFT_STEPS);
        }
        last = Some(colour);
    }
    soft
}

/// Returns the colours that stay unchanged.
fn plain_colours(pixels: &[Colour]) -> Vec<Colour> {
    let mut counts: HashMap<Colour, usize> = HashMap::new();
    for run in pixels.chunk_by(|one, other| one == other) {
        if let Some(colour) = run.first() {
            *counts.entry(*colour).or_default() += run.len();
        }
    }
    let mut plain: Vec<(usize, Colour)> = counts
        .into_iter()
        .filter(|(_, count)| count * PLAIN_SHARE > pixels.len())
        .map(|(colour, count)| (count, colour))
        .collect();
    plain.sort_unstable_by(|one, other| other.cmp(one));
    plain.truncate(MOST_PLAIN);
    plain.into_iter().map(|(_, colour)| colour).collect()
}

fn is_soft_step(one: Colour, other: Colour) -> bool {
    one.iter()
        .zip(other)
        .all(|(one, other)| one.abs_diff(other) <= SOFT_STEP)
}

/// Reduces all colours except the plain ones to sixteen steps per channel.
fn stepped(pixels: &[Colour], plain: &[Colour]) -> Vec<Colour> {
    const STEP: u8 = 17;
    let mut result = Vec::with_capacity(pixels.len());
    for run in pixels.chunk_by(|one, other| one == other) {
        let Some(colour) = run.first() else { continue };
        let shown = if plain.contains(colour) {
            *colour
        } else {
            colour.map(|value| (value / STEP + u8::from(value % STEP > STEP / 2)) * STEP)
        };
        result.resize(result.len() + run.len(), shown);
    }
    result
}

fn webp(picture: &Picture, pixels: &[Colour], predicted: bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = WebPEncoder::new(&mut bytes);
    let mut parameters = EncoderParams::default();
    // Prediction helps with photos. Text consists of runs of one colour, which it would break.
    parameters.use_predictor_transform = predicted;
    encoder.set_params(parameters);
    let is_grey = pixels.iter().all(|[red, green, blue]| red == green && green == blue);
    let packed = if is_grey {
        let grey: Vec<u8> = pixels.iter().map(|[red, ..]| *red).collect();
        encoder.encode(&grey, picture.width, picture.height, ColorType::L8)
    } else {
        encoder.encode(pixels.as_flattened(), picture.width, picture.height, ColorType::Rgb8)
    };
    packed.ok().map(|()| bytes)
}

fn jpeg(picture: &Picture, pixels: &[Colour]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)
        .write_image(
            pixels.as_flattened(),
            picture.width,
            picture.height,
            ExtendedColorType::Rgb8,
        )
        .ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, colour: impl Fn(u32, u32) -> Colour) -> Picture {
        let rgba = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| {
                let [red, green, blue] = colour(x, y);
                [red, green, blue, 255]
            })
            .collect();
        Picture { width, height, rgba }
    }

    fn unpacked(bytes: &[u8]) -> Vec<Colour> {
        let picture = image::load_from_memory(bytes).expect("a picture").into_rgb8();
        picture.pixels().map(|pixel| pixel.0).collect()
    }

    fn largest_difference(picture: &Picture, shown: &[Colour]) -> u8 {
        picture
            .rgba
            .as_chunks::<4>()
            .0
            .iter()
            .zip(shown)
            .flat_map(|(was, is)| was.iter().zip(is).map(|(was, is)| was.abs_diff(*is)))
            .max()
            .expect("pixels")
    }

    /// Text on a tinted background: hard edges with some steps between.
    fn letters(x: u32, y: u32) -> Colour {
        const GROUND: Colour = [242, 244, 247];
        match (x % 20, y % 12) {
            (3..=8, 2..=8) => [24, 28, 36],
            (9, 2..=8) => [u8::try_from((x * 7 + y * 13) % 240).expect("below 256"), 130, 141],
            _ => GROUND,
        }
    }

    #[test]
    fn letters_keep_their_plain_colours_and_change_by_eight_at_most() {
        let page = picture(400, 300, letters);
        let packed = pack(&page).expect("packed");
        assert!(packed.starts_with(b"RIFF"));
        let shown = unpacked(&packed);
        assert!(largest_difference(&page, &shown) <= 8);
        for plain in [[242, 244, 247], [24, 28, 36]] {
            let was = page.rgba.as_chunks::<4>().0.iter().map(|[r, g, b, _]| [*r, *g, *b]);
            assert!(
                was.zip(&shown).all(|(was, is)| (was == plain) == (*is == plain)),
                "{plain:?}"
            );
        }
    }

    fn pixels_of(picture: &Picture) -> Vec<Colour> {
        picture
            .rgba
            .as_chunks::<4>()
            .0
            .iter()
            .map(|[r, g, b, _]| [*r, *g, *b])
            .collect()
    }

    #[test]
    fn a_photograph_keeps_its_steps() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "colours")]
        let photo = |x: u32, y: u32| {
            let (x, y) = (f64::from(x), f64::from(y));
            let value = |shift: f64| (127.0 + 120.0 * ((x / 40.0 + shift).sin() * (y / 33.0).cos())) as u8;
            [value(0.0), value(1.0), value(2.0)]
        };
        let page = picture(400, 300, photo);
        let shown = unpacked(&pack(&page).expect("packed"));
        let distinct: std::collections::HashSet<Colour> = shown.iter().copied().collect();
        assert!(distinct.len() > 5_000, "{} colours", distinct.len());
        // A small photo in a page of text counts too.
        let mixed = picture(
            400,
            300,
            |x, y| if x < 60 && y < 60 { photo(x, y) } else { letters(x, y) },
        );
        assert!(is_soft(&pixels_of(&mixed), 400));
        assert!(!is_soft(&pixels_of(&picture(400, 300, letters)), 400));
    }

    #[test]
    fn a_scan_is_not_several_times_as_large_as_it_must_be() {
        let scan = |x: u32, y: u32| {
            let noise =
                u8::try_from((x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) >> 7 & 15).expect("small");
            let ink = if (x / 3 + y / 5).is_multiple_of(9) { 60 } else { 225 };
            [ink + noise; 3]
        };
        let page = picture(400, 300, scan);
        let packed = pack(&page).expect("packed");
        let exact = webp(&page, &pixels_of(&page), true).expect("packed");
        assert!(packed.len() <= exact.len());
    }

    #[test]
    fn what_no_format_holds_is_refused() {
        assert_eq!(pack(&picture(20_000, 1, |_, _| [255; 3])), None);
        assert_eq!(pack(&picture(0, 0, |_, _| [255; 3])), None);
    }
}
