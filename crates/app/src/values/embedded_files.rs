//! The files embedded in a sealed document, with one limit for their total size.
//!
//! A document is read completely when it is sealed and when it is verified. Without a limit, attachments could make a
//! document too large for us to seal, or for our own verifier ([`crate::upkeep::settings::Settings::largest_sealed`]).
//! Files that exceed the limit are refused at upload, start or approval, not after everyone has signed.

use std::collections::BTreeMap;

use document::evidence::embed::MOST_BYTES;
use domain::{FileValue, TemplateVersion};

use crate::base::error::{Fault, FaultCode};

/// The fields whose files are embedded in the sealed document, each with the size of its file.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddedFiles(BTreeMap<String, u64>);

impl EmbeddedFiles {
    /// Returns the embedded files after the change.
    pub(crate) fn of<'v>(template: &TemplateVersion, file_of: impl Fn(&str) -> Option<&'v FileValue>) -> Self {
        let embedded = template.named_fields().filter(|field| field.embed);
        let length = |name: &str| file_of(name).map_or(0, |file| file.length);
        EmbeddedFiles(
            embedded
                .map(|field| (field.name.clone(), length(&field.name)))
                .collect(),
        )
    }

    /// Replaces or removes a field's file. Does nothing if the field's file is not embedded in the sealed document.
    pub(crate) fn set(&mut self, field: &str, file: Option<&FileValue>) {
        if let Some(length) = self.0.get_mut(field) {
            *length = file.map_or(0, |file| file.length);
        }
    }

    /// If the total is too large and some of these fields contribute, returns the fault of the largest of them.
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

/// Formats whole or tenths of megabytes, rounded down.
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
