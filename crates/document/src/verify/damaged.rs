//! The verdict on files that cannot be read strictly.

use std::collections::BTreeSet;

use super::{Fault, MAX_SIGNATURES, SignatureReport, Verdict, length_of};
use crate::pdf::lex::Lexer;
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{PdfDefect, Rule, parse};

/// Maximum length of a byte range, in characters.
const MAX_BYTE_RANGE: usize = 256;

/// Returns the fault of an unreadable file.
pub(super) fn fault_of(defect: &PdfDefect) -> Fault {
    let reason = defect.to_string();
    match defect.rule {
        Rule::NoHeader => Fault::Unreadable { reason },
        Rule::PasswordNeeded | Rule::PasswordWrong | Rule::EncryptionDictionary | Rule::UnsupportedEncryption => {
            Fault::Encrypted
        }
        _ => Fault::DamagedStructure {
            reason,
            defect: defect.clone(),
        },
    }
}

/// Returns the fault of a file that became unreadable through an addition after a signature.
pub(super) fn fault_of_appended(defect: &PdfDefect) -> Fault {
    match (defect.rule, defect.object) {
        (Rule::StrayEntry | Rule::StrayCompressedEntry | Rule::ObjectStream, Some(object)) => {
            Fault::ForgedReferences { object: object.number }
        }
        _ => fault_of(defect),
    }
}

/// Returns the verdict on an unreadable file. Reports the signatures in the longest readable part that a signature
/// claims to cover, none of which proves anything. `judge` judges a readable part.
pub(super) fn judge(pdf: &[u8], defect: &PdfDefect, judge: impl Fn(SharedBytes) -> Option<Verdict>) -> Verdict {
    let ends = ends_of_byte_ranges(pdf);
    let verdict_of = |end: &usize| {
        let verdict = judge(pdf.get(..*end)?.into())?;
        (!verdict.signatures.is_empty()).then_some(verdict)
    };
    let mut parts = ends.range(..pdf.len()).rev().take(MAX_SIGNATURES);
    let mut verdict = parts.find_map(verdict_of).unwrap_or(Verdict {
        length: 0,
        signatures: Vec::new(),
        faults: Vec::new(),
    });
    let is_sound = |signature: &SignatureReport| !signature.faults.iter().any(Fault::concerns_soundness);
    let fault = match fault_of(defect) {
        // The file is not signed.
        Fault::DamagedStructure { reason, .. } if ends.is_empty() => Fault::Unreadable { reason },
        Fault::DamagedStructure { .. } if verdict.signatures.iter().any(is_sound) => fault_of_appended(defect),
        fault => fault,
    };
    verdict.length = length_of(pdf);
    for signature in &mut verdict.signatures {
        signature.faults.push(fault.clone());
        signature.level = None;
        signature.proved_at = None;
    }
    verdict.faults.insert(0, fault);
    verdict
}

/// Returns the end of each byte range found in the file, which is a guess for unreadable files.
fn ends_of_byte_ranges(pdf: &[u8]) -> BTreeSet<usize> {
    const KEY: &[u8] = b"/ByteRange";
    let end = |at: usize| {
        let text = pdf.get(..pdf.len().min(at + MAX_BYTE_RANGE))?;
        match parse::value(&mut Lexer::new(text, at)).ok()?.as_array()? {
            [_, _, second, last] => second.as_usize()?.checked_add(last.as_usize()?),
            _ => None,
        }
    };
    let places = pdf.windows(KEY.len()).enumerate().filter(|(_, window)| *window == KEY);
    places.filter_map(|(at, _)| end(at + KEY.len())).collect()
}
