//! Compares picture formats for pages by size and time, over several kinds of pages.
//!
//!     cargo run --release --manifest-path benches/page_formats/Cargo.toml -- FILE.pdf[:PAGE]…
//!
//! Renders each page at the resolution that people see, and packs it in every format that we considered. Each time is
//! the median of five runs, in processor time, on one thread. `PAGE_FORMATS_OUT` names a folder for the chosen pictures
//! and the SVGs, so that you can view them in a browser. The decision is recorded in docs/adr/0012-page-pictures.md.

#[path = "../../../crates/document/src/pages/packing.rs"]
mod packing;

/// The part of rendering that `packing` needs. The product's own module would pull in half of the PDF core.
mod render {
    pub struct Picture {
        pub width: u32,
        pub height: u32,
        pub rgba: Vec<u8>,
    }
}

use std::io::{Cursor, Write};

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};

use packing::pack;
use render::Picture;

const DOTS_PER_INCH: f32 = 144.0;

type Pack = Box<dyn Fn(&Picture) -> Vec<u8>>;

fn main() {
    let ways: Vec<(&str, Pack)> = vec![
        ("chosen", Box::new(|picture| pack(picture).expect("packed"))),
        (
            "WebP lossless, image-webp",
            Box::new(|picture| image_webp(picture, true)),
        ),
        (
            "the same without prediction",
            Box::new(|picture| image_webp(picture, false)),
        ),
        (
            "WebP lossless, libwebp",
            Box::new(|picture| libwebp(picture, true, 50.0, 4)),
        ),
        ("the same, fastest", Box::new(|picture| libwebp(picture, true, 0.0, 0))),
        (
            "WebP lossy 80, libwebp",
            Box::new(|picture| libwebp(picture, false, 80.0, 4)),
        ),
        ("PNG", Box::new(png)),
        ("JPEG 85", Box::new(jpeg)),
    ];
    let head = ways.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | ");
    println!("| page | render | {head} | SVG, gzipped |");
    println!("|---|---|{}---|", "---|".repeat(ways.len()));
    let mut totals = vec![(0_usize, 0.0_f64); ways.len() + 1];
    for argument in std::env::args().skip(1) {
        let (path, page) = match argument.rsplit_once(':') {
            Some((path, page)) => (path, page.parse().expect("a page number")),
            None => (argument.as_str(), 1),
        };
        let pdf = std::fs::read(path).expect("a file");
        let name = std::path::Path::new(path)
            .file_stem()
            .expect("a name")
            .to_string_lossy();
        let (picture, rendering) = timed(|| rendered(&pdf, page));
        let picture = &picture;
        let mut row = format!("| {name} {page} | {rendering:.1} ms |");
        for ((_, way), total) in ways.iter().zip(&mut totals) {
            let (bytes, time) = timed(|| way(picture));
            total.0 += bytes.len();
            total.1 += time;
            row.push_str(&format!(" {} KB, {time:.0} ms |", bytes.len() / 1000));
        }
        let (bytes, time) = timed(|| svg(&pdf, page));
        if let Some(folder) = std::env::var_os("PAGE_FORMATS_OUT") {
            let folder = std::path::Path::new(&folder);
            std::fs::write(folder.join(format!("{name}-{page}.svgz")), &bytes).expect("written");
            std::fs::write(
                folder.join(format!("{name}-{page}.webp")),
                pack(picture).expect("packed"),
            )
            .expect("written");
        }
        let last = totals.last_mut().expect("SVG");
        last.0 += bytes.len();
        last.1 += time;
        println!("{row} {} KB, {time:.0} ms |", bytes.len() / 1000);
    }
    let sums: Vec<String> = totals
        .iter()
        .map(|(bytes, time)| format!(" {} KB, {time:.0} ms |", bytes / 1000))
        .collect();
    println!("| all | |{}", sums.concat());
}

/// Processor time of this thread, in milliseconds. Other programs on the machine hardly affect it.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds: f64 = text
        .split(' ')
        .next()
        .and_then(|first| first.parse().ok())
        .expect("a number");
    nanoseconds / 1e6
}

/// Like `document::pages::render`.
fn rendered(pdf: &[u8], page: u32) -> Picture {
    let pdf = Pdf::new(pdf.to_vec()).expect("a PDF");
    let scale = DOTS_PER_INCH / 72.0;
    let settings = PixmapSettings {
        x_scale: scale,
        y_scale: scale,
        bg_color: WHITE,
    };
    let pixels = hayro::render(
        &pdf.pages()[page as usize - 1],
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &settings,
    );
    Picture {
        width: u32::from(pixels.width()),
        height: u32::from(pixels.height()),
        rgba: pixels.data_as_u8_slice().to_vec(),
    }
}

fn timed<T>(work: impl Fn() -> T) -> (T, f64) {
    let mut result = work();
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let started = processor_time();
            result = work();
            processor_time() - started
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (result, times[2])
}

fn rgb(picture: &Picture) -> Vec<u8> {
    picture
        .rgba
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|[r, g, b, _]| [*r, *g, *b])
        .collect()
}

fn image_webp(picture: &Picture, predicted: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = image_webp::WebPEncoder::new(&mut bytes);
    let mut parameters = image_webp::EncoderParams::default();
    parameters.use_predictor_transform = predicted;
    encoder.set_params(parameters);
    encoder
        .encode(
            &rgb(picture),
            picture.width,
            picture.height,
            image_webp::ColorType::Rgb8,
        )
        .expect("packed");
    bytes
}

fn libwebp(picture: &Picture, lossless: bool, quality: f32, method: i32) -> Vec<u8> {
    let rgb = rgb(picture);
    let mut configuration = webp::WebPConfig::new().expect("a configuration");
    configuration.lossless = i32::from(lossless);
    configuration.quality = quality;
    configuration.method = method;
    webp::Encoder::from_rgb(&rgb, picture.width, picture.height)
        .encode_advanced(&configuration)
        .expect("packed")
        .to_vec()
}

fn png(picture: &Picture) -> Vec<u8> {
    let rgb = rgb(picture);
    let grey = rgb.as_chunks::<3>().0.iter().all(|[r, g, b]| r == g && g == b);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, picture.width, picture.height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(if grey {
        png::ColorType::Grayscale
    } else {
        png::ColorType::Rgb
    });
    let data: Vec<u8> = if grey {
        rgb.iter().step_by(3).copied().collect()
    } else {
        rgb
    };
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&data))
        .expect("packed");
    bytes
}

fn jpeg(picture: &Picture) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    JpegEncoder::new_with_quality(&mut bytes, 85)
        .write_image(&rgb(picture), picture.width, picture.height, ExtendedColorType::Rgb8)
        .expect("packed");
    bytes.into_inner()
}

fn svg(pdf: &[u8], page: u32) -> Vec<u8> {
    let pdf = Pdf::new(pdf.to_vec()).expect("a PDF");
    let page = &pdf.pages()[page as usize - 1];
    let text = hayro_svg::convert(
        page,
        &hayro_svg::RenderCache::new(),
        &InterpreterSettings::default(),
        &hayro_svg::SvgRenderSettings::default(),
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packed.write_all(text.as_bytes()).expect("memory");
    packed.finish().expect("memory")
}
