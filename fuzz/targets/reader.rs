#![no_main]
use countersign_fuzz_targets::{abort_on_panics, reader};
libfuzzer_sys::fuzz_target!(init: abort_on_panics(), |data: &[u8]| { reader(data); });
