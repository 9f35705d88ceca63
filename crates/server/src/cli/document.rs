//! `document inspect`, `document seal`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{DocumentFault, StrangersDocuments, intake_text, page_images};
use clap::Subcommand;
use document::intake::{Report, Wishes};
use document::sealing::SealDetails;
use domain::{Language, Requester, SealLevel};
use serde_json::json;

use super::{Context, OfCompany, OfUpload, read};
use crate::documents::Workers;
use crate::output::{Failure, exit_code, print, remark, strangers};

/// Exit code for a file that could not be read.
const UNREADABLE: u8 = 2;

/// Inspect and seal documents
#[derive(Debug, Subcommand)]
pub enum Document {
    /// Show whether a PDF would be accepted, and why; exit code 0 if accepted, 1 if refused
    Inspect {
        /// The PDF file
        file: PathBuf,
        #[command(flatten)]
        upload: OfUpload,
    },
    /// Seal any finished PDF with the company's key
    Seal {
        #[command(flatten)]
        of: OfCompany,
        /// The PDF file
        input: PathBuf,
        /// The sealed PDF to write
        output: PathBuf,
        /// The reason to state in the seal
        #[arg(long, default_value = "Sealed by Countersign")]
        reason: String,
        #[command(flatten)]
        upload: OfUpload,
    },
}

impl Document {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        match self {
            Document::Inspect { file, upload } => inspect(context, &file, &upload),
            Document::Seal {
                of,
                input,
                output,
                reason,
                upload,
            } => {
                let pdf = read(&input)?;
                let opened = context.open()?;
                let operator = of.operator(&opened.app)?;
                let company = opened.app.company(&of.company)?;
                let intake = opened
                    .workers
                    .inspect_as(&Requester::unknown(), &pdf, &upload.wishes()?)
                    .map_err(|fault| refused(&input, &fault, upload.language))?;
                let report = intake.report();
                for line in intake_text::remarks(upload.language, &report) {
                    remark(context.json, &format!("{}: {line}", input.display()));
                }
                let details = SealDetails {
                    reason,
                    name: company.name,
                    location: opened.app.settings.sealing.location.clone(),
                    at: opened.app.now(),
                    // A certification would invalidate other people's signatures.
                    certify: !intake.is_signed(),
                    is_test: false,
                    mark: None,
                };
                let patience = opened.app.proof_patience();
                let sealed = opened.app.seal_file(&operator, &intake.pdf, &details, &patience)?;
                write(&output, &sealed.bytes)?;
                if sealed.level == SealLevel::Basic && sealed.timestamp_due.is_some() {
                    remark(
                        context.json,
                        "the time-stamp authority did not respond, so the document was sealed without a timestamp",
                    );
                }
                let level = sealed.level.code();
                let value = json!({
                    "sealed": output,
                    "length": sealed.bytes.len(),
                    "level": level,
                    "intake": intake_text::json(upload.language, &report),
                });
                print(context.json, &value, &format!("{} sealed ({level})", output.display()));
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

fn inspect(context: &Context, file: &Path, upload: &OfUpload) -> Result<ExitCode, Failure> {
    let pdf = match read(file) {
        Ok(pdf) => pdf,
        Err(failure) => {
            failure.print(context.json);
            return Ok(ExitCode::from(UNREADABLE));
        }
    };
    let wishes = upload.wishes()?;
    let report = match taken(&Workers::new(&context.place.configuration.documents), &pdf, &wishes) {
        Ok(report) => report,
        Err(DocumentFault::Refused(reason)) => Report::from(reason),
        Err(fault) => return Err(refused(file, &fault, upload.language)),
    };
    let lines: Vec<String> = intake_text::lines(upload.language, &report)
        .iter()
        .map(|line| strangers(line))
        .collect();
    let value = intake_text::json(upload.language, &report);
    print(
        context.json,
        &value,
        &format!("{}: {}", file.display(), lines.join("\n  ")),
    );
    Ok(exit_code(report.refused.is_none()))
}

/// Returns the report on a file that would be accepted. This includes a check that its pages can be shown.
fn taken(workers: &Workers, pdf: &[u8], wishes: &Wishes) -> Result<Report, DocumentFault> {
    let requester = Requester::unknown();
    let intake = workers.inspect_as(&requester, pdf, wishes)?;
    let count = u32::try_from(intake.pages.len()).unwrap_or(u32::MAX);
    for images in page_images(workers, &requester, &intake.pdf, count) {
        images?;
    }
    Ok(intake.report())
}

fn refused(file: &Path, fault: &DocumentFault, language: Language) -> Failure {
    let file = file.display();
    Failure::Other(match fault {
        DocumentFault::Refused(refused) => {
            let (reason, remedy) = (
                intake_text::reason(language, refused),
                intake_text::remedy(language, refused),
            );
            format!("{file}: {reason} {remedy}")
        }
        fault => format!("{file}: {fault}"),
    })
}

/// Writes the whole file or nothing: the file gets its name once all bytes are written.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".part");
    let draft = PathBuf::from(draft);
    std::fs::write(&draft, bytes).map_err(Failure::file(&draft))?;
    std::fs::rename(&draft, path).map_err(Failure::file(path))
}
