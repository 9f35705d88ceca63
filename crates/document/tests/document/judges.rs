//! Other people's programs that judge our files: qpdf for the structure, pdfsig and pyHanko for the
//! signatures. A judge that is missing is a complaint like any other, so that nothing passes without it.
//!
//! The corpus runner of document-worker includes this file too.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the judges have to say against a sealed file; empty where all are content.
pub fn complaints(pdf: &[u8], root_pem: &str) -> Vec<String> {
    complaints_of(&[pdf], root_pem).concat()
}

/// The same for each of several files: to start pyHanko takes longer than to judge many.
pub fn complaints_of(files: &[&[u8]], root_pem: &str) -> Vec<Vec<String>> {
    judged(files, root_pem, &[], true)
}

/// The same, where pyHanko lives at another time.
pub fn complaints_at(files: &[&[u8]], roots_pem: &str, at: jiff::Timestamp) -> Vec<Vec<String>> {
    judged(files, roots_pem, &["--at", &at.to_string()], true)
}

/// What pyHanko has to say against files with an archive timestamp, at a time, given the files that it would fetch then:
/// revocation lists that tell of the last timestamp's signer.
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

/// What qpdf has to say against a file that need not be signed.
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

/// qpdf's complaints about a file's structure.
pub fn qpdf(file: &Path) -> Vec<String> {
    match run(Path::new("qpdf"), &[Path::new("--check"), file]) {
        Err(missing) => vec![missing],
        Ok(output) if output.status.success() => Vec::new(),
        Ok(output) => vec![format!("qpdf: {}", text(&output))],
    }
}

/// pdfsig's complaints about a file that extends one which others had signed: every signature there must be
/// judged as before, and one that is valid must have come.
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

/// pdfsig's complaints. It keeps its trust in a database of its own, so it is asked for the signatures alone.
pub fn pdfsig(file: &Path) -> Vec<String> {
    let output = match run(Path::new("pdfsig"), &[Path::new("-nocert"), file]) {
        Err(missing) => return vec![missing],
        Ok(output) => text(&output),
    };
    let signatures: Vec<&str> = output
        .split("Signature #")
        // What stands before the first one is about the file.
        .skip(1)
        // Fields that wait for a signature are listed too, and it knows no document timestamps.
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

/// pyHanko's complaints about each of several files.
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
