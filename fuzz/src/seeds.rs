//! `seeds FOLDER [CORPUS]`: writes the initial inputs of every target if they are missing, with the small PDF files
//! below CORPUS.

use std::path::{Path, PathBuf};

use countersign_fuzz_targets::{Seed, seeds};
// It contains the functions that the instrumentation calls.
use libfuzzer_sys as _;

/// The fuzzer is slow on larger files.
const LARGEST: u64 = 12_000;

fn main() {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().expect("seeds FOLDER [CORPUS]").join("seeds");
    // Inputs that the fuzzer has found are sealed with the same key, so everything is created only once.
    if folder.exists() {
        return;
    }
    let put = |target: &str, name: &str, bytes: &[u8]| {
        let place = folder.join(target);
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join(name), bytes).expect("a seed is written");
    };
    for Seed { target, name, bytes } in seeds() {
        put(target, &name, &bytes);
    }
    if let Some(corpus) = arguments.next() {
        take(&corpus, &mut |name, bytes| {
            put("intake", name, bytes);
            put("verify", name, bytes);
            put("reader", name, bytes);
        });
    }
}

/// Takes the PDF files below a folder that are small enough.
fn take(folder: &Path, put: &mut impl FnMut(&str, &[u8])) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the corpus is a folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            take(&path, put);
        } else if path.extension().is_some_and(|extension| extension == "pdf")
            && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST)
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            put(&name, &std::fs::read(&path).expect("the file is read"));
        }
    }
}
