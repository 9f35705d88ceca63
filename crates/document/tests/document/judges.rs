//! Runs third-party programs on our files: qpdf for the structure, pdfsig and pyHanko for the signatures. A missing
//! program counts as a complaint, so the tests cannot pass without it.
//!
//! The corpus runner of document-worker also includes this file.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns all complaints about a sealed file. Empty if every program accepts it.
pub fn complaints(pdf: &[u8], root_pem: &str) -> Vec<String> {
    complaints_of(&[pdf], root_pem).concat()
}

/// Returns the complaints about each of several files. Starting pyHanko takes longer than judging many files.
pub fn complaints_of(files: &[&[u8]], root_pem: &str) -> Vec<Vec<String>> {
    judged(files, root_pem, &[], true)
}

/// Returns the complaints about each of several files, with pyHanko judging at the given time.
pub fn complaints_at(files: &[&[u8]], roots_pem: &str, at: jiff::Timestamp) -> Vec<Vec<String>> {
    judged(files, roots_pem, &["--at", &at.to_string()], true)
}

/// Returns pyHanko's complaints about files with an archive timestamp at a given time. It receives the revocation lists
/// for the last timestamp's signer that it would otherwise fetch.
pub fn long_term_complaints(
    files: &[&[u8]],
    roots_pem: &str,
    at: jiff::Timestamp,
    lists: &[Vec<u8>],
) -> Vec<Vec<String>> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = at.to_string();
    let mut options = vec!["--long-term".to_owned(), "--at".to_owned(), at];
    for (number, list) in lists.iter().enumerate() {
        let path = directory.path().join(format!("{number}.crl"));
        std::fs::write(&path, list).expect("the list is written");
        options.extend(["--list".to_owned(), path.display().to_string()]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    judged(files, roots_pem, &options, false)
}

fn judged(files: &[&[u8]], root_pem: &str, options: &[&str], by_all: bool) -> Vec<Vec<String>> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("root.pem");
    std::fs::write(&root, root_pem).expect("the root is written");
    let written = files.iter().enumerate().map(|(number, pdf)| {
        let path = directory.path().join(format!("{number}.pdf"));
        std::fs::write(&path, pdf).expect("the file is written");
        path
    });
    let written: Vec<PathBuf> = written.collect();
    let paths: Vec<&Path> = written.iter().map(PathBuf::as_path).collect();
    let mut found = pyhanko_with(options, &paths, &root);
    if by_all {
        for (complaints, path) in found.iter_mut().zip(paths) {
            complaints.extend(qpdf(path));
            complaints.extend(pdfsig(path));
        }
    }
    found
}

/// Returns qpdf's complaints about a file that need not be signed.
pub fn structure_complaints(pdf: &[u8]) -> Vec<String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("file.pdf");
    std::fs::write(&file, pdf).expect("the file is written");
    qpdf(&file)
}

fn run(program: &Path, arguments: &[&Path]) -> Result<Output, String> {
    Command::new(program).args(arguments).output().map_err(|error| {
        format!(
            "{} cannot be run ({error}); run script/bootstrap --tests",
            program.display()
        )
    })
}

fn text(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

/// Returns qpdf's complaints about a file's structure.
pub fn qpdf(file: &Path) -> Vec<String> {
    match run(Path::new("qpdf"), &[Path::new("--check"), file]) {
        Err(missing) => vec![missing],
        Ok(output) if output.status.success() => Vec::new(),
        Ok(output) => vec![format!("qpdf: {}", text(&output))],
    }
}

/// Returns pdfsig's complaints about a file that extends one signed by others. Every earlier signature must be judged
/// as before, and one new valid signature must be present.
#[allow(dead_code, reason = "the corpus runner alone uses it")]
pub fn pdfsig_extended(before: &Path, after: &Path) -> Vec<String> {
    let judged = |file: &Path| {
        let output = text(&run(Path::new("pdfsig"), &[Path::new("-nocert"), file])?);
        let valid = output.matches("Signature is Valid.").count();
        let others = output.matches("Signature Validation:").count() - valid;
        Ok::<_, String>((valid, others, output))
    };
    match (judged(before), judged(after)) {
        (Ok((valid, others, _)), Ok((valid_after, others_after, _)))
            if valid_after > valid && others_after == others =>
        {
            Vec::new()
        }
        (Ok(_), Ok((_, _, output))) => vec![format!("pdfsig: {output}")],
        (Err(missing), _) | (_, Err(missing)) => vec![missing],
    }
}

/// Returns pdfsig's complaints. It keeps a trust database of its own, so only the signatures are checked.
pub fn pdfsig(file: &Path) -> Vec<String> {
    let output = match run(Path::new("pdfsig"), &[Path::new("-nocert"), file]) {
        Err(missing) => return vec![missing],
        Ok(output) => text(&output),
    };
    let signatures: Vec<&str> = output
        .split("Signature #")
        // The text before the first signature is about the file.
        .skip(1)
        // Unsigned signature fields are listed too, and pdfsig does not support document timestamps.
        .filter(|signature| !signature.contains("The signature form field is not signed."))
        .filter(|signature| {
            let is_timestamp = signature.contains("Signature Field Name: Timestamp");
            !(is_timestamp && signature.contains("Signature Type: unknown"))
        })
        .collect();
    let are_valid = !signatures.is_empty()
        && signatures
            .iter()
            .all(|signature| signature.contains("Signature Validation: Signature is Valid."));
    let covers_all = output.contains("Total document signed");
    if are_valid && covers_all {
        Vec::new()
    } else {
        vec![format!("pdfsig: {output}")]
    }
}

/// Returns pyHanko's complaints about each of several files.
#[allow(dead_code, reason = "the corpus runner judges many at once")]
pub fn pyhanko(files: &[&Path], root: &Path) -> Vec<Vec<String>> {
    pyhanko_with(&[], files, root)
}

fn pyhanko_with(options: &[&str], files: &[&Path], root: &Path) -> Vec<Vec<String>> {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = repository.join(".tools/venv/bin/python");
    let script = repository.join("script/judge_signatures.py");
    let mut arguments: Vec<&Path> = vec![&script];
    arguments.extend(options.iter().map(Path::new));
    arguments.push(root);
    arguments.extend(files);
    let output = match run(&python, &arguments) {
        Err(missing) => return vec![vec![missing]; files.len()],
        Ok(output) => output,
    };
    let mut found: Vec<Vec<String>> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map_while(|line| serde_json::from_str::<Vec<String>>(line).ok())
        .map(|complaints| {
            complaints
                .into_iter()
                .map(|complaint| format!("pyHanko: {complaint}"))
                .collect()
        })
        .collect();
    found.resize(files.len(), vec![format!("pyHanko gave no answer: {}", text(&output))]);
    found
}
