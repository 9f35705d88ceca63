//! Minimal replacements for an application's surroundings, for tests and benchmarks that do not need them.

use std::time::Duration;

use app::network::{Network, NetworkFault, WebhookAnswer, WebhookTrial};
use app::{DocumentFault, FreeSpace, Space, StrangersDocuments, TimeStampAuthority};
use document::intake::{Intake, Wishes};
use document::marks::checked_picture::{CheckedPicture, PictureWish};
use document::pages::text_layer::PageText;
use document::pki::revocation::SourceAddress;
use document::verify::{Means, Verdict};
use domain::Requester;
use jiff::Timestamp;
use sheets::{Sheet, SheetLimits};

/// Has no disks, so none is full.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnoughSpace;

impl FreeSpace for EnoughSpace {
    fn spaces(&self) -> Vec<Space> {
        Vec::new()
    }
}

/// Reads no PDFs, so every request fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoDocuments;

impl StrangersDocuments for NoDocuments {
    fn inspect_as(&self, _: &Requester, _: &[u8], _: &Wishes) -> Result<Intake, DocumentFault> {
        Err(DocumentFault::Busy)
    }

    fn page_images(&self, _: &Requester, _: &[u8], _: &[u32], _: f32) -> Result<Vec<Vec<u8>>, DocumentFault> {
        Err(DocumentFault::Busy)
    }

    fn page_texts(&self, _: &Requester, _: &[u8], _: &[u32]) -> Result<Vec<PageText>, DocumentFault> {
        Err(DocumentFault::Busy)
    }

    fn verify(&self, _: &Requester, _: &[u8], _: &Means, _: Timestamp) -> Result<Verdict, DocumentFault> {
        Err(DocumentFault::Busy)
    }

    fn sheet(&self, _: &Requester, _: &[u8], _: &SheetLimits) -> Result<Sheet, DocumentFault> {
        Err(DocumentFault::Busy)
    }

    fn picture(&self, _: &Requester, _: &[u8], _: &PictureWish) -> Result<CheckedPicture, DocumentFault> {
        Err(DocumentFault::Busy)
    }
}

/// Has no network, so every request fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoNetwork;

impl NoNetwork {
    fn fault(url: &str) -> NetworkFault {
        NetworkFault {
            url: url.to_owned(),
            reason: "there is no network here".to_owned(),
        }
    }
}

impl Network for NoNetwork {
    fn ask_authority(&self, authority: &TimeStampAuthority, _request: Vec<u8>) -> Result<Vec<u8>, NetworkFault> {
        Err(NoNetwork::fault(&authority.url))
    }

    fn fetch(&self, address: &SourceAddress, _within: Duration) -> Result<Vec<u8>, NetworkFault> {
        Err(NoNetwork::fault(address.as_str()))
    }

    fn ask(
        &self,
        address: &SourceAddress,
        _media_type: &'static str,
        _question: Vec<u8>,
        _within: Duration,
    ) -> Result<Vec<u8>, NetworkFault> {
        Err(NoNetwork::fault(address.as_str()))
    }

    fn try_webhook(&self, trial: &WebhookTrial) -> Result<WebhookAnswer, NetworkFault> {
        Err(NoNetwork::fault(trial.url.as_str()))
    }
}
