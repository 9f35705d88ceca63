//! Rendering pages beside `PDFium`, which renders the same pages at the same resolution in the same run, one thread each.
//!
//! Both open a file once and then render its pages one after the other into memory; a page's figure is the median of some
//! rounds, and what is compared is the median over the pages. The pages are made here; `COUNTERSIGN_CORPUS` may name a
//! folder whose `real/*.pdf` come on top.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ::document::certificate::{CertificateContent, Column, EventTable, State, render};
use ::document::demo::employment_contract;
use ::document::fonts::Fonts;
use ::document::packing::pack;
use ::document::render::{RenderFault, each_page, page_sizes};
use domain::Language;
use jiff::Timestamp;

use crate::machine::{idle_share, percentile};

const DOTS_PER_INCH: f32 = 144.0;
const ROUNDS: usize = 7;
/// Pages of one file, spread over it.
const MOST_PAGES: u32 = 14;

/// Prints the table's rows. What they are held against needs `.tools/venv` (`script/bootstrap --tests`).
pub fn measure(folder: &Path) {
    let files = files(folder);
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        idle_share() * 100.0
    );
    let mut list = Vec::new();
    let (mut rendering, mut packing, mut packed_bytes) = (Vec::new(), Vec::new(), 0_usize);
    for path in &files {
        let pdf = std::fs::read(path).expect("the file is read");
        let count = u32::try_from(page_sizes(&pdf).expect("a PDF").len()).expect("few pages");
        let pages: Vec<u32> = (1..=count).step_by(count.div_ceil(MOST_PAGES) as usize).collect();
        let mut rounds: Vec<Vec<f64>> = vec![Vec::new(); pages.len()];
        for _ in 0..ROUNDS {
            let mut began = Instant::now();
            let mut place = 0;
            each_page(&pdf, &pages, DOTS_PER_INCH, |_, picture| {
                rounds[place].push(began.elapsed().as_secs_f64() * 1000.0);
                place += 1;
                drop(picture);
                began = Instant::now();
                Ok::<_, RenderFault>(())
            })
            .expect("the pages are rendered");
        }
        rendering.extend(rounds.iter_mut().map(|round| percentile(round, 0.5)));
        each_page(&pdf, &pages, DOTS_PER_INCH, |_, picture| {
            let began = Instant::now();
            packed_bytes += pack(&picture).expect("packed").len();
            packing.push(began.elapsed().as_secs_f64() * 1000.0);
            Ok::<_, RenderFault>(())
        })
        .expect("the pages are packed");
        list.push(serde_json::json!({ "file": path, "pages": pages }));
    }
    let pages = rendering.len();
    let list_file = folder.join("pages.json");
    std::fs::write(&list_file, serde_json::to_vec(&list).expect("JSON")).expect("the list is written");
    let theirs = pdfium(&list_file);
    assert_eq!(theirs.len(), pages, "PDFium rendered other pages");
    let (ours, theirs) = (percentile(&mut rendering, 0.5), percentile(&mut theirs.clone(), 0.5));
    println!(
        "| render a page at {DOTS_PER_INCH} dpi, median of {pages} pages | {ours:.1} ms | PDFium {theirs:.1} ms | {:.2} of it |",
        ours / theirs
    );
    println!(
        "| pack it for browsers | {:.1} ms, {} KB on average | | |",
        percentile(&mut packing, 0.5),
        packed_bytes / pages.max(1) / 1000
    );
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let fonts = Fonts::embedded().expect("the embedded fonts");
    let mut files = vec![("contract.pdf", employment_contract(&fonts).expect("the demo contract"))];
    for (name, language) in [
        ("certificate-ko.pdf", Language::Ko),
        ("certificate-ja.pdf", Language::Ja),
        ("certificate-en.pdf", Language::En),
    ] {
        files.push((name, render(&certificate(language), &fonts).expect("a certificate")));
    }
    let mut paths: Vec<PathBuf> = files
        .into_iter()
        .map(|(name, bytes)| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).expect("the file is written");
            path
        })
        .collect();
    if let Some(corpus) = std::env::var_os("COUNTERSIGN_CORPUS") {
        let real = Path::new(&corpus).join("real");
        let mut found: Vec<PathBuf> = std::fs::read_dir(&real)
            .expect("the corpus has a folder `real`")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "pdf"))
            .collect();
        found.sort();
        paths.extend(found);
    }
    paths
}

fn certificate(language: Language) -> CertificateContent {
    let column = |title: &str| Column {
        title: title.to_owned(),
        share: 1.0,
    };
    CertificateContent {
        language,
        issuer: "Bench".to_owned(),
        title: "이력 증명서 履歴証明書 Certificate".to_owned(),
        subtitle: "근로계약서 雇用契約書".to_owned(),
        state: State::default(),
        sections: Vec::new(),
        events: EventTable {
            heading: "Events".to_owned(),
            columns: ["Time", "Event", "Who", "From"].map(column).to_vec(),
            rows: (0..60)
                .map(|number| {
                    vec![
                        format!("2026-11-28 10:00:{number:02} (UTC+09:00)"),
                        "서명함 署名しました signed".to_owned(),
                        format!("김민준 山田太郎 Writer {number} <writer{number}@example.com>"),
                        "203.0.113.7 · Chrome 126, Android 14".to_owned(),
                    ]
                })
                .collect(),
        },
        notes: Vec::new(),
        qr: None,
        footer: "Bench".to_owned(),
        attachments: Vec::new(),
        created: Timestamp::UNIX_EPOCH,
    }
}

/// Milliseconds of each page.
fn pdfium(list: &Path) -> Vec<f64> {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(repository.join(".tools/venv/bin/python"))
        .arg(repository.join("script/bench_pdfium.py"))
        .arg(list)
        .args([DOTS_PER_INCH.to_string(), ROUNDS.to_string()])
        .output()
        .expect("the peer runs (script/bootstrap --tests makes its environment)");
    assert!(
        output.status.success(),
        "PDFium: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("the peer's figures")
}
