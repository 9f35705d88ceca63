//! The audit trail in a history certificate, and which sealed document it is about.

use document::verify;
use domain::{BlobHash, ChainFault, ChainFile, EventKind, Language, Zone};

/// The name of the chain in a certificate.
pub(in crate::evidence) const CHAIN_FILE: &str = "chain.json";

/// A history certificate's chain, or where it breaks.
pub struct AttachedChain(pub Result<ChainFile, ChainFault>);

impl AttachedChain {
    /// The chain in a PDF. `None` if it has none. Only for files with a valid signature: it is read here.
    pub fn of(pdf: &[u8]) -> Option<Self> {
        let attachment = verify::attachment(pdf, CHAIN_FILE).ok()??;
        let file: ChainFile = serde_json::from_slice(&attachment.data).ok()?;
        Some(Self(file.verify().map(|_| file)))
    }

    /// The zone of the document's dates, if the chain says it.
    pub fn zone(&self) -> Option<Zone> {
        self.events().find_map(|event| match event {
            EventKind::Started { terms, .. } => terms.map(|terms| terms.zone),
            _ => None,
        })
    }

    /// Whether it is about this sealed document or one with later timestamps.
    pub fn is_about(&self, document: &[u8]) -> bool {
        let completed = self.events().filter_map(|event| match event {
            EventKind::Completed { document, length } => Some((document, length)),
            _ => None,
        });
        completed.last().is_some_and(|(hash, length)| {
            let sealed = usize::try_from(length).ok().and_then(|length| document.get(..length));
            sealed.is_some_and(|sealed| BlobHash::of(sealed) == hash)
        })
    }

    fn events(&self) -> impl Iterator<Item = EventKind> {
        let entries = self.0.as_ref().map_or(&[][..], |file| file.entries.as_slice());
        entries.iter().filter_map(|entry| Some(entry.event()?.event))
    }
}

/// Whether two files, of which at least one is a certificate, belong together. `None` if neither is.
pub fn belong_together(files: [(&[u8], Option<&AttachedChain>); 2]) -> Option<bool> {
    let [(first, first_chain), (second, second_chain)] = files;
    let about = [(first_chain, second), (second_chain, first)];
    let mut about = about
        .into_iter()
        .filter_map(|(chain, other)| Some(chain?.is_about(other)))
        .peekable();
    about.peek().is_some().then(|| about.any(|is_about| is_about))
}

/// Where a chain breaks, in a language.
pub fn chain_fault(language: Language, fault: ChainFault) -> String {
    let say = |key: &str, arguments: &[(&str, u64)]| {
        let texts: Vec<(&str, String)> = arguments
            .iter()
            .map(|(name, number)| (*name, number.to_string()))
            .collect();
        let arguments: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        i18n::text(language, key, &arguments)
    };
    match fault {
        ChainFault::Sequence { expected, found } => {
            say("verify-chain-sequence", &[("expected", expected), ("found", found)])
        }
        ChainFault::Previous(entry) => say("verify-chain-previous", &[("entry", entry)]),
        ChainFault::Hash(entry) => say("verify-chain-hash", &[("entry", entry)]),
        ChainFault::Payload(entry) => say("verify-chain-payload", &[("entry", entry)]),
        ChainFault::Text(entry) => say("verify-chain-text", &[("entry", entry)]),
        ChainFault::Format => say("verify-chain-format", &[]),
    }
}
