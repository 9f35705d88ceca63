//! Measures rendering, compared with `PDFium`, which renders the same pages at the same resolution in the same run,
//! with one thread each.
//!
//! Both take turns. Each opens a file once and renders its pages one after another into memory. The figure for a page
//! is the median of several rounds, and we compare the medians over all pages. The pages are generated here.
//! `COUNTERSIGN_CORPUS` may name a folder whose `real/*.pdf` are added, and with `COUNTERSIGN_BENCH_PAGES` every page
//! has its own row.

use std::path::{Path, PathBuf};

use ::document::evidence::certificate::{CertificateContent, Column, EventTable, Look, State, render};
use ::document::pages::packing::pack;
use ::document::pages::render::{RenderFault, each_page, page_sizes};
use ::document::text::fonts::Fonts;
use domain::Language;
use jiff::Timestamp;
use testkit::demo::employment_contract;

use crate::machine::{Stopwatch, Took, idle_share};
use crate::peer::Peer;

const DOTS_PER_INCH: f32 = 144.0;
const ROUNDS: usize = 7;
/// Maximum number of pages from one file, spread evenly over it.
const MOST_PAGES: u32 = 14;

/// Prints the table's rows. The peer needs `.tools/venv` (`script/bootstrap --tests`).
pub fn measure(folder: &Path) {
    let files = files(folder);
    println!(
        "| idle share of the processors before | {:.0} % | | |",
        idle_share() * 100.0
    );
    let mut peer = Peer::start("PDFium", "bench_pdfium.py", &[DOTS_PER_INCH.to_string().into()]);
    let (mut rendering, mut theirs) = (Vec::new(), Vec::new());
    let (mut packing, mut packed_bytes) = (Vec::new(), 0_usize);
    for path in &files {
        let pdf = std::fs::read(path).expect("the file is read");
        let count = u32::try_from(page_sizes(&pdf).expect("a PDF").len()).expect("few pages");
        let pages: Vec<u32> = (1..=count).step_by(count.div_ceil(MOST_PAGES) as usize).collect();
        let order = serde_json::json!({ "file": path, "pages": pages }).to_string();
        let mut rounds: Vec<(Vec<Took>, Vec<Took>)> = vec![Default::default(); pages.len()];
        for _ in 0..ROUNDS {
            let mut watch = Stopwatch::start();
            let mut place = 0;
            each_page(&pdf, &pages, DOTS_PER_INCH, |_, picture| {
                rounds[place].0.push(watch.took());
                place += 1;
                drop(picture);
                watch = Stopwatch::start();
                Ok::<_, RenderFault>(())
            })
            .expect("the pages are rendered");
            let answers = peer.several(&order);
            assert_eq!(answers.len(), pages.len(), "PDFium rendered other pages");
            for (round, took) in rounds.iter_mut().zip(answers) {
                round.1.push(took);
            }
        }
        let of_pages: Vec<(Took, Took)> = rounds
            .iter()
            .map(|(ours, theirs)| (Took::median(ours), Took::median(theirs)))
            .collect();
        if std::env::var_os("COUNTERSIGN_BENCH_PAGES").is_some() {
            for (page, (ours, theirs)) in pages.iter().zip(&of_pages) {
                println!(
                    "| page {page} of {} | {:.2} ms | PDFium {:.2} ms | {:.2} of it |",
                    path.file_name().unwrap_or_default().display(),
                    ours.processor,
                    theirs.processor,
                    ours.processor / theirs.processor
                );
            }
        }
        rendering.extend(of_pages.iter().map(|(ours, _)| *ours));
        theirs.extend(of_pages.iter().map(|(_, theirs)| *theirs));
        each_page(&pdf, &pages, DOTS_PER_INCH, |_, picture| {
            let watch = Stopwatch::start();
            packed_bytes += pack(&picture).expect("packed").len();
            packing.push(watch.took());
            Ok::<_, RenderFault>(())
        })
        .expect("the pages are packed");
    }
    let pages = rendering.len();
    let (ours, theirs) = (Took::median(&rendering), Took::median(&theirs));
    println!(
        "| render a page at {DOTS_PER_INCH} dpi, median of {pages} pages | {:.1} ms, {:.1} in the processor | PDFium {:.1} ms, \
         {:.1} in the processor | {:.2} of it, {:.2} in the processor (at most 1.2) |",
        ours.wall,
        ours.processor,
        theirs.wall,
        theirs.processor,
        ours.wall / theirs.wall,
        ours.processor / theirs.processor
    );
    println!(
        "| pack it for browsers | {:.1} ms, {} KB on average | | |",
        Took::median(&packing).processor,
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
        look: Look::default(),
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
