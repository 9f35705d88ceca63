#![no_main]
use countersign_fuzz_targets::{abort_on_panics, verify};
libfuzzer_sys::fuzz_target!(init: abort_on_panics(), |data: &[u8]| { verify(data); });
