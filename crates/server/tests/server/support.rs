//! An installation in a temporary folder, and a PDF to work on.

use std::fmt::Write as _;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use testkit::database::TestDatabase;
use testkit::installation::Installation;

pub const PASSWORD: &str = "plover lantern quay 47";
pub const EMAIL: &str = "owner@example.com";

/// An installation that is removed when this is dropped.
pub struct Temporary {
    installation: Installation,
    folder: TempDir,
}

impl Deref for Temporary {
    type Target = Installation;

    fn deref(&self) -> &Installation {
        &self.installation
    }
}

/// The output of a command that may fail.
pub struct Said {
    pub code: Option<i32>,
    pub output: String,
    pub error: String,
}

impl Temporary {
    pub fn new() -> Temporary {
        let folder = tempfile::tempdir().expect("a folder");
        let binary = Path::new(env!("CARGO_BIN_EXE_countersign"));
        let installation = Installation::new(binary, &folder.path().join("data"));
        Temporary { installation, folder }
    }

    /// Creates an installation with the company `acme` and its owner.
    pub fn with_company() -> Temporary {
        let temporary = Temporary::new();
        temporary.add_company();
        temporary
    }

    /// Adds the company `acme` and its owner.
    pub fn add_company(&self) {
        self.run(&["company", "add", "acme", "--name", "주식회사 에이스"], "");
        let owner = [
            "member",
            "add",
            "--company",
            "acme",
            "--email",
            EMAIL,
            "--role",
            "owner",
        ];
        self.run(&owner, PASSWORD);
    }

    /// Adds a setting.
    pub fn with(mut self, name: &str, value: &str) -> Temporary {
        self.installation = self.installation.with(name, value);
        self
    }

    /// The same with one setting less.
    pub fn without(mut self, name: &str) -> Temporary {
        self.installation = self.installation.without(name);
        self
    }

    /// Moves the installation to a PostgreSQL database.
    pub fn on(self, database: &TestDatabase) -> Temporary {
        let url = database.url().expect("a PostgreSQL database");
        self.with("COUNTERSIGN_DATABASE__URL", url)
    }

    /// Writes a file next to the data folder.
    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    }

    /// Returns a path next to the data folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn say(&self, arguments: &[&str]) -> Said {
        let output = self.output(arguments, "");
        Said {
            code: output.status.code(),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            error: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Returns the `--json` output of a command that must succeed.
    pub fn json(&self, arguments: &[&str], input: &str) -> Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&self.run(&arguments, input)).expect("JSON")
    }
}

pub const FIELDS: &str = r#"{"name": "계약", "steps": [{"order": 1}], "fields": [
    {"name": "name", "kind": "text", "step": 1, "page": 1, "x": 100000, "y": 100000, "width": 300000, "height": 30000}]}"#;

/// A PDF of one page with a line on it.
pub fn pdf() -> Vec<u8> {
    pdf_with("")
}

/// Like [`pdf`], with more entries in the page dictionary.
pub fn pdf_with(entries: &str) -> Vec<u8> {
    let content = "1 w 72 720 m 300 720 l S";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << >> /Contents 4 0 R {entries}>>"),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    let mut file = String::from("%PDF-1.7\n");
    let mut table = String::from("0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        let _ = write!(file, "{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    let _ = write!(
        file,
        "xref\n0 5\n{table}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}
