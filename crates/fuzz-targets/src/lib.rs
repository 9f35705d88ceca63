//! The bodies of the fuzz targets. Each is a function that accepts any bytes and panics only if a guarantee is broken.
//!
//! They are not in `fuzz/`, which only `script/fuzz` builds, so that lints and the usual build cover them and a test
//! runs each with its seeds and some mutations. Each function returns whether the bytes reached the code under test, so
//! the test notices a target that no longer checks anything.
//!
//! The parser and renderer read untrusted files in a child process, where a panic becomes a refusal
//! (`countersign-document-worker`). So a panic in a third-party crate is not a fault there, and [`as_in_the_worker`]
//! behaves the same way. A panic in this repository's code is always a fault, and so is every panic in the server
//! itself.
#![allow(clippy::missing_panics_doc, reason = "a panic is how a broken promise shows")]

mod cms;
mod fields;
mod intake;
mod materials;
mod overlay;
mod reader;
mod seeds;
mod verify;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook};
use std::sync::Once;

pub use cms::cms;
pub use fields::fields;
pub use intake::intake;
pub use overlay::overlay;
pub use reader::reader;
pub use seeds::{Seed, seeds};
pub use verify::verify;

/// A target: accepts any bytes, panics if a guarantee is broken, and returns whether the bytes reached the code under
/// test.
pub type Target = fn(&[u8]) -> bool;

pub const TARGETS: [(&str, Target); 6] = [
    ("cms", cms),
    ("fields", fields),
    ("intake", intake),
    ("overlay", overlay),
    ("reader", reader),
    ("verify", verify),
];

static HOOK: Once = Once::new();

thread_local! {
    static IN_WORKER: Cell<bool> = const { Cell::new(false) };
    static WAS_OURS: Cell<bool> = const { Cell::new(false) };
}

/// Ends the process on a panic, as fuzzers expect: for panics in this repository's code anywhere, and in other code
/// outside of [`as_in_the_worker`]. Call it at the start of a process.
pub fn abort_on_panics() {
    HOOK.call_once(|| {
        set_hook(Box::new(|info| {
            if is_ours(info) || !IN_WORKER.get() {
                eprintln!("{info}\n{}", std::backtrace::Backtrace::force_capture());
                std::process::abort();
            }
        }));
    });
}

/// Records whether the last panic was in our code, and changes nothing else.
fn remember_panics() {
    HOOK.call_once(|| {
        let earlier = take_hook();
        set_hook(Box::new(move |info| {
            WAS_OURS.set(is_ours(info));
            if is_ours(info) || !IN_WORKER.get() {
                earlier(info);
            }
        }));
    });
}

fn is_ours(info: &PanicHookInfo<'_>) -> bool {
    let file = info.location().map_or("", std::panic::Location::file);
    // Third-party crates are in the registry. The standard library is in `/rustc/…`, and counts as ours because only
    // wrong calls make it panic.
    !file.contains("registry/src") && !file.contains("/git/checkouts/")
}

/// Returns the result of `work`. `None` if a third-party crate panicked. Our own panics continue.
pub fn as_in_the_worker<T>(work: impl FnOnce() -> T) -> Option<T> {
    remember_panics();
    IN_WORKER.set(true);
    let answer = catch_unwind(AssertUnwindSafe(work));
    IN_WORKER.set(false);
    match answer {
        Ok(answer) => Some(answer),
        Err(panic) if WAS_OURS.get() => resume_unwind(panic),
        Err(_) => None,
    }
}
