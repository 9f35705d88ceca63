//! Tests of the pool with real child processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use countersign_document_worker::confinement::Degree;
use countersign_document_worker::{Pool, PoolError, PoolSettings};
use document::intake::{Refused, Wishes};
use document::marks::checked_picture::PictureWish;
use document::marks::picture::PictureFault;
use document::pages::render::RenderFault;
use document::verify::Means;
use domain::{CompanyId, LinkHolder, RecipientId, Requester};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};

/// Tests run unoptimised and in parallel, so only a hanging test takes this long.
const PLENTY: Duration = Duration::from_mins(2);

fn settings() -> PoolSettings {
    PoolSettings {
        workers: 2,
        time: PLENTY,
        other_time: PLENTY,
        wall: u32::MAX,
        picture_time: PLENTY,
        patience: PLENTY,
        arguments: Vec::new(),
        ..PoolSettings::default()
    }
}

fn pool(settings: PoolSettings) -> Pool {
    Pool::new(
        PathBuf::from(env!("CARGO_BIN_EXE_countersign-document-worker")),
        settings,
    )
    .expect("the pool starts")
}

fn file(content: &[u8], more: impl FnOnce(&mut Document) -> Dictionary) -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let content = document.add_object(Stream::new(Dictionary::new(), content.to_vec()));
    let mut page = dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 200.into(), 100.into()],
    };
    page.extend(&more(&mut document));
    let page = document.add_object(page);
    document.objects.insert(
        pages,
        Object::Dictionary(dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 }),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).expect("the file is written");
    bytes
}

/// Returns a program in this folder that runs a script. In the script, `worker` is the real program.
#[cfg(unix)]
fn scripted(folder: &Path, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("program");
    let worker = env!("CARGO_BIN_EXE_countersign-document-worker");
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\ncd '{}'\nworker() {{ '{worker}'; }}\n{script}\n",
        folder.display()
    );
    std::fs::write(&program, script).expect("a script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).expect("it may be run");
    program
}

fn plain() -> Vec<u8> {
    file(b"1 0 0 rg 20 20 50 50 re f", |_| Dictionary::new())
}

/// Returns a file in which each form draws the next one ten times: 10^12 rectangles.
fn endless() -> Vec<u8> {
    endless_for(12)
}

/// Returns a file with 10 to the power of `depth` rectangles.
fn endless_for(depth: usize) -> Vec<u8> {
    file(b"/F0 Do", |document| {
        let mut next = document.add_object(Stream::new(
            dictionary! { "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()] },
            b"0 0 9 9 re f".to_vec(),
        ));
        for _ in 0..depth {
            next = document.add_object(Stream::new(
                dictionary! {
                    "Type" => "XObject", "Subtype" => "Form",
                    "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
                    "Resources" => dictionary! { "XObject" => dictionary! { "F0" => next } },
                },
                b"/F0 Do ".repeat(10),
            ));
        }
        dictionary! { "Resources" => dictionary! { "XObject" => dictionary! { "F0" => next } } }
    })
}

#[test]
fn a_file_is_taken_and_shown_by_a_child() {
    let pool = pool(settings());
    let taken = pool.inspect(&plain()).expect("a plain file is taken");
    assert!(taken.pdf.starts_with(b"%PDF-"));
    assert_eq!(taken.pages.len(), 1);
    assert_eq!(
        (taken.pages[0].width_points, taken.pages[0].height_points),
        (200.0, 100.0)
    );
    let images = pool
        .page_images(&Requester::unknown(), &taken.pdf, &[1, 1], 72.0)
        .expect("its page is shown");
    assert_eq!(images.len(), 2);
    assert!(images.iter().all(|image| image.starts_with(b"RIFF")));
    let texts = pool
        .page_texts(&Requester::unknown(), &taken.pdf, &[1, 1])
        .expect("its page is read");
    assert_eq!(texts.len(), 2);
    assert!(matches!(
        pool.page_texts(&Requester::unknown(), &taken.pdf, &[2]),
        Err(PoolError::NotRendered(RenderFault::NoSuchPage { page: 2, pages: 1 }))
    ));
}

#[test]
fn what_is_refused_says_why() {
    let pool = pool(settings());
    assert!(matches!(
        pool.inspect(b"no PDF at all"),
        Err(PoolError::Refused(Refused::NotPdf))
    ));
    let mut limited = settings();
    limited.limits.largest_file = 10;
    let limited = self::pool(limited);
    assert!(matches!(
        limited.inspect(&plain()),
        Err(PoolError::Refused(Refused::TooLarge { limit: 10, .. }))
    ));
    assert!(matches!(
        pool.page_images(&Requester::unknown(), &plain(), &[2], 72.0),
        Err(PoolError::NotRendered(RenderFault::NoSuchPage { page: 2, pages: 1 }))
    ));
}

#[test]
fn a_file_without_signatures_has_a_verdict_from_a_child() {
    let pool = pool(settings());
    let at = "2026-11-28T00:00:00Z".parse().expect("a timestamp");
    let verdict = pool
        .verify(&Requester::unknown(), &plain(), &Means::default(), at)
        .expect("a verdict");
    assert!(!verdict.holds(), "{verdict:?}");
}

/// The program passes a part of the job to its first child and then kills it. The other children live.
#[cfg(unix)]
#[test]
fn a_file_whose_worker_is_killed_by_somebody_else_is_given_to_another() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = scripted(
        folder.path(),
        "if mkdir first 2>/dev/null; then dd bs=1 count=120 2>/dev/null | worker; kill -9 $$; fi\nworker",
    );
    let pool = Pool::new(program, settings()).expect("the pool starts");
    pool.inspect(&plain()).expect("the second worker takes it");
    assert!(folder.path().join("first").exists(), "there was a first one");
}

#[test]
fn a_file_that_takes_too_long_is_refused_and_the_next_is_taken() {
    let pool = pool(PoolSettings {
        workers: 1,
        time: Duration::from_millis(100),
        ..settings()
    });
    assert!(matches!(
        pool.inspect(&endless()),
        Err(PoolError::Refused(Refused::TooMuchTime { seconds: 0 }))
    ));
    // All jobs except intakes have plenty of time.
    pool.page_texts(&Requester::unknown(), &plain(), &[1])
        .expect("another child has taken its place");
}

/// A waiting child uses no processor time, so the real-time limit ends it. The first child gets a part of the job and
/// never answers.
#[cfg(unix)]
#[test]
fn a_file_whose_worker_stands_still_is_refused_and_the_next_is_taken() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = scripted(
        folder.path(),
        "if mkdir first 2>/dev/null; then dd bs=1 count=120 2>/dev/null | worker; exec sleep 100000; fi\nworker",
    );
    let settings = PoolSettings {
        workers: 1,
        time: Duration::from_millis(10),
        time_of_page: Duration::ZERO,
        wall: 1,
        ..settings()
    };
    let pool = Pool::new(program, settings).expect("the pool starts");
    assert!(matches!(
        pool.inspect(&plain()),
        Err(PoolError::Refused(Refused::TooMuchTime { seconds: 0 }))
    ));
    // All jobs except intakes have plenty of time.
    pool.page_texts(&Requester::unknown(), &plain(), &[1])
        .expect("another child has taken its place");
}

#[test]
fn a_file_that_needs_too_much_memory_is_refused_and_the_next_is_taken() {
    // A page image of 4,000 by 2,000 pixels needs more than this.
    let pool = pool(PoolSettings {
        workers: 1,
        memory: 96 * 1024 * 1024,
        ..settings()
    });
    let result = pool.page_images(&Requester::unknown(), &plain(), &[1; 40], 1440.0);
    assert!(
        matches!(
            result,
            Err(PoolError::Refused(Refused::TooMuchMemory { megabytes: 96 }))
        ),
        "{:?}",
        result.map(|images| images.len())
    );
    pool.inspect(&plain()).expect("another child has taken its place");
}

#[test]
fn a_file_nested_too_deeply_is_refused_and_the_next_is_taken() {
    let pool = pool(settings());
    let mut content = b"q ".repeat(100_000);
    content.extend_from_slice(&b"[".repeat(2_000_000));
    match pool.inspect(&file(&content, |_| Dictionary::new())) {
        Ok(_) | Err(PoolError::Refused(_)) => {}
        Err(other) => panic!("neither taken nor refused: {other}"),
    }
    pool.inspect(&plain()).expect("the pool goes on");
}

#[test]
fn many_callers_share_few_children() {
    let pool = Arc::new(pool(settings()));
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let pool = Arc::clone(&pool);
            std::thread::spawn(move || pool.inspect(&plain()).map(|taken| taken.pages.len()))
        })
        .collect();
    for caller in callers {
        assert_eq!(caller.join().expect("no panic").expect("taken"), 1);
    }
}

/// The only child is busy until the test writes into a pipe.
#[cfg(unix)]
#[test]
fn nobody_waits_longer_than_the_patience_allows() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo can be run").success());
    let program = scripted(
        folder.path(),
        "{ dd bs=1 count=120 2>/dev/null; cat pipe; cat; } | worker",
    );
    let settings = PoolSettings {
        workers: 1,
        patience: Duration::from_millis(1),
        ..settings()
    };
    let pool = Arc::new(Pool::new(program, settings).expect("the pool starts"));
    let busy = {
        let pool = Arc::clone(&pool);
        std::thread::spawn(move || pool.inspect(&plain()).map(|taken| taken.pages.len()))
    };
    // The pipe can be opened once the child reads from it.
    let held = std::fs::OpenOptions::new().write(true).open(&pipe).expect("the pipe");
    assert!(matches!(
        pool.page_images(&Requester::unknown(), &plain(), &[1], 36.0),
        Err(PoolError::Busy)
    ));
    drop(held);
    assert_eq!(busy.join().expect("no panic").expect("taken"), 1);
}

#[test]
fn a_program_that_is_no_worker_is_reported() {
    let missing = Pool::new(PathBuf::from("no-such-program"), settings());
    assert!(matches!(missing, Err(PoolError::Failed(_))));
}

#[test]
fn a_child_confines_itself() {
    let confinement = pool(settings()).confinement().expect("a child answers");
    assert!(confinement.resources);
    // Older kernels and sandboxes support less, but if the kernel reports Landlock, it must work.
    let security = std::fs::read_to_string("/sys/kernel/security/lsm").unwrap_or_default();
    if security.contains("landlock") {
        assert_ne!(confinement.file_system, Degree::None);
    }
    let seccomp = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if seccomp.contains("errno") {
        assert!(confinement.system_calls);
    }
}

#[test]
fn a_long_file_has_time_for_each_of_its_pages_and_a_short_one_has_not() {
    let with_page = |time_of_page| {
        pool(PoolSettings {
            workers: 1,
            time: Duration::from_millis(100),
            time_of_page,
            ..settings()
        })
    };
    let short = with_page(Duration::ZERO);
    // The depth that takes too long depends on the machine.
    let too_long = (3..=30)
        .map(endless_for)
        .find(|file| {
            matches!(
                short.inspect(file),
                Err(PoolError::Refused(Refused::TooMuchTime { .. }))
            )
        })
        .expect("an end");
    with_page(PLENTY).inspect(&too_long).expect("its page has time enough");
}

#[test]
fn an_encrypted_file_is_opened_with_the_password_that_its_sender_gives() {
    let pool = pool(settings());
    let wishes = |password: &str| document::intake::Wishes {
        password: Some(password.to_owned()),
        ..document::intake::Wishes::default()
    };
    let locked = locked();
    let refusal = |result: Result<document::intake::Intake, PoolError>| match result {
        Err(PoolError::Refused(reason)) => Some(reason),
        _ => None,
    };
    assert_eq!(refusal(pool.inspect(&locked)), Some(Refused::NeedsPassword));
    assert_eq!(
        refusal(pool.inspect_as(&Requester::unknown(), &locked, &wishes("no"))),
        Some(Refused::WrongPassword)
    );
    assert!(
        pool.inspect_as(&Requester::unknown(), &locked, &wishes("secret"))
            .is_ok()
    );
}

fn locked() -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (open, locked) = (directory.path().join("open.pdf"), directory.path().join("locked.pdf"));
    std::fs::write(&open, plain()).expect("the file is written");
    let status = std::process::Command::new("qpdf")
        .args(["--encrypt", "secret", "owner", "256", "--"])
        .args([&open, &locked])
        .status()
        .expect("qpdf can be run; script/bootstrap --tests installs it");
    assert!(status.success());
    std::fs::read(&locked).expect("the locked file")
}

fn company(id: &str) -> CompanyId {
    CompanyId::parse(id).expect("a company id")
}

/// Returns a PNG of one colour: a few kilobytes for very many pixels.
fn wide(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::GrayImage::from_pixel(width, height, image::Luma([40]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("a picture");
    bytes.into_inner()
}

fn wish() -> PictureWish {
    PictureWish {
        boxes: vec![(180.0, 60.0)],
    }
}

#[test]
fn a_picture_of_twenty_million_pixels_is_encoded_again_in_a_child_as_large_as_its_box() {
    let pool = pool(settings());
    let bomb = wide(10_000, 2_000);
    assert!(bomb.len() < 200_000, "{}", bomb.len());
    let made = pool.picture(&Requester::unknown(), &bomb, &wish()).expect("a picture");
    assert_eq!((made.width, made.height, made.is_blank), (1000, 200, false));
    assert!(made.bytes.len() < bomb.len());
    for (file, fault) in [
        (wide(10_001, 10), PictureFault::TooLarge),
        (b"GIF89a".to_vec(), PictureFault::UnknownFormat),
        (bomb[..bomb.len() / 2].to_vec(), PictureFault::Damaged),
    ] {
        match pool.picture(&Requester::unknown(), &file, &wish()) {
            Err(PoolError::NotAPicture(found)) => assert_eq!(found, fault),
            other => panic!("{other:?}"),
        }
    }
    assert!(pool.picture(&Requester::unknown(), &wide(30, 10), &wish()).is_ok());
}

#[test]
fn a_company_that_floods_the_children_leaves_one_to_another() {
    let pool = pool(PoolSettings {
        time: Duration::from_secs(1),
        ..settings()
    });
    let flood = Requester::Company(company("flood"));
    std::thread::scope(|scope| {
        // Each job keeps a child busy until its time is over.
        for _ in 0..2 {
            scope.spawn(|| pool.inspect_as(&flood, &endless(), &Wishes::default()).map(drop));
        }
        let other = Requester::Link {
            company: company("other"),
            holder: LinkHolder::Signer(RecipientId(1)),
        };
        for _ in 0..3 {
            pool.picture(&other, &wide(30, 10), &wish())
                .expect("a child is left for them");
        }
    });
}

/// Returns a file with Korean text whose font is not embedded, and with a letter that none of our fonts contains (계隙약).
fn letter_without_its_font() -> Vec<u8> {
    file(b"BT /F 20 Tf 20 40 Td <b0e8d0c0bee0> Tj ET", |_| {
        let system = dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Korea1"), "Supplement" => 2,
        };
        let letters = dictionary! {
            "Type" => "Font", "Subtype" => "CIDFontType0", "BaseFont" => "Batang", "CIDSystemInfo" => system,
            "DW" => 1000,
        };
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "Batang", "Encoding" => "KSCms-UHC-H",
            "DescendantFonts" => vec![letters.into()],
        };
        dictionary! { "Resources" => dictionary! { "Font" => dictionary! { "F" => font } } }
    })
}

#[test]
fn an_operators_font_stands_in_for_letters_that_ours_lack() {
    let ours = pool(settings());
    let refused = ours.inspect(&letter_without_its_font());
    assert!(
        matches!(&refused, Err(PoolError::Refused(Refused::TextNotShown { page: 1, .. }))),
        "{refused:?}"
    );
    let with_fonts = pool(PoolSettings {
        fonts: vec![
            PathBuf::from("/no/such/font.ttf"),
            // `script/bootstrap --tests` installs this font.
            PathBuf::from("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"),
        ],
        ..settings()
    });
    let taken = with_fonts.inspect(&letter_without_its_font()).expect("it is taken");
    let requester = Requester::unknown();
    with_fonts
        .page_images(&requester, &taken.pdf, &[1], 72.0)
        .expect("and shown");
    // The font is missing, as if the operator had removed it.
    let shown = ours.page_images(&requester, &taken.pdf, &[1], 72.0);
    assert!(
        matches!(shown, Err(PoolError::NotRendered(RenderFault::FontMissing { page: 1 }))),
        "{shown:?}"
    );
}
