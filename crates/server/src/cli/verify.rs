//! `verify`: what holds of a signed PDF, and what does not.
//!
//! Works without an installation: a court expert gives the root's certificate with `--trust`. Where there is one, its own
//! root is trusted too. The file is a stranger's, so a document worker reads it. A history certificate carries its chain of
//! events: where its signatures hold, the chain is recomputed as well, and with `--certificate` the sealed document is held
//! against the hash and length that the chain names, so that the two belong to each other.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::StrangersDocuments;
use clap::Args;
use document::keys::certificates_from_pem;
use document::verify::{self, TrustedRoots, Verdict};
use domain::{BlobHash, ChainFile, Clock, Event, EventKind};
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
    /// The PDF: a sealed document or a history certificate
    file: PathBuf,
    /// The history certificate of the document: it is verified too, and must be this very document's
    #[arg(long, value_name = "CERTIFICATE.pdf")]
    certificate: Option<PathBuf>,
    /// Trust this root too (PEM)
    #[arg(long, value_name = "ROOT.pem")]
    trust: Vec<PathBuf>,
    /// Signers of earlier signatures must be trusted too
    #[arg(long)]
    strict: bool,
}

/// One file's verdict, with the chain of events that it carries.
struct Verified {
    pdf: Vec<u8>,
    verdict: Verdict,
    signatures_hold: bool,
    chain: Option<Result<ChainFile, String>>,
}

impl Verified {
    fn holds(&self) -> bool {
        self.signatures_hold && self.chain.as_ref().is_none_or(Result::is_ok)
    }

    /// The sealed document as the chain names it: hash and length.
    fn completed(&self) -> Option<(BlobHash, u64)> {
        let chain = self.chain.as_ref()?.as_ref().ok()?;
        chain
            .entries
            .iter()
            .rev()
            .find_map(|entry| match Event::from_payload(&entry.payload)?.event {
                EventKind::Completed { document, length } => Some((document, length)),
                _ => None,
            })
    }

    fn value(&self) -> Value {
        json!({
            "holds": self.holds(),
            "signatures": self.verdict.signatures,
            "faults": self.verdict.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "chain": match &self.chain {
                None => Value::Null,
                Some(Ok(chain)) => json!({"holds": true, "entries": chain.entries.len()}),
                Some(Err(fault)) => json!({"holds": false, "fault": fault}),
            },
        })
    }

    fn lines(&self, path: &Path) -> Vec<String> {
        let mut lines = Vec::new();
        for signature in &self.verdict.signatures {
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
        lines.extend(self.verdict.faults.iter().map(|fault| format!("the file: {fault}")));
        match &self.chain {
            None => {}
            Some(Ok(chain)) => lines.push(format!("chain of events: {} entries, unbroken", chain.entries.len())),
            Some(Err(fault)) => lines.push(format!("chain of events: BROKEN: {fault}")),
        }
        let verdict = if self.holds() {
            "everything holds"
        } else {
            "NOT everything holds"
        };
        lines.push(format!("{}: {verdict}", path.display()));
        lines
    }
}

impl Verify {
    pub fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let unreadable = |failure: &Failure| {
            failure.print(context.json);
            Ok(ExitCode::from(UNREADABLE))
        };
        let pdf = match read(&self.file) {
            Ok(pdf) => pdf,
            Err(failure) => return unreadable(&failure),
        };
        let certificate = match self.certificate.as_deref().map(read).transpose() {
            Ok(certificate) => certificate,
            Err(failure) => return unreadable(&failure),
        };
        let roots = self.roots(context)?;
        let workers = Workers::new(&context.place.configuration.documents);
        let document = self.verify(&workers, &roots, &self.file, pdf)?;
        let mut holds = document.holds();
        let mut value = document.value();
        let mut lines = document.lines(&self.file);
        if let (Some(path), Some(pdf)) = (&self.certificate, certificate) {
            let certificate = self.verify(&workers, &roots, path, pdf)?;
            let belongs = certificate
                .completed()
                .is_some_and(|named| is_named(&document.pdf, named));
            holds = holds && certificate.holds() && belongs;
            lines.extend(certificate.lines(path));
            let word = if belongs {
                "the certificate is this document's"
            } else {
                "the certificate is NOT this document's"
            };
            lines.push(word.to_owned());
            value["certificate"] = certificate.value();
            value["certificate"]["belongs"] = Value::Bool(belongs);
            value["holds"] = Value::Bool(holds);
        }
        print(context.json, &value, &lines.join("\n"));
        Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn verify(&self, workers: &Workers, roots: &TrustedRoots, path: &Path, pdf: Vec<u8>) -> Result<Verified, Failure> {
        let verdict = workers
            .verify(&pdf, roots, SystemClock.now())
            .map_err(|fault| Failure::Other(format!("{}: {fault}", path.display())))?;
        let signatures_hold = if self.strict {
            verdict.holds_strictly()
        } else {
            verdict.holds()
        };
        let chain = if signatures_hold { chain(&pdf) } else { None };
        Ok(Verified {
            pdf,
            verdict,
            signatures_hold,
            chain,
        })
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
}

/// Whether the chain's hash and length are this file's: of its first revisions, for a timestamp may have been appended.
fn is_named(pdf: &[u8], (hash, length): (BlobHash, u64)) -> bool {
    let sealed = usize::try_from(length).ok().and_then(|length| pdf.get(..length));
    sealed.is_some_and(|sealed| BlobHash::of(sealed) == hash)
}

/// This installation's root. An installation that cannot be opened is no reason not to verify with the roots given.
fn own_root(context: &Context) -> Result<TrustedRoots, Failure> {
    let app = match context.open() {
        Ok(opened) => opened.app,
        Err(failure) => {
            failure.print(context.json);
            return Ok(TrustedRoots::default());
        }
    };
    Ok(app.trusted_roots()?)
}

/// The chain of events that a history certificate carries, or what is wrong with it.
fn chain(pdf: &[u8]) -> Option<Result<ChainFile, String>> {
    let attachments = verify::attachments(pdf).ok()?;
    attachments.iter().find_map(|attachment| {
        let file: ChainFile = serde_json::from_slice(&attachment.data).ok()?;
        Some(file.verify().map_err(|fault| fault.to_string()).map(|_| file))
    })
}
