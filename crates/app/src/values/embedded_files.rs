//! The files that a sealed document carries inside it: one measure for all of them together.
//!
//! A document is read whole when it is sealed and when it is verified, so without a measure enough attachments would make one
//! that we cannot seal, or that our own verifier refuses ([`crate::upkeep::settings::Settings::largest_sealed`]). What is too much is refused
//! when it is uploaded, given at a start or approved, not after everyone has signed.

use std::collections::BTreeMap;

use document::evidence::embed::MOST_BYTES;
use domain::{FileValue, TemplateVersion};

use crate::base::error::{Fault, FaultCode};

/// The fields whose files are put into the sealed document, each with the bytes of its file.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddedFiles(BTreeMap<String, u64>);

impl EmbeddedFiles {
    /// The embedded files after the change.
    pub(crate) fn of<'v>(template: &TemplateVersion, file_of: impl Fn(&str) -> Option<&'v FileValue>) -> Self {
        let embedded = template.named_fields().filter(|field| field.embed);
        let length = |name: &str| file_of(name).map_or(0, |file| file.length);
        EmbeddedFiles(
            embedded
                .map(|field| (field.name.clone(), length(&field.name)))
                .collect(),
        )
    }

    /// Replaces or removes a field's file. Does nothing if the field is not part of the sealed document.
    pub(crate) fn set(&mut self, field: &str, file: Option<&FileValue>) {
        if let Some(length) = self.0.get_mut(field) {
            *length = file.map_or(0, |file| file.length);
        }
    }

    /// The fault of the largest of these fields, if all files together are too much and some of them are theirs.
    pub(crate) fn fault<'f>(
        &self,
        fields: impl Iterator<Item = &'f str>,
        path_of: impl Fn(&str) -> String,
    ) -> Option<Fault> {
        let total: u64 = self.0.values().sum();
        if total <= MOST_BYTES {
            return None;
        }
        let sizes = fields.filter_map(|name| Some((*self.0.get(name)?, name)));
        let (size, name) = sizes.filter(|(size, _)| *size > 0).max()?;
        let left = MOST_BYTES.saturating_sub(total - size);
        let fault = Fault::new(path_of(name), FaultCode::EmbeddedTooLarge);
        Some(
            fault
                .with("megabytes", megabytes(MOST_BYTES))
                .with("left", megabytes(left)),
        )
    }
}

/// Whole megabytes, or tenths, never more than there are.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        part => format!("{}.{part}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_never_rounded_up() {
        for (bytes, shown) in [
            (0, "0"),
            (99_999, "0"),
            (100_000, "0.1"),
            (1_999_999, "1.9"),
            (2_000_000, "2"),
            (25_000_000, "25"),
        ] {
            assert_eq!(megabytes(bytes), shown);
        }
    }
}
