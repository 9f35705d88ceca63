//! Reads an upload: by the rules of the format, or, if it breaks them, as well as it can be.

use std::collections::BTreeSet;

use super::look::{Look, parts, used};
use super::{Refused, signed, whole};
use crate::pdf::defect::DeviationKind;
use crate::pdf::edit::Edits;
use crate::pdf::rebuild::{Rebuilt, Repair};
use crate::pdf::shared_bytes::SharedBytes;
use crate::pdf::{Deviation, File, Object, PdfDefect, Ref, Rule, View};

/// An upload that has been read: everything that its trailer leads to.
pub(super) enum Upload {
    /// It follows the rules.
    Sound(File),
    /// It had to be rebuilt.
    Rebuilt { file: Rebuilt, defect: PdfDefect },
}

impl Upload {
    /// Reads an upload, or returns why not.
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
                // For a signed file, there is more to say.
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

    /// The file.
    pub(super) fn view(&self) -> View<'_> {
        match self {
            Self::Sound(file) => file.latest(),
            Self::Rebuilt { file, .. } => file.view(),
        }
    }

    /// Whether it was encrypted.
    pub(super) fn was_encrypted(&self) -> bool {
        self.view().trailer().is_ok_and(|trailer| trailer.has(b"Encrypt"))
    }

    /// Why and how it was rebuilt. `None` if it follows the rules.
    pub(super) fn repairs(&self) -> Option<(&PdfDefect, &[Repair])> {
        match self {
            Self::Sound(_) => None,
            Self::Rebuilt { file, defect } => Some((defect, file.repairs())),
        }
    }

    /// Whether every program reads the same from it.
    pub(super) fn is_read_alike(&self) -> bool {
        let is_stray = |deviation: &Deviation| deviation.kind == DeviationKind::EntryAtZero;
        matches!(self, Self::Sound(file) if !file.deviations().iter().any(is_stray))
    }

    /// Whether a later revision deleted an object (7.5.4).
    pub(super) fn was_deleted(&self, id: Ref) -> bool {
        let Self::Sound(file) = self else { return false };
        let mut earlier = (0..file.revisions().len().saturating_sub(1)).map(|revision| file.at(revision));
        !file.latest().has(id) && earlier.any(|view| view.has(id))
    }

    /// Whether it still refers to an object that a later revision deleted.
    pub(super) fn refers_to_deleted(&self) -> Result<bool, PdfDefect> {
        Ok(match self {
            Self::Sound(file) if file.revisions().len() > 1 => {
                used(&file.latest())?.into_iter().any(|id| self.was_deleted(id))
            }
            _ => false,
        })
    }

    /// No changes, except that unreadable objects are replaced: lost ones by null, and mere references by their target.
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

/// These defects are named before all others.
impl From<PdfDefect> for Refused {
    fn from(defect: PdfDefect) -> Self {
        final_word(&defect).unwrap_or(Self::NotPdf)
    }
}

/// The refusal of a file that no repair helps.
fn final_word(defect: &PdfDefect) -> Option<Refused> {
    match defect.rule {
        Rule::PasswordNeeded => Some(Refused::NeedsPassword),
        Rule::PasswordWrong => Some(Refused::WrongPassword),
        Rule::UnsupportedEncryption => Some(Refused::UnsupportedEncryption),
        Rule::TooLarge => Some(Refused::TooDemanding),
        _ => None,
    }
}

/// The refusal of an unreadable file: the beginning of a PDF, or no PDF.
fn unreadable(bytes: &[u8]) -> Refused {
    if whole::is_beginning(bytes) {
        Refused::Incomplete
    } else {
        Refused::NotPdf
    }
}
