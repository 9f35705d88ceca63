//! Reads an upload strictly or, if it breaks the rules of the format, as well as possible.

use std::collections::BTreeSet;

use super::look::{Look, parts, used};
use super::{Refused, signed, whole};
use crate::pdf::defect::DeviationKind;
use crate::pdf::edit::Edits;
use crate::pdf::rebuild::{Rebuilt, Repair};
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Deviation, File, Object, PdfDefect, Ref, Rule, View};

/// An upload whose referenced objects have all been read.
pub(super) enum Upload {
    /// The file follows the rules of the format.
    Sound(File),
    /// The file had to be rebuilt.
    Rebuilt { file: Rebuilt, defect: PdfDefect },
}

impl Upload {
    /// Reads an upload, or returns the reason for refusal.
    pub(super) fn read(bytes: &SharedBytes, password: Option<&str>) -> Result<Self, Refused> {
        let opened = File::open(bytes.clone(), password);
        let unreadable_part = opened.as_ref().ok().and_then(|file| used(&file.latest()).err());
        let (strict, defect) = match (opened, unreadable_part) {
            (Ok(file), defect) => (Some(file), defect),
            (Err(defect), _) => (None, Some(defect)),
        };
        let upload = match (strict, defect) {
            (Some(file), None) => Self::Sound(file),
            (strict, defect) => {
                let defect = defect.unwrap_or(PdfDefect::new(0, Rule::NoSection));
                if let Some(refused) = final_word(&defect) {
                    return Err(refused);
                }
                let file = Rebuilt::read(bytes.clone(), password).map_err(|defect| match defect.rule {
                    Rule::EncryptionDictionary => Refused::UnsupportedEncryption,
                    _ => final_word(&defect).unwrap_or_else(|| unreadable(bytes)),
                })?;
                // A signed file gets a more specific reason.
                let is_signed = signed::is_signed(&file.view()).unwrap_or(false);
                if !is_signed && !whole::has_all_parts(&file.view(), strict.as_ref().map(File::latest)) {
                    return Err(Refused::Incomplete);
                }
                Self::Rebuilt { file, defect }
            }
        };
        if whole::ends_early(bytes) {
            return Err(Refused::Incomplete);
        }
        Ok(upload)
    }

    pub(super) fn view(&self) -> View<'_> {
        match self {
            Self::Sound(file) => file.latest(),
            Self::Rebuilt { file, .. } => file.view(),
        }
    }

    /// Returns whether the upload was encrypted.
    pub(super) fn was_encrypted(&self) -> bool {
        self.view().trailer().is_ok_and(|trailer| trailer.has(b"Encrypt"))
    }

    /// Returns why and how the file was rebuilt. `None` if it follows the rules of the format.
    pub(super) fn repairs(&self) -> Option<(&PdfDefect, &[Repair])> {
        match self {
            Self::Sound(_) => None,
            Self::Rebuilt { file, defect } => Some((defect, file.repairs())),
        }
    }

    /// Returns whether every program reads the file alike.
    pub(super) fn is_read_alike(&self) -> bool {
        let is_stray = |deviation: &Deviation| deviation.kind == DeviationKind::EntryAtZero;
        matches!(self, Self::Sound(file) if !file.deviations().iter().any(is_stray))
    }

    /// Returns whether a later revision deleted an object (7.5.4).
    pub(super) fn was_deleted(&self, id: Ref) -> bool {
        let Self::Sound(file) = self else { return false };
        let mut earlier = (0..file.revisions().len().saturating_sub(1)).map(|revision| file.at(revision));
        !file.latest().has(id) && earlier.any(|view| view.has(id))
    }

    /// Returns whether the file still refers to an object that a later revision deleted.
    pub(super) fn refers_to_deleted(&self) -> Result<bool, PdfDefect> {
        Ok(match self {
            Self::Sound(file) if file.revisions().len() > 1 => {
                used(&file.latest())?.into_iter().any(|id| self.was_deleted(id))
            }
            _ => false,
        })
    }

    /// Returns edits that only replace unreadable objects: lost ones by null, and plain references by their target.
    pub(super) fn edits(&self) -> Edits<'_> {
        let view = self.view();
        let mut edits = Edits::new(view);
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&Object> = Vec::new();
        if let Ok(trailer) = view.trailer() {
            waiting.extend(trailer.iter().map(|(_, value)| value));
        }
        while let Some(object) = waiting.pop() {
            match object {
                Object::Ref(id) if seen.insert(*id) => match view.object(*id) {
                    Ok(next @ Object::Ref(_)) => {
                        let target = view.follow(next);
                        edits.put(*id, target.clone());
                        waiting.push(target);
                    }
                    Ok(object) => waiting.push(object),
                    Err(_) => edits.put(*id, Object::Null),
                },
                Object::Ref(_) => {}
                other => waiting.extend(parts(other)),
            }
        }
        edits
    }
}

/// These defects take precedence over all others.
impl From<PdfDefect> for Refused {
    fn from(defect: PdfDefect) -> Self {
        final_word(&defect).unwrap_or(Self::NotPdf)
    }
}

/// Returns the refusal of a file that cannot be repaired.
fn final_word(defect: &PdfDefect) -> Option<Refused> {
    match defect.rule {
        Rule::PasswordNeeded => Some(Refused::NeedsPassword),
        Rule::PasswordWrong => Some(Refused::WrongPassword),
        Rule::UnsupportedEncryption => Some(Refused::UnsupportedEncryption),
        Rule::TooLarge => Some(Refused::TooDemanding),
        _ => None,
    }
}

/// Returns the refusal of an unreadable file: either the beginning of a PDF, or no PDF at all.
fn unreadable(bytes: &[u8]) -> Refused {
    if whole::is_beginning(bytes) {
        Refused::Incomplete
    } else {
        Refused::NotPdf
    }
}
