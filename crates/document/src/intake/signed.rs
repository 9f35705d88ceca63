//! Uploads that others have signed.
//!
//! Their bytes stay as they are, for signatures cover them. Stamping and sealing then extend the file
//! by what ISO 32000-2, 12.8.2, allows after an approval signature: further signature fields, whose
//! appearance shows what was filled in (`crate::extend`). So a signed upload is taken only if
//!
//! - every signature is intact by our own verifier, whoever the signer is;
//! - no certification and no lock forbids further signature fields;
//! - nothing is in it that intake would have to remove, but embedded files, which are told.

use jiff::Timestamp;
use lopdf::{Document, Object};

use super::{Change, Intake, Limits, Refused, Warning, clean, compare, layers, page_sizes};
use crate::form::{self, SignatureField};
use crate::revision::RevisionWriter;
use crate::verify::{self, Fault, TrustedRoots};

/// The end of the year 2999, in seconds since 1970.
const FAR_FUTURE: i64 = 32_503_679_999;

/// Has somebody signed it? Usage rights are no signature of a person.
pub(super) fn is_signed(document: &Document) -> bool {
    let certified = document
        .catalog()
        .ok()
        .and_then(|catalog| form::dictionary(document, catalog, b"Perms"))
        .is_some_and(|permissions| permissions.has(b"DocMDP"));
    certified || !form::signatures(document).is_empty()
}

/// Takes a signed file as it is, or says why not.
pub(super) fn take(bytes: &[u8], document: &Document, limits: &Limits) -> Result<Intake, Refused> {
    if document.was_encrypted() {
        return Err(Refused::SignedAndEncrypted);
    }
    // Where a revision can be appended, readers also agree on what is there.
    if document.xref_recovery.is_some() || RevisionWriter::new(bytes, document).is_err() {
        return Err(Refused::SignedAndDamaged);
    }
    if clean::is_dynamic_xfa(document) {
        return Err(Refused::DynamicXfa);
    }
    let pages = page_sizes(document, limits)?;
    for signature in form::signatures(document) {
        allows_more(document, &signature)?;
    }
    let signatures = are_intact(bytes)?;
    let mut warnings = vec![Warning::AlreadySigned { count: signatures }];
    warnings.extend(kept(document)?);
    compare::has_sizes(bytes, &pages)?;
    Ok(Intake {
        pdf: bytes.to_vec(),
        pages,
        changes: Vec::new(),
        warnings,
        signatures,
        fields: Vec::new(),
    })
}

/// May a signature field be added after this signature?
fn allows_more(document: &Document, signature: &SignatureField<'_>) -> Result<(), Refused> {
    let field = form::text(document, signature.field, b"T").unwrap_or_default();
    let locks = |parameters| matches!(form::name(document, parameters, b"Action"), Some(b"All" | b"Exclude"));
    let level = |parameters: &lopdf::Dictionary| {
        let level = parameters.get(b"P").ok()?;
        form::resolve(document, level).as_i64().ok()
    };
    for reference in form::array(document, signature.signature, b"Reference").unwrap_or_default() {
        let Object::Dictionary(reference) = form::resolve(document, reference) else {
            continue;
        };
        let parameters = form::dictionary(document, reference, b"TransformParams");
        match form::name(document, reference, b"TransformMethod") {
            Some(b"DocMDP") => {
                // Table 257: 2 where it is not said.
                let level = parameters.and_then(level).and_then(|level| u8::try_from(level).ok());
                return Err(Refused::CertificationForbids {
                    level: level.unwrap_or(2),
                });
            }
            Some(b"FieldMDP") if parameters.is_some_and(locks) => return Err(Refused::LockForbids { field }),
            _ => {}
        }
    }
    match form::dictionary(document, signature.field, b"Lock") {
        Some(lock) if locks(lock) || level(lock).is_some() => Err(Refused::LockForbids { field }),
        _ => Ok(()),
    }
}

/// How many signatures there are, all of them intact.
fn are_intact(bytes: &[u8]) -> Result<u32, Refused> {
    // The moment matters for trust alone, which is not asked here: a sender may know signers that we do not. It only must
    // lie behind every time that the file proves.
    let moment = Timestamp::from_second(FAR_FUTURE).unwrap_or(Timestamp::MAX);
    let verdict = verify::verify(bytes, &TrustedRoots::default(), moment);
    for report in &verdict.signatures {
        if let Some(fault) = report.faults.iter().find(|fault| !fault.concerns_trust()) {
            return Err(Refused::BrokenSignature {
                field: report.field.clone(),
                detail: fault.to_string(),
            });
        }
    }
    // What follows the last signature is allowed by all of them, or they would not be intact; the seal will cover it.
    let fault = verdict
        .faults
        .iter()
        .find(|fault| !matches!(fault, Fault::NotCoveredToEnd { .. }));
    match fault {
        None => Ok(u32::try_from(verdict.signatures.len()).unwrap_or(u32::MAX)),
        Some(fault) => Err(Refused::BrokenSignature {
            field: String::new(),
            detail: fault.to_string(),
        }),
    }
}

/// What stays in the file that would be removed from another one.
fn kept(document: &Document) -> Result<Option<Warning>, Refused> {
    if layers::remove(&mut document.clone(), 0).hidden > 0 {
        return Err(Refused::SignedAndActive);
    }
    let mut warning = None;
    for change in clean::clean(&mut document.clone()) {
        match change {
            Change::EmbeddedFilesRemoved { count } => warning = Some(Warning::EmbeddedFilesKept { count }),
            // A grant of rights to readers shows nothing and does nothing.
            Change::UsageRightsRemoved => {}
            _ => return Err(Refused::SignedAndActive),
        }
    }
    Ok(warning)
}
