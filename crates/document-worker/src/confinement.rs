//! Removes the child process's own rights.
//!
//! Resource limits work everywhere. Landlock (no files, no network) and seccomp (only the system calls needed to
//! compute and to talk to the pool; any other fails with `EPERM`) work if the kernel supports them. The child reports
//! the available protections to the pool, which logs them: a weaker kernel does not prevent a start, but operators
//! should know.

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// Room for the program and its libraries, which are mapped rather than allocated.
const PROGRAM: u64 = 1024 * 1024 * 1024;
/// Standard input, output and error, and a few files that a library may open briefly.
const OPEN_FILES: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Memory, open files and file sizes are limited.
    pub resources: bool,
    /// Files and network are inaccessible.
    pub file_system: Degree,
    /// Only a few system calls are allowed.
    pub system_calls: bool,
}

/// How much of a protection the kernel supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Degree {
    Full,
    /// An older kernel supports a part of the protection.
    Partial,
    None,
}

/// Limits memory to `bytes`, and forbids core dumps, writing to files, and having more than a few files open.
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
    // `Data` limits allocations; `As` limits mappings that `Data` does not count.
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

/// Increase of a worker's nice value. Under load, all other processes get three times as much of a processor.
const NICER: i32 = 5;

/// Lowers the process's priority. Otherwise, every short request that shares a processor with a worker would wait for
/// several time slices.
pub(crate) fn lower_priority() {
    if let Err(error) = rustix::process::nice(NICER) {
        tracing::debug!(%error, "a document worker could not lower its priority");
    }
}

/// Limits the process to this much more processor time, rounded up to seconds. After that, the kernel ends the process
/// (`SIGXCPU`).
pub(crate) fn limit_processor(milliseconds: u64) {
    let seconds = milliseconds.div_ceil(1000);
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let limit = u64::try_from(used.tv_sec)
        .unwrap_or(0)
        .saturating_add(1)
        .saturating_add(seconds);
    // The hard limit stays unlimited, because otherwise the next job could not get its time.
    if setrlimit(
        Resource::Cpu,
        Rlimit {
            current: Some(limit),
            maximum: None,
        },
    )
    .is_err()
    {
        tracing::debug!("the processor time could not be limited by the kernel; the pool's own limit remains");
    }
}

/// Forbids access to files and network, for this thread and the threads it starts.
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

/// Allows only harmless system calls, in all threads.
#[cfg(target_os = "linux")]
pub(crate) fn filter_system_calls() -> bool {
    filter(std::process::id()).is_some_and(|program| seccompiler::apply_filter_all_threads(&program).is_ok())
}

/// Builds the filter for the process with this id.
#[cfg(target_os = "linux")]
fn filter(process: u32) -> Option<seccompiler::BpfProgram> {
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch,
    };
    let allowed = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_readv,
        libc::SYS_close,
        libc::SYS_brk,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        // Locks between the two threads, time, randomness.
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        // Process end, either normal or by a stack overflow that Rust's handler reports.
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    // Allowed only with this first argument, so that an attacker in the child cannot signal other processes of the same
    // user, or change their limits.
    let allowed_with = [
        // Sets the limit of each job for the calling process itself.
        (libc::SYS_prlimit64, 0),
        // Abort.
        (libc::SYS_tgkill, u64::from(process)),
    ];
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        allowed.into_iter().map(|call| (call, Vec::new())).collect();
    for (call, first) in allowed_with {
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, first).ok()?;
        rules.insert(call, vec![SeccompRule::new(vec![condition]).ok()?]);
    }
    let architecture = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    SeccompFilter::new(
        rules,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        architecture,
    )
    .and_then(BpfProgram::try_from)
    .ok()
}

/// Not supported on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn forbid_files() -> Degree {
    Degree::None
}

/// Not supported on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn filter_system_calls() -> bool {
    false
}

#[cfg(all(test, target_os = "linux", target_endian = "little"))]
mod tests {
    use super::*;

    /// Runs the filter on a call (`linux/seccomp.h`: number, architecture, pointer, six arguments), by the rules of
    /// `linux/bpf_common.h`.
    fn answer(program: &[seccompiler::sock_filter], call: i64, first: u64) -> u32 {
        let architecture: u32 = match std::env::consts::ARCH {
            "x86_64" => 0xC000_003E,
            _ => 0xC000_00B7,
        };
        let mut data = u32::try_from(call).expect("a call's number").to_le_bytes().to_vec();
        data.extend(architecture.to_le_bytes());
        data.extend([0; 8]);
        data.extend(first.to_le_bytes());
        data.extend([0; 40]);
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let jump = |taken: bool| usize::from(if taken { step.jt } else { step.jf });
            match step.code {
                0x20 => {
                    let word = &data[step.k as usize..step.k as usize + 4];
                    value = u32::from_le_bytes(word.try_into().expect("four bytes"));
                }
                0x54 => value &= step.k,
                0x05 => at += step.k as usize,
                0x15 => at += jump(value == step.k),
                0x25 => at += jump(value > step.k),
                0x35 => at += jump(value >= step.k),
                0x06 => return step.k,
                other => panic!("an instruction that this reader does not know: {other:#x}"),
            }
        }
    }

    #[test]
    fn other_processes_are_out_of_reach() {
        const ALLOW: u32 = 0x7FFF_0000;
        let program = filter(4242).expect("a filter");
        let allowed = |call, first| answer(&program, call, first) == ALLOW;
        assert!(allowed(libc::SYS_read, 0));
        assert!(!allowed(libc::SYS_openat, 0));
        assert!(!allowed(libc::SYS_kill, 4242));
        assert!(allowed(libc::SYS_tgkill, 4242));
        assert!(!allowed(libc::SYS_tgkill, 4241));
        assert!(!allowed(libc::SYS_tgkill, 1));
        assert!(allowed(libc::SYS_prlimit64, 0));
        assert!(!allowed(libc::SYS_prlimit64, 4241));
    }
}
