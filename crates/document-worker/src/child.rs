//! The child process: confines itself, then does one job after another until its pipe closes.

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use document::marks::{checked_picture, extend};
use document::pages::{render, text_layer};
use document::text::stand_ins;
use document::{intake, verify};

use crate::confinement::{self, Confinement};
use crate::frame::{self, FrameError, FrameLimits};
use crate::protocol::{Answer, Job, Ready, Task, Welcome};

/// We trust the pool, so these limits only contain a mistake.
const FROM_POOL: FrameLimits = FrameLimits {
    header: 64 * 1024 * 1024,
    payload: 4 * 1024 * 1024 * 1024,
};

/// Runs the child on standard input and output. `countersign document-worker` calls this before anything else.
#[must_use]
pub fn main() -> ExitCode {
    let (mut input, mut output) = (std::io::stdin(), std::io::stdout());
    let Ok((welcome, _)) = frame::read::<Welcome>(&mut input, FROM_POOL) else {
        return ExitCode::FAILURE;
    };
    confinement::lower_priority();
    // A font that cannot be read is not used as a substitute.
    let fonts: Vec<Vec<u8>> = welcome
        .fonts
        .iter()
        .filter_map(|path| std::fs::read(path).ok())
        .collect();
    let read: usize = fonts.iter().map(Vec::len).sum();
    stand_ins::add(fonts);
    let memory = welcome.memory.saturating_add(u64::try_from(read).unwrap_or(0));
    let resources = confinement::limit_resources(memory);
    let file_system = confinement::forbid_files();
    // A panic becomes an answer and is not printed, because its message may quote the file.
    std::panic::set_hook(Box::new(|_| {}));
    let jobs = std::thread::Builder::new()
        .name("jobs".to_owned())
        // Deeply nested files need a large stack. If they need more than this, the process ends.
        .stack_size(extend::STACK)
        .spawn(move || {
            // The thread exists now, so the system call that creates threads is no longer needed.
            let system_calls = confinement::filter_system_calls();
            let ready = Ready {
                confinement: Confinement {
                    resources,
                    file_system,
                    system_calls,
                },
            };
            frame::write(&mut output, &ready, &[])?;
            work(&mut input, &mut output)
        });
    match jobs.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn work(input: &mut impl Read, output: &mut impl Write) -> Result<(), FrameError> {
    loop {
        let (job, file) = match frame::read::<Job>(input, FROM_POOL) {
            Ok(job) => job,
            Err(FrameError::Closed) => return Ok(()),
            Err(error) => return Err(error),
        };
        confinement::limit_processor(job.milliseconds);
        // Reports the number of pages to the pool, which keeps its own time limit.
        let mut counted = |pages: u32| {
            let more = job.milliseconds_of_page.saturating_mul(u64::from(pages));
            confinement::limit_processor(job.milliseconds.saturating_add(more));
            frame::write(&mut *output, &Answer::Counted { pages }, &[])
        };
        let (answer, parts) = catch_unwind(AssertUnwindSafe(|| answer(job.task, file, &mut counted)))
            .unwrap_or_else(|_| (Answer::Panicked, Vec::new()));
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        frame::write(output, &answer, &parts)?;
    }
}

fn answer(
    task: Task,
    file: Vec<u8>,
    counted: &mut impl FnMut(u32) -> Result<(), FrameError>,
) -> (Answer, Vec<Vec<u8>>) {
    match task {
        Task::Inspect { limits, wishes } => match intake::inspect_counting(file, &limits, &wishes, |pages| {
            // If the pool is gone, sending the answer fails too.
            let _ = counted(pages);
        }) {
            Ok(taken) => (
                Answer::Taken {
                    pages: taken.pages,
                    changes: taken.changes,
                    warnings: taken.warnings,
                    signatures: taken.signatures,
                    fields: taken.fields,
                },
                vec![taken.pdf],
            ),
            Err(reason) => (Answer::Refused { reason }, Vec::new()),
        },
        Task::PageImages { pages, dots_per_inch } => match render::page_images(file, &pages, dots_per_inch) {
            Ok(images) => (
                Answer::Images {
                    lengths: lengths(&images),
                },
                images,
            ),
            Err(fault) => (Answer::NotRendered { fault }, Vec::new()),
        },
        Task::PageTexts { pages } => match text_layer::page_texts(file, &pages) {
            Ok(texts) => {
                // Serialising texts and finite numbers cannot fail.
                let texts: Vec<Vec<u8>> = texts
                    .iter()
                    .map(|text| serde_json::to_vec(text).unwrap_or_default())
                    .collect();
                (
                    Answer::Texts {
                        lengths: lengths(&texts),
                    },
                    texts,
                )
            }
            Err(fault) => (Answer::NotRendered { fault }, Vec::new()),
        },
        Task::Sheet { limits } => match sheets::read(&file, &limits) {
            // Serialising texts and numbers cannot fail.
            Ok(sheet) => (Answer::Sheet, vec![serde_json::to_vec(&sheet).unwrap_or_default()]),
            Err(fault) => (Answer::NoSheet { fault }, Vec::new()),
        },
        Task::Picture { wish } => match checked_picture::check(&file, &wish) {
            Ok(made) => (
                Answer::Picture {
                    width: made.width,
                    height: made.height,
                    is_blank: made.is_blank,
                },
                vec![made.bytes],
            ),
            Err(fault) => (Answer::NoPicture { fault }, Vec::new()),
        },
        Task::Verify { means, at } => (
            Answer::Verified {
                verdict: verify::verify_with(file, &means, at),
            },
            Vec::new(),
        ),
    }
}

fn lengths(parts: &[Vec<u8>]) -> Vec<u64> {
    parts
        .iter()
        .map(|part| u64::try_from(part.len()).unwrap_or(u64::MAX))
        .collect()
}
