//! Tests the reader of `pdf`: files it refuses, data it preserves, and agreement with another program.

use std::path::{Path, PathBuf};

mod hostile;
mod of_others;
mod oracle;
mod passwords;
mod rebuilding;
mod rules;
mod writing;

/// Returns a folder of third-party files, optionally named by an environment variable.
fn shared(name: &str, variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(name),
        PathBuf::from,
    );
    let is_there = folder.is_dir();
    if !is_there {
        eprintln!(
            "skipped: {} is not there; {variable} names the folder",
            folder.display()
        );
    }
    is_there.then_some(folder)
}

/// Builds a file from these objects, numbered from 1, with a table.
fn file_of(objects: &[&str], trailer: &str) -> Vec<u8> {
    let bodies: Vec<(u32, &str)> = (1..).zip(objects.iter().copied()).collect();
    appended(b"%PDF-1.7\n", &bodies, trailer)
}

/// Appends a section with these objects to a file. The caller's trailer must contain `/Prev`.
fn appended(file: &[u8], objects: &[(u32, &str)], trailer: &str) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let mut rows = Vec::new();
    for (number, object) in objects {
        rows.push(format!("{number} 1\n{:010} 00000 n \n", bytes.len()));
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let (start, rows) = (bytes.len(), rows.concat());
    bytes.extend(format!("xref\n0 1\n0000000000 65535 f \n{rows}trailer\n{trailer}\n").bytes());
    bytes.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
    bytes
}

/// Returns the offset of a file's last section.
fn start_of(file: &[u8]) -> String {
    let text = String::from_utf8_lossy(file);
    let (_, rest) = text.rsplit_once("startxref\n").expect("a start");
    rest.lines().next().expect("an offset").to_owned()
}

/// A catalog, a page tree, a page, and its content.
const PAGE: [&str; 4] = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.275574 +.5]/Contents 4 0 R>>",
    "<</Length 9>>stream\n0 0 m 9 l\nendstream",
];
const TRAILER: &str = "<</Size 5/Root 1 0 R>>";

/// Replaces a part of the file with other bytes.
fn with(file: &[u8], part: &str, other: &str) -> Vec<u8> {
    let place = file
        .windows(part.len())
        .position(|window| window == part.as_bytes())
        .unwrap_or_else(|| panic!("{part} is not there"));
    [&file[..place], other.as_bytes(), &file[place + part.len()..]].concat()
}
