//! Uploads with existing signatures.
//!
//! Their bytes stay unchanged, because signatures cover them. Stamping and sealing then extend the file only by what
//! ISO 32000-2, 12.8.2, allows after an approval signature: further signature fields, whose appearance shows the
//! entered values (`crate::marks::extend`). So a signed upload is accepted only if
//!
//! - it follows the rules of the format, so that all programs read it alike, including our renderer, which must resolve
//!   the same content of every page;
//! - our own verifier finds every signature intact, regardless of the signer;
//! - every signature is still intact after the file has been extended and sealed. We do not infer that from
//!   certifications and locks but try it, so the verifier reports the sealed document of every accepted file as sound;
//! - its validation data can be read and leaves room for ours;
//! - it contains nothing that intake would have to remove, except embedded files, which the report lists.

use domain::field::Placement;
use jiff::Timestamp;

use super::look::Look;
use super::upload::Upload;
use super::{
    Change, Intake, Limits, Refused, Warning, annotations, clean, compare, groups, layers, letters, metadata,
    missing_fonts, page_sizes, partial, refuse_many_pages, settle, showing,
};
use crate::marks::extend;
use crate::marks::stamp::{Mark, MarkContent};
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Objects, PdfDefect, Rule, acro_form};
use crate::pki::authority::create_root;
use crate::pki::keys::{KeyKind, Signer};
use crate::sealing::validation_data::{ValidationData, add_validation_data};
use crate::sealing::{SealDetails, seal};
use crate::text::fonts::Fonts;
use crate::verify::changes::has_room;
use crate::verify::{Fault, SignatureKind, SignatureReport, verify_soundness};

/// The start of the year 2000, in seconds since 1970. Any time would do.
const REHEARSED_AT: i64 = 946_684_800;

/// Returns whether a person has signed the file. Usage rights are not a person's signature.
pub(super) fn is_signed(objects: &impl Objects) -> Result<bool, PdfDefect> {
    let is_certified = objects
        .dict_of_catalog(b"Perms")
        .is_some_and(|permissions| permissions.has(b"DocMDP"));
    Ok(is_certified || !acro_form::signatures(objects)?.is_empty())
}

/// Accepts a signed file unchanged, or returns the reason for refusal.
pub(super) fn take(bytes: SharedBytes, upload: &Upload, limits: &Limits) -> Result<Intake, Refused> {
    if upload.was_encrypted() {
        return Err(Refused::SignedAndEncrypted);
    }
    if let Upload::Rebuilt { defect, .. } = upload {
        // A broken signature is more important than a violated rule.
        return Err(match are_intact(bytes) {
            Err(broken @ Refused::BrokenSignature { .. }) => broken,
            _ => damaged(defect),
        });
    }
    let file = upload.view();
    if clean::is_dynamic_xfa(&file) {
        return Err(Refused::DynamicXfa);
    }
    let found = file.pages().map_err(|defect| damaged(&defect))?.len();
    // Some programs show as many pages as the root states.
    let said = file
        .dict_of_catalog(b"Pages")
        .and_then(|root| file.integer(root, b"Count").ok()?);
    if said.and_then(|said| usize::try_from(said).ok()) != Some(found) {
        return Err(damaged(&PdfDefect::new(0, Rule::PageTree)));
    }
    refuse_many_pages(&file, limits)?;
    let pages = page_sizes(&file, limits)?;
    showing::refuse_unreadable(&file)?;
    let most = usize::try_from(limits.largest_stream).unwrap_or(usize::MAX);
    partial::refuse(&file, most)?;
    if let Some(defect) = partial::damage(&file, most) {
        return Err(damaged(&defect));
    }
    let kept = kept(upload);
    if settle::has_external_streams(&file)? {
        return Err(Refused::ExternalContent);
    }
    if !has_room(file) {
        return Err(Refused::SignedWithUnusableValidationData);
    }
    let signatures = are_intact(bytes.clone())?;
    let mut warnings = vec![Warning::AlreadySigned { count: signatures }];
    warnings.extend(kept?);
    if metadata::is_damaged(&file) {
        return Err(Refused::SignedWithDamagedMetadata);
    }
    if let Some(unseen) = annotations::unseen(&file) {
        return Err(Refused::SignedWithUnseen {
            page: unseen.page,
            kind: unseen.kind,
        });
    }
    if let Some(page) = groups::first(&file) {
        return Err(Refused::SignedWithUnseen {
            page,
            kind: "Group".to_owned(),
        });
    }
    missing_fonts::refuse_signed(&file, most)?;
    letters::refuse_wrong(&file, bytes.clone())?;
    allows_more(&bytes, pages.len())?;
    compare::has_content(bytes.clone(), &pages, &file, limits)?;
    Ok(Intake {
        pdf: bytes.into_vec(),
        pages,
        changes: Vec::new(),
        warnings,
        signatures,
        fields: Vec::new(),
    })
}

fn damaged(defect: &PdfDefect) -> Refused {
    match defect.rule {
        Rule::TooLarge => Refused::TooDemanding,
        Rule::AppendedLaxly(deviation) => Refused::SignedLaxly {
            detail: defect.to_string(),
            deviation,
            offset: defect.offset,
        },
        _ => Refused::SignedAndDamaged {
            detail: defect.to_string(),
            broken: defect.into(),
        },
    }
}

/// Returns the number of signatures, if all are intact.
fn are_intact(bytes: SharedBytes) -> Result<u32, Refused> {
    // A sender may trust signers that we do not know.
    let verdict = verify_soundness(bytes);
    // All signatures allow the content after the last of them, or they would not be intact, and the seal will cover
    // this content. Damage is the least specific reason, so it is reported last.
    let weight = |fault: &Fault| match fault {
        Fault::WeakAlgorithm { .. } => 1,
        Fault::DamagedStructure { .. } => 2,
        _ => 0,
    };
    let fault = verdict
        .unsound()
        .filter(|(_, fault)| !matches!(fault, Fault::NotCoveredToEnd { .. }))
        .min_by_key(|(_, fault)| weight(fault));
    let Some((field, fault)) = fault else {
        return Ok(u32::try_from(verdict.signatures.len()).unwrap_or(u32::MAX));
    };
    let field = field.unwrap_or_default().to_owned();
    Err(match fault {
        Fault::DamagedStructure { defect, .. } => damaged(defect),
        Fault::WeakAlgorithm { name } => Refused::WeakSignature {
            field,
            algorithm: name.clone(),
        },
        fault => Refused::BrokenSignature {
            field,
            detail: fault.to_string(),
            fault: Box::new(fault.clone()),
        },
    })
}

/// Checks whether the file may be extended and sealed, by trying it with a mark on every page and a temporary key. Only
/// the verifier decides what a signature permits.
fn allows_more(bytes: &SharedBytes, pages: usize) -> Result<(), Refused> {
    let sealed = rehearsed(bytes, pages).map_err(|detail| Refused::CannotBeExtended {
        field: String::new(),
        detail,
        fault: None,
    })?;
    let verdict = verify_soundness(sealed);
    let Some((field, fault)) = verdict.unsound().next() else {
        return Ok(());
    };
    let field = field.unwrap_or_default().to_owned();
    let is_changed = matches!(fault, Fault::ChangedAfterSigning { .. });
    let signature = verdict
        .signatures
        .iter()
        .find(|signature| is_changed && signature.faults.contains(fault));
    Err(match signature {
        Some(SignatureReport {
            kind: SignatureKind::Certification { level },
            ..
        }) => Refused::CertificationForbids { level: *level },
        Some(signature) if signature.permits.stated || !signature.permits.locks.is_empty() => {
            Refused::LockForbids { field }
        }
        _ => Refused::CannotBeExtended {
            field,
            detail: fault.to_string(),
            fault: Some(Box::new(fault.clone())),
        },
    })
}

/// Extends and seals the file as it will be when everyone has signed, and adds validation data.
fn rehearsed(bytes: &SharedBytes, pages: usize) -> Result<Vec<u8>, String> {
    let said = |error: &dyn std::error::Error| error.to_string();
    let marks: Vec<Mark> = (1..)
        .take(pages)
        .map(|page| Mark {
            page,
            placement: Placement {
                x: 0,
                y: 0,
                width: Placement::WHOLE,
                height: Placement::WHOLE,
            },
            content: MarkContent::Check,
        })
        .collect();
    let fonts = Fonts::none().map_err(|error| said(&error))?;
    let extended = extend::stamp(bytes, &fonts, &marks).map_err(|error| said(&error))?;
    let at = Timestamp::from_second(REHEARSED_AT).map_err(|error| said(&error))?;
    let details = SealDetails {
        reason: String::new(),
        name: String::new(),
        location: None,
        at,
        certify: false,
        is_test: false,
        mark: None,
    };
    let key = create_root("Rehearsal", KeyKind::EcdsaP256, at).map_err(|error| said(&error))?;
    let sealed = seal(extended, &key, &details).map_err(|error| said(&error))?;
    let data = ValidationData {
        certificates: key.certificates().to_vec(),
        ..ValidationData::default()
    };
    add_validation_data(sealed, &data).map_err(|error| said(&error))
}

/// Returns a warning about parts that stay in a signed file but would be removed from an unsigned one.
fn kept(upload: &Upload) -> Result<Option<Warning>, Refused> {
    if layers::remove(&mut upload.edits(), 0)?.hidden > 0 {
        return Err(Refused::SignedAndActive);
    }
    let mut warning = None;
    for change in clean::clean(&mut upload.edits())? {
        match change {
            Change::EmbeddedFilesRemoved { count } => warning = Some(Warning::EmbeddedFilesKept { count }),
            // Usage rights show nothing and do nothing.
            Change::UsageRightsRemoved => {}
            _ => return Err(Refused::SignedAndActive),
        }
    }
    Ok(warning)
}
