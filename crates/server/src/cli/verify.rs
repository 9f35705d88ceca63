//! `verify`: what holds of a signed PDF, and what does not.
//!
//! Works without an installation: a court expert gives the root's certificate with `--trust`. Where there is one, its own
//! root is trusted too. The file is a stranger's, so a document worker reads it. A history certificate carries its chain of
//! events; where the file's signatures hold, the chain is recomputed as well.

use std::path::PathBuf;
use std::process::ExitCode;

use app::{App, StrangersDocuments};
use clap::Args;
use document::keys::certificates_from_pem;
use document::verify::{self, TrustedRoots, Verdict};
use domain::{ChainFile, Clock};
use serde_json::{Value, json};

use super::{Context, read};
use crate::documents::Workers;
use crate::environment::SystemClock;
use crate::output::{Failure, print};

/// The file could not be read at all: neither yes nor no.
const UNREADABLE: u8 = 2;

/// Verify a signed PDF: exit code 0 only where everything holds, 1 where something does not, 2 where it can't be read
#[derive(Debug, Args)]
pub struct Verify {
    /// The PDF
    file: PathBuf,
    /// Trust this root too (PEM)
    #[arg(long, value_name = "ROOT.pem")]
    trust: Vec<PathBuf>,
    /// Signers of earlier signatures must be trusted too
    #[arg(long)]
    strict: bool,
}

impl Verify {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let pdf = match read(&self.file) {
            Ok(pdf) => pdf,
            Err(failure) => {
                failure.print(context.json);
                return Ok(ExitCode::from(UNREADABLE));
            }
        };
        let roots = self.roots(context)?;
        let workers = Workers::new(&context.place.configuration.documents);
        let verdict = workers
            .verify(&pdf, &roots, SystemClock.now())
            .map_err(|fault| Failure::Other(format!("{}: {fault}", self.file.display())))?;
        let signatures_hold = if self.strict {
            verdict.holds_strictly()
        } else {
            verdict.holds()
        };
        let chain = if signatures_hold { chain(&pdf) } else { None };
        let holds = signatures_hold && chain.as_ref().is_none_or(Result::is_ok);
        let value = json!({
            "holds": holds,
            "signatures": verdict.signatures,
            "faults": verdict.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "chain": match &chain {
                None => Value::Null,
                Some(Ok(entries)) => json!({"holds": true, "entries": entries}),
                Some(Err(fault)) => json!({"holds": false, "fault": fault}),
            },
        });
        print(context.json, &value, &self.describe(&verdict, chain.as_ref(), holds));
        Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn roots(&self, context: &Context) -> Result<TrustedRoots, Failure> {
        let mut roots = if context.place.has_database()? {
            own_root(context)?
        } else {
            TrustedRoots::default()
        };
        for path in &self.trust {
            let pem = String::from_utf8_lossy(&read(path)?).into_owned();
            let certificates =
                certificates_from_pem(&pem).map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?;
            for certificate in certificates {
                roots.add(certificate);
            }
        }
        Ok(roots)
    }

    fn describe(&self, verdict: &Verdict, chain: Option<&Result<usize, String>>, holds: bool) -> String {
        let mut lines = Vec::new();
        for signature in &verdict.signatures {
            let signer = signature.signer.as_ref().map_or("an unknown signer", |signer| {
                signer.common_name.as_deref().unwrap_or(signer.subject.as_str())
            });
            let at = signature
                .claimed_at
                .map_or_else(String::new, |at| format!(", {at} (claimed)"));
            let state = if signature.faults.is_empty() {
                "valid"
            } else if signature.is_intact() {
                "intact, signer not verified"
            } else {
                "NOT VALID"
            };
            lines.push(format!("signature {}: {signer}{at}: {state}", signature.field));
            lines.extend(signature.faults.iter().map(|fault| format!("  {fault}")));
        }
        lines.extend(verdict.faults.iter().map(|fault| format!("the file: {fault}")));
        match chain {
            None => {}
            Some(Ok(entries)) => lines.push(format!("chain of events: {entries} entries, unbroken")),
            Some(Err(fault)) => lines.push(format!("chain of events: BROKEN: {fault}")),
        }
        let verdict = if holds {
            "everything holds"
        } else {
            "NOT everything holds"
        };
        lines.push(format!("{}: {verdict}", self.file.display()));
        lines.join("\n")
    }
}

/// This installation's root. An installation that cannot be opened is no reason not to verify with the roots given.
fn own_root(context: &Context) -> Result<TrustedRoots, Failure> {
    let app: std::sync::Arc<App> = match context.open() {
        Ok(opened) => opened.app,
        Err(failure) => {
            failure.print(context.json);
            return Ok(TrustedRoots::default());
        }
    };
    Ok(app.trusted_roots()?)
}

/// The chain of events that a history certificate carries: how many entries, or what is wrong with it.
fn chain(pdf: &[u8]) -> Option<Result<usize, String>> {
    let attachments = verify::attachments(pdf).ok()?;
    attachments.iter().find_map(|attachment| {
        let file: ChainFile = serde_json::from_slice(&attachment.data).ok()?;
        Some(
            file.verify()
                .map(|_| file.entries.len())
                .map_err(|fault| fault.to_string()),
        )
    })
}
