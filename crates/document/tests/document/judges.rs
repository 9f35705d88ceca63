//! Other people's programs that judge our files: qpdf for the structure, pdfsig and pyHanko for the
//! signatures. A judge that is missing is a complaint like any other, so that nothing passes without it.
//!
//! The corpus runner of document-worker includes this file too.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the judges have to say against a sealed file; empty where all are content.
pub fn complaints(pdf: &[u8], root_pem: &str) -> Vec<String> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("sealed.pdf");
    let root = directory.path().join("root.pem");
    std::fs::write(&file, pdf).expect("the file is written");
    std::fs::write(&root, root_pem).expect("the root is written");
    let mut complaints = Vec::new();
    complaints.extend(qpdf(&file));
    complaints.extend(pdfsig(&file));
    complaints.extend(pyhanko(&[&file], &root).into_iter().flatten());
    complaints
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
    let count = |words: &str| output.matches(words).count();
    // Fields that wait for a signature are listed too.
    let signatures = count("Signature #").saturating_sub(count("The signature form field is not signed."));
    let are_valid = signatures > 0 && count("Signature is Valid.") == signatures;
    let covers_all = output.contains("Total document signed");
    if are_valid && covers_all {
        Vec::new()
    } else {
        vec![format!("pdfsig: {output}")]
    }
}

/// pyHanko's complaints about each of several files.
pub fn pyhanko(files: &[&Path], root: &Path) -> Vec<Vec<String>> {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = repository.join(".tools/venv/bin/python");
    let script = repository.join("script/judge_signatures.py");
    let mut arguments: Vec<&Path> = vec![&script, root];
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
