//! `script/corpus DIR`: runs the product on PDFs that we did not create.
//!
//! Each file is processed like an upload: intake in the confined worker processes, one stamp on its first page, the
//! seal, our own verifier. Then qpdf, pdfsig and pyHanko judge the result. The program prints every file that was not
//! simply accepted, and a table of counts. It fails if anything crashes or hangs outside a worker, if a worker panics,
//! or if one of the three tools reports a problem with a file that we accepted. Refused files and workers stopped at
//! their time or memory limit are not failures, because those files are then refused. For these, the reasons and counts
//! matter.
//!
//! `script/eye DIR PICTURES` compares how other programs show the pages (`eye`).

mod eye;
#[path = "../../../document/tests/document/judges.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod judges;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use countersign_document_worker::{Pool, PoolError, PoolSettings};
use document::intake::{Acceptance, Intake, Refused, Wishes};
use document::marks::extend;
use document::marks::stamp::{Mark, MarkContent, MarkFault, StampError, stamp};
use document::pki::authority::{SealSubject, create_root, issue_seal_certificate};
use document::pki::keys::{KeyKind, SealKey, Signer};
use document::sealing::{SealDetails, seal};
use document::text::fonts::Fonts;
use document::text::layout::TextStyle;
use document::verify::{TrustedRoots, verify};
use domain::Requester;
use domain::field::Placement;
use jiff::Timestamp;

/// Number of files that pyHanko judges in one process, because starting it takes longer than judging a file.
const BATCH: usize = 40;
/// Stamping and sealing a file that intake wrote never takes this long.
const HANG: Duration = Duration::from_mins(1);

fn main() -> ExitCode {
    // The first argument is the program's own name.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [word] if word == "document-worker" => countersign_document_worker::child::main(),
        [directory] => match Run::new().and_then(|run| run.directory(Path::new(directory))) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(reason) => {
                eprintln!("{reason}");
                ExitCode::FAILURE
            }
        },
        [word, directory, pictures] if word == "--eye" => {
            let looked = Run::new().and_then(|run| eye::look(&run, Path::new(directory), Path::new(pictures)));
            match looked {
                Ok(()) => ExitCode::SUCCESS,
                Err(reason) => {
                    eprintln!("{reason}");
                    ExitCode::FAILURE
                }
            }
        }
        _ => {
            eprintln!("usage: script/corpus DIR; script/eye DIR PICTURES");
            ExitCode::from(2)
        }
    }
}

enum Outcome {
    /// Accepted and sealed, with the changes and warnings of the intake, and the number of earlier signatures.
    Sealed {
        changes: Vec<String>,
        signatures: u32,
        pdf: Vec<u8>,
        /// Reason for refusal before the sender accepted a change (`Acceptance`).
        refused: Option<Refused>,
    },
    Refused(Refused),
    /// The worker reached its limit of time, memory or stack.
    Stopped {
        by_time: bool,
    },
    /// A failure that must not happen.
    Failed {
        what: String,
    },
}

struct Run {
    pool: Pool,
    work: Arc<Work>,
    log: Log,
}

/// Data for stamping and sealing, shared with the thread that does the work.
struct Work {
    fonts: Fonts,
    key: SealKey,
    root_pem: String,
    roots: TrustedRoots,
    at: Timestamp,
}

impl Run {
    fn new() -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let pool = Pool::new(program, PoolSettings::default()).map_err(|error| error.to_string())?;
        let at = Timestamp::now();
        let root = create_root("Corpus", KeyKind::EcdsaP256, at).map_err(|error| error.to_string())?;
        let subject = SealSubject {
            company_name: "Corpus",
            company_id: "corpus",
            revocation_list: None,
        };
        let key = issue_seal_certificate(&root, &subject, KeyKind::EcdsaP256, at).map_err(|error| error.to_string())?;
        let work = Work {
            fonts: Fonts::embedded().map_err(|error| error.to_string())?,
            key,
            root_pem: root.certificate_pem(),
            roots: TrustedRoots::new(root.certificates().to_vec()),
            at,
        };
        let log = Log::default();
        let writer = log.clone();
        tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .init();
        Ok(Self {
            pool,
            work: Arc::new(work),
            log,
        })
    }

    fn directory(&self, directory: &Path) -> Result<bool, String> {
        let files = pdf_files(directory)?;
        if files.is_empty() {
            return Err(format!("there is no PDF in {}", directory.display()));
        }
        let sealed = tempfile::tempdir().map_err(|error| error.to_string())?;
        let root = sealed.path().join("root.pem");
        std::fs::write(&root, &self.work.root_pem).map_err(|error| error.to_string())?;

        let mut table = Table::default();
        println!("| file | seconds | what became of it |\n|---|---|---|");
        let mut waiting: Vec<Sealed> = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let name = file.strip_prefix(directory).unwrap_or(file).display().to_string();
            let is_sound = judges::qpdf(file).is_empty();
            let started = Instant::now();
            let outcome = self.file(file);
            let seconds = started.elapsed().as_secs_f64();
            table.count(&outcome, is_sound);
            if seconds > table.slowest.1 {
                table.slowest = (name.clone(), seconds);
            }
            let clean = if is_sound { " (clean)" } else { "" };
            match outcome {
                Outcome::Sealed {
                    changes,
                    signatures,
                    pdf,
                    refused,
                } => {
                    if let Some(reason) = refused {
                        println!(
                            "| {name}{clean} | {seconds:.2} | refused: {}: {reason}; taken if accepted: {} |",
                            kind(&reason),
                            changes.join("; ")
                        );
                    } else if !changes.is_empty() {
                        println!("| {name} | {seconds:.2} | taken; {} |", changes.join("; "));
                    }
                    let path = sealed.path().join(format!("{number}.pdf"));
                    std::fs::write(&path, pdf).map_err(|error| error.to_string())?;
                    waiting.push(Sealed {
                        name,
                        path,
                        upload: file.clone(),
                        signatures,
                    });
                }
                Outcome::Refused(reason) => {
                    println!(
                        "| {name}{clean} | {seconds:.2} | refused: {}: {reason} |",
                        kind(&reason)
                    );
                }
                Outcome::Stopped { by_time } => {
                    let cause = if by_time { "time" } else { "memory or stack" };
                    println!("| {name} | {seconds:.2} | stopped at its limit of {cause}, refused |");
                }
                Outcome::Failed { what } => println!("| {name} | {seconds:.2} | FAILED: {what} |"),
            }
            if waiting.len() >= BATCH {
                table.judge(&mut waiting, &root);
            }
        }
        table.judge(&mut waiting, &root);
        println!("{}", table.summary());
        Ok(table.failed == 0 && table.complaints == 0)
    }

    fn file(&self, path: &Path) -> Outcome {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                return Outcome::Failed {
                    what: error.to_string(),
                };
            }
        };
        self.log.take();
        let (intake, refused) = match self.pool.inspect(&bytes) {
            Ok(intake) => (intake, None),
            Err(PoolError::Refused(reason)) if reason.acceptance().is_some() => {
                let accepting = Wishes {
                    accepts: Acceptance::ALL.into(),
                    ..Wishes::default()
                };
                match self.pool.inspect_as(&Requester::unknown(), &bytes, &accepting) {
                    Ok(intake) => (intake, Some(reason)),
                    Err(PoolError::Refused(_)) => return Outcome::Refused(reason),
                    Err(error) => return self.not_taken(error),
                }
            }
            Err(error) => return self.not_taken(error),
        };
        let changes = intake.changes.iter().map(ToString::to_string);
        let changes = changes.chain(intake.warnings.iter().map(ToString::to_string)).collect();
        let signatures = intake.signatures;
        let work = Arc::clone(&self.work);
        let (answer, answered) = mpsc::channel();
        let finishing = std::thread::Builder::new().stack_size(extend::STACK).spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| work.finish(&intake)));
            // If this took too long, the receiver no longer exists.
            let _ = answer.send(result.unwrap_or_else(|_| Err("stamping or sealing panicked".to_owned())));
        });
        if let Err(error) = finishing {
            return Outcome::Failed {
                what: error.to_string(),
            };
        }
        match answered.recv_timeout(HANG) {
            Ok(Ok(pdf)) => Outcome::Sealed {
                changes,
                signatures,
                pdf,
                refused,
            },
            Ok(Err(what)) => Outcome::Failed { what },
            Err(_) => Outcome::Failed {
                what: "stamping or sealing hangs".to_owned(),
            },
        }
    }

    fn not_taken(&self, error: PoolError) -> Outcome {
        let log = self.log.take();
        match error {
            PoolError::Refused(_) if log.contains("does not handle") => Outcome::Failed {
                what: "intake panicked".to_owned(),
            },
            PoolError::Refused(refused) if refused.is_too_demanding() && log.contains("ended during its job") => {
                Outcome::Stopped {
                    by_time: log.contains("cause=\"time\""),
                }
            }
            PoolError::Refused(reason) => Outcome::Refused(reason),
            other => Outcome::Failed {
                what: other.to_string(),
            },
        }
    }
}

impl Work {
    /// Stamps, seals and verifies a file that intake accepted.
    fn finish(&self, intake: &Intake) -> Result<Vec<u8>, String> {
        let stamp = if intake.is_signed() { extend::stamp } else { stamp };
        let pdf = intake.pdf.as_slice();
        let mark = |content| Mark {
            page: 1,
            placement: Placement {
                x: 100_000,
                y: 100_000,
                width: 800_000,
                height: 200_000,
            },
            content,
        };
        let text = MarkContent::Text {
            text: "김민준 山田太郎 Zoë".to_owned(),
            style: TextStyle::default(),
        };
        let stamped = match stamp(pdf, &self.fonts, &[mark(text)]) {
            // Some pages are too small for a name in the smallest letters.
            Err(StampError::Mark {
                fault: MarkFault::Text(_),
                ..
            }) => stamp(pdf, &self.fonts, &[mark(MarkContent::Check)]),
            other => other,
        };
        let stamped = stamped.map_err(|error| format!("stamp: {error}"))?;
        self.sealed(intake, stamped)
    }

    /// Seals and verifies a stamped file.
    fn sealed(&self, intake: &Intake, stamped: Vec<u8>) -> Result<Vec<u8>, String> {
        let details = SealDetails {
            reason: "Corpus".to_owned(),
            name: "Corpus".to_owned(),
            location: None,
            at: self.at,
            certify: !intake.is_signed(),
            is_test: false,
            mark: None,
        };
        let sealed = seal(stamped, &self.key, &details).map_err(|error| format!("seal: {error}"))?;
        let verdict = verify(&sealed, &self.roots, self.at);
        // The certificates of the earlier signers are unknown here.
        if verdict.holds() {
            return Ok(sealed);
        }
        let faults: Vec<String> = verdict.all_faults().map(|(_, fault)| fault.to_string()).collect();
        Err(format!("verify: {}", faults.join("; ")))
    }
}

/// Returns the name of a reason, without the parts that vary from file to file.
fn kind(reason: &Refused) -> String {
    serde_json::to_value(reason)
        .ok()
        .and_then(|value| {
            value
                .get("reason")
                .and_then(|reason| reason.as_str().map(str::to_owned))
        })
        .unwrap_or_else(|| reason.to_string())
}

/// A sealed file that waits for the other tools.
struct Sealed {
    name: String,
    path: PathBuf,
    upload: PathBuf,
    /// The number of earlier signatures.
    signatures: u32,
}

#[derive(Default)]
struct Table {
    files: usize,
    sealed: usize,
    changed: usize,
    signed_before: usize,
    out_of_time: usize,
    out_of_memory: usize,
    failed: usize,
    complaints: usize,
    refused: BTreeMap<String, usize>,
    sound: usize,
    sound_and_sealed: usize,
    /// Number of files sealed after the sender accepted a change.
    accepted: usize,
    sound_and_accepted: usize,
    slowest: (String, f64),
}

impl Table {
    fn count(&mut self, outcome: &Outcome, is_sound: bool) {
        self.files += 1;
        self.sound += usize::from(is_sound);
        match outcome {
            Outcome::Sealed {
                refused: Some(reason), ..
            } => {
                *self.refused.entry(kind(reason)).or_default() += 1;
                self.accepted += 1;
                self.sound_and_accepted += usize::from(is_sound);
            }
            Outcome::Sealed {
                changes, signatures, ..
            } => {
                self.sealed += 1;
                self.signed_before += usize::from(*signatures > 0);
                self.changed += usize::from(!changes.is_empty());
                self.sound_and_sealed += usize::from(is_sound);
            }
            Outcome::Refused(reason) => *self.refused.entry(kind(reason)).or_default() += 1,
            Outcome::Stopped { by_time: true } => self.out_of_time += 1,
            Outcome::Stopped { by_time: false } => self.out_of_memory += 1,
            Outcome::Failed { .. } => self.failed += 1,
        }
    }

    fn judge(&mut self, waiting: &mut Vec<Sealed>, root: &Path) {
        let paths: Vec<&Path> = waiting.iter().map(|sealed| sealed.path.as_path()).collect();
        if paths.is_empty() {
            return;
        }
        let signatures = judges::pyhanko(&paths, root);
        for (sealed, mut complaints) in waiting.drain(..).zip(signatures) {
            complaints.extend(if sealed.signatures == 0 {
                judges::pdfsig(&sealed.path)
            } else {
                judges::pdfsig_extended(&sealed.upload, &sealed.path)
            });
            complaints.extend(judges::qpdf(&sealed.path));
            if complaints.is_empty() {
                continue;
            }
            self.complaints += 1;
            println!(
                "| {} | | COMPLAINT: {} |",
                sealed.name,
                complaints.join(" / ").replace('\n', " ")
            );
        }
    }

    fn summary(&self) -> String {
        let mut text = format!(
            "\n| | files |\n|---|---|\n| all | {} |\n| taken, stamped and sealed | {} |\n| – of these with changes or warnings | {} |\n\
             | – of these signed before, extended | {} |\n",
            self.files, self.sealed, self.changed, self.signed_before
        );
        for (reason, count) in &self.refused {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "| refused: {reason} | {count} |");
        }
        let _ = writeln!(text, "| refused: out of time | {} |", self.out_of_time);
        let _ = writeln!(text, "| refused: out of memory or stack | {} |", self.out_of_memory);
        let _ = writeln!(
            text,
            "| FAILED: crashed, hung, or our own verifier objects | {} |",
            self.failed
        );
        let _ = writeln!(text, "| FAILED: taken, but a judge complains | {} |", self.complaints);
        // Precise enough for a percentage.
        #[expect(clippy::cast_precision_loss, reason = "far fewer files than 2^52")]
        let share = 100.0 * self.sound_and_sealed as f64 / self.sound.max(1) as f64;
        let _ = writeln!(
            text,
            "| of {} that qpdf opens without complaint, sealed | {} = {share:.1} % |",
            self.sound, self.sound_and_sealed
        );
        let _ = writeln!(
            text,
            "| refused, but sealed if the sender accepts what we say | {}, of them {} that qpdf opens without complaint |",
            self.accepted, self.sound_and_accepted
        );
        let (name, seconds) = &self.slowest;
        let _ = write!(text, "| slowest intake | {seconds:.2} s: {name} |");
        text
    }
}

fn pdf_files(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        let entries = std::fs::read_dir(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Captures the pool's log, which distinguishes a panic from a refusal.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn take(&self) -> String {
        let mut bytes = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        String::from_utf8_lossy(&std::mem::take(&mut *bytes)).into_owned()
    }
}

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
