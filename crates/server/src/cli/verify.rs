//! `verify`: checks a signed PDF.
//!
//! Works without an installation: an expert in court passes the root's certificate with `--trust`. If there is an
//! installation, its own root is trusted too, and its revocations are known. The file is a stranger's, so a document
//! worker reads it. A history certificate contains its chain of events: if its signatures are valid, the chain is
//! recomputed too. With `--certificate`, the sealed document is compared with the hash and length in the chain, to show
//! that the two belong together.
//!
//! The words are those of the verify page, in the language of `--language`. Times are in the document's zone if a
//! certificate says it, and otherwise in UTC: the output is the same on every machine. For programs (`--json`) the output
//! contains the whole typed verdict and the words.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use app::{AttachedChain, DocumentFault, Outcome, StrangersDocuments, VerdictWords};
use clap::Args;
use document::pki::keys::certificates_from_pem;
use document::verify::{Means, Verdict};
use domain::{Clock, Language, Requester, Zone};
use serde_json::{Value, json};

use super::{Context, read};
use crate::documents::Workers;
use crate::environment::SystemClock;
use crate::output::{Failure, joined, print};

/// Exit code for a file that could not be read, so there is no verdict.
const UNREADABLE: u8 = 2;

/// Verify a signed PDF; exit code 0 only if everything is valid, 1 if something is not, 2 if it cannot be read
#[derive(Debug, Args)]
pub struct Verify {
    /// The PDF: a sealed document or a history certificate
    file: PathBuf,
    /// The history certificate of the document; it is verified too, and must belong to this document
    #[arg(long, value_name = "CERTIFICATE.pdf")]
    certificate: Option<PathBuf>,
    /// Also trust this root (PEM)
    #[arg(long, value_name = "ROOT.pem")]
    trust: Vec<PathBuf>,
    /// Also use this certificate revocation list (CRL, DER or PEM)
    #[arg(long, value_name = "LIST.crl")]
    crl: Vec<PathBuf>,
    /// Also use this OCSP response (DER)
    #[arg(long, value_name = "RESPONSE.der")]
    ocsp: Vec<PathBuf>,
    /// Require trusted signers for earlier signatures, and trusted time-stamp authorities
    #[arg(long)]
    strict: bool,
    /// Language of the output: ko, en or ja
    #[arg(long, value_name = "LANGUAGE", default_value = "en", value_parser = language)]
    language: Language,
}

fn language(code: &str) -> Result<Language, String> {
    Language::parse(code).ok_or_else(|| "use ko, en or ja".to_owned())
}

/// How people read a verdict.
#[derive(Clone, Copy)]
struct Reader {
    language: Language,
    zone: Zone,
}

impl Reader {
    fn words(self, verdict: &Verdict) -> VerdictWords {
        app::verdict_words(self.language, self.zone, verdict)
    }
}

/// One file's verdict, with the chain of events that the file contains.
struct Verified {
    pdf: Vec<u8>,
    verdict: Verdict,
    signatures_hold: bool,
    chain: Option<AttachedChain>,
}

impl Verified {
    fn holds(&self) -> bool {
        self.signatures_hold && self.chain.as_ref().is_none_or(|chain| chain.0.is_ok())
    }

    fn zone(&self) -> Option<Zone> {
        self.chain.as_ref()?.zone()
    }

    fn value(&self, reader: Reader) -> Value {
        let words = reader.words(&self.verdict);
        json!({
            "holds": self.holds(),
            "outcome": words.outcome,
            "length": self.verdict.length,
            "signatures": self.verdict.signatures,
            "faults": self.verdict.faults.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "words": words,
            "chain": match self.chain.as_ref().map(|chain| &chain.0) {
                None => Value::Null,
                Some(Ok(chain)) => json!({"holds": true, "entries": chain.entries.len()}),
                Some(Err(fault)) => json!({"holds": false, "fault": fault.to_string()}),
            },
        })
    }

    fn lines(&self, path: &Path, reader: Reader) -> Vec<String> {
        let say = |key: &str, arguments: &[(&str, &str)]| i18n::text(reader.language, key, arguments);
        let words = reader.words(&self.verdict);
        let mut lines = vec![
            format!("{}: {}", path.display(), words.title),
            format!("  {}", words.text),
        ];
        lines.extend(words.problems.iter().map(|problem| format!("  - {problem}")));
        lines.extend(words.times.iter().map(|times| format!("  {times}")));
        for signature in &words.signatures {
            lines.push(format!("{}: {}", signature.title, signature.state));
            lines.extend(signature.problems.iter().map(|problem| format!("  - {problem}")));
            let facts = signature.facts.iter();
            lines.extend(facts.map(|fact| format!("  {}: {}", fact.label, fact.value)));
            for (heading, listed) in [
                ("verify-not-proved", &signature.not_proved),
                ("verify-later", &signature.later),
            ] {
                if !listed.is_empty() {
                    lines.push(format!("  {}:", say(heading, &[])));
                    lines.extend(listed.iter().map(|line| format!("    - {line}")));
                }
            }
        }
        match self.chain.as_ref().map(|chain| &chain.0) {
            None => {}
            Some(Ok(chain)) => {
                lines.push(say(
                    "verify-chain-holds",
                    &[("count", &chain.entries.len().to_string())],
                ));
            }
            Some(Err(fault)) => lines.push(say(
                "verify-chain-broken",
                &[("fault", &app::chain_fault(reader.language, *fault))],
            )),
        }
        let verdict = if self.holds() {
            "verify-holds"
        } else {
            "verify-does-not-hold"
        };
        lines.push(format!("{}: {}", path.display(), say(verdict, &[])));
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
        let means = match self.means(context) {
            Ok(means) => means,
            Err(failure) => return unreadable(&failure),
        };
        let workers = Workers::new(&context.place.configuration.documents);
        let document = match self.verify(&workers, &means, &self.file, pdf) {
            Ok(document) => document,
            Err(failure) => return unreadable(&failure),
        };
        let certificate = match self.certificate.as_ref().zip(certificate) {
            Some((path, pdf)) => match self.verify(&workers, &means, path, pdf) {
                Ok(certificate) => Some((path, certificate)),
                Err(failure) => return unreadable(&failure),
            },
            None => None,
        };
        let named = certificate.as_ref().and_then(|(_, certificate)| certificate.zone());
        let reader = Reader {
            language: self.language,
            zone: named.or_else(|| document.zone()).unwrap_or(Zone::UTC),
        };
        let mut holds = document.holds();
        let mut value = document.value(reader);
        let mut lines = document.lines(&self.file, reader);
        if let Some((path, certificate)) = certificate {
            let belongs = certificate
                .chain
                .as_ref()
                .is_some_and(|chain| chain.is_about(&document.pdf));
            holds = holds && certificate.holds() && belongs;
            lines.extend(certificate.lines(path, reader));
            let word = if belongs {
                "verify-certificate-belongs"
            } else {
                "verify-certificate-foreign"
            };
            lines.push(i18n::text(self.language, word, &[]));
            value["certificate"] = certificate.value(reader);
            value["certificate"]["belongs"] = Value::Bool(belongs);
            value["holds"] = Value::Bool(holds);
        }
        print(context.json, &value, &joined(&lines));
        Ok(match Outcome::of(&document.verdict) {
            Outcome::Unreadable => ExitCode::from(UNREADABLE),
            _ if holds => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        })
    }

    fn verify(&self, workers: &Workers, means: &Means, path: &Path, pdf: Vec<u8>) -> Result<Verified, Failure> {
        let verdict = workers
            .verify(&Requester::unknown(), &pdf, means, SystemClock.now())
            .map_err(|fault| {
                // Advice for the sender of the file does not help people who verify it.
                let reason = match fault {
                    DocumentFault::Refused(refused) if refused.is_too_demanding() => {
                        i18n::text(self.language, "verify-result-too-demanding-text", &[])
                    }
                    other => other.to_string(),
                };
                Failure::Other(format!("{}: {reason}", path.display()))
            })?;
        let signatures_hold = if self.strict {
            verdict.holds_strictly()
        } else {
            verdict.holds()
        };
        let chain = if signatures_hold { AttachedChain::of(&pdf) } else { None };
        Ok(Verified {
            pdf,
            verdict,
            signatures_hold,
            chain,
        })
    }

    fn means(&self, context: &Context) -> Result<Means, Failure> {
        let mut means = if context.place.has_database()? {
            own_means(context)?
        } else {
            Means::default()
        };
        for path in &self.crl {
            let list = document::verify::list_from_pem_or_der(read(path)?).ok_or_else(|| {
                Failure::Other(format!(
                    "{} is not a revocation list (CRL) in DER or PEM",
                    path.display()
                ))
            })?;
            means.revocation.lists.push(list);
        }
        for path in &self.ocsp {
            means.revocation.responses.push(read(path)?);
        }
        for path in &self.trust {
            let pem = String::from_utf8_lossy(&read(path)?).into_owned();
            let certificates =
                certificates_from_pem(&pem).map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?;
            for certificate in certificates {
                means.roots.add(certificate);
            }
        }
        Ok(means)
    }
}

/// Returns this installation's root and revocations. If the installation cannot be opened, we verify with what the
/// options name.
fn own_means(context: &Context) -> Result<Means, Failure> {
    let app = match context.open() {
        Ok(opened) => opened.app,
        Err(failure) => {
            failure.print(context.json);
            return Ok(Means::default());
        }
    };
    Ok(app.verification_means()?)
}
