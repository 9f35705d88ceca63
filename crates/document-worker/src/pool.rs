//! The pool of child processes, in the server.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use document::intake::{Intake, Limits, Refused, Wishes};
use document::marks::checked_picture::{CheckedPicture, PictureWish, claimed_size};
use document::marks::picture::{LARGEST_FILE, LONGEST_SIDE, PictureFault};
use document::pages::render::RenderFault;
use document::pages::text_layer::PageText;
use document::verify::{Means, Verdict};
use domain::Requester;
use domain::template::PageSize;
use domain::turns::{Bounds, Ticket, Turns};
use jiff::Timestamp;
use sheets::{Sheet, SheetFault, SheetLimits};
use thiserror::Error;

use crate::confinement::Confinement;
use crate::frame::{self, FrameError, FrameLimits};
use crate::protocol::{Answer, Job, Ready, Task, Welcome};

/// A child is replaced after this many jobs, so that nothing accumulates in it.
const MOST_JOBS: u32 = 500;
/// Maximum header size of an answer: at most a verdict on a file with many revisions.
const ANSWER_HEADER: u64 = 8 * 1024 * 1024;
/// Maximum total size of the page images of one call.
const MOST_IMAGE_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum total size of the page texts of one call.
const MOST_TEXT_BYTES: u64 = 32 * 1024 * 1024;

/// Maximum size of the sheet of one call.
const MOST_SHEET_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum number of waiting jobs of one link, and of one company, while another is running. Each waiting job occupies
/// a thread.
const WAITING_OF_LINK: usize = 4;
const WAITING_OF_GROUP: usize = 64;

/// The number of children, and the limits of each.
#[derive(Debug, Clone)]
pub struct PoolSettings {
    /// Maximum number of children at once.
    pub workers: usize,
    /// Number of children that are started before they are needed.
    pub warm: usize,
    /// Memory limit of each child, in bytes.
    pub memory: u64,
    /// Processor time for the intake of a file, regardless of its number of pages.
    pub time: Duration,
    /// Additional processor time for each page of the file.
    pub time_of_page: Duration,
    /// Processor time for any other job, such as page images or a verdict.
    pub other_time: Duration,
    /// Real-time limit of a job, as a multiple of its processor time.
    pub wall: u32,
    /// Processor time for re-encoding a picture.
    pub picture_time: Duration,
    /// Maximum wait for a free child.
    pub patience: Duration,
    pub limits: Limits,
    /// Fonts that replace missing Asian fonts in uploads. Each child has its own copy.
    pub fonts: Vec<PathBuf>,
    /// The arguments that make the program a child.
    pub arguments: Vec<OsString>,
}

impl Default for PoolSettings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            workers: cores.clamp(2, 8),
            warm: 1,
            memory: 512 * 1024 * 1024,
            time: Duration::from_secs(2),
            time_of_page: Duration::from_millis(10),
            other_time: Duration::from_secs(20),
            wall: 15,
            picture_time: Duration::from_secs(5),
            patience: Duration::from_secs(10),
            limits: Limits::default(),
            fonts: Vec::new(),
            arguments: vec![OsString::from("document-worker")],
        }
    }
}

/// Reasons why the pool has no answer.
#[derive(Debug, Error)]
pub enum PoolError {
    /// The file is refused for a reason that the sender can read.
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    NotRendered(#[from] RenderFault),
    #[error(transparent)]
    NotASheet(#[from] SheetFault),
    #[error(transparent)]
    NotAPicture(#[from] PictureFault),
    /// All children have been busy for too long.
    #[error("all document workers are busy; try again later")]
    Busy,
    /// A child cannot be started, or its answer is invalid.
    #[error("the document worker failed: {0}")]
    Failed(String),
}

/// Current load of the children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLoad {
    pub busy: usize,
    pub idle: usize,
    /// Jobs that wait for a child.
    pub waiting: usize,
    /// Number of children replaced since the start.
    pub replaced: u64,
}

/// The pool of child processes. Its methods block, so share it between threads.
#[derive(Debug)]
pub struct Pool {
    program: PathBuf,
    settings: PoolSettings,
    children: Mutex<Children>,
    returned: Condvar,
}

#[derive(Debug)]
struct Children {
    idle: Vec<Worker>,
    alive: usize,
    replaced: u64,
    /// One turn per child process, so that a job with a turn finds an idle child or may start one.
    turns: Turns,
}

impl Children {
    fn is_turn_of(&mut self, ticket: Ticket) -> bool {
        while self.turns.begin_next().is_some() {}
        self.turns.has_begun(ticket)
    }
}

/// A turn to use a child, or the wait for a turn, until it is dropped.
struct Turn<'p> {
    pool: &'p Pool,
    requester: &'p Requester,
    ticket: Ticket,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.pool.lock().turns.end(self.requester, self.ticket);
        self.pool.returned.notify_all();
    }
}

impl Pool {
    /// Creates a pool of children that run `program`. Starts some at once, but does not wait for them.
    pub fn new(program: PathBuf, settings: PoolSettings) -> Result<Self, PoolError> {
        let children = Children {
            idle: Vec::new(),
            alive: 0,
            replaced: 0,
            turns: Turns::new(Bounds {
                places: settings.workers,
                of_link: 1,
                waiting_of_one: WAITING_OF_LINK,
                waiting_of_group: WAITING_OF_GROUP,
            }),
        };
        let pool = Self {
            program,
            settings,
            children: Mutex::new(children),
            returned: Condvar::new(),
        };
        for _ in 0..pool.settings.warm.min(pool.settings.workers) {
            let worker = pool.start()?;
            let mut children = pool.lock();
            children.idle.push(worker);
            children.alive += 1;
        }
        Ok(pool)
    }

    pub fn load(&self) -> PoolLoad {
        let children = self.lock();
        let idle = children.idle.len();
        PoolLoad {
            busy: children.alive.saturating_sub(idle),
            idle,
            waiting: children.turns.waiting(),
            replaced: children.replaced,
        }
    }

    /// Checks that a child is running or can be started.
    pub fn check(&self) -> Result<(), PoolError> {
        {
            let mut children = self.lock();
            if children.alive > 0 {
                return Ok(());
            }
            children.alive += 1;
        }
        match self.start() {
            Ok(worker) => {
                self.give_back(worker);
                Ok(())
            }
            Err(error) => {
                self.forget();
                Err(error)
            }
        }
    }

    /// Runs the intake of an upload.
    pub fn inspect(&self, pdf: &[u8]) -> Result<Intake, PoolError> {
        self.inspect_as(&Requester::unknown(), pdf, &Wishes::default())
    }

    /// Runs the intake of an upload with its sender's options.
    pub fn inspect_as(&self, requester: &Requester, pdf: &[u8], wishes: &Wishes) -> Result<Intake, PoolError> {
        let limits = self.settings.limits;
        let length = u64::try_from(pdf.len()).unwrap_or(u64::MAX);
        if length > limits.largest_file {
            return Err(Refused::TooLarge {
                length,
                limit: limits.largest_file,
            }
            .into());
        }
        // Rewriting may unpack object streams, but never content, so four times the size is enough.
        let most = limits.largest_file.saturating_mul(4);
        let (answer, payload) = self.run(
            requester,
            Task::Inspect {
                limits,
                wishes: wishes.clone(),
            },
            pdf,
            most,
        )?;
        match answer {
            Answer::Taken {
                pages,
                changes,
                warnings,
                signatures,
                fields,
            } if is_pdf(&payload) && are_sizes(&pages, &limits) && (signatures == 0 || payload == pdf) => Ok(Intake {
                pdf: payload,
                pages,
                changes,
                warnings,
                signatures,
                fields,
            }),
            Answer::Refused { reason } => Err(reason.into()),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns pages as images for browsers (WebP or JPEG), in the requested order. Page numbers start at 1.
    pub fn page_images(
        &self,
        requester: &Requester,
        pdf: &[u8],
        pages: &[u32],
        dots_per_inch: f32,
    ) -> Result<Vec<Vec<u8>>, PoolError> {
        let task = Task::PageImages {
            pages: pages.to_vec(),
            dots_per_inch,
        };
        let (answer, payload) = self.run(requester, task, pdf, MOST_IMAGE_BYTES)?;
        match answer {
            Answer::Images { lengths } if lengths.len() == pages.len() => split(&payload, &lengths)
                .filter(|images| images.iter().all(|image| is_picture(image)))
                .map(|images| images.into_iter().map(<[u8]>::to_vec).collect())
                .ok_or_else(|| PoolError::Failed("it returned invalid images".to_owned())),
            Answer::NotRendered { fault } => Err(fault.into()),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns the text of pages, in the requested order. Page numbers start at 1.
    pub fn page_texts(&self, requester: &Requester, pdf: &[u8], pages: &[u32]) -> Result<Vec<PageText>, PoolError> {
        let task = Task::PageTexts { pages: pages.to_vec() };
        let (answer, payload) = self.run(requester, task, pdf, MOST_TEXT_BYTES)?;
        let texts = |lengths: &[u64]| {
            let longest = self.settings.limits.longest_side;
            let most = PageSize {
                width_points: longest,
                height_points: longest,
            };
            split(&payload, lengths)?
                .into_iter()
                .map(|text| {
                    serde_json::from_slice::<PageText>(text)
                        .ok()
                        .filter(|text| text.is_sound(most))
                })
                .collect::<Option<Vec<_>>>()
        };
        match answer {
            Answer::Texts { lengths } if lengths.len() == pages.len() => {
                texts(&lengths).ok_or_else(|| PoolError::Failed("it returned invalid texts".to_owned()))
            }
            Answer::NotRendered { fault } => Err(fault.into()),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns the verdict on a file's signatures at the time `at`.
    pub fn verify(
        &self,
        requester: &Requester,
        pdf: &[u8],
        means: &Means,
        at: Timestamp,
    ) -> Result<Verdict, PoolError> {
        let (answer, _) = self.run(
            requester,
            Task::Verify {
                means: means.clone(),
                at,
            },
            pdf,
            0,
        )?;
        match answer {
            Answer::Verified { verdict } => Ok(verdict),
            other => Err(unexpected(&other)),
        }
    }

    pub fn sheet(&self, requester: &Requester, file: &[u8], limits: &SheetLimits) -> Result<Sheet, PoolError> {
        let task = Task::Sheet { limits: *limits };
        let (answer, payload) = match self.run(requester, task, file, MOST_SHEET_BYTES) {
            // The child gave up or died, because the unpacked file is larger than we accept.
            Err(PoolError::Refused(_)) => return Err(SheetFault::Unreadable.into()),
            other => other?,
        };
        match answer {
            Answer::Sheet => serde_json::from_slice::<Sheet>(&payload)
                .ok()
                .filter(|sheet| sheet.is_within(limits))
                .ok_or_else(|| PoolError::Failed("its sheet is none".to_owned())),
            Answer::NoSheet { fault } => Err(fault.into()),
            other => Err(unexpected(&other)),
        }
    }

    /// Re-encodes an untrusted picture for the boxes that will show it.
    pub fn picture(&self, requester: &Requester, file: &[u8], wish: &PictureWish) -> Result<CheckedPicture, PoolError> {
        let task = Task::Picture { wish: wish.clone() };
        let (answer, payload) = match self.run(requester, task, file, LARGEST_FILE as u64) {
            // The child gave up or died, because the unpacked file is larger than we accept.
            Err(PoolError::Refused(_)) => return Err(PictureFault::TooLarge.into()),
            other => other?,
        };
        match answer {
            Answer::Picture {
                width,
                height,
                is_blank,
            } if claimed_size(&payload) == Some((width, height)) && width.max(height) <= LONGEST_SIDE => {
                Ok(CheckedPicture {
                    bytes: payload,
                    width,
                    height,
                    is_blank,
                })
            }
            Answer::NoPicture { fault } => Err(fault.into()),
            other => Err(unexpected(&other)),
        }
    }

    /// Returns how a child is confined on this machine.
    pub fn confinement(&self) -> Result<Confinement, PoolError> {
        let requester = Requester::unknown();
        let (mut worker, _turn) = self.take(&requester)?;
        let confinement = worker.ready(self.settings.other_time);
        if confinement.is_ok() {
            self.give_back(worker);
        } else {
            self.replace(worker);
        }
        confinement.map_err(|error| PoolError::Failed(error.to_string()))
    }

    /// Runs the job in a child. If another process killed that child, which is not the file's fault, runs the job in a
    /// second one.
    fn run(
        &self,
        requester: &Requester,
        task: Task,
        file: &[u8],
        most_payload: u64,
    ) -> Result<(Answer, Vec<u8>), PoolError> {
        match self.attempt(requester, task.clone(), file, most_payload)? {
            Some(answer) => Ok(answer),
            None => self
                .attempt(requester, task, file, most_payload)?
                .ok_or_else(|| Refused::TooDemanding.into()),
        }
    }

    /// Returns `None` if another process killed the child.
    fn attempt(
        &self,
        requester: &Requester,
        task: Task,
        file: &[u8],
        most_payload: u64,
    ) -> Result<Option<(Answer, Vec<u8>)>, PoolError> {
        // Release the turn after returning the child, so that the next job finds the child.
        let (mut worker, _turn) = self.take(requester)?;
        if let Err(error) = worker.ready(self.settings.other_time) {
            self.replace(worker);
            return Err(PoolError::Failed(format!("it did not start in time: {error}")));
        }
        let (time, time_of_page) = self.time_of(&task);
        let most_pages = self.settings.limits.most_pages;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let job = Job {
            milliseconds: milliseconds(time),
            milliseconds_of_page: milliseconds(time_of_page),
            task,
        };
        let limits = FrameLimits {
            header: ANSWER_HEADER,
            payload: most_payload,
        };
        let started = Instant::now();
        let mut granted = Duration::ZERO;
        let answer = worker.within(time, |stdin, stdout, more| {
            frame::write(stdin, &job, &[file])?;
            let first = frame::read::<Answer>(stdout, limits)?;
            let Answer::Counted { pages } = first.0 else {
                return Ok(first);
            };
            granted = time_of_page.saturating_mul(pages.min(most_pages));
            more(granted);
            frame::read::<Answer>(stdout, limits)
        });
        match answer {
            Ok((Answer::Panicked, _)) => {
                tracing::warn!("the document engine met a case that it does not handle; the file was refused");
                self.replace(worker);
                Err(Refused::NotPdf.into())
            }
            Ok(answer) if worker.jobs >= MOST_JOBS => {
                self.replace(worker);
                Ok(Some(answer))
            }
            Ok(answer) => {
                self.give_back(worker);
                Ok(Some(answer))
            }
            Err(error @ (FrameError::TooLarge { .. } | FrameError::Header(_))) => {
                self.replace(worker);
                Err(PoolError::Failed(error.to_string()))
            }
            Err(FrameError::Closed | FrameError::Io(_)) => {
                let refused = self.ended(worker, time.saturating_add(granted), started);
                refused.map_or(Ok(None), |refused| Err(refused.into()))
            }
        }
    }

    /// Returns the processor time for a job, and the additional time for each page.
    fn time_of(&self, task: &Task) -> (Duration, Duration) {
        match task {
            Task::Inspect { .. } => (self.settings.time, self.settings.time_of_page),
            Task::Picture { .. } => (self.settings.picture_time, Duration::ZERO),
            _ => (self.settings.other_time, Duration::ZERO),
        }
    }

    /// Replaces a child that ended during its job because it ran out of time, memory or stack. `None` if another
    /// process killed it.
    fn ended(&self, worker: Worker, allowed: Duration, started: Instant) -> Option<Refused> {
        let was_stopped = worker.was_stopped;
        let cause = if was_stopped { "time" } else { "memory or stack" };
        let status = self.replace(worker);
        tracing::warn!(cause, ?status, elapsed = ?started.elapsed(), "a document worker ended during its job");
        if was_stopped {
            Some(Refused::TooMuchTime {
                seconds: allowed.as_secs(),
            })
        } else if was_killed(status) {
            None
        } else {
            Some(Refused::TooMuchMemory {
                megabytes: self.settings.memory / (1024 * 1024),
            })
        }
    }

    fn lock(&self) -> MutexGuard<'_, Children> {
        self.children.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(&self) -> Result<Worker, PoolError> {
        Worker::start(&self.program, &self.settings)
    }

    /// Waits for the requester's turn, then takes a child.
    fn take<'p>(&'p self, requester: &'p Requester) -> Result<(Worker, Turn<'p>), PoolError> {
        let deadline = Instant::now() + self.settings.patience;
        let ticket = self.lock().turns.wait(requester).ok_or(PoolError::Busy)?;
        let turn = Turn {
            pool: self,
            requester,
            ticket,
        };
        let mut children = self.lock();
        while !children.is_turn_of(ticket) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(PoolError::Busy);
            }
            let waited = self.returned.wait_timeout(children, left);
            children = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        while let Some(mut worker) = children.idle.pop() {
            if worker.is_alive() {
                return Ok((worker, turn));
            }
            children.alive = children.alive.saturating_sub(1);
        }
        children.alive += 1;
        drop(children);
        match self.start() {
            Ok(worker) => Ok((worker, turn)),
            Err(error) => {
                self.forget();
                Err(error)
            }
        }
    }

    fn give_back(&self, worker: Worker) {
        self.lock().idle.push(worker);
    }

    fn forget(&self) {
        let mut children = self.lock();
        children.alive = children.alive.saturating_sub(1);
    }

    /// Ends a worker and starts a new one.
    fn replace(&self, mut worker: Worker) -> Option<ExitStatus> {
        let status = worker.end();
        self.lock().replaced += 1;
        match self.start() {
            Ok(fresh) => self.give_back(fresh),
            Err(error) => {
                tracing::error!(%error, "a document worker could not be restarted");
                self.forget();
            }
        }
        status
    }
}

/// Returns whether a process received `SIGKILL`, which only other processes send: its own faults cause other signals.
/// The pool sends this signal when the time is over.
fn was_killed(status: Option<ExitStatus>) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        const SIGKILL: i32 = 9;
        status.and_then(|status| status.signal()) == Some(SIGKILL)
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}

fn unexpected(answer: &Answer) -> PoolError {
    let kind = match answer {
        Answer::Taken { .. } => "a file that is not a PDF, or pages without a size",
        Answer::Counted { .. } => "a page count",
        Answer::Refused { .. } => "a refusal",
        Answer::Images { .. } => "the wrong number of images",
        Answer::Texts { .. } => "the wrong number of texts",
        Answer::NotRendered { .. } => "a failed rendering",
        Answer::Verified { .. } => "a verdict",
        Answer::Sheet | Answer::NoSheet { .. } => "a sheet",
        Answer::Picture { .. } | Answer::NoPicture { .. } => "a picture",
        Answer::Panicked => "a panic",
    };
    PoolError::Failed(format!("it returned an unexpected response: {kind}"))
}

fn is_pdf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"%PDF-")
}

fn are_sizes(pages: &[PageSize], limits: &Limits) -> bool {
    let is_size = |side: f64| side.is_finite() && side > 0.0 && side <= limits.longest_side;
    !pages.is_empty()
        && u32::try_from(pages.len()).is_ok_and(|count| count <= limits.most_pages)
        && pages
            .iter()
            .all(|page| is_size(page.width_points) && is_size(page.height_points))
}

/// Splits the payload into its parts.
fn split<'p>(payload: &'p [u8], lengths: &[u64]) -> Option<Vec<&'p [u8]>> {
    let mut rest = payload;
    let parts = lengths
        .iter()
        .map(|length| {
            let (part, after) = rest.split_at_checked(usize::try_from(*length).ok()?)?;
            rest = after;
            Some(part)
        })
        .collect::<Option<Vec<_>>>()?;
    rest.is_empty().then_some(parts)
}

/// Returns whether the data begins like WebP or JPEG.
fn is_picture(image: &[u8]) -> bool {
    image.starts_with(b"RIFF") && image.get(8..12) == Some(b"WEBP") || image.starts_with(&[0xFF, 0xD8, 0xFF])
}

#[derive(Debug)]
struct Worker {
    child: Mutex<Child>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    confinement: Option<Confinement>,
    wall: u32,
    jobs: u32,
    /// Whether we killed the child because its time was over.
    was_stopped: bool,
}

impl Worker {
    fn start(program: &PathBuf, settings: &PoolSettings) -> Result<Self, PoolError> {
        let failed = |error: &dyn std::fmt::Display| {
            PoolError::Failed(format!("{} cannot be started: {error}", program.display()))
        };
        let mut child = Command::new(program)
            .args(&settings.arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(&error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"it has no pipes"));
        };
        let mut worker = Self {
            child: Mutex::new(child),
            stdin,
            stdout,
            confinement: None,
            wall: settings.wall,
            jobs: 0,
            was_stopped: false,
        };
        // A limit and some paths fit into the pipe's buffer, so this does not wait for the child.
        let welcome = Welcome {
            memory: settings.memory,
            fonts: settings.fonts.clone(),
        };
        if let Err(error) = frame::write(&mut worker.stdin, &welcome, &[]) {
            return Err(failed(&error));
        }
        Ok(worker)
    }

    /// Waits until the child is confined. Needed only before its first job.
    fn ready(&mut self, time: Duration) -> Result<Confinement, FrameError> {
        if let Some(confinement) = self.confinement {
            return Ok(confinement);
        }
        let limits = FrameLimits {
            header: 4096,
            payload: 0,
        };
        let (ready, _) = self.within(time, |_, stdout, _| frame::read::<Ready>(stdout, limits))?;
        tracing::debug!(confinement = ?ready.confinement, "a document worker started");
        self.confinement = Some(ready.confinement);
        self.jobs = 0;
        Ok(ready.confinement)
    }

    /// Talks to the child, and kills it when it has used `time` plus any additional time granted meanwhile. The pipe
    /// then closes, which ends the conversation.
    fn within<T>(
        &mut self,
        time: Duration,
        talk: impl FnOnce(&mut ChildStdin, &mut ChildStdout, &dyn Fn(Duration)) -> Result<T, FrameError>,
    ) -> Result<T, FrameError> {
        self.jobs = self.jobs.saturating_add(1);
        let (granted, watched) = mpsc::channel::<Duration>();
        let (child, wall) = (&self.child, self.wall);
        let (stdin, stdout) = (&mut self.stdin, &mut self.stdout);
        let (result, was_stopped) = std::thread::scope(|scope| {
            let watch = scope.spawn(move || watch(child, time, wall, &watched));
            let result = talk(stdin, stdout, &|more| {
                // The watch has ended early only if it killed the child.
                let _ = granted.send(more);
            });
            drop(granted);
            (result, watch.join().unwrap_or(false))
        });
        self.was_stopped = was_stopped;
        result
    }

    fn is_alive(&mut self) -> bool {
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        matches!(child.try_wait(), Ok(None))
    }

    fn end(&mut self) -> Option<ExitStatus> {
        kill(&self.child);
        self.child.get_mut().unwrap_or_else(PoisonError::into_inner).wait().ok()
    }
}

/// Kills the child when it has used `time` plus the granted time. Returns whether it was killed. The limit is processor
/// time, because otherwise a busy machine would refuse good files. In real time, the child may take `wall` times as
/// long.
fn watch(child: &Mutex<Child>, time: Duration, wall: u32, granted: &mpsc::Receiver<Duration>) -> bool {
    let process = child.lock().unwrap_or_else(PoisonError::into_inner).id();
    let begun = Instant::now();
    let at_begin = processor_time(process);
    let mut allowed = time;
    loop {
        let used = match (at_begin, processor_time(process)) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => begun.elapsed(),
        };
        let left = allowed
            .saturating_sub(used)
            .min(allowed.saturating_mul(wall).saturating_sub(begun.elapsed()));
        if left.is_zero() {
            kill(child);
            return true;
        }
        match granted.recv_timeout(left) {
            Ok(more) => allowed = allowed.saturating_add(more),
            Err(mpsc::RecvTimeoutError::Disconnected) => return false,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Returns the processor time used by a process, in steps of ten milliseconds. Only Linux provides it.
fn processor_time(process: u32) -> Option<Duration> {
    const TICK: Duration = Duration::from_millis(10);
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may contain anything (proc(5)).
    let (_, behind) = state.rsplit_once(')')?;
    // The third field follows the name. Fields 14 and 15 are `utime` and `stime`.
    let mut numbers = behind.split_ascii_whitespace().skip(11);
    let user: u32 = numbers.next()?.parse().ok()?;
    let system: u32 = numbers.next()?.parse().ok()?;
    Some(TICK.saturating_mul(user.saturating_add(system)))
}

fn kill(child: &Mutex<Child>) {
    // The child may have ended by itself, which is fine.
    if let Err(error) = child.lock().unwrap_or_else(PoisonError::into_inner).kill() {
        tracing::debug!(%error, "a document worker could not be killed");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}
