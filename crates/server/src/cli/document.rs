//! `document inspect`, `document seal`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{DocumentFault, StrangersDocuments};
use clap::Subcommand;
use document::intake::{Change, Intake};
use document::seal::SealDetails;
use domain::SealLevel;
use serde_json::json;

use super::{Context, OfCompany, read};
use crate::documents::Workers;
use crate::output::{Failure, print, remark};

/// The file could not be read at all.
const UNREADABLE: u8 = 2;

/// Inspect and seal documents
#[derive(Debug, Subcommand)]
pub enum Document {
    /// What intake says: exit code 0 where the PDF would be taken, 1 where it is refused
    Inspect {
        /// The PDF
        file: PathBuf,
    },
    /// Seal any finished PDF with the company's key
    Seal {
        #[command(flatten)]
        of: OfCompany,
        /// The PDF
        input: PathBuf,
        /// Where the sealed PDF goes
        output: PathBuf,
        /// The reason that the seal gives
        #[arg(long, default_value = "Sealed by Countersign")]
        reason: String,
    },
}

impl Document {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Document::Inspect { file } => inspect(context, &file),
            Document::Seal {
                of,
                input,
                output,
                reason,
            } => {
                let pdf = read(&input)?;
                let opened = context.open()?;
                let company = opened.app.company(&of.company)?;
                let intake = opened.workers.inspect(&pdf).map_err(|fault| refused(&input, &fault))?;
                for change in &intake.changes {
                    remark(context.json, &format!("{}: {change}", input.display()));
                }
                let details = SealDetails {
                    reason,
                    name: company.name,
                    location: None,
                    at: opened.app.now(),
                    certify: true,
                };
                let sealed = opened.app.seal(&company.id, &intake.pdf, &details)?;
                write(&output, &sealed.bytes)?;
                if sealed.level == SealLevel::Basic && sealed.timestamp_due.is_some() {
                    remark(
                        context.json,
                        "the time-stamp authority does not answer; sealed without a timestamp",
                    );
                }
                let level = sealed.level.code();
                let value = json!({
                    "sealed": output,
                    "length": sealed.bytes.len(),
                    "level": level,
                    "changes": words(&intake.changes),
                });
                print(context.json, &value, &format!("{} sealed ({level})", output.display()));
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn inspect(context: &Context, file: &Path) -> Result<ExitCode, Failure> {
    let pdf = match read(file) {
        Ok(pdf) => pdf,
        Err(failure) => {
            failure.print(context.json);
            return Ok(ExitCode::from(UNREADABLE));
        }
    };
    match Workers::new(&context.place.configuration.documents).inspect(&pdf) {
        Ok(intake) => {
            let value = json!({"taken": true, "pages": pages(&intake), "changes": words(&intake.changes)});
            let mut lines = vec![format!(
                "{}: would be taken, {} page(s)",
                file.display(),
                intake.pages.len()
            )];
            lines.extend(intake.changes.iter().map(|change| format!("  {change}")));
            print(context.json, &value, &lines.join("\n"));
            Ok(ExitCode::SUCCESS)
        }
        Err(DocumentFault::Refused(reason)) => {
            let value = json!({"taken": false, "reason": reason, "message": reason.to_string()});
            print(context.json, &value, &format!("{}: refused: {reason}", file.display()));
            Ok(ExitCode::FAILURE)
        }
        Err(fault) => Err(refused(file, &fault)),
    }
}

fn pages(intake: &Intake) -> Vec<serde_json::Value> {
    intake
        .pages
        .iter()
        .map(|page| json!({"width": page.width_points, "height": page.height_points}))
        .collect()
}

fn words(changes: &[Change]) -> Vec<String> {
    changes.iter().map(ToString::to_string).collect()
}

fn refused(file: &Path, fault: &DocumentFault) -> Failure {
    Failure::Other(format!("{}: {fault}", file.display()))
}

/// Writes the whole file or nothing: the name appears when the bytes are there.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".part");
    let draft = PathBuf::from(draft);
    std::fs::write(&draft, bytes).map_err(Failure::file(&draft))?;
    std::fs::rename(&draft, path).map_err(Failure::file(path))
}
