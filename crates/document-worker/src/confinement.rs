//! What a child takes from itself.
//!
//! Resource limits hold everywhere; Landlock (no file, no network) and seccomp (only the system calls
//! that computing and talking to the pool need; any other fails with `EPERM`) hold where the kernel
//! has them. What holds is told to the pool, which logs it: a weaker kernel is no reason not to run,
//! but one to know.

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// Room for the program itself and its libraries, which is mapped and not allocated.
const PROGRAM: u64 = 1024 * 1024 * 1024;
/// Standard input, output, error, and some that a library may hold for a moment.
const OPEN_FILES: u64 = 16;

/// How a child is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Memory, open files and file sizes are limited.
    pub resources: bool,
    /// Files and network are out of reach.
    pub file_system: Degree,
    /// Only a few system calls are let through.
    pub system_calls: bool,
}

/// How much of a protection the kernel offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Degree {
    /// All of it.
    Full,
    /// An older kernel: part of it.
    Partial,
    /// Nothing.
    None,
}

/// Limits memory to `bytes`, and forbids core dumps, writing files and opening many.
pub(crate) fn limit_resources(bytes: u64) -> bool {
    let set = |resource, limit| {
        setrlimit(
            resource,
            Rlimit {
                current: Some(limit),
                maximum: Some(limit),
            },
        )
        .is_ok()
    };
    // `Data` counts what is allocated; `As` bounds mappings that are not counted there.
    [
        set(Resource::Data, bytes),
        set(Resource::As, bytes.saturating_add(PROGRAM)),
        set(Resource::Core, 0),
        set(Resource::Fsize, 0),
        set(Resource::Nofile, OPEN_FILES),
    ]
    .iter()
    .all(|done| *done)
}

/// Lets the process run for `seconds` more in the processor; then the kernel ends it (`SIGXCPU`).
pub(crate) fn limit_processor(seconds: u64) {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let limit = u64::try_from(used.tv_sec)
        .unwrap_or(0)
        .saturating_add(1)
        .saturating_add(seconds);
    // The hard limit stays open, or the next job could not be given its time.
    if setrlimit(
        Resource::Cpu,
        Rlimit {
            current: Some(limit),
            maximum: None,
        },
    )
    .is_err()
    {
        tracing::debug!("the time in the processor cannot be limited; the pool's own watch remains");
    }
}

/// Takes files and network away, from this thread and those it starts.
#[cfg(target_os = "linux")]
pub(crate) fn forbid_files() -> Degree {
    use landlock::{ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetStatus};
    let abi = ABI::V5;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(landlock::RulesetCreated::restrict_self);
    match status.map(|status| status.ruleset) {
        Ok(RulesetStatus::FullyEnforced) => Degree::Full,
        Ok(RulesetStatus::PartiallyEnforced) => Degree::Partial,
        _ => Degree::None,
    }
}

/// Lets only harmless system calls through, in all threads.
#[cfg(target_os = "linux")]
pub(crate) fn filter_system_calls() -> bool {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
    let allowed = [
        // Talking to the pool.
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_readv,
        libc::SYS_close,
        // Memory.
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        // Locks between the two threads, time, chance.
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        // The limit of each job, which can only be lowered below what the pool has set as maximum.
        libc::SYS_prlimit64,
        // Ending, orderly or by a stack overflow that Rust's handler reports.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let Ok(architecture) = TargetArch::try_from(std::env::consts::ARCH) else {
        return false;
    };
    SeccompFilter::new(
        allowed.into_iter().map(|call| (call, Vec::new())).collect(),
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        architecture,
    )
    .and_then(BpfProgram::try_from)
    .is_ok_and(|program| seccompiler::apply_filter_all_threads(&program).is_ok())
}

/// Other systems have neither.
#[cfg(not(target_os = "linux"))]
pub(crate) fn forbid_files() -> Degree {
    Degree::None
}

/// Other systems have neither.
#[cfg(not(target_os = "linux"))]
pub(crate) fn filter_system_calls() -> bool {
    false
}
