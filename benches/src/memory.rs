//! Measures the peak memory that a large file needs, in a separate process for each task: checking an upload in the
//! worker, completing the file in the server after the last signature, and verifying a sealed file in the worker.

use std::path::Path;
use std::process::Command;

use ::document::intake::{Limits, inspect};
use ::document::marks::stamp::{Mark, MarkContent, stamp};
use ::document::pages::render::page_images;
use ::document::pki::authority::{SealSubject, create_root, issue_seal_certificate};
use ::document::pki::keys::{KeyKind, SealKey, Signer};
use ::document::sealing::validation_data::{ValidationData, add_validation_data};
use ::document::sealing::{SealDetails, seal};
use ::document::text::fonts::Fonts;
use ::document::text::layout::TextStyle;
use ::document::verify::{TrustedRoots, verify};
use domain::field::Placement;
use jiff::Timestamp;
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

/// Number of pages, each with a picture of incompressible noise.
const PAGES: u32 = 24;
const PICTURE: (u32, u32) = (840, 820);
/// Memory limit for a task, as a multiple of the file size.
const MOST: f64 = 3.0;

/// Prints the table's rows.
pub fn measure(folder: &Path) {
    let upload = large_file();
    let size = upload.len() as f64 / 1e6;
    std::fs::write(folder.join("large.pdf"), upload).expect("the file is written");
    for (task, name) in [
        ("nothing", "nothing with it but to read it"),
        ("intake", "take it in"),
        ("complete", "stamp and seal it, with validation data"),
        ("verify", "verify it"),
        ("show", "show a page of it"),
    ] {
        let program = std::env::current_exe().expect("this program");
        let output = Command::new(program)
            .args(["--task", task])
            .arg(folder)
            .output()
            .expect("this program runs");
        assert!(
            output.status.success(),
            "{task}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let peak: f64 = String::from_utf8_lossy(&output.stdout)
            .trim()
            .parse()
            .expect("a number");
        println!(
            "| most memory for a file of {size:.0} MB, to {name} | {peak:.0} MB | the file | {:.2} times (at most {MOST}) |",
            peak / size
        );
    }
}

/// Runs a task and prints this process's peak memory, in MB.
pub fn do_task(task: &str, folder: &Path) {
    let read = |name: &str| std::fs::read(folder.join(name)).expect("the file is read");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("the file is written");
    match task {
        "nothing" => drop(read("large.pdf")),
        "intake" => {
            let taken = inspect(read("large.pdf"), &Limits::default()).expect("it is taken");
            write("taken.pdf", &taken.pdf);
        }
        "complete" => {
            let fonts = Fonts::embedded().expect("the embedded fonts");
            // Like `app::complete`.
            let stamped = stamp(read("taken.pdf"), &fonts, &marks()).expect("stamped");
            let (key, root) = key();
            let details = SealDetails {
                reason: "Bench".to_owned(),
                name: "Bench".to_owned(),
                location: None,
                at: Timestamp::now(),
                certify: true,
                is_test: false,
                mark: None,
            };
            let sealed = seal(stamped, &key, &details).expect("sealed");
            let data = ValidationData {
                certificates: key.certificates().to_vec(),
                ..ValidationData::default()
            };
            write("sealed.pdf", &add_validation_data(sealed, &data).expect("lengthened"));
            write("root.pem", root.certificate_pem().as_bytes());
        }
        "verify" => {
            let roots = String::from_utf8(read("root.pem")).expect("PEM");
            let roots = TrustedRoots::from_pem(&roots).expect("a root");
            assert!(verify(&read("sealed.pdf"), &roots, Timestamp::now()).holds_strictly());
        }
        "show" => drop(page_images(read("sealed.pdf"), &[1], 144.0).expect("a page")),
        other => panic!("there is no task {other}"),
    }
    println!("{}", most_memory());
}

/// `VmHWM` of this process, in MB.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let kib: f64 = status
        .lines()
        .find_map(|line| {
            line.strip_prefix("VmHWM:")?
                .trim()
                .strip_suffix("kB")?
                .trim()
                .parse()
                .ok()
        })
        .expect("its memory");
    kib * 1024.0 / 1e6
}

fn marks() -> Vec<Mark> {
    (1..=PAGES)
        .map(|page| Mark {
            page,
            placement: Placement {
                x: 100_000,
                y: 100_000,
                width: 300_000,
                height: 50_000,
            },
            content: MarkContent::Text {
                text: "김민준".to_owned(),
                style: TextStyle::default(),
            },
        })
        .collect()
}

fn key() -> (SealKey, SealKey) {
    let at = Timestamp::now();
    let root = create_root("Bench", KeyKind::EcdsaP256, at).expect("a root");
    let subject = SealSubject {
        company_name: "Bench",
        company_id: "bench",
        revocation_list: None,
    };
    let key = issue_seal_certificate(&root, &subject, KeyKind::EcdsaP256, at).expect("a certificate");
    (key, root)
}

fn large_file() -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut kids: Vec<Object> = Vec::new();
    for _ in 0..PAGES {
        let noise: Vec<u8> = (0..PICTURE.0 * PICTURE.1 * 3)
            .map(|_| {
                // Xorshift: random enough to be incompressible, and the same in every run.
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        let picture = document.add_object(
            Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Image", "ColorSpace" => "DeviceRGB", "BitsPerComponent" => 8,
                    "Width" => i64::from(PICTURE.0), "Height" => i64::from(PICTURE.1),
                },
                noise,
            )
            .with_compression(false),
        );
        let content = document.add_object(Stream::new(
            Dictionary::new(),
            b"q 500 0 0 700 50 50 cm /P Do Q".to_vec(),
        ));
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => content,
            "Resources" => dictionary! { "XObject" => dictionary! { "P" => picture } },
        });
        kids.push(page.into());
    }
    document.objects.insert(
        pages,
        Object::Dictionary(dictionary! {
            "Type" => "Pages", "Count" => i64::from(PAGES), "Kids" => kids,
            "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        }),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("the file is written");
    bytes
}
